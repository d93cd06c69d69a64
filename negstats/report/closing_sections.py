"""The closing sections of a report: deviations from the plan, quality of the data, availability, and references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from negstats.analysis.questions.quality import MISSING, NOBODY, TWO_SEATS
from negstats.report.blocks import Block, Code, Heading, Paragraph
from negstats.report.data_tables import (
    deviations_table,
    quality_table,
    quality_text,
)
from negstats.report.labels import NAME
from negstats.report.methods_used import method_sentences
from negstats.report.numerals import rounded
from negstats.report.prose import Prose, Run, join, prose
from negstats.report.references import cited, reference_text
from negstats.report.sentences import Question, reference
from negstats.report.sentences.question import own_words
from negstats.report.traits import is_of_seats
from negstats.sanitize import line
from negstats.stats.results import apa

if TYPE_CHECKING:
    from negstats.analysis.answers import Report


def deviations(results: Mapping[str, Any]) -> Iterator[Block]:
    """Yield what differs from the registered plan, or that nothing does, or that it was not registered."""
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


def quality(results: Mapping[str, Any], questions: Sequence[Question]) -> Iterator[Block]:
    """Yield what the checks of the data found, and what they looked for without finding any."""
    checks = [row for row in results.get("quality") or [] if row["count"] or not _is_of_ids(row, results)]
    yield Heading(prose("Data quality"), 2, "quality")
    for alarm in results.get("alarms") or ():
        doubt = f"{alarm['about'][:1].upper()}{alarm['about'][1:]}: {alarm['says']}"
        yield Paragraph(prose("Not answered by the mapping or the plan: {doubt}.", doubt=own_words(line(doubt))))
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
        yield Paragraph(prose("{also} {clean}.", also=own_words(also), clean="; no ".join(others)))


def _is_of_ids(row: Mapping[str, Any], results: Mapping[str, Any]) -> bool:
    """Return whether a check looked at people's ids, which say nothing where each seat has one of its own."""
    return is_of_seats(results["study"]) and row["what"] in (NOBODY, TWO_SEATS)


def availability(report: Report) -> Iterator[Block]:
    """Yield how tests are chosen, the versions and hashes, and the command that repeats the analysis."""
    results, plan = report.results, report.plan
    study = results["study"]
    yield Heading(prose("Methods, data and code availability"), 2, "methods")
    yield Paragraph(join(method_sentences(results)))
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


def references(results: Mapping[str, Any]) -> Iterator[Block]:
    """Yield the works that describe the methods, each by its key in ``references.bib``."""
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
