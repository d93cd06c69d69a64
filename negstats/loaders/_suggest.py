"""x."""

from pathlib import Path


def advice(source: Path) -> str:
    """X."""
    return ""


def suggest(source: Path) -> str:
    """X."""
    return ""
