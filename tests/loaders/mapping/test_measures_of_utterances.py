"""Numbers beside each utterance: their mean is a measure of the talk, or of each person who speaks in it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis.preregistration.proposals import propose
from negstats.errors import LogError
from negstats.loaders.mapping import draft_of
from negstats.loaders.mapping.forms import Asked
from tests.loaders.mapping.test_guess import loaded, saved

WORDS = (
    "we",
    "might",
    "take",
    "the",
    "lamp",
    "if",
    "you",
    "add",
    "an",
    "old",
    "chair",
    "and",
    "bring",
    "both",
    "today",
)
NAMES = (("talk", "turn", "speaker", "words", "room", "warmth", "price"), ("c1", "c2", "c3", "c4", "c5", "c6", "c7"))


def talks(names: tuple[str, ...] = NAMES[0]) -> pd.DataFrame:
    """Forty talks of two in one of two rooms, each utterance with how warm it is and a price, if it names one."""
    rng = np.random.default_rng(9)
    rows = [
        (
            f"t{talk:02d}",
            turn + 1,
            ("guest", "host")[turn % 2],
            " ".join(rng.choice(WORDS, 9)),
            ("cold", "hot")[talk % 2],
            round(float(rng.normal(3, 1)), 2),
            rng.choice(["", str(rng.integers(20, 90))]),
        )
        for talk in range(40)
        for turn in range(int(rng.integers(5, 12)))
    ]
    return pd.DataFrame(rows, columns=list(names))


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
def test_the_mean_of_numbers_of_utterances_is_a_measure_of_the_talk(names: tuple[str, ...], tmp_path: Path) -> None:
    table = talks(names)
    text, study = loaded(tmp_path, saved(tmp_path, table))
    keys = tomllib.loads(text)
    warmth, price = names[5:]
    assert keys["measures"] == {name: {"column": name, "take": "mean"} for name in (warmth, price)}
    means = table.groupby(names[0])[warmth].mean()
    assert study.games.set_index("game_id")[warmth].to_dict() == pytest.approx(means.to_dict())
    assert {warmth, price} <= {proposal.outcome.name for proposal in propose(study).drafted}


def test_of_known_people_it_is_the_mean_of_what_each_said(tmp_path: Path) -> None:
    table = talks()
    people = table["talk"].str[1:].astype(int) % 17
    table["worker"] = "W" + people.astype(str).str.zfill(2) + table["speaker"].str[0]
    text, study = loaded(tmp_path, saved(tmp_path, table))
    keys = tomllib.loads(text)
    assert keys["measures"]["warmth"] == {"column": "warmth", "take": "mean", "per": "player"}
    answers = study.answers[study.answers["question"] == "warmth"].set_index(["game_id", "participant_id"])["answer"]
    means = table.groupby(["talk", "worker"])["warmth"].mean()
    assert answers.astype(float).to_dict() == pytest.approx(means.to_dict())
    assert {"warmth", "price"} <= {proposal.outcome.name for proposal in propose(study).drafted}


def test_without_a_mean_what_somebody_said_must_agree(tmp_path: Path) -> None:
    log, mapping = (
        saved(tmp_path, talks().assign(worker=lambda table: table["talk"] + table["speaker"])),
        tmp_path / "m",
    )
    text = draft_of(log, Asked()).text
    mapping.write_text(text.replace('take = "mean", per', "per"), encoding="utf-8")
    with pytest.raises(LogError, match=r"rows of one .* must agree|is also in"):
        negstats.load(log, mapping=mapping)
