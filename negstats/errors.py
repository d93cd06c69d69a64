"""The package's errors: all derive from one class, so that a single ``except`` catches them.

::

    ValueError
    └── NegstatsError        anything negstats refuses, said in one line
        ├── LogError         a log cannot be read (file, row, column, value)
        ├── SchemaError      a table is not as negstats.tables describes it (table, column, row, value)
        ├── DesignError      the data do not fit the design that was asked for (argument, value)
        │   └── NotEstimable the design is right, but these data cannot give the number
        ├── PlanError        a plan is wrong (file, line, field), all its faults at once
        ├── SheetError       a rule sheet is wrong (file, line, word)
        └── UsageError       an argument names something that is not there (a measure, a factor, a folder)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Literal, TypeAlias

from negstats.sanitize import first_few, line, text

__all__ = [
    "DesignError",
    "LogError",
    "NegstatsError",
    "NotEstimable",
    "PlanError",
    "SchemaError",
    "SheetError",
    "UsageError",
    "argument",
    "meant",
    "nearest",
    "one_line",
    "shown",
    "speaking",
]

MOST = 24  # names that a message lists

Language: TypeAlias = Literal["plan", "Python", "command line"]
OTHERWISE = {"within": "paired"}  # fields of a plan that have another name as arguments
_language: ContextVar[Language] = ContextVar("language", default="plan")


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Let the errors that arise inside name arguments as they are typed in a plan, in Python or on the command line."""
    token = _language.set(language)
    try:
        yield
    finally:
        _language.reset(token)


def argument(name: str, value: object = None) -> str:
    """Return an argument as it is typed where the error is read, with the value that would do.

    Examples
    --------
    >>> argument("who", "human"), argument("who"), argument("within", True)
    ('who = "human"', 'who', 'within = true')
    >>> with speaking("Python"):
    ...     argument("who", "human"), argument("within", True)
    ("who='human'", 'paired=True')
    >>> with speaking("command line"):
    ...     argument("who", "human"), argument("within", True), argument("who")
    ('--who human', '--paired', '--who')
    """
    language = _language.get()
    name = name if language == "plan" else OTHERWISE.get(name, name)
    if language == "command line":
        import shlex

        return f"--{name}" if value is None or value is True else f"--{name} {shlex.quote(line(value))}"
    if value is None:
        return name
    if language == "Python":
        return f"{name}={value!r}"
    return f"{name} = " + (str(value).lower() if isinstance(value, bool) else f'"{line(value)}"')


def shown(value: object, width: int = 60) -> str:
    """Return `value` as it can stand in one line of an error: its repr, cut to `width` characters.

    Examples
    --------
    >>> shown("Israel")
    "'Israel'"
    >>> shown("x" * 100, width=10)
    "'xxxxxxxx…"
    """
    return line(_repr(value), width)


def _repr(value: object) -> str:
    try:
        if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
            return repr(value.item())  # type: ignore[attr-defined]  # 1, not np.int64(1)
        return repr(value)
    except Exception:  # an object of the user's whose repr fails
        return f"<{type(value).__name__}>"


def one_line(error: Exception) -> str:
    r"""Return another library's message on one line.

    Examples
    --------
    >>> one_line(ValueError("bad\n  luck\n"))
    'bad luck'
    """
    return line(" ".join(str(error).split()), 300)


def nearest(name: object, known: Iterable[object]) -> str | None:
    """Return the one of `known` that is most like `name`, whatever its case, or None.

    Examples
    --------
    >>> nearest("Propser", ["proposer", "responder"])
    'proposer'
    """
    import difflib

    by_lower = {str(other).lower(): str(other) for other in known}
    matches = difflib.get_close_matches(str(name)[:100].lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[matches[0]] if matches else None


def nearest_names(name: object, known: Iterable[object]) -> list[str]:
    """Return which of `known` may be meant: several that begin so, such as items of a scale, or the nearest.

    Examples
    --------
    >>> nearest_names("trust", ["Trust_1", "Trust_2", "truest"])
    ['Trust_1', 'Trust_2']
    """
    names = [str(other) for other in known]
    longer_names = [other for other in names if str(name) and other.lower().startswith(str(name).lower())]
    if 1 < len(longer_names) <= MOST:
        return longer_names
    close = nearest(name, names)
    return [] if close is None else [close]


def meant(name: object, known: Iterable[object], there: str = "there are") -> str:
    r"""Return the hint behind "no such name": the nearest of `known`, or the first of them.

    Examples
    --------
    >>> meant("contry", ["country", "role"])
    "did you mean 'country'?"
    >>> meant("x", ["country", "role"])
    'there are country, role'
    >>> meant("x", ["country", "seat\N{NO-BREAK SPACE}one"])
    "there are country, 'seat\\xa0one'"
    """
    names = [str(other) for other in known]
    close = nearest_names(name, names)
    if close:
        return f"did you mean {' or '.join(map(shown, close))}?"
    return f"{there} {first_few([*map(_format_name, names)], MOST) or 'none'}"


def _format_name(name: str) -> str:
    """Return a name of a list: as it is where it can be told from the others, quoted where it cannot."""
    return name if name.isprintable() and name == name.strip() and name and "," not in name else shown(name)


def _located(where: list[tuple[str, object]], reason: str) -> str:
    place = ", ".join(f"{name} {what}" if name else str(what) for name, what in where if what is not None)
    return f"{place}: {reason}" if place else reason


class NegstatsError(ValueError):
    """Any error that negstats raises on purpose. Its message is one line for the caller, safe to print.

    Parameters
    ----------
    message
        What is wrong and what would do.
    more
        Lines that follow the message: a list, an example.
    advice
        What would do where that is an argument of the function that was called, such as ``"give method='score'"``.
        It ends the message; `statement` is without it, for a plan, whose readers cannot give that argument.

    Examples
    --------
    >>> error = NotEstimable("both shares are 0, so Wald's test has no variance", advice="give method='score'")
    >>> print(error)
    both shares are 0, so Wald's test has no variance; give method='score'
    >>> error.statement
    "both shares are 0, so Wald's test has no variance"
    """

    def __init__(self, message: str = "", more: str = "", *, advice: str = "") -> None:
        self.statement = line(message)
        super().__init__(line(f"{message}; {advice}" if advice else message) + (f"\n{text(more)}" if more else ""))


class LogError(NegstatsError):
    """A log cannot be read.

    Parameters
    ----------
    reason
        What is wrong and what would do, in one sentence.
    file, row, column
        Where. Rows are counted from 1 as the file's own editor counts them: the first line of a text file and
        the header of a sheet are row 1.
    more
        Lines that follow the message.
    """

    def __init__(
        self,
        reason: str,
        *,
        file: str | Path | None = None,
        row: int | None = None,
        column: str | None = None,
        more: str = "",
    ) -> None:
        self.reason, self.file, self.row, self.column, self.more = reason, file, row, column, more
        name = None if column is None else shown(column)
        super().__init__(_located([("", file), ("row", row), ("column", name)], reason), more)


class SchemaError(NegstatsError):
    """A table is not as `negstats.tables` describes it; names the table, column, row and value."""

    def __init__(self, reason: str, *, table: str, column: str | None = None, row: int | None = None) -> None:
        self.reason, self.table, self.column, self.row = reason, table, column, row
        name = None if column is None else shown(column)
        super().__init__(_located([("table", shown(table)), ("column", name), ("row", row)], reason))


class DesignError(NegstatsError):
    """The data do not fit the design that was asked for; the message names the argument, its value and what to give."""


class NotEstimable(DesignError):  # noqa: N818 - the field's word for it
    """The design is right, but these data cannot give the number (zero variance, n = 1, an empty cell)."""


class PlanError(NegstatsError):
    """A plan is wrong. Each of its `faults` is one line: file, line, field, what was found and what would do."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(self.faults[0], "\n".join(self.faults[1:]))


class SheetError(NegstatsError):
    """A game's rule sheet is wrong; names the sheet, the line (from 1) and the word.

    What only shows while the game is played (a role without a move, a goal that is not a number) has no line.
    """

    def __init__(self, reason: str, *, file: str | Path | None = None, line: int | None = None, word: object = None):
        self.reason, self.file, self.line, self.word = reason, file, line, word
        name = None if word is None else shown(word)
        super().__init__(_located([("", file), ("line", line), ("word", name)], reason))


class UsageError(NegstatsError):
    """An argument names something that does not exist: a measure, a factor, a folder, a format."""
