"""Files of the source's root as pages of the site: the changelog, and how to contribute."""

from __future__ import annotations

from pathlib import Path


def page(name: str = "CHANGELOG.md") -> str:
    """Return a file with its links led from the source's root to the site's pages."""
    text = (Path(__file__).resolve().parents[2] / name).read_text(encoding="utf-8")
    return text.replace("](docs/", "](")
