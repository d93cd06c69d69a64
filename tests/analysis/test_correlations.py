"""Correlations of several outcomes, and relations between moves."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pingouin as pg
import pytest
from hypothesis import given
from hypothesis import strategies as st

import negstats
from negstats import datasets
from negstats.analysis import run
from negstats.analysis.correlations import correlate_within, correlations_of, has_fixed_points, is_rescaling
from negstats.analysis.plan.parse import parse
from negstats.analysis.questions.question_data import PreparedStudy
from negstats.analysis.relations import anchoring, reciprocity
from negstats.errors import PlanError
from negstats.report.data_tables import correlations_table
from negstats.report.sentences import Question
from negstats.studies import Study
from tests.analysis.studies import meetings

PLAN = parse(
    "[questions]\n"
    'E1 = { asks = "Do longer negotiations bring people less?", measure = "points", who = "human", with = "rounds" }'
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # of pingouin's own
def test_correlations_between_and_within_people_are_those_of_pingouin() -> None:
    study = datasets.robot()
    (row,) = (row for row in run(PLAN, study).results["correlations"] if row["r"])
    seats = study.players.loc[study.players["kind"] == "human", ["game_id", "participant_id", "points"]]
    rows = seats.merge(study.games[["game_id", "rounds"]], on="game_id").astype({"points": float, "rounds": float})
    means = rows.groupby("participant_id")[["points", "rounds"]].mean()
    within = pg.rm_corr(rows, "points", "rounds", "participant_id")
    assert row["r"] == pytest.approx([means.corr().iloc[0, 1]])
    assert row["within"] == pytest.approx([float(within["r"].iloc[0])])
    assert (row["n"], row["within_n"]) == ([len(means)], [len(rows)])


def test_units_with_one_row_each_have_nothing_within() -> None:
    one = pd.DataFrame({"unit": ["a", "b"], "game_id": ["g", "h"], "value": [1.0, 2.0]})
    assert correlate_within(one, one) is None
    assert correlate_within(one.drop(columns="game_id"), one) is None


def tabled(questions: str, study: Study) -> list[dict[str, Any]]:
    """Return the table of a plan's questions alone, without their answers."""
    plan, data = parse(questions), PreparedStudy.of(study.with_frames(), (), 1000)
    linked = data.linked(plan)
    rows = correlations_of(plan, [(each, data.read_values(plan, each, linked)) for each in plan.questions.values()])
    assert rows is not None
    return rows


TABLED = """
questions.E1 = { asks = "?", measure = "points", who = "human", by = "condition", covariates = ["games.price"] }
questions.E2 = { asks = "?", measure = "rounds" }
questions.E3 = { asks = "?", measure = "games.percent" }
questions.E4 = { asks = "?", measure = "points" }
"""
UNRELATED = {(3, 1): "one is the other on another scale", (4, 0): "one holds the values of the other"}


def test_the_table_has_r_of_the_means_of_units_and_r_of_deviations_from_them() -> None:
    """Of whatever both measures have: a row whose unit has no other one tells nothing of what happens within units."""
    rng = np.random.default_rng(7)
    who = [f"p{game % 11}" for game in range(24)]
    study = meetings([(one,) for one in who], ["a", "b"] * 12, points=rng.normal(9, 3, 24).tolist())
    price = rng.normal(size=24) + rng.normal(size=11)[[int(one[1:]) for one in who]]
    price[[3, 14, 7]] = np.nan  # a person without a price, and one with a single price
    games = study.games.assign(rounds=rng.integers(1, 9, 24), price=price, percent=7 - 3 * price)
    rows = tabled(TABLED, replace(study, games=games.astype({"rounds": "Int64"})))
    points = study.players["points"].to_numpy()
    values = pd.DataFrame(dict(enumerate([points, price, games["rounds"].astype(float), 7 - 3 * price, points])))
    assert [row["measure"] for row in rows] == ["points", "games.price", "rounds", "games.percent", "points"]
    for place, row in enumerate(rows):
        for other in range(place):
            why, both = UNRELATED.get((place, other)), values[[place, other]]
            means = both.groupby(who).mean().dropna()
            assert row["n"][other] == len(means)
            assert row.get("why", [None] * place)[other] == why
            assert row["r"][other] == (None if why else pytest.approx(means.corr().iloc[0, 1]))
            groups = both.dropna().groupby(lambda game: who[game])
            several = both.dropna()[groups[place].transform("size") > 1]
            rest = (both.dropna() - groups.transform("mean")).loc[several.index]
            r = (rest[place] * rest[other]).sum() / np.sqrt((rest.to_numpy() ** 2).sum(axis=0).prod())
            if 1 in (place, other):
                assert row["within"][other] is None, "a covariate has one value a unit"
            else:
                within = None if why else pytest.approx(r), None if why else len(several)
                assert (row["within"][other], row["within_n"][other]) == within


@pytest.mark.parametrize(("people", "r"), [("abc", -0.5), ("ab", None)])
def test_a_correlation_needs_three_units(people: str, r: float | None) -> None:
    study = meetings([(one,) for one in people], ["x"] * len(people), points=[1.0, 2.0, 3.0][: len(people)])
    games = study.games.assign(price=[2.0, 3.0, 1.0][: len(people)])
    questions = ('asks = "?", measure = "points"', 'asks = "?", measure = "games.price"')
    plan = "\n".join(f"questions.E{place} = {{ {one} }}" for place, one in enumerate(questions))
    row = tabled(plan, replace(study, games=games))[1]
    assert (row["r"], row["n"]) == ([r if r is None else pytest.approx(r)], [len(people)])


@given(st.floats(-50, 50), st.floats(1, 50), st.booleans(), st.booleans())
def test_points_are_fixed_where_all_games_of_one_ending_have_the_same(
    worth: float, step: float, agree: bool, turned: bool
) -> None:
    """By the rules of a game: an agreement or none is always worth the same; one game shows nothing."""
    names, plan = ("agreed", "joint_value")[:: -1 if turned else 1], parse(TABLED)
    ended = np.array([1.0, 0.0, 0.0, 1.0, 0.0, 1.0]) if agree else np.array([0.0, 1.0, 1.0, 0.0, 1.0, 0.0])
    points = np.where(ended == agree, worth, worth + step * np.arange(6.0))
    pair, varied = (
        np.column_stack([ended, one][:: -1 if turned else 1]) for one in (points, points + step * np.arange(6.0))
    )
    assert has_fixed_points(plan, names, pair)
    assert not has_fixed_points(plan, names, pair[[0, 1, 2, 4]]), "a single game"
    assert not has_fixed_points(plan, names, varied)
    assert not has_fixed_points(plan, (names[0], "rounds") if not turned else ("rounds", names[1]), pair)


SCALED = """[questions]
E1 = { asks = "What do people get?", measure = "points", who = "human" }
E2 = { asks = "What do both get?", measure = "joint_value" }
E3 = { asks = "How long is it?", measure = "rounds" }
"""


@pytest.mark.slow
def test_no_correlation_stands_between_a_measure_and_its_own_sum() -> None:
    rows = run(parse(SCALED), datasets.robot()).results["correlations"]
    joint = next(row for row in rows if row["measure"] == "joint_value")
    assert joint["r"] == [None]
    assert joint["why"] == ["both are computed from players.points"]
    rounds = next(row for row in rows if row["measure"] == "rounds")
    assert all(r is not None for r in rounds["r"])


@pytest.mark.slow
def test_a_rescaling_that_the_values_alone_show_is_not_tested() -> None:
    """A number of the study's own that is the points in percent is found out by its values."""
    study = datasets.robot()
    points = study.players.groupby("game_id")["points"].sum().astype(float)
    games = study.games.assign(percent=study.games["game_id"].map(points).to_numpy() * 100 / 3 + 7)
    other = replace(study, games=games)
    plan = parse('[questions.H1]\nasks = "?"\nmeasure = "joint_value"\nwith = "games.percent"')
    (entry,) = run(plan, other).results["questions"]
    assert entry["verdict"].startswith("not tested: games.percent is joint_value on another scale")


@given(st.floats(-100, 100), st.floats(0.01, 1000), st.booleans())
def test_a_line_is_a_rescaling_and_a_line_with_noise_is_none(start: float, step: float, falls: bool) -> None:
    x = np.arange(20.0)
    line = start + (-step if falls else step) * x
    assert is_rescaling(np.column_stack([x, line]))
    assert not is_rescaling(np.column_stack([x, 0 * x]))
    assert not is_rescaling(np.column_stack([x, line + 1e-6 * step * (x % 3)]))
    assert not is_rescaling(np.column_stack([line, 0.725 * (1 + (x % 3 - 1) * 2.0**-52)])), "the same but for rounding"
    assert not is_rescaling(np.column_stack([x % 2, 1 - x % 2])), "yes and no may be opposed without being one number"


MAPPED_OFFERS = """
row = "player"
games = { game_id = ["person", "case"] }
players = { player = { constant = "responder" }, participant_id = "person" }
offers = { proposer = { constant = "proposer" }, units_to_responder = "amount", response = "answer" }
levels.response = { accepted = ["yes"], rejected = ["no"] }
"""


@pytest.mark.slow
def test_an_amount_of_which_all_get_the_same_set_is_tested_within_people(tmp_path: Path) -> None:
    """The means of the amounts differ by rounding alone, which is no relation to how often people accept."""
    rng = np.random.default_rng(7)
    lines = ["person,case,amount,answer"]
    for person in range(60):
        least = rng.normal(0.25, 0.1)
        for case, amount in enumerate(rng.permutation(np.tile(np.linspace(0.05, 0.5, 10), 2))):
            lines.append(f"p{person},{case},{amount:.2f},{'yes' if amount + rng.normal(0, 0.1) > least else 'no'}")
    log, mapping = tmp_path / "log.csv", tmp_path / "map.toml"
    log.write_text("\n".join(lines))
    mapping.write_text(MAPPED_OFFERS)
    plan = parse('[questions.H1]\nasks = "?"\nmeasure = "agreed"\nwith = "units_to_responder"')
    (entry,) = run(plan, negstats.load(log, mapping=mapping)).results["questions"]
    assert entry["verdict"] == "a relation was found: positive"


@pytest.mark.slow
@pytest.mark.parametrize(("without", "is_fixed"), [([0.0] * 8, True), ([0.0, 4.0] * 4, False)])
def test_agreement_and_the_points_that_it_fixes_have_no_correlation(without: list[float], is_fixed: bool) -> None:
    """Where each side has no points without an agreement, r of .98 says what the rules of the game say."""
    points = [*range(20, 36), *without]
    ended = ["agreement"] * 16 + ["disagreement"] * 8
    study = meetings([(f"p{place}", f"q{place}") for place in range(24)], ["a", "b"] * 12, ended, points)
    plan = parse(
        'questions.H1 = { asks = "Points?", measure = "joint_value", by = "condition" }\n'
        'questions.H2 = { asks = "Deals?", measure = "agreed", by = "condition" }\n'
        'questions.H3 = { asks = "Both?", measure = "joint_value", with = "agreed" }'
    )
    results = run(plan, study).results
    row = results["correlations"][1]
    assert (row["r"][0] is None) is is_fixed
    assert ("why" in row) is is_fixed
    table = correlations_table(results, [Question(results, place, plan) for place in range(3)])
    assert not table.rows, "of two measures the text has the relation that was asked for"
    assert ("related by how they are made" in results["questions"][2]["verdict"]) is is_fixed


RELATED = (
    ("offers", "offer_share"), ("first_amount", "units_to_proposer"),
    ("offers.units_to_proposer", "share_to_responder"),
    ("distance_to_nash", "points"), ("pareto_optimal", "joint_value"), ("concession_rate", "selfish_rate"),
    ("propose_share", "state_share"), ("conflict_opposition", "conflict_axelrod"),
)  # fmt: skip
APART = (("offers", "points"), ("offers", "units_to_proposer"), ("rounds", "joint_value"), ("first_offer", "points"),
         ("utterances", "offers"), ("conflict_opposition", "joint_value"), ("games.price", "points"))  # fmt: skip


@pytest.mark.parametrize(
    ("one", "other", "is_related"), [*((*pair, True) for pair in RELATED), *((*pair, False) for pair in APART)]
)
def test_measures_of_one_source_are_related_by_how_they_are_made(one: str, other: str, is_related: bool) -> None:
    """The record of each measure says what it counts or sums: both ways, and of no two that only share a table."""
    for outcome, number in ((one, other), (other, one)):
        plan = f'[questions.H1]\nasks = "?"\nmeasure = "{outcome}"\nwith = "{number}"'
        with pytest.raises(PlanError, match="are both computed from") if is_related else nullcontext():
            parse(plan)


FIRST = [80, 60, 75, 50, 65, 90, 55, 70]
GOT = [58, 50, 49, 44, 55, 60, 46, 50]
# Four games, each offer as seat and value to its maker
TALKS = (
    "A90 B85 A80 B80 A75 B70",
    "A95 B90 A85 B70 A65 B65",
    "B80 A85 B75 A80 B60 A70",
    "A80 B95 A78 B92 A70 B90 A60 B80",
)


def study() -> dict[str, pd.DataFrame]:
    offers = pd.DataFrame({"game_id": range(8), "offer": 1, "proposer": "A", "value_proposer": FIRST})
    players = pd.DataFrame({"game_id": [*range(8)] * 2, "player": ["A"] * 8 + ["B"] * 8, "points": GOT + GOT[::-1]})
    games = pd.DataFrame({"game_id": range(8), "condition": ["x", "y"] * 4})
    return {"offers": offers, "players": players, "games": games}


def offers() -> pd.DataFrame:
    rows = [
        (game, place, word[0], float(word[1:]))
        for game, talk in enumerate(TALKS)
        for place, word in enumerate(talk.split())
    ]
    return pd.DataFrame(rows, columns=["game_id", "offer", "proposer", "value_proposer"])


def near(value: float) -> Any:
    return pytest.approx(value, rel=1e-8)


def test_anchoring_of_the_worked_example() -> None:
    result = anchoring(study())
    assert result.n == 8
    assert result.estimate[1] == near(0.36290726817)
    assert result.r_squared == near(0.85621555939**2)


def test_covariates_of_games_and_players() -> None:
    result = anchoring(study(), covariates=["condition"])
    assert result.names == ("Intercept", "first_offer", "condition[y]")


def test_reciprocity_of_the_worked_example() -> None:
    result = reciprocity({"offers": offers()})
    assert (result.n, result.clusters) == (14, 4)
    assert result.estimate[1] == near(0.3013165769)
    assert (result.se[1], result.df[1]) == (near(0.1137265855), near(1.9927491648))
    assert round(float(result.p[1]), 3) == 0.118
    assert "few clusters carry this effect" in result.apa()


def test_reciprocity_within_seats_takes_out_who_concedes_much() -> None:
    mine = offers()
    hard = mine["proposer"] == "A"
    mine.loc[hard, "value_proposer"] -= 3.0 * mine[hard].groupby("game_id").cumcount()  # each step concedes 3 more
    plain, moved = (reciprocity({"offers": frame}, within=True).estimate[1] for frame in (offers(), mine))
    assert plain == pytest.approx(moved, rel=1e-9)
