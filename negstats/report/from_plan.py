"""From the file of a plan to its report: the check, the registration, the answers and the folder, in one call."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from negstats.analysis.answers import Report
    from negstats.analysis.preregistration.lock import Status
    from negstats.studies.study import Study


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
