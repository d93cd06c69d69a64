"""Power of studies of pairs: the design effect, closed forms, and designs to simulate."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Real
from typing import Literal, TypeAlias

import numpy as np
from scipy import special, stats

from negstats.errors import DesignError, NotEstimable, shown
from negstats.stats.power.closed import Power, SampleSize, check_alpha
from negstats.stats.power.designs import ClusterDesign, cluster_design
from negstats.stats.power.drawing import RepeatedDesign
from negstats.stats.power.simulate import find_first
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice, check_count, check_number, check_share
from negstats.stats.results.result import Interval
from negstats.stats.summaries.frames import Factor

FORMULA = "outcome ~ condition * role"
MOST_PAIRS = 10**7

Predictor: TypeAlias = Literal["between", "within"]


def design_effect(icc: float, size: float = 2, predictor: Predictor = "between") -> float:
    """Return the factor by which clusters change the variance of a mean difference.

    Parameters
    ----------
    icc
        Intraclass correlation, from −1/(size − 1) to 1.
    size
        Rows a cluster.
    predictor
        "between": the groups are of whole clusters, 1 + (size − 1) ICC (Kish, 1965). "within": each cluster has as many
        rows of each group, 1 − ICC.

    Returns
    -------
    float
        The factor of the variance: 1 if clusters change nothing, above 1 if they cost power.

    Raises
    ------
    DesignError
        If no clusters of this size have such a correlation.

    References
    ----------
    Kish, L. (1965). Survey Sampling. Wiley.

    Examples
    --------
    >>> design_effect(0.4), design_effect(0.4, predictor="within")
    (1.4, 0.6)
    """
    check_choice("predictor", predictor, ("between", "within"))
    if check_number("size", size) < 1:
        raise DesignError(f"size is {shown(size)}; give the rows of a cluster, at least 1")
    _check_icc(icc, size)
    return 1 + (size - 1) * icc if predictor == "between" else 1 - icc


def dyad_power(
    *, pairs: tuple[int, int], effect: float, icc: float, predictor: Predictor = "between", alpha: float = 0.05
) -> Power:
    """Return the power to find a difference between two conditions of pairs, or between the two roles in each pair.

    Parameters
    ----------
    pairs
        Pairs in each of two conditions.
    effect
        Difference of means in SDs of a person, σ² + τ² = 1.
    icc
        Correlation of the two residuals of a pair; negative where they compete.
    predictor
        "between": the conditions. "within": the roles, in a model that has the condition and both together.
    alpha
        Level of the two-sided test.

    Returns
    -------
    Power
        The power with the numbers of pairs and alpha.

    Notes
    -----
    The test is t of the means, or of the differences, of pairs, on n₁ + n₂ − 2 df, which is REML's with Kenward and
    Roger's df where every pair is whole (Kenny, Kashy and Cook, 2006, ch. 3).

    References
    ----------
    Kenny, D. A., Kashy, D. A., & Cook, W. L. (2006). Dyadic Data Analysis. Guilford Press.

    Examples
    --------
    >>> dyad_power(pairs=(40, 40), effect=0.5, icc=0.4).apa()
    'power = .75 (n = 40, 40, α = .05, noncentral t)'
    """
    sizes = [check_count("pairs", size, 2) for size in pairs]
    if len(sizes) != 2:
        raise DesignError(f"pairs is {shown(pairs)}; give the pairs of each of two conditions")
    variance_factor = design_effect(icc, 2, predictor)
    if variance_factor == 0:
        raise DesignError(f"icc is {shown(icc)}: the two of each pair would differ by nothing else")
    # A pair's mean has the variance (1 + ρ)/2, its difference 2(1 − ρ); the roles' is the mean of both conditions'.
    variance = variance_factor / 2 * sum(1 / n for n in sizes)
    if predictor == "within":
        variance = 2 * variance_factor * sum(1 / n for n in sizes) / 4
    df = sum(sizes) - 2
    noncentrality = check_number("effect", effect) / np.sqrt(variance)
    critical = -float(special.stdtrit(df, check_alpha(alpha) / 2))
    power = float(stats.nct.sf(critical, df, noncentrality) + stats.nct.sf(critical, df, -noncentrality))
    return Power(power, tuple(map(float, sizes)), alpha, f"{predictor} pairs", "noncentral t")


def dyad_sample_size(
    *, effect: float, icc: float, predictor: Predictor = "between", power: float = 0.8, alpha: float = 0.05
) -> SampleSize:
    """Return how many pairs each of two conditions needs for a power; arguments as for `dyad_power`.

    The tests are those of Kenny, Kashy and Cook [1]_.

    Parameters
    ----------
    effect
        Difference of means in SDs of a person.
    icc
        Correlation of the two residuals of a pair.
    predictor
        "between" or "within" pairs.
    power
        What is to be reached.
    alpha
        Level of the two-sided test.

    Returns
    -------
    SampleSize
        The number of pairs in each condition, their total, and the power that they have.

    References
    ----------
    .. [1] Kenny, D. A., Kashy, D. A., & Cook, W. L. (2006). Dyadic Data Analysis. Guilford Press.

    Examples
    --------
    >>> result = dyad_sample_size(effect=0.5, icc=0.4)
    >>> result.n, round(result.power, 3)
    ((45, 45), 0.801)
    >>> dyad_sample_size(effect=0.5, icc=0.4, predictor="within").n
    (20, 20)
    """
    check_share("power", power, 0.8)
    if check_number("effect", effect) == 0:
        raise DesignError("effect is 0; no number of pairs can show a difference of 0")

    def compute_power(pairs: int) -> float:
        result = dyad_power(pairs=(pairs, pairs), effect=effect, icc=icc, predictor=predictor, alpha=alpha)
        return float(np.asarray(result.power))

    n = find_first(lambda pairs: compute_power(pairs) >= power, 2, 2, MOST_PAIRS)
    if n > MOST_PAIRS:
        raise NotEstimable(f"more than {MOST_PAIRS:,} pairs a condition would be needed")
    estimate = compute_power(n)
    return SampleSize(
        n=(n, n), total=2 * n, target=power, power=estimate, power_interval=Interval(estimate, estimate, 0.95),
        n_interval=Interval(n, n, 0.95), alpha=alpha, test=f"{predictor} pairs", method="noncentral t",
    )  # fmt: skip


def dyad_design(
    *,
    pairs: tuple[int, int],
    mean: tuple[tuple[float, float], tuple[float, float]],
    icc: float,
    conditions: tuple[str, str] = ("a", "b"),
    roles: tuple[str, str] = ("first", "second"),
) -> ClusterDesign:
    """Describe pairs of two roles in two conditions; draws `ClusterMoments`, which `mixed` takes.

    Parameters
    ----------
    pairs
        Pairs in each condition.
    mean
        Of each condition (rows) and role, in SDs of a person.
    icc
        Correlation of the two residuals of a pair, between −1 and 1.
    conditions, roles
        Names of the levels.

    Returns
    -------
    ClusterDesign
        A population that `simulated_power` draws from, both rows of a pair together.

    Raises
    ------
    DesignError
        If there are no pairs, the means have another shape, or no pairs have such a correlation.

    Examples
    --------
    >>> from negstats.stats.models.mixed import mixed
    >>> from negstats.stats.power.simulate import simulated_power
    >>> design = dyad_design(pairs=(40, 40), mean=((0.5, 0.5), (0, 0)), icc=0.4)
    >>> test = lambda moments: mixed(moments, between="any").test("condition")
    >>> simulated_power(design, test, rng=np.random.default_rng(1), n_simulations=100).apa()
    'power = .81, 95% CI [.72, .87] (n = 40, 40, α = .05, 100 simulated studies)'
    """
    sizes = np.array([check_count("pairs", size, 2) for size in pairs], dtype=np.float64)
    means = np.asarray(mean, dtype=np.float64)
    if sizes.shape != (2,) or means.shape != (2, 2) or not np.isfinite(means).all():
        raise DesignError(f"pairs is {shown(pairs)} and mean {shown(mean)}; give two numbers of pairs and 2 × 2 means")
    if not -1 < _check_icc(icc, 2) < 1:
        raise DesignError(f"icc is {shown(icc)}; give a number between -1 and 1 for pairs")
    first, second = (tuple(map(float, row)) for row in means)
    kinds = tuple(tuple({"condition": condition, "role": role} for role in roles) for condition in conditions)
    return cluster_design(n_clusters=sizes, kinds=kinds, mean=(first, second), correlation=icc, formula=FORMULA)


def actor_partner_design(
    *,
    pairs: int,
    actor: float | Sequence[float],
    partner: float | Sequence[float],
    predictor: float = 0.0,
    residual: float = 0.0,
    sd: float | Sequence[float] = 1.0,
) -> RepeatedDesign:
    """Describe pairs in which one's own value and the partner's affect one's outcome; draws `Moments`.

    Parameters
    ----------
    pairs
        How many.
    actor, partner
        Effects of one's own and of the partner's predictor, whose SD is 1: one number, or one a role.
    predictor, residual
        Correlation of the two predictors of a pair, and of the two residuals.
    sd
        Of the residuals: one number, or one a role.

    Returns
    -------
    RepeatedDesign
        A population that `simulated_power` draws from, all measures of a pair together.

    Raises
    ------
    DesignError
        If there are no pairs, a number is none, or no pairs have such correlations.

    Notes
    -----
    Predictors and residuals are normal. The summary of a study is drawn as means and covariances of x1, x2, y1, y2, so
    that the work does not depend on the number of pairs.

    Examples
    --------
    >>> from negstats.stats.models.dyads import actor_partner
    >>> from negstats.stats.power.simulate import simulated_power
    >>> design = actor_partner_design(pairs=60, actor=0.3, partner=0.2, predictor=0.2, residual=0.4)
    >>> test = lambda moments: actor_partner(moments, alike=True).coefficient("partner")
    >>> simulated_power(design, test, rng=np.random.default_rng(1), n_simulations=2000).apa()
    'power = .58, 95% CI [.56, .60] (n = 60, α = .05, 2,000 simulated studies)'
    """
    n = check_count("pairs", pairs, 4)
    paths = np.array([_two("actor", actor), _two("partner", partner)])
    slopes = np.array(
        [[paths[0, 0], paths[1, 0]], [paths[1, 1], paths[0, 1]]]
    )  # a row an outcome, a column a predictor
    sds = _two("sd", sd)
    if not (sds > 0).all():
        raise DesignError(f"sd is {shown(sd)}; give positive numbers")
    x = _pair_matrix("predictor", predictor)
    residuals = _pair_matrix("residual", residual) * np.outer(sds, sds)
    y = slopes @ x @ slopes.T + residuals
    covariance = np.block([[x, x @ slopes.T], [slopes @ x, y]])
    return RepeatedDesign(np.asarray(float(n)), (), np.zeros(4), covariance, Factor("seat", VARIABLES))


def actor_partner_power(
    *, pairs: int, effect: float, predictor: float = 0.0, sd: float = 1.0, alpha: float = 0.05
) -> Power:
    """Return the power to find an actor or partner effect of one role, by the t-test of its regression.

    Parameters
    ----------
    pairs
        How many.
    effect
        The actor or the partner effect of a predictor whose SD is 1; the other effect makes no difference.
    predictor
        Correlation of the two predictors of a pair.
    sd
        Of the residuals of that role.
    alpha
        Level of the two-sided test.

    Returns
    -------
    Power
        The power with the number of pairs and alpha.

    Notes
    -----
    Given the predictors the test is noncentral t on n − 3 df, and what one predictor has beside the other is (1 − r²)χ²
    on n − 2 df (both normal); power is the mean of the one over the other (Gatsonis and Sampson, 1989).

    References
    ----------
    Gatsonis, C., & Sampson, A. R. (1989). Multiple correlation: Exact power and sample size calculations. Psychological
    Bulletin, 106, 516–524.

    Examples
    --------
    >>> actor_partner_power(pairs=60, effect=0.4, predictor=0.3).apa()
    'power = .80 (n = 60, α = .05, noncentral t)'
    """
    n = check_count("pairs", pairs, 4)
    r, outcome_sd = check_number("predictor", predictor), check_number("sd", sd)
    if not (-1 < r < 1 and outcome_sd > 0):
        raise DesignError(
            f"predictor is {shown(predictor)} and sd {shown(sd)}; give r between -1 and 1, and an sd above 0"
        )
    critical = -float(special.stdtrit(n - 3, check_alpha(alpha) / 2))
    area = (np.arange(2000) + 0.5) / 2000  # the mean over quantiles of chi-squared, to four digits and more
    noncentralities = (
        abs(check_number("effect", effect)) / outcome_sd * np.sqrt((1 - r**2) * stats.chi2.ppf(area, n - 2))
    )
    tail_sums = stats.nct.sf(critical, n - 3, noncentralities) + stats.nct.cdf(-critical, n - 3, noncentralities)
    power = float(np.mean(tail_sums))
    return Power(power, (float(n),), alpha, "actor or partner effect", "noncentral t")


VARIABLES = ("x1", "x2", "y1", "y2")


def _two(argument: str, value_or_pair: float | Sequence[float]) -> FloatArray:
    """Return a number of each role."""
    values = [value_or_pair, value_or_pair] if isinstance(value_or_pair, Real) else list(value_or_pair)  # type: ignore[arg-type]
    if len(values) != 2:
        raise DesignError(f"{argument} is {shown(value_or_pair)}; give one number, or one a role")
    return np.array([check_number(argument, value) for value in values])


def _pair_matrix(argument: str, r: float) -> FloatArray:
    if not -1 < check_number(argument, r) < 1:
        raise DesignError(f"{argument} is {shown(r)}; give a correlation between -1 and 1")
    return np.array([[1.0, r], [r, 1.0]])


def _check_icc(icc: float, size: float) -> float:
    smallest_icc = -1 / (size - 1) if size > 1 else -1.0
    if isinstance(icc, bool) or not isinstance(icc, Real) or not smallest_icc <= icc <= 1:
        raise DesignError(f"icc is {shown(icc)}; clusters of {size:g} have one from {smallest_icc:.3g} to 1")
    return float(icc)
