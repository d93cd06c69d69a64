"""The supplement: exclusions, alternatives, all pairs, sentences on assumptions, quality of the data, the command."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from negstats.analysis.questions.quality import MISSING, NOBODY, TWO_SEATS
from negstats.report.answer_tables import alternatives_table, follow_ups_table, repeated
from negstats.report.apa_table import Table
from negstats.report.blocks import Block, Code, Figure, Heading, Paragraph
from negstats.report.coding import agreement_tables
from negstats.report.data_tables import (
    correlations_table,
    deviations_table,
    flow_table,
    quality_table,
    quality_text,
    rows_table,
)
from negstats.report.labels import NAME, SENTENCE
from negstats.report.measures import to_lower
from negstats.report.numerals import rounded
from negstats.report.participants import is_of_seats
from negstats.report.prose import Prose, Run, join, listed, prose
from negstats.report.sentences import Question, names_of, reference, references_to
from negstats.report.sentences.base_facts import symbols
from negstats.report.sentences.question import OF_RESIDUALS, own_words
from negstats.report.sentences.renderer import load_words
from negstats.sanitize import line

if TYPE_CHECKING:
    from negstats.analysis.answers import Report
    from negstats.report.figures import Shown

ANCHOR = "supplement"


def supplement(
    report: Report, questions: Sequence[Question], figures: Sequence[Shown], problems: Sequence[str]
) -> Iterator[Block]:
    """Yield the supplement; `figures` are those of the residuals, `problems` why others were not drawn."""
    results = report.results
    yield Heading(prose("Supplement"), 2, ANCHOR)
    yield from _with_tables("Exclusions", "shows the exclusions", [flow_table(results), _rows_table(questions)])
    yield from _with_tables("Coding", "shows the agreement of coders", agreement_tables(results))
    yield from _with_tables("Alternative Analyses", repeated(questions), [alternatives_table(questions)])
    yield from _with_tables(
        "All Comparisons", "shows all comparisons", [follow_ups_table(question) for question in questions]
    )
    yield from _with_tables("Correlations", "shows the correlations of the measures",
                            [correlations_table(results, questions)])  # fmt: skip
    yield from _diagnostics(questions, figures, problems)
    yield from _with_tables("Deviations From the Registered Plan", "lists what differs from the registered plan",
                            [deviations_table(results["plan"].get("changes") or ())])  # fmt: skip
    yield from _data_checks(results, questions)
    yield from _reproduction(report)


def _with_tables(title: str, does: str, tables: Sequence[Table]) -> Iterator[Block]:
    """Yield a part of the supplement that consists of tables; nothing where none has rows."""
    shown = [table for table in tables if table.rows]
    if not shown:
        return
    yield Heading(prose(title), 3, f"s-{title.split()[0].lower()}")
    first, _, rest = does.partition(" ")
    verb = first if len(shown) == 1 else first.removesuffix("s")
    yield Paragraph(
        prose("{names} {does}.", names=references_to([table.key for table in shown]), does=own_words(f"{verb} {rest}"))
    )
    yield from shown


def _rows_table(questions: Sequence[Question]) -> Table:
    """Return how each question got from the rows that came to its units, where one leaves rows out."""
    return rows_table([question for question in questions if (question.entry.get("rows") or {}).get("excluded")])


def _diagnostics(questions: Sequence[Question], figures: Sequence[Shown], problems: Sequence[str]) -> Iterator[Block]:
    """Yield what was seen of assumptions, Bayesian analyses beside a test, and the residuals."""
    by_text: dict[str, tuple[Prose, list[Question]]] = {}
    for question in questions:
        if text := assumption_text(question):
            by_text.setdefault(str(text), (text, []))[1].append(question)
    sentences = [
        prose("For {names}, {text}.", names=names_of(members), text=text) for text, members in by_text.values()
    ]
    sentences += [text for question in questions for text in _regions(question)]
    sentences += _partners(questions)
    sentences += _omissions(questions)
    if figures:
        verb = own_words("shows" if len(figures) == 1 else "show")
        names = references_to([f"figure:{figure.name}" for figure in figures])
        sentences.append(prose("{names} {verb} the residuals.", names=names, verb=verb))
    if sentences or problems:
        yield Heading(prose("Diagnostics"), 3, "s-diagnostics")
        yield Paragraph(join(sentences))
    yield from (Figure(f"figure:{figure.name}", figure) for figure in figures)
    yield from (Paragraph(prose("{why}", why=line(why, SENTENCE)), "note") for why in problems)


def assumption_text(question: Question) -> Prose:
    """Return what was seen of the test's assumptions, and whether the test is known to be robust to it."""
    entries = question.entry.get("assumptions") or ()
    words = load_words()["assumptions"]
    clauses = []
    for place, entry in enumerate(entries):
        at = f"/assumptions/{place}"
        slots: dict[str, Prose | Run] = {
            "value": question.number(f"{at}/value", "count" if entry["kind"] not in words else "statistic"),
            "percent": question.number(f"{at}/value", "percent", 1),
            "sizes": question.number(f"{at}/sizes", "statistic"), "unit": own_words(question.units),
            "apart": question.number(f"{at}/apart", "count"), "shares": question.number(f"{at}/shares", "count"),
            "over": own_words("in deciles" if entry.get("tenths") else "at each value"),
            "which": own_words(str(entry.get("which", ""))),
            "end": question.number(f"{at}/at", digits=0 if float(entry.get("at") or 0).is_integer() else None),
        }  # fmt: skip
        clauses.append(prose(words.get(entry["kind"], words["events"]), **slots))
    if not entries:
        return Prose()
    smallest = min(range(len(entries)), key=lambda place: entries[place]["n"])
    is_robust = all(entry["robust"] for entry in entries)
    has_groups = any(factor["lies"] != "within" for factor in question.entry["design"]["factors"])
    return prose(
        "{each}. With *n* = {n}{group}, the test is known to be robust to this" if is_robust else
        "{each}. With *n* = {n}{group}, it is not known whether the test is robust to this", each=_clauses(clauses),
        n=question.number(f"/assumptions/{smallest}/n", "count"),
        group=own_words(" in the smallest group" if has_groups else ""),
    )  # fmt: skip


def _clauses(clauses: Sequence[Prose]) -> Prose:
    """Return main clauses in a row, two of them with a comma as well."""
    return join(clauses, ", and ") if len(clauses) == 2 else listed(clauses)


def _regions(question: Question) -> Iterator[Prose]:
    """Yield the posterior probability of a region of practical equivalence, which has no test."""
    for test in question.tests:
        if test["method"] == "equivalence_region":
            text = symbols(line(test["apa"], SENTENCE), f"{question.at}{question.test_at(test)}/apa")
            yield prose("For {name}, a Bayesian analysis gave {text}.", name=question.hypothesis, text=text)


def _partners(questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield how the scores of two partners are related beyond what the models explain."""
    by_r: dict[float, list[tuple[Question, Mapping[str, Any]]]] = {}  # questions of one model have the same
    for question in questions:
        for answer in question.answers:
            if (answer.get("effect") or {}).get("name") == OF_RESIDUALS:
                by_r.setdefault(answer["effect"]["value"], []).append((question, answer))
    clauses = [
        prose("*r* = {r} in the model of {names}",
              names=names_of(list({question.id: question for question, _ in members}.values())),
              r=members[0][0].number(f"{members[0][0].test_at(members[0][1])}/effect/value", "share"))
        for members in by_r.values()
    ]  # fmt: skip
    if clauses:
        yield prose("The residuals of two partners correlated {each}.", each=listed(clauses))


def _omissions(questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield what stands beside an answer elsewhere and could not be computed, and why."""
    by_text: dict[str, list[Question]] = {}
    for question in questions:
        for omission in question.entry.get("omitted") or ():
            why = to_lower(line(omission["reason"], SENTENCE)) or "it needs data that were not loaded into memory"
            by_text.setdefault(
                f"{line(question.plain(omission['what']), SENTENCE)} was not computed ({why})", []
            ).append(question)
    for text, members in by_text.items():
        yield prose("For {names}, {text}.", names=names_of(members), text=text)


def _data_checks(results: Mapping[str, Any], questions: Sequence[Question]) -> Iterator[Block]:
    """Yield what the checks of the data found, and what they looked for without finding any."""
    checks = [row for row in results.get("quality") or [] if row["count"] or not _is_of_ids(row, results)]
    sentences = [
        prose(
            "Not answered by the mapping or the plan: {doubt}.",
            doubt=own_words(line(f"{alarm['about']}: {alarm['says']}")),
        )
        for alarm in results.get("alarms") or ()
    ]
    unread = (results["study"].get("loaded") or {}).get("unread") or ()
    sentences += [
        prose("Of the logs, {unread}.", unread=own_words(re.sub("^1 ", "one ", line(note, SENTENCE))))
        for note in unread
    ]
    has_findings = any(row["count"] for row in checks)
    if has_findings:
        sentences.append(prose("{table} shows what the checks of the data found.", table=reference("quality", "")))
    clean = [quality_text(row["what"], questions) for row in checks if not row["count"]]
    if clean:
        missing = [what.removeprefix(MISSING).replace("_", " ") for what in clean if what.startswith(MISSING)]
        others = [f"no {what}" for what in clean if not what.startswith(MISSING)]
        if missing:
            others.insert(0, f"no {MISSING}{listed([own_words(name) for name in missing], 'or')!s}")
        finder = "The other checks found" if has_findings else "The checks of the data found"
        sentences.append(
            prose("{found} {clean}.", found=own_words(finder), clean=listed([own_words(t) for t in others]))
        )
    if sentences:
        yield Heading(prose("Data Checks"), 3, "s-checks")
        yield Paragraph(join(sentences))
        yield quality_table(results, questions)


def _is_of_ids(row: Mapping[str, Any], results: Mapping[str, Any]) -> bool:
    """Return whether a check looked at people's ids, which say nothing where each seat has one of its own."""
    return is_of_seats(results["study"]) and row["what"] in (NOBODY, TWO_SEATS)


def _reproduction(report: Report) -> Iterator[Block]:
    """Yield the versions, the seed, and the command that repeats the analysis."""
    results, study = report.results, report.results["study"]
    yield Heading(prose("Reproduction"), 3, "s-reproduction")
    versions = ", ".join(
        f"{name.capitalize() if name == 'python' else name} {version}"
        for name, version in (study.get("versions") or {}).items()
    )
    yield Paragraph(
        prose(
            "The analysis used negstats {version}{others}, seed {seed}, and {resamples} resamples where they are "
            "drawn; results.json has the hashes of the plan and the data. This command repeats it:",
            version=line(results["negstats"], NAME), others=line(f", {versions}" if versions else "", NAME),
            seed=rounded(float(results["seed"]), "df", "/seed"), resamples=f"{report.plan.resamples:,}",
        )
    )  # fmt: skip
    yield Code("negstats run plan.toml STUDY --out report")
