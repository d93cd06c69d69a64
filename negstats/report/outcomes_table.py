"""A common table of the outcomes that are compared over the same two levels, instead of a table for each question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from negstats.report.apa_table import Column, Table, cell, head
from negstats.report.labels import NAME
from negstats.report.numerals import interval, interval_digits, rounded
from negstats.report.prose import Prose, join, listed, prose
from negstats.report.result_tables import level_text
from negstats.report.sentences import Question
from negstats.report.sentences.question import own_words
from negstats.sanitize import counted, line

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
    one, two = (prose("{level}", level=level_text(plan, group["factor"], level)) for level in group["levels"])
    difference = prose("{one} − {two}", one=one, two=two)
    is_same_df = len({row["df"] for row in group["rows"]}) == 1
    at = f"/outcomes/{place}/rows"
    t_head = head("*t* (*df*)", "interval")
    if is_same_df:
        df = rounded(group["rows"][0]["df"], "df", f"{at}/0/df")
        t_head = Column(prose("*t*({df})", df=df), "number")
    level = prose("{level}% CI", level=f"{100 * plan.confidence_level:g}")
    columns = (
        head("Measure"),
        *(Column(prose(name), "number", over) for over in (one, two) for name in ("*M*", "*SD*")),
        Column(prose("*M*"), "number", difference),
        Column(level, "interval", difference),
        t_head,
        head("*p*", "number"),
    )
    rows = [
        _row(member, row, f"{at}/{number}", is_same_df=is_same_df)
        for number, (member, row) in enumerate(zip(members, group["rows"], strict=True))
    ]
    return Table(outcomes_key(place), _title(group, members[0]), columns, tuple(rows), _note(group, members))


def _row(question: Question, row: Mapping[str, Any], at: str, *, is_same_df: bool) -> tuple[Prose, ...]:
    noun, kind = question.words.noun, question.words.kind
    digits = interval_digits(row["estimate"], kind, question.digits)
    value = rounded(row["estimate"]["value"], kind, f"{at}/estimate/value", digits)
    ends = interval(row["estimate"], kind, f"{at}/estimate", digits, level=False)
    t = rounded(row["t"], "statistic", f"{at}/t")
    tested = cell(t) if is_same_df else prose("{t} ({df})", t=t, df=rounded(row["df"], "df", f"{at}/df"))
    means = [cell(question.number(f"/cells/{place}/{name}")) for place in range(2) for name in ("mean", "sd")]
    noun = noun.removeprefix("the ")
    label = prose("{noun} ({id})", noun=own_words(noun[:1].upper() + noun[1:]), id=question.id)
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
            prose(f"The text has the planned {tests} of {{ids}}, which {were} one-sided or of equivalence.", ids=ids)
        )
    return join([*sentences, prose("CI = confidence interval.")])


def _is_another(test: Mapping[str, Any]) -> bool:
    return bool(test["method"] == "equivalence" or test["alternative"] != "two-sided")


def _sizes_within(members: Sequence[Question]) -> Prose:
    sizes = [int(member.entry["design"]["n_units"]) for member in members]
    if len(set(sizes)) == 1:
        return prose("*N* = {n}, each at both levels.", n=members[0].counted_units())
    each = [prose("{n} ({id})", n=member.number("/design/n_units", "count"), id=member.id) for member in members]
    units = counted(2, members[0].units).partition(" ")[2]
    return prose("*N* of {units}, each at both levels: {each}.", units=own_words(units), each=join(each, ", "))


def _sizes_between(members: Sequence[Question]) -> Prose:
    sizes = {tuple(cell["n"] for cell in member.entry["cells"]) for member in members}
    shown = members[:1] if len(sizes) == 1 else members
    each = []
    for one in shown:
        first, second = (one.number(f"/cells/{place}/n", "count") for place in range(2))
        texts = one.levels
        n = prose("{n} ({a}) and {m} ({b})", n=first, a=texts[0], m=second, b=texts[1])
        each.append(n if len(shown) == 1 else prose("{n} in {id}", n=n, id=one.id))
    return prose("*n* = {each}.", each=join(each, "; "))
