"""Items of a scale: the question about them, their mean, and what a draft says of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis.plan import parse
from negstats.analysis.preregistration.draft import draft
from negstats.analysis.preregistration.proposals import propose
from negstats.analysis.scales import decisions_of, reliability_of, scales_of
from negstats.errors import LogError
from negstats.loaders.mapping import draft_of, read_as, suggest
from negstats.loaders.mapping.forms import Asked
from negstats.studies.study import Study

ITEMS = ("warm_1", "warm_2", "warm_3")
PEOPLE = 40


def _table(folder: Path) -> pd.DataFrame:
    rng = np.random.default_rng(17)
    frame = pd.DataFrame({"pid": [f"v{n}x" for n in rng.permutation(900)[:PEOPLE]]})
    frame["treatment"] = rng.permutation(["form", "talk"] * (PEOPLE // 2))
    warmth = rng.normal(4, 1.5, PEOPLE)
    for name in ITEMS:
        frame[name] = np.clip(np.round(warmth + rng.normal(0, 1, PEOPLE)), 1, 7).astype(int).astype("str")
    frame.loc[2, "warm_1"] = ""
    frame.loc[5, ["warm_1", "warm_2"]] = ""
    frame.to_csv(folder / "survey.csv", index=False)
    return frame


def _study(folder: Path, answer: str) -> tuple[str, Study]:
    mapping = folder / f"{answer}.toml"
    mapping.write_text(suggest(folder / "survey.csv", answers={"decisions": answer}), encoding="utf-8")
    return mapping.read_text(encoding="utf-8"), negstats.load(folder / "survey.csv", mapping=mapping)


@pytest.mark.slow
def test_answer_that_items_are_one_scale_gives_their_mean_and_alpha(tmp_path: Path) -> None:
    frame = _table(tmp_path)
    text, study = _study(tmp_path, "1")
    assert "not read" not in text
    answers = study.answers.pivot_table(index="participant_id", columns="question", values="answer", aggfunc="first")
    items = frame.set_index("pid")[list(ITEMS)].apply(pd.to_numeric)
    mean = items.mean(axis=1).where(items.notna().sum(axis=1) >= 2)
    expected, got = mean.dropna(), answers["warm"].dropna().astype(float)
    assert got.sort_index().to_numpy() == pytest.approx(expected.sort_index().to_numpy())
    covariance = items.dropna().cov().to_numpy()
    alpha = 3 / 2 * (1 - np.trace(covariance) / covariance.sum())
    assert scales_of(study) == {"warm": ITEMS}
    found = reliability_of(study, ITEMS)
    assert found is not None
    assert float(found.alpha) == pytest.approx(alpha)
    plan = draft(study)
    assert {question.measure for question in parse(plan).questions.values()} == {"warm"}
    assert f"warm is the mean of warm_1, warm_2, warm_3; {found.apa()}." in plan


@pytest.mark.slow
def test_other_answer_asks_about_each_item(tmp_path: Path) -> None:
    _table(tmp_path)
    _, study = _study(tmp_path, "2")
    assert {question.measure for question in parse(draft(study)).questions.values()} == set(ITEMS)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ('["warm_1", "warm_2"]', "would join the texts of 2 columns"),
        ('{ mean = ["warm_1"] }', "not a list of two or more different columns"),
        ('{ mean = ["warm_1", "treatment"] }', "is not a number"),
    ],
)
def test_columns_are_joined_into_one_answer_only_where_a_mapping_asks_for_it(
    tmp_path: Path, answer: str, told: str
) -> None:
    _table(tmp_path)
    head = 'row = "player"\ngames.game_id = "pid"\nplayers = { player = { constant = "p" }, participant_id = "pid" }\n'
    (tmp_path / "m.toml").write_text(f"{head}answers.warm = {answer}\n", encoding="utf-8")
    with pytest.raises(LogError, match=told):
        negstats.load(tmp_path / "survey.csv", mapping=tmp_path / "m.toml")
    joined = '{ join = ["warm_2", "treatment"] }'
    (tmp_path / "m.toml").write_text(f"{head}answers.both = {joined}\n", encoding="utf-8")
    assert negstats.load(tmp_path / "survey.csv", mapping=tmp_path / "m.toml").answers["answer"].str.contains("-").all()


def _decisions(folder: Path, unit: str) -> pd.DataFrame:
    """Twelve amounts of each unit side by side, one of which was not given."""
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({unit: np.arange(1, PEOPLE + 1), "treatment": ["form", "talk"] * (PEOPLE // 2)})
    for place in range(1, 13):
        frame[f"T{place}_amount"] = rng.integers(0, 21, PEOPLE).astype(str)
    frame.loc[3, "T2_amount"] = ""
    frame.to_csv(folder / "log.csv", index=False)
    return frame


@pytest.mark.parametrize("unit", ["participant", "pair"])
def test_the_mean_of_decisions_side_by_side_is_drafted_and_each_may_be_asked_about(tmp_path: Path, unit: str) -> None:
    frame = _decisions(tmp_path, unit)
    (tmp_path / "log.toml").write_text(suggest(tmp_path / "log.csv"), encoding="utf-8")
    study = negstats.load(tmp_path / "log.csv", mapping=tmp_path / "log.toml")
    decisions = tuple(f"T{place}_amount" for place in range(1, 13))
    assert (decisions_of(study), scales_of(study)) == ({"T_amount": decisions}, {})
    amounts = frame[[*decisions]].apply(pd.to_numeric).mean(axis=1)
    if unit == "participant":
        answers = study.answers[study.answers["question"] == "T_amount"]
        means = answers.set_index("participant_id")["answer"].astype(float)
    else:
        means = study.games.set_index("game_id")["T_amount"]
    means.index = means.index.astype(int)
    assert means.sort_index().to_numpy(float) == pytest.approx(amounts.to_numpy())
    plan = draft(study)
    assert [question.measure for question in parse(plan).questions.values()] == ["T_amount"]
    assert "each may be asked about too" in plan
    alpha = reliability_of(study, decisions)  # of answers of people
    assert (unit == "pair") == (alpha is None)
    assert alpha is None or alpha.apa() in plan
    offered = [plan.index(f'measure = "{name}"') for name in decisions[:3]]
    assert offered == sorted(offered)


@pytest.mark.parametrize("noise", [1, 12], ids=["consistent", "noisy"])
def test_ratings_that_hang_together_are_likely_one_scale(noise: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    table = pd.DataFrame({"pid": [f"v{n:03d}x" for n in range(90)], "arm": rng.permutation(["form", "talk"] * 45)})
    mild = rng.normal(4, 1.5, 90)
    for number in range(1, 10):
        table[f"mild{number}"] = np.clip(np.round(mild + rng.normal(0, noise, 90)), 1, 7).astype(int)
    log = tmp_path / "log.csv"
    table.to_csv(log, index=False)
    (question,) = [each for each in draft_of(log, Asked()).questions if each.subject == "decisions"]
    assert question.likely == ((1,) if noise == 1 else (2,))
    assert question.options[0].evidence.startswith("Cronbach's alpha 0.")
    measures = {each.outcome.name for each in propose(read_as(log, suggest(log, accept=True))).drafted}
    assert ("mild" in measures) == (noise == 1)
