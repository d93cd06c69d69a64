"""NegotiationArena: the figures of the three samples, and each trap of theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import negstats
from negstats.errors import LogError
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.loaders.agent_logs import _turn, negotiationarena, put


def sizes(study: Study) -> list[int]:
    return [len(study.tables[name]) for name in ("games", "players", "offers", "items", "values", "messages")]


def points(study: Study) -> list[float]:
    values: list[float] = study.players.groupby("player")["points"].sum()[["RED", "BLUE"]].tolist()
    return values


class TestRealGames:
    def test_buying_and_selling(self, real_data: DataFolder) -> None:
        study = negstats.load(real_data("negotiationarena") / "buysell")
        assert sizes(study) == [16, 32, 65, 130, 64, 81]
        assert study.offers["response"].value_counts().to_dict() == {"superseded": 49, "accepted": 16}
        assert study.games["ended"].tolist() == ["agreement"] * 16
        assert points(study) == [1164, 6527]
        assert study.players["role"].tolist() == ["seller", "buyer"] * 16
        assert sorted(study.games["condition"].value_counts()) == [6, 10]
        deals = study.offers[study.offers["response"] == "accepted"]
        prices = study.items.merge(deals[["game_id", "offer"]]).query("item == 'ZUP'")["quantity"]
        assert prices.sum() == 1643
        assert prices.mean() == 102.6875
        gains = study.players["points"].to_numpy().reshape(-1, 2)  # seller, buyer
        assert (gains[:, 0] / gains.sum(axis=1)).mean() == pytest.approx(0.1528, abs=5e-5)
        assert gains[0].tolist() == [1, 475]
        assert prices.iloc[0] == 40
        notes = study.provenance.notes
        assert "the outcome of 16 games equals the worth of the accepted trade" in notes
        assert "the final resources of 16 games are what the accepted trade leaves" in notes

    def test_the_second_version(self, real_data: DataFolder) -> None:
        study = negstats.load(real_data("negotiationarena") / "buysell_v2")
        assert sizes(study) == [4, 8, 19, 38, 16, 23]
        assert study.offers["response"].value_counts().to_dict() == {"superseded": 15, "accepted": 4}
        deals = study.offers[study.offers["response"] == "accepted"]
        prices = study.items.merge(deals[["game_id", "offer"]]).query("item == 'ZUP'")["quantity"]
        assert sorted(prices) == [40, 46, 47, 48]
        assert points(study) == [21, 59]
        assert study.provenance.reasons() == {"a transcript of game_state.json": 4}

    @pytest.mark.slow
    def test_the_ultimatum_game(self, real_data: DataFolder) -> None:
        study = negstats.load(real_data("negotiationarena") / "ultimatum")
        assert sizes(study) == [32, 64, 50, 41, 64, 78]
        responses = {"superseded": 22, "accepted": 12, "rejected": 10, "none": 6}
        assert study.offers["response"].value_counts().to_dict() == responses
        ends = {"agreement": 12, "walkaway": 10, "timeout": 6, "disconnect": 4}
        assert study.games["ended"].value_counts().to_dict() == ends
        assert points(study) == [69, 51]
        assert study.players["points"].notna().sum() == 44
        assert (study.messages["act"] == "accept").sum() == 14
        assert (study.games["rounds"] == 0).sum() == 2
        by_game = study.players.groupby("game_id")["points"].agg(list)
        assert by_game["1702885909969"] == [1, 9]
        assert by_game["1703136789285"] == [10, 0]
        deal = study.offers.query("game_id == '1702885909969' and response == 'accepted'").iloc[0]
        assert (deal["proposer"], deal["units_to_proposer"], deal["units_to_responder"]) == ("BLUE", 9, 1)
        notes = " ".join(study.provenance.notes)
        assert "2 acceptances come before any trade" in notes
        assert "10 games end with a rejection: 0 points for both" in notes
        assert "have names that are not resources of the game" in notes

    @pytest.mark.slow
    def test_all_samples_are_one_folder(self, real_data: DataFolder) -> None:
        assert len(negstats.load(real_data("negotiationarena")).games) == 52


class TestTraps:
    @pytest.mark.slow(keep=1)
    @pytest.mark.parametrize(
        ("final", "ended", "expected"),
        [
            ("ACCEPT", "agreement", [6, 15]),
            ("REJECT", "walkaway", [0, 0]),
            ("NONE", "timeout", []),
            (None, "disconnect", []),
        ],
    )
    def test_ends(self, tmp_path: Path, final: str | None, ended: str, expected: list[float]) -> None:
        study = negstats.load(put(tmp_path, negotiationarena(final=final)))
        assert study.games["ended"].tolist() == [ended]
        assert study.players["points"].dropna().tolist() == expected
        last = {"agreement": "accepted", "walkaway": "rejected"}.get(ended, "none")
        assert study.offers["response"].tolist() == ["superseded", last]
        assert study.offers["value_proposer"].tolist() == [50 - 39, 60 - 45]

    def test_factors_by_seat_and_no_path(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, negotiationarena()))
        game = study.games.iloc[0]
        assert (game["condition"], game["model_red"], game["model_blue"]) == ("kind_buyer", "gpt-4", "llama-2")
        assert game["behaviour_blue"] == "You are kind."
        assert "behaviour_red" not in study.factors
        assert str(game["started_at"]) == "2023-12-17 12:15:36.293000+00:00"
        assert not any("ann" in str(value) for value in game)

    def test_private_talk_is_not_kept(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, negotiationarena()))
        assert study.messages["text"].tolist() == ["turn 1", "turn 2", "turn 3"]
        assert study.messages["act"].tolist() == ["propose", "propose", "accept"]

    def test_an_acceptance_of_nothing(self, tmp_path: Path) -> None:
        turns = [_turn(1, 0, "ACCEPT", None)]
        study = negstats.load(put(tmp_path, negotiationarena(turns=turns)))
        assert study.games["ended"].tolist() == ["unknown"]
        assert study.players["points"].isna().all()
        assert study.offers.empty

    @pytest.mark.parametrize(
        ("more", "message"),
        [
            ({"players": []}, "is not a list of JSON objects"),
            ({"player_initial_resources": [1]}, "is not a list of what two players begin with"),
            (
                {"game_state": [{"current_iteration": 1, "turn": 7}]},
                "row 1, column 'turn': 7 is neither player 0 nor 1",
            ),
            ({"player_initial_resources": [{"X": "one"}, {"X": 1}]}, "'one' of 'X' is not a quantity"),
        ],
    )
    def test_damage_is_named(self, tmp_path: Path, more: dict[str, Any], message: str) -> None:
        with pytest.raises(LogError, match=message):
            negstats.load(put(tmp_path, negotiationarena(**more)))

    def test_one_name_twice(self, tmp_path: Path) -> None:
        files = negotiationarena() | {"copy/game_state.json": negotiationarena()["1702815336293/game_state.json"]}
        with pytest.raises(LogError, match="is a second log of game 1702815336293"):
            negstats.load(put(tmp_path, files))
