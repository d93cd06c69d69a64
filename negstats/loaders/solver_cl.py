"""The Solver-CL study: people who negotiate with a robot (monurkeskin/Solver-CL-Agent, MIT licence).

Layout: ``raw_logs/<session>/negotiation_logs_<subject>_<session>.xlsx``, one sheet a session with one row an offer,
and ``final_dataset/experiment_subject_data.csv``, one row a subject and session with its condition. The raw logs load
without the table too, and so does one session's folder or one workbook; the condition is then missing.

What the logs are like, and what is done about it:

- There is no row for the acceptance: the last offer is the deal. Where the subject table has the session, its utilities
  must equal those of the last offer (to `TABLE_TOLERANCE`); else the game's end is ``unknown``, its points are missing,
  and a note names it. Sessions that the table does not have (the demo) are taken to end with their last offer.
- Points are the utilities of the logs, which are normalised: 1 is a seat's best outcome. In the demos, whose offers
  tell all weights, the worst outcome has 0 and the best 1; no utility of any session lies outside.
- Conditions stand in the table only.
- Offers are Python dict literals as text, with quantities as numbers or as text ("2"); an issue that is chosen and not
  divided keeps its option. The log does not say who gets the quantities, so ``receiver`` is missing.
- Times are shares of a deadline that the log does not name: ``time_share``.
- What the robot shows stands in ``messages`` as the act ``show-emotion``, what a person says as text.
- The labels in ``Move`` come from a classifier that the study does not describe; they are not kept.
  `negstats.metrics.steps` labels offers by a published rule.
- ``Max V`` to ``Sensitivity Class`` (a face reader's output; ``Valance`` is spelled so) are not kept.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pandas as pd

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Row, rows_of
from negstats.loaders.files.damaged import readable
from negstats.loaders.files.intake import Intake, literal, sheet_rows
from negstats.loaders.files.lines import need_columns
from negstats.loaders.files.parallel import WORKERS, each
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.files.tabular import Header, cell_text, text_column
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.studies.study import Study

__all__ = ["FORMAT", "TABLE_TOLERANCE"]

NAME = "experiment_subject_data.csv"

Key = tuple[str, str]  # a subject and a session, each as `as_name` gives it


def files_below(folder: Path, ending: str) -> Iterable[Path]:
    """Yield the files below a folder whose names end so; linked folders too (rglob skips them), each once."""
    real_paths = set()
    for place, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        real = os.path.realpath(place)
        if real in real_paths:
            folders.clear()
            continue
        real_paths.add(real)
        yield from readable((Path(place, name) for name in names if name.endswith(ending)), folder)


def subject_table(path: Path, intake: Intake) -> dict[Key, dict[str, Any]]:
    """Return condition and utilities by subject and session; {} if no table is below `path` or beside its folders."""
    tables_in_folder = sorted(files_below(path, NAME)) if path.is_dir() else []
    absolute_path = path.absolute()  # a relative path does not have all its parents
    tables_in_parents = [folder / "final_dataset" / NAME for folder in [absolute_path, *absolute_path.parents][:4]]
    file = next((place for place in [*tables_in_folder, *tables_in_parents] if place.is_file()), None)
    if file is None:
        intake.notes.append(f"no {NAME} was found: the condition is missing")
        return {}
    data = intake.read(file)
    table = read_table(data, file)
    need_columns(table.names, COLUMNS, file)
    intake.add(file, data, len(table.rows))
    intake.note_table(table, COLUMNS)
    outcomes: dict[Key, dict[str, Any]] = {}
    for row in rows_of(table, Row):
        cells = {column: _cell(row, column) for column in COLUMNS}
        key = (cells["Subject_ID"], cells["Session_ID"])
        if key in outcomes:
            raise LogError(f"subject {key[0]}, session {key[1]} is in an earlier row as well", file=file, row=row.row)
        outcomes[key] = cells
    return outcomes


def as_name(text: str) -> str:
    """Return a subject or session as it is looked up: 7, 07 and 7.0 are one number, S007 and s007 one name.

    >>> [as_name(text) for text in ("7", "07", "7.0", "S007")]
    ['7', '7', '7', 's007']
    """
    number = re.fullmatch(r"0*(\d+)(\.0+)?", text)
    if not text:
        raise ValueError
    return number[1] if number else text.casefold()


def _parse_number(text: str) -> float:
    """Return a utility; NaN where the table leaves it empty, so that it confirms no deal."""
    value = float(text) if text else math.nan
    if text and not math.isfinite(value):
        raise ValueError
    return value


# The columns of the subject table that are read, how each is, and what an error calls that.
COLUMNS: dict[str, tuple[Callable[[str], Any], str]] = {
    "Subject_ID": (as_name, "number or name"),
    "Session_ID": (as_name, "number or name"),
    "Condition": (lambda text: text or None, "name"),
    "Agent_Utility": (_parse_number, "number"),
    "Human_Utility": (_parse_number, "number"),
}


def _cell(row: Row, column: str) -> Any:
    read_cell, what = COLUMNS[column]
    text = (row.text(column) or "").strip()
    try:
        return read_cell(text)
    except ValueError:
        raise row.fault(f"{shown(text)} is not a {what}", column) from None


VERSION = "1"
TABLE_TOLERANCE = 0.005  # a table that rounds to two decimals still agrees

_NAME = re.compile(r"negotiation_logs_(?P<subject>[^_]+)_(?P<session>.+?)\.xlsx")
_NEEDED = ("Bidder", "Agent Utility", "Human Utility", "Offer", "Scaled Time")
_READ = {*_NEEDED, "Sentences", "Agent Emotion"}
_NUMBERS = ("Human Utility", "Agent Utility", "Scaled Time")
_SEATS = {"Human", "Agent"}


def matches(path: Path) -> Evidence | None:
    """Return the evidence if `path` is a workbook of this study, or a folder with one at most three levels down."""
    if path.is_file():
        file = path if _NAME.fullmatch(path.name) else None
    else:
        depths = ("", "*/", "*/*/", "*/*/*/")
        first_workbooks = (next(readable(path.glob(depth + "negotiation_logs_*.xlsx"), path), None) for depth in depths)
        file = next(filter(None, first_workbooks), None)
    return Evidence(SIGNATURE, f"{file.name} is named as this study's workbooks", (file,)) if file else None


def _workbook(contents: _Contents, file: Path, intake: Intake) -> _Session:
    """Return a workbook's session; `contents` are offers whose text is known."""
    data = intake.read(file)
    rows = sheet_rows(data, file)
    intake.add(file, data, len(rows) - 1)
    return _session(file, rows, contents, intake)


def read(path: Path, track: Track, *, workers: int = 1) -> Study:
    """Read the raw logs at `path` and, where it can be found beside them, the table of conditions."""
    intake = Intake(path)
    files = [path] if path.is_file() else _workbooks(path, intake)
    outcomes = subject_table(path, intake)
    sessions: dict[str, _Session] = {}
    for session in each(intake, files, partial(_workbook, {}), track, workers):
        if session.game in sessions:
            first = sessions[session.game].file
            raise LogError(f"is a second log of {session.game}; the first is {first}", file=session.file)
        sessions[session.game] = session
    sessions_with_offers = [session for session in sessions.values() if session.offers]
    _refuse_shared(sessions.values(), outcomes)
    ends = [_outcome(session, outcomes) for session in sessions_with_offers]
    intake.notes += _notes(sessions_with_offers, ends, outcomes)
    return Study(provenance=intake.provenance("solver_cl", VERSION), **_tables(sessions_with_offers, ends))


FORMAT = Format(
    "solver_cl",
    "a folder with raw_logs/<session>/negotiation_logs_<subject>_<session>.xlsx (human-robot negotiation)",
    matches,
    read,
    {"workers": WORKERS},
    roles={"session": "order", "condition": "condition"},
)


def _workbooks(folder: Path, intake: Intake) -> list[Path]:
    files = []
    for file in sorted(files_below(folder, ".xlsx")):
        if _NAME.fullmatch(file.name):
            files.append(file)
        else:
            intake.leave_out(file, 0, "a workbook that is not a negotiation_logs_<subject>_<session>.xlsx")
    return files


Item: TypeAlias = tuple[str, float, str | None]  # an issue, and its quantity or its option


_Contents: TypeAlias = dict[str, tuple[Item, ...]]  # of offers, by their texts


class _Offer(NamedTuple):
    """A row of the sheet."""

    bidder: str
    human: float
    agent: float
    time: float
    content: tuple[Item, ...]
    words: str
    emotion: str


@dataclass(frozen=True, slots=True)
class _Session:
    """One workbook: who plays, and the offers."""

    file: Path
    subject: str
    session: str
    offers: Sequence[_Offer]

    @property
    def game(self) -> str:
        """The name of the game."""
        return f"{self.subject}_{self.session}"

    def key(self, outcomes: Mapping[Key, object]) -> Key | None:
        """Return where the subject table has it, by name (S001, Session_1) or by number (1, 1); None if nowhere."""
        return next((key for key in product(_names(self.subject), _names(self.session)) if key in outcomes), None)


def _names(name: str) -> tuple[str, ...]:
    """Return what a subject table may call it: the name, and the number at its end.

    >>> _names("Session_1"), _names("Demo")
    (('session_1', '1'), ('demo',))
    """
    number = re.search(r"\d+$", name)
    return (as_name(name), as_name(number[0])) if number else (as_name(name),)


def _session(file: Path, rows: list[list[Any]], contents: _Contents, intake: Intake) -> _Session:
    name = _NAME.fullmatch(file.name)
    if name is None:
        raise LogError("is not named negotiation_logs_<subject>_<session>.xlsx", file=file)
    header = Header.of(rows[0] if rows else [], file, 1)
    need_columns(header.names, _NEEDED, file)
    twins = header.kept({*header.doubled})
    numbers = range(2, len(rows) + 1)
    columns = {
        name: text_column([cell_text(row[at]) for row in rows[1:]], file, numbers, name) for name, at in twins.items()
    }
    intake.note_table(header.table(file, columns, numbers), _READ)
    offers = []
    for place, cells in enumerate(rows[1:], start=2):
        row = dict(zip(header.names, cells, strict=True))
        if row["Bidder"] in _SEATS:
            offers.append(_offer(row, contents, file, place))
        else:
            intake.leave_out(file, place, "the bidder is neither Human nor Agent")
    if not offers:
        intake.leave_out(file, 0, "a log without an offer")
    return _Session(file, name["subject"], name["session"], offers)


def _offer(row: Mapping[str, Any], contents: _Contents, file: Path, place: int) -> _Offer:
    for column in _NUMBERS:
        if type(row[column]) is not float:
            raise LogError(f"{shown(row[column])} is not a number", file=file, row=place, column=column)
    text = str(row["Offer"])
    if text not in contents:  # the same text is parsed once
        content = literal(text, file=file, row=place, column="Offer")
        contents[text] = tuple((item, *_quantity(value)) for item, value in content.items())
    words, emotion = str(row.get("Sentences", "")).strip(), row.get("Agent Emotion", "")
    human, agent, time = (row[column] for column in _NUMBERS)
    return _Offer(row["Bidder"], human, agent, time, contents[text], words, emotion)


def _quantity(content: object) -> tuple[float, str | None]:
    """Return a quantity (logged as a number or as text) or the option of an issue that is not divided."""
    if isinstance(content, (int, float)):
        return float(content), None
    text = str(content)
    return (float(text), None) if text.isdecimal() else (math.nan, text)


def _refuse_shared(sessions: Iterable[_Session], outcomes: Mapping[Key, object]) -> None:
    """Refuse two logs that the subject table has as one session, such as Session_1 and Demo_1."""
    first: dict[Key, _Session] = {}
    for session in sessions:
        key = session.key(outcomes)
        if key is not None and first.setdefault(key, session) is not session:
            first_owner = f"{first[key].game} is subject {key[0]}, session {key[1]} of the subject table too"
            raise LogError(f"{first_owner}; name the table's subjects and sessions as the logs do", file=session.file)


def _outcome(session: _Session, outcomes: Mapping[Key, Mapping[str, Any]]) -> tuple[str | None, str]:
    """Return the condition and how the game ended: as the subject table confirms, or with the last offer."""
    key = session.key(outcomes)
    if key is None:
        return None, "agreement"
    row = outcomes[key]
    pairs = ((session.offers[-1].agent, row["Agent_Utility"]), (session.offers[-1].human, row["Human_Utility"]))
    is_equal = all(abs(logged - table_value) <= TABLE_TOLERANCE for logged, table_value in pairs)
    return row["Condition"], "agreement" if is_equal else "unknown"


def _notes(
    sessions: Sequence[_Session], ends: Sequence[tuple[str | None, str]], outcomes: Mapping[Key, object]
) -> list[str]:
    if not outcomes:
        return []
    notes = []
    keys = [session.key(outcomes) for session in sessions]
    lone_keys = [key for key in outcomes if key not in set(keys)]
    if lone_keys:
        more = f" (nor of {len(lone_keys) - 1} more)" if len(lone_keys) > 1 else ""
        notes.append(
            f"the subject table has subject {lone_keys[0][0]}, session {lone_keys[0][1]}; there is no log of it{more}"
        )
    if n_without_row := keys.count(None):
        notes.append(
            f"{n_without_row} sessions are not in the subject table: no condition; taken to end with their last offer"
        )
    differ = [session.game for session, (_, end) in zip(sessions, ends, strict=True) if end == "unknown"]
    n_equal = len(keys) - n_without_row - len(differ)
    if n_equal:
        notes.append(f"the last offer equals the subject table's outcome in {n_equal} sessions")
    if differ:
        notes.append(f"the last offer is not the subject table's outcome, so the end is unknown: {', '.join(differ)}")
    return notes


def _tables(sessions: Sequence[_Session], ends: Sequence[tuple[str | None, str]]) -> dict[str, pd.DataFrame]:
    rows = Gathered()
    for session, (_, end) in zip(sessions, ends, strict=True):
        _add_session(session, end, rows)
    tables = rows.tables(one_kind=False)
    tables["games"]["condition"] = pd.array([condition for condition, _ in ends], dtype="str")
    return tables


def _add_session(session: _Session, end: str, rows: Gathered) -> None:
    game, offers = session.game, session.offers
    bidders = [offer.bidder for offer in offers]
    rows.add(
        "games",
        game_id=game,
        study="solver_cl",
        scenario="+".join(sorted(item for item, _, _ in offers[-1].content)),
        protocol="alternating offers",
        ended=end,
        rounds=bidders.count(bidders[0]),
        session=session.session,
    )
    for seat, person, points in (("Human", session.subject, offers[-1].human), ("Agent", None, offers[-1].agent)):
        player = {"player": seat, "kind": seat.lower(), "participant_id": person}
        rows.add("players", game_id=game, **player, points=points if end == "agreement" else None)
    rounds = accumulate(name == bidders[0] for name in bidders)  # whoever opens the game opens each round
    for number, (offer, in_round, response) in enumerate(zip(offers, rounds, _responses(bidders, end), strict=True), 1):
        _add_offer(offer, game, in_round, response, rows)
        # Message 2k − 1 goes with the offer k, message 2k is the robot's face after it.
        if offer.words:
            rows.add("messages", game_id=game, message=2 * number - 1, sender=offer.bidder, text=offer.words)
        if offer.emotion:
            face = {"message": 2 * number, "sender": "Agent", "act": "show-emotion", "labels": offer.emotion}
            rows.add("messages", game_id=game, **face)


def _add_offer(offer: _Offer, game: str, in_round: int, response: str, rows: Gathered) -> None:
    row = rows.add_offer(
        game,
        (offer.bidder, "Agent" if offer.bidder == "Human" else "Human"),
        values={"Human": offer.human, "Agent": offer.agent},
        round=in_round,
        time_share=offer.time,
        response=response,
    )
    for item, quantity, option in offer.content:
        rows.add("items", game_id=game, offer=row["offer"], item=item, quantity=quantity, option=option)


def _responses(bidder: Sequence[str], end: str) -> list[str]:
    """Return what became of each offer: the other side's next one rejects it, one's own replaces it."""
    responses = ["superseded" if name == following else "rejected" for name, following in pairwise(bidder)]
    return [*responses, "accepted" if end == "agreement" else "none"]
