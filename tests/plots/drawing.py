"""What tests of figures ask of an Axes: the numbers that its artists hold, and whether its texts fit."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from negstats.plots.style import figure_of


def bars(ax: Axes) -> list[list[float]]:
    """Mean, low and high of every error bar, as drawn; line by line."""
    drawn = []
    for container in ax.containers:
        if isinstance(container, ErrorbarContainer):
            line, _, barred = container
            means = np.asarray(line.get_ydata(), dtype=float) if line is not None else None
            for i, segment in enumerate(barred[0].get_segments() if barred else []):
                ends = np.asarray(segment)[:, 1]
                drawn.append([*([] if means is None else [float(means[i])]), float(ends[0]), float(ends[1])])
    return drawn


def key_of(ax: Axes) -> list[str]:
    """The texts of the key, from its top."""
    legend = ax.get_legend()
    assert legend is not None
    return [text.get_text() for text in legend.get_texts()]


def texts(ax: Axes) -> list[tuple[str, Bbox]]:
    """Every text that is drawn on the whole figure, with its box in pixels."""
    figure = figure_of(ax)
    figure.draw_without_rendering()
    beyond: set[Text] = set()
    for one in figure.axes:
        for axis in (one.xaxis, one.yaxis):
            low, high = sorted(axis.get_view_interval())
            slack = 1e-9 * (high - low)
            for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
                if not low - slack <= tick.get_loc() <= high + slack:
                    beyond |= {tick.label1, tick.label2}
    drawn = [text for text in figure.findobj(Text) if isinstance(text, Text) and text not in beyond]
    return [(t.get_text(), t.get_window_extent()) for t in drawn if t.get_visible() and t.get_text().strip()]


def clashes(ax: Axes) -> list[str]:
    """Texts that lie over each other or stand out of the figure."""
    found = []
    whole = figure_of(ax).bbox
    boxes = texts(ax)
    for name, box in boxes:
        if box.x0 < whole.x0 - 1 or box.y0 < whole.y0 - 1 or box.x1 > whole.x1 + 1 or box.y1 > whole.y1 + 1:
            found.append(f"{name!r} stands out of the figure")
    for (name, box), (other, there) in combinations(boxes, 2):
        wide = min(box.x1, there.x1) - max(box.x0, there.x0)
        high = min(box.y1, there.y1) - max(box.y0, there.y0)
        if wide > 1 and high > 1:
            found.append(f"{name!r} lies over {other!r}")
    return found


def smallest(ax: Axes) -> float:
    """Size in points of the smallest text of the whole figure."""
    drawn = [text for text in figure_of(ax).findobj(Text) if isinstance(text, Text)]
    return min(float(text.get_fontsize()) for text in drawn if text.get_visible() and text.get_text().strip())


def lightness(colour: str) -> float:
    """CIE L* of a colour in sRGB."""
    parts = np.array([int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)])
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    y = float(linear @ [0.2126, 0.7152, 0.0722])
    return 116 * y ** (1 / 3) - 16 if y > 0.008856 else 903.3 * y
