"""Favors, what is owed, and points over several negotiations of a session (mell2015), from tables to arrays.

Any frame of the tables: the result is of the same kind, lazy if it was lazy. Tables are collected: they have a few rows
a session. The player is the responder and the agent the proposer of the negotiations looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
import numpy.typing as npt
import pandas as pd
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import SchemaError, UsageError, shown
from negstats.games import favors as rules
from negstats.games.favors.rules import Count
from negstats.metrics._frames import Frame, collected, native, rate, returned, with_factors

Numbers = npt.NDArray[Any]

REQUEST = "favor-request"
ANSWERS = {"accepted": 1.0, "rejected": 0.0}
GAMES = ("game_id", "session", "negotiation")
OFFERS = ("game_id", "proposer", "responder", "value_proposer", "value_responder", "framing", "response")
PLAYERS = ("game_id", "player", "points", "batna")


@dataclass(frozen=True, slots=True)
class Sessions:
    """Some negotiations of every session; what is not known is missing (NaN).

    Attributes
    ----------
    names
        The sessions, sorted (sessions,).
    asked, good, accepted
        1 or 0 (sessions, negotiations): the offer is framed as a request, gives the responder more than its BATNA, is
        accepted.
    offers, points, batnas
        (sessions, negotiations, 2): responder (the player) and proposer (the agent).
    """

    names: Numbers
    asked: Numbers
    good: Numbers
    accepted: Numbers
    offers: Numbers
    points: Numbers
    batnas: Numbers


def sessions_of(games: IntoFrame, offers: IntoFrame, players: IntoFrame, negotiations: Sequence[int]) -> Sessions:
    """Return negotiations, in the order in which they are named, of every session of the tables.

    Parameters
    ----------
    games
        `game_id`, `session`, `negotiation`.
    offers
        `game_id`, `proposer`, `responder`, `value_proposer`, `value_responder`, `framing`, `response`.
    players
        `game_id`, `player`, `points`, `batna`.
    negotiations
        Their numbers.

    Raises
    ------
    SchemaError
        If a column is not there, a session has two games of one number, or such a game has two offers.
    """
    game_rows = collected(games, "games", GAMES).dropna(subset=["session"])
    names, session = np.unique(game_rows["session"].to_numpy(dtype=object), return_inverse=True)
    number = numbers_of(game_rows["negotiation"])
    # A cell for each session and negotiation that is named.
    column = pd.Series(range(len(negotiations)), index=list(negotiations)).reindex(number).to_numpy(dtype=np.float64)
    game_rows = game_rows.assign(cell=session * len(negotiations) + column)[~np.isnan(column)]
    _refuse_twice(game_rows, "games", "cell", "{} has two games of negotiation {}", ["session", "negotiation"])
    offer_rows = collected(offers, "offers", OFFERS).merge(game_rows[["game_id", "cell"]], on="game_id")
    _refuse_twice(
        offer_rows, "offers", "game_id", "game {} has two offers; in the favor game each has one", ["game_id"]
    )
    seats = collected(players, "players", PLAYERS).set_index(["game_id", "player"])[["points", "batna"]]
    cells = offer_rows["cell"].to_numpy(dtype=np.intp)
    seat_values = [
        seats.reindex(pd.MultiIndex.from_frame(offer_rows[["game_id", seat]])).to_numpy(dtype=np.float64)
        for seat in ("responder", "proposer")
    ]
    worth = offer_rows[["value_responder", "value_proposer"]].to_numpy(dtype=np.float64)
    batnas = np.stack([seat[:, 1] for seat in seat_values], axis=-1)
    framing = offer_rows["framing"]
    requests = np.where(framing.isna(), np.nan, (framing == REQUEST).to_numpy(dtype=np.float64))
    # An offer is good where it brings the player more than its BATNA.
    has_values = ~np.isnan(worth[:, 0]) & ~np.isnan(batnas[:, 0])
    good = np.where(has_values, worth[:, 0] > batnas[:, 0], np.nan)

    def fill(values: Numbers) -> Numbers:
        shape = (len(names), len(negotiations), *values.shape[1:])
        table = np.full((len(names) * len(negotiations), *values.shape[1:]), np.nan)
        table[cells] = values
        return table.reshape(shape)

    return Sessions(
        names,
        fill(requests),
        fill(good),
        fill(offer_rows["response"].map(ANSWERS).to_numpy(dtype=np.float64)),
        fill(worth),
        fill(np.stack([seat[:, 0] for seat in seat_values], axis=-1)),
        fill(batnas),
    )


def rows_with_factors(
    rows: pd.DataFrame, column: str, games: IntoFrame, by: Sequence[str] | str
) -> tuple[Frame, list[str]]:
    """Return rows of sessions, as the kind of frame that `games` is, with the factors of their games; and these."""
    session_games = (
        collected(games, "games", ["game_id", "session"]).dropna(subset="session").drop_duplicates("session")
    )
    frame: Any = nw.from_native(returned(rows.merge(session_games, on="session"), games))
    return with_factors(frame.with_columns(nw.col(column).cast(nw.Float64).fill_nan(None)), games, by)


def numbers_of(values: pd.Series) -> Numbers:
    """Return the numbers of negotiations; raises SchemaError if one is none."""
    try:
        return pd.to_numeric(values).to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError):
        unreadable = values[pd.to_numeric(values, errors="coerce").isna() & values.notna()].iloc[0]
        raise SchemaError(
            f"{shown(unreadable)} is not a number of a negotiation", table="games", column="negotiation"
        ) from None


def _refuse_twice(rows: pd.DataFrame, table: str, column: str, reason: str, key_columns: Sequence[str]) -> None:
    is_repeat = rows[column].duplicated()
    if is_repeat.any():
        [row] = rows.loc[is_repeat, list(key_columns)].head(1).to_dict("records")
        raise SchemaError(reason.format(*map(shown, row.values())), table=table, column=key_columns[-1])


def favors(
    games: IntoFrameT, offers: IntoFrame, players: IntoFrame, *, count: Count = "asked", pairs: int = 2
) -> IntoFrameT:
    """Return how many favors were asked for, granted, returned and betrayed in each session.

    In a slot for a favor (odd negotiations) the offer may be framed as a request; an accepted one is a favor *granted*.
    In the slot after it a good offer (more than the BATNA to the player) *returns* it, whether or not the player takes
    it; *realised* are those taken. After a granted favor an offer that is not good is a *betrayal*; a good one without
    a granted favor a *gift*.

    Unit: favors. Denominator: none, one row a session. Missing where a negotiation of the pairs, its answer, framing or
    points are not known.

    As in Mell et al. (2015, sections 3 to 5); what the paper leaves open as `negstats.games.favors` says.

    Parameters
    ----------
    games
        `game_id`, `session`, `negotiation`.
    offers
        `game_id`, `proposer`, `responder`, `value_proposer`, `value_responder`, `framing`, `response`.
    players
        `game_id`, `player`, `points`, `batna`.
    count
        ``"asked"``, or ``"any"`` to count every accepted offer in a slot for a favor as one, for agents that never ask.
    pairs
        How many pairs of negotiations, from the first on.

    Returns
    -------
    frame of the same kind
        `session`, `asked`, `granted`, `returned`, `realised`, `betrayed`, `gifts`; by session.

    Raises
    ------
    SchemaError
        If a column is not there, a session has two games of one number, or such a game has two offers.
    DesignError
        If there is no such way to count.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> from negstats.simulate.favors import as_study, favor_games_of
    >>> study = as_study(favor_games_of("betraying", sessions=3, seed=3))
    >>> favors(study.games, study.offers, study.players)[["asked", "granted", "betrayed"]].values.tolist()
    [[2.0, 1.0, 1.0], [2.0, 0.0, 0.0], [2.0, 1.0, 1.0]]
    """
    sessions = sessions_of(games, offers, players, _numbers(pairs))
    favor_counts = rules.favors(sessions.asked, sessions.good, sessions.accepted, count=count)
    requests = np.where(np.arange(2 * pairs) % 2 == 0, sessions.asked, np.where(np.isnan(sessions.asked), np.nan, 0.0))
    columns = {
        "asked": requests,
        "granted": favor_counts.granted,
        "returned": favor_counts.returned,
        "realised": favor_counts.realised,
        "betrayed": favor_counts.betrayed,
        "gifts": favor_counts.gift,
    }
    table = {name: values.sum(axis=1) for name, values in columns.items()}
    return returned(pd.DataFrame({"session": sessions.names, **table}), games)


def ledger(
    games: IntoFrameT, offers: IntoFrame, players: IntoFrame, *, count: Count = "asked", pairs: int = 2
) -> IntoFrameT:
    """Return the agent's debt after each negotiation of a session, in favors and in points.

    Unit: `ledger` in favors, granted less returned (never negative); `player_points` and `agent_points` in points, what
    the player has given up beside its BATNAs and what the agent has gained beside its own, up to and with the
    negotiation. Denominator: none, one row a session and negotiation. Missing from the first negotiation on that is not
    known.

    As in Mell et al. (2015, sections 3 to 5); see `favors`.

    Parameters
    ----------
    games, offers, players, count, pairs
        As for `favors`.

    Returns
    -------
    frame of the same kind
        `session`, `negotiation`, `ledger`, `player_points`, `agent_points`; by session and negotiation.

    Raises
    ------
    SchemaError, DesignError
        As `favors`.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> from negstats.simulate.favors import as_study, favor_games_of
    >>> study = as_study(favor_games_of("favor-seeking", sessions=1, seed=4))
    >>> ledger(study.games, study.offers, study.players)[["negotiation", "ledger", "player_points"]].values.tolist()
    [[1.0, 1.0, 1.0], [2.0, 0.0, -23.0], [3.0, 1.0, -22.0], [4.0, 0.0, -46.0]]
    """
    sessions = sessions_of(games, offers, players, _numbers(pairs))
    balance = rules.favors(sessions.asked, sessions.good, sessions.accepted, count=count).ledger
    points = rules.points_ledger(sessions.points, sessions.batnas)
    table = {
        "session": np.repeat(sessions.names, 2 * pairs),
        "negotiation": np.tile(_numbers(pairs), len(sessions.names)).astype(np.int64),
        "ledger": balance.reshape(-1),
        "player_points": points[:, :, 0].reshape(-1),
        "agent_points": points[:, :, 1].reshape(-1),
    }
    return returned(pd.DataFrame(table), games)


def favor_state(games: IntoFrameT, offers: IntoFrame, players: IntoFrame, *, pair: int = 1) -> IntoFrameT:
    """Return the state that a session is in after a pair of negotiations.

    From whether the agent asked for a favor in the first negotiation of the pair, whether the player accepted, and
    whether the offer of the second is good: *favor returned*, *betrayal*, *altruistic*, *tit-for-tat* or *competitive*.

    Unit: a name. Denominator: none, one row a session. Missing where one of the three is not known.

    As in Mell et al. (2015, Table 5) for negotiations 1 and 2; for another pair it is an extension, not the paper's.

    Parameters
    ----------
    games, offers, players
        As for `favors`.
    pair
        1 for negotiations 1 and 2, 2 for 3 and 4, ...

    Returns
    -------
    frame of the same kind
        `session`, `state`; by session.

    Raises
    ------
    SchemaError
        As `favors`.
    UsageError
        If `pair` is below 1.

    References
    ----------
    Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
    negotiations. Proceedings of AAMAS 2015.

    Examples
    --------
    >>> from negstats.simulate.favors import as_study, favor_games_of
    >>> study = as_study(favor_games_of("betraying", sessions=3, seed=3))
    >>> favor_state(study.games, study.offers, study.players)["state"].tolist()
    ['betrayal', 'tit-for-tat', 'betrayal']
    """
    if pair < 1:
        raise UsageError(f"pair is {pair}; pairs are counted from 1")
    sessions = sessions_of(games, offers, players, (2 * pair - 1, 2 * pair))
    states = rules.state(sessions.asked[:, 0], sessions.accepted[:, 0], sessions.good[:, 1])
    return returned(pd.DataFrame({"session": sessions.names, "state": pd.Series(states, dtype="str")}), games)


def acceptance_by_state(
    games: IntoFrameT,
    offers: IntoFrame,
    players: IntoFrame,
    by: Sequence[str] | str = (),
    *,
    pair: int = 1,
    confidence_level: float = 0.95,
) -> IntoFrameT:
    """Return how often the offer after a pair of negotiations is accepted, by the state after the pair.

    Unit: a share. Denominator: sessions in the state of which the answer is known (`n`); the others are counted in
    `missing`. Sessions whose state is not known have a row of their own.

    As in Mell et al. (2015, section 5: acceptance in negotiation 3); the interval is Wilson's (1927).

    Parameters
    ----------
    games, offers, players
        As for `favor_state`.
    by
        Factors, columns of `games`, to split the states by.
    pair
        As for `favor_state`.
    confidence_level
        Of the interval.

    Returns
    -------
    frame of the same kind
        The factors, `state`, `n`, `count`, `missing`, `rate`, `low`, `high`, `level`.

    Raises
    ------
    SchemaError
        As `favors`.
    UsageError
        If `pair` is below 1, a factor is not a column of `games`, or the level is not between 0 and 1.

    References
    ----------
    - Mell, J., Lucas, G., & Gratch, J. (2015). An effective conversation tactic for creating value over repeated
      negotiations. Proceedings of AAMAS 2015.
    - Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
      American Statistical Association, 22, 209–212.

    Examples
    --------
    >>> from negstats.simulate.favors import as_study, favor_games_of
    >>> study = as_study(favor_games_of("betraying", sessions=40, seed=2))
    >>> acceptance_by_state(study.games, study.offers, study.players)[["state", "n", "count"]].values.tolist()
    [['betrayal', 15, 5], ['tit-for-tat', 25, 4]]
    """
    states = collected(favor_state(games, offers, players, pair=pair), "games", ["session", "state"])
    third = sessions_of(games, offers, players, (2 * pair + 1,))
    answers = pd.DataFrame({"session": third.names, "accepted": third.accepted[:, 0]})
    with_levels, factors = rows_with_factors(answers.merge(states, on="session"), "accepted", games, by)
    return native(rate(with_levels, "accepted", [*factors, "state"], confidence_level), games)


def _numbers(pairs: int) -> tuple[int, ...]:
    if pairs < 1:
        raise UsageError(f"pairs is {pairs}; at least 1 is needed")
    return tuple(range(1, 2 * pairs + 1))


def session_points(
    games: IntoFrameT, players: IntoFrame, by: Sequence[str] | str = (), *, negotiations: Sequence[int] = (1, 2, 3, 4)
) -> IntoFrameT:
    """Return the points of each seat over all negotiations of a session, and their joint value.

    Unit: points. Denominator: none, one row a session and seat. Missing where one of the negotiations is, or a seat's
    points in it are not known.

    Parameters
    ----------
    games
        `game_id`, `session`, `negotiation`.
    players
        `game_id`, `player`, `points`.
    by
        Factors, columns of `games`, to give beside; as they are in the session's first row.
    negotiations
        Which are added up, by number.

    Returns
    -------
    frame of the same kind
        `session`, the factors, `player` (the seat), `points`, `joint_value`; by session and seat.

    Raises
    ------
    UsageError
        If no negotiation is named, or a factor is not a column of `games`.
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> from negstats.simulate.favors import as_study, favor_games_of
    >>> study = as_study(favor_games_of("favor-seeking", sessions=1, seed=4))
    >>> session_points(study.games, study.players)[["player", "points", "joint_value"]].values.tolist()
    [['agent', 66.0, 132.0], ['player', 66.0, 132.0]]
    """
    if not negotiations:
        raise UsageError("negotiations is empty; name those that are added up")
    factors = [by] if isinstance(by, str) else list(by)
    game_table: Any = nw.from_native(games)
    lacking = [name for name in factors if name not in game_table.collect_schema().names()]
    if lacking:
        raise UsageError(f"by names {lacking[0]!r}, which is not a column of games")
    game_rows = collected(games, "games", ["game_id", "session", "negotiation", *factors]).dropna(subset="session")
    session_rows = game_rows.drop_duplicates("session")[["session", *factors]]
    those_negotiations = game_rows[np.isin(numbers_of(game_rows["negotiation"]), list(negotiations))]
    seats = collected(players, "players", ["game_id", "player", "points"])
    all_seats = seats[seats["game_id"].isin(game_rows["game_id"])].merge(
        game_rows[["game_id", "session"]], on="game_id"
    )
    rows = all_seats[["session", "player"]].drop_duplicates().sort_values(["session", "player"])
    seat_points = seats.merge(those_negotiations[["game_id", "session"]], on="game_id").groupby(["session", "player"])[
        "points"
    ]
    # A seat that lacks the points of one negotiation has no total.
    totals = seat_points.agg(points="sum", known="count").reset_index()
    seat_totals = rows.merge(totals, on=["session", "player"], how="left")
    seat_totals["points"] = seat_totals["points"].where(seat_totals["known"] == len(set(negotiations)))
    joint = seat_totals.groupby("session")["points"].agg(lambda points: points.sum(skipna=False))
    seat_totals["joint_value"] = seat_totals["session"].map(joint)
    columns = ["session", *factors, "player", "points", "joint_value"]
    return returned(pd.DataFrame(seat_totals.merge(session_rows, on="session")[columns]), games)
