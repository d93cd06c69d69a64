"""Players of games from sheets, and the server that lets them play.

dejonge2016 tells three kinds of agents apart: *generic* ones read any sheet, *protocol-specific* ones know how is
talked and no more (`negstats.games.rulesheet.negotiators`), *game-specific* ones know the game.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np

from negstats.errors import DesignError, UsageError
from negstats.games.rulesheet.game import Game, GroundGame, Move, profiles
from negstats.games.rulesheet.induction import OwnPayoff, Ties, guaranteed, own_payoff
from negstats.games.rulesheet.random_play import mean_payoffs, playouts_within

ChosenBy = Literal["player", "default", "server"]
CAP = 40  # moves of one turn, before the server ends it
PROPOSE = "propose"
STEPS = 10_000


class Player(Protocol):
    """Who moves for one role."""

    def move(self, state: Any, legal: Sequence[Move]) -> Move:
        """Return a move, given the state and the role's legal moves. Asked only where there are several.

        Parameters
        ----------
        state
            A state of the game.
        legal
            The role's legal moves in this state.
        """


@dataclass(frozen=True, slots=True)
class _Acting:
    """A player that is a function."""

    act: Callable[[Any, Sequence[Move]], Move]

    def move(self, state: Any, legal: Sequence[Move]) -> Move:
        return self.act(state, legal)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a session: each role's move, and who chose it."""

    moves: Mapping[str, Move]
    chosen_by: Mapping[str, ChosenBy]


@dataclass(frozen=True, slots=True)
class Session:
    """A game that was played.

    Attributes
    ----------
    states : tuple
        The first state, and the state after each step.
    steps : tuple[Step, ...]
        What was played.
    payoffs : dict | None
        What each role got; None if the game was not over when the server stopped it.
    """

    states: tuple[Any, ...]
    steps: tuple[Step, ...]
    payoffs: Mapping[str, float] | None


def play(
    game: Game,
    players: Mapping[str, Player],
    *,
    rng: np.random.Generator,
    time_limit: float | None = None,
    default: Move = "noop",
    cap: int | None = CAP,
    steps: int = STEPS,
) -> Session:
    """Let players play a game.

    Parameters
    ----------
    game
        The game.
    players
        Who moves for each role.
    rng
        Random numbers of the server, for the moves that it must choose.
    time_limit
        Seconds that a player may take for a move; None sets no limit. A late move does not count.
    default
        What is played in place of an illegal or late move, if it is legal; else a random legal move is.
    cap
        After so many moves in a row of the only role with a choice, the server plays ``propose`` for it, if that is
        legal. None sets no cap.
    steps
        After so many steps the server stops the game.

    Returns
    -------
    Session
        The states, the moves and the payoffs.

    Raises
    ------
    DesignError
        If a role has no player.

    Examples
    --------
    >>> from negstats.games.rulesheet import ground, parse, sheet
    >>> game = ground(parse(sheet.negotiating_prisoners(rounds=3)))
    >>> players = {role: generic(game, role, ties="first") for role in game.roles}
    >>> session = play(game, players, rng=np.random.default_rng(1))
    >>> [step.moves["a1"] for step in session.steps], session.payoffs
    (['(propose c c)', 'noop', 'accept', 'd'], {'a1': 8, 'a2': 8})
    """
    missing = [role for role in game.roles if role not in players]
    if missing:
        raise DesignError(f"role {missing[0]} has no player; players are given for {', '.join(players) or 'none'}")
    states, steps_taken = [game.first], list[Step]()
    turn: tuple[str | None, int] = None, 0
    while not game.over(states[-1]) and len(steps_taken) < steps:
        legal = game.legal(states[-1])
        # One role with a choice is on turn; who stays on turn too long is moved on by the server.
        choosing = [role for role, moves in legal.items() if len(moves) > 1]
        only_mover = choosing[0] if len(choosing) == 1 else None
        turn = (only_mover, turn[1] + 1 if only_mover == turn[0] else 1)
        moves: dict[str, Move] = {}
        chosen_by: dict[str, ChosenBy] = {}
        for role in game.roles:
            if only_mover == role and cap is not None and turn[1] > cap and PROPOSE in legal[role]:
                moves[role], chosen_by[role] = PROPOSE, "server"
                turn = None, 0
            elif len(legal[role]) == 1:
                moves[role], chosen_by[role] = legal[role][0], "player"
            else:
                moves[role], chosen_by[role] = _choose_move(
                    players[role], states[-1], legal[role], time_limit, default, rng
                )
        steps_taken.append(Step(moves, chosen_by))
        states.append(game.next(states[-1], moves))
    payoffs = game.payoffs(states[-1]) if game.over(states[-1]) else None
    return Session(tuple(states), tuple(steps_taken), payoffs)


def _choose_move(
    player: Player,
    state: Any,
    legal: Sequence[Move],
    time_limit: float | None,
    default: Move,
    rng: np.random.Generator,
) -> tuple[Move, ChosenBy]:
    start = time.perf_counter()
    move = player.move(state, legal)
    is_late = time_limit is not None and time.perf_counter() - start > time_limit
    if move in legal and not is_late:
        return move, "player"
    return (default if default in legal else legal[int(rng.integers(len(legal)))]), "default"


def generic(
    game: Game,
    role: str,
    *,
    ties: Ties = "first",
    depth: int | None = None,
    playouts: int = 100,
    rng: np.random.Generator | None = None,
) -> Player:
    """Return a player that knows nothing but the sheet: backward induction, each role for itself (`own_payoff`).

    With `depth` it looks only so many steps ahead, from each state anew.

    Parameters
    ----------
    game
        The game.
    role
        The role that it plays.
    ties
        Which of equally good moves it takes, as in `own_payoff`.
    depth
        How many steps it looks ahead; None for all.
    playouts
        How many random playouts a state beyond the depth is valued by.
    rng
        The random numbers of the playouts.

    Returns
    -------
    Player
        The player, for this game and role alone.
    """
    if depth is None:
        solutions: list[OwnPayoff] = []

        def recall(state: Any, legal: Sequence[Move]) -> Move:  # noqa: ARG001
            if not solutions:
                solutions.append(own_payoff(game, ties=ties))
            return solutions[0].move(role, state)

        return _Acting(recall)

    def search(state: Any, legal: Sequence[Move]) -> Move:  # noqa: ARG001
        solution = own_payoff(game, start=state, ties=ties, depth=depth, playouts=playouts, rng=rng)
        return solution.move(role, state)

    return _Acting(search)


def adversarial(game: Game, role: str) -> Player:
    """Return a player that takes the others for enemies: the first of the moves that guarantee it most.

    Parameters
    ----------
    game
        The game.
    role
        The role that it plays.

    Returns
    -------
    Player
        The player, for this game and role alone.
    """
    return _Acting(lambda state, legal: guaranteed(game, role, start=state).moves[0])  # noqa: ARG005


def monte_carlo(
    game: Game, role: str, rng: np.random.Generator, *, playouts: int = 100, seconds: float | None = None
) -> Player:
    """Return a player for large games: the move with the largest mean payoff over random playouts after it.

    The others' moves in the step itself are random too. Of equally good moves it takes the first.

    Parameters
    ----------
    game
        The game.
    role
        The role that it plays.
    rng
        The random numbers of the playouts.
    playouts
        How many random playouts a move is valued by.
    seconds
        With a number, so many processor seconds take the place of `playouts`: one playout after another for each move
        until the time is over. A playout that is not over by then does not count. Only for sheets.

    Returns
    -------
    Player
        The player, for this game and role alone.

    Raises
    ------
    UsageError
        If `seconds` is not above 0, or the game is not a sheet.
    """
    if seconds is not None:
        if not seconds > 0 or not isinstance(game, GroundGame):
            raise UsageError(f"seconds is {seconds}; give a number above 0, for a grounded sheet")
        return _Acting(partial(_best_mean_in_time, game, role, rng, seconds))

    def act(state: Any, legal: Sequence[Move]) -> Move:
        other_profiles = list(_other_moves(game, role, state))
        # What the others may do at the same time, all of it or some at random, alike for each move.
        if len(other_profiles) > playouts:
            other_profiles = [other_profiles[i] for i in rng.integers(len(other_profiles), size=playouts)]
        n_each = -(-playouts // len(other_profiles))
        means = []
        for move in legal:
            next_states = [game.next(state, {**others_moves, role: move}) for others_moves in other_profiles]
            outcomes = [
                game.payoffs(next_state) if game.over(next_state) else mean_payoffs(game, next_state, n_each, rng)
                for next_state in next_states
            ]
            means.append(float(np.mean([payoffs[role] for payoffs in outcomes])))
        return legal[int(np.argmax(means))]

    return _Acting(act)


def _other_moves(game: Game, role: str, state: Any) -> Iterator[dict[str, Move]]:
    return profiles({role_name: moves for role_name, moves in game.legal(state).items() if role_name != role})


def _best_mean_in_time(
    game: GroundGame, role: str, rng: np.random.Generator, seconds: float, state: Any, legal: Sequence[Move]
) -> Move:
    """Return the move with the largest mean of the playouts that were over in time; the first if none was."""
    deadline = time.process_time() + seconds
    other_profiles, own_index = list(_other_moves(game, role, state)), game.roles.index(role)
    sums, counts = np.zeros(len(legal)), np.zeros(len(legal), dtype=np.int64)
    while time.process_time() < deadline:
        profile_indices = rng.integers(len(other_profiles), size=len(legal)).tolist()
        joint_moves = [{**other_profiles[i], role: move} for i, move in zip(profile_indices, legal, strict=True)]
        next_states = game.successors([state] * len(legal), joint_moves)
        payoffs, is_over = playouts_within(game, next_states, rng, deadline)
        sums += payoffs[:, own_index]
        counts += is_over
    return legal[int(np.argmax(np.where(counts > 0, sums / np.maximum(counts, 1), -1.0)))]


def random_player(rng: np.random.Generator) -> Player:
    """Return a player that makes each legal move alike.

    Parameters
    ----------
    rng
        The random numbers.

    Returns
    -------
    Player
        The player, for any game and role.
    """
    return _Acting(lambda state, legal: legal[int(rng.integers(len(legal)))])  # noqa: ARG005


def game_specific(policy: Callable[[Any, Sequence[Move]], Move]) -> Player:
    """Return a player that knows the game: a function from state and legal moves to a move.

    Parameters
    ----------
    policy
        The function, from a state and the legal moves to a move.

    Returns
    -------
    Player
        The player that follows the function.
    """
    return _Acting(policy)
