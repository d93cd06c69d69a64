"""`negstats simulate dominance`: a study of the dominance dialogue."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from negstats.cli.shared import advancing, print_json, print_lines, print_table
from negstats.errors import UsageError

if TYPE_CHECKING:
    import pandas as pd

    from negstats.studies.study import Study


def simulate_dominance(
    out: Path, *, relations: tuple[str, str], opener: str | None, lapse: float | None, games: int | None, seed: int,
    log: Path | None, as_json: bool,
) -> None:  # fmt: skip
    """Simulate dialogues about a restaurant between dominant, peer and submissive agents (dominance)."""
    from negstats.simulate.dominance import as_study, talks_of, write_log

    opener, talks = opener or "A", 100 if games is None else games
    if opener not in ("A", "B"):
        raise UsageError(f"--opener is {opener!r}; give A or B")
    dialogues = talks_of(*relations, talks, seed, opener="A" if opener == "A" else "B", lapse=lapse, track=advancing)
    person = "" if lapse is None else f", B lapses with chance {lapse:g}"
    description = f"{talks} talks of {' and '.join(relations)}, {opener} opens{person}"
    study = as_study(dialogues, notes=[f"{description}, seed {seed}"])
    study.save(out)
    if log is not None:
        write_log(log, dialogues)
    ends, seats = _ends(study), _seats(study)
    if as_json:
        summary = {"talks": talks, "ends": ends.to_dict("records"), "seats": seats.to_dict("records")}
        print_json({"study": str(out), "log": None if log is None else str(log), **summary})
        return
    print_lines([f"{out}: {description}; nobody took part", ""])
    print_table(ends, "How they ended")
    print_table(seats, "Points of agreements, and what each seat said")


def _ends(study: Study) -> pd.DataFrame:
    rounds = study.games.groupby("ended")["rounds"]
    return rounds.agg(n="count", mean_utterances="mean", longest="max").reset_index()


def _seats(study: Study) -> pd.DataFrame:
    from negstats.metrics import concessions, information_told, initiative

    seats = study.players[["game_id", "player", "points"]]
    for measured in (
        initiative(study.messages, study.players)[["game_id", "player", "initiative"]],
        information_told(study.messages, study.players),
        concessions(study.values, study.offers, study.items),
    ):
        seats = seats.merge(measured, how="left", on=["game_id", "player"])
    return seats.drop(columns="game_id").groupby("player").mean().reset_index()
