"""Where the tests find the real logs, and what they say when these are absent."""

from __future__ import annotations

import gc
import json
import os
import platform
import re
import sys
from collections import Counter, defaultdict
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, settings

from tests import collection, held
from tests.collection import DEAR, OPENING, WITH_EACH_PUSH, missing_libraries
from tests.collection import ROOT as ROOT  # tests import it from here

if TYPE_CHECKING:
    from tests.shell import Shell

DATA = Path(os.environ.get("NEGSTATS_DATA", ROOT.parent / "shared" / "data"))

FULL_SIZE = "NEGSTATS_FULL_SIZE"

mpl.use("Agg")
# The workers of a run in parallel set it, and prose would wrap as on a terminal.
os.environ.pop("COLUMNS", None)

# How long things take is for tests/benchmarks, so properties have no deadline and may draw slowly. CI draws the same
# examples each time, for a run must not fail at random; another run draws new ones, and at full size many of them.
CALM = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
settings.register_profile("developer", deadline=None, suppress_health_check=CALM, max_examples=20)
settings.register_profile("ci", deadline=None, suppress_health_check=CALM, derandomize=True, max_examples=20)
# A change of the code is noticed by any failure: the smallest example of it is not looked for.
settings.register_profile("mutation", settings.get_profile("ci"), phases=[Phase.explicit, Phase.generate])
# Where only numbers of other programs are counted, properties have nothing to add.
settings.register_profile("held", settings.get_profile("ci"), max_examples=1)
settings.load_profile("held" if os.environ.get(held.HELD) else "ci" if os.environ.get("CI") == "true" else "developer")

# How many tests a run leaves out, by mark.
LEFT_OUT: Counter[str] = Counter()


def reference(name: str) -> Any:
    """Return what a script of R (for games, of nashpy) wrote: `tests/reference/<name>.R` made `<name>.json`."""
    data = json.loads((ROOT / "tests" / "reference" / f"{name}.json").read_text(encoding="utf-8"))
    held.known(name, data, sys._getframe(1).f_code.co_filename)
    return data


@pytest.fixture(scope="session")
def real_data() -> DataFolder:
    return DataFolder(DATA)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    from tests.shell import Shell  # it imports the whole command line, which few tests need

    return Shell(monkeypatch, capsys)


def pytest_report_header() -> str:
    """Name the processor and numpy: by these a number that differs between two machines is told from a fault."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text(encoding="utf-8").splitlines() if facts.is_file() else []
    model = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine()
    )
    return f"processor: {model}, {os.cpu_count()} cores; numpy {np.__version__}"


def pytest_configure(config: pytest.Config) -> None:
    """`pytest -m calibration` runs simulations at their full size; any other run at a small one."""
    gc.disable()  # what is collected stays to the end of the run: looking through it for garbage is a third of the work
    if re.fullmatch(r"\(?calibration\)?", config.option.markexpr):
        os.environ[FULL_SIZE] = "1"
    if os.environ.get(held.HELD):
        held.start()
    # A plugin, for pytest asks a file of this name about files beside and below it alone, and doctests stand elsewhere.
    config.pluginmanager.register(collection)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name the bytes of a file by their argument: a workbook holds the second in which it was written."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Spread dear tests over the tiers.

    The default tier keeps as many cases of a test as its mark says: `slow(keep=2)`. Of the dear tests
    of a folder that are left (of a file where they open pages or engines) CI runs one with each push, and the rest each
    night (`nightly`). They are drawn by name, so that each run and each worker has the same.
    """
    items.sort(key=lambda item: item.nodeid.partition("::")[0])  # in whatever order a worker has read the files
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if hasattr(item, "callspec") and any(mark.name in DEAR and mark.kwargs for mark in item.own_markers):
            cases[item.nodeid.partition("[")[0]].append(item)
    for name, alike in cases.items():
        mark = next(one for one in alike[0].own_markers if one.name in DEAR and one.kwargs)
        for place in collection.spread([_levels(item) for item in alike], mark.kwargs["keep"], Random(name)):  # noqa: S311 - no secret
            alike[place].own_markers.remove(next(one for one in alike[place].own_markers if one.name == mark.name))
    places: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        marks = {mark.name for mark in item.iter_markers()}
        if marks & set(WITH_EACH_PUSH) and "nightly" not in marks:
            file = item.nodeid.partition("::")[0]
            places[file if marks & set(OPENING) else file.rpartition("/")[0]].append(item)
    for name, dear in places.items():
        with_each_push = Random(name).choice(dear)  # noqa: S311 - no secret
        for item in dear:
            if item is not with_each_push:
                item.add_marker("nightly")


def _levels(item: pytest.Item) -> dict[str, object]:
    """Return what a test is, by its name and the values of its arguments."""
    case = getattr(item, "callspec", None)
    values = {argument: id(value) for argument, value in case.params.items()} if case else {}
    return {"test": item.nodeid.partition("[")[0], **values}


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count what a run leaves out, by its marks."""
    for item in items:
        LEFT_OUT.update({mark.name for mark in item.iter_markers()}.intersection(DEAR))
        LEFT_OUT["all"] += 1


def pytest_collection_finish() -> None:
    """Look for garbage again, but seldom, and not among the tests: by Python's own count it is a tenth of the work."""
    gc.freeze()
    gc.enable()
    gc.set_threshold(200_000, 20, 100)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Take the counts of a worker: all of them collect the same tests."""
    LEFT_OUT.clear()
    LEFT_OUT.update(node.workeroutput.get("left_out", {}))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """End with what was not run, and how to run it."""
    files = [file for file in sorted((ROOT / "tests").rglob("*.py")) if "benchmarks" not in file.parts]
    needing = [file for file in files if missing_libraries(file)]
    if not LEFT_OUT["all"] and not needing:
        return
    kinds = ", ".join(f"{mark} {LEFT_OUT[mark]:,}" for mark in DEAR if LEFT_OUT[mark])
    line = f"not run: {LEFT_OUT['all']:,} tests ({kinds})" if LEFT_OUT["all"] else "not run:"
    line += f" and {len(needing)} files whose libraries are not installed" if needing else ""
    terminalreporter.write_line(f'{line}; run them by: python -m pip install ".[dev]" && python -m pytest -m ""')


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the counts of a worker to the process that prints them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = dict(LEFT_OUT)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Keep what was held against R, where that was asked for."""
    if os.environ.get(held.HELD):
        held.write()


def runs(full: int, small: int) -> int:
    """Return how many studies to simulate: all of them under `pytest -m calibration`, else a number that CI bears."""
    return full if os.environ.get(FULL_SIZE) else small


class DataFolder:
    """`real_data("casino")` is the folder of that data set; without it the test is skipped, saying so."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, name: str) -> Path:
        folder = self.root / name
        if not folder.is_dir():
            pytest.skip(f"the data set {name!r} is not in {self.root} (set NEGSTATS_DATA)")
        return folder
