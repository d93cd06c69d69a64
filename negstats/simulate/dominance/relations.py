"""The agents of the three relations: what a dominant, a peer and a submissive side fill into the trees of all."""

from __future__ import annotations

from typing import ClassVar

from negstats.games.dominance import ANY, Option, Relation, Statement, Value, next_statement
from negstats.simulate.dominance.agent import Agent, Memory
from negstats.simulate.dominance.words import Propose, Reject, Utterance, ask_openly, state


class Dominant(Agent):
    """An agent that accepts little, and answers a proposal that it does not accept with one of its own.

    Examples
    --------
    >>> from negstats.games.dominance import Preferences, restaurants
    >>> agent = Dominant(Preferences.in_order(restaurants()))
    >>> for answer in agent.candidates(Memory(), Propose(Value("cuisine", "italian"))):
    ...     print(answer)
    Propose(thing=Value(criterion='cuisine', value='french'))
    Reject(thing=Value(criterion='cuisine', value='italian'))
    """

    relation: ClassVar[Relation] = "dominant"

    def opening(self, memory: Memory, criterion: str) -> list[Utterance]:  # noqa: ARG002
        """Propose the best value.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        criterion
            The name of a criterion of the domain, such as ``"price"``.

        Returns
        -------
        list[Utterance]
            One proposal.
        """
        return [Propose(Value(criterion, self.preferences.best(criterion)))]

    def against_value(self, memory: Memory, heard: Value) -> list[Utterance]:
        """Propose another value; reject when none is left. To reject first would leave the other branch unreachable.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The proposed value.

        Returns
        -------
        list[Utterance]
            The proposals, best value first, and last the rejection.
        """
        return [*self.other_values(memory, heard), Reject(heard)]

    def against_option(self, memory: Memory, heard: Option) -> list[Utterance]:
        """Propose another option; reject when none is left.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The proposed option.

        Returns
        -------
        list[Utterance]
            The proposals in order, and last the rejection.
        """
        return [*self.other_options(memory, heard), Reject(heard)]

    def after_rejected_value(self, memory: Memory, heard: Value) -> list[Utterance]:
        """Propose the best value again, then others.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The rejected value.

        Returns
        -------
        list[Utterance]
            The proposals in order.
        """
        insisting = [Propose(heard)] if heard.value == self.preferences.best(heard.criterion) else []
        return [*insisting, *self.other_values(memory, heard)]

    def after_rejected_option(self, memory: Memory, heard: Option) -> list[Utterance]:
        """Propose one of the best options again, then others.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The rejected option.

        Returns
        -------
        list[Utterance]
            The proposals in order.
        """
        scores, best_option = self.preferences.option_scores, self.preferences.ranked_options[0]
        insisting = [Propose(heard)] if scores[heard] == scores[best_option] else []
        return [*insisting, *self.other_options(memory, heard)]


class Peer(Agent):
    """An agent that brings up criteria with preferences of its own, and answers a rejected proposal with the next one.

    Examples
    --------
    >>> from negstats.games.dominance import Preferences, restaurants
    >>> agent = Peer(Preferences.in_order(restaurants()))
    >>> agent.candidates(Memory(), None)
    [StatePreference(criterion='cuisine', less='*', more='french')]
    """

    relation: ClassVar[Relation] = "peer"

    def opening(self, memory: Memory, criterion: str) -> list[Utterance]:
        """State the next preference, if one is left.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        criterion
            The name of a criterion of the domain, such as ``"price"``.

        Returns
        -------
        list[Utterance]
            One statement, or none.
        """
        fresh = next_statement(self.preferences, memory.stated, criterion)
        return [] if fresh is None else [state(fresh)]

    def against_value(self, memory: Memory, heard: Value) -> list[Utterance]:  # noqa: ARG002
        """Reject it.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The proposed value.

        Returns
        -------
        list[Utterance]
            One rejection.
        """
        return [Reject(heard)]

    def against_option(self, memory: Memory, heard: Option) -> list[Utterance]:  # noqa: ARG002
        """Reject it.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The proposed option.

        Returns
        -------
        list[Utterance]
            One rejection.
        """
        return [Reject(heard)]

    def after_rejected_value(self, memory: Memory, heard: Value) -> list[Utterance]:
        """State the next preference on the criterion.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The rejected value.

        Returns
        -------
        list[Utterance]
            One statement, or none.
        """
        return self.opening(memory, heard.criterion)

    def after_rejected_option(self, memory: Memory, heard: Option) -> list[Utterance]:
        """Bring up a criterion that is not settled, then propose other options.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The rejected option.

        Returns
        -------
        list[Utterance]
            The candidates in order.
        """
        return [*self.opening_next(memory), *self.other_options(memory, heard)]


class Submissive(Agent):
    """An agent that asks what the other side likes, and complains instead of rejecting.

    Examples
    --------
    >>> from negstats.games.dominance import Preferences, restaurants
    >>> from negstats.simulate.dominance.words import Propose
    >>> agent, mexican = Submissive(Preferences.in_order(restaurants())), Propose(Value("cuisine", "mexican"))
    >>> complaint = agent.candidates(Memory(), mexican)
    >>> complaint
    [StatePreference(criterion='cuisine', less='mexican', more='french')]
    >>> agent.candidates(Memory().spoke(complaint[0]), mexican)
    [Accept(thing=Value(criterion='cuisine', value='mexican'))]
    """

    relation: ClassVar[Relation] = "submissive"

    def opening(self, memory: Memory, criterion: str) -> list[Utterance]:  # noqa: ARG002
        """Ask what the other side likes.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        criterion
            The name of a criterion of the domain, such as ``"price"``.

        Returns
        -------
        list[Utterance]
            One question.
        """
        return [ask_openly(criterion)]

    def against_value(self, memory: Memory, heard: Value) -> list[Utterance]:
        """Say that it is liked less than the best value.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The proposed value.

        Returns
        -------
        list[Utterance]
            One statement.
        """
        return [state(self.complaint(memory, heard))]

    def against_option(self, memory: Memory, heard: Option) -> list[Utterance]:
        """Complain of the option's least liked value, the first of equals.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The proposed option.

        Returns
        -------
        list[Utterance]
            One statement.
        """
        values = list(zip(self.preferences.domain.names, heard, strict=True))
        return [state(self.complaint(memory, Value(*min(values, key=lambda value: self.preferences.score(*value)))))]

    def option_to_propose(self, memory: Memory) -> Option | None:
        """Return, when no criterion is open, the option that was not rejected with most values as settled.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.

        Returns
        -------
        Option or None
            The option; None while a criterion is open, or if all options were rejected.
        """
        if self.open_criteria(memory):
            return None
        options = [option for option in self.preferences.ranked_options if option not in memory.rejected]
        return max(options, key=lambda option: self.settled_in(memory, option), default=None)

    def after_rejected_value(self, memory: Memory, heard: Value) -> list[Utterance]:  # noqa: ARG002
        """Ask openly what the other side likes instead.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The rejected value.

        Returns
        -------
        list[Utterance]
            One open question.
        """
        return [ask_openly(heard.criterion)]

    def after_rejected_option(self, memory: Memory, heard: Option) -> list[Utterance]:  # noqa: ARG002
        """Bring up a criterion that is not settled.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The rejected option.

        Returns
        -------
        list[Utterance]
            One question, or none if all criteria are settled.
        """
        return self.opening_next(memory)

    def complaint(self, memory: Memory, heard: Value) -> Statement:
        """Return the statement that a value is less liked than the best one.

        In a partial order the best value may not be above this one: then the best of those that are, or, where none
        is, the next preference. Nothing insincere is said.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.
        heard
            The value that is complained of.

        Returns
        -------
        Statement
            A preference of the agent's own that ends in a less liked value.
        """
        name, likes = heard.criterion, self.preferences
        preferred = [value for value in likes.ranked(name) if likes.prefers(name, value, heard.value)]
        if preferred:
            return Statement(name, heard.value, preferred[0])
        return next_statement(likes, memory.stated, name) or Statement(name, ANY, likes.best(name))
