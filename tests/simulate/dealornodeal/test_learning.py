"""What the learners learn is right: exact gradients and best responses on instances small enough to list."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.games.dealornodeal import ACCEPT, FEATURES, REWARDS, Dialogue, Scenarios, best_response, draw, reward
from negstats.simulate.dealornodeal import (
    AGENTS,
    LogLinear,
    People,
    acts_of,
    as_study,
    design,
    fit,
    learning,
    load_design,
    meet,
    play,
    train,
)
from negstats.simulate.dealornodeal.learning import Learner, drawn, settled
from negstats.simulate.dealornodeal.play import replay
from tests.conftest import ROOT
from tests.simulate.dealornodeal.referee import every_dialogue, legal, number, outcome

Array = np.ndarray[Any, np.dtype[Any]]

TINY = Scenarios.of([1, 1, 2], [[4, 2, 2], [0, 6, 2]])
LISTED = [*every_dialogue((1, 1, 2), 3)]


def some_theta(seed: int, scale: float = 1.0) -> Array:
    return np.random.default_rng(seed).normal(0, scale, len(FEATURES))


def listed(thetas: tuple[Array, Array], learner: int) -> tuple[Array, Array, Learner]:
    """Chance and points of every dialogue of the tiny instance, and the learner's direction with A = its points."""
    n = len(LISTED)
    batch = TINY[np.zeros(n, dtype=int)]
    acts = np.full((n, 3), -1)
    for row, spoken in enumerate(LISTED):
        acts[row, : len(spoken)] = [number(act) for act in spoken]
    notes, chance = Learner(thetas[learner]), np.ones(n)
    points: Array = np.zeros((n, 2))
    for dialogue, item in replay(batch, acts):
        rows, seat = dialogue.live, dialogue.seat
        result, options = dialogue.menu(seat, rows), dialogue.options(item)[rows]
        chances = result.probabilities(thetas[seat])
        chance[rows] *= chances[np.arange(len(rows)), options]
        if seat == learner:
            notes.hear(rows, result, chances, options)
        points = dialogue.points  # of the same object: as they are at the end
    return chance, points, notes


class TestExactGradient:
    def test_every_dialogue_of_the_tiny_instance(self) -> None:
        assert len(LISTED) == 2028
        chance, points, _ = listed((some_theta(1), some_theta(2)), 0)
        assert abs(chance.sum() - 1) < 1e-12
        expected = [outcome((1, 1, 2), TINY.values[0].tolist(), item, 3)[1] for item in LISTED]
        np.testing.assert_array_equal(points, np.array(expected))

    @pytest.mark.nightly
    @pytest.mark.parametrize("kind", ["selfish", "fair"])
    @pytest.mark.parametrize("seat", [0, 1])
    def test_the_expected_direction_is_the_gradient(self, kind: str, seat: int) -> None:
        thetas = [some_theta(3), some_theta(4)]

        def expected(theta: Array) -> float:
            pair = (theta, thetas[1]) if seat == 0 else (thetas[0], theta)
            chance, points, _ = listed(pair, seat)
            return float(chance @ reward(kind, points[:, seat], points[:, 1 - seat]))

        chance, points, notes = listed((thetas[0], thetas[1]), seat)
        worth = reward(kind, points[:, seat], points[:, 1 - seat])
        direction = chance @ notes.direction(worth, 1.0)
        assert np.abs(direction).max() > 1e-3
        for place in range(len(FEATURES)):
            step = np.zeros(len(FEATURES))
            step[place] = 1e-3
            # Central differences of the fourth order.
            near, far = (expected(thetas[seat] + k * step) - expected(thetas[seat] - k * step) for k in (1, 2))
            assert abs((8 * near - far) / (12 * 1e-3) - direction[place]) < 1e-10

    def test_the_discount_weighs_earlier_acts_less(self) -> None:
        learner = Learner(np.zeros(2), [(np.array([0, 1]), np.ones((2, 2))), (np.array([1]), np.ones((1, 2)))])
        np.testing.assert_allclose(learner.direction(np.array([2.0, 1.0]), 0.5), [[2.0, 2.0], [1.5, 1.5]])


class TestBestResponse:
    def by_hand(self, theta: Array, said: tuple[Any, ...], seat: int, kind: str, cutoff: int) -> float:
        """The value of a dialogue so far, by trying everything: no states, no tables."""
        counts, values = TINY.counts[0].tolist(), TINY.values[0].tolist()
        may = legal(counts, said, cutoff)
        if not may:
            points = outcome(counts, values, said, cutoff)[1]
            return float(reward(kind, points[seat], points[1 - seat]))
        later = [self.by_hand(theta, (*said, act), seat, kind, cutoff) for act in may]
        if len(said) % 2 == seat:
            return max(later)
        dialogue = Dialogue(TINY, cutoff=cutoff)
        for act in said:
            dialogue.apply(dialogue.seat, [number(act)])
        chances = LogLinear(theta).chances(dialogue, dialogue.seat)[0]
        return float(sum(chances[number(act)] * value for act, value in zip(may, later, strict=True)))

    @pytest.mark.slow(keep=1)
    @pytest.mark.parametrize(("seat", "kind", "cutoff"), [(0, "selfish", 3), (1, "selfish", 3), (0, "fair", 3),
                                                          (1, "fair", 3), (1, "selfish", 2)])  # fmt: skip
    def test_against_trying_everything(self, seat: int, kind: str, cutoff: int) -> None:
        theta = some_theta(5)
        reply = best_response(theta, TINY, seat=seat, reward=kind, cutoff=cutoff)
        assert abs(reply.value - self.by_hand(theta, (), seat, kind, cutoff)) < 1e-12

    @pytest.mark.slow(keep=1)
    @pytest.mark.parametrize("seat", [0, 1])
    @pytest.mark.parametrize("place", [7, 2900])
    def test_playing_it_gives_its_value(self, place: int, seat: int) -> None:
        theta, rng = some_theta(6), np.random.default_rng(place)
        one = draw(1, rng=np.random.default_rng(place))
        reply = best_response(theta, one, seat=seat)
        games = 4000
        best, partner, scenario_rows = Plays(reply.acts), LogLinear(theta), one[np.zeros(games, dtype=int)]
        played = play(partner, best, scenario_rows, rng=rng) if seat else play(best, partner, scenario_rows, rng=rng)
        own = played.points[:, seat]
        assert abs(own.mean() - reply.value) < 4 * own.std() / np.sqrt(games) + 1e-9


class Plays:
    """Plays a best response."""

    def __init__(self, acts: Array) -> None:
        self.best = acts

    def acts(self, dialogue: Dialogue, seat: int, rng: np.random.Generator) -> Array:  # noqa: ARG002
        return np.asarray(self.best[dialogue.t, dialogue.asks[:, 1 - seat]])


@pytest.mark.nightly
def test_no_trained_agent_beats_the_best_response() -> None:
    agents = load_design(ROOT / "datasets" / "dealornodeal_agents" / "agents.toml")  # as `design` trains them
    rng = np.random.default_rng(4)
    draws, repeats = draw(100, rng=rng), 20
    bounds = {
        name: [best_response(agents[name].theta, one, seat=1 - partner) for one in draws for partner in (0, 1)]
        for name in dict.fromkeys(agent.meets for agent in AGENTS)
    }
    for agent in AGENTS:
        bound = np.mean([item.value for item in bounds[agent.meets]])
        pair = (agent.name, LogLinear(agents[agent.name].theta)), (agent.meets, LogLinear(agents[agent.meets].theta))
        # Each scenario with the agent in either seat, as often.
        both = np.repeat(np.arange(100), repeats)
        met = meet(*pair, draws[np.concatenate([both, both])], rng=rng, seed=0)
        own = met.points()[:, 0].reshape(2, 100, repeats).mean(axis=(0, 2))
        assert own.mean() <= bound + 3 * own.std(ddof=1) / 10, agent.name


class TestTraining:
    class Takes:
        """Accepts whatever it hears; if it speaks first, it leaves everything."""

        def acts(self, dialogue: Dialogue, seat: int, rng: np.random.Generator) -> Array:  # noqa: ARG002
            return np.full(len(dialogue), ACCEPT if dialogue.t else 0)

    def test_a_known_optimum_is_found(self) -> None:
        """Who meets a partner that accepts everything can have everything: 10 points."""
        learned = train(np.zeros(18), self.Takes(), "selfish", rng=np.random.default_rng(1), games=8192)
        assert learned.curve["points"][0] < 7
        assert learned.curve["points"][-4:].mean() > 9.3

    @pytest.mark.nightly
    def test_the_reward_decides_what_is_learned(self) -> None:
        """Who is trained for the fair reward has more of it than who is trained not to be outdone, and takes less."""
        rng, had = np.random.default_rng(2), {}
        for kind in ("fair", "outdone"):
            theta = train(np.zeros(18), self.Takes(), kind, rng=np.random.default_rng(1), games=8192).theta
            points = play(LogLinear(theta), self.Takes(), draw(2000, rng=rng), rng=rng).points
            had[kind] = points[:, 0].mean(), reward("fair", points[:, 0], points[:, 1]).mean()
        assert had["fair"][0] < had["outdone"][0] - 0.3
        assert had["fair"][1] > had["outdone"][1] + 0.2

    @pytest.mark.nightly
    def test_the_last_bits_of_a_processors_sums_decide_nothing(self) -> None:
        """What differs by as little as sums in another order do ends as the same agent, not as another."""
        start, rng = some_theta(7, 0.5), np.random.default_rng
        one, other = (
            train(theta, LogLinear(theta), "selfish", rng=rng(1), games=4096).theta
            for theta in (start, start * (1 + 4e-15))
        )
        np.testing.assert_array_equal(one, other)

    @given(st.integers(0, 2**32 - 1), st.floats(0.1, 9))
    def test_an_option_is_drawn_where_the_sum_of_chances_passes_the_draw(self, seed: int, total: float) -> None:
        """Chances need not add up to one; the option is the first whose sum of chances is above the draw's share."""
        rng = np.random.default_rng(seed)
        chances = rng.random((9, 5)) * rng.integers(0, 2, (9, 5))
        chances[:, 3] += 0.01
        chances *= total / chances.sum(axis=1, keepdims=True)
        draws = np.random.default_rng(seed).random(9)
        options = drawn(chances, np.random.default_rng(seed))
        for row, option, draw_of_row in zip(chances, options, draws, strict=True):
            assert row[:option].sum() <= draw_of_row * total * (1 + 1e-12)
            assert row[: option + 1].sum() >= draw_of_row * total * (1 - 1e-12)
            assert row[option] > 0

    def test_what_has_no_chance_is_not_drawn_and_no_parameter_is_a_negative_zero(self) -> None:
        ends: Any = SimpleNamespace(
            random=lambda _: np.array([0.0, 1.0])
        )  # what rounding may make of the least and most
        assert drawn(np.array([[0.0, 1.0], [0.4, 0.6]]), ends).tolist() == [1, 1]
        assert not np.signbit(settled(np.array([-1e-9, 0.0]))).any()

    @pytest.mark.nightly
    def test_an_unknown_partner_and_reward_need_nothing_new(self) -> None:
        """A third partner: r=outdone,p=S, which no stage of the design has."""
        agents = design(rng=np.random.default_rng(8), games=2048, corpus=500)
        third = train(
            agents["S"].theta, LogLinear(agents["S"].theta), "outdone", rng=np.random.default_rng(9), games=2048
        )
        learned = train(agents["S"].theta, LogLinear(third.theta), "selfish", rng=np.random.default_rng(10), games=2048)
        assert set(REWARDS) == {"selfish", "fair", "outdone", "envious"}
        assert learned.curve["points"][-1] > 0


class TestSupervised:
    @pytest.mark.nightly
    def test_it_speaks_as_people_do(self) -> None:
        rng = np.random.default_rng(0)
        corpus = play(People(), People(), draw(3000, rng=rng), rng=rng)
        weights = fit(corpus)
        assert abs(weights.log_likelihood - -1.92) < 0.03
        assert abs(weights.evenly - -3.10) < 0.02
        assert weights.steps <= 12
        assert weights.acts == corpus.length.sum()

    @pytest.mark.nightly
    def test_a_corpus_too_long_to_keep_gives_the_same(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = np.random.default_rng(3)
        corpus = play(People(), People(), draw(200, rng=rng), rng=rng)
        kept = fit(corpus)
        monkeypatch.setattr(learning, "KEPT", 0)
        assert repr(fit(corpus)) == repr(kept)

    @pytest.mark.nightly
    def test_its_own_dialogues_give_its_parameters_back(self) -> None:
        theta = np.array([2.0, -1, 1, 0.5, 1, 2, 0.5, -1, 0.5, -1, -1, 2, 1, 0, 0.5, -1, 0.5, 0])
        rng = np.random.default_rng(2)
        speaker = LogLinear(theta)
        corpus = play(speaker, speaker, draw(2000, rng=rng), rng=rng)
        weights = fit(corpus, ridge=0.0)
        own = fit(corpus)
        assert own.log_likelihood <= weights.log_likelihood
        # The fit is as likely as the truth, and its chances are the truth's.
        dialogue = Dialogue(draw(200, rng=rng))
        dialogue.apply(0, speaker.acts(dialogue, 0, rng))
        gap = np.abs(weights.policy.chances(dialogue, 1) - speaker.chances(dialogue, 1))
        assert gap.max() < 0.1
        assert gap.mean() < 0.0015

    @pytest.mark.nightly
    def test_a_study_is_a_corpus(self) -> None:
        rng = np.random.default_rng(5)
        met = meet(("people", People()), ("people", People()), draw(300, rng=rng), rng=rng, seed=1)
        np.testing.assert_array_equal(fit(acts_of(as_study([met]))).theta, fit(met.played).theta)
