"""The page of each paper and the index of all, as Markdown made from the ledgers.

``python -m negstats.papers.pages`` writes the pages to ``docs/papers`` and the index into the README of the source
tree; a test holds them against what the ledgers give.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from negstats import papers
from negstats.papers.figures import PAPERS as DRAWN
from negstats.papers.ledger import JUDGED, KINDS, SOURCE_PAPERS, Row, ledger
from negstats.papers.verdict import Finding

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "papers"
START, END = "<!-- papers: written by python -m negstats.papers.pages -->", "<!-- end of papers -->"


class Paper(NamedTuple):
    """What a reader knows a paper by, and the notebooks that go through it."""

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
    judged = {kind: [one for one in findings if _kind_of(rows, one) == kind] for kind in JUDGED}
    parts = [
        f"# {paper}: {about.title}",
        f"{about.authors}. Written by `python -m negstats.papers.pages` from `negstats/papers/{paper}/ledger.csv`.",
        papers.summary(findings) if findings else "",
        _notebook_line(about),
        "## Its systems",
        _table(
            ["system", "what it does", "code", "command"],
            [[r.of, r.text, _links(r.code), _code(r.note)] for r in by_kind["system"]],
        ),
        "## Its definitions",
        "A test in `tests/papers/definitions` quotes and holds each. The words are the paper's, or short for them.",
        _table(
            ["where", "of", "definition", "code"],
            [[r.place, r.of, r.text, _links(r.code)] for r in by_kind["definition"]],
        ),
    ]
    for kind, title in (
        ("contradiction", "What contradicts itself"),
        ("result", "Results"),
        ("cell", "Numbers of its tables and text"),
        ("example", "Worked examples"),
    ):
        if judged[kind]:
            parts += [
                f"## {title}",
                _table(["where", "of", "printed", "recomputed", "verdict", "why"], map(_finding_cells, judged[kind])),
            ]
    parts += [_pictures(paper, [*by_kind["table"], *by_kind["figure"]])]
    return "\n\n".join(part for part in parts if part) + "\n"


def _kind_of(rows: Iterable[Row], finding: Finding) -> str:
    return next(row.kind for row in rows if row.id == finding.id)


def _finding_cells(one: Finding) -> list[str]:
    return [one.where, one.what, one.printed, "; ".join(map(str, one.checks[:2])), one.verdict.value, one.why]


def _notebook_line(about: Paper) -> str:
    links = ", ".join(f"[{NOTEBOOKS[name]}](../../notebooks/{name}.ipynb)" for name in about.notebooks)
    return f"Notebooks: {links}."


def _pictures(paper: str, rows: Sequence[Row]) -> str:
    if not rows:
        return ""
    stems = {} if paper not in DRAWN else {figure.name: figure.stem for figure in DRAWN[paper].figures()}
    table = _table(
        ["where", "of", "drawn", "what is lacking", "why"],
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
    return "\n\n".join(["## Its tables and figures", table, *images])


COMMANDS = {  # what shows that a row of a kind works; a system has a command of its own
    "definition": "python -m pytest tests/papers/definitions",
    "table": "negstats reproduce {paper} --all --figures",
    "figure": "negstats reproduce {paper} --all --figures",
}


def coverage() -> tuple[list[list[str]], list[list[str]]]:
    """Return how many rows of each paper and kind are recomputed, by which command, and the others with the reason.

    A system or definition counts where its code is there (tests run the command of each system, and quote each
    definition), a number where it has a verdict other than not checkable, a table or figure where it is drawn or some
    of its numbers are recomputed.
    """
    counts, gaps = [], []
    for paper in SOURCE_PAPERS:
        findings = {finding.id: finding for finding in papers.reproduce([paper])}
        verdicts = {name: finding.verdict.value for name, finding in findings.items()}
        for kind in KINDS:
            rows = [row for row in ledger(paper) if row.kind == kind]
            gap_rows = [row for row in rows if not _is_recomputed(row, verdicts)]
            if rows:
                command = COMMANDS.get(kind, "negstats reproduce {paper} --all").format(paper=paper)
                cell = "the command on its page" if kind == "system" else f"`{command}`"
                counts.append([f"[{paper}]({paper}.md)", kind, str(len(rows)), str(len(rows) - len(gap_rows)), cell])
            gaps += [_gap_cells(row, findings.get(row.id)) for row in gap_rows]
    return counts, gaps


def _gap_cells(row: Row, finding: Finding | None) -> list[str]:
    if finding is None:
        return [row.paper, row.place, row.of, row.note or row.lacks or f"no command shows it; `{row.code}` holds it"]
    return [row.paper, row.place, finding.what, finding.why]


def _is_recomputed(row: Row, verdicts: dict[str, str]) -> bool:
    if row.kind in JUDGED:
        return verdicts[row.id] != "not checkable"
    if row.kind in ("system", "definition"):
        return all(locate(name) is not None for name in row.code.split())
    own = [other for other in ledger(row.paper) if other.place.startswith(row.place) and other.kind in JUDGED]
    return bool(row.hook) or any(verdicts[other.id] != "not checkable" for other in own)


# What one reads a notebook for; every notebook of the source tree has its line.
NOTEBOOKS = {
    "your_own_logs": "from a CSV to the paragraph",
    "robot_study": "from offers to the printed comparisons",
    "decisions": "from raw choices to the acceptance offer",
    "plan_to_paper": "from a plan to the checked manuscript",
    "dyads": "pairs are not independent",
    "haim2017": "what its printed numbers allow",
    "contract_game": "its study on simulated games",
    "mell2015": "its tests, and the tables behind them",
    "favor_game": "its study on simulated sessions",
    "chawla2023": "its tables, analysed again",
    "dealornodeal_agents": "its design on trained agents",
    "rule_sheets": "games that are written as text",
    "dominance": "which measure tells agents apart",
}


def index_text() -> str:
    """Return the index of the README: the five papers, and each notebook by what one reads it for."""
    rows = [
        [f"[{about.authors}](docs/papers/{paper}.md)", about.system, _notebook_links(about.notebooks)]
        for paper, about in SOURCES.items()
    ]
    of_papers = {name for about in SOURCES.values() for name in about.notebooks}
    others = [name for name in NOTEBOOKS if name not in of_papers]
    return "\n".join(
        [
            "The page of a paper leads to its agents, definitions, numbers and figures;",
            "`negstats reproduce --figures` recomputes the numbers and draws the figures.",
            "",
            _table(["paper", "system", "notebooks"], rows),
            "",
            f"Notebooks for studies of your own: {_notebook_links(others)}.",
        ]
    )


def _notebook_links(names: Iterable[str]) -> str:
    return "; ".join(f"[{NOTEBOOKS[name]}](notebooks/{name}.ipynb)" for name in names)


def locate(name: str) -> Path | None:
    """Return the file that defines a name of a ledger's `code`; None if there is none.

    Examples
    --------
    >>> locate("negstats.metrics.competitiveness").name
    'competitiveness.py'
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
    except TypeError:  # a constant lies where its module is
        return Path(str(module.__file__))


def _import_longest(name: str) -> tuple[ModuleType | None, list[str]]:
    words = name.split(".")
    for length in range(len(words), 0, -1):
        try:
            return importlib.import_module(".".join(words[:length])), words[length:]
        except ModuleNotFoundError:
            continue
    return None, words


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
    """Return the page over all five papers: what each ledger holds, and how much of it is recomputed."""
    counts, gaps = coverage()
    table = _table(["paper", "kind", "printed", "recomputed or drawn", "command"], counts)
    total, recomputed = (sum(int(row[column]) for row in counts) for column in (2, 3))
    pages = "\n".join(SOURCES)
    return (
        f"# The five papers\n\nThe ledgers `negstats/papers/<paper>/ledger.csv` list all {total} systems, definitions, "
        f"numbers, contradictions, tables and figures of the papers; {recomputed} of them are implemented, recomputed "
        f"or drawn (of some tables and figures a part), and the others are listed below with the reason. Tests run the "
        f"command of each system and quote each definition.\n\n{table}\n\n```{{toctree}}\n{pages}\n```\n\n"
        "## What is not recomputed, and why\n\n"
        f"{_table(['paper', 'where', 'of', 'why'], gaps)}\n"
    )


if __name__ == "__main__":
    main()
