"""Power of decisions that repeat by person: seed-fixed studies, what it depends on, and sizes that reach one."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from negstats.errors import DesignError
from negstats.stats import mixed as fit_mixed
from negstats.stats import power
from negstats.stats.power import responses
from negstats.stats.results.result import Interval
from tests.conftest import reference, runs
from tests.shell import Shell
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
        hits += bool(fit_mixed(frame, "y ~ x + g", cluster="person", family="binomial", nagq=1).test("g").p < 0.05)
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"people": 2}, "people is 2"),
        ({"sd": -1.0}, "sd is -1.0; an SD is 0 or more"),
        ({"items": 3}, "each item is decided about as often"),
        ({"slope_sd": 1.0}, "slope_sd is for an effect within people"),
        ({"varies": "both"}, "varies is 'both'"),
    ],
)
def test_wrong_numbers(change: dict[str, Any], message: str) -> None:
    values_by_name: dict[str, Any] = {"people": 8, "decisions": 4, "effect": 1.0, "sd": 1.0, "n_simulations": 2}
    with pytest.raises(DesignError, match=message):
        power.mixed(rng=rng(), **(values_by_name | change))


def test_one_command_says_how_many_pairs(shell: Shell) -> None:
    _, out, _ = shell("power", "--pairs", "--effect", ".5", "--icc", ".4")
    assert out.startswith("You need 45 pairs in each of two conditions: 90 pairs, 180 people")
    _, out, _ = shell("power", "--pairs", "--within", "--effect", ".3", "--icc", "-.4")
    assert out.startswith("You need 248 pairs, 496 people (power 0.803")
    assert "--pairs needs --effect" in shell("power", "--pairs")[2]
    assert "give a plan" in shell("power")[2]


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
    with pytest.raises(DesignError, match="residual_sd is for numbers"):
        power.mixed(people=10, decisions=6, effect=1, sd=1, outcome="number", rng=rng())
    with pytest.raises(DesignError, match="shares is"):
        power.mixed(people=10, decisions=6, effect=1, sd=1, outcome="ordered", shares=[0.5, 0.6], rng=rng())
    with pytest.raises(DesignError, match="intercept and benefit are for yes or no"):
        power.mixed(people=10, decisions=6, effect=1, sd=1, benefit=1, outcome="ordered", shares=[0.5, 0.5], rng=rng())


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
def test_degrees_of_freedom_of_drawn_studies(given: Any, df: float) -> None:
    assert responses.DrawnDesign(*given).df == df


def test_an_effect_that_nobody_misses_has_a_power_of_one() -> None:
    known: dict[str, Any] = {"people": 12, "decisions": 4, "sd": 0.1, "outcome": "number", "residual_sd": 1.0}

    def power(effect: float, alpha: float) -> Any:
        rng = np.random.default_rng(1)
        return responses.mixed(**known, effect=effect, alpha=alpha, n_simulations=8, rng=rng).power

    assert power(50.0, 0.05) == 1.0
    assert power(0.0, 1e-9) == 0.0
