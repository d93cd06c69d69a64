"""What looks like an error of p and is another reading of the print: n for df, a decimal comma, an exact p."""

from __future__ import annotations

import pytest

from negstats.audit import audit_text


def verdicts(text: str) -> list[str]:
    return [result.verdict for result in audit_text(text).results if result.reported.kind != "p"]


# p of r(21) below are those of 19 df: 21 is how many people there are.
N_FOR_DF = "Fun was not related to it, r(21) = -.240, p = .295, nor was reward, r(25) = .170, p = .417."


def test_brackets_of_r_that_hold_the_number_of_pairs() -> None:
    assert verdicts(N_FOR_DF) == ["consistent", "consistent"]
    why = audit_text(N_FOR_DF).results[0].why
    assert "how many pairs" in why
    assert "19 df" in why


@pytest.mark.parametrize(
    "text",
    [
        "Fun was not related to it, r(21) = -.240, p = .295.",  # one alone is an error of its df
        N_FOR_DF.replace(".295", ".240"),
        N_FOR_DF + " Age was, r(26) = .440, p = .019, and skill, r(27) = .400, p = .035.",  # as many p are of their df
    ],
)
def test_too_little_says_that_brackets_hold_the_number_of_pairs(text: str) -> None:
    assert "inconsistent" in verdicts(text)


def test_a_comma_before_three_digits_is_a_decimal_one_where_p_says_so() -> None:
    result = audit_text("It did not rise, F(1, 21) = 2,752, p = .112.").results[0]
    assert (result.verdict, str(result.reported.value)) == ("consistent", "2.752")
    assert verdicts("It rose, F(1, 473) = 3,193, p < .001.") == ["consistent"]
    # A wrong p is held against the likelier value; R: pf(3.193, 1, 473, lower.tail = FALSE) is .075
    assert "F(1, 473) = 3.193 gives p = .075" in audit_text("It rose, F(1, 473) = 3,193, p = .600.").results[0].why
    assert "χ²(900) = 1234 gives" in audit_text("They differed, χ²(900) = 1,234, p = .020.").results[0].why


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("More agreed (Fisher's exact test: χ²(1, N = 87) = 5.22, p = .030).", "Fisher"),
        ("Drinks did not differ (imputed data, mean value [range] F(1, 487) = 0.38 [0.01–1.61]; p = .64).", "imputed"),
        ("Groups were compared by Mann-Whitney tests. Sleep did not differ (z = −1.27, p = .22).", "Mann"),
    ],
)
def test_p_of_an_exact_test_and_of_several_data_sets_are_not_checkable(text: str, word: str) -> None:
    result = audit_text(text).results[0]
    assert result.verdict == "not checkable"
    assert word in result.why


@pytest.mark.parametrize(
    "text",
    [
        "More agreed (Fisher's exact test: χ²(1, N = 87) = 5.22, p = .30).",
        "Missing answers were imputed. Drinks did not differ, F(1, 487) = 0.38, p = .64.",
        "Groups were compared by Mann-Whitney tests. Sleep did not differ (z = −1.27, p = .41).",
        "Sleep did not differ (z = −1.27, p = .22).",
    ],
)
def test_a_p_that_is_further_off_is_flagged(text: str) -> None:
    assert audit_text(text).results[0].flagged


def test_a_z_of_kolmogorov_and_smirnov_is_not_normal() -> None:
    assert verdicts("Times were alike (Kolmogorov-Smirnov Z = 1.02, p = .17).") == ["not checkable"]
    assert verdicts("They were not normal by Kolmogorov's test. Ranks differed, Z = 1.02, p = .03.") == [
        "decision error"
    ]


def test_a_p_of_sidak_is_excused_where_the_text_says_bonferroni() -> None:
    # 1 - (1 - .036)^3 = .104; three times .036 is .109
    text = "Three pairwise comparisons were Bonferroni-corrected. They did not differ, t(28) = 2.20, p = {}."
    assert verdicts(text.format(".104")) == verdicts(text.format(".109")) == ["consistent if corrected"]
    assert verdicts(text.format(".124")) == ["decision error"]


def test_the_correction_of_sidak_is_no_whole_number_of_tests() -> None:
    text = "Contrasts were tested with the Šidák correction. They did not differ, t(28) = 2.20, p = {}."
    assert verdicts(text.format(".104")) == ["consistent if corrected"]
    assert verdicts(text.format(".109")) == ["decision error"]


def test_a_place_before_t_makes_it_one_of_a_map() -> None:
    text = "It was connected in the contrast of fear [x = −4, y = −28, z = −8, t(21) = 3.45, p = .001]."
    assert verdicts(text) == ["consistent"]


def test_an_index_behind_a_hyphen_is_a_time() -> None:
    assert verdicts("It rose (Δa t0-t3=1.043, p<0.001).") == []
    assert verdicts("It rose (t3=1.043, p<0.001).") == ["decision error"]
    assert verdicts("It rose (Welch-t(28) = 2.20, p = .036).") == ["consistent"]


def test_no_recomputed_p_is_printed_as_0() -> None:
    assert "gives p < 1.0e-300" in audit_text("It rose, t(59411) = 64.13, p < .001.").results[0].why
    assert "gives p < 4.6e-05" in audit_text("They rose, zs > 4.08, ps < .001.").results[0].why
