"""What a game is to its players: the interface, and rule sheets as games.

Everything that plays or solves asks nothing but `Game`, so a game that is written by hand can stand in for a sheet.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.errors import SheetError, UsageError, shown
from negstats.games.rulesheet.batch import Circuit, Mask, Words, packed, unpacked
from negstats.games.rulesheet.grounding import LIMIT, GroundRules, ground_rules
from negstats.games.rulesheet.rules import Rules, arguments, relation
from negstats.games.rulesheet.terms import Term, kif

Move: TypeAlias = str  # a term's text, such as "(propose 7)"
Profile: TypeAlias = Mapping[str, Move]  # a move of each role
Payoffs: TypeAlias = Mapping[str, float]
Choices = npt.NDArray[np.intp]

GOALS = range(101)


class Game(Protocol):
    """A game of one or several roles, who all move at once; whoever is not on turn has one move without effect."""

    @property
    def roles(self) -> tuple[str, ...]:
        """The players, in the order of payoffs."""

    @property
    def first(self) -> Hashable:
        """The state before the first step."""

    def legal(self, state: Any) -> Mapping[str, tuple[Move, ...]]:
        """Return each role's moves in a state that is not over, in one fixed order.

        Parameters
        ----------
        state
            A state of the game.
        """

    def next(self, state: Any, profile: Profile) -> Hashable:
        """Return the state after each role made its move.

        Parameters
        ----------
        state
            A state of the game.
        profile
            The move of each role.
        """

    def over(self, state: Any) -> bool:
        """Whether the game is over.

        Parameters
        ----------
        state
            A state of the game.
        """

    def payoffs(self, state: Any) -> Payoffs:
        """Return each role's payoff in a state in which the game is over.

        Parameters
        ----------
        state
            A state of the game.
        """

    def holds(self, state: Any, fluent: str) -> bool:
        """Whether something, named by its term's text, holds in a state.

        Parameters
        ----------
        state
            A state of the game.
        fluent
            The text of a term, such as ``"control(white)"``.
        """


def profiles(legal: Mapping[str, Sequence[Move]]) -> Iterator[dict[str, Move]]:
    """Yield every joint move; the first role's changes slowest.

    Parameters
    ----------
    legal
        Legal moves by role.

    Yields
    ------
    dict[str, Move]
        One move for each role.

    Examples
    --------
    >>> list(profiles({"a1": ["c", "d"], "a2": ["noop"]}))
    [{'a1': 'c', 'a2': 'noop'}, {'a1': 'd', 'a2': 'noop'}]
    """
    for moves in itertools.product(*legal.values()):
        yield dict(zip(legal, moves, strict=True))


@dataclass(frozen=True, slots=True)
class State:
    """What holds in a state of a sheet, a bit a fluent: equal exactly if the same holds."""

    bits: bytes


@dataclass(frozen=True, slots=True, eq=False)
class GroundGame:
    """A grounded sheet as a game. `ground` makes it.

    Attributes
    ----------
    name : str
        The sheet's name.
    roles : tuple[str, ...]
        The players.
    fluents : tuple[str, ...]
        What may ever hold, as text, in text order.
    moves : dict[str, tuple[str, ...]]
        What each role may ever play, in text order.
    goals : dict[str, tuple[str, ...]]
        What each role may ever be paid, as the sheet writes it.
    rules : GroundRules
        The ground rules.
    first : State
        The state before the first step.
    """

    name: str
    roles: tuple[str, ...]
    fluents: tuple[str, ...]
    moves: dict[str, tuple[Move, ...]]
    goals: dict[str, tuple[str, ...]]
    rules: GroundRules
    first: State
    _legal: Callable[[], Circuit] = field(repr=False)
    _next: Callable[[], Circuit] = field(repr=False)
    _goal: Callable[[], Circuit] = field(repr=False)
    _fluent: dict[str, int] = field(repr=False)
    _move: dict[str, dict[Move, int]] = field(repr=False)

    # One state at a time.

    def legal(self, state: State) -> dict[str, tuple[Move, ...]]:
        """Return each role's legal moves, in text order.

        Parameters
        ----------
        state
            A state of the game.

        Returns
        -------
        dict[str, tuple[Move, ...]]
            The moves of each role.

        Raises
        ------
        SheetError
            If a role has none although the game is not over.
        """
        is_over, legal = self.legal_batch(self.words([state]), 1)
        if not is_over[0]:
            self.check_moves(is_over, legal)
        return {role: tuple(itertools.compress(self.moves[role], legal[role][:, 0].tolist())) for role in self.roles}

    def next(self, state: State, profile: Profile) -> State:
        """Return the state after each role made its move; whether a move is legal is not asked.

        Parameters
        ----------
        state
            A state of the game.
        profile
            The move of each role.

        Returns
        -------
        State
            The fluents that hold next.

        Raises
        ------
        UsageError
            If a role makes no move, or one that the sheet does not know.
        """
        choices = np.array([[self.move_number(role, profile.get(role))] for role in self.roles], dtype=np.intp)
        return self._states(self.next_batch(self.words([state]), choices, 1), 1)[0]

    def over(self, state: State) -> bool:
        """Whether the state is terminal.

        Parameters
        ----------
        state
            A state of the game.

        Returns
        -------
        bool
            True if the game ends there.
        """
        return bool(self.legal_batch(self.words([state]), 1)[0][0])

    def payoffs(self, state: State) -> dict[str, int]:
        """Return each role's goal.

        Parameters
        ----------
        state
            A state of the game.

        Returns
        -------
        dict[str, int]
            A whole number from 0 to 100 for each role.

        Raises
        ------
        SheetError
            If a role has no goal, or several, or one that is not a whole number from 0 to 100.
        """
        row = self.payoffs_batch(self.words([state]), 1)[0]
        return dict(zip(self.roles, row.tolist(), strict=True))

    def holds(self, state: State, fluent: str) -> bool:
        """Whether a fluent holds; what the sheet does not know does not.

        Parameters
        ----------
        state
            A state of the game.
        fluent
            The text of a term, such as ``"control(white)"``.

        Returns
        -------
        bool
            True if it holds.
        """
        bit = self._fluent.get(fluent)
        return bit is not None and bool(state.bits[bit >> 3] >> (bit & 7) & 1)

    def holding(self, state: State) -> tuple[str, ...]:
        """Return the fluents that hold, in text order.

        Parameters
        ----------
        state
            A state of the game.

        Returns
        -------
        tuple[str, ...]
            Texts of terms.
        """
        bits = np.unpackbits(np.frombuffer(state.bits, dtype=np.uint8), count=len(self.fluents), bitorder="little")
        return tuple(itertools.compress(self.fluents, bits.tolist()))

    def state(self, fluents: Iterable[str]) -> State:
        """Return the state in which exactly these fluents hold.

        Parameters
        ----------
        fluents
            Texts of terms.

        Returns
        -------
        State
            The state as the other methods take it.

        Raises
        ------
        UsageError
            If the sheet does not know one of them.
        """
        bits = np.zeros(len(self.fluents), dtype=np.bool_)
        for fluent in fluents:
            if fluent not in self._fluent:
                raise UsageError(f"sheet {self.name!r} knows no fluent {shown(fluent)}")
            bits[self._fluent[fluent]] = True
        return State(np.packbits(bits, bitorder="little").tobytes())

    def move_number(self, role: str, move: Move | None) -> int:
        """Return a move's place among a role's moves.

        Parameters
        ----------
        role
            The role whose move it is.
        move
            The role's move; None while it has made none.

        Returns
        -------
        int
            Counted from 0, in text order.
        """
        number = self._move[role].get(move) if move is not None else None
        if number is None:
            raise UsageError(f"{role} plays {shown(move)}, which sheet {self.name!r} does not know")
        return number

    # Many states at once.

    def successors(self, states: Sequence[State], chosen: Sequence[Profile]) -> list[State]:
        """Return the state after each state and joint move.

        Parameters
        ----------
        states
            States that are not over.
        chosen
            The move of each role in each of these states.

        Returns
        -------
        list[State]
            One state for each of these states.
        """
        choices = [[self.move_number(role, profile.get(role)) for profile in chosen] for role in self.roles]
        return self._states(
            self.next_batch(self.words(states), np.array(choices, dtype=np.intp), len(states)), len(states)
        )

    def look(self, states: Sequence[State]) -> tuple[list[Payoffs | None], list[dict[str, tuple[Move, ...]]]]:
        """Return for each state the payoffs (None while it is not over) and the legal moves (none when it is).

        Parameters
        ----------
        states
            Any states of the game.

        Returns
        -------
        tuple[list[Payoffs or None], list[dict[str, tuple[Move, ...]]]]
            Two lists, both with one entry a state.
        """
        n = len(states)
        words = self.words(states)
        is_over, legal = self.legal_batch(words, n)
        self.check_moves(is_over, legal)
        payoffs: list[Payoffs | None] = [None] * n
        end_rows = np.flatnonzero(is_over)
        if len(end_rows):
            rows = self.payoffs_batch(self.words([states[i] for i in end_rows.tolist()]), len(end_rows))
            for i, row in zip(end_rows.tolist(), rows.tolist(), strict=True):
                payoffs[i] = dict(zip(self.roles, row, strict=True))
        moves = [
            {}
            if is_over[i]
            else {role: tuple(itertools.compress(self.moves[role], legal[role][:, i].tolist())) for role in self.roles}
            for i in range(n)
        ]
        return payoffs, moves

    def repeated(self, state: State, n: int) -> Words:
        """Return a state n times, as the batch functions take states: (fluents, words).

        Parameters
        ----------
        state
            A state of the game.
        n
            How often.

        Returns
        -------
        ndarray of int
            Each bit is one state's value of a fluent.
        """
        return packed(np.repeat(self._bits([state]), n, axis=1))

    def words(self, states: Sequence[State]) -> Words:
        """Return states as the batch functions take them: (fluents, words).

        Parameters
        ----------
        states
            Any states of the game.

        Returns
        -------
        ndarray of int
            Each bit is one state's value of a fluent, states in the order given.
        """
        return packed(self._bits(states))

    def legal_batch(self, words: Words, n: int) -> tuple[Mask, dict[str, Mask]]:
        """Return whether each of n states is over, and what is legal there: by role (moves, states).

        Parameters
        ----------
        words
            The states, (fluents, words), as `repeated` gives them.
        n
            How many states the words hold.

        Returns
        -------
        tuple
            Truth values, one a state, and for each role one a move and state.
        """
        truth = unpacked(self._legal().evaluate(words), n)
        legal, start = {}, 1
        for role in self.roles:
            legal[role] = truth[start : start + len(self.moves[role])]
            start += len(self.moves[role])
        return truth[0], legal

    def next_batch(self, words: Words, choices: Choices, n: int) -> Words:
        """Return the states after the moves that each role chose, by their places: (roles, states).

        Parameters
        ----------
        words
            The states, (fluents, words), as `repeated` gives them.
        choices
            The place of each role's move, (roles, states).
        n
            How many states the words hold.

        Returns
        -------
        ndarray of int
            The next states, (fluents, words).
        """
        does = np.zeros((sum(map(len, self.moves.values())), n), dtype=np.bool_)
        start = 0
        for role, move_rows in zip(self.roles, choices, strict=True):
            does[start + move_rows, np.arange(n)] = True
            start += len(self.moves[role])
        return self._next().evaluate(np.concatenate([words, packed(does)]))

    def payoffs_batch(self, words: Words, n: int) -> npt.NDArray[np.int64]:
        """Return the payoffs in each of n states, (states, roles).

        Parameters
        ----------
        words
            The states, (fluents, words), as `repeated` gives them.
        n
            How many states the words hold.

        Returns
        -------
        ndarray of int
            Whole numbers from 0 to 100.
        """
        truth = unpacked(self._goal().evaluate(words), n)
        payoffs, start = np.empty((n, len(self.roles)), dtype=np.int64), 0
        for column, role in enumerate(self.roles):
            goal_holds = truth[start : start + len(self.goals[role])]
            start += len(self.goals[role])
            self._check_goals(role, goal_holds)
            numbers = np.array([int(goal) if _is_goal(goal) else -1 for goal in self.goals[role]], dtype=np.int64)
            payoffs[:, column] = numbers[goal_holds.argmax(axis=0)]
        return payoffs

    def check_moves(self, over: Mask, legal: Mapping[str, Mask]) -> None:
        """Raise SheetError if a role has no move in a state that is not over.

        Parameters
        ----------
        over
            Whether each state is over, (states,).
        legal
            What is legal for each role, (moves, states).
        """
        for role in self.roles:
            if (~over & ~legal[role].any(axis=0)).any():
                reason = f"{role} has no legal move in a state that is not terminal; give a noop"
                raise SheetError(reason, file=self.name, word="legal")

    def _check_goals(self, role: str, goal_holds: Mask) -> None:
        n_goals = goal_holds.sum(axis=0)
        if (n_goals != 1).any():
            goals = [self.goals[role][i] for i in np.flatnonzero(goal_holds[:, n_goals.argmax()]).tolist()]
            goal_text = f"the goals {', '.join(goals)}" if len(goals) > 1 else "no goal"
            reason = f"{role} has {goal_text} in a terminal state; give exactly one"
            raise SheetError(reason, file=self.name, word="goal")
        for i in np.flatnonzero(goal_holds.any(axis=1)):
            if not _is_goal(self.goals[role][i]):
                reason = f"{role} has the goal {self.goals[role][i]}; give a whole number from 0 to 100"
                raise SheetError(reason, file=self.name, word="goal")

    def _bits(self, states: Sequence[State]) -> Mask:
        octets = np.frombuffer(b"".join(state.bits for state in states), dtype=np.uint8)
        octets = octets.reshape(len(states), (len(self.fluents) + 7) // 8)
        bits = np.unpackbits(octets, axis=1, count=len(self.fluents), bitorder="little")
        return bits.view(np.bool_).T

    def _states(self, words: Words, n: int) -> list[State]:
        octets = np.packbits(unpacked(words, n).T, axis=1, bitorder="little")
        return [State(row.tobytes()) for row in octets]


def _is_goal(text: str) -> bool:
    return text.isdecimal() and text.isascii() and len(text) <= 3 and int(text) in GOALS and str(int(text)) == text


def ground(rules: Rules, *, limit: int = LIMIT) -> GroundGame:
    """Ground a sheet, with clingo, and make it a game.

    Parameters
    ----------
    rules
        From `parse`.
    limit
        The largest number of ground rules.

    Returns
    -------
    GroundGame
        The game, with its states, moves and payoffs.

    Raises
    ------
    SheetError
        If there are more than `limit` ground rules.
    UsageError
        If clingo is not installed (the extra ``gdl``).

    Examples
    --------
    >>> from negstats.games.rulesheet import parse, sheet
    >>> game = ground(parse(sheet.alternating_offers(shares=2, rounds=3)))
    >>> game.legal(game.first)
    {'a1': ('(propose 0)', '(propose 1)', '(propose 2)'), 'a2': ('noop',)}
    >>> state = game.next(game.first, {"a1": "(propose 1)", "a2": "noop"})
    >>> state = game.next(state, {"a1": "noop", "a2": "accept"})
    >>> game.over(state), game.payoffs(state)
    (True, {'a1': 1, 'a2': 1})
    """
    grounded = ground_rules(rules, limit=limit)
    atoms, facts, roles = grounded.atoms, grounded.always, rules.roles

    def find_terms(word: str) -> list[tuple[Term, ...]]:
        return [arguments(atom) for atom in [*atoms, *facts] if relation(atom) == word]

    def make_circuit(inputs: list[int], wanted: list[Term]) -> Callable[[], Circuit]:
        numbers = [0 if atom in facts else atoms.get(atom) for atom in wanted]
        return cache(lambda: Circuit.of(grounded.rules, inputs, numbers))  # at its first use

    fluents = sorted((term for (term,) in [*find_terms("true"), *find_terms("init")]), key=kif)
    fluents = list(dict.fromkeys(fluents))
    moves, goals = (
        {role: sorted((term for owner, term in find_terms(word) if kif(owner) == role), key=kif) for role in roles}
        for word in ("legal", "goal")
    )
    owner = {kif(owner_term): owner_term for (owner_term,) in find_terms("role")}
    wants_legal: list[Term] = ["terminal", *(("legal", owner[role], move) for role in roles for move in moves[role])]
    wants_goal: list[Term] = [("goal", owner[role], goal) for role in roles for goal in goals[role]]
    true_atoms = [atoms[("true", fluent)] for fluent in fluents]
    # A move that is legal always is an input all the same: what is played depends on the player.
    does_atoms = [atoms[("does", owner[role], move)] for role in roles for move in moves[role]]
    names = tuple(map(kif, fluents))
    first_state = np.array([("init", fluent) in facts for fluent in fluents], dtype=np.bool_)
    return GroundGame(
        rules.name,
        roles,
        names,
        {role: tuple(map(kif, moves[role])) for role in roles},
        {role: tuple(map(kif, goals[role])) for role in roles},
        grounded,
        State(np.packbits(first_state, bitorder="little").tobytes()),
        make_circuit(true_atoms, wants_legal),
        make_circuit([*true_atoms, *does_atoms], [("next", fluent) for fluent in fluents]),
        make_circuit(true_atoms, wants_goal),
        {name: index for index, name in enumerate(names)},
        {role: {kif(move): index for index, move in enumerate(moves[role])} for role in roles},
    )
