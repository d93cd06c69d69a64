"""Small studies written by hand: who played whom, in which condition, and how it ended; and studies of tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

import negstats
from negstats.analysis import Answer, run
from negstats.analysis.compare import plan_of, question_plan
from negstats.loaders.mapping import suggest
from negstats.studies import Provenance, Study
from negstats.tables import conform


def meetings(
    people: Sequence[tuple[str | None, ...]],
    condition: Sequence[str],
    ended: Sequence[str] | None = None,
    points: Sequence[float] | None = None,
) -> Study:
    """Return a study with a game for each tuple of people (None: not known); all seats of a game score the same."""
    ids = [f"g{place}" for place in range(len(people))]
    seats = [(game, f"S{seat}", who) for game, sitting in zip(ids, people, strict=True)
             for seat, who in enumerate(sitting)]  # fmt: skip
    scored = dict(zip(ids, points or range(len(ids)), strict=True))
    games = {"game_id": ids, "ended": list(ended or ["agreement"] * len(ids)), "condition": list(condition)}
    players = {
        "game_id": [game for game, _, _ in seats],
        "player": [seat for _, seat, _ in seats],
        "kind": ["human"] * len(seats),
        "participant_id": [who for _, _, who in seats],
        "points": [float(scored[game]) for game, _, _ in seats],
    }
    return Study(
        games=conform("games", games), players=conform("players", players), provenance=Provenance("by hand", "1")
    )


def asked(study: Study, outcome: str = "joint_value", by: str = "condition", who: str | None = None) -> Answer:
    """Return the answer to a question, whether or not there is a test for it; raise what refuses all of its rows."""
    answer = run(plan_of(question_plan(study, outcome, by, who=who)), study).answers["H1"]
    if answer.refusal is not None and not len(answer.values):
        raise answer.refusal
    return answer


def mapped(table: pd.DataFrame, folder: Path, mapping: str | None = None) -> Study:
    """Return the study of a table by its mapping; without one by that which is drafted, all likely answers taken."""
    log, reading = folder / "log.csv", folder / "log.toml"
    table.to_csv(log, index=False)
    reading.write_text(suggest(log, accept=True) if mapping is None else mapping, encoding="utf-8")
    return negstats.load(log, mapping=reading)
