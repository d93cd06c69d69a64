"""Decisions about offers out of a study's tables, what each brings to who was asked, and whose are estimated from.

**What an offer brings** is told by the study itself: its value to the responder less the responder's BATNA, in points.
Where values are not known it is the share of the pie, if what both sides get adds up to the same in all offers of a
game, and otherwise the units that the responder wins, times what a unit scores if that is said.

**Who decides** are people: their decisions are not independent of each other, so they are what is drawn again in a
bootstrap. Where it is not known who decided, each game counts as a person of its own.

**Strategy method.** Where people said the least amount that they would accept (the answers ``least_acceptable``, in
units), each of them decided about every possible offer, and these decisions are used instead of the offers' fate.

A decision is an answer to an offer of which it is known what it brings. Who decides is the participant; where that is
not known, the game stands for the person. Seats of unknown kind are taken for humans, and a note says how many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
from narwhals.typing import IntoFrame

from negstats.errors import SchemaError, UsageError, meant, shown

Floats: TypeAlias = npt.NDArray[np.float64]
Step: TypeAlias = float | Literal["unknown"] | None  # the scale's step; None: benefits may be any number

LEAST = "least_acceptable"  # the question whose answer is the least amount that a person accepts
STUDYS_ROLE = "provider_y"  # of haim2017, where there is one
RIVALS = "provider"  # how the roles of those begin who compete for the customer
MOST = 1000  # possible offers of a pie that are gone through one by one

_OFFERS = ("game_id", "offer", "proposer", "response")
_TOLD = ("responder", "units_to_proposer", "units_to_responder", "value_proposer", "value_responder")
_PLAYERS = ("game_id", "player", "role", "kind")


@dataclass(frozen=True, slots=True)
class Answers:
    """Offers that were accepted or refused. Arrays have one entry a decision.

    Attributes
    ----------
    benefit
        To the one who was asked, in `unit`.
    accepted
        Whether it was accepted.
    person
        The number, from 0, of the person who decided: what is independent of each other.
    unanswered
        How many offers had no answer of their own (superseded, none) or no known benefit; they are not in the arrays.
    games
        How many games the decisions were made in.
    unit
        "points", "share of the pie" or "units".
    step
        Benefits are multiples of it; None if they may be any number, "unknown" if that is not known.
    elicited
        Whether people said the least that they accept, instead of answering offers.
    """

    benefit: Floats
    accepted: npt.NDArray[np.bool_]
    person: npt.NDArray[np.int64]
    unanswered: int = 0
    games: int = 0
    unit: str = "points"
    step: Step = None
    elicited: bool = False

    @property
    def people(self) -> int:
        """How many people decided (games, where it is not known who did)."""
        return int(self.person.max()) + 1 if len(self.person) else 0


@dataclass(frozen=True, slots=True)
class Decisions:
    """The decisions about one role's offers, and the mean benefit of its rivals' offers.

    `role` is the role that was looked at (None: all offers). `rivals` says whether the study has other roles that
    compete with it, `rivals_mean` what they offered (None if nothing).
    """

    answers: Answers
    role: str | None
    rivals: bool
    rivals_mean: float | None


@dataclass(frozen=True, slots=True)
class _Scaled:
    benefit: pd.Series
    unit: str
    step: Step
    a_unit: float | None  # what one more unit for the responder brings, if that is the same everywhere


def decisions(
    offers: IntoFrame,
    players: IntoFrame,
    role: str | None,
    *,
    answers: IntoFrame | None = None,
    points_per_unit: float | None = None,
) -> Decisions:
    """Return how the offers by a role's players were decided upon, in games in which every seat is a human's.

    Raises
    ------
    SchemaError
        If a column is not there.
    UsageError
        If nobody of this role made an offer, several roles did and none is named, or nothing says what offers bring.
    """
    seats = _pandas(players, "players", _PLAYERS, ("participant_id", "batna"))
    human_offers = _join_seats(_pandas(offers, "offers", _OFFERS, _TOLD), seats[in_human_games(seats)], None)
    elicited = _least_amounts(answers, seats)
    target_role = _role(human_offers, role, elicited)
    is_of_role = (
        np.ones(len(human_offers), dtype=bool)
        if target_role is None
        else human_offers["role"].eq(target_role).to_numpy(dtype=bool)
    )
    benefits = _scale_offers(human_offers, points_per_unit, elicited)
    roles = seats["role"].dropna()
    # Rivals are the other providers; what they offer on average is what the role competes with.
    is_competing = roles.str.startswith(RIVALS) & (roles != target_role)
    is_rival = (
        human_offers["role"].astype("str").str.startswith(RIVALS).fillna(False).to_numpy(dtype=bool) & ~is_of_role
    )
    rival_benefits = benefits.benefit[is_rival].dropna()
    own_offers = human_offers[is_of_role].assign(benefit=benefits.benefit[is_of_role])
    role_answers = (
        _strategies(elicited, own_offers, benefits) if len(elicited) else _build_answers(own_offers, benefits)
    )
    return Decisions(
        role_answers,
        target_role,
        bool(is_competing.any()),
        float(rival_benefits.mean()) if len(rival_benefits) else None,
    )


def _build_answers(role_offers: pd.DataFrame, benefits: _Scaled) -> Answers:
    answered_offers = role_offers[
        role_offers["response"].isin(["accepted", "rejected"]) & role_offers["benefit"].notna()
    ]
    return Answers(
        answered_offers["benefit"].to_numpy(dtype=float),
        answered_offers["response"].eq("accepted").to_numpy(dtype=bool),
        _people(answered_offers["participant_id"], answered_offers["game_id"]),
        len(role_offers) - len(answered_offers),
        int(answered_offers["game_id"].nunique()),
        benefits.unit,
        benefits.step,
    )


def in_human_games(seats: pd.DataFrame) -> npt.NDArray[np.bool_]:
    """Return which seats are of games in which all seats are people's."""
    human = seats["kind"].eq("human").fillna(False).groupby(seats["game_id"]).transform("all")
    return human.to_numpy(dtype=bool)


def _join_responders(offers: pd.DataFrame, seats: pd.DataFrame, columns: Sequence[str]) -> pd.DataFrame:
    """Return offers with columns of the seat that answers: the other one, where the log does not say."""
    offers["responder"] = offers["responder"].fillna(_other_seat(offers, seats))
    responders = seats[["game_id", "player", *columns]].rename(columns={"player": "responder"})
    return offers.merge(responders, how="left", on=["game_id", "responder"])


def _other_seat(offers: pd.DataFrame, seats: pd.DataFrame) -> pd.Series:
    """Return who is asked by an offer to everybody: the other seat of a game of two, nobody known otherwise."""
    two_seats = seats.groupby("game_id")["player"].agg(["first", "last", "size"])
    two_seats = two_seats[two_seats["size"] == 2].reindex(offers["game_id"])
    other_player = two_seats["last"].where(
        two_seats["first"].to_numpy() == offers["proposer"].to_numpy(), two_seats["first"]
    )
    return pd.Series(other_player.to_numpy(), index=offers.index)


def _role(offers: pd.DataFrame, role: str | None, elicited: pd.DataFrame) -> str | None:
    roles = list(offers["role"].dropna().unique())
    if role is None:
        if STUDYS_ROLE in roles:
            return STUDYS_ROLE
        if len(roles) > 1:
            raise UsageError(f"several roles made offers; name one of them as role: {', '.join(map(str, roles))}")
        if offers.empty and elicited.empty:
            raise UsageError("nobody made an offer in a game of humans only, and nobody said the least they accept")
        return str(roles[0]) if roles else None
    if role not in roles:
        role_names = ", ".join(map(str, roles)) or "nobody"
        raise UsageError(f"role is {shown(role)}; in human-only games offers were made by {role_names}")
    return role


def _scale_offers(offers: pd.DataFrame, points_per_unit: float | None, elicited: pd.DataFrame) -> _Scaled:
    responder_units, proposer_units = (offers[f"units_to_{seat}"].astype(float) for seat in ("responder", "proposer"))
    # From what is known best to least: points by the unit, values, shares of a pie, units.
    advantage = responder_units - proposer_units
    if points_per_unit is not None:
        return _Scaled(advantage * points_per_unit, "points", points_per_unit, points_per_unit)
    value = offers["value_responder"].astype(float)
    if value.notna().any():
        a_unit = _rate(value, responder_units)
        step = _rate(value, advantage) if a_unit is None else a_unit
        return _Scaled(value - offers["batna"].fillna(0.0).astype(float), "points", step or "unknown", a_unit)
    pie_sizes = responder_units + proposer_units
    if pie_sizes.notna().any():
        if (pie_sizes.groupby(offers["game_id"]).nunique() > 1).any():
            return _Scaled(advantage, "units", 1.0 if _are_whole(advantage) else "unknown", None)
        pies = pie_sizes.dropna().unique()
        share = responder_units.where(pie_sizes > 0) / pie_sizes
        is_whole = len(pies) == 1 and pies[0] > 0 and _are_whole(responder_units)
        return _Scaled(
            share, "share of the pie", 1 / pies[0] if is_whole else "unknown", 1 / pies[0] if is_whole else None
        )
    if responder_units.notna().any() or len(elicited):
        is_whole = _are_whole(pd.concat([responder_units, elicited["least"]]))
        return _Scaled(responder_units, "units", 1.0 if is_whole else "unknown", 1.0)
    raise UsageError(
        "offers have neither value_responder nor units_to_responder, so that what an offer brings is not known"
    )


def _rate(value: pd.Series, units: pd.Series) -> float | None:
    """Return what a unit is worth, if units are whole and all worth the same."""
    is_usable = value.notna() & units.notna() & (units != 0)
    if not is_usable.any() or not _are_whole(units) or (value[units == 0] != 0).any():
        return None
    rates = value[is_usable] / units[is_usable]
    first_rate = float(rates.iloc[0])
    return first_rate if first_rate > 0 and np.allclose(rates, first_rate, rtol=1e-9, atol=0) else None


def _are_whole(numbers: pd.Series) -> bool:
    values = numbers.dropna().to_numpy(dtype=float)
    return bool(len(values)) and bool((values == np.floor(values)).all())


def _least_amounts(answers: IntoFrame | None, seats: pd.DataFrame) -> pd.DataFrame:
    """Return the least amounts that people said they accept: `participant_id`, `game_id`, `least`, `batna`."""
    no_answers = pd.DataFrame({"participant_id": [], "game_id": [], "least": [], "batna": []})
    if answers is None:
        return no_answers
    table = _pandas(answers, "answers", ("participant_id", "game_id", "question", "answer"), ())
    table = table[table["question"] == LEAST].reset_index(drop=True)
    if table.empty:
        return no_answers
    table["least"] = pd.to_numeric(table["answer"], errors="coerce").astype(float)
    unreadable = table[table["least"].isna() & table["answer"].notna()]
    if len(unreadable):
        raise SchemaError(
            f"{shown(unreadable['answer'].iloc[0])} is not a number; {LEAST} is an amount",
            table="answers",
            column="answer",
        )
    # Only what people said of games without an agent counts.
    of_agents = seats.loc[seats["kind"].eq("agent").fillna(False), "game_id"]
    table = table[table["least"].notna() & ~table["game_id"].isin(of_agents)]
    batna = seats[["game_id", "participant_id", "batna"]].drop_duplicates(["game_id", "participant_id"])
    return table.merge(batna, how="left", on=["game_id", "participant_id"])


def least_benefits(
    elicited: pd.DataFrame, offers: pd.DataFrame, benefits: _Scaled
) -> tuple[pd.Series, pd.Series, pd.Series | float]:
    """Return what the least that each accepts brings, the pie of each game, and what a unit of it is worth."""
    pies = (offers["units_to_responder"] + offers["units_to_proposer"]).astype(float)
    pie = elicited["game_id"].map(pies.groupby(offers["game_id"]).first())
    if pies.nunique() == 1:
        pie = pie.fillna(pies.dropna().iloc[0])
    unit_worth = (
        benefits.a_unit if benefits.a_unit is not None else (1 / pie if benefits.unit == "share of the pie" else np.nan)
    )
    smallest_benefit = elicited["least"] * unit_worth - (
        elicited["batna"].fillna(0.0) if benefits.unit == "points" else 0.0
    )
    return smallest_benefit, pie, unit_worth


def _strategies(elicited: pd.DataFrame, offers: pd.DataFrame, benefits: _Scaled) -> Answers:
    """Return a decision for each person's answer and each possible offer: accepted if it is no less than the least."""
    smallest_benefit, pie, unit_worth = least_benefits(elicited, offers, benefits)
    has_limit = smallest_benefit.notna().to_numpy()
    if not has_limit.any():
        raise UsageError(f"people said {LEAST} in units, but what a unit is worth to them differs or is not known")
    limit = smallest_benefit[has_limit].to_numpy(dtype=float)
    # A least amount answers every offer that could be made: accepted from there on.
    possible = _possible(limit, offers["benefit"], pie[has_limit] * unit_worth, benefits.step)
    person = _people(elicited["participant_id"][has_limit], elicited["game_id"][has_limit])
    tolerance = 1e-9 * max(np.abs(possible).max(), 1e-300)
    return Answers(
        np.tile(possible, len(limit)),
        (possible >= limit[:, np.newaxis] - tolerance).ravel(),
        np.repeat(person, len(possible)),
        int((~has_limit).sum()),
        int(elicited["game_id"][has_limit].nunique()),
        benefits.unit,
        benefits.step,
        True,
    )


def _possible(limit: Floats, offer_benefits: pd.Series, pies: pd.Series, step: Step) -> Floats:
    """Return the benefits that offers can have: each step up to the pie, or all that were offered or asked for."""
    largest = float(pies.max()) if pies.notna().all() and pies.nunique() == 1 else np.nan
    smallest = min(0.0, float(limit.min()))
    if isinstance(step, float) and np.isfinite(largest) and (largest - smallest) / step <= MOST:
        return np.asarray(smallest + step * np.arange(round((largest - smallest) / step) + 1))
    return np.unique(np.concatenate([[smallest], limit, offer_benefits.dropna().to_numpy(dtype=float)]))


def _people(participant: pd.Series, game: pd.Series) -> npt.NDArray[np.int64]:
    """Return a number for each person, in order; where one is not known, the game stands for them."""
    person, names = pd.factorize(participant)
    each_game = pd.factorize(game)[0] + len(names)
    return np.asarray(pd.factorize(np.where(person >= 0, person, each_game))[0], dtype=np.int64)


def _pandas(frame: IntoFrame, table: str, columns: tuple[str, ...], optional: tuple[str, ...]) -> pd.DataFrame:
    lazy_frame: Any = nw.from_native(frame).lazy()
    names = lazy_frame.collect_schema().names()
    for column in columns:
        if column not in names:
            raise SchemaError(f"the column is not there; there are {', '.join(names)}", table=table, column=column)
    optional_columns = [column for column in optional if column in names]
    rows: pd.DataFrame = lazy_frame.select(*columns, *optional_columns).collect("pandas").to_native()
    rows = rows.reset_index(drop=True)
    texts = {"responder", "participant_id"}
    absent = {column: pd.Series(None, index=rows.index, dtype="str" if column in texts else "float64")
              for column in optional if column not in names}  # fmt: skip
    return rows.assign(**absent)


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
    if answers not in ("humans", "humans-to-humans"):
        raise UsageError(f"answers is {shown(answers)}; choose 'humans' or 'humans-to-humans'")
    seats = _pandas(tables["players"], "players", _PLAYERS, ("participant_id", "batna"))
    offers = _pandas(tables["offers"], "offers", _OFFERS, _TOLD)
    least_amounts = _least_amounts(tables.get("answers"), seats)
    seat_offers = _join_seats(offers, seats if answers == "humans" else seats[in_human_games(seats)], role)
    # Decisions are those of people; who is not known to be an agent is one.
    is_decided = (
        ~seat_offers["kind"].eq("agent").fillna(False).to_numpy(dtype=bool)
        & seat_offers["responder"].notna().to_numpy()
    )
    seat_offers = seat_offers[is_decided].reset_index(drop=True)
    if seat_offers.empty and least_amounts.empty:
        raise UsageError("no offer was answered by a human")
    groups = _read_groups(tables, by)
    benefits = _scale_offers(seat_offers, points_per_unit, least_amounts)
    seat_offers = seat_offers.assign(benefit=benefits.benefit, group=_group_of(seat_offers["game_id"], groups))
    # A decision counts with its answer, what it brings, and its group.
    is_usable = (
        seat_offers["response"].isin(["accepted", "rejected"])
        & seat_offers["benefit"].notna()
        & seat_offers["group"].notna()
    )
    answered_offers = seat_offers[is_usable]
    frame = _build_decisions(answered_offers)
    elicited = _read_elicited(least_amounts, seat_offers, benefits, groups, frame) if len(least_amounts) else None
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
    return _join_responders(seat_offers, seats, ["kind", "participant_id", "batna"])


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
    least_amounts: pd.DataFrame,
    seat_offers: pd.DataFrame,
    benefits: _Scaled,
    groups: pd.Series | None,
    frame: pd.DataFrame,
) -> Elicited:
    """Return the interval that each least amount puts its person's threshold in."""
    amount, _, _ = least_benefits(least_amounts, seat_offers, benefits)
    group = _group_of(least_amounts["game_id"], groups)
    has_amount = (amount.notna() & group.notna()).to_numpy(dtype=bool)
    if not has_amount.any():
        raise UsageError("people said the least that they accept in units, but what a unit is worth is not known")
    step = benefits.step if isinstance(benefits.step, float) else None
    upper = amount[has_amount].to_numpy(dtype=float)
    lower = upper - step if step is not None else upper.copy()
    lowest = float((-least_amounts["batna"].fillna(0.0)).min()) if benefits.unit == "points" else 0.0
    if step is not None:
        rounding = 1e-9 * max(float(np.abs(upper).max()), abs(lowest), step)
        lower[
            upper <= lowest + rounding
        ] = -np.inf  # who takes the least amount there is has a threshold anywhere below
    person = least_amounts["participant_id"].fillna(least_amounts["game_id"]).astype(str)[has_amount]
    table = pd.DataFrame(
        {"person": person.to_numpy(), "group": group[has_amount].to_numpy(), "low": lower, "high": upper}
    )
    # An answer contradicts what was said if it accepts less, or refuses as much or more.
    stated_least = table.groupby("person")["high"].max()
    limit = frame["person"].map(stated_least)
    tolerance = 1e-9 * max(float(np.abs(upper).max()), 1e-300)
    contradicts = limit.notna() & (frame["accepted"] != (frame["benefit"] >= limit - tolerance))
    return Elicited(table, step, int(contradicts.sum()))


def _notes(answered_offers: pd.DataFrame, elicited: Elicited | None) -> tuple[str, ...]:
    notes = []
    n_unknown = int(answered_offers["kind"].isna().sum())
    if n_unknown:
        notes.append(f"{n_unknown} decisions by seats of unknown kind were taken for humans'")
    n_unnamed = int(answered_offers["participant_id"].isna().sum())
    if n_unnamed:
        notes.append(f"who made {n_unnamed} decisions is not known; each game counts as a person")
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
    last_offers = answered_offers.groupby("game_id")["offer"].max()
    accepted_offers = answered_offers[answered_offers["response"] == "accepted"]
    return bool(
        (accepted_offers["offer"].to_numpy() == last_offers.reindex(accepted_offers["game_id"]).to_numpy()).all()
    )


def _caption(answered_offers: pd.DataFrame, answers: AnswersOf, role: str | None, elicited: Elicited | None) -> str:
    if elicited is not None:
        people = elicited.frame["person"].nunique()
        return f"least acceptable amounts (strategy method) of {people} people, {len(elicited.frame)} answers"
    people = answered_offers["participant_id"].fillna(answered_offers["game_id"]).nunique()
    proposer_kinds = answered_offers["proposer_kind"]
    humans, agents = (int((proposer_kinds == proposer_kind).sum()) for proposer_kind in ("human", "agent"))
    recipients = [f"{count:,} to {name}" for count, name in ((humans, "humans"), (agents, "agents")) if count]
    n_unknown = len(answered_offers) - humans - agents
    recipients += [f"{n_unknown:,} to seats of unknown kind"] if n_unknown else []
    role_words = "" if role is None else f" about offers by {role}"
    scope = " in games of humans only" if answers == "humans-to-humans" else ""
    return f"{len(answered_offers):,} decisions of {people:,} people{role_words}{scope} ({', '.join(recipients)})"
