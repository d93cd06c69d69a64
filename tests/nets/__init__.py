"""What must not change while the code is tidied: results, reports and findings, outputs of commands, tables of loaders.

Each net computes a text by name. `python -m tests.nets` writes the frozen texts anew, `python -m tests.nets plans` only
those of one net; `test_frozen.py` compares. A change of the numbers or words that is meant is a commit in which the
frozen texts change with the code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.nets.commands import COMMANDS, NUMBER, command_output
from tests.nets.findings import FINDINGS, findings_text
from tests.nets.plans import PLANS, plan_results
from tests.nets.reports import REPORTS, report_text
from tests.nets.tables import SAMPLES, table_texts

__all__ = ["FROZEN", "NETS", "frozen_file", "same"]

FROZEN = Path(__file__).parent / "frozen"

# net: names of its texts, and what computes one
NETS: Mapping[str, tuple[tuple[str, ...], Callable[[str], str]]] = {
    "plans": (tuple(PLANS), plan_results),
    "reports": (tuple(REPORTS), report_text),
    "commands": (tuple(COMMANDS), command_output),
    "findings": (tuple(FINDINGS), findings_text),
    "tables": (tuple(SAMPLES), table_texts),
}


def frozen_file(net: str, name: str) -> Path:
    """Return where the text of that name lies."""
    return FROZEN / net / f"{name}.txt"


def same(text: str, frozen: str) -> bool:
    """Whether two texts have the same words, and the same numbers to nine digits: processors differ in the last."""
    numbers = zip(map(float, NUMBER.findall(text)), map(float, NUMBER.findall(frozen)), strict=False)
    return NUMBER.sub("#", text) == NUMBER.sub("#", frozen) and all(
        math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12) for ours, theirs in numbers
    )
