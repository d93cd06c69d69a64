"""Columns that a log repeats for each round or condition, distinguished by a number or word in their names.

Whether numbers or words are rounds and conditions, or the seats of one game, the cells tell (`families`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from negstats.loaders.files.tabular import Table, joined
from negstats.loaders.mapping.lexicon import are_few
from negstats.loaders.mapping.seats_beside import LazyColumns, find_seats, said_again
from negstats.loaders.mapping.words import MARK, english, plain
from negstats.loaders.reading.columns import Column, build_column
from negstats.loaders.reading.families import (
    MOST_OF_RATING,
    SEAT_PAIRS,
    Family,
    are_levels,
    are_ratings,
    find_members,
    number_families,
    seat_points,
    seats_of_rows,
    words_of_name,
)
from negstats.loaders.reading.hypotheses import MOST_SEATS
from negstats.loaders.reading.relations import are_others, are_unique_together
from negstats.loaders.reading.words import OF_ROUND, SEAT_WORDS, is_named, names_game, roles_of

_LEAST = 3  # stems that must repeat alike; two where their names say that these are rounds
_ANOTHER_APP = re.compile(r".*\.[0-9]+\..*")  # what stands once there is nothing of these rounds
# What a game is measured by: of these stems two at least must stand there for each condition.
_OUTCOME = re.compile(
    r"(.*_)?(points|payoff|score|earnings|profit|agree|agreed|agreement|deal|accept|accepted|acceptance|response|offer|"
    r"first_offer|price|concessions?|rounds|duration|minutes|seconds|trust|satisfaction|fairness|liking|anger|"
    r"rapport|rating|happiness|confidence|joint|share)"
)
_TIMES = frozenset("pre post before after baseline time t wave day start end".split())  # noqa: SIM905
_STATISTICS = frozenset("min max mean sd total raw".split())  # noqa: SIM905
_SIDES = frozenset("me you mine yours my your self other own keep give proposer responder".split())  # noqa: SIM905
_SAME_SCALE = 0.5  # of the largest value: what all columns of one measure reach
_SCALE_OF_UNITS = 0.2  # of units, which differ more than levels of one condition do
_ALIKE = 0.3  # correlation of what one person does twice
_MOST_CONDITIONS = 6
_LEAST_DENSE = 0.7  # of the numbers from the first round to the last one
_LEAST_OF_ROUNDS = 2  # rows of whoever has several rounds


def unfolded(table: Table) -> tuple[Table, list[int | str], str | None]:
    """Return a log with a row for each round or condition, and these; the log itself if no columns repeat in one way.

    A column is called by its stem, ``ug.{round}.offer`` for ``ug.1.offer`` and ``ug.2.offer``, and one called
    ``{round}`` holds the number. Rows in which nothing stands for a round are left away; then the third thing is a
    column that all the others have something in.
    """
    families = _find_rounds(table)
    if families and _are_rounds_of_rows(table, families):
        return table, [], None
    if len(families) == 1:
        numbers, stems = next(iter(families.items()))
        return (table, [], None) if _may_be_of_seats(table, numbers, stems) else unfold(table, numbers, stems)
    words, columns = ([], {}) if families else _find_conditions(table)
    return unfold(table, words, columns) if words else (table, [], None)


def _find_rounds(table: Table) -> dict[tuple[int, ...], dict[str, list[str]]]:
    """Return for sets of numbers the columns that stand there once for each, where these are not known for others."""
    seats, members = find_seats(table), _find_members(table)
    known = {*members.values(), *said_again(table)}
    return {
        numbers: stems
        for numbers, stems in number_families(name for name in table.names if name in table.cells).items()
        if _are_rounds(table, numbers, stems, members.keys())
        and (seats is None or numbers != seats.words)
        and known.isdisjoint(name for of in stems.values() for name in of)
        and not (len(numbers) == 2 and _are_seats(table, numbers, stems))
        and not _are_items(table, stems)
        and not _are_moments(table, stems)
        and not _are_alternatives(table, numbers, stems)
    }


def find_open_rounds(table: Table) -> tuple[tuple[int, ...], dict[str, list[str]]] | None:
    """Return numbers, and columns of each, that may be those of rounds or of the members of each row's group."""
    families = _find_rounds(table)
    if len(families) != 1 or _are_rounds_of_rows(table, families):
        return None
    rounds = next(iter(families.items()))
    return rounds if _may_be_of_seats(table, *rounds) else None


def _may_be_of_seats(table: Table, numbers: Sequence[int], stems: Mapping[str, Sequence[str]]) -> bool:
    """Whether no word for rounds stands in the names of columns, and no column names a person of the row."""
    are_counted = numbers[0] in (0, 1) and len(numbers) == numbers[-1] - numbers[0] + 1 <= MOST_SEATS
    if not are_counted or all(map(_is_called_round, stems)):
        return False
    columns = LazyColumns(table)
    others = (columns[name] for name in columns.keys() - {name for of in stems.values() for name in of})
    return not any(each.is_unique and is_named(each, "person") for each in others)


def _are_rounds(
    table: Table, numbers: Sequence[int], stems: Mapping[str, Sequence[str]], seats: Collection[str]
) -> bool:
    """Whether columns that stand there once for each number are of rounds, and not the items of several questions.

    Each round has an offer, an answer and a time, or what was set for it and a number; questions have items that differ
    in a number again, Q4_1, Q15_1, or in the seat that was asked. Rounds have nearly all numbers from the first to the
    last one, or every fifth one, and pages of a survey 29, 34 and 100.
    """
    if all(map(_is_called_round, stems)):
        return len(stems) >= _LEAST - 1
    are_steps = len({*np.diff(numbers).tolist()}) == 1
    if not are_steps and len(numbers) < _LEAST_DENSE * (numbers[-1] - numbers[0] + 1):
        return False
    words = [words_of_name(re.sub(r"[0-9]+", "#", stem)) for stem in stems]
    if len({tuple(word for word in of if word not in seats) for of in words}) >= _LEAST:
        return True
    have_numbers = [all(build_column(name, table.cells[name]).has_numbers for name in of) for of in stems.values()]
    are_set = ["condition" in roles_of(stem) for stem in stems]
    return len(stems) == _LEAST - 1 and any(are_set) and any(have_numbers) and not all(are_set)


def _is_called_round(stem: str) -> bool:
    found = OF_ROUND.search(stem)
    return found is not None and bool(found[1])


def _find_members(table: Table) -> dict[str, str]:
    """Return the columns that name who sat in the seats of each row's game, and not whom somebody met in each round."""
    columns = LazyColumns(table)
    members = find_members(columns)
    others = columns.besides(members.values()) if members else []
    met = any(are_others(columns[name], other) for name in members.values() for other in others)
    return {} if met else members


def _are_seats(table: Table, numbers: Sequence[int], stems: Mapping[str, Sequence[str]]) -> bool:
    """Whether columns that stand there with two numbers are those of two seats, and not of two rounds."""
    names = {stem: english(plain(stem.replace(MARK, " "))).strip("_") for stem in stems}
    columns = {name: build_column(name, table.cells[name]) for of in stems.values() for name in of}
    if tuple(numbers) != (1, 2):
        return seats_of_rows(columns) is not None
    before = {stem.partition(MARK)[0].lower() for stem in stems}
    word = before.pop() if len(before) == 1 else ""  # agent1_score and agent2_score
    words = (f"{word}1", f"{word}2") if (f"{word}1", f"{word}2") in SEAT_PAIRS else ("1", "2")
    family = Family(words, {names[stem]: (of[0], of[1]) for stem, of in stems.items()})
    return seat_points(family, columns) >= _LEAST


def _are_items(table: Table, stems: Mapping[str, Sequence[str]]) -> bool:
    """Whether columns are the items of scales, which have the same few numbers, or levels that were spelled out."""
    columns = [[build_column(name, table.cells[name]) for name in of] for of in stems.values()]
    return are_ratings([each for of in columns for each in of]) or all(are_levels(of) for of in columns)


def _are_moments(table: Table, stems: Mapping[str, Sequence[str]]) -> bool:
    """Whether columns are moments at one page of a survey, one after the other, and a number of clicks behind them."""
    columns = [[build_column(name, table.cells[name]) for name in of] for of in stems.values()]
    return all(len(of) >= _LEAST and _are_of_clock(of) for of in columns)


def _are_of_clock(columns: Sequence[Column]) -> bool:
    """Whether numbers with fractions never fall from one column to the next, and the last column has whole ones."""
    *moments, clicks = columns
    if not (all(each.is_fractional for each in moments) and clicks.is_whole):
        return False
    numbers = np.array([each.numbers for each in moments], float)
    return not bool((np.diff(numbers, axis=0) < 0).any())  # a comparison with an empty cell is false


def _are_alternatives(table: Table, numbers: Sequence[int], stems: Mapping[str, Sequence[str]]) -> bool:
    """Whether another column says which is meant: columns are then of what was taken, or of who spoke: no rounds."""
    parts = {part for stem in stems for part in re.findall(r"[A-Za-z]+\{round\}", stem)}
    words = [{part.replace(MARK, str(number)) for number in numbers} for part in parts]
    repeated = {name for of in stems.values() for name in of}
    for name in table.names:
        if name in repeated or name not in table.cells:
            continue
        column = build_column(name, table.cells[name])
        numbered = {level: int(end[0]) for level in column.levels if (end := re.search(r"[0-9]+$", level))}
        if is_named(column, "outcome") and column.n_levels == len(numbers) and set(numbered.values()) == set(numbers):
            return True
        if set(column.levels) in words:  # a1 and a2, who speak
            return True
        # What was taken is called as the ends of the columns of its price and of its time.
        ends = [level for level in numbered if sum(other.endswith(level) for other in repeated) > 1]
        if len(ends) > 1 and not column.has_numbers:
            return True
    return False


def unfold(
    table: Table, marks: Sequence[int | str], columns: Mapping[str, Sequence[str]]
) -> tuple[Table, list[int | str], str | None]:
    """Return a log with a row for each mark, where `columns` are those of each stem in the order of the marks."""
    names, repeated_names = list(columns), {name for of in columns.values() for name in of}
    others = [
        name
        for name in table.names
        if name not in repeated_names and name in table.cells and not _ANOTHER_APP.fullmatch(name)
    ]
    size = len(table.rows)
    cells = {stem: joined([table.cells[name] for name in of]) for stem, of in columns.items()}
    cells |= {name: joined([table.cells[name]] * len(marks)) for name in others}
    cells[MARK] = pa.array([str(mark) for mark in marks for _ in range(size)], pa.large_string())
    long_table = replace(table, names=[*names, MARK, *others], cells=cells, rows=list(table.rows) * len(marks))
    is_filled = pa.array(~_empty(long_table, names))
    filled_cells = {name: column.filter(is_filled) for name, column in cells.items()}
    rows = [row for row, row_filled in zip(long_table.rows, is_filled.to_pylist(), strict=True) if row_filled]
    filled_table = replace(long_table, cells=filled_cells, rows=rows)
    full = (name for name in names if filled_table.column(name).notna().all())
    return filled_table, list(marks), next(full, None) if len(rows) < len(long_table.rows) else None


def _are_rounds_of_rows(table: Table, families: Mapping[tuple[int, ...], Mapping[str, Sequence[str]]]) -> bool:
    """Whether rows are the rounds of somebody already: columns with numbers are then of what a round consists of.

    A number is called as one of rounds, or is another in each row of a person; and no column names the rows themselves.
    """
    repeated = {name for stems in families.values() for of in stems.values() for name in of}
    others = [build_column(name, cells) for name, cells in table.cells.items() if name not in repeated]
    if any(column.is_unique and not (column.is_count or column.is_fractional) for column in others):
        return False
    entities = [column for column in others if not column.is_fractional and column.rows_per_level >= _LEAST_OF_ROUNDS]
    # Groups of which each has a first member and a second one are no rounds of these.
    numbers = [each for each in entities if each.is_count and not (names_game(each) or is_named(each, "person"))]
    return any(
        is_named(number, "order")
        or (
            number.n_levels > MOST_SEATS
            and any(are_unique_together([person, number]) for person in entities if person is not number)
        )
        for number in numbers
    )


def _empty(table: Table, names: list[str]) -> npt.NDArray[np.bool_]:
    empty = table.column(names[0]).isna()
    for name in names[1:]:
        empty &= table.column(name).isna()
    return empty.to_numpy(dtype=bool)


def _find_conditions(table: Table) -> tuple[list[str], dict[str, list[str]]]:
    r"""Return the conditions that stand at the end or the beginning of columns' names, and for each stem its columns.

    Nothing is returned unless a column names each row, two outcomes stand there for the same conditions, and these
    words are not those of two seats, of both sides of an offer or of points in time.

    Examples
    --------
    >>> from negstats.loaders.files.delimited import read_delimited
    >>> from negstats.loaders.files.tabular import Form
    >>> from pathlib import Path
    >>> lines = b"id,points_kind,points_sly,trust_kind,trust_sly\na,1,2,3,4\nb,5,6,7,6\nc,5,4,3,2\n"
    >>> _find_conditions(read_delimited(lines, Path("log.csv"), Form(), None))[0]
    ['kind', 'sly']
    """
    families = {
        words: {stem: of for stem, of in stems.items() if _OUTCOME.fullmatch(english(plain(stem.replace(MARK, " "))))}
        for words, stems in _word_families(table, apart=_TIMES | _SIDES | _STATISTICS).items()
    }
    wide = {words: stems for words, stems in families.items() if len(stems) > 1}
    if not wide or not name_rows(table):
        return [], {}
    words = _widest(wide)
    cells = [build_column(name, table.cells[name]) for of in wide[words].values() for name in of]
    return (list(words), wide[words]) if all(cell.has_numbers or are_few(cell) for cell in cells) else ([], {})


def levels_beside(table: Table) -> list[tuple[list[str], dict[str, list[str]]]]:
    """Return words in columns' names that may be levels of one condition, and for each stem its columns.

    The likeliest words come first: of help_own, help_other, blame_own and blame_other either may be levels, and the
    others measures. The columns of a stem hold numbers of one scale. Whether they are one measure under several
    conditions or several measures no cell tells, so that it is asked. Words for seats are levels where several measures
    have them.
    """
    wide: dict[tuple[str, ...], dict[str, list[str]]] = {}
    for words, stems in _word_families(table, apart=_STATISTICS).items():
        cells = {stem: [build_column(name, table.cells[name]) for name in of] for stem, of in stems.items()}
        alike = {stem: of for stem, of in stems.items() if have_one_scale(cells[stem])}
        if len(alike) > 1 or (alike and not are_seat_words(words)):
            wide[words] = alike
    if not wide:
        return []
    best = _widest(wide)
    columns = {words: {name for of in stems.values() for name in of} for words, stems in wide.items()}
    same = [words for words in wide if words != best and columns[words] == columns[best]]
    return [(list(words), wide[words]) for words in (best, *same)]


def decisions_beside(table: Table) -> list[tuple[list[str], dict[str, list[str]]]]:
    """Return the two columns of a decision that each row makes twice, be it of another stake; [] where none is.

    Who gives more of the one gives more of the other.
    """
    for stem, of in stems_of_columns(table).items():
        names_other = {"person", "trait", "time", "order"} & roles_of(stem.replace(MARK, "").strip("_. ,"))
        if len(of) != 2 or names_other or are_seat_words(of):
            continue
        first, second = (build_column(name, table.cells[name]) for name in of.values())
        are_amounts = all(
            each.has_numbers and each.is_whole and each.n_levels > MOST_OF_RATING for each in (first, second)
        )
        if are_amounts and min(first.values.min(), second.values.min()) >= 0 and _rise_together(first, second):
            return [(list(of), {stem: list(of.values())})]
    return []


def _rise_together(first: Column, second: Column) -> bool:
    """Whether the numbers of two columns are alike in their rows, as what one person does twice is."""
    numbers = np.array([first.numbers, second.numbers], dtype=float)
    numbers = numbers[:, ~np.isnan(numbers).any(axis=0)]
    return numbers.shape[1] > _LEAST and bool(np.corrcoef(numbers)[0, 1] > _ALIKE)


VALUE = f"value_{MARK}"  # the numbers of columns that have nothing but what they are of in their names
_FEWEST_UNITS = 5  # columns of a transposed table


def units_beside(table: Table) -> tuple[list[str], str] | None:
    """Return columns each of which is of another unit, and the one that numbers the rows; None for any other table.

    Such a table has, for instance, a column of each city and a row of each period. Its columns are all numbers of one
    scale whose names have no word in common, but for the one that numbers the rows and is called as an order.
    """
    names = [name for name in table.names if name in table.cells]
    if not _FEWEST_UNITS < len(names) <= _MOST_UNITS:
        return None
    columns = {name: build_column(name, table.cells[name]) for name in names}
    orders = [name for name, each in columns.items() if each.is_unique and each.is_run and is_named(each, "order")]
    if len(orders) != 1:
        return None
    units = [name for name in names if name != orders[0]]
    words = [word for name in units for word in {*words_of_name(name)}]
    is_known = len(set(words)) < len(words) or any(roles_of(name) for name in units)
    is_one_scale = not is_known and have_one_scale([columns[name] for name in units], _SCALE_OF_UNITS)
    return (units, orders[0]) if is_one_scale else None


_MOST_UNITS = 200


def are_seat_words(words: Iterable[str]) -> bool:
    """Whether words are those of seats, or of sides of an offer."""
    plain_words = {english(plain(word)) for word in words}
    parts = {part for word in plain_words for part in re.findall(r"[a-z]+", word)}
    return plain_words <= SEAT_WORDS or not parts.isdisjoint(_SIDES)


def stems_of_columns(table: Table) -> dict[str, dict[str, str]]:
    """Return for each stem of names the words that stand behind or before it, each with its column."""
    by_stem: dict[str, dict[str, str]] = defaultdict(dict)
    for name in table.names:
        if name in table.cells:
            for stem, word in _cuts(name):
                by_stem[stem].setdefault(word, name)
    return by_stem


def _word_families(table: Table, apart: Collection[str]) -> dict[tuple[str, ...], dict[str, list[str]]]:
    """Return for words that may be conditions, none of them `apart`, the stems and the columns of each."""
    families: dict[tuple[str, ...], dict[str, list[str]]] = defaultdict(dict)
    for stem, of in stems_of_columns(table).items():
        if _are_conditions(of, apart):
            words = tuple(sorted(of))
            families[words][stem] = [of[word] for word in words]
    return {words: _of_one_place(stems) for words, stems in families.items()}


def _of_one_place(stems: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the stems of words at one end of the names, where those of the other end have the same columns."""
    last = {stem: of for stem, of in stems.items() if stem.endswith(MARK)}
    first = {stem: of for stem, of in stems.items() if stem not in last}
    is_crossed = not {name for of in last.values() for name in of}.isdisjoint(
        name for of in first.values() for name in of
    )
    return max(last, first, key=len) if is_crossed else stems


def _widest(families: Mapping[tuple[str, ...], Collection[str]]) -> tuple[str, ...]:
    """Return the words of the family with most columns."""
    return max(families, key=lambda words: (len(words) * len(families[words]), sum(map(len, words))))


def have_one_scale(columns: Sequence[Column], least: float = _SAME_SCALE) -> bool:
    """Whether columns vary, are whole or not alike, and reach as far as each other."""
    are_measured = (
        each.has_numbers and each.n_levels > 2 and not (each.is_unique and each.is_whole) for each in columns
    )
    if not all(are_measured):
        return False
    ends = [(float(column.values.min()), float(column.values.max())) for column in columns]
    reach = [max(abs(low), abs(high)) for low, high in ends]
    is_alike = len({column.is_whole for column in columns}) == 1 and len({low < 0 for low, _ in ends}) == 1
    return is_alike and min(reach) >= least * max(reach)


def _cuts(name: str) -> Iterable[tuple[str, str]]:
    """Yield a name's stems, with a mark where a word was, and that word: at the end and at the beginning."""
    for sign in re.finditer(r"[_. ,]|(?<=[a-z])(?=[A-Z])", name):
        first, last = name[: sign.start()], name[sign.end() :]
        if first and last:
            yield f"{first}{sign[0]}{MARK}", last
            yield f"{MARK}{sign[0]}{last}", first


def _are_conditions(words: Iterable[str], apart: Collection[str]) -> bool:
    """Whether words may be conditions: a few, no outcomes themselves, no seats, and none of those that are `apart`."""
    plain_words = [english(plain(word)) for word in words]
    parts = {part for word in plain_words for part in re.findall(r"[a-z]+", word)}
    are_numbered = any(re.fullmatch(r"[a-z]{0,6}_?\d+", word) for word in plain_words)
    if not 2 <= len(plain_words) <= _MOST_CONDITIONS or are_numbered:
        return False
    if any(_OUTCOME.fullmatch(word) for word in plain_words) or not parts.isdisjoint(apart):
        return False
    return not any(set(plain_words) == set(pair) for pair in SEAT_PAIRS)


def name_rows(table: Table) -> bool:
    """Whether a column names each row."""
    return any(_names_rows(build_column(name, cells)) for name, cells in table.cells.items())


def _names_rows(column: Column) -> bool:
    """Whether a column says something else in each row: whose row it is."""
    is_name = column.n_levels == column.rows >= _LEAST and not (column.is_fractional or column.is_prose)
    return is_name and (not column.has_numbers or column.is_count or is_named(column, "person"))
