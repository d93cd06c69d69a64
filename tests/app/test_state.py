"""What the pages compute beside each other."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("shiny", reason="Shiny is installed by the extra app")

import negstats
from negstats import datasets
from negstats.analysis.describe import describe
from negstats.app.state import ASIDE, in_thread
from negstats.errors import LogError
from negstats.studies import Study


def test_a_study_with_an_engine_is_asked_one_thing_at_a_time() -> None:
    pytest.importorskip("duckdb", reason="DuckDB holds what is larger than memory")
    study = negstats.open_study(datasets.folder("robot") / "study", engine="duckdb")

    def count(given: Study) -> int:
        return int(describe(given).people["games"])

    async def ask_beside_each_other() -> list[int | str]:
        threads = [in_thread(count, study), in_thread(count, study, thread=ASIDE)]
        return list(await asyncio.gather(*threads))

    assert asyncio.run(ask_beside_each_other()) == [198, 198]


def test_an_error_of_a_thread_is_its_words(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse() -> None:
        raise LogError("is empty", file=Path("log.csv"))

    def fail() -> None:
        raise ZeroDivisionError("division by zero")

    assert asyncio.run(in_thread(refuse)) == "log.csv: is empty"
    assert "not foreseen: ZeroDivisionError: division by zero" in str(asyncio.run(in_thread(fail)))
    assert "Traceback" in capsys.readouterr().err
