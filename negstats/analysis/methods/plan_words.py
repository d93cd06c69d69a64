"""The names under which models know factors, numbers and items, and the plan's names for them in what people read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from negstats.analysis.methods.records import TestRecord

# As `TestInput.coded` names columns: f0 with level l1, x0, i0, p0 of a partner; an interaction joins them by a colon.
CODE = re.compile(r"(?<![\w.])([fxip])(\d+)(?:\[(?:[TS]\.)?l(\d+)\])?(?![\w.])")
CROSSED = re.compile(rf"{CODE.pattern}(?::{CODE.pattern})+")


def in_plan_words(
    text: str,
    levels: Mapping[str, Sequence[str]],
    numbers: Sequence[str],
    items: Sequence[str],
    measure: str,
    partners: Sequence[str] = (),
) -> str:
    """Return a text of a model with the plan's names for what the model calls by codes.

    Examples
    --------
    >>> levels = {"condition": ("CL", "FC"), "country": ("China", "USA")}
    >>> in_plan_words("'x0' separates 'value'", levels, ["rounds"], [], "agreed")
    "'rounds' separates 'agreed'"
    >>> in_plan_words("f0[l1]:f1[l1] has no error", levels, [], [], "points")
    'condition = FC × country = USA has no error'
    """
    factors = list(levels)
    named: Mapping[str, Sequence[str]] = {
        "f": factors,
        "x": numbers,
        "i": items,
        "p": [f"{name} of the partner" for name in partners],
    }

    def name(match: re.Match[str]) -> str:
        kind, place, level = match[1], int(match[2]), match[3]
        if place >= len(named[kind]):
            return match[0]
        name = named[kind][place]
        if level is None or int(level) >= len(levels.get(name, ())):
            return name
        return f"{name} = {levels[name][int(level)]}"

    crossed = CROSSED.sub(lambda match: match[0].replace(":", " × "), text)
    return CODE.sub(name, crossed).replace("'value'", f"'{measure}'")


def record_in_plan_words(test: TestRecord, translate: Callable[[str], str]) -> TestRecord:
    """Return a test whose sentences and reasons are translated into the plan's names."""
    why = {field: translate(reason) for field, reason in test.why.items()}
    return replace(test, text=translate(test.text), why=why)
