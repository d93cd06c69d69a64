"""The tables of a report about its answers: means, shares, coefficients, alternatives, comparisons, common outcomes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from negstats.analysis.effect_sizes import RATIOS
from negstats.analysis.method import METHODS
from negstats.report.apa_table import Column, Table, cell, head
from negstats.report.labels import NAME, SENTENCE, deals_noun, level_text, method_name, method_phrase, title_case
from negstats.report.methods_used import named_method
from negstats.report.numerals import interval, interval_digits, rounded
from negstats.report.prose import NO_BREAK, Prose, Run, join, listed, prose
from negstats.report.sentences import Question
from negstats.report.sentences.base_facts import FEW, estimate_name, tag_of, term_of
from negstats.report.sentences.facts import Facts
from negstats.report.sentences.follow_ups import ARTICLE, check_name, follow_up_text
from negstats.report.sentences.level_places import COMMON_WORDS
from negstats.report.sentences.question import EFFECTS, POINTS, own_words
from negstats.sanitize import capitalised, line, plural

COEFFICIENTS = 3  # terms of a model from which on a table has them
SLOPES = ("slope", "difference_of_slopes")
CORRELATIONS = ("r", "rho", "tau_b")
CLAUSE = re.compile(r" (which|that) ")  # it explains a test, and stands in the text alone
WIDEST = 4  # levels of a second factor whose means stand side by side


def means_table(question: Question) -> Table:
    """Return n, M and SD (or count and share) of each cell; of two factors the second stands over the columns."""
    cells, factors = question.entry["cells"], question.factors
    key = f"cells:{question.id}"
    if len(cells) <= FEW or not factors or any("mean" not in row and "count" not in row for row in cells):
        return Table(key, "", (), ())
    shares = all("count" in row for row in cells)
    factor_names = [factor["name"] for factor in factors]
    names = ("n", "count", "share") if shares else ("n", "mean", "sd")
    heads = ("*n*", "Count", "%") if shares else ("*n*", "*M*", "*SD*")
    is_wide = len(factors) == 2 and len(factors[1]["levels"]) <= WIDEST and len(cells) == math.prod(
        len(factor["levels"]) for factor in factors
    )  # fmt: skip
    by = [own_words(title_case(str(question.factor_text(factor["name"])))) for factor in factors]
    places = {
        tuple(str(row["levels"].get(name, "")) for name in factor_names): place for place, row in enumerate(cells)
    }
    if is_wide:
        over = [_head_of(question, factors[1]["name"], level) for level in factors[1]["levels"]]
        columns = [Column(by[0]), *(Column(prose(name), "number", level) for level in over for name in heads)]
        rows = [
            (cell(_level(question, factors[0]["name"], first)),
             *(_number(question, places[str(first), str(second)], name)
               for second in factors[1]["levels"] for name in names))
            for first in factors[0]["levels"]
        ]  # fmt: skip
    else:
        columns = [*(Column(name) for name in by), *(head(name, "number") for name in heads)]
        rows = [
            (*(cell(_level(question, name, row["levels"].get(name, ""))) for name in factor_names),
             *(_number(question, place, name) for name in names))
            for place, row in enumerate(cells)
        ]  # fmt: skip
    title = title_case(f"{question.words.title} by {question.factors_text(factor_names)}")
    if question.results["study"].get("participation") == "simulated":
        title += " in Simulated Games"
    return Table(key, title, tuple(columns), tuple(rows), _means_note(question))


def _level(question: Question, name: str, level: object) -> str:
    """Return a level as it begins a line; a common word has a capital."""
    text = level_text(question.plan, name, level)
    return capitalised(text) if COMMON_WORDS.fullmatch(text) else text


def _head_of(question: Question, name: str, level: object) -> Prose:
    """Return a level as it stands over columns; one that the plan does not label, behind its factor."""
    text = _level(question, name, level)
    factor = question.plan.factors.get(name)
    if question.is_first_level(name) or (factor is not None and str(level) in factor.labels):
        return prose("{level}", level=text)
    noun = title_case(str(question.factor_text(name)).removeprefix("the "))
    return prose("{factor}: {level}", factor=own_words(noun), level=text)


def _number(question: Question, place: int, name: str) -> Prose:
    """Return a number of a cell; a dash where there is none."""
    at = f"/cells/{place}/{name}"
    if question.value(at) is None:
        return cell("")
    kind, digits = {"n": ("count", 0), "count": ("count", 0), "share": ("percent", 1)}.get(name, ("", None))
    return cell(question.number(at, kind, digits))


def _means_note(question: Question) -> Prose:
    """Return of how many units the table is, and who played where nobody took part."""
    rows = question.entry.get("rows") or {}
    n = prose("*N* = {n}", n=question.counted_units())
    if rows.get("row") == "seat" and question.entry["design"]["units"] == "game" and not question.entry.get("who"):
        n = prose(
            "*N* = {seats} seats in {units}",
            seats=question.number("/rows/rows", "count"),
            units=question.counted_units(),
        )
    nobody = question.results["study"].get("participation") == "simulated"
    return prose("{n}.{nobody}", n=n, nobody=own_words(" All games and all players were simulated." if nobody else ""))


def coefficients_table(question: Question) -> Table:
    """Return a row a term of a model with three terms or more: its estimate, interval, test and p."""
    answers = [test for test in question.answers if test.get("p") is not None]
    rows = []
    if len(answers) >= COEFFICIENTS and question.number_names:
        rows = [
            (_row_head(str(question.term_text(term_of(test)))), *_estimate_cells(question, test),
             cell(question.statistic_of(test)), cell(_p(question, test)))
            for test in answers
        ]  # fmt: skip
    of_two = [factor for factor in question.factors if len(factor["levels"]) == 2]
    sizes = [
        prose("of {factor} is {one} minus {two}", factor=question.factor_text(factor["name"]),
              one=level_text(question.plan, factor["name"], factor["levels"][0]),
              two=level_text(question.plan, factor["name"], factor["levels"][1]))
        for factor in of_two
    ]  # fmt: skip
    note = prose("The estimate {each}.", each=listed(sizes)) if sizes else Prose()
    columns = (head("Term"), head("Estimate"), head("95% CI", "interval"), head("Test"), head("*p*", "number"))
    return Table(
        f"coefficients:{question.id}",
        f"Coefficients of the Model of {title_case(question.words.title)}",
        columns,
        tuple(rows),
        note,
    )


def _row_head(text: str) -> Prose:
    """Return what begins a row, with a capital."""
    return cell(capitalised(text))


def _p(question: Question, test: Mapping[str, Any], key: str = "p") -> Prose:
    path = f"{question.test_at(test)}/{key}"
    return Prose((question.number(path, "p"),)) if question.value(path) is not None else Prose()


def _ratio_of(test: Mapping[str, Any]) -> str:
    """Return the ratio that a table has of a test, rather than points; empty where there is none.

    Where one unit more of a number is more than can be pictured, a ratio for a step of it is known. The points that go
    with a whole unit would then be more than there are.
    """
    effect, estimate = test.get("effect") or {}, test.get("estimate") or {}
    if effect.get("name") in RATIOS and effect.get("value") is not None:
        return str(effect["name"])
    has_step = (test.get("details") or {}).get("step") is not None
    return "odds_ratio" if has_step and estimate.get("name") == "average_marginal_effect" else ""


def _estimate_cells(
    question: Question, test: Mapping[str, Any], like: Mapping[str, Any] | None = None
) -> tuple[Prose, Prose]:
    """Return the estimate of a test with its symbol, and its interval without the level.

    Of a check it is on the scale of its main test `like`: no difference below a ratio, no points below shares.
    """
    facts, at = Facts(question, test), question.test_at(test)
    estimate, effect = test.get("estimate") or {}, test.get("effect") or {}
    main = like or test
    name, ratio = estimate.get("name"), _ratio_of(test) if _ratio_of(main) or not estimate else ""
    per = facts.per_x if facts.is_number else Prose()
    if ratio:
        ends = question.step_ends(at, level=False) if facts.has_step else question.ends(
            f"{at}/effect", "statistic", level=False)  # fmt: skip
        return prose(EFFECTS[ratio][0] + "{per} = {v}", per=per, v=facts.ratio), cell(ends)
    if name in CORRELATIONS:
        value = question.number(f"{at}/estimate/value", "share")
        return prose(EFFECTS[name][0] + " = {v}", v=value), cell(question.ends(f"{at}/estimate", "share", level=False))
    has_mean = like is not None and estimate_name(like) == "difference" and not _ratio_of(like)
    if name == "share" or (name in POINTS and not has_mean):
        words = "{d}%" if name == "share" else "{d} percentage points{per}"
        shown = prose(words, d=question.number(f"{at}/estimate/value", "percent", 1), per=per)
        return shown, cell(question.ends(f"{at}/estimate", "percent", 1, level=False))
    if name in SLOPES:
        return prose("*b* = {v}", v=facts.slope), cell(facts.slope_interval)
    if estimate.get("value") is not None:
        method = METHODS.get(test["method"])
        is_slope = method is not None and method.is_model and name not in POINTS
        symbol = "*M* = {v}" if name == "mean" else "*b* = {v}" if is_slope else "*M*_diff = {v}"
        value = question.number(f"{at}/estimate/value")
        return prose(symbol, v=value), cell(question.ends(f"{at}/estimate", level=False))
    if effect.get("value") is not None:
        symbol, kind = EFFECTS.get(effect["name"], (effect["name"].replace("_", " "), "statistic"))
        value = question.number(f"{at}/effect/value", kind)
        return prose(symbol + " = {v}", v=value), cell(question.ends(f"{at}/effect", kind, level=False))
    return cell(facts.detail), cell("")


# Alternatives --------------------------------------------------------------------------------------------------------


def alternatives_table(questions: Sequence[Question]) -> Table:
    """Return each main test with its checks and itself on other rows, in a block a hypothesis and term."""
    rows: list[tuple[Prose, ...]] = []
    answers = [(question, answer) for question in questions for answer in question.answers]
    for question, answer in answers:
        block = list(_alternative_rows(question, answer)) if answer.get("p") is not None else []
        if len(block) > 1:
            term = term_of(answer) if len(question.answers) > 1 else ""
            of_term = prose(", {term}", term=question.term_text(term)) if term else Prose()
            title = prose("**{name}**{of}", name=question.hypothesis.capitalised, of=of_term)
            rows += [(title, *[Prose()] * 5), *block]
    columns = (
        head("Analysis"), head("*N*", "number"), head("Estimate"), head("95% CI", "interval"), head("Test"),
        head("*p*", "number"),
    )  # fmt: skip
    note = prose("The main analysis is the first row of each block. *p* values are before correction.")
    if any(question.is_of_repetitions(test) for question in questions for test in question.alternatives):
        note += prose(" Games that repeat others add no information: *p* is too small where they are counted.")
    note = join([note, *_abbreviations(row[2] for row in rows)])
    return Table("alternatives:", "Main and Alternative Analyses", columns, tuple(rows), note)


def repeated(questions: Sequence[Question]) -> str:
    """Return with what the tests are repeated: other methods, other samples, or both."""
    has_samples = any(question.alternatives for question in questions)
    has_methods = any(test["role"] == "beside" for question in questions for test in question.tests)
    ways = ["other methods"] * has_methods + ["other samples"] * has_samples
    which_tests = "the test" if sum(len(question.answers) for question in questions) == 1 else "the tests"
    return f"repeats {which_tests} with {' and '.join(ways)}"


# What is explained below a table that has it.
ABBREVIATIONS = {
    r"\bb =": "*b* = difference or slope in the unit of the measure.",
    r"\bM_diff =": "*M*_diff = difference of means.",
    r"\bOR =": "*OR* = odds ratio.",
    r"\bHR =": "*HR* = hazard ratio.",
    r"\bRR =": "*RR* = risk ratio.",
}


def _abbreviations(estimates: Iterable[Prose], *, has_intervals: bool = True) -> Iterator[Prose]:
    """Yield what the symbols mean that occur among the estimates of a table, and in its heads."""
    text = "; ".join(map(str, estimates)).replace(NO_BREAK, " ")
    yield from (prose(meaning) for sign, meaning in ABBREVIATIONS.items() if re.search(sign, text))
    if has_intervals:
        yield prose("CI = confidence interval.")


def _alternative_rows(question: Question, answer: Mapping[str, Any]) -> Iterator[tuple[Prose, ...]]:
    """Yield the row of a main test, its checks, and itself without an exclusion or among agreements."""
    yield _row(question, answer, answer, prose("{name} (main)", name=_method_words(named_method(answer)).capitalised))
    seen: set[tuple[object, ...]] = set()
    for test in question.tests:
        numbers = (test["method"], test.get("statistic"), test.get("p"))
        is_of_answer = test["address"].partition("#")[0] == answer["address"]
        if test["role"] == "beside" and is_of_answer and test.get("p") is not None and numbers not in seen:
            seen.add(numbers)
            yield _row(question, answer, test, check_name(question, test, article=False, of_term=False).capitalised)
    for test in question.alternatives:
        if test["of"] == answer["address"] and test.get("p") is not None:
            reason = test["without"]
            deals = deals_noun(question.results["study"])
            text = f"{deals} only" if reason is None else f"without the exclusion: {line(reason, SENTENCE)}"
            yield _row(question, answer, test, prose("{text}", text=capitalised(text)))


def _method_words(method: str) -> Prose:
    """Return a method as the text names it, without its article and what explains it: "paired *t* test"."""
    phrase = method_phrase(method)
    return prose(ARTICLE.sub("", method_name(method) if CLAUSE.search(phrase) else phrase))


def _row(question: Question, main: Mapping[str, Any], test: Mapping[str, Any], name: Prose) -> tuple[Prose, ...]:
    sized = test if test.get("n") else main  # an F of the same values says no size of its own
    n = rounded(sum(sized["n"]), "count", f"{question.at}{question.test_at(sized)}/n") if sized.get("n") else Run("–")
    estimate, ends = _estimate_cells(question, test, main)
    is_estimate = estimate_name(test) in CORRELATIONS  # a number stands once
    statistic = Prose() if is_estimate else question.statistic_of(test)
    exact = own_words("exact" if test.get("exact") else "")
    return (name, cell(n), estimate, ends, cell(join([statistic, exact], ", ")), cell(_p(question, test)))


def _comparisons(test: Mapping[str, Any]) -> Prose:
    """Return how groups were compared, as a plural: "paired *t* tests", "Games–Howell comparisons"."""
    name, record = _method_words(test["method"]), METHODS.get(test["method"])
    if record is not None and record.is_model and " at " not in test["address"]:
        return prose("pairwise comparisons by {name}", name=prose(method_phrase(test["method"])))
    has_plural = str(name).endswith((" test", " effect", " slope"))
    return prose("{name}s" if has_plural else "{name} comparisons", name=name)


def _sign_of(test: Mapping[str, Any]) -> str:
    """Return what stands between two levels: a minus of differences, a stroke of ratios."""
    if _ratio_of(test):
        return "/"
    return "−" if (test.get("estimate") or {}).get("value") is not None else "vs."


# All comparisons -----------------------------------------------------------------------------------------------------


def follow_ups_table(question: Question) -> Table:
    """Return all comparisons that follow the main test: of groups, and of effects at each level of another factor."""
    rows: dict[str, tuple[Prose, ...]] = {}
    methods: dict[str, Prose] = {}
    for test in question.tests:
        tag = tag_of(test)
        if test["role"] != "follow-up" or (test.get("p") is None and not test.get("estimate")):
            continue
        methods[str(_comparisons(test))] = _comparisons(test)
        estimate, ends = _estimate_cells(question, test)
        text = follow_up_text(question, tag, _sign_of(test))
        rows.setdefault(tag if " at " in tag else test["address"], (
            _row_head(text), estimate, ends, cell(question.statistic_of(test)),
            cell(_p(question, test)), cell(_p(question, test, "p_adjusted")),
        ))  # fmt: skip
    columns = (
        head("Comparison"), head("Estimate"), head("95% CI", "interval"), head("Test"), head("*p*", "number"),
        head("Corrected *p*", "number"),
    )  # fmt: skip
    texts = [tuple(map(str, row)) for row in rows.values()]
    shown_places = [place for place in range(len(columns)) if not place or any(row[place] != "–" for row in texts)]
    if all(row[4] == row[5] for row in texts):  # simultaneous tests have no *p* of a single one
        shown_places = [place for place in shown_places if place != 4]
    note = prose("{methods}; *p* values are corrected among these comparisons.",
                 methods=listed(list(methods.values())).capitalised)  # fmt: skip
    note = join([note, *_abbreviations((row[1] for row in rows.values()), has_intervals=2 in shown_places)])
    title = title_case(f"all comparisons for {question.hypothesis}")
    shown_rows = tuple(tuple(row[place] for place in shown_places) for row in rows.values())
    return Table(f"pairs:{question.id}", title, tuple(columns[place] for place in shown_places), shown_rows, note)


LONGEST = 20  # letters of a level that stands over two columns
TESTS = {"within": "paired", "between": "Welch's"}


LEAST = 3  # outcomes from which on a table has them


def outcomes_tables(questions: Sequence[Question]) -> list[Table]:
    """Return the tables of three outcomes and more that are compared over the same two levels.

    Where hypotheses were planned, a table of explorations alone would not describe what they are about.
    """
    groups = questions[0].results.get("outcomes") or () if questions else ()
    planned = {question.entry["id"] for question in questions if not question.entry["explored"]}
    return [
        outcomes_table(questions, place)
        for place, group in enumerate(groups)
        if len(group["rows"]) >= LEAST and _is_short(questions[0], group)
        and (not planned or any(row["question"] in planned for row in group["rows"]))
    ]  # fmt: skip


def _is_short(question: Question, group: Mapping[str, Any]) -> bool:
    texts = [level_text(question.plan, group["factor"], level) for level in group["levels"]]
    return all(len(text) <= LONGEST for text in texts)


def outcomes_key(place: int) -> str:
    """Return the key of the table of a group."""
    return f"cells:outcomes {place + 1}"


def outcomes_table(questions: Sequence[Question], place: int) -> Table:
    """Return the table of a group: means and SDs at both levels, the difference, and its two-sided test."""
    results = questions[0].results
    group = results["outcomes"][place]
    by_id = {question.entry["id"]: question for question in questions}
    members = [by_id[row["question"]] for row in group["rows"]]
    plan = members[0].plan
    first, second = (prose("{level}", level=level_text(plan, group["factor"], level)) for level in group["levels"])
    difference = prose("{one} − {two}", one=first, two=second)
    is_same_df = len({row["df"] for row in group["rows"]}) == 1
    at = f"/outcomes/{place}/rows"
    t_head = head("*t* (*df*)", "interval")
    if is_same_df:
        df = rounded(group["rows"][0]["df"], "df", f"{at}/0/df")
        t_head = Column(prose("*t*({df})", df=df), "number")
    level = prose("{level}% CI", level=f"{100 * plan.confidence_level:g}")
    columns = (
        head("Measure"),
        *(Column(prose(name), "number", over) for over in (first, second) for name in ("*M*", "*SD*")),
        Column(prose("*M*"), "number", difference),
        Column(level, "interval", difference),
        t_head,
        head("*p*", "number"),
    )
    rows = [
        _outcome_row(member, row, f"{at}/{number}", is_same_df=is_same_df)
        for number, (member, row) in enumerate(zip(members, group["rows"], strict=True))
    ]
    return Table(outcomes_key(place), _title(group, members[0]), columns, tuple(rows), _note(group, members))


def _outcome_row(question: Question, row: Mapping[str, Any], at: str, *, is_same_df: bool) -> tuple[Prose, ...]:
    noun, kind = question.words.noun, question.words.kind
    digits = interval_digits(row["estimate"], kind, question.digits)
    value = rounded(row["estimate"]["value"], kind, f"{at}/estimate/value", digits)
    ends = interval(row["estimate"], kind, f"{at}/estimate", digits, level=False)
    t = rounded(row["t"], "statistic", f"{at}/t")
    tested = cell(t) if is_same_df else prose("{t} ({df})", t=t, df=rounded(row["df"], "df", f"{at}/df"))
    means = [cell(question.number(f"/cells/{place}/{name}")) for place in range(2) for name in ("mean", "sd")]
    noun = noun.removeprefix("the ")
    label = prose("{noun} ({id})", noun=own_words(capitalised(noun)), id=question.id)
    return (label, *means, cell(value), ends, tested, cell(rounded(row["p"], "p", f"{at}/p")))


def _title(group: Mapping[str, Any], question: Question) -> str:
    factor = line(group["factor"], NAME).replace("_", " ").title()
    if group["lies"] == "between":
        return f"Outcomes by {factor} and Differences Between Groups"
    noun = {"person": "Persons", "game": "Games", "group": "Groups"}.get(question.units, "Units")
    return f"Outcomes by {factor} and Differences Within {noun}"


def _note(group: Mapping[str, Any], members: Sequence[Question]) -> Prose:
    """Return how many were compared, which test it is, and whose planned test is another."""
    sentences = [
        _sizes_within(members) if group["lies"] == "within" else _sizes_between(members),
        prose(f"Two-sided {TESTS[group['lies']]} *t* tests; *p* not corrected."),
    ]
    others = [member for member in members if _is_another(member.answers[0])]
    if others:
        ids = listed([prose("{id}", id=other.id) for other in others])
        tests = "tests" if len(others) > 1 else "test"
        were = "are" if len(others) > 1 else "is"
        sentences.append(
            prose(f"The text has the planned {tests} for {{ids}}, which {were} one-sided or of equivalence.", ids=ids)
        )
    return join([*sentences, prose("CI = confidence interval.")])


def _is_another(test: Mapping[str, Any]) -> bool:
    return bool(test["method"] == "equivalence" or test["alternative"] != "two-sided")


def _sizes_within(members: Sequence[Question]) -> Prose:
    sizes = [int(member.entry["design"]["n_units"]) for member in members]
    if len(set(sizes)) == 1:
        return prose("*N* = {n}, each at both levels.", n=members[0].counted_units())
    clauses = [prose("{n} ({id})", n=member.number("/design/n_units", "count"), id=member.id) for member in members]
    units = own_words(plural(members[0].units))
    return prose("*N* of {units}, each at both levels: {each}.", units=units, each=join(clauses, ", "))


def _sizes_between(members: Sequence[Question]) -> Prose:
    sizes = {tuple(cell["n"] for cell in member.entry["cells"]) for member in members}
    shown = members[:1] if len(sizes) == 1 else members
    clauses = []
    for question in shown:
        first, second = (question.number(f"/cells/{place}/n", "count") for place in range(2))
        texts = question.levels
        n = prose("{n} ({a}) and {m} ({b})", n=first, a=texts[0], m=second, b=texts[1])
        clauses.append(n if len(shown) == 1 else prose("{n} in {id}", n=n, id=question.id))
    return prose("*n* = {each}.", each=join(clauses, "; "))
