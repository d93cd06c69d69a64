"""Parameters of a log-linear model with their standard errors, in sum-to-zero coding.

ln m = λ + λᴬ + λᴮ + λᴬᴮ + ...; each λ adds up to 0 over every dimension of its term, so that no level is a reference
and renaming or reordering levels changes nothing but the order of the rows.
"""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd

from negstats.errors import NotEstimable
from negstats.stats.counts.contingency import normal_p
from negstats.stats.loglinear.fit import block, design
from negstats.stats.loglinear.notation import Generators, terms
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import Factor


def estimates(fitted: FloatArray, generators: Generators) -> tuple[FloatArray, FloatArray]:
    """Return the parameters of a fitted table and their covariance matrix, in the order of `fit.design`.

    The covariance is (X'diag(m)X)⁻¹ over the cells that are fitted above 0 (Agresti, 2013, eq. 9.19 for counts with a
    random total; conditional on the total only the constant's entries differ).

    Raises
    ------
    NotEstimable
        If zeros leave too few cells for the parameters: some are infinite or not told apart.
    """
    x, m = design(generators, fitted.shape), fitted.ravel()
    is_positive = m > 0
    x, m = x[is_positive], m[is_positive]
    if np.linalg.matrix_rank(x) < x.shape[1]:
        raise NotEstimable(
            f"{int((~is_positive).sum())} cells are fitted as 0, so some parameters are infinite; pool levels or take "
            "a smaller model",
            advice="spss=True adds 0.5 to every cell of the saturated model",
        )
    root = np.sqrt(m)[:, None]
    q, r = np.linalg.qr(root * x)
    beta = np.linalg.solve(r, q.T @ (root[:, 0] * np.log(m)))
    inverse = np.linalg.solve(r, np.eye(len(r)))
    return beta, inverse @ inverse.T


def parameter_table(
    fitted: FloatArray, generators: Generators, factors: tuple[Factor, ...], confidence_level: float
) -> pd.DataFrame:
    """Return one row a parameter, for every combination of levels: estimate, se, z, p, low, high.

    The parameters of the last level are minus the sum of the others, and have their standard errors too.
    """
    beta, covariance = estimates(fitted, generators)
    names, levels, values, errors = ["constant"], [""], [beta[:1]], [np.sqrt(covariance[0, :1])]
    start = 1
    for term in terms(generators):
        coding = block(tuple(range(len(term))), tuple(fitted.shape[place] for place in term))
        part = slice(start, start + coding.shape[1])
        values.append(coding @ beta[part])
        errors.append(np.sqrt(np.einsum("ij,jk,ik->i", coding, covariance[part, part], coding)))
        names += [" × ".join(factors[place].name for place in term)] * len(coding)
        levels += [", ".join(combined) for combined in itertools.product(*(factors[place].levels for place in term))]
        start = part.stop
    estimate, se = np.concatenate(values), np.concatenate(errors)
    ratio, ends = estimate / se, t_interval(estimate, se, np.inf, confidence_level)
    return pd.DataFrame(
        {
            "term": names,
            "level": levels,
            "estimate": estimate,
            "se": se,
            "z": ratio,
            "p": normal_p(ratio),
            "low": ends.low,
            "high": ends.high,
        }
    )
