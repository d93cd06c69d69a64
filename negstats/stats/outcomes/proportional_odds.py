"""Whether the odds of a regression of ordered answers are proportional: Brant's test, and likelihood ratios."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable
from negstats.stats.models.results import LikelihoodRatio
from negstats.stats.outcomes.fits import fitted_apart
from negstats.stats.outcomes.ordinal import OrdinalRegression, cut_columns, maximised
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Result

Method = Literal["brant", "likelihood"]
ALL = "all terms"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ProportionalOdds(Result):
    """Tests that slopes are the same at every cut between answers. Arrays have the shape ``(tests,)``.

    Attributes
    ----------
    terms : tuple of str
        "all terms", then each.
    statistic, df, p : ndarray
        Chi-squared, its degrees of freedom and p; missing where the fitted cuts cross.
    slopes : DataFrame
        The log odds of an answer above each cut, one row a cut and one column a coefficient (factors coded to sum to
        zero), each cut fitted alone; empty for likelihood ratios.
    method : str
        "brant" or "likelihood".
    """

    terms: tuple[str, ...]
    statistic: FloatArray
    df: FloatArray
    p: FloatArray
    slopes: pd.DataFrame = field(repr=False)
    method: Method

    def to_frame(self) -> pd.DataFrame:
        """Return one row a test."""
        frame = pd.DataFrame({"term": list(self.terms), "statistic": self.statistic, "df": self.df, "p": self.p})
        frame["method"] = self.method
        frame.attrs["schema"] = "ProportionalOdds/1"
        return frame

    def apa(self) -> str:
        """Return each test, with semicolons between."""
        rows = zip(self.terms, self.statistic, self.df, self.p, strict=True)
        name = "Brant" if self.method == "brant" else "likelihood ratio"
        sentences = [
            f"{term}: {'the cuts cross' if np.isnan(p) else apa.statistic('χ²', value, (df,), p)}"
            for term, value, df, p in rows
        ]
        return f"{'; '.join(sentences)} ({name})"


def tested(model: OrdinalRegression, method: Method) -> ProportionalOdds:
    """Test the proportional odds of a fitted model; `OrdinalRegression.proportional_odds` calls this.

    Notes
    -----
    Brant (1990), Biometrics 46, 1171-1178: the slopes b_j of the logistic regressions of Y > j have the covariances
    (X'W_jjX)⁻¹X'W_jlX(X'W_llX)⁻¹, W_jl = π_l(1 − π_j) for j ≤ l with π_j the fitted chance of an answer above j, and
    Wald's chi-squared tests that b_1 − b_j is 0; as R's ``car::poTest``. Terms have their columns coded to sum to zero.
    Where fitted cuts cross, these may be no covariances, and a test is missing; for several columns together poTest
    takes each W_jl block a second time without transposing it, and so finds another number (it may be negative).
    """
    check_choice("method", method, ("brant", "likelihood"))
    if len(model.answers) < 3:
        raise DesignError(f"{model.outcome!r} has two answers, and so one cut; odds are proportional by definition")
    coding = model.design.coding
    x = coding.matrix(model.design.measured)[:, 1:]
    groups = [
        list(range(x.shape[1])),
        *([c - 1 for c in coding.columns_of(place)] for place in range(len(model.terms))),
    ]
    names = (ALL, *model.terms)
    if len(model.terms) == 1:
        groups, names = groups[1:], names[1:]
    if method == "likelihood":
        tests = [_ratio(model, x, columns) for columns in groups]
        slopes = pd.DataFrame()
    else:
        estimate, covariance = _cuts(model, x)
        tests = [_wald(estimate, covariance, columns) for columns in groups]
        coefficients = estimate @ model.design.back[1:, 1:].T
        slopes = pd.DataFrame(coefficients, index=list(model.answers[:-1]), columns=list(coding.names[1:]))
    statistic, df, p = np.array(tests).T
    if np.isnan(p).all():
        other = "likelihood" if method == "brant" else "brant"
        advice = f"give method={other!r}, or merge rare answers"
        raise NotEstimable("the cuts between the answers cross", advice=advice)
    return ProportionalOdds(names, statistic, df, p, slopes, method)


def _cuts(model: OrdinalRegression, x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the slopes at each cut (cuts, p), and their covariances (cuts, p, cuts, p)."""
    ones = np.ones((len(x), 1))
    full, cuts, p = np.column_stack([ones, x]), len(model.answers) - 1, x.shape[1]
    estimate, chances, inverses = np.empty((cuts, p)), [], []
    for cut in range(cuts):
        y = (model.codes > cut).astype(np.float64)
        outcome = f"{model.outcome} > {model.answers[cut]}"
        fit = fitted_apart(full, y, "logistic", np.zeros(len(y)), model.design.coding.names, outcome)
        chance = special.expit(full @ fit.beta)
        estimate[cut] = fit.beta[1:]
        chances.append(chance)
        inverses.append(np.linalg.inv(full.T @ (full * (chance * (1 - chance))[:, None])))
    covariance = np.empty((cuts, p, cuts, p))
    for one in range(cuts):
        for other in range(one, cuts):
            # Being above the higher cut and below the lower one.
            weight = chances[other] * (1 - chances[one])
            both = inverses[one] @ (full.T @ (full * weight[:, None])) @ inverses[other]
            covariance[one, :, other], covariance[other, :, one] = both[1:, 1:], both[1:, 1:].T
    return estimate, covariance


def _wald(estimate: FloatArray, covariance: FloatArray, columns: list[int]) -> tuple[float, float, float]:
    cuts, n_columns = len(estimate), len(columns)
    differences = np.column_stack([np.ones(cuts - 1), -np.eye(cuts - 1)])
    turn = np.kron(differences, np.eye(n_columns))
    part = turn @ covariance[:, columns][..., columns].reshape(cuts * n_columns, -1) @ turn.T
    df = float(n_columns * (cuts - 1))
    if np.linalg.eigvalsh(part)[0] <= 0:
        return np.nan, df, np.nan
    d = turn @ estimate[:, columns].ravel()
    value = float(d @ np.linalg.solve(part, d))
    return value, df, float(special.chdtrc(df, value))


def _ratio(model: OrdinalRegression, x: FloatArray, columns: list[int]) -> tuple[float, float, float]:
    """Return the likelihood ratio against the model whose columns of a term have slopes of their own at each cut."""
    k, rest = len(model.answers), np.delete(x, columns, axis=1)
    standardized = [(part - part.mean(axis=0)) / part.std(axis=0) for part in (rest, x[:, columns])]
    up, low = cut_columns(standardized[0], standardized[1], model.codes, k)
    try:
        larger = maximised(up, low, model.codes, k, np.zeros(len(x)))[1]
    except (NotEstimable, np.linalg.LinAlgError):
        return np.nan, float(len(columns) * (k - 2)), np.nan
    one = LikelihoodRatio.of(larger, model.log_likelihood, len(columns) * (k - 2))
    return float(one.statistic), float(one.df), float(one.p)
