"""What models, survival, agreement and correlation cost from a frame, beside the library that does nearest the same.

Both sides start from the frame and give one number that must agree; where no library has the method (Krippendorff's
alpha, transitions), the peer is the nearest that there is or pandas by hand.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pingouin
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from scipy import stats as theirs
from statsmodels.duration.survfunc import SurvfuncRight, survdiff
from statsmodels.miscmodels.ordinal_model import OrderedModel
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from negstats import stats
from tests.benchmarks.peers import growth, memory, ratio

Of = Callable[[pd.DataFrame], Any]
RIGHT = "x + C(g)"
RATERS = ["first", "second", "third"]
ENDS: dict[str, Any] = {"event": "agreement", "censored": ["timeout"]}


@cache
def people(rows: int) -> pd.DataFrame:
    """Return pairs with an outcome of each kind, a group of three, and the ratings of three raters."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"game": np.repeat(np.arange(rows // 2), 2), "message": np.arange(rows) % 20})
    frame["x"], frame["z"] = rng.normal(size=(2, rows))
    frame["g"] = np.array(["a", "b", "c"])[rng.integers(0, 3, rows)]
    behind = 0.5 * frame["x"] + 0.3 * (frame["g"] == "a") + 0.5 * rng.normal(size=rows // 2)[frame["game"]]
    frame["points"] = behind + rng.normal(size=rows)
    frame["agreed"] = (rng.logistic(size=rows) < behind).astype(int)
    frame["rank"] = np.digitize(behind + rng.logistic(size=rows), [-1, 0, 1])
    frame["time"] = np.ceil(rng.exponential(60 * np.exp(-0.3 * behind))) + 1
    frame["minutes"] = rng.exponential(9, rows)  # no two are alike
    frame["ended"] = np.array(["agreement", "timeout"])[(rng.random(rows) < 0.3).astype(int)]
    frame["talk"], frame["act"] = np.arange(rows) // 20, np.array([*"opqr"])[rng.integers(0, 4, rows)]
    frame[RATERS] = np.clip(rng.integers(0, 5, rows)[:, None] + rng.integers(-1, 2, (rows, 3)), 0, 5)
    return frame


def by_bfgs(frame: pd.DataFrame) -> Any:
    ranked = frame.assign(rank=frame["rank"].astype(pd.CategoricalDtype(ordered=True)))
    return OrderedModel.from_formula(f"rank ~ {RIGHT}", ranked, distr="logit").fit(method="bfgs", disp=0)


def by_gee(frame: pd.DataFrame) -> Any:
    how = {"family": sm.families.Binomial(), "cov_struct": sm.cov_struct.Exchangeable()}
    return smf.gee(f"agreed ~ {RIGHT}", "game", frame, **how).fit(cov_type="bias_reduced")


def by_pairs(frame: pd.DataFrame) -> Any:
    """Solve the equations of clusters of two rows that follow each other, with Mancl and DeRouen's errors."""
    x = np.column_stack([np.ones(len(frame)), frame["x"], frame["g"] == "b", frame["g"] == "c"]).astype(float)
    y, beta, p = frame["agreed"].to_numpy(dtype=float), np.zeros(4), 4
    for _ in range(25):
        mean = 1 / (1 + np.exp(-x @ beta))
        sd = np.sqrt(mean * (1 - mean))
        a, e = (x * sd[:, None]).reshape(-1, 2, p), ((y - mean) / sd).reshape(-1, 2)
        r = (e[:, 0] @ e[:, 1]) / (len(e) - p) / ((e**2).sum() / (2 * len(e) - p))
        weighted = np.array([[1, -r], [-r, 1]]) / (1 - r**2) @ a
        bread = np.einsum("gik,gil->kl", a, weighted)
        step = np.linalg.solve(bread, np.einsum("gik,gi->k", weighted, e))
        beta = beta + step
        if np.abs(step).max() < 1e-8:
            break
    hat = np.einsum("gik,kl,gjl->gij", a, np.linalg.inv(bread), weighted)
    larger = np.linalg.solve(np.eye(2) - hat, e[..., None])[..., 0]
    scores = np.einsum("gik,gi->gk", weighted, larger)
    assert np.isfinite(scores.T @ scores).all()
    return beta[1]


def by_crosstab(frame: pd.DataFrame) -> Any:
    rows = frame.sort_values(["talk", "message"])
    return pd.crosstab(rows["act"], rows.groupby("talk")["act"].shift(-1)).to_numpy()[0, 0]


def by_phreg(frame: pd.DataFrame) -> Any:
    model = smf.phreg(f"time ~ {RIGHT}", frame, status=frame["ended"] == "agreement", ties="efron")
    return model.fit().params[model.exog_names.index("x")]


def by_cluster(frame: pd.DataFrame) -> Any:
    model = smf.ols(f"points ~ {RIGHT}", frame)
    return model.fit(cov_type="cluster", cov_kwds={"groups": frame["game"], "use_correction": True})


def by_pingouin(frame: pd.DataFrame) -> Any:
    table = frame[RATERS].reset_index().melt("index")
    return pingouin.intraclass_corr(table, "index", "variable", "value").set_index("Type")


# Ours, the peer and its name, and how many times the peer's CPU time ours may take with 1,000 and with 20,000 rows.
CASES: dict[str, tuple[Of, Of, str, float, float]] = {
    "linear regression": (
        lambda f: stats.regression(f, f"points ~ {RIGHT}").r_squared,
        lambda f: smf.ols(f"points ~ {RIGHT}", f).fit().rsquared,
        "statsmodels", 1.5, 0.6,
    ),
    "linear regression, HC3": (
        lambda f: stats.regression(f, f"points ~ {RIGHT}", errors="HC3").se[1],
        lambda f: smf.ols(f"points ~ {RIGHT}", f).fit(cov_type="HC3").bse["x"],
        "statsmodels", 1.5, 0.6,
    ),
    "linear regression, CR1S": (
        lambda f: stats.regression(f, f"points ~ {RIGHT}", errors="CR1S", cluster="game").se[1],
        lambda f: by_cluster(f).bse["x"],
        "statsmodels", 1.5, 1.2,
    ),
    "logistic regression": (
        lambda f: stats.logistic(f, f"agreed ~ {RIGHT}").estimate[1],
        lambda f: smf.logit(f"agreed ~ {RIGHT}", f).fit(disp=0).params["x"],
        "statsmodels", 1.0, 1.0,
    ),
    "GEE of pairs": (
        lambda f: stats.gee(f, f"agreed ~ {RIGHT}", cluster="game").estimate[1],
        lambda f: by_gee(f).params["x"],
        "statsmodels", 0.3, 0.1,
    ),
    "GEE of pairs, beside arrays": (
        lambda f: stats.gee(f, f"agreed ~ {RIGHT}", cluster="game").estimate[1],
        by_pairs,
        "numpy, pairs", 6.0, 3.0,  # four milliseconds to take the frame and its formula, of which arrays need nothing
    ),
    "ordinal regression": (
        lambda f: stats.ordinal(f, f"rank ~ {RIGHT}").estimate[0],
        lambda f: by_bfgs(f).params["x"],
        "statsmodels", 1.0, 1.0,
    ),
    "Cox regression, tied times": (
        lambda f: stats.cox(f, RIGHT, **ENDS).estimate[0],
        by_phreg,
        "statsmodels", 0.5, 1.0,
    ),
    "Kaplan–Meier": (
        lambda f: stats.kaplan_meier(f, **ENDS).share[0][-1],
        lambda f: SurvfuncRight(f["time"], f["ended"] == "agreement").surv_prob[-1],
        "statsmodels", 6.0, 4.0,  # a millisecond to take the frame, of which arrays need nothing
    ),
    "log-rank test": (
        lambda f: stats.log_rank(f, by="g", **ENDS).statistic,
        lambda f: survdiff(f["time"], f["ended"] == "agreement", f["g"])[0],
        "statsmodels", 2.5, 1.0,
    ),
    "Pearson's correlation": (
        lambda f: stats.correlation(f, "x", "points").r,
        lambda f: pingouin.corr(f["x"], f["points"])["r"].iloc[0],
        "pingouin", 2.0, 2.0,
    ),
    "Kendall's correlation": (
        lambda f: stats.correlation(f, "x", "points", method="kendall").r,
        lambda f: theirs.kendalltau(f["x"], f["points"]).statistic,
        "scipy", 4.0, 2.5,
    ),
    "Spearman's correlation": (
        lambda f: stats.correlation(f, "x", "points", method="spearman").r,
        lambda f: theirs.spearmanr(f["x"], f["points"]).statistic,
        "scipy", 4.0, 2.0,
    ),
    "correlations of four columns": (
        lambda f: stats.correlations(f, ["x", "z", "points", "time"]).r[0, 2],
        lambda f: pingouin.pairwise_corr(f, ["x", "z", "points", "time"], padjust="holm")["r"].iloc[1],
        "pingouin", 1.5, 1.5,
    ),
    "Fleiss' kappa": (
        lambda f: stats.fleiss_kappa(f, RATERS).estimate,
        lambda f: fleiss_kappa(aggregate_raters(f[RATERS].to_numpy())[0]),
        "statsmodels", 2.0, 1.0,
    ),
    "ICC": (
        lambda f: stats.icc(f, RATERS).estimate,
        lambda f: by_pingouin(f).loc["ICC(A,1)", "ICC"],
        "pingouin", 0.5, 0.5,
    ),
    "transitions between acts": (
        lambda f: stats.transitions(f, sequence="talk").counts[0, 0],
        by_crosstab,
        "pandas", 2.0, 2.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("rows", [1_000, 20_000])
@pytest.mark.parametrize("what", CASES)
def test_beside_the_nearest_library(benchmark: Any, what: str, rows: int) -> None:
    ours, peer, against, small, large = CASES[what]
    frame = people(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the peers say of their own use of pandas
        assert float(ours(frame)) == pytest.approx(float(peer(frame)), rel=2e-3)  # theirs may stop early
        rounds = 20 if rows == 1_000 else 3
        name = f"{what.removesuffix(', beside arrays')}; {rows:,} rows"
        taken = ratio(lambda: ours(frame), lambda: peer(frame), rounds, name, against=against)
        memory(lambda: ours(frame), rows, name)
    benchmark.pedantic(lambda: ours(frame), rounds=1, iterations=1)
    assert taken <= (small if rows == 1_000 else large)


GROWING: dict[str, Of] = {
    "linear regression of pairs, CR2": lambda f: stats.regression(f, f"points ~ {RIGHT}", errors="CR2", cluster="game"),
    "Kendall's correlation": lambda f: stats.correlation(f, "x", "points", method="kendall"),
    "Krippendorff's alpha": lambda f: stats.krippendorffs_alpha(f, RATERS, "ordinal"),
    "Cox regression": lambda f: stats.cox(f, RIGHT, **ENDS),
    "Kaplan–Meier in pairs": lambda f: stats.kaplan_meier(f, time="minutes", cluster="game", **ENDS),
    "cumulative incidence in pairs": lambda f: stats.cumulative_incidence(
        f, time="minutes", event="agreement", cluster="game"
    ),
    "Gray's test in pairs": lambda f: stats.gray(f, time="minutes", event="agreement", by="g", cluster="game"),
    "transitions between acts": lambda f: stats.transitions(f, sequence="talk"),
}


@pytest.mark.parametrize("what", GROWING)
def test_grows_with_the_rows(benchmark: Any, what: str) -> None:
    calls = [lambda rows=rows: GROWING[what](people(rows)) for rows in (4_000, 40_000)]
    exponent = growth(calls, 10, 3, f"{what}; 40,000 rows")
    benchmark.pedantic(calls[0], rounds=1, iterations=1)
    assert exponent <= 1.2
