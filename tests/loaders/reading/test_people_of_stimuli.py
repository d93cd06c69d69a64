"""People who each judge all of the same things several times, under a condition that changes from thing to thing."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd

from negstats.loaders.mapping import suggest

JUDGES, THINGS, TIMES = 40, 16, 4


def test_who_has_each_condition_as_often_in_all_things_is_one_person(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    rows = []
    for judge in range(1, JUDGES + 1):
        conditions = rng.permutation(np.repeat([1, 2, 3, 4], THINGS // 4))
        own = rng.normal()
        for thing in range(1, THINGS + 1):
            for time in range(1, TIMES + 1):
                value = round(float(rng.normal(own + 0.3 * conditions[thing - 1])), 3)
                rows.append(
                    {"nA": judge, "c": conditions[thing - 1], "nB": thing, "nC": time, "p": max(thing, 3), "y": value}
                )
    log = tmp_path / "log.csv"
    pd.DataFrame(rows).to_csv(log, index=False)
    keys = tomllib.loads(suggest(log))
    questions = [each for each in keys.get("open", []) if each["subject"] == "row"]
    options = questions[0]["options"] if questions else []
    assert keys["players"]["participant_id"] == "nA" or "each row is one of several decisions of one nA" in options
