"""How long the 2,592 talks of all profiles take, against the tests' short version, and how the time grows.

What counts is the processor's time of this process. Growth: with the number of talks, and with the size of the domain,
whose options are all combinations of values.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from negstats.games.dominance import RELATIONS, Domain, Preferences, every_order, restaurants
from negstats.simulate.dominance import as_study, every_profile, talks_of
from tests.benchmarks.peers import record_growth, record_ratio
from tests.simulate.dominance.short import Speaker, conversation

PAIRS = [(a, b) for a in RELATIONS for b in RELATIONS]


def seconds(call: Callable[[], object]) -> float:
    """The processor's time of one call."""
    before = time.process_time()
    call()
    return time.process_time() - before


def all_profiles() -> None:
    played = [one for a, b in PAIRS for one in every_profile(a, b)]
    assert len(as_study(played).games) == 2592


def all_profiles_short() -> None:
    domain = restaurants()
    order = {name: list(values) for name, values in domain.criteria}
    orders = [{name: list(b.ranked(name)) for name in domain.names} for b in every_order(domain)]
    talks = [conversation(Speaker(a, order), Speaker(b, other)) for a, b in PAIRS for other in orders]
    assert len(talks) == 2592


def test_every_profile(benchmark: BenchmarkFixture) -> None:
    """At most 3 s, tables included, and at most four times as long as the short version takes for the talks alone."""
    work = benchmark.pedantic(seconds, args=(all_profiles,))  # type: ignore[no-untyped-call]
    short = seconds(all_profiles_short)
    benchmark.extra_info["seconds, and of the short version"] = (work, short)
    assert work <= 3
    name = "talks of dominance, all profiles, with their tables; 2,592 talks"
    assert record_ratio(work, short, name, "the tests' short version, without tables") <= 4


@pytest.mark.parametrize("pair", [("dominant", "submissive"), ("peer", "peer")], ids="-".join)
def test_by_number_of_talks(benchmark: BenchmarkFixture, pair: tuple[str, str]) -> None:
    sizes = (648, 1296, 2592, 5184)
    curve = {n: seconds(lambda n=n: as_study(talks_of(*pair, talks=n, seed=1))) for n in sizes[:-1]}  # type: ignore[misc]
    last = sizes[-1]
    curve[last] = benchmark.pedantic(seconds, args=(lambda: as_study(talks_of(*pair, talks=last, seed=1)),))  # type: ignore[no-untyped-call]
    benchmark.extra_info["seconds by talks"] = curve
    record_growth(list(curve), list(curve.values()), f"talks of dominance, {' and '.join(pair)}; {last:,} talks")
    assert curve[last] / curve[sizes[1]] <= 1.5 * last / sizes[1]  # the first fits the caches


def test_by_size_of_the_domain(benchmark: BenchmarkFixture) -> None:
    """An option more costs an agent a score more: the time grows no faster than the options."""

    def play(values: int) -> float:
        domain = Domain.of({f"c{place}": [f"v{value}" for value in range(values)] for place in range(3)})
        likes = Preferences.in_order(domain)
        assert len(likes.ranked_options) == values**3
        return seconds(lambda: talks_of("peer", "dominant", talks=100, seed=1, domain=domain))

    curve = {values**3: play(values) for values in (2, 4, 8)}
    curve[16**3] = benchmark.pedantic(play, args=(16,))  # type: ignore[no-untyped-call]
    benchmark.extra_info["seconds of 100 talks by options"] = curve
    record_growth(list(curve), list(curve.values()), f"100 talks of dominance by options; {16**3:,} options")
    assert curve[16**3] / curve[4**3] <= 1.5 * (16 / 4) ** 3
