"""Surveys of the models of one table: k-way tests, partial associations, backward elimination, every model.

Each model is fitted once; the tests are differences of G² between nested models.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError
from negstats.stats import apa
from negstats.stats._coerce import By
from negstats.stats._contingency import check_one_table, chi2_sf
from negstats.stats._result import Result
from negstats.stats.loglinear import spss as spss_rules
from negstats.stats.loglinear.models import LogLinear, difference_df, fitted_model, prepared
from negstats.stats.loglinear.notation import (
    HIERARCHICAL_MODELS,
    Generators,
    Model,
    every_model,
    of_order,
    parse,
    spell_term,
    without,
)

__all__ = [
    "AllModels",
    "BackwardElimination",
    "EffectTest",
    "KWay",
    "PartialAssociations",
    "Step",
    "Survey",
    "all_models",
    "backward_elimination",
    "k_way",
    "partial_associations",
    "survey",
]


@dataclass(frozen=True, slots=True)
class EffectTest:
    """Test that some effects are 0.

    Attributes
    ----------
    effect : str
        Which: "2-way and higher", "2-way", or the names of a term.
    g2, df, p : float
        Likelihood ratio; p is NaN with df 0.
    x2, p_pearson : float
        Pearson's; for a difference of two models the difference of their X², as SPSS prints it.
    iterations : int
        Cycles of fitting of the model without the effects.
    """

    effect: str
    g2: float
    df: float
    p: float
    x2: float
    p_pearson: float
    iterations: int


@dataclass(frozen=True, slots=True, eq=False)
class _Tests(Result):
    """A table of tests of effects."""

    tests: tuple[EffectTest, ...]
    n: float
    method: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row a test: effect, g2, df, p, x2, p_pearson, iterations."""
        frame = pd.DataFrame([{name: getattr(test, name) for name in EffectTest.__slots__} for test in self.tests])
        frame.attrs["schema"] = f"{type(self).__name__}/1"
        return frame

    def __getitem__(self, effect: str) -> EffectTest:
        for test in self.tests:
            if test.effect == effect:
                return test
        raise DesignError(f"there is no effect {effect!r}; there are {', '.join(test.effect for test in self.tests)}")

    def apa(self) -> str:
        """Return each test as ``effect: G²(df, N = n) = x, p = .xxx``."""
        n = round(self.n)
        return "; ".join(
            f"{test.effect}: {apa.statistic('G²', test.g2, (test.df,), test.p, n=n)}" for test in self.tests
        )


@dataclass(frozen=True, slots=True, eq=False)
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


@dataclass(frozen=True, slots=True, eq=False)
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


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """A step of backward elimination: the model, what leaving each of its largest terms would change, what left."""

    model: LogLinear
    tests: tuple[EffectTest, ...]
    deleted: str | None


@dataclass(frozen=True, slots=True, eq=False)
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
                "model_g2": step.model.g2,
                "model_df": step.model.df,
                "model_p": step.model.p,
                "effect": test.effect,
                "g2": test.g2,
                "df": test.df,
                "p": test.p,
                "deleted": test.effect == step.deleted,
            }
            for number, step in enumerate(self.steps)
            for test in step.tests
        ]
        frame = pd.DataFrame(rows)
        frame.attrs["schema"] = "BackwardElimination/1"
        return frame

    def apa(self) -> str:
        """Return the model that is left and its fit."""
        return self.final.apa()


@dataclass(frozen=True, slots=True, eq=False)
class AllModels(Result):
    """Every hierarchical model of a table with at least one term, fewest terms first."""

    models: tuple[LogLinear, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return one row a model: model, g2, df, p, x2, p_pearson, aic, bic, converged."""
        names = ("model", "g2", "df", "p", "x2", "p_pearson", "aic", "bic", "converged")
        frame = pd.DataFrame([{name: getattr(model, name) for name in names} for model in self.models])
        frame.attrs["schema"] = "AllModels/1"
        return frame

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


class _Fits:
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
        less, more = self[smaller], self[larger]
        g2 = max(float(less.g2) - float(more.g2), 0.0)
        x2 = float(less.x2) - float(more.x2)
        df = float(difference_df(less, more))
        p, p_pearson = float(chi2_sf(g2, df)), float(chi2_sf(max(x2, 0.0), df))
        return EffectTest(effect, g2, df, p, x2, p_pearson, int(less.iterations))

    @property
    def method(self) -> str:
        return next(iter(self.known.values())).method


def k_way(data: Any, by: By = None, *, structural_zeros: npt.ArrayLike | None = None, spss: bool = False) -> KWay:
    """Test for each k that all effects of k and more dimensions are 0, and that all effects of k dimensions are 0.

    Parameters
    ----------
    data, by, structural_zeros, spss
        As in `loglinear`; one table.

    Examples
    --------
    Field's cats and dogs (Discovering Statistics, log-linear analysis):

    >>> print(k_way([[[48, 28], [29, 20]], [[114, 10], [7, 14]]]).to_frame().round(3)[["effect", "g2", "df", "x2"]])
                 effect       g2   df       x2
    0  1-way and higher  200.163  7.0  253.556
    1  2-way and higher   72.267  4.0   67.174
    2  3-way and higher   20.305  1.0   20.777
    3             1-way  127.896  3.0  186.382
    4             2-way   51.962  3.0   46.396
    5             3-way   20.305  1.0   20.777
    """
    return _k_way(_Fits(data, by, structural_zeros, spss))


def _k_way(fits: _Fits) -> KWay:
    orders = [of_order(fits.dims, k) for k in range(fits.dims + 1)]
    higher = [fits.test(f"{k}-way and higher", orders[k - 1], orders[-1]) for k in range(1, fits.dims + 1)]
    only = [fits.test(f"{k}-way", orders[k - 1], orders[k]) for k in range(1, fits.dims + 1)]
    return KWay((*higher, *only), float(fits.counts.n.sum()), fits.method)


def partial_associations(
    data: Any, by: By = None, *, structural_zeros: npt.ArrayLike | None = None, spss: bool = False
) -> PartialAssociations:
    """Test each term by the change of G² when it leaves the model that holds all terms of its order.

    Parameters
    ----------
    data, by, structural_zeros, spss
        As in `loglinear`; one table.

    References
    ----------
    Brown, M. B. (1976). Screening effects in multidimensional contingency tables. Applied Statistics, 25, 37–46.

    Examples
    --------
    >>> tests = partial_associations([[[48, 28], [29, 20]], [[114, 10], [7, 14]]])
    >>> print(tests.to_frame().round(3)[["effect", "g2", "df"]])
                           effect      g2   df
    0  factor_1 factor_2 factor_3  20.305  1.0
    1           factor_1 factor_2  13.748  1.0
    2           factor_1 factor_3   8.611  1.0
    3           factor_2 factor_3  13.760  1.0
    4                    factor_1   1.483  1.0
    5                    factor_2  65.268  1.0
    6                    factor_3  61.145  1.0
    """
    return _partial(_Fits(data, by, structural_zeros, spss))


def _partial(fits: _Fits) -> PartialAssociations:
    tests = []
    for k in range(fits.dims, 0, -1):
        whole = of_order(fits.dims, k)
        tests += [fits.test(spell_term(term, fits.names), without(whole, term), whole) for term in whole]
    return PartialAssociations(tuple(tests), float(fits.counts.n.sum()), fits.method)


def backward_elimination(
    data: Any,
    by: By = None,
    *,
    alpha: float = spss_rules.ALPHA,
    start: Model = "saturated",
    structural_zeros: npt.ArrayLike | None = None,
    spss: bool = False,
    max_steps: int | None = None,
) -> BackwardElimination:
    """Delete the largest terms of a model one by one while the change of G² is not significant.

    In each step every term of the generating class is taken out in turn; the one with the largest p leaves if that p
    exceeds `alpha`. A term that zeros leave no degree of freedom changes nothing and leaves first.

    Parameters
    ----------
    data, by, structural_zeros, spss
        As in `loglinear`; one table.
    alpha
        Terms with a p above it are deleted.
    start
        The model to start from, in the notation of `loglinear`.
    max_steps
        How many terms may be deleted; no limit by default, 10 with `spss`.

    Notes
    -----
    The p of a chosen model is too good: the data chose it. Report the procedure, and take the model as a proposal.

    Examples
    --------
    >>> walked = [[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]]
    >>> print(backward_elimination(walked).apa())
    [factor_1 factor_3]: G²(8, N = 583) = 9.11, p = .333
    """
    return _backward(_Fits(data, by, structural_zeros, spss), alpha, start, max_steps)


def _backward(fits: _Fits, alpha: float, start: Model, max_steps: int | None) -> BackwardElimination:
    if not 0 < alpha < 1:
        raise DesignError(f"alpha is {alpha!r}; give a number between 0 and 1 such as 0.05")
    limit = max_steps if max_steps is not None else (spss_rules.MAXSTEPS if fits.spss else 2**fits.dims)
    now, steps, complete = parse(start, fits.names), [], False
    for number in itertools.count():
        tests = tuple(fits.test(spell_term(term, fits.names), without(now, term), now) for term in now)
        chances = [1.0 if np.isnan(test.p) else test.p for test in tests]
        complete = not chances or max(chances) <= alpha
        if complete or number == limit:
            steps.append(Step(fits[now], tests, None))
            break
        least = int(np.argmax(chances))
        steps.append(Step(fits[now], tests, tests[least].effect))
        now = without(now, now[least])
    return BackwardElimination(tuple(steps), alpha, complete)


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
    return _all(_Fits(data, by, structural_zeros, spss), most)


def _all(fits: _Fits, most: int) -> AllModels:
    count = HIERARCHICAL_MODELS[fits.dims]
    if count > most:
        raise DesignError(
            f"a table of {fits.dims} dimensions has {count:,} hierarchical models; pass most={count} to fit them all"
        )
    return AllModels(tuple(fits[model] for model in every_model(fits.dims)))


def survey(
    data: Any,
    by: By = None,
    *,
    alpha: float = spss_rules.ALPHA,
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
    fits = _Fits(data, by, structural_zeros, spss)
    return Survey(_k_way(fits), _partial(fits), _backward(fits, alpha, "saturated", None), _all(fits, most))
