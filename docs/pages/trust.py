"""Write "Why trust it": at the build the tests that load numbers of other programs are run, and their errors counted.

What was met is kept beside the page, and the tests run again only when the package, the tests or the numbers have
changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from docs.pages.tutorials import STORED
from negstats import stats
from negstats.games import normal_form
from negstats.stats import power
from tests import held

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
SOURCES = ("negstats/stats", "negstats/games", "tests/stats", "tests/games", "tests/reference")
FEW = ["tests/stats/means/test_t_tests.py", "tests/games/normal_form/test_normal_form.py"]  # for a build by the tests
WEAK = 1e-6  # relative errors above it are listed as weaker

HEAD = """# Why trust it

Each method has three witnesses: a value from R or from print, a property that holds for all inputs, and the edges.
The numbers on this page were counted when the site was built, by running the tests; none is typed by hand.

## The largest error of each function

{scope}A number counts if it has six digits or more, if another program wrote it (a script of `tests/reference`), and
if a test of the function compared ours with it. The error is relative, and the largest of all comparisons of that
number. Where programs search to a tolerance of their own (mixed and ordinal models, ends of exact intervals), the
largest error is theirs and ours together. Numbers below 10⁻¹⁰, most of them 0 but for rounding, are counted and held
by an absolute bound, and have no part in the errors. A test that calls several functions counts for each.

| function | compared with | numbers | of them below 10⁻¹⁰ | error, median | error, largest |
|---|---|---:|---:|---:|---:|
{held}

## What is weaker

Functions whose largest error is above 10⁻⁶, and the script in which it occurs; its first lines say to how many digits
the other program goes.

| function | largest error | script |
|---|---:|---|
{weak}

Tests that reject a true null hypothesis more often than in 5 % of simulated studies, by more than three Monte Carlo
errors ([all of them, and those that reject less often](../calibration.md)):

| test | design | clusters | rejected at the 5 % level |
|---|---|---:|---:|
{liberal}

## NIST's reference data

Digits of F that are right for the [Statistical Reference
Datasets](https://www.itl.nist.gov/div898/strd/anova/anova.html) of one-way analysis of variance, and the digits below
which a test fails. The last sets have up to 13 constant leading digits: a double cannot hold what follows, and exact
arithmetic on the doubles gives no more.

| data set | digits right | asserted |
|---|---:|---:|
{nist}

## Damaged logs

{cases:,} logs are damaged in each run of the tests, in {formats} formats: bytes flipped, rows cut, columns swapped,
numbers made into words. Each must give a study that holds what the log holds, or one clear error; none may end in a
traceback, hang, or lose a row in silence.

## Printed papers

`negstats reproduce` recomputes each number that six studies print, from the data that ship:

{papers}

## Elsewhere

- [Which engine does what](../how-to/engines.md) with each measure and each test, as a run of all of them shows.
- [How fast it is](../how-to/performance.md), compared with what a user would do instead.
- Sizes of tests and coverage of intervals, [simulated](../calibration.md) by `python -m pytest -m calibration`.

```{{toctree}}
:hidden:

../calibration
```
"""


def comparisons(*, few: bool) -> list[dict[str, Any]]:
    """Return each comparison of ours with another program's number; the tests are run unless nothing has changed."""
    folder = DOCS / "trust"
    folder.mkdir(exist_ok=True)
    stored, mark = folder / ("few.json" if few else "held.json"), _hash()
    if stored.is_file():
        former = json.loads(stored.read_text(encoding="utf-8"))
        if former["sources"] == mark:
            rows: list[dict[str, Any]] = former["rows"]
            return rows
    rows = held.run(FEW if few else held.files(), folder / "held.jsonl", few=few)
    stored.write_text(json.dumps({"sources": mark, "rows": rows}), encoding="utf-8")
    return rows


def _hash() -> str:
    files = sorted(file for name in SOURCES for file in (ROOT / name).rglob("*") if file.suffix in (".py", ".json"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()


def page() -> str:
    """Return the page in Markdown."""
    few = os.environ.get(STORED) == "stored"
    met = comparisons(few=few)
    rows = held.summary(met)
    total = len({(row["reference"], row["value"]) for row in met})
    table = [
        f"| {_link(row['function'])} | {'; '.join(dict.fromkeys(map(held.written_by, row['references'])))} | "
        f"{row['numbers']:,} | {row['tiny']} | {_error(row['median'])} | {_error(row['worst'])} |"
        for row in rows
    ]
    weak = sorted((row for row in rows if row["worst"] > WEAK), key=lambda row: -row["worst"])
    return HEAD.format(
        scope="(Built by the tests, which run a part of the comparisons.) " if few else "",
        held="\n".join([*table, f"| all, each number once | | {total:,} | | | |"]),
        weak="\n".join(f"| {_link(row['function'])} | {_error(row['worst'])} | `{row['worst_in']}` |" for row in weak)
        or "| none | | |",
        liberal=_liberal(),
        nist=_nist(),
        **_damaged(),
        papers=_papers(),
    )


def _link(function: str) -> str:
    rooms = (("stats", stats), ("stats.power", power), ("games.normal_form", normal_form))
    room = next(name for name, module in rooms if function in module.__all__)
    return f"{{py:obj}}`{function} <negstats.{room}.{function}>`"


def _liberal() -> str:
    drawn = json.loads((DOCS / "calibration.json").read_text(encoding="utf-8"))
    rows = [row for row in drawn["rows"] if row["size"] > drawn["alpha"] + 3 * row["error"]]
    return "\n".join(f"| {row['test']} | {row['design']} | {row['clusters']} | {row['size']:.3f} |" for row in rows)


def _nist() -> str:
    from negstats.stats import Cells, anova
    from tests.stats.means.test_nist import DIGITS, digits, read

    lines = []
    for name, least in DIGITS.items():
        frame, certified = read(name)
        right = digits(float(anova(Cells.from_frame(frame, "y", "group")).statistic[0]), certified["f"])
        lines.append(f"| {name} | {right:.1f} | {least:.1f} |")
    return "\n".join(lines)


def _damaged() -> dict[str, int]:
    from tests.robustness.seeds import SEEDS
    from tests.robustness.test_damaged_logs import CASES

    return {"cases": CASES, "formats": len(SEEDS)}


def _error(error: float) -> str:
    return "0" if error == 0 else re.sub(r"e-0?", "e−", f"{error:.0e}")


def _papers() -> str:
    from negstats.papers import counted, reproduce

    table = counted(reproduce())
    lines = ["| " + " | ".join(map(str, table.columns)) + " |", "|---|" + "---:|" * (table.shape[1] - 1)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in table.itertuples(index=False))])
