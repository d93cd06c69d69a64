"""The power of a plan: against formulas, against the numbers of a worked example, and the same from one seed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, ncx2
from typer.testing import CliRunner

from negstats import stats
from negstats.analysis.plan.parse import parse
from negstats.analysis.power.planned import PlannedPower, planned_power, size_there
from negstats.analysis.power.pool import Pool
from negstats.analysis.preregistration.check import check
from negstats.cli import app
from negstats.errors import UsageError
from negstats.stats.power import power
from tests.analysis.methods.designs import BY_ROW
from tests.conftest import runs

TWO = 'expect = { cells = [{ condition = "A", mean = 10 }, { condition = "B", mean = 12 }], sd = 4 }'
CELLS = """[{ reward = "low", partner = "human", mean = 10 }, { reward = "low", partner = "fair", mean = 10 },
 { reward = "low", partner = "selfish", mean = 9 }, { reward = "high", partner = "human", mean = 11 },
 { reward = "high", partner = "fair", mean = 12 }, { reward = "high", partner = "selfish", mean = 9 }]"""


def question(more: str, name: str = "H1", measure: str = "points", who: str = "human") -> str:
    seat = f'who = "{who}"\n' if who else ""
    return f'[questions.{name}]\nasks = "Is it so?"\nmeasure = "{measure}"\n{seat}{more}\n'


def power_of(text: str, head: str = "power = { n = [20, 40], studies = 1000 }") -> PlannedPower:
    return planned_power(parse(f"{head}\n{text}"))


@pytest.mark.slow
def test_the_worked_example() -> None:
    """A 2 x 3 design, means 10 10 9 and 11 12 9, SD 4: the closed forms, and 1,000 studies around them."""
    found = power_of(
        question(f'by = ["reward", "partner"]\nexpect = {{ cells = {CELLS.replace(chr(10), "")}, sd = 4 }}'),
        "power = { n = [20, 40], studies = 1000 }\n"
        '[factors]\nreward = { levels = ["low", "high"] }\npartner = { levels = ["human", "fair", "selfish"] }',
    )
    closed = found.curve.set_index(["term", "n"])["closed"].round(3)
    assert closed["reward"].tolist() == [0.274, 0.488]
    assert closed["partner"].tolist() == [0.527, 0.842]
    assert closed["partner:reward"].tolist() == [0.152, 0.27]
    needed = found.needed.set_index("term")
    for term, n in (("reward", 84), ("partner", 37), ("partner:reward", 157)):
        assert needed["n_low"][term] - 8 <= n <= needed["n_high"][term] + 8


def test_pairs_have_the_power_of_their_differences() -> None:
    found = power_of(question(
        'by = "condition"\nexpect = { cells = [{ condition = "CL", mean = 0.75 }, { condition = "FC", mean = 0.73 }],'
        " sd = 0.07, r = 0.45 }", who="agent"), "power = { n = [40, 66, 100], studies = 1000 }")  # fmt: skip
    assert found.curve["test"].tolist() == ["paired"] * 3
    assert found.curve["closed"].round(3).tolist()[1] == 0.587
    assert ((found.curve["low"] <= found.curve["closed"]) & (found.curve["closed"] <= found.curve["high"])).all()


@pytest.mark.slow
@settings(max_examples=10)
@given(
    difference=st.floats(0.2, 3),
    sd=st.floats(1, 5),
    n=st.integers(5, 60),
    seed=st.integers(0, 1000),
    pairs=st.booleans(),
)
def test_simulation_and_formula_agree(difference: float, sd: float, n: int, seed: int, pairs: bool) -> None:
    r = ", r = 0.3" if pairs else ""
    text = question(f'by = "condition"\nexpect = {{ cells = [{{ condition = "A", mean = {difference} }}, '
                    f'{{ condition = "B", mean = 0.0 }}], sd = {sd}{r} }}')  # fmt: skip
    row = power_of(text, f"seed = {seed}\npower = {{ n = [{n}], studies = 400 }}").curve.iloc[0]
    error = np.sqrt(row["closed"] * (1 - row["closed"]) / 400)
    assert abs(row["power"] - row["closed"]) <= 4.5 * error + 0.01


CASES = [
    ("welch", 'by = "condition"\n' + TWO, "points"),
    ("equivalence", 'by = "condition"\nequivalent = 3\n' + TWO, "points"),
    ("one_sample", "against = 9\nexpect = { cells = [{ mean = 10 }], sd = 4 }", "points"),
    ("chi_squared", 'by = "condition"\nexpect = { cells = [{ condition = "A", p = 0.2 }, '
     '{ condition = "B", p = 0.6 }] }', "reached_goal"),
    ("mcnemar", 'by = "condition"\nexpect = { cells = [{ condition = "A", p = 0.2 }, { condition = "B", p = 0.6 }], '
     "r = 0.2 }", "reached_goal"),
    ("quasi_poisson", 'by = "condition"\nexpect = { cells = [{ condition = "A", rate = 4, spread = 2 }, '
     '{ condition = "B", rate = 8, spread = 2 }] }', "utterances"),
    ("pearson", 'with = "utterances"\nexpect = { r = 0.5 }', "points"),
    ("repeated", 'by = "condition"\nexpect = { cells = [{ condition = "A", mean = 1 }, { condition = "B", mean = 2 }, '
     '{ condition = "C", mean = 2 }], sd = 2, r = 0.4 }', "points"),
    ("contrast", 'by = "condition"\ncontrasts = [{ name = "first", weights = { A = 1, B = -1 } }]\nexpect = { cells = ['
     '{ condition = "A", mean = 1 }, { condition = "B", mean = 3 }, { condition = "C", mean = 2 }], sd = 2 }',
     "points"),
]  # fmt: skip


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize(("test", "more", "measure"), CASES, ids=[case[0] for case in CASES])
def test_each_test_grows_with_n_and_finds_what_it_needs(test: str, more: str, measure: str) -> None:
    found = power_of(question(more, measure=measure), "power = { n = [10, 40], studies = 300 }")
    assert set(found.curve["test"]) == {test}
    small, large = found.curve["power"]
    assert small < large
    assert found.needed["n_low"][0] <= found.needed["n"][0] <= found.needed["n_high"][0]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("groups", "p"), [("AB", (0.2, 0.6)), ("ABC", (0.2, 0.6, 0.5)), ("ABCD", (0.5, 0.3, 0.3, 0.4))]
)
def test_the_closed_power_of_chi_squared_is_that_of_its_noncentrality(groups: str, p: tuple[float, ...]) -> None:
    cells = ", ".join(f'{{ condition = "{name}", p = {share} }}' for name, share in zip(groups, p, strict=True))
    found = power_of(question(f'by = "condition"\nexpect = {{ cells = [{cells}] }}', measure="reached_goal"))
    share, n = np.array([p, 1 - np.array(p)]).T, 20
    mean = share.mean(axis=0)
    beyond = n * ((share - mean) ** 2 / mean).sum()  # Σ n (p − p̄)²/p̄ over groups of n and both answers
    critical = chi2.isf(0.05, len(p) - 1)
    closed = found.curve.set_index("n")["closed"]
    assert closed[n] == pytest.approx(ncx2.sf(critical, len(p) - 1, beyond), rel=1e-9)


@pytest.mark.slow
def test_neither_order_nor_other_questions_change_a_number() -> None:
    one, two = question('by = "condition"\n' + TWO), question('by = "condition"\n' + TWO, "H2", "joint_value")
    alone, both, turned = (power_of(text) for text in (one, one + two, two + one))
    for found in (both, turned):
        assert found.curve[found.curve["question"] == "H1"].reset_index(drop=True).equals(alone.curve)
    h2 = both.curve[both.curve["question"] == "H2"]
    assert h2["power"].tolist() != alone.curve["power"].tolist()


@pytest.mark.parametrize("measure", ["labels.reason", "replies.offer:reason"])
def test_rates_of_codes_have_the_power_of_their_means(measure: str) -> None:
    text = """
    power = { n = [20], studies = 400 }
    [questions.H1]
    asks = "Do sellers give more reasons?"
    measure = "points"
    by = "role"
    expect = { cells = [{ role = "buyer", mean = 0.2 }, { role = "seller", mean = 0.35 }], sd = 0.2 }
    """
    own, points = (planned_power(parse(text.replace("points", one))).curve for one in (measure, "points"))
    assert own[["closed", "power"]].to_dict("list") == points[["closed", "power"]].to_dict("list")
    assert 0 < own["power"].iloc[0] < 1


def test_a_family_costs_power() -> None:
    both = question('by = "condition"\n' + TWO) + question('by = "condition"\n' + TWO, "H2")
    found = power_of(both + '[families.main]\nquestions = ["H1", "H2"]\n')
    assert (found.curve["alpha_family"] == 0.025).all()
    assert (found.curve["power_family"] < found.curve["power"]).all()


def test_no_effect_is_rejected_at_the_level() -> None:
    null = TWO.replace("12", "10")
    studies = runs(20_000, 4_000)
    found = power_of(question('by = "condition"\n' + null), f"power = {{ n = [12], studies = {studies} }}")
    assert abs(found.curve["power"][0] - 0.05) < 4 * np.sqrt(0.05 * 0.95 / studies)
    assert "not 0.8" in found.needed["why"][0]


def test_rows_of_a_unit_are_averaged() -> None:
    """The mean of four rows that correlate with .2 has a variance of (1 + 3 · .2)/4 of one row's."""
    averaged = power_of(question('by = "condition"\n' + TWO.replace("sd = 4", "sd = 4, per_unit = 4, r = 0.2")))
    plain = power_of(question('by = "condition"\n' + TWO.replace("sd = 4", f"sd = {float(4 * np.sqrt(0.4))!r}")))
    assert averaged.curve["closed"].tolist() == pytest.approx(plain.curve["closed"].tolist(), rel=1e-12)
    assert "one unit" in averaged.sentences["H1"]


@pytest.mark.slow
def test_counts_told_by_mean_and_sd_go_through_the_test_of_counts() -> None:
    """A mean of 4 and an SD of 3 are a rate of 4 and a spread of 9/4."""
    told = (
        'by = "condition"\nexpect = { cells = [{ condition = "A", mean = 4 }, { condition = "B", mean = 6 }], sd = 3 }'
    )
    rate = 'by = "condition"\nexpect = { cells = [{ condition = "A", rate = 4, spread = 2.25 }, '
    rate += '{ condition = "B", rate = 6, spread = 1.5 }] }'
    one, two = (power_of(question(more, measure="utterances", who="")) for more in (told, rate))
    assert set(one.curve["test"]) == {"quasi_poisson"}
    assert one.curve.equals(two.curve)


def test_a_plan_without_expectations_is_told_what_to_add() -> None:
    with pytest.raises(UsageError, match="no question says what it expects; add such as expect = ") as refused:
        power_of(question('by = "condition"'))
    # What is proposed has the plan's own names, and is one.
    proposed = re.search(r"add such as (expect = .*) to \[questions\.H1\]", str(refused.value))
    assert proposed is not None
    assert len(power_of(question(f'by = "condition"\n{proposed[1]}')).curve)


CELL = '{{ svo = "self", mean = 10 }}, {{ svo = "social", mean = {mean} }}'
SVO = f"expect = {{{{ cells = [{CELL}], sd = 4, r = {{r}}{{more}} }}}}"


def rows_of(
    test: str, r: float, within: str = "", more: str = "", mean: float = 12, n: int = 30, *, needed: bool = False
) -> PlannedPower:
    head = f"power = {{ n = [{n}], studies = {runs(10_000, 600)} }}\n"
    head += f'[factors]\nsvo = {{ column = "answers.svo"{within} }}'
    asked = question(f'by = "svo"\ntest = "{test}"\n{SVO.format(mean=mean, r=r, more=more)}')
    return planned_power(parse(f"{head}\n{asked}"), sizes=None if needed else {"H1": [n]})


@pytest.mark.slow
def test_models_of_pairs_have_the_power_of_sums_and_differences() -> None:
    """Whole pairs at one level: t of their means; both levels in each pair: t of their differences."""
    cases = {
        "false": power("t", effect=0.5 / np.sqrt(0.3), n=30),
        "true": power("paired t", effect=0.5 / np.sqrt(2.8), n=30),
    }
    for within, closed in cases.items():
        row = rows_of("dyad", -0.4, f", within = {within}").curve.iloc[0]
        assert (row["test"], row["total"]) == ("dyad", 60 if within == "false" else 30)
        error = np.sqrt(closed.power * (1 - closed.power) / runs(10_000, 600))
        assert abs(row["power"] - closed.power) < 4.5 * error


@pytest.mark.slow
@pytest.mark.parametrize(("test", "more", "r"), [("dyad", "", -0.4), ("mixed", ", per_unit = 3", 0.3)])
def test_levels_dealt_to_rows_are_those_drawn_one_by_one(test: str, more: str, r: float) -> None:
    """Studies in which every row draws its own level, fitted one by one, find as much as dealt kinds of units."""
    found = rows_of(test, r, more=more, n=12, needed=test == "dyad")
    k, rng, hits, studies = (2 if test == "dyad" else 3), np.random.default_rng(1), 0, runs(2_000, 60)
    root = np.linalg.cholesky(np.full((k, k), r) + (1 - r) * np.eye(k))
    for _ in range(studies):
        level = rng.integers(0, 2, (24, k))
        y = 10 + 2 * level + 4 * rng.standard_normal((24, k)) @ root.T
        frame = pd.DataFrame(
            {"y": y.ravel(), "g": np.where(level.ravel() == 0, "a", "b"), "u": np.repeat(np.arange(24), k)}
        )
        found_p = stats.mixed(frame, "y ~ g", "u", between="any" if test == "dyad" else "positive").test("g").p
        hits += int(np.asarray(found_p) < 0.05)
    share = found.curve["power"][0]
    assert abs(hits / studies - share) < 4.5 * np.sqrt(share * (1 - share) / studies) + 0.02
    assert f"{k} rows at a level count as one unit" in found.sentences["H1"]
    for row in found.needed.to_dict("records"):
        assert row["n_low"] <= row["n"] <= row["n_high"]
        assert row["total"] == 2 * row["n"]


@pytest.mark.slow
def test_rows_without_an_effect_keep_the_level() -> None:
    null = rows_of("dyad", 0.3, mean=10, n=8, needed=True)
    assert abs(null.curve["power"][0] - 0.05) < 4.5 * np.sqrt(0.05 * 0.95 / runs(10_000, 600)) + 0.005
    assert "not 0.8" in null.needed["why"][0]


@pytest.mark.slow
def test_crossed_factors_of_rows_have_each_their_power() -> None:
    head = "power = { n = [10], studies = 100 }\n[factors]\ncondition = { within = false }\n"
    head += 'svo = { column = "answers.svo", levels = ["self", "social"] }'
    cells = '[{ condition = "A", mean = 10 }, { condition = "B", mean = 13 }]'
    found = power_of(
        question(f'by = ["condition", "svo"]\ntest = "dyad"\nexpect = {{ cells = {cells}, sd = 4, r = 0.2 }}'), head
    )
    powers = found.curve.set_index("term")["power"]
    assert powers["condition"] > 0.4 > 0.15 > max(powers["svo"], powers["condition:svo"])
    assert found.curve["total"].tolist() == [40] * 3


@pytest.mark.slow
def test_the_size_of_a_study_at_hand_counts_its_rows() -> None:
    """Where each of a pair has a level of its own, two rows at a level count as one pair."""
    case = BY_ROW[19]
    expect = 'expect = { cells = [{ svo = "self", mean = 1 }, { svo = "social", mean = 2 }], sd = 2, r = 0.3 }'
    plan = replace(case, question=f'{case.question}\ntest = "dyad"\n{expect}').plan()
    study = case.study(np.random.default_rng(1))
    (one,) = check(plan, study).questions
    rows = one.came.asked.frame.group_by("f0").agg(nw.len().alias("n")).collect()["n"]
    assert size_there(one.question, one.came) == rows.min() // 2 < one.came.cells["n"].min()
    found = planned_power(plan, sizes={"Q": [size_there(one.question, one.came)]})
    assert found.curve["total"][0] <= one.came.design.units


def test_tests_for_which_nothing_is_drawn_are_refused_by_name() -> None:
    logistic = question('with = "points"\nexpect = { r = 0.3 }', "H2", "reached_goal")
    found = power_of(question('by = "condition"\n' + TWO) + logistic + question('by = "condition"', "H3"))
    assert found.refused == {
        "H2": "the power of logistic regression is not simulated",
        "H3": "the plan does not say what it expects",
    }
    assert set(found.curve["question"]) == {"H1"}


@pytest.mark.slow
def test_a_played_game_gives_pools() -> None:
    head = 'power = { n = [10], studies = 200, simulate = { game = "contract", games = 30 } }\n'
    head += '[factors]\ncondition = { levels = ["HvsH", "HvsSP-A"] }'
    found = power_of(question('by = "condition"', who="provider_y"), head)
    assert "30 played games" in found.sentences["H1"]
    assert found.curve.equals(power_of(question('by = "condition"', who="provider_y"), head).curve)


def test_a_pool_knows_its_own_error() -> None:
    pool = Pool(np.array([0.0, 10.0]), np.array([[0.5, 0.5]]), 100)
    assert (pool.mean.tolist(), pool.error.tolist()) == ([5.0], [0.5])


@pytest.mark.slow
def test_the_command_draws_and_writes(tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text("power = { n = [20, 40], studies = 200 }\n" + question('by = "condition"\n' + TWO))
    figure, csv = tmp_path / "power.svg", tmp_path / "power.csv"
    said = CliRunner().invoke(app, ["power", str(plan), "--figure", str(figure), "--csv", str(csv)])
    assert said.exit_code == 0, said.output
    assert "for 0.8" in said.output
    assert figure.read_text().startswith("<?xml")
    assert len(csv.read_text().splitlines()) == 3
    found = json.loads(CliRunner().invoke(app, ["power", str(plan), "--json"]).output)
    assert [row["n"] for row in found["curve"]] == [20, 40]
