"""Two who are numbered behind a word of their own (firm0_price, firm1_price) are the seats of each row's game."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest

MATCHES, PERIODS = 40, 8


def table(one: str, other: str, periods: int) -> pd.DataFrame:
    rng = np.random.default_rng(9)
    rows = []
    for match in range(MATCHES):
        ids = [f"u{2 * match + seat:03d}x" for seat in (0, 1)]
        for period in range(periods):
            prices = rng.integers(2, 12, 2)
            profits = prices * 3 + rng.integers(0, 5, 2)
            sides = [(ids[seat], int(prices[seat]), int(profits[seat])) for seat in (0, 1)]
            rows.append((match + 1, ("cournot", "bertrand")[match % 2], period + 1, *sides[0], *sides[1]))
    columns = [f"{seat}_{what}" for seat in (one, other) for what in ("id", "price", "profit")]
    return pd.DataFrame(rows, columns=["match", "treatment", "period", *columns])


@pytest.mark.parametrize("seats", [("firm0", "firm1"), ("trader1", "trader2"), ("store1", "store2")])
@pytest.mark.parametrize("periods", [1, PERIODS])
def test_two_who_are_numbered_are_seats(seats: tuple[str, str], periods: int, tmp_path: Path) -> None:
    log, mapping = tmp_path / "log.csv", tmp_path / "m.toml"
    rows = table(*seats, periods)
    rows.to_csv(log, index=False)
    mapping.write_text(suggest(log), encoding="utf-8")
    keys = tomllib.loads(mapping.read_text(encoding="utf-8"))
    assert keys["seats"].keys() == set(seats)
    assert "open" not in keys
    study = negstats.load(log, mapping=mapping)
    assert len(study.games) == MATCHES * periods
    assert study.players["participant_id"].nunique() == 2 * MATCHES
    assert study.games["treatment"].value_counts().to_dict() == dict.fromkeys(["cournot", "bertrand"], 20 * periods)


@pytest.mark.parametrize("word", ["round", "question"])
def test_two_rounds_are_no_seats(word: str, tmp_path: Path) -> None:
    rows = table(f"{word}1", f"{word}2", 1)
    rows.to_csv(tmp_path / "log.csv", index=False)
    assert "seats" not in tomllib.loads(suggest(tmp_path / "log.csv"))
