"""The tables of a report about its answers: hypotheses, means and shares, tests, sensitivity."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from negstats.analysis.plan.model import Plan
from negstats.report.apa_table import DASH, Column, Table, cell, head
from negstats.report.labels import NAME, ROLES, SENTENCE, method_name
from negstats.report.numerals import rounded
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.sentences import Question, reference
from negstats.report.sentences.checks import CHECKS, detail_of, follow_up_text
from negstats.report.sentences.models import step_ends
from negstats.report.sentences.question import own_words
from negstats.report.sentences.relations import standard_ratio
from negstats.report.sentences.verdicts import verdict_cell
from negstats.sanitize import line

CI = "CI = confidence interval."
CORRECTED = 4  # the place of the corrected p among the columns of hypotheses


def hypotheses_table(planned: Sequence[Question]) -> Table:
    """Return a row a hypothesis, or a row a term of it: estimate, test, p and verdict."""
    rows = [row for one in planned for row in _hypothesis_rows(one)]
    columns = [
        head("Hypothesis"),
        head("Estimate and interval"),
        head("Test"),
        head("*p*", "number"),
        head("Corrected *p*", "number"),
        head("Verdict"),
    ]
    is_corrected = any(str(row[CORRECTED]) != DASH for row in rows)
    places = [at for at in range(len(columns)) if at != CORRECTED or is_corrected]
    return Table(
        "hypotheses:",
        "Hypotheses and Their Results",
        tuple(columns[at] for at in places),
        tuple(tuple(row[at] for at in places) for row in rows),
        _hypotheses_note(planned, is_corrected=is_corrected),
    )


def _hypothesis_rows(question: Question) -> Iterator[tuple[Prose, ...]]:
    """Yield the row of each term of a hypothesis."""
    verdicts = {verdict["address"]: verdict for verdict in question.entry.get("verdicts") or ()}
    if not question.answers:
        yield cell(question.id), cell(""), cell(""), cell(""), cell(""), cell("Not tested")
    for test in question.answers:
        verdict = verdicts.get(test["address"])
        text = prose("Described") if verdict is None else verdict_cell(question, verdict)
        term = test["address"].partition("#")[0].partition("/")[2]
        yield (
            cell(f"{question.id}, {_term_text(term)}" if len(question.answers) > 1 and term else question.id),
            cell(_size(question, test)),
            cell(_statistic(question, test)),
            cell(_p(question, test, "p")),
            cell(_p(question, test, "p_adjusted")),
            cell(text),
        )


def _hypotheses_note(planned: Sequence[Question], *, is_corrected: bool) -> Prose:
    """Return what the intervals are, which p decides, and in what an estimate is, each where a row needs it."""
    plan = planned[0].plan if planned else Plan()
    tests = [test for one in planned for test in one.answers]
    is_narrow = any(test["alternative"] != "two-sided" or test["method"] == "equivalence" for test in tests)
    note = prose("Intervals are {level}% CI", level=f"{100 * plan.confidence_level:g}")
    note += prose(
        ", of one-sided tests and of equivalence {other}%. " if is_narrow else ". ",
        other=f"{100 * plan.one_sided_level:g}",
    )
    note += prose("A corrected *p* decides. ") if is_corrected else Prose()
    return note + _units_note(tests) + prose(CI)


def _units_note(tests: Sequence[Mapping[str, Any]]) -> Prose:
    """Return in what differences of shares and ratios of odds are, where a table has them."""
    names = {(test.get("estimate") or {}).get("name") for test in tests}
    details = [test.get("details") or {} for test in tests]
    note = Prose()
    if "risk_difference" in names:
        note += prose("A difference of shares is in percentage points. ")
    if any(one.get("ratio_value") is not None for one in details):
        note += prose("The odds ratio of a logistic regression is for one standard deviation more of the predictor. ")
    if steps := sorted({one["step"] for one in details if "step_value" in one and one.get("ratio_value") is None}):
        sizes = own_words(" or ".join(f"{step:,g}" for step in steps))
        note += prose("The odds ratio of a predictor is for an increase of {sizes} in it. ", sizes=sizes)
    if any(
        (test.get("estimate") or {}).get("name") == "average_marginal_effect"
        and not {"ratio_value", "step_value"} & set(one)
        for test, one in zip(tests, details, strict=True)
    ):
        note += prose("A mean change of the share is for one unit more of the predictor, in percentage points. ")
    return note


def _size(question: Question, test: Mapping[str, Any]) -> Prose:
    """Return the estimate with its interval in the measure's unit, or the effect."""
    estimate = test.get("estimate") or {}
    path = f"{question.test_at(test)}/estimate"
    if estimate.get("name") in ("difference", "adjusted_difference", "mean"):
        return join([Prose((question.number(f"{path}/value"),)), question.ends(path, level=False)])
    if (ratio := standard_ratio(question, test)) is not None:
        return join([prose("*OR* = {ratio}", ratio=ratio[0]), ratio[1]], ", ")
    if "step_value" in (test.get("details") or {}):
        of_step = question.number(f"{question.test_at(test)}/details/step_value", "statistic")
        return prose("*OR* = {ratio}, {ends}", ratio=of_step, ends=step_ends(question, question.test_at(test)))
    if estimate.get("name") in ("risk_difference", "average_marginal_effect", "share"):
        sign = "%" if estimate["name"] == "share" else ""
        value = prose("{d}{sign}", d=question.number(f"{path}/value", "percent", 1), sign=sign)
        return join([value, question.ends(path, "percent", 1, level=False)])
    if not test.get("effect") and not estimate:
        return detail_of(question, test)
    return question.effect_of(test) if test.get("effect") else question.effect_of(test, "estimate")


def _statistic(question: Question, test: Mapping[str, Any]) -> Prose:
    statistic = question.statistic_of(test)
    return statistic if statistic else Prose((Run(method_name(test["method"]), named=True),))


def _p(question: Question, test: Mapping[str, Any], key: str) -> Prose:
    value = question.value(f"{question.test_at(test)}/{key}")
    return Prose((question.number(f"{question.test_at(test)}/{key}", "p"),)) if value is not None else Prose()


def _is_by_unit(question: Question) -> bool:
    """Whether a cell holds several values of a unit, so that its interval goes by the units."""
    n = sum(one["n"] for one in question.entry["cells"])
    inner_cells = math.prod(len(factor["levels"]) for factor in question.factors if factor["lies"] == "within")
    return (
        any(factor["lies"] == "partly" for factor in question.factors)
        or n > question.entry["design"]["n_units"] * inner_cells
    )


def cells_table(question: Question) -> Table:
    """Return a row a cell: its levels, n, mean and SD or count and share, and the interval."""
    cells = question.entry["cells"]
    factors = question.factors
    if not cells or not factors or all("answers" in one and "mean" not in one for one in cells):
        return _answers_table(question)
    shares = all("count" in one for one in cells)
    rows = []
    for place, one in enumerate(cells):
        at = f"/cells/{place}"
        levels = [cell(_label(question, factor["name"], one["levels"].get(factor["name"], ""))) for factor in factors]
        n = cell(question.number(f"{at}/n", "count"))
        if shares:
            ends = question.ends(at, "percent", 1, level=False) if one.get("low") is not None else Prose()
            rows.append(
                (
                    *levels,
                    n,
                    cell(question.number(f"{at}/count", "count")),
                    cell(question.number(f"{at}/share", "percent", 1)),
                    cell(ends),
                )
            )
        else:
            ends = question.ends(at, level=False) if one.get("low") is not None else Prose()
            rows.append(
                (*levels, n, cell(question.number(f"{at}/mean")), cell(question.number(f"{at}/sd")), cell(ends))
            )
    names = [
        Column(prose("{name}", name=line(factor["name"], NAME).replace("_", " ").capitalize())) for factor in factors
    ]
    numbers = (
        [head("Count", "number"), head("%", "number")] if shares else [head("*M*", "number"), head("*SD*", "number")]
    )
    by = " and ".join(line(factor["name"], NAME).replace("_", " ").title() for factor in factors)
    level = prose("{level}% CI", level=f"{100 * question.plan.confidence_level:g}")
    kind = "Wilson intervals of each share. " if shares else "Intervals are of each group's own mean. "
    if _is_by_unit(question):
        kind = (
            f"Wilson intervals of each share at its effective size, as values of one {question.units} are related. "
            if shares
            else f"Intervals are of each group's own mean, with standard errors by {question.units}. "
        )
    return Table(
        f"cells:{question.id}",
        f"{'Shares' if shares else 'Means'} of {question.id} by {by}",
        (*names, head("*n*", "number"), *numbers, Column(level, "interval")),
        tuple(rows),
        prose(kind + CI),
    )


def _answers_table(question: Question) -> Table:
    cells = [one for one in question.entry["cells"] if "answers" in one]
    words = list(dict.fromkeys(word for one in cells for word in one["answers"]))
    rows = []
    for one in cells if len(words) <= 6 else ():
        place = question.entry["cells"].index(one)
        levels = " × ".join(_label(question, name, at) for name, at in one["levels"].items()) or "All"
        counts = [
            rounded(one["answers"].get(word, 0), "count", f"{question.at}/cells/{place}/answers/{word}")
            for word in words
        ]
        rows.append(
            (cell(levels), *(cell(each) for each in counts), cell(question.number(f"/cells/{place}/n", "count")))
        )
    columns = (
        head("Group"),
        *(Column(prose("{word}", word=line(word, NAME)), "number") for word in words),
        head("*n*", "number"),
    )
    return Table(
        f"cells:{question.id}", f"Counts of Answers of {question.id}", columns, tuple(rows) if question.factors else ()
    )


def _label(question: Question, name: str, level: object) -> str:
    from negstats.report.result_tables import level_text

    return level_text(question.plan, name, level)


def tests_table(question: Question) -> Table:
    """Return a row a test of a question: what it is for, the test, its result and p."""
    rows = []
    alike = Counter((test["method"], test["address"].partition("#")[0]) for test in question.tests)
    for test in _distinct(question.tests):
        term, tag = test["address"].partition("#")[0].partition("/")[2], test["address"].partition("#")[2]
        needs_tag = test["role"] == "follow-up" or tag == "mixed pairs"
        if tag and (needs_tag or alike[test["method"], test["address"].partition("#")[0]] > 1):
            term = (
                follow_up_text(question, tag)
                if test["role"] == "follow-up"
                else f"{term}, {_plain_tag(tag)}"
                if term
                else tag
            )
        role = ROLES.get(test["role"], line(test["role"], NAME))
        name = method_name(test["method"])
        rows.append(
            (
                cell(Prose((Run(f"{role[:1].upper()}{role[1:]}: {name}", named=True),))),
                cell(_term_text(term)),
                cell(_size(question, test)),
                cell(question.statistic_of(test)),
                cell(_p(question, test, "p")),
                cell(_p(question, test, "p_adjusted")),
            )
        )
    columns = [
        head("Test"),
        head("Term"),
        head("Estimate or effect"),
        head("Statistic"),
        head("*p*", "number"),
        head("Corrected *p*", "number"),
    ]
    column_places = [at for at in range(len(columns)) if at in (0, 4) or any(str(row[at]) != "–" for row in rows)]
    if len(question.tests) < 2:
        rows = []
    has_followups = 5 in column_places and any(test["role"] == "follow-up" for test in question.tests)
    title = f"Main Test and Checks for {question.id}"
    return Table(
        f"tests:{question.id}",
        title,
        tuple(columns[at] for at in column_places),
        tuple(tuple(row[at] for at in column_places) for row in rows),
        join(
            [
                prose("Intervals are in brackets."),
                prose("The *p* values of follow-ups are corrected among themselves." if has_followups else ""),
                _units_note(question.tests),
            ]
        ),
    )


def _plain_tag(tag: str) -> str:
    return CHECKS.get(tag, tag).removeprefix("the ")


def _distinct(tests: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the tests without simple effects that an interaction repeats, and without what has no number to show."""
    rows: dict[tuple[str, str], Mapping[str, Any]] = {}
    shown: set[tuple[object, ...]] = set()
    for test in tests:
        if test.get("statistic") is None and test.get("p") is None and not test.get("estimate"):
            continue
        key = test["address"].partition("#")[2] if " at " in test["address"] else test["address"]
        numbers = (test["method"], test.get("statistic"), test.get("p"), str(test.get("estimate")))
        if test["role"] == "part" and numbers in shown:  # a part of the model that a check has said
            continue
        shown.add(numbers)
        rows.setdefault((test["role"], key), test)
    return list(rows.values())


def sensitivity_table(questions: Sequence[Question]) -> tuple[Table, Prose]:
    """Return the answers beside their checks, and how many of them are below alpha."""
    specifications = [one for question in questions for one in _specifications(question)]
    rows = tuple(_specification_row(*one) for one in specifications)
    columns = (
        head("Question"),
        head("Analysis"),
        head("Estimate or effect"),
        head("Statistic"),
        head("*p*", "number"),
        head("Agrees"),
    )
    note = prose(
        "*p* before correction. A check agrees if it is on the same side of α and, where both estimate the same "
        "quantity, neither estimate lies outside the other's interval. "
    ) + _units_note([test for _, test, _ in specifications])
    n_significant = sum(test["p"] < question.plan.alpha for question, test, _ in specifications)
    return (
        Table("sensitivity:", "Main Tests and Their Alternatives", columns, rows, note),
        _summarize_sensitivity(questions, n_significant, len(specifications)),
    )


Specification: TypeAlias = "tuple[Question, Mapping[str, Any], str]"


def _specifications(question: Question) -> Iterator[Specification]:
    """Yield each main test, its checks and itself without an exclusion, with whether they agree."""
    checks = {check["address"]: check for check in question.entry.get("checks") or ()}
    others = question.entry.get("alternatives") or ()
    by_address = {test["address"]: test for test in question.tests}
    for address in dict.fromkeys(check["of"] for check in (*checks.values(), *others)):
        for name in [address, *(name for name, check in checks.items() if check["of"] == address)]:
            test, check = by_address.get(name), checks.get(name)
            if test is None or test.get("p") is None:
                continue
            if check is None:
                yield question, test, "main test"
            else:
                yield question, test, "yes" if check["agrees"] else f"no: {line(check.get('why', ''), SENTENCE)}"
        for test in others:
            if test["of"] == address:
                why = "walking away does not count" if test["without"] is None else "more data are included"
                yield question, test, "yes" if test["agrees"] else f"no: {why}"


def _specification_row(question: Question, test: Mapping[str, Any], agrees: str) -> tuple[Prose, ...]:
    if test["role"] == "alternative":
        label = question.id
        reason = test["without"]
        rows = "agreements only" if reason is None else f"without the exclusion: {line(reason, SENTENCE)}"
        analysis = cell(f"{method_name(test['method'])}, {rows}")
    else:
        term = test["address"].partition("#")[0].partition("/")[2]
        label = f"{question.id}, {_term_text(term)}" if term else question.id
        analysis = cell(Prose((Run(method_name(test["method"]) + _part(test), named=True),)))
    return (
        cell(label),
        analysis,
        cell(_size(question, test)),
        cell(question.statistic_of(test)),
        cell(_p(question, test, "p")),
        cell(Prose((Run(agrees),))),
    )


def _summarize_sensitivity(questions: Sequence[Question], n_significant: int, every: int) -> Prose:
    """Return how many specifications are below alpha, and which conclusions depend on the method or an exclusion."""
    checked = [one for one in questions if one.entry.get("checks")]
    dependent_ids = [one.id for one in checked if any(not check["agrees"] for check in one.entry["checks"])]
    robust_ids = [one.id for one in checked if one.id not in dependent_ids]
    sentences = [
        prose(
            "{table} has each main test with its alternatives; {k} of {n} specifications {have} *p* < {alpha} before "
            "correction.",
            table=reference("sensitivity", ""),
            k=Run(str(n_significant) if n_significant else "none", named=True),
            have="has" if n_significant == 1 else "have",
            n=Run(str(every), named=True),
            alpha=f"{questions[0].plan.alpha:g}"[1:] if questions else "",
        ),
    ]
    if dependent_ids:
        sentences.append(prose("The conclusion of {ids} depends on the method.", ids=_listed(dependent_ids)))
    if robust_ids:
        sentences.append(prose("Other methods led to the same conclusion for {ids}.", ids=_listed(robust_ids)))
    unchecked = [one.id for one in questions if one.answers and not one.entry["explored"] and one not in checked]
    if unchecked:
        sentences.append(prose("For {ids} no other method was computed.", ids=_listed(unchecked)))
    return join([*sentences, *_other_rows(questions)])


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _other_rows(questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield which conclusions are others without an exclusion, or among agreements only, and which are the same."""
    outcomes: dict[str | None, dict[str, bool]] = {}
    for one in questions:
        for test in one.entry.get("alternatives") or ():
            by_id = outcomes.setdefault(test["without"], {})
            by_id[one.id] = by_id.get(one.id, True) and test["agrees"]
    for reason, by_id in outcomes.items():
        among = "Among agreements only" if reason is None else "Without the exclusion ({reason})"
        names = {"reason": line(reason or "", SENTENCE)}
        if different := [name for name, agrees in by_id.items() if not agrees]:
            yield prose(among + " the conclusion of {ids} would be another.", ids=_listed(different), **names)
        elif reason is None:
            yield prose(among + " the conclusion of {ids} is the same.", ids=_listed(list(by_id)), **names)


def _part(test: Mapping[str, Any]) -> str:
    tag = test["address"].partition("#")[2]
    if tag in ("anova", "classical"):  # beside a main test of the same method
        return f", {_plain_tag(tag)}"
    return f", {tag} units" if tag in ("between", "within") else ""


def _term_text(term: str) -> str:
    """Return a term as tables name it: an interaction by its factors with a cross."""
    return line(term, NAME).replace(":", " × ")
