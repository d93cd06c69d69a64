"""Write "The house on one sheet": the rooms of the package by what they import, and the ways of a log and of a test.

The sheet is drawn from the imports in the source; the ways are recorded while a log is read and a test is made.
"""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "negstats"
EVERYWHERE = {"deprecation", "errors", "sanitize", "__init__", "__main__", "_datasets"}

HEAD = """# The structure of the package on one sheet

Each box is a room of the package (a folder or a file); a line goes from a room up to those that import it. Lines that
follow from others are left out, and so are `errors`, `sanitize` and `deprecation`, which every room may import, and
what a function imports only when it runs (but for the commands). No import points down: a test reads the imports and
fails where one does.

![Rooms of the package in layers, drawn from the imports](house.png)

The drawing and the two ways below are made from the code when this site is built.

{rooms}

## How a log is read

What is entered, in order, when `negstats.load("datasets/sample", format="solver_cl")` reads raw logs: the first
function that runs in each file.

{log}

## The way of a test

The same for `stats.t_test(frame, "y", "group")` and its `apa()`: a frame becomes a summary, and the test sees the
summary.

{test}
"""


@cache
def rooms() -> dict[str, set[str]]:
    """Return the rooms, and of each the rooms that it imports at the top of a file."""
    found: dict[str, set[str]] = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        here = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if here not in EVERYWHERE:
            tree = ast.parse(file.read_text(encoding="utf-8"))
            nodes = ast.walk(tree) if here == "cli" else tree.body  # a command imports what it needs when it runs
            found.setdefault(here, set()).update(_imported(nodes) - {here} - EVERYWHERE)
    return {room: seen & set(found) for room, seen in found.items()}


def _imported(nodes: Iterable[ast.AST]) -> set[str]:
    seen = set()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module == "negstats":
            seen |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("negstats."):
            seen.add((node.module or "").split(".")[1])
        elif isinstance(node, ast.Import):
            seen |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("negstats.")}
    return seen


def layers(imports: dict[str, set[str]]) -> dict[str, int]:
    """Return how high each room stands: one above the highest room that it imports.

    Examples
    --------
    >>> layers({"study": {"tables"}, "tables": set(), "loaders": {"study", "tables"}})
    {'study': 1, 'tables': 0, 'loaders': 2}
    """
    heights: dict[str, int] = {}

    def height(room: str, above: tuple[str, ...] = ()) -> int:
        if room in above:
            raise ValueError(f"imports run in a circle: {' → '.join((*above, room))}")
        if room not in heights:
            heights[room] = max((height(one, (*above, room)) for one in imports[room]), default=-1) + 1
        return heights[room]

    return {room: height(room) for room in imports}


def _direct(imports: dict[str, set[str]]) -> dict[str, set[str]]:
    """Return the imports without those that follow from others."""

    def under(room: str) -> set[str]:
        return imports[room].union(*map(under, imports[room])) if imports[room] else set()

    return {room: seen - set().union(*map(under, seen)) if seen else set() for room, seen in imports.items()}


def draw(path: Path) -> None:
    """Draw the rooms in layers, with a line for each import that does not follow from others."""
    from matplotlib.figure import Figure

    imports = rooms()
    heights = layers(imports)
    figure = Figure(figsize=(10, 1.2 * (max(heights.values()) + 1)), layout="constrained")
    axes = figure.subplots()
    axes.set_axis_off()
    places: dict[str, tuple[float, float]] = {}
    for height in range(max(heights.values()) + 1):
        row = sorted(room for room in heights if heights[room] == height)
        if height:  # near those that it stands on
            row.sort(
                key=lambda room: (
                    sum(places[one][0] for one in _direct(imports)[room]) / max(1, len(_direct(imports)[room]))
                )
            )
        shift = 0.35 * (-1) ** height  # so that lines run between the boxes of a layer
        places |= {room: ((place + 1 + shift) / (len(row) + 1), height) for place, room in enumerate(row)}
    for room, seen in _direct(imports).items():
        for one in seen:
            (x, y), (left, low) = places[room], places[one]
            axes.annotate("", (x, y - 0.17), (left, low + 0.17), arrowprops={"arrowstyle": "-|>", "color": "0.55"})
    for room, (x, y) in places.items():
        box = {"boxstyle": "round,pad=0.4", "facecolor": "white", "edgecolor": "#0072b2", "linewidth": 1.2}
        axes.text(x, y, room, ha="center", va="center", bbox=box, fontsize=13)
    axes.set(xlim=(0, 1), ylim=(-0.4, max(heights.values()) + 0.4))
    figure.savefig(path, dpi=110)


def entered(call: Callable[[], Any]) -> list[tuple[str, str]]:
    """Return the functions of the package that a call enters, in order, each with its file."""
    functions: dict[tuple[str, str], None] = {}

    def watch(frame: FrameType, event: str, _given: object) -> None:
        file = frame.f_code.co_filename
        name = frame.f_code.co_name
        if event == "call" and file.startswith(f"{PACKAGE}{os.sep}") and not name.startswith("<"):
            functions.setdefault((file[len(str(PACKAGE)) + 1 :].replace(os.sep, "/"), name))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(before)
    return list(functions)


def way(call: Callable[[], Any]) -> list[tuple[str, str]]:
    """Return the files of the package that a call enters, in order, each with the first function that runs there."""
    skipped = ("errors.py", "plain.py", "__init__.py", "__main__.py")
    files: dict[str, str] = {}
    for file, name in entered(call):
        files.setdefault(file, name)
    return [(file, name) for file, name in files.items() if file not in skipped]


def _said() -> str:
    """Return each room with the first line of its docstring."""
    lines = ["| room | what it is |", "|---|---|"]
    heights = layers(rooms())
    for room in sorted(heights, key=lambda one: (-heights[one], one)):
        place = PACKAGE / room / "__init__.py"
        file = place if place.is_file() else PACKAGE / f"{room}.py"
        said = (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").split("\n\n")[0]
        lines.append(f"| `{room}` | {' '.join(said.split())} |")
    return "\n".join(lines)


def page() -> str:
    """Return the page in Markdown."""
    import pandas as pd

    import negstats
    from negstats import stats

    frame = pd.DataFrame({"y": [5, 7, 6, 9, 3, 5, 4, 4], "group": list("aaaabbbb")})
    log, sample = (
        lambda: negstats.load(ROOT / "datasets" / "sample", format="solver_cl"),
        lambda: stats.t_test(frame, "y", "group").apa(),
    )
    for once in (log, sample):
        once()  # imports are not part of the way
    told = {"log": way(log), "test": way(sample)}
    text = {name: "\n".join(f"1. `{file}`: `{what}`" for file, what in steps) for name, steps in told.items()}
    return HEAD.format(rooms=_said(), **text)
