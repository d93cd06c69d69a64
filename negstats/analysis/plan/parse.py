"""Reading ``plan.toml`` strictly: all faults of a file are said at once, each with its line and what would do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias, cast

from negstats.analysis.plan import fields
from negstats.analysis.plan.canonical import in_order
from negstats.analysis.plan.columns import with_registered_names
from negstats.analysis.plan.consistency import without_data
from negstats.analysis.plan.faults import MOST, Fault, Faults, refuse
from negstats.analysis.plan.fields import PlanFault, Read, kind_and_value
from negstats.analysis.plan.model import (
    GAME_ID,
    OF_GAMES,
    WITHOUT_VALUE,
    Contrast,
    Data,
    Exclusion,
    Factor,
    Family,
    Measure,
    Plan,
    Power,
    Question,
    default_column,
    default_takes,
)
from negstats.analysis.plan.schema import BESIDE_CELLS, CELL, FIELDS, INSIDE, NEEDED
from negstats.errors import PlanError, meant, nearest, shown
from negstats.toml_text import Place, TomlError, lines_of, read_text, read_toml

Table: TypeAlias = dict[str, Any]

MOST_BYTES, MOST_DEEP, MOST_QUESTIONS = 1_000_000, 6, 200


def read(path: str | Path) -> Plan:
    """Read a plan from a file.

    Parameters
    ----------
    path
        The TOML file.

    Returns
    -------
    Plan
        The plan, checked, with its defaults filled in.

    Raises
    ------
    PlanError
        If it is not there, too large, no UTF-8, no TOML, or not a plan: one line for each fault.

    Examples
    --------
    >>> read("no/such/plan.toml")
    Traceback (most recent call last):
        ...
    negstats.errors.PlanError: no/such/plan.toml: is not there
    """
    file = Path(path)
    text = text_of(file)
    plan = parse(text, str(path))
    if plan.data.mapping is None:
        return plan
    mapped = _mapped(find_beside(file, plan.data.mapping), Faults(str(path), dict(plan.lines)))

    return replace(plan, data=replace(plan.data, mapped=mapped))


def parse(text: str, file: str = "plan.toml") -> Plan:
    r"""Make a plan from TOML text; messages name `file`.

    Parameters
    ----------
    text
        The plan as TOML.
    file
        What the plan is called in messages.

    Returns
    -------
    Plan
        The plan, checked, with its defaults filled in.

    Raises
    ------
    PlanError
        If it is not TOML, or not a plan: one line for each fault, in the order of the lines.

    Examples
    --------
    >>> plan = parse('[questions.H1]\nasks = "Do people agree?"\nmeasure = "agreed"')
    >>> plan.questions["H1"].measure
    'agreed'
    >>> parse('[questions.H1]\nasks = "Do people agree?"\nmeasure = "aggred"')
    Traceback (most recent call last):
        ...
    negstats.errors.PlanError: plan.toml:3: questions.H1.measure: no measure is called 'aggred'; did you mean ...
    """
    content = _toml(text, file)
    lines = lines_of(text)
    return plan_of(cast("Table", fields.as_json(content)), file, lines or {(): 1})


def plan_of(content: Table, file: str, lines: Mapping[Place, int] | None = None) -> Plan:
    """Make a plan of an object, such as the canonical one that a lock holds.

    Raises
    ------
    PlanError
        If it is not a plan.
    """
    plan, faults = _checked(content, file, lines or {})
    refuse(faults)
    return plan


def find_faults(text: str) -> list[Fault]:
    r"""Return the faults of a plan in the order of their lines, none of a plan without any.

    Examples
    --------
    >>> [fault.field for fault in find_faults('[questions.H1]\nasks = "Do people agree?"\nmeasure = "aggred"')]
    ['questions.H1.measure']
    """
    return _checked(cast("Table", fields.as_json(_toml(text, ""))), "", lines_of(text))[1]


def _checked(content: Table, file: str, lines: Mapping[Place, int]) -> tuple[Plan, list[Fault]]:
    """Return a plan as far as it can be read, and its faults."""
    if "questions" not in content and not {"row", "games", "part"}.isdisjoint(content):
        raise _whole(file, "is a mapping, which says what the columns of logs are; `negstats plan STUDY` drafts a plan")
    faults = Faults(file, dict(lines))
    plan = _Reader(faults).plan(content)
    if len(plan.questions) <= MOST_QUESTIONS:
        without_data(plan, faults, list(content["questions"]) if isinstance(content.get("questions"), dict) else [])
    return plan, faults.sorted()


def text_of(file: Path, most: int = MOST_BYTES) -> str:
    """Return the text of a file of at most so many bytes.

    Raises
    ------
    PlanError
        If it is not there, too large or no UTF-8.
    """
    if file.is_dir():
        raise _whole(str(file), "is a folder; name a plan, which `negstats plan STUDY` drafts")
    try:
        return read_text(file, most_bytes=most)
    except TomlError as error:
        raise _unread(str(file), error) from None


def _unread(file: str, error: TomlError) -> PlanError:
    """Return the fault of a file as a whole; what is too large is not a plan's."""
    return _whole(file, f"{error.reason}{', which no plan needs' if 'larger than' in error.reason else ''}")


def _whole(file: str, reason: str) -> PlanError:
    return PlanError([str(Fault(file, None, "", reason))])


def _toml(text: str, file: str) -> Table:
    try:
        return read_toml(text, most_bytes=MOST_BYTES, most_deep=MOST_DEEP)
    except TomlError as error:
        if error.line is None:
            raise _unread(file, error) from None
        raise PlanError([str(Fault(file, error.line, error.key, error.reason))]) from None


def find_beside(plan: Path, name: str | Path) -> Path:
    """Return what a plan names: beside the plan, or, if nothing is there, where the command runs.

    A draft names study and mapping as its command did; who wrote it into another folder means that place. All paths in
    a plan are found by this rule.

    Parameters
    ----------
    plan
        The path of the plan.
    name
        A path in it.
    """
    beside = plan.parent / name
    return Path(name) if not beside.exists() and Path(name).exists() else beside


def _mapped(file: Path, faults: Faults) -> Table:
    """Return what a mapping file says."""
    try:
        content = cast("Table", fields.as_json(read_toml(text_of(file))))
        fields.finite(content)
    except PlanError as error:
        faults.add(("data", "mapping"), str(error))
    except (ValueError, RecursionError) as error:
        faults.add(("data", "mapping"), f"{file}: {error}")
    else:
        return content
    refuse(faults.sorted())
    return {}


class _Reader:
    """Makes the records of a plan; what does not fit becomes a fault, and the rest is read on."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults

    def plan(self, content: Table) -> Plan:
        plan_fields = self.record(Plan, content, ())
        questions = {name: self.question(row, ("questions", name)) for name, row in self.tables(content, "questions")}
        if not content.get("questions"):
            at: Place = ("questions",)
            self.faults.add((), "the plan asks nothing; add [questions.H1] with asks and measure", at=at)
        if len(questions) > MOST_QUESTIONS:
            self.faults.add(("questions",), f"are {len(questions)}; a plan has at most {MOST_QUESTIONS}")
        for kind in ("questions", "families"):
            self.ids(kind, content.get(kind, {}))
        plan = Plan(
            **plan_fields,
            data=self.data(content),
            leave_out=in_order(self.rules(content)),
            factors={name: self.factor(name, entry) for name, entry in self.tables(content, "factors")},
            measures={name: self.measure(name, entry) for name, entry in self.tables(content, "measures")},
            questions={name: section for name, section in questions.items() if section is not None},
            families={
                name: Family(**section)
                for name, entry in self.tables(content, "families")
                if (section := self.whole(Family, entry, ("families", name))) is not None
            },
            power=Power(**self.record(Power, self.table(content, "power"), ("power",))),
            file=self.faults.file,
            lines=self.faults.lines,
        )
        return with_registered_names(plan)

    def record(self, kind: type, content: Table, path: Place) -> Table:
        """Return the fields of a record that can be read, by the names of its attributes."""
        readers, values = FIELDS[kind], {}
        field_names = (*readers, *INSIDE.get(kind, ()))
        for key, value in content.items():
            if key not in field_names:
                if len(self.faults.found) > MOST:  # enough is said, and what was meant takes long to find
                    break
                self.faults.add((*path, key), f"no such field; {meant(key, field_names, 'there are')}")
            elif key in readers:
                try:
                    values["with_" if key == "with" else key] = readers[key](value)
                except PlanFault as fault:
                    self.faults.add((*path, key, *fault.sub), fault.reason)
        return values

    def whole(self, kind: type, content: Table, path: Place) -> Table | None:
        """Return the fields of a record; None if one that it needs is not there or cannot be read."""
        values = self.record(kind, content, path)
        for key, how in NEEDED[kind].items():
            meant_so = any(nearest(other, FIELDS[kind]) == key for other in content if other not in FIELDS[kind])
            if key not in content and not meant_so:
                self.faults.add(path, f"has no {key}; give {how}")
        return values if all(key in values for key in NEEDED[kind]) else None

    def data(self, content: Table) -> Data:
        data_table = self.table(content, "data")
        if isinstance(data_table.get("mapping"), dict):  # in a lock the mapping itself stands there
            data_table = {key: value for key, value in data_table.items() if key != "mapping"} | {
                "mapped": data_table["mapping"]
            }
        return Data(**self.record(Data, data_table, ("data",)), mapped=data_table.get("mapped"))

    def rules(self, content: Table) -> list[Exclusion]:
        exclusions: list[Exclusion] = []
        first_places: dict[Exclusion, int] = {}
        for place, rule in enumerate(self.listed(content, ("leave_out",), "[[leave_out]]")):
            path: Place = ("leave_out", place)
            rule_fields = self.whole(Exclusion, rule, path)
            if rule_fields is None:
                continue
            relation, is_list = rule_fields.get("relation", "="), isinstance(rule_fields.get("value"), tuple)
            if relation in WITHOUT_VALUE and "value" in rule_fields:
                why = f"cannot be combined with relation {shown(relation)}, which takes none; leave it out"
                self.faults.add((*path, "value"), why)
            elif relation in OF_GAMES and rule_fields.get("takes", "game") != "game":
                why = f"is {kind_and_value(rule['takes'])}; relation {shown(relation)} excludes games, so leave it out"
                self.faults.add((*path, "takes"), why)
            elif relation == "repeated" and rule_fields["column"] != GAME_ID:
                why = f"is {kind_and_value(rule['column'])}; relation 'repeated' is of games: write {shown(GAME_ID)}"
                self.faults.add((*path, "column"), why)
            elif relation not in WITHOUT_VALUE and "value" not in rule:
                self.faults.add(path, f"has no value; relation {shown(relation)} needs one")
            elif "value" in rule_fields and (relation in ("in", "not in")) != is_list:
                how = 'one value, or relation = "in"' if is_list else 'a list such as ["a", "b"]'
                self.faults.add((*path, "value"), f"is {kind_and_value(rule['value'])}; give {how}")
            elif relation in ("<", "<=", ">", ">=") and isinstance(rule_fields.get("value"), bool):
                self.faults.add(
                    (*path, "value"), f"is {kind_and_value(rule['value'])}, which has no order; give a number or text"
                )
            else:
                exclusions.append(
                    Exclusion(**{"takes": default_takes(rule_fields["column"], relation), **rule_fields}, place=place)
                )
                first = first_places.setdefault(exclusions[-1], place)
                if first != place:
                    self.faults.add(path, f"is the same as leave_out {first + 1}; one is enough")
        return exclusions

    def factor(self, name: str, content: Table) -> Factor:
        path: Place = ("factors", name)
        self.named(name, path)
        return Factor(**{"column": default_column(name), **self.record(Factor, content, path)})

    def measure(self, name: str, content: Table) -> Measure:
        path: Place = ("measures", name)
        self.named(name, path)
        measure_fields = self.record(Measure, content, path)
        if "answer" in measure_fields and "measure" in measure_fields:
            self.faults.add((*path, "measure"), "cannot be combined with answer; give one of the two")
        return Measure(**{"measure": "" if "answer" in measure_fields else name, **measure_fields})

    def question(self, content: Table, path: Place) -> Question | None:
        question_fields = self.whole(Question, content, path)
        contrasts = [
            Contrast(**contrast_fields)
            for place, contrast in enumerate(self.listed(content, (*path, "contrasts"), "contrasts = [{ … }]"))
            if (contrast_fields := self.whole(Contrast, contrast, (*path, "contrasts", place))) is not None
        ]
        expect = self.expected(self.table(content, "expect", path), (*path, "expect"))
        return (
            None
            if question_fields is None
            else Question(**question_fields, contrasts=in_order(contrasts), expect=expect or None)
        )

    def expected(self, content: Table, path: Place) -> Table:
        """Read what is expected; a cell's other fields are levels of factors."""
        values: Table = {}
        for key, value in content.items():
            if key == "cells":
                continue
            if key not in BESIDE_CELLS:
                field_names = ("cells", *BESIDE_CELLS)
                hint = "the cells contain it" if key in CELL else meant(key, field_names)
                self.faults.add((*path, key), f"no such field; {hint}")
            else:
                self.field(values, key, value, BESIDE_CELLS[key], path)
        cells = []
        for place, cell in enumerate(self.listed(content, (*path, "cells"), "cells = [{ … }]")):
            cell_values: Table = {}
            for key, value in cell.items():
                self.field(cell_values, key, value, CELL.get(key, fields.name), (*path, "cells", place))
            cells.append(cell_values)
        return values | ({"cells": in_order(cells)} if cells else {})

    def field(self, values: Table, key: str, value: object, parse: Read, path: Place) -> None:
        try:
            values[key] = parse(value)
        except PlanFault as fault:
            self.faults.add((*path, key, *fault.sub), fault.reason)

    def table(self, content: Table, key: str, path: Place = ()) -> Table:
        value = content.get(key, {})
        if isinstance(value, dict):
            return value
        self.faults.add((*path, key), f"is {kind_and_value(value)}; write [{key}] and its fields below")
        return {}

    def tables(self, content: Table, key: str) -> list[tuple[str, Table]]:
        """Return the tables of a section by name."""
        sections = []
        for name, value in self.table(content, key).items():
            if isinstance(value, dict):
                sections.append((name, value))
            else:
                self.faults.add((key, name), f"is {kind_and_value(value)}; write [{key}.{name}] and its fields below")
        return sections

    def listed(self, content: Table, path: Place, how: str) -> list[Table]:
        value = content.get(str(path[-1]), [])
        if isinstance(value, list) and all(isinstance(item, dict) for item in value):
            return value
        self.faults.add(path, f"is {kind_and_value(value)}; write {how}")
        return []

    def ids(self, kind: str, content: object) -> None:
        """Refuse ids that cannot name a file, or that differ only in case."""
        first_spellings: dict[str, str] = {}
        for name in content if isinstance(content, dict) else ():
            if reason := fields.id_fault(name):
                self.faults.add((kind,), reason, at=(kind, name))
            elif (other := first_spellings.setdefault(name.lower(), name)) != name:
                reason = f"{shown(name)} and {shown(other)} differ only in case; choose other ids"
                self.faults.add((kind,), reason, at=(kind, name))

    def named(self, name: str, path: Place) -> None:
        try:
            fields.name(name)
        except PlanFault as fault:
            self.faults.add(path, fault.reason)
