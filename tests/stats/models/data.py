"""Small data sets given by a rule, so that no file is needed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from negstats.stats import Coefficient, FTest, MixedModel
from negstats.stats.models.results import DF
from negstats.stats.results.numbers import FloatArray


def three_groups() -> pd.DataFrame:
    """23 pairs and 5 singletons; a factor of three levels and a covariate, both between the clusters and within."""
    rows = []
    for j in range(1, 29):
        for i in range(1, (1 if j % 5 == 0 else 2) + 1):
            x = (i * i + j * j + i * j) % 5
            y = (11 * i * i + 5 * j + 3 * i * j) % 13 + 2 * x + 2 * (j * j % 7)
            rows.append((j, "abcabaa"[j % 7], x, y))
    return pd.DataFrame(rows, columns=["j", "g", "x", "y"])


def seesaw() -> pd.DataFrame:
    """12 pairs in which one has what the other lacks: no variance between clusters, a strong negative correlation."""
    rows = []
    for j in range(1, 13):
        for i in (1, 2):
            x, s = (3 * i + j) % 4, 1 if (i + j) % 2 == 0 else -1
            rows.append((j, "ba"[j % 2 == 0], x, 20 + 9 * s + (5 * j + 2 * i) % 7 + x))
    return pd.DataFrame(rows, columns=["j", "g", "x", "y"])


def singletons() -> pd.DataFrame:
    """One cluster of 200 rows, 60 of one and 20 pairs."""
    rows, r = [], 0
    for j in range(1, 82):
        for i in range(1, (200 if j == 1 else 1 if j <= 61 else 2) + 1):
            r += 1
            x = 7 * r % 11
            rows.append((j, "ba"[(i + j) % 2 == 0], x, (13 * r * r + r) % 17 + x + 3 * (5 * j % 8)))
    return pd.DataFrame(rows, columns=["j", "g", "x", "y"])


# 12 pairs: the predictor and the outcome of seat 1 and seat 2.
PAIRS = pd.DataFrame(
    {
        "x1": [3, 5, 2, 8, 6, 7, 4, 9, 5, 3, 6, 8],
        "x2": [4, 3, 6, 7, 2, 8, 5, 6, 9, 4, 3, 7],
        "y1": [12, 15, 11, 22, 16, 21, 13, 24, 18, 10, 15, 23],
        "y2": [10, 9, 14, 18, 8, 20, 11, 17, 19, 12, 9, 16],
    }
)


def at_zero(model: MixedModel) -> list[FTest]:
    """Return each term's test with covariates as they are given, as lmerTest has them; ours are at the means."""
    rows, coding = summed_to_zero(model), model.design.coding
    return [model.test(rows[coding.columns_of(place)], term) for place, term in enumerate(model.terms)]


def summed_to_zero(model: MixedModel) -> FloatArray:
    """Return the weights of printed coefficients that give those of factors coded to sum to zero (R's contr.sum)."""
    return np.asarray(np.linalg.inv(model.design.coding.to_treatment))


def coded_to_sum(model: MixedModel, df: DF | None = None) -> list[Coefficient]:
    """Return the coefficients of factors coded to sum to zero."""
    one = model if df is None else model.with_df(df)
    return [one.contrast(row, name) for row, name in zip(summed_to_zero(one), one.design.coding.names, strict=True)]


def column(parts: Sequence[Coefficient], name: str) -> list[float]:
    """Return one number of each coefficient."""
    return [float(getattr(part, name)) for part in parts]
