"""Mixed models against lme4, lmerTest, pbkrtest and nlme, against their own algebra, and on the data sets of lme4.

The data of lme4 are under the GPL, so that R exports them as the test runs; what lme4 1.1-31 found is in
lme4_data.json. Where R or lme4 is not there, these tests are skipped; drawn data of the same shapes are held in
test_responses.py.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from negstats.errors import DesignError
from negstats.stats import ClusterMoments, MixedModel, mixed, pairwise
from negstats.stats.models import mixed_model
from negstats.stats.models.estimators import RandomEffects
from negstats.stats.models.random_intercept import check_independent, kenward_roger
from negstats.stats.models.results import DF
from tests.conftest import reference, runs
from tests.stats.closeness import agree
from tests.stats.models.data import at_zero, coded_to_sum, column, seesaw, singletons, summed_to_zero, three_groups

REFERENCE = reference("mixed")
DESIGNS = {design["name"]: design for design in REFERENCE["designs"]}
FORMULA = "y ~ g * x"


def fitted(design: dict[str, Any], **options: Any) -> MixedModel:
    result: MixedModel = mixed(pd.DataFrame(design["rows"]), design["formula"], "j", **options)
    return result


# --- R -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow(keep=10)
@pytest.mark.parametrize("name", DESIGNS)
def test_agrees_with_r(name: str) -> None:
    expected = DESIGNS[name]
    result, ml = fitted(expected), fitted(expected, method="ml")
    # lme4 minimises the deviance, and so gives the variances to half of its digits; ours solves the derivative.
    agree([result.deviance, ml.deviance], [expected["reml"], expected["ml"]], rtol=1e-9)
    assert result.deviance <= expected["reml"] + 1e-9
    values = [result.tau2, result.sigma2, ml.tau2, ml.sigma2]
    agree(values, [expected[key] for key in ("tau2", "sigma2", "tau2_ml", "sigma2_ml")], rtol=2e-5, atol=1e-6)
    by_satterthwaite, by_kr = coded_to_sum(result, "satterthwaite"), coded_to_sum(result)
    agree(column(by_kr, "estimate"), expected["b"], rtol=1e-5, atol=1e-6)
    agree(column(by_satterthwaite, "se"), expected["se"], rtol=1e-5)
    agree(column(by_kr, "se"), expected["kr_se"], rtol=1e-5)
    agree(column(by_kr, "df"), expected["kr_df"], rtol=1e-5)
    if result.tau2 > 1e-4:  # next to the bound lmerTest's numerical derivative in the SD loses its digits
        agree(column(by_satterthwaite, "df"), expected["df"], rtol=1e-4)
    for test, wanted in zip(at_zero(result), expected["tests"], strict=True):
        assert test.term == wanted["term"]
        if wanted["df2"] <= 2 and wanted["df1"] > 1:  # too little information: λ would have no sign to rely on
            assert np.isnan(test.p)
            continue
        values = [float(test.statistic), float(test.df1), float(test.df2), float(test.scale)]
        agree(values, [wanted[key] for key in ("f", "df1", "df2", "scale")], rtol=2e-5)


@pytest.mark.parametrize("place", range(len(REFERENCE["negative"])))
def test_negative_correlation_agrees_with_gls(place: int) -> None:
    expected = REFERENCE["negative"][place]
    result = mixed(pd.DataFrame(expected["rows"]), "y ~ x", "j", between="any")
    assert expected["rho"] < 0
    agree(result.deviance, expected["reml"], rtol=1e-8)
    agree(result.icc, expected["rho"], rtol=1e-5)
    agree(column(coded_to_sum(result), "estimate"), expected["b"], rtol=1e-5)
    agree(column(coded_to_sum(result, "satterthwaite"), "se"), expected["se"], rtol=1e-5)


# R 4.2.2, lme4 1.1-31, lmerTest 3.1-3, pbkrtest 0.5.2: criterion, σ², τ²; SE and df of each coefficient.
KNOWN: dict[str, tuple[pd.DataFrame, str, tuple[float, ...], list[float], list[float], list[float]]] = {
    "pairs and singletons": (
        three_groups(),
        FORMULA,
        (289.880338592, 13.0574812270, 15.2042764319),
        [2.29123145904, 2.71233936361, 3.09956576776, 0.847569940505, 1.02254508946, 1.16211474703],
        [43.6824767391, 43.9350519170, 44.4870199471, 37.5039386607, 38.2138268216, 40.4461592740],
        [43.6711630439, 43.9258537758, 44.4825330985, 37.4487408593, 38.1629033769, 40.4099751679],
    ),
    "no variance between": (
        seesaw(),
        "y ~ g + x",
        (158.454610419, 69.6126984127, 0.0),
        [3.02153361549, 1.70309397877, 1.66388251308],
        [19.0163934426, 9.35483870968, 20.7142857143],
        [21.0, 21.0, 21.0],
    ),
    "one large cluster": (
        singletons(),
        "y ~ g + x",
        (1991.81863377894, 31.9333124718, 63.2201340193),
        [1.20094788430, 0.351131626559, 0.113177175143],
        [122.595764667, 249.039454988, 254.735333602],
        [122.742847537, 249.121547638, 254.809328477],
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_known_values(name: str) -> None:
    frame, formula, criterion, se, df, satterthwaite = KNOWN[name]
    result = mixed(frame, formula, "j")
    agree([result.deviance, result.sigma2, result.tau2], criterion, rtol=1e-11)
    agree(column(coded_to_sum(result), "se"), se, rtol=1e-10)
    agree(column(coded_to_sum(result), "df"), df, rtol=1e-9)
    agree(column(coded_to_sum(result, "satterthwaite"), "df"), satterthwaite, rtol=1e-9)


def test_terms_of_pairs_and_singletons() -> None:
    result = mixed(three_groups(), FORMULA, "j")
    rows = [(test.statistic, test.df2, test.scale) for test in at_zero(result)]
    wanted = [  # pbkrtest
        (0.575507187758, 43.8974338444, 0.999819791084),
        (9.12398134229, 37.5039386607, 1.0),
        (0.230893993784, 38.2332318765, 0.999520410759),
    ]
    agree(rows, wanted, rtol=1e-10)
    summed = summed_to_zero(result)
    four = result.test(summed[[1, 2, 4, 5]])
    agree([four.statistic, four.df2, four.scale], [0.686148294282, 34.9707958434, 0.985714581543], rtol=1e-10)
    agree([result.with_df("satterthwaite").test(summed[1:3]).statistic], 0.608125312284, rtol=1e-10)
    second = result.tests(type=2)[["statistic", "df2"]].head(2).to_numpy()
    agree(second, [(1.1320882668, 22.6148446), (11.2741094416, 40.2803356)], rtol=1e-8)


def test_negative_covariance_of_the_seesaw() -> None:
    result = mixed(seesaw(), "y ~ g + x", "j", between="any")
    wanted = [137.557908188, 149.134820393, -73.2027936212]  # nlme::gls, corCompSymm
    agree([result.deviance, result.sigma2, result.tau2], wanted, rtol=1e-11)
    agree(column(coded_to_sum(result), "df"), [9.40276770762, 9.00065721489, 9.49733088105], rtol=1e-9)
    satterthwaite = [9.23417170603, 8.83377925895, 9.32840316756]
    agree(column(coded_to_sum(result, "satterthwaite"), "df"), satterthwaite, rtol=1e-9)
    assert result.notes == ()


@pytest.mark.slow
def test_profile_intervals_and_the_test_of_clusters() -> None:
    reml, ml = (mixed(three_groups(), FORMULA, "j", method=method) for method in ("reml", "ml"))
    wanted = {
        "icc": (0.143846196, 0.777400024),
        "between": (1.911500909, 5.957732814),
        "within": (2.734523381, 5.062802874),
    }
    by_ml = {
        "icc": (0.113431231, 0.755009839),
        "between": (1.605740047, 5.330093693),
        "within": (2.641696506, 4.816553854),
    }
    for fit, ends in ((reml, wanted), (ml, by_ml)):
        agree([fit.icc_interval().low, fit.icc_interval().high], ends["icc"], rtol=1e-7)
        for part, effect in (("between", "Intercept"), ("within", "Residual")):
            result = fit.sd_interval(effect)
            agree([result.low, result.high], ends[part], rtol=1e-7)
    test = reml.cluster_test()
    agree([test.statistic, test.p], [6.520732166, 0.01066241 / 2], rtol=1e-6)  # lmerTest::ranova, halved


# --- properties ----------------------------------------------------------------------------------------------------


@st.composite
def designs(draw: st.DrawFn) -> pd.DataFrame:
    clusters = draw(st.integers(6, 14))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    size = rng.integers(1, 5, clusters)
    size[:2] = 2
    j = np.repeat(np.arange(clusters), size)
    spread = draw(st.sampled_from([0.0, 1.0, 3.0]))
    frame = pd.DataFrame(
        {"j": j, "g": np.where(np.arange(len(j)) % 2, "b", "a"), "x": rng.normal(size=len(j)).round(2)}
    )
    frame["y"] = (frame["x"] + spread * rng.normal(size=clusters)[j] + rng.normal(size=len(j))).round(2)
    return frame


@pytest.mark.slow
@given(designs())
@settings(max_examples=25)
def test_the_fit_is_that_of_the_dense_model(frame: pd.DataFrame) -> None:
    """Generalised least squares with the whole N × N covariance gives the same β, SE and REML criterion."""
    result = mixed(frame, FORMULA, "j", between="positive")
    s = np.where(frame["g"] == "a", 1.0, -1.0)
    x = np.column_stack([np.ones(len(frame)), s, frame["x"], s * frame["x"]])
    y = frame["y"].to_numpy()
    same = frame["j"].to_numpy()[:, None] == frame["j"].to_numpy()
    v = float(result.sigma2) * np.eye(len(y)) + float(result.tau2) * same
    weight = np.linalg.inv(v)
    phi = np.linalg.inv(x.T @ weight @ x)
    b = phi @ x.T @ weight @ y
    rest = y - x @ b
    logs = np.linalg.slogdet(v)[1] - np.linalg.slogdet(phi)[1]
    criterion = logs + rest @ weight @ rest + (len(y) - 4) * np.log(2 * np.pi)
    agree(column(coded_to_sum(result), "estimate"), b, rtol=1e-7, atol=1e-8)
    turn = summed_to_zero(result)
    agree(turn @ result.with_df("satterthwaite").covariance @ turn.T, phi, rtol=1e-7, atol=1e-10)
    agree(result.deviance, criterion, rtol=1e-9)
    predictions = result.predictions(frame)
    random = float(result.tau2) * same @ weight @ rest
    agree(predictions["random"], random, rtol=1e-6, atol=1e-7)
    agree(predictions["fitted"] + predictions["residual"], y, rtol=1e-12)


def test_far_from_zero_no_digit_is_lost() -> None:
    frame = three_groups()
    near = mixed(frame, FORMULA, "j")
    far = mixed(frame.assign(y=frame["y"] + 10**9, x=frame["x"]), FORMULA, "j")
    agree([far.tau2, far.sigma2], [near.tau2, near.sigma2], rtol=1e-13)
    agree(far.coefficients["Intercept"], near.coefficients["Intercept"] + 10**9, rtol=1e-14)


def test_a_balanced_design_between_clusters_is_the_t_test_of_their_means() -> None:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame({"j": np.repeat(np.arange(16), 2), "g": np.repeat(["a", "b"], 16)})
    frame["y"] = rng.normal(size=16)[frame["j"]] * 2 + rng.normal(size=32)
    means = frame.groupby(["g", "j"])["y"].mean()
    wanted = stats.ttest_ind(means["a"], means["b"])
    methods: tuple[DF, ...] = ("kenward-roger", "satterthwaite")
    for df in methods:
        result = mixed(frame, "y ~ g", "j", between="any").with_df(df).effect("g")  # b less a
        agree([-result.statistic, result.df, result.p], [wanted.statistic, 14, wanted.pvalue], rtol=1e-9)


def test_the_degrees_of_freedom_of_a_fit_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kenward and Roger's take much longer than the frame that shows them."""
    calls = 0

    def counting(*arguments: Any) -> Any:
        nonlocal calls
        calls += 1
        return kenward_roger(*arguments)

    monkeypatch.setattr(mixed_model, "kenward_roger", counting)
    model = mixed(three_groups(), FORMULA, "j")
    frame = model.to_frame()
    agree([model.p, model.se], [frame["p"], frame["se"]], rtol=1e-15)
    assert calls == len(model.names)
    other = model.with_df("satterthwaite")
    assert (np.abs(other.df - model.df) > 1e-3).any()
    assert calls == len(model.names)
    agree(other.with_df("kenward-roger").df, model.df, rtol=1e-15)


# --- edges and refusals --------------------------------------------------------------------------------------------


def test_the_bound_is_said() -> None:
    result = mixed(seesaw(), "y ~ g + x", "j")
    assert "conservative" in result.notes[0]
    assert result.cluster_test().p == 1.0
    assert result.icc_interval().low == 0.0


def test_a_comparison_by_ml_is_of_the_deviances() -> None:
    ml = mixed(three_groups(), FORMULA, "j", method="ml")
    smaller = mixed(three_groups(), "y ~ g + x", "j", method="ml")
    test = ml.compare(smaller)
    agree([test.statistic, test.df], [float(smaller.deviance) - float(ml.deviance), 2])


# --- calibration ---------------------------------------------------------------------------------------------------


@pytest.mark.calibration
@pytest.mark.parametrize(("clusters", "rho"), [(6, -0.3), (6, 0.3), (12, -0.3), (12, 0.0), (12, 0.6), (30, 0.3)])
def test_size_between_pairs_and_what_it_costs_to_ignore_them(clusters: int, rho: float) -> None:
    """Null studies, a factor between pairs: unbounded REML keeps 5 %, rows taken as independent do not."""
    studies = runs(20_000, 600)
    rng = np.random.default_rng([clusters, round(10 * rho) + 10])
    frame = pd.DataFrame(
        {"j": np.repeat(np.arange(clusters), 2), "g": np.where(np.arange(2 * clusters) // 2 % 2, "b", "a")}
    )
    root = np.linalg.cholesky(np.array([[1.0, rho], [rho, 1.0]]))
    y = (rng.normal(size=(studies, clusters, 2)) @ root.T).reshape(studies, -1)
    stack = ClusterMoments.from_frame(frame.assign(y=y[0]), "y ~ g", "j").with_outcomes(frame, y)
    p = np.asarray(mixed(stack, between="any").test("g").p)
    naive = stats.ttest_ind(y[:, frame["g"] == "a"], y[:, frame["g"] == "b"], axis=1).pvalue
    low, high = stats.binom.interval(0.999, studies, 0.05)
    assert low <= np.sum(p <= 0.05) <= high
    print(f"{clusters} pairs, ρ {rho}: {np.mean(p <= 0.05):.4f}; rows as independent {np.mean(naive <= 0.05):.4f}")
    if abs(rho) >= 0.3:
        assert (np.mean(naive <= 0.05) > 0.065) if rho > 0 else (np.mean(naive <= 0.05) < 0.04)


# --- engines -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", [pl.from_pandas, lambda f: pl.from_pandas(f).lazy(), duckdb.from_df])
def test_every_engine_gives_the_same_moments(engine: Any) -> None:
    frame = three_groups().astype({"x": "float64", "y": "float64"})
    frame.loc[[3, 7], "x"] = np.nan
    frame.loc[11, "g"] = None
    first_summary, second_summary = (ClusterMoments.from_frame(data, FORMULA, "j") for data in (frame, engine(frame)))
    assert first_summary.coding == second_summary.coding
    assert first_summary.missing == second_summary.missing == 3
    assert first_summary.origin == second_summary.origin
    for name in ("rows", "cross", "sizes", "clusters", "totals"):
        agree(getattr(second_summary, name), getattr(first_summary, name), rtol=1e-12, atol=1e-12)


def test_disjoint_clusters_add_up() -> None:
    frame = three_groups()
    parts = [
        ClusterMoments.from_frame(part, FORMULA, "j") for part in (frame[frame["j"] <= 13], frame[frame["j"] > 13])
    ]
    whole, merged = mixed(frame, FORMULA, "j"), mixed(parts[0] + parts[1])
    agree([merged.tau2, merged.sigma2], [whole.tau2, whole.sigma2], rtol=1e-10)
    agree(merged.estimate, whole.estimate, rtol=1e-10)


# --- origin and units ------------------------------------------------------------------------------------------------


def days() -> pd.DataFrame:
    rng = np.random.default_rng(21)
    who = np.repeat(np.arange(20), 4)
    day = rng.integers(0, 90, 80).astype(float)
    points = rng.integers(0, 9, 80) + rng.integers(0, 5, 20)[who] + np.round(day / 4) / 8
    return pd.DataFrame({"who": who, "day": day, "g": rng.choice(list("abc"), 80), "points": points})


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("random", [None, "day"], ids=["intercept", "slope"])
@pytest.mark.parametrize("shift", [0.0, 2010.0, 1e6, 1e9])
@pytest.mark.parametrize("scale", [2.0**-30, 1.0, 2.0**30])
def test_origin_and_unit_of_a_covariate_decide_nothing(random: str | None, shift: float, scale: float) -> None:
    frame = days()
    moved = frame.assign(day=(frame["day"] + shift) * scale, points=frame["points"] * scale - shift * scale)
    moved = moved.sample(frac=1, random_state=1)
    for kind in (2, 3):
        here = mixed(frame, "points ~ g * day", "who", random=random).tests(type=kind)
        result = mixed(moved, "points ~ g * day", "who", random=random).tests(type=kind)
        for name in ("statistic", "df2", "p"):
            agree(result[name], here[name], rtol=1e-8 if random is None else 1e-6)
    one, other = mixed(frame, "points ~ g * day", "who"), mixed(moved, "points ~ g * day", "who")
    agree(pairwise(other, specs="g").p, pairwise(one, specs="g").p, rtol=1e-8)
    fitted_there = other.predictions(moved)["residual"].sort_index()
    agree(fitted_there / scale, one.predictions(frame)["residual"], atol=1e-6, rtol=0)


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("random", [None, "z"], ids=["intercept", "slope"])
@pytest.mark.parametrize("start", [0.0, 2_000.0, 20_000.0, 1e5])
def test_a_day_and_its_square(random: str | None, start: float) -> None:
    # The square's coefficient is that of what the day leaves of it, a column that shares nothing with the others.
    frame = days().assign(day=lambda rows: rows["day"] + start, sq=lambda rows: rows["day"] ** 2, z=days()["day"] / 64)
    near = frame["day"] - frame["day"].mean()
    left = near**2 - np.polyval(np.polyfit(near, near**2, 1), near)
    here = mixed(frame, "points ~ day + sq", "who", random=random).contrast({"sq": 1.0})
    result = mixed(frame.assign(near=near, left=left), "points ~ near + left", "who", random=random).contrast(
        {"left": 1.0}
    )
    for name in ("statistic", "df", "p"):
        agree(getattr(here, name), getattr(result, name), rtol=2e-16 * max(1e3, start**2))


def test_a_main_effect_is_that_at_the_mean_of_the_covariate() -> None:
    frame = days()
    centred = frame.assign(day=frame["day"] - frame["day"].mean())
    first_model, second_model = (mixed(rows, "points ~ g * day", "who") for rows in (frame, centred))
    agree(first_model.test("g").statistic, second_model.test("g").statistic, rtol=1e-9)
    agree(at_zero(second_model)[0].statistic, second_model.test("g").statistic, rtol=1e-9)
    assert at_zero(first_model)[0].statistic != pytest.approx(float(first_model.test("g").statistic), rel=1e-3)


def test_as_many_rows_as_coefficients_are_too_few() -> None:
    coding: Any = None  # not looked at
    with pytest.raises(DesignError, match="3 rows cannot give 3 coefficients"):
        check_independent(np.eye(3), 3, coding)
    check_independent(np.eye(3), 4, coding)


FITS = reference("lme4_data")["fits"]
SCRIPT = Path(__file__).parents[2] / "reference" / "lme4_data.R"
# Columns that are numbers; the others are factors and clusters.
NUMBERS = {"y", "anger", "good", "mark", "reaction", "days", "diameter", "TICKS", "cHEIGHT"}
# Log-likelihoods of the engine as it was chosen; the marks had their factor as 0 and 1, which moves REML's by ln 2.
PRINTED = {
    "verbal_crossed": -4075.699860, "verbal_slope": -4045.297894, "verbal_quadrature": -4180.429559,
    "cbpp_logit": -277.459031480, "cbpp_probit": -278.042954444, "cbpp_cloglog": -277.220857811,
    "lectures": -5424.617445, "ticks": -890.271330, "lectures_marks": -13457.438162 - np.log(2),
    "sleep": -871.814136, "penicillin": -165.430294,
}  # fmt: skip


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with lme4's data as CSV files."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not there")
    folder = tmp_path_factory.mktemp("lme4")
    call = ["Rscript", str(SCRIPT), str(folder)]
    run = subprocess.run(call, capture_output=True, text=True, check=False)
    if run.returncode:
        pytest.skip("R has no lme4")
    return folder


def rows(folder: Path, name: str) -> pd.DataFrame:
    file = folder / f"{name}.csv"
    columns = pd.read_csv(file, nrows=0).columns
    return pd.read_csv(file, dtype={column: str for column in columns if column not in NUMBERS})


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in FITS.items() if one["family"] != "gaussian"])
def test_responses(name: str, exported: Path) -> None:
    expected: dict[str, Any] = FITS[name]
    model = mixed(
        rows(exported, expected["data"]), expected["formula"], family=expected["family"], link=expected["link"],
        nagq=expected["nagq"],
    )  # fmt: skip
    assert model.n == expected["rows"]
    # Both programs stop within a few thousandths of an SE of the maximum; ours may not be the lower one.
    np.testing.assert_array_less(np.abs(model.estimate - expected["beta"]) / expected["se"], 2e-3)
    np.testing.assert_allclose(model.se, expected["se"], rtol=4e-3)
    for term, sds in expected["sds"].items():
        # Slopes of a factor are of each level less the first in both, and the intercept's are of the first level.
        sizes = [sd for effect, sd in model.sds.items() if effect == term or effect.startswith(f"{term}: ")]
        np.testing.assert_allclose(sizes, np.atleast_1d(sds), rtol=4e-4)
    assert model.log_likelihood > expected["loglik"] - 1e-4
    assert model.log_likelihood == pytest.approx(PRINTED[name], abs=2e-6)


@pytest.mark.parametrize("name", ["sleep", "penicillin", pytest.param("lectures_marks", marks=pytest.mark.slow)])
def test_numbers(name: str, exported: Path) -> None:
    expected: dict[str, Any] = FITS[name]
    fixed, _, random = expected["formula"].partition(" + (")
    model = mixed(rows(exported, expected["data"]), fixed, random=f"({random}")
    np.testing.assert_allclose([float(one.estimate) for one in coded_to_sum(model)], expected["beta"], rtol=1e-4)
    assert -model.deviance / 2 == pytest.approx(expected["loglik"], abs=1e-6)
    assert -model.deviance / 2 == pytest.approx(PRINTED[name], abs=2e-6)
    found = model.variances().set_index(["cluster", "effect"])["sd"]
    assert isinstance(model.part, RandomEffects)
    sizes = np.concatenate([np.atleast_1d(expected["sds"][term.name]) for term in model.part.random])
    np.testing.assert_allclose(found.to_numpy()[:-1], sizes, rtol=1e-4)
    assert found.iloc[-1] == pytest.approx(expected["sigma"], rel=1e-4)
