"""The page "Which test?": its five questions lead where the package goes, and R gives what it is said to give."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from docs.pages import chooser, r_calls
from negstats.analysis.rules import LEADING, RULES, choose_rule
from negstats.errors import DesignError
from tests.analysis.methods.designs import BY_ROW
from tests.report.page.browser import Browser

ROWS = r_calls.kept()


@pytest.mark.slow
@pytest.mark.parametrize("row", sorted(ROWS))
def test_a_sentence_is_what_is_answered_and_r_has_the_same_p(row: int) -> None:
    case = BY_ROW[row]
    assert ROWS[row] | r_calls.report_of(case) == ROWS[row], "python -m docs.pages.r_calls"
    call = r_calls.calls().get(row)
    if call is None or "p" not in call:
        assert call is None or call["apart"]
        return
    assert r_calls.our_p(r_calls.answered(case), call.get("test", "")) == pytest.approx(ROWS[row]["p"], rel=1e-5)


def test_every_row_that_makes_a_test_has_its_sentence() -> None:
    assert {rule.row for rule in RULES if rule.test} <= set(ROWS)
    assert set(r_calls.calls()) <= set(ROWS)


PLACES = list(product(*(range(len(answers)) for _, _, answers in chooser.QUESTIONS)))


def _row(places: tuple[int, ...]) -> list[int]:
    try:
        choice = choose_rule(chooser.features_of(places))
    except DesignError:
        return []
    return [rule.row for rule in (*choice.through, choice.rule)]


@pytest.mark.slow
def test_the_questions_reach_every_row_by_some_answer() -> None:
    reached = {row for places in PLACES for row in _row(places)}
    rows = {rule.row for rule in RULES}
    assert rows == reached - {rule.row for rule in LEADING}


@pytest.mark.site
@pytest.mark.browser
def test_the_page_leads_where_the_package_goes(site: Path, chromium: Browser) -> None:
    chromium.visit((site / "which-test" / "index.html").as_uri())
    script = (
        "return arguments[0].map((places) => { const { rule, leading } = choose(places);"
        " return rule === null ? [] : [...leading, rule].map((card) => card.row); })"
    )
    assert chromium.run(script, [list(places) for places in PLACES]) == [_row(places) for places in PLACES]


@pytest.mark.site
@pytest.mark.browser
def test_an_answer_changes_the_card_by_keyboard(site: Path, chromium: Browser) -> None:
    chromium.visit((site / "which-test" / "index.html").as_uri())
    card = "return document.getElementById('test-card').innerText"
    assert "welch" in chromium.run(card)
    assert "t.test(value ~ condition, data = d)" in chromium.run(card)
    chromium.run(
        "const shape = document.getElementById('question-shape'); shape.value = '3';"
        "shape.dispatchEvent(new Event('change', { bubbles: true }))"
    )
    assert "paired" in chromium.run(card)
    assert "Each unit was in both conditions" in chromium.run(card)
