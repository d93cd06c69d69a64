"""Margins, contrasts, simple effects and comparisons of pairs: emmeans, Dunnett, the studentized range.

To 1e-11 scipy's tail is exact; a smaller p is only known to lie between that of the pair alone and Bonferroni's. From
100,000 degrees of freedom on scipy takes the variance as known, which changes a p above .0001 by at most one part in
a thousand.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from negstats.stats import dunnett, linear_model, t_test
from negstats.stats.contrasts.contrast import Contrasts, Family, adjusted_p, all_within, critical_t
from negstats.stats.contrasts.planned import contrast, contrasts, interaction, polynomial, simple_effects
from negstats.stats.contrasts.posthoc import games_howell, pairwise
from negstats.stats.summaries import Cells
from tests.conftest import reference
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


def test_only_the_cells_that_a_contrast_needs_must_be_filled() -> None:
    cells = Cells.from_table(n=[[3, 3], [3, 0], [4, 5]], mean=[[1, 2], [3, 0], [4, 9]], sd=1)
    of, at = "factor_1", {"factor_2": "1"}
    assert len(pairwise(cells, specs=of, at=at)) == 3


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


R: dict[str, Any] = reference("together")


@pytest.mark.parametrize("case", R["dunnett"], ids=lambda case: f"{len(case['t'])} against one")
def test_it_agrees_with_r(case: dict[str, Any]) -> None:
    result = dunnett(pd.DataFrame({"g": case["g"], "y": case["y"]}), "y", "g", specs="g", control="a")
    assert result.statistic == pytest.approx(np.array(case["t"], dtype=float))
    assert result.p_adjusted == pytest.approx(np.ravel(case["p"]), abs=1e-5)  # R's is drawn
    reach = critical_t("dunnett", 0.95, result.df[:1], result.family)[0]
    assert 1 - all_within(float(reach), float(result.df[0]), result.family.shared) == pytest.approx(0.05, rel=1e-10)


def test_the_published_table() -> None:
    # Dunnett (1964), Biometrics 20, table of two-sided 5 %: df 20 and 60, two to five treatments, equal n
    table = {20: (2.38, 2.54, 2.65, 2.73), 60: (2.27, 2.41, 2.51, 2.58)}
    for df, row in table.items():
        for k, value in enumerate(row, start=2):
            assert 1 - all_within(value, df, (0.5**0.5,) * k) == pytest.approx(0.05, abs=6e-4)


def test_one_treatment_is_the_t_test_and_the_family_is_simultaneous() -> None:
    assert 1 - all_within(2.2, 7.5, (0.6,)) == pytest.approx(2 * special.stdtr(7.5, -2.2), rel=1e-10)
    cells = Cells.from_table(n=[8, 9, 10], mean=[1, 2, 2.5], sd=1, factors={"g": ["a", "b", "c"]})
    result = dunnett(cells, specs="g", control="a")
    tukey, holm = pairwise(cells, specs="g"), pairwise(cells, specs="g", adjust="bonferroni")
    assert (result.p_adjusted < tukey.p_adjusted[:2]).all()
    assert (result.p_adjusted < holm.p_adjusted[:2]).all()
    ends = result.confidence_interval()
    excludes = (np.asarray(ends.low) > 0) | (np.asarray(ends.high) < 0)
    assert (excludes == (result.p_adjusted < 0.05)).all()


# R 4.2.2: sprintf("%.12g", ptukey(q, k, df, lower.tail = FALSE)) where it has the digits, and qtukey(.95, k, df).
R_TAIL = [
    (0.5, 3, 10, 0.93386417215),
    (3.5, 3, 10, 0.0771033108387),
    (3.5, 3, 997, 0.0359482146501),
    (2.0, 10, 30, 0.913152808984),
    (6.0, 5, 12, 0.00821321270652),
    (4.5, 50, 200, 0.477518012211),
    (3.0, 3, np.inf, 0.085542571655),
]
R_ENDS = [(3, 10, 3.87677675), (5, 20, 4.23185668), (10, 60, 4.64632397), (3, 1e5, 3.31449316)]
EXACT_RANGE = 1e-11


def all_pairs(means: int) -> Family:
    return Family(means * (means - 1) // 2, means - 1, means)


def tails(q: object, means: int, df: object) -> np.ndarray:
    """Return Tukey's p of pairs of so many means at values of the studentized range."""
    t, free = np.broadcast_arrays(np.asarray(q, dtype=float) / np.sqrt(2), np.asarray(df, dtype=float))
    return np.asarray(adjusted_p("tukey", t, free, pair_alone(t, free), all_pairs(means)))


def pair_alone(t: np.ndarray, df: np.ndarray) -> np.ndarray:
    return np.asarray(2 * stats.t.sf(np.abs(t), df))


@pytest.mark.parametrize(("q", "means", "df", "p"), R_TAIL)
def test_tail_agrees_with_r(q: float, means: int, df: float, p: float) -> None:
    assert float(tails(q, means, df)) == pytest.approx(p, abs=1e-7 if means == 50 else 1e-9)


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize(("means", "df", "end"), R_ENDS)
def test_ends_agree_with_r(means: int, df: float, end: float) -> None:
    result = float(np.sqrt(2) * critical_t("tukey", 0.95, df, all_pairs(means)))
    assert result == pytest.approx(end, abs=1e-6)  # as exact as qtukey is said to be, or better
    assert float(tails(result, means, df)) == pytest.approx(0.05, rel=1e-10)


@given(st.floats(1e-3, 1e3), st.floats(1.0, 1e7))
def test_the_range_of_two_means_is_students_t(q: float, df: float) -> None:
    exact = float(pair_alone(np.asarray(q / np.sqrt(2)), np.asarray(df)))
    assert float(tails(q, 2, df)) == pytest.approx(exact, rel=2e-11, abs=1e-290)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.floats(1e-2, 60), st.integers(2, 60), st.one_of(st.floats(1.0, 1e4), st.just(float("inf"))))
def test_between_one_pair_and_all_pairs_one_by_one(q: float, means: int, df: float) -> None:
    p, single = float(tails(q, means, df)), float(pair_alone(np.asarray(q / np.sqrt(2)), np.asarray(df)))
    assert single * (1 - 1e-9) <= p <= min(1.0, means * (means - 1) / 2 * single) * (1 + 1e-9) + 1e-300
    assert float(tails(q, means + 1, df)) >= p * (1 - 1e-9) - EXACT_RANGE
    assert float(tails(q * 1.01, means, df)) <= p * (1 + 1e-9) + EXACT_RANGE


@pytest.mark.slow
def test_edges_and_arrays() -> None:
    q = np.array([[0.0, 1.0], [np.inf, np.nan]])
    result = tails(q, 4, 12.0)
    assert result.shape == (2, 2)
    assert (result[0, 0], result[1, 0]) == (1.0, 0.0)
    assert np.isnan(result[1, 1])
    assert result[0, 1] == pytest.approx(float(tails(1.0, 4, 12.0)))
    many = tails(np.full(700, 3.0), 3, np.append(np.full(699, 9.0), 2.0))
    assert len(set(many[:699].tolist())) == 1
    assert many[699] > many[0]
    assert float(tails(3.0, 3, 1e8)) == pytest.approx(float(tails(3.0, 3, np.inf)), rel=1e-7)


@pytest.mark.parametrize(("q", "means"), [(1.0, 3), (3.5, 3), (5.9, 3), (6.0, 10)])
def test_where_the_variance_is_taken_as_known_p_hardly_moves(q: float, means: int) -> None:
    just_below, from_there_on = (float(tails(q, means, df)) for df in (99_999.0, 100_000.0))
    assert from_there_on != just_below
    assert from_there_on == pytest.approx(just_below, rel=1e-3)


@pytest.mark.parametrize(("q", "means", "df"), [(0.01, 4, 7171.0), (0.15, 10, 30_338.0), (0.017, 6, 49_714.0)])
def test_of_means_that_hardly_differ_p_is_near_1_without_a_warning(q: float, means: int, df: float) -> None:
    """So near to one another they lie with a chance of k ∫ φ (q φ)^(k−1) but for powers of q, since s is nearly 1."""
    chance = np.sqrt(means) * (q / np.sqrt(2 * np.pi)) ** (means - 1)
    assert 1 - float(tails(q, means, df)) == pytest.approx(chance, rel=0.02, abs=1e-9)
