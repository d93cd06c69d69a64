"""A printed t or F against a printed d: which definition of d, if any, makes them agree.

Papers seldom say how they computed d, and the usual definitions differ in the second decimal.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import pandas as pd

from negstats.audit.beyond_p.judgement import magnitude
from negstats.errors import DesignError
from negstats.printed_numbers import Printable, check_n, printed

SLACK = 1e-9


def d_by_definition(
    *, d: Printable, df: float, n: int | tuple[int, int], t: Printable | None = None, f: Printable | None = None
) -> pd.DataFrame:
    """Compute d from a printed t, or F with one numerator df, by each usual definition.

    Parameters
    ----------
    d
        The printed d; its sign is not looked at, for F has none.
    df
        Error df of t or F.
    n
        People in both groups together, or in each.
    t, f
        The printed statistic; one of them.

    Returns
    -------
    pandas.DataFrame
        One row a definition: ``definition``, ``value`` from the printed number as it stands, ``low`` and ``high`` over
        its rounding, and ``fits``, whether that meets the rounding interval of the printed d. Rosenthal (1994) gives
        t √(1/n₁ + 1/n₂) for two groups, 2 t/√df (what partial eta squared gives) and, for equal groups, 2 t/√N; t/√N
        and t/√df are for one group or pairs, and are met with groups by mistake.

    Raises
    ------
    DesignError
        If not exactly one statistic is given, F is negative, or df or n is not positive.

    References
    ----------
    Rosenthal, R. (1994). Parametric measures of effect size. In H. Cooper & L. V. Hedges (Eds.), The Handbook of
    Research Synthesis. Russell Sage Foundation.

    Examples
    --------
    >>> d_by_definition(f="5.15", df=163, n=(78, 89), d="0.36").round(3)[["definition", "value", "fits"]]
              definition  value   fits
    0  t √(1/n₁ + 1/n₂)  0.352  False
    1            2 t/√df  0.356   True
    2             2 t/√N  0.351  False
    3               t/√N  0.176  False
    4              t/√df  0.178  False
    """
    if (t is None) == (f is None):
        raise DesignError("give either t or f, the statistic that is printed with d")
    statistic = printed(t, "t") if t is not None else printed(f if f is not None else "", "f")
    if f is not None and statistic.value < 0:
        raise DesignError(f"f is {statistic}; F is not negative")
    if not df > 0:
        raise DesignError(f"df is {df!r}; give a positive number")
    groups = n if isinstance(n, tuple) else (n,)
    total = sum(check_n(size) for size in groups)
    target = printed(d, "d")
    value, low, high = abs(float(statistic)), *magnitude(statistic)
    if f is not None:
        value, low, high = math.sqrt(value), math.sqrt(low), math.sqrt(high)
    least, most = magnitude(target)
    rows = []
    for name, factor in _factors(groups, total, df).items():
        fits = low * factor <= most * (1 + SLACK) and high * factor >= least * (1 - SLACK)
        rows.append((name, value * factor, low * factor, high * factor, fits))
    frame = pd.DataFrame(rows, columns=["definition", "value", "low", "high", "fits"])
    frame.attrs["schema"] = "DByDefinition/1"
    return frame


def _factors(groups: tuple[int, ...], total: int, df: float) -> Mapping[str, float]:
    """Return what each definition multiplies t by."""
    by_group = {"t √(1/n₁ + 1/n₂)": math.sqrt(sum(1 / size for size in groups))} if len(groups) == 2 else {}
    return {
        **by_group,
        "2 t/√df": 2 / math.sqrt(df),
        "2 t/√N": 2 / math.sqrt(total),
        "t/√N": 1 / math.sqrt(total),
        "t/√df": 1 / math.sqrt(df),
    }
