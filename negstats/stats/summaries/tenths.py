"""Shares of yes over a number: at each of its values where they are few, else in tenths of the rows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

FEW = 12  # values; of more, shares are of tenths of the rows


def shares_over(
    x: npt.ArrayLike, yes: npt.ArrayLike, fitted: npt.NDArray[np.float64] | None = None
) -> tuple[pd.DataFrame, bool]:
    """Return the share of yes over a number.

    Parameters
    ----------
    x, yes
        The number of each row, and whether its outcome is yes (1) or no (0); none is missing.
    fitted
        The chance of yes that a model gives each row.

    Returns
    -------
    tuple
        A frame with a row a value or a tenth: the mean of ``x``, ``n`` rows, ``yes`` of them, and the mean of
        ``fitted`` if it is given; and whether they are tenths.

    Examples
    --------
    >>> table, tenths = shares_over([1, 1, 2], [1, 0, 1])
    >>> table["yes"].tolist(), tenths
    ([1, 1], False)
    """
    frame = pd.DataFrame({"x": x, "yes": yes})
    values = frame["x"].round(9)
    tenths = bool(values.nunique() > FEW)
    groups = frame.groupby(pd.qcut(frame["x"], 10, duplicates="drop") if tenths else values, observed=True)
    table = pd.DataFrame({"x": groups["x"].mean(), "n": groups.size(), "yes": groups["yes"].sum()})
    if fitted is not None:
        table["fitted"] = pd.Series(fitted).groupby(groups.ngroup()).mean().to_numpy()
    return table, tenths
