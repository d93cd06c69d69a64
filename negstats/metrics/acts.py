"""What is done with words: shares of dialogue acts, who takes the initiative, who gives in, and who tells how much.

For logs whose messages say in ``act`` what they do (state, ask, propose, accept, reject, booking, leave, as in the
dominance dialogue), seat by seat. Any frame of ``messages``, ``players``, ``values``, ``offers`` and ``items``: the
result is of the same kind, lazy if it was lazy.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import narwhals as nw
from narwhals.typing import IntoFrame, IntoFrameT

from negstats.errors import UsageError
from negstats.metrics._frames import Frame, grouped, joined, native, opened, previous

DIALOGUE_ACTS = ("state", "ask", "propose", "accept", "reject", "booking", "leave")

_SEAT = ["game_id", "player"]


def act_shares(
    messages: IntoFrameT, players: IntoFrame | None = None, *, acts: Sequence[str] = DIALOGUE_ACTS
) -> IntoFrameT:
    """Return the share of each act among the messages of each seat.

    Unit: a share. Denominator: all messages of the seat, plain talk included. Missing for a seat without messages.

    Parameters
    ----------
    messages
        `game_id`, `sender`, `act`.
    players
        `game_id`, `player`: the seats to list; None lists those that speak.
    acts
        The acts to look for.

    Returns
    -------
    frame of the same kind
        `game_id`, `player` and for each act its share, such as `propose_share`; by game and player.

    Raises
    ------
    SchemaError
        If a column is not there.
    UsageError
        If no act is asked for.

    Examples
    --------
    >>> import pandas as pd
    >>> messages = pd.DataFrame({"game_id": "g", "sender": ["A", "B", "A"], "act": ["propose", "reject", "leave"]})
    >>> act_shares(messages, acts=["propose", "reject"])[["propose_share", "reject_share"]].values.tolist()
    [[0.5, 0.0], [0.0, 1.0]]
    """
    if not acts:
        raise UsageError("acts is empty; name at least one")
    acts_said = _select_messages(messages, ["act"])
    act = nw.col("act").fill_null("")
    names = [f"{act_name}_share" for act_name in acts]
    indicators = acts_said.with_columns(
        *(
            nw.when(act == act_name).then(1.0).otherwise(0.0).alias(name)
            for act_name, name in zip(acts, names, strict=True)
        )
    )
    shares = grouped(indicators, _SEAT, *(nw.col(name).mean() for name in names))
    return native(_seats(shares, players, []).select(*_SEAT, *names), messages)


def initiative(
    messages: IntoFrameT,
    players: IntoFrame | None = None,
    *,
    bringing_up: Collection[str] = ("state", "ask", "propose"),
    settling: Collection[str] = ("accept",),
    proposing: Collection[str] = ("propose",),
) -> IntoFrameT:
    """Return each seat's share of a game's openings and counter-proposals.

    An *opening* brings something up: a statement, question or proposal that is the first message of the game or follows
    an acceptance. A *counter-proposal* answers the other seat's proposal with a proposal. Repeating what was rejected
    is neither. Unit: a share. Denominator: openings and counter-proposals of all seats of the game. Missing where there
    are none. Reads the acts only, so an opening need not be about something new.

    Parameters
    ----------
    messages
        `game_id`, `message`, `sender`, `act`.
    players
        `game_id`, `player`: the seats to list; None lists those that speak.
    bringing_up, settling, proposing
        The acts that open, those after which an opening comes, and those that propose.

    Returns
    -------
    frame of the same kind
        `game_id`, `player`, `openings`, `counter_proposals`, `initiative`; by game and player.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    B counters A's opening, A accepts, and B brings up the next thing:

    >>> import pandas as pd
    >>> messages = pd.DataFrame({"game_id": "g", "message": [1, 2, 3, 4], "sender": ["A", "B", "A", "B"],
    ...                          "act": ["propose", "propose", "accept", "ask"]})
    >>> initiative(messages)[["openings", "counter_proposals", "initiative"]].values.tolist()
    [[1.0, 0.0, 0.3333333333333333], [1.0, 1.0, 0.6666666666666666]]
    """
    utterances = _select_messages(messages, ["message", "act"])
    utterances = utterances.with_columns(nw.col("act").fill_null(""))
    utterances = utterances.with_columns(
        previous(utterances, "act", ["game_id"], "message").alias("before"),
        previous(utterances, "player", ["game_id"], "message").alias("other"),
    )
    is_first = nw.col("other").is_null()
    previous_act = nw.col("before").fill_null("")
    # An opening brings something up at the start or after a
    # settlement; a counter-proposal answers the other's proposal.
    is_opening = nw.col("act").is_in(list(bringing_up)) & (is_first | previous_act.is_in(list(settling)))
    is_proposal = nw.col("act").is_in(list(proposing)) & previous_act.is_in(list(proposing))
    is_counter_proposal = is_proposal & (nw.col("other").fill_null("") != nw.col("player")) & ~is_first
    utterances = utterances.with_columns(
        nw.when(is_opening).then(1.0).otherwise(0.0).alias("openings"),
        nw.when(is_counter_proposal).then(1.0).otherwise(0.0).alias("counter_proposals"),
    )
    seat_counts = grouped(utterances, _SEAT, nw.col("openings").sum(), nw.col("counter_proposals").sum())
    # A seat that did neither has a count of 0.
    seat_counts = _seats(seat_counts, players, ["openings", "counter_proposals"])
    seat_counts = seat_counts.with_columns((nw.col("openings") + nw.col("counter_proposals")).alias("own"))
    game_counts = grouped(seat_counts, ["game_id"], nw.col("own").sum().alias("whole"))
    with_game_counts = joined(seat_counts, game_counts, ["game_id"])
    share = nw.when(nw.col("whole") > 0).then(nw.col("own") / nw.col("whole")).alias("initiative")
    return native(
        with_game_counts.with_columns(share).select(*_SEAT, "openings", "counter_proposals", "initiative").sort(*_SEAT),
        messages,
    )


def concessions(values: IntoFrameT, offers: IntoFrame, items: IntoFrame, *, up_to: float = 0.0) -> IntoFrameT:
    """Return how often each seat accepts, and itself proposes, a single option that it does not like.

    Unit: acceptances; proposals. Denominator: none, counts of each seat. Never missing: a seat that gives in nowhere
    has 0. Offers about several issues are not counted, nor those of which it is not known what they are worth to the
    seat. Proposals are counted besides, as one can give in by proposing what the other side has asked for: the
    submissive agent of the dominance dialogue does so, and accepts nothing that it dislikes from a dominant one.

    Parameters
    ----------
    values
        `game_id`, `player`, `item`, `option`, `value`; its seats are listed.
    offers
        `game_id`, `offer`, `proposer`, `responder`, `response`.
    items
        `game_id`, `offer`, `item`, `option`.
    up_to
        The worth, in points, up to which an option is not liked. Scores of the dominance dialogue count what is worse
        minus what is better.

    Returns
    -------
    frame of the same kind
        `game_id`, `player`, `concessions` (accepted), `unliked_proposals`; by game and player.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> values = pd.DataFrame({"game_id": "g", "player": ["A", "A", "B", "B"], "item": "place",
    ...                        "option": ["quiet", "lively"] * 2, "value": [1, -1, -1, 1]})
    >>> offers = pd.DataFrame({"game_id": "g", "offer": [1], "proposer": ["A"], "responder": ["B"],
    ...                        "response": ["accepted"]})
    >>> items = pd.DataFrame({"game_id": "g", "offer": [1], "item": ["place"], "option": ["quiet"]})
    >>> concessions(values, offers, items)[["concessions", "unliked_proposals"]].values.tolist()
    [[0, 0], [1, 0]]
    """
    worth = opened(values, "values", [*_SEAT, "item", "option", "value"])
    proposals = opened(offers, "offers", ["game_id", "offer", "proposer", "responder", "response"])
    offer_items = opened(items, "items", ["game_id", "offer", "item", "option"])
    # Only offers of a single option say which one is conceded.
    n_items = grouped(offer_items, ["game_id", "offer"], nw.len().alias("parts"))
    single_items = joined(offer_items, n_items, ["game_id", "offer"]).filter(
        (nw.col("parts") == 1) & ~nw.col("option").is_null()
    )
    single_items = joined(single_items, proposals, ["game_id", "offer"])
    unliked_options = worth.filter(~nw.col("option").is_null() & (nw.col("value") <= up_to))
    unliked_options = unliked_options.select(*_SEAT, "item", "option")
    acceptances = single_items.filter(nw.col("response") == "accepted")
    counts = worth.select(*_SEAT).unique()
    for name, side_offers, side in (
        ("concessions", acceptances, "responder"),
        ("unliked_proposals", single_items, "proposer"),
    ):
        offers_of_side = side_offers.select("game_id", nw.col(side).alias("player"), "item", "option")
        matched = offers_of_side.join(unliked_options, on=[*_SEAT, "item", "option"], how="inner")
        counts = joined(counts, grouped(matched, _SEAT, nw.len().alias(name)), _SEAT)
        counts = counts.with_columns(nw.col(name).fill_null(0).cast(nw.Int64))
    return native(counts.sort(*_SEAT), values)


def information_told(
    messages: IntoFrameT, players: IntoFrame | None = None, *, acts: Collection[str] = ("state",)
) -> IntoFrameT:
    """Return how many different statements about its preferences each seat makes.

    Unit: statements. Denominator: none, one count a seat; a repetition counts once. Never missing: a seat of `players`
    that states nothing has 0. Two statements are the same if their `labels` are, or, where there are none, their words.

    Parameters
    ----------
    messages
        `game_id`, `sender`, `act`, `labels`, `text`.
    players
        `game_id`, `player`: the seats to list; None lists those that speak.
    acts
        The acts that tell something.

    Returns
    -------
    frame of the same kind
        `game_id`, `player`, `information_told`; by game and player.

    Raises
    ------
    SchemaError
        If a column is not there.

    Examples
    --------
    >>> import pandas as pd
    >>> messages = pd.DataFrame({"game_id": "g", "sender": ["A", "A", "B"], "act": "state", "text": None,
    ...                          "labels": ["price: * < cheap", "price: * < cheap", "price: cheap < *"]})
    >>> information_told(messages)["information_told"].tolist()
    [1, 1]
    """
    utterances = _select_messages(messages, ["act", "labels", "text"])
    information = utterances.filter(nw.col("act").fill_null("").is_in(list(acts)))
    information = information.select(
        *_SEAT, nw.coalesce(nw.col("labels"), nw.col("text"), nw.lit("")).alias("what")
    ).unique()
    counts = grouped(information, _SEAT, nw.len().alias("information_told"))
    speaking = opened(players, "players", _SEAT) if players is not None else utterances.select(*_SEAT).unique()
    seats = joined(speaking, counts, _SEAT).sort(*_SEAT)
    return native(seats.with_columns(nw.col("information_told").fill_null(0).cast(nw.Int64)), messages)


def _select_messages(messages: IntoFrame, columns: Sequence[str]) -> Frame:
    """Return the messages with the seat under the name that other tables have for it."""
    return opened(messages, "messages", ["game_id", "sender", *columns]).rename({"sender": "player"})


def _seats(counts: Frame, players: IntoFrame | None, zero: Sequence[str]) -> Frame:
    """One row for each of `players`, in order; columns in `zero` are 0, not missing, for seats that have no row."""
    if players is None:
        return counts
    seats = joined(opened(players, "players", _SEAT), counts, _SEAT).sort(*_SEAT)
    return seats.with_columns(nw.col(*zero).fill_null(0.0)) if zero else seats
