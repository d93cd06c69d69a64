"""Where the tests find the real logs, and what they say when these are absent."""

from __future__ import annotations

import os
from pathlib import Path

import matplotlib as mpl
import pytest

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("NEGSTATS_DATA", ROOT.parent / "shared" / "data"))

mpl.use("Agg")


@pytest.fixture(scope="session")
def real_data() -> DataFolder:
    return DataFolder(DATA)


class DataFolder:
    """`real_data("casino")` is the folder of that data set; without it the test is skipped, saying so."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, name: str) -> Path:
        folder = self.root / name
        if not folder.is_dir():
            pytest.skip(f"the data set {name!r} is not in {self.root} (set NEGSTATS_DATA)")
        return folder
