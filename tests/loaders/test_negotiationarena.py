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


def points(study: Study) -> list[float]:
    values: list[float] = study.players.groupby("player")["points"].sum()[["RED", "BLUE"]].tolist()
    return values


class TestRealGames:
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

    @pytest.mark.parametrize("turns", [0, 1, 2])
    def test_an_error_is_an_end_without_agreement(self, tmp_path: Path, turns: int) -> None:
        trades = [({"X": 1.0}, {"ZUP": 50.0}), ({"X": 1.0}, {"ZUP": 45.0})]
        played = [_turn(place + 1, place % 2, "PROPOSAL", trades[place]) for place in range(turns)]
        error = {"current_iteration": "ERROR", "turn": None, "error_type": "ValueError", "error_message": "no trade"}
        study = negstats.load(put(tmp_path, negotiationarena(final=None, turns=[*played, error])))
        assert study.games["ended"].tolist() == ["disconnect"]
        assert study.players["points"].isna().all()
        assert len(study.offers) == turns
        assert any("1 games end in an error of the platform" in note for note in study.provenance.notes)

    def test_files_of_other_names_are_games_too(self, tmp_path: Path) -> None:
        names = ("1702815336293", "1702815336294")
        logs = {f"cunning/{name}.json": next(iter(negotiationarena(name=name).values())) for name in names}
        study = negstats.load(put(tmp_path, {**logs, "cunning/settings.json": b'{"model": "gpt-4"}'}))
        assert study.games["game_id"].tolist() == list(names)
        assert study.provenance.reasons() == {"no log of NegotiationArena": 1}

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
