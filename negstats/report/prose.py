"""Sentences with slots: text in runs, and for each number the place in ``results.json`` from which it is rounded.

A template is text in which ``*…*`` is set in italics, ``**…**`` in bold, and ``{name}`` is a slot. What a log or a plan
says comes in by slots alone, so that no mark in it is taken for ours. A statistic never breaks over lines: the blanks
around its sign of equality, and inside an interval, do not break.

>>> from negstats.report.numerals import rounded
>>> text = prose("*t*({df}) = {t}", df="65", t=rounded(2.4605, "statistic", "/tests/0/statistic"))
>>> str(text), [slot.address for slot in text.slots]
('t(65) = 2.46', ['/tests/0/statistic'])
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from negstats.sanitize import capitalised, line

Style: TypeAlias = Literal["", "i", "b"]
NO_BREAK = "\u00a0"
TOKEN = re.compile(r"\*\*|\*|\{(\w+)\}")
INDEX = re.compile(r"_([zsb]|diff|[A-Z][A-Za-z]+)(?!\w)")
SYMBOL_WITH_INDEX = re.compile(r"(\w)_([zsb])")
SIGN = re.compile(r" ([=<>]) ")
SYMBOL_OF_NUMBER = re.compile(r"\b(N|n|M|SD|r|t|F|p)(?=[ \u00a0][=<>][ \u00a0])")
SENTENCE_END = re.compile(r"(?<=\.) (?=[A-Z]|$)")  # in a template: its own words have no other stops


@dataclass(frozen=True, slots=True)
class Slot:
    """A number of a sentence: where it stands in ``results.json``, and how it is rounded.

    Attributes
    ----------
    address : str
        A JSON pointer, such as ``/questions/0/tests/0/p``.
    kind : str
        One of `negstats.report.numerals.KINDS`.
    digits : int
        Decimals.
    """

    address: str
    kind: str
    digits: int = 2


@dataclass(frozen=True, slots=True)
class Run:
    """Text of one style; a number has its slot, and what the data or the plan call something is not a word of ours.

    A run that `is_break` is the blank between two sentences.
    """

    text: str
    style: Style = ""
    slot: Slot | None = None
    named: bool = False
    is_break: bool = False


BREAK = Run(" ", is_break=True)


@dataclass(frozen=True, slots=True)
class Prose:
    """A sentence or several, in runs."""

    runs: tuple[Run, ...] = ()

    def __str__(self) -> str:
        return plain("".join(run.text for run in self.runs))

    def __bool__(self) -> bool:
        return any(run.text for run in self.runs)

    def __add__(self, other: Prose) -> Prose:
        return Prose((*self.runs, *other.runs))

    @property
    def slots(self) -> tuple[Slot, ...]:
        """The slots of its numbers, in order."""
        return tuple(run.slot for run in self.runs if run.slot is not None)

    @property
    def sentences(self) -> tuple[Prose, ...]:
        """Its sentences, without the blanks between them.

        Examples
        --------
        >>> [str(one) for one in prose("*d* = {d}. It is small.", d="0.10").sentences]
        ['d = 0.10.', 'It is small.']
        """
        whole: list[list[Run]] = [[]]
        for run in self.runs:
            if run.is_break:
                whole.append([])
            else:
                whole[-1].append(run)
        return tuple(Prose(tuple(runs)) for runs in whole if runs)

    @property
    def capitalised(self) -> Prose:
        """The same at the beginning of a sentence: a capital letter, a count in words; a name keeps its own letters."""
        if not self.runs or self.runs[0].named:
            return self
        first, rest = self.runs[0], self.runs[1:]
        digits = first.text.replace(",", "")
        if digits.isdigit() and first.slot is not None and first.slot.kind == "count":
            if int(digits) >= 100:
                return Prose((Run("A total of "), first, *rest))
            first = replace(first, text=number_words(int(digits)))
        return Prose((replace(first, text=capitalised(first.text)), *rest))


ONES = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def number_words(count: int) -> str:
    """Return a count in words; from a hundred on in figures.

    Examples
    --------
    >>> number_words(7), number_words(66), number_words(90), number_words(1030)
    ('seven', 'sixty-six', 'ninety', '1,030')
    """
    if count >= 100:
        return f"{count:,}"
    if count < len(ONES):
        return ONES[count]
    tens, ones = TENS[count // 10 - 2], count % 10
    return f"{tens}-{ONES[ones]}" if ones else tens


Value: TypeAlias = "str | int | Prose | Run"


def prose(template: str, **slots: Value) -> Prose:
    """Return a template with its slots filled; text in a slot is a name of the data or the plan."""
    return Prose(tuple(run for run in _runs(template, slots) if run.text))


def _runs(template: str, slots: dict[str, Value]) -> Iterator[Run]:
    style: Style = ""
    start = 0
    for token in TOKEN.finditer(template):
        yield from _own_runs(template[start : token.start()], style)
        start = token.end()
        if token[1] is None:
            mark: Style = "b" if token[0] == "**" else "i"
            style = "" if style == mark else mark
            continue
        value = slots[token[1]]
        if isinstance(value, Prose):
            yield from (replace(run, style=run.style or style) for run in value.runs)
        elif isinstance(value, Run):
            yield replace(value, style=value.style or style)
        else:
            yield Run(line(value, 2000), style, named=True)
    yield from _own_runs(template[start:], style)


def _own_runs(words: str, style: Style) -> Iterator[Run]:
    """Yield words of a template, apart where one sentence ends and another begins."""
    for place, sentence in enumerate(SENTENCE_END.split(words)):
        if place:
            yield BREAK
        yield Run(_tied(sentence), style)


def with_indices(text: Prose) -> Iterator[tuple[Run, bool]]:
    r"""Yield the runs of a text, and of each whether it is the index of a symbol: the z of "d_z", the s of "r_s".

    Examples
    --------
    >>> [(run.text, is_index) for run, is_index in with_indices(prose("*d*_z = 0.30"))]
    [('d', False), ('z', True), ('\xa0=\xa00.30', False)]
    """
    is_symbol = False
    for run in text.runs:
        whole = run.style == "i" and SYMBOL_WITH_INDEX.fullmatch(run.text)
        behind = INDEX.match(run.text) if is_symbol else None
        if whole:
            yield replace(run, text=whole[1]), False
            yield replace(run, text=whole[2]), True
        elif behind:
            yield replace(run, text=behind[1]), True
            yield replace(run, text=run.text[behind.end() :]), False
        else:
            yield run, False
        is_symbol = run.style == "i" and len(run.text) == 1


def with_symbols(text: str) -> Prose:
    """Return a plain text with the symbols of its statistics in italics: the N of "N = 66".

    Examples
    --------
    >>> [run.style for run in with_symbols("Bars: 95% CI, n = 3.").runs]
    ['', 'i', '']
    """
    parts = SYMBOL_OF_NUMBER.split(line(text, 2000))
    runs = (Run(part, "i" if place % 2 else "", named=not place % 2) for place, part in enumerate(parts) if part)
    return Prose(tuple(runs))


def _tied(text: str) -> str:
    return SIGN.sub(rf"{NO_BREAK}\1{NO_BREAK}", text).replace("% CI [", f"%{NO_BREAK}CI{NO_BREAK}[")


def join(parts: Iterable[Prose], between: str | None = None) -> Prose:
    """Return several texts as one; they are sentences where nothing else stands between them."""
    gap = BREAK if between is None else Run(between)
    whole: list[Run] = []
    for part in parts:
        if part:
            whole += [gap] if whole and gap.text else []
            whole += part.runs
    return Prose(tuple(whole))


def listed(parts: Sequence[Prose], last: str = "and") -> Prose:
    """Return parts as a list in a sentence."""
    if len(parts) < 2:
        return join(parts)
    return join([join(parts[:-1], ", "), parts[-1]], f" {last} " if len(parts) == 2 else f", {last} ")


def plain(text: str) -> str:
    """Return text whose blanks may break."""
    return text.replace(NO_BREAK, " ")
