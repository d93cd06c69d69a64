"""A check warns where a question names a direction in words and no key does, or a key names the other."""

from __future__ import annotations

import pytest

import negstats
from negstats.analysis.plan.direction_words import direction_words, predicted_by_words
from negstats.analysis.plan.parse import parse
from negstats.analysis.preregistration.aspredicted import aspredicted
from negstats.analysis.preregistration.check import check
from negstats.analysis.preregistration.draft import draft
from tests.analysis.plan.plans import SMALLEST


@pytest.fixture(scope="module")
def sample() -> negstats.Study:
    return negstats.load("datasets/sample")


def warnings_of(text: str, study: negstats.Study) -> list[str]:
    return [str(warning) for one in check(parse(text), study).questions for warning in one.warnings]


@pytest.mark.slow
def test_a_directional_question_without_a_key_is_warned_of(sample: negstats.Study) -> None:
    (warning,) = warnings_of(SMALLEST, sample)
    assert warning == (
        "plan.toml:2: questions.H1.asks: says 'more', and no key says which way the effect is predicted; "
        'add predicts = "CL > FC" or predicts = "FC > CL"'
    )
    lines = check(parse(SMALLEST), sample).lines()
    assert f"  warning: {warning}" in lines


@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ['predicts = "CL > FC"', 'direction = "FC < CL"', "equivalent = 0.05", "explore = true"]
)  # fmt: skip
def test_a_key_or_a_question_without_a_verdict_is_not_warned_of(line: str, sample: negstats.Study) -> None:
    assert warnings_of(SMALLEST + line + "\n", sample) == []


@pytest.mark.slow
@pytest.mark.parametrize("line", ['direction = "CL < FC"', 'predicts = "FC > CL"'])
def test_a_key_that_contradicts_the_words_is_warned_of(line: str, sample: negstats.Study) -> None:
    (warning,) = warnings_of(SMALLEST + line + "\n", sample)
    field = line.partition(" ")[0]
    assert f"questions.H1.{field}: is 'FC > CL', but asks says the opposite" in warning


@pytest.mark.parametrize(
    ("sentence", "sign"),
    [
        ("Does the robot earn less in CL than in FC?", -1),
        ("In CL, are prices higher than in FC?", 1),
        ("Are there fewer rounds in FC than in CL?", 1),
        ("Verdient der Roboter in CL mehr als in FC?", 1),
        ("¿Ganan menos en FC que en CL?", 1),
        # Which way it is predicted is not said plainly.
        ("Does the robot earn less in CL?", 0),
        ("Is the robot better in CL than in FC?", 0),
        ("Do those who earn more in CL than in FC talk less?", 0),
        ("Does CL differ from FC more than expected?", 0),
    ],
)
def test_the_sign_that_words_give_to_levels(sentence: str, sign: int) -> None:
    assert predicted_by_words(sentence, ("CL", "FC")) == sign


@pytest.mark.parametrize(
    ("sentence", "sign"),
    [
        ("Does joint value fall with the number of messages?", -1),
        ("Do longer talks end in fewer points?", -1),
        ("Do people with more points give higher ratings?", 1),
        ("Are points and rounds negatively related?", -1),
        ("Is there more talk where points differ?", 0),
        ("Do people with more points feel better?", 0),
    ],
)
def test_the_sign_that_words_give_to_a_relation(sentence: str, sign: int) -> None:
    assert predicted_by_words(sentence) == sign


@pytest.mark.parametrize(
    ("sentence", "words"),
    [
        ("Are negotiations shorter in CL?", ["shorter"]),
        ("Do longer talks end in fewer points?", ["longer", "fewer"]),
        ("Does talking increase satisfaction?", ["increase"]),
        ("Verdient der Roboter in CL mehr als in FC?", ["mehr"]),
        ("Sind die Preise höher, wenn der Verkäufer beginnt?", ["höher"]),
        ("¿Ganan los robots más en CL que en FC?", ["más"]),
        ("Les robots gagnent-ils moins avec CL ?", ["moins"]),
        ("I prezzi sono più alti in CL?", ["più"]),
        ("Os preços são menores em CL?", ["menores"]),
        ("Verdienen robots in CL minder dan in FC?", ["minder"]),
        ("Зарабатывают ли роботы больше в CL?", ["больше"]),
        ("Ist die Zufriedenheit geringer?", ["geringer"]),
        ("Покупатели зарабатывают больше?", ["больше"]),
        ("Do messages boost the joint value?", ["boost"]),
        ("Are sellers happier than buyers?", ["happier"]),
        ("Are points and rounds negatively related?", ["negatively"]),
        ("Is there a positive relation between messages and points?", ["positive"]),
        ("Do positive emotions change points?", []),
        # No direction, though a word of one stands there.
        ("Are people more or less satisfied?", []),
        ("Do people agree at least once?", []),
        ("Does the mayor of the game earn points?", []),
        ("Who earns more?", []),
        ("In welcher Bedingung sind die Preise höher?", []),
        ("Are more than two offers made, other than by agents?", []),
        ("Does the plus condition differ?", []),
        ("Is there a difference in points between CL and FC?", []),
        ("Do people get the same within 0.05 points?", []),
    ],
)
def test_words_of_a_direction(sentence: str, words: list[str]) -> None:
    assert direction_words(sentence) == words


def test_a_level_that_is_called_like_a_direction_is_a_name() -> None:
    assert direction_words("Is there a difference between more and less?", ["more", "less"]) == []


@pytest.mark.slow
def test_drafts_write_the_key_and_preregistrations_say_which_test_it_has(sample: negstats.Study) -> None:
    text = draft(sample, "datasets/sample")
    assert '#predicts = "CL > FC"' in text
    assert warnings_of(text, sample) == []
    for line, words in (
        ('predicts = "CL < FC"', "FC > CL (two-sided test)"),
        ('direction = "CL > FC"', "CL > FC (one-"),
    ):
        assert f"Predicted: {words}" in aspredicted(parse(SMALLEST + line + "\n"))
