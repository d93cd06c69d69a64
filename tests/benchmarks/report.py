"""Write `docs/how-to/performance.md` and its figure from a run of the benchmarks.

NEGSTATS_BENCHMARKS=run.jsonl python -m pytest tests/benchmarks --benchmark-only -n 0
python -m tests.benchmarks.report run.jsonl
"""

from __future__ import annotations

import ast
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "how-to" / "performance.md"
FIGURE = PAGE.with_suffix(".png")

HEAD = """# Performance

Written by `python -m tests.benchmarks.report` from a run of `tests/benchmarks`; nothing here is typed by hand. Times
are CPU time (all threads of the process), the least of several rounds in which both sides take turns. The peer is what
the test named beside it spells out: the fastest sensible call that does the same, or what one would write by hand.
Times differ from machine to machine, and from hour to hour where others use it too; what is claimed are the ratios, in
which both sides were measured side by side, and the growth.

{machine}.

## What was measured, on which data

{files}"""
RATIOS = """
## Against the fastest sensible call

The ratio is how many times the peer's CPU time ours takes: below 1 ours is the faster.

| what | ratio | test |
|---|---:|---|
"""
GROWTH = """
## Growth

An exponent of 1 is linear: twice the size takes twice as long.

| what | each size is ... times the one before | exponent | test |
|---|---:|---:|---|
"""
MEMORY = """
## Memory

The most that a call holds at once beside its data, as Python and numpy count it. What Arrow and polars hold is not
among it.

| what | bytes a row | test |
|---|---:|---|
"""


def read(path: Path) -> list[dict[str, Any]]:
    """Return a run's measurements; of a test that was run again the last."""
    lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return list({(one["test"], one["name"], "bytes_a_row" in one): one for one in lines}.values())


def page(run: list[dict[str, Any]], machine: str) -> str:
    """Return the page in Markdown."""
    files = "\n".join(f"- {_test(one)}. {_docstring(one)}" for one in {_test(one): one for one in run}.values()) + "\n"
    text = HEAD.format(machine=machine, files=files)
    if ratios := [one for one in run if "peer" in one]:
        text += RATIOS + "".join(
            f"| {_name(one)} | {one['ours'] / one['peer']:.2g} | {_test(one)} |\n" for one in ratios
        )
    if growths := [one for one in run if "exponent" in one]:
        text += GROWTH + "".join(
            f"| {_name(one)} | {one['times']:g} | {one['exponent']:.2f} | {_test(one)} |\n" for one in growths
        )
        text += f"\n![Exponents of growth, the largest on top]({FIGURE.name})\n"
    if memories := [one for one in run if "bytes_a_row" in one]:
        text += MEMORY + "".join(f"| {_name(one)} | {one['bytes_a_row']:.0f} | {_test(one)} |\n" for one in memories)
    return text


def figure(run: list[dict[str, Any]]) -> Figure:
    """Return the exponents of growth, the largest on top, with what is linear as a line."""
    curves = sorted((one for one in run if "exponent" in one), key=lambda one: float(one["exponent"]))
    drawn = Figure(figsize=(9, 0.6 + 0.2 * len(curves)), layout="constrained")
    axes = drawn.subplots()
    axes.plot([one["exponent"] for one in curves], range(len(curves)), "o", color="C0")
    axes.axvline(1, color="0.6", linestyle="--")
    axes.set_yticks(range(len(curves)), [_name(one) for one in curves], fontsize="small")
    axes.set(xlim=(0, None), ylim=(-1, len(curves)), xlabel="exponent of growth (dashed: linear in the size)")
    axes.grid(axis="y", color="0.9")
    axes.spines[["top", "right"]].set_visible(False)
    return drawn


def _name(one: dict[str, Any]) -> str:
    """Return what was measured, with the case of a test that has several."""
    test, _, case = one["test"].split("::")[-1].removesuffix("]").partition("[")
    name = one["name"] or test.removeprefix("test_").replace("_", " ")
    case = "" if name.startswith(case) else case  # a name that says its case says it once
    return f"{name} ({case})".replace("|", "/") if case else str(name).replace("|", "/")


def _docstring(one: dict[str, Any]) -> str:
    """Return what the file of a measurement says of its data and peers."""
    source = (ROOT / one["test"].split("::")[0]).read_text(encoding="utf-8")
    return " ".join((ast.get_docstring(ast.parse(source)) or "").split())


def _test(one: dict[str, Any]) -> str:
    return f"`{one['test'].split('::')[0].split('/')[-1]}`"


def main(path: str) -> None:
    """Write the page and its figure."""
    run = read(Path(path))
    PAGE.parent.mkdir(exist_ok=True)
    machine = f"Python {platform.python_version()} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    PAGE.write_text(page(run, machine), encoding="utf-8")
    if any("exponent" in one for one in run):
        figure(run).savefig(FIGURE, dpi=120)


if __name__ == "__main__":
    main(*sys.argv[1:])
