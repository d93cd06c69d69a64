"""What papers print, recomputed: a folder a paper with its ledger and its recipes, `reproduce` for all of them.

``ledger`` reads what is printed, ``verdict`` has the rules by which a printed number stands or falls, ``neighbours``
what a statistic may be that is not what its paper says, ``sources`` where raw data are, ``output`` the files written,
``pages`` the page of each paper and the index of all.

A ledger holds facts, copied by hand with the place where they stand: what was printed, not what is right. Where a
definition is not quoted word for word, its row says it in short.

Glossary
--------
ledger : what a paper prints, a *row* for each number; *claim* : the row that is recomputed; *recipe* : how a row is
recomputed; *check* : a printed number beside what it was recomputed to; *finding* : the verdict on one row; *entry* : a
system, definition, result, table or figure of a paper, with its rows.

References
----------
1. haim2017: Haim, Gal, An and Kraus, Human-computer negotiation in a three player market setting (2017).
2. mell2015: Mell, Lucas and Gratch, An effective conversation tactic for creating value over repeated negotiations
   (AAMAS 2015).
3. chawla2023: Chawla, Wu, Rong, Lucas and Gratch, Be selfish, but wisely (EMNLP 2023).
4. dejonge2016: de Jonge and Zhang, Using GDL to represent domain knowledge for automated negotiations.
5. dominance: Agent utterances in dialogue of cooperative negotiation, a note without author.
6. solvercl2025: the README of github.com/monurkeskin/Solver-CL-Agent.
7. lewis2017: Lewis, Yarats, Dauphin, Parikh and Batra, Deal or no deal? (EMNLP 2017).
8. casino2021: Chawla and others, CaSiNo (NAACL 2021).
"""

from __future__ import annotations

import importlib
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from negstats.papers.ledger import PAPERS, SOURCE_PAPERS, check_papers
from negstats.sanitize import in_sentence

if TYPE_CHECKING:
    import pandas as pd

    from negstats.papers.verdict import Finding

__all__ = [
    "PAPERS",
    "SOURCE_PAPERS",
    "counted",
    "findings_of",
    "lacking",
    "printed",
    "reproduce",
    "summary",
    "to_frame",
    "to_table",
]


def reproduce(papers: Sequence[str] = (), *, data: str | Path | None = None) -> list[Finding]:
    """Recompute every number that papers print, and judge each.

    Parameters
    ----------
    papers
        Names from `PAPERS`; all of them if none is given.
    data
        The folder that holds the raw data of the public studies; by default what the environment variable
        ``NEGSTATS_DATA`` names; if neither is given, the studies that ship with negstats (`negstats.datasets`). Where
        a study's data are not there, its rows are not checkable and say how to get them.

    Returns
    -------
    list of Finding
        One for each row of the ledgers that has a verdict, in the order of `PAPERS`.

    Raises
    ------
    UsageError
        If a paper is unknown.

    Examples
    --------
    >>> [finding] = [f for f in reproduce(["chawla2023"]) if f.id == "chawla2023.walkaway.loglinear"]
    >>> finding.verdict.value, round(finding.recomputed, 2)
    ('described otherwise', 1.71)
    """
    names = check_papers(papers)
    from negstats.papers.sources import SOURCES

    folder = data if data is not None else os.environ.get("NEGSTATS_DATA")
    root = None if not folder else Path(folder)
    rows: list[Finding] = []
    for name in names:
        recipe = importlib.import_module(f"negstats.papers.{name}")
        rows += recipe.findings(root) if name in SOURCES else recipe.findings()
    return rows


def printed(paper: str) -> pd.DataFrame:
    """Return a paper's ledger as a table: one row for each printed item, numbers as numbers.

    Parameters
    ----------
    paper
        A name from `PAPERS`.

    Returns
    -------
    DataFrame
        ``id``, ``kind``, ``place``, ``of``, ``text``, the columns of results and cells, ``hook``, ``note`` and
        ``printed``: the row as the paper prints it. A number that was not printed is missing.

    Raises
    ------
    UsageError
        If the paper is unknown.

    Examples
    --------
    >>> printed("mell2015").query("id == 'mell2015.joint.framing'")[["value", "p"]].to_numpy().tolist()
    [[5.15, 0.025]]
    """
    import pandas as pd

    from negstats.papers.ledger import ledger
    from negstats.printed_numbers import Printed

    names = ("value", "p", "effect_value", "n", "mean", "sd", "se", "percent")
    frame = pd.DataFrame(
        [
            {
                name: getattr(row, name).value if isinstance(getattr(row, name), Printed) else getattr(row, name)
                for name in row.__slots__
            }
            | {"printed": row.printed}
            for row in ledger(paper)
        ]
    )
    return frame.astype(dict.fromkeys(names, "float64"))


def to_frame(findings: Sequence[Finding]) -> pd.DataFrame:
    """Return one row a finding, numbers unrounded.

    Columns: paper, id, where, what, printed, quantity, recomputed, low, high, verdict, why.

    Parameters
    ----------
    findings
        The findings, of one paper or several.

    Returns
    -------
    DataFrame
        The findings in their order.
    """
    import pandas as pd

    return pd.DataFrame([row.to_dict() for row in findings])


def to_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """Return the findings as text for people: printed and recomputed side by side, rounded as the paper rounds.

    Columns: paper, where, what, printed, recomputed, verdict, why.

    Parameters
    ----------
    findings
        The findings, of one paper or several.

    Returns
    -------
    DataFrame
        The findings in their order, each cell a text.
    """
    import pandas as pd

    columns = ("paper", "where", "what", "printed", "recomputed", "verdict", "why")
    rows = [
        (row.paper, row.where, row.what, row.printed, "; ".join(map(str, row.checks[:2])), row.verdict.value, row.why)
        for row in findings
    ]
    return pd.DataFrame(rows, columns=pd.Index(columns))


def findings_of(findings: Sequence[Finding]) -> list[Finding]:
    """Return the rows that do not hold as printed.

    Parameters
    ----------
    findings
        The findings, of one paper or several.

    Returns
    -------
    list[Finding]
        Those rows in their order; empty if all stand.
    """
    from negstats.papers.verdict import Verdict

    standing_verdicts = (Verdict.REPRODUCED, Verdict.CONSISTENT, Verdict.NOT_CHECKABLE)
    return [finding for finding in findings if finding.verdict not in standing_verdicts]


def lacking(findings: Sequence[Finding]) -> str:
    """Return, in one line, what missing raw data would add; an empty text if nothing.

    Parameters
    ----------
    findings
        The findings, of one paper or several.

    Returns
    -------
    str
        One line of text, or an empty one.
    """
    from negstats.papers.sources import SOURCES

    waiting = [
        finding for finding in findings if finding.paper in SOURCES and finding.why == SOURCES[finding.paper].hint
    ]
    papers = list(dict.fromkeys(claim.paper for claim in waiting))
    if not waiting:
        return ""
    return (
        f"Another {len(waiting)} rows ({', '.join(papers)}) need raw data: --data names their folder, --all says which"
    )


# What a count of rows with a verdict is said of, in a sentence: of one row, and of several.
_HOLDING = {
    "reproduced": "reproduced from raw data or the rules of a game",
    "consistent": "consistent with the other numbers of their papers",
}
_NOT_HOLDING = {
    "contradicts itself": ("contradicts other numbers of its paper", "contradict other numbers of their papers"),
    "differs": (
        "differs from what the data or the other numbers give",
        "differ from what the data or the other numbers give",
    ),
    "cut off, not rounded": ("was cut off instead of rounded", "were cut off instead of rounded"),
    "differs by this definition": ("holds at most by another definition", "hold at most by another definition"),
    "described otherwise": (
        "belongs to something else than its text says",
        "belong to something else than their text says",
    ),
}


def summary(findings: Sequence[Finding]) -> str:
    """Return a paragraph on how many printed numbers hold, how many do not and why, and how many cannot be checked.

    Parameters
    ----------
    findings : sequence of Finding
        As `reproduce` returns them.

    Returns
    -------
    str
        Up to four sentences of plain text.

    Examples
    --------
    >>> from negstats import papers
    >>> papers.summary(papers.reproduce(["mell2015"])).split(". ")[0]
    'Of the 58 results that mell2015 prints, 44 hold: 33 are reproduced from raw data or the rules of a game ...'
    """
    counts = Counter(row.verdict.value for row in findings)
    names = list(dict.fromkeys(row.paper for row in findings))
    who = f"{names[0]} prints" if len(names) == 1 else f"{len(names)} studies print"
    clauses = [f"{_are(counts[name])} {text}" for name, text in _HOLDING.items() if counts[name]]
    text = f"Of the {len(findings)} results that {who}, {sum(counts[name] for name in _HOLDING)} hold"
    text += f": {in_sentence(clauses)}." if clauses else "."
    odd = [f"{counts[name]} {clause[counts[name] > 1]}" for name, clause in _NOT_HOLDING.items() if counts[name]]
    number = sum(counts[name] for name in _NOT_HOLDING)
    text += (
        f" Of the others, {number} {'does' if number == 1 else 'do'} not hold as printed: {in_sentence(odd)}."
        if odd
        else ""
    )
    unknown = counts["not checkable"]
    why = "the paper does not print what is needed, or the data are not available"
    return text + (f" The remaining {unknown} cannot be checked, because {why}." if unknown else "")


def _are(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'}"


def counted(findings: Sequence[Finding]) -> pd.DataFrame:
    """Return how often each verdict was given: one row a paper and one for all, one column a verdict.

    Parameters
    ----------
    findings
        The findings, of one paper or several.

    Returns
    -------
    DataFrame
        Counts; 0 where a paper has no such verdict.
    """
    import pandas as pd

    from negstats.papers.verdict import Verdict

    names = [verdict.value for verdict in Verdict]
    frame = to_frame(findings)
    table = pd.crosstab(frame["paper"], frame["verdict"]).reindex(columns=names, fill_value=0)
    table = table.reindex([paper for paper in PAPERS if paper in table.index])
    table.loc["all"] = table.sum()
    table["rows"] = table.sum(axis="columns")
    return table.rename_axis(index="paper", columns=None).reset_index()
