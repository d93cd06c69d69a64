"""What a document says of corrections and tails: where it explains a p, where it does not, and that it is quoted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.audit import audit_text
from negstats.audit.context import context, find_stems
from negstats.audit.words import words_of

FACTS = words_of("context")
# R: 2 * pt(-2.20, 28) is .0362, so 3 times it is .109; 2 * pt(-1.74, 32) is .0915, half of it .0457
THRICE = "They differed, t(28) = 2.20, p = .109."


def test_statements_come_with_their_sentence() -> None:
    statements = context(
        "One. We used Holm's procedure for the tests. Two.\nReferences\nHolm, S. (1979). Tests."
    ).statements
    assert [statement.text for statement in statements] == ["We used Holm's procedure for the tests."]


@pytest.mark.slow
def test_time_with_many_statements_and_results() -> None:
    text = ("We used Holm tests. All tests are one-tailed. " + THRICE) * 2000
    assert len(audit_text(text)) == 2000


@pytest.mark.slow
@settings(max_examples=150)
@given(st.one_of(st.from_regex(FACTS.correction), st.from_regex(FACTS.one_tail)))
def test_what_makes_a_statement_holds_a_stem(text: str) -> None:
    assert find_stems(text)


@pytest.mark.parametrize("said", ["ſingle-ſıded", "SİNGLE tailed", "ſİDÁK", "ŠIDAK", "Bonferronİ"])
def test_stems_of_letters_that_are_alike(said: str) -> None:
    assert FACTS.correction.search(said) or FACTS.one_tail.search(said)
    assert find_stems(said)
