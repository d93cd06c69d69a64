"""Logs with what programs add to them: they are read as without it, or asked about, and never wrong in silence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.loaders.reading.drawn_logs import DrawnLog
from tests.loaders.reading.dressed_logs import WAYS, DressedLog
from tests.loaders.reading.judge_logs import judge_log
from tests.loaders.reading.retold_logs import RetoldLog


@pytest.mark.slow(keep=2)
@pytest.mark.parametrize("draw", [DrawnLog, RetoldLog])
@pytest.mark.parametrize("way", WAYS)
def test_what_programs_add_makes_no_error(way: str, draw: type[DrawnLog | RetoldLog], tmp_path: Path) -> None:
    verdicts = {}
    for seed in range(20):
        log = DressedLog(draw(seed), way)
        (folder := tmp_path / str(seed)).mkdir()
        source = log.write(folder)
        if source is not None:
            verdicts[seed] = judge_log(source, log.truth)
    assert not {seed: each for seed, each in verdicts.items() if each.word == "wrong" and not each.stops}
