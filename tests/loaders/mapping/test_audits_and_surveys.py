"""Requests of invented guests to hosts, surveys of several waves, and lists of places on a screen."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from negstats.loaders.mapping import suggest

ALONE = "each row is a separate case"


def mapping_of(log: Path, answers: dict[str, str] | None = None) -> dict[str, Any]:
    return tomllib.loads(suggest(log, answers=answers))


def requests(n_rows: int = 400) -> pd.DataFrame:
    """Return requests: a guest's origin and sex are set evenly, while hosts and their terms are as they come."""
    rng = np.random.default_rng(3)
    origin = rng.permutation(np.repeat(["north", "south"], n_rows // 2))
    gender = np.tile(["female", "male"], n_rows // 2)
    guests = [f"{one[0]}{other[0]}{rng.integers(5)}" for one, other in zip(origin, gender, strict=True)]
    numbers = {name: place for place, name in enumerate(sorted(set(guests)), 1)}
    return pd.DataFrame(
        {
            "host_response": rng.integers(0, 2, n_rows),
            "price": rng.integers(40, 300, n_rows),
            "policy_terms": rng.choice(["strict", "moderate", "free"], n_rows),
            "host_origin": rng.choice(["north", "south", "abroad"], n_rows, p=[0.2, 0.6, 0.2]),
            "guest_origin": origin,
            "guest_gender": gender,
            "guest_id": [numbers[name] for name in guests],
            "host_id": rng.permutation(90000)[:n_rows],
        }
    )


def test_what_is_set_for_one_of_two_who_meet_is_asked_of_the_other(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    requests().to_csv(log, index=False)
    (question,) = (each for each in mapping_of(log)["open"] if each["subject"] == "condition")
    # A name alone says nothing beside what was given evenly, and a host is as the host comes.
    assert {"guest_gender", "host_origin", "policy_terms"} <= {*question["options"]}
    mapping = mapping_of(log, {"condition": "guest_gender"})
    assert set(mapping["factors"]) == {"guest_origin", "guest_gender"}


def survey(n_people: int = 1200) -> pd.DataFrame:
    """Return a survey of people with devices: two of three waves get one of four evenly given sheets."""
    rng = np.random.default_rng(5)
    waves = rng.choice(["wave A", "wave B", "wave C"], n_people, p=[0.5, 0.3, 0.2])
    is_part = waves != "wave C"
    sheets = np.full(n_people, "", dtype=object)
    sheets[is_part] = rng.permutation(np.array(["plain", "quiz", "self", "film"])[np.arange(is_part.sum()) % 4])
    models = [f"K{each}q" for each in range(60)]
    device = rng.choice(models, n_people, p=rng.dirichlet(np.ones(60)))
    return pd.DataFrame(
        {
            "serial": rng.permutation(np.arange(10000, 10000 + n_people)),
            "device": device,
            "maker": [f"maker {int(each[1:-1]) % 7}" for each in device],
            "system": [f"system {int(each[1:-1]) % 4}" for each in device],
            "browser": [f"reads {rng.choice(['slow', 'quick'])} pages by {each}" for each in device],
            "wave": waves,
            "sheet": sheets,
            "quiz_points": np.where(sheets == "quiz", rng.integers(0, 6, n_people).astype(str), ""),
            "park_seconds": np.where(waves == "wave C", rng.integers(5, 90, n_people).astype(str), ""),
            "seconds": rng.integers(10, 200, n_people),
        }
    )


def test_rows_of_a_survey_may_be_cases_of_their_own_whatever_repeats(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    survey().to_csv(log, index=False)
    (question,) = (each for each in mapping_of(log)["open"] if each["subject"] == "row")
    assert ALONE in question["options"]


def test_a_sheet_that_one_wave_lacks_and_that_is_given_evenly_may_be_a_condition(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    survey().to_csv(log, index=False)
    (question,) = (each for each in mapping_of(log, {"row": "alone"})["open"] if each["subject"] == "condition")
    assert "sheet" in question["options"][:2]
    uneven = survey()
    is_part = uneven["sheet"] != ""
    uneven.loc[is_part, "sheet"] = np.random.default_rng(1).choice(["a", "b"], int(is_part.sum()), p=[0.7, 0.3])
    uneven.to_csv(log, index=False)
    mapping = mapping_of(log, {"row": "alone"})
    assert "sheet" not in mapping.get("factors", {})


def test_places_of_a_cursor_are_no_thousands(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = {
        "subject": [f"s{each}" for each in range(40)],
        "cursor": [",".join(map(str, rng.integers(300, 700, 30))) for _ in range(40)],
        "treatment": ["early", "late"] * 20,
        "given": rng.integers(0, 11, 40),
    }
    pd.DataFrame(rows).to_csv(tmp_path / "log.csv", index=False)
    assert "thousands" not in mapping_of(tmp_path / "log.csv")
