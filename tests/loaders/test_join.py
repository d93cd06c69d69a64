"""Several sources in one study: people matched by id, clashes refused, the order of sources without meaning."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

import negstats
from negstats.cli import app
from negstats.errors import LogError, UsageError
from negstats.loaders import load_several
from negstats.loaders.join import join, read_same_people
from negstats.studies import Provenance, Source, Study, open_study
from negstats.tables import conform
from tests.conftest import DataFolder
from tests.loaders.agent_logs import lamen, negmas, put


def played(seats: dict[str, list[str]], *, sha: str = "", factor: Any = None, points: float = 1.0) -> Study:
    """Return games with the people who sit in them."""
    games: dict[str, Any] = {"game_id": list(seats), "ended": ["agreement"] * len(seats)}
    if factor is not None:
        games["pie"] = [factor] * len(seats)
    rows = [(game, f"seat {at}", person) for game, people in seats.items() for at, person in enumerate(people)]
    columns = dict(zip(("game_id", "player", "participant_id"), zip(*rows, strict=True), strict=True))
    players = conform("players", {**columns, "points": [points * at for at in range(len(rows))]})
    sources = (Source("log.csv", sha, len(rows)),)
    return Study(games=conform("games", games), players=players, provenance=Provenance("by hand", "1", sources))


def asked(answers: dict[str, dict[str, str]]) -> Study:
    """Return a survey: for each person the answer to each question."""
    rows = [(person, question, answer) for person, of in answers.items() for question, answer in of.items()]
    columns = dict(zip(("participant_id", "question", "answer"), zip(*rows, strict=True), strict=True))
    games = conform("games", {"game_id": [], "ended": []})
    return Study(games=games, answers=conform("answers", columns), provenance=Provenance("survey", "1"))


def about(study: Study) -> dict[str, Any]:
    """Return by person which game the first answer is about."""
    game_id = study.answers.drop_duplicates("participant_id").set_index("participant_id")["game_id"]
    return {str(person): game if isinstance(game, str) else None for person, game in game_id.items()}


class TestPeople:
    def test_ids_match_after_trimming_and_case_counts(self) -> None:
        joined = join({"lab": played({"g1": ["ann ", "Bob"]}), "form": asked({" ann": {"q": "1"}, "bob": {"q": "2"}})})
        assert joined.players["participant_id"].tolist() == ["ann", "Bob"]
        assert about(joined) == {"ann": "g1", "bob": None}
        assert "1 people are in 'form' and in games, 1 in games only, 1 in it only" in joined.provenance.notes

    def test_few_matches_are_a_hint_at_the_key(self) -> None:
        form = asked({name: {"q": "1"} for name in ("ann", "x", "y")})
        note = join({"lab": played({"g1": ["ann", "bob"]}), "form": form}).provenance.notes[0]
        assert note.startswith("check the key: fewer than half of the people in 'form' are in games")

    @pytest.mark.slow
    def test_whoever_played_twice_answers_about_themselves_unless_they_name_the_game(self) -> None:
        lab = played({"g1": ["ann", "bob"], "g2": ["ann", "cem"]})
        assert about(join({"lab": lab, "form": asked({"ann": {"q": "1"}, "bob": {"q": "1"}})})) == {
            "ann": None,
            "bob": "g1",
        }
        text = join({"lab": lab, "form": asked({"ann": {"game_id": "g2", "q": "1"}})})
        assert about(text) == {"ann": "g2"}
        elsewhere = join({"lab": lab, "form": asked({"bob": {"game_id": "g2", "q": "1"}})})
        assert about(elsewhere) == {"bob": None}  # bob was not in g2

    def test_a_key_of_same_people(self, tmp_path: Path) -> None:
        key = tmp_path / "key.csv"
        key.write_text("lab,form\nann,5f1\n bob , 5f2\n\n", encoding="utf-8")
        same = read_same_people(key)
        assert same == {"5f1": "ann", "5f2": "bob"}
        form = asked({"5f1": {"q": "1"}, "5f2": {"q": "2"}})
        joined = join({"lab": played({"g1": ["ann", "bob"]}), "form": form}, same_people=same)
        assert about(joined) == {"ann": "g1", "bob": "g1"}

    @pytest.mark.parametrize(
        ("rows", "message"),
        [
            ("a,b\nx", "row 2: .* are not two ids of one person"),
            ("a,b\nx,y\nz,y", "row 3: 'y' is the id of two people"),
            ("a,b\nx,y\ny,z", "row 3: 'y' is the id of two people"),
            ("a,b\nx,y\nz,x", "row 3: 'x' is the id of two people"),
        ],
    )
    def test_a_key_that_contradicts_itself(self, tmp_path: Path, rows: str, message: str) -> None:
        (tmp_path / "key.csv").write_text(rows, encoding="utf-8")
        with pytest.raises(LogError, match=message):
            read_same_people(tmp_path / "key.csv")


class TestClashes:
    def test_one_id_of_two_games(self) -> None:
        one, other = played({"g1": ["ann", "bob"]}), played({"g1": ["cem", "dan"]})
        with pytest.raises(UsageError, match="game 'g1' is in 'one' and in 'other', and they differ; prefix"):
            join({"one": one, "other": other})
        joined = join({"one": one, "other": other}, prefix=True)
        assert joined.games["game_id"].tolist() == ["one/g1", "other/g1"]
        assert joined.games["study"].tolist() == ["one", "other"]
        assert joined.players["game_id"].tolist() == ["one/g1"] * 2 + ["other/g1"] * 2

    def test_the_same_file_twice(self) -> None:
        one, other = played({"g1": ["ann", "bob"]}, sha="s"), played({"g1": ["ann", "bob"]}, sha="s")
        joined = join({"one": one, "other": other})
        assert len(joined.games) == 1
        assert joined.provenance.reasons() == {"the same file twice": 1}
        changed = played({"g1": ["ann", "bob"]}, sha="t")
        with pytest.raises(UsageError, match="and they differ"):
            join({"one": one, "other": changed})

    def test_factors_are_united_and_kinds_may_not_differ(self) -> None:
        one, other = played({"g1": ["ann", "bob"]}, factor=10), played({"g2": ["cem", "dan"]})
        joined = join({"one": one, "other": other})
        assert joined.games["pie"].isna().tolist() == [False, True]
        text = played({"g2": ["cem", "dan"]}, factor="large")
        with pytest.raises(UsageError, match="the factor 'pie' has numbers in 'one' and text in 'other'"):
            join({"one": one, "other": text})

    @pytest.mark.slow
    def test_different_answers_of_one_person(self) -> None:
        first, second = asked({"ann": {"age": "30", "job": "x"}}), asked({"ann": {"age": "31", "job": "x"}})
        with pytest.raises(UsageError, match="'ann' answers 'age' differently in 'a' and 'b'; keep"):
            join({"a": first, "b": second})
        for keep, age in (("first", "30"), ("last", "31")):
            joined = join({"a": first, "b": second}, keep=keep)  # type: ignore[arg-type]
            answers = joined.answers.set_index("question")["answer"]
            assert (len(answers), answers["age"], answers["job"]) == (2, age, "x")
            assert any(
                f"1 answers differ from another study's of the same person, whose {keep} one" in n
                for n in joined.provenance.notes
            )

    def test_ranges_of_points(self) -> None:
        one, other = played({"g1": ["ann", "bob"]}), played({"g2": ["cem", "dan"]}, points=100)
        notes = join({"one": one, "other": other}).provenance.notes
        assert any("different ranges, and are not rescaled: 1 in 'one', 100 in 'other'" in note for note in notes)

    def test_one_study_is_none_to_join(self) -> None:
        with pytest.raises(UsageError, match="1 studies were given"):
            join({"one": played({"g1": ["ann", "bob"]})})


names = st.sampled_from(["ann", "bob", "cem", "dan"])


@pytest.mark.slow
@settings(max_examples=15)
@given(st.lists(st.tuples(names, names).filter(lambda pair: pair[0] != pair[1]), min_size=1, max_size=4), st.data())
def test_the_order_of_sources_changes_only_the_order_of_rows(pairs: list[tuple[str, str]], data: st.DataObject) -> None:
    studies = {f"s{at}": played({f"g{at}": list(pair)}) for at, pair in enumerate(pairs)}
    studies["form"] = asked({name: {"q": "1"} for name in data.draw(st.sets(names, min_size=1))})
    turned = dict(data.draw(st.permutations(list(studies.items()))))
    one, other = join(studies), join(turned)
    for name, frame in one.tables.items():
        columns = sorted(frame.columns)
        rows = [sorted(map(str, each[columns].itertuples(index=False))) for each in (frame, other.tables[name])]
        assert rows[0] == rows[1]


class TestCommand:
    @pytest.mark.slow
    def test_two_folders(self, tmp_path: Path) -> None:
        put(tmp_path / "agents", negmas())
        put(tmp_path / "models", lamen())
        words = ["load", str(tmp_path / "agents"), str(tmp_path / "models"), "--out", str(tmp_path / "S"), "--json"]
        result = CliRunner().invoke(app, words)
        assert result.exit_code == 0, result.output
        content = json.loads(result.output)
        assert [line.split(",")[0] for line in content["read_as"]] == [
            "agents: read as negmas",
            "models: read as lamen",
        ]
        study = open_study(tmp_path / "S")
        assert study.games["study"].tolist() == ["agents", "models"]
        assert {source.path.split("/")[0] for source in study.provenance.sources} == {"agents", "models"}
        assert study.provenance.loader == "negmas+lamen"

    @pytest.mark.slow
    def test_the_same_folder_twice(self, tmp_path: Path) -> None:
        put(tmp_path / "a" / "logs", negmas())
        put(tmp_path / "b" / "logs", negmas())
        study = load_several([tmp_path / "a" / "logs", tmp_path / "b" / "logs"])
        assert len(study.games) == 1
        assert set(study.provenance.reasons()) == {"the same file twice"}
        assert {row.path.split("/")[0] for row in study.provenance.left_out} == {"logs-2"}

    @pytest.mark.slow
    def test_an_option_for_one_of_the_sources(self, tmp_path: Path) -> None:
        put(tmp_path / "agents", negmas())
        put(tmp_path / "models", lamen())
        both = [tmp_path / "agents", tmp_path / "models"]
        assert (load_several(both, notes=True).messages["act"] == "note").sum() == 4
        with pytest.raises(UsageError, match="no source has the option 'rule'"):
            load_several(both, rule="strict")

    def test_options_for_joining_need_two(self, tmp_path: Path) -> None:
        put(tmp_path / "models", lamen())
        result = CliRunner().invoke(app, ["load", str(tmp_path / "models"), "--out", str(tmp_path / "S"), "--prefix"])
        assert result.exit_code != 0


def test_games_of_otree_and_a_survey(real_data: DataFolder) -> None:
    """Answers about the games stay, and those of the survey are added for whoever is in it."""
    otree = negstats.load(real_data("otree") / "all_apps_wide.csv")
    people = otree.players["participant_id"].dropna().unique().tolist()
    form = asked({person: {"SVI": "4"} for person in people[:4]} | {"nobody": {"SVI": "1"}})
    joined = join({"otree": otree, "form": form})
    assert len(joined.answers) == len(otree.answers) + 5
    assert (
        f"4 people are in 'form' and in games, {len(people) - 4} in games only, 1 in it only" in joined.provenance.notes
    )
