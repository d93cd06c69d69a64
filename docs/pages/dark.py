"""A dark twin for each picture of the site, with light and dark exchanged; it is shown where the theme is dark."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

PICTURE = re.compile(r'<img\b(?![^>]*as-drawn)[^>]*?\bsrc="[^"]*?_images/[^"]+?(?<!_grey)\.png"[^>]*>')
BACKGROUND = np.array([20, 24, 30], dtype=np.float32) / 255  # of the theme, where it is dark


def dark(picture: np.ndarray) -> np.ndarray:
    """Return a picture (rows, columns, 3 or 4) with its lightness inverted and its hues unchanged.

    Examples
    --------
    >>> dark(np.array([[[0.0, 0.0, 0.0, 1.0]]])).round(3).tolist()
    [[[1.0, 1.0, 1.0, 1.0]]]
    >>> dark(np.array([[[1.0, 1.0, 1.0, 1.0]]])).round(3).tolist()
    [[[0.078, 0.094, 0.118, 1.0]]]
    """
    red, green, blue = np.moveaxis(picture[..., :3], -1, 0)  # columns by name: an axis of three is slow to search
    lightest, darkest = np.maximum(np.maximum(red, green), blue), np.minimum(np.minimum(red, green), blue)
    turned = picture[..., :3] + (1 - lightest - darkest)[..., np.newaxis]
    return np.concatenate([BACKGROUND + (1 - BACKGROUND) * turned, picture[..., 3:]], axis=-1)


def add_twins(body: str) -> str:
    """Return a page in which each picture stands twice, once for each theme.

    A picture in grey is for print and stays, as does one of the class ``as-drawn``.

    Examples
    --------
    >>> add_twins('<img alt="A" src="_images/a.png" />')
    '<img class="only-light" alt="A" src="_images/a.png" /><img class="only-dark" alt="A" src="_images/a_dark.png" />'
    """
    return PICTURE.sub(lambda tag: _named(tag[0], "only-light") + _named(_to_twin(tag[0]), "only-dark"), body)


def _to_twin(tag: str) -> str:
    return tag.replace('.png"', '_dark.png"')


def _named(tag: str, name: str) -> str:
    if 'class="' in tag:
        return tag.replace('class="', f'class="{name} ', 1)
    return tag.replace("<img", f'<img class="{name}"', 1)


def write_twins(folder: Path) -> None:
    """Write the twin of each picture of a folder that is newer than its twin."""
    import matplotlib.pyplot as plt

    for picture in sorted(folder.glob("*.png")):
        twin = picture.with_name(f"{picture.stem}_dark.png")
        is_other = picture.stem.endswith(("_grey", "_dark"))
        if not is_other and not (twin.is_file() and twin.stat().st_mtime >= picture.stat().st_mtime):
            image = plt.imread(picture)
            image = np.repeat(image[..., None], 3, axis=-1) if image.ndim == 2 else image
            plt.imsave(twin, np.clip(dark(image), 0, 1))
