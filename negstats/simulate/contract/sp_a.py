"""SP-A: the provider that plays the equilibrium among players who are sure and risk neutral (haim2017, 5)."""

from __future__ import annotations

from negstats.games.contract.equilibrium import solve
from negstats.games.contract.rules import Game
from negstats.simulate.contract.equilibrium_seats import EquilibriumProvider


def sp_a(game: Game, provider: int) -> EquilibriumProvider:
    """Return the agent for a provider's seat.

    Examples
    --------
    >>> import numpy as np
    >>> from negstats.games.contract import study_game
    >>> game = study_game()
    >>> sp_a(game, 2).offer(game.start, np.random.default_rng(1))
    Offer(provider=2, to_customer=(0, 0, 7, 33), to_provider=(11, 0, 0, 0))
    """
    return EquilibriumProvider(solve(game), provider)
