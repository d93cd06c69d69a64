"""From tables to arrays: the outcome space of every game with what it is worth to each seat, and the deal in it.

Games that divide the same counts of items and settle issues with the same options share an outcome space; they are
computed together. Names become numbers when the tables are read (`read`), so that nothing here looks at a name twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import DesignError, SchemaError, shown
from negstats.games import LIMIT, choice_utilities, choices, division_utilities, divisions
from negstats.metrics._frames import coded as numbered

Numbers = npt.NDArray[Any]
Codes = npt.NDArray[np.intp]

ROOM = 4_000_000  # utilities that are held at once: 32 MB


@dataclass(frozen=True, slots=True)
class Spaces:
    """Some games with one outcome space.

    Attributes
    ----------
    places
        Their places among the sorted games of ``values`` (games,).
    games
        Their ids (games,).
    seats
        The names of their seats (games, seats), sorted.
    utilities
        What each outcome is worth to each seat (games, outcomes, seats).
    deals
        What the deal is worth to each seat (games, seats); missing without a deal that the log tells in full.
    """

    places: Codes
    games: Numbers
    seats: Numbers
    utilities: Numbers
    deals: Numbers


@dataclass(frozen=True, slots=True)
class Coded:
    """The table ``values`` with names as places among the sorted names; -1 where one is missing."""

    games: pa.Array
    players: pa.Array
    items: pa.Array
    options: pa.Array
    game: Codes
    player: Codes
    item: Codes
    option: Codes
    available: Numbers
    value: Numbers


@dataclass(frozen=True, slots=True)
class AgreedItems:
    """What the log tells of the deals, a row an item; names as in `Coded`, -1 for those that it does not have."""

    game: Codes
    item: Codes
    receiver: Codes
    option: Codes
    quantity: Numbers


@dataclass(frozen=True, slots=True)
class _Issues:
    """The issues of a game: items and counts of divisible ones, options of categorical ones, columns of both."""

    items: Codes
    counts: Numbers
    columns: Codes
    settled: Codes
    options: tuple[Codes, ...]
    option_columns: tuple[Codes, ...]


def read(values: pa.Table) -> Coded:
    """Give names numbers, in the order of the names."""
    (game, games), (player, players), (item, items), (option, options) = (
        numbered(values.column(name)) for name in ("game_id", "player", "item", "option")
    )
    available, value = _floats(values.column("available")), _floats(values.column("value"))
    return Coded(games, players, items, options, game, player, item, option, available, value)


def read_agreements(coded: Coded, offers: pa.Table, items: pa.Table) -> AgreedItems:
    """Return the items of the last accepted offer of each game."""
    agreements = offers.filter(pc.equal(offers.column("response"), "accepted"))
    last_offers = np.full(len(coded.games) + 1, -1.0)  # the last place is for games that are not in ``values``
    np.maximum.at(last_offers, _among(agreements.column("game_id"), coded.games), _floats(agreements.column("offer")))
    last_offers[-1] = -1.0
    game = _among(items.column("game_id"), coded.games)
    rows = np.flatnonzero((_floats(items.column("offer")) == last_offers[game]) & (game >= 0))
    told_items = items if len(rows) == len(items) else items.take(rows)
    return AgreedItems(
        game[rows],
        _among(told_items.column("item"), coded.items),
        _among(told_items.column("receiver"), coded.players),
        _among(told_items.column("option"), coded.options),
        _floats(told_items.column("quantity")),
    )


def _among(column: pa.ChunkedArray, names: pa.Array) -> Codes:
    if not len(names):
        return np.full(len(column), -1)
    if column.type != names.type:
        column = column.cast(names.type)
    positions = pc.index_in(column, value_set=names, skip_nulls=True).combine_chunks()
    return np.asarray(positions.fill_null(-1).to_numpy(zero_copy_only=False), dtype=np.intp)


def _floats(column: pa.ChunkedArray) -> Numbers:
    return np.asarray(column.cast(pa.float64()).to_numpy(), dtype=np.float64)


def spaces(coded: Coded, deals: AgreedItems | None = None) -> Iterator[Spaces]:
    """Yield the outcome spaces of the games in ``values``, games with equal issues together.

    A game whose seats value different items, or where it is not known how many units there are, has no outcome space
    and is left out.

    Parameters
    ----------
    coded
        The table ``values``.
    deals
        The items of each game's deal. None: no deals.

    Raises
    ------
    SchemaError
        If the seats of a game disagree on how many units there are.
    DesignError
        If counts are not whole numbers or an outcome space is too large (the game is named).
    """
    if not len(coded.game):
        return
    _check_counts(coded)
    kind_codes, kind_rows = _kinds(coded)
    # One key, and a sort that is fast where rows are sorted already.
    order = np.argsort((coded.game * len(coded.players) + coded.player) * len(kind_rows) + kind_codes, kind="stable")
    kind_codes, game, player, value = kind_codes[order], coded.game[order], coded.player[order], coded.value[order]
    groups = sorted(_group_by_issues(game, player, kind_codes, value), key=lambda group: int(group[0][0]))
    by_game = None if deals is None else _sorted_by_game(deals)
    for starts, seats, width in groups:
        issues = _issues(coded, kind_rows[kind_codes[starts[0] : starts[0] + width]])
        if issues is not None:
            yield from _batches(coded, (game, player, value), starts, (seats, width), issues, by_game)


def _check_counts(codes: Coded) -> None:
    rows = np.flatnonzero(~np.isnan(codes.available))
    key = codes.game[rows] * max(len(codes.items), 1) + codes.item[rows]
    first_counts = np.full(len(codes.games) * max(len(codes.items), 1), np.nan)
    first_counts[key[::-1]] = codes.available[rows][::-1]
    differing_rows = rows[first_counts[key] != codes.available[rows]]
    if len(differing_rows):
        game, item = (
            codes.games[codes.game[differing_rows[0]]].as_py(),
            codes.items[codes.item[differing_rows[0]]].as_py(),
        )
        raise SchemaError(
            f"seats of game {shown(game)} disagree on how many units of {shown(item)} there are",
            table="values",
            column="available",
        )


def _kinds(codes: Coded) -> tuple[Codes, Codes]:
    """Return each row's kind (item, option and count), and a row of ``values`` for each kind; divisible items last."""
    option = np.where(codes.option < 0, len(codes.options), codes.option)
    counts, available = np.unique(codes.available, return_inverse=True)  # a missing one is the largest
    combined_codes = (codes.item * (len(codes.options) + 1) + option) * len(counts) + available
    _, first_rows, kind = np.unique(combined_codes, return_index=True, return_inverse=True)
    return kind, first_rows


def _group_by_issues(game: Codes, player: Codes, kind: Codes, value: Numbers) -> Iterator[tuple[Codes, int, int]]:
    """Yield the first rows of games whose seats value the same kinds of items, how many seats and how many kinds."""
    new_game = np.concatenate([[True], game[1:] != game[:-1]])
    new_seat = new_game | np.concatenate([[True], player[1:] != player[:-1]])
    starts = np.flatnonzero(new_game)
    rows, seats = np.diff(starts, append=len(game)), np.add.reduceat(new_seat, starts, dtype=np.intp)
    is_complete = ~np.logical_or.reduceat(np.isnan(value), starts) & (rows % seats == 0)
    for shape in np.unique(np.stack([rows, seats])[:, is_complete], axis=1).T:
        n_rows, sitting = int(shape[0]), int(shape[1])
        width = n_rows // sitting
        first_rows = starts[is_complete & (rows == n_rows) & (seats == sitting)]
        row_indices = first_rows[:, np.newaxis] + np.arange(n_rows)
        valued, seated = (codes[row_indices].reshape(-1, sitting, width) for codes in (kind, player))
        # In a regular game every seat values the same kinds, and a seat's rows stand together.
        is_alike = (valued == valued[:, :1]).all(axis=(1, 2)) & (seated == seated[:, :, :1]).all(axis=(1, 2))
        first_rows, valued = first_rows[is_alike], valued[is_alike, 0]
        if len(first_rows):
            _, group_codes = np.unique(_one_number(valued), axis=0, return_inverse=True)
            yield from (
                (first_rows[group_codes.ravel() == group], sitting, width)
                for group in range(int(group_codes.max()) + 1)
            )


def _one_number(rows: Codes) -> Codes:
    """Return a number for each row, the same for equal rows; the rows themselves if numbers would be too large."""
    base = int(rows.max()) + 1
    if base ** rows.shape[1] > np.iinfo(np.int64).max:
        return rows
    return rows @ base ** np.arange(rows.shape[1])


def _issues(codes: Coded, rows: Codes) -> _Issues | None:
    """Return the issues that rows of ``values``, one a kind, tell of."""
    item, option, available = codes.item[rows], codes.option[rows], codes.available[rows]
    divisible = option < 0
    if np.isnan(available[divisible]).any():
        return None
    columns = np.flatnonzero(divisible)
    decisions = item[~divisible]
    decisions = decisions[np.sort(np.unique(decisions, return_index=True)[1])]
    option_rows = tuple(np.flatnonzero(~divisible & (item == issue)) for issue in decisions)
    return _Issues(
        item[columns],
        available[columns],
        columns,
        decisions,
        tuple(option[rows_of_issue] for rows_of_issue in option_rows),
        option_rows,
    )


def _sorted_by_game(deals: AgreedItems) -> AgreedItems:
    order = np.argsort(deals.game, kind="stable")
    return AgreedItems(*(getattr(deals, name)[order] for name in AgreedItems.__slots__))


def _batches(
    codes: Coded,
    sorted_rows: tuple[Codes, Codes, Numbers],
    starts: Codes,
    shape: tuple[int, int],
    issues: _Issues,
    deals: AgreedItems | None,
) -> Iterator[Spaces]:
    (game, player, worth), (seats, width) = sorted_rows, shape
    try:
        units = divisions(issues.counts, seats)
        decision_space = choices([len(options) for options in issues.options])
    except DesignError as error:
        raise DesignError(f"game {shown(codes.games[game[starts[0]]].as_py())}: {error}") from None
    outcomes = len(units) * len(decision_space)
    if outcomes > LIMIT:
        game_name = shown(codes.games[game[starts[0]]].as_py())
        raise DesignError(f"game {game_name} has {outcomes:,} outcomes, more than {LIMIT:,}")
    # As many games at once as their utilities have room for.
    games_at_once = max(1, ROOM // (outcomes * seats))
    for start in range(0, len(starts), games_at_once):
        row_indices = starts[start : start + games_at_once, np.newaxis] + np.arange(seats * width)
        points = worth[row_indices].reshape(-1, seats, width)
        games, players = game[row_indices[:, 0]], player[row_indices[:, ::width]]
        units_taken, options_chosen = _deals(games, players, issues, deals)
        yield Spaces(
            games,
            _take_names(codes.games, games),
            _take_names(codes.players, players.ravel()).reshape(players.shape),
            _utilities(units, decision_space, points, issues),
            _worth(units_taken, options_chosen, points, issues),
        )


def _take_names(names: pa.Array, codes: Codes) -> Numbers:
    labels: Numbers = names.take(pa.array(codes)).to_numpy(zero_copy_only=False)
    return labels


def _utilities(units: Numbers, decision_space: Numbers, points: Numbers, issues: _Issues) -> Numbers:
    """Add up what the divisions and what the settlements are worth: every pair of the two is an outcome."""
    divided, decided = _parts(units, decision_space, points, issues)
    if not len(issues.settled):
        return divided
    sums = divided[:, :, np.newaxis] + decided[:, np.newaxis]
    return sums.reshape(len(points), -1, points.shape[1])


def _parts(units: Numbers, decision_space: Numbers, points: Numbers, issues: _Issues) -> tuple[Numbers, Numbers]:
    divided = division_utilities(units, points[:, :, issues.columns])
    if not len(issues.settled):
        return divided, np.zeros((len(points), 1, points.shape[1]))
    return divided, choice_utilities(decision_space, [points[:, :, columns] for columns in issues.option_columns])


def _deals(games: Codes, players: Codes, issues: _Issues, deals: AgreedItems | None) -> tuple[Numbers, Numbers]:
    """Return units (games, seats, items) and places of options (games, issues); missing or -1 where not told."""
    units_taken = np.full((*players.shape, len(issues.items)), np.nan)
    options_chosen = np.full((len(games), len(issues.settled)), -1)
    if deals is None:
        return units_taken, options_chosen
    first_rows, end_rows = (np.searchsorted(deals.game, games, side=side) for side in ("left", "right"))
    n_rows = end_rows - first_rows
    game_of_row = np.repeat(np.arange(len(games)), n_rows)  # the game of each row that tells of one
    rows = np.repeat(first_rows - np.concatenate([[0], np.cumsum(n_rows)[:-1]]), n_rows) + np.arange(n_rows.sum())
    item, receiver, option = deals.item[rows], deals.receiver[rows], deals.option[rows]
    is_item = issues.items == item[:, np.newaxis]
    is_seat = players[game_of_row] == receiver[:, np.newaxis]
    is_division = is_item.any(axis=1) & is_seat.any(axis=1)
    if len(issues.items):
        cells = (game_of_row[is_division], is_seat[is_division].argmax(axis=1), is_item[is_division].argmax(axis=1))
        units_taken[cells] = deals.quantity[rows][is_division]
    for issue_index, (issue, issue_options) in enumerate(zip(issues.settled, issues.options, strict=True)):
        decision_rows = np.flatnonzero(~is_division & (item == issue))
        is_option = issue_options == option[decision_rows, np.newaxis]
        has_option = is_option.any(axis=1)
        options_chosen[game_of_row[decision_rows[has_option]], issue_index] = is_option[has_option].argmax(axis=1)
    return units_taken, options_chosen


def _worth(units_taken: Numbers, options_chosen: Numbers, points: Numbers, issues: _Issues) -> Numbers:
    possible = (units_taken >= 0).all(axis=(1, 2)) & (units_taken.sum(axis=1) <= issues.counts).all(axis=1)
    possible &= (options_chosen >= 0).all(axis=1)
    divided, decided = _parts(units_taken[:, np.newaxis], np.maximum(options_chosen, 0)[:, np.newaxis], points, issues)
    return np.where(possible[:, np.newaxis], (divided + decided)[:, 0], np.nan)
