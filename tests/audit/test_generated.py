"""The sentences that the package itself prints pass; and sentences with known errors, for tests of speed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from negstats.audit import audit_text
from negstats.errors import NotEstimable
from negstats.stats.contrasts.planned import simple_effects
from negstats.stats.contrasts.posthoc import games_howell, pairwise
from negstats.stats.counts.chi_squared import chi_squared, compare_rows, goodness_of_fit
from negstats.stats.counts.matched import cochrans_q, mcnemar
from negstats.stats.counts.stratified import cochran_mantel_haenszel
from negstats.stats.equivalence import paired_tost, tost
from negstats.stats.loglinear import loglinear
from negstats.stats.means.anova import anova
from negstats.stats.means.oneway import levene, one_way
from negstats.stats.means.repeated import repeated_anova
from negstats.stats.means.t_tests import one_sample_t, paired_t, t_test
from negstats.stats.ranks import brunner_munzel, friedman, kruskal_wallis, mann_whitney, wilcoxon
from tests.conftest import runs

# The forms of each kind: {d} and {e} are df, {n} observations, {v} the value, {p} what is printed of p.
FORMS = {
    "t": [
        "t({d}) = {v}, p {p}",
        "t({d})={v},p{p}",
        "*t*({d}) = {v}, *p* {p}",
        "_t_({d}) = {v}, _p_ {p}",
        "$t({d}) = {v}$, $p {p}$",
        r"\textit{{t}}({d}) = {v}, \textit{{p}} {p}",
        r"\(t_{{{d}}} = {v}\), \(p {p}\)",
        "t [{d}] = {v}; p {p}",
        "t(df = {d}) = {v}, d = 0.42, 95% CI [0.10, 0.74], p {p}",
        "t({d}) =\n{v}, p\n{p}",
        "t\u2009({d})\u00a0=\u00a0{v}, p\u202f{p}",
        "𝑡({d}) = {v}, 𝑝 {p}",
        "p {p}, t({d}) = {v}",
        "t = {v}, df = {d}, p {p}",
        "<i>t</i>({d}) = {v}, <i>p</i> {p}",
        "t({d}) = {v} (p {p})",
    ],
    "F": [
        "F({d}, {e}) = {v}, p {p}, ηp² = .04, 90% CI [.00, .16]",
        "F({d},{e})={v}, p{p}",
        "F({d}, {e}) = {v}, MSE = 2.31, p {p}",
        "$F({d}, {e}) = {v}$, $p {p}$, $\\eta_p^2 = .03$",
        "F [{d}, {e}] = {v}; p-value {p}",
        "F_{{{d},{e}}} = {v}, p {p}",
        "F ({d}; {e}) = {v}, η²p = .03, p {p}",
        "F({d}, {e}) = {v}, d = 0.36, p {p}",
    ],
    "chi2": [
        "χ²({d}, N = {n}) = {v}, p {p}",
        "χ² [{d}, N = {n}], = {v}, p {p}",
        "χ2({d}, n={n}) = {v}, p {p}",
        "X^2({d}) = {v}, p {p}",
        "chi-squared({d}) = {v}, p {p}",
        "Chi-square ({d}) = {v}, p {p}",
        "chi-\nsquared({d}) = {v}, p {p}",
        r"$\chi^2({d}, N = {n}) = {v}$, $p {p}$",
        r"$\chi^{{2}}_{{({d})}} = {v}$, p {p}",
        "G²({d}, N = {n}) = {v}, p {p}",
        "$G^2({d}) = {v}$, $p {p}$",
        "χ² = {v}, df = {d}, p {p}",
    ],
    "r": ["r({d}) = {v}, p {p}", "$r({d}) = {v}$, $p {p}$", "r = {v}, n = {n}, p {p}"],
    "z": ["z = {v}, p {p}", "Z={v}, p{p}", "U = 312.5, z = {v}, p {p}", "z = {v}, r = .21, p {p}"],
}
COUNTS = {"t": 100, "F": 70, "chi2": 80, "r": 20, "z": 30}
AROUND = [
    "The first agent did better, {}.",
    "It did (see Fig. 2), {}, as expected.",
    "Ratings differed (M = 5.20, SD = 1.10 vs. M = 4.10, SD = 1.00; {}).",
    "Scores went up ({}), and power was .80.",
]


def drawn(kind: str, rng: np.random.Generator) -> tuple[float, dict[str, object], Callable[[float], float]]:
    """An unrounded statistic, its df, and p by scipy."""
    d, e, n = int(rng.integers(5, 300)), int(rng.integers(10, 600)), int(rng.integers(50, 400))
    if kind == "t":
        return float(rng.normal(0, 2)), {"d": d}, lambda x: float(2 * stats.t.sf(abs(x), d))
    if kind == "F":
        k = int(rng.integers(1, 5))
        return float(rng.gamma(2, 1.5)), {"d": k, "e": e}, lambda x: float(stats.f.sf(x, k, e))
    if kind == "chi2":
        k = int(rng.integers(1, 7))
        return float(k + rng.gamma(2, 3)), {"d": k, "n": n}, lambda x: float(stats.chi2.sf(x, k))
    if kind == "r":
        r = float(np.tanh(rng.normal(0, 0.15)))
        return (
            r,
            {"d": n - 2, "n": n},
            lambda x: float(stats.beta(n / 2 - 1, n / 2 - 1, loc=-1, scale=2).sf(abs(x)) * 2),
        )
    return float(rng.normal(0, 2)), {}, lambda x: float(2 * stats.norm.sf(abs(x)))


def said(p: float, rng: np.random.Generator) -> str:
    """What a paper prints of p."""
    if p < 0.001:
        return "< .001"
    places = int(rng.integers(2, 4))
    exact = f"{p:.{places}f}"
    options = [
        f"= {exact.removeprefix('0')}",
        f"= {exact}",
        "< .05" if p < 0.05 else "> .05",
        "= n.s." if p > 0.05 else "≤ .05",
    ]
    return options[int(rng.integers(0, 4))] if float(exact) > 0 else "< .01"


def wrong(low: float, high: float, rng: np.random.Generator) -> str | None:
    """A p that neither two tails nor one give; None if there is no room."""
    options = ["= .001", "< .001", "= .72", "= .010", "= .20", "= .046", "> .05", "< .01", "= 0.38"]
    for place in rng.permutation(len(options)).tolist():
        relation, number = options[place].split()
        at = float(number)
        ranges = [(low, high), (low / 2, high / 2), (1 - high / 2, 1 - low / 2)]
        agree = {
            "=": any(a - 0.006 <= at <= b + 0.006 for a, b in ranges),
            "<": any(a < at * 1.02 for a, _ in ranges),
            ">": any(b > at * 0.98 for _, b in ranges),
        }
        if not agree[relation]:
            return str(options[place])
    return None


def number(value: float, rng: np.random.Generator, kind: str) -> str:
    text = f"{value:.2f}"
    if kind == "r":
        text = text.replace("0.", ".", 1)
    return text.replace("-", str(rng.choice(["-", "−", "–"])))


def sentences(seed: int) -> list[tuple[str, bool]]:
    """300 sentences, each with whether it is wrong."""
    rng = np.random.default_rng(seed)
    values = []
    for kind, count in COUNTS.items():
        for place in range(count):
            form = FORMS[kind][place % len(FORMS[kind])]
            while True:
                value, df, p_of = drawn(kind, rng)
                if abs(value) < 0.02:
                    continue
                error = bool(rng.random() < 0.4)
                size = abs(float(f"{value:.2f}"))
                text = wrong(p_of(size + 0.005), p_of(size - 0.005), rng) if error else said(p_of(value), rng)
                if text is not None:
                    break
            result = form.format(v=number(value, rng, kind), p=text, **df)
            values.append((AROUND[place % len(AROUND)].format(result), error))
    return values


def groups(rng: np.random.Generator, k: int, least: int = 4) -> dict[str, list[float]]:
    shift = rng.normal(0, 1)
    return {
        f"g{place}": rng.normal(place * shift, rng.uniform(0.5, 2), int(rng.integers(least, 40))).round(2).tolist()
        for place in range(k)
    }


def ordinal(rng: np.random.Generator, k: int, n: int | None = None) -> dict[str, list[int]]:
    return {f"g{place}": rng.integers(1 + place % 2, 9, n or int(rng.integers(12, 60))).tolist() for place in range(k)}


def table(rng: np.random.Generator, *shape: int) -> np.ndarray:
    return rng.integers(1, 40, shape)


def paired(rng: np.random.Generator) -> dict[str, list[float]]:
    first = rng.normal(0, 1, int(rng.integers(5, 40)))
    return {"a": first.tolist(), "b": (first + rng.normal(0.3, 1, len(first))).tolist()}


def long(rng: np.random.Generator) -> pd.DataFrame:
    n = int(rng.integers(6, 20))
    return pd.DataFrame(
        {
            "who": np.repeat(np.arange(n), 3),
            "time": np.tile(["a", "b", "c"], n),
            "y": rng.normal(0, 1, 3 * n) + np.tile([0, 0.4, 0.9], n) * rng.normal(),
        }
    )


def factorial(rng: np.random.Generator) -> pd.DataFrame:
    n = int(rng.integers(40, 120))
    frame = pd.DataFrame({"a": np.tile(["x", "y"], n), "b": np.resize(["p", "q", "r"], 2 * n)})
    return frame.assign(y=rng.normal(0, 1, 2 * n) + (frame["a"] == "x") * rng.normal(0, 0.5))


PRINTED: dict[str, Callable[[np.random.Generator], str]] = {
    "Student": lambda rng: t_test(groups(rng, 2), method="student").apa(),
    "Welch": lambda rng: t_test(groups(rng, 2), method="welch").apa(),
    "paired": lambda rng: paired_t(paired(rng)).apa(),
    "one sample": lambda rng: one_sample_t(rng.normal(0.3, 1, int(rng.integers(4, 40)))).apa(),
    "one-way": lambda rng: one_way(groups(rng, 3)).apa(),
    "Welch's F": lambda rng: one_way(groups(rng, 4), method="welch").apa(),
    "Levene": lambda rng: levene(groups(rng, 3)).apa(),
    "factorial": lambda rng: anova(factorial(rng), "y", ["a", "b"]).apa(),
    "simple effects": lambda rng: simple_effects(factorial(rng), "y", ["a", "b"], specs="a", at="b").apa(),
    "Tukey": lambda rng: pairwise(groups(rng, 3), specs="group").apa(),
    "Games-Howell": lambda rng: games_howell(groups(rng, 3), specs="group").apa(),
    "repeated": lambda rng: repeated_anova(long(rng), "y", within="time", subject="who").apa(),
    "Pearson": lambda rng: chi_squared(table(rng, 2, 3)).apa(),
    "corrected": lambda rng: chi_squared(table(rng, 2, 2), correction=True).apa(),
    "likelihood ratio": lambda rng: chi_squared(table(rng, 3, 3), statistic="likelihood-ratio").apa(),
    "fit": lambda rng: goodness_of_fit(table(rng, 5)).apa(),
    "rows": lambda rng: compare_rows(table(rng, 3, 2)).apa(),
    "McNemar": lambda rng: mcnemar(table(rng, 2, 2)).apa(),
    "Cochran's Q": lambda rng: cochrans_q(table(rng, 2, 2, 2)).apa(),
    "strata": lambda rng: cochran_mantel_haenszel(table(rng, 2, 2, 4)).apa(),
    "log-linear": lambda rng: loglinear(table(rng, 2, 3, 2), 2).apa(),
    "Mann-Whitney": lambda rng: mann_whitney(ordinal(rng, 2), method="asymptotic").apa(),
    "Wilcoxon": lambda rng: wilcoxon(ordinal(rng, 2, 30), method="asymptotic").apa(),
    "Kruskal-Wallis": lambda rng: kruskal_wallis(ordinal(rng, 3)).apa(),
    "Friedman": lambda rng: friedman(ordinal(rng, 3, 20)).apa(),
    "Brunner-Munzel": lambda rng: brunner_munzel(ordinal(rng, 2)).apa(),
    "equivalence": lambda rng: tost(groups(rng, 2), bounds=2.5).apa(),
    "paired equivalence": lambda rng: paired_tost(paired(rng), bounds=1.5).apa(),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PRINTED)
def test_what_the_package_prints_passes(name: str) -> None:
    """36 random results of each of 28 tests: 1,008 in all, most with one p, some with several."""
    rng = np.random.default_rng(list(PRINTED).index(name))
    n_results = 0
    # scipy's studentized range takes a fifth of a second a result.
    while n_results < (runs(36, 4) if name in ("Tukey", "Games-Howell") else 36):
        try:
            text = PRINTED[name](rng)
        except NotEstimable:
            continue
        audit = audit_text(f"It is so: {text}.")
        assert len(audit) == text.count("p = ") + text.count("p < ") + text.count("p > "), text
        for result in audit.results:
            assert result.verdict == "consistent", (text, result.why)
        n_results += 1
