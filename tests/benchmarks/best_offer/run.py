"""Asks the six questions of a log, in DuckDB within a bound on memory or in PySpark, and prints times and memory.

Run ``python -m tests.benchmarks.best_offer.run FOLDER WORK [duckdb|pyspark] [MEMORY]``. Whole threads stand in each
file, so DuckDB cleans offers file by file: what is sorted at a time is a 64th of the log, and memory does not grow with
the rest. What was measured is kept in ``measured.json``.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw

from negstats.studies.engines import PySpark, Spill
from tests.benchmarks.best_offer import questions as ask
from tests.benchmarks.best_offer import sql
from tests.benchmarks.peak import peak

MEASURED = Path(__file__).parent / "measured.json"


def connected(work: Path, memory: str) -> duckdb.DuckDBPyConnection:
    config: dict[str, Any] = {"memory_limit": memory, "temp_directory": str(work / "spill")}
    return duckdb.connect(config={**config, "preserve_insertion_order": "false"})


def clean_files(connection: duckdb.DuckDBPyConnection, log: Path, target: Path) -> None:
    """Clean the offers with narwhals, file by file, into as many files."""
    target.mkdir(parents=True)
    listings: Any = nw.from_native(connection.read_parquet(str(log / "listings.parquet"))).lazy()
    for place, part in enumerate(sorted((log / "offers").rglob("*.parquet"))):
        offers: Any = nw.from_native(connection.read_parquet(str(part), hive_partitioning=False)).lazy()
        ask.cleaned(offers, listings).to_native().to_parquet(str(target / f"part-{place:02d}.parquet"))


def clean_files_by_hand(connection: duckdb.DuckDBPyConnection, log: Path, target: Path) -> None:
    """Do the same in SQL."""
    target.mkdir(parents=True)
    connection.execute(f"CREATE OR REPLACE VIEW listings AS FROM '{log / 'listings.parquet'}'")
    for place, part in enumerate(sorted((log / "offers").rglob("*.parquet"))):
        connection.execute(f"CREATE OR REPLACE VIEW offers AS FROM '{part}'")
        connection.execute(f"COPY ({sql.CLEAN}) TO '{target / f'part-{place:02d}.parquet'}'")


def in_spark(log: Path, target: Path, memory: str) -> Any:
    """Clean the offers in PySpark by the same code, and return them."""
    spill = Spill()
    engine = PySpark(spill.path, memory)
    offers, listings = (
        nw.from_native(engine.session.read.parquet(str(log / name))).lazy() for name in ("offers", "listings.parquet")
    )
    ask.cleaned(offers, listings).to_native().write.parquet(str(target))
    return nw.from_native(engine.session.read.parquet(str(target))).lazy()


def in_duckdb(log: Path, target: Path, memory: str) -> Any:
    """Clean the offers in DuckDB, and return them."""
    connection = connected(target.parent, memory)
    clean_files(connection, log, target)
    return nw.from_native(connection.read_parquet(str(target / "*.parquet"))).lazy()


def main(log: Path, work: Path, engine: str = "duckdb", memory: str = "3GB") -> None:
    clock = time.process_time if engine == "duckdb" else time.perf_counter
    start = clock()
    clean = (in_duckdb if engine == "duckdb" else in_spark)(log, work / "clean", memory)
    cleaned = clock() - start
    rows = int(clean.select(nw.len().alias("rows")).collect("pyarrow")["rows"][0])
    print(f"{rows} rows cleaned in {cleaned:.1f} s", flush=True)
    total = 0.0
    for name, question in ask.QUESTIONS.items():
        start = clock()
        answer = question(clean)
        taken = clock() - start
        total += taken
        print(f"{name}: {taken:.1f} s\n{answer}", flush=True)
    used = peak() if engine == "duckdb" else 1024 * _of_java()
    most = used / 2**30
    print(f"most memory: {most:.2f} GiB")
    run = {"engine": engine, "rows": rows, "clean": cleaned, "questions": total, "memory": most}
    runs = json.loads(MEASURED.read_text("utf-8")) if MEASURED.exists() else []
    runs = [other for other in runs if (other["engine"], other["rows"]) != (engine, rows)]
    MEASURED.write_text(json.dumps([*runs, run], indent=1) + "\n", encoding="utf-8")


def _of_java() -> int:
    """Return the most memory that a Java process of ours has used, in KiB."""
    most = 0
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text("utf-8").splitlines() if ":" in line)
        except OSError:
            continue
        if fields["Name"].strip() == "java" and _is_below(fields, os.getpid()):
            most = max(most, int(fields["VmHWM"].split()[0]))
    return most


def _is_below(fields: dict[str, str], ours: int) -> bool:
    parent = int(fields["PPid"])
    if parent in (0, ours):
        return parent == ours
    above = Path(f"/proc/{parent}/status").read_text("utf-8").splitlines()
    return _is_below(dict(line.split(":", 1) for line in above if ":" in line), ours)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:5])
