"""Worked example, properties, edges and size of the tests of time."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from negstats.stats import SurvivalData, cox, cumulative_incidence, gray, kaplan_meier, log_rank
from negstats.stats.time.gray import Stratum
from tests.conftest import runs

# The example of a definition that was checked by R and by a second program.
WORDS = ["timeout", "agreement", "walkaway"]
GAMES = pd.DataFrame(
    {
        "rounds": [3, 5, 5, 6, 8, 9, 11, 12, 12, 14, 15, 16, 18, 20, 20, 22, 24, 25, 26, 28],
        "ended": [WORDS[end] for end in [1, 1, 2, 1, 0, 2, 1, 1, 2, 0, 1, 2, 1, 1, 0, 2, 1, 0, 1, 0]],
        "agent": ["A", "B"] * 10,
        "game": np.arange(20) // 2,
        "row": np.arange(20),
    }
)
ENDS = ("rounds", "ended", "agreement", "timeout")


def rel(value: Any, tolerance: float = 1e-9) -> Any:
    return pytest.approx(value, rel=tolerance, abs=1e-12)


class TestWorkedExample:
    def test_kaplan_meier_of_the_cause(self) -> None:
        result = kaplan_meier(GAMES, "rounds", "ended", "agreement", ["timeout", "walkaway"])
        at = result.at(12)
        assert (at.estimate[0], at.confidence_interval().low[0]) == (rel(0.7260504201681), rel(0.4585704135))  # type: ignore[index]
        assert result.at(20).estimate[0] == rel(0.4900840336134)
        assert result.median().iloc[0, 1:].tolist() == [
            20,
            12,
            pytest.approx(np.nan, nan_ok=True),
        ]

    def test_log_rank_of_one_end_and_of_any(self) -> None:
        one = log_rank(GAMES, *ENDS, by="agent")
        assert (one.observed[1], one.expected[1]) == (4, rel(5.16561766407))
        assert (one.covariance[1, 1], one.statistic) == (rel(2.491861096564), rel(0.545240880667))
        every = log_rank(GAMES, "rounds", "ended", ["agreement", "walkaway"], "timeout", by="agent")
        assert (every.expected[1], every.statistic) == (rel(7.91928388089), rel(0.23112613534))

    def test_cumulative_incidence(self) -> None:
        result = cumulative_incidence(GAMES, *ENDS)
        for time, agreed, walked in [
            (10, 0.15, 0.103333333333),
            (20, 0.432666666667, 0.215333333333),
            (28, 0.608666666667, 0.285733333333),
        ]:
            assert result.at(time).estimate[0] == rel(agreed)
            assert result.at(time, "walkaway").estimate[0] == rel(walked)
        assert (result.at(20).se[0], result.at(28).se[0]) == (rel(0.1163601370), rel(0.1272946596))

    def test_grays_test(self) -> None:
        agreed = gray(GAMES, *ENDS, by="agent")
        assert (agreed.statistic, agreed.p) == (rel(0.559220998414), rel(0.4545742845))
        assert (agreed.score[0], agreed.covariance[0, 0]) == (rel(1.185847326309), rel(2.514629967945))
        walked = gray(GAMES, "rounds", "ended", "walkaway", "timeout", by="agent")
        assert (walked.statistic, walked.p) == (rel(0.070536440319), rel(0.7905573193))

    def test_cox(self) -> None:
        one = cox(GAMES, "agent", *ENDS)
        assert (one.estimate[0], one.se[0]) == (rel(-0.4727607, 1e-6), rel(0.6461866, 1e-6))
        assert (one.null_log_likelihood, one.log_likelihood) == (rel(-22.38476960926), rel(-22.11106000601))
        every = cox(GAMES, "agent", "rounds", "ended", ["agreement", "walkaway"], "timeout", cluster="game")
        assert (every.log_likelihood, every.se[0]) == (rel(-34.1604165426), rel(0.2563201192))


class TestProperties:
    drawn = st.lists(
        st.tuples(st.integers(1, 8), st.integers(0, 2), st.integers(0, 2), st.integers(0, 5)), min_size=8, max_size=40
    )

    @staticmethod
    def frame(rows: list[tuple[int, int, int, int]]) -> pd.DataFrame | None:
        frame = pd.DataFrame(rows, columns=["rounds", "end", "agent", "game"])
        frame["ended"] = [WORDS[end] for end in frame["end"]]
        frame["row"] = np.arange(len(frame))
        return frame if frame["agent"].nunique() > 1 and (frame["end"] == 1).any() else None

    @pytest.mark.slow
    @given(drawn)
    @settings(max_examples=30)
    def test_shares_of_all_ends_and_of_what_is_left_sum_to_one(self, rows: list[tuple[int, int, int, int]]) -> None:
        frame = self.frame(rows)
        if frame is None:
            return
        result = cumulative_incidence(frame, *ENDS, by="agent")
        left = kaplan_meier(frame.assign(over=frame["end"] > 0), "rounds", "over", by="agent")
        np.testing.assert_allclose(result.share.sum(axis=0) + left.share, 1, atol=1e-12)

    @given(drawn)
    def test_influence_is_the_derivative(self, rows: list[tuple[int, int, int, int]]) -> None:
        frame = self.frame(rows)
        if frame is None:
            return
        n = SurvivalData.of(frame, *ENDS, by="agent").n[0]
        moved = Stratum.of(n, 0.0).moved(n)
        h = 1e-5
        for place in np.argwhere(n > 0)[:6]:
            up, down = n.copy(), n.copy()
            up[tuple(place)] += h
            down[tuple(place)] -= h
            slope = (Stratum.of(up, 0.0).score - Stratum.of(down, 0.0).score) / (2 * h)
            np.testing.assert_allclose(moved[tuple(place)], slope, atol=1e-6)

    def test_rows_counted_twice_are_clusters_of_two(self) -> None:
        twice = pd.concat([GAMES, GAMES], ignore_index=True)
        first, second = (gray(frame, *ENDS, by="agent", cluster="row").statistic for frame in (GAMES, twice))
        assert second == rel(first, 1e-6)
        once, both = (cumulative_incidence(frame, *ENDS, cluster="row").se for frame in (GAMES, twice))
        np.testing.assert_allclose(both, once, atol=1e-9)

    def test_two_groups_as_a_pair_are_the_test(self) -> None:
        three = GAMES.assign(agent=["A", "B", "C", "B"] * 5)
        frame = gray(three, *ENDS, by="agent").pairwise("none").to_frame()
        pair = gray(three[three["agent"] != "C"], *ENDS, by="agent")
        assert (frame["first"][0], frame["second"][0]) == ("A", "B")
        assert frame.loc[0, "statistic"] == rel(pair.statistic)
        shares = cumulative_incidence(pair.ends)
        gap = shares.at(float(shares.last.min())).difference()
        assert frame.loc[0, "value"] == rel(gap.estimate)
        frame = log_rank(three, *ENDS, by="agent", cluster="game").pairwise().to_frame()
        pair = log_rank(three[three["agent"] != "B"], *ENDS, by="agent", cluster="game")  # type: ignore[assignment]
        assert frame.loc[1, "statistic"] == rel(pair.statistic)
        of_times = kaplan_meier(pair.ends.one_cause).restricted_mean().difference()
        ends = of_times.confidence_interval()
        printed = [frame.loc[1, name] for name in ("value", "low", "high")]
        assert printed == [rel(x) for x in (of_times.estimate, ends.low, ends.high)]

    @pytest.mark.slow
    def test_whole_clusters_are_permuted_as_their_f_says(self) -> None:
        """Of all ways to give five of ten clusters to a group, as many are as far apart as p of F says."""
        rng = np.random.default_rng(6)
        who = np.repeat(np.arange(10), 3)
        t = rng.exponential(np.exp(rng.normal(size=10))[who])

        def test_of(chosen: tuple[int, ...]) -> Any:
            return log_rank(
                {"t": t, "e": np.ones(30), "g": np.isin(who, chosen), "who": who}, "t", "e", by="g", cluster="who"
            )

        every = [test_of(chosen).statistic for chosen in itertools.combinations(range(10), 5)]
        for chosen in ((0, 1, 2, 3, 4), (0, 3, 5, 8, 9)):
            result = test_of(chosen)
            assert np.mean(np.array(every) >= result.statistic - 1e-9) == pytest.approx(result.p, abs=0.03)
        # A cluster over both groups: chi-squared of the robust score.
        over = log_rank({"t": t, "e": np.ones(30), "g": np.arange(30) % 2, "who": who}, "t", "e", by="g", cluster="who")
        assert np.isinf(over.df2)
        assert "χ²" in over.apa()
        three = log_rank(
            {"t": t, "e": np.ones(30), "g": who % 3, "who": who}, "t", "e", by="g", cluster="who"
        ).pairwise()
        assert three.df.tolist() == [5.0, 5.0, 4.0]
        assert three.apa().count("F(1, 5)") == 2

    def test_unlike_clusters_are_not_permuted(self) -> None:
        rng = np.random.default_rng(7)
        for sizes, permuted in (((4, 4), True), ((4, 5), True), ((4, 6), False), ((1, 3), False)):
            who = np.repeat(np.arange(12), np.repeat(sizes, 6))
            data = {"t": rng.exponential(size=len(who)), "e": np.ones(len(who)), "g": who >= 6, "who": who}
            result = log_rank(data, "t", "e", by="g", cluster="who")
            assert (result.df2 == 10) == permuted == ("F(1, 10)" in result.apa())
            assert np.isfinite(result.df2) == permuted

    def test_the_restricted_mean_without_censoring_is_the_mean(self) -> None:
        times = np.array([1.0, 4.0, 2.5, 8.0, 6.0])
        mean = kaplan_meier({"t": times, "e": np.ones(5, dtype=bool)}, "t", "e").restricted_mean(8.0)
        assert mean.estimate[0] == rel(times.mean())
        assert mean.se[0] == rel(times.std() / np.sqrt(5))

    def test_late_differences_weigh_more_with_gamma(self) -> None:
        rng = np.random.default_rng(4)
        late = np.minimum(rng.exponential(10, 200), 30)
        group = np.arange(200) % 2
        slow = np.where((late > 12) & (group == 1), 12 + (late - 12) * 2.5, late)
        data = {"t": slow, "e": late < 30, "g": group}
        statistics = {(rho, gamma): log_rank(data, "t", "e", by="g", rho=rho, gamma=gamma).statistic
                      for rho, gamma in [(0, 0), (1, 0), (0, 1)]}  # fmt: skip
        assert statistics[0, 1] > statistics[0, 0] > statistics[1, 0]


class TestEdges:
    def test_missing_rows_are_counted(self) -> None:
        some = GAMES.assign(
            rounds=GAMES["rounds"].where(GAMES["row"] != 4), agent=GAMES["agent"].where(GAMES["row"] != 7)
        )
        assert log_rank(some, *ENDS, by="agent").missing == 2
        assert cox(some, "agent", *ENDS).missing == 2

    def test_a_group_without_the_event(self) -> None:
        never = GAMES[(GAMES["agent"] == "A") | (GAMES["ended"] != "agreement")]
        assert gray(never, *ENDS, by="agent").p < 0.05
        assert cumulative_incidence(never, *ENDS, by="agent").at(20).estimate[1] == 0

    def test_curves_start_at_one(self) -> None:
        result = kaplan_meier(GAMES, "rounds", "ended", ["agreement", "walkaway"], "timeout", by="agent")
        assert result.at(0).estimate.tolist() == [1, 1]

    def test_numbers_at_risk_count_who_has_not_ended_before(self) -> None:
        table = cumulative_incidence(GAMES, *ENDS, by="agent").numbers_at_risk([0, 5, 20, 28, 29])
        assert table.to_numpy()[0].tolist() == [10, 9, 3, 0, 0]
        assert table.to_numpy()[1].tolist() == [10, 10, 4, 1, 0]

    def test_sentences(self) -> None:
        assert gray(GAMES, *ENDS, by="agent", cluster="game").apa() == "Gray's χ²(1) = 0.74, p = .390 (10 clusters)"
        assert "5 other ends censored" in log_rank(GAMES, *ENDS, by="agent").apa()


def _studies(clusters: int, n_simulations: int, *, between: bool) -> dict[str, float]:
    """Return how often each test rejects at 5 % where groups do not differ and games of a person are alike."""
    rng = np.random.default_rng(12)
    rejected: dict[str, list[bool]] = {}
    for _ in range(n_simulations):
        person = np.repeat(np.arange(clusters), 4)
        agent = (person if between else np.arange(len(person))) % 2
        frailty = np.repeat(rng.normal(0, 1, clusters), 4)
        t = np.ceil(rng.exponential(6 * np.exp(-frailty)))
        end = np.where(t > 20, "late", np.where(rng.random(len(t)) < 0.6, "deal", "walk"))
        data = {"t": np.minimum(t, 20), "e": end, "g": agent, "who": person}
        for test in (log_rank, gray):
            for cluster in (None, "who"):
                name = f"{test.__name__}{' by person' if cluster else ''}"
                result = test(data, "t", "e", "deal", "late", by="g", cluster=cluster)
                rejected.setdefault(name, []).append(result.p < 0.05)
    return {name: float(np.mean(values)) for name, values in rejected.items()}


@pytest.mark.calibration
@pytest.mark.parametrize("clusters", [12, 30])
def test_clustered_tests_keep_their_level(clusters: int) -> None:
    # a person's games are alike: as if rows were independent, a factor between persons is found too often
    studies = runs(20_000, 60)
    rates = _studies(clusters, studies, between=True)
    error = 3 * np.sqrt(0.05 * 0.95 / studies)
    assert rates["log_rank by person"] < 0.055 + error, rates
    assert rates["gray by person"] < 0.075 + error, rates
    assert rates["log_rank"] > 0.08 - error, rates


def test_ends_may_be_coded_by_numbers() -> None:
    coded = GAMES.assign(ended=GAMES["ended"].map({word: code for code, word in enumerate(WORDS)}))
    words = gray(GAMES, *ENDS, by="agent")
    for event, censored in ((1, 0), (np.int64(1), [0])):
        assert gray(coded, "rounds", "ended", event, censored, by="agent").statistic == words.statistic


def test_the_statistic_is_the_one_that_is_printed() -> None:
    rng = np.random.default_rng(2)
    games = {
        "t": rng.exponential(size=60),
        "ended": rng.random(60) < 0.8,
        "g": list("abc") * 20,
        "u": np.arange(60) // 3,
    }
    test = cox(games, "g", "t", "ended").test("g")
    assert f"χ²(2) = {2 * test.statistic:.2f}" in test.apa()
    clustered = cox(games, "g", "t", "ended", cluster="u").test("g")
    assert f"F(2, 18) = {clustered.statistic:.2f}" in clustered.apa()


def test_a_number_is_tested_at_the_mean_of_the_other() -> None:
    rng = np.random.default_rng(3)
    z = 2 + rng.normal(size=80)
    games = {"t": rng.exponential(size=80), "ended": rng.random(80) < 0.8, "x": rng.normal(size=80), "z": z}
    one, other = (cox(each, "x * z", "t", "ended") for each in (games, games | {"z": z - z.mean()}))
    assert one.test("x").statistic == pytest.approx(other.test("x").statistic, rel=1e-8)
    assert one.test("x").statistic == pytest.approx(other.statistic[0] ** 2, rel=1e-8)
