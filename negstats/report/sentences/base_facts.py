"""Facts that every test of a question has: its names, its statistic with p, and what kind of term it is of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from negstats.analysis.methods.linked import OF_PARTNER
from negstats.report.labels import NAME, SENTENCE, method_name, method_phrase
from negstats.report.measures import Words
from negstats.report.prose import NO_BREAK, Prose, Run, Slot, join, listed, prose
from negstats.report.sentences.question import HYPOTHESIS, POINTS, Question, own_words
from negstats.sanitize import capitalised, line, plural
from negstats.stats.results.apa import SYMBOL

NUMBER_ALONE = "\ue001"  # ends a key whose number stands without "Table" or "Figure"
REFERENCE = re.compile(f"\ue000(\\w+):([^\ue000\ue001]*)({NUMBER_ALONE}?)\ue000")
EXPLAINED = re.compile(r" (?:in which|which|that) .*")  # of a test, behind its name
FEW = 3  # cells whose numbers stand in the text; of more a table has them
MANY = 5  # levels that are counted and not named


def reference(kind: str, question: str) -> Run:
    """Return where a table or figure is named; its number is known when the report is put together."""
    return Run(f"\ue000{kind}:{question}\ue000")


def references_to(keys: Sequence[str]) -> Prose:
    """Return several tables, or several figures, as one list by their keys: "Tables S1 and S2"."""
    if len(keys) == 1:
        return Prose((reference(*keys[0].split(":", 1)),))
    numbers = [Prose((Run(f"\ue000{key}{NUMBER_ALONE}\ue000"),)) for key in keys]
    noun = "Figures" if keys[0].startswith("figure:") else "Tables"
    return prose(noun + NO_BREAK + "{numbers}", numbers=listed(numbers))


def symbols(text: str, address: str = "") -> Prose:
    """Return an APA line with its symbols in italics; its numbers are those of the address.

    Examples
    --------
    >>> [run.text for run in symbols("t(65) = 2.46, p = .017").runs if run.style == "i"]
    ['t', 'p']
    """
    slot = Slot(address, "text") if address else None
    runs, start = [], 0
    tied = re.sub(r" ([=<>]) ", rf"{NO_BREAK}\1{NO_BREAK}", text)
    for match in SYMBOL.finditer(tied):
        runs += [Run(tied[start : match.start()], slot=slot, named=True), Run(match[0], "i", named=True)]
        start = match.end()
    return Prose(tuple(run for run in [*runs, Run(tied[start:], slot=slot, named=True)] if run.text))


def term_of(test: Mapping[str, Any]) -> str:
    """Return the term that a test is of, empty where the question has one."""
    return str(test["address"].partition("#")[0].partition("/")[2])


def tag_of(test: Mapping[str, Any]) -> str:
    """Return what a test beside an answer is of, "CL - FC" or "between"; empty of the answer itself."""
    return str(test["address"].partition("#")[2])


def estimate_name(test: Mapping[str, Any]) -> str | None:
    """Return what a test estimates; None where it estimates nothing."""
    return (test.get("estimate") or {}).get("name")


def names_of(questions: Sequence[Question]) -> Prose:
    """Return several questions as one list: "Hypotheses 1, 2a, and 2b, and exploratory analyses E1 and E2"."""
    groups: dict[str, list[Question]] = {}
    for question in questions:
        is_numbered = not question.entry["explored"] and HYPOTHESIS.fullmatch(question.id)
        kind = "Hypotheses" if is_numbered else "exploratory analyses" if question.entry["explored"] else question.id
        groups.setdefault(kind, []).append(question)
    parts = [
        members[0].hypothesis if len(members) == 1 else
        prose(f"{kind}{NO_BREAK}{{names}}", names=listed([prose("{id}", id=_number_of(member)) for member in members]))
        for kind, members in groups.items()
    ]  # fmt: skip
    has_list = len(next(iter(groups.values()))) > 2
    return join(parts, ", and ") if has_list and len(parts) == 2 else listed(parts)


def _number_of(question: Question) -> str:
    """Return the number of a hypothesis, or the id of an exploratory analysis."""
    number = HYPOTHESIS.fullmatch(question.id)
    return question.id if number is None or question.entry["explored"] else number[1]


class BaseFacts:
    """Facts of one test.

    Parameters
    ----------
    question, test
        The question, and one of its tests.
    see
        Where a table or figure shows it: " (see Figure 1)".
    is_of_all
        Whether its verdict is that of all terms, so that no term is named.
    """

    def __init__(
        self, question: Question, test: Mapping[str, Any], see: Prose | None = None, *, is_of_all: bool = False
    ) -> None:
        self.question, self.test, self.see = question, test, see or Prose()
        self.is_of_all = is_of_all
        self.at = question.test_at(test)
        self.words: Words = question.words
        self.estimate_record: Mapping[str, Any] = test.get("estimate") or {}
        self.effect_record: Mapping[str, Any] = test.get("effect") or {}
        self.details: Mapping[str, Any] = test.get("details") or {}
        self.cells: Sequence[Mapping[str, Any]] = question.entry["cells"]
        self.numbers = question.related
        self.factor_names = [factor["name"] for factor in question.factors]
        self.term_name = term_of(test)

    # What there is ---------------------------------------------------------------------------------------------------

    @property
    def found(self) -> bool:
        """Whether a direction may be said."""
        return self.question.directed(self.test)

    @property
    def first(self) -> Prose:
        """Where the values of the first level are: "in CL"."""
        return self.question.groups[0] if self.question.groups else Prose()

    @property
    def second(self) -> Prose:
        """Where the values of the second level are."""
        return self.question.groups[1] if len(self.question.groups) > 1 else Prose()

    @property
    def is_first(self) -> bool:
        """Whether the test is the first that answers."""
        return bool(self.question.answers) and self.test is self.question.answers[0]

    @property
    def last(self) -> bool:
        """Whether the test is the last that answers."""
        return bool(self.question.answers) and self.test is self.question.answers[-1]

    @property
    def has_p(self) -> bool:
        """Whether there is a test."""
        return self.test.get("p") is not None

    @property
    def has_estimate(self) -> bool:
        """Whether there is an estimate that is no effect size."""
        return self.estimate_record.get("value") is not None and self.estimate_record != self.effect_record

    @property
    def has_effect(self) -> bool:
        """Whether there is an effect size."""
        return self.effect_record.get("value") is not None

    @property
    def has_points(self) -> bool:
        """Whether the estimate is in percentage points, or there is none as several shares are compared."""
        name = self.estimate_record.get("name")
        return name in POINTS or (self.test["method"] == "mixed" and name == "difference") or not self.has_estimate

    @property
    def one_factor(self) -> bool:
        """Whether one factor is compared."""
        return len(self.question.levels) > 0

    @property
    def two_levels(self) -> bool:
        """Whether one factor with two levels is compared."""
        return len(self.question.levels) == 2

    @property
    def many_levels(self) -> bool:
        """Whether the levels are too many to be named."""
        return len(self.question.levels) > MANY

    @property
    def few_cells(self) -> bool:
        """Whether the numbers of all cells stand in the text."""
        return self.one_factor and len(self.cells) <= FEW

    @property
    def several_terms(self) -> bool:
        """Whether several terms answer."""
        return len(self.question.answers) > 1

    @property
    def several_numbers(self) -> bool:
        """Whether the question has several predictors."""
        return len(self.numbers) > 1

    @property
    def term_names(self) -> list[str]:
        """The factors and numbers that the test is of; what varies within units first."""
        names = self.term_name.split(":") if self.term_name else [*self.factor_names, *self.numbers]
        within = [factor["name"] for factor in self.question.factors if factor["lies"] == "within"]
        return sorted(names, key=lambda name: name not in within) if len(names) > 1 else names

    @property
    def is_interaction(self) -> bool:
        """Whether the test is of an interaction."""
        return len(self.term_names) > 1

    @property
    def is_of_slopes(self) -> bool:
        """Whether the test is of whether the relation with a number differs between the levels of a factor."""
        names = self.term_names
        return len(names) == 2 and names[0] in self.factor_names and names[1] in self.numbers and bool(self.term_name)

    @property
    def is_unit(self) -> bool:
        """Whether the outcome is called what its unit is: points are counted in points."""
        return self.words.unit in self.words.noun.split()

    @property
    def masked(self) -> bool:
        """Whether an interaction that was found contains this term, so that it is not interpreted."""
        own = set(self.term_names)
        return any(
            own < set(term_of(answer).split(":")) and self.question.directed(answer)
            for answer in self.question.answers
            if ":" in term_of(answer)
        )

    @property
    def is_number(self) -> bool:
        """Whether the test is of one number."""
        return len(self.term_names) == 1 and self.term_names[0] in self.numbers

    @property
    def is_of_partner(self) -> bool:
        """Whether the test is of the partner's value of a number."""
        return self.term_name.removesuffix(OF_PARTNER) in self.numbers and self.term_name not in self.numbers

    @property
    def has_partner(self) -> bool:
        """Whether one's own value and the partner's are predictors together."""
        return any(term_of(test).endswith(OF_PARTNER) for test in self.question.answers)

    @property
    def kind(self) -> str:
        """The letter of the statistic."""
        return str(self.test["kind"])

    @property
    def asks_order(self) -> bool:
        """Whether the second factor says which level a person met first."""
        names = self.term_names
        return len(names) > 1 and self.question.is_first_level(names[1])

    @property
    def covariates(self) -> Prose:
        """What those numbers are called."""
        return listed([self.question.noun_of(name) for name in self.question.covariates])

    @property
    def term_factor(self) -> Mapping[str, Any] | None:
        """The factor of a term with one, as the design has it."""
        names = self.term_names
        return next((factor for factor in self.question.factors if names == [factor["name"]]), None)

    @property
    def term_of_two(self) -> bool:
        """Whether the term is one factor with two levels."""
        return self.term_factor is not None and len(self.term_factor["levels"]) == 2

    # Words -----------------------------------------------------------------------------------------------------------

    @property
    def lead(self) -> Prose:
        """The words “As predicted, ” or "Contrary to Hypothesis 1, "."""
        return self.question.lead_of(self.test)

    @property
    def outcome(self) -> Prose:
        """What the outcome is called inside a sentence."""
        return own_words(self.words.noun)

    @property
    def was(self) -> Prose:
        """The verb of the outcome."""
        return own_words(self.words.was)

    @property
    def units(self) -> Prose:
        """What the units of analysis are called."""
        return own_words(plural(self.question.units))

    @property
    def rows(self) -> Prose:
        """What the values are of: "negotiations", "seats"."""
        return own_words(plural(self.question.row_noun))

    @property
    def method(self) -> Prose:
        """The name of the test, with a capital."""
        name = method_name(self.test["method"])
        return Prose((Run(capitalised(name), named=True),))

    @property
    def a_test(self) -> Prose:
        """The test inside a sentence: "a Wilcoxon signed-rank test", without what the method section explains."""
        return prose(EXPLAINED.sub("", method_phrase(self.test["method"])))

    @property
    def term(self) -> Prose:
        """The term in words."""
        return self.question.term_text(self.term_name)

    @property
    def factor(self) -> Prose:
        """What the only factor is called."""
        return self.question.factor_text(self.factor_names[0])

    @property
    def term1(self) -> Prose:
        """The first factor or number of the term."""
        name = self.term_names[0]
        return self.question.noun_of(name) if name in self.numbers else self.question.factor_text(name)

    @property
    def term2(self) -> Prose:
        """The others of the term."""
        return listed(
            [
                self.question.noun_of(name) if name in self.numbers else self.question.factor_text(name)
                for name in self.term_names[1:]
            ]
        )

    @property
    def term_first(self) -> Prose:
        """Where the values of the first level of the term are."""
        return self.question.groups_of(self.term_factor or {})[0]

    @property
    def term_second(self) -> Prose:
        """Where the values of the second level of the term are."""
        return self.question.groups_of(self.term_factor or {})[1]

    @property
    def group1(self) -> Prose:
        """The first group behind "between"."""
        return self.question.between_of(0)

    @property
    def group2(self) -> Prose:
        """The second group behind "between"."""
        return self.question.between_of(1)

    @property
    def between_levels(self) -> Prose:
        """The words “between A, B, and C”."""
        return prose("between {names}", names=self.question.between_all())

    @property
    def levels(self) -> str:
        """How many levels there are."""
        return str(len(self.question.levels))

    # The test --------------------------------------------------------------------------------------------------------

    @property
    def p(self) -> Prose:
        """p, after correction where it was corrected."""
        return self.question.p_text(self.test)

    @property
    def statistic(self) -> Prose:
        """``t(65) = 2.46``."""
        return self.question.named_statistic(self.test)

    @property
    def tested(self) -> Prose:
        """Statistic, p and effect size."""
        return self.question.tested(self.test)

    @property
    def tested_alone(self) -> Prose:
        """Statistic and p."""
        return self.question.tested(self.test, effect=False)

    @property
    def exact(self) -> Prose:
        """An exact test by its name, with p and effect size."""
        name = own_words(method_name(self.test["method"]))
        return join([prose("{name} {p}", name=name, p=self.p), self.question.effect_of(self.test)], ", ")

    @property
    def apa(self) -> Prose:
        """The APA line of the test."""
        return symbols(line(self.test["apa"], SENTENCE), f"{self.question.at}{self.at}/apa")

    @cached_property
    def null_value(self) -> float | None:
        """The number that was tested against."""
        value: float | None = self.question.plan.questions[self.question.entry["id"]].against
        return value

    def named(self, text: str) -> Prose:
        """Return a text of the plan."""
        return Prose((Run(line(text, NAME), named=True),)) if text else Prose()
