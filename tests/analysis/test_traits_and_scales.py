"""What people say about themselves, and from where to where points go."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import pandas as pd
import pytest

from negstats import datasets
from negstats.analysis.questions.traits import traits_of
from negstats.analysis.scales import points_without_agreement, scale_of_points
from negstats.report.numerals import counts_in_words
from negstats.report.participants import trait_sentences
from negstats.report.results_section import words_of
from negstats.studies.study import Study
from negstats.tables import conform
from tests.analysis.studies import meetings
from tests.report.page.reports import synthetic, two_groups

PEOPLE = [("a", "b"), ("c", "d"), ("a", "d")]


def answering(**answers: dict[str, str]) -> Study:
    """Return three games of four people who answered questions once."""
    rows = [(who, name, text) for name, each in answers.items() for who, text in each.items()]
    who, names, texts = map(list, zip(*rows, strict=True))
    table = {"participant_id": who, "game_id": [None] * len(rows), "question": names, "answer": texts}
    study = meetings(PEOPLE, ["x", "y", "x"])
    return Study(**{**study.tables, "answers": conform("answers", table)}, provenance=study.provenance)


def said(study: Study) -> str:
    traits = traits_of(study, None)
    return " ".join(str(counts_in_words(one)) for one in trait_sentences({"people": 4, "traits": traits}))


def test_ages_are_numbers_however_few_and_genders_are_counted() -> None:
    study = answering(age={"a": "30", "b": "17", "c": "25"}, gender=dict(zip("abcd", "fmmm", strict=True)))
    assert said(study) == (
        "The mean recorded age was 24.0 years (SD = 6.6, n = 3); one recorded age below 18 was kept (the lowest was "
        "17). "
        "Gender was recorded as m for three people and f for one."
    )
    own = pd.Series([30.0, 17.0, 25.0])
    (age, _) = traits_of(study, None)
    assert (age["mean"], age["sd"]) == (pytest.approx(own.mean()), pytest.approx(own.std()))


def test_what_is_no_trait_or_was_answered_in_two_ways_is_not_described() -> None:
    study = answering(svo_1_self={"a": "85"}, mood={"a": "good"}, sex={"a": "f", "b": "m"})
    twice = conform("answers", {"participant_id": ["a"], "game_id": ["g0"], "question": ["sex"], "answer": ["m"]})
    study = Study(
        **{**study.tables, "answers": pd.concat([study.answers, twice], ignore_index=True)}, provenance=study.provenance
    )
    assert traits_of(study, None) == []


@pytest.mark.slow
def test_more_than_six_answers_in_words_are_left_to_their_table() -> None:
    many = dict(zip("abcd", ("one", "two", "three", "four"), strict=True))
    assert [trait["question"] for trait in traits_of(answering(country=many), None)] == ["country"]
    assert "education" not in [trait["question"] for trait in traits_of(datasets.casino(), None)]


def test_people_whose_seats_are_excluded_are_not_described() -> None:
    study = answering(gender=dict(zip("abcd", "fmmm", strict=True))).with_frames()
    seats = study.frame("players").filter(nw.col("game_id") == "g0")
    (gender,) = traits_of(study, seats.select("game_id", "player"))
    assert gender["n"] == 2


def with_values(values: dict[str, list[Any]], points: list[float], batna: list[float] | None = None) -> Study:
    study = meetings([("a", "b")], ["x"])
    players = study.players.assign(
        points=[float(one) for one in points], batna=[float(one) for one in batna] if batna else [float("nan")] * 2
    )
    tables = {**study.tables, "players": players, "values": conform("values", values)}
    return Study(**tables, provenance=study.provenance)


def items(worth: list[float]) -> dict[str, list[Any]]:
    """Return the worth of two items, of which there are three each, to two seats."""
    return {"game_id": ["g0"] * 4, "player": ["S0", "S0", "S1", "S1"], "item": ["food", "water"] * 2,
            "available": [3.0] * 4, "value": worth}  # fmt: skip


@pytest.mark.slow
def test_points_go_from_nothing_to_all_items_or_to_what_no_deal_brings() -> None:
    worth = items([5, 4, 4, 5])
    assert scale_of_points(with_values(worth, [10, 12])) == {"low": 0, "high": 27, "source": "values"}
    assert scale_of_points(with_values(worth, [10, 12], [-2, -2])) == {"low": -2, "high": 27, "source": "values"}
    assert scale_of_points(with_values(worth, [10, 12], [30, 30])) == {"low": 0, "high": 30, "source": "values"}


def test_of_options_a_seat_gets_one() -> None:
    values: dict[str, list[Any]] = {"game_id": ["g0"] * 4, "player": ["S0", "S0", "S1", "S1"], "item": ["day"] * 4,
              "option": ["may", "june"] * 2, "value": [10.0, 2, 2, 10]}  # fmt: skip
    assert scale_of_points(with_values(values, [10, 2])) == {"low": 2, "high": 10, "source": "values"}


@pytest.mark.parametrize(("worth", "points"), [([5, 4, 4, 4], [1, 2]), ([5, 4, 4, 5], [1, 28])])
def test_no_scale_is_said_that_seats_do_not_share_or_points_leave(worth: list[float], points: list[float]) -> None:
    assert scale_of_points(with_values(items(worth), points)) is None


def test_a_study_by_hand_without_values_has_no_scale() -> None:
    assert scale_of_points(meetings(PEOPLE, ["x", "y", "x"])) is None


def test_a_report_of_results_without_scales_and_traits_says_nothing_of_them() -> None:
    text = " ".join(str(getattr(one, "text", "")) for one in words_of(two_groups(synthetic(20))).blocks)
    assert "on a scale from" not in text
    assert "as recorded" not in text


def test_no_scale_is_said_where_the_number_of_an_item_is_not_known() -> None:
    worth: dict[str, list[Any]] = {**items([5, 4, 4, 5]), "available": [3.0, 3.0, 3.0, None]}
    assert scale_of_points(with_values(worth, [1, 2])) is None


def test_points_without_agreement_are_known_where_all_seats_have_the_same() -> None:
    ended = ["walkaway", "walkaway", "timeout", "timeout", "disagreement", "agreement", "unknown"]
    people = [(f"p{place}", f"q{place}") for place in range(7)]
    study = meetings(people, ["x"] * 7, ended=ended, points=[2, 2, 1, 3, float("nan"), 9, 0])
    assert points_without_agreement(study) == {"walkaway": 2}
    assert points_without_agreement(meetings(PEOPLE, ["x", "y", "x"])) == {}
