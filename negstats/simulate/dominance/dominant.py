"""The dominant agent: proposes what it likes best, insists on it, and rejects when it has nothing else to propose."""

from __future__ import annotations

from typing import ClassVar

from negstats.games.dominance import Option, Relation, Value
from negstats.simulate.dominance.agent import Agent
from negstats.simulate.dominance.memory import Memory
from negstats.simulate.dominance.utterances import Propose, Reject, Utterance


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
        scores, best = self.preferences.option_scores, self.preferences.ranked_options[0]
        insisting = [Propose(heard)] if scores[heard] == scores[best] else []
        return [*insisting, *self.other_options(memory, heard)]
