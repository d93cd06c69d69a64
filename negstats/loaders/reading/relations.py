"""Facts between columns: what determines what, what names rows together, what a unit has of each level, what adds up.

References
----------
.. [1] Goodman, L. A., & Kruskal, W. H. (1954). Measures of association for cross classifications. Journal of the
   American Statistical Association, 49(268), 732-764.
.. [2] Fisher, R. A. (1925). Statistical methods for research workers. Oliver and Boyd.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import special
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from negstats.loaders.reading.columns import HOLDS, Codes, Column, Flags, Numbers

DETERMINES = HOLDS - 0.02  # strength from which on one column determines another
_FEW_GROUPS, _MOST_TABLE = 12, 400  # groups and levels for which the share of rows explained is used
_SEVERAL = 2  # levels of each group
_MANY_LEVELS = 200  # from which on chance pairs are taken as nearly all different
_MOST_CELLS = 4_000_000  # of a table of units and levels
_SET_IN_MANY, _MANY_OF_LEVEL = 0.4, 20  # share of units with each level as often, where they have many rows of each
_SET = 0.85  # share of units
_FEWEST_UNITS, _FEWEST_OF_UNIT = 10, 4  # units, and rows of one, of which it is seen whether they differ
_BY_CHANCE, _NO_CHANCE = 0.05, 1e-6
_MOST_MEASURED = 60  # columns in which rows of a unit may be alike
_UNLIKE = 0.01  # units whose means differ so much are rare by chance
_SOME_MISSING = 0.25  # of the rows of one level, be it a rare one
_MOSTLY_THERE = 0.75  # of the numbers from 1 to the last one that a session has
_NEARLY_ALL = 0.8  # of the numbers of all sessions: of a small group half may be missing
_MUTUAL = 0.5  # of the rows are of one of two who name each other
_FEWEST_TOLD = 6  # different numbers, and different games
_MET = 0.9  # of the people, whom others met
_MOST_BY_CHANCE = 0.5  # of the games have one sum of a number that is nearly always the same
_IN_NEARLY_EACH = 0.9  # of the games
_TWICE_BY_CHANCE = 8.0  # rows beside one of the same level that chance puts there, from which on none is a rule
_MOST_OF_CROSSED = 0.8  # of all combinations, where each group has a sample of the members
_MOST_MARKS = 16  # combinations of levels for each row of which it is marked whether they occur; more are sorted
_MOST_CODES = 2**62  # combinations that whole numbers can tell apart


_CODES: list[str] = []  # 0, 1, ... as texts, as many as were needed so far


def joint_codes(columns: Sequence[Column]) -> Codes:
    """Return codes of combinations of levels, -1 where a cell is empty."""
    filled, combined, room = _combine(columns)
    codes = np.full(len(filled), -1, np.int64)
    codes[filled] = _from_zero_on(combined, room)
    return codes


def _combine(columns: Sequence[Column]) -> tuple[Flags, Codes, int]:
    """Return which rows are filled, the combinations of levels in these as codes, and how many combinations there are.

    The level of the first column counts most. Where whole numbers cannot tell all combinations apart, those that do not
    occur are left out.
    """
    filled = np.logical_and.reduce([column.filled for column in columns])
    codes, room = columns[0].codes[filled].astype(np.int64), columns[0].n_levels
    for column in columns[1:]:
        if room * column.n_levels > _MOST_CODES:
            codes = _from_zero_on(codes, room)
            room = int(codes.max(initial=-1)) + 1
        codes, room = codes * column.n_levels + column.codes[filled], room * column.n_levels
    return filled, codes, room


def _from_zero_on(codes: Codes, room: int) -> Codes:
    """Return codes below `room` in their order as 0, 1, ..., without those that do not occur."""
    if room > _MOST_MARKS * len(codes):
        return np.unique(codes, return_inverse=True)[1].astype(np.int64)
    numbers: Codes = np.cumsum(_occurrences(codes, room))[codes] - 1
    return numbers


def _occurrences(codes: Codes, room: int) -> Flags:
    """Return for each code below `room` whether it occurs: the codes are marked, and never sorted."""
    occur = np.zeros(room, bool)
    occur[codes] = True
    return occur


def distinct_pairs(given: Column, other: Column) -> Codes:
    """Return the pairs of levels of two columns that stand in some row, as codes: the first's level is the greater."""
    return _distinct_below(*_combine([given, other])[1:])


def _distinct_below(codes: Codes, room: int) -> Codes:
    return distinct(codes) if room > _MOST_MARKS * len(codes) else np.flatnonzero(_occurrences(codes, room))


def distinct(codes: Codes) -> Codes:
    """Return the different codes in their order: they are sorted, which of whole numbers is quicker than a hash."""
    in_order = np.sort(codes)
    return in_order[np.append(True, np.diff(in_order) != 0)] if len(codes) else in_order


def code_column(name: str, codes: Codes) -> Column:
    """Return codes as a column of words, for facts about combinations of columns."""
    count = int(codes.max()) + 1 if codes.size else 0
    _CODES.extend(map(str, range(len(_CODES), count)))
    return Column(name, codes, _CODES[:count], None)


def crossed(*columns: Column) -> Column:
    """Return the combinations of the levels of columns as one column, which is called after all of them."""
    return code_column(" × ".join(column.name for column in columns), joint_codes(columns))


def determination(given: Column, other: Column) -> float:
    """Return how far a column determines another, from 0 (as by chance) to 1 (always); each pair is looked at once."""
    if other not in given.determinations:
        given.determinations[other] = _determination(given, other)
    return given.determinations[other]


def _determination(given: Column, other: Column) -> float:
    """Return how far a column determines another.

    The number of different pairs is compared with the least possible one and with the one expected by chance. Without
    the correction by chance any column determines one that is nearly constant. Of few groups it is the share of rows
    that the usual level explains [1]_. Groups of which each would have several levels determine none of them.
    """
    both = given.filled & other.filled
    count = int(both.sum())
    group_codes, level_codes = given.codes[both], other.codes[both]
    sizes = np.bincount(group_codes, minlength=given.n_levels)
    sizes = sizes[sizes > 0]
    if count == 0 or other.n_levels < 2 or (sizes > 1).sum() < 2:
        return 0.0
    if given.n_levels <= _FEW_GROUPS and other.n_levels <= _MOST_TABLE:
        table = _count_pairs(group_codes, given.n_levels, level_codes, other.n_levels)
        usual = table.sum(axis=0).max()
        return float((table.max(axis=1).sum() - usual) / (count - usual)) if count > usual else 0.0
    pairs = len(distinct_pairs(given, other))
    shares = np.bincount(level_codes, minlength=other.n_levels) / count
    shares = shares[shares > 0]
    if len(shares) >= _SEVERAL * len(sizes):
        return 0.0
    # How many different levels groups of these sizes would have by chance.
    if len(shares) > _MANY_LEVELS:
        expected = sizes.sum() * 0.95
    else:
        different, times = np.unique(sizes, return_counts=True)
        expected = float(times @ (1 - (1 - shares) ** different[:, np.newaxis]).sum(axis=1))
    room = expected - len(sizes)
    return float((expected - pairs) / room) if room > 3 else 0.0


def varies_within(units: npt.NDArray[np.signedinteger[Any]], values: npt.NDArray[np.generic]) -> bool:
    """Whether some unit has two values: each row's is held against the last one of its unit."""
    if not len(units):
        return False
    last = np.empty(int(units.max()) + 1, values.dtype)
    last[units] = values
    return bool((last[units] != values).any())


def determines(given: Column, other: Column) -> bool:
    """Whether a column determines another in nearly all rows."""
    return determination(given, other) >= DETERMINES


def _count_pairs(rows: Codes, n_rows: int, columns: Codes, n_columns: int) -> Codes:
    return np.bincount(rows * n_columns + columns, minlength=n_rows * n_columns).reshape(n_rows, n_columns)


def linked_codes(games: Codes, people: Codes) -> Codes:
    """Return for each row the group of all who are linked through games, directly or through others; -1 if unknown."""
    there = (games >= 0) & (people >= 0)
    n_games, n_people = int(games.max(initial=-1)) + 1, int(people.max(initial=-1)) + 1
    size = n_games + n_people
    edges = coo_array((np.ones(int(there.sum())), (games[there], n_games + people[there])), (size, size))
    groups = connected_components(edges, directed=False)[1].astype(np.int64)
    linked = np.where(there, groups[np.maximum(games, 0)], -1)
    return joint_codes([Column("", linked, [""] * len(groups), None)])


def levels_within(unit: Column, other: Column) -> Codes:
    """Return how many levels of a column stand in each level of the unit."""
    return np.bincount(distinct_pairs(unit, other) // max(other.n_levels, 1), minlength=unit.n_levels)


def are_unique_together(columns: Sequence[Column], least: float = HOLDS) -> bool:
    """Whether combinations of columns name nearly every row by itself."""
    n_whole = columns[0].rows - sum(column.rows - column.n_filled for column in columns)
    if math.prod(column.n_levels for column in columns) < least * n_whole:
        return False  # there are too few combinations, whichever occur
    _, codes, room = _combine(columns)
    return len(codes) > 0 and len(_distinct_below(codes, room)) >= least * len(codes)


def are_sampled(members: Column, groups: Column) -> bool:
    """Whether levels of a column stand in some levels of another only, and never twice in one, where chance puts some.

    So do bidders in lots, and pictures that each person was shown a few of: whoever is there is there once.
    """
    if begins_anew(members, groups) or begins_anew(groups, members):
        return False  # trials of people, some of whom have fewer
    pairs = joint_codes([groups, members])
    n_rows, n_pairs = int((pairs >= 0).sum()), int(pairs.max(initial=-1)) + 1
    if n_pairs < HOLDS * n_rows or n_pairs > _MOST_OF_CROSSED * groups.n_levels * members.n_levels:
        return False
    same_group = float((groups.sizes * (groups.sizes - 1.0)).sum()) / 2
    expected = same_group * float(((members.sizes / members.sizes.sum()) ** 2).sum())
    return expected >= _TWICE_BY_CHANCE and n_rows - n_pairs < 0.2 * expected


def are_drawn_together(column: Column, other: Column) -> bool:
    """Whether each level of a column has each level of another as often, or more equally than chance allows."""
    pairs = crossed(column, other)
    if pairs.n_levels < column.n_levels * other.n_levels:
        return False
    table = pairs.sizes.reshape(column.n_levels, other.n_levels)
    return pairs.is_even or bool((np.ptp(table, axis=1) <= 0.02 * table.max(axis=1)).all())


def begins_anew(number: Column, block: Column) -> bool:
    """Whether a column counts from its first number on in each level of another: pairs or seats of each session."""
    if not number.is_run or block.n_levels < 2 or number.numbers is None:
        return False
    blocks, numbers = np.divmod(distinct_pairs(block, number), number.n_levels)
    counts = np.bincount(blocks, minlength=block.n_levels)
    last = np.full(block.n_levels, -1, np.int64)
    np.maximum.at(last, blocks, numbers)
    # Numbers up to the last one stand in the level but for some who did not come, and most in several levels.
    shared = np.bincount(numbers, minlength=number.n_levels) > 1
    is_whole = np.mean(counts >= _MOSTLY_THERE * (last + 1)) > 0.9 or counts.sum() >= _NEARLY_ALL * (last + 1).sum()
    return bool(is_whole and shared.mean() > 0.6)


def is_run_within(number: Column, block: Column) -> bool:
    """Whether a column counts the rows of each level of another: the turns of a game, or the rows of a session."""
    return begins_anew(number, block) and are_unique_together([block, number])


def find_orders(game: Column, columns: Iterable[Column]) -> list[Column]:
    """Return the columns that give each row of a game a place of its own: numbers, and dates, as their levels stand."""
    able = (each for each in columns if each is not game and (each.numbers is not None or each.is_moment))
    return [each for each in able if are_unique_together([game, each])]


def tells_rows(unit: Column, number: Column) -> bool:
    """Whether something tells the rows of each unit apart as an order does.

    Numbers begin in nearly each unit with the least one, as turns and clocks do, and moments name when something was.
    """
    if not (number.has_numbers or number.is_moment) or not are_unique_together([unit, number]):
        return False
    if number.is_moment:
        return True
    least = np.full(unit.n_levels, number.n_levels, np.int64)
    both = unit.filled & number.filled
    np.minimum.at(least, unit.codes[both], number.codes[both])
    return bool(np.mean(least[unit.sizes > 0] == 0) > _IN_NEARLY_EACH)


def steps_within(game: Column, number: Column, order: Column | None) -> Numbers:
    """Return by how much a number changes from row to row of each game, in an order or as rows stand."""
    assert number.numbers is not None  # noqa: S101 - who calls has checked
    rows = np.lexsort((np.arange(game.rows) if order is None else order.codes, game.codes))
    rows = rows[(game.filled & number.filled)[rows]]
    is_next = game.codes[rows][1:] == game.codes[rows][:-1]
    steps: Numbers = np.diff(number.numbers[rows])[is_next]
    return steps


def takes_turns(game: Column, actor: Column, orders: Iterable[Column | None]) -> bool:
    """Whether the actor changes from row to row of a game, in one of its orders; None is that in which rows stand."""
    for number in orders:
        if number is actor:
            continue
        places = np.arange(game.rows) if number is None else number.codes
        order = np.lexsort((places, game.codes))
        order = order[game.filled[order] & actor.filled[order] & (places[order] >= 0)]
        is_next = game.codes[order][1:] == game.codes[order][:-1]
        changes = actor.codes[order][1:] != actor.codes[order][:-1]
        if is_next.sum() > 5 and changes[is_next].mean() > 0.9:
            return True
    return False


def _unit_table(units: Codes, other: Column) -> Codes | None:
    """Return how often each unit has each level; None if there are too few units, or too many cells."""
    both = (units >= 0) & other.filled
    rows = units[both]
    count = int(rows.max()) + 1 if len(rows) else 0
    if count < 3 or count * other.n_levels > _MOST_CELLS:
        return None
    return _count_pairs(rows, count, other.codes[both], other.n_levels)


def share_of_balanced_units(units: Codes, other: Column) -> float:
    """Return the share of units in which all levels of a column stand equally often: it was set within units."""
    table = _unit_table(units, other)
    if table is None:
        return 0.0
    is_large = table.sum(axis=1) >= other.n_levels
    if is_large.sum() < 3:
        return 0.0
    is_balanced = table.max(axis=1) - table.min(axis=1) <= 0.05 * table.max(axis=1)
    share = float(is_balanced[is_large].mean())
    # Of many rows nobody has three levels as often by chance, and from some people a few rows are taken out.
    is_many = other.n_levels > 2 and float(np.median(table)) >= _MANY_OF_LEVEL
    return 1.0 if is_many and share > _SET_IN_MANY else share


def share_of_usual_units(units: Codes, other: Column) -> float:
    """Return the share of units with the usual number of each level: a stimulus, the same set for everybody."""
    table = _unit_table(units, other)
    if table is None:
        return 0.0
    usual = np.median(table, axis=0)
    if (usual > 0).sum() < 2:
        return 0.0
    # Of what is rare, such as errors, nobody has a usual number by chance: each level must be as frequent as usual.
    is_usual = np.abs(table - usual).sum(axis=1) <= 0.05 * table.sum(axis=1).mean() + 1e-9
    is_usual &= (np.abs(table - usual) <= _SOME_MISSING * usual).all(axis=1)
    return float(is_usual.mean())


def is_set_within(units: Codes, other: Column) -> bool:
    """Whether units have the levels of a column equally often, or all the same number of each: by a design."""
    return max(share_of_balanced_units(units, other), share_of_usual_units(units, other)) > _SET


def differs_by_chance(units: Codes, other: Column) -> bool:
    """Whether many units differ in a column no more than chance allows, as what was drawn for each row does.

    In what people decide they hardly ever differ so little.
    """
    table = _unit_table(units, other)
    if table is None:
        return False
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    count, n_levels = table.shape
    if count < _FEWEST_UNITS or n_levels < 2 or np.median(table.sum(axis=1)) < _FEWEST_OF_UNIT:
        return False
    return bool(special.chdtrc((count - 1) * (n_levels - 1), _chi_squared(table)) > _BY_CHANCE)


def follows(column: Column, condition: Column) -> bool:
    """Whether a column differs between the levels of a condition beyond any doubt, and is no finer or coarser one."""
    both = column.filled & condition.filled
    if both.sum() < _FEWEST_UNITS**2 or column.n_levels * condition.n_levels > _MOST_TABLE:
        return False
    if determines(column, condition) or determines(condition, column):
        return False
    table = _count_pairs(column.codes[both], column.n_levels, condition.codes[both], condition.n_levels)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    return bool(special.chdtrc((table.shape[0] - 1) * (table.shape[1] - 1), _chi_squared(table)) < _NO_CHANCE)


def _chi_squared(table: Codes) -> float:
    """Return how far counts lie from independent rows and columns."""
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / table.sum()
    return float(((table - expected) ** 2 / expected).sum())


def differs_in_mean(units: Column, amount: Column, condition: Column, rare: float = _UNLIKE) -> bool:
    """Whether units differ in the mean of a number beyond chance, once the means of a condition are taken out [2]_."""
    assert amount.numbers is not None  # noqa: S101 - who calls has checked
    both = units.filled & amount.filled & condition.filled
    values, unit, level = amount.numbers[both], units.codes[both], condition.codes[both]
    rest = values - (np.bincount(level, values) / np.maximum(np.bincount(level), 1))[level]
    sizes = np.bincount(unit)
    means = np.bincount(unit, rest) / np.maximum(sizes, 1)
    n_units, within = int((sizes > 0).sum()), float(((rest - means[unit]) ** 2).sum())
    free = len(rest) - n_units - condition.n_levels + 1
    if free < 1 or n_units < 2 or within <= 0:
        return within <= 0 < len(rest)
    ratio = float((sizes * means**2).sum()) / (n_units - 1) / (within / free)
    return bool(special.fdtrc(n_units - 1, free, ratio) < rare)


def are_others(column: Column, person: Column, least: float = 1.0) -> bool:
    """Whether a column names people by the same numbers as another one, and in no row the same one: whom each met.

    With `least` some may stand in one of the columns alone, where rows are lost.
    """
    if column is person or column.n_levels < _MET * person.n_levels:
        return False
    places = {level: place for place, level in enumerate(person.levels)}
    codes = np.array([places.get(level, -1) for level in column.levels], np.int64)
    if np.mean(codes >= 0) < least:
        return False
    both = column.filled & person.filled
    return bool((codes[column.codes[both]] != person.codes[both]).all())


def partners_among(columns: Sequence[Column]) -> frozenset[Column]:
    """Return the columns that name whom people met: called as the one of the people is, and more, such as a partner."""
    names = {column: column.name.casefold() for column in columns if not (column.is_prose or column.parts)}
    pairs = ((other, own) for other, own in itertools.permutations(names, 2) if names[own] in names[other])
    return frozenset(other for other, own in pairs if names[own] != names[other] and are_others(other, own))


def name_each_other(person: Column, other: Column, within: Column | None = None) -> bool:
    """Whether most rows name another row by its person, and are named by that one: two of a pair.

    Numbers of people that begin anew in each session name them `within` it.
    """
    are_numbers = person.has_numbers and other.has_numbers  # which may be written in two ways
    if are_numbers and not np.isin(other.values, person.values).mean() >= _MUTUAL:
        return False
    if not are_numbers and len(set(person.levels).intersection(other.levels)) < _MUTUAL * other.n_levels:
        return False

    def names(column: Column) -> pl.Series:
        texts = pl.Series([*column.levels, None], dtype=pl.String)
        return pl.Series(column.numbers, nan_to_null=True) if are_numbers else texts.gather(column.codes % len(texts))

    sessions = np.zeros(person.rows, np.int64) if within is None else within.codes
    rows = pl.DataFrame({"session": sessions, "own": names(person), "named": names(other)})
    rows = rows.filter((pl.col("session") >= 0) & (pl.col("own") != pl.col("named")))
    swapped = ["session", "named", "own"]
    named_in_turn = rows.join(rows, left_on=swapped, right_on=rows.columns, how="semi")
    return len(named_in_turn) >= _MUTUAL * person.rows


def unordered(one: Column, other: Column) -> Column:
    """Return for each row which two levels stand in two columns, in whatever order."""
    names = {level: place for place, level in enumerate(dict.fromkeys([*one.levels, *other.levels]))}
    codes = [np.array([*(names[level] for level in each.levels), -1])[each.codes] for each in (one, other)]
    first, second = np.minimum(*codes), np.maximum(*codes)
    return code_column("", joint_codes([Column("", each, list(names), None) for each in (first, second)]))


def name_pair(one: Column, other: Column) -> Column:
    """Return the pair of those who name each other as one column."""
    parts = (one.name, other.name)
    return replace(unordered(one, other), name=f"{one.name} & {other.name}", is_pair=True, parts=parts)


def are_swapped(games: Codes, one: Column, other: Column) -> bool:
    """Whether the two rows of nearly each game name the same two, who change places: each tells of one of them."""
    rows = np.flatnonzero((games >= 0) & one.filled & other.filled)
    rows = rows[np.argsort(games[rows], kind="stable")]
    sizes = np.bincount(games[rows])
    starts = (np.cumsum(sizes) - sizes)[sizes == 2]
    first, second = rows[starts], rows[starts + 1]
    swap = (one.codes[first] == other.codes[second]) & (other.codes[first] == one.codes[second])
    return len(starts) > 0 and float(swap.sum()) > 0.9 * int((sizes > 0).sum())


def repeat_others(columns: Sequence[Column], own: Column) -> bool:
    """Whether columns of a row say again what another one says in the other rows of its game: what the others gave.

    As many rows as are in a game have the same numbers in all these columns together, and each of them is a row's own.
    """
    are_within = (
        each.n_levels > 1 and each.values.size and own.values[0] <= each.values[0] and each.values[-1] <= own.values[-1]
        for each in columns
    )
    if own.n_levels < _FEWEST_TOLD or not (own.has_numbers and all(are_within)):
        return False
    if not all(np.isin(each.values, own.values).mean() > HOLDS for each in columns):
        return False
    numbers = np.column_stack([each.numbers for each in (own, *columns) if each.numbers is not None])
    numbers = numbers[~np.isnan(numbers).any(axis=1)]
    together = np.sort(numbers, axis=1)
    together, mine = together[np.ptp(together, axis=1) > 0], numbers[np.ptp(together, axis=1) > 0, 0]
    if len(mine) < _FEWEST_TOLD * numbers.shape[1]:
        return False
    sets, places, sizes = np.unique(together, axis=0, return_inverse=True, return_counts=True)
    places = places.reshape(-1)
    times = (sets[places] == mine[:, np.newaxis]).sum(axis=1)  # that a row's own number stands in its set
    pairs, of_pair, rows = np.unique(np.column_stack([places, mine]), axis=0, return_inverse=True, return_counts=True)
    is_told = rows[of_pair.reshape(-1)] * numbers.shape[1] == sizes[places] * times
    return len(sets) >= _FEWEST_TOLD and len(pairs) > len(sets) and bool(is_told.mean() > _NEARLY_ALL)


def are_alike_somewhere(columns: Iterable[Column], units: Column) -> bool:
    """Whether rows of one unit are more alike than chance allows in some column of numbers or of few levels."""
    whole = code_column("whole", np.zeros(units.rows, np.int64))
    able = [column for column in columns if column is not units and column.numbers is not None and column.n_levels > 1]
    measured = [column for column in able if not column.numbers_rows][:_MOST_MEASURED]
    return any(differs_in_mean(units, column, whole, _UNLIKE / len(measured)) for column in measured)


def sum_of(first: Column, second: Column) -> Column:
    """Return the sum of two columns of numbers as a column."""
    assert first.numbers is not None  # noqa: S101 - who calls has checked
    assert second.numbers is not None  # noqa: S101
    sums = np.round(first.numbers + second.numbers, 6)
    is_there = ~np.isnan(sums)
    levels, places = np.unique(sums[is_there], return_inverse=True)
    codes = np.full(len(sums), -1, np.int64)
    codes[is_there] = places
    return Column(f"{first.name} + {second.name}", codes, [f"{level:g}" for level in levels], levels)


def opposition(games: Codes, amount: Column) -> tuple[bool, bool]:
    """Return whether an amount has one sum in each game, and whether more for one seat is less for the other.

    The second is a negative intraclass correlation: sums over games vary less than independent amounts would.
    """
    if amount.numbers is None:
        return False, False
    both = (games >= 0) & amount.filled
    game_codes, values = games[both], amount.numbers[both]
    if len(game_codes) < 12:
        return False, False
    sizes = np.bincount(game_codes)
    usual_size = int(np.bincount(sizes).argmax())
    if usual_size < 2:
        return False, False
    sums = np.bincount(game_codes, values)[sizes == usual_size]
    if len(sums) < 6 or np.std(values) == 0:
        return False, False
    middle = float(np.median(sums))
    # Of a number that is nearly always the same, sums are so by chance.
    by_chance = (np.unique(values, return_counts=True)[1].max() / len(values)) ** usual_size
    is_constant = by_chance < _MOST_BY_CHANCE and np.mean(np.abs(sums - middle) <= 1e-6 + 0.002 * abs(middle)) > 0.9
    ratio = sums.var() / (usual_size * values.var())
    is_opposed = special.chdtr(len(sums) - 1, ratio * (len(sums) - 1)) < 0.001
    return bool(is_constant), bool(is_opposed)


def is_missing_by(column: Column, of: Column) -> bool:
    """Whether a column is empty at just some levels of another, and not merely in whole files: a price of deals."""
    is_partly = column.share_filled < 0.98 and not column.is_in_some_files
    return is_partly and determination(of, column.presence) > 0.95
