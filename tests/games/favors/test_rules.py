"""The favor game's points against mell2015's Table 4, and the sums over several negotiations worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats import papers
from negstats.games import frontier, minkowski_sum, pareto_optimal
from negstats.games.favors import FINAL, START, STUDY, game_of, outcomes, sums
from negstats.games.favors.rules import Quality


def pairs(told: str) -> list[list[int]]:
    """ "33:33, 9:34" as numbers, sorted as `frontier` sorts."""
    return sorted([int(x) for x in pair.split(":")] for pair in told.split(", "))


def test_the_study_is_table_4() -> None:
    rows = papers.printed("mell2015").set_index("id")["printed"].str.removesuffix(" points")

    def points(number: int, favors: str) -> tuple[int, int]:
        return tuple(int(rows[f"mell2015.payoff.{number}.{seat}.{favors}"]) for seat in ("player", "agent"))  # type: ignore[return-value]

    for negotiation in STUDY:
        assert negotiation.batna == points(negotiation.number, "batna")
        assert negotiation.poor == points(negotiation.number, "never")
        best = negotiation.good if negotiation.is_return else negotiation.poor
        assert best == points(negotiation.number, "returned")


# Sums over a pair of negotiations, which of them are Pareto optimal, and the best joint value.
PAIRS: list[tuple[list[Quality], str, str, int]] = [
    (["poor", "good"], "33:33, 9:34, 34:9, 10:10", "33:33, 9:34, 34:9", 66),
    (["poor", "poor"], "5:40, 9:34, 6:16, 10:10", "5:40, 9:34, 10:10", 45),
    (["printed", "printed"], "33:33, 9:34, 34:9, 10:10, 5:40, 6:16", "5:40, 9:34, 33:33, 34:9", 66),
]


@pytest.mark.parametrize(("qualities", "every", "best", "joint"), PAIRS)
@pytest.mark.parametrize("weak", [False, True])
def test_sums_over_a_pair(qualities: list[Quality], every: str, best: str, joint: int, weak: bool) -> None:
    totals = sums(qualities)
    assert totals.tolist() == pairs(every)
    assert frontier(totals, weak=weak).tolist() == pairs(best)
    assert totals.sum(axis=1).max() == joint


FOUR: list[tuple[list[Quality], int, str, int]] = [
    (["poor", "good"] * 2, 9, "18:68, 42:67, 66:66, 67:42, 68:18", 132),
    (["poor", "poor"] * 2, 9, "10:80, 14:74, 18:68, 19:44, 20:20", 90),
    (["printed"] * 4, 18, "10:80, 14:74, 38:73, 42:67, 66:66, 67:42, 68:18", 132),
]


@pytest.mark.parametrize(("qualities", "distinct", "best", "joint"), FOUR)
def test_sums_over_all_four(qualities: list[Quality], distinct: int, best: str, joint: int) -> None:
    totals = sums(qualities)
    assert len(totals) == distinct
    assert frontier(totals).tolist() == pairs(best)
    assert totals.sum(axis=1).max() == joint
    assert totals.sum(axis=1).min() == 40


def test_within_one_negotiation_every_outcome_is_optimal() -> None:
    for negotiation in STUDY:
        assert pareto_optimal(outcomes(negotiation, "printed")).all()


def test_the_last_negotiation_has_what_is_printed_of_it() -> None:
    assert len(np.unique(FINAL, axis=0)) == 25
    joint = FINAL.sum(axis=1)
    assert sorted(set(joint.tolist())) == [2, 3, 4, 5, 6, 8, 9, 10, 12, 16, 17, 18, 20, 24, 32]
    assert START in {tuple(pair) for pair in FINAL.tolist()}
    assert FINAL[pareto_optimal(FINAL)].tolist() == [[16, 16]]
    assert pareto_optimal(FINAL, weak=True).sum() == 9
    assert (FINAL >= 8).all(axis=1).sum() == 4
    with pytest.raises(ValueError, match="read-only"):
        FINAL[0] = 0


def test_a_favor_costs_one_and_brings_24_both_ways() -> None:
    for negotiation, favor in zip(STUDY, [STUDY[0].poor, STUDY[1].good, STUDY[2].poor, STUDY[3].good], strict=True):
        assert favor is not None
        change = np.array(favor) - negotiation.batna
        assert sorted(change.tolist()) == [-1, 24]


@given(st.integers(1, 4), st.integers(1, 100), st.sampled_from([0.5, 1, 2]))
def test_any_favor_pays_twice_what_it_brings_less_what_it_costs(pairs: int, benefit: int, cost: float) -> None:
    game = game_of(pairs, benefit=benefit, cost=cost)
    qualities: list[Quality] = ["poor", "good"]
    totals = sums(qualities * pairs, game)
    assert totals.sum(axis=1).max() == max(20 * pairs + 2 * pairs * (benefit - cost), 20 * pairs)
    assert [one.number for one in game] == list(range(1, 2 * pairs + 1))


def test_sums_are_those_of_the_sets() -> None:
    parts = [outcomes(one, "printed") for one in STUDY]
    assert sums(["printed"] * 4).tolist() == np.unique(minkowski_sum(*parts), axis=0).tolist()
