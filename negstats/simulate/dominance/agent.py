"""An agent of the dominance dialogue: what it remembers, how it reads the note, and the trees that all relations share.

What the other side has stated is not among it: each answer looks at the last utterance only.

A tree answers one kind of utterance with a list of candidates; the agent says the first that it has not said too often.
Trees are pure: they see the memory, with what was just heard in it, and the utterance.

Source: dominance. Which branches a tree has, and for whom, is in the note's text; the pictures that show their order
are lost, so the order is a reading.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import ClassVar, Literal, get_args, get_type_hints

import numpy as np

from negstats.errors import DesignError, shown
from negstats.games.dominance import (
    ANY,
    FACTOR,
    Option,
    Preferences,
    Relation,
    Scoring,
    Statement,
    Value,
    acceptable,
    reaction,
)
from negstats.games.dominance.acceptance import Judging, Objecting
from negstats.simulate.dominance.words import (
    Accept,
    AskPreference,
    Booking,
    Leave,
    Propose,
    Reject,
    StatePreference,
    Utterance,
    state,
)


@dataclass(frozen=True, slots=True)
class Memory:
    """One side's memory; hearing or saying something gives a new one.

    Attributes
    ----------
    stated : frozenset of Statement
        The statements that it has made itself (the note's OAS, which it does not explain).
    settled : mapping of str to str
        For each criterion the value that was accepted last, by either side.
    rejected : frozenset of Value or tuple
        The values and options that the other side has rejected, word for word.
    said : mapping of Utterance to int
        How often it has said what.

    Examples
    --------
    >>> from negstats.games.dominance import Value
    >>> Memory().heard(Accept(Value("price", "cheap"))).settled
    {'price': 'cheap'}
    """

    stated: frozenset[Statement] = frozenset()
    settled: Mapping[str, str] = field(default_factory=dict)
    rejected: frozenset[Value | Option] = frozenset()
    said: Mapping[Utterance, int] = field(default_factory=dict)

    def heard(self, utterance: Utterance) -> Memory:
        """Return the memory after the other side has said something.

        Parameters
        ----------
        utterance
            What the other side has said.

        Returns
        -------
        Memory
            A new memory; this one is not changed.
        """
        if isinstance(utterance, Reject):
            return replace(self, rejected=self.rejected | {utterance.thing})
        return self._settling(utterance)

    def spoke(self, utterance: Utterance) -> Memory:
        """Return the memory after it has said something itself.

        Parameters
        ----------
        utterance
            What it has said itself.

        Returns
        -------
        Memory
            A new memory; this one is not changed.
        """
        counts = {**self.said, utterance: self.said.get(utterance, 0) + 1}
        if isinstance(utterance, StatePreference):
            return replace(self, said=counts, stated=self.stated | {utterance.statement})
        return replace(self._settling(utterance), said=counts)

    def _settling(self, utterance: Utterance) -> Memory:
        if not isinstance(utterance, Accept) or not isinstance(utterance.thing, Value):
            return self
        return replace(self, settled={**self.settled, utterance.thing.criterion: utterance.thing.value})


@dataclass(frozen=True, slots=True)
class Readings:
    """How an agent reads what the paper leaves open.

    Attributes
    ----------
    score : {"net", "count"}
        A value's score: how many values are less preferred minus how many are more preferred, or the former only. The
        reading that matters most: with ``"count"`` a peer refuses nothing but its worst value.
    factor : float
        A dominant agent accepts what scores more than this share of the best score (the note's 0.7).
    option : {"sum", "each"}
        An option is acceptable by its score, or if each of its values is.
    objected : {"less", "either"}
        A submissive agent gives in on a value that it has called less preferred, or that it has named at all.
    literal : bool
        React to a statement as the note prints it, dropping a further pair for a repetition.
    interleaved : bool
        React to a statement by asking of both values whether they are best, then whether worst.
    options : {"fitting", "last"}
        After an accepted value peer and dominant propose an option as soon as one fits, or only when no criterion is
        open.
    times : int
        How often an agent says the same thing at most.

    Raises
    ------
    DesignError
        If a reading is none of these.

    Examples
    --------
    >>> Readings().score
    'net'
    >>> Readings(times=0)
    Traceback (most recent call last):
        ...
    negstats.errors.DesignError: times is 0; at least 1 is needed, or nobody says anything
    """

    score: Scoring = "net"
    factor: float = FACTOR
    option: Judging = "sum"
    objected: Objecting = "less"
    literal: bool = False
    interleaved: bool = False
    options: Literal["fitting", "last"] = "fitting"
    times: int = 2

    def __post_init__(self) -> None:
        hints = get_type_hints(Readings)
        for reading in fields(self):
            levels, value = get_args(hints[reading.name]), getattr(self, reading.name)
            if levels and value not in levels:
                raise DesignError(f"{reading.name} is {shown(value)}; give {' or '.join(map(repr, levels))}")
        if not 0 <= self.factor <= 1:
            raise DesignError(f"factor is {self.factor}; a share of the best score, from 0 to 1, is needed")
        if self.times < 1:
            raise DesignError(f"times is {self.times}; at least 1 is needed, or nobody says anything")


@dataclass(frozen=True)
class Agent(ABC):
    """One side of a talk: its preferences, and a relation to the other side that its class stands for.

    Parameters
    ----------
    preferences
        What it likes; its scores follow the readings.
    readings
        How the note is read.
    """

    preferences: Preferences
    readings: Readings = field(default_factory=Readings)

    relation: ClassVar[Relation]

    def __post_init__(self) -> None:
        if self.preferences.scoring != self.readings.score:
            scored = replace(self.preferences, scoring=self.readings.score)
            object.__setattr__(self, "preferences", scored)

    @abstractmethod
    def opening(self, memory: Memory, criterion: str) -> list[Utterance]:
        """Return how a criterion is brought up.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        criterion
            The name of a criterion of the domain, such as ``"price"``.
        """

    @abstractmethod
    def against_value(self, memory: Memory, heard: Value) -> list[Utterance]:
        """Return what is said to the proposal of a value that is not acceptable.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The proposed value.
        """

    @abstractmethod
    def against_option(self, memory: Memory, heard: Option) -> list[Utterance]:
        """Return what is said to the proposal of an option that is not acceptable.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The proposed option.
        """

    @abstractmethod
    def after_rejected_value(self, memory: Memory, heard: Value) -> list[Utterance]:
        """Return what is said when the other side has rejected a value.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The rejected value.
        """

    @abstractmethod
    def after_rejected_option(self, memory: Memory, heard: Option) -> list[Utterance]:
        """Return what is said when the other side has rejected an option.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The rejected option.
        """

    def say(self, memory: Memory, heard: Utterance | None, rng: np.random.Generator | None) -> Utterance:  # noqa: ARG002
        """Say the first candidate that has not been said too often; leave when none is left.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The other side's last utterance; None opens the talk.
        rng
            Not used: this agent leaves nothing to chance.

        Returns
        -------
        Utterance
            What it says next.
        """
        return next(iter(self.sayable(memory, heard)), Leave())

    def sayable(self, memory: Memory, heard: Utterance | None) -> list[Utterance]:
        """Return the candidates that have not been said too often.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The other side's last utterance; None opens the talk.

        Returns
        -------
        list[Utterance]
            The candidates in order, best first; none if the agent has nothing left.
        """
        times, counts = self.readings.times, memory.said
        return [candidate for candidate in self.candidates(memory, heard) if counts.get(candidate, 0) < times]

    def candidates(self, memory: Memory, heard: Utterance | None) -> list[Utterance]:
        """Return what could be said, in order; nothing is left to say after a booking or when the other has left.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The other side's last utterance; None opens the talk.

        Returns
        -------
        list[Utterance]
            The candidates in order, best first, also those that have been said before.
        """
        match heard:
            case None:
                return self.opening(memory, self.preferences.domain.names[0])
            case StatePreference():
                return self.after_statement(memory, heard.statement)
            case AskPreference():
                return self.after_question(memory, heard.statement)
            case Propose(thing):
                return self.after_proposal(memory, thing)
            case Accept(thing):
                return self.after_accepted_value(memory) if isinstance(thing, Value) else [Booking(thing)]
            case Reject(thing):
                if isinstance(thing, Value):
                    return self.after_rejected_value(memory, thing)
                return self.after_rejected_option(memory, thing)
            case Booking() | Leave():
                return []

    def after_statement(self, memory: Memory, heard: Statement) -> list[Utterance]:
        """Propose what the other side prefers if it is acceptable, else react with a preference of one's own.

        The note's third branch, a question of the submissive, can never be reached, as it says itself.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The preference that the other side has stated.

        Returns
        -------
        list[Utterance]
            The candidates in order, best first.
        """
        liked = Value(heard.criterion, heard.more)
        answer: list[Utterance] = [state(self.reacting(memory, heard))]
        if heard.more != ANY and liked not in memory.rejected and self.accepts(memory, liked):
            return [Propose(liked), *answer]
        return answer

    def after_question(self, memory: Memory, heard: Statement) -> list[Utterance]:
        """React with a preference of one's own.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The preference that the other side has asked about.

        Returns
        -------
        list[Utterance]
            The candidates in order, best first.
        """
        return [state(self.reacting(memory, heard))]

    def after_proposal(self, memory: Memory, heard: Value | Option) -> list[Utterance]:
        """Accept a value or book an option that is acceptable.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The proposed value or option.

        Returns
        -------
        list[Utterance]
            The candidates in order, best first.
        """
        if isinstance(heard, Value):
            return [Accept(heard)] if self.accepts(memory, heard) else self.against_value(memory, heard)
        return [Booking(heard)] if self.accepts(memory, heard) else self.against_option(memory, heard)

    def after_accepted_value(self, memory: Memory) -> list[Utterance]:
        """Propose an option, else bring up the first criterion that is not settled.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.

        Returns
        -------
        list[Utterance]
            The candidates in order, best first.
        """
        option = self.option_to_propose(memory)
        proposal: list[Utterance] = [] if option is None else [Propose(option)]
        return [*proposal, *self.opening_next(memory)]

    def opening_next(self, memory: Memory) -> list[Utterance]:
        """Bring up the first criterion that is not settled, if any.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.

        Returns
        -------
        list[Utterance]
            The candidates in order; none if all criteria are settled.
        """
        fresh = self.open_criteria(memory)
        return self.opening(memory, fresh[0]) if fresh else []

    def open_criteria(self, memory: Memory) -> list[str]:
        """Return the criteria on which no value has been accepted.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.

        Returns
        -------
        list[str]
            Their names, in the order of the domain.
        """
        return [name for name in self.preferences.domain.names if name not in memory.settled]

    def accepts(self, memory: Memory, thing: Value | Option) -> bool:
        """Whether a value or option is acceptable now.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        thing
            The value or the option that is proposed.

        Returns
        -------
        bool
            True if the agent would accept it.
        """
        readings = self.readings
        return acceptable(
            self.preferences,
            self.relation,
            memory.stated,
            thing,
            factor=readings.factor,
            option=readings.option,
            objected=readings.objected,
        )

    def reacting(self, memory: Memory, heard: Statement) -> Statement:
        """Return what is said to a statement or a question.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The preference that was stated or asked about.

        Returns
        -------
        Statement
            The preference that the agent states in turn.
        """
        readings = self.readings
        return reaction(
            self.preferences, memory.stated, heard, literal=readings.literal, interleaved=readings.interleaved
        )

    def other_values(self, memory: Memory, than: Value) -> Iterator[Utterance]:
        """Propose the other acceptable values of a criterion that were not rejected, best first.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        than
            The value that is left out.

        Yields
        ------
        iterator of Utterance
            The proposals, best value first.
        """
        for name in self.preferences.ranked(than.criterion):
            value = Value(than.criterion, name)
            if value != than and value not in memory.rejected and self.accepts(memory, value):
                yield Propose(value)

    def other_options(self, memory: Memory, than: Option) -> Iterator[Utterance]:
        """Propose the other acceptable options that were not rejected: those as settled first, each best first.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        than
            The option that is left out.

        Yields
        ------
        iterator of Utterance
            The proposals in the order in which the agent would make them.
        """
        options = [option for option in self.acceptable_options(memory) if option != than]
        yield from (Propose(option) for option in options if self.fits(memory, option))
        yield from (Propose(option) for option in options if not self.fits(memory, option))

    def option_to_propose(self, memory: Memory) -> Option | None:
        """Return the option that is proposed after a value was accepted; None to go on with the next criterion.

        It is the best acceptable option as settled that was not rejected, if it is time for one.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.

        Returns
        -------
        Option or None
            The option, or None if no acceptable one is left or it is too early.
        """
        if self.readings.options == "last" and self.open_criteria(memory):
            return None
        return next((option for option in self.acceptable_options(memory) if self.fits(memory, option)), None)

    def acceptable_options(self, memory: Memory) -> Iterator[Option]:
        """Yield the acceptable options that were not rejected, best first.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.

        Yields
        ------
        iterator of Option
            Options of the domain.
        """
        for option in self.preferences.ranked_options:
            if option not in memory.rejected and self.accepts(memory, option):
                yield option

    def fits(self, memory: Memory, option: Option) -> bool:
        """Whether an option agrees with everything that is settled.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        option
            An option of the domain.

        Returns
        -------
        bool
            True if no settled criterion has another value in the option.
        """
        return self.settled_in(memory, option) == len(memory.settled)

    def settled_in(self, memory: Memory, option: Option) -> int:
        """Return how many of the option's values are as settled.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        option
            An option of the domain.

        Returns
        -------
        int
            A count, from 0 to the number of criteria.
        """
        names = self.preferences.domain.names
        return sum(memory.settled.get(name) == value for name, value in zip(names, option, strict=True))
