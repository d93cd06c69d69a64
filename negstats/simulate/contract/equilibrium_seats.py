"""The agents of haim2017 (sections 5 and 6.3): they offer, answer and walk as a solved game says, from any state."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from negstats.errors import DesignError
from negstats.games.contract.board import Offer, Square, State
from negstats.games.contract.commitment import commitment_offer, committed_to
from negstats.games.contract.equilibrium import Solution, solve
from negstats.games.contract.rules import Game
from negstats.games.contract.search import Utility

if TYPE_CHECKING:
    import numpy as np


class EquilibriumCustomer:
    """Plays the customer's part of a solution."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution

    def offer(self, state: State, rng: np.random.Generator) -> Offer | None:  # noqa: ARG002 - nothing is left to chance
        """Return the preferred offer (haim2017, Definition 2)."""
        return next(iter(self.solution.offer(state)), None)

    def answer(self, state: State, offers: Sequence[Offer], rng: np.random.Generator) -> Offer | None:  # noqa: ARG002
        """Return the best offer where it is worth more than none; ties as the paper breaks them."""
        return self.solution.response(state, offers)

    def walk(self, state: State, rng: np.random.Generator) -> Sequence[Square]:  # noqa: ARG002
        """Return the preferred path (Definition 5)."""
        return self.solution.path(state)


class EquilibriumProvider:
    """Plays one provider's part of a solution."""

    def __init__(self, solution: Solution, provider: int) -> None:
        self.solution, self.provider = solution, provider

    def offer(self, state: State, rng: np.random.Generator | None = None) -> Offer | None:  # noqa: ARG002
        """Return the preferred offer (haim2017, Definition 3)."""
        return next((offer for offer in self.solution.offer(state) if offer.provider == self.provider), None)

    def accepts(self, state: State, offer: Offer, rng: np.random.Generator) -> bool:  # noqa: ARG002
        """Accept what is worth more than going without."""
        return self.solution.response(state, [offer]) is not None


def cs_a(game: Game) -> EquilibriumCustomer:
    """Return CS-A, which plays the equilibrium among players who are sure and risk neutral (haim2017, 5).

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


def sp_a(game: Game, provider: int) -> EquilibriumProvider:
    """Return SP-A, which plays the equilibrium among players who are sure and risk neutral (haim2017, 5).

    Examples
    --------
    >>> import numpy as np
    >>> from negstats.games.contract import study_game
    >>> game = study_game()
    >>> sp_a(game, 2).offer(game.start, np.random.default_rng(1))
    Offer(provider=2, to_customer=(0, 0, 7, 33), to_provider=(11, 0, 0, 0))
    """
    return EquilibriumProvider(solve(game), provider)


def sp_rap(game: Game, provider: int, *, pr: float, alpha: float) -> EquilibriumProvider:
    """Return SP-RAP, which reckons with customers who fail to reach the goal, and is risk averse (haim2017, 6.3).

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
    """Return SP-RAPD: it offers the commitment that gives the customer just what people accept, or nothing.

    A benefit threshold takes the place of SP-RAP's offer (haim2017, 6.3). Where no commitment has that benefit, or the
    one that has it is worth no more to the provider than no deal, SP-RAPD makes no offer. It answers the customer's
    offers as SP-RAP does.

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
