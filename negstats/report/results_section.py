"""A report as a Results section: headings, paragraphs, tables and figures, the same for its page, Word and LaTeX.

Everything follows from ``results.json`` and the plan; nothing is computed here but roundings. A paragraph names its
tables and figures by key, and they are numbered in the order in which they are first named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from negstats.analysis.questions.linked import UNKNOWN_PEOPLE
from negstats.analysis.questions.quality import MISSING
from negstats.report.answer_tables import cells_table, hypotheses_table, sensitivity_table, tests_table
from negstats.report.apa_table import Table
from negstats.report.coding import agreement_tables, coding_sentences
from negstats.report.data_tables import (
    correlations_table,
    descriptives_table,
    deviations_table,
    flow_table,
    measures_table,
    quality_table,
    quality_text,
    rows_table,
)
from negstats.report.labels import CORRECTIONS, NAME, SENTENCE, UNITS, method_name
from negstats.report.numerals import percent_digits, rounded
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.references import cited, reference_text
from negstats.report.sentences import DIGITS, Question, listed, paragraph, reference
from negstats.sanitize import counted, line
from negstats.stats.results import apa

if TYPE_CHECKING:
    from negstats.analysis.answers import Report
    from negstats.report.figures import Shown

Figures: TypeAlias = "Mapping[str, tuple[Sequence[Shown], Sequence[str]]]"
REFERENCE = re.compile("\ue000(\\w+):([^\ue000]*)\ue000")
SUPPORTED = ("supported", "equivalent")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; of level 2 a section of the page's list of contents, of level 3 a question."""

    text: Prose
    level: int
    anchor: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; of style "item" one of a list, of style "reference" a work."""

    text: Prose
    style: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """A command that is typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that was drawn, by its key."""

    key: str
    shown: Shown


Block: TypeAlias = "Heading | Paragraph | Code | Figure | Table"


@dataclass(frozen=True, slots=True)
class Summary:
    """A hypothesis, and its verdict in a word."""

    id: str
    asks: str
    verdict: str
    supported: bool


@dataclass(frozen=True, slots=True)
class Words:
    """A whole report.

    Attributes
    ----------
    title, authors, state, size, source : str
        What stands on top.
    summary : tuple of Summary
        The hypotheses with their verdicts.
    blocks : tuple of Block
        The report, its references resolved.
    numbers : Mapping of str to int
        The number of each table and figure, by its key.
    works : tuple of str
        Keys of the works that it cites.
    """

    title: str
    authors: str
    state: str
    size: str
    source: str
    summary: tuple[Summary, ...]
    blocks: tuple[Block, ...]
    numbers: Mapping[str, int]
    works: tuple[str, ...]

    @property
    def sections(self) -> list[Heading]:
        """The headings of the sections."""
        return [block for block in self.blocks if isinstance(block, Heading) and block.level == 2]

    @property
    def text(self) -> str:
        """All sentences, without tables and figures."""
        return "\n".join(str(block.text) for block in self.blocks if isinstance(block, Paragraph))


def words_of(report: Report, figures: Figures | None = None) -> Words:
    """Return what a report says; `figures` are those of each question that were drawn."""
    results, plan = report.results, report.plan
    questions = [Question(results, place, plan) for place in range(len(results["questions"]))]
    blocks = tuple(block for block in _blocks(report, questions, figures or {}) if not _empty(block))
    numbers = _numbers(blocks)
    return Words(
        title=line(plan.title, 500) or "Untitled study",
        authors=", ".join(line(author, NAME) for author in plan.authors),
        state=_state(results),
        size=_size(results["study"]),
        source=_source(results["study"]),
        summary=tuple(_summary(one) for one in questions if not one.entry["explored"]),
        blocks=tuple(_resolved(block, numbers) for block in blocks),
        numbers=numbers,
        works=tuple(cited(results)),
    )


def _empty(block: Block) -> bool:
    return (isinstance(block, Paragraph) and not block.text) or (isinstance(block, Table) and not block.rows)


def _numbers(blocks: Sequence[Block]) -> dict[str, int]:
    """Return the number of each table and figure, in the order in which they are first named."""
    block_keys = {block.key for block in blocks if isinstance(block, (Table, Figure))}
    order: list[str] = []
    for block in blocks:
        keys = (
            [f"{kind}:{of}" for run in block.text.runs for kind, of in REFERENCE.findall(run.text)]
            if isinstance(block, Paragraph)
            else [block.key]
            if isinstance(block, (Table, Figure))
            else []
        )
        order += [key for key in keys if key in block_keys and key not in order]
    figures = [key for key in order if key.startswith("figure:")]
    tables = [key for key in order if key not in figures]
    return {key: place for keys in (tables, figures) for place, key in enumerate(keys, 1)}


def _resolved(block: Block, numbers: Mapping[str, int]) -> Block:
    if not isinstance(block, Paragraph):
        return block

    def named(match: re.Match[str]) -> str:
        key = f"{match[1]}:{match[2]}"
        return f"{'Figure' if match[1] == 'figure' else 'Table'}\u00a0{numbers.get(key, '–')}"

    runs = [
        replace(run, text=REFERENCE.sub(named, run.text), named=True) if "\ue000" in run.text else run
        for run in block.text.runs
    ]
    return replace(block, text=Prose(tuple(runs)))


def _blocks(report: Report, questions: Sequence[Question], figures: Figures) -> Iterator[Block]:
    results = report.results
    yield Heading(prose("Participants and data"), 2, "participants")
    yield from _participants(report, questions)
    yield from _measures(results, questions)
    yield from _hypotheses(results, [one for one in questions if not one.entry["explored"]], figures)
    yield from _exploratory([one for one in questions if one.entry["explored"]], figures)
    table, sentence = sensitivity_table(questions)
    if table.rows:
        yield Heading(prose("Sensitivity"), 2, "sensitivity")
        yield Paragraph(sentence)
        yield table
    yield from _deviations(results)
    yield from _quality(results, questions)
    yield from _availability(report)
    yield from _references(results)


def _measures(results: Mapping[str, Any], questions: Sequence[Question]) -> Iterator[Block]:
    yield Heading(prose("Measures"), 2, "measures")
    related = correlations_table(results, questions)
    yield Paragraph(
        join(
            [
                prose(
                    "{measures} defines the measures and {descriptives} describes their values.",
                    measures=reference("measures", ""),
                    descriptives=reference("descriptives", ""),
                ),
                prose("{correlations} has their correlations.", correlations=reference("correlations", ""))
                if related.rows
                else Prose(),
                *coding_sentences(results, questions),
            ]
        )
    )
    yield measures_table(questions)
    yield descriptives_table(questions)
    yield related
    yield from agreement_tables(results)


def _hypotheses(results: Mapping[str, Any], planned: Sequence[Question], figures: Figures) -> Iterator[Block]:
    yield Heading(prose("Hypotheses"), 2, "hypotheses")
    if not planned:
        yield Paragraph(prose("The plan has no hypotheses, only exploratory questions."))
        return
    listing = prose("{table} lists the hypotheses with their results.", table=reference("hypotheses", ""))
    yield Paragraph(join([listing, *_families(results, planned)]))
    yield hypotheses_table(planned)
    for one in planned:
        yield from _question(one, figures)


def _exploratory(explored: Sequence[Question], figures: Figures) -> Iterator[Block]:
    if not explored:
        return
    yield Heading(prose("Exploratory analyses"), 2, "exploratory")
    yield Paragraph(
        prose(
            "These questions were not planned. They have no verdict, and their *p* values are not corrected together "
            "with those of the hypotheses."
        )
    )
    for one in explored:
        yield from _question(one, figures)


def _summary(question: Question) -> Summary:
    verdict = line(question.entry.get("verdict") or "described", SENTENCE)
    words = [one["word"] for one in question.entry.get("verdicts") or ()]
    return Summary(
        question.id,
        line(question.entry["asks"], SENTENCE),
        verdict[:1].upper() + verdict[1:],
        bool(words) and all(word in SUPPORTED for word in words),
    )


def _state(results: Mapping[str, Any]) -> str:
    return f"Plan: {line(results['plan']['state'] or 'not registered', NAME)}"


def _size(study: Mapping[str, Any]) -> str:
    games = counted(int((study.get("loaded") or study)["games"]), "game")
    people = (study.get("loaded") or study).get("people")
    return f"{games} of {counted(int(people), 'person')}" if people else f"{games}; participants not identified"


def _source(study: Mapping[str, Any]) -> str:
    sources = study.get("sources") or []
    format_ = f"{line(study.get('loader', ''), 80)} format"
    if len(sources) == 1:
        return f"Data: {line(sources[0]['name'], 80)} ({format_})"
    return f"Data: {counted(len(sources), 'file')} ({format_})" if sources else f"Data: {format_}"


# Participants and data ----------------------------------------------------------------------------------------------

EXCLUDED = ("game", "person", "seat", "offer", "message", "answer")  # the largest first
ENDS = {
    "agreement": "agreement",
    "disagreement": "disagreement",
    "goal": "the goal",
    "walkaway": "walking away",
    "timeout": "the end of the time",
    "dormant": "an end of activity",
    "disconnect": "a lost connection",
    "unknown": "an unknown way",
}


def _count(value: int, noun: str, address: str) -> Prose:
    return prose("{n} {noun}", n=rounded(value, "count", address), noun=_own(counted(value, noun).partition(" ")[2]))


def _opening(value: int, noun: str, address: str) -> Prose:
    """Return a count at the beginning of a sentence: below ten it is a word."""
    count_text = _count(value, noun, address)
    if value >= len(DIGITS):
        return count_text
    first = count_text.runs[0]
    return Prose((replace(first, text=DIGITS[value].capitalize(), slot=None), *count_text.runs[1:]))


def _own(text: str) -> Prose:
    return Prose((Run(text),))


def _describe_remaining(study: Mapping[str, Any], questions: Sequence[Question], *, is_whole: bool) -> Prose:
    """Say how many negotiations were analysed, and whether questions leave rows out."""
    is_partial = any((one.entry.get("rows") or {}).get("excluded") for one in questions)
    if is_whole:
        return prose(
            "The plan excluded no negotiation; some questions exclude rows." if is_partial else "All were analysed."
        )
    games = int(study["games"])
    people = study.get("people")
    return prose(
        "{games}{of} {were} analysed{but}.",
        games=_count(games, "negotiation", "/study/games"),
        of=prose(" of {people}", people=_count(int(people), "person", "/study/people")) if people else Prose(),
        were=_own("was" if games == 1 else "were"),
        but=_own("; some questions exclude further rows" if is_partial else ""),
    )


def _participants(report: Report, questions: Sequence[Question]) -> Iterator[Block]:
    results, plan = report.results, report.plan
    study = results["study"]
    loaded_counts = study.get("loaded") or {"games": study["games"], "people": study.get("people"), "files": 0}
    at = "/study/loaded" if study.get("loaded") else "/study"
    people = loaded_counts.get("people")
    of = prose(" of {people}", people=_count(int(people), "person", f"{at}/people")) if people else Prose()
    sentences = [
        prose(
            "The logs held {games}{of}.", games=_count(int(loaded_counts["games"]), "negotiation", f"{at}/games"), of=of
        )
    ]
    if not people:
        sentences.append(prose("Participants were not recorded, so the number of different people is unknown."))
    if any(UNKNOWN_PEOPLE in (one.entry.get("notes") or ()) for one in questions):
        sentences.append(prose("Negotiations were therefore treated as independent of each other."))
    sentences += _describe_exclusions(results)
    analysed = int(study["games"])
    unit, units = study.get("unit"), study.get("units")
    is_whole = analysed == int(loaded_counts["games"]) and study.get("people") == people
    sentences.append(_describe_remaining(study, questions, is_whole=is_whole))
    sentences += _describe_ends(study, analysed)
    if unit == "group" and units:
        sentences.append(
            prose(
                "People who played together were treated as one unit of analysis ({n}).",
                n=_count(int(units), "group", "/study/units"),
            )
        )
    if plan.data.unit == "game":
        sentences.append(
            prose(
                "Negotiations were treated as independent of each other, as planned, though people may have taken part "
                "in several."
            )
        )
    sentences.append(
        prose("{table} has the way from the logs to the values that were analysed.", table=reference("rows", ""))
    )
    if len(results.get("flow") or ()):
        sentences[-1] = prose(
            "{flow} has the way from the logs to the negotiations that were analysed, {rows} that of each question.",
            flow=reference("flow", ""),
            rows=reference("rows", ""),
        )
    yield Paragraph(join(sentences))
    yield flow_table(results)
    yield rows_table(questions)
    for name, text in (("Sample size plan", plan.stop), ("Prior knowledge of the data", plan.known)):
        if text:
            yield Paragraph(prose("{name}: {text}", name=_own(name), text=line(text, SENTENCE)))


def _describe_exclusions(results: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield for each rule of the plan what it excluded, counted in the largest thing that it took."""
    for place, row in enumerate(results.get("flow") or ()):
        plurals = {key: counted(2, key).partition(" ")[2] for key in EXCLUDED}
        key = next((key for key in EXCLUDED if row.get(plurals[key])), None)
        if key is None:
            continue
        count = int(row[plurals[key]])
        yield prose(
            "{what} {were} excluded as planned ({reason}).",
            were=_own("was" if count == 1 else "were"),
            what=_opening(count, "negotiation" if key == "game" else key, f"/flow/{place}/{plurals[key]}"),
            reason=line(row["reason"], SENTENCE),
        )


def _describe_ends(study: Mapping[str, Any], analysed: int) -> list[Prose]:
    ends = study.get("ends") or {}
    if not ends or not analysed:
        return []
    if len(ends) == 1:
        ((end, count),) = ends.items()
        return (
            [
                prose(
                    "All {n} ended in {end}.",
                    n=rounded(count, "count", f"/study/ends/{end}"),
                    end=_own(ENDS.get(end, end)),
                )
            ]
            if (count == analysed and end != "unknown")
            else []
        )
    each = []
    for end, count in ends.items():
        digits = percent_digits(count / analysed, analysed)
        percent = rounded(count / analysed, "percent", f"/study/ends/{end}|/study/games", digits)
        verb = "in" if end in ("agreement", "disagreement", "unknown") else "by"
        each.append(
            prose(
                "{n} ({percent}%) ended {verb} {end}",
                n=rounded(count, "count", f"/study/ends/{end}"),
                percent=percent,
                verb=_own(verb),
                end=_own(ENDS.get(end, end)),
            )
        )
    return [prose("Of the {n} negotiations {each}.", n=rounded(analysed, "count", "/study/games"), each=listed(each))]


# Questions ----------------------------------------------------------------------------------------------------------


def _question(question: Question, figures: Figures) -> Iterator[Block]:
    yield Heading(
        prose("{id}. {asks}", id=question.id, asks=line(question.entry["asks"], SENTENCE)), 3, f"q-{question.id}"
    )
    text = paragraph(question)
    tables = [table for table in (cells_table(question), tests_table(question)) if table.rows]
    drawings, problems = figures.get(question.id, ((), ()))
    figure_blocks = [Figure(f"figure:{one.name}", one) for one in drawings]
    mentions = {f"{kind}:{of}" for run in text.runs for kind, of in REFERENCE.findall(run.text)}
    counts = any("count" in cell for cell in question.entry.get("cells") or ())
    content = {"cells": "has the counts" if counts else "has the means", "tests": "has all tests"}
    content_phrases = [(one.key, content[one.key.partition(":")[0]]) for one in tables if one.key not in mentions]
    content_phrases += [
        (
            one.key,
            "shows the residuals"
            if one.key.endswith(".residuals")
            else "shows the difference"
            if one.key.endswith(".difference")
            else "shows the data",
        )
        for one in figure_blocks
    ]
    sentences = [
        prose("{table} {what}", table=reference(*key.split(":", 1)), what=_own(what)) for key, what in content_phrases
    ]
    closing = prose("{listed}.", listed=_join_names(sentences)) if sentences else Prose()
    yield Paragraph(join([text, closing]))
    order = [f"{kind}:{of}" for run in (*text.runs, *closing.runs) for kind, of in REFERENCE.findall(run.text)]
    yield from sorted(tables, key=lambda table: order.index(table.key))
    yield from figure_blocks
    yield from (
        Paragraph(prose("Figure for {id} was not drawn: {why}", id=question.id, why=line(why, SENTENCE)), "note")
        for why in problems
    )
    rule = question.entry.get("rule") or {}
    method = method_name(question.answers[0]["method"]) if question.answers else ""
    yield Paragraph(join([*_choice(method, line(rule.get("sentence") or "", SENTENCE)), _design(question)]), "note")
    flow = [f" excluded ({row['reason']})." for row in question.results.get("flow") or ()]
    for note in question.entry.get("notes") or ():
        if note != UNKNOWN_PEOPLE and not note.endswith(tuple(flow)):  # which the participants' section says once
            yield Paragraph(prose("{note}", note=_sentence(line(question.plain(note), SENTENCE))), "note")
    reasons = dict.fromkeys(
        why for cell in question.entry.get("cells") or () for why in (cell.get("why") or {}).values()
    )
    yield from (Paragraph(prose("No interval: {why}.", why=line(why, SENTENCE)), "note") for why in reasons)


def _choice(method: str, reason: str) -> list[Prose]:
    """Return which test was chosen and why; a reason that begins with the test's name names it once."""
    if not method or reason.lower().startswith(method.lower()):
        return [prose("Choice of test: {reason}", reason=reason[:1].lower() + reason[1:])] if reason else []
    return [prose("Choice of test: {method}.", method=_own(method)), prose("{reason}", reason=reason)]


def _sentence(note: str) -> str:
    """Return a note with its full stop, and a capital where it begins with a word of ours."""
    first = note.partition(" ")[0]
    whole = note[:1].upper() + note[1:] if first in ("people's", "no", "some", "a", "the") else note
    return whole if whole.endswith((".", "!", "?")) else f"{whole}."


def _join_names(parts: Sequence[Prose]) -> Prose:
    return join(parts) if len(parts) < 2 else join([join(parts[:-1], ", "), parts[-1]], " and ")


def _design(question: Question) -> Prose:
    design = question.entry.get("design") or {}
    if not design.get("units"):
        return Prose()
    units = counted(2, UNITS.get(design["units"], line(design["units"], NAME))).partition(" ")[2]
    place_phrases = {"between": "varies between", "within": "varies within", "partly": "varies within some"}
    each = [
        prose(
            "{name} {lies} {units}",
            name=line(factor["name"], NAME),
            lies=_own(place_phrases.get(factor["lies"], "varies over")),
            units=_own(units),
        )
        for factor in design.get("factors") or ()
    ]
    return prose("Design: {each}.", each=join(each, "; ")) if each else Prose()


def _families(results: Mapping[str, Any], planned: Sequence[Question]) -> Iterator[Prose]:
    members: set[str] = set()
    for family in results.get("families") or ():
        ids = list(dict.fromkeys(re.split("[/#]", str(member))[0] for member in family["members"]))
        members |= set(ids)
        if family["correction"] == "none" or len(family["members"]) < 2:
            continue
        name = CORRECTIONS.get(family["correction"], line(family["correction"], NAME))
        names_text = _join_names([prose("{id}", id=line(one, NAME)) for one in ids])
        yield prose("{listed} were corrected together by {name}'s method.", listed=names_text, name=_own(name))
    uncorrected = [one for one in planned if one.id not in members and one.answers]
    if uncorrected:
        if len(planned) == 1:
            yield prose("{id} is the only hypothesis, and its *p* is not corrected.", id=uncorrected[0].id)
            return
        names_text = _join_names([prose("{id}", id=one.id) for one in uncorrected])
        is_plural = len(uncorrected) > 1
        yield prose(
            "{listed} {are} not in a family and not corrected.",
            listed=names_text,
            are=_own("are" if is_plural else "is"),
        )


# The closing sections -----------------------------------------------------------------------------------------------


def _deviations(results: Mapping[str, Any]) -> Iterator[Block]:
    yield Heading(prose("Deviations from the plan"), 2, "deviations")
    state, changes = str(results["plan"]["state"] or "not registered"), results["plan"].get("changes") or ()
    if changes:
        yield Paragraph(
            prose("{table} lists what differs from the registered plan.", table=reference("deviations", ""))
        )
        yield deviations_table(changes)
    elif state.startswith("not registered"):
        yield Paragraph(prose("The plan was not registered; nothing here is confirmatory by registration."))
    else:
        yield Paragraph(prose("The plan was run as registered."))


def _quality(results: Mapping[str, Any], questions: Sequence[Question]) -> Iterator[Block]:
    checks = results.get("quality") or []
    yield Heading(prose("Data quality"), 2, "quality")
    if any(row["count"] for row in checks):
        yield Paragraph(prose("{table} has what the data quality checks found.", table=reference("quality", "")))
        yield quality_table(results, questions)
    clean = [quality_text(row["what"], questions) for row in checks if not row["count"]]
    if clean:
        also = "The checks found no" if len(clean) == len(checks) else "The other checks found no"
        missing = [what.removeprefix(MISSING) for what in clean if what.startswith(MISSING)]
        others = [what for what in clean if not what.startswith(MISSING)]
        if missing:
            names = ", ".join(name.replace("_", " ") for name in missing[:-1])
            others.insert(0, MISSING + (f"{names} or " if names else "") + missing[-1].replace("_", " "))
        yield Paragraph(prose("{also} {clean}.", also=_own(also), clean="; no ".join(others)))


def _availability(report: Report) -> Iterator[Block]:
    results, plan = report.results, report.plan
    study = results["study"]
    yield Heading(prose("Methods, data and code availability"), 2, "methods")
    yield Paragraph(
        _own(
            "The test follows from the design and the kind of outcome, never from a test of assumptions on the same "
            "data. Variances are not taken to be equal. A rank test is a check of a test of means, whatever "
            "it says, and never decides. Tests are exact where the smallest expected count is under 5. Effects have "
            "intervals by the same model as the test."
        )
    )
    versions = ", ".join(
        f"{name.capitalize() if name == 'python' else name} {version}"
        for name, version in (study.get("versions") or {}).items()
    )
    alpha = apa.bounded(plan.alpha, max(2, len(f"{plan.alpha:g}") - 2))
    seed = rounded(float(results["seed"]), "df", "/seed")
    parts = [
        prose(
            "Analyses used negstats {version}{others}, seed {seed}, and {resamples} resamples where they are drawn.",
            version=line(results["negstats"], NAME),
            others=line(f", {versions}" if versions else "", NAME),
            seed=seed,
            resamples=f"{plan.resamples:,}",
        ),
        prose(
            "Tests are at the level {alpha} and intervals at {level}% where nothing else is said.",
            alpha=alpha,
            level=f"{100 * plan.confidence_level:g}",
        ),
        prose("The plan's SHA-256 is {sha}.", sha=line(results["plan"]["sha256"], 64)),
    ]
    sources = study.get("sources") or []
    hashed = [one for one in sources if one.get("sha256")]
    if sources and len(hashed) == len(sources):
        parts.append(
            prose(
                "The data are {files}; the SHA-256 of each is in results.json.",
                files=f"{len(sources):,} source files" if len(sources) > 1 else "1 source file",
            )
        )
    elif sources or study.get("loader"):
        parts.append(prose("Hashes of the original files were not kept."))
    yield Paragraph(join(parts))
    yield Paragraph(prose("To repeat the analysis:"))
    yield Code("negstats run plan.toml STUDY --out report")


def _references(results: Mapping[str, Any]) -> Iterator[Block]:
    works = cited(results)
    if not works:
        return
    yield Heading(prose("References"), 2, "references")
    yield Paragraph(prose("The methods are described in the following works, which references.bib lists for LaTeX."))
    for key in works:
        before_title, title, after_title = reference_text(key)
        yield Paragraph(
            Prose((Run(before_title, named=True), Run(title, "i", named=True), Run(after_title, named=True))),
            "reference",
        )
