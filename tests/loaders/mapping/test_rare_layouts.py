"""Layouts that few logs have: what a draft makes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

from negstats.loaders.mapping import read_as, suggest


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
