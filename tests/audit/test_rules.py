"""The rules that an audit goes by: rounding, relations, tails, corrections, and what cannot be."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.audit import Checked, audit_text
from negstats.audit.corrections import tukey_p
from negstats.errors import DesignError


def only(text: str, alpha: float = 0.05) -> Checked:
    (result,) = audit_text(text, alpha=alpha).results
    return result


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        # R: 2 * pt(-2.2, 28) is .0362; of 2.15 and 2.25 .0403 and .0325
        ("t(28) = 2.2, p = .04", "consistent"),
        ("t(28) = 2.2, p = .03", "consistent"),
        ("t(28) = 2.2, p = .05", "inconsistent"),
        ("t(28) = 2.20, p = .036", "consistent"),
        ("t(28) = 2.20, p = .037", "consistent"),  # 2.195 gives .0366
        ("t(28) = 2.20, p = .038", "inconsistent"),
        ("t(28) = −2.20, p = .036", "consistent"),
        ("t(28) = 2.20, p < .05", "consistent"),
        ("t(28) = 2.20, p ≤ .05", "consistent"),
        ("t(28) = 2.20, p <= .05", "consistent"),
        ("t(28) = 2.20, p > .05", "decision error"),
        ("t(28) = 2.20, n.s.", "decision error"),
        ("t(28) = 2.20, p = ns", "decision error"),
        ("t(28) = 2.20, p > .01", "consistent"),
        ("t(28) = 2.20, p < .01", "inconsistent"),
        ("t(28) = 1.20, p < .05", "decision error"),
        ("t(28) = 1.20, n.s.", "consistent"),
        ("t(28) = 1.20, p = .12", "consistent if one-tailed"),
        ("t(28) = 1.20, p = .12, one-tailed", "consistent"),
        ("t(28) = 1.20, one-sided p = .12", "consistent"),
        ("t(28) = −1.20, p = .88", "consistent if one-tailed"),  # the other tail
        ("t(28) = −5.20 (one-sided test), p > .999", "consistent"),  # against the direction of the plan
        ("t(28) = −5.20, p > .999", "decision error"),
        ("t(28) = −2.20 (one-sided test), p > .999", "decision error"),  # .982
        ("t(28) = −2.20 (one-sided test), p > .05", "decision error"),  # any effect is above .05 in its other tail
        ("t(28) = 1.80, p < .05", "decision error"),  # one tail only, and nothing declares it
        ("t(28) = 2.20, p < .02", "consistent if one-tailed"),
        ("F(1, 28) = 1.44, p = .12", "consistent if one-tailed"),
        ("F(2, 28) = 1.44, p = .127", "inconsistent"),  # half of .254: F with two df has one tail only
        ("F(2, 28) < 1, n.s.", "consistent"),
        ("F(2, 28) < 1, p < .05", "decision error"),
        ("F(2, 28) > 20, p < .001", "consistent"),
        ("t(28) = 5.20, p = .000", "consistent"),
        ("t(28) = 2.20, p = .000", "inconsistent"),
        ("t(28) = 5.20, p < .000", "impossible"),
        ("t(28) = 2.20, p = 1.2", "impossible"),
        ("t(0) = 2.20, p = .04", "impossible"),
        ("F(2, 28) = −3.10, p = .04", "impossible"),
        ("χ²(2) = −3.10, p = .04", "impossible"),
        ("r(28) = 1.10, p = .04", "impossible"),
        ("r(28) = 1.00, p < .001", "consistent"),
        ("t(28) = 0.00, p > .999", "consistent"),
        ("t(28) = 2.20, p = .109 (Bonferroni)", "consistent"),
        ("t(28) = 2.20, p = .109 (Bonferroni corrected)", "consistent"),
        ("t(28) = 2.20, p_Holm = .109", "consistent"),
        ("t(28) = 2.20, p = .009 (Holm)", "inconsistent"),
        ("F(1.29, 3.87) = 21.00, p = .010 (Greenhouse–Geisser corrected)", "consistent"),
        ("F(1.29, 3.87) = 21.00, p = .140 (Greenhouse–Geisser corrected)", "decision error"),
        ("t = 2.20, p = .036", "not checkable"),
        ("U = 19.50, p = .024", "not checkable"),
        ("t(28) = 12.20, p = 1.0 × 10^{-12}", "consistent"),
        ("t(28) = 12.20, p = 1.0e-12", "consistent"),
        ("t(28) = 2.20, p = 3.6%", "consistent"),
        ("t(28) = 2,20, p = 0,036", "consistent"),
        ("t(28) = 2,20, p = ,36", "decision error"),
        ("t(1,234) = 2.20, p = .028", "consistent"),
        ("F(1, 1,234) = 4.84, p = .028", "consistent"),
        ("F(1,234) = 4.84, p = .029", "consistent"),
        ("r = .38, p = .003, N = 60", "consistent"),
        ("r = .38, p = .003", "not checkable"),
        ("t-value(28) = 2.20, p-value = .036", "consistent"),
        ("LR χ²(2) = 7.63, p = .022", "consistent"),
        ("LR(2) = 7.63, p = .022", "consistent"),
        ("ρ(28) = .38, p = .038", "consistent"),
        ("ρ(28) = .38, p = .045", "not checkable"),
    ],
)
def test_verdicts(text: str, verdict: str) -> None:
    checked_result = only(f"It was so: {text}. Then more.")
    assert checked_result.verdict == verdict, checked_result.why


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
    with pytest.raises(DesignError, match="alpha is 5"):
        audit_text(text, alpha=5)


@pytest.mark.parametrize(
    "text",
    [
        "The function t(x) = 3, and p = 2 holds.",
        "F(x, y) = 2 for all x.",
        "We used p(A) = .3 nowhere but power = .80, prior = .5.",
        "t(28) = 2.20 without its p. Later we say p.",
        "See Section r(2).",
    ],
)
def test_what_is_no_result(text: str) -> None:
    assert not [result for result in audit_text(text).results if result.reported.kind != "p"]


def test_p_goes_to_its_own_statistic() -> None:
    audit = audit_text(
        "t(20) = 1.20, r = .26, p = .244; U = 40, z = 2.31, p = .021, r = .30. "
        "F(1, 20) = 9.1 and F(2, 20) = 1.1, p = .352."
    )
    assert [(r.reported.kind, r.verdict) for r in audit.results] == [
        ("t", "consistent"),
        ("z", "consistent"),
        ("f", "consistent"),
    ]


def test_a_chi_squared_without_df_names_those_that_fit() -> None:
    assert only("χ² = 4.67, p = .198").why == "df of χ² is not printed; df 3 would agree with the printed p"


@pytest.mark.parametrize(
    ("text", "kind", "df", "n"),
    [
        ("t(49) = 4.12, P < 10^{-3}", "t", [49], None),
        ("t(49) = 4.12, P < 10⁻³", "t", [49], None),
        ("t(49) = 4.12, P < 10−3", "t", [49], None),
        ("t₄₉ = 4.12, P < 0.001", "t", [49], None),
        ("χ²₁ = 14.93, P < 0.001", "chi2", [1], None),
        ("F₁,₅₇₇ = 5.00, P = 0.026", "f", [1, 577], None),
        ("χ²(1, 73) = 14.93, p < .001", "chi2", [1], 73),
        ("χ²(1,234) = 14.93, p < .001", "chi2", [1], 234),
        ("t(49) = 4.12, adjusted p = .001", "t", [49], None),  # three times .00014 at least
        ("t(49) = 2.50, d = 0.7, Bonferroni-corrected p = .048", "t", [49], None),
        ("adj. p = .048, t(49) = 2.50", "t", [49], None),
        ("t_{Welch}(48) = 2.10, p = .041", "t", [48], None),
        ("tWelch(48) = 2.10, p = .041", "t", [48], None),
        ("$F_{\\text{Welch}}(2, 38) = 4.05$, p = .025", "f", [2, 38], None),
        ("χ²_{Pearson}(2) = 7.63, p = .022", "chi2", [2], None),
        ("t(49) = 4·12, p < 0·001", "t", [49], None),
        ("t(49) = 4.12, P = 1.5·10^{-4}", "t", [49], None),
        ("t(49) = 4.12, p < 0 .001", "t", [49], None),
    ],
)
def test_forms_that_are_read_and_hold(text: str, kind: str, df: list[int], n: int | None) -> None:
    result = only(f"They differed, {text}.")
    assert (result.reported.kind, [float(x) for x in result.reported.df], result.reported.n) == (kind, df, n)
    assert result.verdict == "consistent", result.why


@pytest.mark.parametrize(
    "text", ["a net with r = 5 layers, p = 0.5", "t = 5 rounds, p = 3 players", "t0 = 5 s, p = .2"]
)
def test_letters_that_are_no_statistics_raise_no_alarm(text: str) -> None:
    assert not audit_text(f"We ran {text}.").flagged


def test_ranks_of_p_that_no_float_holds() -> None:
    results = ", ".join(f"F(1, 999{n}) = 99999.{n}, p = .0{n}" for n in range(1, 7))
    audit = audit_text(f"All p were corrected by the false discovery rate (Benjamini and Hochberg): {results}.")
    assert [one.p_high for one in audit.results] == [0.0] * 6
    assert all(one.flagged for one in audit.results)


@pytest.mark.parametrize(
    ("p", "verdict"),
    [
        ("Bonferroni corrected p = .003", "not checkable"),  # × 44,000: of voxels there may be so many
        ("p = .003", "inconsistent"),
    ],
)
def test_a_p_that_says_itself_to_be_corrected_may_be_of_any_number_of_tests(p: str, verdict: str) -> None:
    # R: 2 * pt(-8.5, 19) is 6.8e-08
    assert audit_text(f"They were slower, t(19) = 8.50; {p}.").results[0].verdict == verdict


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


def test_p_of_permutations_is_not_that_of_its_statistic() -> None:
    assert only("They differed, t(40) = 2.27, p_perm = .040.").verdict == "not checkable"


@pytest.mark.parametrize(
    ("statement", "declares"),
    [
        ("Given the directional hypothesis, a one-tailed test was employed.", True),
        ("Alpha was set at .05, one-tailed.", True),
        ("A one-tailed test was employed for the check of the room.", False),
        ("For a one-tailed test with alpha = .05 a power analysis asked for 40 people.", False),
    ],
)
def test_one_tail_in_the_design_section_holds_for_the_paper(statement: str, declares: bool) -> None:
    result = only(f"{statement}\n\nThey differed, t(40) = 1.80, p = .040.")  # R: 2 * pt(-1.8, 40) is .0794
    assert (result.verdict == "consistent") is declares


# R: 2 * pt(-2.27, 40) is .0287, pchisq(4.60, 1, lower.tail = FALSE) .0320, pf(3.40, 2, 60, lower.tail = FALSE) .0399
# and pf(3.40, .72 * 2, .72 * 60, lower.tail = FALSE) .0570; 2 * pt(-2.80, c(5, 4.6)) are .0380 and .0417.
@pytest.mark.parametrize(
    "text",
    [
        "t(40) = 2.27, Bonferroni: p = .086",
        "t(40) = 2.27, corrected for three tests: p = .086",
        "t(40) = 2.27, FDR-p = .058",
        "t(40) = 2.27, p = .058 FDR",
        "t(40) = 2.27, after correction p = .086",
        "t(40) = 2.27, n.s. after correction",
        "t(40) = 2.27, p = .086 (× 3)",
        "t(40) = 2.27, p_c = .086",
        "(Bonferroni), t(40) = 2.27, p = .086",
        "t(40) = 2.27, p_rep = .92",
        "t(40) = 2.27, p(H1|D) = .71",
        "t(40) = 2.27, p_boot = .033",
        "χ²(1) = 4.60, exact p = .041",
        "F(2, 60) = 3.40, p_GG = .057",
        "F(2, 60) = 3.40, ε = .72, p = .057",
        "Welch’s t(5) = 2.80, p = .042",
        "F(1, 28) = 4.60, p = .082\nNote. p corrected for two tests",
    ],
)
def test_what_stands_at_a_p_says_how_it_was_computed(text: str) -> None:
    assert not audit_text(f"Table 1\nThey differed, {text}.").flagged


@pytest.mark.parametrize(
    "text",
    [
        "t(40) = 2.27, Bonferroni: p = .066",
        "t(40) = 2.27, before correction: p = .086",
        "t(40) = 2.27, p_unc = .086",
        "t(40) = 2.27, p_boot = .33",
        "t(40) = 2.27, exact p = .041",
        "F(2, 60) = 3.40, ε = .72, p = .155",
        "F(2, 60) = 3.40, p = .057",
        "Welch’s t(5) = 2.80, p = .062",
        "t(5) = 2.80, p = .042",
        "F(1, 28) = 4.60, p = .082\nNote. p adjusted for age",
    ],
)
def test_what_stands_at_a_p_excuses_no_other(text: str) -> None:
    assert audit_text(f"Table 1\nThey differed, {text}.").flagged


# R: ptukey(2.90 * sqrt(2), 8, 60, lower.tail = FALSE) is .0907, pt(-2.698, 43) .0050, 2 * pt(-2.50, 60) .0152,
# pf(3.40, 5, 100, lower.tail = FALSE) .0070 and pf(3.40, 1.5, 30, lower.tail = FALSE) .0591
@pytest.mark.parametrize(
    ("declared", "test", "right", "wrong"),
    [
        ("Pairwise tests were corrected by Tukey’s HSD.", "t(60) = 2.90", ".091", ".350"),
        ("All tests were one-tailed and Bonferroni-corrected for seven comparisons.", "t(43) = 2.698", ".035", ".045"),
        ("Contrasts were corrected after Dunnett for three comparisons.", "t(60) = 2.50", ".039", ".139"),
        ("Sphericity was corrected after Greenhouse and Geisser.", "F(5, 100) = 3.40", ".059", ".259"),
    ],
)
def test_a_declared_correction_explains_its_own_p_alone(declared: str, test: str, right: str, wrong: str) -> None:
    for p, flagged in ((right, False), (wrong, True)):
        results = audit_text(f"{declared} It was so, {test}, p = {p}.").results
        assert results[-1].flagged == flagged, results[-1].why
