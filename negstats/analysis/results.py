"""``results.json``: its schema, which is part of the package."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any


def schema() -> dict[str, Any]:
    """Return the JSON Schema of ``results.json``.

    Examples
    --------
    >>> schema()["title"]
    'negstats.results/1'
    """
    text = resources.files("negstats.analysis").joinpath("results.schema.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content
