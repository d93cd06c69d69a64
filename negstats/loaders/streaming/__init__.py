"""Logs larger than memory: stored on the disk game by game, and loaded and written some megabytes at a time.

The tables are those of the same log loaded at once, and so are the notes and the rows that are left out. What stands
in memory beside one lot of games is a few numbers for each game, by which its rows find each other.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Protocol

import pandas as pd
import pyarrow as pa

from negstats.loaders.derived import derived
from negstats.loaders.files.intake import Intake, Tally
from negstats.loaders.format import Track
from negstats.loaders.streaming.games import GameRows
from negstats.loaders.streaming.spool import Spool
from negstats.studies import Provenance, Study
from negstats.studies import folder as study_folder

__all__ = ["Pieces", "streamed"]

LOT = 2**23  # bytes of a log that are loaded together


class Pieces(Protocol):
    """A log that can be taken in pieces."""

    name: str
    version: str
    path: Path

    def lay_by(self, spool: Spool, intake: Intake, track: Track) -> None:
        """Read all of the log once, noting to the intake what was read."""
        ...

    def tables(self, rows: pa.Table, intake: Intake) -> dict[str, pd.DataFrame] | None:
        """Return the tables of some of its games; None if no game is among the rows."""
        ...

    def finish(self, intake: Intake) -> None:
        """Look at what is only seen when all games have passed."""
        ...


def streamed(pieces: Pieces, out: Path, track: Track) -> Provenance:
    """Load a log in pieces into the saved study `out`, and return where it came from.

    Raises
    ------
    LogError, SchemaError, UsageError
        As loading it at once and saving it would.
    """
    with study_folder.writing(out) as writer:
        intake = Intake(pieces.path)
        spool = Spool(writer.scratch)
        pieces.lay_by(spool, intake, track)
        games = GameRows(writer.scratch)
        nothing, has_offers = Provenance(pieces.name, pieces.version), False
        for lot in spool.lots(LOT):
            tables = _build_tables(pieces, lot, intake, nothing)
            del lot
            if tables is not None:
                has_offers = has_offers or len(tables["offers"]) > 0
                games.add(tables.pop("games"))
                writer.add(tables)
            del tables
            pa.default_memory_pool().release_unused()
        pieces.finish(intake)
        # Of a lot it is no doubt that none of its rows holds an offer, if others do.
        silent = [record for record in intake.records if record.kind == "offers_unread"]
        intake.records[:] = [record for record in intake.records if record.kind != "offers_unread"]
        intake.records += [] if has_offers else silent[:1]
        writer.tables["games"].begin(games.like())
        for frame in games.frames():
            writer.add({"games": frame})
        provenance = intake.provenance(pieces.name, pieces.version)
        writer.provenance = asdict(provenance)
    return provenance


def _build_tables(pieces: Pieces, lot: pa.Table, intake: Intake, nothing: Provenance) -> dict[str, pd.DataFrame] | None:
    """Return the checked tables of a lot, and add what its intake noted to that of the whole."""
    lot_intake = Intake(pieces.path)
    study_tables = pieces.tables(lot, lot_intake)
    intake.left_out += lot_intake.left_out
    intake.records += lot_intake.records
    intake.notes[:] = _join_notes(intake.notes, lot_intake.notes)
    if study_tables is None:
        return None
    tables, notes = derived(Study(provenance=nothing, **study_tables).tables)
    intake.notes[:] = _join_notes(intake.notes, notes)
    return tables


def _join_notes(notes: list[str], lot_notes: list[str]) -> list[str]:
    """Return notes of two pieces: counts added up, the same words once."""
    all_notes = list(notes)
    places = {_words(note): place for place, note in enumerate(all_notes)}
    for note in lot_notes:
        place = places.setdefault(_words(note), len(all_notes))
        if place == len(all_notes):
            all_notes.append(note)
        elif isinstance(note, Tally):
            earlier = all_notes[place]
            all_notes[place] = earlier.plus(note) if isinstance(earlier, Tally) else note
    return all_notes


def _words(note: str) -> str:
    return note.words if isinstance(note, Tally) else note
