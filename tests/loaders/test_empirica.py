"""Empirica's export: every figure of the sample, each trap, and version 1 by a written example."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import negstats
from negstats.errors import LogError
from negstats.loaders import sightings
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.robustness.seeds import SEEDS


@pytest.fixture(scope="module")
def bargaining(real_data: DataFolder) -> Study:
    return negstats.load(real_data("empirica_v2"))


def written(folder: Path, change: Callable[[dict[str, str]], None] | None = None) -> Path:
    files = {name: data.decode() for name, data in SEEDS["empirica"]().files.items()}
    if change is not None:
        change(files)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return folder


def replaced(file: str, old: str, new: str) -> Callable[[dict[str, str]], None]:
    def change(files: dict[str, str]) -> None:
        assert old in files[file]
        files[file] = files[file].replace(old, new)

    return change


def test_points_batna_and_bonus(real_data: DataFolder, bargaining: Study) -> None:
    points = bargaining.players.pivot_table(index="game_id", columns="player", values="points", sort=False)
    assert points[["buyer", "seller"]].to_numpy().tolist() == [[45, 55], [86, 14], [41, 59], [69, 31]]
    assert bargaining.players["points"].isna().sum() == 4
    second = bargaining.players[bargaining.players["game_id"] == bargaining.games["game_id"][1]]
    assert second.set_index("player")["batna"].to_dict() == {"buyer": 20, "seller": 45}
    paid = negstats.load(real_data("empirica_v2"), bonus=True)
    bonus = paid.answers[paid.answers["question"] == "bonus"].assign(answer=lambda frame: frame["answer"].astype(float))
    both = paid.players.merge(bonus, on=["game_id", "participant_id"])
    assert round(both["answer"].sum(), 10) == 4.65
    assert both.groupby("role")["answer"].mean().round(10).to_dict() == {"buyer": 0.435, "seller": 0.34}
    failed = paid.games.loc[paid.games["ended"] == "disconnect", "game_id"].item()
    sound_games = both[both["game_id"] != failed]
    assert (sound_games["points"].fillna(sound_games["batna"]) - 100 * sound_games["answer"]).abs().max() < 1e-9
    assert both.loc[both["game_id"] == failed, "answer"].tolist() == [0, 0]
    assert "the points of 4 games follow from their deals" in paid.provenance.notes


def test_times_and_line_breaks(bargaining: Study) -> None:
    first = bargaining.offers.iloc[0]
    assert (first["units_to_proposer"], round(first["time_s"], 3)) == (77, 144.852)
    assert "\n" in bargaining.messages["text"][1]
    assert (bargaining.messages.groupby("game_id")["time_s"].diff().dropna() >= 0).all()


def test_an_archive_says_the_same(real_data: DataFolder, bargaining: Study, tmp_path: Path) -> None:
    archive = tmp_path / "export.zip"
    with zipfile.ZipFile(archive, "w") as result:
        for file in real_data("empirica_v2").glob("*.csv"):
            result.write(file, f"export/{file.name}")
    study = negstats.load(archive)
    assert all(study.tables[name].equals(frame) for name, frame in bargaining.tables.items())
    assert study.provenance.rows_read == 90


@pytest.mark.parametrize("archived", [False, True])
def test_tables_may_be_called_in_the_singular(*, archived: bool, tmp_path: Path) -> None:
    for name in ("plural", "singular"):
        (tmp_path / name).mkdir()
    plural = negstats.load(written(tmp_path / "plural"))
    singular = written(tmp_path / "singular")
    for file in sorted(singular.glob("*.csv")):
        file.rename(file.with_name(f"{file.stem.removesuffix('s')}.csv"))
    if archived:
        with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
            for file in singular.glob("*.csv"):
                archive.write(file, file.name)
        singular = tmp_path / "export.zip"
    study = negstats.load(singular)
    for name in ("games", "players", "offers", "messages"):
        pd.testing.assert_frame_equal(getattr(study, name), getattr(plural, name))


def test_an_archive_that_leaves_its_folder(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in ("playerGames.csv", "rounds.csv", "players.csv", "../../games.csv"):
            archive.writestr(name, "id\n")
    (tmp_path / "export.zip").write_bytes(buffer.getvalue())
    with pytest.raises(LogError, match="an entry has a path outside of the archive"):
        negstats.load(tmp_path / "export.zip")


def test_chat_is_sorted_and_a_stranger_left_out(tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path))
    assert study.messages["text"].tolist() == ['no "way"', "77, é\nfair"]
    assert study.messages["sender"].tolist() == ["buyer", "seller"]
    other = negstats.load(written(tmp_path, replaced("games.csv", '""p1""', '""p9""')))
    assert other.provenance.reasons() == {"a chat message of nobody in the game, or without text": 1}


@pytest.mark.slow
def test_ends(tmp_path: Path) -> None:
    def ends(*change: tuple[str, str, str]) -> list[str]:
        for each in change:
            replaced(*each)(files)
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8", newline="")
        return list(negstats.load(folder).games["ended"])

    files = {name: data.decode() for name, data in SEEDS["empirica"]().files.items()}
    assert ends() == ["agreement", "disconnect"]
    assert ends(("playerRounds.csv", "true", "false")) == ["disagreement", "disconnect"]
    assert ends(("playerRounds.csv", "20,false,,,40", "20,,,,40")) == ["timeout", "disconnect"]
    assert ends(("players.csv", "x1,game ended", "x1,kicked")) == ["disconnect", "disconnect"]
    assert ends(("games.csv", "failed", "lobby")) == ["disconnect"]


def test_points_of_a_failed_game_are_missing_and_others_are_compared(tmp_path: Path) -> None:
    study = negstats.load(written(tmp_path, replaced("playerRounds.csv", ",60\r\n", ",61\r\n")))
    assert study.players["points"].tolist()[:2] == [61, 40]
    assert "points do not follow from the deal in 1 of 1 games (g1); kept" in study.provenance.notes
    assert study.offers["value_proposer"].isna().all()


def test_other_names_need_a_mapping(tmp_path: Path) -> None:
    study = negstats.load(
        written(tmp_path, replaced("playerRounds.csv", "accept,offer,offerLast", "accept,bid,bidLast"))
    )
    assert len(study.offers) == 0
    assert len(study.messages) == 2
    assert "playerRounds.csv: has no 'offer'; offers need a mapping of this file" in study.provenance.notes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            replaced("playerRounds.csv", ",77,", ",much,"),
            r"playerRounds.csv, row 3, column 'offer': 'much' is not a number",
        ),
        (replaced("playerRounds.csv", "q3,g1,r2", "q3,g1,r1"), "the player has row 2 in this round already"),
        (replaced("playerRounds.csv", "q3,g1,r2", "q3,g1,r3"), "'r3' is not a round of game 'g1' in rounds.csv"),
        (replaced("games.csv", '""pie"":100', '""pie"":'), "row 2, column 'treatment': .* is not JSON"),
        (replaced("players.csv", "p2,", "p1,"), "'p1' is also in row 2"),
        (replaced("playerGames.csv", "p4", "p5"), "'p5' is not an id in players.csv"),
        (replaced("rounds.csv", "14:00:10Z", "noon"), "is not a time such as"),
        (replaced("games.csv", "14:00:30Z", "noon"), "message 1 has no time"),
    ],
)
def test_damage_is_named(change: Callable[[dict[str, str]], None], message: str, tmp_path: Path) -> None:
    with pytest.raises(LogError, match=message):
        negstats.load(written(tmp_path, change))


def test_version_1_by_a_written_example(tmp_path: Path) -> None:
    files = {
        "games": "_id,createdAt,treatmentId,data.chat\ng1,2020-01-01T10:00:00Z,t1,\n",
        "players": "_id,createdAt,gameId,data.role\np1,2020-01-01,g1,seller\np2,2020-01-01,g1,buyer\n",
        "rounds": "_id,gameId,index\nr1,g1,0\n",
        "player-rounds": "gameId,playerId,roundId,data.offer,data.accept,data.points\n"
        "g1,p1,r1,60,,60\ng1,p2,r1,,true,40\n",
        "treatments": '_id,name,factorIds\nt1,big,"f1,f2"\n',
        "factors": "_id,factorTypeId,name,value\nf1,y1,pie100,100\nf2,y2,equal,equal\n",
        "factor-types": "_id,name\ny1,pie\ny2,power\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    assert [(known.name, why.strength) for known, why in sightings(tmp_path)] == [("empirica", 3)]
    study = negstats.load(tmp_path)
    assert study.games[["game_id", "ended", "pie", "power"]].to_numpy().tolist() == [["g1", "agreement", 100, "equal"]]
    assert study.offers[["proposer", "units_to_proposer", "response"]].to_numpy().tolist() == [
        ["seller", 60, "accepted"]
    ]
    assert study.players["points"].tolist() == [60, 40]


def test_version_1_without_columns_of_its_own(tmp_path: Path) -> None:
    """As a real export: who is in a game stands on the rounds only, and a chat is objects with commas between."""
    chat = '{""text"":""hi"",""playerId"":""p1""},{""text"":""yes"",""playerId"":""p2""}'
    files = {
        "games": '_id,createdAt,treatmentId,playerIds\ng1,2020-01-01T10:00:00Z,t1,"p1,p2"\n',
        "players": "_id,exitStatus,data.name\np1,finished,A\np2,finished,B\np3,gameCancelled,\n",
        "rounds": f'_id,gameId,index,data.chat\nr2,g1,1,"{{""text"":""bye"",""playerId"":""p2""}}"\nr1,g1,0,"{chat}"\n',
        "player-rounds": "_id,batchId,playerId,roundId,gameId\n"
        "a,b,p1,r1,g1\nc,b,p2,r1,g1\nd,b,p1,r2,g1\ne,b,p2,r2,g1\n",
        "treatments": "_id,name,factorIds\nt1,big,f1\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text("\ufeff" + text, encoding="utf-8")
    assert [(known.name, why.strength) for known, why in sightings(tmp_path)] == [("empirica", 3)]
    study = negstats.load(tmp_path)
    assert study.players[["game_id", "player"]].to_numpy().tolist() == [["g1", "p1"], ["g1", "p2"]]
    assert study.messages[["sender", "text"]].to_numpy().tolist() == [["p1", "hi"], ["p2", "yes"], ["p2", "bye"]]
    assert study.messages["time_s"].isna().all()
    assert study.games[["ended", "rounds"]].to_numpy().tolist() == [["unknown", 2]]
    assert study.provenance.reasons() == {"a player of no game": 1}


def test_version_1_ends_by_an_exit(tmp_path: Path) -> None:
    files = {
        "games": "_id\ng1\n",
        "players": "_id,exitStatus\np1,finished\np2,playerTimedOut\n",
        "rounds": "_id,gameId,index\nr1,g1,0\n",
        "player-rounds": "_id,playerId,roundId,gameId\na,p1,r1,g1\nb,p2,r1,g1\n",
    }
    for name, text in files.items():
        (tmp_path / f"{name}.csv").write_text(text)
    assert negstats.load(tmp_path).games["ended"].tolist() == ["disconnect"]


def test_an_exit_survey_that_is_no_object_is_counted(tmp_path: Path) -> None:
    def change(files: dict[str, str]) -> None:
        lines = list(csv.reader(io.StringIO(files["players.csv"].removeprefix("\ufeff"))))
        place = lines[0].index("exitSurvey")
        lines[1][place] = '""{""age"": 31'
        buffer = io.StringIO()
        csv.writer(buffer).writerows(lines)
        files["players.csv"] = buffer.getvalue()

    before, after = (negstats.load(written(tmp_path, one)) for one in (None, change))
    assert len(after.answers) < len(before.answers)
    assert after.provenance.reasons()["an exit survey that is not a JSON object: its answers are lost"] == 1
