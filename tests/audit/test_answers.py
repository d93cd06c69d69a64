"""Means and SDs in running text against n and the scale: accused only where one answer of each is said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.audit import audit_text
from negstats.audit.beyond_p.judgement import Judgement

ONE = "They answered a single question on a scale from 1 (not at all) to 7 (very much)"


def judged(text: str) -> list[Judgement]:
    return [one for one in audit_text(text).further if one.raw.startswith(("M", "n"))]


# 23 × 3.45 is 79.35: 79 / 23 is 3.4348 and 80 / 23 is 3.4783. The largest SD of 20 answers from 1 to 7 with a mean of
# 4 is 3 √(20 / 19) = 3.078.
@pytest.mark.parametrize(
    ("text", "grade", "says"),
    [
        (f"{ONE} (M = 3.48, SD = 1.20, n = 23).", "fits", "one item"),
        (f"{ONE} (M = 3.45, SD = 1.20, n = 23).", "cannot be", "3.4348 and 3.4783"),
        (f"{ONE}, *M* = 3.45 (*SD* = 1.20), *n* = 23.", "cannot be", "3.4348 and 3.4783"),
        (f"{ONE} (n = 23, M = 3.45, SD = 1.20).", "cannot be", "3.4348 and 3.4783"),
        ("It was rated on a 7-point scale (M = 3.45, SD = 1.20, n = 23).", "fits only if", "several answers"),
        ("Three items on a 7-point scale were averaged (M = 3.45, n = 23).", "fits", "3 items"),
        ("Two items on a 7-point scale were averaged (M = 3.47, n = 23).", "cannot be", "to 2 items"),
        (f"{ONE}, averaged across trials (M = 3.45, n = 23).", "fits only if", "several answers"),
        (f"{ONE} (M = 7.45, SD = 1.20, n = 20).", "cannot be", "outside the scale from 1 to 7"),
        (f"{ONE} (M = 4.00, SD = 3.50, n = 20).", "cannot be", "at most 3.078"),
        (f"{ONE} (M = 3.95, SD = 1.43, n = 19).", "fits", ""),
        ("Anchors were 1 = never and 5 = always, with one item (M = 5.20, SD = 0.40, n = 20).", "cannot be", "1 to 5"),
    ],
)
def test_judgements(text: str, grade: str, says: str) -> None:
    (result,) = judged(text)
    assert result.grade == grade, result
    assert says in result.why


@pytest.mark.parametrize(
    "text",
    [
        "They were old (M = 23.45, SD = 1.20, n = 23).",  # no scale
        f"{ONE} (M = 3.45, SD = 1.20).",  # no n
        f"{ONE}, the other from 1 to 5 on a scale from 0 to 10 (M = 3.45, n = 23).",  # whose scale?
        f"{ONE} (M = 3.45, SD = 1.20, n = 230).",  # any mean is possible
        f"{ONE}. Differences were small (M = -0.45, SD = 1.20, n = 23).",
        f"We asked students (n = 24, M = 23.41 years, SD = 3.10). {ONE}.",
        f"Participants (N = 48; M = 31.25, SD = 9.2) came twice. {ONE}.",
        f"{ONE}. Sellers earned more (M = 57.35, SD = 8.1, n = 30) than buyers (M = 42.11, SD = 7.9, n = 30).",
        f"{ONE}; they were young (M = 23.41, SD = 3.10, n = 23).",
        f"{ONE}, and played long (M = 9.45 rounds, SD = 1.20, n = 23).",
    ],
)
def test_nothing_is_flagged_without_a_reason(text: str) -> None:
    assert not [one for one in judged(text) if one.flagged]


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
