"""Objects whose keys are those who took part: each name is a row, in one file and in a file for each game."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import negstats
from negstats.errors import LogError
from negstats.loaders.mapping import suggest

NAMES = ["Ann", "Ben", "Cid", "Dee", "Eve", "Fay", "Gus", "Hal"]
MODELS = ["gpt-4o", "claude-3", "llama-70b", "gemini-pro"]


def loaded(source: Path, folder: Path) -> tuple[dict[str, Any], negstats.Study]:
    mapping = folder / "m.toml"
    mapping.write_text(suggest(source), encoding="utf-8")
    return tomllib.loads(mapping.read_text(encoding="utf-8")), negstats.load(source, mapping=mapping)


def decisions() -> list[dict[str, Any]]:
    """What two of eight people do and get, in objects beside each other."""
    rng = np.random.default_rng(3)
    games = []
    for game in range(30):
        pair = rng.choice(NAMES, 2, replace=False)
        told = {key: {str(name): int(rng.integers(1, 30)) for name in pair} for key in ("actions", "payoffs")}
        games.append({"game": game + 1, "arm": ["hot", "cold"][game % 2], **told})
    return games


def members() -> list[dict[str, Any]]:
    """What is known of two to four people whom no other game has."""
    rng = np.random.default_rng(4)
    return [
        {
            "game": game + 1,
            "arm": ["hot", "cold"][game % 2],
            "players": {
                f"P{100 + game * 4 + place}": {"given": int(rng.integers(0, 20)), "payoff": int(rng.integers(0, 40))}
                for place in range(int(rng.integers(2, 5)))
            },
        }
        for game in range(24)
    ]


@pytest.mark.parametrize("games", [decisions, members])
@pytest.mark.parametrize("is_folder", [False, True])
def test_each_name_is_a_row(games: Callable[[], list[dict[str, Any]]], is_folder: bool, tmp_path: Path) -> None:
    records = games()
    source = tmp_path / "logs"
    source.mkdir()
    for record in records if is_folder else ():
        (source / f"game_{record['game']:02d}.json").write_text(json.dumps(record))
    if not is_folder:
        source = tmp_path / "log.json"
        source.write_text(json.dumps(records))
    keys, study = loaded(source, tmp_path)
    names = {
        (str(each["game"]), name)
        for each in records
        for name in (each["players"] if "players" in each else each["payoffs"])
    }
    assert set(zip(study.players["game_id"], study.players["participant_id"], strict=True)) == names
    assert keys["row"] == "player"
    assert "open" not in keys
    assert study.games["arm"].value_counts().to_dict() == {"hot": len(records) / 2, "cold": len(records) / 2}
    payoffs = sum(sum(each["payoffs"].values()) for each in records if "payoffs" in each)
    payoffs += sum(player["payoff"] for each in records for player in each.get("players", {}).values())
    assert study.players["points"].sum() == payoffs


def test_language_models_are_agents_whose_points_are_compared(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    games: list[dict[str, Any]] = []
    for game in range(40):
        results = {str(name): int(rng.integers(0, 100)) for name in rng.choice(MODELS, 2, replace=False)}
        games.append({"match": game + 1, "results": results, "deal": bool(rng.integers(2))})
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, games)))
    _, study = loaded(tmp_path / "log.jsonl", tmp_path)
    assert set(study.players["agent"]) == set(MODELS)
    assert study.players["participant_id"].isna().all()
    assert study.players["points"].sum() == sum(sum(each["results"].values()) for each in games)


@pytest.mark.parametrize(
    "told",
    [
        [{"trust": 3, "mood": 4}, {"trust": 5, "mood": 2, "worry": 1}, {"trust": 1, "mood": 6}],  # one thing more
        [{"offer": 3, "note": "high"}, {"offer": 5, "reply": "no"}, {"offer": 4, "note": "low"}],  # of several kinds
    ],
)
def test_what_is_told_of_one_is_no_name(told: list[dict[str, Any]], tmp_path: Path) -> None:
    games = [{"id": f"p{place}", "arm": "ab"[place % 2], "answers": told[place % 3]} for place in range(30)]
    (tmp_path / "log.json").write_text(json.dumps(games))
    assert "answers.key" not in suggest(tmp_path / "log.json")


def test_rounds_of_two_seats_are_games_of_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(6)
    games: list[dict[str, Any]] = [
        {
            "pair": f"g{pair}",
            "arm": "ab"[pair % 2],
            "rounds": [
                {
                    "round": number,
                    "proposer": {"id": f"p{2 * pair}", "offer": int(rng.integers(0, 10))},
                    "responder": {"id": f"p{2 * pair + 1}", "accept": bool(rng.integers(2))},
                }
                for number in range(1, 6)
            ],
        }
        for pair in range(20)
    ]
    (tmp_path / "log.json").write_text(json.dumps(games))
    keys, study = loaded(tmp_path / "log.json", tmp_path)
    assert (len(study.games), study.players["participant_id"].nunique()) == (100, 40)
    assert study.offers["units_to_responder"].sum() == sum(
        each["proposer"]["offer"] for game in games for each in game["rounds"]
    )
    assert keys["factors"]["pair"] == {"column": "pair", "role": "cluster"}


def test_an_object_beside_a_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "log.json").write_text(json.dumps([{"game": 1, "acts": {"Ann": 1, "Ben": 2}, "gains": [3, 4]}]))
    mapping = 'row = "player"\nrows = ["acts", "gains"]\ngames.game_id = "game"\nplayers.player = "acts.key"\n'
    (tmp_path / "m.toml").write_text(mapping)
    with pytest.raises(LogError, match=r"row 1, column 'acts': is an object beside lists"):
        negstats.load(tmp_path / "log.json", mapping=tmp_path / "m.toml")
