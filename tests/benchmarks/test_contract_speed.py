"""How long solving the study's contract game takes from cold, in a process of its own, and how that grows."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any, NamedTuple, cast

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from negstats.games.contract import solve, study_game

# A board like the study's with any number of rows: a gray and a yellow column, a row that joins them at the bottom, and
# a purple bridge below the goals. `hands` multiplies everybody's chips.
CODE = """
import json, sys, time
from tests.benchmarks.peak import peak
start = time.perf_counter()
from negstats.games.contract import Board, Game, solve, study_game
rows, hands = int(sys.argv[1]), int(sys.argv[2])
if rows:
    text = ["g.......y", "gpppppppy", *["g.......y"] * (rows - 3), "gggg.yyyy"]
    names = {"g": "gray", "y": "yellow", "p": "purple"}
    board = Board.parse("\\n".join(text), names, start=(rows - 1, 4), goals=((0, 0), (0, 8)))
    steps = rows + 3
    provider = {"red": 33, "purple": 7}
    game = Game.of(board, {"gray": steps + 3, "yellow": steps + 3}, [provider, provider], goal_points=300)
else:
    game = study_game()
chips = tuple(tuple(hands * count for count in hand) for hand in game.chips)
game = Game(game.board, game.colours, chips, goal_points=game.goal_points)
begin = time.perf_counter()
solution = solve(game, method="commitments")
end = time.perf_counter()
print(json.dumps({
    "import": begin - start, "solve": end - begin,
    "megabytes": peak() / 2**20,
    "value": solution.value(game.start), "offers": [offer.net for offer in solution.offer(game.start)],
}))
"""


class Cold(NamedTuple):
    seconds: float
    solving: float
    megabytes: float
    value: list[float]


def cold(rows: int = 0, hands: int = 1, repeats: int = 3) -> Cold:
    """Solve in a fresh process, several times; keep the fastest. No rows: the study's board."""
    runs = []
    for _ in range(repeats):
        start = time.perf_counter()
        process = subprocess.run(
            [sys.executable, "-c", CODE, str(rows), str(hands)], capture_output=True, text=True, check=True
        )
        printed = json.loads(process.stdout)
        runs.append(Cold(time.perf_counter() - start, printed["solve"], printed["megabytes"], printed["value"]))
    return min(runs)


def test_the_study_from_cold(benchmark: BenchmarkFixture) -> None:
    run: Cold = cast("Any", benchmark).pedantic(cold, rounds=1)
    benchmark.extra_info["process, seconds"] = run.seconds
    benchmark.extra_info["solving, seconds"] = run.solving
    benchmark.extra_info["peak, megabytes"] = run.megabytes
    print(f"process {run.seconds:.3f} s, solving {run.solving:.4f} s, peak {run.megabytes:.0f} MB")
    assert run.value == [370, 205, 200]
    assert run.seconds <= 10
    assert run.megabytes <= 1000


@pytest.mark.parametrize(
    ("what", "runs"),
    [("chips", [(0, hands) for hands in (1, 2, 4, 8, 16)]), ("rows", [(rows, 1) for rows in (6, 9, 12, 18, 24)])],
)
def test_how_solving_grows(benchmark: BenchmarkFixture, what: str, runs: list[tuple[int, int]]) -> None:
    curve = cast("Any", benchmark).pedantic(lambda: [cold(*run) for run in runs], rounds=1)
    for (rows, hands), run in zip(runs, curve, strict=True):
        point = f"{rows} rows" if what == "rows" else f"{hands} times the chips"
        benchmark.extra_info[point] = {"solving, seconds": run.solving, "peak, megabytes": run.megabytes}
        print(f"{point}: solving {run.solving:.4f} s, peak {run.megabytes:.0f} MB")
    # Nothing near the number of hands, which grows with a power of the chips as high as there are colours.
    growth = max(runs[-1]) / max(runs[0])
    assert curve[-1].solving <= 0.5 + curve[0].solving * growth**3
    assert curve[-1].megabytes <= 1000


def test_answers_after_solving(benchmark: BenchmarkFixture) -> None:
    game = study_game()
    solution = solve(game)
    offers = solution.offer(game.start)

    def answers() -> None:
        deal = solution.response(game.start, solution.offer(game.start))
        solution.path(game.accept(game.start, deal))

    answers()
    assert len(offers) == 2
    benchmark(answers)
    start = time.perf_counter()
    for _ in range(1000):
        answers()
    each = (time.perf_counter() - start) / 1000
    benchmark.extra_info["offers, answer and path, seconds"] = each
    assert each <= 1e-3
