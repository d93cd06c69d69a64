"""Games with equilibria known from print, the definitions as properties, and the edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import optimize

from negstats.games import normal_form
from tests.conftest import reference

PENNIES = np.array([[1.0, -1], [-1, 1]])
ROCK = np.array([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]])

Table = npt.NDArray[Any]


def tables(most: int = 4, parties: int = 2) -> st.SearchStrategy[Table]:
    sizes = st.tuples(st.just(parties), st.integers(1, most), st.integers(1, most))
    return sizes.flatmap(lambda shape: hnp.arrays(np.float64, shape, elements=st.integers(-9, 9)))


def squares(most: int = 5) -> st.SearchStrategy[Table]:
    return st.integers(1, most).flatmap(lambda size: hnp.arrays(np.float64, (size, size), elements=st.integers(-9, 9)))


def hawk_dove(prize: float, cost: float) -> Table:
    return np.array([[(prize - cost) / 2, prize], [0, prize / 2]])


def test_matching_pennies() -> None:
    assert normal_form.pure_equilibria(PENNIES, -PENNIES) == []
    ((x, y),) = normal_form.equilibria(PENNIES, -PENNIES)
    assert (x.tolist(), y.tolist()) == ([0.5, 0.5], [0.5, 0.5])


def test_rock_paper_scissors() -> None:
    ((x, y),) = normal_form.equilibria(ROCK)
    np.testing.assert_allclose([x, y], np.full((2, 3), 1 / 3))
    mixture, rating = normal_form.nash_average(ROCK)
    np.testing.assert_allclose(mixture, 1 / 3)
    np.testing.assert_allclose(rating, 0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("prize", "cost"), [(2, 3), (1, 10), (5, 5.5)])
def test_hawks_are_the_prize_over_the_cost(prize: float, cost: float) -> None:
    """Maynard Smith (1982), Evolution and the Theory of Games, p. 16: the stable share of hawks is V/C for V < C."""
    game = hawk_dove(prize, cost)
    assert normal_form.pure_equilibria(game) == [(0, 1), (1, 0)]
    mixed = normal_form.equilibria(game)[-1]
    np.testing.assert_allclose(mixed[0], [prize / cost, 1 - prize / cost])
    np.testing.assert_allclose(
        normal_form.replicator_rest(game, time=3000), [prize / cost, 1 - prize / cost], atol=1e-6
    )


def test_hawks_win_where_the_prize_is_dearer() -> None:
    assert normal_form.pure_equilibria(hawk_dove(4, 3)) == [(0, 0)]
    assert len(normal_form.equilibria(hawk_dove(4, 3))) == 1


def test_battle_of_the_sexes() -> None:
    """Osborne and Rubinstein (1994), A Course in Game Theory, example 34.1: (2/3, 1/3) and (1/3, 2/3)."""
    equilibrium_list = normal_form.equilibria([[2, 0], [0, 1]], [[1, 0], [0, 2]])
    assert len(equilibrium_list) == 3
    np.testing.assert_allclose(equilibrium_list[-1], [[2 / 3, 1 / 3], [1 / 3, 2 / 3]])


def test_textbook_game_of_three_by_two() -> None:
    """Nisan et al. (2007), Algorithmic Game Theory, example 3.3: three equilibria."""
    equilibrium_list = normal_form.equilibria([[3, 3], [2, 5], [0, 6]], [[3, 2], [2, 6], [3, 1]])
    expected: list[tuple[list[float], list[float]]] = [
        ([1, 0, 0], [1, 0]),
        ([4 / 5, 1 / 5, 0], [2 / 3, 1 / 3]),
        ([0, 1 / 3, 2 / 3], [1 / 3, 2 / 3]),
    ]
    assert len(equilibrium_list) == 3
    for (x, y), (rows, columns) in zip(equilibrium_list, expected, strict=True):
        np.testing.assert_allclose(x, rows)
        np.testing.assert_allclose(y, columns)


@given(tables())
def test_nobody_gains_by_leaving_an_equilibrium(pair: Table) -> None:
    first, second = pair
    for x, y in normal_form.equilibria(first, second):
        assert x.sum() == pytest.approx(1)
        assert float(x @ normal_form.regret(first, y)) == pytest.approx(0, abs=1e-9)
        assert float(y @ normal_form.regret(second.T, x)) == pytest.approx(0, abs=1e-9)


@given(tables())
def test_profiles_without_regret_are_the_pure_equilibria(pair: Table) -> None:
    first, second = pair
    pure = {tuple(map(int, place)) for place in np.argwhere(normal_form.profile_regret(first, second) == 0)}
    assert pure == set(normal_form.pure_equilibria(first, second))
    rows, columns = normal_form.undominated(first, second)
    assert all(i in rows and j in columns for i, j in pure)


@given(squares(), st.integers(-5, 5))
def test_a_constant_for_an_opponent_changes_nothing(game: Table, more: int) -> None:
    moved = game.copy()
    moved[:, 0] += more
    assert (normal_form.best_responses(game) == normal_form.best_responses(moved)).all()
    np.testing.assert_allclose(
        normal_form.replicator_rest(game, time=5), normal_form.replicator_rest(moved, time=5), atol=1e-9
    )


@pytest.mark.slow
@settings(deadline=None)
@given(squares(4))
def test_nobody_gains_on_the_nash_average(game: Table) -> None:
    mixture, rating = normal_form.nash_average(game)
    assert mixture.sum() == pytest.approx(1)
    assert (mixture >= 0).all()
    assert rating.max() == pytest.approx(0, abs=1e-5)
    assert float(mixture @ rating) == pytest.approx(0, abs=1e-5)


def test_a_copy_changes_nobodys_rating() -> None:
    game = np.array([[0.0, 4, -1], [-2, 0, 3], [2, -3, 0]])
    twice = game[np.ix_([0, 0, 1, 2], [0, 0, 1, 2])]
    _, rating = normal_form.nash_average(game)
    mixture, again = normal_form.nash_average(twice)
    np.testing.assert_allclose(again, rating[[0, 0, 1, 2]], atol=1e-5)
    assert mixture[0] == pytest.approx(mixture[1], abs=1e-5)  # the largest entropy shares alike


def entropy_by_its_dual(gains: Table) -> Table:
    """Return the mixture of largest entropy without gains against it, from the dual problem and another solver.

    With a multiplier of at least 0 for each strategy that may not gain, the mixture is proportional to
    exp(-multipliers · gains), and the multipliers minimise the logarithm of its sum (Boyd and Vandenberghe 2004,
    Convex optimization, 5.1.6).
    """

    def dual(multipliers: Table) -> tuple[float, Table]:
        exponents = -multipliers @ gains
        top = exponents.max()
        weights = np.exp(exponents - top)
        return float(top + np.log(weights.sum())), -gains @ (weights / weights.sum())

    start = np.zeros(len(gains))
    options = {"maxiter": 20_000, "maxfun": 200_000, "ftol": 1e-15, "gtol": 1e-10}
    minimize: Any = optimize.minimize  # whose types have no function with its gradient
    solved = minimize(dual, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(gains), options=options)
    weights = np.exp(-solved.x @ gains - (-solved.x @ gains).max())
    return np.asarray(weights / weights.sum())


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("seed", range(12))
def test_the_nash_average_is_that_of_another_solver(seed: int) -> None:
    """Random games of whole numbers with copies and mixtures of strategies, whose equilibria are many."""
    rng = np.random.default_rng(seed)
    half = rng.integers(-3, 4, size=(3, 3)).astype(float)
    game = half - half.T
    copies = [0, 1, 2, int(rng.integers(3)), int(rng.integers(3))]
    game = game[np.ix_(copies, copies)]
    mixture, _ = normal_form.nash_average(game / 2)
    other = entropy_by_its_dual(game)
    np.testing.assert_allclose(mixture, other, atol=5e-3)
    assert (
        -(mixture * np.log(np.maximum(mixture, 1e-300))).sum()
        >= -(other * np.log(np.maximum(other, 1e-300))).sum() - 5e-2
    )


def test_a_redundant_agent_shares_the_part_of_its_copy() -> None:
    """Balduzzi, Tuyls, Perolat and Graepel (2018), Re-evaluating evaluation, NeurIPS: property of the Nash average.

    Three agents that beat each other in a circle at 99 % (log-odds 4.6), the third of them twice.
    """
    circle = 4.6 * np.array([[0.0, 1, -1, -1], [-1, 0, 1, 1], [1, -1, 0, 0], [1, -1, 0, 0]])
    mixture, rating = normal_form.nash_average(circle / 2)
    np.testing.assert_allclose(mixture, [1 / 3, 1 / 3, 1 / 6, 1 / 6], atol=1e-6)
    np.testing.assert_allclose(rating, 0, atol=1e-5)
    np.testing.assert_allclose(entropy_by_its_dual(circle), mixture, atol=1e-5)


def test_a_batch_is_solved_as_its_games() -> None:
    batch = np.random.default_rng(1).normal(size=(20, 4, 4))
    mixtures, ratings = normal_form.nash_average(batch)
    ranks = normal_form.elimination_order(batch)
    for place, game in enumerate(batch):
        np.testing.assert_allclose(mixtures[place], normal_form.nash_average(game)[0])
        np.testing.assert_allclose(ratings[place], normal_form.nash_average(game)[1])
        assert ranks[place].tolist() == normal_form.elimination_order(game).tolist()
        assert sorted(ranks[place]) == [1, 2, 3, 4]


def test_replicator_keeps_shares_and_absent_strategies() -> None:
    path = normal_form.replicator(ROCK, [0.5, 0.5, 0.0], time=50)
    np.testing.assert_allclose(path.sum(axis=1), 1)
    assert (path[:, 2] == 0).all()
    assert path[-1, 1] == pytest.approx(1, abs=1e-6)  # paper covers rock


def test_the_product_of_shares_stays_in_rock_paper_scissors() -> None:
    """Hofbauer and Sigmund (1998), Evolutionary Games and Population Dynamics, 7.7: orbits are closed."""
    products = normal_form.replicator(ROCK, [0.5, 0.3, 0.2], time=30, points=301).prod(axis=1)
    np.testing.assert_allclose(products, products[0], rtol=1e-5)


@pytest.mark.parametrize("case", reference("normal_form"))
def test_drawn_games_have_the_equilibria_regrets_and_paths_of_nashpy(case: dict[str, Any]) -> None:
    def in_order(pairs: Any) -> Table:
        rounded = [[*np.round(rows, 9) + 0.0, *np.round(columns, 9) + 0.0] for rows, columns in pairs]
        return np.array(sorted(rounded))  # nashpy's zeros are noise of either sign

    first, second = np.array(case["first"]), np.array(case["second"])
    np.testing.assert_allclose(in_order(normal_form.equilibria(first, second)), in_order(case["equilibria"]), atol=2e-9)
    even = np.full(first.shape[1], 1 / first.shape[1])
    np.testing.assert_allclose(normal_form.regret(first, even), case["regret"], atol=1e-12)
    if "path" in case:
        # The package's time has the largest difference of payoffs in a column as its unit.
        path = normal_form.replicator(first, even, time=0.5 * np.ptp(first, axis=0).max(), points=5)
        np.testing.assert_allclose(path, case["path"], atol=1e-5)
