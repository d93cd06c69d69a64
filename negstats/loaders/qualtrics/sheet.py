"""Qualtrics' CSV as what each column is and the answers that count, whichever of its forms the file has."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TypeAlias, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import LogError, shown
from negstats.loaders.files.any_table import read_table
from negstats.loaders.files.cells import Except, Row, personal, rows_of
from negstats.loaders.files.columns import Texts
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.literals import read_moment
from negstats.loaders.files.tabular import Form, joined

Layout: TypeAlias = Literal["import ids", "legacy", "saved again"]

_LEGACY = ("ResponseID", "ResponseSet")
_NAMES = ("ResponseId", "RecordedDate")
_BESIDE = ("StartDate", "EndDate", "Status", "Progress", "Finished", "RecordedDate", "DistributionChannel")
# What Qualtrics writes, if told to, for a question that was seen and not answered.
_UNANSWERED = r"^-99(\.0*)?$"
# The legacy form calls Qualtrics' own columns by number; the third, fifth and sixth are name, e-mail and IP address.
_BY_NUMBER = {"V1": "ResponseId", "V4": "ExternalReference", "V7": "Status", "V8": "StartDate", "V9": "EndDate"}
_BY_NUMBER |= {"V10": "Finished"}
_UNREAD = r"(?i)ip_?address|recipient.*|location.*|.*e_?mail.*|column \d+"
_META = {
    *("StartDate", "EndDate", "Status", "Progress", "Duration (in seconds)", "Finished", "RecordedDate", "ResponseId"),
    *("DistributionChannel", "UserLanguage", "ExternalReference", "ExternalDataReference", "ResponseSet", "V2"),
}
_LOOKED_UP = _META | {*_BY_NUMBER}
_NO_ANSWER = re.compile(
    r".*_DO(_.*)?|.* - (Topics|Parent Topics|Sentiment.*)|.*Topics|Q_.*"
    r"|.*[_ ](First Click|Last Click|Page Submit|Click Count)|.*_(FIRST_CLICK|LAST_CLICK|PAGE_SUBMIT|CLICK_COUNT)",
)
_QUESTION = re.compile(r"(\d+_)?QID\d")  # a number before it counts the turns of a loop
_SCORE = "SC_"  # a scoring has an id of its own
_STATUS = {"1": "a preview", "2": "a test", "8": "spam", "9": "a preview", "17": "a preview"}
_WORDS = {"preview": "a preview", "vorschau": "a preview", "test": "a test", "spam": "spam", "import": "imported"}
_WORDS |= dict.fromkeys(
    ("aperçu", "anteprima", "vista previa", "visualização", "voorbeeld", "プレビュー", "预览"), "a preview"
)
_DATES = ("%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d.%m.%Y %H:%M:%S")
_LAST = datetime.max.replace(tzinfo=UTC)


_FEW = 5  # columns that a note names
_ENOUGH = 3  # of the columns of a survey, beside ResponseId


@dataclass(slots=True)
class Sheet:
    """One survey.

    Attributes
    ----------
    file, layout : Path, str
        Where it stands and how it is written.
    rows : list of Row
        The answers that count, each with its cells of Qualtrics' own columns and of embedded data.
    cells : dict of str to pyarrow array
        The columns of questions, of all answers.
    places : dict of int to int
        Where the answer of a row of the file stands in these.
    questions : dict of str to bool
        The columns with answers, and whether a column is free text.
    embedded : list of str
        The columns with what the survey was told about people.
    wording : dict of str to str
        What was asked in each column.
    """

    file: Path
    layout: Layout
    rows: list[Row] = field(default_factory=list)
    cells: dict[str, Texts] = field(default_factory=dict)
    places: dict[int, int] = field(default_factory=dict)
    questions: dict[str, bool] = field(default_factory=dict)
    embedded: list[str] = field(default_factory=list)
    wording: dict[str, str] = field(default_factory=dict)

    def embed(self, question: str) -> None:
        """Take the answers to a question for what the survey was told about people."""
        del self.questions[question]
        self.embedded.append(question)
        texts = self.cells.pop(question).to_pylist()
        for row in self.rows:
            text = texts[self.places[row.row]]
            if text and not text.isspace():
                row.cells[question] = text


def layout_of(records: Sequence[Sequence[str]]) -> Layout | None:
    """Return how a file is written, by its first records; None if it is none of Qualtrics'."""
    if not records:
        return None
    names = [name.strip() for name in records[0]]
    if names[:2] == ["V1", "V2"] and len(records) > 1 and tuple(records[1][:2]) == _LEGACY:
        return "legacy"
    third = records[2] if len(records) > 2 else ()
    if _NAMES[0] not in names:
        return None
    if any('"ImportId"' in cell for cell in third):
        return "import ids"
    return "saved again" if len(set(_BESIDE) & set(names)) >= _ENOUGH else None


def read_sheet(file: Path, intake: Intake, *, unfinished: bool) -> Sheet:
    """Read a survey: the columns by their ids, and the answers that are neither previews nor unfinished."""
    data = intake.read(file)
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    table = read_table(data, file, Form(encoding=encoding), Except(_UNREAD))
    intake.note_table(table, _LOOKED_UP)  # questions of one name are answered each
    first_cells = {name: column.slice(0, 2) for name, column in table.cells.items()}
    top_rows = rows_of(replace(table, cells=first_cells, rows=table.rows[:2]), Row)
    top = [list(table.names), *([row.cells.get(name, "") for name in table.names] for row in top_rows)]
    layout = layout_of(top) or _cut_layout(table.names, top_rows)
    if layout is None:
        raise LogError(
            "is not an export of Qualtrics: ResponseId and RecordedDate, or V1 and V2, are not columns", file=file
        )
    if layout == "legacy":
        legacy_names = {"V3", "V5", "V6"}
        table = replace(table, cells=_renamed(table.cells, legacy_names))
        top_rows = [Row(row.file, row.row, _renamed(row.cells, legacy_names)) for row in top_rows]
    names = list(table.cells)
    n_header_rows = {"import ids": 2, "legacy": 1}.get(layout, int(bool(top_rows) and _is_wording(top_rows[0])))
    intake.add(file, data, len(table.rows) - n_header_rows)
    sheet = Sheet(file, layout, wording=dict(top_rows[0].cells) if n_header_rows else {})
    odd = _sort_columns(sheet, names, _import_ids(top_rows[1], names) if layout == "import ids" else {})
    _note_odd_ids(file, odd, intake)
    _note_layout(sheet, top_rows, intake)
    answers = {name: joined([column.slice(n_header_rows)]) for name, column in table.cells.items()}
    _forget_unanswered(sheet, answers, intake)
    sheet.cells = {name: answers.pop(name) for name in sheet.questions}
    rows = rows_of(replace(table, names=list(answers), cells=answers, rows=table.rows[n_header_rows:]), Row)
    sheet.places = {row.row: place for place, row in enumerate(rows)}
    for row in rows:
        reason = _not_kept(row, unfinished=unfinished, has_finished="Finished" in names)
        if reason is None:
            sheet.rows.append(row)
        else:
            intake.leave_out(row.file, row.row, reason)
    _note_undecided(sheet, names, intake)
    return sheet


def _note_layout(sheet: Sheet, top_rows: Sequence[Row], intake: Intake) -> None:
    """Note what the layout of an export does not say."""
    if sheet.layout == "saved again":
        reason = "was saved again without ImportIds: columns are recognised by their names"
        intake.notes.append(f"{intake.name(sheet.file)} {reason}")
    if sheet.layout == "import ids" and '"timeZone"' not in top_rows[1].cells.get("StartDate", ""):
        intake.notes.append(f"{intake.name(sheet.file)}: its times name no zone; they only order answers")


def _note_odd_ids(file: Path, odd: Sequence[tuple[str, str]], intake: Intake) -> None:
    """Note columns of embedded data whose ids say something else: a damaged id takes a question's answers away."""
    if odd:
        columns = ", ".join(f"{shown(name)} ({shown(import_id)})" for name, import_id in odd[:_FEW])
        more = f" and {len(odd) - _FEW} more" if len(odd) > _FEW else ""
        intake.notes.append(
            f"{intake.name(file)}: no question's ImportId (QID1), nor the column's name: {columns}{more}; "
            "read as embedded data, not as answers"
        )


def _note_undecided(sheet: Sheet, names: Sequence[str], intake: Intake) -> None:
    """Note where nothing says which answers are previews or unfinished, or words in a language that is not read."""
    if not sheet.rows:
        return
    words = Counter((row.text("Status") or "").strip() for row in sheet.rows)
    if not {"Status", "DistributionChannel"} & set(names):
        intake.notes.append(f"{intake.name(sheet.file)} does not say which answers are previews or tests: all are kept")
    elif len(words) > 1 and "DistributionChannel" not in names:
        counts = ", ".join(f"{shown(word)} {count}" for word, count in words.most_common(5))
        intake.notes.append(
            f"{intake.name(sheet.file)}: answers of several statuses are kept ({counts}): is one a preview?"
        )
    if not {"Finished", "Progress"} & set(names):
        intake.notes.append(f"{intake.name(sheet.file)} does not say which answers are finished: all are kept")


def _forget_unanswered(sheet: Sheet, answers: dict[str, Texts], intake: Intake) -> None:
    """Take Qualtrics' own code for no answer out of the columns whose other numbers are none below zero."""
    count = 0
    for name in (*sheet.questions, *sheet.embedded):
        texts = pc.utf8_trim_whitespace(answers[name])
        is_code = pc.fill_null(pc.match_substring_regex(texts, _UNANSWERED), False)
        is_negative = pc.fill_null(pc.starts_with(texts, "-"), False)
        if is_code.true_count and is_code.true_count == is_negative.true_count:
            count += is_code.true_count
            answers[name] = pc.if_else(is_code, pa.scalar(None, answers[name].type), answers[name])
    intake.count("{0} answers are -99, seen and not answered: missing", count)


def _cut_layout(names: Sequence[str], rows: Sequence[Row]) -> Layout | None:
    """Return the layout of a file whose header is damaged beyond its names."""
    has_names = _NAMES[0] in names and len(set(_BESIDE) & set(names)) >= _ENOUGH
    return "saved again" if rows and has_names else None


_Cell = TypeVar("_Cell")


def _renamed(cells: Mapping[str, _Cell], legacy_names: set[str]) -> dict[str, _Cell]:
    return {_BY_NUMBER.get(name, name): text for name, text in cells.items() if name not in legacy_names}


def _is_wording(row: Row) -> bool:
    """Whether a row under the names is a second one of the header: what it calls a date is none."""
    text = row.text("StartDate") or row.text("RecordedDate")
    return text is not None and _date(text) is None


def _import_ids(row: Row, names: Sequence[str]) -> dict[str, str]:
    ids_by_column = {}
    for name in names:
        cell = row.cells.get(name, "")
        try:
            import_id = json.loads(cell)
            ids_by_column[name] = str(import_id["ImportId"])
        except (ValueError, TypeError, KeyError, RecursionError):
            raise row.fault(f'{shown(cell)} is not {{"ImportId": ...}} as in the other columns', name) from None
    return ids_by_column


def _sort_columns(sheet: Sheet, names: Sequence[str], ids: dict[str, str]) -> list[tuple[str, str]]:
    """Sort columns into questions and embedded data; return those of embedded data whose ids say another thing."""
    odd = []
    for name in names:
        import_id = ids.get(name, "")
        if name in _META or personal(name) or _NO_ANSWER.fullmatch(name) or _NO_ANSWER.fullmatch(import_id):
            continue
        if _QUESTION.match(import_id) or (not import_id and sheet.layout != "import ids"):
            sheet.questions[name] = import_id.endswith("_TEXT") or not import_id
        else:
            sheet.embedded.append(name)
            if import_id not in ("", name) and not import_id.startswith(_SCORE):
                odd.append((name, import_id))
    return odd


def _not_kept(row: Row, *, unfinished: bool, has_finished: bool) -> str | None:
    """Return why an answer does not count, or None; `has_finished` says whether the survey tells who finished it."""
    status, channel = (row.text("Status") or "").strip(), (row.text("DistributionChannel") or "").strip().lower()
    if channel in ("preview", "test"):
        return f"a {channel}"
    number = re.fullmatch(r"(\d+)(?:\.0)?", status)
    if number and int(number[1]):
        return _STATUS.get(number[1], f"an answer of status {int(number[1])}")
    if not number:
        word = next((word for word in _WORDS if word in status.lower()), None)
        if word is not None:
            return _WORDS[word]
    return "an unfinished answer" if not unfinished and not _finished(row, has_finished) else None


def _finished(row: Row, has_finished: bool) -> bool:
    """Return whether an answer is finished; where the word is in another language, whether all was seen."""
    text = (row.text("Finished") or "").strip()
    if not has_finished:
        progress = row.number("Progress")
        return progress is None or progress >= 100
    if text.lower() in ("1", "true", "1.0"):
        return True
    if not text or text.lower() in ("0", "false", "0.0"):
        return False
    progress = row.number("Progress")
    if progress is None:
        raise row.fault(f"{shown(text)} is not true or false, and there is no Progress", "Finished")
    return progress >= 100


def started(row: Row) -> datetime:
    """Return when an answer was begun; the end of time where that cannot be read."""
    return _date(row.text("StartDate") or "") or _LAST


def _date(text: str) -> datetime | None:
    try:
        return read_moment(text.strip())
    except ValueError:
        for form in _DATES:
            try:
                return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
            except ValueError:
                continue
        return None
