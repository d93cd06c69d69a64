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

from negstats.audit.corrections import named_tests
from negstats.audit.words import places

Kind: TypeAlias = Literal["correction", "one tail", "direction", "sphericity", "resampling", "ranks"]
Finding: TypeAlias = tuple[Kind, bool, bool]  # what a sentence says, whether of the whole paper, and whether against it
KINDS: tuple[Kind, ...] = get_args(Kind)

NEAR = 1500  # characters of a paragraph on each side of a result; a PDF has no others
MOST = 50  # statements of a whole document that are looked through for each result
LONGEST = 1000  # characters of a sentence
LOOK_BACK = 400  # characters in which the start of a sentence is looked for at once
STOP_LENGTH = 4  # characters of the end of a sentence and of what shows that it is one
METHODS = (
    r"bonferroni|holm|tukey|scheff[eé]|[sš]id[aá]k|hochberg|benjamini|hommel|dunnett|games[- ]howell|"
    r"false[- ]discovery|FDR\b|(?:family|experiment)-?wise|FWER?\b|keuls|multiplicity|"
    r"multiple[- ](?:comparison|contrast|correlation|analys|outcome|test|hypothes)|"
    r"number of (?:pairwise )?(?:comparisons|contrasts|tests)"
)
# "p corrected for two tests", without a method; "p adjusted for age" is another matter.
CORRECTED_P = (
    r"\bp(?:s|[- ]?values?)? ?(?:(?:are|were|is|was|all) ){0,2}(?:corrected|adjusted)"
    r"(?=[.,;)]|\Z| for (?:\d|two|three|four|five|six|the number|all|several|testing))"
)
CORRECTION = re.compile(rf"{METHODS}|{CORRECTED_P}|\bp[- ]values? (?:are|were|was) multiplied by", re.I)
DONE = re.compile(
    r"correct|adjust|multiplied|post[- ]?hoc|pairwise|follow-?up|contrast|control\w* (?:for|by|using|with|the|family)|"
    rf"procedure|method|appli|[(\[](?:{METHODS})[)\]]|"
    r"\b(?:used|using|performed|conducted|ran)\b|tests?\b",
    re.I,
)
OF_COMPARISONS = re.compile(
    r"multipl.*|false[- ]discovery|(?:family|experiment)-?wise|number of .*", re.I
)  # names of a problem, not of a method
CORRECTING = re.compile(r"correct|adjust|control", re.I)
# A "not" is one of the correction only where it stands at it: "Bonferroni-corrected t showed ... but not between ..."
NONE = re.compile(
    rf"\b(?:no|without|never|neither|nor|instead of|rather than|lack of)\b(?: [\w’'-]+){{0,3}}? "
    rf"(?:{METHODS}|correct|adjust)|"
    r"(?:\bnot|n['’]t) (?:be(?:en|ing)? |further |additionally |explicitly |formally )*"
    rf"(?:{METHODS}|correct|adjust|control|appl|us(?:e|ing)\b|perform|made?\b|conduct|includ|employ|necessary|"
    r"need|requir)|"
    r"(?:correct\w+|adjust\w+|comparisons) (?:was|were|is|are|has|have) (?:not|un)|uncorrected|unadjusted|"
    r"surviv|withst[oa]od|(?:problem|issue|risk)s? of multiple|comparisons (?:remain|is|are) an?",
    re.I,
)
MAP = re.compile(
    r"voxel|\bcluster|\bFWE\b|whole[- ]brain|small[- ]volume|\bSVC\b|\bTFCE\b|random field|\bSPM\d?\b|\bFSL\b|"
    r"statistic(?:al)? (?:images?|maps?)|parametric map|electrodes?\b|time[- ]points?|activation|regressors|tractogra|"
    r"\bBOLD\b|threshold of p|\bedges\b",
    re.I,
)
FIGURE = re.compile(r"(?:Supplementary |Extended Data )?(?:Fig(?:ure|s|\.)?|FIG(?:URE)?\.?)[ .]{0,2}S?\d")
# A caption or a note of a table, at the start of its paragraph; and a study, of which a paper may have several.
TABLE_PART = re.compile(
    r" ?(?:(?:Supplementary |Extended Data )?T(?:able|ABLE) ?(?P<label>S?\d{1,2}|[IVX]{1,4})(?![\w,])"
    r"(?! (?:shows?|presents?|gives?|lists?|reports?|contains?|summari[sz]es?|provides?)\b)|(?P<note>Notes?[.:]))"
)
STUDY = re.compile(
    r"(?<=\n) ?(?:#{1,4} )?(?:\d\.? )?(?:Experiment|Study|EXPERIMENT|STUDY) (?:\d|[IVX]{1,4}|One|Two|Three)\b"
    r"[^\n]{0,80}(?=\n)"
)
LONGEST_TITLE = 30  # characters before the word for a table in its caption
LONGEST_TABLE = 6000  # characters from its caption to its note
NOT_CORRECTED = re.compile(
    r"\b(?:no|without|not|never)\b[^.;]{0,40}(?:correct|adjust)|n['’]t (?:correct|adjust)|uncorrected|unadjusted", re.I
)
# A corrected level leaves p as they are.
LEVEL = re.compile(
    r"(?:alpha|α|level|threshold|criterion|cut-?off)[^.;]{0,60}(?:correct|adjust|bonferroni|=|of|to|at) ?0?\.0\d|"
    r"(?:correct|adjust)(?:ed|ing|ion)?[^.;]{0,40}(?:alpha|α|significance (?:level|threshold)|threshold|criterion)|"
    r"(?:alpha|α) ?(?:=|/|÷)",
    re.I,
)
OF_P = re.compile(r"\bp[- ]?(?:s\b|values?)|\bps?\b ?(?:were|are)", re.I)
ONE_TAIL = re.compile(r"\b(?:one|1|single)[- ]?(?:tailed|sided|tail)", re.I)
ONE_TAILED_TESTS = re.compile(
    r"\b(?:one|1|single)[- ]?(?:tailed|sided)[^.;]{0,30}?(?:tests|values|analyses|comparisons|contrasts|ps\b|"
    r"probabilities|significance levels)",
    re.I,
)
NO_TAIL = re.compile(r"\b(?:no|not|without|none|never|instead of|rather than|neither)\b|n't\b", re.I)
EQUIVALENCE = re.compile(
    r"\bTOST\b|[Ee]quivalence (?:(?:was |were )?test(?:s|ed|ing)?\b|bounds?|margins?|region)|"
    r"equivalen(?:t bounds?|ce at)|two one-sided|"
    r"non-?inferiority|smallest effect size of interest|\bSESOI\b"
)
DIRECTION = re.compile(
    r"\b(?:uni)?directional (?:hypothes|predict|test|expect)|\bdirected (?:hypothes|predict|expect)|"
    r"\b(?:hypothes[ei]s|predictions?) (?:were|was|are|is) (?:all |both )?(?:uni)?direct(?:ional|ed)\b",
    re.I,
)
SPHERICITY = re.compile(r"greenhouse|huynh|\bsphericity|mauchly", re.I)
MET = re.compile(r"sphericity (?:was|were|is|had|has)[^.;]{0,25}(?:met\b|not violated|satisf|assumed)", re.I)
RESAMPLING = re.compile(
    r"permut(?:ation|ed)[^.;]{0,60}(?:ANOVA|t[- ]?tests?|F[- ]tests?|p[- ]?values?|significance)|"
    r"(?:ANOVA|t[- ]?tests?|F[- ]tests?|p[- ]?values?|significance)[^.;]{0,60}(?:permut(?:ation|ed)|"
    r"randomi[sz]ation test|"
    r"Monte[- ]Carlo)|bootstrap\w* (?:p\b|p[- ]values|(?:t-)?tests)",
    re.I,
)
ONE_P = re.compile(
    r"\b(?:an?|the|each|every|its|this)(?: \w+)? p[- ]?value\b", re.I
)  # of something that is tested elsewhere
OF_TESTS = re.compile(r"ANOVA|t[- ]?tests?|F[- ]tests?|correlations?|\bp[- ]?values\b|\bps\b", re.I)
OF_RANKS = re.compile(
    r"(?:Mann[- ]Whitney|Wilcoxon)[^.;]{0,60}\b(?:tests?|U|was|were|analys[ei]s)\b|"
    r"\b(?:tests?|using|used|with|by)\b[^.;]{0,60}(?:Mann[- ]Whitney|Wilcoxon)"
)
OF_CLASSES = re.compile(r"classif|decod|accurac|parallel analysis|mediat|indirect", re.I)
TWO_TAILS = re.compile(r"\b(?:two|2)[- ]?(?:tailed|sided)", re.I)
OF_ALL = re.compile(
    r"\b(?:all|every|throughout|unless|otherwise)\b|\b(?:reported|these|our) (?:p|tests|statistic)|"
    r"(?:tests|p[- ]?values|ps|significance levels) (?:reported )?(?:(?:here|below|in this \w+) )?(?:are|were)\b",
    re.I,
)
RESULT = re.compile(r"\bp ?[<=>≤≥]", re.I)
PLANNED = re.compile(r"power|sample size|g\*?power|a priori analysis", re.I)  # such a test was planned, not reported
ENTRY = re.compile(r"[A-Z]\. \((?:19|20)\d\d[a-z]?\)\.|\bdoi\b")  # of a list of references
REFERENCES = re.compile(
    r"(?:(?<=\n)|(?<=[.!?] ))(?:References|REFERENCES|Bibliography|BIBLIOGRAPHY|Literature [Cc]ited)(?=\s)"
)
# The one class at its start is what `re` looks for without trying the rest at each character.
STOP = re.compile(
    r"[.!?\n](?:(?<=\n)|(?<! [A-Z][.!?])(?<![A-Z]\. \(\d{4}\)[.!?])(?<![A-Z]\. \(\d{4}[a-z]\)[.!?])"
    r"[\"”’)\]]? (?=[A-Z“\"(\[]))"
)
# One of these is in whatever a pattern of statements finds. To look for plain words takes a tenth of the time.
STEMS: Mapping[str, tuple[str, ...]] = {
    "correction": (
        *("bonferroni", "holm", "tukey", "scheff", "sidak", "sidák", "šidak", "šidák", "hochberg", "benjamini"),
        *("hommel", "dunnett", "howell", "discovery", "fdr", "fwe", "family", "experimentw", "experiment-w"),
        *("keuls", "multipl", "number of pair", "number of comp", "number of tests", "number of contrasts"),
        *("corrected", "adjusted"),
    ),
    "tail": ("tail", "sided", "tost", "equivalen", "inferiority", "sesoi", "smallest effect"),
    "direction": ("directional", "directed"),
    "sphericity": ("greenhouse", "huynh", "spheric", "mauchly"),
    "resampling": ("permut", "bootstrap", "monte", "randomi"),
    "ranks": ("whitney", "wilcoxon"),
}


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
        narrow = [*self._near(place), *self._of_tables(place, sentence)]
        deciding: list[Statement] = []
        for kind, everywhere in self._everywhere.items():
            candidates = [statement for statement in narrow if statement.kind == kind] or everywhere
            deciding += sorted(candidates, key=lambda statement: self._rank(statement, place))[:1]
        return tuple(deciding)

    def _near(self, place: int) -> list[Statement]:
        """Return the statements of the paragraph of a place that are near to it, and of no table."""
        nearest = max(place - NEAR - LONGEST, 0)
        first = max(self.text.rfind("\n", nearest, place) + 1, nearest)
        end = self.text.find("\n", place, place + NEAR + LONGEST)
        near = slice(bisect.bisect_left(self._starts, first), bisect.bisect_right(self._starts, place + NEAR))
        return [one for one in self.statements[near] if one.table is None and (end < 0 or one.end <= end)]

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
        narrow = 0 if is_own else 1 if statement.table is not None else 2
        other_study = bisect.bisect(self._studies, statement.start) != bisect.bisect(self._studies, place)
        return narrow, int(other_study), abs(statement.start - place)

    @functools.cached_property
    def _studies(self) -> list[int]:
        """Where the studies of the paper start."""
        return [study.start() for study in STUDY.finditer(self.text)]

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
            kind: tuple([one for one in self.statements if one.kind == kind and one.everywhere][:MOST])
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
    tests = frozenset[int]().union(*(named_tests(one.text) for one in of_paper if not one.against))
    if not tests:
        return Context(text, statements)
    return Context(
        text,
        tuple(
            replace(statement, tests_elsewhere=tests) if statement.kind == "correction" else statement
            for statement in statements
        ),
    )


def find_references(text: str) -> int:
    """Return where the list of references starts, in the second half of a text; else where the text ends.

    Examples
    --------
    >>> text = "They were corrected after Holm, as all p of the paper are. References Holm, S. (1979). A procedure."
    >>> text[:find_references(text)]
    'They were corrected after Holm, as all p of the paper are'
    """
    words = places(text, "references", "bibliography", "literature cited")
    last = max((word for word in words if word > len(text) // 2 + 1 and REFERENCES.match(text, word)), default=-1)
    return last - 1 - (text[last - 1] == " ") if last >= 0 else len(text)


def _statements(text: str, end: int) -> Iterator[Statement]:
    stems = find_stems(text)
    tables = find_tables(text) if stems else []
    groups: dict[tuple[int, int], set[str]] = {}  # of each sentence that has a stem
    start = stop = 0
    for stem, group in stems:
        if stem >= end:
            break
        if stem >= stop:
            start, stop = find_sentence(text, stem, stop, end)
        first = start + (stem - start) // LONGEST * LONGEST
        groups.setdefault((first, min(first + LONGEST, stop)), set()).add(group)
    for (first, last), names in groups.items():
        sentence = text[first:last].strip()
        if ENTRY.search(sentence):
            continue
        paragraph = text.rfind("\n", max(first - NEAR, 0), first + 1) + 1
        table = next((table for starts, table in tables if paragraph in starts), None)
        caption = table is not None or bool(FIGURE.match(text, paragraph))
        for kind, everywhere, against in _kinds(sentence, names):
            yield Statement(kind, first, last, sentence, everywhere and not caption, against, table)


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
    for part in filter(None, (TABLE_PART.match(text, paragraph) for paragraph in paragraphs)):
        end = text.find("\n", part.end())
        end = len(text) if end < 0 else end
        starts, last = tables[-1] if tables else ((), None)
        if part["label"]:
            tables.append(((part.start(),), Table(part["label"], part.start(), end)))
        elif last is not None and len(starts) == 1 and part.start() - last.start < LONGEST_TABLE:
            tables[-1] = ((*starts, part.start()), replace(last, end=end))
        else:  # the note of a table without a caption
            tables.append(((part.start(),), Table("", max(part.start() - LONGEST_TABLE // 2, 0), end)))
    return tables


def find_sentence(text: str, place: int, least: int, end: int) -> tuple[int, int]:
    """Return where the sentence around a place starts, not before the least place, and where it stops."""
    start, last = least, place
    while last > least:
        first = max(last - LOOK_BACK, least)
        ends = [stop.end() for stop in STOP.finditer(text, first, min(last + STOP_LENGTH, end)) if stop.end() <= place]
        if ends:
            start = ends[-1]
            break
        last = first
    stops = STOP.finditer(text, max(place - STOP_LENGTH, start), end)
    return start, next((stop.end() for stop in stops if stop.end() > place), end)


def _kinds(sentence: str, stems: Container[str]) -> Iterator[Finding]:
    """Yield what a sentence with stems of these groups says of p."""
    if "correction" in stems and CORRECTION.search(sentence):
        against = not _corrects(sentence)
        says_nothing = against and (not NOT_CORRECTED.search(sentence) or LEVEL.search(sentence))
        if not says_nothing and not MAP.search(sentence):
            yield "correction", not against or bool(OF_ALL.search(sentence)), against
    if "tail" in stems:
        yield from _tails(sentence)
    if "direction" in stems and DIRECTION.search(sentence):
        yield "direction", True, False
    if "sphericity" in stems and SPHERICITY.search(sentence):
        met = bool(MET.search(sentence))
        yield "sphericity", not met, met
    if (
        "resampling" in stems
        and RESAMPLING.search(sentence)
        and (OF_TESTS.search(sentence) or not ONE_P.search(sentence))
        and not OF_CLASSES.search(sentence)
        and not MAP.search(sentence)
    ):
        yield "resampling", not RESULT.search(sentence), False
    if "ranks" in stems and OF_RANKS.search(sentence):
        yield "ranks", True, False


def _tails(sentence: str) -> Iterator[Finding]:
    if ONE_TAIL.search(sentence) and not NO_TAIL.search(sentence) and not PLANNED.search(sentence):
        two, own = TWO_TAILS.search(sentence), RESULT.search(sentence)  # of one result in its own sentence
        general = not own and any(pattern.search(sentence) for pattern in (ONE_TAILED_TESTS, DIRECTION, LEVEL))
        everywhere = bool(OF_ALL.search(sentence) or general) and not two
        if everywhere or not (own or two):
            yield "one tail", everywhere, False
    elif EQUIVALENCE.search(sentence):
        yield "one tail", False, False
    if TWO_TAILS.search(sentence) and OF_ALL.search(sentence) and not ONE_TAIL.search(sentence):
        yield "one tail", True, True


def _corrects(sentence: str) -> bool:
    only_named = all(OF_COMPARISONS.fullmatch(name) for name in CORRECTION.findall(sentence))
    if not (CORRECTING if only_named else DONE).search(sentence) or NONE.search(sentence):
        return False
    return not LEVEL.search(sentence) or bool(OF_P.search(sentence))


def find_stems(text: str) -> list[tuple[int, str]]:
    """Return where in a text a word that may be of a statement starts, in order, and the group of its stem."""
    return sorted((place, group) for group, stems in STEMS.items() for place in places(text, *stems))
