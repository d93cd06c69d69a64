"""Guessing from the names of a log's columns, and from what stands in them, which column is what.

The guesses start a mapping file (`suggest` beside this file); they are shown to a person and never used unseen. What
is guessed of a column must also fit its values: a column of words is no number of points, whatever it is called.
"""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import pandas as pd

from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.columns import (
    Columns,
    are_few,
    are_named,
    words_of,
)
from negstats.loaders.mapping.designs import set_open
from negstats.loaders.mapping.guess_allocations import set_allocation
from negstats.loaders.mapping.guess_games import (
    find_alone,
    find_decisions,
    find_game,
    find_game_of_both,
    find_people,
    find_rows,
    has_conditions,
    set_any_row,
)
from negstats.loaders.mapping.guess_levels import is_of_game, may_be_codes, set_levels
from negstats.loaders.mapping.guess_names import CASES, EVENT, NAMES_BY_KEY, PLAYER, ROLE, is_round
from negstats.loaders.mapping.guess_offers import (
    drop_other_amount,
    drop_without_amounts,
    gives_alone,
    set_answer,
    set_answers_to_amounts,
    set_constant_total,
    set_given,
    set_goods,
    set_options,
    set_price,
    set_proposer,
    set_row_of_talk,
    set_shares_as_points,
    set_worth,
)
from negstats.loaders.mapping.guess_people import (
    drop_numbered_role,
    set_people,
    set_people_of_seats,
    set_people_of_sessions,
    set_players_as_people,
    set_role_of_seats,
    set_rounds_as_games,
)
from negstats.loaders.mapping.guess_result import MOST_SEATS, Guess
from negstats.loaders.mapping.guess_structure import is_sequence
from negstats.loaders.mapping.guess_talks import set_clock, set_named_turns, set_seat_names
from negstats.loaders.mapping.model import known_as
from negstats.loaders.mapping.sides import ROLES, Sides, columns_of_seats, sides_of
from negstats.loaders.mapping.words import MARK, ROW, english, level_of, plain

_MARKERS = {"start", "end", "begin", "finish", "system", "[start]", "[end]", "<start>", "<end>"}  # no seats
_MOST_EVENTS = 30  # kinds of rows: acts of a talk are more than levels of a factor
_MOSTLY = 0.8  # of the cells
_OF_SEATS = ("players.points", "players.batna", "players.reached_goal", "players.agent")  # one value a seat
_OF_GAMES = ("games.ended", "games.rounds")  # one value a game


def guess(table: Table, several_files: bool) -> Guess:
    """Return what the columns of `table` seem to be.

    Parameters
    ----------
    table
        A log, or one file of it.
    several_files
        Whether there are more files like it, so that each may be a game of its own.
    """
    columns, mapping_guess = Columns(table), Guess()
    mapping_guess.words = columns.words
    _keep_answers(mapping_guess, columns)
    allocation_game = set_allocation(mapping_guess, columns, several_files=several_files)
    if allocation_game is not None:
        _set_cases(mapping_guess, columns, allocation_game)
        set_people(mapping_guess, columns)
        set_open(mapping_guess, columns, allocation_game)
        return mapping_guess
    event = columns.find(EVENT, _is_event)
    seats = _find_seats(mapping_guess, columns, event, several_files)
    _set_row(mapping_guess, columns, event, seats)
    _set_columns_of_seats(mapping_guess, columns, seats)
    _set_cases(mapping_guess, columns, seats.game)
    player = seats.player
    _set_text(mapping_guess, columns, player)
    if player and "player" not in mapping_guess.levels and _are_roles(columns, player):
        mapping_guess.keys.setdefault("players.role", player)
    set_answer(mapping_guess)
    set_rounds_as_games(mapping_guess, columns)
    set_players_as_people(mapping_guess, columns)
    set_people(mapping_guess, columns)
    set_people_of_sessions(mapping_guess, columns)
    set_people_of_seats(mapping_guess, columns)
    set_role_of_seats(mapping_guess, columns)
    final_game = mapping_guess.keys.get("games.game_id")
    if mapping_guess.row == "offer" and player and isinstance(final_game, list) and not columns.repeats(final_game):
        mapping_guess.row = "player"  # each row is somebody alone
    drop_numbered_role(mapping_guess, columns, player)
    set_given(mapping_guess, columns)
    _set_rounds(mapping_guess, columns)
    set_shares_as_points(mapping_guess, columns)
    drop_other_amount(mapping_guess, columns)
    set_constant_total(mapping_guess, columns)
    set_levels(mapping_guess, columns, event)
    player = named if isinstance(named := mapping_guess.keys.get("players.player"), str) else None
    set_proposer(mapping_guess, columns, player, final_game)
    set_price(mapping_guess, columns, player)
    set_row_of_talk(mapping_guess)
    set_clock(mapping_guess, columns)
    set_options(mapping_guess, columns)
    set_answers_to_amounts(mapping_guess, columns)
    drop_without_amounts(mapping_guess)
    set_open(mapping_guess, columns, final_game)
    if has_conditions(columns):
        names = (name for name in ("condition", "arm", "version") if f"factors.{name}" not in mapping_guess.keys)
        free = next(names, "condition_in_names")
        mapping_guess.keys[f"factors.{free}"] = MARK
        mapping_guess.evidence[f"factors.{free}"] = "the part of the columns' names in which they differ"
    return mapping_guess


class _Seats(NamedTuple):
    """What names the seat of a row, what names its game, and what of it names decisions without a partner."""

    player: str | None
    game: list[str] | dict[str, bool] | None
    lone_name: list[str] | None


def _find_seats(mapping_guess: Guess, columns: Columns, event: str | None, several_files: bool) -> _Seats:
    """Find what names games and seats: both sides of a row, a column of each, decisions, or somebody alone."""
    person = columns.find(CASES[0][1], are_named, take=False)
    sides = None if event else sides_of(_untaken(columns), columns.of, person)
    game: list[str] | dict[str, bool] | None
    if sides and (game := find_game_of_both(columns, sides, person, several_files)):
        player = None
        _set_sides(mapping_guess, columns, sides)
    else:
        player = columns.find(PLAYER, are_named) or columns.find([CASES[0][1][0]], are_named, take=False)
        player = player or _speaker(columns)
        set_seat_names(mapping_guess, columns, player)
        _leave_markers(mapping_guess, columns, player)
        game = find_game(columns, player, several_files)
    if (
        not mapping_guess.row_is_game
        and not event
        and (decided := find_decisions(mapping_guess, columns, game, player, several_files))
    ):
        player, game = None, decided
    lone_name = None if game else find_alone(mapping_guess, columns)
    game = game or lone_name
    if game is None and not event and (rows := find_rows(mapping_guess, columns, person)):
        game = lone_name = rows
        player = None if player == person else player
    if person is None and player is not None and columns.rows > MOST_SEATS and not columns.repeats([player]):
        person = player  # as many names as rows
    if game is None and not event and not several_files and (people := find_people(mapping_guess, columns, person)):
        game = lone_name = people
        player = None
    if game is None and not event and not several_files and player in (None, person):
        game = set_any_row(mapping_guess, columns, person)
        lone_name, player = (game, None) if person and game else (lone_name, player)
    if (
        isinstance(game, list)
        and MARK in columns.of
        and not any(is_round(columns.plain.get(name, "")) for name in game)
    ):
        game = [*game, MARK]
    return _Seats(player, game, lone_name)


def _set_row(mapping_guess: Guess, columns: Columns, event: str | None, seats: _Seats) -> None:
    """Say what a row is, and what follows from it: the goods that it names, and who decides alone."""
    player, game, lone_name = seats
    if game:
        mapping_guess.keys["games.game_id"] = game
    if player:
        mapping_guess.keys["players.player"] = player
    if player and event is None and isinstance(game, list):
        asked_column = columns.find(
            NAMES_BY_KEY["offers.responder"], are_few, take=False
        )  # a row of who asks whom is an offer
        alike = asked_column is None and columns.repeats(game) and not columns.repeats([*game, player])
        mapping_guess.row = "player" if alike else "offer"
    if event:
        mapping_guess.row, mapping_guess.keys["event"] = "event", event
    elif isinstance(game, list) and not columns.repeats(game) and "players.player" not in mapping_guess.keys:
        mapping_guess.row = "game"
    if player and mapping_guess.row != "player":
        set_worth(mapping_guess, columns, player)
    if not mapping_guess.row_is_game:
        set_goods(mapping_guess, columns, player, game)
    if mapping_guess.keep and player:
        mapping_guess.row = "player"  # a survey; who answered twice is left out
    if lone_name or decided_alone(mapping_guess):
        mapping_guess.row = "player"
        if player is None:
            decides = "proposer" if lone_name == [ROW] or gives_alone(columns) else "responder"
            mapping_guess.keys.setdefault("players.player", {"constant": decides})


def _set_columns_of_seats(mapping_guess: Guess, columns: Columns, seats: _Seats) -> None:
    """Take columns of a game that are called after one of its two seats for what they say of that seat."""
    player, game, _ = seats
    names = words_of(columns.of[player]) if player else []
    if len(names) != 2 or not isinstance(game, list) or mapping_guess.row == "player":
        return
    of_game = {name: own for name, own in _untaken(columns).items() if not columns.varies([name], game)}
    keys, taken = columns_of_seats(of_game, columns.of, (names[0], names[1]))
    mapping_guess.keys = keys | mapping_guess.keys
    columns.taken |= taken


def _set_cases(mapping_guess: Guess, columns: Columns, game: object) -> None:
    """Take the first column of each key that is named so and fits."""
    for key, patterns, fits in CASES:
        if key in mapping_guess.keys or (mapping_guess.row_is_game and key.startswith("players.")):
            continue
        if key == "offers.time_s" and mapping_guess.row in ("game", "player"):
            continue  # how long the game took
        if key == "players.agent" and mapping_guess.row == "game" and "players.player" not in mapping_guess.keys:
            continue  # of a game that has no seats in the log it is a condition
        name = columns.find(patterns, fits, take=False)
        if name and key in _OF_SEATS and _is_of_one_seat(mapping_guess, columns, name):
            continue
        if name and key == "offers.items" and columns.listed and not columns.is_inside(name):
            continue
        if (
            name
            and key == "offers.response"
            and (is_of_game(mapping_guess, columns, name, game) or not may_be_codes(columns.of[name]))
        ):
            continue
        if name and not (key in _OF_GAMES and isinstance(game, list) and columns.varies([name], game)):
            columns.taken.add(name)
            mapping_guess.keys[key] = name


def _is_of_one_seat(mapping_guess: Guess, columns: Columns, name: str) -> bool:
    """Whether a column is called after one of the seats that rows name, or stands beside a list of what seats do."""
    player = mapping_guess.keys.get("players.player")
    if not isinstance(player, str):
        return False
    if columns.is_inside(player) and not columns.is_inside(name):
        return True
    seats = {plain(word) for word in words_of(columns.of[player])}
    return 1 < len(seats) <= MOST_SEATS and not seats.isdisjoint(columns.own[name].split("_"))


def _set_text(mapping_guess: Guess, columns: Columns, player: str | None) -> None:
    """Take the elements of a list that are utterances for the text, where no column is called so."""
    if (
        columns.listed
        and "messages.text" not in mapping_guess.keys
        and (text_column := columns.of_elements(_are_utterances))
    ):
        columns.taken.add(text_column)
        mapping_guess.keys["messages.text"] = text_column
        if player is None:
            set_named_turns(mapping_guess, columns, text_column)
    text_name = mapping_guess.keys.get("messages.text")
    if mapping_guess.row == "player" and isinstance(text_name, str) and columns.is_inside(text_name):
        mapping_guess.row = "offer"  # a talk of few turns is no table of its seats


def _set_rounds(mapping_guess: Guess, columns: Columns) -> None:
    """Take a round that is one number a game for how many rounds there were, where no offer is made in it."""
    number, game = mapping_guess.keys.get("offers.round"), mapping_guess.keys.get("games.game_id")
    amounts = ("offers.units", "offers.value", "offers.items", "items.", "item.", "event")
    if not isinstance(number, str) or any(key.startswith(amounts) for key in mapping_guess.keys):
        return
    is_last = re.fullmatch(r"(final|last|total|n|number_of|num)_.*|.*rounds", columns.plain[number]) is not None
    is_count = is_last or not is_sequence(columns.of[number])
    if isinstance(game, list) and is_count and not columns.varies([number], game):
        mapping_guess.keys["games.rounds"] = mapping_guess.keys.pop("offers.round")


def _speaker(columns: Columns) -> str | None:
    """Return the column of a talk's turns that has a few words again and again: who speaks."""

    def are_speakers(values: pd.Series) -> bool:
        words = words_of(values)
        return 2 <= len(words) <= MOST_SEATS < len(values) and bool(values.notna().mean() > _MOSTLY)

    name = columns.of_elements(are_speakers)
    if name is not None:
        columns.taken.add(name)
    return name


def _are_utterances(values: pd.Series) -> bool:
    """Whether most cells are several words, and different ones."""
    words = values.dropna()
    phrases = words.str.contains(r"\w \w").mean() if len(words) else 0.0
    return bool(words.nunique() > 2 and phrases > _MOSTLY / 2)


def _are_roles(columns: Columns, player: str) -> bool:
    """Whether a column of seats is called a role, or seats are called by their roles: buyer and seller."""
    if re.fullmatch(ROLE, columns.plain[player]):
        return are_few(columns.of[player])
    seats = {english(plain(word)) for word in words_of(columns.of[player])}
    return len(seats) > 1 and seats <= ROLES


def _untaken(columns: Columns) -> dict[str, str]:
    return {name: own for name, own in columns.own.items() if name not in columns.taken | columns.parents}


def decided_alone(guess: Guess) -> bool:
    """Whether each row is a decision of a responder whose proposer has no row."""
    return guess.keys.get("players.player") == {"constant": "responder"}


def _leave_markers(mapping_guess: Guess, columns: Columns, player: str | None) -> None:
    """Leave out the rows of a column of seats that are no seat's: START, END."""
    if player:
        markers = [word for word in words_of(columns.of[player]) if known_as(word) in _MARKERS]
        if markers and len(markers) < len(words_of(columns.of[player])):
            mapping_guess.markers[player] = markers
            columns.keep(~columns.of[player].isin(markers))


def _set_sides(mapping_guess: Guess, columns: Columns, sides: Sides) -> None:
    """Take the columns of both seats; where they say who gets what, each row holds the deal."""
    mapping_guess.row, mapping_guess.row_is_game = "game", True
    mapping_guess.keys |= sides.keys
    mapping_guess.evidence |= sides.evidence
    columns.taken |= sides.columns
    if sides.goods:
        one, other = sides.seats
        mapping_guess.keys |= {"offers.proposer": {"constant": one}, "offers.responder": {"constant": other}}
        mapping_guess.keys["offers.last_is_deal"] = True
        mapping_guess.evidence["offers.proposer"] = (
            "the log does not say who made the last offer; it is taken as the deal"
        )


def _keep_answers(mapping_guess: Guess, columns: Columns) -> None:
    """Keep of a survey's rows those that are answers: no previews, nothing unfinished."""
    survey = {"StartDate", "EndDate", "RecordedDate", "ResponseId", "Progress", "DistributionChannel"}
    if not survey & columns.of.keys() or not {"Status", "Finished"} & columns.of.keys():
        return
    for name, counts, values in (("Status", _is_answer, "{{ not = {} }}"), ("Finished", _is_whole, "{}")):
        if name not in columns.of:
            continue
        words = words_of(columns.of[name])
        whole_answers = [word for word in words if counts(word)]
        if whole_answers and len(whole_answers) < len(words):
            condition_words = (
                whole_answers if name == "Finished" else [word for word in words if word not in whole_answers]
            )
            mapping_guess.keep[name] = values.format(json.dumps(condition_words, ensure_ascii=False))
            columns.keep(columns.of[name].isin(whole_answers))


def _is_answer(word: str) -> bool:
    return known_as(word) in ("0", "ip address", "ip-adresse")


def _is_whole(word: str) -> bool:
    return known_as(word) in ("1", "true")


def _is_event(values: pd.Series) -> bool:
    """Whether some rows are offers and some are answers, by their words."""
    words = words_of(values)
    event_levels = {level_of("event", word) for word in words} if len(words) <= _MOST_EVENTS else set()
    return "offer" in event_levels and not event_levels.isdisjoint({"accept", "reject"})
