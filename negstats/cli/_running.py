"""Running a command so that each way in which it can end is an exit code and at most one line.

| ends with | exit code |
|---|---|
| its work done | 0 |
| an unexpected error (`--debug` shows where) | 1 |
| what negstats refuses, what the system refuses, options that are none | 2 |
| Ctrl-C | 130 |
| SIGTERM or SIGHUP while it writes (128 and the signal's number) | 143, 129 |
| a reader of the output that went away (`| head`) | 141 |
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from negstats.errors import NegstatsError, one_line
from negstats.sanitize import line, text

DEBUG = "--debug"
INTERRUPTED = 130


def run(app: Callable[..., Any]) -> NoReturn:
    """Run a typer application and leave the process."""
    gc.set_threshold(100_000, 20, 20)  # a command makes what it needs and is gone; collecting as it starts is in vain
    debug = DEBUG in sys.argv[1:]
    words = [word for word in sys.argv[1:] if word != DEBUG]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that cannot show a letter gets its escape, not an error
            stream.reconfigure(errors="backslashreplace")
    if not debug:
        warnings.showwarning = _show_warning
    try:
        code = app(args=words, prog_name="negstats", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:  # typer has caught the Ctrl-C
            _print_error("interrupted", INTERRUPTED)
    except BaseException as error:  # the last handler: what passes it would be a traceback
        if debug and not isinstance(error, SystemExit):
            traceback.print_exc()
        code = _report_end(error, words)
    sys.exit(code if isinstance(code, int) else 0)


def _report_end(error: BaseException, words: list[str]) -> int:
    """Say why the command ended, and return its exit code."""
    kind = type(error).__name__
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, NegstatsError):
        return _print_error(text(error), 2)
    if isinstance(error, KeyboardInterrupt) or kind == "Abort":
        return _print_error("interrupted", INTERRUPTED)
    if kind == "NoArgsIsHelpError":
        print(text(error.format_message()))  # type: ignore[attr-defined]
        return 2
    if hasattr(error, "format_message"):  # typer's own: an option that is none, a number that is none
        return _print_error(f"{line(error.format_message())} (see {_help_of(words)})", 2)
    if isinstance(error, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is not yet written goes nowhere
        return 141
    if isinstance(error, OSError) and error.strerror:
        where = line(error.filename) if error.filename else "the output"
        return _print_error(f"{where}: {error.strerror}", 2)
    where = _file_of(error.__traceback__, words)
    why = f"unexpected error ({kind}): {one_line(error)}" if str(error) else f"unexpected error ({kind})"  # type: ignore[arg-type]
    return _print_error(f"{where}{why}. Run again with {DEBUG} and report it", 1)


def _print_error(why: str, code: int) -> int:
    with suppress(OSError):  # nobody listens
        print(f"negstats: {why}", file=sys.stderr, flush=True)
    return code


def _help_of(words: list[str]) -> str:
    from negstats.cli import COMMANDS

    names = {name for group in COMMANDS.values() for name in group}
    return f"negstats {words[0]} --help" if words and words[0] in names else "negstats --help"


def _file_of(trace: TracebackType | None, words: list[str]) -> str:
    """Return the file that was worked on: the innermost local variable called so, else what the command was given."""
    file = next((word for word in words if not word.startswith("-") and Path(word).exists()), None)
    while trace is not None:
        local = trace.tb_frame.f_locals
        file = next((local[name] for name in ("file", "path") if isinstance(local.get(name), Path)), file)
        trace = trace.tb_next
    return "" if file is None else f"{line(file)}: "


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    _print_error(f"note: {line(message)}", 0)
