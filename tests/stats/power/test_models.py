"""Power of studies of pairs and of answers that repeat by person."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from negstats.stats import ClusterMoments, Interval, Moments, actor_partner, mixed, power, proportion
from negstats.stats.power import responses
from negstats.stats.power.dyads import Predictor
from negstats.stats.power.simulate import simulated_p
from tests.conftest import reference, runs
from tests.shell import Shell
from tests.stats.closeness import agree
from tests.stats.models.generators import decisions


def rng(seed: int = 1) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.mark.slow
@pytest.mark.calibration
@pytest.mark.parametrize(("people", "expected"), [(30, 0.395), (60, 0.645)])
def test_power_of_studies_of_fixed_seeds(people: int, expected: float) -> None:
    studies, hits = runs(400, 12), 0
    for k in range(studies):
        frame = decisions(700_000 + 1000 * people + k, people, effect=1.0)
        hits += bool(mixed(frame, "y ~ x + g", cluster="person", family="binomial", nagq=1).test("g").p < 0.05)
    share = hits / studies
    assert share == pytest.approx(expected, abs=0.0126 if studies == 400 else 0.45)  # 5 studies of 400


@pytest.mark.slow
@pytest.mark.calibration
def test_drawn_studies_have_the_power_of_those() -> None:
    n = runs(1000, 60)
    model = power.mixed(
        people=30, decisions=20, effect=1.0, sd=1.5, intercept=-2, benefit=5, rng=rng(), n_simulations=n
    )
    low, high = (float(np.asarray(end)) for end in (lambda i: (i.low, i.high))(model.confidence_interval(0.999)))
    assert low <= 0.395 <= high
    assert model.undefined <= 0.02 * n


@pytest.mark.slow
def test_power_grows_and_is_repeatable() -> None:
    values_by_name: Any = {"decisions": 10, "sd": 1.0, "n_simulations": 40}
    few = power.mixed(people=12, effect=2.0, rng=rng(), **values_by_name)
    many = power.mixed(people=48, effect=2.0, rng=rng(), **values_by_name)
    assert float(np.asarray(few.power)) < float(np.asarray(many.power))
    assert power.mixed(people=12, effect=2.0, rng=rng(), **values_by_name) == few
    none = power.mixed(people=12, effect=0.0, rng=rng(), **values_by_name)
    assert float(np.asarray(none.power)) < 0.3


@pytest.mark.slow
def test_within_people_slopes_and_items() -> None:
    values_by_name: Any = {
        "people": 20,
        "decisions": 10,
        "effect": 1.5,
        "sd": 1.0,
        "varies": "within",
        "n_simulations": 25,
    }
    plain = power.mixed(rng=rng(), **values_by_name)
    slopes = power.mixed(rng=rng(), slope_sd=1.5, **values_by_name)
    items = power.mixed(rng=rng(), items=10, item_sd=1.0, **values_by_name)
    assert float(np.asarray(slopes.power)) <= float(np.asarray(plain.power))
    assert float(np.asarray(items.power)) <= float(np.asarray(plain.power))


@pytest.mark.slow
def test_sizes_that_reach_a_power() -> None:
    result = power.mixed_sample_size(decisions=8, effect=2.5, sd=0.8, rng=rng(3), n_simulations=40, power=0.7)
    assert result.power >= 0.7
    assert result.n[0] % 2 == 0
    pairs = power.dyad_sample_size(effect=0.4, icc=-0.2)
    fewer = power.dyad_power(pairs=(pairs.n[0] - 1, pairs.n[0] - 1), effect=0.4, icc=-0.2)
    assert float(np.asarray(fewer.power)) < 0.8 <= pairs.power


def test_one_command_says_how_many_pairs(shell: Shell) -> None:
    _, out, _ = shell("power", "--pairs", "--effect", ".5", "--icc", ".4")
    assert out.startswith("You need 45 pairs in each of two conditions: 90 pairs, 180 people")
    _, out, _ = shell("power", "--pairs", "--within", "--effect", ".3", "--icc", "-.4")
    assert out.startswith("You need 248 pairs, 496 people (power 0.803")


R_DESIGNS: dict[str, dict[str, Any]] = {
    "number_items": {"people": 30, "decisions": 20, "effect": 0.8, "sd": 1.0, "items": 20, "item_sd": 0.5,
                     "outcome": "number", "residual_sd": 1.5},
    "number_within": {"people": 20, "decisions": 12, "effect": 0.9, "sd": 1.0, "items": 12, "item_sd": 0.5,
                      "slope_sd": 0.5, "varies": "within", "outcome": "number", "residual_sd": 1.5},
    "ordered_people": {"people": 40, "decisions": 6, "effect": 1.0, "sd": 1.2, "outcome": "ordered",
                       "shares": [0.1, 0.2, 0.3, 0.25, 0.15]},
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", R_DESIGNS)
def test_numbers_and_answers_in_order_have_the_power_of_r(name: str) -> None:
    frozen = reference("power_repeated")
    hits = frozen[name]["scores"] if name == "ordered_people" else frozen[name]
    theirs, studies = hits / frozen["studies"], 120
    model = power.mixed(rng=rng(), n_simulations=studies, **R_DESIGNS[name])
    error = (theirs * (1 - theirs) * (1 / frozen["studies"] + 1 / studies)) ** 0.5
    assert abs(float(np.asarray(model.power)) - theirs) < 3.3 * error


@pytest.mark.slow
def test_how_many_people_who_give_numbers() -> None:
    values_by_name: Any = {"decisions": 6, "sd": 1.0, "outcome": "number", "residual_sd": 1.0, "n_simulations": 60}
    result = power.mixed_sample_size(effect=1.5, rng=rng(), **values_by_name)
    assert result.power >= 0.8


@pytest.mark.parametrize(("start", "first"), [(16, 16), (17, 18), (1, 4), (5, 6)])
def test_sizes_are_tried_from_the_first_even_one_on(start: int, first: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the least even one that suffices is found, here 22."""
    tried: list[int] = []

    def study(people: int, **_: object) -> Any:
        tried.append(people)
        return SimpleNamespace(
            power=0.9 if people >= 22 else 0.1, confidence_interval=lambda: Interval(0.0, 1.0), alpha=0.05, test="t",
            method="m", n_simulations=9,
        )  # fmt: skip

    monkeypatch.setattr(responses, "mixed", study)
    assert responses.mixed_sample_size(rng=rng(), start=start).n == (22,)
    assert tried[0] == first


@pytest.mark.parametrize(
    ("given", "df"),
    [
        ((20, 10, 0, "between", False, False), 18),  # people − 2
        ((20, 12, 4, "within", False, False), 2),  # items − 2: each is of one condition
        ((20, 12, 6, "within", True, True), 4),
        ((20, 12, 3, "within", True, False), 19),  # items of both conditions, and slopes: people − 1
        ((20, 12, 3, "within", False, False), 240 - 2 - 19 - 2),  # rows less columns, people and items
        ((20, 12, 0, "within", False, True), 240 - 3 - 19),
    ],
)
def test_degrees_of_freedom_of_drawn_studies(given: Any, df: float, monkeypatch: pytest.MonkeyPatch) -> None:
    people, decisions, items, varies, slopes, benefit = given
    fitted: list[float] = []

    def tested(model: Any, term: str, _: str) -> float:
        fitted.append(float(np.asarray(model.effect(term).df)))
        return 1.0

    monkeypatch.setattr(responses, "p_on_side", tested)
    power.mixed(people=people, decisions=decisions, items=items, varies=varies, slope_sd=0.5 * slopes,
                benefit=1.0 * benefit, effect=0.5, sd=1.0, item_sd=0.5, rng=rng(), n_simulations=3)  # fmt: skip
    assert set(fitted) == {df}


def test_an_effect_that_nobody_misses_has_a_power_of_one() -> None:
    known: dict[str, Any] = {"people": 12, "decisions": 4, "sd": 0.1, "outcome": "number", "residual_sd": 1.0}

    def power(effect: float, alpha: float) -> Any:
        rng = np.random.default_rng(1)
        return responses.mixed(**known, effect=effect, alpha=alpha, n_simulations=8, rng=rng).power

    assert power(50.0, 0.05) == 1.0
    assert power(0.0, 1e-9) == 0.0


MEANS = {"between": ((0.5, 0.5), (0.0, 0.0)), "within": ((0.3, 0.0), (0.3, 0.0))}
TERMS = {"between": "condition", "within": "role"}


@pytest.mark.slow
@pytest.mark.parametrize("predictor", ["between", "within"])
@pytest.mark.parametrize(("icc", "pairs"), [(0.5, (25, 35)), (-0.4, (20, 20)), (0.0, (30, 12))])
def test_simulation_meets_the_closed_form(predictor: Predictor, icc: float, pairs: tuple[int, int]) -> None:
    mean = MEANS[predictor]
    closed = power.dyad_power(pairs=pairs, effect=mean[0][0], icc=icc, predictor=predictor)
    design = power.dyad_design(pairs=pairs, mean=mean, icc=icc)

    def test(moments: ClusterMoments) -> Any:
        return mixed(moments, between="any").test(TERMS[predictor])

    power_result = power.simulated_power(design, test, rng=np.random.default_rng(8), n_simulations=runs(20_000, 1_500))
    ends = power_result.confidence_interval(0.9999)
    assert ends.low <= float(closed.power) <= ends.high


def test_pairs_that_are_one_or_independent() -> None:
    # Two who always say the same are one person; two who are independent are two.
    once = power.power("t", effect=0.5, n=(30, 40)).power
    agree(power.dyad_power(pairs=(30, 40), effect=0.5, icc=1.0).power, once, rtol=1e-12)
    # The noncentrality of twice as many people, with the pairs' degrees of freedom: a little less power.
    twice = float(power.power("t", effect=0.5, n=(60, 80)).power)
    assert twice - 0.01 < float(power.dyad_power(pairs=(30, 40), effect=0.5, icc=0.0).power) < twice
    assert (power.design_effect(1.0), power.design_effect(0.0, 7), power.design_effect(0.25, 5)) == (2.0, 1.0, 2.0)


@pytest.mark.parametrize(("pairs", "predictor", "effect"), [(20, 0.0, 0.7), (40, 0.5, 0.5), (8, -0.4, 1.2)])
def test_actor_effects_of_roles_meet_the_closed_form(pairs: int, predictor: float, effect: float) -> None:
    sds = (1.0, 2.0)
    design = power.actor_partner_design(
        pairs=pairs, actor=(effect, 0.0), partner=(0.3, effect), predictor=predictor, residual=-0.5, sd=sds
    )
    for term, sd in (("actor[1]", sds[0]), ("partner[2]", sds[1])):
        closed = power.actor_partner_power(pairs=pairs, effect=effect, predictor=predictor, sd=sd)
        rng = np.random.default_rng(3)
        p = actor_partner(design.draw(runs(20_000, 2_000), rng)).coefficient(term).p
        result = proportion(int(np.sum(np.asarray(p) <= 0.05)), runs(20_000, 2_000))
        ends = result.confidence_interval(0.9999)
        assert ends.low <= float(closed.power) <= ends.high


def test_alike_pairs_drawn_as_summaries_are_those_drawn_row_by_row() -> None:
    """The sum of both effects is a regression of pairs' means; and studies drawn person by person find as much."""
    paths: dict[str, Any] = {"actor": 0.3, "partner": 0.25, "predictor": 0.4, "residual": 0.5}
    design = power.actor_partner_design(pairs=25, **paths)
    studies = runs(20_000, 3_000)

    def test(moments: Moments) -> Any:
        return actor_partner(moments, alike=True).contrast({"actor": 1.0, "partner": 1.0})

    def actor(moments: Moments) -> Any:
        return actor_partner(moments, alike=True).coefficient("actor").p

    # The mean of a pair has a predictor of variance (1 + .4)/2 and a residual of variance (1 + .5)/2.
    slope = 0.55 * np.sqrt((1 + 0.4) / (1 + 0.5))
    together = power.simulated_power(
        design, test, rng=np.random.default_rng(4), n_simulations=studies
    ).confidence_interval(0.9999)
    # A regression on one predictor is that on two of one more pair: n − 2 and n − 1 for n − 3 and n − 2.
    assert together.low <= float(power.actor_partner_power(pairs=26, effect=slope).power) <= together.high
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
    design = power.cluster_design(
        n_clusters=[2, 3], kinds=kinds, mean=means, sd=sds, correlation=0.4, formula="outcome ~ g"
    )
    drawn = design.draw(runs(20_000, 4_000), np.random.default_rng(1))
    assert (drawn.sizes.tolist(), drawn.clusters[0].tolist()) == ([2.0, 3.0], [3.0, 2.0])
    total = drawn.cross[:, 0, 1] + drawn.rows * drawn.origin["outcome"]  # Σ y
    variances = [2 * (6 + 2 * 0.4 * (2 + 1 + 2)), 3 * (1.25 + 2 * 0.4 * 0.5)]
    agree(total.mean(), 2 * 6 + 3 * 9, atol=4.5 * np.sqrt(sum(variances) / len(total)))
    agree(total.var(), sum(variances), rtol=0.12)
    assert design.resized(6).n.tolist() == [6, 9]


def test_same_seed_same_studies() -> None:
    design = power.dyad_design(pairs=(8, 9), mean=MEANS["between"], icc=0.3)

    def p_values() -> Any:
        return simulated_p(design, lambda m: mixed(m, between="any").test("role"), 20, np.random.default_rng(1))

    assert p_values().tolist() == p_values().tolist()
    assert design.resized(16).n.tolist() == [16, 18]
    drawn = design.draw(3, np.random.default_rng(2))
    assert (drawn.studies, drawn.rows.tolist(), drawn.sizes.tolist()) == ((3,), [34.0] * 3, [2.0])


def clusters_of(**other: Any) -> Any:
    values_by_name: dict[str, Any] = {
        "n_clusters": [4],
        "kinds": [[{"g": "a"}, {"g": "b"}, {"g": "b"}]],
        "mean": [[0.0, 0.0, 0.0]],
    }
    return power.cluster_design(**{**values_by_name, "correlation": 0.2, "formula": "outcome ~ g", **other})


def test_sample_sizes_of_pairs_are_the_least_that_suffice() -> None:
    result = power.dyad_sample_size(effect=1, icc=0.4)
    pairs = result.n[0]
    enough, fewer = (
        float(np.asarray(power.dyad_power(pairs=(n, n), effect=1, icc=0.4).power)) for n in (pairs, pairs - 1)
    )
    assert fewer < 0.8 <= enough
