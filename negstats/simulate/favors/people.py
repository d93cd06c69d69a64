"""The simulated participant of the favor game: how likely it accepts, and what it offers in negotiation 5.

The numbers stand in ``parameters.toml`` with where each is from. They describe nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType
from typing import Any

import numpy as np

from negstats.errors import UsageError, shown
from negstats.games.favors import FINAL, PAIRS, STUDY, History, Past
from negstats.games.favors.rules import Negotiation, Numbers, Points
from negstats.simulate.favors.agents import FavorAgent, parameters

CHANCES = ("first", "kept", "betrayed", "refused", "good", "poor")


@dataclass(frozen=True, slots=True)
class Participant:
    """How simulated people play.

    Parameters
    ----------
    first
        Probability of accepting in negotiation 1.
    kept, betrayed
        In 3 (or a later slot for a favor), after accepting in the slot before: without, and with a betrayal since.
    refused
        In 3, after rejecting in 1.
    good, poor
        Probability of accepting a good and a poor offer in a slot of return.
    final
        Negotiation 5, by condition: the log odds that a point for the player and a point for the agent add to an offer
        of the grid (a logit choice; blunders come by themselves).

    Raises
    ------
    UsageError
        If a chance is none.
    """

    first: float
    kept: float
    betrayed: float
    refused: float
    good: float
    poor: float
    final: Mapping[str, tuple[float, float]]

    def __post_init__(self) -> None:
        for name in CHANCES:
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is {getattr(self, name)}; a chance from 0 to 1 is needed")

    def with_(self, **changes: Any) -> Participant:
        """Return people who differ in some parameters.

        Parameters
        ----------
        **changes
            New values by the names of the parameters.

        Returns
        -------
        Participant
            A copy; these people are not changed.
        """
        return replace(self, **changes)

    def accepts(self, history: History, *, good: bool) -> float:
        """Return the probability of accepting the offer of negotiation ``len(history) + 1``.

        Parameters
        ----------
        history
            The negotiations so far, first to last.
        good
            Whether the offer is the good one.

        Returns
        -------
        float
            A probability, from 0 to 1.
        """
        if len(history) % 2:
            return self.good if good else self.poor
        if not history:
            return self.first
        favor, answer = history[-2:]
        if not favor.accepted:
            return self.refused
        return self.betrayed if favor.asked and not answer.good else self.kept

    def weights(self, agent: FavorAgent, history: History) -> Numbers:
        """Return the probability of each outcome of `FINAL` as the offer of negotiation 5.

        An agent that is none of those of Mell et al. (2015) gets the offers of the condition of its language that it
        was like: the betraying one's if it has betrayed a favor, else the favor-seeking one's.

        Parameters
        ----------
        agent
            With whom they negotiate.
        history
            The negotiations so far, first to last.

        Returns
        -------
        ndarray of float
            Probabilities that add up to 1, one an outcome.

        References
        ----------
        Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
        negotiations. Proceedings of AAMAS 2015.
        """
        return _weights(*self.final[self._like(agent, history)])

    def offer(self, agent: FavorAgent, history: History, rng: np.random.Generator) -> Points:
        """Return the offer of negotiation 5, points of player and agent.

        Parameters
        ----------
        agent
            With whom they negotiate.
        history
            The negotiations so far, first to last.
        rng
            Generator of the draw.

        Returns
        -------
        Points
            An outcome of `FINAL`, drawn by its probability.
        """
        choice = int(np.searchsorted(np.cumsum(self.weights(agent, history)[:-1]), rng.random(), side="right"))
        player, other = FINAL[choice].tolist()
        return player, other

    def _like(self, agent: FavorAgent, history: History) -> str:
        if agent.name in self.final:
            return agent.name
        pairs = zip(history[::2], history[1::2], strict=False)
        betrayed = any(favor.asked and favor.accepted and not answer.good for favor, answer in pairs)
        like = "betraying" if betrayed else "favor-seeking"
        if like not in self.final:
            raise UsageError(f"final has no offers for {shown(agent.name)}, nor for {like}, as which it played")
        return like


@lru_cache(maxsize=256)
def _weights(player: float, agent: float) -> Numbers:
    odds = np.exp(FINAL @ [player, agent])
    weights: Numbers = odds / odds.sum()
    weights.setflags(write=False)
    return weights


@lru_cache(maxsize=1)
def participant() -> Participant:
    """Return the participant of ``parameters.toml``.

    Examples
    --------
    >>> people = participant()
    >>> round(people.first, 4), people.betrayed
    (0.4371, 0.23)
    """
    settings = parameters()
    n_accepted, n_asked = settings["answers"]["first"]
    final = {name: (odds["player"], odds["agent"]) for name, odds in settings["final"].items()}
    return Participant(**settings["answers"] | {"first": n_accepted / n_asked}, final=MappingProxyType(final))


def histories(
    agent: FavorAgent, people: Participant, negotiations: tuple[Negotiation, ...] = STUDY
) -> Iterator[tuple[float, History]]:
    """Yield every course that negotiations 1 to 4 can take, with its probability."""
    yield from _histories(agent, people, negotiations, 1.0, ())


def _histories(
    agent: FavorAgent, people: Participant, negotiations: tuple[Negotiation, ...], probability: float, history: History
) -> Iterator[tuple[float, History]]:
    if len(history) == len(negotiations):
        yield probability, history
        return
    negotiation = negotiations[len(history)]
    asks = not negotiation.is_return and agent.asks(history)
    chance = agent.returns(history) if negotiation.is_return else 0.0
    for good, offer_probability in ((True, chance), (False, 1 - chance)):
        accepts = people.accepts(history, good=good)
        for answer, answer_probability in ((True, accepts), (False, 1 - accepts)):
            weight = probability * offer_probability * answer_probability
            if weight:
                yield from _histories(agent, people, negotiations, weight, (*history, Past(asks, good, answer)))


@dataclass(frozen=True, slots=True)
class Expectations:
    """Expected values of one session.

    Attributes
    ----------
    player, agent : float
        Points of all negotiations but the last, in which the player offers.
    both : tuple of float
        Probability that both offers of a pair are accepted, by pair.
    accepts : tuple of float
        Probability that the offer is accepted, by negotiation.
    final_player, final_agent : float
        Points of the last negotiation.
    final_both : float
        Probability of its best outcome, 16 : 16.
    """

    player: float
    agent: float
    both: tuple[float, ...]
    accepts: tuple[float, ...]
    final_player: float
    final_agent: float
    final_both: float

    @property
    def joint(self) -> float:
        """Joint value of all negotiations but the last."""
        return self.player + self.agent


def expectations(
    agent: FavorAgent, people: Participant | None = None, negotiations: tuple[Negotiation, ...] = STUDY
) -> Expectations:
    """Return what a session with simulated people is expected to bring.

    Parameters
    ----------
    agent
        One of `AGENTS`, or of your own.
    people
        None takes those of ``parameters.toml``.
    negotiations
        Of the game.

    Returns
    -------
    Expectations
        Expected points of both sides, and expected rates of acceptance.

    Examples
    --------
    >>> from negstats.simulate.favors import AGENTS
    >>> result = expectations(AGENTS["favor-seeking"])
    >>> round(result.player, 3), round(result.agent, 3), round(result.both[0], 4)
    (64.716, 39.312, 0.4153)
    """
    people = participant() if people is None else people
    # Every history with its probability: expectations are sums over all of them.
    courses = list(histories(agent, people, negotiations))
    weight = np.array([probability for probability, _ in courses])
    pasts = np.array([[tuple(past) for past in history] for _, history in courses])
    good, acceptance = pasts[:, :, 1], pasts[:, :, 2]
    totals = np.zeros((len(courses), 2))
    for index, negotiation in enumerate(negotiations):
        offers = np.array(
            [negotiation.good or negotiation.poor if is_good else negotiation.poor for is_good in good[:, index]],
            dtype=np.float64,
        )
        totals += np.where(acceptance[:, index, np.newaxis], offers, np.array(negotiation.batna, dtype=np.float64))
    # What people offer in the last negotiation depends on the history.
    finals = np.array([people.weights(agent, history) for _, history in courses])
    final = weight @ finals
    pairs = [(first_index, first_index + 1) for first_index in range(0, len(negotiations) - 1, len(PAIRS[0]))]
    return Expectations(
        player=float(weight @ totals[:, 0]),
        agent=float(weight @ totals[:, 1]),
        both=tuple(
            float(weight @ (acceptance[:, first_index] & acceptance[:, second_index]))
            for first_index, second_index in pairs
        ),
        accepts=tuple(float(share) for share in weight @ acceptance),
        final_player=float(final @ FINAL[:, 0]),
        final_agent=float(final @ FINAL[:, 1]),
        final_both=float(final[(FINAL.max() == FINAL).all(axis=1)].sum()),
    )
