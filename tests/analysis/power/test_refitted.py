"""Power of yes or no and of counts whose rows are related: each study is drawn row by row and fitted."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, special, stats

from negstats.analysis.plan import parse
from negstats.analysis.power.planned import PlannedPower, planned_power
from negstats.analysis.power.refitted import score_moments, share_correlation, typical_logit
from negstats.stats import power as powers
from negstats.stats.models.responses.likelihood import hermite
from negstats.stats.power.responses import draw_scores
from tests.conftest import reference, runs

KINDS = {"p": "yes/no", "rate": "count", "mean": "interval", "shares": "ordered"}
CELLS = 'cells = [{{ condition = "a", {key} = {first} }}, {{ condition = "b", {key} = {second} }}]'


def plan_power(
    expect: str,
    question: str = 'test = "mixed"',
    n: int = 20,
    n_simulations: int = 200,
    within: str = "false",
    key: str = "p",
    first: float | list[float] = 0.4,
    second: float | list[float] = 0.6,
    *,
    needed: bool = False,
) -> PlannedPower:
    cells = CELLS.format(key=key, first=first, second=second)
    plan = parse(f"""
power = {{ n = [{n}], studies = {n_simulations} }}
[measures.m]
measure = "points"
kind = "{KINDS[key]}"
[factors.condition]
within = {within}
[factors.scenario]
[questions.H]
asks = "Is it accepted more often?"
measure = "m"
who = "human"
by = "condition"
{question}
expect = {{ {cells}, {expect} }}
""")
    return planned_power(plan, sizes=None if needed else {"H": [n]})


def one_row(found: PlannedPower) -> dict[str, Any]:
    assert not found.refused
    row: dict[str, Any] = found.curve.to_dict("records")[0]  # type: ignore[assignment]
    return row


@pytest.mark.parametrize(("share", "sd"), [(0.2, 1.5), (0.5, 0.7), (0.93, 2.0)])
def test_the_typical_persons_odds_give_the_share_of_the_population(share: float, sd: float) -> None:
    eta = typical_logit(share, sd)

    def moment(power: int) -> float:
        return float(integrate.quad(lambda z: special.expit(eta + sd * z) ** power * stats.norm.pdf(z), -9, 9)[0])

    assert moment(1) == pytest.approx(share, abs=1e-8)
    r = (moment(2) - share**2) / (share * (1 - share))
    assert share_correlation(share, sd) == pytest.approx(r, abs=1e-6)


@pytest.mark.slow
def test_the_power_is_that_of_lme4() -> None:
    frozen = reference("power_decisions")
    assert [typical_logit(p, 1.2) for p in (0.35, 0.65)] == pytest.approx(frozen["eta"], abs=1e-6)
    row = one_row(plan_power("sd_people = 1.2, per_unit = 10", first=0.35, second=0.65, n_simulations=200))
    theirs = frozen["hits"] / frozen["studies"]
    error = math.sqrt(theirs * (1 - theirs) * (1 / frozen["studies"] + 1 / 200))
    assert abs(row["power"] - theirs) < 3.3 * error


@pytest.mark.slow
def test_a_difference_within_people_has_the_power_of_another_program() -> None:
    row = one_row(plan_power("sd_people = 1, per_unit = 8, sd_effect = 0", within="true", n=12, n_simulations=200))
    step = typical_logit(0.6, 1.0) - typical_logit(0.4, 1.0)
    other = powers.mixed(people=12, decisions=8, effect=step, sd=1.0, slope_sd=1e-9, intercept=-step / 2,
                         varies="within", rng=np.random.default_rng(5), n_simulations=300)  # fmt: skip
    theirs = float(np.asarray(other.power))
    assert abs(row["power"] - theirs) < 3.3 * math.sqrt(theirs * (1 - theirs) * (1 / 300 + 1 / 200))


SHARES = [0.1, 0.2, 0.3, 0.25, 0.15]  # of a typical person in the first condition
MIXED, ITEMS = 'test = "mixed"', 'items = "scenario"'


def shares(effect: float, sd: float) -> list[float]:
    """Return the population's shares where the odds of a higher answer are e^effect times a typical person's above."""
    nodes, weights = hermite(60)
    below = [float(weights @ special.expit(cut - effect - sd * nodes)) for cut in special.logit(np.cumsum(SHARES)[:-1])]
    found = np.round(np.diff([0.0, *below, 1.0]), 9)
    return [*found[:-1].tolist(), float(1 - found[:-1].sum())]


REPEATED: list[tuple[str, str, str, str, str, int, float | list[float], float | list[float]]] = [
    ("number_items", "sd = 1.870829, sd_people = 1, sd_items = 0.5, items = 20, per_unit = 20", ITEMS, "false", "mean",
     15, 0.0, 0.8),
    # A difference that varies over people by 0.5 between level 0 and 1 adds 0.25² to the people's SD in the middle.
    ("number_within", "sd = 1.887459, sd_people = 1.030776, sd_effect = 0.5, sd_items = 0.5, items = 12, per_unit = 12",
     ITEMS, "true", "mean", 20, 0.0, 0.9),
    ("ordered_people", "sd_people = 1.2, per_unit = 6", MIXED, "false", "shares", 20, shares(0, 1.2), shares(1, 1.2)),
    ("ordered_people", "sd_people = 1.2, per_unit = 6", "", "false", "shares", 20, shares(0, 1.2), shares(1, 1.2)),
    ("ordered_items", "sd_people = 1.2, sd_items = 0.5, items = 12, per_unit = 12", f"{MIXED}\n{ITEMS}", "true",
     "shares", 24, shares(0, 1.3), shares(1, 1.3)),
    ("ordered_pairs", "sd_people = 1.2", "", "true", "shares", 40, shares(0, 1.2), shares(1, 1.2)),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("name", "expect", "question", "within", "key", "n", "first", "second"), REPEATED)
def test_numbers_and_answers_in_order_have_the_power_of_r(
    name: str, expect: str, question: str, within: str, key: str, n: int, first: Any, second: Any
) -> None:
    frozen = reference("power_repeated")
    hits = frozen[name]["scores" if question else "welch"] if name == "ordered_people" else frozen[name]
    theirs, studies = hits / frozen["studies"], 120
    row = one_row(plan_power(expect, question, n, studies, within, key, first, second))
    error = math.sqrt(theirs * (1 - theirs) * (1 / frozen["studies"] + 1 / studies))
    assert abs(row["power"] - theirs) < 3.3 * error


def test_ranks_of_three_answers_of_a_person_are_those_of_friedman() -> None:
    plan = parse("""
power = { n = [30], studies = 200 }
[measures.m]
measure = "points"
kind = "ordered"
[factors.condition]
within = true
[questions.H]
asks = "Is it liked more?"
measure = "m"
who = "human"
by = "condition"
[questions.H.expect]
sd_people = 1.0
cells = [
    { condition = "a", shares = [0.3, 0.3, 0.4] },
    { condition = "b", shares = [0.3, 0.3, 0.4] },
    { condition = "c", shares = [0.3, 0.3, 0.4] },
]
""")
    row = one_row(planned_power(plan, sizes={"H": [30]}))
    assert row["test"] == "friedman"
    assert row["power"] <= stats.binom.ppf(0.999, 200, 0.05) / 200


def test_scores_of_a_person_have_the_moments_of_drawn_ones() -> None:
    mean, sd, r = score_moments(np.array(SHARES), 1.3)
    rng = np.random.default_rng(4)
    cuts = [typical_logit(float(share), 1.3) for share in np.cumsum(SHARES)[:-1]]
    both = draw_scores(rng, rng.normal(0, 1.3, (200_000, 1)) + np.zeros(2), np.array(cuts))
    assert np.bincount(both[:, 0].astype(int))[1:] / len(both) == pytest.approx(SHARES, abs=0.005)
    assert (mean, sd) == pytest.approx((both.mean(), both.std()), abs=0.01)
    assert r == pytest.approx(stats.pearsonr(both[:, 0], both[:, 1]).statistic, abs=0.01)


NULL = [
    ("sd_people = 1.5, per_unit = 10", 'test = "mixed"', "false", "p", 0.5),
    ("sd_people = 1, per_unit = 10, sd_effect = 0.5", 'test = "mixed"', "true", "p", 0.4),
    ("sd_people = 1, per_unit = 12, items = 12, sd_items = 0.5", 'items = "scenario"', "true", "p", 0.5),
    ("r = -0.2, per_unit = 2", 'test = "gee"', "false", "p", 0.5),
    ("sd_people = 0.5, per_unit = 6", 'test = "mixed"', "false", "rate", 2.0),
    ("sd_people = 0.5, per_unit = 6", 'test = "gee"', "false", "rate", 2.0),
    ("sd = 2, sd_people = 1, sd_items = 0.5, items = 12, per_unit = 12", ITEMS, "true", "mean", 5.0),
    ("sd = 2, sd_people = 1, sd_items = 0.5, items = 12, per_unit = 12", ITEMS, "false", "mean", 5.0),
    ("sd_people = 1.2, per_unit = 6", MIXED, "false", "shares", SHARES),
    ("sd_people = 1.2", "", "true", "shares", SHARES),
]


@pytest.mark.calibration
@pytest.mark.parametrize("people", [6, 12, 30])
@pytest.mark.parametrize(("expect", "question", "within", "key", "share"), NULL)
def test_no_effect_is_found_as_often_as_the_level_says(
    expect: str, question: str, within: str, key: str, share: Any, people: int
) -> None:
    studies = runs(400, 100)
    n = people if within == "true" else people // 2
    row = one_row(plan_power(expect, question, n, studies, within, key, share, share))
    # Few units: Wald's t lets in up to .07 (estimating equations are shy).
    assert row["power"] <= stats.binom.ppf(0.999, studies, 0.07) / studies


@pytest.mark.slow
def test_the_needed_number_has_an_interval_in_which_the_power_is_reached() -> None:
    found = plan_power("sd_people = 1, per_unit = 10", n_simulations=200, needed=True)
    (needed,) = found.needed.to_dict("records")
    assert needed["n_low"] <= needed["n"] <= needed["n_high"]
    assert needed["total"] == 2 * needed["n"]
    assert "] for 0.8 (" in found.text()
    other = powers.mixed(people=2 * int(needed["n"]), decisions=10, effect=typical_logit(0.6, 1) * 2, sd=1.0,
                         intercept=-typical_logit(0.6, 1), rng=np.random.default_rng(6), n_simulations=200)  # fmt: skip
    assert float(np.asarray(other.power)) == pytest.approx(0.8, abs=0.12)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_power() -> None:
    one, other = (plan_power("sd_people = 1, per_unit = 6", n_simulations=100, n=8).text() for _ in range(2))
    assert one == other


def test_shares_of_people_are_averaged_with_the_correlation_that_their_sd_makes() -> None:
    of_sd = one_row(plan_power("sd_people = 1.5, per_unit = 20", 'test = "welch"', n_simulations=2000))
    r = share_correlation(0.4, 1.5)
    of_r = one_row(plan_power(f"r = {r}, per_unit = 20", 'test = "welch"', n_simulations=2000))
    assert of_sd["power"] == of_r["power"]
    assert of_sd["test"] == "welch"


@pytest.mark.slow
def test_the_mixed_model_is_the_default_where_people_decide_repeatedly() -> None:
    named, default = (plan_power("sd_people = 1, per_unit = 6", test, n_simulations=100) for test in (MIXED, ""))
    assert one_row(default)["test"] == "mixed"
    assert one_row(default)["power"] == one_row(named)["power"]
