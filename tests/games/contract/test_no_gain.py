"""No single deviation gains anywhere in small games: the plain search finds equilibria of every subgame."""

from __future__ import annotations

import numpy as np
import pytest

from negstats.games.contract import Game, State, Utility, solve
from tests.conftest import runs
from tests.games.contract.referee import Referee, random_game

TOLERANCE = 1e-9


def check(game: Game, utility: Utility) -> int:
    """Look at every state that any play can lead to; return how many deviations were tried."""
    referee = Referee(solve(game, utility, method="plain", walks="all"))
    values: set[State] = {game.start}
    fresh = [game.start]
    tried = 0
    while fresh:
        state = fresh.pop()
        for gain, deviation in referee.gains(state):
            assert gain <= TOLERANCE, (game, state, deviation)
            tried += 1
        later = referee.successors(state) - values
        values |= later
        fresh += later
    assert np.allclose(referee.worth(game.start), referee.solution.value(game.start), atol=TOLERANCE, rtol=0)
    return tried


def games(count: int, seed: int, most_chips: int) -> list[tuple[Game, Utility]]:
    rng = np.random.default_rng(seed)
    values = []
    for number in range(count):
        providers = 2 + number % 2
        game = random_game(
            rng,
            providers,
            chips=int(rng.integers(3, most_chips + 1 - (providers == 3))),
            goal_points=5 * int(rng.integers(1, 7)),
            dormant_after=int(rng.integers(1, 4)),
        )
        values.append((game, Utility(pr=float(rng.choice([1, 1, 0.5, 0.7])))))
    return values


@pytest.mark.slow
def test_no_deviation_gains_in_small_games() -> None:
    assert sum(check(game, utility) for game, utility in games(20, seed=1, most_chips=4)) > 1000


@pytest.mark.calibration
def test_no_deviation_gains_in_two_hundred_games() -> None:
    count = runs(200, 10)
    checked = sum(check(game, utility) for game, utility in games(count, seed=2, most_chips=6))
    print(f"{checked:,} deviations in {count} games")
    assert checked > 5000 * count
