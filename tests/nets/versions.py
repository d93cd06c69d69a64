"""Versions of Python and of libraries in a text, which differ from one computer to the next."""

from __future__ import annotations

import re

VERSION = re.compile(r'\b(negstats|python|numpy|scipy|pandas|version)("?: "|~| )\d+(?:\.\w+)+', re.IGNORECASE)


def without_versions(text: str) -> str:
    """Return a text with the versions that computed it left out.

    Examples
    --------
    >>> without_versions('Python 3.11.7, "numpy": "2.4.6", (Version~1.0.0), chapter 3.1')
    'Python VERSION, "numpy": "VERSION", (Version~VERSION), chapter 3.1'
    """
    return VERSION.sub(r"\1\2VERSION", text)
