"""The seats of each game: those that a log describes, those that only act in it, and the partner of each."""

from __future__ import annotations

import polars as pl

from negstats.loaders.mapping.rows import Lines


def player_of(lines: Lines) -> pl.Series:
    """Return the seat that each row is about; missing throughout if the mapping names none."""
    source = lines.part.sections["players"].get("player")
    return lines.text(source) if source else lines.none()


def partners_of(seats: pl.DataFrame, players: pl.DataFrame) -> pl.Series:
    """Return the other seat for seats, ``game_id`` and ``player``, of games with two; `players` are all seats."""
    sizes = players.group_by("game_id").agg(
        n_seats=pl.len(), first=pl.col("player").first(), last=pl.col("player").last()
    )
    pairs = sizes.filter(pl.col("n_seats") == 2)
    player, first, last = pl.col("player"), pl.col("first"), pl.col("last")
    partner = pl.when(player == first).then(last).when(player == last).then(first)
    return seats.join(pairs, on="game_id", how="left", maintain_order="left").select(partner).to_series()


def filled(frame: pl.DataFrame, **values: pl.Expr | pl.Series) -> pl.DataFrame:
    """Return a frame whose columns have these values where the log says nothing of them."""
    return frame.with_columns(
        pl.coalesce(pl.col(name), value).alias(name) if name in frame.columns else value.alias(name)
        for name, value in values.items()
    )


def with_seconds(frame: pl.DataFrame, games: pl.DataFrame) -> pl.DataFrame:
    """Return rows with ``time_s``: as the log says, else the seconds from when the game began to the ``stamp``."""
    if "stamp" not in frame.columns:
        return frame
    began = games.select("game_id", began="started_at")
    frame = frame.join(began, on="game_id", how="left", maintain_order="left")
    duration = pl.col("stamp") - pl.col("began")
    return filled(frame, time_s=duration.dt.total_microseconds() / 1e6).drop("stamp", "began")
