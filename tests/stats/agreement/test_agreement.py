"""Agreement and reliability against R and print, also where units lie in clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.errors import NotEstimable
from negstats.stats.agreement.categories import cohens_kappa, fleiss_kappa, krippendorffs_alpha
from negstats.stats.agreement.measurements import bland_altman, icc
from negstats.stats.agreement.ratings import Measure, cluster_jackknife
from negstats.stats.agreement.reliability import omega, reliability
from negstats.stats.summaries import Moments
from tests.conftest import reference, runs
from tests.stats.closeness import rel

R: dict[str, Any] = reference("agreement")
# Shrout and Fleiss (1979), table 2: six targets, four judges
JUDGES = {"a": [9, 6, 8, 7, 10, 6], "b": [2, 1, 4, 1, 5, 2], "c": [5, 3, 6, 2, 6, 4], "d": [8, 2, 8, 6, 9, 7]}
# Krippendorff (2011), Computing Krippendorff's alpha-reliability, example with missing values
WORDS = "1 2 3 3 2 1 4 1 2 . . . | 1 2 3 3 2 2 4 1 2 5 . 3 | . 3 3 3 2 3 4 2 2 5 1 . | 1 2 3 3 2 4 4 1 2 5 1 ."
CODERS = {
    name: [np.nan if word == "." else float(word) for word in row.split()]
    for name, row in zip("ABCD", WORDS.split("|"), strict=True)
}


def columns(values: list[Any]) -> dict[str, Any]:
    return {f"i{place}": column for place, column in enumerate(values, start=1)}


class TestInR:
    @pytest.mark.parametrize("case", R["kappas"], ids=lambda case: str(len(case["a"])))
    def test_cohens_kappa_is_vcds(self, case: dict[str, Any]) -> None:
        for weights, name in ((None, "kappa"), ("linear", "linear"), ("quadratic", "quadratic")):
            result = cohens_kappa({"a": case["a"], "b": case["b"]}, ["a", "b"], weights=weights)
            # vcd weighs by 1 - distance over the largest distance, as we do, and gives the same standard error
            assert result.estimate == rel(case[name])
            assert result.se == rel(case["se" if weights is None else f"{name}_se"], 1e-7)

    @pytest.mark.parametrize("case", R["ratings"], ids=lambda case: f"{len(case['ratings'][0])}")
    def test_intraclass_correlations_are_psychs(self, case: dict[str, Any]) -> None:
        data = columns(case["ratings"])
        forms = icc(data, list(data)).forms(0.9)
        order = ["1", "A,1", "C,1", "1,k", "A,k", "C,k"]
        assert forms["form"].tolist() == order
        assert forms["estimate"].to_numpy() == rel(case["icc"])
        assert forms["statistic"].to_numpy() == rel(case["f"])
        assert forms["p"].to_numpy() == rel(case["p"])
        assert forms["low"].to_numpy() == rel(case["low"])
        assert forms["high"].to_numpy() == rel(case["high"])

    @pytest.mark.parametrize("case", R["scales"], ids=lambda case: f"{len(case['items'])}")
    def test_alpha_is_psychs_and_omega_is_factanals(self, case: dict[str, Any]) -> None:
        data = columns(case["items"])
        result = reliability(data, list(data))
        assert result.alpha == rel(case["alpha"])
        assert result.item_rest == rel(case["rest"])
        assert result.without == rel(case["without"])
        assert result.items_frame()["item"].tolist() == list(data)
        assert result.items_frame()["alpha_without"].to_numpy() == rel(case["without"])
        factor = omega(data, list(data))
        assert factor.omega == rel(case["omega"], 1e-5)
        assert factor.loadings == rel(case["loadings"], 1e-4)
        if len(data) > 3:  # three items fit one factor always
            assert factor.statistic == rel(case["chisq"], 1e-4)
        assert factor.df == ((len(data) - 1) ** 2 - len(data) - 1) / 2  # Lawley's, of one factor


class TestInPrint:
    def test_worked_kappas(self) -> None:
        # checked by R and by a numerical delta method
        a = [1, 2, 3, 3, 2, 1, 4, 1, 2, 4, 3, 1, 2, 2, 3, 4, 1, 3, 2, 4]
        b = [1, 2, 3, 3, 3, 1, 4, 2, 2, 3, 3, 1, 1, 2, 3, 4, 1, 2, 2, 4]
        for weights, value, se in [
            (None, 0.66329966329966, 0.13155349029),
            ("linear", 0.78448275862, 0.08979575401),
            ("quadratic", 0.88479262673, 0.05283790487),
        ]:
            result = cohens_kappa({"a": a, "b": b}, ["a", "b"], weights=weights)
            assert (result.estimate, result.se) == (rel(value), rel(se))

    def test_fleiss_table(self) -> None:
        table = [
            [0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1],
            [7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7],
        ]  # fmt: skip
        result = fleiss_kappa(table)
        assert (result.estimate, result.null_se) == (rel(0.20993070442), rel(0.0169650692))
        assert f"{result.estimate:.3f}" == "0.210"

    def test_krippendorffs_example(self) -> None:
        for kind, value, printed in [
            ("nominal", 0.743421052632, ".743"),
            ("ordinal", 0.815387503755, ".815"),
            ("interval", 0.849107142857, ".849"),
            ("ratio", 0.797402774712, ".797"),
        ]:
            result = krippendorffs_alpha(CODERS, list("ABCD"), kind)  # type: ignore[arg-type]
            assert (result.estimate, result.n, result.missing) == (rel(value), 40, 1)
            assert f"{result.estimate:.3f}"[1:] == printed

    def test_shrout_and_fleiss(self) -> None:
        forms = icc(JUDGES, list("abcd")).forms().set_index("form")
        wanted = {"1": 0.165741768405, "A,1": 0.289763779528, "C,1": 0.714840714841}
        wanted |= {"1,k": 0.442797133679, "A,k": 0.620050547599, "C,k": 0.909315542377}
        for form, value in wanted.items():
            assert forms["estimate"][form] == rel(value)
        assert (forms["low"]["A,1"], forms["high"]["A,1"]) == (rel(0.0187865134), rel(0.7610843696))

    def test_reliability_of_the_worked_items(self) -> None:
        rows = "4 6 3 5 7 3 5 6 3 3 7 5|5 5 2 6 6 3 4 7 4 2 6 6|3 6 3 5 7 1 5 5 5 3 6 4|4 4 4 7 5 3 6 6 3 2 7 5"
        data = columns([[float(word) for word in row.split()] for row in rows.split("|")])
        result = reliability(data, list(data))
        ends = result.confidence_interval()
        assert (result.alpha, result.se) == (rel(0.90776255707763), rel(0.04482362719))
        assert (ends.low, ends.high) == (rel(0.7774988536), rel(0.9702201968))
        factor = omega(data, list(data))
        assert (factor.omega, factor.standardized) == (rel(0.90863532, 1e-7), rel(0.91102215, 1e-7))

    def test_limits_of_agreement(self) -> None:
        result = bland_altman(JUDGES, "a", "d")
        assert (result.bias, result.low, result.high) == (1, rel(-2.27964704), rel(4.27964704))
        assert result.limit_se == rel(1.24188370)
        low, high = result.limit_intervals()
        assert ((low.low + low.high) / 2, (high.low + high.high) / 2) == (rel(result.low), rel(result.high))
        for ends in (low, high):  # the quantile of t at 5 degrees of freedom
            assert (ends.high - ends.low) / 2 == rel(2.5705818356363 * result.limit_se)


class TestProperties:
    table = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=4, max_size=12)

    @pytest.mark.slow
    @given(table)
    @settings(max_examples=30)
    def test_names_and_order_change_nothing(self, rows: list[list[int]]) -> None:
        data = pd.DataFrame(rows, columns=["A", "B", "C"])
        if data.to_numpy().min() == data.to_numpy().max():
            return
        alpha = krippendorffs_alpha(data, ["A", "B", "C"]).estimate
        renamed_data = data.map({0: "z", 1: "y", 2: "x", 3: "w"}.get).iloc[::-1]
        assert krippendorffs_alpha(renamed_data, ["C", "A", "B"]).estimate == pytest.approx(alpha, abs=1e-12)
        assert fleiss_kappa(renamed_data, ["C", "A", "B"]).estimate == pytest.approx(
            fleiss_kappa(data, ["A", "B", "C"]).estimate, abs=1e-12
        )

    @given(table)
    @settings(max_examples=30)
    def test_fleiss_is_krippendorff_but_for_a_small_sample(self, rows: list[list[int]]) -> None:
        data = pd.DataFrame(rows, columns=["A", "B", "C"])
        if data.to_numpy().min() == data.to_numpy().max():
            return
        kappa, alpha = fleiss_kappa(data, ["A", "B", "C"]), krippendorffs_alpha(data, ["A", "B", "C"])
        # alpha draws the second value of a chance pair without putting back the first
        n = 3 * len(rows)
        assert alpha.observed == pytest.approx(1 - kappa.observed, abs=1e-12)
        assert alpha.expected == pytest.approx((1 - kappa.expected) * n / (n - 1), abs=1e-12)

    def test_one_row_a_rating_is_one_row_a_unit(self) -> None:
        long = pd.DataFrame(CODERS).rename_axis("unit").reset_index().melt("unit", var_name="coder", value_name="code")
        result = krippendorffs_alpha(long, "coder", "interval", unit="unit", value="code")
        assert result.estimate == rel(0.849107142857)
        targets = (
            pd.DataFrame(JUDGES).rename_axis("who").reset_index().melt("who", var_name="judge", value_name="points")
        )
        assert icc(targets, "judge", unit="who", value="points").estimate == rel(0.289763779528)

    def test_the_bootstrap_is_the_same_for_the_same_generator(self) -> None:
        result = krippendorffs_alpha(CODERS, list("ABCD"), "ordinal")
        first, second = (result.confidence_interval(rng=np.random.default_rng(5), n_resamples=200) for _ in range(2))
        assert first == second
        assert first.low < result.estimate < first.high

    def test_limits_of_clustered_differences_are_wider_than_of_independent_ones(self) -> None:
        rng = np.random.default_rng(8)
        dyad = np.repeat(np.arange(30), 4)
        d = np.repeat(rng.normal(0, 2, 30), 4) + rng.normal(size=120)
        data = {"one": 10 + d, "two": np.full(120, 10.0), "dyad": dyad}
        plain, clustered = bland_altman(data, "one", "two"), bland_altman(data, "one", "two", cluster="dyad")
        assert clustered.clusters == 30
        assert clustered.se > 1.5 * plain.se
        assert clustered.sd == pytest.approx(plain.sd, rel=0.05)


class TestEdges:
    def test_categories_of_the_code_book_weigh_distances(self) -> None:
        data = {"a": [1, 2, 2, 1], "b": [1, 2, 1, 1]}
        assert cohens_kappa(data, ["a", "b"], categories=[1, 2, 3]).estimate == cohens_kappa(data, ["a", "b"]).estimate

    def test_raters_who_agree_in_all(self) -> None:
        same = {"a": [1, 2, 3, 5], "b": [1, 2, 3, 5]}
        result = icc(same, ["a", "b"])
        assert result.estimate == 1
        assert np.isnan(result.confidence_interval().low)
        assert cohens_kappa(same, ["a", "b"]).estimate == 1

    def test_items_against_each_other_give_a_negative_alpha(self) -> None:
        result = reliability({"a": [1, 2, 3, 4], "b": [4, 3, 2, 2]}, ["a", "b"])
        assert float(result.alpha) < 0
        assert "items run against each other" in result.apa()

    def test_a_heywood_case_is_named(self) -> None:
        result = omega(
            {"a": [4, 6, 3, 5, 7, 3, 5], "b": [5, 5, 2, 6, 6, 3, 4], "c": [3, 6, 3, 5, 7, 1, 5]}, ["a", "b", "c"]
        )
        assert result.heywood == ("a",)
        assert "at its bound" in result.apa()


@pytest.mark.calibration
def test_intervals_cover() -> None:
    rng = np.random.default_rng(11)
    studies, hits = runs(20_000, 200), np.zeros(3)
    y = rng.normal(size=(studies, 15, 3)) + rng.normal(size=(studies, 15, 1))
    stack = Moments.from_array(y, list("abc"))
    truth = {"C,1": 0.5, "1": 0.5}
    for place, (form, value) in enumerate(truth.items()):
        ends = icc(stack, list("abc"), form).confidence_interval()  # type: ignore[arg-type]
        hits[place] = np.mean((np.asarray(ends.low) <= value) & (value <= np.asarray(ends.high)))
    ends = reliability(stack, list("abc")).confidence_interval()
    hits[2] = np.mean((np.asarray(ends.low) <= 0.75) & (np.asarray(ends.high) >= 0.75))
    assert np.abs(hits - 0.95).max() < 3 * np.sqrt(0.95 * 0.05 / studies), hits


@pytest.mark.parametrize("confidence_level", [0.8, 0.95])
def test_the_interval_of_omega_is_symmetric_on_the_scale_of_log_odds(confidence_level: float) -> None:
    rng = np.random.default_rng(6)
    common = rng.normal(size=80)
    result = omega({name: common + rng.normal(size=80) for name in "abcd"}, list("abcd"))
    low, high = (
        float(np.asarray(end))
        for end in (result.confidence_interval(confidence_level).low, result.confidence_interval(confidence_level).high)
    )
    z = {0.8: 1.2815515655446004, 0.95: 1.959963984540054}[confidence_level]
    error = result.se / (result.omega * (1 - result.omega))  # by the delta method, of log(omega / (1 - omega))
    assert np.log(high / (1 - high)) - np.log(low / (1 - low)) == pytest.approx(2 * z * error, rel=1e-9)
    assert np.log(low / (1 - low)) == pytest.approx(np.log(result.omega / (1 - result.omega)) - z * error, rel=1e-9)


PUBLIC: dict[Measure, Callable[..., object]] = {
    "cohen": cohens_kappa,
    "fleiss": fleiss_kappa,
    "alpha": krippendorffs_alpha,
}


def draw_codes(seed: int, raters: int, missing: float = 0.0) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return codes of 48 units by raters of whom each repeats the first in 7 of 10, and the units' clusters."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 3, (48, raters))
    codes = np.where(rng.random((48, raters)) < 0.7, codes[:, :1], codes)
    codes[rng.random((48, raters)) < missing] = -1
    return codes, np.repeat(np.arange(8), 6)


def estimate(measure: Measure, codes: npt.NDArray[np.int64]) -> float:
    names = [f"r{place}" for place in range(codes.shape[1])]
    frame = pd.DataFrame(codes, columns=names).replace(-1, np.nan)
    return float(PUBLIC[measure](frame, names).estimate)  # type: ignore[attr-defined]


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), case=st.sampled_from([("cohen", 2, 0.0), ("fleiss", 4, 0.0), ("alpha", 3, 0.2)]))
def test_each_estimate_is_that_of_the_public_measure(seed: int, case: tuple[Measure, int, float]) -> None:
    measure, raters, missing = case
    codes, clusters = draw_codes(seed, raters, missing)
    jackknife = cluster_jackknife(codes, clusters, measure)
    assert jackknife.estimate == pytest.approx(estimate(measure, codes))
    for cluster, value in enumerate(jackknife.without):
        assert value == pytest.approx(estimate(measure, codes[clusters != cluster]))
    inner, outer = jackknife.confidence_interval(0.8), jackknife.confidence_interval(0.99)
    assert outer.low < inner.low < jackknife.estimate < inner.high < outer.high < 1
    order = np.random.default_rng(seed).permutation(48)
    again = cluster_jackknife(codes[order], 100 - clusters[order], measure)
    assert again.confidence_interval().low == pytest.approx(jackknife.confidence_interval().low)


# Coverage of 95 % intervals -------------------------------------------------------------------------------------------
# Messages of a talk have a rate of the code of their own (beta, mean .3, sum 4); each coder misses it in a share of
# messages that is the talk's and coder's own (beta, mean .1, sum 3), and gives it for nothing half as often.


def draw_talks(
    rng: np.random.Generator, talks: int, spread: float
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    sizes = rng.integers(4, 20, talks)
    talk = np.repeat(np.arange(talks), sizes)
    is_code = rng.random(len(talk)) < rng.beta(1.2, 2.8, talks)[talk]
    errors = rng.beta(0.1 * spread, 0.9 * spread, (talks, 2))[talk]
    wrong = rng.random((len(talk), 2)) < np.where(is_code[:, None], errors, errors / 2)
    return (is_code[:, None] ^ wrong).astype(np.int64), talk


@pytest.mark.slow
@pytest.mark.calibration
@pytest.mark.parametrize(
    ("talks", "spread", "over_talks", "over_messages"),
    [
        (5, 3, 0.944, 0.773),
        (10, 3, 0.951, 0.757),
        (20, 3, 0.953, 0.762),
        (50, 3, 0.949, 0.761),
        (10, 1e5, 0.949, 0.933),
    ],
)
def test_intervals_over_talks_cover(talks: int, spread: float, over_talks: float, over_messages: float) -> None:
    """Also (the last case) where errors are independent; taken alone, messages cover in three studies of four."""
    rng, studies = np.random.default_rng([7, talks]), runs(4_000, 60)
    truth = estimate("cohen", draw_talks(np.random.default_rng(8), 30_000, spread)[0])
    covered, plain, defined = 0, 0, 0
    for _ in range(studies):
        codes, talk = draw_talks(rng, talks, spread)
        table = np.bincount(codes @ [2, 1], minlength=4).reshape(2, 2)
        try:
            ends = cluster_jackknife(codes, talk, "cohen").confidence_interval()
        except NotEstimable:
            continue
        messages = cohens_kappa(table).confidence_interval()
        defined += 1
        covered += bool(ends.low <= truth <= ends.high)
        plain += bool(messages.low <= truth <= messages.high)
    print(talks, spread, covered / defined, plain / defined, defined / studies)
    band = 4 * np.sqrt(0.25 * 0.95 / studies) if studies < 1000 else 0.015
    assert defined > 0.75 * studies
    assert covered / defined == pytest.approx(over_talks, abs=band)
    assert plain / defined == pytest.approx(over_messages, abs=2 * band)
