"""Write "Why trust it": what the last recorded run of the tests held the numbers against. Nothing is typed by hand."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"

HEAD = """# Why trust it

Each method has three witnesses: a value from R or from print, a property that holds for all inputs, and the edges.
This page counts what a run of the tests found; `python -m tests.held` wrote the numbers ({machine}), and the tests
hold each of them within its own bound in every run.

## Held against R

A number counts if it has six digits or more, an R script of `tests/reference` wrote it, and a test compared ours with
it. The error is relative, the largest of all comparisons of that number. Where programs search to a tolerance of
their own (mixed and ordinal models, ends of exact intervals), the worst error is theirs and ours together. Numbers
below 10⁻¹⁰, most of them 0 but for rounding, are counted and held by an absolute bound, and have no part in the
errors.

| family | R script | numbers | of them below 10⁻¹⁰ | error, median | error, worst |
|---|---|---:|---:|---:|---:|
{held}

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

- [Which engine does what](../how-to/engines.md) with each measure and each test, found by running them.
- [How fast it is](../how-to/performance.md), against the fastest sensible call.
- Sizes of tests and coverage of intervals are simulated by `python -m pytest -m calibration`{calibration}.
"""

# What a family of reference values is called for readers.
NAMES = {
    "agreement": "raters and scales",
    "anova": "analysis of variance",
    "bayes": "Bayes factors",
    "clustered_times": "times of people in clusters",
    "counts": "tables of counts",
    "counts_ordered": "negative binomial counts, proportional odds",
    "cr2_singular": "few clusters, singular designs",
    "crossed": "yes or no with crossed and nested random effects",
    "designs": "48 random designs of mixed models of yes or no and counts",
    "firth": "Firth's penalised logit",
    "effects": "effect sizes",
    "equivalence": "equivalence",
    "kauermann_carroll": "yes or no in clusters, few clusters",
    "loglinear": "log-linear models",
    "means": "t and F of means",
    "mixed": "mixed models, pairs",
    "model_contrasts": "contrasts of models",
    "multiplicity": "corrections",
    "normal_form": "equilibria, regrets and replicator paths of games",
    "outcomes": "yes or no, counts, ordered answers",
    "power": "power",
    "power_decisions": "power of yes or no by person",
    "power_repeated": "power of numbers and ordered answers by person",
    "ranks": "ranks",
    "relations": "correlation and regression",
    "repeated": "repeated measures",
    "resampling": "resampling",
    "responses": "mixed models of yes or no and counts",
    "round_robin": "round robins",
    "scales": "ordered answers, scales",
    "sequence": "sequences",
    "slopes": "random slopes",
    "slopes_profile": "random slopes, profiles",
    "time": "times",
    "together": "meta-analysis, Dunnett, strata",
}


def _script(reference: str) -> str:
    """Return the name of the script that wrote a reference, of R or of another program's Python."""
    files = sorted((ROOT / "tests" / "reference").glob(f"{reference}.[Rp]*")) or sorted(
        (ROOT / "tests" / "reference").glob(f"{reference}*.[Rp]*")
    )
    return files[0].name if files else f"{reference}.R"


def page() -> str:
    """Return the page in Markdown."""
    told: dict[str, Any] = json.loads((DOCS / "trust.json").read_text(encoding="utf-8"))
    held = [
        f"| {NAMES.get(row['reference'], row['reference'])} | `{_script(row['reference'])}` | {row['numbers']:,} | "
        f"{row['tiny']} | "
        f"{_error(row['median'])} | {_error(row['worst'])} |"
        for row in told["held"]
    ]
    held.append(f"| all | | {sum(row['numbers'] for row in told['held']):,} | | | |")
    nist = [f"| {row['set']} | {row['digits']:.1f} | {row['asserted']:.1f} |" for row in told["nist"]]
    written = (DOCS / "calibration.md").is_file()
    return HEAD.format(
        machine=told["machine"],
        held="\n".join(held),
        nist="\n".join(nist),
        cases=told["damaged"]["cases"],
        formats=len(told["damaged"]["formats"]),
        papers=_papers(),
        calibration=": [what it found](../calibration.md)" if written else "",
    ) + ("\n```{toctree}\n:hidden:\n\n../calibration\n```\n" if written else "")


def _error(error: float) -> str:
    return "0" if error == 0 else re.sub(r"e-0?", "e−", f"{error:.0e}")


def _papers() -> str:
    from negstats.papers import counted, reproduce

    table = counted(reproduce())
    lines = ["| " + " | ".join(map(str, table.columns)) + " |", "|---|" + "---:|" * (table.shape[1] - 1)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in table.itertuples(index=False))])
