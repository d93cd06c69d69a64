"""CS-A: the customer that plays the equilibrium among players who are sure and risk neutral (haim2017, 5)."""

from __future__ import annotations

from negstats.games.contract.equilibrium import solve
from negstats.games.contract.rules import Game
from negstats.simulate.contract.equilibrium_seats import EquilibriumCustomer


def cs_a(game: Game) -> EquilibriumCustomer:
    """Return the agent for a game.

    Examples
    --------
    On the study's board it takes SP_g's 40 chips for 11:

    >>> import numpy as np
    >>> from negstats.games.contract import study_game
    >>> agent, rng = cs_a(study_game()), np.random.default_rng(1)
    >>> start = study_game().start
    >>> agent.answer(start, agent.solution.offer(start), rng)
    Offer(provider=1, to_customer=(0, 0, 7, 33), to_provider=(0, 11, 0, 0))
    """
    return EquilibriumCustomer(solve(game))
