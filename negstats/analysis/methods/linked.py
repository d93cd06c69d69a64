"""Models over rows whose units hold several: pairs with any correlation, groups, people who miss a level."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from negstats import stats
from negstats.analysis.effect_sizes import Quantity
from negstats.analysis.methods.inputs import TestInput, level_codes
from negstats.analysis.methods.records import TestRecord, f_test, t_test_of
from negstats.analysis.methods.shared import holm, say_difference
from negstats.analysis.methods.terms import difference_record, linear_terms, single_effect
from negstats.errors import DesignError, NotEstimable
from negstats.stats.results import apa

OF_PARTNER = " of the partner"  # ends the name of a term of the other person's value


def model_rows(case: TestInput, what: str, *, complete: bool = False) -> tuple[pd.DataFrame, dict[str, str], str]:
    """Return the coded rows (of whole units: their values) for the test `what`, the names, and the formula."""
    frame: pd.DataFrame = case.coded(case.values(what) if complete else case.rows(what))
    _check_slopes(case, frame)
    return frame, case.coded_names, formula_of(case)


def formula_of(case: TestInput) -> str:
    """Return the formula of coded rows: all factors crossed with each other and with predictors."""
    names = case.coded_names
    factors = [name for name in names if name.startswith("f")]
    predictors = [name for name in names if name.startswith("x") and names[name] in case.question.with_]
    covariates = [name for name in names if name.startswith("x") and name not in predictors]
    interaction = " * ".join(factors)
    parts = [interaction] if interaction else []
    if predictors and factors:  # whether the relation differs between levels
        parts = [f"({interaction}) * ({' + '.join(predictors)})"]
    elif predictors:
        parts = predictors
    return " + ".join([*parts, *covariates])


def _check_slopes(case: TestInput, frame: pd.DataFrame) -> None:
    """Raise if a level of a factor has one value of a predictor, so that the relation there has no slope."""
    names = case.coded_names
    for factor in (name for name in names if name.startswith("f")):
        for number in (name for name in names if names[name] in case.question.with_):
            distinct = frame.groupby(factor, observed=True)[number].nunique()
            for code in distinct.index[distinct < 2]:
                level = case.design.levels[names[factor]][int(str(code)[1:])]
                raise DesignError(
                    f"all {int((frame[factor] == code).sum())} values of {names[number]} at {names[factor]} = {level} "
                    "are the same, so that the relation has no slope there; name the other levels"
                )


def dyad(case: TestInput) -> list[TestRecord]:
    """Fit compound symmetry with the correlation free, the partner's value of a number as a part of it (row 19)."""
    return _fit_rows(case, "any", "dyad")


def random_intercept(case: TestInput) -> list[TestRecord]:
    """Fit a random intercept for each unit (rows 16 and 20)."""
    return _fit_rows(case, "positive", "mixed")


def complete_or_robust(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return the terms from the complete units; of crossed factors, where few units are complete, with CR2 errors."""
    return _test_complete_units(case) if len(case.factors) == 1 else robust_by_unit(case, records)


def partner_effects(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return what a person's own level does and what the partner's does, and the difference inside mixed pairs.

    Each is twice a coefficient of levels coded 1 and -1, with the other held constant (Kenny, Kashy and Cook, 2006,
    Dyadic Data Analysis, ch. 7). Only pairs of which both levels are known have them; nothing is returned where no
    pair is mixed, or all are.
    """
    frame: pd.DataFrame = case.coded(case.rows("the actor–partner model"))
    pairs = frame[frame.groupby("unit")["value"].transform("size") == 2].copy()
    pairs["own"] = np.where(pairs["f0"] == "l0", 1.0, -1.0)
    pairs["partner"] = pairs.groupby("unit")["own"].transform("sum") - pairs["own"]
    is_mixed = (pairs["own"] != pairs["partner"]).to_numpy()
    if not is_mixed.any() or is_mixed.all():
        return []
    two_sided = replace(case, alternative="two-sided")
    model = stats.mixed(pairs[["value", "unit", "own", "partner"]], "value ~ own + partner", "unit", between="any")
    n = (float(len(pairs) // 2),)
    records = [
        difference_record(two_sided, model.contrast({name: 2.0}, name), "dyad", n=n).beside(tag)
        for name, tag in (("own", "actor"), ("partner", "partner"))
    ]
    mixed_pairs = pairs[is_mixed].pivot_table(index="unit", columns="own", values="value")
    if len(mixed_pairs) > 2:
        test = stats.paired_t({case.levels[0]: mixed_pairs[1.0], case.levels[1]: mixed_pairs[-1.0]}, levels=case.levels)
        records.append(t_test_of(case, test, test, "paired", effect="d_z").beside("mixed pairs"))
    return records


def _fit_rows(case: TestInput, between: Literal["any", "positive"], method: str) -> list[TestRecord]:
    """Return each term of a random intercept by unit."""
    if case.question.contrasts:
        raise DesignError("contrasts of rows that are related have no test here; name two levels with only")
    names, formula = case.coded_names, formula_of(case) or "1"
    if method == "dyad" and case.question.with_:
        frame, partners = _add_partners(case)
        names, formula = names | partners, " + ".join([formula, *partners])
    else:
        frame = case.for_clusters(f"the {method} model")
    model = stats.mixed(frame, f"value ~ {formula}", "unit", between=between)
    remark = f", {'r of partners' if method == 'dyad' else 'ICC'} = {apa.bounded(float(np.asarray(model.icc)))}"
    records = [say_difference(case, record) for record in linear_terms(case, model, names, method, remark=remark)]
    # How alike the rows of a unit are is said once, with the first answer that has no effect of its own.
    first = next(place for place, record in enumerate(records) if record.role == "answer")
    if records[first].effect is None:
        alike = Quantity("partner_r" if method == "dyad" else "icc", float(np.asarray(model.icc)))
        records[first] = replace(records[first], effect=alike)
    return records


def level_pairs(case: TestInput, records: list[TestRecord]) -> list[TestRecord]:
    """Return each two levels of the only factor, by the model of the answer; Holm."""
    if len(case.factors) != 1 or len(case.levels) < 3 or case.numbers:
        return []
    model = records[0].fit
    if model is None:  # levels were exchanged in its place
        raise NotEstimable("there is no mixed model")
    n = (float(np.asarray(model.n)),)
    pairs = itertools.combinations(range(len(case.levels)), 2)
    return holm([_pair(case, model, first, second, n) for first, second in pairs])


def _add_partners(case: TestInput) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the coded rows of pairs with the partner's value of each predictor (actor–partner), and their names.

    Without the partner's value a slope mixes what a person's own value does with what the partner's does (Kenny, Kashy
    and Cook, 2006, Dyadic Data Analysis, ch. 7). Rows whose pair is not whole, or has more than two rows, have none; a
    measure of the whole game, which is the same for both, has no value of the partner.
    """
    frame: pd.DataFrame = case.coded(case.rows("the actor–partner model"))
    _check_slopes(case, frame)
    predictors = {key: name for key, name in case.coded_names.items() if name in case.question.with_}
    size = frame.groupby("unit")["value"].transform("size")
    if not (size == 2).any():
        return frame, {}
    pairs = frame[size == 2]
    differing = [key for key in predictors if (frame.groupby("unit")[key].nunique() > 1).any()]
    columns = {f"p{key[1:]}": pairs.groupby("unit")[key].transform("sum") - pairs[key] for key in differing}
    return pairs.assign(**columns), {f"p{key[1:]}": f"{predictors[key]}{OF_PARTNER}" for key in differing}


def partner_level(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the effect of the partner's level of the only factor, where it does not follow from one's own.

    Of whole pairs, one's own level held constant.
    """
    frame: pd.DataFrame = case.coded(case.rows("the actor–partner model"))
    pairs = frame[frame.groupby("unit")["f0"].transform("size") == 2]
    two_by_two = pairs.index.to_numpy()[np.argsort(pd.factorize(pairs["unit"])[0], kind="stable")].reshape(-1, 2)
    partner_of = pd.Series(two_by_two[:, ::-1].ravel(), index=two_by_two.ravel())
    pairs = pairs.assign(p0=pairs["f0"].loc[partner_of[pairs.index]].set_axis(pairs.index))
    model = stats.mixed(pairs, "value ~ f0 + p0", "unit", between="any")
    name, n = f"{case.factor}{OF_PARTNER}", (float(np.asarray(model.n)),)
    coefficient, _ = single_effect(model, "p0")
    if coefficient is None:
        return [replace(f_test(case, model.test("p0"), "dyad", term=name, n=n[0]), role="part")]
    two_sided = replace(case, alternative="two-sided")
    remark = f", r of partners = {apa.bounded(float(np.asarray(model.icc)))}"
    return [difference_record(two_sided, coefficient, "dyad", remark, n=n, term=name, role="part")]


def _pair(case: TestInput, model: stats.MixedModel, first: int, second: int, n: tuple[float, ...]) -> TestRecord:
    """Return the difference of two levels, each of which but the first has its coefficient against the first."""
    codes = list(level_codes(case.levels).values())
    weights = {f"f0[{codes[place]}]": sign for place, sign in ((first, 1.0), (second, -1.0)) if place > 0}
    coefficient = model.contrast(weights)
    tag = f"{case.levels[first]} - {case.levels[second]}"
    return difference_record(replace(case, alternative="two-sided"), coefficient, "mixed", n=n, tag=tag)


def _test_complete_units(case: TestInput) -> list[TestRecord]:
    """Return the same terms from the units that stand at every level."""
    if len(case.levels) == 2:
        test = stats.paired_t(case.pairs(), levels=case.levels)
        return [t_test_of(case, test, test, "paired", effect="d_z").beside("complete")]
    anova_result = stats.repeated_anova(case.moments())
    return [f_test(case, anova_result.effect(case.factor, "gg"), "repeated").beside("complete")]


def robust_by_unit(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return each asked term by least squares over the rows, with CR2 errors by unit."""
    frame, names, formula = model_rows(case, "least squares with CR2 errors")
    frame, single_levels = _select_repeated_levels(case, frame)
    regression = stats.linear_model(frame, f"value ~ {formula}", errors="CR2", cluster="unit")
    two_sided = replace(case, alternative="two-sided")
    records = linear_terms(two_sided, regression, names, "regression_cr2")
    why = {"levels": ", ".join(single_levels)} if single_levels else {}
    return [
        replace(record.beside("cluster"), why={**record.beside("cluster").why, **why})
        for record in records
        if record.role == "answer"
    ]


def _select_repeated_levels(case: TestInput, frame: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """Return the rows without levels of the only factor that one unit has: such a level has no error of its own."""
    if len(case.factors) != 1:
        return frame, []
    units = frame.groupby("f0", observed=False)["unit"].nunique()
    single_codes = [code for code, count in units.items() if count < 2]
    if not single_codes or len(units) - len(single_codes) < 2:
        return frame, []
    remaining_rows = frame[~frame["f0"].isin(single_codes)].reset_index(drop=True)
    remaining_rows["f0"] = remaining_rows["f0"].cat.remove_unused_categories()
    labels = case.asked.labels.get(case.factor, {})
    return remaining_rows, [
        labels.get(level, level) for level in (case.levels[int(str(code)[1:])] for code in single_codes)
    ]
