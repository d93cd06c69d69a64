"""Many papers at once: files, folders and standard input, each audited apart (`pages` writes what is found).

A paper that cannot be read is listed with the reason. The text of a PDF, which takes longest, is kept under the hash of
its bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeAlias

from negstats.audit.audits import Audit, audit_document
from negstats.audit.beyond_p import FLAGGED_GRADES
from negstats.audit.office import pages
from negstats.audit.reading import Document, document, of_pages, read
from negstats.audit.readings import Rules
from negstats.errors import LogError, one_line
from negstats.files import write_whole
from negstats.sanitize import text

STDIN = "-"
DECISION = "decision error"
TEXTS = (".txt", ".md", ".markdown", ".rmd", ".qmd", ".rst", ".tex")
MARKED_UP = (".htm", ".html", ".xhtml", ".xml", ".nxml", ".tei")
SUFFIXES = frozenset([*TEXTS, *MARKED_UP, ".docx", ".odt", ".pdf"])
READER = 5  # raise it where a PDF's text is taken in another way, and what is kept is read anew
LARGEST = 64 << 20  # bytes that are read from standard input
Track: TypeAlias = "Callable[[Iterable[Paper], int], Iterable[Paper]]"


@dataclass(frozen=True, slots=True)
class Paper:
    """The audit of one paper, as rows; or the reason why it could not be read.

    Attributes
    ----------
    source : str
        The file.
    summary : str
        One line.
    results, further : tuple of dict
        The rows of `Audit.to_frame` and `Audit.further_frame`.
    error : str
        Why the paper could not be read; empty if it was.
    unit : str
        What places count: "line", "page" or "paragraph".
    facts : tuple of dict
        What the text says of its own reporting (`negstats.audit.audits`).
    """

    source: str
    summary: str
    results: tuple[dict[str, Any], ...] = ()
    further: tuple[dict[str, Any], ...] = ()
    error: str = ""
    unit: str = "line"
    facts: tuple[dict[str, Any], ...] = ()

    def wrong(self, *, decisions_only: bool = False) -> list[dict[str, Any]]:
        """Return the rows of results and of the numbers beside them that do not fit.

        Parameters
        ----------
        decisions_only
            Whether only those are listed whose decision changes, significant or not.

        Returns
        -------
        list[dict[str, Any]]
            One dictionary a row.
        """
        grades = ("changes the conclusion",) if decisions_only else FLAGGED_GRADES
        results = [r for r in self.results if r["flagged"] and (r["verdict"] == DECISION or not decisions_only)]
        return [*results, *(row for row in self.further if row["grade"] in grades)]

    @property
    def weight(self) -> tuple[int, ...]:
        """How much there is to look at: decisions that change, what cannot be, what does not fit."""
        doubtful_rows = self.wrong()
        grades = [str(row.get("verdict") or row["grade"]) for row in doubtful_rows]
        decisions = sum(grade in (DECISION, "changes the conclusion") for grade in grades)
        return decisions, sum(grade in ("impossible", "cannot be") for grade in grades), len(doubtful_rows)

    def flagged(self, *, decisions_only: bool = False) -> list[dict[str, Any]]:
        """Return what does not fit: results and the numbers beside them, in the order of the paper.

        What is printed again is one matter: it is listed once, its other places under ``also``.

        Parameters
        ----------
        decisions_only
            Whether only those are listed whose decision changes, significant or not.

        Returns
        -------
        list[dict[str, Any]]
            One dictionary a matter.
        """
        rows = [
            {**row, "judged": row["verdict"] if "verdict" in row else f"{row['what']}: {row['grade']}"}
            for row in self.wrong(decisions_only=decisions_only)
        ]
        matters: dict[tuple[str, str], dict[str, Any]] = {}
        for row in sorted(rows, key=lambda row: int(row["place"])):
            key = row["judged"], "".join(str(row["raw"]).split())
            first_row = matters.setdefault(key, {**row, "also": []})
            if first_row["place"] != row["place"]:
                first_row["also"].append(row["place"])
        return list(matters.values())


def papers_in(paths: Sequence[str | Path]) -> list[str]:
    """Return the papers that are named: files as they are, and those of folders by their suffixes, in order.

    Raises
    ------
    LogError
        If a path is neither, or a folder holds no paper.

    Examples
    --------
    >>> papers_in(["README.md", "-"])
    ['README.md', '-']
    """
    names: dict[str, None] = {}
    for path in paths:
        if str(path) == STDIN or Path(path).is_file():
            names[str(path)] = None
        elif Path(path).is_dir():
            paths_in_folder = list(_walked(Path(path)))
            if not paths_in_folder:
                raise LogError(f"holds no paper; papers end in {' '.join(sorted(SUFFIXES))}", file=path)
            names |= dict.fromkeys(paths_in_folder)
        else:
            raise LogError(
                "is neither a file nor a folder; name papers, folders of papers, or - for standard input", file=path
            )
    return list(names)


def _walked(folder: Path) -> Iterator[str]:
    for subfolder, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith(".") and Path(name).suffix.lower() in SUFFIXES:
                yield str(Path(subfolder) / name)


def untracked(papers: Iterable[Paper], total: int) -> Iterable[Paper]:  # noqa: ARG001
    """Yield the papers and show nothing."""
    return papers


def audit_papers(
    paths: Sequence[str | Path],
    rules: Rules | None = None,
    *,
    workers: int = 1,
    cache: Path | None = None,
    track: Track = untracked,
) -> list[Paper]:
    """Audit several papers, or folders of papers, one by one.

    Parameters
    ----------
    paths
        Files, folders (looked through with those inside), or "-" for standard input.
    rules
        What counts as an error.
    workers
        Processes that read and check.
    cache
        A folder to keep the texts of PDFs in, each under the SHA-256 of its file.
    track
        Called with the papers as they come and their number; yields them on.

    Returns
    -------
    list[Paper]
        One entry a paper; a paper that cannot be read has its reason.

    Raises
    ------
    LogError
        If a path is neither a file nor a folder, or a folder holds no paper.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.md").write_text("They differed, t(28) = 2.20, p = .036.")
    ...     _ = (Path(folder) / "b.txt").write_text("")
    ...     found = audit_papers([folder])
    >>> [(len(paper.results), "is empty" in paper.error) for paper in found]
    [(1, False), (0, True)]
    """
    names = papers_in(paths)
    audit_one = partial(_audited, rules=rules or Rules(), cache=cache)
    if workers < 2 or len(names) < 2:
        return list(track(map(audit_one, names), len(names)))
    streams = [name for name in names if name == STDIN]
    audited = {name: audit_one(name) for name in streams}  # a worker has no standard input
    other_names = [name for name in names if name != STDIN]
    with ProcessPoolExecutor(min(workers, len(other_names)), mp_context=get_context("spawn")) as pool:
        audited_papers = track(
            pool.map(audit_one, other_names, chunksize=max(1, min(8, len(other_names) // workers))), len(other_names)
        )
        audited |= dict(zip(other_names, audited_papers, strict=True))
    return [audited[name] for name in names]


def _audited(name: str, *, rules: Rules, cache: Path | None) -> Paper:
    try:
        paper_audit = audit_document(_read_paper(name, cache), rules)
    except LogError as error:
        return Paper(name, text(error), error=text(error))
    except (OSError, RecursionError, MemoryError, ValueError) as error:
        why = f"{name}: cannot be read: {one_line(error) or type(error).__name__}"
        return Paper(name, text(why), error=text(why))
    return _paper(name, paper_audit)


def _paper(name: str, paper_audit: Audit) -> Paper:
    rows = tuple(paper_audit.rows()), tuple(paper_audit.further_rows())
    return Paper(name, paper_audit.summary(), *rows, unit=paper_audit.unit, facts=tuple(paper_audit.fact_rows()))


def _read_paper(name: str, cache: Path | None) -> Document:
    if name == STDIN:
        data = sys.stdin.buffer.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise LogError(f"has more than {LARGEST:,} bytes; give a file", file="standard input")
        return document(data.decode("utf-8", "replace"), "standard input")
    with Path(name).open("rb") as stream:
        pdf = b"%PDF-" in stream.read(1024)
    if cache is None or not pdf:
        return read(name)
    cache_file = cache / f"{hashlib.sha256(Path(name).read_bytes()).hexdigest()}-{READER}.json"
    with suppress(OSError, ValueError, TypeError):
        return of_pages(json.loads(cache_file.read_text(encoding="utf-8")), name)
    page_texts = pages(Path(name))
    cache_file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(cache_file, json.dumps(page_texts))
    return of_pages(page_texts, name)
