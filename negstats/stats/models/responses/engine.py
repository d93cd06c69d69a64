"""The rows and columns of a mixed model of responses, and its fit by the package `glmm`.

The engine drops a column that it cannot hold apart without a word, and says that it converged where the likelihood
has no maximum. So it is given columns that are coded, centred and scaled here, and what it returns is checked.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.design import ModelDesign, events, read_design
from negstats.stats.models.random_terms import RandomTerm
from negstats.stats.models.responses.likelihood import Distribution, Family
from negstats.stats.outcomes.fits import check_separation
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.formulas import Formula, Reference
from negstats.stats.summaries.frames import as_pandas, check_columns, level_codes, numbers

FEWEST_LEVELS = 3


@dataclass(frozen=True, slots=True, eq=False)
class ResponseRows:
    """Complete rows of one study.

    Attributes
    ----------
    design : ModelDesign
        The rows, covariates measured from their means in their own units.
    x : ndarray, shape (rows, coefficients)
        The columns of the fit: factors coded to sum to zero, so that a term's columns are its effect at the mean of the
        covariates, averaged over the levels of other factors.
    y : ndarray
        1 where the outcome is the event, else 0; or counts.
    parts : tuple of RandomPart
    """

    design: ModelDesign
    x: FloatArray
    y: FloatArray
    parts: tuple[RandomPart, ...]
    terms: tuple[RandomTerm, ...]
    event: str

    @property
    def coding(self) -> Coding:
        """Terms and columns."""
        return self.design.coding

    @property
    def coded(self) -> dict[str, Any]:
        """Numbers of each covariate from its mean, and codes of each factor."""
        return dict(self.design.measured)

    @property
    def origin(self) -> dict[str, float]:
        """The mean of each covariate."""
        units = self.design.units
        return {name: mean + units.rest.get(name, 0.0) for name, mean in units.origin.items()}

    @property
    def back(self) -> FloatArray:
        """What turns coefficients of `x` into the printed ones: of covariates as given, levels against the first."""
        return np.asarray(self.design.back @ self.coding.to_treatment, dtype=np.float64)

    @property
    def given(self) -> FloatArray:
        """The columns of the printed coefficients: covariates as they are given, levels against the first."""
        return np.asarray(self.x @ np.linalg.inv(self.back))

    def matrix(self, values: dict[str, Any]) -> FloatArray:
        """Return the columns of other values of the predictors."""
        return self.coding.matrix(values) if self.coding.terms else np.ones((len(self.y), 1))


def read_rows(
    data: Any,
    formula: str,
    terms: Sequence[RandomTerm],
    family: Family,
    event: object = None,
    reference: Reference = None,
) -> ResponseRows:
    """Read the complete rows of a frame of any engine, and refuse what no fit of any answers can give.

    Raises
    ------
    DesignError
        If a column is not there, the outcome is not of this family, or a cluster's column has fewer than 3 levels.
    NotEstimable
        If no cluster has two rows.
    """
    parsed_formula = Formula.parse(formula)
    clusters = list(dict.fromkeys(name for term in terms for name in term.clusters))
    _check_terms(parsed_formula, terms, clusters)
    names = [*parsed_formula.columns, *clusters]
    check_columns(data, names, "the formula and its random effects")
    frame = as_pandas(data, names)
    design = read_design(frame, parsed_formula, reference=reference, required=clusters)
    # Covariates are centred and keep their units here; they are scaled where they are fitted.
    units = replace(design.units, unit=dict.fromkeys(design.units.unit, 1.0))
    design = replace(design, units=units, measured=units.measured(design.given))
    event_name = ""
    if family == "binomial":
        y, event_name = events(design.outcome, event)
    elif event is not None:
        raise DesignError(f"event is {shown(event)}, which is for yes or no; family={family!r} has counts")
    else:
        y = numbers(design.outcome, parsed_formula.outcome)
    x = design.coding.matrix(design.measured) if design.given else np.ones((len(y), 1))
    parts = tuple(_read_part(term, frame.loc[design.whole, clusters], design.coding) for term in terms)
    rows = ResponseRows(design, x, y, parts, tuple(terms), event_name)
    _check_clusters(rows, family)
    return rows


def no_finite_spread(rows: ResponseRows, place: int = 0) -> NotEstimable:
    """Return the error of a spread that grows without end."""
    random_part = rows.parts[place]
    n_alike, levels = _count_alike(rows.y, random_part.codes)
    return NotEstimable(
        f"people's spread has no finite value: {n_alike} of {levels} gave one answer throughout "
        f"({random_part.name!r}); more decisions of each are needed, or gee, which does without a spread"
    )


def _check_terms(formula: Formula, terms: Sequence[RandomTerm], clusters: Sequence[str]) -> None:
    if len(set(terms)) < len(terms):
        raise DesignError("the random effects have a term twice")
    for name in clusters:
        if name in formula.columns:
            raise DesignError(f"{name!r} is a cluster of random effects and in the formula too; give it one part")
    for term in terms:
        if not term.intercept:
            raise DesignError(f"the random slopes of {term.name!r} have no intercept; leave 0 out")
        for effect in term.slopes:
            if effect not in formula.terms:
                name = ":".join(effect)
                raise DesignError(f"the random slope of {name!r} needs {name!r} among the predictors; add it")


def _read_part(term: RandomTerm, complete_rows: pd.DataFrame, coding: Coding) -> RandomPart:
    codes, labels = np.zeros(len(complete_rows), dtype=np.intp), [""]
    # Nested clusters are the combinations of their levels that occur.
    for name in term.clusters:
        own_codes, levels, _ = level_codes(complete_rows[name])
        combined = codes * len(levels) + np.asarray(own_codes, dtype=np.intp)
        distinct, codes = np.unique(combined, return_inverse=True)
        own_labels = list(map(str, levels))
        pairs = zip(*(part.tolist() for part in np.divmod(distinct, len(levels))), strict=True)
        labels = [":".join(filter(None, (labels[a], own_labels[b]))) for a, b in pairs]
    slopes = [
        column
        for effect in term.slopes
        for column, column_parts in enumerate(coding.parts)
        if tuple(name for name, _ in column_parts) == effect
    ]
    effects = ("Intercept", *(coding.labels[column] for column in slopes))
    return RandomPart(term.name, effects, tuple(slopes), codes, tuple(labels))


def _check_clusters(rows: ResponseRows, family: Family) -> None:
    for random_part in rows.parts:
        if len(random_part.levels) < FEWEST_LEVELS:
            raise DesignError(
                f"the random effect of {random_part.name!r} rests on {len(random_part.levels)} "
                f"level{'s' if len(random_part.levels) > 1 else ''}; at least {FEWEST_LEVELS} are needed"
            )
    singletons = [random_part for random_part in rows.parts if len(random_part.levels) == len(rows.y)]
    if singletons and (family == "binomial" or len(rows.parts) == 1):
        alternative = "logistic" if family == "binomial" else "negative_binomial"
        raise NotEstimable(f"no {singletons[0].name!r} has two rows; use {alternative}")


def check_answers(rows: ResponseRows, family: Family) -> None:
    """Raise NotEstimable where the answers are alike or separated, or DesignError where they are not of this family."""
    y, name = rows.y, rows.coding.outcome
    if family == "binomial":
        if (y == y[0]).all():
            raise NotEstimable(f"every {name!r} of the complete rows is alike; nothing can be explained")
        check_separation(2 * y - 1, rows.x, rows.coding.labels, name)
        # Where no level has both answers, the spread of levels has no finite estimate.
        for index, random_part in enumerate(rows.parts):
            if _count_alike(y, random_part.codes)[0] == len(random_part.levels):
                raise no_finite_spread(rows, index)
        return
    is_no_count = (y < 0) | (np.trunc(y) != y)
    if is_no_count.any():
        raise DesignError(f"the outcome {name!r} holds {y[is_no_count][0]:g}; counts are 0, 1, …")
    if not y.any():
        raise NotEstimable(f"every {name!r} is 0; nothing can be explained")
    if (y == 0).any() and rows.x.shape[1] > 1:
        check_separation(np.where(y > 0, 0.0, -1.0), rows.x, rows.coding.labels, name, zero=True)


def _count_alike(y: FloatArray, codes: npt.NDArray[np.intp]) -> tuple[int, int]:
    """Return how many clusters gave one answer throughout, and how many there are."""
    size, yes = np.bincount(codes), np.bincount(codes, weights=y)
    return int(((yes == 0) | (yes == size)).sum()), len(size)


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
    # The engine gets columns of one scale, and its estimates are turned back.
    columns, to_original = _scale(x)
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
    # Random effects turn back as the columns do that they belong to; the engine orders the terms by its own rule.
    to_original_effects = [_effects_back(to_original, random_part.slopes) for random_part in parts]
    positions = np.argsort(order)
    random = _covariances(engine_fit, to_original_effects, positions)
    blocks = [engine_fit.ranef_blocks[position] for position in positions]
    modes = [
        np.asarray(block["values"]) @ to_original_effect.T
        for to_original_effect, block in zip(to_original_effects, blocks, strict=True)
    ]
    covariance = np.asarray(engine_fit.vcov, dtype=np.float64)
    return EngineFit(
        beta=np.asarray(to_original @ engine_fit.beta, dtype=np.float64),
        covariance=np.asarray(to_original @ covariance @ to_original.T, dtype=np.float64),
        random=tuple(np.asarray(covariance_matrix, dtype=np.float64) for covariance_matrix in random),
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
    columns, to_original = _scale(x)
    data, terms, order = _lay_out(columns, y, parts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        engine_fit = engine.fit(data, f"y ~ 0 + {' + '.join(terms)}", "gaussian", reml=reml, satterthwaite=False,
                           anova_test="Wald")  # fmt: skip
    sigma2 = float(engine_fit.dispersion)
    if not (engine_fit.converged and np.isfinite(sigma2) and sigma2 > 0):
        raise NotEstimable("the engine's search did not end")
    return _covariances(
        engine_fit, [_effects_back(to_original, random_part.slopes) for random_part in parts], np.argsort(order)
    ), sigma2


def _lay_out(
    columns: FloatArray, y: FloatArray, parts: Sequence[RandomPart]
) -> tuple[dict[str, Any], list[str], list[int]]:
    """Return the data and terms of the engine's call, and the order of the random terms in it."""
    data: dict[str, Any] = {"y": y} | {f"c{index}": columns[:, index] for index in range(columns.shape[1])}
    terms = [f"c{index}" for index in range(columns.shape[1])]
    # The engine eliminates the first term: with few levels first a nested model takes it fifty times as long.
    order = sorted(range(len(parts)), key=lambda index: -len(parts[index].levels))
    for number, random_part in enumerate(parts[index] for index in order):
        width = len(str(len(random_part.levels)))
        labels = [f"{level:0{width}d}" for level in range(len(random_part.levels))]
        data[f"k{number}"] = pd.Categorical.from_codes(random_part.codes, pd.Index(labels, dtype=object))
        terms.append(f"({' + '.join(['1', *(f'c{index}' for index in random_part.slopes)])} | k{number})")
    return data, terms, order


def _covariances(
    engine_fit: Any, to_originals: Sequence[FloatArray], positions: npt.NDArray[np.intp]
) -> list[FloatArray]:
    packed = [engine_fit.varcorr[position] for position in positions]
    return [
        np.asarray(to_original @ _matrix(triangle) @ to_original.T)
        for to_original, triangle in zip(to_originals, packed, strict=True)
    ]


def _read_engine(family: Family | Literal["gaussian"]) -> Any:
    if not has_engine():
        raise NotEstimable(f"mixed with family={family!r} {MISSING_ENGINE}")
    import glmm

    return glmm


def _scale(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return centred columns of mean square 1, and the matrix that turns their coefficients into those of X.

    Without an intercept among the columns (its value is in the offset) they are scaled but not centred.
    """
    has_intercept = bool((x[:, 0] == x[0, 0]).all()) and x[0, 0] != 0
    centre = np.zeros(x.shape[1])
    if has_intercept:
        centre[1:] = x[:, 1:].mean(axis=0) / x[0, 0]
    columns = np.asfortranarray(x - centre * x[:, :1])
    size = np.sqrt(np.einsum("na,na->a", columns, columns) / len(columns))
    columns /= size
    to_original = np.diag(1 / size)
    if has_intercept:
        to_original[0, 1:] -= centre[1:] / size[1:]
    return columns, to_original


def _effects_back(to_original: FloatArray, slopes: tuple[int, ...]) -> FloatArray:
    """Return the matrix that turns random effects of the scaled columns into those of X."""
    if not slopes:
        return np.eye(1)
    columns = [0, *slopes]
    return np.asarray(to_original[np.ix_(columns, columns)], dtype=np.float64)


def _matrix(packed: Any) -> FloatArray:
    """Return the covariance matrix of its lower triangle, column by column."""
    size = (int(np.sqrt(1 + 8 * len(packed))) - 1) // 2
    matrix = np.zeros((size, size))
    columns, rows = np.triu_indices(size)
    matrix[rows, columns] = packed
    matrix[columns, rows] = packed
    return matrix
