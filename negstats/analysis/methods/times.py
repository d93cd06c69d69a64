"""Tests of the time to an end: walking away competes, the clock censors (rows 49-52)."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.linked import one_sided
from negstats.analysis.methods.records import Quantity, TestRecord
from negstats.analysis.methods.shared import holm, if_estimable
from negstats.stats.results import apa

__all__ = ["cox", "gray", "log_rank"]

# What an end is to the question when a game agrees: the event, an end that competes, or only the end of watching.
EVENT, LEFT, CENSORED = "agreement", "left", "censored"
ENDS = {"agreement": EVENT, "goal": EVENT, "walkaway": LEFT, "disagreement": LEFT}


def rows_of(case: TestInput) -> pd.DataFrame:
    """Return one row a game: ``time``, ``ended`` (agreement, left, censored), ``unit`` and the factors and numbers."""
    rows = case.rows("a test of times to an end")
    frame = pd.DataFrame({"time": rows["value"].to_numpy(dtype=np.float64), "unit": rows["unit"].astype("str")})
    frame["ended"] = rows["ended"].map(ENDS).fillna(CENSORED).to_numpy()
    for name in (*case.factors, *case.numbers):
        frame[name] = rows[name].to_numpy()
    return frame


def _cluster(case: TestInput) -> str | None:
    return "unit" if case.design.features.several else None


def _ends(frame: pd.DataFrame, case: TestInput) -> dict[str, float]:
    """Return how many games ended in each way, and the median time in each of two groups, where half have agreed."""
    from negstats.stats.time.survival import kaplan_meier

    counts: dict[str, float] = {end: float((frame["ended"] == end).sum()) for end in (EVENT, LEFT, CENSORED)}
    marked = frame.assign(ended=np.where(frame["ended"] == EVENT, EVENT, CENSORED))
    if len(case.factors) == 1 and counts[LEFT] == 0:  # with ends that compete the curve is of nobody's chances
        medians: Any = (
            kaplan_meier(marked, "time", "ended", EVENT, CENSORED, by=case.factor).median().set_index("group")
        )
        for place, level in enumerate(case.levels):
            counts[f"median_{place}"] = float(medians.loc[level, "time"])
    return counts


def _tested(frame: pd.DataFrame, case: TestInput, test: Any) -> Any:
    return test(frame, "time", "ended", EVENT, CENSORED, by=case.factor, cluster=_cluster(case))


def gray(case: TestInput) -> list[TestRecord]:
    """Gray's test, pairs behind, the cause-specific log-rank test beside (row 49)."""
    from negstats.stats.time.gray import gray as test_of
    from negstats.stats.time.incidence import cumulative_incidence
    from negstats.stats.time.log_rank import log_rank as rates

    frame = rows_of(case)
    found = _tested(frame, case, test_of)
    answer = _made(found, "gray", frame)
    if len(case.levels) == 2:
        deadline = float(min(frame.loc[frame[case.factor] == level, "time"].max() for level in case.levels))
        answer = optional_effect(answer, lambda: _incidence(case, frame, cumulative_incidence, deadline))
        answer = replace(answer, details={"until": deadline})
    answer = replace(answer, details={**answer.details, **_ends(frame, case)})
    made = [answer, *_pairs(case, frame, test_of, "gray")]

    def cause() -> TestRecord:
        marked = frame.assign(ended=np.where(frame["ended"] == EVENT, EVENT, CENSORED))
        return _made(_tested(marked, case, rates), "logrank", frame).beside("logrank")

    return [*made, *if_estimable(cause)]


def optional_effect(answer: TestRecord, make: Any) -> TestRecord:
    """Return the answer with an effect, if these data can give it."""
    from negstats.errors import DesignError, NotEstimable

    try:
        effect, says = make()
    except (NotEstimable, DesignError) as error:
        return replace(answer, why={"effect": str(error)})
    return replace(answer, effect=effect, says=says)


def _incidence(case: TestInput, frame: pd.DataFrame, estimate: Any, deadline: float) -> tuple[Quantity, str]:
    from scipy.special import ndtri

    found = estimate(frame, "time", "ended", EVENT, CENSORED, by=case.factor, cluster=_cluster(case))
    at = found.at(deadline, EVENT)
    labels = list(found.labels)
    places = [labels.index(level) for level in case.levels]
    shares, errors = (np.ravel(np.asarray(values))[places] for values in (at.estimate, at.se))
    value, se = float(shares[0] - shares[1]), float(np.hypot(errors[0], errors[1]))
    reach = float(ndtri((1 + case.level) / 2)) * se
    size = Quantity(
        "difference_of_incidence", value, value - reach, value + reach, case.level, "Aalen-Johansen, normal"
    )
    one, two = case.levels
    way = "more" if value > 0 else "fewer"
    points = apa.number(100 * abs(value), 1)
    return size, f"by {deadline:g} s, {points} percentage points {way} have agreed at {one} than at {two}"


def log_rank(case: TestInput) -> list[TestRecord]:
    """Make the log-rank test, difference of restricted means, pairs behind, Cox beside (row 51)."""
    from negstats.stats.time.log_rank import log_rank as test_of

    frame = rows_of(case)
    frame = frame.assign(ended=np.where(frame["ended"] == EVENT, EVENT, CENSORED))
    found = _tested(frame, case, test_of)
    answer = _made(found, "logrank", frame)
    ends = _ends(rows_of(case), case)
    if len(case.levels) == 2:
        until = float(min(frame.loc[frame[case.factor] == level, "time"].max() for level in case.levels))
        ends["until"] = until

        def restricted() -> tuple[Quantity, str]:
            from negstats.stats.time.survival import kaplan_meier

            curves = kaplan_meier(frame, "time", "ended", EVENT, CENSORED, by=case.factor, cluster=_cluster(case))
            means = curves.restricted_mean(until)
            labels = list(curves.labels)
            places = [labels.index(level) for level in case.levels]
            values, errors = (np.ravel(np.asarray(one))[places] for one in (means.estimate, means.se))
            from scipy.special import ndtri

            value, se = float(values[0] - values[1]), float(np.hypot(errors[0], errors[1]))
            reach = float(ndtri((1 + case.level) / 2)) * se
            size = Quantity("difference_of_restricted_means", value, value - reach, value + reach, case.level, "normal")
            way = "longer" if value > 0 else "shorter"
            one, two = case.levels
            return size, f"within {until:g} s, {one} takes {apa.number(abs(value), 1)} s {way} than {two}"

        answer = optional_effect(answer, restricted)
    answer = replace(answer, details={name: value for name, value in ends.items() if math.isfinite(value)})
    return [
        answer,
        *_pairs(case, frame, test_of, "logrank"),
        *if_estimable(lambda: _rates(case, frame, EVENT, "beside")),
    ]


def _made(found: Any, method: str, frame: pd.DataFrame) -> TestRecord:
    df2 = float(getattr(found, "df2", math.inf))  # of F, where whole units lie in one group
    kind, dfs = ("chi2", (float(found.df),)) if math.isinf(df2) else ("f", (float(found.df), df2))
    return TestRecord(found, method, kind, float(found.statistic), float(found.p), dfs, (float(len(frame)),))


def _pairs(case: TestInput, frame: pd.DataFrame, test: Any, method: str) -> list[TestRecord]:
    if len(case.levels) < 3:
        return []
    made: list[TestRecord] = []
    for one, two in itertools.combinations(case.levels, 2):
        part = frame[frame[case.factor].isin([one, two])].reset_index(drop=True)
        part[case.factor] = part[case.factor].astype("str")
        made += if_estimable(
            lambda part=part, one=one, two=two: replace(  # type: ignore[misc]
                _made(_tested(part, case, test), method, part), tag=f"{one} - {two}"
            )
        )
    return holm(made)


def cox(case: TestInput) -> list[TestRecord]:
    """Cause-specific Cox models of both ends; those of agreement answer (row 50)."""
    frame = rows_of(case)
    made = _rates(case, frame, EVENT, "answer")
    if (frame["ended"] == LEFT).any():
        made += if_estimable(lambda: _rates(case, frame, LEFT, "part"))
    return made


def _rates(case: TestInput, frame: pd.DataFrame, event: str, role: str) -> list[TestRecord]:
    from negstats.stats.time.cox import cox as fit

    data = pd.DataFrame({"time": frame["time"], "unit": frame["unit"]})
    data["ended"] = np.where(frame["ended"] == event, EVENT, CENSORED)
    owners: dict[str, list[str]] = {}
    for place, factor in enumerate(case.factors):
        levels, column = case.design.levels[factor], frame[factor].astype("object")
        owners[factor] = [f"f{place}_{at}" for at in range(len(levels) - 1)]
        for at, name in enumerate(owners[factor]):
            data[name] = (column == levels[at]).to_numpy(dtype=float) - (column == levels[-1]).to_numpy(dtype=float)
    for size in range(2, len(case.factors) + 1):
        for part in itertools.combinations(case.factors, size):
            owners[":".join(part)] = []
            for group in itertools.product(*(owners[name] for name in part)):
                name = "_".join(group)
                data[name] = np.prod([data[one] for one in group], axis=0)
                owners[":".join(part)].append(name)
    for place, number in enumerate(case.numbers):
        data[f"x{place}"] = frame[number].to_numpy(dtype=np.float64)
        owners[number] = [f"x{place}"]
    columns = [name for group in owners.values() for name in group]
    found = fit(data, " + ".join(columns), "time", "ended", EVENT, CENSORED, cluster=_cluster(case))
    asked = case.asked_terms([term for term in owners if term not in case.question.covariates] or list(owners))
    made = []
    for term, own in owners.items():
        one = _hazard(case, found, term, own, alone=len(asked) == 1 and term in asked)
        if role == "beside":
            made += [one.beside("cox")] if term in asked else []
        elif role == "part" or term not in asked:
            made.append(replace(one, role="part", tag="" if event == EVENT else LEFT, term=one.term or term))
        else:
            made.append(one)
    return made


def _hazard(case: TestInput, found: Any, term: str, own: list[str], *, alone: bool) -> TestRecord:
    name = "" if alone else term
    n = (float(found.n),)
    if len(own) > 1 or ":" in term:
        test = found.test(own)
        plain = math.isinf(test.df2)
        dfs = (float(test.df1),) if plain else (float(test.df1), float(test.df2))
        return TestRecord(
            found,
            "cox",
            "chi2" if plain else "f",
            float(test.statistic),
            float(test.p),
            dfs,
            n,
            term=name,
            why={"effect": "a term of several coefficients has no single ratio"},
        )
    place = list(found.names).index(own[0])
    scale = 1.0 if own[0].startswith("x") else 2.0
    value, se = scale * float(found.estimate[place]), scale * float(found.se[place])
    from scipy.special import stdtrit

    df = float(found.df)
    from scipy.special import ndtri

    q = float(ndtri((1 + case.level) / 2)) if math.isinf(df) else float(stdtrit(df, (1 + case.level) / 2))
    effect = Quantity("hazard_ratio", math.exp(value), math.exp(value - q * se), math.exp(value + q * se), case.level,
                      "Wald" if math.isinf(df) else "Wald, t")  # fmt: skip
    statistic = value / se
    p = one_sided(case, statistic, df, float(found.p[place]))
    kind = "z" if math.isinf(df) else "t"
    return TestRecord(found, "cox", kind, statistic, p, () if math.isinf(df) else (df,), n, term=name,
                alternative=case.alternative, effect=effect)  # fmt: skip
