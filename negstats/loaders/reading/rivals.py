"""All readings of the rows of a table, the best first."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from negstats.loaders.files.objects import KEY
from negstats.loaders.reading.columns import Column, Flags
from negstats.loaders.reading.event_readings import (
    event_readings,
    in_offers,
    joint_event_readings,
    pair_event_readings,
    whole_reading,
)
from negstats.loaders.reading.facts import FEWEST_ROWS, Facts
from negstats.loaders.reading.families import Family
from negstats.loaders.reading.hypotheses import MOST_SEATS, Hypothesis
from negstats.loaders.reading.people_readings import lone_reading, repeated_reading
from negstats.loaders.reading.relations import (
    are_swapped,
    are_unique_together,
    crossed,
    determines,
    joint_codes,
    levels_within,
    takes_turns,
    unordered,
)
from negstats.loaders.reading.seat_readings import Game, key_columns
from negstats.loaders.reading.words import LINE, ROUND, are_acts, is_named, names_game, names_session
from negstats.sanitize import first_few

_OPEN = 1.0  # points that a reading has at least of which nothing decides
_MOSTLY = 0.5  # of the rows
_MET = 3.0  # points for rows that name both who met


def row_hypotheses(facts: Facts, unit: Column | None = None) -> list[Hypothesis]:
    """Return all readings of the rows, the best first.

    Parameters
    ----------
    facts
        Of the table.
    unit
        What names the rows that belong together, where the file says so: its rows are elements of lists.
    """
    return _of_table(facts) if unit is None else _of_lists(facts, unit)


def _of_table(facts: Facts) -> list[Hypothesis]:
    """Return the readings of a table whose rows nothing but its columns puts together."""
    # What tells of both seats of a game is no decision of one of them alone.
    people = [each for each in facts.entities if facts.names_of_seats.isdisjoint((each.name, *each.parts[-1:]))]
    repeated = [repeated_reading(facts, person) for person in people]
    hypotheses: list[Hypothesis] = [lone_reading(facts), *repeated]
    mark = next((column for column in facts.columns if column.name == ROUND), None)
    if any(each.name == LINE for each in facts.unique):
        mark = None  # each row stood in a row of its own: it has what was asked under its condition
    for game in _possible_games(facts, mark):
        _add_readings_of_game(facts, game, repeated, hypotheses, has_rounds=mark is not None)
    hypotheses += [*pair_event_readings(facts), *filter(None, [whole_reading(facts)])]
    _add_common(facts, hypotheses, has_rounds=mark is not None)
    # Of two that name the same games a column says it in more words than the names of files do.
    return sorted(
        hypotheses,
        key=lambda each: (-each.score, not each.has_name, any(game.is_source for game in each.game), each.label),
    )


def _possible_games(facts: Facts, mark: Column | None) -> list[tuple[Column, ...]]:
    """Return the columns that may name games, one to four together; `mark` numbers rounds that stood side by side."""
    games: list[tuple[Column, ...]] = [(entity,) for entity in facts.entities]
    able = key_columns(facts)
    for size in (2, 3):
        games += list(itertools.combinations(able, size))
    # Pairs of a round of a match of a session.
    parts = [column for column in able if names_game(column) or is_named(column, "order")]
    games += [key for key in itertools.combinations(parts, 4) if any(map(names_session, key))]
    if mark is not None:
        games = [(*(column for column in game if column is not mark), mark) for game in games if game != (mark,)]
    return list(dict.fromkeys(games))


def _add_readings_of_game(
    facts: Facts,
    game: tuple[Column, ...],
    repeated: Sequence[Hypothesis],
    hypotheses: list[Hypothesis],
    *,
    has_rounds: bool,
) -> None:
    """Add the readings by games that some columns name, where these have several rows each."""
    codes = joint_codes(game)
    is_named_row = codes >= 0
    if is_named_row.sum() < 0.9 * len(codes):
        return
    sizes = np.bincount(codes[is_named_row])
    least = min(facts.least_levels(column) for column in game)
    if not least <= len(sizes) <= 0.67 * is_named_row.sum():
        return
    candidate = Game(facts, game, codes, sizes)
    if candidate.is_plausible and not game[0].parts:  # as seats, its parts are the key
        hypotheses += candidate.seat_readings(repeated, hypotheses)
    if is_named_row.sum() / len(sizes) >= 2.5:
        if len(game) == 1 and not has_rounds:
            hypotheses += event_readings(facts, game[0])
        elif candidate.is_minimal:
            hypotheses += joint_event_readings(facts, game, codes)


def _add_common(facts: Facts, hypotheses: Sequence[Hypothesis], *, has_rounds: bool) -> None:
    """Add what speaks for kinds of readings as a whole: talk of two, a short table, columns side by side."""
    talks = {each.game for each in hypotheses if each.kind == "events" and each.has_talk and each.seat is not None}
    # What stands in few rows is of one kind of event, as of who punishes whom.
    has_sides = any(each.share_filled > _MOSTLY for of in facts.of_seats.values() for each in of)
    for hypothesis in hypotheses:
        person = hypothesis.person
        is_bare = hypothesis.kind == "repeated" and person is not None and not is_named(person, "person")
        if is_bare and (person,) in talks:
            hypothesis.add(-2.0, "two talk in each")
        if facts.rows < FEWEST_ROWS and hypothesis.kind != "alone" and hypothesis.has_name:
            hypothesis.add(2.0, "a short table, of which names must say more", of_names=True)
        if has_sides:
            _add_sides(facts, hypothesis)
        if has_rounds:
            _add_line(hypothesis)
    _add_met(facts, hypotheses)


def _add_line(hypothesis: Hypothesis) -> None:
    """Add what it means that the rounds of a row stood side by side: they are of one person or game, or of one seat."""
    person = hypothesis.person
    if hypothesis.kind == "alone":
        hypothesis.add(-3.0, "its rounds stood side by side")
    elif hypothesis.kind == "seats" or (person is not None and LINE in (person.name, *person.aliases)):
        hypothesis.add(5.0, "its rounds stood side by side")


def _add_sides(facts: Facts, hypothesis: Hypothesis) -> None:
    """Add what it means that each row has columns of both seats: it tells of a whole game."""
    reason = "each row has columns of all seats"
    if hypothesis.kind == "seats" or (hypothesis.kind == "events" and hypothesis.seat is None):
        hypothesis.add(-3.0, reason)
    elif hypothesis.person is not None and hypothesis.kind == "repeated":
        if is_named(hypothesis.person, "game"):
            hypothesis.add(3.0, f"{reason}, and {hypothesis.person.name} is called as a game", of_names=True)
        elif facts.members and _has_one_of_each(facts, hypothesis.person):
            hypothesis.add(3.0, f"the same people sit in all rows of one {hypothesis.person.name}", of_names=True)
        elif others := [each for each in facts.people_of_seats if not determines(hypothesis.person, each)]:
            hypothesis.add(-3.0, f"its rows are those of several {others[0].name}")


def _has_one_of_each(facts: Facts, group: Column) -> bool:
    """Whether a column names groups in whose rows each seat has one person."""
    members = {*facts.members.values()}
    return not members.isdisjoint(group.aliases) and all(determines(group, each) for each in facts.people_of_seats)


def _add_met(facts: Facts, hypotheses: Sequence[Hypothesis]) -> None:
    """Add what it means that each row names both who met in it: nobody else has several of these rows.

    Where both change places between two rows, each row is the seat of one of them.
    """
    if facts.members:
        words = f"{first_few([*facts.members.values()])} name all who met in it"
        for hypothesis in (each for each in hypotheses if each.kind == "alone"):
            hypothesis.add(_MET, words, of_names=True)
    if facts.met is None:
        return
    one, other = facts.met
    reason = f"{one.name} and {other.name} name both who met in it"
    pair = unordered(one, other)
    games = (joint_codes(each.game) for each in hypotheses if each.kind == "seats" and each.person in facts.met)
    are_seats = any(are_swapped(codes, one, other) for codes in games)
    for hypothesis in hypotheses:
        person = hypothesis.person
        if hypothesis.kind == "alone":
            hypothesis.add(0.0 if are_seats else _MET, reason, of_names=facts.sides is not None)
        elif hypothesis.kind == "repeated" and person is not None and person not in facts.met:
            is_called_so = is_named(person, "person", "game")
            hypothesis.add(0.0 if is_called_so else -_MET, reason)
        elif hypothesis.kind in ("seats", "events"):
            pairs = levels_within(crossed(*hypothesis.game), pair)
            hypothesis.add(-_MET * bool(np.median(pairs) > 1), f"{reason}, and one has rows of several pairs")


def _has_own_numbers(facts: Facts, seat: Column | None) -> bool:
    """Whether each of two seats has a number that no row of the other has: they may be two tasks of one person."""
    if seat is None or seat.n_levels != 2:
        return False
    amounts = [amount for kind, amount in facts.kinds_of_events([]) if kind is seat]
    return {int(seat.codes[amount.filled & seat.filled][0]) for amount in amounts} == {0, 1}


def _of_lists(facts: Facts, unit: Column) -> list[Hypothesis]:
    """Return the readings of a table whose rows are elements of lists.

    They are seats of a game or what happened in it; or, where nothing tells who acts, what one person decided. Where
    each element has something of both seats it is a game by itself, such as a round of two who met.
    """
    sizes = unit.sizes[unit.sizes > 0]
    candidate = Game(facts, (unit,), unit.codes, sizes)
    # A few short utterances may look like words of a design, and are none.
    talk = [
        column
        for column in facts.columns
        for name in (column.name, *column.aliases)
        if not (column.has_numbers or column.is_form or column.name in facts.names_of_seats)
        and (column.is_prose or is_named(replace(column, name=name), "talk"))
    ]
    # A remark about a whole list is no talk, unless its elements hold nothing that somebody decided.
    own = [each for each in facts.columns if not determines(unit, each)]
    amounts = (each for each in own if each.has_numbers)
    has_amounts = any(not (each.is_count and are_unique_together([unit, each])) for each in amounts)
    has_talk = any(each in own for each in talk) or (bool(talk) and not has_amounts)
    if facts.talk and facts.names_of_seats.issuperset(each.name for each in facts.talk):
        return [repeated_reading(facts, unit)]  # both say something in each element
    readings = candidate.seat_readings([], []) if candidate.is_plausible and not talk else []
    events = next(event_readings(facts, unit), None) or Hypothesis("events", game=(unit,))
    _add_acts(facts, unit, events, has_talk=has_talk)
    shares_out = any(not determines(unit, each) for each in facts.shared_out if each.is_bundle)
    has_actors = has_talk or events.seat or events.event or events.person or shares_out
    if not has_actors and _lack_sides(facts, unit):
        return [*_repeat_as_well(facts, unit, events), events]
    if facts.sides is not None and not has_actors and _are_elements(facts, unit, facts.sides):
        return [repeated_reading(facts, unit)]
    if not (has_actors or facts.sides is not None):
        return _of_table(facts)
    if not (has_talk or events.event or events.person):
        # Where nobody says anything all may have decided at once, in each round.
        readings += [each for each in _of_table(facts) if each.kind == "seats" and each.game != (unit,)]
        if not readings and (of_rounds := _seats_of_rounds(facts, unit, events)) is not None:
            readings.append(of_rounds)
        if _has_own_numbers(facts, events.seat):
            readings.append(repeated_reading(facts, unit))  # who had one task, and then the other
    return sorted([events, *readings], key=lambda each: (-each.score, each.label))


def _add_acts(facts: Facts, unit: Column, events: Hypothesis, *, has_talk: bool) -> None:
    """Add what says in elements of lists what was done, and who did it."""
    if events.event is None:
        acts = (column for column in facts.columns if are_acts(column) and not determines(unit, column))
        events.event = next(acts, None)
    # What one of two seats did, beside what the other did, says of neither that it acts.
    actors = [each for each in facts.discrete if each.name not in facts.names_of_seats and not determines(unit, each)]
    actors = [each for each in actors if each not in (events.event, *facts.acts)]
    if events.seat is None:
        called = (each for each in actors if is_named(each, "seat"))
        events.seat = next((each for each in called if levels_within(unit, each).max() <= MOST_SEATS), None)
    if events.seat is None and has_talk:
        able = (each for each in actors if not each.has_numbers and each.n_levels <= MOST_SEATS)
        events.seat = next((each for each in able if takes_turns(unit, in_offers(facts, each), [None])), None)


def _seats_of_rounds(facts: Facts, unit: Column, events: Hypothesis) -> Hypothesis | None:
    """Return the reading that all decided at once in each round, as likely as that they took turns; None without.

    So may those whose names are the keys of what they did in a round, of which the last may lack somebody.
    """
    seat = events.seat
    if seat is None or not seat.name.endswith(f".{KEY}"):
        return None
    for order in (each for each in facts.discrete if each is not seat and not determines(unit, each)):
        if are_unique_together([unit, order, seat]) and not are_unique_together([unit, order]):
            reading = Hypothesis("seats", game=(unit, order), seat=seat)
            reading.add(max(_OPEN, events.score - _OPEN), f"each {seat.name} at most once in each {order.name}")
            return reading
    return None


def _repeat_as_well(facts: Facts, unit: Column, events: Hypothesis) -> list[Hypothesis]:
    """Return the readings by a person who repeats, the best as likely as what happened in games."""
    people = [unit, *(each for each in facts.entities if each is not unit and determines(unit, each))]
    rivals = sorted((repeated_reading(facts, each) for each in people), key=lambda each: -each.score)
    rivals[0].add(max(0.0, _OPEN - rivals[0].score), "either holds what stands in one list together")
    events.add(rivals[0].score - events.score, "some of its elements tell of one side alone")
    return rivals


def _lack_sides(facts: Facts, unit: Column) -> bool:
    """Whether elements hold an object of each of those who act, with the same keys, and some lack one of them.

    Who did not act in the last round may have been the one to answer in turn.
    """
    keys: dict[str, set[str]] = {}
    filled: dict[str, Flags] = {}
    for column in (each for each in facts.columns if not determines(unit, each)):
        for name in (column.name, *column.aliases):
            outer, _, key = name.rpartition(".")
            keys.setdefault(outer, set()).add(key)
            filled[outer] = filled.get(outer, np.zeros(column.rows, bool)) | column.filled
    sides = [
        outer for outer in keys if outer.count(".") and any(keys[outer] & keys[one] for one in keys if one != outer)
    ]
    return len(sides) > 1 and any(not filled[outer].all() for outer in sides)


def _are_elements(facts: Facts, unit: Column, sides: Family) -> bool:
    """Whether the columns of both seats are values of the elements, as columns are that differ within a list."""
    lists = {each.name.partition(".")[0] for each in facts.columns if not determines(unit, each)}
    return all(name.partition(".")[0] in lists for of in sides.stems.values() for name in of)
