"""The slip behind printed numbers that do not fit: the smallest single edit under which all numbers of a test agree.

A test prints a statistic, its df, p, and perhaps an effect size. Each of the last two follows from the first ones, and
so do those of all tests of the paper with the same df. An edit changes one printed number (two digits exchanged, a
point moved) or its reading (the df before a correction, t printed as F). The engine

1. writes down what must agree (`relations_of`),
2. makes every edit of tables (`digits.COSTS`, `STEPS`, `LETTERS`), each with a cost: the rarer the slip, the higher,
3. keeps those that mend what does not agree and leave what does,
4. and ranks them by cost, less where an edit mends several numbers or other tests of the paper with it.

`edit_numbers` does the same for numbers that no single test binds together: two means, their SDs and a t; b and its SE.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from negstats.audit.beyond_p.digits import MOST_COST, edit_digits
from negstats.audit.beyond_p.judgement import WORDS as BESIDE
from negstats.audit.beyond_p.judgement import Around, Range, around_of, number_in, one_df, reach
from negstats.audit.distributions import NAMES, P_OF, size_of
from negstats.audit.find_results import Reported
from negstats.audit.readings import spherical, test_text
from negstats.audit.recomputing import agrees, agrees_with, range_of
from negstats.printed_numbers import Printed, magnitude, printed

SHOWN = 2  # slips that are named
WOULD = " would give it"
MUCH = 0.65  # what the next slip costs more where the first is named alone
LEVEL = 0.05
SLACK = 1e-9  # relative; of the special functions
NARROW = 1.25  # how far the p of an interval may be from each other over its rounding
LEAST_DECIMALS = 3  # of a p that an interval may have by more than chance
BOUNDS = (".1", ".05", ".01", ".005", ".001", ".0005", ".0001", ".00001")
SMALLEST = (".001", ".0001", ".00001")  # what programs and authors print for a p below it
TURNED = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}
MENDED, BROKEN, OF_OTHERS = 0.8, 2.0, 0.5  # what a cost falls or grows by, for each further number and test
MOST_OTHERS = 50  # tests with the same df that are asked
MOST_LEVELS = 40  # of a factor whose df are printed with a correction
STEPS = ((-1, 1.2), (1, 1.2), (-2, 1.3), (2, 1.3), (-3, 1.9), (3, 1.9))  # df beside the printed ones


@dataclass(frozen=True, slots=True)
class Slip:
    """An edit that makes the numbers of a test agree.

    Attributes
    ----------
    part : str
        What is edited: "p", "p =", "df", "t =", "η² =", or "value" for a statistic with another letter.
    meant : str
        What would have been meant.
    how : str
        The slip, in words: "with two digits exchanged".
    cost : float
        The smaller, the likelier.
    """

    part: str
    meant: str
    how: str
    cost: float

    def __str__(self) -> str:
        meant = {"value": self.meant, "": ""}.get(self.part, f"{self.part} {self.meant}")
        words = " ".join(filter(None, (meant, self.how)))
        return f"{words} would be right" if self.part.startswith("p ") else f"{words}{WOULD if self.part else ''}"


class Candidate(NamedTuple):
    """A test as it may have been meant, from which its p and the numbers beside it follow, and the slip behind it."""

    kind: str
    df: tuple[float, ...]
    sizes: Range  # of the statistic: the least and the greatest
    cost: float = 0.0
    part: str = ""
    meant: str = ""  # empty for df, which are written where they are named
    how: str = ""


class Relation(NamedTuple):
    """A number beside a test: its symbol, the number, the sizes that it is printed for, and what it must be."""

    symbol: str
    number: Printed
    sizes: Range
    follow: Callable[[Candidate], Range]

    def fits(self, test: Candidate) -> bool:
        """Return whether the number follows from a test."""
        low, high = self.follow(test)
        return low <= self.sizes[1] and high >= self.sizes[0]


class Peer:
    """Another test with the same df: between which ends its p must reach, what follows from it, and how much fits."""

    def __init__(self, result: Reported) -> None:
        self._test, self._window, self._relations = as_printed(result), _window(result), relations_of(result)
        self._fitting = self._count(self._test.df)

    def _count(self, df: tuple[float, ...]) -> int:
        """Return how many numbers of the test fit with these df."""
        test = self._test._replace(df=df)
        return int(_fits(test, self._window)) + sum(relation.fits(test) for relation in self._relations)

    def gain(self, df: tuple[float, ...]) -> int:
        """Return how many more numbers of the test fit with other df."""
        return self._count(df) - self._fitting


class PaperTests:
    """The tests of a paper by their letter and df: each speaks for the df that it shares with others."""

    def __init__(self, results: Iterable[Reported] = ()) -> None:
        self._tests: defaultdict[tuple[str, int], defaultdict[tuple[float, ...], list[Reported]]]
        self._tests = defaultdict(lambda: defaultdict(list))
        for result in results:
            self._tests[result.kind, len(result.df)][tuple(map(float, result.df))].append(result)

    def alike(self, result: Reported) -> Mapping[tuple[float, ...], Sequence[Reported]]:
        """Return the tests with the letter of a result and as many df, by their df."""
        return self._tests.get((result.kind, len(result.df)), {})

    def peers(self, result: Reported) -> list[Peer]:
        """Return the tests that have the letter and the df of a result, and another statistic."""
        others = self.alike(result).get(tuple(map(float, result.df)), ())[:MOST_OTHERS]
        return [
            Peer(other) for other in others if other.value is not None and float(other.value) != float(result.statistic)
        ]


def edit_numbers(
    numbers: Mapping[str, Printed], fits: Callable[[Mapping[str, Printed]], bool], most_cost: float = MOST_COST
) -> list[Slip]:
    """Return the slips in the digits of one of several numbers under which all of them fit, the smallest first.

    A digit that may be many is not evidence of the slip, and is not named; where much fits, only cheap slips are tried.

    Examples
    --------
    >>> halves = {"M =": printed("5.2"), "n =": printed("26")}
    >>> print(name_slips(edit_numbers(halves, lambda numbers: float(numbers["M ="]) == 2 * float(numbers["n ="]))))
    n = 2.6 with its point lost would give it
    """
    return _select_telling(
        Slip(name, _plain(edit.text), edit.how, edit.cost)
        for name, number in numbers.items()
        for edit in edit_digits(number, most_cost=most_cost)
        if fits({**numbers, name: printed(edit.text)})
    )


def _select_telling(slips: Iterable[Slip]) -> list[Slip]:
    """Return the slips of which few of a kind would do, the smallest first."""
    all_slips = list(slips)
    alternatives = Counter((slip.part, slip.how) for slip in all_slips)
    return _merge(slip for slip in all_slips if alternatives[slip.part, slip.how] <= SHOWN)


# What follows from a test: the least and the greatest value of each number beside it.
def partial_eta(test: Candidate) -> Range:
    """Return partial η² of an F, F df1 / (F df1 + df2), whatever the design (Cohen, 1973)."""
    low, high = (size * test.df[0] / (size * test.df[0] + test.df[1]) for size in test.sizes)
    return low, high


def size_of_t(test: Candidate) -> Range:
    """Return the sizes of a t or z, or of the one that is the root of an F or χ² of one df."""
    return test.sizes if test.kind in ("t", "z") else (math.sqrt(test.sizes[0]), math.sqrt(test.sizes[1]))


def effect_r(test: Candidate) -> Range:
    """Return r of a t, √(t² / (t² + df))."""
    low, high = (t / math.sqrt(t * t + test.df[-1]) for t in size_of_t(test))
    return low, high


def d_of_groups(test: Candidate) -> Range:
    """Return d of two equal groups."""
    low, high = (2 * t / math.sqrt(test.df[-1] + 2) for t in size_of_t(test))
    return low, high


def d_of_people(test: Candidate) -> Range:
    """Return d of one sample, or of differences."""
    low, high = (t / math.sqrt(test.df[-1] + 1) for t in size_of_t(test))
    return low, high


def as_printed(result: Reported) -> Candidate:
    """Return a test as it is printed."""
    return Candidate(result.kind, tuple(map(float, result.df)), _reach(result.relation, *magnitude(result.statistic)))


def _reach(relation: str, low: Any, high: Any) -> tuple[Any, Any]:
    """Return between which sizes a statistic lies that is printed with a relation; of numbers or arrays."""
    return (0.0, high) if relation in ("<", "≤") else (low, math.inf) if relation in (">", "≥") else (low, high)


def relations_of(result: Reported, around: Around | None = None) -> list[Relation]:
    """Return which numbers beside a statistic follow from it and its df: partial η², r, and the d of its design."""
    if result.relation != "=" or result.value is None:
        return []
    of_one = (result.kind == "t" and len(result.df) == 1) or one_df(result)
    rows = (
        ("eta", "η² =", partial_eta, result.kind == "f" and len(result.df) == 2),
        ("r", "r =", effect_r, of_one),
        *((name, f"{name} =", follow, of_one) for name in ("d", "g") for follow in (d_of_groups, d_of_people)),
    )
    values = (around or around_of(result)).values
    relations = [
        Relation(symbol, values[name], reach(values[name]), follow)
        for name, symbol, follow, applies in rows
        if applies and name in values
    ]
    # Which design d is of is not known: it is held against the one that it fits.
    return [
        relation for relation in relations if relation.symbol not in ("d =", "g =") or relation.fits(as_printed(result))
    ]


def _window(result: Reported) -> Range:
    """Return between which ends a recomputed p must reach to be the printed one."""
    if result.p is None:
        return (LEVEL if result.p_relation else -math.inf), math.inf
    if result.p_relation == "=":
        return result.p.low * (1 - SLACK), result.p.high * (1 + SLACK)
    at = float(result.p)
    return (-math.inf, at * (1 - SLACK)) if result.p_relation in ("<", "≤") else (at * (1 + SLACK), math.inf)


@np.errstate(all="ignore")
def find_slips(result: Reported, tests: PaperTests | None = None, around: Around | None = None) -> list[Slip]:
    """Return the single edits that make the numbers of a test agree, the smallest first.

    Parameters
    ----------
    result
        A test with a statistic and df.
    tests
        The tests of its paper.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import document
    >>> for text in ("t(28) = 2.20, p = .063", "t(82) = 2.20, p = .036", "F(2.26, 106.59) = 1.81, p = .064"):
    ...     print(find_slips(*find(document(text)))[0])
    p = .036 with two digits exchanged would be right
    df 28 with two digits exchanged would give it
    df 9 and 424, before their correction, would give it
    """
    if result.kind not in P_OF or len(result.df) < P_OF[result.kind][0] or not all(float(df) > 0 for df in result.df):
        return []
    test, relations, window = as_printed(result), relations_of(result, around), _window(result)
    not_fitting = [relation for relation in relations if not relation.fits(test)]
    p = range_of(result.kind, result.df, result.relation, result.statistic)
    p_does_not_fit = not agrees(result, p)
    # First the number that alone does not follow from the rest is edited,
    slips = list(_edit_p(result, p)) if p_does_not_fit and not not_fitting else []
    if len(not_fitting) == 1 and not p_does_not_fit:
        symbol, number, _, follow = not_fitting[0]
        edits = edit_digits(number, follow(test))
        slips += _select_telling(Slip(symbol, _plain(edit.text), edit.how, edit.cost) for edit in edits)
    # then the statistic and its df, from which all others follow.
    tests = tests or PaperTests()
    peers = tests.peers(result)
    costs = sorted(slip.cost for slip in slips)
    # What is less likely than what will be named need not be tried.
    most_cost = min([MOST_COST, *(cost + MUCH for cost in costs[:1]), *costs[SHOWN - 1 : SHOWN]])
    most_cost += MENDED * (len(not_fitting) + p_does_not_fit - 1)
    for candidate in (
        *_edit_value(result, test, window, most_cost),
        # other tests speak for their common df alone
        *_edit_df(result, test, tests.alike(result), window, most_cost + 3 * OF_OTHERS * bool(peers)),
    ):
        # The effect sizes of an F are none of a t that it is read as.
        still_wrong = sum(
            not relation.fits(candidate)
            for relation in relations
            if relation.follow is not partial_eta or candidate.kind == "f"
        )
        n_mended = len(not_fitting) + p_does_not_fit - still_wrong
        if n_mended > 0 and still_wrong <= len(not_fitting):
            cost = (
                candidate.cost - MENDED * (n_mended - 1) + BROKEN * still_wrong - _weigh_peers(test, candidate, peers)
            )
            meant_text = candidate.meant or ("" if candidate.part != "df" else _df_text(candidate.df, test.df))
            slips.append(Slip(candidate.part, meant_text, candidate.how, cost))
    return _merge(slips)


def _weigh_peers(old: Candidate, new: Candidate, peers: Sequence[Peer]) -> float:
    """Return how much other tests with the same df speak for an edit: for each that it mends, less those it breaks."""
    if new.df == old.df or new.kind != old.kind:
        return 0.0
    gains = [peer.gain(new.df) for peer in peers]
    weight = OF_OTHERS * sum((gain > 0) - (gain < 0) for gain in gains)
    return max(min(weight, 3 * OF_OTHERS), -2 * OF_OTHERS)


def _fits(test: Candidate, window: Range, df: Any = None) -> Any:
    """Return whether a test has a p in a window; of columns of other df, of each."""
    p_of, df = P_OF[test.kind][1], test.df if df is None else df
    return (p_of(test.sizes[0], *df) >= window[0]) & (p_of(test.sizes[1], *df) <= window[1])


def _edit_p(result: Reported, p: Range) -> Iterator[Slip]:
    """Yield what p would have to be, by a slip of its own."""
    if result.p is None:
        return
    printed_p, text, turned_relation = float(result.p), _plain(str(result.p)), TURNED.get(result.p_relation, "")
    if result.p_relation == "=":
        unit = 10.0**-result.p.decimals
        share = spherical(result)
        cut_off = any(math.isclose(math.floor(side / unit) * unit, printed_p) for side in p)
        rows = [
            (text in BOUNDS and p[1] < printed_p, Slip("p <", text, "", 0.4 if text in SMALLEST else 1.3)),
            (cut_off, Slip("", "", "it is cut off, not rounded", 0.8)),
            (result.p.agrees(2 * p[0], 2 * p[1]), Slip("", "", "it is twice that p", 1.4)),
            (result.p.agrees(p[0] / 2, p[1] / 2), Slip("", "", "it is half of that p", 1.4)),
            (share, Slip("", "", f"it fits ε = {share:.2f} of a correction for sphericity", 2.4)),
            (result.p.agrees(1 - p[1], 1 - p[0]), Slip("", "", "it is 1 minus that p", 1.8)),
        ]
        yield from _find_interval(result)
        edits = edit_digits(result.p, (p[0] - SLACK, min(p[1] + SLACK, 1.0)))
    else:
        new_bound = next((new_bound for new_bound in reversed(BOUNDS) if p[1] < float(new_bound)), "")
        is_turned = bool(turned_relation) and agrees(replace(result, p_relation=turned_relation), p)
        rows = [
            (is_turned, Slip(f"p {turned_relation}", text, "", 1.0 if printed_p >= LEVEL else 1.7)),
            (result.p_relation == "<" and bool(new_bound), Slip("p <", new_bound, "", 1.1)),
            (bool(turned_relation) and agrees_with(result.p, p), Slip("p =", text, "", 0.9)),
        ]
        edits_of_bounds = edit_digits(result.p, (float(BOUNDS[-1]), float(BOUNDS[0])))
        bounds = [edit for edit in edits_of_bounds if edit.text.removeprefix("0") in BOUNDS]
        edits = tuple(edit for edit in bounds if agrees(replace(result, p=printed(edit.text)), p))
    yield from (slip for holds, slip in rows if holds)
    for edit in edits:
        yield Slip(f"p {result.p_relation}", _plain(edit.text), edit.how, edit.cost + 0.2 * (result.p_relation != "="))


def _plain(text: str) -> str:
    """Return a number without the zero before its point."""
    return text.removeprefix("0") if text.startswith("0.") else text


# Statistics that are read for one another: which, as which, for which df, and the df that it then has.
LETTERS: tuple[tuple[str, str, Callable[[Candidate], bool], Callable[[tuple[float, ...]], tuple[float, ...]]], ...] = (
    ("f", "t", lambda test: test.df[0] == 1, lambda df: df[1:]),
    ("t", "f", lambda test: True, lambda df: (1.0, *df)),  # noqa: ARG005
    ("t", "r", lambda test: test.sizes[1] < 1, lambda df: df),
    ("chi2", "z", lambda test: test.df[0] == 1, lambda df: ()),  # noqa: ARG005
    ("g2", "z", lambda test: test.df[0] == 1, lambda df: ()),  # noqa: ARG005
    ("r", "t", lambda test: True, lambda df: df),  # noqa: ARG005
    ("z", "chi2", lambda test: True, lambda df: (1.0,)),  # noqa: ARG005
)


def _edit_value(result: Reported, test: Candidate, window: Range, most_cost: float) -> Iterator[Candidate]:
    """Yield a test with another statistic whose p is in a window: by a slip of its digits, or another letter."""
    kind, relation = test.kind, result.relation
    # Between these sizes the p of the statistic lies in the window.
    size_bounds = size_of(kind, window[1], test.df), size_of(kind, window[0], test.df)
    for edit in edit_digits(result.statistic, _reach(TURNED.get(relation, relation), *size_bounds), most_cost):
        half_unit = 0.5 * 10.0**-edit.decimals
        sizes = _reach(relation, max(edit.size - half_unit, 0.0), edit.size + half_unit)
        yield Candidate(kind, test.df, sizes, edit.cost, f"{NAMES[kind]} =", edit.text, edit.how)
    candidates = []
    for old_kind, other_kind, holds, df_of in LETTERS:
        if old_kind == kind and holds(test):
            df = df_of(test.df)
            bracket = f"({', '.join(f'{df_value:g}' for df_value in df)})" if df else ""
            words = f"{NAMES[other_kind]}{bracket} = {result.statistic}", f"in place of {NAMES[kind]}"
            candidates.append(Candidate(other_kind, df, test.sizes, 1.2, "value", *words))
    if kind in ("r", "rho") and float(result.statistic) > 0:
        roots = math.sqrt(test.sizes[0]), math.sqrt(test.sizes[1])
        candidates.append(Candidate(kind, test.df, roots, 1.6, "value", f"r² = {result.statistic}", "in place of r"))
    yield from (candidate for candidate in candidates if candidate.cost <= most_cost and _fits(candidate, window))


def _edit_df(
    result: Reported, test: Candidate, df_of_others: Iterable[tuple[float, ...]], window: Range, most_cost: float
) -> Iterator[Candidate]:
    """Yield a test with other df: by a slip of the digits, beside them, of another test, or before a correction."""
    if not test.df:
        return
    is_corrected = any(printed_df.decimals > 0 for printed_df in result.df)
    rows = list(_undo_correction(result) if is_corrected else _other_df(test))
    rows += [(df, 1.3, "", "as other tests have,") for df in df_of_others if df != test.df]
    for position, number in enumerate(result.df):
        # Slips in corrected df, and in df before the last, are taken for rarer ones.
        added_cost = 0.2 * (is_corrected or position < len(result.df) - 1)
        df_before, df_behind = test.df[:position], test.df[position + 1 :]
        edits = [
            edit for edit in edit_digits(number, most_cost=most_cost - added_cost) if is_corrected or not edit.decimals
        ]
        rows += [((*df_before, edit.size, *df_behind), edit.cost + added_cost, "", edit.how) for edit in edits]
    rows = [row for row in rows if row[1] <= most_cost and min(row[0]) > 0]
    fits = _fits(test, window, np.array([row[0] for row in rows]).T) if rows else ()
    for df, cost, meant, how in itertools.compress(rows, fits):
        yield Candidate(test.kind, df, test.sizes, cost, "df", meant, how)


def _df_text(new_df: Sequence[float], old_df: Sequence[float]) -> str:
    """Return df in words: those of the error alone where the first stay."""
    return " and ".join(f"{value:.10g}" for value in (new_df if new_df[0] != old_df[0] else new_df[-1:]))


OtherDf: TypeAlias = tuple[tuple[float, ...], float, str, str]  # the df, the cost of the slip, what was meant, and how


def _other_df(test: Candidate) -> Iterator[OtherDf]:
    """Yield whole df for others, but for slips of their digits."""
    *numerator_df, error_df = test.df
    yield from (((*numerator_df, error_df + step), cost, "", "") for step, cost in STEPS)
    if numerator_df:
        yield from (((numerator_df[0] + step, error_df), 1.4, "", "") for step in (-1, 1))
    if numerator_df and error_df < numerator_df[0]:
        yield (error_df, numerator_df[0]), 0.8, "", "exchanged"
    if test.kind in ("chi2", "g2", "q", "h"):
        yield from (((float(whole_df),), 1.5, "", "") for whole_df in range(1, 21) if whole_df != error_df)


def _undo_correction(result: Reported) -> Iterator[OtherDf]:
    """Yield the whole df that a correction for sphericity has made smaller."""
    if len(result.df) == 2:
        effect_df, error_df = result.df
        for df1 in range(max(math.ceil(effect_df.low), 1), MOST_LEVELS):
            df2_bounds = [
                df1 * bound / max(divisor, 1e-6)
                for bound in (error_df.low, error_df.high)
                for divisor in (effect_df.low, effect_df.high)
            ]
            likeliest = df1 * float(error_df) / float(effect_df)
            smallest, largest = math.ceil(min(df2_bounds)), math.floor(max(df2_bounds))
            whole_dfs = range(-(-smallest // df1) * df1, largest + 1, df1) or range(smallest, largest + 1)
            if nearest := min(whole_dfs, key=lambda df2: abs(df2 - likeliest), default=0):
                yield (float(df1), float(nearest)), 0.9, f"{df1} and {nearest},", "before their correction,"


def _merge(slips: Iterable[Slip]) -> list[Slip]:
    """Return slips by their cost, those of one kind as one: "df 43, 44 or 46 with another digit"."""
    # Slips of one number and one kind are one finding with several meanings.
    groups: defaultdict[tuple[str, str], list[Slip]] = defaultdict(list)
    for slip in sorted((candidate for candidate in slips if candidate.cost <= MOST_COST), key=lambda slip: slip.cost):
        group = groups[slip.part, slip.how]
        if slip.meant not in [candidate.meant for candidate in group]:
            group.append(slip)
    merged, named = [], set[tuple[str, str]]()
    for group in groups.values():
        group = [slip for slip in group if (slip.part, slip.meant) not in named or not slip.meant]
        if not group:
            continue
        # A meaning is named once, by its cheapest slip.
        named |= {(slip.part, slip.meant) for slip in group}
        likely_meanings = [slip.meant for slip in group if slip.cost < group[0].cost + 0.3]
        meant = (
            likely_meanings[0]
            if len(likely_meanings) == 1
            else f"{', '.join(likely_meanings[:3][:-1])} or {likely_meanings[:3][-1]}"
        )
        if all(candidate.isdigit() for candidate in likely_meanings) and len(likely_meanings) > 3:
            meant = f"{min(likely_meanings, key=int)} to {max(likely_meanings, key=int)}"
        merged.append(replace(group[0], meant=meant))
    return sorted(merged, key=lambda slip: slip.cost)


def _find_interval(result: Reported) -> Iterator[Slip]:
    """Yield which interval of the paragraph has the printed p, that of another estimate in most cases."""
    if result.p is None or result.p.decimals < LEAST_DECIMALS:
        return
    is_t = result.df and (result.kind == "t" or one_df(result))
    df = float(result.df[-1]) if is_t else math.inf
    for interval_match in BESIDE.interval.finditer(result.paragraph):
        bounds = [number_in(interval_match[side]) for side in ("low", "high")]
        level = float(interval_match["level"])
        for scale in (float, math.log):
            lower_ends, upper_ends = ([bound.low, bound.high] for bound in bounds)
            if level >= 100 or lower_ends[1] >= upper_ends[0] or (scale is math.log and lower_ends[0] <= 0):
                continue
            # The estimate is taken to be in the middle: so many halves of the interval from nothing.
            pairs = [
                (scale(lower_value), scale(upper_value)) for lower_value in lower_ends for upper_value in upper_ends
            ]
            ratios = [
                abs(lower_value + upper_value) / (upper_value - lower_value) for lower_value, upper_value in pairs
            ]
            p = p_of_interval((min(ratios), max(ratios)), level, df)
            if p[1] <= NARROW * p[0] and result.p.agrees(*p):
                yield Slip("", "", f"it would be that of the interval [{bounds[0]}, {bounds[1]}]", 0.6)


def p_of_interval(ratio: Range, level: float, df: float) -> Range:
    """Return p of an estimate that is so many halves of its interval away from nothing."""
    size = size_of("t", 1 - level / 100, (df,))
    statistic, *dfs = ("z",) if math.isinf(df) else ("t", df)
    smallest_p, largest_p = (float(P_OF[str(statistic)][1](bound * size, *dfs)) for bound in (ratio[1], ratio[0]))
    return smallest_p, largest_p


def find_exchanges(result: Reported, neighbours: Sequence[Reported]) -> Iterator[Slip]:
    """Yield the neighbours of a test on its line or page whose p is printed beside it, exchanged or twice."""
    if result.p is None or result.p_relation != "=":
        return
    for neighbour in neighbours:
        if neighbour.kind not in P_OF or len(neighbour.df) < P_OF[neighbour.kind][0] or neighbour.value is None:
            continue
        if not agrees_with(result.p, range_of(neighbour.kind, neighbour.df, neighbour.relation, neighbour.value)):
            continue
        # Exchanged if the neighbour's printed p is that of this test in turn.
        p = range_of(result.kind, result.df, result.relation, result.statistic)
        is_exchange = neighbour.p is not None and neighbour.p_relation == "=" and agrees_with(neighbour.p, p)
        words = "it is exchanged with that of" if is_exchange else "it would be that of"
        yield Slip(
            "",
            "",
            f"{words} {test_text(neighbour)}",
            0.0 if is_exchange else 0.6 if result.p.decimals >= LEAST_DECIMALS else 1.1,
        )


def name_slips(slips: Sequence[Slip]) -> str:
    """Return the likeliest slips in words: one alone where the next is much less likely; empty if there are none."""
    likely_slips = [slip for slip in slips[:SHOWN] if slip.cost <= slips[0].cost + MUCH]
    return "; or ".join(
        [str(slip) if index == 0 else str(slip).removesuffix(WOULD) for index, slip in enumerate(likely_slips)]
    )
