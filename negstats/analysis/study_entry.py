"""What `results.json` holds of a study besides answers: what was loaded, ends, people, coding, quality, versions."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from importlib import metadata
from typing import TYPE_CHECKING, Any

import narwhals as nw

from negstats.analysis.answering import OpenQuestion
from negstats.analysis.correlations import correlations_of
from negstats.analysis.questions.frames import count, count_each
from negstats.analysis.questions.question_data import PreparedStudy
from negstats.analysis.questions.traits import traits_of
from negstats.analysis.scales import points_without_agreement
from negstats.studies.format_facts import facts_of
from negstats.studies.provenance import Coding
from negstats.studies.records import sentence
from negstats.studies.study import Study

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan


def describe_data(
    results: dict[str, Any], plan: Plan, study: Study, data: PreparedStudy, open_questions: Sequence[OpenQuestion]
) -> None:
    """Add to the results what a report says of the study and its measures, and no answer needs."""
    held = [
        (open_question.question, open_question.held)
        for open_question in open_questions
        if open_question.held is not None
    ]
    missing = {
        question.measure + (f" of {rows.asked.who}" if rows.asked.who else ""): rows.missing for question, rows in held
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
    rows = Counter(one.reason for one in study.provenance.left_out)
    each = count_each(people)
    unread = [sentence(record) for record in study.provenance.records if record.kind == "columns_unread"]
    return {"files": len(study.provenance.sources), "games": games, "people": n_people,
            **({"games_each": each} if each is not None else {}), **({"unread": unread} if unread else {}),
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
        {name: getattr(one, name) for name in ("code", "kind", "n", "agreement", "prevalence", "interval_unit")}
        | {"kappa": _describe_estimate(one.kappa, one.kappa_low, one.kappa_high)}
        | {"alpha": _describe_estimate(one.alpha, one.alpha_low, one.alpha_high)}
        | ({"label": labels[one.code]} if labels.get(one.code, one.code) != one.code else {})
        for one in coding.reliability
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
