"""Means and SDs in running text against n and the scale: accused only where one answer of each is said."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from negstats.audit import audit_text
from negstats.audit.beyond_p.judgement import Judgement

ONE = "They answered a single question on a scale from 1 (not at all) to 7 (very much)"


def judged(text: str) -> list[Judgement]:
    return [one for one in audit_text(text).further if one.raw.startswith(("M", "n"))]


@given(answers=st.lists(st.integers(1, 7), min_size=2, max_size=60), decimals=st.integers(2, 3))
def test_true_answers_are_never_flagged(answers: list[int], decimals: int) -> None:
    mean, sd = np.mean(answers), np.std(answers, ddof=1)
    judgements = judged(f"{ONE} (M = {mean:.{decimals}f}, SD = {sd:.{decimals}f}, n = {len(answers)}).")
    assert not [one for one in judgements if one.flagged], judgements


@given(
    answers=st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10), st.integers(0, 10)), min_size=2, max_size=40),
    decimals=st.integers(1, 3),
)
def test_true_means_of_items_are_never_flagged(answers: list[tuple[int, int, int]], decimals: int) -> None:
    people = np.mean(answers, axis=1)
    cell = f"M = {people.mean():.{decimals}f}, SD = {people.std(ddof=1):.{decimals}f}, n = {len(answers)}"
    judgements = judged(f"Three items on a scale from 0 to 10 were averaged ({cell}).")
    assert not [one for one in judgements if one.flagged], judgements


def test_a_mean_of_a_long_paragraph_is_judged_once() -> None:
    between = "Others waited for the next game to begin, and spoke of other things. " * 5
    means = ["3.45", "3.46", "3.49"]
    text = between.join(f"They answered one question on a scale from 1 to 7 (M = {mean}, n = 23). " for mean in means)
    assert [one.raw for one in judged(text)] == [f"M = {mean}, n = 23" for mean in means]
