"""Where a study came from: its loader, the files that were read, the rows left out, and notes on what was done."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from negstats import tables as schema
from negstats.errors import LogError
from negstats.studies import folder as study_folder
from negstats.studies.records import Record

LISTED = 3  # files that are named of many


@dataclass(frozen=True, slots=True)
class Source:
    """One file that was read: its path inside the study's folder, SHA-256 and how many rows it held."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One row that was read and excluded. `row` counts from 1 as an editor of the file does; 0 is the whole file."""

    path: str
    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class CodeReliability:
    """How well coders agreed on one code, or on a group of codes that exclude each other (`kind`).

    `n` messages were coded by two coders or more. `agreement` is the share of pairs of codings that agree, `prevalence`
    the coders' mean share of messages with the code. Kappa is Cohen's of two coders and Fleiss' of more, alpha is
    Krippendorff's, with 95 % intervals; what cannot be told is None. Intervals are over whole `interval_unit`: "talks",
    or "messages" as if these were independent of each other.
    """

    code: str
    kind: str
    n: int
    agreement: float
    prevalence: float
    kappa: float | None = None
    kappa_low: float | None = None
    kappa_high: float | None = None
    alpha: float | None = None
    alpha_low: float | None = None
    alpha_high: float | None = None
    interval_unit: str = "messages"


@dataclass(frozen=True, slots=True)
class Coding:
    """How people coded the messages of a study: codebook, coders, how many messages, agreement, and the coded files.

    `messages` have labels; `double` of them were coded by two coders or more, who differed on `differences`, which the
    `adjudicator` decided. `labels` are what the codebook calls the `codes`, in their order.
    """

    codebook: str
    codebook_sha256: str
    codes: tuple[str, ...]
    coders: tuple[str, ...]
    adjudicator: str | None
    messages: int
    double: int
    differences: int
    reliability: tuple[CodeReliability, ...] = ()
    sources: tuple[Source, ...] = ()
    labels: tuple[str, ...] = ()

    def without_names(self) -> Coding:
        """Return the same with numbers for the coders' names, and without their files.

        Returns
        -------
        Coding
            Coders are "coder 1", "coder 2" and so on, in the same order, and whoever decided is "adjudicator"; the
            codebook, counts and reliability stay.
        """
        coders = tuple(f"coder {number}" for number in range(1, len(self.coders) + 1))
        adjudicator = None if self.adjudicator is None else "adjudicator"
        return replace(self, coders=coders, adjudicator=adjudicator, sources=())


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a study came from: loader and version, files, rows left out, notes; what its measures and factors are.

    `coding` says how people coded its messages, where they did. `records` are facts about the reading that stay until
    they are answered, and `accepted` the names of those that the mapping answers (`negstats.studies.records`).
    `cite` is the reference of a public study whose files these are.
    """

    loader: str
    version: str
    sources: tuple[Source, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    measures: tuple[schema.OwnMeasure, ...] = ()
    roles: tuple[tuple[str, str], ...] = ()
    coding: tuple[Coding, ...] = ()
    records: tuple[Record, ...] = ()
    accepted: tuple[str, ...] = ()
    cite: tuple[str, ...] = ()

    @property
    def rows_read(self) -> int:
        """Rows in all the files together."""
        return sum(source.rows for source in self.sources)

    def reasons(self) -> dict[str, int]:
        """How many rows were left out for each reason.

        Returns
        -------
        dict[str, int]
            Counts of rows by the reason in words.
        """
        return dict(Counter(row.reason for row in self.left_out))


def files_without_rows(sources: Iterable[Source]) -> list[Record]:
    """Return a record of the files that were read and bring nothing, if there are any.

    Examples
    --------
    >>> from negstats.studies.records import sentence
    >>> for record in files_without_rows([Source("a.csv", "", 0), Source("b.csv", "", 12)]):
    ...     print(sentence(record))
    a.csv has no rows, at the most a header
    """
    empty_paths = tuple(source.path for source in sources if source.rows <= 0)
    return [Record("file_without_rows", count=len(empty_paths), values=empty_paths[:LISTED])] if empty_paths else []


def provenance_of(card: dict[str, Any], folder: Path) -> Provenance:
    """Return the provenance that the card of a saved study holds.

    Raises
    ------
    LogError
        If it is none.
    """
    try:
        return msgspec.convert(card, Provenance)
    except msgspec.ValidationError as error:
        raise LogError(
            f"is not a card of a study: {error}; load the logs again", file=folder / study_folder.CARD
        ) from None


@dataclass(frozen=True, slots=True)
class FormatFacts:
    """What holds of every study of a format and is not in its logs.

    It is of the loaders' data cards, and stands here so that a study that was saved long ago has it too.

    Attributes
    ----------
    points : tuple of float or None
        The least and the most points of its scale, where that is the same in every study.
    links_people : bool
        Whether a participant_id is the same in all games of a person; else it is of one seat, and who took part twice
        is not known.
    """

    points: tuple[float, float] | None = None
    links_people: bool = True


_FACTS: Mapping[str, FormatFacts] = {
    "solver_cl": FormatFacts(points=(0.0, 1.0)),
    "casino": FormatFacts(links_people=False),
}


def facts_of(loader: str) -> FormatFacts:
    """Return what holds of every study of a format; of a mapping, or a study made by hand, nothing special.

    Examples
    --------
    >>> facts_of("casino").links_people, facts_of("by hand").links_people
    (False, True)
    """
    return _FACTS.get(loader, FormatFacts())
