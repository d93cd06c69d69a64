"""Who gets more in the domain of 10^10 contracts: `python -m tests.games.rulesheet.contest --games 200 --seconds 1`.

Each cell plays pairs of games: worths from one seed, and each player once in either seat. The pair is the unit of the
95 % intervals (t), so that the advantage of a seat cancels. Time is of the processor, for each move of a search; a
negotiator that follows a schedule needs none. `--cells uct/negotiator,monte_carlo/negotiator` plays some cells only.
`--out pairs.jsonl` keeps each pair of games, and another run with the same file goes on where it stopped. Players who
met the same opponent are compared at the end, pair by pair.
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from scipy import stats

from negstats.games.rulesheet import ground, parse, play, sheet
from negstats.simulate.rulesheet.seats import Prepared, meaning_of, player

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


Records = dict[tuple[str, str, float, int], dict[str, float]]  # player, opponent, seconds, pair


def play_pair(one: str, other: str, *, pair: int, seconds: float) -> dict[str, float]:
    """Play the worths of a pair from both seats; return the means of both players."""
    ready, begin = scenario(pair + 1), time.process_time()
    points, agreements = np.zeros((2, 2)), 0
    for seat in (0, 1):
        rng = np.random.default_rng([pair, seat])
        roles = ready.rules.roles if seat == 0 else ready.rules.roles[::-1]
        names = dict(zip(roles, (full_name(one, seconds), full_name(other, seconds)), strict=True))
        players = {role: player(ready, role, name, rng) for role, name in names.items()}
        session = play(ready.game, players, rng=rng)
        payoffs = session.payoffs or {}
        points[seat] = [payoffs[role] for role in roles]
        agreements += any("accept" in step.moves.values() for step in session.steps)
    mine, theirs = points.mean(axis=0).tolist()
    cpu = (time.process_time() - begin) / 2
    return {"points": mine, "opponent_points": theirs, "agreements": agreements / 2, "cpu": cpu}


def play_cell(
    one: str, other: str, *, games: int, seconds: float, records: Records | None = None, out: Path | None = None
) -> Cell:
    """Play the pairs of games that are not among the records; `games` is rounded up to an even number."""
    records, pairs = {} if records is None else records, -(-games // 2)
    for pair in range(pairs):
        key = (one, other, seconds, pair)
        if key not in records:
            records[key] = play_pair(one, other, pair=pair, seconds=seconds)
            if out is not None:
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([*key, records[key]]) + "\n")
    units = [records[one, other, seconds, pair] for pair in range(pairs)]
    points, theirs, agreements, cpu = (
        np.array([unit[name] for unit in units]) for name in ("points", "opponent_points", "agreements", "cpu")
    )
    (mine, mine_half), (more, more_half) = interval(points), interval(points - theirs)
    share, seconds_a_game = float(agreements.mean()), float(cpu.mean())
    return Cell(one, other, 2 * pairs, seconds, mine, mine_half, more, more_half, share, seconds_a_game)


def compare_players(records: Records, games: int, seconds: float) -> list[str]:
    """Return rows of a table: what one player got more than another against the same opponent, pair by pair."""
    pairs, rows = range(-(-games // 2)), []
    opponents: dict[str, list[str]] = {other: [] for _, other, of, _ in records if of == seconds}
    for one, other in dict.fromkeys((one, other) for one, other, of, _ in records if of == seconds):
        opponents[other].append(one)
    for other, players in opponents.items():
        for first, second in combinations(players, 2):
            if all((one, other, seconds, pair) in records for one in (first, second) for pair in pairs):
                points = [
                    np.array([records[one, other, seconds, pair]["points"] for pair in pairs])
                    for one in (first, second)
                ]
                more, half = interval(points[0] - points[1])
                rows.append(f"| {first} | {second} | {other} | {2 * len(pairs)} | {more:+.1f} ± {half:.1f} |")
    return rows


def full_name(kind: str, seconds: float) -> str:
    return f"{SEARCH[kind]}:{seconds:g}s" if kind in SEARCH else kind


def interval(units: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> tuple[float, float]:
    """Return a mean and half the width of its 95 % interval."""
    half = stats.t.ppf(0.975, len(units) - 1) * units.std(ddof=1) / np.sqrt(len(units))
    return float(units.mean()), float(half)


def read_records(file: Path) -> Records:
    """Return the pairs that were played before."""
    if not file.exists():
        return {}
    lines = (json.loads(line) for line in file.read_text(encoding="utf-8").splitlines())
    return {(one, other, seconds, pair): record for one, other, seconds, pair, record in lines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--cells", default=",".join("/".join(cell) for cell in CELLS), help="ONE/OTHER, by commas")
    parser.add_argument("--out", type=Path, help="a JSON Lines file of pairs: read first, and added to")
    options = parser.parse_args()
    records: Records = {} if options.out is None else read_records(options.out)
    print(HEAD, flush=True)
    for name in options.cells.split(","):
        one, other = name.split("/")
        cell = play_cell(one, other, games=options.games, seconds=options.seconds, records=records, out=options.out)
        print(cell.row(), flush=True)
    rows = compare_players(records, options.games, options.seconds)
    print("\n| player | other player | opponent | games | more points |\n|---|---|---|---|---|", *rows, sep="\n")


if __name__ == "__main__":
    main()
