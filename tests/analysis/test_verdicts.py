"""Two facts of a verdict: whether there is an effect and which way it lies, and whether it is large enough."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from negstats import stats
from negstats.analysis import run
from negstats.analysis.effect_sizes import Quantity, quantity
from negstats.analysis.methods.records import TestRecord, f_test, t_test_of
from negstats.analysis.plan.model import Contrast, Question
from negstats.analysis.plan.predictions import contrast_sign, sides_of, spelled
from negstats.analysis.verdicts import (
    SIGNIFICANT_OPPOSITE,
    Verdict,
    agrees,
    checks_of,
    is_same_conclusion,
    sentence_of,
    verdict_of,
)
from negstats.stats.results.options import Alternative
from tests.analysis.matrix import DESIGNS
from tests.analysis.methods.designs import BY_ROW, alone, study_of

ALPHA = 0.05
LEVELS = {"condition": ("CL", "FC")}
ASKED = Question("Does the robot earn more in CL than in FC?", "points", who="agent", by=("condition",))


def t_record(value: float, se: float, df: float = 65, alternative: Alternative = "two-sided") -> TestRecord:
    """Return a t-test of a difference, first minus second, as methods record it."""
    t = value / se
    tail = {"two-sided": 2 * scipy_stats.t.sf(abs(t), df), "greater": scipy_stats.t.sf(t, df),
            "less": scipy_stats.t.cdf(t, df)}[alternative]  # fmt: skip
    level = 0.95 if alternative == "two-sided" else 0.9
    reach = scipy_stats.t.ppf((1 + level) / 2, df) * se
    estimate = Quantity("difference", value, value - reach, value + reach, level, "t")
    return TestRecord(None, "paired", "t", t, float(tail), (df,), (66.0,), alternative=alternative, estimate=estimate)


def judge(question: Question, test: TestRecord) -> Verdict:
    return verdict_of(question, "H1", test, ALPHA, [], depends=False, levels=LEVELS)


# The matrix: sign of the effect × kind of prediction × significance × smallest effect ------------------------------


def effect_of(make: Callable[[], stats.Effect], _what: str = "", _place: str = "") -> Quantity:
    effect = make()
    return quantity(effect.name, effect.value, effect.confidence_interval(0.95))


# What a record asks of the input of a test: the level of its intervals, and a way to effect sizes that may be lacking.
CASE: Any = SimpleNamespace(level=0.95, effect=effect_of)
SIGNS = (1, -1)
PREDICTIONS = ("none", "predicts met", "predicts opposite", "direction met", "direction opposite")
SIGNIFICANCE = ("significant", "not significant", "not after correction")
SMALLEST = (None, "ruled out", "open", "reached")
EFFECT = {"significant": "found", "not significant": "not found", "not after correction": "not found after correction"}


MATRIX = [cell for cell in itertools.product(SIGNS, PREDICTIONS, SIGNIFICANCE, SMALLEST)
          if cell[2:] != ("not significant", "reached")]  # fmt: skip  # an interval that holds 0 is beyond no bound


@pytest.mark.slow(keep=60)
@pytest.mark.parametrize(("sign", "kind", "significance", "size"), MATRIX)
def test_each_cell_of_the_matrix_has_its_words(sign: int, kind: str, significance: str, size: str | None) -> None:
    """The effect is 3 or 0.5 standard errors of 0.1; of the one-sided test against its direction p is near 1."""
    value = sign * (0.05 if significance == "not significant" else 0.3)
    lies, other = ("CL > FC", "FC > CL") if sign > 0 else ("FC > CL", "CL > FC")
    field, _, match = kind.partition(" ")
    way, question = lies if match == "met" else other, ASKED
    side: Alternative = "two-sided"
    if field == "predicts":
        question = replace(ASKED, predicts=way)
    elif field == "direction":
        question, side = replace(ASKED, direction=way), "greater" if way == "CL > FC" else "less"
    test = t_record(value, 0.1, alternative=side)
    if significance == "not after correction":
        test = replace(test, p_adjusted=max(0.2, test.p), correction="holm")
    low, high = abs(value) - 1.669 * 0.1, abs(value) + 1.669 * 0.1  # the 90% interval of 65 degrees of freedom
    bounds = {None: None, "ruled out": high + 0.01, "open": high - 0.01, "reached": low / 2}
    verdict = judge(replace(question, smallest=bounds[size]), test)

    is_against = kind == "direction opposite"
    effect = "not found" if is_against else EFFECT[significance]
    assert verdict.effect == effect
    assert verdict.observed == lies
    assert verdict.match == {"": None, "met": "as predicted", "opposite": "opposite"}[match]
    word = verdict.word
    if kind == "none":
        assert "supported" not in verdict.text({})
        assert word == {"found": "a difference was found", "not found": "no difference was shown",
                        "not found after correction": "no difference was shown after correction"}[effect]  # fmt: skip
        if effect == "found":
            assert verdict.text({}).startswith(f"a difference was found: more in {'CL' if sign > 0 else 'FC'}")
    elif effect == "found":
        opposite = "not supported; significant in the opposite direction"
        assert word == ("supported" if match == "met" else opposite)
    elif is_against and significance != "not significant":
        assert word == "not supported; the difference lies in the opposite direction"
    else:
        assert word == ("not supported after correction" if effect != "not found" else "not supported")
    # The second fact is the same whatever the first is.
    assert (None if verdict.size is None else verdict.size.answer) == size
    text = verdict.text({})
    assert ("or more are ruled out" in text) == (size == "ruled out")


def test_an_effect_of_which_all_that_is_possible_is_small_is_never_said_to_leave_small_effects_open() -> None:
    """An effect of -0.49 [-0.80, -0.18] of points is found, and one of 1 point or more is ruled out."""
    test = replace(t_record(-0.49, 0.1582, df=1981.96), p_adjusted=0.006, correction="holm")
    verdict = judge(replace(ASKED, predicts="CL < FC", smallest=1.0), test)
    assert verdict.text({}) == "supported; effects of 1 or more are ruled out"
    assert verdict.size is not None
    assert verdict.size.p == pytest.approx(float(scipy_stats.t.sf((-0.49 + 1) / 0.1582, 1981.96)))


def test_an_interaction_that_is_not_significant_is_ruled_out_with_its_interval() -> None:
    """The report's example: 0.25 with t(990) = -2.43 against 1 point, 90% CI [-0.26, 0.76], p = .008."""
    verdict = judge(replace(ASKED, smallest=1.0), t_record(0.25, 0.3090, df=990))
    size = verdict.size
    assert size is not None
    assert (size.answer, round(size.low, 2), round(size.high, 2)) == ("ruled out", -0.26, 0.76)
    assert (round(size.statistic or 0, 2), round(size.p or 0, 3)) == (-2.43, 0.008)


@given(st.floats(-5, 5), st.floats(0.01, 3), st.floats(0.01, 5))
def test_to_turn_the_levels_round_turns_the_sign_and_nothing_else(value: float, se: float, smallest: float) -> None:
    one = judge(replace(ASKED, predicts="CL > FC", smallest=smallest), t_record(value, se))
    two = judge(replace(ASKED, predicts="FC > CL", smallest=smallest), t_record(-value, se))
    assert (one.word, one.match, one.effect) == (two.word, two.match, two.effect)
    if one.size is not None and two.size is not None:
        assert one.size.answer == two.size.answer
        assert one.size.low == pytest.approx(-two.size.high)


@given(st.floats(-5, 5), st.floats(0.05, 3), st.floats(0.01, 5))
def test_ruled_out_is_what_two_one_sided_tests_reject(value: float, se: float, smallest: float) -> None:
    """The interval at 1 - 2 alpha lies inside the bounds where the larger p of the two tests is below alpha."""
    size = judge(replace(ASKED, smallest=smallest), t_record(value, se)).size
    assert size is not None
    larger = max(scipy_stats.t.sf((value + smallest) / se, 65), scipy_stats.t.cdf((value - smallest) / se, 65))
    if abs(larger - ALPHA) > 1e-9:
        assert (size.answer == "ruled out") == (larger < ALPHA)
    assert size.p == pytest.approx(larger, abs=1e-12)


# Where the sign comes from -----------------------------------------------------------------------------------------


def cells_of(means: Mapping[Any, float], names: tuple[str, ...]) -> list[dict[str, object]]:
    return [
        {"levels": dict(zip(names, at, strict=True)), "n": 10, "mean": mean, "sd": 1.0} for at, mean in means.items()
    ]


TWO = {"condition": ("CL", "FC"), "country": ("China", "USA")}
FACTORIAL = replace(ASKED, by=("condition", "country"))


@pytest.mark.parametrize(
    ("predicts", "term", "word"),
    [
        ("CL > FC", "condition", "supported"),
        ("CL < FC", "condition", "not supported; significant in the opposite direction"),
        ("USA > China", "country", "supported"),
        ("CL - FC in USA > CL - FC in China", "condition:country", "supported"),
        (
            "CL - FC in China > CL - FC in USA",
            "condition:country",
            "not supported; significant in the opposite direction",
        ),
        ("FC - CL in USA < FC - CL in China", "condition:country", "supported"),
        ("USA - China in CL > USA - China in FC", "condition:country", "supported"),
    ],
)
@pytest.mark.parametrize(("method", "shift"), [("anova", 0.0), ("anova", -20.0), ("quasi_poisson", 0.0)])
def test_an_f_of_one_degree_of_freedom_has_the_sign_of_its_cells(
    method: str, shift: float, predicts: str, term: str, word: str
) -> None:
    """Wherever the means lie, and for ratios of means too."""
    means = {("CL", "China"): 4.0, ("CL", "USA"): 9.0, ("FC", "China"): 3.0, ("FC", "USA"): 2.0}
    means = {at: mean + shift for at, mean in means.items()}
    test = TestRecord(None, method, "f", 9.0, 0.004, (1.0, 36.0), (40.0,), term=term)
    question = replace(FACTORIAL, predicts=predicts)
    verdict = verdict_of(
        question, "H1", test, ALPHA, cells_of(means, ("condition", "country")), depends=False, levels=TWO
    )
    assert verdict.word == word


def test_the_contrast_of_cells_is_the_estimate_of_which_f_is_the_square() -> None:
    """Of one degree of freedom the F is the square of t of the contrast of the cells, by the pooled variance."""
    rng = np.random.default_rng(3)
    values = {
        at: rng.normal(mean, 1, 12) for at, mean in zip(itertools.product(*TWO.values()), (1, 2, 4, 2), strict=True)
    }
    rows_of_cells = [(*at, value) for at, rows in values.items() for value in rows]
    frame = pd.DataFrame(rows_of_cells, columns=["condition", "country", "value"])
    result = stats.anova(stats.Cells.from_frame(frame, "value", ["condition", "country"]))
    record = f_test(CASE, result.effect("condition:country"), "anova", term="condition:country", n=48.0)
    entries = cells_of({at: float(rows.mean()) for at, rows in values.items()}, ("condition", "country"))
    question = replace(FACTORIAL, smallest=1.0)
    verdict = verdict_of(question, "H1", record, ALPHA, entries, depends=False, levels=TWO)
    means = [float(rows.mean()) for rows in values.values()]
    estimate = means[0] - means[1] - means[2] + means[3]
    pooled = np.mean([rows.var(ddof=1) for rows in values.values()])
    se = float(np.sqrt(pooled * 4 / 12))
    assert verdict.size is not None
    reach = scipy_stats.t.ppf(0.95, 44) * se
    assert (verdict.size.low, verdict.size.high) == pytest.approx((estimate - reach, estimate + reach))


def test_terms_that_a_prediction_does_not_name_are_answered_without_one() -> None:
    means = {("CL", "China"): 4.0, ("CL", "USA"): 9.0, ("FC", "China"): 3.0, ("FC", "USA"): 2.0}
    test = TestRecord(None, "anova", "f", 9.0, 0.004, (1.0, 36.0), (40.0,), term="country")
    question = replace(FACTORIAL, predicts="CL > FC")
    verdict = verdict_of(
        question, "H1", test, ALPHA, cells_of(means, ("condition", "country")), depends=False, levels=TWO
    )
    assert verdict.text({}) == "a difference was found: more in USA"


def test_a_test_of_several_degrees_of_freedom_has_no_sign() -> None:
    levels = {"condition": ("A", "B", "C")}
    test = TestRecord(None, "welch_anova", "f", 9.0, 0.004, (2.0, 36.0), (40.0,))
    verdict = verdict_of(ASKED, "H1", test, ALPHA, [], depends=False, levels=levels)
    assert (verdict.text({}), verdict.observed) == ("a difference was found", None)


def test_an_interval_that_is_not_symmetric_is_read_as_it_is() -> None:
    """No t stands behind it, so that a smallest effect is held against its ends alone."""
    estimate = Quantity("risk_difference", 0.3, -0.1, 0.5)
    test = replace(t_record(0.3, 0.15), kind="z", df=(), estimate=estimate)
    size = judge(replace(ASKED, smallest=0.6), test).size
    assert size is not None
    assert (size.answer, size.low, size.high, size.statistic, size.p) == ("ruled out", -0.1, 0.5, None, None)


@pytest.mark.parametrize("name", ["mean", "share"])
def test_a_mean_is_above_the_stated_value_and_not_above_zero(name: str) -> None:
    """A mean of 0.4 against 0.5 lies below, though it is positive."""
    test = replace(t_record(0.4, 0.02), estimate=Quantity(name, 0.4, 0.36, 0.44), statistic=-5.0, p=1e-5)
    question = Question("More than half?", "points", against=0.5, predicts="above")
    verdict = verdict_of(question, "H1", test, ALPHA, [], depends=False)
    assert verdict.word == "not supported; significant in the opposite direction"


@pytest.mark.parametrize(
    ("ratio", "name", "way"),
    [(2.0, "odds_ratio", "CL > FC"), (0.5, "ratio_of_means", "FC > CL"), (2.0, "hazard_ratio", "FC > CL")],
)
def test_a_ratio_has_the_sign_of_its_logarithm_and_a_higher_rate_is_a_shorter_time(
    ratio: float, name: str, way: str
) -> None:
    test = TestRecord(None, "cox", "chi2", 8.0, 0.004, (1.0,), effect=Quantity(name, ratio))
    assert judge(ASKED, test).observed == way


# The grammar of predictions ------------------------------------------------------------------------------------------


@given(st.permutations(["A", "B", "C", "D"]), st.lists(st.integers(-3, 3), min_size=4, max_size=4),
       st.lists(st.floats(0.01, 2), min_size=3, max_size=3))  # fmt: skip
def test_an_order_fixes_the_sign_of_a_contrast_for_all_means_in_that_order(
    order: list[str], weights: list[int], steps: list[float]
) -> None:
    """Whatever falling means: where the order fixes a sign, the weighted sum has it."""
    centred = [4 * weight - sum(weights) for weight in weights]
    sign = contrast_sign(order, dict(zip(order, centred, strict=True)))
    means = -np.cumsum([0.0, *steps])
    if sign:
        assert np.sign(np.dot(centred, means)) == sign


def test_a_chain_predicts_the_sign_of_each_contrast() -> None:
    trend = Contrast("trend", {"A": 1.0, "C": -1.0})
    question = replace(ASKED, predicts="A > B > C", contrasts=(trend,))
    test = replace(t_record(-0.3, 0.1), method="contrast", term="trend")
    verdict = verdict_of(question, "H1", test, ALPHA, [], depends=False, levels={"condition": ("A", "B", "C")})
    assert verdict.word == "not supported; significant in the opposite direction"


@given(st.lists(st.sampled_from(["CL", "FC", "a b", "<30 years", ">=30"]), min_size=2, max_size=4, unique=True))
def test_both_signs_say_the_same(sides: list[str]) -> None:
    assert sides_of(" > ".join(sides)) == sides_of(" < ".join(reversed(sides))) == tuple(sides)
    assert sides_of(spelled(sides)) == tuple(sides)


def test_the_record_of_a_real_test_has_its_sign() -> None:
    """Of the data of Student's sleep study the first drug gives 1.58 hours less: t(9) = -4.06, p = .003 in R."""
    first = np.array([0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0])
    second = np.array([1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4])
    both = stats.Moments.from_columns(pd.DataFrame({"CL": first, "FC": second}), ["CL", "FC"])
    test = stats.paired_t(both)
    record = t_test_of(CASE, test, test, "paired", effect="d_z")
    assert round(record.statistic, 2) == -4.06
    assert judge(replace(ASKED, predicts="CL > FC"), record).word.endswith("significant in the opposite direction")
    assert judge(replace(ASKED, predicts="CL < FC"), record).word == "supported"


@pytest.mark.slow
def test_a_prediction_about_a_time_is_about_the_time_and_not_about_the_rate() -> None:
    """Where the median of b is the longer, "b > a" is what data lean to, though the hazard of a is the higher."""
    case = BY_ROW[51]
    plan, study = case.plan(), study_of(case)
    asked = {way: replace(plan, questions={"Q": replace(plan.questions["Q"], direction=way, test="cox")})
             for way in ("a > b", "b > a")}  # fmt: skip
    entries = {way: run(one, study).results["questions"][0] for way, one in asked.items()}
    p = {way: next(test["p"] for test in entry["tests"] if test["role"] == "answer") for way, entry in entries.items()}
    (answer,) = (test for test in run(plan, study).results["questions"][0]["tests"] if test["role"] == "answer")
    longer = "a > b" if answer["effect"]["value"] > 0 else "b > a"
    assert sum(p.values()) == pytest.approx(1)
    assert min(p, key=lambda way: p[way]) == longer
    assert {entry["verdicts"][0]["observed"] for entry in entries.values()} == {longer}


@pytest.mark.slow
@pytest.mark.parametrize("test", ["logistic", "gee"])
@pytest.mark.parametrize(("predicts", "word"), [("a > b", "supported"), ("b > a", SIGNIFICANT_OPPOSITE)])
def test_a_factor_that_is_crossed_with_a_number_has_a_direction(test: str, predicts: str, word: str) -> None:
    """Six of seven say yes at the level a and one of three at b, whatever their age: a question of 60 units."""
    case = DESIGNS["33 logistic"](["a", "b"])
    case = replace(case, question=f'{case.question}\ntest = "{test}"\npredicts = "{predicts}"')
    study = case.study(np.random.default_rng(3))
    levels = study.players["game_id"].map(study.games.set_index("game_id")["condition"])
    place = np.arange(len(levels))
    points = pd.Series(np.where(levels == "a", place % 7 > 0, place % 3 == 0).astype(float), index=levels.index)
    entry = run(case.plan(), replace(study, players=study.players.assign(points=points))).results["questions"][0]
    (verdict,) = (one for one in entry["verdicts"] if one["address"].endswith("/condition"))
    assert (verdict["word"].rpartition("; ")[2], verdict["observed"]) == (word, "a > b")


@pytest.mark.slow
@pytest.mark.parametrize("predicts", ["a > b", "b > a"])
@pytest.mark.parametrize("is_higher", ["a", "b"])
def test_ordered_answers_of_crossed_factors_have_a_direction(is_higher: str, predicts: str) -> None:
    """The answers of one level are the other's, each a step higher; a proportional-odds model tests the factor."""
    case = DESIGNS["45 crossed ranks"](["a", "b"])
    case = replace(case, question=f'{case.question}\npredicts = "{predicts}"')
    study = case.study(np.random.default_rng(3))
    levels = study.players["game_id"].map(study.games.set_index("game_id")["condition"])
    points = pd.Series(np.arange(len(levels)) // 4 % 3 + 1.0, index=levels.index) + 1.0 * (levels == is_higher)
    entry = run(case.plan(), replace(study, players=study.players.assign(points=points))).results["questions"][0]
    (verdict,) = entry["verdicts"]
    assert [test["method"] for test in entry["tests"] if test["role"] == "answer"] == ["ordinal"]
    assert verdict["observed"] == ("a > b" if is_higher == "a" else "b > a")
    is_as_predicted = verdict["observed"] == predicts
    assert verdict["word"].endswith("supported" if is_as_predicted else SIGNIFICANT_OPPOSITE)


@pytest.mark.slow
@pytest.mark.parametrize("higher", ["a", "b"])
def test_ordered_answers_with_a_covariate_lie_where_the_odds_of_a_higher_answer_are(higher: str) -> None:
    """The share of the lowest answer falls where answers are higher: the effect on one answer is not that of all.

    The answers of one level are those of the other, each a step higher.
    """
    question = f'{BY_ROW[42].question}\ncovariates = "age"\npredicts = "{higher} > {"b" if higher == "a" else "a"}"'
    case = replace(BY_ROW[42], sheet=alone({"condition": ["a", "b"]}), question=question)
    study = case.study(np.random.default_rng(3))
    conditions = study.players["game_id"].map(study.games.set_index("game_id")["condition"])
    steps = 1.0 * (conditions == higher)
    points = pd.Series(np.arange(len(conditions)) // 2 % 3 + 1.0, index=conditions.index) + steps
    report = run(case.plan(), replace(study, players=study.players.assign(points=points)))
    entry = report.results["questions"][0]
    (answer,) = (test for test in entry["tests"] if test["role"] == "answer")
    (verdict,) = entry["verdicts"]
    assert (answer["method"], answer["estimate"]) == ("ordinal", None)
    assert (answer["effect"]["value"] > 1) == (higher == "a")
    assert (verdict["word"], verdict["match"]) == ("supported", "as predicted")


def test_a_prediction_is_not_contradicted_by_a_test_without_direction() -> None:
    """Shares of kinds differ, and no kind is more than another: nothing was found in the opposite direction."""
    test = TestRecord(None, "chi_squared", "chi2", 20.0, 0.001, (4.0,), (80.0,))
    verdict = judge(replace(ASKED, predicts="CL > FC"), test)
    assert (verdict.effect, verdict.match) == ("found", None)
    assert verdict.word == "a difference was found, but the test has no direction to hold the prediction to"


# Checks beside an answer -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("side", "sign", "p", "is_agreement"),
    [
        ("greater", 1, 0.08, True), ("greater", 1, 0.12, False), ("greater", -1, 0.08, False),
        ("less", -1, 0.08, True), ("less", 1, 0.08, False),
    ],
)  # fmt: skip
def test_a_two_sided_check_is_read_on_the_side_of_a_one_sided_answer(
    side: Alternative, sign: int, p: float, is_agreement: bool
) -> None:
    """A two-sided p of .08 is one-sided .04 on the side of its sign, and .96 on the other; one of .12 is .06."""
    answer = TestRecord(None, "welch", "t", 2.0 if side == "greater" else -2.0, 0.03, (30.0,), alternative=side)
    check = TestRecord(None, "brunner_munzel", "t", sign * 1.8, p, (30.0,), role="beside", tag="ranks")
    assert agrees(answer, check, ALPHA) is is_agreement


@given(st.floats(-60, 60), st.floats(0.5, 30), st.floats(-60, 60), st.floats(0.5, 30))
def test_a_check_agrees_where_both_find_an_effect_in_one_direction_or_none(
    value: float, se: float, other: float, other_se: float
) -> None:
    """How far two estimates are from each other is not a conclusion."""
    answer, check = t_record(value, se), replace(t_record(other, other_se), role="beside", tag="cluster")
    verdicts = judge(ASKED, answer), judge(ASKED, check)
    is_found = [verdict.effect == "found" for verdict in verdicts]
    concluded = is_found[0] == is_found[1] and (not is_found[0] or value * other > 0)
    assert agrees(answer, check, ALPHA) is concluded
    assert is_same_conclusion(*verdicts) is concluded


def test_the_corrected_p_of_both_decides_whether_a_conclusion_changed() -> None:
    found = t_record(0.4, 0.1)
    taken_away = replace(found, p_adjusted=0.2, correction="holm")
    not_found = replace(t_record(0.1, 0.1), p_adjusted=1.0, correction="holm")
    assert is_same_conclusion(judge(ASKED, taken_away), judge(ASKED, not_found))
    assert not is_same_conclusion(judge(ASKED, replace(found, p_adjusted=0.01)), judge(ASKED, taken_away))


@pytest.mark.parametrize(
    ("effect", "ways", "same"),
    [
        ("found", ("CL > FC", "FC > CL"), False),
        ("found", ("CL > FC", "CL > FC"), True),
        ("found", ("CL > FC", None), True),
        ("not found", ("CL > FC", "FC > CL"), True),
    ],
)
def test_conclusions_are_the_same_where_no_way_contradicts(effect: Any, ways: Any, same: bool) -> None:
    one, other = (replace(judge(ASKED, t_record(0.3, 0.1)), effect=effect, observed=way) for way in ways)
    assert is_same_conclusion(one, other) is same


def test_one_verdict_is_a_sentence_and_several_name_their_terms() -> None:
    one = judge(ASKED, t_record(0.3, 0.1))
    other = replace(judge(ASKED, t_record(0.1, 0.1)), term="country")
    assert sentence_of([]) is None
    assert sentence_of([one]) == one.text({})
    assert sentence_of([one, other]) == f"{one.address}: {one.text({})}; country: {other.text({})}"


def test_what_stands_exactly_on_a_bound_is_neither_found_nor_inside() -> None:
    on_the_level = replace(t_record(0.3, 0.1), p=ALPHA)
    assert judge(ASKED, on_the_level).effect == "not found"
    for value in (-0.3, 0.3):
        test = t_record(value, 0.1)
        reach = scipy_stats.t.ppf(0.95, 65) * 0.1
        for bound, answer in ((0.3 + reach, "open"), (0.3 - reach, "reached")):
            size = judge(replace(ASKED, smallest=1.0), test).size
            assert size is not None
            exact = size.high if (value > 0) == (bound > 0.3) else size.low
            verdict = judge(replace(ASKED, smallest=abs(exact)), test)
            assert verdict.size is not None
            assert verdict.size.answer == answer


def test_a_check_by_clusters_rests_on_four_degrees_of_freedom() -> None:
    answer = t_record(0.3, 0.1)
    checks = [replace(t_record(0.1, 0.1, df), role="beside", tag="cluster") for df in (3.9, 4.0)]
    assert [len(checks_of("H1", answer, [check], ALPHA)) for check in checks] == [0, 1]
    assert len(checks_of("H1", answer, [replace(checks[0], tag="hc3")], ALPHA)) == 1


@pytest.mark.parametrize(
    ("method", "cell", "observed"),
    [
        # The shares order the cells one way and the smoothed odds the other: few were asked in the first.
        ("anova", {"count": 2, "n": 2, "share": 1.0}, "CL > FC"),
        ("logistic", {"count": 2, "n": 2, "share": 1.0}, "FC > CL"),
        ("logistic", {"n": 2, "share": 1.0}, "CL > FC"),
        ("quasi_poisson", {"n": 2, "mean": 2.0}, "CL > FC"),
        ("quasi_poisson", {"n": 2, "mean": 0.0}, None),  # which has no logarithm
    ],
)
def test_cells_are_compared_on_the_scale_of_the_test(method: str, cell: dict[str, float], observed: str | None) -> None:
    other = {"count": 19, "n": 20, "share": 0.95, "mean": 1.0}
    cells = [
        {"levels": {"condition": "CL"}, **cell},
        {"levels": {"condition": "FC"}, **{name: other[name] for name in cell}},
    ]
    kind, df = ("f", (1.0, 36.0)) if method != "logistic" else ("chi2", (1.0,))
    test = TestRecord(None, method, kind, 9.0, 0.004, df, (40.0,), term="condition")
    assert verdict_of(ASKED, "H1", test, ALPHA, cells, depends=False, levels=LEVELS).observed == observed


def test_a_smallest_effect_in_sds_is_of_the_pooled_sd() -> None:
    """SDs of 2 and 4 with 9 and 4 degrees of freedom pool to the root of (9 · 4 + 4 · 16) / 13."""
    cells = [{"levels": {"condition": "CL"}, "n": 10, "mean": 1.0, "sd": 2.0},
             {"levels": {"condition": "FC"}, "n": 5, "mean": 0.0, "sd": 4.0}]  # fmt: skip
    verdict = verdict_of(replace(ASKED, smallest={"sd": 0.5}), "H1", t_record(0.3, 0.1), ALPHA, cells,
                         depends=False, levels=LEVELS)  # fmt: skip
    assert verdict.size is not None
    assert verdict.size.smallest == pytest.approx(0.5 * (100 / 13) ** 0.5)


@pytest.mark.parametrize("name", ["odds_ratio", "hazard_ratio", "average_marginal_effect", "risk_difference"])
@pytest.mark.parametrize("is_more", [True, False])
def test_a_prediction_is_met_by_the_sign_of_a_size(name: str, is_more: bool) -> None:
    """A ratio above 1 and a difference above 0 are more in the first level; in times a higher rate is shorter."""
    value = (2.0 if is_more else 0.5) if "ratio" in name else (0.2 if is_more else -0.2)
    size = Quantity(name, value, value / 1.1, value * 1.1, 0.95, "score")
    test = TestRecord(None, "logistic", "chi2", 9.0, 0.003, (1.0,), (80.0,), effect=size)
    is_met = is_more != (name == "hazard_ratio")
    assert judge(replace(ASKED, predicts="CL > FC"), test).match == ("as predicted" if is_met else "opposite")
    assert judge(replace(ASKED, predicts="CL > FC"), replace(test, df=(2.0,), effect=None)).match is None
