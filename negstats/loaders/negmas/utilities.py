"""The utility files of a NegMAS scenario, and which of them is whose.

An additive utility is a sum over issues of weight × value. A file has the values of an issue as a table, or as a
pickled function, which is not opened. Whose file it is is not written down. It is decided by the reserved value where
the log has it and the files differ in it; and checked, or else decided, by the offers: what remains of a negotiator's
utilities once the file's known parts are taken off can depend on the level of the pickled issue only (and is nothing if
there is none). Where this holds the remainder is the value of that issue, for the levels that were offered.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown

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
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or abs(value) > 1e300:
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
