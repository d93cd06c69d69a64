"""How often tests of crossed factors reject what is true where cells differ in size and spread: the grid of a choice.

``python -m tests.stats.dependence [STUDIES] "unequal cells"`` writes it to ``docs/calibration.json`` and
``docs/calibration.md``: 10,000 null studies a point, each drawn as summaries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from negstats import stats
from negstats.stats import Cells, Counts, Factor, Moments, quasi_poisson
from negstats.stats.counts.contingency import chi2_sf, pearson
from negstats.stats.means.robust import log_means
from negstats.stats.results.numbers import FloatArray

ALPHA = 0.05
STUDIES = 10_000


@dataclass(frozen=True)
class Point:
    """One design of the grid: what is drawn, and n and spread of each cell (of groups, where measures repeat)."""

    kind: str
    n: Any
    spread: Any

    @property
    def text(self) -> str:
        n, spread = (_rows_text(rows) for rows in (self.n, self.spread))
        return f"n {n}, {SPREADS[self.kind]} {spread}"


def _rows_text(rows: Any) -> str:
    """Return sizes as the page has them: rows of cells with semicolons between."""
    return "; ".join(", ".join(map(str, row)) for row in (rows if np.ndim(rows) > 1 else [rows]))


SPREADS = {"means": "SD", "repeated": "SD", "counts": "dispersion", "yes or no": "share"}
MEASURES, CORRELATION, RATE = 3, 0.5, 3.0
POINTS = (
    Point("means", [[5, 5], [5, 5]], [[1, 1], [1, 1]]),
    Point("means", [[10, 10], [10, 10]], [[3, 1], [1, 1]]),
    Point("means", [[20, 20], [20, 20]], [[3, 1], [1, 3]]),
    Point("means", [[8, 8], [30, 30]], [[3, 3], [1, 1]]),
    Point("means", [[8, 8], [30, 30]], [[1, 1], [3, 3]]),
    Point("means", [[6, 12], [20, 30]], [[1, 1], [1, 1]]),
    Point("means", [[6, 12], [20, 30]], [[3, 2], [1, 1]]),
    Point("means", [[6, 12], [20, 30]], [[4, 2], [2, 1]]),
    Point("means", [[3, 3], [12, 12]], [[3, 3], [1, 1]]),
    Point("means", [[8, 8, 8], [30, 30, 30]], [[3, 3, 3], [1, 1, 1]]),
    Point("means", [[5, 10, 20], [20, 10, 5]], [[3, 2, 1], [1, 2, 3]]),
    Point("means", [[4, 4, 4, 4]] * 3, [[1, 2, 3, 4]] * 3),
    Point("means", [[6, 8, 10, 12]] * 4, [[4, 3, 2, 1]] * 4),
    Point("repeated", [12, 12], [1, 1]),
    Point("repeated", [12, 12], [3, 1]),
    Point("repeated", [8, 30], [3, 1]),
    Point("repeated", [8, 30], [1, 3]),
    Point("repeated", [5, 20], [3, 1]),
    Point("repeated", [6, 12, 30], [4, 2, 1]),
    Point("counts", [[20, 20], [20, 20]], [[1.75, 1.75], [1.75, 1.75]]),
    Point("counts", [[10, 10], [30, 30]], [[5, 5], [1.4, 1.4]]),
    Point("counts", [[30, 30], [10, 10]], [[5, 5], [1.4, 1.4]]),
    Point("counts", [[8, 8], [30, 30]], [[4, 4], [1.05, 1.05]]),
    Point("counts", [[5, 5], [20, 20]], [[3, 3], [1.2, 1.2]]),
    Point("yes or no", [[8, 8], [30, 30]], [0.5]),
    Point("yes or no", [[8, 8], [30, 30]], [0.2]),
    Point("yes or no", [[10, 10], [10, 10]], [0.2]),
    Point("yes or no", [[15, 15], [15, 15]], [0.1]),
    Point("yes or no", [[5, 5], [20, 20]], [0.5]),
    Point("yes or no", [[20, 20], [20, 20]], [0.3]),
)
HEAD = """
## Crossed factors whose cells differ

`python -m tests.stats.dependence {studies} "unequal cells"` drew {points:,} null studies a point. *Robust* is the test
that a plan takes: Welch–James of means, Box's degrees of freedom with each group's own covariances where {measures}
measures repeat (r = {r}), Welch–James of log means for counts (mean {rate:g}, negative binomial), Rao's X² of
log-linear models for yes or no. *HC3* is Wald's F with HC3 errors; *classical* is the F that takes the spread of all
cells as equal (Greenhouse and Geisser's, quasi-Poisson), and the likelihood ratio G² of yes or no.

| outcome | n and spread of the cells | term | robust | HC3 | classical |
|---|---|---|---|---|---|
"""


def _factors(*sizes: int) -> tuple[Factor, ...]:
    return tuple(Factor("ab"[at], tuple(map(str, range(size)))) for at, size in enumerate(sizes))


def draw_cells(point: Point, studies: int, rng: np.random.Generator) -> Cells:
    """Return a stack of cells: means and variances of normal values, or those of counts."""
    n, spread = (np.asarray(one, dtype=np.float64) for one in (point.n, point.spread))
    shape = (studies, *n.shape)
    if point.kind == "means":
        mean = rng.normal(size=shape) * spread / np.sqrt(n)
        variance = spread**2 * rng.chisquare(n - 1, size=shape) / (n - 1)
    else:
        mean, variance = np.zeros(shape), np.zeros(shape)
        for cell in np.ndindex(*n.shape):
            size = RATE / (spread[cell] - 1)
            counts = rng.poisson(rng.gamma(size, RATE / size, size=(studies, int(n[cell]))))
            mean[:, *cell], variance[:, *cell] = counts.mean(axis=1), counts.var(axis=1, ddof=1)
    # A cell of counts without a single event has no ratio: such studies, of which there are few, are left out.
    kept = (mean > 0).all(axis=(1, 2)) if point.kind == "counts" else np.ones(studies, dtype=bool)
    return Cells(n + np.zeros(shape)[kept], mean[kept], variance[kept], _factors(*n.shape), "y")


def draw_moments(point: Point, studies: int, rng: np.random.Generator) -> Moments:
    """Return a stack of groups of repeated measures."""
    root = np.linalg.cholesky(CORRELATION + (1 - CORRELATION) * np.eye(MEASURES))
    means, covariances = [], []
    for n, sd in zip(point.n, point.spread, strict=True):
        y = sd * rng.normal(size=(studies, n, MEASURES)) @ root.T
        rest = y - y.mean(axis=1, keepdims=True)
        means.append(y.mean(axis=1))
        covariances.append(np.swapaxes(rest, 1, 2) @ rest / (n - 1))
    n = np.asarray(point.n, dtype=np.float64) + np.zeros((studies, 1))
    measures = Factor("measure", tuple(map(str, range(MEASURES))))
    groups = Factor("group", _factors(n.shape[1])[0].levels)
    return Moments(n, np.stack(means, 1), np.stack(covariances, 1), measures, (groups,))


def compare_tables(point: Point, studies: int, rng: np.random.Generator) -> dict[str, dict[str, FloatArray]]:
    """Return p of each term of crossed yes or no, by Rao's X² and by the likelihood ratio."""
    n = np.asarray(point.n)
    yes = rng.binomial(n, point.spread, size=(studies, *n.shape))
    factors = (*_factors(*n.shape), Factor("y", ("no", "yes")))
    counts = Counts(np.stack([n - yes, yes], axis=-1).astype(float), factors)
    whole = stats.loglinear(counts, "[a b][a y][b y]")
    smaller = {"a": stats.loglinear(counts, "[a b][b y]"), "b": stats.loglinear(counts, "[a b][a y]")}
    sizes = {}
    for term in ("a", "b", "a:b"):
        small, fitted, g2 = (whole, counts.n, 0.0) if term == "a:b" else (smaller[term], whole.fitted, whole.statistic)
        tests = {"robust": pearson(fitted, small.fitted, 3), "classical": np.asarray(small.statistic) - g2}
        sizes[term] = {name: np.asarray(chi2_sf(value, 1)) for name, value in tests.items()}
    return sizes


def rejections(point: Point, studies: int, rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Yield how often each test of a term rejects, one row a term; HC3 is of means alone."""
    tests: dict[str, Any]
    if point.kind == "yes or no":
        known = compare_tables(point, studies, rng)
        tests = {name: lambda term, name=name: known[term][name] for name in ("robust", "classical")}
        terms: tuple[str, ...] = tuple(known)
    elif point.kind == "repeated":
        moments = draw_moments(point, studies, rng)
        classical = stats.repeated_anova(moments)
        tests = {"robust": lambda term: stats.robust_repeated(moments).effect(term).p,
                 "classical": lambda term: classical.effect(term, "gg").p}  # fmt: skip
        terms = classical.terms
    else:
        cells = draw_cells(point, studies, rng)
        pooled: Any = stats.anova(cells) if point.kind == "means" else quasi_poisson(cells)
        robust = stats.robust_anova(cells if point.kind == "means" else log_means(cells), method="welch-james")
        tests = {"robust": lambda term: robust.effect(term).p, "classical": lambda term: pooled.effect(term).p}
        if point.kind == "means":
            hc3 = stats.robust_anova(cells, method="HC3")
            tests["HC3"] = lambda term: hc3.effect(term).p
        terms = robust.terms
    for term in terms:
        sizes = {name: _share(test(term)) for name, test in tests.items()}
        yield {"outcome": point.kind, "design": point.text, "term": term, "studies": studies, "HC3": None, **sizes}


def _share(p: FloatArray) -> float:
    return float(np.mean(np.asarray(p) < ALPHA))


def grid(studies: int = STUDIES, seed: int = 2026) -> list[dict[str, Any]]:
    """Return the rows of the grid."""
    return [row for place, point in enumerate(POINTS)
            for row in rejections(point, studies, np.random.default_rng([seed, place]))]  # fmt: skip


def markdown(rows: list[dict[str, Any]], studies: int) -> str:
    """Return the section of the page."""
    head = HEAD.format(studies=studies, points=rows[0]["studies"], measures=MEASURES, r=CORRELATION, rate=RATE)
    error = 3 * np.sqrt(ALPHA * (1 - ALPHA) / rows[0]["studies"])
    lines = []
    for row in rows:
        shares = [
            "–" if row[name] is None else f"**{row[name]:.3f}**" if row[name] > ALPHA + error else f"{row[name]:.3f}"
            for name in ("robust", "HC3", "classical")
        ]
        lines.append(f"| {row['outcome']} | {row['design']} | {row['term']} | {' | '.join(shares)} |")
    ranges = [
        f"{name} from {min(values):.3f} to {max(values):.3f}"
        for name in ("robust", "HC3", "classical")
        if (values := [row[name] for row in rows if row[name] is not None])
    ]
    return head + "\n".join(lines) + f"\n\nSizes run, {', '.join(ranges)}.\n"
