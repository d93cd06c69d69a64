"""Negotiation's own relations: outcomes on first offers, concessions on the partner's concessions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.metrics.openings import concession_pairs, first_offers
from negstats.stats.relations.linear_model import LinearModel, regression


def anchoring(tables: Any, *, covariates: Sequence[str] = (), opener_only: bool = True) -> LinearModel:
    """Regress a seat's points on its own first offer.

    First offers are chosen, not assigned: the slope is an association. Games without agreement are in it with the
    points that the log gives them; leave them out before where that is not meant.

    Parameters
    ----------
    tables
        A study, or its tables by name: `offers` and `players` (and `games`, if a covariate is one of its columns).
    covariates
        Columns of `players` or `games` to hold constant, such as "batna" or "condition".
    opener_only
        One row a game, of the seat that made its first offer, with ordinary errors that allow for unequal variances
        (HC3); else one row a seat, with errors by game (CR2).

    Raises
    ------
    DesignError
        If a covariate is not a column.
    NotEstimable
        If too few seats have a first offer and points.

    Notes
    -----
    Galinsky and Mussweiler (2001), Journal of Personality and Social Psychology 81, 657-669.

    Examples
    --------
    >>> first, got = [80, 60, 75, 50, 65, 90, 55, 70], [58, 50, 49, 44, 55, 60, 46, 50]
    >>> offers = pd.DataFrame({"game_id": range(8), "offer": 1, "proposer": "A", "value_proposer": first})
    >>> players = pd.DataFrame({"game_id": range(8), "player": "A", "points": got})
    >>> anchoring({"offers": offers, "players": players}).estimate.round(6).tolist()
    [26.776942, 0.362907]
    """
    offers, players = _table(tables, "offers"), _table(tables, "players")
    rows = first_offers(offers, players[["game_id", "player"]])
    rows = rows.merge(players, how="left", on=["game_id", "player"])
    lacking = [name for name in covariates if name not in rows.columns]
    if lacking:
        games = _table(tables, "games")
        for name in lacking:
            if name not in games.columns:
                raise DesignError(f"covariates name {name!r}, which is not a column of players or games")
        rows = rows.merge(games[["game_id", *lacking]], how="left", on="game_id")
    if opener_only:
        rows = rows[rows["opened"] == 1]
    formula = " + ".join(["points ~ first_offer", *(f"`{name}`" for name in covariates)])
    if opener_only:
        return regression(rows, formula, errors="HC3")
    return regression(rows, formula, errors="CR2", cluster="game_id")


def reciprocity(tables: Any, *, within: bool = False) -> LinearModel:
    """Regress each concession on the partner's last concession before it, with errors by game (CR2).

    A slope of 1 is full reciprocity. Where few games carry the slope its degrees of freedom are few; `apa()` says so.

    Parameters
    ----------
    tables
        A study, or its tables by name: `offers`.
    within
        Subtract from both the means of the game and seat, so that seats that concede much in all are no reciprocity.

    Raises
    ------
    NotEstimable
        If fewer than two games have a concession that answers another.

    Examples
    --------
    >>> rows = [(1, "A", 90), (1, "B", 85), (1, "A", 80), (1, "B", 80), (1, "A", 75), (1, "B", 70),
    ...         (2, "A", 95), (2, "B", 90), (2, "A", 85), (2, "B", 70), (2, "A", 65), (2, "B", 65)]
    >>> offers = pd.DataFrame(rows, columns=["game_id", "proposer", "value_proposer"]).assign(offer=range(12))
    >>> reciprocity({"offers": offers}).names
    ('Intercept', 'partners_concession')
    """
    pairs = concession_pairs(_table(tables, "offers"))
    if pairs["game_id"].nunique() < 2:
        raise NotEstimable(
            f"{pairs['game_id'].nunique()} games have a concession that answers another; errors by game need several"
        )
    if within:
        columns = ["concession", "partners_concession"]
        pairs[columns] -= pairs.groupby(["game_id", "player"])[columns].transform("mean")
    return regression(pairs, "concession ~ partners_concession", errors="CR2", cluster="game_id")


def _table(tables: Any, name: str) -> pd.DataFrame:
    table: pd.DataFrame = getattr(tables, name) if hasattr(tables, name) else tables[name]
    return table
