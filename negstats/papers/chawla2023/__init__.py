"""chawla2023: Chawla, Wu, Rong, Lucas and Gratch, Be Selfish, But Wisely (EMNLP 2023), from its printed tables.

583 people bargained with one of six agents (two rewards × three training partners). Table 3 prints mean and SE of each
cell with and without walk-aways, which score 0, and the share of walk-aways. From these follow the counts, the analyses
of variance, the log-linear models, and each half of Table 3 from the other.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from functools import cache, partial

import numpy as np
import numpy.typing as npt

from negstats.errors import NotEstimable
from negstats.papers import neighbours
from negstats.papers.chawla2023 import deals
from negstats.papers.ledger import Row, printed_cells, results
from negstats.papers.recipes import (
    Hooks,
    build_contradiction,
    build_finding,
    counts_for,
    describe_checks,
    df_check,
    grid_check,
    p_check,
    p_text,
    printed,
    recompute_rows,
    select_rows,
)
from negstats.papers.verdict import Check, Finding, extremes
from negstats.stats.contrasts.margins import margins
from negstats.stats.counts.chi_squared import chi_squared
from negstats.stats.loglinear import loglinear
from negstats.stats.means.anova import anova
from negstats.stats.summaries import Cells, Counts

FloatArray = npt.NDArray[np.float64]

PAPER = "chawla2023"
REWARDS = ("fair", "selfish")
PARTNERS = ("supervised", "fair", "selfish")
DESIGN = {"reward": REWARDS, "partner": PARTNERS}
CELLS = len(REWARDS) * len(PARTNERS)
WITH, WITHOUT = "with walk-aways", "without walk-aways"


def findings() -> list[Finding]:
    """Return the finding of every printed number of the paper."""
    return recompute_rows(PAPER, HOOKS)


@cache
def walk_aways() -> Counts:
    """Return the counts behind the printed percentages: reward × partner × walked away.

    Raises
    ------
    NotEstimable
        If a percentage fits no count or several.

    Examples
    --------
    >>> walk_aways().n[..., 0].tolist()
    [[5.0, 6.0, 5.0], [19.0, 22.0, 10.0]]
    """
    table = []
    for row in _cells("walk-aways"):
        size = _size(row)
        fitting = counts_for(printed(row, "percent"), size)
        if len(fitting) != 1:
            raise NotEstimable(f"{row.id}: {row.printed} fits the counts {fitting}; one is needed")
        table.append([fitting[0], size - fitting[0]])
    n = np.reshape(table, (len(REWARDS), len(PARTNERS), 2))
    return Counts.from_table(n, {**DESIGN, "walked away": ("yes", "no")})


@cache
def points(measure: str, condition: str) -> Cells:
    """Return a half of Table 3 as cells: ``points("human points", "with walk-aways")``.

    Examples
    --------
    >>> points("human points", "without walk-aways").n.tolist()
    [[92.0, 94.0, 92.0], [77.0, 68.0, 93.0]]
    """
    rows = _cells(measure, condition)
    means, ses = ([printed(row, name).value for row in rows] for name in ("mean", "se"))
    shape = (len(REWARDS), len(PARTNERS))
    n = walk_aways().n.sum(axis=-1) if condition == WITH else walk_aways().n[..., 1]
    return Cells.from_table(
        n=n, mean=np.reshape(means, shape), se=np.reshape(ses, shape), factors=DESIGN, outcome=measure
    )


@cache
def _cells(measure: str, condition: str = "") -> tuple[Row, ...]:
    """Return a measure's six rows in the design's order."""
    rows = select_rows(printed_cells(PAPER), of=measure, condition=condition)
    rows = [row for row in rows if row.factor_b]
    return tuple(sorted(rows, key=lambda row: (REWARDS.index(row.factor_a), PARTNERS.index(row.factor_b))))


def _size(row: Row) -> int:
    if row.n is not None:
        return int(row.n.value)
    [walked] = select_rows(_cells("walk-aways"), factor_a=row.factor_a, factor_b=row.factor_b)
    counts = walk_aways()
    place = (REWARDS.index(walked.factor_a), PARTNERS.index(walked.factor_b))
    return int(counts.n[place][1])


def _range(
    measure: str, condition: str, statistic: Callable[[Cells], FloatArray], *, monotone: bool = False
) -> tuple[float, float, float]:
    """Return a statistic of the printed cells, and its extremes over the rounding of all means and SEs."""
    cells, rows = points(measure, condition), _cells(measure, condition)
    numbers = [printed(row, name) for name in ("mean", "se") for row in rows]

    def compute_at(x: FloatArray) -> FloatArray:
        mean, se = (half.reshape(-1, *cells.shape) for half in np.split(x, 2, axis=1))
        n = np.broadcast_to(cells.n, mean.shape)
        return np.asarray(statistic(dataclasses.replace(cells, n=n, offset=mean, variance=se**2 * n)))

    low, high = extremes(compute_at, [x.low for x in numbers], [x.high for x in numbers], monotone=monotone)
    return float(statistic(cells)), low, high


def _f(cells: Cells, place: int, kind: int) -> FloatArray:
    return np.asarray(anova(cells, type=kind).statistic[..., place])


def _p(cells: Cells, place: int) -> FloatArray:
    return np.asarray(anova(cells).p[..., place])


TERMS = ("reward", "partner", "reward:partner")


def _anova(measure: str, term: str, condition: str, claim: Row) -> Finding:
    """Recompute an F of the 2 × 3 analysis of variance from Table 3, type III; if it differs, try types I and II."""
    value, place = printed(claim, "value"), TERMS.index(term)
    check = Check("F", value, *_range(measure, condition, partial(_f, place=place, kind=3)))
    checks = [check, p_check(claim), *df_check(claim, CELLS)]
    why = describe_checks(checks, f"type III from the cells of Table 3 ({condition})")
    if not check.holds:
        other = {kind: float(_f(points(measure, condition), place, kind)) for kind in (1, 2)}
        why += "; " + ("; ".join(neighbours.anova_types(other, value)) or "neither type I nor type II gives it")
    return build_finding(claim, checks, why)


def _no_effects(measure: str, condition: str, claim: Row) -> Finding:
    """Recompute the p of all three terms, which were printed as not significant."""
    ranges = [_range(measure, condition, partial(_p, place=place)) for place in range(len(TERMS))]
    checks = [Check(f"p of {term}", printed(claim, "p"), *span) for term, span in zip(TERMS, ranges, strict=True)]
    checks.sort(key=lambda check: check.value)
    return build_finding(claim, checks, describe_checks(checks, f"type III from the cells of Table 3 ({condition})"))


def _partner_alone(reward: str, claim: Row) -> Finding:
    """Test the walk-aways of one reward's agents against the training partner."""
    test = chi_squared(walk_aways().n[REWARDS.index(reward)])
    checks = []
    if claim.value is not None:
        checks += [Check.exact("χ²(2)", claim.value, float(test.statistic), "summaries"), p_check(claim)]
    elif claim.p is not None:
        checks += [Check.exact("p", claim.p, float(test.p), "summaries")]
    return build_finding(claim, checks, f"the counts behind the percentages of Table 3 give {test.apa()}")


def _three_way(claim: Row) -> Finding:
    """Recompute the three-way term of the walk-aways; if it differs, name the model that has the printed G²."""
    value = printed(claim, "value")
    table = walk_aways()
    # All two-way terms and nothing more: what this model misses is the three-way term.
    fit = loglinear(table, 2)
    name = f"G²({float(fit.df):g})"
    check = Check.exact(name, value, float(fit.statistic), "summaries")
    why = f"the reward × partner term of the walk-aways is {name} = {check.value:.2f}, {p_text(float(fit.p))}"
    if not check.holds:
        fits = neighbours.loglinear_models(table, value)
        why += f"; {value} is {' or '.join(fits) or 'the deviance of no hierarchical model of the table'}"
        if fits:  # the number is right, and is that of something else than the paper says
            check = dataclasses.replace(check, source="description")
    return build_finding(claim, [check], why)


def _check_p_alone(claim: Row) -> Finding:
    """Check p and df where the cell means were not printed."""
    checks = [p_check(claim), *df_check(claim, CELLS)]
    why = describe_checks(checks, "only p and df can be checked, cell means are not printed")
    sizes = [other.df2 for other in results(PAPER) if other.df2 and other.test == claim.test]
    usual = max(set(sizes), key=sizes.count)
    if claim.df2 is not None and claim.df2 != usual:
        why += f"; its error df is {claim.df2}, {usual - claim.df2} fewer than the {usual} of most others"
    return build_finding(claim, checks, why)


def _grid(row: Row) -> Finding:
    """Hold the mean of whole numbers against the size of its cell."""
    checks = grid_check("M", printed(row, "mean"), _size(row))
    if not checks:
        return build_finding(row, [], "needs the dialogues: so many values can have any mean of two decimals")
    return build_finding(row, checks, describe_checks(checks, f"nearest mean of {_size(row)} whole numbers (GRIM)"))


def _percentage(row: Row) -> Finding:
    size, percent = _size(row), printed(row, "percent")
    fits = counts_for(percent, size)
    nearest = round(percent.value * size / 100)
    check = Check.exact("%", percent, 100 * nearest / size, "summaries")
    sentence = f"{_or(fits)} of {size} is the only count that is printed so"
    return build_finding(
        row, [check], sentence if len(fits) == 1 else f"the counts {_or(fits)} of {size} are printed so"
    )


def _or(counts: list[int]) -> str:
    return " or ".join(map(str, counts)) or "none"


def _cell(row: Row) -> Finding:
    """Recompute a cell of one half of Table 3 from the other half and the walk-aways, which score 0."""
    mean, se = printed(row, "mean"), printed(row, "se")
    other = WITHOUT if row.condition == WITH else WITH
    [source] = select_rows(_cells(row.of, other), factor_a=row.factor_a, factor_b=row.factor_b)
    numbers = printed(source, "mean"), printed(source, "se")
    sizes = _size(source), _size(row)
    as_printed = np.array([[number.value for number in numbers]])
    box = [number.low for number in numbers], [number.high for number in numbers]
    parts = (("M", mean, partial(_carried_mean, sizes=sizes)), ("SE", se, partial(_carried_se, sizes=sizes)))
    checks = [
        Check(name, like, float(part(as_printed)[0]), *extremes(part, *box, monotone=True))
        for name, like, part in parts
    ]
    checks += grid_check("M on the grid of whole points", mean, sizes[1])
    if row.of == "joint points":
        checks.append(_sum(row))
    return build_finding(row, checks, describe_checks(checks, f"from the cell {other}, where walk-aways score 0"))


def _carried_mean(x: FloatArray, sizes: tuple[int, int]) -> FloatArray:
    """Carry means and SEs, the columns of `x`, from a cell of one size to one with more or fewer zeros: the mean."""
    size, new_size = sizes
    return np.asarray(x[:, 0] * size / new_size)


def _carried_se(x: FloatArray, sizes: tuple[int, int]) -> FloatArray:
    """Do the same for the SE: zeros leave the sum of squares as it is."""
    size, new_size = sizes
    squares = x[:, 1] ** 2 * size * (size - 1) + size * x[:, 0] ** 2
    variance = np.maximum(squares - new_size * _carried_mean(x, sizes) ** 2, 0.0) / (new_size - 1)
    return np.asarray(np.sqrt(variance / new_size))


def _sum(row: Row) -> Check:
    """Recompute a joint mean as the sum of the human's and the agent's."""
    parts = [
        printed(part, "mean")
        for measure in ("human points", "agent points")
        for part in select_rows(_cells(measure, row.condition), factor_a=row.factor_a, factor_b=row.factor_b)
    ]
    value, low, high = (sum(getattr(part, end) for part in parts) for end in ("value", "low", "high"))
    return Check("M as human + agent", printed(row, "mean"), value, low, high)


def _margin(row: Row) -> Finding:
    """Recompute a marginal mean over the training partners, and its SE from the pooled error."""
    place = REWARDS.index(row.factor_a)
    parts = (
        ("M", printed(row, "mean"), lambda cells: margins(cells, specs="reward").mean[..., place]),
        ("SE", printed(row, "se"), lambda cells: margins(cells, specs="reward").se[..., place]),
    )
    checks = [Check(name, like, *_range(row.of, row.condition, part, monotone=True)) for name, like, part in parts]
    return build_finding(
        row, checks, describe_checks(checks, "unweighted mean of the three cells of Table 3, SE from the pooled error")
    )


def _interaction(row: Row) -> Finding:
    """Say which G² the interaction has that another number is printed as."""
    fit = loglinear(walk_aways(), 2)
    why = f"the interaction of the printed walk-aways has G²({float(fit.df):g}) = {float(fit.statistic):.2f}"
    return build_contradiction(row, float(fit.statistic), f"{why}; 31.1 is the deviance of mutual independence")


HOOKS: Hooks = {
    "anova": _anova,
    "no effects": _no_effects,
    "partner alone": _partner_alone,
    "three-way": _three_way,
    "p alone": _check_p_alone,
    "percentage": _percentage,
    "cell": _cell,
    "margin": _margin,
    "grid": _grid,
    "interaction": _interaction,
    **deals.HOOKS,
}
