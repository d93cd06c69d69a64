"""A report as a Results section: headings, paragraphs, tables and figures, the same for its page, Word and LaTeX.

Everything follows from ``results.json`` and the plan; nothing is computed here but roundings. A paragraph names its
tables and figures by key, and they are numbered in the order in which they are first named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from negstats.analysis.rules import has_figure_in_report
from negstats.report.answer_tables import alternatives_table, coefficients_table, means_table, outcomes_tables, repeated
from negstats.report.apa_table import Table
from negstats.report.blocks import Block, Figure, Figures, Heading, Paragraph, Summary, Words
from negstats.report.data_tables import descriptives_table
from negstats.report.labels import NAME, SENTENCE, deals_noun, title_case
from negstats.report.method_section import method_section
from negstats.report.numerals import counts_in_words
from negstats.report.participants import is_of_seats
from negstats.report.prose import Prose, join, listed, number_words, prose
from negstats.report.references import SOFTWARE, cited, references
from negstats.report.sentences import Question, names_of, paragraph, reference, references_to
from negstats.report.sentences.base_facts import REFERENCE
from negstats.report.sentences.follow_ups import follow_up_sentences
from negstats.report.sentences.question import design_of, own_words
from negstats.report.supplement import supplement
from negstats.sanitize import capitalised, counted, line

if TYPE_CHECKING:
    from negstats.analysis.answers import Report
    from negstats.report.figures import Shown


SUBTITLES = {"simulated": "A simulation study: no person took part", "agents": "A study of automated agents"}


def words_of(
    report: Report, figures: Figures | None = None, appended: tuple[Sequence[Shown], Sequence[str]] = ((), ())
) -> Words:
    """Return what a report says.

    Parameters
    ----------
    report
        The report.
    figures
        Those of each question that were drawn, and why others were not.
    appended
        The same of the appendix.
    """
    results, plan = report.results, report.plan
    questions = [Question(results, place, plan) for place in range(len(results["questions"]))]
    body: list[Block] = [*method_section(report, questions), *results_section(questions, figures or {})]
    works = cited(" ".join(str(block.text) for block in body if isinstance(block, Paragraph)))
    list_of_works: list[Block] = [Heading(prose("References"), 2, "references"), *references(works, results)]
    main = [block for block in (*body, *list_of_works) if not _empty(block)]
    blocks_of_supplement = [block for block in supplement(report, questions, *appended) if not _empty(block)]
    numbers = {**_numbers(main), **_numbers(blocks_of_supplement, "S")}
    return Words(
        title=line(plan.title, 500) or "Untitled study",
        subtitle=SUBTITLES.get(str(results["study"].get("participation")), ""),
        authors=", ".join(line(author, NAME) for author in plan.authors),
        state=_state(results),
        size=_size(results["study"]),
        source=_source(results["study"]),
        summary=tuple(_summary(question) for question in questions if not question.entry["explored"]),
        main=tuple(_resolved(block, numbers) for block in main),
        supplement=tuple(_resolved(block, numbers) for block in blocks_of_supplement),
        numbers=numbers,
        works=(*works, SOFTWARE),
    )


def _empty(block: Block) -> bool:
    return (isinstance(block, Paragraph) and not block.text) or (isinstance(block, Table) and not block.rows)


def _numbers(blocks: Sequence[Block], series: str = "") -> dict[str, str]:
    """Return the number of each table and figure in the order in which they are named; of the supplement S1, S2."""
    block_keys = [block.key for block in blocks if isinstance(block, (Table, Figure))]
    named_keys = [
        f"{kind}:{of}"
        for block in blocks
        if isinstance(block, Paragraph)
        for run in block.text.runs
        for kind, of, _ in REFERENCE.findall(run.text)
    ]
    counts: Counter[bool] = Counter()
    numbers: dict[str, str] = {}
    for key in dict.fromkeys((*(key for key in named_keys if key in block_keys), *block_keys)):
        counts[is_figure := key.startswith("figure:")] += 1
        numbers[key] = f"{series}{counts[is_figure]}"
    return numbers


def _resolved(block: Block, numbers: Mapping[str, str]) -> Block:
    if not isinstance(block, Paragraph):
        return block
    text = block.text if block.style else counts_in_words(block.text)

    def named(match: re.Match[str]) -> str:
        number = numbers.get(f"{match[1]}:{match[2]}", "–")
        return number if match[3] else f"{'Figure' if match[1] == 'figure' else 'Table'}\u00a0{number}"

    runs = [
        replace(run, text=REFERENCE.sub(named, run.text), named=True) if "\ue000" in run.text else run
        for run in text.runs
    ]
    return replace(block, text=Prose(tuple(runs)))


def _summary(question: Question) -> Summary:
    verdict = line(question.entry.get("verdict") or "described", SENTENCE)
    verdicts = question.verdicts
    return Summary(
        question.id,
        line(question.entry["asks"], SENTENCE),
        capitalised(verdict),
        bool(verdicts) and all(record["word"] in ("supported", "equivalent") for record in verdicts),
    )


def _state(results: Mapping[str, Any]) -> str:
    return f"Plan: {line(results['plan']['state'] or 'not registered', NAME)}"


def _size(study: Mapping[str, Any]) -> str:
    games = counted(int((study.get("loaded") or study)["games"]), "game")
    people = (study.get("loaded") or study).get("people")
    if (who := study.get("participation")) in ("simulated", "agents"):
        return f"{games} of {'simulated players' if who == 'simulated' else 'agents'}"
    if people and is_of_seats(study):
        return f"{games} with {counted(int(people), 'seat')}"
    return f"{games} of {counted(int(people), 'person')}" if people else f"{games}; participants not identified"


def _source(study: Mapping[str, Any]) -> str:
    sources = study.get("sources") or []
    format_ = f"{line(study.get('loader', ''), 80)} format"
    if len(sources) == 1:
        return f"Data: {line(sources[0]['name'], 80)} ({format_})"
    return f"Data: {counted(len(sources), 'file')} ({format_})" if sources else f"Data: {format_}"


# Of one exploratory question beside it, and of several in the method section.
EXPLORED = "This analysis was not planned, and {p_values}."


def results_section(questions: Sequence[Question], figures: Figures) -> Iterator[Block]:
    """Yield the Results section."""
    yield Heading(prose("Results"), 2, "results")
    tables = outcomes_tables(questions) or [descriptives_table(questions)]
    if keys := [table.key for table in tables if table.rows]:
        verb = own_words("describes" if len(keys) == 1 else "describe")
        yield Paragraph(prose("{names} {verb} the measures.", names=references_to(keys), verb=verb))
        yield from tables
    planned = [question for question in questions if not question.entry["explored"]]
    explored = [question for question in questions if question.entry["explored"]]
    is_alone = len(questions) == 1
    means: dict[str, Table] = {}
    for group in _groups(planned):
        yield from _part(group, figures, means, is_alone=is_alone)
    for question in explored:
        yield from _explored(question, {} if planned else figures, means, is_alone=is_alone)
    yield from _robustness(questions)


def _groups(planned: Sequence[Question]) -> list[list[Question]]:
    """Return the hypotheses in groups that share outcome and design, so that one table and figure serve all."""
    groups: list[list[Question]] = []
    for question in planned:
        if groups and _design(groups[-1][0]) == _design(question):
            groups[-1].append(question)
        else:
            groups.append([question])
    return groups


def _design(question: Question) -> tuple[object, ...]:
    return design_of(question.entry, question.plan.questions[question.entry["id"]])


def _title(group: Sequence[Question]) -> Prose:
    """Return the heading of a group: "Hypotheses 3a, 3b, and 3c: Points by Own and Partner"."""
    question = group[0]
    by = [factor["name"] for factor in question.factors]
    related = [own_words(question.words_of(name).noun.removeprefix("the ")) for name in question.related]
    title = question.words.title.removeprefix("The ")
    if related or by:
        others = related + [question.factor_text(name) for name in by if related]
        title += f"{' and ' if len(others) == 1 else ' by '}{listed(others) or question.factors_text(by)}"
    name = prose("Exploratory Analysis") if question.entry["explored"] else names_of(group)
    return prose("{name}: {title}", name=name, title=own_words(title_case(title)))


def has_figure(question: Question) -> bool:
    """Return whether an answer has its figure in the report."""
    return bool(question.answers) and has_figure_in_report(
        question.entry.get("kind"),
        has_number=bool(question.number_names),
        lies=[factor["lies"] for factor in question.factors],
        cells=len(question.entry["cells"]),
        agents=question.results["study"].get("participation") == "agents",
    )


def _figure_of(question: Question, figures: Figures) -> tuple[Shown | None, Prose]:
    """Return the figure of a question, and where its first sentence names it."""
    drawings, _ = figures.get(question.id, ((), ()))
    if not drawings or not has_figure(question):
        return None, Prose()
    return drawings[0], prose(" (see {figure})", figure=reference("figure", drawings[0].name))


def _means(question: Question, means: dict[str, Table]) -> tuple[Table, bool]:
    """Return the table of a question's means, and whether an earlier question has shown it; `means` are the shown."""
    table = means_table(question)
    content = str([table.title, *([str(text) for text in row] for row in table.rows)])
    is_shown = content in means
    return means.setdefault(content, table), is_shown


def _part(group: Sequence[Question], figures: Figures, means: dict[str, Table], *, is_alone: bool) -> Iterator[Block]:
    """Yield the paragraphs of a group of hypotheses with its table and figure."""
    if not is_alone:
        yield Heading(_title(group), 3, f"part-{group[0].id}")
    first = group[0]
    figure, see = _figure_of(first, figures)
    problems = figures.get(first.id, ((), ()))[1]
    table, is_shown = _means(first, means)
    tables = [shown_table for shown_table in (table, coefficients_table(first)) if shown_table.rows]
    # The first paragraph names the tables of the group.
    opening = Prose()
    if tables:
        shown = "the means" if tables[0].key.startswith("cells") else "the coefficients"
        if tables[0].key.startswith("cells") and all("count" in row for row in first.entry["cells"]):
            shown = "the shares"
        verb = own_words("shows" if len(tables) == 1 else "show")
        opening = prose(
            "{names} {verb} {shown}.",
            names=references_to([table.key for table in tables]),
            verb=verb,
            shown=own_words(shown),
        )
    for place, question in enumerate(group):
        text = paragraph(question, Prose() if place else see, alone=is_alone)
        yield Paragraph(join([opening, text]) if not place else text, anchor=f"q-{question.id}")
    # The means are shown once; a figure that could not be drawn says why.
    yield from tables[1:] if is_shown and table.rows else tables
    if figure is not None:
        yield Figure(f"figure:{figure.name}", figure)
    for why in problems if has_figure(first) else ():
        yield Paragraph(prose("Figure for {id} was not drawn: {why}", id=first.id, why=line(why, SENTENCE)), "note")
    for question in group:
        yield from _notes(question)


def _explored(question: Question, figures: Figures, means: dict[str, Table], *, is_alone: bool) -> Iterator[Block]:
    """Yield a question that was not planned: one paragraph, and a table of its means where they are many.

    It has a figure where nothing was planned, since it is then the study's own result.
    """
    yield Heading(_title([question]), 3, f"part-{question.id}")
    figure, see = _figure_of(question, figures)
    table, is_shown = _means(question, means)
    opening = prose("{table} shows the means.", table=reference(*table.key.split(":", 1))) if table.rows else Prose()
    is_corrected = any(test.get("p_adjusted") is not None for test in question.answers)
    is_corrected = is_corrected or any(True for _ in follow_up_sentences(question))
    p_values = "*p* values are corrected within it alone" if is_corrected else "its *p* value is not corrected"
    has_p = any(test.get("p") is not None for test in question.answers)
    is_only = sum(bool(entry["explored"]) for entry in question.results["questions"]) == 1
    closing = prose(EXPLORED, p_values=prose(p_values)) if has_p and is_only else Prose()
    yield Paragraph(join([opening, paragraph(question, see, alone=is_alone), closing]), anchor=f"q-{question.id}")
    if not is_shown:
        yield table
    if figure is not None:
        yield Figure(f"figure:{figure.name}", figure)
    yield from _notes(question)


def _robustness(questions: Sequence[Question]) -> Iterator[Block]:
    """Yield which conclusions depend on the method, on an exclusion or on agreements alone, and that others do not."""
    kinds: dict[str, None] = {}
    different: list[Question] = []
    for question in questions:
        samples = [test for test in question.alternatives if not question.is_of_repetitions(test)]
        checks = question.entry.get("checks") or ()
        kinds |= (
            {f"when {deals_noun(question.results['study'])} alone were analyzed": None}
            if any(test["without"] is None for test in samples) else {}
        )  # fmt: skip
        kinds |= {"without the exclusions": None} if any(test["without"] is not None for test in samples) else {}
        kinds |= {"when another method was used": None} if checks else {}
        if any(not test["agrees"] for test in (*samples, *checks)):
            different.append(question)
    others = alternatives_table(questions)
    if not others.rows or (kinds and len(questions) == 1 and len(questions[0].answers) == 1):
        return  # of one answer its paragraph has the checks
    if len(questions) > 1:
        yield Heading(prose("Robustness"), 2, "robustness")
    table = reference(*others.key.split(":", 1))
    tested = [question for question in questions if question.verdicts]
    if not (kinds and tested):  # an exploration has no conclusion that could depend on a method
        yield Paragraph(prose("{table} {does}.", table=table, does=own_words(repeated(questions))))
        return
    if different == tested:
        whose = names_of(different)
        yield Paragraph(
            prose("The conclusions for {whose} depend on the analysis (see {table}).", whose=whose, table=table)
            if len(different) > 1
            else prose("The conclusion for {whose} depends on the analysis (see {table}).", whose=whose, table=table)
        )
        return
    apart = prose("Apart from {names}, no", names=names_of(different)) if different else prose("No")
    ways = listed([own_words(text) for text in kinds], "or")
    yield Paragraph(prose("{apart} conclusion changed {ways} (see {table}).", apart=apart, ways=ways, table=table))


def _notes(question: Question) -> Iterator[Paragraph]:
    """Yield what the results note and hold nowhere else."""
    for note in question.entry.get("remarks") or ():
        entries = question.results["questions"]
        if question.entry is not next(entry for entry in entries if note in entry.get("remarks", ())):
            continue  # an earlier question has said it
        yield Paragraph(prose("{note}", note=_sentence(line(question.plain(note), SENTENCE))), "note")


def _sentence(note: str) -> str:
    """Return a note with its full stop, and a capital or a number in words where it begins with one of ours."""
    note = re.sub(r"^\d{1,2}(?= )", lambda count: number_words(int(count[0])).capitalize(), note)
    first = note.partition(" ")[0]
    whole = capitalised(note) if first in ("people's", "no", "some", "a", "the") else note
    return whole if whole.endswith((".", "!", "?")) else f"{whole}."
