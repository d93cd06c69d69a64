"""How a sentence says that values are of a level: "in CL", "with a partner", "in the high-power condition"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from negstats.report.prose import NO_BREAK

PARTNER = "partner."  # begins the column of a factor that is the partner's
# How a sentence says that values are of a level, by where the factor comes from, and by the words of its levels.
IN = "in {level}"
WITH = "with {level}"
WITH_NUMBER = "with {factor}" + NO_BREAK + "=" + NO_BREAK + "{level}"
PLACES = {
    PARTNER: "with {level} partners",
    "answers.": "in the {level} group",
    "players.role": "as {level}",
    "players.kind": "as {level}",
    "players.agent": "for {level}",
    "first.": WITH,
}
# Factors that name what their levels are of: "in the silent condition", "in the second round".
OWN_NOUNS = {"condition", "treatment", "group", "version", "round", "phase", "order", "session", "block", "stage"}
OCCASIONS = {"occasion", "time", "wave", "measurement", "assessment"}  # "at pretest"
# Levels that say nothing without their factor: "in the high-power condition".
DEGREES = {"high", "medium", "low", "large", "small", "long", "short", "strong", "weak", "early", "late", "none"}
COMMON_WORDS = re.compile(r"[a-z]{2,}(?:[ -][a-z]+)*")  # no name of a condition: "computer", not "CL" or "Session 1"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?|yes|no|true|false")
DETERMINED = re.compile(r"(?:an?|no|one|two) \w")
MANY_WORDS = re.compile(r"\w\s+\w")  # such a code is not part of a sentence: in “over_valued buyer”


def place_of(text: str, texts: Sequence[str], noun: str, of_column: str) -> str:
    """Return how it is said that values are of a level; `of_column` is what the column of its factor asks for.

    Examples
    --------
    >>> place_of("chat", ["chat", "talk"], "channel", IN), place_of("CL", ["CL", "FC"], "condition", IN)
    ('in the {level} condition', 'in {level}')
    >>> place_of("high", ["high", "low"], "power", IN), place_of("high power", ["high power"], "power", IN)
    ('in the {level}-{factor} condition', 'with {level}')
    """
    if of_column not in (IN, PLACES["answers."]):
        return of_column
    last = text.split(" ")[-1]
    if DETERMINED.match(text) or (text.endswith(f" {noun}") and last not in OWN_NOUNS):
        return WITH
    if last in OWN_NOUNS or (last != text and last.endswith("s") and COMMON_WORDS.fullmatch(text)):
        return IN if text.startswith("the ") or last not in OWN_NOUNS else "in the {level}"
    if all(NUMBER.fullmatch(level) for level in texts):
        return WITH_NUMBER
    if of_column != IN or not any(COMMON_WORDS.fullmatch(level) for level in texts):
        return of_column
    if noun in OCCASIONS:
        return "at {level}"
    if noun.split(" ")[-1] in OWN_NOUNS:
        return "in the {level} {factor}"
    return "in the {level}-{factor} condition" if DEGREES & set(texts) else "in the {level} condition"


def is_digits(text: str) -> bool:
    """Whether a level is a number in digits."""
    return NUMBER.fullmatch(text) is not None and text[-1].isdigit()
