"""Made-up people end as they are said to, and the paper's patterns appear where S agrees too easily, and only there."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.simulate.dealornodeal import OVER_AGREEABLE, People, appear, calibrate, design, load_design, patterns
from negstats.simulate.dealornodeal.people import TARGETS, Targets, ends_of
from tests.conftest import ROOT, runs

FOLDER = ROOT / "datasets" / "dealornodeal_agents"


class TestPeople:
    @pytest.mark.nightly
    @pytest.mark.parametrize(
        ("people", "ends"),
        [
            (People(), Targets(81.9, 6.76, 6.06)),
            (OVER_AGREEABLE, Targets(98.0, 4.0, 6.5)),
        ],
        ids=["calibrated", "over-agreeable"],
    )
    def test_they_end_as_they_are_said_to(self, people: People, ends: Targets) -> None:
        result = ends_of(people, 10_000, np.random.default_rng(20261122))
        assert abs(result.agreed - ends.agreed) < 2
        assert abs(result.length - ends.length) < 0.1
        assert abs(result.points - ends.points) < 0.1

    @pytest.mark.calibration
    def test_calibration_meets_the_printed_ends(self) -> None:
        """80 %, 6.6 utterances and 6.0 points, on 10,000 dialogues that it has not seen."""
        result = ends_of(calibrate(), 10_000, np.random.default_rng(20261123))
        assert abs(result.agreed - TARGETS.agreed) < 2
        assert abs(result.length - TARGETS.length) < 0.3
        assert abs(result.points - TARGETS.points) < 0.2

    @pytest.mark.nightly
    def test_parameters_mean_what_they_say(self) -> None:
        rng = np.random.default_rng
        usual = ends_of(People(), 3000, rng(1))
        assert ends_of(People(walk=0.4), 3000, rng(1)).agreed < usual.agreed - 5
        assert ends_of(People(easy=0.5), 3000, rng(1)).length < usual.length - 2
        assert ends_of(People(end=7.5), 3000, rng(1)).agreed < usual.agreed - 10
        assert ends_of(People(start=7.0), 3000, rng(1)).length < usual.length - 1


def table(found: pd.DataFrame) -> dict[tuple[str, str], float]:
    return dict(zip(zip(found["quantity"], found["partner"], strict=True), found["value"], strict=True))


def differences(one: dict[tuple[str, str], float]) -> dict[str, float]:
    """What the patterns say of p=selfish against p=fair, all larger than 0 where they appear."""
    return {
        "C": one["no agreement with people", "fair"] - one["no agreement with people", "selfish"],
        "D people": one["people's points", "selfish"] - one["people's points", "fair"],
        "D joint": one["joint points", "selfish"] - one["joint points", "fair"],
        "E": one["own points of agreed deals", "fair"] - one["own points of agreed deals", "selfish"],
    }


def check_where_s_agrees_too_easily(designs: list[dict[tuple[str, str], float]]) -> None:
    """In each design p=S stands far from the others; p=selfish against p=fair is clear over designs, not in each."""
    for one in designs:
        assert one["own points from S", "S"] >= 8.5  # (A), asked: 8
        assert one["points of S", "S"] <= 3.5  # asked: 4
        assert one["agreement with itself", "S"] <= 0.1  # (B), asked: a fifth
        for other in ("fair", "selfish"):
            assert one["no agreement with people", "S"] > one["no agreement with people", other] + 0.25
            assert one["people's points", "S"] < one["people's points", other] - 2
            assert one["joint points", "S"] < one["joint points", other] - 4
            assert one["own points of agreed deals", "S"] > one["own points of agreed deals", other] + 1
    gaps = pd.DataFrame([differences(one) for one in designs])
    error = gaps.std(ddof=1) / np.sqrt(len(gaps))
    assert (gaps.mean() > 1.5 * error).all(), gaps.mean() / error
    assert ((gaps > 0).mean() > 0.5).all()


class TestPatterns:
    @pytest.mark.nightly
    def test_they_appear_with_seeds_that_nobody_has_seen(self) -> None:
        designs = []
        for seed in range(710, 710 + runs(6, 4)):
            rng = np.random.default_rng(seed)
            designs.append(table(patterns(design(rng=rng), rng=rng)))
        check_where_s_agrees_too_easily(designs)

    def test_they_appear_in_the_data_set(self) -> None:
        frame = pd.read_csv(FOLDER / "patterns.csv").query("people == 'easy 0.25'")
        check_where_s_agrees_too_easily([table(one) for _, one in frame.groupby("seed")])

    @pytest.mark.parametrize("people", ["calibrated", "easy 0.00"])
    def test_none_of_a_to_d_appears_with_people_like_those_it_learned_from(self, people: str) -> None:  # noqa: ARG002
        """Shown, not hidden: on the mean over ten designs no pattern appears, and A and B in none of them."""
        frame = pd.read_csv(FOLDER / "patterns.csv").query("people == @people")
        assert frame["seed"].nunique() == 10
        for _, one in frame.groupby("seed"):
            assert not appear(one)["A"]
            assert not appear(one)["B"]
        mean = frame.groupby(["pattern", "quantity", "partner"], as_index=False)[["value", "se"]].mean()
        assert not any(appear(mean)[pattern] for pattern in "ABCD")

    @pytest.mark.nightly
    def test_the_data_set_is_what_its_script_gives(self) -> None:
        script: dict[str, Any] = runpy.run_path(str(FOLDER / "make_dealornodeal_agents.py"))
        frame = pd.read_csv(FOLDER / "patterns.csv").query("people == 'easy 0.10' and seed == 4").reset_index(drop=True)
        now = script["measured"]("easy 0.10", 4).reset_index(drop=True)
        pd.testing.assert_frame_equal(frame, now, rtol=1e-5, check_dtype=False)

    @pytest.mark.nightly
    def test_the_agents_of_the_data_set_are_what_the_script_trains(self) -> None:
        result, now = load_design(FOLDER / "agents.toml"), design(rng=np.random.default_rng(1))
        for name, agent in result.items():
            np.testing.assert_allclose(agent.theta, now[name].theta, rtol=1e-6)

    def test_a_margin_asks_for_more(self) -> None:
        frame = pd.read_csv(FOLDER / "patterns.csv").query("people == 'easy 0.25' and seed == 0")
        assert all(appear(frame, margin=2).values())
        assert not appear(frame, margin=1000)["C"]
