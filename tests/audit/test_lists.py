"""Results in a list that share their letter and df: each is a result, and one edit may mend them all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from negstats.audit import Audit, audit_text


def audited(text: str) -> Audit:
    return audit_text(f"They differed, {text}.")


# R: 5.4 / (5.4 + 20) is .213 and 5.4 / (5.4 + 19) is .221; 5.7: .222 and .231; 7.6: .275 and .286
@pytest.mark.parametrize(
    "text",
    [
        "F(1, 20) = 5.4, 5.7, 7.6 with η² .22, .23, .29",
        "F(1, 20) = 5.4, 5.7, and 7.6, ηp² = .22, .23, and .29, respectively",
        "Fs(1, 20) = 5.4, 5.7 and 7.6, all ps < .05, η²s of .22, .23 and .29",
        "$F(1, 20) = 5.4, 5.7, 7.6$ (all p < .05; $\\eta_p^2$ = .22, .23, .29)",
    ],
)
def test_one_df_for_all_of_a_list(text: str) -> None:
    audit = audited(text)
    assert [float(one.reported.statistic) for one in audit.results] == [5.4, 5.7, 7.6]
    assert not audit.flagged
    assert [one.grade for one in audit.further] == ["differs"] * 3
    assert all("; df 19 would give it" in one.why for one in audit.further)


# R: 2 * pt(-c(2.20, 2.51, 3.02, 1.02), 28) is .036, .018, .005, .316
@pytest.mark.parametrize(
    ("text", "verdicts"),
    [
        ("ts(28) = 2.20, 2.51, and 3.02, ps = .036, .018, and .005", ["consistent"] * 3),
        ("ts(28) = 2.20, 2.51 and 1.02, all ps < .05", ["consistent", "consistent", "decision error"]),
        ("t(28) = –2.20, –2.51; ps = .036, < .001", ["consistent", "inconsistent"]),
        ("t(28) = 2.20, 2.51 (ps < .05)", ["consistent"] * 2),
        ("t(28) = 2.20, 2.51, d = 0.80, 0.92", ["not checkable"] * 2),
        ("t(28) = 2.20, 0.45, p = .036", ["consistent"]),  # nothing says that these are two results
        ("F(1, 28) = 4.60, 5.70, p < .05, η² = .14", ["consistent"]),
        ("F(1, 28) = 4.60, 5.70, 3.10 with η² .14, .15", []),
    ],
)
def test_what_is_read_as_a_list(text: str, verdicts: list[str]) -> None:
    assert [one.verdict for one in audited(text).results] == verdicts


@given(
    df=st.integers(5, 200), values=st.lists(st.decimals("0.10", "4.00", places=2), min_size=2, max_size=6, unique=True)
)
def test_a_list_of_right_results_is_as_many_right_results(df: int, values: list[object]) -> None:
    ps = [f"{2 * stats.t.sf(float(str(value)), df):.4f}".removeprefix("0") for value in values]
    audit = audited(f"t({df}) = {', '.join(map(str, values))}, ps = {', '.join(ps)}")
    assert [str(one.reported.value) for one in audit.results] == [str(value) for value in values]
    assert {one.verdict for one in audit.results} == {"consistent"}
