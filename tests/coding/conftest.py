"""One Chromium for the tests of coding pages, and a small study whose talks are coded."""

from __future__ import annotations

from pathlib import Path

import pytest

from negstats.coding import Codebook, Talks, read_codebook, talks_of
from negstats.studies import Study
from tests.coding.talks import CODEBOOK, synthetic
from tests.report.page.conftest import chromium

__all__ = ["chromium"]  # the fixture


@pytest.fixture(scope="session")
def study() -> Study:
    return synthetic(20, 8)


@pytest.fixture(scope="session")
def talks(study: Study) -> Talks:
    return talks_of(study, 5)


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Codebook:
    return read_codebook(codebook_file(tmp_path_factory.mktemp("codebook")))


def codebook_file(folder: Path, text: str = CODEBOOK) -> Path:
    file = folder / "codes.toml"
    file.write_text(text, encoding="utf-8")
    return file
