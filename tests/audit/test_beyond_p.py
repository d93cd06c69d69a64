"""Effect sizes and estimates with their intervals, against the numbers printed with them."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from negstats.audit import audit_text
from negstats.audit.beyond_p import Judgement


def judged(text: str) -> list[Judgement]:
    return list(audit_text(f"They differed, {text}.").further)


@given(
    t=st.floats(0.1, 9), n=st.integers(4, 400), decimals=st.integers(2, 3)
)  # what is computed from one data set fits, whatever it is rounded to
def test_true_numbers_are_never_flagged(t: float, n: int, decimals: int) -> None:
    df, size = 2 * n - 2, 2 * t / math.sqrt(2 * n)
    f, r = t * t, t / math.sqrt(t * t + df)
    eta = f / (f + df)
    text = f"t({df}) = {t:.2f}, p < .9, d = {size:.{decimals}f}, r = {r:.{decimals}f}. "
    text += f"F(1, {df}) = {f:.2f}, p < .9, ηp² = {eta:.{decimals}f}. "
    text += f"b = {t * 3:.3f}, SE = 3.000, t({df}) = {t:.3f}, p < .9."
    further = audit_text(text).further
    assert len(further) == 4
    assert {one.grade for one in further} == {"fits"}, further


# R: se <- (log(5.68) - log(1.10)) / (2 * qnorm(.975)); 2 * pnorm(-log(2.5) / se) is .0287; of 0.50 [0.30, 0.83] .0076;
# 2 * pnorm(-.5 / (.4 / qnorm(.975))) is .0143; 2 * pnorm(-log(2.5) / .4) .0220
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
