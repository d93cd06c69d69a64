"""Who gets more in the domain of 10^10 contracts: `python -m tests.games.rulesheet.contest --games 200 --seconds 1`.

Each cell plays pairs of games: worths from one seed, and each player once in either seat. The pair is the unit of the
95 % intervals (t), so that the advantage of a seat cancels. Time is of the processor, for each move of a search; a
negotiator that follows a schedule needs none. `--cells uct/negotiator,monte_carlo/negotiator` plays some cells only.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
from scipy import stats

from negstats.games.rulesheet import ground, parse, play, sheet
from negstats.simulate.rulesheet.offers import meaning_of
from negstats.simulate.rulesheet.seats import Prepared, player

CELLS = (
    ("uct", "negotiator"),
    ("uct", "negotiator:0.3"),
    ("uct", "negotiator:3"),
    ("uct", "hidden"),
    ("uct", "flat"),
    ("uct", "uct"),
    ("flat", "negotiator"),
    ("flat", "negotiator:0.3"),
    ("flat", "negotiator:3"),
    ("flat", "hidden"),
    ("negotiator", "negotiator"),
    ("negotiator", "negotiator:0.3"),
    ("negotiator", "negotiator:3"),
    ("negotiator", "hidden"),
    ("uct", "monte_carlo"),
    ("negotiator", "monte_carlo"),
)
SEARCH = {"uct": "bids", "flat": "flat_bids", "monte_carlo": "monte_carlo"}  # kinds that take seconds


@dataclass(frozen=True, slots=True)
class Cell:
    """What one player got against another: means with half the width of their intervals."""

    player: str
    opponent: str
    games: int
    seconds: float
    points: float
    points_half: float
    difference: float
    difference_half: float
    agreements: float
    cpu_per_game: float

    def row(self) -> str:
        """Return the cell as a row of a table."""
        return (
            f"| {self.player} | {self.opponent} | {self.games} | {self.seconds:g} | {self.points:.1f} ± "
            f"{self.points_half:.1f} | {self.difference:+.1f} ± {self.difference_half:.1f} | {self.agreements:.2f} | "
            f"{self.cpu_per_game:.1f} |"
        )


HEAD = (
    "| player | opponent | games | seconds a move | points | more than the opponent | agreements | CPU s a game |\n"
    "|---|---|---|---|---|---|---|---|"
)


@cache
def scenario(seed: int) -> Prepared:
    """Return the domain with the worths of a seed."""
    rules = parse(sheet.large_domain(seed=seed), name="large domain")
    game = ground(rules)
    return Prepared(rules, game, meaning_of(rules, game))


def play_cell(one: str, other: str, *, games: int, seconds: float) -> Cell:
    """Play pairs of games; `games` is rounded up to an even number."""
    pairs = -(-games // 2)
    points, agreements, begin = np.zeros((pairs, 2, 2)), 0, time.process_time()
    for pair in range(pairs):
        ready = scenario(pair + 1)
        for seat in (0, 1):
            rng = np.random.default_rng([pair, seat])
            roles = ready.rules.roles if seat == 0 else ready.rules.roles[::-1]
            names = dict(zip(roles, (full_name(one, seconds), full_name(other, seconds)), strict=True))
            players = {role: player(ready, role, name, rng) for role, name in names.items()}
            session = play(ready.game, players, rng=rng)
            payoffs = session.payoffs or {}
            points[pair, seat] = [payoffs[role] for role in roles]
            agreements += any("accept" in step.moves.values() for step in session.steps)
    units = points.mean(axis=1)
    (mine, mine_half), (more, more_half) = interval(units[:, 0]), interval(units[:, 0] - units[:, 1])
    cpu = (time.process_time() - begin) / (2 * pairs)
    return Cell(one, other, 2 * pairs, seconds, mine, mine_half, more, more_half, agreements / (2 * pairs), cpu)


def full_name(kind: str, seconds: float) -> str:
    return f"{SEARCH[kind]}:{seconds:g}s" if kind in SEARCH else kind


def interval(units: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, float]:
    """Return a mean and half the width of its 95 % interval."""
    half = stats.t.ppf(0.975, len(units) - 1) * units.std(ddof=1) / np.sqrt(len(units))
    return float(units.mean()), float(half)


def contest(cells: Iterator[tuple[str, str]], games: int, seconds: float) -> Iterator[Cell]:
    """Yield the cells of the table."""
    for one, other in cells:
        yield play_cell(one, other, games=games, seconds=seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--cells", default=",".join("/".join(cell) for cell in CELLS), help="ONE/OTHER, by commas")
    parser.add_argument("--out", type=Path, help="a JSON Lines file to add the cells to")
    options = parser.parse_args()
    print(HEAD, flush=True)
    cells = (tuple(cell.split("/")) for cell in options.cells.split(","))
    for cell in contest(((one, other) for one, other in cells), options.games, options.seconds):
        print(cell.row(), flush=True)
        if options.out is not None:
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(cell)) + "\n")


if __name__ == "__main__":
    main()
