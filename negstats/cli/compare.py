"""The command compare: a question about a study, answered as a plan with a single question."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from negstats.cli.shared import (
    ADVANCED,
    EngineOption,
    JsonOption,
    MapOption,
    StudyPath,
    WhoOption,
    drawn,
    print_json,
    print_lines,
    print_table,
    study_in,
)
from negstats.errors import speaking

if TYPE_CHECKING:
    from negstats.analysis import Answer


def compare(
    study: StudyPath,
    outcome: Annotated[str, typer.Argument(help="A measure (negstats describe lists them) or a survey question.")],
    by: Annotated[
        list[str] | None, typer.Option(help="Factor, such as condition, role or answers.gender; may be repeated.")
    ] = None,
    with_: Annotated[
        list[str] | None, typer.Option("--with", help="Measure to relate the outcome to; may be repeated.")
    ] = None,
    who: WhoOption = None,
    predicts: Annotated[
        str | None, typer.Option(help='The predicted direction: "CL > FC", positive, negative.')
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the figure of the report to this .png, .svg or .pdf file.")
    ] = None,
    save: Annotated[Path | None, typer.Option(help="Write the question as a plan, for plan --check and run.")] = None,
    levels: Annotated[
        list[str] | None,
        typer.Option(
            help="Levels to compare, in order (CL,FC: CL minus FC). Repeat for other factors.",
            rich_help_panel=ADVANCED,
        ),
    ] = None,
    paired: Annotated[
        bool,
        typer.Option("--paired", help="Take only units with a value at each level.", rich_help_panel=ADVANCED),
    ] = False,
    scale: Annotated[
        str | None,
        typer.Option(help="Answers in words, from lowest to highest, separated by commas.", rich_help_panel=ADVANCED),
    ] = None,
    unit: Annotated[
        str,
        typer.Option(help="game: take games as independent, even where people play several.", rich_help_panel=ADVANCED),
    ] = "independent",
    mapping: MapOption = None,
    engine: EngineOption = None,
    as_json: JsonOption = False,
) -> None:
    """Answer one question by the test that the design calls for."""
    from negstats.analysis.answers import alarm_lines
    from negstats.analysis.compare import ask
    from negstats.analysis.plan.editing import note_look_beside

    data = study_in(study, mapping, engine)
    with speaking("command line"):
        answer, text = ask(
            data, outcome, by or (), with_=with_ or (), who=who, predicts=predicts, paired=paired,
            levels=dict(zip(by or (), map(_words, levels or ()), strict=False)), scale=_words(scale or ""), unit=unit,
            path=str(study), mapping=None if mapping is None else str(mapping),
        )  # fmt: skip
    if save is not None:
        from negstats.files import write_whole

        write_whole(save, text)
    noted = note_look_beside(study, text, Path())
    in_json, in_lines = drawn(figure, lambda file: _draw(answer, file))
    if as_json:
        print_json({**answer.entry, "sentence": answer.apa(), "plan": text, **in_json})
        return
    print_lines(alarm_lines(answer.results))
    table = answer.table().dropna(axis="columns", how="all")
    print_table(table.reset_index() if answer.levels else table, _heading(answer))
    print_lines([*_test_lines(answer), "", answer.apa(), *([f"plan: {save}"] if save else []), *in_lines])
    if noted is not None:
        print_lines([f"note: {noted} is not registered; its `known` now says that this result was looked at"])


def _words(text: str) -> list[str]:
    """Return what stands between commas; quotes keep a comma inside a word."""
    return [word.strip() for word in next(csv.reader([text], skipinitialspace=True), [])]


def _draw(answer: Answer, file: Path) -> None:
    from negstats.plots import save_figure

    save_figure(answer.plot(), file)


def _heading(answer: Answer) -> str:
    """Return what stands over the table: the outcome, its unit, and where each factor lies."""
    from negstats.sanitize import plural

    entry = answer.entry
    design, unit = entry["design"], entry["unit_of_measure"]
    units = plural({"participant": "person"}.get(design["units"], design["units"]))
    places = {"within": f"within {units}", "between": f"between {units}", "partly": f"within some {units}"}
    outcome = entry["measure"].replace("_", " ") + (f" of {entry['who']}" if entry["who"] else "")
    factors = " and ".join(f"{factor['name']} ({places[factor['lies']]})" for factor in design["factors"])
    shown_unit = "" if unit in (None, entry["measure"], "answer", "1 or 0") else f" ({unit})"
    by = f" by {factors}" if factors else ""
    return f"{outcome}{shown_unit}{by}: {design['n_units']:,} {units}, 95% CI"


def _test_lines(answer: Answer) -> Iterator[str]:
    """Yield a line for each test with its name, then why it was taken, and what was averaged or excluded."""
    from negstats.analysis.method import label_of

    roles = {"follow-up": "after it, ", "beside": "check, ", "part": ""}
    lines = []
    for test in answer.entry["tests"]:
        term, _, tag = test["address"].removeprefix(answer.id).removeprefix("/").partition("#")
        term = "" if test["role"] == "beside" else tag or term
        lines.append(
            f"{roles.get(test['role'], '')}{label_of(test['method'])}{f', {term}' if term else ''}: {test['apa']}"
        )
    yield from dict.fromkeys(lines)  # a simple effect follows its factor and the interaction
    yield f"why: {answer.entry['rule']['sentence']}"
    yield from (f"note: {note}" for note in answer.notes)
