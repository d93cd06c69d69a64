"""What an agent remembers of a talk.

What the other side has stated is not among it: each answer looks at the last utterance only.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from negstats.games.dominance import Option, Statement, Value
from negstats.simulate.dominance.words import Accept, Reject, StatePreference, Utterance


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
