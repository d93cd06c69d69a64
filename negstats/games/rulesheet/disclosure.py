"""Views of a game; what a player is shown of its payoffs: their values, only their order, or only its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from negstats.errors import UsageError, shown
from negstats.games.rulesheet.game import Game, GroundGame, Move, Payoffs, Profile
from negstats.games.rulesheet.graph import explore

Shown = Literal["values", "order", "own"]
SHOWN = ("values", "order", "own")


@dataclass(frozen=True, slots=True, eq=False)
class GameView:
    """Another game as it is played or shown here: whatever a kind of view does not change is that game's."""

    game: Game

    @property
    def roles(self) -> tuple[str, ...]:
        """The game's."""
        return self.game.roles

    @property
    def first(self) -> Any:
        """The game's."""
        return self.game.first

    def legal(self, state: Any) -> Mapping[str, tuple[Move, ...]]:
        """Return the legal moves."""
        return self.game.legal(state)

    def next(self, state: Any, profile: Profile) -> Any:
        """Return the next state."""
        return self.game.next(state, profile)

    def over(self, state: Any) -> bool:
        """Whether the game is over."""
        return self.game.over(state)

    def payoffs(self, state: Any) -> Payoffs:
        """Return the payoffs."""
        return self.game.payoffs(state)

    def holds(self, state: Any, fluent: str) -> bool:
        """Whether something holds."""
        return self.game.holds(state, fluent)


@dataclass(frozen=True, slots=True, eq=False)
class ShownGame(GameView):
    """A game as a player is shown it: `shown_to` makes it."""

    ranks: Mapping[str, Mapping[float, int]] | None = None
    only: str | None = None

    def payoffs(self, state: Any) -> Payoffs:
        """Return the payoffs as they are shown."""
        payoffs = self.game.payoffs(state)
        if self.ranks is not None:
            return {role: self.ranks[role][payoff] for role, payoff in payoffs.items()}
        return {role: payoff for role, payoff in payoffs.items() if self.only in (None, role)}


def shown_to(game: Game, role: str, payoffs: Shown = "values") -> Game:
    """Return a game as a role is shown it.

    Parameters
    ----------
    game
        The game.
    role
        Who looks.
    payoffs
        ``"values"``: as they are. ``"order"``: each payoff replaced by its rank, from 0, among those the role may get;
        goals are then an order of preference and no numbers. ``"own"``: the others' payoffs are hidden.

    Returns
    -------
    Game
        A game with the same moves, whose payoffs are those that the role sees.

    Raises
    ------
    UsageError
        If there is no such role or no such way to show payoffs.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, sheet
    >>> game = ground(parse(sheet.prisoners()))
    >>> end = game.next(game.first, {"a1": "c", "a2": "d"})
    >>> [shown_to(game, "a1", how).payoffs(end) for how in ("values", "order", "own")]
    [{'a1': 10, 'a2': 0}, {'a1': 3, 'a2': 0}, {'a1': 10}]
    """
    if role not in game.roles:
        raise UsageError(f"role is {shown(role)}; the game has {', '.join(game.roles)}")
    if payoffs not in SHOWN:
        raise UsageError(f"payoffs is {shown(payoffs)}; give {', '.join(SHOWN)}")
    if payoffs == "order":
        return ShownGame(game, ranks=_ranks(game))
    return ShownGame(game, only=role) if payoffs == "own" else game


def _ranks(game: Game) -> dict[str, dict[float, int]]:
    if isinstance(game, GroundGame):
        levels = {role: {int(goal) for goal in goals if goal.isdecimal()} for role, goals in game.goals.items()}
        return {
            role: {level: rank for rank, level in enumerate(sorted(goal_levels))}
            for role, goal_levels in levels.items()
        }
    end_payoffs = [node.payoffs for node in explore(game).nodes if node.payoffs is not None]
    return {
        role: {level: rank for rank, level in enumerate(sorted({payoffs[role] for payoffs in end_payoffs}))}
        for role in game.roles
    }
