"""Degrees of freedom against the people that a text speaks of: only where it says their number once and clearly."""

from __future__ import annotations

import pytest

from negstats.audit import audit_text
from negstats.audit.beyond_p.judgement import Judgement
from negstats.audit.beyond_p.people import people_said

# R: 2 * pt(-2.10, 102) is .0382, 2 * pt(-2.10, 92) .0384, pf(4.41, 1, 102, lower = F) .0382, r = .25 of 100 df .0114


def judged(text: str) -> list[Judgement]:
    return [one for one in audit_text(text).further if one.what == "df and people"]


@pytest.mark.parametrize(
    ("text", "people"),
    [
        ("A total of 94 students took part.", 94),
        ("We recruited 94 adults.", 94),
        ("Ninety-four took part (N = 94).", 94),
        ("Our sample (N = 1,094) was large. All 1,094 participants answered.", 1094),
        ("We recruited 94 adults; 6 adults were excluded.", None),
        ("In Study 1 N = 94 took part, in Study 2 N = 120.", None),
        ("They differed, χ²(1, N = 94) = 4.67, p = .031.", None),  # of the test alone
        ("In each condition 20 participants took part.", None),
        ("The game has 40 players at most.", None),
        ("Ninety people took part. Gender was recorded as f for 45 people.", None),
        ("Sixty-six people each took part in two rounds.", None),
        ("Sixty-six people took part.", 66),
        ("Ninety people took part.", 90),
        ("In 2016, 94% of adults took part.", None),
    ],
)
def test_people_said(text: str, people: int | None) -> None:
    assert people_said(text) == people


@pytest.mark.parametrize(
    ("result", "need"),
    [("t(102) = 2.10, p = .038", 103), ("F(1, 102) = 4.41, p = .038", 103), ("r(100) = .25, p = .011", 102)],
)
def test_more_df_than_people(result: str, need: int) -> None:
    (outcome,) = judged(f"A total of 94 students took part. They differed, {result}.")
    assert outcome.grade == "differs"
    assert f"at least {need} people" in outcome.why
    assert "must be meant" in outcome.why


@pytest.mark.parametrize(
    "text",
    [
        "A total of 94 students took part. They differed, t(92) = 2.10, p = .038.",
        "A total of 94 students took part. They differed, t(93) = 2.10, p = .038.",
        "A total of 94 students took part. They differed, F(2, 186) = 3.20, p = .043.",  # within people
        "A total of 94 students took part. They differed, t(101.7) = 2.10, p = .038.",  # of a mixed model
        "A total of 94 students and 80 adults took part. They differed, t(102) = 2.10, p = .038.",
        "They differed, t(102) = 2.10, p = .038.",
    ],
)
def test_nothing_is_said(text: str) -> None:
    assert judged(text) == []


def test_several_rows_of_each_explain_it_once() -> None:
    text = "A total of 94 students took part in 12 trials. So t(1126) = 2.10, p = .036, and t(1126) = 2.00, p = .046."
    (result,) = judged(text)
    assert result.grade == "fits only if"
    assert "“trials”" in result.why
    assert "1 result more" in result.why
