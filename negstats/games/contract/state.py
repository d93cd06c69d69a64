"""States and offers of the contract game: small immutable values that can be hashed and compared.

Players are numbered: 0 is the customer, 1, 2, … are the providers in the order of the board's goals. Chips are counts
by colour, in the order of the game's colours.
"""

from __future__ import annotations

from operator import add, le, sub
from typing import NamedTuple

from negstats.games.contract.board import Square

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
