"""From a study's logs to the offer that SP-RAPD makes: risk aversion, pr and threshold (haim2017, 6.3).

At the start of the study's board two providers compete, so SP-RAP gives as much as still leaves it better off than
without a deal: the most chips k, for 11 of the customer's, with

    pr · U(5 (51 − k) + 150) + (1 − pr) · U(5 (51 − k)) > U(200),   U(u) = 1 − exp(−α u),

where 51 are its 40 chips and the 11, and 200 is what its 40 chips are worth. The larger α, the smaller k; so each offer
is made for the α of one interval, and several offers for what their intervals have in common.

All three numbers are the study's own, each with its interval. *pr* is the share of customers of human-only games who
reached a goal. *Risk aversion* is what the first commitments of human providers reveal: an offer of k chips is the one
that SP-RAP makes for the α of one interval, and the group's α is the median of these; an offer of more than a risk
neutral provider gives counts as α = 0. The *threshold* is that of SP-RAPD's rule; where the rule gives no number or
claims no sharp threshold, the benefit that nine in ten decisions accept. The offer is then the definition's: the
commitment that gives the customer the threshold, if the provider prefers it to no deal; else none.

References
----------
1. Haim, Gal, An and Kraus (2017), sections 6.1 and 6.3.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, inf, sqrt

import numpy as np
import pandas as pd
from scipy.optimize import brentq

from negstats.errors import DesignError, NotEstimable
from negstats.estimate.acceptance import Acceptance, acceptance, goals, parts_of
from negstats.estimate.answers import in_human_games
from negstats.games.contract import Offer, commitment_offer, study_game
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
    largest = exchange.most(pr, alpha)
    if largest is None:
        raise NotEstimable(f"with pr {pr:g} and alpha {alpha:g} no commitment is worth more than no deal")
    return largest


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
    smallest_alpha, largest_alpha = _interval(pr, n_chips, replace(exchange, received=received))
    return (smallest_alpha + largest_alpha) / 2 if largest_alpha < inf else float("nan")


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
    # An α that gives all the offers lies in the interval of each.
    smallest_alpha, largest_alpha = (
        max(smallest_alpha for smallest_alpha, _ in intervals),
        min(largest_alpha for _, largest_alpha in intervals),
    )
    if not smallest_alpha < largest_alpha:
        needs = ", ".join(
            f"{n_chips} at pr {chance:g} needs "
            + (
                f"{smallest_alpha:.4g} to {largest_alpha:.4g}"
                if smallest_alpha < largest_alpha
                else "what no alpha gives"
            )
            for chance, n_chips, (smallest_alpha, largest_alpha) in zip(pr, chips, intervals, strict=True)
        )
        raise NotEstimable(f"no alpha gives all the offers: {needs}")
    lows, highs = zip(*intervals, strict=True)
    offers = pd.DataFrame({"pr": [*pr], "chips": [*chips], "low": lows, "high": highs})
    return RiskAversion(smallest_alpha, largest_alpha, offers, exchange)


def _interval(pr: float, n_chips: int, exchange: Commitments) -> tuple[float, float]:
    """Return from which α (with it) to which (without it) so many chips are the most; low = high if none."""
    if not 0 <= n_chips <= exchange.held:
        raise DesignError(f"an offer gives {n_chips} chips; give 0 to {exchange.held}")
    smallest_alpha = 0.0 if n_chips == exchange.held else _indifferent(pr, n_chips + 1, exchange)
    return smallest_alpha, max(smallest_alpha, _indifferent(pr, n_chips, exchange))


def _indifferent(pr: float, n_chips: int, exchange: Commitments) -> float:
    """Return the α at which giving so many chips is worth as much as no deal; 0 if it is worth less for all α."""
    if exchange.gain(n_chips, pr, 0) <= 0:
        return 0.0
    if exchange.gain(n_chips, pr, LARGEST) > 0:
        return inf
    root: float = brentq(lambda alpha: exchange.gain(n_chips, pr, alpha), 0, LARGEST, xtol=1e-14, rtol=1e-14)
    return root


SHARE = 0.9  # of decisions, where the rule of SP-RAPD gives no threshold
POWER = 0.8
FEWEST = 3  # commitments of human providers from which a risk aversion is taken


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number of the study with its interval, and what it rests on."""

    value: float
    low: float
    high: float
    basis: str


@dataclass(frozen=True, slots=True)
class StudyOffer:
    """What SP-RAPD offers by the numbers of one group of a study.

    Attributes
    ----------
    group : str or None
        The level of the factor; None for the whole study.
    pr, alpha, threshold : Estimate or None
        The chance of reaching the goal, risk aversion a point, and the threshold in points; None with a reason.
    offer : Offer or None
        The commitment at the start of the study's board; None where SP-RAPD makes none.
    chips : tuple of int
        Fewest and most chips that the interval of the threshold asks for.
    most : tuple of int
        The most chips that the provider gives at the two ends of the intervals of pr and risk aversion; -1 for none.
    tested : int or None
        Chips that the next study would give: those of the offer, or where there is none the most that the provider
        gives.
    games : int or None
        Games a condition that the next study needs, with a power of .80, to show that they earn the provider more than
        people earn; None where no number does.
    effect : float or None
        The standardized difference that is expected then.
    reason : str
        Why there is no offer, or no number of games; empty where there are both.
    """

    group: str | None
    pr: Estimate | None
    alpha: Estimate | None
    threshold: Estimate | None
    offer: Offer | None
    chips: tuple[int, int] | None
    most: tuple[int, int] | None
    tested: int | None
    games: int | None
    effect: float | None
    reason: str

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON.

        Returns
        -------
        dict[str, object]
            Numbers are not rounded.
        """
        fields = {name: getattr(self, name) for name in ("pr", "alpha", "threshold")}
        estimates = {
            name: field and {key: getattr(field, key) for key in Estimate.__slots__} for name, field in fields.items()
        }
        offer = self.offer and {"gives": sum(self.offer.to_customer), "asks": sum(self.offer.to_provider)}
        plain_fields = {
            name: getattr(self, name) for name in ("group", "chips", "most", "tested", "games", "effect", "reason")
        }
        return {**estimates, "offer": offer, **plain_fields}


def study_offers(
    tables: Mapping[str, pd.DataFrame],
    by: str | None = None,
    *,
    role: str | None = None,
    points_per_unit: float | None = None,
    support: int = 3,
    seed: int = 1,
    n_draws: int = 2000,
    groups: Sequence[Acceptance] | None = None,
) -> list[StudyOffer]:
    """Return what SP-RAPD offers by a study's own numbers, for each level of a factor.

    SP-RAPD and its numbers are those of Haim and others [1]_.

    Parameters
    ----------
    tables
        ``games``, ``offers``, ``players`` of a study of the contract game.
    by
        A factor of the games, such as "country"; None for the whole study.
    role, points_per_unit, support, seed, n_draws
        As for `negstats.estimate.acceptance`.
    groups
        What `negstats.estimate.acceptance` returned for the same tables and arguments, where it is at hand.

    Returns
    -------
    list of StudyOffer
        One a group; a number that the study does not give is None, with the reason.

    References
    ----------
    .. [1] Haim, G., Gal, Y., An, B., & Kraus, S. (2017). Human-computer negotiation in a three player market setting.
       Artificial Intelligence, 246, 34–52.

    Examples
    --------
    >>> from negstats.simulate.contract import as_study, games_of
    >>> study = as_study(games_of("HvsH", "USA", 60, 2))
    >>> [result] = study_offers(study.tables, n_draws=100)
    >>> 0.8 < result.pr.value < 1, result.threshold.value > 0
    (True, True)
    """
    rates = goals(tables, by)
    if groups is None:
        groups = acceptance(
            tables, by, seed=seed, role=role, points_per_unit=points_per_unit, support=support, n_draws=n_draws
        )
    tables_by_group = dict(parts_of(tables, by))
    return [
        _study_offer(group, _rate_of(rates, by, group.group), tables_by_group[group.group], seed, n_draws)
        for group in groups
    ]


def _rate_of(rates: pd.DataFrame, by: str | None, level: str | None) -> Estimate | None:
    rows = rates if by is None or not len(rates) else rates[rates[by].astype(str) == level]
    if not len(rows) or not rows.iloc[0]["n"]:
        return None
    rate = rows.iloc[0]
    return Estimate(
        float(rate["rate"]), float(rate["low"]), float(rate["high"]), f"{rate['count']} of {rate['n']} customers"
    )


def _study_offer(
    group: Acceptance, pr: Estimate | None, group_tables: Mapping[str, pd.DataFrame], seed: int, n_draws: int
) -> StudyOffer:
    """Apply the definition to one group's numbers."""
    threshold, why_no_threshold = _threshold_of(group)
    alpha, why_no_alpha = (None, "") if pr is None else _aversion_of(group_tables, pr.value, seed, n_draws)
    if pr is None or alpha is None or threshold is None:
        no_rate_reason = "no customer of a human-only game is known to have reached a goal or not" if pr is None else ""
        reason = "; ".join(filter(None, [no_rate_reason, why_no_alpha, why_no_threshold]))
        return StudyOffer(group.group, pr, alpha, threshold, None, None, None, None, None, None, reason)
    # The commitment has a net of whole chips: the least that gives the customer the threshold.
    game, exchange = study_game(), Commitments()
    fewest, chips, highest = (
        exchange.received + ceil(round(value / game.chip_points, 9))
        for value in (threshold.low, threshold.value, threshold.high)
    )
    most_at_worst, most_at_estimate, most_at_best = (
        -1 if (largest := exchange.most(chance, averse)) is None else largest
        for chance, averse in ((pr.low, alpha.high), (pr.value, alpha.value), (pr.high, alpha.low))
    )
    offer = None
    reason = ""
    if chips > most_at_estimate:
        reason = (
            f"{chips} chips for {exchange.received} are worth less to the provider than no deal: with this pr and risk "
            + (f"aversion it gives at most {most_at_estimate}" if most_at_estimate >= 0 else "aversion it gives none")
        )
    else:
        offer = commitment_offer(game, game.start, 2, chips - exchange.received)
    tested = chips if offer is not None else most_at_estimate if most_at_estimate > exchange.received else None
    games, effect, why_no_size = (None, None, "") if tested is None else _next_study(group, pr, tested, group_tables)
    return StudyOffer(
        group.group,
        pr,
        alpha,
        threshold,
        offer,
        (fewest, highest),
        (most_at_worst, most_at_best),
        tested,
        games,
        effect,
        "; ".join(filter(None, [reason, why_no_size])),
    )


def _threshold_of(group: Acceptance) -> tuple[Estimate | None, str]:
    """Return the rule's threshold where it is sharp; otherwise the benefit that nine in ten decisions accept."""
    rule = group.threshold
    if rule.unit != "points":
        return None, f"benefits are in {rule.unit}; the board needs points: give points_per_unit"
    if rule.estimable and rule.interval is not None:
        low, high = rule.interval
        return Estimate(rule.benefit, low, high, "SP-RAPD's rule: all offers from there on were accepted"), ""
    points = [] if group.fitted is None else [point for point in group.fitted.points if np.isclose(point.share, SHARE)]
    if not points or points[0].low is None or points[0].high is None:
        return None, group.no_curve or rule.why_not or "the acceptance curve has no interval"
    reason = rule.why_not or (rule.bracket and rule.bracket.reason) or "condition 2 decides"
    basis = f"{SHARE:.0%} of decisions accept it; SP-RAPD's rule gives no sharp threshold ({reason})"
    return Estimate(points[0].benefit, points[0].low, points[0].high, basis), ""


def _aversion_of(
    group_tables: Mapping[str, pd.DataFrame], pr: float, seed: int, n_draws: int
) -> tuple[Estimate | None, str]:
    """Return the median α that the first commitments of human providers reveal, with a bootstrap interval by game."""
    chips = _first_commitments(group_tables)
    if len(chips) < FEWEST:
        return None, f"{len(chips)} human providers made a commitment in the first round; at least {FEWEST} are needed"
    revealed = np.array([revealed_aversion(pr, given, asked) for given, asked in chips])
    known_alphas = revealed[np.isfinite(revealed)]
    if len(known_alphas) < FEWEST:
        return None, f"{len(known_alphas)} first commitments reveal a risk aversion; at least {FEWEST} are needed"
    rng = np.random.default_rng(seed)
    medians = np.median(rng.choice(known_alphas, size=(max(n_draws, 200), len(known_alphas))), axis=1)
    low, high = np.quantile(medians, [0.025, 0.975])
    neutral = int((known_alphas == 0).sum())
    basis = f"first commitments of {len(known_alphas)} human providers, {neutral} of them as if risk neutral"
    return Estimate(float(np.median(known_alphas)), float(low), float(high), basis), ""


def _first_commitments(group_tables: Mapping[str, pd.DataFrame]) -> list[tuple[int, int]]:
    """Return (chips given, chips asked) of each human provider's commitment in the first round of human-only games."""
    offers, players = group_tables["offers"], group_tables["players"][in_human_games(group_tables["players"])]
    seats = players.loc[players["role"].str.startswith("provider"), ["game_id", "player"]]
    rows = offers[offers["commitment"].fillna(False).astype(bool) & (offers["round"] == 1)]
    rows = rows.merge(seats, left_on=["game_id", "proposer"], right_on=["game_id", "player"])
    return [(int(given), int(asked)) for given, asked in rows[["units_to_responder", "units_to_proposer"]].to_numpy()]


def _next_study(
    group: Acceptance, pr: Estimate, chips: int, group_tables: Mapping[str, pd.DataFrame]
) -> tuple[int | None, float | None, str]:
    """Return the games a condition that show the chips to earn the provider more than people earn, and the effect.

    The offer's points are a mixture: with the share of decisions that accept the benefit the customer sets out and
    reaches the goal with pr; otherwise the provider keeps its chips.
    """
    from negstats.stats.power import sample_size

    exchange = Commitments()
    if group.fitted is None:
        return None, None, "the next study's power needs an acceptance curve"
    accepted = group.fitted.share_at(exchange.chip_points * (chips - exchange.received))
    chips_left_points = exchange.chip_points * (exchange.held + exchange.received - chips)
    # What the offer brings: accepted with the goal reached, accepted without, refused.
    outcomes = np.array(
        [chips_left_points + exchange.goal_points, chips_left_points, exchange.chip_points * exchange.held]
    )
    chances = np.array([accepted * pr.value, accepted * (1 - pr.value), 1 - accepted])
    mean = float(chances @ outcomes)
    variance = float(chances @ (outcomes - mean) ** 2)
    players = group_tables["players"][in_human_games(group_tables["players"])]
    people = players.loc[players["role"] == group.threshold.role, "points"].astype(float)
    pooled_sd = sqrt((variance + float(people.var(ddof=1))) / 2)
    effect = (mean - float(people.mean())) / pooled_sd if pooled_sd > 0 else float("nan")
    if not effect > 0:
        return None, effect, f"{chips} chips are expected to earn {mean:.0f} points, people earned {people.mean():.0f}"
    try:
        return sample_size("t", effect=effect, power=POWER).n[0], effect, ""
    except NotEstimable as error:
        return None, effect, str(error)
