"""How long simulated favor sessions take: 10,000 as a study in at most 5 s of one core, and how the time grows.

Beside it the time of their measures, in the processors' time too.
"""

from __future__ import annotations

import time

from pytest_benchmark.fixture import BenchmarkFixture

from negstats.metrics import favors
from negstats.simulate.favors import as_study, favor_games_of
from negstats.studies.study import Study
from tests.benchmarks.peers import record_growth

SIZES = (1000, 2500, 5000, 10_000)


def seconds(sessions: int) -> tuple[float, Study]:
    """The processor's time to play sessions and make a study of them, and the study."""
    start = time.process_time()
    study = as_study(favor_games_of("favor-seeking", sessions, seed=1))
    return time.process_time() - start, study


def measured(study: Study) -> float:
    start = time.process_time()
    tables = study.games, study.offers, study.players
    favors.ledger(*tables)
    favors.discovery_rates(*tables, "condition")
    favors.acceptance_by_state(*tables)
    return time.process_time() - start


def test_sessions_by_number(benchmark: BenchmarkFixture) -> None:
    curve = {sessions: seconds(sessions) for sessions in SIZES[:-1]}
    curve[SIZES[-1]] = benchmark.pedantic(seconds, args=(SIZES[-1],))  # type: ignore[no-untyped-call]
    times = {sessions: (played, measured(study)) for sessions, (played, study) in curve.items()}
    benchmark.extra_info["seconds of playing and of measuring, by sessions"] = times
    for what, taken in zip(("played", "measured"), zip(*times.values(), strict=True), strict=True):
        record_growth(SIZES, taken, f"favor sessions, {what}; {SIZES[-1]:,} sessions")
    assert times[SIZES[-1]][0] <= 5
    # Twice the sessions take about twice the time: nothing in it grows faster.
    assert times[10_000][0] <= 3 * times[5000][0]
