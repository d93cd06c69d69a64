"""What functions share is one rule in all: corrections, resamples, sides of p, and stacks that are their studies."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats import stats
from negstats.errors import DesignError, NotEstimable
from negstats.stats import Cells, ClusterMoments, Counts, Moments, ValueCounts, bayes_factor, equivalence, loglinear
from negstats.stats.effects import cramers_v, odds_ratio, phi, risk_difference, risk_ratio

RNG = np.random.default_rng


def defaults(parameter: str) -> Iterator[tuple[str, Any]]:
    """Each public function and method that has a parameter, with its default."""
    for name in stats.__all__:
        one = getattr(stats, name)
        owned = inspect.getmembers(one, inspect.isfunction) if inspect.isclass(one) else [("", one)]
        for method, function in owned:
            if callable(function) and parameter in (taken := inspect.signature(function).parameters):
                yield f"{name}.{method}", taken[parameter].default


def test_no_continuity_correction_is_made_unless_asked_for() -> None:
    corrections = {name: default for name, default in defaults("correction") if isinstance(default, bool)}
    assert {"mann_whitney.", "wilcoxon.", "chi_squared.", "mcnemar.", "cochran_mantel_haenszel."} <= set(corrections)
    assert set(corrections.values()) == {False}


def test_resamples_are_9999_everywhere() -> None:
    values = dict(defaults("n_resamples"))
    assert {"bootstrap_interval.", "permutation_test.", "mediation.", "Friedman.effect_size"} <= set(values)
    drawn = {
        default for name, default in values.items() if not name.startswith("MixedResponses.")
    }  # there each is a fit anew
    assert drawn <= {9999, inspect.Parameter.empty}


SAMPLES = {"a": [5, 7, 6, 9, 8, 4], "b": [3, 5, 4, 4, 7, 1], "c": [2, 6, 3, 4, 5, 1]}
DRAWN: dict[str, Callable[[int], Any]] = {
    "friedman": lambda times: stats.friedman(SAMPLES).effect_size(rng=RNG(1), n_resamples=times),
    "kruskal_wallis": lambda times: stats.kruskal_wallis(SAMPLES).effect_size(rng=RNG(1), n_resamples=times),
    "mediation": lambda times: stats.mediation(SAMPLES, "a", "b", "c", rng=RNG(1), n_resamples=times),
}


@pytest.mark.parametrize("draw", DRAWN.values(), ids=DRAWN)
def test_an_interval_needs_two_resamples(draw: Callable[[int], Any]) -> None:
    draw(2)
    for few in (1, 0, -3):
        with pytest.raises(DesignError, match="at least 2"):
            draw(few)


ROWS = {"x": [1, 2, 3, 4, 5, 6, 7], "y": [2, 1, 4, 3, 7, 5, 6]}
TWO = {name: SAMPLES[name] for name in ("a", "b")}
SIDED: dict[str, Callable[[Any], str]] = {
    "t_test": lambda side: stats.t_test(TWO, alternative=side).apa(),
    "paired_t": lambda side: stats.paired_t(TWO, alternative=side).apa(),
    "mann_whitney": lambda side: stats.mann_whitney(TWO, alternative=side).apa(),
    "wilcoxon": lambda side: stats.wilcoxon(TWO, alternative=side).apa(),
    "sign_test": lambda side: stats.sign_test(TWO, alternative=side).apa(),
    "brunner_munzel": lambda side: stats.brunner_munzel(TWO, alternative=side).apa(),
    "correlation": lambda side: stats.correlation(ROWS, "x", "y", alternative=side).apa(),
    "independent_correlations": lambda side: stats.independent_correlations(
        (0.3, 40), (0.1, 50), alternative=side
    ).apa(),
    "fisher": lambda side: stats.fisher([[5, 2], [3, 8]], alternative=side).apa(),
    "binomial": lambda side: stats.proportion(7, 10).test(0.5, alternative=side).apa(),
    "permutation_test": lambda side: stats.permutation_test(TWO, rng=RNG(1), alternative=side).apa(),
}


@pytest.mark.parametrize("sentence", SIDED.values(), ids=SIDED)
def test_a_sentence_says_that_p_is_one_sided(sentence: Callable[[Any], str]) -> None:
    assert "(one-sided)" in sentence("greater")
    assert "(one-sided)" in sentence("less")
    assert "one-sided" not in sentence("two-sided")


STUDIES = 5
FLAT = 2  # the study in which nothing varies
RNG_STACKS = np.random.default_rng(7)
LONG = RNG_STACKS.normal(size=(STUDIES, 12, 4)) + RNG_STACKS.normal(size=(STUDIES, 12, 1)) + [0, 0.3, 0.1, 0.8]
LONG[FLAT] = [1.0, 2.0, 3.0, 5.0]
TABLES = RNG_STACKS.poisson(5, (STUDIES, 2, 2, 3)) + 1.0
GIVEN = RNG_STACKS.multinomial(9, np.full(7, 1 / 7), (STUDIES, 2)).astype(float)
GIVEN[FLAT] = np.eye(7)[3] * 9
DESIGN = pd.DataFrame({"g": np.tile([*"aab"], 10), "h": np.repeat([*"uvu"], 10), "j": np.arange(30) // 3})
OUTCOMES = RNG_STACKS.normal(size=(STUDIES, 30)) + np.repeat(RNG_STACKS.normal(size=(STUDIES, 10)), 3, axis=1)

Place = int | None  # of a study; None is the stack


def at(values: Any, place: Place) -> Any:
    return values if place is None else values[place]


def samples(place: Place, names: str = "abc") -> dict[str, Any]:
    return {name: at(LONG[..., number], place) for number, name in enumerate(names)}


def cells(place: Place) -> Cells:
    each = [Cells.from_frame(DESIGN.assign(y=y), "y", ["g", "h"]) for y in OUTCOMES]
    return Cells.stack(each) if place is None else each[place]


def moments(place: Place, names: str = "abcd") -> Moments:
    return Moments.from_array(at(LONG[..., : len(names)], place), [*names])


def values(place: Place) -> ValueCounts:
    return ValueCounts(np.arange(7.0), at(GIVEN, place), ValueCounts.from_samples({"a": [1], "b": [2]}).factors)


def differences(place: Place) -> ValueCounts:
    return ValueCounts(np.arange(7.0) - 3, at(GIVEN, place)[..., 0, :], ())


def table(place: Place, shape: Any = ()) -> Counts:
    return Counts.from_table(at(TABLES, place)[(..., *shape)], stacked=int(place is None))


def binary(place: Place) -> Moments:
    return Moments.from_array((at(LONG[..., :3], place) > 0.4).astype(float), [*"abc"])


def mixed(place: Place, between: Any) -> Any:
    if place is None:
        summary = ClusterMoments.from_frame(DESIGN.assign(y=OUTCOMES[0]), "y ~ g", "j")
        return stats.mixed(summary.with_outcomes(DESIGN, OUTCOMES), between=between)
    return stats.mixed(DESIGN.assign(y=OUTCOMES[place]), "y ~ g", "j", between=between)


SQUARE, TWO_WAY = (slice(2), slice(2), 0), (0, slice(None), slice(None))
EFFECTS = (cramers_v, phi, odds_ratio, risk_ratio, risk_difference)
CASES: dict[str, Callable[[Place], Any]] = {
    "t_test": lambda place: stats.t_test(samples(place, "ab")),
    "g": lambda place: stats.t_test(samples(place, "ab")).effect_size("g"),
    "paired_t": lambda place: stats.paired_t(samples(place, "ab")),
    "one_sample_t": lambda place: stats.one_sample_t(samples(place)["a"]),
    "tost": lambda place: equivalence.tost(samples(place, "ab"), bounds=0.5, unit="d"),
    "bayes_factor": lambda place: bayes_factor(stats.t_test(samples(place, "ab"), method="student")),
    "one_way": lambda place: stats.one_way(samples(place)),
    "one_way welch": lambda place: stats.one_way(samples(place), method="welch"),
    "anova 1": lambda place: stats.anova(cells(place), type=1),
    "anova 2": lambda place: stats.anova(cells(place), type=2),
    "anova 3": lambda place: stats.anova(cells(place)),
    "robust_anova": lambda place: stats.robust_anova(cells(place)),
    "pairwise": lambda place: stats.pairwise(cells(place), specs="g", at="h"),
    "quasi_poisson": lambda place: stats.quasi_poisson(
        Cells.from_samples({n: y + 9 for n, y in samples(place).items()})
    ),
    "repeated_anova": lambda place: stats.repeated_anova(moments(place)),
    "robust_repeated": lambda place: stats.robust_repeated(moments(place)),
    "mann_whitney exact": lambda place: stats.mann_whitney(values(place), method="exact"),
    "mann_whitney": lambda place: stats.mann_whitney(values(place), method="asymptotic"),
    "shift": lambda place: stats.mann_whitney(values(place), method="asymptotic").hodges_lehmann(),
    "rank_biserial": lambda place: stats.mann_whitney(values(place)).effect_size(),
    "wilcoxon exact": lambda place: stats.wilcoxon(differences(place), method="exact"),
    "wilcoxon": lambda place: stats.wilcoxon(differences(place), method="asymptotic"),
    "kruskal_wallis": lambda place: stats.kruskal_wallis(values(place)),
    "brunner_munzel": lambda place: stats.brunner_munzel(values(place)),
    "friedman": lambda place: stats.friedman(samples(place)),
    "chi_squared": lambda place: stats.chi_squared(table(place, TWO_WAY)),
    "fisher": lambda place: stats.fisher(table(place, TWO_WAY)),
    "mcnemar": lambda place: stats.mcnemar(table(place, SQUARE), method="asymptotic"),
    "mcnemar exact": lambda place: stats.mcnemar(table(place, SQUARE), method="exact"),
    "paired_proportions": lambda place: stats.paired_proportions(table(place, SQUARE)),
    "cochran_mantel_haenszel": lambda place: stats.cochran_mantel_haenszel(table(place)),
    "cochrans_q": lambda place: stats.cochrans_q(binary(place)),
    "independence": lambda place: loglinear(table(place), "independence"),
    "loglinear": lambda place: loglinear(table(place), "[factor_1 factor_2][factor_2 factor_3]"),
    "proportion": lambda place: stats.proportion(at(TABLES[:, 0, 0, 0], place), 30),
    "proportion_difference": lambda place: stats.proportion_difference(at(TABLES[:, 0, :, 0], place), 30),
    "correlation": lambda place: stats.correlation(moments(place), "a", "b", controlling="c"),
    "regression": lambda place: stats.regression(moments(place), outcome="a", predictors=["b", "c"]),
    "icc": lambda place: stats.icc(moments(place), [*"abcd"], "C,1"),
    "reliability": lambda place: stats.reliability(moments(place), [*"abcd"]),
    "actor_partner": lambda place: stats.actor_partner(moments(place), alike=False),
    "actor_partner alike": lambda place: stats.actor_partner(moments(place), alike=True),
    "dyad_correlation": lambda place: stats.dyad_correlation(moments(place, "ab")),
    "mixed": lambda place: mixed(place, "positive"),
    "mixed any": lambda place: mixed(place, "any"),
} | {effect.__name__: lambda place, effect=effect: effect(table(place, SQUARE)) for effect in EFFECTS}


@pytest.mark.parametrize("name", CASES)
def test_a_stack_is_its_studies(name: str) -> None:
    stack = CASES[name](None)
    whole = stack.to_frame()
    study = whole["study"] if "study" in whole else whole.groupby(whole.get("term", [""] * len(whole))).cumcount()
    for place in range(STUDIES):
        own = whole[study == place]
        try:
            alone = CASES[name](place).to_frame()
        except NotEstimable:
            assert own[own.columns.intersection(["p", "bf10"])].isna().all(axis=None), own
            continue
        for column in set(alone.select_dtypes("number")) & set(whole):
            np.testing.assert_allclose(own[column], alone[column], rtol=1e-6, atol=1e-9, err_msg=column)
    with pytest.raises(DesignError, match=r"one study|to_frame|holds"):
        stack.apa()
