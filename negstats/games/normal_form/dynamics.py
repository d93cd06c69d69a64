"""Replicator dynamics: what becomes of shares of strategies when those that do better than the mean grow."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, shown
from negstats.games.normal_form.equilibria import check_mixture
from negstats.games.normal_form.payoffs import Floats, check_square

STEP = 0.1  # of a unit of time in which the largest difference of payoffs is 1


def replicator(payoffs: npt.ArrayLike, start: npt.ArrayLike, *, time: float = 100.0, points: int = 201) -> Floats:
    """Return the path of the replicator dynamics of a symmetric game.

    Parameters
    ----------
    payoffs
        (strategies, strategies): what a row gets from a column.
    start
        (strategies,): the shares that the path begins with.
    time
        How long, in units in which the largest difference of payoffs is 1.
    points
        How many points of the path to return, the first and the last among them.

    Returns
    -------
    numpy.ndarray
        (points, strategies): shares.

    Raises
    ------
    DesignError, NotEstimable
        If the table is not square or has gaps, `start` holds no shares, or `time` or `points` is none.

    Notes
    -----
    dx_i/dt = x_i ((A x)_i − x·A x) (Taylor and Jonker, 1978), by Runge and Kutta's rule of the fourth order on the
    logarithms' scale, so that no share becomes negative and one that is 0 stays 0.

    References
    ----------
    Taylor, P. D., & Jonker, L. B. (1978). Evolutionary stable strategies and game dynamics. Mathematical Biosciences,
    40, 145–156.

    Examples
    --------
    A prisoners' dilemma ends in defection, hawks and doves at the share prize/cost:

    >>> replicator([[3, 0], [5, 1]], [0.9, 0.1])[-1].round(3).tolist()
    [0.0, 1.0]
    >>> replicator([[-0.5, 2], [0, 1]], [0.1, 0.9])[-1].round(3).tolist()
    [0.667, 0.333]
    """
    table = check_square("payoffs", payoffs)
    shares = check_mixture(start, table.shape[-1])
    if not (np.isfinite(time) and time > 0):
        raise DesignError(f"time is {shown(time)}; give a positive number")
    if not (isinstance(points, int) and points >= 2):
        raise DesignError(f"points is {shown(points)}; give a whole number from 2 up")
    steps = max(1, int(np.ceil(time / (points - 1) / STEP)))
    path = [shares]
    for _ in range(points - 1):
        for _ in range(steps):
            shares = _step(_scale_tables(table), shares, time / (points - 1) / steps)
        path.append(shares)
    return np.stack(path)


def replicator_rest(payoffs: npt.ArrayLike, *, time: float = 1000.0) -> Floats:
    """Return the shares of the replicator dynamics after a long time, from equal shares.

    Parameters
    ----------
    payoffs
        (..., strategies, strategies): one symmetric game, or a batch.
    time
        As in `replicator`. Dynamics that turn in a circle are where they are then.

    Returns
    -------
    Floats
        Shares of the strategies, which sum to 1.

    Raises
    ------
    DesignError, NotEstimable
        As `replicator`.

    Examples
    --------
    >>> replicator_rest([[3, 0], [5, 1]]).round(3).tolist()
    [0.0, 1.0]
    """
    tables = _scale_tables(check_square("payoffs", payoffs))
    shares = np.full(tables.shape[:-1], 1 / tables.shape[-1])
    # Growth on the scale of logarithms is bounded by 1, so a step of 1 cannot overshoot by more than that.
    for _ in range(int(np.ceil(time))):
        shares = _step(tables, shares, 1.0)
    return np.asarray(shares)


def _scale_tables(tables: Floats) -> Floats:
    """Return tables with columns of mean 0 and a largest difference of 1 in a column: the paths are the same."""
    spread = np.ptp(tables, axis=-2).max(axis=-1)[..., None, None]
    return np.asarray((tables - tables.mean(axis=-2, keepdims=True)) / np.where(spread > 0, spread, 1.0))


def _step(tables: Floats, shares: Floats, step: float) -> Floats:
    """Return the shares one step later: growth rates averaged by Runge and Kutta, applied as exponentials."""

    def compute_growth(state: Floats) -> Floats:
        return np.asarray((tables @ state[..., None])[..., 0])

    def grow(rate: Floats, by: float) -> Floats:
        weights = shares * np.exp(by * (rate - rate.max(axis=-1, keepdims=True)))
        return np.asarray(weights / weights.sum(axis=-1, keepdims=True))

    one = compute_growth(shares)
    two = compute_growth(grow(one, step / 2))
    three = compute_growth(grow(two, step / 2))
    four = compute_growth(grow(three, step))
    return grow((one + 2 * two + 2 * three + four) / 6, step)
