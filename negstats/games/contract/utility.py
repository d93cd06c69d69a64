"""What an uncertain score is worth to a player, in points.

A walk to a goal succeeds with the probability `pr`; otherwise the customer stays where it is with all its chips, and
the game is over. A player with risk aversion α has the utility ``U(u) = 1 - exp(-α u)`` of u points (haim2017,
SP-RAP). All values in this package are certainty equivalents, ``U⁻¹(E[U])``: the sure score that is worth as much.
They order outcomes as the expected utility does, are expected points where α is 0, and keep their digits where
``exp(-α u)`` has none left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from negstats.errors import DesignError

DIGITS = 10  # values that agree to so many decimals of a point are ties
NEUTRAL = 1e-12  # below this the certainty equivalent is the mean, to the last digit that is kept


@dataclass(frozen=True, slots=True)
class Utility:
    """How players value scores.

    Parameters
    ----------
    pr
        The probability that a customer who walks to a goal gets there, 0 to 1.
    alpha
        Risk aversion α of all players, a point; 0 is risk neutral.

    Raises
    ------
    DesignError
        If `pr` is not a probability or `alpha` is negative.

    Examples
    --------
    The customer of the study's board walks to a goal at once (24 chips, 9 squares), and what that is worth to the
    provider whose goal it is (40 chips), as haim2017 prints them for p = .9:

    >>> Utility(pr=0.9).worth(success=5 * 15 + 150, failure=5 * 24)
    214.5
    >>> Utility(pr=0.9).worth(success=5 * 40 + 150, failure=5 * 40)
    335.0
    """

    pr: float = 1.0
    alpha: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.pr <= 1:
            raise DesignError(f"pr is {self.pr}; a probability from 0 to 1 is needed")
        if not 0 <= self.alpha < math.inf:
            raise DesignError(f"alpha is {self.alpha}; risk aversion is a number of at least 0")

    def worth(self, success: float, failure: float) -> float:
        """Return the certainty equivalent, in points, of `success` with probability pr and `failure` otherwise.

        Parameters
        ----------
        success, failure
            Points in the two cases.

        Returns
        -------
        float
            Points for certain that are worth as much.
        """
        if self.pr in (0, 1) or success == failure:
            return float(success if self.pr else failure)
        if self.alpha * abs(success - failure) < NEUTRAL:
            return round(self.pr * success + (1 - self.pr) * failure, DIGITS)
        (low, likely), (high, rest) = sorted([(failure, 1 - self.pr), (success, self.pr)])
        # exp(-α low) is taken out of the mean of exponentials, so that the mean does not underflow; of the two forms of
        # its logarithm each keeps its digits where the other does not.
        shortfall = rest * -math.expm1(-self.alpha * (high - low))
        mean = likely + rest * math.exp(-self.alpha * (high - low))
        return round(low - (math.log1p(-shortfall) if shortfall < 0.5 else math.log(mean)) / self.alpha, DIGITS)
