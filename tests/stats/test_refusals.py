"""What the tests of `negstats.stats` refuse at their edge, whatever the family: columns, types, empty and odd data."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from negstats import stats
from negstats.errors import DesignError, NotEstimable
from tests.stats.effects.test_effects import BAD as EFFECTS
from tests.stats.means.test_t_tests import BAD as MEANS
from tests.stats.ranks.test_ranks import BAD as RANKS

PAIRS = pd.DataFrame(
    {
        "who": [1, 2, 3, 4, 1, 2, 3, 4],
        "when": ["before"] * 4 + ["after"] * 4,
        "points": [3.0, 5.0, 4.0, 8.0, 2.0, 4.5, 4.0, 6.0],
    }
)
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


EVERY = [
    pytest.param(*one, id=f"{room}: {name}")
    for room, bad in {"means": MEANS, "ranks": RANKS, "effects": EFFECTS}.items()
    for name, one in bad.items()
]


@pytest.mark.parametrize(("call", "kind", "message"), EVERY)
def test_what_cannot_be_answered_says_so_in_a_line(
    call: Callable[[], object], kind: type[Exception], message: str
) -> None:
    with pytest.raises(kind, match=message) as error:
        call()
    assert type(error.value) is kind
    assert "\n" not in str(error.value)


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


def test_two_levels_that_are_written_the_same_are_refused() -> None:
    frame = pd.DataFrame({"y": [1.0, 2.0, 3.0, 5.0], "g": pd.Series([1, 1, "1", "1"], dtype=object)})
    for test in (lambda: stats.t_test(frame, "y", "g"), lambda: stats.goodness_of_fit(frame, "g")):
        with pytest.raises(DesignError, match="'g' has two levels that are both written '1'"):
            test()
    with pytest.raises(DesignError, match="both written 'a'"):
        stats.Counts.from_table([[1, 2], [3, 4]], {"g": ["a", "a"], "h": ["x", "y"]})


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


def test_brunner_munzel_of_one_value_says_that_all_are_tied() -> None:
    with pytest.raises(NotEstimable, match="is tied"):
        stats.brunner_munzel({"a": [2, 2, 2], "b": [2, 2]})


def test_proportions_refuse_what_is_no_number_and_print_one_study() -> None:
    with pytest.raises(DesignError, match="are not numbers"):
        stats.proportion({"a": 1}, 3)  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="holds 2"):
        stats.proportion([1, 2], [3, 4]).apa()


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


@pytest.mark.parametrize("unknown", [{"mean": [np.nan, 1], "sd": [1, 1]}, {"mean": [2, 1], "sd": [1, np.nan]}])
def test_a_printed_cell_with_observations_has_its_mean_and_sd(unknown: dict[str, list[float]]) -> None:
    with pytest.raises(DesignError, match="is not known in a cell with observations"):
        stats.Cells.from_table(n=[3, 4], **unknown)  # type: ignore[arg-type]


@pytest.mark.parametrize("r", [-0.9, [[1, 0.9, 0.1], [0.2, 1, 0.3], [0.1, 0.3, 1]], np.nan])
def test_correlations_that_no_data_can_have_are_refused(r: Any) -> None:
    with pytest.raises(DesignError, match=r"^correlation "):
        stats.Moments.from_table(n=10, mean=[1, 2, 3], sd=[1, 1, 1], correlation=r)
