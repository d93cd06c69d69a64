"""A log that a mapping reads, taken in pieces: rows are stored with their game and the columns that are named.

What a mapping says of several parts, of people beyond their games, or of seats that no row is, is only known when all
rows are there; such a log is read as a whole.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa

from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.delimited import delimited_pieces
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.objects import json_line_pieces
from negstats.loaders.files.stacks import padded
from negstats.loaders.files.tabular import Table, joined
from negstats.loaders.format import Track
from negstats.loaders.mapping import VERSION, built, files_of, note_damaged, note_mapping, note_unread, note_wording
from negstats.loaders.mapping.build import NoGameError
from negstats.loaders.mapping.model import Mapping, Part, Sources
from negstats.loaders.mapping.rows import Lines, Places
from negstats.loaders.mapping.unread import record_unread_columns
from negstats.loaders.streaming import Spool, blocks
from negstats.studies import Source

_LINES = {".csv": delimited_pieces, ".tsv": delimited_pieces, ".tab": delimited_pieces, ".txt": delimited_pieces}
_LINES |= {".jsonl": json_line_pieces, ".ndjson": json_line_pieces}


def needs_all(mapping: Mapping) -> str | None:
    """Return why a mapping must see all rows of a log at once; None if it need not."""
    if len(mapping.parts) > 1:
        return "the mapping has several parts"
    part = mapping.parts[0]
    if part.sections["person"] or any(seat.get("person") for seat in part.seats.values()):
        return "the mapping has answers about people, who may be in several games"
    if part.beside:
        return "the mapping names a second table for the log"
    if part.in_some_files:
        return "the mapping names columns that some of the files lack"
    if part.form.rows:
        return "the mapping takes rows out of lists"
    if part.form.long is not None:
        return "the mapping puts rows of one measure each together"
    if part.accept_at:
        return "the mapping has columns of yes and no that are known by how they begin"
    if part.accepts_needed is not None:
        return "the mapping counts votes"
    if "game_id" in mapping.levels:
        return "the mapping spells games by levels"
    sides = [part.sections["offers"].get(side) for side in ("proposer", "responder")]
    if part.lists_games and any(side and not side.columns for side in sides):
        return "the mapping has a seat that no row is"
    of_unknown = [name for name in part.sections["measures"] if part.own[name].per is None]
    if of_unknown and part.row != "game":
        return f"the mapping does not say what the measure {of_unknown[0]} has one value for (per)"
    if codecs.lookup(part.form.encoding).name != "utf-8":
        return f"the log is in {part.form.encoding}, not in UTF-8"
    return None


class MappedPieces:
    """A log and its mapping: `lay_by` reads all of it once, `tables` makes those of some of its games."""

    name, version = "mapping", VERSION

    def __init__(self, mapping: Mapping, path: Path) -> None:
        self.mapping, self.path, self.part = mapping, path, mapping.parts[0]
        self.files = files_of(path, self.part.files, mapping.file)
        self.wanted = self.part.columns
        self.names: list[list[str]] = []
        self.damaged = self.games = 0
        self.any = False

    def lay_by(self, spool: Spool, intake: Intake, track: Track) -> None:
        """Read the files once; raises LogError as reading them at once does, MixedError if they must be."""
        header_wording: dict[str, str] = {}
        for number, file in enumerate(track(self.files)):
            digest, rows, key = _Digest(file), 0, np.uint64(number)
            names: list[str] = []
            complete = True
            for table in self._pieces(file, digest):
                names, complete = table.names, table.complete
                intake.note_table(table, self.wanted)
                header_wording |= table.wording or {}
                rows += len(table.rows)
                keys = self._keys(table, key)
                key = keys[-1] if len(keys) else key
                spool.add(self._laid(table, number), keys)
            self.names.append(list(names))
            intake.sources.append(Source(intake.name(file), digest.text(), rows))
            intake.note_end(intake.name(file), is_open=rows > 0 and not complete)
        note_wording(header_wording, intake)
        if self.path.is_dir():
            note_unread(self.path, set(self.files), intake)
        record_unread_columns([self.part] * len(self.names), self.names, intake)
        note_mapping(self.mapping, intake)

    def tables(self, rows: pa.Table, intake: Intake) -> dict[str, pd.DataFrame] | None:
        """Return the tables of some games; None if all their rows are left out."""
        numbers = rows["file"].to_numpy()
        starts = np.flatnonzero(np.diff(numbers, prepend=-1)).tolist()
        tables_of_batch = []
        for start, end in pairwise([*starts, len(numbers)]):
            file_rows, number = rows.slice(start, end - start), int(numbers[start])
            cells = {name: file_rows[_CELL + name] for name in self.wanted if name in self.names[number]}
            tables_of_batch.append(Table(self.files[number], self.names[number], cells, file_rows["row"].to_numpy()))
        try:
            study_tables, damaged, games = built(self.mapping, [tables_of_batch], intake, most=1.0)
        except NoGameError as nothing:
            self.damaged, self.games = self.damaged + nothing.damaged, self.games + nothing.damaged
            return None
        self.damaged, self.games, self.any = self.damaged + damaged, self.games + games, True
        return study_tables

    def finish(self, intake: Intake) -> None:
        """Count the damaged games; raises LogError if they are too many, or there is no game at all."""
        if not self.any:
            why = ", ".join(f"{reason} ({count} rows)" for reason, count in intake.reasons().items())
            raise NoGameError(f"no row of a game is left{': ' if why else ''}{why}", file=self.path)
        note_damaged(intake, self.damaged, self.games)

    def _pieces(self, file: Path, digest: _Digest) -> Iterator[Table]:
        form, columns = self.part.form, set(self.wanted)
        reader = _LINES.get(file.suffix.lower())
        if reader is None or file.stat().st_size < SMALL:
            data = Intake(self.path).read(file)
            digest.update(data)
            yield read_table(data, file, form, columns)
            return
        yield from reader(digest.noting(blocks(file)), file, form, columns)

    def _laid(self, table: Table, number: int) -> pa.Table:
        """Return a piece as it is laid by: the columns that are wanted, as text, and where each row stands."""
        size = len(table.rows)
        cells = {name: table.cells.get(name) for name in self.wanted}
        batch_cells = {
            _CELL + name: pa.nulls(size, pa.large_string())
            if cell_column is None
            else joined([cell_column]).cast(pa.large_string())
            for name, cell_column in cells.items()
        }
        where = {"file": pa.array(np.full(size, number, dtype=np.int32)), "row": pa.array(np.asarray(table.rows))}
        return pa.table(where | batch_cells)

    def _keys(self, table: Table, key_before: Any) -> npt.NDArray[np.uint64]:
        """Return a key of each row's game; a row of none goes with the one before."""
        size = len(table.rows)
        whole = padded(table, self.wanted)
        lines = Lines.of(_short(self.part), self.mapping, Places(Intake(self.path)), [whole])
        for condition in self.part.where:
            lines = lines.only(lines.fits(condition))
        names = lines.text(self.part.sections["games"]["game_id"]).cast(pl.String)
        hashes = {name: hash(name) % 2**64 for name in names.drop_nulls().unique()}
        named = lines.rows.select("at", key=names.replace_strict(hashes, default=None, return_dtype=pl.UInt64))
        rows = pl.DataFrame({"at": pl.int_range(size, eager=True)})
        keys = rows.join(named, on="at", how="left", maintain_order="left")["key"].forward_fill()
        return keys.fill_null(int(key_before)).to_numpy()


_CELL = "cell "
SMALL = 2**23  # bytes of a file that is read at once


def _short(part: Part) -> Part:
    """Return a part that reads of each row no more than its game, and whether it is kept."""
    bare: dict[str, Sources] = {name: {} for name in part.sections}
    bare["games"] = {"game_id": part.sections["games"]["game_id"]}
    return replace(part, sections=bare, event=None, seats={}, items={}, item={}, worths={})


class _Digest:
    """The SHA-256 of a file that is read once."""

    def __init__(self, file: Path) -> None:
        self.file, self.digest = file, hashlib.sha256()

    def update(self, data: bytes) -> None:
        self.digest.update(data)

    def noting(self, blocks: Iterable[bytes]) -> Iterator[bytes]:
        for block in blocks:
            self.digest.update(block)
            yield block

    def text(self) -> str:
        return self.digest.hexdigest()
