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
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import accumulate, chain, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from negstats.errors import LogError, meant, shown
from negstats.loaders.files.columns import chosen, texts
from negstats.loaders.files.damaged import readable
from negstats.loaders.files.intake import Intake, literal, sheet_rows
from negstats.loaders.files.parallel import WORKERS, each
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.loaders.solver_cl.subject_table import Key, as_name, files_below, subject_table
from negstats.studies.study import Study
from negstats.tables import conform, text_array

__all__ = ["FORMAT", "TABLE_TOLERANCE"]

VERSION = "1"
TABLE_TOLERANCE = 0.005  # a table that rounds to two decimals still agrees

_NAME = re.compile(r"negotiation_logs_(?P<subject>[^_]+)_(?P<session>.+?)\.xlsx")
_NEEDED = ("Bidder", "Agent Utility", "Human Utility", "Offer", "Scaled Time")
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


def _workbook(contents: dict[str, _Content], file: Path, intake: Intake) -> _Session:
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
    sessions_with_offers = [session for session in sessions.values() if session.bidder]
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
    files, others = [], 0
    for file in sorted(files_below(folder, ".xlsx")):
        if _NAME.fullmatch(file.name):
            files.append(file)
        else:
            others += 1
            intake.leave_out(file, 0, "a workbook that is not a negotiation_logs_<subject>_<session>.xlsx")
    return files


class _Content(NamedTuple):
    """What one offer's text says: the issues, and for each its quantity or its option."""

    items: tuple[str, ...]
    quantities: tuple[float, ...]
    options: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class _Session:
    """One workbook: who plays, and one entry an offer in each of the other columns."""

    file: Path
    game: str
    subject: str
    session: str
    bidder: Sequence[str]
    human: Sequence[float]
    agent: Sequence[float]
    time: Sequence[float]
    content: Sequence[_Content]
    words: Sequence[str]
    emotion: Sequence[str]

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


def _session(file: Path, rows: list[list[Any]], contents: dict[str, _Content], intake: Intake) -> _Session:
    name = _NAME.fullmatch(file.name)
    if name is None:
        raise LogError("is not named negotiation_logs_<subject>_<session>.xlsx", file=file)
    header = [str(cell).strip() for cell in rows[0]] if rows else []
    for column in _NEEDED:
        if column not in header:
            hint = meant(column, filter(None, header))
            raise LogError(f"there is no such column in the sheet; {hint}", file=file, column=column)
    places, offer_rows = _offer_rows(file, rows, header.index("Bidder"), intake)
    columns: dict[str, Sequence[Any]] = dict(
        zip(header, zip(*offer_rows, strict=True), strict=True) if offer_rows else ()
    )
    blank = [""] * len(offer_rows)

    def read_numbers(column: str) -> Sequence[float]:
        values = columns.get(column, ())
        if not {type(value) for value in values} <= {float}:
            where = next(place for place, value in enumerate(values) if type(value) is not float)
            raise LogError(f"{shown(values[where])} is not a number", file=file, row=places[where], column=column)
        return values

    return _Session(
        file,
        f"{name['subject']}_{name['session']}",
        name["subject"],
        name["session"],
        columns.get("Bidder", ()),
        read_numbers("Human Utility"),
        read_numbers("Agent Utility"),
        read_numbers("Scaled Time"),
        _contents(columns.get("Offer", ()), contents, file, places),
        [str(words).strip() for words in columns.get("Sentences", blank)],
        columns.get("Agent Emotion", blank),
    )


def _offer_rows(
    file: Path, rows: list[list[Any]], bidder: int, intake: Intake
) -> tuple[Sequence[int], list[list[Any]]]:
    """Return the rows that hold an offer and their numbers in the sheet."""
    offers = rows[1:]
    if {row[bidder] for row in offers} <= _SEATS:
        places: Sequence[int] = range(2, len(rows) + 1)
    else:
        places = [place for place, row in enumerate(offers, start=2) if row[bidder] in _SEATS]
        for place in sorted(set(range(2, len(rows) + 1)) - set(places)):
            intake.leave_out(file, place, "the bidder is neither Human nor Agent")
        offers = [rows[place - 1] for place in places]
    if not offers:
        intake.leave_out(file, 0, "a log without an offer")
    return places, offers


def _contents(
    texts: Sequence[object], contents_by_text: dict[str, _Content], file: Path, places: Sequence[int]
) -> Sequence[_Content]:
    """Parse the offers of a sheet; the same text is parsed once."""
    for text, row in zip(texts, places, strict=True):
        if text not in contents_by_text:
            offer = literal(str(text), file=file, row=row, column="Offer")
            quantities, options = zip(*map(_quantity, offer.values()), strict=True) if offer else ((), ())
            contents_by_text[str(text)] = _Content(tuple(offer), quantities, options)
    return [contents_by_text[str(text)] for text in texts]


@lru_cache(maxsize=4096)
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
    pairs = ((session.agent[-1], row["Agent_Utility"]), (session.human[-1], row["Human_Utility"]))
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
    games = texts([session.game for session in sessions])
    length = np.array([len(session.bidder) for session in sessions], dtype=np.intp)
    of_offer = np.repeat(np.arange(len(sessions)), length)
    order = np.arange(len(of_offer)) - np.repeat(np.cumsum(length) - length, length) + 1
    offers = _offers(sessions, ends) | {"game_id": chosen(games, of_offer), "offer": order}
    contents = [content for session in sessions for content in session.content]
    of_item = np.repeat(np.arange(len(contents)), [len(content.items) for content in contents])
    items = {
        "game_id": chosen(games, of_offer[of_item]),
        "offer": order[of_item],
        "item": texts(list(chain.from_iterable(content.items for content in contents))),
        "quantity": np.fromiter(chain.from_iterable(content.quantities for content in contents), dtype=np.float64),
        "option": text_array(list(chain.from_iterable(content.options for content in contents))),
    }
    columns_by_table = {
        "games": _games(sessions, ends),
        "players": _players(sessions, ends),
        "offers": offers,
        "items": items,
    }
    columns_by_table["messages"] = _messages(sessions, [session.game for session in sessions])
    return {name: conform(name, columns) for name, columns in columns_by_table.items()}


def _games(sessions: Sequence[_Session], ends: Sequence[tuple[str | None, str]]) -> dict[str, Any]:
    return {
        "game_id": [session.game for session in sessions],
        "study": ["solver_cl"] * len(sessions),
        "scenario": ["+".join(sorted(session.content[-1].items)) for session in sessions],
        "protocol": ["alternating offers"] * len(sessions),
        "ended": [end for _, end in ends],
        "rounds": [session.bidder.count(session.bidder[0]) for session in sessions],
        "session": [session.session for session in sessions],
        "condition": pd.array([condition for condition, _ in ends], dtype="str"),
    }


def _players(sessions: Sequence[_Session], ends: Sequence[tuple[str | None, str]]) -> dict[str, Any]:
    is_agreement = [end == "agreement" for _, end in ends]
    points = [
        utility if is_deal else math.nan
        for session, is_deal in zip(sessions, is_agreement, strict=True)
        for utility in (session.human[-1], session.agent[-1])
    ]
    return {
        "game_id": [session.game for session in sessions for _ in range(2)],
        "player": ["Human", "Agent"] * len(sessions),
        "kind": ["human", "agent"] * len(sessions),
        "participant_id": [who for session in sessions for who in (session.subject, None)],
        "points": points,
    }


def _offers(sessions: Sequence[_Session], ends: Sequence[tuple[str | None, str]]) -> dict[str, Any]:
    by_agent = np.array([name == "Agent" for session in sessions for name in session.bidder], dtype=np.intp)
    human = np.fromiter(chain.from_iterable(session.human for session in sessions), dtype=np.float64)
    agent = np.fromiter(chain.from_iterable(session.agent for session in sessions), dtype=np.float64)
    return {
        "round": np.fromiter(chain.from_iterable(_rounds(session.bidder) for session in sessions), dtype=np.int64),
        "time_share": np.fromiter(chain.from_iterable(session.time for session in sessions), dtype=np.float64),
        "proposer": chosen(("Human", "Agent"), by_agent),
        "responder": chosen(("Agent", "Human"), by_agent),
        "value_proposer": np.where(by_agent, agent, human),
        "value_responder": np.where(by_agent, human, agent),
        "response": texts(
            [
                response
                for session, (_, end) in zip(sessions, ends, strict=True)
                for response in _responses(session.bidder, end)
            ]
        ),
    }


def _rounds(bidder: Sequence[str]) -> Iterable[int]:
    """Return the round of each offer: whoever opens the game opens each round."""
    return accumulate(name == bidder[0] for name in bidder)


def _responses(bidder: Sequence[str], end: str) -> list[str]:
    """Return what became of each offer: the other side's next one rejects it, one's own replaces it."""
    responses = ["superseded" if name == following else "rejected" for name, following in pairwise(bidder)]
    return [*responses, "accepted" if end == "agreement" else "none"]


def _messages(sessions: Sequence[_Session], games: Sequence[str]) -> dict[str, Any]:
    """Return what was said and shown: message 2k − 1 goes with the offer k, message 2k is the robot's face after it."""
    rows: list[tuple[str, int, str, str | None, str | None, str | None]] = []
    for game, session in zip(games, sessions, strict=True):
        for place, (who, words, emotion) in enumerate(zip(session.bidder, session.words, session.emotion, strict=True)):
            if words:
                rows.append((game, 2 * place + 1, who, words, None, None))
            if emotion:
                rows.append((game, 2 * place + 2, "Agent", None, "show-emotion", emotion))
    columns = zip(*rows, strict=True) if rows else ((),) * 6
    return dict(zip(("game_id", "message", "sender", "text", "act", "labels"), map(list, columns), strict=True))
