"""A tournament as an empirical game: the payoffs of strategies against each other, and how sure their order is.

Wellman (2006), Methods for empirical game-theoretic analysis, AAAI 1552-1556; Jordan, Kiekintveld and Wellman (2007),
Empirical game-theoretic analysis of the TAC supply chain game, AAMAS 1188-1195. Scenarios are drawn again as wholes, so
an interval says what another draw of scenarios of this kind might give. A bootstrap of few clusters varies too little:
percentiles are taken further out, as far as Student's t lies beyond the normal curve (the expanded percentile interval
of Hesterberg, 2015, What teachers should know about the bootstrap, The American Statistician 69, 371-386).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import NotEstimable, shown
from negstats.estimate._pairings import Pairings, pairings
from negstats.games import normal_form
from negstats.sanitize import first_few
from negstats.stats.results.options import check_count
from negstats.stats.results.result import check_level
from negstats.stats.summaries.rows import multinomials

Floats = npt.NDArray[np.float64]

FEW_CLUSTERS = 10
RATED = 199  # draws whose Nash average is taken: one may take an optimisation


@dataclass(frozen=True, eq=False)
class Tournament:
    """The payoffs of strategies against each other.

    Attributes
    ----------
    strategies, opponents : tuple of str
        Rows and columns; the same of a symmetric game.
    roles : tuple of str or None
        The roles of rows and columns; None where seats are taken together.
    value : str
        What the payoffs are.
    cluster : str
        The column of ``games`` that is drawn again as a whole.
    n_clusters : int
        How many of these there are.
    means, n : numpy.ndarray
        (strategies, opponents): mean payoff of the row, missing where the two never met; and games.
    opponent_means : numpy.ndarray
        The same of the columns' payoffs; of a symmetric game the transposed means.
    draws, opponent_draws : numpy.ndarray
        (draws, strategies, opponents): the means in each bootstrap draw in which every pairing occurs.
    dropped_draws : int
        Draws in which one did not.
    left_out : dict
        Games that were left out, by reason.
    notes : tuple of str
        What a reader of the table needs to know.
    """

    strategies: tuple[str, ...]
    opponents: tuple[str, ...]
    roles: tuple[str, str] | None
    value: str
    cluster: str
    n_clusters: int
    confidence_level: float
    means: Floats
    opponent_means: Floats
    n: npt.NDArray[np.int64]
    se: Floats
    opponent_se: Floats
    draws: Floats = field(repr=False)
    opponent_draws: Floats = field(repr=False)
    dropped_draws: int
    left_out: Mapping[str, int]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        """Return how many strategies and games there are."""
        sizes = f"{len(self.strategies)} strategies, {self.games} games"
        return f"<Tournament of {sizes}, {self.n_clusters} levels of {self.cluster}>"

    @property
    def games(self) -> int:
        """Games behind the table."""
        pair_counts = self.n if self.roles else np.triu(self.n)
        return int(pair_counts.sum())

    @property
    def missing(self) -> list[tuple[str, str]]:
        """The pairings that were never played."""
        gaps = np.argwhere(np.isnan(self.means))
        return [(self.strategies[i], self.opponents[j]) for i, j in gaps if self.roles or i <= j]

    def payoffs(self) -> pd.DataFrame:
        """Return a row a pairing.

        ``strategy``, ``opponent``, ``mean``, ``se`` (clustered), ``low`` and ``high`` (expanded percentiles), ``n``
        (games). By role also ``opponent_mean`` and its ``opponent_se``, ``opponent_low`` and ``opponent_high``.

        Returns
        -------
        DataFrame
            Payoffs are in the points of the games.
        """
        grid = [(strategy, opponent) for strategy in self.strategies for opponent in self.opponents]
        table = pd.DataFrame(grid, columns=["strategy", "opponent"])
        low, high = self._interval(self.draws)
        table = table.assign(mean=self.means.ravel(), se=self.se.ravel(), low=low.ravel(), high=high.ravel())
        if self.roles:
            low, high = self._interval(self.opponent_draws)
            table = table.assign(
                opponent_mean=self.opponent_means.ravel(), opponent_se=self.opponent_se.ravel(),
                opponent_low=low.ravel(), opponent_high=high.ravel(),
            )  # fmt: skip
        return table.assign(n=self.n.ravel())

    def matrix(self) -> pd.DataFrame:
        """Return the mean payoffs, a row a strategy and a column an opponent.

        Returns
        -------
        DataFrame
            NaN where two strategies did not meet.
        """
        return pd.DataFrame(
            self.means,
            index=pd.Index(self.strategies, name="strategy"),
            columns=pd.Index(self.opponents, name="opponent"),
        )

    def ranking(self) -> pd.DataFrame:
        """Return a row a strategy, the best mean first.

        ``score`` is the mean of its payoffs over the opponents that it met, each counted once, itself too; ``low`` and
        ``high`` its interval; ``rank_low`` and ``rank_high`` the interval of its rank; ``best`` the share of draws in
        which no score was higher. Of a symmetric game that is whole also ``regret`` (what one player gains by leaving
        when all play it; with ``regret_low``, ``regret_high``), ``elimination`` (rank; ``elimination_low``,
        ``elimination_high``), ``nash_share`` and ``nash_rating``
        (`negstats.games.normal_form.nash_average`; its interval is of the first 199 draws).
        By role there is a row a role and strategy.

        Returns
        -------
        DataFrame
            Scores are in the points of the games.
        """
        rankings = [(self.strategies, self.means, self.draws, 2)]
        if self.roles:
            rankings.append((self.opponents, self.opponent_means, self.opponent_draws, 1))
        tables = []
        for index, (names, means, draws, axis) in enumerate(rankings):
            table = self._scores(names, means, draws, axis)
            if self.roles:
                table.insert(0, "role", self.roles[index])
            elif not self.missing:
                table = table.assign(**self._symmetric())
            tables.append(table.sort_values("score", ascending=False, kind="stable"))
        return pd.concat(tables, ignore_index=True)

    def order(self) -> pd.DataFrame:
        """Return the share of draws in which the row's score is above the column's; ties count half.

        With few scenarios draws are too much alike: of two strategies that are equally good, one is before the other in
        more than 97.5 % of draws in 10 % of tournaments of 10 scenarios and in 6 % of those of 50, not in 5 %.

        Returns
        -------
        DataFrame
            Shares from 0 to 1; rows and columns are strategies.

        Raises
        ------
        NotEstimable
            By role, where the two sides play different games; or without draws.
        """
        self._check_symmetric()
        self._check_draws()
        scores = _mean_over_met(self.draws, ~np.isnan(self.means), axis=1)
        wins = (scores[:, :, None] > scores[:, None, :]).mean(axis=0)
        ties = (scores[:, :, None] == scores[:, None, :]).mean(axis=0)
        names = pd.Index(self.strategies, name="strategy")
        return pd.DataFrame(wins + ties / 2, index=names, columns=names.rename("before"))

    def equilibria(self) -> pd.DataFrame:
        """Return a row an equilibrium and side: its number, the ``role``, and each strategy's share.

        Of a symmetric game, only the symmetric equilibria, in which both sides mix alike, one row each; ``share_found``
        is the share of draws that have an equilibrium with the same support.

        Returns
        -------
        DataFrame
            Shares from 0 to 1; those of one equilibrium and side add up to 1.

        Raises
        ------
        NotEstimable
            If a pairing was never played.
        """
        self._check_whole()
        if self.roles is None:
            return self._symmetric_equilibria()
        rows: list[dict[str, Any]] = []
        for number, (x, y) in enumerate(normal_form.equilibria(self.means, self.opponent_means), 1):
            for role, names, shares in ((self.roles[0], self.strategies, x), (self.roles[1], self.opponents, y)):
                rows += [
                    {"equilibrium": number, "role": role, "strategy": name, "share": float(share)}
                    for name, share in zip(names, shares, strict=True)
                    if share > 0
                ]
        return pd.DataFrame(rows, columns=["equilibrium", "role", "strategy", "share"])

    def best_responses(self) -> pd.DataFrame:
        """Return the edges of the best-response graph: a row an opponent and a strategy that is best against it.

        ``start`` (what is answered), ``end`` (the answer), ``gain`` over playing the same (of a symmetric game),
        ``share`` of draws in which it is a best response. Answers that are best in draws only are listed too, with
        ``best`` false.

        Returns
        -------
        DataFrame
            Gains are in the points of the games.

        Raises
        ------
        NotEstimable
            If a pairing was never played.
        """
        self._check_whole()
        is_best = normal_form.best_responses(self.means)
        share = (
            normal_form.best_responses(self.draws).mean(axis=0) if len(self.draws) else np.full(is_best.shape, np.nan)
        )
        rows = [
            {
                "start": self.opponents[j],
                "end": self.strategies[i],
                "gain": float(self.means[i, j] - self.means[j, j]) if self.roles is None else np.nan,
                "share": float(share[i, j]),
                "best": bool(is_best[i, j]),
            }
            for j in range(len(self.opponents))
            for i in range(len(self.strategies))
            if is_best[i, j] or share[i, j] > 0
        ]
        return pd.DataFrame(rows)

    def replicator(self, start: npt.ArrayLike | None = None, *, time: float = 100.0) -> pd.DataFrame:
        """Return the path of shares under the replicator dynamics: a row a point, a column a strategy.

        Parameters
        ----------
        start
            Shares to begin with; equal ones if not given.
        time
            How long, in units in which the largest difference of payoffs is 1.

        Returns
        -------
        DataFrame
            Shares add up to 1 in each row; the first row is the start.

        Raises
        ------
        NotEstimable
            By role, or if a pairing was never played.
        """
        self._check_symmetric()
        self._check_whole()
        size = len(self.strategies)
        shares = np.full(size, 1 / size) if start is None else start
        return pd.DataFrame(normal_form.replicator(self.means, shares, time=time), columns=list(self.strategies))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON.

        Returns
        -------
        dict[str, Any]
            Numbers are not rounded.
        """
        is_complete = not self.missing
        return {
            "strategies": list(self.strategies), "opponents": list(self.opponents),
            "roles": None if self.roles is None else list(self.roles), "value": self.value, "cluster": self.cluster,
            "n_clusters": self.n_clusters, "games": self.games, "confidence_level": self.confidence_level,
            "n_resamples": len(self.draws) + self.dropped_draws, "dropped_draws": self.dropped_draws,
            "payoffs": self.payoffs().to_dict("records"), "missing": [list(pair) for pair in self.missing],
            "ranking": self.ranking().to_dict("records"),
            "order": self.order().to_dict("index") if self.roles is None and len(self.draws) else None,
            "equilibria": self.equilibria().to_dict("records") if is_complete else None,
            "best_responses": self.best_responses().to_dict("records") if is_complete else None,
            "left_out": dict(self.left_out), "notes": list(self.notes),
        }  # fmt: skip

    def lines(self) -> list[str]:
        """Return the order of neighbours in the ranking, in words; the notes; what was left out.

        Returns
        -------
        list[str]
            One sentence an entry.
        """
        sentences = []
        if self.roles is None and len(self.draws):
            order, names = self.order(), list(self.ranking()["strategy"])
            sentences = [
                f"{earlier} before {later} in {100 * order.loc[earlier, later]:.0f} % of draws"
                for earlier, later in pairwise(names)
            ]
        return sentences + list(self.notes)

    def _interval(self, draws: Floats) -> tuple[Floats, Floats]:
        if not len(draws):
            no_values = np.full(draws.shape[1:], np.nan)
            return no_values, no_values
        clusters = self.n_clusters
        t = special.stdtrit(clusters - 1, (1 - self.confidence_level) / 2)
        tail = float(special.ndtr(t * np.sqrt(clusters / (clusters - 1))))
        areas = [tail, 1 - tail]
        low, high = np.quantile(draws, areas, axis=0)
        return low, high

    def _scores(self, names: tuple[str, ...], means: Floats, draws: Floats, axis: int) -> pd.DataFrame:
        has_met = ~np.isnan(means)
        score = _mean_over_met(means, has_met, axis - 1)
        score_draws = _mean_over_met(draws, has_met, axis - 1)
        low, high = self._interval(score_draws)
        ranks = 1 + (score_draws[:, None, :] > score_draws[:, :, None]).sum(axis=2)
        rank_low, rank_high = self._interval(ranks.astype(np.float64))
        best_share = (ranks == 1).mean(axis=0) if len(draws) else np.full(len(names), np.nan)
        return pd.DataFrame(
            {
                "strategy": list(names), "score": score, "low": low, "high": high,
                "rank_low": rank_low, "rank_high": rank_high, "best": best_share,
            }
        )  # fmt: skip

    def _symmetric(self) -> dict[str, Any]:
        diagonal = np.arange(len(self.strategies))
        # Regret of a strategy against itself: what leaving a population of its kind would gain.
        regret = normal_form.profile_regret(self.means)[diagonal, diagonal]
        regret_draws = (
            normal_form.profile_regret(self.draws)[:, diagonal, diagonal] if len(self.draws) else self.draws[:, 0]
        )
        eliminated = normal_form.elimination_order(self.draws) if len(self.draws) else self.draws[:, 0]
        low, high = self._interval(regret_draws)
        elimination_low, elimination_high = self._interval(eliminated.astype(np.float64))
        mixture, rating = normal_form.nash_average(self.means)
        rating_low, rating_high = self._interval(self._ratings)
        return {
            "regret": regret, "regret_low": low, "regret_high": high,
            "elimination": normal_form.elimination_order(self.means),
            "elimination_low": elimination_low, "elimination_high": elimination_high,
            "nash_share": mixture, "nash_rating": rating,
            "nash_rating_low": rating_low, "nash_rating_high": rating_high,
        }  # fmt: skip

    @cached_property
    def _ratings(self) -> Floats:
        if not len(self.draws):
            return self.draws[:, 0]
        draws = self.draws[:RATED].reshape(-1, self.means.size)
        distinct, positions = np.unique(draws, axis=0, return_inverse=True)
        ratings: Floats = normal_form.nash_average(distinct.reshape(-1, *self.means.shape))[1][positions.ravel()]
        return ratings

    def _symmetric_equilibria(self) -> pd.DataFrame:
        rows: list[dict[str, Any]] = []
        number = 0
        for row_shares, column_shares in normal_form.equilibria(self.means):
            if not np.allclose(row_shares, column_shares, rtol=0, atol=1e-9):
                continue
            number += 1
            support = np.flatnonzero(row_shares > 0)
            rows += [
                {
                    "equilibrium": number,
                    "strategy": self.strategies[strategy_index],
                    "share": float(row_shares[strategy_index]),
                    "share_found": self._support_share(support),
                }
                for strategy_index in support
            ]
        return pd.DataFrame(rows, columns=["equilibrium", "strategy", "share", "share_found"])

    def _support_share(self, support: npt.NDArray[np.intp]) -> float:
        """Return the share of draws with a symmetric equilibrium of this support."""
        if not len(self.draws):
            return float("nan")
        size = len(support)
        smallest, largest = float(self.means.min()), float(self.means.max())
        draws = (self.draws - smallest) / ((largest - smallest) or 1.0)  # of no unit and no origin, as equilibria are
        support_payoffs = draws[np.ix_(np.arange(len(draws)), support, support)]
        # Shares that leave all strategies of the support alike: a linear system in each draw.
        bordered = np.zeros((len(support_payoffs), size + 1, size + 1))
        bordered[:, :size, :size] = support_payoffs
        bordered[:, :size, size], bordered[:, size, :size] = -1.0, 1.0
        right_side = np.zeros((len(support_payoffs), size + 1, 1))
        right_side[:, size] = 1.0
        is_regular = np.abs(np.linalg.det(bordered)) > 1e-12
        shares = np.zeros((len(support_payoffs), size))
        shares[is_regular] = np.linalg.solve(bordered[is_regular], right_side[is_regular])[:, :size, 0]
        payoffs = (draws[:, :, support] @ shares[:, :, None])[..., 0]
        support_worth = payoffs[:, support].min(axis=1)
        is_equilibrium = (
            is_regular
            & (shares > 0).all(axis=1)
            & (payoffs.max(axis=1) <= support_worth + 1e-9 * (1 + np.abs(support_worth)))
        )
        return float(is_equilibrium.mean())

    def _check_symmetric(self) -> None:
        if self.roles is not None:
            raise NotEstimable(
                "the two roles play different games, so that they have no common ranking; use by_role=False"
            )

    def _check_draws(self) -> None:
        if not len(self.draws):
            raise NotEstimable("there is no bootstrap draw in which every pairing occurs")

    def _check_whole(self) -> None:
        if self.missing:
            pairs = first_few([f"{shown(strategy)} against {shown(opponent)}" for strategy, opponent in self.missing])
            raise NotEstimable(f"never played: {pairs}; leave strategies out (strategies=), or play these")


def tournament(
    tables: Mapping[str, pd.DataFrame],
    *,
    value: str = "points",
    by_role: bool = False,
    strategies: tuple[str, ...] | list[str] | None = None,
    cluster: str | None = None,
    seed: int,
    n_resamples: int = 9999,
    confidence_level: float = 0.95,
) -> Tournament:
    """Make the payoff table of a tournament of agents, with a bootstrap over scenarios.

    Parameters
    ----------
    tables
        Tables of a study by name: ``games`` and ``players``, whose ``agent`` names each seat's strategy. Games of two
        seats count; others are left out and counted.
    value
        What a strategy gets: a numeric column of ``players``, such as "points"; or "gain", points above the ``batna``.
    by_role
        Keep the two roles apart (``role`` of ``players``): each has strategies and payoffs of its own.
    strategies
        Those to keep, in the order of the table; all by default, in the order of their names.
    cluster
        The column of ``games`` whose levels are drawn again as wholes. By default ``scenario`` where there are two or
        more, else each game alone. Scenarios that are turned versions of one need a column that says so.
    seed
        Of the bootstrap.
    n_resamples
        Draws; 0 for none.
    confidence_level
        Of all intervals (expanded percentiles of the bootstrap).

    Returns
    -------
    Tournament
        The table of mean payoffs, row against column, with the draws of its bootstrap.

    Raises
    ------
    UsageError
        If a column or a strategy is not there.
    DesignError
        If no game of two named agents is left, or by role there are not two roles.

    Examples
    --------
    Rock, paper, scissors, each pairing in three scenarios:

    >>> import numpy as np
    >>> beats = {("rock", "scissors"), ("paper", "rock"), ("scissors", "paper")}
    >>> names = ["rock", "paper", "scissors"]
    >>> plays = [(f"g{i}", f"s{s}", one, other) for s in range(3)
    ...          for i, (one, other) in enumerate([(a, b) for a in names for b in names], 9 * s)]
    >>> games = pd.DataFrame({"game_id": [p[0] for p in plays], "scenario": [p[1] for p in plays]})
    >>> seats = [(g, seat, own, ((own, other) in beats) - ((other, own) in beats))
    ...          for g, _, a, b in plays for seat, own, other in (("A", a, b), ("B", b, a))]
    >>> players = pd.DataFrame(seats, columns=["game_id", "player", "agent", "points"])
    >>> result = tournament({"games": games, "players": players}, seed=1, n_resamples=99)
    >>> result.equilibria()[["strategy", "share"]].round(3).values.tolist()
    [['paper', 0.333], ['rock', 0.333], ['scissors', 0.333]]
    """
    check_level(confidence_level)
    check_count("n_resamples", n_resamples, 0)
    met = pairings(tables, value=value, by_role=by_role, strategies=strategies, cluster=cluster)
    totals, counts = met.totals(), met.counts()
    means = _ratio(totals.sum(axis=0), counts.sum(axis=0))
    se = _clustered_errors(totals, counts, means)
    clusters = counts.shape[0]
    has_games = ~np.isnan(means[0])
    missing = int((~has_games).sum())
    n_drawn = n_resamples if clusters > 1 else 0
    draws = _draw_means(totals, counts, np.random.default_rng(seed), n_drawn)
    draws = draws[~np.isnan(np.where(has_games, draws, 0.0)).any(axis=(1, 2, 3))]
    n_dropped = n_drawn - len(draws)
    only_self = not by_role and not (~has_games & ~np.eye(len(has_games), dtype=bool)).any()
    if missing and not only_self:  # strategies that met different opponents have no common order, and no draws of one
        draws = draws[:0]
    return Tournament(
        strategies=met.strategies,
        opponents=met.opponents,
        roles=met.roles,
        value=value,
        cluster=met.cluster,
        n_clusters=clusters,
        confidence_level=confidence_level,
        means=means[0],
        opponent_means=means[1],
        n=met.games(),
        se=se[0],
        opponent_se=se[1],
        draws=draws[:, 0],
        opponent_draws=draws[:, 1],
        dropped_draws=n_dropped,
        left_out=met.left_out,
        notes=(
            *met.notes,
            *_notes(met, clusters, missing, n_dropped, n_drawn, only_self=only_self),
        ),
    )


def _notes(met: Pairings, clusters: int, missing: int, n_dropped: int, n_draws: int, *, only_self: bool) -> list[str]:
    sentences = []
    if missing and only_self:
        sentences.append("a strategy did not meet itself: its score is over the others, and there are no equilibria")
    elif missing:
        sentences.append(
            "a pairing was never played: a score is over the opponents that were met; no intervals, equilibria"
        )
    if clusters < 2:
        sentences.append(f"{met.cluster} has one level: nothing to draw again, so no intervals")
    elif clusters < FEW_CLUSTERS:
        sentences.append(
            f"intervals and shares of draws come from {clusters} levels of {met.cluster} only, and "
            "claim more than so few can tell: with 4, intervals of 95 % hold the truth in 87 % of simulated tournaments"
        )
    if n_dropped:
        sentences.append(f"{n_dropped:,} of {n_draws:,} draws lack a pairing and were excluded")
    return sentences


def _ratio(totals: Floats, counts: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(counts > 0, totals / counts, np.nan))


def _mean_over_met(values: Floats, has_met: npt.NDArray[np.bool_], axis: int) -> Floats:
    """Return the mean of each strategy over the opponents that it met; values may have an axis of draws before."""
    ahead = values.ndim - has_met.ndim
    return np.asarray(np.where(has_met, values, 0.0).sum(axis=ahead + axis) / has_met.sum(axis=axis))


def _clustered_errors(totals: Floats, counts: Floats, means: Floats) -> Floats:
    """Return the standard error of each mean: a ratio of totals over clusters (linearised, C/(C − 1))."""
    present = (counts > 0).sum(axis=0)
    off = np.where(counts > 0, totals - counts * np.where(np.isnan(means), 0.0, means), 0.0)
    squares = (off**2).sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.sqrt(squares * present / (present - 1)) / counts.sum(axis=0)
    return np.asarray(np.where(present > 1, error, np.nan))


def _draw_means(totals: Floats, counts: Floats, rng: np.random.Generator, n_resamples: int) -> Floats:
    """Return the means of draws of as many clusters as there are: (draws, sides, rows, columns)."""
    clusters, shape = len(totals), totals.shape[1:]
    flat_totals, flat_counts = totals.reshape(clusters, -1), counts.reshape(clusters, -1)
    draws = multinomials(rng, clusters, n_resamples, flat_totals.shape[1])
    means = [_ratio(times @ flat_totals, times @ flat_counts).reshape(-1, *shape) for times in draws]
    return np.concatenate([np.empty((0, *shape)), *means])
