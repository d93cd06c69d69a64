"""Renders the sentences of ``words.toml``: of each the first wording whose condition holds, its slots filled by facts.

>>> from types import SimpleNamespace
>>> facts = SimpleNamespace(found=False, size="0.31 points")
>>> str(render(facts, [["found", "They differed by {size}."], ["!found", "They differed by less than {size}."]]))
'They differed by less than 0.31 points.'
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, TypeAlias

from negstats.report.prose import Prose, Value, prose

SLOT = re.compile(r"\{(\w+)\}")
VERDICT = "verdict"
Wordings: TypeAlias = "Sequence[Sequence[str]]"


@cache
def load_words() -> Mapping[str, Any]:
    """Return the tables of ``words.toml``."""
    return tomllib.loads((files("negstats.report") / "sentences" / "words.toml").read_text("utf-8"))


def holds(facts: object, condition: str) -> bool:
    """Return whether all facts of a condition are there, those behind ``!`` not, those with ``=`` as they say."""
    return all(_is_there(facts, name.removeprefix("!")) != name.startswith("!") for name in condition.split())


def _is_there(facts: object, name: str) -> bool:
    fact, is_compared, value = name.partition("=")
    known = getattr(facts, fact)
    return str(known).replace(" ", "_") == value if is_compared else bool(known)


def render(facts: object, wordings: Wordings) -> Prose:
    """Return the first wording whose condition holds, its slots filled; empty where none does.

    A slot that is empty, such as an interval that could not be computed, takes the comma before it along.
    """
    words = next((words for condition, words in wordings if holds(facts, condition)), "")
    values = {name: _fill(facts, name) for name in SLOT.findall(words)}
    for name, value in values.items():
        if not str(value):
            words = words.replace(f", {{{name}}}", "")
    return prose(words, **values)


def render_tables(facts: object, method: str, verdict: Sequence[Prose] = ()) -> Iterator[Prose]:
    """Yield the sentences of the first table of a method whose condition holds, with the verdict at its place."""
    words = load_words()
    tables = (words["tables"][name] for name in words["methods"].get(method, ["effect"]))
    sentences: list[Any] = next((table["sentences"] for table in tables if holds(facts, table.get("when", ""))), [])
    for wordings in sentences:
        yield from verdict if wordings == VERDICT else [render(facts, wordings).capitalised]
    if VERDICT not in sentences:
        yield from verdict


def _fill(facts: object, name: str) -> Value:
    phrase = load_words()["phrases"].get(name)
    value: Value = getattr(facts, name) if phrase is None else render(facts, phrase)
    return value
