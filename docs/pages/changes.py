"""The changelog of the source as a page of the site."""

from __future__ import annotations

from pathlib import Path


def page() -> str:
    """Return the changelog with its links led from the source's root to the site's pages."""
    text = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    return text.replace("](docs/", "](")
