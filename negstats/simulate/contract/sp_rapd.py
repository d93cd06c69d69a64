"""SP-RAPD: SP-RAP whose commitments give the customer just what people accept: a benefit threshold (haim2017, 6.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from negstats.errors import DesignError
from negstats.games.contract.commitment import commitment_offer, committed_to
from negstats.games.contract.equilibrium import Solution, solve
from negstats.games.contract.rules import Game
from negstats.games.contract.state import Offer, State
from negstats.games.contract.utility import Utility
from negstats.simulate.contract.equilibrium_seats import EquilibriumProvider

if TYPE_CHECKING:
    import numpy as np


class BenefitProvider(EquilibriumProvider):
    """Offers the commitment with a given benefit while the customer is free, and plays a solution otherwise."""

    def __init__(self, solution: Solution, provider: int, net: int) -> None:
        super().__init__(solution, provider)
        self.net = net

    def offer(self, state: State, rng: np.random.Generator | None = None) -> Offer | None:
        """Return the commitment with the benefit; the solution's offer where there is none."""
        if not committed_to(self.solution.game, state):
            try:
                return commitment_offer(self.solution.game, state, self.provider, self.net)
            except DesignError:  # no such commitment from here
                pass
        return super().offer(state, rng)


def sp_rapd(game: Game, provider: int, *, pr: float, alpha: float, benefit: float) -> BenefitProvider:
    """Return the agent for a provider's seat.

    Parameters
    ----------
    game, provider, pr, alpha
        As for SP-RAP.
    benefit
        Points that the customer gains by the commitment; what is over a whole chip is rounded up.

    Examples
    --------
    A benefit of 50 points: 21 chips for 11.

    >>> import numpy as np
    >>> from negstats.games.contract import study_game
    >>> game = study_game()
    >>> sp_rapd(game, 2, pr=5 / 6, alpha=0.0195, benefit=50).offer(game.start, np.random.default_rng(1))
    Offer(provider=2, to_customer=(0, 0, 7, 14), to_provider=(11, 0, 0, 0))
    """
    net = math.ceil(benefit / game.chip_points)
    return BenefitProvider(solve(game, Utility(pr, alpha)), provider, net)
