"""Studies of decisions that repeat by person, drawn from a seed: the same numbers wherever they are drawn.

``python -m tests.stats.models.generators FILE`` writes the 48 random designs as one CSV for tests/reference/designs.R.
"""

from __future__ import annotations

import sys

import numpy as np
import pandas as pd

DESIGNS = 48
# Random effects of a design, by the remainder of its seed.
RANDOM = ("(1 | who)", "(1 | who) + (1 | item)", "(1 | grp/who)", "(1 + x | who)")


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


def design(seed: int) -> tuple[pd.DataFrame, str, str]:
    """Return a random design, its formula and its family: 6 to 80 clusters of 2 to 25 rows, SD 0 to 4, four shapes."""
    draw = np.random.default_rng(seed)
    people, rows = int(draw.choice([6, 12, 30, 80])), int(draw.choice([2, 4, 10, 25]))
    is_binary, sd = seed % 3 < 2, [0.0, 0.5, 1.5, 4.0][seed % 7 % 4]
    sizes = draw.integers(1, 2 * rows + 1, people) if seed % 5 == 0 else np.full(people, rows)
    who = np.repeat(np.arange(people), sizes)
    x, g = draw.normal(size=len(who)), who % 2
    item, group = draw.integers(0, 8, len(who)), who // 3
    eta = -0.3 + 0.8 * x + 0.4 * g + sd * draw.normal(size=people)[who]
    match seed % 4:
        case 1:
            eta = eta + 0.6 * draw.normal(size=8)[item]
        case 2:
            eta = eta + 0.5 * draw.normal(size=people)[group]
        case 3:
            eta = eta + 0.6 * draw.normal(size=people)[who] * x
    y = (
        draw.random(len(who)) < 1 / (1 + np.exp(-eta)) if is_binary else draw.poisson(np.exp(np.clip(eta, -5, 3)))
    ).astype(int)
    frame = pd.DataFrame({"y": y, "x": x, "g": g, "who": who, "item": item, "grp": group})
    return frame, f"y ~ x + g + {RANDOM[seed % 4]}", "binomial" if is_binary else "poisson"


if __name__ == "__main__":
    pd.concat([design(seed)[0].assign(seed=seed) for seed in range(DESIGNS)]).to_csv(sys.argv[1], index=False)
