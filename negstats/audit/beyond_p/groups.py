"""Two printed means with their SDs against the t of the same sentence.

A t of two groups depends on how people were split, one of differences on how the measures correlate, and one of a
contrast on other groups; so t is held against every split, every correlation and, where the paragraph has more groups,
against smaller groups. What is left fits no design.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.audit.beyond_p.judgement import Range, Said, first_of
from negstats.audit.beyond_p.slips import edit_numbers, name_slips
from negstats.audit.find_results import Reported
from negstats.audit.recomputing import agrees, range_of
from negstats.audit.statistic_patterns import WORDS as OF_TESTS
from negstats.audit.statistic_patterns import head_at
from negstats.audit.words import words_of
from negstats.printed_numbers import Printed, magnitude, printed

FloatArray: TypeAlias = npt.NDArray[np.float64]
WORDS = words_of("groups")
MOST = 3000  # people among whom splits are looked at
GROUPS = 8  # of a contrast
LIKELY = (-0.5, 0.95)  # correlations, where SDs would have to be standard errors
LIKELY_SLIP = 1.2  # cost of a slip that is looked for: a split and a correlation make much fit
WIDE = 0.03  # share by which a t may be off before it is said to be: means are of all, tests of those without gaps


def of_means(result: Reported) -> Iterator[Said]:
    """Judge a t beside two means with their SDs or SEs.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import document
    >>> text = "They gave more (M = 403.33, SD = 48) than others (M = 293.77, SD = 20), t(49) = 4.12, p < .001."
    >>> [(grade, why) for result in find(document(text)) for grade, _, why in of_means(result)]  # doctest: +ELLIPSIS
    [('differs', 'M = 403.33 and 293.77 ... correspond to t = 10.4 to ... no split of them gives t = 4.12; ...')]
    """
    if result.kind != "t" or result.relation != "=" or len(result.df) != 1 or result.df[0].decimals > 0:
        return
    cells = list(WORDS.mean.finditer(result.sentence))
    if len(cells) != 2 or WORDS.no_plain_means.search(result.sentence) or not _is_only_test(result):
        return
    df = int(float(result.df[0]))
    if not 2 <= df <= MOST:
        return
    means, spreads = ([printed(cell[name]) for cell in cells] for name in ("mean", "spread"))
    if any(spread.value <= 0 for spread in spreads):
        return
    spread_kind = "se" if cells[0]["of"] != "SD" else "sd"
    yield _judged(result, df, means, spreads, spread_kind)


def _is_only_test(result: Reported) -> bool:
    """Return whether the sentence has one statistic with df."""
    heads = (head_at(result.sentence, match) for match in OF_TESTS.head.finditer(result.sentence))
    return sum(head is not None and bool(head.df) for head in heads) == 1


def _judged(result: Reported, df: int, means: list[Printed], spreads: list[Printed], spread_kind: str) -> Said:
    other_kind, name = ("se", "SD") if spread_kind == "sd" else ("sd", "SE")
    claim = f"M = {means[0]} and {means[1]} with {name} = {spreads[0]} and {spreads[1]}"
    printed_t = _widen(result.statistic)
    t_of_splits = _compute_t_of_groups(df + 2, means, spreads, spread_kind)
    # The middle split has groups of equal size.
    smallest_t, largest_t = t_of_splits[len(t_of_splits) // 2]
    t_of_people = np.array([_compute_t_of_differences(df + 1, means, spreads, spread_kind)])
    # Read as the other kind of spread, only splits that are not lopsided count.
    third = (df + 2) // 3
    t_of_other_kind = _compute_t_of_groups(df + 2, means, spreads, other_kind)[third : df - 1 - third]
    t_of_other_within = np.array([_compute_t_of_differences(df + 1, means, spreads, other_kind, LIKELY)])
    could_be_contrast = printed_t[1] >= smallest_t * math.sqrt(2 / GROUPS) and printed_t[0] <= largest_t
    is_contrast = could_be_contrast and WORDS.more_groups.search(result.paragraph)

    def name_slip() -> str:
        numbers = {"t =": result.statistic, "df": result.df[0]}
        for position, mean, spread in zip(("first", "second"), means, spreads, strict=True):
            numbers |= {f"the {position} M =": mean, f"the {position} {name} =": spread}
        slips = edit_numbers(numbers, partial(_fits, result, spread_kind), LIKELY_SLIP)
        return f"; {name_slips(slips) or 'another mean, SD, t or df must be meant'}"

    if _meets(t_of_splits, printed_t):
        return "fits", "means and t", f"{claim} can give t({df}) = {result.statistic} in two groups"
    t_range = f"t = {smallest_t:.3g} to {largest_t:.3g}"
    likely = f"{claim} correspond to {t_range} in two groups of equal size, {df + 2} people together"
    errors = "standard errors" if spread_kind == "sd" else "SDs"
    return first_of(
        "means and t",
        f"{likely}, and no split of them gives t = {result.statistic}",
        (_meets(t_of_people, printed_t), "fits only if", f"the same {df + 1} people were measured twice"),
        (
            _meets(t_of_other_kind, printed_t) or _meets(t_of_other_within, printed_t),
            "fits only if",
            f"the {name}s are {errors}",
        ),
        (is_contrast, "fits only if", "t is a contrast of two of several groups"),
        (True, "differs", name_slip),
    )


def _fits(result: Reported, spread_kind: str, numbers: Mapping[str, Printed]) -> bool:
    """Return whether two means with their spreads give a t in two groups, and t and its df the printed p."""
    t, df, *cells = numbers.values()
    means, spreads = cells[::2], cells[1::2]
    if df.decimals > 0 or not 2 <= float(df) <= MOST or any(spread.value <= 0 for spread in spreads):
        return False
    p_fits = agrees(result, range_of("t", (df,), "=", t))
    return p_fits and _meets(_compute_t_of_groups(int(float(df)) + 2, means, spreads, spread_kind), _widen(t))


def _widen(t: Printed) -> Range:
    """Return between which sizes a t must lie to be the printed one."""
    low, high = magnitude(t)
    return low * (1 - WIDE), high * (1 + WIDE)


def _meets(ranges: FloatArray, size: Range) -> bool:
    return bool(((ranges[:, 0] <= size[1]) & (ranges[:, 1] >= size[0])).any())


def _compute_t_of_groups(n: int, means: list[Printed], spreads: list[Printed], spread_kind: str) -> FloatArray:
    """Return the least and the greatest size of t for each split of n people, in the order of the first group's size.

    As `negstats.audit.group_sizes`, for two groups and Student's t alone.
    """
    first_sizes = np.arange(2, n - 1, dtype=np.float64)
    sizes = np.stack([first_sizes, n - first_sizes])
    scale = sizes if spread_kind == "se" else np.ones_like(sizes)
    share = (1 / sizes).sum(axis=0) / (n - 2)
    spread_bounds = np.array([[max(spread.low, 1e-300), spread.high] for spread in spreads])
    smallest_se, largest_se = (
        np.sqrt(((sizes - 1) * scale * spread_bounds[:, [bound]] ** 2).sum(axis=0) * share) for bound in (0, 1)
    )
    smallest_difference, largest_difference = _difference(means)
    return np.stack([smallest_difference / largest_se, largest_difference / smallest_se], axis=1)


def _difference(means: list[Printed]) -> Range:
    """Return the least and the greatest size of a difference of two printed means."""
    low, high = means[0].low - means[1].high, means[0].high - means[1].low
    return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))


def _compute_t_of_differences(
    n: int, means: list[Printed], spreads: list[Printed], spread_kind: str, correlations: Range = (-1.0, 1.0)
) -> Range:
    """Return the sizes of t over a range of correlations of two measures of n people."""
    scale = 1.0 if spread_kind == "se" else 1 / math.sqrt(n)
    smallest_gap, largest_gap = _difference(means)
    largest_sd = _sd(spreads[0].high, spreads[1].high, correlations[0]) * scale
    least_difference = max(spreads[0].low - spreads[1].high, spreads[1].low - spreads[0].high, 0.0)
    smallest_sd = least_difference if correlations[1] == 1 else _sd(spreads[0].low, spreads[1].low, correlations[1])
    return smallest_gap / largest_sd, largest_gap / (smallest_sd * scale) if smallest_sd > 0 else math.inf


def _sd(first: float, second: float, correlation: float) -> float:
    """Return the SD of the difference of two measures."""
    return math.sqrt(max(first**2 + second**2 - 2 * correlation * first * second, 0.0))
