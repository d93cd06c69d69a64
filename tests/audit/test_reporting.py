"""What a text says of its own reporting, and tables of means."""

from __future__ import annotations

import pytest

from negstats.audit import audit_text, debit
from negstats.audit.audits import facts_of
from negstats.audit.reading import clean, document
from negstats.errors import DesignError


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
    with pytest.raises(DesignError):
        debit("0.5", "0.5", 1)


def test_tables_of_means() -> None:
    head = "| | n | M | SD |\n|---|---|---|---|\n"
    rows = "| fair (single item) | 18 | 3.44 | 2.47 |\n| agreed (0 = no, 1 = yes) | 100 | 0.35 | 0.44 |\n"
    grades = [one.grade for one in audit_text(head + rows).further]
    assert grades == ["cannot be", "cannot be"]
    scales = "".join(f"| scale {place} | 18 | 3.4{place} | 2.47 |\n" for place in range(4))
    [note] = [one for one in audit_text(head + scales).further if one.grade != "fits"]
    assert note.grade == "fits only if"
    assert "more rows" in note.why
