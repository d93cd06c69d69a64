"""What the points of a deal are worth to a learner: the reward of chawla2023 (Equation 1), after fehr1999."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import DesignError, UsageError, shown

# The rows of Table 2: a, what being outdone costs, and b, what outdoing costs. The first two are used in the study.
REWARDS: dict[str, tuple[float, float]] = {
    "selfish": (0.0, 0.0),
    "fair": (0.75, 0.75),
    "outdone": (1.0, 0.0),
    "envious": (0.0, -1.0),  # enjoys being ahead; breaks the printed bound 0 ≤ b
}


def fehr_schmidt(x: npt.ArrayLike, y: npt.ArrayLike, a: float, b: float, *, strict: bool = False) -> npt.NDArray[Any]:
    """Return U = x - a max(0, y - x) - b max(0, x - y), the Fehr-Schmidt utility of two.

    Parameters
    ----------
    x, y
        One's own points and the other's.
    a, b
        What a point less, and a point more, than the other costs.
    strict
        Refuse parameters outside the printed bounds, b ≤ a and 0 ≤ b < 1.

    Returns
    -------
    ndarray
        Utilities, of the shape of both points together.

    Raises
    ------
    DesignError
        With `strict`, if a bound does not hold.

    Notes
    -----
    Equation 1 of Chawla et al. (2023). Their Table 2 prints b = -1 for the envious agent, outside their own bounds; so
    these are not checked unless asked.

    References
    ----------
    Chawla, K., Wu, I., Rong, Y., Lucas, G., & Gratch, J. (2023). Be selfish, but wisely: Investigating the impact of
    agent personality in mixed-motive human-agent interactions. Proceedings of EMNLP 2023.

    Examples
    --------
    >>> [fehr_schmidt(8, 0, *parameters).item() for parameters in REWARDS.values()]
    [8.0, 2.0, 8.0, 16.0]
    """
    if strict and not (b <= a and 0 <= b < 1):
        raise DesignError(f"a is {a:g} and b {b:g}; fehr1999 has b ≤ a and 0 ≤ b < 1")
    own, other = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    return np.asarray(own - a * np.maximum(0, other - own) - b * np.maximum(0, own - other))


def reward(name: str, x: npt.ArrayLike, y: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the value of a named reward for own points `x` and the partner's points `y`.

    Parameters
    ----------
    name
        Name of the reward.
    x
        Own points.
    y
        The partner's points.

    Returns
    -------
    ndarray
        Values, of the shape of both points together.

    Raises
    ------
    UsageError
        If there is no such reward.

    Examples
    --------
    >>> reward("fair", [8, 7], [0, 10]).tolist()
    [2.0, 4.75]
    """
    if name not in REWARDS:
        raise UsageError(f"reward is {shown(name)}; there are {', '.join(REWARDS)}")
    return fehr_schmidt(x, y, *REWARDS[name])
