"""The most that can be had from a partner whose policy is known, in a scenario that is known: backward over the time.

It is an upper bound for any learner, as it knows the partner's values and parameters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError
from negstats.games.dealornodeal.dialogue import ACCEPT, CLOCK, CUTOFF, FEATURES, WALK, menu, tables_for
from negstats.games.dealornodeal.scenarios import Scenarios
from negstats.games.dealornodeal.scenarios import reward as rewarded

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class BestResponse:
    """What to do against a known partner, and what it is worth.

    Attributes
    ----------
    value : float
        Expected reward before the first utterance.
    acts : numpy.ndarray
        Numbers of the best acts, (utterances, outcomes + 1), by the utterance and the place of the partner's latest
        proposal, in the last column before there is one; -1 where it is not one's turn.
    """

    value: float
    acts: Integers


def best_response(
    theta: npt.ArrayLike, scenario: Scenarios, *, seat: int, reward: str = "selfish", cutoff: int = CUTOFF
) -> BestResponse:
    """Return the best response to a log-linear policy in one scenario.

    Parameters
    ----------
    theta
        The partner's parameters, one for each of `FEATURES`.
    scenario
        One scenario; `seat` is of it.
    seat
        Who responds best: 0 speaks first.
    reward
        What is to be made as large as can be: a name of `REWARDS`.
    cutoff
        Utterances after which there is no deal.

    Returns
    -------
    BestResponse
        The acts of the response and its expected value.

    Raises
    ------
    DesignError
        If there is not one scenario, not a parameter a feature, or no such seat.
    UsageError
        If there is no such reward.

    Notes
    -----
    The state is the partner's latest proposal y: V(y, t) = max(accept, max_x W(x, y, t + 1), walking's 0) and
    W(x, y, t) = P(accept) u(x) + Σ_y' P(y') V(y', t + 1) with the partner's chances given both latest proposals. The
    scores of the log-linear policy are linear in the time, so they are computed at two times only.

    Examples
    --------
    A partner that is indifferent between all acts:

    >>> one = Scenarios.of([1, 3, 1], [[2, 1, 5], [10, 0, 0]])
    >>> round(best_response(np.zeros(18), one, seat=0).value, 2)
    7.87
    """
    parameters = np.asarray(theta, dtype=float)
    if len(scenario) != 1 or parameters.shape != (len(FEATURES),) or seat not in (0, 1):
        raise DesignError(
            f"{len(scenario)} scenarios, {parameters.shape} parameters, seat {seat}; one, {len(FEATURES)}, and 0 or 1"
        )
    tables, _ = tables_for(scenario.counts)
    return _Backward(scenario, parameters, seat, reward, cutoff, tables.units.shape[1]).solved()


class _Backward:
    """One scenario, from the last utterance to the first."""

    def __init__(self, scenario: Scenarios, theta: Numbers, seat: int, reward: str, cutoff: int, places: int) -> None:
        tables, kind_index = tables_for(scenario.counts)
        self.seat, self.cutoff = seat, cutoff
        self.n = int(tables.size[kind_index[0]])
        self.number = tables.number[kind_index[0], : self.n]
        worth = tables.units[kind_index[0]] @ scenario.values[0].T  # (places, seats)
        own_worth, partner_worth = worth[: self.n, seat], worth[: self.n, 1 - seat]
        self.utility = rewarded(reward, own_worth, partner_worth[::-1])  # of taking a place oneself
        # The partner's scores of its options, by its own and by our latest proposal, at the times 0 and CLOCK.
        latest = np.append(np.arange(self.n), -1)
        own_latest, partner_latest = (grid.ravel() for grid in np.meshgrid(latest, latest, indexing="ij"))
        size = len(own_latest)
        partner = np.broadcast_to(worth[:, 1 - seat], (size, places))
        counts, values = np.tile(scenario.counts, (size, 1)), np.tile(scenario.values[0, 1 - seat], (size, 1))
        scores, self.legal = [], []
        for t in (0, CLOCK):
            options = menu(tables, np.repeat(kind_index, size), counts, values, partner, partner_latest, own_latest, t)
            columns_kept = np.append(np.arange(self.n), [places, places + 1])
            scores.append(options.scores(theta)[:, columns_kept].reshape(self.n + 1, self.n + 1, -1))
            self.legal.append(options.legal[:, columns_kept].reshape(self.n + 1, self.n + 1, -1))
        self.start, self.slope = scores[0], (scores[1] - scores[0]) / CLOCK

    def chances(self, t: int) -> Numbers:
        """Return the partner's chances, (our latest, its latest, options)."""
        scores = np.where(self.legal[t >= 2], self.start + t * self.slope, -np.inf)
        weights = np.exp(scores - scores.max(axis=2, keepdims=True))
        return np.asarray(weights / weights.sum(axis=2, keepdims=True))

    def solved(self) -> BestResponse:
        n = self.n
        acts = np.full((self.cutoff, n + 1), -1)
        values = np.zeros(n + 1)  # at our next utterance, by the partner's latest proposal
        last_turn = self.cutoff - 1
        # Backwards over our utterances: what a proposal is worth follows from how the partner may answer it.
        for t in range(last_turn - (last_turn - self.seat) % 2, -1, -2):
            proposing = np.zeros((n, n + 1))
            if t < last_turn:
                chances = self.chances(t + 1)[:n]
                proposing = chances[:, :, n] * self.utility[:, np.newaxis] + chances[:, :, :n] @ values[:n]
            values, acts[t] = self._best(proposing, t)
        if self.seat:
            return BestResponse(float(self.chances(0)[n, n, :n] @ values[:n]), acts)
        return BestResponse(float(values[n]), acts)

    def _best(self, proposing: Numbers, t: int) -> tuple[Numbers, Integers]:
        """Return the value of our utterance and the act, by the partner's latest proposal."""
        value, acts = proposing.max(axis=0), self.number[proposing.argmax(axis=0)]
        accepting = np.append(self.utility[::-1], -np.inf)
        for worth, act in ((accepting, ACCEPT), (np.full(self.n + 1, 0.0 if t >= 2 else -np.inf), WALK)):
            is_better = worth > value
            value, acts = np.where(is_better, worth, value), np.where(is_better, act, acts)
        return value, acts
