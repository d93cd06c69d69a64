"""The question that a sentence is about, by the ids, measures, seats, factors and levels that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from negstats.audit.computed import Asked, Computed, Results

# What the methods of results are called in a text.
METHODS: Mapping[str, tuple[str, ...]] = {
    "welch": ("Welch",),
    "wilcoxon": ("Wilcoxon", "signed-rank", "signed rank"),
    "mann_whitney": ("Mann-Whitney", "rank-sum", "rank sum"),
    "kruskal_wallis": ("Kruskal",),
    "friedman": ("Friedman",),
    "fisher": ("Fisher",),
    "mcnemar": ("McNemar",),
    "spearman": ("Spearman",),
    "pearson": ("Pearson",),
    "kendall": ("Kendall",),
}


UNIT = re.compile(r"(?<=\d) [A-Za-z]+")  # "37.27 points" may be a mean of any measure in points


def _pattern(word: str, *, case: bool) -> re.Pattern[str]:
    """Return what finds a name: whole, with blanks or dashes for its underscores, and a plural's s or not."""
    parts = [re.escape(part) for part in re.split(r"[_\s-]+", word) if part]
    body = r"[\s_-]".join(parts) if parts else re.escape(word)
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
        mine, explaining = self._own[question].keys(), self._explaining[question]
        text = UNIT.sub("", text)
        return [
            other
            for other in self._own
            if other != question
            and any(
                name not in mine and name.partition(" ")[2].lower() not in explaining for name in self.own(other, text)
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
        method = {test.method for word in METHODS.get(test.method, ()) if word.lower() in text.lower()}
        return self.own(test.question, text) | shared_names | method | set(self._terms(test, text))

    @staticmethod
    def _terms(test: Computed, text: str) -> Iterable[str]:
        """Yield the term or contrast of a test, if a text names all of its parts."""
        term = test.address.partition("/")[2].partition("#")[0]
        parts = [part for part in re.split(r"[:/]", term) if part]
        if parts and all(_pattern(part, case=False).search(text) for part in parts):
            yield from (f"term {part}" for part in parts)
