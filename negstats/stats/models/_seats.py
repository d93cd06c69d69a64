"""Long frames of pairs, one row a person, brought to the moments of seat 1 and seat 2 side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.summaries import Moments
from negstats.stats.summaries.frames import as_pandas, check_columns, level_codes


def seats(
    data: Any, columns: Sequence[str | None], pair: str | None, role: str | None
) -> tuple[Moments, tuple[str, ...]]:
    """Return `Moments` of each variable in seat 1 and seat 2, side by side, and the roles' names."""
    if isinstance(data, Moments):
        return data, ()
    names = [name for name in columns if name is not None]
    if pair is None or len(names) < len(columns) or not names:
        raise DesignError(
            "with a frame name the measured columns, and pair=, the column that says who belongs together"
        )
    keys = [pair, *([role] if role is not None else [])]
    check_columns(data, [*names, *keys], "the measured columns, pair and role")
    rows = as_pandas(data, [*names, *keys])
    rows = rows[rows[keys].notna().all(axis=1)]
    n_single = 0
    if role is not None or not _come_in_pairs(rows[pair].to_numpy()):
        rows, n_single = _select_pairs(rows, pair, keys)
    if rows.empty:
        raise DesignError(f"no {pair!r} has two rows; one row is one person")
    roles: tuple[str, ...] = ()
    if role is not None:
        codes, levels, _ = level_codes(rows[role])
        if len(levels) != 2 or not (codes.reshape(-1, 2) == [0, 1]).all():
            raise DesignError(
                f"role names {role!r} with {len(levels)} levels; each pair needs one person in each of two"
            )
        roles = tuple(map(str, levels))
    wide = {f"{name} {seat + 1}": rows[name].to_numpy()[seat::2] for name in names for seat in (0, 1)}
    moments = Moments.from_columns(pd.DataFrame(wide), list(wide))
    return replace(moments, missing=moments.missing + n_single), roles


def _come_in_pairs(values: npt.NDArray[Any]) -> bool:
    """Whether rows are two of each pair below each other, in order: then nothing is to be counted or sorted."""
    if values.dtype.kind not in "iu" or len(values) % 2:
        return False
    firsts, seconds = values[::2], values[1::2]
    return bool((firsts == seconds).all() and (firsts[1:] > firsts[:-1]).all())


def _select_pairs(rows: pd.DataFrame, pair: str, keys: Sequence[str]) -> tuple[pd.DataFrame, int]:
    """Return the rows of whole pairs in the order of the keys, and how many rows have no partner."""
    size = rows.groupby(pair, sort=False, observed=True)[pair].transform("size")
    if (size > 2).any():
        raise DesignError(
            f"the pair {shown(rows.loc[size > 2, pair].iloc[0])} has {int(size.max())} rows; a pair has two"
        )
    return rows[size == 2].sort_values(list(keys), kind="stable"), int((size == 1).sum())
