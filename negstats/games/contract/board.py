"""Boards and states of the contract game: coloured squares, holes, goals, the chips of all, and offers.

A board is any m × n grid. A square is ``(row, column)``, counted from 0, row 0 on top. A hole is a square that cannot
be entered; nor can the start be entered again if it has no colour.

Players are numbered: 0 is the customer, 1, 2, … are the providers in the order of the board's goals. Chips are counts
by colour, in the order of the game's colours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import add, le, sub
from typing import Literal, NamedTuple

from negstats.errors import DesignError, shown

Square = tuple[int, int]
Directions = Literal["all", "forward"]

# Right, left, up, down: the order in which equally good paths are looked for.
DIRECTIONS: dict[str, tuple[Square, ...]] = {
    "all": ((0, 1), (0, -1), (-1, 0), (1, 0)),
    "forward": ((0, 1), (0, -1), (-1, 0)),
}


@dataclass(frozen=True, slots=True)
class Board:
    """Coloured squares, the start and the providers' goals.

    Parameters
    ----------
    squares
        The colour of each square by row, None for a hole.
    start
        Where the customer stands at first. It may lack a colour: then it cannot be entered again.
    goals
        One square a provider, all different, each with a colour.

    Raises
    ------
    DesignError
        If rows differ in length, a square lies outside, a goal is a hole, or two goals are one square.

    Examples
    --------
    >>> Board((("gray", None, "yellow"),), start=(0, 1), goals=((0, 0), (0, 2))).colour((0, 2))
    'yellow'
    """

    squares: tuple[tuple[str | None, ...], ...]
    start: Square
    goals: tuple[Square, ...]

    def __post_init__(self) -> None:
        widths = sorted({len(row) for row in self.squares})
        if len(widths) != 1 or widths == [0]:
            raise DesignError(
                f"rows of the board have {shown(widths)} squares; all must have the same number, at least 1"
            )
        for name, square in [("start", self.start), *(("goal", goal) for goal in self.goals)]:
            if not self.holds(square):
                raise DesignError(f"{name} {square} lies outside the board of {self.rows} × {self.columns} squares")
        for goal in self.goals:
            if self.colour(goal) is None:
                raise DesignError(f"goal {goal} is a hole; a goal needs a colour to be entered")
        if not self.goals or len(set(self.goals)) < len(self.goals):
            raise DesignError(f"goals are {shown(self.goals)}; at least one is needed, and no square twice")
        if self.start in self.goals:
            raise DesignError(f"start {self.start} is a goal: the game would end before it begins")

    @classmethod
    def parse(cls, text: str, names: Mapping[str, str], *, start: Square, goals: tuple[Square, ...]) -> Board:
        """Read a board from text: a line a row, a letter a square (blanks between them do not count), ``.`` a hole.

        Parameters
        ----------
        text
            The rows of the board, first row first.
        names
            The colour that each letter stands for.
        start
            Where the customer begins, as (row, column).
        goals
            The squares of the goals, one a provider.

        Raises
        ------
        DesignError
            If a letter has no name in `names`, or as `Board` does.

        Examples
        --------
        >>> names = {"g": "gray", "y": "yellow"}
        >>> Board.parse("g . y", names, start=(0, 1), goals=((0, 0), (0, 2))).squares
        (('gray', None, 'yellow'),)
        """
        rows = [line.split() if " " in line.strip() else list(line.strip()) for line in text.strip().splitlines()]
        letters = {letter for row in rows for letter in row} - {"."} - set(names)
        if letters:
            raise DesignError(
                f"letters {shown(sorted(letters))} of the board have no name; names has {shown([*names])}"
            )
        squares = tuple(tuple(None if letter == "." else names[letter] for letter in row) for row in rows)
        return cls(squares, start, goals)

    @property
    def rows(self) -> int:
        """How many rows the board has."""
        return len(self.squares)

    @property
    def columns(self) -> int:
        """How many columns the board has."""
        return len(self.squares[0])

    def holds(self, square: Square) -> bool:
        """Whether the square lies on the board, hole or not.

        Parameters
        ----------
        square
            Row and column, counted from 0.

        Returns
        -------
        bool
            True if it is on the board.
        """
        row, column = square
        return 0 <= row < self.rows and 0 <= column < self.columns

    def colour(self, square: Square) -> str | None:
        """Return the square's colour; None if it cannot be entered: a hole, or outside the board.

        Parameters
        ----------
        square
            Row and column, counted from 0.

        Returns
        -------
        str or None
            The name of the colour.
        """
        return self.squares[square[0]][square[1]] if self.holds(square) else None

    def neighbours(self, square: Square, directions: Directions = "all") -> tuple[Square, ...]:
        """Return the squares that can be entered from this one, never diagonally.

        ``"forward"`` is up, left or right only.

        Parameters
        ----------
        square
            Row and column, counted from 0.
        directions
            "all", or "forward".

        Returns
        -------
        tuple[Square, ...]
            Squares of a colour; holes are left out.

        Examples
        --------
        >>> board = Board((("g", None, "y"), ("g", "p", "p")), start=(1, 1), goals=((0, 0), (0, 2)))
        >>> board.neighbours((1, 2))
        ((1, 1), (0, 2))
        """
        row, column = square
        squares = [(row + row_step, column + column_step) for row_step, column_step in DIRECTIONS[directions]]
        return tuple(neighbour for neighbour in squares if self.colour(neighbour) is not None)


Chips = tuple[int, ...]


class Offer(NamedTuple):
    """An exchange between the customer and one provider.

    Attributes
    ----------
    provider
        The provider's number, from 1.
    to_customer, to_provider
        Chips by colour that each would get from the other.
    """

    provider: int
    to_customer: Chips
    to_provider: Chips

    @property
    def net(self) -> int:
        """How many chips more the customer gets than it gives.

        Examples
        --------
        >>> Offer(1, to_customer=(0, 0, 7, 33), to_provider=(0, 11, 0, 0)).net
        29
        """
        return sum(self.to_customer) - sum(self.to_provider)


class State(NamedTuple):
    """The state of a game.

    Attributes
    ----------
    square
        Where the customer stands.
    chips
        Each player's chips by colour, the customer's first.
    odd
        Whether the round is odd: then the providers offer, otherwise the customer.
    idle
        How many rounds in a row the customer has not moved.
    moving
        Whether the round's offers are done and the customer may move.
    """

    square: Square
    chips: tuple[Chips, ...]
    odd: bool = True
    idle: int = 0
    moving: bool = False


def added(chips: Chips, other: Chips) -> Chips:
    """Return the chips of both, colour by colour."""
    return tuple(map(add, chips, other))


def subtracted(one: Chips, other: Chips) -> Chips:
    """Return what is left of `one` without `other`, colour by colour."""
    return tuple(map(sub, one, other))


def contained(one: Chips, other: Chips) -> bool:
    """Whether `other` holds all the chips of `one`."""
    return all(map(le, one, other))
