"""oTree: the exports of its data page, wide or per app, with chat and page times (data card below).

Source
    D. L. Chen, M. Schonger, C. Wickens: oTree, an open-source platform for laboratory, online and field experiments,
    Journal of Behavioral and Experimental Finance 9, 2016; otree.org. A log's licence is that of whoever ran it.
Files
    ``all_apps_wide*.csv``: a row a person, columns ``APP.ROUND.player.FIELD`` and so on. One file an app
    (``trust_2026-11-22.csv``): a row a person and round, columns ``player.FIELD``; the app is the file's name. Both
    hold the same facts: of people that stand in a wide file the others' rows are left out. Chat and page times
    (``ChatMessages*.csv``, ``PageTimes*.csv``): by the headers in oTree 6.0.15's own source; **no real file of
    these two was read**. A custom export has no fixed names: it is left out and needs a mapping.
Game
    One group in one app and round: ``SESSION-APP-ROUND-GROUP``. A survey (the whole session in one group, no group
    fields, payoffs 0) is not a game. Factors: the app, its round, the session's configuration (its name as ``config``),
    further columns of session and subsession, and the group's fields, each once. ``started_at`` is the session's start
    for round 1 of the first app of a wide file, and what page times say for the others.
Player
    The seat is ``player.id_in_group``; the person ``participant.code``, or the label (``person="label"``) where it
    names one person of the session. Points are ``player.payoff``, in points: money is points times
    ``real_world_currency_per_point`` plus ``participation_fee``, which are factors. Bots of tests have no kind.
Offer
    By the fields, whatever the app is called. *Ultimatum*: ``offer``, ``amount_offered`` or ``kept`` of the group,
    answered by ``accepted``, ``offer_accepted`` or ``response``; without those a dictator's. *Demand*: each player's
    ``request`` or ``demand``, which nobody answers; agreement as ``group.agreed`` says, else where somebody was paid.
    *Trust*: ``sent_amount``, then ``sent_back_amount``; nothing to agree on, so ended is unknown. What there is to
    divide (the endowment, the multiplier) stands in no export: it follows from the payoffs where it is the same in all
    groups, else units of the other side and values are missing. Points are compared with what follows from the deal.
Message
    A row of the chat that belongs to one game, see `negstats.loaders.otree.pages`; nicknames are not read.
Answer
    Other fields of players: about the game; without a game in surveys, and for age, gender, education, nationality
    and native language. Further columns of participants are about the person. An empty cell is not an answer.

Traps, and what is done about them
    The group's number repeats across sessions, rounds and apps, so all four name the game; labels repeat across
    sessions. Group fields stand on each member's row: taken once, and two that differ are a LogError. A person who is
    not in an app has empty cells there: no seat, noted. A waiting page that nobody left makes a group without a
    decision: the game stays, ended unknown. Whole numbers are written 1 or 1.0, yes and no 0/1 or True/False. Times
    have no zone: UTC. Columns that name people (MTurk ids, e-mail, IP addresses, the session's comment) are not read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pandas as pd

from negstats.errors import LogError, UsageError, meant, shown
from negstats.loaders.files.cells import Row
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.objects import no_collection
from negstats.loaders.files.parts import recorded
from negstats.loaders.files.row_tables import conformed
from negstats.loaders.files.sniff import first_files, header
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.loaders.otree.apps import App, app_of, checked
from negstats.loaders.otree.pages import Windows, messages_of, windows_of
from negstats.loaders.otree.people import answers_of, names_of
from negstats.loaders.otree.sheets import GROUP, PAYOFF, Group, Sheets, Turn, agreed, build_groups, kind_of, read_sheets
from negstats.studies.provenance import files_without_rows
from negstats.studies.records import sentence
from negstats.studies.study import Study
from negstats.tables import TABLES, conform, text_array

__all__ = ["FORMAT"]

VERSION = "1"
_OWN = {"session": {"code", "label", "comment", "is_demo", "id", "num_participants"}, "subsession": {"round_number"}}
_DECIDED = {"player.cooperate", "player.contribution"}
_AMOUNTS = {"participation_fee", "real_world_currency_per_point", "round"}
_PEOPLE = ("code", "label")


def _matches(path: Path) -> Evidence | None:
    files = [file for file in first_files(path, ".csv") if kind_of(header(file)) in ("wide", "app")]
    if not files:
        return None
    because = f"{files[0].name} has the columns participant.code, session.code and player.id_in_group"
    return Evidence(SIGNATURE, because, tuple(files))


def _read(path: Path, track: Track, app: str | None = None, person: str = "code") -> Study:
    if person not in _PEOPLE:
        raise UsageError(f"person: {shown(person)} is not one of code, label")
    intake = Intake(path)
    with no_collection():
        tables = _read_tables(path, intake, track, app, label=person == "label")  # rows are let go before the check
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **tables)


def _read_tables(path: Path, intake: Intake, track: Track, app: str | None, *, label: bool) -> dict[str, pd.DataFrame]:
    files = [path] if not path.is_dir() else first_files(path, ".csv", most=10_000)
    sheets = read_sheets(track(files), intake, label=label)
    empty = files_without_rows(intake.sources)
    if empty and not sheets.people:
        raise LogError(f"holds nobody: {sentence(empty[0])}", file=path)
    if not sheets.fields:
        raise LogError("holds none of oTree's exports with people in apps", file=path)
    if app is not None and app not in sheets.fields:
        raise UsageError(f"app: there is no {shown(app)} in {path}; {meant(app, sheets.fields)}")
    kinds = {name: app_of(fields) for name, fields in sheets.fields.items()}
    groups, surveys = _groups(sheets, kinds, app)
    _play(sheets, kinds, groups, intake)
    intake.notes += _notes(sheets, kinds, groups)
    windows = windows_of(sheets, groups, intake)
    began = _began(sheets, groups, windows)
    names = names_of(sheets, label=label, notes=intake.notes)
    uses = {group.app: kinds[group.app].uses for group in groups} | dict.fromkeys(surveys, ())
    answers = answers_of(sheets, uses, surveys, names, intake.notes)
    rows = {
        "messages": messages_of(sheets, groups, windows, began, intake),
        "games": list(_game_rows(sheets, kinds, groups, began)),
        "players": [row for group in groups for row in _player_rows(group, kinds[group.app], names)],
        "offers": [row for group in groups for row in _offer_rows(group)],
    }
    tables = {name: conformed(name, of_table) for name, of_table in rows.items()}
    columns = map(text_array, zip(*answers, strict=True))
    return tables | {"answers": conform("answers", dict(zip(_ANSWERS, columns, strict=False)))}


_ANSWERS = ("participant_id", "game_id", "question", "answer")


def _groups(sheets: Sheets, kinds: Mapping[str, App], wanted_app: str | None) -> tuple[list[Group], list[str]]:
    """Return the groups that are games, and of the apps that are asked for those that are surveys."""
    groups = build_groups(sheets.turns)
    surveys = [name for name, kind in kinds.items() if kind.protocol is None and _is_survey(name, sheets, groups)]
    games = [group for group in groups if group.app not in surveys and wanted_app in (None, group.app)]
    return games, [name for name in surveys if wanted_app in (None, name)]


def _is_survey(name: str, sheets: Sheets, groups: Sequence[Group]) -> bool:
    """Whether an app's groups are whole sessions, without a field of their own and without payoffs."""
    fields = sheets.fields[name]
    if _DECIDED & fields.keys() or any(field.startswith("group.") and field != GROUP for field in fields):
        return False
    own_groups = [group for group in groups if group.app == name]
    rounds = {(group.first.session, group.number) for group in own_groups}
    points = [turn.number(PAYOFF) for group in own_groups for turn in group.members.values()]
    return len(rounds) == len(own_groups) and not any(points)


def _play(sheets: Sheets, kinds: Mapping[str, App], groups: Sequence[Group], intake: Intake) -> None:
    """Fill in what groups say, offer and get."""
    shared_fields = {
        name: [field for field in fields if field.partition(".")[0] != "player"]
        for name, fields in sheets.fields.items()
    }
    for group in groups:
        group.said = agreed([*group.members.values()], shared_fields[group.app])
        group.points = {seat: turn.number(PAYOFF) for seat, turn in group.members.items()}
        kinds[group.app].play(group)
    for group in groups:
        seated = [offer for offer in group.offers if offer.proposer in group.members]
        if len(seated) < len(group.offers):
            group.offers, group.ended = seated, "unknown"
            intake.leave_out(group.first.file, group.first.row, "an offer of a player who has no row")
    for name, app in kinds.items():
        intake.notes += checked(name, app, [group for group in groups if group.app == name])


def _notes(sheets: Sheets, kinds: Mapping[str, App], groups: Sequence[Group]) -> Iterator[str]:
    """Yield what is strange in people and groups."""
    people = sheets.people.values()
    bots = [row.truth("participant._is_bot") for row in people]
    pages = [
        (row.whole("participant._index_in_pages") or 0, row.whole("participant._max_page_index") or 0) for row in people
    ]
    decided = {name for name, app in kinds.items() if app.protocol in ("ultimatum", "demand")}
    for count, what in (
        (sheets.absent, "times a person was not in an app's round; no seat is made"),
        (bots.count(True), "people are bots of oTree's tests; their kind is not known"),
        (sum(at < last for at, last in pages), "people stopped before the last page"),
        (
            sum(group.ended == "unknown" for group in groups if group.app in decided),
            "games lack a decision and are kept as ended 'unknown'",
        ),
    ):
        if count:
            yield f"{count} {what}"
    for name, app in kinds.items():
        own_groups = [group for group in groups if group.app == name]
        sizes = Counter(len(group.members) for group in own_groups)
        usual = sizes.most_common(1)[0][0] if sizes else 0
        for wrong, why in (
            (
                [group for group in own_groups if len(group.members) < usual],
                f"fewer than {usual} seats: a person left, or a session, group or round is misspelt in a row",
            ),
            (
                [group for group in own_groups if app.roles and not app.roles.keys() >= group.members.keys()],
                "a seat that the app does not have, and so without a role",
            ),
        ):
            if wrong:
                yield f"{name}: {len(wrong)} games have {why}; the first is {wrong[0].name}"


def _began(sheets: Sheets, groups: Sequence[Group], windows: Windows) -> dict[Group, datetime]:
    """Return when games began: with the session in round 1 of the first app, else as the page times tell."""
    began = {group: window.began for group, window in windows.items() if window.began is not None}
    for group in groups:
        if sheets.wide and group not in began and group.number == 1 and group.app == next(iter(sheets.fields)):
            times = [_find_start(turn) for turn in group.members.values()]
            if known_times := [time for time in times if time is not None]:
                began[group] = min(known_times)
    return began


def _find_start(turn: Turn) -> datetime | None:
    """Return when a person's session began."""
    return turn.record.time("participant.time_started_utc") or turn.record.time("participant.time_started")


def _game_rows(
    sheets: Sheets, kinds: Mapping[str, App], groups: Sequence[Group], began: Mapping[Group, datetime]
) -> Iterator[dict[str, Any]]:
    session_columns = [name for name in sheets.columns if name.startswith("session.")]
    names: dict[str, str | None] = {}  # of factors, by their columns
    for group in groups:
        app = kinds[group.app]
        said = agreed([turn.record for turn in group.members.values()], session_columns) | group.said
        yield {
            "game_id": group.name,
            "scenario": group.app,
            "protocol": app.protocol,
            "ended": group.ended,
            "started_at": began.get(group),
            "app": group.app,
            "round": group.number,
        } | _factors({column: row for column, row in said.items() if column not in app.uses}, names)


_MONEY = "session.config."
_KNOWN_COLUMNS = {*TABLES["games"].names, "app", "round"}


def _factors(said: Mapping[str, Row], names: dict[str, str | None]) -> dict[str, Any]:
    """Return a game's factors; of two columns with the same name the one that came first has it alone."""
    factors: dict[str, Any] = {}
    for column, row in said.items():
        if column not in names:
            name = _factor(column)
            is_taken = name in _KNOWN_COLUMNS or name in names.values()
            names[column] = column.replace(_MONEY, "config_").replace(".", "_") if name and is_taken else name
        if name := names[column]:
            is_amount = name in _AMOUNTS and column.startswith(_MONEY)
            factors[name] = row.number(column) if is_amount else row.cells[column]
    return factors


def _factor(column: str) -> str | None:
    """Return the name of the factor that a column of session, subsession or group is; None if it is none."""
    level, _, name = column.partition(".")
    if name.startswith("config."):
        return {"name": "config"}.get(name[7:], name[7:])
    return None if name in _OWN.get(level, ()) or column == GROUP else name


def _player_rows(group: Group, app: App, names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    for seat, turn in sorted(group.members.items()):
        yield {
            "game_id": group.name,
            "player": str(seat),
            "role": turn.text("player.role") or app.roles.get(seat),
            "kind": "human" if turn.record.truth("participant._is_bot") is False else None,
            "participant_id": names[turn.person],
            "points": group.points[seat],
        }


def _offer_rows(group: Group) -> Iterator[dict[str, Any]]:
    for number, offer in enumerate(group.offers, 1):
        yield {
            "game_id": group.name,
            "offer": number,
            "proposer": str(offer.proposer),
            "responder": str(offer.responder) if offer.responder in group.members else None,
            "response": offer.response,
            "units_to_proposer": offer.to_proposer,
            "units_to_responder": offer.to_responder,
            "value_proposer": offer.value_proposer,
            "value_responder": offer.value_responder,
        }


FORMAT = Format(
    "otree",
    "oTree's exports: all_apps_wide.csv, or one file per app; with chat and page times",
    _matches,
    _read,
    {"app": "the one app to read", "person": "code or label: what names the people"},
    parts=recorded(r"(.*\.)?group\.id_in_subsession", ("session.code", "subsession.round_number")),
    roles={"app": "game", "round": "order", "config": "setting"}
    | dict.fromkeys(sorted(_AMOUNTS - {"round"}), "setting"),
)
