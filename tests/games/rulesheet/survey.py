"""Which public sheets load: `python -m tests.games.rulesheet.survey FOLDER` prints a table, one line a sheet.

Every ``*.kif`` below the folder is read, grounded and, where that succeeds, played once at random, in a process of its
own with a limit of processor time. Sheets with the same text count once. Nothing of them is part of the project.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import resource
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np

from negstats.errors import NegstatsError, one_line
from negstats.games.rulesheet import ground, parse, playouts

SECONDS = 30
STEPS = 500  # of the random game


def load_sheet(file: Path) -> tuple[str, str]:
    """Return what came of a sheet, and one line about it."""
    try:
        game = ground(parse(file.read_text(encoding="utf-8-sig", errors="replace"), name=file.name))
    except NegstatsError as error:
        return "refused", one_line(error)
    size = f"{len(game.roles)} roles, {len(game.fluents)} fluents, {sum(map(len, game.moves.values()))} moves"
    try:
        payoffs, lengths = playouts(game, 1, np.random.default_rng(1), steps=STEPS)
    except NegstatsError as error:
        return "loads", f"{size}; playing: {one_line(error)}"
    return "loads", f"{size}; a random game of {lengths[0]} steps pays {payoffs[0].tolist()}"


def load_apart(file: Path, seconds: int = SECONDS) -> tuple[str, str]:
    """Load a sheet in a process of its own, which the system ends after so many processor seconds."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    worker = context.Process(target=_send, args=(file, sender, seconds))
    worker.start()
    sender.close()
    try:
        outcome: tuple[str, str] = receiver.recv()
    except EOFError:
        outcome = "too slow", f"not loaded and played within {seconds} processor seconds"
    worker.join()
    return outcome


def _send(file: Path, sender: Connection, seconds: int) -> None:
    used = int(sum(resource.getrusage(resource.RUSAGE_SELF)[:2]))
    resource.setrlimit(resource.RLIMIT_CPU, (used + seconds, used + seconds))
    try:
        sender.send(load_sheet(file))
    except Exception as error:  # what is not a NegstatsError is a fault of the package: shown, not raised
        sender.send(("fails", repr(error)))


def survey(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield for each different sheet its name, what came of it (loads, refused, too slow, fails) and one line."""
    seen = set[str]()
    for file in sorted(folder.rglob("*.kif")):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if digest not in seen:
            seen.add(digest)
            yield (str(file.relative_to(folder)), *load_apart(file))


if __name__ == "__main__":
    counts: dict[str, int] = {}
    for name, result, reason in survey(Path(sys.argv[1])):
        counts[result] = counts.get(result, 0) + 1
        print(f"{name}\t{result}\t{reason}", flush=True)
    print(", ".join(f"{number} {result}" for result, number in sorted(counts.items())))
