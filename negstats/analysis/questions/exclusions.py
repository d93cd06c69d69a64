"""The rows that a plan leaves out, in one pass over the data as loaded, and the flow of games, seats and people."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.analysis.questions.units import places
from negstats.errors import DesignError, UsageError, meant, shown
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Exclusion, Plan

__all__ = ["KEYS", "SEAT_OF", "RemainingRows", "apply_exclusions", "describe_exclusion", "takes_all"]

Mask = npt.NDArray[np.bool_]

# Tables whose rows a rule may look at, and the column that says which seat a row is about.
SEAT_OF = {"players": "player", "offers": "proposer", "messages": "sender"}
KEYS = {"games": ["game_id"], "offers": ["game_id", "offer"], "messages": ["game_id", "message"]}


@dataclass(frozen=True, slots=True, eq=False)
class RemainingRows:
    """A study without what a plan leaves out.

    Attributes
    ----------
    study : Study
        Without the games, offers, messages and answers that are left out. A seat that is left out stays in its tables,
        for a game is its partner's too.
    seats : ndarray of bool
        Of each row of ``study.players``: whether the seat is kept.
    flow : tuple of dict
        One a rule: ``rule``, ``reason``, what it took (``games``, ``people``, ``seats``, ``offers``, ``messages``,
        ``answers``) and how much of that another rule took too (``also``). What two rules take is counted under the
        first.
    """

    study: Study
    seats: Mask
    flow: tuple[dict[str, Any], ...]


@dataclass(slots=True, eq=False)
class _Taken:
    """What one rule takes: a mask a table."""

    seats: Mask
    games: Mask
    offers: Mask
    messages: Mask
    answers: Mask

    @classmethod
    def nothing(cls, study: Study) -> _Taken:
        tables = (study.players, study.games, study.offers, study.messages, study.answers)
        return cls(*(np.zeros(len(table), dtype=np.bool_) for table in tables))


def apply_exclusions(study: Study, plan: Plan) -> RemainingRows:
    """Return the study without the rows that the plan leaves out.

    A game of which no person's seat is left goes too, and is counted under the rule that took the last one.

    Raises
    ------
    UsageError
        If a rule names a table, column or question that is not there.
    DesignError
        If a rule takes every game.
    """
    taken = [_taken(study, rule) for rule in plan.leave_out]
    for rule, one in zip(plan.leave_out, taken, strict=True):
        if len(study.games) and one.games.all():
            raise takes_all(rule, len(one.games))
    _empty_games(study, taken)
    flow = tuple(_counted(study, rule, taken, place) for place, rule in enumerate(plan.leave_out))
    return _kept(study, taken, flow)


def takes_all(rule: Exclusion, games: int) -> DesignError:
    """Return the error for a rule that leaves no game."""
    return DesignError(f"leave_out {shown(rule.column)}: takes all {games} games; nothing is left to ask about")


def _taken(study: Study, rule: Exclusion) -> _Taken:
    table, _, name = rule.column.partition(".")
    taken = _Taken.nothing(study)
    if table == "answers":
        frame = study.answers
        if not (frame["question"] == name).any():
            raise UsageError(
                f"leave_out {shown(rule.column)}: there is no such question; {meant(name, frame['question'].unique())}"
            )
        hit = (frame["question"] == name).to_numpy() & _holds(frame["answer"], rule)
        people = frame.loc[hit, "participant_id"]
        if rule.takes == "row":
            taken.answers = hit
        elif rule.takes == "person":
            taken.seats = study.players["participant_id"].isin(people).to_numpy()
        else:
            about = frame.loc[hit, "game_id"]
            alone = study.players["participant_id"].isin(people[about.isna()])
            taken.games = study.games["game_id"].isin([*about.dropna(), *study.players["game_id"][alone]]).to_numpy()
        return taken
    if table not in ("games", *SEAT_OF):
        raise UsageError(f"leave_out {shown(rule.column)}: give a column of games, players, offers, messages, answers")
    frame = study.tables[table]
    if name not in frame.columns:
        raise UsageError(f"leave_out {shown(rule.column)}: no such column; {meant(name, frame.columns)}")
    hit = _holds(frame[name], rule)
    if rule.takes == "game" or (table == "games" and rule.takes == "row"):
        taken.games = study.games["game_id"].isin(frame.loc[hit, "game_id"]).to_numpy()
    elif rule.takes == "person":
        taken.seats = _of_people(study, frame.loc[hit], SEAT_OF.get(table))
    elif table == "players":
        taken.seats = hit
    else:
        setattr(taken, table, hit)
    return taken


def _of_people(study: Study, rows: pd.DataFrame, seat: str | None) -> Mask:
    """Return the seats of the people whom rows are about: the rows' own, and all of theirs where they are known."""
    players = study.players
    if seat is None:
        own = players["game_id"].isin(rows["game_id"])
    else:
        keys = pd.MultiIndex.from_frame(rows[["game_id", seat]])
        own = pd.Series(pd.MultiIndex.from_frame(players[["game_id", "player"]]).isin(keys), index=players.index)
    known = players.loc[own, "participant_id"].dropna()
    return (own | players["participant_id"].isin(known)).to_numpy()


_RELATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "=": lambda values, value: values == value,
    "!=": lambda values, value: values != value,
    "<": lambda values, value: values < value,
    "<=": lambda values, value: values <= value,
    ">": lambda values, value: values > value,
    ">=": lambda values, value: values >= value,
}


def _holds(values: pd.Series, rule: Exclusion) -> Mask:
    """Return where the rule's relation holds. A missing value holds only for "missing"; text is read as a number."""
    if rule.relation == "missing":
        return values.isna().to_numpy()
    there = values.notna().to_numpy()
    given: Sequence[Any] = rule.value if isinstance(rule.value, tuple) else (rule.value,)
    if all(isinstance(one, bool) for one in given):
        asked: pd.Series = values.astype("boolean") if values.dtype == "boolean" else values
    elif all(isinstance(one, int | float) for one in given):
        asked = pd.to_numeric(values, errors="coerce").astype("float64")
        there = there & asked.notna().to_numpy()
    else:
        asked, given = values.astype("str"), [str(one) for one in given]
    if rule.relation in ("in", "not in"):
        found = asked.isin(list(given)).to_numpy(dtype=np.bool_)
        return np.asarray(there & (found if rule.relation == "in" else ~found))
    held = pd.Series(_RELATIONS[rule.relation](asked, given[0])).fillna(False).to_numpy(dtype=np.bool_)
    return np.asarray(there & held)


def _empty_games(study: Study, taken: Sequence[_Taken]) -> None:
    """Let the rule that takes the last person's seat of a game take the game."""
    people = (study.players["kind"] != "agent").to_numpy()
    game = places(study.players["game_id"], study.games["game_id"])
    count = np.bincount(game[people], minlength=len(study.games))
    gone = np.zeros(len(people), dtype=np.bool_)
    emptied = np.zeros(len(study.games), dtype=np.bool_)
    for one in taken:
        gone |= one.seats
        left = count - np.bincount(game[people & gone], minlength=len(study.games))
        now = (count > 0) & (left == 0) & ~emptied
        one.games = one.games | now
        emptied |= now


def _counted(study: Study, rule: Exclusion, taken: Sequence[_Taken], place: int) -> dict[str, Any]:
    """Return the rule's row of the flow: what it is the first to take, and how much another takes too."""
    entry: dict[str, Any] = {"rule": describe_exclusion(rule), "reason": rule.reason}
    own, before, others = taken[place], taken[:place], [one for at, one in enumerate(taken) if at != place]
    of_game = places(study.players["game_id"], study.games["game_id"])
    seats = own.seats | own.games[of_game]
    sooner = _any([one.seats | one.games[of_game] for one in before], len(seats))
    first = seats & ~sooner
    entry["games"] = int((own.games & ~_any([one.games for one in before], len(own.games))).sum())
    entry["seats"] = int(first.sum())
    person = study.players["participant_id"]
    stays = person[~(seats | sooner)].dropna()
    entry["people"] = int(person[first].dropna()[lambda gone: ~gone.isin(stays)].nunique())
    for name in ("offers", "messages", "answers"):
        mask = getattr(own, name)
        if mask.any():
            entry[name] = int((mask & ~_any([getattr(one, name) for one in before], len(mask))).sum())
    also = _any([one.seats | one.games[of_game] for one in others], len(seats))
    entry["also"] = int((seats & also).sum())
    return entry


def _any(masks: Sequence[Mask], size: int) -> Mask:
    return np.logical_or.reduce(masks) if len(masks) else np.zeros(size, dtype=np.bool_)


def describe_exclusion(rule: Exclusion) -> str:
    """Return a rule in one line, as ``games.session = Demo``."""
    if rule.relation == "missing":
        return f"{rule.column} missing"
    value = ", ".join(map(str, rule.value)) if isinstance(rule.value, tuple) else rule.value
    return f"{rule.column} {rule.relation} {value}"


def _kept(study: Study, taken: Sequence[_Taken], flow: tuple[dict[str, Any], ...]) -> RemainingRows:
    if not taken:
        return RemainingRows(study, np.ones(len(study.players), dtype=np.bool_), flow)
    games = ~_any([one.games for one in taken], len(study.games))
    ids = study.games["game_id"][games]
    kept: dict[str, Any] = {}
    for name, frame in study.tables.items():
        if name == "answers":
            there = (frame["game_id"].isna() | frame["game_id"].isin(ids)).to_numpy()
        else:
            there = frame["game_id"].isin(ids).to_numpy()
        if name in ("offers", "messages", "answers"):
            there = there & ~_any([getattr(one, name) for one in taken], len(frame))
        kept[name] = frame[there].reset_index(drop=True)
    if len(kept["offers"]) < len(study.offers):
        offers = pd.MultiIndex.from_frame(kept["offers"][["game_id", "offer"]])
        of_items = pd.MultiIndex.from_frame(kept["items"][["game_id", "offer"]])
        kept["items"] = kept["items"][of_items.isin(offers)].reset_index(drop=True)
    seats = ~_any([one.seats for one in taken], len(study.players))
    return RemainingRows(replace(study, **kept), seats[study.players["game_id"].isin(ids).to_numpy()], flow)
