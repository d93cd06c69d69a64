"""Tests of numbers: correlations, regressions, groups at equal covariates (rows 11-15, 21 and 46)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from negstats import stats
from negstats.analysis.effect_sizes import Quantity, quantity
from negstats.analysis.methods.answer import OF_MEANS, select_answers
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.linked import model_rows
from negstats.analysis.methods.means import pairs
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import contrast_record
from negstats.analysis.methods.terms import coefficient_record, linear_terms
from negstats.errors import NotEstimable
from negstats.stats.results import apa

KINDS = {"pearson": ("r", "r"), "spearman": ("rho", "rho"), "kendall": ("tau", "tau_b")}


def pearson(case: TestInput) -> TestRecord:
    """Return Pearson's r of two measures of a unit (row 13)."""
    answer = _correlated(case, "pearson")
    if case.asked.kind != "interval":
        return answer
    return replace(answer, details=_slope(answer, case.related()))


FEWEST_ANSWERS = 3  # of a scale that has a middle


def spearman_beside(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Spearman's ρ of the same two measures."""
    return _correlated(case, "spearman").beside("ranks")


def _slope(answer: TestRecord, data: Any) -> dict[str, float]:
    """Return the slope of the outcome's line per unit of the predictor, with its t interval where rows are independent.

    It follows from r and the two standard deviations; its t is that of r.
    """
    if isinstance(data, Mapping):
        x, y = (np.asarray(data[axis], dtype=np.float64) for axis in ("x", "y"))
        is_complete = ~(np.isnan(x) | np.isnan(y))
        sd_x, sd_y = (float(axis[is_complete].std(ddof=1)) for axis in (x, y))
    else:
        sd_x, sd_y = (float(sd) for sd in np.sqrt(np.diagonal(np.asarray(data.covariance).reshape(2, 2))))
    r = float(answer.statistic)
    slope = r * sd_y / sd_x
    if not answer.df or not abs(r) < 1 or answer.estimate is None:
        return {"slope": slope}
    df = float(answer.df[0])
    reach = float(stdtrit(df, (1 + answer.estimate.confidence_level) / 2)) * sd_y / sd_x * ((1 - r * r) / df) ** 0.5
    return {"slope": slope, "slope_low": slope - reach, "slope_high": slope + reach}


def spearman(case: TestInput) -> TestRecord:
    """Return Spearman's ρ; of linked units p and interval by unit (row 46)."""
    answer = by_unit(case, "spearman") if case.design.features.inside else _correlated(case, "spearman")
    if len(case.asked.words) < FEWEST_ANSWERS:
        return answer
    rows = case.rows("the answers at both ends") if case.design.features.inside else case.values("the answers")
    return replace(answer, details=_answers_at_ends(rows, case.numbers[0], len(case.asked.words)))


def _answers_at_ends(rows: pd.DataFrame, name: str, answers: int) -> dict[str, float]:
    """Return the share of answers above the middle of the scale in the lowest and in the highest fifth of a number."""
    x, is_above = rows[name].to_numpy(), rows["value"].to_numpy() > (answers + 1) / 2
    low, high = np.quantile(x, (0.2, 0.8), method="nearest")
    is_low, is_high = x <= low, x > high if (x > high).any() else x >= high
    return {
        "low_at": float(low), "low_share": float(is_above[is_low].mean()),
        "high_at": float(x[is_high].min()), "high_share": float(is_above[is_high].mean()),
    }  # fmt: skip


def kendall(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Kendall's τ of independent units."""
    return _correlated(case, "kendall").beside("kendall")


def _correlated(case: TestInput, kind: Literal["pearson", "spearman", "kendall"]) -> TestRecord:
    data: Any = case.related()
    if kind != "pearson":
        values = case.values(f"{kind.capitalize()}'s correlation")
        data = {"x": values[case.numbers[0]].to_numpy(), "y": values["value"].to_numpy()}
    two_sided = stats.correlation(data, "x", "y", method=kind)
    test = two_sided if case.alternative == "two-sided" else stats.correlation(
        data, "x", "y", method=kind, alternative=case.alternative)  # fmt: skip
    return _build_correlation(case, test, two_sided, kind)


def _build_correlation(case: TestInput, test: stats.Correlation, two_sided: stats.Correlation, kind: str) -> TestRecord:
    letter, effect = KINDS[kind]
    estimate = quantity(effect, two_sided.r, two_sided.confidence_interval(case.level))
    df = float(np.asarray(test.df))
    has_df = np.isfinite(df)
    n = float(np.asarray(test.n))
    symbol = {"r": "r", "rho": "r_s", "tau": "τ_b"}[letter]
    arguments = apa.df(df) if has_df else f"N = {n:.0f}"
    sided = " (one-sided)" if test.alternative != "two-sided" else ""
    span = f"{100 * case.level:g}% CI [{apa.bounded(estimate.low)}, {apa.bounded(estimate.high)}]"
    text = f"{symbol}({arguments}) = {apa.bounded(float(np.asarray(test.r)))}, {apa.p_value(test.p)}{sided}, {span}"
    way = "more" if float(np.asarray(test.r)) > 0 else "less"
    return TestRecord(
        test, kind, letter, float(np.asarray(test.r)), float(np.asarray(test.p)), (df,) if has_df else (), (n,),
        alternative=test.alternative, estimate=estimate, effect=estimate, text=text,
        says=f"more {case.numbers[0]} goes with {way} {case.question.measure}", is_exact=test.distribution == "exact",
    )  # fmt: skip


def seats(case: TestInput) -> TestRecord:
    """Return Pearson's r over seats, interval and p by unit (row 21)."""
    return by_unit(case, "pearson")


def _select_linked(case: TestInput) -> dict[str, Any]:
    """Return the number (x), the outcome (y) and the unit of each row."""
    rows = case.rows("a correlation over linked rows")
    (name,) = case.numbers
    return {"x": rows[name].to_numpy(), "y": rows["value"].to_numpy(), "unit": rows["unit"].to_numpy()}


def between_units(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return the correlation of the units' means."""
    data = _select_linked(case)
    code, _ = pd.factorize(data["unit"])
    size = np.bincount(code)
    means = {axis: np.bincount(code, data[axis]) / size for axis in ("x", "y")}
    test = stats.correlation(means, "x", "y")
    return _build_correlation(replace(case, alternative="two-sided"), test, test, "pearson").beside("between")


def within_units(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return the correlation of the deviations from the units' means."""
    test = stats.repeated_correlation(_select_linked(case), "x", "y", subject="unit")
    return _build_correlation(replace(case, alternative="two-sided"), test, test, "pearson").beside("within")


def by_unit(case: TestInput, kind: Literal["pearson", "spearman"]) -> TestRecord:
    """Return a correlation over rows, its p by leaving out units; the interval of ranks by resampling them."""
    (name,) = case.numbers
    data = _select_linked(case)
    options: dict[str, Any] = {}
    if kind == "spearman":
        options = {"rng": case.rng(), "n_resamples": case.plan.resamples}
    test = stats.clustered_correlation(data, "x", "y", cluster="unit", method=kind, **options)
    letter, effect = KINDS[kind]
    size = quantity(effect, test.r, test.confidence_interval(case.level))
    p = case.p_on_side(test.statistic, test.df, test.p)
    symbol = "r" if kind == "pearson" else "r_s"
    text = (
        f"{symbol} = {apa.bounded(test.r)} ({test.n} rows of {test.clusters} units), {apa.p_value(p)}{case.side_note}, "
        f"{100 * case.level:g}% CI [{apa.bounded(size.low)}, {apa.bounded(size.high)}]"
    )
    record = TestRecord(
        test, kind, letter, test.r, p, n=(float(test.n),), alternative=case.alternative, estimate=size, effect=size,
        text=text, why={"df": "p and interval go by unit: the degrees of freedom of r over rows do not apply"},
        says=f"more {name} goes with {'more' if test.r > 0 else 'less'} {case.question.measure}",
    )  # fmt: skip
    has_slope = kind == "pearson" and case.asked.kind == "interval"
    return replace(record, details=_slope(record, data)) if has_slope else record


def regression(case: TestInput) -> list[TestRecord]:
    """Return a regression with HC3 errors, each predictor an answer, R² of all (row 14)."""
    names, data = case.numbers, _select_predictors(case)
    predictors = [f"x{place}" for place in range(len(names))]
    model = stats.regression(data, outcome="value", predictors=predictors, errors="HC3")
    answer_terms = set(case.asked_terms(names))
    records = []
    for place, name in enumerate(names):
        is_answer = name in answer_terms and name not in case.question.covariates
        slope = _coefficient(case, model, f"x{place}", "slope", "regression", term=name)
        beta = Quantity("beta", float(model.beta[place + 1]))
        records.append(replace(slope, effect=beta, role="answer" if is_answer else "part"))
    whole = model.test()
    r2 = Quantity("r_squared", float(np.asarray(model.r_squared)))
    n = (float(np.asarray(model.n)),)
    return [*records, TestRecord.of(whole, "regression", n=n, tag="model", role="part", effect=r2)]


def each_r(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the correlation of each predictor with the outcome."""
    data, two_sided = _select_predictors(case), replace(case, alternative="two-sided")
    tests = [stats.correlation(data, f"x{place}", "value") for place in range(len(case.numbers))]
    return [replace(_build_correlation(two_sided, test, test, "pearson").beside("r"), term=name)
            for name, test in zip(case.numbers, tests, strict=True)]  # fmt: skip


def _select_predictors(case: TestInput) -> pd.DataFrame:
    """Return the numbers as x0, x1, ... and the outcome as value."""
    values = case.values("regression with HC3 errors")
    data = pd.DataFrame({f"x{place}": values[name].to_numpy() for place, name in enumerate(case.numbers)})
    return data.assign(value=values["value"].to_numpy())


def _coefficient(
    case: TestInput, model: stats.LinearModel, name: str, estimate: str, method: str, **fields: Any
) -> TestRecord:
    coefficient = model.contrast({name: 1.0})
    ends = coefficient.confidence_interval(case.level)
    size = replace(quantity(estimate, coefficient.estimate, ends), method=f"t, {model.errors}")
    return coefficient_record(case, coefficient, method, size, result=model, n=(float(model.n),), **fields)


def covariate_groups(case: TestInput) -> list[TestRecord]:
    """Compare groups at equal covariates with HC3 errors (row 11)."""
    _check_cell_sizes(case)
    frame, names, formula = model_rows(case, "a linear model with HC3 errors", complete=True)
    model = stats.linear_model(frame, f"value ~ {formula}", errors="HC3")
    records = linear_terms(case, model, names, "ancova", difference="adjusted_difference")
    return [replace(record, effect=_compute_standardized(record, model))
            if record.role == "answer" and record.kind == "t" else record for record in records]  # fmt: skip


def _check_cell_sizes(case: TestInput) -> None:
    """Refuse a cell of which no variance is known, by its name: HC3 has no error for a value that is fitted exactly."""
    cells = case.cells()
    few = np.argwhere(cells.n < 2)
    if len(few):
        where = ", ".join(
            f"{factor.name} = {factor.levels[code]!r}" for factor, code in zip(cells.factors, few[0], strict=True)
        )
        n = int(cells.n[tuple(few[0])])
        raise NotEstimable(f"variances of their own need two observations in each cell, but n = {n} with {where}")


def adjusted_pairs(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return each two levels of the only factor at equal covariates; Holm."""
    if len(case.factors) != 1 or len(case.levels) < 3:
        return []
    contrasts = stats.pairwise(records[0].fit, specs="f0", adjust="holm")
    return [contrast_record(_levels_named(case, contrast), case.level, "ancova", "holm") for contrast in contrasts]


def without_covariates(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the comparison of the same groups without the covariates."""
    plain = replace(case, question=replace(case.question, covariates=()))
    shape = "factorial" if len(case.factors) > 1 else "two groups" if len(case.levels) == 2 else "groups"
    return [answer.beside("without") for answer in select_answers(OF_MEANS[shape], plain)]


def _levels_named(case: TestInput, contrast: stats.Contrast) -> stats.Contrast:
    """Return a contrast of coded levels under the plan's names."""
    first, second = (case.levels[int(code.strip()[1:])] for code in contrast.name.split(" - "))
    return replace(contrast, name=f"{first} - {second}")


def _compute_standardized(test_record: TestRecord, model: stats.LinearModel) -> Quantity | None:
    """Return the adjusted difference in residual standard deviations, as Hedges' g."""
    from negstats.stats.effects.means import hedges_correction

    size = test_record.estimate
    if size is None:
        return None
    scale = float(np.asarray(hedges_correction(np.asarray(model.df_residual)))) / float(np.asarray(model.sigma))
    return Quantity(
        "g", size.value * scale, size.low * scale, size.high * scale, size.confidence_level, "t, HC3, residual SD"
    )


def covariate_pairs(case: TestInput) -> list[TestRecord]:
    """Test the difference of pairs at the mean of the covariates, HC3 errors (row 12)."""
    what = "regression with HC3 errors"
    whole = case.wide(what)
    covariates = case.values(what).drop_duplicates("unit").set_index("unit").reindex(whole.index)
    data = {"value": (whole[case.levels[0]] - whole[case.levels[1]]).to_numpy()}
    names = []
    for place, number in enumerate(case.numbers):
        x = covariates[number].to_numpy(dtype=np.float64)
        data[f"x{place}"] = x - x.mean()
        names.append(f"x{place}")
    model = stats.regression(data, outcome="value", predictors=names, errors="HC3")
    two_sided = replace(case, alternative="two-sided")
    slopes = [_coefficient(two_sided, model, name, "slope", "ancova", term=number, role="part")
              for name, number in zip(names, case.numbers, strict=True)]  # fmt: skip
    return [_coefficient(case, model, "Intercept", "adjusted_difference", "ancova"), *slopes]


def paired_beside(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return the paired t without the covariates."""
    return pairs(case).beside("paired")


def moderation(case: TestInput) -> list[TestRecord]:
    """Test whether slopes differ between groups, HC3 errors (row 15)."""
    frame, names, formula = model_rows(case, "a linear model with HC3 errors", complete=True)
    model = stats.linear_model(frame, f"value ~ {formula}", errors="HC3")
    interactions = tuple(f"{case.factor}:{number}" for number in case.question.with_)
    moderation_case = replace(case, question=replace(case.question, effect=case.question.effect or interactions))
    return linear_terms(moderation_case, model, names, "regression")


def simple_slopes(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the slope of each predictor in each group."""
    slopes = []
    for code, number in case.coded_names.items():
        if number not in case.question.with_:
            continue
        for group_slope, level in zip(records[0].fit.slopes(code), case.levels, strict=True):
            term = f"{case.factor}:{number}"
            follow = contrast_record(group_slope, case.level, "regression")
            slope = replace(follow.estimate, name="slope") if follow.estimate else None
            slopes.append(replace(follow, term=term, tag=f"{number} at {level}", p_adjusted=None, estimate=slope))
    return slopes
