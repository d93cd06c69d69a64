"""What would go wrong in silence: lost orders, dicts of columns, masks, ties of rounding, names that stand twice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from negstats import stats
from negstats.errors import DesignError, NotEstimable

LEVELS = ["low", "mid", "high"]
POINTS = [1.0, 2.0, 4.0, 5.0, 9.0, 8.0]
DOSES = ["low", "low", "mid", "mid", "high", "high"]


def in_pandas() -> Any:
    return pd.DataFrame({"points": POINTS, "dose": pd.Categorical(DOSES, LEVELS, ordered=True)})


def in_polars() -> Any:
    return pl.DataFrame({"points": POINTS, "dose": pl.Series(DOSES, dtype=pl.Enum(LEVELS))})


def in_arrow() -> Any:
    dose = pa.DictionaryArray.from_arrays(pa.array([LEVELS.index(d) for d in DOSES]), pa.array(LEVELS), ordered=True)
    return pa.table({"points": POINTS, "dose": dose})


def in_duckdb() -> Any:
    rows = ", ".join(f"({y}, '{dose}')" for y, dose in zip(POINTS, DOSES, strict=True))
    return duckdb.sql(f"SELECT y AS points, d::ENUM('low', 'mid', 'high') AS dose FROM (VALUES {rows}) AS v(y, d)")  # noqa: S608


ENGINES: list[Callable[[], Any]] = [in_pandas, in_polars, in_arrow, in_duckdb]


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_keeps_the_order_of_levels(engine: Callable[[], Any]) -> None:
    for summary in (stats.Cells, stats.ValueCounts):
        assert summary.from_frame(engine(), "points", "dose").factors[0].levels == tuple(LEVELS)
    assert stats.Counts.from_frame(engine(), "dose").factors[0].levels == tuple(LEVELS)
    assert stats.t_test(engine(), "points", "dose", levels=("low", "high")).difference == -7.0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_trend_follows_the_order_and_states_it(engine: Callable[[], Any]) -> None:
    trends = stats.polynomial(engine(), "points", "dose", specs="dose")
    assert trends["linear"].estimate == pytest.approx(7 / np.sqrt(2))
    assert trends.order == ("low", "mid", "high")
    assert trends.apa().endswith("(order: low < mid < high)")


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_trend_of_text_without_an_order_is_refused(engine: Callable[[Any], Any]) -> None:
    frame = engine({"points": POINTS, "dose": DOSES})
    with pytest.raises(DesignError, match=r"'dose' are text without an order.*high, low, mid.*give scores"):
        stats.polynomial(frame, "points", "dose", specs="dose")
    result = stats.polynomial(frame, "points", "dose", specs="dose", scores=[3, 1, 2])
    assert result["linear"].estimate == pytest.approx(7 / np.sqrt(2))
    assert result.order == ("low", "mid", "high")
    listed = stats.polynomial({"low": [1, 2], "mid": [4, 5], "high": [9, 8]}, specs="group")
    assert listed["linear"].estimate == pytest.approx(7 / np.sqrt(2))


@pytest.mark.parametrize(
    "test",
    [
        stats.t_test,
        stats.one_way,
        stats.mann_whitney,
        stats.kruskal_wallis,
        stats.paired_t,
        stats.wilcoxon,
        lambda data, y, g: stats.permutation_test(data, y, g, rng=np.random.default_rng(1)),
    ],
)
def test_a_dict_of_columns_is_no_dict_of_samples(test: Callable[..., Any]) -> None:
    columns = {"y": [3.0, 5.0, 4.0, 8.0], "g": [0, 0, 1, 1]}
    with pytest.raises(DesignError, match=r"'y', and the data are a dict.*pandas\.DataFrame"):
        test(columns, "y", "g")
    # A name that is no key would change nothing, and a word mistyped would pass for it.
    with pytest.raises(DesignError, match=r"'points', and the data are a dict.*leave out outcome"):
        test(columns, "points", None)


@pytest.mark.parametrize("test", [stats.one_sample_t, stats.wilcoxon, stats.sign_test])
def test_plain_numbers_have_no_columns(test: Callable[..., Any]) -> None:
    with pytest.raises(DesignError, match=r"'points', and the data are plain numbers; leave out outcome"):
        test([1.0, 2.0, 4.0], "points")


@pytest.mark.parametrize(
    ("test", "summary"),
    [(stats.t_test, stats.Cells), (stats.one_way, stats.Cells), (stats.mann_whitney, stats.ValueCounts)],
)
def test_a_summary_has_the_outcome_that_it_was_made_of(test: Callable[..., Any], summary: Any) -> None:
    frame = pd.DataFrame({"points": [1.0, 2.0, 4.0, 3.0], "g": ["a", "a", "b", "b"]})
    made = summary.from_frame(frame, "points", "g")
    assert test(made, "points", "g").p == test(made).p
    with pytest.raises(DesignError, match=rf"outcome is 'time', and the {summary.__name__} were made of 'points'"):
        test(made, "time", "g")


def test_masked_values_are_missing() -> None:
    masked = np.ma.masked_array([3.0, 5.0, 999.0, 4.0], mask=[False, False, True, False])
    result = stats.t_test({"a": masked, "b": [1.0, 2.0, 4.0]})
    assert result.missing == 1
    assert result.means[0] == 4.0
    assert stats.mann_whitney({"a": masked, "b": [1.0, 2.0, 4.0]}).n == (3, 3)


@pytest.mark.parametrize(
    "values",
    [["1", "2", "4"], np.array(["2020-01-01", "2020-01-02"], "M8[D]"), [1, "x"], [1j, 2], [[1], [2, 3]]],
    ids=["text", "dates", "mixed", "complex", "ragged"],
)
def test_what_is_no_number_is_refused_as_a_sample(values: Any) -> None:
    for test in (stats.t_test, stats.mann_whitney, stats.levene):
        with pytest.raises(DesignError, match="sample 'a' is not numeric"):
            test({"a": values, "b": [1.0, 2.0, 4.0]})


def test_a_bootstrap_of_one_unit_is_not_estimable() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(NotEstimable, match="one row is all there is to draw from with group = 'b'"):
        stats.bootstrap_interval({"a": [1, 2, 4], "b": [3]}, rng=rng, method="percentile")
    frame = pd.DataFrame({"y": [1.0, 2, 4, 3, 5], "g": [*"aaabb"], "game": [1, 1, 2, 3, 3]})
    with pytest.raises(NotEstimable, match="one cluster of 'game' is all there is to draw from with g = 'b'"):
        stats.bootstrap_interval(frame, "y", "g", rng=rng, cluster="game", method="percentile")


@pytest.mark.parametrize("test", [stats.mann_whitney, stats.kruskal_wallis, stats.brunner_munzel, stats.levene])
def test_what_rounding_tells_apart_is_tied(test: Callable[..., Any]) -> None:
    exact = {"a": [0.3, 0.4, 0.7, 0.1], "b": [0.3, 0.6, 0.2, 0.9]}
    noisy = {"a": [0.1 + 0.2, 0.4, 0.7, 0.1], "b": [0.3, 0.6, 0.2, 0.9]}
    assert noisy["a"][0] != noisy["b"][0]
    assert test(noisy).p == pytest.approx(test(exact).p, rel=1e-12)
    rows = pd.DataFrame([(level, y) for level, sample in noisy.items() for y in sample], columns=["g", "y"])
    for frame in (rows, pl.from_pandas(rows)):
        assert test(frame, "y", "g").p == pytest.approx(test(exact).p, rel=1e-12)


def test_ties_of_rounding_in_friedman_and_in_resampling() -> None:
    rows = {"a": [0.1 + 0.2, 0.5, 0.9], "b": [0.3, 0.7, 0.2], "c": [0.4, 0.1, 0.6]}
    exact = {**rows, "a": [0.3, 0.5, 0.9]}
    assert stats.friedman(rows).mean_ranks == stats.friedman(exact).mean_ranks
    two, same = ({key: data[key] for key in "ab"} for data in (rows, exact))
    first, second = (
        stats.permutation_test(data, statistic="U", rng=np.random.default_rng(1)).statistic for data in (two, same)
    )
    assert first == second


def test_whole_numbers_never_tie_by_rounding() -> None:
    large = 2.0**52
    assert len(stats.ValueCounts.from_samples({"a": [large, large + 1], "b": [large + 2]}).values) == 3


def test_names_of_terms_and_contrasts_are_unique() -> None:
    cells = stats.Cells.from_table(
        n=np.full((2, 2, 2), 5),
        mean=np.arange(8.0).reshape(2, 2, 2),
        sd=1,
        factors={n: [*"xy"] for n in ("a", "b", "a:b")},
    )
    with pytest.raises(DesignError, match="two terms of 'a', 'b', 'a:b' are both named 'a:b'"):
        stats.anova(cells)
    samples = {"a": [1, 2], "b - c": [3, 4], "a - b": [4, 6], "c": [5, 9]}
    with pytest.raises(DesignError, match="two contrasts are both named 'a - b - c'"):
        stats.pairwise(samples, specs="group")


def test_the_event_of_yes_or_no_is_named() -> None:
    table = stats.Counts.from_table([[5, 91], [19, 78]], {"agent": ["fair", "selfish"], "walked": ["yes", "no"]})
    for effect in (
        stats.effects.odds_ratio,
        stats.effects.risk_ratio,
        stats.effects.risk_difference,
        stats.effects.phi,
    ):
        assert effect(table).apa().endswith("(event: yes)")
        assert effect(table, event="no").apa().endswith("(event: no)")
    pairs = stats.Counts.from_table([[36, 12], [2, 0]], {"before": ["no", "yes"], "after": ["no", "yes"]})
    assert stats.paired_proportions(pairs).apa().endswith("(event: no)")


# What these calls get is wrong on purpose, so their types are not checked.
wrong: Any = stats
FRAME: Any = pd.DataFrame({"y": [3.0, 5.0, 4.0, 8.0], "g": [*"aabb"], "who": [1, 2, 1, 2]})
REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "whole-number names": (
        lambda: wrong.t_test(FRAME.set_axis([0, 1, 2], axis=1), 0, 1),
        "named by text|name columns by",
    ),
    "a name that stands twice": (
        lambda: wrong.t_test(FRAME.set_axis(["y", "g", "g"], axis=1), "y", "g"),
        "2 columns 'g'",
    ),
    "a series as by": (lambda: wrong.t_test(FRAME, "y", FRAME["g"]), "named by text"),
    "subject is within": (lambda: wrong.paired_t(FRAME, "y", "g", "g"), "'g' is named twice"),
    "outcome is by": (lambda: wrong.t_test(FRAME, "y", "y"), "'y' is named twice"),
    "lists as levels of a column": (
        lambda: wrong.t_test(FRAME.assign(g=[["a"], ["a"], ["b"], ["b"]]), "y", "g"),
        r"'g' holds \['a'\]; levels are text",
    ),
    "a text as levels": (lambda: wrong.t_test(FRAME, "y", "g", levels="ab"), "levels is 'ab'; name two levels"),
    "a number as levels": (lambda: wrong.t_test(FRAME, "y", "g", levels=2), "levels is 2; name two"),
    "half a resample": (
        lambda: wrong.permutation_test(FRAME, "y", "g", rng=np.random.default_rng(1), n_resamples=99.5),
        "n_resamples is 99.5; give a whole number",
    ),
    "resamples in words": (
        lambda: wrong.bootstrap_interval(FRAME, "y", "g", rng=np.random.default_rng(1), n_resamples="many"),
        "n_resamples is 'many'",
    ),
    "null in words": (lambda: wrong.t_test(FRAME, "y", "g", null="0"), "null is '0'; give a finite number"),
    "no null": (lambda: wrong.one_sample_t([1, 2, 4], null=None), "null is None"),
    "null is not a number": (lambda: wrong.paired_t(FRAME, "y", "g", "who", null=float("nan")), "null is nan"),
    "level in words": (lambda: wrong.t_test(FRAME, "y", "g").confidence_interval("0.95"), "level is '0.95'"),
    "level is a list": (lambda: wrong.t_test(FRAME, "y", "g").confidence_interval([0.95]), "level is"),
    "effect in words": (lambda: wrong.power.power("t", effect="large", n=20), "effect is not numeric: 'large'"),
    "groups in words": (lambda: wrong.power.power("anova", effect=0.2, n=20, groups="3"), "groups is '3'"),
    "alpha in words": (lambda: wrong.power.power("t", effect=0.2, n=20, alpha="5%"), "alpha is '5%'"),
    "a choice that is a list": (lambda: wrong.t_test(FRAME, "y", "g", method=["welch"]), "method is"),
    "weights in words": (
        lambda: wrong.contrast(FRAME, "y", "g", specs="g", weights={"a": "1", "b": -1}),
        "the weight of 'a' is '1'",
    ),
    "a Bayes factor of no test": (lambda: wrong.bayes_factor({"a": [1, 2]}), "test is {'a'"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_ended_in_a_traceback_is_one_sentence(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises(DesignError, match=message):
        call()


def test_a_thousand_may_be_written_as_1e3() -> None:
    result = wrong.permutation_test(
        {"a": [*range(12)], "b": [*range(3, 16)]}, rng=np.random.default_rng(1), n_resamples=1e3
    )
    assert result.arrangements == 1000
