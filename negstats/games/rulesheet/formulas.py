"""Strategies as formulas: the part of SGL (strategic game description logic) that dejonge2016 needs for proposals.

A formula stands for the moves that a role may make: a set of pairs of a state and a move of that role. `true`, `does`
and `legal` mean what they mean in a sheet; with `not`, `and` and `or` come three modes: *if played*, *after*, and
*restricted*.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from negstats.errors import DesignError, shown
from negstats.games.rulesheet.disclosure import GameView
from negstats.games.rulesheet.game import Game, Move, profiles


class Formula(Protocol):
    """What may be proposed: a formula for one role."""

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:
        """Whether the role's move (None: none yet) in the state satisfies the formula.

        Parameters
        ----------
        game
            The game in which the formula is read.
        state
            A state of the game.
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.
        """


@dataclass(frozen=True, slots=True)
class True_:  # noqa: N801 - the paper's word, which is Python's too
    """`true`: a fluent holds in the state; without a fluent, always satisfied (no restriction)."""

    fluent: str | None = None

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:  # noqa: ARG002
        """Whether the fluent holds.

        Parameters
        ----------
        game
            The game in which the formula is read.
        state
            A state of the game.
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.

        Returns
        -------
        bool
            True if it holds in the state.
        """
        return self.fluent is None or game.holds(state, self.fluent)


@dataclass(frozen=True, slots=True)
class Does:
    """`does`: the role makes this move."""

    played: Move

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:  # noqa: ARG002
        """Whether the move is this one.

        Parameters
        ----------
        game
            The game in which the formula is read.
        state
            A state of the game.
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.

        Returns
        -------
        bool
            True if the role makes this move.
        """
        return move == self.played


@dataclass(frozen=True, slots=True)
class Legal:
    """`legal`: the move is legal for some role in the state."""

    who: str
    what: Move

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:  # noqa: ARG002
        """Whether it is legal.

        Parameters
        ----------
        game
            The game in which the formula is read.
        state
            A state of the game.
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.

        Returns
        -------
        bool
            True if the role may make this move.
        """
        return not game.over(state) and self.what in game.legal(state).get(self.who, ())


@dataclass(frozen=True, slots=True)
class Not:
    """The formula is not satisfied."""

    formula: Formula

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:
        """Whether it is not.

        Parameters
        ----------
        game
            The game in which the formula is read.
        state
            A state of the game.
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.

        Returns
        -------
        bool
            True if the formula is not satisfied.
        """
        return not self.formula.allows(game, state, role, move)


@dataclass(frozen=True, slots=True)
class And:
    """Both formulas are satisfied."""

    first: Formula
    second: Formula

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:
        """Whether both are.

        Parameters
        ----------
        game
            The game in which the formula is read.
        state
            A state of the game.
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.

        Returns
        -------
        bool
            True if both formulas are satisfied.
        """
        return self.first.allows(game, state, role, move) and self.second.allows(game, state, role, move)


@dataclass(frozen=True, slots=True)
class Or:
    """One formula, or the other, or both are satisfied."""

    first: Formula
    second: Formula

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:
        """Whether one is.

        Parameters
        ----------
        game
            The game in which the formula is read.
        state
            A state of the game.
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.

        Returns
        -------
        bool
            True if one of the two formulas is satisfied, or both.
        """
        return self.first.allows(game, state, role, move) or self.second.allows(game, state, role, move)


@dataclass(frozen=True, slots=True)
class IfPlayed:
    """If played, |c|φ: the formula would be satisfied if the role's move were c."""

    played: Move
    formula: Formula

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:  # noqa: ARG002
        """Whether it would be.

        Parameters
        ----------
        game
            The game in which the formula is read.
        state
            A state of the game.
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.

        Returns
        -------
        bool
            True if the formula would be satisfied with that move.
        """
        return self.formula.allows(game, state, role, self.played)


@dataclass(frozen=True, slots=True)
class After:
    """After, [c]φ: the formula is satisfied in the state after the role's move c, whatever the others do.

    No move was made there yet, so no `Does` is satisfied. Where c is not legal there is no such state: not satisfied.
    """

    played: Move
    formula: Formula

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:  # noqa: ARG002
        """Whether it is satisfied in each state that may come next.

        Parameters
        ----------
        game
            The game in which the formula is read.
        state
            A state of the game.
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.

        Returns
        -------
        bool
            True if the move is legal and the formula is satisfied in all states that can follow.
        """
        if not Legal(role, self.played).allows(game, state, role, None):
            return False
        moves = {**game.legal(state), role: (self.played,)}
        return all(self.formula.allows(game, game.next(state, profile), role, None) for profile in profiles(moves))


@dataclass(frozen=True, slots=True)
class Restricted:
    """Restricted, {ψ}φ: the formula φ is satisfied in the game in which the role's legal moves are those of ψ."""

    to: Formula
    formula: Formula

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:
        """Whether it is satisfied in that game.

        Parameters
        ----------
        game
            The game in which the formula is read.
        state
            A state of the game.
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.

        Returns
        -------
        bool
            True if the formula is satisfied in that game.
        """
        return self.formula.allows(_RestrictedGame(game, role, self.to), state, role, move)


@dataclass(frozen=True, slots=True)
class _Playable:
    """Some legal move of the role satisfies the formula: the disjunction of |c|φ over its moves c."""

    formula: Formula

    def allows(self, game: Game, state: Any, role: str, move: Move | None) -> bool:  # noqa: ARG002
        if game.over(state):
            return False
        return any(self.formula.allows(game, state, role, candidate) for candidate in game.legal(state)[role])


def first_else(first: Formula, second: Formula) -> Formula:
    """Return φ ⊕ ψ = φ ∨ (ψ ∧ ⋀_c |c|¬φ): play by the first where it allows something, otherwise by the second.

    Parameters
    ----------
    first, second
        Formulas of which moves are allowed.

    Returns
    -------
    Formula
        The combined formula.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, sheet
    >>> game = ground(parse(sheet.prisoners()))
    >>> moves_of(first_else(Does("noop"), Does("d")), game, game.first, "a1")
    ('d',)
    """
    return Or(first, And(second, Not(_Playable(first))))


def both(first: Formula, second: Formula) -> Formula:
    """Return φ ⊗ ψ = φ ∧ ((⋁_c |c|(φ ∧ ψ)) → ψ): what both allow where there is such a move, otherwise φ alone.

    Parameters
    ----------
    first, second
        Formulas of which moves are allowed.

    Returns
    -------
    Formula
        The combined formula.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, sheet
    >>> game = ground(parse(sheet.prisoners()))
    >>> [moves_of(both(Does("c"), other), game, game.first, "a1") for other in (True_(), Does("d"))]
    [('c',), ('c',)]
    """
    return And(first, Or(Not(_Playable(And(first, second))), second))


def moves_of(formula: Formula, game: Game, state: Any, role: str) -> tuple[Move, ...]:
    """Return the role's legal moves that a formula allows in a state, in move order.

    Parameters
    ----------
    formula
        Which moves are allowed.
    game
        The game.
    state
        A state of the game.
    role
        The role whose moves are looked at.

    Returns
    -------
    tuple[Move, ...]
        The moves; empty if the formula allows none.

    Raises
    ------
    DesignError
        If there are none: no strategy, and nothing to agree on.
    """
    moves = tuple(move for move in game.legal(state)[role] if formula.allows(game, state, role, move))
    if not moves:
        raise DesignError(f"{shown(formula)} leaves {role} no move in a state where it has some")
    return moves


@dataclass(frozen=True, slots=True, eq=False)
class _RestrictedGame(GameView):
    """A game in which one role's legal moves are those of a formula."""

    role: str
    formula: Formula

    def legal(self, state: Any) -> Mapping[str, tuple[Move, ...]]:
        moves = self.game.legal(state)
        legal = (move for move in moves[self.role] if self.formula.allows(self.game, state, self.role, move))
        return {**moves, self.role: tuple(legal)}
