"""Correlations whose brackets hold how many pairs there are, not their df: r(17) of seventeen people.

One such r is an error of its df. Where the p of most r of a text that do not fit are those of n − 2 df, and more r say
so than say that the brackets hold df, the text prints n there, and its p are right.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from negstats.audit.check_p import FLAGGED, Checked
from negstats.audit.recomputing import agrees, range_with

LEAST = 2  # different r whose p are those of n - 2 df
SHARE = 0.6  # of the r of a text that do not fit their df


def with_pair_counts(results: Sequence[Checked]) -> list[Checked]:
    """Return results, correlations of a text that prints n in their brackets marked as consistent.

    Examples
    --------
    >>> from negstats.audit import audit_text
    >>> text = "Fun did not predict it, r(21) = -.240, p = .295, nor did reward, r(25) = .170, p = .417."
    >>> [result.verdict for result in audit_text(text).results]
    ['consistent', 'consistent']
    """
    judged_results = list(results)
    correlations = [place for place, one in enumerate(results) if _has_whole_df(one)]
    wrong = [place for place in correlations if results[place].verdict in FLAGGED]
    of_pairs = [place for place in wrong if _fits_pairs(results[place])]
    of_df = [
        place for place in correlations if results[place].verdict == "consistent" and not _fits_pairs(results[place])
    ]
    different = {(str(one.value), one.df) for one in (results[place].reported for place in of_pairs)}
    if len(different) < LEAST or len(of_pairs) < SHARE * len(wrong) or len(of_df) >= len(different):
        return judged_results
    for place in of_pairs:
        report = results[place].reported
        why = (
            f"p = {report.p} is that of {float(report.df[0]) - 2:g} df: the brackets of r hold how many pairs there "
            f"are, as {len(different)} r of the text show"
        )
        judged_results[place] = dataclasses.replace(results[place], verdict="consistent", why=why)
    return judged_results


def _has_whole_df(result: Checked) -> bool:
    report = result.reported
    return (
        report.kind in ("r", "rho")
        and len(report.df) == 1
        and report.df[0].decimals <= 0
        and float(report.df[0]) > 2
        and report.p_relation == "="
    )


def _fits_pairs(result: Checked) -> bool:
    """Return whether the printed p is that of two df fewer than are printed."""
    df = float(result.reported.df[0]) - 2
    return agrees(result.reported, range_with(result.reported, ((df, df),)))
