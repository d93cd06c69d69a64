"""The question for which data were collected is drafted once they are read: for labelled tables, layouts and logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.loaders.reading.designs import drawn
from tests.loaders.reading.drawn_logs import DrawnLog
from tests.loaders.reading.judge_drafts import Place, place_in_labelled, place_in_layout, place_in_log
from tests.loaders.reading.layouts import laid_out
from tests.loaders.reading.tables import HELD_OUT, SHAPES, TUNED, Family, labelled

DRAFTED: tuple[Place, ...] = ("first", "later", "refused")
OFFERED: tuple[Place, ...] = (*DRAFTED, "commented")
ENGLISH, MEANINGLESS = 0, 3  # seeds with usual names, and with c1, c2, ...
MOST_UNDRAFTED = 2  # of twenty
# Nothing is measured there, or an answer about the rows changes which columns may be a condition.
_WITHOUT_QUESTION = {"lone_profiles", "profiles_of_programs"}


@pytest.mark.slow(keep=7)
@pytest.mark.parametrize("family", [*TUNED, *HELD_OUT, *SHAPES], ids=lambda family: family.__name__)
def test_the_question_of_a_family_is_drafted(family: Family, tmp_path: Path) -> None:
    if family.__name__ in _WITHOUT_QUESTION:
        return
    for seed in (ENGLISH, MEANINGLESS):
        (folder := tmp_path / str(seed)).mkdir()
        place = place_in_labelled(labelled(family, seed), folder)
        assert place in (DRAFTED if seed == ENGLISH else (*OFFERED, "unread"))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("first", range(0, 100, 20))
def test_the_question_of_a_drawn_design_is_drafted(first: int, tmp_path: Path) -> None:
    tables = [drawn(seed) for seed in range(first, first + 20)]
    places = {table.name: place_in_labelled(table, tmp_path) for table in tables}
    assert sum(place not in DRAFTED for place in places.values()) <= MOST_UNDRAFTED, places
    assert sum(place == "first" for place in places.values()) >= 10, places


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("first", range(0, 80, 20))
def test_the_question_of_a_table_in_another_form_is_drafted(first: int, tmp_path: Path) -> None:
    tables = [table for table in map(laid_out, range(first, first + 20)) if table is not None]
    places = {table.name: place_in_layout(table, tmp_path) for table in tables}
    assert sum(place not in DRAFTED for place in places.values()) <= MOST_UNDRAFTED, places


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("first", range(0, 80, 20))
def test_what_was_set_in_a_drawn_log_is_asked_about(first: int, tmp_path: Path) -> None:
    places = {}
    for log in map(DrawnLog, range(first, first + 20)):
        (folder := tmp_path / str(log.seed)).mkdir()
        places[log.seed] = place_in_log(log, folder)
    assert sum(place not in DRAFTED for place in places.values()) <= MOST_UNDRAFTED, places
