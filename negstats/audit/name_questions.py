"""What stands around a result of a manuscript: the question that its sentence names, and the numbers printed with it.

A question is known by the ids, measures, seats, factors and levels that a sentence names. An effect, an interval, a
cell's M, SD, n or per cent is compared only where a symbol, a word or its place says which computed number it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from negstats.audit.computed import Asked, Computed, Results
from negstats.audit.find_results import Reported
from negstats.audit.words import words_of
from negstats.printed_numbers import Printed, printed

WORDS = words_of("name_questions")


def _pattern(word: str, *, case: bool) -> re.Pattern[str]:
    """Return what finds a name: whole, with blanks or dashes for its underscores, and a plural's s or not."""
    pieces = [re.escape(piece) for piece in re.split(r"[_\s-]+", word) if piece]
    body = r"[\s_-]".join(pieces) if pieces else re.escape(word)
    plural = "" if case or not word[-1:].isalpha() else "s?"
    body = body[:-1] + plural if plural and body.endswith("s") else body + plural
    return re.compile(rf"(?<!\w){body}(?!\w)", 0 if case else re.I)


class Names:
    """The names of the questions of a report.

    Parameters
    ----------
    results : Results
        Whose questions they are.
    """

    def __init__(self, results: Results) -> None:
        self._own = {
            question.id: {
                f"id {question.id}": _pattern(question.id, case=True),
                f"measure {question.measure}": _pattern(question.measure, case=False),
                **({f"seat {question.who}": _pattern(question.who, case=False)} if question.who else {}),
            }
            for question in results.questions
        }
        self._shared = {
            question.id: {
                **{f"factor {name}": _pattern(name, case=False) for name in question.factors},
                **{f"level {level}": _pattern(level, case=True) for level in question.levels},
            }
            for question in results.questions
        }

        # "rounds" may be a predictor of one question and the measure of another: where it explains, it names no other.
        self._explaining = {
            question.id: {
                word.lower()
                for test in question.tests
                for word in (*question.factors, *question.levels, *re.split(r"[:/#]", test.address)[1:])
            }
            for question in results.questions
        }

    def own(self, question: str, text: str) -> set[str]:
        """Return which of a question's id, measure and seat stand in a text."""
        return {name for name, pattern in self._own[question].items() if pattern.search(text)}

    def levels(self, question: Asked, text: str) -> bool:
        """Return whether all levels of a question that has some stand in a text."""
        patterns = self._shared[question.id]
        return bool(question.levels) and all(patterns[f"level {level}"].search(text) for level in question.levels)

    def others(self, question: str, text: str) -> list[str]:
        """Return the other questions whose id, measure or seat, that is not a word of this one, stands in a text."""
        own_names, explaining = self._own[question].keys(), self._explaining[question]
        text = WORDS.unit.sub("", text)
        return [
            other
            for other in self._own
            if other != question
            and any(
                name not in own_names and name.partition(" ")[2].lower() not in explaining
                for name in self.own(other, text)
            )
        ]

    def narrowed(self, tests: Sequence[Computed], text: str) -> list[Computed]:
        """Return of these tests those that most words of a text name; all, if it names none or all alike."""
        names_by_test = [self._names_in_text(test, text) for test in tests]
        common_names = set.intersection(*names_by_test) if names_by_test else set()
        scores = [len(names - common_names) for names in names_by_test]
        return [test for test, score in zip(tests, scores, strict=True) if score == max(scores)]

    def _names_in_text(self, test: Computed, text: str) -> set[str]:
        shared_names = {name for name, pattern in self._shared[test.question].items() if pattern.search(text)}
        method = {test.method for word in WORDS.table("methods").get(test.method, ()) if word.lower() in text.lower()}
        return self.own(test.question, text) | shared_names | method | set(self._terms(test, text))

    @staticmethod
    def _terms(test: Computed, text: str) -> Iterable[str]:
        """Yield the term or contrast of a test, if a text names all of its parts."""
        term = test.address.partition("/")[2].partition("#")[0]
        term_parts = [term_part for term_part in re.split(r"[:/]", term) if term_part]
        if term_parts and all(_pattern(term_part, case=False).search(text) for term_part in term_parts):
            yield from (f"term {term_part}" for term_part in term_parts)


NEAR = 60  # characters between a level and its numbers
OF_CELL = {"M": "mean", "SD": "sd", "n": "n"}


def differing(result: Reported, test: Computed, question: Asked) -> list[str]:
    """Return in words what is printed around a result and is not what was computed."""
    result_text = result.paragraph[result.span[0] : result.span[1]]
    return [*_effects(result_text, test), *_cells(result.sentence, question)]


def stands(number: Mapping[str, Any], text: str) -> bool:
    """Whether a computed number's interval is printed somewhere in a text, as it is or in per cent."""
    if any(number.get(name) is None for name in ("low", "high", "level")):
        return False
    return any(
        abs(float(interval["level"]) / 100 - float(number["level"])) < 1e-9
        and any(
            all(_read(interval[side]).agrees(scale * number[side]) for side in ("low", "high")) for scale in (1, 100)
        )
        for interval in WORDS.interval.finditer(text)
    )


def _read(text: str) -> Printed:
    return printed(text.replace(" ", ""))


def _effects(text: str, test: Computed) -> Iterator[str]:
    for effect in WORDS.effect.finditer(text):
        names = WORDS.table("names")[next(kind for kind in WORDS.table("symbols") if effect[kind])]
        fitting_numbers = [number for number in test.numbers if _number_name(number) in names]
        if len(fitting_numbers) != 1 or fitting_numbers[0]["value"] is None:
            continue
        number = fitting_numbers[0]
        if _off(_read(effect["value"]), number["value"]):
            yield f"{effect[0].partition('=')[0].strip()} is {number['value']:.4g}, printed {effect['value'].strip()}"
        interval = WORDS.interval.search(text, effect.end(), effect.end() + 60)
        if interval and not WORDS.effect.search(text, effect.end(), interval.start()) and number.get("level"):
            yield from _interval(interval, number)


def _number_name(number: Mapping[str, Any]) -> str:
    return re.sub(r"\W+", "_", str(number.get("name", "")).lower().replace("²", "_squared")).strip("_")


def _interval(interval: re.Match[str], number: Mapping[str, Any]) -> Iterator[str]:
    if abs(float(interval["level"]) / 100 - float(number["level"])) > 1e-9:
        return
    for side in ("low", "high"):
        if number.get(side) is not None and _off(_read(interval[side]), number[side]):
            low, high = (
                f"{number[bound_name]:.4g}" if number[bound_name] is not None else "open"
                for bound_name in ("low", "high")
            )
            yield f"its interval is [{low}, {high}], printed [{interval['low'].strip()}, {interval['high'].strip()}]"
            return


def _cells(sentence: str, question: Asked) -> Iterator[str]:
    """Yield the numbers of cells of one factor that a level's name stands before."""
    if len(question.factors) != 1:
        return
    cells = {str(next(iter(cell["levels"].values()))): cell for cell in question.cells if len(cell["levels"]) == 1}
    names = sorted(cells, key=len, reverse=True)
    if not names:
        return
    level_matches = [*re.finditer(r"(?<!\w)(?:" + "|".join(map(re.escape, names)) + r")(?!\w)", sentence)]
    # A level's numbers stand behind its name and before the next level's.
    for index, level in enumerate(level_matches):
        text_end = level_matches[index + 1].start() if index + 1 < len(level_matches) else len(sentence)
        text_behind = sentence[level.end() : min(text_end, level.end() + NEAR)]
        cell = cells[level[0]]
        for cell_match in WORDS.cell.finditer(text_behind):
            value = cell.get(OF_CELL[cell_match["what"]])
            if value is not None and _off(_read(cell_match["value"]), value):
                yield f"{cell_match['what']} of {level[0]} is {value:.4g}, printed {cell_match['value'].strip()}"
        share = WORDS.share.match(text_behind)
        if share and cell.get("share") is not None and _off(_read(share["value"]), 100 * cell["share"]):
            yield f"the share of {level[0]} is {100 * cell['share']:.4g} %, printed {share['value']} %"


def _off(printed_value: Printed, value: float) -> bool:
    """Return whether a printed number is not a computed one; a sign that is left out, or turned, fits."""
    return not (printed_value.agrees(value) or printed_value.agrees(-value))
