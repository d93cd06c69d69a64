"""Whether people took part in a study: computed in one place, from what its seats are and from what made it.

An agent is never counted as a participant, and neither is a player that a program made up, whatever its kind is called
in the game and whether it has an id.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import narwhals as nw

from negstats.studies.study import Study

Participation: TypeAlias = Literal["simulated", "agents", "people and agents", "people", "unknown"]

SIMULATED = "simulated: nobody took part"  # what a simulated game has in its column ``study``, in tables and in logs
SIMULATOR = "simulate "  # how the loader of a simulated study begins


def participation(study: Study) -> Participation:
    """Return who played a study's games.

    Parameters
    ----------
    study
        The study, in memory or with an engine.

    Returns
    -------
    str
        "simulated" where `negstats simulate` made all games; "agents", "people and agents" or "people" by the kinds of
        the seats; "unknown" where the kind of a seat is not on record, or there are no seats.

    Examples
    --------
    >>> import negstats
    >>> participation(negstats.load("datasets/sample")), participation(negstats.load("datasets/contract_sim/study"))
    ('people and agents', 'simulated')
    """
    if all(name.startswith(SIMULATOR) for name in study.provenance.loader.split("+")):
        return "simulated"
    study = study.with_frames()
    games = _levels(study, "games", "study")
    if games == {SIMULATED}:
        return "simulated"
    kinds = _levels(study, "players", "kind")
    if not kinds or None in kinds:
        return "unknown"
    if kinds == {"agent"}:
        return "agents"
    return "people and agents" if "agent" in kinds else "people"


def agent_name(study: Study) -> str | None:
    """Return what a study calls the only agent that people met; None where it names several, or none.

    It is the name in ``players.agent``, else that of the agents' seat.

    Examples
    --------
    >>> import negstats
    >>> agent_name(negstats.load("datasets/sample"))
    'Agent'
    """
    seats = study.with_frames().frame("players").filter((nw.col("kind") == "agent").fill_null(False))
    for column in ("agent", "player"):
        names = seats.select(nw.col(column).cast(nw.String)).drop_nulls().unique().head(2).collect()[column].to_list()
        if names:
            return names[0] if len(names) == 1 else None
    return None


def _levels(study: Study, table: str, column: str) -> set[str | None]:
    frame = study.frame(table).select(nw.col(column).cast(nw.String)).unique().collect()
    return {None if level != level else level for level in frame[column].to_list()}


def has_people(who: str) -> bool:
    """Whether people took part, or may have.

    Examples
    --------
    >>> has_people("people and agents"), has_people("unknown"), has_people("simulated")
    (True, True, False)
    """
    return who not in ("simulated", "agents")
