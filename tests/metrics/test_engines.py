"""Every measure on every kind of frame: the same numbers, and the kind that came in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import cycle
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from negstats import metrics
from negstats.errors import SchemaError
from negstats.tables import empty
from tests.metrics import sample
from tests.metrics.engines import KINDS, Kind, as_pandas

GAME, SEAT, OFFER = ["game_id"], ["game_id", "player"], ["game_id", "offer"]

OFFERED = ("submit-deal",)
SVO, SVI = ([f"{name}{place}" for place in range(1, items + 1)] for name, items in (("svo", 6), ("svi", 16)))

Call = Callable[[Mapping[str, Any]], Any]

# Each public function: how it is called, and what tells its rows apart.
CALLS: dict[str, tuple[Call, list[str]]] = {
    "competitiveness": (lambda t: metrics.competitiveness(t["offers"]), OFFER),
    "generosity": (lambda t: metrics.generosity(t["offers"]), OFFER),
    "benefit": (lambda t: metrics.benefit(t["offers"], t["players"]), OFFER),
    "benefit to responder": (lambda t: metrics.benefit(t["offers"], t["players"], to="responder"), OFFER),
    "benefit in chips": (lambda t: metrics.benefit(t["offers"], points_per_unit=5), OFFER),
    "points": (lambda t: metrics.points(t["players"]), SEAT),
    "points by rule": (lambda t: metrics.points(t["players"], t["games"], without_agreement=5), SEAT),
    "points by batna": (lambda t: metrics.points(t["players"], t["games"], without_agreement="batna"), SEAT),
    "joint_value": (lambda t: metrics.joint_value(t["players"]), GAME),
    "agreed": (lambda t: metrics.agreed(t["games"]), GAME),
    "walked_away": (lambda t: metrics.walked_away(t["games"]), GAME),
    "walk_away_rate": (lambda t: metrics.walk_away_rate(t["games"]), ["n"]),
    "walk_away_rate by": (
        lambda t: metrics.walk_away_rate(t["games"], ["country", "reward"], confidence_level=0.9),
        ["country", "reward"],
    ),
    "mean_points": (lambda t: metrics.mean_points(t["players"], t["games"]), ["walkaways"]),
    "mean_points by": (lambda t: metrics.mean_points(t["players"], t["games"], "reward"), ["walkaways", "reward"]),
    "mean_joint_value": (
        lambda t: metrics.mean_joint_value(t["players"], t["games"], ["country"]),
        ["walkaways", "country"],
    ),
    "step_labels": (lambda t: metrics.step_labels(t["offers"]), OFFER),
    "step_labels, wide": (lambda t: metrics.step_labels(t["offers"], tolerance=1.6), OFFER),
    "step_rates": (lambda t: metrics.step_rates(t["offers"]), SEAT),
    "step_rates of all": (lambda t: metrics.step_rates(t["offers"], t["players"]), SEAT),
    "reached_goal": (lambda t: metrics.reached_goal(t["players"]), SEAT),
    "goal_rate": (lambda t: metrics.goal_rate(t["players"]), ["n"]),
    "goal_rate by": (
        lambda t: metrics.goal_rate(t["players"], t["games"], "country", role="customer", humans_only=True),
        ["country"],
    ),
    "ended_with_commitment": (lambda t: metrics.ended_with_commitment(t["offers"], t["players"]), GAME),
    "commitment_rate": (
        lambda t: metrics.commitment_rate(t["offers"], t["players"], t["games"], "country"),
        ["country"],
    ),
    "fehr_schmidt": (lambda t: metrics.fehr_schmidt(t["players"], "fair"), SEAT),
    "fehr_schmidt by hand": (lambda t: metrics.fehr_schmidt(t["players"], (0.3, -0.6)), SEAT),
    "utterances": (lambda t: metrics.utterances(t["messages"]), GAME),
    "utterances of all": (lambda t: metrics.utterances(t["messages"], t["games"]), GAME),
    "words_per_utterance": (lambda t: metrics.words_per_utterance(t["messages"], t["games"]), GAME),
    "offer_share": (lambda t: metrics.offer_share(t["messages"], t["games"]), GAME),
    "offers_made": (lambda t: metrics.offers_made(t["offers"], t["games"]), GAME),
    "duration": (lambda t: metrics.duration(t["games"], offers=t["offers"], messages=t["messages"]), GAME),
    "to_agreement": (lambda t: metrics.to_agreement(t["games"], offers=t["offers"], messages=t["messages"]), GAME),
    "to_agreement, rounds": (lambda t: metrics.to_agreement(t["games"]), GAME),
    "median_to_agreement": (
        lambda t: metrics.median_to_agreement(t["games"], by="country", unit="rounds"),
        ["country"],
    ),
    "act_shares": (lambda t: metrics.act_shares(t["messages"], t["players"]), SEAT),
    "label_shares": (lambda t: metrics.label_shares(t["messages"], t["players"], labels=["place: * < park"]), SEAT),
    "label_replies": (
        lambda t: metrics.label_replies(t["messages"], t["players"], to="place: roof < park", label="place: yard < *"),
        SEAT,
    ),
    "act_shares of those who speak": (lambda t: metrics.act_shares(t["messages"], acts=["submit-deal"]), SEAT),
    "initiative": (
        lambda t: metrics.initiative(
            t["messages"], t["players"], bringing_up=OFFERED, settling=("accept-deal",), proposing=OFFERED
        ),
        SEAT,
    ),
    "information_told": (lambda t: metrics.information_told(t["messages"], t["players"], acts=OFFERED), SEAT),
    "concessions": (lambda t: metrics.concessions(t["values"], t["offers"], t["items"], up_to=1), SEAT),
    "deal_values": (lambda t: metrics.deal_values(t["values"], t["offers"], t["items"]), SEAT),
    "pareto_optimal": (lambda t: metrics.pareto_optimal(t["values"], t["offers"], t["items"]), GAME),
    "weakly optimal": (lambda t: metrics.pareto_optimal(t["values"], t["offers"], t["items"], weak=True), GAME),
    "distance_to_frontier": (
        lambda t: metrics.distance_to_frontier(t["values"], t["offers"], t["items"], scale="range"),
        GAME,
    ),
    "distance_to_nash": (
        lambda t: metrics.distance_to_nash(t["values"], t["offers"], t["items"], t["players"]),
        GAME,
    ),
    "distance_to_solution": (
        lambda t: metrics.distance_to_solution(t["values"], t["offers"], t["items"], t["players"], scale="range"),
        GAME,
    ),
    "potential_realised": (
        lambda t: metrics.potential_realised(t["values"], t["offers"], t["items"], t["players"], t["games"]),
        GAME,
    ),
    "logrolling": (lambda t: metrics.logrolling(t["values"], t["offers"], t["items"]), GAME),
    "logrolling_by_issue": (lambda t: metrics.logrolling_by_issue(t["values"], t["offers"], t["items"]), GAME),
    "issue_concessions": (
        lambda t: metrics.issue_concessions(t["values"], t["offers"], t["items"]),
        ["game_id", "item"],
    ),
    "issue_trades": (
        lambda t: metrics.issue_trades(t["values"], t["offers"], t["items"]),
        ["game_id", "item_1", "item_2"],
    ),
    "conflict": (lambda t: metrics.conflict(t["values"], t["players"], method="axelrod"), GAME),
    "first_offers": (lambda t: metrics.first_offers(t["offers"], t["players"]), SEAT),
    "first_offers of those who offer": (lambda t: metrics.first_offers(t["offers"]), SEAT),
    "concession_pairs": (lambda t: metrics.concession_pairs(t["offers"]), OFFER),
    "svo_slider": (lambda t: metrics.svo_slider(t["answers"], SVO), ["participant_id"]),
    "subjective_value": (lambda t: metrics.subjective_value(t["answers"], SVI), ["participant_id"]),
    "bargaining_points": (
        lambda t: metrics.bargaining_points(t["values"], t["players"]),
        ["game_id", "solution", "tie", "player"],
    ),
}


STUDY = sample.tables()
TABLES = ("games", "players", "offers", "items", "values", "messages", "answers")
NOTHING = {name: empty(name) for name in TABLES}
NOTHING["games"] = NOTHING["games"].assign(country=pd.Series(dtype="str"), reward=pd.Series(dtype="str"))


class Made(dict[str, Any]):
    """Tables of one kind, each made when a measure asks for it."""

    def __init__(self, kind: Kind, tables: Mapping[str, pd.DataFrame]) -> None:
        self.kind, self.tables = kind, tables

    def __missing__(self, name: str) -> Any:
        self[name] = made = self.kind.make(self.tables[name])
        return made


SHUFFLED = Kind("shuffled", lambda frame: frame.sample(frac=1, random_state=3), pd.DataFrame)


@cache
def expected_of(call: str) -> pd.DataFrame:
    compute, key = CALLS[call]
    return as_pandas(compute(STUDY), key)


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("call", CALLS)
def test_every_kind_gives_the_same_and_itself(kind: Kind, call: str) -> None:
    compute, key = CALLS[call]
    result, expected = compute(Made(kind, STUDY)), expected_of(call)
    assert isinstance(result, kind.type)
    pd.testing.assert_frame_equal(as_pandas(result, key), expected, check_dtype=False, rtol=1e-12, atol=1e-12)
    valued = expected.notna().any()
    assert valued.drop("duration_s", errors="ignore").all(), "the sample leaves a column without a value"


@pytest.mark.slow(keep=7)
@pytest.mark.parametrize(
    ("call", "kind"), list(zip(CALLS, cycle(KINDS))), ids=lambda value: getattr(value, "name", value)
)
def test_empty_tables_give_empty_results(call: str, kind: Kind) -> None:
    compute, key = CALLS[call]
    result = as_pandas(compute(Made(kind, NOTHING)), key)
    # A rate or a mean over nothing still is a row: n is 0 and the rest is missing.
    rows = {"walk_away_rate": 1, "goal_rate": 1, "mean_points": 2}.get(call, 0)
    assert len(result) == rows
    if rows:
        assert (result["n"] == 0).all()
        assert result["rate" if "rate" in result else "mean"].isna().all()


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("call", CALLS)
def test_the_order_of_rows_does_not_matter(call: str) -> None:
    compute, key = CALLS[call]
    result = as_pandas(compute(Made(SHUFFLED, STUDY)), key)
    pd.testing.assert_frame_equal(result, expected_of(call), rtol=1e-12, atol=1e-12)


def test_every_public_function_is_called_here() -> None:
    functions = {name for name in metrics.__all__ if callable(getattr(metrics, name)) and name[0].islower()}
    of_names = {"available", "column_of", "definition_of", "measure", "measure_in"}  # they take no frames of one kind
    # `label_names` gives no frame: it is called below.
    assert functions - of_names - {"label_names"} == {call.split()[0].rstrip(",") for call in CALLS} - {"weakly"}


def test_the_labels_of_every_kind_are_the_same(kind: Kind) -> None:
    expected = metrics.label_names(STUDY["messages"])
    assert expected
    assert metrics.label_names(kind.make(STUDY["messages"])) == expected
    assert metrics.label_names(kind.make(empty("messages"))) == []


def test_nan_is_missing_in_engines_that_tell_it_from_null() -> None:
    """For polars NaN is a number that is larger than all others: an unknown value would be a rise."""
    offers = {
        "game_id": ["g"] * 3,
        "offer": [1, 2, 3],
        "proposer": ["A"] * 3,
        "responder": ["B"] * 3,
        "value_proposer": [1.0, np.nan, 2.0],
        "value_responder": [1.0, 2.0, 3.0],
        "units_to_proposer": [1.0, np.nan, 2.0],
        "units_to_responder": [1.0, 2.0, 3.0],
    }
    assert metrics.step_labels(pl.DataFrame(offers))["step"].to_list() == [None, None, None]
    assert metrics.competitiveness(pl.DataFrame(offers))["competitiveness"].to_list() == [0.0, None, -1.0]
    players = pl.DataFrame({"game_id": ["g", "g"], "player": ["A", "B"], "points": [1.0, np.nan]})
    assert metrics.joint_value(players)["joint_value"].to_list() == [None]


def test_lazy_work_is_not_done_early() -> None:
    """A lazy measure of a file that does not exist yet fails only when it is asked for rows."""
    lazy = pl.LazyFrame({"game_id": ["g"], "points": ["?"]}).with_columns(pl.col("points").cast(pl.Float64))
    later = metrics.joint_value(lazy)
    with pytest.raises(pl.exceptions.InvalidOperationError):
        later.collect()


def test_duckdb_reads_files(tmp_path: Any) -> None:
    STUDY["players"].to_parquet(tmp_path / "players.parquet")
    relation = duckdb.read_parquet(str(tmp_path / "players.parquet"))
    result = as_pandas(metrics.joint_value(relation), GAME)
    pd.testing.assert_frame_equal(result, as_pandas(metrics.joint_value(STUDY["players"]), GAME))


def test_pandas_rows_are_numbered_afresh() -> None:
    later = STUDY["players"].iloc[5:]
    assert list(metrics.points(later).index) == list(range(len(later)))
    assert list(metrics.step_rates(STUDY["offers"].iloc[3:]).index)[:2] == [0, 1]


def test_a_column_that_is_not_there(kind: Kind) -> None:
    frame = kind.make(pd.DataFrame({"game_id": ["g"], "point": [1.0]}))
    with pytest.raises(
        SchemaError, match=r"table 'players', column 'points': the column is not there; did you mean 'point'\?"
    ):
        metrics.joint_value(frame)
