"""Tests of the time to an end: walking away competes, the clock censors (rows 49-52)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import scipy

from negstats.analysis.effect_sizes import Quantity, exponential
from negstats.analysis.method import label_of
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import TestRecord
from negstats.analysis.methods.shared import holm
from negstats.analysis.methods.terms import NO_RATIO, single_effect, terms_of
from negstats.stats.results import apa

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
    if len(case.factors) == 1 and counts[LEFT] == 0:  # with ends that compete the curve is of nobody's chances
        curves = kaplan_meier(_censor_others(frame), "time", "ended", EVENT, CENSORED, by=case.factor)
        medians: Any = curves.median().set_index("group")
        for place, level in enumerate(case.levels):
            counts[f"median_{place}"] = float(medians.loc[level, "time"])
    return counts


def _compute_test(frame: pd.DataFrame, case: TestInput, test: Any) -> Any:
    return test(frame, "time", "ended", EVENT, CENSORED, by=case.factor, cluster=_cluster(case))


def gray(case: TestInput) -> TestRecord:
    """Return Gray's test (row 49)."""
    from negstats.stats.time.gray import gray as test_of

    frame = rows_of(case)
    answer = _build_record(_compute_test(frame, case, test_of), "gray", frame)
    return _compare_until(
        case, frame, answer, _ends(frame, case), "difference of cumulative incidence", _compare_incidence
    )


def gray_pairs(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return Gray's test of each two of several groups; Holm."""
    from negstats.stats.time.gray import gray as test_of

    return _pairs(case, rows_of(case), test_of, "gray")


def log_rank_beside(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return the cause-specific log-rank test: other ends censor."""
    from negstats.stats.time.log_rank import log_rank as test_of

    frame = _censor_others(rows_of(case))
    return _build_record(_compute_test(frame, case, test_of), "logrank", frame).beside("logrank")


def _censor_others(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with every end but an agreement as the end of watching."""
    return frame.assign(ended=np.where(frame["ended"] == EVENT, EVENT, CENSORED))


def _compare_until(
    case: TestInput, frame: pd.DataFrame, answer: TestRecord, ends: Mapping[str, float], what: str,
    compare: Callable[[TestInput, pd.DataFrame, float], tuple[Quantity, str]],
) -> TestRecord:  # fmt: skip
    """Return the answer with how games ended, and of two groups their difference up to the time until which both last.

    Which way that difference lies is said with it, if these data give it.
    """
    details = dict(ends)
    if len(case.levels) == 2:
        until = details["until"] = float(frame.groupby(case.factor, observed=True)["time"].max().min())
        difference = case.optional("effect", what, partial(compare, case, frame, until), None)
        if difference is not None:
            answer = replace(answer, effect=difference[0], says=difference[1])
    return replace(answer, details={name: value for name, value in details.items() if math.isfinite(value)})


def _compare_incidence(case: TestInput, frame: pd.DataFrame, until: float) -> tuple[Quantity, str]:
    """Return the difference of the two groups' shares that have agreed by a time, and which way it lies."""
    from negstats.stats.time.incidence import cumulative_incidence

    incidence = cumulative_incidence(frame, "time", "ended", EVENT, CENSORED, by=case.factor, cluster=_cluster(case))
    size = _difference(case, incidence, incidence.at(until, EVENT), "difference_of_incidence", "Aalen-Johansen, normal")
    first, second = case.levels
    points, way = apa.number(100 * abs(size.value), 1), "more" if size.value > 0 else "fewer"
    return size, f"by {until:g} s, {points} percentage points {way} have agreed at {first} than at {second}"


def _compare_restricted_means(case: TestInput, frame: pd.DataFrame, until: float) -> tuple[Quantity, str]:
    """Return the difference of the two groups' mean times within a limit, and which way it lies."""
    from negstats.stats.time.survival import kaplan_meier

    curves = kaplan_meier(frame, "time", "ended", EVENT, CENSORED, by=case.factor, cluster=_cluster(case))
    size = _difference(case, curves, curves.restricted_mean(until), "difference_of_restricted_means", "normal")
    first, second = case.levels
    way = "longer" if size.value > 0 else "shorter"
    return size, f"within {until:g} s, {first} takes {apa.number(abs(size.value), 1)} s {way} than {second}"


def _difference(case: TestInput, curves: Any, estimates: Any, name: str, method: str) -> Quantity:
    """Return the first of two groups' estimates minus the second, with its normal interval."""
    places = [list(curves.labels).index(level) for level in case.levels]
    values, errors = (np.ravel(np.asarray(array))[places] for array in (estimates.estimate, estimates.se))
    value = float(values[0] - values[1])
    reach = float(scipy.special.ndtri((1 + case.level) / 2)) * float(np.hypot(errors[0], errors[1]))
    return Quantity(name, value, value - reach, value + reach, case.level, method)


def log_rank(case: TestInput) -> TestRecord:
    """Return the log-rank test with the difference of restricted means (row 51)."""
    from negstats.stats.time.log_rank import log_rank as test_of

    rows = rows_of(case)
    frame = _censor_others(rows)
    answer = _build_record(_compute_test(frame, case, test_of), "logrank", frame)
    return _compare_until(
        case, frame, answer, _ends(rows, case), "difference of restricted means", _compare_restricted_means
    )


def log_rank_pairs(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the log-rank test of each two of several groups; Holm."""
    from negstats.stats.time.log_rank import log_rank as test_of

    return _pairs(case, _censor_others(rows_of(case)), test_of, "logrank")


def cox_beside(case: TestInput, _records: list[TestRecord]) -> list[TestRecord]:
    """Return the hazard ratios of the same groups."""
    return _rates(case, _censor_others(rows_of(case)), EVENT, "beside")


def _build_record(result: Any, method: str, frame: pd.DataFrame) -> TestRecord:
    df2 = float(getattr(result, "df2", math.inf))  # of F, where whole units lie in one group
    kind, dfs = ("chi2", (float(result.df),)) if math.isinf(df2) else ("f", (float(result.df), df2))
    return TestRecord(result, method, kind, float(result.statistic), float(result.p), dfs, (float(len(frame)),))


def _pairs(case: TestInput, frame: pd.DataFrame, test: Any, method: str) -> list[TestRecord]:
    if len(case.levels) < 3:
        return []
    records: list[TestRecord] = []
    for level, other_level in itertools.combinations(case.levels, 2):
        part = frame[frame[case.factor].isin([level, other_level])].reset_index(drop=True)
        part[case.factor] = part[case.factor].astype("str")
        tag = f"{level} - {other_level}"
        pair_test = case.optional(
            "follow-up", label_of(method), partial(_compute_test, part, case, test), None, f"#{tag}"
        )
        if pair_test is not None:
            records.append(replace(_build_record(pair_test, method, part), tag=tag))
    return holm(records)


def cox(case: TestInput) -> list[TestRecord]:
    """Cause-specific Cox models of both ends; those of agreement answer (row 50)."""
    frame = rows_of(case)
    records = _rates(case, frame, EVENT, "answer")
    if (frame["ended"] == LEFT).any():
        records += case.optional("part", "hazard of walking away", lambda: _rates(case, frame, LEFT, "part"), [])
    return records


def _rates(case: TestInput, frame: pd.DataFrame, event: str, role: str) -> list[TestRecord]:
    from negstats.stats.time.cox import cox as fit

    data = pd.DataFrame({"time": frame["time"], "unit": frame["unit"]})
    data["ended"] = np.where(frame["ended"] == event, EVENT, CENSORED)
    # Factors and numbers under names that a formula can have.
    columns = {f"f{place}": factor for place, factor in enumerate(case.factors)}
    for column, factor in columns.items():
        data[column] = pd.Categorical(frame[factor].astype("object"), categories=case.design.levels[factor])
    formula = [" * ".join(columns)] if columns else []
    for place, number in enumerate(case.numbers):
        data[f"x{place}"] = frame[number].to_numpy(dtype=np.float64)
        columns[f"x{place}"] = number
        formula.append(f"x{place}")
    model = fit(data, " + ".join(formula), "time", "ended", EVENT, CENSORED, cluster=_cluster(case))
    # Beside another answer only the answering terms stand; of a competing end all are parts.
    records = []
    for part in terms_of(case, model.terms, columns):
        record = _hazard(case, model, part.term, part.label)
        if role == "beside":
            records += [record.beside("cox")] if part.role == "answer" else []
        elif role == "part" or part.role == "part":
            records.append(replace(record, role="part", tag="" if event == EVENT else LEFT, term=part.name))
        else:
            records.append(record)
    return records


def _hazard(case: TestInput, model: Any, term: str, name: str) -> TestRecord:
    n = (float(model.n),)
    effect_of_term = None if ":" in term else single_effect(model, term)[0]
    if effect_of_term is None:
        return TestRecord.of(model.test(term), "cox", result=model, n=n, term=name, why=NO_RATIO)
    ends = effect_of_term.confidence_interval(case.level)
    method = "Wald" if math.isinf(model.df) else "Wald, t"
    return TestRecord.of(
        effect_of_term, "cox", result=model, n=n, term=name, alternative=case.alternative,
        p=case.p_on_side(float(effect_of_term.statistic), float(effect_of_term.df), float(effect_of_term.p)),
        effect=exponential("hazard_ratio", effect_of_term.estimate, ends, method=method),
    )  # fmt: skip
