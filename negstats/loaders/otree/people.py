"""What people answered and wrote in an oTree study, when, and by which name each is known."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

import polars as pl

from negstats.errors import shown
from negstats.loaders.files.cells import Row, personal
from negstats.loaders.files.columns import unfolded
from negstats.loaders.files.intake import Intake
from negstats.loaders.otree.sheets import Sheets

_LATEST = 2.0**33  # seconds; beyond it a number is not a Unix time


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """A game: its name, its app and the round, and its members' seats by their codes."""

    name: str
    app: str
    round: int
    seats: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Window:
    """When a group was in a round: from its first member's page before to its last member's last page."""

    start: float | None
    end: float

    @property
    def began(self) -> datetime | None:
        """When the round began."""
        return None if self.start is None else datetime.fromtimestamp(self.start, UTC)

    def holds(self, time: float) -> bool:
        """Whether a time is in it."""
        return (self.start is None or self.start <= time) and time <= self.end


Windows: TypeAlias = Mapping[Group, Window]


def windows_of(sheets: Sheets, groups: Sequence[Group], intake: Intake) -> dict[Group, Window]:
    """Return for each game of which page times tell when it began and ended, in Unix time."""
    steps_by_code: dict[str, list[tuple[float, str, int]]] = defaultdict(list)
    n_timeouts = 0
    for row in sheets.pages:
        time = _unix(row, "epoch_time_completed")
        code, app = row.text("participant_code"), row.text("app_name")
        n_timeouts += bool(row.truth("timeout_happened"))
        if time is not None and code is not None:
            steps_by_code[code.strip()].append((time, (app or "").strip(), row.whole("round_number") or 0))
    if n_timeouts:
        intake.notes.append(f"{n_timeouts} pages ended by a timeout")
    sorted_steps = {code: sorted(steps) for code, steps in steps_by_code.items()}
    windows = {}
    for group in groups if sorted_steps else ():
        starts, ends = [], []
        for person in group.seats:
            steps = sorted_steps.get(person, [])
            in_round = [at for at, step in enumerate(steps) if step[1:] == (group.app, group.round)]
            if in_round:
                ends.append(steps[in_round[-1]][0])
                starts += [steps[in_round[0] - 1][0]] if in_round[0] else []
        if ends:
            windows[group] = Window(min(starts) if starts else None, max(ends))
    return windows


def messages_of(
    sheets: Sheets, groups: Sequence[Group], windows: Windows, began: Mapping[str, datetime], intake: Intake
) -> list[dict[str, Any]]:
    """Return the rows of messages; a message of no one game is left out."""
    groups_by_person: dict[str, list[Group]] = defaultdict(list)
    for group in groups if sheets.chat else ():
        for person in group.seats:
            groups_by_person[person].append(group)
    speakers: dict[str, set[str]] = defaultdict(set)
    for row in sheets.chat:
        speakers[row.text("channel") or ""].add((row.text("participant_code") or "").strip())
    apps = {group.app for group in groups}
    messages_by_group: dict[Group, list[tuple[float, int, str, str]]] = defaultdict(list)
    for place, row in enumerate(sheets.chat):
        time = _unix(row, "timestamp")
        who, channel = (row.text("participant_code") or "").strip(), row.text("channel") or ""
        fits = [group for group in groups_by_person.get(who, ()) if speakers[channel] <= group.seats.keys()]
        apps_in_channel = {app for app in apps if f"-{app}-" in channel}
        fits = [group for group in fits if not apps_in_channel or group.app in apps_in_channel]
        if len(fits) > 1 and time is not None:
            fits = [group for group in fits if group in windows and windows[group].holds(time)]
        if len(fits) != 1 or time is None:
            intake.leave_out(row.file, row.row, "a chat message that belongs to no single game")
            continue
        messages_by_group[fits[0]].append((time, place, str(fits[0].seats[who]), row.text("body") or ""))
    return [
        {
            "game_id": group.name,
            "message": number,
            "time_s": time - began[group.name].timestamp() if group.name in began else None,
            "sender": sender,
            "text": text,
        }
        for group in groups
        for number, (time, _, sender, text) in enumerate(sorted(messages_by_group.get(group, ())), 1)
    ]


def _unix(row: Row, column: str) -> float | None:
    value = row.number(column)
    if value is not None and not 0 <= value < _LATEST:
        raise row.fault(f"{shown(row.text(column))} is not a Unix time in seconds", column)
    return value


ABOUT_THE_PERSON = ("age", "gender", "education", "nationality", "native_language")
_OWN = {"id_in_group", "role", "payoff"}  # of a player; oTree writes them for every app
# Of a participant; what oTree writes besides what an experimenter adds.
_KNOWN = {
    *("id_in_session", "code", "label", "visited", "payoff", "time_started", "time_started_utc", "is_bot"),
    *("_is_bot", "_index_in_pages", "_max_page_index", "_current_app_name", "_current_page_name", "_round_number"),
    *("_index_in_subsessions", "_waiting_for_ids", "_last_page_timestamp", "_last_request_timestamp"),
}


def names_of(sheets: Sheets, *, label: bool, notes: list[str]) -> dict[str, str]:
    """Return by each person's code the name in the study: the code, or the label if it names one person.

    A label that two people of a session have names neither; one that stands in several sessions is a seat's as a rule
    (``lab01``), and gets the session's code before it.
    """
    people = sheets.people
    if not label:
        return {code: code for code in people["person"]}
    texts = sheets.read(people, "participant.label", lambda row, column: row.cells[column].strip(), pl.String)
    labels = dict(zip(people["person"], texts.fill_null(""), strict=True))
    sessions = dict(zip(people["person"], people["session"], strict=True))
    label_counts = Counter((sessions[code], text) for code, text in labels.items() if text)
    session_counts = Counter(text for _, text in label_counts)
    names, n_by_code, n_by_session = {}, 0, 0
    for code, text in labels.items():
        if not text or label_counts[sessions[code], text] > 1:
            names[code], n_by_code = code, n_by_code + 1
        elif session_counts[text] > 1:
            names[code], n_by_session = f"{sessions[code]}-{text}", n_by_session + 1
        else:
            names[code] = text
    if n_by_code:
        notes.append(f"{n_by_code} people have no label of their own in their session and are called by their code")
    if n_by_session:
        notes.append(f"{n_by_session} labels occur in several sessions; the session's code was put before them")
    return names


_Asked: TypeAlias = tuple[pl.DataFrame, list[tuple[str, str]]]  # turns, and their columns, each with the question
_Question: TypeAlias = tuple[str, str, str]  # an app, a column and how the question is called
_BY_PLACE = ["app", "round"]


def answers_of(
    sheets: Sheets, turns: Mapping[str, pl.DataFrame], uses: Mapping[str, Collection[str]], notes: list[str]
) -> pl.DataFrame:
    """Return the answers, about the game, then about the person: who gave it, the game or nothing, question and answer.

    Parameters
    ----------
    sheets
        What the files hold.
    turns
        For each app that is read its turns, with the place of the ``game``; an app without games is a survey.
    uses
        For each of these apps the fields that are no answers.
    notes
        Where to note questions that are named anew.
    """
    about_game, about_people = list[_Asked](), list[_Question]()
    for app, own_turns in turns.items():
        questions = _questions(sheets.fields[app], own_turns, "player", _OWN, uses[app])
        is_survey = "game" not in own_turns.columns
        of_people = [one for one in questions if is_survey or one[1] in ABOUT_THE_PERSON]
        about_people += [(app, *one) for one in of_people]
        if not is_survey:
            about_game.append((own_turns, [one for one in questions if one not in of_people]))
    columns = _questions(sheets.columns, sheets.people, "participant", _KNOWN)
    answers = [_unfolded(about_game), _unfolded([(sheets.people.with_columns(block=0, game=None), columns)])]
    asked_before = set(answers[1]["question"].unique())
    for question, parts in _asked_in_apps(turns, about_people):
        firsts = parts.unique("person", keep="first", maintain_order=True)
        changes = parts.join(firsts, on="person", suffix=" first").filter(pl.col("answer") != pl.col("answer first"))
        if question in asked_before or len(changes):
            notes.append(
                f"{question} was answered more than once in other words: the questions are named by app and round"
            )
            rounds = parts.select(_BY_PLACE).unique().group_by("app").agg(n_rounds=pl.len())
            named = pl.concat_str(
                "app", pl.when(pl.col("n_rounds") > 1).then("round"), "question", separator=".", ignore_nulls=True
            )
            firsts = parts.join(rounds, on="app", maintain_order="left").with_columns(question=named)
        answers.append(firsts.select("person", "question", "answer", game=pl.lit(None, pl.Int64)))
    return pl.concat(answers, how="diagonal")


def _unfolded(several: Sequence[_Asked]) -> pl.DataFrame:
    """Return the answers in some columns of turns below each other: turn by turn, in a turn column by column."""
    keys = [frame.select("record", "block", "person", "game") for frame, _ in several]
    turns = pl.concat([pl.DataFrame(schema=TURN), *keys], how="diagonal_relaxed")
    oldest = pl.CompatLevel.oldest()
    rows, columns, answers = unfolded(
        [
            (
                frame["record"].cast(pl.Int64) * 2**31 + frame["block"],
                [frame[name].to_arrow(compat_level=oldest) for name, _ in questions_of_columns],
            )
            for frame, questions_of_columns in several
        ]
    )
    questions = pl.Series(
        [question for _, questions_of_columns in several for _, question in questions_of_columns], dtype=pl.String
    )
    return pl.DataFrame(
        {
            "person": turns["person"].gather(rows),
            "game": turns["game"].gather(rows),
            "question": questions.gather(columns),
            "answer": pl.Series(answers, dtype=pl.String),
        }
    )


TURN: dict[str, type[pl.DataType]] = {"record": pl.UInt32, "block": pl.Int32, "person": pl.String, "game": pl.Int64}


def _asked_in_apps(turns: Mapping[str, pl.DataFrame], columns: Collection[_Question]) -> list[tuple[str, pl.DataFrame]]:
    """Return each question about the person with its answers by app and round, in the order in which it was asked."""
    pieces = [
        turns[app].select(
            *("record", "block", "person", "round"),
            *(pl.lit(app).alias("app"), pl.lit(question).alias("question"), pl.lit(place).alias("place")),
            pl.col(column).alias("answer"),
        )
        for place, (app, column, question) in enumerate(columns)
    ]
    if not pieces:
        return []
    rows = pl.concat(pieces).drop_nulls("answer").sort("record", "block", "place").with_row_index("order")
    rows = rows.with_columns(first=pl.col("order").min().over("question", *_BY_PLACE)).sort("first", "order")
    several = rows.partition_by("question", maintain_order=True)
    return [(of["question"][0], of) for of in several]


def _questions(
    columns: Collection[str], frame: pl.DataFrame, level: str, known: Collection[str], used: Collection[str] = ()
) -> list[tuple[str, str]]:
    """Return the columns of a frame that hold answers of a level, each with its question."""
    parts = [(name, name.partition(".")) for name in columns if name not in used and name in frame.columns]
    return [
        (name, question)
        for name, (own_level, _, question) in parts
        if own_level == level and question not in known and not personal(question)
    ]
