"""Contrasts, post-hoc comparisons and simple effects against R, print and their own algebra."""

from __future__ import annotations

from itertools import pairwise as neighbours
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.errors import DesignError, NotEstimable
from negstats.stats import linear_model, logistic, t_test
from negstats.stats.contrasts.contrast import Contrasts, Family, adjusted_p
from negstats.stats.contrasts.planned import contrast, contrasts, interaction, polynomial, simple_effects
from negstats.stats.contrasts.posthoc import games_howell, pairwise
from negstats.stats.summaries import Cells
from tests.stats.closeness import agree
from tests.stats.means.test_anova import (
    DESIGNS,
    MOORE_DESIGN,
    REFERENCE,
    by_of,
    factors_of,
    frames,
    moore,
)

EXACT = 1e-8
# R's ptukey is off by up to 2e-7 where there are few degrees of freedom (see the quadrature below).
TUKEY = {"rtol": 1e-6, "atol": 3e-7}
FACTORIAL = [name for name, design in DESIGNS.items() if "simple" in design]


def agrees(result: Contrasts, expected: dict[str, Any]) -> None:
    """Every number of the contrasts against emmeans', which lists them in another order."""
    order = [place(result, name) for name in np.atleast_1d(expected["name"])] if "name" in expected else [0]
    table = result.to_frame().iloc[order]
    for field in ("estimate", "se", "df", "t"):
        agree(table["statistic" if field == "t" else field], np.atleast_1d(expected[field]), rtol=EXACT, err_msg=field)
    tolerance = TUKEY if expected["adjust"] == "tukey" else {"rtol": EXACT}
    for field in ("p_adjusted", "low", "high"):
        agree(table[field], np.atleast_1d(expected[field]), err_msg=field, **tolerance)


def place(result: Contrasts, name: str) -> int:
    first, _, second = name.partition(" / ")
    names = [(one, at.partition(" = ")[2]) for one, at in zip(result.names, result.at, strict=True)]
    return names.index((f"({first}) × ({second})", "") if " - " in second else (first, second))


# --- R -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("adjust", ["none", "tukey", "scheffe", "bonferroni", "sidak", "holm", "fdr_bh"])
@pytest.mark.parametrize("name", DESIGNS)
def test_pairs_agree_with_emmeans(name: str, adjust: Any) -> None:
    design = DESIGNS[name]
    expected = next(each for each in design["pairwise"] if each["adjust"] == {"fdr_bh": "BH"}.get(adjust, adjust))
    frame = pd.DataFrame(design["rows"])
    agrees(pairwise(frame, "y", factors_of(design), specs=design["most"], adjust=adjust), expected)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("name", DESIGNS)
def test_trends_and_custom_weights_agree_with_emmeans(name: str) -> None:
    design = DESIGNS[name]
    frame, by, of = pd.DataFrame(design["rows"]), factors_of(design), design["most"]
    expected = design["polynomial"]
    trends = polynomial(frame, "y", by, specs=of, scores=expected["scores"])
    assert trends.names[:2] == ("linear", "quadratic")
    agrees(trends, expected | {"name": trends.names})
    expected = design["custom"]
    agrees(contrasts(frame, "y", by, specs=of, weights={"custom": expected["weights"]}), expected | {"name": "custom"})


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("name", FACTORIAL)
def test_interaction_contrasts_agree_with_emmeans(name: str) -> None:
    design = DESIGNS[name]
    expected = design["interaction"]
    result = interaction(pd.DataFrame(design["rows"]), "y", factors_of(design), specs=expected["of"], adjust="holm")
    agrees(result, expected)


@pytest.mark.parametrize("name", FACTORIAL)
def test_simple_effects_agree_with_emmeans(name: str) -> None:
    design = DESIGNS[name]
    expected = design["simple"]
    frame = pd.DataFrame(design["rows"])
    table = simple_effects(frame, "y", factors_of(design), specs=expected["of"], at=expected["at"]).to_frame()
    for field, column in {"f": "statistic", "df": "df1", "df_error": "df2", "p": "p"}.items():
        agree(table[column], expected[field], rtol=EXACT, err_msg=field)


@pytest.mark.slow
@pytest.mark.parametrize("name", FACTORIAL)
def test_pairs_within_levels_agree_with_emmeans(name: str) -> None:
    design = DESIGNS[name]
    asked = {field: design["simple"][field] for field in ("of", "at")}
    result = pairwise(pd.DataFrame(design["rows"]), "y", factors_of(design), specs=asked["of"], at=asked["at"])
    agrees(result, design["pairwise_at"])


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("name", FACTORIAL)
def test_own_error_is_that_of_the_level_alone(name: str) -> None:
    design = DESIGNS[name]
    expected = design["own"]
    frame, by = pd.DataFrame(design["rows"]), factors_of(design)
    at = {expected["at"]: expected["level"]}
    result = pairwise(frame, "y", by, specs=design["most"], at=at, error="own", adjust="none")
    agrees(result, expected | {"name": [f"{one} / {expected['level']}" for one in expected["name"]]})
    (simple,) = simple_effects(frame, "y", by, specs=design["most"], at=at, error="own")
    agree(simple.statistic, expected["f"], rtol=EXACT)


@pytest.mark.slow
@pytest.mark.parametrize("expected", REFERENCE["games_howell"], ids=lambda expected: expected["name"])
def test_games_howell_agrees_with_t_test_and_ptukey(expected: dict[str, Any]) -> None:
    frame = pd.DataFrame(DESIGNS[expected["name"]]["rows"])
    table = games_howell(frame, "y", expected["of"], specs=expected["of"]).to_frame()
    for field in ("t", "df", "se", "p"):
        agree(table["statistic" if field == "t" else field], expected[field], rtol=EXACT, err_msg=field)
    agree(table["p_adjusted"], expected["p_adjusted"], **TUKEY)
    for field in ("low", "high"):
        agree(table[field], expected[field], rtol=1e-4, err_msg=field)  # qtukey stops at 1e-4 of a quantile


# --- print ---------------------------------------------------------------------------------------------------------


def test_moore_simple_effects_as_printed() -> None:
    # R: pairs(emmeans(lm(conformity ~ fcategory * partner.status, Moore), ~ partner.status | fcategory))
    result = pairwise(moore(), "conformity", MOORE_DESIGN, specs="partner.status", at="fcategory", adjust="none")
    t = {one.at: round(float(one.statistic), 3) for one in result}
    assert t == {"fcategory = low": 3.389, "fcategory = medium": 2.627, "fcategory = high": -0.324}
    assert {float(one.df) for one in result} == {39.0}
    simple = simple_effects(moore(), "conformity", MOORE_DESIGN, specs="partner.status", at="fcategory")
    agree([effect.statistic for effect in simple], np.asarray(result.statistic) ** 2)


# --- properties ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@given(frames())
def test_swapping_the_levels_flips_the_sign(frame: pd.DataFrame) -> None:
    swapped = frame.assign(f0=frame["f0"].map(lambda level: f"z{9 - int(level[-1])}"))
    one = pairwise(frame, "y", by_of(frame), specs="f0", adjust="none")
    two = pairwise(swapped, "y", by_of(frame), specs="f0", adjust="none")
    agree(sorted(one.estimate), sorted(-two.estimate), atol=1e-9)
    agree(sorted(one.p), sorted(two.p), atol=1e-9)


@pytest.mark.slow
@settings(max_examples=50)
@given(frames(), st.sampled_from(["none", "scheffe", "bonferroni", "sidak", "holm", "hommel", "fdr_bh"]))
def test_a_correction_lies_between_p_and_bonferroni(frame: pd.DataFrame, adjust: Any) -> None:
    result = pairwise(frame, "y", by_of(frame), specs="f0", adjust=adjust)
    assert (result.p_adjusted >= result.p * (1 - 1e-12)).all()
    assert (result.p_adjusted <= 1).all()
    if adjust != "scheffe":
        assert (result.p_adjusted <= np.minimum(1, result.p * len(result)) + 1e-12).all()


@pytest.mark.slow
@given(frames(least=2, shapes=[(2, 2), (2, 3), (2, 2, 2, 2)]))
def test_two_levels_give_f_in_every_way(frame: pd.DataFrame) -> None:
    of, at = by_of(frame)[0], by_of(frame)[1:]
    pairs = pairwise(frame, "y", by_of(frame), specs=of, at=at, adjust="none")
    simple = simple_effects(frame, "y", by_of(frame), specs=of, at=at)
    agree([effect.statistic for effect in simple], np.asarray(pairs.statistic) ** 2, rtol=1e-7, atol=1e-9)
    agree([effect.p for effect in simple], pairs.p, rtol=1e-7, atol=1e-9)


def test_welch_contrast_of_two_cells_is_welchs_t() -> None:
    one, two = [3.1, 4.2, 5.9, 4.4], [7.7, 1.0, 9.4, 12.5, 3.3]
    expected = stats.ttest_ind(one, two, equal_var=False)
    result = contrast({"a": one, "b": two}, specs="group", weights={"a": 1, "b": -1}, error="welch")
    agree([result.statistic, result.df, result.p], [expected.statistic, expected.df, expected.pvalue], rtol=1e-12)


def studentized_range_sf(q: float, k: int, df: float) -> float:
    """P(range of k normals > q s), s² being chi-squared over its df: Gauss–Legendre in both directions."""
    z, weight = np.polynomial.legendre.leggauss(200)
    normal = 10 * weight * stats.norm.pdf(10 * z)
    total = 0.0
    for low, high in neighbours([0, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8]):
        s = (high - low) / 2 * z + (high + low) / 2
        inside = stats.norm.cdf(10 * z) - stats.norm.cdf(10 * z - q * s[:, None])
        exceeds = 1 - k * (normal * inside ** (k - 1)).sum(axis=1)
        total += float(((high - low) / 2 * weight * exceeds * stats.chi.pdf(s * np.sqrt(df), df) * np.sqrt(df)).sum())
    return total


@pytest.mark.slow
@pytest.mark.parametrize("expected", REFERENCE["games_howell"], ids=lambda expected: expected["name"])
def test_games_howell_agrees_with_quadrature(expected: dict[str, Any]) -> None:
    frame = pd.DataFrame(DESIGNS[expected["name"]]["rows"])
    result = games_howell(frame, "y", expected["of"], specs=expected["of"])
    for one in result:
        exact = studentized_range_sf(np.sqrt(2) * abs(float(one.statistic)), 4, float(one.df))
        agree(one.p_adjusted, exact, rtol=1e-7, atol=1e-12)


def test_tukey_keeps_the_tail_that_scipy_loses() -> None:
    # scipy computes 1 − distribution; here that is rounding. R: ptukey(sqrt(2) * 30, 3, 60, lower.tail = FALSE) < 1e-30
    t, df = np.array([30.0]), np.array([60.0])
    p = np.asarray(2 * stats.t.sf(t, df))
    corrected = adjusted_p("tukey", t, df, p, Family(3, 2, 3))
    assert p[0] <= corrected[0] <= 3 * p[0] < 1e-30


# --- what it takes and gives ---------------------------------------------------------------------------------------


def test_results_read_as_papers_print() -> None:
    result = pairwise(moore(), "conformity", MOORE_DESIGN, specs="partner.status", at="fcategory")
    low = result["high - low", "fcategory = low"]
    assert low.apa() == "t(39) = 3.39, p = .002 (Tukey), difference = 8.50, 95% CI [3.43, 13.57]"
    assert low.method == "pooled error, Tukey"
    assert low.to_frame().shape == (1, 12)
    assert result.apa().count(";") == 2
    assert result[0] == next(iter(result))
    ends = result.confidence_interval(simultaneous=False)
    assert ends.method == "t"
    assert pairwise(moore(), "conformity", MOORE_DESIGN, specs="fcategory", adjust="holm")[
        0
    ].confidence_interval().method == ("t Bonferroni")


def test_weights_by_level_by_tuple_and_by_position_agree() -> None:
    frame = moore()
    one = contrast(frame, "conformity", MOORE_DESIGN, specs="fcategory", weights={"high": 1, "low": -1})
    two = contrast(frame, "conformity", MOORE_DESIGN, specs="fcategory", weights=[1, -1, 0])
    assert (one.statistic, one.p) == (two.statistic, two.p)
    cell = {("high", "low"): 1, ("high", "high"): -1}
    three = contrast(frame, "conformity", MOORE_DESIGN, specs=MOORE_DESIGN, weights=cell)
    four = pairwise(frame, "conformity", MOORE_DESIGN, specs="partner.status", at={"fcategory": "high"}, adjust="none")
    assert three.statistic == pytest.approx(-float(four.statistic[0]))


def test_interaction_takes_weights_for_a_factor() -> None:
    result = interaction(
        moore(), "conformity", MOORE_DESIGN, specs=MOORE_DESIGN, weights={"fcategory": {"low": 1, "high": -1}}
    )
    assert result.names == ("(fcategory) × (high - low)",)
    pairs = pairwise(moore(), "conformity", MOORE_DESIGN, specs="partner.status", at="fcategory")
    difference = float(pairs["high - low", "fcategory = low"].estimate) - float(
        pairs["high - low", "fcategory = high"].estimate
    )
    assert result.estimate[0] == pytest.approx(difference)


# --- what it refuses -----------------------------------------------------------------------------------------------


def test_refuses_in_a_plain_sentence() -> None:
    cells = Cells.from_frame(moore(), "conformity", MOORE_DESIGN)
    with pytest.raises(DesignError, match="adjust is 'duncan'; choose 'none', 'tukey', 'scheffe'"):
        pairwise(cells, specs="fcategory", adjust="duncan")  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="'tukey' is for all pairs of means"):
        polynomial(cells, specs="fcategory", adjust="tukey", scores=[3, 1, 2])
    with pytest.raises(DesignError, match="error is 'level'"):
        pairwise(cells, specs="fcategory", error="level")  # type: ignore[arg-type]
    with pytest.raises(DesignError, match="'fcategory' has no level 'tall'; it has 'high', 'low', 'medium'"):
        contrast(cells, specs="fcategory", weights={"tall": 1, "low": -1})
    with pytest.raises(DesignError, match="give numbers that sum to 0, not all 0"):
        contrast(cells, specs="fcategory", weights={"high": 1, "low": 1})
    with pytest.raises(DesignError, match="has 2 weights for 3 levels"):
        contrast(cells, specs="fcategory", weights=[1, -1])
    with pytest.raises(DesignError, match="is named both in of and in at"):
        pairwise(cells, specs="fcategory", at="fcategory")
    with pytest.raises(DesignError, match="two or more factors; got fcategory"):
        interaction(cells, specs=["fcategory"])
    with pytest.raises(DesignError, match="give 3 different numbers, one for each level of 'fcategory'"):
        polynomial(cells, specs="fcategory", scores=[1, 2, 2])
    with pytest.raises(DesignError, match="degree is 3; with 3 levels give 1 to 2"):
        polynomial(cells, specs="fcategory", degree=3, scores=[3, 1, 2])
    with pytest.raises(DesignError, match="there is no contrast 'low - high'"):
        pairwise(cells, specs="partner.status")["low - high"]
    with pytest.raises(DesignError, match="at names the factor"):
        simple_effects(cells, specs="fcategory", at=None)
    with pytest.raises(DesignError, match="one study"):
        pairwise(Cells.stack([cells, cells]), specs="partner.status")[0].apa()


def test_only_the_cells_that_a_contrast_needs_must_be_filled() -> None:
    cells = Cells.from_table(n=[[3, 3], [3, 0], [4, 5]], mean=[[1, 2], [3, 0], [4, 9]], sd=1)
    of, at = "factor_1", {"factor_2": "1"}
    assert len(pairwise(cells, specs=of, at=at)) == 3
    with pytest.raises(NotEstimable, match=r"a contrast cannot be estimated: .* factor_1 = '2', factor_2 = '2'"):
        pairwise(cells, specs=of)
    with pytest.raises(NotEstimable, match="factor_1 at factor_2 = 2 cannot be estimated"):
        simple_effects(cells, specs=of, at="factor_2")


def test_welch_needs_two_observations_that_vary() -> None:
    few = Cells.from_table(n=[4, 1, 3], mean=[1, 2, 3], sd=[1, 0, 1])
    with pytest.raises(NotEstimable, match="n = 1 with factor_1 = '2'"):
        games_howell(few, specs="factor_1")
    with pytest.raises(NotEstimable, match="does not vary"):
        games_howell(Cells.from_table(n=4, mean=[1, 2, 3], sd=[0, 0, 1]), specs="factor_1")


# --- calibration ---------------------------------------------------------------------------------------------------


@pytest.mark.calibration
@pytest.mark.parametrize("adjust", ["tukey", "scheffe", "bonferroni"])
def test_familywise_size(adjust: Any) -> None:
    studies = 20_000
    low, high = stats.binom.interval(0.99, studies, 0.05)
    for n in (np.array([6, 6, 6, 6]), np.array([3, 12, 5, 8])):
        rng, one = np.random.default_rng(7), Cells.from_table(n=n, mean=np.zeros(4), sd=1)
        mean, variance = rng.normal(size=(studies, 4)) / np.sqrt(n), rng.chisquare(n - 1, (studies, 4)) / (n - 1)
        cells = Cells(np.broadcast_to(n.astype(float), mean.shape).copy(), mean, variance, one.factors)
        ends = pairwise(cells, specs="factor_1", adjust=adjust).confidence_interval()
        wrong = int(((np.asarray(ends.low) > 0) | (np.asarray(ends.high) < 0)).any(axis=-1).sum())
        assert wrong <= high
        if adjust == "tukey" and len(set(n)) == 1:
            assert wrong >= low  # exact with equal n; Tukey–Kramer, Scheffé and Bonferroni are conservative


@pytest.mark.slow
def test_a_pair_has_its_effect_size_with_an_interval() -> None:
    """Of two groups it is the t test's d; of three d in the deviation inside all (R: emmeans::eff_size)."""
    samples = {"a": [5.0, 7, 6, 9, 8, 3], "b": [3.0, 5, 4, 4, 6, 2], "c": [8.0, 9, 7, 12, 10, 6.5]}
    two = {name: samples[name] for name in "ab"}
    alone = t_test(two, method="student").effect_size("d")
    size = pairwise(two, specs="group").effect_size()
    assert np.ravel(size.value)[0] == pytest.approx(float(alone.value), rel=1e-12)
    ends, own = size.confidence_interval(0.9), alone.confidence_interval(0.9)
    assert [np.ravel(ends.low)[0], np.ravel(ends.high)[0]] == pytest.approx([float(own.low), float(own.high)], rel=1e-9)
    frame = pairwise(samples, specs="group").to_frame()
    within = np.sqrt(np.mean([np.var(values, ddof=1) for values in samples.values()]))
    assert frame["d"].tolist() == pytest.approx((frame["estimate"] / within).tolist(), rel=1e-12)
    assert ((frame["d_low"] < frame["d"]) & (frame["d"] < frame["d_high"])).all()
    rows = pd.DataFrame([(name, y) for name, values in samples.items() for y in values], columns=["g", "y"])
    model = pairwise(linear_model(rows, "y ~ g"), specs="g").to_frame()
    assert model["d_low"].tolist() == pytest.approx(frame["d_low"].tolist(), rel=1e-9)
    with pytest.raises(DesignError, match="no standard deviation within cells"):
        pairwise(logistic(rows.assign(yes=rows["y"] > 5.5), "yes ~ C(g)", firth=True), specs="g").effect_size()
