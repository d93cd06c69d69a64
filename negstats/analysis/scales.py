"""Scales: the least and the most points that a seat can get, and answers that are the mean of several items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import pandas as pd

from negstats.analysis.questions.frames import Lazy, home, known
from negstats.errors import NegstatsError
from negstats.stats.agreement.reliability import Reliability, reliability
from negstats.studies.provenance import facts_of
from negstats.studies.study import Study


def scales_of(study: Study) -> dict[str, tuple[str, ...]]:
    """Return the answers that are the mean of items, each with what its items are called."""
    return _means_of(study, "scale_mean")


def decisions_of(study: Study) -> dict[str, tuple[str, ...]]:
    """Return the answers that are the mean of decisions side by side, each with what these are called."""
    return _means_of(study, "decisions_mean")


def _means_of(study: Study, kind: str) -> dict[str, tuple[str, ...]]:
    means = [record for record in study.provenance.records if record.kind == kind]
    return {record.place: tuple(map(str, record.values)) for record in means}


def reliability_of(study: Study, items: Sequence[str]) -> Reliability | None:
    """Return Cronbach's alpha of items, over people (and games) who answered all; None where it cannot be estimated."""
    keys = ["participant_id", "game_id"]
    rows = home(study.with_frames().frame("answers").filter(nw.col("question").is_in(list(items))))
    numbers = rows[keys].fillna("").assign(question=rows["question"], value=pd.to_numeric(rows["answer"], "coerce"))
    table = numbers.pivot_table(index=keys, columns="question", values="value")
    if not set(items) <= set(table.columns):
        return None
    try:
        return reliability(table, items)
    except NegstatsError:  # an item that nobody varied on, or fewer than three people
        return None


WITH_POINTS = ("agreement", "goal", "unknown")  # ends after which seats may have any points
DIGITS = 10  # of a sum of values, which engines add in any order


def scale_of_points(study: Study) -> dict[str, Any] | None:
    """Return the least and the most points that a seat can get.

    Parameters
    ----------
    study
        The study; what one unit of an item is worth says what a deal can bring, and ``batna`` what no deal brings.

    Returns
    -------
    dict or None
        ``low``, ``high`` and ``source``, which is "values" or "format". None where neither says it, where seats differ
        in it, or where somebody has points outside of it.

    Examples
    --------
    >>> from negstats import datasets
    >>> scale_of_points(datasets.casino())
    {'low': 0.0, 'high': 36.0, 'source': 'values'}
    >>> scale_of_points(datasets.robot())
    {'low': 0.0, 'high': 1.0, 'source': 'format'}
    """
    study = study.with_frames()
    points = nw.col("points").cast(nw.Float64)
    ends = home(study.frame("players").select(points.min().alias("low"), points.max().alias("high"))).iloc[0]
    if ends["low"] is None or math.isnan(ends["low"]):
        return None
    scale = _from_values(study)
    source = "values"
    if scale is None:
        scale, source = _from_format(study), "format"
    if scale is None or ends["low"] < scale[0] or ends["high"] > scale[1]:
        return None
    return {"low": scale[0], "high": scale[1], "source": source}


def points_without_agreement(study: Study) -> dict[str, float]:
    """Return for each way in which games end without an agreement the points of a seat, where all seats have the same.

    Examples
    --------
    >>> from negstats import datasets
    >>> points_without_agreement(datasets.casino())
    {'walkaway': 5.0}
    """
    study = study.with_frames()
    games = study.frame("games").select("game_id", "ended").drop_nulls()
    others = games.filter(~nw.col("ended").is_in(WITH_POINTS))
    points = nw.col("points").cast(nw.Float64)
    seats = study.frame("players").select("game_id", known(points).alias("points")).join(others, on="game_id")
    ends = home(
        seats.group_by("ended").agg(
            nw.len().alias("seats"),
            nw.col("points").count().alias("known"),
            nw.col("points").min().alias("low"),
            nw.col("points").max().alias("high"),
        )
    )
    rows: list[Any] = sorted(ends.itertuples(index=False), key=lambda row: str(row.ended))
    return {str(row.ended): float(row.low) for row in rows if row.seats == row.known and row.low == row.high}


def _from_format(study: Study) -> tuple[float, float] | None:
    return facts_of(study.provenance.loader).points


def _from_values(study: Study) -> tuple[float, float] | None:
    """Return the worth of the worst and the best deal if that is the same for all seats, no deal being one more end."""
    seats = _deals_of_seats(study)
    if seats is None:
        return None
    players = study.frame("players").select("game_id", "player", nw.col("batna").cast(nw.Float64))
    least, most, batna = nw.col("least"), nw.col("most"), nw.col("batna")
    ends = players.join(seats, on=["game_id", "player"], how="left").select(
        "most",
        nw.when(batna < least).then(batna).otherwise(least).alias("low"),
        nw.when(batna > most).then(batna).otherwise(most).alias("high"),
    )
    row = home(
        ends.select(
            nw.len().alias("seats"),
            most.count().alias("known"),
            nw.col("low").min().alias("low"),
            nw.col("low").max().alias("other_low"),
            nw.col("high").min().alias("other_high"),
            nw.col("high").max().alias("high"),
        )
    ).iloc[0]
    if row["seats"] != row["known"]:
        return None
    low, other_low, high, other_high = (
        round(float(row[name]), DIGITS) for name in ("low", "other_low", "high", "other_high")
    )
    return (low, high) if low == other_low and high == other_high and low < high else None


def _deals_of_seats(study: Study) -> Lazy | None:
    """Return what the worst and the best deal are worth to each seat; None where a value is not known."""
    values = study.frame("values")
    value, available = nw.col("value").cast(nw.Float64), nw.col("available").cast(nw.Float64)
    whole = nw.when(nw.col("option").is_null()).then(value * available).otherwise(value)
    rows = values.select("game_id", "player", "item", whole.alias("worth"), divided=nw.col("option").is_null())
    one_row = home(rows.select(nw.len().alias("n"), nw.col("worth").count().alias("known"))).iloc[0]
    if not one_row["n"] or one_row["n"] != one_row["known"]:
        return None
    items = rows.group_by("game_id", "player", "item").agg(
        nw.col("worth").min().alias("least"), nw.col("worth").max().alias("most"), nw.col("divided").any()
    )
    # Of what is divided a seat may get nothing; of options it gets one.
    nothing = nw.col("divided")
    items = items.with_columns(
        nw.when(nothing & (nw.col("least") > 0)).then(0.0).otherwise(nw.col("least")).alias("least"),
        nw.when(nothing & (nw.col("most") < 0)).then(0.0).otherwise(nw.col("most")).alias("most"),
    )
    return items.group_by("game_id", "player").agg(nw.col("least").sum(), nw.col("most").sum())
