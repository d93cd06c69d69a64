"""What a report says of its methods: each sentence is made from the tests that ran, and none is said of others."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from negstats.report.labels import INDICES, level_text, method_phrase
from negstats.report.numerals import rounded
from negstats.report.prose import Prose, Run, listed, prose
from negstats.report.references import citation, works_of
from negstats.report.sentences import Question, names_of
from negstats.report.sentences.facts import Facts
from negstats.report.sentences.follow_ups import check_name, check_records
from negstats.report.sentences.question import own_words
from negstats.sanitize import line
from negstats.stats.results import apa

LINKS = {"yes/no": " with a logit link", "count": " with a log link"}
LINKED = ("mixed", "gee")  # models whose name does not say of what they are


def _link(members: Sequence[Question], method: str) -> str:
    """Return the link of a model that has one by the kind of its outcome."""
    links = {LINKS.get(member.entry["kind"], "") for member in members if method in LINKED}
    return links.pop() if len(links) == 1 else ""


def _cited_phrase(method: str, link: str = "") -> Prose:
    """Return a method with its link and the works that describe it."""
    works = works_of(method)
    cited = prose(" ({works})", works="; ".join(citation(key) for key in works)) if works else Prose()
    return prose(f"{method_phrase(method)}{link}") + cited


def _with_remark(text: Prose, remark: Prose) -> Prose:
    """Return a text with a remark in parentheses: in its own, where it ends with some."""
    *first, last = text.runs
    if not last.text.endswith(")"):
        return prose("{text} ({remark})", text=text, remark=remark)
    opened = Prose((*first, replace(last, text=last.text.removesuffix(")"))))
    return prose("{text}; {remark})", text=opened, remark=remark)


def test_sentences(results: Mapping[str, Any], questions: Sequence[Question], plan: Any) -> Iterator[Prose]:
    """Yield how the hypotheses were tested, which tests stood beside, and the corrections."""
    by_method: dict[str, list[Question]] = {}
    for question in questions:
        for method in dict.fromkeys(named_method(test) for test in question.answers if test.get("p") is not None):
            by_method.setdefault(method, []).append(question)
    if not by_method:
        yield prose("No test was computed.")
        return
    alpha = Run(alpha_text(plan.alpha), named=True)
    if len(questions) == 1:
        side = own_words(SIDES.get(_sides(questions), ""))
        names = listed([_cited_phrase(method, _link(questions, method)) for method in by_method])
        words, explored = questions[0].words, questions[0].entry["explored"]
        what = own_words(f"{words.noun} {words.was} analyzed" if explored else "this was tested")
        level = prose("{side}α = {alpha}", side=side, alpha=alpha)
        yield prose("{what} with {names}.", what=what, names=_with_remark(names, level)).capitalised
    else:
        sentences = [
            _tested_with(members, method, is_first=not place)
            for place, (method, members) in enumerate(by_method.items())
        ]
        yield prose("{each}.", each=listed(sentences)).capitalised
        sides_text = {
            "two": "Tests were two-sided (α = {alpha}).",
            "two, others": "All tests but those of equivalence were two-sided (α = {alpha}).",
            "one": "Tests were one-sided, as planned (α = {alpha}).",
        }
        sides = _sides(questions)
        sides = "two, others" if sides == "two" and "equivalence" in by_method else sides
        yield prose(sides_text.get(sides, "The significance level was α = {alpha}."), alpha=alpha)
    yield from _contrasts(questions)
    yield from _families(results, questions)
    yield from _smallest(questions)
    yield from _checks(questions, by_method)


def _checks(questions: Sequence[Question], answering: Collection[str]) -> Iterator[Prose]:
    """Yield which tests stood beside the answers, each once; one that answers elsewhere has been cited already."""
    clauses = [
        check_name(question, test, of_term=False) if test["method"] in answering else _cited_phrase(test["method"])
        for question in questions for _, test in check_records(question)
    ]  # fmt: skip
    if names := list({str(text): text for text in clauses}.values()):
        check = own_words("a robustness check" if len(names) == 1 else "robustness checks")
        yield prose("{names} served as {check}.", names=listed(names), check=check).capitalised


def named_method(test: Mapping[str, Any]) -> str:
    """Return the method that gave p: values were exchanged where a model has no statistic of its own."""
    return "permutation" if test.get("statistic") is None and test["kind"] in ("t", "f") else str(test["method"])


SIDES = {"two": "two-sided, ", "one": "one-sided as planned, "}


def _sides(questions: Sequence[Question]) -> str:
    """Return whether all tests that have sides have two or one; empty where they differ or none has."""
    tests = [
        test
        for question in questions
        for test in question.answers
        if test["kind"] in ("t", "z", "r", "rho", "tau") or test["alternative"] != "two-sided"
    ]
    sides = {
        "two" if test["alternative"] == "two-sided" else "one" for test in tests if test["method"] != "equivalence"
    }
    return sides.pop() if len(sides) == 1 else ""


def _tested_with(members: Sequence[Question], method: str, *, is_first: bool) -> Prose:
    """Return which hypotheses were tested with a method; the verb stands in the first part of the sentence alone."""
    planned = [member for member in members if not member.entry["explored"]]
    names = [names_of(planned)] if planned else []
    explored = [member for member in members if member.entry["explored"]]
    if explored:
        entries = [entry for entry in explored[0].results["questions"] if entry["explored"]]
        is_all = len(explored) == len(entries) > 1
        names += [own_words("the exploratory analyses")] if is_all else [names_of(explored)]
    was = "was" if len(members) == 1 else "were"
    return prose("{names} {was}{method}", names=listed(names), method=_cited_phrase(method, _link(members, method)),
                 was=own_words(f"{was} tested with " if is_first else "with "))  # fmt: skip


def alpha_text(alpha: float) -> str:
    """Return the level of tests: ".05"."""
    return apa.bounded(alpha, max(2, len(f"{alpha:g}") - 2))


def _contrasts(questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield the weights of each contrast once."""
    clauses: dict[str, Prose] = {}
    for question in questions:
        labels = {
            str(level): level_text(question.plan, factor["name"], level)
            for factor in question.factors for level in factor["levels"]
        }  # fmt: skip
        for contrast in question.plan.questions[question.entry["id"]].contrasts:
            weights = listed([
                prose("{weight} ({level})", weight=Run(f"{weight:g}".replace("-", "−"), named=True),
                      level=labels.get(str(level), line(level)))
                for level, weight in contrast.weights.items() if weight
            ])  # fmt: skip
            text = prose("The weights of the contrast “{name}” are {weights}.", name=contrast.name, weights=weights)
            clauses.setdefault(str(text), text)
    yield from clauses.values()


def _families(results: Mapping[str, Any], questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield which tests were corrected together, and of which hypotheses the p are as computed."""
    for place, family in enumerate(results.get("families") or ()):
        size = len(family["members"])
        if family["correction"] == "none" or size < 2:
            continue
        number = rounded(size, "count", f"/families/{place}/members")
        work = next(iter(works_of(family["correction"])), None)
        index = INDICES.get(family["correction"], "")
        is_whole = len(results["families"]) == 1 and size == sum(
            len(question.answers) for question in questions if not question.entry["explored"]
        )
        yield prose(
            "The {n} tests{of} were corrected together ({work}); corrected values are written *p*_" + index + ".",
            n=number, of=Prose() if is_whole else prose(" of {ids}", ids=_members(family, questions)),
            work=citation(work) if work else index,
        )  # fmt: skip
    planned = [question for question in questions if not question.entry["explored"]]
    uncorrected = [question for question in planned if any(_is_uncorrected(test) for test in question.answers)]
    if len(uncorrected) > 1:
        yield prose(
            "The *p* values of {names} are not corrected for the number of hypotheses.", names=names_of(uncorrected)
        )


def _is_uncorrected(test: Mapping[str, Any]) -> bool:
    return test.get("p") is not None and test.get("p_adjusted") is None


def _members(family: Mapping[str, Any], questions: Sequence[Question]) -> Prose:
    ids = {str(member).partition("/")[0].partition("#")[0] for member in family["members"]}
    return names_of([question for question in questions if question.entry["id"] in ids])


def _smallest(questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield the smallest effects that would matter, as the plan has them, and how smaller ones were tested."""
    by_size: dict[str, tuple[Prose, list[Question]]] = {}
    for question in questions:
        for test in question.answers:
            facts = Facts(question, test)
            if facts.size:
                by_size.setdefault(str(facts.smallest), (facts.smallest, []))[1].append(question)
                break
    if by_size:
        level = questions[0].plan.one_sided_level
        sizes = [prose("{size} for {names}", size=size, names=names_of(members)) for size, members in by_size.values()]
        yield prose(
            "The smallest {what} of interest {was} {each}; smaller effects were tested with two one-sided tests and "
            "{level}% intervals ({works}).",
            what=own_words("effect" if len(sizes) == 1 else "effects"),
            was=own_words("was" if len(sizes) == 1 else "were"),
            each=listed(sizes), level=Run(f"{100 * level:g}", named=True),
            works="; ".join(citation(key) for key in works_of("equivalence")),
        )  # fmt: skip
