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
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from negstats.errors import LogError, UsageError, meant, shown
from negstats.loaders.files.coded import Coded, below
from negstats.loaders.files.columns import Places, Texts, chosen
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.parts import recorded
from negstats.loaders.files.sniff import first_files, header
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.loaders.otree.apps import ENDS, RESPONSES, Games, agreed, app_of, checked
from negstats.loaders.otree.groups import Groups, build_groups
from negstats.loaders.otree.pages import Windows, messages_of, stamp, windows_of
from negstats.loaders.otree.people import answers_of, names_of
from negstats.loaders.otree.sheets import Sheets, kind_of, read_sheets
from negstats.studies.study import Study
from negstats.tables import TABLES, conform, empty

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
    tables = _read_tables(path, intake, track, app, label=person == "label")  # all else is let go before the check
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **tables)


def _read_tables(path: Path, intake: Intake, track: Track, app: str | None, *, label: bool) -> dict[str, pd.DataFrame]:
    files = [path] if not path.is_dir() else first_files(path, ".csv", most=10_000)
    sheets = read_sheets(track(files), intake, label=label)
    headers = [record.place for record in intake.records if record.kind == "file_without_rows"]
    if headers and not sheets.size:
        raise LogError(f"holds nobody: {', '.join(headers[:3])} has a header only", file=path)
    if not sheets.fields:
        raise LogError("holds none of oTree's exports with people in apps", file=path)
    if app is not None and app not in sheets.fields:
        raise UsageError(f"app: there is no {shown(app)} in {path}; {meant(app, sheets.fields)}")
    groups, surveys = _groups(sheets, app)
    several = _games(sheets, groups, intake)
    _note(sheets, several, intake.notes)
    windows = windows_of(sheets, groups, intake)
    began = _began(sheets, several, groups, windows)
    names = names_of(sheets, label=label, notes=intake.notes)
    return {
        "answers": answers_of(sheets, several, groups, surveys, names, intake.notes),
        "messages": messages_of(sheets, groups, windows, began, intake),
        "games": _build_games(sheets, several, groups, began),
        "players": _build_players(sheets, several, groups, names),
        "offers": _build_offers(several),
    }


def _groups(sheets: Sheets, wanted_app: str | None) -> tuple[Groups, list[str]]:
    """Return the groups that are games, and of the apps that are asked for those that are surveys."""
    groups = build_groups(sheets)
    kinds = {name: app_of(list(fields)) for name, fields in sheets.fields.items()}
    surveys = [name for name in sheets.fields if kinds[name].protocol is None and _is_survey(name, sheets, groups)]
    wanted_apps = [name for name in sheets.fields if name not in surveys and wanted_app in (None, name)]
    return groups.of_apps(wanted_apps), [name for name in surveys if wanted_app in (None, name)]


def _games(sheets: Sheets, groups: Groups, intake: Intake) -> list[Games]:
    """Return the games of each app with their offers and ends."""
    several: list[Games] = []
    for name, fields in sheets.fields.items():
        games = groups.games(name, app_of(list(fields)))
        for field in fields:
            if field.partition(".")[0] != "player":
                cells, firsts = agreed(games, field, sheets.field(games.turns, field))
                if len(cells.filled):
                    games.said[field] = (cells, firsts)
        games.app.play(games)
        several.append(games)
    _leave_out_strangers(sheets, several, intake)
    for games in several:
        intake.notes += checked(games, games.app.check(games))
    return several


def _leave_out_strangers(sheets: Sheets, several: Sequence[Games], intake: Intake) -> None:
    """Leave out offers of a seat that nobody has, where a person's row is gone."""
    first_rows: dict[int, int] = {}
    for games in several:
        is_seated = games.is_seated(games.offers.games, games.offers.proposers)
        if not is_seated.all():
            of_strangers = np.unique(games.offers.games[~is_seated])
            rows = games.turns.rows[games.starts[of_strangers]]
            first_rows |= dict(zip(games.places[of_strangers].tolist(), rows.tolist(), strict=True))
            games.offers = games.offers.take(is_seated)
            games.ended[of_strangers] = ENDS.index("unknown")
    for _, row in sorted(first_rows.items()):
        intake.leave_out(*sheets.place(row), "an offer of a player who has no row")


def _is_survey(name: str, sheets: Sheets, groups: Groups) -> bool:
    """Whether an app's groups are whole sessions, without a field of their own and without payoffs."""
    fields = sheets.fields[name]
    if _DECIDED & fields.keys() or any(field.startswith("group.") and field != _GROUP for field in fields):
        return False
    games = groups.games(name, app_of(list(fields)))
    first_turns = games.turns.take(games.starts)
    sessions = sheets.sessions.codes[first_turns.rows].astype(np.int64)
    if len(np.unique(np.column_stack([sessions, first_turns.numbers]), axis=0)) < len(games):
        return False
    return not (np.nan_to_num(games.turn_points) != 0).any()


_GROUP = "group.id_in_subsession"


def _note(sheets: Sheets, several: Sequence[Games], notes: list[str]) -> None:
    people = sheets.people
    bots = (_truths(sheets, "participant._is_bot", people) == 1).sum()
    at_page, last_page = (
        sheets.column(name, people).wholes(sheets.faults(people, name))
        for name in ("participant._index_in_pages", "participant._max_page_index")
    )
    open_ends = sum(
        (games.ended == ENDS.index("unknown")).sum()
        for games in several
        if games.app.protocol in ("ultimatum", "demand") and games.app.uses
    )
    for count, what in (
        (sheets.absent, "times a person was not in an app's round; no seat is made"),
        (bots, "people are bots of oTree's tests; their kind is not known"),
        ((at_page < last_page).sum(), "people stopped before the last page"),
        (open_ends, "games lack a decision and are kept as ended 'unknown'"),
    ):
        if count:
            notes.append(f"{count} {what}")
    for games in several:
        usual = Counter(games.sizes.tolist()).most_common(1)[0][0] if len(games) else 0
        is_strange = np.zeros(len(games), dtype=bool)
        if games.app.roles:
            is_strange[games.of_turn[~np.isin(games.seats, list(games.app.roles))]] = True
        for is_wrong, why in (
            (
                games.sizes < usual,
                f"fewer than {usual} seats: a person left, or a session, group or round is misspelt in a row",
            ),
            (is_strange, "a seat that the app does not have, and so without a role"),
        ):
            if is_wrong.any():
                first_name = games.names[int(is_wrong.argmax())].as_py()
                notes.append(f"{games.name}: {is_wrong.sum()} games have {why}; the first is {first_name}")


def _truths(sheets: Sheets, name: str, rows: Places) -> Places:
    return sheets.column(name, rows).truths(sheets.faults(rows, name))


def _began(sheets: Sheets, several: Sequence[Games], groups: Groups, windows: Windows) -> npt.NDArray[np.datetime64]:
    """Return when games began: with the session in round 1 of the first app, else as the page times tell."""
    began = np.full(len(groups), np.datetime64("NaT", "us"), dtype="datetime64[us]")
    has_window = np.zeros(len(groups), dtype=bool)
    for place, window in windows.items():
        if window.start is not None:
            began[place], has_window[place] = stamp(window.start), True
    if sheets.wide:
        games = several[0]
        is_first_round = games.turns.numbers == 1
        of_session = np.flatnonzero(is_first_round & ~has_window[games.places[games.of_turn]])
        times = _find_start(sheets, games.turns.rows[of_session])
        is_known = ~np.isnat(times)
        counts, places = times[is_known].astype(np.int64), games.places[games.of_turn[of_session[is_known]]]
        first_counts = np.full(len(groups), np.iinfo(np.int64).max)
        np.minimum.at(first_counts, places, counts)
        began[places] = first_counts[places].astype("datetime64[us]")
    return began


def _find_start(sheets: Sheets, rows: Places) -> npt.NDArray[np.datetime64]:
    """Return when people's sessions began."""
    utc, other = "participant.time_started_utc", "participant.time_started"
    times = sheets.column(utc, rows).times(sheets.faults(rows, utc))
    unknown = np.flatnonzero(np.isnat(times))
    times[unknown] = sheets.column(other, rows[unknown]).times(sheets.faults(rows[unknown], other))
    return times


def _build_games(
    sheets: Sheets, several: Sequence[Games], groups: Groups, began: npt.NDArray[np.datetime64]
) -> pd.DataFrame:
    if not len(groups):
        return empty("games")
    apps, ends = (np.zeros(len(groups), dtype=np.int64) for _ in range(2))
    for app, games in enumerate(several):
        apps[games.places], ends[games.places] = app, games.ended
    app_names = chosen([games.name for games in several], apps)
    protocols = pa.array([games.app.protocol for games in several], pa.large_string())
    columns = {
        "game_id": groups.names,
        "scenario": app_names,
        "protocol": protocols.take(pa.array(apps)),
        "ended": chosen(ENDS, ends),
        "started_at": pd.Series(began).dt.tz_localize("UTC"),
        "app": pd.Series(pd.array(app_names, dtype="str")),
        "round": pd.Series(sheets.turns.numbers[groups.first_turns]),
    }
    return conform("games", columns | _build_factors(sheets, several, len(groups)))


_MONEY = "session.config."


def _build_factors(sheets: Sheets, several: Sequence[Games], n_games: int) -> dict[str, pd.Series]:
    """Return the factors, in the order in which the games have them."""
    claims: list[tuple[int, int, str, Games, Coded]] = []
    session_columns = [name for name in sheets.columns if name.startswith("session.")]
    for games in several:
        if not len(games):
            continue
        texts_by_column = {}
        for column in session_columns:
            cells = sheets.column(column, games.turns.rows)
            agreed(games, column, cells)
            texts_by_column[column] = cells.take(games.starts)
        texts_by_column |= {field: cells for field, (cells, _) in games.said.items() if field not in games.app.uses}
        for position, (column, texts) in enumerate(texts_by_column.items()):
            if _factor(column) is not None and len(texts.filled):
                first_game = int(games.places[texts.filled[0]])
                claims.append((first_game, position, column, games, texts))
    claims.sort(key=lambda claim: claim[:2])
    owners: dict[str, str] = {}
    factors: dict[str, Any] = {}
    parts_by_factor: dict[str, list[tuple[Places, Coded]]] = {}
    for _, _, column, games, texts in claims:
        name, places = str(_factor(column)), games.places[texts.filled]
        if name in _KNOWN_COLUMNS or owners.setdefault(name, column) != column:
            name = column.replace("session.config.", "config_").replace(".", "_")
        if name in _AMOUNTS and column.startswith(_MONEY):
            rows = games.turns.rows[games.starts]
            numbers = factors.setdefault(name, np.full(n_games, np.nan))
            numbers[places] = texts.numbers(sheets.faults(rows, column))[texts.filled]
        else:
            factors.setdefault(name, None)
            parts_by_factor.setdefault(name, []).append((places, texts.take(texts.filled)))
    factors |= {name: _spread(parts, n_games) for name, parts in parts_by_factor.items()}
    return {name: pd.Series(values) for name, values in factors.items()}


def _spread(parts: Sequence[tuple[Places, Coded]], n_games: int) -> Any:
    """Return a text for each game, of cells that stand for some of them."""
    cells = below([texts for _, texts in parts])
    codes = np.full(n_games, -1, dtype=np.int64)
    codes[np.concatenate([places for places, _ in parts])] = cells.codes
    return pd.array(chosen(cells.words, codes), dtype="str")


_KNOWN_COLUMNS = {*TABLES["games"].names, "app", "round"}


@lru_cache(maxsize=4096)  # the same few columns in every game
def _factor(column: str) -> str | None:
    """Return the name of the factor that a column of session, subsession or group is; None if it is none."""
    level, _, name = column.partition(".")
    if name.startswith("config."):
        return {"name": "config"}.get(name[7:], name[7:])
    return None if name in _OWN.get(level, ()) or column == _GROUP else name


def _numerals(values: Places) -> Texts:
    """Return whole numbers as text, which is missing for 0."""
    return pa.array(values, mask=values == 0).cast(pa.large_string())


def _build_players(sheets: Sheets, several: Sequence[Games], groups: Groups, names: Texts) -> pd.DataFrame:
    roles, points = [], []
    for games in several:
        titles = [*games.app.roles.values()]
        of_seat = np.full(len(games.seats), -1)
        for place, seat in enumerate(games.app.roles):
            of_seat[games.seats == seat] = place
        roles.append(pc.coalesce(sheets.field(games.turns, "player.role").texts(), chosen(titles, of_seat)))
        points.append(games.turn_points)
    places = np.concatenate([games.places[games.of_turn] for games in several])
    seats = np.concatenate([games.seats for games in several])
    rows = np.concatenate([games.turns.rows for games in several])
    order = np.lexsort((seats, places))
    rows, row_places = rows[order], pa.array(order)
    columns = {
        "game_id": groups.names.take(pa.array(places[order])),
        "player": _numerals(seats[order]),
        "role": pa.concat_arrays(roles).take(row_places),
        "kind": chosen(["human"], np.where(_truths(sheets, "participant._is_bot", rows) == 0, 0, -1)),
        "participant_id": names.take(pa.array(sheets.persons.codes[rows])),
        "points": np.concatenate(points)[order],
    }
    return conform("players", columns)


def _build_offers(several: Sequence[Games]) -> pd.DataFrame:
    places = np.concatenate([games.places[games.offers.games] for games in several])
    order = np.argsort(places, kind="stable")
    columns: dict[str, Any] = {"proposer": [], "responder": [], "game_id": []}
    for games in several:
        offers = games.offers
        is_there = games.is_seated(offers.games, offers.responders)
        columns["game_id"].append(games.names.take(pa.array(offers.games)))
        columns["proposer"].append(_numerals(offers.proposers))
        columns["responder"].append(_numerals(np.where(is_there, offers.responders, 0)))
    texts = {name: pa.concat_arrays(parts).take(pa.array(order)) for name, parts in columns.items()}
    starts = np.searchsorted(places[order], places[order])
    numbers = {
        name: np.concatenate([getattr(games.offers, of) for games in several])[order]
        for name, of in _OFFER_NUMBERS.items()
    }
    responses = np.concatenate([games.offers.responses for games in several])[order]
    own = {"offer": np.arange(1, len(order) + 1) - starts, "response": chosen(RESPONSES, responses)}
    return conform("offers", texts | numbers | own)


_OFFER_NUMBERS = {
    "units_to_proposer": "to_proposer",
    "units_to_responder": "to_responder",
    "value_proposer": "value_proposer",
    "value_responder": "value_responder",
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
