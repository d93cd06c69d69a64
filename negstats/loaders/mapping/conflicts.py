"""One value where a log repeats it: rows about the same thing must agree, or the mapping says which row counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import polars as pl

from negstats.errors import shown
from negstats.loaders.mapping.model import Source
from negstats.loaders.mapping.rows import Places, RowError
from negstats.tables import TABLES

_KINDS = {column.name: column.kind for table in TABLES.values() for column in table.columns}


def settled(frame: pl.DataFrame, keys: Sequence[str], sources: Mapping[str, Source], places: Places) -> pl.DataFrame:
    """Return one row for each distinct `keys`, in order of appearance, called by the place of its first row.

    Parameters
    ----------
    frame
        Rows of the log; ``at`` are their places in it.
    keys
        The columns that say what belongs together.
    sources
        Where the other columns come from; ``take`` says which value counts; without it all must be equal.
    places
        Where the rows stand, for errors.

    Raises
    ------
    LogError
        If two rows disagree.
    """
    if not _are_repeated(frame, keys):
        return frame
    takes = {name: sources[name].take if name in sources else None for name in frame.columns if name not in keys}
    must_agree = [name for name, take in takes.items() if take is None and name != "at"]
    values = [_taken(name, take) for name, take in takes.items()]
    values += [_differs(name).alias(f"{name} differs") for name in must_agree]
    one_per_key = frame.group_by(keys, maintain_order=True).agg(values)
    for name in must_agree:
        if one_per_key[f"{name} differs"].any():
            raise _disagreement(frame, name, keys, sources.get(name), places)
    return one_per_key.select(frame.columns)


def _taken(name: str, take: str | None) -> pl.Expr:
    """Return which value of a column counts where several rows have one."""
    value = pl.col(name)
    match take:
        case "min":
            return value.min()
        case "max":
            return value.max()
        case "mean":
            return value.mean()
        case "sum":
            return pl.when(value.count() > 0).then(value.sum())
        case "last":
            return value.last(ignore_nulls=True)
    return value.first(ignore_nulls=True)


def _differs(name: str) -> pl.Expr:
    """Return whether several rows have different values in a column."""
    value = pl.col(name).to_physical()
    return value.min() != value.max()


def _disagreement(
    frame: pl.DataFrame, name: str, keys: Sequence[str], source: Source | None, places: Places
) -> RowError:
    """Return the error for rows of the same `keys` that have different values in a column."""
    stated = frame.filter(pl.col(name).is_not_null())
    wrong = stated.filter(pl.col(name) != pl.col(name).first().over(keys))
    earlier = stated.join(wrong.head(1), on=keys, how="semi", nulls_equal=True)
    value_here, earlier_value = (_value_text(rows[name][0], name, places) for rows in (wrong, earlier))
    name = name.removeprefix("factors.").removeprefix("measures.")
    reason = (
        f"{shown(value_here)} here and {shown(earlier_value)} in {places.name(earlier['at'][0])}: "
        f'rows of one {" and ".join(keys)} must agree on {name} (or say take = "last", ... in the mapping)'
    )
    return places.fault(wrong["at"][0], reason, source, wrong["at"])


def _value_text(value: object, name: str, places: Places) -> str:
    """Return a value as a message shows it."""
    if name == "game_id" and isinstance(value, int):
        return places.game(value)
    if isinstance(value, float) and _KINDS.get(name) == "integer":
        return str(int(value))
    if isinstance(value, datetime):
        return value.isoformat(timespec="microseconds")
    return str(value)


def refuse_repeated(frame: pl.DataFrame, keys: Sequence[str], what: str, places: Places) -> None:
    """Raise LogError if two rows have the same `keys`."""
    if not _are_repeated(frame, keys):
        return
    wrong = frame.filter(~pl.struct(keys).is_first_distinct())
    earlier = frame.join(wrong.head(1), on=keys, how="semi", nulls_equal=True)["at"][0]
    value = ", ".join(f"{key} {shown(_value_text(wrong[key][0], key, places))}" for key in keys)
    raise places.fault(wrong["at"][0], f"{value} is also in {places.name(earlier)}; {what}", rows=wrong["at"])


def _are_repeated(frame: pl.DataFrame, keys: Sequence[str]) -> bool:
    """Whether two rows have the same `keys`: in order, these stand one below the other."""
    ordered = frame.select(pl.col(keys).to_physical()).sort(keys)
    is_like_last = pl.all_horizontal(pl.col(keys).eq_missing(pl.col(keys).shift()))
    return bool(ordered.select(is_like_last.slice(1).any()).item())
