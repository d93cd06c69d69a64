"""A study of pairs that meet twice, once in each condition, as Parquet files of another program; and what it takes.

``python -m tests.benchmarks.pairs FOLDER PAIRS`` compares points by condition in DuckDB and prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from negstats.analysis import compare
from negstats.studies import Provenance, Study
from tests.benchmarks.peak import peak

CHUNK = 250_000


def write(folder: Path, pairs: int) -> None:
    """Write two games a pair, whole points with an effect of a half."""
    folder.mkdir(parents=True)
    for start in range(0, pairs, CHUNK):
        pair = np.arange(start, min(start + CHUNK, pairs))
        rng = np.random.default_rng([7, start])
        which = np.arange(2 * len(pair))
        game = pc.binary_join_element_wise("g", pa.array(2 * start + which).cast("string"), "")
        games = pa.table({"game_id": game, "ended": np.repeat("agreement", len(which)),
                          "condition": np.array(["fair", "selfish"])[which % 2]})  # fmt: skip
        seat = np.arange(2 * len(which))
        person = pc.binary_join_element_wise("p", pa.array(2 * pair[seat // 4] + seat % 2).cast("string"), "")
        points = np.round(rng.normal(10 + 0.5 * ((seat // 2) % 2), 2)).astype(float)
        seats = {"game_id": game.take(pa.array(seat // 2)), "player": np.array(["A", "B"])[seat % 2]}
        people = {"kind": np.repeat("human", len(seat)), "participant_id": person, "points": points}
        players = pa.table({**seats, **people})
        for name, table in (("games", games), ("players", players)):
            pq.write_table(table, folder / f"{name}-{start:09d}.parquet")


def main(folder: Path, pairs: int) -> None:
    start, cpu = time.perf_counter(), time.process_time()
    files = {name: sorted(folder.glob(f"{name}-*.parquet")) for name in ("games", "players")}
    study = Study.of(files, Provenance("made up", "1"), engine="duckdb", memory="600MB")
    comparison = compare(study, "joint_value", "condition")
    seat_columns = {
        "pairs": pairs,
        "n": comparison.table()["n"].tolist(),
        "unit": comparison.unit,
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "memory": peak(),
    }
    print(json.dumps(seat_columns))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
