"""What several functions share is one rule in all of them: corrections, resamples, and that a p is one-sided."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from negstats import stats
from negstats.errors import DesignError

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
