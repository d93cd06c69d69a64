"""Tables 2 and 11 of chawla2023: what the printed bounds and the rules of the game say of them."""

from __future__ import annotations

import pytest

from negstats import papers
from negstats.games.dealornodeal import REWARDS, Scenarios, outcomes
from negstats.papers.chawla2023.deals import COUNTS, SHARES, VALUES
from negstats.papers.figures import figures, not_drawn
from negstats.papers.ledger import results
from negstats.papers.verdict import Verdict

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
