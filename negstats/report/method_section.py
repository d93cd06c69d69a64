"""The Method section: who took part, what was measured, what was predicted and how it was tested."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from negstats.report.blocks import Block, Heading, Paragraph
from negstats.report.coding import coding_sentences
from negstats.report.data_tables import measure_sentences
from negstats.report.labels import SENTENCE, level_text
from negstats.report.methods_used import test_sentences
from negstats.report.participants import participant_sentences
from negstats.report.prose import NO_BREAK, Prose, Run, join, listed, prose
from negstats.report.references import SOFTWARE, citation
from negstats.report.sentences import Question, names_of, reference
from negstats.report.sentences.base_facts import term_of
from negstats.report.sentences.facts import Facts
from negstats.report.sentences.question import own_words
from negstats.sanitize import line, plural

if TYPE_CHECKING:
    from negstats.analysis.answers import Report

OF_ROWS = ("dyad", "mixed", "gee")  # models in which each row stands for itself
# What is predicted, by the sign and by what the outcome is compared or related to.
RELATED = {"positive": "that {y} would rise with {x}", "negative": "that {y} would fall with {x}"}
STATED = {"above": "that {y} would be above {value}", "below": "that {y} would be below {value}"}


def method_section(report: Report, questions: Sequence[Question]) -> Iterator[Block]:
    """Yield the Method section: one paragraph for one question, else a part for each of its subjects."""
    yield Heading(prose("Method"), 2, "method")
    people = [*participant_sentences(report, questions), *coding_sentences(report.results, questions)]
    analysis = [*prediction_sentences(questions), *test_sentences(report.results, questions, report.plan)]
    analysis += [*_registration(report.results), *_software(report.results)]
    measures = list(measure_sentences(questions))
    measures += list(_averaging(questions))
    if len(questions) == 1:
        yield Paragraph(join([*people, *measures, *analysis]))
    else:
        for anchor, title, sentences in (
            ("participants", "Participants and Data", people),
            ("measures", "Measures", measures),
            ("analysis", "Hypotheses and Analysis", analysis),
        ):
            if sentences:
                yield Heading(prose(title), 3, anchor)
                yield Paragraph(join(sentences))
    for name, text in (("Sample size plan", report.plan.stop), ("Prior knowledge of the data", report.plan.known)):
        if text:
            yield Paragraph(prose("{name}: {text}", name=own_words(name), text=line(text, SENTENCE)))


def prediction_sentences(questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield what the plan predicts, and of which hypotheses it predicts no sign."""
    planned = [question for question in questions if not question.entry["explored"]]
    predicted = [(question, text) for question in planned if (text := _prediction(question))]
    if predicted:
        clauses = [prose("{what} ({name})", what=text, name=question.hypothesis) for question, text in predicted]
        yield prose("We predicted {each}.", each=listed(clauses))
    without = [question for question in planned if question not in [other for other, _ in predicted]]
    questions_with_words = [(question, _asked(question)) for question in without]
    if questions_with_words:
        clauses = [
            prose("{what} ({name})", what=text, name=question.hypothesis) for question, text in questions_with_words
        ]
        opening = own_words("Without a prediction, we asked" if predicted else "We asked")
        yield prose("{also} {each}.", also=opening, each=listed(clauses))
    if not planned:
        yield prose("No hypothesis was stated in advance.")
    explored = [question for question in questions if question.entry["explored"]]
    if len(explored) > 1 and any(test.get("p") is not None for question in explored for test in question.answers):
        yield prose("{names} were not planned; their *p* values are not corrected for the number of analyses.",
                    names=names_of(explored).capitalised)  # fmt: skip


def _prediction(question: Question) -> Prose:
    """Return the sign that the plan predicts, as a clause; empty where it predicts none or equivalence."""
    y = own_words(question.words.noun)
    verdict = next((row for row in question.verdicts if row["predicted"]), None)
    if question.plan.questions[question.entry["id"]].equivalent is not None:
        return _asked(question, "that {y} would be equivalent {groups}")
    if verdict is None:
        return Prose()
    predicted = verdict["predicted"]
    contrasts = question.plan.questions[question.entry["id"]].contrasts
    if contrasts:
        names = listed([prose("“{name}”", name=contrast.name) for contrast in contrasts])
        whole = "that the contrast {names} of {y} would be {sign}"
        if len(contrasts) > 1:
            whole = "that the contrasts {names} of {y} would be {sign}"
        return prose(whole, sign=own_words(predicted), y=y, names=names)
    if predicted in RELATED:
        tests = [test for test in question.answers if (question.verdict_record(test)[1] or {}).get("predicted")]
        numbers = dict.fromkeys(name for test in tests[::-1] for name in Facts(question, test).term_names)
        return prose(RELATED[predicted], y=y, x=listed([question.noun_of(name) for name in numbers]))
    if predicted in STATED:
        value = question.plan.questions[question.entry["id"]].against
        return prose(STATED[predicted], y=y, value=_stated(question, value))
    sides = [side.strip() for side in str(predicted).split(">")]
    address = verdict["address"]
    term = term_of({"address": address})
    for factor in question.factors:
        if term in ("", factor["name"]) and set(sides) <= set(factor["levels"]):
            places = [factor["levels"].index(side) for side in sides]
            groups = [question.groups_of(factor)[place] for place in places]
            return _predicted_order(question, groups)
    return _predicted_interaction(question, sides) or prose("the order {order} of {y}", order=line(predicted), y=y)


def _predicted_interaction(question: Question, sides: Sequence[str]) -> Prose:
    """Return where a difference or a slope is predicted to be larger; empty where the sides name none."""
    y, numbers = own_words(question.words.noun), question.number_names
    for outer in question.factors:
        ends = [next((level for level in outer["levels"] if side.endswith(f" in {level}")), None) for side in sides]
        if len(ends) != 2 or None in ends:
            continue
        inside = sides[0].removesuffix(f" in {ends[0]}")
        places = [outer["levels"].index(level) for level in ends]
        groups = [question.groups_of(outer)[place] for place in places]
        where = join([groups[0], prose(" than {other}", other=groups[1])], "")
        if inside in numbers:
            x = question.noun_of(inside)
            return prose("that the slope of {y} on {x} would be larger {where}", y=y, x=x, where=where)
        for other in question.factors:
            levels = [level for level in inside.split(" - ") if level in other["levels"]]
            if other is not outer and len(levels) == 2:
                first, second = (level_text(question.plan, other["name"], level) for level in levels)
                factor = question.factor_text(other["name"])
                return prose("that the difference in {y} by {factor}, {one} minus {two}, would be larger {where}", y=y,
                             factor=factor, one=first, two=second, where=where)  # fmt: skip
    return Prose()


def _predicted_order(question: Question, groups: Sequence[Prose]) -> Prose:
    """Return which group is predicted to have more: "that the robot would earn more in CL than in FC"."""
    from negstats.report.measures import INFINITIVES

    than = prose(" than {other}", other=join(groups[1:], ", and more there than "))
    if question.words.verb:
        subject, verb, comparative, _ = question.words.verb
        claim = own_words(f"that {subject} would {INFINITIVES[verb]} {comparative} ")
        return join([claim, groups[0], than], "")
    comparative = "longer" if question.entry["kind"] == "time" else "higher"
    return join([own_words(f"that {question.words.noun} would be {comparative} "), groups[0], than], "")


def _asked(question: Question, words: str = "whether {y} {differ}{groups}") -> Prose:
    """Return what a question without a predicted sign asks, as a clause."""
    y = own_words(question.words.noun)
    numbers = question.related
    names = [factor["name"] for factor in question.factors]
    effect = question.plan.questions[question.entry["id"]].effect
    if len(effect) == 1 and ":" in effect[0]:
        named = Facts(question, question.answers[0]).term_names if question.answers else effect[0].split(":")
        first, *others = (question.factor_text(name) for name in named)  # in the order of the result
        return prose(
            "whether the effect of {first} on {y} depends on {others}", first=first, y=y, others=listed(others)
        )
    if names and numbers:
        return _asked_of_both(question, y)
    if not names and numbers:
        clause = "whether {y} and {x} are related" if len(numbers) == 1 else "whether {y} {are} related to {x}"
        return prose(clause, y=y, x=listed([question.noun_of(name) for name in numbers]),
                     are=own_words("are" if question.words.plural else "is"))  # fmt: skip
    if not names:
        value = question.plan.questions[question.entry["id"]].against
        if value is None:
            return prose("how {large} {y} {is_}", y=y, is_=own_words("are" if question.words.plural else "is"),
                         large=own_words("frequent" if question.entry["kind"] == "yes/no" else "large"))  # fmt: skip
        return prose("whether {y} {differ} from {value}", y=y, value=_stated(question, value),
                     differ=_differ(question))  # fmt: skip
    groups = prose(" by {names}", names=question.factors_text(effect[0].split(":") if len(effect) == 1 else names))
    covariates = [question.noun_of(name) for name in question.covariates]
    constant = prose(" with {names} held constant", names=listed(covariates)) if covariates else Prose()
    if len(names) == 1 and len(question.levels) == 2:
        groups = prose(" between {both}", both=question.between_all())
    if "equivalent" in words:
        return prose(words, y=y, groups=join(question.groups, " and "))
    return prose(words, y=y, differ=_differ(question), groups=groups) + constant


def _asked_of_both(question: Question, y: Prose) -> Prose:
    """Return what a question of groups and a number asks: whether the relation differs, or each term that answers."""
    terms = [Facts(question, test) for test in question.answers]
    if len(terms) == 1 and terms[0].is_of_slopes:
        between = terms[0].between_levels if not terms[0].many_levels else prose("by {name}", name=terms[0].term1)
        return prose("whether the relation of {y} with {x} differs {between}", y=y, x=terms[0].term2, between=between)
    names = [term_of(test) for test in reversed(question.answers)]
    depend = own_words("depend" if question.words.plural else "depends")
    return prose("whether {y} {depend} on {terms}", y=y, depend=depend,
                 terms=listed([question.term_text(name) for name in names]))  # fmt: skip


def _stated(question: Question, value: float | None) -> Run:
    """Return the number that a mean or share is held against."""
    if value is None:
        return Run("the stated value")
    return Run(f"{100 * value:g}%" if question.entry["kind"] == "yes/no" else f"{value:g}", named=True)


def _differ(question: Question) -> Prose:
    return own_words("differ" if question.words.plural else "differs")


def _averaging(questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield within what units repeated values were averaged, of tests that take one value a unit and level."""
    averaged = [
        question
        for question in questions
        if (rows := question.entry.get("rows")) and rows["rows"] > rows["values"]
        and any(sum(test["n"] or ()) <= rows["values"] and test["method"] not in OF_ROWS for test in question.answers)
    ]  # fmt: skip
    if averaged:
        of = prose("for {names}, ", names=names_of(averaged)) if len(averaged) < len(questions) else Prose()
        units = dict.fromkeys(question.units for question in averaged)
        within = listed([own_words(plural(unit)) for unit in units])
        yield prose("{of}repeated values were averaged within {units}.", of=of, units=within).capitalised


def _registration(results: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield whether the plan was registered, and where it stands what differs from it."""
    state, changes = str(results["plan"]["state"] or "not registered"), results["plan"].get("changes") or ()
    if changes:
        yield prose("The plan was registered in advance; {table} lists what differs from it.",
                    table=reference("deviations", ""))  # fmt: skip
    elif state.startswith("not registered"):
        yield prose("The analyses were not preregistered.")
    elif state.startswith("registered after"):
        yield prose("The analyses were registered before they were run, when the data were already available.")
    else:
        yield prose("The analyses were registered in advance and run as registered.")


def _software(results: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield the software with its version, as a citation."""
    yield prose("They were run in negstats (Version" + NO_BREAK + "{version}; {cited}).",
                version=line(results["negstats"], 40), cited=citation(SOFTWARE))  # fmt: skip
