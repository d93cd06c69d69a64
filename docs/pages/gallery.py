"""How the gallery keeps a figure: in colour, in grey as a printer has it, and small, for the page of all figures.

Every picture of the site is turned dark by `docs.pages.dark`, but for heat maps, whose colours have a meaning: here
they are drawn a second time with light letters around the map.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.collections import QuadMesh
from matplotlib.figure import Figure
from matplotlib.text import Text

from docs.pages.dark import BACKGROUND

HERE = Path(__file__).resolve().parents[1]
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])  # of sRGB's primaries (ITU-R BT.709)
LIGHT = "#ced6dd"  # letters on the theme's dark page
SMALL = (3.2, 2.13)  # inches of a figure on the page of all
LONG_NAMES = 40  # letters of the names along an axis from which they are written small


def grey(picture: np.ndarray) -> np.ndarray:
    """Return a picture (rows, columns, 3 or 4) with the luminance of each point instead of its colour.

    Examples
    --------
    >>> grey(np.array([[[1.0, 0.0, 0.0, 1.0]]])).round(4).tolist()
    [[[0.2126, 0.2126, 0.2126, 1.0]]]
    """
    light = picture[..., :3] @ LUMINANCE
    return np.concatenate([np.repeat(light[..., None], 3, axis=-1), picture[..., 3:]], axis=-1)


def in_both(block: Any, variables: dict[str, Any], options: dict[str, Any]) -> str:
    """Save the figures of a block of code and return what shows each twice (a scraper of sphinx-gallery)."""
    import matplotlib.pyplot as plt

    del options
    title = block[1].strip().splitlines()[-1]
    text = ""
    for number in plt.get_fignums():
        path = Path(next(variables["image_path_iterator"]))
        figure = plt.figure(number)
        words = " ".join(figure.axes[0].get_title(loc="left").split()) or title
        _save(figure, path, bbox_inches="tight")
        grey_path = path.with_name(f"{path.stem}_grey.png")
        plt.imsave(grey_path, grey(plt.imread(path)))
        for shown, how in ((path, "in colour"), (grey_path, "in grey")):
            place = "/" + shown.resolve().relative_to(HERE).as_posix()
            text += f".. image:: {place}\n   :alt: {words} ({how})\n   :class: sphx-glr-single-img\n\n"
        if number == plt.get_fignums()[0]:
            _reduce(figure)
            _save(figure, path.with_name(path.stem.removesuffix("_001") + "_thumb.png"), dpi=220)
    plt.close("all")
    return text


def _save(figure: Figure, path: Path, **options: Any) -> None:
    """Save a figure, and a heat map once more with light letters around it, for a dark page."""
    figure.savefig(path, **options)
    if has_heat_map(figure):
        colours = [(text, text.get_color()) for text in figure.findobj(Text)]
        _lighten_letters(figure)
        figure.savefig(path.with_name(f"{path.stem}_dark.png"), facecolor=tuple(BACKGROUND), **options)
        for text, colour in colours:
            text.set_color(colour)


def has_heat_map(figure: Figure) -> bool:
    """Return whether a figure has squares whose colours are numbers."""
    return any(isinstance(mark, QuadMesh) for axes in figure.axes for mark in axes.collections)


def _lighten_letters(figure: Figure) -> None:
    inside = {text for axes in figure.axes for text in axes.texts}  # on the squares, whose colours stay
    for text in figure.findobj(Text):
        if text not in inside:
            text.set_color(LIGHT)


def _reduce(figure: Figure) -> None:
    """Take away what cannot be read on a small picture: captions, keys, colour bars and numbers of units."""
    for axes in list(figure.axes):
        if axes.get_label() == "<colorbar>":
            axes.remove()
            continue
        for place in ("left", "center", "right"):
            axes.set_title("", loc=place)
        if legend := axes.get_legend():
            legend.remove()
        for axis in (axes.xaxis, axes.yaxis):
            labels = [label.get_text() for label in axis.get_ticklabels()]
            names = [label.partition("\n")[0] for label in labels]
            if any(label.strip("−.0123456789") for label in labels):
                axis.set_ticks(axis.get_ticklocs(), labels=names)
            if len("".join(names)) > LONG_NAMES:
                axis.set_tick_params(labelsize="xx-small")
            axis.label.set_text(axis.label.get_text().partition("\n")[0].partition(" (")[0])
    for legend in list(figure.legends):
        legend.remove()
    figure.suptitle("")
    figure.set_size_inches(SMALL)


def write_small_pictures() -> None:
    """Put the small picture of each figure where sphinx-gallery has made one from the large one."""
    for picture in (HERE / "gallery").rglob("images/*_thumb.png"):
        shutil.copy(picture, picture.parent / "thumb" / picture.name)


def copy_dark_pictures(folder: Path) -> None:
    """Copy the pictures that were drawn for a dark page into the folder of the site's pictures."""
    for picture in (HERE / "gallery").rglob("images/*_dark.png"):
        shutil.copy(picture, folder / picture.name)


OPTIONS: dict[str, Any] = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "subsection_order": [
        f"examples/{group}" for group in ("compare", "relate", "time", "decisions", "outcomes", "agents", "talk")
    ],
    "filename_pattern": "plot_",
    "image_scrapers": ("docs.pages.gallery.in_both",),
    "reset_modules": (),
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "min_reported_time": 1e9,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "only_warn_on_example_error": False,
    "within_subsection_order": "FileNameSortKey",
    "notebook_extensions": set(),
    "plot_gallery": True,
    "thumbnail_size": (704, 469),
}
