"""Which associations a table has, and which model it wants: tests of effects, elimination, every hierarchical model.

Each model is fitted once; the tests are differences of G² between nested models.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.counts.contingency import TableResult, check_one_table, chi2_sf, pearson
from negstats.stats.loglinear.fit import (
    HIERARCHICAL_MODELS,
    Generators,
    Model,
    Term,
    added_df,
    every_model,
    holds,
    of_order,
    parse,
    spell_term,
    without,
)
from negstats.stats.loglinear.models import ALPHA, MAXSTEPS, LogLinear, fitted_model, prepared
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, Number, plain
from negstats.stats.results.options import check_share, find_name
from negstats.stats.results.result import Result, with_schema
from negstats.stats.summaries import Counts
from negstats.stats.summaries.frames import By


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ModelComparison(TableResult):
    """Likelihood-ratio test of the terms that one model has more than another.

    Attributes
    ----------
    statistic, df, p : float or ndarray
        Difference of the two G², the parameters that the larger model has more (on the cells that the smaller one fits
        above 0), and the p; NaN where df is 0.
    smaller, larger : str
        The generating classes.
    n : float or ndarray
        Observations.
    """

    columns: ClassVar[tuple[str, ...]] = ("smaller", "larger", "statistic", "df", "p", "n")

    statistic: Number
    df: Number
    p: Number
    smaller: str
    larger: str
    n: Number

    def apa(self) -> str:
        """Return the two models with ``ΔG²(df, N = n) = x, p = .xxx``."""
        text = apa.statistic("ΔG²", self._one(self.statistic), (self.df,), self.p, n=round(float(self.n)))
        return f"{self.smaller} against {self.larger}: {text}"


def compare(first: LogLinear, second: LogLinear) -> ModelComparison:
    """Test the terms that one of two nested models has more than the other.

    Raises
    ------
    DesignError
        If the models are of different tables or neither holds all terms of the other.

    Examples
    --------
    >>> from negstats.stats.loglinear import loglinear
    >>> from negstats.stats.summaries import Counts
    >>> names = {"dance": ["yes", "no"], "animal": ["cat", "dog"], "training": ["affection", "food"]}
    >>> table = Counts.from_table([[[48, 28], [29, 20]], [[114, 10], [7, 14]]], names)
    >>> print(compare(loglinear(table, "[dance animal][training]"), loglinear(table, "independence")).apa())
    [dance][animal][training] against [dance animal][training]: ΔG²(1, N = 270) = 21.67, p < .001
    """
    same_table = first.observed.factors == second.observed.factors and np.array_equal(first.possible, second.possible)
    first_counts, second_counts = (model.observed.n - model.delta * model.possible for model in (first, second))
    if not same_table or not np.array_equal(first_counts, second_counts) or first.method != second.method:
        raise DesignError("only two models of the same table, fitted in the same way, can be compared")
    if not holds(first.generators, second.generators):
        first, second = second, first
    if not holds(first.generators, second.generators):
        raise DesignError(f"{first.model} and {second.model} are not nested: each has a term that the other lacks")
    g2 = np.maximum(np.asarray(second.statistic) - first.statistic, 0.0)
    df = difference_df(second, first)
    return ModelComparison(
        statistic=plain(g2), df=plain(df), p=chi2_sf(g2, df), smaller=second.model, larger=first.model, n=first.n
    )


def difference_df(smaller: LogLinear, larger: LogLinear) -> FloatArray:
    """Return the df of the difference of two nested models: see `fit.added_df`; with `spss` the unadjusted ones."""
    if smaller.method == "SPSS HILOGLINEAR":
        return np.asarray(float(smaller.df_unadjusted - larger.df_unadjusted))
    return added_df(smaller.fitted, smaller.generators, larger.generators, smaller.possible)


@dataclass(frozen=True, slots=True)
class EffectTest:
    """Test that some effects are 0.

    Attributes
    ----------
    effect : str
        Which: "2-way and higher", "2-way", or the names of a term.
    statistic, df, p : float
        Likelihood ratio G²; p is NaN with df 0.
    x2, p_pearson : float
        Pearson's; for a difference of two models the difference of their X², as SPSS prints it.
    score, p_score : float
        Rao's X², Σ (m₁ − m₀)² / m₀ of what the two models fit; against the saturated model it is Pearson's. Where
        expected counts are small its size is near its level, and that of G² above it (Larntz, 1978).
    iterations : int
        Cycles of fitting of the model without the effects.
    """

    effect: str
    statistic: float
    df: float
    p: float
    x2: float
    p_pearson: float
    score: float
    p_score: float
    iterations: int


class Fits:
    """The models of one table, each fitted when it is first asked for."""

    def __init__(self, data: Any, by: By, structural_zeros: npt.ArrayLike | None, spss: bool) -> None:
        self.counts, self.possible = prepared(data, by, structural_zeros, spss)
        check_one_table(self.counts, "a survey of models")
        self.spss = spss
        self.dims = self.possible.ndim
        self.names = [factor.name for factor in self.counts.factors]
        self.known: dict[Generators, LogLinear] = {}

    def __getitem__(self, generators: Generators) -> LogLinear:
        if generators not in self.known:
            self.known[generators] = fitted_model(self.counts, generators, self.possible, self.spss)
        return self.known[generators]

    def test(self, effect: str, smaller: Generators, larger: Generators) -> EffectTest:
        """Test the terms that the larger model has more."""
        smaller_fit, larger_fit = self[smaller], self[larger]
        g2 = max(float(smaller_fit.statistic) - float(larger_fit.statistic), 0.0)
        x2 = float(smaller_fit.x2) - float(larger_fit.x2)
        df = float(difference_df(smaller_fit, larger_fit))
        score = float(_score(smaller_fit, larger_fit))
        p, p_pearson, p_score = (float(chi2_sf(value, df)) for value in (g2, max(x2, 0.0), score))
        return EffectTest(effect, g2, df, p, x2, p_pearson, score, p_score, int(smaller_fit.iterations))

    @property
    def method(self) -> str:
        """How df are counted."""
        return next(iter(self.known.values())).method


def _score(smaller: LogLinear, larger: LogLinear) -> FloatArray:
    """Return Rao's X², Σ (m₁ − m₀)² / m₀, of a model against a larger one."""
    return np.asarray(pearson(larger.fitted, smaller.fitted, len(smaller.observed.factors)))


def term_scores(counts: Counts, term: Term) -> FloatArray:
    """Return p of Rao's X² of a term, given by its dimensions, for each table of a stack; see `partial_associations`.

    Examples
    --------
    >>> float(term_scores(Counts.from_table([[[48, 28], [29, 20]], [[114, 10], [7, 14]]]), (1, 2))) < 0.001
    True
    """
    all_terms, possible = of_order(len(counts.factors), len(term)), np.ones(counts.shape, dtype=np.bool_)
    smaller, larger = (
        fitted_model(counts, model, possible, spss=False) for model in (without(all_terms, term), all_terms)
    )
    return np.asarray(chi2_sf(_score(smaller, larger), difference_df(smaller, larger)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Tests(Result):
    """A table of tests of effects."""

    tests: tuple[EffectTest, ...]
    n: float
    method: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row a test: effect, statistic (G²), df, p, x2, p_pearson, score, p_score, iterations."""
        frame = pd.DataFrame([{name: getattr(test, name) for name in EffectTest.__slots__} for test in self.tests])
        return with_schema(frame, f"{type(self).__name__}/1")

    def __getitem__(self, effect: str) -> EffectTest:
        return self.tests[find_name(effect, [test.effect for test in self.tests], "there is no effect")]

    def apa(self) -> str:
        """Return each test as ``effect: G²(df, N = n) = x, p = .xxx``."""
        n = round(self.n)
        return "; ".join(
            f"{test.effect}: {apa.statistic('G²', test.statistic, (test.df,), test.p, n=n)}" for test in self.tests
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KWay(_Tests):
    """Tests that all effects of k dimensions and more are 0, and that all effects of k dimensions are 0.

    Attributes
    ----------
    tests : tuple of EffectTest
        "1-way and higher", "2-way and higher", ...; then "1-way", "2-way", ...
    n : float
        Observations.
    method : str
        As in `LogLinear`.
    """


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartialAssociations(_Tests):
    """For each term, the change of G² when it leaves the model that holds all terms of its order.

    Attributes
    ----------
    tests : tuple of EffectTest
        One a term, highest order first; `effect` is in the notation of generating classes.
    n : float
        Observations.
    method : str
        As in `LogLinear`.
    """


def k_way(data: Any, by: By = None, *, structural_zeros: npt.ArrayLike | None = None, spss: bool = False) -> KWay:
    """Test for each k that all effects of k or more dimensions are 0, and that all effects of k dimensions are 0.

    Parameters
    ----------
    data, by, structural_zeros, spss
        As in `loglinear`; one table.

    Returns
    -------
    KWay
        One test a k and kind of hypothesis, with its df and p.

    Examples
    --------
    Field's cats and dogs (Discovering Statistics, log-linear analysis):

    >>> tests = k_way([[[48, 28], [29, 20]], [[114, 10], [7, 14]]])
    >>> print(tests.to_frame().round(3)[["effect", "statistic", "df", "x2"]])
                 effect  statistic   df       x2
    0  1-way and higher    200.163  7.0  253.556
    1  2-way and higher     72.267  4.0   67.174
    2  3-way and higher     20.305  1.0   20.777
    3             1-way    127.896  3.0  186.382
    4             2-way     51.962  3.0   46.396
    5             3-way     20.305  1.0   20.777
    """
    return by_order(Fits(data, by, structural_zeros, spss))


def by_order(fits: Fits) -> KWay:
    """Return the k-way tests of a table whose models are at hand."""
    orders = [of_order(fits.dims, k) for k in range(fits.dims + 1)]
    higher_orders = [fits.test(f"{k}-way and higher", orders[k - 1], orders[-1]) for k in range(1, fits.dims + 1)]
    single_orders = [fits.test(f"{k}-way", orders[k - 1], orders[k]) for k in range(1, fits.dims + 1)]
    return KWay(tests=(*higher_orders, *single_orders), n=float(fits.counts.n.sum()), method=fits.method)


def partial_associations(
    data: Any, by: By = None, *, structural_zeros: npt.ArrayLike | None = None, spss: bool = False
) -> PartialAssociations:
    """Test each term by the change of G² when it is removed from the model with all terms of its order.

    Parameters
    ----------
    data, by, structural_zeros, spss
        As in `loglinear`; one table.

    Returns
    -------
    PartialAssociations
        One test a term, with the change of G², its df and p.

    References
    ----------
    - Brown, M. B. (1976). Screening effects in multidimensional contingency tables. Applied Statistics, 25, 37–46.
    - Larntz, K. (1978). Small-sample comparisons of exact levels for chi-squared goodness-of-fit statistics. Journal of
      the American Statistical Association, 73, 253–263.
    - Rao, C. R. (1961). A study of large sample test criteria through properties of efficient estimates. Sankhyā A, 23,
      25–40.

    Examples
    --------
    >>> tests = partial_associations([[[48, 28], [29, 20]], [[114, 10], [7, 14]]])
    >>> print(tests.to_frame().round(3)[["effect", "statistic", "df"]])
                           effect  statistic   df
    0  factor_1 factor_2 factor_3     20.305  1.0
    1           factor_1 factor_2     13.748  1.0
    2           factor_1 factor_3      8.611  1.0
    3           factor_2 factor_3     13.760  1.0
    4                    factor_1      1.483  1.0
    5                    factor_2     65.268  1.0
    6                    factor_3     61.145  1.0
    """
    return by_term(Fits(data, by, structural_zeros, spss))


def by_term(fits: Fits) -> PartialAssociations:
    """Return the partial associations of a table whose models are at hand."""
    tests = []
    for k in range(fits.dims, 0, -1):
        all_terms = of_order(fits.dims, k)
        tests += [fits.test(spell_term(term, fits.names), without(all_terms, term), all_terms) for term in all_terms]
    return PartialAssociations(tests=tuple(tests), n=float(fits.counts.n.sum()), method=fits.method)


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A step of backward elimination: the model, what leaving each of its largest terms would change, what left."""

    model: LogLinear
    tests: tuple[EffectTest, ...]
    deleted: str | None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class BackwardElimination(Result):
    """Backward elimination from the saturated model.

    Attributes
    ----------
    steps : tuple of Step
        The last step is where nothing more could be deleted (or the steps ran out).
    alpha : float
        A term is deleted while its p is above this.
    complete : bool
        False if the steps ran out first.
    """

    steps: tuple[Step, ...]
    alpha: float
    complete: bool

    @property
    def final(self) -> LogLinear:
        """The model that is left."""
        return self.steps[-1].model

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each term that a step could have deleted, with the fit of the step's model."""
        rows = [
            {
                "step": number,
                "model": step.model.model,
                "model_statistic": step.model.statistic,
                "model_df": step.model.df,
                "model_p": step.model.p,
                "effect": test.effect,
                "statistic": test.statistic,
                "df": test.df,
                "p": test.p,
                "deleted": test.effect == step.deleted,
            }
            for number, step in enumerate(self.steps)
            for test in step.tests
        ]
        return with_schema(pd.DataFrame(rows), "BackwardElimination/1")

    def apa(self) -> str:
        """Return the model that is left and its fit."""
        return self.final.apa()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AllModels(Result):
    """Every hierarchical model of a table with at least one term, fewest terms first."""

    models: tuple[LogLinear, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a model: model, statistic (G²), df, p, x2, p_pearson, aic, bic, converged."""
        names = ("model", "statistic", "df", "p", "x2", "p_pearson", "aic", "bic", "converged")
        frame = pd.DataFrame([{name: getattr(model, name) for name in names} for model in self.models])
        return with_schema(frame, "AllModels/1")

    def apa(self) -> str:
        """Return the model of the least AIC and its fit."""
        return min(self.models, key=lambda model: float(model.aic)).apa()


@dataclass(frozen=True, slots=True, eq=False)
class Survey:
    """All surveys of the models of one table."""

    k_way: KWay
    partial_associations: PartialAssociations
    elimination: BackwardElimination
    models: AllModels


def backward_elimination(
    data: Any,
    by: By = None,
    *,
    alpha: float = ALPHA,
    start: Model = "saturated",
    structural_zeros: npt.ArrayLike | None = None,
    spss: bool = False,
    max_steps: int | None = None,
) -> BackwardElimination:
    """Remove the highest-order terms of a model one by one while the change of G² is not significant.

    In each step every term of the generating class is taken out in turn; the one with the largest p leaves if that p
    exceeds `alpha`. A term that zeros leave no degree of freedom changes nothing and leaves first.

    Parameters
    ----------
    data, by
        As in `loglinear`; one table.
    alpha
        Terms with a p above it are deleted.
    start
        The model to start from, in the notation of `loglinear`.
    structural_zeros, spss
        As in `loglinear`.
    max_steps
        How many terms may be deleted; no limit by default, 10 with `spss`.

    Returns
    -------
    BackwardElimination
        One step a deletion; `final` is the model that is left.

    Notes
    -----
    The p of a chosen model is too good: the data chose it. Report the procedure, and take the model as a proposal.

    Examples
    --------
    >>> walked = [[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]]
    >>> print(backward_elimination(walked).apa())
    [factor_1 factor_3]: G²(8, N = 583) = 9.11, p = .333
    """
    return _backward(Fits(data, by, structural_zeros, spss), alpha, start, max_steps)


def _backward(fits: Fits, alpha: float, start: Model, max_steps: int | None) -> BackwardElimination:
    check_share("alpha", alpha, 0.05)
    limit = max_steps if max_steps is not None else (MAXSTEPS if fits.spss else 2**fits.dims)
    model, steps, is_complete = parse(start, fits.names), [], False
    for number in itertools.count():
        tests = tuple(fits.test(spell_term(term, fits.names), without(model, term), model) for term in model)
        p_values = [1.0 if np.isnan(test.p) else test.p for test in tests]
        is_complete = not p_values or max(p_values) <= alpha
        if is_complete or number == limit:
            steps.append(Step(fits[model], tests, None))
            break
        least_significant = int(np.argmax(p_values))
        steps.append(Step(fits[model], tests, tests[least_significant].effect))
        model = without(model, model[least_significant])
    return BackwardElimination(steps=tuple(steps), alpha=alpha, complete=is_complete)


def all_models(
    data: Any,
    by: By = None,
    *,
    structural_zeros: npt.ArrayLike | None = None,
    spss: bool = False,
    most: int = 200,
) -> AllModels:
    """Fit every hierarchical model of a table: 4, 18, 166 or 7,579 models of two to five dimensions.

    The model of equal counts, which has no term, is not among them (`loglinear` with order 0 fits it).

    Parameters
    ----------
    data, by, structural_zeros, spss
        As in `loglinear`; one table.
    most
        How many models may be fitted.

    Returns
    -------
    AllModels
        One fit a model.

    Raises
    ------
    DesignError
        If there are more models than `most`.

    Examples
    --------
    >>> walked = [[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]]
    >>> survey = all_models(walked)
    >>> len(survey.models)
    18
    >>> print(survey.apa())
    [factor_1 factor_3]: G²(8, N = 583) = 9.11, p = .333
    """
    return _fit_all(Fits(data, by, structural_zeros, spss), most)


def _fit_all(fits: Fits, max_models: int) -> AllModels:
    count = HIERARCHICAL_MODELS[fits.dims]
    if count > max_models:
        raise DesignError(
            f"a table of {fits.dims} dimensions has {count:,} hierarchical models; pass most={count} to fit them all"
        )
    return AllModels(tuple(fits[model] for model in every_model(fits.dims)))


def survey(
    data: Any,
    by: By = None,
    *,
    alpha: float = ALPHA,
    structural_zeros: npt.ArrayLike | None = None,
    spss: bool = False,
    most: int = 200,
) -> Survey:
    """Survey the models of a table in every way at once, each model fitted once.

    The result holds what `k_way`, `partial_associations`, `backward_elimination` and `all_models` return.

    Parameters
    ----------
    data, by, structural_zeros, spss
        As in `loglinear`; one table.
    alpha
        As in `backward_elimination`.
    most
        As in `all_models`.

    Examples
    --------
    >>> report = survey([[[48, 28], [29, 20]], [[114, 10], [7, 14]]])
    >>> print(report.elimination.apa())
    [factor_1 factor_2 factor_3]: G²(0, N = 270) = 0.00, p = NA
    """
    fits = Fits(data, by, structural_zeros, spss)
    return Survey(by_order(fits), by_term(fits), _backward(fits, alpha, "saturated", None), _fit_all(fits, most))
