"""The numbers that a mapping names in ``[measures]``: their kind, and whether each is of a game, seat or offer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import polars as pl

from negstats.errors import LogError, meant, shown
from negstats.loaders.mapping.model import Part, Source
from negstats.loaders.mapping.rows import Lines
from negstats.loaders.reading.spellings import known_as
from negstats.tables import TABLES, OwnMeasure

Fault = Callable[[str, str], LogError]

KINDS: Final = ("number", "yes/no", "ordered", "count")
LEVELS: Final = ("game", "player", "offer")
_ROWS_OF_OFFERS = ("offer", "item", "event")
_LONGEST_UNIT = 40  # characters
_OPTIONS = ("unit", "kind", "per", "levels")


def place_of(value: object, options: Sequence[str] = _OPTIONS) -> object:
    """Return what names a measure's or factor's place in the log, without what says what it is."""
    if not isinstance(value, dict):
        return value
    return {key: setting for key, setting in value.items() if key not in options}


def own_measures(content: object, where: str, fault: Fault) -> dict[str, OwnMeasure]:
    """Return what ``[measures]`` says of each measure; raises LogError where it is not a unit, kind or level."""
    measures = {}
    for name, value in content.items() if isinstance(content, dict) else ():
        settings: dict[str, Any] = value if isinstance(value, dict) else {}
        unit = settings.get("unit")
        if unit is not None and not (isinstance(unit, str) and unit.strip().isprintable() and unit.strip()):
            raise fault(f"{where}.{name}.unit", f'{shown(unit)} is not a unit such as "EUR"')
        if unit is not None and len(unit.strip()) > _LONGEST_UNIT:
            raise fault(f"{where}.{name}.unit", f"{shown(unit)} is longer than {_LONGEST_UNIT} characters")
        for key, allowed_values in (("kind", KINDS), ("per", LEVELS)):
            if key in settings and settings[key] not in allowed_values:
                hint = meant(str(settings[key]), allowed_values, "it may be")
                raise fault(f"{where}.{name}.{key}", f"{shown(settings[key])} is not a {key} of a measure; {hint}")
        measures[name] = OwnMeasure(name, unit and unit.strip(), settings.get("kind"), settings.get("per"))
    return measures


def ordered_levels(content: object, where: str, fault: Fault) -> dict[str, dict[str, str]]:
    """Return the rank of each word of a measure with ``levels``, from 1; raises LogError where they are not words."""
    ranks_by_measure: dict[str, dict[str, str]] = {}
    for name, value in content.items() if isinstance(content, dict) else ():
        if not isinstance(value, dict) or "levels" not in value:
            continue
        words, key = value["levels"], f"{where}.{name}.levels"
        if value.get("kind") != "ordered":
            raise fault(key, 'is for a measure with kind = "ordered"')
        if not isinstance(words, list) or len(words) < 2 or not all(isinstance(w, str) and w.strip() for w in words):
            raise fault(key, f'{shown(words)} is not a list of words, lowest first, such as ["low", "middle", "high"]')
        ranks_by_measure[name] = {known_as(word): str(rank) for rank, word in enumerate(words, start=1)}
        if len(ranks_by_measure[name]) < len(words):
            raise fault(key, "names a word twice")
    return ranks_by_measure


def refuse_two_meanings(parts: Sequence[Part], fault: Fault) -> None:
    """Raise LogError where two parts say different things of a measure of one name."""
    measures_by_name: dict[str, OwnMeasure] = {}
    for part in parts:
        for name, own in part.own.items():
            if measures_by_name.setdefault(name, own) != own:
                raise fault(f"measures.{name}", "two parts say that it is different things; say the same in both")


def wrong_level(part: Part, name: str) -> str | None:
    """Return why a measure cannot have one value for what the mapping says; None if it can."""
    per = part.own[name].per
    if per == "player" and not part.has_known_people:
        return (
            '"player" is for a log with row = "player" and players.participant_id; elsewhere a number of a seat is '
            "named in [seats.NAME.answers]"
        )
    if per == "offer" and name in TABLES["offers"].names:
        return f"{shown(name)} is a column of the offers; write it in [offers], or give the measure another name"
    return None


def levels_of(lines: Lines) -> dict[str, str]:
    """Return what each measure of a part has one value for: as the mapping says, else by whether a game's rows agree.

    Where they do not, the measure is of the row: of the seat, or of the offer.
    """
    part = lines.part
    of_row = "offer" if part.row in _ROWS_OF_OFFERS else "game"
    is_one_row = len(lines) > 0 and lines.rows["game_id"].n_unique() == len(lines)  # no game contradicts itself
    if part.has_known_people:
        of_row = "player"

    def find_level(name: str, source: Source) -> str:
        own_level = part.own[name].per
        if own_level is not None:
            return own_level
        no_column = of_row == "offer" and name in TABLES["offers"].names
        is_of_game = of_row == "game" or no_column or is_one_row or not _differs(lines, source)
        return "game" if is_of_game else of_row

    return {name: find_level(name, source) for name, source in part.sections["measures"].items()}


def _differs(lines: Lines, source: Source) -> bool:
    """Whether a number differs between the rows of a game, and nothing says which of them counts."""
    if source.take is not None:
        return False
    rows = lines.rows.select("game_id", value=numbers_of(lines, source)).drop_nulls()
    return bool(rows.select((pl.col("value") != pl.col("value").first().over("game_id")).any()).item())


def numbers_of(lines: Lines, source: Source) -> pl.Series:
    """Return a measure's numbers; of yes and no, 1 and 0."""
    kind = lines.part.own[source.name].kind
    if kind == "yes/no":
        return lines.yes_no(source)
    if kind == "ordered" and source.name in lines.mapping.levels:
        return lines.rank(source)
    return lines.integer(source) if kind == "count" else lines.number(source)
