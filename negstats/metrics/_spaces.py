"""From tables to arrays: the outcome space of every game with what it is worth to each seat, and the deal in it.

Games that divide the same counts of items and settle issues with the same options share an outcome space; they are
computed together. Works on pandas frames; `negstats.metrics.efficiency` collects them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, SchemaError, shown
from negstats.games import LIMIT, choice_utilities, choices, division_utilities, divisions

__all__ = ["Spaces", "spaces"]

Numbers = npt.NDArray[Any]
Told: TypeAlias = Mapping[object, Sequence[tuple[object, object, float, object]]]  # item, receiver, quantity, option

ROOM = 4_000_000  # utilities that are held at once: 32 MB


@dataclass(frozen=True, slots=True)
class Spaces:
    """Some games with one outcome space.

    Attributes
    ----------
    games
        Their ids (games,).
    seats
        The names of their seats (games, seats), sorted.
    utilities
        What each outcome is worth to each seat (games, outcomes, seats).
    deals
        What the deal is worth to each seat (games, seats); missing without a deal that the log tells in full.
    """

    games: Numbers
    seats: Numbers
    utilities: Numbers
    deals: Numbers


@dataclass(frozen=True, slots=True)
class _Issues:
    """The issues of a game: names and counts of divisible items, names and options of categorical issues."""

    items: tuple[object, ...]
    counts: tuple[float, ...]
    columns: tuple[int, ...]
    settled: tuple[object, ...]
    options: tuple[tuple[object, ...], ...]
    option_columns: tuple[tuple[int, ...], ...]


def spaces(values: pd.DataFrame, deals: pd.DataFrame | None = None) -> Iterator[Spaces]:
    """Yield the outcome spaces of the games in ``values``, games with equal issues together.

    A game whose seats value different items, or where it is not known how many units there are, has no outcome space
    and is left out.

    Parameters
    ----------
    values
        `game_id`, `player`, `item`, `option`, `available`, `value`.
    deals
        The items of each game's deal: `game_id`, `item`, `receiver`, `quantity`, `option`. None: no deals.

    Raises
    ------
    SchemaError
        If the seats of a game disagree on how many units there are.
    DesignError
        If counts are no whole numbers or an outcome space is too large (the game is named).
    """
    if values.empty:
        return
    _check_counts(values)
    values = values.assign(kind=values.groupby(["item", "option", "available"], dropna=False, sort=True).ngroup())
    values = values.sort_values(["game_id", "player", "kind"], ignore_index=True)
    kinds = values.drop_duplicates("kind").set_index("kind")
    games = _by_issues(values)
    told = _by_game(deals)
    for (seats, kind), starts in games.items():
        issues = _issues(kinds.loc[np.frombuffer(kind, dtype=np.int64)])
        if issues is None:
            continue
        width = len(kind) // np.dtype(np.int64).itemsize
        yield from _batches(values, np.array(starts), seats, width, issues, told)


def _check_counts(values: pd.DataFrame) -> None:
    differ = values.groupby(["game_id", "item"], sort=False)["available"].nunique() > 1
    if differ.any():
        game, item = differ.index[int(differ.to_numpy().argmax())]
        raise SchemaError(
            f"seats of game {shown(game)} disagree on how many units of {shown(item)} there are",
            table="values",
            column="available",
        )


def _by_issues(values: pd.DataFrame) -> dict[tuple[int, bytes], list[int]]:
    """Return the first rows of games, by number of seats and the kinds of items that every seat values."""
    game = pd.factorize(values["game_id"])[0]
    player = pd.factorize(values["player"])[0]
    new_game = np.concatenate([[True], game[1:] != game[:-1]])
    seat_starts = np.flatnonzero(new_game | np.concatenate([[True], player[1:] != player[:-1]]))
    valued = [part.tobytes() for part in np.split(values["kind"].to_numpy(dtype=np.int64), seat_starts[1:])]
    unknown = values["value"].isna().to_numpy()
    bounds = [*np.flatnonzero(new_game[seat_starts]), len(seat_starts)]
    found: dict[tuple[int, bytes], list[int]] = {}
    for first, end in itertools.pairwise(bounds):
        start, stop = seat_starts[first], seat_starts[end] if end < len(seat_starts) else len(values)
        if len({*valued[first:end]}) == 1 and not unknown[start:stop].any():
            found.setdefault((int(end - first), valued[first]), []).append(int(start))
    return found


def _issues(kinds: pd.DataFrame) -> _Issues | None:
    divisible = kinds["option"].isna().to_numpy()
    if kinds["available"].isna().to_numpy()[divisible].any():
        return None
    items, options = kinds["item"].to_numpy(), kinds["option"].to_numpy()
    settled = tuple(dict.fromkeys(items[~divisible]))
    columns = tuple(tuple(np.flatnonzero(~divisible & (items == issue)).tolist()) for issue in settled)
    return _Issues(
        tuple(items[divisible]),
        tuple(kinds["available"].to_numpy()[divisible]),
        tuple(np.flatnonzero(divisible).tolist()),
        settled,
        tuple(tuple(options[list(places)]) for places in columns),
        columns,
    )


def _by_game(deals: pd.DataFrame | None) -> Told:
    told: dict[object, list[tuple[object, object, float, object]]] = {}
    if deals is not None:
        columns = (deals[name] for name in ("game_id", "item", "receiver", "quantity", "option"))
        for game, *row in zip(*columns, strict=True):
            told.setdefault(game, []).append((row[0], row[1], row[2], row[3]))
    return told


def _batches(
    values: pd.DataFrame,
    starts: Numbers,
    seats: int,
    width: int,
    issues: _Issues,
    told: Told,
) -> Iterator[Spaces]:
    ids = values["game_id"].to_numpy()
    try:
        units = divisions(np.array(issues.counts), seats)
        settled = choices([len(options) for options in issues.options])
    except DesignError as error:
        raise DesignError(f"game {shown(ids[starts[0]])}: {error}") from None
    outcomes = len(units) * len(settled)
    if outcomes > LIMIT:
        raise DesignError(f"game {shown(ids[starts[0]])} has {outcomes:,} outcomes, more than {LIMIT:,}")
    names, worth = values["player"].to_numpy(), values["value"].to_numpy(dtype=np.float64)
    step = max(1, ROOM // (outcomes * seats))
    for first in range(0, len(starts), step):
        places = starts[first : first + step, np.newaxis] + np.arange(seats * width)
        points = worth[places].reshape(-1, seats, width)
        games, players = ids[places[:, 0]], names[places[:, ::width]]
        taken, chosen = _deals(games, players, issues, told)
        yield Spaces(games, players, _utilities(units, settled, points, issues), _worth(taken, chosen, points, issues))


def _utilities(units: Numbers, settled: Numbers, points: Numbers, issues: _Issues) -> Numbers:
    """Add up what the divisions and what the settlements are worth: every pair of the two is an outcome."""
    divided, decided = _parts(units, settled, points, issues)
    both = divided[:, :, np.newaxis] + decided[:, np.newaxis]
    return both.reshape(len(points), -1, points.shape[1])


def _parts(units: Numbers, settled: Numbers, points: Numbers, issues: _Issues) -> tuple[Numbers, Numbers]:
    divided = division_utilities(units, points[:, :, list(issues.columns)])
    if not issues.settled:
        return divided, np.zeros((len(points), 1, points.shape[1]))
    return divided, choice_utilities(settled, [points[:, :, list(columns)] for columns in issues.option_columns])


def _deals(games: Numbers, players: Numbers, issues: _Issues, told: Told) -> tuple[Numbers, Numbers]:
    """Return units (games, seats, items) and places of options (games, issues); missing or -1 where not told."""
    taken = np.full((*players.shape, len(issues.items)), np.nan)
    chosen = np.full((len(games), len(issues.settled)), -1)
    item_of = {item: place for place, item in enumerate(issues.items)}
    options = {
        (issue, option): (place, number)
        for place, (issue, offered) in enumerate(zip(issues.settled, issues.options, strict=True))
        for number, option in enumerate(offered)
    }
    for game, name in enumerate(games):
        seat_of = {player: place for place, player in enumerate(players[game])}
        for item, receiver, quantity, option in told.get(name, ()):
            if item in item_of and receiver in seat_of:
                taken[game, seat_of[receiver], item_of[item]] = quantity
            elif (item, option) in options:
                issue, number = options[item, option]
                chosen[game, issue] = number
    return taken, chosen


def _worth(taken: Numbers, chosen: Numbers, points: Numbers, issues: _Issues) -> Numbers:
    possible = (taken >= 0).all(axis=(1, 2)) & (taken.sum(axis=1) <= np.array(issues.counts)).all(axis=1)
    possible &= (chosen >= 0).all(axis=1)
    divided, decided = _parts(taken[:, np.newaxis], np.maximum(chosen, 0)[:, np.newaxis], points, issues)
    return np.where(possible[:, np.newaxis], (divided + decided)[:, 0], np.nan)
