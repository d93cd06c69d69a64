"""Meta-analysis: the effects of several studies together, fixed or random, with an interval for the next study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy
from scipy import special

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.results import apa
from negstats.stats.results.intervals import t_interval
from negstats.stats.results.numbers import ROUNDING, FloatArray, floats
from negstats.stats.results.options import check_choice, t_tails
from negstats.stats.results.result import Interval, Result, check_level, with_schema

# Weights of studies at values of τ² that are held at once.
ON_GRID = 100_000

Test = Literal["hartung-knapp", "z"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MetaAnalysis(Result):
    """The mean effect of several studies.

    Attributes
    ----------
    estimate, se : float
        Weighted mean, in the unit of the effects, and its standard error by `test`.
    statistic, df, p : float
        t on studies − 1 (Hartung and Knapp) or z (df infinite), and the two-sided p.
    tau2 : float
        Variance of the true effects between studies; 0 in a fixed model.
    q, q_df, q_p : float
        Cochran's Q: whether effects differ by more than their errors.
    i2 : float
        Share of the variance of effects that lies between studies, 0 to 1.
    k : int
        Studies.
    model : str
        "random" (REML) or "fixed".
    test : str
        "hartung-knapp" or "z".
    effects, variances, weights : ndarray, shape (k,)
        Of each study; the weights sum to 1.
    note : str
        What a reader should know; empty if nothing.
    """

    estimate: float
    se: float
    statistic: float
    df: float
    p: float
    tau2: float
    q: float
    q_df: float
    q_p: float
    i2: float
    k: int
    model: Literal["random", "fixed"]
    test: Test
    effects: FloatArray
    variances: FloatArray
    weights: FloatArray
    note: str
    plain_se: float = field(repr=False)
    names: tuple[str, ...] | None = field(repr=False)

    @property
    def studies(self) -> tuple[str, ...]:
        """Names of the studies; their places where none were given."""
        return self.names if self.names is not None else tuple(map(str, range(1, self.k + 1)))

    def confidence_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the interval of the mean effect.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, on the scale of the effects.
        """
        name = "Hartung-Knapp" if self.test == "hartung-knapp" else "z"
        return t_interval(self.estimate, self.se, self.df, confidence_level, method=name)

    def prediction_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return where the true effect of a further study like these lies: t on studies − 1, with τ² and the error.

        With `test="z"` the form of Higgins, Thompson and Spiegelhalter (2009), t on studies − 2.

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, on the scale of the effects.

        Raises
        ------
        DesignError
            If the model is fixed, in which all studies have one effect.
        NotEstimable
            If there are fewer than three studies.

        References
        ----------
        Higgins, J. P. T., Thompson, S. G., & Spiegelhalter, D. J. (2009). A re-evaluation of random-effects
        meta-analysis. Journal of the Royal Statistical Society, Series A, 172, 137–159.
        """
        if self.model == "fixed":
            raise DesignError("a fixed model has one effect for all studies; give model='random' to predict another's")
        if self.k < 3:
            raise NotEstimable(f"there are {self.k} studies; a prediction needs three")
        df = self.k - 1.0 if self.test == "hartung-knapp" else self.k - 2.0
        prediction_error = np.sqrt(self.se**2 + self.tau2)
        return t_interval(self.estimate, prediction_error, df, confidence_level, method="prediction")

    def tau2_interval(self, confidence_level: float = 0.95) -> Interval:
        """Return the Q-profile interval of τ² (Viechtbauer, 2007).

        Parameters
        ----------
        confidence_level
            Level of the interval, between 0 and 1.

        Returns
        -------
        Interval
            Its two ends, in squared units of the effects; the lower one may be 0.

        References
        ----------
        Viechtbauer, W. (2007). Confidence intervals for the amount of heterogeneity in meta-analysis. Statistics in
        Medicine, 26, 37–52.
        """
        alpha_half, bounds = (1 - check_level(confidence_level)) / 2, []
        for tail in (alpha_half, 1 - alpha_half):
            limit = float(special.chdtri(self.q_df, tail))

            def excess(tau2: float, limit: float = limit) -> float:
                return _generalized_q(self.effects, self.variances, tau2) - limit

            # Q falls in τ²: doubled until it lies below the quantile, the upper value brackets the root.
            upper = 1.0 * float(np.ptp(self.effects) ** 2 + self.variances.max())
            while excess(upper) > 0:
                upper *= 2
            bounds.append(
                0.0 if excess(0.0) <= 0 else float(scipy.optimize.brentq(excess, 0.0, upper, xtol=1e-14, rtol=1e-13))
            )
        return Interval(bounds[0], bounds[1], confidence_level, "Q-profile")

    def to_frame(self, confidence_level: float = 0.95) -> pd.DataFrame:
        """Return one row a study (effect, interval of its own, weight), then the mean, and the prediction if any.

        Parameters
        ----------
        confidence_level
            Level of all intervals, between 0 and 1.

        Returns
        -------
        DataFrame
            The rows of a forest plot: weights are shares of 1.
        """
        study_interval = t_interval(self.effects, np.sqrt(self.variances), np.inf, confidence_level)
        rows = pd.DataFrame({"study": list(self.studies), "kind": "study", "estimate": self.effects})
        rows = rows.assign(low=study_interval.low, high=study_interval.high, weight=self.weights)
        mean = self.confidence_interval(confidence_level)
        summary_rows = [("mean", "mean", self.estimate, mean.low, mean.high, 1.0)]
        if self.model == "random" and self.k > 2:
            prediction = self.prediction_interval(confidence_level)
            summary_rows.append(("prediction", "prediction", self.estimate, prediction.low, prediction.high, np.nan))
        frame = pd.concat([rows, pd.DataFrame(summary_rows, columns=list(rows.columns))], ignore_index=True)
        return with_schema(frame, "MetaAnalysis/1")

    def apa(self, confidence_level: float = 0.95) -> str:
        """Return the mean with its interval and test, τ², I² and Q, and the prediction interval of a random model.

        Parameters
        ----------
        confidence_level
            Level of all intervals, between 0 and 1.

        Returns
        -------
        str
            The summary as a results section prints it.
        """
        dfs = (self.df,) if np.isfinite(self.df) else ()
        test = apa.statistic("t" if dfs else "z", self.statistic, dfs, self.p)
        text = f"{apa.number(self.estimate)}, {self.confidence_interval(confidence_level)}, {test}, k = {self.k}"
        text += f"; {apa.statistic('Q', self.q, (self.q_df,), self.q_p)}, I² = {100 * self.i2:.0f}%"
        if self.model == "random":
            text += f", τ² = {apa.number(self.tau2)}"
            if self.k > 2:
                prediction = self.prediction_interval(confidence_level)
                text += (
                    f", {100 * confidence_level:g}% PI [{apa.number(prediction.low)}, {apa.number(prediction.high)}]"
                )
        return f"{text} ({self.note})" if self.note else text


def _compute_hartung_knapp(effects: FloatArray, weights: FloatArray, mean: float) -> float:
    """Return by what Hartung and Knapp multiply the variance of the mean: how far the effects lie from it."""
    # Deviations from a mean within the rounding of the effects are none.
    deviations = effects - mean
    deviations = np.where(np.abs(deviations) > ROUNDING * np.abs(effects).max(), deviations, 0.0)
    share = float(weights @ deviations**2) / (len(effects) - 1)
    if not share > 0:
        raise NotEstimable("all effects are equal, so Hartung and Knapp's error is 0", advice="give test='z'")
    return share


def _i_squared(fixed_weights: FloatArray, tau2: float) -> float:
    """Return the share of τ² in the variance of a typical study (Higgins and Thompson)."""
    total = fixed_weights.sum()
    typical_variance = (len(fixed_weights) - 1) * total / (total**2 - (fixed_weights**2).sum())
    return float(tau2 / (tau2 + typical_variance))


def meta_analysis(
    effects: npt.ArrayLike,
    variances: npt.ArrayLike,
    *,
    studies: Sequence[str] | None = None,
    model: Literal["random", "fixed"] = "random",
    test: Test | None = None,
) -> MetaAnalysis:
    """Combine the effects of several studies.

    Parameters
    ----------
    effects, variances
        An effect of each study, all in one unit (d, log odds ratio, Fisher's z, ...), and its sampling variance (the
        square of its standard error).
    studies
        Their names; "1", "2", ... if not given.
    model
        "random": true effects vary between studies (REML). "fixed": one effect.
    test
        "hartung-knapp": t on studies − 1 with the variance of the weighted mean as it shows itself; the default of a
        random model. "z": the default of a fixed one.

    Returns
    -------
    MetaAnalysis
        The mean effect with its test, the variance between studies τ², Q and I², and the weight of each study.

    Raises
    ------
    DesignError
        If effects and variances differ in length or are not numbers, a variance is not positive, or names repeat.
    NotEstimable
        If there is one study, or all effects are equal where Hartung and Knapp's error is asked for.

    Notes
    -----
    REML by the fixed point τ² = max(0, Σw²((y − μ)² − v)/Σw² + 1/Σw), w = 1/(v + τ²) (Viechtbauer, 2005), the root of
    highest likelihood if there are several. Hartung and Knapp (2001): SE² = Σw(y − μ)²/((k − 1)Σw); it can be shorter
    than the plain error, which `note` then says. I² = τ²/(τ² + s²), s² the typical sampling variance (Higgins and
    Thompson, 2002). As R's metafor.

    References
    ----------
    - Hartung, J., & Knapp, G. (2001). A refined method for the meta-analysis of controlled clinical trials with binary
      outcome. Statistics in Medicine, 20, 3875–3889.
    - Higgins, J. P. T., & Thompson, S. G. (2002). Quantifying heterogeneity in a meta-analysis. Statistics in Medicine,
      21, 1539–1558.
    - Viechtbauer, W. (2005). Bias and efficiency of meta-analytic variance estimators in the random-effects model.
      Journal of Educational and Behavioral Statistics, 30, 261–293.

    Examples
    --------
    >>> result = meta_analysis([0.62, 0.10, 0.95, 0.31], [0.04, 0.025, 0.09, 0.03], studies=["A", "B", "C", "D"])
    >>> print(result.apa())
    0.44, 95% CI [−0.12, 1.00], t(3) = 2.51, p = .087, k = 4; Q(3) = 8.34, p = .040, I² = 66%, τ² = 0.07, 95% PI ...
    """
    check_choice("model", model, ("random", "fixed"))
    test_name: Test = test if test is not None else "hartung-knapp" if model == "random" else "z"
    check_choice("test", test_name, ("hartung-knapp", "z"))
    values, sampling_variances, names = _check_effects(effects, variances, studies)
    k = len(values)
    fixed_weights = 1 / sampling_variances
    fixed_mean = _mean(values, fixed_weights)
    # Heterogeneity is measured about the mean of a fixed effect.
    q = float(fixed_weights @ (values - fixed_mean) ** 2)
    tau2 = _reml(values, sampling_variances) if model == "random" else 0.0
    weights = 1 / (sampling_variances + tau2)
    mean = _mean(values, weights)
    plain_se = float(weights.sum() ** -0.5)
    has_ratio = test_name == "hartung-knapp"
    variance_ratio = _compute_hartung_knapp(values, weights, mean) if has_ratio else 1.0
    se, df = plain_se * float(np.sqrt(variance_ratio)), k - 1.0 if has_ratio else np.inf
    note = "the interval is narrower than that of the plain error" if variance_ratio < 1 else ""
    statistic = mean / se
    i2 = _i_squared(fixed_weights, tau2) if model == "random" else max(0.0, (q - (k - 1)) / q) if q > 0 else 0.0
    return MetaAnalysis(
        estimate=mean,
        se=se,
        statistic=statistic,
        df=df,
        p=float(t_tails(statistic, df)),
        tau2=tau2,
        q=q,
        q_df=k - 1.0,
        q_p=float(special.chdtrc(k - 1, q)),
        i2=float(i2),
        k=k,
        model=model,
        test=test_name,
        effects=values,
        variances=sampling_variances,
        weights=weights / weights.sum(),
        note=note,
        plain_se=plain_se,
        names=names,
    )


def _check_effects(
    effects: Any, variances: Any, studies: Sequence[str] | None
) -> tuple[FloatArray, FloatArray, tuple[str, ...] | None]:
    y, v = floats("effects", effects), floats("variances", variances)
    if y.ndim != 1 or v.shape != y.shape:
        raise DesignError(f"effects have the shape {y.shape} and variances {v.shape}; give each study one of both")
    if len(y) and not (np.isfinite(y).all() and np.isfinite(v).all() and v.min() > 0):
        faulty = int(np.argmax(~(np.isfinite(y) & np.isfinite(v) & (v > 0))))
        raise DesignError(
            f"study {faulty + 1} has the effect {y[faulty]:g} and the variance {v[faulty]:g}; effects are finite and "
            "variances positive; leave it out"
        )
    if len(y) < 2:
        raise NotEstimable(f"there is {len(y)} study; combining needs two")
    if studies is None:
        return y, v, None
    names = tuple(map(str, studies))
    if len(names) != len(y) or len(set(names)) < len(names):
        raise DesignError(f"studies is {shown(studies)}; give {len(y)} different names")
    return y, v, names


def _reml(y: FloatArray, v: FloatArray) -> float:
    """Return the τ² of highest restricted likelihood: the best of a grid, then the root of its derivative."""
    scale = float(y.var(ddof=1) + v.mean())
    grid = np.concatenate([[0.0], scale * np.geomspace(1e-6, 1e3, 181)])
    # The likelihood can have several maxima: the grid finds the highest, the derivative's root its last digits.
    best_index = int(_on_grid(y, v, grid).argmax())
    low, high = float(grid[max(best_index - 1, 0)]), float(grid[min(best_index + 1, len(grid) - 1)])

    def slope(tau2: float) -> float:
        return _score(y, v, tau2)

    if low == 0 and slope(0.0) <= 0:
        return 0.0
    return float(scipy.optimize.brentq(slope, low, high, xtol=max(1e-15 * low, 1e-300), rtol=1e-14))


def _on_grid(y: FloatArray, v: FloatArray, grid: FloatArray) -> FloatArray:
    """Return the restricted log-likelihood at each τ² of a grid."""
    values = []
    for tau2_values in np.array_split(grid, max(1, min(len(grid), len(grid) * len(y) // ON_GRID))):
        weights = 1 / (v + tau2_values[:, None])
        total = weights.sum(axis=1)
        means = weights @ y / total
        weighted_squares = np.einsum("gi,gi->g", weights, (y - means[:, None]) ** 2)
        values.append(np.log(weights).sum(axis=1) - np.log(total) - weighted_squares)
    return np.concatenate(values) / 2


def _score(y: FloatArray, v: FloatArray, tau2: float) -> float:
    w = v + tau2
    np.reciprocal(w, out=w)
    total, squares = float(w.sum()), _sum(w, w)
    w *= y - _mean(y, w)
    return (_sum(w, w) - total + squares / total) / 2


def _generalized_q(y: FloatArray, v: FloatArray, tau2: float) -> float:
    w = 1 / (v + tau2)
    return _sum(w, (y - _mean(y, w)) ** 2)


def _mean(y: FloatArray, w: FloatArray) -> float:
    """Return the weighted mean; of equal effects their value to the last digit."""
    return float(y[0]) + _sum(w, y - y[0]) / float(w.sum())


def _sum(a: FloatArray, b: FloatArray) -> float:
    """Return Σ a b without BLAS, whose threads cost more than so short a product, and whose last digit is theirs."""
    return float(np.einsum("i,i->", a, b))
