"""The tables of a report about its data: flow, measures, descriptives, correlations, deviations, quality."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from negstats.analysis.questions.quality import MISSING, NOBODY, TWO_SEATS
from negstats.report.apa_table import DASH, Table, cell, head
from negstats.report.labels import NAME, SENTENCE, game_noun, title_case
from negstats.report.measures import LABELS, PLAYERS, base_of, definition_of, to_lower
from negstats.report.numerals import rounded
from negstats.report.participants import exclusion_text, is_of_seats
from negstats.report.prose import Prose, Run, join, listed, prose
from negstats.report.sentences import Question, names_of
from negstats.report.sentences.question import own_words
from negstats.sanitize import counted, line, plural
from negstats.stats.results.apa import decimals_of

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Measure


POINTS = "points"
DETERMINERS = ("the", "a", "an", "as", "how", "what", "whether", "which")
BY_UNIT = {"share": ("0", "1"), "correlation": ("−1", "1")}  # ends that follow from what is counted


def _count(value: object, address: str) -> Prose:
    return cell(rounded(float(value), "count", address)) if isinstance(value, (int, float)) else cell("")


def flow_table(results: Mapping[str, Any]) -> Table:
    """Return the way from the logs to the games that were analysed; each column adds up."""
    study, flow = results["study"], results.get("flow") or []
    loaded_counts = study.get("loaded") or {}
    nobody = study.get("participation") in ("simulated", "agents")
    people = bool(study.get("people")) and not nobody
    rows: list[tuple[Prose, ...]] = []
    if flow:
        excluded_counts = [sum(int(row.get(key) or 0) for row in flow) for key in ("games", "people")]
        first = (
            int(loaded_counts.get("games", int(study["games"]) + excluded_counts[0])),
            loaded_counts.get("people", int(study.get("people") or 0) + excluded_counts[1]),
        )
        at = "/study/loaded" if loaded_counts else "/study"
        rows.append(
            (cell("Loaded"), _count(first[0], f"{at}/games"), _count(first[1] if people else None, f"{at}/people"))
        )
        for place, row in enumerate(flow):
            rows.append(
                (
                    cell(f"Excluded: {line(row['reason'], SENTENCE)}"),
                    _count(row.get("games") or 0, f"/flow/{place}/games"),
                    _count((row.get("people") or 0) if people else None, f"/flow/{place}/people"),
                )
            )
        rows.append(
            (
                cell("Analyzed"),
                _count(study["games"], "/study/games"),
                _count(study["people"] if people else None, "/study/people"),
            )
        )
    whom = "Seats" if is_of_seats(study) else "People"
    places = (0, 1) if nobody else (0, 1, 2)
    note = prose(
        "A negotiation that two rules exclude is counted at the first."
        + ("" if people or nobody else " Participants were not recorded.")
    )
    return Table(
        "flow:",
        "Flow of Games" if nobody else f"Flow of Negotiations and {whom}",
        tuple(
            (head("Step"), head("Games" if nobody else "Negotiations", "number"), head(whom, "number"))[at]
            for at in places
        ),
        tuple(tuple(row[at] for at in places) for row in rows),
        note if len(flow) > 1 else Prose(),
    )


def rows_table(questions: Sequence[Question]) -> Table:
    """Return for each question the way from the rows that came to the units that were analysed."""
    alike: dict[str, list[Question]] = {}
    for question in questions:
        if row_counts := question.entry.get("rows"):
            steps = [(each["count"], str(exclusion_text(question, each))) for each in row_counts["excluded"]]
            alike.setdefault(f"{row_counts['came']} {question.row} {steps}", []).append(question)
    rows = []
    for question, *others in alike.values():
        row_counts = question.entry["rows"]
        exclusions = join(
            [prose("{n} {why}", n=question.number(f"/rows/excluded/{at}/count", "count"),
                   why=exclusion_text(question, each))
             for at, each in enumerate(row_counts["excluded"])], "; ")  # fmt: skip
        n = int(question.entry["design"]["n_units"])
        attendance = prose(
            "{n} {rows}",
            n=question.number("/rows/came", "count"),
            rows=Prose((Run(counted(int(row_counts["came"]), _noun_considered(question)).partition(" ")[2]),)),
        )
        units = prose(
            "{n} {units}",
            n=question.number("/design/n_units", "count"),
            units=Prose((Run(counted(n, question.units).partition(" ")[2]),)),
        )
        rows.append(
            (
                names_of([question, *others]).capitalised,
                attendance,
                exclusions,
                cell(question.number("/rows/rows", "count")),
                units,
            )
        )
    columns = (
        head("Question"),
        head("Considered"),
        head("Excluded"),
        head("Left", "number"),
        head("Units of Analysis"),
    )
    nouns = dict.fromkeys(plural(question.row) for question, *_ in alike.values())
    title = title_case(f"{listed([own_words(noun) for noun in nouns])} analyzed for each question")
    return Table("rows:", title, columns, tuple(rows))


def _noun_considered(question: Question) -> str:
    """Return what the values were before any was excluded: games, of which some end without a deal."""
    return game_noun(question.results["study"]) if question.row == "deal" else question.row_noun


def measure_sentences(questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield what each measure is, and can be: "*Points* are the score at the end of the game, from 0 to 36."."""
    said: set[object] = set()
    for question in questions:
        for name in (None, *(v["name"] for v in question.entry.get("variables") or () if v["name"])):
            words = question.words_of(name)
            own_name = name or question.entry["measure"]
            measure, base = question.plan.measures.get(own_name), base_of(question.plan, own_name)
            definition = definition_of(question.plan, own_name)
            unit = definition.unit if definition else "scale"
            span = _possible_range(question, base, unit, measure)
            if words.noun in said or base.partition(".")[0] in LABELS:  # whose noun says what is coded
                continue
            said.add(words.noun)
            if measure is not None and measure.answer is not None:
                is_named_alike = measure.answer == own_name
                if is_named_alike and not measure.scale:  # an answer in numbers, of which nothing more is known
                    continue
                meaning = (
                    "one item"
                    if is_named_alike
                    else f"the answer to the item “{line(measure.answer, NAME).replace('_', ' ')}”"
                )
            else:
                if definition is None:  # a column of the data, of which nothing more is known
                    continue
                meaning = words.meaning or definition.meaning
                if f"the {meaning}".startswith(words.noun):  # the noun says it
                    continue
                meaning = meaning if meaning.partition(" ")[0] in DETERMINERS else f"the {meaning}"
            if (meaning, str(span)) in said:  # the same of another seat
                continue
            said.add((meaning, str(span)))
            noun = Prose((Run(words.noun[:1].upper() + words.noun[1:], "i"),))
            verb = ("indicate" if words.plural else "indicates") if meaning.startswith("whether ") else (
                "are" if words.plural else "is")  # fmt: skip
            yield prose("{noun} {verb} {meaning}{span}.", noun=noun, verb=own_words(verb),
                        meaning=line(meaning, NAME), span=span)  # fmt: skip


def _possible_range(question: Question, base: str, unit: str, measure: Measure | None) -> Prose:
    """Return the least and the most that a measure can be, where that is known."""
    if measure is not None and measure.scale:
        first, last = (to_lower(line(measure.scale[at], NAME)) for at in (0, -1))
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
    yes_nouns: list[str] = []
    counted_rows: dict[str, list[str]] = {}
    rows: dict[str, tuple[Prose, ...]] = {}
    column_digits = max([2, *(
        decimals_of(variable["sd"]) for question in questions for variable in question.entry.get("variables") or ()
        if variable["sd"] is not None and question.words_of(variable["name"] or None).kind != "share"
    )])  # fmt: skip
    for question in questions:
        for place, variable in enumerate(question.entry.get("variables") or ()):
            words = question.words_of(variable["name"] or None)
            if variable["mean"] is None or (not variable["name"] and question.entry["kind"] in WITHOUT_MEAN):
                continue
            at = f"/variables/{place}"
            if words.noun not in rows:
                counted_rows.setdefault(plural(question.row), []).append(words.noun)
            if _is_yes_or_no(question, variable["name"]):
                yes_nouns += [words.noun] if words.noun not in rows else []
                numbers = [cell(question.number(f"{at}/mean", "percent", column_digits)), cell("")]
                span = cell("")
            else:
                kind, digits = ("share", 2) if words.kind == "share" else ("measure", decimals_of(variable["sd"]))
                numbers = [cell(question.number(f"{at}/{name}", kind, column_digits)) for name in ("mean", "sd")]
                whole = kind == "measure" and all(float(variable[end]).is_integer() for end in ("low", "high"))
                low, high = (question.number(f"{at}/{end}", kind, 0 if whole else digits) for end in ("low", "high"))
                span = prose("{low}–{high}" if variable["low"] >= 0 else "{low} to {high}", low=low, high=high)
            label = words.noun.removeprefix("the ")
            noun = cell(Prose((Run(label[:1].upper() + label[1:]),)))
            partners = question.number(f"{at}/partner_r", "share") if "partner_r" in variable else ""
            row = (noun, cell(question.number(f"{at}/n", "count")), *numbers, span, cell(partners))
            rows.setdefault(words.noun, row)
    has_partners = any(str(row[-1]) != DASH for row in rows.values())
    columns = (
        head("Measure"), head("*n*", "number"), head("*M*", "number"), head("*SD*", "number"),
        head("Range", "interval"), *([head("*r* Between Partners", "number")] if has_partners else []),
    )  # fmt: skip
    each = [
        prose("{row} ({nouns})", row=own_words(row), nouns=listed([own_words(noun) for noun in nouns]))
        if len(counted_rows) > 1 else own_words(row)
        for row, nouns in counted_rows.items()
    ]  # fmt: skip
    note = prose("*n* counts {each}.", each=listed(each))
    if yes_nouns:
        note += prose(
            " Of {nouns}, *M* is the percentage of yes.", nouns=listed([own_words(yes_noun) for yes_noun in yes_nouns])
        )
    if has_partners:
        note += prose(" *r* between partners correlates the values of the two seats of a negotiation (double entry).")
    shown = tuple(row[: len(columns)] for row in rows.values()) if len(rows) >= MEASURES else ()
    return Table("descriptives:", "Descriptive Statistics", columns, shown, note)


def _is_yes_or_no(question: Question, name: str | None) -> bool:
    """Return whether the outcome of a question, or another measure of it, is yes or no."""
    if not name:
        return bool(question.entry["kind"] == "yes/no")
    definition = definition_of(question.plan, name)
    return definition is not None and definition.unit == "1 or 0"


def correlations_table(results: Mapping[str, Any], questions: Sequence[Question]) -> Table:
    """Return the correlations of the measures, each row with those before it."""
    correlation_rows = results.get("correlations") or []
    if len(correlation_rows) < MEASURES or all(
        r is None for row in correlation_rows for r in (*row["r"], *(row.get("within") or ()))
    ):
        correlation_rows = []  # two have the relation that was tested, or each measure follows from another
    nouns = []
    for row in correlation_rows:
        one, own = next(
            (
                (each, True)
                for each in questions
                if (each.entry["measure"], each.entry["who"]) == (row["measure"], row["who"])
            ),
            (next(each for each in questions if row["measure"] in _measures(each)), False),
        )
        noun = (one.words if own else one.words_of(row["measure"])).noun
        noun = noun.removeprefix("the ")
        nouns.append(noun[:1].upper() + noun[1:])
    has_within = any(row.get("within") for row in correlation_rows)
    rows = []
    for place, (row, noun) in enumerate(zip(correlation_rows, nouns, strict=True)):
        each = [
            cell(Prose((rounded(r, "share", f"/correlations/{place}/r/{at}"),))) if r is not None else cell("")
            for at, r in enumerate(row["r"])
        ]
        each += [cell("")] + [_within_r(correlation_rows, below, place) for below in range(place + 1, len(nouns))]
        rows.append((cell(f"{place + 1}. {noun}"), *each[: len(nouns) if has_within else len(nouns) - 1]))
    columns = (
        head("Measure"),
        *(head(str(at), "number") for at in range(1, len(correlation_rows) + (1 if has_within else 0))),
    )
    sizes = [n for row in correlation_rows for n in row["n"]]
    span = (
        f"{min(sizes):,}"
        if sizes and min(sizes) == max(sizes)
        else f"{min(sizes):,} to {max(sizes):,}"
        if sizes
        else ""
    )
    kinds = {question.units for question in questions}
    units = own_words(plural(kinds.pop() if len(kinds) == 1 else "unit"))
    note = prose("Pearson's *r* of the means of {units}; *n* = {span}. Not tested.", units=units, span=span)
    if has_within:
        within_sizes = [n for row in correlation_rows for n in row.get("within_n") or () if n is not None]
        most, least = max(within_sizes), min(within_sizes)
        note = prose(
            "Below the diagonal: Pearson's *r* of the means of {units}; *n* = {span}. Above the diagonal: *r* within "
            "{units}, of deviations from the mean of each; *n* = {rows} values. Not tested.",
            units=units,
            span=span,
            rows=f"{most:,}" if most == least else f"{least:,} to {most:,}",
        )
    if any(any(row.get("why") or ()) for row in correlation_rows):
        within = prose(" or does not vary within {units}", units=units) if has_within else Prose()
        note += prose(" A dash means that one measure is computed from the other or from its numbers{within}.",
                      within=within)  # fmt: skip
    return Table("correlations:", "Correlations Between Measures", columns, tuple(rows), note)


def _within_r(correlation_rows: Sequence[Mapping[str, Any]], below: int, place: int) -> Prose:
    """Return r within units of two measures; a dash where it is not known."""
    within = correlation_rows[below].get("within") or ()
    r = within[place] if place < len(within) else None
    return cell("") if r is None else cell(Prose((rounded(r, "share", f"/correlations/{below}/within/{place}"),)))


def _measures(question: Question) -> set[str]:
    return {question.entry["measure"], *(one["name"] for one in question.entry.get("variables") or ())}


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
            cell(texts[place][:1].upper() + texts[place][1:]),
            _count(row["count"], f"/quality/{place}/count"),
            _count(row["of"], f"/quality/{place}/of"),
        )
        for place, row in enumerate(results.get("quality") or ())
        if row["count"]
    ]
    return Table(
        "quality:", "Data Quality Checks", (head("Check"), head("Found", "number"), head("Of", "number")), tuple(rows)
    )
