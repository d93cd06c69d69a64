"""`negstats map --interactive`: question after question, three games after each; a mapping at the end, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.prompt import Prompt
from typer.testing import CliRunner

from negstats.cli import app
from negstats.loaders.mapping import draft_of, read, read_mapping
from negstats.loaders.mapping.forms import Asked
from negstats.studies.study import Study

ROWS = [
    (f"s{person}", trial, trial, int(trial + person % 2 > 3), ("IL", "US")[person % 2])
    for person in range(4)
    for trial in range(1, 6)
]
LOG = "subject,trial,offer,choice,country\n" + "".join(",".join(map(str, row)) + "\n" for row in ROWS)
# What is one row, the game, the person, what the responder gets, what the proposer keeps, how much, accepted, ...
ENTER = ""


def asked(folder: Path, answers: list[str], log: str = LOG) -> tuple[int, str, Path]:
    file, out = folder / "log.csv", folder / "mapping.toml"
    file.write_text(log, encoding="utf-8")
    enters = [ENTER] * count_open(file) if answers else []  # what is open is asked first
    given = "".join(f"{answer}\n" for answer in [*enters, *answers])
    result = CliRunner().invoke(app, ["map", str(file), "--interactive", "--out", str(out)], input=given)
    return result.exit_code, result.output, out


def count_open(file: Path) -> int:
    """Return how many questions are open one after the other, if the likely answer is given to each."""
    answers: dict[str, str] = {}
    while questions := draft_of(file, Asked(), answers).questions:
        answers[questions[0].subject] = ",".join(map(str, questions[0].likely)) or "none"
    return len(answers)


def study_of(folder: Path) -> Study:
    return read(folder / "log.csv", read_mapping(folder / "mapping.toml"))


@pytest.mark.slow
def test_defaults_and_the_two_answers_that_matter(tmp_path: Path) -> None:
    code, output, out = asked(tmp_path, [ENTER] * 5 + ["10", "1", ENTER, ENTER])
    assert code == 0, output
    assert out.exists()
    study = study_of(tmp_path)
    assert study.offers["response"].value_counts().to_dict() == {"rejected": 10, "accepted": 10}
    assert study.offers[["units_to_proposer", "units_to_responder"]].sum(axis=1).eq(10).all()
    assert "choice holds 0 (n 10), 1 (n 10)." in output
    assert "game s0-1: country IL; responder (s0), proposer; proposer: 9 kept and 1 given, rejected; walkaway" in output
    assert "in all 20 games (walkaway 10, agreement 10), 20 offers" in output


@pytest.mark.slow
def test_back_and_another_answer(tmp_path: Path) -> None:
    answers = [*[ENTER] * 5, "100", "<", "10", "0", "<", "1", ENTER, ENTER]
    code, output, _ = asked(tmp_path, answers)
    assert code == 0, output
    study = study_of(tmp_path)
    assert study.offers["units_to_proposer"].max() == 9
    assert (study.offers["response"] == "accepted").sum() == 10


@pytest.mark.slow
def test_back_at_the_first_question_stays_there(tmp_path: Path) -> None:
    code, output, out = asked(tmp_path, ["<", *[ENTER] * 5, "10", "1", ENTER, ENTER])
    assert code == 0, output
    assert out.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (["table"], "'table' is not one of offer, item, event, message, player, game"),
        ([ENTER, "subjct"], "there is no column 'subjct'"),
        ([ENTER, "none"], "something must name the game"),
        ([*[ENTER] * 5, "ten"], "there is no column 'ten'"),
        ([*[ENTER] * 6, "7"], "'7' does not stand in choice"),
    ],
)
def test_what_is_no_answer_is_asked_again(answers: list[str], message: str, tmp_path: Path) -> None:
    rest = [ENTER] * (9 - len(answers) + 1)
    code, output, out = asked(tmp_path, [*answers, *rest])
    assert code == 0, output
    assert message in " ".join(output.split())
    assert out.exists()


def test_the_columns_are_listed(tmp_path: Path) -> None:
    output = asked(tmp_path, [ENTER, "?"])[1]
    assert "Columns: subject, trial, offer, choice, country" in output


@pytest.mark.slow
def test_other_conditions_and_numbers(tmp_path: Path) -> None:
    log = LOG.replace("country\n", "country,mood\n").replace("IL\n", "IL,1\n").replace("US\n", "US,4\n")
    answers = [*[ENTER] * 5, "10", "1", "none", "Mood, trial", ENTER, ENTER]
    code, output, _ = asked(tmp_path, answers, log)
    assert code == 0, output
    games = study_of(tmp_path).games
    assert "country" not in games
    assert games["mood"].tolist() == [1.0] * 5 + [4.0] * 5 + [1.0] * 5 + [4.0] * 5
    assert games["trial"].max() == 5


@pytest.mark.slow
def test_codes_for_missing_are_asked_about(tmp_path: Path) -> None:
    log = LOG.replace("s0,1,1,0", "s0,1,-99,0")
    code, output, _ = asked(tmp_path, [*[ENTER] * 5, "10", "1", ENTER, ENTER, "yes"], log)
    assert code == 0, output
    assert '1 of 20 values of "offer" are -99, the others 1 to 5' in " ".join(output.split())
    assert study_of(tmp_path).offers["units_to_responder"].min() == 1


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("answers", [[], [ENTER], [ENTER] * 8])
def test_the_end_of_the_input_leaves_nothing(answers: list[str], tmp_path: Path) -> None:
    code, output, _ = asked(tmp_path, answers)
    assert code == 1
    assert "stopped: nothing is written" in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.csv"]


@pytest.mark.slow
def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = iter(["player", KeyboardInterrupt])

    def answer(*_: object, **__: object) -> str:
        given = next(calls)
        if given is KeyboardInterrupt:
            raise KeyboardInterrupt
        return str(given)

    monkeypatch.setattr(Prompt, "ask", answer)
    code, output, _ = asked(tmp_path, [])
    assert code == 1
    assert "stopped: nothing is written" in output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.csv"]


def test_a_mapping_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / "mapping.toml").write_text("mine")
    result = asked(tmp_path, [ENTER] * 12)
    assert result[0] != 0
    assert (tmp_path / "mapping.toml").read_text() == "mine"


SURVEY = (
    "participant,agent_emotion,gold_h,iron_h,gold_a,iron_a,value_gold_h,value_iron_h,value_gold_a,value_iron_a,"
    "satisfaction,mood_note\n"
) + "".join(
    f"p{n},{('angry', 'happy')[n % 2]},{n % 5},{n % 4},{4 - n % 5},{3 - n % 4},4,2,1,3,{n % 7 + 1},{n % 3}\n"
    for n in range(1, 21)
)
SEATS = "pair,side,person,medium,points,age,fun\n" + "".join(
    f"{n // 2},{'AB'[n % 2]},p{n},{('chat', 'voice')[n // 2 % 2]},{n % 9},{20 + n % 30},{n % 5 + 1}\n"
    for n in range(24)
)


@pytest.mark.slow
def test_seats_items_and_their_answers_are_asked(tmp_path: Path) -> None:
    """Enter keeps all; a list keeps those that it names."""
    code, output, out = asked(tmp_path, [ENTER] * 20, SURVEY)
    assert code == 0, output
    for question in ("of the seats?", "how much of an item?", "answers of the seats?"):
        assert question in output
    assert "seats.human.items.gold is gold_h" in output
    text = out.read_text(encoding="utf-8")
    assert 'gold = "gold_h"' in text
    assert output.count("in all 20 games") >= 4  # three games after each answer
    out.unlink()
    before = output.split("how much of an item?")[0].count("in all 20 games")
    code, output, out = asked(tmp_path, [*[ENTER] * before, "gold_h, gold_a", *[ENTER] * 20], SURVEY)
    assert code == 0, output
    text = out.read_text(encoding="utf-8")
    assert 'gold = "gold_h"' in text
    assert 'iron = "iron_h"' not in text


@pytest.mark.slow
def test_a_column_that_is_none_of_them(tmp_path: Path) -> None:
    _, output, out = asked(tmp_path, [ENTER] * 20, SURVEY)
    out.unlink()
    before = output.split("how much of an item?")[0].count("in all 20 games")
    code, output, _ = asked(tmp_path, [*[ENTER] * before, "golden", *[ENTER] * 20], SURVEY)
    assert code == 0, output
    assert "'golden' is not one of these columns: gold_h" in output


@pytest.mark.slow
def test_answers_and_the_seat_are_asked(tmp_path: Path) -> None:
    code, output, out = asked(tmp_path, [ENTER] * 20, SEATS)
    assert code == 0, output
    assert "Which column names the seat? (side)" in output
    out.unlink()
    before = output.split("a survey about the game?")[0].count("in all 12 games")
    code, output, out = asked(tmp_path, [*[ENTER] * before, "fun", "age", *[ENTER] * 20], SEATS)
    assert code == 0, output
    study = study_of(tmp_path)
    assert set(study.answers["question"]) == {"fun", "age"}
    assert study.answers.loc[study.answers["question"] == "age", "game_id"].isna().all()


@pytest.mark.slow
def test_an_allocation_is_shown_seat_by_seat_and_how_many_accept_is_asked(tmp_path: Path) -> None:
    log = "committee,proposer,x1,x2,x3,vote1,vote2,vote3\n1,1,60,40,0,yes,no,no\n2,2,30,50,20,no,yes,yes\n"
    log += "3,3,10,20,70,no,yes,no\n"
    code, output, _ = asked(tmp_path, [ENTER] * 4 + ["four", "1", *[ENTER] * 4], log)
    assert code == 0, output
    words = " ".join(output.split())
    assert "How many seats must accept, the proposer among them? A number, majority or all (majority)" in words
    assert "'four' is no number of seats; give such as 2, or majority or all" in words
    assert "1: 60 for 1, 40 for 2, 0 for 3, rejected" in words
    assert "1 60 points, 2 40 points, 3 0 points; 1: 60 for 1, 40 for 2, 0 for 3, accepted" in words
    assert "what the responder gets" not in words
    assert study_of(tmp_path).offers["response"].tolist() == ["accepted"] * 3


@pytest.mark.slow
def test_constants_are_not_among_the_columns_to_choose_from(tmp_path: Path) -> None:
    rows = "".join(f"{n},b{n},s{n},{n},{10 - n}\n" for n in range(1, 8))
    log = f"dyad,buyer_id,seller_id,buyer_points,seller_points\n{rows}"
    code, output, _ = asked(tmp_path, [ENTER] * 12, log)
    assert code == 0, output
    words = " ".join(output.split())
    assert "taken out (buyer_id, buyer_points, seller_id, seller_points)" in words
    assert "buyer (b1) 1 point, seller (s1) 9 points" in words
