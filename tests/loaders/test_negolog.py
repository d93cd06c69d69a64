"""NegoLog: the figures of the real tournament, the space recomputed from bids, failed sessions."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import negstats
from negstats.errors import LogError
from negstats.games.allocations import additive_space
from negstats.games.pareto import frontier
from negstats.loaders.negolog import Distances, distances
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.loaders.agent_logs import negolog, put


@pytest.fixture(scope="module")
def real(real_data: DataFolder) -> Study:
    return negstats.load(real_data("negolog"))


def bids(study: Study, game: str) -> tuple[list[dict[str, str]], np.ndarray]:
    """Return each offer's options, and what it is worth to A and B."""
    offers = study.offers[study.offers["game_id"] == game]
    items = study.items[study.items["game_id"] == game]
    results = [dict(zip(of["item"], of["option"], strict=True)) for _, of in items.groupby("offer")]
    own, other = offers["value_proposer"].to_numpy(), offers["value_responder"].to_numpy()
    by_a = (offers["proposer"] == "A").to_numpy()
    return results, np.column_stack([np.where(by_a, own, other), np.where(by_a, other, own)])


def far(study: Study, game: str) -> Distances:
    result, worths = bids(study, game)
    deal_distances = distances(result, worths.tolist(), None)
    assert deal_distances is not None
    return deal_distances


class TestRealTournament:
    def test_the_space_follows_from_the_bids(self, real: Study) -> None:
        names = ["Boulware-Conceder-1", "Boulware-Conceder-5", "Conceder-Boulware-1", "Conceder-Boulware-5"]
        results = [far(real, name) for name in names]
        assert [each.size for each in results] == [64, 256, 64, 256]
        assert [each.frontier for each in results] == pytest.approx([0.0633, 0.0382, 0.0633, 0.0904], abs=5e-5)
        assert [each.nash for each in results] == pytest.approx([0.0633, 0.1061, 0.0633, 0.1580], abs=5e-5)
        assert max(results[2].tied["NashDistance"]) == pytest.approx(0.1426, abs=5e-5)  # what the file has
        assert [len(each.tied["KalaiDistance"]) for each in results[:2]] == [4, 1]

    def test_the_frontier_has_10_and_13_bids(self, real: Study) -> None:
        for game, size in (("Boulware-Conceder-1", 10), ("Boulware-Conceder-5", 13)):
            result, worths = bids(real, game)
            space = additive_space([tuple(bid.values()) for bid in result], worths)
            assert space is not None
            assert space.residual < 1e-14
            assert len(frontier(space.utilities)) == size

    def test_a_folder_of_sessions_alone(self, real: Study, real_data: DataFolder) -> None:
        alone = negstats.load(real_data("negolog") / "sessions")
        assert alone.players["points"].sum() == pytest.approx(real.players["points"].sum())
        assert any("4 sessions have no row in a table of results" in note for note in alone.provenance.notes)


class TestEnds:
    @pytest.mark.slow(keep=1)
    @pytest.mark.parametrize(
        ("result", "last", "ended", "response"),
        [
            ("Acceptance", "Accept", "agreement", "accepted"),
            ("Acceptance", "AcceptOffer", "agreement", "accepted"),
            ("Failed", "EndNegotiation", "walkaway", "rejected"),
            ("Error", "EndNegotiation", "disconnect", "none"),
        ],
    )
    def test_what_a_result_means(self, tmp_path: Path, result: str, last: str, ended: str, response: str) -> None:
        study = negstats.load(put(tmp_path, negolog(result=result, last=last)))
        assert study.games["ended"].tolist() == [ended]
        assert study.offers["response"].tolist() == ["superseded", "superseded", response]
        points = [0.75, 0.5] if ended == "agreement" else []
        assert study.players["points"].dropna().tolist() == points

    def test_a_failed_session_is_missing_and_not_0(self, tmp_path: Path) -> None:
        files = negolog(result="Failed")
        study = negstats.load(put(tmp_path, {"results.xlsx": files["results.xlsx"]}))
        assert study.games["ended"].tolist() == ["timeout"]
        assert study.players["points"].isna().all()
        assert "1 sessions have no log of their offers: Soft-Hard-7" in study.provenance.notes

    def test_results_that_the_session_contradicts(self, tmp_path: Path) -> None:
        with pytest.raises(LogError, match="'Result': is 'Acceptance'; the session ends with 'EndNegotiation'"):
            negstats.load(put(tmp_path, negolog(last="EndNegotiation")))

    def test_a_name_with_two_readings_names_no_agents(self, tmp_path: Path) -> None:
        files = negolog(agent="Very_Hard")
        assert negstats.load(put(tmp_path / "all", files)).players["agent"].tolist() == ["Soft", "Very_Hard"]
        del files["results.xlsx"]
        alone = negstats.load(put(tmp_path / "alone", files))
        assert alone.players["agent"].isna().all()
        assert alone.games["game_id"].tolist() == ["Soft_Very_Hard_Domain7"]

    def test_no_path_is_kept(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, negolog()))
        assert study.factors == ["domain_size"]


@pytest.mark.slow
def test_a_damaged_workbook_is_no_stranger(real_data: DataFolder, tmp_path: Path) -> None:
    shutil.copytree(real_data("negolog"), tmp_path / "logs")
    damaged = sorted((tmp_path / "logs" / "sessions").glob("*.xlsx"))[0]
    damaged.write_bytes(damaged.read_bytes()[:2000])
    with pytest.raises(LogError, match=f"{damaged.name}: is not a readable workbook"):
        negstats.load(tmp_path / "logs")
    study = negstats.load(tmp_path / "logs", leave_out_bad_games=True)
    assert len(study.games) == 4  # the table of results tells of the session
    assert [row.path for row in study.provenance.left_out] == [f"sessions/{damaged.name}"]
