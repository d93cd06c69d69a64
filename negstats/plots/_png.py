"""A PNG file of a figure, packed in a third of the time that matplotlib's library takes, and about as large.

That library tries five filters on each line of the picture, which helps photographs. Figures have even colours, and do
without.
"""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

_EFFORT = 3  # of zlib's nine; more takes twice as long for a tenth of the size
_COLOURS, _COLOURS_AND_ALPHA = 2, 6  # kinds of pixels, in PNG's own numbers
_METRE = 0.0254  # inches


def png_file(figure: Figure, dpi: float) -> bytes:
    """Return a figure as the content of a PNG file, without a date or the name of a program."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="rgba", dpi=dpi)
    width = int(figure.get_figwidth() * dpi)
    return encode_png(np.frombuffer(buffer.getbuffer(), np.uint8).reshape(-1, width, 4), dpi)


def encode_png(pixels: NDArray[np.uint8], dpi: float) -> bytes:
    """Return pixels as the content of a PNG file.

    Parameters
    ----------
    pixels
        Rows of pixels of red, green, blue and alpha. Alpha is left out where nothing is transparent.
    dpi
        Pixels in an inch of print.
    """
    height, width, _ = pixels.shape
    is_opaque = bool((pixels[..., 3] == 255).all())
    samples = 3 if is_opaque else 4
    lines = np.zeros((height, 1 + width * samples), np.uint8)  # each begins with the number of its filter: none
    lines[:, 1:] = pixels[..., :samples].reshape(height, -1)
    kind = _COLOURS if is_opaque else _COLOURS_AND_ALPHA
    per_metre = int(dpi / _METRE + 0.5)
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        (
            _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)),
            _chunk(b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1)),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), _EFFORT)),
            _chunk(b"IEND", b""),
        )
    )


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
