"""The design of chawla2023: one supervised agent, and six that differ in reward and training partner.

Stage 1: S speaks as people do. Stage 2: from S, against S, with the selfish and with the fair reward. Stage 3: each
reward again, from S, against each agent of stage 2. The partner never learns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from negstats.errors import LogError, UsageError, shown
from negstats.files import write_whole
from negstats.games.dealornodeal import FEATURES, draw
from negstats.simulate.dealornodeal.learning import LogLinear, Trained, fit, train
from negstats.simulate.dealornodeal.people import People
from negstats.simulate.dealornodeal.play import play
from negstats.toml_text import TomlError, read_toml

SCHEMA = "negstats.dealornodeal/1"
SUPERVISED = "S"
CORPUS = 3_000  # dialogues that S learns from

# S must be easier to agree with than the people it meets later, or nothing of the paper's patterns appears.
OVER_AGREEABLE = People(easy=0.25, start=9.2)


@dataclass(frozen=True, slots=True)
class Agent:
    """A trained agent: its reward, and its training partner in the words of the paper."""

    reward: str
    partner: str

    @property
    def name(self) -> str:
        """Such as ``r=selfish,p=S``."""
        return f"r={self.reward},p={SUPERVISED if self.partner == 'supervised' else self.partner}"

    @property
    def meets(self) -> str:
        """Name of the agent that it was trained with."""
        return SUPERVISED if self.partner == "supervised" else Agent(self.partner, "supervised").name


AGENTS = tuple(
    Agent(reward, partner) for partner in ("supervised", "fair", "selfish") for reward in ("fair", "selfish")
)


def design(
    *, people: People = OVER_AGREEABLE, rng: np.random.Generator, corpus: int = CORPUS, **hyper: Any
) -> dict[str, Trained]:
    """Train the seven agents.

    Parameters
    ----------
    people
        Whose dialogues S learns from.
    rng
        Source of randomness; each agent has a stream of its own.
    corpus
        Dialogues that S learns from.
    **hyper
        `games`, `batch`, `rate`, `discount` of `train`.

    Returns
    -------
    dict of str to Trained
        By name: "S", then the agents of `AGENTS`. S has no curve.

    Examples
    --------
    >>> agents = design(rng=np.random.default_rng(1), corpus=200, games=512)
    >>> list(agents)[:3]
    ['S', 'r=fair,p=S', 'r=selfish,p=S']
    """
    own_stream, *agent_streams = rng.spawn(1 + len(AGENTS))
    start = fit(play(people, people, draw(corpus, rng=own_stream), rng=own_stream)).theta
    trained_agents = {SUPERVISED: Trained(start, {})}
    for agent, agent_stream in zip(AGENTS, agent_streams, strict=True):  # those of stage 2 stand first
        partner = LogLinear(trained_agents[agent.meets].theta)
        trained_agents[agent.name] = train(start, partner, agent.reward, rng=agent_stream, **hyper)
    return trained_agents


def save_design(path: str | Path, agents: Mapping[str, Trained], *, seed: int, people: People) -> None:
    """Write the parameters of agents as TOML, with the seed and the people that they come from.

    Parameters
    ----------
    path
        The TOML file.
    agents
        The trained agents by name.
    seed
        The seed that they were trained with.
    people
        The people that they were trained against.
    """
    lines = [f'schema = "{SCHEMA}"', f"seed = {seed}", "features = ["]
    lines += [f'    "{name}",' for name in FEATURES] + ["]", "", "[people]"]
    lines += [f"{name} = {float(value)!r}" for name, value in asdict(people).items()]
    lines += ["", "[agents]"]
    for name, agent in agents.items():
        lines += [f'"{name}" = [', *(f"    {float(number)!r}," for number in agent.theta), "]"]
    write_whole(path, "\n".join(lines) + "\n")


def load_design(path: str | Path) -> dict[str, LogLinear]:
    """Read the agents that `save_design` has written: they say the same again, given the same stream.

    Parameters
    ----------
    path
        The TOML file.

    Returns
    -------
    dict[str, LogLinear]
        Policies by the name of the agent.

    Raises
    ------
    LogError
        If the file is no such TOML, or its features are others.
    UsageError
        If it is not there.
    """
    file = Path(path)
    try:
        content = read_toml(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UsageError(f"{file}: is not there; give a file that save_design has written") from None
    except (TomlError, UnicodeDecodeError) as error:
        raise LogError(f"is not TOML: {error}", file=file) from None
    if content.get("schema") != SCHEMA or content.get("features") != list(FEATURES):
        raise LogError(f"holds no agents of {shown(SCHEMA)} with today's features", file=file)
    agents = {}
    for name, theta in content.get("agents", {}).items():
        is_numeric = isinstance(theta, list) and all(isinstance(x, float) and np.isfinite(x) for x in theta)
        if not is_numeric or len(theta) != len(FEATURES):
            raise LogError(f"agent {shown(name)} has {shown(theta)}; {len(FEATURES)} finite numbers", file=file)
        agents[str(name)] = LogLinear(np.array(theta))
    return agents
