"""Reported results in a text: where a statistic with its p stands, alone or in a list, in the forms that people write.

A list is said again as single results, which are then read as any other. It is read as a list only where what stands
behind it says so: as many effect sizes, as many p, or one p of all. Without that, what follows a value is left alone.

A result starts with the symbol of a statistic (the head), goes on with df in brackets (or as an index, or after the
value as ``df = 2``), a relation and a value, and ends with p, which may come after an effect size or before the head.
Every step looks at a bounded stretch, so the time is linear in the text.
"""

from __future__ import annotations

import bisect
import dataclasses
import functools
import itertools
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from negstats.audit.columns import said_in
from negstats.audit.context import NEAR, Context, Kind, Statement, context
from negstats.audit.reading import Cleaned, Document, clean
from negstats.audit.statistic_patterns import (
    BEFORE,
    EFFECTS,
    RELATIONS,
    WINDOW,
    Head,
    df_and_n,
    head_at,
    p_after,
    p_number,
    p_of,
    result_windows,
    stops,
    symbols,
    unread,
)
from negstats.audit.statistic_patterns import WORDS as OF_TESTS
from negstats.audit.words import places, words_of
from negstats.errors import DesignError
from negstats.printed_numbers import Printed, printed

LONGEST = 40  # characters behind a stop that tell whether it is one
SENTENCE = 600  # characters of a sentence on each side of a result
WORDS = words_of("find_results")
OPENING_ENDS, CLOSING_STARTS = frozenset("$*_{"), frozenset("$*_}")


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
    start, sign, first_value = text[head.start : head.end].rpartition("=")
    if more is None or not sign:
        return None
    values = [number.strip() for number in (first_value, *WORDS.value.findall(more[0]))]
    window_end = min(more.end() + WINDOW, following)
    window_end = next((stop.start() for stop in stops(text, more.end(), window_end)), window_end)
    # What stands behind the list counts if it has one number for each value.
    beside_matches = [
        (beside_match, _spell(beside_match, len(values)))
        for beside_match in WORDS.beside.finditer(text, more.end(), window_end)
    ]
    fitting_matches = [(beside_match, spelled) for beside_match, spelled in beside_matches if spelled]
    if not fitting_matches:
        return None
    items = (", ".join(spelled) for spelled in zip(values, *(spelled for _, spelled in fitting_matches), strict=True))
    has_p = any(beside_match["p"] for beside_match, _ in fitting_matches)
    return ResultList(tuple(f"{start}= {item}" for item in items), fitting_matches[-1][0].end(), has_p)


def _spell(beside: re.Match[str], count: int) -> tuple[str, ...]:
    """Return of each result of a list the number beside it; none if there are more or fewer, and none is of all."""
    numbers = list(WORDS.related.finditer(beside["values"]))
    name = "p" if beside["p"] else beside["effect"].strip()
    is_of_all = len(numbers) == 1 and beside["p"] and (beside["all"] or beside["plural"])
    if len(numbers) != count and not is_of_all:
        return ()
    relation = numbers[0]["relation"] or "="
    spelled = (f"{name} {one['relation'] or relation} {one['value'].strip()}" for one in numbers)
    return tuple(itertools.islice(itertools.cycle(spelled), count))


@dataclass(frozen=True, slots=True)
class Reported:
    """A result as a text reports it.

    Attributes
    ----------
    kind : str
        "t", "f", "chi2", "g2", "q", "h", "r", "rho", "tau", "z" or "u"; "p" for a p without a statistic.
    df : tuple of Printed
        Degrees of freedom as printed; empty if they are not.
    n : int or None
        Observations, if printed beside the df.
    relation, value
        Of the statistic: "=", "<", ">", "≤" or "≥", and the number; "" and None without one.
    p_relation, p : str, Printed or None
        Of p; ``"ns"`` and None for "n.s.", "" and None where an effect size stands beside the statistic and no p.
    corrected, one_sided : bool
        Whether p is said to be corrected for several tests; whether the sentence speaks of one-sided tests (or of
        equivalence, which is tested with them).
    raw, sentence : str
        What was written, and the sentence that it stands in.
    place : int
        The line or page.
    unread : str
        What is printed of p, where it has lost its exponent or the sign of it; else empty.
    signless : bool
        Whether p is printed without = or <, which its file may have lost.
    facts : tuple of Statement
        The fact that decides here (of the test, its table, its paragraph or the paper) on each of corrections for
        several tests, one tail, corrections for sphericity, permutations and tests of ranks, for it or against it.
    note : str
        What stands at p itself: "Holm-adjusted", "(Bonferroni)".
    tests, tests_of_paragraph, tests_of_text : int
        How many p its sentence or table has, its paragraph, and the whole text.
    paragraph : str
        The paragraph (of a long one the part around), cleaned.
    span : tuple of int
        Where the result starts in `paragraph`, and where what is said beside it ends: at the next statistic, or with
        the sentence.
    """

    kind: str
    df: tuple[Printed, ...]
    n: int | None
    relation: str
    value: Printed | None
    p_relation: str
    p: Printed | None
    corrected: bool
    one_sided: bool
    raw: str
    sentence: str
    place: int
    unread: str = ""
    signless: bool = False
    facts: tuple[Statement, ...] = ()
    note: str = ""
    tests: int = 1
    tests_of_paragraph: int = 1
    tests_of_text: int = 1
    paragraph: str = ""
    span: tuple[int, int] = (0, 0)

    @property
    def statistic(self) -> Printed:
        """The value of the statistic; DesignError for a p without one."""
        if self.value is None:
            raise DesignError(f"{self.raw!r} has no statistic; look at its kind first")
        return self.value

    @property
    def special_p(self) -> bool:
        """Whether p is said to be corrected for several tests, or of one tail."""
        return bool(self.corrected or self.correction or self.one_sided or self.fact("one tail"))

    @property
    def correction(self) -> Statement | None:
        """What the text says for a correction for several tests."""
        return self.fact("correction")

    def fact(self, kind: Kind, *, against: bool = False) -> Statement | None:
        """Return what the text says for something here, or against it, if that decides."""
        return next((fact for fact in self.facts if fact.kind == kind and fact.against == against), None)


class Marks:
    """Where things stand in a text that many results ask for: each part of the text is looked at once."""

    def __init__(self, text: str, heads: Sequence[Head], every_p: Sequence[re.Match[str]]) -> None:
        self._text = text
        self._heads = [head.start for head in heads if head.df or head.kind not in EFFECTS]
        self._tests = [p.start() for p in every_p if p["ns"] or p["value"] or p["bare"] or p["worded"]]
        self._stops: dict[int, list[tuple[int, int]]] = {}
        self._numbers = [head.written for head in heads] + [p["value"] for p in every_p if p["value"]]

    @functools.cached_property
    def has_decimal_commas(self) -> bool:
        """Whether the text prints decimals behind a comma: one number shows it, and none has a point."""
        return any(map(OF_TESTS.decimal_comma.fullmatch, self._numbers)) and not any(
            "." in number for number in self._numbers
        )

    @functools.cached_property
    def _side_words(self) -> list[int]:
        """Where words start that those for one-sided tests have."""
        return sorted(places(self._text, *WORDS.table("one_sided_stems")))

    def is_one_sided(self, first: int, last: int) -> bool:
        """Return whether a sentence between two places speaks of one-sided tests."""
        has_word = bisect.bisect_left(self._side_words, first) < bisect.bisect_left(self._side_words, last)
        return has_word and bool(WORDS.one_sided.search(self._text, first, last))

    def next_head(self, first: int, last: int) -> int:
        """Return where the next statistic starts that is no effect size, or the last place."""
        at = bisect.bisect_left(self._heads, first)
        return min(self._heads[at], last) if at < len(self._heads) else last

    def tests(self, first: int, last: int) -> int:
        """Return how many p there are between two places."""
        return bisect.bisect_left(self._tests, last) - bisect.bisect_left(self._tests, first)

    def sentence(self, start: int, end: int) -> tuple[int, int]:
        """Return where the sentence around a result starts and ends; a very long one is cut."""
        sentence_start, limit = max(start - SENTENCE, 0), min(end + SENTENCE, len(self._text))
        for _, after_stop in self._ends(sentence_start, start):
            sentence_start = after_stop
        return sentence_start, self.stop(end, limit)

    def stop(self, first: int, last: int) -> int:
        """Return where the sentence of what stands between two places ends."""
        return next((at + 1 for at, _ in self._ends(first, last)), last)

    def _ends(self, start: int, limit: int) -> Iterator[tuple[int, int]]:
        """Yield the ends of sentences between two places: their sign, and where the next sentence starts."""
        for block in range(start // SENTENCE, (limit - 1) // SENTENCE + 1):
            if block not in self._stops:
                end = (block + 1) * SENTENCE
                stop_matches = stops(self._text, block * SENTENCE, min(end + LONGEST, len(self._text)))
                self._stops[block] = [match.span() for match in stop_matches if match.start() < end]
            for stop_place, after_stop in self._stops[block]:
                # What follows a stop tells whether it is one: it must stand before the last place, too.
                if start <= stop_place and after_stop + (self._text[stop_place] != "\n") <= limit:
                    yield stop_place, after_stop


def find(paper: Document, statements: Context | None = None, cleaned: Cleaned | None = None) -> Iterator[Reported]:
    """Yield the results that a text reports, in order; a statistic without any p is none.

    A p with decimals that belongs to no statistic is yielded as well: it stands for a result that cannot be checked.

    Examples
    --------
    >>> from negstats.audit.reading import document
    >>> text = "Customers differed, t(49) = 4.12, p < .001, and so did walk-aways (χ² [2, N = 289], = 7.63, p=.02)."
    >>> for result in find(document(text)):
    ...     print(result.kind, [str(df) for df in result.df], result.n, result.value, result.p_relation, result.p)
    t ['49'] None 4.12 < 0.001
    chi2 ['2'] 289 7.63 = 0.02
    """
    cleaned = cleaned or clean(paper.text)
    statements = statements or context(cleaned.text)
    windows = result_windows(cleaned.text)
    heads = list(_heads(cleaned.text, windows))
    every_p = [p_match for first, last in windows for p_match in OF_TESTS.p_is.finditer(cleaned.text, first, last)]
    marks = Marks(cleaned.text, heads, every_p)
    pairs: list[tuple[Head | None, re.Match[str]]] = []
    of_lists: list[tuple[int, ResultList]] = []
    last_end = 0  # where the p of the last result ends
    for index, head in enumerate(heads):
        following = heads[index + 1].start if index + 1 < len(heads) else len(cleaned.text)
        if listed := read_list(cleaned.text, head, following):
            last_end = listed.end
            of_lists.append((head.start, listed))
            continue
        p_match = p_of(cleaned.text, head, following, last_end)
        if p_match is not None and not _is_legend(paper.text, cleaned.origin(p_match.start())):
            last_end = max(p_match.end(), head.end)
            pairs.append((head, p_match))
    pairs += [(None, p_match) for p_match in _find_bare_p(every_p, pairs, of_lists)]
    rows_and_lists = [
        *_find_in_grids(paper, cleaned, statements),
        *_find_in_lists(paper, cleaned, statements, marks, of_lists),
    ]
    pending = deque(sorted(rows_and_lists, key=lambda pair: pair[0]))
    for at, p_match in sorted(pairs, key=lambda pair: pair[1].start()):
        while pending and pending[0][0] <= p_match.start():
            yield pending.popleft()[1]
        yield _reported(paper, cleaned, statements, at, p_match, marks)
    yield from (result for _, result in pending)


def _is_legend(text: str, place: int) -> bool:
    """Return whether a p explains the stars of a table: "*p < .05", which no star ends as one does "*p* < .05"."""
    return bool(WORDS.legend.match(text, place - 1)) if place else False


def _find_in_grids(paper: Document, clean_text: Cleaned, statements: Context) -> Iterator[tuple[int, Reported]]:
    """Yield the results of rows of tables and where each row starts in the clean text."""
    for rows in map(list, map(said_in, paper.grids)):
        for start, label, line in rows:
            place = clean_text.place(start)
            if (result := _read_line(paper, clean_text, statements, line, place)) is not None:
                sentence = f"{label}: {line}" if label else line
                yield place, dataclasses.replace(result, place=paper.place(start), sentence=sentence, tests=len(rows))


def _find_in_lists(
    paper: Document, cleaned: Cleaned, statements: Context, marks: Marks, of_lists: Sequence[tuple[int, ResultList]]
) -> Iterator[tuple[int, Reported]]:
    """Yield each result of lists, and where its list starts."""
    for start, listed in of_lists:
        beginning, stop = marks.sentence(start, listed.end)
        sentence, tests = cleaned.text[beginning:stop].strip(), marks.tests(beginning, stop) + len(listed.items) - 1
        for item in listed.items:
            result = _read_line(paper, cleaned, statements, item if listed.has_p else f"{item}, n.s.", start)
            if result is not None:
                result = dataclasses.replace(result, raw=item, sentence=sentence, tests=tests)
                yield start, result if listed.has_p else dataclasses.replace(result, p_relation="", p=None)


def _read_line(paper: Document, clean_text: Cleaned, statements: Context, line: str, place: int) -> Reported | None:
    """Return the result of a row of a table, or of a list, as a line says it that stands for it at a place."""
    text = clean(line).text
    heads = [head for match in symbols(text) if (head := head_at(text, match)) is not None]
    heads = [head for head in heads if head.kind not in EFFECTS] or heads
    p_match = p_after(text, heads[0], len(text)) if heads else OF_TESTS.p_is.search(text)
    if p_match is None:
        return None
    marks = Marks(text, heads, list(OF_TESTS.p_is.finditer(text)))
    row, clean_line = Document("", text, (0,), (1,)), Cleaned(text, (0,), (0,))
    result = _reported(row, clean_line, Context(text, ()), heads[0] if heads else None, p_match, marks)
    facts, place_in_paper = statements.at(place, line), paper.place(clean_text.origin(place))
    return dataclasses.replace(result, raw=line, place=place_in_paper, facts=facts, span=(0, len(text)))


def _value(head: Head, p_match: re.Match[str], marks: Marks) -> Printed:
    """Return the value of a statistic; 1,234 has three decimals where its p or its text has decimal commas."""
    if ("," in (p_match["value"] or "") or marks.has_decimal_commas) and WORDS.thousands.fullmatch(head.written):
        return printed(head.written.replace(",", "."))
    return head.value


def _find_bare_p(
    every_p: Iterable[re.Match[str]],
    pairs: Iterable[tuple[Head | None, re.Match[str]]],
    of_lists: Sequence[tuple[int, ResultList]],
) -> list[re.Match[str]]:
    """Return the p that belong to no statistic and to no list: those without a value, or with one that p can have."""
    used_places = {p_match.start() for _, p_match in pairs}
    return [
        p_match
        for p_match in every_p
        if p_match.start() not in used_places
        and not any(start < p_match.start() < listed.end for start, listed in of_lists)
        and (p_match["ns"] or (p_match["value"] and 0 <= float(p_number(p_match)) < 1))
    ]


def _heads(text: str, windows: Sequence[tuple[int, int]]) -> Iterator[Head]:
    """Yield the statistics of a text, but not an r or W that is the effect size of the one before it."""
    last_head: Head | None = None
    for match in itertools.chain.from_iterable(symbols(text, first, end) for first, end in windows):
        head = head_at(text, match)
        if head is None:
            continue
        if (
            last_head is not None
            and head.kind in EFFECTS
            and not head.df
            and head.n is None
            and last_head.kind not in EFFECTS
        ):
            # An effect size soon after a statistic, with no p or stop between, is that of the statistic.
            text_between = text[last_head.end : head.start]
            if (
                len(text_between) <= WINDOW
                and not OF_TESTS.p_is.search(text_between)
                and not any(stops(text, last_head.end, head.start))
            ):
                continue
        yield head
        last_head = head


def _reported(
    paper: Document, clean_text: Cleaned, statements: Context, head: Head | None, p_match: re.Match[str], marks: Marks
) -> Reported:
    text = clean_text.text
    start, end = p_match.span()
    if head is not None:
        start, end = min(head.start, start), max(head.end, end)
    df, n = _find_all_df_and_n(text, head, p_match)
    note = _join_notes(text, head, p_match)
    beginning, stop = marks.sentence(start, end)
    is_silent = bool(p_match["ns"] or p_match["alone"] or p_match["capitals"])
    paragraph_start, paragraph_end = _find_paragraph(text, start, end)
    return Reported(
        kind=head.kind if head else "p",
        df=df,
        n=n,
        relation=head.relation if head else "",
        value=_value(head, p_match, marks) if head else None,
        p_relation="ns" if is_silent else RELATIONS.get(p_match["relation"], p_match["relation"] or "="),
        p=None if is_silent else p_number(p_match),
        corrected=bool(WORDS.corrected.search(note)) and not WORDS.sphericity.search(note),
        one_sided=marks.is_one_sided(beginning, stop),
        raw=_raw(paper.text, clean_text.origin(start), clean_text.origin(end - 1) + 1),
        sentence=text[beginning:stop].strip(),
        place=paper.place(clean_text.origin(start)),
        unread=unread(text, p_match),
        signless=bool(p_match["bare"]),
        facts=statements.at(start, text[beginning:stop]),
        note=note,
        tests=marks.tests(beginning, stop),
        tests_of_paragraph=marks.tests(paragraph_start, paragraph_end),
        tests_of_text=marks.tests(0, len(text)),
        paragraph=text[paragraph_start:paragraph_end],
        span=(start - paragraph_start, marks.next_head(end, marks.stop(end, paragraph_end)) - paragraph_start),
    )


def _find_all_df_and_n(text: str, head: Head | None, p_match: re.Match[str]) -> tuple[tuple[Printed, ...], int | None]:
    """Return df and n of a result: of its head, of what stands between it and p, or of what stands behind p."""
    df, n = _find_df_and_n(head, text[head.end : p_match.start()]) if head else ((), None)
    end = max(head.end if head else 0, p_match.end())  # p may lead its statistic
    if n is None and (size := WORDS.n_behind.match(text, end)):
        n = int(size[1].replace(",", ""))
    if head is not None and not df and (df_behind := WORDS.df_behind.match(text, end)):
        bracket_df = df_and_n(df_behind[1] or df_behind[2], head.kind)
        df = bracket_df[0] if bracket_df and head.kind not in ("z", "u", "tau") else ()
    if head is not None and text[head.start] == "R" and not df:
        n = None  # R may be of several predictors: n gives it no df
    return df, n


def _join_notes(text: str, head: Head | None, p_match: re.Match[str]) -> str:
    """Return what is said around p of the way it was computed: "Holm-adjusted p", "(two-tailed)"."""
    after_match = WORDS.after_p.match(text, p_match.end())
    head_end = head.end if head and head.end <= p_match.start() else 0
    before_match = WORDS.before_p.search(text, max(head_end, p_match.start() - BEFORE), p_match.start())
    text_after = after_match and (after_match["note"] or after_match["words"])
    parts = [before_match and before_match[0], p_match["tag"], p_match["note"], text_after]
    return " ".join(filter(None, parts))


def _find_paragraph(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where the paragraph of a result begins and ends; both bounded, for a text may be one line."""
    nearest = max(start - NEAR, 0)
    paragraph_start = max(text.rfind("\n", nearest, start) + 1, nearest)
    paragraph_end = text.find("\n", end, end + NEAR)
    return paragraph_start, min(end + NEAR, len(text)) if paragraph_end < 0 else paragraph_end


def _find_df_and_n(head: Head, text_between: str) -> tuple[tuple[Printed, ...], int | None]:
    """Return df and n of a statistic, from its brackets or from what stands between its value and p."""
    df, n = head.df, head.n
    if not df and head.kind == "f" and (pair := WORDS.df_pair.match(text_between)):
        df = (printed(pair[1]), printed(pair[2]))
    if not df and head.kind == "t" and (df_of_t_match := WORDS.df_of_t.match(text_between)):
        df = (printed(df_of_t_match[1]),)
    if not df and head.kind not in ("z", "u", "tau") and (df_match := WORDS.df_is.search(text_between)):
        bracket_df = df_and_n(df_match[1] or df_match[2], head.kind)
        df = bracket_df[0] if bracket_df else ()
    if n is None and (size := OF_TESTS.n_is.search(text_between)):
        n = int(size[1].replace(",", ""))
    return df, n


def _raw(text: str, start: int, end: int) -> str:
    """Return what was written from `start` to `end` and the marks around it, on one line."""
    opening = (
        WORDS.opening.search(text[max(start - 20, 0) : start]) if text[start - 1 : start] in OPENING_ENDS else None
    )
    closing = WORDS.closing.match(text[end : end + 9]) if text[end : end + 1] in CLOSING_STARTS else None
    n_before, n_behind = len(opening[0]) if opening else 0, len(closing[0]) if closing else 0
    return " ".join(text[start - n_before : end + n_behind].split())
