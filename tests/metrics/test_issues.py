"""Logrolling issue by issue: the worked scenario by hand, divided items, algebra against all outcomes, and gaps."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats import metrics
from negstats.datasets import casino
from tests.metrics.test_potential import DEAL, WORTH, of, tables


@pytest.mark.slow
def test_the_worked_scenario_by_hand() -> None:
    # Issue 1 is worth 50 to A and 25 to B, issue 2 40 to A and 55 to B. The deal gives A 30 and 10, B 20 and 35.
    data = tables((2, 3))
    table = metrics.issue_concessions(*(data[name] for name in DEAL)).set_index("item")
    assert table["seat"].to_list() == ["A", "B"]
    assert table[["worth", "worth_to_other"]].to_numpy().tolist() == [[50, 25], [55, 40]]
    assert table["kept"].to_list() == pytest.approx([30 / 50, 35 / 55])
    assert table["kept_by_other"].to_list() == pytest.approx([20 / 25, 10 / 40])
    (pair,) = metrics.issue_trades(*(data[name] for name in DEAL)).to_dict("records")
    # joint values 95 of 120 at most, and 96.25 in the mean of the 16 outcomes
    assert (pair["seat_1"], pair["seat_2"]) == ("A", "B")
    assert (pair["potential"], pair["realised"]) == (120 - 96.25, pytest.approx(-0.0526315789, abs=1e-9))
    assert of(metrics.logrolling_by_issue, data, *DEAL) == pytest.approx(of(metrics.logrolling, data, *DEAL))
    assert of(metrics.logrolling_by_issue, tables((3, 2)), *DEAL) == pytest.approx(1.0)


@pytest.mark.slow
def test_a_third_issue_that_one_seat_wants_more_is_traded_against_the_other_seats_only() -> None:
    # A: 10, 1 and 6 at most; B: 2, 8 and 1. A's issues are 1 and 3: they trade with 2, not with each other.
    worth = {"A": [[0, 10], [0, 1], [0, 6]], "B": [[2, 0], [8, 0], [1, 0]]}
    data = tables((2, 1), worth=worth)
    data["items"] = pd.concat([data["items"], data["items"].head(1).assign(item="issue 3", option="option 1")])
    trades = metrics.issue_trades(*(data[name] for name in DEAL))
    assert trades[["item_1", "item_2"]].to_numpy().tolist() == [["issue 1", "issue 2"], ["issue 2", "issue 3"]]
    # joint values 10, 8 and 1; largest 10, 8, 6; means 6, 4.5 and 3.5
    assert trades["potential"].to_list() == pytest.approx([18 - 10.5, 14 - 8])
    assert trades["realised"].to_list() == pytest.approx([1.0, (9 - 8) / 6])
    assert of(metrics.logrolling_by_issue, data, *DEAL) == pytest.approx((7.5 + 1) / 13.5)


@pytest.mark.slow
def test_divided_items_by_hand() -> None:
    values = pd.DataFrame({"game_id": "g", "player": ["A"] * 3 + ["B"] * 3, "item": ["food", "water", "wood"] * 2,
                           "option": None, "available": 3.0, "value": [5.0, 4, 3, 3, 4, 5]})  # fmt: skip
    offers = pd.DataFrame({"game_id": ["g"], "offer": [1], "response": ["accepted"]})
    items = values[["game_id", "item", "option"]].assign(
        offer=1, receiver=values["player"], quantity=[3.0, 2, 1, 0, 1, 2]
    )
    table = metrics.issue_concessions(values, offers, items).set_index("item")
    assert table.loc["food", "seat"] == "A"
    assert table["seat"].isna().to_list() == [False, True, False]  # worth the same to both: nobody rolls it
    assert table[["kept", "kept_by_other"]].to_numpy()[2].tolist() == pytest.approx([2 / 3, 1 / 3])
    # food and wood: largest 15 + 15, mean 12 + 12, the deal 15 + 3 + 10
    assert metrics.logrolling_by_issue(values, offers, items)["logrolling_by_issue"].to_list() == [pytest.approx(4 / 6)]
    more = items.assign(quantity=[3.0, 2, 2, 0, 1, 2])  # four of three pieces of wood
    assert metrics.logrolling_by_issue(values, offers, more)["logrolling_by_issue"].isna().all()


@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(st.integers(0, 20), min_size=12, max_size=12), st.integers(0, 2), st.integers(0, 2))
def test_pairs_are_what_all_outcomes_of_them_give(points: list[int], one: int, two: int) -> None:
    a, b = np.array(points).reshape(2, 2, 3)
    worth = {"A": a.tolist(), "B": b.tolist()}
    data = tables((one + 1, two + 1), worth=worth)
    result = metrics.issue_trades(*(data[name] for name in DEAL))
    ranges = np.ptp(a, axis=1) - np.ptp(b, axis=1)
    assert len(result) == int(ranges[0] * ranges[1] < 0)
    if len(result):
        joint = np.add.outer(a[0] + b[0], a[1] + b[1])
        assert result["potential"][0] == pytest.approx(joint.max() - joint.mean())
        assert result["realised"][0] == pytest.approx((joint[one, two] - joint.mean()) / (joint.max() - joint.mean()))
        swapped = tables((one + 1, two + 1), worth={"A": worth["B"], "B": worth["A"]})
        again = metrics.issue_trades(*(swapped[name] for name in DEAL))
        assert again["realised"][0] == pytest.approx(result["realised"][0])
        assert [again["seat_1"][0], again["seat_2"][0]] == [result["seat_2"][0], result["seat_1"][0]]


@pytest.mark.slow
def test_what_has_no_value() -> None:
    assert np.isnan(of(metrics.logrolling_by_issue, tables(None), *DEAL))
    assert metrics.issue_trades(*(tables(None)[name] for name in DEAL))["realised"].isna().all()
    alike = {"A": WORTH["A"], "B": [row[::-1] for row in WORTH["A"]]}
    assert metrics.issue_trades(*(tables((1, 1), worth=alike)[name] for name in DEAL)).empty
    assert np.isnan(of(metrics.logrolling_by_issue, tables((1, 1), worth=alike), *DEAL))
    three = tables((2, 3), worth=WORTH | {"C": WORTH["A"]})
    assert metrics.issue_concessions(*(three[name] for name in DEAL)).empty
    assert np.isnan(of(metrics.logrolling_by_issue, three, *DEAL))
    half = tables((2, 3))
    half["items"] = half["items"].head(1)  # the second issue is not told
    assert np.isnan(of(metrics.logrolling_by_issue, half, *DEAL))


def test_an_issue_is_worth_more_to_one_of_two_seats_or_to_nobody() -> None:
    same = tables((1, 1), worth={"A": [[3, 3], [1, 0]], "B": [[2, 2], [0, 1]]})
    table = metrics.issue_concessions(*(same[name] for name in DEAL)).set_index("item")
    assert table.loc["issue 1", ["seat", "kept", "kept_by_other"]].isna().all(), "its options are worth the same"
    assert table[["worth", "worth_to_other"]].to_numpy()[0].tolist() == [0, 0]
    three = tables((2, 3), worth=WORTH | {"C": WORTH["A"]})
    three["values"] = three["values"][(three["values"]["player"] != "C") | (three["values"]["item"] == "issue 2")]
    assert metrics.issue_concessions(*(three[name] for name in DEAL)).empty, "of three seats two value issue 1"
    known = tables((2, 3))
    told = metrics.issue_concessions(*(known[name] for name in DEAL))
    for name in ("values", "items"):
        known[name] = pd.concat([known[name], known[name].head(2).assign(item=None)])
    again = metrics.issue_concessions(*(known[name] for name in DEAL))
    pd.testing.assert_frame_equal(again, told, check_dtype=False)  # which the missing name alone changes


@pytest.mark.slow
def test_real_games() -> None:
    study = casino()
    every = [study.tables[name] for name in DEAL]
    frame = metrics.logrolling_by_issue(*every).merge(metrics.logrolling(*every), on="game_id")
    whole = frame.dropna()
    assert len(whole) > 100
    assert (whole["logrolling_by_issue"] <= 1 + 1e-9).all()
    # where each of the three items is worth more to one of the two, both are alike; they go together throughout
    assert whole["logrolling_by_issue"].corr(whole["logrolling"]) > 0.9
