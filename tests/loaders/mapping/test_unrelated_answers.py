"""A column of two numbers that is called a decision answers an offer only where it goes with it beyond chance."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from negstats.loaders.mapping import suggest

PEOPLE, ROUNDS = 60, 10


@pytest.mark.parametrize("is_answer", [False, True])
def test_a_decision_that_hardly_goes_with_an_amount_is_likely_no_answer_to_it(is_answer: bool, tmp_path: Path) -> None:
    rng = np.random.default_rng(12)
    rows = []
    for person in range(1, PEOPLE + 1):
        for number in range(1, ROUNDS + 1):
            offer = int(rng.integers(0, 11))
            chance = offer / 10 if is_answer else 0.42 + 0.016 * offer
            rows.append({"subject": f"s{person}", "round": number, "offer": offer})
            rows[-1]["decision"] = 1 + int(rng.random() < chance)
    pd.DataFrame(rows).to_csv(tmp_path / "log.csv", index=False)
    questions = tomllib.loads(suggest(tmp_path / "log.csv"))["open"]
    offer_question = next(each for each in questions if each["subject"] == "offer")
    assert offer_question["likely"] == [1 if is_answer else len(offer_question["options"])]
