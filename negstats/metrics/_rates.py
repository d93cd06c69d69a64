"""A rate with its counts and Wilson interval, over all rows or by factors."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist

import narwhals as nw

from negstats.errors import UsageError
from negstats.metrics._frames import Frame, grouped


def rate(frame: Frame, column: str, by: Sequence[str], confidence_level: float, *, times: str | None = None) -> Frame:
    """Return the share of ones among the known values of a column of ones and zeros.

    Parameters
    ----------
    frame
        With the column and the factors.
    column
        1, 0 or missing.
    by
        Factors; none gives one row.
    confidence_level
        Of the interval, between 0 and 1.
    times
        The column that says how often a row occurs; None: once each.

    Returns
    -------
    Frame
        The factors, `n` (known values, the denominator), `count` (ones), `missing` (values not known), `rate`, `low`
        and `high` (Wilson 1927, without continuity correction), `level`. Where `n` is 0 the rate and its
        interval are missing.

    Raises
    ------
    UsageError
        If the level is not between 0 and 1.
    """
    if not 0 < confidence_level < 1:
        raise UsageError(f"confidence_level is {confidence_level}; an interval needs one between 0 and 1, such as 0.95")
    value = nw.col(column)
    if times is None:
        counts = grouped(frame, by, value.count().alias("n"), value.sum().alias("count"), nw.len().alias("rows"))
    else:
        often = nw.col(times).cast(nw.Float64)
        of_known = nw.when(~value.is_null()).then(often).otherwise(0.0)
        rows = frame.with_columns(of_known.alias("n"), (often * value).alias("count"), often.alias("rows"))
        counts = grouped(rows, by, *(nw.col(name).sum() for name in ("n", "count", "rows")))
    z = -NormalDist().inv_cdf((1 - confidence_level) / 2)
    n, k = nw.col("n").cast(nw.Float64), nw.col("count").cast(nw.Float64)
    centre = (k + z**2 / 2) / (n + z**2)
    half = (k * (n - k) / n + z**2 / 4).sqrt() * z / (n + z**2)
    some = nw.col("n") > 0
    return counts.select(
        *by,
        nw.col("n").cast(nw.Int64),
        nw.when(some).then(k).otherwise(0.0).cast(nw.Int64).alias("count"),
        (nw.col("rows").cast(nw.Int64) - nw.col("n").cast(nw.Int64)).alias("missing"),
        nw.when(some).then(k / n).alias("rate"),
        # No success bounds the rate by exactly 0 and no failure by exactly 1, whatever rounding makes of it.
        nw.when(some).then(nw.when(k == 0).then(0.0).otherwise(centre - half)).alias("low"),
        nw.when(some).then(nw.when(k == n).then(1.0).otherwise(centre + half)).alias("high"),
        nw.lit(confidence_level).alias("level"),
    )
