"""Time until something ends against R: curves, tests, hazards; and against permuted clusters and removed units."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.errors import NotEstimable
from negstats.stats import cox, cumulative_incidence, gray, kaplan_meier, log_rank
from negstats.stats.results.numbers import FloatArray
from negstats.stats.summaries.frames import IntArray
from negstats.stats.time.estimates import Curve, Influence
from tests.conftest import reference
from tests.stats.closeness import name_of

R: dict[str, Any] = reference("time")
WORDS = np.array(["watching stopped", "agreement", "walkaway"])


def games(name: str) -> dict[str, Any]:
    data: dict[str, Any] = R["data"][name]
    return data | {"ended": WORDS[data["e"]].tolist(), "event": (np.array(data["e"]) == 1).tolist()}


def close(found: Any, wanted: Any, tolerance: float = 1e-8) -> None:
    wanted = np.array([float("nan") if value == "NA" else float(value) for value in np.atleast_1d(wanted)])
    np.testing.assert_allclose(np.ravel(found).astype(float), wanted, rtol=tolerance, atol=1e-12)


@pytest.mark.parametrize("case", R["curves"], ids=name_of)
def test_kaplan_meier_agrees_with_survfit(case: dict[str, Any]) -> None:
    cluster = "id" if case["clustered"] else None
    result = kaplan_meier(games(case["data"]), "t", "event", by="g", cluster=cluster)
    level = float(case["level"])
    table = result.to_frame(level)
    close(table["time"], case["time"])
    close(table["share"], case["share"])
    # where the curve is 0, R has a missing error and we the jackknife's 0
    inside = table["share"].to_numpy() > 0
    close(table["se"][inside], np.array(case["se"])[inside])
    close(table["low"][inside], np.array(case["low"])[inside])
    close(table["high"][inside], np.array(case["high"])[inside])
    for share, name in ((0.5, "median"), (0.25, "quarter")):
        quantiles = result.quantiles(share, level)
        for column, ending in (("time", ""), ("low", "_low"), ("high", "_high")):
            close(quantiles[column], case[name + ending])
    mean = result.restricted_mean(9)
    close(mean.estimate, case["rmean"])
    if not case["clustered"]:
        close(mean.se, case["rmean_se"])


@pytest.mark.parametrize("case", R["ranks"], ids=name_of)
def test_log_rank_agrees_with_survdiff_and_coxphs_robust_score(case: dict[str, Any]) -> None:
    cluster = "id" if case.get("clustered") else None
    strata = "s" if case["strata"] else None
    rho = float(case["rho"])
    result = log_rank(games(case["data"]), "t", "event", by="g", strata=strata, cluster=cluster, rho=rho)
    ours = result.clusters / (result.clusters - 1) if cluster else 1.0  # we divide by J - 1, R by J
    close(result.statistic * ours, case["chisq"])
    if "observed" in case:
        close(result.observed, case["observed"])
        close(result.expected, case["expected"])
        close(result.covariance, case["var"])
        assert result.df == case["df"]


@pytest.mark.parametrize("case", reference("clustered_times"), ids=lambda case: f"{len(case['data']['t'])} rows")
def test_whole_clusters_are_compared_by_f_of_their_martingale_residuals(case: dict[str, Any]) -> None:
    data = case["data"]
    result = log_rank(data, "t", "event", by="g", strata="s" if case["strata"] else None, cluster="id")
    close([result.statistic, result.df, result.df2, result.p], [case["f"], *case["df"], case["p"]])
    # Their sums are what is observed beyond what is expected.
    plain = log_rank(data, "t", "event", by="g", strata="s" if case["strata"] else None)
    close(result.observed, plain.observed)
    assert f"log-rank F({case['df'][0]}, {case['df'][1]})" in result.apa()


@pytest.mark.parametrize("case", R["incidences"], ids=name_of)
def test_incidence_agrees_with_survfits_multistate_curves(case: dict[str, Any]) -> None:
    cluster = "id" if case["clustered"] else None
    result = cumulative_incidence(
        games(case["data"]), "t", "ended", "agreement", "watching stopped", by="g", cluster=cluster
    )
    table = result.to_frame()
    for event, name in (("agreement", "first"), ("walkaway", "second")):
        own = table[table["event"] == event]
        close(own["time"], case["time"])
        close(own["share"], case[name])
        close(own["se"], case[name + "_se"])


@pytest.mark.parametrize("case", R["grays"], ids=name_of)
def test_grays_test_agrees_with_cmprsk(case: dict[str, Any]) -> None:
    strata = "s" if case["strata"] else None
    for place, event in enumerate(("agreement", "walkaway")):
        result = gray(
            games(case["data"]), "t", "ended", event, "watching stopped", by="g", strata=strata, rho=float(case["rho"])
        )
        close(result.statistic, case["chisq"][place])
        close(result.p, case["p"][place])


@pytest.mark.slow(keep=24)
@pytest.mark.parametrize("case", R["cox"], ids=name_of)
def test_cox_agrees_with_coxph(case: dict[str, Any]) -> None:
    strata, cluster = ({"strata": "s"}.get(case["version"]), {"cluster": "id"}.get(case["version"]))
    model = cox(games(case["data"]), case["formula"], "t", "event", strata=strata, cluster=cluster)
    close(model.estimate, case["b"], 1e-7)
    close(model.se, case["se"], 1e-7)
    close([model.null_log_likelihood, model.log_likelihood], case["loglik"], 1e-10)
    wald = model.test()
    close(wald.statistic * wald.df1, case["wald"], 1e-6)
    for check in case["zph"]:
        result = model.proportionality(check["transform"])
        keep = slice(None) if len(model.names) > 1 else slice(1)
        close(result.statistic[keep], np.atleast_1d(check["chisq"])[keep], 1e-6)
        close(result.p[keep], np.atleast_1d(check["p"])[keep], 1e-6)


N = 300
FORMULAS = {"g * h": ["g", "h", "g:h"], "g * x": ["g", "x", "g:x"], "g * h * x": ["g", "h", "x", "g:h", "g:x", "h:x"]}


def drawn() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"g": rng.choice(list("abc"), N), "h": rng.choice(list("uv"), N), "x": rng.normal(5, 1, N)})
    rate = np.exp(0.4 * (frame["g"] == "b") + 0.5 * ((frame["g"] == "c") & (frame["h"] == "v")) + 0.2 * frame["x"])
    frame["time"] = rng.exponential(1 / rate)
    frame["ended"] = np.where(rng.random(N) < 0.8, "deal", "cut")
    frame["who"] = np.arange(N) // 4
    return frame


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("cluster", [None, "who"])
@pytest.mark.parametrize(("formula", "terms"), FORMULAS.items(), ids=FORMULAS)
def test_the_first_level_does_not_matter(formula: str, terms: list[str], cluster: str | None) -> None:
    frame = drawn()
    other = frame.assign(g=frame["g"].map({"a": "z", "b": "b", "c": "a"}), h=frame["h"].map({"u": "v", "v": "u"}))
    one, two = (cox(data, formula, "time", "ended", "deal", "cut", cluster=cluster) for data in (frame, other))
    for term in terms:
        assert two.test(term).statistic == pytest.approx(one.test(term).statistic, rel=1e-6)


def test_effects_over_levels_by_hand() -> None:
    """With columns that sum to zero, written by hand, the coefficients of g are its effects over both levels of h."""
    frame = drawn()
    for level in "bc":
        frame[f"g{level}"] = (frame["g"] == level).astype(float) - (frame["g"] == "a")
    frame["hv"] = np.where(frame["h"] == "v", 1.0, -1.0)
    for level in "bc":
        frame[f"g{level}h"] = frame[f"g{level}"] * frame["hv"]
    coded = cox(frame, "gb + gc + hv + gbh + gch", "time", "ended", "deal", "cut")
    model = cox(frame, "g * h", "time", "ended", "deal", "cut")
    for term, columns in {"g": ["gb", "gc"], "h": ["hv"], "g:h": ["gbh", "gch"]}.items():
        assert model.test(term).statistic == pytest.approx(coded.test(columns).statistic, rel=1e-6)


def test_named_coefficients_are_those_that_are_printed() -> None:
    model = cox(drawn(), "g * h", "time", "ended", "deal", "cut")
    place = list(model.names).index("h[v]")
    z = model.estimate[place] / model.se[place]
    assert model.test(["h[v]"]).statistic == pytest.approx(z**2, rel=1e-9)
    assert model.test("h").statistic != pytest.approx(z**2, rel=1e-3)


TIMES, KINDS = 12, 3


def units(seed: int) -> tuple[FloatArray, IntArray, IntArray, IntArray]:
    """Return counts by time and kind, and the time, kind and cluster of each unit."""
    rng = np.random.default_rng(seed)
    at, kind, cluster = rng.integers(0, TIMES, 40), rng.integers(0, KINDS, 40), rng.integers(0, 9, 40)
    n = np.bincount(at * KINDS + kind, minlength=TIMES * KINDS).reshape(TIMES, KINDS).astype(float)
    return n, at, kind, cluster


def table(moved: Influence) -> FloatArray:
    later = moved.at[:, None] <= np.arange(TIMES)  # noqa: PD008
    return np.where(later, moved.level[:, None] + moved.slope[:, None] * moved.left, moved.common)


@pytest.mark.parametrize("seed", range(6))
def test_influence_is_what_a_little_more_weight_changes(seed: int) -> None:
    n, at, kind, _ = units(seed)
    result = table(Influence.of(Curve.of(n), at, kind))
    for unit in (0, 7, 19):
        step = np.zeros_like(n)
        step[at[unit], kind[unit]] = 1e-6
        change = (Curve.of(n + step).incidence - Curve.of(n - step).incidence) / 2e-6
        last = int(np.flatnonzero(n.sum(axis=1))[-1])  # nobody is left there, and a derivative has one side only
        np.testing.assert_allclose(result[unit, :last], change[:last], atol=1e-8)


@pytest.mark.parametrize("seed", range(6))
def test_running_sums_are_those_of_the_table(seed: int) -> None:
    n, at, kind, cluster = units(seed)
    moved = Influence.of(Curve.of(n), at, kind)
    dense = table(moved)
    until, weights = np.array([1, 4, 5, 11]), np.random.default_rng(seed).normal(size=(4, 2))
    np.testing.assert_allclose(moved.summed(until, weights), dense[:, until] @ weights, atol=1e-14)
    times = np.random.default_rng(seed).integers(1, 4, len(at)).astype(float)
    alone = (times[:, None] * dense**2).sum(axis=0)
    np.testing.assert_allclose(moved.squared(times, None), alone, rtol=1e-12, atol=1e-30)
    together = (np.stack([(times[:, None] * dense)[cluster == one].sum(axis=0) for one in range(9)]) ** 2).sum(axis=0)
    np.testing.assert_allclose(moved.squared(times, cluster), together, rtol=1e-11, atol=1e-30)


def clusters(unit: float = 1.0) -> pd.DataFrame:
    """Six clusters of three rows."""
    rng = np.random.default_rng(4)
    return pd.DataFrame(
        {"pair": np.repeat(np.arange(6), 3), "time": rng.integers(1, 9, 18) * unit, "ended": rng.random(18) < 0.8}
    )


def dealt(first: tuple[int, ...], rows: pd.DataFrame) -> pd.DataFrame:
    return rows.assign(agent=np.where(rows["pair"].isin(first), "fair", "tough"))


@pytest.mark.parametrize("weights", ["fleming-harrington", "gehan"])
def test_the_covariance_is_that_of_every_deal(weights: str) -> None:
    rows = clusters()
    results = [
        log_rank(dealt(first, rows), by="agent", cluster="pair", weights=weights)  # type: ignore[arg-type]
        for first in combinations(range(6), 3)
    ]
    scores = np.array([np.subtract(one.observed, one.expected) for one in results])
    expected = scores.T @ scores / len(scores)
    for one in results:
        np.testing.assert_allclose(one.covariance, expected, rtol=1e-10)


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("weights", ["fleming-harrington", "gehan"])
def test_clusters_that_all_have_one_score_are_refused(weights: str, unit: float) -> None:
    rows = clusters(unit)
    rows[["time", "ended"]] = rows[["time", "ended"]].head(3).to_numpy().tolist() * 6
    with pytest.raises(NotEstimable, match=r"several groups at risk|same score"):
        log_rank(
            dealt((0, 1, 2), rows.astype({"ended": bool})),
            by="agent",
            cluster="pair",
            weights=weights,  # type: ignore[arg-type]
        )
