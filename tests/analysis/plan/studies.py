"""Made-up studies for plans: people who play with an agent in both conditions, and survey items."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from negstats.studies import Provenance, Study
from negstats.tables import conform

SESSIONS = {"Demo": None, "Session_1": "CL", "Session_2": "FC"}


def robot(people: int = 66, *, lacking: int = 0, meet: bool = False) -> Study:
    """Return people who each play three games with an agent: practice, then CL and FC.

    The last `lacking` people play no game in FC; with `meet`, each person's games are with the next person instead.
    """
    rng = np.random.default_rng(5)
    games: list[tuple[str, str, str | None, str, int]] = []
    seats: list[tuple[str, str, str, str | None, float]] = []
    for person in range(people):
        for session, condition in SESSIONS.items():
            if condition == "FC" and person >= people - lacking:
                continue
            game = f"{session}-{person}"
            games.append((game, session, condition, "agreement", int(rng.integers(5, 20))))
            seats.append((game, "Human", "human", f"p{person}", rng.uniform(0.4, 1)))
            other = f"p{(person + 1) % people}" if meet else None
            seats.append((game, "Agent", "human" if meet else "agent", other, rng.uniform(0.4, 1)))
    columns = dict(zip(["game_id", "session", "condition", "ended", "rounds"], zip(*games, strict=True), strict=True))
    players = dict(
        zip(["game_id", "player", "kind", "participant_id", "points"], zip(*seats, strict=True), strict=True)
    )
    return Study(
        games=conform("games", columns), players=conform("players", players), provenance=Provenance("by hand", "1")
    )


def answering(study: Study, question: str, answers: list[str]) -> Study:
    """Return the study with a survey item that each person answers once, as far as there are answers."""
    people = study.players["participant_id"].dropna().unique()[: len(answers)]
    rows = {"participant_id": list(people), "question": [question] * len(people), "answer": answers[: len(people)]}
    return replace(study, answers=conform("answers", rows))


def noise(study: Study, outcomes: set[str], rng: np.random.Generator | None) -> Study:
    """Return the study with every value of the named columns drawn anew, or missing without `rng`.

    A column is ``table.column``; ``answers`` stands for all answers to questions that are named after a slash.
    """
    tables: dict[str, pd.DataFrame] = {name: frame.copy() for name, frame in study.tables.items()}
    for place in sorted(outcomes):
        table, _, column = place.partition(".")
        frame = tables[table]
        if table == "answers":
            drawn = iter([] if rng is None else rng.integers(1, 6, len(frame)).astype(str).tolist())
            frame["answer"] = pd.Series(
                [
                    answer if question != column else next(drawn, None)
                    for question, answer in zip(frame["question"], frame["answer"], strict=True)
                ],
                dtype="str",
            )
        elif column == "ended":
            kinds = ["unknown"] if rng is None else ["agreement", "walkaway", "timeout"]
            drawn = kinds * len(frame) if rng is None else rng.choice(kinds, len(frame)).tolist()
            frame[column] = pd.Series(drawn, dtype="str")
        else:
            values = np.full(len(frame), np.nan) if rng is None else rng.integers(0, 2, len(frame)).astype(float)
            frame[column] = pd.Series(values).astype(frame[column].dtype)
    return Study(provenance=study.provenance, **tables)
