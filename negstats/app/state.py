"""What the pages of one browser tab share: the folder as it is now, what is being done, and a thread for the work."""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from shiny import reactive, ui

from negstats.app.project import LOCK, MAPPING, PLAN, REPORT, STUDY, Project, first_line
from negstats.errors import NegstatsError

if TYPE_CHECKING:
    from negstats.app.projects import Projects
    from negstats.loaders.mapping.suggest import Draft
    from negstats.studies.study import Study

Result = TypeVar("Result")
# One thread for all tabs: figures are drawn by a library that knows one figure at a time.
WORKER = ThreadPoolExecutor(1, "negstats")
# One for what nobody waits for; it draws nothing.
ASIDE = ThreadPoolExecutor(1, "negstats-aside")
SECONDS = 1.0  # after which a change on the disk is seen


class StoppedError(NegstatsError):
    """A person stopped the work."""


@dataclass(slots=True)
class Progress:
    """The stage of a long work, written by its thread and read by the page."""

    stage: str = ""
    steps: int = 0
    of: int = 1
    is_stopped: bool = False

    def track(self, stage: str) -> None:
        """Note that a stage begins; raises StoppedError if a person stopped the work."""
        if self.is_stopped:
            raise StoppedError("stopped; nothing was written")
        self.stage, self.steps = stage, self.steps + 1


@dataclass(slots=True)
class State:
    """One browser tab.

    Attributes
    ----------
    project : Project
    report_path : str
        Where the files of the report are served.
    projects : Projects
        This project and the earlier ones.
    stamps : dict
        For each thing of the folder a reactive number that changes when it is written anew.
    draft : reactive.Value
        The mapping as it was read off a log, with its open questions; None for a format that is known.
    fault : reactive.Value of str
        Why the last thing could not be done.
    busy : reactive.Value of str
        What is being done.
    column : reactive.Value of str
        The column whose head was clicked.
    given : dict
        For the subject of a question the answer that was given on this page; it may name columns.
    handlers : dict
        For the name of a button's action the function that does it.
    """

    project: Project
    report_path: str
    projects: Projects
    stamps: dict[str, reactive.Value[int]] = field(default_factory=dict)
    draft: reactive.Value[Draft | None] = field(default_factory=lambda: reactive.value(None))
    fault: reactive.Value[str] = field(default_factory=lambda: reactive.value(""))
    busy: reactive.Value[str] = field(default_factory=lambda: reactive.value(""))
    column: reactive.Value[str] = field(default_factory=lambda: reactive.value(""))
    given: dict[str, str] = field(default_factory=dict)
    handlers: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    _study: Any = None

    def __post_init__(self) -> None:
        self.stamps = {name: reactive.value(self.project.stamp(name)) for name in (STUDY, MAPPING, PLAN, LOCK, REPORT)}

        @reactive.effect
        def _() -> None:
            reactive.invalidate_later(SECONDS)
            self.refresh()

        @reactive.calc
        def study() -> Study | None:
            self.stamps[STUDY]()
            try:
                return self.project.study()
            except NegstatsError as error:
                ui.notification_show(first_line(error), type="error", duration=None)
                return None

        self._study = study

    def refresh(self) -> None:
        """Look at the folder: what depends on a file that was written anew is computed anew."""
        for name, stamp in self.stamps.items():
            current = self.project.stamp(name)
            with reactive.isolate():
                if stamp() != current:  # Shiny compares by identity
                    stamp.set(current)

    def study(self) -> Study | None:
        """Return the study of the folder."""
        study: Study | None = self._study()
        return study

    def plan_text(self) -> str:
        """Return the text of the plan as it is now."""
        self.stamps[PLAN]()
        return self.project.plan_text()

    def write_plan(self, text: str) -> None:
        """Write the plan, and let the pages see it."""
        self.project.write_plan(text)
        self.refresh()


async def in_thread(work: Callable[[], Result], thread: ThreadPoolExecutor = WORKER) -> Result:
    """Return what a function gives, computed beside the page, so that the page goes on answering."""
    return await asyncio.get_running_loop().run_in_executor(thread, work)


def words_of(error: Exception) -> str:
    """Return an error in words for the page; one that nobody foresaw is written to the terminal as well."""
    if isinstance(error, NegstatsError):
        return first_line(error)
    traceback.print_exception(error, file=sys.stderr)
    return (
        f"This error was not foreseen: {type(error).__name__}: {first_line(error)}. The terminal shows where it arose."
    )
