"""What a command costs before it does anything: the processors' time of a process, against importing its libraries."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.conftest import ROOT

LIBRARIES = "import typer, pandas, narwhals, scipy.special"
# What a saved study in memory needs.
STUDY = "import typer, pandas, polars, narwhals, pyarrow.parquet, rich.console"
COMMANDS = {
    "offer": (["offer", "--pr", ".5", "--alpha", ".01"], "import typer", 2.0),
    "describe": (["describe", "datasets/robot/study"], STUDY, 1.7),
    "compare": (
        ["compare", "datasets/robot/study", "points", "--by", "condition", "--paired", "--who", "agent"],
        f"{STUDY}, scipy.special",
        1.6,
    ),
    "reproduce": (["reproduce"], f"{LIBRARIES}, scipy.optimize", 2.1),
}


def seconds(words: list[str], cache: Path) -> float:
    """The least of four; compiled code is kept, as it is for whoever runs a command twice."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    known |= {"PYTHONPYCACHEPREFIX": str(cache), "NEGSTATS_DATA": ""}
    values = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True, cwd=ROOT, env=known)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        values.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(values[1:])


@pytest.mark.parametrize("name", COMMANDS)
def test_start(name: str, benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    words, libraries, most = COMMANDS[name]
    bare = seconds(["-c", libraries], tmp_path)
    whole = benchmark.pedantic(seconds, args=(["-m", "negstats", *words], tmp_path))  # type: ignore[no-untyped-call]
    benchmark.extra_info["CPU seconds, and as a ratio to its libraries' import"] = (whole, whole / bare)
    print(f"{name}: {whole:.2f} CPU s, {whole / bare:.2f} x {libraries!r} ({bare:.2f} s)")
    assert whole <= most * bare
