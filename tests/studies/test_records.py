"""Records of what was doubted at loading: stored with the study, opened again, and open until they are answered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from negstats.analysis import run
from negstats.analysis.loading_checks import check_loading
from negstats.analysis.plan import parse
from negstats.analysis.preregistration.check import check
from negstats.errors import UsageError
from negstats.loaders.mapping import read, read_mapping
from negstats.studies import Provenance, Study, open_study
from negstats.studies import folder as study_folder
from negstats.studies.participation import participation
from negstats.studies.records import KINDS, OF_TABLES, Record, answers_of, open_records, sentence
from negstats.studies.suspicions import records_of
from negstats.tables import conform

CODE = "missing_code players.points"
PLAN = '[questions.H1]\nasks = "Do points differ?"\nmeasure = "points"\nby = "cond"\nwho = "A"\n'
MAPPING = """
row = "game"
games.game_id = "game"
factors.cond = "cond"

[seats.A]
points = "a"
kind = { constant = "human" }

[seats.B]
points = "b"
kind = { constant = "human" }
"""


def log_of(folder: Path, *, mapping: str = MAPPING, workers: int = 20) -> Study:
    """Forty games of a table that names workers, whose points are −99 in two of them, and the mapping that is given."""
    rows = [f"g{game},W{game % workers:03d}x,{'XY'[game % 2]},{-99 if game % 20 == 0 else game % 7},{game % 5}"
            for game in range(40)]  # fmt: skip
    (folder / "log.csv").write_text("\n".join(["game,worker_id,cond,a,b", *rows, ""]))
    (folder / "log.toml").write_text(mapping)
    return read(folder / "log.csv", read_mapping(folder / "log.toml"))


def names_of(study: Study) -> list[str]:
    return [record.name for record in open_records(records_of(study), study.provenance.accepted)]


@pytest.mark.slow
def test_a_doubt_stays_through_saving_checking_and_running(tmp_path: Path) -> None:
    study = log_of(tmp_path)
    saved = open_study(study.save(tmp_path / "study"))
    assert CODE in names_of(study)
    assert names_of(saved) == names_of(study)
    assert CODE in names_of(open_study(tmp_path / "study", engine="duckdb"))
    doubt = "2 of 80 points are -99, the others 0 to 6: missing?"
    assert doubt in " ".join(check(parse(PLAN), saved).lines())
    report = run(parse(PLAN), saved)
    assert doubt in [alarm["says"] for alarm in report.results["alarms"]]
    assert report.lines()[0].startswith("! ")


@pytest.mark.slow
def test_missing_in_the_mapping_and_accept_answer_a_doubt(tmp_path: Path) -> None:
    assert CODE not in names_of(log_of(tmp_path, mapping="missing = [-99]\n" + MAPPING))
    accepted = log_of(tmp_path, mapping=f'accept = ["{CODE}"]\n' + MAPPING)
    assert CODE not in names_of(open_study(accepted.save(tmp_path / "study")))
    plan = parse(f'accept = ["missing_code", "people_unread"]\n{PLAN}')
    assert run(plan, log_of(tmp_path)).results["alarms"] == []
    assert parse(PLAN).accept == ()


@pytest.mark.slow
def test_people_who_could_be_known_are_an_alarm(tmp_path: Path) -> None:
    assert "people_unread worker_id" in names_of(log_of(tmp_path))
    assert "people_unread worker_id" not in names_of(log_of(tmp_path, workers=40))  # each id in one game
    known = MAPPING.replace("[seats.A]\n", '[seats.A]\nparticipant_id = "worker_id"\n')
    assert "people_unread worker_id" not in names_of(log_of(tmp_path, mapping=known))


def test_a_study_of_an_earlier_version_opens(tmp_path: Path) -> None:
    folder = log_of(tmp_path).save(tmp_path / "study")
    card = json.loads((folder / "study.json").read_text())
    del card["records"], card["accepted"]
    card["sha256"] = study_folder.card_hash(card)
    (folder / "study.json").write_text(json.dumps(card))
    study = open_study(folder)
    assert study.provenance.records == ()
    assert CODE in names_of(study)  # its tables are looked at anew


@pytest.mark.slow
def test_a_stop_refuses_an_analysis_until_it_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    from negstats.studies.records import Kind

    monkeypatch.setitem(KINDS, "unit_unknown", Kind("stop", "points", "the unit of {place} is not known"))
    study = log_of(tmp_path)
    stopped = study.with_filled(
        study.tables, replace(study.provenance, records=(Record("unit_unknown", "players.points"),))
    )
    with pytest.raises(UsageError, match=r"unit of players\.points is not known\. To answer: accept"):
        run(parse(PLAN), stopped)
    assert run(parse(f'accept = ["unit_unknown"]\n{PLAN}'), stopped).results["alarms"]


def test_every_kind_has_a_sentence_and_an_answer() -> None:
    assert set(KINDS) >= OF_TABLES
    for name, kind in KINDS.items():
        record = Record(name, "players.points", 2, 8, (1.0, "before", "c", "d"))
        assert "{" not in sentence(record)
        assert bool(answers_of(record)) == (kind.weight != "note")
    assert sentence(Record("of_a_later_version", "players.points", 3)) == "of a later version players.points (3)"


def test_the_lines_at_loading_leave_out_what_is_answered(tmp_path: Path) -> None:
    study = log_of(tmp_path, mapping=f'accept = ["{CODE}", "people_unread"]\n' + MAPPING)
    assert not any(line.suspicious for line in check_loading(study))


@pytest.mark.parametrize(
    ("kinds", "who"),
    [
        (["human", "agent"], "people and agents"),
        (["agent", "agent"], "agents"),
        (["human", "human"], "people"),
        (["human", None], "unknown"),
        ([None, None], "unknown"),
    ],
)
def test_who_played_follows_from_kinds_and_origin(kinds: list[str | None], who: str) -> None:
    games = conform("games", {"game_id": ["g"], "ended": ["agreement"]})
    seats = {"game_id": ["g", "g"], "player": ["A", "B"], "kind": kinds, "participant_id": ["p1", "p2"]}
    players = conform("players", seats)
    assert participation(Study(games=games, players=players, provenance=Provenance("by hand", "1"))) == who
    simulated = Study(games=games, players=players, provenance=Provenance("simulate contract", "1"))
    assert participation(simulated) == "simulated"


@pytest.mark.parametrize(
    ("loader", "kind", "seats"),
    [
        ("simulate contract", "human", "2 a game; 2 simulated players, 1 game each"),
        ("by hand", "agent", "2 a game; 2 agents, 1 game each"),
        ("by hand", "human", "2 a game; 2 people, 1 game each"),
    ],
)
def test_neither_agents_nor_simulated_players_are_counted_as_people(loader: str, kind: str, seats: str) -> None:
    games = conform("games", {"game_id": ["g"], "ended": ["agreement"]})
    ids = {"game_id": ["g", "g"], "player": ["A", "B"], "kind": [kind] * 2, "participant_id": ["p1", "p2"]}
    study = Study(games=games, players=conform("players", ids), provenance=Provenance(loader, "1"))
    lines = {line.about: line.text for line in check_loading(study)}
    assert lines["seats"] == seats
    assert lines["kind"] == f"{kind} 2{' (simulated)' if loader.startswith('simulate') else ''}"
