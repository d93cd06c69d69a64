"""How games ended and what their seats scored, as far as the offers tell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from negstats.loaders.mapping.items import SIDES
from negstats.loaders.mapping.seats import filled


@dataclass(frozen=True, slots=True)
class Deals:
    """Which games have a deal, and the offers that make it up: one, or the last on each issue.

    Where every offer of a game is about one issue, and there are several, all of them must be settled.

    Attributes
    ----------
    made, partly : polars.DataFrame
        ``game_id`` of the games with a deal, and of those in which only some issues are settled.
    offers : polars.DataFrame
        The offers that make up the deals.
    """

    made: pl.DataFrame
    partly: pl.DataFrame
    offers: pl.DataFrame


def deals(offers: pl.DataFrame, items: pl.DataFrame, issues: pl.DataFrame) -> Deals:
    """Return the deals; `issues` are those that the mapping has worths for, ``item``, with the games that have them."""
    accepted = offers.filter(pl.col("response") == "accepted")
    whole = accepted.unique("game_id", keep="last", maintain_order=True)
    if not len(items):
        none = whole.select("game_id").clear()
        return Deals(whole.select("game_id"), none, whole)
    # Games of which each offer is about one issue, and which have several.
    issues_of_offers = items.select("game_id", "at", "item").unique(maintain_order=True)
    n_issues = issues_of_offers.group_by("at").agg(n_issues=pl.len())
    others = offers.join(n_issues.filter(pl.col("n_issues") == 1), on="at", how="anti")
    issues_of_games = pl.concat([issues_of_offers.select("game_id", "item"), issues]).unique()
    several = issues_of_games.filter(pl.len().over("game_id") > 1).select("game_id").unique()
    by_issue = several.join(others, on="game_id", how="anti")
    # Of these the last accepted offer on each issue counts, and an issue without one leaves the game without a deal.
    settled = accepted.join(issues_of_offers, on=["game_id", "at"], maintain_order="left")
    settled = settled.join(by_issue, on="game_id", how="semi", maintain_order="left")
    settled = settled.unique(["game_id", "item"], keep="last", maintain_order=True)
    is_open = issues_of_games.join(settled, on=["game_id", "item"], how="anti")
    partly = settled.select("game_id").unique().join(is_open, on="game_id", how="semi")
    made = whole.select("game_id").join(partly, on="game_id", how="anti")
    parts = [whole.join(by_issue, on="game_id", how="anti"), settled.select(whole.columns)]
    of_deals = pl.concat(parts).join(made, on="game_id", how="semi").sort("game_id", "offer")
    return Deals(made, partly, of_deals)


def ends(deals: Deals, offers: pl.DataFrame, games: pl.DataFrame, *, once: bool) -> pl.Series:
    """Return how each game ended: in agreement, by a refusal that was the last word, or nobody knows.

    Parameters
    ----------
    deals
        The deals.
    offers
        The offers, of which some are the ``last`` of their game.
    games
        The games.
    once
        Whether there is one offer for each game and proposer, so that a refusal ends the game.
    """
    is_rejected = pl.col("response") == "rejected"
    refused = offers.filter(is_rejected, pl.col("last") | once)["game_id"]
    answered = offers.filter(is_rejected | (pl.col("response") == "accepted"), "last")["game_id"]
    game = pl.col("game_id")
    is_made, is_partly, was_refused, was_answered = (
        game.is_in(of.implode()) for of in (deals.made["game_id"], deals.partly["game_id"], refused, answered)
    )
    text = offers.schema["response"]
    end = (
        pl.when(is_made).then(pl.lit("agreement", text))
        .when(is_partly & was_answered).then(pl.lit("disagreement", text))
        .when(~is_partly & was_refused).then(pl.lit("walkaway" if once else "disagreement", text))
        .otherwise(pl.lit("unknown", text))
    )  # fmt: skip
    return games.select(end).to_series()


def allotments(offers: pl.DataFrame, items: pl.DataFrame, worth: pl.DataFrame, *, has_values: bool) -> pl.DataFrame:
    """Return ``at``, ``player``, ``amount``: what offers are worth to seats, also to those that are on neither side.

    It is the value that the log says, else, of one good that is divided and has no values, how much of it they get.
    """
    of_offers = worth.join(offers, on="at", how="semi", maintain_order="left")
    values = of_offers.select("at", player="seat", amount="value").drop_nulls("amount")
    if len(values) or not len(items):
        return values
    is_divided = not has_values and items["item"].n_unique() == 1
    shares = items.select("at", player="receiver", amount="quantity")
    return shares if is_divided and not shares.null_count().sum_horizontal().item() else shares.clear()


def scored(
    players: pl.DataFrame, deals: Deals, without: Sequence[tuple[pl.Series, float | None]], allotted: pl.DataFrame
) -> pl.DataFrame:
    """Return the seats with their points, those of the deal where they are not known.

    Parameters
    ----------
    players
        The seats.
    deals
        The deals.
    without
        Games in which points follow from the deal, and what seats have there if there is none.
    allotted
        What offers are worth to seats, for those that are on neither side.
    """
    keys = ["game_id", "player"]
    sides = [side for side in SIDES if f"value_{side}" in deals.offers.columns]
    of_sides = [deals.offers.select("game_id", player=side, points_of_deal=f"value_{side}") for side in sides]
    none = players.select(*keys, points_of_deal=pl.lit(None, pl.Float64)).clear()
    worth = pl.concat([none, *of_sides]).drop_nulls().group_by(keys).agg(pl.col("points_of_deal").sum())
    shares = allotted.join(deals.offers.select("at", "game_id"), on="at", maintain_order="left")
    shares = shares.group_by(keys).agg(share=pl.col("amount").sum())
    seats = players.join(worth, on=keys, how="left", maintain_order="left")
    seats = seats.join(shares, on=keys, how="left", maintain_order="left")
    game, is_made = pl.col("game_id"), pl.col("game_id").is_in(deals.made["game_id"].implode())
    in_parts = game.is_in(pl.concat([games for games, _ in without]).implode())
    points = [pl.col("points_of_deal"), pl.when(in_parts).then("share")]
    points += [
        pl.when(game.is_in(games.implode()) & ~is_made).then(pl.lit(value, pl.Float64)) for games, value in without
    ]
    return filled(seats, points=pl.coalesce(points)).drop("points_of_deal", "share")
