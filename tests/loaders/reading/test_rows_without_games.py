"""Tables in which something looks like games or people and is none: talk of nobody, numbers of rows, answers, ages."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest
from negstats.loaders.reading.columns import build_column, text_cells


def mapping_of(source: Path) -> dict[str, Any]:
    """Return the keys of the mapping that is drafted."""
    return tomllib.loads(suggest(source))


def likely_words(mapping: dict[str, Any], subject: str) -> list[str]:
    """Return the likely options of a question; none if it is not asked."""
    of_subject = [each for each in mapping.get("open", ()) if each["subject"] == subject]
    return [each["options"][place - 1] for each in of_subject for place in each["likely"]]


def described_pictures() -> pd.DataFrame:
    """Return what 16 pairs said of pictures in blocks of four trials, of which one shows the same picture again."""
    rng = np.random.default_rng(5)
    rows = []
    for pair in range(16):
        own = rng.normal(0, 3)
        for block in range(5):
            again = int(rng.integers(4))
            for trial in range(4):
                length = max(2, round(14 + own - 2 * block + rng.normal(0, 2)))
                rows.append(
                    {
                        "pair_code": f"g{pair * 37 % 41}q{pair}",
                        "block": block,
                        "again": trial == again,
                        "solved": bool(rng.random() < 0.9),
                        "said": json.dumps(
                            [f"it looks like {length} birds on {pair} trees", f"no {trial}"][: 1 + trial % 2]
                        ),
                        "length": length,
                    }
                )
    return pd.DataFrame(rows)


def test_texts_in_cells_that_nobody_is_known_to_have_said_make_no_games_of_rows(tmp_path: Path) -> None:
    described_pictures().to_csv(tmp_path / "log.csv", index=False)
    mapping = mapping_of(tmp_path / "log.csv")
    assert "rows" not in mapping
    assert likely_words(mapping, "row") == ["each row is one of several decisions of one pair_code"]


def test_whether_something_was_solved_is_asked_where_one_row_of_several_is_marked(tmp_path: Path) -> None:
    described_pictures().drop(columns="said").to_csv(tmp_path / "log.csv", index=False)
    mapping = mapping_of(tmp_path / "log.csv")
    assert "solved" not in mapping["factors"]
    (question,) = (each for each in mapping["open"] if each["subject"] == "condition")
    assert "solved" in question["options"]


def answers_of_models(folder: Path) -> None:
    """Write what two models answered at two temperatures, 48 times each, as data frames with numbers of rows."""
    rng = np.random.default_rng(6)
    for model, warmth in (("small", "0.2"), ("small", "0.9"), ("large", "0.2"), ("large", "0.9")):
        place = folder / f"model-{model}" / f"temp-{warmth}"
        place.mkdir(parents=True)
        frame = pd.DataFrame({"Condition": ["both", "neither", "first", "second"] * 12, "Model": model})
        frame["Choice"] = rng.choice(["x", "y"], 48, p=[0.3, 0.7])
        frame["Said"] = [json.dumps([f"you meet somebody {at}", "I would take the second"]) for at in range(48)]
        frame.to_csv(place / "answers.csv")


def test_numbers_of_rows_that_begin_anew_in_each_file_name_nobody(tmp_path: Path) -> None:
    answers_of_models(tmp_path)
    mapping = mapping_of(tmp_path)
    assert likely_words(mapping, "row") == ["each row is a separate case"]
    assert not any("column 1" in option for each in mapping["open"] for option in each["options"])
    assert mapping["factors"]["Condition"] == "Condition"
    (tmp_path / "mapping.toml").write_text(suggest(tmp_path, accept=True), encoding="utf-8")
    study = negstats.load(tmp_path, mapping=tmp_path / "mapping.toml")
    assert len(study.games) == 4 * 48


def survey(n_people: int = 240) -> pd.DataFrame:
    """Return a survey with a treatment, an age, two ranks that are never the same, remarks, and a gift."""
    rng = np.random.default_rng(7)
    places = ["north", "south", "east", "west", "abroad"]
    ranks = [rng.permutation(places)[:2] for _ in range(n_people)]
    arms = np.array(["plain", "film", "talk"])[rng.permutation(n_people) % 3]
    return pd.DataFrame(
        {
            "id": [f"v{each * 7 % 997}k" for each in range(n_people)],
            "treatment": arms,
            "age": np.clip(rng.normal(38, 11, n_people).round(), 18, 80).astype(int),
            "rank1": [first for first, _ in ranks],
            "rank2": [second for _, second in ranks],
            "reason": [f"because of the {rng.choice(places)} wind and the {at} waves" for at in range(n_people)],
            "film_mood": np.where(arms == "film", rng.integers(1, 8, n_people).astype(str), ""),
            "gift": rng.integers(0, 21, n_people),
        }
    )


def test_people_of_one_age_who_rank_places_and_write_a_remark_are_no_game(tmp_path: Path) -> None:
    survey().to_csv(tmp_path / "log.csv", index=False)
    mapping = mapping_of(tmp_path / "log.csv")
    assert mapping["row"] == "player"
    assert not [each for each in mapping.get("open", ()) if each["subject"] == "row"]
    assert mapping["factors"]["treatment"] == "treatment"


@pytest.mark.parametrize(
    ("levels", "is_numbering"),
    [
        (["1.1", "1.2", "2.1", "2.2", "3.1", "3.2"], True),
        (["1.1", "1.2", "2.1"], False),
        (["0.5", "1.5", "2.5", "3.5"], False),
        (["1.25", "1.5", "2.25", "2.5"], False),
    ],
)
def test_numbers_with_a_point_may_number_parts_of_several_things(levels: list[str], is_numbering: bool) -> None:
    column = build_column("group", text_cells(levels * 4))
    assert column.numbers_parts is is_numbering
    assert column.is_fractional is not is_numbering
