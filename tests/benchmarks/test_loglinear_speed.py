"""How long log-linear models take, each as a ratio of CPU time against statsmodels in the same run.

The walk-aways of Chawla et al. (2023), twelve cells, and a thousand tables that were drawn with these cells.
"""

from __future__ import annotations

import warnings

import numpy as np
import statsmodels.api as sm
import statsmodels.formula.api as smf
from pytest_benchmark.fixture import BenchmarkFixture

from negstats.stats.loglinear import loglinear, survey
from negstats.stats.summaries import Counts
from tests.benchmarks.peers import ratio

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


def test_the_whole_report_is_faster_than_five_glm_fits(benchmark: BenchmarkFixture) -> None:
    """k-way tests, partial associations, backward elimination and all 18 models, against five Poisson regressions."""
    frame = WALKED.to_frame()

    def peer() -> list[float]:
        return [smf.glm(model, frame, family=sm.families.Poisson()).fit().deviance for model in MODELS]

    taken = ratio(
        lambda: survey(WALKED),
        peer,
        10,
        "log-linear models, all 18 and a search; 12 cells",
        against="five models of statsmodels",
    )
    benchmark(survey, WALKED)
    assert 1 / taken >= 5


def test_a_stack_of_studies_is_one_array_operation(benchmark: BenchmarkFixture) -> None:
    n = np.random.default_rng(1).multinomial(143, np.full(12, 1 / 12), 1000).reshape(-1, 2, 3, 2).astype(float)
    stack = Counts.from_table(n, stacked=1)
    x = np.asarray(smf.glm(MODELS[3], WALKED.to_frame(), family=sm.families.Poisson()).exog)

    def peer() -> list[float]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [sm.GLM(table.ravel(), x, family=sm.families.Poisson()).fit().deviance for table in n[:20]]

    taken = ratio(lambda: loglinear(stack, 2), peer, 5, share=20 / len(n))
    benchmark(loglinear, stack, 2)
    assert 1 / taken >= 20
