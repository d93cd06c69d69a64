"""What the settings, outcomes and utility files of a NegMAS scenario say, and which of these files is whose."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.literals import is_number
from negstats.loaders.files.yaml_text import yaml_in

SPREAD = 1e-9  # of a utility of 1, what computing in another order may leave
MOST_PARTIES = 6  # whose orders are tried

Seen = Sequence[tuple[tuple[str, ...], tuple[float | None, ...]]]


@dataclass(frozen=True, slots=True)
class Utility:
    """A utility file: for each issue the points of its options, or none where they stand in a pickle."""

    file: Path
    reserved: float | None
    worths: tuple[Mapping[str, float], ...]
    filled: bool = False

    def remainder(self, levels: Sequence[str], utility: float) -> float | None:
        """Return what of an offer's utility the tables do not account for; None if a level is in no table."""
        if len(levels) != len(self.worths):
            return None
        level_worths = [worth.get(level) for worth, level in zip(self.worths, levels, strict=True) if worth]
        return (
            None if None in level_worths else utility - math.fsum(value for value in level_worths if value is not None)
        )


def utility_of(content: Any, file: Path) -> Utility | None:
    """Return the utility that a YAML file holds; None if it is none, or none that is additive.

    Raises
    ------
    LogError
        If a table or a weight holds no numbers.
    """
    if not isinstance(content, dict) or "values" not in content or "weights" not in content:
        return None
    values, weights = content["values"], content["weights"]
    if not isinstance(values, list) or not isinstance(weights, list) or len(values) != len(weights):
        raise LogError(f"has no list of values with a weight for each: {shown(weights)}", file=file)
    worths: list[dict[str, float]] = []
    for part, weight in zip(values, weights, strict=True):
        mapping = part.get("mapping") if isinstance(part, dict) else None
        if not isinstance(mapping, dict):
            worths.append({})
            continue
        scale = _number(weight, file, "weights")
        worths.append({str(option): scale * _number(value, file, "mapping") for option, value in mapping.items()})
    reserved = content.get("reserved_value")
    return Utility(file, None if reserved is None else _finite(reserved, file), tuple(worths))


def _finite(value: Any, file: Path) -> float | None:
    """Return a reserved value; None for the platform's -inf, which means that there is none."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return _number(value, file, "reserved_value")


def _number(value: Any, file: Path, column: str) -> float:
    if not is_number(value):
        raise LogError(f"{shown(value)} is not a number", file=file, column=column)
    return float(value)


def match(files: Sequence[Utility], reserved: Sequence[float | None], seen: Seen) -> Sequence[Utility] | None:
    """Return the utility of each negotiator, completed where the offers allow it; None where that is not decided.

    Parameters
    ----------
    files
        The utility files of the scenario.
    reserved
        The negotiators' reserved values; none if the log does not have them.
    seen
        The levels of each offer and its utilities by negotiator.
    """
    parties = len(seen[0][1]) if seen else len(reserved)
    if not files or len(files) != parties or parties > MOST_PARTIES:
        return None
    orders = [order for order in permutations(files) if _has_same_reserved(order, reserved)]
    fitting = [order for order in orders if all(_fits(utility, seen, place) for place, utility in enumerate(order))]
    if len({tuple(_content(utility) for utility in order) for order in fitting}) != 1:
        return None
    return [_fill_issue(utility, seen, place) for place, utility in enumerate(fitting[0])]


def _content(utility: Utility) -> tuple[Any, ...]:
    return (utility.reserved, tuple(tuple(worth.items()) for worth in utility.worths))


def _has_same_reserved(order: Sequence[Utility], reserved: Sequence[float | None]) -> bool:
    return all(
        value is None or utility.reserved is None or abs(utility.reserved - value) <= SPREAD
        for utility, value in zip(order, reserved, strict=False)
    )


def _remainders(utility: Utility, offers: Seen, place: int) -> dict[tuple[str, ...], list[float]] | None:
    """Return what is left of the utilities for each combination of the pickled issues' levels; None if not known."""
    unknown_issues = [issue for issue, worth in enumerate(utility.worths) if not worth]
    rests_by_levels: dict[tuple[str, ...], list[float]] = {}
    for levels, utilities in offers:
        value = utilities[place]
        if value is None or not math.isfinite(value):
            continue
        rest = utility.remainder(levels, value)
        if rest is None:
            return None
        rests_by_levels.setdefault(tuple(levels[issue] for issue in unknown_issues), []).append(rest)
    return rests_by_levels


def _fits(utility: Utility, offers: Seen, place: int) -> bool:
    rests_by_levels = _remainders(utility, offers, place)
    if rests_by_levels is None:
        return False
    scale = max([1.0, *(abs(utilities[place] or 0.0) for _, utilities in offers)])
    if () in rests_by_levels:
        return all(abs(rest) <= SPREAD * scale for rest in rests_by_levels[()])
    return all(max(rests) - min(rests) <= SPREAD * scale for rests in rests_by_levels.values())


def _fill_issue(utility: Utility, offers: Seen, place: int) -> Utility:
    """Return the utility with the values of its one pickled issue, for the levels that were offered."""
    unknown_issues = [issue for issue, worth in enumerate(utility.worths) if not worth]
    rests_by_levels = _remainders(utility, offers, place)
    if len(unknown_issues) != 1 or not rests_by_levels:
        return utility
    worths = list(utility.worths)
    worths[unknown_issues[0]] = {level: rests[0] for (level,), rests in rests_by_levels.items()}
    return replace(utility, worths=tuple(worths), filled=True)


def settings_in(file: Path, intake: Intake) -> dict[str, Any]:
    """Return a YAML file's mapping; {} if there is no such file."""
    if not file.exists():
        return {}
    content, _ = yaml_in(file, intake)
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
        factors[name] = float(value) if is_number(value) else None
    return factors


def optimality_of(value: Any) -> float | None:
    """Return a share between 0 and 1 as the log has it."""
    return float(value) if is_number(value) else None


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

    name: str | None = None
    issues: tuple[str, ...] = ()
    levels: tuple[int | None, ...] = ()
    files: tuple[Utility, ...] = ()
    unopened: int = 0


def scenario_in(folder: Path, intake: Intake) -> Scenario:
    """Read the YAML files of a scenario; its statistics are passed over."""
    name: str | None = None
    issues: tuple[str, ...] = ()
    levels: tuple[int | None, ...] = ()
    files, unopened = [], 0
    for file in sorted([*folder.glob("*.yml"), *folder.glob("*.yaml")]):
        if file.name.startswith("_"):  # statistics of the outcomes
            continue
        content, missing = yaml_in(file, intake)
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
