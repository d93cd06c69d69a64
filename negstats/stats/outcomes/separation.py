"""Columns that predict a yes or no, or a count of 0, without error: their coefficients have no finite estimate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import special

from negstats.errors import NotEstimable
from negstats.stats.results.numbers import FloatArray

# After so many of Newton's steps without a proof that the data overlap, a linear programme decides.
MOST_STEPS = 15
# Of more rows a part of this size is tried first: data overlap where a part of them does.
PART = 2000


def check_separation(
    sides: FloatArray, x: FloatArray, names: Sequence[str], outcome: str, *, zero: bool = False
) -> None:
    """Raise NotEstimable, naming the columns, if a weighted sum of columns tells the outcome without a fault.

    Then some coefficients have no finite estimate, and programs print 20 or 1e15 with an error of as much.

    Parameters
    ----------
    sides : ndarray, shape (n,)
        1 where the sum should be at least 0, −1 where at most; with `zero`, 0 where it must be 0 (a count above 0).

    Notes
    -----
    Konis (2007), Linear programming algorithms for detecting separated data, ch. 4: the largest Σ s_i x_i'δ with every
    part at least 0 and δ within ±1 is 0 exactly if the data overlap.
    """
    if not zero:
        step = len(x) // PART | 1
        if step > 1 and is_overlapping(_scale_columns(x[::step]) * sides[::step, None]):
            return
    scaled_columns = _scale_columns(x)
    signed_rows = scaled_columns * sides[:, None]
    if not zero and is_overlapping(signed_rows):
        return
    weights = _find_separating(sides, scaled_columns, signed_rows, zero=zero)
    if weights is None:
        return
    columns = [place for place, weight in enumerate(weights) if abs(weight) > 1e-7 or names[place] == "Intercept"]
    for place in [place for place in columns if names[place] != "Intercept"]:
        # Where some columns tell every answer, others that tell nothing have a weight too.
        fewer = [other for other in columns if other != place]
        if fewer and _find_separating(sides, scaled_columns[:, fewer], signed_rows[:, fewer], zero=zero) is not None:
            columns = fewer
    guilty = [names[place] for place in columns if names[place] != "Intercept"]
    guilty_text = ", ".join(map(repr, guilty[:6])) or "the intercept"
    advice = "mann_whitney compares ranks" if zero else "logistic with firth=True penalises"
    verb, pronoun = ("separate", "them") if len(guilty) > 1 else ("separates", "it")
    raise NotEstimable(
        f"{guilty_text} {verb} {outcome!r}: from {pronoun} the outcome is known without a fault in some rows, and a "
        f"coefficient has no finite value; leave {pronoun} out or merge levels",
        advice=advice,
    )


def _find_separating(
    sides: FloatArray, columns: FloatArray, signed_rows: FloatArray, *, zero: bool
) -> FloatArray | None:
    """Return the weights of a sum of columns that tells the outcome without a fault; None if there is none."""
    from scipy.optimize import linprog

    fixed = columns[sides == 0] if zero else None
    free = signed_rows[sides != 0]
    solution = linprog(
        -free.sum(axis=0),
        A_ub=-free,
        b_ub=np.zeros(len(free)),
        A_eq=fixed,
        b_eq=None if fixed is None else np.zeros(len(fixed)),
        bounds=(-1, 1),
        method="highs",
    )
    separates = solution.status == 0 and solution.x is not None and float((free @ solution.x).sum()) > 1e-6
    return np.asarray(solution.x, dtype=np.float64) if separates else None


def _scale_columns(x: FloatArray) -> FloatArray:
    """Return columns whose largest number is 1; a column of zeros as it is."""
    size = np.abs(x).max(axis=0)
    return np.asarray(x / np.where(size > 0, size, 1.0))


def is_overlapping(signed_rows: FloatArray) -> bool:
    """Whether Newton's steps prove that Σ ln(1 + exp(−m_i'd)) has a minimum, as it has only if the data overlap.

    Where the step is short against the curvature there is one (Bach, 2010, Electronic Journal of Statistics 4, prop. 2:
    a Newton decrement of at most √λ/(2R), with λ the least eigenvalue of the Hessian and R the longest row).
    """
    point, longest = np.zeros(signed_rows.shape[1]), float(np.sqrt((signed_rows**2).sum(axis=1).max()))
    for _ in range(MOST_STEPS):
        misfit = special.expit(-(signed_rows @ point))
        slope = -signed_rows.T @ misfit
        curve = (signed_rows * (misfit * (1 - misfit))[:, None]).T @ signed_rows
        values, vectors = np.linalg.eigh(curve)
        if not values[0] > 1e-12 * values[-1]:
            return False
        step = vectors @ ((vectors.T @ slope) / values)
        if slope @ step <= values[0] / (4 * longest) ** 2:  # half of what is allowed
            return True
        point -= step
    return False
