"""The tables of a study from oTree's exports: games, players, offers, messages and answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import pandas as pd
import polars as pl

from negstats.errors import LogError, UsageError, meant, shown
from negstats.loaders.files.cells import Row
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.row_tables import conformed
from negstats.loaders.files.sniff import first_files
from negstats.loaders.format import Track
from negstats.loaders.otree.apps import OFFERS, App, Deals, app_of, checked
from negstats.loaders.otree.people import TURN, Group, answers_of, messages_of, names_of, windows_of
from negstats.loaders.otree.sheets import ENDINGS, GROUP, PAYOFF, SEAT, Sheets, read_sheets
from negstats.studies.provenance import files_without_rows
from negstats.studies.records import sentence
from negstats.tables import TABLES, conform

_OWN = {"session": {"code", "label", "comment", "is_demo", "id", "num_participants"}, "subsession": {"round_number"}}
_DECIDED = {"player.cooperate", "player.contribution"}
_MONEY = "session.config."
_KNOWN_COLUMNS = {*TABLES["games"].names, "app", "round"}
_BOT = "participant._is_bot"
_STARTED = ("participant.time_started_utc", "participant.time_started")
_MOST_SEATS = 8  # of groups that meet; larger ones of one session each are all who came
_ALONE = (
    "each round of a person is a game of one seat, for groups are whole sessions without anything in common;"
    ' the option alone = "none" reads groups as games'
)


def read_tables(
    path: Path,
    intake: Intake,
    track: Track,
    app: str | None,
    *,
    label: bool,
    amounts: Collection[str],
    has_demos: bool = False,
    alone: Collection[str] | None = None,
) -> dict[str, pd.DataFrame]:
    """Return the tables of a file's or a folder's study.

    Parameters
    ----------
    path, intake, track
        The log, what is told of it, and the counter of files.
    app
        The one app to read; None reads all.
    label
        Whether labels name people, where they can.
    amounts
        The settings of a session that are numbers.
    has_demos
        Whether people of demonstrations are read beside others.
    alone
        The apps in which each person acts alone; None: those whose groups show no sign that people met.

    Raises
    ------
    LogError
        If the log holds nobody, or none of oTree's exports, or contradicts itself.
    UsageError
        If there is no such app.
    """
    files = [path] if not path.is_dir() else first_files(path, *ENDINGS, most=10_000)
    sheets = read_sheets(track(files), intake, label=label, has_demos=has_demos)
    _check(sheets, path, intake, app, alone)
    kinds = {name: app_of(fields) for name, fields in sheets.fields.items()}
    groups, surveys = _find_groups(sheets, intake, app, alone, kinds)
    app_names = [name for name in kinds if app in (None, name)]
    is_game = pl.col("app").is_in([name for name in app_names if name not in surveys])
    games = groups.filter(is_game).with_columns(game=pl.int_range(pl.len(), dtype=pl.Int64))
    deals = {name: Deals.of(sheets, name, kinds[name], games) for name in app_names if name not in surveys}
    _play(sheets, deals, games, intake)
    intake.notes += _notes(sheets, deals)
    members = _members(sheets, deals)
    groups_of_people = _seated(games, members) if sheets.chat or sheets.pages else []
    windows = windows_of(sheets, groups_of_people, intake)
    began = {group.name: window.began for group, window in windows.items() if window.began is not None}
    began = _find_starts(sheets, games, members) | began
    names = names_of(sheets, label=label, notes=intake.notes)
    turns = {name: deals[name].turns if name in deals else sheets.turns[name] for name in app_names}
    uses = {name: kinds[name].uses if name in deals else () for name in app_names}
    answers = answers_of(sheets, turns, uses, intake.notes)
    messages = messages_of(sheets, groups_of_people, windows, began, intake)
    game_names = games["name"]
    return {
        "games": _games(sheets, deals, games, members, began, amounts),
        "players": _players(members, game_names, names),
        "offers": _offers(deals, game_names),
        "messages": conformed("messages", messages),
        "answers": _table(
            "answers",
            answers,
            participant_id=pl.col("person").replace_strict(names, return_dtype=pl.String),
            game_id=game_names.gather(answers["game"]),
            question="question",
            answer="answer",
        ),
    }


def _check(sheets: Sheets, path: Path, intake: Intake, app: str | None, alone: Collection[str] | None) -> None:
    """Refuse a log without people, and names that are none of its apps."""
    empty = files_without_rows(intake.sources)
    if empty and not len(sheets.records):
        raise LogError(f"holds nobody: {sentence(empty[0])}", file=path)
    if not sheets.fields:
        raise LogError("holds none of oTree's exports with people in apps", file=path)
    for option, names in (("app", [app] if app is not None else []), ("alone", alone or [])):
        for name in names:
            if name not in sheets.fields:
                raise UsageError(f"{option}: there is no {shown(name)} in {path}; {meant(name, sheets.fields)}")


def _players(members: pl.DataFrame, game_names: pl.Series, names: Mapping[str, str]) -> pd.DataFrame:
    seats = members.sort("game", "seat")
    return _table(
        "players",
        seats,
        game_id=game_names.gather(seats["game"]),
        player=pl.col("seat").cast(pl.String),
        role="role",
        kind="kind",
        participant_id=pl.col("person").replace_strict(names, return_dtype=pl.String),
        points="points",
    )


def _table(name: str, frame: pl.DataFrame, **columns: pl.Expr | pl.Series | str) -> pd.DataFrame:
    """Return a study's table with these columns of a frame."""
    selected = frame.select(**columns)
    is_text = {column: kind == pl.String for column, kind in selected.schema.items()}
    oldest = pl.CompatLevel.oldest()
    return conform(
        name,
        {
            column: selected[column].to_arrow(compat_level=oldest) if is_text[column] else selected[column].to_list()
            for column in selected.columns
        },
    )


_KEYS = ["session", "app", "round", "number"]


def _find_groups(
    sheets: Sheets, intake: Intake, app: str | None, alone: Collection[str] | None, kinds: Mapping[str, App]
) -> tuple[pl.DataFrame, list[str]]:
    """Return all groups, of which people who act alone have one each, and the apps that ask people once."""
    groups = _number_groups(sheets)
    of_no_protocol = [name for name, kind in kinds.items() if kind.protocol is None]
    surveys = [name for name in of_no_protocol if _is_survey(name, sheets, groups)]
    if alone is None:
        others = [name for name in of_no_protocol if name not in surveys]
        alone = [name for name in others if _are_alone(name, sheets, groups)]
        intake.notes += [f"{name}: {_ALONE}" for name in alone if app in (None, name)]
    if not alone:
        return groups, surveys
    _part(sheets, alone)
    return _number_groups(sheets), surveys


def _number_groups(sheets: Sheets) -> pl.DataFrame:
    """Return all groups in the order of their first members, with their names and the first member's ``record``.

    Raises
    ------
    LogError
        If two people have one seat.
    """
    places = ["record", "block", "session", "round", "number", "seat"]
    every_turn = pl.concat([of.select(*places, app=pl.lit(name)) for name, of in sheets.turns.items()])
    every_turn = every_turn.sort("record", "block")
    for turn in every_turn.filter(~pl.struct(*_KEYS, "seat").is_first_distinct()).head(1).iter_rows(named=True):
        same = every_turn.filter(*(pl.col(key) == turn[key] for key in (*_KEYS, "seat"))).row(0, named=True)
        row = sheets.row(same, SEAT)
        reason = f"player {turn['seat']} of this group is also in row {row.row} of {row.file.name}"
        raise sheets.fault(turn, reason, SEAT)
    groups = every_turn.group_by(_KEYS, maintain_order=True).agg(pl.col("record").first())
    return groups.with_columns(name=pl.format("{}-{}-{}-{}", *_KEYS))


def _are_whole_sessions(name: str, sheets: Sheets, groups: pl.DataFrame) -> bool:
    """Whether an app's groups are whole sessions, without a field of their own."""
    fields = sheets.fields[name]
    if _DECIDED.intersection(fields) or any(field.startswith("group.") and field != GROUP for field in fields):
        return False
    own_rounds = groups.filter(pl.col("app") == name).select("session", "round")
    return own_rounds.n_unique() == len(own_rounds)


def _is_survey(name: str, sheets: Sheets, groups: pl.DataFrame) -> bool:
    """Whether an app asks people once: its groups are whole sessions without payoffs, and it has one round."""
    turns = sheets.turns[name]
    points = sheets.read(turns, PAYOFF, Row.number, pl.Float64)
    return turns["round"].n_unique() == 1 and not (points != 0).any() and _are_whole_sessions(name, sheets, groups)


def _are_alone(name: str, sheets: Sheets, groups: pl.DataFrame) -> bool:
    """Whether people act alone in an app, as in tasks: groups are whole sessions, and nothing in them is of several.

    Sessions may be single groups of a game. So groups are as large as whoever came, nothing is paid, or what somebody
    gets follows from a field of their own.
    """
    turns = sheets.turns[name]
    have_roles = "player.role" in turns.columns and turns["player.role"].count() > 0
    have_talked = any(f"-{name}-" in (row.text("channel") or "") for row in sheets.chat)
    if have_roles or have_talked or not _are_whole_sessions(name, sheets, groups):
        return False
    sizes = set(turns.group_by("session", "round").agg(n=pl.len())["n"])
    points = sheets.read(turns, PAYOFF, Row.number, pl.Float64)
    return max(sizes) > _MOST_SEATS or len(sizes) > 1 or not (points != 0).any() or _follow(points, turns)


def _follow(points: pl.Series, turns: pl.DataFrame) -> bool:
    """Whether people who have the same in some field of their own, which differs, get the same."""
    own = [column for column in turns.columns if column.startswith("player.") and column not in (SEAT, PAYOFF)]
    for column in own if points.n_unique() > 1 else ():
        pairs = turns.select(column, points=points).drop_nulls()
        if 2 * pairs[column].n_unique() <= len(pairs) and pairs.n_unique() == pairs[column].n_unique() > 1:
            return True
    return False


def _part(sheets: Sheets, apps: Collection[str]) -> None:
    """Give each person of an app a group of their own in each round, with one seat."""
    for name in apps:
        number = pl.struct("number", "seat").rank("dense").over("session", "round").cast(pl.Int64)
        sheets.turns[name] = sheets.turns[name].with_columns(number=number, seat=pl.lit(1, pl.Int64))


def _play(sheets: Sheets, deals: Mapping[str, Deals], games: pl.DataFrame, intake: Intake) -> None:
    """Fill in what groups say, offer and get."""
    unseated = [games["game"].clear()]
    for of_app in deals.values():
        of_app.kind.play(of_app)
        unseated.append(of_app.drop_offers_of_nobody())
    for record in games.filter(pl.col("game").is_in(pl.concat(unseated).implode()))["record"]:
        row = sheets.row({"record": record}, SEAT)
        intake.leave_out(row.file, row.row, "an offer of a player who has no row")
    for name, of_app in deals.items():
        intake.notes += checked(name, of_app)


def _notes(sheets: Sheets, deals: Mapping[str, Deals]) -> Iterator[str]:
    """Yield what is strange in people and groups."""
    bots = sheets.read(sheets.people, _BOT, Row.truth, pl.Boolean)
    pages = [
        sheets.read(sheets.people, name, Row.whole, pl.Int64).fill_null(0)
        for name in ("participant._index_in_pages", "participant._max_page_index")
    ]
    undecided = [
        (of_app.groups["ended"] == "unknown").sum()
        for of_app in deals.values()
        if of_app.kind.protocol in ("ultimatum", "demand")
    ]
    for count, what in (
        (sheets.absent, "times a person was not in an app's round; no seat is made"),
        (bots.sum(), "people are bots of oTree's tests; their kind is not known"),
        ((pages[0] < pages[1]).sum(), "people stopped before the last page"),
        (sum(undecided), "games lack a decision and are kept as ended 'unknown'"),
    ):
        if count:
            yield f"{count} {what}"
    for name, of_app in deals.items():
        sizes = of_app.groups["size"]
        usual = Counter(sizes).most_common(1)[0][0] if len(sizes) else 0
        roles = of_app.kind.roles
        strange = of_app.turns.filter(~pl.col("seat").is_in(list(roles)))["game"] if roles else sizes.clear()
        is_strange = of_app.groups["game"].is_in(strange.implode())
        for is_wrong, why in (
            (
                sizes < usual,
                f"fewer than {usual} seats: a person left, or a session, group or round is misspelt in a row",
            ),
            (is_strange, "a seat that the app does not have, and so without a role"),
        ):
            if wrong := of_app.groups.filter(is_wrong)["name"].to_list():
                yield f"{name}: {len(wrong)} games have {why}; the first is {wrong[0]}"


def _members(sheets: Sheets, deals: Mapping[str, Deals]) -> pl.DataFrame:
    """Return who sits where in the games, with role, kind and points, in the order of the rows."""
    is_bot = sheets.read(sheets.records, _BOT, Row.truth, pl.Boolean)
    kinds_of_records = pl.select(pl.when(~is_bot).then(pl.lit("human"))).to_series()
    several = [pl.DataFrame(schema=_MEMBERS)]
    for of_app in deals.values():
        role = pl.col("seat").replace_strict(of_app.kind.roles, default=None, return_dtype=pl.String)
        if "player.role" in of_app.turns.columns:
            role = pl.coalesce("player.role", role)
        kind = kinds_of_records.gather(of_app.turns["record"])
        several.append(of_app.turns.with_columns(role=role, kind=kind).select(*_MEMBERS))
    return pl.concat(several).sort("record", "block")


_MEMBERS: dict[str, type[pl.DataType]] = {
    **TURN,
    "seat": pl.Int64,
    "role": pl.String,
    "kind": pl.String,
    "points": pl.Float64,
}


def _seated(games: pl.DataFrame, members: pl.DataFrame) -> list[Group]:
    """Return the games with their people."""
    seats = members.group_by("game").agg("person", "seat").sort("game")
    return [
        Group(game["name"], game["app"], game["round"], dict(zip(own["person"], own["seat"], strict=True)))
        for game, own in zip(games.iter_rows(named=True), seats.iter_rows(named=True), strict=True)
    ]


def _find_starts(sheets: Sheets, games: pl.DataFrame, members: pl.DataFrame) -> dict[str, datetime]:
    """Return when the games of round 1 of the first app of a wide export began: with the session."""
    if not sheets.wide:
        return {}
    is_first = (pl.col("round") == 1) & (pl.col("app") == next(iter(sheets.fields)))
    places = members.join(games.filter(is_first).select("game", "name"), on="game", maintain_order="left", how="inner")
    records = sheets.records[places["record"]]
    utc, plain = (sheets.read(records, name, Row.time, pl.Datetime("us", "UTC")) for name in _STARTED)
    starts = places.select("name", start=utc.fill_null(plain)).drop_nulls().group_by("name").agg(pl.col("start").min())
    return dict(starts.iter_rows())


def _games(
    sheets: Sheets,
    deals: Mapping[str, Deals],
    games: pl.DataFrame,
    members: pl.DataFrame,
    began: Mapping[str, datetime],
    amounts: Collection[str],
) -> pd.DataFrame:
    """Return the table of games; of two factors with one name the column that says something first has it alone."""
    columns_by_name = _said_of_games(sheets, deals, games, members, amounts)
    names: dict[str, str] = {}
    for column in columns_by_name:
        if name := _factor(column):
            is_taken = name in _KNOWN_COLUMNS or name in names.values()
            names[column] = column.replace(_MONEY, "config_").replace(".", "_") if is_taken else name
    protocols = {name: of_app.kind.protocol for name, of_app in deals.items()}
    ends = {game: end for of_app in deals.values() for game, end in of_app.groups.select("game", "ended").iter_rows()}
    return conform(
        "games",
        {
            "game_id": games["name"].to_list(),
            "scenario": games["app"].to_list(),
            "protocol": [protocols[name] for name in games["app"]],
            "ended": list(map(ends.get, games["game"])),
            "started_at": list(map(began.get, games["name"])),
        }
        | ({"app": games["app"].to_list(), "round": games["round"].to_list()} if len(games) else {})
        | {name: columns_by_name[column].to_list() for column, name in names.items()},
    )


def _said_of_games(
    sheets: Sheets,
    deals: Mapping[str, Deals],
    games: pl.DataFrame,
    members: pl.DataFrame,
    amounts: Collection[str],
) -> dict[str, pl.Series]:
    """Return what columns of sessions and groups say of the games, in the order of the first game of which they do."""
    columns = [name for name in sheets.columns if name.startswith("session.")]
    records = sheets.records[members["record"]].select("record", *columns).with_columns(members["game"])
    settings = sheets.agreed(records, columns).sort("game").drop("game")
    for name in amounts:
        if _MONEY + name in columns:
            numbers = sheets.read(records, _MONEY + name, Row.number, pl.Float64)
            texts = records.select("game", number=numbers).group_by("game").agg(pl.col("number").drop_nulls().first())
            settings = settings.with_columns(texts.sort("game")["number"].alias(_MONEY + name))
    fields = [games.select("game").clear(), *(of_app.factors for of_app in deals.values())]
    of_groups = pl.concat(fields, how="diagonal").sort("game").drop("game")
    columns_by_name = {name: of[name] for of in (settings, of_groups) for name in of.columns}
    firsts = {name: series.is_not_null().arg_max() for name, series in columns_by_name.items() if series.count()}
    return {name: columns_by_name[name] for name in sorted(firsts, key=lambda name: firsts[name] or 0)}


def _factor(column: str) -> str | None:
    """Return the name of the factor that a column of session, subsession or group is; None if it is none."""
    level, _, name = column.partition(".")
    if name.startswith("config."):
        return {"name": "config"}.get(name[7:], name[7:])
    return None if name in _OWN.get(level, ()) or column == GROUP else name


def _offers(deals: Mapping[str, Deals], game_names: pl.Series) -> pd.DataFrame:
    """Return the table of offers."""
    offers = pl.concat([pl.DataFrame(schema=OFFERS), *(of_app.offers for of_app in deals.values())]).sort(
        "game", maintain_order=True
    )
    amounts = ("units_to_proposer", "units_to_responder", "value_proposer", "value_responder")
    return _table(
        "offers",
        offers,
        game_id=game_names.gather(offers["game"]),
        offer=pl.int_range(1, pl.len() + 1).over("game"),
        proposer=pl.col("proposer").cast(pl.String),
        responder=pl.col("responder").cast(pl.String),
        response="response",
        **dict(zip(amounts, amounts, strict=True)),
    )
