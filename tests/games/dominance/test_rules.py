"""Scores, what is acceptable, and what to state, against the worked tables; properties over random domains."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.games import pareto_optimal
from negstats.games.dominance import (
    ANY,
    RELATIONS,
    Domain,
    Preferences,
    Statement,
    Value,
    acceptable,
    every_order,
    mean_frontier,
    next_statement,
    reaction,
    restaurants,
    satisfaction,
    satisfactions,
)

DOMAIN = restaurants()
A = Preferences.in_order(DOMAIN)


def line_of(n: int) -> Preferences:
    """One criterion with n values in order."""
    return Preferences.in_order(Domain.of({"c": [f"v{place}" for place in range(n)]}))


def accepted(likes: Preferences, relation: Any, criterion: str, **readings: Any) -> list[str]:
    values = likes.domain.values(criterion)
    return [v for v in values if acceptable(likes, relation, (), Value(criterion, v), **readings)]


class TestScores:
    def test_of_the_running_example(self) -> None:
        scores = [[A.score(name, value) for value in values] for name, values in DOMAIN.criteria]
        assert scores == [[3, 1, -1, -3], [2, 0, -2], [1, -1]]

    def test_of_options(self) -> None:
        totals = sorted(A.option_scores.values(), reverse=True)
        assert [(score, totals.count(score)) for score in (6, 4, 2, 0, -2, -4, -6)] == [
            (6, 1),
            (4, 3),
            (2, 5),
            (0, 6),
            (-2, 5),
            (-4, 3),
            (-6, 1),
        ]

    def test_options_are_ranked_by_score_then_by_criterion(self) -> None:
        keys = [
            (A.option_score(o), *(A.score(c, v) for c, v in zip(DOMAIN.names, o, strict=True)))
            for o in A.ranked_options
        ]
        assert keys == sorted(keys, reverse=True)
        assert len(set(keys)) == 24

    def test_by_count(self) -> None:
        likes = Preferences.in_order(DOMAIN, scoring="count")
        assert [likes.score("cuisine", value) for value in DOMAIN.values("cuisine")] == [3, 2, 1, 0]
        assert sum(acceptable(likes, "dominant", (), option) for option in DOMAIN.options) == 4
        assert sum(acceptable(likes, "peer", (), option) for option in DOMAIN.options) == 23
        five = Preferences.in_order(line_of(5).domain, scoring="count")
        assert accepted(five, "dominant", "c") == ["v0", "v1"]

    def test_of_a_partial_order_follow_its_closure_and_the_first_wins_ties(self) -> None:
        domain = Domain.of({"c": ["e", "d", "a", "b"]})
        likes = Preferences.of(domain, {"c": [("d", "a"), ("e", "d")]})
        assert [likes.score("c", value) for value in "abde"] == [2, 0, 0, -2]
        assert likes.ranked("c") == ("a", "d", "b", "e")
        assert [one[1:] for one in likes.statements("c")] == [
            ("*", "a"),
            ("e", "*"),
            ("d", "a"),
            ("e", "a"),
            ("e", "d"),
        ]

    @given(st.permutations(DOMAIN.values("cuisine")))
    def test_a_reversed_order_changes_the_sign(self, order: list[str]) -> None:
        rest = {name: DOMAIN.values(name) for name in ("price", "place")}
        result = Preferences.of(DOMAIN, {"cuisine": order, **rest})
        back = Preferences.of(DOMAIN, {"cuisine": order[::-1], **rest})
        assert all(result.score("cuisine", value) == -back.score("cuisine", value) for value in order)

    @given(st.permutations(range(5)))
    def test_an_order_by_pairs_is_the_order_by_values(self, places: list[int]) -> None:
        domain = line_of(5).domain
        order = [f"v{place}" for place in places]
        neighbours = [(less, more) for more, less in itertools.pairwise(order)]
        assert Preferences.of(domain, {"c": neighbours}) == Preferences.of(domain, {"c": order})


# How many of n values are acceptable.
ACCEPTABLE = {
    "dominant": dict(zip(range(2, 11), (1, 1, 1, 1, 1, 1, 2, 2, 2), strict=True)),
    "peer": dict(zip(range(2, 11), (1, 1, 2, 2, 3, 3, 4, 4, 5), strict=True)),
}


class TestAcceptance:
    @pytest.mark.parametrize("n", range(2, 11))
    def test_how_many_of_n_values(self, n: int) -> None:
        for relation, numbers in (*ACCEPTABLE.items(), ("submissive", ACCEPTABLE["peer"])):
            assert len(accepted(line_of(n), relation, "c")) == numbers[n]

    def test_the_running_example(self) -> None:
        accepted_options = {relation: [accepted(A, relation, name) for name in DOMAIN.names] for relation in RELATIONS}
        assert accepted_options["dominant"] == [["french"], ["cheap"], ["quiet"]]
        assert (
            accepted_options["peer"] == accepted_options["submissive"] == [["french", "italian"], ["cheap"], ["quiet"]]
        )
        options = {r: sum(acceptable(A, r, (), option) for option in DOMAIN.options) for r in RELATIONS}
        assert options == {"dominant": 1, "peer": 9, "submissive": 9}

    @pytest.mark.parametrize(
        ("factor", "options"),
        [(0, 9), (0.1, 9), (0.2, 9), (0.3, 9), (0.34, 4), (0.5, 4), (0.7, 1), (0.9, 1), (1, 0)],
    )
    def test_factors(self, factor: float, options: int) -> None:
        assert sum(acceptable(A, "dominant", (), one, factor=factor) for one in DOMAIN.options) == options

    def test_a_score_at_the_threshold_is_refused_whatever_the_factor_is_in_binary(self) -> None:
        likes = line_of(101)  # scores 100, 98, …: 0.58 × 100 is 57.99999999999999 in floats
        assert 58 in [likes.score("c", value) for value in likes.domain.values("c")]
        result = accepted(likes, "dominant", "c", factor=0.58)
        assert likes.score("c", result[-1]) == 60

    def test_a_submissive_side_gives_in_where_it_has_objected(self) -> None:
        mexican, option = Value("cuisine", "mexican"), ("mexican", "moderate", "lively")
        values = {Statement("cuisine", "mexican", "french")}
        assert not acceptable(A, "submissive", (), mexican)
        assert acceptable(A, "submissive", values, mexican)
        assert not acceptable(A, "peer", values, mexican)
        assert not acceptable(A, "submissive", {Statement("cuisine", ANY, "mexican")}, mexican)
        assert acceptable(A, "submissive", {Statement("cuisine", ANY, "mexican")}, mexican, objected="either")
        assert not acceptable(A, "submissive", values, option)
        every = values | {Statement("price", "moderate", "cheap"), Statement("place", "lively", ANY)}
        assert acceptable(A, "submissive", every, option)
        assert acceptable(A, "submissive", every, option, option="each")

    def test_options_by_each_value(self) -> None:
        values = [one for one in DOMAIN.options if acceptable(A, "peer", (), one, option="each")]
        assert values == [("french", "cheap", "quiet"), ("italian", "cheap", "quiet")]

    @given(st.integers(2, 12), st.integers(0, 100))
    def test_a_dominant_side_accepts_no_more_than_a_peer(self, n: int, percent: int) -> None:
        likes = line_of(n)
        assert set(accepted(likes, "dominant", "c", factor=percent / 100)) <= set(accepted(likes, "peer", "c"))


S2 = {Statement("price", ANY, "cheap"), Statement("price", "expensive", ANY)}
STATES = [set(), S2, S2 | {Statement("price", "moderate", "cheap")}]

# What the other side says, and the answers in the three states.
REACTIONS = [
    ("cheap moderate", "* cheap", "moderate cheap", "expensive moderate"),
    ("cheap expensive", "expensive *", "expensive cheap", "expensive cheap"),
    ("moderate cheap", "* cheap", "moderate cheap", "expensive cheap"),
    ("moderate expensive", "expensive *", "expensive moderate", "expensive moderate"),
    ("expensive cheap", "* cheap", "expensive cheap", "expensive cheap"),
    ("expensive moderate", "expensive *", "expensive moderate", "expensive moderate"),
    ("* moderate", "moderate cheap", "moderate cheap", "expensive moderate"),
    ("* *", "* cheap", "moderate cheap", "expensive cheap"),
]


class TestStatements:
    @pytest.mark.parametrize(("heard", "answers"), [(heard, answers) for heard, *answers in REACTIONS])
    def test_reactions(self, heard: str, answers: list[str]) -> None:
        results = [reaction(A, state, Statement("price", *heard.split())) for state in STATES]
        assert [" ".join(one[1:]) for one in results] == answers

    def test_literal_repeats(self) -> None:
        heard = Statement("price", "cheap", "moderate")
        assert reaction(A, STATES[2], heard, literal=True)[1:] == ("moderate", "cheap")
        assert reaction(A, STATES[2], heard)[1:] == ("expensive", "moderate")

    def test_interleaved_tells_the_best_first(self) -> None:
        heard = Statement("price", "cheap", "expensive")
        assert reaction(A, (), heard, interleaved=True)[1:] == (ANY, "cheap")
        assert reaction(A, (), heard)[1:] == ("expensive", ANY)

    def test_with_everything_said_the_own_order_is_repeated_and_the_best(self) -> None:
        values = set(A.statements("price"))
        assert next_statement(A, values, "price") is None
        assert reaction(A, values, Statement("price", "cheap", "moderate"))[1:] == ("moderate", "cheap")
        assert reaction(A, values, Statement("price", ANY, "moderate"))[1:] == (ANY, "cheap")
        assert reaction(A, values, Statement("price", ANY, ANY))[1:] == (ANY, "cheap")

    @given(st.data())
    def test_every_reaction_is_sincere(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(DOMAIN.names))
        result = A.statements(name)
        draws = data.draw(st.sets(st.sampled_from(result)))
        less, more = data.draw(st.permutations([*DOMAIN.values(name), ANY]))[:2]
        flags = data.draw(st.tuples(st.booleans(), st.booleans()))
        answer = reaction(A, draws, Statement(name, less, more), literal=flags[0], interleaved=flags[1])
        assert answer in result

    def test_values_that_a_partial_order_leaves_open_get_another_answer(self) -> None:
        likes = Preferences.of(Domain.of({"c": list("abcd")}), {"c": [("b", "a"), ("c", "b")]})
        values = set(likes.statements("c"))
        assert reaction(likes, (), Statement("c", "d", "b"))[1:] == ("b", "a")
        assert reaction(likes, values, Statement("c", "d", "b"))[1:] == (ANY, "a")


class TestSatisfaction:
    def test_the_running_example(self) -> None:
        assert satisfaction(A, ("french", "cheap", "quiet")) == 1
        assert satisfaction(A, ("mexican", "expensive", "lively")) == 0
        assert satisfaction(A, ("italian", "cheap", "quiet")) == pytest.approx((4 + 6) / 12)

    def test_the_best_joint_satisfaction_averages_as_computed_by_hand(self) -> None:
        best = [satisfactions(A, b).sum(axis=1).max() for b in every_order(DOMAIN)]
        assert round(float(np.mean(best)), 3) == 1.590

    @pytest.mark.slow
    def test_the_mean_frontier_supports_every_mix(self) -> None:
        """At every weight the best on the mean frontier is the mean of the best in each game."""
        games = [satisfactions(A, b) for b in every_order(DOMAIN)]
        corners = mean_frontier(games)
        assert (np.diff(corners[:, 0]) > 0).all()
        assert (np.diff(corners[:, 1]) < 0).all()
        for weight in np.linspace(0.01, 0.99, 23):
            mix = np.array([weight, 1 - weight])
            assert (corners @ mix).max() == pytest.approx(np.mean([(game @ mix).max() for game in games]))

    @given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=12))
    def test_of_one_game_corners_are_efficient(self, points: list[tuple[int, int]]) -> None:
        corners = mean_frontier([points])
        assert set(map(tuple, corners.tolist())) <= {
            point for point, best in zip(points, pareto_optimal(points), strict=True) if best
        }
