"""The section on participants and data: what the logs held, what was excluded, how games ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from negstats.analysis.questions.linked import UNKNOWN_PEOPLE
from negstats.analysis.questions.quality import MISSING
from negstats.report.blocks import Block, Paragraph
from negstats.report.data_tables import (
    flow_table,
    rows_table,
)
from negstats.report.labels import SENTENCE
from negstats.report.numerals import percent_digits, rounded, spelled
from negstats.report.prose import Prose, join, prose
from negstats.report.result_tables import level_text
from negstats.report.sentences import Question, listed, reference
from negstats.report.sentences.question import own_words
from negstats.report.traits import is_of_seats, trait_sentences
from negstats.sanitize import counted, line

if TYPE_CHECKING:
    from negstats.analysis.answers import Report
    from negstats.analysis.plan.model import Plan


# Where nobody took part: who played instead.
NOBODY = {
    "simulated": "No person took part in this study. All {games} were played by computer programs.",
    "agents": "No person took part. Automated agents played all {games}.",
}
SIMULATED_NOTE = (
    "Intervals and p values describe how results would vary if the program were run again with other seeds; they "
    "support no conclusion about people."
)
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


def participants(report: Report, questions: Sequence[Question]) -> Iterator[Block]:
    """Yield what the logs held, what the plan excluded, how games ended, and the tables of the flow."""
    results, plan = report.results, report.plan
    study = results["study"]
    loaded_counts = study.get("loaded") or {"games": study["games"], "people": study.get("people"), "files": 0}
    at = "/study/loaded" if study.get("loaded") else "/study"
    people = loaded_counts.get("people")
    sentences = list(_describe_logs(study, loaded_counts, at))
    if any(UNKNOWN_PEOPLE in (one.entry.get("notes") or ()) for one in questions) or (
        is_of_seats(study) and study.get("unit") == "game" and plan.data.unit != "game"
    ):
        sentences.append(prose("Negotiations were therefore treated as independent of each other."))
    sentences += _describe_exclusions(results)
    analysed = int(study["games"])
    unit, units = study.get("unit"), study.get("units")
    is_whole = analysed == int(loaded_counts["games"]) and study.get("people") == people
    sentences.append(_describe_remaining(study, questions, is_whole=is_whole))
    sentences += _describe_orders(results, plan)
    sentences += trait_sentences(study)
    sentences += _describe_ends(study, analysed, is_whole=_is_whole(results))
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
            yield Paragraph(prose("{name}: {text}", name=own_words(name), text=line(text, SENTENCE)))


def _describe_logs(study: Mapping[str, Any], loaded_counts: Mapping[str, Any], at: str) -> Iterator[Prose]:
    """Yield how many negotiations and people the logs held, and what is not known of the people."""
    games = _count(int(loaded_counts["games"]), "negotiation", f"{at}/games")
    if (who := study.get("participation")) in NOBODY:
        yield prose(NOBODY[who], games=games)
        if who == "simulated":
            yield own_words(SIMULATED_NOTE)
        return
    people = int(loaded_counts.get("people") or 0)
    of_seats = is_of_seats(study)
    noun, link = ("seat", "with") if of_seats else ("person", "of")
    known = prose(f" {link} {{people}}", people=_count(people, noun, f"{at}/people")) if people else Prose()
    each = Prose()
    if (n := loaded_counts.get("games_each")) and not of_seats and people > 1:
        each = prose(", {n} each", n=spelled(rounded(n, "count", f"{at}/games_each")))
    yield prose("The logs held {games}{known}{each}.", games=games, known=known, each=each)
    if people and of_seats:
        yield prose(
            "Whether people took part in several negotiations is not recorded, so the number of different people is "
            "unknown."
        )
    elif not people:
        yield prose("Participants were not recorded, so the number of different people is unknown.")


def _describe_exclusions(results: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield for each rule of the plan what it excluded, counted in the largest thing that it took."""
    for place, row in enumerate(results.get("flow") or ()):
        plurals = {key: counted(2, key).partition(" ")[2] for key in EXCLUDED}
        key = next((key for key in EXCLUDED if row.get(plurals[key])), None)
        if key is None:
            continue
        count = int(row[plurals[key]])
        yield prose(
            "The plan excluded {what} ({reason}).",
            what=_count(count, "negotiation" if key == "game" else key, f"/flow/{place}/{plurals[key]}"),
            reason=line(row["reason"], SENTENCE),
        )


def _describe_remaining(study: Mapping[str, Any], questions: Sequence[Question], *, is_whole: bool) -> Prose:
    """Say how many negotiations were analysed, and whether questions leave rows out."""
    is_partial = any((one.entry.get("rows") or {}).get("excluded") for one in questions)
    if is_whole:
        return prose(
            "The plan excluded no negotiation; some questions exclude rows."
            if is_partial
            else "All negotiations were analysed."
        )
    games = int(study["games"])
    people = study.get("people")
    return prose(
        "The analyses used {games}{of}{but}.",
        games=_count(games, "negotiation", "/study/games"),
        of=prose(" of {people}", people=_count(int(people), "person", "/study/people"))
        if people and not is_of_seats(study) and study.get("participation") not in NOBODY
        else Prose(),
        but=own_words("; some questions exclude further rows" if is_partial else ""),
    )


def _describe_orders(results: Mapping[str, Any], plan: Plan) -> Iterator[Prose]:
    """Yield how many negotiations a person had at each level of a factor within persons, and which level came first."""
    for place, row in enumerate(results.get("orders") or ()):
        each = []
        at_levels = [
            prose(
                "{n} in {level}",
                n=spelled(rounded(one["each"], "count", f"/orders/{place}/levels/{at}/each")),
                level=level_text(plan, row["factor"], one["level"]),
            )
            for at, one in enumerate(row["levels"])
            if one.get("each")
        ]
        if len(at_levels) == len(row["levels"]):
            yield prose("Each person had {games}.", games=listed(at_levels))
        for at, one in enumerate(row["levels"]):
            n = rounded(one["n"], "count", f"/orders/{place}/levels/{at}/n")
            level = level_text(plan, row["factor"], one["level"])
            noun = f" {counted(one['n'], 'person').partition(' ')[2]}" if not at else ""
            came = " came first" if not at else ""
            each.append(prose("{level}{came} for {n}{noun}", level=level, came=own_words(came), n=n,
                              noun=own_words(noun)))  # fmt: skip
        yield prose("{each}.", each=listed(each))


def _is_whole(results: Mapping[str, Any]) -> bool:
    """Return whether the checks of the data looked for missing outcomes, and found none."""
    counts = [row["count"] for row in results.get("quality") or () if str(row["what"]).startswith(MISSING)]
    return bool(counts) and not any(counts)


def _describe_ends(study: Mapping[str, Any], analysed: int, *, is_whole: bool) -> list[Prose]:
    """Say how the negotiations ended, and that no outcome is missing where that is so."""
    complete = prose("No outcome was missing.") if is_whole else Prose()
    ends = study.get("ends") or {}
    if not ends or not analysed:
        return [complete]
    if len(ends) == 1:
        ((end, count),) = ends.items()
        if count != analysed or end == "unknown":
            return [complete]
        return [
            prose(
                "All {n} ended {verb} {end}{complete}.",
                n=rounded(count, "count", f"/study/ends/{end}"),
                verb=own_words(_verb_of(end)),
                end=own_words(ENDS.get(end, end)),
                complete=own_words(", and no outcome was missing" if is_whole else ""),
            )
        ]
    each = []
    for end, count in ends.items():
        digits = percent_digits(count / analysed, analysed)
        percent = rounded(count / analysed, "percent", f"/study/ends/{end}|/study/games", digits)
        each.append(
            prose(
                "{n} ({percent}%) ended {verb} {end}{points}",
                points=_points_after(study, end),
                n=rounded(count, "count", f"/study/ends/{end}"),
                percent=percent,
                verb=own_words(_verb_of(end)),
                end=own_words(ENDS.get(end, end)),
            )
        )
    whole = rounded(analysed, "count", "/study/games")
    return [prose("Of the {n} negotiations {each}.", n=whole, each=listed(each)), complete]


def _points_after(study: Mapping[str, Any], end: str) -> Prose:
    """Return the points that each seat has after an end without an agreement, where that is one number."""
    value = (study.get("points_without_agreement") or {}).get(end)
    if value is None:
        return Prose()
    digits = 0 if float(value).is_integer() else 2
    n = rounded(value, "measure", f"/study/points_without_agreement/{end}", digits)
    noun = "point" if value == 1 else "points"
    return prose(" ({n} {noun} each)", n=n, noun=own_words(noun))


def _verb_of(end: str) -> str:
    return "in" if end in ("agreement", "disagreement", "unknown") else "by"


def _count(value: int, noun: str, address: str) -> Prose:
    return prose(
        "{n} {noun}", n=rounded(value, "count", address), noun=own_words(counted(value, noun).partition(" ")[2])
    )
