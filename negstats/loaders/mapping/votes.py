"""Offers that several seats answer: who accepts which offer, and whether these are enough.

`votes_of` reads the votes in the rows of a part. `count_votes` gives the offers their responses, once the seats of each
game are known, and `vote_answers` makes each vote the answer `vote` of its person about the game.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from negstats.loaders.mapping.conflicts import refuse_repeated
from negstats.loaders.mapping.rows import Lines, Places, Schema
from negstats.loaders.mapping.seats import filled, player_of

QUESTION = "vote"
_RESPONSES = {"accept": "accepted", "reject": "rejected"}


def votes_of(lines: Lines, base: pl.DataFrame) -> pl.DataFrame:
    """Return the votes in the rows of one part.

    Parameters
    ----------
    lines
        The rows.
    base
        The part's offers.

    Returns
    -------
    DataFrame
        ``at``, ``game_id``, ``player``, ``response``, ``needed`` (how many must accept: a number, majority or all), and
        the offer: its place in the log (``of``), or who made it (``voted_on``); missing for the one offer of the game.
    """
    part, text = lines.part, lines.places.text
    types: Schema = {"at": pl.Int64, "game_id": lines.rows.schema["game_id"], "player": text, "response": text}
    frames = [pl.DataFrame(schema=types | {"needed": pl.String, "of": pl.Int64, "voted_on": text})]
    if part.accepts_needed is None:
        return frames[0]
    offers, needed = part.sections["offers"], pl.lit(str(part.accepts_needed))
    if "vote" in offers:
        columns = {"player": player_of(lines), "response": lines.text(offers["vote"])}
        if "voted_on" in offers:
            columns["voted_on"] = lines.text(offers["voted_on"])
        frames.append(lines.rows.select("at", "game_id", needed=needed, **columns))
    for name, seat in part.seats.items():
        if "vote" in seat["players"]:
            response = lines.text(seat["players"]["vote"])
            player = pl.lit(name, dtype=text)
            frames.append(lines.rows.select("at", "game_id", player=player, response=response, needed=needed, of="at"))
    if part.event:
        frames.append(_votes_in_events(lines, base).with_columns(needed=needed))
    return pl.concat(frames, how="diagonal").drop_nulls(["player", "response"])


def _votes_in_events(lines: Lines, base: pl.DataFrame) -> pl.DataFrame:
    """Return each accept and reject as a vote on the latest offer before it."""
    votes, order = lines.only(lines.rows["event"].is_in([*_RESPONSES])), lines.part.sections["offers"].get("offer")
    response = pl.col("event").replace_strict(_RESPONSES, return_dtype=lines.places.text)
    cast = votes.rows.select("at", "game_id", response=response, player=player_of(votes))
    cast = cast.with_columns(order=votes.number(order)) if order else cast
    offers = base.select("at", "game_id", *(["order"] if order else []), of="at")
    rows = pl.concat([offers, cast], how="diagonal")
    rows = rows.sort("game_id", *(["order"] if order else []), "at", nulls_last=True)
    before = rows.with_columns(pl.col("of").forward_fill().over("game_id")).filter(pl.col("response").is_not_null())
    lines.places.leave_out(before.filter(pl.col("of").is_null())["at"].sort(), "a vote without an offer before it")
    return before.drop_nulls("of").sort("at").drop("order", strict=False)


def count_votes(
    base: pl.DataFrame, votes: pl.DataFrame, players: pl.DataFrame, places: Places
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give offers without a response theirs, by the votes on them; return the votes with the place of their ``offer``.

    An offer is accepted if as many seats accept it as must, its proposer among them, who accepts if no vote of the
    proposer is in the log. It is rejected if those that have not rejected it are too few.
    """
    if not len(votes):
        return base, votes
    votes = _find_offers(base, votes, places)
    n_lost = votes["offer"].null_count()
    places.intake.count("{0} votes are on no offer of their game, and are not kept", n_lost)
    votes = votes.drop_nulls("offer")
    refuse_repeated(votes, ["game_id", "offer", "player"], "each seat votes once on an offer", places)
    # What was said of each offer, and by how many seats it can be.
    counted = votes.group_by("place").agg(
        n_yes=(pl.col("response") == "accepted").sum() + (pl.col("player") != pl.col("proposer")).all().cast(pl.UInt32),
        n_no=(pl.col("response") == "rejected").sum(),
        needed=pl.col("needed").last(),
    )
    offers = base.join(counted, left_on="at", right_on="place", how="left", maintain_order="left")
    seats = players.group_by("game_id").agg(n_seats=pl.len())
    offers = offers.join(seats, on="game_id", how="left", maintain_order="left")
    n_seats, needed = pl.col("n_seats"), pl.col("needed")
    n_needed = (
        pl.when(needed == "majority").then(n_seats // 2 + 1).when(needed == "all").then(n_seats)
        .otherwise(needed.cast(pl.Int64, strict=False))
    )  # fmt: skip
    # What the votes settle; the log's own word stays.
    by_votes = (
        pl.when(pl.col("n_yes") >= n_needed).then(pl.lit("accepted"))
        .when(n_seats.cast(pl.Int64) - pl.col("n_no") < n_needed).then(pl.lit("rejected"))
    )  # fmt: skip
    offers = offers.with_columns(by_votes=by_votes.cast(places.text))
    _note_votes(offers.drop_nulls("needed"), places)
    base = filled(offers, response=pl.col("by_votes")).select(base.columns)
    return base, votes


def _note_votes(offers: pl.DataFrame, places: Places) -> None:
    """Note where votes do not settle an offer, or the log says that they did otherwise."""
    n_open = len(offers.filter(pl.col("by_votes").is_null(), pl.col("response").is_null()))
    places.intake.count("{0} offers have too few votes to be accepted or rejected", n_open)
    both = offers.drop_nulls(["by_votes", "response"])
    what = "{0} of {1} responses are not those that the votes give; the log's are kept"
    places.intake.count(what, len(both.filter(pl.col("by_votes") != pl.col("response"))), len(both))


def _find_offers(base: pl.DataFrame, votes: pl.DataFrame, places: Places) -> pl.DataFrame:
    """Return the votes with the ``place`` of the offer that each is on, its number and ``proposer``, if there is one.

    Raises
    ------
    LogError
        If several offers of a game could be meant.
    """
    makers = base.unique(["game_id", "proposer"], keep="last").select("game_id", voted_on="proposer", by_maker="at")
    games = base.group_by("game_id").agg(first_offer=pl.col("at").first(), n_offers=pl.len())
    found = votes.join(makers, on=["game_id", "voted_on"], how="left", maintain_order="left")
    found = found.join(games, on="game_id", how="left", maintain_order="left")
    is_open = pl.col("of").is_null() & pl.col("voted_on").is_null()
    several = found.filter(is_open, pl.col("n_offers") > 1)["at"]
    if len(several):
        reason = "several offers of this game could be voted on; name who made the one that is, with offers.voted_on"
        raise places.fault(several[0], reason, rows=several)
    place = pl.when(is_open).then("first_offer").otherwise(pl.coalesce("of", "by_maker"))
    offers = base.select("offer", "proposer", place="at")
    return (
        found.with_columns(place=place)
        .drop("by_maker", "first_offer", "n_offers")
        .join(offers, on="place", how="left", maintain_order="left")
    )


def vote_answers(votes: pl.DataFrame, players: pl.DataFrame, places: Places) -> Sequence[pl.DataFrame]:
    """Return each vote as an answer of its person about the game: 1 for yes, 0 for no.

    Where somebody votes on several offers of a game, the question has the number of the offer behind its name.
    """
    if not len(votes):
        return []
    people = filled(players, participant_id=pl.lit(None, places.text)).select("game_id", "player", "participant_id")
    votes = votes.join(people, on=["game_id", "player"], how="left", maintain_order="left")
    n_unknown = votes["participant_id"].null_count()
    places.intake.count("{0} votes are by unknown people and do not count as answers", n_unknown)
    repeats = votes.select("game_id", "player").is_duplicated().any()
    question = pl.format(f"{QUESTION}_{{}}", "offer") if repeats else pl.lit(QUESTION)
    answer = pl.when(pl.col("response") == "accepted").then(pl.lit("1")).otherwise(pl.lit("0"))
    said = votes.filter(pl.col("response").is_in(["accepted", "rejected"])).drop_nulls("participant_id")
    texts = {"question": question.cast(places.text), "answer": answer.cast(places.text)}
    return [said.select("at", "participant_id", "game_id", **texts)]
