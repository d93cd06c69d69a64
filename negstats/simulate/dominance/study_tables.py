"""Simulated talks as the tables of a study.

A proposal is an offer: of a single value one item, of an option one item a criterion. What is accepted last in an
agreement is the option that was booked, so the worth of the deal is what the sides score.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from negstats.games.dominance import Value
from negstats.simulate.dominance.talk_record import PROTOCOL, Played
from negstats.simulate.dominance.talks import SEATS, Transcript
from negstats.simulate.dominance.utterances import Accept, Booking, Leave, Propose, Reject, Utterance
from negstats.simulate.dominance.words import ACTS, in_words, label
from negstats.simulate.rows import STUDY, TableRows

RESPONSES: dict[type[Utterance], str] = {
    Accept: "accepted",
    Booking: "accepted",
    Reject: "rejected",
    Leave: "rejected",
}


def tables(played: Sequence[Played]) -> dict[str, pd.DataFrame]:
    """Return the tables of the talks, in their order."""
    rows = TableRows()
    for one in played:
        rows.add(
            "games",
            game_id=one.game_id,
            study=STUDY,
            scenario=one.scenario,
            protocol=PROTOCOL,
            ended=one.transcript.ended,
            rounds=len(one.transcript.turns),
            relation_a=one.relations[0],
            relation_b=one.relations[1],
            opener=one.opener,
        )
        _add_sides(rows, one)
        _add_offers(rows, one)
        for number, turn in enumerate(one.transcript.turns, 1):
            rows.add(
                "messages",
                game_id=one.game_id,
                message=number,
                sender=turn.seat,
                text=in_words(one.domain, turn.utterance),
                act=ACTS[type(turn.utterance)],
                labels=label(turn.utterance),
            )
    return rows.tables()


def _add_sides(rows: TableRows, one: Played) -> None:
    for place, (seat, likes) in enumerate(zip(SEATS, one.preferences, strict=True)):
        person = one.participant(seat)
        rows.add(
            "players",
            game_id=one.game_id,
            player=seat,
            kind="agent" if person is None else "human",
            agent=one.relations[place] if person is None else None,
            participant_id=person,
            points=None if one.points is None else float(one.points[place]),
        )
        for name, values in likes.domain.criteria:
            for value in values:
                score = float(likes.score(name, value))
                rows.add("values", game_id=one.game_id, player=seat, item=name, option=value, value=score)


def _add_offers(rows: TableRows, one: Played) -> None:
    number = 0
    for place, (seat, utterance) in enumerate(one.transcript.turns):
        if not isinstance(utterance, Propose):
            continue
        number += 1
        thing = utterance.thing
        proposer, responder = one.preferences if seat == "A" else one.preferences[::-1]
        rows.add(
            "offers",
            game_id=one.game_id,
            offer=number,
            round=place + 1,
            proposer=seat,
            responder="B" if seat == "A" else "A",
            value_proposer=None if isinstance(thing, Value) else float(proposer.option_score(thing)),
            value_responder=None if isinstance(thing, Value) else float(responder.option_score(thing)),
            response=_response(one.transcript, place),
        )
        parts = (
            [(thing.criterion, thing.value)] if isinstance(thing, Value) else zip(one.domain.names, thing, strict=True)
        )
        for name, value in parts:
            rows.add("items", game_id=one.game_id, offer=number, item=name, option=value)


def _response(transcript: Transcript, place: int) -> str:
    """Return what the next utterance makes of the proposal at a place."""
    if place + 1 == len(transcript.turns):
        return "none"
    return RESPONSES.get(type(transcript.turns[place + 1].utterance), "superseded")
