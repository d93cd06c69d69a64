"""What NegMAS's settings and outcomes say, in YAML or in a row of a table; the scenario's files."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.yaml_text import read_yaml
from negstats.loaders.negmas.utilities import Utility, utility_of


def _yaml(file: Path, intake: Intake) -> tuple[Any, int]:
    data = intake.read(file)
    content, missing = read_yaml(data, file)
    intake.add(file, data, 1)
    return content, missing


def settings_in(file: Path, intake: Intake) -> dict[str, Any]:
    """Return a YAML file's mapping; {} if there is no such file."""
    if not file.exists():
        return {}
    content, _ = _yaml(file, intake)
    if not isinstance(content, dict):
        raise LogError(f"holds {shown(content)}, which is not a mapping; is the file cut?", file=file)
    return content


def names_in(settings: Mapping[str, Any], key: str, file: Path) -> list[str]:
    """Return a list of names; none where there is none."""
    names = settings.get(key) or []
    if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
        raise LogError(f"{shown(names)} is not a list of names", file=file, column=key)
    return names


def word(value: Any) -> str | None:
    """Return a text or a number as text."""
    return None if value is None or isinstance(value, (dict, list, bool)) or not str(value).strip() else str(value)


def seat_names(names: Sequence[str], ids: Sequence[str]) -> tuple[str, ...]:
    """Return names of seats: the negotiators' names, or their ids where two have one name."""
    return tuple(names) if len(set(names)) == len(names) and all(names) else tuple(ids)


def factors_of(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was set for the session; an infinite limit is none."""
    factors = {}
    for name in ("n_steps", "time_limit"):
        value = settings.get(name)
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
        factors[name] = float(value) if number and abs(value) < 1e300 else None  # type: ignore[arg-type]
    return factors


def optimality_of(value: Any) -> float | None:
    """Return a share between 0 and 1 as the log has it."""
    return float(value) if type(value) in (int, float) and math.isfinite(value) else None


def ended_by(outcome: Mapping[str, Any], file: Path) -> str:
    """Return how a session ended, by what its outcome says."""
    for name in ("has_error", "broken", "timedout"):
        if not isinstance(outcome.get(name), (bool, type(None))):
            raise LogError(f"{shown(outcome[name])} is not true or false", file=file, column=name)
    if outcome.get("has_error"):
        return "disconnect"
    if outcome.get("agreement") is not None:
        return "agreement"
    if outcome.get("broken"):
        return "walkaway"
    return "timeout" if outcome.get("timedout") else "unknown"


def levels_of(agreement: Any, file: Path, row: int | None = None) -> tuple[str, ...]:
    """Return the levels of an agreement as text, in the order of the issues."""
    if not isinstance(agreement, (list, tuple)) or not agreement:
        raise LogError(f"{shown(agreement)} is not a list of levels", file=file, row=row, column="agreement")
    return tuple(str(level) for level in agreement)


def numbers_of(values: Any, parties: int, file: Path, column: str, row: int | None = None) -> tuple[float | None, ...]:
    """Return a number for each party; None for those that the log leaves open (null, nan, an infinite one)."""
    if not values:
        return (None,) * parties
    if not isinstance(values, (list, tuple)) or len(values) != parties:
        raise LogError(f"{shown(values)} is not a list of {parties} numbers", file=file, row=row, column=column)
    for value in values:
        if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
            raise LogError(f"{shown(value)} is not a number", file=file, row=row, column=column)
    return tuple(float(value) if value is not None and abs(value) < 1e300 else None for value in values)


class Scenario(NamedTuple):
    """A scenario's name, its issues with how many levels each has, its utilities, and how many pickles stay closed."""

    name: str | None
    issues: tuple[str, ...]
    levels: tuple[int | None, ...]
    files: tuple[Utility, ...]
    unopened: int


def scenario_in(folder: Path, intake: Intake) -> Scenario:
    """Read the YAML files of a scenario; its statistics are passed over."""
    name: str | None = None
    issues: tuple[str, ...] = ()
    levels: tuple[int | None, ...] = ()
    files, unopened = [], 0
    for file in sorted([*folder.glob("*.yml"), *folder.glob("*.yaml")]):
        if file.name.startswith("_"):  # statistics of the outcomes
            continue
        content, missing = _yaml(file, intake)
        unopened += missing
        if isinstance(content, dict) and isinstance(content.get("issues"), list):
            name, issues = word(content.get("name")) or file.stem, _issue_names(content["issues"], file)
            levels = tuple(map(_size, content["issues"]))
        elif (utility := utility_of(content, file)) is not None:
            files.append(utility)
    return Scenario(name, issues, levels, tuple(files), unopened)


def _size(issue: Mapping[str, Any]) -> int | None:
    """Return how many levels an issue has: those of a category, or the whole numbers from least to largest."""
    values = issue.get("values")
    if not isinstance(values, list):
        return None
    if issue.get("type") == "ContiguousIssue":
        whole = len(values) == 2 and all(type(value) is int for value in values)
        return values[1] - values[0] + 1 if whole else None
    return len(values) if issue.get("type") == "CategoricalIssue" else None


def _issue_names(issues: Sequence[Any], file: Path) -> tuple[str, ...]:
    names = tuple(str(issue.get("name", "")) if isinstance(issue, dict) else "" for issue in issues)
    if not all(names) or len(set(names)) < len(names):
        raise LogError(f"{shown(names)} are no different names of issues", file=file, column="issues")
    return names
