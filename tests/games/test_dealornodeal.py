"""Deal or No Deal as acts: the printed deals, the counted scenarios, the rules, and what each scenario holds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import DesignError
from negstats.games import dealornodeal
from negstats.games.dealornodeal.scenarios import count_vectors
from tests.conftest import DataFolder

# chawla2023, Tables 1, 4, 11 and its sample dialogues: counts, values of both, share of the first, points of both.
PRINTED = [
    ((1, 3, 1), ((2, 1, 5), (10, 0, 0)), (0, 2, 1), (7, 10)),
    ((2, 1, 3), ((1, 2, 2), (0, 7, 1)), (0, 1, 3), (8, 0)),
    ((2, 3, 1), ((0, 1, 7), (2, 2, 0)), (2, 0, 1), (7, 6)),
    ((1, 4, 2), ((4, 0, 3), (0, 2, 1)), (1, 2, 1), (7, 5)),
    ((1, 4, 2), ((0, 2, 1), (4, 0, 3)), (0, 4, 1), (9, 7)),
]


def said(scenario: dealornodeal.Scenarios, *acts: int) -> dealornodeal.Dialogue:
    dialogue = dealornodeal.Dialogue(scenario)
    for act in acts:
        dialogue.apply(dialogue.seat, [act])
    return dialogue


class TestWorkedDialogues:
    @pytest.mark.parametrize(("counts", "values", "taken", "points"), PRINTED)
    def test_a_printed_deal_has_its_printed_points(self, counts: Any, values: Any, taken: Any, points: Any) -> None:
        dialogue = said(
            dealornodeal.Scenarios.of(counts, values), int(dealornodeal.numbered(taken)), dealornodeal.ACCEPT
        )
        assert dialogue.points.tolist() == [list(points)]
        assert dealornodeal.ENDS[dialogue.how[0]] == "agreement"

    def test_table_4_whole(self) -> None:
        """The human's third utterance wants the one book split: no division, so it counts as its first proposal."""
        human_first = dealornodeal.Scenarios.of([1, 3, 1], [[10, 0, 0], [2, 1, 5]])
        book, ball_and_book, ball_and_two_hats = (
            int(dealornodeal.numbered(x)) for x in ([1, 0, 0], [1, 0, 1], [0, 2, 1])
        )
        dialogue = said(human_first, book, ball_and_book, book, ball_and_two_hats, dealornodeal.ACCEPT)
        assert dialogue.points.tolist() == [[10, 7]]
        assert dialogue.length.tolist() == [5]
        units, points = dealornodeal.outcomes(human_first)
        best = units[(points == [10, 8]).all(axis=1)]
        assert best[0][1].tolist() == [0, 3, 1]  # the ball and all three hats
        assert dealornodeal.references(human_first)["joint"].tolist() == [18]

    def test_counts_3_1_2_can_be_divided_4_to_8(self) -> None:
        _, points = dealornodeal.outcomes(dealornodeal.Scenarios.of([3, 1, 2], [[2, 2, 1], [0, 8, 1]]))
        assert [4, 8] in points.tolist()

    def test_two_that_insist_get_nothing(self) -> None:
        everything = int(dealornodeal.numbered([1, 2, 2]))
        dialogue = said(dealornodeal.Scenarios.of([1, 2, 2], [[2, 3, 1], [2, 1, 3]]), *[everything] * 20)
        assert (dealornodeal.ENDS[dialogue.how[0]], dialogue.points.tolist(), dialogue.length.tolist()) == (
            "timeout",
            [[0, 0]],
            [20],
        )

    def test_every_printed_context_is_worth_10_to_both_and_a_scenario(self) -> None:
        more = [((3, 1, 2), ((2, 2, 1), (0, 8, 1))), ((1, 2, 2), ((2, 3, 1), (2, 1, 3)))]
        every = [dealornodeal.Scenarios.of(*context) for context in [*((c, v) for c, v, *_ in PRINTED), *more]]
        assert all(one.worth().tolist() == [[10, 10]] for one in every)
        assert all(one.obey().all() for one in every)


class TestRewards:
    @pytest.mark.parametrize(
        ("deal", "worth"),
        [
            ((8, 0), (8, 2, 8, 16)),
            ((7, 10), (7, 4.75, 4, 7)),
            ((4, 8), (4, 1, 0, 4)),
            ((7, 6), (7, 6.25, 7, 8)),
        ],
    )
    def test_worked(self, deal: tuple[int, int], worth: tuple[float, ...]) -> None:
        assert [dealornodeal.reward(name, *deal).item() for name in ("selfish", "fair", "outdone", "envious")] == list(
            worth
        )

    def test_the_partner_of_a_one_sided_deal(self) -> None:
        assert dealornodeal.reward("fair", 0, 8).item() == -6
        assert dealornodeal.reward("outdone", 0, 8).item() == -8

    @given(st.integers(0, 10), st.integers(0, 10))
    def test_fair_costs_the_same_either_way_and_selfish_is_own_points(self, x: int, y: int) -> None:
        assert x - dealornodeal.reward("fair", x, y) == y - dealornodeal.reward("fair", y, x)
        assert dealornodeal.reward("selfish", x, y) == dealornodeal.fehr_schmidt(x, y, 0, 0) == x

    def test_the_bounds_are_checked_where_asked(self) -> None:
        for name, parameters in dealornodeal.REWARDS.items():
            dealornodeal.fehr_schmidt(3, 4, *parameters)
            if name == "envious":
                with pytest.raises(DesignError, match=r"b -1; fehr1999 has b ≤ a and 0 ≤ b < 1"):
                    dealornodeal.fehr_schmidt(3, 4, *parameters, strict=True)
            else:
                dealornodeal.fehr_schmidt(3, 4, *parameters, strict=True)


class TestScenarios:
    @pytest.mark.slow
    def test_counted(self) -> None:
        assert len(count_vectors()) == 28
        assert np.unique([sum(c) for c in count_vectors()], return_counts=True)[1].tolist() == [6, 10, 12]
        assert len(dealornodeal.scenarios()) == 5295
        pairs = 0
        for counts in count_vectors():
            grid = np.stack(np.meshgrid(*[np.arange(11)] * 3), axis=-1).reshape(-1, 3)
            pairs += int((grid @ counts == 10).sum()) ** 2
        assert pairs == 7698

    def test_outcomes(self) -> None:
        sizes, n = np.unique(dealornodeal.scenarios().outcomes(), return_counts=True)
        expected = {16: 1539, 18: 936, 20: 888, 24: 804, 27: 312, 30: 504, 32: 207, 36: 105}
        assert dict(zip(sizes.tolist(), n.tolist(), strict=True)) == expected

    def test_in_order_and_alike_for_both_seats(self) -> None:
        every = dealornodeal.scenarios()
        rows = np.column_stack([every.counts, every.values.reshape(-1, 6)])
        assert (np.lexsort(rows.T[::-1]) == np.arange(len(rows))).all()
        turned = np.column_stack([every.counts, every.values[:, ::-1].reshape(-1, 6)])
        assert {tuple(row) for row in rows.tolist()} == {tuple(row) for row in turned.tolist()}
        assert every.obey().all()

    def test_drawn_by_weights(self) -> None:
        weights = np.zeros(5295)
        weights[[3, 7]] = 1, 3
        drawn = dealornodeal.draw(4000, rng=np.random.default_rng(1), weights=weights)
        share = (drawn.values == dealornodeal.scenarios()[7].values).all(axis=(1, 2)).mean()
        assert abs(share - 0.75) < 0.03

    @pytest.mark.slow
    @pytest.mark.data
    @pytest.mark.parametrize("name", ["data.txt", "test.txt"])
    def test_every_public_context_is_one(self, name: str, real_data: DataFolder) -> None:
        file = real_data("dealornodeal") / name
        rows = [[int(x) for x in six.split()] for six in _contexts(file.read_text(encoding="utf-8"))]
        own = np.array(rows).reshape(-1, 3, 2)
        context = dealornodeal.Scenarios.of(own[::2, :, 0], np.stack([own[::2, :, 1], own[1::2, :, 1]], axis=1))
        assert len(context) > 500
        assert context.obey().all()
        if name == "data.txt":
            assert len(np.unique(np.column_stack([context.counts, context.values.reshape(-1, 6)]), axis=0)) == 4472
            most = np.unique(context.counts, axis=0, return_counts=True)
            assert most[0][most[1].argmax()].tolist() == [3, 1, 1]
            assert most[1].max() == 899


def _contexts(text: str) -> list[str]:
    """Counts and values of both sides of every line, in either of the file's forms."""
    import re

    values = []
    for line in text.splitlines():
        six = re.findall(r"(?<!=)(?<!\S)\d+(?: \d+){5}(?!\S)", line)
        values += [six[0], six[-1]]
    return values


MEANS = {
    "outcomes": 21.2, "joint": 15.06, "product": 55.69, "nash_joint": 15.0, "egalitarian": 6.58,
    "frontier_joint": 13.26, "frontier": 4.68, "frontier_points": 4.37, "equal": 0.584, "kept": 2.77, "fair": 6.67,
}  # fmt: skip
RANGES = {"joint": (10, 19), "egalitarian": (2, 9), "frontier": (2, 36)}


class TestReferences:
    """Means over all scenarios, computed once by other code."""

    @pytest.mark.slow
    def test_all_scenarios(self) -> None:
        result = dealornodeal.references(dealornodeal.scenarios())
        for name, mean in MEANS.items():
            digits = len(str(mean).partition(".")[2])
            assert abs(result[name].mean() - mean) < 0.6 * 10**-digits, name
        for name, ends in RANGES.items():
            assert (result[name].min(), result[name].max()) == ends
        assert abs((result["nash_joint"] == result["joint"]).mean() - 0.950) < 0.0005

    @pytest.mark.slow
    @pytest.mark.data
    def test_weighted_by_the_public_data(self, real_data: DataFolder) -> None:
        rows = _contexts((real_data("dealornodeal") / "data.txt").read_text(encoding="utf-8"))
        own = np.array([[int(x) for x in six.split()] for six in rows]).reshape(-1, 3, 2)
        context = dealornodeal.Scenarios.of(own[::2, :, 0], np.stack([own[::2, :, 1], own[1::2, :, 1]], axis=1))
        result = dealornodeal.references(context)
        means = {"joint": 15.40, "nash_joint": 15.35, "egalitarian": 6.69, "frontier_joint": 13.48}
        for name, mean in means.items():
            assert abs(result[name].mean() - mean) < 0.006, name


class TestActs:
    def test_who_walks_away_at_the_third_utterance_ends_the_game(self) -> None:
        one = dealornodeal.Scenarios.of([1, 3, 1], [[2, 1, 5], [10, 0, 0]])
        assert dealornodeal.ENDS[said(one, 0, 0, dealornodeal.WALK).how[0]] == "walkaway"

    def test_accepting_takes_the_latest_proposal(self) -> None:
        one = dealornodeal.Scenarios.of([1, 3, 1], [[2, 1, 5], [10, 0, 0]])
        first, second, third = (int(dealornodeal.numbered(x)) for x in ([1, 3, 1], [1, 0, 0], [0, 3, 1]))
        assert said(one, first, second, dealornodeal.ACCEPT).points.tolist() == [[8, 10]]
        assert said(one, first, second, third, dealornodeal.ACCEPT).points.tolist() == [[8, 10]]
        assert said(one, first, dealornodeal.ACCEPT).points.tolist() == [[10, 0]]

    @given(st.integers(0, 5294), st.lists(st.integers(0, 35), min_size=0, max_size=6), st.permutations(range(3)))
    def test_a_player_sees_no_values_of_the_partner(self, place: int, said_: list[int], order: list[int]) -> None:
        one = dealornodeal.scenarios()[place]
        other = dealornodeal.Scenarios(one.counts, one.values.copy())
        seat = len(said_) % 2
        other.values[0, 1 - seat] = other.values[0, 1 - seat][order]
        results = [_talked(context, said_).features(seat) for context in (one, other)]
        np.testing.assert_array_equal(results[0][0], results[1][0])
        np.testing.assert_array_equal(results[0][1], results[1][1])

    @given(st.integers(0, 5294), st.lists(st.integers(0, 35), min_size=0, max_size=6), st.permutations(range(3)))
    def test_names_of_items_change_nothing(self, place: int, said_: list[int], order: list[int]) -> None:
        one = dealornodeal.scenarios()[place]
        turned = dealornodeal.Scenarios(one.counts[:, order], one.values[:, :, order])
        first = _talked(one, said_)
        units = [first.tables.units[first.kind[0], at % first.size[0]] for at in said_]
        second = dealornodeal.Dialogue(turned)
        for taken in units:
            second.apply(second.seat, [int(dealornodeal.numbered(taken[order]))])
        seat = first.seat
        features, legal = first.features(seat)
        result, also = second.features(seat)
        grid = np.stack(np.unravel_index(np.arange(125), (5, 5, 5)), axis=-1)
        acts = np.append(dealornodeal.numbered(grid[:, order]), [dealornodeal.ACCEPT, dealornodeal.WALK])
        np.testing.assert_array_equal(legal[0], also[0, acts])
        np.testing.assert_allclose(features[0], result[0, acts], atol=1e-15)

    def test_features_by_hand(self) -> None:
        """Counts 1-3-1, values 2-1-5; the other has asked for the book and a hat; at t = 1."""
        one = dealornodeal.Scenarios.of([1, 3, 1], [[10, 0, 0], [2, 1, 5]])
        dialogue = said(one, int(dealornodeal.numbered([1, 1, 0])))
        features, legal = dialogue.features(1)
        x = int(dealornodeal.numbered([1, 2, 1]))  # worth 9 of 10; leaves one hat of the two units asked
        own, tau, grant = 0.9, 1 / 20, 0.5
        expected = [own, own * tau, own**2, grant, grant * tau, own * grant, 0, 0, 0, 0]
        np.testing.assert_allclose(features[0, x, :10], expected)
        offered = int(dealornodeal.numbered([0, 2, 1]))  # what the other leaves: worth 7
        assert features[0, offered, 8] == 1
        assert features[0, int(dealornodeal.numbered([0, 1, 1])), 7] == 1  # worth 6 < 7
        np.testing.assert_allclose(features[0, dealornodeal.ACCEPT, 10:15], [1, 0.7, 0.49, 0.7 * tau, tau])
        assert legal[0, dealornodeal.ACCEPT]
        assert not legal[0, dealornodeal.WALK]
        assert legal[0].sum() == 17
        first = dealornodeal.Dialogue(one).features(0)[0][0, int(dealornodeal.numbered([1, 1, 0]))]
        np.testing.assert_allclose(first[:10], [1, 0, 1, 3 / 5, 0, 3 / 5, 0, 0, 0, 1 / 5])
        assert len(dealornodeal.FEATURES) == 18


def _talked(one: dealornodeal.Scenarios, places: list[int]) -> dealornodeal.Dialogue:
    """A dialogue after proposals of the divisions at these places (modulo how many there are)."""
    dialogue = dealornodeal.Dialogue(one)
    for place in places:
        at = np.array([place % dialogue.size[0]])
        dialogue.apply(dialogue.seat, dialogue.numbers(at, np.array([0])))
    return dialogue


def test_open_spiel_agrees() -> None:
    """A second opinion where it is installed: its instances have the same divisions, worth the same to both."""
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game("bargaining")
    compared = 0
    for place, instance in enumerate(game.all_instances()):
        if max(instance.pool) > 4:  # 78 of its 1,000 hold five of an item
            continue
        context = dealornodeal.Scenarios.of(instance.pool, instance.values)
        assert np.all(context.worth() == 10)
        units, points = dealornodeal.outcomes(context)
        ours = {tuple(taken): tuple(worth) for taken, worth in zip(units[:, 0].tolist(), points.tolist(), strict=True)}
        start = game.new_initial_state()
        start.apply_action(place)
        theirs = {}
        for action in start.legal_actions():
            state = start.child(action)
            [offer] = state.offers()
            state.apply_action(state.agree_action())
            theirs[tuple(offer.quantities)] = tuple(state.returns())
        assert theirs == ours
        compared += 1
    assert compared == 922
