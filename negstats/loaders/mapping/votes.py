"""Offers that several seats answer: who accepts which offer, and whether these are enough.

`votes_of` reads the votes in the rows of a part. `count_votes` gives the offers their responses, once the seats of each
game are known, and `vote_answers` makes each vote the answer `vote` of its person about the game.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa

from negstats.loaders.mapping.conflicts import refuse_repeated
from negstats.loaders.mapping.frames import Array, Codes, Frame, grouped, nothing, picked, stacked
from negstats.loaders.mapping.rows import Lines, Places
from negstats.loaders.mapping.seats import Seats
from negstats.tables import text_array

QUESTION = "vote"
_MAJORITY, _ALL = -1, -2  # instead of a number of seats
_WORDS = {"majority": _MAJORITY, "all": _ALL}
_TYPES = {"at": "int64", "game_id": "int32", "player": "int32", "response": "int32", "of": "int64", "proposer": "int32"}


def votes_of(lines: Lines, game: Codes, event: Codes | None, base: Frame) -> Frame:
    """Return the votes in the rows of one part.

    Parameters
    ----------
    lines, game, event
        The rows, the game of each and, in a log of events, what it is.
    base
        The part's offers.

    Returns
    -------
    Frame
        ``at``, ``game_id``, ``player``, ``response``, ``needed`` (how many must accept), and the offer: its place in
        the log (``of``), or who made it (``proposer``); -1 for the one offer of the game.
    """
    part, places = lines.part, lines.places
    empty = {name: nothing(dtype, 0) for name, dtype in _TYPES.items()} | {"needed": nothing("float64", 0)}
    if part.accepts_needed is None:
        return empty
    frames: list[Frame] = []

    def add(rows: Lines, game: Codes, player: Codes, response: Codes, **offer: Array) -> None:
        frame = {name: nothing(dtype, len(rows)) for name, dtype in _TYPES.items()}
        frames.append(frame | {"at": rows.index, "game_id": game, "player": player, "response": response} | offer)

    offers = part.sections["offers"]
    if "vote" in offers:
        voted_on = {"proposer": lines.text(offers["voted_on"])} if "voted_on" in offers else {}
        add(lines, game, lines.text(part.sections["players"]["player"]), lines.text(offers["vote"]), **voted_on)
    for name, seat in part.seats.items():
        if "vote" in seat["players"]:
            player = np.full(len(lines), places.vocabulary("player").code(name), dtype=np.int32)
            add(lines, game, player, lines.text(seat["players"]["vote"]), of=lines.index)
    if event is not None:
        frames.append(empty | _votes_in_events(lines, game, event, base))
    needed = part.accepts_needed
    number = float(_WORDS[needed] if isinstance(needed, str) else needed)
    votes = stacked([frame | {"needed": np.full(len(frame["at"]), number)} for frame in frames] or [empty])
    return picked(votes, (votes["response"] >= 0) & (votes["player"] >= 0))


def _votes_in_events(lines: Lines, game: Codes, event: Codes, base: Frame) -> Frame:
    """Return each accept and reject as a vote on the latest offer before it."""
    places, order = lines.places, lines.part.sections["offers"].get("offer")
    code, response = places.vocabulary("event").code, places.vocabulary("response").code
    is_vote = np.isin(event, [code("accept"), code("reject")])
    votes, players = lines.only(is_vote), lines.part.sections["players"]
    keys = {
        "game": np.append(base["game_id"], game[is_vote]),
        "order": np.append(base["order"], votes.number(order)) if order else np.zeros(len(base["at"]) + len(votes)),
        "at": np.append(base["at"], votes.index),
        "offer": np.append(base["at"], np.full(len(votes), -1, dtype=np.int64)),
    }
    rows = pd.DataFrame(keys).sort_values(["game", "order", "at"], kind="stable")
    rows["of"] = rows["offer"].where(rows["offer"] >= 0).groupby(rows["game"]).ffill()
    of = rows.loc[rows["offer"] < 0].set_index("at")["of"].reindex(votes.index).fillna(-1).to_numpy(dtype=np.int64)
    places.leave_out(votes.index[of < 0], "a vote without an offer before it")
    said = np.where(event[is_vote] == code("accept"), response("accepted"), response("rejected")).astype(np.int32)
    player = votes.text(players["player"]) if "player" in players else nothing("int32", len(votes))
    frame: Frame = {"at": votes.index, "game_id": game[is_vote], "player": player, "response": said, "of": of}
    frame["proposer"] = nothing("int32", len(votes))
    return picked(frame, of >= 0)


def count_votes(base: Frame, votes: Frame, seats: Seats, places: Places) -> Frame:
    """Give offers without a response theirs, by the votes on them; return the votes with the row of their offer.

    An offer is accepted if as many seats accept it as must, its proposer among them, who accepts if no vote of the
    proposer is in the log. It is rejected if those that have not rejected it are too few.
    """
    if not len(votes["at"]):
        return votes | {"row": nothing("int64", 0)}
    votes = votes | {"row": _find_offers(base, votes, places)}
    places.intake.count("{0} votes are on no offer of their game, and are not kept", int((votes["row"] < 0).sum()))
    votes = picked(votes, votes["row"] >= 0)
    key = {"at": votes["at"], "row": votes["row"], "player": votes["player"], "game_id": votes["game_id"]}
    refuse_repeated(key, ["row", "player"], "each seat votes once on an offer", places)
    code, size = places.vocabulary("response").code, len(base["at"])
    said_yes, said_no = (votes["response"] == code(word) for word in ("accepted", "rejected"))
    by_proposer = np.zeros(size, dtype=bool)
    by_proposer[votes["row"][votes["player"] == base["proposer"][votes["row"]]]] = True
    voted = np.zeros(size, dtype=bool)
    voted[votes["row"]] = True
    n_yes = np.bincount(votes["row"][said_yes], minlength=size) + (voted & ~by_proposer)
    n_no = np.bincount(votes["row"][said_no], minlength=size)
    n_seats = np.bincount(seats.game, minlength=len(seats.pairs))[base["game"]]
    needed = np.full(size, np.nan)
    needed[votes["row"]] = votes["needed"]
    needed = np.where(needed == _MAJORITY, n_seats // 2 + 1, np.where(needed == _ALL, n_seats, needed))
    with np.errstate(invalid="ignore"):
        is_accepted, is_rejected = n_yes >= needed, n_seats - n_no < needed
    by_votes = np.where(is_accepted, code("accepted"), np.where(is_rejected, code("rejected"), -1))
    _note_votes(base["response"], by_votes, voted, places)
    base["response"] = np.where((base["response"] < 0) & voted, by_votes, base["response"]).astype(np.int32)
    return votes


def _note_votes(response: Codes, by_votes: Array, voted: Array, places: Places) -> None:
    """Note where votes do not settle an offer, or the log says that they did otherwise."""
    is_open = voted & (by_votes < 0) & (response < 0)
    places.intake.count("{0} offers have too few votes to be accepted or rejected", int(is_open.sum()))
    both = voted & (by_votes >= 0) & (response >= 0)
    what = "{0} of {1} responses are not those that the votes give; the log's are kept"
    places.intake.count(what, int((both & (response != by_votes)).sum()), int(both.sum()))


def _find_offers(base: Frame, votes: Frame, places: Places) -> Array:
    """Return the row of the offer that each vote is on, -1 where there is none."""
    row_of_place = np.full(places.size, -1, dtype=np.int64)
    row_of_place[base["at"]] = np.arange(len(base["at"]))
    row = np.where(votes["of"] >= 0, row_of_place[votes["of"]], -1)
    game, open_votes = base["game_id"].astype(np.int64), votes["of"] < 0
    width = len(places.vocabulary("player")) + 1
    by_maker = pd.Series(np.arange(len(game)), index=game * width + base["proposer"])
    if by_maker.index.has_duplicates:
        by_maker = by_maker[~by_maker.index.duplicated(keep="last")]
    maker_keys = votes["game_id"].astype(np.int64) * width + votes["proposer"]
    named = open_votes & (votes["proposer"] >= 0)
    row[named] = by_maker.reindex(maker_keys[named]).fillna(-1).to_numpy(dtype=np.int64)
    alone = open_votes & ~named
    of_game = pd.Series(np.arange(len(game)), index=game)
    several = np.isin(votes["game_id"], game[of_game.index.duplicated(keep=False)]) & alone
    if several.any():
        reason = "several offers of this game could be voted on; name who made the one that is, with offers.voted_on"
        raise places.fault(int(votes["at"][several.argmax()]), reason, rows=votes["at"][several])
    of_game = of_game[~of_game.index.duplicated()]
    row[alone] = of_game.reindex(votes["game_id"][alone]).fillna(-1).to_numpy(dtype=np.int64)
    return row


def vote_answers(votes: Frame, base: Frame, players: Frame, places: Places) -> Sequence[Frame]:
    """Return each vote as an answer of its person about the game: 1 for yes, 0 for no.

    Where somebody votes on several offers of a game, the question has the number of the offer behind its name.
    """
    if not len(votes["at"]):
        return []
    width = len(places.vocabulary("player")) + 1
    ids = players.get("participant_id", nothing("int32", len(players["player"])))
    person = pd.Series(ids, index=players["game_id"].astype(np.int64) * width + players["player"])
    keys = votes["game_id"].astype(np.int64) * width + votes["player"]
    people = person.reindex(keys).fillna(-1).to_numpy(dtype=np.int32)
    code = places.vocabulary("response").code
    answer = pd.Series(np.where(votes["response"] == code("accepted"), "1", "0"), dtype="str")
    is_vote = np.isin(votes["response"], [code("accepted"), code("rejected")]) & (people >= 0)
    places.intake.count("{0} votes are by unknown people and do not count as answers", int((people < 0).sum()))
    number = base["offer"][votes["row"]]
    groups = grouped([votes["game_id"], votes["player"]])
    repeats = len(np.unique(groups)) < len(groups)
    names = [f"{QUESTION}_{one}" if repeats else QUESTION for one in number.tolist()]
    frame: Frame = {
        "at": votes["at"],
        "participant_id": people,
        "game_id": votes["game_id"],
        "question": places.vocabulary("question").add(text_array(names)),
        "answer": places.vocabulary("answer").add(pa.array(answer.tolist(), pa.string())),
    }
    return [picked(frame, is_vote)]
