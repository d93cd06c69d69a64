"""Which level of a factor each person met first, where a factor varies within persons and their games have an order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from negstats.analysis.questions.derived import columns_of_order

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan
    from negstats.studies.study import Study


def first_levels(plan: Plan, study: Study, entries: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return for each factor of games within persons how many persons met each level first.

    Parameters
    ----------
    plan
        The plan, for the columns of its factors.
    study
        The games that are analysed, in memory.
    entries
        The questions of ``results.json``, with the factors of their designs.

    Returns
    -------
    list of dict
        Factor, the column of the order, and the levels with the number of people who met each first and, where it is
        the same for everybody, how many games each person had there. A factor is left out where somebody's first game
        is not known: no column gives an order, or two games are both first.
    """
    levels = {
        factor["name"]: factor["levels"]
        for entry in entries
        for factor in (entry.get("design") or {}).get("factors") or ()
        if factor["lies"] == "within" and plan.factor(factor["name"]).column.startswith("games.")
    }
    columns = columns_of_order(list(study.games.columns))
    rows = []
    for name, names in levels.items():
        column = plan.factor(name).column.partition(".")[2]
        for order in (other for other in columns if other != column):
            counts = _count_first(study, column, order)
            if counts is not None and set(counts) <= set(names):
                each = [
                    {"level": level, "n": counts.get(level, 0)} | _count_each(study, column, level) for level in names
                ]
                rows.append({"factor": name, "by": order, "levels": each})
                break
    return rows


def _count_first(study: Study, column: str, order: str) -> dict[str, int] | None:
    """Return how many persons met each level of a column first; None where that is not known of all."""
    seats = study.players[["game_id", "participant_id"]].dropna().drop_duplicates()
    games = study.games[["game_id", column, order]].dropna(subset=[column])
    own = seats.merge(games, on="game_id")
    if not len(own) or own[order].isna().any():
        return None
    keys = {value: place for place, value in enumerate(sorted(own[order].unique(), key=_natural))}
    own["place"] = own[order].map(keys).astype(int)
    earliest = own[own["place"] == own.groupby("participant_id")["place"].transform("min")]
    if earliest["participant_id"].duplicated().any() or not _is_within(own, column):
        return None
    return {str(level): int(n) for level, n in earliest[column].value_counts().items()}


def _count_each(study: Study, column: str, level: str) -> dict[str, int]:
    """Return how many games each person had at a level, where that is one number."""
    seats = study.players[["game_id", "participant_id"]].dropna().drop_duplicates()
    there = study.games.loc[study.games[column].astype("str") == level, ["game_id"]]
    games = seats.merge(there, on="game_id")["participant_id"].value_counts()
    is_same = len(games) == seats["participant_id"].nunique() and games.nunique() == 1
    return {"each": int(games.iloc[0])} if is_same else {}


def _is_within(own: pd.DataFrame, column: str) -> bool:
    return bool((own.groupby("participant_id")[column].nunique() > 1).all())


def _natural(value: object) -> tuple[Any, ...]:
    """Return a key that sorts numbers inside texts by their size: session 2 before session 10."""
    if not isinstance(value, str):
        return (value,)
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", value) if part)
