"""The first games of a study as records, by which a person sees whether a log was read rightly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import pandas as pd

from negstats.studies.study import Study

GAMES, OFFERS = 3, 2  # that are shown


@dataclass(frozen=True, slots=True)
class SeatSketch:
    """One seat of a game: its name, its person and its points, where they are known."""

    player: str
    person: str | None
    points: float | None


@dataclass(frozen=True, slots=True)
class OfferSketch:
    """One offer: who made it, what each side would get, and the response.

    Attributes
    ----------
    proposer, response : str
    shares : tuple of (str, float)
        What each side would get: "proposer" and "responder", or the seats of a game of more than two.
    is_value : bool
        Whether the shares are values, for the units are not known.
    """

    proposer: str | None
    shares: tuple[tuple[str, float], ...]
    response: str
    is_value: bool = False


@dataclass(frozen=True, slots=True)
class GameSketch:
    """One game: its levels, its seats, its last offers, how many came before them, and its end."""

    game_id: str
    levels: tuple[tuple[str, str], ...]
    seats: tuple[SeatSketch, ...]
    earlier_offers: int
    offers: tuple[OfferSketch, ...]
    ended: str


def sketch_games(study: Study, most: int = GAMES) -> list[GameSketch]:
    """Return the first games of a study as records.

    Parameters
    ----------
    study
        The study; of one whose rows stay with an engine these games alone are read.
    most
        How many games.

    Returns
    -------
    list[GameSketch]
        In the order of the table of games.

    Examples
    --------
    >>> import negstats
    >>> first = sketch_games(negstats.load("datasets/sample"))[0]
    >>> sorted(seat.player for seat in first.seats), first.ended
    (['Agent', 'Human'], 'agreement')
    """
    frames = study.with_frames()
    games = _home(frames.frame("games").head(most))
    chosen = nw.col("game_id").is_in(list(games["game_id"]))
    tables = {name: _home(frames.frame(name).filter(chosen)) for name in ("players", "offers", "items")}
    return [
        _sketch_game(
            game, study.factors, {name: rows[rows["game_id"] == game["game_id"]] for name, rows in tables.items()}
        )
        for game in games.to_dict("records")
    ]


def _home(frame: Any) -> pd.DataFrame:
    collected = frame.collect() if hasattr(frame, "collect") else frame
    return pd.DataFrame(collected.to_pandas())


def _sketch_game(game: dict[Any, Any], factors: list[str], tables: dict[str, pd.DataFrame]) -> GameSketch:
    levels = tuple((name, str(game[name])) for name in factors if pd.notna(game[name]))
    seats = tuple(
        SeatSketch(str(row["player"]), _known(row["participant_id"]), _known(row["points"]))
        for row in tables["players"].to_dict("records")
    )
    offers = tables["offers"].sort_values("offer", kind="stable")
    # Two seats have what is kept and what is given; of more seats the items say who would get what.
    items = tables["items"] if len(seats) > 2 else tables["items"].head(0)
    last_offers = offers.tail(OFFERS)
    sketches = tuple(
        _sketch_offer(row, items[items["offer"] == row["offer"]]) for row in last_offers.to_dict("records")
    )
    return GameSketch(str(game["game_id"]), levels, seats, len(offers) - len(last_offers), sketches, str(game["ended"]))


def _sketch_offer(offer: dict[Any, Any], items: pd.DataFrame) -> OfferSketch:
    proposer, response = _known(offer["proposer"]), str(offer["response"])
    received = items[items["receiver"].notna()]
    if len(received):
        sums = received.groupby("receiver", sort=False)["quantity"].sum()
        return OfferSketch(proposer, tuple((str(seat), float(value)) for seat, value in sums.items()), response)
    # Without items: the units to each seat, else what the offer is worth to each.
    for columns, is_value in (
        (("units_to_proposer", "units_to_responder"), False),
        (("value_proposer", "value_responder"), True),
    ):
        seat_columns = zip(("proposer", "responder"), columns, strict=True)
        shares = tuple(
            (seat_name, float(offer[column])) for seat_name, column in seat_columns if pd.notna(offer[column])
        )
        if shares:
            return OfferSketch(proposer, shares, response, is_value)
    return OfferSketch(proposer, (), response)


def _known(value: Any) -> Any:
    return None if pd.isna(value) else value
