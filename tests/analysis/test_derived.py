"""Factors from seats and order, and items or partners that are crossed with people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest

from negstats import open_study, stats
from negstats.analysis import run
from negstats.analysis.plan import parse
from negstats.analysis.plan.columns import in_order_of
from negstats.analysis.plan.model import Factor
from negstats.analysis.preregistration.check import check
from negstats.analysis.questions.derived import read_levels
from negstats.analysis.questions.frames import home
from negstats.errors import PlanError, UsageError
from negstats.studies import Provenance, Study
from negstats.tables import conform
from tests.analysis.studies import meetings


def levels(study: Study, column: str, level: str | None = None, **games: bool) -> dict[tuple[str, ...], object]:
    frame = home(read_levels(study.with_frames(), Factor(column, level=level), **games))
    keys = [name for name in ("game_id", "player") if name in frame.columns]
    return {tuple(row[name] for name in keys): None if pd.isna(row["level"]) else row["level"]
            for row in frame.to_dict("records")}  # fmt: skip


def surveyed(study: Study, answers: Mapping[str, str]) -> Study:
    rows = {"participant_id": list(answers), "question": ["svo"] * len(answers), "answer": list(answers.values())}
    return replace(study, answers=conform("answers", rows))


def round_robin(seed: int, people: int = 12, effect: float = 0.0) -> Study:
    """Everybody answers an offer of everybody else; a responder, a proposer and a scenario each have an effect."""
    rng = np.random.default_rng(seed)
    responder, proposer, scenario = rng.normal(0, 1, people), rng.normal(0, 1, people), rng.normal(0, 0.7, 4)
    games: list[tuple[str, str, str, str]] = []
    seats: list[tuple[str, str, str, str, float]] = []
    for i in range(people):
        for j in range(people):
            if i == j:
                continue
            game, condition, place = f"g{i:02d}-{j:02d}", "CL" if (i + j) % 2 else "FC", (i + 2 * j) % 4
            eta = responder[i] + proposer[j] + scenario[place] + effect * (condition == "CL")
            games.append((game, "agreement", condition, f"s{place}"))
            seats.append((game, "R", "human", f"p{i:02d}", float(rng.random() < 1 / (1 + np.exp(-eta)))))
            seats.append((game, "P", "human", f"p{j:02d}", float(eta + rng.normal())))
    columns = ["game_id", "ended", "condition", "scenario"]
    players = ["game_id", "player", "kind", "participant_id", "points"]
    return Study(
        games=conform("games", dict(zip(columns, zip(*games, strict=True), strict=True))),
        players=conform("players", dict(zip(players, zip(*seats, strict=True), strict=True))),
        provenance=Provenance("by hand", "1"),
    )


def ask(study: Study, question: str, kind: str = "yes/no", who: str = "R") -> dict[str, Any]:
    text = f"""
[factors.partner]
column = "partner.participant_id"
[measures.m]
measure = "points"
kind = "{kind}"
[questions.A]
asks = "Who accepts?"
measure = "m"
who = "{who}"
by = "condition"
{question}
"""
    report = run(parse(text), study)
    entry: dict[str, Any] = report.results["questions"][0]
    return entry | {"model": report.questions["A"].result}


PAIRS = surveyed(
    meetings([("a", "b"), ("c", "d"), ("e", "f"), ("a", "g")], ["x", "x", "y", "y"]),
    {"a": "pro", "b": "self", "c": "pro", "d": "pro", "e": "self", "f": "self"},
)


def test_the_partners_level_is_that_of_the_other_seat() -> None:
    found = levels(PAIRS, "partner.answers.svo")
    assert found["g0", "S0"] == "self"
    assert found["g0", "S1"] == "pro"
    assert found["g3", "S0"] is None  # g was not asked
    assert found["g3", "S1"] == "pro"


def test_a_pair_has_both_one_or_neither() -> None:
    found = levels(PAIRS, "pair.answers.svo", "pro", games=True)
    assert found == {("g0",): "one", ("g1",): "both", ("g2",): "neither"}
    names = levels(PAIRS, "pair.answers.svo", games=True)
    assert names == {("g0",): "pro + self", ("g1",): "pro + pro", ("g2",): "self + self"}
    assert in_order_of("pair.answers.svo", ["neither", "one", "both"]) == ["both", "one", "neither"]


def test_games_of_three_have_no_partner() -> None:
    study = surveyed(meetings([("a", "b", "c")], ["x"]), {"a": "pro", "b": "self", "c": "pro"})
    assert not levels(study, "pair.answers.svo")
    assert not levels(study, "partner.answers.svo")


def test_the_order_is_that_of_the_column_within_a_person() -> None:
    study = meetings([("a",), ("a",), ("b",), ("b",), ("b",)], ["2", "1", "10", "9", "9"])
    found = levels(study, "order.condition")
    assert found["g0", "S0"] == "second"
    assert found["g1", "S0"] == "first"
    assert found["g2", "S0"] == "second"  # numbers, not texts
    assert found["g3", "S0"] is None  # two games at one place
    assert found["g4", "S0"] is None


def ordered(people: Sequence[str], conditions: Sequence[str], **columns: Any) -> Study:
    """Return games of a person with an agent, in the order of the columns."""
    seats = [(name, f"agent of {place}") for place, name in enumerate(people)]
    study = meetings(seats, list(conditions))
    is_agent = study.players["player"] == "S1"
    kinds = {"kind": np.where(is_agent, "agent", "human")}
    nobody = {"participant_id": study.players["participant_id"].mask(is_agent)}
    players = conform("players", study.players.assign(**kinds, **nobody))
    games = conform("games", study.games.assign(**columns))
    return replace(study, games=games, players=players)


PEOPLE, CONDITIONS = ["a", "a", "a", "b", "b", "b"], ["practice", "x", "y", "y", "x", "y"]
FIRSTS = ("x first", "y first")


def first_of(study: Study, factor: Factor, seat: str = "S0") -> list[object]:
    found = {(row["game_id"], row["player"]): row["level"]
             for row in home(read_levels(study.with_frames(), factor)).to_dict("records")}  # fmt: skip
    levels_found = [found.get((f"g{place}", seat)) for place in range(len(study.games))]
    return [None if pd.isna(level) else level for level in levels_found]


def test_the_level_met_first_is_that_of_the_earliest_game_at_a_level_of_the_plan() -> None:
    study = ordered(PEOPLE, CONDITIONS, session=[1, 2, 3, 2, 10, 3])
    assert first_of(study, Factor("first.condition")) == ["practice first"] * 3 + ["y first"] * 3
    named = Factor("first.condition", levels=FIRSTS)
    assert first_of(study, named) == ["x first"] * 3 + ["y first"] * 3
    assert first_of(study, named, "S1") == first_of(study, named)  # the agent has that of the person whom it meets
    assert levels(study, "first.condition", games=True) == {
        (f"g{place}",): "practice first" if place < 3 else "y first" for place in range(6)
    }


def test_the_place_of_an_agent_is_that_of_the_person_whom_it_meets() -> None:
    study = ordered(PEOPLE[:3], CONDITIONS[:3], session=[1, 2, 3])
    assert first_of(study, Factor("order.session"), "S1") == ["first", "second", "third"]


def test_two_first_games_at_one_place_give_no_level() -> None:
    study = ordered(PEOPLE[:3], ["x", "y", "y"], session=[1, 1, 2])
    assert first_of(study, Factor("first.condition")) == [None] * 3


@pytest.mark.parametrize(
    ("columns", "order", "reason"),
    [
        ({}, None, "no column of games says which game came first"),
        ({"session": [1, 2, 3] * 2, "block": [1, 1, 2] * 2}, None, "session and block could both tell"),
        ({"session": [1, 2, 3] * 2}, "sesion", "games has no column 'sesion'; did you mean 'session'"),
    ],
)
def test_an_order_that_is_not_known_is_asked_for(columns: dict[str, Any], order: str | None, reason: str) -> None:
    study = ordered(PEOPLE, CONDITIONS, **columns)
    with pytest.raises(UsageError, match=reason):
        first_of(study, Factor("first.condition", order=order))
    field = f'order = "{order}"\n' if order else ""
    plan = parse(f'[factors.f]\ncolumn = "first.condition"\n{field}'
                 '[questions.Q]\nasks = "?"\nmeasure = "points"\nwho = "human"\nby = "f"')  # fmt: skip
    with pytest.raises(PlanError, match=reason):
        check(plan, study)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_an_engine_derives_the_same(tmp_path: Path, engine: Literal["polars", "duckdb"]) -> None:
    PAIRS.save(tmp_path / "study")
    study = open_study(tmp_path / "study", engine=engine)
    for factor in (
        Factor("partner.answers.svo"),
        Factor("pair.answers.svo", level="pro"),
        Factor("order.condition"),
        Factor("first.condition", order="game_id"),
    ):
        one, other = (
            home(read_levels(each.with_frames(), factor))
            .sort_values(["game_id", "player"], ignore_index=True)
            .astype("object")
            for each in (PAIRS, study)
        )
        pd.testing.assert_frame_equal(one.where(one.notna(), None), other.where(other.notna(), None))


@pytest.mark.slow
def test_partners_are_crossed_where_all_people_are_linked() -> None:
    study = round_robin(1)
    assert "independent" in str(ask(study, "")["verdict"])  # one unit without items
    entry = ask(study, 'items = "partner"')
    rule, answer = entry["rule"], entry["tests"][0]
    assert rule["row"] == 53
    model = entry["model"]
    players = study.players.set_index("game_id")
    own = players[players["player"] == "R"]
    frame = pd.DataFrame({
        "y": own["points"].astype(int),
        "who": own["participant_id"],
        "partner": players.loc[players["player"] == "P", "participant_id"],
        "condition": study.games.set_index("game_id")["condition"],
    })  # fmt: skip
    by_hand = stats.mixed(frame, "y ~ condition", random="(1 + condition | who) + (1 | partner)", family="binomial")
    assert answer["p"] == pytest.approx(float(np.asarray(by_hand.test("condition").p)), rel=1e-4)
    assert model.levels == {"unit": 12, "i0": 12}
    assert "between levels of partner" in str(answer["apa"])


@pytest.mark.slow
def test_numbers_with_items_get_a_linear_model() -> None:
    study = round_robin(2)
    entry = ask(study, 'items = ["partner", "scenario"]', "interval", "P")
    answer = entry["tests"][0]
    assert answer["method"] == "mixed"
    assert answer["estimate"]["low"] < answer["estimate"]["value"] < answer["estimate"]["high"]
    assert "levels of scenario" in str(answer["apa"])


@pytest.mark.slow
def test_counts_with_items_get_a_ratio() -> None:
    entry = ask(round_robin(3), 'items = "partner"', "count")
    assert entry["tests"][0]["effect"]["name"] == "ratio_of_means"


@pytest.mark.slow
def test_two_seats_of_a_game_are_not_crossed_with_partners() -> None:
    assert "both seats of a game" in str(ask(round_robin(4), 'items = "partner"', who="human")["verdict"])


@pytest.mark.slow
def test_two_items_are_no_sample() -> None:
    study = round_robin(5)
    games = study.games.assign(scenario=study.games["scenario"].replace({"s2": "s0", "s3": "s1"}))
    entry = ask(replace(study, games=games), 'items = ["partner", "scenario"]')
    assert "has 2 levels; a random effect needs 3" in str(entry["verdict"])


@pytest.mark.slow
def test_few_people_get_a_bootstrap_p_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    from negstats.analysis.methods import people

    monkeypatch.setattr(people, "MOST_DRAWS", 199)
    rng = np.random.default_rng(6)
    who: Sequence[tuple[str]] = [(f"p{i}",) for i in range(12) for _ in range(8)]
    level = rng.normal(0, 1, 12)
    yes = [float(rng.random() < 1 / (1 + np.exp(-level[place // 8]))) for place in range(96)]
    study = meetings(who, ["CL" if (place // 8) % 2 else "FC" for place in range(96)], points=yes)
    study = replace(study, games=study.games.assign(scenario=[f"s{place % 8}" for place in range(96)]))
    entry = ask(study, 'items = "scenario"', who="human")
    beside = {test["address"]: test for test in entry["tests"]}
    assert "A#bootstrap" in beside
    assert 0.005 <= beside["A#bootstrap"]["p"] <= 1
    assert "199 bootstrap draws" in beside["A#bootstrap"]["apa"]
    again = ask(study, 'items = "scenario"', who="human")
    assert again["tests"] == entry["tests"]
