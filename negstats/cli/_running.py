"""Running a command so that each way in which it can end is an exit code and at most one line.

| ends with | exit code |
|---|---|
| its work done | 0 |
| an unexpected error (`--debug` shows where) | 1 |
| what negstats refuses, what the system refuses, options that are none | 2 |
| Ctrl-C | 130 |
| SIGTERM or SIGHUP while it writes (128 and the signal's number) | 143, 129 |
| a reader of the output that went away (`| head`): the signal SIGPIPE ends the process | 141 |
| a standard output that is closed, or a closed input of which answers are asked | 2 |
"""

from __future__ import annotations

import atexit
import gc
import os
import re
import select
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Any, NoReturn

from negstats.errors import NegstatsError, one_line
from negstats.sanitize import line, text

DEBUG = "--debug"
INTERRUPTED = 130

# What typer and the library under it say of an option's value, and what a user reads.
WORDS_OF_TYPER = {
    "Value error, ": "",
    "Input should be a valid integer, .*": "give a whole number",
    "Input should be a valid number, .*": "give a number",
    r"Input should be greater than or equal to (\S+)": r"give \1 or more",
    r"Input should be less than or equal to (\S+)": r"give \1 or less",
}


def run(app: Callable[..., Any], arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a typer application with what was written after its name, and leave the process."""
    gc.set_threshold(100_000, 20, 20)  # a command makes what it needs and is gone; collecting as it starts is in vain
    arguments = sys.argv[1:] if arguments is None else arguments
    debug = DEBUG in arguments
    words = [word for word in arguments if word != DEBUG]
    input_is_closed = _open_streams()
    _end_with_pipe()
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
        if input_is_closed and type(error).__name__ == "Abort":
            code = _print_error("the standard input is closed, and this command asks for answers", 2)
        else:
            code = _report_end(error, words)
    gc.freeze()  # the process ends here: a last search of all objects for cycles would find nothing that is of use
    sys.exit(code if isinstance(code, int) else 0)


def _open_streams() -> bool:
    """Give a process what others write to without asking; return whether its standard input is closed.

    A file that is opened while a standard stream is closed would get the stream's number, and whatever is printed.
    """
    input_is_closed = sys.stdin is None
    if input_is_closed:
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - for as long as the process lives
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        _print_error("the standard output is closed; give it a place, such as > /dev/null", 2)
        sys.exit(2)
    return input_is_closed


def _end_with_pipe() -> None:
    """Let SIGPIPE end the process where nobody reads its output any more, as it ends other programs.

    Python ignores the signal. Where it comes of another pipe than the output's, it stays an error of what wrote there.
    Files for temporary use are removed first.
    """
    if not hasattr(signal, "SIGPIPE"):  # Windows
        return

    def end(*_: object) -> None:
        if not _output_is_gone():
            return
        atexit._run_exitfuncs()
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGPIPE)

    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGPIPE, end)


def _output_is_gone() -> bool:
    """Whether the pipe behind the standard output or error has no reader."""
    poll = select.poll()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            poll.register(stream.fileno(), 0)
    return any(event & select.POLLERR for _, event in poll.poll(0))


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error, and those that it came of."""
    known: set[int] = set()
    while error is not None and id(error) not in known:
        known.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _as_typed(message: str, words: list[str]) -> str:
    """Return an error that begins with the name of an option as that option was typed: "--games is -3; ..."."""
    name = message.partition(" ")[0].rstrip(":")
    option = f"--{name.replace('_', '-')}"
    return f"{option}{message.removeprefix(name)}" if option in [word.partition("=")[0] for word in words] else message


def _report_end(error: BaseException, words: list[str]) -> int:
    """Say why the command ended, and return its exit code."""
    kind = type(error).__name__
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, NegstatsError):
        return _print_error(_as_typed(text(error), words), 2, getattr(error, "file", None))
    if isinstance(error, KeyboardInterrupt) or kind == "Abort":
        return _print_error("interrupted", INTERRUPTED)
    if kind == "NoArgsIsHelpError":
        print(text(error.format_message()))  # type: ignore[attr-defined]
        return 2
    if hasattr(error, "format_message"):  # typer's own: an option that is none, a number that is none
        message = line(error.format_message())
        for theirs, ours in WORDS_OF_TYPER.items():
            message = re.sub(theirs, ours, message)
        return _print_error(f"{message} (see {_help_of(words)})", 2)
    if isinstance(error, BrokenPipeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is not yet written goes nowhere
        return 141
    if isinstance(error, OSError) and error.strerror:
        where = line(error.filename) if error.filename else "the output"
        return _print_error(f"{where}: {error.strerror}", 2)
    # A library that tidies up after a full disk stumbles over what it has not written: the cause is the system's error.
    refused = next((cause for cause in _chain(error) if isinstance(cause, OSError) and cause.strerror), None)
    if refused is not None:
        place = refused.filename or next((word for option, word in pairwise(words) if option == "--out"), "")
        return _print_error(f"{line(place) if place else 'the output'}: {refused.strerror}", 2)
    where = _file_of(error.__traceback__, words)
    why = f"unexpected error ({kind}): {one_line(error)}" if str(error) else f"unexpected error ({kind})"  # type: ignore[arg-type]
    return _print_error(f"{where}{why}. Run again with {DEBUG} and report it", 1)


def _print_error(why: str, code: int, file: object = None) -> int:
    from negstats.cli.shared import print_error

    with suppress(OSError):  # nobody listens
        print_error(f"negstats: {why}", [word for word in (*sys.argv[1:], str(file)) if " " in word])
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
