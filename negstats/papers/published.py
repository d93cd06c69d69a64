"""What the papers print, read as facts from ``claims.csv`` and ``summaries.csv``: the printed text, digits and all.

The files stand in ``datasets/published`` of the source tree; a wheel carries them inside the package, as
``negstats/_published``. So they are found in both places without a download.
"""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from negstats.errors import UsageError
from negstats.printed_numbers import Printed
from negstats.printed_numbers import printed as as_printed

SYMBOLS = {"G2": "G²", "chi2": "χ²"}
NUMBERS = {"n": "n", "mean": "M", "sd": "SD", "se": "SE", "percent": "%"}


@dataclass(frozen=True, slots=True)
class Claim:
    """One printed inference; None where a number was not printed. A t-test has `df2` only."""

    id: str
    paper: str
    where: str
    what: str
    test: str
    statistic: str
    value: Printed | None
    df1: int | None
    df2: int | None
    n: int | None
    p: Printed | None
    effect: str
    effect_value: Printed | None
    note: str

    @property
    def symbol(self) -> str:
        """The statistic as it is written: F, t, χ², G²."""
        return SYMBOLS.get(self.statistic, self.statistic)

    @property
    def printed(self) -> str:
        """Such as ``F(1, 577) = 5.00, p = 0.03``."""
        df = ", ".join(str(df) for df in (self.df1, self.df2) if df is not None)
        parts = [] if self.value is None else [f"{self.symbol}{f'({df})' if df else ''} = {self.value}"]
        parts += [] if self.p is None else [f"p {self.p.relation} {self.p}"]
        parts += [] if self.effect_value is None else [f"{self.effect} = {self.effect_value}"]
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Summary:
    """One printed cell; None where a number was not printed. `line` is its line in ``summaries.csv``."""

    line: int
    paper: str
    where: str
    measure: str
    country: str
    condition: str
    factor_a: str
    factor_b: str
    n: Printed | None
    mean: Printed | None
    sd: Printed | None
    se: Printed | None
    percent: Printed | None
    note: str

    @property
    def id(self) -> str:
        """The paper and the line, such as ``chawla2023.line78``."""
        return f"{self.paper}.line{self.line}"

    @property
    def cell(self) -> tuple[str, ...]:
        """Country, condition and factors, those that are given."""
        return tuple(x for x in (self.country, self.condition, self.factor_a, self.factor_b) if x)

    @property
    def what(self) -> str:
        """The measure and its cell."""
        return f"{self.measure} ({', '.join(self.cell)})" if self.cell else self.measure

    @property
    def numbers(self) -> dict[str, Printed]:
        """The numbers that were printed, by column."""
        return {name: getattr(self, name) for name in NUMBERS if getattr(self, name) is not None}

    @property
    def printed(self) -> str:
        """Such as ``n = 97, M = 5.72, SE = 0.29``."""
        return ", ".join(
            f"{number}%" if name == "percent" else f"{NUMBERS[name]} = {number}"
            for name, number in self.numbers.items()
        )


def folder() -> Traversable:
    """Return the folder of the published numbers: in the installed package, else in the source tree.

    Raises
    ------
    UsageError
        If it is in neither.
    """
    installed = files("negstats") / "_published"
    if installed.is_dir():
        return installed
    checkout = Path(__file__).resolve().parents[2] / "datasets" / "published"
    if not checkout.is_dir():
        raise UsageError(f"{checkout}: the published numbers are not there; install negstats from its wheel or source")
    return checkout


@cache
def claims(paper: str | None = None) -> tuple[Claim, ...]:
    """Return the printed inferences, of one paper or of all.

    Examples
    --------
    >>> claims("mell2015")[0].printed
    'χ²(1) = 14.93, p < 0.001'
    """
    if paper is not None:
        return tuple(claim for claim in claims() if claim.paper == paper)
    rows = _rows("claims.csv")
    values = _restored(rows, "value", ("paper", "statistic"))
    effects = _restored(rows, "effect_value", ("paper", "effect"))
    return tuple(
        Claim(
            row["claim_id"],
            row["paper"],
            row["where"],
            row["claim"],
            row["test"],
            row["statistic"],
            value,
            _whole(row["df1"]),
            _whole(row["df2"]),
            _whole(row["n"]),
            as_printed(row["p"], relation=row["p_op"]) if row["p"] else None,
            row["effect"],
            effect,
            row["note"],
        )
        for row, value, effect in zip(rows, values, effects, strict=True)
    )


@cache
def summaries(paper: str | None = None) -> tuple[Summary, ...]:
    """Return the printed cells, of one paper or of all.

    Examples
    --------
    >>> summaries("chawla2023")[0].printed
    'n = 97, M = 5.72, SE = 0.29'
    """
    if paper is not None:
        return tuple(summary for summary in summaries() if summary.paper == paper)
    rows = _rows("summaries.csv")
    restored = [_restored(rows, name, ("paper", "where")) for name in NUMBERS]
    return tuple(
        Summary(
            line,
            row["paper"],
            row["where"],
            row["measure"],
            row["country"],
            row["condition"],
            row["factor_a"],
            row["factor_b"],
            n,
            mean,
            sd,
            se,
            percent,
            row["note"],
        )
        for line, (row, (n, mean, sd, se, percent)) in enumerate(zip(rows, zip(*restored, strict=True), strict=True), 2)
    )


def _whole(text: str) -> int | None:
    return int(text) if text else None


def _rows(name: str) -> list[dict[str, str]]:
    with (folder() / name).open("r", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def _restored(rows: Sequence[Mapping[str, str]], column: str, among: tuple[str, ...]) -> list[Printed | None]:
    """Return a column's numbers with the trailing zeros that typing has lost.

    Where two thirds of a place's numbers with a decimal point have the same decimals, as in a table, a shorter one
    among them has lost zeros. Elsewhere numbers stay as they are: their intervals are then rather too wide.
    """
    decimals = defaultdict(list)
    for row in rows:
        if "." in row[column]:
            decimals[tuple(row[name] for name in among)].append(as_printed(row[column]).decimals)
    usual = {key: _usual(places) for key, places in decimals.items()}

    def restore(row: Mapping[str, str]) -> Printed | None:
        if "." not in row[column]:
            return as_printed(row[column]) if row[column] else None
        n_decimals = as_printed(row[column]).decimals
        return as_printed(row[column], decimals=max(n_decimals, usual[tuple(row[name] for name in among)]))

    return [restore(row) for row in rows]


def _usual(decimals: Sequence[int]) -> int:
    [(digits, times)] = Counter(decimals).most_common(1)
    return digits if 3 * times >= 2 * len(decimals) else 0
