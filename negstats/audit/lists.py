"""Results in a list that share their letter and df: "F(1, 20) = 5.4, 5.7, 7.6 with η² .22, .23, .29, all ps < .05".

A list is said again as single results, which are then read as any other. It is read as a list only where what stands
behind it says so: as many effect sizes, as many p, or one p of all. Without that, what follows a value is left alone.
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from negstats.audit.statistic_patterns import WINDOW, Head, stops
from negstats.audit.words import words_of

WORDS = words_of("lists")


@dataclass(frozen=True, slots=True)
class ResultList:
    """Results that share a head: what each says, where the list ends, and whether it prints p."""

    items: tuple[str, ...]
    end: int
    has_p: bool


def read_list(text: str, head: Head, following: int) -> ResultList | None:
    """Return the results that share a head, each as a sentence says it; None where it has one value.

    Parameters
    ----------
    text
        The clean text.
    head
        A statistic with its first value.
    following
        Where the next statistic starts.

    Examples
    --------
    >>> from negstats.audit.statistic_patterns import head_at, symbols
    >>> text = "F(1, 20) = 5.4, 5.7, 7.6 with η² .22, .23, .29."
    >>> head = head_at(text, next(symbols(text)))
    >>> read_list(text, head, len(text)).items[1:]
    ('F(1, 20) = 5.7, η² = .23', 'F(1, 20) = 7.6, η² = .29')
    """
    more = WORDS.more_values.match(text, head.end, following)
    start, sign, first = text[head.start : head.end].rpartition("=")
    if more is None or not sign:
        return None
    values = [number.strip() for number in (first, *WORDS.value.findall(more[0]))]
    last = min(more.end() + WINDOW, following)
    last = next((stop.start() for stop in stops(text, more.end(), last)), last)
    besides = [(one, _spell(one, len(values))) for one in WORDS.beside.finditer(text, more.end(), last)]
    fitting = [(one, said) for one, said in besides if said]
    if not fitting:
        return None
    items = (", ".join(said) for said in zip(values, *(said for _, said in fitting), strict=True))
    has_p = any(one["p"] for one, _ in fitting)
    return ResultList(tuple(f"{start}= {item}" for item in items), fitting[-1][0].end(), has_p)


def _spell(beside: re.Match[str], count: int) -> tuple[str, ...]:
    """Return of each result of a list the number beside it; none if there are more or fewer, and none is of all."""
    numbers = list(WORDS.related.finditer(beside["values"]))
    name = "p" if beside["p"] else beside["effect"].strip()
    of_all = len(numbers) == 1 and beside["p"] and (beside["all"] or beside["plural"])
    if len(numbers) != count and not of_all:
        return ()
    relation = numbers[0]["relation"] or "="
    said = (f"{name} {one['relation'] or relation} {one['value'].strip()}" for one in numbers)
    return tuple(itertools.islice(itertools.cycle(said), count))
