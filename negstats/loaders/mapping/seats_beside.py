"""Columns of two and more seats of each row's game, such as the prices and profits of two firms, as rows of their own.

That the words in which columns differ are seats shows in the cells: what one seat gets depends on what another did, or
a column says which of them won. Rounds and conditions that stand side by side do neither.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.words import MARK
from negstats.loaders.reading.columns import Column, build_column
from negstats.loaders.reading.families import (
    ROUND_WORDS,
    SEAT_PAIRS,
    find_copies,
    find_members,
    find_spelled_out,
    number_families,
    seats_of_rows,
    who_met,
    words_of_name,
)
from negstats.loaders.reading.relations import crossed, determination
from negstats.loaders.reading.words import SEAT_WORDS, holds_sexes, is_named, names_game

SURE = 3.0  # points from which on columns are taken for those of seats
_WIDEST = 300  # columns
_MOST_SEATS, _FEWEST_ROWS, _MOST_STEMS, _MOST_DECISIONS = 8, 20, 12, 12
_GAIN, _ALONE, _MOSTLY = 0.05, 0.9, 0.9  # of the variance, determination, and rows
_RARE = 1e-6  # probability
_SEATS = SEAT_WORDS | frozenset("firm bidder trader player agent seller team side participant member voter".split())  # noqa: SIM905
_POINTS = re.compile(r"(.*_)?(points|payoffs?|profits?|earnings|score|gains?|utility|income|reward)")


@dataclass(frozen=True, slots=True)
class SeatsBeside:
    """Columns that stand there once for each seat.

    Attributes
    ----------
    words : tuple
        In what their names differ.
    stems : dict of str to list of str
        For what their names have in common, with a mark for the seat, the columns.
    points : float
        How much speaks for them as seats.
    evidence : str
        What does.
    """

    words: tuple[int | str, ...]
    stems: dict[str, list[str]]
    points: float
    evidence: str


def find_seats(table: Table) -> SeatsBeside | None:
    """Return the columns of several seats for which the cells speak most; None where none are sure to be such."""
    families = [each for each in _families(table) if len(each[1]) > 1]
    if not families or len(table.rows) < _FEWEST_ROWS:
        return None
    known = said_again(table)
    families = [each for each in families if known.isdisjoint(name for of in each[1].values() for name in of)]
    if not families:
        return None
    columns = LazyColumns(table)
    scored = [SeatsBeside(words, stems, *_score(words, stems, columns)) for words, stems in families]
    best = max(scored, key=lambda each: (each.points, len(each.stems)))
    if best.points < SURE:
        return None
    # Of these each row is read as a game already.
    sides = seats_of_rows(columns)
    is_read_so = sides is not None and (sides.words in SEAT_PAIRS or who_met(sides, columns) is not None)
    return None if is_read_so or find_members(columns) else best


def said_again(table: Table) -> frozenset[str]:
    """Return the columns of a table that say again what another one says, of the row or of the game's other rows."""
    columns = LazyColumns(table)
    families = [*(family for _, family in find_copies(columns)), *find_spelled_out(columns).values()]
    return frozenset(each.name for family in families for each in family)


def may_be_seats(table: Table, stems: Mapping[str, Sequence[str]]) -> bool:
    """Whether columns that stand there once for each word tell what each did and what each got, or are of a game."""
    names = {name for of in stems.values() for name in of}
    are_points = [_POINTS.fullmatch(_plain(stem)) is not None for stem in stems]
    return (any(are_points) and not all(are_points)) or any(map(names_game, LazyColumns(table).besides(names)))


class LazyColumns(Mapping[str, Column]):
    """The columns of a table, each of which is built when it is first looked at."""

    def __init__(self, table: Table) -> None:
        self._cells, self._built = table.cells, dict[str, Column]()

    def __getitem__(self, name: str) -> Column:
        """Return a column."""
        if name not in self._built:
            self._built[name] = build_column(name, self._cells[name])
        return self._built[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of all columns."""
        return iter(self._cells)

    def __len__(self) -> int:
        """Return how many columns there are."""
        return len(self._cells)

    def besides(self, names: Collection[str]) -> list[Column]:
        """Return the columns other than some, of a table that is not too wide to look at all."""
        return [self[name] for name in self if name not in names] if len(self) <= _WIDEST else []


def _families(table: Table) -> Iterator[tuple[tuple[int | str, ...], dict[str, list[str]]]]:
    """Yield words or numbers of two to eight seats in the names of columns, with the columns of each stem."""
    names = [name for name in table.names if name in table.cells]
    for numbers, stems in number_families(names).items():
        start = numbers[0]
        if start in (0, 1) and len(numbers) <= _MOST_SEATS and numbers == tuple(range(start, start + len(numbers))):
            yield numbers, stems
    by_stem: dict[str, dict[str, str]] = defaultdict(dict)
    for name in names:
        for stem, word in _cuts(name):
            by_stem[stem].setdefault(word, name)
    families: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(dict)
    for stem, of in by_stem.items():
        words = tuple(sorted(of))
        if 2 <= len(words) <= _MOST_SEATS and not any(re.search(r"\d", word) for word in words):
            families[words][stem] = [of[word] for word in words]
    yield from ((words, stems) for words, stems in families.items() if len(stems) <= _MOST_STEMS)


def _cuts(name: str) -> Iterator[tuple[str, str]]:
    """Yield a name's stems, with a mark where its first or last word was, and that word; so is the B of priceB."""
    for sign in re.finditer(r"[_. ]|(?<=[a-z])(?=[A-H]$)", name):
        first, last = name[: sign.start()], name[sign.end() :]
        if first and last:
            yield f"{first}{sign[0]}{MARK}", last
            if sign[0]:
                yield f"{MARK}{sign[0]}{last}", first


def _score(words: Sequence[int | str], stems: Mapping[str, Sequence[str]], columns: LazyColumns) -> tuple[float, str]:
    """Return how much speaks for the words as seats, and what."""
    plain = {stem: _plain(stem) for stem in stems}
    before = {words_of_name(start)[-1] for stem in stems if (start := stem.partition(MARK)[0].strip("_. "))}
    if any(map(ROUND_WORDS.fullmatch, before)):
        return 0.0, ""
    own = {stem: [columns[name] for name in of] for stem, of in stems.items()}
    reasons: list[tuple[float, str]] = []
    if pair := _find_dependence(own):
        reasons.append((SURE, f"{pair[1]} of each depends on {pair[0]} of the others"))
    others = columns.besides({name for of in stems.values() for name in of})
    if any(map(_is_of_one, others)):
        return 0.0, ""
    if winner := next((each for each in others if _names_best(each, words, own)), None):
        reasons.append((SURE, f"{winner.name} names the one with the most, or the least"))
    are_points = [_POINTS.fullmatch(each) is not None for each in plain.values()]
    if any(are_points) and not all(are_points):
        reasons.append((1.0, "what each did and what each got"))
    parts = {part for each in (*map(str, words), *plain.values()) for part in words_of_name(each)}
    if not parts.isdisjoint(_SEATS):
        reasons.append((1.5, "words for seats"))
    if game := next((each for each in others if names_game(each)), None):
        reasons.append((0.5, f"{game.name} is called as a game"))
    return sum(points for points, _ in reasons), "; ".join(reason for _, reason in reasons)


def _is_of_one(column: Column) -> bool:
    """Whether a column says who one person is, or what they are: of two who met a row would say it of each."""
    return is_named(column, "person") or holds_sexes(column) or (is_named(column, "trait") and column.n_levels > 2)


def _plain(stem: str) -> str:
    """Return what is left of a name without a seat, in English."""
    return "_".join(words_of_name(stem.replace(MARK, " "))).strip("_")


def _find_dependence(stems: Mapping[str, Sequence[Column]]) -> tuple[str, str] | None:
    """Return what seats did and what they got, where what each got depends on what the others did; None for none."""
    for decision, of in list(stems.items())[:_MOST_DECISIONS]:
        for outcome, got in list(stems.items())[:_MOST_DECISIONS]:
            if outcome == decision or not all(each.has_numbers for each in got):
                continue
            if all(_depends(of, got[place], place) for place in range(len(got))):
                return _name(decision), _name(outcome)
    return None


def _name(stem: str) -> str:
    return stem.replace(MARK, "").strip("_. ") or stem


def _depends(decisions: Sequence[Column], outcome: Column, place: int) -> bool:
    """Whether what one seat got depends on what it did, and on what the others did besides."""
    own, joint = decisions[place], crossed(*decisions)
    if outcome.n_levels < 2 or own.n_levels < 2:
        return False
    if joint.rows_per_level >= 2:  # a few actions, of which each combination has its payoffs
        return determination(joint, outcome) > _MOSTLY and determination(own, outcome) < _ALONE
    if not all(each.has_numbers for each in decisions):
        return False
    numbers = np.column_stack([each.numbers for each in (*decisions, outcome) if each.numbers is not None])
    numbers = numbers[~np.isnan(numbers).any(axis=1)]
    if len(numbers) < _FEWEST_ROWS or (np.ptp(numbers, axis=0) == 0).any():
        return False
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    mine, rest = numbers[:, place], np.delete(numbers[:, :-1], place, axis=1).mean(axis=1)
    terms = [np.ones(len(mine)), mine, mine**2]
    alone = _explained(terms, numbers[:, -1])
    together = _explained([*terms, rest, rest**2, mine * rest], numbers[:, -1])
    # Three more terms explain so much more by chance hardly ever.
    free = len(numbers) - 6
    ratio = (together - alone) / 3 / max((1 - together) / free, 1e-12)
    return together - alone > _GAIN and bool(special.fdtrc(3, free, ratio) < _RARE)


def _explained(terms: Sequence[npt.NDArray[np.float64]], outcome: npt.NDArray[np.float64]) -> float:
    """Return the share of the variance that terms explain."""
    matrix = np.column_stack(terms)
    rest = outcome - matrix @ np.linalg.lstsq(matrix, outcome, rcond=None)[0]
    return float(1 - rest.var() / outcome.var())


def _names_best(column: Column, words: Sequence[int | str], stems: Mapping[str, Sequence[Column]]) -> bool:
    """Whether a column says in nearly all rows which of the words has the most, or the least, of something."""
    names = [str(word).lower() for word in words]
    levels = [level.lower().removesuffix(".0") for level in column.levels]
    places = [names.index(level) if level in names else -1 for level in levels]
    if len(levels) < 2 or -1 in places or is_named(column, "order", "condition"):
        return False
    named = np.array([*places, -1])[column.codes]
    for of in stems.values():
        if not all(each.has_numbers for each in of):
            continue
        numbers = np.column_stack([each.numbers for each in of if each.numbers is not None])
        is_whole = ~np.isnan(numbers).any(axis=1) & (named >= 0)
        own, numbers = numbers[np.arange(len(named)), np.maximum(named, 0)][is_whole], numbers[is_whole]
        for best in (numbers.max(axis=1), numbers.min(axis=1)):
            is_one = (numbers == best[:, None]).sum(axis=1) == 1  # of several that are alike none is named as the best
            if is_one.sum() >= _FEWEST_ROWS and float((own == best)[is_one].mean()) >= _MOSTLY:
                return True
    return False
