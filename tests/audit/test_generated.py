"""The sentences that the package itself prints pass."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from negstats.audit import audit_text
from negstats.errors import NotEstimable
from negstats.stats.contrasts.planned import simple_effects
from negstats.stats.contrasts.posthoc import games_howell, pairwise
from negstats.stats.counts.chi_squared import chi_squared, compare_rows, goodness_of_fit
from negstats.stats.counts.matched import cochrans_q, mcnemar
from negstats.stats.counts.stratified import cochran_mantel_haenszel
from negstats.stats.equivalence import paired_tost, tost
from negstats.stats.loglinear import loglinear
from negstats.stats.means.anova import anova
from negstats.stats.means.oneway import levene, one_way
from negstats.stats.means.repeated import repeated_anova
from negstats.stats.means.t_tests import one_sample_t, paired_t, t_test
from negstats.stats.ranks import brunner_munzel, friedman, kruskal_wallis, mann_whitney, wilcoxon
from tests.conftest import runs


def groups(rng: np.random.Generator, k: int, least: int = 4) -> dict[str, list[float]]:
    shift = rng.normal(0, 1)
    return {
        f"g{place}": rng.normal(place * shift, rng.uniform(0.5, 2), int(rng.integers(least, 40))).round(2).tolist()
        for place in range(k)
    }


def ordinal(rng: np.random.Generator, k: int, n: int | None = None) -> dict[str, list[int]]:
    return {f"g{place}": rng.integers(1 + place % 2, 9, n or int(rng.integers(12, 60))).tolist() for place in range(k)}


def table(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(1, 40, shape)


def paired(rng: np.random.Generator) -> dict[str, list[float]]:
    first = rng.normal(0, 1, int(rng.integers(5, 40)))
    return {"a": first.tolist(), "b": (first + rng.normal(0.3, 1, len(first))).tolist()}


def long(rng: np.random.Generator) -> pd.DataFrame:
    n = int(rng.integers(6, 20))
    return pd.DataFrame(
        {
            "who": np.repeat(np.arange(n), 3),
            "time": np.tile(["a", "b", "c"], n),
            "y": rng.normal(0, 1, 3 * n) + np.tile([0, 0.4, 0.9], n) * rng.normal(),
        }
    )


def factorial(rng: np.random.Generator) -> pd.DataFrame:
    n = int(rng.integers(40, 120))
    frame = pd.DataFrame({"a": np.tile(["x", "y"], n), "b": np.resize(["p", "q", "r"], 2 * n)})
    return frame.assign(y=rng.normal(0, 1, 2 * n) + (frame["a"] == "x") * rng.normal(0, 0.5))


PRINTED: dict[str, Callable[[np.random.Generator], str]] = {
    "Student": lambda rng: t_test(groups(rng, 2), method="student").apa(),
    "Welch": lambda rng: t_test(groups(rng, 2), method="welch").apa(),
    "paired": lambda rng: paired_t(paired(rng)).apa(),
    "one sample": lambda rng: one_sample_t(rng.normal(0.3, 1, int(rng.integers(4, 40)))).apa(),
    "one-way": lambda rng: one_way(groups(rng, 3)).apa(),
    "Welch's F": lambda rng: one_way(groups(rng, 4), method="welch").apa(),
    "Levene": lambda rng: levene(groups(rng, 3)).apa(),
    "factorial": lambda rng: anova(factorial(rng), "y", ["a", "b"]).apa(),
    "simple effects": lambda rng: simple_effects(factorial(rng), "y", ["a", "b"], specs="a", at="b").apa(),
    "Tukey": lambda rng: pairwise(groups(rng, 3), specs="group").apa(),
    "Games-Howell": lambda rng: games_howell(groups(rng, 3), specs="group").apa(),
    "repeated": lambda rng: repeated_anova(long(rng), "y", within="time", subject="who").apa(),
    "Pearson": lambda rng: chi_squared(table(rng, 2, 3)).apa(),
    "corrected": lambda rng: chi_squared(table(rng, 2, 2), correction=True).apa(),
    "likelihood ratio": lambda rng: chi_squared(table(rng, 3, 3), statistic="likelihood-ratio").apa(),
    "fit": lambda rng: goodness_of_fit(table(rng, 5)).apa(),
    "rows": lambda rng: compare_rows(table(rng, 3, 2)).apa(),
    "McNemar": lambda rng: mcnemar(table(rng, 2, 2)).apa(),
    "Cochran's Q": lambda rng: cochrans_q(table(rng, 2, 2, 2)).apa(),
    "strata": lambda rng: cochran_mantel_haenszel(table(rng, 2, 2, 4)).apa(),
    "log-linear": lambda rng: loglinear(table(rng, 2, 3, 2), 2).apa(),
    "Mann-Whitney": lambda rng: mann_whitney(ordinal(rng, 2), method="asymptotic").apa(),
    "Wilcoxon": lambda rng: wilcoxon(ordinal(rng, 2, 30), method="asymptotic").apa(),
    "Kruskal-Wallis": lambda rng: kruskal_wallis(ordinal(rng, 3)).apa(),
    "Friedman": lambda rng: friedman(ordinal(rng, 3, 20)).apa(),
    "Brunner-Munzel": lambda rng: brunner_munzel(ordinal(rng, 2)).apa(),
    "equivalence": lambda rng: tost(groups(rng, 2), bounds=2.5).apa(),
    "paired equivalence": lambda rng: paired_tost(paired(rng), bounds=1.5).apa(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTED)
def test_what_the_package_prints_passes(name: str) -> None:
    """36 random results of each of 28 tests: 1,008 in all, most with one p, some with several."""
    rng = np.random.default_rng(list(PRINTED).index(name))
    n_results = 0
    # scipy's studentized range takes a fifth of a second a result.
    while n_results < (runs(36, 4) if name in ("Tukey", "Games-Howell") else 36):
        try:
            text = PRINTED[name](rng)
        except NotEstimable:
            continue
        audit = audit_text(f"It is so: {text}.")
        assert len(audit) == text.count("p = ") + text.count("p < ") + text.count("p > "), text
        for result in audit.results:
            assert result.verdict == "consistent", (text, result.why)
        n_results += 1
