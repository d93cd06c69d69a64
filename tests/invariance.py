"""One case for each family of tests and measures, on data that can be moved, rescaled and put in another order.

``python -m tests.invariance`` prints every number as JSON, so that processes with other settings can be compared.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats import metrics, stats
from negstats.errors import DesignError, NotEstimable
from negstats.estimate.acceptance import fit_acceptance
from negstats.estimate.answers import Answers
from negstats.estimate.threshold import bracket
from negstats.games import bargaining, pareto
from negstats.stats.ranks.two_groups import relative_effects

Numbers: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to the data: every measured column is multiplied, then moved; rows and columns are reordered."""

    unit: float = 1.0
    origin: float = 0.0
    order: bool = False

    def measured(self, values: Any) -> Any:
        """Return values in the new unit, from the new origin."""
        return np.asarray(values, dtype=np.float64) * self.unit + self.origin

    def reordered(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return rows and columns in another order, if that is asked for."""
        return frame.sample(frac=1, random_state=7)[frame.columns[::-1]] if self.order else frame


MEASURED = ["y", "x", "z"]


def rows(change: Change = Change()) -> pd.DataFrame:
    """48 people in pairs, each at three levels of `w`; numbers are multiples of 1/8, so that moving them is exact."""
    rng = np.random.default_rng(20)
    person = np.repeat(np.arange(48), 3)
    frame = pd.DataFrame({"person": person, "w": np.tile(list("pqr"), 48), "pair": person // 2, "role": person % 2})
    frame["g"] = np.array(list("abc"))[person // 2 % 3]
    frame["h"] = np.where(person // 6 % 2, "k", "l")
    own = rng.normal(size=48)[person] + rng.normal(size=24)[person // 2]
    x, z, e = rng.normal(size=(3, len(frame)))
    y = 3 + own + 0.5 * x - 0.3 * z + 0.6 * (frame["g"] == "b") + 0.4 * (frame["w"] == "q") + e * (1 + (person % 3))
    frame["count"] = rng.poisson(np.exp(0.5 + 0.2 * x))
    frame["yes"] = (own + x + rng.logistic(size=len(frame)) > 0).astype(int)
    frame["rating"] = np.digitize(own + x + rng.logistic(size=len(frame)), [-1.0, 0.0, 1.5])
    frame["time"] = np.ceil(10 * rng.exponential(np.exp(-0.3 * x)))
    frame["ended"] = rng.random(len(frame)) < 0.8
    for name, values in zip(MEASURED, (y, x, z), strict=True):
        frame[name] = change.measured(np.round(8 * values) / 8)
    frame["role"] = np.where(frame["role"] == 0, "buyer", "seller")
    return change.reordered(frame)


def one_each(frame: pd.DataFrame) -> pd.DataFrame:
    """One row a person."""
    return frame[frame["w"] == "p"]


def two_levels(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows of two groups, one a person."""
    return one_each(frame[frame["g"] != "c"])


def tested(result: Any) -> list[float]:
    """Statistic, degrees of freedom and p of a result, as far as it has them."""
    names = ("statistic", "df", "df1", "df2", "p", "p_gg", "p_adjusted")
    values = (getattr(result, name) for name in names if hasattr(result, name))
    return [float(one) for value in values if value is not None for one in np.ravel(np.asarray(value, dtype=float))]


def halves(frame: pd.DataFrame) -> pd.DataFrame:
    """Two measures of each person at each level, as a second factor within people."""
    return pd.concat([frame.assign(part="first"), frame.assign(part="second", y=frame["x"])])


def simple(result: Any) -> list[float]:
    """The tests of the effects at each level."""
    return [number for effect in result.effects for number in tested(effect)]


def slopes(model: Any) -> list[float]:
    """p of the coefficients of predictors: intercepts move with the origin."""
    table = model.to_frame()
    return [float(p) for name, p in zip(table["term"], table["p"], strict=True) if "ntercept" not in str(name)]


def terms(model: Any) -> list[float]:
    """The tests of each term of a model."""
    if callable(getattr(model, "tests", None)):
        result = model.tests()
        if isinstance(result, tuple | list):
            return [number for one in result for number in tested(one)]
        return [float(number) for number in np.ravel(result[["statistic", "p"]].to_numpy(dtype=np.float64))]
    return [number for name in sorted(model.terms) for number in tested(model.test(name))]


Case: TypeAlias = Callable[[pd.DataFrame], list[float]]

# What neither the unit nor the origin of the measured columns may change.
LOCATION: dict[str, Case] = {
    "t_test": lambda d: tested(stats.t_test(two_levels(d), "y", by="g")),
    "one_way": lambda d: tested(stats.one_way(one_each(d), "y", by="g")),
    "one_way welch": lambda d: tested(stats.one_way(one_each(d), "y", by="g", method="welch")),
    "levene": lambda d: tested(stats.levene(one_each(d), "y", by="g")),
    "anova": lambda d: tested(stats.anova(one_each(d), "y", by=["g", "h"])),
    "anova 2": lambda d: tested(stats.anova(one_each(d), "y", by=["g", "h"], type=2)),
    "robust_anova HC3": lambda d: tested(stats.robust_anova(one_each(d), "y", by=["g", "h"])),
    "robust_anova Welch–James": lambda d: tested(
        stats.robust_anova(one_each(d), "y", by=["g", "h"], method="welch-james")
    ),
    "ancova": lambda d: tested(stats.ancova(one_each(d), "y", "g", ["x", "z"]).group),
    "paired_t": lambda d: tested(stats.paired_t(d[d["w"] != "r"], "y", within="w", subject="person")),
    "repeated_anova": lambda d: tested(stats.repeated_anova(d, "y", within="w", subject="person")),
    "repeated_anova between": lambda d: tested(
        stats.repeated_anova(d, "y", within="w", subject="person", between=["g"])
    ),
    "repeated_factors": lambda d: tested(
        stats.repeated_factors(halves(d), "y", within=["w", "part"], subject="person")
    ),
    "robust_repeated": lambda d: tested(stats.robust_repeated(d, "y", within="w", subject="person")),
    "mixed_two_by_two": lambda d: tested(
        stats.mixed_two_by_two(d[d["w"] != "r"], "y", within="w", subject="person", between="h").interaction
    ),
    "pairwise": lambda d: tested(stats.pairwise(one_each(d), "y", by=["g"], specs="g")),
    "games_howell": lambda d: tested(stats.games_howell(one_each(d), "y", by=["g"], specs="g")),
    "dunnett": lambda d: tested(stats.dunnett(one_each(d), "y", by=["g"], specs="g", control="a")),
    "simple_effects": lambda d: simple(stats.simple_effects(one_each(d), "y", by=["g", "h"], specs="g", at="h")),
    "polynomial": lambda d: tested(stats.polynomial(one_each(d), "y", by=["g"], specs="g", scores=[1, 2, 3])),
    "mann_whitney": lambda d: tested(stats.mann_whitney(two_levels(d), "y", by="g")),
    "brunner_munzel": lambda d: tested(stats.brunner_munzel(two_levels(d), "y", by="g")),
    "relative_effects": lambda d: tested(relative_effects(one_each(d), "y", by="g")),
    "kruskal_wallis": lambda d: tested(stats.kruskal_wallis(one_each(d), "y", by="g")),
    "dunn": lambda d: tested(stats.kruskal_wallis(one_each(d), "y", by="g").dunn()),
    "friedman": lambda d: tested(stats.friedman(d, "y", within="w", subject="person")),
    "conover": lambda d: tested(stats.friedman(d, "y", within="w", subject="person").conover()),
    "wilcoxon": lambda d: tested(stats.wilcoxon(d[d["w"] != "r"], "y", within="w", subject="person")),
    "sign_test": lambda d: tested(stats.sign_test(d[d["w"] != "r"], "y", within="w", subject="person")),
    "pearson": lambda d: tested(stats.correlation(d, "x", "y")),
    "spearman": lambda d: tested(stats.correlation(d, "x", "y", method="spearman")),
    "kendall": lambda d: tested(stats.correlation(d, "x", "y", method="kendall")),
    "partial": lambda d: tested(stats.correlation(d, "x", "y", controlling=["z"])),
    "semipartial": lambda d: tested(stats.semipartial(d, "x", "y", controlling=["z"])),
    "correlations": lambda d: tested(stats.correlations(d, ["x", "y", "z"])),
    "repeated_correlation": lambda d: tested(stats.repeated_correlation(d, "x", "y", subject="person")),
    "clustered_correlation": lambda d: tested(stats.clustered_correlation(d, "x", "y", cluster="person")),
    "regression": lambda d: tested(stats.regression(d, outcome="y", predictors=["x", "z"]).test(["x", "z"])),
    "regression HC3": lambda d: tested(stats.regression(d, "y ~ x + z + g", errors="HC3").test(["x", "z"])),
    "regression CR2": lambda d: tested(
        stats.regression(d, "y ~ x + z + g", errors="CR2", cluster="pair").test(["x", "z"])
    ),
    "linear_model": lambda d: terms(stats.linear_model(d, "y ~ x * g + z")),
    "linear_model pairs": lambda d: tested(stats.pairwise(stats.linear_model(d, "y ~ g * x + z"), specs="g")),
    "linear_model CR2": lambda d: terms(stats.linear_model(d, "y ~ x + g", errors="CR2", cluster="pair")),
    "johnson_neyman": lambda d: tested(stats.johnson_neyman(stats.linear_model(d, "y ~ x * z"), "x", "z"))[:2],
    "mediation": lambda d: [
        stats.mediation(d, "x", "z", "y", rng=np.random.default_rng(1), n_resamples=99).sobel_z,
        stats.mediation(d, "x", "z", "y", rng=np.random.default_rng(1), n_resamples=99).sobel_p,
    ],
    "icc": lambda d: tested(stats.icc(one_each(d), ["x", "y", "z"])),
    "omega": lambda d: [stats.omega(d, ["x", "y", "z"]).omega],
    "reliability": lambda d: [float(stats.reliability(d, ["x", "y", "z"]).alpha)],
    "mixed": lambda d: terms(stats.mixed(d, "y ~ x + g", "person")),
    "mixed slopes": lambda d: terms(stats.mixed(d, "y ~ x + g", "person", random="x", method="ml")),
    "mixed of yes or no": lambda d: terms(stats.mixed(d, "yes ~ x + g", "person", family="binomial", nagq=9)),
    "actor_partner": lambda d: slopes(stats.actor_partner(one_each(d), "y", "x", pair="pair", role="role")),
    "dyad_correlation": lambda d: tested(stats.dyad_correlation(one_each(d), "y", pair="pair")),
    "distinguishability": lambda d: tested(stats.distinguishability(one_each(d), ["y", "x"], pair="pair", role="role")),
    "permutation_test": lambda d: [
        stats.permutation_test(
            two_levels(d).sort_values("person"), "y", by="g", rng=np.random.default_rng(1), n_resamples=199
        ).p
    ],
    "logistic": lambda d: terms(stats.logistic(d, "yes ~ x * g + z")),
    "poisson": lambda d: terms(stats.poisson(d, "count ~ x * g + z")),
    "negative_binomial": lambda d: terms(stats.negative_binomial(d, "count ~ x * g + z")),
    "gee": lambda d: terms(stats.gee(d, "yes ~ x * g + z", cluster="person")),
    "ordinal": lambda d: terms(stats.ordinal(d, "rating ~ x * g + z")),
    "log_rank": lambda d: tested(stats.log_rank(d, by="g")),
    "log_rank clusters": lambda d: tested(stats.log_rank(d, by="g", cluster="person")),
    "gray": lambda d: tested(stats.gray(d, by="g")),
    "gray clusters": lambda d: tested(stats.gray(d, by="g", cluster="person")),
    "quasi_poisson": lambda d: tested(stats.quasi_poisson(one_each(d), "count", ["g", "h"])),
    "polychoric": lambda d: [float(stats.polychoric(d, ["rating", "yes"]).estimate)],
    "cox": lambda d: terms(stats.cox(d, "x * g + z", "time", "ended")),
    "cox clusters": lambda d: terms(stats.cox(d, "x * g + z", "time", "ended", cluster="person")),
}

GAMES = 6


def worths(unit: float) -> dict[str, pd.DataFrame]:
    """Tables of six games over two items, with worths in any unit."""
    rng = np.random.default_rng(5)
    values, items, offers, players = [], [], [], []
    for game in range(GAMES):
        offers.append({"game_id": f"g{game}", "offer": 1, "response": "accepted"})
        players += [{"game_id": f"g{game}", "player": seat, "batna": unit, "points": np.nan} for seat in "AB"]
        for item, available in (("book", 2), ("hat", 3)):
            number = int(rng.integers(0, available + 1))
            for seat, quantity in zip("AB", (number, available - number), strict=True):
                worth = int(rng.integers(1, 9)) * unit
                values.append([f"g{game}", seat, item, None, available, worth])
                items.append([f"g{game}", 1, item, seat, None, quantity])
    return {
        "values": pd.DataFrame(values, columns=["game_id", "player", "item", "option", "available", "value"]),
        "items": pd.DataFrame(items, columns=["game_id", "offer", "item", "receiver", "option", "quantity"]),
        "offers": pd.DataFrame(offers),
        "players": pd.DataFrame(players),
    }


def column(frame: pd.DataFrame) -> list[float]:
    """The last column of a measure."""
    return [float(value) for value in frame[frame.columns[-1]]]


def utilities(unit: float) -> Numbers:
    """What twelve outcomes are worth to two sides, in any unit."""
    return np.random.default_rng(3).integers(1, 20, (12, 2)) / 7 * unit


def answers(unit: float) -> Answers:
    """Decisions on offers whose benefit is in any unit."""
    rng = np.random.default_rng(1)
    benefit = np.asarray(rng.integers(-4, 9, 120) * 5.0, dtype=np.float64)
    accepted = rng.random(120) < 1 / (1 + np.exp(-(benefit - 10) / 8))
    return Answers(np.asarray(benefit * unit, dtype=np.float64), accepted, np.arange(120) // 3)


def timed(frame: pd.DataFrame, unit: float) -> pd.DataFrame:
    """The rows with times in another unit."""
    return frame.assign(time=frame["time"] * unit)


ByUnit: TypeAlias = Callable[[float], list[float]]

# What the unit may not change: each gives its numbers as multiples of the unit, where they have one.
SCALE: dict[str, ByUnit] = {
    "log_rank": lambda u: tested(stats.log_rank(timed(rows(), u), by="g")),
    "log_rank gehan": lambda u: tested(stats.log_rank(timed(rows(), u), by="g", weights="gehan")),
    "log_rank clusters": lambda u: tested(stats.log_rank(timed(rows(), u), by="g", cluster="person")),
    "gray": lambda u: tested(stats.gray(timed(rows(), u), by="g")),
    "kaplan_meier": lambda u: [
        stats.kaplan_meier(timed(rows(), u), by="g").restricted_mean(8 * u).difference("a", "b").p
    ],
    "cox": lambda u: terms(stats.cox(timed(rows(), u), "x + g")),
    "meta_analysis": lambda u: [
        getattr(
            stats.meta_analysis(u * np.array([0.2, 0.5, 0.1, 0.7]), u**2 * np.array([0.04, 0.02, 0.03, 0.05])), name
        )
        for name in ("statistic", "p", "q", "i2")
    ],
    "logrolling": lambda u: column(metrics.logrolling(*(worths(u)[name] for name in ("values", "offers", "items")))),
    "conflict": lambda u: [
        number
        for kind in ("axelrod", "correlation")
        for number in column(metrics.conflict(worths(u)["values"], worths(u)["players"], method=kind))
    ],
    "pareto_optimal": lambda u: column(
        metrics.pareto_optimal(*(worths(u)[name] for name in ("values", "offers", "items")))
    ),
    "distance_to_frontier": lambda u: [
        number / u
        for number in column(metrics.distance_to_frontier(*(worths(u)[name] for name in ("values", "offers", "items"))))
    ],
    "issue_trades": lambda u: column(
        metrics.issue_trades(*(worths(u)[name] for name in ("values", "offers", "items")))
    ),
    "bargaining": lambda u: [
        float(place)
        for solve in (bargaining.nash, bargaining.egalitarian, bargaining.kalai_smorodinsky, bargaining.utilitarian)
        for place in np.ravel(solve(utilities(u), np.zeros(2)))
    ],
    "pareto": lambda u: [float(one) for one in pareto.pareto_optimal(utilities(u))],
    "additive": lambda u: [number / u for number in np.ravel(pareto.frontier(utilities(u)))],
    "acceptance": lambda u: [
        point.benefit / u for point in fit_acceptance(answers(u), rng=np.random.default_rng(1), n_draws=0).points
    ],
    "bracket": lambda u: [number / u for number in (bracket(answers(u)).refused, bracket(answers(u)).accepted)],
}


def flat(change: Change) -> pd.DataFrame:
    """Data with nothing left to test by: groups without spread, effects alike in everyone, columns that follow."""
    frame = rows()
    level = frame["g"].map({"a": 0.1, "b": 0.3, "c": 0.7})
    frame["still"] = change.measured(level)
    frame["tied"] = change.measured(np.full(len(frame), 0.1 + 0.2))
    frame["apart"] = change.measured(level + frame["person"] / 1000)
    # What each person differs by from the others is the same at every level, and the other way about.
    frame["alike"] = change.measured(frame["person"] / 7 + frame["w"].map({"p": 0.1, "q": 0.7, "r": 1.1}))
    frame["x"] = change.measured(np.round(8 * frame["x"]) / 8)
    frame["follows"] = frame["x"] * 3 - frame["x"].iloc[0]
    frame["exact"] = 2 * frame["x"]
    frame["alone"] = np.where(frame["pair"] == 0, "a pair", "the others")
    return change.reordered(frame)


def refused(call: Callable[[], Any]) -> bool:
    """Whether a call says that nothing can be estimated."""
    try:
        call()
    except (DesignError, NotEstimable):
        return True
    return False


# Each is refused, in any unit, from any origin and in any order.
VERDICTS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "t_test": lambda d: stats.t_test(two_levels(d), "still", by="g"),
    "one_way": lambda d: stats.one_way(one_each(d), "still", by="g"),
    "one_way welch": lambda d: stats.one_way(one_each(d), "still", by="g", method="welch"),
    "anova": lambda d: stats.anova(one_each(d), "still", by=["g", "h"]),
    "robust_anova": lambda d: stats.robust_anova(one_each(d), "still", by="g"),
    "paired_t": lambda d: stats.paired_t(d[d["w"] != "r"], "alike", within="w", subject="person"),
    "repeated_anova": lambda d: stats.repeated_anova(d, "alike", within="w", subject="person"),
    "conover": lambda d: stats.friedman(d, "alike", within="w", subject="person").conover(),
    "mann_whitney": lambda d: stats.mann_whitney(two_levels(d), "tied", by="g"),
    "kruskal_wallis": lambda d: stats.kruskal_wallis(one_each(d), "tied", by="g"),
    "brunner_munzel": lambda d: stats.brunner_munzel(two_levels(d), "apart", by="g"),
    "relative_effects": lambda d: relative_effects(one_each(d), "apart", by="g"),
    "correlation": lambda d: stats.correlation(d, "x", "tied"),
    "partial": lambda d: stats.correlation(d, "x", "y", controlling=["follows"]),
    "regression": lambda d: stats.regression(d, outcome="y", predictors=["x", "follows"]),
    "repeated_factors": lambda d: stats.repeated_factors(
        halves(d.assign(y=d["alike"], x=d["alike"])), "y", within=["w", "part"], subject="person"
    ),
    "linear_model": lambda d: stats.linear_model(d, "exact ~ x"),
    "linear_model CR2": lambda d: stats.linear_model(d, "y ~ alone + x", errors="CR2", cluster="pair").test("alone"),
    "mixed": lambda d: stats.mixed(d, "y ~ x + follows", "person"),
    "mediation": lambda d: stats.mediation(d, "x", "follows", "y", rng=np.random.default_rng(1), n_resamples=9),
    "logistic": lambda d: stats.logistic(d, "yes ~ x + follows"),
    "ordinal": lambda d: stats.ordinal(d, "rating ~ x + follows"),
    "gee": lambda d: stats.gee(d, "yes ~ x + follows", cluster="person"),
    "cox": lambda d: stats.cox(d, "x + follows", "time", "ended"),
}

CHANGES: dict[str, Change] = {
    "as it is": Change(),
    "small": Change(1e-9),
    "large": Change(1e9),
    "far": Change(1.0, 1e6),
    "reordered": Change(order=True),
}


def numbers() -> dict[str, list[float]]:
    """Every number of the cases, by name."""
    return {name: case(rows()) for name, case in LOCATION.items()} | {
        f"{name} by unit": case(1.0) for name, case in SCALE.items()
    }


def verdicts() -> dict[str, bool]:
    """What is refused, by name and change."""
    return {
        f"{name}, {change}": refused(lambda case=case, data=data: case(data))  # type: ignore[misc]
        for change, data in ((name, flat(change)) for name, change in CHANGES.items())
        for name, case in VERDICTS.items()
    }


if __name__ == "__main__":
    print(json.dumps({"numbers": numbers(), "verdicts": verdicts()}))
