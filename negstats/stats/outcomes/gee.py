"""Yes or no and counts in clusters: estimating equations with standard errors for few clusters (Mancl and DeRouen)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import special

from negstats.errors import DesignError, NotEstimable, meant, one_line, shown
from negstats.stats.means.grid import Grid, reference_cells, wald_grid
from negstats.stats.models.results import TermTest
from negstats.stats.outcomes._fits import fitted
from negstats.stats.outcomes._tests import coefficient_frame, ratio_text
from negstats.stats.outcomes.logistic import count_columns
from negstats.stats.outcomes.marginal import MarginalEffects, marginal_effects
from negstats.stats.relations._rows import Model, check_separation, events, model_of
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray, floats
from negstats.stats.results.options import check_choice, t_interval
from negstats.stats.results.result import Interval, Result, check_level

__all__ = ["ClusteredRegression", "gee"]

Kind = Literal["yes/no", "count"]
Variance = Literal["family", "negative binomial"]
LINKS = {"yes/no": "logit", "count": "log"}
SYMBOLS = {"yes/no": "OR", "count": "RR"}
FEW = 4.0
MOMENTS, INDEPENDENCE = "moments, divisors less coefficients (statsmodels)", "working independence"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ClusteredRegression(Result):
    """Estimating equations of clustered yes or no, or counts. Arrays have the shape ``(coefficients,)``.

    Attributes
    ----------
    outcome, event : str
        The measured column, and which of its two values is modelled (empty for counts).
    kind : str
        "yes/no" (log odds) or "count" (log of the mean).
    names : tuple of str
        The coefficients, "Intercept" first; ``g[b]`` is level b against the first level of g.
    estimate, se, statistic, p : ndarray
        Coefficients, Mancl and DeRouen's standard errors, t and its two-sided p.
    df : float
        Clusters less coefficients: a convention, for there is no exact one.
    covariance, sandwich : ndarray, shape (coefficients, coefficients)
        Mancl and DeRouen's, and the plain one, which is too small where clusters are few.
    correlation : float
        Of two rows of a cluster, one for all pairs; 0 for working independence.
    scale : float
        Dispersion: Pearson's chi-squared over rows less coefficients.
    dispersion : float
        α of counts whose variance is μ + αμ²; 0 where it is the family's.
    rule : str
        How correlation and scale were estimated.
    n, clusters, missing : int
        Complete rows, clusters, and rows left out.
    """

    outcome: str
    event: str
    kind: Kind
    names: tuple[str, ...]
    estimate: FloatArray
    se: FloatArray
    statistic: FloatArray
    df: float
    p: FloatArray
    covariance: FloatArray
    sandwich: FloatArray
    correlation: float
    scale: float
    dispersion: float
    rule: str
    n: int
    clusters: int
    missing: int
    model: Model = field(repr=False)
    y: FloatArray = field(repr=False)
    errors: str = "Mancl-DeRouen"

    @property
    def terms(self) -> tuple[str, ...]:
        """The formula's terms."""
        return self.model.coding.term_names

    def test(self, term: str) -> TermTest:
        """Return Wald's F of a term after all others (type III) on clusters less coefficients."""
        place = self.model.place(term)
        rows = self._contrasts(place)
        b = rows @ self.estimate
        q = float(len(rows))
        f = float(b @ np.linalg.solve(rows @ self.covariance @ rows.T, b)) / q
        return TermTest(term, f, q, self.df, float(special.fdtrc(q, self.df, f)), 1.0, self.errors)

    def _contrasts(self, place: int) -> FloatArray:
        """Return the rows whose sums are the term's coefficients coded to sum to zero."""
        here, there = self.model.columns(), self.model.coding.matrix(self.model.given)
        turn = np.asarray(np.linalg.lstsq(there, here, rcond=None)[0], dtype=np.float64)
        return turn[self.model.coding.columns_of(place)]

    def tests(self) -> pd.DataFrame:
        """Return one row a term: its F test after all others."""
        rows = [(term, self.test(term)) for term in self.terms]
        values = [(term, one.statistic, one.df1, one.df2, one.p) for term, one in rows]
        return pd.DataFrame(values, columns=["term", "statistic", "df1", "df2", "p"])

    def confidence_interval(self, level: float = 0.95, of: str | None = None) -> Interval:
        """Return the t interval of each coefficient, or of one, on the log scale."""
        if of is not None and of not in self.names:
            raise DesignError(f"the model has no coefficient {shown(of)}; {meant(of, self.names, 'it has')}")
        low, high = t_interval(self.estimate, self.se, self.df, check_level(level), "two-sided")
        if of is None:
            return Interval(low, high, level, f"t, {self.errors}")
        place = self.names.index(of)
        return Interval(float(low[place]), float(high[place]), level, f"t, {self.errors}")

    def kauermann_carroll(self) -> ClusteredRegression:
        """Return the same fit of yes or no with Kauermann and Carroll's errors, which are less shy with few clusters.

        For clusters of alike sizes: where they have very unlike numbers of rows these may be too small (Li and Redden,
        2015, Statistics in Medicine 34). `docs/calibration.md` has both.
        """
        if self.kind != "yes/no":
            raise DesignError(f"kind is {self.kind!r}; Kauermann and Carroll's errors are for yes or no here")
        from negstats.stats.outcomes._few_clusters import kauermann_carroll

        x = self.model.columns() if self.model.given else np.ones((len(self.y), 1))
        spread = kauermann_carroll(x, self.y, self.estimate, self.correlation, self.model.clusters)
        se = np.sqrt(np.maximum(np.diag(spread), 0.0))  # rounding, where clusters of a level all have the same share
        with np.errstate(divide="ignore"):
            t = self.estimate / se
        p = 2 * special.stdtr(self.df, -np.abs(t))
        return replace(
            self, se=se, statistic=t, p=np.asarray(p, dtype=np.float64), covariance=spread, errors="Kauermann-Carroll"
        )

    def marginal_effects(self, of: str | None = None) -> MarginalEffects:
        """Return the average marginal effect of each variable (or one): in shares of the event, or in counts."""
        return marginal_effects(self.model, self.estimate, self.covariance, LINKS[self.kind], self.df, of)

    def grid(self) -> Grid:
        """Return log odds (log means) of the cells, as `pairwise`, `contrasts` and `simple_effects` take them.

        They call this; covariates stand at their means, and a difference is the logarithm of a ratio.
        """
        factors, codes = reference_cells(self.model.coding)
        cells = codes.shape[1]
        values: dict[str, Any] = {factor.name: code for factor, code in zip(factors, codes, strict=True)}
        values |= {name: np.full(cells, self.model.given[name].mean()) for name in self.model.coding.covariates}
        rows = self.model.columns(values) if values else np.ones((1, 1))
        found = (self.estimate, self.covariance, self.df)
        return wald_grid(factors, self.model.cell_sizes(), rows, found, self.outcome, self.missing)

    def to_frame(self, level: float = 0.95, *, ratios: bool = False) -> pd.DataFrame:
        """Return one row a coefficient; with `ratios` as odds ratios (ratios of mean counts)."""
        columns: dict[str, Any] = {"estimate": self.estimate, "se": self.se, "statistic": self.statistic}
        columns |= {"df": self.df, "p": self.p}
        interval = self.confidence_interval(level)
        return coefficient_frame(self.names, columns, interval, ratios=ratios, schema="ClusteredRegression/1")

    def apa(self, level: float = 0.95) -> str:
        """Return each term's F, with the ratio of a term of one coefficient outside interactions."""
        said = []
        for place, term in enumerate(self.terms):
            text = f"{term}: {self.test(term).apa()}"
            columns = self.model.coding.columns_of(place)
            if len(columns) == 1 and self.model.stands_alone(place):
                ends = self.confidence_interval(level, of=self.names[columns[0]])
                low, high = float(np.ravel(ends.low)[0]), float(np.ravel(ends.high)[0])
                text += f", {ratio_text(SYMBOLS[self.kind], self.estimate[columns[0]], low, high, level)}"
            said.append(text)
        few = ", few clusters" if self.df < FEW else ""
        working = f", r = {apa.bounded(self.correlation)}" if self.rule != INDEPENDENCE else ""
        return f"{'; '.join(said)} ({self.clusters} clusters{few}{working})"


def gee(
    data: Any,
    formula: str,
    *,
    cluster: str,
    kind: Kind = "yes/no",
    event: object = None,
    correlation: Literal["exchangeable", "independence"] = "exchangeable",
    variance: Variance = "family",
    exposure: str | None = None,
) -> ClusteredRegression:
    """Fit yes or no (logit link) or counts (log link) whose rows belong together: players of a game, games of a person.

    Parameters
    ----------
    data
        A frame of any engine with one row an observation, or arrays by name.
    formula
        Such as "agreed ~ price * condition".
    cluster
        The column that says what belongs together.
    kind
        "yes/no" or "count".
    event
        As in `logistic`.
    correlation
        "exchangeable": all pairs of a cluster are equally correlated; "independence": weights as if none were, with
        errors that hold all the same.
    variance
        Of counts: "family", the mean times the scale; or "negative binomial", μ + αμ² with the α of
        `negative_binomial`, which weighs large counts less.
    exposure
        As in `poisson`, of counts.

    Raises
    ------
    DesignError
        If the formula cannot be read, a column is not there, or the outcome is not of this kind.
    NotEstimable
        If there are no more clusters than coefficients, no cluster has two rows, a column separates the outcome, or the
        estimated correlation is one that no data can have.

    Notes
    -----
    Liang and Zeger (1986), Biometrika 73, 13-22; Mancl and DeRouen (2001), Biometrics 57, 126-134: residuals of a
    cluster times (I − H)⁻¹, about right from ten clusters on where the plain sandwich needs 40; with fewer it is shy.
    Fitted by statsmodels; the correlation is the mean product of Pearson residuals of a cluster, with rows (pairs) less
    coefficients as divisors (R's geepack divides by rows and pairs, and so finds slightly other coefficients). Tests
    are on t with clusters less coefficients as degrees of freedom.

    Examples
    --------
    >>> rows = {"game": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6], "price": [1, 5, 2, 4, 3, 3, 2, 5, 1, 4, 2, 6]}
    >>> rows["agreed"] = [1, 0, 1, 1, 0, 1, 1, 0, 1, 0, 0, 0]
    >>> print(gee(rows, "agreed ~ price", cluster="game").apa())
    price: F(1, 4) = 4.32, p = .106, OR = 0.31, 95% CI [0.07, 1.48] (6 clusters, r = −.05)
    """
    check_choice("kind", kind, tuple(LINKS))
    check_choice("correlation", correlation, ("exchangeable", "independence"))
    check_choice("variance", variance, ("family", "negative binomial"))
    if kind == "yes/no" and (exposure is not None or variance != "family"):
        raise DesignError("exposure and variance='negative binomial' are of counts; give kind='count'")
    model = model_of(data, formula, cluster, exposure)
    y, name = _outcome(model, kind, event)
    x = model.columns() if model.given else np.ones((len(y), 1))
    sizes = np.bincount(model.clusters)
    free = float(len(sizes) - x.shape[1])
    if free < 1:
        raise NotEstimable(
            f"{len(sizes)} clusters of {cluster!r} are too few for {x.shape[1]} coefficients; there must be more"
        )
    if sizes.max() < 2:
        raise NotEstimable(
            f"no {cluster!r} has two rows; rows that are all independent are for logistic or quasi_poisson"
        )
    alpha = 0.0
    if variance == "negative binomial":
        alpha = fitted(*count_columns(model), variance, model.offset).dispersion
    fit = _fitted(model, x, y, (kind, alpha), correlation)
    if not -1 / (sizes.max() - 1) < fit.correlation < 1:
        raise NotEstimable(
            f"the estimated correlation is {fit.correlation:.2f}, which clusters of {sizes.max()} cannot have; give "
            "correlation='independence'"
        )
    se = np.sqrt(np.diag(fit.covariance))
    t = fit.beta / se
    return ClusteredRegression(
        outcome=str(model.outcome.name),
        event=name,
        kind=kind,
        names=model.names,
        estimate=fit.beta,
        se=se,
        statistic=t,
        df=free,
        p=np.asarray(2 * special.stdtr(free, -np.abs(t))),
        covariance=fit.covariance,
        sandwich=fit.sandwich,
        correlation=fit.correlation,
        scale=fit.scale,
        dispersion=alpha,
        rule=MOMENTS if correlation == "exchangeable" else INDEPENDENCE,
        n=len(y),
        clusters=len(sizes),
        missing=model.missing,
        model=model,
        y=y,
    )


def _outcome(model: Model, kind: Kind, event: object) -> tuple[FloatArray, str]:
    x = model.columns() if model.given else np.ones((len(model.outcome), 1))
    outcome = str(model.outcome.name)
    if kind == "yes/no":
        y, name = events(model.outcome, event)
        check_separation(2 * y - 1, x, model.names, outcome)
        return y, name
    y = floats(f"the outcome {outcome!r}", model.outcome.to_numpy())
    if (y < 0).any():
        raise DesignError(f"the outcome {outcome!r} holds {y[y < 0][0]:g}; counts are 0 or more")
    if not y.any():
        raise NotEstimable(f"every {outcome!r} is 0; there is nothing to explain")
    if (y == 0).any():
        check_separation(np.where(y > 0, 0.0, -1.0), x, model.names, outcome, zero=True)
    return y, ""


@dataclass(frozen=True, slots=True, eq=False)
class _Fit:
    """What statsmodels found, in the coefficients of the columns as given."""

    beta: FloatArray
    covariance: FloatArray
    sandwich: FloatArray
    correlation: float
    scale: float


def _fitted(model: Model, x: FloatArray, y: FloatArray, family: tuple[Kind, float], correlation: str) -> _Fit:
    """Fit on orthonormal columns, so that units and origin of the columns cost no digits."""
    import statsmodels.api as sm

    q, r = np.linalg.qr(x)
    kind, alpha = family
    counts = sm.families.NegativeBinomial(sm.families.links.Log(), alpha) if alpha else sm.families.Poisson()
    spread = sm.families.Binomial() if kind == "yes/no" else counts
    structure = sm.cov_struct.Exchangeable() if correlation == "exchangeable" else sm.cov_struct.Independence()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            fit = sm.GEE(y, q, groups=model.clusters, family=spread, cov_struct=structure, offset=model.offset).fit(
                maxiter=500, ctol=1e-12, cov_type="bias_reduced"
            )
        except (Warning, np.linalg.LinAlgError, ValueError) as error:
            raise NotEstimable(
                f"the estimating equations have no solution that could be reached ({one_line(error)}); give "
                "correlation='independence', or fewer terms"
            ) from None
    back = np.linalg.inv(r)
    mean = np.asarray(fit.fittedvalues)
    pearson = (y - mean) / np.sqrt(mean * (1 - mean) if kind == "yes/no" else mean * (1 + alpha * mean))
    between = float(np.ravel(structure.dep_params)[0]) if correlation == "exchangeable" else 0.0
    return _Fit(
        beta=back @ fit.params,
        covariance=back @ fit.cov_robust_bc @ back.T,
        sandwich=back @ fit.cov_robust @ back.T,
        correlation=between,
        scale=float((pearson**2).sum() / (len(y) - x.shape[1])),
    )
