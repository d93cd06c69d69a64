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
                orders = _count_each(study, column)
                levels_met = [
                    {"level": level, "n": counts.get(level, 0)} | ({"each": orders[level]} if level in orders else {})
                    for level in names
                ]
                rows.append({"factor": name, "by": order, "levels": levels_met})
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


def _count_each(study: Study, column: str) -> dict[str, int]:
    """Return for each level how many games each person had there; without the levels where people differ in that."""
    seats = study.players[["game_id", "participant_id"]].dropna().drop_duplicates()
    own = seats.merge(study.games[["game_id", column]], on="game_id")
    games = pd.crosstab(own["participant_id"], own[column]).reindex(seats["participant_id"].unique(), fill_value=0)
    return {str(level): int(n.iloc[0]) for level, n in games.items() if n.nunique() == 1 and n.iloc[0]}


def _is_within(own: pd.DataFrame, column: str) -> bool:
    return bool((own.groupby("participant_id")[column].nunique() > 1).all())


def _natural(value: object) -> tuple[Any, ...]:
    """Return a key that sorts numbers inside texts by their size: session 2 before session 10."""
    if not isinstance(value, str):
        return (value,)
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.split(r"(\d+)", value) if part)
