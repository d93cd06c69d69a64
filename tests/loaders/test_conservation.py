"""The law of conservation: what a log loses is refused, left out with a reason, or recorded; nothing goes silently.

The same truncations are made of the samples of all loaders: an empty file, a header alone, and the first half.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import openpyxl
import pytest

import negstats
from negstats.analysis.loading_checks import check_loading
from negstats.errors import LogError
from negstats.loaders import formats, sightings
from negstats.studies.records import Record
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.robustness.seeds import SEEDS, Log

# A log of each format, and the file of it that is damaged.
SAMPLES = {
    "solver_cl": ("", "*.xlsx"),
    "otree": ("all_apps_wide.csv", "all_apps_wide.csv"),
    "otree_dyads": ("all_apps_wide.csv", "all_apps_wide.csv"),
    "empirica_v2": ("", "games.csv"),
    "jspsych": ("p001.csv", "p001.csv"),
    "qualtrics": ("qualtrics_sample.csv", "qualtrics_sample.csv"),
    "negmas": ("session_csv", "trace.csv"),
    "casino": ("", "*.json"),
    "negolog": ("", "*.xlsx"),
    "negotiationarena": ("", "*.json"),
}


TABLES_OF_TEXT = (".csv", ".tsv")  # whose first line is a header


def header_only(data: bytes) -> bytes:
    return data.partition(b"\n")[0] + b"\n"


def first_part(data: bytes) -> bytes:
    return data[: 2 * len(data) // 5]  # between two games nothing tells that a log is cut


def nothing(data: bytes) -> bytes:
    return b""


@dataclass(frozen=True)
class Copy:
    """A copy of a sample, and its file that may be damaged."""

    log: Path
    file: Path


@pytest.fixture
def copied(real_data: DataFolder, tmp_path: Path) -> Callable[[str], Copy]:
    def copy(name: str) -> Copy:
        part, pattern = SAMPLES[name]
        source = real_data(name)
        target = tmp_path / name
        if (source / part).is_file():
            target.mkdir()
            shutil.copy(source / part, target / part)
            return Copy(target / part, target / part)
        shutil.copytree(source / part, target)
        file = min(target.rglob(pattern), key=lambda path: path.stat().st_size)
        return Copy(target, file)

    return copy


def rows_left(study: Study) -> int:
    return sum(len(frame) for frame in study.tables.values())


def check_conserved(study: Study) -> None:
    """Of each file no row is left out twice, and not more of them than were read."""
    rows = {source.path: source.rows for source in study.provenance.sources}
    for path in rows:
        numbers = [one.row for one in study.provenance.left_out if one.path == path and one.row]
        assert len(set(numbers)) <= rows[path]


@pytest.mark.parametrize("name", ["otree", "jspsych", "qualtrics"])
def test_a_header_alone_is_refused(name: str, copied: Callable[[str], Copy]) -> None:
    copy = copied(name)
    copy.file.write_bytes(header_only(copy.file.read_bytes()))
    with pytest.raises(LogError, match=r"header|nothing"):
        negstats.load(copy.log)


def test_headers_alone_of_a_folder_are_refused(copied: Callable[[str], Copy]) -> None:
    copy = copied("empirica_v2")
    for file in copy.log.glob("*.csv"):
        file.write_bytes(header_only(file.read_bytes()))
    with pytest.raises(LogError, match="no game with players is left"):
        negstats.load(copy.log)


def cut(file: Path, rows: int) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[: rows + 1]))


def test_a_trace_that_goes_on_is_no_agreement(copied: Callable[[str], Copy]) -> None:
    copy = copied("negmas")
    trace = copy.log / "agree" / "trace.csv"
    cut(trace, 4)
    with pytest.raises(LogError, match="is the trace cut"):
        negstats.load(copy.log)
    study = negstats.load(trace)
    assert study.games["ended"].tolist() == ["unknown"]
    assert Record("trace_unfinished", "trace.csv", 4) in study.provenance.records


@pytest.mark.slow
@pytest.mark.parametrize("number", range(1, 11))
def test_one_damaged_file_of_ten_is_suspicious(number: int, real_data: DataFolder, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    shutil.copytree(real_data("jspsych"), folder, ignore=shutil.ignore_patterns("*.json", "*.mjs", "SHA*"))
    damaged = folder / f"p{number:03d}.csv"
    damaged.write_bytes(damaged.read_bytes() + b'"an open quote')
    with pytest.raises(LogError, match=rf"p{number:03d}\.csv.*--leave-out-bad-games"):
        negstats.load(folder)
    study = negstats.load(folder, leave_out_bad_games=True)
    assert Record("damaged_files", count=1, of=10) in study.provenance.records
    games = next(line for line in check_loading(study) if line.about == "games")
    assert str(games).startswith("!")
    assert "1 of 10 files was damaged and excluded, 10%" in str(games)


def logs() -> dict[str, Log]:
    """Return a small log of each format."""
    made = (make() for make in SEEDS.values())
    return {log.loader: log for log in made if log.loader not in ("mapping", "study")}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("damage", [nothing, header_only, first_part], ids=lambda damage: damage.__name__)
@pytest.mark.parametrize("name", [known.name for known in formats()])
def test_each_file_of_each_format_is_missed_where_it_is_cut(
    name: str, damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    log = logs()[name]
    files = dict(log.files)
    if len(files) == 1 and name != "solver_cl":  # whose files are called after people
        files |= {f"0{path}": data for path, data in files.items()}
    for place, path in enumerate(sorted(files)):
        if damage(files[path]).strip() == files[path].strip():  # a file of one line has no more than its first
            continue
        root = tmp_path / str(place)
        for other, data in log.files.items():
            (root / other).parent.mkdir(parents=True, exist_ok=True)
            (root / other).write_bytes(data)
        whole = negstats.load(root)
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(damage(files[path]))
        try:
            study = negstats.load(root)
        except LogError as refused:
            about = str(refused)
            assert "is not an export" not in about or Path(path).name in about
            continue
        check_conserved(study)
        before, after = whole.provenance, study.provenance
        told = (after.records, after.left_out, after.notes) != (before.records, before.left_out, before.notes)
        assert told or rows_left(study) == rows_left(whole), path
        if damage is nothing or (damage is header_only and Path(path).suffix in TABLES_OF_TEXT):
            assert alarms_of_source(study), path
        assert name in [known.name for known, _ in sightings(root)]


def test_files_with_a_header_alone_are_suspicious(real_data: DataFolder, tmp_path: Path) -> None:
    """However many sound ones are beside them, and though the study goes through a saved form."""
    header = header_only((real_data("jspsych") / "p001.csv").read_bytes())
    shutil.copy(real_data("jspsych") / "p001.csv", tmp_path / "p001.csv")
    for number in range(2, 12):
        (tmp_path / f"p{number:03d}.csv").write_bytes(header)
    study = negstats.load(tmp_path)
    assert "p002.csv, p003.csv, p004.csv and 7 more have no rows, at the most a header" in alarms_of_source(study)
    study.save(tmp_path / "study")
    assert alarms_of_source(negstats.open_study(tmp_path / "study")) == alarms_of_source(study)
    accepted = replace(study, provenance=replace(study.provenance, accepted=("file_without_rows",)))
    assert not alarms_of_source(accepted)


def alarms_of_source(study: Study) -> tuple[str, ...]:
    return check_loading(study)[0].suspicious


def test_traces_with_a_header_alone_are_suspicious(real_data: DataFolder, tmp_path: Path) -> None:
    for number in range(4):
        data = (real_data("negmas") / f"trace_with_utils_{number}.csv").read_bytes()
        (tmp_path / f"trace_{number}.csv").write_bytes(header_only(data) if number else data)
    assert alarms_of_source(negstats.load(tmp_path)) == (
        "trace_1.csv, trace_2.csv, trace_3.csv have no rows, at the most a header",
    )


def double_a_column(copy: Copy, *, changed: bool, place: int = -1) -> str:
    """Let a table of a copy have a column twice, the second time with another last cell if `changed`."""
    rows = list(csv.reader(io.StringIO(copy.file.read_bytes().decode("utf-8-sig"), newline="")))
    column = [row[place] for row in rows]
    column[-1] += "7" * changed
    out = io.StringIO(newline="")
    csv.writer(out).writerows([[*row, cell] for row, cell in zip(rows, column, strict=True)])
    copy.file.write_text(out.getvalue(), "utf-8")
    return column[0]


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", ["otree", "otree_dyads", "empirica_v2", "jspsych", "qualtrics"])
def test_a_column_that_stands_twice_with_the_same_cells_is_noted(name: str, copied: Callable[[str], Copy]) -> None:
    column = double_a_column(copy := copied(name), changed=False)
    notes = negstats.load(copy.log).provenance.notes
    assert any("occur several times" in note and column in note for note in notes)


@pytest.mark.parametrize("name", ["otree", "otree_dyads", "empirica_v2", "jspsych", "qualtrics"])
def test_a_column_that_stands_twice_with_other_cells_is_refused(name: str, copied: Callable[[str], Copy]) -> None:
    column = double_a_column(copy := copied(name), changed=True, place=0)
    with pytest.raises(LogError, match=rf"{re.escape(copy.file.name)}, column '{column}': .* columns 1, \d+, whose"):
        negstats.load(copy.log)


def doubled_csv(place: Path) -> None:
    place.with_suffix(".csv").write_text("game,who,score,note,note\n1,a,5,x,y\n1,b,6,,\n")


def doubled_workbook(place: Path) -> None:
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet()
    for row in (["game", "who", "score", "note", "note"], [1, "a", 5, "x", "y"], [1, "b", 6, None, None]):
        sheet.append(row)
    book.save(place.with_suffix(".xlsx"))


@pytest.mark.parametrize("write", [doubled_csv, doubled_workbook])
def test_a_mapping_that_reads_a_doubled_name_is_refused_unless_it_names_both(
    write: Callable[[Path], None], tmp_path: Path
) -> None:
    write(tmp_path / "log")
    head = (
        'row = "player"\ngames.game_id = "game"\n[players]\nplayer = "who"\nparticipant_id = "who"\npoints = "score"\n'
    )

    def loaded(answers: str) -> Study:
        (tmp_path / "mapping.toml").write_text(f"{head}{answers}", "utf-8")
        return negstats.load(next(tmp_path.glob("log.*")), mapping=tmp_path / "mapping.toml")

    assert any("several times were numbered: 'note'" in note for note in loaded("").provenance.notes)
    assert list(loaded('[answers]\nnote = "note"\nnote_2 = "note_2"\n').answers["answer"]) == ["x", "y"]
    with pytest.raises(LogError, match=r"log\.\w+, column 'note': 'note' stands over the columns 4, 5, whose cells"):
        loaded('[answers]\nnote = "note"\n')


def test_a_negotiator_whose_column_stands_twice_is_refused(copied: Callable[[str], Copy]) -> None:
    column = double_a_column(copy := copied("negmas"), changed=True)
    with pytest.raises(LogError, match=f"column '{column}'"):
        negstats.load(copy.log)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("name", ["otree", "empirica_v2", "jspsych", "qualtrics"])
def test_empty_rows_below_the_data_were_read_and_left_out(name: str, copied: Callable[[str], Copy]) -> None:
    """However many of them there are: also more than there are rows with data."""
    whole = negstats.load((copy := copied(name)).log).provenance
    copy.file.write_bytes(copy.file.read_bytes() + b"\r\n" * 100)
    study = negstats.load(copy.log)
    check_conserved(study)
    assert study.provenance.rows_read == whole.rows_read + 100
    assert study.provenance.reasons()["an empty row"] == 100
