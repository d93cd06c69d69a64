"""The slip behind numbers that do not fit: in planted ones the edit is among the first two that are named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.audit import audit_text
from negstats.audit.beyond_p.digits import edit_digits
from negstats.printed_numbers import printed
from tests.audit.planted_slips import tally

LEAST = 150  # of 200


@pytest.mark.slow
def test_planted_slips_are_among_the_first_two_that_are_named() -> None:
    all_slips, named, missed = tally()
    print(*(f"{kind}: {named[kind]} of {count}" for kind, count in all_slips.items()), sep="\n")
    assert all_slips.total() == 200
    assert named.total() >= LEAST, [slip.text for slip in missed]


@given(st.decimals(0, 999, places=2), st.integers(0, 3))
def test_an_edit_is_another_number(number: object, decimals: int) -> None:
    value = printed(f"{float(str(number)):.{decimals}f}")
    edits = [edit.text for edit in edit_digits(value)]
    assert len(edits) == len(set(edits))
    assert all(float(edit) != float(value) for edit in edits)


# R: 2 * pt(-1.30 / 1.12 * qt(.975, 58), 58) is .0237; z of log OR 1.80 in [1.05, 3.10] 2.137, its p .0326;
# 2 * pt(-3.4, 58) is .0012, pchisq(9.1, 1, lower = FALSE) .0026
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("trust, t(58) = 3.40, p = .024, and liking, M_diff = 0.65, 95% CI [0.09, 1.21]", "[0.09, 1.21]"),
        ("trust, χ²(1) = 9.10, p = .033, and leaving, OR = 1.80, 95% CI [1.05, 3.10]", "[1.05, 3.10]"),
        ("trust, t(58) = 3.40, p = .124, and liking, M_diff = 0.65, 95% CI [0.09, 1.21]", ""),
        ("trust, t(58) = 3.40, p = .02, and liking, M_diff = 0.65, 95% CI [0.09, 1.21]", ""),  # chance might do it
    ],
)
def test_the_p_of_the_interval_of_another_estimate(text: str, why: str) -> None:
    (value,) = (one for one in audit_text(f"They differed in {text}.").results if one.reported.kind != "p")
    assert value.flagged
    assert value.why.partition("; it would be that of the interval ")[2] == why
