"""What every result of a test shares: numbers that are never rounded, an interval type, a one-row frame, APA text."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.results.apa import bounded, decimals_apart, number, to_html
from negstats.stats.results.numbers import Number
from negstats.stats.results.options import check_share

# The sentence of many contrasts is cut here where a result is shown.
LONGEST = 600


def check_level(confidence_level: float) -> float:
    """Return the confidence level, or raise DesignError if it is not between 0 and 1."""
    return check_share("confidence_level", confidence_level, 0.95)


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Attributes
    ----------
    low, high : float
        The ends, in the unit of the estimate; -inf or inf where a side is open.
    confidence_level : float
        The confidence, such as 0.95.
    method : str
        How it was made: "t", "noncentral t", "Wilson", "bootstrap", ...

    Examples
    --------
    >>> 1.0 in Interval(0.56, 1.77)
    True
    >>> print(Interval(0.56, 1.77))
    95% CI [0.56, 1.77]
    """

    low: Number
    high: Number
    confidence_level: float = 0.95
    method: str = ""

    def __contains__(self, value: float) -> bool:
        return bool(np.all((np.asarray(self.low) <= value) & (value <= np.asarray(self.high))))

    def __str__(self) -> str:
        return self.apa() if np.ndim(self.low) == 0 else repr(self)

    def apa(self, digits: int = 2, *, is_bounded: bool = False) -> str:
        """Return the interval as APA style prints it.

        Parameters
        ----------
        digits
            Digits after the decimal point; more where these print ends alike that differ.
        is_bounded
            Whether the ends cannot exceed 1, and so have no leading zero.

        Returns
        -------
        str
            Such as ``95% CI [0.05, 0.55]``; of several intervals each.
        """
        if np.ndim(self.low):
            bounds = zip(np.ravel(self.low), np.ravel(self.high), strict=True)
            single_intervals = (dataclasses.replace(self, low=low, high=high) for low, high in bounds)
            return "; ".join(interval.apa(digits, is_bounded=is_bounded) for interval in single_intervals)
        digits_needed = decimals_apart(self.low, self.high, least=digits)
        write = bounded if is_bounded else number
        return (
            f"{100 * self.confidence_level:g}% CI [{write(self.low, digits_needed)}, {write(self.high, digits_needed)}]"
        )


class Result(ABC):
    """The result of a test. Subclasses are frozen dataclasses that hold unrounded numbers."""

    __slots__ = ()

    @abstractmethod
    def apa(self) -> str:
        """Return the result as a sentence of a paper prints it (APA 7). The only place where numbers are rounded."""

    def __repr__(self) -> str:
        """Return the sentence for the paper and the first rows of the frame; never an array in full."""
        try:
            sentence = self.apa()
        except DesignError:  # a stack of studies has no sentence
            sentence = "a stack of studies"
        table = self.to_frame()
        lines = [f"{type(self).__name__}: {sentence if len(sentence) <= LONGEST else sentence[:LONGEST] + ' ...'}"]
        if len(table) > 1:
            lines.append(table.to_string(max_rows=8, max_cols=8, index=False, float_format="{:.4g}".format))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        """Return the same for a notebook: the sentence with its symbols in italics, and the frame of several rows."""
        sentence, _, table = repr(self).partition("\n")
        name, _, text = sentence.partition(": ")
        frame = self.to_frame()
        rows = str(frame.head(8).to_html(index=False, border=0, float_format="{:.4g}".format)) if table else ""
        return f"<p>{name}: {to_html(text)}</p>{rows}"

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with one row a study (one row unless the summary was a stack) and fixed column names.

        A field that holds several numbers (such as two ns) becomes the columns ``name_1``, ``name_2``; an interval
        becomes ``name_low`` and ``name_high``. A field that the repr leaves out, such as the summary that a result
        keeps for its intervals, is not a column. ``attrs["schema"]`` names the class and the version of its columns.

        Returns
        -------
        DataFrame
            Numbers are not rounded; the columns are the fields of the result in their order.
        """
        columns: dict[str, object] = {}
        for field in dataclasses.fields(self):  # type: ignore[arg-type]
            if not field.repr:
                continue
            value = getattr(self, field.name)
            if isinstance(value, Interval):
                columns |= {f"{field.name}_low": value.low, f"{field.name}_high": value.high}
            elif isinstance(value, tuple):
                columns |= {f"{field.name}_{index}": element for index, element in enumerate(value, start=1)}
            else:
                columns[field.name] = value
        flat_columns = {
            name: np.ravel(value) if isinstance(value, np.ndarray) else value for name, value in columns.items()
        }
        rows = max((len(value) for value in flat_columns.values() if isinstance(value, np.ndarray)), default=1)
        return with_schema(pd.DataFrame(flat_columns, index=pd.RangeIndex(rows)), f"{type(self).__name__}/1")


def with_schema(frame: pd.DataFrame, schema: str) -> pd.DataFrame:
    """Return a frame that says the name and version of its columns, as ``attrs["schema"]``."""
    frame.attrs["schema"] = schema
    return frame


def study_frame(schema: str, labels: Mapping[str, Sequence[Any]], columns: Mapping[str, npt.ArrayLike]) -> pd.DataFrame:
    """Return one row a label; of a stack these rows for each study, which the column ``study`` counts.

    Parameters
    ----------
    schema
        Name and version of the frame's columns.
    labels
        What the rows are, such as their terms; columns of one length.
    columns
        Numbers that broadcast to ``(*studies, rows)``.

    Examples
    --------
    >>> study_frame("T/1", {"term": ["a", "b"]}, {"p": [[0.1, 0.2], [0.3, 0.4]]})["study"].tolist()
    [0, 0, 1, 1]
    """
    rows = len(next(iter(labels.values())))
    arrays = [np.asarray(column) for column in columns.values()]
    shape = np.broadcast_shapes((rows,), *(array.shape for array in arrays))
    studies = int(np.prod(shape[:-1], dtype=np.intp))
    flat_columns = {name: np.broadcast_to(array, shape).ravel() for name, array in zip(columns, arrays, strict=True)}
    frame = pd.DataFrame({name: list(values) * studies for name, values in labels.items()} | flat_columns)
    if len(shape) > 1:
        frame.insert(0, "study", np.repeat(np.arange(studies), rows))
    return with_schema(frame, schema)
