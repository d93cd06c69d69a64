"""The page of each paper and the index of all, as Markdown made from the ledgers.

``python -m negstats.papers.pages`` writes the pages to ``docs/papers`` and the index into the README of the source
tree; a test holds them against what the ledgers give.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from negstats import papers
from negstats.papers.entries import Entry, entries, locate
from negstats.papers.figures import PAPERS as DRAWN
from negstats.papers.ledger import JUDGED, KINDS, SOURCE_PAPERS, Row, ledger
from negstats.papers.verdict import Finding

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "papers"
START, END = "<!-- papers: written by python -m negstats.papers.pages -->", "<!-- end of papers -->"


class Paper(NamedTuple):
    """The authors, title and system of a paper, and the notebooks about it."""

    authors: str
    title: str
    system: str
    notebooks: tuple[str, ...]


SOURCES = {
    "haim2017": Paper(
        "Haim, Gal, An and Kraus (2017)",
        "Human-computer negotiation in a three player market setting",
        "the contract game; CS-A, SP-A, SP-RAP, SP-RAPD",
        ("haim2017", "contract_game", "decisions"),
    ),
    "mell2015": Paper(
        "Mell, Lucas and Gratch (2015)",
        "An effective conversation tactic for creating value over repeated negotiations",
        "the favor game; agents that seek, return and betray favors",
        ("mell2015", "favor_game"),
    ),
    "chawla2023": Paper(
        "Chawla, Wu, Rong, Lucas and Gratch (2023)",
        "Be selfish, but wisely",
        "Deal or No Deal; six agents by reward and training partner",
        ("chawla2023", "dealornodeal_agents"),
    ),
    "dejonge2016": Paper(
        "de Jonge and Zhang",
        "Using GDL to represent domain knowledge for automated negotiations",
        "rule sheets; players that know a sheet, a protocol or a game",
        ("rule_sheets",),
    ),
    "dominance": Paper(
        "Agent utterances in dialogue (no author)",
        "Agent utterances in dialogue of cooperative negotiation",
        "the dominance dialogue; dominant, peer and submissive agents",
        ("dominance",),
    ),
}


def page_text(paper: str) -> str:
    """Return the page of a paper: its systems, definitions, numbers, contradictions, tables and figures."""
    about, rows = SOURCES[paper], ledger(paper)
    findings = papers.reproduce([paper])
    by_kind = {kind: [row for row in rows if row.kind == kind] for kind in KINDS}
    judged = {kind: [finding for finding in findings if _kind_of(rows, finding) == kind] for kind in JUDGED}
    parts = [
        f"# {paper}: {about.title}",
        f"{about.authors}. This page is written by `python -m negstats.papers.pages` from the rows of "
        f"`negstats/papers/{paper}/ledger.csv`.",
        papers.summary(findings) if findings else "",
        _notebook_line(about),
        "## Systems",
        _table(
            ["system", "what it does", "code", "command"],
            [[record.of, record.text, _links(record.code), _code(record.command)] for record in by_kind["system"]],
        ),
        "## Definitions",
        "Definitions are quoted from the paper or shortened. Each is checked by a test in `tests/papers/definitions`.",
        _table(
            ["place", "term", "definition", "code"],
            [[record.place, record.of, record.text, _links(record.code)] for record in by_kind["definition"]],
        ),
    ]
    for kind, title in (
        ("contradiction", "Contradictions within the paper"),
        ("result", "Results"),
        ("cell", "Numbers in tables and text"),
        ("example", "Worked examples"),
    ):
        if judged[kind]:
            parts += [
                f"## {title}",
                _table(
                    ["place", "quantity", "printed", "recomputed", "verdict", "reason"],
                    map(_finding_cells, judged[kind]),
                ),
            ]
    parts += [_pictures(paper, [*by_kind["table"], *by_kind["figure"]])]
    return "\n\n".join(part for part in parts if part) + "\n"


def _kind_of(rows: Iterable[Row], finding: Finding) -> str:
    return next(row.kind for row in rows if row.id == finding.id)


def _finding_cells(finding: Finding) -> list[str]:
    return [
        finding.where,
        finding.what,
        finding.printed,
        "; ".join(map(str, finding.checks[:2])),
        finding.verdict.value,
        finding.why,
    ]


def _notebook_line(about: Paper) -> str:
    links = ", ".join(f"[{NOTEBOOKS[name]}](../../notebooks/{name}.ipynb)" for name in about.notebooks)
    return f"Notebooks: {links}."


def _pictures(paper: str, rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    stems = {} if paper not in DRAWN else {figure.name: figure.stem for figure in DRAWN[paper].figures()}
    table = _table(
        ["place", "subject", "file", "missing", "reason"],
        [
            [
                row.place,
                row.of,
                ", ".join(f"`figures/{stems[name]}.png`" for name in row.hook.split()),
                row.lacks,
                row.note,
            ]
            for row in rows
        ],
    )
    drawn = dict.fromkeys(name for row in rows for name in row.hook.split())
    images = [f"![{name.replace('_', ' ')}](../../figures/{stems[name]}.png)" for name in drawn]
    return "\n\n".join(["## Tables and figures", table, *images])


# The topic of each notebook in `notebooks/`, as links name it.
NOTEBOOKS = {
    "your_own_logs": "from a CSV to the paragraph",
    "robot_study": "from offers to printed comparisons",
    "decisions": "acceptance offers",
    "plan_to_paper": "from a plan to the checked manuscript",
    "dyads": "pairs are not independent",
    "haim2017": "its printed numbers",
    "contract_game": "its game, simulated",
    "mell2015": "its printed tests",
    "favor_game": "its sessions, simulated",
    "chawla2023": "its printed tables",
    "dealornodeal_agents": "its agents, trained",
    "rule_sheets": "games as text",
    "dominance": "measures of dominance",
}


def index_text() -> str:
    """Return the index of the README: the five papers, and the topic of each notebook."""
    rows = [
        [f"[{about.authors}](docs/papers/{paper}.md)", about.system.partition(";")[0], _notebook_links(about.notebooks)]
        for paper, about in SOURCES.items()
    ]
    of_papers = {name for about in SOURCES.values() for name in about.notebooks}
    others = [name for name in NOTEBOOKS if name not in of_papers]
    return "\n".join(
        [
            "The page of a paper has its agents, definitions, numbers and figures; [one table](docs/papers/index.md)",
            "has the command for each. `negstats reproduce --figures` recomputes the numbers and draws the figures.",
            "",
            _table(["paper", "system", "notebooks"], rows),
            "",
            f"Notebooks for studies of your own: {_notebook_links(others)}.",
        ]
    )


def _notebook_links(names: Iterable[str]) -> str:
    return "; ".join(f"[{NOTEBOOKS[name]}](notebooks/{name}.ipynb)" for name in names)


def _links(code: str) -> str:
    links = []
    for name in code.split():
        path = locate(name)
        target = "" if path is None else path.relative_to(ROOT).as_posix()
        links.append(f"[`{name.rpartition('.')[2]}`](../../{target})")
    return ", ".join(links)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    lines += [
        f"| {' | '.join(cell.replace('|', chr(92) + '|').replace('*,', chr(92) + '*,') for cell in row)} |"
        for row in rows
    ]
    return "\n".join(lines)


def main() -> None:
    """Write the pages, and the index into the README."""
    PAGES.mkdir(exist_ok=True)
    for paper in SOURCES:
        (PAGES / f"{paper}.md").write_text(page_text(paper), encoding="utf-8")
    (PAGES / "index.md").write_text(overview_text(), encoding="utf-8")
    readme = ROOT / "README.md"
    before, _, rest = readme.read_text(encoding="utf-8").partition(START)
    after = rest.partition(END)[2]
    readme.write_text(f"{before}{START}\n{index_text()}\n{END}{after}", encoding="utf-8")


def overview_text() -> str:
    """Return the page over all five papers: each system, definition, result, table and figure, and its command."""
    all_entries = [entry for paper in SOURCE_PAPERS for entry in entries([paper], papers.reproduce([paper]))]
    counts = Counter(entry.state for entry in all_entries)
    rows = sum(len(entry.rows) for entry in all_entries)
    gaps = sum(len(entry.gaps) for entry in all_entries)
    columns = ["item", "kind", "rows", "command", "state", "reason"]
    tables = [
        f"## {SOURCES[paper].authors}\n\n[Its page]({paper}.md) has every row with its verdict.\n\n"
        f"{_table(columns, [_entry_cells(entry) for entry in all_entries if entry.paper == paper])}"
        for paper in SOURCE_PAPERS
    ]
    return "\n\n".join(
        [
            "# The five papers",
            f"The papers have {len(all_entries)} systems, definitions, results, tables and figures. Each of these "
            f"items has one or more rows in a ledger (`negstats/papers/<paper>/ledger.csv`), {rows} rows in all. "
            f"{counts['works']} items work: everything that the paper prints about them is implemented, recomputed or "
            f"drawn. {counts['partly']} work partly and {counts['missing']} are missing, each with the reason: {gaps} "
            "rows have neither code nor a number to compare. Tests run the commands and check the definitions.",
            *tables,
            "```{toctree}\n:hidden:\n\n" + "\n".join(SOURCES) + "\n```\n",
        ]
    )


def _entry_cells(entry: Entry) -> list[str]:
    whole = len(entry.rows) - len(entry.gaps)
    return [
        entry.name,
        entry.kind,
        f"{whole} of {len(entry.rows)}",
        _code(entry.command),
        entry.state,
        "; ".join(entry.reasons),
    ]


if __name__ == "__main__":
    main()
