"""Power by formula against R and statsmodels; power by simulation against the formulas and against raw values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats import power as sm

from negstats.errors import NotEstimable
from negstats.stats.contrasts.planned import contrast
from negstats.stats.counts.chi_squared import chi_squared
from negstats.stats.equivalence import tost
from negstats.stats.loglinear import compare, loglinear
from negstats.stats.means.anova import anova
from negstats.stats.means.oneway import one_way
from negstats.stats.means.repeated import repeated_anova
from negstats.stats.means.t_tests import one_sample_t, paired_t, t_test
from negstats.stats.power import (
    Design,
    binary_design,
    categorical_design,
    design_like,
    normal_design,
    ordinal_design,
    power,
    power_curve,
    repeated_design,
    sample_size,
    sampled_design,
    simulated_power,
    simulated_sample_size,
    table_design,
    term_power,
)
from negstats.stats.power.simulate import simulated_p
from negstats.stats.ranks import kruskal_wallis, mann_whitney
from negstats.stats.summaries import Cells, Counts, Moments, ValueCounts
from tests.conftest import reference

REFERENCE = reference("power")
EXACT = 1e-8

close: Any = assert_allclose  # a result holds floats or arrays, and the stubs take no list of either


def new(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def student(cells: Cells) -> Any:
    return t_test(cells, method="student")


def ranks(values: ValueCounts) -> Any:
    return mann_whitney(values, method="asymptotic")


class TestFormulas:
    @pytest.mark.parametrize("case", REFERENCE["t"], ids=lambda case: f"n {case['n']}, d {case['d']}")
    def test_t_agrees_with_r(self, case: dict[str, Any]) -> None:
        for test, powers in zip(("t", "one-sample t", "paired t"), case["power"], strict=True):
            for side, expected in zip(("two-sided", "greater"), powers, strict=True):
                result = power(test, effect=case["d"], n=case["n"], alpha=case["alpha"], alternative=side)  # type: ignore[arg-type]
                close(result.power, expected, rtol=EXACT)

    @pytest.mark.parametrize("case", REFERENCE["t_sizes"], ids=lambda case: f"d {case['d']}")
    def test_sizes_for_t_agree_with_r(self, case: dict[str, Any]) -> None:
        options = {"effect": case["d"], "power": case["power"], "alpha": case["alpha"]}
        two, one = sample_size("t", **options), sample_size("one-sample t", alternative="greater", **options)
        close([two.n_interval.low, one.n_interval.low], [case["two"], case["one"]], rtol=EXACT)
        assert two.n == (np.ceil(case["two"]),) * 2
        assert one.n == (np.ceil(case["one"]),)
        assert two.power >= case["power"]
        assert float(power("t", effect=case["d"], n=two.n[0] - 1, alpha=case["alpha"]).power) < case["power"]

    @pytest.mark.parametrize("case", REFERENCE["anova"], ids=lambda case: f"{case['groups']} groups")
    def test_anova_agrees_with_r(self, case: dict[str, Any]) -> None:
        # R takes the variance of the k means with divisor k − 1; f² is that with divisor k, over the variance inside.
        k = case["groups"]
        f = np.sqrt(case["between"] * (k - 1) / k / case["within"])
        close(power("anova", effect=f, n=case["n"], groups=k).power, case["power"], rtol=EXACT)
        needed = sample_size("anova", effect=f, power=0.85, groups=k)
        close(needed.n_interval.low, case["needed"], rtol=EXACT)
        assert needed.n == (np.ceil(case["needed"]),) * k

    @pytest.mark.parametrize("case", REFERENCE["proportions"], ids=lambda case: f"{case['p1']}, {case['p2']}")
    def test_proportions_agree_with_r(self, case: dict[str, Any]) -> None:
        pair = (case["p1"], case["p2"])
        close(power("proportions", effect=pair, n=case["n"]).power, case["two"], rtol=EXACT)
        high = power("proportions", effect=(max(pair), min(pair)), n=case["n"], alternative="greater")
        close(high.power, case["one"], rtol=EXACT)
        close(sample_size("proportions", effect=pair, power=0.9).n_interval.low, case["needed"], rtol=EXACT)

    @pytest.mark.parametrize("case", REFERENCE["chi2"], ids=lambda case: f"df {case['df']}")
    def test_chi2_agrees_with_r(self, case: dict[str, Any]) -> None:
        close(power("chi2", effect=case["w"], n=case["n"], df=case["df"]).power, case["power"], rtol=EXACT)

    def test_the_others_agree_with_statsmodels(self) -> None:
        expected = sm.FTestAnovaPower().power(0.25, 90, 0.05, k_groups=3)
        close(power("anova", effect=0.25, n=(20, 40, 30)).power, expected, rtol=1e-10)
        close(power("chi2", effect=0.3, n=80, df=4).power, sm.GofChisquarePower().power(0.3, 80, 0.05, n_bins=5))
        needed = sm.TTestIndPower().solve_power(0.4, alpha=0.05, power=0.8, ratio=2.0)
        result = sample_size("t", effect=0.4, ratio=2.0)
        close(result.n_interval.low, needed, rtol=1e-7)
        assert result.n == (np.ceil(needed), np.ceil(2 * needed))

    def test_large_samples_have_a_power(self) -> None:
        """Where the far tail of the noncentral t underflows, formulas that sum both tails can lose the power."""
        n = np.array([1e3, 12_009, 1e5, 1e7])
        close(power("t", effect=0.5, n=n).power, 1)
        close(power("t", effect=0.5, n=n, alternative="less").power, 0, atol=1e-30)
        # d = .01: from the normal distribution, which t is by then.
        close(power("paired t", effect=0.01, n=1e5).power, stats.norm.sf(1.959964 - np.sqrt(10)), rtol=1e-4)

    @given(st.floats(0.05, 2), st.integers(2, 200), st.floats(0.001, 0.2))
    def test_power_grows_with_n_and_effect(self, d: float, n: int, alpha: float) -> None:
        p = np.asarray(power("t", effect=d, n=np.array([n, n + 1, 2 * n]), alpha=alpha).power)
        assert np.all(np.diff(p) >= -1e-12)
        assert alpha - 1e-9 <= p[0] <= 1
        assert float(power("t", effect=1.1 * d, n=n, alpha=alpha).power) >= p[0] - 1e-12
        close(power("t", effect=-d, n=n, alpha=alpha).power, p[0], rtol=1e-9)

    @given(st.floats(0.1, 2), st.floats(0.5, 0.99), st.floats(0.3, 3))
    def test_the_size_that_is_needed_gives_the_power(self, d: float, target: float, ratio: float) -> None:
        result = sample_size("t", effect=d, power=target, ratio=ratio)
        assert result.power >= target - 1e-9
        assert result.total == sum(result.n)
        again = power("t", effect=d, n=tuple(map(float, result.n)))
        close(again.power, result.power)

    def test_no_effect_rejects_at_alpha(self) -> None:
        for test, effect in (("t", 0.0), ("paired t", 0.0), ("anova", 0.0), ("chi2", 0.0), ("proportions", (0.3, 0.3))):
            close(power(test, effect=effect, n=20, alpha=0.03).power, 0.03, rtol=1e-6)

    def test_curves_and_what_they_print(self) -> None:
        curve = power("t", effect=0.5, n=np.arange(10, 40, 10)).to_frame()
        assert list(curve) == ["n_1", "n_2", "total", "power", "low", "high", "alpha", "test", "method", "studies"]
        assert list(curve["total"]) == [20, 40, 60]
        assert curve["power"].is_monotonic_increasing
        assert (curve["low"] == curve["power"]).all()
        assert power("t", effect=0.5, n=(64, 70)).apa() == "power = .82 (n = 64, 70, α = .05, noncentral t)"
        assert power("t", effect=3.0, n=64).apa().startswith("power = 1.00")
        assert power("t", effect=0.95, n=40).apa().startswith("power = .99")
        assert power("t", effect=0.95, n=50).apa().startswith("power > .99")
        assert (
            sample_size("chi2", effect=0.3, df=2).apa()
            == "n = 108 for a power of .80 (α = .05, noncentral chi-squared)"
        )

    def test_sizes_that_there_are_not(self) -> None:
        assert sample_size("t", effect=50.0).n == (2, 2)


class TestTerms:
    def test_one_factor_is_one_way(self) -> None:
        means = np.array([0.0, 0.3, 0.9])
        design = normal_design(n=15, mean=means)
        close(term_power(design, "factor_1").power, power("anova", effect=float(means.std()), n=15, groups=3).power)

    def test_a_balanced_interaction_agrees_with_statsmodels(self) -> None:
        design = normal_design(n=12, mean=[[0, 0, 0], [0, 2, 1]], sd=2.0)
        # Means less row and column means, in SDs.
        rest = design.mean - design.mean.mean(0) - design.mean.mean(1, keepdims=True) + design.mean.mean()
        lam = 12 * (rest**2).sum() / 4
        expected = stats.ncf.sf(stats.f.isf(0.05, 2, 66), 2, 66, lam)
        close(term_power(design, "factor_1:factor_2").power, expected)
        close(sm.FTestPower().power(np.sqrt(lam / 69), 66, 2, 0.05), expected, rtol=0.05)  # another N in its λ

    @pytest.mark.parametrize("term", ["a", "b", "b:a"])
    def test_unbalanced_terms_agree_with_simulation(self, term: str) -> None:
        design = normal_design(
            n=[[5, 9, 14], [20, 7, 4]],
            mean=[[0, 0, 0.5], [0, 1, 0.5]],
            factors={"a": ["x", "y"], "b": ["u", "v", "w"]},
        )
        power_result = simulated_power(
            design, lambda cells: anova(cells).effect(term), rng=new(1), n_simulations=40_000
        )
        assert float(term_power(design, term).power) in power_result.confidence_interval(0.9999)


class TestSimulationAgainstFormulas:
    """Simulated power lies within its own interval of 99.99 % of the exact one."""

    STUDIES = 40_000

    @pytest.mark.parametrize(
        ("design", "test", "expected"),
        [
            (normal_design(n=[12, 30], mean=[0.7, 0]), student, power("t", effect=0.7, n=(12, 30))),
            (normal_design(n=15, mean=0.6), one_sample_t, power("one-sample t", effect=0.6, n=15)),
            # d_z = d / √(2 (1 − r)) where both SDs are 1.
            (
                repeated_design(n=20, mean=[0.5, 0], correlation=0.6),
                paired_t,
                power("paired t", effect=0.5 / np.sqrt(0.8), n=20),
            ),
            (
                normal_design(n=12, mean=[0, 0.4, 0.8]),
                one_way,
                power("anova", effect=float(np.std([0, 0.4, 0.8])), n=12, groups=3),
            ),
        ],
        ids=["two groups", "one sample", "pairs", "several groups"],
    )
    def test_means(self, design: Design, test: Any, expected: Any) -> None:
        power_result = simulated_power(design, test, rng=new(2), n_simulations=self.STUDIES)
        assert power_result.undefined == 0
        assert float(expected.power) in power_result.confidence_interval(0.9999), (power_result.power, expected.power)

    def test_a_contrast(self) -> None:
        design = normal_design(n=[10, 12, 14], mean=[1.0, 0, 0.2])
        weights = np.array([1, -0.5, -0.5])
        lam = (weights @ design.mean) / np.sqrt((weights**2 / design.n).sum())
        critical = stats.t.isf(0.025, 33)
        exact = stats.nct.sf(critical, 33, lam) + stats.nct.cdf(-critical, 33, lam)
        power_result = simulated_power(
            design,
            lambda cells: contrast(cells, specs="factor_1", weights=weights),
            rng=new(3),
            n_simulations=self.STUDIES,
        )
        assert float(exact) in power_result.confidence_interval(0.9999)

    @pytest.mark.slow
    def test_a_repeated_factor(self) -> None:
        """Compound symmetry: the F of k measures is noncentral with λ = n Σ (μ − μ̄)² / (1 − r)."""
        means, n, r = np.array([0, 0.3, 0.5]), 18, 0.4
        lam = n * ((means - means.mean()) ** 2).sum() / (1 - r)
        exact = stats.ncf.sf(stats.f.isf(0.05, 2, 2 * (n - 1)), 2, 2 * (n - 1), lam)
        design = repeated_design(n=n, mean=means, correlation=r, variables=["x", "y", "z"], within="agent")
        power_result = simulated_power(
            design, lambda summary: repeated_anova(summary).effect("agent"), rng=new(4), n_simulations=self.STUDIES
        )
        assert float(exact) in power_result.confidence_interval(0.9999)

    def test_counts_by_enumeration(self) -> None:
        """Two binomials of 9 and 11: the exact power adds the probabilities of all tables that reject."""
        n1, n2, p1, p2 = 9, 11, 0.3, 0.8
        x1, x2 = np.meshgrid(np.arange(n1 + 1), np.arange(n2 + 1), indexing="ij")
        tables = Counts.from_table(np.stack([np.stack([x1, n1 - x1], -1), np.stack([x2, n2 - x2], -1)], -2), stacked=2)
        chance = stats.binom.pmf(x1, n1, p1) * stats.binom.pmf(x2, n2, p2)
        exact = chance[np.asarray(chi_squared(tables).p) <= 0.05].sum()
        power_result = simulated_power(
            binary_design(n=[n1, n2], probability=[p1, p2]), chi_squared, rng=new(5), n_simulations=self.STUDIES
        )
        assert float(exact) in power_result.confidence_interval(0.9999)

    @pytest.mark.slow
    def test_a_table_of_three_dimensions(self) -> None:
        """G² of a term in a large table against the noncentral chi-squared, for which λ is G² of the probabilities."""
        share = np.array([[[2, 1], [1, 1]], [[1, 1], [1, 2]]]) / 10
        names = {"a": ["x", "y"], "b": ["u", "v"], "c": ["p", "q"]}

        def association(table: Counts) -> Any:
            return compare(loglinear(table, "[a c][b c]"), loglinear(table, "[a b][a c][b c]"))

        large = Counts.from_table(share * 1_000, names)
        lam = float(loglinear(large, "[a c][b c]").statistic) - float(loglinear(large, "[a b][a c][b c]").statistic)
        exact = stats.ncx2.sf(stats.chi2.isf(0.05, 1), 1, lam * 400 / 1_000)
        power_result = simulated_power(
            table_design(n=400, probabilities=share, factors=names), association, rng=new(6), n_simulations=10_000
        )
        close(power_result.power, exact, atol=0.015)

    @pytest.mark.slow
    def test_ranks_of_ordinal_and_of_normal_values(self) -> None:
        """Mann–Whitney's power by Noether's (1987) formula, JASA 82, 645-647, close to the null, both ways."""
        shift = 0.4
        better = stats.norm.cdf(shift / np.sqrt(2))
        n = 80
        noether = stats.norm.sf(1.959964 - np.sqrt(12 * 0.25 * 2 * n) * (better - 0.5))
        normal = sampled_design(n=[n, n], distributions=[stats.norm(shift), stats.norm()], summary="ranks")
        power_result = simulated_power(normal, ranks, rng=new(7), n_simulations=10_000)
        close(power_result.power, noether, atol=0.02)


class TestSimulationAgainstRawValues:
    """The distribution of a test's p is the same whether summaries are drawn or every value is."""

    def same(self, one: Design, two: Design, test: Any, n_simulations: int = 20_000) -> None:
        p, q = simulated_p(one, test, n_simulations, new(8)), simulated_p(two, test, n_simulations, new(9))
        assert stats.ks_2samp(p, q).pvalue > 0.001

    def test_normal(self) -> None:
        n, mean, sd = [[3, 5, 8], [4, 2, 6]], np.array([[0, 0.5, 1], [0.3, 1, 0]]), np.array([[1, 2, 1], [1, 1, 3.0]])
        raw = [stats.norm(m, s) for m, s in zip(mean.ravel(), sd.ravel(), strict=True)]
        self.same(
            normal_design(n=n, mean=mean, sd=sd),
            sampled_design(n=n, distributions=raw),
            lambda cells: anova(cells).effect("factor_1:factor_2"),
        )

    @pytest.mark.slow
    def test_ordinal(self) -> None:
        values, share = np.array([0.0, 5, 10]), np.array([[0.2, 0.5, 0.3], [0.1, 0.4, 0.5]])
        raw = [stats.rv_discrete(values=(values, p)) for p in share]
        one = ordinal_design(n=[14, 19], values=values, probabilities=share)
        means = simulated_p(one, lambda values: t_test(values), 20_000, new(8))
        drawn = simulated_p(sampled_design(n=[14, 19], distributions=raw), t_test, 20_000, new(9))
        assert stats.ks_2samp(means, drawn).pvalue > 0.001
        self.same(one, sampled_design(n=[14, 19], distributions=raw, summary="ranks"), ranks)

    @pytest.mark.slow
    @pytest.mark.parametrize("n", [3, 4, 12])
    def test_repeated(self, n: int) -> None:
        """Also where there are fewer subjects than measures (n = 3, k = 4), and the covariance is singular."""
        r = np.array([[1, 0.5, 0.3, 0], [0.5, 1, 0.2, 0.1], [0.3, 0.2, 1, 0.6], [0, 0.1, 0.6, 1]])
        mean, sd = np.array([0, 0.5, 1, 0.2]), np.array([1, 2, 1, 0.5])
        design = repeated_design(n=n, mean=mean, sd=sd, correlation=r)
        y = new(10).multivariate_normal(mean, r * np.outer(sd, sd), (20_000, n))
        raw = Moments.from_array(y, ["1", "2", "3", "4"])
        for weights in ([1, -1, 0, 0], [0, 1, 1, -2]):
            drawn = design.draw(20_000, new(11)).contrast(weights)
            expected = raw.contrast(weights)
            for field in ("mean", "variance"):
                assert stats.ks_2samp(getattr(drawn, field), getattr(expected, field)).pvalue > 0.001
        p = simulated_p(design, lambda summary: repeated_anova(summary).effect("measure", "gg"), 20_000, new(12))
        assert stats.ks_2samp(p, np.asarray(repeated_anova(raw).effect("measure", "gg").p)).pvalue > 0.001

    def test_cells_that_are_drawn_have_the_right_moments(self) -> None:
        cells = normal_design(n=[4, 9], mean=[10, 20], sd=[2, 3]).draw(200_000, new(13))
        close(cells.mean.mean(0), [10, 20], rtol=1e-3)
        close(cells.mean.std(0), [1, 1], rtol=0.01)
        close(cells.variance.mean(0), [4, 9], rtol=0.01)
        close(cells.variance.var(0), 2 * np.array([16 / 3, 81 / 8]), rtol=0.03)
        for cell in range(2):
            assert abs(np.corrcoef(cells.mean[:, cell], cells.variance[:, cell])[0, 1]) < 0.01
        assert np.isnan(normal_design(n=[1, 2], mean=0).draw(5, new()).variance[:, 0]).all()

    def test_ranks_share_among_equal_values(self) -> None:
        coin = stats.rv_discrete(values=([0, 1], [0.5, 0.5]))
        values = sampled_design(n=[3, 4], distributions=[coin, coin], summary="ranks").draw(500, new(14))
        assert values.n.shape == (500, 2, 7)
        close(values.n.sum(-1), np.broadcast_to([3, 4], (500, 2)))
        assert (values.n[..., 2:] == 0).all()


class TestSimulation:
    def test_the_same_seed_gives_the_same_power(self) -> None:
        design = normal_design(n=10, mean=[0, 1])
        one, two, other = (simulated_power(design, t_test, rng=new(seed), n_simulations=500) for seed in (1, 1, 2))
        assert one == two
        assert one.power != other.power

    def test_portions_are_one_stream(self, monkeypatch: pytest.MonkeyPatch) -> None:
        design = ordinal_design(n=[10, 12], values=[1, 2, 3], probabilities=[0.3, 0.3, 0.4])
        sizes: list[int] = []

        def counted(values: ValueCounts) -> Any:
            sizes.append(values.studies[0])
            return t_test(values)

        monkeypatch.setattr("negstats.stats.power.simulate.NUMBERS", 60)
        result = simulated_power(design, counted, rng=new(1), n_simulations=25)
        assert sizes == [10, 10, 5]
        assert result.n_simulations == 25

    def test_any_test_of_any_summary(self) -> None:
        groups = {"agent": ["fair", "selfish"]}
        points = ordinal_design(
            n=[20, 25], values=[0, 5, 10], probabilities=[[0.4, 0.4, 0.2], [0.1, 0.4, 0.5]], factors=groups
        )
        ends = categorical_design(
            n=[40, 45],
            probabilities=[[0.7, 0.2, 0.1], [0.4, 0.4, 0.2]],
            kinds=("end", ["deal", "walk", "timeout"]),
            factors=groups,
        )
        normal = normal_design(n=40, mean=[0, 0], factors=groups)
        tests: list[tuple[Design, Any]] = [
            (points, t_test),
            (points, ranks),
            (points, kruskal_wallis),
            (points, lambda values: anova(values).effect("agent")),
            (ends, chi_squared),
            (normal, lambda cells: tost(cells, bounds=0.8)),
            (normal, lambda cells: tost(cells, bounds=0.8).p),
        ]
        for design, test in tests:
            result = simulated_power(design, test, rng=new(3), n_simulations=2_000)
            assert 0.5 < float(result.power) < 1
            assert result.undefined == 0
        assert simulated_power(points, t_test, rng=new()).test == "t_test"
        assert simulated_power(points, lambda v: t_test(v), rng=new(), name="Welch").test == "Welch"

    def test_studies_without_a_p_are_counted_as_not_significant(self) -> None:
        design = binary_design(n=[3, 3], probability=[0.05, 0.9])
        result = simulated_power(design, chi_squared, rng=new(4), n_simulations=2_000)
        assert result.undefined > 0
        assert float(result.power) <= 1 - result.undefined / 2_000

    def test_what_it_prints(self) -> None:
        result = simulated_power(normal_design(n=[10, 12], mean=[0, 1]), student, rng=new(5), n_simulations=1_000)
        low, high = (
            f"{float(end):.2f}"[1:] for end in (result.confidence_interval().low, result.confidence_interval().high)
        )
        share = f"{float(result.power):.2f}"[1:]
        assert result.apa() == f"power = {share}, 95% CI [{low}, {high}] (n = 10, 12, α = .05, 1,000 simulated studies)"
        frame = result.to_frame()
        assert (float(frame["total"].iloc[0]), int(frame["studies"].iloc[0])) == (22, 1_000)

    @pytest.mark.slow
    def test_a_design_like_what_was_observed(self) -> None:
        rng = new(6)
        frame = pd.DataFrame(
            {"y": rng.integers(0, 5, 60), "g": rng.choice(["a", "b"], 60), "e": rng.choice(["x", "y"], 60)}
        )
        cells, values = Cells.from_frame(frame, "y", "g"), ValueCounts.from_frame(frame, "y", "g")
        table = Counts.from_frame(frame, ["g", "e"])
        pairs = Moments.from_array(rng.normal(size=(9, 2)), ["CL", "FC"])
        for summary, test in ((cells, t_test), (values, t_test), (table, chi_squared), (pairs, paired_t)):
            design = design_like(summary)
            drawn = design.draw(30_000, new(7))
            assert drawn.factors == summary.factors
            assert 0 <= float(simulated_power(design, test, rng=new(8), n_simulations=50).power) <= 1
        close(design_like(cells).draw(30_000, new(7)).mean.mean(0), cells.mean, rtol=0.01)
        close(design_like(values).draw(30_000, new(7)).n.mean(0), values.n, rtol=0.02)
        close(design_like(table).draw(30_000, new(7)).n.mean(0), table.n, rtol=0.02)
        close(design_like(pairs).draw(30_000, new(7)).covariance.mean(0), pairs.covariance, atol=0.02)

    def test_resizing_keeps_the_proportions(self) -> None:
        design = normal_design(n=[[10, 20], [15, 30]], mean=0)
        close(design.resized(4).n, [[4, 8], [6, 12]])
        close(table_design(n=100, probabilities=[0.5, 0.5]).resized(30).n, 30)


class TestSearch:
    @pytest.mark.slow
    @pytest.mark.parametrize("start", [2, 20, 300])
    def test_finds_what_the_formula_says(self, start: int) -> None:
        design = normal_design(n=[start, start], mean=[0.5, 0])
        result = simulated_sample_size(design, student, rng=new(1), n_simulations=40_000)
        exact = sample_size("t", effect=0.5).n[0]
        assert result.n_interval.low <= exact <= result.n_interval.high
        assert abs(result.n[0] - exact) <= 2
        assert result.power_interval.low < 0.8 < result.power_interval.high
        assert float(result.n_interval.high) - float(result.n_interval.low) <= 5

    def test_the_largest_size_allowed_may_be_the_answer(self) -> None:
        """With the same draws the first size that reaches the power is given as `most`; one less is refused."""
        design = normal_design(n=[4, 4], mean=[1.2, 0])
        n = simulated_sample_size(design, student, rng=new(1), n_simulations=400).n[0]
        assert simulated_sample_size(design, student, rng=new(1), n_simulations=400, most=n).n[0] == n
        with pytest.raises(NotEstimable, match=f"with {n - 1} in the smallest cell"):
            simulated_sample_size(design, student, rng=new(1), n_simulations=400, most=n - 1)

    @pytest.mark.slow
    def test_keeps_the_proportions_of_the_cells(self) -> None:
        design = normal_design(n=[10, 20], mean=[0.5, 0])
        result = simulated_sample_size(design, student, rng=new(2), n_simulations=20_000)
        exact = sample_size("t", effect=0.5, ratio=2.0)
        assert result.n[1] == 2 * result.n[0]
        assert abs(result.n[0] - exact.n[0]) <= 2
        assert result.apa().startswith(
            f"n = {result.n[0]}, {result.n[1]} for a power of .80 (95% Monte-Carlo interval of"
        )
        assert {"n_1", "n_2", "power_interval_low", "n_interval_high"} <= set(result.to_frame())

    @pytest.mark.slow
    def test_a_table(self) -> None:
        design = table_design(n=50, probabilities=[[0.3, 0.2], [0.2, 0.3]])
        result = simulated_sample_size(design, chi_squared, rng=new(3), power=0.9)
        close(result.total, sample_size("chi2", effect=0.2, power=0.9).total, rtol=0.06)

    @pytest.mark.slow
    def test_a_curve_is_smooth_and_repeatable(self) -> None:
        design = normal_design(n=[10, 15], mean=[0.5, 0])
        one, two = (power_curve(design, student, range(10, 60, 5), rng=new(4)) for _ in range(2))
        pd.testing.assert_frame_equal(one, two)
        assert list(one) == ["n", "total", "power", "low", "high"]
        assert one["power"].is_monotonic_increasing
        assert ((one["low"] < one["power"]) & (one["power"] < one["high"])).all()
        exact = [float(power("t", effect=0.5, n=(n, round(1.5 * n))).power) for n in one["n"]]
        close(one["power"], exact, atol=0.02)

    @settings(max_examples=15)
    @given(st.floats(0.3, 1.5), st.integers(5, 40), st.integers(0, 99))
    def test_power_grows_with_n(self, d: float, n: int, seed: int) -> None:
        design = normal_design(n=[n, n], mean=[d, 0])
        curve = power_curve(design, student, [n, 2 * n, 4 * n], rng=new(seed), n_simulations=2_000)
        assert np.all(np.diff(curve["power"]) >= -0.01)

    def test_a_size_that_is_enough_at_once(self) -> None:
        result = simulated_sample_size(normal_design(n=9, mean=[50.0, 0]), student, rng=new(5), n_simulations=200)
        assert result.n == (2, 2)
        assert result.n_interval.low == result.n_interval.high == 2


@pytest.mark.calibration
def test_the_interval_of_the_power_covers() -> None:
    """Of 1,000 simulations of 400 studies, 95 % of the intervals hold the exact power."""
    design, rng = normal_design(n=[12, 20], mean=[0.8, 0]), new(20)
    exact = float(power("t", effect=0.8, n=(12, 20)).power)
    covered = sum(
        exact in simulated_power(design, student, rng=rng, n_simulations=400).confidence_interval()
        for _ in range(1_000)
    )
    assert stats.binom.ppf(0.0005, 1_000, 0.95) <= covered


@pytest.mark.calibration
@pytest.mark.parametrize(
    ("design", "test"),
    [
        (normal_design(n=[[3, 5, 9], [4, 2, 6]], mean=0), lambda cells: anova(cells).effect("factor_1:factor_2")),
        (normal_design(n=[4, 9], mean=0), student),
        (
            repeated_design(n=[5, 7], mean=[[0, 1], [2, 3]], correlation=0.4),
            lambda s: repeated_anova(s).effect("factor_1:measure"),
        ),
    ],
    ids=["interaction", "t", "repeated"],
)
def test_exact_tests_reject_null_studies_at_alpha(design: Design, test: Any) -> None:
    power_result = simulated_power(design, test, rng=new(21), n_simulations=20_000)
    low, high = (stats.binom.ppf(area, 20_000, 0.05) / 20_000 for area in (0.005, 0.995))
    assert low <= float(power_result.power) <= high
