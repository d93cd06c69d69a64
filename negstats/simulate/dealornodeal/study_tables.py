"""Played dialogues as the tables of a study."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.games.dealornodeal import ACCEPT, ENDS, ISSUES
from negstats.games.dealornodeal.dialogue import share
from negstats.simulate.dealornodeal.meetings import Meeting
from negstats.simulate.dealornodeal.play import joined
from negstats.studies import Provenance, Study
from negstats.studies.participation import SIMULATOR
from negstats.tables import conform

STUDY, SCENARIO, PROTOCOL = "chawla2023-simulated", "Deal or No Deal", "acts"
SEATS = ("A", "B")  # A speaks first
VERSION = "1"
LABEL = "synthetic: made by negstats simulate dealornodeal; simulated acts, not the paper's bots, and nobody took part"

Integers = npt.NDArray[np.int64]


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
    >>> from negstats.games.dealornodeal import draw
    >>> from negstats.simulate.dealornodeal.meetings import meet
    >>> from negstats.simulate.dealornodeal.people import People
    >>> rng = np.random.default_rng(1)
    >>> study = as_study([meet(("S", People()), ("people", People()), draw(4, rng=rng), rng=rng, seed=1)])
    >>> study.factors
    ['reward', 'partner', 'opponent', 'mirrored']
    """
    return Study(provenance=Provenance(f"{SIMULATOR}dealornodeal", VERSION, notes=(LABEL, *notes)), **tables(meetings))


def tables(meetings: Sequence[Meeting]) -> dict[str, pd.DataFrame]:
    """Return the tables of the games, in their order."""
    ids = np.array([*chain.from_iterable(one.ids for one in meetings)], dtype=object)
    dialogues = joined([one.played for one in meetings])
    counts, values = dialogues.scenarios.counts, dialogues.scenarios.values  # noqa: PD011 - no frame
    games, utterance = np.nonzero(dialogues.acts >= 0)
    acts = dialogues.acts[games, utterance]
    seats = np.array(SEATS, dtype=object)
    kinds = np.select([acts < ACCEPT, acts == ACCEPT], ["propose", "accept"], "walk")
    factors = [one.factors for one in meetings for _ in range(len(one))]
    columns_by_table: dict[str, dict[str, Any]] = {
        "games": {
            "game_id": ids,
            "study": STUDY,
            "scenario": SCENARIO,
            "protocol": PROTOCOL,
            "ended": np.array(ENDS, dtype=object)[dialogues.how],
            "rounds": dialogues.length,
            **{name: [levels[name] for levels in factors] for name in ("reward", "partner", "opponent")},
            "mirrored": True,
        },
        "players": {
            "game_id": np.repeat(ids, 2),
            "player": np.tile(seats, len(ids)),
            "kind": "agent",
            "agent": [name for one in meetings for pair in zip(*one.names, strict=True) for name in pair],
            "points": dialogues.points.ravel().astype(float),
            "batna": 0.0,
        },
        "messages": {"game_id": ids[games], "message": utterance + 1, "sender": seats[utterance % 2], "act": kinds},
        "values": _values(ids, counts, values),
    }
    proposals = np.flatnonzero(acts < ACCEPT)
    columns_by_table |= _offers(
        ids, games[proposals], utterance[proposals], acts[proposals], counts, values, dialogues.agreed
    )
    return {name: conform(name, pd.DataFrame(columns)) for name, columns in columns_by_table.items()}


def _values(ids: npt.NDArray[np.object_], counts: Integers, values: Integers) -> dict[str, Any]:
    """Return what a unit of each item is worth to each seat of each game, as columns."""
    return {
        "game_id": np.repeat(ids, 6),
        "player": np.tile(np.repeat(np.array(SEATS, dtype=object), 3), len(ids)),
        "item": np.tile(ISSUES, 2 * len(ids)),
        "available": np.repeat(counts, 2, axis=0).ravel().astype(float),
        "value": values.ravel().astype(float),
    }


def _offers(
    ids: npt.NDArray[np.object_],
    games: Integers,
    utterance: Integers,
    acts: Integers,
    counts: Integers,
    values: Integers,
    has_agreement: npt.NDArray[np.bool_],
) -> dict[str, dict[str, Any]]:
    own_units = share(acts)
    partner_units, proposer = counts[games] - own_units, utterance % 2
    seats = np.array(SEATS, dtype=object)
    last = np.append(np.diff(games) > 0, True) if len(games) else np.zeros(0, dtype=bool)
    response = np.where(~last, "superseded", np.where(has_agreement[games], "accepted", "none"))
    number = pd.Series(games).groupby(games).cumcount().to_numpy() + 1
    to_both = np.stack([own_units, partner_units], axis=1)  # (offers, proposer and responder, issues)
    receivers = np.stack([seats[proposer], seats[1 - proposer]], axis=1)
    return {
        "offers": {
            "game_id": ids[games],
            "offer": number,
            "round": utterance + 1,
            "proposer": receivers[:, 0],
            "responder": receivers[:, 1],
            "units_to_proposer": own_units.sum(axis=1).astype(float),
            "units_to_responder": partner_units.sum(axis=1).astype(float),
            "value_proposer": (own_units * values[games, proposer]).sum(axis=1).astype(float),
            "value_responder": (partner_units * values[games, 1 - proposer]).sum(axis=1).astype(float),
            "response": response,
        },
        "items": {
            "game_id": np.repeat(ids[games], 6),
            "offer": np.repeat(number, 6),
            "item": np.tile(ISSUES, 2 * len(games)),
            "receiver": np.repeat(receivers.ravel(), 3),
            "quantity": to_both.ravel().astype(float),
        },
    }
