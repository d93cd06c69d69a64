"""How often tests of dependent rows reject what is true, beside the same rows taken as independent.

Run ``python -m tests.stats.dependence [STUDIES]`` to write ``docs/calibration.json`` and ``docs/calibration.md``; a
test that takes a stack draws ten times as many studies, those whose fit is slow half. The tests of
``test_dependence.py`` run a few. ``[STUDIES] NAME`` draws the cases of this name alone and keeps the other rows; the
name "unequal cells" is that of the grid of `tests.stats.unequal_cells`.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from negstats import stats
from negstats.errors import NotEstimable
from negstats.stats import ClusterMoments, Moments
from negstats.stats.results.numbers import FloatArray
from tests.stats import unequal_cells

ALPHA = 0.05
CLUSTERS = (6, 12, 30)
STACK = 10.0  # a test that takes a stack draws so many times more studies
ROWS, SLOW = 1.0, 0.5  # one that needs rows, and one whose fit takes ten times as long
DOCS = Path(__file__).resolve().parents[2] / "docs"

Draw = Callable[[int, int, np.random.Generator, float], "Found"]


@dataclass(frozen=True)
class Found:
    """Of each study: p, p of the rows as if independent, and whether the 95 % interval holds the truth.

    A study that a test refuses has NaN, and does not reject.
    """

    p: FloatArray
    naive: FloatArray
    covers: FloatArray


@dataclass(frozen=True)
class Case:
    """A test in a design without an effect, and in one with the effect that intervals are to cover."""

    name: str
    design: str
    naive: str
    draw: Draw
    effect: float
    times: float


@dataclass(frozen=True)
class Size:
    """One row of the table."""

    test: str
    design: str
    independent: str
    clusters: int
    studies: int
    size: float
    error: float
    naive_size: float
    coverage: float
    coverage_studies: int
    refused: float
    seconds: float

    @property
    def liberal(self) -> bool:
        """Whether the size is above 5 % by more than chance makes it."""
        return bool(self.size - 3 * np.sqrt(ALPHA * (1 - ALPHA) / self.studies) > ALPHA)


# Rows of clusters, from their moments ---------------------------------------------------------------------------------


def _rows(clusters: int, size: int, *, between: bool) -> pd.DataFrame:
    cluster = np.repeat(np.arange(clusters), size)
    group = cluster % 2 if between else np.arange(len(cluster)) % 2
    return pd.DataFrame({"cluster": cluster, "g": np.where(group == 0, "a", "b"), "y": 0.0})


def _alike(n_simulations: int, clusters: int, size: int, icc: float, rng: np.random.Generator) -> FloatArray:
    """Rows (studies, clusters · size) of variance 1 that correlate with `icc` inside clusters."""
    least = -1 / (size - 1)
    matrix = np.full((size, size), max(icc, least + 1e-9)) + (1 - icc) * np.eye(size)
    return np.asarray(
        (rng.standard_normal((n_simulations, clusters, size)) @ np.linalg.cholesky(matrix).T).reshape(n_simulations, -1)
    )


def mixed(size: int, icc: float, df: Any, *, between: bool, any_: bool = False) -> Draw:
    """A factor of two levels between clusters or inside them, by a mixed model."""

    def draw(clusters: int, n_simulations: int, rng: np.random.Generator, effect: float) -> Found:
        frame = _rows(clusters, size, between=between)
        sign = np.where(frame["g"] == "a", 0.5, -0.5)
        y = effect * sign + _alike(n_simulations, clusters, size, icc, rng)
        moments = ClusterMoments.from_frame(frame, "y ~ g", "cluster").with_outcomes(frame, y)
        model = stats.mixed(moments, between="any" if any_ else "positive")
        one = model.with_df(df).contrast({"g[b]": -1.0})
        ends = one.confidence_interval()
        naive = stats.t_test({"a": y[:, sign > 0], "b": y[:, sign < 0]}, method="student")
        return _found(one.p, naive.p, ends, effect)

    return draw


def actor_partner(pairs: int, n_simulations: int, rng: np.random.Generator, effect: float) -> Found:
    """The actor effect in alike pairs, predictors alike by .3 and residuals by .5; the partner effect is .3."""
    x = _alike(n_simulations, pairs, 2, 0.3, rng).reshape(n_simulations, pairs, 2)
    y = effect * x + 0.3 * x[..., ::-1] + _alike(n_simulations, pairs, 2, 0.5, rng).reshape(n_simulations, pairs, 2)
    four = np.concatenate([x, y], axis=-1)
    one = stats.actor_partner(Moments.from_array(four, ["x1", "x2", "y1", "y2"]), alike=True).coefficient("actor")
    rows = Moments.from_array(np.concatenate([four, four[..., [1, 0, 3, 2]]], axis=1), ["x", "px", "y", "py"])
    plain = stats.regression(rows, outcome="y", predictors=["x", "px"])
    return _found(one.p, plain.p[..., plain.names.index("x")], one.confidence_interval(), effect)


def actor_difference(pairs: int, n_simulations: int, rng: np.random.Generator, effect: float) -> Found:
    """How far the actor effect of one role is above the other's, in pairs opposed by −.5; beside two regressions."""
    x = rng.standard_normal((n_simulations, pairs, 2))
    y = x * [effect, 0.0] + _alike(n_simulations, pairs, 2, -0.5, rng).reshape(n_simulations, pairs, 2)
    moments = Moments.from_array(np.concatenate([x, y], axis=-1), ["x1", "x2", "y1", "y2"])
    result = stats.actor_partner(moments)
    one = result.contrast({"actor[1]": 1.0, "actor[2]": -1.0})
    own, other = (result.coefficient(f"actor[{role}]") for role in (1, 2))
    t = np.asarray(one.estimate) / np.hypot(own.se, other.se)
    return _found(one.p, 2 * special.stdtr(2 * pairs - 6, -np.abs(t)), one.confidence_interval(), effect)


def dyad_correlation(pairs: int, n_simulations: int, rng: np.random.Generator, effect: float) -> Found:
    """The correlation of pairs, beside Pearson's of every pair entered twice."""
    y = _alike(n_simulations, pairs, 2, effect, rng).reshape(n_simulations, pairs, 2)
    result = stats.dyad_correlation(Moments.from_array(y, ["1", "2"]))
    twice = Moments.from_array(np.concatenate([y, y[..., ::-1]], axis=1), ["1", "2"])
    return _found(result.p, stats.correlation(twice, "1", "2").p, result.confidence_interval(), effect)


def round_robin(term: str, method: Any) -> Draw:
    """Groups of five in which all meet; a partner variance of .5 and, where people are asked for, a dyadic r of .4."""

    def draw(groups: int, n_simulations: int, rng: np.random.Generator, effect: float) -> Found:
        actor, dyadic = (effect, 0.4) if term == "actor" else (0.5, effect)
        n = 5
        z = rng.standard_normal((n_simulations, groups, n, n))
        other = dyadic * np.swapaxes(z, -1, -2) + np.sqrt(1 - dyadic**2) * z
        a, b = rng.standard_normal((2, n_simulations, groups, n))
        upper = np.triu(np.ones((n, n)), 1)
        x = np.sqrt(actor) * a[..., :, None] + np.sqrt(0.5) * b[..., None, :] + np.where(upper, z, other)
        result = stats.round_robin(x, method=method)
        one = result.component(term)
        naive = _one_way(x) if term == "actor" else _twice(x)
        return _found(one.p, naive, result.confidence_interval(term), effect)

    return draw


def _one_way(x: FloatArray) -> FloatArray:
    """Return p of the F of actors inside groups, their values taken as independent."""
    groups, n = x.shape[1], x.shape[-1]
    own = ~np.eye(n, dtype=bool)
    values = x[..., own].reshape(*x.shape[:-1], n - 1)
    means = values.mean(axis=-1)
    between = (n - 1) * ((means - means.mean(axis=-1, keepdims=True)) ** 2).sum(axis=(-2, -1))
    within = ((values - means[..., None]) ** 2).sum(axis=(-3, -2, -1))
    df1, df2 = groups * (n - 1), groups * n * (n - 2)
    return np.asarray(special.fdtrc(df1, df2, between / df1 / (within / df2)))


def _twice(x: FloatArray) -> FloatArray:
    """Return p of Pearson's correlation of what the two of each dyad do to each other."""
    i, j = np.triu_indices(x.shape[-1], 1)
    both = np.stack([x[..., i, j], x[..., j, i]], axis=-1).reshape(len(x), -1, 2)
    return np.asarray(stats.correlation(Moments.from_array(both, ["1", "2"]), "1", "2").p)


def _found(p: Any, naive: Any, ends: Any, truth: float) -> Found:
    covers = (np.asarray(ends.low) <= truth) & (truth <= np.asarray(ends.high))
    return Found(np.asarray(p, dtype=float), np.asarray(naive, dtype=float), covers.astype(float))


# Row by row -----------------------------------------------------------------------------------------------------------

One = Callable[[int, np.random.Generator, float], tuple[float, float, float]]


def each(one: One) -> Draw:
    """Return a draw that makes study by study; one that a test refuses counts as not significant."""

    def draw(clusters: int, n_simulations: int, rng: np.random.Generator, effect: float) -> Found:
        rows = []
        for _ in range(n_simulations):
            try:
                rows.append(one(clusters, rng, effect))
            except NotEstimable:
                rows.append((np.nan, np.nan, np.nan))
        return Found(*np.array(rows, dtype=float).reshape(-1, 3).T)

    return draw


def _within(ends: Any, truth: float) -> float:
    return float(np.ravel(ends.low)[0] <= truth <= np.ravel(ends.high)[0])


def cr2(clusters: int, rng: np.random.Generator, effect: float) -> tuple[float, float, float]:
    """A covariate between clusters of 2 to 6 rows, ICC .3."""
    size = 2 + np.arange(clusters) % 5
    cluster = np.repeat(np.arange(clusters), size)
    x = rng.normal(size=clusters)[cluster]
    y = effect * x + np.sqrt(0.3) * rng.normal(size=clusters)[cluster] + np.sqrt(0.7) * rng.normal(size=len(x))
    data = {"x": x, "y": y, "c": cluster}
    model = stats.regression(data, "y ~ x", errors="CR2", cluster="c")
    place = model.names.index("x")
    ends = model.confidence_interval()
    covers = float(np.asarray(ends.low)[place] <= effect <= np.asarray(ends.high)[place])
    return float(np.asarray(model.p)[place]), float(np.asarray(stats.regression(data, "y ~ x").p)[place]), covers


TWO = (stats.Factor("g", ("0", "1")), stats.Factor("y", ("0", "1")))


def gee(*, between: bool, leverage: bool = False) -> One:
    """Yes or no of clusters of four, a factor of two levels; conditional SD 1 on the log-odds scale."""

    def one(clusters: int, rng: np.random.Generator, effect: float) -> tuple[float, float, float]:
        cluster = np.repeat(np.arange(clusters), 4)
        g = (cluster if between else np.arange(len(cluster))) % 2
        level = rng.normal(size=clusters)[cluster]
        y = (level + rng.logistic(size=len(g)) + 0.3 > 0).astype(float)
        data = {"y": y, "g": g.astype(float), "c": cluster}
        model = stats.gee(data, "y ~ g", cluster="c")
        model = model.kauermann_carroll() if leverage else model
        counts = np.array([[np.sum((g == group) & (y == item)) for item in (0, 1)] for group in (0, 1)], dtype=float)
        naive = stats.chi_squared(stats.Counts(counts, TWO), statistic="likelihood-ratio").p
        return float(model.p[1]), float(np.asarray(naive)), _within(model.confidence_interval(of="g"), effect)

    return one


def decisions(*, between: bool) -> One:
    """Twenty decisions of each person, whose log odds have SD 1.5: a condition between people, or inside with SD 1."""

    def one(clusters: int, rng: np.random.Generator, effect: float) -> tuple[float, float, float]:
        person = np.repeat(np.arange(clusters), 20)
        x = rng.integers(0, 11, len(person)) / 10
        g = (person if between else np.arange(len(person))) % 2
        eta = 5 * x - 2 + 1.5 * rng.normal(size=clusters)[person]
        eta = eta + (0.0 if between else rng.normal(size=clusters)[person] * g)
        y = (rng.random(len(eta)) < special.expit(eta)).astype(float)
        data = pd.DataFrame({"y": y, "x": x, "g": g.astype(float), "person": person})
        slope = "1" if between else "1 + g"
        model = stats.mixed(data, f"y ~ x + g + ({slope} | person)", family="binomial")
        naive = stats.logistic(data, "y ~ x + g").p[2]
        return float(model.p[2]), float(naive), _within(model.confidence_interval(of="g"), effect)

    return one


def times(
    clusters: int, rng: np.random.Generator, *, between: bool, effect: float = 0.0
) -> dict[str, npt.NDArray[Any]]:
    """Return times of clusters of four with a shared frailty, one in ten cut off; `effect` on the log of the rate."""
    cluster = np.repeat(np.arange(clusters), 4)
    g = (cluster if between else np.arange(len(cluster))) % 2
    rate = rng.gamma(1.0, 1.0, clusters)[cluster]
    t, cut = rng.exponential(size=len(g)) / rate, rng.exponential(4.0, size=len(g))
    return {"t": np.minimum(t, cut), "e": t <= cut, "g": g.astype(float), "c": cluster}


def log_rank(*, between: bool) -> One:
    """Groups of whole clusters, or inside clusters."""

    def one(clusters: int, rng: np.random.Generator, effect: float) -> tuple[float, float, float]:
        data = times(clusters, rng, between=between)
        result = stats.log_rank(data, "t", "e", by="g", cluster="c")
        return result.p, stats.log_rank(data, "t", "e", by="g").p, np.nan

    return one


def gray(clusters: int, rng: np.random.Generator, effect: float) -> tuple[float, float, float]:
    """Groups of whole clusters; two ends that compete."""
    data = times(clusters, rng, between=True)
    ended = np.where(~data["e"], "late", np.where(rng.random(len(data["t"])) < 0.6, "deal", "walk"))
    data = {**data, "e": ended}
    result = stats.gray(data, "t", "e", "deal", "late", by="g", cluster="c")
    return result.p, stats.gray(data, "t", "e", "deal", "late", by="g").p, np.nan


def cox(*, between: bool) -> One:
    """Groups of whole clusters, or inside clusters."""

    def one(clusters: int, rng: np.random.Generator, effect: float) -> tuple[float, float, float]:
        data = times(clusters, rng, between=between)
        model = stats.cox(data, "g", "t", "e", cluster="c")
        naive = stats.log_rank(data, "t", "e", by="g").p  # the score test of the same model
        return float(model.p[0]), naive, _within(model.confidence_interval(), effect)

    return one


def repeated_correlation(subjects: int, rng: np.random.Generator, effect: float) -> tuple[float, float, float]:
    """Five occasions of each person; people's means correlate .6, occasions by `effect`."""
    who = np.repeat(np.arange(subjects), 5)
    level = rng.standard_normal((subjects, 2)) @ np.linalg.cholesky(np.array([[1, 0.6], [0.6, 1]])).T
    inside = rng.standard_normal((len(who), 2)) @ np.linalg.cholesky(np.array([[1, effect], [effect, 1]])).T
    x, y = (level[who] + inside).T
    data = {"x": x, "y": y, "who": who}
    result = stats.repeated_correlation(data, "x", "y", subject="who")
    return float(result.p), float(stats.correlation(data, "x", "y").p), _within(result.confidence_interval(), effect)


def clustered_correlation(clusters: int, rng: np.random.Generator, effect: float) -> tuple[float, float, float]:
    """Clusters of four rows; both measures are alike inside clusters, by .5."""
    cluster = np.repeat(np.arange(clusters), 4)
    root = np.linalg.cholesky(np.array([[1, effect], [effect, 1]])).T
    shared, own = rng.standard_normal((clusters, 2)) @ root, rng.standard_normal((len(cluster), 2)) @ root
    x, y = np.sqrt(0.5) * (shared[cluster] + own).T
    data = {"x": x, "y": y, "c": cluster}
    result = stats.clustered_correlation(data, "x", "y", cluster="c")
    return float(result.p), float(stats.correlation(data, "x", "y").p), _within(result.confidence_interval(), effect)


FOUR = "clusters of 4 rows, ICC .3"
FIVE = "groups of 5, actor variance"
WHOLE, INSIDE = "times in clusters of 4, groups of whole clusters", "times in clusters of 4, groups inside"
ROLES = "pairs, r = −.5, the two roles"


def _stacks() -> Iterator[Case]:
    for df, item in (("kenward-roger", "Kenward–Roger"), ("satterthwaite", "Satterthwaite")):
        for between in (True, False):
            design = f"{FOUR}, factor {'between' if between else 'inside'}"
            yield Case(f"mixed, {item}", design, "t-test", mixed(4, 0.3, df, between=between), 0.5, STACK)
    any_ = mixed(2, 0.3, "kenward-roger", between=True, any_=True)
    yield Case("mixed, pairs, any sign", "pairs, r = .3, factor between", "t-test", any_, 0.5, STACK)
    any_ = mixed(2, -0.5, "kenward-roger", between=False, any_=True)
    yield Case("mixed, pairs, any sign", ROLES, "t-test", any_, 0.5, STACK)
    positive = mixed(2, -0.5, "kenward-roger", between=False)
    yield Case("mixed, pairs, positive only", ROLES, "t-test", positive, 0.5, STACK)
    yield Case(
        "actor_partner, alike", "pairs, x r = .3, residual r = .5: actor", "regression", actor_partner, 0.4, STACK
    )
    apart = "pairs, residual r = −.5: actor of one role less the other's"
    yield Case("actor_partner, roles", apart, "two regressions", actor_difference, 0.4, STACK)
    yield Case("dyad_correlation", "pairs", "r, pairs twice", dyad_correlation, 0.4, STACK)
    for method in ("mean squares", "lashley-bond", "groups"):
        yield Case(f"round_robin, {method}", FIVE, "one-way F", round_robin("actor", method), 0.5, STACK)
    dyads = round_robin("dyadic", "mean squares")
    yield Case("round_robin, mean squares", "groups of 5, dyadic", "r of dyads", dyads, 0.4, STACK)


def _by_rows() -> Iterator[Case]:
    yield Case("regression, CR2", "clusters of 2 to 6 rows, number between", "regression", each(cr2), 0.3, ROWS)
    repeated, clustered = each(repeated_correlation), each(clustered_correlation)
    yield Case("repeated_correlation", "people with 5 occasions", "r of rows", repeated, 0.4, ROWS)
    yield Case("clustered_correlation", "clusters of 4 rows, alike by .5", "r of rows", clustered, 0.4, ROWS)
    for between in (True, False):
        design = f"yes or no in clusters of 4, factor {'between' if between else 'inside'}"
        yield Case("gee, Mancl–DeRouen", design, "G²", each(gee(between=between)), 0.0, SLOW)
    for between, design in ((True, WHOLE), (False, INSIDE)):
        yield Case("log_rank, clusters", design, "log_rank", each(log_rank(between=between)), 0.0, ROWS)
    yield Case("gray, clusters", WHOLE, "gray", each(gray), 0.0, ROWS)
    for between, design in ((True, WHOLE), (False, INSIDE)):
        yield Case("cox, clusters", design, "log_rank", each(cox(between=between)), 0.0, SLOW)
    for between in (True, False):
        design = f"yes or no in clusters of 4, factor {'between' if between else 'inside'}"
        carroll = each(gee(between=between, leverage=True))
        yield Case("gee, Kauermann–Carroll", design, "G²", carroll, 0.0, SLOW)
    for between in (True, False):
        design = f"20 yes or no of each person, condition {'between' if between else 'inside, its SD 1'}"
        yield Case("mixed, yes or no", design, "logistic", each(decisions(between=between)), 0.0, SLOW)


CASES = (*_stacks(), *_by_rows())


def size_of(case: Case, clusters: int, n_simulations: int, seed: int = 2026) -> Size:
    """Return how often a test rejects what is true, and how often its interval holds the truth."""
    rng = np.random.default_rng([seed, CASES.index(case), clusters])
    count = round(n_simulations * case.times)
    start = time.process_time()
    null = case.draw(clusters, count, rng, 0.0)
    seconds = time.process_time() - start
    cover = null.covers if case.effect == 0 else case.draw(clusters, count, rng, case.effect).covers
    size = float(np.mean(null.p < ALPHA))
    is_defined = ~np.isnan(cover)
    return Size(
        test=case.name,
        design=case.design,
        independent=case.naive,
        clusters=clusters,
        studies=count,
        size=size,
        error=float(np.sqrt(size * (1 - size) / count)),
        naive_size=float(np.mean(null.naive < ALPHA)),
        coverage=float(cover[is_defined].mean()) if is_defined.any() else float("nan"),
        coverage_studies=int(is_defined.sum()),
        refused=float(np.isnan(null.p).mean()),
        seconds=round(seconds, 2),
    )


# The table ------------------------------------------------------------------------------------------------------------

HEAD = """# How often tests of dependent rows reject a true null hypothesis

`python -m tests.stats.dependence {studies}` drew the studies and wrote this page and `calibration.json`: {stack:,} null
studies for a test that takes a stack, {studies:,} for one that needs rows, {slow:,} for `gee`, `cox` and mixed models
of yes or no, at the 5 % level. *Size* is how often the test rejects (in brackets its Monte Carlo error), *as
independent* how often the analysis does that takes the rows for independent, *cover* how often the 95 % interval holds
the truth (with an effect where the case has one). **Bold** sizes are above 5 % by more than three Monte Carlo errors.
Refused studies (a correlation or a variance that cannot be estimated) do not reject. Seconds are processor time, for
the null studies, both analyses and drawing them.

| test | design | clusters | size | as independent | cover | refused | seconds |
|---|---|---|---|---|---|---|---|
"""


def markdown(sizes: list[Size], n_simulations: int, unequal: list[dict[str, Any]]) -> str:
    """Return the page."""
    lines = []
    for one in sizes:
        size = f"{one.size:.3f}"
        cover = "–" if np.isnan(one.coverage) else f"{one.coverage:.3f}"
        cells = [
            one.test,
            one.design,
            str(one.clusters),
            f"{f'**{size}**' if one.liberal else size} ({one.error:.3f})",
            f"{one.naive_size:.3f} ({one.independent})",
            cover,
            f"{one.refused:.3f}" if one.refused else "–",
            f"{one.seconds:.1f}",
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return (
        HEAD.format(studies=n_simulations, stack=round(n_simulations * STACK), slow=round(n_simulations * SLOW))
        + "\n".join(lines)
        + "\n"
        + _said(sizes)
        + unequal_cells.markdown(unequal, n_simulations)
    )


def _said(sizes: list[Size]) -> str:
    liberal = [f"{one.test} ({one.design}, {one.clusters} clusters): {one.size:.3f}" for one in sizes if one.liberal]
    shy = [
        f"{one.test} ({one.design}, {one.clusters} clusters): {one.size:.3f}"
        for one in sizes
        if one.size + 3 * np.sqrt(ALPHA * (1 - ALPHA) / one.studies) < ALPHA
    ]
    parts = []
    for name, rows in (("Liberal", liberal), ("Conservative", shy)):
        parts += [f"\n{name}:\n", *(f"- {row}" for row in rows)] if rows else []
    return "\n".join(parts) + "\n" if parts else ""


def sizes_of(n_simulations: int, name: str | None = None) -> Iterator[Size]:
    """Return each row of the table; with a name those of other cases as the table has them."""
    table = {} if name is None else {(one.test, one.design, one.clusters): one for one in read()}
    for case in CASES:
        for clusters in CLUSTERS:
            row = table.get((case.name, case.design, clusters)) if case.name != name else None
            yield row or size_of(case, clusters, n_simulations)


def read() -> list[Size]:
    """Return the rows of the table as they are written down."""
    rows: list[dict[str, Any]] = json.loads((DOCS / "calibration.json").read_text(encoding="utf-8"))["rows"]
    values: list[dict[str, Any]] = [{key: np.nan if one is None else one for key, one in row.items()} for row in rows]
    return [Size(**row) for row in values]


def read_unequal() -> list[dict[str, Any]]:
    """Return the grid of unequal cells as it is written down."""
    rows: list[dict[str, Any]] = json.loads((DOCS / "calibration.json").read_text(encoding="utf-8"))["unequal"]
    return rows


def write(sizes: list[Size], n_simulations: int, unequal: list[dict[str, Any]]) -> None:
    """Write the table and the page."""
    rows = [{name: None if value != value else value for name, value in asdict(one).items()} for one in sizes]
    content = {"alpha": ALPHA, "studies": n_simulations, "rows": rows, "unequal": unequal}
    text = json.dumps(content, indent=1)
    (DOCS / "calibration.json").write_text(text + "\n", encoding="utf-8")
    (DOCS / "calibration.md").write_text(markdown(sizes, n_simulations, unequal), encoding="utf-8")


def main(n_simulations: int, name: str | None = None) -> None:
    """Draw the studies and write the table."""
    sizes = []
    for one in sizes_of(n_simulations, name):
        sizes.append(one)
        print(one.test, one.design, one.clusters, f"{one.size:.4f} {one.naive_size:.3f} {one.coverage:.3f}", flush=True)
    write(sizes, n_simulations, unequal_cells.grid() if name in (None, "unequal cells") else read_unequal())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000, *sys.argv[2:3])
