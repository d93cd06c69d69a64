"""Equilibria, regrets and replicator paths of drawn games by nashpy 0.0.43, which enumerates vertices, not supports.

``python -m tests.reference.normal_form_games``, where nashpy is installed, wrote normal_form.json.
"""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

SHAPES = [(2, 2), (2, 3), (3, 3), (3, 3), (3, 4), (4, 4), (4, 4), (5, 5)]


def compute_case(first: Any, second: Any) -> dict[str, Any]:
    """Return a game, its equilibria, what each row falls short against even shares, and a path of its first table."""
    game = import_module("nashpy").Game(first, second)
    rows, columns = first.shape
    even = np.full(columns, 1 / columns)
    values = [float(game[row, even][0]) for row in np.eye(rows)]
    case = {
        "first": first.tolist(),
        "second": second.tolist(),
        "equilibria": [[x.tolist(), y.tolist()] for x, y in game.vertex_enumeration()],
        "regret": [max(values) - value for value in values],
    }
    if rows == columns:
        path = import_module("nashpy").Game(first).replicator_dynamics(y0=even, timepoints=np.linspace(0, 0.5, 1001))
        case["path"] = path[::250].tolist()
    return case


if __name__ == "__main__":
    rng = np.random.default_rng(28)
    games = [(rng.random(shape).round(3) * 10, rng.random(shape).round(3) * 10) for shape in SHAPES]
    text = json.dumps([compute_case(*game) for game in games], separators=(",", ":"))
    Path(__file__).with_name("normal_form.json").write_text(text + "\n", encoding="utf-8")
