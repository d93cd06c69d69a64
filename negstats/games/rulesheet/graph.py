"""The graph of a game: every state within reach, every joint move, and how many histories there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from negstats.errors import DesignError
from negstats.games.rulesheet.game import Game, GroundGame, Move, Payoffs, Profile, profiles

if TYPE_CHECKING:
    import pandas as pd

LIMIT = 1_000_000  # joint moves; a graph of this size takes some hundred megabytes


@dataclass(slots=True)
class Node:
    """A state in a graph.

    Attributes
    ----------
    state : Hashable
        The state.
    steps : int
        The fewest steps that lead here from the first state.
    payoffs : dict | None
        What each role gets, if the game is over here.
    legal : dict
        Each role's moves; empty if the game is over here, or if the graph was cut here.
    edges : list
        Each joint move, the first role's changing slowest, with the place of the node that it leads to.
    """

    state: Hashable
    steps: int
    payoffs: Payoffs | None = None
    legal: Mapping[str, Sequence[Move]] = field(default_factory=dict)
    edges: list[tuple[Profile, int]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class StateGraph:
    """The states within reach. Nodes stand in an order in which steps lead forward.

    Attributes
    ----------
    roles : tuple[str, ...]
        The game's.
    nodes : tuple[Node, ...]
        The first is where the graph begins. A node's successors stand after it.
    """

    roles: tuple[str, ...]
    nodes: tuple[Node, ...]

    @property
    def joint_moves(self) -> int:
        """How many joint moves there are, over all states."""
        return sum(len(node.edges) for node in self.nodes)

    def histories(self) -> int:
        """Return how many ways lead from the first state to an end.

        Returns
        -------
        int
            A count; histories that meet in one state are counted apart.

        Examples
        --------
        >>> from negstats.games.rulesheet import explore, ground, parse, sheet
        >>> graph = explore(ground(parse(sheet.negotiating_prisoners(rounds=3))))
        >>> len(graph.nodes), graph.joint_moves, graph.histories()
        (50, 257, 3076)
        """
        return sum(self.outcomes().values())

    def outcomes(self) -> dict[tuple[float, ...], int]:
        """Return how many histories end with each payoff vector (in the order of roles).

        Returns
        -------
        dict[tuple[float, ...], int]
            Counts by the payoff vector.
        """
        n_paths, counts = [1] + [0] * (len(self.nodes) - 1), dict[tuple[float, ...], int]()
        for index, node in enumerate(self.nodes):
            for _, successor in node.edges:
                n_paths[successor] += n_paths[index]
            if node.payoffs is not None:
                payoffs = tuple(node.payoffs[role] for role in self.roles)
                counts[payoffs] = counts.get(payoffs, 0) + n_paths[index]
        return counts

    def to_frames(self, path: Sequence[Hashable] = ()) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return the graph as two tables, for a figure: states, and pairs of states that a step joins.

        Parameters
        ----------
        path
            States one after the other, such as those of a session.

        Returns
        -------
        states, edges
            ``step`` (the most steps that lead there), ``kind`` (choice: one role has several moves; simultaneous:
            several have; forced; end) and ``text`` (the payoffs at an end); ``start``, ``end``, ``moves`` (how many
            joint moves) and ``played`` (on the path).
        """
        import pandas as pd

        kind_names = {0: "forced", 1: "choice"}
        states = pd.DataFrame(
            {
                "step": self._layers(),
                "kind": [
                    "end"
                    if node.payoffs is not None
                    else kind_names.get(sum(len(moves) > 1 for moves in node.legal.values()), "simultaneous")
                    for node in self.nodes
                ],
                "text": [
                    None if node.payoffs is None else ", ".join(f"{node.payoffs[role]:g}" for role in self.roles)
                    for node in self.nodes
                ],
            }
        )
        step_counts = Counter((start, end) for start, node in enumerate(self.nodes) for _, end in node.edges)
        path_indices = [self.place(state) for state in path]
        path_steps = set(pairwise(path_indices))
        rows = [(start, end, number, (start, end) in path_steps) for (start, end), number in step_counts.items()]
        return states, pd.DataFrame(rows, columns=["start", "end", "moves", "played"])

    def _layers(self) -> list[int]:
        """Return the most steps that lead to each node, so that every edge leads to a later layer."""
        layers = [0] * len(self.nodes)
        for index, node in enumerate(self.nodes):
            for _, successor in node.edges:
                layers[successor] = max(layers[successor], layers[index] + 1)
        return layers

    def place(self, state: Hashable) -> int:
        """Return the place of a state's first node.

        Parameters
        ----------
        state
            A state of the game.

        Returns
        -------
        int
            Counted from 0.

        Raises
        ------
        DesignError
            If the graph does not hold the state.
        """
        for index, node in enumerate(self.nodes):
            if node.state == state:
                return index
        raise DesignError("the state is not within reach of the state that the graph begins with")


def explore(game: Game, *, start: Hashable | None = None, depth: int | None = None, limit: int = LIMIT) -> StateGraph:
    """Return the graph of the states within reach.

    Parameters
    ----------
    game
        The game.
    start
        The state to begin with; None is the game's first.
    depth
        Stop after so many steps. A state that is reached in different numbers of steps is then several nodes.
    limit
        The largest number of joint moves.

    Returns
    -------
    StateGraph
        States and the joint moves between them.

    Raises
    ------
    DesignError
        If there are more joint moves than `limit`, or a state can come again (without `depth`), so that play may go on
        for ever.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, sheet
    >>> len(explore(ground(parse(sheet.alternating_offers(shares=4, rounds=3)))).nodes)
    26
    """
    nodes = [Node(game.first if start is None else start, 0)]
    index_of = {nodes[0].state: 0}
    frontier, moves = range(1), 0
    while frontier:
        layer = [nodes[index] for index in frontier]
        payoffs, legal = _look(game, [node.state for node in layer])
        steps_due: list[tuple[Node, Profile]] = []
        for node, node_payoffs, node_moves in zip(layer, payoffs, legal, strict=True):
            node.payoffs = node_payoffs
            if node_payoffs is None and (depth is None or node.steps < depth):
                node.legal = node_moves
                for profile in profiles(node_moves):
                    moves += 1
                    if moves > limit:
                        raise DesignError(f"more than {limit:,} joint moves within reach; give a depth")
                    steps_due.append((node, profile))
        if depth is not None:
            index_of = {}  # a graph of steps: what comes again later is another node
        start_of_next = len(nodes)
        next_states = _step(game, [node.state for node, _ in steps_due], [profile for _, profile in steps_due])
        for (node, joint_move), state in zip(steps_due, next_states, strict=True):
            index = index_of.setdefault(state, len(nodes))
            if index == len(nodes):
                nodes.append(Node(state, node.steps + 1))
            node.edges.append((joint_move, index))
        frontier = range(start_of_next, len(nodes))
    return StateGraph(tuple(game.roles), tuple(_sort_nodes(nodes)))


def _look(game: Game, states: list[Any]) -> tuple[list[Payoffs | None], list[Any]]:
    if isinstance(game, GroundGame):
        return game.look(states)
    payoffs = [game.payoffs(state) if game.over(state) else None for state in states]
    return payoffs, [
        {} if outcome is not None else game.legal(state) for state, outcome in zip(states, payoffs, strict=True)
    ]


def _step(game: Game, states: list[Any], moves: list[Profile]) -> list[Any]:
    if isinstance(game, GroundGame) and states:
        return list(game.successors(states, moves))
    return [game.next(state, profile) for state, profile in zip(states, moves, strict=True)]


def _sort_nodes(nodes: list[Node]) -> list[Node]:
    """Return the nodes so that edges lead forward (Kahn 1962), with the edges' places changed to match."""
    n_incoming = [0] * len(nodes)
    for node in nodes:
        for _, index in node.edges:
            n_incoming[index] += 1
    order = [0]
    # A node follows when all that leads to it has come.
    for index in order:
        for _, successor in nodes[index].edges:
            n_incoming[successor] -= 1
            if not n_incoming[successor]:
                order.append(successor)
    # Nodes on a cycle never do.
    if len(order) < len(nodes):
        raise DesignError("a state can come again, so play may go on for ever; give a depth")
    renumbered = {index: number for number, index in enumerate(order)}
    for node in nodes:
        node.edges = [(profile, renumbered[index]) for profile, index in node.edges]
    return [nodes[index] for index in order]
