"""The slip behind printed numbers that do not fit: the smallest single edit under which all numbers of a test agree.

A test prints a statistic, its df, p, and perhaps an effect size. Each of the last two follows from the first ones, and
so do those of all tests of the paper with the same df. An edit changes one printed number (two digits exchanged, a
point moved) or its reading (the df before a correction, t printed as F). The engine

1. writes down what must agree (`relations_of`),
2. makes every edit of ordered tables (`DIGITS`, `STEPS`, `READINGS`), each with a cost: the rarer the slip, the higher,
3. keeps those that mend what does not agree and leave what does,
4. and ranks them by cost, less where an edit mends several numbers or other tests of the paper with it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

from scipy import special

from negstats.audit.beyond_p.around import INTERVAL, Around, around_of, number_in
from negstats.audit.beyond_p.judgement import within
from negstats.audit.distributions import NAMES, P_OF
from negstats.audit.find_results import Reported
from negstats.audit.readings import test_text
from negstats.audit.recomputing import Range, agrees, agrees_with, range_of
from negstats.printed_numbers import Printed, printed

Relation: TypeAlias = tuple[str, Printed, Callable[[Reported], Range]]  # a symbol, its number, and what it must be
SHOWN = 2  # slips that are named
MOST_COST = 3.0
WOULD = " would give it"
MUCH = 0.65  # what the next slip costs more where the first is named alone
LEVEL = 0.05
LARGEST_DF = 1e6
SLACK = 1e-9  # relative; of the special functions
MOST_DECIMALS = 12  # of a number whose digits are edited
NARROW = 1.25  # how far the p of an interval may be from each other over its rounding
LEAST_DECIMALS = 3  # of a p that an interval may have by more than chance
BOUNDS = (".1", ".05", ".01", ".005", ".001", ".0005", ".0001", ".00001")
SMALLEST = (".001", ".0001", ".00001")  # what programs and authors print for a p below it
MENDED, BROKEN, OF_OTHERS = 0.8, 2.0, 0.5  # what a cost falls or grows by, for each further number and test
UNUSUAL = 0.7  # what a number of unusual precision costs more
MOST_LEVELS = 40  # of a factor whose df are printed with a correction
EPSILONS = tuple(round(0.99 - 0.01 * step, 2) for step in range(60))


@dataclass(frozen=True, slots=True)
class Slip:
    """An edit that makes the numbers of a test agree.

    Attributes
    ----------
    part : str
        What is edited: "p", "df", "η²", or "value" for the statistic.
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
        if self.part.startswith("p ") and not self.how:
            return f"{words} would be right"
        return words if self.part in ("p =", "") else f"{words}{WOULD}"


# The digits of a number, edited once.
def _exchange(text: str, ends: Range) -> Iterator[str]:  # noqa: ARG001
    for first in range(len(text) - 1):
        pair = text[first : first + 2]
        if pair.isdigit() and pair[0] != pair[1]:
            yield text[:first] + pair[::-1] + text[first + 2 :]


def _lose_point(text: str, ends: Range) -> Iterator[str]:  # noqa: ARG001
    if text.isdigit() and len(text) > 1:
        yield from (f"{text[:place]}.{text[place:]}" for place in range(len(text) - 1, 0, -1))


def _move_point(text: str, ends: Range) -> Iterator[str]:  # noqa: ARG001
    whole, point, decimals = text.partition(".")
    if point and len(decimals) > 1:
        yield f"{whole}{decimals[0]}.{decimals[1:]}"
    if point and decimals:
        yield f"{whole[:-1]}.{whole[-1:] or '0'}{decimals}"


def _replace_digit(text: str, ends: Range) -> Iterator[str]:
    for place, old in enumerate(text):
        if old.isdigit():
            yield from _fill(text[:place], text[place + 1 :], ends)


def _add_digit(text: str, ends: Range) -> Iterator[str]:
    for place in range(len(text) + 1):
        yield from _fill(text[:place], text[place:], ends)


def _fill(before: str, behind: str, ends: Range) -> Iterator[str]:
    """Yield a number with a digit between two parts of it, those digits that may bring it between two ends."""
    empty = f"{before}0{behind}"
    whole, _, decimals = empty.partition(".")
    place = len(before) if len(before) < len(whole) else len(before) - 1
    unit, half, value = 10.0 ** (len(whole) - 1 - place), 10.0 ** -len(decimals), float(empty)
    low, high = (min(max(end, -LARGEST_DF), LARGEST_DF**2) for end in ends)
    first = max(math.ceil((low - half - value) / unit), 0)
    last = min(math.floor((high + half - value) / unit), 9)
    yield from (f"{before}{digit}{behind}" for digit in range(first, last + 1))


def _drop_digit(text: str, ends: Range) -> Iterator[str]:  # noqa: ARG001
    for place, old in enumerate(text):
        if old.isdigit() and len(text) > 1:
            yield text[:place] + text[place + 1 :]


DIGITS: tuple[tuple[str, float, Callable[[str, Range], Iterator[str]]], ...] = (
    ("with its point lost", 0.9, _lose_point),
    ("with two digits exchanged", 1.0, _exchange),
    ("with its point moved", 1.1, _move_point),
    ("with an extra digit", 1.5, _drop_digit),
    ("with a digit missing", 1.6, _add_digit),
    ("with another digit", 1.7, _replace_digit),
)
STEPS = ((-1, 1.2), (1, 1.2), (-2, 1.3), (2, 1.3), (-3, 1.9), (3, 1.9))  # df beside the printed ones


def edit_texts(number: Printed, ends: Range = (-math.inf, math.inf)) -> Iterator[tuple[str, int, str, float]]:
    """Yield a number with each slip of its digits as text, its decimals, the slip in words, and the cost."""
    sign, text = ("-", str(number)[1:]) if str(number).startswith("-") else ("", str(number))
    if "e" in text or number.decimals > MOST_DECIMALS:
        return
    value, seen = abs(float(number)), set[tuple[float, int]]()
    for how, cost, edit in DIGITS:
        for edited in edit(text, ends):
            if not edited.strip(".0") or edited.count(".") > 1 or edited.endswith("."):
                continue
            new, decimals = float(edited), len(edited.partition(".")[2])
            if new != value and (new, decimals) not in seen:
                seen.add((new, decimals))
                # People print two decimals or three: few a number of another precision than they have printed.
                odd = decimals > max(number.decimals, 2) or decimals < min(number.decimals, 2)
                yield sign + edited, decimals, how, cost + (UNUSUAL if odd and "point" not in how else 0.0)


def edit_digits(number: Printed, ends: Range = (-math.inf, math.inf)) -> Iterator[tuple[Printed, str, float]]:
    """Yield a number with each slip of its digits that may round from one between two ends, in words, and the cost.

    Examples
    --------
    >>> [(str(one), how) for one, how, _ in edit_digits(printed("2.02"))][:2]
    [('2.20', 'with two digits exchanged'), ('20.2', 'with its point moved')]
    """
    for text, decimals, how, cost in edit_texts(number, ends):
        if ends[0] <= float(text) + 10.0**-decimals and float(text) - 10.0**-decimals <= ends[1]:
            yield printed(text), how, cost


def relations_of(result: Reported, around: Around | None = None) -> list[Relation]:
    """Return which numbers beside a statistic follow from it and its df: partial η², d of equal groups, r."""
    values = (around or around_of(result)).values if result.relation == "=" and result.value is not None else {}
    relations: list[Relation] = []
    if (eta := values.get("eta")) is not None and result.kind == "f" and len(result.df) == 2:
        relations.append(("η² =", eta, _eta))
    of_one = (result.kind == "t" and len(result.df) == 1) or (
        result.kind == "f" and len(result.df) == 2 and float(result.df[0]) == 1
    )
    if (r := values.get("r")) is not None and of_one:
        relations.append(("r =", r, _r))
    for name in ("d", "g"):
        if (size := values.get(name)) is not None and of_one:
            relations += [
                (f"{name} =", size, factor) for factor in (_d_of_groups, _d_of_people) if within(size, factor(result))
            ]
    return relations


def _size(result: Reported) -> Range:
    """Return the sizes of t that a t, or an F of one df, is printed for."""
    low, high = max(abs(float(result.statistic)) - float(result.statistic.half), 0.0), 0.0
    high = abs(float(result.statistic)) + float(result.statistic.half)
    return (low, high) if result.kind == "t" else (math.sqrt(low), math.sqrt(high))


def _eta(result: Reported) -> Range:
    (df1, df2), value = map(float, result.df), result.statistic
    low, high = ((max(end, 0.0) * df1) / (max(end, 0.0) * df1 + df2) for end in (value.low, value.high))
    return low, high


def _r(result: Reported) -> Range:
    low, high = (end / math.sqrt(end * end + float(result.df[-1])) for end in _size(result))
    return low, high


def _d_of_groups(result: Reported) -> Range:
    low, high = (2 * end / math.sqrt(float(result.df[-1]) + 2) for end in _size(result))
    return low, high


def _d_of_people(result: Reported) -> Range:
    low, high = (end / math.sqrt(float(result.df[-1]) + 1) for end in _size(result))
    return low, high


def _p_agrees(result: Reported) -> bool:
    return agrees(result, range_of(result.kind, result.df, result.relation, result.statistic))


def find_slips(result: Reported, others: Sequence[Reported] = (), around: Around | None = None) -> list[Slip]:
    """Return the single edits that make the numbers of a test agree, the smallest first.

    Parameters
    ----------
    result
        A test with a statistic and df.
    others
        The other tests of the paper.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import document
    >>> for text in ("t(28) = 2.20, p = .063", "t(82) = 2.20, p = .036", "F(2.26, 106.59) = 1.81, p = .064"):
    ...     print(find_slips(*find(document(text)))[0])
    p = .036 with two digits exchanged
    df 28 with two digits exchanged would give it
    df 9 and 424, before their correction, would give it
    """
    if result.kind not in P_OF or len(result.df) < P_OF[result.kind][0] or not all(float(df) > 0 for df in result.df):
        return []
    relations = relations_of(result, around)
    wrong = [name for name, number, size in relations if not within(number, size(result))]
    p_wrong = not _p_agrees(result)
    slips = []
    if p_wrong and not wrong:
        slips += list(_edit_p(result))
    for name, number, size in relations:
        if [name] == wrong and not p_wrong:
            ends = size(result)
            fits = [(new, how, cost) for new, how, cost in edit_digits(number, ends) if within(new, ends)]
            slips += [Slip(name, _plain(new), how, cost) for new, how, cost in fits]
    alike = [one for one in others if one is not result and one.df and one.kind in P_OF]
    window = _window(result)
    drafts = sorted((*_edit_value(result, window), *_edit_df(result, alike)), key=lambda draft: draft[0])
    # What other numbers and tests can take from a cost; beyond it no edit comes near the likeliest.
    same_df = any(one.kind == result.kind and one.df == result.df for one in alike)
    most_gain = MENDED * len(relations) + 3 * OF_OTHERS * same_df
    best = min((slip.cost for slip in slips), default=MOST_COST)
    for cost, kind, df, sizes, build in drafts:
        if cost - most_gain > best + MUCH:
            break
        if not _gives_p(window, kind, df, sizes):
            continue
        edited, slip = build()
        still_wrong = sum(not within(number, size(edited)) for _, number, size in _follow(relations, edited))
        mended = len(wrong) + p_wrong - still_wrong
        if mended > 0 and still_wrong <= len(wrong):
            cost = slip.cost - MENDED * (mended - 1) + BROKEN * (len(wrong) + p_wrong - mended)
            slips.append(replace(slip, cost=cost - _weigh_others(result, edited, alike)))
            best = min(best, slips[-1].cost)
    return _merge(slip for slip in slips if slip.cost <= MOST_COST)


def _follow(relations: Sequence[Relation], edited: Reported) -> Sequence[Relation]:
    """Return what must still agree after an edit: the effect sizes of an F are none of a t that it is read as."""
    return [one for one in relations if not (one[2] is _eta and (edited.kind != "f" or len(edited.df) != 2))]


def _weigh_others(result: Reported, edited: Reported, others: Sequence[Reported]) -> float:
    """Return how much other tests with the same df speak for an edit: for each that it mends, less those it breaks."""
    if edited.df == result.df or edited.kind != result.kind:
        return 0.0
    weight = 0.0
    for other in others[:50]:
        if other.kind == result.kind and other.df == result.df and other.statistic != result.statistic:
            moved = replace(other, df=edited.df)
            relations = relations_of(other)
            before = _p_agrees(other), *(within(number, size(other)) for _, number, size in relations)
            after = _p_agrees(moved), *(within(number, size(moved)) for _, number, size in relations)
            weight += OF_OTHERS * ((sum(after) > sum(before)) - (sum(after) < sum(before)))
    return max(min(weight, 3 * OF_OTHERS), -2 * OF_OTHERS)


def _edit_p(result: Reported) -> Iterator[Slip]:
    """Yield what p would have to be, by a slip of its own."""
    p = range_of(result.kind, result.df, result.relation, result.statistic)
    if result.p is None:
        return
    text = str(result.p).removeprefix("0")
    if result.p_relation == "=":
        if text in BOUNDS and p[1] < float(result.p):
            yield Slip("p <", text, "", 0.4 if text in SMALLEST else 1.3)
        unit = 10.0**-result.p.decimals
        if any(math.isclose(math.floor(end / unit) * unit, float(result.p)) for end in p):
            yield Slip("", "", "it is cut off, not rounded", 0.8)
        for number, how, cost in edit_digits(result.p, p):
            if agrees_with(number, p) and float(number) <= 1:
                yield Slip("p =", _plain(number), how, cost)
        for times, words, cost in ((2.0, "it is twice p", 1.4), (0.5, "it is half of p", 1.4)):
            if result.p.agrees(times * p[0], times * p[1]):
                yield Slip("", "", words, cost)
        if result.p.agrees(1 - p[1], 1 - p[0]):
            yield Slip("", "", "it is 1 − p", 1.8)
        yield from _find_interval(result)
        return
    turned = {"<": ">", ">": "<", "≤": "≥", "≥": "≤"}.get(result.p_relation, "")
    if turned and agrees(replace(result, p_relation=turned), p):
        yield Slip(f"p {turned}", text, "", 1.0 if float(result.p) >= LEVEL else 1.7)
    if result.p_relation == "<" and (bound := next((one for one in reversed(BOUNDS) if p[1] < float(one)), "")):
        yield Slip("p <", bound, "", 1.1)
    if turned and agrees_with(result.p, p):
        yield Slip("p =", text, "", 0.9)
    for number, how, cost in edit_digits(result.p):
        bound = _plain(number)
        if bound in BOUNDS and agrees(replace(result, p=number), p):
            yield Slip(f"p {result.p_relation}", bound, how, cost + 0.2)


def _plain(number: Printed) -> str:
    return str(number).removeprefix("0") if 0 < float(number) < 1 else str(number)


Edited: TypeAlias = tuple[Reported, Slip]
# An edit before it is written out, for most give no p that is printed: cost, letter, df, sizes of the statistic.
Draft: TypeAlias = tuple[float, str, tuple[float, ...], Range, Callable[[], Edited]]


def _window(result: Reported) -> Range:
    """Return between which ends a recomputed p must reach to be the printed one."""
    if result.p is None:
        return LEVEL, math.inf
    at = float(result.p)
    if result.p_relation == "=":
        return result.p.low * (1 - SLACK), result.p.high * (1 + SLACK)
    return (-math.inf, at * (1 - SLACK)) if result.p_relation in ("<", "≤") else (at * (1 + SLACK), math.inf)


def _gives_p(window: Range, kind: str, df: tuple[float, ...], sizes: Range) -> bool:
    """Return whether a statistic of such a size gives a p in the window."""
    p_of = P_OF[kind][1]
    if not all(0 < one < LARGEST_DF for one in df) or p_of(sizes[0], *df) < window[0]:
        return False
    return p_of(sizes[1], *df) <= window[1]


def _sizes(relation: str, value: float, half: float) -> Range:
    """Return the sizes of a statistic that is printed as this value, give or take half a unit."""
    low, high = max(abs(value) - half, 0.0), abs(value) + half
    return (0.0, high) if relation in ("<", "≤") else (low, math.inf) if relation in (">", "≥") else (low, high)


def _find_ends(result: Reported, window: Range) -> Range:
    """Return between which sizes a statistic gives a p in the window, as far as inverse functions tell."""
    df = tuple(map(float, result.df))
    low, high = (min(max(end, 1e-300), 1.0) for end in window)
    if result.kind == "f":
        df1, df2 = df
        most = float(special.fdtri(df1, df2, 1 - low)) if low > 1e-12 else math.inf
        return float(special.fdtri(df1, df2, 1 - high)), most
    if result.kind not in ("t", "r", "rho", "z"):
        return float(special.chdtri(df[0], high)), float(special.chdtri(df[0], low))
    sizes = [-float(special.stdtrit(df[0], end / 2) if df else special.ndtri(end / 2)) for end in (high, low)]
    if result.kind in ("r", "rho"):
        sizes = [size / math.sqrt(df[0] + size * size) if size < math.inf else 1.0 for size in sizes]
    return (sizes[0], sizes[1]) if sizes[0] <= sizes[1] else (-math.inf, math.inf)


def _edit_value(result: Reported, window: Range) -> Iterator[Draft]:
    """Yield a result with another statistic: by a slip of its digits, or another letter."""
    df = tuple(map(float, result.df))
    ends = _find_ends(result, window) if result.relation == "=" else (-math.inf, math.inf)
    for text, decimals, how, cost in edit_texts(result.statistic, ends):
        sizes = _sizes(result.relation, float(text), 0.5 * 10.0**-decimals)
        yield cost, result.kind, df, sizes, partial(_with_value, result, text, how, cost)
    value, of_one = result.statistic, df[:1] == (1.0,)
    others: list[tuple[str, tuple[Printed, ...]]] = []
    if result.kind == "f" and of_one:
        others = [("t", result.df[1:])]
    elif result.kind == "t":
        others = [("f", (printed(1), *result.df))] + [("r", result.df)] * (abs(float(value)) < 1)
    elif result.kind in ("chi2", "g2") and of_one:
        others = [("z", ())]
    elif result.kind in ("r", "z"):
        others = [("t", result.df)] if result.kind == "r" else [("chi2", (printed(1),))]
    sizes = _sizes(result.relation, float(value), float(value.half))
    for kind, other_df in others:
        yield 1.2, kind, tuple(map(float, other_df)), sizes, partial(_with_letter, result, kind, other_df)
    if result.kind in ("r", "rho") and float(value) > 0:
        root = f"{math.sqrt(float(value)):.{value.decimals + 1}f}"
        build = partial(_with_value, result, root, "in place of r", 1.6, f"r² = {value}")
        yield 1.6, result.kind, df, (math.sqrt(sizes[0]), math.sqrt(sizes[1])), build


def _with_value(result: Reported, text: str, how: str, cost: float, name: str = "") -> Edited:
    value = printed(text)
    return replace(result, value=value), Slip("value", name or str(value), how, cost)


def _with_letter(result: Reported, kind: str, df: tuple[Printed, ...]) -> Edited:
    bracket = f"({', '.join(map(str, df))})" if df else ""
    slip = Slip("value", f"{NAMES[kind]}{bracket} = {result.statistic}", f"in place of {NAMES[result.kind]}", 1.2)
    return replace(result, kind=kind, df=df), slip


def _edit_df(result: Reported, others: Sequence[Reported]) -> Iterator[Draft]:
    """Yield a result with other df: by a slip of the digits, beside them, of another test, or before a correction."""
    sizes = _sizes(result.relation, float(result.statistic), float(result.statistic.half))
    for df, how, cost in _other_df(result, others):
        yield cost, result.kind, df, sizes, partial(_with_df, result, df, how, cost)


def _other_df(result: Reported, others: Sequence[Reported]) -> Iterator[tuple[tuple[float, ...], str, float]]:
    """Yield other df, the slip in words, and its cost."""
    df = tuple(map(float, result.df))
    if not df:
        return
    if any(one.decimals > 0 for one in result.df):
        yield from _undo_correction(result)
        return
    *before, last = df
    if before:
        if last < before[0]:
            yield (last, *before), "exchanged", 0.8
        yield from (((before[0] + step, last), "", 1.4) for step in (-1, 1))
        yield from (
            ((float(text), last), how, cost + 0.2) for text, _, how, cost in edit_texts(result.df[0]) if "." not in text
        )
    yield from (((*before, last + step), "", cost) for step, cost in STEPS)
    yield from (
        ((*before, float(text)), how, cost) for text, _, how, cost in edit_texts(result.df[-1]) if "." not in text
    )
    if result.kind in ("chi2", "g2", "q", "h"):
        yield from (((float(other),), "", 1.5) for other in range(1, 21) if other != last)
    of_others = {tuple(map(float, one.df)) for one in others if one.kind == result.kind and len(one.df) == len(df)}
    yield from ((other, "as other tests have", 1.3) for other in sorted(of_others - {df}))
    if before and before[0] >= 2:
        for share in (share for share in EPSILONS if share * before[0] >= 1):
            yield tuple(share * one for one in df), f"it fits ε = {share:.2f} of a correction for sphericity", 2.4


def _with_df(result: Reported, df: tuple[float, ...], how: str, cost: float) -> Edited:
    if "ε" in how:
        return replace(result, df=tuple(printed(f"{one:.4f}") for one in df)), Slip("", "", how, cost)
    new = tuple(printed(f"{one:g}") for one in df)
    both = len(df) > 1 and (df[0] != float(result.df[0]) or "before" in how)
    words = " and ".join(map(str, new)) + "," * ("before" in how) if both else str(new[-1])
    return replace(result, df=new), Slip("df", words, how, cost)


def _undo_correction(result: Reported) -> Iterator[tuple[tuple[float, ...], str, float]]:
    """Yield the whole df that a correction for sphericity has made smaller, and slips of the corrected ones."""
    df = tuple(map(float, result.df))
    if len(df) == 2:
        for df1 in range(max(math.ceil(result.df[0].low), 1), MOST_LEVELS):
            ends = [
                end * df1 / max(other, 1e-6)
                for end in (result.df[1].low, result.df[1].high)
                for other in (result.df[0].low, result.df[0].high)
            ]
            whole = range(math.ceil(min(ends)), math.floor(max(ends)) + 1)
            nearest = sorted((df2 % df1 > 0, abs(df2 - df1 * df[1] / df[0]), df2) for df2 in whole)
            yield from (((float(df1), float(df2)), "before their correction,", 0.9) for *_, df2 in nearest[:1])
    for place, one in enumerate(result.df):
        for text, decimals, how, cost in edit_texts(one):
            if decimals == one.decimals:
                yield (*df[:place], float(text), *df[place + 1 :]), how, cost + 0.2


def _merge(slips: Iterator[Slip]) -> list[Slip]:
    """Return slips by their cost, those of one kind as one: "df 43, 44 or 46 with another digit"."""
    groups: defaultdict[tuple[str, str], list[Slip]] = defaultdict(list)
    for slip in sorted(slips, key=lambda slip: slip.cost):
        group = groups[slip.part, slip.how]
        if slip.meant not in [one.meant for one in group]:
            group.append(slip)
    merged, named = [], set[tuple[str, str]]()
    for group in groups.values():
        group = [slip for slip in group if (slip.part, slip.meant) not in named or not slip.meant]
        if not group:
            continue
        named |= {(slip.part, slip.meant) for slip in group}
        best = [slip.meant for slip in group if slip.cost < group[0].cost + 0.3]
        meant = best[0] if len(best) == 1 else f"{', '.join(best[:3][:-1])} or {best[:3][-1]}"
        if all(one.isdigit() for one in best) and len(best) > 3:
            meant = f"{min(best, key=int)} to {max(best, key=int)}"
        merged.append(replace(group[0], meant=meant))
    return sorted(merged, key=lambda slip: slip.cost)


def _find_interval(result: Reported) -> Iterator[Slip]:
    """Yield which interval of the paragraph has the printed p, that of another estimate in most cases."""
    if result.p is None or result.p.decimals < LEAST_DECIMALS:
        return
    of_t = result.df and (result.kind == "t" or (result.kind == "f" and float(result.df[0]) == 1))
    df = float(result.df[-1]) if of_t else math.inf
    for interval_match in INTERVAL.finditer(result.paragraph):
        ends = [number_in(interval_match[end]) for end in ("low", "high")]
        upper = 0.5 + float(interval_match["level"]) / 200
        if upper >= 1:
            continue
        quantile = float(special.stdtrit(df, upper) if math.isfinite(df) else special.ndtri(upper))
        for scale in (float, math.log):
            low, high = ([one.low, one.high] for one in ends)
            if low[1] >= high[0] or (scale is math.log and low[0] <= 0):
                continue
            ps = [_p_of_interval(scale(first), scale(last), quantile, df) for first in low for last in high]
            if max(ps) <= NARROW * min(ps) and result.p.agrees(min(ps), max(ps)):
                yield Slip("", "", f"it would be that of the interval [{ends[0]}, {ends[1]}]", 0.6)


def _p_of_interval(low: float, high: float, quantile: float, df: float) -> float:
    """Return the p of an estimate in the middle of its interval."""
    size = abs(low + high) / (high - low) * quantile
    return float(2 * (special.stdtr(df, -size) if math.isfinite(df) else special.ndtr(-size)))


def find_exchanges(result: Reported, neighbours: Sequence[Reported]) -> Iterator[Slip]:
    """Yield the neighbours of a test on its line or page whose p is printed beside it, exchanged or twice."""
    if result.p is None or result.p_relation != "=":
        return
    for other in neighbours:
        if other.kind not in P_OF or len(other.df) < P_OF[other.kind][0] or other.value is None:
            continue
        if not agrees_with(result.p, range_of(other.kind, other.df, other.relation, other.value)):
            continue
        p = range_of(result.kind, result.df, result.relation, result.statistic)
        own = other.p is not None and other.p_relation == "=" and agrees_with(other.p, p)
        words = "exchanged with that of" if own else "it would be that of"
        yield Slip(
            "", "", f"{words} {test_text(other)}", 0.0 if own else 0.6 if result.p.decimals >= LEAST_DECIMALS else 1.1
        )


def name_slips(slips: Sequence[Slip]) -> str:
    """Return the likeliest slips in words: one alone where the next is much less likely; empty if there are none."""
    near = [slip for slip in slips[:SHOWN] if slip.cost <= slips[0].cost + MUCH]
    return "; or ".join([str(slip) if place == 0 else str(slip).removesuffix(WOULD) for place, slip in enumerate(near)])
