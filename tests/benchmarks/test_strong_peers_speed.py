"""What a test costs from a frame of a million rows beside the shortest numpy or polars that gives the same number.

No two of the continuous values are alike, which is where ranks cost most; ratings are whole numbers from 0 to 5. The
peers neither check their data nor give intervals, so that ours may take a little longer: each case says how much.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats as theirs
from statsmodels.formula import api as formulas
from statsmodels.genmod import families

from negstats import metrics, stats
from tests.benchmarks.peers import growth, memory, ratio

ROWS = 1_000_000
RATERS = ["first", "second", "third"]
NUMBERS = ["x", "y", "z", "minutes", "time"]


@cache
def pairs(rows: int) -> pd.DataFrame:
    """Return pairs of players with continuous numbers, groups of two and three, and the ratings of three raters."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"game": np.repeat(np.arange(rows // 2), 2), "seat": np.tile(["A", "B"], rows // 2)})
    frame[["x", "y", "z"]] = rng.normal(size=(rows, 3))
    frame["y"] += 0.5 * frame["x"] + rng.normal(size=rows // 2)[frame["game"]]
    frame["minutes"], frame["time"] = rng.exponential(9, size=rows), np.ceil(rng.exponential(60, size=rows))
    frame["three"] = np.array(["a", "b", "c"])[rng.integers(0, 3, rows)]
    frame["two"] = np.array(["u", "v"])[rng.integers(0, 2, rows)]
    frame[RATERS] = np.clip(rng.integers(0, 5, rows)[:, None] + rng.integers(-1, 2, (rows, 3)), 0, 5)
    return frame


@cache
def repeated(rows: int) -> pd.DataFrame:
    """Return four measures a subject, in the order of subjects."""
    rng = np.random.default_rng(2)
    y = (rng.normal(size=rows // 4)[:, None] + rng.normal(size=(rows // 4, 4))).ravel()
    return pd.DataFrame({"subject": np.repeat(np.arange(rows // 4), 4), "w": np.tile([*"abcd"], rows // 4), "y": y})


@cache
def offers(rows: int) -> pl.DataFrame:
    """Return ten offers a game, each in turn, with values of two decimals."""
    rng = np.random.default_rng(1)
    values = {name: rng.random(rows).round(2) for name in ("value_proposer", "value_responder")}
    turns = {"proposer": np.tile(["A", "B"], rows // 2), "responder": np.tile(["B", "A"], rows // 2)}
    game = pl.Series(np.repeat(np.arange(rows // 10), 10)).cast(pl.String)
    return pl.DataFrame({"game_id": "g" + game, "offer": np.tile(np.arange(1, 11), rows // 10), **turns, **values})


def three(frame: pd.DataFrame) -> list[Any]:
    return [values.to_numpy() for _, values in frame.groupby("three")["y"]]


def kappa(frame: pd.DataFrame) -> float:
    counts = np.bincount(frame["first"].to_numpy() * 6 + frame["second"].to_numpy(), minlength=36).reshape(6, 6)
    table = counts / len(frame)
    expected = table.sum(axis=1) @ table.sum(axis=0)
    return float((np.trace(table) - expected) / (1 - expected))


def fleiss(frame: pd.DataFrame) -> float:
    codes, n = frame[RATERS].to_numpy(), len(frame)
    counts = np.bincount((np.arange(n)[:, None] * 6 + codes).ravel(), minlength=6 * n).reshape(n, 6)
    share = counts.sum(axis=0) / (3 * n)
    expected = share @ share
    return float((((counts * counts).sum() - 3 * n) / (n * 6) - expected) / (1 - expected))


def icc(frame: pd.DataFrame) -> float:
    ratings = frame[RATERS].to_numpy(dtype=float)
    n, k = ratings.shape
    rows, columns, middle = ratings.mean(axis=1), ratings.mean(axis=0), ratings.mean()
    targets = k * ((rows - middle) ** 2).sum() / (n - 1)
    raters = n * ((columns - middle) ** 2).sum() / (k - 1)
    rest = ((ratings - rows[:, None] - columns + middle) ** 2).sum() / ((n - 1) * (k - 1))
    return float((targets - rest) / (targets + (k - 1) * rest + k * (raters - rest) / n))


def pearson(frame: pd.DataFrame) -> float:
    return float(np.corrcoef(frame[NUMBERS].to_numpy().T)[0, 1])


def spearman(frame: pd.DataFrame) -> float:
    ranks = pl.from_pandas(frame[NUMBERS]).select(pl.all().rank()).to_numpy()
    return float(np.corrcoef(ranks.T)[0, 1])


def ranked(frame: pd.DataFrame, by: str) -> pl.DataFrame:
    ranks = pl.from_pandas(frame[[by, "y"]]).with_columns(rank=pl.col("y").rank())
    return ranks.group_by(by).agg(n=pl.len(), total=pl.col("rank").sum()).sort(by)


def kruskal(frame: pd.DataFrame) -> float:
    sums, n = ranked(frame, "three"), len(frame)
    return 12 / (n * (n + 1)) * float((sums["total"] ** 2 / sums["n"]).sum()) - 3 * (n + 1)


def mann_whitney(frame: pd.DataFrame) -> float:
    n, total = ranked(frame, "two").select("n", "total").row(0)
    return float(total - n * (n + 1) / 2)


def actor(frame: pd.DataFrame) -> float:
    x, y = (frame[name].to_numpy().reshape(-1, 2) for name in ("x", "y"))
    design = np.column_stack([np.ones(len(x)), x.mean(axis=1)])
    between = np.linalg.lstsq(design, y.mean(axis=1), rcond=None)[0][1]
    apart, answer = x[:, 0] - x[:, 1], y[:, 0] - y[:, 1]
    return float((between + apart @ answer / (apart @ apart)) / 2)


def logit(frame: pd.DataFrame) -> float:
    dummies = [(frame["three"] == level).to_numpy(float) for level in "bc"]
    x = np.column_stack([np.ones(len(frame)), frame["x"].to_numpy(), *dummies])
    y, beta = (frame["y"] > 0).to_numpy(float), np.zeros(4)
    for _ in range(12):
        chance = 1 / (1 + np.exp(-(x @ beta)))
        step = np.linalg.solve((x * (chance * (1 - chance))[:, None]).T @ x, x.T @ (y - chance))
        beta += step
        if abs(step).max() < 1e-9:
            break
    return float(beta[1])


def by_scipy(test: Callable[..., Any], frame: pd.DataFrame, measures: int) -> float:
    return float(test(*frame["y"].to_numpy().reshape(-1, measures).T).pvalue)


def first_of_polars(frame: pl.DataFrame) -> float:
    own = frame.lazy().group_by("game_id", "proposer").agg(pl.col("value_proposer").sort_by("offer").first())
    opener = frame.lazy().group_by("game_id").agg(opener=pl.col("proposer").sort_by("offer").first())
    listed = own.join(opener, on="game_id").sort("game_id", "proposer").collect()
    return float(listed["value_proposer"].sum())


def rates_of_polars(frame: pl.DataFrame) -> float:
    """Return the sum of the shares of concessions, with the shares of all six kinds of steps beside it."""
    near = 1e-4
    ordered = frame.lazy().sort("game_id", "proposer", "offer")
    same = pl.all_horizontal(*(pl.col(name) == pl.col(name).shift() for name in ("game_id", "proposer", "responder")))
    values = {"own": "value_proposer", "other": "value_responder"}
    changes = ordered.with_columns(**{name: pl.when(same).then(pl.col(of).diff()) for name, of in values.items()})
    own, other = pl.col("own"), pl.col("other")
    step = (
        pl.when(own.is_null() | other.is_null())
        .then(None)
        .when((own.abs() <= near) & (other.abs() <= near))
        .then(0)
        .when((own.abs() <= near) & (other > near))
        .then(1)
        .when((own <= near) & (other < -near))
        .then(2)
        .when((own > near) & (other <= near))
        .then(3)
        .when((own < -near) & (other >= -near))
        .then(4)
        .otherwise(5)
    )
    shares = {f"share_{kind}": (pl.col("step") == kind).mean() for kind in range(6)}
    seats = (
        changes.with_columns(step=step).group_by("game_id", "proposer").agg(pl.col("step").count().alias("n"), **shares)
    )
    return float(seats.sort("game_id", "proposer").collect()["share_4"].sum())


@cache
def effects(rows: int) -> pd.DataFrame:
    """Return effects of so many studies, with their variances."""
    rng = np.random.default_rng(3)
    variance = rng.uniform(0.01, 0.1, rows)
    return pd.DataFrame({"effect": rng.normal(0.3, np.sqrt(variance + 0.05)), "variance": variance})


def reml(frame: pd.DataFrame) -> float:
    """Return the mean effect with the variance of restricted maximum likelihood, by scoring, without any interval."""
    effect, variance, between = frame["effect"].to_numpy(), frame["variance"].to_numpy(), 0.0
    for _ in range(100):
        weight = 1 / (variance + between)
        total, squares, cubes = weight.sum(), (weight**2).sum(), (weight**3).sum()
        mean = weight @ effect / total
        score = (weight**2) @ (effect - mean) ** 2 - total + squares / total
        step = score / (squares - 2 * cubes / total + (squares / total) ** 2)
        between = max(between + step, 0.0)
        if abs(step) < 1e-10:
            break
    return float(mean)


def by_pyfixest(frame: pd.DataFrame) -> float:
    """Return a coefficient with the sandwich that pyfixest has for clusters, which is not corrected for their hats."""
    pyfixest = pytest.importorskip("pyfixest")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what pandas will change
        return float(pyfixest.feols("y ~ x + C(three)", frame, vcov={"CRV1": "game"}).coef()["x"])


def logit_of_pyfixest(frame: pd.DataFrame) -> float:
    pyfixest = pytest.importorskip("pyfixest")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        won = frame.assign(won=(frame["y"] > 0).astype(float))
        return float(pyfixest.feglm("won ~ x + C(three)", won, family="logit").coef()["x"])


def with_ends(frame: pd.DataFrame) -> pd.DataFrame:
    """Return times in whole seconds, three of ten censored."""
    ends = np.random.default_rng(4).random(len(frame)) < 0.3
    return frame.assign(agreed=~ends, ended=np.where(ends, "timeout", "agreement"))


def cox_of_lifelines(frame: pd.DataFrame) -> float:
    lifelines = pytest.importorskip("lifelines")
    groups = {f"three_{level}": (frame["three"] == level).astype(float) for level in "bc"}
    rows = with_ends(frame)[["time", "agreed", "x"]].assign(**groups)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(lifelines.CoxPHFitter().fit(rows, "time", "agreed").params_["x"])


FACTORS = ["three", "two", "seat", "first"]


def by_cells(frame: pd.DataFrame) -> float:
    """Return the deviance of a log-linear model, fitted by statsmodels to the counts of polars."""
    counts = pl.from_pandas(frame[FACTORS]).group_by(FACTORS).len("n").to_pandas()
    model = formulas.glm("n ~ three * two + two * seat + seat * C(first)", counts, family=families.Poisson())
    return float(model.fit(tol=1e-12).deviance)


@dataclass(frozen=True)
class Case:
    """A call of ours, its peer with its name, the most that ours may take of its time, and what both are given."""

    ours: Callable[[Any], float]
    peer: Callable[[Any], float]
    against: str
    limit: float
    of: Callable[[int], Any] = pairs


CASES = {
    "Cohen's kappa, six categories": Case(lambda f: stats.cohens_kappa(f, RATERS[:2]).estimate, kappa, "numpy", 3),
    "Fleiss' kappa, three raters, six categories": Case(
        lambda f: stats.fleiss_kappa(f, RATERS).estimate, fleiss, "numpy", 3
    ),
    "ICC, three raters": Case(lambda f: float(stats.icc(f, RATERS).estimate), icc, "numpy", 1.5),
    "Pearson's correlations of five columns": Case(
        lambda f: float(stats.correlations(f, NUMBERS).r[0, 1]), pearson, "numpy", 3
    ),
    "Spearman's correlations of five columns": Case(
        lambda f: float(stats.correlations(f, NUMBERS, method="spearman").r[0, 1]), spearman, "polars and numpy", 2
    ),
    "Brown–Forsythe, continuous": Case(
        lambda f: float(stats.levene(f, "y", "three").p), lambda f: float(theirs.levene(*three(f)).pvalue), "scipy", 2
    ),
    "Kruskal–Wallis, no two values alike": Case(
        lambda f: float(stats.kruskal_wallis(f, "y", "three").statistic), kruskal, "polars", 1.3
    ),
    "Mann–Whitney, no two values alike": Case(
        lambda f: float(stats.mann_whitney(f, "y", "two").statistic), mann_whitney, "polars", 1.3
    ),
    "Wilcoxon, long frame": Case(
        lambda f: float(stats.wilcoxon(f, "y", within="seat", subject="game").p),
        lambda f: by_scipy(theirs.wilcoxon, f, 2),
        "scipy",
        2,
    ),
    "Friedman, long frame, four measures": Case(
        lambda f: float(stats.friedman(f, "y", within="w", subject="subject").p),
        lambda f: by_scipy(theirs.friedmanchisquare, f, 4),
        "scipy",
        2,
        repeated,
    ),
    "logistic regression, a covariate and three groups": Case(
        lambda f: float(stats.logistic(f.assign(won=f["y"] > 0), "won ~ x + three").estimate[1]), logit, "numpy", 3
    ),
    "actor–partner model, pairs alike": Case(
        lambda f: float(stats.actor_partner(f, "y", "x", pair="game", alike=True).coefficient("actor").estimate),
        actor,
        "numpy",
        1.5,
    ),
    "first offers, ten a game": Case(
        lambda f: float(metrics.first_offers(f)["first_offer"].sum()), first_of_polars, "polars", 2, offers
    ),
    "step rates, ten offers a game": Case(
        lambda f: float(metrics.step_rates(f)["concession_rate"].sum()), rates_of_polars, "polars", 2, offers
    ),
    "meta-analysis, REML": Case(
        lambda f: float(stats.meta_analysis(f["effect"], f["variance"]).estimate), reml, "numpy", 2, effects
    ),
    "log-linear model, four factors": Case(
        lambda f: float(stats.loglinear(f, [["three", "two"], ["two", "seat"], ["seat", "first"]], FACTORS).statistic),
        by_cells,
        "polars and statsmodels",
        1.5,
    ),
    "linear regression of pairs, CR2": Case(
        lambda f: float(stats.regression(f, "y ~ x + three", errors="CR2", cluster="game").estimate[1]),
        by_pyfixest,
        "pyfixest, CRV1",
        1.5,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_take_little_longer_than_the_shortest_call(benchmark: Any, name: str) -> None:
    case = CASES[name]
    data = case.of(ROWS)
    assert case.ours(data) == pytest.approx(case.peer(data), rel=1e-6, abs=1e-12)
    ours, peer = partial(case.ours, data), partial(case.peer, data)
    text = f"{name}; {ROWS:,} rows"
    taken = benchmark.pedantic(lambda: ratio(ours, peer, 5, text, against=case.against), rounds=1)
    assert taken <= case.limit


@pytest.mark.parametrize("name", CASES)
def test_grow_with_the_rows(benchmark: Any, name: str) -> None:
    case = CASES[name]
    few, many = case.of(ROWS // 10), case.of(ROWS)
    exponent = benchmark.pedantic(
        lambda: growth([lambda: case.ours(few), lambda: case.ours(many)], 10, 3, f"{name}; {ROWS:,} rows"), rounds=1
    )
    assert exponent < 1.25
    assert memory(lambda: case.ours(many), ROWS, f"{name}; {ROWS:,} rows") < 500


LIBRARIES = {  # with how many rows
    "logistic regression, a covariate and three groups": (
        Case(CASES["logistic regression, a covariate and three groups"].ours, logit_of_pyfixest, "pyfixest", 1.5),
        ROWS,
    ),
    "Cox regression, tied times": (
        Case(
            lambda f: float(stats.cox(with_ends(f), "x + three", event="agreement", censored=["timeout"]).estimate[0]),
            cox_of_lifelines,
            "lifelines",
            1.5,
        ),
        ROWS // 10,  # with a million rows lifelines takes half a minute
    ),
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_take_little_longer_than_the_fastest_library(benchmark: Any, name: str) -> None:
    case, rows = LIBRARIES[name]
    data = case.of(rows)
    assert case.ours(data) == pytest.approx(case.peer(data), rel=1e-5)
    ours, peer = partial(case.ours, data), partial(case.peer, data)
    text = f"{name}; {rows:,} rows"
    taken = benchmark.pedantic(lambda: ratio(ours, peer, 3, text, against=case.against), rounds=1)
    assert taken <= case.limit
