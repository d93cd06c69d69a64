"""Analyses of chawla2023 on simulated dialogues, and what the printed bounds of Tables 2 and 11 say of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from negstats import papers, stats
from negstats.errors import DesignError
from negstats.games.dealornodeal import FEATURES, REWARDS, Scenarios, outcomes
from negstats.papers import chawla2023
from negstats.papers.chawla2023 import simulated
from negstats.papers.chawla2023.deals import COUNTS, SHARES, VALUES
from negstats.papers.figures import figures, not_drawn
from negstats.papers.ledger import results
from negstats.papers.verdict import Verdict
from negstats.simulate import dealornodeal
from negstats.studies.study import Study
from tests.conftest import ROOT

AGENTS = dealornodeal.load_design(ROOT / "datasets" / "dealornodeal_agents" / "agents.toml")


@pytest.fixture(scope="module")
def study() -> Study:
    return dealornodeal.as_study(dealornodeal.agents_with_people(AGENTS, seed=1))


@pytest.fixture(scope="module")
def rows(study: Study) -> pd.DataFrame:
    return simulated.dialogues(study)


@pytest.mark.slow
def test_the_design_is_the_papers(rows: pd.DataFrame) -> None:
    np.testing.assert_array_equal(simulated.walk_aways(rows).n.sum(axis=-1), chawla2023.walk_aways().n.sum(axis=-1))
    result = simulated.analyses(rows)
    human = result.iloc[0]
    assert (human["outcome"], human["condition"], human["term"]) == ("human points", chawla2023.WITH, "reward")
    assert (human["df1"], human["df2"], human["printed"]) == (1, 577, "F(1, 577) = 5.00, p = 0.03")
    assert result.query("term == 'mutual independence'")["df1"].tolist() == [7]
    assert (result["printed"] != "").sum() == 11
    assert "not the paper's bots" in simulated.CAUTION


@pytest.mark.slow
def test_points_are_those_of_the_seats(study: Study, rows: pd.DataFrame) -> None:
    people = study.players[study.players["agent"] == "people"].set_index("game_id")["points"]
    np.testing.assert_array_equal(rows["human points"], people.loc[rows["game_id"]])
    np.testing.assert_array_equal(rows["joint points"], rows["human points"] + rows["agent points"])
    assert ((rows["joint points"] == 0) >= (rows["walked away"] == "yes")).all()


@pytest.mark.slow
def test_the_tests_are_those_of_the_package(rows: pd.DataFrame) -> None:
    plain = rows.astype({"reward": str, "partner": str})
    without = plain[plain["walked away"] == "no"]
    p_by_row = {tuple(row[:3]): row[4] for row in simulated.analyses(rows).itertuples(index=False)}
    for measure in simulated.MEASURES:
        for name, part in ((chawla2023.WITH, plain), (chawla2023.WITHOUT, without)):
            by_frame = stats.anova(part, measure, ["reward", "partner"]).to_frame().set_index("term")
            for term in ("reward", "partner", "reward:partner"):
                assert p_by_row[measure, name, term] == pytest.approx(by_frame.loc[term, "statistic"])
    three = stats.loglinear(stats.Counts.from_frame(plain, ["reward", "partner", "walked away"]), 2)
    assert p_by_row["walk-aways", "", "reward:partner:walked away"] == pytest.approx(float(three.statistic))


def test_table_3_has_the_printed_values_beside(rows: pd.DataFrame) -> None:
    table = simulated.table_3(rows)
    assert len(table) == 6 * (2 * 3 + 2)
    cells_of = {tuple(row[:4]): row for row in table.itertuples(index=False)}
    cell = cells_of["agent points", chawla2023.WITHOUT, "selfish", "supervised"]
    assert cell.printed == 6.96
    assert cells_of["walk-aways", "", "selfish", "fair"].printed == 24.44
    assert cells_of["utterances", chawla2023.WITH, "fair", "supervised"].printed == 4.35
    assert table["printed"].notna().all()
    by_cells = simulated.cells(rows, "agent points", chawla2023.WITHOUT).to_frame()
    assert cell.mean == pytest.approx(by_cells.query("reward == 'selfish' and partner == 'supervised'")["mean"].item())
    assert ((table["low"] <= table["mean"]) & (table["mean"] <= table["high"])).all()


@pytest.mark.slow
def test_a_study_of_something_else_is_refused() -> None:
    with pytest.raises(DesignError, match="an agent of the design must meet people"):
        simulated.dialogues(dealornodeal.as_study(dealornodeal.agents_with_agents(AGENTS, seed=1, games=2)))


@pytest.mark.slow
def test_pairs_are_in_the_order_that_is_asked() -> None:
    outcomes = dealornodeal.outcomes_of(dealornodeal.agents_with_agents(AGENTS, seed=2, games=8))
    means = simulated.pair_means(outcomes, AGENTS, "own")
    assert means.index.tolist() == means.columns.tolist() == list(AGENTS)
    cell = outcomes[(outcomes["agent"] == "S") & (outcomes["opponent"] == "r=fair,p=S")]["own"].mean()
    assert means.loc["S", "r=fair,p=S"] == cell
    assert len(FEATURES) == 18


@pytest.mark.slow
@pytest.mark.calibration
def test_at_the_null_the_anova_is_right_in_one_of_twenty(rows: pd.DataFrame) -> None:
    """Factors dealt anew to the dialogues: p < .05 in 5 % of the studies, for each term."""
    studies, rng = 4000, np.random.default_rng(20261124)
    points = rows["human points"].to_numpy(dtype=float)
    cell = rows["reward"].cat.codes.to_numpy() * 3 + rows["partner"].cat.codes.to_numpy()
    n = np.bincount(cell).astype(float)
    order = np.argsort(rng.random((studies, len(points))), axis=1)
    dealt = points[order]
    indicator = np.eye(6)[cell]
    mean = dealt @ indicator / n
    variance = (dealt**2 @ indicator - n * mean**2) / (n - 1)
    shape = (studies, 2, 3)
    stacked = stats.Cells.from_table(
        n=np.broadcast_to(n, mean.shape).reshape(shape),
        mean=mean.reshape(shape),
        sd=np.sqrt(variance).reshape(shape),
        factors={"reward": chawla2023.REWARDS, "partner": chawla2023.PARTNERS},
    )
    rates = (stats.anova(stacked).p[:, :3] < 0.05).mean(axis=0)
    assert (np.abs(rates - 0.05) < 4 * np.sqrt(0.05 * 0.95 / studies)).all(), rates


FOUND = {finding.id: finding for finding in papers.reproduce(["chawla2023"])}


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("selfish", Verdict.CONSISTENT),
        ("fair", Verdict.CONSISTENT),
        ("outdone", Verdict.CONSISTENT),
        ("envious", Verdict.CONTRADICTS),
    ],
)
def test_only_the_envious_row_breaks_its_bound(name: str, verdict: Verdict) -> None:
    assert FOUND[f"chawla2023.reward.{name}"].verdict is verdict


def test_the_rewards_of_the_game_are_the_printed_ones() -> None:
    printed = {claim.id: claim for claim in results("chawla2023")}
    for name, (a, b) in REWARDS.items():
        claim = printed[f"chawla2023.reward.{name}"]
        assert claim.value is not None
        assert claim.effect_value is not None
        assert (claim.effect_value.value, claim.value.value) == (a, b)


@pytest.mark.parametrize(("player", "worth"), [("model", 1.0), ("human", 3.0)])
def test_the_shares_of_table_11_stand_in_each_others_rows(player: str, worth: float) -> None:
    finding = FOUND[f"chawla2023.deal.{player}"]
    assert finding.verdict is Verdict.CONTRADICTS
    assert finding.recomputed == worth
    assert finding.why.endswith("the shares are in each other's rows")


def test_no_other_division_gives_the_points_of_the_printed_rows() -> None:
    units, points = outcomes(Scenarios.of(COUNTS, [VALUES["model"], VALUES["human"]]))
    assert units[(points == [1, 3]).all(axis=1)].tolist() == [[list(SHARES["model"]), list(SHARES["human"])]]
    assert [9, 7] in points.tolist()


def test_figures_have_the_papers_numbers() -> None:
    assert {figure.number for figure in figures(["chawla2023"])} == {"Table 3", "Table 5"}
    gone = not_drawn(["chawla2023"])
    why = dict(zip(gone["figure"], gone["why"], strict=True))
    assert {f"Figure {number}" for number in range(1, 7)} <= set(why)
    assert why["Figure 2"] == why["Figure 3"] == "its numbers are not printed"
