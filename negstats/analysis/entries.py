"""What `results.json` holds: its schema, the study, and of each question the design, rule, checks and tests."""

from __future__ import annotations

import json
import math
import platform
from collections import Counter
from collections.abc import Mapping, Sequence
from importlib import metadata, resources
from typing import TYPE_CHECKING, Any

import narwhals as nw

import negstats
from negstats.analysis.answering import OpenQuestion
from negstats.analysis.assumptions import assumptions_of
from negstats.analysis.correlations import correlations_of
from negstats.analysis.questions.frames import count, count_each
from negstats.analysis.questions.linked import Note
from negstats.analysis.questions.question_data import PreparedStudy
from negstats.analysis.questions.selection import Selection
from negstats.analysis.questions.traits import traits_of
from negstats.analysis.scales import points_without_agreement, scale_of_points
from negstats.analysis.verdicts import Verdict, checks_of, sentence_of
from negstats.stats.results.numbers import number
from negstats.studies.participation import agent_name, participation
from negstats.studies.provenance import Coding, facts_of
from negstats.studies.records import sentence
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan
    from negstats.analysis.rules import Choice


def schema() -> dict[str, Any]:
    """Return the JSON Schema of ``results.json``.

    Examples
    --------
    >>> schema()["title"]
    'negstats.results/1'
    """
    text = resources.files("negstats.analysis").joinpath("results.schema.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(text)
    return content


def describe_data(
    results: dict[str, Any], plan: Plan, study: Study, data: PreparedStudy, open_questions: Sequence[OpenQuestion]
) -> None:
    """Add to the results what a report says of the study and its measures, and no answer needs."""
    rows_by_question = [
        (open_question.question, open_question.held)
        for open_question in open_questions
        if open_question.held is not None
    ]
    missing = {
        question.measure + (f" of {rows.asked.who}" if rows.asked.who else ""): rows.missing
        for question, rows in rows_by_question
    }
    answered = [
        (open_question.question, open_question.held)
        for open_question in open_questions
        if open_question.held is not None and not open_question.refused
    ]
    codings = study.provenance.coding
    results["study"] |= {
        "loaded": _count_loaded(study),
        "versions": _versions(),
        **_describe_people(data),
        **({"coding": [_describe_coding(coding) for coding in codings]} if codings else {}),
    }
    results["quality"] = data.quality(missing)
    results["correlations"] = correlations_of(plan, answered)


def _count_loaded(study: Study) -> dict[str, Any]:
    """Return what was loaded before any rule of the plan, and what was left out or not read."""
    people = study.frame("players").filter(~(nw.col("kind") == "agent").fill_null(False))
    games, n_people = study.rows("games"), count(people.select("participant_id").drop_nulls().unique())
    rows = Counter(left_out.reason for left_out in study.provenance.left_out)
    games_each = count_each(people)
    unread = [sentence(record) for record in study.provenance.records if record.kind == "columns_unread"]
    return {"files": len(study.provenance.sources), "games": games, "people": n_people,
            **({"games_each": games_each} if games_each is not None else {}), **({"unread": unread} if unread else {}),
            "excluded": [{"reason": reason, "rows": count} for reason, count in rows.items()]}  # fmt: skip


def _describe_people(data: PreparedStudy) -> dict[str, Any]:
    """Return what no agreement is worth, whether people are known over games, and what they say about themselves."""
    study = data.remaining.study
    without = points_without_agreement(study)
    is_linked = facts_of(study.provenance.loader).links_people
    traits = traits_of(study, data.remaining.seats)
    return {
        **({"points_without_agreement": without} if without else {}),
        **({} if is_linked else {"links_people": False}),
        **({"traits": traits} if traits else {}),
    }


def _describe_coding(coding: Coding) -> dict[str, Any]:
    """Return how people coded the messages, and how well they agreed; the coders stay without names."""
    labels = dict(zip(coding.codes, coding.labels, strict=False))  # a study of an earlier version has no labels
    codes = [
        {name: getattr(agreement, name) for name in ("code", "kind", "n", "agreement", "prevalence", "interval_unit")}
        | {"kappa": _describe_estimate(agreement.kappa, agreement.kappa_low, agreement.kappa_high)}
        | {"alpha": _describe_estimate(agreement.alpha, agreement.alpha_low, agreement.alpha_high)}
        | ({"label": labels[agreement.code]} if labels.get(agreement.code, agreement.code) != agreement.code else {})
        for agreement in coding.reliability
    ]
    return {"codebook": coding.codebook, "codebook_sha256": coding.codebook_sha256, "coders": len(coding.coders),
            "adjudicated": coding.adjudicator is not None, "messages": coding.messages, "double": coding.double,
            "differences": coding.differences, "codes": codes}  # fmt: skip


def _describe_estimate(value: float | None, low: float | None, high: float | None) -> dict[str, Any] | None:
    return None if value is None else {"value": value, "low": low, "high": high, "level": 0.95}


def _versions() -> dict[str, str]:
    """Return what computed the results: Python and the libraries under it."""
    return {
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("numpy", "scipy", "pandas")},
    }


SCHEMA = "negstats.results/1"


def results_of(
    plan: Plan,
    study: Study,
    data: PreparedStudy,
    linked_games: Any,
    open_questions: Sequence[OpenQuestion],
    families: list[dict[str, Any]],
    state: str,
    changes: Sequence[Any],
) -> dict[str, Any]:
    """Return what `results.json` holds; what it says of the study beside the answers is filled by `describe_data`."""
    from negstats.analysis.plan.canonical import sha256

    scale, who = scale_of_points(data.remaining.study), participation(study)
    is_mixed = who == "people and agents"
    kinds = plan.factors["kind"].labels if "kind" in plan.factors else {}
    agent = kinds.get("agent", agent_name(study)) if is_mixed else None
    cites = [plan.data.cite] if plan.data.cite else list(study.provenance.cite)
    with_agents = (
        count(study.frame("players").filter(nw.col("kind") == "agent").select("game_id").unique()) if is_mixed else 0
    )
    return {
        "schema": SCHEMA,
        "negstats": negstats.__version__,
        "plan": {"sha256": sha256(plan), "alpha": plan.alpha, "state": state, "changes": list(changes)},
        "seed": plan.seed,
        "study": {
            "loader": study.provenance.loader,
            "sources": [{"name": source.path, "sha256": source.sha256} for source in study.provenance.sources],
            "games": data.games,
            "people": data.people,
            "participation": who,
            "units": None if isinstance(linked_games, str) else data.units(linked_games),
            "unit": None if isinstance(linked_games, str) else linked_games.what,
            "loaded": None,
            "ends": data.ends,  # an answer names them where it depends on games without agreement
            "versions": None,
            **({"ends_by_rejection": True} if _ends_by_rejection(data.remaining.study) else {}),
            **({"cite": cites} if cites else {}),
            **({"agent": agent} if agent else {}),
            **({"games_with_agents": with_agents} if 0 < with_agents < count(study.frame("games")) else {}),
            **({"scales": {"points": scale}} if scale else {}),
        },
        "flow": [dict(row) for row in data.remaining.flow],
        "quality": None,
        "questions": [_entry(open_question, plan) for open_question in open_questions],
        "families": families,
        "correlations": None,
    }


def _ends_by_rejection(study: Study) -> bool:
    """Return whether games have one offer each, and end without a deal only as it is rejected: an ultimatum."""
    offers = study.frame("offers")
    walked = study.frame("games").filter(nw.col("ended") == "walkaway").select("game_id")
    rejected = offers.filter(nw.col("response") == "rejected").select("game_id").unique()
    n_walked = count(walked)
    if not n_walked or count(walked.join(rejected, on="game_id", how="inner")) < n_walked:
        return False
    return count(offers) == count(offers.select("game_id").unique())


def _entry(open_question: OpenQuestion, plan: Plan) -> dict[str, Any]:
    rows, held = open_question.rows, None if open_question.refused else open_question.held
    checks = _checks(open_question, plan.alpha)
    verdicts = _verdicts(open_question, plan.alpha, checks)
    refusal = f"not tested: {open_question.refused}" if open_question.refused else None
    notes = _notes(open_question, verdicts)
    return {
        "id": open_question.id,
        "asks": open_question.question.asks,
        "explored": open_question.question.explore,
        "measure": open_question.question.measure,
        "unit_of_measure": rows.unit_of_measure if rows else None,
        "who": rows.who if rows else open_question.question.who,
        "kind": rows.kind if rows else None,
        "design": _design_entry(open_question),
        "rule": None if open_question.choice is None else _rule_entry(open_question.choice),
        "verdict": refusal or sentence_of(verdicts, _labels(rows)),
        "verdicts": [verdict.entry() for verdict in verdicts],
        "checks": checks,
        "assumptions": _assumptions(open_question),
        "alternatives": [],
        "variables": held.variables(open_question.question) if held else [],
        "rows": _rows_entry(open_question),
        "cells": open_question.cells,
        "tests": [test.entry(open_question.id) for test in open_question.records],
        "omitted": [omission.entry(open_question.id) for omission in open_question.omissions],
        "notes": list(dict.fromkeys(map(str, notes))),
        "remarks": list(dict.fromkeys(note.text for note in notes if not note.part)),
    }


def _design_entry(open_question: OpenQuestion) -> dict[str, Any]:
    """Return the factors with their levels, the unit of analysis, and how many units and games there are."""
    rows, design, held = open_question.rows, open_question.design, open_question.held
    places = {} if design is None else design.factors
    levels = {} if design is None else design.levels
    return {
        "factors": [{"name": name, "lies": place, "levels": list(levels[name])} for name, place in places.items()],
        "units": rows.what if rows else None,
        "n_units": held.units if held else 0,
        "games": held.games if held and not open_question.refused else 0,
    }


def _rule_entry(choice: Choice) -> dict[str, Any]:
    """Return the row of the table of tests with its sentence, and the rows that it leads to."""
    later_rows = [step.row for step in (*choice.through[1:], choice.rule)]
    return {"row": choice.row, "sentence": choice.sentence} | ({"then": later_rows} if choice.through else {})


def _notes(open_question: OpenQuestion, verdicts: Sequence[Verdict]) -> list[Note]:
    """Return what must be said of an answer: of its rows, of what these data do not give, and what the plan notes."""
    question = open_question.question
    notes = [*open_question.notes, *(Note(str(omission), "omitted") for omission in open_question.omissions)]
    notes += [Note(question.note)] if question.note else []
    if question.smallest is not None and verdicts and not any(verdict.size for verdict in verdicts):
        reason = "because the test has no estimate in its unit"
        notes.append(Note(f"The smallest effect of interest was not used, {reason}."))
    return notes


def _checks(open_question: OpenQuestion, alpha: float) -> list[dict[str, Any]]:
    """Return the checks of each answer."""
    if open_question.question.equivalent is not None:  # a test of a difference answers another question
        return []
    return [
        check
        for place in open_question.answers
        for check in checks_of(open_question.id, open_question.records[place], open_question.records, alpha)
    ]


def _verdicts(open_question: OpenQuestion, alpha: float, checks: Sequence[Mapping[str, Any]]) -> list[Verdict]:
    """Return a verdict for each answering test of a planned question."""
    if open_question.refused or open_question.question.explore:
        return []
    disagreeing_answers = {check["of"] for check in checks if not check["agrees"]}
    answers = [open_question.records[place] for place in open_question.answers]
    return [open_question.verdict(test, alpha, depends=open_question.id + test.part in disagreeing_answers)
            for test in answers if math.isfinite(test.p)]  # fmt: skip


def _labels(rows: Selection | None) -> dict[str, str]:
    """Return what the plan calls the levels of a question."""
    return {} if rows is None else {level: label for labels in rows.labels.values() for level, label in labels.items()}


def _assumptions(open_question: OpenQuestion) -> list[dict[str, Any]] | None:
    """Return what of the values is far from what the answering test assumes; None where an engine has them."""
    first = next(iter(open_question.answers), None)
    if first is None or open_question.refused or open_question.held is None or open_question.design is None:
        return []
    data = open_question.held.rows() if open_question.design.features.inside else open_question.held.values()
    if data is None:
        return None
    places = open_question.design.factors
    entries = assumptions_of(
        data, open_question.records[first], kind=open_question.held.asked.kind,
        within=[name for name in places if places[name] != "between"],
        between=[name for name in places if places[name] == "between"], numbers=open_question.numbers,
    )  # fmt: skip
    return [
        {key: number(value) if isinstance(value, float) else value for key, value in entry.items()} for entry in entries
    ]


def _rows_entry(open_question: OpenQuestion) -> dict[str, Any] | None:
    """Return the way from the rows that came to the values that were tested, step by step; it adds up."""
    if open_question.held is None:
        return None
    rows, row_counts = open_question.held.asked, open_question.held.lost
    steps: list[dict[str, Any]] = [
        {"reason": exclusion.reason, "count": exclusion.count, "of": [exclusion.factor] if exclusion.factor else [],
         "levels": list(exclusion.levels)} for exclusion in rows.excluded
    ]  # fmt: skip
    lost = (([open_question.question.measure], row_counts.missing), ([*open_question.numbers], row_counts.lacking))
    steps += [{"reason": f"no value of {' or '.join(names)}", "count": count, "of": names, "levels": []}
              for names, count in lost if count]  # fmt: skip
    n_rows = row_counts.rows + sum(exclusion.count for exclusion in rows.excluded)
    return {"row": rows.row, "came": n_rows, "excluded": steps,
            "rows": row_counts.rows - row_counts.missing - row_counts.lacking,
            "values": row_counts.averaged}  # fmt: skip
