"""Ratios and estimates with an interval or an SE against p: Wald's by R, methods that differ a bit, and true ones."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from negstats.audit import audit_text
from negstats.audit.beyond_p import Judgement


def judged(text: str) -> list[Judgement]:
    return list(audit_text(f"They differed, {text}.").further)


# R: se <- (log(5.68) - log(1.10)) / (2 * qnorm(.975)); 2 * pnorm(-log(2.5) / se) is .0287; of 0.50 [0.30, 0.83] .0076;
# 2 * pnorm(-.5 / (.4 / qnorm(.975))) is .0143; 2 * pnorm(-log(2.5) / .4) .0220
@pytest.mark.parametrize(
    ("text", "grade", "says"),
    [
        ("OR = 2.50, 95% CI [1.10, 5.68], p = .029", "fits", "0.0278 to 0.0296"),
        ("OR 2.50 (95% CI: 1.10 to 5.68; p = .029)", "fits", ""),
        ("odds ratio of 2.50 (95% CI 1.10-5.68; p = .029)", "fits", ""),
        ("HR = 0.50, 95% CI [0.30, 0.83], p = .008", "fits", ""),
        ("OR = 2.50, 95% CI [1.10, 5.68], p = .020", "fits only if", "two methods"),  # a profile's, say
        ("OR = 2.50, 95% CI [1.10, 5.68], p = .014", "fits only if", "one-tailed"),
        ("OR = 2.50, 95% CI [1.10, 5.68], p = .0001", "differs", "another interval, level or p"),
        ("OR = 2.50, 95% CI [1.10, 5.68], p < .0001", "differs", "another interval, level or p"),
        ("OR = 2.50, 95% CI [1.10, 9.68], p = .0001", "fits", "say the same"),  # not symmetric: nothing is said of p
        ("b = 0.50, 95% CI [0.10, 0.90], p = .014", "fits", ""),
        ("b = 0.50, 95% CI [0.10, 0.90], p = .016", "fits", ""),
        ("b = 0.50, 95% CI [0.10, 0.90], p = .018", "fits only if", "of a t with"),
        ("b = 0.50, 95% CI [0.10, 0.90], p = .0001", "differs", "another interval, level or p"),
        ("M_diff = 0.50, t(30) = 2.55, p = .016, 95% CI [0.10, 0.90]", "fits", ""),
        ("OR = 2.50, SE = 0.40, p = .022", "fits", "if the SE is that of ln OR"),
        ("OR = 2.50, SE = 1.00, p = .022", "fits", "that of OR itself"),  # of the ratio itself
        ("OR = 2.50, SE = 0.40, z = 2.29, p = .022", "fits", "if the SE is that of ln OR"),
        ("OR = 2.50, SE = 0.40, z = 4.00, p < .001", "differs", "another SE"),
        ("OR = 2.50, SE = 0.40, z = 2.60, p = .009", "fits only if", "Wald"),
    ],
)
def test_judgements(text: str, grade: str, says: str) -> None:
    judgements = judged(text)
    assert [one.grade for one in judgements][-1:] == [grade], judgements
    assert says in judgements[-1].why


@pytest.mark.parametrize(
    "text",
    [
        "Holm-corrected OR = 2.50, 95% CI [1.10, 5.68], p (Holm) = .300",
        "OR = 2.50, 95% CI [1.10, 5.68], χ²(3) = 9.30, p = .026",  # the p of several
        "OR = 2.50 and OR = 3.50, 95% CI [1.10, 5.68], p = .0001",  # whose interval?
        "we set OR = 2.50 (95% CI 1.10-5.68). The other had p = .0001",
    ],
)
def test_nothing_is_flagged_without_a_reason(text: str) -> None:
    assert not [one for one in judged(text) if one.flagged]


@given(
    beta=st.floats(-2, 2),
    se=st.floats(0.05, 1.5),
    decimals=st.integers(2, 4),
    ratio=st.booleans(),
    level=st.sampled_from([90, 95, 99]),
)
def test_what_is_of_one_model_is_never_flagged(beta: float, se: float, decimals: int, ratio: bool, level: int) -> None:
    half = float(stats.norm.ppf(0.5 + level / 200)) * se
    p = 2 * float(stats.norm.sf(abs(beta) / se))
    value, low, high = ((math.exp(end) if ratio else end) for end in (beta, beta - half, beta + half))
    name = "OR" if ratio else "b"
    ends = f"{level}% CI [{low:.{decimals}f}, {high:.{decimals}f}]"
    prints = f"p = {p:.4f}" if p > 0.0001 else "p < .0001"
    judgements = judged(f"{name} = {value:.{decimals}f}, {ends}, {prints}")
    assert not [one for one in judgements if one.flagged], judgements
