"""How good deals were, compared with all possible deals, and what there was to gain: distances, potential, conflict.

The outcome space of a game follows from ``values``: every way to divide the units of its divisible items among its
seats (each unit goes to somebody) together with every choice of options for its categorical issues. Utility is the sum
of what a seat's units and the chosen options are worth to it. The *deal* is the last accepted offer, as its ``items``
tell it; a deal whose items are not told in full, or give away more than there is, is not known.

Any frame of the tables: the result is of the same kind, lazy if it was lazy. As outcome spaces are arrays, the tables
are collected; they are small (a few rows a game). Seats are two where it says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
from narwhals.typing import IntoFrame, IntoFrameT

from negstats import games as theory
from negstats.errors import NotEstimable, UsageError, meant, shown
from negstats.games.bargaining import Tool, solutions
from negstats.games.pareto import scaled_by
from negstats.metrics._frames import collected, gathered, returned
from negstats.metrics.spaces import AgreedItems, Coded, Spaces, read, read_agreements, spaces

Numbers = npt.NDArray[Any]

VALUES = ("game_id", "player", "item", "option", "available", "value")


def deal_values(values: IntoFrameT, offers: IntoFrame, items: IntoFrame) -> IntoFrameT:
    """Return the value of each game's deal to each seat.

    Unit: points. Denominator: none, one value a seat. Missing where there is no deal or it is not known, and in games
    without an outcome space (see `pareto_optimal`).

    Parameters
    ----------
    values, offers, items
        As for `pareto_optimal`.

    Returns
    -------
    frame of the same kind
        `game_id`, `player`, `deal_value`; by game and player.

    Raises
    ------
    SchemaError, DesignError
        As `pareto_optimal`.

    Examples
    --------
    A gets both hats and B the book:

    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 2] * 2, "value": [4, 4, 0, 9]})
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    >>> items = values[["game_id", "item", "option"]].assign(offer=1, receiver=["A", "A", "B", "B"],
    ...                                                      quantity=[0, 2, 1, 0])
    >>> deal_values(values, offers, items)["deal_value"].tolist()
    [8.0, 0.0]
    """
    codes = _values(values)
    width = max(len(codes.players), 1)
    game, player = np.divmod(np.unique(codes.game * width + codes.player), width)
    worth = np.full(len(game), np.nan)
    for space in spaces(codes, deals_of(codes, offers, items)):
        first_seats = np.searchsorted(game, space.places)  # the seats of a game stand together, sorted
        worth[first_seats[:, np.newaxis] + np.arange(space.seats.shape[1])] = space.deals
    columns = {"game_id": codes.games.take(pa.array(game)), "player": codes.players.take(pa.array(player))}
    return returned(pa.table({**columns, "deal_value": worth}).to_pandas(), values)


def pareto_optimal(values: IntoFrameT, offers: IntoFrame, items: IntoFrame, *, weak: bool = False) -> IntoFrameT:
    """Return whether the deal of each game is Pareto optimal: no outcome gives each seat as much and one more.

    Unit: 1 or 0. Denominator: none, one value a game. Missing where there is no deal (walk-aways are not in a rate of
    it) or it is not known, and in games without an outcome space: seats value different items, or it is not known how
    many units there are. Comparison is exact: give values in whole points, or rounded.

    Lewis et al. (2017) report the share of agreed deals that are; Mell et al. (2015) write the weaker form.

    Parameters
    ----------
    values
        `game_id`, `player`, `item`, `option`, `available`, `value`: one row for each item (or option) and seat.
    offers
        `game_id`, `offer`, `response`.
    items
        `game_id`, `offer`, `item`, `receiver`, `quantity`, `option`: one row for each item and seat that receives it
        (a quantity of 0 too), or for each categorical issue.
    weak
        Call a deal dominated only where some outcome gives *every* seat more.

    Returns
    -------
    frame of the same kind
        `game_id`, `pareto_optimal`; by game.

    Raises
    ------
    SchemaError
        If a column is not there, or the seats of a game disagree on how many units there are.
    DesignError
        If counts are not whole numbers or an outcome space is too large (the game is named).

    References
    ----------
    - Lewis, M., Yarats, D., Dauphin, Y., Parikh, D., & Batra, D. (2017). Deal or no deal? End-to-end learning of
      negotiation dialogues. Proceedings of EMNLP 2017, 2443–2453.
    - Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
      negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    A gets both hats and B the book, which only A would have liked:

    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 2] * 2, "value": [4, 4, 0, 9]})
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    >>> items = values[["game_id", "item", "option"]].assign(offer=1, receiver=["A", "A", "B", "B"],
    ...                                                      quantity=[0, 2, 1, 0])
    >>> pareto_optimal(values, offers, items)["pareto_optimal"].tolist()
    [0.0]
    """
    codes = _values(values)
    measures = np.full(len(codes.games), np.nan)
    for space in spaces(codes, deals_of(codes, offers, items)):
        known = np.flatnonzero(~np.isnan(space.deals).any(axis=1))
        if known.size:
            measures[space.places[known]] = ~theory.dominated(space.deals[known], space.utilities[known], weak=weak)
    return _by_game(codes, "pareto_optimal", measures, values)


def distance_to_frontier(
    values: IntoFrameT, offers: IntoFrame, items: IntoFrame, *, scale: Literal["range"] | None = None
) -> IntoFrameT:
    """Return the Euclidean distance, in utilities, from each game's deal to the nearest Pareto optimal outcome.

    Unit: points; with ``scale="range"`` each seat's utilities are divided by their range over the outcomes.
    Denominator: none, one value a game. Missing as in `pareto_optimal`, and with a scale where a seat's utilities have
    no range.

    Parameters
    ----------
    values, offers, items
        As for `pareto_optimal`.
    scale
        None (raw) or ``"range"``.

    Returns
    -------
    frame of the same kind
        `game_id`, `distance_to_frontier`; by game.

    Raises
    ------
    SchemaError, DesignError
        As `pareto_optimal`.

    Examples
    --------
    A gets both hats and B the book. With the book as well A would have 12 and B as little as now:

    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 2] * 2, "value": [4, 4, 0, 9]})
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    >>> items = values[["game_id", "item", "option"]].assign(offer=1, receiver=["A", "A", "B", "B"],
    ...                                                      quantity=[0, 2, 1, 0])
    >>> distance_to_frontier(values, offers, items)["distance_to_frontier"].tolist()
    [4.0]
    """

    def compute_distance(space: Spaces, index: int) -> float:
        return float(theory.distance_to_frontier(space.deals[index], space.utilities[index], scale=scale))

    return measure_spaces(values, compute_distance, "distance_to_frontier", (offers, items))


def distance_to_nash(
    values: IntoFrameT,
    offers: IntoFrame,
    items: IntoFrame,
    players: IntoFrame,
    *,
    scale: Literal["range"] | None = None,
) -> IntoFrameT:
    """Return the Euclidean distance, in utilities, from each game's deal to the Nash point (the nearest, if several).

    Unit and scale as `distance_to_frontier`. The disagreement point is what the seats get without agreement, their
    BATNA. Denominator: none, one value a game. Missing as in `distance_to_frontier`, where a BATNA is not known, and
    where no outcome gives every seat more than its BATNA.

    The solution is Nash's (1950), by `negstats.games.nash`.

    Parameters
    ----------
    values, offers, items
        As for `pareto_optimal`.
    players
        `game_id`, `player`, `batna`.
    scale
        None (raw) or ``"range"``.

    Returns
    -------
    frame of the same kind
        `game_id`, `distance_to_nash`; by game.

    Raises
    ------
    SchemaError, DesignError
        As `pareto_optimal`.

    References
    ----------
    Nash, J. F. (1950). The bargaining problem. Econometrica, 18, 155–162.

    Examples
    --------
    A gets both hats and B the book, (8, 0). Two outcomes tie as Nash point, (8, 9) and (4, 18); the nearer counts:

    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 2] * 2, "value": [4, 4, 0, 9]})
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    >>> items = values[["game_id", "item", "option"]].assign(offer=1, receiver=["A", "A", "B", "B"],
    ...                                                      quantity=[0, 2, 1, 0])
    >>> players = pd.DataFrame({"game_id": "g", "player": ["A", "B"], "batna": [0, 0]})
    >>> distance_to_nash(values, offers, items, players)["distance_to_nash"].tolist()
    [9.0]
    """
    return _to_solution(values, offers, items, players, "nash", scale)


def bargaining_points(values: IntoFrameT, players: IntoFrame, *, compat: Tool | None = None) -> IntoFrameT:
    """Return the bargaining solutions of each game, with all ties.

    Unit: points. Denominator: none, one row for each game, solution, tie and seat. A solution that cannot be estimated
    has one tie with missing utilities: a BATNA is not known, or no outcome is as the solution needs it (see
    `negstats.games.nash` and the others). Outcomes that are worth the same to every seat are one tie.

    Parameters
    ----------
    values
        As for `pareto_optimal`.
    players
        `game_id`, `player`, `batna`: the disagreement point.
    compat
        None for solutions by definition, or the tool whose names and rules to use (`negstats.games.bargaining_points`).

    Returns
    -------
    frame of the same kind
        `game_id`, `solution`, `tie` (from 1), `player`, `utility`; by game and solution.

    Raises
    ------
    UsageError
        If `compat` is not a tool that is known.
    SchemaError, DesignError
        As `pareto_optimal`.

    Examples
    --------
    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 2] * 2, "value": [4, 4, 0, 9]})
    >>> players = pd.DataFrame({"game_id": "g", "player": ["A", "B"], "batna": [0, 0]})
    >>> points = bargaining_points(values, players)
    >>> points[points["solution"] == "utilitarian"][["tie", "player", "utility"]].values.tolist()
    [[1, 'A', 4.0], [1, 'B', 18.0]]
    """
    methods, batna, codes = solutions(compat), batna_of(players), _values(values)
    rows: list[tuple[object, ...]] = []
    for space in spaces(codes):
        for index, game in enumerate(space.games):
            for name, solve in methods.items():
                ties = _ties(space.utilities[index], point_of(space, index, batna), solve)
                for tie, utilities in enumerate(ties, start=1):
                    pairs = zip(space.seats[index], utilities.tolist(), strict=True)
                    rows.extend((game, name, tie, seat, utility) for seat, utility in pairs)
    table = pd.DataFrame(rows, columns=["game_id", "solution", "tie", "player", "utility"])
    dtypes = {name: names.to_pandas().dtype for name, names in (("game_id", codes.games), ("player", codes.players))}
    table = table.astype({**dtypes, "solution": "str", "tie": "int64", "utility": "float64"})
    return returned(table.sort_values("game_id", kind="stable", ignore_index=True), values)


def _to_solution(
    values: IntoFrameT,
    offers: IntoFrame,
    items: IntoFrame,
    players: IntoFrame,
    solution: str,
    scale: Literal["range"] | None,
) -> IntoFrameT:
    """Return the distance from each deal to the nearest tie of a bargaining solution."""
    solve, batna = solutions(None)[solution], batna_of(players)

    def compute_distance(space: Spaces, index: int) -> float:
        utilities, disagreement = space.utilities[index], point_of(space, index, batna)
        if np.isnan(disagreement).any():
            return np.nan
        targets = utilities[solve(utilities, disagreement)]
        return float(theory.distance_to(space.deals[index], targets, scale=scaled_by(utilities, scale)))

    return measure_spaces(values, compute_distance, f"distance_to_{solution}", (offers, items))


def _ties(utilities: Numbers, point: Numbers, solve: Callable[..., Numbers]) -> Numbers:
    try:
        if np.isnan(point).any():
            raise NotEstimable("the disagreement point is not known")
        return np.unique(utilities[solve(utilities, point)], axis=0)
    except NotEstimable:
        return np.full((1, utilities.shape[1]), np.nan)


def measure_spaces(
    values: IntoFrameT,
    compute: Callable[[Spaces, int], float],
    name: str,
    deals: tuple[IntoFrame, IntoFrame] | None = None,
) -> IntoFrameT:
    """One value a game from its outcome space (and deal); what cannot be estimated is missing."""
    codes = _values(values)
    measures = np.full(len(codes.games), np.nan)
    for space in spaces(codes, None if deals is None else deals_of(codes, *deals)):
        for index in range(len(space.games)):
            try:
                measures[space.places[index]] = compute(space, index)
            except NotEstimable:
                continue
    return _by_game(codes, name, measures, values)


def _by_game(codes: Coded, name: str, measures: Numbers, values: IntoFrameT) -> IntoFrameT:
    return returned(pa.table({"game_id": codes.games, name: measures}).to_pandas(), values)


def _values(values: IntoFrame) -> Coded:
    return read(gathered(values, "values", VALUES))


def deals_of(codes: Coded, offers: IntoFrame, items: IntoFrame) -> AgreedItems:
    """Return what the seats get by the accepted offers."""
    offer_table = gathered(offers, "offers", ["game_id", "offer", "response"])
    columns = ["game_id", "offer", "item", "receiver", "quantity", "option"]
    return read_agreements(codes, offer_table, gathered(items, "items", columns))


def batna_of(players: IntoFrame) -> dict[tuple[object, object], float]:
    """Return what each seat of each game has without a deal."""
    seats = collected(players, "players", ["game_id", "player", "batna"])
    return dict(zip(zip(seats["game_id"], seats["player"], strict=True), seats["batna"], strict=True))


def point_of(space: Spaces, index: int, batna: dict[tuple[object, object], float]) -> Numbers:
    """Return what the seats of one game of a space have without a deal; NaN where it is not known."""
    return np.array([batna.get((space.games[index], seat), np.nan) for seat in space.seats[index]], dtype=np.float64)


def distance_to_solution(
    values: IntoFrameT,
    offers: IntoFrame,
    items: IntoFrame,
    players: IntoFrame,
    *,
    solution: str = "kalai_smorodinsky",
    scale: Literal["range"] | None = None,
) -> IntoFrameT:
    """Return the Euclidean distance, in utilities, from each game's deal to a bargaining solution (the nearest tie).

    Unit and scale as `distance_to_frontier`. Denominator: none, one value a game. Missing without a known deal, where a
    BATNA is not known, and where the solution does not exist.

    The solutions are those of `negstats.games`: Nash (1950), Kalai and Smorodinsky (1975; on a finite set the largest
    least share of the ideal gains), and Kalai (1977) for the egalitarian.

    Parameters
    ----------
    values, offers, items
        As for `pareto_optimal`.
    players
        `game_id`, `player`, `batna`.
    solution
        "nash", "kalai_smorodinsky", "egalitarian" or "utilitarian".
    scale
        None (raw) or ``"range"``.

    Returns
    -------
    frame of the same kind
        `game_id`, `distance_to_` and the solution's name; by game.

    Raises
    ------
    UsageError
        If there is no such solution.
    SchemaError, DesignError
        As `pareto_optimal`.

    References
    ----------
    - Kalai, E. (1977). Proportional solutions to bargaining situations: Interpersonal utility comparisons.
      Econometrica, 45, 1623–1630.
    - Kalai, E., & Smorodinsky, M. (1975). Other solutions to Nash's bargaining problem. Econometrica, 43, 513–518.
    - Nash, J. F. (1950). The bargaining problem. Econometrica, 18, 155–162.

    Examples
    --------
    A gets both hats and B the book, (8, 0); (8, 9) is the Kalai-Smorodinsky point:

    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": ["book", "hat"] * 2,
    ...                        "option": None, "available": [1, 2] * 2, "value": [4, 4, 0, 9]})
    >>> offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    >>> items = values[["game_id", "item", "option"]].assign(offer=1, receiver=["A", "A", "B", "B"],
    ...                                                      quantity=[0, 2, 1, 0])
    >>> players = pd.DataFrame({"game_id": "g", "player": ["A", "B"], "batna": [0, 0]})
    >>> distance_to_solution(values, offers, items, players)["distance_to_kalai_smorodinsky"].tolist()
    [9.0]
    """
    names = solutions(None)
    if solution not in names:
        raise UsageError(f"solution is {shown(solution)}; {meant(solution, names)}")
    return _to_solution(values, offers, items, players, solution, scale)
