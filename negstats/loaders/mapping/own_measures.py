"""The numbers that a mapping names in ``[measures]``: their kind, and whether each is of a game, seat or offer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import polars as pl

from negstats.errors import meant, shown
from negstats.loaders.mapping.fields import Field
from negstats.loaders.mapping.model import Source
from negstats.loaders.mapping.rows import Lines
from negstats.loaders.reading.spellings import known_as
from negstats.tables import TABLES, OwnMeasure

KINDS: Final = ("number", "yes/no", "ordered", "count")
LEVELS: Final = ("game", "player", "offer")
_ROWS_OF_OFFERS = ("offer", "item", "event")
_LONGEST_UNIT = 40  # characters


def place_of(value: object, options: Sequence[str]) -> object:
    """Return what names a measure's or factor's place in the log, without what says what it is."""
    if not isinstance(value, dict):
        return value
    return {key: setting for key, setting in value.items() if key not in options}


def own_measures(content: Field) -> dict[str, OwnMeasure]:
    """Return what ``[measures]`` says of each measure; raises LogError where it is not a unit, kind or level."""
    measures = {}
    for name, field in content.table().items():
        settings: dict[str, Any] = field.value if isinstance(field.value, dict) else {}
        unit = settings.get("unit")
        is_unit = isinstance(unit, str) and unit.strip().isprintable() and unit.strip()
        field.refuse(("unit", unit is not None and not is_unit, f'{shown(unit)} is not a unit such as "EUR"'))
        unit = unit and unit.strip()
        is_long = unit is not None and len(unit) > _LONGEST_UNIT
        field.refuse(("unit", is_long, f"{shown(settings.get('unit'))} is longer than {_LONGEST_UNIT} characters"))
        for key, words in (("kind", KINDS), ("per", LEVELS)):
            is_strange = key in settings and settings[key] not in words
            hint = meant(str(settings.get(key)), words, "it may be")
            field.refuse((key, is_strange, f"{shown(settings.get(key))} is not a {key} of a measure; {hint}"))
        measures[name] = OwnMeasure(name, unit, settings.get("kind"), settings.get("per"))
    return measures


def ordered_levels(content: Field) -> dict[str, dict[str, str]]:
    """Return the rank of each word of a measure with ``levels``, from 1; raises LogError where they are not words."""
    ranks_by_measure: dict[str, dict[str, str]] = {}
    for name, field in content.table().items():
        if not isinstance(field.value, dict) or "levels" not in field.value:
            continue
        words = field.value["levels"]
        are_words = isinstance(words, list) and len(words) > 1 and all(isinstance(w, str) and w.strip() for w in words)
        no_words = f'{shown(words)} is not a list of words, lowest first, such as ["low", "middle", "high"]'
        is_ordered = field.value.get("kind") == "ordered"
        field.refuse(
            ("levels", not is_ordered, 'is for a measure with kind = "ordered"'), ("levels", not are_words, no_words)
        )
        ranks_by_measure[name] = {known_as(word): str(rank) for rank, word in enumerate(words, start=1)}
        field.refuse(("levels", len(ranks_by_measure[name]) < len(words), "names a word twice"))
    return ranks_by_measure


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
    if source.is_mean:
        return mean_of(lines, source)
    kind = lines.part.own[source.name].kind
    if kind == "yes/no":
        return lines.yes_no(source)
    if kind == "ordered" and source.name in lines.mapping.levels:
        return lines.rank(source)
    return lines.integer(source) if kind == "count" else lines.number(source)


def mean_of(lines: Lines, source: Source) -> pl.Series:
    """Return each row's mean of several columns that were filled; missing where fewer than half were."""
    parts = pl.DataFrame([lines.number(part).alias(str(place)) for place, part in enumerate(source.items)])
    is_enough = 2 * pl.sum_horizontal(pl.all().is_not_null()) >= len(source.items)
    return parts.select(pl.when(is_enough).then(pl.mean_horizontal(pl.all()))).to_series()
