"""What measures of agreement take: one row a unit and one column a rater, or one row a rating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.relations._data import as_frame
from negstats.stats.summaries.codes import Codes, whole_codes
from negstats.stats.summaries.frames import level_codes, level_order


def wide(data: Any, raters: str | Sequence[str], unit: str | None, value: str | None) -> pd.DataFrame:
    """Return ratings with one row a unit and one column a rater.

    Parameters
    ----------
    raters
        The raters' columns; or, of a frame with one row a rating, the column that names the rater.
    unit, value
        Then the columns of the unit that was rated and of the rating.

    Raises
    ------
    DesignError
        If columns are not there, there is one rater, or a rater rated a unit twice.
    """
    if unit is None and value is None:
        if isinstance(raters, str) or len(raters) < 2:
            raise DesignError(f"raters is {shown(raters)}; name two columns or more, or give unit= and value= as well")
        return as_frame(data, list(raters), "raters")
    if unit is None or value is None or not isinstance(raters, str):
        raise DesignError("with one row per rating, raters, unit and value name one column each; give all three")
    frame = as_frame(data, [unit, raters, value], "raters, unit and value").dropna()
    twice = frame.duplicated([unit, raters])
    if twice.any():
        row = frame[twice].iloc[0]
        raise DesignError(
            f"{shown(_own(row[raters]))} rated {unit} {shown(_own(row[unit]))} twice; keep one rating of each"
        )
    table = frame.set_index([unit, raters])[value].unstack(raters)  # noqa: PD010 - ratings are not numbers to pool
    if table.shape[1] < 2:
        raise DesignError(f"{raters!r} has one rater; agreement takes two or more")
    return table.set_axis([str(name) for name in table.columns], axis=1)


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Ratings as codes: shape ``(units, raters)``, −1 where a rater did not rate; and what the codes stand for."""

    codes: npt.NDArray[np.signedinteger[Any]]
    values: tuple[Any, ...]
    raters: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The values as text."""
        return tuple(map(str, self.values))

    @classmethod
    def of(
        cls,
        data: Any,
        raters: str | Sequence[str],
        unit: str | None,
        value: str | None,
        categories: Sequence[Any] | None,
    ) -> Ratings:
        """Code the ratings of a frame; `categories` give the values' order, and those that nobody used.

        Raises
        ------
        DesignError
            If a rating is not among the categories.
        NotEstimable
            If there is no rating.
        """
        table = wide(data, raters, unit, value)
        codes_by_rater = [_code_ratings(table[name]) for name in table.columns]
        if categories is None:
            categories = _select_found(table, [distinct for _, distinct in codes_by_rater])
        if len(set(categories)) < len(categories):
            raise DesignError(f"categories has a category twice: {shown(list(categories))}")
        places = {one: place for place, one in enumerate(categories)}
        # As small as they can be: many ratings are few categories, and writing the codes is what takes time.
        codes = np.empty(table.shape, dtype=np.min_scalar_type(-1 - len(places)), order="F")
        for column, (name, (own, distinct)) in enumerate(zip(table.columns, codes_by_rater, strict=True)):
            for category in distinct:
                if category not in places:
                    raise DesignError(
                        f"{name!r} rated {shown(_own(category))}; {meant(category, places, 'the categories are')}"
                    )
            order = [places[category] for category in distinct]
            codes[:, column] = own if order == list(range(len(order))) else np.array([*order, -1])[own]
        if codes.max(initial=-1) < 0:
            raise NotEstimable("there is no rating")
        return cls(codes, tuple(categories), tuple(map(str, table.columns)))


def _code_ratings(column: pd.Series) -> tuple[Codes, npt.NDArray[Any]]:
    """Return the code of each rating, −1 where it is missing, and what the codes stand for.

    Numbers are told apart as they are, in a tenth of the time; anything else as objects.
    """
    numeric = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf"
    values = np.asarray(column.to_numpy() if numeric else column.to_numpy(dtype=object))
    codes_and_values = whole_codes(values)
    if codes_and_values is not None:
        return codes_and_values
    codes, distinct = pd.factorize(values)
    return codes, np.asarray(distinct)


def _own(value: Any) -> Any:
    """Return numpy's numbers as Python's, which is how people write them."""
    return value.item() if isinstance(value, np.generic) else value


def _select_found(table: pd.DataFrame, distinct: Sequence[npt.NDArray[Any]]) -> list[Any]:
    """Return the values that occur, of the distinct ones of columns: in a categorical's order, else the natural one."""
    first = table.iloc[:, 0]
    if isinstance(first.dtype, pd.CategoricalDtype):
        return level_codes(first)[1]
    return level_order(list(dict.fromkeys(_own(one) for column in distinct for one in column)))
