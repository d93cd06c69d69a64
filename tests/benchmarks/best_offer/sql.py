"""The same questions in the SQL that one would write by hand for DuckDB: the yardstick of the benchmark."""

from __future__ import annotations

from pathlib import Path

_NAMED = Path(__file__).with_name("questions.sql").read_text(encoding="utf-8").split("-- name: ")[1:]
QUERIES = {name: query for name, _, query in (one.partition("\n") for one in _NAMED)}
CLEAN = QUERIES.pop("clean")
