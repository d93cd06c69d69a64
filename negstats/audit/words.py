"""The words and forms that the audit knows (``words.toml``), and where words stand in a text, regardless of case.

To look for plain words takes a tenth of a pattern's time, and a pattern is compiled only where it is first asked for:
a text that speaks of no correction does not pay for the words of corrections.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

LIKE_ASCII = {"ſ": "s", "ı": "i", "İ": "i", "\u212a": "k"}  # for `re`, where case is ignored


@functools.lru_cache(maxsize=4)  # a text is searched for words of several kinds in turn
def in_small_letters(text: str) -> str:
    """Return a text of the same length in small letters, with ? for what is beyond ASCII.

    Examples
    --------
    >>> in_small_letters("Χ² of One of")
    '?? of one of'
    """
    if not text.isascii():
        for letter, alike in LIKE_ASCII.items():
            text = text.replace(letter, alike)
    return text.encode("ascii", "replace").lower().decode("ascii")


def places(text: str, *stems: str) -> Iterator[int]:
    """Yield where one of several stems after the other stands; letters beyond ASCII are taken for one another.

    Examples
    --------
    >>> list(places("Šidák, or Bonferroni-Šidák", "šidák", "or"))
    [0, 21, 7]
    """
    lower = in_small_letters(text)
    for stem in stems:
        letters = stem.encode("ascii", "replace").decode("ascii")
        position = lower.find(letters)
        while position >= 0:
            yield position
            position = lower.find(letters, position + 1)


@functools.cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    tables: dict[str, dict[str, Any]] = tomllib.loads(files("negstats.audit").joinpath("words.toml").read_text("utf-8"))
    return tables


class Words:
    """The forms that a module looks for, by name.

    Parameters
    ----------
    module : str
        The name of its table.

    Examples
    --------
    >>> bool(words_of("context").equivalence.search("A TOST was made."))
    True
    """

    def __init__(self, module: str) -> None:
        self._table = _tables()[module]
        self._any_case = self._table.get("any_case", {})
        self._groups: dict[str, Mapping[str, re.Pattern[str]]] = {}

    def __getattr__(self, name: str) -> re.Pattern[str]:
        if name.startswith("_"):
            raise AttributeError(name)
        pattern = re.compile(self.text(name), re.I if name in self._any_case else 0)
        self.__dict__[name] = pattern
        return pattern

    def text(self, name: str) -> str:
        """Return a form as a regular expression, with those that it names in place of their names."""
        is_own = name in self._table or name in self._any_case or self is words_of("parts")
        return self.spell(self.table(name)) if is_own else words_of("parts").text(name)

    def table(self, name: str) -> Any:
        """Return what stands under a name: a form, words, or a table of either."""
        table = self._any_case if name in self._any_case else self._table
        if name not in table:
            raise AttributeError(name)
        return table[name]

    def group(self, name: str) -> Mapping[str, re.Pattern[str]]:
        """Return the forms of a table by their names."""
        if name not in self._groups:
            flags = re.I if name in self._any_case else 0
            self._groups[name] = {k: re.compile(self.spell(form), flags) for k, form in self.table(name).items()}
        return self._groups[name]

    def spell(self, form: Any) -> str:
        """Return a form, its alternatives (each of which may be in pieces), or those of a table, named, as one."""
        if isinstance(form, Mapping):
            return "|".join(f"(?P<{key}>{self.spell(alternative)})" for key, alternative in form.items())
        if not isinstance(form, str):
            form = "|".join("".join(alternative) for alternative in form)
        return re.sub(r"\(\?&(\w+)\)", lambda reference: self.text(reference[1]), form)


words_of = functools.cache(Words)
