"""Clusters: sessions, matching groups, classes or villages of people who met, or have something in common.

A column names clusters if each person, or each game, lies in one of its levels. It is called so, or a condition was
given to whole levels of it and several levels had the same condition, or another column numbers the same few people in
each of them. Rows of one cluster are not independent where
people met in it, or where what they did differs between clusters more than between people who are dealt anew into
clusters of the same condition.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from negstats.loaders.reading.columns import HOLDS, Codes, Column, Numbers, stacked
from negstats.loaders.reading.facts import LEAST_LEVELS, MOST_OF_CONDITION, Facts, numbers_rounds
from negstats.loaders.reading.hypotheses import Hypothesis
from negstats.loaders.reading.people_of_seats import find_people
from negstats.loaders.reading.relations import (
    are_unique_together,
    begins_anew,
    code_column,
    crossed,
    determines,
    joint_codes,
    levels_within,
    linked_codes,
    name_each_other,
)
from negstats.loaders.reading.words import is_named, names_game, names_session

FEWEST = 4  # clusters
_LEAST_UNITS = 2  # of a cluster
_MOSTLY_WHOLE = 0.5  # of the clusters have as many units as the largest
_MOST_OUTCOMES = 6
_MOST_SEATS = 12
_MOST_CLUSTERS = 3  # that are offered
_MOST_SESSIONS = 3  # columns in which numbers of people may begin anew
_FEWEST_OF_GROUPS, _LARGEST_GROUP, _MOST_NUMBERS = 12, 6, 8  # rows, rows of a group, and columns that are looked at
_EXACT = 1e-3  # of the range of a number, which sums that are called one may differ
_MOSTLY_FILLED, _MOST_ORDERED = 0.8, 10_000  # of the cells of a number, and rows in order that are looked at
_MOST_IN_GROUPS, _LEAST_IN_STEP = 0.6, 0.3  # of the rows stand in whole groups, and of the steps are of one slope
_SHUFFLED = 19  # times that rows are put in another order
_TIMES, _RARE = 199, 0.05  # people are dealt anew so often, and the share in which clusters may differ as much
_NO_SESSION = ("trait", "outcome", "amount", "time")


@dataclass(frozen=True)
class Cluster:
    """A column that names clusters.

    Attributes
    ----------
    column : Column
        The column.
    have_met : bool
        Whether units of one cluster met.
    is_likely : bool
        Whether units of one cluster are likely not independent.
    evidence : str
        Why.
    """

    column: Column
    have_met: bool
    is_likely: bool
    evidence: str


def find_clusters(
    facts: Facts, row: Hypothesis, conditions: Sequence[Column], outcomes: Sequence[Column]
) -> list[Cluster]:
    """Return the columns that may name clusters of units, sessions before their groups; [] if nothing hangs on any.

    Parameters
    ----------
    facts
        Of the table.
    row
        What a row is.
    conditions
        What was set, or may have been.
    outcomes
        What was measured.
    """
    person = row.person if row.person is not None and not row.person.is_unique else None
    unit = code_column("unit", _units(facts, row, person))
    partner = next((one for pair in facts.mutual if person in pair for one in pair if one is not person), None)
    of_partners = [each for each in facts.columns if _meet_within(each, person, partner)]
    able = _find_candidates(facts, row, unit, of_partners, conditions)
    common = {column: _find_common_number(column, facts, row, conditions) for column in able}
    seats = {column: seat for column in able if (seat := _seat_in(column, unit, facts)) is not None}
    seats |= {column: partner for column in able if partner is not None and _meet_within(column, person, partner)}
    sessions = row.person.parts[:-1] if row.person is not None else ()
    able = [
        column
        for column in able
        if is_called(column)
        or column in seats
        or column.name in sessions
        or common[column] is not None
        or _is_finer(column, conditions)
    ]
    able.sort(key=lambda each: (is_called(each), each.n_levels, each.name), reverse=True)
    finer = [each for each in able[1:] if determines(each, able[0])]
    clusters: list[Cluster] = []
    for column in [*able[:1], *finer]:
        meeting = _find_meeting(column, facts, row, common[column], seats.get(column))
        cluster = _build_cluster(column, unit, meeting, conditions, outcomes)
        if cluster is None:
            break  # what holds for no session holds for none of its groups
        clusters.append(cluster)
    return clusters[:_MOST_CLUSTERS]


def _find_candidates(
    facts: Facts, row: Hypothesis, unit: Column, of_partners: Sequence[Column], conditions: Sequence[Column]
) -> list[Column]:
    """Return the columns in whose levels units lie, several in each, that are called so or have many levels.

    So are those `of_partners`, within whose levels people have all their partners, and those to whose few levels
    `conditions` were given as to villages.
    """
    *sessions, number = row.person.parts if row.person is not None and row.person.parts else ("",)
    columns = [_with_session(column, sessions, facts) for column in facts.columns]
    columns = [_with_block(column, row) for column in columns]
    wordy = [
        column
        for column in columns
        if is_called(column)
        or column.n_levels > MOST_OF_CONDITION
        or column.name in sessions
        or column in of_partners
        or (row.kind == "alone" and _is_finer(column, conditions))
    ]
    wordy = [_with_place(column, facts) if row.kind == "alone" else column for column in wordy]
    no_clusters = {number} | {each.name for each in facts.met or ()} | facts.names_of_seats
    able = (each for each in wordy if each.name not in no_clusters and not _numbers_units(each, unit, row))
    return [each for each in able if _may_be_cluster(each, unit)]


def _numbers_units(column: Column, unit: Column, row: Hypothesis) -> bool:
    """Whether a group is numbered anew in each place of which games are: the third group of two schools is no one."""
    has_people_again = row.person is not None and not row.person.is_unique
    if not (has_people_again and column in row.game and names_game(column)):
        return False
    places = [each for each in row.game if each is not column and determines(unit, each)]
    return bool(places) and begins_anew(column, crossed(*places))


def _with_session(group: Column, sessions: Sequence[str], facts: Facts) -> Column:
    """Return a group together with the session in which it is numbered, where people are named by both."""
    if group.name not in sessions[1:]:
        return group
    parts = [each for each in facts.columns if each.name in sessions[: sessions.index(group.name) + 1]]
    parts.sort(key=lambda each: sessions.index(each.name))
    return replace(crossed(*parts), parts=tuple(each.name for each in parts))


def _with_block(group: Column, row: Hypothesis) -> Column:
    """Return a group together with the session in which it is numbered anew, where both name a game."""
    others = [each for each in row.game if each is not group and begins_anew(group, each)]
    sessions = [each for each in others if names_session(each) and not names_game(each)] or others[: len(row.game) == 2]
    if group not in row.game or len(sessions) != 1:
        return group
    if begins_anew(sessions[0], group) and not names_session(sessions[0]):
        return group  # pairs of villages, or villages of pairs
    return replace(crossed(sessions[0], group), parts=(sessions[0].name, group.name))


def _build_cluster(
    column: Column, unit: Column, meeting: str, conditions: Sequence[Column], outcomes: Sequence[Column]
) -> Cluster | None:
    """Return a column as clusters; None if nobody met in them, nothing differs between them, and nothing was set."""
    shared = [each for each in dict.fromkeys(conditions) if each is not column and determines(column, each)]
    others = [each for each in dict.fromkeys(conditions) if each not in (column, *shared)]
    differing = _differing(column, unit, (shared, others), outcomes)
    if not (meeting or differing or shared):
        return None
    words = [f"each of {unit.n_levels} units lies in one of {column.n_levels} levels of {column.label}"]
    words += [f"{', '.join(each.name for each in shared)}: one in each"] * bool(shared)
    words += [meeting] if meeting else []
    words += [f"{differing} differs between them beyond chance"] if differing else []
    return Cluster(column, bool(meeting), bool(meeting or differing), "; ".join(words))


def _with_place(session: Column, facts: Facts) -> Column:
    """Return a session together with the place that numbers it anew, where people are numbered in both; else as it is.

    The first session of one city is not the first of another: a column numbers the people of each of them from 1 on.
    """
    if not is_called(session):
        return session
    numbers = [each for each in facts.discrete if each.is_run and not are_unique_together([session, each])]
    able = (each for each in facts.discrete if not (each.is_source or is_named(each, "order")))
    places = [each for each in able if 1 < each.n_levels <= session.n_levels]
    for place in sorted(places, key=lambda each: -each.n_levels):
        if place is session or determines(session, place) or determines(place, session):
            continue
        joint = crossed(place, session)
        members = (each for each in numbers if each not in (place, session) and are_unique_together([joint, each]))
        if any(begins_anew(number, joint) for number in members):
            return replace(joint, parts=(place.name, session.name))
    return session


def _find_meeting(column: Column, facts: Facts, row: Hypothesis, common: Column | None, seat: Column | None) -> str:
    """Return why people of one level of a column met; "" if nothing says so.

    Who met in games that are known is one unit already.
    """
    person = row.person if row.person is not None and not row.person.is_unique else None
    is_own_row = row.kind in ("alone", "repeated")
    meetings = (each for each in facts.discrete if is_own_row and _tells_meeting(each, column, person))
    teller = next(meetings, None)
    if teller is None and common is not None:
        return f"{common.name} is one number in each round of a {column.label}"
    teller = teller or (column if person is None and column in row.game else seat)
    return f"{teller.name} tells whom people met" if teller is not None else ""


def _meet_within(column: Column, person: Column | None, partner: Column | None) -> bool:
    """Whether each person is of one level of a column, and has partners of that level alone."""
    if person is None or partner is None or column in (person, partner) or not determines(person, column):
        return False
    levels = np.full(person.n_levels + 1, -1)
    levels[person.codes] = column.codes
    is_there = person.filled & partner.filled & column.filled
    return bool((levels[partner.codes] == column.codes)[is_there].all())


def _find_common_number(column: Column, facts: Facts, row: Hypothesis, conditions: Sequence[Column]) -> Column | None:
    """Return a number that all of one level of a column have in each round, and others do not: what they made together.

    What is one number in each round of a condition was set for it.
    """
    if row.kind != "repeated" or row.order is None:
        return None
    rounds = crossed(column, row.order)
    wider = [row.order, column, *(crossed(each, row.order) for each in conditions)]
    numbers = (each for each in facts.columns if each.has_numbers and each.n_levels > MOST_OF_CONDITION)
    able = (each for each in numbers if each not in (column, row.order, row.person) and determines(rounds, each))
    return next((each for each in able if not any(determines(part, each) for part in wider)), None)


def _units(facts: Facts, row: Hypothesis, person: Column | None) -> Codes:
    """Return the unit of each row: all who are linked through games, a person, or the row."""
    if row.kind in ("seats", "events"):
        games = joint_codes(row.game)
        return games if person is None else linked_codes(games, person.codes)
    if person is not None:
        return person.codes
    of_seats = facts.people_of_seats  # who met in a row, and again in others
    if not of_seats:
        return np.arange(facts.rows)
    people = find_people(facts) or stacked("", of_seats)
    units = linked_codes(np.tile(np.arange(facts.rows), len(of_seats)), people.codes)
    return np.asarray(units.reshape(len(of_seats), -1).max(axis=0))


def is_called(column: Column) -> bool:
    """Whether a column is called as sessions are; a group of few levels may be a condition."""
    is_condition = is_named(column, "condition") and column.n_levels <= MOST_OF_CONDITION
    session = replace(column, name=column.parts[-1]) if column.parts else column
    return names_session(session) and not is_condition and not is_named(column, *_NO_SESSION)


def _may_be_cluster(column: Column, unit: Column) -> bool:
    """Whether units lie in the levels of a column, several in each."""
    is_of_people = column.parts and not is_called(column)
    if column.n_levels < FEWEST or column.is_fractional or is_of_people or column.share_filled < 1:
        return False
    if column.is_prose and not is_called(column):
        return False
    if column.n_levels * _LEAST_UNITS > unit.n_levels or is_named(column, *_NO_SESSION):
        return False
    is_of_units = unit.is_unique or determines(unit, column)
    return is_of_units and bool(np.median(levels_within(column, unit)) >= _LEAST_UNITS)


def _is_finer(column: Column, conditions: Sequence[Column]) -> bool:
    """Whether several levels of a column had one level of a condition each; what is called one is none of them."""
    if is_named(column, "condition"):
        return False
    given = [each for each in conditions if each.n_levels < column.n_levels and determines(column, each)]
    if not given:
        return False
    cells = crossed(*given)
    return cells.n_levels > 0 and bool(np.median(levels_within(cells, column)) >= _LEAST_UNITS)


def _seat_in(column: Column, unit: Column, facts: Facts) -> Column | None:
    """Return what tells the units of each level apart, as many in most: the number of a player in each group."""
    sizes = levels_within(column, unit)
    size = int(sizes.max())
    is_whole = float(np.mean(sizes == size)) >= _MOSTLY_WHOLE  # in the others somebody did not come
    if size > _MOST_SEATS or size < _LEAST_UNITS or not is_whole:
        return None
    few = (each for each in facts.discrete if each.n_levels == size and each is not column)
    return next((each for each in few if determines(unit, each) and _names_each(column, each, unit)), None)


def _names_each(column: Column, seat: Column, unit: Column) -> bool:
    """Whether no two units of one level have the same seat."""
    names = crossed(column, seat)
    return names.n_levels == unit.n_levels and determines(names, unit)


def find_unnamed_groups(facts: Facts) -> str | None:
    """Return why rows that stand together are groups though no column names these; None if nothing says so.

    In most groups of as many rows, in the order of what names the rows, numbers have one sum (what one gets the other
    does not), or two of them together are one number, another one than in the next group: what a public good pays. Some
    rows and cells may be lost.
    """
    if facts.rows < _FEWEST_OF_GROUPS:
        return None
    numbers = [each for each in facts.columns if each.has_numbers and each.n_levels > 3 and not each.numbers_rows]
    # Of arms that are dealt in turn each few rows have one sum.
    numbers = [each for each in numbers if not (each.is_even and each.n_levels <= MOST_OF_CONDITION)]
    numbers = [each for each in numbers if each.share_filled > _MOSTLY_FILLED][:_MOST_NUMBERS]
    for name in [*(each for each in facts.columns if each.numbers_rows or each in facts.unique), None]:
        # A row that stands twice counts once.
        order = np.arange(facts.rows) if name is None else np.unique(name.codes, return_index=True)[1]
        values = {each: np.asarray(each.numbers)[order[:_MOST_ORDERED]] for each in numbers}
        if (best := max(_numbers_of_groups(values), default=None)) is not None:
            _, negative_size, words = best
            place = "" if name is None else f" in the order of {name.name}"
            return f"each {-negative_size} rows{place} have {words}"
    return None


def _numbers_of_groups(values: Mapping[Column, Numbers]) -> Iterator[tuple[float, int, str]]:
    """Yield what rows that stand together have in common, after the share of them and the size of their groups (less).

    Where not all rows have it, half as many must never have it when they are shuffled: it is none of chance.
    """
    rng = np.random.default_rng(0)
    kinds = [(f"one sum of {column.name}", numbers, True) for column, numbers in values.items()]
    kinds += [(words, numbers, False) for words, numbers in _made_together(values)]
    for (words, numbers, is_sum), size in itertools.product(kinds, range(2, _LARGEST_GROUP + 1)):
        share = _share_in_groups(numbers, size, is_sum=is_sum)
        if share <= _MOST_IN_GROUPS:
            continue
        shuffled = (rng.permutation(numbers) for _ in range(_SHUFFLED))
        if share > HOLDS or all(_share_in_groups(each, size, is_sum=is_sum) < share / 2 for each in shuffled):
            yield share, -size, words


def _made_together(values: Mapping[Column, Numbers]) -> Iterator[tuple[str, Numbers]]:
    """Yield the numbers that two columns make together, where one mostly rises by the same part of the other's step."""
    steps = {column: np.diff(numbers) for column, numbers in values.items()}
    for first, other in itertools.permutations(values, 2):
        is_step = (steps[first] != 0) & np.isfinite(steps[first]) & np.isfinite(steps[other])
        slopes = steps[other][is_step] / steps[first][is_step]
        rounded, times = np.unique(np.round(slopes, 2), return_counts=True)
        if not len(times) or rounded[times.argmax()] == 0 or times.max() < _LEAST_IN_STEP * len(slopes):
            continue
        slope = float(np.median(slopes[np.round(slopes, 2) == rounded[times.argmax()]]))
        words = f"one number that {other.name} and {first.name} make together"
        yield words, values[other] - slope * values[first]


def _share_in_groups(numbers: Numbers, size: int, *, is_sum: bool) -> float:
    """Return the share of rows in groups of so many that stand together and have one sum, or one number each.

    Numbers of one sum differ within most groups, and one number of a group differs from that of the next one.
    """
    windows = np.lib.stride_tricks.sliding_window_view(numbers, size)
    spreads, tolerance = np.ptp(windows, axis=1), _EXACT * (np.nanmax(numbers) - np.nanmin(numbers))
    if is_sum:
        sums = np.round(windows.sum(axis=1) / (tolerance or 1))
        usual, times = np.unique(sums[np.isfinite(sums)], return_counts=True)
        is_one = np.abs(sums - usual[times.argmax()]) <= 1 if len(times) else np.zeros(len(sums), bool)
    else:
        is_one = spreads < tolerance
    groups: list[int] = []
    for place in np.flatnonzero(is_one):
        if not groups or place >= groups[-1] + size:
            groups.append(int(place))
    differ = spreads[groups] > 0 if is_sum else np.abs(np.diff(windows[groups, 0])) > tolerance
    is_group = len(differ) > 0 and float(np.mean(differ)) > _MOSTLY_WHOLE
    return len(groups) * size / max(int(np.isfinite(numbers).sum()), 1) if is_group else 0.0


def find_partners(facts: Facts, row: Hypothesis) -> tuple[Column, Column, tuple[Column, ...]] | None:
    """Return the columns of people and of their partners, where each row is that of one of two who name each other.

    They do so within a session, where numbers of people begin anew in each, and within a round of those who repeat; the
    columns of these come third.
    """
    if facts.rows < _FEWEST_OF_GROUPS:
        return None
    able = [each for each in facts.columns if each.n_levels >= LEAST_LEVELS and not each.is_fractional]
    able = [each for each in able if not (each.is_prose or each.is_source)]
    for person, blocks in _people_in_blocks(facts, row, able):
        within = crossed(*blocks) if blocks else None
        for other in able:
            if other is not person and other not in blocks and name_each_other(person, other, within):
                return person, other, blocks
    return None


def _people_in_blocks(
    facts: Facts, row: Hypothesis, able: Sequence[Column]
) -> Iterator[tuple[Column, tuple[Column, ...]]]:
    """Yield who may be people, with the columns within which each of them has one row."""
    if row.kind == "repeated" and row.person is not None:
        by_name = {name: each for each in facts.columns for name in (each.name, *each.aliases)}
        *sessions, number = (by_name[name] for name in row.person.parts or (row.person.name,) if name in by_name)
        rounds = [each for each in facts.discrete if each not in sessions and numbers_rounds(each, row.person)]
        yield from ((number, (*sessions, order)) for order in rounds[:_MOST_SESSIONS])
        return
    for person in able:
        blocks = (each for each in facts.entities if each is not person and are_unique_together([each, person]))
        within = [()] if person.is_unique else [(each,) for each in itertools.islice(blocks, _MOST_SESSIONS)]
        yield from ((person, block) for block in within)


def _tells_meeting(column: Column, cluster: Column, person: Column | None) -> bool:
    """Whether a column names games, groups or seats that change within a person: people met."""
    if column is cluster or column is person or (person is not None and determines(person, column)):
        return False
    return names_game(column) or (is_named(column, "seat") and not column.is_source)


def _differing(
    column: Column, unit: Column, given: tuple[list[Column], list[Column]], outcomes: Sequence[Column]
) -> str:
    """Return an outcome whose means differ between clusters more than if units were dealt anew; "" if none does.

    Units are dealt within cells of the conditions that whole clusters have; means of the others are taken out.
    """
    shared, others = given
    _, first_rows = np.unique(unit.codes, return_index=True)
    first_rows = first_rows[unit.codes[first_rows] >= 0]
    clusters = column.codes[first_rows]
    cells = joint_codes(shared)[first_rows] + 1 if shared else np.zeros(len(first_rows), np.int64)
    numbers = [each for each in outcomes if each.has_numbers and not each.numbers_rows and each is not column]
    measured = [each for each in numbers if not determines(column, each)]
    measured = measured[:_MOST_OUTCOMES]
    if not measured:
        return ""
    means = np.column_stack([_means(each, unit, others) for each in measured])
    means -= np.column_stack([(np.bincount(cells, one) / np.maximum(np.bincount(cells), 1))[cells] for one in means.T])
    rng = np.random.default_rng(0)
    order = np.argsort(cells, kind="stable")
    own = _between(clusters, means)
    dealt = np.empty((_TIMES, len(measured)))
    for time in range(_TIMES):
        anew = np.empty_like(means)
        anew[order] = means[np.lexsort((rng.random(len(cells)), cells))]
        dealt[time] = _between(clusters, anew)
    spread = np.where(dealt.std(axis=0) > 0, dealt.std(axis=0), 1.0)
    largest = ((dealt - dealt.mean(axis=0)) / spread).max(axis=1)
    scores = (own - dealt.mean(axis=0)) / spread
    best = int(scores.argmax())
    share = (1 + int((largest >= scores[best]).sum())) / (1 + _TIMES)
    return measured[best].name if share < _RARE else ""


def _means(outcome: Column, unit: Column, conditions: Sequence[Column]) -> Numbers:
    """Return the mean of an outcome in each unit without those of conditions, that of all where a unit has none."""
    both = unit.filled & outcome.filled
    numbers = np.asarray(outcome.numbers)[both]
    for each in conditions:
        levels = each.codes[both] + 1
        numbers = numbers - (np.bincount(levels, numbers) / np.maximum(np.bincount(levels), 1))[levels]
    counts = np.bincount(unit.codes[both], minlength=unit.n_levels)
    sums = np.bincount(unit.codes[both], numbers, minlength=unit.n_levels)
    usual = float(numbers.mean()) if len(numbers) else 0.0
    return np.where(counts > 0, sums / np.maximum(counts, 1), usual)


def _between(clusters: Codes, means: Numbers) -> Numbers:
    """Return for each outcome the sum of squares between clusters."""
    sizes = np.maximum(np.bincount(clusters), 1)
    return np.array([float((np.bincount(clusters, one) ** 2 / sizes).sum()) for one in means.T])
