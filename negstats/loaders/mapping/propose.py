"""From the reading of a log's table to the keys of a mapping.

The reading says what a row is, who acts, what names the game, what was set and what was measured; nothing here decides
that again. What is left is which key a column stands behind: `side_columns`, `offer_keys` and `event_keys` say it of
seats, offers and what happens in games, names of columns (`lexicon`) of the rest.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from negstats.loaders.files.lists import NUMBER
from negstats.loaders.mapping.draft_state import DraftState
from negstats.loaders.mapping.event_keys import find_person, set_events
from negstats.loaders.mapping.factor_keys import key_of, set_cluster, set_conditions
from negstats.loaders.mapping.lexicon import AGENT, NO_QUANTITY, OF_GAMES, OF_SEATS, SURVEY, are_few, sort_words
from negstats.loaders.mapping.log_columns import (
    FILLED,
    columns_of,
    find_unit,
    known_rows,
    names_seats,
    parts_of_paths,
    rows_that_count,
)
from negstats.loaders.mapping.log_files import Log
from negstats.loaders.mapping.model import LEVELS
from negstats.loaders.mapping.offer_keys import set_own_offers, set_seat_offers
from negstats.loaders.mapping.proposal import Proposal, names_in
from negstats.loaders.mapping.side_columns import set_allocation, set_members, set_sides
from negstats.loaders.mapping.unfolding import VALUE
from negstats.loaders.mapping.words import FILE, MARK, ROW, english, plain, short
from negstats.loaders.reading.asking import read_columns
from negstats.loaders.reading.cell_pairs import add_parts
from negstats.loaders.reading.columns import CURRENCY, HOLDS, Column
from negstats.loaders.reading.families import are_decisions
from negstats.loaders.reading.reading import Reading
from negstats.loaders.reading.relations import (
    are_unique_together,
    begins_anew,
    determines,
    differs_by_chance,
    levels_within,
)
from negstats.loaders.reading.spellings import answer_of, levels_of
from negstats.loaders.reading.words import (
    are_programs_names,
    is_named,
    names_game,
    names_session,
    roles_of,
    without_round,
)
from negstats.sanitize import first_few
from negstats.toml_text import key as quoted
from negstats.toml_text import value_text

_LEAST_OF_ROLE = 3  # rows of a role
_MOST_MEASURES = 30  # of more numbers those that are called measures are taken first
_MOST_WORDS_OF_OUTCOME, _MOSTLY = 4, 0.5
_FEWEST_OF_PEOPLE = 2  # measures of seats that are read of the people in them; one is what each seat got
_STAMP = 1e9  # a number from here on may be a Unix time


def propose(log: Log, source: Path, answers: Mapping[str, str]) -> tuple[Proposal, Reading]:
    """Return what a mapping for a log would hold, and the reading that it follows.

    Raises
    ------
    UsageError
        If an answer is none of the options of a question.
    """
    of_paths = parts_of_paths(log, source)
    columns, kept = rows_that_count(columns_of(log, of_paths), log)
    unit = find_unit(log, columns)
    columns, parts = _with_parts(columns, log, unit)
    # What stands in an object has columns of its own: the object tells it again.
    opened = {name.rpartition(".")[0] for name in columns}
    texts = [column for column in columns.values() if not (column.is_list or names_seats(column, log))]
    texts = [column for column in texts if not (column.name in opened and column.is_bundle)]
    reading = read_columns(texts, answers, unit, known_rows(columns, log))
    columns |= {column.name: column for column in reading.row.game if column.name == FILE}
    signs: dict[str, object] = {FILE: {"file": True}, ROW: {"row": True}}
    signs |= {part.name: part.source for part in of_paths}
    signs |= {column.name: {"begins": column.begins} for column in columns.values() if column.begins}
    state = DraftState(log, columns, reading, signs)
    state.proposal.where |= kept
    for column in reading.facts.columns:
        if column.parts and not column.is_source:
            state.add_joint(column)
    # What holds one number and codes for missing tells that something happened, and never what.
    state.taken |= {name for name, codes in reading.missing.items() if len(codes) + 1 >= columns[name].n_levels}
    _set_rows(state)
    is_own_row = reading.row.kind in ("alone", "repeated")
    if is_own_row and not (set_allocation(state) or set_members(state)):
        set_sides(state)
    if is_own_row:
        set_own_offers(state)
    elif reading.row.kind == "seats":
        set_allocation(state)
        set_seat_offers(state)
    else:
        set_events(state)
    set_cluster(state)
    _set_names(state)
    set_conditions(state)
    _set_measures(state)
    _set_cells(state)
    _spell_parts(state.proposal, parts)
    of_units = {"column": MARK}  # columns that have nothing but what they are of in their names
    state.proposal.keys = {key: of_units if value == VALUE else value for key, value in state.proposal.keys.items()}
    where = state.proposal.where
    state.proposal.where = {MARK if name == VALUE else name: levels for name, levels in where.items()}
    reading.facts.whole.clear()  # all rows of each column are large, and what they say is in the proposal
    return state.proposal, reading


def _with_parts(
    columns: dict[str, Column], log: Log, unit: str | None
) -> tuple[dict[str, Column], dict[str, tuple[str, str]]]:
    """Return columns with the parts of cells that hold two things, and what these are; as they are, if people repeat.

    Whoever has several rows decides about those who stand there in pairs, and was none of them.
    """
    whole, parts = ({}, {}) if log.lists or log.rounds else add_parts(columns)
    if not parts:
        return columns, parts
    texts = [column for column in columns.values() if not column.is_list]
    row = read_columns(texts, None, unit, known_rows(columns, log)).row
    bases = {base for base, _ in parts.values()}
    is_of_others = row.kind == "repeated" and row.person is not None and row.person.name not in bases
    return (columns, {}) if row.kind in ("seats", "events") or is_of_others else (whole, parts)


def _spell_parts(proposal: Proposal, parts: Mapping[str, tuple[str, str]]) -> None:
    """Put columns of which parts are read in the places of these parts, with what is taken out of their cells."""
    if not parts:
        return

    def spell(value: object) -> object:
        if isinstance(value, list):
            # Both parts together are the whole cell.
            spelled = [parts[each][0] if isinstance(each, str) and each in parts else each for each in value]
            return [each for place, each in enumerate(spelled) if each not in spelled[:place]]
        source = {"column": value} if isinstance(value, str) else value
        name = str(source.get("column")) if isinstance(source, dict) else ""
        if not isinstance(source, dict) or name not in parts:
            return value
        base, pattern = parts[name]
        return source | {"column": base, "clean": pattern}

    for key, value in proposal.keys.items():
        if isinstance(value, str) and value in parts:
            proposal.evidence.setdefault(key, f"{value}: what is left of a cell of {parts[value][0]}")
    proposal.keys = {key: spell(value) for key, value in proposal.keys.items()}
    for name, (base, _) in parts.items():
        if words := proposal.missing.pop(name, None):
            proposal.missing[base] = list(dict.fromkeys([*proposal.missing.get(base, ()), *words]))
        proposal.where.pop(name, None)


def _set_rows(state: DraftState) -> None:
    """Say what a row is, what names its game, who sits in it and who decides."""
    row, proposal = state.reading.row, state.proposal
    person = row.person
    if person is not None and row.kind == "alone" and person in state.reading.roles.outcomes:
        # A number that happens to differ in each row is a measure, unless it is called as a name.
        person = person if re.fullmatch(NO_QUANTITY, state.plain.get(person.name, "")) else None
    is_person = person is not None and _names_people(person, is_alone=row.kind == "alone")
    if row.kind == "seats" and person is not None and person is not row.seat and are_programs_names(person):
        is_person = False
        state.set("players.agent", state.value(person))
        state.set("players.kind", {"constant": "agent"})
    if row.kind in ("alone", "repeated"):
        proposal.row = "player" if is_person else "game"
        place_in_list = next((name for name in state.log.table.names if name.endswith(f".{NUMBER}")), None)
        of_row = [*state.own_row, *([] if place_in_list is None else [place_in_list])]
        names = state.values(_names_of_row(state, person)) or of_row
    else:
        # Rows have numbers of their own in each file.
        parts = (state.own_row if column.name == ROW else state.values([column]) for column in row.game)
        names = [each for part in parts for each in part]
        proposal.row = "player" if row.kind == "seats" else "offer"
    state.set("games.game_id", [*names], f"{row.label}: {row.reasons}")
    state.taken |= {column.name for column in (*row.game, person, row.order) if column is not None}
    joint = [column for column in (*row.game, person) if column is not None]
    state.taken |= {part for column in joint for part in column.parts}
    if is_person and person is not None:
        state.set("players.participant_id", state.value(person))
    elif row.kind == "seats" and row.seat is not None and (own := find_person(state, row.seat)) is not None:
        state.set("players.participant_id", own, "one for each seat of a game")
    elif (of_people := _names_of_own_people(state)) is not None:
        state.set("players.participant_id", of_people, "nobody is named, and rows of seats hold what people are")
    if row.kind in ("alone", "repeated"):
        if is_person:
            state.set("players.player", {"constant": "participant"})
    elif (teller := row.seat or (person if row.kind == "seats" else None)) is not None:
        state.set("players.player", teller.parts[-1] if teller.parts else state.value(teller))


def _names_people(column: Column, *, is_alone: bool) -> bool:
    """Whether what rows are about is called as a person is, or at least not as a game.

    A group that has several rows is the unit that decides; of one row it is the game of those in it.
    """
    # Of columns that name somebody together the last one says who that is: a member of a committee is no committee.
    roles = roles_of(column.parts[-1] if column.parts else column.name)
    return "person" in roles or not ("game" in roles or (is_alone and names_game(column)))


def _names_of_row(state: DraftState, person: Column | None) -> list[Column]:
    """Return what names rows of somebody: the person, or also what numbers their rows; [] if nothing does."""
    if person is None:
        return []
    if state.reading.row.kind == "alone":
        return [person] if person.n_levels == person.rows or state.reading.has_doubled_seats else []
    return next(filter(state.are_unique, ([person, each] for each in state.orders_of(person))), [])


def _names_of_own_people(state: DraftState) -> list[object] | None:
    """Return what names people of seats whom nothing names but their game, or their group; None where they may differ.

    Rows tell something of people where these have traits, or several numbers differ between the seats of a game. People
    meet once where one column names the game, and no column is called as people are; members of a group whose rounds
    are the games sit in the same seats in each. Otherwise the people may come again in other seats.
    """
    reading, facts = state.reading, state.reading.facts
    row = reading.row
    if row.kind != "seats" or row.seat is None or row.person is not None or (state.log.lists and len(row.game) < 2):
        return None
    if state.log.has_seats:  # whoever sits in a seat of a group sits there in all of its rounds
        return state.values([row.game[0], row.seat])
    measured = [column for column in reading.roles.outcomes if column.has_numbers or column.n_levels == 2]
    measured = [column for column in measured if not state.is_of_game(column.name)]
    if not reading.roles.traits and len(measured) < _FEWEST_OF_PEOPLE and all(each.has_numbers for each in measured):
        return None
    if _are_numbered_anew(row.game):
        return state.values([*row.game, row.seat])
    group = row.game[0] if len(row.game) == 1 else reading.cluster
    others = (column for column in [*facts.columns, *facts.constants] if column is not row.seat)
    has_names = any(is_named(column, "person") for column in others)
    group = next((each for each in row.game if group is not None and each.partition == group.partition), None)
    if group is None or has_names:
        return None
    if len(row.game) == 1 and is_named(group, "order", "person"):
        return None
    return state.values([group, row.seat])


def _are_numbered_anew(game: Sequence[Column]) -> bool:
    """Whether groups of sessions are the games, and no rounds: people meet once."""
    session = next((each for each in game if names_session(each) and not names_game(each)), None)
    others = [each for each in game if each is not session]
    if session is None or not others or any(is_named(each, "order") for each in game):
        return False
    return all(names_game(each) and begins_anew(each, session) for each in others)


def _set_names(state: DraftState) -> None:
    """Put columns that are called so behind the keys of seats and games."""
    proposal, reading = state.proposal, state.reading
    kind = reading.row.kind
    player = proposal.keys.get("players.player")
    if isinstance(player, str) or kind == "events":
        _set_names_of_seats(state, player)
    if kind == "seats" and "players.role" not in proposal.keys:
        _set_role(state)
    has_lone_points = isinstance(player, dict) and "players.points" not in proposal.keys
    points = state.find(OF_SEATS[-1].patterns, OF_SEATS[-1].fits) if has_lone_points else None
    # What is one number of a person who has several rows is no payoff of one of them.
    is_of_person = kind == "repeated" and points in {column.name for column in reading.roles.traits}
    if points is not None and not (is_of_person or state.is_condition(points)):
        state.set("players.points", points)
    has_ends = "event" in proposal.keys
    state.set_found([each for each in OF_GAMES if each.key != "games.ended" or not has_ends], state.is_measured_of_game)


def _set_names_of_seats(state: DraftState, player: object) -> None:
    """Put columns that are called so behind the keys of seats, and what the seats themselves are called."""
    proposal, kind = state.proposal, state.reading.row.kind
    if isinstance(player, str):
        column = state.columns[player]
        words = levels_of("kind", column.levels)
        if words is not None:
            state.set("players.kind", player)
            proposal.levels["kind"] = words
        elif "players.role" not in proposal.keys and state.are_roles(column):
            state.set("players.role", player)
    state.set_found([AGENT] if kind == "seats" else [], lambda name: state.varies(name) and state.is_of_person(name))

    def may_be_of_seats(name: str) -> bool:
        column = state.columns[name]
        # All may have got the same, but one word for all is nobody's role.
        is_told = column.n_levels > 1 or column.has_numbers if kind == "seats" else state.varies(name)
        # What a group got or gave together is no seat's.
        return is_told and not state.is_condition(name) and (state.varies(name) or not _is_total(state, name))

    state.set_found(OF_SEATS, may_be_of_seats)


def _is_total(state: DraftState, name: str) -> bool:
    """Whether a number is the sum of what the seats of its game have in another column."""
    column, games = state.columns[name], state.unit.codes
    others = [of.numbers for other, of in state.columns.items() if other != name and of.numbers is not None]
    if column.numbers is None or column.n_levels < 2 or (games < 0).any():
        return False
    sums = (np.bincount(games, np.nan_to_num(other))[games] for other in others)
    return any(float(np.mean(np.isclose(column.numbers, total))) > HOLDS for total in sums)


def _set_role(state: DraftState) -> None:
    """Take the first column of words in which each seat of a game differs from the others for its role."""
    person = state.person
    for name, column in state.columns.items():
        is_role = state.is_free(name) and column.share_filled == 1 and 2 <= column.n_levels <= 8
        is_often = column.rows_per_level >= _LEAST_OF_ROLE and not column.has_numbers
        is_person = person is not None and determines(column, person)
        if is_role and is_often and not is_person and state.are_unique([state.unit, column]):
            state.set("players.role", name, "each seat of a game has another one")
            return


def _set_measures(state: DraftState) -> None:
    """Put what was measured behind measures, answers of a survey, and traits of people."""
    reading, proposal = state.reading, state.proposal
    roles = reading.roles
    has_people = "players.participant_id" in proposal.keys and proposal.row != "game"
    of_seats = [key for key in proposal.keys if key.startswith("seats.") and key.endswith(".participant_id")]
    # Of two seats the only one that is a person can answer.
    start = of_seats[0].removesuffix("participant_id") if len(of_seats) == 1 else ""
    has_people = has_people or bool(start)
    asked = [column for _, column in roles.asked if column not in roles.conditions and column not in roles.orders]
    if has_people:
        # What people are is so until somebody says that it was set.
        are_likely = (each for each in asked if is_named(each, "trait") and state.is_one_of_each_person(each))
        for column in [*roles.traits, *are_likely]:
            if state.is_free(column.name):
                state.set(f"{start}person.{key_of(column, proposal)}", column.name)
    for family in reading.series:
        _set_mean(state, f"{start}answers." if has_people else "measures.", family)
    _set_outcomes(state, start, _measured_columns(state, asked, has_people=has_people), has_people=has_people)
    # Where nothing else was measured, what two words say that nobody set is what people did.
    if not proposal.starts_with("measures.", "answers.", "offers.", "messages.", "games.ended", "players.points"):
        for column in asked:
            if state.is_free(column.name) and column.n_levels == 2 and not is_named(column, "trait"):
                _set_measure(state, column)
    # What all who wrote anything wrote alike is an answer too.
    alike = [column for column in reading.facts.constants if not column.has_numbers]
    for column in [*roles.texts, *alike] if has_people else ():
        if state.is_free(column.name) and re.fullmatch(SURVEY, english(plain(column.name))):
            state.set(f"{start}answers.{key_of(column, proposal)}", column.name)
    # What is one thing of each person and is said not to be set is what people are, where nobody did it.
    for column in roles.refused if has_people else ():
        if state.is_free(column.name) and state.is_one_of_each_person(column):
            state.set(f"{start}person.{key_of(column, proposal)}", column.name)


def _measured_columns(state: DraftState, asked: Sequence[Column], *, has_people: bool) -> list[Column]:
    """Return the free columns that were measured, or may have been; without people also their traits."""
    roles = state.reading.roles
    measured = [*roles.outcomes, *asked, *roles.refused, *([] if has_people else roles.traits)]
    outcomes = [column for column in measured if state.is_free(column.name)]
    outcomes += [column for column in roles.names if column.has_numbers and state.is_free(column.name)]
    # What another payoff tells, as two sides of one pie do, is a payoff too.
    aliases = [state.columns[alias] for column in roles.outcomes for alias in column.aliases if state.is_free(alias)]
    outcomes += [column for column in aliases if column.has_numbers and is_named(column, "outcome")]
    outcomes = [each for each in dict.fromkeys(outcomes) if not _is_label(each, state.reading)]
    outcomes.sort(key=lambda each: MARK not in each.name)  # what differs between the rounds, or conditions, of a row
    if state.reading.row.kind == "seats" and not has_people:
        # Of seats whose people nobody names one number is read: what one wins as the other loses goes first.
        outcomes.sort(key=lambda each: (not is_named(each, "outcome"), not state.is_opposed(each)))
    return outcomes


def _is_label(column: Column, reading: Reading) -> bool:
    """Whether a number says which session, group, round or partner it was: nobody has measured that."""
    is_round = is_named(column, "order") and column.is_count and column.is_even
    return (column.is_whole and names_session(column)) or is_round or column in reading.facts.partners


def _set_outcomes(state: DraftState, start: str, outcomes: Sequence[Column], *, has_people: bool) -> None:
    """Put what was measured behind answers, where it was asked of a person, and else behind measures."""
    reading, proposal = state.reading, state.proposal
    in_series = {column.name for family in reading.series for column in family}
    is_measured = {column: _is_measured(column, reading) for column in outcomes}
    own_measures = [column for column in outcomes if column.name not in in_series and is_measured[column]]
    own_measures.sort(key=lambda each: (MARK not in each.name, not is_named(each, "outcome", "amount")))
    measures = {*own_measures[:_MOST_MEASURES], *(each for each in outcomes if each.name in in_series)}
    for column in outcomes:
        own = english(plain(column.name)).strip("_")
        is_survey = column.name in in_series or re.fullmatch(SURVEY, own) is not None
        # What is the same in all that somebody did, and not in all of the game, was asked of that person.
        is_of_person = reading.row.kind == "events" and state.is_one_of_each_person(column)
        is_survey |= is_of_person and not state.is_of_game(column.name)
        if has_people and is_survey and (column.has_numbers or are_few(column)):
            state.set(f"{start}answers.{key_of(column, proposal)}", column.name)
        elif column in measures and is_measured[column]:
            _set_measure(state, column)


def _set_mean(state: DraftState, section: str, family: Sequence[Column]) -> None:
    """Put the mean of the items of a scale, or of decisions, behind a key that is called so without their number.

    Decisions keep keys of their own beside it.
    """
    names, reading = [column.name for column in family], state.reading
    are_answers = section != "measures."
    is_scale = are_answers and reading.are_scales and all(column.has_numbers for column in family)
    is_of_decisions = family != reading.thresholds and not reading.are_scales and are_decisions(family)
    is_of_decisions &= are_answers or reading.row.kind in ("alone", "repeated")
    if not (is_scale or is_of_decisions) or not all(map(state.is_free, names)):
        return
    stem = re.sub(r"[ _.]?(\[\d+\]|\d+)(?=\D*$)", "", names[0]).strip("_. ")
    state.proposal.keys[f"{section}{quoted(f'{stem}_mean' if stem in state.columns else stem)}"] = {"mean": names}
    if is_of_decisions and are_answers:
        for name in names:
            state.set(f"{section}{key_of(state.columns[name], state.proposal)}", name)
    elif is_scale:
        state.taken.update(names)


def _is_measured(column: Column, reading: Reading) -> bool:
    """Whether a column holds numbers, or a few words of which one was done: to cooperate, to defect or to leave.

    So are two words of which some people have one more often than others do, beyond chance, in several rows each: the
    moves of a game. What was drawn for each row everybody has as often.
    """
    roles, row = reading.roles, reading.row
    if column.has_numbers:
        return True
    if row.kind == "repeated" and row.person is not None and column.is_of_two and column in roles.outcomes:
        is_within = float(np.mean(levels_within(row.person, column) > 1)) > _MOSTLY
        if is_within and not differs_by_chance(row.person.codes, column):
            return True
    # A label that somebody says was not set is hardly known to be what people did, but where nothing else was done, or
    # nobody wins anything at one of its levels, it is that. What holds the same levels, as the other side does, is too.
    refused_levels = [each.levels for each in roles.refused]
    are_outcomes_known = any(each.levels not in refused_levels for each in roles.outcomes)
    labels = [*(each for _, each in roles.asked), *(roles.refused if are_outcomes_known else ())]
    is_asked = any(column is each for each in labels if each not in roles.decided or each not in roles.refused)
    is_few = column.n_levels <= _MOST_WORDS_OF_OUTCOME
    if is_few and all(map(answer_of, column.levels)):
        return True  # a vote: yes and no answer something
    return is_few and column in roles.outcomes and (not is_asked or is_named(column, "outcome"))


def _set_measure(state: DraftState, column: Column) -> None:
    """Put a number behind a measure, or one of each seat whose people nobody names behind points."""
    kind, proposal = state.reading.row.kind, state.proposal
    own = english(plain(short(without_round(column.name))))
    are_truths = {level.lower() for level in column.levels} == {"true", "false"}
    is_yes_no = are_truths or column.is_binary  # of which no name makes a number or a name
    is_measured = is_named(column, "outcome", "amount")
    # What is called a demand and whose levels are neither even nor other in each row numbers nothing: demand_row.
    is_done = is_measured and not (column.is_even or column.is_unique or column.is_prose)
    is_name = re.fullmatch(NO_QUANTITY, own) is not None and not (is_yes_no or is_done)
    is_moment = is_named(column, "time") and column.has_numbers and float(column.values.max()) >= _STAMP
    if is_name or is_moment or (column.numbers_rows and not is_measured):
        return
    is_of_game = state.is_of_game(column.name)
    if kind == "seats" and not is_of_game and "players.participant_id" not in proposal.keys:
        if column.has_numbers and not _is_beside_result(state, column):
            proposal.keys.setdefault("players.points", column.name)
        return
    is_of_talk = kind == "events" and not is_of_game and proposal.row not in ("offer", "event")
    if is_of_talk and not (column.has_numbers and _is_of_utterances(state, column)):
        return
    value = _source_of_measure(state, column, is_yes_no=are_truths or not column.has_numbers, is_of_talk=is_of_talk)
    key = key_of(column, proposal)
    why = ""
    if not (column.has_numbers or are_truths):
        key = f"{key}_in_log" if key in LEVELS else key  # whose levels are other words than yes and no
        yes, no, none = sort_words(column)
        proposal.levels[key] = {"yes": yes, "no": no}
        if none:
            proposal.missing[column.name] = none
            why = f"{first_few(none)} is no answer"
        elif not any(answer_of(word) for word in (*yes, *no)):
            others = "; exchange both if it is no" if len(no) == 1 else ", the most frequent, against all others"
            why = f"which word means yes is not known: {value_text(yes[0])} is counted{others}"
    state.set(f"measures.{key}", value, why)


def _source_of_measure(state: DraftState, column: Column, *, is_yes_no: bool, is_of_talk: bool) -> object:
    """Return what stands behind the key of a measure: a column, and of what it is one number."""
    kind, is_of_game = state.reading.row.kind, state.is_of_game(column.name)
    if is_yes_no:
        # Rows of one seat each do not show that the seats of a game differ.
        per = {"per": "player"} if state.log.has_seats and not is_of_game else {}
        if kind == "events" and not (is_of_game or "players.player" in state.proposal.keys):
            per = {"take": "last"}  # how a game of offers ended whose proposers nobody names
        return {"column": column.name, "kind": "yes/no", **per}
    if is_of_talk:
        of_people = {"per": "player"} if "players.participant_id" in state.proposal.keys else {}
        return {"column": column.name, "take": "mean", **of_people}
    if kind == "events" and not is_of_game:
        # Where nobody is named who offers, a game has a last amount, and no offers.
        has_actor = "players.player" in state.proposal.keys
        return {"column": column.name, "per": "offer"} if has_actor else {"column": column.name, "take": "last"}
    if kind == "seats" and not is_of_game:
        return {"column": column.name, "per": "player"}
    return column.name


def _is_of_utterances(state: DraftState, column: Column) -> bool:
    """Whether a number says something of each utterance, and is not just its number in the game."""
    number = state.in_all_rows(column)
    return not (begins_anew(number, state.unit) and are_unique_together([state.unit, number]))


def _is_beside_result(state: DraftState, column: Column) -> bool:
    """Whether a number of seats stands beside the result of the game, such as a price, and does not share it out.

    What a seat gets by a price is the more the less the other gets: what it wanted to get is not.
    """
    results = (each for each in state.reading.roles.outcomes if each.has_numbers and is_named(each, "outcome"))
    has_result = any(state.is_of_game(each.name) and not each.is_binary for each in results)
    return has_result and not state.is_opposed(column)


def _set_cells(state: DraftState) -> None:
    """Say which words and codes mean missing, which signs numbers have, and which rows a person leaves out."""
    proposal, reading = state.proposal, state.reading
    for name, column in state.columns.items():
        codes = [f"{code:g}" for code in reading.missing.get(name, ())]
        if words := [*proposal.missing.get(name, ()), *column.missing_words, *codes]:
            proposal.missing[name] = words
        if column.has_numbers and any(level.endswith("%") for level in column.levels):
            proposal.clean[name] = "%"
        elif column.has_numbers and any(map(CURRENCY.match, column.levels)):
            proposal.clean[name] = "[$€£¥,]"
    # Of a name that several columns make together none is missing: such a row is nobody's, as one with shifted cells.
    of_names = (name for value in proposal.keys.values() if isinstance(value, list) for name in names_in(value))
    proposal.where |= {name: {"not": proposal.missing[name]} for name in of_names if name in proposal.missing}
    for name, level in reading.excluded.items():
        proposal.where[name] = {"not": [level]}
    if reading.empty_rows is not None:
        proposal.where[reading.empty_rows.name] = FILLED
