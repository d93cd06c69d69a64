"""Solver-CL: the figures of the real logs, each trap of theirs, and what damaged logs give."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from datasets.sample.make_sample import main as make_sample
from negstats.errors import LogError
from negstats.loaders.format import untracked
from negstats.loaders.solver_cl import FORMAT
from negstats.studies.study import Study
from tests.conftest import ROOT, DataFolder
from tests.loaders.workbooks import HEADER, ROWS, write_log, write_table


def load(path: Path) -> Study:
    assert FORMAT.matches(path)
    return FORMAT.read(path, untracked)


@pytest.fixture(scope="module")
def real(real_data: DataFolder) -> Study:
    return load(real_data("solver_cl"))


class TestRealLogs:
    @pytest.mark.slow
    def test_the_last_offer_is_the_deal_in_132_of_132_sessions(self, real: Study, real_data: DataFolder) -> None:
        file = real_data("solver_cl") / "final_dataset" / "experiment_subject_data.csv"
        points = real.players.set_index(["game_id", "player"])["points"]
        condition = real.games.set_index("game_id")["condition"]
        rounds = real.games.set_index("game_id")["rounds"]
        equal = 0
        for row in csv.DictReader(file.read_text(encoding="utf-8").splitlines()):
            game = f"S{int(row['Subject_ID']):03d}_Session_{row['Session_ID']}"
            assert condition[game] == row["Condition"]
            assert rounds[game] == int(row["Agreement_Rounds"])
            equal += points[game, "Agent"] == float(row["Agent_Utility"])
            equal += points[game, "Human"] == float(row["Human_Utility"])
        assert equal == 2 * 132
        assert "the last offer equals the subject table's outcome in 132 sessions" in real.provenance.notes

    @pytest.mark.slow
    def test_conditions_stand_in_the_table_only(self, real: Study, real_data: DataFolder) -> None:
        raw = load(real_data("solver_cl") / "raw_logs" / "Session_1")
        assert set(raw.games["condition"]) == {"CL", "FC"}  # found beside the folder
        assert real.games.loc[real.games["session"] == "Demo", "condition"].isna().all()


class TestSyntheticLogs:
    def test_an_offer_keeps_values_options_and_quantities(self, tmp_path: Path) -> None:
        write_log(tmp_path)
        study = load(tmp_path)
        assert study.offers["proposer"].tolist() == ["Human", "Agent", "Human"]
        assert study.offers["value_proposer"].tolist() == [0.9, 0.8, 0.6]
        assert study.offers["value_responder"].tolist() == [0.4, 0.5, 0.7]
        assert study.offers["response"].tolist() == ["rejected", "rejected", "accepted"]
        assert study.offers["round"].tolist() == [1, 1, 2]
        second = study.items[study.items["offer"] == 2]
        assert second["item"].tolist() == ["season", "nights"]
        assert second["option"].tolist()[0] == "winter"
        assert second["quantity"].tolist()[1] == 2.0
        assert study.messages["text"].tolist()[0] == "in summer"
        assert study.messages["labels"].tolist()[1] == "Content"

    def test_without_the_table_the_condition_is_missing(self, tmp_path: Path) -> None:
        study = load(write_log(tmp_path))
        assert study.games["condition"].isna().all()
        assert any("no experiment_subject_data.csv" in note for note in study.provenance.notes)
        assert study.games["ended"].tolist() == ["agreement"]

    def test_an_outcome_that_the_table_contradicts_is_unknown(self, tmp_path: Path) -> None:
        write_log(tmp_path)
        write_table(tmp_path, "1,1,CL,0.9,0.6\n")
        study = load(tmp_path)
        assert study.games["ended"].tolist() == ["unknown"]
        assert study.players["points"].isna().all()
        assert any("so the end is unknown: S001_Session_1" in note for note in study.provenance.notes)

    def test_a_person_in_the_table_without_a_log_is_noted(self, tmp_path: Path) -> None:
        write_log(tmp_path)
        write_table(tmp_path, "1,1,CL,0.7,0.6\n2,1,FC,0.7,0.6\n")
        study = load(tmp_path)
        assert "the subject table has subject 2, session 1; there is no log of it" in study.provenance.notes
        assert study.games["condition"].tolist() == ["CL"]

    def test_a_row_without_a_bidder_is_left_out_and_counted(self, tmp_path: Path) -> None:
        write_log(tmp_path, rows=[ROWS[0], [1, None, *ROWS[1][2:]], ROWS[2]])
        study = load(tmp_path)
        assert study.provenance.reasons() == {"the bidder is neither Human nor Agent": 1}
        assert study.provenance.left_out[0].row == 3
        assert study.offers["response"].tolist() == ["superseded", "accepted"]

    def test_a_log_without_offers_is_left_out_and_counted(self, tmp_path: Path) -> None:
        write_log(tmp_path)
        write_log(tmp_path, "S002", rows=[])
        study = load(tmp_path)
        assert study.games["game_id"].tolist() == ["S001_Session_1"]
        assert study.provenance.reasons() == {"a log without an offer": 1}

    def test_other_workbooks_are_counted(self, tmp_path: Path) -> None:
        file = write_log(tmp_path)
        (file.parent / "notes.xlsx").write_bytes(file.read_bytes())
        assert load(tmp_path).provenance.reasons() == {
            "a workbook that is not a negotiation_logs_<subject>_<session>.xlsx": 1
        }

    def test_many_people_without_a_log_are_one_note(self, tmp_path: Path) -> None:
        write_log(tmp_path)
        write_table(tmp_path, "1,1,CL,0.7,0.6\n2,1,FC,0.7,0.6\n3,1,FC,0.7,0.6\n")
        notes = load(tmp_path).provenance.notes
        assert "the subject table has subject 2, session 1; there is no log of it (nor of 1 more)" in notes

    @pytest.mark.parametrize("row", ["S001,Session_1", "s001,1", "1.0,1.0", "01,Session_1", " 1 , 1 "])
    def test_the_table_may_tell_sessions_by_number_or_name(self, row: str, tmp_path: Path) -> None:
        write_log(tmp_path)
        write_table(tmp_path, f"{row}, CL ,0.7,0.6\n")
        assert load(tmp_path).games["condition"].tolist() == ["CL"]

    def test_the_tables_header_may_be_padded(self, tmp_path: Path) -> None:
        write_log(tmp_path)
        file = write_table(tmp_path, "1,1,CL,0.7,0.6\n")
        file.write_text(file.read_text(encoding="utf-8").replace(",", ", "), encoding="utf-8")
        assert load(tmp_path).games["condition"].tolist() == ["CL"]

    def test_an_empty_utility_in_the_table_confirms_no_deal(self, tmp_path: Path) -> None:
        write_log(tmp_path)
        write_table(tmp_path, "1,1,CL,,0.6\n")
        games = load(tmp_path).games
        assert (games["condition"].tolist(), games["ended"].tolist()) == (["CL"], ["unknown"])

    @pytest.mark.parametrize(("subject", "session"), [("ann", "Session_1"), ("P-7", "second session")])
    def test_subjects_and_sessions_may_be_named_freely(self, subject: str, session: str, tmp_path: Path) -> None:
        write_log(tmp_path, subject, session)
        write_table(tmp_path, f"{subject},{session},FC,0.7,0.6\n")
        study = load(tmp_path)
        assert study.games["condition"].tolist() == ["FC"]
        assert study.games["session"].tolist() == [session]
        assert study.players["participant_id"].dropna().tolist() == [subject]

    def test_a_session_that_the_table_does_not_have_is_noted(self, tmp_path: Path) -> None:
        write_log(tmp_path)
        write_log(tmp_path, session="Demo")
        write_table(tmp_path, "1,1,CL,0.7,0.6\n")
        assert any("1 sessions are not in the subject table" in note for note in load(tmp_path).provenance.notes)

    def test_linked_folders_are_read(self, tmp_path: Path) -> None:
        write_log(tmp_path / "elsewhere")
        (tmp_path / "study").mkdir()
        (tmp_path / "study" / "raw_logs").symlink_to(tmp_path / "elsewhere" / "raw_logs")
        (tmp_path / "study" / "raw_logs" / "again").symlink_to(tmp_path / "study")  # a circle
        assert len(load(tmp_path / "study").games) == 1

    def test_the_table_is_found_from_a_relative_path(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write_log(tmp_path)
        write_table(tmp_path, "1,1,CL,0.7,0.6\n")
        monkeypatch.chdir(tmp_path / "raw_logs")
        assert load(Path("Session_1")).games["condition"].tolist() == ["CL"]

    def test_a_quoted_word_inside_an_offer_is_read(self, tmp_path: Path) -> None:
        rows = [[0, "Human", 0.4, 0.9, '{"hotel": "Chez d\'Or", \'stars\': 4}', 0.1, None, None]]
        study = load(write_log(tmp_path, rows=rows))
        assert study.items["option"].tolist()[0] == "Chez d'Or"
        assert study.items["quantity"].tolist()[1] == 4.0


def cell(column: str, value: object, row: int = 1) -> Callable[[Path], object]:
    def write(folder: Path) -> object:
        changed = [list(one) for one in ROWS]
        changed[row - 1][HEADER.index(column)] = value
        return write_log(folder, rows=changed)

    return write


def cut(folder: Path) -> None:
    file = write_log(folder)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def twice(folder: Path) -> None:
    write_log(folder / "one")
    write_log(folder / "two")


def table(rows: str) -> Callable[[Path], object]:
    def write(folder: Path) -> None:
        write_log(folder)
        write_table(folder, rows)

    return write


CODE = "__import__('pathlib').Path('executed').touch()"

DAMAGED: dict[str, tuple[Callable[[Path], object], str]] = {
    "cut in half": (cut, r"S001_Session_1\.xlsx: is not .*workbook: .*; is the file cut\?"),
    "a missing column": (
        lambda folder: write_log(folder, header=[name.replace("Offer", "Bid") for name in HEADER]),
        r"S001_Session_1\.xlsx, column 'Offer': there is no such column; there are column 1, Bidder, Agent",
    ),
    "the wrong sheet": (
        lambda folder: write_log(folder, header=["a", "b"], rows=[[1, 2]]),
        r"column 'Bidder': there is no such column; there are a, b",
    ),
    "text in a number column": (
        cell("Agent Utility", "high", 2),
        r"S001_Session_1\.xlsx, row 3, column 'Agent Utility': 'high' is not a number",
    ),
    "an empty number cell": (cell("Scaled Time", None, 3), r"row 4, column 'Scaled Time': '' is not a number"),
    "an offer that is code": (cell("Offer", CODE, 2), r"row 3, column 'Offer': .* is not a dict of names and values"),
    "an offer that hides code in a value": (
        cell("Offer", "{'a': " + CODE + "}"),
        r"row 2, column 'Offer': .* is not a dict of names and values",
    ),
    "an offer of endless depth": (cell("Offer", "[" * 9000), r"row 2, column 'Offer': .* is not a dict"),
    "an offer with a list in it": (cell("Offer", "{'a': [1, 2]}"), r"row 2, column 'Offer': .* is not a dict"),
    "the same session twice": (twice, r"is a second log of S001_Session_1; the first is"),
    "an empty table": (
        lambda folder: (write_log(folder), write_table(folder, "").write_text("", encoding="utf-8")),
        r"subject_data\.csv: is empty",
    ),
    "two logs of one row of the table": (
        lambda folder: (table("1,1,CL,0.7,0.6\n")(folder), write_log(folder, session="Demo_1")),
        r"S001_Session_1\.xlsx: S001_Demo_1 is subject 1, session 1 of the subject table too",
    ),
    "a person twice in the table": (
        table("1,1,CL,0.7,0.6\n1,1,FC,0.7,0.6\n"),
        r"subject_data\.csv, row 3: subject 1, session 1 is in an earlier row as well",
    ),
    "text in the table's numbers": (
        table("1,1,CL,0.7,0.6\n2,1,CL,high,0.6\n"),
        r"subject_data\.csv, row \d, column 'Agent_Utility': .* is not a number",
    ),
    "a table with a ragged row": (
        table("1,1,CL,0.7,0.6\n2,1,CL,0.7,0.6,9,9\n"),
        r"subject_data\.csv, row 3: has 7 cells, the header has 5; is the file cut, or a cell not quoted\?",
    ),
}


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_log_is_refused_in_one_line(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write, message = DAMAGED[damage]
    write(tmp_path)
    with pytest.raises(LogError, match=message) as caught:
        load(tmp_path)
    assert "\n" not in str(caught.value)
    assert not Path("executed").exists()


@pytest.mark.slow
def test_the_sample_is_what_its_script_makes(tmp_path: Path) -> None:
    make_sample(tmp_path)
    study, shipped = load(tmp_path), load(ROOT / "datasets" / "sample")
    assert len(shipped.games) == 36
    for name, frame in shipped.tables.items():
        assert_frame_equal(study.tables[name], frame)


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ("\r", "is not a table in text|the header has 5"),
        ("x" * 200_000, "is not a number"),
        ("x" * 2**24 + "x", "field larger than field limit"),
    ],
    ids=["a lone CR", "a long cell", "a longer cell"],
)
def test_a_damaged_subject_table_is_told(real_data: DataFolder, tmp_path: Path, damage: str, reason: str) -> None:
    source = real_data("solver_cl")
    folder = tmp_path / "logs"
    (folder / "Session_1").mkdir(parents=True)
    log = sorted((source / "raw_logs" / "Session_1").glob("*.xlsx"))[0]
    (folder / "Session_1" / log.name).write_bytes(log.read_bytes())
    header = "Subject_ID,Session_ID,Condition,Agent_Utility,Human_Utility\n"
    (folder / "experiment_subject_data.csv").write_text(f"{header}1,1,CL,{damage},0.5\n")
    with pytest.raises(LogError, match=reason):
        FORMAT.read(folder, untracked)
