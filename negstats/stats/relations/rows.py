"""Rows and formula of a regression: the outcome, the columns of its terms in two codings, and what separates them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.relations._data import as_frame
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.summaries.clusters import CodedRows
from negstats.stats.summaries.codes import IntArray, recoded
from negstats.stats.summaries.coding import Coding
from negstats.stats.summaries.formulas import Formula
from negstats.stats.summaries.frames import coded_factor, level_codes, numbers
from negstats.stats.summaries.scaling import Units

Values = Mapping[str, npt.NDArray[Any]]

# A column of which less than this share of its length is left, given those before it, follows from them: what is fitted
# to the rest has no more than half of the digits.
DEPENDENT = float(np.sqrt(np.finfo(np.float64).eps))
# After so many of Newton's steps without a proof that the data overlap, a linear programme decides.
MOST_STEPS = 15
# Of more rows a part of this size is tried first: data overlap where a part of them does.
PART = 2000


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Complete rows of a formula's variables.

    Attributes
    ----------
    outcome : pandas.Series
        The measured column.
    coding : Coding
        Terms and columns, factors coded to sum to zero.
    given : mapping
        Numbers of each covariate and codes of each factor.
    units : Units
        Where covariates are measured from in a fit, and in what unit.
    measured : mapping
        As `given`, in these units.
    clusters : ndarray of int
        Whose row it is, from 0; each row its own where no cluster was named.
    missing : int
        Rows left out because a variable was missing.
    exposure : ndarray
        For how long (or over how many) each row was counted; 1 where no column says it.
    """

    outcome: pd.Series
    coding: Coding
    given: Values
    units: Units
    measured: Values = field(repr=False)
    clusters: IntArray
    missing: int
    exposure: FloatArray = field(repr=False)

    @property
    def offset(self) -> FloatArray:
        """The logarithm of the exposure."""
        return np.log(self.exposure)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names; ``g[b]`` is level b against the first level."""
        return self.coding.labels

    def columns(self, values: Values | None = None) -> FloatArray:
        """Return the columns that are fitted, with each factor's first level as the one that others are compared with.

        Parameters
        ----------
        values
            In the place of `measured`, and like it in the units of the fit.
        """
        variables = self.measured if values is None else values
        return self.coding.treatment(variables) if variables else np.ones((len(self.outcome), 1))

    @property
    def back(self) -> FloatArray:
        """The matrix that takes coefficients of the columns that are fitted to those of the covariates as given."""
        return self.units.back(self.coding)

    def without(self, term: int) -> FloatArray:
        """Return the columns of the model that lacks one term (type III).

        Factors are coded to sum to zero and covariates measured from their means, so that what is tested of a term that
        others contain is its effect at the mean of the covariates, averaged over levels.
        """
        x = self.coding.matrix(self.measured)
        return np.asarray(np.delete(x, self.coding.columns_of(term), axis=1))

    def cell_sizes(self) -> FloatArray:
        """Return the rows of each combination of the factors' levels, flat, the last factor changing fastest."""
        shape = tuple(len(factor) for factor in self.coding.levels.values())
        if not shape:
            return np.array([float(len(self.outcome))])
        cell = np.ravel_multi_index([self.given[name] for name in self.coding.levels], shape)
        return np.bincount(cell, minlength=int(np.prod(shape))).astype(np.float64)

    def stands_alone(self, term: int) -> bool:
        """Return whether no other term contains this one, so that its coefficient is its effect everywhere."""
        own = set(self.coding.terms[term])
        return not any(own < set(other) for other in self.coding.terms)

    def place(self, term: str) -> int:
        """Return the place of a term, its variables in any order."""
        sorted_variables = sorted(term.split(":"))
        for place, variables in enumerate(self.coding.terms):
            if sorted(variables) == sorted_variables:
                return place
        raise DesignError(f"the model has no term {shown(term)}; {meant(term, self.coding.term_names, 'it has')}")


def model_of(data: Any, formula: str, cluster: str | None = None, exposure: str | None = None) -> Model:
    """Take the complete rows of a frame of any engine, or of arrays by name.

    Raises
    ------
    DesignError
        If the formula cannot be read, a column is not there, a factor has one level, or an exposure is not positive.
    NotEstimable
        If a column follows from others.
    """
    parsed_formula = Formula.parse(formula)
    names = list(parsed_formula.columns)
    extra = [name for name in dict.fromkeys((cluster, exposure)) if name is not None and name not in names]
    frame = as_frame(data, [*names, *extra], "formula, cluster and exposure")
    rows = CodedRows.of(frame, parsed_formula, (), extra, numeric_outcome=False)
    code = np.arange(len(rows.outcome))
    if cluster is not None:
        _, code = recoded(np.asarray(level_codes(frame.loc[rows.whole, cluster])[0], dtype=np.intp))
    exposures = np.ones(len(rows.outcome))
    if exposure is not None:
        exposures = numbers(frame.loc[rows.whole, exposure], exposure)
    if (exposures <= 0).any():
        raise DesignError(
            f"the exposure {exposure!r} holds {exposures[exposures <= 0][0]:g}; how long a count took is above 0"
        )
    values = {name: rows.columns[name] for name in rows.formula.variables}
    coding = Coding.of(rows.formula, rows.factors)
    units = Units.of(values, coding.covariates)
    measured = units.measured(values)
    model = Model(rows.outcome, coding, values, units, measured, code, rows.missing, exposures)
    _check_independent(model)
    return model


def _check_independent(model: Model) -> None:
    """Raise NotEstimable if a column follows from those before it, or could but for the rounding of its covariates."""
    x, names = model.columns(), model.names
    if len(x) <= x.shape[1]:
        raise NotEstimable(f"n is {len(x)}; a model with {x.shape[1]} coefficients needs more complete rows than that")
    size = np.linalg.norm(x, axis=0)
    residual_size = np.abs(np.diag(np.linalg.qr(x / np.where(size > 0, size, 1.0), mode="r")))
    units = model.units
    coarse = {name: ROUNDING * (1 + abs(units.origin[name]) / units.unit[name]) for name in units.origin}
    least = np.array([max(DEPENDENT, sum(coarse.get(name, 0.0) for name, _ in parts)) for parts in model.coding.parts])
    if (size == 0).any() or (residual_size < least).any():
        place = int(np.argmin(np.where(size > 0, residual_size / least, 0.0)))
        raise NotEstimable(
            f"the column {names[place]!r} follows from {', '.join(map(repr, names[:place]))}: leave it out, or merge "
            "levels whose combinations are empty"
        )


def events(outcome: pd.Series, event: object) -> tuple[FloatArray, str]:
    """Return 1 where the outcome is the event, else 0, and the event's name.

    Of truth values and of 0 and 1 the event is true and 1; of two words the second, unless `event` names one.
    """
    codes, levels, _ = level_codes(outcome)
    names = [str(level) for level in levels]
    if len(names) > 2:
        raise DesignError(
            f"the outcome {outcome.name!r} has {len(names)} values ({', '.join(names[:6])}); yes or no has two"
        )
    if event is not None and str(event) not in names:
        raise DesignError(f"event is {shown(event)}; {outcome.name!r} has {', '.join(map(repr, names))}")
    if len(names) < 2:
        raise NotEstimable(f"every {outcome.name!r} is {names[0]!r}; nothing can be explained")
    event_code = 1 if event is None else names.index(str(event))
    return np.asarray(codes == event_code, dtype=np.float64), names[event_code]


def ordered_codes(outcome: pd.Series) -> tuple[IntArray, tuple[str, ...]]:
    """Return the place of each answer and the answers in order; DesignError for text without an order."""
    codes, levels, is_ordered = level_codes(outcome)
    if not is_ordered and len(levels) > 2:
        raise DesignError(
            f"the answers of {outcome.name!r} are text without an order; give numbers, or an ordered column "
            "(pandas.Categorical(..., ordered=True))"
        )
    if len(levels) < 2:
        raise NotEstimable(f"every {outcome.name!r} is {str(levels[0])!r}; nothing can be explained")
    factor, answer_codes = coded_factor(str(outcome.name), np.asarray(codes, dtype=np.intp), levels, is_ordered)
    return np.asarray(answer_codes, dtype=np.intp), factor.levels


def check_separation(
    sides: FloatArray, x: FloatArray, names: Sequence[str], outcome: str, *, zero: bool = False
) -> None:
    """Raise NotEstimable, naming the columns, if a weighted sum of columns tells the outcome without a fault.

    Then some coefficients have no finite estimate, and programs print 20 or 1e15 with an error of as much.

    Parameters
    ----------
    sides : ndarray, shape (n,)
        1 where the sum should be at least 0, −1 where at most; with `zero`, 0 where it must be 0 (a count above 0).

    Notes
    -----
    Konis (2007), Linear programming algorithms for detecting separated data, ch. 4: the largest Σ s_i x_i'δ with every
    part at least 0 and δ within ±1 is 0 exactly if the data overlap.
    """
    if not zero:
        step = len(x) // PART | 1
        if step > 1 and is_overlapping(_scale_columns(x[::step]) * sides[::step, None]):
            return
    scaled_columns = _scale_columns(x)
    signed_rows = scaled_columns * sides[:, None]
    if not zero and is_overlapping(signed_rows):
        return
    weights = _find_separating(sides, scaled_columns, signed_rows, zero=zero)
    if weights is None:
        return
    columns = [place for place, weight in enumerate(weights) if abs(weight) > 1e-7 or names[place] == "Intercept"]
    for place in [place for place in columns if names[place] != "Intercept"]:
        # Where some columns tell every answer, others that tell nothing have a weight too.
        fewer = [other for other in columns if other != place]
        if fewer and _find_separating(sides, scaled_columns[:, fewer], signed_rows[:, fewer], zero=zero) is not None:
            columns = fewer
    guilty = [names[place] for place in columns if names[place] != "Intercept"]
    guilty_text = ", ".join(map(repr, guilty[:6])) or "the intercept"
    verb, pronoun = ("separate", "them") if len(guilty) > 1 else ("separates", "it")
    raise NotEstimable(
        f"{guilty_text} {verb} {outcome!r}: from {pronoun} the outcome is known without a fault in some rows, and a "
        f"coefficient has no finite value; leave {pronoun} out, merge levels, or compare shares (fisher)"
    )


def _find_separating(
    sides: FloatArray, columns: FloatArray, signed_rows: FloatArray, *, zero: bool
) -> FloatArray | None:
    """Return the weights of a sum of columns that tells the outcome without a fault; None if there is none."""
    from scipy.optimize import linprog

    fixed = columns[sides == 0] if zero else None
    free = signed_rows[sides != 0]
    solution = linprog(
        -free.sum(axis=0),
        A_ub=-free,
        b_ub=np.zeros(len(free)),
        A_eq=fixed,
        b_eq=None if fixed is None else np.zeros(len(fixed)),
        bounds=(-1, 1),
        method="highs",
    )
    separates = solution.status == 0 and solution.x is not None and float((free @ solution.x).sum()) > 1e-6
    return np.asarray(solution.x, dtype=np.float64) if separates else None


def _scale_columns(x: FloatArray) -> FloatArray:
    """Return columns whose largest number is 1; a column of zeros as it is."""
    size = np.abs(x).max(axis=0)
    return np.asarray(x / np.where(size > 0, size, 1.0))


def is_overlapping(signed_rows: FloatArray) -> bool:
    """Whether Newton's steps prove that Σ ln(1 + exp(−m_i'd)) has a minimum, as it has only if the data overlap.

    Where the step is short against the curvature there is one (Bach, 2010, Electronic Journal of Statistics 4, prop. 2:
    a Newton decrement of at most √λ/(2R), with λ the least eigenvalue of the Hessian and R the longest row).
    """
    point, longest = np.zeros(signed_rows.shape[1]), float(np.sqrt((signed_rows**2).sum(axis=1).max()))
    for _ in range(MOST_STEPS):
        misfit = special.expit(-(signed_rows @ point))
        slope = -signed_rows.T @ misfit
        curve = (signed_rows * (misfit * (1 - misfit))[:, None]).T @ signed_rows
        values, vectors = np.linalg.eigh(curve)
        if not values[0] > 1e-12 * values[-1]:
            return False
        step = vectors @ ((vectors.T @ slope) / values)
        if slope @ step <= values[0] / (4 * longest) ** 2:  # half of what is allowed
            return True
        point -= step
    return False
