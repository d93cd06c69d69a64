"""What the pages of one browser tab share: the folder as it is now, what is being done, and a thread for the work."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from shiny import reactive, ui

from negstats.app.project import LOCK, MAPPING, PLAN, REPORT, STUDY, Project, first_line, words_of
from negstats.errors import NegstatsError

if TYPE_CHECKING:
    from negstats.app.project import Projects
    from negstats.loaders.mapping.mapping_text import Draft
    from negstats.studies.study import Study

Result = TypeVar("Result")
# One thread for all tabs: figures are drawn by a library that knows one figure at a time.
WORKER = ThreadPoolExecutor(1, "negstats")
# One for what nobody waits for; it draws nothing.
ASIDE = ThreadPoolExecutor(1, "negstats-aside")
ENGINE = Lock()  # a study whose rows stay with an engine is asked one thing at a time
SECONDS = 1.0  # after which a change on the disk is seen


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


def follow(
    inputs: Callable[[], tuple[Any, ...]],
    compute: Callable[..., Result],
    *,
    is_shown: Callable[[], bool] = lambda: True,
    thread: ThreadPoolExecutor = WORKER,
    pause: float = 0.0,
) -> reactive.ExtendedTask[[tuple[Any, ...]], Result | str]:
    """Compute something beside the page, anew when its inputs change, so that every other click is answered meanwhile.

    Parameters
    ----------
    inputs
        Reads reactive values and returns the arguments of `compute`. Those that stay the same compute nothing anew.
    compute
        Returns the result; of an error the result is its words.
    is_shown
        Reads whether anybody looks at what is computed.
    thread, pause
        Where it is computed, and how many seconds later: within them other inputs take its place.
    """

    @reactive.extended_task
    async def task(arguments: tuple[Any, ...]) -> Result | str:
        await asyncio.sleep(pause)
        return await in_thread(compute, *arguments, thread=thread)

    latest: list[tuple[Any, ...]] = []

    @reactive.effect(priority=1)
    def _() -> None:
        arguments = inputs()
        if is_shown() and latest != [arguments]:
            latest[:] = [arguments]
            task.cancel()
            task(arguments)

    return task


async def in_thread(
    compute: Callable[..., Result], *arguments: Any, thread: ThreadPoolExecutor = WORKER
) -> Result | str:
    """Return what a function gives, computed beside the page, or the words of its error."""
    is_with_engine = not all(getattr(argument, "in_memory", True) for argument in arguments)

    def work() -> Result:
        with ENGINE if is_with_engine else nullcontext():
            return compute(*arguments)

    try:
        return await asyncio.get_running_loop().run_in_executor(thread, work)
    except Exception as error:
        return words_of(error)
