"""Printed results over typographies: one that fits is read and never flagged, and one with another digit is flagged."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from negstats.audit import Audit, audit_text
from tests.audit.typographies import SENTENCES, Printing, Typography, meets, printings, typographies

sentences = st.sampled_from(SENTENCES)


def assert_read(audit: Audit, *results: Printing) -> None:
    """Hold what was read against what is printed."""
    read = [
        (one.reported.kind, tuple(map(float, one.reported.df)), float(one.reported.value or "nan"))
        for one in audit.results
    ]
    assert read == [(one.kind, one.df, one.number) for one in results]


@given(st.lists(st.tuples(printings(), sentences), min_size=1, max_size=4), typographies())
def test_what_fits_is_read_and_not_flagged(drawn: list[tuple[Printing, str]], typography: Typography) -> None:
    results = [result for result, _ in drawn]
    assume(all(result.fits for result in results))  # p of many decimals may be rounded off where z is small
    text = "\n\n".join(sentence.format(typography.show(result)) for result, sentence in drawn)
    audit = audit_text(text)
    assert_read(audit, *results)
    assert not any(one.flagged or one.asked or one.verdict == "not checkable" for one in audit.results)
    # The means of one of the sentences are not those of the test that is put into it.
    assert not any(one.flagged for one in audit.further if one.what != "means and t")


@pytest.mark.slow
@given(printings(), typographies(), sentences, st.data())
def test_another_digit_of_p_is_flagged(
    result: Printing, typography: Typography, sentence: str, data: st.DataObject
) -> None:
    assume(result.p_relation == "=" and "e" not in result.p_number)
    place = data.draw(st.integers(2, len(result.p_number) - 1))
    digit = data.draw(st.sampled_from("0123456789"))
    number = result.p_number[:place] + digit + result.p_number[place + 1 :]
    assume(float(number) > 0 and not meets(result.p, "=", number))
    audit = audit_text(sentence.format(typography.show(dataclasses.replace(result, p_number=number))))
    assert_read(audit, result)
    assert audit.results[0].flagged, audit.results[0].why


@pytest.mark.slow
@given(printings(), typographies(), sentences, st.integers(1, 9))
def test_a_turned_decision_is_a_decision_error(
    result: Printing, typography: Typography, sentence: str, tenths: int
) -> None:
    """A p far on the other side of the level is a decision error, in whatever form it is printed."""
    if result.p[0] > 0.2:
        wrong = dataclasses.replace(result, p_relation="<", p_number=f"0.0{tenths % 5 + 1}")
    else:
        assume(result.p[1] < 0.02)
        wrong = dataclasses.replace(result, p_relation="=", p_number=f"0.{tenths}1")
    audit = audit_text(sentence.format(typography.show(wrong)))
    assert_read(audit, result)
    assert audit.results[0].verdict == "decision error", audit.results[0].why
