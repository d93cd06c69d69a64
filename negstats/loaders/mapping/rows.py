"""The rows of one part of a log, across all its files, and typed access to what a mapping's source names in them.

A row is called by its place in the whole log, so that a fault found at any later stage can still be told by file and
row. Columns stay Arrow text; what a source names in them comes out as a series of polars, missing where it is null.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import LogError, meant, shown
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.literals import read_moment
from negstats.loaders.files.tabular import Table, as_text, is_coded, joined, spelled
from negstats.loaders.mapping import patterns
from negstats.loaders.mapping.cells import (
    Codes,
    code_cells,
    codes_of,
    drop_missing,
    gathered,
    is_number,
    read_numbers,
    tidied,
)
from negstats.loaders.mapping.model import LEVELS, Atom, Mapping, Part, Source, Where
from negstats.loaders.reading.spellings import NO, YES, known_as
from negstats.tables import Kind, text_array

_LARGEST_INTEGER = 2.0**53
_LONG = 250_000  # rows
_OF_DAY = r"\d{1,3}:\d{2}:\d{2}([.]\d+)?"  # hours, minutes and seconds
_MILLISECONDS = 1e11  # a Unix time beyond this is not in seconds: they reach it in the year 5138
_BOOLEAN = {"1": "true", "true": "true", "yes": "true", "0": "false", "false": "false", "no": "false"}
_YES_NO = dict.fromkeys(YES, "yes") | dict.fromkeys(NO, "no")
_SEATS = frozenset({"player", "proposer", "responder", "sender", "receiver"})
Schema: TypeAlias = dict[str, pl.DataType | type[pl.DataType]]
Mask: TypeAlias = npt.NDArray[np.bool_]


class RowError(LogError):
    """A fault in a row; `rows` are the places of all that have it, `games` the names of theirs, of so many in all."""

    games: tuple[str, ...] = ()
    of: int = 0

    def __init__(
        self, reason: str, rows: pl.Series, file: Path, row: int | None = None, column: str | None = None
    ) -> None:
        self.rows = rows
        super().__init__(reason, file=file, row=row, column=column)


class SourceError(RowError):
    """A fault in what a key of the mapping names; `key` is its place in the mapping file."""

    def __init__(
        self,
        reason: str,
        source: Source,
        file: Path,
        row: int | None = None,
        column: str | None = None,
        *,
        rows: pl.Series,
    ) -> None:
        self.key = source.key
        super().__init__(f"{reason} (the mapping's {source.key})", rows, file, row, column or source.column)


@dataclass(slots=True)
class Places:
    """Where each row of the log stands, its file and its row there; and the game that it names.

    `names` are the names of the games, by which these are numbered, and `named` holds rows by their places, ``at``,
    with the numbers. `text` is the type of the log's words: it keeps each of them once, as long as the log is read.
    """

    intake: Intake
    tables: list[Table] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    size: int = 0
    left_out: set[int] = field(default_factory=set)
    names: Texts = field(default_factory=lambda: text_array([]))
    named: list[pl.DataFrame] = field(default_factory=list)
    text: pl.Categorical = field(default_factory=lambda: pl.Categorical(pl.Categories.random()))

    def add(self, table: Table) -> None:
        """Append the rows of a file."""
        self.tables.append(table)
        self.starts.append(self.size)
        self.size += len(table.rows)

    def release_memory(self) -> None:
        """Give back what Arrow has freed, where the log is long: what a short one frees is at once needed again."""
        if self.size > _LONG:
            pa.default_memory_pool().release_unused()

    def at(self, place: int) -> tuple[Path, int]:
        """Return the file of a row and its row there."""
        one = bisect_right(self.starts, place) - 1
        return self.tables[one].file, int(self.tables[one].rows[place - self.starts[one]])

    def games_of(self, rows: pl.Series) -> tuple[str, ...]:
        """Return the games that rows belong to; none if the game of one of them is not known."""
        of_rows = [named.filter(pl.col("at").is_in(rows.implode()))["game_id"] for named in self.named]
        games = pl.concat([pl.Series("game_id", dtype=pl.UInt32), *of_rows])
        is_known = len(games) == rows.n_unique() and not games.null_count()
        return tuple(map(self.game, games.unique().sort())) if is_known else ()

    def in_order(self, of_games: list[Lines]) -> list[Lines]:
        """Return rows of games, these numbered in the order in which the rows name them."""
        numbers = [lines.rows["game_id"] for lines in of_games]
        every = pl.int_range(len(self.names), dtype=pl.UInt32, eager=True)
        order = pl.concat([*numbers, every]).unique(maintain_order=True)
        if order.is_sorted():
            return of_games
        self.names, new_numbers = self.names.take(order.to_arrow()), order.arg_sort()
        renumbered = new_numbers.gather
        self.named = [named.with_columns(game_id=renumbered(named["game_id"])) for named in self.named]
        return [lines.having(game_id=renumbered(lines.rows["game_id"])) for lines in of_games]

    def game(self, number: int) -> str:
        """Return the name of a game."""
        return str(self.names[number])

    def fault(self, at: int, reason: str, source: Source | None = None, rows: pl.Series | None = None) -> RowError:
        """Return the error for a fault in the row at `at`, in what `source` names if it is that."""
        (file, row), every = self.at(at), pl.Series([at]) if rows is None else rows
        return SourceError(reason, source, file, row, rows=every) if source else RowError(reason, every, file, row)

    def name(self, at: int) -> str:
        """Return the row at `at` as a message names it."""
        file, row = self.at(at)
        return f"row {row} of {self.intake.name(file)}"

    def leave_out(self, rows: pl.Series, reason: str) -> None:
        """Note that these rows are not kept; a row is counted once, for the first reason."""
        for at in rows.to_list():
            if at not in self.left_out:
                self.left_out.add(at)
                self.intake.leave_out(*self.at(at), reason)


@dataclass(frozen=True, slots=True)
class Lines:
    """The rows of one part: `columns` holds the log's columns that the mapping names, as text.

    `rows` are those that are looked at: their places in the log, ``at``, and what is known of each (`having`);
    `positions` is where they stand in the columns; None is all.
    """

    part: Part
    mapping: Mapping
    places: Places
    rows: pl.DataFrame
    columns: dict[str, Texts]
    positions: pl.Series | None = None
    coded: dict[object, tuple[Codes, Texts]] = field(default_factory=dict, compare=False, repr=False)
    texts: dict[object, pl.Series] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, part: Part, mapping: Mapping, places: Places, tables: list[Table], *, give_up: bool = False) -> Lines:
        """Put the rows of several files below each other; `give_up` takes the columns out of the tables.

        Raises
        ------
        LogError
            If a file lacks a column that the mapping names; tells the key and the file's nearest column.
        """
        start = places.size
        sources_by_column = {name: source for source in part.sources() for name in source.columns}
        for table in tables:
            for name, source in sources_by_column.items():
                if name not in table.names:
                    hint = meant(name, table.names, "it has")
                    reason = f"the log has no such column; {hint}"
                    raise SourceError(reason, source, table.file, column=name, rows=_NO_ROWS)
            places.add(table)
        columns = {}
        for name in sources_by_column:
            cells = [table.cells.pop(name) if give_up else table.cells[name] for table in tables]
            column = cells[0] if len(cells) == 1 and is_coded(cells[0]) else joined(cells, numbers=True)
            del cells
            columns[name] = column if is_number(column) else drop_missing(column, part.missing, blank=True)
        rows = pl.DataFrame({"at": pl.int_range(start, places.size, eager=True)})
        return cls(part, mapping, places, rows, columns)

    def only(self, mask: pl.Series) -> Lines:
        """Return the rows for which `mask` is true."""
        if mask.sum() == len(mask):
            return self
        positions = pl.int_range(len(mask), eager=True) if self.positions is None else self.positions
        return replace(self, rows=self.rows.filter(mask), positions=positions.filter(mask), coded={}, texts={})

    def but(self, mask: pl.Series, reason: str) -> Lines:
        """Return the rows for which `mask` is not true; the others are left out and counted."""
        self.places.leave_out(self.at.filter(mask), reason)
        return self.only(~mask)

    def having(self, **columns: pl.Series) -> Lines:
        """Return the same rows, of which more is known."""
        return replace(self, rows=self.rows.with_columns(**columns))

    @property
    def at(self) -> pl.Series:
        """The places of the rows in the log."""
        return self.rows["at"]

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self.rows)

    def none(self, kind: pl.DataType | None = None) -> pl.Series:
        """Return a series with nothing in any row: of words, or of another type."""
        return pl.Series(dtype=kind or self.places.text).clear(len(self))

    def any_of(self, sources: Iterable[Source]) -> pl.Series:
        """Return for each row whether any of the `sources` says something; a constant does not."""
        has_value = np.zeros(len(self), dtype=bool)
        for source in {source.cells: source for source in sources if source.columns}.values():
            for name in source.columns:
                has_value |= self._numbers_or_cells(name, source).is_valid().to_numpy(zero_copy_only=False)
        return pl.Series(has_value)

    def column(self, source: Source, kind: Kind) -> pl.Series:
        """Return what `source` gives, as values of a kind, levels spelled as they should be.

        Raises
        ------
        LogError
            Naming file, row, column and value: no number, no date, a spelling that stands for no level.
        """
        return _AS[kind](self, source)

    def text(self, source: Source) -> pl.Series:
        """Return names, levels or answers: outer space gone, 3.0 is 3, pieces joined, levels as they should be."""
        name = "player" if source.name in _SEATS else source.name
        treatment = (name, source.atoms, source.clean, source.missing)
        if treatment not in self.texts:  # a seat's column says who acts and who offers
            codes, words = self._leveled(source, name)
            self.texts[treatment] = gathered(pl.Series(words, dtype=pl.String).cast(self.places.text), codes)
        return self.texts[treatment]

    def games(self, source: Source) -> pl.Series:
        """Return the number of each row's game; one that no row has named before gets the next number."""
        codes, words = self._leveled(source, source.name)
        words, known = words.cast(pa.large_string()), self.places.names
        self.places.names = pa.concat_arrays([known, words]).unique()
        numbers = pc.index_in(words, value_set=self.places.names)
        return gathered(pl.Series(numbers, dtype=pl.UInt32), codes)

    def _leveled(self, source: Source, name: str) -> tuple[Codes, Texts]:
        """Return codes and words of a source, levels as they should be."""
        codes, words = self._join_pieces(source)
        levels, fixed = self.mapping.levels.get(name), LEVELS.get(source.name, ())
        if levels is None and fixed:
            levels = {level: level for level in fixed} | (_BOOLEAN if "true" in fixed else {})
        if levels is None:
            return codes, words
        spelled = self._spelled(codes, words, source, levels)
        if "" not in levels:
            return codes, spelled
        codes_of_all = np.where(codes < 0, np.int32(len(spelled)), codes)  # what is missing has a level too
        return codes_of_all, pa.concat_arrays([spelled, text_array([levels[""]])])

    def refuse_ambiguous(self, source: Source) -> None:
        """Raise LogError if two different lists of pieces give the same name, as a-b and c, a and b-c do."""
        words = [tidied(*self._code_words(source, atom))[1] for atom in source.atoms]
        if len(words) == 1 or not any(pc.any(pc.match_substring(of_piece, "-")).as_py() for of_piece in words):
            return  # no piece holds the sign that joins them
        pieces = {str(place): self._piece_texts(source, atom) for place, atom in enumerate(source.atoms)}
        named = self.rows.select("at").with_columns(**pieces, name=self._joined_texts(source)).drop_nulls()
        repeated = named.unique([*pieces], maintain_order=True).filter(~pl.col("name").is_first_distinct())
        if len(repeated):
            wrong = named.join(repeated, on=[*pieces], how="semi", maintain_order="left")
            name = shown(wrong["name"][0])
            reason = f"{name} is made of other columns' values in an earlier row; leave one of them out"
            raise self.places.fault(wrong["at"][0], reason, source, wrong["at"])

    def words(self, source: Source) -> pl.Series:
        """Return text as it was typed."""
        if len(source.atoms) == 1 and source.columns:
            cells = self._cells(source.columns[0], source)
            return pl.Series(spelled(cells) if is_coded(cells) else cells, dtype=pl.String)
        return self.text(source).cast(pl.String)

    def number(self, source: Source) -> pl.Series:
        """Return numbers, multiplied as the source says; of moments the seconds."""
        if source.clock:
            return self.stamp(source).dt.epoch("us") / 1e6
        return pl.Series(self._floats(source), nan_to_null=True)

    def _floats(self, source: Source) -> npt.NDArray[np.float64]:
        plainly = self.part.decimal == "." and self.part.thousands is None
        if len(source.atoms) == 1 and source.columns and plainly:
            cells = self._numbers_or_cells(source.columns[0], source)
            try:
                numbers = pc.cast(cells.dictionary if is_coded(cells) else cells, pa.float64())
            except pa.ArrowInvalid:
                pass  # outer space, a sign +, or no number: looked at word by word
            else:
                if pc.all(pc.is_finite(numbers)).as_py() is not False:
                    finite_numbers: npt.NDArray[np.float64] = numbers.to_numpy(zero_copy_only=False)
                    if is_coded(cells):
                        finite_numbers = np.append(finite_numbers, np.nan)[codes_of(cells)]
                    return self._scale_numbers(finite_numbers, source)
        codes, words = self._pieces(source)
        comma = self.part.decimal == ","
        plain_words = self._ungrouped(pc.utf8_trim_whitespace(words))
        bad = pc.match_substring(plain_words, ".") if comma else pa.array(np.zeros(len(words), dtype=bool))
        spelled = pc.replace_substring(plain_words, ",", ".") if comma else plain_words
        values = read_numbers(spelled)
        wrong = ~np.isfinite(values) | bad.to_numpy(zero_copy_only=False)
        self._refuse(
            wrong,
            codes,
            words,
            source,
            'is not a number (decimal = ",", thousands = "." or missing = [...] in the mapping may help)',
        )
        every: npt.NDArray[np.float64] = np.append(values, np.nan)[codes]
        return self._scale_numbers(every, source)

    def _ungrouped(self, words: Texts) -> Texts:
        """Return numbers without the sign that parts thousands, where it parts these; all else stays as it is."""
        sign = self.part.thousands
        if sign is None:
            return words
        one, decimal = re.escape(sign), re.escape(self.part.decimal)
        parted = pc.match_substring_regex(words, rf"^[+-]?\d{{1,3}}({one}\d{{3}})+({decimal}\d+)?$")
        return pc.if_else(parted, pc.replace_substring(words, sign, ""), words)

    def _scale_numbers(self, values: npt.NDArray[np.float64], source: Source) -> npt.NDArray[np.float64]:
        """Return numbers times the scale of their source; raises LogError where they are too large for a number."""
        if source.scale == 1:
            return values
        with np.errstate(over="ignore"):
            scaled_values: npt.NDArray[np.float64] = values * source.scale
        wrong = np.isinf(scaled_values)
        if wrong.any():
            row = int(wrong.argmax())
            reason = f"{values[row]:g} times scale = {source.scale:g} is too large for a number"
            raise self.places.fault(self.at[row], reason, source, self.at.filter(wrong))
        return scaled_values

    def integer(self, source: Source) -> pl.Series:
        """Return whole numbers, as floats that hold them exactly."""
        numbers = self._floats(source)
        with np.errstate(invalid="ignore"):
            wrong = (numbers % 1 != 0) & ~np.isnan(numbers) | (np.abs(numbers) > _LARGEST_INTEGER)
        if wrong.any():
            codes, words = self._pieces(source)
            bad = np.zeros(len(words), dtype=bool)
            bad[codes[wrong]] = True
            self._refuse(bad, codes, words, source, "is not a whole number")
        return pl.Series(numbers, nan_to_null=True)

    def yes_no(self, source: Source) -> pl.Series:
        """Return 1 for yes and 0 for no, in words or numbers; the words may be listed under ``[levels.NAME]``."""
        codes, words = self._join_pieces(source)
        levels = self.mapping.levels.get(source.name, _YES_NO)
        spelled = self._spelled(codes, words, source, levels).to_pylist()
        return gathered(pl.Series([float(known_as(word) in YES) for word in spelled], dtype=pl.Float64), codes)

    def rank(self, source: Source) -> pl.Series:
        """Return the places of words among the ordered levels of a measure, from 1."""
        codes, words = self._join_pieces(source)
        rank_by_word = self.mapping.levels[source.name]
        ranks = np.array([float(rank_by_word.get(known_as(str(word)), "nan")) for word in words])
        self._refuse(np.isnan(ranks), codes, words, source, f"is not one of the levels ({', '.join(rank_by_word)})")
        return gathered(pl.Series(ranks), codes)

    def stamp(self, source: Source) -> pl.Series:
        """Return dates and times; a number is a Unix time in seconds or milliseconds, 0:01:30 a time of some day."""
        codes, words = self._pieces(source)
        text = pd.Series(pd.array(pc.utf8_trim_whitespace(words), dtype="str"))
        numbers = read_numbers(pc.utf8_trim_whitespace(words))
        if source.format is None and len(words) and np.isfinite(numbers).all():
            seconds = pd.Series(np.where(np.abs(numbers) < _MILLISECONDS, numbers, numbers / 1000))
            stamps = pd.to_datetime((seconds * 1e6).round(), unit="us", utc=True, errors="coerce")
        elif source.format is None and text.str.fullmatch(_OF_DAY).all():
            stamps = pd.Timestamp(0, tz="UTC") + pd.to_timedelta(text)
        else:
            stamps = pd.to_datetime(text, format=source.format or "ISO8601", utc=True, errors="coerce").dt.as_unit("us")
            if source.format is None and (is_unread := stamps.isna()).any():  # an hour without its leading zero
                stamps[is_unread] = pd.to_datetime(text[is_unread].map(_moment), utc=True)
        format_text = source.format or "2026-11-21 20:32:20"
        self._refuse(stamps.isna().to_numpy(), codes, words, source, f"is not a date and time written as {format_text}")
        return gathered(pl.Series(stamps.dt.tz_localize(None).to_numpy().astype("datetime64[us]")), codes)

    def fits(self, where: Where) -> pl.Series:
        """Return for each row whether it fulfils a condition."""
        codes, words = self._pieces(where.source)
        plain_words = pc.utf8_trim_whitespace(words)
        values = read_numbers(plain_words)
        fits = [where.holds(known_as(str(word)), value) for word, value in zip(plain_words, values, strict=True)]
        return gathered(pl.Series(fits, dtype=pl.Boolean), codes).fill_null(where.holds("", np.nan))

    def _take_texts(self, texts: Texts) -> Texts:
        return texts if self.positions is None else texts.take(self.positions.to_arrow())

    def _numbers_or_cells(self, name: str, source: Source) -> Texts:
        """Return the cells of a column, as the numbers that they are in JSON where nothing is to be done to them."""
        as_they_are = is_number(self.columns[name]) and not (self.part.missing or source.clean or source.missing)
        return self._take_texts(self.columns[name]) if as_they_are else self._cells(name, source)

    def _cells(self, name: str, source: Source) -> Texts:
        """Return the cells of a column, cleaned as the source says, missing where they are."""
        cells = self._take_texts(self.columns[name])
        if is_number(cells):
            cells = drop_missing(as_text(cells), self.part.missing, blank=False)
        if source.clean:
            coded_cells = cells.dictionary_encode()
            words = coded_cells.dictionary
            for pattern in source.clean:
                words = pc.replace_substring_regex(words, pattern, "")
            cells = pc.utf8_trim_whitespace(words).take(coded_cells.indices)
        if source.clean or source.missing:
            missing = source.missing | (self.part.missing if source.clean else frozenset())
            cells = drop_missing(cells, missing, blank=bool(source.clean))
        return cells

    def _pieces(self, source: Source) -> tuple[Codes, Texts]:
        """Return codes and words of a source as they were typed, or joined where there are several pieces."""
        if len(source.atoms) == 1:
            return self._code_words(source, source.atoms[0])
        return self._join_pieces(source)

    def _join_pieces(self, source: Source) -> tuple[Codes, Texts]:
        """Return codes and words of a source's pieces, tidied and joined with -."""
        if len(source.atoms) == 1:
            return tidied(*self._code_words(source, source.atoms[0]))
        return code_cells(self._joined_texts(source).to_arrow())

    def _joined_texts(self, source: Source) -> pl.Series:
        """Return a source's pieces, tidied and joined with -; missing where one of them is."""
        pieces = [self._piece_texts(source, atom).alias(str(place)) for place, atom in enumerate(source.atoms)]
        return pl.DataFrame(pieces).select(pl.concat_str(pl.all(), separator="-")).to_series()

    def _piece_texts(self, source: Source, atom: Atom) -> pl.Series:
        codes, words = tidied(*self._code_words(source, atom))
        return gathered(pl.Series(words, dtype=pl.String), codes)

    def _code_words(self, source: Source, atom: Atom) -> tuple[Codes, Texts]:
        match atom.kind:
            case "column":
                return self._code_column(atom.text, replace(source, clean=atom.clean or source.clean))
            case "constant":
                return np.zeros(len(self), dtype=np.int32), text_array([atom.text])
            case "pair":
                one, other = (self._piece_texts(source, Atom("column", name)) for name in atom.columns)
                both = pl.DataFrame({"one": one, "other": other})
                lower = pl.when(pl.col("one") <= pl.col("other")).then("one").otherwise("other")
                upper = pl.when(pl.col("one") <= pl.col("other")).then("other").otherwise("one")
                is_whole = pl.all_horizontal(pl.all().is_not_null())
                pair = pl.when(is_whole).then(pl.concat_str(lower, upper, separator=" & "))
                return code_cells(both.select(pair).to_series().to_arrow())
        index = self.at.to_numpy()
        starts = np.array(self.places.starts)
        of_row = np.searchsorted(starts, index, side="right") - 1
        if atom.kind == "begins":
            number = self._floats(replace(source, atoms=(Atom("column", atom.text),)))
            is_next = (np.diff(number, prepend=np.inf) > 0) & (np.diff(of_row, prepend=-1) == 0)
            codes = np.cumsum(~is_next) - 1
            return codes.astype(np.int32), text_array([str(1 + code) for code in range(int(codes[-1]) + 1)])
        if atom.kind == "row":
            rows = np.concatenate([np.zeros(0, np.int64), *(np.asarray(table.rows) for table in self.places.tables)])
            numbers = pa.array(rows[index]).dictionary_encode()  # the elements of a list stand in one row
            return numbers.indices.to_numpy().astype(np.int32), pc.cast(numbers.dictionary, pa.large_string())
        which, codes = np.unique(of_row, return_inverse=True)
        names = [self._in_name(self.places.tables[one].file, source, atom) for one in which]
        return codes.astype(np.int32), text_array(names)

    def _code_column(self, name: str, source: Source) -> tuple[Codes, Texts]:
        """Return codes and words of a column; a seat's column serves players and proposers, and is coded once."""
        treatment = (name, source.clean, source.missing)
        if treatment not in self.coded:
            cells = self._cells(name, source)
            is_part = is_coded(cells) and self.positions is not None  # some of the words may stand in no row
            self.coded[treatment] = code_cells(spelled(cells) if is_part else cells)
        return self.coded[treatment]

    def _in_name(self, file: Path, source: Source, atom: Atom) -> str:
        if atom.kind == "folder":
            folders = Path(self.places.intake.name(file)).parts[:-1]
            if len(folders) >= int(atom.text):
                return folders[int(atom.text) - 1]
            where = f"the log's folder, and not {atom.text} folders deep" if folders else "the log's folder itself"
            reason = f"is in {where}"
            raise SourceError(reason, source, file, rows=_NO_ROWS)
        name = self.places.intake.name(file).removesuffix(file.suffix)
        name_part = patterns.part(name, atom.text) if atom.text else name
        if name_part is None:
            reason = f"{shown(atom.text)} is found nowhere in the name {name!r}"
            raise SourceError(reason, source, file, rows=_NO_ROWS)
        return name_part

    def _spelled(self, codes: Codes, words: Texts, source: Source, levels: dict[str, str]) -> Texts:
        levels_of_words = [levels.get(known_as(str(word))) for word in words]
        wrong = np.array([level is None for level in levels_of_words], dtype=bool)
        level_names = ", ".join(dict.fromkeys(levels.values()))
        hint = f"is spelled in no level ({level_names}); list it under [levels.{source.name}] in the mapping"
        self._refuse(wrong, codes, words, source, hint)
        return pa.array([level or "" for level in levels_of_words], pa.large_string())

    def _refuse(self, wrong: Mask, codes: Codes, words: Texts, source: Source, reason: str) -> None:
        """Raise LogError if a word that is wrong stands in a row."""
        if not wrong.any():
            return
        rows = np.append(wrong, False)[codes]
        if rows.any():
            row = int(rows.argmax())
            word = words[int(codes[row])].as_py()
            raise self.places.fault(self.at[row], f"{shown(word)} {reason}", source, self.at.filter(rows))


def _moment(text: str) -> datetime | None:
    """Return the moment that a text names; None if it is none."""
    try:
        return read_moment(text)
    except ValueError:
        return None


_NO_ROWS = pl.Series(dtype=pl.Int64)
_AS: dict[Kind, Callable[[Lines, Source], pl.Series]] = {
    "text": Lines.text,
    "number": Lines.number,
    "integer": Lines.integer,
    "boolean": Lines.text,
    "time": Lines.stamp,
}
