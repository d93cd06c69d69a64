"""What an audit looks for by plain text or by a class first: it must be what the whole pattern finds."""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

import negstats.audit
from negstats.audit.context import find_sentence
from negstats.audit.reading import MARK, find_marks
from negstats.audit.statistic_patterns import Head, head_at, result_windows, symbols
from negstats.audit.words import words_of

PEOPLE, STATISTICS = words_of("people"), words_of("statistic_patterns")
PIECES = (
    *("trials", "Trial", "within", "multi-level", "each participant", "PER person", "Study 2", "ſtudy II", "panel"),
    *(
        "ANCOVA",
        "stimulus",
        "bootstrapped",
        "pairs",
        "days",
        "5 people",
        "1,234 young women",
        "x12 students",
        "3.5 men",
    ),
    *("one-tailed", "two sided", "one ſided", "directional", "TOST", "non-inferiority", "equivalence", "tails"),
    *("7-point", "scale", "scales", "from 1", "1 = never", "12=a", " ", "  ", "\n", ".", "-", "$", "{,}", "\\,", "~"),
    *("*p*", "**", "_", "&lt;", "<b>", "^2", "`", "·", "\u00a0", "\u00ad", "\u2009", "a", "Z", "é", "ı", "K", "9", ","),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)
RESULTS = (
    *("t(28) = 2.20", "F(1, 28) 4.84", "χ²(1, N = 94)", " = 4.67", "t28", "Wald chi", "chi-squared", "z-score", " of "),
    *(
        "p = .04",
        "p < .001",
        "p-values (Holm) ",
        "p .05",
        "p: .04",
        "n.s.",
        ", ns",
        "(NS",
        "ns ",
        "10^-4",
        "≤",
        "r",
        "U",
    ),
    *("(", ")", "[", "]", ". ", ".", "! ", '." ', "\n", ", ", " ", "A", "a", "2", ".1", "J. (2009). "),
    *("Words go on and on. " * 30, "words go on and on " * 30, "words " * 15),
)
RESULT_TEXTS = st.lists(st.sampled_from(RESULTS), max_size=20).map("".join)
# The patterns that the code no longer tries at each place.
MEN = re.compile(
    rf"(?=\d)(?<![\w.=,])(?P<people>{PEOPLE.text('number')}) (?:[a-z-]{{1,20}} ){{0,3}}{PEOPLE.text('people')}\b"
)
SCALE = re.compile(r"[- ]point\b|\bscales?\b|\bfrom \d|\b\d ?= ?[a-z]")
BEGINS = re.compile(rf"(?=[^\S ]|[-\\~{{}}$*`^·_<&\u00ad\u200b-\u200d\u2060\ufeff]| [\s.~\\])(?:{MARK.pattern})")


def span(match: re.Match[str] | None) -> tuple[int, int] | None:
    return None if match is None else match.span()


@given(TEXTS)
@example("a  .\n\n\\, $x^2$ \u2009 b")
def test_the_marks_of_a_text_are_those_of_the_pattern(text: str) -> None:
    assert [span(one) for one in find_marks(text)] == [span(one) for one in BEGINS.finditer(text)]


@given(TEXTS)
def test_numbers_of_people_are_those_of_the_pattern(text: str) -> None:
    assert [span(one) for one in PEOPLE.group("said")["people"].finditer(text)] == [
        span(one) for one in MEN.finditer(text)
    ]


@given(TEXTS)
def test_words_of_scales_are_those_of_the_pattern(text: str) -> None:
    assert any(gate.search(text) for gate in words_of("answers").group("gates").values()) == bool(SCALE.search(text))


def heads(text: str, windows: list[tuple[int, int]]) -> list[Head]:
    head_matches = (match for first, last in windows for match in symbols(text, first, last))
    return [head for match in head_matches if (head := head_at(text, match)) is not None]


@given(RESULT_TEXTS)
def test_windows_hold_all_results(text: str) -> None:
    windows, whole = result_windows(text), [(0, len(text))]
    assert all(last < first for (_, last), (first, _) in itertools.pairwise(windows))
    assert heads(text, windows) == heads(text, whole)
    ps = [p_match.span() for first, last in windows for p_match in STATISTICS.p_is.finditer(text, first, last)]
    assert ps == [p_match.span() for p_match in STATISTICS.p_is.finditer(text)]


@given(RESULT_TEXTS, st.data())
def test_a_sentence_is_between_its_stops(text: str, data: st.DataObject) -> None:
    end = len(text)
    stops = [0, *(stop.end() for stop in words_of("context").stop.finditer(text)), end]
    stop = 0
    for place in sorted(data.draw(st.sets(st.integers(0, max(end - 1, 0)), max_size=6))) if text else ():
        if place >= stop:
            start, stop = find_sentence(text, place, stop, end)
        assert start == max(one for one in stops if one <= place)
        assert stop == min((one for one in stops if one > place), default=end)


ROOM = Path(negstats.audit.__file__).parent
ALIASES = {"OF_TESTS": "statistic_patterns", "OF_FACTS": "context", "OF_READINGS": "readings", "BESIDE": "judgement"}
ALIASES |= {"OF_CORRECTIONS": "corrections"}


USE = re.compile(r"""\b([A-Z_]+)\.(?:(?:table|group|text)\(["']|(?!(?:table|group|text|spell)\())(\w+)""")


def test_each_form_is_used_and_each_that_is_used_is_there() -> None:
    """What a module looks for stands in words.toml, can be compiled, and nothing else stands there."""
    tables = tomllib.loads((ROOM / "words.toml").read_text("utf-8"))
    used = {table: set[str]() for table in tables}
    for path in ROOM.rglob("*.py"):
        for owner, name in USE.findall(path.read_text("utf-8")):
            if owner == "WORDS" or owner in ALIASES:
                used[ALIASES.get(owner, path.stem)].add(name)
    for table, forms in tables.items():
        named = set(re.findall(r"\(\?&(\w+)\)", str(forms)))
        there = {*forms, *forms.get("any_case", {})} - {"any_case"}
        assert used[table] <= there | tables["parts"].keys(), table
        assert table == "parts" or there <= used[table] | named, there - used[table] - named
        for name in used[table]:
            if not isinstance({**tables["parts"], **forms, **forms.get("any_case", {})}[name], dict):
                re.compile(words_of(table).text(name))
