"""The seats of each game: those that a log describes, those that only act in it, and the partner of each."""

from __future__ import annotations

import polars as pl

from negstats.loaders.mapping.rows import Lines


def player_of(lines: Lines) -> pl.Series:
    """Return the seat that each row is about; missing throughout if the mapping names none."""
    source = lines.part.sections["players"].get("player")
    return lines.text(source) if source else lines.none()


def partners_of(players: pl.DataFrame) -> pl.DataFrame:
    """Return ``game_id``, ``player`` and the other seat, ``partner``, of the games that have two seats."""
    pairs = players.filter(pl.len().over("game_id") == 2)
    return pairs.select("game_id", "player", partner=pl.col("player").reverse().over("game_id"))


def filled(frame: pl.DataFrame, **values: pl.Expr | pl.Series) -> pl.DataFrame:
    """Return a frame whose columns have these values where the log says nothing of them."""
    return frame.with_columns(
        pl.coalesce(pl.col(name), value).alias(name) if name in frame.columns else value.alias(name)
        for name, value in values.items()
    )


def seconds_since(began: str) -> pl.Expr:
    """Return the seconds from the beginning of a game, a column of times, to the ``stamp`` of each row."""
    return (pl.col("stamp") - pl.col(began)).dt.total_microseconds() / 1e6
