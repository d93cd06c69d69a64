"""All agents of the favor game by condition: the four of mell2015, and those with a memory, of no paper."""

from __future__ import annotations

from negstats.errors import UsageError, shown
from negstats.simulate.favors.agent import FavorAgent
from negstats.simulate.favors.conditional import CONDITIONAL
from negstats.simulate.favors.credit import Credit
from negstats.simulate.favors.forgiving import FORGIVING
from negstats.simulate.favors.grim import GRIM
from negstats.simulate.favors.people import parameters
from negstats.simulate.favors.printed import PRINTED
from negstats.simulate.favors.random_return import RandomReturn


def _build_rule_agents() -> list[FavorAgent]:
    limits = parameters()["agents"]
    return [
        Credit("credit", "favor", "at the limit", **limits["credit"]),
        RandomReturn("random", "favor", "by chance", **limits["random"]),
    ]


AGENTS: dict[str, FavorAgent] = PRINTED | {
    one.name: one for one in (CONDITIONAL, GRIM, FORGIVING, *_build_rule_agents())
}


def agent_of(condition: str) -> FavorAgent:
    """Return the agent of a condition.

    Parameters
    ----------
    condition
        Name of the condition.

    Returns
    -------
    FavorAgent
        The agent with its language and its returns.

    Raises
    ------
    UsageError
        If there is none.

    Examples
    --------
    >>> agent_of("betraying").language
    'favor'
    """
    if condition not in AGENTS:
        raise UsageError(f"condition is {shown(condition)}; there are {', '.join(AGENTS)}")
    return AGENTS[condition]
