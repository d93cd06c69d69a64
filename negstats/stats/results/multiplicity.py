"""Correcting the p values of a family of tests for their number, through statsmodels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.errors import DesignError, shown
from negstats.stats.results import apa
from negstats.stats.results.numbers import FloatArray
from negstats.stats.results.options import check_choice
from negstats.stats.results.result import Result, study_frame

__all__ = ["METHODS", "AdjustedP", "adjust"]

# statsmodels' names and what each is called in print. Its two-stage methods are left out: their p depend on alpha.
METHODS = {
    "bonferroni": "Bonferroni",
    "sidak": "Šidák",
    "holm": "Holm",
    "holm-sidak": "Holm–Šidák",
    "simes-hochberg": "Hochberg",
    "hommel": "Hommel",
    "fdr_bh": "Benjamini–Hochberg",
    "fdr_by": "Benjamini–Yekutieli",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AdjustedP(Result):
    """The p values of a family of tests, before and after the correction for their number.

    Attributes
    ----------
    names : tuple of str
        The tests.
    p, p_adjusted : ndarray, shape (*studies, tests)
        As given and corrected; NaN stays NaN.
    counted : ndarray of int, shape (*studies)
        How many p values the correction counted: those that are not NaN.
    adjust : str
        A name of `METHODS`.
    """

    names: tuple[str, ...]
    p: FloatArray
    p_adjusted: FloatArray
    counted: npt.NDArray[np.intp]
    adjust: str

    def significant(self, alpha: float = 0.05) -> npt.NDArray[np.bool_]:
        """Return which corrected p values are at most `alpha`; NaN is not.

        Parameters
        ----------
        alpha
            The level to which the corrected p values are compared, between 0 and 1.

        Returns
        -------
        ndarray of bool
            True where a corrected p is at most `alpha`, in the shape of the p values.
        """
        return np.asarray(self.p_adjusted <= alpha)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a test (of a stack, one a test and study) with the columns test, p, p_adjusted, adjust.

        Returns
        -------
        DataFrame
            ``adjust`` is the name of the correction, the same in each row.
        """
        columns = {"p": self.p, "p_adjusted": self.p_adjusted}
        return study_frame("AdjustedP/1", {"test": self.names}, columns).assign(adjust=self.adjust)

    def apa(self) -> str:
        """Return such as ``a: p = .030, b: p = .040 (Holm, 2 tests)``.

        Returns
        -------
        str
            The corrected p values behind their names, and the correction in brackets.
        """
        if self.p.ndim > 1:
            raise DesignError(f"apa() prints one family, and this result holds {len(self.p)}; use to_frame()")
        texts = ", ".join(f"{name}: {apa.p_value(p)}" for name, p in zip(self.names, self.p_adjusted, strict=True))
        return f"{texts} ({METHODS[self.adjust]}, {self.counted} {'test' if self.counted == 1 else 'tests'})"


def adjust(p_values: Any, method: str = "holm") -> AdjustedP:
    """Correct the p values of tests that answer one question together.

    The corrections are those of Holm [1]_, Hochberg [2]_, Hommel [3]_, Benjamini and Hochberg [4]_, and Benjamini and
    Yekutieli [5]_, beside those of Bonferroni and Šidák.

    Parameters
    ----------
    p_values
        Numbers, or results that have a `p` (of one study or a stack), by name in a mapping or Series, or in a list; or
        an array of shape ``(*studies, tests)``, in which each study is a family. NaN (a test that could not be made)
        stays NaN and is not counted.
    method
        Against any false rejection: "bonferroni", "sidak", "holm", "holm-sidak", "simes-hochberg", "hommel". For the
        share of false ones among the rejections: "fdr_bh", or "fdr_by" under any dependence.

    Returns
    -------
    AdjustedP
        The p of each test as it was and corrected, in the order in which they were given.

    Raises
    ------
    DesignError
        If the method is unknown, there is no p, or one does not lie between 0 and 1.

    Notes
    -----
    ``statsmodels.stats.multitest.multipletests``, Holm's by its formula; the same numbers as R's ``p.adjust``.

    References
    ----------
    .. [1] Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scandinavian Journal of Statistics,
       6, 65–70.
    .. [2] Hochberg, Y. (1988). A sharper Bonferroni procedure for multiple tests of significance. Biometrika, 75,
       800–802.
    .. [3] Hommel, G. (1988). A stagewise rejective multiple test procedure based on a modified Bonferroni test.
       Biometrika, 75, 383–386.
    .. [4] Benjamini, Y., & Hochberg, Y. (1995). Controlling the false discovery rate: A practical and powerful approach
       to multiple testing. Journal of the Royal Statistical Society B, 57, 289–300.
    .. [5] Benjamini, Y., & Yekutieli, D. (2001). The control of the false discovery rate in multiple testing under
       dependency. The Annals of Statistics, 29, 1165–1188.

    Examples
    --------
    >>> corrected = adjust({"points": 0.013, "rounds": 0.134, "fairness": 0.021})
    >>> corrected.apa()
    'points: p = .039, rounds: p = .134, fairness: p = .042 (Holm, 3 tests)'
    >>> adjust([0.013, float("nan"), 0.021]).p_adjusted.tolist()
    [0.026, nan, 0.026]
    """
    check_choice("method", method, tuple(METHODS))
    names, p = _names_and_p(p_values)
    if np.any((p < 0) | (p > 1)):
        outside = p[(p < 0) | (p > 1)][0]
        raise DesignError(f"p_values hold {outside:g}; give numbers from 0 to 1")
    p_adjusted = np.apply_along_axis(_family, -1, p, method)
    return AdjustedP(
        names=names, p=p, p_adjusted=p_adjusted, counted=np.asarray((~np.isnan(p)).sum(axis=-1)), adjust=method
    )


def _family(p: FloatArray, method: str) -> FloatArray:
    is_known = ~np.isnan(p)
    p_adjusted = np.full(p.shape, np.nan)
    if is_known.any():
        p_corrected = _holm(p[is_known]) if method == "holm" else _by_statsmodels(p[is_known], method)
        # A power of 1 − p can round to just below the p that it corrects.
        p_adjusted[is_known] = np.maximum(p_corrected, p[is_known])
    return p_adjusted


def _by_statsmodels(p: FloatArray, method: str) -> FloatArray:
    from statsmodels.stats.multitest import multipletests

    with np.errstate(divide="ignore"):  # Šidák's log(1 − p) at p = 1
        return np.asarray(multipletests(p, method=method)[1])


def _holm(p: FloatArray) -> FloatArray:
    """Return Holm's corrected p; statsmodels is half a second of imports and collects all of Python's garbage."""
    order = np.argsort(p)
    stepped = np.maximum.accumulate(np.arange(p.size, 0, -1) * p[order])
    p_corrected = np.empty_like(p)
    p_corrected[order] = np.minimum(stepped, 1.0)
    return p_corrected


def _names_and_p(p_values: Any) -> tuple[tuple[str, ...], FloatArray]:
    """Return the tests' names and their p, with the tests on the last axis."""
    if isinstance(p_values, str) or not isinstance(p_values, Iterable):
        raise DesignError(f"p_values is {shown(p_values)}; give several numbers, or results that have a p")
    if isinstance(p_values, np.ndarray):
        p_values = dict(enumerate(np.moveaxis(p_values, -1, 0), start=1)) if p_values.ndim else {}
    has_names = isinstance(p_values, Mapping | pd.Series)
    tests = list(
        p_values.items() if has_names else ((_name(test, i), test) for i, test in enumerate(p_values, start=1))
    )
    if not tests:
        raise DesignError("p_values is empty; give at least one")
    try:
        p = np.stack([np.asarray(getattr(test, "p", test), dtype=np.float64) for _, test in tests], axis=-1)
    except (TypeError, ValueError):
        raise DesignError("p_values are not numbers of one shape, nor results that have such a p") from None
    return tuple(str(name) for name, _ in tests), p


def _name(test: object, number: int) -> str:
    """Return what a result calls itself (a contrast's name, a term), else its place."""
    return next((str(getattr(test, key)) for key in ("name", "term") if hasattr(test, key)), str(number))
