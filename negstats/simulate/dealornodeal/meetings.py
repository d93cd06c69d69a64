"""Who meets whom: one agent and an opponent on a batch of scenarios, half with either speaking first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError
from negstats.games.dealornodeal import ENDS, Scenarios
from negstats.simulate.dealornodeal.design import AGENTS
from negstats.simulate.dealornodeal.play import Played, Policy, joined, play

Integers = npt.NDArray[np.int64]

PEOPLE = "people"


@dataclass(frozen=True, slots=True)
class Meeting:
    """Dialogues of one agent with one opponent.

    Attributes
    ----------
    agent, opponent : str
        Names. `opponent` is "people" for made-up people.
    seat : numpy.ndarray
        Where the agent sat, (dialogues,): 0 speaks first.
    played : Played
        The dialogues.
    seed : int
        Of the study that they belong to.
    """

    agent: str
    opponent: str
    seat: Integers
    played: Played
    seed: int

    def __len__(self) -> int:
        return len(self.played)

    @property
    def factors(self) -> dict[str, str]:
        """Levels of the design: reward and training partner of the agent, and whom it meets."""
        for agent in AGENTS:
            if agent.name == self.agent:
                return {"reward": agent.reward, "partner": agent.partner, "opponent": self.opponent}
        return {"reward": "none", "partner": "none", "opponent": self.opponent}

    @property
    def ids(self) -> list[str]:
        """Names of the games."""
        return [f"{self.agent} with {self.opponent} {number:04d}" for number in range(1, len(self) + 1)]

    @property
    def names(self) -> tuple[list[str], list[str]]:
        """Who sat in the first and in the second seat of each game."""
        both = (self.agent, self.opponent)
        return [both[seat] for seat in self.seat], [both[1 - seat] for seat in self.seat]

    def points(self) -> Integers:
        """Return the agent's and the opponent's points, (dialogues, 2).

        Returns
        -------
        ndarray of int
            0 for both where a dialogue ended without a deal.
        """
        rows = np.arange(len(self))
        return np.stack([self.played.points[rows, self.seat], self.played.points[rows, 1 - self.seat]], axis=1)


def meet(
    agents: tuple[str, Policy],
    opponents: tuple[str, Policy],
    scenarios: Scenarios,
    *,
    rng: np.random.Generator,
    seed: int,
) -> Meeting:
    """Let an agent with the first values meet an opponent with the second, and speak first in the first half.

    Parameters
    ----------
    agents
        Name and policy of the agent.
    opponents
        Name and policy of the opponent.
    scenarios
        One for each dialogue, two at least.
    rng
        For the draws.
    seed
        What the meeting says that it was drawn with.

    Returns
    -------
    Meeting
        The dialogues in the order of the scenarios.

    Raises
    ------
    DesignError
        If there are not two scenarios at least.
    """
    if len(scenarios) < 2:
        raise DesignError(f"{len(scenarios)} scenarios; at least 2 are needed, one with either speaking first")
    (name, agent), (other, opponent) = agents, opponents
    half = (len(scenarios) + 1) // 2
    second_half = scenarios[half:]
    swapped = Scenarios(second_half.counts, second_half.values[:, ::-1])  # noqa: PD011 - no frame
    parts = [play(agent, opponent, scenarios[:half], rng=rng), play(opponent, agent, swapped, rng=rng)]
    return Meeting(name, other, np.repeat([0, 1], [half, len(second_half)]), joined(parts), seed)


def outcomes_of(meetings: Sequence[Meeting]) -> pd.DataFrame:
    """Return one row a dialogue: agent, opponent, own points, the opponent's, joint, agreed, ended, length.

    Parameters
    ----------
    meetings
        The dialogues, a meeting for each pair of agent and opponent.

    Returns
    -------
    DataFrame
        The dialogues in the order of the meetings.

    Examples
    --------
    >>> from negstats.games.dealornodeal import draw
    >>> from negstats.simulate.dealornodeal.people import People
    >>> rng = np.random.default_rng(1)
    >>> met = meet(("S", People()), ("people", People()), draw(4, rng=rng), rng=rng, seed=1)
    >>> outcomes_of([met]).columns.tolist()
    ['agent', 'opponent', 'reward', 'partner', 'own', 'other', 'joint', 'agreed', 'ended', 'length']
    """
    frames = []
    for meeting in meetings:
        own, other = meeting.points().T
        columns: Mapping[str, Any] = {
            "agent": meeting.agent,
            **meeting.factors,
            "own": own.astype(float),
            "other": other.astype(float),
            "joint": (own + other).astype(float),
            "agreed": meeting.played.agreed,
            "ended": np.array(ENDS)[meeting.played.how],
            "length": meeting.played.length,
        }
        order = ["agent", "opponent", "reward", "partner", "own", "other", "joint", "agreed", "ended", "length"]
        frames.append(pd.DataFrame(columns)[order])
    return pd.concat(frames, ignore_index=True)
