"""Matplotlib for a command, imported without the documentation that it writes for itself."""

from __future__ import annotations

import importlib
import sys
from typing import Any


def import_matplotlib() -> None:
    """Import matplotlib where nobody has, and let its classes go without their lists of properties.

    At import it writes a list of settings into the documentation of each class, which takes a third of the time and
    which nobody reads in a command. Where matplotlib does this in another way, it is left to do so.
    """
    if "matplotlib.artist" in sys.modules:
        return
    import matplotlib.artist as module

    artist: Any = module
    original = artist.kwdoc, artist.Artist.__dict__.get("_update_set_signature_and_docstring")
    if original[1] is not None:
        artist.kwdoc = lambda _: ""
        artist.Artist._update_set_signature_and_docstring = classmethod(lambda _: None)
    try:
        importlib.import_module("matplotlib.pyplot")  # what all figures import
    finally:
        if original[1] is not None:
            artist.kwdoc, artist.Artist._update_set_signature_and_docstring = original
