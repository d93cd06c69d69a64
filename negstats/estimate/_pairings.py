"""The games of a tournament as sums by scenario and pairing: what its means and their bootstrap are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, SchemaError, UsageError, meant, shown

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairings:
    """Games of two: a row a game with the places of both strategies and of its cluster, and both values.

    In a symmetric game a row's two seats stand in the order of the seats; `totals` counts each game from both sides.
    """

    strategies: tuple[str, ...]
    opponents: tuple[str, ...]
    roles: tuple[str, str] | None
    cluster: str
    rows: npt.NDArray[np.intp]
    columns: npt.NDArray[np.intp]
    clusters: npt.NDArray[np.intp]
    values: Floats
    other_values: Floats
    left_out: Mapping[str, int]
    notes: tuple[str, ...]

    @property
    def _shape(self) -> tuple[int, int, int]:
        return int(self.clusters.max()) + 1, len(self.strategies), len(self.opponents)

    def _sum_values(self, values: Floats, other_values: Floats) -> Floats:
        """Return sums (clusters, 2 sides, rows, columns)."""
        own_sums, other_sums = np.zeros(self._shape), np.zeros(self._shape)
        np.add.at(own_sums, (self.clusters, self.rows, self.columns), values)
        np.add.at(other_sums, (self.clusters, self.rows, self.columns), other_values)
        if self.roles is None:  # each seat is once the row's; the column's payoffs are the transposed ones
            own_sums = own_sums + np.swapaxes(other_sums, 1, 2)
            other_sums = np.swapaxes(own_sums, 1, 2)
        return np.stack([own_sums, other_sums], axis=1)

    def totals(self) -> Floats:
        """Return the sums of values: (clusters, side, rows, columns)."""
        return self._sum_values(self.values, self.other_values)

    def counts(self) -> Floats:
        """Return how many values each of the sums has."""
        ones = np.ones(len(self.values))
        return self._sum_values(ones, ones)

    def games(self) -> npt.NDArray[np.int64]:
        """Return the number of games of each pairing; of a symmetric game, of either order of the seats."""
        table = np.zeros(self._shape[1:], dtype=np.int64)
        np.add.at(table, (self.rows, self.columns), 1)
        return table if self.roles else table + table.T - np.diag(np.diag(table))


def _no_games_error(left_out: Mapping[str, int]) -> DesignError:
    """Return the error of a study without a game of two named agents, with what became of its games."""
    reasons = "; ".join(f"{n_games} games: {reason}" for reason, n_games in left_out.items()) or "there are no games"
    return DesignError(f"no game of two named agents is left ({reasons})")


def pairings(
    tables: Mapping[str, pd.DataFrame],
    *,
    value: str,
    by_role: bool,
    strategies: Sequence[str] | None,
    cluster: str | None,
) -> Pairings:
    """Return the games of two named agents; see `negstats.estimate.tournament` for the arguments.

    Raises
    ------
    UsageError, SchemaError, DesignError
        As there.
    """
    games, players = tables["games"], tables["players"]
    seats = players.assign(_value=_values(players, value))
    left_out: dict[str, int] = {}
    seats = _leave_out_games(seats, games, strategies, left_out)
    if not len(seats):
        raise _no_games_error(left_out)
    seats, roles = _in_order_of_roles(seats) if by_role else (seats, None)
    name, cluster_of_game, notes = _cluster_of(games, cluster)
    # Each game has two rows, one behind the other.
    first_seats, second_seats = seats.iloc[0::2], seats.iloc[1::2]
    rows, columns = _names(first_seats["agent"], strategies), _names(second_seats["agent"], strategies)
    if roles is None:
        rows = columns = _names(seats["agent"], strategies)
    cluster_ids = first_seats["game_id"].map(cluster_of_game)
    is_missing = cluster_ids.isna().to_numpy()
    if is_missing.any():
        raise DesignError(f"{int(is_missing.sum())} games have no {name}; name another cluster=, or leave them out")
    return Pairings(
        strategies=tuple(rows),
        opponents=tuple(columns),
        roles=roles,
        cluster=name,
        rows=np.array([rows.index(agent) for agent in first_seats["agent"].astype(str)], dtype=np.intp),
        columns=np.array([columns.index(agent) for agent in second_seats["agent"].astype(str)], dtype=np.intp),
        clusters=np.asarray(pd.factorize(cluster_ids, sort=True)[0], dtype=np.intp),
        values=first_seats["_value"].to_numpy(dtype=np.float64),
        other_values=second_seats["_value"].to_numpy(dtype=np.float64),
        left_out=left_out,
        notes=tuple(notes),
    )


def _values(players: pd.DataFrame, value: str) -> pd.Series:
    for column in ("game_id", "player", "agent", *(("points", "batna") if value == "gain" else ())):
        if column not in players.columns:
            raise SchemaError("is not there; a tournament needs it", table="players", column=column)
    if value == "gain":
        return pd.to_numeric(players["points"]) - pd.to_numeric(players["batna"])
    numeric = [str(name) for name in players.columns if pd.api.types.is_numeric_dtype(players[name])]
    if value not in numeric:
        raise UsageError(f"value is {shown(value)}; {meant(value, [*numeric, 'gain'], 'the numbers of seats are')}")
    return players[value].astype("float64")


def _leave_out_games(
    seats: pd.DataFrame, games: pd.DataFrame, strategies: Sequence[str] | None, left_out: dict[str, int]
) -> pd.DataFrame:
    """Return the seats of games that count, two rows a game; what does not is counted by its reason."""
    agent_names = set(seats["agent"].dropna().astype(str))
    for name in strategies or ():
        if name not in agent_names:
            raise UsageError(f"strategies names {shown(name)}; {meant(name, sorted(agent_names), 'the agents are')}")
    unusable_rows = {
        "not two seats": seats.groupby("game_id")["player"].transform("size") != 2,
        "a seat without an agent's name": seats["agent"].isna(),
        "a seat without a value": ~np.isfinite(seats["_value"].to_numpy(dtype=np.float64)),
        "a strategy that was not asked for": ~seats["agent"].isin(strategies) if strategies else seats["agent"].isna(),
    }
    # A game is counted under the first reason that leaves it out.
    excluded_ids: set[object] = set()
    for reason, rows in unusable_rows.items():
        ids = set(seats.loc[np.asarray(rows, dtype=bool), "game_id"]) - excluded_ids
        if ids:
            left_out[reason] = len(ids)
        excluded_ids |= ids
    empty_games = set(games["game_id"]) - set(seats["game_id"])
    if empty_games:
        left_out["no seat"] = len(empty_games)
    return seats[~seats["game_id"].isin(excluded_ids)].sort_values(["game_id", "player"], kind="stable")


def _in_order_of_roles(seats: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, str]]:
    if "role" not in seats.columns:
        raise SchemaError("is not there; by_role needs it", table="players", column="role")
    roles = sorted(seats["role"].dropna().astype(str).unique())
    if len(roles) != 2 or seats["role"].isna().any() or seats.duplicated(["game_id", "role"]).any():
        raise DesignError(
            f"by_role needs two roles, one a seat of each game; the seats have {', '.join(map(shown, roles)) or 'none'}"
        )
    return seats.sort_values(["game_id", "role"], kind="stable"), (roles[0], roles[1])


def _cluster_of(games: pd.DataFrame, cluster: str | None) -> tuple[str, pd.Series, list[str]]:
    """Return the column that is drawn again, its value by game, and what to say of it."""
    if cluster is not None and cluster not in games.columns:
        raise UsageError(f"cluster is {shown(cluster)}; {meant(cluster, games.columns, 'columns of games are')}")
    notes = []
    if cluster is None:
        cluster = "scenario"
        if "scenario" not in games.columns or games["scenario"].isna().any() or games["scenario"].nunique() < 2:
            cluster = "game_id"
            notes = ["there is one scenario, or some are not known: games are drawn again, one by one"]
    return cluster, pd.Series(games[cluster].to_numpy(), index=games["game_id"].to_numpy()), notes


def _names(agents: pd.Series, strategies: Sequence[str] | None) -> list[str]:
    present = set(agents.astype(str))
    return [name for name in strategies if name in present] if strategies else sorted(present)
