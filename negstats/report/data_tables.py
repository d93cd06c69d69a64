"""The tables of a report about its data: flow, measures, descriptives, correlations, deviations, quality."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from negstats.analysis.questions.quality import MISSING, NOBODY, TWO_SEATS
from negstats.report.apa_table import DASH, Table, cell, head
from negstats.report.labels import NAME, SENTENCE, game_noun, title_case
from negstats.report.measures import LABELS, PLAYERS, Words, base_of, definition_of, to_lower
from negstats.report.numerals import counted_at, rounded
from negstats.report.participants import exclusion_text, is_of_seats
from negstats.report.prose import Prose, Run, join, listed, prose
from negstats.report.sentences import Question, names_of
from negstats.report.sentences.question import own_words
from negstats.sanitize import capitalised, line, plural
from negstats.stats.results.apa import decimals_of

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Measure
    from negstats.metrics.definition import Measure as Definition


POINTS = "points"
DETERMINERS = ("the", "a", "an", "as", "how", "what", "whether", "which")
BY_UNIT = {"share": ("0", "1"), "correlation": ("−1", "1")}  # ends that follow from what is counted


def _count(value: object, address: str) -> Prose:
    return cell(rounded(float(value), "count", address)) if isinstance(value, (int, float)) else cell("")


def flow_table(results: Mapping[str, Any]) -> Table:
    """Return the way from the logs to the games that were analysed; each column adds up."""
    study, flow = results["study"], results.get("flow") or []
    nobody = study.get("participation") in ("simulated", "agents")
    has_people = bool(study.get("people")) and not nobody
    whom = "Seats" if is_of_seats(study) else "People"
    columns = (head("Step"), head("Games" if nobody else "Negotiations", "number"), head(whom, "number"))
    rows = _flow_rows(study, flow, has_people=has_people) if flow else ()
    note = prose(
        "A negotiation that two rules exclude is counted at the first."
        + ("" if has_people or nobody else " Participants were not recorded.")
    )
    n_columns = 2 if nobody else 3
    return Table(
        "flow:",
        "Flow of Games" if nobody else f"Flow of Negotiations and {whom}",
        columns[:n_columns],
        tuple(row[:n_columns] for row in rows),
        note if len(flow) > 1 else Prose(),
    )


def _flow_rows(
    study: Mapping[str, Any], flow: Sequence[Mapping[str, Any]], *, has_people: bool
) -> Iterator[tuple[Prose, ...]]:
    """Yield what was loaded, what each rule excluded and what was analysed: the step, games and people."""

    def row(step: str, counts: Mapping[str, Any], at: str) -> tuple[Prose, ...]:
        people = _count(counts.get("people") or 0, f"{at}/people") if has_people else cell("")
        return cell(step), _count(counts.get("games") or 0, f"{at}/games"), people

    excluded = {key: sum(int(step.get(key) or 0) for step in flow) for key in ("games", "people")}
    sums = {key: int(study.get(key) or 0) + count for key, count in excluded.items()}
    stored = study.get("loaded") or {}
    yield row("Loaded", {**sums, **stored}, "/study/loaded" if stored else "/study")
    for place, step in enumerate(flow):
        yield row(f"Excluded: {line(step['reason'], SENTENCE)}", step, f"/flow/{place}")
    yield row("Analyzed", study, "/study")


def rows_table(questions: Sequence[Question]) -> Table:
    """Return for each question the way from the rows that came to the units that were analysed."""
    alike: dict[str, list[Question]] = {}
    for question in questions:
        if row_counts := question.entry.get("rows"):
            steps = [(step["count"], str(exclusion_text(question, step))) for step in row_counts["excluded"]]
            alike.setdefault(f"{row_counts['came']} {question.row} {steps}", []).append(question)
    columns = (
        *(head("Question"), head("Considered"), head("Excluded"), head("Left", "number"), head("Units of Analysis")),
    )
    nouns = dict.fromkeys(plural(question.row) for question, *_ in alike.values())
    title = title_case(f"{listed([own_words(noun) for noun in nouns])} analyzed for each question")
    return Table("rows:", title, columns, tuple(_row_of_counts(alike_questions) for alike_questions in alike.values()))


def _row_of_counts(alike: Sequence[Question]) -> tuple[Prose, ...]:
    """Return what questions of the same rows considered, excluded, kept and took as units."""
    question = alike[0]
    exclusions = [
        prose("{n} {why}", n=question.number(f"/rows/excluded/{at}/count", "count"), why=exclusion_text(question, step))
        for at, step in enumerate(question.entry["rows"]["excluded"])
    ]
    return (
        names_of(alike).capitalised,
        counted_at(int(question.entry["rows"]["came"]), _noun_considered(question), f"{question.at}/rows/came"),
        join(exclusions, "; "),
        cell(question.number("/rows/rows", "count")),
        question.counted_units(),
    )


def _noun_considered(question: Question) -> str:
    """Return what the values were before any was excluded: games, of which some end without a deal."""
    return game_noun(question.results["study"]) if question.row == "deal" else question.row_noun


def measure_sentences(questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield what each measure is, and can be: "*Points* are the score at the end of the game, from 0 to 36."."""
    described: set[object] = set()
    for question in questions:
        for name in (None, *question.number_names):
            words, own_name = question.words_of(name), name or question.entry["measure"]
            base = base_of(question.plan, own_name)
            if words.noun in described or base.partition(".")[0] in LABELS:  # whose noun says what is coded
                continue
            described.add(words.noun)
            definition, measure = definition_of(question.plan, own_name), question.plan.measures.get(own_name)
            meaning = _meaning(own_name, measure, definition, words)
            span = _possible_range(question, base, definition.unit if definition else "scale", measure)
            if not meaning or (meaning, str(span)) in described:  # the same of another seat
                continue
            described.add((meaning, str(span)))
            noun = Prose((Run(capitalised(words.noun), "i"),))
            verb = ("indicate" if words.plural else "indicates") if meaning.startswith("whether ") else (
                "are" if words.plural else "is")  # fmt: skip
            yield prose("{noun} {verb} {meaning}{span}.", noun=noun, verb=own_words(verb),
                        meaning=line(meaning, NAME), span=span)  # fmt: skip


def _meaning(own_name: str, measure: Measure | None, definition: Definition | None, words: Words) -> str:
    """Return what a measure means; empty where nothing more is known of it than its noun says."""
    if measure is not None and measure.answer is not None:
        if measure.answer != own_name:
            return f"the answer to the item “{line(measure.answer, NAME).replace('_', ' ')}”"
        return "one item" if measure.scale else ""  # of an answer in numbers nothing more is known
    meaning = "" if definition is None else words.meaning or definition.meaning
    if f"the {meaning}".startswith(words.noun):
        return ""
    return meaning if meaning.partition(" ")[0] in ("", *DETERMINERS) else f"the {meaning}"


def _possible_range(question: Question, base: str, unit: str, measure: Measure | None) -> Prose:
    """Return the least and the most that a measure can be, where that is known."""
    if measure is not None and measure.scale:
        first, last = (to_lower(line(measure.scale[end], NAME)) for end in (0, -1))
        if (first, last) == ("1", str(len(measure.scale))):
            return prose(", from {low} to {high}", low=first, high=last)
        return prose(", from {low} ({first}) to {high} ({last})", low="1", high=str(len(measure.scale)),
                     first=Run(first, "i", named=True), last=Run(last, "i", named=True))  # fmt: skip
    if base == POINTS and (scale := question.scale):
        return prose(", from {low} to {high}", low=scale[0], high=scale[1])
    ends = next((ends for start, ends in BY_UNIT.items() if unit.startswith(start)), None)
    return prose(", from {low} to {high}", low=ends[0], high=ends[1]) if ends is not None else Prose()


WITHOUT_MEAN = ("nominal", "time")  # a time that is cut off is known from its curve alone
MEASURES = 3  # from which on a table describes them


def descriptives_table(questions: Sequence[Question]) -> Table:
    """Return n, mean, SD and range of each measure, over the rows of the question that uses it first."""
    digits = max([2, *(
        decimals_of(variable["sd"]) for question in questions for variable in question.variables
        if variable["sd"] is not None and question.words_of(variable["name"] or None).kind != "share"
    )])  # fmt: skip
    # Each noun once, from the first question whose rows have a mean of it.
    rows: dict[str, tuple[Prose, ...]] = {}
    nouns_by_row: dict[str, list[str]] = {}
    yes_nouns: list[str] = []
    for question in questions:
        for place, variable in enumerate(question.variables):
            noun = question.words_of(variable["name"] or None).noun
            is_unknown = variable["mean"] is None or (not variable["name"] and question.entry["kind"] in WITHOUT_MEAN)
            if is_unknown or noun in rows:
                continue
            rows[noun] = _describe_variable(question, place, digits)
            nouns_by_row.setdefault(plural(question.row), []).append(noun)
            yes_nouns += [noun] if _is_yes_or_no(question, variable["name"]) else []
    has_partners = any(str(row[-1]) != DASH for row in rows.values())
    columns = (
        head("Measure"), head("*n*", "number"), head("*M*", "number"), head("*SD*", "number"),
        head("Range", "interval"), *([head("*r* Between Partners", "number")] if has_partners else []),
    )  # fmt: skip
    note = _note_of_descriptives(nouns_by_row, yes_nouns, has_partners=has_partners)
    shown = tuple(row[: len(columns)] for row in rows.values()) if len(rows) >= MEASURES else ()
    return Table("descriptives:", "Descriptive Statistics", columns, shown, note)


def _describe_variable(question: Question, place: int, column_digits: int) -> tuple[Prose, ...]:
    """Return the row of one measure: its noun, n, mean, SD, range and r between partners."""
    variable, at = question.variables[place], f"/variables/{place}"
    words = question.words_of(variable["name"] or None)
    if _is_yes_or_no(question, variable["name"]):
        numbers = [cell(question.number(f"{at}/mean", "percent", column_digits)), cell("")]
        span = cell("")
    else:
        kind, digits = ("share", 2) if words.kind == "share" else ("measure", decimals_of(variable["sd"]))
        numbers = [cell(question.number(f"{at}/{name}", kind, column_digits)) for name in ("mean", "sd")]
        whole = kind == "measure" and all(float(variable[end]).is_integer() for end in ("low", "high"))
        low, high = (question.number(f"{at}/{end}", kind, 0 if whole else digits) for end in ("low", "high"))
        span = prose("{low}–{high}" if variable["low"] >= 0 else "{low} to {high}", low=low, high=high)
    noun = cell(Prose((Run(capitalised(words.noun_in_unit.removeprefix("the "))),)))
    partners = question.number(f"{at}/partner_r", "share") if "partner_r" in variable else ""
    return noun, cell(question.number(f"{at}/n", "count")), *numbers, span, cell(partners)


def _note_of_descriptives(
    nouns_by_row: Mapping[str, Sequence[str]], yes_nouns: Sequence[str], *, has_partners: bool
) -> Prose:
    """Return what n counts, of which measures M is a percentage, and what r between partners is."""
    notes = [
        prose("{row} ({nouns})", row=own_words(row), nouns=listed([own_words(noun) for noun in nouns]))
        if len(nouns_by_row) > 1 else own_words(row)
        for row, nouns in nouns_by_row.items()
    ]  # fmt: skip
    note = prose("*n* counts {each}.", each=listed(notes))
    if yes_nouns:
        note += prose(
            " Of {nouns}, *M* is the percentage of yes.", nouns=listed([own_words(noun) for noun in yes_nouns])
        )
    if has_partners:
        note += prose(" *r* between partners correlates the values of the two seats of a negotiation (double entry).")
    return note


def _is_yes_or_no(question: Question, name: str | None) -> bool:
    """Return whether the outcome of a question, or another measure of it, is yes or no."""
    if not name:
        return bool(question.entry["kind"] == "yes/no")
    definition = definition_of(question.plan, name)
    return definition is not None and definition.unit == "1 or 0"


def correlations_table(results: Mapping[str, Any], questions: Sequence[Question]) -> Table:
    """Return the correlations of the measures, each row with those before it."""
    correlation_rows = results.get("correlations") or []
    is_known = any(r is not None for row in correlation_rows for r in (*row["r"], *(row.get("within") or ())))
    if len(correlation_rows) < MEASURES or not is_known:
        correlation_rows = []  # two have the relation that was tested, or each measure follows from another
    has_within = any(row.get("within") for row in correlation_rows)
    n_columns = len(correlation_rows) - (0 if has_within else 1)
    rows = []
    for place, row in enumerate(correlation_rows):
        below = [
            cell("") if r is None else cell(Prose((rounded(r, "share", f"/correlations/{place}/r/{number}"),)))
            for number, r in enumerate(row["r"])
        ]
        above = [_within_r(correlation_rows, number, place) for number in range(place + 1, len(correlation_rows))]
        label = cell(f"{place + 1}. {_noun_of_correlated(row, questions)}")
        rows.append((label, *[*below, cell(""), *above][:n_columns]))
    columns = (head("Measure"), *(head(str(place), "number") for place in range(1, n_columns + 1)))
    note = _note_of_correlations(correlation_rows, questions, has_within=has_within)
    return Table("correlations:", "Correlations Between Measures", columns, tuple(rows), note)


def _noun_of_correlated(row: Mapping[str, Any], questions: Sequence[Question]) -> str:
    """Return what a correlated measure is called: by the question that asks about it, or by one that uses it."""
    asking = [question for question in questions if all(question.entry[key] == row[key] for key in ("measure", "who"))]
    if asking:
        return capitalised(asking[0].words.noun.removeprefix("the "))
    using = next(question for question in questions if row["measure"] in question.measure_names)
    return capitalised(using.words_of(row["measure"]).noun.removeprefix("the "))


def _note_of_correlations(
    correlation_rows: Sequence[Mapping[str, Any]], questions: Sequence[Question], *, has_within: bool
) -> Prose:
    """Return of what the correlations are, of how many, and what a dash means."""
    kinds = {question.units for question in questions}
    units = own_words(plural(kinds.pop() if len(kinds) == 1 else "unit"))
    span = _range_of_counts([n for row in correlation_rows for n in row["n"]])
    note = prose("Pearson's *r* of the means of {units}; *n* = {span}. Not tested.", units=units, span=span)
    if has_within:
        note = prose(
            "Below the diagonal: Pearson's *r* of the means of {units}; *n* = {span}. Above the diagonal: *r* within "
            "{units}, of deviations from the mean of each; *n* = {rows} values. Not tested.",
            units=units,
            span=span,
            rows=_range_of_counts([n for row in correlation_rows for n in row.get("within_n") or () if n is not None]),
        )
    if any(any(row.get("why") or ()) for row in correlation_rows):
        within = prose(" or does not vary within {units}", units=units) if has_within else Prose()
        note += prose(" A dash means that one measure is computed from the other or from its numbers{within}.",
                      within=within)  # fmt: skip
    return note


def _range_of_counts(counts: Sequence[int]) -> str:
    """Return the least and the most of some counts; one number where they are alike."""
    ends = dict.fromkeys((min(counts), max(counts))) if counts else ()
    return " to ".join(f"{end:,}" for end in ends)


def _within_r(correlation_rows: Sequence[Mapping[str, Any]], below: int, place: int) -> Prose:
    """Return r within units of two measures; a dash where it is not known."""
    within = correlation_rows[below].get("within") or ()
    partner_r = within[place] if place < len(within) else None
    if partner_r is None:
        return cell("")
    return cell(Prose((rounded(partner_r, "share", f"/correlations/{below}/within/{place}"),)))


def deviations_table(changes: Sequence[str]) -> Table:
    """Return a row a change of the plan since it was registered."""
    rows = []
    for change in changes:
        name, _, rest = line(change, SENTENCE).partition(": ")
        registered_text, arrow, current_text = rest.partition(" → ")
        current_text, _, grade = current_text.partition(" (") if arrow else ("", "", "")
        texts = (name, registered_text if arrow else "", current_text if arrow else rest, grade.rstrip(")"))
        rows.append(tuple(map(cell, texts)))
    return Table(
        "deviations:",
        "Deviations From the Registered Plan",
        (head("Field"), head("Registered"), head("Now"), head("What it changes")),
        tuple(rows),
    )


def quality_text(what: str, questions: Sequence[Question]) -> str:
    """Return what a check of the data looked for, a measure by its name in sentences."""
    name = what.removeprefix(MISSING)
    for question in questions:
        whose = f" of {question.entry['who']}" if question.entry["who"] else ""
        if what.startswith(MISSING) and name == question.entry["measure"] + whose:
            return line(MISSING + question.words.noun, SENTENCE)
    if what in (NOBODY, TWO_SEATS) and questions and questions[0].results["study"].get("participation") == "simulated":
        return what.replace("people", PLAYERS["simulated"])
    return line(what, SENTENCE)


def quality_table(results: Mapping[str, Any], questions: Sequence[Question]) -> Table:
    """Return what the checks of the data found, of how many."""
    texts = [quality_text(row["what"], questions) for row in results.get("quality") or ()]
    rows = [
        (
            cell(capitalised(texts[place])),
            _count(row["count"], f"/quality/{place}/count"),
            _count(row["of"], f"/quality/{place}/of"),
        )
        for place, row in enumerate(results.get("quality") or ())
        if row["count"]
    ]
    return Table(
        "quality:", "Data Quality Checks", (head("Check"), head("Found", "number"), head("Of", "number")), tuple(rows)
    )
