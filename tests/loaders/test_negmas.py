"""NegMAS: the figures of the real logs, whose utility file is whose, and what damaged logs give."""

from __future__ import annotations

from pathlib import Path

import pytest

import negstats
from negstats.errors import LogError
from negstats.studies.study import Study
from tests.conftest import DataFolder
from tests.loaders.agent_logs import negmas, put, worth


@pytest.fixture(scope="module")
def cartesian(real_data: DataFolder) -> Study:
    return negstats.load(real_data("negmas") / "cartesian")


def points(study: Study, game: str) -> list[float]:
    return study.players.loc[study.players["game_id"] == game, "points"].tolist()


def by_seat(study: Study, seat: int) -> float:
    seats = study.players.groupby("game_id", sort=False).cumcount()
    return float(study.players.loc[(seats == seat).to_numpy(), "points"].sum())


class TestRealLogs:
    @pytest.mark.slow
    def test_a_loose_trace_is_left_out_beside_its_session(self, real_data: DataFolder) -> None:
        study = negstats.load(real_data("negmas"))
        assert len(study.games) == 4 + 3 + 72
        same = {f"the same session as neg{number}": 1 for number in range(4)}
        assert same.items() <= study.provenance.reasons().items()

    @pytest.mark.slow
    def test_loose_traces_alone(self, real_data: DataFolder) -> None:
        studies = [negstats.load(real_data("negmas") / f"trace_with_utils_{number}.csv") for number in range(4)]
        assert [len(study.offers) for study in studies] == [31, 15, 8, 4]
        assert sum(by_seat(study, 0) for study in studies) == pytest.approx(2.5516, abs=5e-5)
        assert all(study.games["ended"].tolist() == ["agreement"] for study in studies)

    @pytest.mark.slow
    def test_values_give_the_worth_of_every_offer(self, cartesian: Study) -> None:
        """Weight times value, summed over issues, is the utility that the trace shows, for both seats."""
        worths = cartesian.items.merge(cartesian.offers[["game_id", "offer", "proposer", "value_proposer"]])
        worths = worths.merge(cartesian.values, left_on=["game_id", "proposer", "item", "option"], right_on=KEY)
        sums = worths.groupby(["game_id", "offer"]).agg(total=("value", "sum"), shown=("value_proposer", "first"))
        assert len(sums) == 1286
        assert (sums["total"] - sums["shown"]).abs().max() < 1e-9


KEY = ["game_id", "player", "item", "option"]


class TestUtilityFiles:
    @pytest.mark.slow
    @pytest.mark.parametrize("order", [("seller", "buyer"), ("buyer", "seller")])
    @pytest.mark.parametrize("hidden", [True, False])
    def test_offers_tell_whose_file_it_is(self, tmp_path: Path, order: tuple[str, str], hidden: bool) -> None:
        study = negstats.load(put(tmp_path, negmas(order=order, hidden=hidden)))
        values = study.values.set_index(["player", "item", "option"])["value"]
        for seat, name in zip(("P0", "P1"), order, strict=True):
            assert values[seat, "price", "high"] + values[seat, "days", "3"] == pytest.approx(worth(name, "high", 3))
        assert study.players["batna"].tolist() == [0.2 if name == "seller" else 0.1 for name in order]

    def test_too_few_offers_decide_nothing(self, tmp_path: Path) -> None:
        """One offer fits both orders when an issue is pickled: no values, and a note."""
        study = negstats.load(put(tmp_path, negmas(deals=[("high", 3)])))
        assert study.values.empty
        assert study.players["batna"].isna().all()
        assert any("which utility file belongs to whom is not decided" in note for note in study.provenance.notes)

    @pytest.mark.slow
    def test_reserved_values_of_a_last_row_decide(self, tmp_path: Path) -> None:
        study = negstats.load(put(tmp_path, negmas(deals=[("high", 3)], ended="timeout")))
        assert study.players["batna"].tolist() == [0.2, 0.1]
        assert len(study.values) == 6

    def test_files_that_fit_nobody_give_no_values(self, tmp_path: Path) -> None:
        files = negmas(hidden=False)
        files["neg0/scenario/seller.yml"] = files["neg0/scenario/seller.yml"].replace(b"high: 1.0", b"high: 0.9")
        study = negstats.load(put(tmp_path, files))
        assert study.values.empty


class TestEnds:
    @pytest.mark.slow(keep=1)
    @pytest.mark.parametrize("ended", ["walkaway", "timeout", "disconnect"])
    def test_without_a_deal_points_are_missing(self, tmp_path: Path, ended: str) -> None:
        study = negstats.load(put(tmp_path, negmas(ended=ended)))
        assert study.games["ended"].tolist() == [ended]
        assert study.players["points"].isna().all()
        assert study.offers["response"].tolist() == ["superseded", "superseded", "none"]

    def test_a_failed_session_has_no_points_whatever_stands_there(self, tmp_path: Path) -> None:
        files = negmas()
        files["neg0/outcome_stats.yaml"] = files["neg0/outcome_stats.yaml"].replace(
            b"has_error: false", b"has_error: true"
        )
        study = negstats.load(put(tmp_path, files))
        assert study.games["ended"].tolist() == ["disconnect"]
        assert study.players["points"].isna().all()

    def test_nothing_reserved_is_no_number(self, tmp_path: Path) -> None:
        files = negmas(ended="timeout")
        files["neg0/trace.csv"] = files["neg0/trace.csv"].replace(b",,,0.2,0.1", b",,,-inf,-inf")
        for name in ("buyer", "seller"):
            scenario_file = files[f"neg0/scenario/{name}.yml"]
            files[f"neg0/scenario/{name}.yml"] = scenario_file.replace(b"value: 0.", b"value: -.inf #")
        study = negstats.load(put(tmp_path, files))
        assert study.players["batna"].isna().all()
        assert len(study.values) == 8  # the offers tell whose file it is

    @pytest.mark.slow
    def test_what_is_said_with_offers(self, tmp_path: Path) -> None:
        files = negmas()
        files["neg0/trace.csv"] = files["neg0/trace.csv"].replace(b"continuing,,", b"continuing,take it,")
        messages = negstats.load(put(tmp_path, files)).messages
        assert messages["text"].tolist() == ["take it"] * 2
        assert messages["sender"].tolist() == ["P0", "P1"]

    def test_a_trace_that_is_cut_before_the_deal(self, tmp_path: Path) -> None:
        files = negmas()
        files["neg0/trace.csv"] = b"\n".join(files["neg0/trace.csv"].split(b"\n")[:-2]) + b"\n"
        with pytest.raises(LogError, match=r"trace\.csv, row 3, column 'state': .*'continuing'.* is the trace cut"):
            negstats.load(put(tmp_path, files))

    def test_a_session_without_its_outcome_is_no_loose_trace(self, tmp_path: Path) -> None:
        files = negmas()
        del files["neg0/outcome_stats.yaml"]
        with pytest.raises(LogError, match=r"outcome_stats\.yaml, column 'agreement': the field is not there"):
            negstats.load(put(tmp_path, files))

    def test_two_sessions_of_one_id(self, tmp_path: Path) -> None:
        files = negmas() | {name.replace("neg0", "neg1"): data for name, data in negmas().items()}
        with pytest.raises(LogError, match="is a second log of game game-neg0"):
            negstats.load(put(tmp_path, files))


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    files = negmas() | {"neg0/outcome.pkl": b"cos\nsystem\n(S'touch pickled'\ntR."}
    scenario = files["neg0/scenario/buyer.yml"] + b"extra: !!python/object/apply:os.system ['touch pickled']\n"
    files["neg0/scenario/buyer.yml"] = scenario
    study = negstats.load(put(tmp_path, files))
    assert not (Path.cwd() / "pickled").exists()
    assert study.provenance.reasons() == {"a pickle or an array: not opened": 1}
    assert "3 pickled functions in utility files were not opened" in study.provenance.notes


def test_a_negotiator_that_is_none(tmp_path: Path) -> None:
    files = negmas()
    files["neg0/trace.csv"] = files["neg0/trace.csv"].replace(b",1,P1-2222,", b",1,P9-2222,")
    with pytest.raises(LogError, match=r"row 3, column 'negotiator': 'P9-2222' is not one of P0-1111, P1-2222"):
        negstats.load(put(tmp_path, files))
