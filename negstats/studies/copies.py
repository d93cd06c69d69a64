"""A copy of a study without who took part: its tables, its provenance, and the check that no piece of an id is left."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace

import pandas as pd

from negstats.errors import UsageError, shown
from negstats.studies import deidentify
from negstats.studies.provenance import Provenance
from negstats.studies.pseudonyms import Pieces
from negstats.studies.records import OF_TABLES, Record
from negstats.studies.study import Study


def copy_without_people(
    study: Study, salt: str | None, *, keep: Collection[str], shuffle: bool, times: deidentify.Times | None
) -> Study:
    """Return a study with pseudonyms and without what tells who took part; see `Study.deidentify`."""
    origin = study.provenance
    ids = set(study.players["participant_id"].dropna()) | set(study.games["study"].dropna())
    secret = deidentify.checked_salt(salt, ids)
    paths = [*(source.path for source in origin.sources), *(row.path for row in origin.left_out)]
    files = deidentify.safe_file_names(list(dict.fromkeys(paths)))
    cleared = deidentify.tables(study.tables, secret, keep=keep, shuffle=shuffle, times=times, files=files)
    salt_notes = ["pseudonyms are made with a salt that was thrown away"] if salt is None else []
    provenance = _without_names(origin, cleared, files, salt_notes)
    copy = Study(provenance=provenance, **cleared.tables)
    check_copy(copy, cleared.pieces, keep)
    return copy


def _without_names(
    origin: Provenance, cleared: deidentify.Cleared, files: Mapping[str, str], salt_notes: list[str]
) -> Provenance:
    # Notes that told of people go; the others lose what names them, and so do records and reasons.
    earlier = [note for note in origin.notes if not note.startswith(deidentify.TELLING_BEFORE)]
    return replace(
        origin,
        sources=tuple(replace(source, path=files[source.path], sha256="") for source in origin.sources),
        left_out=tuple(
            replace(row, path=files[row.path], reason=cleared.unnamed(row.reason)) for row in origin.left_out
        ),
        notes=(*map(cleared.unnamed, earlier), *salt_notes, *cleared.notes),
        coding=tuple(coding.without_names() for coding in origin.coding),
        records=(*_without_values(origin.records, cleared.unnamed), *cleared.records),
    )


def _without_values(records: Sequence[Record], unnamed: Callable[[str], str]) -> Iterator[Record]:
    """Yield records whose places and values hold no ids; those of the tables and of messages are found anew."""
    for record in records:
        if record.kind != deidentify.TELLING and record.kind not in OF_TABLES:
            values = tuple(unnamed(value) if isinstance(value, str) else value for value in record.values)  # noqa: PD011 - no frame
            yield replace(record, place=unnamed(record.place), values=values)


def check_copy(study: Study, pieces: Pieces, keep: Collection[str] = ()) -> None:
    """Check that a copy holds no piece of an id.

    Parameters
    ----------
    study
        The copy.
    pieces
        The pieces of ids.
    keep
        Factors and questions that are kept as they are because somebody said so.

    Raises
    ------
    UsageError
        Naming where the first piece stands.
    """
    advice = "is still in the copy, which is therefore refused; leave it out of the mapping, or --keep it"
    for name, frame in study.tables.items():
        is_kept = frame["question"].isin(list(keep)) if name == "answers" else pd.Series(False, index=frame.index)
        for column in frame.columns:
            if pieces.find(str(column)) is not None:
                raise UsageError(f"a piece of an id in the name of the column {shown(column)} of {name} {advice}")
            values = frame[column]
            if column in keep or pd.api.types.is_numeric_dtype(values) or values.dtype.kind in "Mm":
                continue
            texts_once = values[~is_kept].dropna().astype("str").drop_duplicates()
            for row, value in zip(texts_once.index, texts_once, strict=True):
                if pieces.find(value) is not None:
                    question = shown(frame["question"][row]) if column == "answer" else ""
                    place_text = f"the answers to {question}" if question else f"{name}.{column}"
                    raise UsageError(f"a piece of an id in {place_text} ({shown(value)}) {advice}")
    # The notes that say what was dropped name columns, as who made the study called them.
    origin = study.provenance
    texts = [(f"note {number}", note) for number, note in enumerate(origin.notes, 1)]
    texts += [(f"reason {number}", row.reason) for number, row in enumerate(origin.left_out, 1)]
    texts += [(f"file {number}", source.path) for number, source in enumerate(origin.sources, 1)]
    for place_text, text in texts:
        if pieces.find(text) is not None:
            raise UsageError(f"a piece of an id in {place_text} ({shown(text)}) {advice}")
