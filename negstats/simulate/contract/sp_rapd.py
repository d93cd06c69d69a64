"""SP-RAPD: it offers the commitment that gives the customer just what people accept, or nothing (haim2017, 6.3).

A benefit threshold takes the place of SP-RAP's offer. Where no commitment has that benefit, or the one that has it is
worth no more to the provider than no deal, SP-RAPD makes no offer. It answers the customer's offers as SP-RAP does.
"""

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
    """Offers the commitment with a given benefit, or nothing, and answers offers as a solution says."""

    def __init__(self, solution: Solution, provider: int, net: int) -> None:
        super().__init__(solution, provider)
        self.net = net

    def offer(self, state: State, rng: np.random.Generator | None = None) -> Offer | None:  # noqa: ARG002
        """Return the commitment with the benefit, if there is one that the provider prefers to no deal; else none.

        "... if ... exists; otherwise, it does not make any offer" (haim2017, 6.3).
        """
        game = self.solution.game
        if committed_to(game, state):  # an offer is a commitment only while the customer is committed to nobody
            return None
        try:
            offer = commitment_offer(game, state, self.provider, self.net)
        except DesignError:  # no commitment from here has the benefit
            return None
        deal, no_deal = (self.solution.value(game.accept(state, choice)) for choice in (offer, None))
        return offer if deal[self.provider] > no_deal[self.provider] else None


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

    With China's chance of reaching the goal that deal is worth less to the provider than its own chips: no offer.

    >>> print(sp_rapd(game, 2, pr=9 / 15, alpha=0.0195, benefit=50).offer(game.start))
    None
    """
    net = math.ceil(benefit / game.chip_points)
    return BenefitProvider(solve(game, Utility(pr, alpha)), provider, net)
