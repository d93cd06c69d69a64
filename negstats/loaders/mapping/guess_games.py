"""Guessing what names a game: a column, a person and a round, both seats of a row, or the row itself."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import combinations

import pandas as pd

from negstats.loaders.mapping.columns import (
    Columns,
    are_amounts,
    are_few,
    are_named,
    are_numbers,
    are_whole,
    words_of,
)
from negstats.loaders.mapping.decisions import are_decisions, find_answers_to_amounts, naming
from negstats.loaders.mapping.guess_names import (
    BLOCK,
    CASES,
    DECIDED,
    GAME,
    NAMES_BY_KEY,
    PERIOD,
    PLAYER,
    ROUND,
    TRIAL,
)
from negstats.loaders.mapping.guess_result import MOST_SEATS, Guess
from negstats.loaders.mapping.guess_structure import find_row_name, find_seat_groups, is_coarse, is_sequence
from negstats.loaders.mapping.model import known_as
from negstats.loaders.mapping.sides import Sides
from negstats.loaders.mapping.words import FILE, MARK, ROW, levels_of

_MOST_CELLS = 12  # columns that are tried for conditions within persons


def find_game_of_both(columns: Columns, sides: Sides, person: str | None, several_files: bool) -> list[str] | None:
    """Return what names a row that tells of both seats; None if several rows tell of one game, or of no two people."""
    if not (sides.people or sides.goods or any(key.endswith((".points", ".kind")) for key in sides.keys)):
        return None
    own = {name for name in columns.of if name in sides.columns}
    actor = columns.find(PLAYER, are_few, take=False)
    if actor is not None and actor not in own and not sides.people:
        if columns.plain[actor] not in sides.seats:
            return None  # a row says who acts in it
        sides.keys |= {f"seats.{columns.plain[actor]}.agent": actor, "factors.opponent": actor}
        sides.evidence["factors.opponent"] = f"which {columns.plain[actor]} the other side met"
        sides.columns.add(actor)
    candidates = [name for pattern in GAME for name, plain in columns.plain.items() if re.fullmatch(pattern, plain)]
    number = columns.find([*ROUND, PERIOD, TRIAL], is_sequence, take=False)
    names = [[name] for name in candidates if name not in own]
    names += [[session, group] for session in candidates for group in candidates if session != group]
    results = [column for key, column in sides.keys.items() if key.endswith(".points") and isinstance(column, str)]
    if number is not None and results:  # pairs that negotiate several times have other results each time
        names += [[*those, number] for those in names if number not in those and columns.varies(results, those)]
    if person is not None:
        names += [[person], *([[person, number]] if number else [])]
    start = [FILE] if several_files else []
    for columns_of in names:
        if all(columns.of[name].notna().all() for name in columns_of) and not columns.repeats(columns_of):
            columns.taken.update(columns_of)
            return [*start, *columns_of]
    if candidates and not sides.people:
        return None  # several rows a game
    return None if number or candidates else [*start, ROW]


def find_decisions(
    mapping_guess: Guess, columns: Columns, game: object, player: str | None, several_files: bool
) -> list[str] | None:
    """See whether each row is a decision, a game of its own; return what names it."""
    if any({"proposer", "responder"} <= set(map(known_as, words_of(values))) for values in columns.of.values()):
        return None  # both sides have rows
    if player and not _is_person(columns, player) and not re.fullmatch(_MET, columns.plain[player]):
        return None
    answer = columns.find(NAMES_BY_KEY["offers.response"], _are_answers, take=False)
    amount = columns.find(
        [*NAMES_BY_KEY["offers.units_to_responder"], *NAMES_BY_KEY["offers.units_to_proposer"]], are_numbers, take=False
    )
    if answer is None or amount is None or amount == answer:
        return None
    game_columns = game if isinstance(game, list) else [FILE] if game else None
    if not are_decisions(
        columns.of[answer], None if game_columns is None else [columns.of[name] for name in game_columns]
    ):
        return None
    person = columns.find(CASES[0][1], are_named, take=False)
    if player and person is None and _is_person(columns, player):
        person = player
    elif player:
        columns.taken.discard(player)  # whom a person met is a condition
    number = columns.find([*ROUND, TRIAL], are_whole, take=False)
    blocks = [name for name, plain in columns.plain.items() if re.fullmatch(BLOCK, plain) and are_few(columns.of[name])]
    if person is not None and not columns.repeats([person]):
        number, blocks = None, []
        name_columns = [*([FILE] if several_files else []), person]
        why = f"{person} stands once: each row is a game"
    else:
        naming_of = naming(columns.of, person, number, blocks, columns.repeats, several_files=several_files)
        name_columns, why = naming_of.names, naming_of.why
    for name in game_columns or []:
        columns.taken.discard(name)  # a lab's session is none of its games
    columns.taken |= {name for name in name_columns if name not in blocks} | {answer}
    mapping_guess.keys["players.player"] = {"constant": "responder"}
    mapping_guess.keys["offers.response"] = answer
    mapping_guess.evidence["games.game_id"] = why
    if person is not None:
        columns.taken.add(person)
        mapping_guess.keys["players.participant_id"] = person
    elif several_files:
        mapping_guess.keys["players.participant_id"] = {"file": True}
        mapping_guess.evidence["players.participant_id"] = "each file is taken for a person"
    return name_columns


_MET = r"(.*_)?(proposer|agent|opponent|partner)(_(type|kind|name|label))?"  # with whom a person decides


def _is_person(columns: Columns, name: str) -> bool:
    """Whether a column of seats may as well be one of people: there are more of them than sit in a game."""
    is_id_column = re.fullmatch(CASES[0][1][0], columns.plain[name]) is not None
    return is_id_column or len(words_of(columns.of[name])) > MOST_SEATS


def _are_answers(values: pd.Series) -> bool:
    """Whether there are words of acceptance and rejection, or two numbers that may stand for them."""
    words = words_of(values)
    if are_numbers(values):
        return len(words) == 2
    answer_levels = levels_of("response", words) if words else None
    return answer_levels is not None and bool({"accepted", "rejected"} & answer_levels.keys())


def find_alone(mapping_guess: Guess, columns: Columns) -> list[str] | None:
    """Return person and round where they name each row together: decisions whose partner is not on record."""
    person = columns.find(CASES[0][1], are_named, take=False)
    number = columns.find([*ROUND, TRIAL], are_whole, take=False)
    if person is not None and number is None and (cells := _find_cells(columns, person)):
        return [person, *cells]
    case = columns.find([_CASE], are_named, take=False) if person is None and number is None else None
    if case is not None and (cells := _find_cells(columns, case)):
        mapping_guess.keys["players.participant_id"] = case
        mapping_guess.evidence["players.participant_id"] = f"QUESTION: is each {case} another person?"
        return [case, *cells]
    if person is None or number is None or columns.repeats([person, number]) or not columns.repeats([person]):
        return _find_apart(columns, person, number)
    columns.taken.add(number)
    return [person, number]


def _find_cells(columns: Columns, person: str) -> list[str] | None:
    """Return up to three columns of few levels that tell the rows of each person apart: conditions within persons."""
    if not columns.repeats([person]) or columns.listed:
        return None
    few = [
        name
        for name, values in columns.of.items()
        if name in columns.plain and name not in columns.taken and are_few(values) and values.notna().all()
    ]
    levels = {name: columns.of[name].nunique() for name in few if columns.of[name].nunique() > 1}
    most = int(columns.of[person].value_counts().max())
    for size in (1, 2, 3):
        for names in combinations(list(levels)[:_MOST_CELLS], size):
            if math.prod(levels[name] for name in names) == most and not columns.repeats([person, *names]):
                return list(names)
    return None


def _find_apart(columns: Columns, person: str | None, number: str | None) -> list[str] | None:
    """Return person and round where each person has one row, and a column of roles says that there are two sides."""
    sides = any({"proposer", "responder"} <= set(map(known_as, words_of(values))) for values in columns.of.values())
    if not sides or person is None or number is None or columns.repeats([person, number]):
        return None
    columns.taken.add(number)
    return [person, number]


def find_game(columns: Columns, player: str | None, several_files: bool) -> list[str] | dict[str, bool] | None:
    """Return the columns that name the game together; or that it is the file; or None."""

    def complete(values: pd.Series) -> bool:
        return bool(values.notna().all())

    def is_outside(name: str) -> bool:
        return not columns.is_inside(name)

    own, group, session = (_find_where(columns, [pattern], complete, is_outside) for pattern in GAME)
    if own is not None and is_coarse(columns, own) and (seat_groups := find_seat_groups(columns, player)):
        columns.taken.add(seat_groups)
        columns.taken.discard(own)
        return [seat_groups]
    is_kind = own is not None and player is None and not columns.listed and is_coarse(columns, own)
    if own is not None and is_kind and not _has_turns(columns):
        columns.taken.discard(own)  # a kind of game, such as its rules: each row is a game of its own
        return [*([FILE] if several_files else []), *find_row_name(columns)]
    if own is None and not (group and session) and (seat_groups := find_seat_groups(columns, player)):
        columns.taken.add(seat_groups)
        columns.taken -= {group, session} - {None}
        return [seat_groups]
    is_seat_outside = player is not None and not columns.is_inside(player)
    is_of_seat = own and is_seat_outside and not columns.varies([ROW], [own, str(player)])  # each has its own list
    if own and columns.listed and columns.varies([ROW], [own]) and not is_of_seat:
        return [own, ROW]  # several talks of one game
    if own:
        return [own]
    if group and session:
        # As oTree and z-Tree number them: groups anew in each round, so that only with it each player is there once.
        # A log may have several rounds, such as the one in which a person is now.
        rounds = [
            name for name, own in columns.plain.items() if any(re.fullmatch(one, own) for one in (*ROUND, PERIOD))
        ]
        for round_column in (name for name in rounds if name not in columns.taken and complete(columns.of[name])):
            if player and _is_anew(columns, [session, group], round_column, player):
                columns.taken.add(round_column)
                return [session, round_column, group]
        return [session, group]
    if several_files and not group and player is None and _has_ends(columns):
        return [FILE, ROW]
    if several_files and not group:
        return {"file": True}
    id_column = group or session
    if id_column is None and columns.listed:
        id_columns = [
            name for name, own in columns.plain.items() if re.fullmatch(r"key|id|.*_id|file(name)?|index", own)
        ]
        outer = [name for name in id_columns if not columns.is_inside(name) and complete(columns.of[name])]
        id_column = outer[0] if outer else None
        columns.taken.update(outer[:1])
    if id_column is None and columns.of[ROW].duplicated().any() and not has_conditions(columns):
        return [ROW]  # the elements of a list that stands in one row
    return [id_column] if id_column else None


_TURN = r"(?!(?:final|last|total|max|n|num)_)(.*_)?(round|turn|step)(_?(number|nr|no|index))?"


def _has_turns(columns: Columns) -> bool:
    """Whether rows hold what somebody said or offered, or number the turns of a game."""
    if columns.find([_TURN], are_whole, take=False) is not None:
        return True
    fits = {key: case for key, _, case in CASES}
    keys = ("messages.text", "offers.proposer", "offers.items")
    return any(columns.find(NAMES_BY_KEY[key][:1], fits[key], take=False) is not None for key in keys)


def _find_where(
    columns: Columns, patterns: list[str], fits: Callable[[pd.Series], bool], holds: Callable[[str], bool]
) -> str | None:
    """Return and take the first column that is named so, fits and for whose name something holds."""
    for pattern in patterns:
        for name, own in columns.plain.items():
            is_free = name not in columns.taken | columns.parents and not name.endswith(".#")
            if is_free and re.fullmatch(pattern, own) and fits(columns.of[name]) and holds(name):
                columns.taken.add(name)
                return name
    return None


def find_rows(mapping_guess: Guess, columns: Columns, person: str | None) -> list[str] | None:
    """Return the row where nothing names a game, and somebody named decides in each: it is taken for a game."""
    if person is None or columns.listed or not columns.repeats([person]):
        return None
    amounts = [*NAMES_BY_KEY["offers.units_to_responder"], *NAMES_BY_KEY["offers.units_to_proposer"], *DECIDED]
    if columns.find(amounts, are_amounts, take=False) is None:
        return None
    number = columns.find([*ROUND, TRIAL], are_whole, take=False)
    mapping_guess.is_default = True
    what = f"{person} and {number} repeat" if number else f"{person} stands in several rows"
    mapping_guess.evidence["games.game_id"] = f"{what}, and no column tells games apart: each row is taken for one"
    return [ROW]


# What numbers the rows of a table of people, where no column is called a participant.
_CASE = r"id|case(_?(id|nr|no|number))?|nr|no|number|code|key|index"
_FEWEST_PEOPLE = 3


def has_conditions(columns: Columns) -> bool:
    """Whether the names of columns end or begin with conditions, so that a person has a row for each."""
    return MARK in columns.of and not are_numbers(columns.of[MARK])


def find_people(mapping_guess: Guess, columns: Columns, person: str | None) -> list[str] | None:
    """Return the person where each has one row and nothing names a game: the row is what that person did alone."""
    if columns.listed or columns.rows < _FEWEST_PEOPLE:
        return None
    number = columns.find([_CASE], are_named, take=False)
    person, is_number = person or number, person is None
    condition = [MARK] if has_conditions(columns) else []
    if person is None or columns.of[person].isna().any() or columns.repeats([person, *condition]):
        return None
    amounts = [*NAMES_BY_KEY["offers.units_to_responder"], *NAMES_BY_KEY["offers.units_to_proposer"], *DECIDED]
    offers = columns.find(amounts, are_amounts, take=False) is not None
    least = columns.find(NAMES_BY_KEY["offers.accept_from"], are_amounts, take=False) is not None
    least = least or find_answers_to_amounts(columns) is not None
    seat = "proposer" if offers else "responder" if least else "participant"
    mapping_guess.keys |= {"players.participant_id": person, "players.player": {"constant": seat}}
    mapping_guess.evidence["games.game_id"] = f"{person} stands in one row each, and no column tells games apart"
    if condition:
        mapping_guess.evidence["games.game_id"] = f"{person} has a game in each condition"
    if is_number:
        mapping_guess.evidence["players.participant_id"] = f"QUESTION: is each {person} another person?"
    columns.taken.add(person)
    return [person]


def set_any_row(mapping_guess: Guess, columns: Columns, person: str | None) -> list[str] | None:
    """Take each row for a game where nothing names one: what stands in it can be compared, and a person is asked."""
    if columns.listed or columns.rows < _FEWEST_PEOPLE or has_conditions(columns):
        return None
    mapping_guess.is_any_row = mapping_guess.is_default = True
    if person is not None:
        mapping_guess.keys |= {"players.participant_id": person, "players.player": {"constant": "participant"}}
        columns.taken.add(person)
    mapping_guess.evidence["games.game_id"] = (
        "QUESTION: is each row a game of its own? No column tells games apart; if one does, it belongs here"
    )
    return [ROW]


def _has_ends(columns: Columns) -> bool:
    """Whether a column says of each row how a game ended: rows are games, and not what happened in one."""

    def are_ends(values: pd.Series) -> bool:
        words = words_of(values)
        ends = levels_of("ended", words) if are_few(values) and len(words) > 1 else None
        return ends is not None and len(ends) > 1

    return not columns.listed and columns.find(NAMES_BY_KEY["games.ended"], are_ends, take=False) is not None


def _is_anew(columns: Columns, group: list[str], number: str, player: str) -> bool:
    """Whether each round's groups are others: each player is there once a round, or each round has other players.

    A round in which one player acts is a turn, and tells nothing.
    """
    names = [*group, number, player]
    frame = pd.DataFrame({name: columns.of[name].fillna("") for name in dict.fromkeys(names)})
    if frame.shape[1] < len(names):
        return False
    players_by_group, by_round = (
        frame.groupby(group)[player].nunique(),
        frame.groupby([*group, number])[player].nunique(),
    )
    if by_round.max() < 2 <= players_by_group.median():
        return False
    if columns.names_once(names, not_without=number):
        return True
    return bool(by_round.median() >= 2 and players_by_group.median() > by_round.max())
