"""A study: the tables of its games and where they came from.

`negstats.studies.folder` writes its folder, and `negstats.studies.open_study` opens it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import pandas as pd

from negstats import tables as schema
from negstats.errors import LogError
from negstats.sanitize import counted, line
from negstats.studies import deidentify
from negstats.studies import folder as study_folder
from negstats.studies.folder import is_study

__all__ = ["LeftOut", "Provenance", "Source", "Study", "is_study", "provenance_of"]


@dataclass(frozen=True, slots=True)
class Source:
    """One file that was read: its path inside the study's folder, SHA-256 and how many rows it held."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One row that was read and not kept. `row` counts from 1 as the file's own editor does; 0 is the whole file."""

    path: str
    row: int
    reason: str


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a study came from: loader and version, files, rows left out, notes; what its measures and factors are."""

    loader: str
    version: str
    sources: tuple[Source, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()
    measures: tuple[schema.OwnMeasure, ...] = ()
    roles: tuple[tuple[str, str], ...] = ()

    @property
    def rows_read(self) -> int:
        """Rows in all the files together."""
        return sum(source.rows for source in self.sources)

    def reasons(self) -> dict[str, int]:
        """How many rows were left out for each reason."""
        return dict(Counter(row.reason for row in self.left_out))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study:
    """The tables of a study and its provenance. Checked when it is made.

    Attributes
    ----------
    games, players, offers, items, values, messages, moves, answers : pandas.DataFrame
        As `negstats.tables.TABLES` describes them. A table that is not given is empty.
    provenance : Provenance
        Loader, files, rows left out.

    Raises
    ------
    SchemaError
        If a table is not as described, naming table, column, row and value.

    Examples
    --------
    >>> import pandas as pd
    >>> from negstats.tables import conform
    >>> games = conform("games", {"game_id": ["g1", "g2"], "ended": ["agreement", "walkaway"], "country": ["US", "IL"]})
    >>> study = Study(games=games, provenance=Provenance("by hand", "1"))
    >>> study.factors
    ['country']
    """

    games: pd.DataFrame
    provenance: Provenance
    players: pd.DataFrame = field(default_factory=lambda: schema.empty("players"))
    offers: pd.DataFrame = field(default_factory=lambda: schema.empty("offers"))
    items: pd.DataFrame = field(default_factory=lambda: schema.empty("items"))
    values: pd.DataFrame = field(default_factory=lambda: schema.empty("values"))
    messages: pd.DataFrame = field(default_factory=lambda: schema.empty("messages"))
    moves: pd.DataFrame = field(default_factory=lambda: schema.empty("moves"))
    answers: pd.DataFrame = field(default_factory=lambda: schema.empty("answers"))

    def __post_init__(self) -> None:
        schema.check(self.tables)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by name, in the order of `negstats.tables.TABLES`."""
        return {name: getattr(self, name) for name in schema.TABLES}

    @property
    def factors(self) -> list[str]:
        """The design's factors: the columns of ``games`` beyond those that every study has, and beyond its measures."""
        measures = set(self.measures)
        return [
            name for name in self.games.columns if name not in schema.TABLES["games"].names and name not in measures
        ]

    @property
    def measures(self) -> list[str]:
        """The study's own measures: numbers of its games and offers that its mapping names, or its loader gives."""
        return schema.own_measures_of(self.tables, self.provenance.loader)

    def __repr__(self) -> str:
        rows = ", ".join(f"{name} {len(frame)}" for name, frame in self.tables.items())
        excluded = counted(len(self.provenance.left_out), "row")
        return f"<Study by {line(self.provenance.loader, 60)}: {rows}; {excluded} excluded>"

    def save(self, path: str | Path) -> Path:
        """Write the study to the folder `path`, replacing a study that is there.

        The new study takes the old one's place in one step: a crash, a full disk or another writer leaves one of the
        two whole. A link to a folder stays a link.

        Returns
        -------
        pathlib.Path
            The folder.

        Raises
        ------
        UsageError
            If `path` is there and is no saved study, or one that holds files of somebody else: it is left as it is;
            or if it cannot be written.
        SchemaError
            If a factor's values are of a kind that Parquet cannot hold.
        """
        return study_folder.write(path, self.tables, asdict(self.provenance))

    def deidentify(
        self,
        salt: str | None = None,
        *,
        keep: Collection[str] = (),
        shuffle: bool = False,
        times: deidentify.Times | None = None,
    ) -> Study:
        """Return the study with pseudonyms for people, games and files, and without what tells who took part.

        A person's id becomes ``p`` and 16 hexadecimal digits of HMAC-SHA-256 with `salt` as the key, everywhere it
        stands (participant, seat, factor, answer, label, note, name of a column), whatever its case, accents, padding
        or separators, and glued to letters too: ``user01000`` for 1000. A game's id likewise gets ``g``, for game ids
        are often made of people's. The same id gets the same pseudonym, and only who knows the salt can link the two.
        A column of numbers is taken for people where it is called after people, or where its numbers have four digits
        or more and nearly all are people's ids; in texts numbers of fewer digits are replaced only after a word such
        as "participant", so that a 7 among the ages stays. Files are renamed and their hashes left out: who has a file
        could recognise it. Paths, addresses and names of computers in notes are masked.

        Factors and questions that look like IP addresses, e-mail addresses, phone numbers, ZIP codes, places, bank
        accounts, browsers, web addresses, names or dates of birth are dropped, and factors of free text; factors that
        look like ids get pseudonyms. Answers are kept where they are numbers or a choice: no answer longer than 40
        characters, two people or more for each distinct answer on average, and few that one person alone gave in a
        long list. All else is taken for free text and dropped. Messages are kept: what people said is the material of
        a dialogue study, and no rule finds every name in it. The provenance's notes name every factor and question and
        what became of it, how many people are alone with their answers, and how many messages may name somebody.

        Parameters
        ----------
        salt
            A secret of at least 8 characters, to get the same pseudonyms again; keep it away from the data. None: one
            of 256 bits is made and thrown away.
        keep
            Factors and questions to keep although they look like what would be dropped.
        shuffle
            Put games and people in the order of their pseudonyms, so that the order tells nothing.
        times
            Keep of each game's time only the "hour", "day", "week" (from Monday), "month" or "year" it lies in.

        Raises
        ------
        UsageError
            If the salt is weak, or `keep` names what is not there.

        Examples
        --------
        >>> import pandas as pd
        >>> from negstats.tables import conform
        >>> games = conform("games", {"game_id": ["ann-bob"], "ended": ["agreement"]})
        >>> people = {"game_id": ["ann-bob"] * 2, "player": ["A", "B"], "participant_id": ["ann", "bob"]}
        >>> study = Study(games=games, players=conform("players", people), provenance=Provenance("by hand", "1"))
        >>> list(study.deidentify().players["participant_id"])
        ['p...', 'p...']
        """
        ids = set(self.players["participant_id"].dropna()) | set(self.games["study"].dropna())
        made = deidentify.checked_salt(salt, ids)
        files = deidentify.safe_file_names(self._files())
        cleared = deidentify.tables(self.tables, made, keep=keep, shuffle=shuffle, times=times, files=files)
        thrown = ["pseudonyms are made with a salt that was thrown away"] if salt is None else []
        provenance = replace(
            self.provenance,
            sources=tuple(replace(source, path=files[source.path], sha256="") for source in self.provenance.sources),
            left_out=tuple(
                replace(row, path=files[row.path], reason=cleared.unnamed(row.reason))
                for row in self.provenance.left_out
            ),
            notes=(*map(cleared.unnamed, self.provenance.notes), *thrown, *cleared.notes),
        )
        return Study(provenance=provenance, **cleared.tables)

    def _files(self) -> list[str]:
        read = [source.path for source in self.provenance.sources]
        return list(dict.fromkeys([*read, *(row.path for row in self.provenance.left_out)]))


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
            f"is no card of a study: {error}; load the logs again", file=folder / study_folder.CARD
        ) from None
