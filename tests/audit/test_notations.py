"""Symbols that people write for the same statistic: read as what they are, and the p that belongs to them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.audit import audit_text
from negstats.audit.words import words_of

STATISTICS = words_of("statistic_patterns")
# R: 2 * pt(-4.4, 23) is .0002; pchisq(7.63, 2, lower = FALSE) .0220; pchisq(4.67, 1, lower = FALSE) .0307;
# pf(4.6, 1, 28, lower = FALSE) .0408; 2 * pnorm(-2.31) .0209; r = .38 with 28 df has t = 2.174 and p = .0383


@pytest.mark.parametrize(
    ("text", "kind", "verdict"),
    [
        ("ts(23) > 4.40, ps < .001", "t", "consistent"),
        ("(t(27) = 0.05, n.s)", "t", "consistent"),
        ("χ²(6) = 0,50; p = 1,10", "chi2", "impossible"),
        ("ts(23) < 1.20, ps < .05", "t", "decision error"),
        ("χ(2, N = 524) = 7.63, p = .022", "chi2", "consistent"),
        ("χ²_F(2) = 7.63, p = .022", "chi2", "consistent"),
        ("F1(1, 28) = 4.60, p = .041", "f", "consistent"),
        ("F_{GG}(1, 28) = 4.60, p = .041", "f", "consistent"),
        ("Q_M(1) = 4.67, p = .031", "q", "consistent"),
        ("Q_b(1) = 4.67, p = .198", "q", "decision error"),
        ("r_pb(28) = .38, p = .038", "r", "consistent"),
        ("Z_{Wilcoxon} = 2.31, p = .021", "z", "consistent"),
        ("Z_PF = 2.31, p = .021", "z", "consistent"),
        ("QBetween(1) = 4.67, p = .031", "q", "consistent"),
        ("Q_T(1) = 4.67, p = .198", "q", "decision error"),
        ("f1,28 = 4.60, p = .041", "f", "consistent"),
        ("F 1,28 = 4.60, p = .041", "f", "consistent"),
        ("T(28) = 2.20, p = .036", "t", "consistent"),  # with two decimals; a sum of ranks has none
        (r"$\chi_1^2 = 4.67$, p = .031", "chi2", "consistent"),
        ("χ₁² = 4.67, p = .031", "chi2", "consistent"),
        ("χ<sub>1</sub><sup>2</sup> = 4.67, p = .031", "chi2", "consistent"),
        ("Chi-Square = 4.67, df = 1, p = .031", "chi2", "consistent"),
        ("*t* _{28} = 2.20, p = .036", "t", "consistent"),
        ("F1;28 = 4,60, P = 0,041", "f", "consistent"),
        ("t(28) = 2,204, NS", "t", "decision error"),  # thousands behind a comma are not a t that is not significant
        ("t(28) = 1,204 (NS)", "t", "consistent"),
        ("t(28) = 2.20, p = 3.6 10-2", "t", "consistent"),
        ("t(28) = 2.20, p = 3.6*10-2", "t", "consistent"),
        ("t(28) = 2,20; p = 3,6 × 10^(-2)", "t", "consistent"),
        ("t 28 = 2.20", "", ""),  # a number behind a letter and a space may be anything
        ("z = 40, p = 4e-350", "z", "not checkable"),  # a float holds no such number
        ("z = 40, P<10^-324", "z", "consistent"),
        ("t(59411) = 64.13, p < 1.0e-300", "t", "consistent"),  # as an audit prints it
        ("z = 2.1, p < 2.31e-310", "z", "inconsistent"),
        ("z = 2.1, p = 1.0e-300", "z", "not checkable"),
        ("V = 120, p = .030", "u", "not checkable"),
        ("τ = .30, p = .010", "tau", "not checkable"),
        ("r_τ = .30, p = .010", "tau", "not checkable"),
        (r"$\tau_b = .30$, p = .010", "tau", "not checkable"),
        ("Kendall's tau-b = .30, p = .010", "tau", "not checkable"),
        ("χ²(1, N = 94) = 4.67, V = .22, p = .031", "chi2", "consistent"),  # Cramér's, the effect size
        ("χ²(1, N = 94) = 4.67, τ = .22, p = .031", "chi2", "consistent"),
    ],
)
def test_notations(text: str, kind: str, verdict: str) -> None:
    results = audit_text(f"They differed, {text}.").results
    assert [(one.reported.kind, one.verdict) for one in results] == [(kind, verdict)] * bool(kind)


# R: 2 * pt(-2.2, 28) is .0362, 2 * pt(-2.2, 27.34) .0365; pf(4.84, 1, 28, lower = FALSE) .0362;
# pchisq(4.84, 1, lower = FALSE) .0278, pchisq(6.2, 2, lower = FALSE) .0450; r = .40 with 28 df has p = .0285
@pytest.mark.parametrize(
    ("text", "kind", "df"),
    [
        ("t 28 = 2.20, P = 0.036", "t", [28.0]),
        ("t = 2.20 (28), p = .036", "t", [28.0]),
        ("p = .036, t = 2.20, df = 28", "t", [28.0]),
        ("F’s(1, 28) > 4.84, p’s < .041", "f", [1.0, 28.0]),
        ("r_partial(28) = .40, p = .029", "r", [28.0]),
        ("t (28 df) = 2.20, p = .036", "t", [28.0]),
        ("t(28 d.f.) = 2.20, p = .036", "t", [28.0]),
        ("t = 2.20, 28 df, p = .036", "t", [28.0]),
        ("t = 2.20, degrees of freedom = 28, p = .036", "t", [28.0]),
        ("t = 2. 20; p = .036; dof = 28", "t", [28.0]),
        ("T = 2.20, df = 28, p = .036", "t", [28.0]),
        ("t(1,28) = 2.20, p = .036", "t", [28.0]),
        ("t(27,34) = 2.20, p = .036", "t", [27.34]),
        ("t’(27.34) = 2.20, p = .036", "t", [27.34]),
        ("F (df 1, 28) = 4.84, p = .036", "f", [1.0, 28.0]),
        ("F′(1, 28) = 4.84, p = .036", "f", [1.0, 28.0]),
        ("ΔF(1, 28) = 4.84, p = .036", "f", [1.0, 28.0]),
        ("F(1, 28) = 4.84, p = 3.6*10^-2", "f", [1.0, 28.0]),
        ("F(1, 28) = 4.84, p = 0. 036", "f", [1.0, 28.0]),
        ("F(1, 28) = 4.84, p.adj = .036", "f", [1.0, 28.0]),
        ("F(1, 28) = 4.84, p unc. = .036", "f", [1.0, 28.0]),
        ("F(1, 28) = 4.84, p2-tailed = .036", "f", [1.0, 28.0]),
        ("χ² = 4.84 (1 df), p = .028", "chi2", [1.0]),
        ("χ = 4.84, df = 1, p = .028", "chi2", [1.0]),
        ("X(1) = 4.84, p = .028", "chi2", [1.0]),
        ("H = 6.20, p = .045, dof = 2", "h", [2.0]),
        ("R(28) = .40, p = .029", "r", [28.0]),
        ("r28 = .40, p = .029", "r", [28.0]),
    ],
)
def test_forms_of_df_and_of_p(text: str, kind: str, df: list[float]) -> None:
    results = audit_text(f"They differed, {text}.").results
    assert [(one.reported.kind, [float(each) for each in one.reported.df], one.verdict) for one in results] == [
        (kind, df, "consistent")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The peak lay at X = 9.04, Y = 3.10, Z = 4.20 of the map, p < .001",
        "R² = .40, p = .029",
        "R2 = .40, p = .029",
        "r2 = .40, p = .029",
        "Exp. 28 = 2.20, p = .036",
        "a factor X = 3, p = .036",
    ],
)
def test_letters_that_are_no_statistics(text: str) -> None:
    assert not [one for one in audit_text(f"{text}.").results if one.reported.kind in ("t", "chi2", "r", "f")]


def test_a_rank_sum_is_no_t() -> None:
    for text in ("T = 45, p = .030", "T = 112.5, p = .030"):
        assert [one.reported.kind for one in audit_text(f"Wilcoxon's {text}.").results] == ["u"]


# R: pf(c(14.51, 8.66, 21.05), 1, 23, lower = FALSE) is .0009, .0073, .0001
@pytest.mark.parametrize("last", ["; and Repetition, p < .001, F(1, 23) = 21.05", ", and p < .001, F(1, 23) = 21.05"])
def test_each_p_leads_its_own_statistic(last: str) -> None:
    text = f"All did: Familiarity, p = .001, F(1, 23) = 14.51; Category, p = .007, F(1, 23) = 8.66{last}, each."
    results = audit_text(text).results
    assert [one.verdict for one in results] == ["consistent"] * 3
    assert [str(one.reported.p) for one in results] == ["0.001", "0.007", "0.001"]


def test_what_cannot_be_checked_says_what_is_missing() -> None:
    kendall, wilcoxon = audit_text("Kendall's τ = .30, p = .010. Wilcoxon's V = 120, p = .030.").results
    assert "Kendall's τ needs n and ties" in kendall.why
    assert "rank sum" in wilcoxon.why


def test_a_p_that_belongs_to_a_number_leads_nothing() -> None:
    text = "There b = 0.30, p = .500, t(28) = 2.20, p = .036, F(1, 28) = 4.60, p = .041, each."
    tests = [one for one in audit_text(text).results if one.reported.kind != "p"]
    assert [str(one.reported.p) for one in tests] == ["0.036", "0.041"]


@pytest.mark.nightly
@settings(max_examples=400)
@given(st.one_of(*[st.from_regex(rf"\A(?:{form.pattern})") for form in STATISTICS.group("symbols").values()]))
def test_symbols_begin_with_a_letter_that_is_looked_for(text: str) -> None:
    assert text[0] in STATISTICS.text("first")


# R: 2 * pt(-2.2, 28) is .0362; pf(4.84, 1, 28, lower = FALSE) .0362; 2 * pnorm(-2.1) .0357; pchisq(4.4, 1, lower =
# FALSE) .0359; r = .38 with 28 df has p = .0383; those that print no df or a rank sum cannot be checked
@pytest.mark.parametrize(
    ("text", "kind", "df", "verdict"),
    [
        ("t(28): 2.20, p: .036", "t", [28.0], "consistent"),
        ("t was 2.20, df = 28, p = .036", "t", [28.0], "consistent"),
        ("a t-value of 2.20 (df = 28), p = .036", "t", [28.0], "consistent"),
        ("t (28) equals 2.20, p = .036", "t", [28.0], "consistent"),
        ("t Stat(28) = 2.20, p = .036", "t", [28.0], "consistent"),
        ("t_obs(28) = 2.20, p = .036", "t", [28.0], "consistent"),
        ("t' = 2.20, df = 28, p = .036", "t", [28.0], "consistent"),
        ("t(28) ~ 2.20, p = .036", "t", [28.0], "consistent"),
        ("t (28) -2.20, p = .063", "t", [28.0], "decision error"),
        ("a z-score of -2.10 (p = .036)", "z", [], "consistent"),
        ("z is 2.10, p = .36", "z", [], "decision error"),
        ("F (1, 28) 4.84, p = .036", "f", [1.0, 28.0], "consistent"),
        ("F = 4.84, df = 1/28, p = .036", "f", [1.0, 28.0], "consistent"),
        ("F = 4.84, df = (1, 28), p = .036", "f", [1.0, 28.0], "consistent"),
        ("F = 4.84 (1, 28), p = .036", "f", [1.0, 28.0], "consistent"),
        ("F1/28 = 4.84, p = .036", "f", [1.0, 28.0], "consistent"),
        ("F(1.28) = 4.84, p = .036", "f", [1.0, 28.0], "consistent"),
        ("F change = 4.84, df = 1, 28, p = .036", "f", [1.0, 28.0], "consistent"),
        ("r(28) .38, p = .038", "r", [28.0], "consistent"),
        ("R = .40, p < .001", "r", [], "not checkable"),
        ("R = .40, p < .001, N = 30", "r", [], "not checkable"),  # of several predictors, perhaps
        ("χ²: 4.40, df: 1, p: .036", "chi2", [1.0], "consistent"),
        ("a chi-squared value of 4.40 (df = 1, p = .036)", "chi2", [1.0], "consistent"),
        ("χ² difference(1) = 4.40, p = .036", "chi2", [1.0], "consistent"),
        ("x2 = 4.40, df = 1, p = .036", "chi2", [1.0], "consistent"),
        ("U(15, 17) = 34, p = .036", "u", [], "not checkable"),
        ("τb = .38, p = .036", "tau", [], "not checkable"),
        ("t(28) = 2.20, with a p of .036", "t", [28.0], "consistent"),
        ("t(28) = 2.20, with a p-value of .36", "t", [28.0], "decision error"),
        ("t(28) = 2.20, p value .036", "t", [28.0], "consistent"),
        ("t(28) = 2.20, p was .36", "t", [28.0], "decision error"),
        ("t(28) = 2.20, Sig. (2-tailed) = .036", "t", [28.0], "consistent"),
        ("t(28) = 2.20, sig. .36", "t", [28.0], "not checkable"),  # a sign may be lost
        ("t(28) = 2.20, probability = .036", "t", [28.0], "consistent"),
        ("χ²(1) = 4.40, Prob > chi2 = 0.036", "chi2", [1.0], "consistent"),
        ("t(28) = 2.20, NS", "t", [28.0], "decision error"),
        ("t(28)=2.20p=.036", "t", [28.0], "consistent"),
    ],
)
def test_words_and_colons_for_signs(text: str, kind: str, df: list[float], verdict: str) -> None:
    (number,) = audit_text(f"They differed, {text}.").results
    reported = number.reported
    assert (reported.kind, [float(value) for value in reported.df], number.verdict) == (kind, df, verdict)


@pytest.mark.parametrize(
    "text",
    [
        "The plan of t was 2.5 years, and nothing was tested.",
        "Vitamin Z is 2.5 times as good; many like it, and some say so when asked (p = .03).",
        "The score of F is 4.5 of 5 on each of the many items that were named above (r = .3).",
        "NS 5 was a station. Sig. Rossi said so.",
        "The significance level = .05 of both tests.",
    ],
)
def test_words_that_are_no_results(text: str) -> None:
    assert [one for one in audit_text(text).results if one.reported.kind != "p"] == []


def test_a_range_in_place_of_df_is_no_statistic() -> None:
    assert len(audit_text("See χ² (27-29, 73) = 4.1, p = .04, and t(28) = 2.20, p = .036.").results) == 2
