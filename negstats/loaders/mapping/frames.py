"""Rows as plain arrays: texts as whole-number codes of a vocabulary, so that rows are joined and compared as numbers.

A frame is a dict of arrays of one length. What is missing is -1 among codes, NaN among numbers and NaT among times.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from negstats.loaders.files.columns import Texts, chosen
from negstats.tables import text_array

Array: TypeAlias = npt.NDArray[Any]
Codes: TypeAlias = npt.NDArray[np.int32]
Mask: TypeAlias = npt.NDArray[np.bool_]
Frame: TypeAlias = dict[str, Array]


@dataclass(slots=True)
class Vocabulary:
    """Texts that occur in a log under one name, each with its code.

    Examples
    --------
    >>> seats = Vocabulary()
    >>> seats.add(pa.array(["buyer", "seller", "buyer"])).tolist()
    [0, 1, 0]
    >>> seats.texts(np.array([1, -1])).to_pylist()
    ['seller', None]
    """

    words: Texts = None

    def add(self, texts: Texts) -> Codes:
        """Return the codes of these texts, which become known where they are not yet."""
        coded_texts = pc.cast(texts, pa.large_string()).dictionary_encode()
        if self.words is None or not len(self.words):
            self.words = coded_texts.dictionary
            code_of_word = np.arange(len(self.words), dtype=np.int32)
        else:
            word_places = pc.index_in(coded_texts.dictionary, value_set=self.words)
            new = word_places.is_null()
            code_of_word = word_places.fill_null(-1).to_numpy().astype(np.int32)
            fresh = coded_texts.dictionary.filter(new)
            code_of_word[code_of_word < 0] = np.arange(len(self.words), len(self.words) + len(fresh), dtype=np.int32)
            self.words = pa.concat_arrays([self.words, fresh])
        codes = coded_texts.indices.fill_null(-1).to_numpy()
        return (
            np.where(codes < 0, np.int32(-1), code_of_word[codes])
            if len(code_of_word)
            else np.full(len(codes), -1, np.int32)
        )

    def code(self, text: str) -> int:
        """Return the code of a text, which becomes known if it is not yet."""
        return int(self.add(text_array([text]))[0])

    def texts(self, codes: Array) -> Texts:
        """Return the texts of these codes."""
        return chosen(pa.array([], pa.large_string()) if self.words is None else self.words, codes)

    def __len__(self) -> int:
        """Return how many texts are known."""
        return 0 if self.words is None else len(self.words)

    def __getitem__(self, code: int) -> str:
        """Return the text of a code."""
        return str(self.words[int(code)].as_py())


def absent(values: Array) -> Mask:
    """Return where values are missing."""
    is_absent: Mask = (
        values < 0 if values.dtype.kind == "i" else np.isnan(values) if values.dtype.kind == "f" else (np.isnat(values))
    )
    return is_absent


def nothing(dtype: npt.DTypeLike, length: int) -> Array:
    """Return missing values of a type."""
    kind = np.dtype(dtype)
    value: Any = {"i": -1, "f": np.nan}.get(kind.kind, np.datetime64("NaT", "us"))
    return np.full(length, value, dtype=kind)


def picked(frame: Frame, which: Array) -> Frame:
    """Return some rows of a frame: those that a mask keeps, or at these positions."""
    if which.dtype == bool and which.all():
        return frame
    return {name: values[which] for name, values in frame.items()}


def stacked(frames: Iterable[Frame]) -> Frame:
    """Put frames below each other; a column that one of them lacks is missing there."""
    frame_list = list(frames)
    if len(frame_list) == 1:
        return frame_list[0]
    types = {name: values.dtype for frame in frame_list for name, values in frame.items()}
    sizes = [len(next(iter(frame.values()))) for frame in frame_list]
    return {
        name: np.concatenate(
            [frame.get(name, nothing(dtype, size)) for frame, size in zip(frame_list, sizes, strict=True)]
        )
        for name, dtype in types.items()
    }


def grouped(columns: Sequence[Array]) -> Array:
    """Return for each row the number of its group, groups counted in order of appearance; -1 is a value too.

    Examples
    --------
    >>> grouped([np.array([7, 7, 3, 7]), np.array([0, 1, 0, 0])]).tolist()
    [0, 1, 2, 0]
    """
    return pd.factorize(packed(columns))[0]


def packed(columns: Sequence[Array]) -> Array:
    """Return one whole number for each row, equal for rows that are equal; -1 is a value too.

    Examples
    --------
    >>> packed([np.array([7, 7, 3, 7]), np.array([0, 1, 0, 0])]).tolist()
    [14, 15, 6, 14]
    """
    numbers, size = _whole_numbers(columns[0])
    for column in columns[1:]:
        codes, width = _whole_numbers(column)
        if size * width > _LARGEST:  # of each as many numbers as there are rows, at the most
            numbers, codes = pd.factorize(numbers)[0], pd.factorize(codes)[0]
            size = width = len(numbers)
        numbers *= width
        numbers += codes
        size *= width
    return numbers


_LARGEST = 2**62


def _whole_numbers(values: Array) -> tuple[Array, int]:
    """Return values as whole numbers from 0, and a number that is larger than all of them."""
    codes = values.astype(np.int64) if values.dtype.kind == "i" else pd.factorize(values)[0]
    codes -= min(int(codes.min(initial=0)), 0)
    return codes, int(codes.max(initial=0)) + 1


def are_distinct(columns: Sequence[Array]) -> bool:
    """Whether no two rows are equal."""
    in_order = packed(columns)
    in_order.sort()
    return bool((in_order[1:] != in_order[:-1]).all())


def firsts(groups: Array) -> Array:
    """Return the position of the first row of each group; groups are numbered in order of appearance."""
    size = int(groups.max()) + 1 if len(groups) else 0
    return cumulative(groups, np.arange(len(groups)), size)


def cumulative(groups: Array, positions: Array, size: int) -> Array:
    """Return for each group the first of `positions`, which rise; -1 for a group that has none."""
    last_positions = np.full(size, -1, dtype=np.int64)
    last_positions[groups[::-1]] = positions[::-1]
    return last_positions
