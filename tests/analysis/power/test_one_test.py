"""The power of each row of the table is that of the test that answers: one drawn study, put to both."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from negstats.analysis import run
from negstats.analysis.plan.model import Plan
from negstats.analysis.plan.parse import parse
from negstats.analysis.power.cases import power_tasks
from negstats.analysis.power.expected import expected
from negstats.stats import Counts, Moments, ValueCounts
from tests.analysis.methods.designs import Sheet, written

ONE, CROSSED = {"f": "ab"}, {"f": "ab", "g": "xy"}
SIDED = '\ndirection = "a > b"'
RANKED = ["shares = [0.3, 0.5, 0.2]", "shares = [0.2, 0.3, 0.5]", "shares = [0.3, 0.3, 0.4]"]

# Kind of outcome, levels, what the cells expect in turn, what else is expected, the rest of the question, units a cell.
CASES: dict[str, tuple[str, dict[str, str], list[str], str, str, int]] = {
    "two means": ("interval", ONE, ["mean = 1", "mean = 2"], "sd = 2", "", 12),
    "two means, one side": ("interval", ONE, ["mean = 1", "mean = 2"], "sd = 2", SIDED, 12),
    "three means": ("interval", {"f": "abc"}, ["mean = 1", "mean = 2", "mean = 2"], "sd = 2", "", 9),
    "contrast": ("interval", {"f": "abc"}, ["mean = 1", "mean = 2", "mean = 2"], "sd = 2",
                 '\ncontrasts = [{ name = "first", weights = { a = 1, b = -0.5, c = -0.5 } }]', 9),
    "crossed means": ("interval", CROSSED, ["mean = 1", "mean = 2"], "sd = 2", "", 9),
    "equivalence": ("interval", ONE, ["mean = 1", "mean = 2"], "sd = 2", "\nequivalent = 2", 12),
    "pairs": ("interval", ONE, ["mean = 1", "mean = 2"], "sd = 2, r = 0.4", "", 12),
    "pairs, one side": ("interval", ONE, ["mean = 1", "mean = 2"], "sd = 2, r = 0.4", SIDED, 12),
    "three within": ("interval", {"f": "abc"}, ["mean = 1", "mean = 2", "mean = 2"], "sd = 2, r = 0.4", "", 12),
    "two shares": ("yes/no", ONE, ["p = 0.3", "p = 0.6"], "", "", 20),
    "two shares, one side": ("yes/no", ONE, ["p = 0.3", "p = 0.6"], "", SIDED, 20),
    "two small shares": ("yes/no", ONE, ["p = 0.2", "p = 0.5"], "", "", 8),
    "two small shares, one side": ("yes/no", ONE, ["p = 0.2", "p = 0.5"], "", SIDED, 8),
    "Fisher, named": ("yes/no", ONE, ["p = 0.4", "p = 0.6"], "", '\ntest = "fisher"', 30),
    "chi-squared, named": ("yes/no", ONE, ["p = 0.2", "p = 0.5"], "", '\ntest = "chi_squared"', 8),
    "three shares": ("yes/no", {"f": "abc"}, ["p = 0.3", "p = 0.5", "p = 0.6"], "", "", 20),
    "crossed shares": ("yes/no", CROSSED, ["p = 0.3", "p = 0.6"], "", "", 15),
    "equivalent shares": ("yes/no", ONE, ["p = 0.5", "p = 0.6"], "", "\nequivalent = 0.3", 30),
    "shares of pairs": ("yes/no", ONE, ["p = 0.3", "p = 0.6"], "r = 0.2", "", 20),
    "shares of pairs, one side": ("yes/no", ONE, ["p = 0.3", "p = 0.6"], "r = 0.2", SIDED, 20),
    "counts": ("count", ONE, ["rate = 4, spread = 2", "rate = 6, spread = 2"], "", "", 25),
    "counts, one side": ("count", ONE, ["rate = 4, spread = 2", "rate = 6, spread = 2"], "", SIDED, 25),
    "few counts": ("count", ONE, ["rate = 4, spread = 2", "rate = 6, spread = 2"], "", "", 5),
    "few counts, one side": ("count", ONE, ["rate = 4, spread = 2", "rate = 6, spread = 2"], "", SIDED, 5),
    "few counts of three": ("count", {"f": "abc"}, [f"rate = {rate}, spread = 2" for rate in (4, 6, 5)], "", "", 4),
    "crossed counts": ("count", CROSSED, ["rate = 4, spread = 2", "rate = 6, spread = 2"], "", "", 10),
    "two ranks": ("ordered", ONE, RANKED[:2], "", "", 15),
    "two ranks, one side": ("ordered", ONE, ["shares = [0.3, 0.5, 0.2]", "shares = [0.2, 0.3, 0.5]"], "", SIDED, 15),
    "ranks apart": ("ordered", ONE, ["shares = [0.98, 0.01, 0.01]", "shares = [0.01, 0.01, 0.98]"], "", "", 5),
    "three ranks": ("ordered", {"f": "abc"}, ["shares = [0.3, 0.5, 0.2]", "shares = [0.2, 0.3, 0.5]",
                                              "shares = [0.3, 0.3, 0.4]"], "", "", 15),
}  # fmt: skip
EXCHANGED = 0.05  # of p: 999 random arrangements against all of them


def plan_of(kind: str, levels: dict[str, str], cells: list[str], more: str, rest: str) -> Plan:
    combinations = list(itertools.product(*levels.values()))
    told = ", ".join(
        "{ " + ", ".join([*(f'{name} = "{level}"' for name, level in zip(levels, one, strict=True)), cell]) + " }"
        for one, cell in zip(combinations, itertools.cycle(cells), strict=False)
    )
    by = ", ".join(f'"{name}"' for name in levels)
    return parse(f'resamples = 2000\n[measures]\ny = {{ measure = "points", kind = "{kind}" }}\n[questions.Q]\n'
                 f'asks = "Is it so?"\nmeasure = "y"\nby = [{by}]{rest}\n'
                 f'expect = {{ cells = [{told}]{", " if more else ""}{more} }}')  # fmt: skip


def rows_of(drawn: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """Yield the unit's cell, and the value or values, of rows that have the summary of the first drawn study."""
    if isinstance(drawn, Counts | ValueCounts):
        values = drawn.values if isinstance(drawn, ValueCounts) else np.arange(drawn.n.shape[-1])[::-1]
        for place in np.ndindex(drawn.n.shape[1:]):
            yield from [(place[:-1], [values[place[-1]]])] * int(drawn.n[0, *place])
        return
    for cell in np.ndindex(drawn.n.shape[1:]):
        n = int(drawn.n[0, *cell])
        k = len(drawn.variables) if isinstance(drawn, Moments) else 1
        z = np.random.default_rng(1).normal(size=(n, k))
        z -= z.mean(axis=0)
        z = z @ np.linalg.inv(np.linalg.cholesky(np.atleast_2d(np.cov(z.T)))).T
        spread = drawn.covariance[0, *cell] if isinstance(drawn, Moments) else drawn.variance[0, *cell].reshape(1, 1)
        mean = drawn.mean[0, *cell]
        for one in z @ np.linalg.cholesky(spread).T + mean:
            yield cell, one


def study_of(plan: Plan, levels: dict[str, str], drawn: Any) -> Any:
    sheet, inner = Sheet(), list(itertools.product(*levels.values()))
    points: list[float] = []
    units: list[tuple[tuple[int, ...], Any]]
    if isinstance(drawn, Counts) and len(drawn.factors) == 2 and "value" not in [f.name for f in drawn.factors]:
        units = [((), [1.0 - i, 1.0 - j]) for i, j in np.ndindex(2, 2) for _ in range(int(drawn.n[0, i, j]))]
    else:
        units = list(rows_of(drawn))
    for unit, (cell, values) in enumerate(units):
        games = [tuple(levels[name][at] for name, at in zip(levels, cell, strict=True))] if cell else inner
        for game, value in zip(games, values, strict=True):
            sheet.play(unit, [f"p{unit}"], **dict(zip(levels, game, strict=True)))
            points.append(float(value))
    study = written(sheet, "interval", 1.0, np.random.default_rng(1))
    return study, points


@pytest.mark.slow(keep=6)
@pytest.mark.parametrize("name", CASES)
def test_power_puts_the_test_of_the_answer_to_its_studies(name: str) -> None:
    kind, levels, cells, more, rest, n = CASES[name]
    plan = plan_of(kind, levels, cells, more, rest)
    for task in power_tasks(expected(plan, "Q")):
        drawn = task.design.resized(n).draw(3, np.random.default_rng(4))
        found = task.test(drawn)
        p = float(np.asarray(getattr(found, "p", found))[0])
        study, points = study_of(plan, levels, drawn)
        study = replace(study, players=study.players.assign(points=points))
        [entry] = run(plan, study).results["questions"]
        tests = [test for test in entry["tests"] if test["role"] == "answer"]
        one = next((test for test in tests if test["address"] == f"Q/{task.term}"), tests[0])
        assert len(tests) == 1 or one["address"] == f"Q/{task.term}"
        assert one["p"] == pytest.approx(p, rel=1e-6, abs=EXCHANGED if "few counts" in name else 1e-9), one["apa"]
