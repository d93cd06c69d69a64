"""Guessing allocations among three or more seats: a row has what each seat would get, and several answer.

The columns are plain where they are alike but for a seat behind the name (``share_1``, ``share_2``, ``share_3``) and
add up to one number in each row, and where the rows also say who proposes, by the same seats, or how each seat votes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from negstats.loaders.mapping.columns import Columns, are_few, are_named, are_numbers, words_of
from negstats.loaders.mapping.guess_games import find_game
from negstats.loaders.mapping.guess_names import PERIOD, PLAYER, is_round
from negstats.loaders.mapping.guess_result import MOST_SEATS, Guess
from negstats.loaders.mapping.keys import quoted
from negstats.loaders.mapping.words import ROW, levels_of

_SEAT = re.compile(r"(.*?)_?([0-9]{1,2}|[a-h])")
_PROPOSER = [
    r"(.*_)?(proposer|agenda_setter|setter|formateur|offerer)(_?(id|nr|no|number|seat|player))?",
    r"(.*_)?(selected|drawn|recogni[sz]ed)(_(proposer|member|player|seat))?",
]
_VOTE = r"(.*_)?(vote[sd]?|ballot|accept(s|ed|ance)?|approve[sd]?|agree[sd]?|response|reply|answer)"
_PASSED = [r"(.*_)?(passed|pass|approved|adopted|majority|agreement|deal|outcome|result)(_?(yn|reached|made))?"]
_NO_SHARE = re.compile(r"(.*_)?(round|trial|period|question|item|q|vote|accept|id|time|game|day)")
_PEOPLE = {"", "id", "participant", "participant_id", "subject", "subject_id", "pid", "person", "player", "member"}
_PAID = {"points", "payoff", "score", "earnings", "profit", "final_points"}
_LEAST_SEATS, _LEAST_ROWS = 3, 2


@dataclass(frozen=True, slots=True)
class Allocation:
    """What each seat would get, and who proposes: the columns by seat, the column of the proposer, those of votes."""

    name: str
    shares: Mapping[str, str]
    proposer: str | None
    votes: Mapping[str, str]


def set_allocation(guess: Guess, columns: Columns, *, several_files: bool) -> list[str] | None:
    """Take an allocation among seats, who proposes it and who votes on it; return what names its game, if there is one.

    Parameters
    ----------
    guess
        What is known so far.
    columns
        The columns of the log.
    several_files
        Whether there are more files like it.
    """
    groups = _group_by_seat(columns)
    allocation = _find_allocation(columns, groups)
    if allocation is None:
        return None
    columns.taken |= {*allocation.shares.values(), *allocation.votes.values()}
    columns.taken |= {allocation.proposer} if allocation.proposer else set()
    player = None if allocation.votes else _find_player(columns, allocation)
    named = find_game(columns, player, several_files)
    game = named if isinstance(named, list) else [ROW]
    if player is not None:
        game = _with_round(columns, game, player)
    guess.row = "player" if player else "offer" if columns.repeats(game) else "game"
    guess.row_is_game = player is None
    guess.keys["games.game_id"] = game
    for seat, column in allocation.shares.items():
        guess.keys[f"seats.{quoted(seat)}.items.{quoted(allocation.name)}"] = column
    first = f"seats.{quoted(next(iter(allocation.shares)))}.items"
    guess.evidence[first] = "what all seats would get adds up to one number in each row"
    if allocation.proposer:
        guess.keys["offers.proposer"] = allocation.proposer
    _set_votes(guess, columns, allocation, player, game)
    for seat, column in _find_people(columns, groups, allocation.shares).items():
        guess.keys[f"seats.{quoted(seat)}.participant_id"] = column
    _set_points(guess, columns, groups, allocation.shares)
    return game


def _group_by_seat(columns: Columns) -> dict[str, dict[str, str]]:
    """Return the columns that are alike but for a number or letter at the end, by their stem and that mark."""
    groups: dict[str, dict[str, str]] = defaultdict(dict)
    for name, plain_name in columns.plain.items():
        match = _SEAT.fullmatch(plain_name)
        if match and name not in columns.taken | columns.parents and columns.of[name].notna().any():
            groups[match[1]].setdefault(match[2], name)
    return {stem: of for stem, of in groups.items() if _LEAST_SEATS <= len(of) <= MOST_SEATS}


def _find_allocation(columns: Columns, groups: Mapping[str, dict[str, str]]) -> Allocation | None:
    for stem, of in groups.items():
        if _NO_SHARE.fullmatch(stem) or not _are_shares(columns, list(of.values())):
            continue
        is_seat = _are_words(set(of))
        proposer = columns.find(_PROPOSER, is_seat, take=False)
        proposer = proposer if proposer not in of.values() else None
        is_vote = (one for one, other in groups.items() if other.keys() == of.keys() and re.fullmatch(_VOTE, one))
        votes = next((groups[one] for one in is_vote if all(map(_are_votes, _cells(columns, groups[one])))), {})
        if proposer or votes:
            return Allocation(stem or "share", of, proposer, votes)
    return None


def _cells(columns: Columns, of: Mapping[str, str]) -> list[pd.Series]:
    return [columns.of[name] for name in of.values()]


def _are_shares(columns: Columns, names: Sequence[str]) -> bool:
    """Whether columns hold amounts that have one sum in all rows that have them, and differ between rows."""
    if not all(are_numbers(columns.of[name]) for name in names):
        return False
    amounts = pd.DataFrame({name: pd.to_numeric(columns.of[name]) for name in names}).dropna()
    sums = amounts.sum(axis=1)
    if len(amounts.drop_duplicates()) < _LEAST_ROWS or (amounts < 0).any(axis=None):
        return False
    return bool(sums.iloc[0] > 0 and np.allclose(sums, sums.iloc[0], rtol=1e-6))


def _are_words(words: set[str]) -> Callable[[pd.Series], bool]:
    """Return whether the cells of a column are some of these words."""
    return lambda values: are_named(values) and {_plain_seat(word) for word in words_of(values)} <= words


def _plain_seat(word: str) -> str:
    return re.sub(r"\.0+$", "", word.strip().lower())


def _are_votes(values: pd.Series) -> bool:
    return are_few(values) and levels_of("response", words_of(values)) is not None


def _find_player(columns: Columns, allocation: Allocation) -> str | None:
    """Return the column that says which seat a row is about."""
    person = [r"(.*_)?(subject|member|voter|id_in_group|player|participant)(_?(id|nr|no|number))?"]
    return columns.find([*PLAYER, *person], _are_words(set(allocation.shares)))


def _with_round(columns: Columns, game: list[str], player: str) -> list[str]:
    """Return what names a game, with the round where each seat is there once in each round."""
    if not columns.repeats([*game, player]):
        return game
    rounds = (
        name
        for name, plain_name in columns.plain.items()
        if (is_round(plain_name) or re.fullmatch(PERIOD, plain_name)) and name not in columns.taken
    )
    column = next((name for name in rounds if not columns.repeats([*game, name, player])), None)
    if column is None:
        return game
    columns.taken.add(column)
    return [*game, column]


def _set_votes(guess: Guess, columns: Columns, allocation: Allocation, player: str | None, game: list[str]) -> None:
    """Take who accepts, and how many must."""
    one = columns.find([_VOTE], _are_votes) if player else None
    if player:
        guess.keys["players.player"] = player
    words = [words_of(columns.of[name]) for name in (*allocation.votes.values(), *([one] if one else []))]
    passed = columns.find(_PASSED, _are_votes)
    if passed is not None and columns.varies([passed], [*game, allocation.proposer or ROW]):
        columns.taken.discard(passed)
        passed = None
    if passed is not None:
        guess.keys["offers.response"] = passed
        words.append(words_of(columns.of[passed]))
    for seat, column in allocation.votes.items():
        guess.keys[f"seats.{quoted(seat)}.vote"] = column
    if one is not None:
        guess.keys["offers.vote"] = one
    spelled = levels_of("response", dict.fromkeys(word for some in words for word in some))
    if spelled:
        guess.levels["response"] = spelled
    if allocation.votes or one is not None:
        guess.keys["offers.accepts_needed"] = "majority"
        why = "QUESTION: how many must accept, the proposer among them? A number, majority or all"
        guess.evidence["offers.accepts_needed"] = why


def _find_people(
    columns: Columns, groups: Mapping[str, dict[str, str]], shares: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the columns with each seat's person: many different ones, never one of them in two seats of a row."""
    for stem, of in groups.items():
        names = list(of.values())
        if stem in _PEOPLE and of.keys() == shares.keys() and not columns.taken & set(names):
            people = pd.DataFrame({name: columns.of[name] for name in names})
            if not people.apply(lambda row: row.dropna().duplicated().any(), axis=1).any():
                columns.taken |= set(names)
                return of
    return {}


def _set_points(
    guess: Guess, columns: Columns, groups: Mapping[str, dict[str, str]], shares: Mapping[str, str]
) -> None:
    """Take what seats were paid; where no column says it, the points follow from the deal."""
    for stem, of in groups.items():
        if stem in _PAID and of.keys() == shares.keys() and all(map(are_numbers, _cells(columns, of))):
            columns.taken |= set(of.values())
            for seat, column in of.items():
                guess.keys[f"seats.{quoted(seat)}.points"] = column
            return
    if guess.row_is_game or not columns.find([f"(.*_)?({'|'.join(sorted(_PAID))})"], are_numbers, take=False):
        guess.keys["players.points_from_deal"] = True
