"""Guessing who the people of a log are, once it is known what names its games: by seats, rounds and sessions."""

from __future__ import annotations

import re

import pandas as pd

from negstats.loaders.mapping.columns import Columns, are_few, are_named, are_numbers, are_whole, words_of
from negstats.loaders.mapping.guess_names import BLOCK, GAME, PERSON, TRAIT, TRIAL
from negstats.loaders.mapping.guess_result import MOST_SEATS, Guess
from negstats.loaders.mapping.words import SIGNS

_MOSTLY = 0.5  # share of the people's numbers that stand in several sessions, from which on these number them anew


def set_rounds_as_games(mapping_guess: Guess, columns: Columns) -> None:
    """Take each round of a group for a game where rows hold no offers, and every player has one row in it.

    So it is in a public goods game: all decide at once, and again in the next round.
    """
    game, player = mapping_guess.keys.get("games.game_id"), mapping_guess.keys.get("players.player")
    content = ("offers.units", "offers.value", "offers.items", "offers.response", "items.", "item.", "messages.")
    if mapping_guess.row != "offer" or not isinstance(game, list) or not isinstance(player, str):
        return
    if any(key.startswith((*content, "seats.", "event")) for key in mapping_guess.keys):
        return
    taken = columns.taken - {mapping_guess.keys.get("offers.round")}
    whole = [name for name in columns.plain if name not in taken and name not in game and are_whole(columns.of[name])]
    counters = [name for name in whole if re.fullmatch(TRIAL, columns.plain[name])]
    blocks = [name for name in whole if re.fullmatch(BLOCK, columns.plain[name]) and name not in counters]
    numbers = [[number] for number in counters] + [[block, number] for number in counters for block in blocks]
    for number in numbers:
        if columns.repeats([*game, *number, player]):
            continue
        if not columns.repeats([*game, *number]) and player not in game:
            continue  # one acts in each round: a turn
        mapping_guess.row = "player"
        mapping_guess.keys["games.game_id"] = [*game, *number]
        mapping_guess.keys.pop("offers.round", None)
        columns.taken.update(number)
        in_each = f"in each {' and '.join(number)} every {player} has one row: each is a game"
        names_row = f"{', '.join(game)} and {' and '.join(number)} name each row"
        mapping_guess.evidence["games.game_id"] = names_row if player in game else in_each
        if "players.participant_id" not in mapping_guess.keys and len(words_of(columns.of[player])) <= MOST_SEATS:
            mapping_guess.keys["players.participant_id"] = [*game, player]
            why = f"{player} numbers the people of each group anew, and the groups stay together"
            mapping_guess.evidence["players.participant_id"] = why
        return


def set_players_as_people(mapping_guess: Guess, columns: Columns) -> None:
    """Take names of seats for people where no column names people and more names stand there than sit in a game."""
    player, game = mapping_guess.keys.get("players.player"), mapping_guess.keys.get("games.game_id")
    known = {"players.participant_id", "players.agent", "players.kind"} & mapping_guess.keys.keys()
    if known or not isinstance(player, str) or not isinstance(game, list) or set(game) & set(SIGNS):
        return
    if re.fullmatch(_OF_AGENTS, columns.plain[player]):
        return
    pairs = pd.DataFrame({name: columns.of[name] for name in [*game, player]}).drop_duplicates()
    names = pairs[player].nunique()
    if names <= MOST_SEATS or pairs.groupby(game).size().max() > MOST_SEATS:
        return
    mapping_guess.keys["players.participant_id"] = player
    most = int(pairs.groupby(player).size().max())
    games = "one game" if most == 1 else f"up to {most} games"
    mapping_guess.evidence["players.participant_id"] = (
        f"{names} names, each in {games}: QUESTION: is each {player} another person?"
    )


_OF_AGENTS = r"(.*_)?(agent|model|strategy|bot|llm|role)(_.*)?"  # names of programs and of roles


def set_people_of_sessions(mapping_guess: Guess, columns: Columns) -> None:
    """Name people by session and number where each session numbers them anew, as a laboratory's program does."""
    person = mapping_guess.keys.get("players.participant_id")
    sessions = [name for name, own in columns.plain.items() if re.fullmatch(GAME[2], own)]
    if not isinstance(person, str) or len(sessions) != 1 or not are_whole(columns.of[person]):
        return
    session = sessions[0]
    frame = pd.DataFrame({"session": columns.of[session], "person": columns.of[person]}).dropna().drop_duplicates()
    is_shared = frame["person"].duplicated(keep=False).mean() > _MOSTLY
    if len(frame) == frame["person"].nunique() or not is_shared:
        return
    why = ""
    for name, own in columns.plain.items():
        if re.fullmatch(TRAIT, own) and not columns.varies([name], [session, person]):
            if not columns.varies([name], [person]):
                return  # one person, who came to several sessions
            why = f"{name} differs between sessions for one {person}, and never in a session"
            break
    by_program = {"period", "subject", "group", "session"} <= set(columns.plain.values())
    if not why and (by_program or _are_numbered_anew(frame)):
        like = "as z-Tree does" if by_program else "from 1 on"
        why = f"each {session} numbers them anew, {like}: QUESTION: or did a {person} come to several?"
    if why:
        mapping_guess.keys["players.participant_id"] = [session, person]
        mapping_guess.evidence["players.participant_id"] = why


def _are_numbered_anew(frame: pd.DataFrame) -> bool:
    """Whether the people of each session are 1, 2, ... without a gap: numbers of places, and not of persons."""
    numbers = pd.to_numeric(frame["person"]).groupby(frame["session"])
    return bool((numbers.min() == 1).all() and (numbers.max() == numbers.size()).all() and numbers.size().min() > 2)


def set_people(mapping_guess: Guess, columns: Columns) -> None:
    """Where a session holds many people, each has one of its games: with an agent, as a rule."""
    game, person = mapping_guess.keys.get("games.game_id"), mapping_guess.keys.get("players.participant_id")
    if isinstance(game, list) and isinstance(person, str) and person not in game:
        pairs = pd.DataFrame({name: columns.of[name] for name in [*game, person]}).drop_duplicates()
        if pairs.groupby(game).size().median() > MOST_SEATS:
            mapping_guess.keys["games.game_id"] = [person, *game]


def set_role_of_seats(mapping_guess: Guess, columns: Columns) -> None:
    """Take words that each seat of a game has another one of for roles, where no column is called so: power, rank."""
    game, player = mapping_guess.keys.get("games.game_id"), mapping_guess.keys.get("players.player")
    if mapping_guess.row != "player" or "players.role" in mapping_guess.keys:
        return
    if not isinstance(game, list) or not isinstance(player, str) or not columns.repeats(game):
        return
    for name, values in columns.of.items():
        is_free = name in columns.plain and name not in columns.taken and are_few(values) and not are_numbers(values)
        if is_free and values.notna().all() and values.nunique() > 1 and not columns.repeats([*game, name]):
            columns.taken.add(name)
            mapping_guess.keys["players.role"] = name
            mapping_guess.evidence["players.role"] = "each seat of a game has another one"
            return


def set_people_of_seats(mapping_guess: Guess, columns: Columns) -> None:
    """Take each seat of a game for a person where the rows of seats have ages or genders and nobody is named."""
    game, player = mapping_guess.keys.get("games.game_id"), mapping_guess.keys.get("players.player")
    if mapping_guess.row != "player" or "players.participant_id" in mapping_guess.keys:
        return
    if not isinstance(game, list) or not isinstance(player, str) or set(game) & set(SIGNS):
        return
    if columns.find([PERSON], are_named, take=False) is not None:
        mapping_guess.keys["players.participant_id"] = [*game, player]
        mapping_guess.evidence["players.participant_id"] = (
            "QUESTION: is each row another person? Nobody is named, and rows say who people are"
        )


def drop_numbered_role(mapping_guess: Guess, columns: Columns, player: str | None) -> None:
    """Take back a role that is a number: it says nothing beside the seat, and of somebody alone it is a condition."""
    role = mapping_guess.keys.get("players.role")
    game = mapping_guess.keys.get("games.game_id")
    if not isinstance(role, str) or not are_numbers(columns.of[role]):
        return
    del mapping_guess.keys["players.role"]
    is_alone = isinstance(game, list) and not columns.repeats(game)
    if role == player and is_alone and "players.participant_id" in mapping_guess.keys:
        mapping_guess.keys["players.player"] = {"constant": "proposer"}
        columns.taken.discard(role)
