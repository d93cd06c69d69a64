"""The questions of a mapping one by one: what each answer changes, and three games as they would then be read.

Nothing here reads from a terminal: `negstats map --interactive` asks, and tests answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pandas as pd

from negstats.errors import UsageError, meant, shown
from negstats.loaders.mapping.guess_result import Guess
from negstats.loaders.mapping.keys import quoted
from negstats.loaders.mapping.mapping_text import unread_columns
from negstats.loaders.mapping.model import NUMBER, ROWS, known_as
from negstats.loaders.mapping.suggest import Draft
from negstats.loaders.mapping.words import FILE, ROW
from negstats.studies.study import Study

NONE = "none"
_GAMES = 3
_OFFERS = 3
_SIGNS = {"row": ROW, "file": FILE}
_WORDS = {ROW: "row", FILE: "file"}


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes
    ----------
    text : str
        As it is asked.
    default : callable
        The answer that the draft holds.
    change : callable
        The draft with another answer; raises UsageError if it is none.
    matters : callable
        Whether it is to be asked of a draft.
    note : callable
        What was seen in the log, if anything.
    """

    text: str
    default: Callable[[Draft], str]
    change: Callable[[Draft, str], Draft]
    matters: Callable[[Draft], bool] = lambda draft: True  # noqa: ARG005
    note: Callable[[Draft], str] = lambda draft: ""  # noqa: ARG005


def _build_draft(draft: Draft, guess: Guess) -> Draft:
    return replace(draft, guess=guess)


def _column(draft: Draft, answer: str, *, signs: bool = False) -> str:
    """Return a column's name as it stands in the log; raises UsageError if there is none."""
    names = draft.log.table.names
    if answer in names:
        return answer
    if signs and answer in _SIGNS:
        return _SIGNS[answer]
    alike = [name for name in names if name.lower() == answer.lower()]
    if len(alike) == 1:
        return alike[0]
    raise UsageError(f"there is no column {shown(answer)}; {meant(answer, names, 'the log has')}")


def _columns(draft: Draft, answer: str, *, signs: bool = False) -> list[str]:
    return [_column(draft, name.strip(), signs=signs) for name in answer.split(",") if name.strip()]


def _format(value: object) -> str:
    """Return what stands behind a key as a person types it."""
    if isinstance(value, list):
        return ", ".join(_format(item) for item in value)
    if isinstance(value, dict):
        kind, word = next(iter(value.items()))
        return str(word) if kind == "constant" else kind
    return _WORDS.get(str(value), str(value))


def _key(key: str, text: str, matters: Callable[[Draft], bool] = lambda _: True) -> Question:
    """Return the question which column stands behind a key."""

    def default(draft: Draft) -> str:
        return _format(draft.guess.keys.get(key, NONE))

    def change(draft: Draft, answer: str) -> Draft:
        if answer == default(draft):
            return draft
        if answer == NONE:
            return _build_draft(draft, draft.guess.without(key))
        column = _column(draft, answer)
        return _build_draft(draft, replace(draft.guess, keys=draft.guess.keys | {key: column}))

    return Question(text, default, change, matters)


def _row_default(draft: Draft) -> str:
    return draft.guess.row


def _row(draft: Draft, answer: str) -> Draft:
    if answer not in ROWS:
        raise UsageError(f"{shown(answer)} is not one of {', '.join(ROWS)}")
    return _build_draft(draft, replace(draft.guess, row=answer))


def _game_default(draft: Draft) -> str:
    return _format(draft.guess.keys.get("games.game_id", NONE))


def _game(draft: Draft, answer: str) -> Draft:
    if answer == _game_default(draft) and answer != NONE:
        return draft
    names = _columns(draft, answer, signs=True) if answer != NONE else []
    if not names:
        raise UsageError("something must name the game: columns, or row where each row is one, or file")
    return _build_draft(draft, replace(draft.guess, keys=draft.guess.keys | {"games.game_id": names}))


def _total_default(draft: Draft) -> str:
    return _format(draft.guess.keys.get("offers.total", NONE))


def _total(draft: Draft, answer: str) -> Draft:
    keys = {key: value for key, value in draft.guess.keys.items() if key != "offers.total"}
    if answer == NONE:
        return _build_draft(draft, replace(draft.guess, keys=keys))
    number = pd.Series([answer]).str.fullmatch(NUMBER).item()
    value: object = float(answer) if number else _column(draft, answer)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _build_draft(draft, replace(draft.guess, keys=keys | {"offers.total": value}))


def _has_units(draft: Draft) -> bool:
    return any(key.startswith("offers.units_to_") for key in draft.guess.keys)


def _has_two_sides(draft: Draft) -> bool:
    """Whether offers are between two: of an allocation among seats it is known what each of them gets."""
    return "offers.accepts_needed" not in draft.guess.keys


def _needed_default(draft: Draft) -> str:
    return str(draft.guess.keys["offers.accepts_needed"])


def _needed(draft: Draft, answer: str) -> Draft:
    if not re.fullmatch(r"[1-9]\d?|majority|all", answer):
        raise UsageError(f"{shown(answer)} is no number of seats; give such as 2, or majority or all")
    value: object = int(answer) if answer.isdigit() else answer
    guess = draft.guess
    evidence = {key: why for key, why in guess.evidence.items() if key != "offers.accepts_needed"}
    return _build_draft(draft, replace(guess, keys=guess.keys | {"offers.accepts_needed": value}, evidence=evidence))


def _answer_column(draft: Draft) -> str | None:
    column = draft.guess.keys.get("offers.response") or draft.guess.questions.get("offers.response")
    return column if isinstance(column, str) else None


def _find_accepted(draft: Draft) -> str:
    """Return the words that mean acceptance; of codes those that more for the responder goes with."""
    accepted_words = draft.guess.levels.get("response", {}).get("accepted")
    if accepted_words:
        return ", ".join(accepted_words)
    column = _answer_column(draft)
    likely = draft.likely(column) if column else {}
    return likely.get("accepted", NONE)


def _take_accepted(draft: Draft, answer: str) -> Draft:
    column = _answer_column(draft)
    if answer == NONE or column is None:
        return _build_draft(draft, draft.guess.without("offers.response"))
    words = list(dict.fromkeys(draft.log.table.column(column).dropna()))
    yes = {known_as(word) for word in answer.split(",")}
    strange = yes - set(map(known_as, words))
    if strange:
        raise UsageError(f"{shown(sorted(strange)[0])} does not stand in {column}; it has {', '.join(words[:12])}")
    spelled = {"accepted": [word for word in words if known_as(word) in yes]}
    words_by_level = draft.guess.levels.get("response", {})
    others = {
        word: level for level, of in words_by_level.items() for word in of if level not in ("accepted", "rejected")
    }
    for word in words:
        if known_as(word) not in yes:
            spelled.setdefault(others.get(word, "rejected"), []).append(word)
    guess = draft.guess
    questions = {key: value for key, value in guess.questions.items() if key != "offers.response"}
    doubts = {key: value for key, value in guess.doubts.items() if key != "response"}
    keys = guess.keys | {"offers.response": column}
    levels = guess.levels | {"response": spelled}
    return _build_draft(draft, replace(guess, keys=keys, levels=levels, questions=questions, doubts=doubts))


def _codes_of(draft: Draft) -> str:
    column = _answer_column(draft)
    if column is None:
        return ""
    counts = draft.log.table.column(column).value_counts().head(8)
    counts_text = ", ".join(f"{word} (n {count})" for word, count in counts.items())
    return f"{column} holds {counts_text}.{draft.evidence(column)}"


def _open(section: str, text: str, matters: Callable[[Draft], bool] = lambda draft: True) -> Question:  # noqa: ARG005
    """Return the question which columns stand in a section that takes any name."""

    def default(draft: Draft) -> str:
        prefix = f"{section}."
        return ", ".join(_format(value) for key, value in draft.guess.keys.items() if key.startswith(prefix)) or NONE

    def change(draft: Draft, answer: str) -> Draft:
        if answer == default(draft):
            return draft
        names = [] if answer == NONE else _columns(draft, answer)
        keys = {key: value for key, value in draft.guess.keys.items() if not key.startswith(f"{section}.")}
        keys |= {f"{section}.{quoted(name.rpartition('.')[2])}": name for name in names}
        return _build_draft(draft, replace(draft.guess, keys=keys))

    return Question(text, default, change, matters)


def _select(holds: Callable[[str], bool], text: str) -> Question:
    """Return the question which of the columns behind keys of a kind are right; those not named are taken out."""

    def columns_by_key(draft: Draft) -> dict[str, str]:
        keys = draft.guess.keys
        return {key: _format(value) for key, value in keys.items() if holds(key) and not isinstance(value, dict)}

    def default(draft: Draft) -> str:
        return ", ".join(dict.fromkeys(columns_by_key(draft).values())) or NONE

    def change(draft: Draft, answer: str) -> Draft:
        if answer == default(draft):
            return draft
        known = columns_by_key(draft)
        names = set() if answer == NONE else {name.strip() for name in answer.split(",") if name.strip()}
        if strange := names - set(known.values()):
            some = ", ".join(dict.fromkeys(known.values()))
            raise UsageError(f"{shown(min(strange))} is not one of these columns: {some}; name some of them, or {NONE}")
        out = {key for key, column in known.items() if column not in names}
        keys = {key: value for key, value in draft.guess.keys.items() if key not in out}
        return _build_draft(draft, replace(draft.guess, keys=keys))

    def note(draft: Draft) -> str:
        return "; ".join(f"{key} is {column}" for key, column in columns_by_key(draft).items())

    return Question(text, default, change, lambda draft: bool(columns_by_key(draft)), note)


def _is_of_items(key: str) -> bool:
    return key.startswith(("items.", "item.")) or ".items." in key


def _is_of_answers(key: str) -> bool:
    return key.startswith("seats.") and (".answers." in key or ".person." in key)


def _is_of_seats(key: str) -> bool:
    return key.startswith("seats.") and not _is_of_items(key) and not _is_of_answers(key)


def _has_seat_column(draft: Draft) -> bool:
    return isinstance(draft.guess.keys.get("players.player"), str)


def _may_answer(draft: Draft) -> bool:
    """Whether people are known and some column is no part of the mapping yet, or some are answers already."""
    keys = draft.guess.keys
    if "players.participant_id" not in keys:
        return False
    has_answers = any(key.startswith(("answers.", "person.")) for key in keys)
    return has_answers or bool(unread_columns(draft.log, draft.guess))


def _missing_default(draft: Draft) -> str:
    return "yes" if draft.missing or draft.coded else "no"


def _missing(draft: Draft, answer: str) -> Draft:
    if answer.lower() not in ("yes", "no", "y", "n"):
        raise UsageError(f"{shown(answer)} is neither yes nor no")
    return replace(draft, missing=answer.lower().startswith("y"))


def _codes_note(draft: Draft) -> str:
    return (draft.codes or "").partition("  # ")[2]


QUESTIONS: tuple[Question, ...] = (
    Question(f"What is one row: {', '.join(ROWS)}?", _row_default, _row),
    Question("What names the game? Columns, or row, or file", _game_default, _game),
    _key("players.participant_id", "Which column names the person?", lambda draft: not draft.guess.row_is_game),
    _key("players.player", "Which column names the seat?", _has_seat_column),
    _select(_is_of_seats, "Which of these are of the seats? Those not named are taken out"),
    _select(_is_of_items, "Which of these say who gets how much of an item? Those not named are taken out"),
    _key("offers.units_to_responder", "Which column says what the responder gets?", _has_two_sides),
    _key("offers.units_to_proposer", "Which column says what the proposer keeps?", _has_two_sides),
    Question(
        "How many seats must accept, the proposer among them? A number, majority or all",
        _needed_default,
        _needed,
        lambda draft: "offers.accepts_needed" in draft.guess.keys,
    ),
    Question("How much is divided? A number, or a column", _total_default, _total, _has_units),
    Question(
        "Which values of that answer mean accepted?",
        _find_accepted,
        _take_accepted,
        lambda draft: _answer_column(draft) is not None,
        _codes_of,
    ),
    _open("factors", "Which columns are conditions of the study?"),
    _open("measures", "Which columns are numbers to be compared?"),
    _open("answers", "Which columns are answers to a survey about the game?", _may_answer),
    _open("person", "Which columns say who the person is: age, gender, ...?", _may_answer),
    _select(_is_of_answers, "Which of these are answers of the seats? Those not named are taken out"),
    Question(
        "Do these numbers mean missing?",
        _missing_default,
        _missing,
        lambda draft: draft.codes is not None,
        _codes_note,
    ),
)


def preview(study: Study) -> Iterator[str]:
    """Yield three games of a study, a line each, and one of how many there are."""
    for _, game in study.games.head(_GAMES).iterrows():
        yield f"  game {game['game_id']}: {'; '.join(_describe_game(study, game))}"
    ends = study.games["ended"].value_counts()
    ends_text = ", ".join(f"{end} {count}" for end, count in ends.items())
    yield f"  in all {len(study.games)} games ({ends_text}), {len(study.offers)} offers"


def _describe_game(study: Study, game: pd.Series) -> Iterator[str]:
    factors = [f"{name} {game[name]}" for name in study.factors if pd.notna(game[name])]
    if factors:
        yield ", ".join(factors)
    seats = study.players[study.players["game_id"] == game["game_id"]]
    people = zip(seats["player"], seats["participant_id"], seats["points"], strict=True)
    yield ", ".join(_describe_seat(*one) for one in people)
    allotted = study.items[(study.items["game_id"] == game["game_id"]) & study.items["receiver"].notna()]
    several = allotted if len(seats) > 2 else allotted.head(0)  # two seats have what is kept and what is given
    offers = study.offers[study.offers["game_id"] == game["game_id"]]
    for _, offer in offers.head(_OFFERS).iterrows():
        yield _offer(offer, several[several["offer"] == offer["offer"]])
    if len(offers) > _OFFERS:
        yield f"{len(offers) - _OFFERS} more offers"
    yield str(game["ended"])


def _describe_seat(seat: str, person: str | float, points: float) -> str:
    who = f" ({person})" if pd.notna(person) else ""
    return f"{seat}{who}" + (f" {points:g} {'point' if points == 1 else 'points'}" if pd.notna(points) else "")


def _offer(offer: pd.Series, allotted: pd.DataFrame) -> str:
    if len(allotted):
        sums = allotted.groupby("receiver")["quantity"].sum()
        shares = ", ".join(f"{value:g} for {seat}" for seat, value in sums.items())
        return f"{offer['proposer']}: {shares}, {offer['response']}"
    own, other = offer["units_to_proposer"], offer["units_to_responder"]
    amounts = [f"{value:g} {side}" for value, side in ((own, "kept"), (other, "given")) if pd.notna(value)]
    what = " and ".join(amounts) or "an offer"
    return f"{offer['proposer']}: {what}, {offer['response']}"
