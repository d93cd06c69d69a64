"""What a report says of people who coded the messages: how many, how well they agreed, and a table by code."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from negstats.report.apa_table import Table, cell, head
from negstats.report.labels import NAME, title_case
from negstats.report.measures import base_of, code_text
from negstats.report.numerals import interval, rounded
from negstats.report.prose import Prose, listed, number_words, prose
from negstats.report.sentences import Question, reference
from negstats.sanitize import line

NAMED = 4  # codes whose agreement a sentence says, those of the plan's measures before others
SYMBOLS = {"kappa": "κ", "alpha": "α"}
NOTE = (
    "*n* = messages that two coders or more coded. Agreement = share of pairs of codings that agree; prevalence = mean "
    "share of messages with the code. {kappa}; *α* is Krippendorff's. {intervals}"
)
INTERVALS = {
    "talks": "Intervals are the jackknife's over whole talks, since messages of one talk are not independent.",
    "messages": "Intervals take messages for independent of each other; with fewer than five talks nothing else can be "
    "estimated.",
}


def coding_sentences(results: Mapping[str, Any], questions: Sequence[Question]) -> list[Prose]:
    """Return what is said of each coding, such as "Two coders coded the same 129 messages: κ = .90 for small-talk".

    Parameters
    ----------
    results
        Those of the report.
    questions
        The plan's questions, whose measures say which codes are named.
    """
    used = {part for question in questions for part in _labels_of(question)}
    return [
        sentence
        for place, coding in enumerate(results["study"].get("coding") or ())
        for sentence in _describe(coding, f"/study/coding/{place}", place, used)
    ]


def _labels_of(question: Question) -> list[str]:
    """Return the labels that the measures of a question are about."""
    labels: list[str] = []
    for name in question.measure_names:
        table, _, column = base_of(question.plan, name).partition(".")
        labels += column.split(":") if table in ("labels", "replies") else []
    return labels


def _describe(coding: Mapping[str, Any], at: str, place: int, used: set[str]) -> Iterator[Prose]:
    coders, double = int(coding["coders"]), int(coding["double"])
    who = number_words(coders).capitalize()
    people = f"{who} coder{'' if coders == 1 else 's'}"
    if not double:
        yield prose(
            "{people} coded {n} messages, none of them twice, so agreement is not known.",
            people=prose(people),
            n=rounded(coding["messages"], "count", f"{at}/messages"),
        )
        return
    known = [(number, code) for number, code in enumerate(coding["codes"]) if _symbol(coding) in code]
    chosen = [(number, code) for number, code in known if code["code"] in used and code[_symbol(coding)]]
    chosen = chosen or [(number, code) for number, code in known if code[_symbol(coding)]]
    descriptions = [_describe_code(code, _symbol(coding), f"{at}/codes/{number}") for number, code in chosen[:NAMED]]
    yield prose(
        "{people} coded the same {n} messages{agreement}; {table} shows the agreement on every code.",
        people=prose(people),
        n=rounded(double, "count", f"{at}/double"),
        agreement=prose(": {each}", each=listed(descriptions)) if descriptions else Prose(),
        table=reference("agreement", str(place)),
    )
    if coding["adjudicated"]:
        yield prose(
            "The {n} messages to which they gave different codes were decided by an adjudicator.",
            n=rounded(coding["differences"], "count", f"{at}/differences"),
        )


def _symbol(coding: Mapping[str, Any]) -> str:
    return "kappa" if int(coding["coders"]) == 2 else "alpha"


def _describe_code(code: Mapping[str, Any], symbol: str, at: str) -> Prose:
    value = code[symbol]
    return prose(
        f"*{SYMBOLS[symbol]}* = {{value}}, {{interval}}, for “{{code}}”",
        value=rounded(value["value"], "share", f"{at}/{symbol}/value"),
        interval=interval(value, "share", f"{at}/{symbol}"),
        code=code_text(code),
    )


def agreement_tables(results: Mapping[str, Any]) -> list[Table]:
    """Return of each coding a table with a row a code: n, agreement, prevalence, kappa and alpha with intervals."""
    return [_build_table(coding, place) for place, coding in enumerate(results["study"].get("coding") or ())]


def _build_table(coding: Mapping[str, Any], place: int) -> Table:
    rows = []
    for number, code in enumerate(coding["codes"]):
        at = f"/study/coding/{place}/codes/{number}"
        estimates: list[Prose] = []
        for symbol in SYMBOLS:
            value = code[symbol]
            estimates += [
                cell(rounded(value["value"], "share", f"{at}/{symbol}/value") if value else ""),
                cell(interval(value, "share", f"{at}/{symbol}", level=False) if value else ""),
            ]
        name = line(code.get("label") or code["code"], NAME) + (" (group)" if code["kind"] == "group" else "")
        shares = [cell(rounded(code[key], "share", f"{at}/{key}")) for key in ("agreement", "prevalence")]
        rows.append((cell(name), cell(rounded(code["n"], "count", f"{at}/n")), *shares, *estimates))
    columns = (
        *(head("Code"), head("*n*", "number"), head("Agreement", "number"), head("Prevalence", "number")),
        *(head("*κ*", "number"), head("95% CI", "interval"), head("*α*", "number"), head("95% CI", "interval")),
    )
    kappa = "*κ* is Cohen's" if int(coding["coders"]) == 2 else "*κ* is Fleiss', over messages that all coded"
    unit = coding["codes"][0].get("interval_unit", "messages") if coding["codes"] else "messages"
    note = prose(NOTE, kappa=prose(kappa), intervals=prose(INTERVALS[unit]))
    title = f"Agreement of Coders: {title_case(line(coding['codebook'], NAME))}"
    return Table(f"agreement:{place}", title, columns, tuple(rows), note)
