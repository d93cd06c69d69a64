"""jsPsych's data: every figure of the sample, CSV against JSON, and each trap."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import negstats
from negstats.errors import LogError
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.robustness.seeds import _trials


@pytest.fixture(scope="module")
def responders(real_data: DataFolder) -> Study:
    return negstats.load(real_data("jspsych"))


def written(folder: Path, change: Callable[[list[dict[str, Any]]], None] | None = None, name: str = "p1.json") -> Path:
    trials = _trials("p1")
    if change is not None:
        change(trials)
    (folder / name).write_text(json.dumps(trials))
    return folder / name


def setting(place: int, **values: Any) -> Callable[[list[dict[str, Any]]], None]:
    def change(trials: list[dict[str, Any]]) -> None:
        trials[place] |= values

    return change


def test_acceptance_by_offer_and_condition(responders: Study) -> None:
    both = responders.offers.merge(responders.games, on="game_id").assign(
        yes=lambda frame: frame["response"] == "accepted"
    )
    by_offer = both.groupby("units_to_responder")["yes"].agg(["sum", "count"])
    assert by_offer.to_numpy().tolist() == [[6, 20], [11, 20], [11, 18], [16, 19], [19, 19]]
    assert both.groupby("condition")["yes"].agg(["sum", "count"]).loc[["human", "computer"]].to_numpy().tolist() == [
        [32, 50],
        [31, 46],
    ]
    agents = responders.players[responders.players["kind"] == "agent"]
    assert len(agents) == 46
    assert set(agents["player"]) == {"proposer"}
    assert "accepted is the first button in 96 of 96 games" in responders.provenance.notes
    assert "the payoffs of 96 games follow from their deals" in responders.provenance.notes


def test_value_orientation_and_subjective_value(responders: Study) -> None:
    svo = responders.answers[responders.answers["question"].str.startswith("svo")]
    frame = svo.assign(side=svo["question"].str.rpartition("_")[2], answer=svo["answer"].astype(float))
    table = frame.pivot_table(index="participant_id", columns="side", values="answer")
    angle = [math.degrees(math.atan2(other - 50, own - 50)) for other, own in table[["other", "self"]].to_numpy()]
    assert [round(value, 3) for value in angle[:3]] == [13.105, 23.552, 27.216]
    assert round(sum(angle) / 9, 3) == 17.071
    assert [sum(-12.04 < a < 22.45 for a in angle), sum(22.45 < a < 57.15 for a in angle)] == [6, 3]
    svi = responders.answers[responders.answers["question"].str.startswith("svi")]
    means = svi.assign(answer=svi["answer"].astype(float)).groupby("question", sort=False)["answer"].mean()
    assert means.round(4).tolist() == [4.2222, 4.0, 3.6667, 4.5556]


def test_json_says_the_same(real_data: DataFolder, responders: Study) -> None:
    for name in ("p001", "p002"):
        one, other = (negstats.load(real_data("jspsych") / f"{name}.{ending}") for ending in ("csv", "json"))
        for table, frame in one.tables.items():
            pd.testing.assert_frame_equal(frame, other.tables[table])


def test_lines_with_a_list_each(tmp_path: Path) -> None:
    (tmp_path / "all.jsonl").write_text("".join(json.dumps(_trials(person)) + "\n" for person in ("p1", "p2")))
    study = negstats.load(tmp_path / "all.jsonl")
    assert study.players["participant_id"].dropna().tolist() == ["p1", "p1", "p2", "p2"]
    assert study.answers["answer"].tolist()[:6] == ["85", "50", "2", "4", "55", 'a "fair" split,\nça va']


def test_answers_that_are_asked_for(tmp_path: Path) -> None:
    file = written(tmp_path, setting(1, rt=518))
    answers = negstats.load(file, rt=True).answers
    assert answers.loc[answers["question"] == "rt", ["game_id", "answer"]].to_numpy().tolist() == [["p1-1", "518"]]
    assert "rt" not in set(negstats.load(file).answers["question"])


def test_no_answer_in_time_and_a_button_alone(tmp_path: Path) -> None:
    def change(trials: list[dict[str, Any]]) -> None:
        trials[1] |= {"response": None, "accepted": None, "payoff": None}
        del trials[2]["accepted"], trials[2]["payoff"]

    study = negstats.load(written(tmp_path, change))
    assert study.games["ended"].tolist() == ["timeout", "agreement"]
    assert study.players["points"].isna().tolist() == [True, True, False, False]
    assert study.players["points"].tolist()[2:] == [5.5, 4.5]


def test_who_somebody_is_is_not_read(tmp_path: Path) -> None:
    def change(trials: list[dict[str, Any]]) -> None:
        trials[1] |= {"ip": "10.9.8.7", "email": "ann@x.org"}
        trials[5]["response"] |= {"name": "Ann Smith"}

    study = negstats.load(written(tmp_path, change))
    everything = " ".join(frame.to_csv() for frame in study.tables.values())
    assert not any(word in everything for word in ("10.9.8.7", "ann@x.org", "Ann Smith"))


def test_a_question_in_two_trials(tmp_path: Path) -> None:
    def change(trials: list[dict[str, Any]]) -> None:
        trials.append(trials[5] | {"trial_index": 6, "response": {"age": "56"}})

    study = negstats.load(written(tmp_path, change))
    assert {"age_5", "age_6", "comments"} <= set(study.answers["question"])


def test_no_person_is_named(tmp_path: Path) -> None:
    def change(trials: list[dict[str, Any]]) -> None:
        for trial in trials:
            del trial["subject_id"]

    study = negstats.load(written(tmp_path, change, "session7.json"))
    assert set(study.players["participant_id"].dropna()) == {"session7"}
    assert "1 files name no person; each file is taken for one person, named after the file" in study.provenance.notes


def test_payoffs_that_do_not_follow_are_kept(tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path, setting(2, payoff=5)))
    assert study.players["points"].tolist() == [0, 0, 5.5, 5]
    assert "payoffs do not follow from the deal in 1 of 2 games (p1-2); kept" in study.provenance.notes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (setting(1, offer="two"), r"row 2, column 'offer': 'two' is not a number"),
        (setting(1, accepted="perhaps"), "'perhaps' is not true or false"),
        (setting(1, accepted=None, response=3), "3 is neither of two buttons"),
        (setting(2, trial_index=1), "trial 1 of this person is also in row 2"),
        (setting(2, trial_index=None), "is not a number of a trial"),
        (setting(3, self="x"), "'x' is not a number"),
        (setting(4, response='{"a": 1'), "column 'response': .* is not JSON"),
        (setting(0, trial_type=None), "row 1, column 'trial_type': is empty"),
    ],
)
def test_damage_is_named(change: Callable[[list[dict[str, Any]]], None], message: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=message):
        negstats.load(written(tmp_path, change))


def test_two_people_of_one_name(tmp_path: Path) -> None:
    written(tmp_path)
    written(tmp_path, setting(1, offer=3), "p2.json")
    with pytest.raises(LogError, match=r"'p1' is also in p1\.json, with other trials"):
        negstats.load(tmp_path)


@pytest.mark.parametrize("name", ["ID", "subjID", "participantId", "sona_id"])
def test_the_person_under_names_of_experiments(tmp_path: Path, name: str) -> None:
    """The first trials of an export often lack the property, for it was added later: they are of the same person."""

    def change(trials: list[dict[str, Any]]) -> None:
        for place, trial in enumerate(trials):
            trial.pop("subject_id", None)
            if place:
                trial[name] = "q7"

    study = negstats.load(written(tmp_path, change))
    assert set(study.answers["participant_id"]) == {"q7"}
    assert not any("name no person" in note for note in study.provenance.notes)


def test_trials_of_nobody_in_a_file_of_several(tmp_path: Path) -> None:
    trials = _trials("p1") + _trials("p2") + [{"trial_type": "x", "trial_index": 99, "time_elapsed": 1}]
    (tmp_path / "all.json").write_text(json.dumps(trials))
    study = negstats.load(tmp_path / "all.json")
    assert set(study.answers["participant_id"]) == {"p1", "p2"}
    assert any("1 files name no person" in note for note in study.provenance.notes)
