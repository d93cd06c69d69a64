"""What a paper prints, kept once: every number, worked example, definition, contradiction, table and figure of it.

Each paper has a folder with its ``ledger.csv``, one row a printed thing: where it stands, what is printed, what it is
of, and how it is recomputed: a `hook` of the paper's recipes, or the reason why there is none. ``negstats
reproduce``, the figures, the page of the paper and the index in the README are made from it.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import StringIO

from negstats.errors import UsageError, meant, shown
from negstats.printed_numbers import Printed
from negstats.printed_numbers import printed as as_printed

PAPERS = ("haim2017", "mell2015", "chawla2023", "dejonge2016", "dominance", "solvercl2025", "lewis2017", "casino2021")
SOURCE_PAPERS = PAPERS[:5]  # the papers that the package was written for; the others share its data

KINDS = ("system", "definition", "result", "cell", "example", "contradiction", "table", "figure")
JUDGED = ("result", "cell", "example", "contradiction")  # the kinds that `reproduce` gives a verdict
SYMBOLS = {"G2": "G²", "chi2": "χ²"}
NUMBERS = {"n": "n", "mean": "M", "sd": "SD", "se": "SE", "percent": "%"}
COLUMNS = (
    *(
        "id",
        "kind",
        "entry",
        "place",
        "of",
        "printed",
        "test",
        "statistic",
        "value",
        "df1",
        "df2",
        "p",
        "effect",
        "effect_value",
    ),
    *("country", "condition", "factor_a", "factor_b", "n", "mean", "sd", "se", "percent"),
    *("code", "command", "hook", "inputs", "lacks", "note"),
)


@dataclass(frozen=True, slots=True)
class Row:
    """One printed thing; None or an empty text where a field does not apply or was not printed.

    Attributes
    ----------
    paper, id, kind, entry, place, of : str
        The paper, the row's name, one of `KINDS`, the system, definition, result, table or figure that it belongs to,
        where it stands in the paper, and what it is of.
    text : str
        What is printed, in words: of definitions, systems, examples and contradictions.
    test, statistic, value, df1, df2, p, effect, effect_value
        Of a result. A t-test has `df2` only. An example has a `value`.
    country, condition, factor_a, factor_b, n, mean, sd, se, percent
        Of a cell of a table.
    code : str
        The names of what implements a system or a definition or returns a table, separated by blanks.
    command : str
        What a user types to see the row's entry, where it is not ``negstats reproduce --only``.
    hook, inputs : str
        The recipe that recomputes the row, or the figures that draw it, and what the recipe is given.
    lacks, note : str
        What cannot be drawn of a figure. Why a row cannot be recomputed or drawn; otherwise a remark.
    """

    paper: str
    id: str
    kind: str
    entry: str
    place: str
    of: str
    text: str
    test: str
    statistic: str
    value: Printed | None
    df1: int | None
    df2: int | None
    p: Printed | None
    effect: str
    effect_value: Printed | None
    country: str
    condition: str
    factor_a: str
    factor_b: str
    n: Printed | None
    mean: Printed | None
    sd: Printed | None
    se: Printed | None
    percent: Printed | None
    code: str
    command: str
    hook: str
    inputs: str
    lacks: str
    note: str

    @property
    def size(self) -> int | None:
        """The printed n as a whole number."""
        return None if self.n is None else int(self.n.value)

    @property
    def symbol(self) -> str:
        """The statistic as it is written: F, t, χ², G²."""
        return SYMBOLS.get(self.statistic, self.statistic)

    @property
    def cell(self) -> tuple[str, ...]:
        """Country, condition and factors, those that are given."""
        return tuple(level for level in (self.country, self.condition, self.factor_a, self.factor_b) if level)

    @property
    def what(self) -> str:
        """What it is of, with its cell."""
        return f"{self.of} ({', '.join(self.cell)})" if self.cell else self.of

    @property
    def numbers(self) -> dict[str, Printed]:
        """The numbers of a cell that were printed, by column."""
        return {name: getattr(self, name) for name in NUMBERS if getattr(self, name) is not None}

    @property
    def printed(self) -> str:
        """What is printed: ``F(1, 577) = 5.00, p = 0.03``, ``n = 97, M = 5.72, SE = 0.29``, or words."""
        if self.text:
            return self.text
        if self.kind == "cell":
            return ", ".join(
                f"{number}%" if name == "percent" else f"{NUMBERS[name]} = {number}"
                for name, number in self.numbers.items()
            )
        df = ", ".join(str(df) for df in (self.df1, self.df2) if df is not None)
        parts = [] if self.value is None else [f"{self.symbol}{f'({df})' if df else ''} = {self.value}".lstrip(" =")]
        parts += [] if self.p is None else [f"p {self.p.relation} {self.p}"]
        parts += [] if self.effect_value is None else [f"{self.effect} = {self.effect_value}"]
        return ", ".join(parts)

    @property
    def source(self) -> str:
        """Where the row stands in the source tree: ``haim2017/ledger.csv haim2017.cs.israel``."""
        return f"{self.paper}/ledger.csv {self.id}"


def check_papers(names: Iterable[str]) -> list[str]:
    """Return the names of papers, each once; all papers if none is named.

    Raises
    ------
    UsageError
        If a paper is unknown.
    """
    for name in names:
        if name not in PAPERS:
            raise UsageError(f"no paper is called {shown(name)}; {meant(name, PAPERS)}")
    return list(dict.fromkeys(names)) or list(PAPERS)


@cache
def ledger(paper: str) -> tuple[Row, ...]:
    """Return all rows of a paper's ledger.

    Parameters
    ----------
    paper
        A name from `PAPERS`.

    Returns
    -------
    tuple of Row
        In the order of the file.

    Raises
    ------
    UsageError
        If the paper is unknown.

    Examples
    --------
    >>> [row.printed for row in ledger("mell2015") if row.id == "mell2015.pareto"]
    ['χ²(1) = 14.93, p < 0.001']
    """
    check_papers([paper])
    text = (files("negstats.papers") / paper / "ledger.csv").read_text(encoding="utf-8")
    return tuple(_read_row(paper, row) for row in csv.DictReader(StringIO(text, newline="")))


def rows_of(kind: str, paper: str | None = None) -> tuple[Row, ...]:
    """Return the rows of a kind, of one paper or of all.

    Examples
    --------
    >>> rows_of("cell", "chawla2023")[0].printed
    'n = 97, M = 5.72, SE = 0.29'
    """
    papers = PAPERS if paper is None else (paper,)
    return tuple(row for name in papers for row in ledger(name) if row.kind == kind)


def results(paper: str | None = None) -> tuple[Row, ...]:
    """Return the printed results: inferences, parameters, and points of deals."""
    return rows_of("result", paper)


def printed_cells(paper: str | None = None) -> tuple[Row, ...]:
    """Return the printed cells of tables: means, SDs, SEs, ns and percentages."""
    return rows_of("cell", paper)


def row_named(name: str) -> Row:
    """Return the row with an id such as ``haim2017.cs.israel``.

    Raises
    ------
    UsageError
        If there is none.
    """
    for row in ledger(name.partition(".")[0]):
        if row.id == name:
            return row
    raise UsageError(f"no row of a ledger is called {shown(name)}")


def _read_row(paper: str, row: dict[str, str]) -> Row:
    numbers = {name: _number(row[name]) for name in ("value", "p", "effect_value", *NUMBERS)}
    whole = {name: int(row[name]) if row[name] else None for name in ("df1", "df2")}
    texts = {name: row[name] for name in COLUMNS if name not in numbers and name not in whole and name != "printed"}
    return Row(paper=paper, text=row["printed"], **texts, **numbers, **whole)  # type: ignore[arg-type]


def _number(text: str) -> Printed | None:
    """Return a printed number with its digits and its relation, such as ``< 0.001``."""
    if not text:
        return None
    relation, number = (text[0], text[1:].strip()) if text[0] in "<>=" else ("=", text)
    return as_printed(number, relation=relation)
