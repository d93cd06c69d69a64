"""Models by likelihood: logistic regression (row 33), and the terms of any such model."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy

from negstats import stats
from negstats.analysis.effect_sizes import Quantity, exponential
from negstats.analysis.methods.inputs import FAULTS, TestInput
from negstats.analysis.methods.linked import model_rows
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import direction_of, per_step, text_per
from negstats.analysis.methods.terms import NO_RATIO, ModelTerm, single_column, terms_of
from negstats.errors import NotEstimable


def logistic(case: TestInput) -> list[TestRecord]:
    """Yes or no against numbers and factors: likelihood ratios, odds ratios, average marginal effects (row 33)."""
    frame, names, formula = model_rows(case, "logistic regression", complete=True)
    regression, method = fit_logistic(frame, formula)
    records = model_terms(case, regression, names, method, frame)
    if formula == "value ~ x0" or list(regression.terms) == ["x0"]:
        (name,) = case.numbers
        mean = float(case.values("logistic regression")[name].mean())  # which coding took off
        details = _compute_curve_details(regression, frame["x0"].to_numpy(), mean, records[0])
        first = replace(records[0], text="", details={**records[0].details, **details})
        of_sd = [details.get(f"ratio_{key}", math.nan) for key in ("value", "low", "high")]
        if first.effect is not None and all(map(math.isfinite, of_sd)):
            value, low, high = of_sd
            first = replace(first, text=text_per(first, replace(first.effect, value=value, low=low, high=high), "SD"))
        records = [first, *records[1:]]
    return records


def fit_logistic(frame: Any, formula: str) -> tuple[Any, str]:
    """Return the logistic regression of coded rows and its method; Firth's where a column separates yes from no.

    Its coefficients are finite where those of the likelihood are not; the method of the record says which was fitted.
    """
    from negstats.stats.outcomes.logistic import logistic as fit

    rows = frame.assign(value=frame["value"].astype(int))
    if rows["value"].nunique() < 2:
        raise NotEstimable("the value of all units is the same, so that nothing can be compared")
    try:
        return fit(rows, f"value ~ {formula}"), "logistic"
    except NotEstimable as error:
        try:
            return fit(rows, f"value ~ {formula}", firth=True), "logistic_firth"
        except FAULTS:  # columns that follow from each other have no fit of either kind
            raise error from None


def _compute_curve_details(regression: Any, x: Any, mean: float, record: TestRecord) -> dict[str, float]:
    """Return the fitted chances at the ends of the range and around nine tenths of it, and the ratio of one SD."""
    level, slope = (float(regression.estimate[regression.names.index(name)]) for name in ("Intercept", "x0"))
    sd = float(x.std(ddof=1))
    typical_low, typical_high = (float(end) for end in np.quantile(x, (0.05, 0.95), method="nearest"))
    curve_details = {
        "typical_low": round(typical_low + mean, 9),  # sums in another order differ in the last digits
        "typical_high": round(typical_high + mean, 9),
        "typical_share_low": float(scipy.special.expit(level + slope * typical_low)),
        "typical_share_high": float(scipy.special.expit(level + slope * typical_high)),
        "fitted_low": float(scipy.special.expit(level + slope * x.min())),
        "fitted_high": float(scipy.special.expit(level + slope * x.max())),
        "distinct_values": float(np.unique(np.round(x, 9)).size),
    }
    ratio = record.effect
    if ratio is not None:
        curve_details |= {f"ratio_{end}": float(value**sd) for end, value in
                   (("value", ratio.value), ("low", ratio.low), ("high", ratio.high))}  # fmt: skip
    return curve_details


def model_terms(case: TestInput, model: Any, names: dict[str, str], method: str, frame: Any) -> list[TestRecord]:
    """Return each term of a likelihood model of odds."""
    return [_likelihood_record(case, model, part, method, frame) for part in terms_of(case, model.terms, names)]


def _likelihood_record(case: TestInput, model: Any, part: ModelTerm, method: str, frame: Any) -> TestRecord:
    """Return the likelihood ratio of a term with the odds ratio of one coefficient, p on the plan's side."""
    test = model.test(part.term)
    single = None if ":" in part.term else single_column(model, part.term)
    record = TestRecord.of(test, method, "chi2", n=(float(model.n),), term=part.label, role=part.role)
    if single is None:
        return replace(record, why=NO_RATIO, direction=direction_of(model, part.term))
    place, sign = single
    ends = case.optional(
        "interval", "interval of the odds ratio",
        partial(model.confidence_interval, case.level, of=model.names[place]),
        stats.Interval(math.nan, math.nan, case.level, "profile likelihood"),
    )  # fmt: skip
    effect = exponential("odds_ratio", model.estimate[place], ends, sign)
    record = replace(record, effect=effect, estimate=_marginal_of(case, model, part.term))
    if part.role == "answer":
        z = math.copysign(math.sqrt(max(record.statistic, 0.0)), sign * float(model.estimate[place]))
        record = replace(record, p=case.p_on_side(z, math.inf, record.p), alternative=case.alternative)
    if not part.is_number:
        return record
    odds = "higher" if effect.value > 1 else "lower"
    return per_step(replace(record, says=f"more {part.name} goes with {odds} odds"), frame[part.term])


def _marginal_of(case: TestInput, model: Any, term: str) -> Quantity | None:
    return case.optional("estimate", "average marginal effect", partial(marginal, model, term, case.level), None)


def marginal(model: Any, term: str, confidence_level: float) -> Quantity | None:
    """Return the average marginal effect of a term of one coefficient, first minus second for levels.

    Ordered answers have one effect for each answer, which add up to 0, so that none of them is that of the term.
    """
    if not hasattr(model, "marginal_effects"):
        return None
    effects = model.marginal_effects(term)
    if len(effects.estimate) != 1:
        return None
    ends = effects.confidence_interval(confidence_level)
    low, high = float(np.ravel(ends.low)[0]), float(np.ravel(ends.high)[0])
    value, sign = float(effects.estimate[0]), 1.0 if term.startswith("x") else -1.0
    low, high = sorted((sign * low, sign * high))
    return Quantity("average_marginal_effect", sign * value, low, high, confidence_level, ends.method)
