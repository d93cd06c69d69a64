"""Power for pairs: the closed form against simulation, the t test that it is, and what nobody can have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from negstats.errors import DesignError
from negstats.stats.counts.proportions import proportion
from negstats.stats.models.dyads import actor_partner
from negstats.stats.models.mixed import mixed
from negstats.stats.power.closed import power
from negstats.stats.power.designs import cluster_design
from negstats.stats.power.dyads import (
    Predictor,
    actor_partner_design,
    actor_partner_power,
    design_effect,
    dyad_design,
    dyad_power,
    dyad_sample_size,
)
from negstats.stats.power.simulate import simulated_p, simulated_power
from negstats.stats.summaries import ClusterMoments, Moments
from tests.conftest import runs
from tests.stats.closeness import agree

MEANS = {"between": ((0.5, 0.5), (0.0, 0.0)), "within": ((0.3, 0.0), (0.3, 0.0))}
TERMS = {"between": "condition", "within": "role"}


@pytest.mark.slow
@pytest.mark.parametrize("predictor", ["between", "within"])
@pytest.mark.parametrize(("icc", "pairs"), [(0.5, (25, 35)), (-0.4, (20, 20)), (0.0, (30, 12))])
def test_simulation_meets_the_closed_form(predictor: Predictor, icc: float, pairs: tuple[int, int]) -> None:
    mean = MEANS[predictor]
    closed = dyad_power(pairs=pairs, effect=mean[0][0], icc=icc, predictor=predictor)
    design = dyad_design(pairs=pairs, mean=mean, icc=icc)

    def test(moments: ClusterMoments) -> Any:
        return mixed(moments, between="any").test(TERMS[predictor])

    power_result = simulated_power(design, test, rng=np.random.default_rng(8), n_simulations=runs(20_000, 1_500))
    ends = power_result.confidence_interval(0.9999)
    assert ends.low <= float(closed.power) <= ends.high


def test_pairs_that_are_one_or_independent() -> None:
    # Two who always say the same are one person; two who are independent are two.
    once = power("t", effect=0.5, n=(30, 40)).power
    agree(dyad_power(pairs=(30, 40), effect=0.5, icc=1.0).power, once, rtol=1e-12)
    # The noncentrality of twice as many people, with the pairs' degrees of freedom: a little less power.
    twice = float(power("t", effect=0.5, n=(60, 80)).power)
    assert twice - 0.01 < float(dyad_power(pairs=(30, 40), effect=0.5, icc=0.0).power) < twice
    assert (design_effect(1.0), design_effect(0.0, 7), design_effect(0.25, 5)) == (2.0, 1.0, 2.0)


@pytest.mark.parametrize(("pairs", "predictor", "effect"), [(20, 0.0, 0.7), (40, 0.5, 0.5), (8, -0.4, 1.2)])
def test_actor_effects_of_roles_meet_the_closed_form(pairs: int, predictor: float, effect: float) -> None:
    sds = (1.0, 2.0)
    design = actor_partner_design(
        pairs=pairs, actor=(effect, 0.0), partner=(0.3, effect), predictor=predictor, residual=-0.5, sd=sds
    )
    for term, sd in (("actor[1]", sds[0]), ("partner[2]", sds[1])):
        closed = actor_partner_power(pairs=pairs, effect=effect, predictor=predictor, sd=sd)
        rng = np.random.default_rng(3)
        p = actor_partner(design.draw(runs(20_000, 2_000), rng)).coefficient(term).p
        result = proportion(int(np.sum(np.asarray(p) <= 0.05)), runs(20_000, 2_000))
        ends = result.confidence_interval(0.9999)
        assert ends.low <= float(closed.power) <= ends.high


def test_alike_pairs_drawn_as_summaries_are_those_drawn_row_by_row() -> None:
    """The sum of both effects is a regression of pairs' means; and studies drawn person by person find as much."""
    paths: dict[str, Any] = {"actor": 0.3, "partner": 0.25, "predictor": 0.4, "residual": 0.5}
    design = actor_partner_design(pairs=25, **paths)
    studies = runs(20_000, 3_000)

    def test(moments: Moments) -> Any:
        return actor_partner(moments, alike=True).contrast({"actor": 1.0, "partner": 1.0})

    def actor(moments: Moments) -> Any:
        return actor_partner(moments, alike=True).coefficient("actor").p

    # The mean of a pair has a predictor of variance (1 + .4)/2 and a residual of variance (1 + .5)/2.
    slope = 0.55 * np.sqrt((1 + 0.4) / (1 + 0.5))
    together = simulated_power(design, test, rng=np.random.default_rng(4), n_simulations=studies).confidence_interval(
        0.9999
    )
    # A regression on one predictor is that on two of one more pair: n − 2 and n − 1 for n − 3 and n − 2.
    assert together.low <= float(actor_partner_power(pairs=26, effect=slope).power) <= together.high
    rng = np.random.default_rng(5)
    half = np.linalg.cholesky(np.array([[1, 0.4], [0.4, 1]])).T, np.linalg.cholesky(np.array([[1, 0.5], [0.5, 1]])).T
    x, e = (rng.standard_normal((studies, 25, 2)) @ root for root in half)
    rows = np.concatenate([x, 0.3 * x + 0.25 * x[..., ::-1] + e], axis=-1)
    brute = float(np.mean(actor(Moments.from_array(rows, ["x1", "x2", "y1", "y2"])) <= 0.05))
    drawn = float(np.mean(actor(design.draw(studies, rng)) <= 0.05))
    assert abs(brute - drawn) < 4.5 * np.sqrt(brute * (1 - brute) * 2 / studies)


def test_clusters_of_kinds_are_drawn_as_described() -> None:
    kinds = [[{"g": "a"}, {"g": "b"}, {"g": "b"}], [{"g": "a"}, {"g": "a"}]]
    means, sds = [[1.0, 2.0, 3.0], [4.0, 5.0]], [[1.0, 2.0, 1.0], [0.5, 1.0]]
    design = cluster_design(n_clusters=[2, 3], kinds=kinds, mean=means, sd=sds, correlation=0.4, formula="outcome ~ g")
    drawn = design.draw(runs(20_000, 4_000), np.random.default_rng(1))
    assert (drawn.sizes.tolist(), drawn.clusters[0].tolist()) == ([2.0, 3.0], [3.0, 2.0])
    total = drawn.cross[:, 0, 1] + drawn.rows * drawn.origin["outcome"]  # Σ y
    variances = [2 * (6 + 2 * 0.4 * (2 + 1 + 2)), 3 * (1.25 + 2 * 0.4 * 0.5)]
    agree(total.mean(), 2 * 6 + 3 * 9, atol=4.5 * np.sqrt(sum(variances) / len(total)))
    agree(total.var(), sum(variances), rtol=0.12)
    assert design.resized(6).n.tolist() == [6, 9]


def test_same_seed_same_studies() -> None:
    design = dyad_design(pairs=(8, 9), mean=MEANS["between"], icc=0.3)

    def p_values() -> Any:
        return simulated_p(design, lambda m: mixed(m, between="any").test("role"), 20, np.random.default_rng(1))

    assert p_values().tolist() == p_values().tolist()
    assert design.resized(16).n.tolist() == [16, 18]
    drawn = design.draw(3, np.random.default_rng(2))
    assert (drawn.studies, drawn.rows.tolist(), drawn.sizes.tolist()) == ((3,), [34.0] * 3, [2.0])


def _clusters(**other: Any) -> Any:
    values_by_name: dict[str, Any] = {
        "n_clusters": [4],
        "kinds": [[{"g": "a"}, {"g": "b"}, {"g": "b"}]],
        "mean": [[0.0, 0.0, 0.0]],
    }
    return cluster_design(**{**values_by_name, "correlation": 0.2, "formula": "outcome ~ g", **other})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: design_effect(-0.6, 3), r"icc is -0\.6; clusters of 3 have one from -0\.5 to 1"),
        (lambda: design_effect(0.5, 0), "size is 0; give the rows of a cluster"),
        (lambda: dyad_power(pairs=(1, 9), effect=0.5, icc=0.5), "pairs is 1"),
        (lambda: dyad_power(pairs=(9, 9, 9), effect=0.5, icc=0.5), "two conditions"),  # type: ignore[arg-type]
        (lambda: dyad_power(pairs=(9, 9), effect=0.5, icc=1.0, predictor="within"), "the two of each pair"),
        (lambda: dyad_design(pairs=(9, 9), mean=((0, 0), (0, 0)), icc=1.0), r"icc is 1\.0; give a number between"),
        (lambda: dyad_design(pairs=(9, 9), mean=((0, 0),), icc=0.1), "2 × 2 means"),  # type: ignore[arg-type]
        (lambda: actor_partner_design(pairs=3, actor=1, partner=0), "pairs is 3"),
        (lambda: actor_partner_design(pairs=9, actor=(1, 2, 3), partner=0), "one number, or one a role"),
        (lambda: actor_partner_design(pairs=9, actor=1, partner=0, residual=1.0), "residual is 1"),
        (lambda: actor_partner_design(pairs=9, actor=1, partner=0, sd=0), "give positive numbers"),
        (lambda: actor_partner_power(pairs=9, effect=1, predictor=1.0), "predictor is 1"),
        (lambda: _clusters(correlation=-0.5), "correlation is -0.5; rows of clusters of 3"),
        (lambda: _clusters(mean=[[1.0, 2.0]]), "a number for each row"),
        (lambda: _clusters(n_clusters=[1, 2]), "one of each for every kind"),
        (lambda: _clusters(n_clusters=[0]), "give whole numbers"),
    ],
)
def test_what_no_pairs_can_have(call: Any, message: str) -> None:
    with pytest.raises(DesignError, match=message):
        call()


def test_sample_sizes_of_pairs_are_the_least_that_suffice() -> None:
    result = dyad_sample_size(effect=1, icc=0.4)
    pairs = result.n[0]
    enough, fewer = (float(np.asarray(dyad_power(pairs=(n, n), effect=1, icc=0.4).power)) for n in (pairs, pairs - 1))
    assert fewer < 0.8 <= enough
    with pytest.raises(DesignError, match="can show a difference of 0"):
        dyad_sample_size(effect=0, icc=0.4)
