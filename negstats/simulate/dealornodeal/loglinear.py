"""Policies with 18 parameters: the chance of an act is proportional to exp(θ · φ), features as in the games room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError
from negstats.games.dealornodeal import FEATURES, Dialogue

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
