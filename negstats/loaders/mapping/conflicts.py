"""One value where a log repeats it: rows about the same thing must agree, or the mapping says which row counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from negstats.errors import shown
from negstats.loaders.mapping.frames import Array, Frame, absent, are_distinct, cumulative, firsts, grouped, nothing
from negstats.loaders.mapping.model import Source
from negstats.loaders.mapping.rows import Places
from negstats.tables import TABLES

_KINDS = {column.name: column.kind for table in TABLES.values() for column in table.columns}


def settled(frame: Frame, keys: Sequence[str], sources: Mapping[str, Source], places: Places) -> Frame:
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
    if are_distinct([frame[key] for key in keys]):
        return frame
    groups = grouped([frame[key] for key in keys])
    first = firsts(groups)
    one_per_key: Frame = {}
    for name, values in frame.items():
        if name in keys or name == "at":
            one_per_key[name] = values[first]
            continue
        source = sources.get(name)
        take = source.take if source else None
        is_absent = absent(values)
        if take is None and not is_absent.any() and np.array_equal(values, values[first][groups]):
            one_per_key[name] = values[first]
            continue
        present_rows = np.flatnonzero(~is_absent)
        if take in ("min", "max", "sum"):
            one_per_key[name] = _reduced(values[present_rows], groups[present_rows], len(first), take)
            continue
        if take == "last":
            picks = np.full(len(first), -1, dtype=np.int64)
            picks[groups[present_rows]] = present_rows
        else:
            picks = cumulative(groups[present_rows], present_rows, len(first))
        settled_values = values[picks]
        settled_values[picks < 0] = nothing(values.dtype, 1)[0]
        if take is None:
            differ = values[present_rows] != settled_values[groups[present_rows]]
            if differ.any():
                _refuse(present_rows[differ], values, groups, picks, source, name, keys, frame["at"], places)
        one_per_key[name] = settled_values
    return one_per_key


def _reduced(values: Array, groups: Array, size: int, how: str) -> Array:
    reduced = pd.Series(values).groupby(groups).agg(how)
    reduced_values = nothing(values.dtype, size)
    reduced_values[reduced.index.to_numpy()] = reduced.to_numpy().astype(values.dtype)
    return reduced_values


def _refuse(
    wrong: Array,
    values: Array,
    groups: Array,
    picks: Array,
    source: Source | None,
    name: str,
    keys: Sequence[str],
    at: Array,
    places: Places,
) -> None:
    place, earlier = int(wrong[0]), int(picks[groups[wrong[0]]])
    name = name.removeprefix("factors.").removeprefix("measures.")
    value_here, earlier_value = (_value_text(values[row], name, places) for row in (place, earlier))
    reason = (
        f"{shown(value_here)} here and {shown(earlier_value)} in {places.name(int(at[earlier]))}: "
        f'rows of one {" and ".join(keys)} must agree on {name} (or say take = "last", ... in the mapping)'
    )
    raise places.fault(int(at[place]), reason, source, at[wrong])


def _value_text(value: object, name: str, places: Places) -> str:
    """Return a value as a message shows it."""
    if isinstance(value, np.signedinteger):
        return places.vocabulary(name)[int(value)]
    if isinstance(value, np.floating) and _KINDS.get(name) == "integer":
        return str(int(value))
    return str(value)


def refuse_repeated(frame: Frame, keys: Sequence[str], what: str, places: Places) -> None:
    """Raise LogError if two rows have the same `keys`; a key that is not a code is called ``place``."""
    if are_distinct([frame[key] for key in keys]):
        return
    groups = grouped([frame[key] for key in keys])
    first = firsts(groups)
    wrong = np.flatnonzero(first[groups] != np.arange(len(groups)))
    at = frame["at"]
    place, earlier = int(wrong[0]), int(first[groups[wrong[0]]])
    value = ", ".join(f"{key} {shown(_value_text(frame[key][place], key, places))}" for key in keys)
    raise places.fault(int(at[place]), f"{value} is also in {places.name(int(at[earlier]))}; {what}", rows=at[wrong])
