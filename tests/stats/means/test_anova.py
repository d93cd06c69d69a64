"""Factorial analysis of variance against R, print and its own algebra."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from itertools import pairwise as neighbours
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from negstats.errors import NotEstimable
from negstats.stats import Cells, ValueCounts, anova, margins
from tests.conftest import reference
from tests.stats.closeness import agree

REFERENCE = reference("anova")
DESIGNS = {design["name"]: design for design in REFERENCE["designs"]}
EMPTY = {design["name"]: design for design in REFERENCE["empty"]}

EXACT = 1e-8


# Conformity by partner's status and authoritarianism: Moore and Krupat (1971), Sociometry 34, 122-138, as printed in
# Fox (2016), Applied Regression Analysis and Generalized Linear Models, 3rd ed., table 8.3 (R: carData::Moore).
MOORE = {
    ("low", "low"): [8, 7, 10, 6, 13, 12, 7, 6, 8, 12],
    ("low", "high"): [21, 23, 15, 12, 16],
    ("medium", "low"): [12, 4, 4, 9],
    ("medium", "high"): [12, 17, 14, 16, 20, 8, 14, 17, 7, 17, 15],
    ("high", "low"): [4, 8, 13, 9, 24, 7, 23, 13],
    ("high", "high"): [19, 9, 7, 11, 14, 13, 10],
}


def moore() -> pd.DataFrame:
    rows = [(f, partner, y) for (f, partner), values in MOORE.items() for y in values]
    return pd.DataFrame(rows, columns=["fcategory", "partner.status", "conformity"])


MOORE_DESIGN: list[str] = ["fcategory", "partner.status"]


def factors_of(design: dict[str, Any]) -> list[str]:
    return [design["factors"]] if isinstance(design["factors"], str) else list(design["factors"])


# --- R -------------------------------------------------------------------------------------------------------------


FIELDS = {"ss": "ss", "df": "df1", "f": "statistic", "p": "p"}  # R's names and ours


@pytest.mark.parametrize("kind", [1, 2, 3])
@pytest.mark.parametrize("name", DESIGNS)
def test_agrees_with_car(name: str, kind: int) -> None:
    expected = DESIGNS[name]["types"][kind - 1]
    result = anova(pd.DataFrame(DESIGNS[name]["rows"]), "y", factors_of(DESIGNS[name]), type=kind)
    assert list(result.terms) == np.atleast_1d(expected["terms"]).tolist()
    for field, name in FIELDS.items():
        agree(getattr(result, name), np.atleast_1d(expected[field]), rtol=EXACT, err_msg=field)
    agree([result.ss_error, result.df2], [expected["ss_error"], expected["df_error"]], rtol=EXACT)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("kind", [1, 2, 3])
@pytest.mark.parametrize("name", DESIGNS)
def test_agrees_with_effectsize(name: str, kind: int) -> None:
    expected = DESIGNS[name]["types"][kind - 1]
    result = anova(pd.DataFrame(DESIGNS[name]["rows"]), "y", factors_of(DESIGNS[name]), type=kind)
    frame = result.to_frame().iloc[:-1]
    for field in ("partial_eta_squared", "eta_squared", "omega_squared", "partial_omega_squared"):
        if field in expected:  # with one factor effectsize gives no partial ones
            # effectsize shows a negative omega squared as 0.
            agree(frame[field].clip(lower=0), np.atleast_1d(expected[field]), rtol=EXACT, err_msg=field)
    # The ends of effectsize's interval, solved by uniroot on R's pf (effectsize's own optimizer stops early), which
    # sums its series to about 1e-9.
    for level in (90, 95):
        ends = [result.effect_size(term).confidence_interval(level / 100) for term in result.terms]
        agree([end.low for end in ends], np.atleast_1d(expected[f"low_{level}"]), rtol=1e-6, atol=1e-9)
        agree([end.high for end in ends], np.atleast_1d(expected[f"high_{level}"]), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("name", DESIGNS)
def test_margins_agree_with_emmeans(name: str) -> None:
    frame, by = pd.DataFrame(DESIGNS[name]["rows"]), factors_of(DESIGNS[name])
    for expected in DESIGNS[name]["margins"]:
        result = margins(frame, "y", by, specs=expected["of"], weights=expected["weights"])
        expected_levels = [tuple(np.atleast_1d(levels)) for levels in expected["levels"]]
        order = [result.levels.index(levels) for levels in expected_levels]
        table = result.to_frame(confidence_level=0.90).iloc[order]
        for field in ("mean", "se", "df", "low", "high"):
            agree(table[field], expected[field], rtol=EXACT, err_msg=f"{expected['weights']} {field}")


@pytest.mark.parametrize("kind", [1, 2])
@pytest.mark.parametrize("name", EMPTY)
def test_empty_cells_drop_degrees_of_freedom_as_in_r(name: str, kind: int) -> None:
    expected = EMPTY[name][f"type_{kind}"]
    result = anova(pd.DataFrame(EMPTY[name]["rows"]), "y", factors_of(EMPTY[name]), type=kind)
    assert list(result.terms) == expected["terms"]
    for field, name in FIELDS.items():
        agree(getattr(result, name), expected[field], rtol=EXACT, err_msg=field)
    agree([result.ss_error, result.df2], [expected["ss_error"], expected["df_error"]], rtol=EXACT)


# --- print ---------------------------------------------------------------------------------------------------------


def test_moore_as_printed() -> None:
    second = anova(moore(), "conformity", MOORE_DESIGN, type=2)
    third = anova(moore(), "conformity", MOORE_DESIGN)
    # R: car::Anova(lm(conformity ~ fcategory * partner.status, Moore), type = 2 or 3) with contr.sum
    agree(second.statistic, [0.27696, 10.12069, 4.18462], atol=5e-6)
    agree(third.statistic, [0.85888, 11.42497, 4.18462], atol=5e-6)
    # R: effectsize::eta_squared(..., alternative = "two.sided"), 95 %
    ends = [third.effect_size(term).confidence_interval(0.95) for term in third.terms]
    printed = [(0.00, 0.19), (0.04, 0.43), (0.00, 0.37)]
    assert [(round(float(end.low), 2), round(float(end.high), 2)) for end in ends] == printed


# --- properties ----------------------------------------------------------------------------------------------------

SHAPES: list[tuple[int, ...]] = [(2,), (4,), (2, 2), (2, 3), (3, 2, 2), (2, 2, 2, 2)]


@st.composite
def frames(
    draw: st.DrawFn, *, least: int = 1, equal: bool = False, shapes: Sequence[tuple[int, ...]] = SHAPES
) -> pd.DataFrame:
    """A frame with the factors f0, f1, ... and the outcome y; unequal cells unless `equal`."""
    shape = draw(st.sampled_from(shapes))
    cells = int(np.prod(shape))
    size = st.integers(least, 5)
    n = [draw(size)] * cells if equal else draw(st.lists(size, min_size=cells, max_size=cells))
    assume(sum(n) > cells)
    y = draw(st.lists(st.integers(-500, 500), min_size=sum(n), max_size=sum(n)))
    codes = np.repeat(np.indices(shape).reshape(len(shape), -1), n, axis=1)
    frame = pd.DataFrame({f"f{i}": [f"level {code}" for code in codes[i]] for i in range(len(shape))})
    frame["y"] = np.array(y) / 10
    cell = frame.groupby([f"f{i}" for i in range(len(shape))])["y"]
    assume((cell.max() > cell.min()).any())
    return frame


def by_of(frame: pd.DataFrame) -> list[str]:
    return [name for name in frame.columns if name.startswith("f")]


def close(one: Any, two: Any) -> None:
    agree(one, two, rtol=1e-7, atol=1e-9)


@pytest.mark.slow
@given(frames(), st.randoms(use_true_random=False), st.sampled_from([1, 2, 3]))
def test_names_and_order_of_levels_change_nothing(frame: pd.DataFrame, random: Any, kind: int) -> None:
    other = frame.copy()
    for name in by_of(frame):
        levels = sorted(frame[name].unique())
        new = [f"z{i}" for i in range(len(levels))]
        random.shuffle(new)
        other[name] = frame[name].map(dict(zip(levels, new, strict=True)))
    close(anova(frame, "y", by_of(frame), type=kind).statistic, anova(other, "y", by_of(frame), type=kind).statistic)


@pytest.mark.slow
@given(frames(), st.randoms(use_true_random=False), st.sampled_from([2, 3]))
def test_types_two_and_three_do_not_depend_on_the_order_of_factors(frame: pd.DataFrame, random: Any, kind: int) -> None:
    order = by_of(frame)
    one = anova(frame, "y", order, type=kind)
    random.shuffle(order)
    two = anova(frame, "y", order, type=kind)
    for term in one.terms:
        close(one.effect(term).statistic, two.effect(term).statistic)


@pytest.mark.slow
@given(frames(equal=True, least=2))
def test_equal_cells_make_the_types_agree(frame: pd.DataFrame) -> None:
    results = [anova(frame, "y", by_of(frame), type=kind) for kind in (1, 2, 3)]
    for one, two in neighbours(results):
        close(one.ss, two.ss)
    total = float(((frame["y"] - frame["y"].mean()) ** 2).sum())
    close(results[0].ss.sum() + results[0].ss_error, total)


@pytest.mark.slow
@given(frames())
def test_type_one_adds_up_to_the_total(frame: pd.DataFrame) -> None:
    result = anova(frame, "y", by_of(frame), type=1)
    close(result.ss.sum() + result.ss_error, ((frame["y"] - frame["y"].mean()) ** 2).sum())


@pytest.mark.slow
@given(frames(), st.sampled_from([1, 2, 3]))
def test_a_table_gives_what_the_rows_give(frame: pd.DataFrame, kind: int) -> None:
    cells = Cells.from_frame(frame, "y", by_of(frame))
    table = Cells.from_table(
        n=cells.n,
        mean=cells.mean,
        variance=np.nan_to_num(cells.variance),
        factors={factor.name: factor.levels for factor in cells.factors},
    )
    close(anova(table, type=kind).statistic, anova(frame, "y", by_of(frame), type=kind).statistic)


@given(frames(least=2, shapes=[(2,)]))
def test_two_levels_give_the_square_of_t(frame: pd.DataFrame) -> None:
    groups = [group.to_numpy() for _, group in frame.groupby("f0")["y"]]
    assume(all(np.ptp(group) > 0 for group in groups))  # else scipy warns
    close(anova(frame, "y", "f0").statistic[0], stats.ttest_ind(*groups).statistic ** 2)


# --- what it takes and gives ---------------------------------------------------------------------------------------


def test_other_summaries_and_a_choice_of_factors() -> None:
    frame = moore()
    values = ValueCounts.from_frame(frame, "conformity", MOORE_DESIGN)
    expected = anova(frame, "conformity", MOORE_DESIGN)
    agree(anova(values).statistic, expected.statistic, rtol=1e-12)
    cells = Cells.from_frame(frame, "conformity", MOORE_DESIGN)
    alone = anova(cells, by="partner.status")
    assert alone.terms == ("partner.status",)
    agree(alone.statistic, anova(frame, "conformity", "partner.status").statistic, rtol=1e-12)
    turned = anova(cells, by=["partner.status", "fcategory"], type=1)
    agree(turned.statistic, anova(frame, "conformity", ["partner.status", "fcategory"], type=1).statistic, rtol=1e-12)
    samples = {level: group.to_numpy() for level, group in frame.groupby("fcategory")["conformity"]}
    agree(anova(samples).statistic, stats.f_oneway(*samples.values()).statistic, rtol=1e-12)


def test_frame_and_text() -> None:
    result = anova(moore(), "conformity", MOORE_DESIGN)
    frame = result.to_frame()
    assert frame["term"].tolist() == [*result.terms, "Residual"]
    assert frame.attrs["schema"] == "Anova/1"
    assert result.apa("partner.status") == "F(1, 39) = 11.42, p = .002, ηp² = .23, 90% CI [.06, .40]"
    assert result.apa().startswith("fcategory: F(2, 39) = 0.86, p = .431, ηp² = .04, 90% CI [.00, .16]; ")
    assert result.effect(("partner.status", "fcategory")).term == "fcategory:partner.status"
    assert result.effect("partner.status:fcategory") == result.effect("fcategory:partner.status")
    assert result.effect_size("fcategory").value == pytest.approx(36.0187 / (36.0187 + 817.7640), rel=1e-5)
    assert (result.n, result.type, result.coding, result.missing) == (45, 3, "sum to zero", 0)
    assert result.mean_square_error == pytest.approx(817.76396 / 39)


def test_a_stack_makes_a_long_frame() -> None:
    cells = Cells.from_frame(moore(), "conformity", MOORE_DESIGN)
    assert anova(Cells.stack([cells, cells])).to_frame()[["study", "term"]].iloc[-1].tolist() == [1, "Residual"]


def test_cells_of_one_observation_are_fine_while_others_have_more() -> None:
    cells = Cells.from_table(n=[[1, 5], [1, 1]], mean=[[1, 2], [3, 5]], sd=[[0, 2], [0, 0]])
    result = anova(cells)
    assert result.df2 == 4
    # By hand: the interaction contrast 1 − 2 − 3 + 5 over its variance 4 (1 + 1/5 + 1 + 1).
    assert result.statistic[2] == pytest.approx(1 / (4 * 3.2))
    groups = {"a": [1, 2, 4], "b": [2, 5], "c": [7]}
    assert anova(groups).statistic == pytest.approx(stats.f_oneway(*groups.values()).statistic)


# --- what it refuses -----------------------------------------------------------------------------------------------


def columns(**given: Any) -> pd.DataFrame:
    base = {"a": ["x", "x", "y", "y"] * 3, "b": ["p", "q"] * 6, "y": [1.0, 2, 3, 5, 2, 4, 7, 1, 0, 3, 5, 6]}
    return pd.DataFrame(base | given)


def test_an_empty_cell_has_tests_of_type_two_and_means_by_counts() -> None:
    frame = columns().query("a != 'y' or b != 'q'")
    assert anova(frame, "y", ["a", "b"], type=2).df1.tolist() == [1, 1, 0]
    assert anova(frame, "y", ["a", "b"], type=2).apa("a:b") == "F(0, 6) = NA, p = NA, ηp² = NA, 90% CI [NA, NA]"
    plain = margins(frame, "y", ["a", "b"], specs="a", weights="cells")
    agree(plain.mean, frame.groupby("a")["y"].mean())
    assert plain.n.tolist() == [6, 3]


# --- calibration ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("means", [[0.0, 2.0], [2.0, 0.0], [-1.0, 1.0], [5.0, 7.0]])
def test_variance_of_rounding_alone_is_none(means: list[float]) -> None:
    """Wherever the means lie about their centre: of values near 2, a spread of 4e-16 is rounding."""
    cells = Cells.from_samples({"a": [0.0, 0.0, 1.0], "b": [2.0, 2.0, 3.0]})
    cells = dataclasses.replace(cells, offset=np.array(means), variance=np.full(2, 1e-31))
    with pytest.raises(NotEstimable, match="does not vary inside the cells"):
        anova(cells)
