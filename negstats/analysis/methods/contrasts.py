"""Tests of what a plan names: weighted sums of means (row 5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from negstats import stats
from negstats.analysis.effect_sizes import quantity
from negstats.analysis.methods.inputs import TestInput
from negstats.analysis.methods.records import TestRecord, f_test, t_test_of
from negstats.errors import DesignError
from negstats.stats.results import apa
from negstats.stats.results.options import t_tails


def contrasts(case: TestInput) -> list[TestRecord]:
    """Test what the plan names: weighted sums of means, at each level of the other factors (row 5)."""
    planned_contrasts = case.question.contrasts
    of = _find_weighed_factor(case)
    if case.design.within:
        return [_build_within_contrast(case, contrast.name, contrast.weights) for contrast in planned_contrasts]
    others = [name for name in case.factors if name != of]
    records = []
    weights = {planned_contrast.name: dict(planned_contrast.weights) for planned_contrast in planned_contrasts}
    cells = case.cells()
    contrast_results = stats.contrasts(cells, weights=weights, specs=of, at=others or None, error="welch")
    for contrast_result in contrast_results:
        at = contrast_result.at.replace(" = ", " ") if contrast_result.at else ""
        records.append(
            _contrast_answer(
                case,
                contrast_result,
                f"{contrast_result.name} at {at}" if at else contrast_result.name,
                float(cells.n.sum()),
            )
        )
    return records


def welch_of_groups(case: TestInput, _records: list[TestRecord]) -> TestRecord:
    """Return Welch's F of the groups of one factor between units."""
    test = stats.one_way(case.cells(), method="welch")
    return f_test(case, test, "welch_anova", partial=False).beside("welch")


def _find_weighed_factor(case: TestInput) -> str:
    """Return the factor whose levels the contrasts weigh."""
    weighed_levels = {level for contrast in case.question.contrasts for level in contrast.weights}
    for name, levels in case.design.levels.items():
        if weighed_levels <= set(levels):
            return name
    missing = sorted(weighed_levels - {level for levels in case.design.levels.values() for level in levels})
    raise DesignError(
        f"contrasts weigh {', '.join(missing or sorted(weighed_levels))}, which are not levels of a single factor"
    )


def _contrast_answer(case: TestInput, contrast: stats.Contrast, term: str, n: float) -> TestRecord:
    return TestRecord.of(
        contrast,
        "contrast",
        p=float(t_tails(contrast.statistic, contrast.df, case.alternative)),
        n=(n,),
        term=term,
        alternative=case.alternative,
        estimate=quantity("difference", contrast.estimate, contrast.confidence_interval(case.level)),
        why={"effect": "weights of several levels have no single standard deviation"},
        says=f"{contrast.name} is {apa.number(float(contrast.estimate), 3)}"
        f"{f' at {contrast.at}' if contrast.at else ''}",
    )


def _build_within_contrast(case: TestInput, name: str, weights: Any) -> TestRecord:
    score = case.moments().contrast([weights.get(level, 0.0) for level in case.levels])
    two = stats.one_sample_t(score)
    test = stats.one_sample_t(score, alternative=case.alternative)
    record = t_test_of(case, test, two, "one_sample", effect="d", estimate="difference")
    return replace(
        record, method="contrast", term=name, effect=replace(record.effect, name="d_z") if record.effect else None
    )
