"""Run each R call of the page "Which test?" once on drawn data of its row's design, and keep what it printed.

``python -m docs.pages.r_calls`` needs R with the packages that ``r_calls.toml`` names; the site needs none of them.
Where R is not installed, our sentences are written anew, and what R printed before stays beside them.
"""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from negstats.analysis import run
from negstats.analysis.answers import Answer
from tests.analysis.methods.designs import BY_ROW, Case

__all__ = ["answered", "calls", "kept", "our_p", "report_of", "run_r"]

CALLS = Path(__file__).with_name("r_calls.toml")
KEPT = Path(__file__).with_name("r_calls.json")

# R reads the rows, makes them wide where they are repeated, prints what each call prints, and last the p.
SCRIPT = """
options(width = 90, warn = 1, contrasts = c("contr.treatment", "contr.poly"))
suppressMessages(suppressWarnings({{
d <- read.csv("d.csv")
for (name in setdiff(names(d), c("value", "time", "age", "length"))) d[[name]] <- factor(d[[name]])
inner <- intersect(c("condition", "role"), names(d))
w <- if (length(inner) && anyDuplicated(d$unit))
  reshape(d, idvar = intersect(c("unit", "country", "age"), names(d)), timevar = inner[1], direction = "wide")
}}))
said <- withVisible({{
{code}
}})
r <- said$value
{printed}
cat("\\n#p", if ({has_p}) format({p}, digits = 15) else "NA", "\\n")
"""


def calls() -> dict[int, dict[str, str]]:
    """Return the calls by row: code, p, test, apart."""
    rows = tomllib.loads(CALLS.read_text(encoding="utf-8"))["rows"]
    return {int(row): call for row, call in rows.items()}


def kept() -> dict[int, dict[str, Any]]:
    """Return of each row the question that was asked, our sentence, and what R printed with its p."""
    return {int(row): text for row, text in json.loads(KEPT.read_text(encoding="utf-8")).items()}


@cache
def answered(case: Case) -> Answer:
    """Return our answer to the question of a row's design."""
    return run(case.plan(), case.study(np.random.default_rng(case.row))).answers["Q"]


def our_p(answer: Answer, test: str = "") -> float:
    """Return the p of the answering test, or of the test whose address ends so."""
    tests = answer.entry["tests"]
    mine = (one for one in tests if (one["address"].endswith(test) if test else one["role"] == "answer"))
    return float(next(mine)["p"])


def values_of(answer: Answer) -> pd.DataFrame:
    """Return the values of an answer, a row a unit and level, in the order of units."""
    frame = answer.values  # noqa: PD011 - a field of an answer
    factors = [name for name in frame if name in ("condition", "country", "role", "svo")]
    return frame.sort_values(["unit", *factors], ignore_index=True)


def report_of(case: Case) -> dict[str, str]:
    """Return the question of a row's design as a plan has it, and the sentence that answers it."""
    tests = answered(case).entry["tests"]
    named = "" if "measure" in case.question else 'measure = "points"\n'
    asked = f'[questions.H1]\nasks = "Is there a difference?"\n{named}{case.question}'
    return {"test": case.test, "plan": asked, "report": next(one["apa"] for one in tests if one["role"] == "answer")}


def run_r(case: Case, call: dict[str, str]) -> dict[str, Any]:
    """Return what R prints for a call, and its p; where R is not installed, what it printed before."""
    rscript = shutil.which("Rscript")
    if rscript is None:
        former = kept().get(case.row, {})
        if "output" not in former:
            sys.exit(f"row {case.row}: R has not run this call yet, and Rscript is not there")
        return {"output": former["output"], "p": former["p"] if "p" in call else None}
    statements = call["code"].strip().split("\n")
    each = all(line.startswith("t.test(") for line in statements)
    script = SCRIPT.format(
        code=call["code"],
        printed="\n".join(f"print({line})" for line in statements) if each else "print(r)",
        has_p="TRUE" if "p" in call else "FALSE",
        p=call.get("p", "NA"),
    )
    with tempfile.TemporaryDirectory() as folder:
        values_of(answered(case)).to_csv(Path(folder) / "d.csv", index=False)
        done = subprocess.run(  # noqa: S603 - our own script
            [rscript, "-e", script], cwd=folder, capture_output=True, text=True, check=False
        )
    if done.returncode:
        sys.exit(f"row {case.row}: {done.stderr[-2000:]}")
    output, _, p = done.stdout.rpartition("#p")
    lines = [line.rstrip() for line in output.split("\n")]
    return {"output": "\n".join(lines).strip("\n"), "p": float(p) if "p" in call else None}


def main() -> None:
    """Run all calls, keep what they print, and say where a p differs from ours."""
    rows = {row: report_of(case) for row, case in sorted(BY_ROW.items()) if case.test}
    for row, call in calls().items():
        printed = run_r(BY_ROW[row], call)
        rows[row] |= printed
        p, ours = printed["p"], our_p(answered(BY_ROW[row]), call.get("test", ""))
        if p is not None and not math.isclose(p, ours, rel_tol=1e-5):
            print(f"row {row}: R has p {p}, we have {ours}")
    KEPT.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
