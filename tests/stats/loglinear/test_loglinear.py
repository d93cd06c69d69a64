"""Log-linear models: R's values, printed values, a second witness in Python, properties, zeros, edges."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from negstats.stats.counts.chi_squared import chi_squared
from negstats.stats.loglinear import (
    LogLinear,
    all_models,
    backward_elimination,
    compare,
    k_way,
    loglinear,
    partial_associations,
    survey,
)
from negstats.stats.loglinear.fit import (
    HIERARCHICAL_MODELS,
    design,
    every_model,
    fit_tables,
    parse,
    spell,
    terms,
)
from negstats.stats.summaries import Counts
from tests.conftest import reference
from tests.stats.closeness import rel

REFERENCE = reference("loglinear")
R: dict[str, dict[str, Any]] = {f"{place}: {case['label']}": case for place, case in enumerate(REFERENCE["cases"])}
WITH_GLM = {label: case for label, case in R.items() if "aic" in case}
close = pytest.approx

# Field's cats and dogs (Discovering Statistics Using R, ch. 18)
FIELD = Counts.from_table(
    [[[48, 28], [29, 20]], [[114, 10], [7, 14]]],
    {"dance": ["yes", "no"], "animal": ["cat", "dog"], "training": ["affection", "food"]},
)
# Chawla et al. (2023), Table 3: walk-away percentages 5.15, 6.00, 5.15, 19.79, 24.44, 9.71 of 97, 100, 97, 96, 90, 103
WALKED = Counts.from_table(
    [[[5, 92], [6, 94], [5, 92]], [[19, 77], [22, 68], [10, 93]]],
    {"reward": ["fair", "selfish"], "partner": ["supervised", "fair", "selfish"], "walkaway": ["yes", "no"]},
)


def case_of(case: dict[str, Any]) -> tuple[Counts, list[list[str]], Any]:
    n = np.reshape(case["n"], case["dim"]).astype(float)
    names = "ABCDE"[: n.ndim]
    table = Counts.from_table(
        n, {name: [str(k + 1) for k in range(size)] for name, size in zip(names, n.shape, strict=True)}
    )
    model = [[names[place] for place in (term if isinstance(term, list) else [term])] for term in case["model"]]
    possible = np.reshape(case["possible"], case["dim"]) if "possible" in case else None
    return table, model, None if possible is None else ~possible


def parameters_of(model: LogLinear) -> dict[tuple[str, str], tuple[float, float]]:
    """Estimate and standard error by term and level."""
    frame = model.parameters()
    pairs = zip(frame["estimate"].to_numpy(), frame["se"].to_numpy(), strict=True)
    return dict(zip(zip(frame["term"], frame["level"], strict=True), pairs, strict=True))


@pytest.mark.parametrize("label", R)
def test_fits_agree_with_r(label: str) -> None:
    case = R[label]
    table, model, zeros = case_of(case)
    fitted_model = loglinear(table, model, structural_zeros=zeros)
    assert fitted_model.converged
    assert (fitted_model.statistic, fitted_model.x2) == rel((case["g2"], case["x2"]))
    assert fitted_model.fitted.ravel() == rel(np.array(case["fitted"]), 1e-7)
    assert fitted_model.df == case["df"]
    if zeros is None:
        assert fitted_model.df_unadjusted == case["df_loglm"]
    if case["df"]:
        assert fitted_model.p == rel(stats.chi2.sf(case["g2"], case["df"]))


@pytest.mark.parametrize("label", WITH_GLM)
def test_parameters_and_residuals_agree_with_r(label: str) -> None:
    case = WITH_GLM[label]
    table, model, _ = case_of(case)
    fitted_model = loglinear(table, model)
    assert fitted_model.aic == rel(case["aic"])
    if fitted_model.df:
        for kind in ("pearson", "deviance", "adjusted"):
            expected = np.reshape(case[kind], case["dim"])
            got = fitted_model.residuals(kind)
            is_defined = ~np.isnan(got)  # cells that the model fits by design have none; R divides rounding by rounding
            assert is_defined.any()
            assert got[is_defined] == close(expected[is_defined], rel=1e-6, abs=1e-6)
    result = parameters_of(fitted_model)
    assert result["constant", ""] == rel(tuple(case["constant"]), 1e-7)
    for name, (estimate, se) in zip(case["coef_names"][1:], case["coef"][1:], strict=True):
        parts = sorted(name.split(":"))  # R names some interactions in the formula's order
        row = result[" × ".join(part[0] for part in parts), ", ".join(part[1:] for part in parts)]
        assert row == close((estimate, se), rel=1e-7, abs=1e-9)


# Values that the fits must reach (R's loglm stops early unless told otherwise; these are with eps = 1e-10)


def test_titanic_has_three_counts_of_degrees_of_freedom() -> None:
    """No child was in the crew: 4 of 32 cells and the parameter class × age are gone, so 28 − 18 = 10 are left."""
    table, model, _ = case_of(next(case for case in R.values() if case["label"] == "Titanic two-way"))
    fitted_model = loglinear(table, model)
    assert (fitted_model.df, fitted_model.df_unadjusted, fitted_model.df_adjusted) == (10, 13, 9)
    assert fitted_model.zeros == 8
    marked = np.zeros(table.shape, dtype=bool)
    marked[3, :, 0, :] = True
    same = loglinear(table, model, structural_zeros=marked)
    assert same.statistic == close(fitted_model.statistic)
    assert (same.df, same.structural_zeros, same.zeros) == (10, 4, 4)
    assert loglinear(table, model, spss=True).df == 13


def test_cats_and_dogs() -> None:
    """Field's printed SPSS output: k-way and higher, k-way, partial associations."""
    ways = k_way(FIELD)
    assert [(round(test.statistic, 3), test.df) for test in ways.tests] == [
        (200.163, 7), (72.267, 4), (20.305, 1), (127.896, 3), (51.962, 3), (20.305, 1),
    ]  # fmt: skip
    assert [round(test.x2, 3) for test in ways.tests[:3]] == [253.556, 67.174, 20.777]
    partial = partial_associations(FIELD)
    assert {test.effect: round(test.statistic, 3) for test in partial.tests} == {
        "dance animal training": 20.305,
        "animal training": 13.760,
        "dance animal": 13.748,
        "dance training": 8.611,
        "animal": 65.268,
        "training": 61.145,
        "dance": 1.483,
    }
    assert backward_elimination(FIELD).final.model == "[dance animal training]"


tables3 = st.tuples(*[st.integers(2, 3)] * 3).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(0, 9)).filter(
        lambda n: all((n.sum(axis=axes) > 0).all() for axes in ((0, 1), (0, 2), (1, 2)))
    )
)
models3 = st.sampled_from(every_model(3))
NAMES = ["factor_1", "factor_2", "factor_3"]


@given(tables3, models3)
def test_fitted_margins_are_the_observed_ones(n: np.ndarray[Any, Any], generators: Any) -> None:
    model = loglinear(n, spell(generators, NAMES))
    assert model.converged
    for term in generators:
        axes = tuple(axis for axis in range(3) if axis not in term)
        assert model.fitted.sum(axis=axes) == close(n.sum(axis=axes), rel=1e-10, abs=1e-10)


@pytest.mark.slow
@given(tables3, models3, st.permutations(range(3)), st.data())
def test_reordering_dimensions_and_levels_changes_nothing(
    n: np.ndarray[Any, Any], generators: Any, order: list[int], data: st.DataObject
) -> None:
    table = Counts.from_table(
        n, {name: [f"{name} {k}" for k in range(size)] for name, size in zip(NAMES, n.shape, strict=True)}
    )
    turned = table.marginal([NAMES[place] for place in order])
    shuffled = turned.n
    for axis in range(3):
        shuffled = shuffled.take(data.draw(st.permutations(range(shuffled.shape[axis]))), axis)
    model = spell(generators, NAMES)
    fitted_model = loglinear(table, model)
    for other in (turned, Counts(shuffled, turned.factors)):
        again = loglinear(other, model)
        assert again.statistic == close(fitted_model.statistic, rel=1e-7, abs=1e-8)
        assert again.x2 == close(fitted_model.x2, rel=1e-6, abs=1e-7)
        assert again.df == fitted_model.df


@pytest.mark.slow
@given(tables3, st.data())
def test_larger_models_fit_better_and_differences_add_up(n: np.ndarray[Any, Any], data: st.DataObject) -> None:
    steps = [parse(start, NAMES) for start in (3, 2, 1)]
    fits = [loglinear(n, spell(step, NAMES)) for step in steps]
    assert float(fits[0].statistic) <= float(fits[1].statistic) + 1e-8
    assert float(fits[1].statistic) <= float(fits[2].statistic) + 1e-8
    first, second, both = compare(fits[0], fits[1]), compare(fits[1], fits[2]), compare(fits[2], fits[0])
    assert float(first.statistic) + float(second.statistic) == close(both.statistic, rel=1e-8, abs=1e-8)
    # where a larger model fits more cells as 0, their df vanish between the steps
    assert float(first.df) + float(second.df) <= float(both.df)
    assert n.min() == 0 or float(first.df) + float(second.df) == both.df
    one = data.draw(models3)
    assert float(loglinear(n, spell(one, NAMES)).statistic) >= -1e-12


@pytest.mark.slow
@given(arrays(np.int64, (2, 3, 2), elements=st.integers(1, 9)), models3, st.integers(2, 7))
def test_scaling_counts_scales_g2_and_leaves_parameters(n: np.ndarray[Any, Any], generators: Any, times: int) -> None:
    model = spell(generators, NAMES)
    once, more = loglinear(n, model), loglinear(times * n, model)
    assert more.statistic == close(times * float(once.statistic), rel=1e-8, abs=1e-8)
    a, b = once.parameters(), more.parameters()
    assert b["estimate"][1:].to_numpy() == close(a["estimate"][1:].to_numpy(), abs=1e-8)
    assert b["se"].to_numpy() == close(a["se"].to_numpy() / np.sqrt(times), rel=1e-7)


@given(arrays(np.int64, (3, 4), elements=st.integers(1, 20)))
def test_a_two_way_table_is_the_test_of_independence(n: np.ndarray[Any, Any]) -> None:
    model = loglinear(n, "independence")
    for statistic, value in (("likelihood-ratio", model.statistic), ("pearson", model.x2)):
        assert chi_squared(n, statistic=statistic).statistic == close(value, rel=1e-9, abs=1e-10)  # type: ignore[arg-type]
    assert model.residuals("adjusted") == close(chi_squared(n).adjusted_residuals, abs=1e-8)


@given(arrays(np.int64, (2, 3, 3), elements=st.integers(1, 9)), models3)
def test_parameters_add_up_to_zero_and_to_the_fit(n: np.ndarray[Any, Any], generators: Any) -> None:
    model = loglinear(n, spell(generators, NAMES))
    frame = model.parameters()
    total = np.zeros(n.shape)
    for term, rows in frame.groupby("term", sort=False):
        names = [] if term == "constant" else str(term).split(" × ")
        effect = rows["estimate"].to_numpy().reshape([n.shape[NAMES.index(name)] for name in names])
        for axis in range(effect.ndim):
            assert np.abs(effect.sum(axis=axis)).max() < 1e-9
        total += effect.reshape([size if name in names else 1 for name, size in zip(NAMES, n.shape, strict=True)])
    assert np.exp(total) == close(model.fitted, rel=1e-8)


def test_a_stack_may_hold_an_empty_study_and_one_that_lacks_a_level() -> None:
    n = np.stack([np.full((2, 2, 2), 4.0), np.zeros((2, 2, 2)), np.full((2, 2, 2), 4.0)])
    n[2, :, 1] = 0
    model = loglinear(Counts.from_table(n, stacked=1), 2)
    # without its second level of factor_2, the third study has 4 cells and their 4 parameters
    assert np.asarray(model.df).tolist() == [1.0, 0.0, 0.0]
    assert np.isnan(np.asarray(model.p)[1:]).all()
    alone = loglinear(Counts.from_table(n, stacked=1), "independence")
    assert np.asarray(alone.df).tolist() == [4.0, 0.0, 1.0]
    assert np.all(model.converged)


# Zeros ---------------------------------------------------------------------------------------------------------------


def test_an_estimate_on_the_boundary_is_found_without_an_empty_margin() -> None:
    """Two zeros in opposite corners: no two-way margin is 0, yet the fit is the table itself (Haberman, 1974)."""
    n = np.full((2, 2, 2), 5.0)
    n[0, 0, 0] = n[1, 1, 1] = 0
    model = loglinear(n, 2)
    assert model.converged
    assert model.fitted == close(n, abs=1e-10)
    assert (model.df, model.df_unadjusted) == (0, 1)
    assert np.isnan(float(model.p))


@pytest.mark.slow
@settings(max_examples=60)
@given(arrays(np.int64, (3, 3, 2), elements=st.sampled_from([0, 0, 0, 1, 2, 5])).filter(lambda n: n.sum() > 0))
def test_sparse_fits_reach_the_supremum_of_the_likelihood(n: np.ndarray[Any, Any]) -> None:
    """Against plain scaling, which creeps: its G² may only be larger, and by little after many cycles."""
    from negstats.stats.loglinear.fit import Stopping

    generators = parse(2, NAMES)
    possible = np.ones(n.shape, dtype=bool)
    table = n.astype(float)
    exact = fit_tables(table, generators, possible)
    creeping = fit_tables(table, generators, possible, Stopping(0.0, 3000))
    deviance = [2 * np.sum(table[n > 0] * np.log(table[n > 0] / fit.fitted[n > 0])) for fit in (exact, creeping)]
    assert exact.converged.all()
    assert deviance[0] <= deviance[1] + 1e-8
    assert deviance[1] - deviance[0] < 0.05
    assert exact.fitted == close(creeping.fitted, abs=0.05)


def test_an_empty_margin_costs_cells_and_parameters() -> None:
    n = np.array([[[3, 4], [0, 0]], [[5, 2], [6, 1]], [[2, 2], [1, 7]]], dtype=float)
    model = loglinear(n, "[factor_1 factor_2][factor_3]")
    # 10 cells above 0; constant, factor_3 and the five remaining combinations: 6 parameters
    assert (model.df, model.df_unadjusted, model.df_adjusted) == (4, 5, 3)
    again = chi_squared(n.reshape(6, 2)[[0, 2, 3, 4, 5]], statistic="likelihood-ratio")
    assert model.statistic == close(again.statistic)
    assert model.df == again.df


def test_structural_zeros_give_quasi_independence() -> None:
    n = np.array([[0, 4, 8], [6, 0, 9], [5, 7, 0]])
    model = loglinear(n, "independence", structural_zeros=n == 0)
    assert (model.df, model.structural_zeros, model.zeros) == (1, 3, 0)
    x = design(((0,), (1,)), (3, 3))[n.ravel() > 0]
    peer = sm.GLM(n.ravel()[n.ravel() > 0], x, family=sm.families.Poisson()).fit(tol=1e-13, maxiter=100)
    assert model.statistic == rel(peer.deviance)
    frame = model.parameters()
    assert frame["estimate"][0] == rel(peer.params[0], 1e-7)
    assert frame["se"][1] == rel(peer.bse[1], 1e-7)


# Notation ------------------------------------------------------------------------------------------------------------


def test_quoted_names_and_other_ways_to_write_a_model() -> None:
    names = ["agent reward", "walked away", "partner"]
    text = """["agent reward" 'walked away'] [partner]"""
    assert parse(text, names) == ((0, 1), (2,)) == parse([("walked away", "agent reward"), "partner"], names)
    assert spell(((0, 1), (2,)), names) == '["agent reward" "walked away"][partner]'
    assert parse(spell(((0, 2),), names), names) == ((0, 2),)
    assert parse("[partner, 'walked away']", names) == ((1, 2),)
    assert parse("saturated", names) == parse(3, names) == ((0, 1, 2),)
    assert parse("independence", names) == parse(1, names)
    assert parse(0, names) == ()


@given(st.sampled_from(every_model(4)))
def test_notation_round_trips(generators: Any) -> None:
    names = ["a", "b b", "c[1]", 'd"e']
    assert parse(spell(generators, names), names) == generators


@pytest.mark.slow
def test_every_model_is_listed_once() -> None:
    for dims in (1, 2, 3, 4, 5):
        models = every_model(dims)
        assert len(models) == len(set(models)) == HIERARCHICAL_MODELS[dims]
        assert len({frozenset(terms(model)) for model in models}) == len(models)


def test_a_model_has_the_margins_of_its_terms() -> None:
    n = np.random.default_rng(2).poisson(6, (2, 3, 2, 2)).astype(float) + 1
    for model in every_model(4):
        fit = fit_tables(n, model, np.ones(n.shape, dtype=bool))
        for term in model:
            axes = tuple(axis for axis in range(4) if axis not in term)
            assert fit.fitted.sum(axis=axes) == close(n.sum(axis=axes), rel=1e-12)


# Surveys -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_all_models_hold_every_model() -> None:
    frame = all_models(WALKED).to_frame()
    assert len(frame) == 18
    assert frame["model"].is_unique
    assert frame["converged"].all()
    best = frame["model"][int(np.argmin(frame["aic"]))]
    assert all_models(WALKED).apa().startswith(f"{best}: ")
    four = all_models(np.random.default_rng(1).poisson(5, (2, 2, 2, 2)) + 1)
    assert len(four.models) == 166


def test_backward_elimination_follows_the_steps_by_hand() -> None:
    steps = backward_elimination(WALKED).steps
    assert steps[0].deleted == "reward partner walkaway"
    assert steps[0].tests[0].statistic == close(k_way(WALKED)["3-way"].statistic)
    for before, after in itertools.pairwise(steps):
        chosen = next(test for test in before.tests if test.effect == before.deleted)
        assert chosen.p == max(test.p for test in before.tests) > 0.05
        assert float(after.model.statistic) - float(before.model.statistic) == close(chosen.statistic, abs=1e-9)
        assert float(after.model.df) - float(before.model.df) == chosen.df
    assert all(test.p <= 0.05 for test in steps[-1].tests)
    assert backward_elimination(WALKED).complete
    assert not backward_elimination(WALKED, max_steps=1).complete
    assert len(backward_elimination(WALKED, alpha=0.999).steps) == 1
    frame = backward_elimination(WALKED).to_frame()
    assert frame["deleted"].sum() == len(steps) - 1


def test_the_survey_is_the_four_surveys() -> None:
    whole = survey(WALKED)
    assert whole.k_way.to_frame().equals(k_way(WALKED).to_frame())
    assert whole.partial_associations.to_frame().equals(partial_associations(WALKED).to_frame())
    assert whole.elimination.to_frame().equals(backward_elimination(WALKED).to_frame())
    assert whole.models.to_frame().equals(all_models(WALKED).to_frame())


def test_surveys_of_tables_with_zeros_use_the_degrees_of_freedom_that_are_there() -> None:
    table, _, _ = case_of(next(case for case in R.values() if case["label"] == "Titanic two-way"))
    tests = partial_associations(table)
    # class × age: no child was in the crew. Without the term all cells are fitted above 0, and it has its 3 parameters;
    # class × sex is tested where class × age stays, on 28 cells
    assert (tests["A C"].df, tests["A B"].df) == (3, 3)
    # with all three-way terms 4 more cells have an empty margin: of the first and second class no child died
    assert tests["A C D"].df < partial_associations(table, spss=True)["A C D"].df == 3
    three, all_three = loglinear(table, 3), k_way(table)["4-way"]
    assert (three.df, three.df_unadjusted, all_three.df) == (0, 3, 0)


# SPSS ----------------------------------------------------------------------------------------------------------------


def test_spss_mode_adds_half_to_a_saturated_model() -> None:
    """λ and SE of the three-way term by hand: signed mean of ln(n + .5), and √Σ 1/(n + .5) / 8."""
    model = loglinear(FIELD, "saturated", spss=True)
    counts = FIELD.n + 0.5
    signs = np.array([[[1, -1], [-1, 1]], [[-1, 1], [1, -1]]])
    row = parameters_of(model)["dance × animal × training", "yes, cat, affection"]
    assert row == close(((signs * np.log(counts)).mean(), np.sqrt((1 / counts).sum()) / 8))
    assert (model.statistic, model.df, model.delta) == (0.0, 0, 0.5)
    assert model.method == "SPSS HILOGLINEAR"
    plain = loglinear(FIELD, "saturated")
    assert plain.delta == 0.0
    assert compare(loglinear(FIELD, 2, spss=True), model).df == 1


def test_spss_mode_stops_early() -> None:
    exact, early = loglinear(FIELD, 2), loglinear(FIELD, 2, spss=True)
    assert early.iterations < exact.iterations
    assert 0 < abs(float(early.statistic) - float(exact.statistic)) < 0.01
    assert round(k_way(FIELD, spss=True)["2-way and higher"].statistic, 3) == 72.267


# Edges ---------------------------------------------------------------------------------------------------------------


def test_a_model_compared_with_itself_tests_nothing() -> None:
    model = loglinear(WALKED, "[reward partner][walkaway]")
    same = compare(model, model)
    assert same.df == 0
    assert np.isnan(float(same.p))


def test_saturated_models_have_nothing_to_test() -> None:
    model = loglinear(WALKED)
    assert (model.statistic, model.x2, model.df) == (0.0, 0.0, 0.0)
    assert model.apa() == "[reward partner walkaway]: G²(0, N = 583) = 0.00, p = NA"
    assert np.isnan(model.residuals("adjusted")).all()


def test_frames_of_a_model() -> None:
    model = loglinear(WALKED, 2)
    assert list(model.to_frame()) == list(type(model).columns)
    cells = model.cells()
    assert list(cells) == [
        "reward", "partner", "walkaway", "n", "fitted", "raw", "pearson", "deviance", "adjusted",
    ]  # fmt: skip
    assert (cells["deviance"] ** 2).sum() == close(model.statistic)
    assert (cells["pearson"] ** 2).sum() == close(model.x2)
    assert "not whole" in loglinear(WALKED.n / 3, 2).warning
    assert float(model.bic) - float(model.aic) == close((np.log(583) - 2) * 10)


@pytest.mark.calibration
def test_size_of_the_three_way_term_under_the_null() -> None:
    """Asymptotic: the size is written down (from a million null studies), and 20,000 studies agree with it."""
    rng = np.random.default_rng(12)
    share = np.einsum("i,j,k->ijk", [0.5, 0.5], [0.3, 0.3, 0.4], [0.2, 0.8])
    n = rng.multinomial(143, share.ravel(), 20_000).reshape(-1, 2, 3, 2).astype(float)
    stack = Counts.from_table(n, stacked=1)
    two = loglinear(stack, 2)
    hits = (np.asarray(two.p) <= 0.05).sum()
    low, high = stats.binom.interval(0.99, 20_000, 0.0693)
    assert low <= hits <= high
    assert np.all(two.converged)


def test_intervals_of_parameters_reach_as_far_up_as_down() -> None:
    table = Counts.from_table([[10, 4, 3], [3, 9, 8]], {"A": ["a", "b"], "B": ["x", "y", "z"]})
    frame = loglinear(table, [["A", "B"]]).parameters()
    reach = 1.959963984540054 * frame["se"]
    np.testing.assert_allclose(frame["high"] - frame["estimate"], reach, rtol=1e-9)
    np.testing.assert_allclose(frame["estimate"] - frame["low"], reach, rtol=1e-9)


@pytest.mark.slow
@given(st.lists(st.integers(0, 12), min_size=8, max_size=8))
def test_raos_x2_is_that_of_the_two_fits(cells: list[int]) -> None:
    """Of the highest term it is Pearson's of the model without it; of independence given b the score of the table."""
    n = np.array(cells, dtype=float).reshape(2, 2, 2) + 1
    tests = partial_associations(n)
    without = loglinear(n, "[factor_1 factor_2][factor_1 factor_3][factor_2 factor_3]")
    assert tests["factor_1 factor_2 factor_3"].score == pytest.approx(float(without.x2), abs=1e-8)
    given_b = loglinear(n, "[factor_1 factor_2][factor_2 factor_3]")
    expected = n.sum(axis=2, keepdims=True) * n.sum(axis=0) / n.sum(axis=(0, 2))[:, np.newaxis]
    np.testing.assert_allclose(given_b.fitted, expected)
    score = ((without.fitted - expected) ** 2 / expected).sum()
    assert tests["factor_1 factor_3"].score == pytest.approx(score, abs=1e-8)
    assert tests["factor_1 factor_3"].p_score == pytest.approx(stats.chi2.sf(score, 1))
