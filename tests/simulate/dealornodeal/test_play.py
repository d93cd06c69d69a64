"""Dialogues that were played: a referee replays them, logs and tables tell the same, seeds decide everything."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import negstats
from negstats import metrics
from negstats.errors import DesignError, LogError, UsageError
from negstats.games.dealornodeal import ACCEPT, ENDS, Dialogue, draw
from negstats.simulate import dealornodeal
from negstats.simulate.dealornodeal.study import SIZES
from tests.simulate.dealornodeal.referee import named, outcome

Agents = dict[str, dealornodeal.Trained]


@pytest.fixture(scope="module")
def agents() -> Agents:
    return dealornodeal.design(rng=np.random.default_rng(11), corpus=400, games=2048)


@pytest.fixture(scope="module")
def met(agents: Agents) -> list[dealornodeal.Meeting]:
    return [
        *dealornodeal.agents_with_people(agents, seed=5, games=20),
        *dealornodeal.agents_with_agents(agents, seed=5, games=6),
    ]


class TestReferee:
    @pytest.mark.nightly
    def test_every_log_is_replayed(self, met: list[dealornodeal.Meeting], tmp_path: Path) -> None:
        """From the written log alone, one dialogue at a time."""
        dealornodeal.write_log(tmp_path / "log.jsonl", met)
        result: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for line in (tmp_path / "log.jsonl").read_text(encoding="utf-8").splitlines():
            event = json.loads(line)
            result[event["game"]].append(event)
        assert len(result) == sum(map(len, met))
        ends = set()
        for begun, *acts, end in result.values():
            items = list(begun["counts"])
            values = [[player["values"][item] for item in items] for player in begun["players"]]
            numbers = [
                tuple(act["units"][item] for item in items) if act["act"] == "propose" else act["act"] for act in acts
            ]
            assert [act["number"] for act in acts] == [*range(len(acts))]
            assert [act["player"] for act in acts] == ["AB"[number % 2] for number in range(len(acts))]
            ended, points = outcome([*begun["counts"].values()], values, numbers)
            assert (end["ended"], tuple(end["points"].values())) == (ended, points)
            ends.add(ended)
        assert ends == {"agreement", "walkaway", "timeout"}

    @pytest.mark.slow
    @given(st.integers(0, 2**32 - 1), st.floats(0, 4))
    def test_any_policies(self, seed: int, scale: float) -> None:
        rng = np.random.default_rng(seed)
        pair = [dealornodeal.LogLinear(rng.normal(0, scale, 18)) for _ in range(2)]
        played = dealornodeal.play(pair[0], pair[1], draw(20, rng=rng), rng=rng)
        assert (played.length <= 20).all()
        for row in range(20):
            acts = [named(act) for act in played.acts[row] if act >= 0]
            one = played.scenarios[row]
            ended, points = outcome(one.counts[0].tolist(), one.values[0].tolist(), acts)  # noqa: PD011 - no frame
            assert (ENDS[played.how[row]], points) == (ended, tuple(played.points[row]))

    @pytest.mark.slow
    @given(st.integers(0, 2**32 - 1))
    def test_no_chance_for_an_act_that_is_not_legal(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        policy, dialogue = dealornodeal.LogLinear(rng.normal(0, 2, 18)), Dialogue(draw(15, rng=rng))
        for _ in range(4):
            chances, (_, legal) = policy.chances(dialogue, dialogue.seat), dialogue.features(dialogue.seat)
            np.testing.assert_allclose(chances.sum(axis=1), 1)
            assert (chances[~legal] == 0).all()
            result = dialogue.menu(dialogue.seat)
            rows, options = np.nonzero(result.legal)
            by_menu = result.probabilities(policy.theta)[rows, options]
            np.testing.assert_allclose(by_menu, chances[rows, dialogue.numbers(options, rows)], atol=1e-12)
            rows = np.arange(len(dialogue))
            dialogue.apply(dialogue.seat, dialogue.numbers(np.zeros(len(rows), dtype=int), rows))

    @pytest.mark.nightly
    def test_acts_are_drawn_by_their_chances(self) -> None:
        rng = np.random.default_rng(1)
        policy = dealornodeal.LogLinear(rng.normal(0, 1, 18))
        one = draw(1, rng=rng)
        dialogue = Dialogue(one[np.zeros(40_000, dtype=int)])
        share = np.bincount(policy.acts(dialogue, 0, rng), minlength=127) / 40_000
        chance = policy.chances(Dialogue(one), 0)[0]
        assert np.abs(share - chance).max() < 4 * np.sqrt(0.25 / 40_000)


class TestTables:
    @pytest.mark.slow
    def test_metrics_give_the_simulators_totals(self, met: list[dealornodeal.Meeting]) -> None:
        study, totals = dealornodeal.as_study(met), dealornodeal.outcomes_of(met)
        ids = pd.Series([name for one in met for name in one.ids])
        joint = metrics.joint_value(study.players).set_index("game_id")["joint_value"].loc[ids]
        np.testing.assert_array_equal(joint, totals["joint"])
        worth = metrics.deal_values(study.values, study.offers, study.items)
        scored = study.players.merge(worth, on=["game_id", "player"])
        agreed = scored["game_id"].map(pd.Series(totals["agreed"].to_numpy(), ids)).to_numpy(dtype=bool)
        np.testing.assert_array_equal(scored["deal_value"][agreed], scored["points"][agreed])
        assert scored["deal_value"][~agreed].isna().all()
        ended = study.games.set_index("game_id")["ended"].loc[ids]
        np.testing.assert_array_equal(ended, totals["ended"])
        np.testing.assert_array_equal(study.games["rounds"], totals["length"])
        np.testing.assert_array_equal(study.messages.groupby("game_id").size().loc[ids], totals["length"])

    @pytest.mark.nightly
    def test_the_named_metrics_run(self, met: list[dealornodeal.Meeting]) -> None:
        study = dealornodeal.as_study(met)
        for name in (
            "joint_value", "walked_away", "pareto_optimal", "distance_to_frontier", "distance_to_nash",
            "concession_rate", "rounds", "offers", "fehr_schmidt_fair", "agreed",
        ):  # fmt: skip
            values = metrics.measure(name).compute(study.tables)[name]
            assert values.notna().any(), name
        rates = metrics.measure("utterances").compute(study.tables)
        assert (rates["utterances"] == 0).all()  # plain talk: there is none, only acts

    @pytest.mark.slow
    def test_offers_are_superseded_accepted_or_left(self, met: list[dealornodeal.Meeting]) -> None:
        study = dealornodeal.as_study(met)
        last = study.offers.groupby("game_id").tail(1).set_index("game_id")["response"]
        ended = study.games.set_index("game_id")["ended"].loc[last.index]
        np.testing.assert_array_equal(last == "accepted", ended == "agreement")
        assert set(study.offers["response"]) == {"accepted", "superseded", "none"}
        units = study.items.groupby(["game_id", "offer", "item"])["quantity"].sum()
        first_values = study.values.groupby(["game_id", "item"])["available"].first()  # noqa: PD011
        np.testing.assert_array_equal(units.reset_index(1)["quantity"], first_values.loc[units.reset_index(1).index])

    @pytest.mark.slow
    def test_who_sat_where(self, met: list[dealornodeal.Meeting]) -> None:
        study = dealornodeal.as_study(met)
        assert (study.players["kind"] == "agent").all()
        first = study.players[study.players["player"] == "A"]["agent"].value_counts()
        assert first["people"] == 60  # half of 6 × 20
        assert study.factors == ["reward", "partner", "opponent", "mirrored"]
        assert "not the paper's bots" in study.provenance.notes[0]


class TestSeeds:
    @pytest.mark.nightly
    def test_the_same_with_any_number_of_workers(self, agents: Agents, tmp_path: Path) -> None:
        for name, workers in (("one", 1), ("two", 2)):
            dealornodeal.write_log(
                tmp_path / name, dealornodeal.agents_with_people(agents, seed=7, games=10, workers=workers)
            )
        assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
        dealornodeal.write_log(tmp_path / "other", dealornodeal.agents_with_people(agents, seed=8, games=10))
        assert (tmp_path / "one").read_bytes() != (tmp_path / "other").read_bytes()

    @pytest.mark.nightly
    def test_a_saved_design_says_the_same_again(self, agents: Agents, tmp_path: Path) -> None:
        dealornodeal.save_design(tmp_path / "agents.toml", agents, seed=11, people=dealornodeal.People())
        result = dealornodeal.load_design(tmp_path / "agents.toml")
        assert list(result) == list(agents)
        ours, theirs = (dealornodeal.agents_with_agents(these, seed=3, games=4) for these in (agents, result))
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(one.played.acts, other.played.acts)

    def test_pairs_meet_in_the_same_scenarios_half_with_either_first(self, met: list[dealornodeal.Meeting]) -> None:
        pairs = met[6:]
        assert len(pairs) == 49
        for one in pairs:
            assert one.seat.tolist() == [0, 0, 0, 1, 1, 1]
            values = np.stack([one.played.scenarios.values[np.arange(6), one.seat]])  # the agent's  # noqa: PD011
            np.testing.assert_array_equal(values, np.stack([pairs[0].played.scenarios.values[np.arange(6), one.seat]]))  # noqa: PD011

    def test_sizes_are_the_printed_ones(self) -> None:
        from negstats.papers.chawla2023 import walk_aways

        assert sorted(SIZES.values()) == sorted(walk_aways().n.sum(axis=-1).ravel().astype(int).tolist())


class TestRefusals:
    def test_files(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="is not there"):
            dealornodeal.load_design(tmp_path / "none.toml")
        file = tmp_path / "agents.toml"
        for text, reason in (
            ("= 3", "is not TOML"),
            ("schema = 1", "holds no agents"),
        ):
            file.write_text(text, encoding="utf-8")
            with pytest.raises(LogError, match=reason):
                dealornodeal.load_design(file)
        dealornodeal.save_design(
            file, {"S": dealornodeal.Trained(np.zeros(18), {})}, seed=1, people=dealornodeal.People()
        )
        file.write_text(file.read_text(encoding="utf-8").replace("    0.0,\n", "", 1), encoding="utf-8")
        with pytest.raises(LogError, match="agent 'S' has"):
            dealornodeal.load_design(file)

    def test_a_corpus_of_other_things(self, met: list[dealornodeal.Meeting]) -> None:
        from negstats.simulate.dealornodeal import acts_of

        study = dealornodeal.as_study(met[:1])
        talk = study.tables | {"messages": study.messages.assign(act="chat")}
        with pytest.raises(DesignError, match="act 'chat'"):
            acts_of(negstats.Study(provenance=study.provenance, **talk))
        other = study.tables | {"values": study.values.assign(item=study.values["item"].replace("hat", "cap"))}  # noqa: PD011
        with pytest.raises(DesignError, match="the items are"):
            acts_of(negstats.Study(provenance=study.provenance, **other))
        assert ACCEPT == 125
