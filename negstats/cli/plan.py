"""The commands of a plan: draft, check, register, run."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from negstats.cli.shared import (
    EngineOption,
    JsonOption,
    MapOption,
    print_json,
    print_lines,
    print_text,
    stages,
    study_in,
)
from negstats.errors import UsageError
from negstats.sanitize import counted

if TYPE_CHECKING:
    from negstats.analysis.answers import Report
    from negstats.analysis.plan import Plan
    from negstats.studies.study import Study


class Form(StrEnum):
    """What `--as` prints a plan as."""

    aspredicted = "aspredicted"


def plan(
    path: Annotated[
        Path, typer.Argument(help="A study or logs to draft a plan from; with --check, --register or --as a plan.toml.")
    ],
    study: Annotated[Path | None, typer.Argument(help="Logs or a study; by default the path in the plan.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Print which tests will run, without reading any outcome.")
    ] = False,
    register: Annotated[
        bool, typer.Option("--register", help="Write plan.lock, which records the plan and the time.")
    ] = False,
    again: Annotated[
        bool, typer.Option("--again", help="With --register: register a changed plan, and keep the earlier entry.")
    ] = False,
    form: Annotated[
        Form | None, typer.Option("--as", help="Print the plan under the headings of a preregistration.")
    ] = None,
    mapping: MapOption = None,
    engine: EngineOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draft, check or register a plan."""
    options = [name for name, value in (("--check", check), ("--register", register), ("--as", form)) if value]
    if len(options) > 1 or (again and not register):
        raise UsageError(
            f"{' and '.join(options) or '--again'}: give one of --check, --register (with --again) and --as"
        )
    if not options:
        _draft(path, study, mapping, engine, as_json)
    elif check:
        _check(path, study, mapping, engine, as_json)
    elif register:
        _register(path, study, mapping, engine, again=again, as_json=as_json)
    else:
        _print_form(path, study, mapping, engine, as_json)


def run(
    path: Annotated[Path, typer.Argument(help="The plan: plan.toml.")],
    study: Annotated[Path | None, typer.Argument(help="Logs or a study; by default the path in the plan.")] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder of the report: page, Word, LaTeX, figures, results.json.")
    ] = None,
    update: Annotated[
        Path | None, typer.Option(help="Your copy of report.docx: its numbers are updated, its text is kept.")
    ] = None,
    one_file: Annotated[bool, typer.Option("--one-file", help="Include all games in the HTML page.")] = False,
    mapping: MapOption = None,
    engine: EngineOption = None,
    max_rows: Annotated[
        int | None,
        typer.Option(
            min=0, help="With --engine: most rows that a question reads into memory.", show_default="1,000,000"
        ),
    ] = None,
    verbose: Annotated[bool, typer.Option("--verbose", help="Print each stage as it begins.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Answer the questions of a plan and write the report."""
    from negstats.analysis.plan import read
    from negstats.report.folder import report_plan

    if max_rows is not None and engine is None:
        raise UsageError("--max-rows needs --engine; without an engine all rows are in memory")
    # The check and the answers share what they compute.
    data = _require_study(read(path), path, study, mapping, engine).with_frames()
    with stages(verbose=verbose) as track:
        report, state = report_plan(path, data, out, one_file=one_file, max_rows=max_rows, track=track)
    updated = [] if update is None else _update(report, update)
    if as_json:
        print_json(report.results)
        return
    written = [f"Report written to {out} (open report.html)"] if out is not None else []
    print_lines([*state.lines(), *report.lines(), *written, *updated])


def _update(report: Report, manuscript: Path) -> list[str]:
    """Write the numbers of a report into a manuscript, and return what is printed of it."""
    from negstats.report.fields import Fields, update_manuscript
    from negstats.report.results_section import words_of

    done = update_manuscript(manuscript, Fields(report.results, words_of(report)).texts)
    return [f"Manuscript updated: {manuscript}", *done.lines()]


def _draft(path: Path, study: Path | None, mapping: Path | None, engine: str | None, as_json: bool) -> None:
    if study is not None or path.suffix == ".toml":
        raise UsageError(
            f"{path}: choose what to do with the plan: --check, --register or --as; a draft needs logs only"
        )
    from negstats.analysis.preregistration.draft import draft_of
    from negstats.analysis.preregistration.proposals import propose

    data = study_in(path, mapping, engine)
    proposals = propose(data)
    text = draft_of(proposals, data, str(path), None if mapping is None else str(mapping))
    if as_json:
        print_json({"plan": text, "questions": [proposal.to_dict() for proposal in proposals.ranked]})
        return
    print_text(text.removesuffix("\n"))


def _check(path: Path, study: Path | None, mapping: Path | None, engine: str | None, as_json: bool) -> None:
    from negstats.analysis.plan import read
    from negstats.analysis.power.planned import power_at_hand
    from negstats.analysis.preregistration.check import check
    from negstats.analysis.preregistration.lock import lock_of, open_lock, status

    study_plan = read(path)
    plan_check = check(study_plan, _require_study(study_plan, path, study, mapping, engine))
    state = status(study_plan, open_lock(lock_of(path)), resolved=plan_check.resolved)
    power = power_at_hand(plan_check)
    if as_json:
        rows = [] if power is None else power.curve.to_dict("records")
        changes = [str(change) for change in state.changes]
        print_json({**plan_check.to_dict(), "state": state.state, "changes": changes, "power": rows})
        return
    lines = plan_check.lines()
    print_lines([lines[0], *state.lines(), *lines[1:]])
    if power is not None:
        expecting = [name for name, question in study_plan.questions.items() if question.expect]
        power_lines = [line for line in power.lines() if line.split(",")[0].split(":")[0].split()[0] in expecting]
        print_lines(["Power at these sizes, if what the plan expects is so", *(f"  {line}" for line in power_lines)])


def _register(
    path: Path, study: Path | None, mapping: Path | None, engine: str | None, *, again: bool, as_json: bool
) -> None:
    from negstats.analysis.plan import read
    from negstats.analysis.preregistration.check import check
    from negstats.analysis.preregistration.lock import lock_of, register

    study_plan = read(path)
    data = _study_of(study_plan, path, study, mapping, engine)
    resolved_plan = None if data is None else check(study_plan, data).resolved
    lock, is_new = register(path, data, resolved=resolved_plan, again=again)
    if as_json:
        print_json({"lock": str(lock_of(path)), "written": is_new, **lock.entry()})
        return
    what = "written" if is_new else "unchanged: this plan is already registered"
    availability = (
        "registered before data were available"
        if lock.data is None
        else f"the data were available: {counted(lock.data['games'], 'game')}"
    )
    print_lines(
        [
            f"{lock_of(path)}: {what}",
            f"SHA-256 of the plan's meaning: {lock.sha256}",
            f"registered: {lock.registered}, {availability}",
            "The time stamp comes from this computer's clock. Deposit the lock where others see when it came: OSF, "
            "AsPredicted or a commit.",
        ]
    )


def _print_form(path: Path, study: Path | None, mapping: Path | None, engine: str | None, as_json: bool) -> None:
    from negstats.analysis.plan import read
    from negstats.analysis.preregistration.aspredicted import aspredicted
    from negstats.analysis.preregistration.check import check

    study_plan = read(path)
    data = _study_of(study_plan, path, study, mapping, engine)
    text = aspredicted(study_plan, None if data is None else check(study_plan, data))
    if as_json:
        print_json({"aspredicted": text})
        return
    print_text(text.removesuffix("\n"))


def _study_of(
    study_plan: Plan, path: Path, study: Path | None, mapping: Path | None, engine: str | None
) -> Study | None:
    """Return the study that was given, else the one that the plan names if it is there."""
    from negstats.analysis.plan.parse import find_beside

    mapping_path = mapping or (None if study_plan.data.mapping is None else find_beside(path, study_plan.data.mapping))
    if study is not None:
        return study_in(study, mapping_path, engine)
    if study_plan.data.path is None:
        return None
    data_path = find_beside(path, study_plan.data.path)
    empty = data_path.is_dir() and not any(data_path.iterdir())  # a folder for what is yet to come
    return study_in(data_path, mapping_path, engine) if data_path.exists() and not empty else None


def _require_study(study_plan: Plan, path: Path, study: Path | None, mapping: Path | None, engine: str | None) -> Study:
    data = _study_of(study_plan, path, study, mapping, engine)
    if data is None:
        hint = "" if study_plan.data.path is None else f" ({path.parent / study_plan.data.path} is not there or empty)"
        raise UsageError(f"{path}: name the study behind the plan{hint}")
    return data
