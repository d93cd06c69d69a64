"""What a document says of corrections and tails: where it explains a p, where it does not, and that it is quoted."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.audit import Checked, audit_text
from negstats.audit.context import context, find_stems
from negstats.audit.words import words_of

FACTS = words_of("context")
# R: 2 * pt(-2.20, 28) is .0362, so 3 times it is .109; 2 * pt(-1.74, 32) is .0915, half of it .0457
THRICE = "They differed, t(28) = 2.20, p = .109."
HALF = "They differed, t(32) = 1.74, p = .046."
FAR = "\n\nThat was the method. " + "Words follow here. " * 200 + "\n\n"


def last(text: str) -> Checked:
    return audit_text(text).results[-1]


@pytest.mark.parametrize(
    "said",
    [
        "Pairwise comparisons were Bonferroni corrected.",
        "All p-values were adjusted for multiple comparisons.",
        "We controlled the false discovery rate over the contrasts.",
        "Follow-up t tests were corrected after Holm.",
    ],
)
@pytest.mark.parametrize("between", [" ", FAR])
def test_a_correction_that_the_text_names(said: str, between: str) -> None:
    last_value = last(said + between + THRICE)
    assert last_value.verdict == "consistent if corrected"
    assert not last_value.flagged
    assert said in last_value.why
    assert "× 3" in last_value.why
    assert last(said + between + THRICE.replace(".109", ".009")).verdict == "inconsistent"  # none makes p smaller


@pytest.mark.parametrize(
    "said",
    [
        "No Bonferroni correction was made for multiple comparisons.",
        "P values are not adjusted for multiple comparisons.",
        "We used a Bonferroni-corrected alpha of .0125 for each test.",
        "Holm, S. (1979). A simple sequentially rejective multiple test procedure.",
        "Degrees of freedom were corrected after Greenhouse and Geisser.",
        "Answers were corrected for guessing.",
    ],
)
@pytest.mark.parametrize("between", [" ", FAR])
def test_what_explains_no_p(said: str, between: str) -> None:
    assert last(said + between + THRICE).verdict == "decision error"


# R: ptukey(2.20 * sqrt(2), 3, 28, lower.tail = FALSE) is .0886; pf(2.2^2 / 2, 2, 28, lower.tail = FALSE) is .1077
@pytest.mark.parametrize(
    ("said", "p", "named"),
    [
        ("Post hoc tests used Tukey's HSD.", ".089", "Tukey’s of 3 groups"),
        ("Contrasts were tested by Scheffé's method.", ".108", "Scheffé’s of 3 groups"),
        ("P values of contrasts were adjusted after Šidák.", ".105", "1 − (1 − p) to the power of 3"),
        ("P values were corrected after Benjamini and Hochberg for four tests.", ".048", "× 4 / 3"),
        ("P values were Bonferroni-corrected for 40 comparisons.", "1.00", "a product that ends at 1"),
    ],
)
def test_a_method_has_its_own_factor(said: str, p: str, named: str) -> None:
    last_value = last(f"{said} They differed, t(28) = 2.20, p = {p}.")
    assert last_value.verdict == "consistent if corrected", last_value.why
    assert named in last_value.why


# Levels that are named, an F before them, Holm's steps and words for the problem tell how many tests there are;
# R: 4, 6, 7 and 10 times .0362 are .145, .217, .253 and .362
@pytest.mark.parametrize(
    ("said", "p", "is_explained"),
    [
        ("P values were corrected after Holm for six comparisons.", ".145", True),
        ("P values were corrected after Holm for six comparisons.", ".253", False),
        ("P values were corrected after Bonferroni for six comparisons.", ".145", False),
        ("Bonferroni's correction was used to compare the five groups.", ".362", True),
        ("Bonferroni's correction was used to compare the four groups.", ".362", False),
        ("They varied, F(4, 28) = 4.10, p = .010. Post hoc tests were Bonferroni-corrected.", ".362", True),
        ("They varied, F(4, 28) = 4.10, p = .010.", ".362", False),
        ("P values were adjusted for multiplicity.", ".109", True),
        ("The experiment-wise error was controlled by a correction.", ".109", True),
        ("P values were corrected for the number of tests.", ".109", True),
        ("All p values were multiplied by 6.", ".217", True),
        ("All p values were multiplied by 6.", ".253", False),
        ("Newman-Keuls post hoc tests were used.", ".089", True),
    ],
)
def test_how_many_tests_a_text_has(said: str, p: str, is_explained: bool) -> None:
    assert last(f"{said} They differed, t(28) = 2.20, p = {p}.").flagged is not is_explained


# R: pf(4.10, 2, 57, lower.tail = FALSE) is .0217, so 4 times it is .087
def test_an_f_of_several_df_is_corrected_where_all_p_are() -> None:
    omnibus = "\nWaiting mattered, F(2, 57) = 4.10, p = .087."
    assert not last(f"All p values were Bonferroni-corrected for four outcomes.{omnibus}").flagged
    assert last(f"Post hoc tests were Bonferroni-corrected for four outcomes.{omnibus}").flagged


# R: 2 * pt(-2.61, 38) is .0129 and 2 * pt(-2.40, 38) is .0214: Holm raises the second p to twice the first
def test_a_step_takes_the_p_of_the_one_before_it() -> None:
    text = "Holm-corrected t tests: A was higher, t(38) = 2.61, p = .026, and B, t(38) = 2.40, p = .026."
    assert [one.verdict for one in audit_text(text).results] == ["consistent if corrected"] * 2
    assert last(text.replace("2.40", "2.80")).flagged  # two times .0080 is .016, and no step raises the smallest p
    assert last(text.replace("p = .026.", "p = .029.")).flagged


def test_a_factor_is_never_unlimited() -> None:
    text = "P values of the three pairwise comparisons were Bonferroni corrected. "
    last_value = last(text + "They differed, t(28) = 2.20, p = .145.")  # four times
    assert last_value.flagged
    assert "even × 3 gives .11" in last_value.why
    assert last(text.replace("three", "four") + "They differed, t(28) = 2.20, p = .145.").flagged is False


@pytest.mark.parametrize(
    "said",
    [
        "Maps are shown at p < .05, FWE corrected for multiple comparisons.",
        "Clusters were corrected for multiple comparisons by random field theory.",
        "The effect of age did not survive Bonferroni correction for multiple comparisons.",
        "Multiple comparisons remain an issue of such studies.",
        "Figure 2. Differences with p corrected for multiple comparisons.",
    ],
)
def test_what_is_said_of_maps_figures_and_survival_explains_no_test(said: str) -> None:
    assert last(said + FAR + THRICE).verdict == "decision error"


def test_a_negation_of_something_else_leaves_the_correction() -> None:
    text = "Bonferroni-corrected tests showed that a and b differed, t(9) = 4.12, p = .008, and so did b and c, "
    text += "t(9) = 3.91, p = .011, but not a and c, t(9) = 1.02, p = 1.00."
    assert [one.verdict for one in audit_text(text).results] == ["consistent if corrected"] * 3


def test_the_number_of_tests_is_that_of_the_methods_where_the_nearest_statement_names_none() -> None:
    methods = "Methods. All p-values were Bonferroni corrected for three comparisons."
    result = "The Bonferroni-corrected contrasts showed that groups differed, t(9) = 4.12, p = {}, as expected."
    assert last(f"{methods}\n\n{result.format('.008')}").verdict == "consistent if corrected"
    assert last(f"{methods}\n\n{result.format('.013')}").flagged  # × 5
    assert last(f"{methods.replace(' for three comparisons', '')}\n\n{result.format('.008')}").flagged


@pytest.mark.parametrize(
    "said",
    [
        "We tested directed hypotheses.",
        "Our hypotheses were directional.",
        "We preregistered a directional hypothesis.",
    ],
)
def test_a_declared_direction_is_no_error(said: str) -> None:
    result = "Groups differed, t(32) = 1.74, p = .046."
    assert last(f"Methods. {said}\n\nResults. {result}").verdict == "consistent if one-tailed"
    assert last(f"Methods. We tested it in goal-directed tasks.\n\nResults. {result}").verdict == "decision error"


def test_not_significant_after_a_correction() -> None:
    text = "P values were Bonferroni-corrected for three tests. They differed, t(28) = 2.20, n.s."
    assert last(text).verdict == "consistent if corrected"
    assert last(text.replace("2.20", "3.20")).flagged  # three times .0034 is .010


# R: 2 * pt(-c(2.8, 3.02, 2.71, 4.46), 9) is .0207, .0145, .0240, .0016; of Kwok's p (PS 2019) each is larger
FDR = (
    "Multiple comparisons were controlled by setting the false discovery rate (q) at 0.05 (Benjamini & Hochberg, 1995)."
)


def test_p_of_a_false_discovery_rate_are_all_larger() -> None:
    each = ["t(9) = 2.80, p = .041", "t(9) = 3.02, p = .024", "t(9) = 2.71, p = .040", "t(9) = 4.46, p = .005"]
    text = " ".join(f"Test {place} gave {one}." for place, one in enumerate(each))
    results = audit_text(f"{FDR}\n\n{text}").results
    assert [one.verdict for one in results] == ["consistent if corrected"] * 4
    # One that is smaller shows that not all are so corrected, and then tests / rank excuses none.
    results = audit_text(f"{FDR}\n\n{text} Test 5 gave t(9) = 2.71, p = .003.").results
    assert [one.flagged for one in results] == [False, True, True, True, True]  # × 2 is a whole number of tests
    few = audit_text(f"{FDR}\n\nTest 1 gave {each[1]}. Test 2 gave {each[2]}.").results
    assert all(one.flagged for one in few)


@pytest.mark.parametrize(("p", "verdict"), [(".025", "consistent if corrected"), (".020", "decision error")])
def test_the_last_step_of_holm_multiplies_a_p_of_one_tail_by_one(p: str, verdict: str) -> None:
    # R: 2 * pt(-2.02, 35) is .0511, of one tail .0255
    text = f"The tests were corrected together (Holm, 1979). It lay inside, t(35) = -2.02, one-sided p_Holm = {p}."
    (result,) = audit_text(text).results
    assert result.verdict == verdict


# R: 7 * pt(-c(2.698, 3.794, 2.674), 43) is .0347, .0016, .0368 (word adaptation of PMC8642429)
def test_p_of_one_tail_multiplied() -> None:
    text = (
        "P values were Bonferroni-corrected for multiple comparison. It was so in the first (t(43) = 2.698, p = .035), "
    )
    text += "the second (t(43) = 3.794, p = .002), and the third (t(43) = 2.674, p = .037), "
    results = audit_text(f"{text} but not in the last (t(43) = −3.103, p > .999).").results
    assert [one.verdict for one in results] == ["consistent if corrected"] * 4
    assert "× 7 of one tail" in results[0].why


# R: 2 * pt(-3.42, 22) is .00245
def test_a_small_p_that_the_text_says_is_corrected() -> None:
    text = "They were rated higher, t(22) = 3.42, p = .005."
    only = "Only Bonferroni-corrected p-values are reported within the main manuscript."
    assert last(f"{only}\n\n{text}").verdict == "consistent if corrected"
    assert last(f"Some of the contrasts used a Bonferroni method.\n\n{text}").flagged


def test_one_number_of_tests_for_several_p() -> None:
    text = "With Bonferroni correction they were lower, t(106) = 3.26, p = .042, and t(103) = 3.70, p = .010."
    assert [one.verdict for one in audit_text(text).results] == ["consistent if corrected"] * 2
    assert "× 28" in last(text).why


def test_p_corrected_for_sphericity_with_df_printed_without_it() -> None:
    # R: pf(4.12, .85 * 2, .85 * 32, lower.tail = FALSE) is .0328; pf(2.01, .5 * 6, .5 * 108, ...) is .1235
    text = "P values are Greenhouse-Geisser corrected. It mattered, F(2, 32) = 4.12, p = .033."
    assert last(text).verdict == "consistent if corrected"
    assert "ε = .8" in last(text).why.replace("0.8", ".8")
    assert last(text.replace("P values are Greenhouse-Geisser corrected. ", "")).flagged
    assert last(text.replace(".033", ".012")).flagged  # such a correction makes no p of an F above 1 smaller


def test_bonferroni_multiplies_by_a_whole_number() -> None:
    sentence = "Pairwise comparisons were Bonferroni corrected." + FAR
    assert last(sentence + "They differed, t(28) = 2.20, p = .090.").verdict == "decision error"  # 2.5 times
    assert last(sentence + "They did not, t(28) = 1.00, p = 1.00.").verdict == "consistent if corrected"
    ranked = sentence.replace("Bonferroni corrected", "FDR corrected for five tests")
    assert last(ranked + "They differed, t(28) = 2.20, p = .090.").flagged is False  # × 5 / 2
    assert last(sentence.replace("Bonferroni", "FDR") + "They differed, t(28) = 2.20, p = .090.").flagged


def test_an_omnibus_test_is_no_comparison() -> None:
    sentence = "Pairwise comparisons were Bonferroni corrected." + FAR
    assert last(sentence + "They differed, F(2, 57) = 4.10, p = .198.").verdict == "decision error"  # pf: .0217
    assert last(sentence + "They did, F(1, 57) = 4.10, p = .095.").verdict == "consistent if corrected"  # .0476


@pytest.mark.parametrize(
    "said",
    [
        "All tests are one-tailed.",
        "Unless we say otherwise, tests are one-sided.",
        "As the hypotheses have a direction, all reported p values are one-tailed.",
    ],
)
@pytest.mark.parametrize("between", [" ", FAR])
def test_one_tail_that_the_text_declares(said: str, between: str) -> None:
    last_value = last(said + between + HALF)
    assert last_value.verdict == "consistent"
    assert said in last_value.why


@pytest.mark.parametrize(
    "said",
    [
        "",
        "All tests are two-tailed.",
        "A power analysis for a one-tailed test with power .80 gave 60 people.",
        "No test was one-tailed.",
        "The first was one-tailed, t(40) = 1.80, p = .040.",
    ],
)
@pytest.mark.parametrize("between", [" ", FAR])
def test_one_tail_that_nothing_declares_hides_no_decision(said: str, between: str) -> None:
    assert last(said + between + HALF).verdict == "decision error"
    mild = last(said + between + "They differed, t(32) = 2.74, p = .005.")  # .0099 with two tails: the same decision
    assert mild.verdict == ("inconsistent" if said == "All tests are two-tailed." else "consistent if one-tailed")


def test_a_test_of_one_hypothesis_reaches_its_paragraph_and_asks_elsewhere() -> None:
    text = "The first hypothesis was tested with a one-tailed test."
    assert last(text + " " + HALF).verdict == "consistent"
    audit = audit_text(text + FAR + HALF)
    assert [(one.verdict, one.flagged) for one in audit.results] == [("consistent if one-tailed", False)]
    assert [(one.what, one.grade) for one in audit.further] == [("p and one tail", "fits only if")]


def test_many_p_of_one_tail_are_one_question() -> None:
    halves = (
        " They differed, t(32) = 1.74, p = .046. So did others, t(28) = 2.20, p = .018, and t(40) = 2.40, p = .011."
    )
    audit = audit_text("They were students." + halves)
    assert [one.flagged for one in audit.results] == [True, False, False]
    assert audit.results[0].verdict == "decision error"
    assert "3 p of this text do" in audit.results[0].why
    question_text = audit_text("Our hypotheses were directional hypotheses." + halves)
    assert not any(one.flagged for one in question_text.results)
    assert sum(one.what == "p and one tail" for one in question_text.further) == 1
    two = audit_text("All tests are two-tailed." + halves)
    assert all(one.flagged for one in two.results)


@pytest.mark.parametrize(
    "said",
    [
        "Equivalence was tested against d = 0.5.",
        "The TOST procedure was used.",
        "It lay within the equivalence bounds.",
        "As preregistered, we used one-tailed tests.",
        "Because predictions were directional, one-sided p values are given.",
    ],
)
def test_equivalence_and_tests_of_a_direction_have_one_tail(said: str) -> None:
    assert last(f"{said} {HALF}").verdict == "consistent"


def test_both_tails_of_an_f_of_variances() -> None:
    pairs = "F(45, 50) = 1.34, p = .313"  # 2 pf(1.34, 45, 50, lower.tail = FALSE): .3134
    assert last(f"Members of a pair were alike, {pairs}, two-tailed.").verdict == "consistent"
    assert last("They were not, F(50, 45) = 0.75, p = .322, two-tailed.").verdict == "consistent"
    assert last(f"Members of a pair were alike, {pairs}.").flagged
    assert last("It mattered, F(1, 45) = 1.34, p = .506, two-tailed.").flagged  # one df has both in the upper


# R: 2 * pt(-2.27, 40) is .0286; pf(2.23, 1, 67, lower = FALSE) .140; pf(8.33, 2, 38, lower = FALSE) .000998
def test_a_declaration_of_two_tails_speaks_against_one() -> None:
    text = "They differed, t(40) = 2.27, p = .0144."
    assert last(f"All tests were two-tailed. {text}").verdict == "inconsistent"
    assert "All tests were two-tailed." in last(f"All tests were two-tailed. {text}").why
    assert last(text).verdict == "consistent if one-tailed"
    # What is said of one test is narrower than what is said of all.
    both = "All tests were two-tailed.\n\nThe first hypothesis was tested with a one-tailed test. "
    assert last(both + text).verdict == "consistent"
    studies = (
        "Study 1\n\nAll tests were {}. {}\n\nStudy 2\n\nAll tests were {}."
        + FAR
        + "They differed, t(28) = 2.20, p = .018."
    )
    assert last(studies.format("two-tailed", "", "one-tailed")).verdict == "consistent"
    assert last(studies.format("one-tailed", "", "two-tailed")).verdict == "inconsistent"


def test_resampling_of_something_else_excuses_no_test() -> None:
    result = "They differed, F(1, 67) = 2.23, p = 0.339."
    network = "A p-value is assigned to the components through a permutation test."
    assert last(f"Networks. {network}\n\nResults. {result}").verdict == "inconsistent"
    assert last(f"{network} {result}").verdict == "inconsistent"  # in one paragraph, as in a PDF
    near = result.replace("0.339", "0.160")
    assert last(f"Networks. {network}\n\nResults. {near}").verdict == "inconsistent"
    assert (
        last(f"All p-values of ANOVAs were computed by permutation tests.\n\nResults. {near}").verdict
        == "not checkable"
    )
    assert last(f"P-values of correlations came of permutation tests.\n\nResults. {near}").flagged is False


@pytest.mark.parametrize("mention", ["It mattered (Table 2), ", "So said Tables 1 and 2, ", ""])
def test_what_the_note_of_a_table_says_reaches_its_tests_and_their_mention(mention: str) -> None:
    rows = "| effect | F | df | p |\n|---|---|---|---|\n| reward | 8.33 | 2, 38 | .03 |"
    table = f"Table 2. Effects of the reward.\n\n{rows}\n\n"
    note = "Note. All p values are FDR-corrected.\n\n"
    result = "F(2, 38) = 8.33, p = .03."
    results = audit_text(f"{table}{note}{mention}{result}").results
    assert [one.verdict for one in results] == ["consistent if corrected"] * 2
    assert audit_text(f"{table}{note}It mattered, F(2, 38) = 8.43, p = .03.").results[-1].flagged  # of no table
    assert all(one.flagged for one in audit_text(f"{table}{mention}{result}").results)


def test_what_is_said_against_a_correction_decides_in_its_paragraph() -> None:
    methods = "All p-values were Bonferroni corrected.\n\n"
    assert last(methods + THRICE).verdict == "consistent if corrected"
    against = "These p were not corrected for multiple comparisons. "
    assert last(methods + against + THRICE).verdict == "decision error"


def test_a_question_to_a_paper_is_no_verdict_of_its_results() -> None:
    # R: pf(9.22, 1, 26, lower = FALSE) is .0054, pf(4.10, 1, 26, ...) .0533, 2 * pt(-2.13, 13) .0528
    audit = audit_text("They did: F(1, 26) = 9.22, p < .005; F(1, 26) = 4.10, p < .05; t(13) = 2.13, p < .05.")
    assert [one.verdict for one in audit.results] == ["consistent if one-tailed", "decision error", "decision error"]
    assert [one.flagged for one in audit.results] == [False, True, False]
    assert "3 p of this text do" in audit.results[1].why


def test_statements_come_with_their_sentence() -> None:
    statements = context(
        "One. We used Holm's procedure for the tests. Two.\nReferences\nHolm, S. (1979). Tests."
    ).statements
    assert [statement.text for statement in statements] == ["We used Holm's procedure for the tests."]


@pytest.mark.slow
def test_time_with_many_statements_and_results() -> None:
    text = ("We used Holm tests. All tests are one-tailed. " + THRICE) * 2000
    assert len(audit_text(text)) == 2000


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("By a permutation test they did not differ, t(28) = 2.20, p = .109.", "not checkable"),
        ("They did not differ, t(28) = 2.20, bootstrapped p = .109.", "not checkable"),
        ("They did not differ, t(28) = 2.20, p = .109 (95% bootstrap CI of d [0.1, 0.9]).", "decision error"),
        ("By a permutation test they differed, t(28) = 2.20, p = .036.", "consistent"),
    ],
)
def test_p_of_another_distribution(said: str, verdict: str) -> None:
    assert last(said).verdict == verdict


@pytest.mark.slow
@settings(max_examples=150)
@given(st.one_of(st.from_regex(FACTS.correction), st.from_regex(FACTS.one_tail)))
def test_what_makes_a_statement_holds_a_stem(text: str) -> None:
    assert find_stems(text)


@pytest.mark.parametrize("said", ["ſingle-ſıded", "SİNGLE tailed", "ſİDÁK", "ŠIDAK", "Bonferronİ"])
def test_stems_of_letters_that_are_alike(said: str) -> None:
    assert FACTS.correction.search(said) or FACTS.one_tail.search(said)
    assert find_stems(said)


def test_in_lines_without_paragraphs_a_note_holds_for_its_table_alone() -> None:
    lines = (
        "Table 2",
        "A, F(2, 38) = 8.33, p = .03",
        "Note. All p are",
        "FDR-corrected.",
        "B, F(2, 38) = 8.03, p = .03.",
    )
    results = audit_text("\n".join(lines)).results
    assert [result.verdict for result in results] == ["consistent if corrected", "inconsistent"]
