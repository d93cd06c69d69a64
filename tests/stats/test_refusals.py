"""What the tests of `negstats.stats` refuse at their edge, whatever the family, and what goes wrong in silence."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.stats import norm

from negstats import stats
from negstats.errors import DesignError
from tests.refusals import refusals_beside

PAIRS = pd.DataFrame(
    {
        "who": [1, 2, 3, 4, 1, 2, 3, 4],
        "when": ["before"] * 4 + ["after"] * 4,
        "points": [3.0, 5.0, 4.0, 8.0, 2.0, 4.5, 4.0, 6.0],
    }
)
FRAME: Any = pd.DataFrame({"y": [3.0, 5.0, 4.0, 8.0], "g": [*"aabb"], "who": [1, 2, 1, 2]})
REPEATED: list[Callable[[Any], Any]] = [
    lambda frame: stats.paired_t(frame, "points", "when", "who"),
    lambda frame: stats.wilcoxon(frame, "points", "when", "who"),
    lambda frame: stats.friedman(frame, "points", "when", "who"),
    lambda frame: stats.repeated_anova(frame, "points", "when", "who"),
]
MEASURED: list[Callable[[Any], Any]] = [
    lambda data: stats.t_test(data, "points", "when"),
    lambda data: stats.anova(data, "points", "when"),
    lambda data: stats.mann_whitney(data, "points", "when"),
    *REPEATED,
]


# What stands in the calls of `refusals.txt`.
NAMES: dict[str, Any] = {name: getattr(stats, name) for name in stats.__all__}
NAMES |= {name: getattr(stats.effects, name) for name in dir(stats.effects) if not name.startswith("_")}
NAMES |= {"pl": pl, "norm": norm, "FRAME": FRAME}


test_what_cannot_be_answered_says_so_in_a_line = refusals_beside(__file__, NAMES)


@pytest.mark.parametrize("test", REPEATED)
def test_rows_without_a_subject_are_missing_not_a_duplicate(test: Callable[[Any], Any]) -> None:
    unknown = pd.DataFrame({"who": [None, None], "when": ["before"] * 2, "points": [1.0, 2.0]})
    with_unknown = test(pd.concat([PAIRS, unknown], ignore_index=True))
    assert with_unknown.p == test(PAIRS).p
    assert with_unknown.missing == 1  # nobody knows how many subjects these rows are


@pytest.mark.parametrize("test", MEASURED)
@pytest.mark.parametrize("data", [None, 3, "abc", PAIRS["points"]])
def test_what_is_no_frame_is_refused_where_columns_are_named(test: Callable[[Any], Any], data: Any) -> None:
    with pytest.raises(DesignError, match=f"not a frame but a {type(data).__name__}"):
        test(data)


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.from_pandas])
def test_counting_a_frame_without_rows_says_so(engine: Callable[[pd.DataFrame], Any]) -> None:
    empty = engine(pd.DataFrame({"g": pd.Series([], dtype="str"), "h": pd.Series([], dtype="str")}))
    for test in (stats.chi_squared, stats.fisher, stats.mcnemar, stats.k_way):
        with pytest.raises(DesignError, match="'g' has no level: there is no complete row"):
            test(empty, ["g", "h"])


@pytest.mark.parametrize("engine", [pd.DataFrame, pl.from_pandas])
def test_ranks_refuse_infinity_in_every_engine(engine: Callable[[pd.DataFrame], Any]) -> None:
    frame = engine(PAIRS.assign(points=[np.inf, *PAIRS["points"][1:]]))
    for test in (stats.mann_whitney, stats.kruskal_wallis, stats.brunner_munzel, stats.levene):
        with pytest.raises(DesignError, match="'points' is infinite"):
            test(frame, "points", "when")


def test_numbers_in_a_column_of_objects_are_numbers() -> None:
    expected = stats.t_test(PAIRS, "points", "when").statistic
    values = PAIRS["points"].tolist()
    for column in (values, [Decimal(str(value)) for value in values]):
        frame = PAIRS.assign(points=pd.Series(column, dtype=object))
        assert stats.t_test(frame, "points", "when").statistic == expected
    gap = pd.Series([None, *values[1:]], dtype=object)
    assert stats.t_test(PAIRS.assign(points=gap), "points", "when").missing == 1


@pytest.mark.parametrize("values", [[1.0, "x", 2.0, 3.0] * 2, [1j] * 8])
def test_an_outcome_that_is_no_real_number_is_named(values: list[Any]) -> None:
    frame = PAIRS.assign(points=pd.Series(values, dtype=object if "x" in values else complex))
    for test in MEASURED:
        with pytest.raises(DesignError, match=r"'points' is not numeric: ('x'|1j)"):
            test(frame)


def test_whole_numbers_beyond_the_floats_are_ranked_as_floats() -> None:
    frame = PAIRS.assign(points=np.arange(8) * 100 + 2**60)  # floats are 256 apart there
    floats = frame.assign(points=frame["points"].astype(float))
    assert stats.mann_whitney(frame, "points", "when").p == stats.mann_whitney(floats, "points", "when").p


def test_a_result_of_a_stack_with_two_axes_has_a_row_a_study() -> None:
    samples = np.random.default_rng(2).normal(size=(2, 3, 5))
    test = stats.one_sample_t(samples)
    assert test.to_frame()["statistic"].tolist() == np.ravel(test.statistic).tolist()


def test_every_family_reports_the_rows_that_it_left_out() -> None:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({name: rng.choice(["no", "yes"], 40) for name in ("a", "b", "c")}, dtype=object)
    frame["y"] = rng.normal(size=40)
    frame.loc[3, "a"] = None
    frame.loc[[5, 6], "b"] = None
    pair, triple = ["a", "b"], ["a", "b", "c"]
    counted = [
        stats.chi_squared(frame, pair),
        stats.fisher(frame, pair),
        stats.mcnemar(frame, pair),
        stats.paired_proportions(frame, pair),
        stats.cochran_mantel_haenszel(frame, triple),
        stats.cochrans_q(frame, triple),
        stats.loglinear(frame, "[a b][c]", triple),
    ]
    assert [result.to_frame()["missing"].tolist() for result in counted] == [[3]] * len(counted)
    assert stats.goodness_of_fit(frame, "a").missing == 1
    assert stats.margins(frame, "y", pair, specs="a").missing == 3
    assert stats.pairwise(frame, "y", pair, specs="a").missing == 3
    assert stats.simple_effects(frame, "y", pair, specs="a", at="b").missing == 3


def test_names_with_dots_count_in_duckdb_as_in_pandas() -> None:
    frame = pd.DataFrame({"a.b": [1, 2, 1, 2, 2], "c.d": ["x", "y", "y", "x", "x"], "y.z": [3.0, 4.0, 5.5, 7.0, 4.0]})
    relation = duckdb.from_df(frame)
    assert stats.mann_whitney(relation, "y.z", "a.b").p == stats.mann_whitney(frame, "y.z", "a.b").p
    assert stats.chi_squared(relation, ["a.b", "c.d"]).p == stats.chi_squared(frame, ["a.b", "c.d"]).p


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


def test_a_thousand_may_be_written_as_1e3() -> None:
    wrong: Any = stats  # what it gets is no whole number by its type
    result = wrong.permutation_test(
        {"a": [*range(12)], "b": [*range(3, 16)]}, rng=np.random.default_rng(1), n_resamples=1e3
    )
    assert result.arrangements == 1000
