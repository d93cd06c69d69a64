"""jsPsych: trials of browser experiments, as CSV or JSON; ultimatum trials become games (data card below).

Source
    J. R. de Leeuw, R. A. Gilbert, B. Luchterhandt: jsPsych: Enabling an open-source collaborative ecosystem of
    behavioral experiments, Journal of Open Source Software 8, 2023; jspsych.org. A log's licence is that of whoever
    ran it.
Files
    A ``.csv`` or ``.json`` file a participant, or one of several (``subject_id``, ``run_id``), or lines with a list
    each (``.jsonl``, by its description: **no real one was read**). Columns are the union of all the plugins'. A run
    that stands there as CSV and as JSON is read once.
Game
    Which trials are games is the experimenter's naming: a trial with ``offer`` (or ``amount``) and ``accepted`` (or
    the index of a button, of which the first accepts) is an ultimatum game, ``PERSON-TRIAL``. Other columns of such
    trials are factors (``condition``, ``round``). Ended: agreement, walkaway; timeout without an answer.
Player
    ``responder`` is the person; ``proposer`` is nobody's person, an agent where the condition is computer, ai or bot.
    The responder's points are ``payoff``, the proposer's follow from the deal and the ``pie``.
Offer
    One a game: ``offer`` for the responder, ``pie - offer`` for the proposer. ``time_elapsed`` is not counted from a
    game's start, so there is no time; the reaction time is the answer ``rt`` about the game if asked (``rt=True``).
Answer
    About the person. Trials with ``self`` and ``other``: ``svo_ITEM_self`` and ``svo_ITEM_other``. Surveys: each
    question of ``response`` (``responses`` before version 7); likert scales count from 0, so 1 is added, noted.

Traps, and what is done about them
    Every cell of a CSV is quoted text; ``response`` is an index, a number, or JSON by ``trial_type``, in JSON exports
    an object: both give the same study. Who stops early has fewer rows and may lack columns: kept, and named in a
    note. Screens without data and trials of neither game nor survey are left out and counted. Markup in ``stimulus``
    is not read, nor is a column or question that says who somebody is (name, e-mail, IP address). A question whose
    name stands in several trials is called by its trial too.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Except, Row, personal, rows_of
from negstats.loaders.files.delimited import decoded
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.literals import is_number
from negstats.loaders.files.objects import parsed
from negstats.loaders.files.parts import recorded
from negstats.loaders.files.row_tables import Gathered, game_factors
from negstats.loaders.files.sniff import first_files, head, header, own_files
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

KNOWN = ("trial_type", "trial_index", "time_elapsed")
# jsPsych writes no person itself: the experimenter adds a property, under a name such as these, letter case and signs
# aside. The first that a trial has is taken, so that a plain "ID" counts only where there is no other.
PEOPLE = (
    *("subjectid", "subject", "participantid", "participant", "prolificpid", "prolificid", "workerid"),
    *("subjid", "subid", "ppid", "pid", "ppt", "sonaid", "userid", "uid", "id"),
)
PERSON = re.compile("(?i)" + "|".join(r"[\W_]*".join(name) for name in PEOPLE))  # the same names in a whole column's
RUN = "run_id"
_UNREAD = Except(r"(?i)ip|ip_?address|e_?mail|(first|last|full)_?name|name|latitude|longitude|user_?agent|recipient.*")


@dataclass(frozen=True, slots=True)
class Run:
    """One person's way through an experiment: the trials in their order."""

    person: str
    run: str
    trials: list[Row]

    @property
    def file(self) -> Path:
        """The file that holds it."""
        return self.trials[0].file


def runs_of(files: Iterable[Path], intake: Intake) -> list[Run]:
    """Return the runs in the files; a run that stands in two of them with the same trials is left out once.

    Raises
    ------
    LogError
        If a run stands in two files with different trials, or a file is not data of jsPsych.
    """
    runs_by_key: dict[tuple[str, str], Run] = {}
    nameless = 0
    for file in sorted(files, key=lambda file: (file.suffix.lower() != ".csv", str(file))):
        data = intake.read(file)
        if not data.strip():
            raise LogError("is empty", file=file)
        if file.suffix.lower() == ".csv":
            intake.note_table(table := read_table(data, file, columns=_UNREAD))
            rows = rows_of(table, Row)
        else:
            rows = _objects(data, file)
        intake.add(file, data, len(rows))
        trials_by_key: dict[tuple[str, str], list[Row]] = {}
        people = [_person(row) for row in rows]
        others = _others(people, file)
        for row, person in zip(rows, people, strict=True):
            if row.text("trial_type") is None:
                raise row.fault("is empty; each row is a trial", "trial_type")
            trials_by_key.setdefault((person or others, row.text(RUN) or ""), []).append(row)
        nameless += None in people and others == file.stem
        repeated_files = {}
        for key, trials in trials_by_key.items():
            run = Run(*key, _in_order(trials))
            first_run = runs_by_key.setdefault(key, run)
            if first_run is not run:
                _refuse_other(first_run, run)
                repeated_files[key] = first_run.file.name
        if repeated_files and len(repeated_files) == len(trials_by_key):
            intake.leave_out(file, 0, f"the same trials as {' and '.join(sorted(set(repeated_files.values())))}")
        elif repeated_files:
            for key, name in repeated_files.items():
                for row in trials_by_key[key]:
                    intake.leave_out(file, row.row, f"the same trials as {name}")
    if nameless:
        intake.notes.append(f"{nameless} files name no person; each file is taken for one person, named after the file")
    return list(runs_by_key.values())


def _person(row: Row) -> str | None:
    """Return who did a trial, by the column that the experimenter added; None where it has none."""
    names = {re.sub(r"[\W_]", "", name).lower(): name for name in reversed(row.cells)}
    return next((text for key in PEOPLE if key in names and (text := row.text(names[key])) is not None), None)


def _others(people: Sequence[str | None], file: Path) -> str:
    """Return whose the trials are that name nobody: of the one person that the file names, else the file's name."""
    names = {person for person in people if person is not None}
    return names.pop() if len(names) == 1 else file.stem


def _objects(data: bytes, file: Path) -> list[Row]:
    """Return the trials of a JSON file: a list of objects, or such a list (or an object) in each line."""
    text = decoded(data, file, "utf-8")
    if file.suffix.lower() in (".jsonl", ".ndjson"):
        lines = [(row, parsed(line, file, row)) for row, line in enumerate(text.split("\n"), 1) if line.strip()]
        pairs = [(row, one) for row, content in lines for one in (content if isinstance(content, list) else [content])]
    else:
        content = parsed(text, file)
        content = content.get("trials") if isinstance(content, dict) else content
        if not isinstance(content, list):
            raise LogError(f"holds {shown(content)}, which is not a list of trials", file=file)
        pairs = list(enumerate(content, 1))
    return [_row(file, row, one) for row, one in pairs]


def _row(file: Path, row: int, trial: Any) -> Row:
    if not isinstance(trial, dict):
        raise LogError(f"{shown(trial)} is not an object with a trial's data", file=file, row=row)
    try:
        cells = {name: text for name, value in trial.items() if name in _UNREAD and (text := _text(value)).strip()}
        "".join([*cells, *cells.values()]).encode()
    except UnicodeEncodeError:
        raise LogError("holds half a character", file=file, row=row) from None
    return Row(file, row, cells)


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case str():
            return value
        case bool():
            return "true" if value else "false"
        case float() if value.is_integer() and abs(value) < 1e15:
            return str(int(value))
    return json.dumps(value, ensure_ascii=False)


def _in_order(trials: list[Row]) -> list[Row]:
    """Return a run's trials as they were; raises LogError if two have one number."""
    rows_by_number: dict[int, Row] = {}
    for row in trials:
        number = row.whole("trial_index")
        if number is None or number < 0:
            raise row.fault(f"{shown(row.text('trial_index'))} is not a number of a trial", "trial_index")
        if rows_by_number.setdefault(number, row) is not row:
            earlier_row = rows_by_number[number].row
            reason = f"trial {number} of this person is also in row {earlier_row}; do two people have one name?"
            raise row.fault(reason, "trial_index")
    return [rows_by_number[number] for number in sorted(rows_by_number)]


def _refuse_other(first_run: Run, run: Run) -> None:
    trial_values = [[(row.whole("trial_index"), *_read_said(row)) for row in each.trials] for each in (first_run, run)]
    if trial_values[0] != trial_values[1]:
        reason = (
            f"{shown(run.person)} is also in {first_run.file.name}, with other trials; do two people have one name?"
        )
        raise run.trials[0].fault(reason, "subject_id")


def _read_said(row: Row) -> tuple[object, ...]:
    names = ("trial_type", "rt", "offer", "accepted", "payoff")
    text = row.text("response") or ""
    response = row.nested("response") if text[:1] in "{[" and text else text
    return (*(row.text(name) for name in names), response)


VERSION = "1"
_ENDINGS = (".csv", ".json", ".jsonl", ".ndjson")
_TOLERANCE = 1e-6
_AGENTS = {"computer", "ai", "bot", "agent", "machine", "algorithm"}
_BUTTON, _LIKERT = "-button-response", "likert"
_SILENT = {
    "instructions",
    "preload",
    "fullscreen",
    "browser-check",
    "call-function",
    "external-html",
    "initialize-camera",
}
_USED = {
    *KNOWN,
    *("offer", "amount", "accepted", "payoff", "pie", "total", "rt", "response", "responses", "stimulus", "task"),
    *("plugin_version", "internal_node_id", "run_id", "item", "slider_start", "self", "other", "question_order"),
    *("button_pressed", "key_press", "choices", "prompt", "success", "view_history"),
}


def _is_jspsych(file: Path) -> bool:
    if file.suffix.lower() == ".csv":
        return set(KNOWN) <= set(header(file))
    start = head(file)
    return start.lstrip()[:1] in (b"[", b"{") and all(re.search(rb'"%b"\s*:' % name.encode(), start) for name in KNOWN)


def _matches(path: Path) -> Evidence | None:
    files = tuple(file for file in first_files(path, *_ENDINGS) if _is_jspsych(file))
    if not files:
        return None
    return Evidence(SIGNATURE, f"{files[0].name} has trial_type, trial_index and time_elapsed", files)


def _read(path: Path, track: Track, rt: bool = False) -> Study:
    intake = Intake(path)
    files = own_files(path, intake, _is_jspsych, "is not data of jsPsych", *_ENDINGS)
    runs = runs_of(track(files), intake)
    if not runs:
        raise LogError("holds no trials of jsPsych", file=path)
    games: list[_Game] = []
    answers: list[_Told] = []
    counts = Counter(run.person for run in runs)
    for run in runs:
        name = f"{run.person}-{run.run}" if counts[run.person] > 1 else run.person
        for row in run.trials:
            _take(row, run, name, games, answers, intake)
    _note(runs, games, intake.notes)
    rows = Gathered()
    for game in games:
        game.add_to(rows)
    for answer in [*_answers(answers, intake), *(_times(games) if rt else ())]:
        rows.add("answers", **answer)
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


@dataclass(frozen=True, slots=True)
class _Told:
    """One answer of a person in a trial."""

    person: str
    row: Row
    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class _Game:
    """An ultimatum trial."""

    name: str
    person: str
    row: Row
    offer: float
    accepted: bool | None

    @property
    def pie(self) -> float | None:
        """What there is to divide."""
        return next((pie for name in ("pie", "total") if (pie := self.row.number(name)) is not None), None)

    @property
    def points(self) -> tuple[float | None, float | None]:
        """What proposer and responder got, the latter as the file says, else as it follows."""
        pie, payoff = self.pie, self.row.number("payoff")
        if self.accepted is None:
            return None, payoff
        if not self.accepted:
            return 0.0, 0.0 if payoff is None else payoff
        return None if pie is None else pie - self.offer, self.offer if payoff is None else payoff

    def add_to(self, rows: Gathered) -> None:
        """Add the rows of game, players and offer."""
        cells = sorted(self.row.cells.items())
        own_cells = {name: text for name, text in cells if name not in _USED and not PERSON.fullmatch(name)}
        number = self.row.whole("round") if "round" in self.row.cells else None
        end = {None: "timeout", True: "agreement", False: "walkaway"}[self.accepted]
        scenario = self.row.text("task") or "ultimatum"
        game = {"scenario": scenario, "protocol": "ultimatum", "ended": end, **game_factors(own_cells, "trial")}
        rows.add("games", game_id=self.name, **game)
        agent = (self.row.text("condition") or "").strip().lower() in _AGENTS
        people: dict[str, dict[str, Any]] = {
            "proposer": {"kind": "agent" if agent else None},
            "responder": {"kind": "human", "participant_id": self.person},
        }
        for (seat, person), points in zip(people.items(), self.points, strict=True):
            rows.add("players", game_id=self.name, player=seat, role=seat, **person, points=points)
        shares = {"proposer": None if self.pie is None else self.pie - self.offer, "responder": self.offer}
        response = {None: "none", True: "accepted", False: "rejected"}[self.accepted]
        rows.add_offer(
            self.name, ("proposer", "responder"), values=shares, units=shares, round=number, response=response
        )


def _take(row: Row, run: Run, name: str, games: list[_Game], answers: list[_Told], intake: Intake) -> None:
    """Take a trial as a game, as answers, or leave it out."""
    kind = row.text("trial_type") or ""
    column = next((column for column in ("offer", "amount") if row.text(column) is not None), None)
    if column is not None and (row.text("accepted") is not None or kind.endswith(_BUTTON)):
        offer = row.number(column)
        if offer is None:
            raise row.fault(f"{shown(row.text(column))} is not an offer", column)
        is_accepted = row.truth("accepted")
        is_accepted = _pressed(row) if is_accepted is None else is_accepted
        games.append(_Game(f"{name}-{row.whole('trial_index')}", run.person, row, offer, is_accepted))
        return
    answer_pairs = _survey(row, kind) if row.text("self") is None else _slider(row)
    if answer_pairs is not None:
        answers += [_Told(run.person, row, *pair) for pair in answer_pairs]
        return
    silent = kind in _SILENT or row.text("task") in ("intro", "instructions", "consent") or row.text("response") is None
    intake.leave_out(row.file, row.row, "a screen without data" if silent else "a trial of no game and no survey")


def _pressed(row: Row) -> bool | None:
    """Return whether the first button was pressed, of two."""
    if not (row.text("trial_type") or "").endswith(_BUTTON):
        return None
    column = "response" if row.text("response") is not None else "button_pressed"
    index = row.whole(column)
    if index is not None and index not in (0, 1):
        raise row.fault(f"{index} is neither of two buttons; an 'accepted' says what was meant", column)
    return None if index is None else index == 0


def _slider(row: Row) -> list[tuple[str, str]] | None:
    other = row.text("other")
    if other is None:
        return None
    item = row.text("item") or row.text("trial_index")
    row.number("self"), row.number("other")
    return [(f"svo_{item}_self", row.cells["self"]), (f"svo_{item}_other", other)]


def _survey(row: Row, kind: str) -> list[tuple[str, str]] | None:
    """Return the questions of a survey and their answers; None if the trial is none."""
    column = next((name for name in ("response", "responses") if (row.text(name) or "").lstrip()[:1] == "{"), None)
    if column is None:
        return None
    responses = row.nested(column)
    answers = []
    for name, value in responses.items():
        if value is None or personal(name) or (isinstance(value, str) and not value.strip()):
            continue
        if is_number(value) and _LIKERT in kind:
            value = value + 1
        if isinstance(value, list):
            value = ", ".join(map(str, value))
        answers.append((name, f"{value:g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)))
    return answers


def _answers(survey_answers: Sequence[_Told], intake: Intake) -> list[dict[str, Any]]:
    """Return answers about people; what a person says again under one name is called by its trial."""
    question_counts = Counter((survey_answer.person, survey_answer.question) for survey_answer in survey_answers)
    twice = {question for (_, question), count in question_counts.items() if count > 1}
    rows_by_question: dict[tuple[str, str], dict[str, Any]] = {}
    for survey_answer in survey_answers:
        question = (
            f"{survey_answer.question}_{survey_answer.row.whole('trial_index')}"
            if survey_answer.question in twice
            else survey_answer.question
        )
        row = {"participant_id": survey_answer.person, "question": question, "answer": survey_answer.answer}
        if rows_by_question.setdefault((survey_answer.person, question), row) is not row:
            intake.leave_out(survey_answer.row.file, survey_answer.row.row, "a later answer of the same person")
    return list(rows_by_question.values())


def _times(games: Sequence[_Game]) -> list[dict[str, Any]]:
    return [
        {"participant_id": game.person, "game_id": game.name, "question": "rt", "answer": text}
        for game in games
        if (text := game.row.text("rt")) is not None
    ]


def _note(runs: Sequence[Run], games: Sequence[_Game], notes: list[str]) -> None:
    pressed = [(game, index) for game in games if game.accepted is not None and (index := _index(game.row)) is not None]
    other = sum(game.accepted != index for game, index in pressed)
    if pressed:
        notes.append(f"accepted is the first button in {len(pressed) - other} of {len(pressed)} games")
    paid_games = [game for game in games if game.accepted is not None and game.row.number("payoff") is not None]
    wrong = [
        game.name for game in paid_games if abs((game.points[1] or 0) - game.offer * bool(game.accepted)) > _TOLERANCE
    ]
    if wrong:
        first = ", ".join(wrong[:3])
        notes.append(f"payoffs do not follow from the deal in {len(wrong)} of {len(paid_games)} games ({first}); kept")
    elif paid_games:
        notes.append(f"the payoffs of {len(paid_games)} games follow from their deals")
    if any(_LIKERT in (row.text("trial_type") or "") for run in runs for row in run.trials):
        notes.append("answers on likert scales are counted from 1, the file counts from 0")
    games_by_person = Counter(game.person for game in games)
    most = max(games_by_person.values(), default=0)
    people = dict.fromkeys(run.person for run in runs)
    early_leavers = [person for person in people if games_by_person[person] < most]
    notes += [f"{person} stopped early: {games_by_person[person]} of {most} games" for person in early_leavers]


def _index(row: Row) -> bool | None:
    try:
        return _pressed(row)
    except LogError:
        return None


FORMAT = Format(
    "jspsych",
    "jsPsych's data: a CSV or JSON file a participant, with trial_type, trial_index and time_elapsed",
    _matches,
    _read,
    {"rt": "True: reaction times as answers"},
    parts=recorded(PERSON.pattern, (RUN,), alone=False),
    roles={"round": "order"},
)
