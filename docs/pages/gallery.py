"""How the gallery keeps a figure: in colour, and in grey as a printer has it, made from the same picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parents[1]
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])  # of sRGB's primaries (ITU-R BT.709)


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
        plt.figure(number).savefig(path, bbox_inches="tight")
        beside = path.with_name(f"{path.stem}_grey.png")
        plt.imsave(beside, grey(plt.imread(path)))
        words = " ".join(plt.figure(number).axes[0].get_title(loc="left").split()) or title
        for shown, how in ((path, "in colour"), (beside, "in grey")):
            place = "/" + shown.resolve().relative_to(HERE).as_posix()
            text += f".. image:: {place}\n   :alt: {words} ({how})\n   :class: sphx-glr-single-img\n\n"
    plt.close("all")
    return text


OPTIONS: dict[str, Any] = {
    "examples_dirs": str(HERE / "examples"),
    "gallery_dirs": str(HERE / "gallery"),
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
}
