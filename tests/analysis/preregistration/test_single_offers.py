"""Games of one offer that is answered: a rejection is asked about once, and so is said what holds of all questions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import negstats
from negstats.analysis.plan.parse import parse
from negstats.analysis.preregistration.check import check
from negstats.analysis.preregistration.draft import draft
from negstats.loaders.mapping import draft_of
from negstats.loaders.mapping.forms import Asked
from negstats.studies.study import Study

PEOPLE, TRIALS = 24, 10


@pytest.fixture
def answered(tmp_path: Path) -> Study:
    """Return people who answer offers of others, whom nobody names."""
    rng = np.random.default_rng(2)
    rows = []
    for person in range(PEOPLE):
        for trial in range(TRIALS):
            offer = int(rng.integers(0, 11))
            answer = "accept" if rng.random() < 1 / (1 + np.exp(3 - offer)) else "reject"
            rows.append((f"s{person}", ("anger", "neutral")[person % 2], trial + 1, offer, answer))
    names = ["subject", "mood", "trial", "offer", "response"]
    log, mapping = tmp_path / "ug.csv", tmp_path / "m.toml"
    pd.DataFrame(rows, columns=names).to_csv(log, index=False)
    mapping.write_text(draft_of(log, Asked(), {"offer": "1"}).text, encoding="utf-8")
    return negstats.load(log, mapping=mapping)


def test_a_rejection_is_no_walking_away(answered: Study) -> None:
    text = draft(answered)
    assert 'measure = "agreed"' in text
    assert "walked_away" not in text
    assert "first_amount" not in text


def test_what_holds_of_all_questions_is_said_once(answered: Study) -> None:
    plan = parse(draft(answered))
    lines = check(plan, answered).lines()
    note = f"note: the person is not known in {PEOPLE * TRIALS} of {2 * PEOPLE * TRIALS} seats"
    (common,) = [line for line in lines if line.strip().startswith(note)]
    assert common.endswith("(all questions)")
    assert lines.index(common) < next(place for place, line in enumerate(lines) if line.startswith("H1"))


def test_options_about_an_offer_differ_in_what_speaks_for_them(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {"pid": np.repeat([f"p{person}" for person in range(20)], 12), "amount": rng.random(240).round(2)}
    )
    table["choice"] = np.where(table["amount"] + rng.normal(0, 0.2, 240) > 0.5, "left", "right")
    log = tmp_path / "log.csv"
    table.to_csv(log, index=False)
    (question,) = [each for each in draft_of(log, Asked()).questions if each.subject == "offer"]
    evidence = [option.evidence for option in question.options if option.evidence]
    assert len(set(evidence)) == len(evidence) == len(question.options) - 1
