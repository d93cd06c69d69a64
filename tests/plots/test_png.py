"""PNG files: the pixels that were drawn, at the resolution that was named, in a file about as large as a library's."""

import io
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from PIL import Image

from negstats import plots
from negstats.plots._png import encode_png

PICTURES = arrays(np.uint8, st.tuples(st.integers(1, 9), st.integers(1, 9), st.just(4)))


@given(PICTURES)
def test_a_library_reads_the_same_pixels(pixels: NDArray[np.uint8]) -> None:
    image = Image.open(io.BytesIO(encode_png(pixels, 300)))
    np.testing.assert_array_equal(np.asarray(image.convert("RGBA")), pixels)


def test_alpha_is_left_out_where_nothing_is_transparent() -> None:
    opaque = np.full((3, 2, 4), 255, np.uint8)
    glass = opaque.copy()
    glass[1, 1, 3] = 0
    assert [Image.open(io.BytesIO(encode_png(one, 72))).mode for one in (opaque, glass)] == ["RGB", "RGBA"]


def test_a_figure_is_what_matplotlib_writes_in_a_file_of_about_the_same_size(tmp_path: Path) -> None:
    figure, ax = plt.subplots(figsize=(3.347, 2.7))
    ax.plot([0, 1, 3], label="points")
    ax.legend()
    ours = plots.save_figure(ax, tmp_path / "ours.png")
    figure.savefig(tmp_path / "theirs.png", dpi=300)
    images = [Image.open(tmp_path / f"{name}.png") for name in ("ours", "theirs")]
    first, second = (np.asarray(image.convert("RGBA")) for image in images)
    np.testing.assert_array_equal(first, second)
    assert images[0].info["dpi"] == images[1].info["dpi"]
    assert ours.stat().st_size < 1.2 * (tmp_path / "theirs.png").stat().st_size
