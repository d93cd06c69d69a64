"""Layouts that few logs have: what a draft makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.analysis.preregistration.proposals import propose
from negstats.loaders.mapping import draft_of, read_as, suggest
from negstats.loaders.mapping.forms import Asked
from tests.loaders.mapping.test_guess import saved


def test_whoever_offers_and_answers_all_amounts_has_a_least_acceptable_one(tmp_path: Path) -> None:
    rng, people = np.random.default_rng(3), 60
    least = rng.integers(0, 6, people)
    table = pd.DataFrame({"pid": [f"P{one}" for one in range(people)], "arm": ["a", "b"] * (people // 2)})
    table["offer"] = rng.integers(0, 6, people)
    for amount in range(11):
        table[f"accept_{amount}"] = (amount >= least).astype(int)
    file = tmp_path / "log.csv"
    table.to_csv(file, index=False)
    study = read_as(file, suggest(file))
    answers = study.answers[study.answers["question"] == "least_acceptable"].set_index("participant_id")["answer"]
    assert answers.astype(float).reindex(table["pid"]).tolist() == least.tolist()


def test_letters_of_accepting_and_rejecting_are_known(tmp_path: Path) -> None:
    rng, games = np.random.default_rng(4), 80
    offer = rng.integers(0, 11, games)
    answer = np.where(offer + rng.normal(0, 2, games) > 4, "a", "r")
    file = tmp_path / "log.csv"
    pd.DataFrame({"game": range(1, games + 1), "offer": offer, "response": answer}).to_csv(file, index=False)
    text = suggest(file)
    assert 'accepted = ["a"]' in text
    assert 'rejected = ["r"]' in text


def test_a_part_of_the_path_is_called_by_the_word_that_the_name_of_the_file_has(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    for one in range(1, 13):
        folder = tmp_path / f"p{one:02}"
        folder.mkdir()
        rows = pd.DataFrame({"trial": range(1, 9), "give": rng.integers(0, 11, 8), "arm": ["x", "y"] * 4})
        rows.to_csv(folder / f"subject-{one:02}.csv", index=False)
    text = suggest(tmp_path)
    assert "Columns not read" not in text
    assert "participant_id = { folder = 1 }" in text


@pytest.mark.parametrize("words", [("1", "2"), ("first", "second"), ("low", "high")], ids=lambda words: words[0])
def test_a_decision_of_two_stakes_is_two_measures_or_one_within_people(words: tuple[str, str], tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    share = rng.beta(2, 3, 80)
    table = pd.DataFrame({"who": [f"P{row:02d}" for row in range(80)], "arm": rng.permutation(["seen", "unseen"] * 40)})
    for word, stake in zip(words, (10, 50), strict=True):
        table[f"gift_{word}"] = np.round(np.clip(share + rng.normal(0, 0.1, 80), 0, 1) * stake).astype(int)
    log = saved(tmp_path, table)
    draft = draft_of(log, Asked())
    (question,) = [each for each in draft.questions if each.subject == "levels"]
    assert question.likely == (1,)
    assert {f"measures.gift_{word}" for word in words} <= {*draft.proposal.keys}
    study = read_as(log, suggest(log, answers={"levels": "2"}))
    assert study.factors == ["arm", "condition"]
    assert {*study.games["condition"]} == {*words}
    assert ("arm", "condition") in {proposal.question.by for proposal in propose(study).drafted}


def test_words_that_capitals_part_may_be_levels(tmp_path: Path) -> None:
    rng, people = np.random.default_rng(15), 80
    table = pd.DataFrame({"pid": [f"P{one}" for one in range(people)]})
    for name, mean in (("helpFast", 6), ("noneFast", 3), ("helpSlow", 5), ("noneSlow", 3)):
        table[name] = rng.poisson(mean, people).clip(0, 10)
    file = saved(tmp_path, table)
    (question,) = [each for each in draft_of(file, Asked()).questions if each.subject == "levels"]
    assert "one measure of each row at 2 levels of a condition: help, none" in [each.words for each in question.options]
