"""`negstats simulate contract`: a study of the contract game."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from negstats.cli.shared import advancing, print_json, print_lines, print_table

if TYPE_CHECKING:
    import pandas as pd

    from negstats.studies.study import Study


def simulate_contract(
    out: Path, *, condition: str, country: str, games: int | None, seed: int, log: Path | None, as_json: bool
) -> None:
    """Simulate games of the contract game (haim2017) between agents and simulated people."""
    from negstats.games.contract import study_game
    from negstats.metrics import goal_rate
    from negstats.simulate.contract import as_study, games_of, write_log

    games = 100 if games is None else games
    games_played = games_of(condition, country, games, seed, track=advancing)
    study = as_study(games_played, notes=[f"condition {condition}, country {country}, {games} games, seed {seed}"])
    study.save(out)
    if log is not None:
        write_log(log, study_game(), games_played)
    goals, seats = goal_rate(study.players, role="customer"), _points(study)
    rounds = float(study.games["rounds"].mean())
    if as_json:
        summary = {
            "games": games,
            "rounds": rounds,
            "goals": goals.to_dict("records"),
            "seats": seats.to_dict("records"),
        }
        print_json({"study": str(out), "log": None if log is None else str(log), **summary})
        return
    print_lines([f"{out}: {games} simulated games of {condition} in {country}; nobody took part"])
    print_lines([f"mean rounds: {rounds:.4g}", ""])
    print_table(goals, "Customers who reached a goal, with Wilson intervals")
    print_table(seats, "Points")


def _points(study: Study) -> pd.DataFrame:
    points = study.players.groupby(["role", "kind"], sort=False)["points"]
    return points.agg(n="count", mean="mean", sd="std").reset_index()
