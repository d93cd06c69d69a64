"""Played dialogues as a JSON Lines event log, in the form of `negstats.loaders.dealornodeal_acts`, and as its study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from negstats.games.dealornodeal import ACCEPT, ENDS, ISSUES
from negstats.games.dealornodeal.dialogue import share
from negstats.loaders.dealornodeal_acts import LOG
from negstats.simulate.dealornodeal.meetings import Meeting
from negstats.simulate.log import build_provenance, read_events, write_events
from negstats.studies import Study

STUDY, SCENARIO, PROTOCOL = "chawla2023-simulated", "Deal or No Deal", "acts"
SEATS = ("A", "B")  # A speaks first
VERSION = "1"
CAUTION = "simulated acts, not the paper's bots, and nobody took part"


def as_study(meetings: Sequence[Meeting], *, notes: Sequence[str] = ()) -> Study:
    """Return dialogues as a study.

    A game is a dialogue; `rounds` are its utterances, and the round of an offer is the utterance that made it. A
    message has an act and no text, so it is no *utterance* of `negstats.metrics`, which counts plain talk.

    Parameters
    ----------
    meetings
        The dialogues, a meeting for each pair of agent and opponent.
    notes
        Lines for the study's provenance.

    Returns
    -------
    Study
        The study with its tables.

    Examples
    --------
    >>> import numpy as np
    >>> from negstats.games.dealornodeal import draw
    >>> from negstats.simulate.dealornodeal.meetings import meet
    >>> from negstats.simulate.dealornodeal.people import People
    >>> rng = np.random.default_rng(1)
    >>> study = as_study([meet(("S", People()), ("people", People()), draw(4, rng=rng), rng=rng, seed=1)])
    >>> study.factors
    ['reward', 'partner', 'opponent', 'mirrored']
    """
    provenance = build_provenance("dealornodeal", VERSION, notes, CAUTION)
    return read_events(LOG, chain.from_iterable(map(events, meetings)), provenance)


def write_log(path: str | Path, meetings: Sequence[Meeting]) -> None:
    """Write the games to a file, one event a line.

    Parameters
    ----------
    path
        The file.
    meetings
        The dialogues, a meeting for each pair of agent and opponent.
    """
    write_events(path, chain.from_iterable(map(events, meetings)))


def events(meeting: Meeting) -> Iterator[dict[str, Any]]:
    """Yield the events of the games, one game after the other, in the order in which they happened."""
    dialogues = meeting.played
    for place, (name, *agents) in enumerate(zip(meeting.ids, *meeting.names, strict=True)):
        yield {
            "event": "game",
            "game": name,
            "study": STUDY,
            "scenario": SCENARIO,
            "protocol": PROTOCOL,
            "seed": meeting.seed,
            "factors": {**meeting.factors, "mirrored": True},
            "counts": _count_by_issue(dialogues.scenarios.counts[place]),
            "first": SEATS[0],
            "players": [
                {"player": seat, "agent": agent, "batna": 0, "values": _count_by_issue(values)}
                for seat, agent, values in zip(SEATS, agents, dialogues.scenarios.values[place], strict=True)
            ],
        }
        acts = dialogues.acts[place]
        for number, act in enumerate(acts[acts >= 0].tolist()):
            event = {"event": "act", "game": name, "number": number, "player": SEATS[number % 2]}
            if act < ACCEPT:
                yield {**event, "act": "propose", "units": _count_by_issue(share(act))}
            else:
                yield {**event, "act": "accept" if act == ACCEPT else "walk"}
        points = dict(zip(SEATS, dialogues.points[place].tolist(), strict=True))
        yield {"event": "end", "game": name, "ended": ENDS[dialogues.how[place]], "points": points}


def _count_by_issue(numbers: Any) -> dict[str, int]:
    return dict(zip(ISSUES, numbers.tolist(), strict=True))
