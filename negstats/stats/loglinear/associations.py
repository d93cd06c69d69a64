"""Which effects a table has: k-way tests, and each term's partial association."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError
from negstats.stats.loglinear._fits import EffectTest, Fits
from negstats.stats.loglinear.notation import of_order, spell_term, without
from negstats.stats.results import apa
from negstats.stats.results.result import Result
from negstats.stats.summaries.frames import By


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Tests(Result):
    """A table of tests of effects."""

    tests: tuple[EffectTest, ...]
    n: float
    method: str

    def to_frame(self) -> pd.DataFrame:
        """Return one row a test: effect, statistic (G²), df, p, x2, p_pearson, iterations."""
        frame = pd.DataFrame([{name: getattr(test, name) for name in EffectTest.__slots__} for test in self.tests])
        frame.attrs["schema"] = f"{type(self).__name__}/1"
        return frame

    def __getitem__(self, effect: str) -> EffectTest:
        for test in self.tests:
            if test.effect == effect:
                return test
        raise DesignError(f"there is no effect {effect!r}; there are {', '.join(test.effect for test in self.tests)}")

    def apa(self) -> str:
        """Return each test as ``effect: G²(df, N = n) = x, p = .xxx``."""
        n = round(self.n)
        return "; ".join(
            f"{test.effect}: {apa.statistic('G²', test.statistic, (test.df,), test.p, n=n)}" for test in self.tests
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KWay(_Tests):
    """Tests that all effects of k dimensions and more are 0, and that all effects of k dimensions are 0.

    Attributes
    ----------
    tests : tuple of EffectTest
        "1-way and higher", "2-way and higher", ...; then "1-way", "2-way", ...
    n : float
        Observations.
    method : str
        As in `LogLinear`.
    """


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PartialAssociations(_Tests):
    """For each term, the change of G² when it leaves the model that holds all terms of its order.

    Attributes
    ----------
    tests : tuple of EffectTest
        One a term, highest order first; `effect` is in the notation of generating classes.
    n : float
        Observations.
    method : str
        As in `LogLinear`.
    """


def k_way(data: Any, by: By = None, *, structural_zeros: npt.ArrayLike | None = None, spss: bool = False) -> KWay:
    """Test for each k that all effects of k or more dimensions are 0, and that all effects of k dimensions are 0.

    Parameters
    ----------
    data, by, structural_zeros, spss
        As in `loglinear`; one table.

    Returns
    -------
    KWay
        One test a k and kind of hypothesis, with its df and p.

    Examples
    --------
    Field's cats and dogs (Discovering Statistics, log-linear analysis):

    >>> tests = k_way([[[48, 28], [29, 20]], [[114, 10], [7, 14]]])
    >>> print(tests.to_frame().round(3)[["effect", "statistic", "df", "x2"]])
                 effect  statistic   df       x2
    0  1-way and higher    200.163  7.0  253.556
    1  2-way and higher     72.267  4.0   67.174
    2  3-way and higher     20.305  1.0   20.777
    3             1-way    127.896  3.0  186.382
    4             2-way     51.962  3.0   46.396
    5             3-way     20.305  1.0   20.777
    """
    return by_order(Fits(data, by, structural_zeros, spss))


def by_order(fits: Fits) -> KWay:
    """Return the k-way tests of a table whose models are at hand."""
    orders = [of_order(fits.dims, k) for k in range(fits.dims + 1)]
    higher = [fits.test(f"{k}-way and higher", orders[k - 1], orders[-1]) for k in range(1, fits.dims + 1)]
    single = [fits.test(f"{k}-way", orders[k - 1], orders[k]) for k in range(1, fits.dims + 1)]
    return KWay(tests=(*higher, *single), n=float(fits.counts.n.sum()), method=fits.method)


def partial_associations(
    data: Any, by: By = None, *, structural_zeros: npt.ArrayLike | None = None, spss: bool = False
) -> PartialAssociations:
    """Test each term by the change of G² when it is removed from the model with all terms of its order.

    Parameters
    ----------
    data, by, structural_zeros, spss
        As in `loglinear`; one table.

    Returns
    -------
    PartialAssociations
        One test a term, with the change of G², its df and p.

    References
    ----------
    Brown, M. B. (1976). Screening effects in multidimensional contingency tables. Applied Statistics, 25, 37–46.

    Examples
    --------
    >>> tests = partial_associations([[[48, 28], [29, 20]], [[114, 10], [7, 14]]])
    >>> print(tests.to_frame().round(3)[["effect", "statistic", "df"]])
                           effect  statistic   df
    0  factor_1 factor_2 factor_3     20.305  1.0
    1           factor_1 factor_2     13.748  1.0
    2           factor_1 factor_3      8.611  1.0
    3           factor_2 factor_3     13.760  1.0
    4                    factor_1      1.483  1.0
    5                    factor_2     65.268  1.0
    6                    factor_3     61.145  1.0
    """
    return by_term(Fits(data, by, structural_zeros, spss))


def by_term(fits: Fits) -> PartialAssociations:
    """Return the partial associations of a table whose models are at hand."""
    tests = []
    for k in range(fits.dims, 0, -1):
        whole = of_order(fits.dims, k)
        tests += [fits.test(spell_term(term, fits.names), without(whole, term), whole) for term in whole]
    return PartialAssociations(tests=tuple(tests), n=float(fits.counts.n.sum()), method=fits.method)
