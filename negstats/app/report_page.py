"""The page Report: runs the plan by its stages, shows the report, gives its files and the commands that repeat it."""

from __future__ import annotations

import asyncio
from typing import Any

from shiny import Inputs, Session, reactive, render, ui

from negstats.app.parts import button, card, copy_button, fault, nothing, shown
from negstats.app.plan_run import PlanRun
from negstats.app.project import LOCK, PLAN, REPORT
from negstats.app.state import State

DOWNLOADS = {
    "Word": "report.docx",
    "LaTeX": "report.tex",
    "Web page": "report.html",
    "Figures": "figures.zip",
    "Everything": "everything.zip",
    "Script": "repeat.sh",
}


def layout() -> ui.TagList:
    """Return the page."""
    return ui.TagList(ui.h1("The report"), ui.output_ui("report"))


def serve(input: Inputs, state: State, session: Session) -> None:  # noqa: A002, ARG001 - Shiny's names
    """Connect the page."""
    runs = [PlanRun()]  # the last is the one that is shown

    @reactive.extended_task
    async def run(plan_run: PlanRun) -> str:
        return await asyncio.to_thread(plan_run.run, state.project.folder)

    def begin(_: Any) -> None:
        with reactive.isolate():
            if state.study() is not None and run.status() != "running":
                runs.append(PlanRun())
                run(runs[-1])

    async def stop(_: Any) -> None:
        await asyncio.to_thread(runs[-1].stop)

    state.handlers |= {"run": begin, "stop": stop}

    @reactive.effect
    def _() -> None:
        if run.status() != "running":
            state.refresh()

    _show(state, run, runs)


def _show(state: State, run: Any, runs: list[PlanRun]) -> None:
    """Show the progress of a run, or the report with its files and the commands that repeat it."""

    @render.ui
    def report() -> Any:
        from negstats.analysis.plan.editing import questions_of

        study, text = state.study(), state.plan_text()
        if study is None or not text or not questions_of(text):
            return nothing("Plan a question first; then its report is written here.", "Ask a question", "ask")
        if run.status() == "running":
            reactive.invalidate_later(0.3)
            progress, stages = runs[-1], 2 * len(questions_of(text)) + 3
            share = min(progress.steps / stages, 0.99)
            bar = ui.tags.progress(value=f"{share:.2f}", max="1", aria_label="Progress of the report")
            words = "Stopping" if progress.is_stopped else shown(progress.stage)
            stage = ui.p(f"{words[:1].upper()}{words[1:]} …", class_="busy", role="status")
            return card("The plan is being run", bar, stage, ui.div({"class": "row"}, button("Stop", "stop", "")))
        problem = run.result() if run.status() == "success" else ""
        return ui.TagList(*_report(state, problem), _commands(state))


def _report(state: State, problem: str) -> list[ui.Tag | None]:
    """Return the buttons, and the report in a frame of its own where one is written."""
    written = state.stamps[REPORT]()
    begin_button = button("Run again" if written else "Run the plan", "run", "", "primary")
    saves = [
        ui.tags.a(label, href=f"{state.report_path}/{file}", download=file, class_="button")
        for label, file in DOWNLOADS.items()
    ]
    is_old = bool(written) and written < max(state.stamps[PLAN](), state.stamps[LOCK]())
    hint = "The plan was changed after this report; run it again." if is_old else None
    buttons = ui.div({"class": "row"}, begin_button, *(saves if written else []))
    head = card(None, fault(problem) if problem else None, buttons, hint=hint)
    # The number lets the frame load a report that was written anew.
    address = f"{state.report_path}/report.html?{written}"
    frame = ui.tags.iframe(src=address, title="The report", sandbox="allow-scripts allow-popups")
    return [head, frame if written else None]


def _commands(state: State) -> ui.Tag:
    """Return the three commands that repeat the study."""
    commands = ui.tags.pre("\n".join(state.project.commands()), id="commands", tabindex="0")
    hint = f"In the folder {shown(state.project.folder)} these commands do the same, here or with a colleague."
    return card("The same in a terminal", commands, ui.div({"class": "row"}, copy_button("commands")), hint=hint)
