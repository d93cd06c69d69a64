"""Three seats are three: in offers of one to another, in columns of each, and in rows of each."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest

SEATS = {"letters": ["A", "B", "C"], "names": ["firm", "union", "state"]}


def loaded(folder: Path, table: pd.DataFrame) -> tuple[dict[str, dict[str, object]], negstats.Study]:
    log, mapping = folder / "log.csv", folder / "m.toml"
    table.to_csv(log, index=False)
    mapping.write_text(suggest(log), encoding="utf-8")
    return tomllib.loads(mapping.read_text(encoding="utf-8")), negstats.load(log, mapping=mapping)


@pytest.mark.parametrize("seats", SEATS)
def test_who_offers_to_whom_are_the_seats(seats: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    rows = []
    for game in range(24):
        for number in range(int(rng.integers(3, 8))):
            own, other = rng.choice(SEATS[seats], 2, replace=False)
            answer = rng.choice(["accept", "reject"], p=[0.2, 0.8])
            rows.append(
                (f"G{game}", number + 1, own, other, int(rng.integers(10, 91)), answer, "hi" if game % 2 else "lo")
            )
    names = ["game", "round", "proposer", "responder", "offer", "response", "stake"]
    keys, study = loaded(tmp_path, pd.DataFrame(rows, columns=names))
    assert keys["games"]["game_id"] == "game"
    assert "open" not in keys
    assert len(study.offers) == len(rows)
    assert set(study.players["player"]) == set(SEATS[seats])
    assert study.games["stake"].value_counts().to_dict() == {"hi": 12, "lo": 12}


@pytest.mark.parametrize("name", ["points_{}", "{}_payoff", "earnings{}"])
def test_points_of_three_seats_beside_each_other(name: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    points = rng.multinomial(100, [0.4, 0.35, 0.25], 40)
    table = pd.DataFrame({"group": range(1, 41), "rule": ["dictator", "vote"] * 20})
    for place, letter in enumerate("ABC"):
        table[name.format(letter)] = points[:, place]
    keys, study = loaded(tmp_path, table)
    assert keys["seats"].keys() == {"a", "b", "c"}
    assert len(study.players) == 120
    assert study.players.groupby("game_id")["points"].sum().eq(100).all()


def test_what_three_seats_say_is_read_beside_what_they_get(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    table = pd.DataFrame(
        {
            "group": np.repeat(range(1, 31), 3),
            "player": ["A", "B", "C"] * 30,
            "arm": np.repeat(["talk", "silent"] * 15, 3),
            "share": rng.integers(0, 50, 90),
            "agree": rng.choice(["yes", "no"], 90),
        }
    )
    keys, study = loaded(tmp_path, table)
    assert keys["measures"].keys() == {"agree", "share"}
    assert study.players["participant_id"].nunique() == 90


TEAMS = {"English": ("team", "member", "team_size", "share", "status"), "none": ("c1", "c2", "c3", "c4", "my_role")}


@pytest.mark.parametrize("kind", TEAMS)
def test_games_of_as_many_seats_as_a_column_says(kind: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    rows = []
    for team in range(60):
        size = (2, 4, 6)[team % 3]
        catch = float(rng.normal(80, 20))
        rows += [(f"k{team:02d}", seat + 1, size, round(catch * rng.random(), 2), "hand") for seat in range(size)]
    table = pd.DataFrame(rows, columns=list(TEAMS[kind])).sample(frac=1, random_state=1)
    keys, study = loaded(tmp_path, table)
    assert (keys["games"]["game_id"], keys["players"]["player"]) == TEAMS[kind][:2]
    assert "role" not in keys["players"]  # all have one
    assert ("What is one row?" in str(keys["open"])) == (kind == "none")
    assert (len(study.games), len(study.players)) == (60, 240)
