"""What the tests of several rows share: follow-ups corrected together, sentences."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from negstats import stats
from negstats.analysis.effect_sizes import Quantity, quantity
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import TestRecord
from negstats.stats.results import apa


def holm(records: Sequence[TestRecord]) -> list[TestRecord]:
    """Return tests as follow-ups whose p are corrected together, by Holm."""
    if not records:
        return []
    adjusted_p = stats.adjust(np.array([record.p for record in records]), "holm").p_adjusted
    return [
        replace(record, role="follow-up", p_adjusted=float(p), correction="holm")
        for record, p in zip(records, adjusted_p, strict=True)
    ]


def per_step(record: TestRecord, values: Any) -> TestRecord:
    """Return a ratio of a number in words for a step of its values that a reader can judge.

    The effect stays per unit; the details have the step and the ratio for it.
    """
    step = apa.readable_step(values)
    if record.effect is None or step == 1:
        return record
    with np.errstate(over="ignore"):
        value, low, high = np.power([record.effect.value, record.effect.low, record.effect.high], step).tolist()
    if not math.isfinite(value):
        return record
    details = {**record.details, "step": step, "step_value": value, "step_low": low, "step_high": high}
    of_step = replace(record.effect, value=value, low=low, high=high)
    return replace(record, text=text_per(record, of_step, apa.step_text(step)), details=details)


def text_per(record: TestRecord, ratio: Quantity, unit: str) -> str:
    """Return the text of a record with the ratio for so much more of the predictor in place of that for one unit."""
    ratio_text = ratio.apa().replace(" = ", f" per {unit} = ", 1)
    return record.apa().replace(record.effect.apa(), ratio_text) if record.effect else record.apa()


def rank_record(test: Any, method: str, **fields: Any) -> TestRecord:
    """Return a rank test with the statistic that p belongs to: the sum of ranks where p is exact, else z."""
    is_exact = test.method == "exact"
    kind, statistic = ("u", float(test.statistic)) if is_exact else ("z", float(test.z))
    return TestRecord(
        test,
        method,
        kind,
        statistic,
        float(test.p),
        alternative=test.alternative,
        direction=float(np.sign(test.z)),
        is_exact=is_exact,
        **fields,
    )


def ranked(test: Any, method: str, n: tuple[float, ...], symbol: str) -> TestRecord:
    """Return a rank test that stands beside an answer."""
    z = "" if test.method == "exact" else f", z = {apa.number(test.z)}"
    sided = " (one-sided)" if test.alternative != "two-sided" else ""
    effect = test.effect_size()
    return rank_record(
        test,
        method,
        n=n,
        text=f"{symbol} = {apa.number(test.statistic)}{z}, {apa.p_value(test.p)}{sided}",
        details={effect.name: float(effect.value), symbol: float(test.statistic)},
    ).beside("ranks")


def contrast_record(
    contrast: stats.Contrast, confidence_level: float, method: str, adjust: str | None = None
) -> TestRecord:
    """Return one contrast as a follow-up, in the unit of the measure."""
    # The correction of Tukey is part of the test, so that its p goes with its interval.
    simultaneous = contrast.adjust == "tukey"
    return TestRecord.of(
        contrast,
        method,
        p=float(contrast.p_adjusted if simultaneous else contrast.p),
        tag=f"{contrast.name}{f' at {contrast.at}' if contrast.at else ''}",
        role="follow-up",
        estimate=quantity("difference", contrast.estimate, contrast.confidence_interval(confidence_level)),
        p_adjusted=float(contrast.p_adjusted),
        correction=adjust,
        text=contrast.apa(confidence_level) if simultaneous else "",
        why={"effect": "a follow-up is printed in the unit of the measure"},
    )


def pair_records(pairs: stats.Pairs, method: str) -> list[TestRecord]:
    """Return every comparison of two as a follow-up."""
    kind = {"χ²": "chi2", "G²": "g2"}.get(pairs.letter, pairs.letter)
    return [
        TestRecord(
            pairs, method, kind, float(pairs.statistic[place]), float(pairs.p[place]),
            () if kind == "z" else (float(pairs.df[place]),), tag=f"{pairs.first[place]} - {pairs.second[place]}",
            role="follow-up", p_adjusted=float(pairs.p_adjusted[place]), correction=pairs.adjust,
        )
        for place in range(len(pairs.first))
    ]  # fmt: skip


def long(whole: pd.DataFrame, factor: str, levels: Sequence[str]) -> pd.DataFrame:
    """Return one row a unit and level of a table with a column a level."""
    rows = whole.melt(ignore_index=False, value_name="value", var_name=factor).reset_index()
    return rows.assign(**{factor: pd.Categorical(rows[factor], categories=list(levels))})


def describe_difference(case: TestInput, levels: Sequence[str], difference: float) -> str:
    """Return which way a difference lies, in words."""
    labels = case.asked.labels.get(case.factor, {})
    first, second = (labels.get(level, level) for level in levels)
    if difference == 0:
        return f"{first} and {second} have the same mean"
    way = "more" if difference > 0 else "less"
    return f"{first} has {apa.number(abs(difference), 3)} {way} than {second}"


def say_difference(case: TestInput, record: TestRecord) -> TestRecord:
    """Return a record that says which way the difference of the only factor's two levels lies, if it has one."""
    difference = record.estimate
    if difference is None or difference.name != "difference" or len(case.factors) != 1 or len(case.levels) != 2:
        return record
    return replace(record, says=describe_difference(case, case.levels, difference.value))


def direction_of(model: Any, term: str) -> float:
    """Return which way a term of a model of coded rows lies as it is tested, first minus second; 0 of several columns.

    A term that others contain is taken where its test takes it: at the mean of numbers, averaged over other factors.
    """
    if len(model.design.coding.columns_of(model.design.place(term))) > 1:
        return 0.0
    n_factors = sum(name.startswith("f") for name in term.split(":"))  # each is the second level less the first
    return float((-1.0) ** n_factors * np.sign(float(model.effect(term).estimate)))
