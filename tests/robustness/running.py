"""Cases by their number, in a process that may be killed: what came of each, how long it took, what it needed."""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import tempfile
import time
import traceback
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from random import Random

import negstats
from negstats.errors import NegstatsError
from negstats.loaders import formats
from negstats.loaders.format import untracked
from negstats.loaders.mapping import read, read_mapping
from negstats.studies import open_study
from negstats.studies.study import Study
from tests.robustness.counting import Unjudged, amiss
from tests.robustness.mutations import fitting
from tests.robustness.seeds import SEEDS, Log

GOOD = ("whole", "left out", "refused", "unjudged")
SECONDS = 5.0  # of CPU; a case that needs more hangs
WAITING = 60.0  # by the clock, for a case that waits for something without working
MEMORY = 1 << 30  # bytes
PLACE = Path("/dev/shm")  # noqa: S108 - what lies in memory need not be waited for


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a case. `end` is one of `GOOD`, or "traceback", "silent", "hang", "memory", "message", "crash"."""

    number: int
    log: str
    mutation: str
    end: str
    why: str = ""
    seconds: float = 0.0


def run(seed: int, numbers: Iterable[int], *, only: str = "") -> Iterator[Outcome]:
    """Yield the outcome of each case; `only` names the logs that are tried."""
    waiting = list(numbers)
    for make in SEEDS.values():
        make()  # before the processes part
    while waiting:
        yield from _by_child(seed, waiting, only)


def _by_child(seed: int, waiting: list[int], only: str) -> Iterator[Outcome]:
    """Run cases in a child, take them off the list as they end, and stop when the child does."""
    out, into = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(out)
        _work(seed, waiting, only, into)
    os.close(into)
    text, began = b"", Outcome(waiting[0], "", "", "started")
    try:
        while waiting:
            ready, _, _ = select.select([out], [], [], WAITING)
            piece = os.read(out, 1 << 16) if ready else b""
            text += piece
            *lines, text = text.split(b"\n")
            for line in lines:
                result = Outcome(**json.loads(line))
                if result.end != "started":
                    waiting.remove(result.number)
                    began = Outcome(waiting[0], "", "", "started") if waiting else began
                    yield result
                else:
                    began = result
            if not piece:
                os.kill(pid, signal.SIGKILL) if not ready else None
                code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                pid = 0
                if code == 0:
                    return
                end = "hang" if not ready or code == -signal.SIGPROF else "crash"
                waiting.remove(began.number)
                yield Outcome(began.number, began.log, began.mutation, end, f"the process ended with {code}")
                return
    finally:
        os.close(out)
        if pid:
            os.waitpid(pid, 0)


def _work(seed: int, numbers: list[int], only: str, into: int) -> None:
    """Run cases and tell of each before and after it; ends the process."""
    warnings.simplefilter("error")
    try:
        for number in numbers:
            for outcome in _case(seed, number, only):
                os.write(into, json.dumps(asdict(outcome)).encode() + b"\n")
                if outcome.end == "memory":  # its high-water mark stays
                    os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def _case(seed: int, number: int, only: str) -> Iterator[Outcome]:
    rng = Random(f"{seed}:{number}")  # noqa: S311
    name = rng.choice([known for known in SEEDS if only in known])
    log = SEEDS[name]()
    files, how = damaged(rng, log)
    yield Outcome(number, name, how, "started")
    with tempfile.TemporaryDirectory(dir=PLACE if PLACE.is_dir() else None) as folder:
        place = Path(folder) / "logs"
        for path, data in files.items():
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(data)
        if rng.random() < 0.03:
            how += f" + {_tricked(rng, place)}"
        guessed = rng.random() < 0.15
        before = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        end, why = _tried(log, place, guessed=guessed)
        signal.setitimer(signal.ITIMER_PROF, 0)
        seconds = time.process_time() - before
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > MEMORY:
        end, why = "memory", f"more than {MEMORY:,} bytes; {end}: {why}"
    yield Outcome(number, name, how, end, why[:600], round(seconds, 3))


def damaged(rng: Random, log: Log) -> tuple[dict[str, bytes], str]:
    """Return the files of a log with one to three mutations, and what these are called."""
    files, names = dict(log.files), []
    for _ in range(rng.choice((1, 1, 1, 1, 2, 3))):
        path = rng.choice(list(files))
        if len(files) > 1 and rng.random() < 0.1:
            if rng.random() < 0.5:
                del files[path]
                names.append("a file less")
            else:
                files[path] = rng.choice(list(files.values()))
                names.append("another file's content")
            continue
        mutation = rng.choice(fitting(path))
        files[path] = mutation(rng, files[path])
        names.append(mutation.__name__)
    return files, " + ".join(names)


def _tricked(rng: Random, place: Path) -> str:
    """Put something else than a file in the place of one, or beside it."""
    file = rng.choice(sorted(path for path in place.rglob("*") if path.is_file()) or [place])
    kind = rng.choice(("pipe", "loop", "nowhere", "folder", "device", "pipe beside"))
    if kind == "pipe beside":
        os.mkfifo(file.with_name(f"other{file.suffix}"))
        return kind
    if file.is_file():
        file.unlink()
        match kind:
            case "pipe":
                os.mkfifo(file)
            case "folder":
                file.mkdir()
            case _:
                file.symlink_to({"loop": file, "nowhere": place / "nowhere", "device": Path("/dev/zero")}[kind])
    return kind


def _tried(log: Log, place: Path, *, guessed: bool) -> tuple[str, str]:
    root = place / log.root
    try:
        study = _loaded(log, place, root, guessed=guessed)
    except NegstatsError as error:
        return _refusal(str(error), place)
    except BaseException as error:
        return "traceback", f"{type(error).__name__}: {error} ({_where(error)})"
    try:
        result = amiss(study, root, _sound(log) if log.loader == "study" else None)
    except Unjudged as error:
        return "unjudged", str(error)
    except BaseException as error:
        return "silent", f"it cannot be counted: {type(error).__name__}: {error} ({_where(error)})"
    if result is not None:
        return "silent", result
    return ("left out" if study.provenance.left_out else "whole"), ""


def _loaded(log: Log, place: Path, root: Path, *, guessed: bool) -> Study:
    if log.loader == "study":
        return open_study(root)
    if log.mapping:
        (place / "mapping.toml").write_text(log.mapping, encoding="utf-8")
        return read(root, read_mapping(place / "mapping.toml"))
    if guessed:
        return negstats.load(root)
    known = next(known for known in formats() if known.name == log.loader)
    study = known.read(root, untracked)  # before anything is derived, which is not to be counted
    return study if any(map(len, study.tables.values())) else negstats.load(root)  # which refuses it


@cache
def _sound_study() -> Study:
    log = SEEDS["saved study"]()
    with tempfile.TemporaryDirectory() as folder:
        for path, data in log.files.items():
            (Path(folder) / path).parent.mkdir(exist_ok=True)
            (Path(folder) / path).write_bytes(data)
        return open_study(Path(folder) / log.root)


def _sound(log: Log) -> Study:
    assert log.loader == "study"
    return _sound_study()


def _refusal(message: str, place: Path) -> tuple[str, str]:
    """Judge an error: one line that names the file; the list of known formats and a mapping may follow."""
    first, _, more = message.partition("\n")
    if more and "is not an export of a platform" not in first:
        return "message", f"has several lines: {message}"
    if str(place) not in first:
        return "message", f"does not name the file: {first}"
    if len(first) > 1000:
        return "message", f"has {len(first)} characters: {first[:200]}"
    if not first.isprintable():
        return "message", f"has characters that do not print: {first!r}"
    return "refused", first


def _where(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
