"""Simulated talks as a JSON Lines event log, in the form of `negstats.loaders.dominance`, and as its study."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from negstats.games.dominance import Preferences
from negstats.loaders.dominance import LOG
from negstats.simulate.dominance.talks import PROTOCOL, SEATS, Played
from negstats.simulate.dominance.words import ACTS, as_fields, in_words
from negstats.simulate.log import STUDY, build_provenance, read_events, write_events
from negstats.studies import Study

VERSION = "1"


def as_study(played: Sequence[Played], *, notes: Sequence[str] = ()) -> Study:
    """Return talks as a study.

    Parameters
    ----------
    played
        The talks, as `talks_of` returns them.
    notes
        Lines for the study's provenance.

    Returns
    -------
    Study
        The study with its tables.

    Examples
    --------
    >>> from negstats.simulate.dominance.play import talks_of
    >>> study = as_study(talks_of("submissive", "dominant", talks=2, seed=1))
    >>> study.factors
    ['relation_a', 'relation_b', 'opener']
    >>> study.messages["text"].iloc[0]
    'What do you like as for the cuisine?'
    """
    log_events = chain.from_iterable(map(events, played))
    return read_events(LOG, log_events, build_provenance("dominance", VERSION, notes))


def write_log(path: str | Path, played: Iterable[Played]) -> None:
    """Write talks to a file, one event a line.

    Parameters
    ----------
    path
        The file.
    played
        The talks, as `talks_of` returns them.
    """
    write_events(path, chain.from_iterable(map(events, played)))


def events(played: Played) -> Iterator[dict[str, Any]]:
    """Yield the events of one talk in the order in which they happened."""
    domain = played.domain
    domain_fields: dict[str, Any] = {"topic": domain.topic, "criteria": dict(domain.criteria)}
    if not domain.all_combined:
        domain_fields["options"] = domain.options
    yield {
        "event": "talk",
        "talk": played.game_id,
        "study": STUDY,
        "scenario": played.scenario,
        "protocol": PROTOCOL,
        "relations": dict(zip(SEATS, played.relations, strict=True)),
        "participants": {seat: person for seat in SEATS if (person := played.participant(seat)) is not None},
        "domain": domain_fields,
        **_liked(played),
    }
    for turn in played.transcript.turns:
        yield {
            "event": "utterance",
            "talk": played.game_id,
            "from": turn.seat,
            "type": ACTS[type(turn.utterance)],
            **as_fields(turn.utterance),
            "text": in_words(domain, turn.utterance),
        }
    yield {
        "event": "end",
        "talk": played.game_id,
        "ended": played.transcript.ended,
        "option": played.transcript.option,
    }


def _liked(played: Played) -> dict[str, Any]:
    """Return the orders; where these are partial, or do not give the scores, the scores too."""
    preferences_by_seat = dict(zip(SEATS, played.preferences, strict=True))
    preference_fields: dict[str, Any] = {
        "orders": {seat: _orders(likes) for seat, likes in preferences_by_seat.items()}
    }
    if not all(_is_total(likes) and likes.scoring == "net" for likes in played.preferences):
        preference_fields["scores"] = {
            seat: {
                name: {value: likes.score(name, value) for value in values} for name, values in likes.domain.criteria
            }
            for seat, likes in preferences_by_seat.items()
        }
    return preference_fields


def _orders(likes: Preferences) -> dict[str, Any]:
    if _is_total(likes):
        return {name: likes.ranked(name) for name in likes.domain.names}
    return {name: sorted(pairs) for name, pairs in zip(likes.domain.names, likes.orders, strict=True)}


def _is_total(likes: Preferences) -> bool:
    return all(
        len(pairs) == len(values) * (len(values) - 1) // 2
        for (_, values), pairs in zip(likes.domain.criteria, likes.orders, strict=True)
    )
