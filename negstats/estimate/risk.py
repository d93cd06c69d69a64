"""Risk aversion from first commitments: for which α SP-RAP offers what was seen (haim2017, 6.3).

At the start of the study's board two providers compete, so SP-RAP gives as much as still leaves it better off than
without a deal: the most chips k, for 11 of the customer's, with

    pr · U(5 (51 − k) + 150) + (1 − pr) · U(5 (51 − k)) > U(200),   U(u) = 1 − exp(−α u),

where 51 are its 40 chips and the 11, and 200 is what its 40 chips are worth. The larger α, the smaller k; so each offer
is made for the α of one interval, and several offers for what their intervals have in common.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf

import pandas as pd
from scipy.optimize import brentq

from negstats.errors import DesignError, NotEstimable
from negstats.games.contract.search import Utility

LARGEST = 10.0  # a point; with it a chance of 1 in 10^20 of losing a chip is not taken


@dataclass(frozen=True, slots=True)
class Commitments:
    """The exchange that is bargained over.

    Parameters
    ----------
    held
        The provider's chips.
    received
        The customer's chips that travel in return.
    chip_points, goal_points
        What a chip and the goal score.
    """

    held: int = 40
    received: int = 11
    chip_points: float = 5
    goal_points: float = 150

    def gain(self, offered: int, pr: float, alpha: float) -> float:
        """Return what giving so many chips is worth to the provider beyond no deal, in points for certain.

        Parameters
        ----------
        offered
            How many chips the provider gives.
        pr
            The probability that the customer reaches the goal with them.
        alpha
            The provider's risk aversion.

        Returns
        -------
        float
            Points; negative where no deal is better.
        """
        remaining_points = self.chip_points * (self.held + self.received - offered)
        return (
            Utility(pr, alpha).worth(remaining_points + self.goal_points, remaining_points)
            - self.chip_points * self.held
        )

    def most(self, pr: float, alpha: float) -> int | None:
        """Return the most chips that it gives; None if even giving none is worth less than no deal.

        Parameters
        ----------
        pr
            The probability that the customer reaches the goal.
        alpha
            The provider's risk aversion.

        Returns
        -------
        int or None
            How many chips.
        """
        worth = [n_chips for n_chips in range(self.held + 1) if self.gain(n_chips, pr, alpha) > 0]
        return max(worth, default=None)


STUDY = Commitments()


@dataclass(frozen=True, slots=True)
class CountryOffer:
    """What haim2017 prints of a country: the chips that SP-RAP gives, and pr rounded; `pr` is the whole fraction."""

    pr: float
    printed_pr: float
    chips: int


FITTED_OFFERS = {
    "China": CountryOffer(9 / 15, 0.60, 19),
    "Israel": CountryOffer(5 / 6, 0.83, 26),
    "USA": CountryOffer(14 / 15, 0.93, 33),
}


def first_commitment(pr: float, alpha: float, exchange: Commitments = STUDY) -> int:
    """Return how many chips SP-RAP gives in its first commitment.

    Parameters
    ----------
    pr
        The chance that a customer who sets out for the goal gets there.
    alpha
        Risk aversion, a point; 0 is none.
    exchange
        What is bargained over; the start of the board of Haim et al. (2017) if not given.

    Returns
    -------
    int
        Number of chips, whole.

    Raises
    ------
    DesignError
        If `pr` is not a probability or `alpha` is negative.
    NotEstimable
        If no commitment is worth more to it than no deal.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    China, Israel and USA as haim2017 prints them; and without risk aversion:

    >>> [first_commitment(pr, 0.0195) for pr in (9 / 15, 5 / 6, 14 / 15)]
    [19, 26, 33]
    >>> [first_commitment(pr, 0) for pr in (9 / 15, 5 / 6, 14 / 15)]
    [28, 35, 38]
    """
    most = exchange.most(pr, alpha)
    if most is None:
        raise NotEstimable(f"with pr {pr:g} and alpha {alpha:g} no commitment is worth more than no deal")
    return most


def revealed_aversion(pr: float, n_chips: int, received: int, exchange: Commitments = STUDY) -> float:
    """Return the α for which SP-RAP gives so many chips first: the middle of the interval that does.

    Parameters
    ----------
    pr
        The chance of reaching the goal.
    n_chips, received
        Chips that are given, and chips that travel in return.
    exchange
        What is bargained over; `received` takes the place of its own.

    Returns
    -------
    float
        A point; 0 where more is given than a risk neutral provider gives. Missing where the offer is not possible, or
        where every provider, however averse to risk, gives more.

    Examples
    --------
    >>> round(revealed_aversion(5 / 6, 26, 11), 4), revealed_aversion(5 / 6, 39, 11)
    (0.0204, 0.0)
    """
    if not 0 <= n_chips <= exchange.held:
        return float("nan")
    low, high = _interval(pr, n_chips, replace(exchange, received=received))
    return (low + high) / 2 if high < inf else float("nan")


@dataclass(frozen=True, slots=True)
class RiskAversion:
    """The values of α that give all the offers: from `low` (with it) to `high` (without it), a point.

    `offers` has a row an offer: `pr`, `chips` given, and its own interval `low`, `high`.
    """

    low: float
    high: float
    offers: pd.DataFrame
    exchange: Commitments

    @property
    def alpha(self) -> float:
        """The middle of the interval."""
        return (self.low + self.high) / 2

    def predicted(self, pr: float) -> tuple[int, int]:
        """Return the fewest and the most chips that α in the interval gives at another `pr`.

        Parameters
        ----------
        pr
            The probability that the customer reaches the goal.

        Returns
        -------
        tuple[int, int]
            How many chips.

        Raises
        ------
        NotEstimable
            If for some α in the interval no commitment is worth more than no deal.
        """
        upper_end = self.high - 1e-9 * (self.high - self.low)
        return first_commitment(pr, upper_end, self.exchange), first_commitment(pr, self.low, self.exchange)


def risk_aversion(pr: Sequence[float], chips: Sequence[int], exchange: Commitments = STUDY) -> RiskAversion:
    """Estimate α from observed first commitments.

    Parameters
    ----------
    pr
        The chance of reaching the goal that each offer was made with.
    chips
        How many chips each offer gives.
    exchange
        What is bargained over; the start of the board of Haim et al. (2017) if not given.

    Returns
    -------
    RiskAversion
        The interval of α that fits all commitments, and that of each of them.

    Raises
    ------
    DesignError
        If the two differ in length or are empty, or an offer gives more chips than there are.
    NotEstimable
        If no α gives all the offers; the message has the interval of each.

    References
    ----------
    Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
    Artificial Intelligence, 246, 34–52.

    Examples
    --------
    >>> result = risk_aversion([9 / 15, 5 / 6, 14 / 15], [19, 26, 33])
    >>> round(result.low, 5), round(result.high, 5)
    (0.01938, 0.01956)
    >>> result.predicted(0.75)
    (23, 23)

    With pr = .93 instead of 14/15 there is no such α:

    >>> risk_aversion([0.6, 0.83, 0.93], [19, 26, 33])
    Traceback (most recent call last):
    negstats.errors.NotEstimable: no alpha gives all the offers: 19 at pr 0.6 needs 0.01832 to 0.02145, ...
    """
    if not len(pr) == len(chips) > 0:
        raise DesignError(
            f"{len(pr)} values of pr and {len(chips)} offers; give as many values as offers, at least 1 of each"
        )
    intervals = [_interval(chance, n_chips, exchange) for chance, n_chips in zip(pr, chips, strict=True)]
    low, high = max(low for low, _ in intervals), min(high for _, high in intervals)
    if not low < high:
        needs = ", ".join(
            f"{n_chips} at pr {chance:g} needs " + (f"{low:.4g} to {high:.4g}" if low < high else "what no alpha gives")
            for chance, n_chips, (low, high) in zip(pr, chips, intervals, strict=True)
        )
        raise NotEstimable(f"no alpha gives all the offers: {needs}")
    lows, highs = zip(*intervals, strict=True)
    offers = pd.DataFrame({"pr": [*pr], "chips": [*chips], "low": lows, "high": highs})
    return RiskAversion(low, high, offers, exchange)


def _interval(pr: float, n_chips: int, exchange: Commitments) -> tuple[float, float]:
    """Return from which α (with it) to which (without it) so many chips are the most; low = high if none."""
    if not 0 <= n_chips <= exchange.held:
        raise DesignError(f"an offer gives {n_chips} chips; give 0 to {exchange.held}")
    low = 0.0 if n_chips == exchange.held else _indifferent(pr, n_chips + 1, exchange)
    return low, max(low, _indifferent(pr, n_chips, exchange))


def _indifferent(pr: float, n_chips: int, exchange: Commitments) -> float:
    """Return the α at which giving so many chips is worth as much as no deal; 0 if it is worth less for all α."""
    if exchange.gain(n_chips, pr, 0) <= 0:
        return 0.0
    if exchange.gain(n_chips, pr, LARGEST) > 0:
        return inf
    root: float = brentq(lambda alpha: exchange.gain(n_chips, pr, alpha), 0, LARGEST, xtol=1e-14, rtol=1e-14)
    return root
