"""What a prediction is about and which sign it has, as levels are known; and how an effect is said in its words."""

from __future__ import annotations

from typing import Any

import pytest

from negstats.analysis.plan.model import Contrast, Question
from negstats.analysis.plan.predictions import PredictionError, Target, faults_of, observed, target_of, ways_to_predict

LEVELS = {"who": ("human", "robot"), "country": ("China", "USA"), "arm": ("a", "b", "c"), "unknown": None}
FACTORS = ("who", "country")
A_B = Contrast("a against b", {"a": 1.0, "b": -1.0})


def ask(**fields: Any) -> Question:
    return Question("?", "points", **fields)


@pytest.mark.parametrize(
    ("question", "text", "names", "sign"),
    [
        (ask(with_=("rounds",)), "positive", (), 1),
        (ask(with_=("rounds",)), "negative", (), -1),
        (ask(against=3.0), "above", (), 1),
        (ask(against=3.0), "below", (), -1),
        (ask(by=("arm",), contrasts=(A_B,)), "negative", (), -1),
        (ask(by=("who",)), "human > robot", ("who",), 1),
        (ask(by=("who",)), "human < robot", ("who",), -1),
        (ask(by=FACTORS, effect=("country",)), "USA > China", ("country",), -1),
        (ask(by=FACTORS), "China > USA", ("country",), 1),
        (ask(by=("who", "arm")), "human > robot", ("who",), 1),
        (ask(by=FACTORS), "human - robot in USA > human - robot in China", FACTORS, -1),
        (ask(by=FACTORS), "robot - human in USA > robot - human in China", FACTORS, 1),
        (ask(by=FACTORS), "China - USA in human > China - USA in robot", FACTORS, 1),
        (ask(by=FACTORS, effect=("country:who",)), "China - USA in human < China - USA in robot", FACTORS, -1),
        (ask(by=("who",), with_=("rounds",)), "rounds in robot > rounds in human", ("who", "rounds"), -1),
    ],
)
def test_what_a_prediction_is_about(question: Question, text: str, names: tuple[str, ...], sign: int) -> None:
    assert target_of(question, "predicts", text, LEVELS) == Target(frozenset(names), sign)


def test_a_chain_keeps_its_order_and_unknown_levels_say_nothing() -> None:
    chain = target_of(ask(by=("arm",), contrasts=(A_B,)), "predicts", "c < b < a", LEVELS)
    assert chain == Target(frozenset(), 1, ("a", "b", "c"))
    assert target_of(ask(by=("who", "unknown")), "predicts", "human > robot", LEVELS) is None


@pytest.mark.parametrize(
    ("question", "text", "fault"),
    [
        (ask(by=("who",)), "human > human", "names 'human' twice"),
        (ask(by=("arm",), contrasts=(A_B,)), "a > b > b", "names 'b' twice"),
        (ask(with_=("rounds",)), "human > robot", "by names no factor"),
        (ask(by=("who",)), "positve", "did you mean 'positive'"),
        (ask(by=("who",)), "positive", "'positive' is for with and for contrasts"),
        (ask(by=("who",)), "above", "'above' needs a number"),
        (ask(by=("arm",)), "a > b", "needs two levels, 'arm' has 3"),
        (ask(by=("who",)), "human > martian", "'martian' is not a level of 'who'"),
        (ask(by=("who",)), "venusian > martian", "'venusian' is not a level of 'who'"),
        (ask(by=FACTORS, effect=("who",)), "China > USA", "'China' is not a level of 'who'"),
        (ask(by=FACTORS, effect=("who:country",)), "China > USA", "is about 'country', and effect is 'who:country'"),
        (
            ask(by=FACTORS, effect=("who",)),
            "human - robot in USA > human - robot in China",
            "is about 'country:who', and effect is 'who'",
        ),
        (ask(by=("who", "arm")), "human - robot in a > human - robot in b", "needs two levels, 'arm' has 3"),
        (ask(by=("arm", "who")), "a - b in human > a - b in robot", "needs two levels, 'arm' has 3"),
        (ask(by=FACTORS), "human - robot in USA > human - robot in Peru", "is not a level of"),
        (ask(by=("arm",), contrasts=(A_B,)), "a > x", "'x' is not a level of 'arm'"),
        (ask(by=("arm",), contrasts=(A_B,)), "a > c", "does not fix the sign of 'a against b'"),
    ],
)
def test_a_prediction_that_does_not_fit_says_why(question: Question, text: str, fault: str) -> None:
    with pytest.raises(PredictionError, match=fault):
        target_of(question, "predicts", text, LEVELS)


def test_two_factors_with_the_same_levels_have_to_be_told_apart() -> None:
    levels = {"mine": ("low", "high"), "yours": ("low", "high")}
    with pytest.raises(PredictionError, match="names levels of 'mine' and of 'yours'"):
        target_of(ask(by=("mine", "yours")), "predicts", "low > high", levels)
    told = target_of(ask(by=("mine", "yours"), effect=("yours",)), "predicts", "low > high", levels)
    assert told == Target(frozenset({"yours"}), 1)


def test_the_field_of_a_fault_is_named() -> None:
    question = ask(by=("arm",), contrasts=(A_B,), direction="a > b", predicts="a > c")
    assert [field for field, _ in faults_of(question, LEVELS)] == ["direction", "predicts"]


@pytest.mark.parametrize(
    ("question", "ways"),
    [
        (ask(against=3.0), 'predicts = "above" or predicts = "below"'),
        (ask(with_=("rounds",)), 'predicts = "positive" or predicts = "negative"'),
        (ask(by=("arm",), contrasts=(A_B,)), 'predicts = "positive" or predicts = "negative"'),
        (ask(), ""),
        (ask(by=("who",), with_=("rounds",)), 'predicts = "human > robot" or predicts = "robot > human"'),
        (ask(by=("unknown",)), 'predicts = "CL > FC" or predicts = "FC > CL"'),
        (ask(by=("who", "arm"), effect=("who",)), 'predicts = "human > robot" or predicts = "robot > human"'),
        (
            ask(by=("arm", "who"), effect=("arm",)),
            'contrasts and predicts = "positive", for a test of several levels has no direction',
        ),
        (
            ask(by=FACTORS, effect=("who:country",)),
            'predicts = "human - robot in China > human - robot in USA" or predicts = the other way round',
        ),
        (ask(by=("who", "unknown"), effect=("who:unknown",)), 'predicts = "CL > FC" or predicts = "FC > CL"'),
    ],
)
def test_ways_to_predict(question: Question, ways: str) -> None:
    assert ways_to_predict(question, LEVELS) == ways


def test_a_factor_whose_name_is_a_part_of_anothers_is_not_meant() -> None:
    levels = {"arm": ("a", "b", "c"), "army": ("x", "y")}
    assert (
        ways_to_predict(ask(by=("arm", "army"), effect=("army",)), levels) == 'predicts = "x > y" or predicts = "y > x"'
    )


@pytest.mark.parametrize(
    ("question", "names", "sign", "words"),
    [
        (ask(by=("who",)), ("who",), 0, None),
        (ask(against=3.0), (), -1, "below"),
        (ask(with_=("rounds",)), ("rounds",), 1, "positive"),
        (ask(by=("who",), covariates=("age",)), ("age",), -1, "negative"),
        (ask(by=("who",), covariates=("age",)), ("who",), 1, "human > robot"),
        (ask(by=FACTORS), ("country",), -1, "USA > China"),
        (ask(by=FACTORS), FACTORS, 1, "human - robot in China > human - robot in USA"),
        (ask(by=("who",), with_=("rounds",)), ("who", "rounds"), -1, "rounds in robot > rounds in human"),
        (ask(by=("who", "arm")), ("who", "arm"), 1, None),
        (ask(by=FACTORS, with_=("rounds",)), (*FACTORS, "rounds"), 1, None),
        (ask(by=("who",), with_=("rounds", "offers")), ("who", "rounds", "offers"), 1, None),
    ],
)
def test_an_effect_in_the_words_of_a_prediction(
    question: Question, names: tuple[str, ...], sign: int, words: str | None
) -> None:
    assert observed(question, frozenset(names), sign, LEVELS) == words
    if words is not None and question.by and not question.covariates:
        assert target_of(question, "predicts", words, LEVELS) is not None
    assert observed(question, frozenset(names), 1, LEVELS, with_contrasts=True) in ("positive", "above")
