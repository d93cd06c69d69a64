"""LLM-Deliberation: the figures of the real games by both rules, and each trap."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

import negstats
from negstats.errors import LogError, UsageError
from negstats.loaders.llm_deliberation import find_options
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.loaders.agent_logs import llm_deliberation, put


@pytest.fixture(scope="module")
def authors(real_data: DataFolder) -> Study:
    return negstats.load(real_data("llm_deliberation") / "all_coop_temp1_base_gpt4")


@pytest.fixture(scope="module")
def strict(real_data: DataFolder) -> Study:
    return negstats.load(real_data("llm_deliberation") / "all_coop_temp1_base_gpt4", rule="strict")


def deal_of(study: Study, game: str, *, last: bool = True, round_: int = 0) -> str:
    """Return the options of an offer in one word: p1's last one, or that of a round."""
    offers = study.offers[study.offers["game_id"] == game]
    offers = offers[offers["proposer"] == "SportCo"] if last else offers[offers["round"] == round_]
    number = offers["offer"].iloc[-1]
    items = study.items[(study.items["game_id"] == game) & (study.items["offer"] == number)]
    return "".join(items["option"])


def worths(study: Study, game: str) -> dict[str, float]:
    """Return what p1's last deal is worth to each seat, by the table of values."""
    deal = {f"{deal_of(study, game)[at : at + 2]}" for at in range(0, 10, 2)}
    values = study.values[(study.values["game_id"] == game) & study.values["option"].isin(deal)]
    return {str(seat): float(value) for seat, value in values.groupby("player")["value"].sum().items()}


class TestRealGames:
    @pytest.mark.slow
    def test_the_last_deals(self, authors: Study) -> None:
        games = authors.games["game_id"].tolist()
        worths_by_game = {game: worths(authors, game) for game in games}
        assert sum(each["SportCo"] for each in worths_by_game.values()) / 9 == pytest.approx(62.222, abs=5e-4)
        assert sum(sum(each.values()) for each in worths_by_game.values()) / 9 == pytest.approx(374.778, abs=5e-4)
        least = authors.players.drop_duplicates("player").set_index("player")["batna"]
        all_agree = [game for game, each in worths_by_game.items() if all(each[seat] > least[seat] for seat in each)]
        assert all_agree == ["history11_29_39"]
        # p1 gets 10 points more where all agree
        assert (sum(each["SportCo"] for each in worths_by_game.values()) + 10) / 9 == pytest.approx(63.333, abs=5e-4)

    @pytest.mark.slow
    def test_some_deal_of_p1_passes_in_9_of_9(self, authors: Study) -> None:
        assert success(authors) == 9

    @pytest.mark.slow
    def test_spots(self, authors: Study, strict: Study) -> None:
        assert deal_of(authors, "history10_14_00") == "A2B2C3D1E3"
        result = worths(authors, "history10_14_00")
        assert (result["SportCo"], sum(result.values()), result["Department of Tourism"]) == (70, 370, 60)
        ended = authors.games.set_index("game_id")["ended"]
        assert ended["history10_14_00"] == "disagreement"
        assert deal_of(authors, "history11_29_39") == "A2B3C3D2E4"
        result = worths(authors, "history11_29_39")
        assert (result["SportCo"], sum(result.values())) == (62, 380)
        assert deal_of(authors, "history11_52_16", last=False, round_=10)[-2:] == "E2"
        assert deal_of(strict, "history11_52_16", last=False, round_=10)[-2:] == "E3"


def success(study: Study) -> int:
    """Return in how many games some offer of p1 reaches the minima of p1, p2 and at least five seats."""
    offers = study.offers[(study.offers["proposer"] == "SportCo") & study.offers["value_proposer"].notna()]
    items = study.items.merge(offers[["game_id", "offer"]])
    worth = items.merge(study.values, on=["game_id", "item", "option"])
    sums = worth.groupby(["game_id", "offer", "player"])["value"].sum().reset_index()
    sums = sums.merge(study.players[["game_id", "player", "role", "batna"]])
    sums["ok"] = sums["value"] >= sums["batna"]
    needed = sums[sums["role"].isin(["p1", "p2"])].groupby(["game_id", "offer"])["ok"].all()
    enough = sums.groupby(["game_id", "offer"])["ok"].sum() >= 5
    return int((needed & enough).groupby("game_id").any().sum())


class TestRules:
    def test_prose_before_the_deal(self) -> None:
        answer = "from A1 to\nA2: <DEAL>A2, B1</DEAL>"
        assert find_options(answer, "AB") == {"A": "A1", "B": "B1"}
        assert find_options(answer, "AB", "strict") == {"A": "A2", "B": "B1"}

    def test_a_letter_with_two_digits_is_not_read_strictly(self) -> None:
        assert find_options("<DEAL>A1, A2, B1</DEAL>", "AB", "strict") == {"B": "B1"}
        assert find_options("<DEAL>A1, B2</DEAL> or <DEAL>A2, B2</DEAL>", "AB", "strict") == {"A": "A2", "B": "B2"}

    def test_line_breaks_are_removed_by_the_authors(self) -> None:
        assert find_options("A\n1", "A") == {"A": "A1"}
        assert find_options("<DEAL>A\n1</DEAL>", "A", "strict") == {}

    def test_no_such_rule(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="rule is 'loose'; there are authors, strict"):
            negstats.load(put(tmp_path, llm_deliberation()), rule="loose")


class TestSmallGame:
    def test_a_deal_and_its_points(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, llm_deliberation()), rule="strict")
        assert study.offers["response"].tolist() == ["superseded", "superseded", "accepted"]
        assert study.offers["value_proposer"].tolist() == [60, 70, 70]
        assert study.players["points"].tolist() == [70, 70, 10]
        assert study.players["batna"].tolist() == [40, 60, 50]
        assert study.games["incentive_Bob"].tolist() == ["greedy"]
        assert len(study.messages) == 4

    def test_who_opens_and_ends_must_have_spoken(self, tmp_path: Path) -> None:
        with pytest.raises(LogError, match="holds nothing that can be read as a study: 1 × a game that broke off"):
            negstats.load(put(tmp_path, llm_deliberation(slots=3)))

    def test_a_minimum_that_is_missed(self, tmp_path: Path) -> None:
        spoken = [("Ann", "A2, B1"), ("Bob", "-"), ("Ann", "A2, B1")]
        study = negstats.load(put(tmp_path, llm_deliberation(answers=spoken)))
        assert study.games["ended"].tolist() == ["disagreement"]
        assert study.players["points"].isna().all()
        assert study.offers["response"].tolist() == ["superseded", "none"]

    def test_scores_that_are_no_numbers(self, tmp_path: Path) -> None:
        files = llm_deliberation() | {"town/scores_files/bob.txt": b"30, ten\n0, 40\n60"}
        with pytest.raises(LogError, match=r"bob\.txt, row 1: 'ten' is not a number of points"):
            negstats.load(put(tmp_path, files))

    def test_a_config_that_points_elsewhere(self, tmp_path: Path) -> None:
        files = llm_deliberation() | {"town/config.txt": b"Ann,../ann,p1,x,y\nBob,bob,p2,x,y"}
        with pytest.raises(LogError, match=r"config\.txt, row 1: '\.\./ann' is not a name of a file of scores"):
            negstats.load(put(tmp_path, files))


@pytest.mark.slow
def test_success_can_be_told_by_condition(real_data: DataFolder, tmp_path: Path) -> None:
    """Each condition has a folder of its own, and the folder is a factor; so are the incentives of its seats."""
    source = real_data("llm_deliberation") / "all_coop_temp1_base_gpt4"
    for name, incentive in (("all_coop", "cooperative"), ("one_greedy", "greedy")):
        folder = tmp_path / "logs" / name
        shutil.copytree(source, folder)
        config = (folder / "config.txt").read_text()
        (folder / "config.txt").write_text(config.replace("cooperative", incentive, 1))
    games = negstats.load(tmp_path / "logs").games
    assert games["condition"].value_counts().to_dict() == {"all_coop": 9, "one_greedy": 9}
    values = games.groupby("condition")["incentives"].first().to_dict()
    assert values == {"all_coop": "6 cooperative", "one_greedy": "5 cooperative + 1 greedy"}


@pytest.mark.slow
def test_success_is_counted_as_the_authors_count_it(real_data: DataFolder) -> None:
    """Their notebook's loop, written down below, gives the same of each file."""
    source = real_data("llm_deliberation") / "all_coop_temp1_base_gpt4"
    games = negstats.load(source).games
    columns = ["deal_in_last_round", "deal_in_any_round", "deal_of_all"]
    expected = [by_their_notebook(source, file) for file in source.glob("history*.json")]
    known = sorted(one for one in expected if one is not None)
    assert sorted(map(tuple, games[columns].to_numpy().tolist())) == known
    assert len(known) == len(games) > 0


def by_their_notebook(folder: Path, file: Path) -> tuple[float, float, float] | None:
    """Return what cells 4 to 7 of evaluation/evaluate_deals.ipynb (commit 78e11e0) count of one history."""
    agents: dict[str, tuple[str, list[list[int]], int]] = {}
    for line in (folder / "config.txt").read_text().splitlines():
        name, scores, role, _, _ = (cell.strip() for cell in line.split(","))
        lines = (folder / "scores_files" / f"{scores}.txt").read_text().split("\n")
        rows = [list(map(int, row.split(","))) for row in lines if row.strip()]
        agents[name] = (role, rows[:-1], rows[-1][0])
    roles = {role: name for name, (role, _, _) in agents.items()}
    content = json.loads(file.read_text())
    if len(content["rounds"]) != len(content["slot_assignment"]) + 2:
        return None
    any_round = last = everybody = False
    for turn in content["rounds"]:
        deal = [re.findall(f"{letter}[1-9]", turn["public_answer"].replace("\n", "")) for letter in "ABCDE"]
        if not all(deal):
            continue
        values = {
            name: sum(row[int(item[0][1]) - 1] for row, item in zip(rows, deal, strict=True))
            for name, (_, rows, _) in agents.items()
        }
        agreed = sum(values[name] > agents[name][2] for name in agents)
        veto = [values[roles[role]] > agents[roles[role]][2] for role in ("p1", "p2")]
        p1, least = values[roles["p1"]], agents[roles["p1"]][2]
        if turn["agent"] == roles["p1"]:
            if p1 < least <= p1 + 10:
                veto[0] = True
            everybody = agreed == len(agents) or (agreed == len(agents) - 1 and not veto[0] and p1 + 10 >= least)
            last = everybody or (agreed == len(agents) - 1 and all(veto))
        any_round = any_round or last
    return float(last), float(any_round), float(everybody)


@pytest.mark.slow
def test_success_can_be_compared_between_conditions(real_data: DataFolder, tmp_path: Path) -> None:
    source = real_data("llm_deliberation") / "all_coop_temp1_base_gpt4"
    for name in ("all_coop", "one_greedy"):
        shutil.copytree(source, tmp_path / "logs" / name)
    study = negstats.load(tmp_path / "logs")
    assert study.measures == ["deal_in_last_round", "deal_in_any_round", "deal_of_all"]
    assert not set(study.measures) & set(study.factors)


def test_who_gains_without_a_deal_has_that_as_batna(tmp_path: Path) -> None:
    files = llm_deliberation()
    config = files["town/config.txt"].replace(b"cem,player,cooperative", b"cem,player,untargeted_adv")
    study = negstats.load(put(tmp_path, files | {"town/config.txt": config}))
    assert study.players.set_index("player")["batna"].to_dict() == {"Ann": 40, "Bob": 60, "Cem": 150}


def test_histories_without_a_config_are_told(tmp_path: Path) -> None:
    files = llm_deliberation()
    files["greedy/history1.json"] = files["town/history1.json"]
    study = negstats.load(put(tmp_path, files))
    [gone] = study.provenance.left_out
    assert (gone.path, gone.reason) == (
        "greedy/history1.json",
        "a history without config.txt and scores_files in its folder",
    )
    assert any("1 histories are not read" in note for note in study.provenance.notes)
