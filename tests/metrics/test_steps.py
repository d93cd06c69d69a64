"""Steps: the nine cases by hand, against the rules in plain Python, and on the logs of people and of a tool."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.metrics import STEPS, step_labels, step_rates
from negstats.metrics.steps import TOLERANCE
from tests.conftest import DataFolder
from tests.metrics.engines import Kind, as_pandas


def moves(values: list[tuple[float | None, float | None]], proposer: str = "A", responder: str = "B") -> pd.DataFrame:
    """One player's offers, (own value, opponent's value) each."""
    return pd.DataFrame(
        {
            "game_id": "g",
            "offer": range(1, len(values) + 1),
            "proposer": proposer,
            "responder": responder,
            "value_proposer": [own for own, _ in values],
            "value_responder": [other for _, other in values],
        }
    )


def by_the_rules(own: float, opponent: float, tolerance: float) -> str:
    """hindriks2007's rules, in their order, one after the other."""
    own_sign, opponent_sign = (0 if abs(change) <= tolerance else np.sign(change) for change in (own, opponent))
    if own_sign == 0 and opponent_sign == 0:
        return "silent"
    if own_sign == 0 and opponent_sign > 0:
        return "nice"
    if own_sign <= 0 and opponent_sign < 0:
        return "unfortunate"
    if own_sign > 0 and opponent_sign <= 0:
        return "selfish"
    if own_sign < 0 and opponent_sign >= 0:
        return "concession"
    return "fortunate"


# From (.5, .5): the nine signs of the two changes.
CASES = {
    (0.5, 0.5): "silent",
    (0.5, 0.7): "nice",
    (0.5, 0.3): "unfortunate",
    (0.3, 0.3): "unfortunate",
    (0.7, 0.5): "selfish",
    (0.7, 0.3): "selfish",
    (0.3, 0.5): "concession",
    (0.3, 0.7): "concession",
    (0.7, 0.7): "fortunate",
}


@pytest.mark.slow(keep=22)
@pytest.mark.parametrize(("to", "label"), CASES.items())
def test_the_nine_cases(to: tuple[float, float], label: str, kind: Kind) -> None:
    result = as_pandas(step_labels(kind.make(moves([(0.5, 0.5), to]))), ["offer"])
    assert result["step"].tolist() == [None, label]
    assert result["own_change"][1] == pytest.approx(to[0] - 0.5)
    assert result["opponent_change"][1] == pytest.approx(to[1] - 0.5)


@pytest.mark.slow
@given(
    own=st.lists(st.integers(-6, 6), min_size=2, max_size=15),
    opponent=st.lists(st.integers(-6, 6), min_size=15, max_size=15),
    tolerance=st.integers(0, 3),
)
def test_against_the_rules(own: list[int], opponent: list[int], tolerance: int) -> None:
    """Labels are exhaustive (no step without one) and exclusive (each is what the first rule that fits says)."""
    labels = step_labels(moves(list(zip(own, opponent, strict=False))), tolerance=tolerance)["step"].tolist()
    changes = zip(np.diff(own), np.diff(opponent[: len(own)]), strict=True)
    assert labels[1:] == [by_the_rules(float(one), float(other), tolerance) for one, other in changes]
    assert set(labels[1:]) <= set(STEPS)


@pytest.mark.slow
@given(values=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=15))
def test_backwards_every_step_is_its_opposite(values: list[tuple[float, float]]) -> None:
    opposite = {"silent": {"silent"}, "nice": {"unfortunate"}, "fortunate": {"unfortunate"}}
    opposite |= {"selfish": {"concession"}, "concession": {"selfish"}, "unfortunate": {"nice", "fortunate"}}
    labels = step_labels(moves(list(values)))["step"].tolist()[1:]
    back = step_labels(moves(list(values[::-1])))["step"].tolist()[:0:-1]
    assert all(two in opposite[one] for one, two in zip(labels, back, strict=True))


@pytest.mark.slow
@given(
    values=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12),
    shift=st.integers(-9, 9),
    scale=st.integers(1, 9),
)
def test_shift_and_scale(values: list[tuple[float, float]], shift: int, scale: int) -> None:
    """A constant changes nothing; a scale changes nothing if the tolerance is scaled with it."""
    moved = [(own * scale + shift, other * scale - shift) for own, other in values]
    labels = [step_labels(moves(list(values)), tolerance=1), step_labels(moves(list(moved)), tolerance=scale)]
    assert labels[0]["step"][1:].tolist() == labels[1]["step"][1:].tolist()


def test_the_rules_hold_at_the_bound_with_an_engine_too() -> None:
    pl = pytest.importorskip("polars")
    changes = list(product((-2, -1, 0, 1, 2), repeat=2))
    frames = [
        moves([(5, 5), (5 + own, 5 + other)]).assign(game_id=f"g{place:02}")
        for place, (own, other) in enumerate(changes)
    ]
    labels = step_labels(pl.from_pandas(pd.concat(frames)).lazy(), tolerance=1.0).collect().to_pandas()
    labels = labels[labels["own_change"].notna()].sort_values("game_id")
    assert labels["step"].tolist() == [by_the_rules(own, other, 1) for own, other in changes]


def test_the_tolerance_is_in_the_result_and_includes_its_bound() -> None:
    offers = moves([(0, 0), (2, 0), (2, -3)])
    for tolerance, expected in ((1, ["selfish", "unfortunate"]), (2, ["silent", "unfortunate"]), (3, ["silent"] * 2)):
        labels = step_labels(offers, tolerance=tolerance)
        assert labels["step"].tolist()[1:] == expected
        assert labels["tolerance"].tolist() == [tolerance] * 3
        assert step_rates(offers, tolerance=tolerance)["tolerance"].tolist() == [tolerance]
    assert step_labels(offers)["tolerance"].tolist() == [TOLERANCE] * 3 == [1e-4] * 3


def test_each_player_and_game_has_its_own_steps() -> None:
    offers = pd.DataFrame(
        {
            "game_id": ["g", "g", "g", "g", "h", "h"],
            "offer": [1, 2, 3, 4, 1, 2],
            "proposer": ["A", "B", "A", "B", "A", "A"],
            "responder": ["B", "A", "B", "A", "B", "B"],
            "value_proposer": [9, 8, 7, 8, 5, 5],
            "value_responder": [1, 2, 3, 1, 5, 5],
        }
    )
    labels = step_labels(offers)["step"]
    assert labels.isna().tolist() == [True, True, False, False, True, False]
    assert labels.dropna().tolist() == ["concession", "unfortunate", "silent"]


def test_a_missing_value_leaves_two_steps_unknown() -> None:
    labels = step_labels(moves([(1, 1), (2, None), (3, 3), (4, 4)]))["step"]
    assert labels.isna().tolist() == [True, True, True, False]
    rates = step_rates(moves([(1, 1), (2, None), (3, 3), (4, 4)]))
    assert rates[["steps", "fortunate_rate"]].to_numpy().tolist() == [[1, 1]]


def test_an_offer_to_somebody_else_starts_anew() -> None:
    offers = moves([(1, 1), (2, 2), (3, 3), (4, 4), (5, 5)]).assign(responder=pd.Series(["B", "C", "C", None, None]))
    labels = step_labels(offers)["step"]
    assert labels.isna().tolist() == [True, True, False, True, False]


def test_rates_of_all_seats() -> None:
    offers = pd.concat([moves([(5, 5), (5, 6), (4, 7), (4, 7), (3, 7)]), moves([(1, 1)], "B", "A").assign(offer=6)])
    players = pd.DataFrame({"game_id": "g", "player": ["A", "B", "C"]})
    rates = step_rates(offers, players).set_index("player")
    assert rates["steps"].to_dict() == {"A": 4, "B": 0, "C": 0}
    shares = {"nice": 0.25, "concession": 0.5, "silent": 0.25, "selfish": 0, "unfortunate": 0, "fortunate": 0}
    assert rates.loc["A", [f"{step}_rate" for step in shares]].to_dict() == {
        f"{step}_rate": share for step, share in shares.items()
    }
    # One offer and none: no step, so no rate; missing, not 0.
    assert rates.loc[["B", "C"], [f"{step}_rate" for step in STEPS]].isna().all(axis=None)


@pytest.mark.slow
@given(values=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=20))
def test_rates_add_up_to_one(values: list[tuple[float, float]]) -> None:
    rates = step_rates(moves(list(values)))
    assert rates[[f"{step}_rate" for step in STEPS]].sum(axis=1).tolist() == [pytest.approx(1)]
    assert rates["steps"].tolist() == [len(values) - 1]


def in_log_order(log: pd.DataFrame) -> pd.DataFrame:
    """Offers of one session in the order in which it was logged, from columns Bidder, Agent and Human Utility, Move."""
    agent = log["Bidder"] == "Agent"
    return pd.DataFrame(
        {
            "offer": np.arange(1, len(log) + 1),
            "proposer": log["Bidder"],
            "responder": np.where(agent, "Human", "Agent"),
            "value_proposer": log["Agent Utility"].where(agent, log["Human Utility"]),
            "value_responder": log["Human Utility"].where(agent, log["Agent Utility"]),
            "move": log["Move"],
        }
    )


def agreement(offers: pd.DataFrame, tolerance: float = TOLERANCE) -> tuple[int, int]:
    """How many steps carry the label that the log gives, and how many there are with both."""
    labelled = step_labels(offers, tolerance=tolerance).merge(offers[["game_id", "offer", "move"]])
    both = labelled.dropna(subset=["step", "move"])
    assert labelled["step"].notna().sum() == len(both)  # the logs label every step and nothing else
    return int((both["step"] == both["move"].str.lower()).sum()), len(both)


def sheets(files: list[Path]) -> Iterator[tuple[str, pd.DataFrame]]:
    from python_calamine import CalamineWorkbook

    for file in files:
        header, *rows = CalamineWorkbook.from_path(file).get_sheet_by_index(0).to_python()
        yield file.stem, pd.DataFrame(rows, columns=[str(name) for name in header])


@pytest.mark.slow
@pytest.mark.data
def test_solver_cl_raw_logs(real_data: DataFolder) -> None:
    """The two sessions of 66 people: labels of the log's own classifier, which calls boundary cases selfish."""
    files = [
        file
        for session in ("Session_1", "Session_2")
        for file in sorted((real_data("solver_cl") / "raw_logs" / session).glob("*.xlsx"))
    ]
    logs = [
        in_log_order(log.assign(Move=log["Move"].where(log["Move"] != ""))).assign(game_id=name)
        for name, log in sheets(files)
    ]
    assert len(logs) == 132
    offers = pd.concat(logs, ignore_index=True)
    agreed, steps = agreement(offers)
    assert (agreed, steps) == (1690, 1806)
    # Where the two differ, the log says selfish and the rules say unfortunate (72) or concession (44).
    labelled = step_labels(offers).merge(offers[["game_id", "offer", "move"]]).dropna(subset=["step"])
    differ = labelled[labelled["step"] != labelled["move"]]
    assert differ["move"].unique().tolist() == ["selfish"]
    assert differ["step"].value_counts().to_dict() == {"unfortunate": 72, "concession": 44}


@pytest.mark.data
def test_solver_cl_round_table(real_data: DataFolder) -> None:
    """The rows of the published round table that name their bidder; 99 do not, and lack utilities and labels too."""
    table = pd.read_csv(real_data("solver_cl") / "final_dataset" / "experiment_round_data.csv")
    rated_steps = table[table["Bidder"].notna()]
    assert (len(table), len(rated_steps)) == (2114, 2015)
    log = rated_steps.rename(columns={"Agent_Utility": "Agent Utility", "Human_Utility": "Human Utility"})
    log = log.assign(Move=log["Agent_Move"].where(log["Bidder"] == "Agent", log["User_Move"]))
    offers = in_log_order(log).assign(game_id=log["Subject_ID"].astype(str) + "-" + log["Session_ID"].astype(str))
    # 2,015 offers less the first ones of 2 players in 132 sessions are 1,751 steps.
    assert agreement(offers) == (1638, 1751)


@pytest.mark.data
def test_negolog_sessions(real_data: DataFolder) -> None:
    """NegoLog labels the same way with a tolerance of .03; a hair more keeps rounding from deciding at the bound."""
    logs = []
    for name, log in sheets(sorted((real_data("negolog") / "sessions").glob("*.xlsx"))):
        frame = log[log["Action"] == "Offer"].rename(
            columns={"AgentAUtility": "Agent Utility", "AgentBUtility": "Human Utility"}
        )
        bidder = frame["Who"].map({"A": "Agent", "B": "Human"})
        logs.append(
            in_log_order(frame.assign(Bidder=bidder, Move=frame["Move"].where(frame["Move"] != "-"))).assign(
                game_id=name
            )
        )
    assert agreement(pd.concat(logs, ignore_index=True), tolerance=0.03 + 1e-9) == (131, 131)


def test_a_player_whose_only_offer_is_the_first_row_has_no_steps() -> None:
    offers = pd.DataFrame({"game_id": "g", "offer": [1, 2, 3], "proposer": ["A", "B", "B"],
                           "responder": ["B", "A", "A"],
                           "value_proposer": [0.9, 0.7, 0.6], "value_responder": [0.2, 0.4, 0.5]})  # fmt: skip
    assert step_rates(offers)[["player", "steps"]].to_numpy().tolist() == [["A", 0], ["B", 1]]


@pytest.mark.parametrize("side", ["value_proposer", "value_responder"])
def test_a_step_of_which_one_side_is_not_known_has_no_label(side: str) -> None:
    offers = pd.DataFrame({"game_id": "g", "offer": [1, 2], "proposer": "A", "responder": "B",
                           "value_proposer": [0.9, 0.7], "value_responder": [0.2, 0.4]})  # fmt: skip
    offers.loc[1, side] = np.nan
    lazy = pytest.importorskip("polars").from_pandas(offers).lazy()
    assert step_labels(offers)["step"].isna().all()
    assert step_labels(lazy).collect()["step"].is_null().all()
