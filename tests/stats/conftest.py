"""What the tests of statistics share."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # how long things take is for tests/benchmarks
settings.load_profile("untimed")
