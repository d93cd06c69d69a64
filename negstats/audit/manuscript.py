"""A manuscript against the computed results of its plan: which numbers agree, which differ, what is not reported.

Every result that the text reports is looked for among the computed tests by its kind, df, statistic and p. Words of its
sentence (ids, measures, seats, levels) decide only between tests that fit alike: numbers go before words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from negstats.audit.computed import Asked, Computed, Form, Results, forms, read_results, same_kind
from negstats.audit.distributions import NAMES
from negstats.audit.find_results import Reported, find
from negstats.audit.name_questions import Names, differing, stands
from negstats.audit.reading import Document, clean, read
from negstats.audit.recomputing import agrees
from negstats.audit.words import words_of
from negstats.errors import DesignError
from negstats.printed_numbers import Printed
from negstats.stats.results.apa import df as apa_df
from negstats.stats.results.apa import p_value

WRONG = ("differs", "belongs to another question", "planned, not reported")
WORDS = words_of("manuscript")


@dataclass(frozen=True, slots=True)
class Match:
    """What became of one reported result, or of one planned question.

    Attributes
    ----------
    verdict : str
        "agrees" (with what was converted, turned or left out in brackets), "differs", "belongs to another question",
        "ambiguous", "not in the results", "planned, not reported", "explored, not planned" or "not compared".
    address : str
        Of the computed test, ``question[/term][#role]``; of a question its id; empty if there is none.
    why : str
        One sentence.
    reported : Reported or None
        The result in the text; None for a question that the text does not report.
    """

    verdict: str
    address: str
    why: str
    reported: Reported | None = None


@dataclass(frozen=True, slots=True)
class Manuscript:
    """A text compared with computed results.

    Attributes
    ----------
    source, unit : str
        The file, and what its places count.
    matches : tuple of Match
        In the order of the text; then the planned questions that it does not report.
    """

    source: str
    unit: str
    matches: tuple[Match, ...]

    @property
    def wrong(self) -> tuple[Match, ...]:
        """Numbers that differ or belong to another question, and planned questions that are not reported."""
        return tuple(match for match in self.matches if match.verdict in WRONG)

    def summary(self) -> str:
        """Return how many of each.

        Returns
        -------
        str
            One line.
        """
        counts = pd.Series([match.verdict for match in self.matches], dtype=str).value_counts(sort=False)
        verdict_counts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        return f"{self.source}: {verdict_counts or 'no reported results were found, and none was computed'}"

    def text(self, *, wrong_only: bool = False) -> str:
        """Return a first line that counts, then each match (or each wrong one) with its sentence.

        Parameters
        ----------
        wrong_only
            Whether only what is wrong is listed.

        Returns
        -------
        str
            Several lines.
        """
        blocks = [self.summary()]
        for match in self.wrong if wrong_only else self.matches:
            report = match.reported
            if report is None:
                blocks.append(f"\n{match.address}\n  {match.verdict}: {match.why}")
            else:
                place_text = f"{self.source}, {self.unit} {report.place}: {report.raw}"
                blocks.append(f"\n{place_text}\n  {match.verdict}: {match.why}\n  “{report.sentence}”")
        return "\n".join(blocks)

    def to_frame(self) -> pd.DataFrame:
        """Return one row a match: ``file``, ``place``, ``verdict``, ``address``, ``why``, ``raw``, ``sentence``.

        Returns
        -------
        DataFrame
            One row a match, in the order of the text.
        """
        rows = [
            (self.source, *((report.place, report.raw, report.sentence) if report else (None, None, None)))
            for report in (match.reported for match in self.matches)
        ]
        frame = pd.DataFrame(rows, columns=["file", "place", "raw", "sentence"]).astype({"place": "Int64"})
        for name in ("why", "address", "verdict"):
            frame.insert(2, name, [getattr(match, name) for match in self.matches])
        frame.attrs["schema"] = "Manuscript/1"
        return frame


def audit_against(paper: str | Path | Document, results: str | Path | Results, *, alpha: float = 0.05) -> Manuscript:
    """Compare every result that a paper reports with the ``results.json`` of its plan.

    Parameters
    ----------
    paper
        Text, Markdown, LaTeX, HTML, JATS, TEI, Word, ODT or PDF.
    results
        What ``negstats run`` wrote.
    alpha
        The level that a decision error crosses.

    Returns
    -------
    Manuscript
        The matches in the order of the text, then the planned questions that it does not report.

    Raises
    ------
    LogError
        If a file cannot be read.
    DesignError
        If alpha is not between 0 and 1.

    Examples
    --------
    >>> from negstats.audit.computed import Asked, Computed, Results
    >>> from negstats.audit.reading import document
    >>> test = Computed("H1", "H1", "answer", "t", 2.4605, (65,), 0.01654, 0.03308, True, (66,), (), "paired", "")
    >>> asked = Asked("H1", "Who earns more?", False, "points", "agent", ("CL", "FC"), ("condition",), (), (test,))
    >>> paper = document("The agent earned more in CL, t(65) = 2.64, p = .017.")
    >>> print(audit_against(paper, Results("results.json", (asked,))).text())
    text: 1 differs
    <BLANKLINE>
    text, line 1: t(65) = 2.64, p = .017
      differs: from H1: t is 2.46, printed 2.64
      “The agent earned more in CL, t(65) = 2.64, p = .017.”
    """
    if not 0 < alpha < 1:
        raise DesignError(f"alpha is {alpha!r}; give a number between 0 and 1 such as 0.05")
    text = paper if isinstance(paper, Document) else read(paper)
    computed_results = results if isinstance(results, Results) else read_results(results)
    matcher = _Matcher(computed_results, Names(computed_results), alpha)
    matches: list[Match] = []
    for report in find(text):
        matches.append(matcher.match(report, matches[-1] if matches else None))
    return Manuscript(
        text.source, text.unit, (*matches, *_unreported(computed_results, matches, clean(text.text).text))
    )


def _unreported(results: Results, matches: Sequence[Match], text: str) -> Iterator[Match]:
    """Yield a match for each planned question that no reported test was of; without a statistic, its interval."""
    addressed_questions = {
        address.split("/")[0].split("#")[0] for match in matches for address in match.address.split(", ")
    }
    for question in results.questions:
        if not question.explored and question.id not in addressed_questions and question.tests:
            answer = min(question.tests, key=lambda test: test.rank)
            if answer.statistic is None and any(stands(number, text) for number in answer.numbers):
                yield Match("agrees", question.id, f"its interval is in the text: {_line(answer)}")
                continue
            yield Match("planned, not reported", question.id, f"{question.asks} {answer.apa}".strip())


@dataclass(frozen=True, slots=True)
class _Matcher:
    """Holds one reported result against all computed ones: rules in the order of their evidence."""

    results: Results
    names: Names
    alpha: float

    def match(self, result: Reported, previous_match: Match | None = None) -> Match:
        """Return what becomes of a reported result, which may be a further p of the one before it."""
        if result.kind == "p" or result.relation != "=" or WORDS.plural.match(result.raw):
            return self._match_p(result, previous_match)
        forms_of_kind = [form for test in self.results.tests for form in forms(test) if same_kind(result, form)]
        forms_of_df = [form for form in forms_of_kind if form.df_fit(result)]
        exact = [form for form in forms_of_df if form.fits(result) and self._p(result, form.test) is not None]
        if exact:
            return self._agreeing(result, exact)
        without_df = [form for form in forms_of_kind if form.fits(result) and self._p(result, form.test) is not None]
        named_p = result.p_relation == "=" and result.p is not None
        word_match = self._find_by_words(result, forms_of_kind)
        # Words that name one question come first.
        if word_match and any(self._is_only_question(result, form) for form in word_match):
            return self._differing(result, word_match)
        by_p = [
            form
            for form in forms_of_df
            if self._p(result, form.test) is not None and (named_p or self._is_question_named(result, form))
        ]
        for candidates in (
            [form for form in forms_of_df if form.fits(result)],
            without_df if len({form.test.address for form in without_df}) == 1 else [],
            by_p if result.df or named_p else [],
            word_match,
        ):
            if candidates:
                return self._differing(result, candidates)
        return self._absent(result, forms_of_kind)

    def _p(self, report: Reported, test: Computed) -> str | None:
        """Return how the printed p is one of a test: "" as it is, "corrected", "one-sided"; None if it is not."""
        if test.p is None:
            return None
        other_tail = test.p / 2 if test.two_sided else min(2 * test.p, 1.0)
        printed_so = [
            ("", test.p),
            ("corrected", test.p_adjusted),
            ("one-sided" if test.two_sided else "two-sided", other_tail),
        ]
        for relation, p in printed_so:
            if p is not None and agrees(report, (p, p), self.alpha):
                return relation
        return None

    def _is_question_named(self, report: Reported, form: Form) -> bool:
        return bool(self.names.own(form.test.question, report.paragraph))

    def _is_only_question(self, report: Reported, form: Form) -> bool:
        """Whether a sentence names a question by its id, or by words that are those of no other question."""
        own_names = self.names.own(form.test.question, report.sentence)
        return f"id {form.test.question}" in own_names or not self.names.others(form.test.question, report.sentence)

    def _select_forms(self, report: Reported, forms_to_choose: Sequence[Form]) -> list[Form]:
        """Return of forms that fit alike those that the words name, else those of the first role."""
        tests = list({form.test.address: form.test for form in forms_to_choose}.values())
        for text in (report.sentence, report.paragraph):
            if len(tests) > 1:
                tests = self.names.narrowed(tests, text)
        tests = [test for test in tests if test.rank == min(candidate.rank for candidate in tests)]
        addresses = {test.address for test in tests}
        return [form for form in forms_to_choose if form.test.address in addresses]

    def _agreeing(self, report: Reported, fitting_forms: Sequence[Form]) -> Match:
        unconverted = [form for form in fitting_forms if not form.converted] or list(fitting_forms)
        likely_forms = self._select_forms(report, unconverted)
        if len(likely_forms) > 1:
            return _ambiguous(report, likely_forms)
        form = likely_forms[0]
        question = self.results.question_of(form.test)
        if not self.names.own(question.id, report.sentence) and (
            other_ids := self.names.others(question.id, report.sentence)
        ):
            answers = "; ".join(
                f"{other_question.id}, which is {_answer(other_question)}"
                for other_question in self.results.questions
                if other_question.id in other_ids
            )
            reason = (
                f"it is that of {form.test.address} ({_describe_question(question)}), "
                f"and the sentence speaks of {answers}"
            )
            return Match("belongs to another question", form.test.address, reason, report)
        if differences := differing(report, form.test, question):
            return Match("differs", form.test.address, f"from {form.test.address}: {'; '.join(differences)}", report)
        if (
            question.explored
            and WORDS.planned.search(report.sentence)
            and not WORDS.not_planned.search(report.sentence)
        ):
            reason = f"{question.id} is explored in the plan, and the sentence calls it planned"
            return Match("explored, not planned", form.test.address, reason, report)
        p = self._p(report, form.test) or ""
        conditions = {"converted": form.converted, "sign turned": form.turned(report), p: p.endswith("sided")}
        condition_text = ", ".join(name for name, applies in conditions.items() if applies)
        reason = f"with {form.test.address}{', corrected p' if p == 'corrected' else ''}: {_line(form.test)}"
        return Match(f"agrees ({condition_text})" if condition_text else "agrees", form.test.address, reason, report)

    def _differing(self, report: Reported, similar_forms: Sequence[Form]) -> Match:
        likely_forms = self._select_forms(report, similar_forms)
        if len({form.test.address for form in likely_forms}) > 1:
            return _ambiguous(report, likely_forms)
        form = likely_forms[0]
        test, differences = form.test, []
        if not form.df_fit(report):
            differences += _df_off(report, form)
        if not form.fits(report):
            differences.append(f"{NAMES[form.kind]} is {_plain(form.value)}, printed {report.statistic}")
        if self._p(report, test) is None and test.p is not None:
            corrected_text = (
                "" if test.p_adjusted is None else f" (corrected {p_value(test.p_adjusted).removeprefix('p ')})"
            )
            printed_text = "n.s." if report.p is None else f"p {report.p_relation} {str(report.p).removeprefix('0')}"
            crosses = self._significant(report) is not None and self._significant(report) != (test.p < self.alpha)
            differences.append(
                f"{p_value(test.p)}{corrected_text}, printed {printed_text}{crosses * f': crosses {self.alpha:g}'}"
            )
        return Match("differs", test.address, f"from {test.address}: {'; '.join(differences)}", report)

    def _significant(self, report: Reported) -> bool | None:
        """Return whether the printed p is below the level; None if it does not say."""
        if report.p is None:
            return False
        at = float(report.p)
        if report.p_relation in ("<", "≤"):
            return True if at <= self.alpha else None
        if report.p_relation in (">", "≥"):
            return False if at >= self.alpha else None
        return at < self.alpha

    def _find_by_words(self, report: Reported, all_forms: Sequence[Form]) -> list[Form]:
        """Return the forms of the one answer that the sentence names by its id, or by its measure and all levels."""
        named_questions = []
        for question in self.results.questions:
            own_names = self.names.own(question.id, report.sentence)
            by_id = f"id {question.id}" in own_names
            if by_id or (f"measure {question.measure}" in own_names and self.names.levels(question, report.sentence)):
                named_questions.append(question.id)
        answers = [form for form in all_forms if form.test.question in named_questions and form.test.role == "answer"]
        return answers if len({form.test.address for form in answers}) == 1 else []

    def _absent(self, report: Reported, all_forms: Sequence[Form]) -> Match:
        if not all_forms:
            return Match("not in the results", "", f"no {NAMES[report.kind]} was computed", report)
        size = float(report.statistic)
        nearest = min(all_forms, key=lambda form: (not form.df_fit(report), abs(abs(form.value) - abs(size))))
        return Match("not in the results", "", f"the nearest is {nearest.test.address}: {_line(nearest.test)}", report)

    def _match_p(self, report: Reported, previous_match: Match | None) -> Match:
        """Judge a p alone, or a bound of several statistics: it agrees if all that the sentence names fit.

        "Corrected by Holm, p = .033" behind a result is that result's own.
        """
        named_questions = [
            question for question in self.results.questions if self.names.own(question.id, report.sentence)
        ]
        # A p is held against the answers to the questions that its sentence names.
        tests = [
            test
            for question in named_questions
            for test in question.tests
            if test.role == "answer" and (report.kind == "p" or report.kind == test.kind)
        ]
        tests = tests if all(_is_within(report, test) for test in tests) else []
        tests_without_statistic = [
            test for test in self.results.tests if test.kind is None and report.p_relation == "="
        ]
        # All of them have to fit; else one test that has no statistic beside its p may.
        fitting_tests = tests if tests and all(self._p(report, test) is not None for test in tests) else []
        fitting_tests = (
            fitting_tests
            or [test for test in tests_without_statistic if report.kind == "p" and self._p(report, test) is not None][
                :1
            ]
        )
        if (
            not fitting_tests
            and report.kind == "p"
            and previous_match is not None
            and previous_match.reported is not None
        ):
            # Or else the test of the result before it, where both stand in one place.
            same_address = previous_match.address if report.place == previous_match.reported.place else ""
            fitting_tests = [
                test
                for test in self.results.tests
                if test.address == same_address and self._p(report, test) is not None
            ]
        if not fitting_tests:
            reason = "a p without the value of a statistic is never held against a test that it does not fit"
            return Match("not compared", "", reason, report)
        addresses = ", ".join(test.address for test in fitting_tests)
        return Match("agrees (only p printed)", addresses, f"with {addresses}", report)


def _is_within(report: Reported, test: Computed) -> bool:
    """Return whether a statistic lies on the side of a printed bound that its relation says, or has none."""
    if report.value is None or test.statistic is None:
        return True
    size, bound = abs(test.statistic), abs(float(report.value))
    return {"<": size < bound, "≤": size <= bound, ">": size > bound, "≥": size >= bound}.get(
        report.relation, report.value.agrees(test.statistic) or report.value.agrees(-test.statistic)
    )


def _ambiguous(report: Reported, fitting_forms: Sequence[Form]) -> Match:
    addresses = list(dict.fromkeys(form.test.address for form in fitting_forms))
    return Match(
        "ambiguous", ", ".join(addresses), f"{' and '.join(addresses)} fit alike, and no word says which", report
    )


def _df_off(report: Reported, form: Form) -> list[str]:
    if report.df and (len(report.df) != len(form.df) or not all(map(Printed.agrees, report.df, form.df))):
        computed_df, printed_df = ", ".join(map(apa_df, form.df)), ", ".join(map(str, report.df))
        return [f"df is {computed_df or 'none'}, printed {printed_df}"]
    return [f"n is {sum(form.test.n)}, printed {report.n}"]


def _plain(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _line(test: Computed) -> str:
    return test.apa or f"{test.method}, {p_value(test.p) if test.p is not None else 'no p'}"


def _describe_question(question: Asked) -> str:
    return f"{question.measure} of the {question.who}" if question.who else question.measure


def _answer(question: Asked) -> str:
    return _line(min(question.tests, key=lambda test: test.rank)) if question.tests else "without a test"
