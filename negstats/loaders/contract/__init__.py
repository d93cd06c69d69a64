"""The contract game's event log in JSON Lines, an event in each line, as `negstats simulate` or a lab writes it.

A log is one file ``*.jsonl`` (or a folder of such files) whose first line is a ``game`` event. Each line is a JSON
object with ``event`` and ``game`` (the game's name, unique in the study). Events of one game stand in the order in
which they happened; games may be interleaved. Fields in parentheses may be left out; then the tables hold a missing
value.

``game``, once, before the game's other events
    ``players``: a list of ``{"player": "CS", "role": "customer", "agent": "CS-A"}``; instead of ``agent`` a person has
    (``participant``). (``batna`` of a player, in points.) (``study``, ``scenario``, ``protocol``, ``started_at`` as an
    ISO 8601 time.) (``factors``: the design, such as ``{"condition": "HvsH", "country": "Israel"}``.) (``chip_points``:
    what a chip scores; without it the values of offers are missing.)
``offer``
    ``from`` and ``to``: the seats. ``asks`` and ``gives``: chips by colour for the one who offers and for the other,
    such as ``{"red": 14, "purple": 7}``; a colour of which none travels is left out. ``response``: accepted, rejected,
    superseded or none. (``round``, counted from 1.) (``time_s`` since the game began.) (``commitment``: true or false,
    haim2017, Definition 4.)
``move``
    ``player``, ``square``: ``[row, column]`` entered, row 0 on top. (``paid``: the chip's colour.) (``round``.)
``message``
    ``player``, ``text``. (``time_s``.)
``end``, once, after the game's other events
    ``ended``: goal, dormant, timeout, disconnect, ... as in the table ``games``. (``rounds``.) (``points`` by seat.)
    (``reached_goal``: the seats that reached their goal, ``[]`` for none: the customer, and the provider whose goal it
    is.)

A game without an ``end`` event is kept as ended ``unknown``.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from negstats.errors import SchemaError
from negstats.loaders.contract.columns import Columns
from negstats.loaders.contract.log import Log
from negstats.loaders.event_log import EventLog
from negstats.loaders.files.events import Event, begins_with
from negstats.loaders.files.intake import Intake
from negstats.loaders.format import COLUMNS, Evidence, Track, untracked
from negstats.studies.study import Study
from negstats.tables import TABLES, check, empty

__all__ = ["FORMAT", "load"]

VERSION = "1"


def load(path: str | Path, *, track: Track = untracked) -> Study:
    """Load a contract game event log.

    Raises
    ------
    LogError
        Naming file and row: a line that is no JSON object, an event that is not known, a field that is not there or of
        another type, a game that begins twice or never, an event after the game's end.

    Examples
    --------
    >>> import tempfile
    >>> lines = '''{"event": "game", "game": "g1", "players": [{"player": "CS", "role": "customer"}]}
    ... {"event": "move", "game": "g1", "player": "CS", "square": [4, 5], "paid": "yellow"}
    ... {"event": "end", "game": "g1", "ended": "dormant", "points": {"CS": 115}, "reached_goal": []}'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "log.jsonl"
    ...     _ = file.write_text(lines)
    ...     load(file).players[["player", "role", "points", "reached_goal"]].values.tolist()
    [['CS', 'customer', 115.0, False]]
    """
    return LOG.read(Path(path), track)


def _matches(path: Path) -> Evidence | None:
    return begins_with(path, "game", COLUMNS)


def _tables(files: Sequence[Path], intake: Intake, track: Track) -> dict[str, pd.DataFrame]:
    columns: Columns | None = Columns()
    for file in track(files):
        data = intake.read(file)
        rows = columns.add(data) if columns else None
        if rows is None:
            columns, rows = None, sum(1 for line in data.splitlines() if line.strip())
        intake.add(file, data, rows)
        del data
    tables = columns.tables() if columns else None
    if tables is not None:
        try:
            check({name: tables.get(name, empty(name)) for name in TABLES})
        except SchemaError:  # a seat or a level that nobody knows; the row is told below
            tables = None
    tables = tables or _event_by_event(files, intake)
    unended = int((tables["games"]["ended"] == "unknown").sum())
    intake.count("{0} games have no end event and are kept as ended 'unknown'", unended)
    return tables


def _event_by_event(files: Sequence[Path], intake: Intake) -> dict[str, pd.DataFrame]:
    log = Log()
    for file in files:
        for row, line in intake.numbered(file, intake.read(file)):
            log.add(Event.parse(line, file, row))
    return log.tables()


LOG = EventLog("contract", VERSION, "game", _tables)
FORMAT = LOG.describe_format("the contract game's event log: *.jsonl, one event a line, a 'game' event first", _matches)
