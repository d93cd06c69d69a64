"""Readings of what a row is, each with a score and the evidence for it.

A row is a case of its own (*alone*), a decision of a person who has several (*repeated*), a seat of a game (*seats*),
or something that happened in a game (*events*). A reading is chosen as a whole among its rivals, and there is no
default: that rows are cases of their own must win like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from negstats.loaders.reading.columns import Column
from negstats.loaders.reading.facts import Facts, size_points
from negstats.loaders.reading.words import is_named

Kind: TypeAlias = Literal["alone", "repeated", "seats", "events"]
MOST_SEATS = 8
MEASURED_NAME = 2.0  # points against a column as the name of a person or a game


@dataclass(eq=False)
class Hypothesis:
    """One reading of the rows.

    Attributes
    ----------
    kind : str
        What a row is.
    person, game, seat, order, event, bid : Column or columns
        Who acts, what names the game, what tells its seats apart, what numbers the rows, what tells events apart, and
        the number by which they outbid each other.
    score : float
        The sum of the points.
    evidence : list of (float, str)
        The points, each with the regularity that they are given for.
    has_name, has_talk : bool
        Whether a name of a column supports the reading, and whether its events are talk.
    doubts : list of str
        What cannot be if it holds.
    """

    kind: Kind
    person: Column | None = None
    game: tuple[Column, ...] = ()
    seat: Column | None = None
    order: Column | None = None
    event: Column | None = None
    bid: Column | None = None
    score: float = 0.0
    evidence: list[tuple[float, str]] = field(default_factory=list)
    has_name: bool = False
    has_talk: bool = False
    doubts: list[str] = field(default_factory=list)

    def add(self, points: float, reason: str, *, of_names: bool = False) -> None:
        """Add points for a regularity."""
        if points:
            self.score += points
            self.evidence.append((points, reason))
            self.has_name = self.has_name or (of_names and points > 0)

    @property
    def label(self) -> str:
        """The reading in words."""
        game = " × ".join(column.label for column in self.game)
        match self.kind:
            case "alone":
                return "each row is a separate case"
            case "repeated":
                return f"each row is one of several decisions of one {self.person.label if self.person else 'person'}"
            case "seats":
                seat = f", told apart by {self.seat.name}" if self.seat else ""
                repeats = f"; {self.person.name} repeats" if self.person and not self.person.is_unique else ""
                return f"the rows of one {game} are the seats of one game{seat}{repeats}"
            case "events":
                return f"the rows of one {game} are what happened in one game"

    @property
    def reasons(self) -> str:
        """The doubts and the evidence in one line, the strongest first."""
        ordered = sorted(self.evidence, key=lambda each: -abs(each[0]))
        doubts = [f"but {doubt}" for doubt in self.doubts]
        return "; ".join([*doubts, *(f"{reason} ({points:+.1f})" for points, reason in ordered)])


def describe_difference(column: Column) -> str:
    """Return in how many rows a column that names nearly each row has a level of its own."""
    n_repeated = int(column.sizes[column.sizes > 1].sum())
    return f"{column.name} is different in {f'all but {n_repeated} rows' if n_repeated else 'each row'}"


def add_entity(facts: Facts, entity: Column, hypothesis: Hypothesis) -> None:
    """Add what speaks for a column as the name of an entity, be it a person or a game."""
    hypothesis.add(size_points(entity.n_levels), f"{entity.name} has {entity.n_levels} levels")
    if entity.is_even:
        hypothesis.add(2.0, f"each has as many rows ({entity.rows_per_level:.4g})")
    elif has_sizes_of_measure(entity):
        hypothesis.add(-3.0, "numbers of rows differ as of something that was measured")
    constant = [
        column
        for column in facts.determined_by(entity)
        if not (entity.is_source and column.is_source) and column.name not in entity.parts
    ]
    if constant:
        names = ", ".join(column.name for column in constant[:4])
        hypothesis.add(min(3.0, 1.5 * len(constant)), f"constant in it: {names}")
    if entity.has_codes and not (entity.is_source or entity.parts):
        hypothesis.add(1.5, "codes of letters and digits")
    if entity.name in facts.spelled_out:
        hypothesis.add(-3.0, "others say of its levels whether they are there, as of what was set")
    if entity.is_count and not is_named(entity, "person"):
        hypothesis.add(-1.0, "numbers from 1 on may be an order")


def has_sizes_of_measure(column: Column) -> bool:
    """Whether levels differ in their numbers of rows as values of something that was measured do; files are none."""
    return not column.is_source and column.is_uneven and bool(column.sizes.max() > 3 * np.median(column.sizes))


def is_called_measured(column: Column) -> bool:
    """Whether a column is called as what is measured of people and games, which names neither."""
    return is_named(column, "amount", "trait", "outcome", "time")
