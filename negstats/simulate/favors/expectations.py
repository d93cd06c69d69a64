"""What simulated people do on average against an agent, exactly: the sum over every course that a session can take."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from negstats.games.favors import FINAL, PAIRS, STUDY
from negstats.games.favors.rules import Negotiation
from negstats.simulate.favors.agent import FavorAgent
from negstats.simulate.favors.people import Participant, histories, participant


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

    @property
    def final_joint(self) -> float:
        """Joint value of the last negotiation."""
        return self.final_player + self.final_agent


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
    courses = list(histories(agent, people, negotiations))
    weight = np.array([likely for likely, _ in courses])
    past = np.array([[tuple(one) for one in history] for _, history in courses])
    good, acceptance = past[:, :, 1], past[:, :, 2]
    totals = np.zeros((len(courses), 2))
    for place, one in enumerate(negotiations):
        offers = np.array([one.good or one.poor if fine else one.poor for fine in good[:, place]], dtype=np.float64)
        totals += np.where(acceptance[:, place, np.newaxis], offers, np.array(one.batna, dtype=np.float64))
    finals = np.array([people.weights(agent, history) for _, history in courses])
    final = weight @ finals
    pairs = [(first, first + 1) for first in range(0, len(negotiations) - 1, len(PAIRS[0]))]
    return Expectations(
        player=float(weight @ totals[:, 0]),
        agent=float(weight @ totals[:, 1]),
        both=tuple(float(weight @ (acceptance[:, first] & acceptance[:, second])) for first, second in pairs),
        accepts=tuple(float(share) for share in weight @ acceptance),
        final_player=float(final @ FINAL[:, 0]),
        final_agent=float(final @ FINAL[:, 1]),
        final_both=float(final[(FINAL.max() == FINAL).all(axis=1)].sum()),
    )
