"""What the commands share: options, reading a study behind a progress bar, and printing tables, lines and JSON."""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from negstats.errors import DesignError
from negstats.sanitize import csv_frame, json_text, line, text

if TYPE_CHECKING:
    import pandas as pd

    from negstats.studies.study import Study

Played = TypeVar("Played")

ADVANCED = "Advanced options"  # their heading in the help of a command

StudyPath = Annotated[Path, typer.Argument(help="A saved study, or a file or folder of raw logs.")]
MapOption = Annotated[
    Path | None,
    typer.Option("--map", help="Mapping file (of negstats map) that says what each column holds."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of tables.")]
WhoOption = Annotated[
    str | None, typer.Option(help="Whose values to use: a kind (human, agent), a role, an agent or a seat.")
]


EngineOption = Annotated[
    str | None,
    typer.Option(help="Engine that computes on a saved study: duckdb, polars or pyspark.", rich_help_panel=ADVANCED),
]

_PIPE = 400  # characters
SLOW = 5  # seconds after which the time is shown
NO_BREAK = "\u00a0"
# A command to be copied: its name, what follows it as options, files, names in capitals and signs of the shell.
COMMAND = re.compile(
    r"negstats [a-z]+(?: get)?(?: (?:-[^\s,;)]+|[>|]|\"[^\"]+\"|'[^']+'|[^\s,;)]*[A-Z./=][^\s,;)]*))+"
    r"|(?:python -m )?pip install [^\s,;)]+"
)
INSIDE = re.compile(r"(?:\d+% CI )?\[[^\[\]]{1,40}\]|\S+ [=<>] \S+")  # an interval, a statistic with its value


def study_at(path: Path, mapping: Path | None, **options: Any) -> Study:
    """Return the study at `path`; `given` are further arguments of `negstats.load`, those that are None left out."""
    from negstats.loaders import load as load_study

    arguments = {name: value for name, value in options.items() if value is not None}
    return load_study(path, mapping=mapping, track=progress, **arguments)


def written_to(out: Path, path: Path, mapping: Path | None, **options: Any) -> Study:
    """Write the study at `path` to the folder `out` and return it, a large one with its rows left there."""
    from negstats.loaders import load_to
    from negstats.studies import open_saved

    arguments = {name: value for name, value in options.items() if value is not None}
    return open_saved(load_to(path, out, mapping=mapping, track=progress, **arguments))


def study_in(path: Path, mapping: Path | None, engine: str | None) -> Study:
    """Return the study at `path`, its rows with an engine if one is named."""
    if engine is None:
        return study_at(path, mapping)
    from negstats.errors import UsageError
    from negstats.studies import open_study

    if mapping is not None:
        raise UsageError(
            "--engine opens a saved study, and --map reads a log; `negstats load` saves the one as the other"
        )
    return open_study(path, engine=engine)


def studies_at(paths: Sequence[Path], mapping: Path | None, *, leave_out_bad_games: bool, **options: Any) -> Study:
    """Return several sources joined; `given` are further arguments of `negstats.loaders.load_several`."""
    from negstats.errors import UsageError
    from negstats.loaders import load_several

    for name, value in (
        ("--map", mapping),
        ("--leave-out-bad-games", leave_out_bad_games),
        ("--format", options["format"]),
        ("--stream", options.pop("stream")),
    ):
        if value:
            raise UsageError(f"{name} is for one source: load it alone with --out, and join the saved study")
    arguments = {name: value for name, value in options.items() if value is not None and name != "format"}
    return load_several(paths, track=progress, **arguments)


def refuse_joining(**options: Any) -> None:
    """Raise UsageError if an option for joining is given where there is nothing to join."""
    from negstats.errors import UsageError

    for name, value in options.items():
        if value:
            raise UsageError(f"--{name.replace('_', '-')} is for several sources; one was given")


def secret_in(file: Path) -> str:
    """Return the first line of a file."""
    from negstats.errors import UsageError

    try:
        with file.open(encoding="utf-8") as stream:
            return stream.readline(10_000).strip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or 'is not UTF-8 text'}") from None


def progress(files: Sequence[Path]) -> Iterable[Path]:
    """Yield the files behind a progress bar on the error stream, where that is a terminal and there are several."""
    return tracked(files, len(files), "reading")


def advancing(batches: Iterable[list[Played]], games: int) -> Iterable[list[Played]]:
    """Yield batches of simulated games behind a progress bar on the error stream, where that is a terminal."""
    if not sys.stderr.isatty():
        yield from batches
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("playing", total=games)
        for batch in batches:
            bar.advance(task, len(batch))
            yield batch


def tracked(items: Iterable[Played], total: int, doing: str) -> Iterable[Played]:
    """Return items behind a progress bar on the error stream, where that is a terminal and there are several."""
    if total < 2 or not sys.stderr.isatty():
        return items
    from rich.console import Console
    from rich.progress import track

    return track(items, doing, total=total, console=Console(stderr=True), transient=True)


@contextmanager
def stages(*, verbose: bool) -> Iterator[Callable[[str], None]]:
    """Give a function that shows which stage a command is in: in one line on a terminal, else if asked a line each."""
    if not sys.stderr.isatty():
        yield (lambda stage: typer.echo(line(stage), err=True)) if verbose else (lambda _: None)
        return
    from rich.console import Console

    with Console(stderr=True).status("reading") as status:
        began = time.monotonic()

        def show(stage: str) -> None:
            seconds = time.monotonic() - began
            status.update(line(stage) + (f" · {seconds:.0f} s" if seconds > SLOW else ""))

        yield show


def prose_width() -> int:
    """Return how wide prose is printed: as wide as the terminal (or COLUMNS) up to 100 columns, else 80."""
    return min(shutil.get_terminal_size((80, 24)).columns, 100)


def print_table(frame: pd.DataFrame, title: str, *, droppable: Sequence[str] = ()) -> None:
    """Print a frame below its title, so that no word is broken; in a pipe no name is cut short.

    Parameters
    ----------
    frame, title
        What is printed, and what it is.
    droppable
        Columns that are left out, the last first, where the table is too wide for the terminal. One that is still too
        wide is continued below, its first column repeated.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # What reads a pipe has no width, and a name that is cut short cannot be typed again.
    console = Console(width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else _PIPE)
    cells = {name: [_cell(value) for value in frame[name]] for name in frame.columns}
    numeric = {name for name in frame.columns if frame[name].dtype.kind in "iuf"}
    least = {name: _least_width(name, texts, is_number=name in numeric) for name, texts in cells.items()}
    names = list(frame.columns)
    for name in reversed(droppable):
        if _total_width(least, names) > console.width and name in names:
            names.remove(name)
    print_lines([title])
    for part in _parts_that_fit(least, names, console.width):
        table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0))
        for name in part:
            table.add_column(
                Text(line(name)), justify="right" if name in numeric else "left", overflow="fold",
                min_width=min(least[name], console.width - GAP),
            )  # fmt: skip
        for row in zip(*(cells[name] for name in part), strict=True):
            table.add_row(*map(Text, row))
        console.print(table)
    typer.echo()


GAP = 2  # blanks between columns


def _least_width(name: object, texts: Sequence[str], *, is_number: bool) -> int:
    """Return the width of a column below which a word is broken, or a number."""
    words = (
        [*line(name).split(), *texts] if is_number else [word for text in (line(name), *texts) for word in text.split()]
    )
    return max(map(len, words), default=0)


def _total_width(least: Mapping[str, int], names: Sequence[str]) -> int:
    return sum(least[name] + GAP for name in names)


def _parts_that_fit(least: Mapping[str, int], names: Sequence[str], width: int) -> list[list[str]]:
    """Return the columns in parts that are no wider than the terminal; each begins with the first column.

    Examples
    --------
    >>> _parts_that_fit({"name": 10, "a": 8, "b": 8}, ["name", "a", "b"], 24)
    [['name', 'a'], ['name', 'b']]
    """
    parts: list[list[str]] = [list(names[:1])]
    for name in names[1:]:
        if len(parts[-1]) > 1 and _total_width(least, [*parts[-1], name]) > width:
            parts.append(list(names[:1]))
        parts[-1].append(name)
    return parts


def _cell(value: object) -> str:
    """Return a number to four digits, whole numbers whole, missing as nothing."""
    if value is None or value != value:  # NaN
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) >= 10 else f"{value:.4g}"
    return line(value)


def print_lines(lines: Iterable[str]) -> None:
    """Print lines; on a terminal, or where COLUMNS gives its width, prose wraps with the indent of its first line."""
    width = prose_width() if sys.stdout.isatty() or "COLUMNS" in os.environ else None
    for paragraph in lines:
        text_line = line(paragraph, 5000)
        typer.echo(text_line if width is None else wrapped(text_line, width))


def print_error(why: str, whole: Collection[str] = ()) -> None:
    """Print why a command ended on the standard error, in a terminal wrapped at blanks.

    Parameters
    ----------
    why
        Its first line names the command; others may follow.
    whole
        What is not broken although it has blanks, such as the name of a file.
    """
    lines = (wrapped(line, prose_width(), whole) if sys.stderr.isatty() else line for line in why.split("\n"))
    print("\n".join(lines), file=sys.stderr, flush=True)


def wrapped(sentence: str, width: int, whole: Collection[str] = ()) -> str:
    """Return a line wrapped at blanks, its indent kept; no statistic, interval or command is broken, nor what is whole.

    Examples
    --------
    >>> print(wrapped("  note: t(65) = 2.46, p = .017, 95% CI [0.05, 0.55]", 24))
      note: t(65) = 2.46,
      p = .017,
      95% CI [0.05, 0.55]
    """
    if len(sentence) <= width:
        return sentence
    indent = sentence[: len(sentence) - len(sentence.lstrip())]
    sentence_text = sentence.lstrip()
    for unbroken in (INSIDE, COMMAND, *(re.compile(re.escape(phrase)) for phrase in whole)):
        sentence_text = unbroken.sub(lambda part: part[0].replace(" ", NO_BREAK), sentence_text)
    parts = textwrap.wrap(
        sentence_text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(parts).replace(NO_BREAK, " ")


def print_text(whole: str) -> None:
    """Print text of several lines as it is."""
    typer.echo(text(whole))


def print_left_out(left_out: dict[str, int], notes: Sequence[str]) -> None:
    """Print how many rows were excluded for which reason, and the notes of a loader."""
    print_lines(f"excluded: {rows:,} × {reason}" for reason, rows in left_out.items())
    if not left_out:
        print_lines(["excluded: nothing"])
    print_lines(f"note: {note}" for note in notes)


def drawn(figure: Path | None, draw: Callable[[Path], None]) -> tuple[dict[str, str | None], list[str]]:
    """Draw to a file if one is named; return what JSON and what lines say of it.

    What cannot be drawn takes no table with it: the reason is said in its place.
    """
    if figure is None:
        return {"figure": None}, []
    try:
        draw(figure)
    except DesignError as error:
        return {"figure": None, "no_figure": str(error)}, [f"no figure: {error}"]
    return {"figure": str(figure)}, [f"figure: {figure}"]


def print_json(value: object) -> None:
    """Print a value as JSON: what is missing or infinite as null."""
    typer.echo(json_text(json.dumps(_plain(value), ensure_ascii=False, indent=1, allow_nan=False)))


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


def write_csv(frame: pd.DataFrame, path: Path | None) -> None:
    """Write a frame to a file, if one is named."""
    if path is not None:
        write_csv_of([frame], path)


def write_csv_of(parts: Iterable[pd.DataFrame], path: Path) -> None:
    """Write frames with the same columns to one file, one after the other."""
    from negstats.files import written_whole

    with written_whole(path) as new_file:
        for place, part in enumerate(parts):
            csv_frame(part).to_csv(new_file, index=False, header=place == 0, mode="a" if place else "w")
