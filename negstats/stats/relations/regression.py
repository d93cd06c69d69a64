"""Linear regression from `Moments`, or from rows with a formula: coefficients, R², nested models, robust errors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype
from scipy import special

from negstats.errors import DesignError, NotEstimable, one_line, shown
from negstats.stats.means.ftest import FTest
from negstats.stats.relations._data import as_frame, moments_of, standardized
from negstats.stats.relations.robust import Sandwich, clustered, hc3
from negstats.stats.results.apa import bounded, number, statistic, with_interval
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_choice, check_single, count, find_coefficient, t_interval
from negstats.stats.results.result import Interval, Result, check_level
from negstats.stats.summaries import Moments
from negstats.stats.summaries.codes import IntArray
from negstats.stats.summaries.formulas import FUNCTION_VALUES, needed_columns, parse_formula
from negstats.stats.summaries.frames import is_lazy, level_codes

Errors = Literal["ordinary", "HC3", "CR0", "CR1", "CR1S", "CR2"]
ERRORS = ("ordinary", "HC3", "CR0", "CR1", "CR1S", "CR2")
INTERCEPT = "Intercept"
SINGLE = "no standard error, since it rests on a single cluster"
# A predictor of which less than this share of its variance is left, given those before it, follows from them.
DEPENDENT = 1e-12


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Regression(Result):
    """A fitted linear model. Arrays have the shape ``(*studies, coefficients)``, the intercept first.

    Attributes
    ----------
    outcome : str
    terms : tuple of str
        Names of the coefficients; "Intercept" first.
    estimate, se, statistic, df, p : ndarray
        Coefficients, standard errors, t, degrees of freedom and two-sided p; with clusters all but the first are NaN
        for a coefficient that rests on a single cluster.
    beta : ndarray, shape (*studies, coefficients)
        Standardized coefficients b_j s_j / s_y; NaN for the intercept.
    vif : ndarray, shape (*studies, coefficients)
        Variance inflation factors; NaN for the intercept.
    covariance : ndarray, shape (*studies, coefficients, coefficients)
        Of the estimates.
    r_squared, adjusted_r_squared, sigma : float
        Shares of variance explained, and the residual standard deviation.
    rss, df_residual : float
        Residual sum of squares, and n less the coefficients.
    n : int
        Complete rows.
    errors : str
        "ordinary", "HC3", "CR0", "CR1", "CR1S" or "CR2".
    clusters : int
        How many; 0 without any.
    missing : int
        Rows left out because a variable was missing.
    """

    outcome: str
    terms: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    df: FloatArray
    p: FloatArray
    beta: FloatArray
    vif: FloatArray
    covariance: FloatArray
    r_squared: Number
    adjusted_r_squared: Number
    sigma: Number
    rss: Number
    df_residual: Number
    n: Number
    errors: Errors
    clusters: int
    missing: int
    sandwich: Sandwich | None = field(repr=False, compare=False)
    shift: FloatArray = field(repr=False, compare=False)  # from coefficients of centred columns to those reported
    at_means: FloatArray = field(repr=False, compare=False)  # coefficients of centred columns
    centred: FloatArray = field(repr=False, compare=False)  # their covariance

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the t interval of each coefficient.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its ends are arrays with one entry a coefficient, in units of the outcome per unit of the predictor.
        """
        low, high = t_interval(self.estimate, self.se, self.df, check_level(confidence_level), "two-sided")
        return Interval(plain(low), plain(high), confidence_level, "t")

    def contrast(self, weights: dict[str, float]) -> tuple[Number, Number, Number]:
        """Return a weighted sum of coefficients, its standard error and its degrees of freedom.

        Parameters
        ----------
        weights
            The weight of each coefficient by its name; those not named have weight 0.

        Returns
        -------
        tuple of float or ndarray
            The three numbers, each an array with one entry a study for a stack.
        """
        row = np.zeros(len(self.terms))
        for name, weight in weights.items():
            row[find_coefficient(name, self.terms)] = weight
        estimate = self.estimate @ row
        if self.sandwich is not None:
            self.sandwich.check(row @ self.shift, "the contrast")
        se = np.sqrt(np.einsum("...ij,i,j->...", self.covariance, row, row))
        free = self.df_residual if self.sandwich is None else self.sandwich.df(self.shift.T @ row)
        return plain(estimate), plain(se), free

    def test(self, terms: Sequence[str] | None = None) -> FTest:
        """Test that several coefficients are 0 together; by default all but the intercept.

        Ordinary errors give the F of nested models, HC3 Wald's F; CR2 the approximate Hotelling test (HTZ), as in R's
        clubSandwich.

        Parameters
        ----------
        terms
            Names of the coefficients that are 0 together.

        Returns
        -------
        FTest
            F with its degrees of freedom and p.

        Raises
        ------
        DesignError
            If a coefficient is unknown, or the errors are CR0, CR1 or CR1S, whose joint test is too bold.
        """
        names = list(self.terms[1:] if terms is None else [terms] if isinstance(terms, str) else terms)
        if not names:
            raise DesignError("terms is empty; name coefficients to test")
        rows = np.zeros((len(names), len(self.terms)))
        for row, name in zip(rows, names, strict=True):
            row[find_coefficient(name, self.terms)] = 1.0
        # Of products far from zero the reported coefficients are far apart in size: the same hypothesis is asked of
        # those of centred columns, in an orthonormal form that begins with the products, which nothing moves.
        hypothesis_rows = np.swapaxes(np.linalg.qr(np.swapaxes(rows[::-1] @ self.shift, -1, -2))[0], -1, -2)
        b = (hypothesis_rows @ self.at_means[..., None])[..., 0]
        if self.sandwich is not None:
            if self.errors != "CR2":
                raise DesignError(f"a joint test with errors={self.errors!r} is too bold; fit with errors='CR2'")
            self.sandwich.check(hypothesis_rows, f"the test of {', '.join(names)}")
            f, df1, df2 = self.sandwich.hotelling(hypothesis_rows, b)
            return FTest(", ".join(names), f, df1, df2, float(special.fdtrc(df1, df2, f)), np.nan, np.nan)
        spread = hypothesis_rows @ self.centred @ np.swapaxes(hypothesis_rows, -1, -2)
        q, free = float(len(names)), np.asarray(self.df_residual)
        f_array = (b * np.linalg.solve(spread, b[..., None])[..., 0]).sum(axis=-1) / q
        rss = np.asarray(self.rss)
        ss = f_array * q * rss / free if self.errors == "ordinary" else np.full_like(f_array, np.nan)
        p = special.fdtrc(q, free, f_array)
        return FTest(", ".join(names), plain(f_array), q, plain(free), plain(p), plain(ss), plain(rss))

    def compare(self, smaller: Regression) -> FTest:
        """Test what this model adds to one nested in it; ΔR² is the difference of their `r_squared`.

        Parameters
        ----------
        smaller
            A regression of the same rows whose terms are among the terms of this one.

        Returns
        -------
        FTest
            F of the terms that only this model has, with its degrees of freedom and p.

        Raises
        ------
        DesignError
            If the other model is not nested in this one, or the two have different rows or outcomes.
        """
        if not set(smaller.terms) < set(self.terms):
            raise DesignError(f"the smaller model ({', '.join(smaller.terms)}) is not nested in this one")
        if smaller.outcome != self.outcome or not np.array_equal(smaller.n, self.n):
            raise DesignError(
                f"the models differ in outcome or rows ({smaller.outcome}, n = {smaller.n}; {self.outcome}, "
                f"n = {self.n}); fit both to the same complete rows"
            )
        return self.test([name for name in self.terms if name not in smaller.terms])

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a coefficient (of a stack, one a study and coefficient).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        DataFrame
            The term, its estimate with standard error, interval and test, the standardized estimate (``beta``) and
            the variance inflation (``vif``).
        """
        ends = self.confidence_interval(confidence_level)
        columns = {"estimate": self.estimate, "se": self.se, "low": ends.low, "high": ends.high}
        columns |= {"statistic": self.statistic, "df": self.df, "p": self.p, "beta": self.beta, "vif": self.vif}
        studies = int(np.prod(self.estimate.shape[:-1], dtype=np.intp))
        frame = pd.DataFrame({"term": list(self.terms) * studies} | {k: np.ravel(v) for k, v in columns.items()})
        frame = frame.assign(errors=self.errors)
        if self.estimate.ndim > 1:
            frame.insert(0, "study", np.repeat(np.arange(studies), len(self.terms)))
        frame.attrs["schema"] = "Regression/1"
        return frame

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return R² and each coefficient with its interval and t; says where few clusters carry a coefficient.

        Parameters
        ----------
        confidence_level
            Level of the intervals of the coefficients, between 0 and 1.

        Returns
        -------
        str
            R² and the coefficients, with semicolons between.
        """
        check_single(self.r_squared, "apa()")
        ends = self.confidence_interval(confidence_level)
        lows, highs = np.asarray(ends.low), np.asarray(ends.high)
        parts = [f"R² = {bounded(self.r_squared)}"]
        for i, name in enumerate(self.terms):
            if name == INTERCEPT:
                continue
            if np.isnan(self.se[i]):
                parts.append(f"{name}: b = {number(self.estimate[i])}, {SINGLE}")
                continue
            few_note = ", few clusters carry this effect" if self.clusters and self.df[i] < 4 else ""
            parts.append(
                f"{name}: b = {with_interval(self.estimate[i], lows[i], highs[i], confidence_level)}, "
                f"{statistic('t', self.statistic[i], (self.df[i],), self.p[i])}{few_note}"
            )
        return "; ".join(parts)


def regression(
    data: Any,
    formula: str | None = None,
    *,
    outcome: str | None = None,
    predictors: Sequence[str] = (),
    errors: Errors = "ordinary",
    cluster: str | None = None,
) -> Regression:
    """Fit a linear regression by least squares.

    Parameters
    ----------
    data
        A frame of any engine or arrays by name; or `Moments` (of one study or a stack), with `outcome` and
        `predictors`, which give everything but robust errors.
    formula
        Such as "points ~ reward * ask" (formulaic's syntax; text becomes treatment-coded levels).
    outcome, predictors
        Instead of a formula, numeric columns or variables.
    errors
        "ordinary"; "HC3" (variances may differ between rows); "CR2" (rows of a cluster depend on each other; right with
        few clusters too), "CR0", "CR1", "CR1S". All clustered ones take Satterthwaite's degrees of freedom.
    cluster
        The column that says whose row it is, such as the game or the dyad.

    Returns
    -------
    Regression
        One coefficient a row with standard error, t, p, beta and variance inflation, and R² of the model.

    Raises
    ------
    DesignError
        If a column is not there, the formula cannot be read or has no intercept, or the errors do not go with the data.
    NotEstimable
        If there are too few rows or clusters, a predictor follows from others, the outcome is constant, or every
        coefficient rests on a single cluster (a level with one cluster, a coefficient for each cluster).

    Notes
    -----
    Bell and McCaffrey (2002), Survey Methodology 28, 169-181; Pustejovsky and Tipton (2018), Journal of Business &
    Economic Statistics 36, 672-683. From moments: b = C_xx⁻¹ C_xy, Var b = s² C_xx⁻¹ / (n − 1).

    Examples
    --------
    >>> rows = {"ask": [2, 4, 5, 7, 8, 9, 11, 12], "gain": [5, 3, 6, 2, 7, 4, 8, 6]}
    >>> rows["y"] = [10, 12, 11, 17, 15, 20, 19, 24]
    >>> model = regression(rows, "y ~ ask + gain")
    >>> model.estimate.round(3).tolist()
    [8.686, 1.503, -0.699]
    >>> model.compare(regression(rows, "y ~ ask")).apa()
    'F(1, 5) = 6.55, p = .051, ηp² = .57, 90% CI [.00, .81]'
    """
    check_choice("errors", errors, ERRORS)
    if errors.startswith("CR") != (cluster is not None):
        raise DesignError(
            f"errors={errors!r} with cluster={shown(cluster)}; the CR errors need a cluster, the others none"
        )
    if formula is None:
        if outcome is None or not predictors or isinstance(predictors, str):
            raise DesignError("formula is not given; then outcome names a column and predictors a list of them")
        if isinstance(data, Moments) or (is_lazy(data) and errors == "ordinary"):
            if errors != "ordinary":
                raise DesignError(f"Moments hold no rows, which errors={errors!r} needs; give a frame")
            return _fit(moments_of(data, [*predictors, outcome], "outcome and predictors"), None, None, errors)
        formula = f"`{outcome}` ~ {' + '.join(f'`{name}`' for name in predictors)}"
        return _from_rows(data, formula, errors, cluster)
    if outcome is not None or predictors:
        raise DesignError("give a formula, or outcome and predictors, but not both")
    return _from_rows(data, formula, errors, cluster)


def _parse_formula(formula: str) -> tuple[list[str], tuple[Any, Any]]:
    """Return the columns that a formula needs, and its two sides."""
    parsed_formula = parse_formula(formula) if isinstance(formula, str) else None
    if not hasattr(parsed_formula, "lhs"):
        raise DesignError(f"the formula {shown(formula)} cannot be read; write 'y ~ x + z'")
    sides = (parsed_formula.lhs, parsed_formula.rhs)
    return sorted(needed_columns([term for side in sides for term in side], formula)), sides


def _from_rows(data: Any, formula: str, errors: Errors, cluster: str | None) -> Regression:
    from formulaic.errors import FormulaicError

    variables, sides = _parse_formula(formula)
    extra = [cluster] if cluster is not None and cluster not in variables else []
    frame = as_frame(data, [*variables, *extra], "formula and cluster")
    whole = frame.notna().all(axis=1).to_numpy()
    complete_rows = frame[whole].reset_index(drop=True)
    if complete_rows.empty:
        raise DesignError(f"no row has a value in every column of {', '.join([*variables, *extra])}")
    try:
        y, x = (side.get_model_matrix(complete_rows, context=FUNCTION_VALUES, na_action="raise") for side in sides)
        origin = _origins(complete_rows, [str(name) for name in x.columns])
        if origin:
            centred_rows = complete_rows.assign(
                **{name: complete_rows[name].to_numpy(dtype=np.float64) - at for name, at in origin.items()}
            )
            given_columns, x = x, sides[1].get_model_matrix(centred_rows, context=FUNCTION_VALUES, na_action="raise")
    except (FormulaicError, ValueError, TypeError, NameError, KeyError) as error:
        raise DesignError(f"the formula {shown(formula)} does not fit the data: {one_line(error)}") from None
    if INTERCEPT not in x.columns or y.shape[1] - (INTERCEPT in y.columns) != 1:
        raise DesignError(f"the formula {shown(formula)} needs one numeric outcome and an intercept")
    columns = [INTERCEPT, *(str(name) for name in x.columns if name != INTERCEPT)]
    turn = _turn(columns, origin) if origin else None
    sizes = given_columns.drop(columns=INTERCEPT).to_numpy(dtype=np.float64).std(axis=0, ddof=1) if origin else None
    y, x = y.drop(columns=INTERCEPT, errors="ignore"), x.drop(columns=INTERCEPT)
    names = [*(str(name) for name in x.columns), str(y.columns[0])]
    values = np.column_stack([x.to_numpy(dtype=np.float64), y.to_numpy(dtype=np.float64)])
    if not np.isfinite(values).all():
        raise DesignError(f"the formula {shown(formula)} gives values that are not finite; transform or leave out rows")
    raw = Moments.from_array(values, names, within="variable")
    left_out = int((~whole).sum())
    moments = Moments(
        raw.n, raw.offset, raw.covariance, raw.variables, (), names[-1], raw.origin, left_out
    )  # fmt: skip
    code = None
    if cluster is not None:
        codes, _, _ = level_codes(complete_rows[cluster])
        _, code = np.unique(np.asarray(codes), return_inverse=True)
    return _fit(moments, values, code, errors, turn, sizes)


def _parts(column: str) -> tuple[str, ...]:
    return () if column == INTERCEPT else tuple(sorted(column.split(":")))


def _origins(frame: pd.DataFrame, columns: Sequence[str]) -> dict[str, float]:
    """Return the means of numbers that stand in products, from which they are measured before they are multiplied.

    Only where that gives the same model: the number stands nowhere but bare, and each product without it is there too.
    """
    every = {_parts(column) for column in columns}
    words = {part for parts in every for part in parts}
    names = {part for parts in every if len(parts) > 1 for part in parts if part in frame.columns}
    names = {name for name in names if is_numeric_dtype(frame[name]) and not is_bool_dtype(frame[name])}
    names -= {name for name in names for word in words if word != name and re.search(rf"\b{re.escape(name)}\b", word)}
    while lacking := {
        name
        for name in names
        for parts in every
        if name in parts and tuple(part for part in parts if part != name) not in every
    }:
        names -= lacking
    if INTERCEPT not in columns:
        return {}
    columns_by_name = {name: frame[name].to_numpy(dtype=np.float64) for name in sorted(names)}
    return {name: float(column[0] + (column - column[0]).mean()) for name, column in columns_by_name.items()}


def _turn(columns: Sequence[str], origin: Mapping[str, float]) -> FloatArray:
    """Return the matrix that takes coefficients of products of measured numbers to those of the numbers as given."""
    place = {_parts(column): at for at, column in enumerate(columns)}
    turn = np.zeros((len(columns), len(columns)))
    for parts, at in place.items():
        numbers = [part for part in parts if part in origin]
        for size in range(len(numbers) + 1):
            for constants in combinations(numbers, size):
                rest = tuple(part for part in parts if part not in constants)
                turn[place[rest], at] = np.prod([-origin[name] for name in constants])
    return turn


def _find_singles(
    sandwich: Sandwich, shift: FloatArray, names: Sequence[str]
) -> tuple[npt.NDArray[np.bool_], FloatArray]:
    """Return which coefficients rest on one cluster alone and have no error, and the df of the others."""
    is_single = np.array([not sandwich.estimable(row[None, :]) for row in shift])
    if is_single[1:].all():
        sandwich.check(shift[1:], f"each coefficient ({', '.join(names)})")
    df = np.array([np.nan if single else sandwich.df(row) for row, single in zip(shift, is_single, strict=True)])
    return is_single, df


def _fit(
    moments: Moments,
    values: FloatArray | None,
    code: IntArray | None,
    errors: Errors,
    turn: FloatArray | None = None,
    sizes: FloatArray | None = None,
) -> Regression:
    """Fit; `turn` takes the coefficients to those of other columns, whose standard deviations are `sizes`."""
    names = moments.variables.levels
    k, n = len(names) - 1, moments.n
    free = np.asarray(n - k - 1.0)
    if free.ndim == 0 and free < 1:
        raise NotEstimable(f"n is {int(n)}; a model with {k + 1} coefficients needs at least {k + 2} complete rows")
    solution = _least_squares(moments, free)
    if turn is not None:
        solution = replace(solution, shift=turn @ solution.shift)
        solution = replace(solution, estimate=solution.shift @ solution.at_means)
    centred_covariance, sandwich = solution.centred, None
    df = np.broadcast_to(free[..., None], solution.estimate.shape)
    if errors != "ordinary" and values is not None:
        centred_covariance, sandwich = _robust(values, moments.mean, solution.at_means[1:], code, errors)
    covariance = solution.shift @ centred_covariance @ np.swapaxes(solution.shift, -1, -2)
    se = np.sqrt(np.einsum("...ii->...i", covariance))
    if sandwich is not None:
        is_single, df = _find_singles(sandwich, solution.shift, names[:k])
        se = np.where(is_single, np.nan, se)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = solution.estimate / se
    beta, vif = solution.beta, solution.vif
    if sizes is not None:  # of the columns as they are given
        plainly = solution.shift @ solution.centred @ solution.shift.T
        vif = np.diag(plainly)[1:] * (n - 1) * sizes**2 / solution.s2
        beta = solution.estimate[1:] * sizes / np.sqrt(moments.covariance[k, k])
    no_intercept = np.full((*se.shape[:-1], 1), np.nan)
    return Regression(
        outcome=names[k],
        terms=(INTERCEPT, *names[:k]),
        estimate=solution.estimate,
        se=se,
        statistic=t,
        df=np.asarray(df),
        p=np.asarray(2 * special.stdtr(df, -np.abs(t))),
        beta=np.concatenate([no_intercept, beta], axis=-1),
        vif=np.concatenate([no_intercept, vif], axis=-1),
        covariance=covariance,
        r_squared=plain(1 - solution.unexplained),
        adjusted_r_squared=plain(1 - solution.unexplained * (n - 1) / free),
        sigma=plain(np.sqrt(solution.s2)),
        rss=plain(solution.rss),
        df_residual=plain(free),
        n=count(n),
        errors=errors,
        clusters=0 if sandwich is None else len(sandwich.inside),
        missing=moments.missing,
        sandwich=sandwich,
        shift=solution.shift,
        at_means=solution.at_means,
        centred=centred_covariance,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Solved:
    """Least squares from moments: coefficients, and their covariance before it is moved to where predictors are 0."""

    estimate: FloatArray
    beta: FloatArray
    vif: FloatArray
    unexplained: FloatArray
    rss: FloatArray
    s2: FloatArray
    centred: FloatArray
    shift: FloatArray
    at_means: FloatArray


def _least_squares(moments: Moments, free: FloatArray) -> _Solved:
    table, mean, n = standardized(moments), moments.mean, moments.n
    _check_independent(table, moments.variables.levels)
    k = table.shape[-1] - 1
    sd = np.sqrt(np.einsum("...ii->...i", moments.covariance))
    inverse = np.linalg.inv(table[..., :k, :k])
    beta = (inverse @ table[..., :k, k:])[..., 0]
    unexplained = np.maximum(1 - (beta * table[..., :k, k]).sum(axis=-1), 0.0)
    rss = unexplained * (n - 1) * sd[..., k] ** 2
    slopes = beta * sd[..., k:] / sd[..., :k]
    # Means from the origin, in which the intercept is first found; then it moves to where all predictors are 0.
    intercept = mean[..., k] - (slopes * mean[..., :k]).sum(axis=-1)
    s2 = np.asarray(rss / np.where(free > 0, free, np.nan))
    centred_covariance = np.zeros((*table.shape[:-2], k + 1, k + 1))
    centred_covariance[..., 0, 0] = s2 / n
    centred_covariance[..., 1:, 1:] = (
        inverse / (sd[..., :k, None] * sd[..., None, :k]) * (s2 / (n - 1))[..., None, None]
    )
    shift = np.broadcast_to(np.eye(k + 1), centred_covariance.shape).copy()
    shift[..., 0, 1:] = -mean[..., :k]
    estimate = np.concatenate([intercept[..., None], slopes], axis=-1)
    vif = np.einsum("...ii->...i", inverse)
    at_means = np.concatenate([mean[..., k, None], slopes], axis=-1)
    return _Solved(estimate, beta, vif, unexplained, np.asarray(rss), s2, centred_covariance, shift, at_means)


def _robust(
    values: FloatArray, mean: FloatArray, slopes: FloatArray, code: IntArray | None, errors: Errors
) -> tuple[FloatArray, Sandwich | None]:
    """Return the robust covariance of the coefficients of centred columns, and in clusters what its df need."""
    k = len(slopes)
    deviations = values - mean
    deviations -= deviations.mean(axis=0)  # a mean far from 0 is rounded by more than the mean of what is left
    x = np.column_stack([np.ones(len(values)), deviations[:, :k]])
    rest = deviations[:, k] - x[:, 1:] @ slopes
    if code is None:
        return hc3(x, rest), None
    if code.max() < 1:
        raise NotEstimable("all rows are of one cluster; robust errors need several")
    sandwich = clustered(x, rest, code, errors)
    return sandwich.covariance, sandwich


def _check_independent(table: FloatArray, names: Sequence[str]) -> None:
    """Raise NotEstimable if, in a single study, a predictor follows from those before it."""
    if table.ndim > 2:
        return
    for place in range(1, len(names) - 1):
        table_before = table[:place, :place]
        with_them = table[:place, place]
        if 1 - with_them @ np.linalg.solve(table_before, with_them) < DEPENDENT:
            raise NotEstimable(
                f"the predictor {names[place]!r} follows from {', '.join(map(repr, names[:place]))}; leave one out"
            )
