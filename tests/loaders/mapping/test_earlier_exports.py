"""Folders of exports of which a later one holds all sessions so far, though some cells have changed since."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

import negstats
from negstats.loaders.mapping import suggest

PEOPLE, ROUNDS = 16, 3


def session(code: str, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    parts = rng.integers(1000, size=PEOPLE)
    rows = [
        {
            "user": f"{code}{person:03x}",
            "began": f"2023-03-{seed + 10} 14:{person:02}:0{seed}.{parts[person]:03}",
            "page": 12,
            "session": code,
            "arm": ("talk", "silent")[seed % 2],
            "round": number,
            "group": person // 4,
            "seat": person % 4,
            "gave": int(rng.integers(0, 21)),
        }
        for person in range(PEOPLE)
        for number in range(1, ROUNDS + 1)
    ]
    return pd.DataFrame(rows)


def people_of(folder: Path, change: Callable[[pd.DataFrame], pd.DataFrame]) -> tuple[str, int]:
    """Return the mapping of three exports and its games; `change` says how the first export differs."""
    all_rows = pd.concat([session(f"s{place}x{place}", place) for place in (1, 2, 3)])
    (folder / "exports").mkdir()
    size = PEOPLE * ROUNDS
    for place in (1, 2, 3):
        rows = all_rows.head(place * size)
        rows = change(rows.copy()) if place == 1 else rows
        rows.to_csv(folder / "exports" / f"pg_2023-04-0{place}.csv", index=False)
    text = suggest(folder / "exports", answers={"row": "person:user"})
    mapping = folder / "m.toml"
    mapping.write_text(text, encoding="utf-8")
    return text, len(negstats.load(folder / "exports", mapping=mapping).games)


def test_sessions_of_an_earlier_export_are_read_once_though_a_page_was_reached_since(tmp_path: Path) -> None:
    def change(rows: pd.DataFrame) -> pd.DataFrame:
        return rows.assign(page=np.where(rows["seat"] == 2, 9, 12))

    text, games = people_of(tmp_path, change)
    assert "# not read, for a longer table holds the same people again" in text
    assert "(other cells in page)" in text
    assert games == 3 * PEOPLE * ROUNDS


def test_people_who_come_again_on_another_day_are_read_twice(tmp_path: Path) -> None:
    def change(rows: pd.DataFrame) -> pd.DataFrame:
        began = rows["began"].str.replace("2023-03", "2023-02")
        return rows.assign(began=began, gave=(rows["gave"] * 7 + 3) % 21, seat=(rows["seat"] + 1) % 4)

    text, games = people_of(tmp_path, change)
    assert "a longer table holds the same people again" not in text
    assert games == 4 * PEOPLE * ROUNDS
