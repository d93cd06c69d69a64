"""The frame of the five pages, and the one handler of their buttons."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from importlib import import_module
from inspect import isawaitable
from typing import Any

from shiny import Inputs, Outputs, Session, reactive, ui
from shiny.types import SilentException

from negstats.app import ask_page, look_page, open_page, plan_page, report_page
from negstats.app.project import Project, Projects, words_of
from negstats.app.state import SECONDS, State

PAGES = {"open": open_page, "look": look_page, "ask": ask_page, "plan": plan_page, "report": report_page}
# What the first answer needs, imported while the person reads the first page.
WARMED = (
    "negstats.analysis.compare",
    "negstats.analysis.preregistration.askable",
    "negstats.analysis.loading_checks",
    "negstats.analysis.methods.means",
    "negstats.report.one_answer",
    "negstats.report.figures",
    "negstats.loaders.mapping",
)


def page(project: Project) -> ui.Tag:
    """Return the page: a bar with the five steps, and the step that is shown."""
    steps = [
        ui.tags.button(
            ui.span(str(place), class_="step", aria_hidden="true"), name.capitalize(), type="button", data_do="go",
            data_value=json.dumps(name), data_page=name, aria_current="page" if place == 1 else None,
        )
        for place, name in enumerate(PAGES, 1)
    ]  # fmt: skip
    folder = ui.span(project.folder.name or str(project.folder), title=str(project.folder), class_="folder")
    bar = ui.tags.header(
        ui.div(ui.span("negstats", class_="brand"), ui.tags.nav(*steps, aria_label="Steps"), folder, class_="bar")
    )
    panels = [ui.nav_panel(name.capitalize(), part.layout(), value=name) for name, part in PAGES.items()]
    head = ui.head_content(
        ui.tags.link(rel="icon", href="data:,"),
        ui.tags.link(rel="stylesheet", href="app.css"),
        ui.tags.script(src="app.js"),
        ui.tags.meta(name="viewport", content="width=device-width, initial-scale=1"),
    )
    announcement = ui.div({"id": "announcement", "role": "status", "aria-live": "polite", "class": "unseen"})
    main = ui.tags.main(ui.navset_hidden(*panels, id="page"), id="main")
    return ui.page_bootstrap(head, bar, main, announcement, title="negstats", lang="en")


def warm() -> None:
    """Import what the first answer needs, beside the page, once that is shown."""
    threading.Thread(target=lambda: [import_module(name) for name in WARMED], daemon=True).start()


def server_of(projects: Projects, report_path: str) -> Callable[[Inputs, Outputs, Session], None]:
    """Return what Shiny calls for each browser tab."""

    def server(input: Inputs, output: Outputs, session: Session) -> None:  # noqa: A002, ARG001 - Shiny's names
        state = State(projects.current, report_path, projects)
        session.on_flushed(warm)

        async def go(name: str) -> None:
            ui.update_navset("page", selected=name)
            await session.send_custom_message("went", {"page": name})

        state.handlers["go"] = go
        for part in PAGES.values():
            part.serve(input, state, session)

        @reactive.effect
        async def _() -> None:
            reactive.invalidate_later(SECONDS)
            if projects.current is not state.project:  # this tab or another went to another project
                await session.send_custom_message("reload", {})

        @reactive.effect
        @reactive.event(input.do)
        async def _() -> None:
            message: Any = input.do()
            try:
                done = state.handlers[message["action"]](json.loads(message["value"]))
                if isawaitable(done):
                    await done
            except SilentException:
                ui.notification_show("This is being computed; click again when it is shown.", duration=5)
            except Exception as error:  # what passes here would end the session, and the page would be dead
                ui.notification_show(words_of(error), type="error", duration=None)

    return server
