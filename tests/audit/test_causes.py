"""What is named as the likely cause of a p that does not fit, and means against the t of their sentence."""

from __future__ import annotations

import pytest

from negstats.audit import audit_text


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("t(28) = 2.20, p = .063", "p = .036 with two digits exchanged"),
        ("t(82) = 2.20, p = .036", "df 28 with two digits exchanged"),
        ("t(28) = 2.20, p = .0036", "p = .036 with its point moved"),
        ("t(28) = 2.02, p = .036", "2.20 with two digits exchanged"),
        ("t(28) = 220, p = .036", "2.20 with its point lost"),
        ("t(5) = 2.20, p = .071", "df 6 would give it"),
        ("t(28) = 6.20, p = .001", "p < .001 would be right"),
        ("F(2, 28) = 3.73, p = .03", "it is cut off, not rounded"),
        ("χ²(1) = 4.67, p = .198", "df 3 would give it"),
    ],
)
def test_the_cause_is_named(text: str, cause: str) -> None:
    [value] = audit_text(f"They differed, {text}.").results
    assert value.flagged
    assert cause in value.why


FEW = "They gave more (M = 403.33, SD = 48) than others (M = 293.77, SD = 20), t(49) = 4.12, p < .001."


def judged(text: str) -> list[tuple[str, str]]:
    return [(one.grade, one.why) for one in audit_text(text).further if one.what == "means and t"]


def test_means_that_no_split_gives_their_t() -> None:
    [(grade, why)] = judged(FEW)
    assert grade == "differs"
    assert "no split of them gives t = 4.12" in why


@pytest.mark.parametrize(
    ("text", "grade", "why"),
    [
        # R: two groups of 12, t = (30.82 - 12.08) / sqrt((7.39^2 + 6.42^2) / 12) = 6.63
        ("(M = 30.82, SD = 7.39) than (M = 12.08, SD = 6.42), t(22) = 6.65, p < .001", "fits", "two groups"),
        (
            "(M = 30.82, SD = 7.39) than (M = 29.08, SD = 6.42), t(22) = 3.10, p = .005",
            "fits only if",
            "the same 23 people",
        ),
        ("(M = 30.8, SD = 1.0) than (M = 27.8, SD = 1.0), t(22) = 2.12, p = .046", "fits only if", "standard errors"),
        ("(M = 5.20, SE = 1.10) than (M = 3.10, SE = 0.20), t(60) = 1.88, p = .065", "fits", "two groups"),
    ],
)
def test_what_explains_a_t_of_two_means(text: str, grade: str, why: str) -> None:
    [(judged_grade, reason)] = judged(f"They gave more {text}.")
    assert judged_grade == grade, reason
    assert why in reason


@pytest.mark.parametrize("words", ["adjusted for age", "on the log scale", "in a mixed model", "by Welch's test"])
def test_means_of_other_kinds_are_left_alone(words: str) -> None:
    assert judged(FEW.replace(", p <", f" {words}, p <")) == []


# R: 2 * pt(-c(2.2, 2.9, 1.3), 28) is .0362, .0072, .2042; pf(4.1, 1, 28, lower = FALSE) .0525
def test_p_of_two_results_exchanged() -> None:
    first, second = audit_text("They did, t(28) = 2.20, p = .204, and did not, t(28) = 1.30, p = .036.").results
    assert first.why.endswith("; it is exchanged with that of t(28) = 1.30")
    assert second.why.endswith("; it is exchanged with that of t(28) = 2.20")


def test_the_p_of_the_neighbouring_result() -> None:
    first, second = audit_text("They did, t(28) = 2.90, p = .053, and nearly, F(1, 28) = 4.10, p = .053.").results
    assert first.why.endswith("; it would be that of F(1, 28) = 4.10")
    assert second.verdict == "consistent"
    apart = audit_text("They did, t(28) = 2.90, p = .053.\n\nThey nearly did, F(1, 28) = 4.10, p = .053.").results
    assert "that of" not in apart[0].why


# R: 2 * pt(-1.30 / 1.12 * qt(.975, 58), 58) is .0237; z of log OR 1.80 in [1.05, 3.10] 2.137, its p .0326;
# 2 * pt(-3.4, 58) is .0012, pchisq(9.1, 1, lower = FALSE) .0026
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("trust, t(58) = 3.40, p = .024, and liking, M_diff = 0.65, 95% CI [0.09, 1.21]", "[0.09, 1.21]"),
        ("trust, χ²(1) = 9.10, p = .033, and leaving, OR = 1.80, 95% CI [1.05, 3.10]", "[1.05, 3.10]"),
        ("trust, t(58) = 3.40, p = .124, and liking, M_diff = 0.65, 95% CI [0.09, 1.21]", ""),
        ("trust, t(58) = 3.40, p = .02, and liking, M_diff = 0.65, 95% CI [0.09, 1.21]", ""),  # chance might do it
    ],
)
def test_the_p_of_the_interval_of_another_estimate(text: str, why: str) -> None:
    (value,) = (one for one in audit_text(f"They differed in {text}.").results if one.reported.kind != "p")
    assert value.flagged
    assert value.why.partition("; it would be that of the interval ")[2] == why
