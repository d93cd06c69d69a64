"""Make the synthetic ultimatum log: 60 made-up pairs divide 10 points twice, in the form that oTree exports.

Run from the project's root: ``python datasets/ultimatum/make_ultimatum.py``. The seed is fixed, so the file is
always the same to the byte. Nobody took part.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

SEED = 20260202
PAIRS = 60
TOTAL = 10
HERE = Path(__file__).resolve().parent
HEADER = [
    *("participant.code", "player.id_in_group", "player.payoff", "player.age", "player.satisfaction"),
    *("group.id_in_subsession", "group.offer", "group.accepted", "group.treatment"),
    *("subsession.round_number", "session.code"),
]


def main(target: Path = HERE) -> None:
    """Write ultimatum.csv below `target`: one row a player and round, the group's columns on both members' rows."""
    rng = np.random.default_rng(SEED)
    rows = []
    for pair in range(1, PAIRS + 1):
        treatment = "chat" if pair % 2 else "silent"
        kindness = rng.normal(4.3 if treatment == "chat" else 3.6, 0.8)
        ages = rng.integers(19, 45, size=2)
        for turn in (1, 2):
            offer = int(np.clip(np.rint(rng.normal(kindness, 0.7)), 0, TOTAL))
            accepted = int(rng.random() < 1 / (1 + np.exp(-1.6 * (offer - 2.2))))
            for seat in (1, 2):
                share = TOTAL - offer if seat == 1 else offer
                mood = int(np.clip(np.rint(1 + share * accepted / 2 + rng.normal(0, 0.7)), 1, 5))
                person = [f"s{pair:03d}{'ab'[seat - 1]}", seat, share * accepted, ages[seat - 1], mood]
                rows.append([*person, pair, offer, accepted, treatment, turn, "lab1"])
    with (target / "ultimatum.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\r\n")
        writer.writerow(HEADER)
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
