"""The peer agent: states what it prefers, accepts what it rather likes, and rejects the rest."""

from __future__ import annotations

from typing import ClassVar

from negstats.games.dominance import Option, Relation, Value, next_statement
from negstats.simulate.dominance.agent import Agent
from negstats.simulate.dominance.memory import Memory
from negstats.simulate.dominance.utterances import Reject, Utterance, state


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

    def option_to_propose(self, memory: Memory) -> Option | None:
        """Return the best acceptable option as settled.

        Parameters
        ----------
        memory
            What the agent remembers of the talk so far.

        Returns
        -------
        Option or None
            The option, or None if no acceptable one agrees with what is settled.
        """
        return self.best_fitting_option(memory)

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
