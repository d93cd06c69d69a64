"""What all figures share: their sizes in print, captions, and saving; colours and marks are in `negstats.plots.look`.

New figures are drawn at the size of print: one column (85 mm) or two (175 mm) wide, letters of 7.5 points, seaborn's
look "ticks". After a theme of the user's own (``seaborn.set_theme(...)``, ``matplotlib.style.use(...)``) they have its
look and its palette, with letters of print. A figure is saved whole or not at all, and the same figure gives the same
bytes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from pathlib import Path
from typing import Any, cast
from weakref import WeakKeyDictionary, WeakSet

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.category import StrCategoryFormatter
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure, SubFigure
from matplotlib.font_manager import FontProperties
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.ticker import FixedFormatter, FuncFormatter

from negstats.errors import DesignError, UsageError
from negstats.files import written_whole
from negstats.plots.look import despine, printed
from negstats.sanitize import label, line

ONE, TWO = 85 / 25.4, 175 / 25.4  # inches: one and two columns of a journal
TALLEST = 110 / 25.4  # inches of a row of panels
CURVES = 5  # more curves, with their bands, are not told apart in grey: each has a panel of its own
FORMATS = (".pdf", ".png", ".svg")
NO_DATE: dict[str, dict[str, Any]] = {
    ".pdf": {"CreationDate": None, "Creator": "negstats", "Producer": None},
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": "negstats"},
}
# Fonts as outlines (SVG) or embedded as TrueType (PDF), which is what publishers take; ids of SVG from a fixed salt.
SAVING: Any = {"svg.hashsalt": "negstats", "svg.fonttype": "path", "pdf.fonttype": 42}
_KEY = 34.0  # area of a mark in the legend, in square points
_WIDEST = 26  # letters on a line of a label
_WIDEST_KEY = 34  # letters on a line of a legend
_COLUMNS = 3  # panels beside each other
_POINTS = 72.0  # in an inch
_CAPTIONS: WeakKeyDictionary[Axes, str] = WeakKeyDictionary()  # as sentences, unbroken
# Of figures whose caption stands below them: its text, the lines as they were written, and their room in inches.
_CAPTIONS_BELOW: WeakKeyDictionary[Figure, tuple[str, Text, float]] = WeakKeyDictionary()
_DRAWN_CAPTIONS: WeakSet[Axes] = WeakSet()  # axes on which the caption was written
_is_apart = ContextVar("_is_apart", default=False)  # whether captions stand below the figures, in the text


def letters(ax: Axes) -> float:
    """Return the size of small text on `ax` in points: that of its tick labels.

    On a new figure this is the size of print, also under a theme, for the figure has that size; axes that a user made
    have the sizes of the user's settings.
    """
    return float(ax.xaxis.get_offset_text().get_fontsize())


def axes_for(ax: Axes | None, *, width: float = ONE, height: float = 2.7) -> Axes:
    """Return `ax`, or the axes of a new figure of `width` × `height` inches; the width is `ONE` column or `TWO`."""
    if ax is not None:
        return ax
    return new_panels(1, width, height)[0]


def new_panels(count: int, width: float, height: float, *, columns: int | None = None, **options: Any) -> list[Axes]:
    """Return so many axes on a new figure at the size of print, in our look or the user's; `columns` of them a row."""
    # Loads the backend: what that sets for notebooks, the context would take back.
    plt.draw_if_interactive()  # type: ignore[no-untyped-call]
    with printed():
        look: Any = {"figsize": (width, height), "layout": "constrained", "squeeze": False, **options}
        across = min(count, columns or count)
        _, axes = plt.subplots(nrows=-(-count // across), ncols=across, **look)
        interactive = mpl.is_interactive()
    # A notebook's backend loads with the first figure and switches this on; restored, it would hide those after it.
    mpl.interactive(interactive)
    for empty in axes.ravel()[count:]:
        empty.remove()
    return list(axes.ravel()[:count])


def quiet(ax: Axes) -> None:
    """Take away what carries no information: the upper and right spines, the ticks of a list of names."""
    despine(ax)
    ax.tick_params(axis="x", length=0)


def bare(ax: Axes) -> None:
    """Take away all spines and ticks, of a figure whose places mean nothing."""
    ax.set_xticks([])
    ax.set_yticks([])
    ax.spines[:].set_visible(False)


def plain_texts(ax: Axes) -> None:
    """Show names on the axes as they are: what a user's data call something is not mathematics and no control code."""
    legend, own = ax.get_legend(), cast("Any", ax)
    titles = [ax.title, own._left_title, own._right_title]  # matplotlib gives only the middle one a public name
    for words in [*titles, ax.xaxis.label, ax.yaxis.label, *ax.texts, *(legend.get_texts() if legend else [])]:
        _plainly(words)
    for axis in (ax.xaxis, ax.yaxis):
        names: Any = axis.get_major_formatter()
        if isinstance(names, (FixedFormatter, FuncFormatter, StrCategoryFormatter)):  # names, not numbers
            places = list(axis.get_ticklocs())
            tick_texts = names.format_ticks(places)
            tick_labels = [label(name) for name in tick_texts]
            if tick_labels != tick_texts:
                axis.set_ticks(places, labels=tick_labels)


def _plainly(words: Text) -> None:
    plain_text = label(words.get_text())
    if plain_text != words.get_text():
        words.set_text(plain_text)


def captioned(ax: Axes, *lines: str, across: bool = False) -> None:
    """Write the caption over the axes, each line broken where its part of the figure ends; empty lines are left out.

    Parameters
    ----------
    ax
        Axes; if they share a figure with others, each has its part of the width.
    lines
        What the figure shows, and what its bars are; parts that fit beside each other share a line.
    across
        The caption is of all panels of the figure, and `ax` is the first.
    """
    figure = figure_of(ax)
    plain_texts(ax)
    _break_axis_names(ax)
    parts = [line(whole) for text in lines for whole in text.split("\n") if whole.strip()]
    _CAPTIONS[ax] = ". ".join(part.removesuffix(".") for part in parts)
    if _is_apart.get():
        return
    _DRAWN_CAPTIONS.add(ax)
    axis_box = ax.yaxis.get_tightbbox()  # names and numbers of the axis push the axes to the right
    left_margin = 0.0 if axis_box is None else max(0.0, ax.get_window_extent().x0 - axis_box.x0) / figure.dpi
    place = ax.get_subplotspec()
    share = 1.0 if place is None or across else place.get_position(figure).width / _grid_width(figure)
    room = 0.96 * (figure.get_figwidth() * share - left_margin - 0.1)  # glyphs are set a little wider
    font = FontProperties(size=letters(ax))
    wrapped = [part for whole in parts for part in _to_lines(whole, room, font)]
    ax.set_title(label("\n".join(_join_lines(wrapped, room, font))), fontsize=letters(ax), loc="left")


@contextmanager
def captions_apart() -> Iterator[None]:
    """Draw figures whose captions are for the text below: kept for `take_caption`, and not set in the picture."""
    token = _is_apart.set(True)
    try:
        yield
    finally:
        _is_apart.reset(token)


def _break_axis_names(ax: Axes) -> None:
    """Break the names of the axes where they are longer than the panel's part of the figure."""
    figure, place = figure_of(ax), ax.get_subplotspec()
    columns, rows = (1, 1) if place is None else (place.get_gridspec().ncols, place.get_gridspec().nrows)
    width, height = figure.get_size_inches()
    for name, room in ((ax.xaxis.label, width / columns), (ax.yaxis.label, height / rows)):
        font = FontProperties(size=name.get_fontsize())
        if any(_inches(part, font) > 0.9 * room for part in name.get_text().split("\n")):
            name.set_text("\n".join(_to_lines(" ".join(name.get_text().split()), 0.9 * room, font)))


def caption_panels(axes: Sequence[Axes], *lines: str) -> None:
    """Write the caption of several panels over all of them, above the panels' own titles."""
    figure, first = figure_of(axes[0]), axes[0]
    parts = [line(part) for part in lines if part.strip()]
    figure.suptitle(label(". ".join(parts)), x=0.01, ha="left", fontsize=letters(first))
    _CAPTIONS[first] = ". ".join(part.removesuffix(".") for part in parts)


def _grid_width(figure: Figure) -> float:
    return float(figure.subplotpars.right - figure.subplotpars.left)


def take_caption(ax: Axes) -> str:
    """Remove the caption of a figure from the picture and return it, for the text below the figure.

    Parameters
    ----------
    ax
        Axes of the figure; the captions of its panels are joined.

    Returns
    -------
    str
        The text; empty if the figure has no caption.

    Examples
    --------
    >>> from negstats.plots import residual_quantiles, take_caption
    >>> ax = residual_quantiles([-1.0, 0.2, 0.1, 0.7], label="residual (points)")
    >>> take_caption(ax)
    'n = 4; at each place the band holds 95% of normal samples.'
    >>> ax.get_title(loc="left")
    ''
    """
    figure = figure_of(ax)
    if figure in _CAPTIONS_BELOW:
        caption, written, room = _CAPTIONS_BELOW.pop(figure)
        written.remove()
        _add_room_below(figure, -room)
        return caption
    captions = []
    for axes in figure.axes:
        if _CAPTIONS.get(axes):
            captions.append(_CAPTIONS.pop(axes))
            if axes in _DRAWN_CAPTIONS:  # else the title is the name of a panel
                axes.set_title("", loc="left")
            if (over_panels := figure.get_suptitle()) and line(over_panels):
                figure.suptitle("", in_layout=False)
    return "".join(f"{text}. " for text in dict.fromkeys(captions)).rstrip()


def caption_below(ax: Axes) -> None:
    """Write the caption of a figure, which was drawn with `captions_apart`, below it, and make it higher by as much.

    Parameters
    ----------
    ax
        Axes of the figure.
    """
    figure, size = figure_of(ax), letters(ax)
    caption = take_caption(ax)
    lines = list(_to_lines(caption, 0.96 * figure.get_figwidth(), FontProperties(size=size)))
    lay_out(ax)
    room = (1.4 * len(lines) + 1) * size / _POINTS
    _add_room_below(figure, room)
    bottom = 0.5 * size / _POINTS / figure.get_figheight()
    written = figure.text(0.01, bottom, "\n".join(lines), fontsize=size)
    _CAPTIONS_BELOW[figure] = (caption, written, room)


def _add_room_below(figure: Figure, room: float) -> None:
    """Make a figure higher by so many inches below all that is drawn, or lower where these are negative."""
    height = figure.get_figheight()
    whole = height + room
    figure.set_figheight(whole)
    for axes in figure.axes:
        left, bottom, across, up = axes.get_position().bounds
        axes.set_position((left, (bottom * height + room) / whole, across, up * height / whole))
    below = max(room, 0.0)
    for legend in figure.legends:
        legend.set_bbox_to_anchor((0, below / whole, 1, (whole - below) / whole), transform=figure.transFigure)


def _inches(words: str, font: FontProperties) -> float:
    """Return the width of words by the font's own advances; outlines would say the same in a hundred times as long."""
    if not words.strip():
        return 0.0
    width, _, _ = text_to_path.get_text_width_height_descent(words, font, ismath=False)
    return float(width) / _POINTS


def _to_lines(line: str, room: float, font: FontProperties) -> Iterator[str]:
    """Yield the line in parts no wider than the room; a word that is wider is broken too."""
    current_line = ""
    for word in line.split():
        longer = f"{current_line} {word}".strip()
        if _inches(longer, font) <= room:
            current_line = longer
            continue
        if current_line:
            yield current_line
        while _inches(word, font) > room and len(word) > 1:
            fits = max((end for end in range(1, len(word)) if _inches(word[:end], font) <= room), default=1)
            yield word[:fits]
            word = word[fits:]
        current_line = word
    if current_line:
        yield current_line


def _join_lines(lines: list[str], room: float, font: FontProperties) -> list[str]:
    """Return two lines as one where both fit into it."""
    if len(lines) == 2 and _inches(". ".join(lines), font) <= room:
        return [". ".join(line.removesuffix(".") for line in lines)]
    return lines


def keyed(ax: Axes, title: str = "") -> None:
    """Put the legend to the right of the axes, where it covers nothing; none if nothing has a label.

    Long names are broken, so that the legend leaves the axes their room.
    """
    handles, names = ax.get_legend_handles_labels()
    if names:
        legend = ax.legend(
            handles,
            [wrapped(label(name), _WIDEST_KEY) for name in names],
            title=label(title) or None,
            frameon=False,
            fontsize=letters(ax),
            title_fontsize=letters(ax),
            alignment="left",
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            borderaxespad=0,
        )
        for handle in legend.legend_handles:
            if isinstance(handle, PathCollection):  # marks whose area says something have one size in the legend
                handle.set_sizes([_KEY])


def wrapped(name: str, widest: int = _WIDEST) -> str:
    r"""Return a name on as few lines as it needs, these as even as they can be; no word is cut.

    Examples
    --------
    >>> wrapped("some 4 year college, bachelor's degree")
    "some 4 year college,\nbachelor's degree"
    """
    rows = [textwrap.wrap(part, widest, break_long_words=False) for part in name.split("\n")]
    balanced_lines = []
    for part, lines in zip(name.split("\n"), rows, strict=True):
        width = next(
            width for width in range(1, widest + 1)
            if len(textwrap.wrap(part, width, break_long_words=False)) <= len(lines)
        ) if len(lines) > 1 else widest  # fmt: skip
        balanced_lines.append(textwrap.fill(part, width, break_long_words=False))
    return "\n".join(balanced_lines)


def finish(ax: Axes, labels: tuple[str, str], *lines: str, key: str | None = "") -> Axes:
    """Name the axes, hide the upper and right spines, write the caption, put the legend beside; return the axes.

    Parameters
    ----------
    ax
        The axes, drawn.
    labels
        What the axes show.
    *lines
        The caption, as `captioned` takes it.
    key
        Title of the legend; None for no legend.

    Returns
    -------
    Axes
        `ax`.
    """
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    despine(ax)
    captioned(ax, *lines)
    if key is not None:
        keyed(ax, key)
    return ax


def spaced(ax: Axes) -> None:
    """Break the names along the axis where they would lie over each other; upright where that is not enough."""
    plain_texts(ax)
    ticks = [tick for tick in ax.get_xticklabels() if tick.get_text()]
    widest = max((len(part) for tick in ticks for part in tick.get_text().split("\n")), default=0)
    names = [tick.get_text() for tick in ticks]
    named_places = [tick.get_position()[0] for tick in ticks]
    while _overlap(ticks) and widest > 4:
        widest -= 2
        ax.set_xticks(named_places, [wrapped(name, widest) for name in names])
        ticks = ax.get_xticklabels()
    if _overlap(ticks):
        ax.set_xticks(named_places, names, rotation=90)


_APART = 6  # pixels between two names along an axis, half a letter at least


def _overlap(ticks: Sequence[Text]) -> bool:
    boxes = sorted((tick.get_window_extent() for tick in ticks), key=lambda box: box.x0)
    return any(left_box.x1 + _APART > right_box.x0 for left_box, right_box in pairwise(boxes))


def check_table(table: pd.DataFrame, columns: Iterable[str], name: str) -> None:
    """Raise UsageError if a column is not there, DesignError if the table has no row."""
    lacking = [column for column in columns if column not in table.columns]
    if lacking:
        present_columns = ", ".join(map(repr, table.columns)) or "none"
        raise UsageError(f"{name}: there is no column {lacking[0]!r}; there are {present_columns}")
    if not len(table):
        raise DesignError(f"{name} has no rows; nothing can be drawn")


def _overhang(figure: Figure) -> tuple[float, float]:
    """Return by which part of a figure's width the names of ticks pass its left and right edge.

    The layout leaves room for the height of names below the axes, and none for the width of the first and the last.
    """
    left = right = 0.0
    for ax in figure.axes:
        low, high = sorted(ax.get_xlim())
        for place, name in zip(ax.get_xticks(), ax.get_xticklabels(), strict=True):
            if low <= place <= high and name.get_visible() and name.get_text():
                box = name.get_window_extent()
                left, right = max(left, -box.x0), max(right, box.x1 - figure.bbox.x1)
    return left / figure.bbox.width, right / figure.bbox.width


def lay_out(ax: Axes) -> None:
    """Find the places of a finished figure once, so that no file that is written of it looks for them again."""
    figure = figure_of(ax)
    on_screen = figure.dpi
    figure.set_dpi(300)  # letters of few pixels are rounded, and would be narrower than in print
    engine = figure.get_layout_engine()
    if engine is not None:
        engine.execute(figure)
    left, right = _overhang(figure)
    if isinstance(engine, ConstrainedLayoutEngine) and left + right > 0:
        engine.set(rect=(left, 0, 1 - left - right, 1))
        engine.execute(figure)
    # A figure with an engine, even one that does nothing, is drawn twice for each file.
    with mpl.rc_context({"figure.autolayout": False, "figure.constrained_layout.use": False}):
        figure.set_layout_engine(None)
    figure.set_dpi(on_screen)


def figure_of(ax: Axes) -> Figure:
    """Return the whole figure that `ax` stands on.

    Raises
    ------
    UsageError
        If it stands on none.
    """
    figure = ax.get_figure()
    while isinstance(figure, SubFigure):
        figure = figure.get_figure()
    if not isinstance(figure, Figure):
        raise UsageError("the axes belong to no figure")
    return figure


def save_figure(ax: Axes, path: str | Path, *, dpi: int = 300) -> Path:
    """Write the figure of `ax` as PNG, SVG or PDF, by the ending of `path`.

    The file carries no date and no random name: the same figure gives the same bytes.

    Parameters
    ----------
    ax
        Axes of the figure.
    path
        The file, with the ending .png, .svg or .pdf.
    dpi
        Dots per inch of a PNG.

    Returns
    -------
    Path
        The path of the file.

    Raises
    ------
    UsageError
        If the ending is none of these.
    """
    target = Path(path)
    ending = target.suffix.lower()
    if ending not in FORMATS:
        raise UsageError(f"figure {str(target)!r}: the ending must be one of {', '.join(FORMATS)}")
    figure = figure_of(ax)
    for axes in figure.axes:
        plain_texts(axes)
    for words in figure.texts:
        _plainly(words)
    with written_whole(target) as new_file, mpl.rc_context(SAVING):
        figure.savefig(new_file, dpi=dpi, metadata=NO_DATE[ending])
    return target


def group_panels(names: Sequence[str], *, x_label: str, y_label: str) -> list[Axes]:
    """Return a panel a group on a new figure, with the same scales; the names of the axes stand at the edges.

    For groups whose curves would overlap in one panel.
    """
    lines = -(-len(names) // _COLUMNS)
    axes = new_panels(len(names), TWO, 0.9 + 1.35 * lines, columns=_COLUMNS, sharex=True, sharey=True)
    for place, (ax, name) in enumerate(zip(axes, names, strict=True)):
        ax.set_title(wrapped(name), loc="center", fontsize=letters(ax))
        if place + _COLUMNS >= len(names):
            ax.set_xlabel(x_label)
            ax.tick_params(axis="x", labelbottom=True)
        despine(ax)
    figure_of(axes[0]).supylabel(label(y_label), fontsize=axes[0].yaxis.label.get_fontsize())
    return axes
