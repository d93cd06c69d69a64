"""Drafts: valid as written for any study, and about the question for which such data are collected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis.plan import parse
from negstats.analysis.plan.model import Question
from negstats.analysis.plan.parse import read
from negstats.analysis.preregistration.aspredicted import HEADINGS, aspredicted
from negstats.analysis.preregistration.check import check
from negstats.analysis.preregistration.draft import draft, draft_of
from negstats.analysis.preregistration.proposals import propose
from negstats.analysis.preregistration.ranking import WEIGHTS
from negstats.analysis.preregistration.study_checks import find_faults
from negstats.loaders import mapping
from negstats.studies.study import Study
from negstats.tables import conform
from tests.analysis.plan.plans import FOLDER, NAMES
from tests.analysis.plan.studies import robot
from tests.analysis.preregistration.designs import DESIGNS
from tests.analysis.preregistration.judge import asked_of, judge
from tests.analysis.studies import mapped
from tests.conftest import ROOT, DataFolder

SHIPPED = {"sample": "sample", "contract_sim": "contract_sim/study"}


def read_first(text: str) -> Question:
    """Return the first question of a draft."""
    return next(iter(parse(text).questions.values()))


@pytest.mark.slow
@pytest.mark.parametrize("name", DESIGNS)
def test_a_draft_asks_the_question_of_a_design(name: str, tmp_path: Path) -> None:
    table = DESIGNS[name]()
    study = table.load(tmp_path)
    proposals = propose(study)
    drafted = [asked_of(proposal.question) for proposal in proposals.drafted]
    assert judge(table.questions, drafted) in ("first", "drafted"), drafted
    plan = parse(draft_of(proposals, study))
    assert plan == replace(proposals.plan, title=plan.title)
    assert find_faults(plan, study) == []


def test_questions_in_comments_run_as_they_are(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    arms = {f"arm_{place}": rng.integers(0, 2, 80) for place in range(3)}
    frame = pd.DataFrame({"participant": np.arange(1, 81)} | arms)
    for name in ("effort", "belief", "rating", "hours"):
        frame[name] = rng.normal(size=80).round(2)
    frame.to_csv(tmp_path / "log.csv", index=False)
    answers = {"condition": "arm_0,arm_1,arm_2"}
    (tmp_path / "map.toml").write_text(mapping.suggest(tmp_path / "log.csv", answers=answers, accept=True))
    study = negstats.load(tmp_path / "log.csv", mapping=tmp_path / "map.toml")
    text, listed = draft(study).split("# Also possible")
    drafted = parse(text).questions
    plan = parse(text + "#" + listed.replace("\n#", "\n"))
    also = {name: question for name, question in plan.questions.items() if name not in drafted}
    asked = {(question.measure, question.by) for question in plan.questions.values()}
    assert 0 < len(also) <= 10
    assert len(asked) == len(plan.questions)
    assert all(one.choice is not None for one in check(plan, study).questions)
    assert {"arm_0", "arm_1", "arm_2"} <= {name for question in plan.questions.values() for name in question.by}


@pytest.mark.slow
@pytest.mark.parametrize("name", [*SHIPPED, "solver_cl", "casino", "dealornodeal"])
def test_a_draft_of_each_study_is_valid_and_runs(name: str, real_data: DataFolder) -> None:
    study = negstats.load(ROOT / "datasets" / SHIPPED[name] if name in SHIPPED else real_data(name))
    text = draft(study, "logs")
    plan = parse(text)
    assert find_faults(plan, study) == []
    assert all(one.choice is not None for one in check(plan, study).questions)
    assert len(text.partition("# Also possible")[0].splitlines()) < 80


@pytest.mark.slow
def test_the_first_factor_of_two_levels_is_asked_about() -> None:
    text = draft(robot(), "logs")
    question = read_first(text)
    assert (question.measure, question.who, question.by) == ("points", "human", ("condition",))
    for line in (
        "# 198 games of 66 people; 66 independent units, each a participant.",
        "# varies within participants (66 of 66)",
        'path = "logs"',
        'levels = ["CL", "FC"]',
        '#predicts = "CL > FC"',
    ):
        assert line in text.splitlines()


@pytest.mark.slow
def test_the_ranking_is_a_record_with_the_points_of_each_question() -> None:
    proposals = propose(robot())
    records = [proposal.to_dict() for proposal in proposals.ranked]
    assert [record["points"] for record in records] == sorted((record["points"] for record in records), reverse=True)
    assert all(record["points"] == sum(record["evidence"].values()) for record in records)
    assert [record["id"] for record in records if record["id"]] == list(proposals.plan.questions)
    assert records[0]["evidence"]["the points of a seat"] == WEIGHTS["the points of a seat"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["2 x 2 between, dictator", "price and satisfaction", "three factors between people"])
def test_neither_the_order_of_rows_nor_that_of_columns_matters(name: str, tmp_path: Path) -> None:
    table = DESIGNS[name]()
    shuffled = table.rows.sample(frac=1, random_state=1)[list(reversed(table.rows.columns))]
    drafts = []
    for place, rows in enumerate((table.rows, shuffled)):
        (folder := tmp_path / str(place)).mkdir()
        drafted = propose(replace(table, rows=rows).load(folder)).drafted
        drafts.append({(proposal.id, asked_of(proposal.question), proposal.evidence) for proposal in drafted})
    assert drafts[0] == drafts[1]


@pytest.mark.slow
def test_levels_with_one_unit_are_left_out_and_said(tmp_path: Path) -> None:
    table = DESIGNS["offers of people of two genders"]()
    rows = table.rows.assign(gender=["other", *table.rows["gender"][1:]])
    text = draft(replace(table, rows=rows).load(tmp_path))
    assert "# Not compared, since fewer than two units have one: other." in text.splitlines()
    assert parse(text).factors["gender"].levels == ("female", "male")


@pytest.mark.slow
def test_one_number_in_two_forms_is_asked_about_once(tmp_path: Path) -> None:
    table = pd.DataFrame({"game": range(40), "arm": ["a", "b"] * 20, "euro": np.arange(40) * 7 % 13})
    mapping = 'row = "game"\ngames.game_id = "game"\nfactors.arm = "arm"\nmeasures = { euro = "euro", cent = "cent" }\n'
    proposals = propose(mapped(table.assign(cent=100 * table["euro"]), tmp_path, mapping))
    assert [proposal.question.measure for proposal in proposals.drafted] == ["euro"]
    assert "it is a rescaling of euro" in [proposal.refusal for proposal in proposals.ranked]


@pytest.mark.slow
def test_linked_people_make_games_the_unit_and_it_is_said() -> None:
    study = robot(12, meet=True)
    text = draft(study)
    assert parse(text).data.unit == "game"
    assert "All people are linked through games" in text
    assert "row=person:COLUMN" in text


@pytest.mark.slow
def test_names_that_a_plan_cannot_hold_are_said_and_left_out() -> None:
    games = robot().games.assign(**{"a\u202eb": ["x", "y"] * 99, "many": [f"l{n}" for n in range(198)], "one": "x"})
    text = draft(replace(robot(), games=games))
    for why in (
        r"a\u202eb: holds characters that a plan cannot name",
        "many: has 198 levels, and a factor has at most 40; merge them",
        "one: has one level",
    ):
        assert f"#   {why}" in text.splitlines()


@pytest.mark.slow
def test_levels_that_are_numbers_go_by_their_size() -> None:
    games = robot().games.drop(columns="condition").assign(arm=["2", "10", "1"] * 66)
    assert parse(draft(replace(robot(), games=games))).factors["arm"].levels == ("1", "2", "10")


@pytest.mark.slow
@pytest.mark.parametrize("name", ['"', "\\", "a.b", "#", "]", "'''", "ü", "= 1", "a\\nb"])
def test_any_name_of_a_factor_is_spelled_so_that_it_reads(name: str) -> None:
    games = robot().games.rename(columns={"condition": name})
    games[name] = games[name].map({"CL": f"{name}1", "FC": f"{name}2"})
    study = replace(robot(), games=games)
    plan = parse(draft(study, name))
    assert name in plan.factors
    assert plan.factors[name].levels == (f"{name}1", f"{name}2")
    assert plan.data.path == name


@pytest.mark.slow
def test_a_study_without_players() -> None:
    games = conform("games", {"game_id": ["a", "b", "c"], "ended": ["agreement", "walkaway", "agreement"]})
    study = Study(games=games, provenance=robot().provenance)
    (question,) = parse(draft(study)).questions.values()
    assert question.measure == "agreed"


@pytest.mark.parametrize("name", NAMES)
def test_a_preregistration_answers_each_heading(name: str) -> None:
    plan = read(FOLDER / f"{name}.toml")
    text = aspredicted(plan)
    parts = text.strip().split("\n\n")
    assert [part.splitlines()[0] for part in parts] == list(HEADINGS)
    assert all(len(part.splitlines()) > 1 for part in parts)
    for question in plan.questions.values():
        assert question.asks in text
    for rule in plan.leave_out:
        assert rule.reason in parts[5]


@pytest.mark.slow
def test_a_preregistration_with_data_names_the_tests(tmp_path: Path) -> None:
    plan, study = parse(draft(robot())), robot()
    without, with_data = aspredicted(plan), aspredicted(plan, check(plan, study))
    assert "if no unit has two levels, welch: Two independent groups" in without
    assert "if the same units have both levels, paired: Each unit" in without
    assert "No data were at hand." in without
    assert "Yes: 198 games were at hand when this was written." in with_data
    assert "paired. Each unit was in both conditions; differences within units were tested." in with_data


# Data sets whose logs hold no factor that is one to ask about; the others, what is asked of them.
BLANK = ("casino", "dealornodeal", "lamen", "llm_deliberation", "negmas/session_csv", "otree_dyads")
ASKED = {
    "solver_cl": ("points", ("condition",)),
    "empirica_v2": ("agreed", ("power",)),
    "negmas/cartesian": ("points", ("agent",)),
    "negolog": ("points", ("agent",)),
    "negotiationarena/buysell": ("points", ("condition",)),
    "negotiationarena/buysell_v2": ("points", ("behaviour_blue",)),
    "negotiationarena/ultimatum": ("points", ("condition",)),
    "otree": ("points", ("treatment",)),
    "qualtrics": ("points", ("condition",)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BLANK)
def test_no_hypothesis_is_made_of_splits_flags_roles_and_single_games(name: str, real_data: DataFolder) -> None:
    text = draft(negstats.load(real_data(name.partition("/")[0]) / name.partition("/")[2]))
    assert all(question.explore for question in parse(text).questions.values())
    assert not {name for question in parse(text).questions.values() for name in question.by} & {"split", "role"}
    assert "# H1 is yours to ask" in text


@pytest.mark.slow
@pytest.mark.parametrize("name", ASKED)
def test_the_condition_is_asked_about(name: str, real_data: DataFolder) -> None:
    study = negstats.load(real_data(name.partition("/")[0]) / name.partition("/")[2])
    question = read_first(draft(study))
    assert (question.explore, question.measure, question.by) == (False, *ASKED[name])
    roles = set(study.players["role"].dropna())
    if question.measure == "points" and question.by[0] in ("condition", "treatment") and len(roles) > 1:
        assert question.who is not None  # the mean of both seats may be a constant
    if name == "otree":
        assert question.who == "responder"  # the treatment tells who proposes
    if name in ("otree", "qualtrics", "negolog"):
        assert "units a level: estimates only, a test will hardly find anything." in draft(study)


def _decisions(tmp_path: Path, factor: str) -> Study:
    """Return a study of one row a decision, mapped by what `negstats map` writes."""
    rng = np.random.default_rng(1)
    place = np.array(["US", "IL"])[np.arange(120) % 2]
    offer = np.clip(rng.normal(np.where(place == "US", 4.5, 3.5), 1.2).round(), 0, 10)
    accepted = (offer + rng.normal(0, 1.5, 120) > 3).astype(int)
    frame = pd.DataFrame({"pair": range(120), factor: place, "offer": offer, "pie": 10, "accepted": accepted})
    frame.to_csv(tmp_path / "log.csv", index=False)
    (tmp_path / "log.toml").write_text(mapping.suggest(tmp_path / "log.csv"))
    return negstats.load(tmp_path / "log.csv", mapping=tmp_path / "log.toml")


@pytest.mark.slow
def test_single_offers_ask_about_the_amount_and_about_acceptance(tmp_path: Path) -> None:
    study = _decisions(tmp_path, "treatment")
    assert len(study.offers) == 120
    first, second, third = parse(draft(study)).questions.values()
    assert (first.measure, first.by, first.explore) == ("units_to_responder", ("treatment",), False)
    assert first.asks == "Is there a difference in the amount offered between IL and US?"
    assert (second.measure, second.with_) == ("agreed", ("share_to_responder",))
    assert (third.measure, third.by, third.explore) == ("agreed", ("treatment",), True)  # one outcome more


@pytest.mark.slow
def test_countries_are_explored_for_nobody_was_assigned_to_one(tmp_path: Path) -> None:
    questions = parse(draft(_decisions(tmp_path, "country"))).questions
    assert list(questions) == ["H1", "E1", "E2"]
    assert (questions["H1"].measure, questions["H1"].with_) == ("agreed", ("share_to_responder",))
    explored = questions["E1"]
    assert (explored.measure, explored.by, explored.explore) == ("units_to_responder", ("country",), True)


@pytest.mark.slow
def test_pies_that_differ_are_compared_by_the_share(tmp_path: Path) -> None:
    study = _decisions(tmp_path, "treatment")
    more = study.offers["units_to_proposer"] + np.arange(len(study.offers)) % 2
    twice = study.offers.assign(units_to_proposer=more)
    first, *_ = parse(draft(replace(study, offers=twice))).questions.values()
    assert first.measure == "share_to_responder"


@pytest.mark.slow
def test_factors_that_pair_off_and_long_levels_are_told() -> None:
    long = [
        f"You are a {word} player, and that is what you shall be in all of these games." for word in ("kind", "hostile")
    ]
    codes = robot().games["condition"].map({"CL": 0, "FC": 1})
    games = robot().games.assign(size=codes.map({0: "a", 1: "b"}), prompt=codes.map(dict(enumerate(long))))
    text = draft(replace(robot(), games=games))
    assert "#   size: its levels pair off with those of condition" in text.splitlines()
    games = games.drop(columns=["condition", "size"])
    long_labels = parse(draft(replace(robot(), games=games))).factors["prompt"].labels
    assert long_labels == dict(zip(long, ("kind", "hostile"), strict=True))


@pytest.mark.slow
def test_numbers_of_a_mapping_are_asked_about(tmp_path: Path) -> None:
    table = pd.DataFrame({"game": range(40), "arm": ["a", "b"] * 20, "price": np.arange(40) % 7 + 40.5})
    mapping = 'row = "game"\ngames.game_id = "game"\nfactors.arm = "arm"\nmeasures.price = "price"\n'
    plan = parse(draft(mapped(table, tmp_path, mapping)))
    assert (plan.questions["H1"].measure, plan.questions["H1"].by) == ("price", ("arm",))
    assert plan.measures["price"].measure == "games.price"
    assert "price" not in plan.factors


@pytest.mark.slow
def test_a_sum_of_other_numbers_stands_behind_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    keeps, gets = rng.integers(0, 11, 240), rng.integers(0, 31, 240)
    table = pd.DataFrame({"subject": np.repeat([f"s{place:02d}" for place in range(24)], 10), "arm": ["u", "v"] * 120})
    table = table.assign(aaa=10 - keeps + gets, move=keeps, reply=gets)
    study = mapped(table, tmp_path)
    first, *others = [proposal.outcome.name for proposal in propose(study).drafted]
    assert {first, others[0]} == {"move", "reply"}
    assert "it follows from what is chosen" in next(
        proposal.evidence for proposal in propose(study).ranked if proposal.outcome.name == "aaa"
    )


@pytest.mark.slow
def test_points_of_a_negotiation_come_before_what_else_was_measured(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = []
    for pair in range(40):
        share, deal = int(rng.integers(20, 81)), ("yes", "no")[int(rng.integers(5) == 0)]
        minutes = round(float(rng.normal(9, 2)), 1)
        rows += [
            (pair + 1, role, ("text", "video")[pair % 2], deal, points if deal == "yes" else 15, minutes)
            for role, points in (("buyer", share), ("seller", 100 - share))
        ]
    table = pd.DataFrame(rows, columns=["pair", "role", "medium", "deal", "points", "minuti"])
    drafted = [proposal.outcome.name for proposal in propose(mapped(table, tmp_path)).drafted]
    assert drafted[0] == "points"


def test_numbers_in_blocks_of_games_were_set(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    table = pd.DataFrame({"run": [f"r{place:03d}" for place in range(120)], "arm": ["u", "v"] * 60})
    table = table.assign(stock=np.repeat([2, 5, 9, 5], 30), yield_=rng.integers(0, 50, 120))
    ranked = propose(mapped(table, tmp_path)).ranked
    assert ranked[0].outcome.name == "yield_"
    assert "it stands in blocks of games, as settings do" in next(
        proposal.evidence for proposal in ranked if proposal.outcome.name == "stock"
    )
