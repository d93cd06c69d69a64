"""Stage 1: a policy that speaks as a corpus of dialogues does, by maximum likelihood."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, NotEstimable
from negstats.games.dealornodeal import FEATURES, Menu
from negstats.simulate.dealornodeal.loglinear import LogLinear, settled
from negstats.simulate.dealornodeal.play import Played, replay

Numbers = npt.NDArray[Any]

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
    evenly, slope, curve = _likelihood(menus or _menus(corpus), theta)
    likelihood = evenly
    for step in range(1, STEPS + 1):
        try:
            move = np.linalg.solve(curve + ridge * np.eye(len(theta)), slope - ridge * theta)
        except np.linalg.LinAlgError:
            raise NotEstimable("an act's features never vary in this corpus; give more dialogues or a ridge") from None
        promise = float(move @ (slope - ridge * theta)) / 2
        if promise < ENOUGH:
            return Fitted(settled(theta), acts, likelihood, evenly, step - 1)
        size = 1.0
        while size > 1e-6:
            trial = _likelihood(menus or _menus(corpus), theta + size * move)
            if trial[0] - ridge * _half(theta + size * move) >= likelihood - ridge * _half(theta):
                break
            size /= 2
        theta, (likelihood, slope, curve) = theta + size * move, trial
    raise NotEstimable(f"Newton's method has not come to an end after {STEPS} steps; give a larger ridge")


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
