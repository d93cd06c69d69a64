"""Conditions in the names of columns: `points_fair` and `points_selfish` of one person are that person's two games."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.columns import are_few, are_numbers
from negstats.loaders.mapping.issue_columns import side_words
from negstats.loaders.mapping.sides import seat_words
from negstats.loaders.mapping.words import MARK, english, plain

# What a game is measured by: of these stems two at least must stand there for each condition.
_OUTCOME = re.compile(
    r"(.*_)?(points|payoff|score|earnings|profit|agree|agreed|agreement|deal|accept|accepted|acceptance|response|offer|"
    r"first_offer|price|concessions?|rounds|duration|minutes|seconds|trust|satisfaction|fairness|liking|anger|"
    r"rapport|rating|happiness|confidence|joint|share)"
)
_TIMES = {"pre", "post", "before", "after", "baseline", "time", "t", "wave", "day", "start", "end"}
_TIMES |= {"min", "max", "mean", "sd", "total", "raw"}  # and what sums several numbers up
_MOST_CONDITIONS = 6
_LEAST_STEMS, _LEAST_ROWS = 2, 3


def find_conditions(table: Table) -> tuple[list[str], dict[str, list[str]]]:
    r"""Return the conditions that stand at the end or the beginning of columns' names, and for each stem its columns.

    Nothing is returned unless a column names each row, two outcomes stand there for the same conditions, and these
    words are not those of two seats, of both sides of an offer or of points in time.

    Examples
    --------
    >>> from negstats.loaders.files.delimited import read_delimited
    >>> from negstats.loaders.files.tabular import Form
    >>> from pathlib import Path
    >>> lines = b"id,points_kind,points_sly,trust_kind,trust_sly\na,1,2,3,4\nb,5,6,7,6\nc,5,4,3,2\n"
    >>> find_conditions(read_delimited(lines, Path("log.csv"), Form(), None))[0]
    ['kind', 'sly']
    """
    families: dict[tuple[str, ...], list[str]] = defaultdict(list)
    columns_by_stem: dict[str, dict[str, str]] = defaultdict(dict)
    for name in table.names:
        for stem, word in _cuts(name):
            columns_by_stem[stem].setdefault(word, name)
    for stem, of in columns_by_stem.items():
        if _are_conditions(of) and _OUTCOME.fullmatch(english(plain(stem.replace(MARK, " ")))):
            families[tuple(sorted(of))].append(stem)
    wide = {words: stems for words, stems in families.items() if len(stems) >= _LEAST_STEMS}
    if not wide or not _has_names(table):
        return [], {}
    words = max(wide, key=lambda one: (len(one) * len(wide[one]), sum(map(len, one))))
    columns = {stem: [columns_by_stem[stem][word] for word in words] for stem in wide[words]}
    cells = [table.column(name) for of in columns.values() for name in of]
    return (list(words), columns) if all(are_numbers(one) or are_few(one) for one in cells) else ([], {})


def _cuts(name: str) -> Iterable[tuple[str, str]]:
    """Yield a name's stems, with a mark where a word was, and that word: at the end and at the beginning."""
    for sign in re.finditer(r"[_. ]", name):
        first, last = name[: sign.start()], name[sign.end() :]
        if first and last:
            yield f"{first}{sign[0]}{MARK}", last
            yield f"{MARK}{sign[0]}{last}", first


def _are_conditions(words: Iterable[str]) -> bool:
    """Whether words may be conditions: a few, no outcomes themselves, and no seats, sides or times."""
    plain_words = [english(plain(word)) for word in words]
    parts = {part for word in plain_words for part in re.findall(r"[a-z]+", word)}
    if not 2 <= len(plain_words) <= _MOST_CONDITIONS or any(
        re.fullmatch(r"[a-z]{0,6}_?\d+", word) for word in plain_words
    ):
        return False
    if any(_OUTCOME.fullmatch(word) for word in plain_words) or parts & (_TIMES | side_words()):
        return False
    return not seat_words(plain_words)


def _has_names(table: Table) -> bool:
    """Whether a column says something else in each row: whose row it is."""
    if len(table.rows) < _LEAST_ROWS:
        return False
    columns = (
        table.column(name) for name in table.names if re.search(r"id|code|subj|part|person|vp|name", name.lower())
    )
    return any(bool(values.notna().all() and values.is_unique) for values in columns)
