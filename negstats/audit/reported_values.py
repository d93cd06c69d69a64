"""What is printed around a matched result: effects, intervals, and the cells' M, SD, n and per cent.

A number is compared only where a symbol, a word or its place says which computed number it is; others are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from negstats.audit.computed import Asked, Computed
from negstats.audit.find_results import Reported
from negstats.audit.statistic_patterns import SIGNED
from negstats.printed_numbers import Printed, printed

# The printed symbol of an effect, and what `results.json` may call it.
EFFECTS: Mapping[str, tuple[str, frozenset[str]]] = {
    "d": (r"d(?:_?(?:z|av|rm|s))?", frozenset(["d", "d_z", "d_av", "d_rm", "d_s"])),
    "g": (r"g(?:_?(?:z|av))?", frozenset(["g", "g_z", "hedges_g"])),
    "eta": (r"(?:partial )?η[²2]?_?[pGₚ]?[²2]?", frozenset(["eta_squared", "partial_eta_squared", "eta_squared_p"])),
    "omega": (
        r"(?:partial )?ω[²2]?_?[pₚ]?[²2]?",
        frozenset(["omega_squared", "partial_omega_squared", "omega_squared_p"]),
    ),
    "epsilon": (r"ε[²2]", frozenset(["epsilon_squared"])),
    "v": (r"(?:Cramér['’]s )?V", frozenset(["v", "cramers_v"])),
    "r": (r"r", frozenset(["r", "r_rb", "rank_biserial"])),
    "or": (r"OR", frozenset(["or", "odds_ratio"])),
    "rr": (r"RR", frozenset(["rr", "risk_ratio", "ratio_of_means"])),
    "rd": (r"RD", frozenset(["rd", "risk_difference"])),
    "hr": (r"HR", frozenset(["hr", "hazard_ratio"])),
    "difference": (r"(?:M_?diff|Mdiff|ΔM|(?:mean )?difference)", frozenset(["difference"])),
}
EFFECT = re.compile(
    r"(?<![\w.])(?:" + "|".join(f"(?P<{kind}>{symbol})" for kind, (symbol, _) in EFFECTS.items()) + r")"
    rf" ?(?:=|of) ?(?P<value>{SIGNED})"
)
INTERVAL = re.compile(
    rf"(?P<level>\d{{2}}(?:\.\d)?) ?% ?(?:CI|confidence interval)s? ?(?:=|:|of)? ?"
    rf"[\[(] ?(?P<low>{SIGNED}) ?(?:,|;|to) ?(?P<high>{SIGNED}) ?[\])]",
    re.I,
)
CELL = re.compile(rf"(?<![\w.])(?P<what>M|SD|n) ?= ?(?P<value>{SIGNED})")
SHARE = re.compile(r"\A[ ,:]{0,2}\(?(?P<value>\d{1,3}(?:\.\d{1,6})?) ?%(?! ?(?:CI|confidence))")
NEAR = 60  # characters between a level and its numbers
OF_CELL = {"M": "mean", "SD": "sd", "n": "n"}


def differing(result: Reported, test: Computed, question: Asked) -> list[str]:
    """Return in words what is printed around a result and is not what was computed."""
    result_text = result.paragraph[result.span[0] : result.span[1]]
    return [*_effects(result_text, test), *_cells(result.sentence, question)]


def stands(number: Mapping[str, Any], text: str) -> bool:
    """Whether a computed number's interval is printed somewhere in a text, as it is or in per cent."""
    if any(number.get(name) is None for name in ("low", "high", "level")):
        return False
    return any(
        abs(float(interval["level"]) / 100 - float(number["level"])) < 1e-9
        and any(all(_read(interval[end]).agrees(scale * number[end]) for end in ("low", "high")) for scale in (1, 100))
        for interval in INTERVAL.finditer(text)
    )


def _read(text: str) -> Printed:
    return printed(text.replace(" ", ""))


def _effects(text: str, test: Computed) -> Iterator[str]:
    for effect in EFFECT.finditer(text):
        names = EFFECTS[str(effect.lastgroup if effect.lastgroup != "value" else _which(effect))][1]
        fitting_numbers = [number for number in test.numbers if _number_name(number) in names]
        if len(fitting_numbers) != 1 or fitting_numbers[0]["value"] is None:
            continue
        number = fitting_numbers[0]
        if _off(_read(effect["value"]), number["value"]):
            yield f"{effect[0].partition('=')[0].strip()} is {number['value']:.4g}, printed {effect['value'].strip()}"
        interval = INTERVAL.search(text, effect.end(), effect.end() + 60)
        if interval and not EFFECT.search(text, effect.end(), interval.start()) and number.get("level"):
            yield from _interval(interval, number)


def _which(effect: re.Match[str]) -> str:
    return next(kind for kind in EFFECTS if effect[kind])


def _number_name(number: Mapping[str, Any]) -> str:
    return re.sub(r"\W+", "_", str(number.get("name", "")).lower().replace("²", "_squared")).strip("_")


def _interval(interval: re.Match[str], number: Mapping[str, Any]) -> Iterator[str]:
    if abs(float(interval["level"]) / 100 - float(number["level"])) > 1e-9:
        return
    for end in ("low", "high"):
        if number.get(end) is not None and _off(_read(interval[end]), number[end]):
            low, high = (f"{number[at]:.4g}" if number[at] is not None else "open" for at in ("low", "high"))
            yield f"its interval is [{low}, {high}], printed [{interval['low'].strip()}, {interval['high'].strip()}]"
            return


def _cells(sentence: str, question: Asked) -> Iterator[str]:
    """Yield the numbers of cells of one factor that a level's name stands before."""
    if len(question.factors) != 1:
        return
    cells = {str(next(iter(cell["levels"].values()))): cell for cell in question.cells if len(cell["levels"]) == 1}
    names = sorted(cells, key=len, reverse=True)
    if not names:
        return
    level_matches = [
        *re.finditer(r"(?<!\w)(?:" + "|".join(map(re.escape, names)) + r")(?!\w)", sentence),
    ]
    for place, level in enumerate(level_matches):
        stop = level_matches[place + 1].start() if place + 1 < len(level_matches) else len(sentence)
        text_behind = sentence[level.end() : min(stop, level.end() + NEAR)]
        cell = cells[level[0]]
        for cell_match in CELL.finditer(text_behind):
            value = cell.get(OF_CELL[cell_match["what"]])
            if value is not None and _off(_read(cell_match["value"]), value):
                yield f"{cell_match['what']} of {level[0]} is {value:.4g}, printed {cell_match['value'].strip()}"
        share = SHARE.match(text_behind)
        if share and cell.get("share") is not None and _off(_read(share["value"]), 100 * cell["share"]):
            yield f"the share of {level[0]} is {100 * cell['share']:.4g} %, printed {share['value']} %"


def _off(printed_value: Printed, value: float) -> bool:
    """Return whether a printed number is not a computed one; a sign that is left out, or turned, fits."""
    return not (printed_value.agrees(value) or printed_value.agrees(-value))
