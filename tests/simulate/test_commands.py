"""``negstats simulate``: each game's command writes the study and the log of its function, and refuses in one line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

import negstats
from negstats.cli.simulate import GAMES
from negstats.games.rulesheet import sheet
from negstats.simulate import contract, dealornodeal, dominance, favors, rulesheet
from negstats.studies.study import Study
from tests.conftest import ROOT
from tests.shell import Shell

AGENTS = str(ROOT / "datasets" / "dealornodeal_agents" / "agents.toml")
PRISONERS = sheet.negotiating_prisoners(3)


def prisoners() -> Study:
    players = {"a1": "own_payoff:last", "a2": "own_payoff"}
    setup = rulesheet.Setup.of(PRISONERS, players, name="prisoners")
    return rulesheet.as_study(setup, rulesheet.sessions_of(setup, 3, seed=3))


# What is typed, the study that comes of it, and what is printed.
WRITTEN: dict[str, tuple[str, Callable[[], Study], str]] = {
    "contract": (
        "contract --condition HvsH --country Israel --games 30",
        lambda: contract.as_study(contract.games_of("HvsH", "Israel", games=30, seed=3)),
        "nobody took part",
    ),
    "dominance": (
        "dominance --relations dominant submissive --games 20",
        lambda: dominance.as_study(dominance.talks_of("dominant", "submissive", talks=20, seed=3)),
        "nobody took part",
    ),
    "dealornodeal": (
        f"dealornodeal --agents {AGENTS} --games 12",
        lambda: dealornodeal.as_study(dealornodeal.agents_with_people(dealornodeal.load_design(AGENTS), 3, games=12)),
        "72 simulated dialogues; simulated acts, not the paper's bots, and nobody took part",
    ),
    "favors": (
        "favors --condition grim --games 4",
        lambda: favors.as_study(favors.favor_games_of("grim", 4, 3)),
        "4 simulated sessions (4 grim); nobody took part",
    ),
    "sheet": (
        "prisoners.kif --games 3 --player a1=own_payoff:last --player a2=own_payoff",
        prisoners,
        "3 simulated games of prisoners.kif (a1 own_payoff:last, a2 own_payoff); nobody took part",
    ),
}


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("prisoners.kif").write_text(PRISONERS)


@pytest.mark.nightly
@pytest.mark.parametrize("name", [*GAMES, "sheet"])  # a simulation that stands there for the first time lacks its words
def test_a_study_and_its_log(name: str, shell: Shell) -> None:
    words, expected, printed = WRITTEN[name]
    command = ("simulate", *words.split(), "--seed", "3")
    code, text, err = shell(*command, "--out", "study", "--log", "log.jsonl")
    assert (code, err) == (0, "")
    assert printed in text
    for table, frame in expected().tables.items():
        assert_frame_equal(negstats.load("study").tables[table], frame)
        assert_frame_equal(negstats.load("log.jsonl").tables[table], frame)
    content = shell.json(*command, "--out", "again", "--log", "again.jsonl")
    assert Path("again.jsonl").read_bytes() == Path("log.jsonl").read_bytes()
    assert (content["study"], content["log"]) == ("again", "again.jsonl")
    lists = [value for value in content.values() if isinstance(value, list)]
    assert lists
    assert all(isinstance(row, dict) for rows in lists for row in rows)
    games = len(negstats.load("again").games)
    assert content.get("games", games) == games


PLAYED: dict[str, Callable[[int, int], object]] = {
    "contract": lambda games, seed: contract.games_of("HvsSP-RAP", "Israel", games, seed),
    "dominance": lambda games, seed: dominance.talks_of("peer", "dominant", games, seed, lapse=0.2),
    "favors": lambda games, seed: [one.history for one in favors.favor_games_of("random", games, seed)],
    "sheet": lambda games, seed: rulesheet.sessions_of(rulesheet.Setup.of(PRISONERS, "random"), games, seed),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", PLAYED)
def test_a_seed_gives_the_same_games_and_more_of_them_begin_alike(name: str) -> None:
    games = PLAYED[name](60, 5)
    assert PLAYED[name](60, 5) == games
    assert PLAYED[name](30, 5) == games[:30]  # type: ignore[index]
    assert PLAYED[name](60, 6) != games


@pytest.mark.nightly
def test_numbers_as_json(shell: Shell) -> None:
    cells = shell.json("simulate", "favors", "--seed", "3", "--out", "favors")
    assert cells["sessions"] == favors.SIZES
    words = ("--relations", "peer", "dominant", "--games", "10", "--lapse", "0.1", "--opener", "B")
    talks = shell.json("simulate", "dominance", *words, "--out", "dominance")
    assert sum(row["n"] for row in talks["ends"]) == talks["talks"] == 10
    assert {row["player"]: row["concessions"] for row in talks["seats"]} == {"A": 0, "B": 0}
    study = negstats.load("dominance")
    assert study.games["opener"].unique().tolist() == ["B"]
    assert study.players["kind"].tolist() == ["agent", "human"] * 10
    people = shell.json("simulate", "dealornodeal", "--agents", AGENTS, "--out", "people")
    assert (people["games"], people["note"]) == (583, "simulated acts, not the paper's bots")
    assert [row["n"] for row in people["outcomes"]] == [97, 100, 97, 96, 90, 103]
    each_other = ("--agents", AGENTS, "--against", "agents", "--games", "4")
    agents = shell.json("simulate", "dealornodeal", *each_other, "--out", "agents")
    assert (len(agents["outcomes"]), agents["games"]) == (49, 196)


@pytest.mark.nightly
def test_trained_and_kept_agents_play_again(shell: Shell) -> None:
    command = ("simulate", "dealornodeal", "--games", "10", "--seed", "2", "--easy", "0.1")
    shell(*command, "--keep", "agents.toml", "--out", "one", "--log", "one.jsonl")
    shell(*command, "--agents", "agents.toml", "--out", "two", "--log", "two.jsonl")
    assert Path("one.jsonl").read_bytes() == Path("two.jsonl").read_bytes()
    assert "easy = 0.1" in Path("agents.toml").read_text(encoding="utf-8")
