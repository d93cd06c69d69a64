"""Results in the forms that people write: letters, df, signs, corrections, words, lists, maps; and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.audit import Audit, Checked, audit_text
from negstats.audit.words import words_of
from negstats.printed_numbers import printed

STATISTICS = words_of("statistic_patterns")
# R: 2 * pt(-4.4, 23) is .0002; pchisq(7.63, 2, lower = FALSE) .0220; pchisq(4.67, 1, lower = FALSE) .0307;
# pf(4.6, 1, 28, lower = FALSE) .0408; 2 * pnorm(-2.31) .0209; r = .38 with 28 df has t = 2.174 and p = .0383


@pytest.mark.nightly
@settings(max_examples=400)
@given(st.one_of(*[st.from_regex(rf"\A(?:{form.pattern})") for form in STATISTICS.group("symbols").values()]))
def test_symbols_begin_with_a_letter_that_is_looked_for(text: str) -> None:
    assert text[0] in STATISTICS.text("first")


def audited(text: str) -> Audit:
    return audit_text(f"They differed, {text}.")


@given(
    df=st.integers(5, 200), values=st.lists(st.decimals("0.10", "4.00", places=2), min_size=2, max_size=6, unique=True)
)
def test_a_list_of_right_results_is_as_many_right_results(df: int, values: list[object]) -> None:
    ps = [f"{2 * stats.t.sf(float(str(value)), df):.4f}".removeprefix("0") for value in values]
    audit = audited(f"t({df}) = {', '.join(map(str, values))}, ps = {', '.join(ps)}")
    assert [str(one.reported.value) for one in audit.results] == [str(value) for value in values]
    assert {one.verdict for one in audit.results} == {"consistent"}


def only(text: str) -> Checked:
    (result,) = audit_text(text).results
    return result


def test_comments_keep_the_lines() -> None:
    checked_result = only("\\documentclass{article}\n% one\n  % two\nSo, 5\\% of them, $t(28) = 2.20$,\n$p = .036$.")
    assert checked_result.reported.place == 4


def test_an_exact_edge_is_the_same_for_papers_and_audit() -> None:
    assert printed("59.1").agrees(59.05)
    assert (printed("1e5").low, printed("1e5").high) == (50_000, 150_000)
