"""The design of a model: the complete rows of its formula, the columns of its terms in two codings, and new rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, NotEstimable, meant, shown
from negstats.stats.results.numbers import ROUNDING, FloatArray
from negstats.stats.results.options import check_number, find_name
from negstats.stats.summaries.clusters import CodedRows
from negstats.stats.summaries.coding import Coding, Units
from negstats.stats.summaries.coerce import as_frame
from negstats.stats.summaries.formulas import Formula, Reference
from negstats.stats.summaries.frames import Factor, IntArray, coded_factor, level_codes, level_places, numbers

Values = Mapping[str, npt.NDArray[Any]]

# A column of which less than this share of its length is left, given those before it, follows from them: what is fitted
# to the rest has no more than half of the digits.
DEPENDENT = float(np.sqrt(np.finfo(np.float64).eps))


@dataclass(frozen=True, slots=True, eq=False)
class ModelDesign:
    """Complete rows of a formula's variables, and the columns that they become.

    Attributes
    ----------
    outcome : pandas.Series
        The measured column, with the index of the frame.
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
    whole : ndarray of bool
        Which rows of the frame are complete.
    exposure_column : str or None
        The column that says it.
    """

    outcome: pd.Series
    coding: Coding
    given: Values
    units: Units
    measured: Values = field(repr=False)
    clusters: IntArray
    missing: int
    exposure: FloatArray = field(repr=False)
    whole: npt.NDArray[np.bool_] = field(repr=False)
    exposure_column: str | None = None

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

    def new_rows(self, frame: Any) -> tuple[FloatArray, FloatArray, pd.Index, npt.NDArray[np.bool_]]:
        """Return the columns and the offset of a frame's complete rows, the frame's index, and which are complete.

        Raises
        ------
        DesignError
            If a column is not there, or a factor has a level that the model was not fitted to.
        """
        names = self.coding.sources() + ([] if self.exposure_column is None else [self.exposure_column])
        rows = as_frame(frame, names, "the model's formula")
        is_complete = rows.notna().all(axis=1).to_numpy()
        table = self.coding.evaluated(rows[is_complete])
        levels = self.coding.levels
        values = {
            name: level_places(table[name], levels[name]) if name in levels else numbers(table[name], name)
            for name in self.coding.variables
        }
        x = self.columns(self.units.measured(values)) if values else np.ones((len(table), 1))
        exposure = 1.0 if self.exposure_column is None else numbers(table[self.exposure_column], self.exposure_column)
        return x, np.log(exposure) * np.ones(len(table)), rows.index, is_complete

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

    def term_rows(self, term: int) -> FloatArray:
        """Return the rows whose sums of the coefficients of the fit are 0 where a term has no effect (type III).

        They are the term's coefficients coded to sum to zero: its effect at the mean of the covariates, averaged over
        the levels of other factors.
        """
        to_fitted = np.asarray(np.linalg.inv(self.coding.to_treatment), dtype=np.float64)
        return to_fitted[self.coding.columns_of(term)]

    def effect_row(self, term: int) -> FloatArray:
        """Return the row whose sum is the one number of a term of one column, as its coefficient outside interactions.

        A slope for one unit, the second level less the first, or a difference of such differences.

        Raises
        ------
        DesignError
            If the term has several columns.
        """
        (*other_columns, column) = self.coding.columns_of(term)
        if other_columns:
            name = self.coding.term_names[term]
            raise DesignError(
                f"the term {name!r} has {len(other_columns) + 1} coefficients; test() tests them together"
            )
        # Of two levels that sum to zero the first lies half of their difference from the mean.
        scale = [-2.0 if name in self.coding.levels else 1 / self.units.unit[name] for name, _ in
                 self.coding.parts[column]]  # fmt: skip
        return np.asarray(np.prod(scale) * self.term_rows(term)[0])

    def cells(self, at: Mapping[str, float] | None = None) -> tuple[tuple[Factor, ...], FloatArray, str]:
        """Return the factors, the columns of each combination of their levels, and where covariates stand.

        Parameters
        ----------
        at
            Values of covariates; those not named stand at their means.
        """
        factors, codes = self.coding.cells()
        # Covariates stand at their means unless `at` gives another value.
        covariate_values = {name: self.units.origin[name] for name in self.coding.covariates}
        for name, value in ({} if at is None else at).items():
            find_name(name, list(covariate_values), "the model has no covariate", "it has")
            covariate_values[name] = check_number(f"at[{name!r}]", value)
        given_names = set() if at is None else set(at)
        measured = self.units.measured({name: np.array([value]) for name, value in covariate_values.items()})
        values: dict[str, Any] = {factor.name: code for factor, code in zip(factors, codes, strict=True)}
        for name, value in measured.items():  # what is not given stands at the mean itself, which is measured as 0
            values[name] = np.full(codes.shape[1], value[0] if name in given_names else 0.0)
        text = ", ".join(f"{name} = {value:.6g}" for name, value in covariate_values.items())
        return factors, self.coding.treatment(values) if values else np.ones((1, 1)), text

    def cell_sizes(self) -> FloatArray:
        """Return the rows of each combination of the factors' levels, flat, the last factor changing fastest.

        A summary does not keep them; then they are missing.
        """
        shape = tuple(len(factor) for factor in self.coding.levels.values())
        if not len(self.whole):
            return np.full(int(np.prod(shape, dtype=np.intp)), np.nan)
        if not shape:
            return np.array([float(len(self.outcome))])
        cell = np.ravel_multi_index([self.given[name] for name in self.coding.levels], shape)
        return np.bincount(cell, minlength=int(np.prod(shape))).astype(np.float64)

    def stands_alone(self, term: int) -> bool:
        """Return whether no other term contains this one, so that its coefficient is its effect everywhere."""
        variables = set(self.coding.terms[term])
        return not any(variables < set(other_variables) for other_variables in self.coding.terms)

    def place(self, term: str) -> int:
        """Return the place of a term, its variables in any order."""
        sorted_variables = sorted(str(term).split(":"))
        for index, variables in enumerate(self.coding.terms):
            if sorted(variables) == sorted_variables:
                return index
        raise DesignError(f"the model has no term {shown(term)}; {meant(term, self.coding.term_names, 'it has')}")


def read_design(
    data: Any,
    formula: str | Formula,
    cluster: str | None = None,
    exposure: str | None = None,
    reference: Reference = None,
    required: Sequence[str] = (),
) -> ModelDesign:
    """Take the complete rows of a frame of any engine, or of arrays by name.

    Raises
    ------
    DesignError
        If the formula cannot be read, a column is not there, a factor has one level, or an exposure is not positive.
    NotEstimable
        If a column follows from others.
    """
    parsed_formula = (formula if isinstance(formula, Formula) else Formula.parse(formula)).compared_with(reference)
    names = list(parsed_formula.columns)
    extra = [name for name in dict.fromkeys((cluster, exposure, *required)) if name is not None and name not in names]
    frame = as_frame(data, [*names, *extra], "formula, cluster and exposure")
    # One set of complete rows for the formula and all columns beside it.
    rows = CodedRows.of(frame, parsed_formula, (), extra, numeric_outcome=False)
    code = np.arange(len(rows.outcome))
    if cluster is not None:
        code = np.unique(level_codes(frame.loc[rows.whole, cluster])[0], return_inverse=True)[1]
    exposures = np.ones(len(rows.outcome))
    if exposure is not None:
        exposures = numbers(frame.loc[rows.whole, exposure], exposure)
    if (exposures <= 0).any():
        raise DesignError(
            f"the exposure {exposure!r} holds {exposures[exposures <= 0][0]:g}; how long a count took is above 0"
        )
    values = {name: rows.columns[name] for name in rows.formula.variables}
    coding = Coding.of(rows.formula, rows.factors)
    # Covariates are fitted about their means, in units of about their SD, so that their scale costs no digits.
    units = Units.of(values, coding.covariates)
    measured = units.measured(values)
    design = ModelDesign(
        rows.outcome, coding, values, units, measured, code, rows.missing, exposures, rows.whole, exposure
    )
    _check_independent(design)
    return design


def design_of_summary(coding: Coding, means: Mapping[str, float], missing: int) -> ModelDesign:
    """Return the design of a summary, which keeps no rows: covariates measured from their means in their own units."""
    nothing = np.empty(0)
    units = Units(means, dict.fromkeys(means, 1.0))
    return ModelDesign(
        pd.Series(nothing, name=coding.outcome), coding, dict.fromkeys(coding.variables, nothing), units,
        dict.fromkeys(coding.variables, nothing), np.empty(0, dtype=np.intp), missing, nothing,
        np.empty(0, dtype=bool),
    )  # fmt: skip


def _check_independent(model: ModelDesign) -> None:
    """Raise NotEstimable if a column follows from those before it, or could but for the rounding of its covariates."""
    x, names = model.columns(), model.names
    if len(x) <= x.shape[1]:
        raise NotEstimable(f"n is {len(x)}; a model with {x.shape[1]} coefficients needs more complete rows than that")
    # What is left of each column of length one after those before it.
    size = np.linalg.norm(x, axis=0)
    residual_size = np.abs(np.diag(np.linalg.qr(x / np.where(size > 0, size, 1.0), mode="r")))
    units = model.units
    # A covariate far from 0 has lost digits: what is left must exceed that loss.
    rounding = {name: ROUNDING * (1 + abs(units.origin[name]) / units.unit[name]) for name in units.origin}
    least_size = np.array(
        [
            max(DEPENDENT, sum(rounding.get(name, 0.0) for name, _ in column_parts))
            for column_parts in model.coding.parts
        ]
    )
    if (size == 0).any() or (residual_size < least_size).any():
        column = int(np.argmin(np.where(size > 0, residual_size / least_size, 0.0)))
        raise NotEstimable(
            f"the column {names[column]!r} follows from {', '.join(map(repr, names[:column]))}: leave it out, or merge "
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
            f"the answers of {outcome.name!r} are text without an order",
            advice="give numbers, or an ordered column (pandas.Categorical(..., ordered=True))",
        )
    if len(levels) < 2:
        raise NotEstimable(f"every {outcome.name!r} is {str(levels[0])!r}; nothing can be explained")
    factor, answer_codes = coded_factor(str(outcome.name), np.asarray(codes, dtype=np.intp), levels, is_ordered)
    return np.asarray(answer_codes, dtype=np.intp), factor.levels
