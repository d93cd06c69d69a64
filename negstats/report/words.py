"""What a report says, in words and tables, the same for its page, its Word file and its LaTeX.

Everything follows from ``results.json`` and the plan; nothing is computed here but roundings. An estimate is rounded so
that its interval's width keeps two figures, and never to fewer than two decimals where that says something.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pandas as pd

from negstats.plain import line
from negstats.report.listed import (
    FLOW,
    QUALITY,
    cells_table,
    estimate,
    families_table,
    level_text,
    records,
    tests_table,
)
from negstats.report.named import CORRECTIONS, LIES, NAME, PRINCIPLES, SENTENCE, method_name
from negstats.stats.results import apa

if TYPE_CHECKING:
    from negstats.analysis.answers import Report

__all__ = ["Asked", "Words", "pieces", "words_of"]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as a report says it.

    Attributes
    ----------
    id, asks : str
        Its id and its sentence.
    verdict : str
        "Shown", "Not shown", "Cannot be estimated: ..."; empty for what is only explored.
    answers : tuple of tuple of str
        For each answering test its sentences: the estimate with its interval, the test in APA form, the corrected p.
    why : str
        The sentence of the rule that chose the test, and the test's name.
    facts : tuple of (str, str)
        Measure, whose, units, design.
    cells, tests : pandas.DataFrame
        The cells, and every test with its role.
    notes : tuple of str
    """

    id: str
    asks: str
    verdict: str
    explored: bool
    answers: tuple[tuple[str, ...], ...]
    why: str
    facts: tuple[tuple[str, str], ...]
    cells: pd.DataFrame
    tests: pd.DataFrame
    notes: tuple[str, ...]

    @property
    def lead(self) -> str:
        """All sentences of the answer."""
        return " ".join(sentence for sentences in self.answers for sentence in sentences)


@dataclass(frozen=True, slots=True)
class Words:
    """A whole report in words: what stands on top, the questions, and the tables."""

    title: str
    authors: str
    state: str
    changes: tuple[str, ...]
    source: str
    counts: tuple[tuple[str, int], ...]
    known: str
    stop: str
    asked: tuple[Asked, ...]
    flow: pd.DataFrame
    quality: pd.DataFrame
    clean: str
    families: pd.DataFrame
    uncorrected: str
    methods: tuple[str, ...]
    again: str

    @property
    def planned(self) -> tuple[Asked, ...]:
        """The questions that were planned."""
        return tuple(one for one in self.asked if not one.explored)

    @property
    def explored(self) -> tuple[Asked, ...]:
        """The questions that are only explored."""
        return tuple(one for one in self.asked if one.explored)


def words_of(report: Report) -> Words:
    """Return what a report says."""
    results, plan = report.results, report.plan
    asked = tuple(_asked(entry, plan, int(results["study"]["games"])) for entry in results["questions"])
    families = families_table(results)
    named = set(families["question"]) if len(families) else set()
    alone = [one.id for one in asked if not one.explored and one.id not in named]
    study, checks = results["study"], results.get("quality") or []
    return Words(
        title=line(plan.title, 500) or "Report of a plan",
        authors=", ".join(line(author, NAME) for author in plan.authors),
        state=line(results["plan"]["state"] or "not registered", NAME),
        changes=tuple(_change(change) for change in results["plan"].get("changes") or ()),
        source=_source(study),
        counts=_counts(report),
        known=line(plan.known, SENTENCE),
        stop=line(plan.stop, SENTENCE),
        asked=asked,
        flow=records(results.get("flow"), FLOW),
        quality=records([row for row in checks if row["count"]], QUALITY),
        clean=_grouped(row["what"] for row in checks if not row["count"]),
        families=families,
        uncorrected=f"{_many(len(alone), 'planned answer')} not corrected: {', '.join(alone)}." if alone else "",
        methods=_methods(report),
        again="negstats run plan.toml STUDY --out report",
    )


def _grouped(checks: Iterable[str]) -> str:
    """Return checks of one kind ("missing: points") together."""
    kinds: dict[str, list[str]] = {}
    for check in checks:
        kind, _, what = line(check, SENTENCE).partition(": ")
        kinds.setdefault(kind, []).append(what)
    return "; ".join(f"{kind}: {', '.join(filter(None, whats))}" for kind, whats in kinds.items())


def _change(change: object) -> str:
    if isinstance(change, Mapping):
        told = f"{change.get('path')}: {change.get('then')} → {change.get('now')}"
        return line(f"{told} ({change.get('grade')})" if change.get("grade") else told, SENTENCE)
    return line(change, SENTENCE)


def _source(study: Mapping[str, Any]) -> str:
    sources = study.get("sources") or []
    named = line(sources[0]["name"], 80) if len(sources) == 1 else f"{len(sources):,} files"
    return f"read by {line(study.get('loader', ''), 80)}" + (f" from {named}" if sources else "")


def _counts(report: Report) -> tuple[tuple[str, int], ...]:
    """Return what stands on top: people, games, games left out and kept, units; each question says its own."""
    study = report.results["study"]
    analysed = int(study["games"])
    gone = sum(int(row.get("games") or 0) for row in report.results.get("flow") or [])
    counts = [("people", study.get("people")), ("games", analysed + gone), ("games left out", gone)]
    counts += [("games kept", analysed), ("independent units", study.get("units"))]
    return tuple((name, int(count)) for name, count in counts if count is not None)


def _asked(entry: Mapping[str, Any], plan: Any, games: int) -> Asked:
    answers = [test for test in entry["tests"] if test["role"] == "answer"]
    rule = entry.get("rule") or {}
    method = method_name(answers[0]["method"]) if answers else ""
    verdict = line(entry.get("verdict") or "", SENTENCE)
    return Asked(
        id=line(entry["id"], NAME),
        asks=line(entry["asks"], SENTENCE),
        verdict=verdict[:1].upper() + verdict[1:],
        explored=bool(entry["explored"]),
        answers=tuple(tuple(_answer(entry, test, plan, several=len(answers) > 1)) for test in answers),
        why=" ".join(
            part for part in (line(rule.get("sentence", ""), SENTENCE), f"({method}.)" if method else "") if part
        ),
        facts=_facts(entry, plan, games),
        cells=cells_table(entry, plan),
        tests=tests_table(entry),
        notes=tuple(line(note, SENTENCE) for note in (*(entry.get("notes") or ()), *_lacking(entry))),
    )


def _lacking(entry: Mapping[str, Any]) -> Iterator[str]:
    """Say why cells have no interval, each reason once."""
    reasons = dict.fromkeys(why for cell in entry.get("cells") or () for why in (cell.get("why") or {}).values())
    yield from (f"no interval of the cells: {why}" for why in reasons)


def _facts(entry: Mapping[str, Any], plan: Any, games: int) -> tuple[tuple[str, str], ...]:
    design = entry.get("design") or {}
    unit = line(entry.get("unit_of_measure") or "", NAME)
    measure = line(entry["measure"], NAME) + (f" ({unit})" if unit and unit != entry["measure"] else "")
    whose = f" of {line(entry['who'], NAME)}" if entry.get("who") else ""
    found = [("Measure", f"{measure}{whose}, {entry['kind']}")]
    if design.get("n_units") is not None:
        found.append(("Units", _many(int(design["n_units"]), line(design["units"], NAME))))
    if design.get("games"):
        found.append(("Games", f"{int(design['games']):,} of {games:,}"))
    for factor in design.get("factors") or ():
        levels = ", ".join(level_text(plan, factor["name"], level) for level in factor["levels"])
        found.append(("Factor", f"{line(factor['name'], NAME)}, {LIES.get(factor['lies'], factor['lies'])}: {levels}"))
    return tuple(found)


def _many(count: int, what: str) -> str:
    return f"{count:,} {what if count == 1 or what.endswith('s') else what + 's'}"


def _answer(entry: Mapping[str, Any], test: Mapping[str, Any], plan: Any, *, several: bool) -> Iterator[str]:
    """Yield the sentences of an answer: what was estimated, the test, the corrected p."""
    term = test["address"].partition("#")[0].partition("/")[2]
    over = f"{line(term, NAME)}: " if several and term else ""
    told = estimate(
        test.get("estimate"), _difference(entry, test, plan), line(entry.get("unit_of_measure") or "", NAME)
    )
    higher = _higher(entry, test, plan)
    if told and not _repeats(test):
        yield f"{over}{higher}{', ' if higher else ''}{told}."
        over = ""
    elif higher:
        yield f"{over}{higher}."
        over = ""
    yield f"{over}{line(test['apa'], SENTENCE)}."
    if test.get("p_adjusted") is not None and test.get("correction") not in (None, "none"):
        name = CORRECTIONS.get(test["correction"], line(test["correction"], NAME))
        yield f"Corrected by {name}: {apa.p_value(test['p_adjusted'])}."


def _repeats(test: Mapping[str, Any]) -> bool:
    """Whether the APA line gives the estimate already: by its name, or as the effect."""
    one, other = test.get("estimate"), test.get("effect")
    if one and f"{SYMBOLS.get(one['name'], one['name']).replace('_', ' ')} = " in test["apa"].replace("_", " "):
        return True
    return bool(one and other and one["name"] == other["name"] and one["value"] == other["value"])


def _pair(entry: Mapping[str, Any], plan: Any) -> tuple[str, str] | None:
    factors = (entry.get("design") or {}).get("factors") or []
    if len(factors) != 1 or len(factors[0]["levels"]) != 2:
        return None
    one, other = (level_text(plan, factors[0]["name"], level) for level in factors[0]["levels"])
    return one, other


def _difference(entry: Mapping[str, Any], test: Mapping[str, Any], plan: Any) -> str:
    """Return what the estimate is called: ``CL − FC`` for a difference of two levels."""
    name = line((test.get("estimate") or {}).get("name", ""), NAME)
    pair = _pair(entry, plan)
    return f"{pair[0]} − {pair[1]}" if pair and name == "difference" else name.replace("_", " ")


def _higher(entry: Mapping[str, Any], test: Mapping[str, Any], plan: Any) -> str:
    """Return which level is higher, where that has been shown."""
    pair, found = _pair(entry, plan), test.get("estimate")
    if entry.get("verdict") != "shown" or not pair or not found or found["name"] != "difference":
        return ""
    first = (found["value"] or 0) > 0
    return f"higher in {pair[0] if first else pair[1]} than in {pair[1] if first else pair[0]}"


def _methods(report: Report) -> tuple[str, ...]:
    results, plan = report.results, report.plan
    alpha = apa.bounded(plan.alpha, max(2, len(f"{plan.alpha:g}") - 2))
    state = line(results["plan"]["state"] or "not registered", NAME)
    sha256 = line(results["plan"]["sha256"], 64)[:16]
    told = (
        f"Analyses were run with negstats {line(results['negstats'], NAME)} from a plan (SHA-256 "
        f"{sha256}…, whole in results.json; {state}). Tests are at the level {alpha}, "
        f"intervals at {100 * (1 - plan.alpha):g}% where nothing else is said; the seed is {results['seed']}, "
        f"with {plan.resamples:,} resamples where a method draws any."
    )
    unit = results["study"].get("unit")
    units = (
        f"Independent units are {line(unit, NAME)}s: people who played together count as one."
        if unit == "group"
        else ""
    )
    if plan.data.unit == "game":
        units = "Games are taken for independent of each other, as the plan says, though people may play several."
    rules = []
    for entry in results["questions"]:
        method = next((method_name(test["method"]) for test in entry["tests"] if test["role"] == "answer"), "no test")
        rules.append(f"{line(entry['id'], NAME)}: {method}")
    return tuple(part for part in (told, units, PRINCIPLES, f"Tests: {'; '.join(rules)}.") if part)


SYMBOLS = {"mean": "M"}  # what an APA line calls an estimate
STATISTIC = re.compile(r",\s(?![^\[\](){}]*[\])])")
WORDS = re.compile(r"(?:\[[^\[\]]{0,40}\]|\S)+")  # an interval is one word
SHORT = 40  # characters that fit into a line of any window


def pieces(text: str) -> list[str]:
    """Return a sentence's parts that must not break over lines, each with the mark that follows it.

    Examples
    --------
    >>> pieces("t(65) = 2.46, p = .017, 95% CI [0.05, 0.55].")
    ['t(65) = 2.46,', 'p = .017,', '95% CI [0.05, 0.55].']
    """
    parts = STATISTIC.split(text)
    whole = [f"{part}," for part in parts[:-1]] + parts[-1:]
    return [word for part in whole for word in ([part] if len(part) <= SHORT else WORDS.findall(part))]
