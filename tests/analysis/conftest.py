"""The smallest plan, in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.analysis.plan.plans import SMALLEST


@pytest.fixture
def plan(tmp_path: Path) -> Path:
    file = tmp_path / "plan.toml"
    file.write_text(SMALLEST, encoding="utf-8")
    return file
