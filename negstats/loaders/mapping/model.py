"""The mapping file as data: its sections and keys, and what a `Mapping` holds once it was read.

What each key means to the log is told in `negstats.loaders.mapping`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from negstats.loaders.files.tabular import Form
from negstats.loaders.mapping.beside import Beside
from negstats.tables import TABLES, OwnMeasure

if TYPE_CHECKING:
    from negstats.loaders.mapping.open_questions import OpenQuestion

Row: TypeAlias = Literal["offer", "item", "event", "message", "player", "game"]
ROWS: tuple[Row, ...] = ("offer", "item", "event", "message", "player", "game")
ENDS = TABLES["games"]["ended"].levels
EVENTS = ("offer", "accept", "reject", "message", *(end for end in ENDS if end != "unknown"), "ignore")


def _keys(table: str, *leave: str) -> tuple[str, ...]:
    return tuple(name for name in TABLES[table].names if name not in {"game_id", *leave})


# The sections and their keys; () takes any key.
KEYS: dict[str, tuple[str, ...]] = {
    "games": ("game_id", *_keys("games", "study")),
    "factors": (),
    "measures": (),
    "players": _keys("players"),
    "offers": (*_keys("offers"), "total", "items", "accept_from", "vote", "voted_on"),
    "messages": _keys("messages"),
    "answers": (),
    "person": (),
}
# What a factor may be said to be, by ``role = `` in a mapping.
ROLES = (
    "condition",
    "agent",
    "setting",
    "order",
    "practice",
    "split",
    "flag",
    "id",
    "game",
    "role",
    "trait",
    "covariate",
    "cluster",
    "outcome",
)
# The levels of the columns that have a fixed set of them.
LEVELS: dict[str, tuple[str, ...]] = {
    **{column.name: column.levels for table in TABLES.values() for column in table.columns if column.levels},
    "reached_goal": ("true", "false"),
    "commitment": ("true", "false"),
    "event": EVENTS,
}


@dataclass(frozen=True, slots=True)
class Atom:
    """One piece of a text: a column's name, a constant, a pattern for the file's path (empty: all of it), the row.

    Of a folder the text is its place in the file's path, from 1, the outermost. A pair are two columns whose names
    stand in one order, whichever of them is in which column. What begins with a column is the run of rows in which its
    numbers rise. Of the cells of a column among other pieces what `clean` finds is taken out.
    """

    kind: Literal["column", "constant", "file", "folder", "row", "pair", "begins"]
    text: str = ""
    other: str = ""
    clean: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of the log that are read."""
        match self.kind:
            case "column" | "begins":
                return (self.text,)
            case "pair":
                return (self.text, self.other)
        return ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where the values of one key come from: `atoms` joined, and how they are read.

    `name` is the key (a column of a table, a factor, a question, ...) and `key` its place in the mapping file. With
    `is_mean` the atoms are items or decisions, and their mean is the value; with `is_item` it is one of these, and has
    no key of its own. What fits one of
    the patterns `clean` is taken out of a cell; what then is in `missing` is no value.
    """

    name: str
    key: str
    atoms: tuple[Atom, ...]
    scale: float = 1.0
    clock: bool = False
    format: str | None = None
    take: str | None = None
    clean: tuple[str, ...] = ()
    missing: frozenset[str] = frozenset()
    is_mean: bool = False
    is_item: bool = False

    @property
    def items(self) -> tuple[Source, ...]:
        """The items of a scale, each read as a column of its own."""
        return tuple(replace(self, atoms=(atom,), is_mean=False) for atom in self.atoms)

    @property
    def cells(self) -> tuple[object, ...]:
        """What tells apart the cells that are read from those of another source."""
        return (*self.columns, self.clean, self.missing)

    @property
    def columns(self) -> list[str]:
        """The columns of the log that are read."""
        return [name for atom in self.atoms for name in atom.columns]

    @property
    def column(self) -> str | None:
        """The first of them, for errors; None if no column is read."""
        return next(iter(self.columns), None)


Sources: TypeAlias = dict[str, Source]


@dataclass(frozen=True, slots=True)
class Where:
    """A condition on a column: its words (or all but them), a range of numbers, or whether it is empty."""

    source: Source
    words: frozenset[str] | None = None
    but: bool = False
    least: float = -math.inf
    most: float = math.inf
    empty: bool | None = None

    def holds(self, word: str, number: float) -> bool:
        """Whether a cell fulfils it: its spelling as levels are compared ("" if it is empty), and its number."""
        if self.empty is not None:
            return (word == "") == self.empty
        if self.words is not None:
            return (word in self.words) != self.but
        return self.least <= number <= self.most


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One kind of row, the files that hold it, and where each value stands.

    Attributes
    ----------
    sections : dict
        For each section of `KEYS` its sources.
    seats : dict
        For each seat its sources: ``players`` (columns of the table, value, units), ``items``, ``answers``, ``person``.
    items, worths : dict
        For each item its sources; for each seat and (item, option) the source of the worth.
    item : dict
        Where a row is an item of an offer: its ``name``, and the sources that an item of `items` has.
    own : dict
        What each of the measures is: its unit and kind, and what it has one value for.
    in_some_files : frozenset of str
        Columns that not each of the files has: their cells are empty in the others.
    beside : tuple of Beside
        A second table with more about what the rows name.
    roles : dict
        What a factor is, where the mapping says it: a word of `ROLES`.
    """

    row: Row
    files: tuple[str, ...] = ()
    in_some_files: frozenset[str] = frozenset()
    beside: tuple[Beside, ...] = ()
    form: Form = field(default_factory=Form)
    decimal: str = "."
    thousands: str | None = None
    missing: frozenset[str] = frozenset()
    event: Source | None = None
    where: tuple[Where, ...] = ()
    sections: dict[str, Sources]
    seats: dict[str, dict[str, Sources]] = field(default_factory=dict)
    items: dict[str, Sources] = field(default_factory=dict)
    item: Sources = field(default_factory=dict)
    worths: dict[str, dict[tuple[str, str | None], Source]] = field(default_factory=dict)
    items_to: str | None = None
    last_is_deal: bool = False
    own: dict[str, OwnMeasure] = field(default_factory=dict)
    roles: dict[str, str] = field(default_factory=dict)
    accept_at: str | None = None
    accepts_needed: int | Literal["majority", "all"] | None = None
    points_from_deal: bool = False
    points_without_deal: float | None = None

    @property
    def lists_games(self) -> bool:
        """Whether each row is a game or a seat of one, so that games that no row names do not exist."""
        return self.row in ("player", "game")

    @property
    def has_known_people(self) -> bool:
        """Whether each row is of a seat whose person has an id, so that its own numbers are answers of that person."""
        return self.row in ("player", "message") and "participant_id" in self.sections["players"]

    def sources(self) -> Iterable[Source]:
        """All the sources of the part."""
        if self.event:
            yield self.event
        yield from (condition.source for condition in self.where)
        seats = [seat.values() for seat in self.seats.values()]
        groups = [self.sections.values(), self.items.values(), [self.item], *seats]
        for sources in itertools.chain(*groups):
            yield from sources.values()
        for worths in self.worths.values():
            yield from worths.values()

    @property
    def columns(self) -> list[str]:
        """The columns that the sources, the part's lists and what links it to another table are read from."""
        of_sources = (name for source in self.sources() for name in source.columns)
        of_links = (name for beside in self.beside for name, _ in beside.by)
        return list(dict.fromkeys([*of_sources, *of_links, *self.form.rows, *self.form.rows_once]))

    def means(self) -> Iterable[tuple[str, tuple[str, ...], bool]]:
        """Each answer that is a mean, what its parts are called, and whether these are items of a scale.

        A part that has a key of its own is an answer of its own: a decision, beside others of its kind.
        """
        for block in (self.sections, *self.seats.values()):
            for sources in (block["answers"], block["person"], block.get("measures", {})):
                parts = {
                    source.column: (name, source.is_item) for name, source in sources.items() if not source.is_mean
                }
                for name, source in sources.items():
                    if source.is_mean:
                        names, are_items = zip(
                            *(parts.get(part.column, (part.column, False)) for part in source.items), strict=True
                        )
                        yield name, names, any(are_items)


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping file: its path and SHA-256, the study's name, how levels are spelled, and the parts.

    `levels` holds for each key the level of each spelling, in lower case. With `leave_out_bad_games` a fault in a row
    costs its game and not the log. `accept` names the doubts about the log that are answered, `open` the questions that
    its reading left open, with their answers.
    """

    file: Path
    sha256: str
    study: str | None
    levels: dict[str, dict[str, str]]
    parts: tuple[Part, ...]
    leave_out_bad_games: bool = False
    accept: tuple[str, ...] = ()
    open: tuple[OpenQuestion, ...] = ()

    @property
    def measures(self) -> tuple[OwnMeasure, ...]:
        """What the parts say of measures, where they say more than a name or the name may be that of an answer."""
        said = {
            name: own
            for part in self.parts
            for name, own in part.own.items()
            if own != OwnMeasure(name) or part.has_known_people
        }
        return tuple(said.values())

    @property
    def roles(self) -> tuple[tuple[str, str], ...]:
        """The factors whose role the parts say, each with its role."""
        return tuple({name: role for part in self.parts for name, role in part.roles.items()}.items())
