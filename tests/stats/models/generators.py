"""Studies of decisions that repeat by person, drawn from a seed: the same numbers wherever they are drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd

__all__ = ["decisions", "two_within"]


def decisions(seed: int, people: int, offers: int = 20, sd: float = 1.5, effect: float = 0.0) -> pd.DataFrame:
    """Return accepted offers: logit .2 of them at x = .3; half of the people in each condition g."""
    draw = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), offers)
    x = draw.integers(0, 11, people * offers) / 10.0
    g = (who % 2).astype(float)
    b = draw.normal(0.0, sd, people)
    p = 1 / (1 + np.exp(-(-2.0 + 5.0 * x + effect * g + b[who])))
    y = (draw.random(people * offers) < p).astype(float)
    return pd.DataFrame({"y": y, "x": x, "g": g, "person": [f"p{one:03d}" for one in who]})


def two_within(seed: int, people: int, slope_sd: float, items: bool) -> pd.DataFrame:
    """Return decisions of people in both conditions h, whose effect differs by person; with items that differ too."""
    draw = np.random.default_rng(seed)
    who = np.repeat(np.arange(people), 20)
    x = draw.integers(0, 11, people * 20) / 10.0
    h = np.tile(np.arange(20) % 2, people) * 1.0
    b, t = draw.normal(0, 1.5, people), draw.normal(0, 1, people) * slope_sd
    it = draw.normal(0, 0.7, 20) if items else np.zeros(20)
    p = 1 / (1 + np.exp(-(-2 + 5 * x + b[who] + t[who] * h + np.tile(it, people))))
    item = np.tile(np.arange(20), people)
    return pd.DataFrame({"y": draw.random(people * 20) < p, "x": x, "h": h, "person": who, "item": item})
