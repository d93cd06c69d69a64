"""Who took part and what they were like, what was excluded, and how games ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from negstats.analysis.questions.quality import MISSING
from negstats.analysis.questions.traits import ADULT
from negstats.report.labels import NAME, NOBODY, SENTENCE, end_words, game_noun, level_text
from negstats.report.measures import agent_of, base_of, definition_of, spell
from negstats.report.numerals import counted_at, percent_digits, rounded
from negstats.report.prose import Prose, Run, join, listed, prose
from negstats.report.references import data_references
from negstats.report.sentences import Question, names_of
from negstats.report.sentences.question import own_words
from negstats.sanitize import line, noun_for, plural
from negstats.stats.results.apa import decimals_of

if TYPE_CHECKING:
    from negstats.analysis.answers import Report
    from negstats.analysis.plan.model import Plan


def is_of_seats(study: Mapping[str, Any]) -> bool:
    """Return whether a person of ``results.json`` is a seat, as the source does not say who took part twice."""
    return study.get("links_people") is False


def trait_sentences(study: Mapping[str, Any]) -> Iterator[Prose]:
    """Yield what the people of a study say about themselves: numbers first, then the answers that were counted."""
    traits = list(enumerate(study.get("traits") or ()))
    for place, trait in traits:
        if "mean" in trait:
            yield _number_sentence(study, place, trait)
    parts = [_counts_of(study, place, trait) for place, trait in traits if "levels" in trait]
    if parts:
        yield prose("{all}.", all=join(parts, "; ").capitalised)


def _number_sentence(study: Mapping[str, Any], place: int, trait: Mapping[str, Any]) -> Prose:
    """Return mean, SD and range of a number, and of ages how many are of nobody grown up."""
    at = f"/study/traits/{place}"
    digits = min(1, decimals_of(trait["sd"]))
    mean = rounded(trait["mean"], "measure", f"{at}/mean", digits)
    inside = []
    if trait["sd"] is not None:
        inside.append(prose("*SD* = {sd}", sd=rounded(trait["sd"], "measure", f"{at}/sd", digits)))
    inside += _size(study, place, trait)
    is_age = "below_18" in trait
    minors = Prose()
    if n := int(trait.get("below_18") or 0):
        minors = prose(
            "; {n} recorded {ages} below {adult} {were} kept (the lowest was {low})",
            n=rounded(n, "count", f"{at}/below_18"), ages=own_words("age" if n == 1 else "ages"),
            adult=str(ADULT), were=own_words("was" if n == 1 else "were"),
            low=rounded(trait["low"], "measure", f"{at}/low", 0 if float(trait["low"]).is_integer() else digits),
        )  # fmt: skip
    return prose(
        "The mean recorded {noun} was {mean}{unit}{inside}{minors}.",
        noun=_noun(trait),
        mean=mean,
        unit=own_words(" years" if is_age else ""),
        inside=prose(" ({all})", all=join(inside, ", ")) if inside else Prose(),
        minors=minors,
    )


def _counts_of(study: Mapping[str, Any], place: int, trait: Mapping[str, Any]) -> Prose:
    """Return how many people gave each answer: "gender was male for 2 people and female for 1"."""
    noun = "seat" if is_of_seats(study) else "person"
    counts = []
    for number, row in enumerate(trait["levels"]):
        n = rounded(row["n"], "count", f"/study/traits/{place}/levels/{number}/n")
        what = f" {noun_for(row['n'], noun)}" if not number else ""
        level = line(row["level"], NAME)
        counts.append(prose("{level} for {n}{what}", level=f"“{level}”" if "," in level else level, n=n,
                          what=own_words(what)))  # fmt: skip
    sizes = _size(study, place, trait)
    around = prose(" ({n})", n=sizes[0]) if sizes else Prose()
    return prose("{noun} was recorded as {each}{around}", noun=_noun(trait), each=listed(counts), around=around)


def _size(study: Mapping[str, Any], place: int, trait: Mapping[str, Any]) -> list[Prose]:
    """Return n of a trait where some people have no answer."""
    if trait["n"] == study.get("people"):
        return []
    return [prose("*n* = {n}", n=rounded(trait["n"], "count", f"/study/traits/{place}/n"))]


def _noun(trait: Mapping[str, Any]) -> Prose:
    return Prose((Run(spell(trait["question"].replace("-", " "))),))


# Who took part: the first wording whose facts are there.
TOOK_PART = {
    "simulated": "No person took part in this study. All {games} were played by computer programs.",
    "agents": "No person took part. Automated agents played all {games}.",
    "seats of dyads": "There were {games} with {people}. The data do not show who took part more than once, so "
    "different negotiations had to be treated as independent; the two seats of a dyad were treated as dependent.",
    "seats": "There were {games} with {people}. The data do not show who took part more than once, so different "
    "negotiations had to be treated as independent.",
    "dyads": "The {people} formed {games}.",
    "repeated dyads": "The {people} formed {dyads}, which are the units of analysis, and took part in {games}{each}.",
    "people with agents": "{people} negotiated with {agent} in {games}{each}.",
    "people with people and with agents": "{people} took part in {games}{each}, {with_agents} of them with {agent}.",
    "people alone": "{people} took part.",
    "people": "{people} took part in {games}{each}.",
    "unknown": "There were {games}. Participants were not recorded, so the number of different people is unknown.",
}
SIMULATED_NOTE = (
    "Intervals and *p* values describe how results would vary if the program were run again with other seeds; they "
    "support no conclusion about people."
)
REPEATED = "games.game_id repeated"
REPEATED_NOTE = (
    "Because these agents always did the same when they met again, intervals and *p* values describe how results would "
    "vary with other opponents and scenarios like these; in the games that were played, the differences are exact."
)
# What was excluded by rules that follow from the study, and no plan need say: the sentence of each.
FOLLOWING = {
    "messages.labels missing in all": "The analyses are of the {left} whose messages were coded.",
    REPEATED: "In {n} of the {loaded}, every offer was that of an earlier game of the same agents in "
    "the same scenario. Such a repetition adds no information, so each distinct game was analyzed once, which left "
    "{left}.",
}
EXCLUDED = ("game", "person", "seat", "offer", "message", "answer")  # the largest first


def participant_sentences(report: Report, questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield who took part, what the plan excluded, who the people were, and how games ended."""
    results, plan = report.results, report.plan
    study = results["study"]
    loaded_counts = study.get("loaded") or {"games": study["games"], "people": study.get("people")}
    if sources := data_references(study):
        yield prose(
            "The data come from {works}.", works=listed([prose("{work}", work=source.citation) for source in sources])
        )
    yield _describe_people(study, loaded_counts, "/study/loaded" if study.get("loaded") else "/study").capitalised
    yield from _describe_exclusions(results, len(plan.leave_out))
    yield from _describe_orders(results, plan)
    if study.get("participation") not in NOBODY:
        yield from trait_sentences(study)
    yield from _describe_ends(study, int(study["games"]), is_whole=_is_whole(results))
    if study.get("unit") == "group" and study.get("units") and not _is_dyads(study) and not _is_of_dyads(study):
        yield prose(
            "People who played together were treated as one unit of analysis ({n}).",
            n=counted_at(int(study["units"]), "group", "/study/units"),
        )
    if plan.data.unit == "game":
        yield prose(
            "Negotiations were treated as independent of each other, as planned, though people may have taken part in "
            "several."
        )
    yield from _describe_rows(questions)
    if study.get("participation") == "simulated":
        yield prose(SIMULATED_NOTE)
    elif any(row["rule"] == REPEATED for row in results.get("flow") or ()):
        yield prose(REPEATED_NOTE)


def _is_dyads(study: Mapping[str, Any]) -> bool:
    """Return whether each negotiation is of two people who take part in no other."""
    people, games = int(study.get("people") or 0), int(study["games"])
    return people == 2 * games and study.get("participation") == "people"


def _is_of_dyads(study: Mapping[str, Any]) -> bool:
    """Return whether the groups of people who played together are dyads."""
    return study.get("unit") == "group" and study.get("people") == 2 * int(study.get("units") or 0)


def _describe_people(study: Mapping[str, Any], loaded_counts: Mapping[str, Any], at: str) -> Prose:
    """Return who took part in how many negotiations."""
    people, who = int(loaded_counts.get("people") or 0), study.get("participation")
    n_games = int(loaded_counts["games"])
    of_seats, is_dyads = is_of_seats(study), _is_dyads({**study, **loaded_counts})
    kind = str(who) if who in NOBODY else "unknown" if not people else "people"
    if kind == "people":
        if of_seats:
            kind = "seats of dyads" if people == 2 * n_games else "seats"
        elif "games_with_agents" in study:
            kind = "people with people and with agents"
        elif people == n_games and study.get("unit") == "participant" and study.get("units") == study["games"]:
            kind = "people alone"  # each has a game of their own, such as those who answered a survey
        elif is_dyads:
            kind = "dyads"
        elif _is_of_dyads(study):
            kind = "repeated dyads"
        elif who == "people and agents":
            kind = "people with agents"
    noun = "dyad" if kind == "dyads" else "one-offer game" if study.get("ends_by_rejection") else game_noun(study)
    person = "seat" if of_seats else "participant" if kind.endswith("dyads") else "person"
    games_each = Prose()
    if n := loaded_counts.get("games_each"):
        games_each = prose(", {n} each", n=rounded(n, "count", f"{at}/games_each"))
    return prose(TOOK_PART[kind], games=counted_at(n_games, noun, f"{at}/games"),
                 people=counted_at(people, person, f"{at}/people"), each=games_each,
                 agent=own_words(agent_of(study, "a")),
                 with_agents=rounded(study.get("games_with_agents", 0), "count", "/study/games_with_agents"),
                 dyads=counted_at(int(study.get("units") or 0), "dyad", "/study/units"))  # fmt: skip


def _describe_exclusions(results: Mapping[str, Any], planned: int) -> Iterator[Prose]:
    """Yield what the plan excluded by which rule, counted in the largest thing that it took, and what was left."""
    flow, study = results.get("flow") or (), results["study"]
    clauses = []
    for place, row in enumerate(flow):
        if place >= planned and row["rule"] in FOLLOWING:
            yield _say_what_follows(study, row, f"/flow/{place}/games")
            continue
        key = next((key for key in EXCLUDED if row.get(plural(key))), None)
        if key is None:
            continue
        noun = game_noun(results["study"]) if key == "game" else key
        what = counted_at(int(row[plural(key)]), noun, f"/flow/{place}/{plural(key)}")
        clauses.append(prose("{what} ({reason})", what=what, reason=line(row["reason"], SENTENCE)))
    if not clauses:
        return
    was = "was" if len(clauses) == 1 and str(clauses[0]).startswith("1 ") else "were"
    rest = Prose()
    if any(row.get("games") for row in flow):
        games = counted_at(int(results["study"]["games"]), game_noun(results["study"]), "/study/games")
        rest = prose(", which left {n}", n=games)
    yield prose("As planned, {each} {was} excluded{left}.", each=listed(clauses), was=own_words(was), left=rest)


def _say_what_follows(study: Mapping[str, Any], row: Mapping[str, Any], at: str) -> Prose:
    """Return what a rule excluded that follows from the study, of how many games, and what was left."""
    noun, loaded = game_noun(study), (study.get("loaded") or study)["games"]
    return prose(FOLLOWING[row["rule"]], n=rounded(row["games"], "count", at),
                 loaded=counted_at(int(loaded), noun, "/study/loaded/games"),
                 left=counted_at(int(study["games"]), noun, "/study/games"))  # fmt: skip


def _describe_rows(questions: Sequence[Question]) -> Iterator[Prose]:
    """Yield how much of their own data questions leave out, with the same exclusions said once."""
    alike: dict[object, list[Question]] = {}
    for question in questions:
        row_counts = question.entry.get("rows") or {}
        if steps := row_counts.get("excluded"):
            key = [(step["count"], step.get("levels"), step.get("levels") and step["of"]) for step in steps]
            alike.setdefault((str(key), row_counts["came"], question.row), []).append(question)
    # Questions with the same steps share a sentence.
    for members in alike.values():
        question = members[0]
        steps = question.entry["rows"]["excluded"]
        reasons = [
            prose("{n} {reason}", n=question.number(f"/rows/excluded/{number}/count", "count"),
                  reason=exclusion_text(question, step, members, number))
            for number, step in enumerate(steps)
        ]  # fmt: skip
        yield prose(
            "For {names}, {left} of the {came} {noun} were analyzed; {reasons} {were} excluded{whole}.",
            whole=_whole_pairs(question),
            names=names_of(members), left=question.number("/rows/rows", "count"),
            came=question.number("/rows/came", "count"),
            noun=own_words(plural(_noun_of_rows(question))), reasons=listed(reasons),
            were=own_words("was" if [step["count"] for step in steps] == [1] else "were"),
        )  # fmt: skip


def _noun_of_rows(question: Question) -> str:
    """Return what is counted of a question: people, where each has one seat."""
    design = question.entry["design"]
    is_of_people = design["units"] == "participant" and design["n_units"] == question.entry["rows"]["rows"]
    if question.row == "deal":
        return game_noun(question.results["study"])
    if is_of_people and question.row == "seat":
        return question.units
    return question.row_noun


def _whole_pairs(question: Question) -> Prose:
    """Return of how many seats a model of partners is, where not both seats of each pair have a value."""
    test = next((answer for answer in question.answers if answer["method"] == "dyad" and answer.get("n")), None)
    if test is None or sum(test["n"]) >= question.entry["rows"]["rows"]:
        return Prose()
    n = question.number(f"{question.test_at(test)}/n/0", "count")
    return prose(", and the model uses the {n} seats whose partner has a value too", n=n)


def exclusion_text(question: Question, step: Mapping[str, Any], alike: Sequence[Question] = (), at: int = 0) -> Prose:
    """Return why rows were left out, "whose condition was FC"; `alike` may lack other measures."""
    names = [str(name) for name in step.get("of") or ()]
    if step.get("levels"):
        texts = [prose("{level}", level=level_text(question.plan, names[0], level)) for level in step["levels"]]
        levels = listed(texts, "or")
        if question.is_first_level(names[0]):
            return prose("for which {levels} came first", levels=levels)
        factor = str(question.factor_text(names[0])).removeprefix("the ")
        return prose("whose {factor} was {levels}", factor=own_words(factor), levels=levels)
    if not names:
        return prose("({reason})", reason=line(step["reason"], SENTENCE))
    if question.row == "seat" and _is_of_offers(question, names[0]):
        return prose("that made no offer with a known value")
    if question.row == "seat" and all(base_of(question.plan, name).startswith("labels.") for name in names):
        return prose("whose messages were not coded")
    if question.row == "deal" and names == [question.entry["measure"]]:
        return prose("without a deal whose value is known")
    nouns: dict[str, Prose] = {}
    for member in alike or (question,):
        for name in member.entry["rows"]["excluded"][at]["of"] if alike else names:
            is_factor = name in {factor["name"] for factor in member.factors}
            noun = member.factor_text(name) if is_factor else member.noun_of(name)
            nouns.setdefault(str(noun), noun)
    is_ = own_words("are" if len(nouns) > 1 else _verb_of(question, names))
    return prose("for which {nouns} {is_} missing", nouns=listed(list(nouns.values())), is_=is_)


def _verb_of(question: Question, names: Sequence[str]) -> str:
    is_plural = len(names) > 1 or (names[0] in question.measure_names and question.words_of(names[0]).plural)
    return "are" if is_plural else "is"


def _is_of_offers(question: Question, name: str) -> bool:
    """Return whether a measure has one value for each offer, so that who made none has none."""
    definition = definition_of(question.plan, name)
    return definition is not None and definition.per == "offer"


def _describe_orders(results: Mapping[str, Any], plan: Plan) -> Iterator[Prose]:
    """Yield how many people met which level of a factor within persons first."""
    for place, row in enumerate(results.get("orders") or ()):
        clauses = []
        for number, level_row in enumerate(row["levels"]):
            n = rounded(level_row["n"], "count", f"/orders/{place}/levels/{number}/n")
            noun = own_words(f" {'person' if level_row['n'] == 1 else 'people'}" if not number else "")
            level = level_text(plan, row["factor"], level_row["level"])
            clauses.append(prose("{n}{noun} met {level} first", n=n, noun=noun, level=level))
        yield prose("{each}.", each=listed(clauses)).capitalised


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
                "All {n} {noun} {end}{complete}.",
                n=rounded(count, "count", f"/study/ends/{end}"),
                noun=own_words(plural(game_noun(study))),
                end=own_words(end_words(study, end)[0]),
                complete=own_words(", and no outcome was missing" if is_whole else ""),
            )
        ]
    is_alike = _is_same_without(study, ends)  # the points are then said once
    ends_text = listed(_count_ends(study, ends, analysed, has_points=not is_alike))
    whole = rounded(analysed, "count", "/study/games")
    return [
        prose("Of the {n} {noun}, {each}.", n=whole, each=ends_text, noun=own_words(plural(game_noun(study)))),
        prose("Without an agreement, {points}.", points=_points_after(study, is_alike)) if is_alike else Prose(),
        complete,
    ]


def _count_ends(study: Mapping[str, Any], ends: Mapping[str, int], analysed: int, *, has_points: bool) -> list[Prose]:
    """Return how many negotiations ended in each way, and where asked the points that each side received."""
    digits = max(percent_digits(count / analysed, analysed) for count in ends.values())
    clauses = []
    for end, count in ends.items():
        points = _points_after(study, end) if has_points else Prose()
        clauses.append(
            prose(
                "{n} ({percent}%) {end}{points}",
                points=prose(", after which {points}", points=points) if points else Prose(),
                n=rounded(count, "count", f"/study/ends/{end}"),
                percent=rounded(count / analysed, "percent", f"/study/ends/{end}|/study/games", digits),
                end=own_words(end_words(study, end)[0]),
            )
        )
    return clauses


def _points_after(study: Mapping[str, Any], end: str) -> Prose:
    """Return the points that each seat has after an end without an agreement, where that is one number."""
    value = (study.get("points_without_agreement") or {}).get(end)
    if value is None:
        return Prose()
    digits = 0 if float(value).is_integer() else 2
    n = rounded(value, "measure", f"/study/points_without_agreement/{end}", digits)
    noun = "point" if value == 1 else "points"
    return prose("each side received {n} {noun}", n=n, noun=own_words(noun))


def _is_same_without(study: Mapping[str, Any], ends: Mapping[str, int]) -> str:
    """Return one of several ends without an agreement that all have the same points; else nothing."""
    points = study.get("points_without_agreement") or {}
    others = [end for end in ends if end not in ("agreement", "goal")]
    is_same = len(others) > 1 and all(end in points for end in others) and len({points[end] for end in others}) == 1
    return others[0] if is_same else ""
