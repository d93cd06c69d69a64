"""Reported results against their own p: recomputed over the rounding of the statistic, and what comes of it.

The rules are those of statcheck (Nuijten, Hartgerink, van Assen, Epskamp and Wicherts, 2016, Behavior Research Methods
48, 1205-1226) with these differences: a p that fits one tail only has a verdict of its own, whether or not the text
speaks of one-tailed tests; decimals of df are rounded numbers too; p = .000 stands for p < .0005 and is no error; a p
that is said to be corrected for several tests need only be no smaller than the raw one; more forms are read.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd
from scipy import special

from negstats.audit.finding import Reported, find
from negstats.audit.printed import printed
from negstats.audit.reading import Document, document, read
from negstats.errors import DesignError
from negstats.stats.apa import p_value

__all__ = ["Audit", "Checked", "audit_file", "audit_text"]

Verdict: TypeAlias = Literal[
    "consistent", "consistent if one-tailed", "inconsistent", "decision error", "impossible", "not checkable"
]
FLAGGED: tuple[Verdict, ...] = ("consistent if one-tailed", "inconsistent", "decision error", "impossible")
Range: TypeAlias = tuple[float, float]
SLACK = 1e-9  # relative; of the special functions

COLUMNS = ["file", "place", "type", "df1", "df2", "n", "relation", "value", "p_relation", "p"]
COLUMNS += ["p_low", "p_high", "verdict", "why", "raw", "sentence"]
NAMES = {
    "chi2": "χ²",
    "g2": "G²",
    "q": "Q",
    "h": "H",
    "t": "t",
    "f": "F",
    "r": "r",
    "rho": "ρ",
    "z": "z",
    "u": "U",
    "p": "p",
}


def _t_p(t: float, df: float) -> float:
    return float(2 * special.stdtr(df, -t))


def _r_p(r: float, df: float) -> float:
    return _t_p(np.inf if r >= 1 else r * (df / (1 - r * r)) ** 0.5, df)


def _z_p(z: float) -> float:
    return float(2 * special.ndtr(-z))


def _f_p(f: float, df1: float, df2: float) -> float:
    return float(special.fdtrc(df1, df2, f))


def _chi2_p(x: float, df: float) -> float:
    return float(special.chdtrc(df, x))


# Of each kind of statistic: how many df it needs, and p from its size and df. Two tails for t, r and z.
P_OF: Mapping[str, tuple[int, Callable[..., float]]] = {
    "t": (1, _t_p),
    "r": (1, _r_p),
    "rho": (1, _r_p),
    "z": (0, _z_p),
    "f": (2, _f_p),
    **dict.fromkeys(("chi2", "g2", "q", "h"), (1, _chi2_p)),
}
SIGNED = ("t", "r", "rho", "z")


@dataclass(frozen=True, slots=True)
class Checked:
    """A reported result and what recomputing its p says.

    Attributes
    ----------
    reported : Reported
        The result as it was written.
    p_low, p_high : float
        The least and the greatest p that the rounding of the statistic and its df allows; NaN if not checkable.
    verdict : str
        "consistent", "consistent if one-tailed" (and the sentence does not speak of one tail), "inconsistent",
        "decision error" (inconsistent across alpha), "impossible" or "not checkable".
    why : str
        One sentence.
    """

    reported: Reported
    p_low: float
    p_high: float
    verdict: Verdict
    why: str

    @property
    def flagged(self) -> bool:
        """Whether something is wrong."""
        return self.verdict in FLAGGED


@dataclass(frozen=True, slots=True)
class Audit:
    """The results that a text reports, each checked.

    Attributes
    ----------
    source, unit : str
        The file, and what places count: "line" or "page".
    results : tuple of Checked
        In the order of the text.
    alpha : float
        The level that a decision error crosses.
    """

    source: str
    unit: str
    results: tuple[Checked, ...]
    alpha: float

    def __len__(self) -> int:
        return len(self.results)

    @property
    def flagged(self) -> tuple[Checked, ...]:
        """The results in which something is wrong."""
        return tuple(result for result in self.results if result.flagged)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a result.

        Columns: ``file``, ``place`` (a line, of a PDF a page), ``type`` ("p" for one that stands alone), ``df1``,
        ``df2`` (of F only), ``n``, ``relation`` and ``value`` of the statistic, ``p_relation`` and ``p`` as printed,
        ``p_low`` and ``p_high`` as recomputed, ``verdict``, ``why``, ``raw`` and ``sentence``.
        """
        frame = pd.DataFrame([_row(self.source, result) for result in self.results], columns=COLUMNS)
        numbers = ["df1", "df2", "n", "value", "p", "p_low", "p_high"]
        frame = frame.astype(dict.fromkeys(numbers, np.float64))
        frame.attrs["schema"] = "Audit/1"
        return frame

    def text(self, *, flagged_only: bool = False) -> str:
        """Return each result (or each flagged one) with its sentence, and a last line that counts all verdicts."""
        blocks = []
        for result in self.flagged if flagged_only else self.results:
            said = result.reported
            where = f"{self.source}, {self.unit} {said.place}"
            blocks.append(f"{where}: {said.raw}\n  {result.verdict}: {result.why}\n  “{said.sentence}”\n")
        return "\n".join([*blocks, self.summary()])

    def summary(self) -> str:
        """Return how many results have each verdict."""
        if not self.results:
            return f"{self.source}: no reported results were found"
        counts = pd.Series([result.verdict for result in self.results]).value_counts(sort=False)
        said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        return f"{self.source}: {len(self)} {'result' if len(self) == 1 else 'results'}: {said}"


def audit_file(path: str | Path, *, alpha: float = 0.05) -> Audit:
    """Find the results that a paper reports and recompute each p.

    Parameters
    ----------
    path
        Text, Markdown, LaTeX, HTML or PDF.
    alpha
        The level that a decision error crosses.

    Raises
    ------
    LogError
        If the file cannot be read.
    DesignError
        If alpha is not between 0 and 1.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paper = Path(folder) / "paper.md"
    ...     _ = paper.write_text("They differed, *t*(49) = 4.12, *p* < .001.")
    ...     audit_file(paper).results[0].verdict
    'consistent'
    """
    return _audit(read(path), alpha)


def audit_text(text: str, *, source: str = "text", alpha: float = 0.05) -> Audit:
    """Find the results that a text reports and recompute each p; as `audit_file`.

    Examples
    --------
    >>> found = audit_text("Those who rejected it did not differ, χ²(1, N = 94) = 4.67, p = .198.")
    >>> print(found.text())
    text, line 1: χ²(1, N = 94) = 4.67, p = .198
      decision error: χ²(1) = 4.67 gives p = .031, not p = .198; df 3 would give it
      “Those who rejected it did not differ, χ²(1, N = 94) = 4.67, p = .198.”
    <BLANKLINE>
    text: 1 result: 1 decision error
    """
    return _audit(document(text, source), alpha)


def _audit(paper: Document, alpha: float) -> Audit:
    if not 0 < alpha < 1:
        raise DesignError(f"alpha is {alpha!r}; give a number between 0 and 1 such as 0.05")
    return Audit(paper.source, paper.unit, tuple(check(result, alpha) for result in find(paper)), alpha)


def _row(source: str, result: Checked) -> tuple[object, ...]:
    said = result.reported
    df = [float(value) for value in said.df] + [None, None]
    p = None if said.p is None else float(said.p)
    value = None if said.value is None else float(said.value)
    prints = (said.relation, value, said.p_relation, p)
    found = (result.p_low, result.p_high, result.verdict, result.why, said.raw, said.sentence)
    return (source, said.place, NAMES[said.kind], *df[:2], said.n, *prints, *found)


def check(said: Reported, alpha: float = 0.05) -> Checked:
    """Recompute the p of a reported result and compare it with what is printed."""
    if said.kind == "p":
        return Checked(said, np.nan, np.nan, "not checkable", "no test statistic is printed beside it")
    said = _completed(said)
    fault = _impossible(said)
    if fault:
        return Checked(said, np.nan, np.nan, "impossible", fault)
    missing = _missing(said)
    if missing:
        return Checked(said, np.nan, np.nan, "not checkable", missing)
    low, high = _p_range(said)
    verdict, why = _judged(said, (low, high), alpha)
    return Checked(said, low, high, verdict, why)


def _completed(said: Reported) -> Reported:
    """Return a correlation of n pairs with its n − 2 df; anything else as it is."""
    if said.kind in ("r", "rho") and not said.df and said.n is not None and said.n > 2:
        return dataclasses.replace(said, df=(printed(said.n - 2),))
    return said


def _impossible(said: Reported) -> str:
    """Return why a result cannot be, whatever the data; empty if it can."""
    value, name = float(said.statistic), NAMES[said.kind]
    if said.kind not in SIGNED and value < 0:
        return f"{name} is {said.statistic}, and it cannot be negative"
    if said.kind in ("r", "rho") and abs(value) > 1:
        return f"{name} is {said.statistic}, and a correlation is between −1 and 1"
    if any(df.value <= 0 for df in said.df):
        return f"df is {', '.join(map(str, said.df))}, and df are positive"
    if said.p is not None:
        p = float(said.p)
        if not 0 <= p <= 1:
            return f"p is printed as {said.p}, and p is between 0 and 1"
        if p == 0 and said.p_relation == "<":
            return "p is printed as below 0"
        if p == 1 and said.p_relation == ">":
            return "p is printed as above 1"
    return ""


def _missing(said: Reported) -> str:
    """Return what is missing to recompute p; empty if nothing is."""
    name = NAMES[said.kind]
    if said.kind not in P_OF:
        return "p of a rank sum needs the group sizes and ties; it can be checked where z is printed beside it"
    needed = P_OF[said.kind][0]
    if len(said.df) < needed:
        fits = _fitting_df(said)
        return f"df of {name} is not printed{fits and f'; {fits} would agree with the printed p'}"
    return ""


def _fitting_df(said: Reported) -> str:
    """Return which df from 1 to 20 would give a chi-squared its printed p, in words."""
    if said.kind not in ("chi2", "g2", "q", "h"):
        return ""
    fits = [df for df in range(1, 21) if _agrees(said, _range_with(said, ((df, df),)))]
    if not fits:
        return ""
    together = fits == list(range(fits[0], fits[-1] + 1)) and len(fits) > 1
    return f"df {fits[0]} to {fits[-1]}" if together else f"df {', '.join(map(str, fits))}"


def _p_range(said: Reported) -> Range:
    """Return the least and the greatest p over the rounding of the statistic and of df that have decimals."""
    ends = tuple(
        (max(df.low, 1e-6), df.high) if df.decimals > 0 else (float(df), float(df))
        for df in said.df[: P_OF[said.kind][0]]
    )
    return _range_with(said, ends)


def _range_with(said: Reported, ends: Sequence[Range]) -> Range:
    least, most = _sizes(said)
    p_of = P_OF[said.kind][1]
    corners = list(itertools.product(*ends))
    return (
        min(float(p_of(most, *df)) for df in corners),
        max(float(p_of(least, *df)) for df in corners),
    )


def _sizes(said: Reported) -> Range:
    """Return the least and the greatest size of the statistic that its print allows."""
    low, high = said.statistic.low, said.statistic.high
    if said.relation in ("<", "≤"):
        low = -high if said.kind in SIGNED else 0.0
    elif said.relation in (">", "≥"):
        high = 1.0 if said.kind in ("r", "rho") else np.inf
    if low <= 0 <= high:
        return 0.0, max(-low, high) if said.kind in SIGNED else high
    return min(abs(low), abs(high)), max(abs(low), abs(high))


def _agrees(said: Reported, p: Range, alpha: float = 0.05) -> bool:
    """Return whether some p of the range is what is printed."""
    low, high = p[0] * (1 - SLACK), p[1] * (1 + SLACK)
    if said.p is None:
        return high > alpha
    at = float(said.p)
    return {
        "=": said.p.low <= high and low <= said.p.high,
        "<": low < at,
        "≤": low <= at,
        ">": high > at,
        "≥": high >= at,
    }[said.p_relation]


def _tails(said: Reported, p: Range) -> Iterator[Range]:
    """Yield p of either single tail, where the statistic has two.

    The tail away from the effect counts for an exact p only: any effect is "not significant" there.
    """
    if said.kind in SIGNED or (said.kind != "u" and said.df and float(said.df[0]) == 1):
        yield p[0] / 2, p[1] / 2
        if said.p_relation == "=":
            yield 1 - p[1] / 2, 1 - p[0] / 2


def _judged(said: Reported, p: Range, alpha: float) -> tuple[Verdict, str]:
    gives, prints = f"{_named(said)} gives {_shown(p)}", _printed_p(said)
    if _agrees(said, p, alpha):
        return "consistent", f"{gives}, and {prints} is printed"
    if said.corrected:
        at_least = said.p is not None and said.p_relation in ("=", ">", "≥") and said.p.high >= p[0] * (1 - SLACK)
        if at_least:
            return "consistent", f"{gives} before the correction, and {prints} is printed with it"
    elif any(_agrees(said, tail, alpha) for tail in _tails(said, p)):
        if said.one_sided:
            return "consistent", f"{gives} with two tails, and {prints} is printed for one, as the sentence says"
        return "consistent if one-tailed", f"{gives} with two tails; {prints} agrees with one tail only"
    if said.kind == "rho":
        return "not checkable", f"{gives} by the t approximation, and {prints} may be exact"
    fits = _fitting_df(said) if said.p_relation == "=" else ""
    why = f"{gives}, not {prints}{fits and f'; {fits} would give it'}"
    return ("decision error" if _crosses(said, p, alpha) else "inconsistent"), why


def _crosses(said: Reported, p: Range, alpha: float) -> bool:
    """Return whether the printed and the recomputed p lie on different sides of alpha."""
    at = alpha if said.p is None else float(said.p)
    significant = said.p is not None and said.p_relation in ("=", "<", "≤") and at <= alpha
    not_significant = (
        said.p is None or (said.p_relation == "=" and at > alpha) or (said.p_relation in (">", "≥") and at >= alpha)
    )
    return (significant and p[0] > alpha) or (not_significant and p[1] <= alpha)


def _named(said: Reported) -> str:
    df = ", ".join(str(value) for value in said.df[: P_OF[said.kind][0]])
    return f"{NAMES[said.kind]}{df and f'({df})'} {said.relation} {said.statistic}"


def _printed_p(said: Reported) -> str:
    if said.p is None:
        return "n.s."
    small = 0 < said.p.value < 0.00001
    return f"p {said.p_relation} {f'{float(said.p):.1e}' if small else str(said.p).removeprefix('0')}"


def _shown(p: Range) -> str:
    """Return a range of p as APA style prints it; small ones to two digits."""
    low, high = (p_value(end) if end >= 0.001 else f"p = {end:.1e}" for end in p)
    return low if low == high else f"{low} to {high.removeprefix('p = ')}"
