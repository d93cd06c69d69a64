"""Write `docs/how-to/performance.md` and its figure from a run of the benchmarks.

NEGSTATS_BENCHMARKS=run.jsonl python -m pytest tests/benchmarks --benchmark-only -n 0
python -m tests.benchmarks.report run.jsonl
"""

from __future__ import annotations

import ast
import json
import math
import os
import platform
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "how-to" / "performance.md"
FIGURE = PAGE.with_suffix(".png")

HEAD = """# Performance

Written by `python -m tests.benchmarks.report` from a run of `tests/benchmarks`; nothing here is typed by hand. Times
are CPU time (all threads of the process), the least of several rounds in which both sides take turns. The peer is the
fastest sensible call that does the same, as the test spells it out; where several were measured, the fastest of them
is shown. A ratio is how many times the peer's time ours takes: below 1 ours is the faster. Most peers check nothing
and give one number, where ours checks its input and gives a test with its intervals.

Times differ from machine to machine, and from hour to hour where others use it too; what is claimed are the ratios and
the growth. An exponent of growth of 1 is linear: twice the size takes twice as long; it is measured between the size
shown and a smaller one. Memory is the most that a call holds at once beside its data, as Python and numpy count it:
what Arrow and polars hold is not among it, except for whole logs, whose memory is the peak of a process.

{machine}. Of {count} comparisons with a peer, ours takes no longer in {faster}, up to twice as long in {within}, and
longer in {slower}.
"""
TABLE = """
| what | size | time | peer | ratio | growth | bytes a row |
|---|---:|---:|---|---:|---:|---:|
"""
ROOMS = {  # what stands together, by the beginnings of the names of files
    "Reading logs and studies": ("casino", "loading", "log", "study", "wide_logs"),
    "Measures": ("measures", "pareto"),
    "Tests": ("anova", "loglinear", "r", "ranks", "statistics", "strong_peers"),
    "Models": ("families", "mixed", "responses"),
    "Comparisons, power and resampling": ("analysis", "lazy_compare", "power", "resampling"),
    "Questions to an engine": ("engines",),
    "Games and simulations": ("dealornodeal", "dominance", "favors", "rulesheet", "simulate"),
    "Audit": ("audit",),
    "Whole commands": ("start",),
}


@dataclass(frozen=True)
class Work:
    """What was measured of one piece of work at one size: seconds, the fastest peer, growth and memory."""

    file: str
    what: str
    size: str
    seconds: float | None = None
    peer: float | None = None
    against: str = ""
    exponent: float | None = None
    bytes_a_row: float | None = None

    @property
    def ratio(self) -> float | None:
        """How many times the peer's time ours takes."""
        return self.seconds / self.peer if self.seconds is not None and self.peer is not None else None

    @property
    def number(self) -> float:
        """The first number of the size, by which growth is computed where two sizes were measured."""
        found = re.search(r"[\d,]+", self.size)
        return float(found[0].replace(",", "")) if found else math.nan


def read(path: Path) -> list[Work]:
    """Return what a run measured; of a test that was run again the last, of several peers the fastest."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    last = {(one["test"], one["name"], one.get("against"), *one.keys()): one for one in lines}
    found: dict[tuple[str, str, str], list[dict[str, Any]]] = {}
    for one in last.values():
        what, _, size = one["name"].partition("; ")
        found.setdefault((one["test"].split("::")[0].split("/")[-1], what, size), []).append(one)
    return _with_growth([_work(key, measured) for key, measured in found.items()])


def _work(key: tuple[str, str, str], measured: list[dict[str, Any]]) -> Work:
    merged = {name: value for one in measured for name, value in one.items()}
    fastest = min((one for one in measured if "peer" in one), key=lambda one: float(one["peer"]), default={})
    seconds = fastest.get("ours", merged.get("seconds", [None])[-1])
    exponent, memory = merged.get("exponent"), merged.get("bytes_a_row")
    return Work(*key, seconds, fastest.get("peer"), fastest.get("against", ""), exponent, memory)


def _with_growth(works: list[Work]) -> list[Work]:
    """Return the same with the growth of what was measured at several sizes, from its smallest size."""
    first: dict[tuple[str, str], Work] = {}
    for work in sorted(works, key=lambda work: work.number):
        if work.seconds is not None:
            first.setdefault((work.file, work.what), work)
    result = []
    for work in works:
        small, exponent = first.get((work.file, work.what)), work.exponent
        if exponent is None and small and small.seconds and work.seconds and work.number >= 5 * small.number:
            exponent = math.log(work.seconds / small.seconds) / math.log(work.number / small.number)
        result.append(replace(work, exponent=exponent))
    return result


def page(works: list[Work], machine: str) -> str:
    """Return the page in Markdown."""
    ratios = [work.ratio for work in works if work.ratio is not None]
    faster, within = sum(ratio <= 1 for ratio in ratios), sum(1 < ratio <= 2 for ratio in ratios)
    slower = len(ratios) - faster - within
    files_of = {room: [f"test_{name}_speed.py" for name in names] for room, names in ROOMS.items()}
    if strangers := {work.file for work in works} - {file for files in files_of.values() for file in files}:
        raise ValueError(f"ROOMS has no place for {', '.join(sorted(strangers))}")
    text = HEAD.format(machine=machine, count=len(ratios), faster=faster, within=within, slower=slower)
    for room, files in files_of.items():
        if any(work.file in files for work in works):
            text += f"\n## {room}\n"
        for file in files:
            rows = [work for work in works if work.file == file]
            text += f"\n{_docstring(file)} (`{file}`)\n{TABLE}{''.join(map(_row, rows))}" if rows else ""
    if any(work.exponent is not None for work in works):
        text += f"\n## Growth\n\n![Exponents of growth, the largest on top]({FIGURE.name})\n"
    return text


def _row(work: Work) -> str:
    def shown(value: float | None, text: str) -> str:
        return "" if value is None else text.format(value)

    ratio, exponent, memory = (
        shown(work.ratio, "{:.2g}"),
        shown(work.exponent, "{:.2f}"),
        shown(work.bytes_a_row, "{:,.0f}"),
    )
    cells = (work.what, work.size, _time(work.seconds), work.against, ratio, exponent, memory)
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |\n"


def _time(seconds: float | None) -> str:
    """Return a time in the unit that suits it, of two digits."""
    if seconds is None:
        return ""
    unit, times = ("s", 1.0) if seconds >= 1 else ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)
    value = seconds * times
    return f"{value:.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"


def figure(works: list[Work]) -> Figure:
    """Return the exponents of growth, the largest on top, with what is linear as a line."""
    known = ((work.exponent, f"{work.what}; {work.size}") for work in works if work.exponent is not None)
    exponents, names = zip(*sorted(known), strict=True)
    drawn = Figure(figsize=(9, 0.6 + 0.2 * len(names)), layout="constrained")
    axes = drawn.subplots()
    axes.plot(exponents, range(len(names)), "o", color="C0")
    axes.axvline(1, color="0.6", linestyle="--")
    axes.set_yticks(range(len(names)), names, fontsize="small")
    axes.set(xlim=(0, None), ylim=(-1, len(names)), xlabel="exponent of growth (dashed: linear in the size)")
    axes.grid(axis="y", color="0.9")
    axes.spines[["top", "right"]].set_visible(False)
    return drawn


def _docstring(file: str) -> str:
    """Return what the file of a measurement says of its data and peers."""
    source = (ROOT / "tests" / "benchmarks" / file).read_text(encoding="utf-8")
    return " ".join((ast.get_docstring(ast.parse(source)) or "").split())


def main(path: str) -> None:
    """Write the page and its figure."""
    works = read(Path(path))
    PAGE.parent.mkdir(exist_ok=True)
    machine = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    PAGE.write_text(page(works, machine), encoding="utf-8")
    if any(work.exponent is not None for work in works):
        figure(works).savefig(FIGURE, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:])
