"""How long log-linear models take, each as a ratio against statsmodels in the same run."""

from __future__ import annotations

import timeit
import warnings
from collections.abc import Callable

import numpy as np
import statsmodels.api as sm
import statsmodels.formula.api as smf
from pytest_benchmark.fixture import BenchmarkFixture

from negstats.stats.loglinear import loglinear, survey
from negstats.stats.summaries import Counts

WALKED = Counts.from_table(
    [[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]],
    {"reward": ["fair", "selfish"], "partner": ["supervised", "fair", "selfish"], "walkaway": ["yes", "no"]},
)
MODELS = (
    "n ~ reward + partner + walkaway",
    "n ~ reward * partner + walkaway",
    "n ~ reward * partner + reward * walkaway",
    "n ~ (reward + partner + walkaway) ** 2",
    "n ~ reward * walkaway + partner",
)


def best(action: Callable[[], object], number: int, repeat: int = 7) -> float:
    """Seconds of one call: the best of several rounds, for noise only adds."""
    action()
    return min(timeit.repeat(action, number=number, repeat=repeat)) / number


def test_the_whole_report_is_faster_than_five_glm_fits(benchmark: BenchmarkFixture) -> None:
    """k-way tests, partial associations, backward elimination and all 18 models, against five Poisson regressions."""
    frame = WALKED.to_frame()

    def peer() -> list[float]:
        return [smf.glm(model, frame, family=sm.families.Poisson()).fit().deviance for model in MODELS]

    ratio = best(peer, 3) / best(lambda: survey(WALKED), 10)
    benchmark(survey, WALKED)
    benchmark.extra_info["times as fast as five fits"] = ratio
    assert ratio >= 5


def test_a_stack_of_studies_is_one_array_operation(benchmark: BenchmarkFixture) -> None:
    n = np.random.default_rng(1).multinomial(143, np.full(12, 1 / 12), 1000).reshape(-1, 2, 3, 2).astype(float)
    stack = Counts.from_table(n, stacked=1)
    x = np.asarray(smf.glm(MODELS[3], WALKED.to_frame(), family=sm.families.Poisson()).exog)

    def peer() -> list[float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [sm.GLM(table.ravel(), x, family=sm.families.Poisson()).fit().deviance for table in n[:20]]

    ratio = best(peer, 1, 3) / 20 * len(n) / best(lambda: loglinear(stack, 2), 1, 3)
    benchmark(loglinear, stack, 2)
    benchmark.extra_info["times as fast as one regression each"] = ratio
    assert ratio >= 20
