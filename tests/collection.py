"""Which files a run of tests reads: none whose library is missing, and none that has nothing it asks for."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from random import Random

import pytest

ROOT = Path(__file__).resolve().parent.parent

# The marks of tests that the default tier leaves out.
DEAR = ("nightly", "site", "notebooks", "browser", "spark", "calibration", "frozen", "slow")
# Those of which CI runs a few with each push.
OPENING = ("site", "notebooks", "browser", "spark")
WITH_EACH_PUSH = (*OPENING, "frozen", "slow")
# What the extra `dev` installs and a file of tests may import at its top.
DEVELOPMENT = {
    "moocore",
    "nbclient",
    "nbformat",
    "numpydoc",
    "pyspark",
    "selenium",
    "shiny",
    "sphinx",
    "sphinx_gallery",
}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Pass over benchmarks, which import all their peers, and files whose library only the extra `dev` installs."""
    if collection_path.suffix != ".py":
        return None
    is_of_benchmarks = ROOT / "tests" / "benchmarks" in collection_path.parents
    if is_of_benchmarks:
        return None if config.getoption("benchmark_only", False) else True
    if not collection_path.is_relative_to(ROOT) or collection_path.name == "conftest.py":
        return None
    return True if missing_libraries(collection_path) or has_none(collection_path, config.option.markexpr) else None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Let every second worker read folders from the end: each compiles one half of the files, and finds the other."""
    report = yield
    if isinstance(collector, pytest.Directory) and int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 2:
        report.result.reverse()
    return report


def has_none(file: Path, expression: str) -> bool:
    """Whether a run asks for marks, as by `-m "site or browser"`, and a file gives none of them: it is not read."""
    asked = re.fullmatch(r"\(?(\w+(?: or \w+)*)\)?(?: and not .+)?", expression)
    if asked is None or not set(marks := asked[1].split(" or ")) <= set(DEAR) - {"nightly"}:  # that mark is drawn
        return False
    return not re.search(rf"\bmark\.({'|'.join(marks)})\b", file.read_text(encoding="utf-8"))


def missing_libraries(file: Path) -> list[str]:
    """Return the libraries of the extra `dev` that a file imports at its top and that are not installed."""
    imports = re.findall(r"^(?:import|from) (\w+)", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return sorted(name for name in DEVELOPMENT.intersection(imports) if find_spec(name) is None)


def spread(cases: Sequence[Mapping[str, object]], number: int, random: Random) -> list[int]:
    """Return the places of some cases of a product, given by the level of each argument, so that little repeats.

    Each case that is added has the most pairs of levels that no case before it has, and of such the levels that came
    least often: every level comes soon, and every pair of levels as soon as the number allows.
    """
    left = random.sample(range(len(cases)), len(cases))
    parts = [[*case.items(), *combinations(sorted(case.items()), 2)] for case in cases]
    seen: Counter[object] = Counter()
    chosen: list[int] = []
    while left and len(chosen) < number:
        best = min(left, key=lambda place: _repeated(parts[place], seen))
        left.remove(best)
        chosen.append(best)
        seen.update(parts[best])
    return chosen


def _repeated(parts: Sequence[object], seen: Counter[object]) -> tuple[int, int]:
    """Return how many of the parts came before, and how often all of them did."""
    return sum(seen[part] > 0 for part in parts), sum(seen[part] for part in parts)
