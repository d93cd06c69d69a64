"""What a report says of people who coded messages: each number is that of its place in the results."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from negstats.analysis import run
from negstats.analysis.entries import schema
from negstats.analysis.plan import parse
from negstats.coding import Codebook, Message, Talks, merge
from negstats.report.blocks import Paragraph
from negstats.report.coding import agreement_tables
from negstats.report.numerals import shown
from negstats.report.results_section import words_of
from negstats.studies import Study
from tests.coding.conftest import book, study, talks
from tests.coding.talks import by_words, coded

__all__ = ["book", "study", "talks"]  # the fixtures

PLAN = """
title = "Reasons"
data.path = "study"
factors.role.column = "players.role"

[questions.H1]
asks = "Do sellers give more reasons?"
measure = "labels.reason"
by = "role"
"""


def hasty(message: Message) -> list[str]:
    return by_words(message) if message.number % 3 else []


def report_of(study: Study) -> Any:
    return run(parse(PLAN), study)


def measures_of(report: Any) -> str:
    words = words_of(report)
    texts = [str(block.text) for block in words.blocks if isinstance(block, Paragraph)]
    return texts[0]  # who took part, and who coded


def at(results: Any, address: str) -> Any:
    for step in address.strip("/").split("/"):
        results = results[int(step)] if isinstance(results, list) else results[step]
    return results


@pytest.fixture(scope="module")
def two(study: Study, talks: Talks, book: Codebook) -> Any:
    anna = coded(talks, book, "Anna")
    ben = replace(coded(talks, book, "Ben", hasty), path="b.json")
    final = replace(anna, kind="adjudication", coder="Carla", messages=tuple(
        one for one, other in zip(anna.messages, ben.messages, strict=True) if one.codes != other.codes))  # fmt: skip
    return report_of(merge(study, [anna, ben], final))


@pytest.mark.slow
def test_two_coders_are_said_with_kappa_of_the_code_that_is_analysed(two: Any) -> None:
    coding = two.results["study"]["coding"][0]
    [reason] = [one for one in coding["codes"] if one["code"] == "reason"]
    kappa, low, high = (shown(reason["kappa"][name], "share") for name in ("value", "low", "high"))
    text = measures_of(two)
    assert f"Two coders coded the same 160 messages: κ = {kappa}, 95% CI [{low}, {high}], for “reason”; Table" in text
    assert (
        f"The {coding['differences']} messages to which they gave different codes were decided by an adjudicator"
        in text
    )
    assert "Anna" not in json.dumps(two.results)  # a report needs no names of coders


@pytest.mark.slow
def test_the_table_has_each_code_and_its_numbers_are_those_of_the_results(two: Any) -> None:
    results = json.loads(json.dumps(two.results))
    jsonschema.validate(results, schema())
    [table] = agreement_tables(results)
    assert [str(row[0]) for row in table.rows] == ["Offer", "Rejection", "Reason", "move (group)"]
    slots = [(run_, run_.slot) for row in table.rows for one in row for run_ in one.runs if run_.slot is not None]
    assert len(slots) == 4 * 9
    for run_, slot in slots:
        assert run_.text == shown(at(results, slot.address), slot.kind, slot.digits)
    assert "κ is Cohen's" in str(table.note)
    units = {one["interval_unit"] for one in results["study"]["coding"][0]["codes"]}
    of_talks = "Intervals are the jackknife's over whole talks" in str(table.note)
    assert units == ({"talks"} if of_talks else {"messages"})


@pytest.mark.slow
def test_games_of_which_nobody_coded_a_message_are_no_part_of_a_study_of_codes(
    study: Study, talks: Talks, book: Codebook
) -> None:
    whole = merge(study, [coded(talks, book, "Anna", among=range(1, 4))])
    report = report_of(whole)
    assert (report.results["study"]["loaded"]["games"], report.results["study"]["games"]) == (len(study.games), 3)
    assert sum(report.results["study"]["ends"].values()) == 3
    assert "The analyses are of the three negotiations whose messages were coded." in measures_of(report)
    other = run(parse(PLAN + '[questions.H2]\nasks = "Points?"\nmeasure = "points"\nby = "role"'), whole)
    assert other.results["study"]["games"] == len(study.games)


@pytest.mark.slow
def test_three_coders_are_said_with_alpha(study: Study, talks: Talks, book: Codebook) -> None:
    files = [coded(talks, book, name, among=range(1, 4)) for name in ("Anna", "Ben", "Carla")]
    report = report_of(merge(study, files))
    assert "Three coders coded the same 24 messages: α = 1.00" in measures_of(report)
    assert "adjudicator" not in measures_of(report)
    [table] = agreement_tables(report.results)
    assert "κ is Fleiss'" in str(table.note)


@pytest.mark.slow
def test_one_coder_leaves_agreement_unknown(study: Study, talks: Talks, book: Codebook) -> None:
    report = report_of(merge(study, [coded(talks, book, "Anna")]))
    assert "One coder coded 160 messages, none of them twice, so agreement is not known." in measures_of(report)
    assert agreement_tables(report.results)[0].rows == ()
    jsonschema.validate(json.loads(json.dumps(report.results)), schema())


@pytest.mark.slow
def test_a_study_that_nobody_coded_says_nothing(study: Study) -> None:
    offers = study.messages.assign(labels="reason").astype({"labels": "str"})
    report = report_of(replace(study, messages=offers))
    assert "coder" not in measures_of(report)
    assert "coding" not in report.results["study"]
