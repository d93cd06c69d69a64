"""A study: the tables of its games and where they came from, in memory or with an engine.

`negstats.studies.folder` writes its folder, and `negstats.studies.open_study` opens it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import narwhals as nw
import pandas as pd

from negstats import tables as schema
from negstats.sanitize import counted, line
from negstats.studies import checks
from negstats.studies import folder as study_folder
from negstats.studies.engines import Engine, Native
from negstats.studies.frames import MEMORY, Frames, frames_of_files, frames_of_pandas, native_polars
from negstats.studies.provenance import Provenance

if TYPE_CHECKING:
    import pyarrow as pa

    from negstats.studies.deidentify import Times
    from negstats.studies.pseudonyms import Pieces


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Study:
    """The tables of a study and its provenance. Checked when it is made.

    Its rows are in memory, or stay with an engine (`negstats.open_study` with ``engine=``): then measures, units and
    summaries are computed where the rows are, and a table becomes a pandas frame, whole, when it is first asked for.

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

    >>> import negstats
    >>> large = negstats.open_study("datasets/contract_sim/study", engine="duckdb")
    >>> large.rows("games"), len(large.games)
    (223, 223)
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
    _frames: Frames | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        schema.check(self.tables)

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> pd.DataFrame:
            # A table whose rows stay with an engine, at its first use.
            if name not in schema.TABLES or self._frames is None:
                raise AttributeError(f"'Study' has no attribute {name!r}")
            table = self._frames.at_home(name)
            object.__setattr__(self, name, table)
            return table

    def with_filled(self, tables: Mapping[str, pd.DataFrame], provenance: Provenance) -> Study:
        """Return a study in memory with tables whose missing values are filled; keys and references are this one's.

        Parameters
        ----------
        tables
            All tables; those that are other objects than this study's have the same rows, in the same order.
        provenance
            Where they come from.

        Returns
        -------
        Study
            The tables given, with the provenance given; nothing is written to disk.

        Raises
        ------
        SchemaError
            If a column is not there or of another type, or a value is outside its levels.
        """
        for name, frame in tables.items():
            if frame is not getattr(self, name):
                schema.check_columns(schema.TABLES[name], frame)
        study = object.__new__(type(self))
        for name, value in {"provenance": provenance, "_frames": None, **tables}.items():
            object.__setattr__(study, name, value)
        return study

    @classmethod
    def of_frames(cls, frames: Frames, provenance: Provenance) -> Study:
        """Return a study whose rows stay with an engine; only what its tables' columns are has been checked.

        Parameters
        ----------
        frames
            Lazy frames of an engine, one a table.
        provenance
            Where the rows come from.
        """
        study = object.__new__(cls)
        object.__setattr__(study, "provenance", provenance)
        object.__setattr__(study, "_frames", frames)
        return study

    @classmethod
    def of(
        cls,
        tables: Mapping[str, Sequence[str | Path]],
        provenance: Provenance,
        *,
        engine: str = "duckdb",
        memory: str = MEMORY,
    ) -> Study:
        """Make a study of Parquet files that another program wrote: the files of each table by its name.

        A table that is not given is empty, and so is a column that may be missing. Columns are checked; values are when
        the study is saved (`save`) or asked to be (`check`).

        Parameters
        ----------
        tables
            The paths of each table's files, by the table's name.
        provenance
            Where the rows come from.
        engine
            What reads the files: "duckdb", "polars" or "pyspark".
        memory
            How much memory the engine may use, such as "4GB".

        Raises
        ------
        UsageError
            If no engine is called so, no ``games`` are given, or a table's files are not a list of paths.
        LogError
            If a file is not there, or is not a Parquet.
        SchemaError
            If there is no such table, or a column is not there or of another kind.
        """
        return cls.of_frames(frames_of_files(tables, engine, memory), provenance)

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables by name, in the order of `negstats.tables.TABLES`; of an engine all rows come home."""
        return {name: getattr(self, name) for name in schema.TABLES}

    @property
    def factors(self) -> list[str]:
        """The design's factors: the columns of ``games`` beyond those that every study has, and beyond its measures."""
        # pandas' own columns, so that narwhals need not import its support of pandas.
        names = self.games.columns if self._frames is None else self.frame("games").collect_schema().names()
        measures = set(self.measures)
        return [name for name in names if name not in schema.TABLES["games"].names and name not in measures]

    @property
    def measures(self) -> list[str]:
        """The study's own measures: numbers of its games and offers that its mapping names, or its loader gives."""
        self.check_unchanged()
        tables = self.tables if self._frames is None else self._frames.tables
        return schema.own_measures_of(tables, self.provenance.loader)

    @property
    def in_memory(self) -> bool:
        """Whether the rows are in memory; else they stay with an engine."""
        return self._frames is None or self._frames.spill is None

    @property
    def engine(self) -> Engine:
        """The engine that the rows are with; `Memory` of those in memory."""
        return self._computed.engine

    @property
    def frames(self) -> Mapping[str, Native]:
        """The tables as lazy frames of the engine (polars, of those in memory), which `negstats.metrics` takes too."""
        return self._computed.tables

    @property
    def _computed(self) -> Frames:
        return frames_of_pandas(self.tables) if self._frames is None else self._frames

    def with_frames(self) -> Study:
        """Return the study with lazy frames of its tables: its own, or one of polars for each table in memory.

        An analysis begins with it, so that a table is passed to polars once, and as it is then.

        Returns
        -------
        Study
            The same rows; nothing is computed yet.
        """
        if self._frames is not None:
            return self
        study = Study.of_frames(self._computed, self.provenance)
        for name, table in self.tables.items():
            object.__setattr__(study, name, table)
        return study

    def with_tables(self, tables: Mapping[str, Native]) -> Study:
        """Return a study of other lazy frames of the same engine, such as fewer rows.

        Parameters
        ----------
        tables
            A lazy frame for each table, by the tables' names.

        Returns
        -------
        Study
            A new study; this one is not changed.
        """
        return Study.of_frames(replace(self._computed, tables=tables, measures={}, remaining={}), self.provenance)

    @property
    def measure_frames(self) -> dict[str, nw.LazyFrame[Any]]:
        """Measures in memory, by name: what several questions of an analysis ask of is computed once."""
        return self._computed.measures

    @property
    def remaining_rows(self) -> dict[str, Any]:
        """What rules of exclusion leave of the study, by the rules: left out once for all that ask."""
        return self._computed.remaining

    def frame(self, table: str) -> nw.LazyFrame[Any]:
        """Return a table in narwhals' lazy form.

        Parameters
        ----------
        table
            Its name, such as "offers".

        Returns
        -------
        LazyFrame
            Nothing is computed until it is collected.

        Raises
        ------
        LogError
            If a file of the study has changed since it was opened; see `check_unchanged`.
        """
        return self._computed.of(table)

    def check_unchanged(self) -> None:
        """Check that the study's files are those that were opened.

        A study that is replaced or removed while it is open is read as it was opened, where the folder for temporary
        files is on the same file system; elsewhere, and where somebody has written into a file, this is refused.

        Raises
        ------
        LogError
            If a file was written to, replaced or removed.
        """
        if self._frames is not None:
            self._frames.check_unchanged()

    def rows(self, table: str) -> int:
        """Return how many rows a table has.

        Parameters
        ----------
        table
            Its name, such as "offers".

        Returns
        -------
        int
            A count; on disk the engine counts without reading the columns.
        """
        if self._frames is None:
            return len(getattr(self, table))
        return self._frames.rows(table)

    def keep(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Compute a lazy frame once, and return it lazily: in memory, or of files in the spill folder.

        Parameters
        ----------
        frame
            A lazy frame of the study's engine.

        Returns
        -------
        LazyFrame
            The same rows; what is asked of it later does not compute them again.
        """
        return self._computed.keep(frame)

    def in_order(self, frame: nw.LazyFrame[Any], keys: Sequence[str]) -> nw.LazyFrame[Any]:
        """Return rows in the order of keys in memory, so that sums have the same last digits each time.

        Engines on disk add rows up in an order of their own anyhow, and need not sort.

        Parameters
        ----------
        frame
            A lazy frame of the study's engine.
        keys
            The columns by which rows are sorted.

        Returns
        -------
        LazyFrame
            The same rows.
        """
        return frame.sort(*keys, nulls_last=True) if self.in_memory else frame

    def from_pandas(self, frame: pd.DataFrame | pa.Table) -> nw.LazyFrame[Any]:
        """Return a frame that was computed in memory as a lazy frame of polars, for a study that is in memory too.

        Parameters
        ----------
        frame
            Rows in memory.

        Returns
        -------
        LazyFrame
            The same rows; they stay in memory.
        """
        lazy: nw.LazyFrame[Any] = nw.from_native(native_polars(frame)).lazy()
        return lazy

    def bring_home(self, frame: nw.LazyFrame[Any]) -> nw.LazyFrame[Any]:
        """Return the rows of an engine's lazy frame in memory, as a lazy frame of polars.

        Parameters
        ----------
        frame
            A lazy frame of the study's engine.

        Returns
        -------
        LazyFrame
            The same rows, in memory.
        """
        rows = self.from_pandas(frame.collect("pyarrow").to_native())
        self.check_unchanged()
        return rows

    def batches(self, frame: nw.LazyFrame[Any], rows: int = 100_000) -> Iterator[pd.DataFrame]:
        """Yield all rows of a lazy frame, so many at a time; its files go when the last was yielded.

        Parameters
        ----------
        frame
            A lazy frame of the study's engine.
        rows
            How many rows a batch has; the last has fewer.

        Returns
        -------
        iterator of DataFrame
            One frame a batch.
        """
        return self._computed.batches(frame, rows)

    def some(self, games: int) -> Study:
        """Bring the first games by their ids home, with all that belongs to them, as a study in memory.

        Parameters
        ----------
        games
            How many games.

        Returns
        -------
        Study
            The games with their players, offers, messages, moves and answers.

        Examples
        --------
        >>> import negstats
        >>> len(negstats.open_study("datasets/contract_sim/study", engine="duckdb").some(5).games)
        5
        """
        frames = self._computed
        ids = frames.of("games").select("game_id").sort("game_id").head(games)
        people = frames.of("players").join(ids, on="game_id", how="semi").select("participant_id").unique()
        tables = {}
        for name in schema.TABLES:
            all_rows = frames.of(name)
            rows = all_rows.join(ids, on="game_id", how="semi")
            if name == "answers":  # those about no game are of the people in these
                of_people = all_rows.filter(nw.col("game_id").is_null()).join(people, on="participant_id", how="semi")
                rows = nw.concat([rows, of_people])
            tables[name] = frames.at_home(name, rows)
        self.check_unchanged()
        return Study(provenance=self.provenance, **tables)

    def check(self) -> None:
        """Check every row, as a study in memory is checked when it is made; an engine does it in a few passes.

        Raises
        ------
        SchemaError
            Naming table and column: a missing value where none may be, a value outside its levels, two rows with one
            key, a reference to a row that does not exist.
        """
        if self._frames is None:
            schema.check(self.tables)
            return
        self.check_unchanged()
        checks.check(self._frames.tables)
        self.check_unchanged()

    def __repr__(self) -> str:
        loader = line(self.provenance.loader, 60)
        if not self.in_memory:
            sources = counted(len(self.provenance.sources), "source")
            return f"<Study by {loader} in {self.engine.name}: {sources}>"
        rows = ", ".join(f"{name} {len(frame)}" for name, frame in self.tables.items())
        left_out = counted(len(self.provenance.left_out), "row")
        return f"<Study by {loader}: {rows}; {left_out} excluded>"

    def save(self, path: str | Path, *, partition_by: Mapping[str, Sequence[str]] | None = None) -> Path:
        """Write the study to the folder `path`: one Parquet file a table, or parts where an engine writes it.

        A study in memory replaces a study that is there. The new study takes the old one's place in one step: a crash,
        a full disk or another writer leaves one of the two whole. A link to a folder stays a link. With an engine, or
        with `partition_by`, the study is checked and written to a new folder, a folder of Parquet files a table.

        Parameters
        ----------
        path
            A folder: a new one, or that of a saved study where nothing else keeps it from being replaced.
        partition_by
            For a table, the columns by whose values its files are put in folders ``column=value``.

        Returns
        -------
        pathlib.Path
            The folder.

        Raises
        ------
        UsageError
            If `path` is there and is no saved study, or one that holds files of somebody else, or may not be replaced:
            it is left as it is; if it cannot be written; or if `partition_by` names a table or column that is not
            there, one that is neither text nor whole numbers, or one with a value that the name of a folder cannot say.
        LogError
            If a file of the study has changed since it was opened.
        SchemaError
            If a factor's values are of a kind that Parquet cannot hold; else as `check`.
        """
        if self.in_memory and partition_by is None:
            from negstats.studies.suspicions import records_of  # it looks at studies

            provenance = replace(self.provenance, records=records_of(self))
            return study_folder.write(path, self.tables, asdict(provenance))
        return self._computed.write(path, asdict(self.provenance), partition_by or {}, self.check)

    def to_convokit(self, path: str | Path) -> Path:
        """Write the study as a corpus that ConvoKit opens: a folder with ``utterances.jsonl`` and four more files.

        A game is a conversation, a message an utterance that replies to the one before it. A speaker is a participant,
        or a seat of a game where nobody is named; what was typed is written as it is, so `deidentify` comes first where
        the corpus is to be shared. Other tables are kept under the key ``negstats``: `negstats.load` gives all back.

        Parameters
        ----------
        path
            A new or empty folder.

        Returns
        -------
        pathlib.Path
            The folder.

        Raises
        ------
        UsageError
            If `path` is there and is not an empty folder, or cannot be written.

        Examples
        --------
        >>> import tempfile, negstats
        >>> study = negstats.load("datasets/sample").some(2)
        >>> again = negstats.load(study.to_convokit(tempfile.mkdtemp()))
        >>> again.rows("games"), again.rows("offers") == study.rows("offers")
        (2, True)
        """
        from negstats.studies.convokit import write_corpus

        return write_corpus(self, path)

    def deidentify(
        self,
        salt: str | None = None,
        *,
        keep: Collection[str] = (),
        shuffle: bool = False,
        times: Times | None = None,
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
        characters, two people or more for each distinct answer on average, and few that one person alone gave in a long
        list. All else is taken for free text and dropped. Messages are kept but for ids of six characters or more: what
        people said is the material of a dialogue study, and no rule finds every name in it. At the end the copy is
        searched for any six characters in a row of any id, and refused if one is found. The provenance's notes name
        every factor and question and what became of it, how many people are alone with their answers, and how many
        messages may name somebody.

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

        Returns
        -------
        Study
            A new study in memory; this one is not changed.

        Raises
        ------
        UsageError
            If the salt is weak, `keep` names what is not there, or six characters of an id in a row are still in the
            copy, which is then refused.

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
        from negstats.studies.copies import copy_without_people

        return copy_without_people(self, salt, keep=keep, shuffle=shuffle, times=times)

    def check_pieces(self, pieces: Pieces, keep: Collection[str] = ()) -> None:
        """Check that a de-identified study holds no piece of an id; see `negstats.studies.copies.check_copy`.

        Parameters
        ----------
        pieces
            The pieces, `negstats.studies.pseudonyms.Pieces` of the ids of the study before.
        keep
            Factors and questions that are kept as they are.

        Raises
        ------
        UsageError
            Naming where the first piece stands.
        """
        from negstats.studies.copies import check_copy

        check_copy(self, pieces, keep)
