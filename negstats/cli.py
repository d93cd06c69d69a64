"""The command line: parse, call, print. Exit code 2 and one clear line on bad input."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional, cast

import typer

from negstats.errors import NegstatsError

if TYPE_CHECKING:
    import pandas as pd

    from negstats.study import Study

app = typer.Typer(
    name="negstats",
    help="Statistics of negotiation studies: from session logs to tidy tables, measures, tests and figures.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

StudyPath = Annotated[Path, typer.Argument(help="A saved study, or a file or folder of raw logs.", show_default=False)]
MapOption = Annotated[
    Optional[Path],  # noqa: UP045 - typer reads this form on every Python
    typer.Option("--map", help="TOML file that says which column is what, for logs of your own.", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
WhoOption = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(help="Whose values: a kind (human, agent), a role, an agent's name or a seat.", show_default=False),
]


@app.command()
def load(
    path: Annotated[Path, typer.Argument(help="File or folder of raw logs.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder to write the study to.", show_default=False)],
    mapping: MapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read raw logs and save them as a study of tidy tables."""
    study = _study(path, mapping)
    study.save(out)
    from negstats.report import describe

    found = describe(study)
    if as_json:
        _print_json({"study": str(out), **found.to_dict()})
        return
    _print_table(found.rows, f"{out}: written from {len(study.provenance.sources)} files")
    _print_left_out(found.left_out, found.notes)


@app.command("map")
def write_mapping(path: Annotated[Path, typer.Argument(help="A log of your own.", show_default=False)]) -> None:
    """Print a mapping file to start from, written from the columns of a log (negstats map PATH > mapping.toml)."""
    from negstats.loaders import mapping

    typer.echo(mapping.suggest(path), nl=False)


@app.command()
def describe(study: StudyPath, mapping: MapOption = None, as_json: JsonOption = False) -> None:
    """Show games, players, conditions, ends and missing values."""
    from negstats.report import describe as described

    found = described(_study(study, mapping))
    if as_json:
        _print_json(found.to_dict())
        return
    _print_lines(f"{count} {what}" for what, count in found.people.items())
    _print_table(found.rows, "Tables")
    _print_table(found.ends, "How games ended")
    if len(found.factors):
        _print_table(found.factors, "Conditions")
    if len(found.missing):
        _print_table(found.missing, "Missing values, and what they mean")
    _print_left_out(found.left_out, found.notes)


@app.command()
def metrics(
    study: StudyPath,
    by: Annotated[Optional[list[str]], typer.Option(help="Factor to split by; may be repeated.")] = None,  # noqa: UP045
    who: WhoOption = None,
    csv: Annotated[Optional[Path], typer.Option(help="Write the table as CSV.")] = None,  # noqa: UP045
    values: Annotated[Optional[Path], typer.Option(help="Write every value as CSV, a row a game and seat.")] = None,  # noqa: UP045
    mapping: MapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compute every measure that the study allows: n, mean, SD, range, missing values."""
    from negstats.report.description import measure_table, measure_values

    loaded = _study(study, mapping)
    table = measure_table(loaded, by or [], who=who)
    _write_csv(table, csv)
    if values is not None:
        _write_csv(measure_values(loaded), values)
    if as_json:
        _print_json(table.to_dict("records"))
        return
    _print_table(table.dropna(axis="columns", how="all"), "Measures (seats and games, not independent units)")


@app.command()
def compare(
    study: StudyPath,
    measure: Annotated[str, typer.Argument(help="Name of a measure; `negstats metrics` lists them.")],
    by: Annotated[str, typer.Option(help="Factor with the two conditions.", show_default=False)],
    paired: Annotated[bool, typer.Option("--paired", help="The same people stand in both conditions.")] = False,
    who: WhoOption = None,
    levels: Annotated[
        Optional[tuple[str, str]],  # noqa: UP045
        typer.Option(help="The two levels, first minus second; needed if there are more.", show_default=False),
    ] = None,
    unit: Annotated[str, typer.Option(help="independent, or game: take all games for independent.")] = "independent",
    figure: Annotated[Optional[Path], typer.Option(help="Draw to this .png, .svg or .pdf file.")] = None,  # noqa: UP045
    mapping: MapOption = None,
    as_json: JsonOption = False,
) -> None:
    """Compare a measure between two conditions: means, test, effect size, APA line and a figure."""
    from negstats.report import compare as compared

    found = compared(_study(study, mapping), measure, by, paired=paired, who=who, levels=levels, unit=cast("Any", unit))
    if figure is not None:
        from negstats.plots import save_figure

        save_figure(found.plot(), figure)
    if as_json:
        _print_json({**found.to_dict(), "figure": None if figure is None else str(figure)})
        return
    _print_table(found.table().reset_index(), f"{found.label}, one value a {found.unit}; 95% CI of each mean")
    first, second = found.levels
    interval = found.test.confidence_interval()
    _print_lines(
        [
            f"{first} − {second}: {float(found.test.difference):.4g}, {interval.apa(4)}",
            f"t-test ({found.test.method}): {found.test.apa()}",
            f"rank test: {found.ranks.apa()}",
            *(f"note: {note}" for note in found.notes),
            "",
            found.apa(),
        ]
    )
    if figure is not None:
        _print_lines([f"figure: {figure}"])


@app.command()
def reproduce(
    papers: Annotated[
        list[str] | None, typer.Argument(help="Papers; all if none is named.", show_default=False)
    ] = None,
    out: Annotated[Optional[Path], typer.Option(help="Write CSV, Markdown, LaTeX, Word and an HTML page here.")] = None,  # noqa: UP045
    data: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            envvar="NEGSTATS_DATA", help="Folder with the raw data of the public studies.", show_default=False
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Recompute every number that the papers print and say of each whether it stands; a finding is no failure."""
    from negstats import papers as recipes

    found = recipes.reproduce(papers or [], data=data)
    files = []
    if out is not None:
        from negstats.papers.output import write

        files = write(found, out)
    if as_json:
        _print_json({"findings": recipes.to_frame(found).to_dict("records"), "files": list(map(str, files))})
        return
    text = recipes.to_table(found)
    for paper, rows in text.groupby("paper", sort=False):
        _print_table(rows.drop(columns="paper"), f"{paper}: {len(rows)} printed rows")
    _print_table(recipes.counted(found), "Verdicts")
    _print_lines(f"written: {file}" for file in files)


@app.command()
def audit(
    file: Annotated[Path, typer.Argument(help="A paper: text, Markdown, LaTeX, HTML or PDF.", show_default=False)],
    alpha: Annotated[float, typer.Option(help="Level that a decision error crosses.")] = 0.05,
    flagged: Annotated[bool, typer.Option("--flagged", help="Print only results in which something is wrong.")] = False,
    csv: Annotated[Optional[Path], typer.Option(help="Write one row a result as CSV.")] = None,  # noqa: UP045
    as_json: JsonOption = False,
) -> None:
    """Find the test results that a paper reports, recompute each p and say which do not agree."""
    from negstats.audit import audit_file

    found = audit_file(file, alpha=alpha)
    _write_csv(found.to_frame(), csv)
    if as_json:
        rows = found.to_frame().to_dict("records")
        _print_json([row for row, result in zip(rows, found.results, strict=True) if result.flagged or not flagged])
        return
    _print_lines([found.text(flagged_only=flagged)])


@app.command()
def figures(
    papers: Annotated[
        Optional[list[str]],  # noqa: UP045
        typer.Argument(help="haim2017, mell2015, chawla2023; all if none is named.", show_default=False),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder to draw to.")] = Path("figures"),
    as_json: JsonOption = False,
) -> None:
    """Draw the papers' figures from their printed numbers (PNG, SVG, PDF, CSV and a manifest); say what cannot be."""
    from negstats.papers.figures import make_figures, not_drawn

    named = papers or []
    drawn, gone = make_figures(out, named), not_drawn(named)
    if as_json:
        _print_json({"out": str(out), "drawn": drawn.to_dict("records"), "not_drawn": gone.to_dict("records")})
        return
    _print_table(drawn, f"{out}: written, each as .png, .svg, .pdf and .csv, listed in manifest.json")
    _print_table(gone, "What cannot be drawn, and why")


def _study(path: Path, mapping: Path | None) -> Study:
    from negstats.loaders import load as load_study

    return load_study(path, mapping=mapping, track=_progress)


def _progress(files: Sequence[Path]) -> Iterable[Path]:
    """Yield the files behind a progress bar on the error stream, where that is a terminal and there are several."""
    if len(files) < 2 or not sys.stderr.isatty():
        return iter(files)
    from rich.console import Console
    from rich.progress import track

    bar: Iterator[Path] = iter(track(files, "reading", console=Console(stderr=True), transient=True))
    return bar


def _print_table(frame: pd.DataFrame, title: str) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    typer.echo(title)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in frame.columns:
        numeric = frame[name].dtype.kind in "iuf"
        table.add_column(Text(str(name)), justify="right" if numeric else "left", no_wrap=numeric)
    for row in frame.itertuples(index=False):
        table.add_row(*(Text(_cell(value)) for value in row))
    Console().print(table)
    typer.echo()


def _cell(value: object) -> str:
    """Return a number to four digits, whole numbers whole, missing as nothing."""
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) >= 10 else f"{value:.4g}"
    return str(value)


def _print_lines(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)


def _print_left_out(left_out: dict[str, int], notes: Sequence[str]) -> None:
    _print_lines(f"left out: {rows} × {reason}" for reason, rows in left_out.items())
    if not left_out:
        _print_lines(["left out: nothing"])
    _print_lines(f"note: {note}" for note in notes)


def _print_json(value: object) -> None:
    typer.echo(json.dumps(_plain(value), ensure_ascii=False, indent=1, allow_nan=False))


def _plain(value: Any) -> Any:
    """Return what JSON can say: numbers as Python's, missing and infinite ones as null, keys as text."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "item") and not isinstance(value, str):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return None if value != value else str(value)


def _write_csv(frame: pd.DataFrame, path: Path | None) -> None:
    if path is None:
        return
    from negstats.files import written_whole

    with written_whole(path) as fresh:
        frame.to_csv(fresh, index=False)


def _version(wanted: bool) -> None:
    if wanted:
        from negstats import __version__

        typer.echo(f"negstats {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Statistics of negotiation studies: from session logs to tidy tables, measures, tests and figures."""


def main() -> None:
    """Run the command line; what negstats refuses becomes one line on the error stream and exit code 2."""
    try:
        app()
    except NegstatsError as error:
        typer.echo(f"negstats: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        typer.echo(f"negstats: {error.filename}: {error.strerror}", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
