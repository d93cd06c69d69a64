"""Play dialogues: two policies, a batch of scenarios, and everything that was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from negstats.games.dealornodeal import CUTOFF, ENDS, Dialogue, Scenarios

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]


class Policy(Protocol):
    """A policy of talking. It may use the counts, its own values, both sides' proposals and the time."""

    def acts(self, dialogue: Dialogue, seat: int, rng: np.random.Generator) -> Integers:
        """Return one act a dialogue, (dialogues,); what it says where a dialogue has ended is passed over.

        Parameters
        ----------
        dialogue
            The dialogues that are played side by side.
        seat
            Whose turn it is, 0 or 1.
        rng
            Generator of the draws.
        """


@dataclass(frozen=True, slots=True)
class Played:
    """Dialogues that were played to their ends. Seats are in the order of speaking.

    Attributes
    ----------
    scenarios : Scenarios
        One a dialogue.
    acts : numpy.ndarray
        What was said at each utterance, (dialogues, cutoff); -1 after the end.
    how : numpy.ndarray
        How each ended, a place in `negstats.games.dealornodeal.ENDS`.
    length : numpy.ndarray
        Utterances.
    points : numpy.ndarray
        (dialogues, 2); 0 without agreement.
    """

    scenarios: Scenarios
    acts: Integers
    how: npt.NDArray[np.int8]
    length: Integers
    points: Integers

    def __len__(self) -> int:
        return len(self.how)

    @property
    def agreed(self) -> npt.NDArray[np.bool_]:
        """Whether each ended in agreement."""
        return np.asarray(self.how == ENDS.index("agreement"))


def play(
    first: Policy, second: Policy, scenarios: Scenarios, *, rng: np.random.Generator, cutoff: int = CUTOFF
) -> Played:
    """Let two policies divide the items of a batch of scenarios; `first` has the first seat and speaks first.

    Parameters
    ----------
    first, second
        The policies of the two seats.
    scenarios
        One for each dialogue.
    rng
        For the draws.
    cutoff
        The number of acts after which a dialogue is ended.

    Returns
    -------
    Played
        Acts and outcomes of all dialogues.

    Examples
    --------
    >>> from negstats.games.dealornodeal import draw
    >>> from negstats.simulate.dealornodeal.people import People
    >>> rng = np.random.default_rng(1)
    >>> played = play(People(), People(), draw(500, rng=rng), rng=rng)
    >>> bool(0.75 < played.agreed.mean() < 0.9)
    True
    """
    dialogue, acts_by_dialogue = Dialogue(scenarios, cutoff=cutoff), np.full((len(scenarios), cutoff), -1)
    policies = (first, second)
    while not dialogue.over:
        live = dialogue.live
        acts = policies[dialogue.seat].acts(dialogue, dialogue.seat, rng)
        acts_by_dialogue[live, dialogue.t] = acts[live]
        dialogue.apply(dialogue.seat, acts)
    return Played(scenarios, acts_by_dialogue, dialogue.how, dialogue.length, dialogue.points)


def replay(scenarios: Scenarios, acts: Integers) -> Iterator[tuple[Dialogue, Integers]]:
    """Yield dialogues as they were before each utterance, with what is said then; the caller only looks."""
    dialogue = Dialogue(scenarios, cutoff=acts.shape[1])
    while not dialogue.over:
        yield dialogue, acts[:, dialogue.t]
        dialogue.apply(dialogue.seat, acts[:, dialogue.t])


def joined(parts: Sequence[Played]) -> Played:
    """Return several batches as one."""
    counts, values = (
        np.concatenate([getattr(part.scenarios, name) for part in parts]) for name in ("counts", "values")
    )
    acts, how, length, points = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("acts", "how", "length", "points")
    )
    return Played(Scenarios(counts, values), acts, how, length, points)
