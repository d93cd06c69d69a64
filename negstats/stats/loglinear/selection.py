"""Which model a table wants: backward elimination, every hierarchical model, and all surveys at once.

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
from negstats.stats.loglinear import spss as spss_rules
from negstats.stats.loglinear.associations import EffectTest, Fits, KWay, PartialAssociations, by_order, by_term
from negstats.stats.loglinear.models import LogLinear
from negstats.stats.loglinear.notation import HIERARCHICAL_MODELS, Model, every_model, parse, spell_term, without
from negstats.stats.results.options import check_share
from negstats.stats.results.result import Result
from negstats.stats.summaries.frames import By


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
        frame = pd.DataFrame(rows)
        frame.attrs["schema"] = "BackwardElimination/1"
        return frame

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
    limit = max_steps if max_steps is not None else (spss_rules.MAXSTEPS if fits.spss else 2**fits.dims)
    model, steps, complete = parse(start, fits.names), [], False
    for number in itertools.count():
        tests = tuple(fits.test(spell_term(term, fits.names), without(model, term), model) for term in model)
        chances = [1.0 if np.isnan(test.p) else test.p for test in tests]
        complete = not chances or max(chances) <= alpha
        if complete or number == limit:
            steps.append(Step(fits[model], tests, None))
            break
        least = int(np.argmax(chances))
        steps.append(Step(fits[model], tests, tests[least].effect))
        model = without(model, model[least])
    return BackwardElimination(steps=tuple(steps), alpha=alpha, complete=complete)


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
    return _all(Fits(data, by, structural_zeros, spss), most)


def _all(fits: Fits, most: int) -> AllModels:
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
    fits = Fits(data, by, structural_zeros, spss)
    return Survey(by_order(fits), by_term(fits), _backward(fits, alpha, "saturated", None), _all(fits, most))
