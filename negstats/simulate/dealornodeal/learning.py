"""Policies with 18 parameters, and how they learn: first to imitate a corpus, then from the rewards of dialogues.

Stage 1 is maximum likelihood on a corpus of dialogues; in stages 2 and 3 a policy learns from dialogues with a partner
that does not learn (REINFORCE).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable
from negstats.games.dealornodeal import FEATURES, Dialogue, Menu, draw, reward
from negstats.simulate.dealornodeal.play import Played, Policy, play, replay

DECIMALS = 6

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class LogLinear:
    """A log-linear policy over acts.

    Parameters
    ----------
    theta
        Parameters, one for each of `negstats.games.dealornodeal.FEATURES`.

    Raises
    ------
    DesignError
        If there are not as many parameters as features, or one is not finite.

    Examples
    --------
    Without parameters all legal acts are alike; at the start 16 divisions of 1-3-1 can be proposed.

    >>> from negstats.games.dealornodeal import Scenarios
    >>> talk = Dialogue(Scenarios.of([1, 3, 1], [[2, 1, 5], [10, 0, 0]]))
    >>> chances = LogLinear(np.zeros(18)).chances(talk, 0)
    >>> chances.shape, chances.max().item()
    ((1, 127), 0.0625)
    """

    theta: Numbers

    def __post_init__(self) -> None:
        if np.shape(self.theta) != (len(FEATURES),) or not np.isfinite(self.theta).all():
            raise DesignError(f"theta has the shape {np.shape(self.theta)}; {len(FEATURES)} finite numbers are needed")

    def acts(self, dialogue: Dialogue, seat: int, rng: np.random.Generator) -> Integers:
        """Draw an act for each dialogue that goes on.

        Parameters
        ----------
        dialogue
            The dialogues that are played side by side.
        seat
            Whose turn it is, 0 or 1.
        rng
            Generator of the draws.

        Returns
        -------
        ndarray of int
            The number of one act a dialogue, shape (dialogues,).
        """
        rows = dialogue.live
        menu = dialogue.menu(seat, rows)
        return to_acts(dialogue, rows, drawn(menu.probabilities(self.theta), rng))

    def chances(self, dialogue: Dialogue, seat: int) -> Numbers:
        """Return the chance of each act by its number, (dialogues, 127).

        Parameters
        ----------
        dialogue
            The dialogues that are played side by side.
        seat
            Whose turn it is, 0 or 1.

        Returns
        -------
        ndarray of float
            Probabilities, which add up to 1 in each row; 0 for acts that are not legal.
        """
        features, legal = dialogue.features(seat)
        weights = np.where(legal, np.exp(features @ self.theta), 0.0)
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def drawn(chances: Numbers, rng: np.random.Generator) -> Integers:
    """Draw an option in each row by its chances."""
    upto = np.cumsum(chances, axis=1)
    at = rng.random(len(chances)) * upto[:, -1]
    options = (upto <= at[:, np.newaxis]).sum(axis=1)
    return np.asarray(
        np.where(at < upto[:, -1], options, chances.argmax(axis=1))
    )  # the product may round up to the sum


def settled(theta: Numbers) -> Numbers:
    """Return parameters to six decimals.

    The last bits of a sum depend on the processor and on its number of threads. Training would carry them on until an
    act is drawn otherwise, and the same seed would give another agent; rounded at each step, they decide nothing.
    """
    return np.asarray(np.round(theta, DECIMALS) + 0.0)  # no negative zeros


def to_acts(dialogue: Dialogue, rows: Integers, options: Integers) -> Integers:
    """Return options of some dialogues as acts of all; ended dialogues hear nothing that counts."""
    acts = np.zeros(len(dialogue), dtype=np.int64)
    acts[rows] = dialogue.numbers(options, rows)
    return acts


RIDGE = 0.001
STEPS = 50
KEPT = 50_000  # acts whose menus are kept from step to step, of about three kilobytes each
ENOUGH = 1e-9  # what a further step would add to the log-likelihood of an act


@dataclass(frozen=True, slots=True)
class Fitted:
    """A policy fitted to a corpus.

    Attributes
    ----------
    theta : numpy.ndarray
        Parameters.
    acts : int
        Acts that it was fitted to.
    log_likelihood, evenly : float
        Mean log-chance of an act under the fitted policy, and under even chances of all legal acts.
    steps : int
        Iterations of Newton's method.
    """

    theta: Numbers
    acts: int
    log_likelihood: float
    evenly: float
    steps: int

    @property
    def policy(self) -> LogLinear:
        """The policy."""
        return LogLinear(self.theta)


def fit(corpus: Played, *, ridge: float = RIDGE) -> Fitted:
    r"""Fit a log-linear policy to every act of a corpus, by Newton's method.

    Parameters
    ----------
    corpus
        Dialogues, such as `play` and `acts_of` give.
    ridge
        Weight of ½\|θ\|² against the mean log-likelihood of an act.

    Returns
    -------
    Fitted
        The policy's parameters and the log-likelihood.

    Raises
    ------
    DesignError
        If the ridge is negative, or the corpus has no dialogue.
    NotEstimable
        If the likelihood has no maximum that can be found.

    Notes
    -----
    Gradient and Hessian are exact: the mean of φ(act) - E[φ], and of the features' covariance. The objective is
    concave, so full steps are halved only where they overshoot. Features are computed an utterance at a time, for all
    dialogues at once, and kept for all steps unless the corpus is very long.

    Examples
    --------
    >>> from negstats.games.dealornodeal import draw
    >>> from negstats.simulate.dealornodeal.people import People
    >>> from negstats.simulate.dealornodeal.play import play
    >>> rng = np.random.default_rng(1)
    >>> fitted = fit(play(People(), People(), draw(200, rng=rng), rng=rng))
    >>> fitted.log_likelihood > fitted.evenly
    True
    """
    if ridge < 0 or not len(corpus):
        raise DesignError(f"ridge is {ridge:g} and the corpus has {len(corpus)} dialogues; at least 0 and 1 are needed")
    theta = np.zeros(len(FEATURES))
    acts = int((corpus.acts >= 0).sum())
    menus = list(_menus(corpus)) if acts <= KEPT else None
    even_likelihood, gradient, curvature = _likelihood(menus or _menus(corpus), theta)
    likelihood = even_likelihood
    for step_number in range(1, STEPS + 1):
        try:
            step = np.linalg.solve(curvature + ridge * np.eye(len(theta)), gradient - ridge * theta)
        except np.linalg.LinAlgError:
            raise NotEstimable("an act's features never vary in this corpus; give more dialogues or a ridge") from None
        # Newton's decrement: what the step promises; the search ends where this is little.
        expected_gain = float(step @ (gradient - ridge * theta)) / 2
        if expected_gain < ENOUGH:
            return Fitted(settled(theta), acts, likelihood, even_likelihood, step_number - 1)
        # Halved until the penalised likelihood does not fall.
        share = 1.0
        while share > 1e-6:
            trial = _likelihood(menus or _menus(corpus), theta + share * step)
            if trial[0] - ridge * _half(theta + share * step) >= likelihood - ridge * _half(theta):
                break
            share /= 2
        theta, (likelihood, gradient, curvature) = theta + share * step, trial
    raise NotEstimable(f"Newton's method has not converged after {STEPS} steps; give a larger ridge")


def _half(theta: Numbers) -> float:
    return float(theta @ theta) / 2


def _menus(corpus: Played) -> Iterator[tuple[Menu, Numbers]]:
    """Yield the menus of each utterance, one a dialogue that goes on, and which of its options is said."""
    for dialogue, utterances in replay(corpus.scenarios, corpus.acts):
        rows = dialogue.live
        yield dialogue.menu(dialogue.seat, rows), dialogue.options(utterances)[rows]


def _likelihood(menus: Iterable[tuple[Menu, Numbers]], theta: Numbers) -> tuple[float, Numbers, Numbers]:
    """Return mean log-chance of an act, its gradient and minus its Hessian."""
    total, slope, curve, acts = 0.0, np.zeros(len(theta)), np.zeros((len(theta), len(theta))), 0
    for menu, options in menus:
        chances = menu.probabilities(theta)
        mean = menu.expected(chances)
        total += float(np.log(chances[np.arange(len(menu)), options]).sum())
        slope += (menu.chosen(options) - mean).sum(axis=0)
        curve += menu.squares(chances) - mean.T @ mean
        acts += len(menu)
    return total / acts, slope / acts, curve / acts


REMEMBERED = 5_000  # dialogues that the running mean of the reward is over
SCALE = 10.0  # points: rewards are advantages over this
NORM = 0.5  # at which the direction is cut


@dataclass(frozen=True, slots=True)
class Trained:
    """A policy that has been trained, and how it went.

    Attributes
    ----------
    theta : numpy.ndarray
        Parameters.
    curve : dict of str to numpy.ndarray
        By batch: `games` played so far, mean `reward` and own `points`, share of `agreement`, mean `length`.
    """

    theta: Numbers
    curve: dict[str, Numbers]


@dataclass(slots=True)
class Learner:
    """A log-linear policy that writes down, of each of its acts, φ(act) - E[φ]: what made the act likelier."""

    theta: Numbers
    heard: list[tuple[Integers, Numbers]] = field(default_factory=list)

    def acts(self, dialogue: Dialogue, seat: int, rng: np.random.Generator) -> Integers:
        """Draw an act for each dialogue that goes on."""
        rows = dialogue.live
        menu = dialogue.menu(seat, rows)
        chances = menu.probabilities(self.theta)
        options = drawn(chances, rng)
        self.hear(rows, menu, chances, options)
        return to_acts(dialogue, rows, options)

    def hear(self, rows: Integers, seen: Menu, chances: Numbers, options: Integers) -> None:
        """Write down what made the options of some dialogues likelier."""
        self.heard.append((rows, seen.chosen(options) - seen.expected(chances)))

    def direction(self, advantage: Numbers, discount: float) -> Numbers:
        """Return Σ_k γ^(K-k) A (φ_k - E[φ]) of each dialogue, (dialogues, 18); the k-th of its K acts.

        Parameters
        ----------
        advantage
            What each dialogue was worth more than expected, (dialogues,).
        discount
            γ: the last act has the weight 1, the one before γ, and so on.
        """
        total = np.zeros((len(advantage), len(self.theta)))
        weight = np.ones(len(advantage))
        for rows, score in reversed(self.heard):
            total[rows] += (weight * advantage)[rows, np.newaxis] * score
            weight[rows] *= discount
        return total


def train(
    start: npt.ArrayLike,
    partner: Policy,
    rewarded: str,
    *,
    rng: np.random.Generator,
    games: int = 16_384,
    batch: int = 256,
    rate: float = 1.0,
    discount: float = 0.95,
) -> Trained:
    """Train a log-linear policy against a partner that stays as it is.

    Parameters
    ----------
    start
        Parameters to start from, (18,).
    partner
        Whom it meets.
    rewarded
        What a dialogue is worth to it: a name of `negstats.games.dealornodeal.REWARDS`. The partner's points are known
        to the trainer only.
    rng
        Source of randomness.
    games, batch
        Dialogues in all, and between two steps. The learner speaks first in every other batch.
    rate
        Length of a step: θ += 10 · rate · g.
    discount
        Weight of an act against the learner's next one.

    Returns
    -------
    Trained
        The policy's parameters, and how the training went.

    Raises
    ------
    DesignError
        If there is no whole batch, or rate or discount make no sense.
    UsageError
        If there is no such reward.

    Notes
    -----
    The rule is that of Williams (1992). Chawla et al. (2023) print 16,000 dialogues, discount 0.95, and a cut of the
    gradient's norm at 0.5; their rate belongs to another model. The baseline is the mean reward of the last 5,000
    dialogues, this batch among them, as in Lewis et al. (2017).

    References
    ----------
    - Chawla, K., Wu, I., Rong, Y., Lucas, G., & Gratch, J. (2023). Be selfish, but wisely: Investigating the impact of
      agent personality in mixed-motive human-agent interactions. Proceedings of EMNLP 2023.
    - Lewis, M., Yarats, D., Dauphin, Y., Parikh, D., & Batra, D. (2017). Deal or no deal? End-to-end learning of
      negotiation dialogues. Proceedings of EMNLP 2017, 2443–2453.
    - Williams, R. J. (1992). Simple statistical gradient-following algorithms for connectionist reinforcement learning.
      Machine Learning, 8, 229–256.

    Examples
    --------
    >>> from negstats.simulate.dealornodeal.people import People
    >>> result = train(np.zeros(18), People(), "selfish", rng=np.random.default_rng(1), games=512)
    >>> result.curve["games"].tolist()
    [256.0, 512.0]
    """
    if batch < 1 or games < batch or rate <= 0 or not 0 < discount <= 1:
        raise DesignError(
            f"games is {games}, batch {batch}, rate {rate:g} and discount {discount:g}; at least one batch, a rate "
            "above 0 and a discount above 0 and up to 1 are needed"
        )
    theta = np.array(start, dtype=float)
    remembered: deque[float] = deque(maxlen=REMEMBERED)
    rows = []
    for number in range(games // batch):
        learner, seat = Learner(theta), number % 2
        policies: tuple[Policy, Policy] = (partner, learner) if seat else (learner, partner)
        dialogues = play(*policies, draw(batch, rng=rng), rng=rng)
        rewards = reward(rewarded, dialogues.points[:, seat], dialogues.points[:, 1 - seat])
        remembered.extend(rewards.tolist())
        # REINFORCE: the reward beyond the mean of the latest games weighs the direction of what was done.
        advantage = (rewards - np.mean(remembered)) / SCALE
        step = learner.direction(advantage, discount).mean(axis=0)
        theta = settled(theta + SCALE * rate * step * min(1.0, NORM / max(float(np.linalg.norm(step)), 1e-300)))
        rows.append([(number + 1) * batch, rewards.mean(), *_summarize(dialogues, seat)])
    names = ("games", "reward", "points", "agreement", "length")
    return Trained(theta, dict(zip(names, np.array(rows, dtype=float).T, strict=True)))


def _summarize(dialogues: Played, seat: int) -> tuple[float, float, float]:
    return float(dialogues.points[:, seat].mean()), float(dialogues.agreed.mean()), float(dialogues.length.mean())
