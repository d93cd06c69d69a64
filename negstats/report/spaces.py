"""Outcome spaces as a page draws them: distinct points with the Pareto frontier, thinned; games of one scenario share.

A space can be drawn for two seats whose values are known; for other games a sentence says why there is none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from negstats.errors import NegstatsError
from negstats.games import pareto_optimal
from negstats.metrics.spaces import read, spaces
from negstats.studies.study import Study

POINTS = 500  # of one space that are drawn
OUTCOMES = 200_000  # of one game that are listed

NO_VALUES = "The log does not say what the items are worth to each seat, so what was possible is not known."
NOT_DRAWN = (
    "What was possible in this game is not drawn: it needs two seats, values of all items for both, and at most "
    f"{OUTCOMES:,} outcomes."
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """Outcome spaces as JSON, the space of each game that has one, and why others have none."""

    texts: list[str] = field(default_factory=list)
    of_game: dict[str, int] = field(default_factory=dict)
    why: str = NOT_DRAWN


def drawn(study: Study, seats: Mapping[str, Sequence[str]]) -> Drawn:
    """Return the outcome spaces of a study's games for two; the first number of a point is the first seat's.

    Parameters
    ----------
    study
        The study.
    seats
        The names of each game's seats, in the order of ``players``.
    """
    values = _drawable(study.values)
    if values.empty:
        return Drawn(why=NOT_DRAWN if len(study.values) else NO_VALUES)
    result, places_by_points = Drawn(), dict[bytes, int]()
    try:
        for group in spaces(read(pa.Table.from_pandas(values, preserve_index=False))):
            if group.seats.shape[1] != 2:
                continue
            for game, names, utilities in zip(group.games, group.seats, group.utilities, strict=True):
                is_reversed = list(seats.get(game, ())) == list(names[::-1])
                points = np.ascontiguousarray(utilities[:, ::-1] if is_reversed else utilities)
                key = points.tobytes()
                if key not in places_by_points:
                    places_by_points[key] = len(result.texts)
                    result.texts.append(_text(points))
                result.of_game[str(game)] = places_by_points[key]
    except NegstatsError as error:  # seats that disagree: the rest of the page must not fail for it
        return Drawn(why=f"What was possible is not drawn: {error}.")
    return result


def _drawable(values: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of games whose outcomes can be listed: whole counts, and not too many of them."""
    if values.empty:
        return values
    divisible = values["option"].isna()
    counts = values["available"].where(divisible, 0.0)
    bad = divisible & ~((counts >= 0) & (counts == counts.round()))
    issues = values.assign(count=counts).drop_duplicates(["game_id", "item", "option"])
    units = issues["count"].where(issues["option"].isna(), 0.0)
    ways = pd.Series(np.log1p(units.to_numpy())).groupby(issues["game_id"].to_numpy()).sum()
    option_counts = issues[issues["option"].notna()].groupby(["game_id", "item"]).size()
    if len(option_counts):
        options = pd.Series(np.log(option_counts.to_numpy()), index=option_counts.index).groupby(level=0).sum()
        ways = ways.add(options, fill_value=0.0)
    large = ways.index[ways > np.log(OUTCOMES)]
    return values[~values["game_id"].isin(large) & ~values["game_id"].isin(values.loc[bad, "game_id"])]


def thinned(
    points: npt.NDArray[np.float64], most: int = POINTS
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the distinct points of two utilities and which are Pareto optimal; of too many, evenly spread others go.

    Examples
    --------
    >>> points, optimal = thinned(np.array([[3.0, 0.0], [2, 2], [2, 2], [1, 1], [0, 3]]))
    >>> points[optimal].tolist()
    [[0.0, 3.0], [2.0, 2.0], [3.0, 0.0]]
    """
    return _thin(np.unique(points, axis=0), most)


def _thin(distinct: npt.NDArray[np.float64], most: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    optimal = pareto_optimal(distinct)
    others = np.flatnonzero(~optimal)
    room = max(most - int(optimal.sum()), 0)
    if len(others) > room:
        sample = others[np.linspace(0, len(others) - 1, room).round().astype(int)] if room else others[:0]
        places = np.sort(np.concatenate([np.flatnonzero(optimal), sample]))
        return distinct[places], optimal[places]
    return distinct, optimal


def _text(points: npt.NDArray[np.float64]) -> str:
    distinct = np.unique(points, axis=0)
    thinned_points, optimal = _thin(distinct, POINTS)
    all_of_them: dict[str, Any] = {
        "p": _short(thinned_points),
        "f": np.flatnonzero(optimal).tolist(),
        "n": len(points),
        "d": len(distinct),
    }
    return json.dumps(all_of_them, separators=(",", ":"))


def _short(points: npt.NDArray[np.float64]) -> list[list[float | int]]:
    """Return the points with six digits, whole numbers without a point."""
    whole = points.round()
    if (whole == points).all() and (np.abs(whole) < 1e6).all():
        whole_numbers: list[list[float | int]] = whole.astype(int).tolist()
        return whole_numbers
    texts = ((f"{one:.6g}", f"{other:.6g}") for one, other in points)
    return [[int(short) if (short := float(text)).is_integer() else short for text in pair] for pair in texts]
