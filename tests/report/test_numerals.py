"""Numbers and words of a report: each number is rounded as its kind says, and each word is a fact or a phrase."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any, get_args

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from negstats import datasets
from negstats.analysis import compare, run
from negstats.analysis.method import METHODS
from negstats.analysis.verdicts import Equivalence, Found, Match
from negstats.report.numerals import (
    KINDS,
    counts_in_words,
    ends_of,
    interval,
    interval_digits,
    percent_digits,
    rounded,
    shown,
)
from negstats.report.one_answer import sentences
from negstats.report.prose import NO_BREAK, Run, prose
from negstats.report.sentences import Question, paragraph
from negstats.report.sentences.facts import Facts
from negstats.report.sentences.renderer import SLOT, VERDICT, load_words
from tests.analysis.matrix import DESIGNS, in_turn

DIGITS = st.integers(0, 3)


def value_of(text: str) -> float:
    return float(text.replace("−", "-").replace(",", ""))


@given(st.floats(-1e7, 1e7), DIGITS)
def test_measures_have_commas_between_thousands_and_a_size_has_no_sign(value: float, digits: int) -> None:
    """As Python's own format has them; an `opposite` is the number with its other sign."""
    assume(abs(round(value, digits)) > 0)
    assert shown(abs(value), "measure", digits) == f"{abs(value):,.{digits}f}"
    for kind in ("measure", "statistic"):
        assert shown(value, kind, digits) == f"{value:,.{digits}f}".replace("-", "−")
    assert shown(-abs(value), "size", digits) == shown(abs(value), "measure", digits)
    assert shown(value, "opposite of measure", digits) == shown(-value, "measure", digits)
    assert value_of(shown(value, "count")) == round(value)


@given(st.integers(1, 5000), st.data(), DIGITS)
def test_percentages_are_rounded_halves_upwards_and_fitted_ones_never_say_never(
    n: int, data: st.DataObject, digits: int
) -> None:
    """By exact arithmetic: 17 of 80 are 21.3%. A fitted probability is neither 0 nor 100, however it is rounded."""
    share = Fraction(data.draw(st.integers(0, n)), n)
    exact = (Decimal(100 * share.numerator) / share.denominator).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    assert shown(float(share), "percent", digits) == shown(-float(share), "size of percent", digits) == f"{exact:f}"
    assume((200 * share * 10**digits) % 2 != 1)  # no half
    fitted = shown(float(share), "probability", digits)
    least = Decimal(1).scaleb(-digits)
    ends = {Decimal(0): f"< {least}", Decimal(100): f"> {100 - least}"}
    assert fitted == ends.get(exact, f"{exact:f}")


@pytest.mark.parametrize(
    ("share", "n", "digits"), [(0, 9, 0), (0.001, 9, 1), (0.099, 99, 1), (0.1, 99, 0), (0.7, 99, 0), (0.7, 100, 1)]
)
def test_rare_events_and_a_hundred_and_more_have_a_decimal(share: float, n: int, digits: int) -> None:
    assert percent_digits(share, n) == digits


def test_each_kind_as_it_is_printed() -> None:
    printed = {
        ("p", 0.0004): "< .001", ("p sign", 0.0004): "<", ("p behind its sign", 0.0004): ".001",
        ("p", 0.9996): "> .999", ("p sign", 0.03): "=", ("p behind its sign", 0.0304): ".030",
        ("share", -0.316): "−.32", ("size of share", -0.316): ".32", ("df", 12.0): "12", ("df", 12.345): "12.35",
        ("count in words", 9): "nine", ("count in words", 10): "10", ("count in words", 1030): "1,030",
        ("level", 0.999): "99.9", ("percent", math.inf): "∞",
    }  # fmt: skip
    assert {key: shown(value, kind) for key in printed for kind, value in [key]} == printed
    assert {kind for kind, _ in printed} | {
        "size of percent",
        "probability",
        "measure",
        "size",
        "statistic",
        "count",
    } == set(KINDS)


def test_counts_in_brackets_and_behind_a_sign_of_equality_are_figures() -> None:
    n, t = rounded(8, "count", "/n"), rounded(8, "statistic", "/t", 0)
    text = counts_in_words(
        prose(
            "{n} [of {n} (of {n}), {n}], {n} had *N* =" + NO_BREAK + "{n}; {n} (all) {t} {m} {n}.", n=n, t=t, m=Run("8")
        )
    )
    assert str(text) == "eight [of 8 (of 8), 8], eight had N = 8; eight (all) 8 8 eight."
    assert {slot.kind for slot in text.slots if slot.address == "/n"} == {"count", "count in words"}


QUANTITY = {"value": -1.5, "low": -2.25, "high": 1.125, "level": 0.9}


def test_an_interval_turns_with_the_sign_of_its_estimate() -> None:
    """What is said of a size has the ends of the size, the smaller one first; an end that is not known is infinite."""
    plain = str(interval(QUANTITY, "measure", "/a")).replace(NO_BREAK, " ")
    assert plain == "90% CI [−2.25, 1.12]"
    assert str(interval(QUANTITY, "measure", "/a", level=False)).replace(NO_BREAK, " ") == "[−2.25, 1.12]"
    turned = interval(QUANTITY, "measure", "/a", 1, level=False, of_size=True)
    assert str(turned).replace(NO_BREAK, " ") == "[−1.1, 2.2]"
    assert [slot.address for slot in turned.slots] == ["/a/high", "/a/low"]
    for value in (1.5, 0.0, None):
        kept = ends_of(QUANTITY | {"value": value}, "measure", "/a", 1, of_size=True)
        assert [run.text for run in kept] == ["−2.2", "1.1"]
    for given_end, text in (("low", "95% CI [0.50, ∞]"), ("high", "95% CI [−∞, 0.50]")):
        assert str(interval({given_end: 0.5}, "measure", "/a")).replace(NO_BREAK, " ") == text
    assert not interval({"value": 3.0}, "measure", "/a")


@given(st.floats(-9, 9), st.floats(-9, 9), st.floats(-9, 9), st.integers(0, 4))
def test_an_estimate_and_its_ends_have_as_many_decimals_as_tell_them_apart(
    a: float, b: float, c: float, digits: int
) -> None:
    """The least number with which no end that is not 0 reads 0, and none as the estimate; at most four."""
    low, value, high = sorted(round(number, 4) for number in (a, b / 100, c / 100))

    def tells(more: int) -> bool:
        estimate = shown(value, "measure", more)
        texts = [(end, shown(end, "measure", more)) for end in (low, high) if end]
        return all(value_of(text) and (text != estimate or end == value) for end, text in texts)

    enough = [more for more in range(digits, 5) if tells(more)]
    quantity = {"value": value, "low": low, "high": high}
    assert interval_digits(quantity, "measure", digits) == (enough[0] if enough else digits)


def test_decimals_that_tell_nothing_apart_are_not_printed() -> None:
    assert interval_digits({"value": 1.00001, "low": 1.0, "high": 1.00002}, "measure") == 2


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.000499, "< 0.1"), (0.000503, "0.1"), (0.9991, "99.9"), (0.999497, "99.9"), (0.999503, "> 99.9")],
)
def test_a_fitted_chance_near_its_ends(value: float, text: str) -> None:
    assert shown(value, "probability", 1) == text


WORDS = load_words()
# What a fact may be compared with.
VALUES = {
    "effect": [*get_args(Found), *get_args(Equivalence)],
    "match": get_args(Match),
    "size": ["ruled out", "reached", "open"],
    "kind": ["t"],
    "noun": ["difference", "relation", "interaction"],
}


def wordings(value: Any) -> Iterator[tuple[str, str]]:
    """Yield each condition with its words."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from [(inner, "")] if name == "when" else wordings(inner)
    elif isinstance(value, list) and len(value) == 2 and all(isinstance(one, str) for one in value):
        yield value[0], value[1]
    elif isinstance(value, list):
        for inner in value:
            yield from wordings(inner) if inner != VERDICT else ()


def test_each_condition_is_a_fact_and_each_slot_a_fact_or_a_phrase() -> None:
    given = re.findall(r"self\.(\w+)", inspect.getsource(Facts.__init__))
    known = {name for name in [*dir(Facts), *given] if not name.startswith("_")}
    for part in ("phrases", "tables", "verdict"):
        for condition, words in wordings(WORDS[part]):
            for fact, is_compared, value in (name.removeprefix("!").partition("=") for name in condition.split()):
                assert fact in known, condition
                assert not is_compared or value.replace("_", " ") in VALUES[fact], condition
            assert set(SLOT.findall(words)) <= known | set(WORDS["phrases"]), words


OF_A_VERB = {"subject", "verb", "more", "more_of_verb"}


def test_words_of_a_verb_stand_where_the_measure_has_one() -> None:
    """Most measures have no verb as points have ("earned more"); words of one would leave holes in their sentences."""
    used = [(condition, words) for condition, words in wordings(WORDS) if OF_A_VERB & set(SLOT.findall(words))]
    assert len(used) > 5
    assert [words for condition, words in used if "verb" not in condition.split()] == []


@pytest.mark.parametrize("measure", ["points", "first_offer", "offers"])
def test_a_sentence_of_signs_is_whole_for_measures_with_and_without_a_verb(measure: str) -> None:
    who = None if measure == "offers" else "agent"
    text = sentences(compare(datasets.robot(), measure, by="condition", who=who, paired=True))
    assert re.search(r"(?:earned more|was higher) in CL (?:with|for) \w+", text), text
    assert not re.search(r"\s{2}|[.,] [.,]", text.replace("\n", " ")), text


def test_each_method_is_one_of_the_records_and_each_table_is_reached() -> None:
    assert set(WORDS["methods"]) <= {method.test for method in METHODS.values()}
    assert {table for tables in WORDS["methods"].values() for table in tables} == set(WORDS["tables"])


def test_sentences_end_and_marks_are_closed() -> None:
    for _, words in wordings(WORDS["tables"]):
        assert not words or re.search(r"[.]$", words), words
        assert words.count("*") % 2 == 0


# A size and its interval: "1.30 points less in a than in b, 95% CI [0.74, 1.86]".
ESTIMATED = re.compile(r"(−?\d*\.?\d+)(?: [a-z]+){0,8},? \d+% CI \[([−\d.]+), ([−\d.]+)\]")
FALLEN_BACK = re.compile(r"(?:^|\. )[A-Z][^.,]*: (?:[FtzHQ]|χ²|G²|difference)")


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_a_paragraph_is_whole_and_each_estimate_lies_in_its_interval(design: str) -> None:
    """No test is said by its name and numbers alone, and a size without its sign has the interval of the size."""
    cell = in_turn(design, "clean")
    report = run(cell.case.plan(), cell.study)
    text = str(paragraph(Question(report.results, 0, report.plan))).replace("\u00a0", " ")
    assert not FALLEN_BACK.search(text), text
    for value, low, high in ESTIMATED.findall(text):
        numbers = [float(one.replace("−", "-")) for one in (low, value, high)]
        assert numbers == sorted(numbers), text
