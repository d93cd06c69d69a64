"""The findings on the three papers whose data are gone: each recomputed from what the paper prints."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from negstats import audit
from negstats.papers import chawla2023, haim2017, mell2015, neighbours
from negstats.papers.ledger import printed_cells, results, row_named
from negstats.papers.recipes import recompute_row
from negstats.papers.verdict import Finding, Verdict
from negstats.printed_numbers import printed as as_printed
from negstats.stats.loglinear import loglinear
from negstats.stats.means.anova import anova


@pytest.fixture(scope="module")
def found() -> dict[str, Finding]:
    every = [*chawla2023.findings(), *haim2017.findings(), *mell2015.findings()]
    return {finding.id: finding for finding in every}


def value(finding: Finding, name: str) -> float:
    [check] = [check for check in finding.checks if check.name == name]
    return check.value


# chawla2023


def test_only_one_set_of_walk_aways_fits_the_percentages() -> None:
    assert chawla2023.walk_aways().n[..., 0].ravel().tolist() == [5, 6, 5, 19, 22, 10]


@pytest.mark.slow
def test_the_printed_interaction_is_the_deviance_of_mutual_independence(found: dict[str, Finding]) -> None:
    finding = found["chawla2023.walkaway.loglinear"]
    # R: MASS::loglm(~ 1*2 + 1*3 + 2*3, table) and loglm(~ 1 + 2 + 3, table)
    assert finding.recomputed == pytest.approx(1.70982518, abs=1e-6)
    assert finding.verdict is Verdict.DESCRIPTION  # as of mell2015, whose interaction has the df of another model
    alone = loglinear(chawla2023.walk_aways(), 1)
    assert float(alone.statistic) == pytest.approx(31.1238166245)
    assert float(alone.df) == 7
    assert "[reward][partner]" in finding.why
    assert "mutual independence (G²(7) = 31.12" in finding.why
    assert "p = .425" in finding.why
    assert len(neighbours.loglinear_models(chawla2023.walk_aways(), as_printed("31.1"))) == 1


@pytest.mark.slow
def test_no_rounding_of_table_3_leaves_the_range_of_f() -> None:
    [finding] = [one for one in chawla2023.findings() if one.id == "chawla2023.human.reward"]
    assert finding.allowed is not None
    cells = chawla2023.points("human points", "with walk-aways")
    rng = np.random.default_rng(1)
    for _ in range(200):
        shaken = type(cells).from_table(
            n=cells.n,
            mean=cells.mean + rng.uniform(-0.005, 0.005, cells.mean.shape),
            se=cells.se + rng.uniform(-0.005, 0.005, cells.se.shape),
            factors={factor.name: factor.levels for factor in cells.factors},
        )
        assert finding.allowed[0] <= anova(shaken).statistic[0] <= finding.allowed[1]


def test_marginal_means_are_unweighted(found: dict[str, Finding]) -> None:
    rows = [row for row in printed_cells("chawla2023") if row.note == "printed marginal mean"]
    assert len(rows) == 6
    for row in rows:
        assert found[row.id].verdict is Verdict.CONSISTENT
        cells = chawla2023.points(row.of, row.condition)
        assert found[row.id].recomputed == pytest.approx(cells.mean[int(row.factor_a == "selfish")].mean())
        assert value(found[row.id], "SE") == pytest.approx(row.se.value if row.se else np.nan, abs=0.01)


@pytest.mark.slow
def test_a_wrong_cell_of_table_3_is_found() -> None:
    rows = printed_cells("chawla2023")
    target = next(row for row in rows if row.of == "joint points" and row.condition == "with walk-aways")
    wrong = dataclasses.replace(target, mean=as_printed("11.91"))
    assert recompute_row(wrong, chawla2023.HOOKS).verdict is Verdict.DIFFERS


def test_another_type_of_sums_of_squares_is_named() -> None:
    cells = chawla2023.points("joint points", "with walk-aways")
    claim = row_named("chawla2023.joint.reward")
    second = dataclasses.replace(claim, value=as_printed(f"{anova(cells, type=2).statistic[0]:.2f}"))
    finding = recompute_row(second, chawla2023.HOOKS)
    assert finding.verdict in (Verdict.DIFFERS, Verdict.CONTRADICTS)
    assert "type II gives it (F = 4.91)" in finding.why
    neither = dataclasses.replace(claim, value=as_printed("9.99"))
    assert "neither type I nor type II gives it" in recompute_row(neither, chawla2023.HOOKS).why


# mell2015


def test_p_of_4_67_is_that_of_three_df(found: dict[str, Finding]) -> None:
    finding = found["mell2015.betrayal.rejected"]
    # R: pchisq(4.67, c(1, 3), lower.tail = FALSE)
    assert finding.recomputed == pytest.approx(0.03069392749)
    assert finding.verdict is Verdict.CONTRADICTS
    assert "p = .198 at df 3" in finding.why


@pytest.mark.parametrize(("name", "chi2"), [("pareto", "14.93"), ("betrayal.accepted", "12.17")])
def test_the_tables_behind_a_chi_squared_are_listed(found: dict[str, Finding], name: str, chi2: str) -> None:
    tables = audit.tables_with(chi2=chi2, n=73).tables.tolist()
    assert tables
    for (a, b), (c, d) in tables:
        # R: chisq.test(matrix(c(28, 9, 11, 25), 2), correct = FALSE) gives 14.92877
        margins = (a + b) * (c + d) * (a + c) * (b + d)
        assert 73 * (a * d - b * c) ** 2 / margins == pytest.approx(float(chi2), abs=0.005)
        assert f"[{a} {b}; {c} {d}]" in found[f"mell2015.{name}"].why


# R: pf(F, 1, 163, lower.tail = FALSE); d = sqrt(F (1/n1 + 1/n2)) with 78 and 89, 86 and 81 people.
FACTS = {
    "joint.framing": (5.15, 0.0246, 0.352, (78, 89)),
    "player.framing": (5.94, 0.0159, 0.378, (78, 89)),
    "player.quality": (1.52, 0.2194, 0.191, (86, 81)),
    "agent.quality": (5.35, 0.0220, 0.358, (86, 81)),
}


@pytest.mark.parametrize("name", FACTS)
def test_p_and_d_of_negotiation_5(found: dict[str, Finding], name: str) -> None:
    f, p, d, sizes = FACTS[name]
    finding = found[f"mell2015.{name}"]
    assert value(finding, "p") == pytest.approx(p, abs=5e-5)
    definitions = neighbours.d_definitions(as_printed(str(f)), 163, sizes)
    assert definitions["√(F(1/n₁ + 1/n₂))"][0] == pytest.approx(d, abs=5e-4)
    assert "error df = 163" in finding.why


# haim2017


def splits_of(country: str) -> audit.Splits:
    [claim] = [claim for claim in results("haim2017") if claim.id == f"haim2017.cs.{country.lower()}"]
    rows = [
        row for name in ("HvsCS-A", "HvsH") for row in printed_cells("haim2017")
        if (row.of, row.country, row.condition) == ("customer score", country, name)
    ]  # fmt: skip
    means, sds = [str(row.mean) for row in rows], [str(row.sd) for row in rows]
    return audit.splits(claim.size or 0, means, sds, t=str(claim.value))


@pytest.mark.parametrize(
    ("country", "near"),
    [("Israel", {(47, 4): 4.50, (48, 3): 3.90}), ("China", {(11, 21): 3.74, (12, 20): 3.85})],
)
def test_no_split_gives_the_printed_t(
    found: dict[str, Finding], country: str, near: dict[tuple[int, int], float]
) -> None:
    tried = splits_of(country)
    assert tried.complete
    assert tried.fitting.empty
    by_sizes = tried.frame.set_index(["n_1", "n_2"])["t"]
    why = found[f"haim2017.cs.{country.lower()}"].why
    for sizes, t in near.items():
        # R: sp <- sqrt((46*48^2 + 3*20^2)/49); (403.33 - 293.77)/(sp*sqrt(1/47 + 1/4)) gives 4.497580
        assert by_sizes[sizes] == pytest.approx(t, abs=5e-3)
        assert f"{sizes[0]}/{sizes[1]} gives {t:.2f}" in why


def test_several_splits_give_the_t_of_the_usa(found: dict[str, Finding]) -> None:
    fits = splits_of("USA").fitting[["n_1", "n_2"]].to_numpy().tolist()
    assert len(fits) >= 2
    assert [15, 15] in fits
    assert all(f"{a}/{b}" in found["haim2017.cs.usa"].why for a, b in fits)


@pytest.mark.parametrize(("country", "p"), [("israel", 0.000145), ("usa", 0.00146), ("china", 0.00066)])
def test_p_below_one_in_ten_thousand_is_wrong(found: dict[str, Finding], country: str, p: float) -> None:
    finding = found[f"haim2017.cs.{country}"]
    assert value(finding, "p") == pytest.approx(p, rel=0.01)
    assert finding.verdict is Verdict.CONTRADICTS
    assert ("unless one-tailed" in finding.why) is (country == "israel")


@pytest.mark.parametrize(("percent", "fraction"), [("60", (9, 15)), ("83", (5, 6)), ("93", (14, 15))])
def test_pr_is_a_fraction_of_small_counts(found: dict[str, Finding], percent: str, fraction: tuple[int, int]) -> None:
    fits = haim2017.fractions(as_printed(percent), 28)
    assert fraction in fits
    assert all(as_printed(percent).agrees(100 * count / n) for count, n in fits)
    [row] = [
        row for row in printed_cells("haim2017")
        if row.condition == "HvsH" and row.of == "customer reached goal" and str(row.percent) == percent
    ]  # fmt: skip
    assert f"{fraction[0]}/{fraction[1]}" in found[row.id].why


@pytest.mark.slow
def test_mean_scores_that_no_group_can_have(found: dict[str, Finding]) -> None:
    wrong = [
        row for row in printed_cells("haim2017")
        if row.of == "customer score" and row.country != "all" and found[row.id].verdict is not Verdict.CONSISTENT
    ]  # fmt: skip
    # 14395 / 49 is 293.7755 and 3460 / 15 is 230.6667: cut off they are what is printed; 278.6677 is not
    assert [(row.country, row.condition, found[row.id].verdict) for row in wrong] == [
        ("Israel", "HvsH", Verdict.CUT), ("USA", "HvsH", Verdict.DIFFERS), ("China", "HvsH", Verdict.CUT)
    ]  # fmt: skip
    for row in wrong:
        assert row.mean is not None
        for n in range(2, 49 if row.country == "Israel" else 29):
            assert not any(row.mean.agrees(5 * total / n) for total in range(120 * n))
