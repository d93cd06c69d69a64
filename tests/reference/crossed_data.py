"""Yes or no of the shapes of lme4's VerbAgg and InstEval, drawn: data under the GPL are not in the project.

``python -m tests.reference.crossed_data FOLDER`` writes both as CSV for ``crossed.R``, which wrote crossed.json. Normal
numbers are quantiles of uniform ones, whose stream does not change between versions of numpy.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import special


def _normal(rng: np.random.Generator, sd: float, n: int) -> np.ndarray:
    return np.asarray(sd * special.ndtri(rng.random(n)))


def verbal() -> pd.DataFrame:
    """Return 316 people by 24 items (7,584 rows): anger, gender; behaviour (3) and situation (2) of the item."""
    rng = np.random.default_rng(316)
    person, item = np.repeat(np.arange(316), 24), np.tile(np.arange(24), 316)
    anger, woman = np.floor(11 + 28 * rng.random(316)), (rng.random(316) < 0.77) * 1
    behaviour, situation = item % 3, item // 3 % 2
    eta = 0.2 + 0.057 * (anger[person] - 20) + 0.3 * (1 - woman[person]) - 1.06 * (behaviour == 1)
    eta += -2.1 * (behaviour == 2) - 1.05 * situation + _normal(rng, 1.34, 316)[person] + _normal(rng, 0.34, 24)[item]
    return pd.DataFrame({
        "person": [f"p{one:03d}" for one in person], "item": [f"i{one:02d}" for one in item],
        "y": (rng.random(len(eta)) < special.expit(eta)) * 1, "anger": anger[person],
        "gender": np.where(woman[person] == 1, "F", "M"), "behaviour": [f"b{one}" for one in behaviour],
        "situation": [f"s{one}" for one in situation],
    })  # fmt: skip


def lectures() -> pd.DataFrame:
    """Return 300 students who each rate some of 800 lecturers (7,842 rows): service or none, good mark or not."""
    rng = np.random.default_rng(300)
    rated = 8 + np.floor(38 * rng.random(300)).astype(int)
    student = np.repeat(np.arange(300), rated)
    lecturer = np.floor(800 * rng.random(len(student)) ** 1.5).astype(int)
    service = (rng.random(len(student)) < 0.43) * 1
    eta = -0.1 - 0.2 * service + _normal(rng, 0.45, 300)[student] + _normal(rng, 0.9, 800)[lecturer]
    return pd.DataFrame({
        "student": [f"s{one:03d}" for one in student], "lecturer": [f"d{one:03d}" for one in lecturer],
        "y": (rng.random(len(eta)) < special.expit(eta)) * 1, "service": np.where(service == 1, "yes", "no"),
    })  # fmt: skip


def timing() -> pd.DataFrame:
    """Return 715 people by 20 items (14,300 rows) in 55 groups: x within people, g between them."""
    rng = np.random.default_rng(715)
    person, item = np.repeat(np.arange(715), 20), np.tile(np.arange(20), 715)
    x = np.floor(11 * rng.random(14_300)) / 10
    eta = -2 + 5 * x + 0.5 * (person % 2) + _normal(rng, 1.5, 715)[person] + _normal(rng, 0.7, 20)[item]
    eta += _normal(rng, 0.5, 55)[person // 13]
    return pd.DataFrame({
        "person": [f"p{one:03d}" for one in person], "item": [f"i{one:02d}" for one in item],
        "team": [f"t{one:02d}" for one in person // 13], "x": x, "g": np.where(person % 2 == 1, "b", "a"),
        "y": (rng.random(14_300) < special.expit(eta)) * 1,
    })  # fmt: skip


if __name__ == "__main__":
    for make in (verbal, lectures, timing):
        make().to_csv(Path(sys.argv[1]) / f"{make.__name__}.csv", index=False)
