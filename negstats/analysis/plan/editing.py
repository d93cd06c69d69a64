"""Changing the text of ``plan.toml``: questions, exclusions, families and what was looked at, its comments kept.

Each function takes the text of a plan and returns the text of another; tomlkit keeps comments and order.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from negstats.analysis.plan.model import Plan
from negstats.analysis.plan.parse import find_beside, read
from negstats.errors import PlanError, UsageError
from negstats.files import written_whole

FAMILY = "main"  # of the hypotheses that are added one by one


def _open_text(text: str) -> Any:
    try:
        return tomlkit.parse(text)
    except TOMLKitError as error:
        raise UsageError(f"the plan is not TOML: {error}; correct its text first") from None


def new_plan(title: str, path: str) -> str:
    """Return the text of a plan that asks nothing yet.

    Examples
    --------
    >>> print(new_plan("Pilot", "study"), end="")
    title = "Pilot"
    <BLANKLINE>
    [data]
    path = "study"
    """
    document = tomlkit.document()
    document["title"] = title
    document["data"] = {"path": path}
    return tomlkit.dumps(document)


def questions_of(text: str) -> list[str]:
    """Return the ids of the questions of a plan."""
    return list(_open_text(text).get("questions", {}))


def add_question(text: str, question: str, *, is_hypothesis: bool) -> tuple[str, str]:
    r"""Return a plan with the question of another one, and the id that it got.

    Parameters
    ----------
    text
        The plan.
    question
        A plan of one question, as `negstats.analysis.compare.question_plan` writes it.
    is_hypothesis
        Whether it is a hypothesis, which joins the family of all of them, or is only explored.

    Raises
    ------
    UsageError
        If the plan describes a factor or measure of the question in another way.

    Examples
    --------
    >>> one = '[questions.H1]\nasks = "Do people agree?"\nmeasure = "agreed"'
    >>> add_question(new_plan("Pilot", "study"), one, is_hypothesis=False)[1]
    'E1'
    """
    document, addition = _open_text(text), tomlkit.parse(question).unwrap()
    for table in ("factors", "measures"):
        for name, fields in addition.get(table, {}).items():
            known = document.setdefault(table, tomlkit.table(is_super_table=True))
            if name in known and known[name].unwrap() != fields:
                raise UsageError(f"the plan describes {name!r} in another way; change it in the text of the plan")
            if name not in known:
                known[name] = fields
    letter = "H" if is_hypothesis else "E"
    questions = document.setdefault("questions", tomlkit.table(is_super_table=True))
    numbers = [int(name[1:]) for name in questions if name[:1] == letter and name[1:].isdecimal()]
    key = f"{letter}{max(numbers, default=0) + 1}"
    (fields,) = addition["questions"].values()
    questions[key] = fields | ({} if is_hypothesis else {"explore": True})
    return _set_family(document), key


def remove_question(text: str, key: str) -> str:
    """Return a plan without a question."""
    document = _open_text(text)
    document["questions"].pop(key, None)
    if not document["questions"]:
        document.pop("questions")
    return _set_family(document)


def set_correction(text: str, correction: str) -> str:
    """Return a plan whose hypotheses are corrected together by another method."""
    return _set_family(_open_text(text), correction)


def set_expectation(text: str, key: str, levels: Sequence[str], factor: str, difference: float) -> str:
    """Return a plan in which a question of two levels expects a difference, in SDs; r = .5 within units."""
    document = _open_text(text)
    means = zip(levels, (difference, 0.0), strict=True)
    cells = [{factor: level, "mean": mean} for level, mean in means]
    inline = tomlkit.inline_table()
    inline.update({"cells": cells, "sd": 1.0, "r": 0.5})
    document["questions"][key]["expect"] = inline
    return tomlkit.dumps(document)


def add_exclusion(text: str, column: str, value: str, reason: str) -> str:
    """Return a plan that leaves out the rows with a value of a column."""
    document = _open_text(text)
    rule = {"column": column, "value": value, "reason": reason}
    rules = [*(document.get("leave_out", [])), rule]
    tables = tomlkit.aot()
    for fields in rules:
        table = tomlkit.table()
        table.update(fields.unwrap() if hasattr(fields, "unwrap") else fields)
        tables.append(table)
    document.pop("leave_out", None)
    document["leave_out"] = tables
    return tomlkit.dumps(document)


def remove_exclusion(text: str, place: int) -> str:
    """Return a plan without one of its rules of exclusion, from 0."""
    document = _open_text(text)
    del document["leave_out"][place]
    if not document["leave_out"]:
        document.pop("leave_out")
    return tomlkit.dumps(document)


def _set_family(document: Any, correction: str | None = None) -> str:
    """Return the text with all hypotheses in one family, where there are several; other families stay as they are."""
    families = document.get("families", {})
    if set(families) - {FAMILY}:
        return tomlkit.dumps(document)
    current = families.get(FAMILY, {}).get("correction", "holm")
    planned = [name for name, fields in document.get("questions", {}).items() if not fields.get("explore", False)]
    document.pop("families", None)
    if len(planned) > 1:
        document["families"] = tomlkit.table(is_super_table=True)
        document["families"][FAMILY] = {"questions": planned, "correction": correction or current}
    return tomlkit.dumps(document)


def looked_at(text: str) -> list[dict[str, Any]]:
    """Return the results that a plan's `known` lists as looked at, as records."""
    known = _open_text(text).unwrap().get("known", [])
    return [record for record in known if isinstance(record, dict)] if isinstance(known, list) else []


def note_look(text: str, question: Mapping[str, Any]) -> str:
    """Return a plan whose `known` lists a result that was looked at; each stands there once.

    Parameters
    ----------
    text
        The plan.
    question
        The fields of the question: ``measure``, ``who``, ``by``, ``with``.

    Examples
    --------
    >>> text = note_look('known = "The pilot."', {"measure": "points", "by": "condition"})
    >>> looked_at(note_look(text, {"measure": "points", "by": "condition"}))
    [{'looked_at': 'points', 'by': ['condition']}]
    """
    document = _open_text(text)
    record: dict[str, Any] = {"looked_at": question["measure"]}
    record |= {"who": question["who"]} if question.get("who") else {}
    for name in ("by", "with"):
        value = question.get(name) or []
        record |= {name: [value] if isinstance(value, str) else list(value)} if value else {}
    # What stands there may be one text or a list.
    known = copy.copy(document.get("known", []))
    facts = [known] if isinstance(known, str) else list(known)
    if record in [fact.unwrap() if hasattr(fact, "unwrap") else fact for fact in facts]:
        return text
    lines = tomlkit.array().multiline(True)
    for fact in [*facts, record]:
        if isinstance(fact, Mapping):
            inline = tomlkit.inline_table()
            inline.update(fact)
            lines.append(inline)
        else:
            lines.append(str(fact))
    if "known" in document:
        document["known"] = lines
        return tomlkit.dumps(document)
    return _insert_above_tables(text, tomlkit.dumps(tomlkit.document().add("known", lines)))


def _insert_above_tables(text: str, line: str) -> str:
    """Return the text with lines of the whole plan above its first table."""
    lines = text.splitlines(keepends=True)
    place = next((number for number, text_line in enumerate(lines) if text_line.lstrip().startswith("[")), len(lines))
    while place and not lines[place - 1].strip():
        place -= 1
    return "".join([*lines[:place], line, *lines[place:]])


def note_look_beside(study: Path, question: str, folder: Path) -> Path | None:
    """Write into the plan of a folder that a result of its study was looked at; None where there is nothing to note.

    Parameters
    ----------
    study
        The study that was looked at.
    question
        A plan of one question, as `negstats.analysis.compare.question_plan` writes it.
    folder
        The folder of the project. Its ``plan.toml`` is changed if it is about `study` and was never registered: what is
        looked at later is no longer knowledge from before.

    Returns
    -------
    pathlib.Path or None
        The plan that was changed.
    """
    file = folder / "plan.toml"
    if not file.is_file() or file.with_suffix(".lock").exists():
        return None
    try:
        plan: Plan = read(file)
    except PlanError:
        return None  # it is not a plan yet, and its own check says why
    if plan.data.path is None or find_beside(file, plan.data.path).resolve() != study.resolve():
        return None
    text = file.read_text(encoding="utf-8")
    (fields,) = tomlkit.parse(question).unwrap()["questions"].values()
    noted = note_look(text, fields)
    if noted == text:
        return None
    with written_whole(file) as new_file:
        new_file.write_text(noted, encoding="utf-8")
    return file
