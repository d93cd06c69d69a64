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
    @pytest.mark.slow
    def test_figures(self, real: Study) -> None:
        sizes = {name: len(frame) for name, frame in real.tables.items()}
        assert (sizes["games"], sizes["players"], sizes["messages"], sizes["offers"]) == (10, 20, 127, 119)
        assert (sizes["items"], sizes["values"], sizes["answers"]) == (128, 78, 0)
        assert real.messages.groupby("game_id", sort=False).size().tolist() == [23, 3, 11, 16, 5, 16, 11, 21, 14, 7]
        assert real.games["ended"].value_counts().to_dict() == {"agreement": 8, "timeout": 2}
        assert real.values.groupby("game_id").size()["run"] == 22
        assert real.players["points"].sum() == pytest.approx(7.0)
        assert real.players["points"].notna().sum() == 14
        assert (real.messages["act"] == "accept").sum() == 8
        notes = real.provenance.notes
        assert "total_payoff equals the sum of payoffs in 127 rows" in notes
        assert any(note.startswith("16 states name an option without a payoff") for note in notes)
        reasons = real.provenance.reasons()
        assert reasons["questions put to the models"] == 1
        assert reasons["the same rows as processed_negotiation.csv"] == 10

    def test_spots(self, real: Study) -> None:
        points = real.players.groupby("game_id")["points"].agg(list)
        assert points["run"] == pytest.approx([0.6, 0.4])
        games = real.games.set_index("game_id")
        timeouts = games.index[games["ended"] == "timeout"].tolist()
        assert timeouts == ["2023-08-10_19-48-33", "2023-08-10_20-04-25"]
        assert games["max_rounds"].tolist() == [15, 1, *[10] * 8]
        assert games.loc["2023-08-10_20-13-18", ["model_0", "model_1"]].nunique() == 2
        assert real.players.loc[real.players["game_id"] == "2023-08-10_19-51-34", "points"].isna().all()
        last = real.offers[real.offers["game_id"] == "2023-08-10_19-48-33"].iloc[-1]
        assert last["value_proposer"] != last["value_proposer"]  # three of four issues have a payoff
        assert games.loc["run", "scenario"] == "generic-rental-agreement"

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
