"""Effect sizes and estimates with their intervals, against the numbers printed with them."""

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


# 4.6 / (4.6 + 28) = .1411; ω² = 3.6 / (3.6 + 30) = .1071; 9.18 / (9.18 + 56) = .1408
# 2 × 2.2 / √30 = .8033, 2.2 / √29 = .4085; √(2.2² / (2.2² + 28)) = .3839; R: qt(.975, 28) is 2.048
@pytest.mark.parametrize(
    ("text", "grade", "says"),
    [
        ("F(1, 28) = 4.60, p = .041, ηp² = .14", "fits", ""),
        ("F(1, 28) = 4.60, p = .041, $\\eta_p^2 = .14$", "fits", ""),
        ("F(2, 56) = 4.59, p = .014, partial η² = .141", "fits", ""),
        ("F (2, 56) = 4.59, η2 p = .141, p = .014", "fits", ""),  # as a PDF of LaTeX says it
        ("F (2, 56) = 4.59, p = .014, η2 p = 0.25", "differs", "F = 9.33 would give it"),
        ("F(1, 28) = 4.60, p = .041, ηp² = .25", "differs", "F = 9.33 would give it"),
        ("F(1, 28) = 4.60, p = .041, ηp² = .11", "fits only if", "ω²"),
        ("F(1, 28) = 4.60, p = .041, η² = .08", "cannot be checked", "sums of squares"),
        ("F(1, 28) = 4.60, p = .041, ηp² = 1.4", "cannot be", "between 0 and 1"),
        ("F(1, 28) = 4.60, p = .041, ω² = .11", "fits", ""),
        ("F(1, 28) = 4.60, p = .041, ω² = .30", "differs", "smaller than partial"),
        ("F(2, 55.97) = 5.73, p = .005, ω² = .10", "cannot be checked", "df are corrected"),
        ("t(28) = 2.20, p = .036, d = 0.80", "fits", "two groups of 15"),
        ("t(28) = 2.20, p = .036, d_z = 0.41", "fits", "29 people"),
        ("t(28) = 2.20, p = .036, g = 0.78", "fits", "two groups of 15"),
        ("t(28) = 2.20, p = .036, d = 0.90", "fits only if", "about 8 and 22"),
        ("t(28) = 2.20, p = .036, d = 0.20", "fits only if", "the same people"),
        ("t(28) = 2.20, p = .036, d = 8.00", "differs", "t = 21.91"),
        ("F(1, 28) = 4.84, p = .036, d = 0.80", "fits", "two groups of 15"),
        ("t(27.3) = 2.20, p = .036, d = 0.80", "cannot be checked", "corrected"),
        ("t(28) = 2.20, p = .036, r = .38", "fits", ""),
        ("t(28) = 2.20, p = .036, r = .60", "fits only if", "t = 3.97"),
        ("b = 0.50, SE = 0.25, t(28) = 2.00, p = .055", "fits", ""),
        ("b = 0.50, SE = 0.05, t(28) = 2.00, p = .055", "differs", "or SE = .25 with another digit"),
        ("b = −0.50, SE = 0.25, t(28) = 2.00, p = .055", "differs", "sign"),
        ("β = 0.50, SE = 0.05, t(28) = 2.00, p = .055", "cannot be checked", "unstandardised"),
        ("b = 0.50, SE = 0.25, z = 2.00, p = .046", "fits", ""),
        ("b = 0.50, SE = 0.25, p = .046", "fits", ""),
        ("b = 0.500, SE = 0.250, p = .055", "fits only if", "df"),
        ("b = 0.500, SE = 0.250, p = .023", "fits only if", "one-tailed"),
        ("b = 0.500, SE = 0.250, p = .001", "differs", "another b or SE"),
        ("b = 0.200, SE = 0.250, p = .001", "changes the conclusion", "another b or SE"),
        ("OR = 2.50, 95% CI [1.10, 5.68], p = .029", "fits", ""),
        ("OR = 2.50, 95% CI [0.80, 5.68], p = .001", "changes the conclusion", "holds 1"),
        ("OR = 2.50, 95% CI [0.98, 5.68], p = .045", "fits only if", "another way"),
        ("HR = 0.50, 95% CI [0.30, 0.80], p = .400", "changes the conclusion", "leaves out 1"),
        ("t(28) = 2.20, p = .036, M_diff = 1.10, 95% CI [0.08, 2.12]", "fits", ""),
        ("t(28) = 2.20, p = .036, M_diff = 1.10, 95% CI [2.12, 0.08]", "cannot be", "turned"),
        ("t(28) = 2.20, p = .036, M_diff = 1.10, 95% CI [3.12, 4.08]", "differs", "another estimate"),
        ("t(28) = 2.20, p = .036, M_diff = 1.10, 95% CI [-2.12, -0.08]", "fits only if", "turned round"),
        ("40 of 160 people (25%) left", "fits", ""),
        ("40/160 (26%) left", "differs", "40 of 155 or 156"),
        ("25% (40 of 160) left", "fits", ""),
        ("40 (25%) of the 160 left", "fits", ""),
        ("40 people (26%) of 160 left", "differs", "40 of 155 or 156"),
        ("12 of 70 people (17.1%) left", "fits", ""),
        ("13 of 70 people (18.5%) left", "fits only if", "cut off"),
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
)  # fmt: skip
def test_judgements(text: str, grade: str, says: str) -> None:
    judgements = judged(text)
    assert [one.grade for one in judgements][-1:] == [grade], judgements
    assert says in judgements[-1].why


def test_words_of_an_effect_size() -> None:
    (one,) = judged("F(1, 163) = 5.94, p = .016, d = 0.37")
    assert one.grade == "fits only if"
    assert one.why.startswith("d = 0.37 is printed, and F(1, 163) = 5.94 corresponds to d = 0.38 if the two groups")


def test_points_on_a_scale_are_no_answers() -> None:
    text = "Sellers earned more points on a scale from 0 to 100 (M = 37.27, SD = 12.31, n = 33) than buyers did."
    assert audit_text(text).further == ()


@pytest.mark.parametrize(
    "text",
    [
        "F(1, 28) = 4.60, p = .041",
        "F(1, 28) = 4.60, p = .041, η² = .14, and F(1, 28) = 4.60, p = .041",
        "b = 0.50 and SE = 0.05. Then, t(28) = 2.00, p = .055",  # another sentence's
        "F(1, 28) = 4.60, p = .041, whereas b = 0.90, SE = 0.10, t(28) = 9.00, p < .001",
        "t(28) = 2.20, p = .036, d = 0.80, whereas OR = 2.50, 95% CI [0.80, 7.81], p = .116",
        "12 of 48 games lasted (95% CI 1 to 2)",
        "most voxels of BA 8/9 (75%) and Brodmann area 9/10 (56%) rose",
        "F(2, 28) = 4.60, p = .019, d = 0.80, 95% CI [-0.2, 0.9]",
        "Holm-corrected OR = 2.50, 95% CI [1.10, 5.68], p (Holm) = .300",
        "OR = 2.50, 95% CI [1.10, 5.68], χ²(3) = 9.30, p = .026",  # the p of several
        "OR = 2.50 and OR = 3.50, 95% CI [1.10, 5.68], p = .0001",  # whose interval?
        "we set OR = 2.50 (95% CI 1.10-5.68). The other had p = .0001",
    ],
)
def test_nothing_is_flagged_without_a_reason(text: str) -> None:
    assert not [one for one in judged(text) if one.flagged]


@pytest.mark.parametrize(
    ("ends", "grade", "says"),
    [
        ("[0.076, 2.124]", "fits", "2.05 SE"),
        ("[0.120, 2.080]", "fits", ""),  # by z
        ("[0.249, 1.951]", "fits only if", "90 %"),
        ("[0.010, 2.500]", "fits only if", "not symmetric"),
        ("[0.900, 1.300]", "differs", "another SE"),
    ],
)
def test_an_interval_of_b_is_its_se_times_the_critical_t(ends: str, grade: str, says: str) -> None:
    judgements = judged(f"b = 1.100, SE = 0.500, t(28) = 2.20, p = .036, 95% CI {ends}")
    (width,) = [one for one in judgements if one.what == "the interval of b and SE"]
    assert width.grade == grade
    assert says in width.why


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


@pytest.mark.parametrize(
    "text",
    ["t(0) = 2.10, p = .040, d = 0.50", "F(1, 0) = 0.00, p = .500, η² = .10", "t(0) = 0.00, p = .500, r = .30"],
)
def test_no_df_gives_nothing(text: str) -> None:
    (result,) = audit_text(f"They differed, {text}.").results
    assert result.verdict == "impossible"
    assert judged(text) == []


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
