"""Six questions to the log, each asked once for every engine: narwhals' lazy frames and the package's summaries."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
import pandas as pd

from negstats import stats
from negstats.stats.summaries.frames import Factor
from tests.benchmarks.best_offer.generate import EXPIRY

Lazy: TypeAlias = nw.LazyFrame[Any]


def cleaned(offers: Lazy, listings: Lazy) -> Lazy:
    """Return the offers without duplicates, each with its place in the thread, concession and response time.

    Columns: `thread`, `seller`, `k` (from 1), `price`, `list_price`, `seconds` (missing where it is negative),
    `status`, `automatic`, `last` (whether the thread's), `gamma` (from k = 2: what of the gap to the other's price was
    given), `before` (the other's gamma, one offer before). Gammas are missing where there was no gap.
    """

    def earlier(name: str, steps: int = 1) -> nw.Expr:
        return nw.col(name).shift(steps).over("thread", order_by="made_at")

    again = (
        (nw.col("type") == earlier("type"))
        & (nw.col("price") == earlier("price"))
        & (nw.col("made_at") - earlier("made_at") <= 1)
    )
    marked = offers.select(
        "thread", "item", "seller", "price", "made_at", "answered_at", "status", "automatic",
        again.fill_null(False).alias("again"),
    )  # fmt: skip
    # Few steps, each with what is needed only: an engine binds the whole query again at every one.
    placed = marked.filter(~nw.col("again")).select(
        "thread", "item", "seller", "price", "made_at", "answered_at", "status", "automatic",
        nw.col("made_at").cum_count().over("thread", order_by="made_at").alias("k"),
        earlier("made_at", -1).is_null().alias("last"),
        *(earlier("price", steps).alias(f"p{steps}") for steps in (1, 2, 3)),
    )  # fmt: skip
    prices = placed.join(listings.select("item", "list_price"), on="item", how="left")
    first = nw.col("list_price")
    p0, p1, k = nw.col("price"), nw.col("p1"), nw.col("k")
    p2 = nw.when(k == 2).then(first).otherwise(nw.col("p2"))
    p3 = nw.when(k == 3).then(first).otherwise(nw.col("p3"))
    waited = nw.col("answered_at") - nw.col("made_at")
    return prices.select(
        "thread", "seller", "k", "price", "list_price", nw.when(waited >= 0).then(waited).alias("seconds"), "status",
        "automatic", "last", _gamma(p0, p1, p2).alias("gamma"),
        nw.when(k >= 3).then(_gamma(p1, p2, p3)).alias("before"),
    )  # fmt: skip


def _gamma(price: nw.Expr, other: nw.Expr, own: nw.Expr) -> nw.Expr:
    """Return the share of the gap between two sides' last prices that the next price gives."""
    return nw.when(other != own).then((price - own).cast(nw.Float64) / (other - own).cast(nw.Float64))


def _home(frame: Lazy) -> pd.DataFrame:
    result: pd.DataFrame = frame.collect("pyarrow").to_pandas()
    return result


def ends(clean: Lazy) -> pd.DataFrame:
    """Return how threads end: `status`, `automatic`, `threads`, and their mean `length`."""
    last = clean.filter(nw.col("last"))
    frame = _home(
        last.group_by("status", "automatic").agg(nw.len().alias("threads"), nw.col("k").mean().alias("length"))
    )
    return frame.sort_values(["status", "automatic"], ignore_index=True)


@dataclass(frozen=True, slots=True)
class Concessions:
    """How far prices move towards the other's, and what that does to acceptance."""

    counters: int
    mean: float
    acceptance: float
    splits: tuple[int, float]
    neighbours: tuple[int, float]
    tenths: pd.DataFrame


def concessions(clean: Lazy) -> Concessions:
    """Return the mean gamma of counter-offers, and how often they are accepted: all, splits, neighbours, by tenth."""
    known = clean.filter(~nw.col("gamma").is_null())
    gamma = nw.col("gamma")
    split = (gamma - 0.5).abs() < 0.005
    near = (gamma >= 0.4) & (gamma <= 0.6) & ~split
    tenth = nw.when(gamma >= 1.0).then(9).otherwise((gamma * 10).floor().cast(nw.Int64))
    sort = nw.when(split).then(nw.lit("split")).when(near).then(nw.lit("near")).otherwise(nw.lit("other"))
    frame = _home(
        known.select(
            sort.alias("sort"),
            tenth.alias("tenth"),
            "gamma",
            nw.when(nw.col("status") == "accepted").then(1.0).otherwise(0.0).alias("accepted"),
        )
        .group_by("sort", "tenth")
        .agg(nw.len().alias("n"), nw.col("gamma").sum(), nw.col("accepted").sum())
    )
    by_sort = frame.groupby("sort")[["n", "accepted"]].sum()
    tenths = frame.groupby("tenth")[["n", "accepted"]].sum().reset_index()
    n = int(frame["n"].sum())

    def rate(name: str) -> tuple[int, float]:
        times, accepted = by_sort.loc[[name]].to_numpy(dtype=np.float64)[0]
        return int(times), float(accepted / times)

    return Concessions(
        n, float(frame["gamma"].sum() / n), float(frame["accepted"].sum() / n), rate("split"), rate("near"), tenths
    )


@dataclass(frozen=True, slots=True)
class Slope:
    """Regression of a gamma on the other's before, with its error clustered by seller."""

    n: int
    slope: float
    intercept: float
    r: float
    error: float
    sellers: int


NEAR = 0.3  # what sums of gammas are taken from, so that their squares keep their digits
SUMS = ("n", "x", "y", "xx", "xy")


def reciprocity(clean: Lazy) -> Slope:
    """Return how a concession follows the other's: one group-by for each seller's sums, then their totals and products.

    A seller's score at the fitted line is a weighted sum of the seller's sums, so the rows are read once.
    """
    x, y = nw.col("before"), nw.col("gamma")
    both = clean.filter((y >= 0) & (y <= 1) & (x >= 0) & (x <= 1))
    x, y = x - NEAR, y - NEAR
    used = both.select("seller", nw.lit(1.0).alias("n"), x.alias("x"), y.alias("y"), (x * x).alias("xx"),
                       (x * y).alias("xy"), (y * y).alias("yy"))  # fmt: skip
    by_seller = used.group_by("seller").agg(*(nw.col(name).sum() for name in (*SUMS, "yy")))
    pairs = list(combinations_with_replacement(SUMS, 2))
    totals = [nw.col(name).sum().alias(name) for name in (*SUMS, "yy")]
    products = [(nw.col(one) * nw.col(other)).sum().alias(f"{one}_{other}") for one, other in pairs]
    seller_sums = _home(by_seller.select(nw.len().alias("g"), *totals, *products)).iloc[0]
    n, sums, g = float(seller_sums["n"]), seller_sums[["x", "y"]].to_numpy(dtype=np.float64), int(seller_sums["g"])
    squares = np.array(
        [[seller_sums["xx"], seller_sums["xy"]], [seller_sums["xy"], seller_sums["yy"]]], dtype=np.float64
    )
    covariance = (squares - np.outer(sums, sums) / n) / (n - 1)
    moments = stats.Moments(
        np.asarray(n), sums / n, covariance, Factor("variable", ("before", "gamma")), origin=np.full(2, NEAR)
    )
    fit = stats.regression(moments, outcome="gamma", predictors=["before"])
    slope, intercept = (float(fit.estimate[fit.names.index(name)]) for name in ("before", "Intercept"))
    mean, start = float(sums[0] / n), intercept + slope * NEAR - NEAR
    weights = dict(zip(SUMS, (mean * start, mean * slope - start, -mean, -slope, 1.0), strict=True))
    meat = sum(
        weights[one] * weights[other] * seller_sums[f"{one}_{other}"] * (1 if one == other else 2)
        for one, other in pairs
    )
    bread = float(covariance[0, 0]) * (n - 1)
    variance = float(meat) / bread**2 * g / (g - 1) * (n - 1) / (n - 2)
    r = float(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))
    return Slope(int(n), slope, intercept, r, float(np.sqrt(variance)), g)


def percentiles(clean: Lazy) -> pd.DataFrame:
    """Return sale rate and mean final price by the class of the first offer's share of the list price.

    Columns: `class`, `n`, `rate`, `price` (of sales, over the list price). First offers above the list are out. Classes
    are tenths of mid-ranks, so that equal shares stay together and a class may be empty.
    """
    price, listed = nw.col("price"), nw.col("list_price")
    share = ((price * 2000 + listed) / (listed * 2)).floor().cast(nw.Int64)  # whole thousandths, halves up
    first = clean.filter((nw.col("k") == 1) & (price <= listed)).select("thread", share.alias("share"))
    sold = nw.when(nw.col("status") == "accepted").then(1.0).otherwise(0.0)
    ratio = nw.when(nw.col("status") == "accepted").then(price / listed)
    last = clean.filter(nw.col("last")).select("thread", sold.alias("sold"), ratio.alias("ratio"))
    sums = [nw.len().alias("n"), nw.col("sold").sum(), nw.col("ratio").sum()]
    frame = _home(first.join(last, on="thread").group_by("share").agg(*sums)).sort_values("share")
    n = frame["n"].to_numpy()
    rank = 2 * (np.cumsum(n) - n) + n  # twice the number below and half the ties
    frame["class"] = (10 * rank) // (2 * n.sum())
    table = frame.groupby("class")[["n", "sold", "ratio"]].sum().reset_index()
    return table.assign(rate=table["sold"] / table["n"], price=table["ratio"] / table["sold"])[
        ["class", "n", "rate", "price"]
    ]


@dataclass(frozen=True, slots=True)
class Waiting:
    """Response times of offers that were not answered automatically."""

    offers: int
    expired: int
    median: float
    answered_median: float
    answered_mean: float
    over_a_day: int


def waiting(clean: Lazy) -> Waiting:
    """Return the median with expiry as censoring (Kaplan-Meier's, as all are censored at the end), and of answers."""
    asked = clean.filter(~nw.col("automatic"))
    expired = nw.col("status") == "expired"
    seconds = nw.when(expired).then(EXPIRY).otherwise(nw.col("seconds"))
    table = asked.select(seconds.alias("seconds"), nw.when(expired).then(1.0).otherwise(0.0).alias("expired"))
    frame = _home(table.group_by("seconds", "expired").agg(nw.len().alias("n")))
    offers = int(frame["n"].sum())
    known = frame.dropna().sort_values("seconds")
    counted = known.groupby("seconds")["n"].sum()
    answered = known[known["expired"] == 0]
    at, times = answered["seconds"].to_numpy(), answered["n"].to_numpy()
    return Waiting(
        offers,
        int(frame.loc[frame["expired"] == 1, "n"].sum()),
        _median(counted.index.to_numpy(), counted.to_numpy()),
        float(at[np.searchsorted(np.cumsum(times), (times.sum() + 1) // 2)]),
        float(at @ times / times.sum()),
        int(times[at > 86_400].sum()),
    )


def _median(values: Any, times: Any) -> float:
    """Return the median of values that occur so many times."""
    below, n = np.cumsum(times), int(np.sum(times))
    low, high = (values[np.searchsorted(below, rank)] for rank in ((n + 1) // 2, n // 2 + 1))
    return float(low + high) / 2


@dataclass(frozen=True, slots=True)
class Sales:
    """The share of threads that end in a sale, with its error clustered by seller, and the binomial one."""

    rate: float
    error: float
    sellers: int
    binomial: float


def sales(clean: Lazy) -> Sales:
    """Return the sale rate: one group-by for threads and sales of each seller."""
    sold = nw.when(nw.col("status") == "accepted").then(1.0).otherwise(0.0)
    last = clean.filter(nw.col("last")).select("seller", sold.alias("sold"))
    by_seller = last.group_by("seller").agg(nw.len().alias("n"), nw.col("sold").sum())
    y, m = nw.col("sold"), nw.col("n")
    frame = _home(
        by_seller.select(
            nw.len().alias("g"), m.cast(nw.Float64).sum().alias("n"), y.sum().alias("y"), (y * y).sum().alias("yy"),
            (y * m).sum().alias("ym"), (m.cast(nw.Float64) * m).sum().alias("mm"),
        )
    )  # fmt: skip
    g, n, total, yy, ym, mm = (float(frame[name][0]) for name in ("g", "n", "y", "yy", "ym", "mm"))
    rate = total / n
    squares = yy - 2 * rate * ym + rate**2 * mm
    error = np.sqrt(g / (g - 1) * squares) / n
    return Sales(rate, float(error), int(g), float(np.sqrt(rate * (1 - rate) / n)))


QUESTIONS = {
    "ends": ends,
    "concessions": concessions,
    "reciprocity": reciprocity,
    "percentiles": percentiles,
    "waiting": waiting,
    "sales": sales,
}
