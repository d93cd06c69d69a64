"""What a report calls tests, corrections, roles, levels and estimates, in words and figures."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from negstats.analysis.method import METHODS, label_of
from negstats.sanitize import capitalised, line
from negstats.stats.results import apa

NAME = 200  # characters of a title or a level
SENTENCE = 2000

CORRECTIONS = {
    "holm": "Holm", "bonferroni": "Bonferroni", "hochberg": "Hochberg", "hommel": "Hommel", "bh": "Benjamini–Hochberg",
    "by": "Benjamini–Yekutieli", "none": "none",
}  # fmt: skip
# The index of a corrected p: p_Holm.
INDICES = {name: {"bh": "BH", "by": "BY", "none": ""}.get(name, label) for name, label in CORRECTIONS.items()}
ROLES = {"answer": "main test", "part": "component", "follow-up": "follow-up", "beside": "additional check"}
UNITS = {"participant": "person"}
NOBODY = ("simulated", "agents")  # who played where no person did
# How games end: what they did, and what that is called.
ENDS = {
    "agreement": ("ended in agreement", "agreement"),
    "disagreement": ("ended in disagreement", "disagreement"),
    "goal": ("ended when the goal was reached", "reaching the goal"),
    "walkaway": ("ended when somebody walked away", "walking away"),
    "timeout": ("ended when the time was up", "running out of time"),
    "dormant": ("ended because nobody acted any more", "inactivity"),
    "disconnect": ("ended because a connection was lost", "a lost connection"),
    "rejection": ("were rejected", "rejection"),
    "acceptance": ("were accepted", "acceptance"),
    "unknown": ("ended in a way that is not known", "an end that is not known"),
}
OF_OFFERS = {"agreement": "acceptance", "walkaway": "rejection"}  # of games with a single offer and its answer


def end_words(study: Mapping[str, Any], end: str) -> tuple[str, str]:
    """Return what games did that ended so, and what that is called, as ``results.json`` describes the study.

    Examples
    --------
    >>> end_words({}, "walkaway"), end_words({"ends_by_rejection": True}, "walkaway")[1]
    (('ended when somebody walked away', 'walking away'), 'rejection')
    """
    way = OF_OFFERS.get(end, end) if study.get("ends_by_rejection") else end
    return ENDS.get(way, (way, way))


def deals_noun(study: Mapping[str, Any]) -> str:
    """Return what games with an agreement are called: "agreements", of single offers "accepted offers"."""
    return "accepted offers" if study.get("ends_by_rejection") else "agreements"


def game_noun(study: Mapping[str, Any]) -> str:
    """Return what a game is counted as: a negotiation of people, a game without people, or its only offer.

    Examples
    --------
    >>> game_noun({}), game_noun({"participation": "agents"}), game_noun({"ends_by_rejection": True})
    ('negotiation', 'game', 'offer')
    """
    if study.get("ends_by_rejection"):
        return "offer"
    return "game" if study.get("participation") in NOBODY else "negotiation"


def method_name(name: str) -> str:
    """Return what a test is called in a report; a name that is not known stands as it is.

    Examples
    --------
    >>> method_name("mann_whitney"), method_name("new_test")
    ('Mann–Whitney test', 'new test')
    """
    return label_of(line(name, NAME))


def method_phrase(method: str) -> str:
    """Return a test as it stands inside a sentence, symbols between asterisks: "a paired *t* test".

    Examples
    --------
    >>> method_phrase("paired"), method_phrase("fisher"), method_phrase("mixed")
    ('a paired *t* test', "Fisher's exact test", 'a mixed model')
    """
    record = METHODS.get(method)
    if record is not None and record.phrase:
        return record.phrase
    name = method_name(method)
    has_article = name.endswith(("test", "model", "regression")) and "'s" not in name
    return f"a {name}" if has_article else name


# Words of three letters or fewer that a title does not capitalize, by APA style.
SMALL_WORDS = {
    *("a", "an", "and", "as", "at", "but", "by", "for", "if", "in", "nor", "of", "off", "on", "or", "per", "so", "the"),
    *("to", "up", "via", "yet"),
}


def title_case(text: str) -> str:
    """Return words in title case.

    Examples
    --------
    >>> title_case("ending with a commitment by self-report per game")
    'Ending With a Commitment by Self-Report per Game'
    >>> title_case("messages coded as “own need”")
    'Messages Coded as “Own Need”'
    """
    words = [word if word in SMALL_WORDS else _capitalised(word) for word in text.split(" ")]
    return " ".join(capitalised(word) if not place else word for place, word in enumerate(words))


def _capitalised(word: str) -> str:
    """Return a word with a capital letter, and each part of a hyphenated one."""
    return "-".join(re.sub(r"^[“‘(]?\w", lambda first: first[0].upper(), part) for part in word.split("-"))


WHOLE = re.compile(r"-?\d+\.0")


def level_text(plan: Any, factor: str, level: object) -> str:
    """Return a level as the plan labels it, and a whole number without its decimals."""
    labels = plan.factors[factor].labels if factor in plan.factors else {}
    text = str(level)
    return line(labels.get(text, text.removesuffix(".0") if WHOLE.fullmatch(text) else text), NAME)


def estimate(quantity: Mapping[str, Any] | None, name: str, unit: str = "") -> str:
    """Return an estimate with its interval; the interval's width keeps two figures.

    Examples
    --------
    >>> estimate({"value": 0.022348, "low": 0.004209, "high": 0.040488, "level": 0.95}, "CL − FC", "points")
    'CL − FC = 0.022 points, 95% CI [0.004, 0.040]'
    """
    if not quantity or quantity.get("value") is None:
        return ""
    value, low, high = quantity["value"], quantity.get("low"), quantity.get("high")
    digits = _digits(value, low, high)
    unit = "" if unit in ("", "1 or 0") else f" {unit}"
    text = f"{name} = {apa.number(value, digits)}{unit}"
    if low is None and high is None:
        return text
    ends = (-math.inf if low is None else low, math.inf if high is None else high)
    return f"{text}, {100 * quantity['level']:g}% CI [{apa.number(ends[0], digits)}, {apa.number(ends[1], digits)}]"


def _digits(value: float, low: float | None, high: float | None) -> int:
    width = high - low if low is not None and high is not None else abs(value) / 5
    if not math.isfinite(width) or width <= 0:
        return 2
    return 0 if width >= 1000 else max(2, min(6, 1 - math.floor(math.log10(width))))


def cells_table(entry: Mapping[str, Any], plan: Any) -> pd.DataFrame:
    """Return a row a cell: its levels, n, mean and SD or count and share, and the interval."""
    rows = []
    for cell in entry.get("cells") or ():
        levels = cell["levels"].items()
        row: dict[str, object] = {line(name, NAME): level_text(plan, name, level) for name, level in levels}
        row |= {key: cell[key] for key in ("n", "mean", "sd", "count", "share") if key in cell}
        row |= {key: cell.get(key) for key in ("low", "high")}
        rows.append(row)
    table = pd.DataFrame(rows)
    return table.drop(columns=[name for name in ("low", "high") if name in table and table[name].isna().all()])
