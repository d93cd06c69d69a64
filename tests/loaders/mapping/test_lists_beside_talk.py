"""Lists beside the talk that are as long as it: what each message was labelled as, or what was chosen with it."""

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

WORDS = "i would like the apples and you can take pears but give me more books since hats are worth nothing".split()  # noqa: SIM905
LABELS = ["small-talk", "self-need", "other"]


def talks(form: str) -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    games = []
    for game in range(24):
        turns = [" ".join(rng.choice(WORDS, rng.integers(5, 12))) for _ in range(rng.integers(4, 9))]
        speakers = ["AB"[place % 2] for place in range(len(turns))]
        said = [{"speaker": who, "text": text} for who, text in zip(speakers, turns, strict=True)]
        labels = rng.choice(LABELS, len(turns)).tolist()
        told: dict[str, Any] = {"words": {"chat": said, "strategies": labels}}
        told["pairs"] = {"chat": said, "annotations": [list(pair) for pair in zip(turns, labels, strict=True)]}
        told["apart"] = {"turns": turns, "speakers": speakers, "choices": rng.integers(1, 6, len(turns)).tolist()}
        games.append({"dialogue_id": game + 1, "condition": "xy"[game % 2], "deal": bool(game % 3), **told[form]})
    return games


@pytest.mark.parametrize(
    ("form", "labels", "speaker"),
    [
        ("words", "strategies", "chat.speaker"),
        ("pairs", "annotations.2", "chat.speaker"),
        ("apart", "choices", "speakers"),
    ],
)
def test_a_list_as_long_as_the_talk_labels_its_messages(form: str, labels: str, speaker: str, tmp_path: Path) -> None:
    games = talks(form)
    log, mapping = tmp_path / "log.json", tmp_path / "m.toml"
    log.write_text(json.dumps(games))
    mapping.write_text(suggest(log), encoding="utf-8")
    keys = tomllib.loads(mapping.read_text(encoding="utf-8"))
    assert keys["messages"]["labels"] == labels
    assert keys["players"]["player"] == speaker
    study = negstats.load(log, mapping=mapping)
    assert len(study.messages) == sum(len(game["chat"] if "chat" in game else game["turns"]) for game in games)
    assert study.messages["labels"].notna().all()
    assert study.messages["sender"].value_counts().index.tolist() == ["A", "B"]


def test_a_talk_in_one_cell_is_read_beside_columns_of_both_seats(tmp_path: Path) -> None:
    rng, rows = np.random.default_rng(2), []
    for deal in range(40):
        turns = [" ".join(rng.choice(WORDS, rng.integers(5, 12))) for _ in range(rng.integers(4, 9))]
        said = "\n".join(f"{('Buyer', 'Seller')[place % 2]}: {text}" for place, text in enumerate(turns))
        asks = int(rng.integers(50, 300))
        own = {"buyer_target": int(asks * 0.8), "seller_target": asks}
        own |= {f"{seat}_gain": int(rng.integers(0, 40)) for seat in ("buyer", "seller")}
        ends = {"price": int(asks * 0.9), "deal": deal % 7 > 0, "transcript": said}
        rows.append({"deal_id": f"D{deal:03}", "goods": ("bike", "phone", "desk")[deal % 3], **own, **ends})
    pd.DataFrame(rows).to_csv(tmp_path / "log.csv", index=False)
    mapping = tomllib.loads(suggest(tmp_path / "log.csv"))
    assert (mapping["row"], mapping["rows"]) == ("message", "transcript")
