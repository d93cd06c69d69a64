"""The site, built once a run with every warning an error, however many workers ask for it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from docs.pages.tutorials import STORED
from tests.conftest import ROOT
from tests.report.page.conftest import chromium

__all__ = ["chromium"]  # the fixture

PATIENCE = 400  # seconds


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return the folder of the site: the one that NEGSTATS_SITE names, else one built here with notebooks as stored."""
    if site_folder := os.environ.get("NEGSTATS_SITE"):
        return ROOT / site_folder
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "site"
    result = folder.with_suffix(".log")
    try:
        folder.mkdir()
    except FileExistsError:  # another worker builds it
        end = time.monotonic() + PATIENCE
        while not result.is_file() and time.monotonic() < end:
            time.sleep(0.5)
    else:
        words = [
            sys.executable,
            "-m",
            "sphinx",
            "-W",
            "-q",
            "-b",
            "html",
            "-d",
            str(folder / "doctrees"),
            "docs",
            str(folder),
        ]
        built = subprocess.run(
            words, capture_output=True, text=True, check=False, cwd=ROOT, env={**os.environ, STORED: "stored"}
        )
        beside = result.with_suffix(".part")
        beside.write_text(f"{built.returncode}\n{built.stdout}{built.stderr}", encoding="utf-8")
        beside.rename(result)
    text = result.read_text(encoding="utf-8")
    assert text.startswith("0\n"), text[-4000:]
    return folder
