"""Bargaining solutions by hand, their axioms as properties, and what other tools computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from negstats.errors import NotEstimable
from negstats.games import (
    bargaining_points,
    egalitarian,
    kalai_smorodinsky,
    nash,
    pareto_optimal,
    utilitarian,
)

Numbers = npt.NDArray[Any]

# Gains over (1, 2) by hand:       (9,-2)   (7,1)   (5,3)   (3,6)   (1,7)  (-1,8)   (3,6)
OUTCOMES = np.array([[10, 0], [8, 3], [6, 5], [4, 8], [2, 9], [0, 10], [4, 8]])
POINT = np.array([1, 2])


def games(least: int = 0) -> st.SearchStrategy[Numbers]:
    return st.integers(2, 3).flatmap(
        lambda parties: hnp.arrays(
            np.int64, st.tuples(st.integers(1, 15), st.just(parties)), elements=st.integers(least, 8)
        )
    )


@pytest.mark.parametrize(
    ("solve", "game", "solution"),
    [
        (nash, (OUTCOMES, POINT), [3, 6]),  # products 7, 15, 18, 7, 18; both ties
        (nash, ([[0.5, 0.5], [0.9, 0.1], [2.0, 0.0]], [0, 0]), [0]),  # a gain below 1 is one
        (utilitarian, (OUTCOMES,), [3, 6]),  # 12 each
        (utilitarian, ([[9, 0], [5, 5], [0, 10]],), [1, 2]),
        (egalitarian, (OUTCOMES, POINT), [2, 3, 6]),  # least gains 3, 3, 3
        (egalitarian, ([[3, 0], [2, 1]], [5, 5]), [1]),  # least losses, where all lose
        (egalitarian, ([[6, 2], [3, 3], [2, 6]], [0, 0]), [1]),
        (egalitarian, ([[6, 6], [3, 9], [2, 18]], [0, 0]), [0]),  # it depends on the scale
        # Nobody loses in the outcomes 1 to 4 and 6; ideal gains (7, 7); least shares 1/7, 3/7, 3/7, 1/7, 3/7.
        (kalai_smorodinsky, (OUTCOMES, POINT), [2, 3, 6]),
        # Ideal gains (10, 4): shares (.5, .5) against (.8, .25) and (.3, .75).
        (kalai_smorodinsky, ([[10, 0], [8, 1], [5, 2], [3, 3], [0, 4]], [0, 0]), [2]),
        # (20, -1) would make the first party's ideal gain 20 and the answer (8, 1); but the other loses there.
        (kalai_smorodinsky, ([[20, -1], [8, 1], [4, 2], [0, 4]], [0, 0]), [2]),
    ],
)
def test_solutions_by_hand(solve: Any, game: tuple[Any, ...], solution: list[int]) -> None:
    assert solve(*game).tolist() == solution


@pytest.mark.parametrize(
    ("program", "name", "game", "solution"),
    [
        # All five are on the frontier; the differences of the two parties are 10, 5, 1, 4, 7.
        ("genius", "kalai_smorodinsky", ([[10, 0], [8, 3], [6, 5], [4, 8], [2, 9]], [0, 0]), [2]),
        # |a-b| + |a-c| + |b-c|: 10, 6, 8
        ("genius", "kalai_smorodinsky", ([[5, 5, 0], [4, 1, 2], [1, 2, 5]], [0, 0, 0]), [1]),
        # What somebody loses by is left out.
        ("negmas", "kalai", ([[5, 0], [2, 3]], [3, 0]), [0]),
        ("negmas", "ks", ([[1, 0], [2, 0]], [0, 0]), [1]),
    ],
)
def test_other_programs_solutions_by_hand(program: Any, name: str, game: tuple[Any, Any], solution: list[int]) -> None:
    assert bargaining_points(*game, compat=program)[name].tolist() == solution


def solved(solve: Any, utilities: Numbers, point: Numbers) -> list[int]:
    try:
        values: list[int] = solve(utilities, point).tolist()
    except NotEstimable:
        assume(False)
    return values


@pytest.mark.slow
@pytest.mark.parametrize("solve", [nash, utilitarian, egalitarian, kalai_smorodinsky])
@given(utilities=games(), seed=st.integers(0, 99))
def test_anonymous(solve: Any, utilities: Numbers, seed: int) -> None:
    """The order of outcomes and the names of the parties do not matter."""
    rng = np.random.default_rng(seed)
    point = rng.integers(0, 3, (utilities.shape[1],))
    rows, columns = rng.permutation(len(utilities)), rng.permutation(utilities.shape[1])
    solution = solved(solve, utilities, point)
    shuffled = solved(solve, utilities[rows][:, columns], point[columns])
    assert sorted(rows[shuffled].tolist()) == solution


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("solve", [nash, kalai_smorodinsky])
@given(utilities=games(), scales=st.lists(st.integers(1, 9), min_size=3, max_size=3), shift=st.integers(-9, 9))
def test_scale_invariant(solve: Any, utilities: Numbers, scales: list[int], shift: int) -> None:
    """Each party's utilities may be rescaled by themselves (Nash 1950; Kalai and Smorodinsky 1975)."""
    factors = np.array(scales[: utilities.shape[1]])
    point = np.ones(utilities.shape[1])
    assert solved(solve, utilities * factors + shift, point * factors + shift) == solved(solve, utilities, point)


@given(utilities=games(), shift=st.integers(-9, 9))
def test_egalitarian_moves_with_the_disagreement_point(utilities: Numbers, shift: int) -> None:
    point = np.zeros(utilities.shape[1])
    np.testing.assert_array_equal(egalitarian(utilities + shift, point + shift), egalitarian(utilities, point))


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("solve", [nash, utilitarian])
@given(utilities=games())
def test_on_the_frontier(solve: Any, utilities: Numbers) -> None:
    solution = solved(solve, utilities, np.zeros(utilities.shape[1]))
    assert pareto_optimal(utilities)[solution].all()


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("solve", [egalitarian, kalai_smorodinsky])
@given(utilities=games())
def test_one_tie_on_the_frontier_and_all_weakly(solve: Any, utilities: Numbers) -> None:
    solution = solved(solve, utilities, np.zeros(utilities.shape[1]))
    assert pareto_optimal(utilities)[solution].any()
    assert pareto_optimal(utilities, weak=True)[solution].all()


@pytest.mark.slow
@given(utilities=games(), drop=st.integers(0, 14))
def test_nash_is_independent_of_irrelevant_alternatives(utilities: Numbers, drop: int) -> None:
    point = np.zeros(utilities.shape[1])
    solution = solved(nash, utilities, point)
    assume(drop < len(utilities))
    assume(drop not in solution)
    fewer = np.delete(utilities, drop, axis=0)
    np.testing.assert_array_equal(fewer[nash(fewer, point)], utilities[solution])


@given(least=st.integers(1, 8), rows=st.integers(2, 9))
def test_symmetric_games_end_in_the_middle(least: int, rows: int) -> None:
    """Splitting a sum: Nash, egalitarian and Kalai-Smorodinsky all give equal shares where these exist."""
    total = 2 * least * rows
    outcomes = np.array([[share, total - share] for share in range(0, total + 1, least)])
    for solve in (nash, egalitarian, kalai_smorodinsky):
        assert outcomes[solve(outcomes, [0, 0])].tolist() == [[total // 2, total // 2]]


def test_negmas_agrees_with_its_own_statistics() -> None:
    """A scenario that NegMAS 0.16.0 made and its `_stats.yaml`: pareto_utils, and the outcome at both least utilities.

    The second party's reserved value lies below its least utility, 0, which is then what NegMAS counts gains from.
    """
    frontier = [
        [0.701110613433383, 0.9897470438270696],
        [0.5888558087704349, 0.9999999999999999],
        [1.0, 0.279715332695167],
        [0.88719786450538, 0.35828951087492944],
        [0.8877451953370519, 0.28996828886809733],
        [0.7749430598424318, 0.36854246704785976],
    ]
    points = bargaining_points([*frontier, [0.0, 0.0]], [0.464793579397486, -0.3534309475344187], compat="negmas")
    assert {name: places.tolist() for name, places in points.items()} == {
        "nash": [0],  # nash_utils
        "kalai": [3],  # kalai_utils
        "ks": [5],  # ks_utils
        "max_welfare": [0],  # max_welfare_utils
    }


def test_the_names_that_tools_give() -> None:
    # Frontier: all but (0, 0). Products 9, 16, 15; sums 10, 10, 8; least gains 1, 2, 3; differences 8, 6, 2.
    # Ideal gains (9, 5): shares (1, .2), (.89, .4), (.33, 1); least .2, .4, .33; spread .8, .49, .67.
    outcomes = [[9, 1], [8, 2], [3, 5], [0, 0]]
    points = {
        tool: {name: places.tolist() for name, places in bargaining_points(outcomes, [0, 0], compat=tool).items()}
        for tool in (None, "genius", "negolog", "negmas")
    }
    assert points == {
        None: {"nash": [1], "utilitarian": [0, 1], "egalitarian": [2], "kalai_smorodinsky": [1]},
        # The equal outcome (0, 0) has the least difference of all, but is not on the frontier.
        "genius": {"nash": [1], "kalai_smorodinsky": [2]},
        "negolog": {"nash": [1], "kalai": [0, 1]},
        "negmas": {"nash": [1], "kalai": [2], "ks": [1], "max_welfare": [0, 1]},
    }


def test_negolog_knows_no_disagreement_point() -> None:
    outcomes = [[9, 1], [8, 2], [3, 5]]
    assert bargaining_points(outcomes, [0, 1], compat="negolog")["nash"].tolist() == [1]
    assert nash(outcomes, [0, 1]).tolist() == [2]  # 0, 8, 12
