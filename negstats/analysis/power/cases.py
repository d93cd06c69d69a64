"""For each test of the table: what is drawn, and the test that is put to the stack of studies.

A test is the same function that answers the question from data; here it takes a stack of summaries. Tests for which
nothing is drawn are refused by name.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import scipy

from negstats.analysis.method import METHODS, function_at
from negstats.analysis.methods.counts import SMALL
from negstats.analysis.methods.shares import exact_change
from negstats.analysis.power.expected import Expected, check_pair
from negstats.errors import DesignError, NotEstimable, UsageError
from negstats.stats.power.closed import power, term_power
from negstats.stats.power.designs import (
    binary_design,
    categorical_design,
    normal_design,
    ordinal_design,
    repeated_design,
)
from negstats.stats.power.drawing import Design
from negstats.stats.power.responses import both_yes
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import Alternative, t_tails

ARRANGED = 999  # arrangements of the labels of a small study
RAREST = 1e-9  # share of the counts above those that are drawn


@dataclass(frozen=True, slots=True, eq=False)
class PowerTask:
    """One answer of a question: what is drawn and what is tested.

    Attributes
    ----------
    term : str
        The term or contrast; empty where the question has one answer.
    design : Design
        Draws stacks of studies.
    test : Callable
        Takes a stack and returns one p a study.
    closed : Callable or None
        Power by formula at a size of the smallest cell and a level, where there is one for this design.
    """

    term: str
    design: Design
    test: Callable[[Any], Any]
    closed: Callable[[int, float], float] | None = None


Case: TypeAlias = Callable[[Expected], Iterator[PowerTask]]


def power_tasks(planned: Expected) -> list[PowerTask]:
    """Return what a question's power is computed of.

    Raises
    ------
    DesignError
        If its test needs rows, or what is expected does not do for it.
    """
    test = planned.choice.rule.test
    address = METHODS[test].power if test else ""
    if not planned.refitted and not address:
        raise DesignError(
            f"the power of {METHODS[planned.choice.rule.key].label or test} is not simulated"
            if test
            else planned.choice.sentence
        )
    tasks: Case = _refitted if planned.refitted else function_at("power", f"cases.{address}")
    return list(tasks(planned))


def _sizes(planned: Expected) -> FloatArray:
    """Return sizes with one unit hundred in the smallest cell; they are scaled to every n."""
    return np.round(100 * planned.weights)


def _cells(planned: Expected) -> Any:
    if planned.pool is not None:
        return _build_pooled(planned)
    return normal_design(
        n=_sizes(planned), mean=planned.cells["mean"], sd=planned.cells["sd"], factors=planned.factors, outcome="value"
    )


def _build_pooled(planned: Expected) -> Any:
    pool = planned.pool
    if pool is None:
        raise DesignError("no game was played")
    return ordinal_design(
        n=_sizes(planned), values=pool.values, probabilities=pool.shares, factors=planned.factors, outcome="value"
    )


def _one_sd(planned: Expected) -> bool:
    if planned.pool is not None:
        return False
    sd = planned.cells["sd"]
    return bool(np.ptp(sd) == 0) and bool(np.ptp(planned.weights) == 0)


def welch_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the comparison of two or more independent means."""
    from negstats.stats.means.oneway import one_way
    from negstats.stats.means.t_tests import t_test

    design = _cells(planned)
    if design.n.size > 2:
        yield PowerTask("", design, lambda cells: one_way(cells, method="welch"))
        return
    side = planned.alternative
    closed_form = None
    if _one_sd(planned):
        mean, sd = design.mean.ravel(), design.sd.ravel()
        effect = float((mean[0] - mean[1]) / sd[0])
        closed_form = lambda n, alpha: float(power("t", effect=effect, n=n, alpha=alpha, alternative=side).power)  # noqa: E731
    yield PowerTask("", design, lambda cells: t_test(cells, alternative=side), closed_form)


def one_sample_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the comparison of one mean with a stated value."""
    from negstats.stats.means.t_tests import one_sample_t

    null_value = planned.question.against
    alternative = planned.alternative
    if null_value is None:
        raise DesignError("the power of a test of one mean needs a value to test against; give against")
    null = float(null_value)
    effect = float((planned.cells["mean"] - null) / planned.cells["sd"])
    design = normal_design(n=[100], mean=planned.cells["mean"].reshape(1), sd=planned.cells["sd"].reshape(1))

    def test(cells: Any) -> Any:
        return one_sample_t(cells, null=null, alternative=alternative)

    yield PowerTask(
        "",
        design,
        test,
        lambda n, alpha: float(power("one-sample t", effect=effect, n=n, alpha=alpha, alternative=alternative).power),
    )


def _terms(planned: Expected, all_terms: tuple[str, ...]) -> tuple[str, ...]:
    """Return the terms that answer, as the plan names them or all, in the order of the model."""
    from negstats.stats.means.f_tests import find_term

    effect_terms = {all_terms[find_term(all_terms, term)] for term in planned.question.effect}
    return tuple(term for term in all_terms if not effect_terms or term in effect_terms)


def anova_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the terms of a factorial analysis, each cell with its own variance.

    The formula is that of the F with one variance, which the test comes close to where all cells have the same SD.
    """
    from negstats.stats.means.robust import robust_anova

    design = _cells(planned)
    has_one_sd = planned.pool is None and bool(np.ptp(design.sd) == 0)
    for term in _terms(planned, _term_names(planned.factors)):
        closed_form = _term_closed(design, term) if has_one_sd else None
        test = partial(_effect, partial(robust_anova, method="welch-james"), term)
        yield PowerTask(term, design, test, closed_form)


def _term_closed(design: Any, term: str) -> Callable[[int, float], float]:
    return lambda n, alpha: float(term_power(design.resized(n), term, alpha=alpha).power)


def _effect(test: Callable[[Any], Any], term: str, cells: Any) -> Any:
    return test(cells).effect(term)


def _one_contrast(compute_contrast: Callable[[Any], Any], side: Alternative, place: int, cells: Any) -> FloatArray:
    tests = compute_contrast(cells)
    return t_tails(tests.statistic, tests.df, side)[..., place]


def _term_names(factors: Mapping[str, object]) -> tuple[str, ...]:
    from negstats.stats.means.design import all_terms

    names = list(factors)
    return tuple(":".join(names[place] for place in places) for places in all_terms(len(names)))


def contrast_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the planned contrasts of independent means."""
    from negstats.stats.contrasts.planned import contrasts

    if planned.within:
        raise DesignError("the power of contrasts within units is not simulated; ask for two levels with only")
    design, side = _cells(planned), planned.alternative
    for contrast in planned.question.contrasts:
        factor = next((name for name, levels in planned.factors.items() if set(contrast.weights) <= set(levels)), None)
        if factor is None:
            raise UsageError(f"contrast {contrast.name!r}: its levels do not belong to a single factor of the question")
        others = [name for name in planned.factors if name != factor]

        def made(cells: Any, weights: Any = contrast.weights, of: str = factor, others: Any = tuple(others)) -> Any:
            return contrasts(cells, weights={"c": weights}, specs=of, at=list(others) or None, error="welch")

        parts = made(design.draw(1, np.random.default_rng(0)))
        for place in range(np.asarray(parts.p).shape[-1]):
            name = contrast.name if not others else f"{contrast.name}, {_describe_place(planned, others, place)}"
            yield PowerTask(name, design, partial(_one_contrast, made, side, place))


def _describe_place(planned: Expected, others: list[str], place: int) -> str:
    shape = [len(planned.factors[name]) for name in others]
    places = np.unravel_index(place, shape)
    return ", ".join(planned.factors[name][int(code)] for name, code in zip(others, places, strict=True))


def _build_repeated(planned: Expected) -> Any:
    if planned.r is None:
        raise UsageError(f"questions.{planned.id}.expect: has no r; give the correlation of repeated values")
    inner = tuple(len(planned.factors[name]) for name in planned.within)
    outer = tuple(len(levels) for levels in planned.between.values())
    width = int(np.prod(inner))
    levels = planned.factors[planned.within[0]] if len(inner) == 1 else tuple(map(str, range(width)))
    sd = planned.cells["sd"].reshape(*outer, width)
    return repeated_design(
        n=_sizes(planned) if outer else 100,
        mean=planned.cells["mean"].reshape(*outer, width),
        sd=sd,
        correlation=planned.r,
        variables=levels,
        within=planned.within[0],
        factors=planned.between or None,
        outcome="value",
    )


def paired_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the comparison of two means of the same units."""
    from negstats.stats.means.t_tests import paired_t

    if "mean" not in planned.cells:
        raise DesignError("the power of differences of counts is not simulated; expect a mean and sd instead of rate")
    design, side = _build_repeated(planned), planned.alternative
    if design.mean.size > 2:
        yield from repeated_tasks(planned)
        return
    alternative = side
    sd, r = design.covariance.diagonal() ** 0.5, float(planned.r or 0.0)
    spread = float(np.sqrt(sd[0] ** 2 + sd[1] ** 2 - 2 * r * sd[0] * sd[1]))
    effect = float(design.mean[0] - design.mean[1]) / spread
    yield PowerTask(
        "",
        design,
        lambda moments: paired_t(moments, alternative=alternative),
        lambda n, alpha: float(power("paired t", effect=effect, n=n, alpha=alpha, alternative=alternative).power),
    )


def repeated_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the terms of an analysis with a factor within units."""
    from negstats.stats.means.robust import robust_repeated

    if len(planned.within) > 1:
        raise DesignError("the power of two repeated factors is not simulated; ask for one with only")
    design = _build_repeated(planned)
    names = robust_repeated(design.draw(1, np.random.default_rng(0))).terms
    for term in _terms(planned, names):  # without groups Greenhouse and Geisser's test, of 2 × 2 Welch's
        yield PowerTask(term if len(names) > 1 else "", design, partial(_effect, robust_repeated, term))


def equivalence_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the two one-sided tests of means or shares."""
    from negstats.stats.equivalence import paired_tost, proportions_tost, tost

    margin = planned.question.equivalent
    unit: Any = "sd" if isinstance(margin, Mapping) else "raw"
    bound: Any = next(iter(margin.values())) if isinstance(margin, Mapping) else margin
    if planned.kind == "yes/no":
        yield PowerTask("", _binary(planned), lambda counts: proportions_tost(counts, bounds=bound))
    elif planned.within:
        yield PowerTask("", _build_repeated(planned), lambda moments: paired_tost(moments, bounds=bound, unit=unit))
    else:
        yield PowerTask("", _cells(planned), lambda cells: tost(cells, bounds=bound, unit=unit))


def _binary(planned: Expected) -> Any:
    return binary_design(
        n=_sizes(planned) if planned.factors else [100],
        probability=planned.cells["p"] if planned.factors else planned.cells["p"].reshape(1),
        factors=planned.factors or None,
        kinds=("value", ("yes", "no")),
    )


def _table(planned: Expected) -> Any:
    if "shares" not in planned.cells:
        return _binary(planned)
    shares = planned.cells["shares"]
    kinds = ("value", [str(place + 1) for place in range(shares.shape[-1])])
    return categorical_design(n=_sizes(planned), probabilities=shares, kinds=kinds, factors=planned.factors)


def chi_squared_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Pearson's test of several shares; of two groups Fisher's where it is named or an expected count is under 5."""
    from negstats.stats.counts.chi_squared import chi_squared

    if len(planned.factors) > 1:
        yield from loglinear_tasks(planned)
        return
    design, closed_form = _table(planned), None
    if np.ptp(planned.weights) == 0 and planned.alternative == "two-sided" and planned.choice.by != "fisher":
        share = design.probabilities
        mean = share.mean(axis=0)
        w = float(
            np.sqrt((np.divide((share - mean) ** 2, mean, where=mean > 0, out=np.zeros_like(share))).mean(axis=0).sum())
        )
        df = (share.shape[0] - 1) * (share.shape[1] - 1)
        groups = share.shape[0]
        closed_form = lambda n, alpha: float(power("chi2", effect=w, n=n * groups, alpha=alpha, df=df).power)  # noqa: E731
    two_shares = design.n.size == 2 and "p" in planned.cells
    test = partial(compare_two_shares, planned.choice.by, planned.alternative) if two_shares else chi_squared
    yield PowerTask("", design, test, closed_form)


def compare_two_shares(by: str, side: Alternative, counts: Any) -> FloatArray:
    """Return p of a stack of 2 × 2 tables: Pearson's χ², or Fisher's where the plan names it or would choose it.

    The table of tests takes Fisher's where an expected count of the study is below 5.
    """
    from negstats.stats.counts.chi_squared import chi_squared
    from negstats.stats.counts.fisher import fisher
    from negstats.stats.summaries import Counts

    test = chi_squared(counts)
    is_exact = np.broadcast_to(
        by == "fisher" if by != "auto" else np.asarray(test.smallest_expected) < 5, np.shape(test.p)
    )
    first, second = np.moveaxis(counts.n[..., 0] / counts.n.sum(axis=-1), -1, 0)
    p = np.array(t_tails(np.copysign(np.sqrt(test.statistic), first - second), alternative=side))
    if is_exact.any():
        p[is_exact] = fisher(Counts(counts.n[is_exact], counts.factors), alternative=side).p
    return p


def loglinear_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Rao's X² of each asked term with the outcome: the model of all terms of its order with and without it."""
    from negstats.stats.loglinear.selection import term_scores

    design, names = _table(planned), tuple(planned.factors)
    for term in _terms(planned, _term_names(planned.factors)):
        places = (*sorted(names.index(name) for name in term.split(":")), len(names))
        yield PowerTask(term, design, partial(term_scores, term=places))


def mcnemar_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the comparison of two shares of the same units."""
    from negstats.stats.power.designs import table_design

    p, q = planned.cells["p"].ravel()
    if planned.r is None:
        raise UsageError(f"questions.{planned.id}.expect: has no r; give the correlation of repeated values")
    check_pair(p, q, planned.r, f"questions.{planned.id}.expect")
    both = both_yes(p, q, planned.r)
    table = np.array([[both, p - both], [q - both, 1 - p - q + both]])
    design, side = table_design(n=100, probabilities=table), planned.alternative
    yield PowerTask("", design, lambda counts: exact_change(counts.n[..., 0, 1], counts.n[..., 1, 0], side))


def quasi_poisson_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Draw counts of a negative binomial with the expected rate and spread, of a Poisson where the spread is 1."""

    def drawn(rate: float, spread: float) -> Any:
        if spread < 1:
            raise UsageError(f"questions.{planned.id}.expect.spread: is {spread:g}; give 1 (Poisson) or more")
        if spread == 1:
            return scipy.stats.poisson(rate)
        return scipy.stats.nbinom(rate / (spread - 1), 1 / spread)

    if planned.pool is not None:
        design = _build_pooled(planned)
    else:
        cells = zip(planned.cells["rate"].ravel(), planned.cells["spread"].ravel(), strict=True)
        laws = [drawn(float(rate), float(spread)) for rate, spread in cells]
        # The laws up to a count that is so rare that no study shows it.
        values = np.arange(1.0 + max(law.isf(RAREST) for law in laws))
        shares = np.array([law.pmf(values) / law.cdf(values[-1]) for law in laws])
        design = ordinal_design(
            n=_sizes(planned), values=values, probabilities=shares.reshape(*planned.weights.shape, -1),
            factors=planned.factors, outcome="value",
        )  # fmt: skip
    names = _term_names(planned.factors)
    if len(names) == 1:
        yield PowerTask("", design, partial(_compare_rates, planned.alternative))
        return
    for term in _terms(planned, names):
        yield PowerTask(term, design, partial(_compare_ratios, term))


def _compare_rates(side: Alternative, counts: Any) -> FloatArray:
    """Return p of the quasi-Poisson F; of small cells that of exchanged labels, as the answer has it."""
    from negstats.stats.outcomes.quasi_poisson import quasi_poisson

    if counts.n.sum(axis=-1).min() < SMALL:
        return _exchange_labels(side, counts)
    model = quasi_poisson(counts)
    if side == "two-sided":
        return np.asarray(model.p)[..., 0]
    first, second = np.moveaxis(counts.cells().mean, -1, 0)
    return t_tails(np.copysign(np.sqrt(model.statistic[..., 0]), first - second), model.df2, side)


def _exchange_labels(side: Alternative, counts: Any) -> FloatArray:
    """Return p of the quasi-Poisson F, on one side of the mean difference, by arrangements that all studies share."""
    n, values = counts.n, counts.values
    sizes = n.sum(axis=-1)[0].astype(int)
    total = n.sum(axis=-2).astype(int)
    rows = np.repeat(np.tile(values, len(n)), total.ravel()).reshape(len(n), -1).T
    labels = np.random.default_rng(0).permuted(np.tile(np.repeat(np.arange(len(sizes)), sizes), (ARRANGED, 1)), axis=1)
    of_groups = [(labels == group).astype(np.float64) for group in range(len(sizes))]
    compute = _mean_difference if side != "two-sided" else _rate_statistic
    exchanged = compute(sizes, *(np.stack([group @ power for group in of_groups], -1) for power in (rows, rows**2)))
    observed = compute(sizes, n @ values, n @ values**2)
    sign = -1 if side == "less" else 1
    slack = 1e-9 * np.nanmax(np.abs(np.where(np.isinf(exchanged), np.nan, exchanged)), axis=0, initial=0.0)
    hits = (~(sign * exchanged < sign * observed - slack)).sum(axis=0)
    return np.where(np.isnan(observed), np.nan, (hits + 1) / (ARRANGED + 1))


def _mean_difference(sizes: Any, sums: FloatArray, _squares: FloatArray) -> FloatArray:
    return np.asarray(sums[..., 0] / sizes[0] - sums[..., 1] / sizes[1])


def _rate_statistic(sizes: Any, sums: FloatArray, squares: FloatArray) -> FloatArray:
    """Return the deviance over Pearson's X² within groups: the quasi-Poisson F but for its degrees of freedom."""
    mean, whole = sums / sizes, sums.sum(axis=-1, keepdims=True) / sizes.sum()
    with np.errstate(divide="ignore", invalid="ignore"):
        within = np.where(mean > 0, (squares - sums * mean) / mean, 0.0).sum(axis=-1)
        return np.asarray((sizes * scipy.special.rel_entr(mean, whole)).sum(axis=-1) / within)


def _compare_ratios(term: str, data: Any) -> FloatArray:
    """Return p of a term of ratios of mean counts; of studies with a cell without events that of the answer there."""
    from negstats.stats.means.robust import log_means, robust_anova
    from negstats.stats.outcomes.quasi_poisson import quasi_poisson

    cells = data.cells()
    has_ratios = cells.mean > 0
    complete = replace(cells, offset=np.where(has_ratios, cells.offset, 1.0 - cells.origin))
    p = np.asarray(robust_anova(log_means(complete), method="welch-james").effect(term).p)
    is_complete = has_ratios.reshape(*cells.studies, -1).all(axis=-1)
    return p if is_complete.all() else np.where(is_complete, p, quasi_poisson(cells).effect(term).p)


def _ordinal(planned: Expected) -> Any:
    shares = planned.cells["shares"]
    return ordinal_design(
        n=_sizes(planned), values=np.arange(1, shares.shape[-1] + 1), probabilities=shares, factors=planned.factors,
        outcome="value",
    )  # fmt: skip


def brunner_munzel_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the comparison of two groups by ranks."""
    yield PowerTask("", _ordinal(planned), partial(_compare_ranks, planned.alternative))


def _compare_ranks(side: Alternative, counts: Any) -> FloatArray:
    """Return Brunner and Munzel's p; of groups that do not overlap Mann and Whitney's, which answers there."""
    from negstats.stats.ranks import brunner_munzel, mann_whitney

    p = np.array(brunner_munzel(counts, alternative=side).p)
    for study in np.flatnonzero(np.isnan(p)):
        with contextlib.suppress(NotEstimable):  # all answers are tied
            p[study] = mann_whitney(replace(counts, n=counts.n[study]), alternative=side).p
    return p


def kruskal_wallis_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the comparison of several groups by ranks."""
    from negstats.stats.ranks import kruskal_wallis

    yield PowerTask("", _ordinal(planned), kruskal_wallis)


def pearson_tasks(planned: Expected) -> Iterator[PowerTask]:
    """Yield the test of a correlation."""
    from negstats.stats.relations.correlation import correlation

    if planned.r is None:
        raise UsageError(f"questions.{planned.id}.expect: has no r; give the correlation that is expected")
    design = repeated_design(n=100, mean=[0.0, 0.0], correlation=planned.r, variables=["x", "y"])
    side = planned.alternative
    yield PowerTask("", design, lambda moments: correlation(moments, "x", "y", alternative=side))


def tasks_of_rows(planned: Expected) -> Iterator[PowerTask]:
    """Draw pairs or groups row by row; the sizes are of units a cell, each of `per_unit` rows."""
    from negstats.analysis.power.clustered import clusters_of, p_of_terms

    if planned.question.contrasts:
        raise DesignError("contrasts of rows that are related have no test here; name two levels with only")
    design, names = clusters_of(planned)
    yield from _tasks_of_terms(planned, design, names, p_of_terms)


def _tasks_of_terms(
    planned: Expected, design: Design, names: Mapping[str, str], test: Callable[[Expected, str, Any], Any]
) -> Iterator[PowerTask]:
    """Yield the terms that answer, tested in rows whose factors have other names."""
    terms = _term_names(planned.factors)
    for term in _terms(planned, terms):
        own = ":".join(names[part] for part in term.split(":"))
        yield PowerTask(term if len(terms) > 1 else "", design, partial(test, planned, own))


def _refitted(planned: Expected) -> Iterator[PowerTask]:
    """Draw yes or no, or counts, row by row, and fit each study; the sizes are of units a cell between them."""
    from negstats.analysis.power.refitted import answers_of, p_of_refits

    design, names = answers_of(planned)
    yield from _tasks_of_terms(planned, design, names, p_of_refits)
