"""Qualtrics' surveys: every figure of the samples, the three layouts, and each trap."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

import negstats
from negstats.errors import LogError, UsageError
from negstats.loaders import sightings
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.robustness.seeds import SURVEY, answered, survey


@pytest.fixture(scope="module")
def dyads(real_data: DataFolder) -> Study:
    return negstats.load(real_data("qualtrics") / "svi_dyads_synthetic.csv")


def written(folder: Path, *answers: list[str]) -> Path:
    (folder / "survey.csv").write_bytes(survey(*answers))
    return folder / "survey.csv"


def one(number: int = 1, **cells: str) -> list[str]:
    line = dict(zip(SURVEY, answered(number, "5", "", "", "", "", f"p{number}"), strict=True)) | cells
    return list(line.values())


def told(study: Study) -> dict[str, str]:
    return dict(zip(study.answers["question"], study.answers["answer"], strict=True))


def test_the_wording_of_questions_is_noted(dyads: Study) -> None:
    assert "codebook: SVI_1: Subjective value item 1 (1 = not at all, 7 = very much)" in dyads.provenance.notes
    assert dyads.answers.loc[dyads.answers["question"] == "comments", "answer"].item() == 'fine, "really"\nfine'


def test_the_later_answer_is_told_by_its_start(dyads: Study) -> None:
    p003 = dyads.answers[dyads.answers["participant_id"] == "p003"]
    assert len(p003) == 16
    left = next(row for row in dyads.provenance.left_out if row.reason.startswith("a later"))
    assert left.row == 30


def test_real_layouts(real_data: DataFolder) -> None:
    new, legacy = (negstats.load(real_data("qualtrics") / f"qualtrics_sample{end}.csv") for end in ("", "_legacy"))
    for study in (new, legacy):
        assert told(study) == {"Q1": "2", "Q2": "Hello World!"}
        assert study.answers["participant_id"].tolist() == ["R_2YPOQ602ER1jkf1"] * 2
        assert len(study.games) == 0
        assert any("names no person" in note for note in study.provenance.notes)
    whole = negstats.load(real_data("qualtrics"))
    assert whole.provenance.reasons()["the same answer as in qualtrics_sample.csv"] == 1
    assert len(whole.answers) == 386
    assert [why.strength for _, why in sightings(real_data("qualtrics"))] == [3]


def test_who_somebody_is_is_not_read(tmp_path: Path) -> None:
    text = survey(one()).decode("utf-8-sig")
    lines = list(csv.reader(io.StringIO(text, newline="")))
    for line, more in zip(
        lines,
        (
            ["IPAddress", "RecipientEmail", "LocationLatitude", "Q9"],
            ["IP", "E-Mail", "Breite", "?"],
            [f'{{"ImportId":"{name}"}}' for name in ("ipAddress", "recipientEmail", "locationLatitude", "QID9")],
            ["10.9.8.7", "ann@x.org", "47.1", "3"],
        ),
        strict=True,
    ):
        line += more
    buffer = io.StringIO()
    csv.writer(buffer).writerows(lines)
    (tmp_path / "s.csv").write_text(buffer.getvalue(), newline="")
    study = negstats.load(tmp_path / "s.csv")
    assert told(study) == {"Q1": "5", "Q9": "3"}


@pytest.mark.parametrize(
    ("status", "reason"),
    [("0", None), ("IP-Adresse", None), ("1", "a preview"), ("Umfragevorschau", "a preview"), ("2", "a test"),
     ("8", "spam"), ("16", "an answer of status 16"), ("Survey Test", "a test"), ("Spam", "spam")],
)  # fmt: skip
def test_status(status: str, reason: str | None, tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path, one(1), one(2, Status=status)))
    assert list(study.provenance.reasons()) == ([] if reason is None else [reason])


def test_unfinished_answers_are_kept_if_asked(tmp_path: Path) -> None:
    file = written(tmp_path, one(1), one(2, Finished="0"), one(3, Finished="1"))
    assert negstats.load(file).provenance.reasons() == {"an unfinished answer": 1}
    assert negstats.load(file, unfinished=True).answers["participant_id"].tolist() == ["p1", "p2", "p3"]
    with pytest.raises(LogError, match="'Wahr' is not true or false, and there is no Progress"):
        negstats.load(written(tmp_path, one(1, Finished="Wahr")))


def test_numbers_wording_and_both(tmp_path: Path) -> None:
    worded = negstats.load(written(tmp_path, one(1, Q1="4 (neutral)"), one(2, Q1="7 - very much")))
    assert worded.answers["answer"].tolist() == ["4", "7"]
    ends = negstats.load(written(tmp_path, one(1, Q1="4"), one(2, Q1="7 (very much)")))
    assert ends.answers["answer"].tolist() == ["4", "7"]
    text = negstats.load(written(tmp_path, one(1, Q1="strongly agree"), one(2, Q1="agree")))
    assert text.answers["answer"].tolist() == ["strongly agree", "agree"]
    many = negstats.load(written(tmp_path, one(1, Q1="1,3"), one(2, Q1="2")))
    assert many.answers["answer"].tolist() == ["1,3", "2"]
    with pytest.raises(LogError, match=r"row 5, column 'Q1': 'agree' is wording, and row 4 has the number '4'"):
        negstats.load(written(tmp_path, one(1, Q1="4"), one(2, Q1="agree")))
    free = negstats.load(written(tmp_path, one(1, Q2="25"), one(2, Q2="old enough")))
    assert free.answers.loc[free.answers["question"] == "Q2", "answer"].tolist() == ["25", "old enough"]


def test_embedded_data_without_a_game_are_about_the_person(tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path, one(1, points="7")))
    assert told(study) == {"Q1": "5", "points": "7"}
    assert study.answers["game_id"].isna().all()
    loaded_study = negstats.load(tmp_path / "survey.csv", person="points")
    assert loaded_study.answers["participant_id"].tolist() == ["7", "7"]
    assert told(loaded_study) == {"Q1": "5", "pid": "p1"}
    with pytest.raises(UsageError, match="person: there is no column 'piont'; did you mean 'points'"):
        negstats.load(tmp_path / "survey.csv", person="piont")


@pytest.mark.parametrize(
    ("import_id", "is_answer", "is_noted"),
    [
        (b"QID2", True, False),
        (b"2_QID2", True, False),
        (b"SC_1", False, False),
        (b"Q2", False, False),
        (b"QxD2", False, True),
    ],
)
def test_a_column_is_what_its_id_says_and_an_odd_id_is_noted(
    import_id: bytes, is_answer: bool, is_noted: bool, tmp_path: Path
) -> None:
    file = written(tmp_path, one(1, Q2="25", dyad="D", role="buyer"))
    data = file.read_bytes()
    assert data.count(b'""QID2""') + data.count(b'""QID2_TEXT""') == 1
    file.write_bytes(data.replace(b'""QID2_TEXT""', b'""QID2""').replace(b'""QID2""', b'""%b""' % import_id))
    study = negstats.load(file)
    assert ("Q2" in told(study), "Q2" in study.games.columns) == (is_answer, not is_answer)
    assert any("Q2" in note and "read as embedded data" in note for note in study.provenance.notes) == is_noted


def test_two_people_on_one_seat(tmp_path: Path) -> None:
    rows = [one(number, dyad="D", role="buyer") for number in (1, 2)]
    with pytest.raises(LogError, match=r"row 5: 'buyer' of game 'D' is the person of row 4 too"):
        negstats.load(written(tmp_path, *rows))


def test_a_person_without_a_dyad(tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path, one(1, dyad="D", role="buyer"), one(2)))
    assert study.answers["game_id"].isna().tolist() == [False, True]
    assert "1 people have no dyad or no role: their answers are about no game" in study.provenance.notes


def test_a_file_that_was_saved_again(tmp_path: Path) -> None:
    rows = [one(1, dyad="D", role="buyer", points="7"), one(2, dyad="D", role="seller", points="3")]
    rows[0][0] = "3/1/2026 10:00"
    buffer = io.StringIO()
    csv.writer(buffer).writerows([[name if name != "pid" else "PROLIFIC_PID" for name in SURVEY], *rows])
    (tmp_path / "again.csv").write_text(buffer.getvalue(), newline="")
    assert [why.strength for _, why in sightings(tmp_path)] == [2]
    study = negstats.load(tmp_path)
    assert study.players["points"].tolist() == [7, 3]
    assert study.players["participant_id"].tolist() == ["p1", "p2"]
    assert (
        "again.csv was saved again without ImportIds: columns are recognised by their names" in study.provenance.notes
    )


def test_two_surveys_of_the_same_people(tmp_path: Path) -> None:
    (tmp_path / "before.csv").write_bytes(survey(one(1)))
    (tmp_path / "after.csv").write_bytes(survey([*one(1)[:4], "R_9", *one(1)[5:]]))
    assert told(negstats.load(tmp_path)) == {"after.Q1": "5", "before.Q1": "5"}


def table(folder: Path, header: list[str], rows: list[list[str]]) -> Path:
    buffer = io.StringIO()
    csv.writer(buffer).writerows([header, *rows])
    (folder / "survey.csv").write_text(buffer.getvalue(), encoding="utf-8")
    return folder / "survey.csv"


PLAIN = ["ResponseId", "StartDate", "Status", "Finished", "dyad", "role", "points", "Q1"]


def people(*changes: dict[str, str]) -> list[list[str]]:
    rows = []
    for number in range(8):
        row = {"ResponseId": f"R_{number}", "StartDate": f"2026-01-0{number + 1} 10:00:00", "Status": "0"}
        row |= {"Finished": "1", "dyad": f"D{number // 2}", "role": ("buyer", "seller")[number % 2]}
        row |= {"points": str(40 + number), "Q1": str(1 + number % 7)}
        rows.append(row | (changes[number] if number < len(changes) else {}))
    return [list(row.values()) for row in rows]


def test_a_survey_without_its_recorded_date_is_known(tmp_path: Path) -> None:
    log = table(tmp_path, PLAIN, people({}, {}, {"Status": "1"}, {"Finished": "0"}))
    study = negstats.load(log)
    assert study.provenance.loader == "qualtrics"
    assert study.provenance.reasons() == {"a preview": 1, "an unfinished answer": 1}
    assert study.games["game_id"].tolist() == ["D0", "D2", "D3"]


def test_minus_99_is_no_answer(tmp_path: Path) -> None:
    study = negstats.load(table(tmp_path, PLAIN, people({"points": "-99"}, {"Q1": "-99"})))
    assert study.players["points"].isna().sum() == 1
    assert study.players["points"].min() == 41
    assert "2 answers are -99, seen and not answered: missing" in study.provenance.notes
    losses = negstats.load(table(tmp_path, PLAIN, people({"points": "-99"}, {"points": "-5"})))
    assert losses.players["points"].min() == -99


def test_a_dyad_that_falls_apart_is_told(tmp_path: Path) -> None:
    study = negstats.load(table(tmp_path, PLAIN, people({"dyad": "DO"})))
    reason = "a person left, was excluded, or has a misspelt id"
    assert f"2 games have fewer than 2 seats (DO): {reason}" in study.provenance.notes


def test_what_no_column_decides_is_noted(tmp_path: Path) -> None:
    header = [*PLAIN, "EndDate", "UserLanguage", "Progress"]
    for missing, note in (
        ("Status", "survey.csv does not say which answers are previews or tests: all are kept"),
        ("Finished", "survey.csv does not say which answers are finished: all are kept"),
    ):
        names = [name for name in header if name not in (missing, "Progress")] + ["RecordedDate"]
        rows = [dict(zip(PLAIN, row, strict=True)) for row in people()]
        study = negstats.load(table(tmp_path, names, [[row.get(name, "") for name in names] for row in rows]))
        assert note in study.provenance.notes


def test_a_preview_in_another_language(tmp_path: Path) -> None:
    french = negstats.load(table(tmp_path, PLAIN, people({"Status": "Aperçu de l’enquête"}, {"Status": "Adresse IP"})))
    assert french.provenance.reasons() == {"a preview": 1}
    unknown = negstats.load(table(tmp_path, PLAIN, people({"Status": "Náhled"}, {"Status": "IP adresa"})))
    assert any("answers of several statuses are kept" in note for note in unknown.provenance.notes)


def test_minus_99_with_a_point(tmp_path: Path) -> None:
    study = negstats.load(table(tmp_path, PLAIN, people({"points": "-99.0"})))
    assert study.players["points"].isna().sum() == 1


def test_a_factor_that_differs_within_one_dyad_is_noted(tmp_path: Path) -> None:
    rows = [[*row, ("chat", "video")[place // 4]] for place, row in enumerate(people())]
    rows[0][-1] = "video"
    study = negstats.load(table(tmp_path, [*PLAIN, "condition"], rows))
    assert "condition" not in study.factors
    assert not any(note.startswith("condition differs") for note in study.provenance.notes)  # 1 of 4 games is many
    rows += [[*row[:4], f"E{row[4]}", *row[5:]] for row in rows[2:]]
    for number, row in enumerate(rows):
        row[0] = f"R_{number}"
    study = negstats.load(table(tmp_path, [*PLAIN, "condition"], rows))
    assert any(note.startswith("condition differs within 1 of 7 games (D0)") for note in study.provenance.notes)
