"""Logs in which two lists, or two texts, may be what happened: which of them it was is asked, and stops until then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from negstats.loaders.mapping import draft_of, read_as
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.mapping.mapping_text import Draft

WORDS = ("I think that we should wait", "I doubt that this is fair", "let us vote for the other one", "no, not today")


def acts(rng: np.random.Generator, count: int, key: str) -> list[dict[str, Any]]:
    """Return what some of three people said: others each time, and not all of them."""
    said = [f"on number {rng.integers(10**5)}: {WORDS[int(rng.integers(4))]}" for _ in range(count)]
    return [{"who": f"p{rng.integers(3)}", key: words} for words in said]


def drafted(source: Path, **answers: str) -> Draft:
    return draft_of(source, Asked(None, None, None), answers)


@pytest.fixture
def two_lists(tmp_path: Path) -> Path:
    rng = np.random.default_rng(3)
    games = [
        {"arm": ("hot", "cold")[n % 2], "day": acts(rng, 6, "said"), "night": acts(rng, 3, "whispered")}
        for n in range(30)
    ]
    (file := tmp_path / "log.json").write_text(json.dumps(games))
    return file


def test_two_lists_that_tell_as_much_are_asked_about(two_lists: Path) -> None:
    draft = drafted(two_lists)
    question = next(each for each in draft.questions if each.subject == "table")
    assert question.is_stop
    words = [option.words for option in question.options]
    places = {name: str(1 + words.index(f"log.json: {name}")) for name in ("day", "night")}
    for name, size in (("day", 180), ("night", 90)):
        study = read_as(two_lists, drafted(two_lists, table=places[name]).text)
        assert (len(study.games), len(study.messages)) == (30, size)


@pytest.fixture
def two_texts(tmp_path: Path) -> Path:
    rng = np.random.default_rng(5)
    games = []
    for game in range(30):
        turns = []
        for turn in range(4):
            amount, number = int(rng.integers(20, 80)), int(rng.integers(10**5))
            thought = f"I may go down by {amount % 7}, for {number} is much, and who knows"
            said = f"take {amount} of {number}, {WORDS[int(rng.integers(4))]}"
            turns.append({"who": ("A", "B")[turn % 2], "x1": thought, "x2": said})
        games.append({"id": f"g{game}", "arm": ("hot", "cold")[game % 2], "turns": turns})
    (file := tmp_path / "log.json").write_text(json.dumps(games))
    return file


def test_of_two_texts_of_the_same_rows_none_is_taken_for_talk_in_silence(two_texts: Path) -> None:
    question = next(each for each in drafted(two_texts).questions if each.subject == "talk")
    assert question.is_stop
    assert len(question.options) == 3
    said = next(str(place) for place, option in enumerate(question.options, 1) if "x2" in option.words)
    study = read_as(two_texts, drafted(two_texts, talk=said).text)
    assert study.messages["text"].str.contains("take").all()


def test_games_inside_another_object_and_beside_means_are_found(tmp_path: Path) -> None:
    games = {f"g{n}": {"arm": "hot", "turns": [{"who": "A", "x": n}, {"who": "B", "x": n + 3}]} for n in range(12)}
    for content in ({"data": {"results": games}}, {"games": games, "summary": {"n": 12, "mean": 3.5, "sd": 1.2}}):
        (file := tmp_path / "log.json").write_text(json.dumps(content))
        assert len(read_as(file, drafted(file).text).games) == 12


def test_texts_under_the_names_of_those_who_speak_are_messages_of_each(tmp_path: Path) -> None:
    rng = np.random.default_rng(7)
    for game in range(12):
        said = [{name: acts(rng, 1, "said")[0]["said"] for name in ("pro", "con")} for _ in range(3)]
        rounds = [{"round": at, **texts, **({"con": "No."} if game == 5 else {})} for at, texts in enumerate(said, 1)]
        (tmp_path / f"talk_{game}.json").write_text(
            json.dumps({"arm": ("a", "b")[game % 2], "id": game, "rounds": rounds})
        )
    question = next(each for each in drafted(tmp_path).questions if each.subject == "levels")
    assert question.is_stop
    messages = read_as(tmp_path, drafted(tmp_path, levels="2").text).messages
    assert messages["sender"].value_counts().to_dict() == {"pro": 36, "con": 36}


def test_acts_in_lists_of_rounds_are_the_rows(tmp_path: Path) -> None:
    rng = np.random.default_rng(9)
    games = {
        f"g{n}": {"arm": ("a", "b")[n % 2], "rounds": [{"round": at, "talk": acts(rng, 4, "said")} for at in (1, 2, 3)]}
        for n in range(12)
    }
    (file := tmp_path / "log.json").write_text(json.dumps(games))
    study = read_as(file, drafted(file).text)
    assert (len(study.games), len(study.messages)) == (12, 144)
