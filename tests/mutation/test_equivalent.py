"""The list of equivalent changes: each is still a change of a line that is there, and says why it is equivalent."""

from __future__ import annotations

import pytest

from tests.mutation.__main__ import ROOT
from tests.mutation.changes import changed, changes_of
from tests.mutation.equivalent import entries, reason_of


@pytest.mark.slow(keep=20)
@pytest.mark.parametrize(("file", "line", "after"), entries())
def test_each_is_a_change_of_a_line_that_is_there(file: str, line: str, after: str) -> None:
    text = (ROOT / file).read_text("utf-8")
    numbers = {place for place, one in enumerate(text.splitlines(), start=1) if one.strip() == line}
    assert numbers
    results = {
        changed(text, change).splitlines()[change.line - 1].strip()
        for change in changes_of(text)
        if change.line in numbers
    }
    assert after in results


def test_each_has_a_reason() -> None:
    assert all(reason.endswith(".") and len(reason.split()) > 4 for reason in entries().values())


def test_other_changes_have_none() -> None:
    path = ROOT / "negstats/metrics/fairness.py"
    text = path.read_text("utf-8")
    reasons = [reason_of(path.relative_to(ROOT), text, change) for change in changes_of(text)]
    assert sum(reason is not None for reason in reasons) < len(reasons) / 10
