"""Qualtrics: surveys as CSV with three, two or one header row; a survey that names dyads makes games (data card below).

Source
    qualtrics.com. The layouts are those of files that come with the R package qualtRics (MIT), and of a made-up one. A
    log's licence is that of whoever asked.
Files
    CSV or TSV. Three header rows: names, wording, ``{"ImportId": ...}``; the legacy form has two (``V1`` to ``V10``).
    A file that was saved again with one header row is read by its names, noted. Rows are records: wording has line
    breaks inside quotes. Several surveys in a folder are read together.
Answer
    One item of one person; an empty one is no row. The question is the column's name, its wording stands in the notes
    as ``codebook``. Kept are answers that are no preview, test or spam, and finished (``unfinished=True`` keeps the
    others too). Of several answers of a person the first by ``StartDate``, then by row.
Person
    Embedded data called ``PROLIFIC_PID``, ``participant``, ``workerId`` and the like, ``ExternalReference``, or the
    column that ``person`` names; else ``ResponseId``, with which nothing can be joined, noted.
Game
    Where embedded data name a game (``dyad``, ``group``, ``pair``, ``game``, ``match``) and a ``role``: the seat is the
    role, ``points`` its points, other embedded data that are the same for the whole game are factors, and answers are
    about the game. How it ended is not known. Without games, embedded data are answers about the person.

Traps, and what is done about them
    Labels are in the account's language: columns are known by names and ImportIds alone. A later answer may have an
    earlier ``RecordedDate``. Answers as wording are kept as text, but where all of a column begin with a number and a
    separator ("4 (neutral)"), the number is the answer; numbers and wording in one column are a LogError. Order of
    display, topics, timing and reCAPTCHA are not answers. Which items are reversed is never guessed. IP address, name,
    e-mail, recipient and place are not read. Times are in the zone that row three names, and only order answers.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import LogError, UsageError, meant, shown
from negstats.loaders.files.cells import Row
from negstats.loaders.files.columns import Texts, chosen, joined_texts, unfolded
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.parts import recorded
from negstats.loaders.files.row_tables import conformed, game_factors, of_one_kind
from negstats.loaders.files.sniff import first_files, own_files, records
from negstats.loaders.format import COLUMNS, SIGNATURE, Evidence, Format, Track
from negstats.loaders.qualtrics.sheet import Sheet, layout_of, read_sheet, started
from negstats.sanitize import counted
from negstats.studies.study import Study
from negstats.tables import conform, text_array

__all__ = ["FORMAT"]

VERSION = "1"
MOST_UNLIKE = 0.2  # of the games may differ in a column that is a factor of the others
_ENDINGS = (".csv", ".tsv")
_OTHER = "is not an export of Qualtrics"
_PEOPLE = (
    *("prolific_pid", "prolific_id", "participant", "participant_id", "participantid", "workerid", "worker_id"),
    *("subject_id", "pid", "externalreference", "externaldatareference"),
)
_GAMES = ("dyad", "group", "pair", "game", "match", "dyad_id", "group_id", "pair_id", "game_id", "match_id")
_ROLES, _POINTS = ("role",), ("points", "payoff", "score")
_SAID_AGAIN = ("condition", "treatment", "cond")  # embedded data by its name, where no ImportId tells
_CODED = re.compile(r"\s*(-?\d+(?:\.\d+)?)\s*(?:[-–—=:.)(]\s*\S.*)?", re.DOTALL)
_NUMBERS = re.compile(r"\s*-?\d+(?:\.\d+)?(?:,\d+)*\s*")


def _matches(path: Path) -> Evidence | None:
    forms_by_file = {file: form for file in first_files(path, *_ENDINGS) if (form := layout_of(records(file, 3)))}
    known_files = tuple(file for file, form in forms_by_file.items() if form != "saved again")
    if known_files:
        what = (
            "V1, V2, ... over ResponseID, ResponseSet"
            if forms_by_file[known_files[0]] == "legacy"
            else "a row of ImportIds"
        )
        return Evidence(SIGNATURE, f"{known_files[0].name} has {what}", known_files)
    first = next(iter(forms_by_file), None)
    return (
        None
        if first is None
        else Evidence(COLUMNS, f"{first.name} has the columns ResponseId and others of Qualtrics", tuple(forms_by_file))
    )


def _read(path: Path, track: Track, person: str | None = None, unfinished: bool = False) -> Study:
    intake = Intake(path)
    tables = _read_tables(path, track, person, intake, unfinished=unfinished)  # the sheets are let go before the check
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **tables)


def _read_tables(
    path: Path, track: Track, person: str | None, intake: Intake, *, unfinished: bool
) -> dict[str, pd.DataFrame]:
    files = own_files(path, intake, lambda file: bool(layout_of(records(file, 3))), _OTHER, *_ENDINGS)
    sheets = [read_sheet(file, intake, unfinished=unfinished) for file in track(files)]
    if not sheets:
        raise LogError("holds no export of Qualtrics", file=path)
    if person is not None and not any(person in (*sheet.embedded, *sheet.questions) for sheet in sheets):
        embedded_names = [name for sheet in sheets for name in sheet.embedded]
        raise UsageError(f"person: there is no column {shown(person)}; {meant(person, embedded_names)}")
    _drop_repeats(sheets, intake)
    people = [_People.of(sheet, person, intake) for sheet in sheets]
    seats = [seat for each in people for seat in each.seats(intake.notes)]
    games = _games(seats)
    _note_alone(seats, intake)
    answers = [each.answers(_twice(sheets)) for each in people]
    intake.notes += [note for each in people for note in each.undecided()]
    intake.notes += _codebook(people, _twice(sheets))
    return {
        "games": conformed("games", of_one_kind(games)),
        "players": conformed("players", [seat.row() for seat in seats]),
        "answers": conform("answers", {name: joined_texts([of.pop(name) for of in answers]) for name in _ANSWERS}),
    }


def _note_alone(seats: Sequence[_Seat], intake: Intake) -> None:
    """Note games with fewer seats than the others: somebody left, or an id is misspelt in a row."""
    sizes = Counter(seat.game for seat in seats)
    usual = Counter(sizes.values()).most_common(1)[0][0] if sizes else 0
    incomplete_games = [game for game, size in sizes.items() if size < usual]
    if incomplete_games:
        reason = "a person left, was excluded, or has a misspelt id"
        verb = "has" if len(incomplete_games) == 1 else "have"
        games = counted(len(incomplete_games), "game")
        intake.notes.append(f"{games} {verb} fewer than {usual} seats ({incomplete_games[0]}): {reason}")


def _drop_repeats(sheets: Sequence[Sheet], intake: Intake) -> None:
    """Leave out answers that stand in an earlier file too."""
    file_of_answer: dict[str, str] = {}
    for sheet in sheets:
        new_rows = []
        for row in sheet.rows:
            key = row.text("ResponseId")
            if key is None:
                raise row.fault("is empty; each answer has an id", "ResponseId")
            if file_of_answer.setdefault(key, sheet.file.name) != sheet.file.name:
                intake.leave_out(row.file, row.row, f"the same answer as in {file_of_answer[key]}")
            else:
                new_rows.append(row)
        sheet.rows = new_rows


def _twice(sheets: Sequence[Sheet]) -> set[str]:
    """Return the questions that two surveys have."""
    counts = Counter(name for sheet in sheets if sheet.rows for name in (*sheet.questions, *sheet.embedded))
    return {name for name, count in counts.items() if count > 1}


@dataclass(frozen=True, slots=True)
class _Seat:
    """A person in a game."""

    game: str
    role: str
    person: str
    points: float | None
    row_read: Row
    factors: Mapping[str, str]

    def row(self) -> dict[str, Any]:
        """Return the row of the table of players."""
        seat = {"game_id": self.game, "player": self.role, "role": self.role, "kind": "human"}
        return {**seat, "participant_id": self.person, "points": self.points}


@dataclass(frozen=True, slots=True)
class _People:
    """Who answered a survey: a row each, and which columns say who, in which game and as what."""

    sheet: Sheet
    rows: Mapping[str, Row]
    game: str | None
    role: str | None
    points: str | None
    constant: tuple[str, ...]

    @classmethod
    def of(cls, sheet: Sheet, person: str | None, intake: Intake) -> _People:
        """Take each person's first answer."""
        person_column = person or _first(sheet, _PEOPLE) or _reference(sheet)
        if person_column is None:
            intake.notes.append(f"{intake.name(sheet.file)} names no person: ResponseId does, which joins nothing")
        further = () if sheet.layout == "import ids" else (*_SAID_AGAIN, *_GAMES, *_ROLES, *_POINTS)
        for word in (person_column, *further):
            question_name = next((name for name in sheet.questions if name.lower() == (word or "").lower()), None)
            if question_name is not None:
                sheet.embed(question_name)
        rows: dict[str, Row] = {}
        nameless = 0
        for row in sorted(sheet.rows, key=lambda row: (started(row), row.row)):
            name = (row.text(person_column) or "").strip() if person_column else ""
            nameless += not name and person_column is not None
            name = name or row.cells["ResponseId"].strip()
            if rows.setdefault(name, row) is not row:
                intake.leave_out(row.file, row.row, "a later answer of the same person")
        if nameless:
            intake.notes.append(
                f"{nameless} answers have nothing in {person_column} and are called by their ResponseId"
            )
        rows = dict(sorted(rows.items(), key=lambda pair: pair[1].row))
        game, role = _first(sheet, _GAMES), _first(sheet, _ROLES)
        if not game or not role or not any(game in row.cells and role in row.cells for row in rows.values()):
            game = role = None
        points = _first(sheet, _POINTS) if game else None
        others = [name for name in sheet.embedded if name not in (person_column, game, role, points)]
        if person_column in sheet.embedded:
            sheet.embedded.remove(person_column)
        return cls(sheet, rows, game, role, points, _constant(others, rows.values(), game))

    def seats(self, notes: list[str]) -> list[_Seat]:
        """Return the seats that the survey names."""
        if self.game is None or self.role is None:
            return []
        seats, n_without_game = [], 0
        for person, row in self.rows.items():
            game, role = row.text(self.game), row.text(self.role)
            if game is None or role is None:
                n_without_game += 1
                continue
            points = row.number(self.points) if self.points else None
            factors = {name: text for name in self.constant if (text := row.text(name)) is not None}
            seats.append(_Seat(game.strip(), role.strip(), person, points, row, factors))
        if n_without_game:
            notes.append(
                f"{n_without_game} people have no {self.game} or no {self.role}: their answers are about no game"
            )
        return seats

    def undecided(self) -> list[str]:
        """Return notes on columns that are the same for both seats in all games but a few: no factors, for these."""
        notes = []
        for name in self.sheet.embedded if self.game is not None else ():
            texts = _texts_by_game(name, self.rows.values(), self.game or "")
            wrong = [game for game, values in texts.items() if len(values) > 1]
            if name not in (self.role, self.points) and 0 < len(wrong) <= MOST_UNLIKE * len(texts):
                notes.append(
                    f"{name} differs within {len(wrong)} of {len(texts)} games ({wrong[0]}): "
                    "it is an answer of each person and no factor of the games"
                )
        return notes

    def answers(self, twice: set[str]) -> dict[str, Texts]:
        """Return the columns of the table of answers, person by person."""
        names = [name for name in self.sheet.embedded if name not in (self.game, self.role, self.points)]
        if self.game is not None:
            names = [name for name in names if name not in self.constant]
        rows = list(self.rows.values())
        games = [
            row.cells[self.game].strip()
            if self.game is not None and row.text(self.game) is not None and row.text(self.role or "") is not None
            else None
            for row in rows
        ]
        places = pa.array([self.sheet.places[row.row] for row in rows], pa.int64())
        columns = [
            _numbered(self.sheet.cells[name].take(places), rows, name, free)
            for name, free in self.sheet.questions.items()
        ]
        columns += [text_array([row.text(name) for row in rows]) for name in names]
        questions = [
            f"{self.sheet.file.stem}.{name}" if name in twice else name for name in (*self.sheet.questions, *names)
        ]
        row_of, question_of, answers = unfolded([(np.arange(len(rows)), columns)])
        return {
            "participant_id": chosen(list(self.rows), row_of),
            "game_id": text_array(games).take(pa.array(row_of)),
            "question": chosen(questions, question_of),
            "answer": answers,
        }


_ANSWERS = ("participant_id", "game_id", "question", "answer")


def _first(sheet: Sheet, names: Sequence[str]) -> str | None:
    """Return the column of embedded data that has one of these names, whatever its case; the first name wins."""
    columns_by_name = {name.lower(): name for name in sheet.embedded}
    if sheet.layout != "import ids":
        columns_by_name = {name.lower(): name for name in (*sheet.questions, *sheet.embedded)}
    return next((columns_by_name[name] for name in names if name in columns_by_name), None)


def _reference(sheet: Sheet) -> str | None:
    """Return the column of external references, if somebody has one."""
    return next(
        (
            name
            for name in ("ExternalReference", "ExternalDataReference")
            if any(name in row.cells for row in sheet.rows)
        ),
        None,
    )


def _constant(names: Sequence[str], rows: Any, game: str | None) -> tuple[str, ...]:
    """Return the columns that say one thing at most in each game."""
    if game is None:
        return ()
    texts_by_name = {name: _texts_by_game(name, rows, game) for name in names}
    return tuple(
        name for name, texts in texts_by_name.items() if texts and all(len(values) == 1 for values in texts.values())
    )


def _texts_by_game(name: str, rows: Any, game: str) -> dict[str, set[str]]:
    """Return what a column says in each game."""
    texts: dict[str, set[str]] = {}
    for row in rows:
        if row.text(game) is not None and row.text(name) is not None:
            texts.setdefault(row.cells[game].strip(), set()).add(row.cells[name].strip())
    return texts


def _games(seats: Sequence[_Seat]) -> list[dict[str, Any]]:
    games: dict[str, dict[str, Any]] = {}
    seats_by_role: dict[tuple[str, str], _Seat] = {}
    for seat in seats:
        first_seat = seats_by_role.setdefault((seat.game, seat.role), seat)
        if first_seat is not seat:
            reason = f"{shown(seat.role)} of game {shown(seat.game)} is the person of row {first_seat.row_read.row} too"
            raise LogError(reason, file=seat.row_read.file, row=seat.row_read.row)
        game = games.setdefault(seat.game, {"game_id": seat.game, "ended": "unknown"})
        game.update(game_factors(seat.factors, "embedded"))
    return list(games.values())


def _numbered(cells: Texts, rows: Sequence[Row], name: str, free: bool) -> Texts:
    """Return the answers to a question, each as the number that it begins with, where all do.

    Raises
    ------
    LogError
        If some answers are numbers alone and others wording alone, and the question is no free text.
    """
    coded = cells.dictionary_encode()
    words = coded.dictionary.to_pylist()
    texts = [word for word in words if word and not word.isspace()]
    if free or not texts:
        return cells
    bare = next((text for text in texts if _NUMBERS.fullmatch(text)), None)
    wording = next((text for text in texts if not (_CODED.fullmatch(text) or _NUMBERS.fullmatch(text))), None)
    if bare is not None and wording is not None:
        row_of_bare, row_of_wording = (rows[pc.index(cells, text).as_py()] for text in (bare, wording))
        reason = f"{shown(wording)} is wording, and row {row_of_bare.row} has the number {shown(bare)}"
        raise row_of_wording.fault(f"{reason}; export all answers one way", name)
    if wording is not None:
        return cells
    codes = {text: code[1] for text in texts if not _NUMBERS.fullmatch(text) and (code := _CODED.fullmatch(text))}
    return text_array([codes.get(word, word) for word in words]).take(coded.indices)


def _codebook(people: Sequence[_People], twice: set[str]) -> list[str]:
    return [
        f"codebook: {f'{each.sheet.file.stem}.{name}' if name in twice else name}: {' '.join(wording.split())}"
        for each in people
        if each.rows
        for name in each.sheet.questions
        if (wording := each.sheet.wording.get(name)) is not None and wording != name
    ]


FORMAT = Format(
    "qualtrics",
    "Qualtrics' surveys: CSV with rows of names, wording and ImportIds, or its legacy form V1, V2, ...",
    _matches,
    _read,
    {"person": "the column that names the people", "unfinished": "True: keep unfinished answers"},
    parts=recorded(needs="ResponseId"),
)
