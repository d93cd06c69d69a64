"""Roots of many equations of one unknown at once, for intervals that end where a test just does not reject.

The same as `scipy.optimize.elementwise`, to the last digit. But importing scipy.optimize takes longer than all else
that a t-test with its interval does, and whoever compares two conditions from a shell waits for it each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from negstats.stats.results.numbers import FloatArray

Function: TypeAlias = Callable[..., FloatArray]

TINY = float(np.finfo(np.float64).smallest_normal)
RELATIVE = 4 * float(np.finfo(np.float64).eps)
STEPS = 2046  # bisections between the largest double and the smallest normal one


def bracket(
    function: Function,
    left: FloatArray,
    right: FloatArray,
    args: tuple[FloatArray, ...] = (),
    *,
    leftwards: bool = True,
) -> tuple[FloatArray, FloatArray]:
    """Move the ends of intervals outwards, twice as far each time, until the function's sign changes between two moves.

    Parameters
    ----------
    function
        Takes x and `args`, which broadcast together, and returns a value for each element; monotone in x.
    left, right
        First intervals, shape ``(n,)``, each left end below its right end.
    args
        Further arguments, each of shape ``(n,)``.
    leftwards
        Whether left ends move as well; False if they are the least that x may be.

    Returns
    -------
    tuple of numpy.ndarray
        Left and right ends; the first interval where the numbers end before the sign changes.

    Examples
    --------
    >>> low, high = bracket(lambda x, c: x**3 - c, np.zeros(2), np.ones(2), (np.array([0.5, 20]),))
    >>> low.tolist(), high.tolist()
    ([0.0, 2.0], [1.0, 4.0])
    """
    low, high = left.copy(), right.copy()
    at = function(np.stack([left, right]), *args)
    active = np.flatnonzero(~_changes(*at))
    sides = slice(0 if leftwards else 1, 2)
    near_end, at_near = np.stack([left, right])[sides, active], at[sides, active]
    fixed = np.stack([right, left])[sides, active]
    reach, active_args = near_end - fixed, [array[active] for array in args]
    while len(active):
        with np.errstate(over="ignore"):
            reach = reach * 2
            far_end = fixed + reach
        at_far = function(far_end, *active_args)
        changes = _changes(at_near, at_far)
        hit, side = changes.any(axis=0), (changes.argmax(axis=0), np.arange(len(active)))
        ends = np.sort([near_end[side], far_end[side]], axis=0)[:, hit]
        low[active[hit]], high[active[hit]] = ends
        is_open = ~hit & np.any(np.isfinite(far_end) & np.isfinite(at_far), axis=0)
        active, active_args = active[is_open], [array[is_open] for array in active_args]
        near_end, at_near, fixed, reach = (array[:, is_open] for array in (far_end, at_far, fixed, reach))
    return low, high


def find_root(function: Function, left: FloatArray, right: FloatArray, args: tuple[FloatArray, ...] = ()) -> FloatArray:
    """Return the root in each interval, to the last digits of a double; nan where the signs at its ends are the same.

    Chandrupatla (1997), Advances in Engineering Software 28, 145-149: inverse quadratic interpolation through three
    points where these are fit for it, else bisection.

    Parameters
    ----------
    function
        Takes x and `args`, each of shape ``(k,)``, and returns a value for each element.
    left, right
        Ends of the intervals, shape ``(n,)``.
    args
        Further arguments, each of shape ``(n,)``.

    Examples
    --------
    >>> find_root(lambda x, c: x**2 - c, np.zeros(3), np.full(3, 9.0), (np.array([4.0, 2.0, 100.0]),))
    array([2.        , 1.41421356,        nan])
    """
    root = np.full(left.shape, np.nan)
    active, active_args = np.arange(left.size), list(args)
    a, b = left, right
    at_a, at_b = function(a, *active_args), function(b, *active_args)
    c, at_c = b, at_b
    for step in range(STEPS):
        best = np.where(np.abs(at_a) < np.abs(at_b), a, b)
        least = np.where(np.abs(at_a) < np.abs(at_b), np.abs(at_a), np.abs(at_b))
        width, tolerance = np.abs(b - a), np.abs(best) * RELATIVE + 4 * TINY
        none = (np.sign(at_a) == np.sign(at_b)) | ~np.isfinite(width) | (np.isnan(at_a) & np.isnan(at_b))
        narrow = width < tolerance
        is_solved = (least <= TINY) | (~none & narrow & ~np.isnan(at_a + at_b))
        root[active[is_solved]] = best[is_solved]
        is_open = ~is_solved & ~none & ~narrow
        active, active_args = active[is_open], [array[is_open] for array in active_args]
        if not len(active):
            break
        a, b, c, at_a, at_b, at_c, width, tolerance = (
            array[is_open] for array in (a, b, c, at_a, at_b, at_c, width, tolerance)
        )
        share = _share(a, b, c, at_a, at_b, at_c, 0.5 * tolerance / width) if step else 0.5
        x = a + share * (b - a)
        at_x = function(x, *active_args)
        same_sign = np.sign(at_x) == np.sign(at_a)
        c, at_c = np.where(same_sign, a, b), np.where(same_sign, at_a, at_b)
        b, at_b = np.where(same_sign, b, a), np.where(same_sign, at_b, at_a)
        a, at_a = x, at_x
    return root


def _share(
    a: FloatArray, b: FloatArray, c: FloatArray, at_a: FloatArray, at_b: FloatArray, at_c: FloatArray, least: FloatArray
) -> FloatArray:
    """Return how far from a to b to try next; `least` keeps it from standing still at an end."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place, height = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        fit = (1 - np.sqrt(1 - place) < height) & (height < np.sqrt(place))
        third = (c - a) / (b - a)
        quadratic = at_a / (at_a - at_b) * at_c / (at_c - at_b) - third * at_a / (at_c - at_a) * at_b / (at_b - at_c)
    return np.asarray(np.clip(np.where(fit, quadratic, 0.5), least, 1 - least))


def _changes(one: FloatArray, other: FloatArray) -> npt.NDArray[np.bool_]:
    """Whether there is a root between two points, or at one of them."""
    first_sign, second_sign = np.sign(one), np.sign(other)
    return np.asarray((first_sign == -second_sign) | (first_sign == 0) | (second_sign == 0))
