"""The cells of a column of a log as Arrow text: codes and words, numbers, and what means missing."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from negstats.key_codes import run_starts
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.tabular import is_coded

Codes: TypeAlias = npt.NDArray[np.int32]
_WHOLE = r"^([+-]?\d+)\.0+$"
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?"  # as it may be typed in a log


def code_cells(cells: Texts) -> tuple[Codes, Texts]:
    """Return codes and words of cells, words in order of appearance; rows of one game as a rule stand together."""
    if is_coded(cells):
        return codes_of(cells), cells.dictionary
    starts = run_starts(cells)
    coded_cells = (cells if starts is None else cells.take(pa.array(starts))).dictionary_encode()
    codes = coded_cells.indices.fill_null(-1).to_numpy()
    words = pc.cast(coded_cells.dictionary, pa.large_string())
    return codes if starts is None else np.repeat(codes, np.diff(starts, append=len(cells))), words


def codes_of(cells: Texts) -> Codes:
    """Return the codes of cells that are held so, -1 where a cell is missing."""
    codes: Codes = cells.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32)
    return codes


def is_number(column: Texts) -> bool:
    """Whether a column holds numbers, and no text."""
    return bool(pa.types.is_floating(column.type) or pa.types.is_integer(column.type))


def _is_solid(cells: Texts) -> bool:
    """Whether the cells hold only ASCII characters that are not white space, as most columns of a log do."""
    data = cells.buffers()[2]
    if cells.offset or data is None or not len(data):
        return False
    codes = np.frombuffer(data, dtype=np.uint8)
    return bool(codes.min() > ord(" ") and codes.max() < 0x7F)


def _has_empty(cells: Texts) -> bool:
    """Whether a cell of a whole array of text holds no character; one that is missing may count as such."""
    ends = np.frombuffer(cells.buffers()[1], dtype=np.int64 if pa.types.is_large_string(cells.type) else np.int32)
    return bool((ends[1 : len(cells) + 1] == ends[: len(cells)]).any())


def drop_missing(cells: Texts, missing: frozenset[str], *, blank: bool) -> Texts:
    """Return cells without those that mean missing, and without blank ones; numbers are compared as numbers."""
    if is_coded(cells):
        is_kept = drop_missing(cells.dictionary, missing, blank=blank).is_valid().to_numpy(zero_copy_only=False)
        if is_kept.all():
            return cells
        codes = np.append(np.where(is_kept, np.cumsum(is_kept) - 1, -1), -1)[codes_of(cells)]
        indices = pa.array(codes, pa.int32(), mask=codes < 0)
        return pa.DictionaryArray.from_arrays(indices, cells.dictionary.filter(pa.array(is_kept)))
    is_solid = _is_solid(cells)
    if is_solid and not missing and not (blank and _has_empty(cells)):
        return cells
    bare_cells = cells if is_solid else pc.utf8_trim_whitespace(cells)
    is_missing = pc.equal(pc.binary_length(bare_cells), 0) if blank else pa.scalar(False)
    if missing:
        is_missing = pc.or_(is_missing, pc.is_in(bare_cells, value_set=pa.array(sorted(missing), bare_cells.type)))
        numbers = [value for value in read_numbers(pa.array(sorted(missing))) if np.isfinite(value)]
        if numbers:
            coded_cells = bare_cells.dictionary_encode()
            is_number_missing = np.append(np.isin(read_numbers(coded_cells.dictionary), numbers), False)[
                coded_cells.indices.fill_null(-1).to_numpy()
            ]
            is_missing = pc.or_(is_missing, pa.array(is_number_missing))
    return pc.if_else(is_missing, pa.scalar(None, cells.type), cells) if pc.any(is_missing).as_py() else cells


def read_numbers(words: Texts) -> npt.NDArray[np.float64]:
    """Return the words' numbers, NaN where one is none."""
    spelled = pc.replace_substring_regex(words, r"^\+", "")
    number_texts = pc.if_else(pc.match_substring_regex(words, f"^(?:{_NUMBER})$"), spelled, pa.scalar(None, words.type))
    values: npt.NDArray[np.float64] = pc.cast(number_texts, pa.float64()).to_numpy(zero_copy_only=False)
    return values


def tidied(codes: Codes, words: Texts) -> tuple[Codes, Texts]:
    """Return words without outer space and 3.0 as 3, each once."""
    if _is_solid(words) and b"." not in words.buffers()[2].to_pybytes():
        return codes, words
    tidy = pc.replace_substring_regex(pc.utf8_trim_whitespace(words), _WHOLE, r"\1")
    if tidy.equals(words):
        return codes, words
    coded_words = tidy.dictionary_encode()
    return _looked_up(coded_words.indices.to_numpy(), codes), coded_words.dictionary


def _looked_up(table: Codes, codes: Codes) -> Codes:
    """Return what stands in `table` for each code, -1 where there is none."""
    if np.array_equal(table, np.arange(len(table))):
        return codes
    return np.append(table, -1).astype(np.int32)[codes]


def gathered(values: pl.Series, codes: Codes) -> pl.Series:
    """Return the value of each code, missing where there is none."""
    return values.gather(pl.Series(pa.array(codes, mask=codes < 0)))
