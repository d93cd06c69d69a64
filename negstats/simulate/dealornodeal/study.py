"""The simulated study of chawla2023: the six agents with made-up people, and every agent with every other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import UsageError, shown
from negstats.games.dealornodeal import Scenarios, draw
from negstats.simulate.batches import Batch, Track, play_all, untracked
from negstats.simulate.dealornodeal.loglinear import LogLinear
from negstats.simulate.dealornodeal.meetings import PEOPLE, Meeting, meet
from negstats.simulate.dealornodeal.people import People
from negstats.simulate.dealornodeal.play import Policy

PAIR = 388  # dialogues of a pair of agents, as printed; why 388 is not

# Dialogues of each agent with people, Table 3.
SIZES = {
    "r=fair,p=S": 97,
    "r=fair,p=fair": 100,
    "r=fair,p=selfish": 97,
    "r=selfish,p=S": 96,
    "r=selfish,p=fair": 90,
    "r=selfish,p=selfish": 103,
}

Thetas = Mapping[str, npt.NDArray[Any]]


def agents_with_people(
    agents: Mapping[str, Any],
    seed: int,
    *,
    games: int | None = None,
    people: People | None = None,
    workers: int = 1,
    track: Track[Meeting] = untracked,
) -> list[Meeting]:
    """Let each of the six agents meet made-up people, each dialogue in a scenario of its own.

    Parameters
    ----------
    agents
        What `design` returns, or `load_design`: something with `theta` by name.
    seed
        The same seed gives the same dialogues, whatever the number of workers.
    games
        Dialogues of each agent; as many as printed if not given.
    people
        Whom they meet; those that are calibrated if not given.
    workers
        Processes that play.
    track
        Called with the meetings as they come and their number; yields them on (a progress bar).

    Returns
    -------
    list[Meeting]
        One meeting an agent.

    Raises
    ------
    UsageError
        If an agent of the design is not there, or a number makes no sense.

    Examples
    --------
    >>> alike = {name: LogLinear(np.zeros(18)) for name in SIZES}
    >>> [len(one) for one in agents_with_people(alike, seed=1)]
    [97, 100, 97, 96, 90, 103]
    """
    thetas = _thetas(agents)
    lacking = [name for name in SIZES if name not in thetas]
    if lacking:
        raise UsageError(f"agents have no {shown(lacking[0])}; there are {', '.join(thetas)}")
    sizes = SIZES if games is None else dict.fromkeys(SIZES, games)
    pairs = [(name, PEOPLE, size) for name, size in sizes.items()]
    play = partial(_pairs, pairs=pairs, thetas=thetas, people=people or People(), scenarios=None, seed=seed)
    return play_all(play, len(pairs), seed, workers=workers, track=track, size=1)


def agents_with_agents(
    agents: Mapping[str, Any],
    seed: int,
    *,
    games: int = PAIR,
    workers: int = 1,
    track: Track[Meeting] = untracked,
) -> list[Meeting]:
    """Let every agent meet every other and itself, all pairs in the same scenarios, half with either speaking first.

    Parameters
    ----------
    agents
        As in `agents_with_people`.
    seed
        As in `agents_with_people`.
    games
        Dialogues of each ordered pair.
    workers, track
        As in `agents_with_people`.

    Returns
    -------
    list[Meeting]
        One meeting a pair of agents.

    Raises
    ------
    UsageError
        If there is no agent, or a number makes no sense.

    Examples
    --------
    >>> alike = {name: LogLinear(np.zeros(18)) for name in ("one", "two")}
    >>> [(one.agent, one.opponent) for one in agents_with_agents(alike, seed=1, games=2)]
    [('one', 'one'), ('one', 'two'), ('two', 'one'), ('two', 'two')]
    """
    thetas = _thetas(agents)
    pairs = [(theta, other, games) for theta in thetas for other in thetas]
    if seed < 0:
        raise UsageError(f"seed is {seed}; a number of at least 0 is needed")
    scenarios = draw(games, rng=np.random.default_rng(np.random.SeedSequence((seed,))))
    play = partial(_pairs, pairs=pairs, thetas=thetas, people=People(), scenarios=scenarios, seed=seed)
    return play_all(play, len(pairs), seed, workers=workers, track=track, size=len(thetas))


def _thetas(agents: Mapping[str, Any]) -> Thetas:
    return {name: np.asarray(agent.theta, dtype=float) for name, agent in agents.items()}


def _pairs(
    batch: Batch,
    *,
    pairs: Sequence[tuple[str, str, int]],
    thetas: Thetas,
    people: People,
    scenarios: Scenarios | None,
    seed: int,
) -> list[Meeting]:
    """Play the pairs of a batch."""
    meetings = []
    for place, rng in batch.games():
        name, other, size = pairs[place]
        opponent: Policy = people if other == PEOPLE else LogLinear(thetas[other])
        pair_scenarios = draw(size, rng=rng) if scenarios is None else scenarios
        meetings.append(meet((name, LogLinear(thetas[name])), (other, opponent), pair_scenarios, rng=rng, seed=seed))
    return meetings
