"""Which tests enter a line of the package, as a run of them with coverage has written it down.

    python -m pytest --cov=negstats --cov-context=test --cov-report=

writes the file `.coverage`, which is read here.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / ".coverage"


def tests_of(path: Path, line: int) -> list[str]:
    """Return the tests that enter a line, those of its room first; for a line that runs at import, those of its file.

    What several tests share (a fixture of the session, a cached result) is entered by the first of them alone.
    """
    by_line = _entered(path)
    tests = by_line.get(line) or set().union(*by_line.values())
    room = f"tests/{path.parts[1]}/"
    return sorted(tests, key=lambda one: (not one.startswith((str(path), room)), one))


@cache
def _entered(path: Path) -> dict[int, set[str]]:
    """Return the tests that enter each line of a file."""
    if not RECORD.is_file():
        return {}
    import coverage  # of the extra `dev`, and the default tests read this file

    record = coverage.CoverageData(str(RECORD))
    record.read()
    named = record.contexts_by_lineno(str(ROOT / path))
    return {line: {name.rpartition("|")[0] for name in names if name} for line, names in named.items()}
