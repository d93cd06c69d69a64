"""LAMEN: the figures of the real runs, and each trap of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

import negstats
from negstats.errors import LogError
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.loaders.agent_logs import lamen, put


@pytest.fixture(scope="module")
def real(real_data: DataFolder) -> Study:
    return negstats.load(real_data("lamen"))


class TestRealRuns:
    def test_the_note_is_not_the_message(self, real: Study) -> None:
        game = "2023-08-10_19-49-39"
        first = real.items[(real.items["game_id"] == game) & (real.items["offer"] == 1)]
        assert first["option"].tolist() == ["4 years"]
        message = real.messages[real.messages["game_id"] == game].iloc[0]["text"]
        assert "1 year" in message
        assert set(real.offers["framing"]) == {"note"}

    def test_the_unprocessed_file_gives_the_same_offers(
        self, real: Study, real_data: DataFolder, tmp_path: Path
    ) -> None:
        source = real_data("lamen") / "run"
        config = (source / "hydra" / "config.yaml").read_bytes()
        files = {"run/negotiations.csv": (source / "negotiations.csv").read_bytes(), "run/hydra/config.yaml": config}
        alone = negstats.load(put(tmp_path, files))
        columns = ["offer", "round", "proposer", "response"]
        assert alone.offers[columns].equals(
            real.offers.loc[real.offers["game_id"] == "run", columns].reset_index(drop=True)
        )
        assert alone.values.empty


class TestTraps:
    def test_who_repeats_accepts(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, lamen()))
        assert study.offers["response"].tolist() == ["superseded", "superseded", "accepted"]
        assert study.messages["act"].tolist()[-1] == "accept"
        assert study.players["points"].tolist() == [0.4, 0.6]
        assert study.offers["value_responder"].isna().tolist() == [True, True, False]

    def test_repeating_oneself_accepts_nothing(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, lamen(states=[("0", "$900"), ("0", "$900")])))
        assert study.games["ended"].tolist() == ["unknown"]
        assert study.players["points"].isna().all()

    def test_rounds_that_run_out(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, lamen(states=[("0", "$1500"), ("1", "$500"), ("0", "$900")], most=1)))
        assert study.games["ended"].tolist() == ["timeout"]
        assert study.offers["response"].tolist()[-1] == "none"

    def test_an_option_without_a_payoff_has_no_value_and_not_0(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, lamen(unknown="$900")))
        assert study.offers["value_proposer"].isna().tolist() == [False, False, True]
        assert study.players["points"].isna().all()
        assert study.games["ended"].tolist() == ["agreement"]

    @pytest.mark.slow
    def test_notes_only_when_asked(self, tmp_path: Path) -> None:
        put(tmp_path, lamen())
        assert not negstats.load(tmp_path).messages["text"].str.contains("note").any()
        messages = negstats.load(tmp_path, notes=True).messages
        assert (messages["act"] == "note").sum() == 4
        assert messages["message"].tolist() == list(range(1, 9))

    def test_no_path_is_kept(self, tmp_path: Path) -> None:
        game = negstats.load(put(tmp_path, lamen())).games.iloc[0]
        assert game["scenario"] == "rent"
        assert not any("ann" in str(value) for value in game)

    def test_a_state_is_not_executed(self, tmp_path: Path) -> None:
        files = lamen()
        files["run/negotiations.csv"] = files["run/negotiations.csv"].replace(b"{'rent': '$500'}", b"{'rent': exit()}")
        with pytest.raises(
            LogError, match=r"negotiations\.csv, row 3, column 'issues_state': .* is not a Python literal"
        ):
            negstats.load(put(tmp_path, files))
