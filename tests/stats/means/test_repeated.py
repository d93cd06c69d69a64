"""Repeated measures, and designs whose cells or groups differ in variance: R, identities, edges."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from negstats import stats
from negstats.errors import NotEstimable
from negstats.stats import Moments, RepeatedAnova, anova, repeated_anova
from negstats.stats.means.robust import log_means
from negstats.stats.power import normal_design
from tests.conftest import reference, runs
from tests.stats.closeness import agree, agree_in_order
from tests.stats.unequal_cells import POINTS, Point, rejections

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
    close(result.statistic[0], scipy.stats.ttest_rel(one, two).statistic ** 2)
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


def test_what_rounding_of_large_numbers_leaves_is_no_error() -> None:
    """A difference of .1 of two numbers near 10⁸ is exact to 10⁻⁸: less is none, and more is some."""
    rounded = 1e8 + (np.array([0.001, 0.003, 0.004, 0.008])[:, np.newaxis] + np.array([0.1, 0.2, 0.3]))
    pattern = np.array([[0, 1, -1], [1, -1, 0], [-1, 0, 1], [0, 0, 0]])
    result = repeated_anova(Moments.from_array(rounded + 1e-3 * pattern, ["a", "b", "c"]))
    own = repeated_anova(Moments.from_array(rounded - 1e8 + 1e-3 * pattern, ["a", "b", "c"]))
    agree(result.statistic, own.statistic, rtol=1e-3)


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
    low, high = np.array(scipy.stats.binom.interval(0.99, STUDIES, 0.05)) / STUDIES
    assert low <= size["p"] <= high
    # Corrections are asymptotic: here (ten subjects, four measures) they make the test conservative.
    assert size == pytest.approx({"p": 0.0501, "p_gg": 0.0334, "p_hf": 0.0455}, abs=0.001)


@pytest.mark.calibration
def test_size_where_later_measures_spread_more() -> None:
    size = null_size(np.diag([1.0, 1.0, 2.0, 4.0]), 10, 2)
    assert size == pytest.approx({"p": 0.0862, "p_gg": 0.0489, "p_hf": 0.0584}, abs=0.001)


R: dict[str, Any] = reference("outcomes")
UNEQUAL: dict[str, Any] = reference("unequal")
FRAMES = {name: pd.DataFrame(columns) for name, columns in R["frames"].items()}
WIDE = np.column_stack(list(R["wide"].values()))
GROUP = ["u"] * 8 + ["v"] * 6
# The measures in the order of R's columns: b changes fastest.
METHODS: tuple[Literal["HC3", "welch-james"], ...] = ("HC3", "welch-james")
LEVELS = {"a": ["1", "2"], "b": ["1", "2", "3"]}


def long_frame() -> pd.DataFrame:
    rows = [
        (who, GROUP[who], LEVELS["a"][k // 3], LEVELS["b"][k % 3], WIDE[who, k]) for who in range(14) for k in range(6)
    ]
    return pd.DataFrame(rows, columns=["who", "group", "a", "b", "y"])


@pytest.mark.parametrize("case", [c for c in R["linear"] if c["rhs"] in ("g", "g * h")], ids=lambda c: c["data"])
def test_hc3_from_the_cells_agrees_with_car(case: dict[str, Any]) -> None:
    result = stats.robust_anova(FRAMES[case["data"]], "y", case["rhs"].split(" * "))
    assert list(result.terms) == case["terms"]
    agree_in_order(result.statistic, case["hc3"])
    assert set(np.ravel(result.df2)) == {case["df2"]}


@pytest.mark.parametrize("case", R["welch"], ids=lambda c: c["data"])
def test_welch_james_of_one_factor_is_welch(case: dict[str, Any]) -> None:
    result = stats.robust_anova(FRAMES[case["data"]], "y", "g", method="welch-james")
    for ours, theirs in (("statistic", "f"), ("df2", "df2"), ("p", "p")):
        agree_in_order(getattr(result, ours), case[theirs])
    assert stats.one_way(FRAMES[case["data"]], "y", "g", method="welch").p == pytest.approx(case["p"])


def test_welchs_f_of_a_group_without_spread_is_its_limit() -> None:
    rng = np.random.default_rng(4)
    flat, b, c = np.full(10, 0.1), rng.normal(1, 1, 12), rng.normal(0.4, 2, 15)
    exact = stats.one_way({"a": flat, "b": b, "c": c}, method="welch")
    near = stats.one_way({"a": flat + 1e-6 * rng.normal(size=10), "b": b, "c": c}, method="welch")
    assert (exact.statistic, exact.df2) == pytest.approx((near.statistic, near.df2), rel=1e-5)
    assert stats.one_way({"a": flat, "b": b}, method="welch").p == pytest.approx(stats.t_test({"a": flat, "b": b}).p)


def test_welch_james_of_two_levels_is_the_welch_contrast() -> None:
    cells = stats.Cells.from_frame(FRAMES["middle"], "y", ["g", "h"])
    whole = stats.robust_anova(cells, method="welch-james").effect("h")
    t = stats.contrasts(cells, specs="h", weights={"p - q": [1, -1]}, error="welch")[0]
    agree_in_order([whole.statistic, whole.df2], [t.statistic**2, t.df])
    simple = stats.simple_effects(cells, specs="h", at="g", error="welch")
    one = stats.t_test(FRAMES["middle"].query("g == 'b'"), "y", "h")
    agree_in_order([simple[1].statistic, simple[1].df2], [one.statistic**2, one.df])


@pytest.mark.parametrize("name", UNEQUAL["crossed"])
def test_welch_james_of_crossed_factors_agrees_with_its_matrices_and_with_car(name: str) -> None:
    case = UNEQUAL["crossed"][name]
    result = stats.robust_anova(pd.DataFrame(case["rows"]), "y", ["a", "b"], method="welch-james")
    for term, expected in case["tests"].items():
        test = result.effect(term)
        agree_in_order(
            [test.statistic, test.df1, test.df2, test.p], [expected[key] for key in ("f", "df1", "df2", "p")]
        )
        agree_in_order([expected["wald"]], [case["hc2"][term]])


def wide_moments(case: dict[str, Any]) -> stats.Moments:
    wide = pd.DataFrame(case["rows"])
    return stats.Moments.from_columns(wide, [str(name) for name in wide if name != "group"], "group")


@pytest.mark.parametrize("name", UNEQUAL["repeated"])
def test_groups_with_covariances_of_their_own_agree_with_the_matrices_of_box(name: str) -> None:
    case = UNEQUAL["repeated"][name]
    result = stats.robust_repeated(wide_moments(case))
    for term, expected in case["tests"].items():
        test = result.effect(term.replace("measure", "variable"))
        agree_in_order(
            [test.statistic, test.df1, test.df2, test.p], [expected[key] for key in ("f", "df1", "df2", "p")]
        )
    for term, expected in case.get("welch", {}).items():
        test = result.effect({"interaction": "group:variable"}.get(term, term))
        agree_in_order([test.statistic, test.df2, test.p], [expected["t"] ** 2, expected["df"], expected["p"]])


def test_without_groups_it_is_greenhouse_and_geissers_test() -> None:
    frame = long_frame()
    one, crossed = frame.query("a == '1'"), stats.repeated_factors(frame, "y", ["a", "b"], "who")
    ours, theirs = (
        stats.robust_repeated(one, "y", "b", "who"),
        stats.repeated_anova(one, "y", "b", "who").effect("b", "gg"),
    )
    both = stats.robust_repeated(frame, "y", ["a", "b"], "who")
    pairs = [(ours.effect("b"), theirs), *((both.effect(term), crossed.effect(term, "gg")) for term in crossed.terms)]
    for test, expected in pairs:
        for key in ("statistic", "df1", "df2", "p"):
            agree_in_order(getattr(test, key), getattr(expected, key))
        assert test.effect_size().value == pytest.approx(expected.effect_size().value)


def test_log_means_test_ratios() -> None:
    cells = stats.Cells.from_table(n=[9, 14], mean=[2.0, 4.0], sd=[1.0, 3.0], factors={"g": ["a", "b"]})
    test = stats.robust_anova(log_means(cells), method="welch-james").effect("g")
    variance = [1.0 / (8 * 4.0), 9.0 / (13 * 16.0)]
    assert test.statistic == pytest.approx(np.log(2) ** 2 / sum(variance))
    df = sum(variance) ** 2 / (variance[0] ** 2 / 8 + variance[1] ** 2 / 13)
    assert test.df2 == pytest.approx(df)
    tenfold = stats.Cells.from_table(n=[9, 14], mean=[20.0, 40.0], sd=[10.0, 30.0], factors={"g": ["a", "b"]})
    assert stats.robust_anova(log_means(tenfold), method="welch-james").p == pytest.approx(float(np.ravel(test.p)[0]))


@pytest.mark.parametrize("which", ["alone", "between"])
def test_two_repeated_factors_agree_with_car(which: str) -> None:
    case = R["repeated"][which]
    between: Any = () if which == "alone" else "group"
    result = stats.repeated_factors(long_frame(), "y", ["a", "b"], "who", between)
    for place, term in enumerate(case["terms"]):
        if term == "(Intercept)":
            continue
        test = result.effect(term)
        pairs = {"statistic": "f", "df1": "df1", "df2": "df2", "p": "p", "ss": "ss", "ss_error": "error"}
        for ours, theirs in pairs.items():
            agree_in_order(getattr(test, ours), case[theirs][place])
    for place, term in enumerate(case["corrected"]):
        at = [sorted(name.split(":")) for name in result.terms].index(sorted(term.split(":")))
        agree_in_order(result.epsilon_gg[at], case["gg"][place])
        agree_in_order(result.p_gg[at], case["p_gg"][place])
        agree_in_order(min(result.epsilon_hf[at], 1), min(case["hf"][place], 1))


def test_repeated_factors_from_moments_and_with_one_factor_beside() -> None:
    frame = long_frame()
    summary = stats.Moments.from_array(WIDE, [str(k) for k in range(6)])
    one = stats.repeated_factors(frame, "y", ["a", "b"], "who")
    two = stats.repeated_factors(summary, within=LEVELS)
    agree_in_order(two.p_gg, one.p_gg)
    stack = stats.repeated_factors(
        stats.Moments.from_array(np.stack([WIDE, WIDE[::-1] + 5]), list("abcdef")), within=LEVELS
    )
    agree_in_order(stack.p[1], one.p)
    turned = stats.repeated_factors(frame, "y", ["b", "a"], "who")
    assert turned.effect("a", "gg").p == pytest.approx(one.effect("a", "gg").p)
    # averaged over b, the factor a alone
    mean = frame.groupby(["who", "group", "a"], as_index=False)["y"].mean()
    alone = stats.repeated_anova(mean, "y", "a", "who", "group")
    crossed = stats.repeated_factors(frame, "y", ["a", "b"], "who", "group")
    assert crossed.effect("group:a").p == pytest.approx(alone.effect("group:a").p)


def test_follow_ups_of_repeated_measures_agree_with_emmeans() -> None:
    names = [f"m{k}" for k in range(6)]
    summary = stats.Moments.from_columns(pd.DataFrame(WIDE, columns=names).assign(group=GROUP), names, "group")
    case = R["follow"]
    result = stats.margins(summary, specs=["group", "variable"])
    agree_in_order(result.mean, case["mean"])
    agree_in_order(result.se, case["se"])
    pairs = stats.pairwise(summary, specs="variable", adjust="holm")
    agree_in_order(pairs.estimate, case["difference"])
    agree_in_order(pairs.se, case["pair_se"])
    agree_in_order(pairs.df, case["df"])
    agree_in_order(pairs.p_adjusted, case["p"])
    at = stats.simple_effects(summary, specs="variable", at={"group": "u"})[0]
    assert at.df1 == 5
    both = stats.simple_effects(summary, specs="group", at={"variable": "m2"})[0]
    agree_in_order(both.statistic, stats.pairwise(summary, specs="group", at={"variable": "m2"})[0].statistic ** 2)


def test_the_mixed_two_by_two_by_differences() -> None:
    frame = pd.DataFrame({"who": np.repeat(range(12), 2), "time": ["a", "b"] * 12, "g": ["x"] * 12 + ["z"] * 12})
    frame["y"] = np.random.default_rng(5).normal(size=24) + np.tile([0, 1], 12)
    result = stats.mixed_two_by_two(frame, "y", "time", "who", "g")
    wide = frame.pivot_table(index=["g", "who"], columns="time", values="y").reset_index()
    wide["d"], wide["m"] = wide["a"] - wide["b"], (wide["a"] + wide["b"]) / 2
    assert result.interaction.p == pytest.approx(stats.t_test(wide, "d", "g").p)
    assert result.group.p == pytest.approx(stats.t_test(wide, "m", "g").p)
    # equal groups: Student's t squared is the F of the analysis of variance; Welch's statistic is the same number
    f = stats.repeated_anova(frame, "y", "time", "who", "g").effect("g:time").statistic
    assert result.interaction.statistic**2 == pytest.approx(f)
    assert len(result.to_frame()) == 4


# Points of six rounds that differ from person to person by a constant.
LEVEL = np.arange(7.0)[:, None] ** 2 + [1.0, 2, 4, 3, 5, 6]


@pytest.mark.parametrize("share", [1e-5, 1e-3])
def test_little_error_is_an_error(share: float) -> None:
    rng = np.random.default_rng(8)
    noise = share * rng.normal(size=(7, 6))
    one = stats.repeated_factors(stats.Moments.from_array(LEVEL + noise, list("abcdef")), within=LEVELS)
    assert np.isfinite(one.statistic).all()
    many = np.stack([LEVEL, LEVEL + noise])
    stack = stats.repeated_anova(stats.Moments.from_array(many, list("abcdef")))
    assert np.isnan(stack.p[0]).all()
    assert np.isfinite(stack.p[1]).all()


@pytest.mark.calibration
def test_sizes_with_unequal_variances() -> None:
    rng = np.random.default_rng(3)
    times = runs(20_000, 3000)
    cells = [rng.normal(size=(times, n)) * sd for n, sd in ((6, 4), (20, 1), (12, 2), (20, 1))]
    parts = [(np.full(times, float(y.shape[1])), y.mean(axis=1), y.var(axis=1, ddof=1)) for y in cells]
    stack = [np.stack(column, axis=-1).reshape(times, 2, 2) for column in zip(*parts, strict=True)]
    names = stats.Cells.from_table(
        n=np.full((2, 2), 5.0), mean=np.zeros((2, 2)), sd=1, factors={"a": ["1", "2"], "b": ["1", "2"]}
    )
    n, mean, variance = stack
    table = stats.Cells(n, mean, variance, names.factors, "y")
    sizes = {method: (stats.robust_anova(table, method=method).p < 0.05).mean(axis=0) for method in METHODS}
    assert (sizes["HC3"] < 0.075).all()
    assert (np.abs(sizes["welch-james"] - 0.05) < 0.015).all()


@pytest.mark.calibration
@pytest.mark.parametrize("point", [point for point in POINTS if point.kind in ("counts", "yes or no")], ids=str)
def test_sizes_of_crossed_counts_and_yes_or_no(point: Point) -> None:
    """Enumerated in full, X² of the yes or no here rejects .032 to .065 of null studies, and G² up to .094."""
    studies = runs(10_000, 500)
    reach = 3 * np.sqrt(0.05 * 0.95 / studies)
    for row in rejections(point, studies, np.random.default_rng(9)):
        assert 0.03 - reach < row["robust"] < 0.07 + reach, row


def test_variance_explained_of_welchs_f_is_that_of_the_population() -> None:
    """Groups of 100, 900 and 30 whose means explain .0098: by Welch's own df2 it would be .13 on the mean."""
    rng = np.random.default_rng(3)
    sizes, means = np.array([100, 900, 30]), np.array([0.0, 0.0, 0.6])
    shares = sizes / sizes.sum()
    between = float(shares @ (means - shares @ means) ** 2)
    design = normal_design(n=sizes, mean=means, sd=1.0)
    omega_squared = stats.one_way(design.draw(4000, rng), method="welch").effect_size("omega_squared").value
    classical = stats.one_way(design.draw(4000, rng)).effect_size("omega_squared").value
    assert np.mean(omega_squared) == pytest.approx(between / (1 + between), rel=0.15)
    assert np.mean(classical) == pytest.approx(between / (1 + between), rel=0.15)


def test_an_epsilon_above_1_corrects_nothing() -> None:
    """Huynh and Feldt's estimate may lie above 1, which no epsilon can."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        frame = pd.DataFrame(
            [(who, a, b, rng.normal()) for who in range(9) for a in "xyz" for b in "uv"], columns=["who", "a", "b", "y"]
        )
        result = stats.repeated_factors(frame, "y", ["a", "b"], "who")
        place = result.terms.index("a")
        if result.epsilon_hf[place] > 1:
            break
    assert result.epsilon_hf[place] > 1
    one, plain = result.effect("a", "hf"), result.effect("a")
    assert (one.df1, one.df2) == (plain.df1, plain.df2)
    assert one.p == pytest.approx(float(plain.p), rel=1e-12)
