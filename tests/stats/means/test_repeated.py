"""Repeated measures and mixed designs against R and their own algebra."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.errors import DesignError, NotEstimable
from negstats.stats.means.anova import anova
from negstats.stats.means.repeated import RepeatedAnova, repeated_anova
from negstats.stats.summaries import Moments
from tests.conftest import reference
from tests.stats.closeness import agree

REFERENCE = reference("repeated")
DESIGNS = {design["name"]: design for design in REFERENCE["designs"]}

EXACT = 1e-8


def of_rows(design: dict[str, Any]) -> RepeatedAnova:
    return repeated_anova(pd.DataFrame(design["rows"]), "y", "time", "subject", design["between"])


# --- R -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", DESIGNS)
def test_agrees_with_afex(name: str) -> None:
    expected = DESIGNS[name]
    table = of_rows(expected).to_frame().set_index("term").loc[np.atleast_1d(expected["terms"])]
    names = {"df": "df1", "df_error": "df2", "f": "statistic"}
    for field in ("ss", "df", "ss_error", "df_error", "f", "p"):
        agree(table[names.get(field, field)], np.atleast_1d(expected[field]), rtol=EXACT, err_msg=field)
    agree(table["generalized_eta_squared"], np.atleast_1d(expected["ges"]), rtol=EXACT)
    agree(table["partial_eta_squared"], np.atleast_1d(expected["pes"]), rtol=EXACT)


@pytest.mark.parametrize("name", [name for name, design in DESIGNS.items() if "adjusted" in design])
def test_sphericity_agrees_with_car(name: str) -> None:
    expected = DESIGNS[name]["adjusted"]
    result = of_rows(DESIGNS[name])
    for field in ("epsilon_gg", "epsilon_hf", "mauchly_w", "mauchly_p"):
        agree(float(getattr(result, field)), expected[field], rtol=EXACT, err_msg=field)
    table = result.to_frame().set_index("term").loc[expected["terms"]]
    for field in ("p_gg", "p_hf"):
        agree(table[field], expected[field], rtol=EXACT, err_msg=field)


def test_reference_holds_an_epsilon_above_one() -> None:
    epsilons = [design["adjusted"]["epsilon_hf"] for design in DESIGNS.values() if "adjusted" in design]
    assert max(epsilons) > 1


# --- properties ----------------------------------------------------------------------------------------------------


SHAPES: list[tuple[int, ...]] = [(), (2,), (3,), (2, 2)]


@st.composite
def mixed(draw: st.DrawFn, shapes: Sequence[tuple[int, ...]] = SHAPES, most: int = 4) -> tuple[pd.DataFrame, list[str]]:
    """A long frame with the columns who, time, y and none to two factors between subjects."""
    shape = draw(st.sampled_from(shapes))
    k = draw(st.integers(2, most))
    cells = int(np.prod(shape, dtype=int))
    n = draw(st.lists(st.integers(2, 5), min_size=cells, max_size=cells))
    y = draw(st.lists(st.integers(-200, 200), min_size=sum(n) * k, max_size=sum(n) * k))
    codes = np.repeat(np.indices(shape).reshape(len(shape), cells), n, axis=1)
    between = [f"f{i}" for i in range(len(shape))]
    wide = pd.DataFrame({name: [f"level {code}" for code in codes[i]] for i, name in enumerate(between)})
    wide["who"] = range(sum(n))
    values = np.array(y, dtype=float).reshape(-1, k) / 10
    parts = [wide.assign(time=f"t{j}", y=values[:, j]) for j in range(k)]
    frame = pd.concat(parts, ignore_index=True)
    try:
        result = repeated_anova(frame, "y", "time", "who", between)
    except NotEstimable:
        reject()
    assume(result.ss_error.min() > 0.01)
    return frame, between


def close(one: Any, two: Any) -> None:
    agree(one, two, rtol=1e-6, atol=1e-9)


@pytest.mark.slow
@settings(max_examples=50)
@given(mixed(), st.randoms(use_true_random=False))
def test_names_and_order_change_nothing(drawn: tuple[pd.DataFrame, list[str]], random: Any) -> None:
    frame, between = drawn
    new = [f"z{i}" for i in range(frame["time"].nunique())]
    random.shuffle(new)
    renamed = frame.assign(time=frame["time"].map(dict(zip(sorted(frame["time"].unique()), new, strict=True))))
    one = repeated_anova(frame, "y", "time", "who", between)
    two = repeated_anova(renamed, "y", "time", "who", between[::-1])
    for term in one.terms:
        close(one.effect(term).statistic, two.effect(term).statistic)
        close(one.effect(term, "gg").p, two.effect(term, "gg").p)


@pytest.mark.slow
@settings(max_examples=50)
@given(mixed())
def test_epsilon_lies_in_its_range(drawn: tuple[pd.DataFrame, list[str]]) -> None:
    frame, between = drawn
    result = repeated_anova(frame, "y", "time", "who", between)
    k = frame["time"].nunique()
    assert 1 / (k - 1) - 1e-9 <= float(result.epsilon_gg) <= 1 + 1e-9
    if result.df2[-1] > k - 1:  # with one degree of freedom Huynh and Feldt's is 0 / 0
        assert float(result.epsilon_hf) >= float(result.epsilon_gg) - 1e-9


@pytest.mark.slow
@settings(max_examples=50)
@given(mixed(shapes=[()], most=2))
def test_two_measures_give_the_square_of_the_paired_t(drawn: tuple[pd.DataFrame, list[str]]) -> None:
    frame, _ = drawn
    one, two = (group.sort_values("who")["y"].to_numpy() for _, group in frame.groupby("time"))
    result = repeated_anova(frame, "y", "time", "who")
    close(result.statistic[0], stats.ttest_rel(one, two).statistic ** 2)
    assert result.epsilon_gg == 1
    assert np.isnan(float(result.mauchly_w))


@pytest.mark.slow
@settings(max_examples=50)
@given(mixed(shapes=[(2,), (3,), (2, 2)]))
def test_between_terms_are_the_anova_of_the_subjects_means(drawn: tuple[pd.DataFrame, list[str]]) -> None:
    frame, between = drawn
    means = frame.groupby(["who", *between], as_index=False)["y"].mean()
    assume((means.groupby(between)["y"].max() > means.groupby(between)["y"].min() + 0.01).any())
    one = repeated_anova(frame, "y", "time", "who", between)
    two = anova(means, "y", between)
    for term in two.terms:
        close(one.effect(term).statistic, two.effect(term).statistic)


def test_a_table_gives_what_the_rows_give() -> None:
    design = DESIGNS["three measures, two between"]
    frame = pd.DataFrame(design["rows"])
    rows = of_rows(design)
    summary = Moments.from_frame(frame, "y", "time", "subject", design["between"])
    deviation = np.sqrt(np.einsum("...ii->...i", summary.covariance))
    table = Moments.from_table(
        n=summary.n,
        mean=summary.mean,
        sd=deviation,
        correlation=summary.covariance / (deviation[..., :, None] * deviation[..., None, :]) * (1 - 1e-15),
        variables=summary.variables.levels,
        within="time",
        factors={factor.name: factor.levels for factor in summary.factors},
    )
    close(repeated_anova(table).statistic, rows.statistic)


# --- what it gives and refuses -------------------------------------------------------------------------------------


def test_text_uses_corrected_degrees_of_freedom() -> None:
    result = of_rows(DESIGNS["five measures"])
    corrected = result.effect("time", "gg")
    assert float(corrected.df1) == pytest.approx(4 * float(result.epsilon_gg))
    assert result.apa("time").startswith(f"F({float(corrected.df1):.2f}, {float(corrected.df2):.2f}) = ")
    assert result.apa("time", correction="none").startswith("F(4, 52) = ")
    mixed_design = of_rows(DESIGNS["four measures, one between"])
    # Huynh and Feldt's epsilon is above 1 there, and counts as 1; terms between subjects are never corrected.
    assert mixed_design.effect("time", "hf").df1 == 3
    assert mixed_design.effect("a", "gg").df1 == 1
    assert mixed_design.apa().count("; ") == 2
    assert result.effect_size("time").confidence_interval(0.90).low < 1


def long(**given: Any) -> pd.DataFrame:
    base = {
        "who": [i for i in range(6) for _ in range(3)],
        "time": ["a", "b", "c"] * 6,
        "sex": ["f"] * 9 + ["m"] * 9,
        "y": [3.0, 5, 9, 2, 6, 7, 4, 5, 8, 3, 7, 7, 1, 1, 2, 5, 7, 3],
    }
    return pd.DataFrame(base | given)


REFUSED = [
    ({"time": ["a"] * 18, "who": range(18)}, [], DesignError, "the repeated factor 'time' has 1 level"),
    ({"sex": ["f"] * 18}, ["sex"], DesignError, "the factor 'sex' has one level: 'f'"),
    ({"y": [1.0, 2, 3] * 6}, [], NotEstimable, "does not vary"),
    ({"who": [0] * 3 + [1] * 3 + [2] * 12}, [], DesignError, "has two rows"),
    ({"y": ["a"] * 18}, [], DesignError, "not numeric"),
]


@pytest.mark.parametrize(("given", "between", "error", "sentence"), REFUSED)
def test_refuses_in_a_plain_sentence(
    given: dict[str, Any], between: list[str], error: type[DesignError], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        repeated_anova(long(**given), "y", "time", "who", between)


def test_what_rounding_of_large_numbers_leaves_is_no_error() -> None:
    """A difference of .1 of two numbers near 10⁸ is exact to 10⁻⁸: less is none, and more is some."""
    rounded = 1e8 + (np.array([0.001, 0.003, 0.004, 0.008])[:, np.newaxis] + np.array([0.1, 0.2, 0.3]))
    with pytest.raises(NotEstimable, match="does not vary within subjects"):
        repeated_anova(Moments.from_array(rounded, ["a", "b", "c"]))
    pattern = np.array([[0, 1, -1], [1, -1, 0], [-1, 0, 1], [0, 0, 0]])
    result = repeated_anova(Moments.from_array(rounded + 1e-3 * pattern, ["a", "b", "c"]))
    own = repeated_anova(Moments.from_array(rounded - 1e8 + 1e-3 * pattern, ["a", "b", "c"]))
    agree(result.statistic, own.statistic, rtol=1e-3)


def test_refuses_one_subject_an_empty_cell_and_unknown_words() -> None:
    frame = long()
    with pytest.raises(NotEstimable, match="two subjects"):
        repeated_anova(frame[frame["who"] == 0], "y", "time", "who")
    two = long(side=["l", "l", "l", "r", "r", "r"] * 3)
    with pytest.raises(NotEstimable, match=r"no observation with sex = 'm', side = 'r'"):
        repeated_anova(two[~((two["sex"] == "m") & (two["side"] == "r"))], "y", "time", "who", ["sex", "side"])
    result = repeated_anova(frame, "y", "time", "who", "sex")
    with pytest.raises(DesignError, match="correction is 'greenhouse'"):
        result.effect("time", "greenhouse")  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="there is no term 'side'; there are sex, time, sex:time"):
        result.effect("side")


def test_a_subject_that_lacks_a_measure_is_left_out_and_counted() -> None:
    result = repeated_anova(long().iloc[1:], "y", "time", "who")
    assert (result.missing, result.n) == (1, 5)


def test_mauchly_needs_more_subjects_than_contrasts() -> None:
    frame = long()
    result = repeated_anova(frame[frame["who"] < 2], "y", "time", "who")
    assert np.isnan(float(result.mauchly_p))
    assert 0.5 <= float(result.epsilon_gg) <= 1


# --- calibration ---------------------------------------------------------------------------------------------------

STUDIES = 20_000


def null_size(root: np.ndarray[Any, Any], n: int, seed: int) -> dict[str, float]:
    """Share of null studies that reject at .05, by correction; subjects are normal with covariance root' root."""
    y = np.random.default_rng(seed).normal(size=(STUDIES, n, len(root))) @ root
    result = repeated_anova(Moments.from_array(y, [str(level) for level in range(len(root))]))
    return {name: float((getattr(result, name) < 0.05).mean()) for name in ("p", "p_gg", "p_hf")}


@pytest.mark.calibration
def test_size_under_sphericity() -> None:
    size = null_size(np.eye(4), 10, 1)
    low, high = np.array(stats.binom.interval(0.99, STUDIES, 0.05)) / STUDIES
    assert low <= size["p"] <= high
    # Corrections are asymptotic: here (ten subjects, four measures) they make the test conservative.
    assert size == pytest.approx({"p": 0.0501, "p_gg": 0.0334, "p_hf": 0.0455}, abs=0.001)


@pytest.mark.calibration
def test_size_where_later_measures_spread_more() -> None:
    size = null_size(np.diag([1.0, 1.0, 2.0, 4.0]), 10, 2)
    assert size == pytest.approx({"p": 0.0862, "p_gg": 0.0489, "p_hf": 0.0584}, abs=0.001)
