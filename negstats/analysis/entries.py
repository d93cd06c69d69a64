"""What `results.json` holds of a plan's questions: designs, rules, verdicts, checks, rows, cells and tests."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw

import negstats
from negstats.analysis.answering import OpenQuestion
from negstats.analysis.assumptions import assumptions_of
from negstats.analysis.questions.frames import count
from negstats.analysis.questions.linked import Note
from negstats.analysis.questions.question_data import PreparedStudy
from negstats.analysis.questions.selection import Selection
from negstats.analysis.scales import scale_of_points
from negstats.analysis.verdicts import Verdict, checks_of, sentence_of
from negstats.stats.results.numbers import number
from negstats.studies.participation import agent_name, participation
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan


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
    agent = _labels_in(plan, "kind").get("agent", agent_name(study)) if is_mixed else None
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


def _labels_in(plan: Plan, factor: str) -> Mapping[str, str]:
    """Return what the plan calls the levels of a factor; nothing where it does not describe it."""
    return plan.factors[factor].labels if factor in plan.factors else {}


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
    rows, design, choice = open_question.rows, open_question.design, open_question.choice
    factors = [] if design is None else [
        {"name": name, "lies": lie, "levels": list(design.levels[name])} for name, lie in design.factors.items()
    ]  # fmt: skip
    rule: dict[str, Any] | None = None
    if choice is not None:
        rule = {"row": choice.row, "sentence": choice.sentence}
        if choice.through:
            rule["then"] = [step.row for step in (*choice.through[1:], choice.rule)]
    checks = _checks(open_question, plan.alpha)
    verdicts = _verdicts(open_question, plan.alpha, checks)
    own_note = [Note(open_question.question.note)] if open_question.question.note else []
    if open_question.question.smallest is not None and verdicts and not any(verdict.size for verdict in verdicts):
        own_note.append(
            Note("The smallest effect of interest was not used, because the test has no estimate in its unit.")
        )
    notes = [*open_question.notes, *(Note(str(omission), "omitted") for omission in open_question.omissions), *own_note]
    return {
        "id": open_question.id,
        "asks": open_question.question.asks,
        "explored": open_question.question.explore,
        "measure": open_question.question.measure,
        "unit_of_measure": rows.unit_of_measure if rows else None,
        "who": rows.who if rows else open_question.question.who,
        "kind": rows.kind if rows else None,
        "design": {
            "factors": factors,
            "units": rows.what if rows else None,
            "n_units": open_question.held.units if open_question.held else 0,
            "games": open_question.held.games if open_question.held and not open_question.refused else 0,
        },
        "rule": rule,
        "verdict": f"not tested: {open_question.refused}"
        if open_question.refused
        else sentence_of(verdicts, _labels(rows)),
        "verdicts": [verdict.entry() for verdict in verdicts],
        "checks": checks,
        "assumptions": _assumptions(open_question),
        "alternatives": [],
        "variables": open_question.held.variables(open_question.question)
        if open_question.held and not open_question.refused
        else [],
        "rows": _rows_entry(open_question),
        "cells": open_question.cells,
        "tests": [test.entry(open_question.id) for test in open_question.records],
        "omitted": [omission.entry(open_question.id) for omission in open_question.omissions],
        "notes": list(dict.fromkeys(map(str, notes))),
        "remarks": list(dict.fromkeys(note.text for note in notes if not note.part)),
    }


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
        {key: number(each) if isinstance(each, float) else each for key, each in entry.items()} for entry in entries
    ]


def _rows_entry(open_question: OpenQuestion) -> dict[str, Any] | None:
    """Return the way from the rows that came to the values that were tested, step by step; it adds up."""
    if open_question.held is None:
        return None
    rows, row_counts = open_question.held.asked, open_question.held.lost
    steps: list[dict[str, Any]] = [
        {"reason": each.reason, "count": each.count, "of": [each.factor] if each.factor else [],
         "levels": list(each.levels)} for each in rows.excluded
    ]  # fmt: skip
    lost = (([open_question.question.measure], row_counts.missing), ([*open_question.numbers], row_counts.lacking))
    steps += [{"reason": f"no value of {' or '.join(names)}", "count": count, "of": names, "levels": []}
              for names, count in lost if count]  # fmt: skip
    n_rows = row_counts.rows + sum(exclusion.count for exclusion in rows.excluded)
    return {"row": rows.row, "came": n_rows, "excluded": steps,
            "rows": row_counts.rows - row_counts.missing - row_counts.lacking,
            "values": row_counts.averaged}  # fmt: skip
