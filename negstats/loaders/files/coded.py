"""Columns of text as codes: each distinct text is read once, however many rows hold it.

A table of a hundred thousand people has the same few seats, rounds and answers in every row. What a text says, or what
is wrong with it, is found by the reader of a single cell (`negstats.loaders.files.cells.Row`); the rows follow by code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import LogError
from negstats.loaders.files.cells import Row
from negstats.loaders.files.columns import Places, Texts, chosen
from negstats.loaders.files.tabular import is_coded, joined

Fault: TypeAlias = Callable[[int, str], LogError]  # the error for a place of the column and what is wrong there
Numbers: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Times: TypeAlias = npt.NDArray[np.datetime64]
Value = TypeVar("Value")
_SIZES = (np.int8, np.int16, np.int32)


@dataclass(frozen=True, slots=True)
class Coded:
    """A column of text.

    Attributes
    ----------
    codes : array of int
        For each row the place of its text in `words`, -1 where the cell is empty or white space.
    words : pyarrow array
        The distinct texts.

    Examples
    --------
    >>> column = Coded.of(pa.array(["4", " ", "10", "4"], pa.large_string()))
    >>> column.codes.tolist(), column.texts().to_pylist()
    ([0, -1, 1, 0], ['4', None, '10', '4'])
    >>> column.numbers(lambda place, reason: LogError(reason, row=place)).tolist()
    [4.0, nan, 10.0, 4.0]
    """

    codes: npt.NDArray[Any]
    words: Texts

    @classmethod
    def of(cls, column: Texts) -> Coded:
        """Return a column of a table as codes."""
        encoded = column if is_coded(column) else joined([column]).dictionary_encode()
        words = encoded.dictionary.cast(pa.large_string())
        codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
        blank = pc.equal(pc.binary_length(pc.utf8_trim_whitespace(words)), 0).to_numpy(zero_copy_only=False)
        if blank.any():
            places = np.append(np.where(blank, -1, np.cumsum(~blank) - 1), -1)
            codes, words = places[codes], words.filter(pa.array(~blank))
        return cls(_narrow(codes, len(words)), words)

    @classmethod
    def absent(cls, length: int) -> Coded:
        """Return a column without values."""
        return cls(np.full(length, -1, dtype=np.int8), pa.array([], pa.large_string()))

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.codes)

    def take(self, rows: Places) -> Coded:
        """Return the rows at these places."""
        return Coded(self.codes[rows], self.words)

    @property
    def filled(self) -> Places:
        """The places of the cells that hold something."""
        return np.flatnonzero(self.codes >= 0)

    def text(self, place: int) -> str:
        """Return the text of a cell that has one."""
        text: str = self.words[int(self.codes[place])].as_py()
        return text

    def texts(self) -> Texts:
        """Return the column as text, missing where a cell is empty."""
        return chosen(self.words, self.codes)

    def stripped(self) -> Coded:
        """Return the column without white space around its texts."""
        return self._spelled(pc.utf8_trim_whitespace(self.words))

    def alike(self) -> Coded:
        """Return the column with one spelling for each number: 1 and 1.0 say the same.

        Examples
        --------
        >>> Coded.of(pa.array(["1", "1.0", "one"], pa.large_string())).alike().codes.tolist()
        [0, 0, 1]
        """
        return self._spelled(pa.array([_number_or_text(word) for word in self.words.to_pylist()], pa.large_string()))

    def _spelled(self, words: Texts) -> Coded:
        """Return the column with other words in the place of its own; some may have become the same."""
        if words.equals(self.words):
            return self
        encoded = words.dictionary_encode()
        return Coded(np.append(encoded.indices.to_numpy(), -1)[self.codes], encoded.dictionary)

    def values(self, read: Callable[[Row, str], Value | None], fault: Fault) -> list[Value | None]:
        """Return what each word says, as `read` has it of one cell; None for words that no row holds.

        Raises
        ------
        LogError
            By `fault`, for the first row whose text is not what it should be.
        """
        values: list[Value | None] = [None] * len(self.words)
        reasons: dict[int, str] = {}
        is_used = np.zeros(len(self.words) + 1, dtype=bool)
        is_used[self.codes] = True
        for place, word in enumerate(self.words.to_pylist()):
            if is_used[place]:
                try:
                    values[place] = read(Row(_NOWHERE, 0, {"": word}), "")
                except LogError as error:
                    reasons[place] = error.reason
        if reasons:
            at = int(np.isin(self.codes, list(reasons)).argmax())
            raise fault(at, reasons[int(self.codes[at])])
        return values

    def numbers(self, fault: Fault) -> Numbers:
        """Return the numbers that the cells say, NaN where there is none."""
        of_rows: Numbers = np.array([*self.values(Row.number, fault), None], dtype=np.float64)[self.codes]
        return of_rows

    def wholes(self, fault: Fault, missing: int = 0) -> Places:
        """Return the whole numbers that the cells say, `missing` where there is none."""
        values = [missing if value is None else value for value in self.values(Row.whole, fault)]
        of_rows: Places = np.array([*values, missing], dtype=np.int64)[self.codes]
        return of_rows

    def truths(self, fault: Fault) -> Places:
        """Return 1 for true and 0 for false, -1 where a cell says neither."""
        values = [-1 if value is None else int(value) for value in self.values(Row.truth, fault)]
        of_rows: Places = np.array([*values, -1], dtype=np.int64)[self.codes]
        return of_rows

    def times(self, fault: Fault) -> Times:
        """Return times in UTC, NaT where there is none."""
        values = [None if time is None else time.replace(tzinfo=None) for time in self.values(Row.time, fault)]
        of_rows: Times = np.array([*values, None], dtype="datetime64[us]")[self.codes]
        return of_rows


_NOWHERE = Path()


def _number_or_text(word: str) -> str:
    try:
        return repr(float(word))
    except ValueError:
        return word


def _narrow(codes: npt.NDArray[Any], n_words: int) -> npt.NDArray[Any]:
    """Return codes in the smallest integers that hold them: most columns have few texts."""
    return codes.astype(next((size for size in _SIZES if n_words <= np.iinfo(size).max), np.int64))


def below(columns: Sequence[Coded]) -> Coded:
    """Return columns below each other as one.

    Examples
    --------
    >>> seats = [Coded.of(pa.array(texts, pa.large_string())) for texts in (["1", "2"], ["2", ""])]
    >>> below(seats).texts().to_pylist()
    ['1', '2', '2', None]
    """
    if len(columns) == 1:
        return columns[0]
    encoded = pa.chunked_array([column.words for column in columns], pa.large_string()).combine_chunks()
    encoded = encoded.dictionary_encode()
    places, start, codes = encoded.indices.to_numpy(), 0, []
    for column in columns:
        own = np.append(places[start : start + len(column.words)], -1)
        codes.append(own[column.codes])
        start += len(column.words)
    return Coded(_narrow(np.concatenate(codes), len(encoded.dictionary)), encoded.dictionary)
