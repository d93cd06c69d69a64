"""`negstats simulate SHEET`: play a rule sheet from a file and write the sessions as a study."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from negstats.cli.shared import advancing, print_json, print_lines, print_table
from negstats.errors import SheetError, UsageError, shown

if TYPE_CHECKING:
    import pandas as pd

    from negstats.studies.study import Study

LARGEST = 50_000_000  # bytes of a sheet


def simulate_sheet(
    out: Path, *, file: Path, player: list[str] | None, games: int | None, seed: int, log: Path | None, as_json: bool
) -> None:
    """Play the game that a rule sheet describes (dejonge2016); needs the extra gdl."""
    from negstats.simulate.rulesheet import Setup, as_study, sessions_of, write_log

    games = 100 if games is None else games
    setup = Setup.of(_text(file), _players(player or ["random"]), name=file.stem)
    played_games = sessions_of(setup, games, seed, track=advancing)
    seats = ", ".join(f"{role} {name}" for role, name in setup.players)
    study = as_study(setup, played_games, notes=[f"sheet {file.name}, {seats}, {games} games, seed {seed}"])
    study.save(out)
    if log is not None:
        write_log(log, setup, played_games)
    ends, points = _ends(study), _points(study)
    if as_json:
        summary = {"games": games, "ended": ends.to_dict("records"), "seats": points.to_dict("records")}
        print_json({"study": str(out), "log": None if log is None else str(log), **summary})
        return
    print_lines([f"{out}: {games} simulated games of {file.name} ({seats}); nobody took part", ""])
    print_table(ends, "How games ended")
    print_table(points, "Points")


def _text(file: Path) -> str:
    if file.stat().st_size > LARGEST:
        raise UsageError(f"{file}: has more than {LARGEST:,} bytes; that is not a rule sheet to play")
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SheetError(f"is not UTF-8 text: {error.reason} at byte {error.start}", file=file) from None


def _players(arguments: list[str]) -> str | dict[str, str]:
    if len(arguments) == 1 and "=" not in arguments[0]:
        return arguments[0]
    pairs = [argument.partition("=") for argument in arguments]
    for role, _, name in pairs:
        if not name:
            raise UsageError(f"--player is {shown(role)}; give ROLE=NAME for each role, or one NAME for all")
    return {role: name for role, _, name in pairs}


def _ends(study: Study) -> pd.DataFrame:
    return study.games.groupby("ended", sort=True)["rounds"].agg(games="count", mean_steps="mean").reset_index()


def _points(study: Study) -> pd.DataFrame:
    points = study.players.groupby(["role", "agent"], sort=False)["points"]
    return points.agg(n="count", mean="mean", sd="std").reset_index()
