"""jsPsych's data as trials, whether written as CSV, as JSON, or as JSON with one participant's list a line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Except, Row, rows_of
from negstats.loaders.files.delimited import decoded
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.objects import parsed

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
