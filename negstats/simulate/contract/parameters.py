"""The parameters of simulated people and agents, read from `parameters.toml` beside this file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from negstats.errors import UsageError, shown


@dataclass(frozen=True, slots=True)
class People:
    """How the people of one country play.

    Parameters
    ----------
    enough
        Chance in each round that the customer has talked enough and walks to a goal. Calibrated to the rounds.
    lost
        Chance that the customer, who has stayed already, stays again, so that the game goes dormant. Calibrated to the
        rate at which goals are reached.
    slip
        Chance, at each decision of the customer, that it gives away chips that its last path needs: it offers them, or
        does not see that an offer takes them.
    customer_wants, provider_wants
        Points of gain that are accepted in half the cases.
    response_noise
        Points of gain that change the odds of acceptance by the factor e.
    offer_noise
        Points of promise that change the odds of making one offer rather than another by the factor e.
    """

    enough: float
    lost: float
    slip: float
    customer_wants: float
    provider_wants: float
    response_noise: float
    offer_noise: float

    def __post_init__(self) -> None:
        for name in ("enough", "lost", "slip"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is {getattr(self, name)}; a chance from 0 to 1 is needed")
        for name in ("response_noise", "offer_noise"):
            if getattr(self, name) <= 0:
                raise UsageError(f"{name} is {getattr(self, name)}; more than 0 points are needed")

    def with_(self, **changes: float) -> People:
        """Return people who differ in some parameters.

        Parameters
        ----------
        **changes
            New values by the names of the parameters.

        Returns
        -------
        People
            A copy; these people are not changed.
        """
        return replace(self, **changes)


@lru_cache(maxsize=1)
def _read_parameters() -> dict[str, Any]:
    return tomllib.loads(files("negstats.simulate.contract").joinpath("parameters.toml").read_text(encoding="utf-8"))


def countries() -> list[str]:
    """Return the countries that have parameters.

    Returns
    -------
    list[str]
        Names that `people_of` takes.

    Examples
    --------
    >>> countries()
    ['China', 'Israel', 'USA']
    """
    return list(_read_parameters()["people"]["countries"])


def people_of(country: str) -> People:
    """Return the parameters by which the people of a country play.

    Parameters
    ----------
    country
        A name of `countries`.

    Returns
    -------
    People
        The parameters of the people.

    Raises
    ------
    UsageError
        If the country has no parameters.
    """
    people = _read_parameters()["people"]
    if country not in people["countries"]:
        raise UsageError(f"country is {shown(country)}; there are parameters for {', '.join(countries())}")
    return People(**people["everywhere"], **people["countries"][country])


def agent_parameters(agent: str) -> dict[str, Any]:
    """Return the parameters of an agent; none for one without.

    Examples
    --------
    >>> agent_parameters("SP-RAPD")
    {'benefit': 50}
    """
    return dict(_read_parameters()["agents"].get(agent, {}))
