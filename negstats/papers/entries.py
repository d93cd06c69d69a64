"""The systems, definitions, results, tables and figures of a paper: the rows of its ledger by what they belong to.

Each entry has the command that shows it, and a state that follows from its rows: it works where everything printed of
it is implemented, recomputed or drawn, partly works where some of it is, and is missing otherwise.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from negstats.errors import UsageError, meant, shown
from negstats.papers.ledger import JUDGED, KINDS, PAPERS, Row, check_papers, ledger
from negstats.papers.verdict import Finding, Verdict

if TYPE_CHECKING:
    import pandas as pd

# The command of an entry whose rows name none: of a definition, of a figure that is drawn, and of all others.
QUOTE = "python -m pytest tests/papers/definitions/test_{paper}.py"
DRAW = "negstats reproduce {paper} --figures"
READ = 'negstats reproduce {paper} --only "{name}"'


@dataclass(frozen=True, slots=True)
class Entry:
    """A system, definition, result, table or figure of a paper, with the rows of the ledger that belong to it.

    Attributes
    ----------
    paper, name : str
        The paper, and what the entry is called.
    rows : tuple of Row
        Its rows, in the ledger's order.
    findings : dict of str to Finding
        The finding of each row that is judged, by the row's id.
    """

    paper: str
    name: str
    rows: tuple[Row, ...]
    findings: dict[str, Finding]

    @property
    def kind(self) -> str:
        """What the entry is: table, figure, system, definition, or the results and examples of a section."""
        kinds = {row.kind for row in self.rows}
        return next((kind for kind in ("table", "figure", "system", "definition") if kind in kinds), "result")

    @property
    def command(self) -> str:
        """What a user types to see it."""
        named = next((row.command for row in self.rows if row.command), "")
        is_drawn = any(row.kind == "figure" and row.hook for row in self.rows)
        default = DRAW if is_drawn else QUOTE if self.kind == "definition" else READ
        return named or default.format(paper=self.paper, name=self.name)

    @property
    def gaps(self) -> list[tuple[Row, str]]:
        """The rows that are not implemented, recomputed or drawn, each with the reason."""
        return [(row, reason) for row in self.rows if (reason := self._reason(row)) is not None]

    @property
    def state(self) -> str:
        """Works, partly or missing."""
        gaps, partial = self.gaps, any(row.lacks for row in self.rows)
        if not gaps and not partial:
            return "works"
        return "partly" if len(gaps) < len(self.rows) or any(row.command for row in self.rows) else "missing"

    @property
    def reasons(self) -> list[str]:
        """Why it does not work whole, each reason once without its details."""
        lacking = [row.note for row in self.rows if row.lacks]
        gaps = [reason.partition(";")[0] for _, reason in self.gaps]
        return list(dict.fromkeys([*lacking, *gaps]))

    def _reason(self, row: Row) -> str | None:
        """Return why a row is not implemented, recomputed or drawn; None if it is."""
        if row.kind in JUDGED:
            finding = self.findings[row.id]
            return finding.why if finding.verdict is Verdict.NOT_CHECKABLE else None
        if row.kind in ("system", "definition"):
            return None if all(locate(name) for name in row.code.split()) else f"there is no {row.code}"
        if row.hook or row.code or any(other.kind in JUDGED for other in self.rows):
            return None  # drawn, returned by code, or held by the rows of its numbers
        return row.note

    def to_table(self) -> pd.DataFrame:
        """Return its rows as text: where, what, printed, what there is for it, and the verdict or the reason."""
        import pandas as pd

        columns = ["where", "what", "printed", "recomputed", "verdict", "why"]
        return pd.DataFrame([self._cells(row) for row in self.rows], columns=columns)

    def _cells(self, row: Row) -> tuple[str, ...]:
        finding = self.findings.get(row.id)
        if finding is not None:
            checks = "; ".join(map(str, finding.checks[:2]))
            return (row.place, row.what, row.printed, checks, finding.verdict.value, finding.why)
        verdict = "implemented" if row.code else "drawn" if row.hook else ""
        return (row.place, row.of, row.text, row.code or row.hook, verdict, row.note)

    def frames(self) -> list[pd.DataFrame]:
        """Return the tables of the paper that code of this package returns."""
        return [_resolve(name)() for row in self.rows if row.kind == "table" for name in row.code.split()]


def entries(papers: Sequence[str], findings: Sequence[Finding]) -> list[Entry]:
    """Return the entries of papers, in the order of kinds and of the ledgers.

    Parameters
    ----------
    papers
        Names from `PAPERS`; all of them if none is given.
    findings
        The findings of those papers, as `negstats.papers.reproduce` returns them.

    Returns
    -------
    list of Entry
        Systems first, then definitions, numbers, tables and figures of each paper.

    Raises
    ------
    UsageError
        If a paper is unknown.

    Examples
    --------
    >>> from negstats.papers import reproduce
    >>> [(entry.name, entry.state) for entry in entries(["dominance"], reproduce(["dominance"]))][:2]
    [('dominant agent', 'works'), ('peer agent', 'works')]
    """
    by_id = {finding.id: finding for finding in findings}
    result = []
    for paper in check_papers(papers):
        names = dict.fromkeys(row.entry for row in ledger(paper))
        for name in names:
            rows = tuple(row for row in ledger(paper) if row.entry == name)
            result.append(Entry(paper, name, rows, {row.id: by_id[row.id] for row in rows if row.id in by_id}))
    return sorted(result, key=lambda entry: (PAPERS.index(entry.paper), KINDS.index(entry.kind)))


def select_entries(name: str, papers: Sequence[str], findings: Sequence[Finding]) -> list[Entry]:
    """Return the entries of that name, without regard to upper and lower case.

    Raises
    ------
    UsageError
        If no paper has one.
    """
    all_entries = entries(papers, findings)
    chosen = [entry for entry in all_entries if entry.name.casefold() == name.casefold()]
    if not chosen:
        names = list(dict.fromkeys(entry.name for entry in all_entries))
        raise UsageError(f"the papers have nothing called {shown(name)}; {meant(name, names)}")
    return chosen


def locate(name: str) -> Path | None:
    """Return the file that defines a name of a ledger's `code`; None if there is none.

    Examples
    --------
    >>> locate("negstats.metrics.generosity").name
    'generosity.py'
    """
    module, parts = _import_longest(name)
    if module is None:
        return None
    target: object = module
    for part in parts:
        if not hasattr(target, part):
            data_file = Path(str(getattr(target, "__file__", ""))).parent / ".".join(parts)
            return data_file if data_file.is_file() else None
        target = getattr(target, part)
    place = inspect.unwrap(target) if callable(target) else target
    try:
        return Path(inspect.getfile(place))  # type: ignore[arg-type]
    except TypeError:  # a constant has the file of its module
        return Path(str(module.__file__))


def _resolve(name: str) -> Any:
    module, _, attribute = name.rpartition(".")
    return getattr(importlib.import_module(module), attribute)


def _import_longest(name: str) -> tuple[ModuleType | None, list[str]]:
    words = name.split(".")
    for length in range(len(words), 0, -1):
        try:
            return importlib.import_module(".".join(words[:length])), words[length:]
        except ModuleNotFoundError:
            continue
    return None, words
