"""Sessions of a rule sheet as a log of events, in the form that `negstats.loaders.rulesheet` reads, and its study."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from negstats.loaders.rulesheet import LOG
from negstats.simulate.log import STUDY, build_provenance, read_events, write_events
from negstats.simulate.rulesheet.play import Played, Setup
from negstats.simulate.rulesheet.seats import Offer
from negstats.studies import Study

VERSION = "1"
SCENARIO = "rule sheet"


def as_study(setup: Setup, played: Sequence[Played], *, notes: Sequence[str] = ()) -> Study:
    """Return played games as a study.

    Parameters
    ----------
    setup
        What was played by whom.
    played
        The games, as `sessions_of` returns them.
    notes
        Lines for the study's provenance.

    Returns
    -------
    Study
        The study with its tables.

    Examples
    --------
    >>> from negstats.games.rulesheet import sheet
    >>> from negstats.simulate.rulesheet.play import sessions_of
    >>> setup = Setup.of(sheet.alternating_offers(shares=10, rounds=4), "own_payoff:refuse", name="pie")
    >>> study = as_study(setup, sessions_of(setup, games=1, seed=1))
    >>> study.offers[["proposer", "value_proposer", "value_responder", "response"]].values.tolist()[-1]
    ['a1', 9.0, 1.0, 'accepted']
    """
    return read_events(LOG, events(setup, played), build_provenance("sheet", VERSION, notes))


def write_log(path: str | Path, setup: Setup, played: Sequence[Played]) -> None:
    """Write sessions to a file, one event a line.

    Parameters
    ----------
    path
        The file.
    setup
        What was played by whom.
    played
        The games, as `sessions_of` returns them.
    """
    write_events(path, events(setup, played))


def events(setup: Setup, played: Sequence[Played]) -> Iterator[dict[str, Any]]:
    """Yield the sheet and then the events of each game, in the order in which they happened.

    Parameters
    ----------
    setup
        What was played by whom.
    played
        The games, as `sessions_of` returns them.

    Yields
    ------
    dict[str, Any]
        One event, to be written as a line of JSON.
    """
    rules, meaning = setup.sheet.rules, setup.sheet.meaning
    batna = meaning.alone()
    yield {
        "event": "sheet",
        "sheet": setup.name,
        "sha256": rules.source_sha256,
        "parameters": dict(setup.parameters),
        "roles": list(rules.roles),
        "text": setup.text,
        "values": [_present(value) for value in meaning.values()],
        **({} if batna is None else {"batna": dict(batna)}),
    }
    for game_played in played:
        yield {
            "event": "game",
            "game": game_played.game_id,
            "sheet": game_played.sheet,
            "study": STUDY,
            "scenario": SCENARIO,
            "players": dict(game_played.players),
            "factors": {f"player_{role}": name for role, name in game_played.players.items()},
        }
        for step, group in groupby(game_played.moves, key=lambda move: move.step):
            moves = list(group)
            offers = {move.role: _offer(move.offer) for move in moves if move.offer is not None}
            yield {
                "event": "step",
                "game": game_played.game_id,
                "round": step,
                "moves": {move.role: move.move for move in moves},
                "chosen_by": {move.role: move.chosen_by for move in moves},
                **({"offers": offers} if offers else {}),
            }
        payoffs = {} if game_played.points is None else {"payoffs": dict(game_played.points)}
        yield {"event": "end", "game": game_played.game_id, "ended": game_played.ended, **payoffs}


def _offer(offer: Offer) -> dict[str, Any]:
    fields: dict[str, Any] = {} if not offer.items else {"items": [_present(item) for item in offer.items]}
    for name, numbers in (("units", offer.units), ("worth", offer.worth)):
        if numbers is not None:
            fields[name] = dict(numbers)
    return fields


def _present(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if value is not None}
