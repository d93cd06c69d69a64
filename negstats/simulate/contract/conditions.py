"""Who sits where in each condition of haim2017."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from negstats.errors import UsageError, shown
from negstats.games.contract import study_game
from negstats.games.contract.rules import Game
from negstats.simulate.contract.equilibrium_seats import cs_a, sp_a, sp_rap, sp_rapd
from negstats.simulate.contract.people import HumanCustomer, HumanProvider, Reach, agent_parameters, people_of
from negstats.simulate.contract.transcript import Customer, Provider


@dataclass(frozen=True, slots=True)
class Seat:
    """A seat's name and role."""

    name: str
    role: str


SEATS = (Seat("CS", "customer"), Seat("SP_g", "provider_g"), Seat("SP_y", "provider_y"))

# The agent in each seat; None is a person. In the study the agent among the providers had the yellow goal.
CONDITIONS: dict[str, tuple[str | None, str | None, str | None]] = {
    "HvsH": (None, None, None),
    "HvsCS-A": ("CS-A", None, None),
    "HvsSP-A": (None, None, "SP-A"),
    "HvsSP-RAP": (None, None, "SP-RAP"),
    "HvsSP-RAPD": (None, None, "SP-RAPD"),
}


@dataclass(frozen=True, slots=True)
class Table:
    """The game, and who plays it."""

    game: Game
    customer: Customer
    providers: tuple[Provider, ...]


@lru_cache(maxsize=64)
def table(condition: str, country: str) -> Table:
    """Return the game and the players of a condition in a country, made once: agents keep what they have solved.

    Raises
    ------
    UsageError
        If there is no such condition, or no parameters for the country.
    """
    if condition not in CONDITIONS:
        raise UsageError(f"condition is {shown(condition)}; there are {', '.join(CONDITIONS)}")
    people, game = people_of(country), study_game()
    reach = Reach(game)
    agents = CONDITIONS[condition]
    customer = HumanCustomer(reach, people) if agents[0] is None else cs_a(game)
    providers = tuple(_provider(agents[number], number, country, reach) for number in game.providers)
    return Table(game, customer, providers)


def _provider(agent: str | None, number: int, country: str, reach: Reach) -> Provider:
    if agent is None:
        return HumanProvider(reach, people_of(country), number)
    if agent == "SP-A":
        return sp_a(reach.game, number)
    risk = agent_parameters("SP-RAP")
    chance, alpha = risk["pr"].get(country), risk["alpha"]
    if chance is None:
        raise UsageError(f"country is {shown(country)}; SP-RAP has a pr for {', '.join(risk['pr'])}")
    if agent == "SP-RAP":
        return sp_rap(reach.game, number, pr=chance, alpha=alpha)
    return sp_rapd(reach.game, number, pr=chance, alpha=alpha, **agent_parameters(agent))
