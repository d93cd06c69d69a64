"""Statistics of maps of the brain, lost exponents and points, and what readers of PDFs scatter: no accusations."""

from __future__ import annotations

import pytest

from negstats.audit import audit_text


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
