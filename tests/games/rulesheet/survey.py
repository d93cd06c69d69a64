"""Which public sheets load: `python -m tests.games.rulesheet.survey FOLDER` prints a table, one line a sheet.

Every ``*.kif`` below the folder is read, grounded and, where that succeeds, played once at random, in a process of its
own with a limit of time. Sheets with the same text count once. Nothing of them is part of the project.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

SECONDS = 60
ONE = """
import sys
from pathlib import Path
import numpy as np
from negstats.errors import NegstatsError, one_line
from negstats.games.rulesheet import ground, parse, playouts
file = Path(sys.argv[1])
try:
    rules = parse(file.read_text(encoding="utf-8-sig", errors="replace"), name=file.name)
    game = ground(rules)
except NegstatsError as error:
    print("refused\\t" + one_line(error))
    raise SystemExit
size = f"{len(game.roles)} roles, {len(game.fluents)} fluents, {sum(map(len, game.moves.values()))} moves"
try:
    payoffs, lengths = playouts(game, 1, np.random.default_rng(1), steps=500)
    print(f"loads\\t{size}; a random game of {lengths[0]} steps pays {payoffs[0].tolist()}")
except NegstatsError as error:
    print(f"loads\\t{size}; playing: {one_line(error)}")
"""


def survey(folder: Path, *, seconds: float = SECONDS) -> list[tuple[str, str, str]]:
    """Return for each sheet its name, what came of it (loads, refused, too slow, fails) and one line."""
    rows, seen = list[tuple[str, str, str]](), set[str]()
    for file in sorted(folder.rglob("*.kif")):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if digest in seen:
            continue
        seen.add(digest)
        name = str(file.relative_to(folder))
        try:
            run = subprocess.run(
                [sys.executable, "-c", ONE, str(file)], capture_output=True, text=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired:
            rows.append((name, "too slow", f"not loaded and played within {seconds:g} s"))
        else:
            lines = run.stdout.strip().splitlines() or [f"fails\t{(run.stderr.strip().splitlines() or ['?'])[-1]}"]
            outcome, _, line = lines[-1].partition("\t")
            rows.append((name, outcome, line if len(lines) == 1 else f"{len(lines)} lines: {line}"))
        print("\t".join(rows[-1]), flush=True)
    return rows


if __name__ == "__main__":
    table = survey(Path(sys.argv[1]))
    outcomes = sorted({outcome for _, outcome, _ in table})
    counts = ", ".join(f"{sum(one == outcome for _, one, _ in table)} {outcome}" for outcome in outcomes)
    print(f"{len(table)} different sheets: {counts}")
