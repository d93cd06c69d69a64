"""Outcomes of a plan, and measures of the user's own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats import metrics, stats
from negstats.analysis import compare, measure_table
from negstats.analysis.describe import measure_values, readable
from negstats.analysis.outcomes import outcomes_of
from negstats.analysis.plan import parse
from negstats.analysis.preregistration.draft import draft
from negstats.analysis.run import run
from negstats.errors import UsageError
from negstats.report.one_answer import sentences
from negstats.studies import open_study
from tests.analysis.studies import mapped


def entry(name: str, test: Any, *, lies: str, level: float, method: str = "", **others: Any) -> dict[str, Any]:
    ends = test.confidence_interval(level)
    answer = {
        "role": "answer",
        "method": method or {"within": "paired", "between": "welch"}[lies],
        "statistic": float(test.statistic),
        "df": [float(test.df)],
        "estimate": {
            "name": "difference",
            "value": float(test.difference),
            "low": float(ends.low),
            "high": float(ends.high),
            "level": level,
        },
    }
    return {
        "id": name,
        "explored": False,
        "design": {"factors": [{"name": "arm", "lies": lies, "levels": ["a", "b"]}], "units": "person"},
        "cells": [{"mean": 1.0, "sd": 1.0}, {"mean": 0.0, "sd": 1.0}],
        "tests": [answer],
        **others,
    }


def samples(seed: int, n: int = 20, m: int = 20) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    return {"a": rng.normal(0.4, 1.0, n), "b": rng.normal(0.0, 2.0, m)}


@given(st.integers(0, 1000), st.sampled_from([0.8, 0.9, 0.95]))
def test_it_is_the_two_sided_test_of_the_values(seed: int, level: float) -> None:
    welch, paired = stats.t_test(samples(seed, 12, 30)), stats.paired_t(samples(seed))
    for test, lies in ((welch, "between"), (paired, "within")):
        ends = test.confidence_interval(0.95)
        (group,) = outcomes_of([entry(name, test, lies=lies, level=level) for name in ("H1", "H2")], 0.95)
        for row in group["rows"]:
            assert (row["t"], row["df"]) == (pytest.approx(test.statistic), pytest.approx(test.df))
            assert row["p"] == pytest.approx(test.p)
            assert (row["estimate"]["low"], row["estimate"]["high"]) == pytest.approx((ends.low, ends.high))


def test_questions_of_another_kind_or_alone_have_no_row() -> None:
    test = stats.t_test(samples(1))
    one = entry("H1", test, lies="between", level=0.9)
    assert outcomes_of([one], 0.95) == []
    assert outcomes_of([one, entry("E1", test, lies="between", level=0.9, explored=True)], 0.95) == []
    assert outcomes_of([one, entry("H2", test, lies="within", level=0.9)], 0.95) == []
    for method in ("mixed", "mann_whitney"):
        assert outcomes_of([one, entry("H2", test, lies="between", level=0.9, method=method)], 0.95) == []
    assert outcomes_of([one, {**one, "id": "H2", "cells": one["cells"][:1]}], 0.95) == []
    tested = {**one["tests"][0], "statistic": one["tests"][0]["statistic"] - 1}  # against another value than 0
    assert outcomes_of([one, {**one, "id": "H2", "tests": [tested]}], 0.95) == []


def test_an_equivalence_test_has_the_difference_and_not_its_own_t() -> None:
    test = stats.paired_t(samples(2))
    equivalence = entry("H2", test, lies="within", level=0.9, method="equivalence")
    equivalence["tests"][0]["statistic"] = 5.0
    (group,) = outcomes_of([entry("H1", test, lies="within", level=0.95), equivalence], 0.95)
    assert [row["t"] for row in group["rows"]] == [pytest.approx(test.statistic)] * 2


GAMES = 40


BY_GAME = 'row = "game"\ngames.game_id = "game"\nfactors.where = "where"\n'
NUMBERS = BY_GAME + 'measures = { price = "price", fair = "fair" }\n'
SEATS = """row = "player"
games.game_id = "game"
players = { player = "seat", participant_id = "id" }
factors.cond = "cond"
measures.trust = "trust"
"""


def games() -> pd.DataFrame:
    """Return one row a game: a condition, a price, and whether the deal was called fair."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"game": range(GAMES), "where": ["US", "IL"] * (GAMES // 2)})
    return frame.assign(price=rng.normal(50, 10, GAMES).round(2), fair=rng.integers(0, 2, GAMES))


def seats() -> pd.DataFrame:
    """Return one row a seat, with a number that differs between the seats of a game."""
    rows = [(game, seat, f"{game}{seat}", "ab"[game % 2]) for game in range(GAMES) for seat in "AB"]
    frame = pd.DataFrame(rows, columns=["game", "seat", "id", "cond"])
    return frame.assign(trust=np.random.default_rng(6).normal(5, 1, len(frame)).round(3))


@pytest.mark.slow
def test_number_of_games_is_a_measure_and_no_factor(tmp_path: Path) -> None:
    study, table = mapped(games(), tmp_path, NUMBERS), games()
    assert (study.factors, study.measures) == (["where"], ["price", "fair"])
    means = table.groupby("where")["price"].mean()
    assert compare(study, "price", "where").table()["mean"].to_dict() == pytest.approx(means.to_dict())
    assert compare(study, "games.price", "where").table()["mean"].to_dict() == pytest.approx(means.to_dict())
    assert set(measure_table(study)["measure"]) == {"price", "fair"}


@pytest.mark.slow
def test_a_study_of_which_all_numbers_are_missing_is_described(tmp_path: Path) -> None:
    described = readable(measure_table(mapped(games().assign(price="", fair=""), tmp_path, NUMBERS)))
    assert described["n"].tolist() == ["0 (40 missing)"] * 2
    assert set(described["mean"]) == {""}


@pytest.mark.slow
def test_zeros_and_ones_are_compared_by_shares(tmp_path: Path) -> None:
    study, table = mapped(games(), tmp_path, NUMBERS), games()
    yes = compare(study, "fair", "where").table()["count"].to_dict()
    assert yes == table.groupby("where")["fair"].sum().to_dict()
    assert metrics.measure_in(study.tables, "fair").yes_no
    assert not metrics.measure_in(study.tables, "price").yes_no


@pytest.mark.slow
def test_a_measure_that_is_missing_in_every_row_is_shown_without_values(tmp_path: Path) -> None:
    study = mapped(games().assign(price=None), tmp_path, NUMBERS)
    table = measure_table(study, ["where"])
    assert table[["measure", "n", "missing"]].to_numpy().tolist() == [
        ["fair", 20, 0],
        ["fair", 20, 0],
        ["price", 0, GAMES],
    ]
    assert {name for rows in measure_values(study) for name in rows["measure"]} == {"fair"}


@pytest.mark.slow
def test_measures_of_an_engine_are_those_in_memory(tmp_path: Path) -> None:
    study = mapped(games(), tmp_path, NUMBERS)
    there = open_study(study.save(tmp_path / "saved"), engine="duckdb")
    assert (there.factors, there.measures) == (study.factors, study.measures)
    for name in ("price", "fair"):
        here, in_engine = compare(study, name, "where").table(), compare(there, name, "where").table()
        pd.testing.assert_frame_equal(here, in_engine, check_exact=False)


@pytest.mark.slow
def test_number_of_seats_is_the_answer_of_its_person(tmp_path: Path) -> None:
    study, table = mapped(seats(), tmp_path, SEATS), seats()
    assert (study.factors, study.measures) == (["cond"], [])
    means = table.groupby("cond")["trust"].mean()
    for name in ("trust", "answers.trust"):
        assert compare(study, name, "cond").table()["mean"].to_dict() == pytest.approx(means.to_dict())


@pytest.mark.slow
@pytest.mark.parametrize("measure", ["games.price", "games.fair"])
def test_plan_asks_about_a_number_by_its_column(tmp_path: Path, measure: str) -> None:
    study = mapped(games(), tmp_path, NUMBERS)
    plan = parse(f'[questions.H1]\nasks = "Does it differ?"\nmeasure = "{measure}"\nby = "where"\n')
    (entry,) = run(plan, study).results["questions"]
    assert entry["verdict"]
    assert entry["kind"] == {"games.price": "interval", "games.fair": "yes/no"}[measure]


def test_a_number_is_known_by_its_name_as_lists_print_it(tmp_path: Path) -> None:
    frame = games().rename(columns={"price": "unit_price"})
    study = mapped(frame, tmp_path, NUMBERS.replace('{ price = "price"', '{ unit_price = "unit_price"'))
    assert compare(study, "unit price", "where").apa() == compare(study, "unit_price", "where").apa()
    assert compare(study, "fair", with_="Unit-Price").apa() == compare(study, "fair", with_="unit_price").apa()


def test_name_that_no_number_has_is_refused_with_what_would_do(tmp_path: Path) -> None:
    study = mapped(games(), tmp_path, NUMBERS)
    with pytest.raises(UsageError, match="did you mean 'price'"):
        metrics.measure_in(study.tables, "prise")
    with pytest.raises(UsageError, match="holds no numbers; name its column in"):
        metrics.measure_in(study.tables, "where")
    assert metrics.measure("games.where").lacking(study.tables) is not None


def test_least_acceptable_and_first_amount_need_no_section(tmp_path: Path) -> None:
    table = pd.DataFrame({"g": [1, 1, 2, 2], "who": [*"PRPR"], "gave": [4, None, 2, None], "least": [None, 3, None, 5]})
    mapping = (
        'row = "player"\ngames.game_id = "g"\nplayers = { player = "who", participant_id = ["g", "who"] }\n'
        'offers = { units_to_responder = "gave", total = { constant = 10 }, '
        'proposer = { constant = "P" }, accept_from = "least" }\n'
    )
    study = mapped(table, tmp_path, mapping)
    least = metrics.measure("least_acceptable").compute(study.tables).dropna()
    assert least["least_acceptable"].tolist() == [3, 5]
    first = metrics.measure("first_amount").compute(study.tables).dropna()
    assert first[["player", "first_amount"]].to_numpy().tolist() == [["P", 4], ["P", 2]]


@pytest.mark.parametrize(("name", "ends", "said"), [("seconds_to_deal", "yn", True), ("seconds_to_deal", "y", False)])
def test_a_number_that_may_be_a_time_which_ends_cut_off_is_said_to_be_taken_for_a_number(
    tmp_path: Path, name: str, ends: str, said: bool
) -> None:
    frame = pd.DataFrame({"game": range(GAMES), "where": ["US", "IL"] * (GAMES // 2)})
    frame[name] = np.random.default_rng(8).exponential(60, GAMES).round(1)
    frame["deal"] = [ends[game // 3 % len(ends)] for game in range(GAMES)]
    mapping = (
        'row = "game"\ngames = { game_id = "game", ended = "deal" }\nfactors.where = "where"\n'
        f'measures.{name} = "{name}"\nlevels.ended = {{ agreement = ["y"], timeout = ["n"] }}\n'
    )
    answer = compare(mapped(frame, tmp_path, mapping), name, "where")
    assert any('a plan says so by kind = "time"' in str(note) for note in answer.notes) == said
    assert answer.entry["remarks"] == []  # what a plan may say is no sentence of a manuscript


@pytest.mark.parametrize(
    ("name", "noun", "unit"),
    [("rt_ms", "Response time", "ms"), ("price_eur", "Price", "EUR"), ("price_min", "Price min", "")],
)
def test_a_unit_at_the_end_of_a_name_stands_behind_the_numbers(tmp_path: Path, name: str, noun: str, unit: str) -> None:
    frame = pd.DataFrame({"game": range(GAMES), "where": ["US", "IL"] * (GAMES // 2)})
    frame[name] = np.random.default_rng(8).normal(60, 9, GAMES).round(1)
    study = mapped(frame, tmp_path, f'{BY_GAME}measures.{name} = "{name}"\n')
    text = sentences(compare(study, name, "where"))
    assert text.startswith(f"{noun} was higher in ")
    assert re.search(rf"a difference of −?[\d.]+{f' {unit}' if unit else ''}, 95% CI", text), text


@pytest.mark.slow
@pytest.mark.parametrize("per", [', per = "player"', ""])
@pytest.mark.parametrize("is_constant", [False, True])
def test_a_draft_asks_about_each_role_s_values_of_a_number_of_seats(
    tmp_path: Path, per: str, is_constant: bool
) -> None:
    """As of points: in a game of two roles the mean of both seats may be a constant, and then one role tells all."""
    table = seats().assign(role=lambda rows: rows["seat"].map({"A": "buyer", "B": "seller"}))
    if is_constant:
        first = table["trust"].to_numpy()[::2]
        table["trust"] = np.column_stack([first, 10 - first]).ravel()
    mapping = SEATS.replace('player = "seat"', 'player = "seat", role = "role"')
    mapping = mapping.replace('trust = "trust"', f'trust = {{ column = "trust"{per} }}')
    text = draft(mapped(table, tmp_path, mapping))
    asked = {question.who for question in parse(text).questions.values() if question.by == ("cond",)}
    assert asked == ({"buyer"} if is_constant else {"buyer", "seller"})
    assert ("values of trust of both seats add up to the same sum" in text) == is_constant
