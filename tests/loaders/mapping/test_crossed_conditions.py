"""Conditions that were set each by itself and stand in one column together: as words, or as what names them."""

from __future__ import annotations

import itertools
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest

PEOPLE = 120


def loaded(frame: pd.DataFrame, folder: Path) -> tuple[dict[str, object], negstats.Study]:
    frame.to_csv(folder / "log.csv", index=False)
    mapping = folder / "m.toml"
    mapping.write_text(suggest(folder / "log.csv"), encoding="utf-8")
    return tomllib.loads(mapping.read_text(encoding="utf-8"))["factors"], negstats.load(
        folder / "log.csv", mapping=mapping
    )


@pytest.mark.parametrize("sign", ["_", "-", " "])
@pytest.mark.parametrize("words", [(("gain", "loss"), ("public", "private")), (("low", "high"), ("low", "high"))])
def test_words_that_stand_with_each_other_are_factors_of_their_own(
    words: tuple[tuple[str, ...], tuple[str, ...]], sign: str, tmp_path: Path
) -> None:
    rng = np.random.default_rng(1)
    pairs = [*itertools.product(*words)] * (PEOPLE // 4)
    rng.shuffle(pairs)
    frame = pd.DataFrame({"pid": [f"P{each:03}" for each in range(PEOPLE)], "condition": [sign.join(p) for p in pairs]})
    frame["pay"] = rng.normal(50, 10, PEOPLE).round(2)
    factors, study = loaded(frame, tmp_path)
    assert [*factors] == ["condition_1", "condition_2"]
    both = study.games.set_index("game_id").loc[frame["pid"], ["condition_1", "condition_2"]]
    assert [*zip(both["condition_1"], both["condition_2"], strict=True)] == [tuple(pair) for pair in pairs]


@pytest.mark.parametrize("levels", [["part-time", "full-time", "self-employed"], ["en-GB", "en-US", "de-DE", "fr-FR"]])
def test_words_that_are_not_crossed_are_one_factor(levels: list[str], tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    arms = rng.permutation(np.resize(levels, PEOPLE))
    frame = pd.DataFrame({"pid": [f"P{each:03}" for each in range(PEOPLE)], "condition": arms})
    assert [*loaded(frame.assign(pay=rng.normal(50, 10, PEOPLE).round(2)), tmp_path)[0]] == ["condition"]


def test_a_column_that_names_combinations_gives_way_to_what_was_combined(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    cells = [*itertools.product([2, 4], [0.5, 1.5], ["talk", "silent"])]
    rows = [
        {"id": f"s{person:02}", "round": place + 1, "treatment": "-".join(map(str, cells[cell])),
         "w": cells[cell][0], "r": cells[cell][1], "c": cells[cell][2], "effort": round(float(rng.uniform(0, 9)), 2)}
        for person in range(40) for place, cell in enumerate(rng.permutation(len(cells)))
    ]  # fmt: skip
    assert {*loaded(pd.DataFrame(rows), tmp_path)[0]} == {"w", "r", "c"}
