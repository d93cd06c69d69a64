"""The exchanges that simulated people think of: which they are, and what each changes, one by one by the rules."""

from __future__ import annotations

import numpy as np
import pytest

from negstats.games.contract import Board, Game, Offer
from negstats.simulate.contract.people import Menu, Reach, rising

ROW = Board((("gray", None, "yellow"),), start=(0, 1), goals=((0, 0), (0, 2)))


@pytest.mark.parametrize("own", [{"red": 4}, {"red": 2, "yellow": 1}, {"gray": 1, "yellow": 2}])
@pytest.mark.parametrize("provider", [1, 2])
def test_a_menu_is_its_exchanges_one_by_one(own: dict[str, int], provider: int) -> None:
    """People are given chips in pairs, those of the board first, for chips of one colour of the board."""
    game = Game.of(ROW, own, [{"gray": 1, "red": 4}, {"yellow": 2, "red": 2}], dormant_after=1)
    reach, state, hand = Reach(game), game.start, game.chips[0]
    menu = Menu.of(reach, state.square, hand, provider, game.chips[provider])
    assert game.colours == ("gray", "yellow", "red")
    assert menu.given.tolist() == [[[0, 0, 0], [1, 0, 1], [1, 0, 3]], [[0, 0, 0], [0, 2, 0], [0, 2, 2]]][provider - 1]
    alone = [[count, 0, 0] for count in range(1, hand[0] + 1)] + [[0, count, 0] for count in range(1, hand[1] + 1)]
    assert menu.returned.tolist() == [[0, 0, 0], *alone]
    exchanges = [(given, back) for given in menu.given.tolist() for back in menu.returned.tolist()][1:]
    before = reach.goals(state.square, hand)
    assert menu.before.tolist() == [(goal in before) / max(len(before), 1) for goal in (1, 2)]
    for place, (given, back) in enumerate(exchanges):
        offer = menu.offer(place)
        assert offer == Offer(provider, tuple(given), tuple(back))
        after = reach.goals(state.square, tuple(a + b - c for a, b, c in zip(hand, given, back, strict=True)))
        chances = [(goal in after) / max(len(after), 1) for goal in (1, 2)]
        gains = [5 * offer.net + 150 * (bool(after) - bool(before))]
        gains += [150 * (chances[goal] - menu.before[goal]) - 5 * offer.net for goal in (0, 1)]
        for one, row in ((menu, place), (Menu.only(reach, state, offer), 0)):
            assert (one.after[row].tolist(), one.net[row]) == (chances, offer.net)
            assert one.stranding()[row] == (bool(before) and not after)
            assert [one.gain(player, 5, 150)[row] for player in (0, 1, 2)] == pytest.approx(gains)


@pytest.mark.parametrize("start", [0.0, 1e6, -1e6])
def test_a_noisy_reply_depends_on_differences_of_worth_alone(start: float) -> None:
    """Chances in proportion to exp(worth / noise), of points however large."""
    sums = rising(start + np.array([0.0, 10, -10]), 10)
    odds = np.exp([0, 1, -1])
    np.testing.assert_allclose(sums / sums[-1], np.cumsum(odds) / odds.sum())
