"""Those who act once in each game, before it begins or after it has ended, sit in none of its seats."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.loaders.mapping import suggest

TALKS = 16
WORDS = ["price", "table", "chair", "deal", "offer", "maybe", "please", "quality", "today", "thanks", "fine", "lower"]


def turns(*, before: tuple[str, ...] = (), behind: tuple[str, ...] = (), last: str = "") -> pd.DataFrame:
    """Return talks of two with turns of others before and behind them; `last` speaks in the middle of the last one."""
    rng = np.random.default_rng(17)
    rows: list[tuple[str, str, int, str, str]] = []
    for talk in range(TALKS):
        speakers = [("Käufer", "Verkäufer")[(turn + talk) % 2] for turn in range(int(rng.integers(4, 9)))]
        if last and talk == TALKS - 1:
            speakers[2:2] = [last]
        said = [" ".join(rng.choice(WORDS, rng.integers(4, 9))) for _ in speakers]
        said = ["Please begin to talk now."] * len(before) + said + ["1. agree 2. disagree 3. agree"] * len(behind)
        everybody = [*before, *speakers, *behind]
        tone = ("calm", "angry")[talk // 2 % 2]
        rows += [(f"T{talk:02d}", tone, turn, *of) for turn, of in enumerate(zip(everybody, said, strict=True), 1)]
    return pd.DataFrame(rows, columns=["talk", "tone", "nr", "who", "utterance"])


def loaded(folder: Path, table: pd.DataFrame, form: str) -> negstats.Study:
    if form == "rows":
        source = folder / "talk.csv"
        table.to_csv(source, index=False)
    else:
        source = folder / "talk.json"
        talks = [
            {"tone": of["tone"].iloc[0], "dialogue": (of["who"] + ": " + of["utterance"]).tolist()}
            for _, of in table.groupby("talk")
        ]
        source.write_text(json.dumps(talks), encoding="utf-8")
    mapping = folder / "m.toml"
    mapping.write_text(suggest(source), encoding="utf-8")
    return negstats.load(source, mapping=mapping)


@pytest.mark.parametrize("form", ["rows", "texts"])
@pytest.mark.parametrize(
    ("before", "behind"), [(("Spielleiter",), ()), ((), ("Survey A", "Survey B")), (("Host",), ("Interview",))]
)
def test_those_who_act_before_or_after_a_game_sit_in_none(
    form: str, before: tuple[str, ...], behind: tuple[str, ...], tmp_path: Path
) -> None:
    table = turns(before=before, behind=behind)
    study = loaded(tmp_path, table, form)
    others = table[table.who.isin([*before, *behind])]
    assert set(study.players["player"]) == {"Käufer", "Verkäufer"}
    assert len(study.messages) == len(table) - len(others)
    assert sum(study.provenance.reasons().values()) == len(others)


@pytest.mark.parametrize("form", ["rows", "texts"])
def test_who_speaks_within_a_talk_sits_in_it(form: str, tmp_path: Path) -> None:
    study = loaded(tmp_path, turns(behind=("Mediator",), last="Mediator"), form)
    assert set(study.players["player"]) == {"Käufer", "Verkäufer", "Mediator"}
