"""The fields of a plan: for each record what it may hold, how each value is read, and what must be there."""

from __future__ import annotations

from typing import Any, cast

from negstats.analysis.plan import fields
from negstats.analysis.plan.canonical import in_order
from negstats.analysis.plan.columns import DERIVED, PARTNER
from negstats.analysis.plan.fields import PlanFault, Read
from negstats.analysis.plan.model import (
    CORRECTIONS,
    KINDS,
    RELATIONS,
    Contrast,
    Data,
    Exclusion,
    Factor,
    Family,
    Measure,
    Plan,
    Power,
    Question,
)
from negstats.analysis.plan.predictions import PredictionError, sides_of, spelled
from negstats.errors import meant, shown

MOST_LEVELS = 40  # agents of a tournament, more than any design of people has
_SEAT = ("role", "kind", "agent", "player")


def _levels(value: object) -> tuple[str, ...]:
    levels = fields.words(value)
    if len(levels) > MOST_LEVELS:
        raise PlanFault(f"has {len(levels)} levels; a factor has at most {MOST_LEVELS}")
    return levels


def _some(parse: Read, what: str) -> Read:
    """Refuse an empty list."""

    def some(value: object) -> Any:
        items = parse(value)
        if not items:
            raise PlanFault(f"is empty; name {what}")
        return items

    return some


def _column(*tables: str) -> Read:
    def column(value: object) -> str:
        text = fields.name(value)
        table, point, rest = text.partition(".")
        if not (point and table and rest):
            example = f"{tables[0]}.{text.strip('.')}"
            raise PlanFault(f"is {shown(text)}; give table and column such as {shown(example)}")
        if table not in tables:
            raise PlanFault(f"is {shown(text)}; {meant(table, tables, 'the tables are')}")
        return text

    return column


def _factor_column(value: object) -> str:
    text = cast("str", _column("games", "players", "answers", *DERIVED)(value))
    table, _, of = text.partition(".")
    if table == "players" and of not in _SEAT:
        raise PlanFault(f"is {shown(text)}; of players a factor may be players.{', players.'.join(_SEAT)}")
    item = of.startswith("answers.") and len(of) > len("answers.")
    if table in ("partner", "pair") and of not in _SEAT and not item and text != PARTNER:
        allowed_columns = ", ".join(f"{table}.{column}" for column in ("role", "kind", "agent", "answers.QUESTION"))
        raise PlanFault(f"is {shown(text)}; it may be {allowed_columns}")
    return text


def _equivalent(value: object) -> object:
    what = "a positive bound or [low, high] around 0"
    if isinstance(value, dict):
        if set(value) != {"sd"}:
            raise PlanFault("is a table; write { sd = 0.3 } for a bound in standard deviations")
        try:
            return {"sd": fields.number(lambda number: number > 0, "a positive number")(value["sd"])}
        except PlanFault as fault:
            raise PlanFault(fault.reason, "sd") from None
    if isinstance(value, list):
        ends = [fields.number(what=what)(item) for item in value]
        if len(ends) != 2 or not ends[0] < 0 < ends[1]:
            raise PlanFault(f"is {shown(value)}; give {what}")
        return ends[1] if -ends[0] == ends[1] else (ends[0], ends[1])  # one meaning, one spelling
    return fields.number(lambda number: number > 0, what)(value)


def _smallest(value: object) -> object:
    if isinstance(value, dict):
        return _equivalent(value)
    return fields.number(lambda number: number > 0, "a positive number, or { sd = 0.2 }")(value)


def _prediction(value: object) -> str:
    """Read which way an effect is predicted to lie; one meaning has one spelling."""
    try:
        return spelled(sides_of(fields.name(value)))
    except PredictionError as error:
        raise PlanFault(str(error)) from None


def _direction(value: object) -> str:
    """Read the side of a one-sided test; one with ``>`` stays as it was typed, by which older plans are registered."""
    text = _prediction(value)
    return text if "<" in str(value) else fields.name(value)


def _terms(value: object) -> tuple[str, ...]:
    """Read terms; the order of a term's factors means nothing."""
    terms = fields.words([value] if isinstance(value, str) else value)
    return in_order(fields.unlike([":".join(in_order(part.strip() for part in term.split(":"))) for term in terms]))


def _read_without_agreement(value: object) -> str | float:
    allowed_words = ("as recorded", "leave out", "batna")
    if isinstance(value, str):
        return cast("str", fields.one_of(allowed_words)(value))
    return cast("float", fields.number(what=f"a number, or one of {', '.join(allowed_words)}")(value))


def _value(value: object) -> object:
    if isinstance(value, list):
        return in_order(fields.unlike([fields.scalar(item) for item in value]))
    return fields.scalar(value)


def _share(value: object) -> float:
    return cast("float", fields.number(lambda number: 0 <= number <= 1, "a number between 0 and 1")(value))


def _shares(value: object) -> object:
    shares: dict[str, float] | tuple[float, ...]
    if isinstance(value, dict):
        shares = fields.spellings(_share, "{ word = 0.5 }")(value)
    else:
        shares = tuple(map(_share, fields.listed(value)))
    total = sum(shares.values() if isinstance(shares, dict) else shares)
    if abs(total - 1) > 1e-9:
        raise PlanFault(f"sum to {total:g}; shares sum to 1")
    return shares


_POSITIVE = fields.number(lambda number: number > 0, "a positive number")
_ANY = fields.number()
_SIZE = fields.whole(2, 10_000_000, "how many units the smallest cell has, such as 20")
_SETS = _some(fields.names, "one at least")
CELL: dict[str, Read] = {
    "mean": _ANY,
    "sd": _POSITIVE,
    "p": _share,
    "rate": _POSITIVE,
    "spread": _POSITIVE,
    "shares": _shares,
    "rate_agree": _POSITIVE,
    "rate_leave": _POSITIVE,
    "n": _POSITIVE,
}
BESIDE_CELLS: dict[str, Read] = {
    "sd": _POSITIVE,
    "r": fields.number(lambda number: -1 < number < 1, "a number between -1 and 1"),
    "slope": _ANY,
    "per_unit": fields.whole(1, 10_000, "how many rows a unit has, such as 2"),
    "sd_people": fields.number(lambda number: number >= 0, "an SD on the log scale of odds or rates, such as 1.5"),
    "sd_effect": fields.number(lambda number: number >= 0, "an SD on the log scale of odds or rates, such as 0.5"),
    "items": fields.whole(3, 10_000, "how many items there are, at least 3"),
    "sd_items": fields.number(lambda number: number >= 0, "an SD on the log scale of odds or rates, such as 0.7"),
}

# The fields of each record and how they are read.
FIELDS: dict[type, dict[str, Read]] = {
    Plan: {
        "plan": fields.whole(1, 1, "plan = 1, the version that this negstats reads"),
        "title": fields.sentence,
        "authors": lambda value: tuple(fields.sentence(item) for item in fields.listed(value)),
        "known": fields.knowledge,
        "stop": fields.sentence,
        "alpha": fields.number(lambda number: 0 < number < 0.5, "a number between 0 and 0.5 such as 0.05"),
        "resamples": fields.whole(100, 1_000_000, "a whole number from 100 to 1000000 such as 10000"),
        "seed": fields.whole(0, 2**53 - 1, "a whole number from 0 to 2^53 - 1"),
        "accept": lambda value: fields.unlike([fields.sentence(item) for item in fields.listed(value)]),
    },
    Data: {
        "path": fields.name,
        "mapping": fields.name,
        "unit": fields.one_of(("independent", "game")),
        "cite": fields.reference,
    },
    Exclusion: {
        "column": _column("games", "players", "offers", "messages", "answers"),
        "reason": fields.sentence,
        "relation": fields.one_of(RELATIONS),
        "value": _value,
        "takes": fields.one_of(("row", "person", "game")),
    },
    Factor: {
        "column": _factor_column,
        "levels": _levels,
        "labels": fields.spellings(fields.sentence, '{ CL = "complete lies" }'),
        "merge": fields.spellings(_SETS, '{ West = ["Israel", "USA"] }'),
        "within": fields.flag,
        "level": fields.name,
        "order": fields.name,
    },
    Measure: {
        "measure": fields.name,
        "who": fields.name,
        "answer": fields.name,
        "scale": fields.words,
        "kind": fields.one_of(KINDS),
        "without_agreement": _read_without_agreement,
    },
    Question: {
        "asks": fields.sentence,
        "measure": fields.name,
        "who": fields.name,
        "by": fields.names,
        "with": fields.names,
        "covariates": fields.names,
        "items": fields.names,
        "only": fields.spellings(_SETS, '{ country = ["Israel", "USA"] }'),
        "effect": _terms,
        "against": _ANY,
        "direction": _direction,
        "predicts": _prediction,
        "equivalent": _equivalent,
        "smallest": _smallest,
        "test": fields.name,
        "explore": fields.flag,
        "note": fields.sentence,
    },
    Contrast: {
        "name": fields.name,
        "weights": fields.spellings(_ANY, "{ CL = 1, FC = -1 }"),
    },
    Family: {"questions": fields.names, "correction": fields.one_of(CORRECTIONS)},
    Power: {
        "n": lambda value: fields.unlike([_SIZE(item) for item in fields.listed(value)]),
        "wished": fields.number(lambda number: 0 < number < 1, "a number between 0 and 1 such as 0.8"),
        "studies": fields.whole(100, 1_000_000, "a whole number from 100 to 1000000 such as 1000"),
        "simulate": fields.spellings(fields.scalar, '{ game = "contract", games = 2000 }'),
    },
}
# Tables inside a record, which have readers of their own.
INSIDE: dict[type, tuple[str, ...]] = {
    Plan: ("data", "leave_out", "factors", "measures", "questions", "families", "power"),
    Question: ("contrasts", "expect"),
    Data: ("mapped",),
}
# What must be there, and how it is written.
NEEDED: dict[type, dict[str, str]] = {
    Exclusion: {"column": 'column = "games.session"', "reason": 'reason = "…"'},
    Question: {"asks": 'asks = "…", the sentence', "measure": 'one such as measure = "points"'},
    Contrast: {"name": 'name = "…"', "weights": "weights = { CL = 1, FC = -1 }"},
    Family: {"questions": 'questions = ["H1", "H2"]'},
}


def known_fields() -> set[str]:
    """Return the names of all fields that a plan can hold.

    Examples
    --------
    >>> {"alpha", "asks", "scale"} <= known_fields()
    True
    """
    return {name for names in (*FIELDS.values(), *INSIDE.values()) for name in names} - {"mapped"}
