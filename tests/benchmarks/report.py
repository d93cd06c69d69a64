"""Write `docs/how-to/performance.md` from a run of the benchmarks.

NEGSTATS_BENCHMARKS=run.jsonl python -m pytest tests/benchmarks --benchmark-only -n 0
python -m tests.benchmarks.report run.jsonl
"""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "how-to" / "performance.md"
HEAD = """# Performance

Written by `python -m tests.benchmarks.report` from a run of `tests/benchmarks`; all numbers come from that run. Times
are CPU times (all threads of the process), the minimum or the median of several rounds in which negstats and the
other program take turns. The column *compared with* names the program that a user would call instead. A ratio is the
time of negstats divided by that of the other program: below 1, negstats is faster. Most of these programs check
nothing and return one number, while negstats checks its input and returns a test with intervals. A growth of 1 is
linear: twice the size takes twice as long. Times differ between machines; compare the ratios and the growth.

{machine}.

| task | size | time | compared with | ratio | growth |
|---|---:|---:|---|---:|---:|
"""


def read(path: Path) -> dict[str, dict[str, Any]]:
    """Return what was measured of each piece of work, in the order of the run; of several peers the fastest."""
    works: dict[str, dict[str, Any]] = {}
    for measured in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        work = works.setdefault(measured["name"], {})
        if "peer" not in measured or measured["peer"] <= work.get("peer", measured["peer"]):
            work |= measured
    return works


def page(works: dict[str, dict[str, Any]], machine: str) -> str:
    """Return the page in Markdown."""
    return HEAD.format(machine=machine) + "".join(_row(name, work) for name, work in works.items())


def _row(name: str, work: dict[str, Any]) -> str:
    what, _, size = name.partition("; ")
    seconds = work["ours"] if "ours" in work else work["seconds"][-1]
    ratio = f"{work['ours'] / work['peer']:.2g}" if "peer" in work else ""
    growth = f"{work['exponent']:.2f}" if "exponent" in work else ""
    return f"| {what} | {size} | {_time(seconds)} | {work.get('against', '')} | {ratio} | {growth} |\n"


def _time(seconds: float) -> str:
    """Return a time in the unit that suits it, of two digits."""
    unit, times = ("s", 1.0) if seconds >= 1 else ("ms", 1e3)
    value = seconds * times
    return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"


def main(path: str) -> None:
    """Write the page."""
    machine = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    PAGE.write_text(page(read(Path(path)), machine), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
