"""Models by likelihood: logistic regression (row 33), and the terms of any such model."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import scipy

from negstats.analysis.effect_sizes import Quantity
from negstats.analysis.methods.inputs import FAULTS, TestInput
from negstats.analysis.methods.linked import model_rows, one_sided, renamed
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import direction_of, per_step, text_per
from negstats.errors import NotEstimable


def logistic(case: TestInput) -> list[TestRecord]:
    """Yes or no against numbers and factors: likelihood ratios, odds ratios, average marginal effects (row 33)."""
    frame, names, formula = model_rows(case, "logistic regression", complete=True)
    regression, method = fit_logistic(frame, formula)
    records = model_terms(case, regression, names, method, "odds_ratio", frame)
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


def model_terms(
    case: TestInput, model: Any, names: dict[str, str], method: str, ratio: str, frame: Any
) -> list[TestRecord]:
    """Return each term of a likelihood model: its likelihood ratio, and the ratio of a term of one coefficient."""
    terms = {renamed(term, names): term for term in model.terms}
    covariates = set(case.question.covariates)
    candidates = [name for name in terms if name not in covariates] or list(terms)
    answer_terms = case.asked_terms(candidates)
    records = []
    for name, term in terms.items():
        test = model.test(term)
        own = [one for one in model.names if one == term or (one.startswith(f"{term}[") and ":" not in one)]
        is_single = len(own) == 1 and not any(":" in other and term in other.split(":") for other in model.terms)
        effect, z = None, 0.0
        if is_single:
            place = model.names.index(own[0])
            sign = 1.0 if term.startswith("x") else -1.0  # a level against the first; a difference is first − second
            ends = case.optional("interval", f"interval of the {ratio.replace('_', ' ')}",
                                 partial(model.confidence_interval, case.level, of=own[0]), None)  # fmt: skip
            both = (math.nan, math.nan) if ends is None else (sign * float(ends.low), sign * float(ends.high))
            low, high = sorted(both)
            estimate = sign * float(model.estimate[place])
            z = math.copysign(math.sqrt(max(float(test.statistic), 0.0)), estimate)
            with np.errstate(over="ignore"):
                effect = Quantity(ratio, float(np.exp(estimate)), float(np.exp(low)), float(np.exp(high)), case.level,
                                  "profile likelihood")  # fmt: skip
        p = float(test.p) if effect is None else one_sided(case, z, math.inf, float(test.p))
        n = (float(model.n),)
        one = TestRecord(test, method, "chi2", float(test.statistic), p, (float(test.df),), n, effect=effect,
                   term="" if len(candidates) == 1 and name in answer_terms else name,
                   alternative=case.alternative if effect else "two-sided",
                   why={} if effect else {"effect": "a term of several coefficients has no single ratio"},
                   estimate=_marginal_of(case, model, term) if effect else None,
                   direction=0.0 if effect else direction_of(model, term))  # fmt: skip
        if effect is not None and name in names.values() and term.startswith("x"):
            one = replace(one, says=f"more {name} goes with {'higher' if effect.value > 1 else 'lower'} odds")
            one = per_step(one, frame[term])
        records.append(
            one if name in answer_terms else replace(one, role="part", p=float(test.p), alternative="two-sided")
        )
    return records


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
