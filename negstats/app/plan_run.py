"""A plan that is run in a process of its own, so that it can be ended at any moment, as Ctrl-C ends the command."""

from __future__ import annotations

import signal
import sys
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from negstats.app.project import PLAN, REPORT, Project, words_of

PATIENCE = 5.0  # seconds that a process has to clear away what it had begun to write
STOPPED = "The run was stopped; nothing was written."
ENDED = (
    "The run ended before the report was written, perhaps for want of memory. Close other programs and run it again."
)


class PlanRun:
    """One run of the plan of a project.

    Attributes
    ----------
    stage : str
        What is being done.
    steps : int
        How many stages have begun.
    is_stopped : bool
        Whether a person stopped it.
    """

    def __init__(self) -> None:
        self.stage, self.steps, self.is_stopped = "starting", 0, False
        self._process: Any = None

    def run(self, folder: Path) -> str:
        """Run the plan of a folder to its end, and return why there is no report; empty if there is one."""
        receiver, sender = Pipe(duplex=False)
        process = get_context("spawn").Process(target=_run, args=(sender, folder), daemon=True)
        process.start()
        self._process = process
        if self.is_stopped:  # while the process was started
            self.stop()
        sender.close()  # so that the end of the process ends what is received
        problem = ENDED
        try:
            while True:
                kind, text = receiver.recv()
                if kind == "stage":
                    self.stage, self.steps = text, self.steps + 1
                else:
                    problem = text
        except EOFError:
            self._process.join()
        return STOPPED if self.is_stopped and problem == ENDED else problem

    def stop(self) -> None:
        """End the process; it clears away what it had begun to write, and the report that was there stays."""
        self.is_stopped = True
        if self._process is not None:
            self._process.terminate()
            self._process.join(PATIENCE)
            self._process.kill()


def _run(sender: Connection, folder: Path) -> None:
    """Run the plan of a folder; send each stage as it begins, and at the end why there is no report, or nothing."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends the page, and the page ends this
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    from negstats.report.folder import report_plan

    project = Project(folder)
    try:
        study = project.study()
        assert study is not None  # noqa: S101 - the page runs no plan without one
        report_plan(project.path(PLAN), study, project.path(REPORT), track=lambda stage: sender.send(("stage", stage)))
        project.write_script()
    except Exception as error:
        sender.send(("end", words_of(error)))
    else:
        sender.send(("end", ""))
