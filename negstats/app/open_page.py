"""The page Open: files and folders, the questions that a reading leaves open, and three games as they are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd
from shiny import Inputs, Session, reactive, render, ui

from negstats import datasets
from negstats.app.parts import button, card, fault, option_button, shown, table
from negstats.app.project import LARGEST, MAPPING, Opened
from negstats.app.state import State, follow, in_thread
from negstats.studies.sketch import GameSketch, OfferSketch, sketch_games

if TYPE_CHECKING:
    from negstats.loaders.reading.questions import Question

ROWS = 6  # of a table that are shown
COLUMNS = 60
ENDS = {
    "agreement": "agreement",
    "disagreement": "no agreement",
    "walkaway": "somebody walked away",
    "timeout": "the time was up",
    "unknown": "not known",
}
RESPONSES = {"none": "no answer is known", "superseded": "answered by another offer"}
# What a column of the mapping is, in words, by the table and column of a study.
ROLES = {
    "players.participant_id": "person", "games.game_id": "game", "players.player": "seat", "players.role": "role",
    "players.points": "points", "offers.units_to_responder": "what the other side gets",
    "offers.units_to_proposer": "what the proposer keeps", "offers.response": "answer", "offers.time_s": "time",
    "messages.text": "message", "event": "kind of event",
}  # fmt: skip
AFTER_FAULT = "Nothing was changed. Choose another file, or correct this one and open it again."
SECTIONS = {"factors": "condition", "measures": "number", "answers": "survey", "person": "about the person"}


def layout() -> ui.TagList:
    """Return the page."""
    return ui.TagList(ui.h1("Open your data"), ui.output_ui("opening"), ui.output_ui("reading"), ui.output_ui("games"))


def serve(input: Inputs, state: State, session: Session) -> None:  # noqa: A002, ARG001 - Shiny's names
    """Connect the page."""

    @reactive.extended_task
    async def open_in_thread(work: Any) -> Opened | str:
        result = await in_thread(work)
        return state.project.shorten(result) if isinstance(result, str) else result

    def begin(words: str, work: Any) -> None:
        if open_in_thread.status() == "running":
            ui.notification_show("Another file is being read; wait for it.")
            return
        state.fault.set("")
        state.busy.set(words)
        open_in_thread(work)

    @reactive.effect
    def _() -> None:
        if open_in_thread.status() not in ("success", "error"):
            return
        result = open_in_thread.result()
        with reactive.isolate():
            state.busy.set("")
            state.column.set("")
            if isinstance(result, str):
                state.fault.set(result)
            else:
                state.draft.set(result.draft)
                for message in result.messages:
                    ui.notification_show(shown(message, 1000), duration=12)
            state.refresh()

    if state.project.path(MAPPING).is_file():
        with reactive.isolate():  # values are read, and here nothing depends on them
            begin("Reading the mapping", state.project.reopen)
    _connect_actions(state, begin)
    _show(state)


def _connect_actions(state: State, begin: Callable[[str, Any], None]) -> None:
    """Let buttons open files and projects, answer questions, and ask about a column."""
    project = state.project

    def open_source(name: str) -> None:
        state.draft.set(None)
        state.given = {}
        begin(f"Reading {name}", partial(project.open_source, name))

    def answer(subject_and_answer: list[str]) -> None:
        subject, text = subject_and_answer
        draft = state.draft()
        if draft is None:
            return
        answered = draft.reading.answered
        numbered = {about: ",".join(map(str, asked.likely)) or "none" for about, asked in answered.items()}
        # An answer that named a column is not a number of an option.
        named = {about: given for about, given in state.given.items() if about in numbered}
        state.given = numbered | named | {subject: text}
        begin("Reading it so", partial(project.open_source, draft.source.name, state.given, again=True))

    actions: dict[str, Callable[[Any], Any]] = {
        "open": open_source,
        "ship": lambda name: begin(f"Opening {name}", partial(project.open_shipped, name)),
        "answer": answer,
        "column": lambda name: state.column.set(name),
        "project": state.projects.move_to,
    }
    state.handlers |= actions


def _show(state: State) -> None:
    """Show what can be opened, the questions of the reading, and three games."""

    @render.ui
    def opening() -> ui.Tag:
        is_open = state.study() is not None or state.draft() is not None
        parts = ui.div({"class": "two"}, ui.div(_drop_zone(), _sources(state)), ui.div(_shipped(), _projects(state)))
        summary = ui.tags.summary("Open something else")
        return ui.tags.details(summary, parts, class_="sources") if is_open else parts

    sketch = follow(lambda: (state.study(),), _games)

    @render.ui
    def reading() -> ui.TagList:
        parts: list[Any] = []
        if state.busy():
            wait = ui.p(f"{shown(state.busy())} …", class_="busy", role="status")
            parts.append(card(None, ui.tags.progress(aria_label="Reading"), wait))
        if state.fault():
            parts.append(fault(state.fault(), AFTER_FAULT))
        draft = state.draft()
        if draft is not None:
            parts += [_questions(draft, state.column()), _first_rows(draft)]
        return ui.TagList(*parts)

    @render.ui
    def games() -> Any:
        content = sketch.result()
        return fault(content) if isinstance(content, str) else content


def _drop_zone() -> ui.Tag:
    """Return where files are dropped or chosen, by mouse or by keys."""
    zone = ui.div(
        ui.p("Drop files or a folder here"),
        ui.div(
            ui.tags.label("Choose files", for_="files", class_="button primary"),
            ui.tags.input(id="files", type="file", multiple="", class_="unseen"),
            ui.tags.label("Choose a folder", for_="folder", class_="button"),
            ui.tags.input(id="folder", type="file", webkitdirectory="", class_="unseen"),
            class_="row",
        ),
        ui.p("", id="sending", role="status"),
        class_="drop",
        id="drop",
    )
    hint = (
        "A table (CSV, Excel, SPSS, Stata, Parquet, JSON), or the folder or archive that a platform exported. "
        f"A file may have up to {LARGEST >> 30} GB. It is copied into this project’s folder and nowhere else."
    )
    return card("Your data", zone, hint=hint)


def _sources(state: State) -> ui.Tag | None:
    rows = [
        ui.tags.li(ui.span(shown(name)), button("Open", "open", name, aria_label=f"Open {shown(name)}"))
        for name in state.project.sources()
    ]
    return card("In this folder", ui.tags.ul({"class": "entries"}, *rows)) if rows else None


def _shipped() -> ui.Tag:
    rows = [
        ui.tags.li(
            ui.span(ui.tags.strong(name.capitalize()), f" {what}. Licence: {licence}."),
            button("Open", "ship", name, aria_label=f"Open the study {name}"),
        )
        for name, (what, licence) in datasets.SHIPPED.items()
    ]
    return card("Studies to try it with", ui.tags.ul({"class": "entries"}, *rows))


def _projects(state: State) -> ui.Tag | None:
    """Return the folders that were open before, and the studies that others took the place of."""
    rows = [
        ui.tags.li(
            ui.span(ui.tags.strong(shown(folder.name)), f" in {shown(folder.parent)}"),
            button("Go there", "project", str(folder), aria_label=f"Go to the project {shown(folder.name)}"),
        )
        for folder in state.projects.earlier()
    ]
    return card("Earlier projects", ui.tags.ul({"class": "entries"}, *rows)) if rows else None


def _questions(draft: Any, column: str) -> ui.TagList:
    """Return the open questions, those that were answered, and what is asked of a column whose head was clicked."""
    questions = draft.questions
    cards: list[Any] = []
    if column:
        cards.append(_column_question(draft, column))
    if questions:
        is_one = len(questions) == 1
        hint = "Your answer is written into mapping.toml. An answer that is marked “suggested” fits the file best."
        cards.append(
            card(
                "One question that the file does not answer" if is_one else
                f"{len(questions)} questions that the file does not answer",
                *[_question(question, is_open=True) for question in questions], hint=hint, kind="asking",
            )
        )  # fmt: skip
    answered = list(draft.reading.answered.values())
    if answered:
        summary = ui.tags.summary(f"Your answers ({len(answered)})")
        rows = [_question(question, is_open=False) for question in answered]
        cards.append(card(None, ui.tags.details(summary, *rows)))
    return ui.TagList(*cards)


def _question(question: Question, *, is_open: bool) -> ui.Tag:
    """Return a question with its options as buttons, each with its evidence."""
    chosen = set(question.likely)
    buttons = []
    for place, option in enumerate(question.options, 1):
        if question.is_several:
            others = sorted(chosen ^ {place})
            value = ",".join(map(str, others)) or "none"
        else:
            value = str(place)
        evidence = ("suggested; " if is_open and place in chosen else "") + option.evidence
        is_chosen = place in chosen and not is_open
        buttons.append(
            option_button(
                shown(option.words), "answer", [question.subject, value], is_chosen=is_chosen, evidence=shown(evidence)
            )
        )
    if question.is_several:
        label = "These are right" if chosen else "None of them"
        value = ",".join(map(str, sorted(chosen))) or "none"
        buttons.append(option_button(label, "answer", [question.subject, value], is_chosen=not is_open and not chosen))
    stop = ui.p("Nothing is tested before this is answered.", class_="stop") if is_open and question.is_stop else None
    return ui.div({"class": "question"}, ui.h3(shown(question.text)), stop, ui.div({"class": "options"}, *buttons))


def _column_question(draft: Any, column: str) -> ui.Tag:
    """Return what a column may be, as answers to the questions about rows and conditions."""
    conditions = [
        value for key, value in draft.proposal.keys.items() if key.startswith("factors.") and isinstance(value, str)
    ]
    others = [name for name in conditions if name != column]
    is_condition = column in conditions
    columns = ",".join(others if is_condition else [*others, column]) or "none"
    options = [
        option_button("It names the person", "answer", ["row", f"person:{column}"], is_chosen=False),
        option_button("It names the game of several rows", "answer", ["row", f"seats:{column}"], is_chosen=False),
        option_button("It says what happened in each row", "answer", ["row", f"events:{column}"], is_chosen=False),
        option_button("It is a condition of the study", "answer", ["condition", columns], is_chosen=is_condition),
        button("Leave it as it is", "column", ""),
    ]  # fmt: skip
    title = f"What is the column “{shown(column)}”?"
    return card(
        title, ui.div({"class": "options"}, *options), hint=_describe(draft.log.table.column(column)), kind="asking"
    )


def _describe(cells: pd.Series) -> str:
    """Say what stands in a column: few values with how often, else how many there are and how often each."""
    counts = cells.dropna().value_counts()
    if not len(counts):
        return "empty"
    if len(counts) <= 3:
        return ", ".join(f"{shown(value, 30)}: {count:,}" for value, count in counts.items())
    low, high = int(counts.min()), int(counts.max())
    counts_text = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{len(counts):,} values" + ("" if high == 1 else f", {counts_text} rows each")


def _column_roles(draft: Any) -> dict[str, str]:
    """Return what the mapping takes each column for; one that names the person may name the game as well."""
    roles: dict[str, str] = {}
    keys = draft.proposal.keys
    for key in [*(key for key in ROLES if key in keys), *keys]:
        value, words = keys[key], ROLES.get(key) or SECTIONS.get(key.partition(".")[0])
        for name in value if isinstance(value, list) else [value]:
            if words and isinstance(name, str):
                roles.setdefault(name, words)
    return roles


def _first_rows(draft: Any) -> ui.Tag:
    """Return the first rows as they stand in the file; a click on a head says what the column is."""
    log, roles = draft.log.table, _column_roles(draft)
    names = log.names[:COLUMNS]
    columns = {name: log.column(name) for name in names}
    heads = [
        ui.TagList(
            button(shown(name, 60), "column", name, "head", aria_label=f"Say what the column {shown(name)} is"),
            ui.span(roles.get(name, "not read"), class_="role" if name in roles else "role off"),
            ui.tags.small(_describe(cells)),
        )
        for name, cells in columns.items()
    ]
    rows = zip(*[cells.head(ROWS) for cells in columns.values()], strict=True)
    cells = [["" if cell is None or cell != cell else shown(cell, 60) for cell in row] for row in rows]
    n_others = len(log.names) - len(names)
    note = f" The first {COLUMNS} of {len(log.names)} columns." if n_others else ""
    hint = f"Click the head of a column to say what it is.{note}"
    file = getattr(log, "file", draft.source)
    return card(
        "The first rows", table(heads, cells, f"First rows of {shown(file.name)}", numbers_from=COLUMNS), hint=hint
    )


def _games(study: Any) -> ui.Tag | None:
    """Return three games as they are read, and how many there are."""
    if study is None:
        return None
    games = study.rows("games")
    count = f"{games:,} games from {study.provenance.rows_read:,} rows."
    onward = ui.div({"class": "row end"}, ui.span(count), button("Look at the data", "go", "look", "primary"))
    return card("Three games, as they are read", ui.div({"class": "three"}, *map(_game, sketch_games(study))), onward)


def _game(game: GameSketch) -> ui.Tag:
    levels = [ui.span(f"{shown(name, 40)}: {shown(level, 40)}", class_="role") for name, level in game.levels]
    seats = []
    for seat in game.seats:
        person = f" ({_short(seat.person)})" if seat.person else ""
        points = "" if seat.points is None else f": {seat.points:g} {'point' if seat.points == 1 else 'points'}"
        seats.append(ui.tags.li(f"{shown(seat.player, 40)}{person}{points}"))
    earlier = game.earlier_offers
    offers = [ui.tags.li(f"{earlier} earlier offer{'s' if earlier > 1 else ''}", class_="faint")] if earlier else []
    offers += [ui.tags.li(_offer(offer)) for offer in game.offers]
    end = ui.p(f"End: {ENDS.get(game.ended, shown(game.ended))}")
    return ui.div({"class": "game"}, ui.h3(f"Game {_short(game.game_id)}"), *levels, ui.tags.ul(*seats, *offers), end)


def _offer(offer: OfferSketch) -> str:
    words = {"proposer": "kept", "responder": "for the other side"}
    share = [
        f"worth {value:.2f} to {'itself' if side == 'proposer' else 'the other side'}" if offer.is_value
        else f"{value:g} {words.get(side, f'for {shown(side, 40)}')}"
        for side, value in offer.shares
    ]  # fmt: skip
    content = " and ".join(share) or "a deal"
    return (
        f"{shown(offer.proposer or 'Somebody', 40)} offers {content}: {RESPONSES.get(offer.response, offer.response)}"
    )


def _short(text: str) -> str:
    """Return an id as a card shows it: the beginning of a long one."""
    return shown(text if len(text) <= 14 else f"{text[:8]}…", 40)
