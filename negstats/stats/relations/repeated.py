"""Correlation of two measures inside people who gave both several times."""

from __future__ import annotations

from typing import Any

import numpy as np

from negstats.errors import NotEstimable
from negstats.stats.relations._data import complete_in_clusters
from negstats.stats.relations.correlation import Correlation, from_r
from negstats.stats.results.numbers import ROUNDING
from negstats.stats.results.options import ALTERNATIVES, Alternative, check_choice


def repeated_correlation(
    data: Any, x: str, y: str, *, subject: str, alternative: Alternative = "two-sided"
) -> Correlation:
    """Correlate two measures inside subjects: the common slope of parallel lines, one a subject.

    Parameters
    ----------
    data
        A frame of any engine (or arrays by name) with one row a subject and occasion.
    x, y, subject
        The two measures, and the column of the subjects' ids.
    alternative
        "greater": above 0.

    Returns
    -------
    Correlation
        r inside subjects with its test, as of `correlation`.

    Raises
    ------
    DesignError
        If a column is not there or no number.
    NotEstimable
        If no subject has two rows, or a measure does not vary inside any.

    Notes
    -----
    Bakdash and Marusich (2017): r = S_xy/√(S_xx S_yy) with sums of squares about each subject's own means; N − S − 1
    degrees of freedom for N rows of S subjects; Fisher's interval with n = df + 2.

    References
    ----------
    Bakdash, J. Z., & Marusich, L. R. (2017). Repeated measures correlation. Frontiers in Psychology, 8, 456.

    Examples
    --------
    >>> rows = {"who": [1, 1, 1, 2, 2, 2], "ask": [3, 5, 6, 1, 2, 4], "gain": [9, 8, 5, 4, 4, 1]}
    >>> print(repeated_correlation(rows, "ask", "gain", subject="who").apa())
    r(3) = −.91, p = .031, 95% CI [−.99, −.15] controlling for who
    """
    check_choice("alternative", alternative, ALTERNATIVES)
    values, who, missing = complete_in_clusters(data, [x, y], subject, "x, y and subject")
    xy = values - values[0]
    size = np.bincount(who).astype(float)
    means = np.stack([np.bincount(who, xy[:, place]) / size for place in (0, 1)], axis=-1)
    rest = xy - means[who]
    free = len(xy) - len(size) - 1
    if free < 1:
        raise NotEstimable(
            f"{len(xy)} complete rows of {len(size)} subjects leave {max(free, 0)} degrees of freedom; subjects need "
            "several rows each"
        )
    squares = (rest**2).sum(axis=0)
    for name, ss_within, whole_size in zip((x, y), squares, np.abs(values).max(axis=0), strict=True):
        if np.sqrt(ss_within / len(xy)) <= ROUNDING * whole_size:
            raise NotEstimable(f"{name!r} is constant inside each {subject}; nothing can be correlated within")
    r = float((rest[:, 0] * rest[:, 1]).sum() / np.sqrt(squares[0] * squares[1]))
    return from_r(r, (x, y), float(free), len(xy), alternative, missing, (subject,), "within")
