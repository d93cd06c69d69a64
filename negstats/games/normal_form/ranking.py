"""How strategies fare: rankings by elimination and by averages, and replicator dynamics."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import optimize

from negstats.errors import DesignError, shown
from negstats.games.normal_form.equilibria import Floats, check_mixture, check_square, tolerance

FEW = 9  # strategies up to which a batch is solved by its supports


def elimination_order(payoffs: npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Rank strategies by elimination: the one with the lowest mean against the remaining ones is removed each time.

    Parameters
    ----------
    payoffs
        (..., strategies, strategies): what a row gets from a column; one game or a batch.

    Returns
    -------
    numpy.ndarray
        Ranks (..., strategies): 1 for the last that is left. Of equal means the later one goes.

    Raises
    ------
    DesignError, NotEstimable
        If the table is not square or has gaps.

    Examples
    --------
    The first strategy beats the third only, and so is worth least once the third has gone:

    >>> elimination_order([[1, 0, 9], [2, 1, 2], [2, 1, 0]]).tolist()
    [2, 1, 3]
    """
    tables = check_square("payoffs", payoffs)
    size = tables.shape[-1]
    stacked = tables.reshape(-1, size, size)
    present = np.ones(stacked.shape[:2], dtype=bool)
    ranks = np.ones(stacked.shape[:2], dtype=np.intp)
    all_tables, tolerated = np.arange(len(stacked)), tolerance(stacked) * size
    for rank in range(size, 1, -1):
        means = (stacked @ present[:, :, None].astype(np.float64))[..., 0] / rank
        means[~present] = np.inf
        lowest = means <= means.min(axis=1, keepdims=True) + tolerated
        last_lowest = size - 1 - lowest[:, ::-1].argmax(axis=1)
        ranks[all_tables, last_lowest] = rank
        present[all_tables, last_lowest] = False
    return np.asarray(ranks.reshape(tables.shape[:-1]))


def nash_average(payoffs: npt.ArrayLike) -> tuple[Floats, Floats]:
    """Rate strategies against the equilibrium of the game of who gets more than the other (Balduzzi et al., 2018).

    Parameters
    ----------
    payoffs
        (..., strategies, strategies): what a row gets from a column; one game or a batch.

    Returns
    -------
    mixture : numpy.ndarray
        (..., strategies): the equilibrium of largest entropy of the zero-sum game A − Aᵀ.
    rating : numpy.ndarray
        (..., strategies): (A − Aᵀ) · mixture, by how much a strategy gets more than its opponents there; 0 for those
        in the mixture, negative for others. A copy of a strategy changes nobody's rating.

    Raises
    ------
    DesignError, NotEstimable
        If the table is not square or has gaps.

    Notes
    -----
    Only the difference between the two seats counts: who refuses all deals gets no less than its opponent and is rated
    well. Read it beside the means, never alone.

    References
    ----------
    Balduzzi, D., Tuyls, K., Perolat, J., & Graepel, T. (2018). Re-evaluating evaluation. Advances in Neural Information
    Processing Systems, 31.

    Examples
    --------
    Rock, paper, scissors, and a second rock, which shares the first one's part:

    >>> game = [[0, -1, 1, 0], [1, 0, -1, 1], [-1, 1, 0, -1], [0, -1, 1, 0]]
    >>> mixture, rating = nash_average(game)
    >>> mixture.round(3).tolist(), bool(abs(rating).max() < 1e-6)
    ([0.167, 0.333, 0.333, 0.167], True)
    """
    tables = check_square("payoffs", payoffs)
    size = tables.shape[-1]
    gains = (tables - np.swapaxes(tables, -1, -2)).reshape(-1, size, size)
    largest_gain = np.abs(gains).max(axis=(1, 2), keepdims=True, initial=0.0)
    unit_gains = gains / np.where(largest_gain > 0, largest_gain, 1.0)
    mixtures, is_solved = (
        _unique_mixtures(unit_gains) if size <= FEW else (np.zeros(gains.shape[:2]), np.zeros(len(gains)) > 0)
    )
    for table_index in np.flatnonzero(~is_solved):
        mixtures[table_index] = _largest_entropy(unit_gains[table_index])
    ratings = (gains @ mixtures[:, :, None])[..., 0]
    return mixtures.reshape(tables.shape[:-1]), ratings.reshape(tables.shape[:-1])


def _unique_mixtures(gains: Floats) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the equilibria of those zero-sum games of a batch that have one alone, and which these are.

    It has an odd number of strategies, all others lose against it strictly, and no other mixture of the same ones
    leaves them alike (Kaplansky 1945).
    """
    n_strategies = gains.shape[1]
    mixtures = np.zeros(gains.shape[:2])
    is_solved = np.zeros(len(gains), dtype=bool)
    for size in range(1, n_strategies + 1, 2):
        for support in combinations(range(n_strategies), size):
            open_games = np.flatnonzero(~is_solved)
            if not len(open_games):
                return mixtures, is_solved
            own_rows = np.array(support)
            other_rows = np.setdiff1d(np.arange(n_strategies), own_rows)
            # The shares span the null space of the part inside, bordered by "they sum to one".
            bordered = np.zeros((len(open_games), size + 1, size + 1))
            bordered[:, :size, :size] = gains[np.ix_(open_games, own_rows, own_rows)]
            bordered[:, size, :size], bordered[:, :size, size] = 1.0, -1.0
            is_regular = np.abs(np.linalg.det(bordered)) > 1e-10
            solutions = np.zeros((len(open_games), size))
            right_side = np.zeros((size + 1, 1))
            right_side[size] = 1.0
            solutions[is_regular] = np.linalg.solve(
                bordered[is_regular], np.broadcast_to(right_side, (int(is_regular.sum()), size + 1, 1))
            )[:, :size, 0]
            is_equilibrium = is_regular & (solutions > 1e-9).all(axis=1)
            outside_payoffs = (gains[np.ix_(open_games, other_rows, own_rows)] @ solutions[:, :, None])[..., 0]
            # Unique: all shares inside are positive, and all strategies outside lose for certain.
            is_equilibrium &= (outside_payoffs < -1e-9).all(axis=1)
            for game, shares in zip(open_games[is_equilibrium], solutions[is_equilibrium], strict=True):
                mixtures[game, own_rows] = shares
            is_solved[open_games[is_equilibrium]] = True
    return mixtures, is_solved


def _largest_entropy(gains: Floats) -> Floats:
    """Return the mixture of largest entropy against which no strategy gains, of one zero-sum game."""
    size = len(gains)
    uniform = np.full(size, 1 / size)
    if (gains @ uniform <= 1e-12).all():
        return uniform
    # Any equilibrium, from which the search for the one of largest entropy begins.
    feasible: Any = optimize.linprog(
        np.zeros(size), A_ub=gains, b_ub=np.zeros(size), A_eq=np.ones((1, size)), b_eq=[1.0], bounds=(0, 1)
    ).x
    minimize: Any = optimize.minimize  # whose types have no constraints as dictionaries
    solution = minimize(
        lambda x: float((x * np.log(np.maximum(x, 1e-300))).sum()),
        feasible,
        jac=lambda x: np.log(np.maximum(x, 1e-12)) + 1,
        bounds=[(0.0, 1.0)] * size,
        constraints=[
            {"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones(size)},  # noqa: ARG005
            {"type": "ineq", "fun": lambda x: -(gains @ x), "jac": lambda x: -gains},  # noqa: ARG005
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    shares = np.clip(solution.x if (gains @ solution.x).max() < 1e-7 else feasible, 0.0, None)
    return np.asarray(shares / shares.sum())


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

    The dynamics are those of Taylor and Jonker [1]_.

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

    References
    ----------
    .. [1] Taylor, P. D., & Jonker, L. B. (1978). Evolutionary stable strategies and game dynamics. Mathematical
       Biosciences, 40, 145–156.

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
    largest_range = np.ptp(tables, axis=-2).max(axis=-1)[..., None, None]
    return np.asarray((tables - tables.mean(axis=-2, keepdims=True)) / np.where(largest_range > 0, largest_range, 1.0))


def _step(tables: Floats, shares: Floats, step: float) -> Floats:
    """Return the shares one step later: growth rates averaged by Runge and Kutta, applied as exponentials."""

    def compute_growth(state: Floats) -> Floats:
        return np.asarray((tables @ state[..., None])[..., 0])

    def grow(rate: Floats, duration: float) -> Floats:
        weights = shares * np.exp(duration * (rate - rate.max(axis=-1, keepdims=True)))
        return np.asarray(weights / weights.sum(axis=-1, keepdims=True))

    first_rate = compute_growth(shares)
    second_rate = compute_growth(grow(first_rate, step / 2))
    third_rate = compute_growth(grow(second_rate, step / 2))
    fourth_rate = compute_growth(grow(third_rate, step))
    return grow((first_rate + 2 * second_rate + 2 * third_rate + fourth_rate) / 6, step)
