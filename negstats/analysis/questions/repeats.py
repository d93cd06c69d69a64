"""Games that repeat an earlier one: of the same agents, in the same scenario, offer by offer and word by word."""

from __future__ import annotations

import pandas as pd

from negstats.analysis.roles import role_of
from negstats.studies.study import Study

WHEN = ["round", "time_s", "time_share"]
CLOCK = WHEN[1:]  # of a computer, which differs though nothing else does


def find_repeated_games(study: Study, *, are_named: bool = True) -> pd.Series:
    """Return of each game with offers whether an earlier one of the same agents in the same scenario is alike.

    Parameters
    ----------
    study
        A study in memory.
    are_named
        Whether games with an agent whose name is not known are left aside, for these may be other agents.

    Returns
    -------
    pandas.Series
        True or False, by ``game_id``; empty where a seat is not an agent's.
    """
    return _played(study, are_named=are_named).duplicated()


def are_deterministic(study: Study) -> bool:
    """Return whether all games are of agents whose names are known, and that did the same whenever they met again.

    Where the same agents met again in the same scenario and once did otherwise, chance plays a part: games that are
    alike are then alike by chance, and each is a game of its own.
    """
    if not study.in_memory or not study.rows("offers"):
        return False
    games = _played(study, are_named=True)
    meetings = games.groupby("meeting")["acts"].agg(["size", "nunique"])
    met_again = meetings[meetings["size"] > 1]
    return bool(len(met_again)) and bool((met_again["nunique"] == 1).all())


def _played(study: Study, *, are_named: bool) -> pd.DataFrame:
    """Return who met where (``meeting``) and what was offered and said (``acts``) in each game of agents."""
    players = study.players
    if not bool((players["kind"] == "agent").all()):
        return pd.DataFrame({"meeting": [], "acts": []})
    offers = _rows_of_games(study.offers)
    others = [_rows_of_games(rows).reindex(offers.index) for rows in (study.items, study.messages)]
    columns = pd.concat([offers, *others], axis="columns").astype(object)
    acts = columns.where(columns.notna(), None).agg(tuple, axis="columns")  # a missing number is unlike itself
    named = players["agent"].notna().groupby(players["game_id"], sort=False).all()
    seats = _rows_of_games(players[["game_id", "role", "agent"]])
    settings = [name for name in study.factors if not _counts_games(study, name)]
    places = study.games.set_index("game_id")[["scenario", "protocol", *settings]]
    where = pd.util.hash_pandas_object(places, index=False)
    met = pd.DataFrame({"seats": seats, "where": where}).agg(tuple, axis="columns")
    return pd.DataFrame({"meeting": met[named] if are_named else met, "acts": acts}).dropna()


def _counts_games(study: Study, name: str) -> bool:
    levels = [str(level) for level in study.games[name].dropna().unique()]
    return role_of(name, levels, of_games=True).name == "repetition"


def _rows_of_games(rows: pd.DataFrame) -> pd.Series:
    """Return the rows of each game in their order, each as a number that tells it from others."""
    told_apart = rows.drop(columns=["game_id", *CLOCK], errors="ignore")
    numbers = pd.util.hash_pandas_object(told_apart, index=False)
    return numbers.groupby(rows["game_id"], sort=False).agg(tuple)
