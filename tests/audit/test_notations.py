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


@pytest.mark.parametrize(
    ("text", "kind", "verdict"),
    [
        ("(t(27) = 0.05, n.s)", "t", "consistent"),
        ("χ²(6) = 0,50; p = 1,10", "chi2", "impossible"),
        ("ts(23) < 1.20, ps < .05", "t", "decision error"),
        ("χ²_F(2) = 7.63, p = .022", "chi2", "consistent"),
        ("F1(1, 28) = 4.60, p = .041", "f", "consistent"),
        ("F_{GG}(1, 28) = 4.60, p = .041", "f", "consistent"),
        ("Q_M(1) = 4.67, p = .031", "q", "consistent"),
        ("Q_b(1) = 4.67, p = .198", "q", "decision error"),
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
        ("ts(23) > 4.40, ps < .001", "t", [23]),
        ("Fs(1, 38) < 1, ps > .32", "f", [1, 38]),
        ("f(1, 38) = 4.41, p = .042", "f", [1, 38]),
        ("F1(1, 28) = 4.84, p = .036", "f", [1, 28]),
        ("$F_2(1, 28) = 4.84$, $p = .036$", "f", [1, 28]),
        ("F_GG(1.29, 3.87) = 21.00, p = .010", "f", [1.29, 3.87]),
        ("x2(1) = 3.84, p = .050", "chi2", [1]),
        ("c 2 (2) = 7.63, p = .022", "chi2", [2]),
        ("χ(2, N = 524) = 7.63, p = .022", "chi2", [2]),
        ("Q_M(1) = 3.84, p = .050", "q", [1]),
        ("$Q_{b}(1) = 3.84$, $p = .050$", "q", [1]),
        ("r_pb(28) = .38, p = .038", "r", [28]),
        ("t(28) = 2.20, p ˂ .05", "t", [28]),
        ("F (1–28) = 4.84, P = .036", "f", [1, 28]),
        ("F change (1, 28) = 4.84, p = .036", "f", [1, 28]),
        ("F-change(1,28) = 4.84, p = .036", "f", [1, 28]),
        ("t(28) = 3.80, p = < .001", "t", [28]),
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


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (
            "Images were thresholded using clusters determined by Z > 2.3 and a cluster threshold of P = 0.05.",
            "not checkable",
        ),
        ("There was a cluster in the insula (peak at 32, 34, -10; Z = 3.43, p = .0003).", "consistent"),  # one tail
        ("There was a cluster in the insula (peak at 32, 34, -10; Z = 3.43, p = .03 FWE).", "not checkable"),
        ("The left putamen was more active (MNI 12, 8, 4; z = 2.33, p = .01).", "consistent"),
        (
            "The left putamen was more active (z = 2.33, p = .01).",
            "consistent if one-tailed",
        ),  # its mean, for all we know
        ("The left putamen was more active (z = 2.33, p = .04).", "not checkable"),
        ("They differed, z = 2.33, p = .01.", "consistent if one-tailed"),
        ("It was larger in ROIs of the left amygdala, t(28) = 2.20, p = .360.", "decision error"),  # a test of a mean
    ],
)
def test_maps(text: str, verdict: str) -> None:
    assert [one.verdict for one in audit_text(text).results if one.reported.kind != "p"] == [verdict]


@pytest.mark.parametrize(
    ("words", "of_map"),
    [
        *((words, True) for words in ("The peak voxel rose", "It rose in 45 voxels", "Voxels of the amygdala rose")),
        *((words, True) for words in ("At the voxel level it rose", "It rose in a cluster of more than 40 voxels")),
        *((words, False) for words in ("The number of active voxels rose", "Betas extracted from its voxels rose")),
        *(
            (words, False)
            for words in ("The mean of all voxels rose", "Averaged across voxels it rose", "Voxel sizes rose")
        ),
    ],
)
def test_one_number_of_many_voxels_is_no_map(words: str, of_map: bool) -> None:
    # R: 2 * pt(-3.45, 21) is .0024, of one tail .0012
    verdict = "consistent" if of_map else "consistent if one-tailed"
    assert audit_text(f"{words}, t(21) = 3.45, p = .001.").results[0].verdict == verdict


@pytest.mark.parametrize(
    "place", ["x = 2, y = 34, z = -10", "x,y,z = 14,12,-2", "x=0; y=46; z=-2", "(x = 4, y = 60 and z = −4)"]
)
def test_a_place_in_a_brain_is_no_statistic(place: str) -> None:
    assert all(one.reported.kind == "p" for one in audit_text(f"It was there ({place}, p = .002).").results)


@pytest.mark.parametrize("p", ["p = 1 4 10 7", "p < 10", "p = 1.71×10 ", "p < 0001", "p = 696", "P < 10 ;"])
def test_what_has_lost_its_exponent_or_point_cannot_be_checked(p: str) -> None:
    assert [one.verdict for one in audit_text(f"They differed, t(18) = 6.95, {p}, so.").results] == ["not checkable"]


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (
            "They differed, z = 2.10, p = .030 (Wilcoxon signed-rank test).",
            "not checkable",
        ),  # .036; exact for few people
        ("They differed, z = 2.10, p = .300 (Wilcoxon signed-rank test).", "decision error"),
        # R: 2 * pnorm(-1.307) is .191; of W = 70 of 20 values psignrank gives .202, and pnorm less half a step .198
        ("They differed, z = 1.307, p = .202 (Wilcoxon signed-rank test).", "not checkable"),
        ("They differed, z = 1.307, p = .198 (Wilcoxon signed-rank test).", "not checkable"),
        ("They differed, z = 1.307, p = .189 (Wilcoxon signed-rank test).", "inconsistent"),
        # R: 2 * pnorm(-2.688) is .00719; 2 * psignrank(33, 20) is .00558
        ("They differed, z = 2.688, p = .0056 (Wilcoxon signed-rank test).", "not checkable"),
        ("They differed, z = 2.688, p = .00712 (Wilcoxon signed-rank test).", "inconsistent"),
        ("Means were compared with permutation t-tests.\n\nThey differed, t(28) = 2.20, p = .041.", "not checkable"),
        ("Means were compared with permutation t-tests.\n\nThey differed, t(28) = 2.20, p = .410.", "decision error"),
        ("Maps were made by permutation of voxels.\n\nThey differed, t(28) = 2.20, p = .041.", "inconsistent"),
        ("In partial correlations adjusted for age and sex, r = .300, n = 60, p = .025.", "not checkable"),  # df 54
        ("They were alike, r = .30, n = 60, p = .042.", "inconsistent"),
    ],
)
def test_p_of_other_distributions(text: str, verdict: str) -> None:
    assert audit_text(text).results[-1].verdict == verdict


@pytest.mark.parametrize(
    ("text", "kind", "df", "value"),
    [
        ("χ 2 9 35 94 ( ) . = , p < .001", "chi2", ["9"], "35.94"),
        ("F 1 58 4 21 ( , ) . = , p = .045", "f", ["1", "58"], "4.21"),
        ("t 28 2 20 ( ) . = − , p = .036", "t", ["28"], "-2.20"),
        ("t 27 4 2 20 ( . ) . = , p = .036", "t", ["27.4"], "2.20"),
        ("χ 2 1 4 67 ( ) . = , p 031 = .", "chi2", ["1"], "4.67"),
        ("T(1, 67) = 2.10, p = .040", "t", ["67"], "2.10"),
        ("t(6, 564) = 2.20, p = .028", "t", ["6564"], "2.20"),
        ("t(6,564) = 2.20, p = .028", "t", ["6564"], "2.20"),
        ("r S (28) = .38, p = .038", "rho", ["28"], "0.38"),
        ("zs > 4.08, ps < .001", "z", [], "4.08"),
        ("F GG(1.5, 30.2) = 4.1, p = .036", "f", ["1.5", "30.2"], "4.1"),
        ("Wald (1) = 9.10, p = .003", "chi2", ["1"], "9.10"),
        ("t = 64.13; p < .001; df = 59411", "t", ["59411"], "64.13"),
        ("t(28) = 2.20, p .036", "t", ["28"], "2.20"),
        ("p = .036, two-tailed, t(28) = 2.20", "t", ["28"], "2.20"),
        ("t(28) = 2.20, p = 0 .036", "t", ["28"], "2.20"),
        ("t(28) = 2.20, p = 0.0 36", "t", ["28"], "2.20"),
    ],
)
def test_forms(text: str, kind: str, df: list[str], value: str) -> None:
    [number] = audit_text(f"So, {text}.").results
    reported = number.reported
    assert (reported.kind, [str(one) for one in reported.df], str(reported.statistic)) == (kind, df, value)
    assert number.verdict == "consistent", number.why


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("z = 5.78, p = 7.5", "not checkable"),  # 7.5e-9
        ("z = 5.78, p = 3.7", "not checkable"),  # of one tail
        ("z = 5.78, p = 5.1", "impossible"),
        ("t(28) = 2.20, p = 1.36", "impossible"),
        ("F(1.4, 30) = 7.18, p = .009", "consistent if corrected"),  # pf(7.18, 1.35, 20.25, lower.tail = FALSE): .0091
    ],
)
def test_what_fits_with_what_is_lost(text: str, verdict: str) -> None:
    assert [one.verdict for one in audit_text(f"So, {text}.").results] == [verdict]


def test_stars_of_a_table_are_no_p_of_a_test() -> None:
    kinds = [one.reported.kind for one in audit_text("t(50) = -0.24 and so on. **p < 0.01").results]
    assert kinds == ["p"]
    assert audit_text("So *t*(50) = 2.24, *p* < .05, and t(50) = 2.24, **p < .05**.").results[1].verdict == "consistent"


def test_several_f_corrected_for_sphericity() -> None:
    # R: pf(4.12, 2 * .85, 32 * .85, lower.tail = FALSE) is .0328; of 3.40 .0552, and of 5.20 .0163
    text = "In a repeated-measures ANOVA, A: F(2, 32) = 4.12, p = .033. B: F(2, 32) = 3.40, p = .055. "
    text += "C: F(2, 32) = 5.20, p = .016."
    assert {one.verdict for one in audit_text(text).results} == {"consistent if corrected"}
    assert sum(one.flagged for one in audit_text(text.replace("repeated-measures ", "")).results) == 3


def test_a_p_without_its_sign_accuses_nobody() -> None:
    assert [one.verdict for one in audit_text("So, t(28) = 2.20, p .001.").results] == ["not checkable"]


def only(text: str) -> Checked:
    (result,) = audit_text(text).results
    return result


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("F(1, 473) = 3,193, p < .001", 3193),
        ("p < .001, F(1, 473) = 3,193.", 3193),
        ("χ²(28) = 5,195, *p* < .001", 5195),
        ("F(1, 473) = 12,193.4, p < .001", 12193.4),
        ("t(28) = −1,234; p < .001", -1234),
        ("t(28) = 2,20, p = ,036", 2.20),
        ("r(28) = 0,361, p = 0,050", 0.361),
        ("r(28) = ,361, p = ,05", 0.361),
        ("t(28) = 1,234, p = 0,227", 1.234),  # where p has a decimal comma, so has t
    ],
)
def test_commas_in_values(text: str, value: float) -> None:
    checked_result = only(text)
    assert float(checked_result.reported.statistic) == value
    assert checked_result.verdict == "consistent", checked_result.why


@pytest.mark.parametrize(
    "p",
    [
        "p corr = .109",
        "p_corr = .109",
        "$p_{\\text{corr}} = .109$",
        "p~corr~ = .109",
        "p<sub>corr</sub> = .109",
        "p_FDR = .109",
        "p_adj = .109",
        "p_Holm = .109",
        "p_FWE = .109",
        "corr. p = .109",
    ],
)
def test_corrected_p(p: str) -> None:
    assert only(f"They differed, t(28) = 2.20, {p}.").verdict == "consistent"
    assert only(f"They differed, t(28) = 2.20, {p.replace('.109', '.009')}.").flagged  # no correction makes p less


@pytest.mark.parametrize("p", ["uncorrected p = .109", "p = .109 (uncorrected)", "p = .109 (correlated)"])
def test_what_is_no_correction(p: str) -> None:
    assert only(f"They differed, t(28) = 2.20, {p}.").verdict == "decision error"


@pytest.mark.parametrize(
    "text",
    [
        "\\emph{So}, $t(28) = 2.20$, $p = .036$ % t(28) = 9, p = .9\nand on.",
        "\\emph{So}, $t(28) = 2.20$,\n% F(1, 28) = 9.00, p = .9\n$p = .036$.",
        "So, t(28) = 2.20, p = .036\n% F(1, 28) = 9.00, p = .9\nand on.",
        "So, t(28) = 2.20, p = .036 % F(1, 28) = 9.00",
        "So, t(28) = 2.20, p = 3.6 %, in 45% of them.",
    ],
)
def test_comments_and_per_cent(text: str) -> None:
    checked_result = only(text)
    assert checked_result.verdict == "consistent", checked_result.why


def test_comments_keep_the_lines() -> None:
    checked_result = only("\\documentclass{article}\n% one\n  % two\nSo, 5\\% of them, $t(28) = 2.20$,\n$p = .036$.")
    assert checked_result.reported.place == 4


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("d z = 1.57 p < .001", "p"),
        ("F(2, 1114) = 1.64 R2 = .004 (P = .438)", "p"),
        ("t(28) = 8.40, d z = 1.57, p < .001", "t"),
        ("F(2, 38) = 4.10, ηp² = .18 (p = .024)", "f"),
    ],
)
def test_indices_and_other_quantities(text: str, kind: str) -> None:
    checked_result = only(f"So it was, {text}.")
    assert checked_result.reported.kind == kind
    assert not checked_result.flagged


@pytest.mark.parametrize("p", ["3 8 10 9", "3 8 10 -9", "3 × 10", "1.0e5", "2.1 × 10 5"])
def test_a_lost_exponent_is_no_impossible_p(p: str) -> None:
    checked_result = only(f"So, z = 5.93, p = {p}.")
    assert checked_result.verdict == "not checkable"
    assert p in checked_result.why


def test_p_above_one_stays_impossible() -> None:
    assert only("So, z = 5.93, p = 4.").verdict == "impossible"
    assert only("So, z = 5.93, p = 3.").verdict == "not checkable"  # 3.0e-9
    assert only("So, z = 5.93, p = 1.2.").verdict == "impossible"


def test_an_exact_edge_is_the_same_for_papers_and_audit() -> None:
    assert printed("59.1").agrees(59.05)
    assert (printed("1e5").low, printed("1e5").high) == (50_000, 150_000)


def test_an_f_with_n_but_without_the_df_of_its_error() -> None:
    checked_result = only("F(1, N = 73) = 4.07, ns.")
    assert (checked_result.reported.kind, checked_result.reported.df, checked_result.reported.n) == ("f", (), 73)
    assert checked_result.verdict == "not checkable"


@pytest.mark.parametrize("text", ["f(x, y) = 2, p = .3", "the area is x2 = 3, p = .2", "f(1) = 3 and p = .3"])
def test_letters_of_functions_are_no_statistics(text: str) -> None:
    assert only(f"So, {text}.").reported.kind == "p"
