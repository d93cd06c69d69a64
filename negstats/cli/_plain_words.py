"""The plain words of a command, read without pydantic, whose import takes typer longer than a short command takes.

What is read here is read as typer reads it. Whatever is not plain (help, an option that is none, a value that is
missing or does not fit, an option that is written twice) is left to typer, which alone says what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from inspect import Parameter, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, ParameterInfo

_NUMBERS = {int: re.compile(r"[0-9]{1,15}"), float: re.compile(r"[0-9]*\.?[0-9]{1,15}(?:e-?[0-9]{1,2})?")}
_SPECIAL = ("callback", "parser", "click_type", "envvar", "prompt", "count", "exists", "resolve_path")


@dataclass(frozen=True, slots=True)
class _Word:
    """An option or argument of a command: its name there, the type of its values, and what typer knows of it."""

    name: str
    type: Any  # of one value; None if it is left to typer
    is_list: bool
    default: Any
    info: ParameterInfo

    def read(self, value: str) -> Any:
        """Return a value as its type; None if it is not plain."""
        if self.type is None or not value or value.startswith("-"):
            return None
        if pattern := _NUMBERS.get(self.type):
            low, high = self.info.min, self.info.max
            number = self.type(value) if pattern.fullmatch(value) else None
            if number is None or (low is not None and number < low) or (high is not None and number > high):
                return None
            return number
        return self.type(value)


def read_plain_words(command: Callable[..., Any], words: Sequence[str]) -> dict[str, Any] | None:
    """Return the arguments with which typer would call a command; None if typer itself must read them.

    Parameters
    ----------
    command
        With parameters that are annotated as typer's options and arguments.
    words
        What was written after the command's name.

    Examples
    --------
    >>> import typer
    >>> def greet(name: Annotated[str, typer.Argument()], times: Annotated[int, typer.Option()] = 1) -> None: ...
    >>> read_plain_words(greet, ["Ann", "--times", "3"])
    {'name': 'Ann', 'times': 3}
    >>> read_plain_words(greet, ["Ann", "--times", "often"]) is None
    True
    """
    parameters = _list_parameters(command)
    if parameters is None:
        return None
    options = {name: (one, value) for one in parameters for name, value in _list_options(one)}
    values: dict[str, Any] = {}
    places: list[str] = []
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if not word.startswith("-"):
            places.append(word)
            continue
        if name not in options:
            return None
        one, constant = options[name]
        content = constant if constant is not None else one.read(value if equals else next(rest, ""))
        if content is None or (one.name in values and not one.is_list) or (constant is not None and equals):
            return None
        values[one.name] = [*values.get(one.name, []), content] if one.is_list else content
    for one in parameters:
        if isinstance(one.info, ArgumentInfo) and places:
            contents = [one.read(word) for word in (places if one.is_list else places[:1])]
            if None in contents:
                return None
            values[one.name] = contents if one.is_list else contents[0]
            places = [] if one.is_list else places[1:]
        if values.setdefault(one.name, one.default) is Parameter.empty:
            return None
    return None if places else {one.name: values[one.name] for one in parameters}


def _list_parameters(command: Callable[..., Any]) -> list[_Word] | None:
    """Return the options and arguments of a command; None if one of them is read from elsewhere than its words."""
    hints = get_type_hints(command, include_extras=True)
    parameters = []
    for name, parameter in signature(command).parameters.items():
        if get_origin(hints[name]) is not Annotated:
            return None
        kind, info = get_args(hints[name])[:2]
        if any(getattr(info, special, None) for special in _SPECIAL):
            return None
        if get_origin(kind) in (Union, UnionType):
            kind = next(one for one in get_args(kind) if one is not NoneType)
        is_list = get_origin(kind) is list
        kind = get_args(kind)[0] if is_list else kind
        parameters.append(
            _Word(name, kind if kind in (str, int, float, bool, Path) else None, is_list, parameter.default, info)
        )
    return parameters


def _list_options(one: _Word) -> list[tuple[str, bool | None]]:
    """Return how an option is written, and of a flag what it says."""
    if isinstance(one.info, ArgumentInfo):
        return []
    name = one.name.replace("_", "-")
    # Inside Annotated the first name of an option stands where its default would.
    written = [word for word in (one.info.default, *(one.info.param_decls or ())) if isinstance(word, str)]
    written = written or [f"--{name}/--no-{name}" if one.type is bool else f"--{name}"]
    if one.type is not bool:
        return [(name, None) for name in written]
    pairs = [name.partition("/") for name in written]
    flags: list[tuple[str, bool | None]] = [(name, True) for name, _, _ in pairs]
    return [*flags, *((name, False) for _, _, name in pairs if name)]
