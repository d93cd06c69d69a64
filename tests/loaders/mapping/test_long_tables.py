"""Tables with a row for each measure of a person are put together to rows of all measures, where kinds say so."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.errors import LogError
from negstats.loaders.mapping import suggest

RNG = np.random.default_rng(23)
NAMES = [("variable", "value"), ("Merkmal", "Auspraegung"), ("c8", "c9")]


def people() -> pd.DataFrame:
    """Forty people in two arms, of whom four things were measured."""
    rng = np.random.default_rng(4)
    table = {"who": [f"P{person:02}" for person in range(40)], "arm": ["high", "low"] * 20}
    numbers = {
        "age": rng.integers(18, 60, 40),
        "steps": rng.integers(0, 11, 40),
        "score": rng.normal(50, 9, 40).round(1),
    }
    return pd.DataFrame({**table, **numbers, "mood": rng.choice(["calm", "angry"], 40)})


def trials() -> pd.DataFrame:
    """Twenty people with six trials, of whom three things were measured in each."""
    rng = np.random.default_rng(5)
    rows = [(person, trial) for person in range(1, 21) for trial in range(1, 7)]
    table = pd.DataFrame(rows, columns=["who", "trial"])
    return table.assign(
        steps=rng.integers(0, 11, 120), seconds=rng.normal(60, 9, 120).round(2), mood=["a", "b", "c"] * 40
    )


def loaded(folder: Path, table: pd.DataFrame) -> tuple[str, negstats.Study]:
    log, mapping = folder / "log.csv", folder / "mapping.toml"
    table.to_csv(log, index=False)
    mapping.write_text(suggest(log), encoding="utf-8")
    return mapping.read_text(encoding="utf-8"), negstats.load(log, mapping=mapping)


@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
@pytest.mark.parametrize("order", ["by measure", "by person", "at random"])
def test_measures_of_people_are_put_together(tmp_path: Path, names: tuple[str, str], order: str) -> None:
    table = people()
    rows = table.melt(["who", "arm"], var_name=names[0], value_name=names[1])
    if order != "by measure":
        rows = rows.sort_values("who", kind="stable") if order == "by person" else rows.sample(frac=1, random_state=1)
    text, study = loaded(tmp_path, rows)
    assert f'long = {{ measure = "{names[0]}", value = "{names[1]}", by = ["who"] }}' in text
    assert len(study.games) == 40
    means = study.games.groupby("arm")["steps"].mean()
    assert means.to_dict() == pytest.approx(table.groupby("arm")["steps"].mean().to_dict())


@pytest.mark.slow
@pytest.mark.parametrize("names", NAMES, ids=lambda names: names[0])
def test_measures_of_trials_are_put_together(tmp_path: Path, names: tuple[str, str]) -> None:
    text, study = loaded(tmp_path, trials().melt(["who", "trial"], var_name=names[0], value_name=names[1]))
    assert 'by = ["who", "trial"]' in text
    assert (len(study.games), study.players["participant_id"].nunique()) == (120, 20)


@pytest.mark.slow
def test_a_measure_that_somebody_lacks_is_missing(tmp_path: Path) -> None:
    rows = people().melt(["who", "arm"])
    _, study = loaded(tmp_path, rows[~((rows["who"] == "P03") & (rows["variable"] == "steps"))])
    assert len(study.games) == 40
    assert study.games["steps"].isna().sum() == 1


def test_conditions_that_each_person_had_are_no_measures(tmp_path: Path) -> None:
    table = people()[["who"]].assign(
        **{arm: RNG.integers(0, 40, 40) + at for at, arm in enumerate(("low", "mid", "high"))}
    )
    text, study = loaded(tmp_path, table.melt("who", var_name="stake", value_name="steps"))
    assert "long =" not in text
    assert len(study.games) == 120


def test_numbers_of_one_kind_are_measures_only_if_names_say_so(tmp_path: Path) -> None:
    table = people().drop(columns=["score", "mood", "steps"])
    table = table.assign(offer=RNG.integers(0, 11, 40), trust=RNG.integers(1, 8, 40))
    text, _ = loaded(tmp_path, table.melt(["who", "arm"]))
    assert "long =" in text
    unknown = table.rename(columns={"age": "uno", "offer": "due", "trust": "tri"})
    assert "long =" not in loaded(tmp_path, unknown.melt(["who", "arm"]))[0]


LOG = "who,what,value\na,age,30\na,mood,good\nb,age,40\nb,age,41\n"
MAPPING = 'row = "game"\n{long}\n[games]\ngame_id = "who"\n[measures]\nage = "age"\n'


@pytest.mark.parametrize(
    ("long", "words"),
    [
        ('long = { measure = "what", value = "value", by = "who" }', "'age' again for one who"),
        ('long = { measure = "what", value = "number", by = "who" }', "has no such column"),
        ('long = { measure = "what", value = "value" }', "by: is needed"),
        ('long = { measure = "what", by = "who" }', "value"),
        ('long = { measure = "what", value = "value", by = "who", names = 3 }', "names"),
        ('rows = "what"\nlong = { measure = "what", value = "value", by = "who" }', "give one"),
    ],
)
def test_what_cannot_be_put_together_is_refused(tmp_path: Path, long: str, words: str) -> None:
    (tmp_path / "log.csv").write_text(LOG)
    (tmp_path / "mapping.toml").write_text(MAPPING.format(long=long))
    with pytest.raises(LogError, match=words):
        negstats.load(tmp_path / "log.csv", mapping=tmp_path / "mapping.toml")


def unknown_measures(names: tuple[str, str, str], reach: int) -> pd.DataFrame:
    """Return whole numbers of measures whose names nobody knows, of which the last reaches further."""
    rng = np.random.default_rng(21)
    rows = [
        (f"P{person}", ("x", "y")[person % 2], name, int(rng.integers(1, reach if name == "gamma" else 8)))
        for person in range(50)
        for name in ("alpha", "beta", "gamma")
    ]
    return pd.DataFrame(rows, columns=[names[0], "arm", *names[1:]])


@pytest.mark.parametrize("names", [("subj", "what", "x"), ("kod", "feld", "wert"), ("id", "kind", "n1")])
def test_whole_numbers_of_unknown_measures_are_asked_about(names: tuple[str, str, str], tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    unknown_measures(names, 101).to_csv(file, index=False)
    questions = tomllib.loads(suggest(file))["open"]
    question = next(each for each in questions if each["subject"] == "measures")
    assert question["stop"]
    assert question["question"] == f"What are alpha, beta, gamma in the column {names[1]}?"
    answered = tomllib.loads(suggest(file, answers={"measures": "2"}))
    assert answered["long"] == {"measure": names[1], "value": names[2], "by": [names[0]]}
    everything = {**answered.get("measures", {}), **answered.get("answers", {})}
    assert set(everything.values()) == {"alpha", "beta", "gamma"}
    kept = tomllib.loads(suggest(file, answers={"measures": "1"}))
    assert "long" not in kept
    assert next(each for each in kept["open"] if each["subject"] == "measures")["answer"] == [1]


def test_levels_that_reach_alike_are_no_measures(tmp_path: Path) -> None:
    file = tmp_path / "long.csv"
    unknown_measures(("subj", "what", "x"), 9).to_csv(file, index=False)
    assert 'subject = "measures"' not in suggest(file)
