"""Corrections for several tests: the factor of each family; errors in their reach are still flagged."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from negstats.audit import audit_text
from negstats.audit.corrections import Correction, independent_tests, near_factors, pairs_of_levels
from negstats.audit.find_results import Reported, find
from negstats.audit.reading import document
from negstats.printed_numbers import printed

P = 2 * stats.t.sf(2.20, 28)  # .0362
RANGE = (2 * stats.t.sf(2.205, 28), 2 * stats.t.sf(2.195, 28))


@cache
def reported(p: str, before: str = "") -> Reported:
    return list(find(document(f"{before}Then t(28) = 2.20, p = {p}.")))[-1]


def factor(said: str, p: float | str, before: str = "", *, own: bool = False) -> str:
    text = p if isinstance(p, str) else f"{p:.3f}".removeprefix("0")
    return Correction(said, reported(text, before), own=own).factor(RANGE)


@pytest.mark.parametrize("k", range(2, 10))
def test_each_method_has_the_factor_of_its_family(k: int) -> None:
    """By the definitions of each method; one test more explains no other p."""
    assert factor(f"P values were Bonferroni-corrected for {k} tests.", k * P) == f"× {k}"
    assert factor(f"P values were Bonferroni-corrected for {k} tests.", (k + 1) * P) == ""
    assert factor(f"P values were Holm-corrected for {k + 1} tests.", k * P) == f"× {k}"
    assert factor(f"P values were Holm-corrected for {k - 1 or 9} tests.", (k if k > 2 else 10) * P) == ""
    name = f"1 − (1 − p) to the power of {k}"
    for method in ("Šidák", "Bonferroni"):  # programs offer both
        assert factor(f"P values were {method}-corrected for {k} tests.", 1 - (1 - P) ** k) == name
    assert factor(f"P values were Šidák-corrected for {k} tests.", 1 - (1 - P) ** (k + 1)) == ""
    scheffe = stats.f.sf(2.20**2 / k, k, 28)
    named = f"Scheffé’s of {k + 1} groups" if k < 9 else ""
    assert factor("Contrasts were tested by Scheffé's method.", scheffe) == named
    for rank in range(2, k):
        ranked = factor(f"P values were corrected by the false discovery rate for {k} tests.", P * k / rank)
        tests, _, divisor = ranked.removeprefix("× ").partition(" / ")
        assert int(tests) / int(divisor or 1) == pytest.approx(k / rank), "such as × 4 / 2"
    assert factor(f"P values were corrected by the false discovery rate for {k} tests.", P * k / (k - 0.5)) == ""
    most = 1 - (1 - RANGE[1]) ** k
    joint = f"Simultaneous p values were corrected for {k} tests."
    assert factor(joint, (P + most) / 2 + 0.001) in ("the joint distribution of the tests", f"× {k}")
    assert factor(joint, most + 0.0011) in ("", f"× {k}")


@pytest.mark.parametrize(
    ("p", "own", "name"),
    [
        (".036", False, ""),
        (".030", True, ""),  # no correction makes p smaller
        (".072", False, "× 2"),
        (".072", True, "× 2"),
        (".091", True, "× 2.5"),
        (".091", False, ""),
        (".398", True, "× 11"),
        (".54", False, "× 15"),  # the pairs of six groups
        ("1.00", False, ""),  # fifteen times .036 are .54
    ],
)
def test_a_p_that_is_said_to_be_corrected_itself_may_be_so_for_any_number_of_tests(
    p: str, own: bool, name: str
) -> None:
    assert factor("Holm", p, own=own) == name
    if name == "× 2.5":
        assert factor("Bonferroni", p, own=own) == "", "which multiplies by a whole number"


def test_no_correction_makes_a_p_of_one_that_may_be_0() -> None:
    assert Correction("Holm", reported(".05"), own=True).factor((0.0, 0.0001)) == ""


def test_a_product_ends_at_1() -> None:
    for k, name in ((27, ""), (28, "a product that ends at 1"), (40, "a product that ends at 1")):
        assert factor(f"P values were Bonferroni-corrected for {k} comparisons.", "1.000") == name
    (test,) = find(document("Then t(28) = 1.88, p = 1.00."))
    assert Correction("Bonferroni-corrected", test).factor((0.07, 0.07)) == "a product that ends at 1"
    assert Correction("Bonferroni-corrected", test).factor((0.0662, 0.0663)) == ""


# One p of two decimals leaves a ratio of .095/.085 = 1.12, which tells factors apart; the next lower one 1.13 and more.
@pytest.mark.parametrize(
    ("p", "said", "ks"),
    [
        (".09", "Bonferroni-corrected p are reported.", (2, 3, 4, 6, 15)),
        (".08", "Bonferroni-corrected p are reported.", (2, 3, 4)),
        (".08", "We used Bonferroni's method.", ()),
        (".001", "We used Bonferroni's method.", ()),
        (".109", "We used Bonferroni's method.", (2, 3, 4, 6, 15)),
        (".109", "We used Bonferroni's method for the five groups.", (2, 3, 4, 6, 10, 15)),
        (".109", "P values were Bonferroni-corrected for 5 tests.", (5,)),
        (".109", "P values were Holm-corrected for 5 tests.", (2, 3, 4, 5)),
    ],
)
def test_for_how_many_tests_a_correction_may_be(p: str, said: str, ks: tuple[int, ...]) -> None:
    assert Correction(said, reported(p)).ks == ks


def test_what_is_said_of_p_itself_may_be_of_two_hundred_tests() -> None:
    """Of those first that are named."""
    assert Correction("Holm", reported(".109"), own=True).ks == tuple(range(2, 201))
    assert Correction("Holm, for 5 tests", reported(".109"), own=True).ks == (5, 2, 3, 4, *range(6, 201))


def test_a_paragraph_and_a_text_have_so_many_tests() -> None:
    """Where p is printed finely its paragraph is the family, or the text where it says that p are corrected."""
    five = "It was so, t(9) = 1, p = .343, and t(9) = 2, p = .077. "
    seven = "They did, t(9) = 1, p = .343; t(9) = 2, p = .077; t(9) = 3, p = .015.\n\n"
    said = "We used Bonferroni's method."
    assert Correction(said, reported(".109", five * 2)).ks == (2, 3, 4, 5, 6, 15)
    assert Correction(said, reported(".109", seven * 2 + five)).ks == (2, 3, 4, 6, 15)
    assert Correction("All p values were corrected.", reported(".109", seven * 2 + five)).ks == (
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        15,
    )
    assert Correction("All p values were corrected.", reported(".08", seven * 2 + five)).ks == (2, 3, 4)


def test_levels_have_pairs() -> None:
    for groups in range(2, 12):
        pairs = {math.comb(groups, 2)} if 3 <= groups <= 9 else set()
        assert pairs_of_levels(f"The {groups} groups differed.") == pairs
        if groups < 11:
            assert pairs_of_levels(f"Groups differed, F({groups - 1}, 95) = 6.21.") == pairs


@given(st.floats(0.001, 0.3), st.integers(1, 20))
def test_so_many_independent_tests_have_a_printed_p(p: float, k: int) -> None:
    text = f"{1 - (1 - p) ** k:.4f}"
    low, high = independent_tests(printed(text), (p, p))
    ends = [math.log(max(1 - float(text) + half, 1e-9)) / math.log(1 - p) for half in (0.00005, -0.00005)]
    assert max(low, 0.0) == pytest.approx(max(ends[0], 0.0), rel=1e-4)
    assert high == pytest.approx(ends[1], rel=1e-4)
    assert low - 1e-6 <= k <= high + 1e-6
    wide = independent_tests(printed(text), (p / 2, p))
    assert wide[0] == pytest.approx(low, rel=1e-9)
    assert wide[1] > high


def test_the_nearest_factors_are_named() -> None:
    p = (0.03, 0.05)
    assert near_factors(printed(".300"), p, (2, 4, 9)) == "× 4 gives .16 and × 9 .36"
    assert near_factors(printed(".100"), p, (2, 4)) == "", "twice .05 are .100"
    assert near_factors(printed(".101"), p, (2, 4)) == "× 2 gives .08 and × 4 .16"
    assert near_factors(printed(".999"), (0.4, 0.42), (2, 3)) == "× 2 gives .82 and × 3 1"
    assert near_factors(printed(".999"), p, ()) == ""


STATEMENTS = (
    "All pairwise comparisons were Bonferroni-corrected.",
    "P values of the post hoc tests were corrected for three comparisons (Holm).",
    "Post hoc tests were corrected by Tukey's method.",
    "P values were corrected by the false discovery rate of Benjamini and Hochberg.",
    "Pairwise comparisons used Šidák's correction.",
)
PLANTED = 100  # wrong p for each statement
LEAST = 0.93  # 38 of 41


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


def planted(statement: str, rng: np.random.Generator) -> str:
    """Return a text with a statement about a correction and a t whose p neither one tail nor two give."""
    while True:
        df, t = int(rng.integers(5, 300)), float(rng.normal(0, 2))
        size = round(abs(t), 2)
        if size < 0.02:
            continue
        low, high = (float(2 * stats.t.sf(size + step, df)) for step in (0.005, -0.005))
        p = wrong(low, high, rng)
        if p is not None and p.startswith("="):
            return f"{statement}\n\nThe first agent did better, t({df}) = {t:.2f}, p {p}."


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("statement", STATEMENTS)
def test_errors_in_the_reach_of_a_correction_are_flagged(statement: str) -> None:
    rng = np.random.default_rng(STATEMENTS.index(statement))
    texts = [planted(statement, rng) for _ in range(PLANTED)]
    flagged = [audit_text(text).results[0].flagged for text in texts]
    print(f"{statement} {sum(flagged)} of {PLANTED} flagged")
    assert sum(flagged) >= LEAST * PLANTED, [
        audit_text(text).results[0].why[:120] for text, flag in zip(texts, flagged, strict=True) if not flag
    ]
