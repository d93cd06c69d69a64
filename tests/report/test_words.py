"""The table of words: each name in it is a fact or a phrase, each method exists, each table can be reached."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from negstats import datasets
from negstats.analysis import compare, run
from negstats.analysis.method import METHODS
from negstats.analysis.verdicts import Equivalence, Found, Match
from negstats.report.one_answer import sentences
from negstats.report.sentences import Question, paragraph
from negstats.report.sentences.facts import Facts
from negstats.report.sentences.renderer import SLOT, VERDICT, load_words
from tests.analysis.matrix import DESIGNS, in_turn

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
