"""What a page offers to ask is what can be asked."""

from __future__ import annotations

import pytest

from negstats import datasets
from negstats.analysis.preregistration.askable import find_askable
from negstats.studies import open_saved


@pytest.mark.slow
def test_only_what_can_be_asked_is_offered() -> None:
    known = find_askable(open_saved(datasets.folder("robot") / "study"))
    assert known.owners("points") == ["agent", "human"]
    assert known.owners("labels.Annoyed") == ["agent"]  # nobody coded what people said
    assert known.usual_owner("labels.Annoyed", "condition") == "agent"
    assert "kind" in known.factors_for("points")
    assert list(known.factors_for("rounds")) == ["condition", "session"]  # both seats of a game have its rounds
