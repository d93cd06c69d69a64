"""The simulated study of chawla2023: who meets whom, the six agents with made-up people and each other, and its log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, UsageError, shown
from negstats.games.dealornodeal import ACCEPT, ENDS, ISSUES, Scenarios, draw
from negstats.games.dealornodeal.dialogue import share
from negstats.loaders.dealornodeal_acts import LOG
from negstats.simulate.batches import Batch, Track, play_all, untracked
from negstats.simulate.dealornodeal.design import AGENTS
from negstats.simulate.dealornodeal.learning import LogLinear
from negstats.simulate.dealornodeal.people import People
from negstats.simulate.dealornodeal.play import Played, Policy, joined, play
from negstats.simulate.log import build_provenance, read_events, write_events
from negstats.studies import Study

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
        pair = (self.agent, self.opponent)
        return [pair[seat] for seat in self.seat], [pair[1 - seat] for seat in self.seat]

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
    (name, agent), (opponent_name, opponent) = agents, opponents
    half_size = (len(scenarios) + 1) // 2
    second_half = scenarios[half_size:]
    swapped = Scenarios(second_half.counts, second_half.values[:, ::-1])  # noqa: PD011 - no frame
    halves = [play(agent, opponent, scenarios[:half_size], rng=rng), play(opponent, agent, swapped, rng=rng)]
    return Meeting(name, opponent_name, np.repeat([0, 1], [half_size, len(second_half)]), joined(halves), seed)


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
        own_points, other_points = meeting.points().T
        columns: Mapping[str, Any] = {
            "agent": meeting.agent,
            **meeting.factors,
            "own": own_points.astype(float),
            "other": other_points.astype(float),
            "joint": (own_points + other_points).astype(float),
            "agreed": meeting.played.agreed,
            "ended": np.array(ENDS)[meeting.played.how],
            "length": meeting.played.length,
        }
        order = ["agent", "opponent", "reward", "partner", "own", "other", "joint", "agreed", "ended", "length"]
        frames.append(pd.DataFrame(columns)[order])
    return pd.concat(frames, ignore_index=True)


STUDY, SCENARIO, PROTOCOL = "chawla2023-simulated", "Deal or No Deal", "acts"
SEATS = ("A", "B")  # A speaks first
VERSION = "1"
CAUTION = "simulated acts, not the paper's bots, and nobody took part"


def as_study(meetings: Sequence[Meeting], *, notes: Sequence[str] = ()) -> Study:
    """Return dialogues as a study.

    A game is a dialogue; `rounds` are its utterances, and the round of an offer is the utterance that made it. A
    message has an act and no text, so it is no *utterance* of `negstats.metrics`, which counts plain talk.

    Parameters
    ----------
    meetings
        The dialogues, a meeting for each pair of agent and opponent.
    notes
        Lines for the study's provenance.

    Returns
    -------
    Study
        The study with its tables.

    Examples
    --------
    >>> import numpy as np
    >>> from negstats.games.dealornodeal import draw
    >>> from negstats.simulate.dealornodeal.study import meet
    >>> from negstats.simulate.dealornodeal.people import People
    >>> rng = np.random.default_rng(1)
    >>> study = as_study([meet(("S", People()), ("people", People()), draw(4, rng=rng), rng=rng, seed=1)])
    >>> study.factors
    ['reward', 'partner', 'opponent', 'mirrored']
    """
    provenance = build_provenance("dealornodeal", VERSION, notes, CAUTION)
    return read_events(LOG, chain.from_iterable(map(events, meetings)), provenance)


def write_log(path: str | Path, meetings: Sequence[Meeting]) -> None:
    """Write the games to a file, one event a line.

    Parameters
    ----------
    path
        The file.
    meetings
        The dialogues, a meeting for each pair of agent and opponent.
    """
    write_events(path, chain.from_iterable(map(events, meetings)))


def events(meeting: Meeting) -> Iterator[dict[str, Any]]:
    """Yield the events of the games, one game after the other, in the order in which they happened."""
    dialogues = meeting.played
    for row, (name, *agents) in enumerate(zip(meeting.ids, *meeting.names, strict=True)):
        yield {
            "event": "game",
            "game": name,
            "study": STUDY,
            "scenario": SCENARIO,
            "protocol": PROTOCOL,
            "seed": meeting.seed,
            "factors": {**meeting.factors, "mirrored": True},
            "counts": _count_by_issue(dialogues.scenarios.counts[row]),
            "first": SEATS[0],
            "players": [
                {"player": seat, "agent": agent, "batna": 0, "values": _count_by_issue(values)}
                for seat, agent, values in zip(SEATS, agents, dialogues.scenarios.values[row], strict=True)  # noqa: PD011
            ],
        }
        acts = dialogues.acts[row]
        for number, act in enumerate(acts[acts >= 0].tolist()):
            event = {"event": "act", "game": name, "number": number, "player": SEATS[number % 2]}
            if act < ACCEPT:
                yield {**event, "act": "propose", "units": _count_by_issue(share(act))}
            else:
                yield {**event, "act": "accept" if act == ACCEPT else "walk"}
        points = dict(zip(SEATS, dialogues.points[row].tolist(), strict=True))
        yield {"event": "end", "game": name, "ended": ENDS[dialogues.how[row]], "points": points}


def _count_by_issue(numbers: Any) -> dict[str, int]:
    return dict(zip(ISSUES, numbers.tolist(), strict=True))


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
    pairs = [(theta, opponent_theta, games) for theta in thetas for opponent_theta in thetas]
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
    for pair_index, rng in batch.games():
        name, opponent_name, size = pairs[pair_index]
        opponent: Policy = people if opponent_name == PEOPLE else LogLinear(thetas[opponent_name])
        pair_scenarios = draw(size, rng=rng) if scenarios is None else scenarios
        meetings.append(
            meet((name, LogLinear(thetas[name])), (opponent_name, opponent), pair_scenarios, rng=rng, seed=seed)
        )
    return meetings
