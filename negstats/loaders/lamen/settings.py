"""The settings of a LAMEN run, and what the files of its issues say that options are worth."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.literals import last_part
from negstats.loaders.files.yaml_text import read_yaml
from negstats.loaders.lamen.rows import SEATS


def yaml_in(file: Path, intake: Intake) -> Any:
    """Return what a YAML file holds, and note what was not made of it."""
    data = intake.read(file)
    content, missing = read_yaml(data, file)
    intake.add(file, data, 1)
    if missing:
        intake.notes.append(f"{intake.name(file)}: {missing} objects in it were not made")
    return content


def settings_in(file: Path, intake: Intake) -> dict[str, Any]:
    """Return game, issues, weights and the most rounds; {} without a file of settings."""
    content = yaml_in(file, intake) if file.is_file() else {}
    if not isinstance(content, dict):
        raise LogError(f"holds {shown(content)}, which are not settings; is the file cut?", file=file)
    parts = content.get("experiments") if isinstance(content.get("experiments"), dict) else {}
    game, rules = ((parts or {}).get(name) for name in ("game", "negotiation_protocol"))
    game, rules = (part if isinstance(part, dict) else {} for part in (game, rules))
    name = game.get("kwargs")
    settings: dict[str, Any] = {"scenario": last_part(f"/{name}") if isinstance(name, str) and name else None}
    round_limits = [rules.get("max_rounds"), content.get("max_rounds")]
    settings["max_rounds"] = next((most for most in round_limits if type(most) is int and 0 <= most < 2**31), None)
    issues, weights = game.get("issues"), game.get("issue_weights")
    settings["issues"] = (
        [last_part(f"/{issue}") for issue in issues if isinstance(issue, str)] if isinstance(issues, list) else []
    )
    settings["weights"] = weights if isinstance(weights, list) else []
    return settings


def worths_filed(
    settings: Mapping[str, Any], issues: Mapping[str, Any]
) -> dict[str, dict[tuple[str, str], float]] | None:
    """Return the points of all options by seat, as the files of the issues have them; None if one is not there."""
    names = [f"{name}.yaml" for name in settings.get("issues", ())]
    if not names or any(name not in issues for name in names):
        return None
    worths_by_seat: dict[str, dict[tuple[str, str], float]] = {seat: {} for seat in SEATS}
    for seat in (0, 1):
        weights = settings["weights"][seat] if len(settings["weights"]) > seat else []
        if len(names) > 1 and not _all_numbers(weights, len(names)):
            return None
        for place, name in enumerate(names):
            content = issues[name]
            share = weights[place] / math.fsum(weights) if len(names) > 1 else 1.0
            try:
                payoffs, labels = content["payoffs"][seat], content["payoff_labels"][seat]
            except (KeyError, IndexError, TypeError):
                return None
            if not isinstance(labels, list) or not _all_numbers(payoffs, len(labels)) or max(payoffs) <= 0:
                return None
            for label, payoff in zip(labels, payoffs, strict=True):
                worths_by_seat[SEATS[seat]][str(content.get("name")), str(label)] = share * payoff / max(payoffs)
    return worths_by_seat


def _all_numbers(values: Any, length: int) -> bool:
    return (
        isinstance(values, list)
        and len(values) == length > 0
        and all(type(value) in (int, float) and 0 <= value < 1e15 for value in values)
        and math.fsum(values) > 0
    )
