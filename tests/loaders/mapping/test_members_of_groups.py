"""Members of groups: numbered anew with gaps, or several of one group named in one row."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest


def loaded(table: pd.DataFrame, folder: Path) -> tuple[dict[str, Any], negstats.Study]:
    log, mapping = folder / "log.csv", folder / "m.toml"
    table.to_csv(log, index=False)
    mapping.write_text(suggest(log), encoding="utf-8")
    return tomllib.loads(mapping.read_text(encoding="utf-8")), negstats.load(log, mapping=mapping)


def public_good(*, sessions: int, rounds: int, missing: float, seed: int) -> pd.DataFrame:
    """Groups that are numbered anew in each session, with gaps, of up to four members, some of whom did not come."""
    rng = np.random.default_rng(seed)
    rows = []
    for session in range(1, sessions + 1):
        for group in sorted(rng.choice(9, 6, replace=False) + 1):
            members = [member for member in range(1, 5) if rng.random() > missing] or [1]
            level = rng.normal(10, 3)
            for number in range(1, rounds + 1):
                given = {member: int(np.clip(level + rng.normal(0, 3), 0, 20)) for member in members}
                pot = 0.4 * sum(given.values())
                for member in members:
                    cells = (session, group, member, number, "ab"[session % 2], given[member])
                    rows.append((*cells, round(20 - given[member] + pot, 1)))
    names = ["session", "group", "member", "round", "treatment", "given", "profit"]
    return pd.DataFrame(rows, columns=names)


@pytest.mark.parametrize("missing", [0.05, 0.15, 0.2])
def test_groups_that_are_numbered_anew_with_gaps_are_those_of_their_session(missing: float, tmp_path: Path) -> None:
    table = public_good(sessions=4, rounds=5, missing=missing, seed=int(100 * missing))
    keys, study = loaded(table, tmp_path)
    assert keys["players"]["participant_id"] == ["session", "group", "member"]
    people = table.groupby(["session", "group", "member"]).ngroups
    assert study.players["participant_id"].nunique() == people
    # Rows of one group are one game in each round, or of one cluster: the groups of a session, and no number alone.
    cluster = [each["join"] for each in keys["factors"].values() if isinstance(each, dict)]
    assert cluster == [["session", "group"]] or set(keys["games"]["game_id"]) == {"session", "group", "round"}


def test_members_of_groups_of_one_round_are_its_seats_though_some_did_not_come(tmp_path: Path) -> None:
    table = public_good(sessions=4, rounds=1, missing=0.07, seed=2)
    table["group"] += 10 * table["session"]
    keys, study = loaded(table.drop(columns=["session", "round"]), tmp_path)
    assert keys["games"]["game_id"] == "group"
    assert len(study.games) == table["group"].nunique()
    assert len(study.players) == len(table)


@pytest.mark.parametrize("names", [("person1", "person2", "person3"), ("member_a", "member_b", "member_c")])
@pytest.mark.parametrize("periods", [1, 5])
def test_three_people_in_one_row_sit_in_one_game(names: tuple[str, ...], periods: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame({"group": np.repeat(range(1, 31), periods), "period": [*range(1, periods + 1)] * 30})
    for place, name in enumerate(names):
        table[name] = [f"s{3 * group + place}" for group in table["group"]]
        table[name.replace("person", "wish").replace("member", "wish")] = rng.integers(0, 20, len(table))
    table["arm"] = ["talk" if group % 2 else "silent" for group in table["group"]]
    table["decision"] = rng.integers(0, 20, len(table))
    keys, study = loaded(table, tmp_path)
    assert "open" not in keys
    assert len(study.games) == len(table)
    assert (len(study.players), study.players["participant_id"].nunique()) == (3 * len(table), 90)
    assert study.games["decision"].sum() == table["decision"].sum()
    assert (study.answers["question"] == "wish").sum() == 3 * len(table)


def test_people_who_meet_in_several_groups_of_three_are_named_in_each(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    people = np.array([rng.choice(30, 3, replace=False) + 1 for _ in range(40)])
    table = pd.DataFrame(people, columns=["id1", "id2", "id3"])
    table.insert(0, "trial", range(1, 41))
    table["arm"], table["decision"] = ["talk", "silent"] * 20, rng.integers(0, 20, 40)
    keys, study = loaded(table, tmp_path)
    assert "open" not in keys
    assert study.players["participant_id"].nunique() == len(np.unique(people))
    assert keys["measures"] == {"decision": "decision"}
