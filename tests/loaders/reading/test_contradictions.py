"""The second witness: no true reading of a labelled table is doubted, and most wrong readings of its rows are."""

from __future__ import annotations

import numpy as np
import pytest

from negstats.loaders.reading.columns import Codes, build_column
from negstats.loaders.reading.contradictions import find_contradictions
from negstats.loaders.reading.facts import build_facts
from negstats.loaders.reading.hypotheses import Hypothesis
from negstats.loaders.reading.rivals import row_hypotheses
from tests.loaders.reading.judge import are_same, log_of
from tests.loaders.reading.tables import HELD_OUT, TUNED, Truth, labelled

ENGLISH, SPANISH = 0, 5


def groups_of(row: Hypothesis, rows: int) -> Codes:
    """Return the game or the person of each row."""
    if row.kind == "repeated" and row.person is not None:
        return row.person.codes
    names = np.column_stack([column.codes for column in row.game]) if row.game else np.arange(rows)[:, None]
    return np.unique(names, axis=0, return_inverse=True)[1].reshape(-1)


def is_of(row: Hypothesis, truth: Truth) -> bool:
    """Whether a reading names the person or the games that a truth names."""
    named = {name for column in row.game for name in (column.name, *column.aliases)}
    is_person = row.person is not None and truth.person in (row.person.name, *row.person.aliases)
    return is_person if row.kind == "repeated" else set(truth.game) <= named


def doubts_of(seed: int) -> tuple[list[str], list[bool]]:
    """Return the tables whose true reading is doubted, and whether each wrong one is."""
    doubted, caught = [], []
    for family in [*TUNED, *HELD_OUT]:
        table = labelled(family, seed)
        cells = log_of(table.frame).table.cells
        facts, truth = build_facts([build_column(name, cells[name]) for name in cells]), table.truth
        hypotheses = [each for each in row_hypotheses(facts) if each.score > 0]
        true = next(each for each in hypotheses if each.kind == truth.kind and is_of(each, truth))
        own = groups_of(true, facts.rows)
        if find_contradictions(facts, true):
            doubted.append(table.name)
        wrong = [each for each in hypotheses if not are_same(groups_of(each, facts.rows), own)]
        caught += [bool(find_contradictions(facts, each)) for each in wrong]
    return doubted, caught


@pytest.mark.parametrize("seed", [ENGLISH, SPANISH])
def test_wrong_readings_are_doubted_and_true_ones_are_not(seed: int) -> None:
    doubted, caught = doubts_of(seed)
    assert not doubted
    assert np.mean(caught) > 0.5, f"{sum(caught)} of {len(caught)}"
