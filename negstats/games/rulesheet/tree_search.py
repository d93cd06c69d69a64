"""Tree search by random playouts (UCT) for any game: anytime, the same again from one seed, exact where it can be.

Kocsis and Szepesvári (2006), *Bandit based Monte-Carlo planning*, ECML: of the moves of a state the one with the
largest mean plus a margin for how rarely it was tried is tried next. Every role maximises its own mean. Bounds of the
payoffs are carried up the tree (Cazenave and Saffidine 2010, *Score bounded Monte-Carlo tree search*, CG), so that a
small game is solved: the value is then that of `negstats.games.rulesheet.own_payoff`, with the same rule for ties.
States that are reached on several ways are one node. Where several roles choose at once, the searching role moves first
in its own view, and the others answer, as in `own_payoff`.
"""

from __future__ import annotations

import math
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from negstats.errors import UsageError, shown
from negstats.games.rulesheet.game import Game, GroundGame, Move
from negstats.games.rulesheet.induction import TIES, Ties
from negstats.games.rulesheet.negotiation import NegotiationGame
from negstats.games.rulesheet.players import Player, game_specific
from negstats.games.rulesheet.random_play import mean_payoffs

Vector = tuple[float, ...]
EXPLORATION = math.sqrt(2)
PLAYOUTS = 1000


class Sampled(Protocol):
    """The other roles as one iteration takes them to be."""

    def move(self, state: Any, moves: Sequence[Move]) -> Move:
        """Return the move of whoever of the others is on turn."""

    def payoffs(self, state: Any) -> Vector:
        """Return the payoffs, in the order of roles, if play goes on from a state beyond the tree."""


class Model(Protocol):
    """What a player thinks of the others; without one they maximise their own means as the player does."""

    def draw(self, rng: np.random.Generator) -> Sampled:
        """Return the others for one iteration."""


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search says of a state.

    Attributes
    ----------
    move : str
        The move that it takes: of a solved state the best, else the one that was tried most often.
    value : dict[str, float]
        Each role's payoff: exact where the state was solved, else the mean over the playouts of that move.
    bounds : dict[str, tuple[float, float]]
        What each role gets at least and at most where each maximises its own payoff; without end where not known.
    exact : bool
        Whether the state was solved.
    playouts : int
        How many iterations there were.
    nodes : int
        How many states are in the tree.
    """

    move: Move
    value: Mapping[str, float]
    bounds: Mapping[str, tuple[float, float]]
    exact: bool
    playouts: int
    nodes: int


@dataclass(slots=True)
class _Node:
    """A state in which one role chooses, or the end of the game."""

    low: list[float]
    high: list[float]
    chooser: int = -1  # no role: the game is over
    moves: Sequence[Move] = ()
    children: list[_Node | None] = field(default_factory=list)
    visits: list[int] = field(default_factory=list)
    sums: list[list[float]] = field(default_factory=list)  # by move: each role's
    state: Any = None
    chosen: dict[str, Move] = field(default_factory=dict)  # moves of this step that precede the chooser's
    waiting: tuple[int, ...] = ()  # roles that choose after the chooser in this step
    value: Vector | None = None  # once the node is solved

    def add(self, place: int, payoffs: Vector) -> None:
        self.visits[place] += 1
        sums = self.sums[place]
        for role, payoff in enumerate(payoffs):
            sums[role] += payoff


def uct_search(
    game: Game,
    role: str,
    *,
    rng: np.random.Generator,
    start: Hashable | None = None,
    playouts: int | None = PLAYOUTS,
    seconds: float | None = None,
    ties: Ties = "first",
    c: float = EXPLORATION,
    batch: int = 1,
    model: Model | None = None,
    tree: bool = True,
) -> Searched:
    """Search a state, until it is solved, so many playouts were made or so much time has passed.

    The move that is tried next is chosen as in UCT [1]_, and bounds of the payoffs are carried up the tree [2]_.

    Parameters
    ----------
    game
        The game. Sheets, and games that have ``bounds(state)``, give bounds of payoffs, without which only whole
        subtrees are solved.
    role
        Who searches.
    rng
        The random numbers. The same numbers and the same `playouts` give the same move.
    start
        The state; None is the game's first.
    playouts
        The most iterations; None sets no limit.
    seconds
        The most processor seconds; None sets no limit. With a limit the move depends on the machine.
    ties
        Which of equally good moves is taken, as in `own_payoff`.
    c
        How much is explored, in ranges of the payoffs.
    batch
        How many random playouts value a new state.
    model
        What the searching role thinks of the others.
    tree
        False: no tree, each of the role's moves is tried equally often (flat Monte Carlo).

    Returns
    -------
    Searched
        The move and its value.

    Raises
    ------
    UsageError
        If there is no such role or rule for ties, the role has no choice in the state, or no limit is set.

    References
    ----------
    .. [1] Kocsis, L., & Szepesvári, C. (2006). Bandit based Monte-Carlo planning. In Machine Learning: ECML 2006.
    .. [2] Cazenave, T., & Saffidine, A. (2010). Score bounded Monte-Carlo tree search. In Computers and Games: CG 2010.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, sheet
    >>> game = ground(parse(sheet.negotiating_prisoners(rounds=3)))
    >>> searched = uct_search(game, "a1", rng=np.random.default_rng(1), playouts=3000, ties="last")
    >>> searched.move, searched.value, searched.exact
    ('(propose d d)', {'a1': 8, 'a2': 8}, True)
    """
    if role not in game.roles:
        raise UsageError(f"role is {shown(role)}; the game has {', '.join(game.roles)}")
    if ties not in TIES:
        raise UsageError(f"ties is {shown(ties)}; give {', '.join(TIES)}")
    if playouts is None and seconds is None:
        raise UsageError("neither playouts nor seconds limits the search; give one")
    if (playouts is not None and playouts < 1) or (seconds is not None and not seconds > 0) or batch < 1:
        raise UsageError(f"playouts is {playouts}, seconds {seconds} and batch {batch}; give numbers above 0")
    search = _Search(game, role, rng, ties, c, batch, model, tree)
    return search.run(game.first if start is None else start, playouts, seconds)


class _Search:
    """The tree of one search."""

    def __init__(
        self,
        game: Game,
        role: str,
        rng: np.random.Generator,
        ties: Ties,
        c: float,
        batch: int,
        model: Model | None,
        tree: bool,
    ) -> None:
        self.game, self.rng, self.c, self.batch, self.model, self.tree = game, rng, c, batch, model, tree
        self.prefer = TIES[ties]
        self.mine = game.roles.index(role)
        self.order = [self.mine, *(other_index for other_index in range(len(game.roles)) if other_index != self.mine)]
        self.nodes: dict[Hashable, _Node] = {}
        self.least, self.most = [math.inf] * len(game.roles), [-math.inf] * len(game.roles)

    def run(self, start: Hashable, playouts: int | None, seconds: float | None) -> Searched:
        root = self.node(start)
        if root.chooser != self.mine:
            raise UsageError(f"{self.game.roles[self.mine]} has no choice in this state, and a search needs one")
        begin, n_playouts = time.process_time(), 0
        while root.value is None and (playouts is None or n_playouts < playouts):
            self.iterate(root)
            n_playouts += 1
            if seconds is not None and time.process_time() - begin >= seconds:
                break
        return self.read(root, n_playouts)

    def read(self, root: _Node, playouts: int) -> Searched:
        roles = self.game.roles
        if root.value is not None:
            move_index, value = self.best(root), root.value
        else:
            means = [sums[self.mine] / max(n, 1) for sums, n in zip(root.sums, root.visits, strict=True)]
            keys = list(zip(root.visits, means, strict=True)) if self.tree else [(m, 0.0) for m in means]
            move_index = max(range(len(keys)), key=lambda move: (root.visits[move] > 0, *keys[move]))
            value = tuple(total / max(root.visits[move_index], 1) for total in root.sums[move_index])
        bounds = {role: (root.low[i], root.high[i]) for i, role in enumerate(roles)}
        exact = root.value is not None
        return Searched(
            root.moves[move_index], dict(zip(roles, value, strict=True)), bounds, exact, playouts, len(self.nodes)
        )

    def node(self, state: Hashable, chosen: Mapping[str, Move] | None = None, waiting: Sequence[int] = ()) -> _Node:
        """Return the node of a state, or of a step in which some roles made their moves already."""
        key = (state, tuple(chosen.values())) if chosen else state
        node = self.nodes.get(key)
        if node is None:
            node = self.nodes[key] = self.build(state, dict(chosen or {}), waiting)
        return node

    def build(self, state: Any, chosen: dict[str, Move], waiting: Sequence[int]) -> _Node:
        roles = self.game.roles
        if not chosen and self.game.over(state):
            payoffs = self.game.payoffs(state)
            vector = tuple(payoffs[role] for role in roles)
            self.widen(vector)
            return _Node(list(vector), list(vector), value=vector)
        legal = self.game.legal(state)
        # Roles that choose at once do so one after the other, each knowing what those before it chose.
        if not chosen:
            chosen = {role: moves[0] for role, moves in legal.items() if len(moves) == 1}
            waiting = [role for role in self.order if len(legal[roles[role]]) > 1]
        if not waiting:
            return self.node(self.game.next(state, chosen))
        chooser, *later_choosers = waiting
        moves = self.prefer(legal[roles[chooser]])
        low, high = self.find_bounds(state)
        n = len(moves)
        no_children: list[_Node | None] = [None] * n
        sums = [[0.0] * len(roles) for _ in moves]
        return _Node(low, high, chooser, moves, no_children, [0] * n, sums, state, chosen, tuple(later_choosers))

    def find_bounds(self, state: Any) -> tuple[list[float], list[float]]:
        bounds = payoff_bounds(self.game, state)
        return [bounds[role][0] for role in self.game.roles], [bounds[role][1] for role in self.game.roles]

    def iterate(self, root: _Node) -> None:
        """Go down the tree, add one node, value it, and carry the payoffs up."""
        sampled = None if self.model is None else self.model.draw(self.rng)
        path, visited, node = list[tuple[_Node, int]](), {id(root)}, root
        # Down the tree, untried moves first, then by upper confidence
        # bounds, until a new node, an end or a repetition.
        while True:
            move_index = self.select(node, sampled)
            is_new = node.children[move_index] is None
            path.append((node, move_index))
            node = self.child(node, move_index)
            if node.value is not None:
                payoffs = node.value
                break
            if is_new or id(node) in visited or not self.tree:
                payoffs = self.finish(node, sampled)
                break
            visited.add(id(node))
        # The payoffs go back along the path; without a model, exact bounds go with them.
        for parent, move in reversed(path):
            parent.add(move, payoffs)
            if self.model is None and self.tree:
                self.settle(parent)

    def child(self, node: _Node, place: int) -> _Node:
        child = node.children[place]
        if child is None:
            chosen = {**node.chosen, self.game.roles[node.chooser]: node.moves[place]}
            if node.waiting:
                child = self.node(node.state, chosen, node.waiting)
            else:
                child = self.node(self.game.next(node.state, chosen))
            node.children[place] = child
        return child

    def select(self, node: _Node, sampled: Sampled | None) -> int:
        """Return the place of the move to try: of an untried one at random, else of the largest upper limit."""
        if sampled is not None and node.chooser != self.mine:
            return node.moves.index(sampled.move(node.state, node.moves))
        untried = [move_index for move_index, n in enumerate(node.visits) if not n]
        if untried:
            return untried[int(self.rng.integers(len(untried)))]
        if not self.tree:
            return min(range(len(node.visits)), key=node.visits.__getitem__)
        open_moves = self.list_open(node)
        payoff_range = self.most[node.chooser] - self.least[node.chooser]
        log_visits = math.log(sum(node.visits))
        scale = self.c * (payoff_range if payoff_range > 0 else 1.0)

        def limit(move_index: int) -> float:
            n = node.visits[move_index]
            return node.sums[move_index][node.chooser] / n + scale * math.sqrt(log_visits / n)

        return max(open_moves, key=limit)

    def list_open(self, node: _Node) -> list[int]:
        """Return the moves that may still be the best and are not solved; all where every one is."""
        if self.model is not None:
            return list(range(len(node.moves)))
        chooser, floor = node.chooser, node.low[node.chooser]
        open_moves = [
            move_index
            for move_index, child in enumerate(node.children)
            if child is None or (child.value is None and child.high[chooser] >= floor)
        ]
        return open_moves or list(range(len(node.moves)))

    def finish(self, node: _Node, sampled: Sampled | None) -> Vector:
        """Return the payoffs of playouts from a node's state."""
        if sampled is not None:
            return sampled.payoffs(node.state)
        state = node.state
        if node.chosen.keys() != set(self.game.roles) and node.waiting:
            legal = self.game.legal(state)
            profile = {
                role: node.chosen.get(role) or moves[int(self.rng.integers(len(moves)))]
                for role, moves in legal.items()
            }
            state = self.game.next(state, profile)
        means = mean_payoffs(self.game, state, self.batch, self.rng)
        vector = tuple(means[role] for role in self.game.roles)
        self.widen(vector)
        return vector

    def widen(self, payoffs: Vector) -> None:
        for role, payoff in enumerate(payoffs):
            self.least[role] = min(self.least[role], payoff)
            self.most[role] = max(self.most[role], payoff)

    def settle(self, node: _Node) -> None:
        """Narrow a node's bounds by those of its children, and solve it if they say enough."""
        if node.value is not None or None in node.children:
            return
        chooser, children = node.chooser, [child for child in node.children if child is not None]
        floor = max(child.low[chooser] for child in children)
        relevant = [child for child in children if child.high[chooser] >= floor]
        for role in range(len(node.low)):
            lowest = floor if role == chooser else min(child.low[role] for child in relevant)
            node.low[role] = max(node.low[role], lowest)
            node.high[role] = min(node.high[role], max(child.high[role] for child in relevant))
        best_child = children[self.best(node)]
        if best_child.value is None:
            return
        # A move before it in the order of preference must be worse for certain, one after it must not be better.
        best_index = self.best(node)
        earlier, later = children[:best_index], children[best_index + 1 :]
        best_payoff = best_child.value[chooser]
        if all(child.high[chooser] < best_payoff for child in earlier) and all(
            child.high[chooser] <= best_payoff for child in later
        ):
            node.value, node.low, node.high = best_child.value, list(best_child.value), list(best_child.value)

    def best(self, node: _Node) -> int:
        """Return the first of the moves that are certain to give the chooser most."""
        lows = [-math.inf if child is None else child.low[node.chooser] for child in node.children]
        return lows.index(max(lows))


def payoff_bounds(game: Game, state: Any) -> Mapping[str, tuple[float, float]]:
    """Return what each role may get from a state on: from the game's own bounds, or from the goals of its sheet.

    In a negotiation over a game these are the payoffs of the game without any restriction: an agreement takes moves
    away and adds none.
    """
    bounds = getattr(game, "bounds", None)
    if bounds is not None:
        given_bounds: Mapping[str, tuple[float, float]] = bounds(state)
        return given_bounds
    sheet = game.game if isinstance(game, NegotiationGame) else game
    if isinstance(sheet, GroundGame):
        goals = {role: [int(goal) for goal in sheet.goals[role] if goal.isdecimal()] for role in sheet.roles}
        return {role: (min(numbers), max(numbers)) for role, numbers in goals.items() if numbers}
    return dict.fromkeys(game.roles, (-math.inf, math.inf))


def uct(
    game: Game,
    role: str,
    rng: np.random.Generator,
    *,
    playouts: int | None = PLAYOUTS,
    seconds: float | None = None,
    ties: Ties = "first",
) -> Player:
    """Return a player that searches each state anew (`uct_search`).

    Parameters
    ----------
    game
        The game.
    role
        The role that it plays.
    rng
        The random numbers of the search.
    playouts, seconds
        The limits of a search.
    ties
        Which of equally good moves it takes.

    Returns
    -------
    Player
        The player, for this game and role alone.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, play, sheet
    >>> game = ground(parse(sheet.negotiating_prisoners(rounds=3)))
    >>> rng = np.random.default_rng(1)
    >>> players = {role: uct(game, role, rng, playouts=500) for role in game.roles}
    >>> play(game, players, rng=rng).payoffs
    {'a1': 8, 'a2': 8}
    """

    def act(state: Any, legal: Sequence[Move]) -> Move:  # noqa: ARG001
        searched = uct_search(game, role, rng=rng, start=state, playouts=playouts, seconds=seconds, ties=ties)
        return searched.move

    return game_specific(act)
