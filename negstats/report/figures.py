"""The figures of a report: of each question by its kind, and of what its models leave over, as files and in the page.

In the page a figure is SVG under a strict policy: no style, no link to elsewhere, unique ids. Matplotlib writes
``style="..."`` on every mark, which such a policy refuses; each property becomes an attribute here. Only elements and
attributes that draw are kept.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from lxml import etree
from matplotlib.axes import Axes

from negstats import plots
from negstats.errors import LogError, NegstatsError
from negstats.plots.style import NO_DATE, SAVING, captions_apart, figure_of, lay_out
from negstats.report.figure_kinds import DRAWN, Drawing, bounded
from negstats.report.figure_view import View
from negstats.report.labels import NAME, estimate, level_text, title_case
from negstats.report.prose import listed, prose
from negstats.report.tables import to_csv
from negstats.sanitize import line

if TYPE_CHECKING:
    from negstats.analysis.answers import Answer, Report

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
ELEMENTS = {
    "svg",
    "g",
    "defs",
    "path",
    "use",
    "rect",
    "circle",
    "line",
    "text",
    "tspan",
    "clipPath",
    "image",
    "pattern",
}
ATTRIBUTES = {
    "id", "d", "transform", "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height", "viewBox",
    "clip-path",
    "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
    "stroke-dashoffset", "stroke-linecap", "stroke-linejoin", "stroke-miterlimit", "opacity", "href", "text-anchor",
    "font-family", "font-size", "font-style", "font-weight", "patternUnits", "preserveAspectRatio",
}  # fmt: skip
FONT = "DejaVu Sans, Verdana, sans-serif"
REFERENCE = re.compile(r"url\(#([^)]+)\)")
SHORTHAND = re.compile(r"(?:(?P<style>italic|oblique)\s+)?(?:(?P<weight>bold|\d{3})\s+)?(?P<size>[\d.]+)px\b.*")
PICTURE = "data:image/png;base64,"


def draw_svg(ax: Axes) -> bytes:
    """Return the figure of `ax` as an SVG file whose letters are text, so that it can be searched and edited."""
    buffer = io.BytesIO()
    settings: Any = {**SAVING, "svg.fonttype": "none"}
    with mpl.rc_context(settings):
        figure_of(ax).savefig(buffer, format="svg", metadata=NO_DATE[".svg"])
    return buffer.getvalue()


def inline_svg(file: bytes, name: str, label: str) -> str:
    """Return an SVG file of `draw_svg` as an element of a page.

    Parameters
    ----------
    file
        The file.
    name
        What its ids begin with; no other figure of the page may have the same.
    label
        What the figure shows, in words, for who cannot see it.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> text = inline_svg(draw_svg(plt.subplots()[1]), "H1", "an empty frame")
    >>> text[:5], 'role="img"' in text, "style=" in text
    ('<svg ', True, False)
    """
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, huge_tree=True)
    root = etree.fromstring(file, parser)
    if root.tag != f"{SVG}svg":
        raise LogError("is not a figure in SVG", file=name)
    _clean(root, name)
    root.set("role", "img")
    root.set("aria-label", line(label, 5000))
    root.set("stroke-linejoin", "round")
    root.set("stroke-linecap", "butt")
    etree.cleanup_namespaces(root, top_nsmap={None: SVG[1:-1]})
    return str(etree.tostring(root, encoding="unicode"))


def _clean(element: Any, name: str) -> None:
    for child in list(element):
        tag = child.tag.removeprefix(SVG) if isinstance(child.tag, str) else ""
        if tag not in ELEMENTS:
            element.remove(child)
        else:
            _clean(child, name)
    attributes = {key.removeprefix(XLINK): value for key, value in element.attrib.items()}
    element.attrib.clear()
    for key, value in {**attributes, **_properties(attributes.pop("style", ""))}.items():
        if key == "id":
            element.set("id", f"{name}-{value}")
        elif key == "href" and value.startswith("#"):
            element.set("href", f"#{name}-{value[1:]}")
        elif key in ATTRIBUTES and (key != "href" or value.startswith(PICTURE)):
            element.set(key, REFERENCE.sub(rf"url(#{name}-\1)", value))


def _properties(style: str) -> dict[str, str]:
    """Return the properties of a ``style`` as attributes; ``font`` is taken apart."""
    properties: dict[str, str] = {}
    for part in style.split(";"):
        key, _, value = (text.strip() for text in part.partition(":"))
        if key == "font" and (font := SHORTHAND.fullmatch(value)):
            properties |= {"font-size": font["size"], "font-family": FONT}
            properties |= {f"font-{name}": font[name] for name in ("style", "weight") if font[name]}
        elif key == "font-family":
            properties["font-family"] = FONT
        elif key == "font-size":
            properties["font-size"] = value.removesuffix("px")
        elif key in ATTRIBUTES:
            properties[key] = value
    return properties


ENDINGS = (".svg", ".pdf", ".png", ".csv")


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure that was written: the name of its files, its title, its note, what it shows in words, itself as SVG."""

    name: str
    title: str
    note: str
    label: str
    svg: str


def figures_of(
    report: Report | Answer, answer: Answer, folder: Path, endings: Sequence[str] = ENDINGS
) -> tuple[list[Shown], list[str]]:
    """Draw the figures of a question, write each as SVG, PDF, PNG and CSV, and return them, and why others are not.

    Parameters
    ----------
    report
        The report, for labels and the level of intervals.
    answer
        The question with its values.
    folder
        Where the files go.
    endings
        Which files are written.
    """
    figures, problems = [], []
    for ending, title, draw in find_drawings(report, answer):
        cells = "" if ending else _describe_cells(answer, report)
        name = f"{answer.id}{ending}"
        shown, notes = write_figure(folder, name, title, draw, description=cells, endings=endings)
        figures += [shown] if shown else []
        problems += notes
    return figures, problems


def write_figure(
    folder: Path, name: str, title: str, draw: Drawing, *, description: str = "", endings: Sequence[str] = ENDINGS
) -> tuple[Shown | None, list[str]]:
    """Draw a figure and write it as SVG, PDF, PNG and CSV; return it, and what must be said of it.

    Parameters
    ----------
    folder, name
        Where its files go, and their name without the ending.
    title
        What it shows, in title case; the caption of the drawing is its note.
    draw
        Returns the axes of a new figure and its numbers.
    description
        Its numbers in words, for those who do not see it.
    endings
        Which files are written.
    """
    import matplotlib.pyplot as plt

    open_figures = set(plt.get_fignums())
    try:
        with warnings.catch_warnings(record=True) as caught_warnings:
            warnings.simplefilter("always")
            with captions_apart():
                axes, table = draw()
            note = plots.take_caption(axes)
            lay_out(axes)
            for suffix in [ending for ending in (".pdf", ".png") if ending in endings]:
                plots.save_figure(axes, folder / f"{name}{suffix}")
            svg_file = draw_svg(axes)  # drawn once, for the folder and for the page
            (folder / f"{name}.svg").write_bytes(svg_file)
            label = " ".join(part for part in (f"{title}.", note, description) if part)
            svg = inline_svg(svg_file, name, label)
        if ".csv" in endings:
            to_csv(table, folder / f"{name}.csv")
    except NegstatsError as error:
        return None, [f"Figure for {name} was not drawn: {line(error, 300)}."]
    finally:
        for number in set(plt.get_fignums()) - open_figures:
            plt.close(number)
    return Shown(name, title, note, label, svg), [f"{name}: {note}" for note in _noted(caught_warnings)]


def _noted(caught_warnings: Sequence[warnings.WarningMessage]) -> list[str]:
    """Return what must be said of a figure that was drawn with warnings, each once."""
    notes = []
    for caught_warning in caught_warnings:
        text = str(caught_warning.message)
        notes.append(
            "the figure's font lacks some letters of its labels." if text.startswith("Glyph") else f"{line(text, 300)}."
        )
    return list(dict.fromkeys(notes))


def find_drawings(report: Report | Answer, answer: Answer) -> Iterator[tuple[str, str, Drawing]]:
    """Yield each figure of a question: the ending of its name, its caption, and what draws it."""
    if answer.figure is None or not (len(answer.values) or answer.figure in OF_CELLS):
        return
    view = View(report, answer)
    kind: str = "lines" if answer.figure == "points" and view.inner_names else answer.figure
    if answer.figure == "points" and view.names and len(answer.question.with_) == 1:
        kind = "scatter"  # the relation with the number, in each group
    elif kind == "points":
        kind = "paths" if view.of_partners else "ranking" if view.of_agents else kind
    is_of_cells = answer.figure in OF_CELLS and not (answer.figure == "bars" and view.of_number)
    numbers = [] if is_of_cells else [view.number_name(name) for name in answer.question.with_]
    names = [*numbers, *(line(name, NAME) for name in view.names)]
    by = f" by {listed([prose('{name}', name=name) for name in names])}" if names else ""
    simulated = " in Simulated Games" if view.participation == "simulated" else ""
    title = title_case(f"{view.title}{by}".replace("_", " ")) + simulated
    yield "", title, lambda: DRAWN[kind](view)
    test = view.answering
    bounds = _bounds(answer)
    if bounds is not None and test is not None and test.get("estimate"):
        difference = test["estimate"]
        yield (
            ".difference",
            "Difference With Its Interval and the Planned Bounds",
            lambda: bounded(view, difference, bounds),
        )


OF_CELLS = ("cells", "bars", "answers")  # what is drawn of cells, not of values


def _bounds(answer: Answer) -> tuple[float, float] | None:
    bounds = answer.question.equivalent
    if bounds is None or isinstance(bounds, Mapping):
        return None
    return (-bounds, bounds) if isinstance(bounds, (int, float)) else (bounds[0], bounds[1])


def _describe_cells(answer: Answer, report: Report | Answer) -> str:
    """Say the numbers of a figure in words: each cell, and the estimate."""
    cell_texts = []
    for cell in (answer.entry.get("cells") or ())[:24]:
        levels = ", ".join(level_text(report.plan, name, level) for name, level in cell["levels"].items()) or "all"
        name = "mean" if "mean" in cell else "share"
        if cell.get(name) is not None:
            cell_estimate = {
                "value": cell[name],
                "low": cell.get("low"),
                "high": cell.get("high"),
                "level": report.plan.confidence_level,
            }
            cell_texts.append(f"{levels} (n = {cell['n']}): {estimate(cell_estimate, name)}")
    return "; ".join(cell_texts)
