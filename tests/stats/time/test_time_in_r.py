"""Survival, log-rank, incidence, Gray's test and Cox models against R's survival and cmprsk."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from negstats.stats.time.cox import cox
from negstats.stats.time.gray import gray
from negstats.stats.time.incidence import cumulative_incidence
from negstats.stats.time.log_rank import log_rank
from negstats.stats.time.survival import kaplan_meier
from tests.conftest import reference

R: dict[str, Any] = reference("time")
WORDS = np.array(["watching stopped", "agreement", "walkaway"])


def games(name: str) -> dict[str, Any]:
    data: dict[str, Any] = R["data"][name]
    return data | {"ended": WORDS[data["e"]].tolist(), "event": (np.array(data["e"]) == 1).tolist()}


def close(found: Any, wanted: Any, tolerance: float = 1e-8) -> None:
    wanted = np.array([float("nan") if value == "NA" else float(value) for value in np.atleast_1d(wanted)])
    np.testing.assert_allclose(np.ravel(found).astype(float), wanted, rtol=tolerance, atol=1e-12)


def name_of(case: dict[str, Any]) -> str:
    return "-".join(f"{key}={value}" for key, value in case.items() if isinstance(value, str | bool | float))[:60]


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
