"""The dominance dialogue's event log: JSON Lines, as a lab can write it and `negstats simulate dominance` does.

A log is one file ``*.jsonl`` (or a folder of such files) whose first line is a ``talk`` event. Each line is a JSON
object with ``event`` and ``talk`` (the talk's name, unique in the study). The two seats are A and B. Events of one talk
stand in the order in which they happened; talks may be interleaved. Fields in parentheses may be left out; then the
tables hold a missing value.

``talk``, once, before the talk's other events
    ``domain``: ``{"criteria": {"price": ["cheap", "moderate"], ...}}`` (and ``options``, a list of options, each a list
    with a value for every criterion; all combinations if it is left out). (``relations``: by seat dominant, peer or
    submissive.) (``participants``: by seat the person who sat there; other seats are agents.) (``orders``: by seat and
    criterion all its values, best first: a value's score is how many are worse minus how many are better.) (``scores``:
    by seat, criterion and value, instead of those that follow from the orders; needed where orders are partial.)
    (``study``, ``scenario``, ``protocol``, ``started_at`` as an ISO 8601 time.)
``utterance``
    ``from``: the seat. ``type``: *state* or *ask*, with ``criterion``, ``less`` and ``more`` (values, or ``*`` for
    any); *propose*, *accept* or *reject*, with ``criterion`` and ``value``, or with ``option``; *booking*, with
    ``option``; *leave*. (``text``.) (``time_s`` since the talk began.)
``end``, once, after the talk's other events
    ``ended``: agreement, walkaway, timeout, ... as in the table ``games``. ``option``: what was booked.

Each proposal is an offer; an accepted, rejected or booked thing is what the other side proposed last in these words,
and otherwise the log is refused. Between the two, whatever else follows a proposal supersedes it, and leaving rejects
it. Whoever opens the talk is the factor ``opener``; the number of utterances is ``rounds``. A talk without an ``end``
event is kept as ended ``unknown``. The tables have no place for the options: where these are fewer than the
combinations, a note says that measures of the outcome space take all combinations.

Source of the dialogue: *Agent utterances in dialogue of cooperative negotiation* (a note without author or year).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from negstats.loaders.dominance.talk import Talk
from negstats.loaders.event_log import EventLog, build_tables, read_units
from negstats.loaders.files.events import begins_with
from negstats.loaders.files.intake import Intake
from negstats.loaders.format import Evidence, Track, untracked
from negstats.studies.study import Study

__all__ = ["FORMAT", "load"]

VERSION = "1"
# The events and their fields; any other is refused, for it would be lost.
FIELDS: dict[str, tuple[str, ...]] = {
    "talk": (
        *("domain", "relations", "participants", "orders", "scores"),
        *("study", "scenario", "protocol", "started_at"),
    ),
    "utterance": ("from", "type", "criterion", "less", "more", "value", "option", "text", "time_s"),
    "end": ("ended", "option"),
}


def load(path: str | Path, *, track: Track = untracked) -> Study:
    """Load an event log of dominance dialogues.

    Raises
    ------
    LogError
        Naming file and row: a line that is no JSON object, an event that is not known, a field that is not there or of
        another type, a value that the domain does not have, an answer to what was not proposed, a talk that begins
        twice or never, an event after the talk's end.

    Examples
    --------
    >>> import tempfile
    >>> lines = '''{"event": "talk", "talk": "t1", "domain": {"criteria": {"price": ["cheap", "dear"]}}}
    ... {"event": "utterance", "talk": "t1", "from": "A", "type": "propose", "option": ["cheap"]}
    ... {"event": "utterance", "talk": "t1", "from": "B", "type": "booking", "option": ["cheap"]}
    ... {"event": "end", "talk": "t1", "ended": "agreement", "option": ["cheap"]}'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.jsonl"
    ...     _ = file.write_text(lines)
    ...     load(file).offers[["proposer", "response"]].values.tolist()
    [['A', 'accepted']]
    """
    return LOG.read(Path(path), track)


def _matches(path: Path) -> Evidence | None:
    return begins_with(path, "talk")


def _read(files: Sequence[Path], intake: Intake, track: Track) -> dict[str, pd.DataFrame]:
    talks = read_units(files, intake, track, FIELDS, Talk)
    intake.count(
        "{0} talks are about fewer options than the combinations of values; measures of the outcome space "
        "take all combinations",
        sum(talk.fewer for talk in talks),
    )
    return build_tables(talks)


LOG = EventLog("dominance", VERSION, "talk", _read)
FORMAT = LOG.describe_format(
    "the dominance dialogue's event log: *.jsonl, one event a line, a 'talk' event first", _matches
)
