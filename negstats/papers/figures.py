"""The figures of the papers: drawn from their printed numbers as PNG, SVG and PDF, with their numbers as CSV.

``manifest.json`` lists every file with the command that makes it, the rows that its numbers come from and the SHA-256
of its numbers, and says what cannot be drawn and why. What a paper does not print is not drawn.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd

from negstats.errors import UsageError, shown
from negstats.files import write_whole, written_whole
from negstats.papers.chawla2023 import figures as chawla2023_figures
from negstats.papers.dominance import figures as dominance_figures
from negstats.papers.figure import Figure
from negstats.papers.haim2017 import figures as haim2017_figures
from negstats.papers.ledger import Row, ledger
from negstats.papers.mell2015 import figures as mell2015_figures

PAPERS: Mapping[str, ModuleType] = {
    "haim2017": haim2017_figures,
    "mell2015": mell2015_figures,
    "chawla2023": chawla2023_figures,
    "dominance": dominance_figures,
}
ENDINGS = (".png", ".svg", ".pdf")
DPI = 150  # of the PNG: on a screen; SVG and PDF are for print
MANIFEST = "manifest.json"
SCHEMA = "negstats.figures/1"


def figures(papers: Iterable[str] = ()) -> list[Figure]:
    """Return the figures that can be drawn, of some papers or (none named) of all.

    Raises
    ------
    UsageError
        If a paper is unknown.

    Examples
    --------
    >>> [figure.stem for figure in figures(["mell2015"])][:2]
    ['mell2015_1_pareto_over_time', 'mell2015_3_tables_that_fit']
    """
    return [figure for paper in _check_papers(papers) for figure in PAPERS[paper].figures()]


def not_drawn(papers: Iterable[str] = ()) -> pd.DataFrame:
    """Return what cannot be drawn of the papers' figures and tables: paper, figure, of, what, and why.

    Raises
    ------
    UsageError
        If a paper is unknown.
    """
    rows = [row for paper in _check_papers(papers) for row in pictures(paper) if row.lacks]
    return pd.DataFrame(
        [{"paper": row.paper, "figure": row.place, "of": row.of, "what": row.lacks, "why": row.note} for row in rows],
        columns=["paper", "figure", "of", "what", "why"],
    )


def pictures(paper: str) -> list[Row]:
    """Return the figures and tables of a paper's ledger; a row's hook names the figures that draw it."""
    return [row for row in ledger(paper) if row.kind in ("figure", "table")]


def make_figures(
    out: str | Path, papers: Sequence[str] = (), *, track: Callable[[str], None] | None = None
) -> pd.DataFrame:
    """Draw the figures into a folder, each as PNG, SVG, PDF and CSV, and write the manifest.

    What the manifest says of other papers stays. The same numbers give the same bytes with the same matplotlib.

    Parameters
    ----------
    out
        The folder; made if it is not there.
    papers
        haim2017, mell2015, chawla2023, dominance; all if none is named.
    track
        Called with the name of each figure before it is drawn, such as "mell2015: figure 2 of 4".

    Returns
    -------
    pandas.DataFrame
        A row a figure: paper, figure, name, n of numbers, file (the stem), assigned.

    Raises
    ------
    UsageError
        If a paper is unknown, the folder cannot be written, or it holds another manifest.
    """
    import matplotlib.pyplot as plt

    from negstats.plots import save_figure

    folder = Path(out)
    names = _check_papers(papers)
    entries = _entries(folder / MANIFEST)
    all_figures = []
    # The figures of the papers that are asked for; entries of others stay as they were.
    for paper in names:
        records = []
        paper_figures = figures([paper])
        for place, figure in enumerate(paper_figures, start=1):
            if track is not None:
                track(f"{paper}: figure {place} of {len(paper_figures)}")
            ax = figure.draw(figure.numbers)
            for ending in ENDINGS:
                save_figure(ax, folder / f"{figure.stem}{ending}", dpi=DPI)
            plt.close(ax.get_figure(root=True))
            digest = _write_numbers(figure, folder / f"{figure.stem}.csv")
            records.append(_entry(figure, digest))
            all_figures.append(figure)
        entries[paper] = {
            "command": f"negstats reproduce {paper} --figures",
            "figures": records,
            "not_drawn": not_drawn([paper]).drop(columns="paper").to_dict("records"),
        }
    records_by_paper = {paper: entries[paper] for paper in PAPERS if paper in entries}
    text = json.dumps({"schema": SCHEMA, "papers": records_by_paper}, ensure_ascii=False, indent=1) + "\n"
    write_whole(folder / MANIFEST, text)
    return pd.DataFrame(
        [
            {"paper": x.paper, "figure": x.number, "numbers": len(x.numbers), "files": x.stem, "assigned": x.assigned}
            for x in all_figures
        ]
    )


def _check_papers(papers: Iterable[str]) -> list[str]:
    names = list(dict.fromkeys(papers)) or list(PAPERS)
    for paper in names:
        if paper not in PAPERS:
            raise UsageError(f"there are no figures of the paper {shown(paper)}; there are {', '.join(PAPERS)}")
    return names


def _write_numbers(figure: Figure, path: Path) -> str:
    """Write the numbers with ten digits, which every machine agrees on, and return the file's SHA-256."""
    with written_whole(path) as new_file:
        figure.numbers.to_csv(new_file, index=False, float_format="%.10g", lineterminator="\n")
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _entry(figure: Figure, digest: str) -> dict[str, Any]:
    return {
        "figure": figure.number,
        "files": [f"{figure.stem}{ending}" for ending in (*ENDINGS, ".csv")],
        "command": f"negstats reproduce {figure.paper} --figures",
        "sources": list(figure.sources),
        "computed": figure.computed,
        "assigned": figure.assigned,
        "csv_sha256": digest,
    }


def _entries(manifest: Path) -> dict[str, Any]:
    """Return what a manifest that is there says of each paper."""
    if not manifest.exists():
        return {}
    try:
        content = json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        content = None
    if not isinstance(content, dict) or content.get("schema") != SCHEMA or not isinstance(content.get("papers"), dict):
        raise UsageError(f"{manifest}: is not a manifest of our figures; name another folder, or remove it")
    return dict(content["papers"])
