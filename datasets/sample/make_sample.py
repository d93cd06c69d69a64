"""Make the sample study: 12 synthetic people and a synthetic robot who negotiate a holiday, in Solver-CL's form.

Run from the project's root: ``python datasets/sample/make_sample.py``. The seed is fixed, so the tables that load from
the files are always the same. Nobody took part: the numbers show what negstats does, and nothing about people.
"""

from __future__ import annotations

import csv
import shutil
import sys
from itertools import product
from pathlib import Path

import numpy as np
from openpyxl import Workbook

SEED = 20260101
PEOPLE = 12
DEADLINE = 40  # offers
HERE = Path(__file__).resolve().parent

# What each option is worth to each side; an offer's utility is the sum over the issues.
DOMAIN = {
    "destination": {"rome": (0.10, 0.40), "lisbon": (0.30, 0.25), "sydney": (0.40, 0.05)},
    "season": {"summer": (0.05, 0.25), "autumn": (0.15, 0.20), "winter": (0.25, 0.05)},
    "accommodation": {"tent": (0.20, 0.00), "hotel": (0.10, 0.20), "boat": (0.00, 0.10)},
    "duration": {"1 week": (0.15, 0.05), "2 weeks": (0.10, 0.15), "3 weeks": (0.00, 0.10)},
}
OUTCOMES = list(product(*DOMAIN.values()))
UTILITY = np.array(
    [
        np.sum([DOMAIN[issue][choice] for issue, choice in zip(DOMAIN, outcome, strict=True)], axis=0)
        for outcome in OUTCOMES
    ]
)  # columns: agent, human
HEADER = [
    *("", "Bidder", "Agent Utility", "Human Utility", "Offer", "Scaled Time", "Move", "Agent Emotion"),
    *("Max V", "Min V", "Valance", "Max A", "Min A", "Arousal", "Sensitivity Class", "Sentences"),
]
FACES = ("Content", "Neutral", "Dissatisfied", "Frustrated")


def negotiation(rng: np.random.Generator, *, agent_end: float, human_end: float) -> list[tuple[str, int, float]]:
    """Offers (bidder, outcome, time) of two sides that concede from their best towards an end by the deadline."""
    ends = {"Agent": agent_end, "Human": human_end}
    offers: list[tuple[str, int, float]] = []
    for turn in range(DEADLINE):
        bidder, own = ("Human", 1) if turn % 2 == 0 else ("Agent", 0)
        time = turn / DEADLINE
        target = 1 - (1 - ends[bidder]) * time**0.8 + rng.normal(0, 0.03)
        if offers and UTILITY[offers[-1][1], own] >= target:
            break  # the last offer is good enough: it is the deal
        near = np.argsort(np.abs(UTILITY[:, own] - target))[:4]
        choice = int(near[np.argmax(UTILITY[near, 1 - own])]) if rng.random() < 0.7 else int(rng.choice(near))
        offers.append((bidder, choice, time + rng.uniform(0, 1 / DEADLINE)))
    return offers


def write_log(file: Path, sheet: str, offers: list[tuple[str, int, float]]) -> None:
    """Write one session as a workbook with the columns of the original."""
    book = Workbook()
    page = book.active
    assert page is not None
    page.title = f"Session {sheet}"
    page.append(HEADER)
    for place, (bidder, outcome, time) in enumerate(offers):
        content = dict(zip(DOMAIN, OUTCOMES[outcome], strict=True))
        agent, human = (round(float(utility), 4) for utility in UTILITY[outcome])
        face = FACES[min(int((1 - agent) * 4), 3)] if bidder == "Agent" and place > 1 else None
        words = f"how about {content['destination']} in {content['season']}" if bidder == "Human" else None
        page.append([place, bidder, agent, human, str(content), round(time, 6), None, face, *[0] * 6, None, words])
    file.parent.mkdir(parents=True, exist_ok=True)
    book.save(file)


def main(target: Path = HERE) -> None:
    """Write all logs and the subject table below `target`."""
    rng = np.random.default_rng(SEED)
    rows = []
    shutil.rmtree(target / "raw_logs", ignore_errors=True)
    for person in range(1, PEOPLE + 1):
        order = ("CL", "FC") if person % 2 else ("FC", "CL")
        patience = rng.normal(0.55, 0.05)
        for session, condition in (("Demo", None), ("Session_1", order[0]), ("Session_2", order[1])):
            agent_end = {"CL": 0.58, "FC": 0.50, None: 0.50}[condition] + rng.normal(0, 0.03)
            offers = negotiation(rng, agent_end=agent_end, human_end=patience + rng.normal(0, 0.02))
            name = f"negotiation_logs_S{person:03d}_{session}.xlsx"
            write_log(target / "raw_logs" / session / name, session, offers)
            if condition:
                agent, human = (round(float(utility), 4) for utility in UTILITY[offers[-1][1]])
                rows.append([person, session[-1], condition, agent, human, (len(offers) + 1) // 2])
    table = target / "final_dataset" / "experiment_subject_data.csv"
    table.parent.mkdir(parents=True, exist_ok=True)
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["Subject_ID", "Session_ID", "Condition", "Agent_Utility", "Human_Utility", "Agreement_Rounds"])
        writer.writerows(rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
