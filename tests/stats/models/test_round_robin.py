"""The social relations model against TripleR, by its own algebra, in simulated groups, and what it refuses."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.stats import RoundRobin, round_robin
from negstats.stats.results.numbers import FloatArray
from tests.conftest import reference, runs
from tests.stats.closeness import agree

CASES = reference("round_robin")
TERMS = ("actor", "partner", "relationship", "actor-partner", "dyadic")
COLUMNS: dict[str, Any] = {"actor": "actor", "partner": "partner", "group": "group"}


def numbers(result: RoundRobin, name: str) -> FloatArray:
    return np.array([float(getattr(one, name)) for one in result.components])


def drawn(
    rng: np.random.Generator, shape: tuple[int, ...], n: int, actor: float, partner: float, both: float, dyadic: float
) -> FloatArray:
    """Groups of n whose relationship variance is 1."""
    people = rng.standard_normal((*shape, n, 2))
    second = both / np.sqrt(actor) if actor else 0.0
    a, b = np.sqrt(actor) * people[..., 0], second * people[..., 0] + np.sqrt(partner - second**2) * people[..., 1]
    z = rng.standard_normal((*shape, n, n))
    upper = np.triu(np.ones((n, n)), 1)
    other = dyadic * np.swapaxes(z, -1, -2) + np.sqrt(1 - dyadic**2) * z
    return np.asarray(a[..., :, None] + b[..., None, :] + np.where(upper, z, other))


def long_of(values: FloatArray) -> pd.DataFrame:
    group, actor, partner = (axis.ravel() for axis in np.indices(values.shape))
    frame = pd.DataFrame({"group": group, "actor": actor, "partner": partner, "y": values.ravel()})
    return frame[frame["actor"] != frame["partner"]]


# --- R: TripleR 1.5.4 -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("case", "method"),
    [(case, method) for case in CASES for method in ("lashley-bond", "groups") if method.replace("-", "_") in case],
    ids=lambda one: one if isinstance(one, str) else str(one["sizes"]),
)
def test_partition_agrees_with_tripler(case: dict[str, Any], method: Any) -> None:
    expected = case[method.replace("-", "_")]
    result = round_robin(pd.DataFrame(case["data"]), "y", method=method, **COLUMNS)
    single = isinstance(case["sizes"], int)
    for name, column in (("estimate",) * 2, ("share",) * 2, ("se",) * 2, ("statistic", "t"), ("p", "p")):
        wanted = np.array(expected[column], dtype=float)
        if name == "p" and single:
            wanted[4] *= 2  # TripleR halves this one, of a covariance
        estimates = numbers(result, name)
        known = np.isfinite(wanted)
        if name == "share":
            known[3:] &= np.abs(estimates[3:]) < 1  # and cuts correlations at 1
        agree(estimates[known], wanted[known], rtol=1e-9, atol=1e-13)
    assert result.groups == np.size(case["sizes"])


@pytest.mark.parametrize("case", CASES[:4], ids=lambda case: str(case["sizes"]))
def test_effects_and_reliability_agree_with_tripler(case: dict[str, Any]) -> None:
    result = round_robin(pd.DataFrame(case["data"]), "y", actor="actor", partner="partner")
    effects = result.effects().set_index("person").loc[case["effects"]["id"]]
    for name, place in (("actor", 0), ("partner", 1)):
        if result.component(name).estimate > 0:  # TripleR names no effects where their variance is negative
            agree(effects[name], case["effects"][name], atol=1e-12)
            agree(result.reliability[place], case["reliability"][place], rtol=1e-10)
        else:
            assert np.isnan(result.reliability[place])


# --- properties -------------------------------------------------------------------------------------------------------


@st.composite
def groups(draw: st.DrawFn) -> FloatArray:
    n, size = draw(st.integers(4, 7)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return drawn(rng, (size,), n, draw(st.sampled_from([0.0, 1.0])), 0.5, 0.0, draw(st.sampled_from([-0.5, 0.0, 0.5])))


@pytest.mark.slow
@given(groups(), st.integers(0, 10**6))
@settings(max_examples=25)
def test_neither_names_nor_order_nor_units_change_anything(values: FloatArray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = long_of(values)
    one = round_robin(frame, "y", **COLUMNS)
    names = rng.permutation(100)[: values.shape[-1]]
    other = frame.assign(
        actor=[f"p{names[place]}" for place in frame["actor"]],
        partner=[f"p{names[place]}" for place in frame["partner"]],
        y=-3 * frame["y"] + 1e6,
    ).sample(frac=1, random_state=seed)
    two = round_robin(other, "y", **COLUMNS)
    agree(numbers(two, "estimate"), 9 * numbers(one, "estimate"), rtol=1e-6, atol=1e-6)
    for name in ("share", "statistic", "df1", "df2", "p"):
        agree(numbers(two, name), numbers(one, name), rtol=1e-6, atol=1e-8)


@given(groups())
@settings(max_examples=25)
def test_who_acts_and_who_is_acted_on_swap(values: FloatArray) -> None:
    one, two = round_robin(values), round_robin(np.swapaxes(values, -1, -2))
    swapped = [1, 0, 2, 3, 4]
    for name in ("estimate", "se", "statistic", "p"):
        agree(numbers(one, name)[swapped], numbers(two, name), rtol=1e-9, atol=1e-12)


def test_a_stack_is_its_studies_and_a_frame_its_matrices() -> None:
    values = drawn(np.random.default_rng(4), (5, 3), 6, 0.4, 0.6, 0.2, 0.3)
    for method in ("mean squares", "lashley-bond", "groups"):
        stack = round_robin(values, method=method)
        for place in range(5):
            one = round_robin(long_of(values[place]), "y", method=method, **COLUMNS)
            for name in ("estimate", "share", "se", "statistic", "df1", "p"):
                entries = [np.broadcast_to(getattr(part, name), 5)[place] for part in stack.components]
                agree(entries, numbers(one, name), rtol=1e-9)
            ends, same = stack.confidence_interval("actor"), one.confidence_interval("actor")
            agree([ends.low[place], ends.high[place]], [same.low, same.high], rtol=1e-9)  # type: ignore[index]


@pytest.mark.parametrize("engine", [pl.DataFrame, pl.LazyFrame, lambda frame: duckdb.from_df(frame)])
def test_every_engine_gives_the_same(engine: Any) -> None:
    frame = long_of(drawn(np.random.default_rng(5), (2,), 5, 0.5, 0.5, 0.0, 0.3)).astype({"actor": str, "partner": str})
    one, two = round_robin(frame, "y", **COLUMNS), round_robin(engine(frame), "y", **COLUMNS)
    agree(numbers(one, "estimate"), numbers(two, "estimate"), rtol=1e-12)
    assert one.effects().equals(two.effects())


def test_the_mean_squares_are_those_of_the_definition() -> None:
    """Effects add up to 0, and a group made of effects alone gives them back."""
    rng = np.random.default_rng(8)
    a, b = (one - one.mean() for one in rng.normal(size=(2, 6)))
    noise = 1e-3 * rng.normal(size=(6, 6))
    model = round_robin(5 + a[:, None] + b[None, :] + noise)
    effects = model.effects()
    agree(effects[["actor", "partner"]].sum(), 0, atol=1e-12)
    agree(effects["actor"], a, atol=3e-3)
    agree(effects["partner"], b, atol=3e-3)
    agree(numbers(model, "estimate")[[0, 1, 3]], [a @ a / 5, b @ b / 5, a @ b / 5], atol=3e-3)


# --- simulation -------------------------------------------------------------------------------------------------------

SIZES = [(4, 1), (6, 1), (6, 6), (10, 2)]


@pytest.mark.calibration
@pytest.mark.parametrize(("n", "size"), SIZES)
def test_estimates_are_unbiased_and_intervals_cover(n: int, size: int) -> None:
    truth = (0.4, 0.6, 0.2, 0.5)
    studies = runs(20_000, 2_000)
    result = round_robin(drawn(np.random.default_rng([1, n, size]), (studies, size), n, *truth))
    wanted = dict(zip(TERMS, (*truth[:2], 1.0, *truth[2:]), strict=True))
    for one in result.components:
        values = np.asarray(one.estimate)
        assert abs(values.mean() - wanted[one.term]) < 4.5 * values.std() / np.sqrt(studies), one.term
        # Lashley and Bond's squared standard errors are unbiased too.
        squared = np.asarray(one.se) ** 2
        assert abs(squared.mean() / values.var() - 1) < 4.5 * (squared.std() / squared.mean() + 2) / np.sqrt(studies)
        ends = result.confidence_interval(one.term)
        cover = np.mean((ends.low <= wanted[one.term]) & (wanted[one.term] <= ends.high))
        # t of a standard error covers the actor-partner covariance .90 to 1.00 of the time in one small group.
        low, high = (0.88, 1.0) if one.term == "actor-partner" else (0.935, 0.97)
        assert low <= cover <= high, (one.term, cover)
    ends = result.dyadic_interval()
    assert stats.binom.interval(0.9999, studies, 0.95)[0] <= np.sum((ends.low <= 0.5) & (ends.high >= 0.5))


@pytest.mark.calibration
@pytest.mark.parametrize(("n", "size"), SIZES)
def test_tests_of_mean_squares_have_their_size(n: int, size: int) -> None:
    studies = runs(20_000, 2_000)
    rng = np.random.default_rng([2, n, size])
    nothing = drawn(rng, (studies, size), n, 0.0, 0.5, 0.0, 0.0)
    low, high = stats.binom.interval(0.9999, studies, 0.05)
    model = round_robin(nothing)
    assert low <= np.sum(np.asarray(model.component("dyadic").p) < 0.05) <= high  # exact
    # Where the dyads' part has few degrees of freedom Satterthwaite's are an approximation: .041 to .061 at four.
    actor = np.mean(np.asarray(model.component("actor").p) < 0.05)
    assert low / studies - (0.012 if n == 4 else 0) <= actor <= high / studies + (0.012 if n == 4 else 0.003)
    both = np.mean(
        np.asarray(round_robin(drawn(rng, (studies, size), n, 0.5, 0.5, 0.0, 0.0)).component("actor-partner").p) < 0.05
    )
    assert (0.02 if n == 4 else 0.04) <= both <= high / studies + 0.003
    # Why estimates over their standard errors are not the default.
    other = np.mean(np.asarray(round_robin(nothing, method="lashley-bond").component("actor").p) < 0.05)
    assert other < 0.025


# --- edges ------------------------------------------------------------------------------------------------------------


def test_groups_that_are_not_whole_are_named() -> None:
    frame = long_of(drawn(np.random.default_rng(1), (3,), 5, 1.0, 1.0, 0.0, 0.0))
    frame = frame[(frame["group"] != 1) | (frame["actor"] != 2) | (frame["partner"] != 0)]
    frame = frame[(frame["group"] != 2) | ((frame["actor"] < 3) & (frame["partner"] < 3))]
    frame = pd.concat([frame, pd.DataFrame({"group": [0], "actor": [1], "partner": [1], "y": [3.0]})])
    result = round_robin(frame, "y", **COLUMNS)
    assert (result.groups, result.people, result.missing) == (1, 5, 1)
    assert result.left_out == {
        "1": "group 1 lacks 1 of 20 ordered pairs, such as 2 on 0",
        "2": "group 2 has 3 people; a round robin needs at least 4",
    }


def round_robins() -> pd.DataFrame:
    return long_of(drawn(np.random.default_rng(2), (1,), 4, 1.0, 1.0, 0.0, 0.0))


def test_a_study_of_a_stack_without_dyads_is_missing() -> None:
    values = drawn(np.random.default_rng(7), (3, 2), 5, 1.0, 1.0, 0.0, 0.0)
    values[1] = 0.1
    result = round_robin(values)
    assert np.isnan(np.asarray(result.component("actor").p)).tolist() == [False, True, False]
    assert np.isnan(np.asarray(result.dyadic_interval().low)).tolist() == [False, True, False]


def test_self_ratings_change_nothing_and_the_sentence_reads() -> None:
    values = drawn(np.random.default_rng(3), (1,), 6, 1.0, 0.5, 0.2, 0.4)
    own = values.copy()
    own[:, np.arange(6), np.arange(6)] = np.nan
    one, two = round_robin(values), round_robin(own)
    agree(numbers(one, "estimate"), numbers(two, "estimate"), rtol=1e-12)
    assert one.apa() == two.apa()
    assert [part.split(":")[0] for part in one.apa().split("; ")] == list(TERMS)
    assert one.component("relationship").apa().endswith("%")
    tails = {term: one.component(term).apa().rpartition(", ")[2] for term in TERMS}
    assert [term for term in TERMS if tails[term] == "two-tailed"] == ["dyadic"]  # F, whose p is of the upper one
    by_se = round_robin(values, method="lashley-bond")
    assert [term for term in TERMS if by_se.component(term).apa().endswith("one-tailed")] == list(TERMS[:3])
    assert list(one.to_frame().columns[:3]) == ["term", "estimate", "share"]
