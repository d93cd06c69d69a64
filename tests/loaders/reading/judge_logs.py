"""The judge of drawn logs: what is loaded with the mapping that is drafted, held against what happened.

A log may have several files, so that games are told by what they hold, and not by the rows of a table. The verdicts are
those of `judge`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from negstats.errors import NegstatsError
from negstats.loaders.mapping import draft_of, read_as
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.mapping.mapping_text import Draft
from negstats.loaders.mapping.proposal import names_in
from negstats.loaders.reading.questions import Question
from negstats.studies.study import Study
from negstats.tables import TABLES
from tests.loaders.reading.drawn_logs import DrawnLog, Row
from tests.loaders.reading.judge import Verdict

Held: TypeAlias = tuple[object, ...]
Answers: TypeAlias = dict[str, str]
_MOST_TRIES = 40
_TOLD = ("row", "game", "offer", "condition", "table", "answer", "events", "proposer", "cluster", "talk")
_MOST_UNKNOWN = 0.1  # of the games may end nobody knows how, where their last rows are lost


@dataclass(frozen=True)
class GameTruth:
    """What happened in one game, as far as the log tells it.

    Attributes
    ----------
    told, own, other : tuple of float
        The amounts of its offers in their order of size: as the log tells them, and what that means for the side that
        offers and for the other; empty where no share is told.
    texts, acts : tuple
        What was said, and how many offers, messages or bids each of those who act made.
    deal : bool or None
        Whether it ended in agreement; None where the log does not tell it.
    levels : tuple of str
        The levels of the condition in the game.
    """

    told: Held
    own: Held
    other: Held
    texts: Held
    acts: Held
    deal: bool | None
    levels: Held


def truth_of(log: DrawnLog, rows: Sequence[Row]) -> GameTruth:
    """Return what the rows of one game say."""
    offers = [row for row in rows if row["act"] == "offer" and row.get(log.amounts[0], "") != ""]
    has_shares = log.kind in ("offer", "event") and log.told in ("own", "rest", "both", "percent")

    def sizes(key: str, *, is_told: bool) -> Held:
        return tuple(sorted(float(row[key]) for row in offers if is_told and row.get(key, "") != ""))

    acts = [row for row in rows if row["act"] == ("message" if log.kind == "message" else "offer")]
    is_whole = log.kind == "message" or len(acts) == len(offers)  # a lost amount may be an offer or none
    counts = Counter(row["seat"] for row in acts if is_whole and log.actor != "absent" and log.kind != "deal")
    tells_deal = not {"agreement", "accepted", "kind"}.isdisjoint(log.keys) and log.kind != "bid"
    is_accepted = any(row["act"] == "accept" for row in rows) if "kind" in log.keys else False
    is_accepted = is_accepted or ("kind" not in log.keys and any(row.get("accepted") == log.yes[0] for row in rows))
    is_deal = bool(rows[0]["is_deal"]) if "agreement" in log.keys else is_accepted
    return GameTruth(
        told=sizes(log.amounts[0], is_told=log.told not in ("json", "text") and log.kind != "message"),
        own=sizes("percent" if log.told == "percent" else "own", is_told=has_shares),
        other=sizes("rest", is_told=has_shares and log.told != "percent"),
        texts=tuple(sorted(row["text"] for row in rows if "text" in row)),
        acts=tuple(sorted(counts.values())),
        deal=is_deal if tells_deal else None,
        levels=tuple(sorted({row[condition_of(log)] for row in rows} - {""})),
    )


def condition_of(log: DrawnLog) -> str:
    """Return which column was set."""
    return "strategy" if log.level == "seat" else "treatment"


class LogTruth:
    """What somebody who knows the study would read of a log.

    Attributes
    ----------
    games : list of GameTruth
        The games of which any row is left.
    condition : str
        The column that was set.
    outcomes, never : set of str
        Columns that must be read, and those that must be no condition.
    games_of_people : set of int
        In how many games people sat; 1 where nobody is named.
    acts_of_people : Counter
        How often each person acted, where the log says it beside whom they addressed; empty where a name is lost.
    is_price : bool
        Whether the amounts are prices or bids, of which the other side does not get what is left.
    """

    def __init__(self, log: DrawnLog) -> None:
        """Gather the rows of each game."""
        names, keys = log.names, log.keys
        of_games: dict[int, list[Row]] = {}
        for row in log.rows:
            of_games.setdefault(row["of"], []).append(row)
        self.games = [truth_of(log, rows) for rows in of_games.values()]
        self.condition = names[condition_of(log)]
        # Goods in one cell of a whole game stand behind no key; of two amounts with one sum one tells the other.
        is_told = not ((log.kind == "deal" and "bundle" in keys) or log.told == "both")
        read = ["text", "accepted", "agreement", *(log.amounts if is_told else [])]
        self.outcomes = {names[key] for key in read if key in keys}
        free = {"session", "group", "period", "game", "total", "treatment", "strategy"}
        free |= {"actor"} if log.actor == "models" else set()
        self.never = {names[key] for key in keys if key not in free}
        who = {row["id"] for row in log.rows} if {"id", "actor"} & {*keys} and log.has_ids else set[str]()
        pairs = {(row["of"], row["id"]) for row in log.rows if row["id"] in who - {""}}
        is_named = "id" in keys or log.actor in ("id", "both")
        pairs = pairs if is_named else {(row["of"], row[key]) for row in log.rows for key in {"id_1"} & {*keys}}
        self.games_of_people = {*Counter(person for _, person in pairs).values()} or {1}
        made = [row["id"] for row in log.rows if row["act"] == ("message" if log.kind == "message" else "offer")]
        is_whole = log.actor == "both" and all(made) and all(row.get(log.amounts[0], "") != "" for row in log.rows)
        self.acts_of_people = Counter(made if is_whole or (log.actor == "both" and log.kind == "message") else ())
        self.is_price = log.told in ("price", "bid")


def judge_log(source: Path, truth: LogTruth) -> Verdict:
    """Judge the reading of the log at `source`."""
    draft = _draft(source, {})
    faults = tuple(_faults(draft, source, truth))
    subjects = tuple(question.subject for question in draft.questions)
    stops = any(question.is_stop for question in draft.questions)
    if not faults:
        return Verdict("asked" if not set(_TOLD).isdisjoint(subjects) else "right", (), subjects, stops)
    for answers in itertools.islice(_answers(source, draft, truth), _MOST_TRIES):
        try:
            answered = _draft(source, answers)
        except NegstatsError:
            continue
        if not any(_faults(answered, source, truth)):
            return Verdict("asked", faults, subjects, stops, answers)
    return Verdict("wrong", faults, subjects, stops)


def _draft(source: Path, answers: Answers) -> Draft:
    return draft_of(source, Asked(None, None, None), answers)


def _answers(source: Path, draft: Draft, truth: LogTruth) -> Iterator[Answers]:
    """Yield the answers of a person who knows the study; what else is asked follows from an answer about the rows."""
    first = next((each for each in draft.questions if each.subject in ("table", "row", "game")), None)
    yield from itertools.islice(_combined(draft.questions, truth), 8)
    for subject, answer in [] if first is None else _choices(first, truth):
        try:
            after = _draft(source, {subject: answer})
        except NegstatsError:
            continue
        yield {subject: answer}
        yield from ({subject: answer} | more for more in itertools.islice(_combined(after.questions, truth), 4))


def _combined(questions: list[Question], truth: LogTruth) -> Iterator[Answers]:
    choices = [_choices(question, truth) for question in questions]
    return map(dict, itertools.product(*choices)) if choices else iter(())


def _choices(question: Question, truth: LogTruth) -> list[tuple[str, str]]:
    if question.subject == "condition":
        wanted = [each.words for each in question.options if _last(each.words) == truth.condition]
        return [(question.subject, ",".join(wanted) or "none")]
    places = sorted(range(1, len(question.options) + 1), key=lambda place: place not in question.likely)
    return [(question.subject, str(place)) for place in places]


def _last(name: str) -> str:
    """Return the name of a column without the list or the table in which it stands."""
    return name.rpartition(".")[2]


def _faults(draft: Draft, source: Path, truth: LogTruth) -> Iterator[str]:
    """Yield what is wrong in a study as it is loaded."""
    proposals = [draft.proposal, *(proposal for _, proposal in draft.others)]
    keys = [(key, value) for proposal in proposals for key, value in proposal.keys.items()]
    read = {_last(name) for _, value in keys for name in names_in(value)}
    compared = [(key, value) for key, value in keys if key.startswith("factors.")]
    compared = [each for each in compared if not (isinstance(each[1], dict) and each[1].get("role") == "cluster")]
    called = [(key.partition(".")[2].strip('"'), value) for key, value in compared]
    factors = {name: {name, *map(_last, names_in(value))} for name, value in called}  # a folder has no column
    yield from (f"no condition {name}" for name in truth.never if any(name in names for names in factors.values()))
    yield from (f"unread {name}" for name in truth.outcomes - read)
    try:
        study = read_as(source, draft.text)
    except NegstatsError as error:
        yield f"not loaded: {str(error)[:80]}"
        return
    if len(study.games) != len(truth.games):
        yield f"{len(study.games)} games, not {len(truth.games)}"
        return
    contents = _match(study, truth)
    if contents is None:
        yield "other games"
        return
    yield from _faults_of_sides(study, truth)
    yield from _faults_of_games(
        study, truth, {name for name, names in factors.items() if truth.condition in names}, contents
    )
    sat = study.players.dropna(subset="participant_id").groupby("participant_id")["game_id"].nunique()
    games_of_people = set(sat.tolist())
    if games_of_people != truth.games_of_people and (games_of_people or max(truth.games_of_people) > 1):
        yield f"people of {games_of_people} games, not {truth.games_of_people}"


def _by_game(table: pd.DataFrame, study: Study, name: str) -> list[Held]:
    """Return what a column holds in each game, in the order of its size."""
    cells = dict[object, list[Any]]()
    for game, cell in zip(table["game_id"], table[name], strict=True):
        if pd.notna(cell):
            cells.setdefault(game, []).append(cell)
    return [tuple(sorted(cells.get(game, ()))) for game in study.games["game_id"]]


def _match(study: Study, truth: LogTruth) -> tuple[list[Held], list[Held]] | None:
    """Return what tells games apart, in the study and in truth; None where the study's games hold other offers."""
    amounts = [name for name in study.offers.columns if name not in ("offer", "round", "time_s")]
    amounts = [name for name in amounts if study.offers[name].dtype.kind in "fi"]
    units = study.offers.melt("game_id", [name for name in amounts if name.startswith("units_to")])
    options = study.items.assign(number=pd.to_numeric(study.items["option"], errors="coerce"))
    held = [_by_game(study.offers, study, name) for name in amounts] + [_by_game(units, study, "value")]
    held += [_by_game(options[options["item"] == item], study, "number") for item in options["item"].unique()]
    told = [each.told for each in truth.games]
    pairs = [(each, told) for each in held]
    pairs.append((_by_game(study.messages, study, "text"), [each.texts for each in truth.games]))
    for of_study, of_truth in pairs:
        if any(of_truth) and Counter(of_study) == Counter(of_truth):
            return of_study, of_truth
    nothing: list[Held] = [()] * len(truth.games)
    return None if any(map(any, held)) and max(map(len, told)) > 1 else (nothing, nothing)


def _faults_of_sides(study: Study, truth: LogTruth) -> Iterator[str]:
    """Yield what is wrong about who gets what of offers, and who makes them."""
    offers = study.offers
    has_shares = any(each.own or each.other for each in truth.games)
    of_sides = {"proposer": [each.own for each in truth.games], "responder": [each.other for each in truth.games]}
    for side, known in of_sides.items():
        held = _by_game(offers, study, f"units_to_{side}")
        is_whole = any(known) or offers["units_to_proposer"].isna().all()
        if any(held) and has_shares and is_whole and Counter(held) != Counter(known):
            yield f"units to the {side}"
    both = offers[["units_to_proposer", "units_to_responder"]].notna().any()
    if truth.is_price and both.any() and not both.all() and offers.groupby("game_id")["proposer"].nunique().max() > 1:
        yield "a price or bid is no share"
    made = offers if len(offers) else study.messages.rename(columns={"sender": "proposer"})
    counts = Counter(tuple(sorted(Counter(who).values())) for who in _by_game(made, study, "proposer"))
    acts = Counter(each.acts for each in truth.games)
    if len(made) and () not in acts and counts != acts:
        yield "who acts"
    people = made.merge(study.players, left_on=["game_id", "proposer"], right_on=["game_id", "player"])
    own_names = people["participant_id"].fillna(people["proposer"])
    if len(made) and truth.acts_of_people and Counter(own_names) != truth.acts_of_people:
        yield "who acts towards whom"


def _faults_of_games(
    study: Study, truth: LogTruth, factors: Iterable[str], contents: tuple[list[Held], list[Held]]
) -> Iterator[str]:
    """Yield what is wrong about the condition of games, and how they ended."""
    games, (held, known) = study.games, contents
    levels: list[list[Held]] = [
        [(str(level),) if pd.notna(level) else () for level in games[name]] for name in factors if name in games.columns
    ]
    of_seats = [_by_game(study.players, study, name) for name in ("agent", "role")]
    is_asked = study.answers["question"].str.fullmatch(f"(.*_)?{truth.condition}")  # with the list in which it stood
    answers = study.answers[is_asked][["participant_id", "answer"]]
    of_seats.append(_by_game(study.players.merge(answers, on="participant_id"), study, "answer"))
    levels += [[tuple(sorted({str(level) for level in of})) for of in each] for each in of_seats]
    wanted = Counter(zip(known, [each.levels for each in truth.games], strict=True))
    if not any(Counter(zip(held, each, strict=True)) == wanted for each in levels):
        yield f"condition {truth.condition}"
    deals = [each.deal for each in truth.games]
    if None in deals:
        return
    is_known = (games["ended"] != "unknown").mean()
    told = [(games["ended"] == "agreement").tolist()] if is_known > 0 else []
    own = [name for name in games.columns if name not in TABLES["games"].names and name not in factors]
    told += [(games[name] == 1).tolist() for name in own if set(games[name].dropna().unique()) <= {0.0, 1.0}]
    if not told:
        yield "answer unread"
        return
    ends = Counter(zip(known, deals, strict=True))
    missed = min((ends - Counter(zip(held, each, strict=True))).total() for each in told)
    if missed > (_MOST_UNKNOWN * len(games) if is_known < 1 else 0):
        yield "answer"
