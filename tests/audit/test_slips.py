"""The slip behind numbers that do not fit: the edit is named, and in planted ones it is among the first two."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.audit import audit_text
from negstats.audit.beyond_p.slips import edit_digits
from negstats.printed_numbers import printed
from tests.audit.planted_slips import tally

LEAST = 150  # of 200


@pytest.mark.slow
def test_planted_slips_are_among_the_first_two_that_are_named() -> None:
    all_slips, named, missed = tally()
    print(*(f"{kind}: {named[kind]} of {count}" for kind, count in all_slips.items()), sep="\n")
    assert all_slips.total() == 200
    assert named.total() >= LEAST, [slip.text for slip in missed]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        # R: pf(1.81, 9, 424, lower = FALSE) is .0644
        ("F(2.26, 106.59) = 1.81, p = .064", "df 9 and 424, before their correction, would give it"),
        ("F(1, 28) = 2.20, p = .036", "t(28) = 2.20 in place of F would give it"),  # R: 2 * pt(-2.2, 28)
        ("t(28) = 4.84, p = .036", "F(1, 28) = 4.84 in place of t would give it"),
        ("t(28) = 2.20, p > .05", "p < .05 would be right"),
        ("t(28) = 2.20, p < .001", "p < .05 would be right"),
        ("t(28) = 2.20, p = .036, and t(41) = 2.20, p = .036", ""),
    ],
)
def test_the_slip_is_named(text: str, named: str) -> None:
    first = audit_text(f"They differed, {text}.").results[0]
    assert named in first.why
    assert bool(named) == bool(first.slips)


def test_one_df_for_all_tests_of_a_paper() -> None:
    # R: 5.4 / (5.4 + 19), 5.7 / (5.7 + 19) and 7.6 / (7.6 + 19) are .221, .231 and .286
    tests = [
        "F(1, 20) = 5.4, p = .031, ηp² = .22",
        "F(1, 20) = 5.7, p = .028, ηp² = .23",
        "F(1, 20) = 7.6, p = .013, ηp² = .29",
    ]
    judgements = [one for one in audit_text("So, " + "; ".join(tests) + ".").further if one.flagged]
    assert len(judgements) == 3
    assert all("; df 19 would give it" in one.why for one in judgements)


# R: (30.82 - 12.08) / sqrt((7.39^2 + 6.42^2) / 12) is 6.63, the t of two groups of 12
@pytest.mark.parametrize(
    ("cells", "named"),
    [
        ("(M = 30.82, SD = 7.39) than (M = 120.8, SD = 6.42)", "the second M = 12.08 with its point moved"),
        ("(M = 30.82, SD = 73.9) than (M = 12.08, SD = 6.42)", "the first SD = 7.39 with its point moved"),
    ],
)
def test_a_slip_of_a_mean_or_sd_is_named(cells: str, named: str) -> None:
    (judgement,) = audit_text(f"They gave more {cells}, t(22) = 6.63, p < .001.").further
    assert judgement.flagged
    assert named in judgement.why


@given(st.decimals(0, 999, places=2), st.integers(0, 3))
def test_an_edit_is_another_number(number: object, decimals: int) -> None:
    value = printed(f"{float(str(number)):.{decimals}f}")
    edits = [edit.text for edit in edit_digits(value)]
    assert len(edits) == len(set(edits))
    assert all(float(edit) != float(value) for edit in edits)
