"""How a document describes its p values: corrected, one-tailed, resampled, and for which part of the text this holds.

A fact holds for the test of its sentence, for a table (said in its caption or note; the tests in it, and those that
mention it), for a paragraph, or for the paper. Of several that hold at a place the narrowest decides, of equally narrow
ones that of the same study, then the nearest; one against ("all tests were two-tailed") decides as one for does.

The wider a fact reaches, the more it must say: for the paper it must be of the tests or p in general, and one about the
level alone ("an alpha corrected to .0125") says nothing about p. What is said of the voxels and clusters of a map of
the brain, of a figure, or of what did not survive says nothing of the p of a test either. The list of references is not
looked at.
"""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

from negstats.audit.statistic_patterns import NUMBER_WORDS
from negstats.audit.words import places, words_of

Kind: TypeAlias = Literal["correction", "one tail", "direction", "sphericity", "resampling", "ranks"]
Finding: TypeAlias = tuple[Kind, bool, bool]  # what a sentence says, whether of the whole paper, and whether against it
KINDS: tuple[Kind, ...] = get_args(Kind)

NEAR = 1500  # characters of a paragraph on each side of a result; a PDF has no others
MOST = 50  # statements of a whole document that are looked through for each result
LONGEST = 1000  # characters of a sentence
LOOK_BACK = 400  # characters in which the start of a sentence is looked for at once
STOP_LENGTH = 4  # characters of the end of a sentence and of what shows that it is one
WORDS, OF_CORRECTIONS = words_of("context"), words_of("corrections")
MOST_NAMED = 200  # tests that a correction is of
LONGEST_TITLE = 30  # characters before the word for a table in its caption
LONGEST_TABLE = 6000  # characters from its caption to its note


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a text: its label ("2"; empty if it has none), and where it starts and ends, with caption and note."""

    label: str
    start: int
    end: int

    def is_named_in(self, sentence: str) -> bool:
        """Return whether a sentence mentions the table."""
        return bool(
            self.label and re.search(rf"\bTables? (?:\w{{1,3}}(?:,| and| to|–|-) ?)?{self.label}(?!\w)", sentence)
        )


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence that says what was done to p, or that it was not.

    Attributes
    ----------
    kind : str
        What it is about: "correction", "one tail", "sphericity", ...
    start, end : int
        Where it stands in the clean text.
    text : str
        The sentence.
    everywhere : bool
        Whether it holds for the whole paper, not for its paragraph alone.
    against : bool
        Whether it says that it was not done: "all tests were two-tailed" of one tail.
    table : Table or None
        The table in whose caption or note it stands, and for which it holds.
    tests_elsewhere : frozenset of int
        Of a correction: how many tests the statements of the whole document name.
    """

    kind: Kind
    start: int
    end: int
    text: str
    everywhere: bool
    against: bool = False
    table: Table | None = None
    tests_elsewhere: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Context:
    """The statements of a document, in its order.

    Examples
    --------
    >>> statements = context("All tests are one-tailed. We found it, t(32) = 1.74, p = .046.")
    >>> [(statement.kind, statement.text) for statement in statements.at(40)]
    [('one tail', 'All tests are one-tailed.')]
    """

    text: str
    statements: tuple[Statement, ...]

    def at(self, place: int, sentence: str = "") -> tuple[Statement, ...]:
        """Return what decides at a place, one statement of each kind; the sentence tells which tables it mentions."""
        if not self.statements:
            return ()
        nearby = [*self._near(place), *self._of_tables(place, sentence)]
        deciding: list[Statement] = []
        for kind, everywhere in self._everywhere.items():
            candidates = [statement for statement in nearby if statement.kind == kind] or everywhere
            deciding += sorted(candidates, key=lambda statement: self._rank(statement, place))[:1]
        return tuple(deciding)

    def _near(self, place: int) -> list[Statement]:
        """Return the statements of the paragraph of a place that are near to it, and of no table."""
        nearest = max(place - NEAR - LONGEST, 0)
        window_start = max(self.text.rfind("\n", nearest, place) + 1, nearest)
        paragraph_end = self.text.find("\n", place, place + NEAR + LONGEST)
        window = slice(bisect.bisect_left(self._starts, window_start), bisect.bisect_right(self._starts, place + NEAR))
        return [
            statement
            for statement in self.statements[window]
            if statement.table is None and (paragraph_end < 0 or statement.end <= paragraph_end)
        ]

    def _of_tables(self, place: int, sentence: str) -> list[Statement]:
        """Return the statements that hold for a table which holds a place, or which a sentence mentions."""
        return [
            statement
            for statement, table in self._tabled
            if table.start <= place < table.end or table.is_named_in(sentence)
        ]

    def _rank(self, statement: Statement, place: int) -> tuple[int, int, int]:
        """Return what decides between statements that hold at a place: how narrow, of which study, and how near."""
        is_own = statement.start <= place < statement.end
        breadth = 0 if is_own else 1 if statement.table is not None else 2
        other_study = bisect.bisect(self._studies, statement.start) != bisect.bisect(self._studies, place)
        return breadth, int(other_study), abs(statement.start - place)

    @functools.cached_property
    def _studies(self) -> list[int]:
        """Where the studies of the paper start."""
        return [study.start() for study in WORDS.study.finditer(self.text)]

    @functools.cached_property
    def _starts(self) -> list[int]:
        """Where the statements start."""
        return [statement.start for statement in self.statements]

    @functools.cached_property
    def _tabled(self) -> list[tuple[Statement, Table]]:
        """The first statements that hold for a table."""
        return [(statement, statement.table) for statement in self.statements if statement.table is not None][:MOST]

    @functools.cached_property
    def _everywhere(self) -> Mapping[Kind, tuple[Statement, ...]]:
        """The first statements of each kind that hold for the whole document; most texts say nothing of most kinds."""
        kinds = {statement.kind for statement in self.statements}
        return {
            kind: tuple(
                [statement for statement in self.statements if statement.kind == kind and statement.everywhere][:MOST]
            )
            for kind in KINDS
            if kind in kinds
        }

    def anywhere(self, *kinds: Kind) -> Statement | None:
        """Return the first statement of these kinds, however far it reaches."""
        statements = (
            statement
            for kind in kinds
            for statement in self.statements
            if statement.kind == kind and not statement.against
        )
        return next(statements, None)


def context(text: str) -> Context:
    """Return what a clean text says of its p."""
    statements = tuple(_statements(text, find_references(text)))
    of_paper = [statement for statement in statements if statement.kind == "correction" and statement.everywhere][:MOST]
    tests = frozenset[int]().union(*(named_tests(statement.text) for statement in of_paper if not statement.against))
    if not tests:
        return Context(text, statements)
    return Context(
        text,
        tuple(
            replace(statement, tests_elsewhere=tests) if statement.kind == "correction" else statement
            for statement in statements
        ),
    )


@functools.lru_cache(maxsize=256)  # a statement is asked for each result that it reaches
def named_tests(text: str) -> frozenset[int]:
    """Return the numbers of tests that a sentence about a correction names.

    Examples
    --------
    >>> sorted(named_tests("P was Bonferroni-corrected for three comparisons (alpha = .05/3)."))
    [3]
    >>> levels = ".0125", ".017", ".0024", ".05", ".04"
    >>> [sorted(named_tests(f"We used Bonferroni tests at an alpha level of {level}.")) for level in levels]
    [[4], [3], [21], [], []]
    """
    numbers = set()
    for match in OF_CORRECTIONS.tests.finditer(text):
        number_text = next(value for value in match.groupdict().values() if value)
        numbers.add(NUMBER_WORDS.get(number_text.lower()) or int(number_text))
    for match in OF_CORRECTIONS.level.finditer(text):
        level = float(match["level"])
        tests = 0.05 / level if level else 0.0
        if tests > 1.5 and abs(tests - round(tests)) < 0.03 * tests:
            numbers.add(round(tests))
    return frozenset(number for number in numbers if 1 < number <= MOST_NAMED)


def find_references(text: str) -> int:
    """Return where the list of references starts, in the second half of a text; else where the text ends.

    Examples
    --------
    >>> text = "They were corrected after Holm, as all p of the paper are. References Holm, S. (1979). A procedure."
    >>> text[:find_references(text)]
    'They were corrected after Holm, as all p of the paper are'
    """
    words = places(text, "references", "bibliography", "literature cited")
    last_word = max(
        (word for word in words if word > len(text) // 2 + 1 and WORDS.references.match(text, word)), default=-1
    )
    return last_word - 1 - (text[last_word - 1] == " ") if last_word >= 0 else len(text)


def _statements(text: str, text_end: int) -> Iterator[Statement]:
    stems = find_stems(text)
    tables = find_tables(text) if stems else []
    groups: dict[tuple[int, int], set[str]] = {}  # of each sentence that has a stem
    sentence_start = sentence_end = 0
    for stem, group in stems:
        if stem >= text_end:
            break
        if stem >= sentence_end:
            sentence_start, sentence_end = find_sentence(text, stem, sentence_end, text_end)
        part_start = sentence_start + (stem - sentence_start) // LONGEST * LONGEST
        groups.setdefault((part_start, min(part_start + LONGEST, sentence_end)), set()).add(group)
    for (part_start, part_end), names in groups.items():
        sentence = text[part_start:part_end].strip()
        if WORDS.entry.search(sentence):
            continue
        paragraph = text.rfind("\n", max(part_start - NEAR, 0), part_start + 1) + 1
        table = next((table for starts, table in tables if paragraph in starts), None)
        caption = table is not None or bool(WORDS.figure.match(text, paragraph))
        for kind, is_general, is_against in _kinds(sentence, names):
            yield Statement(kind, part_start, part_end, sentence, is_general and not caption, is_against, table)


def find_tables(text: str) -> list[tuple[tuple[int, ...], Table]]:
    r"""Return the tables of a text, each with where the paragraphs of its caption and its note start.

    Examples
    --------
    >>> text = "Table 2\nA, F(2, 38) = 8.33, p = .03\nNote. All p are FDR-corrected.\nSo it was."
    >>> [(table.label, text[table.start:table.end][-14:]) for _, table in find_tables(text)]
    [('2', 'FDR-corrected.')]
    """
    tables: list[tuple[tuple[int, ...], Table]] = []
    words = sorted(places(text, "table", "note"))
    paragraphs = dict.fromkeys(text.rfind("\n", max(word - LONGEST_TITLE, 0), word) + 1 for word in words)
    for part_match in filter(None, (WORDS.table_part.match(text, paragraph) for paragraph in paragraphs)):
        line_end = text.find("\n", part_match.end())
        line_end = len(text) if line_end < 0 else line_end
        starts, last_table = tables[-1] if tables else ((), None)
        if part_match["label"]:
            tables.append(((part_match.start(),), Table(part_match["label"], part_match.start(), line_end)))
        elif last_table is not None and len(starts) == 1 and part_match.start() - last_table.start < LONGEST_TABLE:
            tables[-1] = ((*starts, part_match.start()), replace(last_table, end=line_end))
        else:  # the note of a table without a caption
            tables.append(((part_match.start(),), Table("", max(part_match.start() - LONGEST_TABLE // 2, 0), line_end)))
    return tables


def find_sentence(text: str, place: int, least: int, end: int) -> tuple[int, int]:
    """Return where the sentence around a place starts, not before the least place, and where it stops."""
    start, window_end = least, place
    while window_end > least:
        window_start = max(window_end - LOOK_BACK, least)
        stop_ends = [
            stop.end()
            for stop in WORDS.stop.finditer(text, window_start, min(window_end + STOP_LENGTH, end))
            if stop.end() <= place
        ]
        if stop_ends:
            start = stop_ends[-1]
            break
        window_end = window_start
    stops = WORDS.stop.finditer(text, max(place - STOP_LENGTH, start), end)
    return start, next((stop.end() for stop in stops if stop.end() > place), end)


def _kinds(sentence: str, stems: Container[str]) -> Iterator[Finding]:
    """Yield what a sentence with stems of these groups says of p."""
    if "correction" in stems and WORDS.correction.search(sentence):
        is_against = not _corrects(sentence)
        says_nothing = is_against and (not WORDS.not_corrected.search(sentence) or WORDS.level.search(sentence))
        if not says_nothing and not WORDS.map.search(sentence):
            yield "correction", not is_against or bool(WORDS.of_all.search(sentence)), is_against
    if "tail" in stems:
        yield from _tails(sentence)
    if "direction" in stems and WORDS.direction.search(sentence):
        yield "direction", True, False
    if "sphericity" in stems and WORDS.sphericity.search(sentence):
        is_met = bool(WORDS.met.search(sentence))
        yield "sphericity", not is_met, is_met
    if (
        "resampling" in stems
        and WORDS.resampling.search(sentence)
        and (WORDS.of_tests.search(sentence) or not WORDS.one_p.search(sentence))
        and not WORDS.of_classes.search(sentence)
        and not WORDS.map.search(sentence)
    ):
        yield "resampling", not WORDS.result.search(sentence), False
    if "ranks" in stems and WORDS.of_ranks.search(sentence):
        yield "ranks", True, False


def _tails(sentence: str) -> Iterator[Finding]:
    if WORDS.one_tail.search(sentence) and not WORDS.no_tail.search(sentence) and not WORDS.planned.search(sentence):
        # Of one result in its own sentence.
        has_two_tails, is_of_own_result = (
            WORDS.two_tails.search(sentence),
            WORDS.result.search(sentence),
        )
        is_general = not is_of_own_result and any(
            pattern.search(sentence) for pattern in (WORDS.one_tailed_tests, WORDS.direction, WORDS.level)
        )
        is_everywhere = bool(WORDS.of_all.search(sentence) or is_general) and not has_two_tails
        if is_everywhere or not (is_of_own_result or has_two_tails):
            yield "one tail", is_everywhere, False
    elif WORDS.equivalence.search(sentence):
        yield "one tail", False, False
    if WORDS.two_tails.search(sentence) and WORDS.of_all.search(sentence) and not WORDS.one_tail.search(sentence):
        yield "one tail", True, True


def _corrects(sentence: str) -> bool:
    only_named = all(WORDS.of_comparisons.fullmatch(name) for name in WORDS.correction.findall(sentence))
    if not (WORDS.correcting if only_named else WORDS.done).search(sentence) or WORDS.none.search(sentence):
        return False
    return not WORDS.level.search(sentence) or bool(WORDS.of_p.search(sentence))


def find_stems(text: str) -> list[tuple[int, str]]:
    """Return where in a text a word that may be of a statement starts, in order, and the group of its stem."""
    return sorted((place, group) for group, stems in WORDS.table("stems").items() for place in places(text, *stems))
