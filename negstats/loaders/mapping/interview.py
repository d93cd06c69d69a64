"""What `negstats map --interactive` shows: a question with its evidence, and three games as they would be read."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from negstats.studies.study import Study

_GAMES, _OFFERS = 3, 2  # that are shown


def preview(study: Study) -> Iterator[str]:
    """Yield three games of a study, a line each, and one of how many there are."""
    for _, game in study.games.head(_GAMES).iterrows():
        yield f"  game {game['game_id']}: {'; '.join(_describe_game(study, game))}"
    ends = study.games["ended"].value_counts()
    ends_text = ", ".join(f"{end} {count}" for end, count in ends.items())
    yield f"  in all {len(study.games)} games ({ends_text}), {len(study.offers)} offers"


def _describe_game(study: Study, game: pd.Series) -> Iterator[str]:
    factors = [f"{name} {game[name]}" for name in study.factors if pd.notna(game[name])]
    if factors:
        yield ", ".join(factors)
    seats = study.players[study.players["game_id"] == game["game_id"]]
    people = zip(seats["player"], seats["participant_id"], seats["points"], strict=True)
    yield ", ".join(_describe_seat(*one) for one in people)
    allotted = study.items[(study.items["game_id"] == game["game_id"]) & study.items["receiver"].notna()]
    several = allotted if len(seats) > 2 else allotted.head(0)  # two seats have what is kept and what is given
    offers = study.offers[study.offers["game_id"] == game["game_id"]]
    for _, offer in offers.head(_OFFERS).iterrows():
        yield _offer(offer, several[several["offer"] == offer["offer"]])
    if len(offers) > _OFFERS:
        yield f"{len(offers) - _OFFERS} more offers"
    yield str(game["ended"])


def _describe_seat(seat: str, person: str | float, points: float) -> str:
    who = f" ({person})" if pd.notna(person) else ""
    return f"{seat}{who}" + (f" {points:g} {'point' if points == 1 else 'points'}" if pd.notna(points) else "")


def _offer(offer: pd.Series, allotted: pd.DataFrame) -> str:
    if len(allotted):
        sums = allotted.groupby("receiver")["quantity"].sum()
        shares = ", ".join(f"{value:g} for {seat}" for seat, value in sums.items())
        return f"{offer['proposer']}: {shares}, {offer['response']}"
    own, other = offer["units_to_proposer"], offer["units_to_responder"]
    amounts = [f"{value:g} {side}" for value, side in ((own, "kept"), (other, "given")) if pd.notna(value)]
    what = " and ".join(amounts) or "an offer"
    return f"{offer['proposer']}: {what}, {offer['response']}"
