"""The fit: columns, clusters and answers are passed to the package `glmm`, and its results returned.

The engine drops a column that it cannot hold apart without a word, and says that it converged where the likelihood
has no maximum. So it is given columns that are coded, centred and scaled here, and what it returns is checked.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, NotEstimable
from negstats.stats.models.responses.family import Distribution, Family
from negstats.stats.results.numbers import FloatArray

MISSING_ENGINE = "needs glmm: pip install negstats[mixed]; gee does without"
NAMES = {"binomial": "binomial", "poisson": "poisson", "negative binomial": "negativebinomial"}


@dataclass(frozen=True, slots=True, eq=False)
class RandomPart:
    """One random term: an intercept, and the columns of X whose slopes vary, over the clusters of `codes`."""

    name: str
    effects: tuple[str, ...]
    slopes: tuple[int, ...]
    codes: npt.NDArray[np.intp]
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class EngineFit:
    """What a fit gives, in the columns of X as they were handed over.

    Attributes
    ----------
    beta, covariance : ndarray
    random : tuple of ndarray, each (q, q)
        Covariance of each term's random effects.
    modes : tuple of ndarray, each (levels, q)
    log_likelihood : float
    singular : bool
    size : float
        θ of the negative binomial; NaN otherwise.
    """

    beta: FloatArray
    covariance: FloatArray
    random: tuple[FloatArray, ...]
    modes: tuple[FloatArray, ...]
    log_likelihood: float
    singular: bool
    size: float


def has_engine() -> bool:
    """Return whether the engine is installed."""
    from importlib.util import find_spec

    return find_spec("glmm") is not None


def fit_columns(
    x: FloatArray,
    y: FloatArray,
    parts: Sequence[RandomPart],
    law: Distribution,
    nagq: int,
    offset: FloatArray | None = None,
) -> EngineFit:
    """Fit the columns (the first may be the intercept) by maximum likelihood.

    Raises
    ------
    NotEstimable
        If the engine is not there, or no maximum was reached.
    DesignError
        If no column is left.
    """
    engine = _read_engine(law.family)
    if not x.shape[1]:
        raise DesignError("a model without any coefficient cannot be fitted; keep the intercept")
    columns, back = _scale(x)
    data, terms, order = _lay_out(columns, y, parts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine_fit = engine.fit(
            data, f"y ~ 0 + {' + '.join(terms)}", NAMES[law.family],
            link=law.link, nagq=nagq, offset=offset, anova_test="Wald",
        )  # fmt: skip
    if not engine_fit.converged or not np.isfinite(engine_fit.beta).all() or not np.isfinite(engine_fit.loglik):
        severe = [str(warning["title"]) for warning in engine_fit.warnings if warning["tier"] == "severe"]
        raise NotEstimable(
            f"the likelihood has no maximum that could be reached ({'; '.join(severe) or 'no convergence'}); leave "
            "random effects or terms out, or look for columns that nearly separate the outcome"
        )
    turns = [_effects_back(back, part.slopes) for part in parts]
    at = np.argsort(order)
    random = _covariances(engine_fit, turns, at)
    blocks = [engine_fit.ranef_blocks[place] for place in at]
    modes = [np.asarray(block["values"]) @ turn.T for turn, block in zip(turns, blocks, strict=True)]
    covariance = np.asarray(engine_fit.vcov, dtype=np.float64)
    return EngineFit(
        beta=np.asarray(back @ engine_fit.beta, dtype=np.float64),
        covariance=np.asarray(back @ covariance @ back.T, dtype=np.float64),
        random=tuple(np.asarray(one, dtype=np.float64) for one in random),
        modes=tuple(np.asarray(mode, dtype=np.float64) for mode in modes),
        log_likelihood=float(engine_fit.loglik),
        singular=bool(engine_fit.singular),
        size=float(engine_fit.dispersion) if law.family == "negative binomial" else float("nan"),
    )


def fit_linear(
    x: FloatArray, y: FloatArray, parts: Sequence[RandomPart], *, reml: bool
) -> tuple[list[FloatArray], float]:
    """Return the covariance of each term's random effects and the variance within, of numbers.

    Raises
    ------
    NotEstimable
        If the engine is not there, or its search did not end.
    """
    engine = _read_engine("gaussian")
    columns, back = _scale(x)
    data, terms, order = _lay_out(columns, y, parts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine_fit = engine.fit(data, f"y ~ 0 + {' + '.join(terms)}", "gaussian", reml=reml, satterthwaite=False,
                           anova_test="Wald")  # fmt: skip
    sigma2 = float(engine_fit.dispersion)
    if not (engine_fit.converged and np.isfinite(sigma2) and sigma2 > 0):
        raise NotEstimable("the engine's search did not end")
    return _covariances(engine_fit, [_effects_back(back, part.slopes) for part in parts], np.argsort(order)), sigma2


def _lay_out(
    columns: FloatArray, y: FloatArray, parts: Sequence[RandomPart]
) -> tuple[dict[str, Any], list[str], list[int]]:
    """Return the data and terms of the engine's call, and the order of the random terms in it."""
    data: dict[str, Any] = {"y": y} | {f"c{place}": columns[:, place] for place in range(columns.shape[1])}
    terms = [f"c{place}" for place in range(columns.shape[1])]
    # The engine eliminates the first term: with few levels first a nested model takes it fifty times as long.
    order = sorted(range(len(parts)), key=lambda place: -len(parts[place].levels))
    for number, part in enumerate(parts[place] for place in order):
        width = len(str(len(part.levels)))
        labels = [f"{level:0{width}d}" for level in range(len(part.levels))]
        data[f"k{number}"] = pd.Categorical.from_codes(part.codes, pd.Index(labels, dtype=object))
        terms.append(f"({' + '.join(['1', *(f'c{place}' for place in part.slopes)])} | k{number})")
    return data, terms, order


def _covariances(engine_fit: Any, turns: Sequence[FloatArray], at: npt.NDArray[np.intp]) -> list[FloatArray]:
    packed = [engine_fit.varcorr[place] for place in at]
    return [np.asarray(turn @ _matrix(one) @ turn.T) for turn, one in zip(turns, packed, strict=True)]


def _read_engine(family: Family | Literal["gaussian"]) -> Any:
    if not has_engine():
        raise NotEstimable(f"mixed with family={family!r} {MISSING_ENGINE}")
    import glmm

    return glmm


def _scale(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return centred columns of mean square 1, and the matrix that turns their coefficients into those of X.

    Without an intercept among the columns (its value is in the offset) they are scaled but not centred.
    """
    constant = bool((x[:, 0] == x[0, 0]).all()) and x[0, 0] != 0
    centre = np.zeros(x.shape[1])
    if constant:
        centre[1:] = x[:, 1:].mean(axis=0) / x[0, 0]
    columns = np.asfortranarray(x - centre * x[:, :1])
    size = np.sqrt(np.einsum("na,na->a", columns, columns) / len(columns))
    columns /= size
    back = np.diag(1 / size)
    if constant:
        back[0, 1:] -= centre[1:] / size[1:]
    return columns, back


def _effects_back(back: FloatArray, slopes: tuple[int, ...]) -> FloatArray:
    """Return the matrix that turns random effects of the scaled columns into those of X."""
    if not slopes:
        return np.eye(1)
    places = [0, *slopes]
    return np.asarray(back[np.ix_(places, places)], dtype=np.float64)


def _matrix(packed: Any) -> FloatArray:
    """Return the covariance matrix of its lower triangle, column by column."""
    size = (int(np.sqrt(1 + 8 * len(packed))) - 1) // 2
    out = np.zeros((size, size))
    columns, rows = np.triu_indices(size)
    out[rows, columns] = packed
    out[columns, rows] = packed
    return out
