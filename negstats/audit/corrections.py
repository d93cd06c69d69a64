"""Corrections for several tests: which factor, of those that a text allows, makes a printed p of the recomputed one.

A correction makes no p smaller, and it is never unlimited: Bonferroni's multiplies by a whole number, Holm's and
Hochberg's too (or a p takes that of the test before it), Benjamini and Hochberg's by tests / rank, Šidák's is
1 − (1 − p)^k, Tukey's and Scheffé's are those of so many groups. The number of tests is what the text says (of Holm's
steps at most so many), or the pairs of the levels that it names or an F of its paragraph has; else at most as many as
its sentence or table holds, or, where p is printed finely enough to tell, its paragraph (the text, where it says that
p are corrected) and the pairs of a few groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TypeAlias

import numpy as np
from scipy import special

from negstats.audit.context import MOST_NAMED, named_tests
from negstats.audit.distributions import size_of
from negstats.audit.find_results import Reported
from negstats.audit.statistic_patterns import NUMBER_WORDS
from negstats.audit.words import words_of
from negstats.printed_numbers import Printed

Range: TypeAlias = tuple[float, float]
SLACK = 1e-9
FINE = 1.13  # a p whose print leaves less than this ratio can tell one factor from the next
# Two tests, four, and the pairs of three, four and six groups; of five they are ten, and so is a moved point.
PAIRS = (2, 3, 4, 6, 15)
GROUPS = range(3, 10)  # cells of two factors, too
WORDS = words_of("corrections")
FEW = (2, 3, 4)  # tests of a small family


@lru_cache(maxsize=256)
def is_of_p(statement: str) -> bool:
    """Return whether a statement says that the printed p are the corrected ones."""
    return WORDS.of_p.search(statement) is not None


def is_of_every_test(statement: str) -> bool:
    """Return whether a statement says so of all p, not of the comparisons that follow a test of several df."""
    return is_of_p(statement) and WORDS.of_comparisons.search(statement) is None


def pairs_of_levels(text: str) -> frozenset[int]:
    """Return how many pairs have the levels that a text names, or of which it prints an F.

    Examples
    --------
    >>> sorted(pairs_of_levels("The five groups differed, F(4, 95) = 6.21, and so did days, F(2, 190) = 4.40."))
    [3, 10]
    """
    number_words = {match["count"].lower() for match in WORDS.levels.finditer(text)}
    levels = {NUMBER_WORDS.get(word) or int(word) for word in number_words}
    levels |= {int(match["df"]) + 1 for match in WORDS.of_levels.finditer(text)}
    return frozenset(math.comb(number, 2) for number in levels if number in GROUPS)


@dataclass(frozen=True)
class Correction:
    """A correction for several tests that may have made a printed p of the recomputed one.

    Attributes
    ----------
    text : str
        What is said of it: a statement, or a note at p.
    result : Reported
        The test, with how many stand around it: the family where p is printed finely.
    own : bool
        Whether p itself is said to be corrected, for a number of tests that no text counts.
    elsewhere : frozenset of int
        Numbers of tests that other statements name; they count where this one has none.

    Examples
    --------
    >>> from negstats.audit.find_results import find
    >>> from negstats.audit.reading import document
    >>> for p in (".109", ".090"):
    ...     (test,) = find(document(f"Then t(28) = 2.20, p = {p}."))
    ...     print(Correction("Bonferroni-corrected p are reported.", test).factor((0.0360, 0.0366)))
    × 3
    <BLANKLINE>
    """

    text: str
    result: Reported
    own: bool = False
    elsewhere: frozenset[int] = frozenset()

    @cached_property
    def ks(self) -> tuple[int, ...]:
        """The numbers of tests that the correction may be for, in order."""
        named_counts, result = named_tests(self.text), self.result
        if self.own:
            return (*sorted(named_counts), *(k for k in range(2, MOST_NAMED + 1) if k not in named_counts))
        if named_counts:
            steps = range(2, max(named_counts)) if self.method == "stepwise" else ()
            return tuple(sorted({*named_counts, *steps}))
        of_p = is_of_p(self.text)
        pairs = PAIRS if self.is_fine else FEW if of_p else ()
        largest = min(result.tests_of_text if of_p else result.tests_of_paragraph, MOST_NAMED) if self.is_fine else 1
        levels = pairs_of_levels(f"{self.text} {result.paragraph}")
        return tuple(sorted({*range(2, max(result.tests, largest) + 1), *pairs, *self.elsewhere, *levels}))

    @property
    def method(self) -> str:
        """The method that is named first."""
        return method_of(self.text)

    @property
    def is_fine(self) -> bool:
        """Whether p is printed finely enough to tell one factor from the next."""
        p = self.result.p
        return p is not None and p.low > 0 and p.high / p.low <= FINE

    def factor(self, p: Range) -> str:
        """Return how the correction gives the printed p from the recomputed one, in words; empty if it does not."""
        printed, ks = self.result.p, self.ks
        if printed is None or printed.high < p[0] * (1 - SLACK):
            return ""
        multiplier = next((k for k in ks if printed.agrees(k * p[0], k * p[1])), 0)
        if multiplier and self.method not in ("tukey", "scheffe", "sidak"):
            return f"× {multiplier}"
        if printed.agrees(1.0) and max(ks[-1] if ks else 1, PAIRS[-1]) * p[1] >= 1 - printed.half:
            return "a product that ends at 1"
        name = next((name for name, corrected in self._others(printed, p) if printed.agrees(*corrected)), "")
        ratio = printed.high / p[0] if p[0] > 0 else math.inf
        if not name and self.own and self.method != "bonferroni" and ratio <= MOST_NAMED:
            return f"× {float(printed) / ((p[0] + p[1]) / 2):.2g}"
        return name

    def _others(self, printed_p: Printed, p: Range) -> Iterator[tuple[str, Range]]:
        """Yield what methods make of p that multiply it by no whole number."""
        method, ks, result = self.method, self.ks, self.result
        df = float(result.df[-1]) if result.df and result.kind in ("t", "f", "r", "rho") else math.inf
        if method == "sidak" or (method == "bonferroni" and self.is_fine):  # programs offer both
            low, high = (math.log1p(-min(bound, 1 - 1e-16)) for bound in p)
            for k in ks:
                yield f"1 − (1 − p) to the power of {k}", (-math.expm1(k * low), -math.expm1(k * high))
        elif method == "joint":  # of tests that hang together it is at most that of as many independent ones
            largest_p = -math.expm1((ks[-1] if ks else FEW[-1]) * math.log1p(-min(p[1], 1 - 1e-16)))
            yield "the joint distribution of the tests", (p[0], largest_p)
        elif method == "ranked" and self.text != result.note:
            of_text = result.tests_of_text if is_of_p(self.text) else 0
            for n_tests in (k for k in ks if k <= max(result.tests, *named_tests(self.text), of_text)):
                yield from (
                    (f"× {n_tests} / {rank}", (p[0] * n_tests / rank, p[1] * n_tests / rank))
                    for rank in range(2, n_tests)
                )
        elif method in ("tukey", "scheffe"):
            size = [size_of("t", bound, (df,)) for bound in p]
            for groups in GROUPS:
                pairs = groups * (groups - 1) / 2  # Tukey's p is below Bonferroni's; to compute it takes long
                if method == "scheffe":
                    low, high = (float(special.fdtrc(groups - 1, min(df, 1e9), t * t / (groups - 1))) for t in size)
                    yield f"Scheffé’s of {groups} groups", (low, high)
                elif p[0] < printed_p.high and pairs * p[1] > printed_p.low:
                    yield f"Tukey’s of {groups} groups", (tukey_p(size[0], groups, df), tukey_p(size[1], groups, df))


# Nodes and weights of Gauss and Legendre's rule: between -1 and 1, and for what a normal variable may be.
NODES, WEIGHTS = np.polynomial.legendre.leggauss(64)
NORMALS, DENSITIES = 8.5 * NODES, 8.5 * WEIGHTS * np.exp(-0.5 * (8.5 * NODES) ** 2) / math.sqrt(2 * math.pi)


@lru_cache(maxsize=256)
def tukey_p(t: float, groups: int, df: float) -> float:
    """Return the p of the largest of all differences of so many groups (the studentized range), for one t of them.

    It is the p of the range of normal variables, weighed by how likely each size of the standard error is.

    Examples
    --------
    >>> round(tukey_p(2.5, 3, 20), 6)
    0.053132
    """
    df = min(df, 1e6)
    smallest_scale, largest_scale = (math.sqrt(special.chdtri(df, area)) for area in (1 - 1e-13, 1e-13))
    scales = smallest_scale + (largest_scale - smallest_scale) * (NODES + 1) / 2
    log_density = (df - 1) * np.log(scales) - scales**2 / 2 - special.gammaln(df / 2) - (df / 2 - 1) * math.log(2)
    weights = (largest_scale - smallest_scale) / 2 * WEIGHTS * np.exp(log_density)
    ranges = t * scales * math.sqrt(2 / df)
    chance_between = special.ndtr(NORMALS) - special.ndtr(NORMALS - ranges[:, np.newaxis])
    return float(weights @ (1 - groups * (chance_between ** (groups - 1) @ DENSITIES)))


@lru_cache(maxsize=256)
def method_of(statement: str) -> str:
    """Return the method of correction that a statement names first; empty if it names none."""
    return next((name for name, pattern in WORDS.group("methods").items() if pattern.search(statement)), "")


def independent_tests(printed: Printed, p: Range) -> Range:
    """Return of how many independent tests a printed p would be the corrected one of these.

    Examples
    --------
    >>> from negstats.printed_numbers import printed
    >>> [round(end, 1) for end in independent_tests(printed(".54"), (0.131, 0.133))]
    [5.4, 5.6]
    """
    low, high = (math.log1p(-min(max(bound, 0.0), 1 - 1e-9)) for bound in (printed.low, printed.high))
    smallest_log, largest_log = (math.log1p(-min(max(bound, 1e-300), 1 - 1e-9)) for bound in p)
    return low / largest_log, high / smallest_log


def near_factors(printed: Printed, p: Range, ks: Sequence[int]) -> str:
    """Return what the nearest numbers of tests make of p, in words; empty if there are none.

    Examples
    --------
    >>> from negstats.printed_numbers import printed
    >>> near_factors(printed(".145"), (0.036, 0.037), (2, 3)), near_factors(printed(".09"), (0.036, 0.037), (2, 3))
    ('even × 3 gives .11', '× 2 gives .073 and × 3 .11')
    """
    products = {k: f"{min(k * (p[0] + p[1]) / 2, 1.0):.2g}".replace("0.", ".", 1) for k in ks}
    below_p = [k for k in ks if k * p[1] < printed.low]
    above_p = [k for k in ks if k not in below_p]
    if below_p and above_p:
        return f"× {below_p[-1]} gives {products[below_p[-1]]} and × {above_p[0]} {products[above_p[0]]}"
    return f"even × {below_p[-1]} gives {products[below_p[-1]]}" if below_p else ""
