"""A value of a mapping file with its place there, so that what is wrong with it is told by its key and line."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from negstats.errors import LogError, meant, shown
from negstats.toml_text import Place

Key: TypeAlias = str | Place  # below a field; a text may name several steps, with points between them

_SPELLED: dict[type, str] = {
    dict: 'a table such as { prefix = "accept_" }',
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}


@dataclass(frozen=True, slots=True)
class Field:
    """A value of a mapping file, and where it stands.

    Attributes
    ----------
    value : object
        The value; that of a key that is not there is what stands for it.
    file : pathlib.Path
        The mapping file.
    lines : mapping of tuple to int
        The line of each place of the file.
    path : tuple of str and int
        The place of the value.
    """

    value: Any
    file: Path
    lines: Mapping[Place, int]
    path: Place = ()

    @property
    def name(self) -> str:
        """The place as messages name it: ``part 2, offers.accepted``."""
        if len(self.path) < 2 or not isinstance(self.path[1], int):
            return ".".join(map(str, self.path))
        below = ".".join(map(str, self.path[2:]))
        return f"{self.path[0]} {self.path[1] + 1}{', ' if below else ''}{below}"

    @property
    def section(self) -> str:
        """The section of a part in which the value stands."""
        return str(next((step for step in self.path if step != "part" and not isinstance(step, int)), ""))

    def fault(self, reason: str, key: Key = ()) -> LogError:
        """Return the error of this place, on the line of a `key` in it or, without one, of the nearest table."""
        path = self._below(key)
        line = next((self.lines[path[:size]] for size in range(len(path), 0, -1) if path[:size] in self.lines), None)
        where = "" if line is None else f"line {line}: "
        return LogError(f"{where}{self.name}: {reason}" if self.path else f"{where}{reason}", file=self.file)

    def _below(self, key: Key) -> Place:
        return (*self.path, *(key.split(".") if isinstance(key, str) else key))

    def at(self, key: Key, value: object = None) -> Field:
        """Return the place of a key in this one, with another value."""
        return replace(self, value=value, path=self._below(key))

    def get(self, key: str, default: object = None) -> Field:
        """Return what stands behind a key of this table, or a value for it."""
        return replace(self, value=self.value.get(key, default), path=(*self.path, key))

    def refuse(self, *rules: tuple[Key, object, str]) -> None:
        """Raise the error of the first key of which something wrong holds, with the reason."""
        for key, is_wrong, reason in rules:
            if is_wrong:
                raise self.at(key).fault(reason)

    def known(self, keys: Collection[str]) -> None:
        """Refuse a key that is not one of `keys`; no keys at all means that any will do."""
        for key in self.value:
            if keys and key not in keys:
                raise self.fault(f"there is no key {shown(key)}; {meant(key, keys, 'it may have')}", (key,))

    def table(self, keys: Collection[str] = ()) -> dict[str, Field]:
        """Return the fields of a table that has no other keys than these."""
        if not isinstance(self.value, dict):
            section = self.name.rpartition(" ")[2]
            raise self.fault(f"{shown(self.value)} is not a section; write [{section}] and its keys below")
        self.known(keys)
        return {key: self.get(key) for key in self.value}

    def typed(self, kind: type) -> Any:
        """Return the value, which must be of a kind."""
        is_truth = isinstance(self.value, bool)
        fits = isinstance(self.value, (int, float) if kind is float else kind) and (kind is bool or not is_truth)
        if not fits or (kind is float and not math.isfinite(self.value)):
            raise self.fault(f"{shown(self.value)} is not {_SPELLED[kind]}")
        return self.value

    def one_of(self, words: Collection[str]) -> Any:
        """Return the value, which must be one of some words."""
        if not isinstance(self.value, str) or self.value not in words:
            raise self.fault(f"{shown(self.value)} is not one of {', '.join(map(repr, words))}")
        return self.value

    def texts(self) -> list[str]:
        """Return the value as texts: a list, or one alone."""
        values = self.value if isinstance(self.value, list) else [self.value]
        if not all(isinstance(item, (str, int, float)) and not isinstance(item, bool) for item in values):
            raise self.fault(f'{shown(self.value)} is not a list of texts such as ["1", "yes"]')
        return [str(item) for item in values]
