"""SP-RAP: the provider that reckons with customers who fail to reach the goal, and is risk averse (haim2017, 6.3)."""

from __future__ import annotations

from negstats.games.contract.equilibrium import solve
from negstats.games.contract.rules import Game
from negstats.games.contract.utility import Utility
from negstats.simulate.contract.equilibrium_seats import EquilibriumProvider


def sp_rap(game: Game, provider: int, *, pr: float, alpha: float) -> EquilibriumProvider:
    """Return the agent for a provider's seat.

    Parameters
    ----------
    game, provider
        Where it sits.
    pr
        The chance that a customer who sets out for a goal gets there.
    alpha
        Risk aversion, a point: the utility of u points is ``1 - exp(-alpha u)``.

    Examples
    --------
    Israel: 26 chips for 11.

    >>> import numpy as np
    >>> from negstats.games.contract import study_game
    >>> game = study_game()
    >>> sp_rap(game, 2, pr=5 / 6, alpha=0.0195).offer(game.start, np.random.default_rng(1))
    Offer(provider=2, to_customer=(0, 0, 7, 19), to_provider=(11, 0, 0, 0))
    """
    return EquilibriumProvider(solve(game, Utility(pr, alpha)), provider)
