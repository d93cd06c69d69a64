"""How long logs take to load, in the processors' time, each against the fastest sensible way to parse the same file.

The tables of a study hold some thirty columns where the peer has a few; what is bounded is how many times longer that
takes, how that grows, and how much memory a row needs, which a process of its own tells.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import orjson
import polars as pl
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

import negstats
from negstats.loaders.mapping import read, read_mapping
from negstats.simulate.log import write_events
from tests.benchmarks.peers import growth, record_growth, record_memory, record_ratio
from tests.conftest import DataFolder

MAPPING = """
row = "offer"
games.game_id = "game"
factors.condition = "condition"
players = { player = "who", role = "who" }
offers = { round = "round", time_s = "seconds", units_to_proposer = "keep", total = 100, response = "answer" }
levels.response = { accepted = ["accepted"], rejected = ["rejected"], superseded = ["countered"] }
"""
PEAK = """
import sys
from pathlib import Path
import negstats
from negstats.loaders.mapping import read, read_mapping
from tests.benchmarks.peak import peak
def load(log):
    return read(log, read_mapping(sys.argv[3])) if len(sys.argv) > 3 else negstats.load(log)
load(sys.argv[1])
before = peak()
study = load(sys.argv[2])
print(peak() - before)
"""


IN_PIECES = (
    PEAK.split("def load")[0]
    + """
from negstats.loaders import load_to
def load(log):
    return load_to(log, sys.argv[3], stream=True, mapping=sys.argv[4] if len(sys.argv) > 4 else None)
load(sys.argv[1])
before = peak()
load(sys.argv[2])
print(peak() - before)
"""
)


def written(file: Path, rows: int, per_game: int = 10) -> Path:
    """A log of offers as CSV or JSON Lines."""
    rng = np.random.default_rng(1)
    row = np.arange(rows)
    game, turn = row // per_game, row % per_game
    frame = pl.DataFrame(
        {
            "game": pl.Series([f"g{one}" for one in game.tolist()]),
            "round": turn + 1,
            "who": np.where(turn % 2, "seller", "buyer"),
            "keep": rng.integers(0, 101, rows),
            "seconds": rng.random(rows).round(2),
            "answer": np.where(
                turn < per_game - 1, "countered", np.where(rng.random(rows) < 0.7, "accepted", "rejected")
            ),
            "condition": np.where(game % 2, "framed", "control"),
        }
    )
    if file.suffix == ".csv":
        frame.write_csv(file)
    else:
        frame.write_ndjson(file)
    return file


def seconds(function: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    function()
    return time.process_time() - start


def compared(ours: Callable[[], object], peer: Callable[[], object], rounds: int = 5) -> tuple[float, float]:
    """Return the shortest time of each, taking turns."""
    times = [(seconds(ours), seconds(peer)) for _ in range(rounds)]
    first, second = (min(side) for side in zip(*times, strict=True))
    return first, second


def peak(small: Path, large: Path, *mapping: Path) -> int:
    """Return by how many bytes loading raises the peak of a process of its own that has loaded a small log."""
    arguments = [sys.executable, "-c", PEAK, str(small), str(large), *map(str, mapping)]
    return int(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    file = tmp_path / "mapping.toml"
    file.write_text(MAPPING)
    return file


def polars(file: Path) -> object:
    return pl.read_csv(file).group_by("game").agg(pl.col("keep").mean(), pl.len())


def loop(file: Path) -> object:
    with file.open("rb") as lines:
        return [orjson.loads(line) for line in lines]


def test_a_table_as_csv(benchmark: BenchmarkFixture, tmp_path: Path, mapping: Path) -> None:
    result, sizes = read_mapping(mapping), (100_000, 1_000_000)
    curve = {}
    for rows in sizes:
        file = written(tmp_path / f"log{rows}.csv", rows)
        curve[rows] = compared(lambda file=file: read(file, result), lambda file=file: polars(file))  # type: ignore[misc]
    ours, bare = curve[sizes[-1]]
    name = f"CSV by a mapping; {sizes[-1]:,} rows"
    exponent = record_growth(sizes, [curve[rows][0] for rows in sizes], name)
    needed = peak(written(tmp_path / "small.csv", 1000), file, mapping) / sizes[-1]
    benchmark.extra_info |= {"ratio to polars": ours / bare, "exponent": exponent, "bytes a row": needed}
    cast("Any", benchmark).pedantic(lambda: read(file, result), rounds=1)
    record_memory(needed, name)
    assert record_ratio(ours, bare, name, "polars, with an aggregate") <= 4
    assert exponent <= 1.05
    assert needed <= 400


def test_a_table_as_json_lines(benchmark: BenchmarkFixture, tmp_path: Path, mapping: Path) -> None:
    result, rows = read_mapping(mapping), 1_000_000
    file = written(tmp_path / "log.jsonl", rows)
    ours, bare = compared(lambda: read(file, result), lambda: loop(file), rounds=3)
    columns = min(seconds(lambda: pl.read_ndjson(file)) for _ in range(3))
    needed = peak(written(tmp_path / "small.jsonl", 1000), file, mapping) / rows
    benchmark.extra_info |= {"ratio to orjson": ours / bare, "ratio to polars": ours / columns, "bytes a line": needed}
    cast("Any", benchmark).pedantic(lambda: read(file, result), rounds=1)
    name = f"JSON Lines by a mapping; {rows:,} rows"
    record_memory(needed, name)
    assert record_ratio(ours, bare, name, "orjson, line by line") <= 3
    assert record_ratio(ours, columns, name, "polars") <= 4
    assert needed <= 600


def contract_events(games: int) -> list[dict[str, Any]]:
    """The events of contract games: three seats, five rounds with two offers and a move each."""
    rng = np.random.default_rng(3)
    values: list[dict[str, Any]] = []
    for one in range(games):
        name = f"game-{one}"
        seats = [{"player": "CS", "role": "customer", "participant": f"p{one}"}]
        seats += [{"player": f"SP{at}", "role": "provider", "agent": "SP-A"} for at in (1, 2)]
        values.append({"event": "game", "game": name, "players": seats, "factors": {"country": "US"}, "chip_points": 5})
        for turn in range(1, 6):
            for provider in ("SP1", "SP2"):
                red, gray = map(int, rng.integers(1, 9, 2))
                chips = {"asks": {"red": red, "purple": 2}, "gives": {"gray": gray}, "response": "rejected"}
                values.append({"event": "offer", "game": name, "from": "CS", "to": provider, "round": turn, **chips})
            values.append({"event": "move", "game": name, "player": "CS", "square": [6 - turn, 4], "paid": "gray"})
        values.append({"event": "end", "game": name, "ended": "dormant", "points": {"CS": 115}, "reached_goal": []})
    return values


def test_a_contract_log(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    games, file, small = 10_000, tmp_path / "log.jsonl", tmp_path / "small.jsonl"
    write_events(file, contract_events(games))
    write_events(small, contract_events(10))
    ours, bare = compared(lambda: negstats.load(file), lambda: loop(file))
    needed = peak(small, file) / games
    benchmark.extra_info |= {"ratio to orjson": ours / bare, "bytes a game": needed}
    cast("Any", benchmark).pedantic(lambda: negstats.load(file), rounds=1)
    print(f"{needed:.0f} B a game of {file.stat().st_size / games:.0f}")
    name = f"log of contract games, 16 events each; {games:,} games"
    record_memory(needed, name)
    assert record_ratio(ours, bare, name, "orjson, line by line") <= 2.5
    assert needed <= 20_000


def in_pieces(folder: Path, small: Path, large: Path, *mapping: Path) -> int:
    """Return by how many bytes loading to a folder in pieces raises the peak over loading a small log so."""
    arguments = [sys.executable, "-c", IN_PIECES, str(small), str(large), str(folder), *map(str, mapping)]
    return int(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout)


def plain_games(file: Path, games: int) -> Path:
    """A contract log of games of five short events, written without holding them."""
    with file.open("w") as sink:
        for at in range(games):
            seats = f'[{{"player":"CS","role":"customer","participant":"p{at}"}},{{"player":"SP","agent":"A"}}]'
            head = f'"game":"g{at}"'
            sink.write(f'{{"event":"game",{head},"players":{seats},"factors":{{"country":"{"US"[at % 2]}"}}}}\n')
            for turn, answer in enumerate(("rejected", "accepted"), 1):
                chips = (
                    f'"asks":{{"gray":{at % 9}}},"gives":{{"red":3,"purple":7}},"response":"{answer}","round":{turn}'
                )
                sink.write(f'{{"event":"offer",{head},"from":"SP","to":"CS",{chips}}}\n')
            sink.write(f'{{"event":"move",{head},"player":"CS","square":[4,5]}}\n')
            sink.write(f'{{"event":"end",{head},"ended":"goal","points":{{"CS":300}},"reached_goal":["CS"]}}\n')
    return file


@pytest.mark.parametrize("kind", ["contract", "csv", "jsonl"])
def test_what_is_taken_in_pieces_needs_the_same_memory_however_long(
    kind: str, benchmark: BenchmarkFixture, tmp_path: Path, mapping: Path
) -> None:
    """A hundred thousand and a million games (rows, five million): what is held grows by a few numbers a game."""
    sizes = {"contract": (100_000, 1_000_000), "csv": (500_000, 5_000_000), "jsonl": (200_000, 2_000_000)}[kind]
    needed = {}
    for size in sizes:
        log = tmp_path / ("log.csv" if kind == "csv" else "log.jsonl")
        small = tmp_path / f"small{log.suffix}"
        for file, rows in ((small, 200), (log, size)):
            plain_games(file, rows) if kind == "contract" else written(file, rows)
        options = [] if kind == "contract" else [mapping]
        needed[size] = in_pieces(tmp_path / "study", small, log, *options)
    few, many = needed.values()
    benchmark.extra_info |= {f"bytes at {size:,}": peak for size, peak in needed.items()}
    cast("Any", benchmark).pedantic(lambda: None, rounds=1)
    text = "; ".join(f"{size:,}: {peak / 1e6:.0f} MB, {peak / size:.0f} B each" for size, peak in needed.items())
    print(f"{kind} in pieces: {text}")
    assert many <= 300e6
    assert many - few <= 100 * (sizes[1] - sizes[0])  # the keys of the games, and where their rows go


def test_a_folder_of_small_files_grows_with_their_number(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    mapping = tmp_path / "mapping.toml"
    mapping.write_text(
        'row = "offer"\ngames.game_id = { file = true }\nplayers.player = "who"\n'
        'offers = { units_to_proposer = "mine", total = 10 }\n'
    )
    result, calls = read_mapping(mapping), []
    for files in (1_000, 10_000):
        folder = tmp_path / str(files)
        folder.mkdir()
        text = json.dumps([{"who": "AB"[turn % 2], "mine": turn} for turn in range(4)])
        for number in range(files):
            (folder / f"{number:06}.json").write_text(text)
        calls.append(lambda folder=folder: read(folder, result))
    cast("Any", benchmark).pedantic(calls[0], rounds=1)
    assert growth(calls, 10, rounds=2, name="folder of JSON files of four offers; 10,000 files") <= 1.2


def test_deal_or_no_deal(benchmark: BenchmarkFixture, real_data: DataFolder) -> None:
    file = real_data("dealornodeal") / "data.txt"

    def lines() -> object:
        with file.open(encoding="utf-8") as stream:
            return list(stream)

    ours, bare = compared(lambda: negstats.load(file), lines)
    benchmark.extra_info["ratio to reading lines"] = ours / bare
    cast("Any", benchmark).pedantic(lambda: negstats.load(file), rounds=1)
    assert record_ratio(ours, bare, "DealOrNoDeal, the real log; 5,916 dialogues", "splitting its lines") <= 32


def test_the_peers_read_what_is_loaded(tmp_path: Path, mapping: Path) -> None:
    file = written(tmp_path / "log.jsonl", 100)
    assert len(read(file, read_mapping(mapping)).offers) == len(cast("list[object]", loop(file))) == 100
    assert json.loads(file.read_text().splitlines()[0])["game"] == "g0"
