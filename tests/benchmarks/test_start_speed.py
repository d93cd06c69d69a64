"""What a command costs before it does anything: the processors' time of a process, against importing its libraries."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from tests.benchmarks.peers import once, record_ratio
from tests.conftest import ROOT

LIBRARIES = "import typer, pandas, narwhals, scipy.special"
# What a saved study in memory needs.
STUDY = "import typer, pandas, polars, narwhals, pyarrow.parquet, rich.console"
# Typer imports the rest of itself when it reads an option.
READING = "def bare(number: float = 1.0) -> None: ...\ntyper.run(bare)"
COMMANDS = {
    "threshold": (["threshold", "--pr", ".5", "--alpha", ".01"], "import typer", 1.5),
    "describe": (["describe", "datasets/robot/study"], STUDY, 1.4),
    "compare": (
        ["compare", "datasets/robot/study", "points", "--by", "condition", "--paired", "--who", "agent"],
        f"{STUDY}, scipy.special",
        1.4,
    ),
    "reproduce": (["reproduce"], f"{LIBRARIES}, scipy.optimize", 2.0),
}


def seconds(words: list[str], cache: Path, folder: Path) -> float:
    """The processors' time of one process; compiled code is kept, as it is for whoever runs a command twice."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    known |= {"PYTHONPYCACHEPREFIX": str(cache), "NEGSTATS_DATA": "", "PYTHONPATH": str(ROOT)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True, cwd=folder, env=known)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_turn(
    whole: list[str], bare: list[str], cache: Path, folder: Path = ROOT, rounds: int = 7
) -> tuple[float, float]:
    """The medians of both, run in turn so that what else the machine does meets both; the first round compiles."""
    pairs = [(seconds(whole, cache, folder), seconds(bare, cache, folder)) for _ in range(rounds + 1)]
    own, peer = (statistics.median(one) for one in zip(*pairs[1:], strict=True))
    return own, peer


@pytest.mark.parametrize("name", COMMANDS)
def test_start(name: str, benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    words, libraries, most = COMMANDS[name]
    bare_command = ["-c", f"{libraries}\n{READING}"]
    whole, bare = once(benchmark, lambda: in_turn(["-m", "negstats", *words], bare_command, tmp_path))
    benchmark.extra_info["CPU seconds, and as a ratio to its libraries' import"] = (whole, whole / bare)
    assert record_ratio(whole, bare, f"negstats {name}, whole process; 1 command", "importing its libraries") <= most


# What a report of a study cannot do without: its libraries, and as many figures of marks and lines in three formats.
BARE_REPORT = f"""
{STUDY}, scipy.special, docx, jinja2, lxml.etree
import matplotlib.pyplot as plt
for place in range(6):
    figure, axes = plt.subplots(1, 2, figsize=(6.9, 2.8), layout="constrained")
    axes[0].plot(range(66), range(66), "o")
    axes[1].hist(range(66))
    for ending in ("png", "pdf", "svg"):
        figure.savefig(f"{{place}}.{{ending}}", dpi=300)
    plt.close(figure)
"""


def test_a_whole_run(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    """The robot study from its saved tables to the folder of its report."""
    command = ["-m", "negstats", "run", str(ROOT / "tests/plans/robot.toml"), str(ROOT / "datasets/robot/study")]
    whole, bare = once(
        benchmark,
        lambda: in_turn(
            [*command, "--out", str(tmp_path / "report")], ["-c", BARE_REPORT], tmp_path / "cache", tmp_path, rounds=4
        ),
    )
    assert len(list((tmp_path / "report" / "figures").glob("*.png"))) == len(list(tmp_path.glob("*.png"))) == 6
    benchmark.extra_info["CPU seconds, and as a ratio to its libraries' import and as many bare figures"] = (
        whole,
        whole / bare,
    )
    name = "negstats run of the robot study, whole process; 1 command"
    assert record_ratio(whole, bare, name, "importing its libraries, six bare figures") <= 1.55
