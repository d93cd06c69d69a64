"""Whether an installed negstats works without its source tree: `python tests/smoke.py`, in an empty environment."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
from pathlib import Path


def run(*words: str) -> str:
    """Return what a command of the installed package prints; any failure of it ends this script."""
    program = "import sys; from negstats.cli import main; sys.argv[0] = 'negstats'; main()"
    return subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=True).stdout


def main() -> None:
    """Compare two conditions, and recompute the numbers of a paper."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # nothing of a checkout is found here
        import negstats
        from negstats.analysis import compare

        study = negstats.datasets.robot()
        sentence = compare(study, "points", by="condition", who="agent").apa()
        if "t(65) = 2.46, p = .017" not in sentence:
            raise SystemExit(f"the first result of the README is another one: {sentence}")
        run("reproduce", "mell2015", "--out", "findings")
        if not list(Path("findings").iterdir()):
            raise SystemExit("reproduce wrote nothing")
        sys.stdout.write(f"negstats {negstats.__version__}: {sentence}\n{run('--version')}")


if __name__ == "__main__":
    main()
