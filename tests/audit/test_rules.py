"""The rules that an audit goes by: rounding, relations, tails, corrections, and what cannot be."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.audit import Checked, audit_text
from negstats.audit.corrections import tukey_p


def only(text: str, alpha: float = 0.05) -> Checked:
    (result,) = audit_text(text, alpha=alpha).results
    return result


def test_the_interval_is_that_of_the_rounding() -> None:
    checked_result = only("F(2, 577) = 3.09, p = .046")
    assert checked_result.p_low == pytest.approx(stats.f.sf(3.095, 2, 577), rel=1e-10)
    assert checked_result.p_high == pytest.approx(stats.f.sf(3.085, 2, 577), rel=1e-10)
    welch = only("t(6.19) = 3.67, p = .010")
    assert welch.p_low == pytest.approx(2 * stats.t.sf(3.675, 6.195), rel=1e-10)
    assert welch.p_high == pytest.approx(2 * stats.t.sf(3.665, 6.185), rel=1e-10)
    r = only("r = .38, n = 60, p = .003")
    assert r.p_low == pytest.approx(stats.beta(29, 29, loc=-1, scale=2).sf(0.385) * 2, rel=1e-8)


def test_far_tails_are_not_lost() -> None:
    checked_result = only("z = 30.00, p < .001")
    assert 0 < checked_result.p_low < checked_result.p_high < 1e-190
    assert "p = 0" not in checked_result.why


def test_alpha() -> None:
    text = "t(28) = 2.20, p = .008"
    assert only(text).verdict == "inconsistent"
    assert only(text, alpha=0.01).verdict == "decision error"


def test_ranks_of_p_that_no_float_holds() -> None:
    results = ", ".join(f"F(1, 999{n}) = 99999.{n}, p = .0{n}" for n in range(1, 7))
    audit = audit_text(f"All p were corrected by the false discovery rate (Benjamini and Hochberg): {results}.")
    assert [one.p_high for one in audit.results] == [0.0] * 6
    assert all(one.flagged for one in audit.results)


@pytest.mark.slow
@settings(max_examples=25)
@given(st.floats(0.1, 6), st.integers(2, 8), st.floats(3, 1000))
def test_p_of_the_largest_difference_is_that_of_the_studentized_range(t: float, groups: int, df: float) -> None:
    expected = stats.studentized_range.sf(t * math.sqrt(2), groups, df)
    assert tukey_p(t, groups, df) == pytest.approx(expected, rel=1e-5, abs=1e-8)
    if groups == 2:  # one difference
        assert tukey_p(t, groups, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-6)


METHODS = st.sampled_from(["", "Bonferroni-", "Bonferroni ", "Holm-", "Sidak "])
BEHIND_P = st.sampled_from(["", " for three comparisons", " for multiple testing", " after two looks"])


@pytest.mark.slow
@given(METHODS, st.sampled_from(["corrected", "adjusted"]), BEHIND_P, st.sampled_from([", ", " ("]))
def test_words_behind_p_say_that_it_is_corrected(method: str, done: str, behind: str, opening: str) -> None:
    words = f"{opening}{method}{done}{behind}{')' * ('(' in opening)}"
    factor = 1 - (1 - 0.0287) ** 3 if "Sidak" in method else 3 * 0.0287  # R: 2 * pt(-2.27, 40) is .0287
    assert only(f"They differed, t(40) = 2.27, p = {factor:.3f}{words}.").verdict.startswith("consistent")
    assert only(f"They differed, t(40) = 2.27, p = .003{words}.").flagged  # no correction makes p smaller
    assert only(f"They differed, t(40) = 2.27, un{done} p = .086.").flagged
    pair = audit_text(f"They differed, t(40) = 2.27, p = .086 (un{done} p = .029).").results[0]
    assert pair.verdict == "consistent"
