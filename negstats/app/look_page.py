"""The page Look: how much there is, the sanity check, what was excluded, means by condition, and the tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
from shiny import Inputs, Session, reactive, render, req, ui

from negstats.app.parts import button, card, facts, fault, nothing, number, select, shown, table
from negstats.app.state import State, follow
from negstats.sanitize import counted
from negstats.studies.records import answers_of, sentence

ROWS = 2000  # of a table that the grid holds
TABLES = {"games": "Games", "players": "Seats", "offers": "Offers", "messages": "Messages", "answers": "Answers"}


def layout() -> ui.TagList:
    """Return the page."""
    grid = ui.div(ui.output_ui("tables"), ui.output_data_frame("grid"), id="grid-part", hidden="")
    return ui.TagList(ui.h1("Look at the data"), ui.output_ui("look"), ui.output_ui("means"), grid)


def serve(input: Inputs, state: State, session: Session) -> None:  # noqa: A002 - Shiny's names
    """Connect the page."""
    by: reactive.Value[str | None] = reactive.value(None)
    chosen_table: reactive.Value[str] = reactive.value("games")
    state.handlers["choose-split"] = by.set
    state.handlers["choose-table"] = chosen_table.set

    def is_shown() -> bool:
        return bool(input.page() == "look")

    _show_tables(state, session, chosen_table, is_shown)  # first, for its rows are there at once
    overview = follow(lambda: (state.study(),), _overview, is_shown=is_shown)
    means_by = follow(lambda: (state.study(), by()), _means_card, is_shown=is_shown)

    @render.ui
    def look() -> Any:
        if state.study() is None:
            return nothing("Open a study first; its numbers are then shown here.", "Open data", "open")
        if overview.status() == "running":
            return ui.p("Looking at the data …", class_="busy", role="status")
        return _or_fault(overview.result())

    @render.ui
    def means() -> Any:
        return None if state.study() is None else _or_fault(means_by.result())


def _or_fault(content: Any) -> Any:
    """Return what was computed, or its error as the page shows one."""
    return fault(content) if isinstance(content, str) else content


def _means_card(study: Any, split: str | None) -> ui.Tag | None:
    """Return the means by a factor; by the first condition where nothing is chosen."""
    from negstats.analysis.preregistration.draft_factors import conditions_of

    if study is None:
        return None
    conditions = {name: name for name in _factors(study)}
    usual = next(iter(conditions_of(study)), "")
    factor = usual if split is None or (split and split not in conditions) else split
    choice = select("split", "Show them", {"": "All together", **{name: f"By {name}" for name in conditions}}, factor)
    hint = "Means over seats and games, which are not independent of each other; the page Ask takes that into account."
    return card("Means and standard deviations", choice, *_measure_tables(study, factor), hint=hint)


def _show_tables(
    state: State, session: Session, chosen_table: reactive.Value[str], is_shown: Callable[[], bool]
) -> None:
    """Show one table of the study as a grid that can be sorted and filtered."""
    counts = follow(lambda: (state.study(),), _count_rows, is_shown=is_shown)

    @render.ui
    def tables() -> Any:
        sizes = counts.result()
        if not isinstance(sizes, dict):
            return None
        names = {name: f"{words} ({counted(sizes[name], 'row')})" for name, words in TABLES.items() if sizes[name]}
        name = chosen_table() if chosen_table() in names else "games"
        note = f"The first {ROWS:,} rows." if sizes[name] > ROWS else None
        return card("The tables", select("table", "Table", names, name), hint=note)

    @reactive.effect
    async def _() -> None:
        await session.send_custom_message("show", {"id": "grid-part", "shown": state.study() is not None})

    rows = follow(lambda: (state.study(), chosen_table()), _first_rows, is_shown=is_shown)

    @render.data_frame
    def grid() -> Any:
        frame = rows.result()
        req(isinstance(frame, pd.DataFrame))
        return render.DataGrid(frame, filters=True, height="26rem", width="100%")


def _count_rows(study: Any) -> dict[str, int] | None:
    """Return how many rows each table has."""
    return None if study is None else {name: study.rows(name) for name in TABLES}


def _first_rows(study: Any, name: str) -> pd.DataFrame | None:
    """Return the first rows of a table of the study, each cell as a page shows it."""
    if study is None:
        return None
    frame: pd.DataFrame = study.frame(name).head(ROWS).collect().to_pandas()
    frame = frame.dropna(axis="columns", how="all").drop(columns="study", errors="ignore")
    texts = frame.select_dtypes(exclude="number").columns
    frame = frame.assign(
        **{column: frame[column].map(lambda cell: "" if pd.isna(cell) else shown(cell)) for column in texts}
    )
    frame.columns = [shown(column, 60).replace("_", " ") for column in frame.columns]
    return frame


def _factors(study: Any) -> list[str]:
    from negstats.analysis.preregistration.study_view import StudyView

    view = StudyView(study)
    return [name for name in study.factors if 2 <= len(view.levels("games", name) or []) <= 12]


def _overview(study: Any) -> ui.TagList | None:
    """Return how much there is, the sanity check, and what was excluded."""
    if study is None:
        return None
    from negstats.analysis.describe import describe
    from negstats.analysis.loading_checks import check_loading

    description = describe(study)
    sizes = dict(zip(description.rows["table"], description.rows["rows"], strict=True))
    boxes = [("games", description.people["games"]), ("people", description.people["participants"])]
    boxes += [(name, sizes.get(name, 0)) for name in ("offers", "messages", "answers")]
    numbers = [ui.div(ui.span(f"{count:,}", class_="large"), name, class_="box") for name, count in boxes if count]
    checks = check_loading(study) if study.in_memory else []  # it looks at every row
    rows = []
    for check in sorted(checks[1:], key=lambda result: not result.records):
        doubts = [
            ui.div(
                ui.tags.strong("Look at this: "),
                shown(sentence(record), 600),
                ui.tags.small(_to_answer(record)),
                class_="doubt",
            )
            for record in check.records
        ]
        rows.append((check.about.capitalize(), ui.TagList(shown(check.text, 600), *doubts)))
    excluded = [
        ui.tags.li(f"{counted(count, 'row')} excluded: {shown(why)}") for why, count in description.left_out.items()
    ]
    excluded += [ui.tags.li(shown(f"{note[:1].upper()}{note[1:]}", 600)) for note in description.notes]
    sanity = card("Sanity check", facts(rows), hint="A log that was read wrongly shows here.") if rows else None
    left_out = card("Excluded, and noted", ui.tags.ul(*excluded or [ui.tags.li("Nothing was excluded.")]))
    ask = ui.div({"class": "row end"}, button("Ask a question", "go", "ask", "primary"))
    return ui.TagList(ui.div({"class": "boxes"}, *numbers), ui.div({"class": "two wide-left"}, sanity, left_out), ask)


def _to_answer(record: Any) -> str:
    return shown(f"If it is right as it is: {answers_of(record)}", 400)


def _measure_tables(study: Any, by: str) -> list[ui.Tag]:
    """Return a table of means for each group of measures, a column for each level."""
    from negstats.analysis.describe import available, measure_table
    from negstats.metrics.definition import GROUPS
    from negstats.metrics.lookup import group_of, label_of

    # A row a measure, level and kind of player.
    frame = measure_table(study, [by] if by else [], names=available(study))
    frame = frame[frame["n"] > 0]
    frame = frame.assign(level=frame[by].astype("object").fillna("not recorded").map(str) if by else "All")
    levels = list(dict.fromkeys(frame["level"]))
    kinds = frame["kind"].astype("object").where(frame["kind"].notna(), "")
    frame = frame.assign(kind=kinds)
    parts: list[ui.Tag] = []
    for group in GROUPS:
        members = [name for name in dict.fromkeys(frame["measure"]) if group_of(name) == group]
        if not members:
            continue
        rows = []
        for name in members:
            for kind, cells in frame[frame["measure"] == name].groupby("kind", sort=True):
                owner = f" ({'people' if kind == 'human' else shown(kind, 30)})" if kind else ""
                by_level = {cell["level"]: cell for cell in cells.to_dict("records")}
                rows.append([f"{label_of(name)}{owner}", *(_mean(by_level.get(level)) for level in levels)])
        heads = ["Mean (SD)", *(shown(level, 40) for level in levels)]
        content = table(heads, rows, f"Means: {group}")
        parts.append(
            ui.tags.details(ui.tags.summary(f"{group} ({len(members)})"), content, open="" if not parts else None)
        )
    return parts


def _mean(cell: dict[Any, Any] | None) -> str:
    if cell is None:
        return "–"
    if cell["unit"] == "1 or 0":
        return f"{100 * cell['mean']:.0f}% of {cell['n']:,}"
    spread = cell["sd"]
    return number(cell["mean"], spread) + (f" ({number(spread, spread)})" if spread == spread else "")
