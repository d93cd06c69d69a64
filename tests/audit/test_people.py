"""Counts of people against df; and facts that a text reports or omits."""

from __future__ import annotations

import pytest

from negstats.audit import audit_text, debit
from negstats.audit.audits import facts_of
from negstats.audit.beyond_p.people import people_said
from negstats.audit.reading import clean, document

# R: 2 * pt(-2.10, 102) is .0382, 2 * pt(-2.10, 92) .0384, pf(4.41, 1, 102, lower = F) .0382, r = .25 of 100 df .0114


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


def counts(text: str) -> dict[str, int]:
    return {fact.name: fact.count for fact in audit_text(text).facts}


@pytest.mark.parametrize(
    "words",
    [
        "It was marginally significant.",
        "A marginal effect of age was there.",
        "It approached significance.",
        "It trended toward significance.",
        "A trend-level difference.",
        "It was almost statistically significant.",
        "It just failed to reach significance.",
    ],
)
def test_wording_of_marginal_results(words: str) -> None:
    assert counts(words)["results called marginal"] == 1


@pytest.mark.parametrize(
    "words", ["Its margin was significant.", "The significant trend was upward.", "It was significant."]
)
def test_what_is_not_marginal(words: str) -> None:
    assert counts(words)["results called marginal"] == 0


def test_exact_p_and_effects() -> None:
    result = counts(
        "A: t(28) = 2.20, p < .05, d = 0.8. B: t(28) = 2.20, p = .036. C: t(28) = 6.20, p < .001, r = .76. "
        "D: t(9) = 1.0, n.s."
    )
    assert result["p that are not exact"] == 2
    assert result["tests without effect size or interval"] == 2


@pytest.mark.parametrize(
    ("text", "data", "registered"),
    [
        ("Data are at https://osf.io/abcde/. We preregistered it.", 1, 1),
        ("Data are available from the authors upon request. It was not preregistered.", 0, 0),
        ("The data are publicly available. See ClinicalTrials.gov NCT01234567.", 1, 2),
        ("They played games.", 0, 0),
    ],
)
def test_links(text: str, data: int, registered: int) -> None:
    result = counts(text)
    assert (result["link to data"], result["preregistration"]) == (data, registered)


def test_facts_have_places() -> None:
    paper = document("one\n\nIt was marginally significant.\n\nAnd marginally significant again.")
    fact = {one.name: one for one in facts_of(paper, clean(paper.text), [])}["results called marginal"]
    assert fact.places == (3, 5)


def test_debit() -> None:
    assert debit("0.35", "0.48", 100)  # sqrt(.35 * .65 * 100 / 99) is .479
    assert not debit("0.35", "0.44", 100)
    assert debit("0.50", "0.51", 50)


def test_tables_of_means() -> None:
    head = "| | n | M | SD |\n|---|---|---|---|\n"
    rows = "| fair (single item) | 18 | 3.44 | 2.47 |\n| agreed (0 = no, 1 = yes) | 100 | 0.35 | 0.44 |\n"
    grades = [one.grade for one in audit_text(head + rows).further]
    assert grades == ["cannot be", "cannot be"]
    scales = "".join(f"| scale {place} | 18 | 3.4{place} | 2.47 |\n" for place in range(4))
    [note] = [one for one in audit_text(head + scales).further if one.grade != "fits"]
    assert note.grade == "fits only if"
    assert "more rows" in note.why
