"""Whose decisions thresholds are estimated from: every decision of a human, or those of games of humans alone.

A decision is an answer to an offer of which it is known what it brings. Who decides is the participant; where that is
not known, the game stands for the person. Seats of unknown kind are taken for humans, and a note says how many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import UsageError, meant, shown
from negstats.estimate import answers as read

AnswersOf: TypeAlias = Literal["humans", "humans-to-humans"]


@dataclass(frozen=True, slots=True, eq=False)
class Elicited:
    """Least acceptable amounts that people said, in the unit of benefits: `low` < threshold ≤ `high`.

    `frame` has ``person``, ``group``, ``low``, ``high``; `contradicting` counts answers to offers that they contradict.
    """

    frame: pd.DataFrame
    step: float | None
    contradicting: int


@dataclass(frozen=True, slots=True, eq=False)
class PersonDecisions:
    """Decisions about offers.

    Attributes
    ----------
    frame : pandas.DataFrame
        ``person``, ``group``, ``benefit``, ``accepted``: a row a decision; one group without a factor.
    unit : str
        Of benefits.
    unanswered : int
        Offers to these people without an answer of their own or a known benefit.
    elicited : Elicited or None
        What people said to be the least that they accept.
    caption : str
        Whose answers these are, to whom, and how many.
    notes : tuple of str
    """

    frame: pd.DataFrame
    unit: str
    unanswered: int
    elicited: Elicited | None
    caption: str
    notes: tuple[str, ...]


def _select_seats(tables: Mapping[str, pd.DataFrame], answers: AnswersOf) -> pd.DataFrame:
    """Return the seats whose answers count: all, or those of games of humans alone."""
    if answers not in ("humans", "humans-to-humans"):
        raise UsageError(f"answers is {shown(answers)}; choose 'humans' or 'humans-to-humans'")
    seats = read._pandas(tables["players"], "players", read._PLAYERS, ("participant_id", "batna"))
    if answers == "humans":
        return seats
    return seats[read.in_human_games(seats)]


def _build_decisions(answered_offers: pd.DataFrame) -> pd.DataFrame:
    """Return a row a decision; where no person is known, the game stands for the person."""
    person = answered_offers["participant_id"].fillna(answered_offers["game_id"]).astype(str)
    return pd.DataFrame(
        {
            "person": person.to_numpy(),
            "group": answered_offers["group"].to_numpy(),
            "benefit": answered_offers["benefit"].to_numpy(dtype=float),
            "accepted": answered_offers["response"].eq("accepted").to_numpy(dtype=bool),
        }
    )


def read_decisions(
    tables: Mapping[str, pd.DataFrame],
    by: str | None = None,
    answers: AnswersOf = "humans",
    role: str | None = None,
    points_per_unit: float | None = None,
) -> PersonDecisions:
    """Read the decisions of a study's tables.

    Raises
    ------
    UsageError
        If no offer was answered by a human, the factor or the role is unknown, or nothing says what offers bring.
    """
    seats = _select_seats(tables, answers)
    offers = read._pandas(tables["offers"], "offers", read._OFFERS, read._TOLD)
    least = read._least(tables.get("answers"), seats)
    seat_offers = _join_seats(offers, seats, role)
    decided = (
        ~seat_offers["kind"].eq("agent").fillna(False).to_numpy(dtype=bool)
        & seat_offers["responder"].notna().to_numpy()
    )
    seat_offers = seat_offers[decided].reset_index(drop=True)
    if seat_offers.empty and least.empty:
        raise UsageError("no offer was answered by a human")
    groups = _read_groups(tables, by)
    benefits = read._scale_offers(seat_offers, points_per_unit, least)
    seat_offers = seat_offers.assign(benefit=benefits.benefit, group=_group_of(seat_offers["game_id"], groups))
    is_usable = (
        seat_offers["response"].isin(["accepted", "rejected"])
        & seat_offers["benefit"].notna()
        & seat_offers["group"].notna()
    )
    answered_offers = seat_offers[is_usable]
    frame = _build_decisions(answered_offers)
    elicited = _read_elicited(least, seat_offers, benefits, groups, frame) if len(least) else None
    if frame.empty and elicited is None:
        raise UsageError("no offer was answered by a human")
    notes = _notes(answered_offers, elicited)
    return PersonDecisions(frame, benefits.unit, len(seat_offers) - len(answered_offers), elicited,
                           _caption(answered_offers, answers, role, elicited), notes)  # fmt: skip


def sort_groups(column: pd.Series) -> tuple[str, ...]:
    """Return the levels of a factor as text, those of numbers by size."""
    levels = [str(level) for level in column.unique()]
    sizes = pd.to_numeric(pd.Series(levels), errors="coerce")
    keys = [(0.0, level) for level in levels] if sizes.isna().any() else list(zip(sizes, levels, strict=True))
    return tuple(level for _, level in sorted(keys))


def _join_seats(offers: pd.DataFrame, seats: pd.DataFrame, role: str | None) -> pd.DataFrame:
    """Return offers with the proposer's role and kind, and who decides: their kind, id and BATNA."""
    proposers = seats[["game_id", "player", "role", "kind"]].rename(
        columns={"player": "proposer", "kind": "proposer_kind"}
    )
    seat_offers = offers.merge(proposers, on=["game_id", "proposer"])
    if role is not None:
        role_names = seat_offers["role"].dropna().unique()
        if role not in role_names:
            hint = meant(role, role_names, "offers were made by") if len(role_names) else "no offer's seat has a role"
            raise UsageError(f"role is {shown(role)}; {hint}")
        seat_offers = seat_offers[seat_offers["role"] == role].reset_index(drop=True)
    return read.join_responders(seat_offers, seats, ["kind", "participant_id", "batna"])


def _read_groups(tables: Mapping[str, pd.DataFrame], by: str | None) -> pd.Series | None:
    if by is None:
        return None
    games = tables["games"]
    if by not in games.columns:
        raise UsageError(f"by names {shown(by)}, which is not a factor; games has {', '.join(map(str, games.columns))}")
    return games.set_index("game_id")[by].astype("object")


def _group_of(game: pd.Series, groups: pd.Series | None) -> pd.Series:
    if groups is None:
        return pd.Series("all", index=game.index)
    level = game.map(groups)
    return level.where(level.isna(), level.map(str))


def _read_elicited(
    least: pd.DataFrame,
    seat_offers: pd.DataFrame,
    benefits: read._Scaled,
    groups: pd.Series | None,
    frame: pd.DataFrame,
) -> Elicited:
    """Return the interval that each least amount puts its person's threshold in."""
    amount, _, _ = read.least_benefits(least, seat_offers, benefits)
    group = _group_of(least["game_id"], groups)
    has_amount = (amount.notna() & group.notna()).to_numpy(dtype=bool)
    if not has_amount.any():
        raise UsageError("people said the least that they accept in units, but what a unit is worth is not known")
    step = benefits.step if isinstance(benefits.step, float) else None
    high = amount[has_amount].to_numpy(dtype=float)
    low = high - step if step is not None else high.copy()
    bottom = float((-least["batna"].fillna(0.0)).min()) if benefits.unit == "points" else 0.0
    if step is not None:
        rounding = 1e-9 * max(float(np.abs(high).max()), abs(bottom), step)
        low[high <= bottom + rounding] = -np.inf  # who takes the least amount there is has a threshold anywhere below
    person = least["participant_id"].fillna(least["game_id"]).astype(str)[has_amount]
    table = pd.DataFrame({"person": person.to_numpy(), "group": group[has_amount].to_numpy(), "low": low, "high": high})
    stated_least = table.groupby("person")["high"].max()
    limit = frame["person"].map(stated_least)
    slack = 1e-9 * max(float(np.abs(high).max()), 1e-300)
    wrong = limit.notna() & (frame["accepted"] != (frame["benefit"] >= limit - slack))
    return Elicited(table, step, int(wrong.sum()))


def _notes(answered_offers: pd.DataFrame, elicited: Elicited | None) -> tuple[str, ...]:
    notes = []
    unknown = int(answered_offers["kind"].isna().sum())
    if unknown:
        notes.append(f"{unknown} decisions by seats of unknown kind were taken for humans'")
    nobody = int(answered_offers["participant_id"].isna().sum())
    if nobody:
        notes.append(f"who made {nobody} decisions is not known; each game counts as a person")
    acceptance_counts = answered_offers[answered_offers["response"] == "accepted"].groupby("game_id").size()
    answer_counts = answered_offers.groupby("game_id").size()
    if (
        len(acceptance_counts)
        and (answer_counts > 1).any()
        and acceptance_counts.max() == 1
        and _is_accepted_last(answered_offers)
    ):
        notes.append("offers of one game are answered until one is accepted, so acceptance ends the series")
    if elicited is not None and elicited.contradicting:
        notes.append(
            f"{elicited.contradicting} answers to offers contradict the least amount that the person said; answers to "
            "offers are not used"
        )
    if elicited is not None and elicited.step is None:
        notes.append("the step of the scale is not known: the least amount is taken for the threshold itself")
    return tuple(notes)


def _is_accepted_last(answered_offers: pd.DataFrame) -> bool:
    """Return whether an accepted offer is the last that was answered in its game, in all games."""
    last = answered_offers.groupby("game_id")["offer"].max()
    accepted_offers = answered_offers[answered_offers["response"] == "accepted"]
    return bool((accepted_offers["offer"].to_numpy() == last.reindex(accepted_offers["game_id"]).to_numpy()).all())


def _caption(answered_offers: pd.DataFrame, answers: AnswersOf, role: str | None, elicited: Elicited | None) -> str:
    if elicited is not None:
        people = elicited.frame["person"].nunique()
        return f"least acceptable amounts (strategy method) of {people} people, {len(elicited.frame)} answers"
    people = answered_offers["participant_id"].fillna(answered_offers["game_id"]).nunique()
    kinds = answered_offers["proposer_kind"]
    humans, agents = (int((kinds == kind).sum()) for kind in ("human", "agent"))
    to = [f"{count:,} to {name}" for count, name in ((humans, "humans"), (agents, "agents")) if count]
    rest = len(answered_offers) - humans - agents
    to += [f"{rest:,} to seats of unknown kind"] if rest else []
    role_words = "" if role is None else f" about offers by {role}"
    where = " in games of humans only" if answers == "humans-to-humans" else ""
    return f"{len(answered_offers):,} decisions of {people:,} people{role_words}{where} ({', '.join(to)})"
