"""From the file of a plan to the folder of its report (page, Word, LaTeX, results, figures), whole or not at all.

A new report is written beside its place and exchanged with what stands there in one step. Only a report of ours that
holds nothing else, and whose manuscript nobody has edited, is replaced.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from negstats import files
from negstats.errors import UsageError, shown
from negstats.report.fields import Fields
from negstats.report.figures import figures_of
from negstats.report.html import BESIDE, page_of
from negstats.report.latex import article
from negstats.report.references import bibtex, data_references
from negstats.report.residual_figures import residual_figures
from negstats.report.results_section import words_of
from negstats.report.word import write_word
from negstats.sanitize import first_few, json_text

if TYPE_CHECKING:
    from negstats.analysis.answers import Report
    from negstats.analysis.preregistration.lock import Status
    from negstats.studies.study import Study

RESULTS, FIGURES = "results.json", "figures"
SCHEMA = "negstats.results/"
GIVEN = {"plan.toml", "plan.lock"}  # what may be written beside, as it is given
BIBLIOGRAPHY = "references.bib"
SUPPLEMENT = "supplement.docx"
EDITED = ("report.docx", SUPPLEMENT, "report.tex")  # what a person goes on writing in
NAMES = {"report.html", *EDITED, RESULTS, BIBLIOGRAPHY, *GIVEN}
INSIDE = {
    BESIDE: re.compile(r"\d{4}\.js"),
    FIGURES: re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,31}(\.[a-z]+)?\.(svg|pdf|png|csv)"),
}
LARGEST = 1 << 28  # bytes of a results.json that is looked at
TRIES = 50


def write(
    report: Report,
    folder: str | Path,
    *,
    one_file: bool = False,
    beside: Mapping[str, bytes] | None = None,
    track: Callable[[str], object] | None = None,
) -> Path:
    """Write a report to a folder: all of it, or nothing.

    ``report.html`` (one page that stands alone; the games of a large study in ``report_games/``), ``report.docx`` (the
    manuscript), ``supplement.docx``, ``report.tex``, ``references.bib``, ``results.json``, and ``figures/`` with each
    figure as SVG, PDF, PNG and its numbers as CSV. The
    same report gives the same bytes.

    Parameters
    ----------
    report
        What `negstats.analysis.run` returns.
    folder
        A new folder, or a report of negstats, which is replaced.
    one_file
        Keep the games inside the page, however many there are.
    beside
        Further files to write as they are: ``plan.toml``, ``plan.lock``.
    track
        Is called with a line as each question is drawn and as the files are written.

    Returns
    -------
    pathlib.Path
        The folder.

    Raises
    ------
    UsageError
        If the folder exists and is not a report of negstats, holds files of somebody else or a manuscript that was
        edited, or cannot be written.
    """
    requested_path = Path(folder)
    unknown = set(beside or {}) - GIVEN
    if unknown:
        raise UsageError(f"beside names {shown(min(unknown))}; it may hold {', '.join(sorted(GIVEN))}")
    with files.refused(requested_path):
        target = files.real(requested_path)
        _check_ours(target, requested_path)
        target.parent.mkdir(parents=True, exist_ok=True)
        with files.beside(target, _our_entry) as fresh:
            _write_all(report, fresh, one_file=one_file, extra_files=beside or {}, track=track or (lambda _: None))
            for path in fresh.rglob("*"):
                files.flushed(path)
            _put_in_place(fresh, target, requested_path)
        files.flushed(target.parent)
    return requested_path


def dumps(results: Mapping[str, Any]) -> str:
    """Return ``results.json`` as it is written: shortest numbers that read back, nothing hidden in its text.

    Examples
    --------
    >>> print(dumps({"schema": "negstats.results/1", "p": 0.1}), end="")
    {
     "schema": "negstats.results/1",
     "p": 0.1
    }
    """
    return json_text(json.dumps(results, ensure_ascii=False, indent=1, allow_nan=False)) + "\n"


def _write_all(
    report: Report, fresh: Path, *, one_file: bool, extra_files: Mapping[str, bytes], track: Callable[[str], object]
) -> None:
    figure_folder = fresh / FIGURES
    figure_folder.mkdir()
    figures = {}
    for place, (name, answer) in enumerate(report.answers.items(), 1):
        track(f"figures of {name} ({place} of {len(report.answers)})")
        figures[name] = figures_of(report, answer, figure_folder)
    track("figures of the supplement")
    appended = residual_figures(report, figure_folder)
    # The words are said once, for the page, LaTeX and Word.
    track("writing")
    words = words_of(report, figures, appended)
    page = page_of(report, words, one_file=one_file)
    _text(fresh / "report.html", page.html)
    if page.beside:
        (fresh / BESIDE).mkdir()
    for name, text in page.beside.items():
        _text(fresh / BESIDE / name, text)
    _text(fresh / "report.tex", article(words, FIGURES))
    _text(fresh / BIBLIOGRAPHY, bibtex(words.works, data_references(report.results["study"])))
    fields = Fields(report.results, words)
    write_word(words, fields, figure_folder, fresh / "report.docx")
    write_word(words, fields, figure_folder, fresh / SUPPLEMENT, is_supplement=True)
    for name, content in extra_files.items():
        (fresh / name).write_bytes(content)
    # The hashes of what people edit tell later whether they did.
    written = {name: _digest(fresh / name) for name in EDITED}
    _text(fresh / RESULTS, dumps({**report.results, "files": written}))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _text(path: Path, text: str) -> None:
    path.write_bytes(text.encode("utf-8"))


def _put_in_place(fresh: Path, target: Path, requested_path: Path) -> None:
    for _ in range(TRIES):
        if not target.exists():
            try:
                fresh.rename(target)
            except OSError:
                if not target.exists():
                    raise
                continue  # another writer was faster
            return
        _check_ours(target, requested_path)
        files.as_was(target, fresh)
        if files.exchange(fresh, target):
            try:
                _check_ours(fresh, requested_path)
            except UsageError:  # a file of somebody else came to it in the last moment
                files.exchange(fresh, target)
                raise
            return
        # No exchange on this system: the old one steps aside, into the folder that is cleared at the end.
        aside = fresh / "old"
        target.rename(aside)
        try:
            fresh.rename(target)
        except OSError:
            aside.rename(target)
            raise
        (target / "old").rename(fresh)
        return
    raise UsageError(f"{requested_path}: other programs keep writing to it; try again")


def _check_ours(target: Path, requested_path: Path) -> None:
    """Raise UsageError if `target` is there and is anything but a report of ours as it was written."""
    if not target.exists():
        return
    refusal = f"{requested_path}: exists and is not a report of negstats; give a new folder"
    results = _results_of_ours(target / RESULTS) if target.is_dir() else None
    if results is None:
        raise UsageError(refusal)
    others = sorted(entry.name for entry in files.listed(target) if not _our_entry(entry))
    if others:
        names = first_few([*map(shown, others)])
        raise UsageError(
            f"{requested_path}: a report with files in it that negstats did not write: {names}; give a new folder"
        )
    written = results.get("files")
    for name, digest in written.items() if isinstance(written, dict) else ():
        if name in EDITED and (target / name).exists() and _digest(target / name) != digest:
            cure = "give a new folder, and --update writes the new numbers into it" if name != "report.tex" else ""
            raise UsageError(f"{requested_path}: {name} was edited and would be lost; {cure or 'give a new folder'}")


def _our_entry(entry: Path) -> bool:
    if entry.is_symlink():
        return False
    if entry.name in INSIDE and entry.is_dir():
        return all(INSIDE[entry.name].fullmatch(file.name) and _regular(file) for file in files.listed(entry))
    return entry.name in NAMES and _regular(entry)


def _regular(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _results_of_ours(path: Path) -> dict[str, Any] | None:
    """Return what a results.json of negstats holds; None of any other file."""
    try:
        if not _regular(path) or path.stat().st_size > LARGEST:
            return None
        results = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    is_ours = isinstance(results, dict) and str(results.get("schema", "")).startswith(SCHEMA)
    return results if is_ours else None


def report_plan(
    path: Path,
    study: Study,
    out: Path | None = None,
    *,
    one_file: bool = False,
    max_rows: int | None = None,
    track: Callable[[str], object] = lambda _: None,
) -> tuple[Report, Status]:
    """Answer the questions of a plan's file, and write the report.

    Parameters
    ----------
    path
        The plan; its lock is looked for beside it.
    study
        The study.
    out
        Folder of the report; None to write none.
    one_file, max_rows
        As `negstats.report.write` and `negstats.analysis.run` take them.
    track
        Called with a line as each stage begins. What it raises ends the work, and nothing is written.

    Returns
    -------
    Report, Status
        The answers, and whether the plan is as it was registered.

    Raises
    ------
    PlanError
        If the plan is wrong or does not fit the study.
    """
    from negstats.analysis import run
    from negstats.analysis.plan import read
    from negstats.analysis.preregistration.check import check
    from negstats.analysis.preregistration.lock import lock_of, open_lock, status
    from negstats.analysis.preregistration.study_checks import check_plan
    from negstats.analysis.run import MAX_ROWS
    from negstats.report import write

    plan = read(path)
    track("checking the plan")
    check_plan(plan, study)
    lock = open_lock(lock_of(path))
    state = status(plan, lock, resolved=None if lock is None else check(plan, study).resolved)
    changes = [str(change) for change in state.changes]
    most = MAX_ROWS if max_rows is None else max_rows
    report = run(plan, study, state=state.state, changes=changes, max_rows=most, track=track)
    if out is not None:
        extra_files = {"plan.toml": path.read_bytes()}
        if lock is not None:
            extra_files["plan.lock"] = lock_of(path).read_bytes()
        write(report, out, one_file=one_file, beside=extra_files, track=track)
    return report, state
