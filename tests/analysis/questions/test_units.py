"""Units: known people link games though others are not known, and what is said where too few units are left."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.analysis import compare
from negstats.errors import DesignError
from negstats.studies.study import Study
from tests.analysis.studies import asked, meetings

ONE = "the person is not known in 1 of 12 seats of people (S1; 'g5')"


@pytest.mark.slow
def test_a_seat_without_an_id_leaves_the_known_people_linked() -> None:
    pairs: list[tuple[str | None, ...]] = [("a", "b"), ("a", "b"), ("c", "d"), ("c", "d"), ("e", "f"), ("g", None)]
    found = asked(meetings(pairs, ["x", "x", "y", "y", "x", "y"]))
    assert found.unit == "group"
    assert sorted(found.values["unit"]) == ["a", "c", "e", "g"]
    assert any(note.startswith(ONE) for note in found.notes)


@pytest.mark.slow
def test_two_games_with_unknown_people_are_no_independent_units_where_people_come_back() -> None:
    pairs: list[tuple[str | None, ...]] = [("a", "b"), ("a", "b"), ("c", None), ("d", None), ("e", "f")]
    study = meetings(pairs, ["x", "x", "y", "y", "x"])
    with pytest.raises(
        DesignError, match=r"the person is not known in 2 of 10 seats of people \(S1; 2 games, 'g2' first\)"
    ):
        compare(study, "joint_value", "condition")
    assert "2 of 10 seats" in compare(study, "joint_value", "condition", unit="game").notes[0]


@pytest.mark.slow
def test_where_a_side_is_never_on_record_the_other_is_compared_and_a_note_says_what_is_supposed() -> None:
    pairs: list[tuple[str | None, ...]] = [("a", None), ("a", None), ("b", None), ("c", None), ("d", None)]
    comparison = compare(meetings(pairs, ["x", "x", "x", "y", "y"]), "joint_value", "condition")
    assert comparison.unit == "participant"
    assert "counted as a different person" in comparison.notes[0]


def test_where_nobody_comes_back_unknown_people_are_taken_for_different_ones() -> None:
    study = meetings([("a", "b"), ("c", None), ("d", "e"), ("f", None)], ["x", "x", "y", "y"])
    found = compare(study, "joint_value", "condition")
    assert found.unit == "game"
    assert any("counted as a different person" in note for note in found.notes)


@pytest.mark.slow
def test_pairs_of_known_people_need_not_know_the_others() -> None:
    """A person who is not known stands at one level only, so the game is left out of the pairs, and counted."""
    people: list[tuple[str | None, ...]] = [("a",), ("a",), ("b",), ("b",), ("c",), ("c",), (None,), (None,)]
    study = meetings(people, ["x", "y"] * 4, points=[1, 2, 3, 5, 4, 4, 9, 9])
    found = compare(study, "points", "condition", who="human", paired=True)
    assert found.table()["n"].tolist() == [3, 3]
    assert "2 people without a value at each level were excluded." in found.notes


def test_an_id_that_is_also_a_games_name_is_not_confused_with_it() -> None:
    study = meetings([("g1",), (None,), ("b",)], ["x", "x", "y"])
    assert asked(study, "points", who="human").values["unit"].is_unique


def session(name: str, people: int) -> list[tuple[str, ...]]:
    """Everybody meets everybody: strangers, matched anew each round."""
    return [(f"{name}{i}", f"{name}{j}") for i in range(people) for j in range(i)]


@pytest.mark.slow
def test_a_session_of_strangers_is_one_unit() -> None:
    games = [one for name in "abcd" for one in session(name, 3)]
    found = compare(meetings(games, ["x"] * 6 + ["y"] * 6), "joint_value", "condition")
    assert found.unit == "group"
    assert len(found.values) == 4
    assert any("partners change" in note for note in found.notes)


def by_hand(study: Study) -> list[set[str]]:
    """The components, by joining sets."""
    groups: list[set[str]] = []
    for _, seats in study.players.groupby("game_id", sort=False):
        new = set(seats["participant_id"].dropna())
        if not new:
            continue
        new.update(*(group for group in groups if group & new))
        groups = [group for group in groups if not group & new] + [new]
    return groups


@pytest.mark.slow
@given(st.lists(st.tuples(*[st.sampled_from([*"abcdefgh", None])] * 2), min_size=2, max_size=12))
def test_units_are_the_components_of_known_people(people: list[tuple[str | None, ...]]) -> None:
    study = meetings(people, ["x"] * len(people))
    study.games["condition"] = ["x", "y"] * (len(people) // 2) + ["x"] * (len(people) % 2)
    expected = by_hand(study)
    lone = sum(not any(sitting) for sitting in people)
    try:
        found = asked(study)
    except DesignError as error:
        is_unsure = "person is not known" in str(error) and any(None in sitting for sitting in people)
        if not (is_unsure or len(expected) + lone == 1):
            raise
        return
    assert found.values["unit"].nunique() == (len(expected) + lone if expected else len(people))
