"""A logistic curve for each group, for decisions whose persons are not known."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from negstats.errors import NotEstimable
from negstats.estimate._thresholds import DIFFERENCE, Thresholds, describe_decisions, note_extrapolation
from negstats.estimate.acceptance import AcceptanceCurve, fit_acceptance
from negstats.estimate.answers import Answers
from negstats.estimate.people import PersonDecisions, sort_groups


def _fit_groups(
    person_decisions: PersonDecisions, shares: Sequence[float], confidence_level: float, seed: int
) -> tuple[dict[str, AcceptanceCurve], dict[str, NotEstimable]]:
    """Return the curve of each group, at a half and at `shares`, and why other groups have none."""
    curves: dict[str, AcceptanceCurve] = {}
    reasons: dict[str, NotEstimable] = {}
    parts = dict(list(person_decisions.frame.groupby("group")))
    for group in sort_groups(person_decisions.frame["group"]):
        part = parts[group]
        group_answers = Answers(
            part["benefit"].to_numpy(), part["accepted"].to_numpy(), pd.factorize(part["person"])[0].astype(np.int64),
            unit=person_decisions.unit,
        )  # fmt: skip
        try:
            curves[group] = fit_acceptance(
                group_answers, rng=np.random.default_rng(seed), shares=(0.5, *shares), confidence_level=confidence_level
            )
        except NotEstimable as error:
            reasons[group] = error
    return curves, reasons


def fit_pooled(
    person_decisions: PersonDecisions,
    shares: Sequence[float],
    confidence_level: float,
    seed: int,
    notes: tuple[str, ...],
) -> Thresholds:
    """Fit one logistic curve a group: what decisions are like, and nothing of people."""
    curves, reasons = _fit_groups(person_decisions, shares, confidence_level, seed)
    if not curves:
        raise next(iter(reasons.values()))
    population, rows = [], []
    for group, curve in curves.items():
        half, *others = curve.points
        population.append({"group": group, "mean": half.benefit, "se": np.nan, "low": _nan(half.low),
                           "high": _nan(half.high), "sd": np.nan, "sd_se": np.nan, "sd_low": np.nan,
                           "sd_high": np.nan})  # fmt: skip
        rows += [{"of": "decisions", "share": other.share, "group": group, "benefit": other.benefit, "se": np.nan,
                  "low": _nan(other.low), "high": _nan(other.high)} for other in others]  # fmt: skip
    slopes = [curve.slope for curve in curves.values()]
    bands = [curve.band.assign(group=group, typical=np.nan) for group, curve in curves.items()]
    empty = pd.DataFrame(columns=["person", "group", "threshold", "sd", "n", "accepted"])
    return Thresholds(
        model="pooled",
        people=empty,
        population=pd.DataFrame(population),
        shares=pd.DataFrame(rows),
        difference=pd.DataFrame(columns=DIFFERENCE),
        curve=pd.concat(bands, ignore_index=True),
        slope=slopes[0] if len(slopes) == 1 else float("nan"),
        interaction_p=float("nan"),
        confidence_level=confidence_level,
        **describe_decisions(person_decisions),
        notes=(
            *person_decisions.notes,
            *notes,
            *(f"{group}: {error}" for group, error in reasons.items()),
            *note_extrapolation(rows, person_decisions.frame),
        ),
    )


def _nan(value: float | None) -> float:
    return float("nan") if value is None else value
