"""Talks of the dominance dialogue, of one pair of relations or every profile of preferences, played and logged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from negstats.games.dominance import Domain, Preferences, Relation, every_order, restaurants
from negstats.games.dominance.acceptance import is_relation
from negstats.loaders.dominance import LOG
from negstats.simulate.batches import Batch, Track, play_all, untracked
from negstats.simulate.dominance.agent import Readings
from negstats.simulate.dominance.sides import Person, agent_of
from negstats.simulate.dominance.talks import PROTOCOL, SEATS, Played, Seat, talk
from negstats.simulate.dominance.words import ACTS, as_fields, in_words
from negstats.simulate.log import STUDY, build_provenance, read_events, write_events
from negstats.studies import Study


@dataclass(frozen=True, slots=True)
class Setting:
    """Who talks about what, and how."""

    relations: tuple[Relation, Relation]
    domain: Domain = field(default_factory=restaurants)
    readings: Readings = field(default_factory=Readings)
    lapse: float | None = None
    opener: Seat = "A"
    limit: int | None = None

    def play(
        self, game_id: str, preferences: tuple[Preferences, Preferences], rng: np.random.Generator | None = None
    ) -> Played:
        """Let two sides with these preferences talk."""
        agents = [
            agent_of(relation, likes, self.readings)
            for relation, likes in zip(self.relations, preferences, strict=True)
        ]
        b = agents[1] if self.lapse is None else Person(agents[1], self.lapse)
        transcript = talk(agents[0], b, opener=self.opener, limit=self.limit, rng=rng)
        scored = (agents[0].preferences, agents[1].preferences)
        return Played(game_id, self.relations, scored, self.opener, None if self.lapse is None else "B", transcript)


def talks_of(
    relation_a: str,
    relation_b: str,
    talks: int,
    seed: int | Sequence[int],
    *,
    domain: Domain | None = None,
    readings: Readings | None = None,
    lapse: float | None = None,
    opener: Seat = "A",
    limit: int | None = None,
    track: Track[Played] = untracked,
) -> list[Played]:
    """Let two sides talk, each time with new preferences: every order of each criterion's values is as likely.

    Parameters
    ----------
    relation_a, relation_b
        Of A to B and of B to A: dominant, peer or submissive.
    talks
        How many.
    seed
        The same seed gives the same talks.
    domain
        What they talk about; `restaurants` if not given.
    readings
        How the note is read.
    lapse
        With a number B is a simulated person who takes the second best thing to say with this chance; otherwise an
        agent.
    opener
        The seat that speaks first.
    limit
        Utterances after which a talk is cut off.
    track
        Called with the batches of talks as they come and their number; yields them on (a progress bar).

    Returns
    -------
    list[Played]
        The talks in their order.

    Raises
    ------
    DesignError
        If there is no such relation or seat, or a lapse or limit makes no sense.
    UsageError
        If there are no talks, or a negative seed.

    Examples
    --------
    >>> played = talks_of("dominant", "peer", talks=3, seed=1)
    >>> [(one.game_id, one.transcript.ended) for one in played]
    [('dominant-peer 0001', 'agreement'), ('dominant-peer 0002', 'agreement'), ('dominant-peer 0003', 'walkaway')]
    """
    relations = (is_relation(relation_a), is_relation(relation_b))
    setting = Setting(relations, domain or restaurants(), readings or Readings(), lapse, opener, limit)
    likes = Preferences.in_order(setting.domain)
    setting.play("", (likes, likes), np.random.default_rng(0))  # refuses before any talk begins
    return play_all(partial(play_batch, setting), talks, seed, track=track)


def every_profile(
    relation_a: str, relation_b: str, *, domain: Domain | None = None, readings: Readings | None = None
) -> list[Played]:
    """Let A, which prefers values in the domain's order, talk with B of every strict order; A opens.

    As the trees do not know names, and renaming the values of both sides renames the talk, this covers every pair of
    strict orders.

    Parameters
    ----------
    relation_a, relation_b
        The relations of both sides: dominant, peer or submissive.
    domain
        Criteria, values and options; the restaurants by default.
    readings
        How the agents read what the paper leaves open.

    Returns
    -------
    list[Played]
        One talk for each order that B may have.

    Examples
    --------
    >>> played = every_profile("dominant", "dominant")
    >>> len(played), sum(one.transcript.ended == "agreement" for one in played)
    (288, 12)
    """
    setting = Setting(
        (is_relation(relation_a), is_relation(relation_b)), domain or restaurants(), readings or Readings()
    )
    a = Preferences.in_order(setting.domain, scoring=setting.readings.score)
    return [
        setting.play(_name(setting, number), (a, b))
        for number, b in enumerate(every_order(setting.domain, scoring=setting.readings.score))
    ]


def play_batch(setting: Setting, batch: Batch) -> list[Played]:
    """Play the talks of a batch."""
    talks = []
    for number, rng in batch.games():
        a, b = (_sample_preferences(setting, rng) for _ in range(2))
        talks.append(setting.play(_name(setting, number), (a, b), rng))
    return talks


def _sample_preferences(setting: Setting, rng: np.random.Generator) -> Preferences:
    orders = {name: [values[i] for i in rng.permutation(len(values))] for name, values in setting.domain.criteria}
    return Preferences.of(setting.domain, orders, scoring=setting.readings.score)


def _name(setting: Setting, number: int) -> str:
    return f"{'-'.join(setting.relations)} {number + 1:04d}"


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
