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
    fields, payoffs 0) is no game. Factors: the app, its round, the session's configuration (its name as ``config``),
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
    and native language. Further columns of participants are about the person. An empty cell is no answer.

Traps, and what is done about them
    The group's number repeats across sessions, rounds and apps, so all four name the game; labels repeat across
    sessions. Group fields stand on each member's row: taken once, and two that differ are a LogError. A person who is
    not in an app has empty cells there: no seat, noted. A waiting page that nobody left makes a group without a
    decision: the game stays, ended unknown. Whole numbers are written 1 or 1.0, yes and no 0/1 or True/False. Times
    have no zone: UTC. Columns that name people (MTurk ids, e-mail, IP addresses, the session's comment) are not read.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from negstats.errors import LogError, UsageError, meant, shown
from negstats.loaders.files.cells import conformed
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.parts import recorded
from negstats.loaders.files.sniff import first_files, header
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.loaders.otree.apps import Game, agreed, app_of, checked
from negstats.loaders.otree.pages import Window, messages_of, stamp, windows_of
from negstats.loaders.otree.people import answers_of, names_of
from negstats.loaders.otree.sheets import Sheets, Turn, kind_of, read_sheets
from negstats.studies.study import Study
from negstats.tables import TABLES

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
    files = [path] if not path.is_dir() else first_files(path, ".csv", most=10_000)
    sheets = read_sheets(track(files), intake, label=person == "label")
    if not sheets.fields:
        raise LogError("holds none of oTree's exports with people in apps", file=path)
    if app is not None and app not in sheets.fields:
        raise UsageError(f"app: there is no {shown(app)} in {path}; {meant(app, sheets.fields)}")
    games, surveys = _games(sheets, app, intake)
    _note(sheets, games, intake.notes)
    windows = windows_of(sheets.pages, games, intake)
    began = _began(sheets, games, windows)
    names = names_of(sheets, label=person == "label", notes=intake.notes)
    answers = answers_of(sheets, games, [one for one in surveys if app in (None, one)], names, intake.notes)
    messages = messages_of(sheets.chat, games, windows, began, intake)
    return Study(
        provenance=intake.provenance(FORMAT.name, VERSION),
        games=_game_rows(games, began),
        players=_player_rows(games, names),
        offers=_offer_rows(games),
        messages=conformed("messages", messages),
        answers=conformed("answers", answers),
    )


def _games(sheets: Sheets, wanted_app: str | None, intake: Intake) -> tuple[list[Game], list[str]]:
    """Return the games in the order of the file, and the apps that are surveys."""
    kinds = {name: app_of(list(fields)) for name, fields in sheets.fields.items()}
    groups: dict[tuple[str, str, int, int], dict[int, Turn]] = defaultdict(dict)
    for turn in sheets.turns:
        members = groups[turn.session, turn.app, turn.number, turn.group]
        if turn.seat in members:
            first_row = members[turn.seat].row
            reason = f"player {turn.seat} of this group stands in row {first_row.row} of {first_row.file.name} too"
            raise turn.row.fault(reason, turn.column("player.id_in_group"))
        members[turn.seat] = turn
    surveys = [name for name in sheets.fields if kinds[name].protocol is None and _is_survey(name, sheets, groups)]
    games = []
    for (session, name, number, group), members in groups.items():
        if name not in surveys and wanted_app in (None, name):
            fields = [field for field in sheets.fields[name] if field.partition(".")[0] != "player"]
            texts_by_field = {field: agreed(list(members.values()), field) for field in fields}
            filled_fields = {field: text for field, text in texts_by_field.items() if text is not None}
            game = Game(f"{session}-{name}-{number}-{group}", kinds[name], members, filled_fields)
            game.app.play(game)
            _without_strangers(game, intake)
            games.append(game)
    for name, kind in kinds.items():
        of_app = [game for game in games if game.first.app == name]
        intake.notes += checked(of_app, kind.check(of_app), name)
    return games, surveys


def _without_strangers(game: Game, intake: Intake) -> None:
    """Leave out offers of a seat that nobody has, where a person's row is gone."""
    seated = [offer for offer in game.offers if offer.proposer in game.turns]
    if len(seated) < len(game.offers):
        intake.leave_out(game.first.row.file, game.first.row.row, "an offer of a player who has no row")
        game.offers, game.ended = seated, "unknown"


def _is_survey(name: str, sheets: Sheets, groups: Mapping[tuple[str, str, int, int], Mapping[int, Turn]]) -> bool:
    """Whether an app's groups are whole sessions, without a field of their own and without payoffs."""
    fields = sheets.fields[name]
    if _DECIDED & fields.keys() or any(field.startswith("group.") and field != _GROUP for field in fields):
        return False
    of_app = {key: members for key, members in groups.items() if key[1] == name}
    if len({(session, number) for session, _, number, _ in of_app}) < len(of_app):
        return False
    turns = [turn for members in of_app.values() for turn in members.values()]
    return not any(turn.row.number(turn.column("player.payoff")) for turn in turns)


_GROUP = "group.id_in_subsession"


def _note(sheets: Sheets, games: Sequence[Game], notes: list[str]) -> None:
    bots = sum(row.truth("participant._is_bot") is True for row in sheets.people.values())
    n_early = sum(
        (row.whole("participant._index_in_pages") or 0) < (row.whole("participant._max_page_index") or 0)
        for row in sheets.people.values()
    )
    open_ends = sum(
        game.ended == "unknown" and game.app.protocol in ("ultimatum", "demand") for game in games if game.app.uses
    )
    for count, what in (
        (sheets.absent, "times a person was not in an app's round; no seat is made"),
        (bots, "people are bots of oTree's tests; their kind is not known"),
        (n_early, "people stopped before the last page"),
        (open_ends, "games lack a decision and are kept as ended 'unknown'"),
    ):
        if count:
            notes.append(f"{count} {what}")
    for app in sheets.fields:
        of_app = [game for game in games if game.first.app == app]
        usual = Counter(len(game.turns) for game in of_app).most_common(1)[0][0] if of_app else 0
        lone = [game for game in of_app if len(game.turns) < usual]
        strange = [game for game in of_app if game.app.roles and game.turns.keys() - game.app.roles.keys()]
        for wrong, why in (
            (lone, f"fewer than {usual} seats: a person left, or a session, group or round is misspelt in a row"),
            (strange, "a seat that the app does not have, and so without a role"),
        ):
            if wrong:
                notes.append(f"{app}: {len(wrong)} games have {why}; the first is {wrong[0].name}")


def _began(sheets: Sheets, games: Sequence[Game], windows: Mapping[str, Window]) -> dict[str, Any]:
    """Return when games began: with the session in round 1 of the first app, else as the page times tell."""
    first = next(iter(sheets.fields)) if sheets.wide else None
    began: dict[str, Any] = {}
    for game in games:
        window = windows.get(game.name)
        if window is not None and window.start is not None:
            began[game.name] = stamp(window.start)
        elif (game.first.app, game.first.number) == (first, 1):
            times = [time for turn in game.turns.values() if (time := _started(turn)) is not None]
            began[game.name] = min(times, default=None)
    return began


def _started(turn: Turn) -> Any:
    columns = ("participant.time_started_utc", "participant.time_started")
    return next((time for column in columns if (time := turn.row.time(column)) is not None), None)


def _game_rows(games: Sequence[Game], began: Mapping[str, Any]) -> pd.DataFrame:
    game_columns, rows = set(TABLES["games"].names), []
    names: dict[str, str] = {}
    for game in games:
        turns = list(game.turns.values())
        row: dict[str, Any] = {"app": game.first.app, "round": game.first.number}
        session = [column for column in turns[0].row.cells if column.startswith("session.")]
        texts_by_column = {column: agreed(turns, column) for column in session} | {
            field: text for field, text in game.said.items() if field not in game.app.uses
        }
        for column, text in texts_by_column.items():
            name = _factor(column)
            if name is None:
                continue
            if name in game_columns or names.setdefault(name, column) != column or name in ("app",):
                name = column.replace("session.config.", "config_").replace(".", "_")
            row[name] = turns[0].row.number(column) if name in _AMOUNTS and column.startswith(_MONEY) else text
        fixed = {"game_id": game.name, "scenario": game.first.app, "protocol": game.app.protocol, "ended": game.ended}
        rows.append(fixed | {"started_at": began.get(game.name)} | row)
    return conformed("games", rows)


_MONEY = "session.config."


@lru_cache(maxsize=4096)  # the same few columns in every game
def _factor(column: str) -> str | None:
    """Return the name of the factor that a column of session, subsession or group is; None if it is none."""
    level, _, name = column.partition(".")
    if name.startswith("config."):
        return {"name": "config"}.get(name[7:], name[7:])
    return None if name in _OWN.get(level, ()) or column == _GROUP else name


def _player_rows(games: Sequence[Game], names: Mapping[str, str]) -> pd.DataFrame:
    rows = [
        {
            "game_id": game.name,
            "player": str(seat),
            "role": turn.row.text(turn.column("player.role")) or game.app.roles.get(seat),
            "kind": "human" if turn.row.truth("participant._is_bot") is False else None,
            "participant_id": names[turn.code],
            "points": game.points(seat),
        }
        for game in games
        for seat, turn in sorted(game.turns.items())
    ]
    return conformed("players", rows)


def _offer_rows(games: Sequence[Game]) -> pd.DataFrame:
    rows = [
        {
            "game_id": game.name,
            "offer": number,
            "proposer": str(offer.proposer) if offer.proposer in game.turns else None,
            "responder": str(offer.responder) if offer.responder in game.turns else None,
            "units_to_proposer": offer.to_proposer,
            "units_to_responder": offer.to_responder,
            "value_proposer": offer.value_proposer,
            "value_responder": offer.value_responder,
            "response": offer.response,
        }
        for game in games
        for number, offer in enumerate(game.offers, 1)
    ]
    return conformed("offers", rows)


FORMAT = Format(
    "otree",
    "oTree's exports: all_apps_wide.csv, or a file an app; chat and page times beside them",
    _matches,
    _read,
    {"app": "the one app to read", "person": "code or label: what names the people"},
    parts=recorded(r"(.*\.)?group\.id_in_subsession", ("session.code", "subsession.round_number")),
)
