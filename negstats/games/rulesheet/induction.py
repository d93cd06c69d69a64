"""Backward induction on a game's graph: what players get who think ahead, under three readings of "minimax".

dejonge2016 lets "a straightforward minimax" play and says no more. Where each player is taken to maximise its *own*
payoff (`own_payoff`, `equilibrium_payoffs`) its printed result follows; where the other is taken to minimise mine
(`guaranteed`) it does not. All three are here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from negstats.errors import DesignError, UsageError, shown
from negstats.games.rulesheet.game import Game, Move, Payoffs
from negstats.games.rulesheet.graph import LIMIT, Node, StateGraph, explore
from negstats.games.rulesheet.random_play import mean_payoffs

Vector: TypeAlias = tuple[float, ...]
Ties = Literal["first", "last", "accept", "refuse"]

ACCEPT = "accept"
# The order in which equally good moves are preferred.
TIES: dict[str, Callable[[Sequence[Move]], list[Move]]] = {
    "first": list,
    "last": lambda moves: list(reversed(moves)),
    "accept": lambda moves: sorted(moves, key=lambda move: move != ACCEPT),
    "refuse": lambda moves: sorted(moves, key=lambda move: move == ACCEPT),
}


@dataclass(frozen=True, slots=True)
class OwnPayoff:
    """What backward induction says where each role maximises its own payoff.

    Attributes
    ----------
    graph : StateGraph
        What was searched.
    ties : str
        Which of equally good moves is taken.
    views : dict
        For each role, whose view it is, and each node: the payoffs in the order of roles, and the role's move (None
        where the game is over or the graph was cut).
    """

    graph: StateGraph
    ties: Ties
    views: Mapping[str, Sequence[tuple[Vector, Move | None]]] = field(repr=False)
    _places: Mapping[Hashable, int] = field(repr=False)

    def value(self, state: Hashable | None = None, *, role: str | None = None) -> Payoffs:
        """Return each role's payoff as a role (the first) sees it in a state (where the graph begins).

        Parameters
        ----------
        state
            A state of the game.
        role
            From whose point of view; the first role by default.

        Returns
        -------
        Payoffs
            One number a role.

        Raises
        ------
        DesignError
            If the graph does not hold the state.
        """
        vector, _ = self.views[self._find_role(role)][self._place(state)]
        return dict(zip(self.graph.roles, vector, strict=True))

    def move(self, role: str, state: Hashable | None = None) -> Move:
        """Return a role's move in a state (where the graph begins).

        Parameters
        ----------
        role
            The role whose move it is.
        state
            A state of the game.

        Returns
        -------
        Move
            A move that is best for the role.

        Raises
        ------
        DesignError
            If the graph does not hold the state, or holds nothing beyond it.
        """
        _, move = self.views[self._find_role(role)][self._place(state)]
        if move is None:
            raise DesignError("the graph holds no move in this state: the game is over, or the depth is reached")
        return move

    def _find_role(self, role: str | None) -> str:
        if role is not None and role not in self.views:
            raise UsageError(f"role is {shown(role)}; the game has {', '.join(self.views)}")
        return self.graph.roles[0] if role is None else role

    def _place(self, state: Hashable | None) -> int:
        index = 0 if state is None else self._places.get(state)
        if index is None:
            raise DesignError("the state is not within reach of the state that the graph begins with")
        return index


def own_payoff(
    game: Game,
    *,
    start: Hashable | None = None,
    ties: Ties = "first",
    depth: int | None = None,
    playouts: int = 100,
    rng: np.random.Generator | None = None,
    limit: int = LIMIT,
) -> OwnPayoff:
    """Solve a game backwards, each role maximising its own payoff.

    Where one role has a choice it takes a move with its largest value. Where several have, each has a view of its own:
    I move first, and the others answer for themselves, in the order of roles, knowing the moves before theirs.

    Parameters
    ----------
    game
        The game.
    start
        The state to begin with; None is the game's first.
    ties
        Which of equally good moves: the ``"first"`` or ``"last"`` in move order, or ``"accept"`` (``"refuse"``): the
        first in move order, but accepting before (after) all others.
    depth
        Look so many steps ahead; what lies beyond is worth the mean payoff of random playouts.
    playouts, rng
        How many playouts a state, and the random numbers; only with `depth`.
    limit
        The largest number of joint moves in the graph.

    Returns
    -------
    OwnPayoff
        The solution, whose `move` gives a role's move in a state.

    Raises
    ------
    DesignError
        If the graph is too large or play may go on for ever (`explore`), or other roles' payoffs are hidden.
    UsageError
        If there is no such rule for ties, or `depth` comes without `rng`.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, sheet
    >>> game = ground(parse(sheet.negotiating_prisoners(rounds=3)))
    >>> solved = own_payoff(game, ties="last")
    >>> solved.move("a1"), solved.value()
    ('(propose d d)', {'a1': 8, 'a2': 8})
    """
    if ties not in TIES:
        raise UsageError(f"ties is {shown(ties)}; give {', '.join(TIES)}")
    if depth is not None and rng is None:
        raise UsageError("depth needs random numbers; give rng")
    graph = explore(game, start=start, depth=depth, limit=limit)
    end_vectors = _end_vectors(game, graph, playouts, rng)
    views = {role: _view(graph, end_vectors, role, TIES[ties]) for role in graph.roles}
    return OwnPayoff(graph, ties, views, _first_indices(graph))


def _view(
    graph: StateGraph, end_vectors: Mapping[int, Vector], role: str, prefer: Callable[[Sequence[Move]], list[Move]]
) -> list[tuple[Vector, Move | None]]:
    own_index = graph.roles.index(role)
    order = [own_index, *(other_index for other_index in range(len(graph.roles)) if other_index != own_index)]
    views: list[tuple[Vector, Move | None]] = [((), None)] * len(graph.nodes)
    # Backwards from the ends: each node's vector is what follows if each role moves for its own payoff.
    for index in reversed(range(len(graph.nodes))):
        node = graph.nodes[index]
        if index in end_vectors:
            views[index] = end_vectors[index], None
            continue
        values = {_key(profile, graph.roles): views[successor][0] for profile, successor in node.edges}
        moves = [prefer(node.legal[role_name]) for role_name in graph.roles]
        vector, joint_move = _answers(values, moves, order, {})
        views[index] = vector, joint_move[own_index]
    return views


def _answers(
    values: Mapping[tuple[Move, ...], Vector],
    moves: Sequence[Sequence[Move]],
    order: Sequence[int],
    fixed: dict[int, Move],
) -> tuple[Vector, tuple[Move, ...]]:
    """Return what follows from the moves made so far, and the whole joint move, the rest moving one after the other."""
    if not order:
        key = tuple(fixed[role] for role in range(len(moves)))
        return values[key], key
    mover, *later_movers = order
    best_answer: tuple[Vector, tuple[Move, ...]] | None = None
    for move in moves[mover]:
        answer = _answers(values, moves, later_movers, fixed | {mover: move})
        if best_answer is None or answer[0][mover] > best_answer[0][mover]:
            best_answer = answer
    if best_answer is None:
        raise DesignError("a role has no legal move in a state that is not over")
    return best_answer


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What a role can be sure of, whatever the others do.

    Attributes
    ----------
    role : str
        Whose.
    value : float
        The payoff that is certain from where the search began.
    moves : tuple[str, ...]
        All moves that are as good, in move order; none if the game is over.
    """

    role: str
    value: float
    moves: tuple[Move, ...]


def guaranteed(game: Game, role: str, *, start: Hashable | None = None, limit: int = LIMIT) -> Guarantee:
    """Return what a role is sure of where all others together minimise its payoff, knowing its move (minimax).

    Parameters
    ----------
    game
        The game.
    role
        The role that is asked about.
    start
        The state to begin with; None is the game's first.
    limit
        The largest number of joint moves in the graph.

    Returns
    -------
    Guarantee
        The payoff that is sure, and the moves that secure it.

    Raises
    ------
    DesignError
        As `own_payoff` does.
    UsageError
        If there is no such role.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, sheet
    >>> guaranteed(ground(parse(sheet.prisoners())), "a1")
    Guarantee(role='a1', value=2, moves=('c',))
    """
    if role not in game.roles:
        raise UsageError(f"role is {shown(role)}; the game has {', '.join(game.roles)}")
    graph = explore(game, start=start, limit=limit)
    values: list[float] = [0] * len(graph.nodes)
    worst_values: dict[Move, float] = {}
    for index in reversed(range(len(graph.nodes))):
        node = graph.nodes[index]
        worst_values = {}
        for profile, successor in node.edges:
            move = profile[role]
            worst_values[move] = min(worst_values.get(move, values[successor]), values[successor])
        values[index] = node.payoffs[role] if node.payoffs is not None else max(worst_values.values())
    return Guarantee(role, values[0], tuple(move for move, value in worst_values.items() if value == values[0]))


def equilibrium_payoffs(game: Game, *, start: Hashable | None = None, limit: int = LIMIT) -> frozenset[Vector]:
    """Return the payoffs of all subgame-perfect equilibria in pure strategies, in the order of roles.

    At a state, what a joint move leads to stays if no role has another move after which the worst for it, of what the
    others may then do in equilibrium, is better for it. Where a state has no equilibrium in pure strategies, no state
    before it has.

    Parameters
    ----------
    game
        The game.
    start
        The state to begin with; None is the game's first.
    limit
        The largest number of joint moves in the graph.

    Returns
    -------
    frozenset[Vector]
        Payoffs, each vector in the order of roles.

    Raises
    ------
    DesignError
        As `own_payoff` does.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, sheet
    >>> sorted(equilibrium_payoffs(ground(parse(sheet.alternating_offers(shares=10, rounds=4)))))
    [(9, 1), (10, 0)]
    """
    graph = explore(game, start=start, limit=limit)
    end_vectors = _end_vectors(game, graph, 0, None)
    payoffs: list[frozenset[Vector]] = [frozenset()] * len(graph.nodes)
    for index in reversed(range(len(graph.nodes))):
        node = graph.nodes[index]
        payoffs[index] = (
            frozenset({end_vectors[index]}) if index in end_vectors else _stable(graph.roles, node, payoffs)
        )
    return payoffs[0]


def _stable(roles: Sequence[str], node: Node, payoffs: Sequence[frozenset[Vector]]) -> frozenset[Vector]:
    vectors_after = {_key(profile, roles): payoffs[successor] for profile, successor in node.edges}
    if not all(vectors_after.values()):
        return frozenset()
    worst_vectors = {
        key: [min(vector[i] for vector in vectors) for i in range(len(roles))] for key, vectors in vectors_after.items()
    }
    stable_vectors = set[Vector]()
    for key, vectors in vectors_after.items():
        # What each role can be sure of by leaving this joint move alone.
        floors = [
            max(
                (worst_vectors[(*key[:i], move, *key[i + 1 :])][i] for move in node.legal[role] if move != key[i]),
                default=None,
            )
            for i, role in enumerate(roles)
        ]
        stable_vectors.update(
            vector for vector in vectors if all(floor is None or vector[i] >= floor for i, floor in enumerate(floors))
        )
    return frozenset(stable_vectors)


def _end_vectors(game: Game, graph: StateGraph, playouts: int, rng: np.random.Generator | None) -> dict[int, Vector]:
    """Return the payoffs where the game is over, and estimates where the graph was cut."""
    payoffs: dict[int, Vector] = {}
    for index, node in enumerate(graph.nodes):
        if node.payoffs is not None:
            if node.payoffs.keys() != set(graph.roles):
                raise DesignError("the others' payoffs are hidden; guaranteed(game, role) asks for none of them")
            payoffs[index] = tuple(node.payoffs[role] for role in graph.roles)
        elif not node.edges and rng is not None:
            means = mean_payoffs(game, node.state, playouts, rng)
            payoffs[index] = tuple(means[role] for role in graph.roles)
    return payoffs


def _key(profile: Mapping[str, Move], roles: Sequence[str]) -> tuple[Move, ...]:
    return tuple(profile[role] for role in roles)


def _first_indices(graph: StateGraph) -> dict[Hashable, int]:
    first_index: dict[Hashable, int] = {}
    for index, node in enumerate(graph.nodes):
        first_index.setdefault(node.state, index)
    return first_index
