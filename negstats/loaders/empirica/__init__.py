r"""Empirica: the tables of its export, version 2 and, by its documentation, version 1 (data card below).

Source
    A. Almaatouq, J. Becker, J. P. Houghton, N. Paton, D. J. Watts, M. E. Whiting: Empirica: a virtual lab for
    high-throughput macro-level experiments, Behavior Research Methods 53, 2021; empirica.ly. A log's licence is that
    of whoever ran it.
Files
    ``games.csv``, ``players.csv``, ``playerGames.csv``, ``rounds.csv``, ``playerRounds.csv`` of version 2 (each
    attribute has a twin ``...LastChangedAt``), which some exports call ``game.csv``, ``player.csv``, ...;
    ``games.csv``, ``players.csv``, ``rounds.csv``, ``player-rounds.csv``, ``treatments.csv``, ``factors.csv``,
    ``factor-types.csv`` of version 1. Or a ZIP archive of them. Stages, batches and submissions are not needed.
Game
    One game, called by its id; rounds as many as it has. Factors: a key of its treatment each. It started with the
    least ``...LastChangedAt`` of its round of index 0 (version 1: ``createdAt``). A game in the lobby is left out.
Player
    The seat is the role where it is unique in the game, else the player's id; the person ``participantIdentifier``
    (version 1: the player's id). Role and batna stand on each round: the last round's, noted where they change. Points
    are those of the last round, missing in a game that failed. The bonus is money: an answer if asked (``bonus=True``).
Offer
    ``playerRounds.offer``; its response is ``accept`` of the others in that round. An offer is a price: its amount is
    for the seller, and where the treatment has a ``pie`` the rest of it for the buyer. ``offer``, ``accept``,
    ``points``, ``role`` and ``batna`` are the experimenter's names: where there is no ``offer``, or no seller, games,
    people, chat and surveys are read, and a note asks for a mapping of the offers.
Ended
    Agreement stands nowhere: it is ``accept`` in the game's last round. Without it: disconnect if the game failed or a
    player's ``ended`` says anything else than "game ended"; disagreement if the last offer was answered, else timeout.
Message
    ``games.chat``, a JSON list, by its timestamps; in version 1 also ``data.chat`` of the rounds, in their order, whose
    entries need have no time. Answers: ``players.exitSurvey``, a question each key.

Traps, and what is done about them
    A byte order mark and CRLF; JSON in cells; outside JSON a line break is written ``\n``. Empty is missing and
    "false" is false. A twin says when its attribute last changed, not when the row began. A failed game keeps its
    rounds and a bonus of 0: its points are missing. Later versions do not sort the chat.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from negstats.errors import LogError, shown
from negstats.loaders.empirica.export import CHANGED, Export, Version, archived, read_export
from negstats.loaders.files.cells import Row, personal
from negstats.loaders.files.damaged import DamagedGameError, units_left_out
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.literals import is_number, read_moment
from negstats.loaders.files.row_tables import Gathered, game_factors
from negstats.loaders.files.sniff import first_files, header
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.studies.study import Study

__all__ = ["FORMAT"]

VERSION = "1"
_SECOND = ("playerGames.csv", "rounds.csv", "players.csv")
_SECOND_NAMES = (_SECOND, tuple(f"{name.removesuffix('s.csv')}.csv" for name in _SECOND))  # of many, or of one
_WAITING = {"lobby", "created"}
_FAILED = {"failed", "terminated"}
_ENDED = {"", "game ended", "finished"}  # what a player's end says where nothing cut it short
_IDS = {"_id", "playerId", "roundId", "gameId"}  # of version 1, whose other columns may all be the experimenter's
_TOLERANCE = 1e-6
_ROLES = {"seller", "buyer"}


def _version(path: Path) -> tuple[Version, tuple[Path, ...]] | None:
    """Return which version wrote a folder or archive, and the files by which it is known."""
    if path.suffix.lower() == ".zip":
        names = {name.replace("\\", "/").rpartition("/")[2] for name in archived(path)}
        is_second = any(names.issuperset(second) for second in _SECOND_NAMES)
        return (2, (path,)) if is_second else (1, (path,)) if "player-rounds.csv" in names else None
    folder = path if path.is_dir() else path.parent
    second = next((names for names in _SECOND_NAMES if all((folder / name).is_file() for name in names)), None)
    if second is not None:
        twins = any(column.endswith(CHANGED) for name in second for column in header(folder / name))
        ours = path.is_dir() or path.name == second[0]
        return (2, tuple(folder / name for name in second)) if twins and ours else None
    for name in ("player-rounds.csv", "player-stages.csv"):
        columns = header(folder / name)
        ours = set(columns) >= _IDS or any(column.startswith("data.") for column in columns)
        if ours and (path.is_dir() or path.name == name):
            return 1, (folder / name,)
    return None


def _matches(path: Path) -> Evidence | None:
    version_and_files = _version(path)
    if version_and_files is None:
        return None
    version, files = version_and_files
    file_names = ", ".join(file.name for file in files)
    what = f"attributes with twins ...{CHANGED}" if version == 2 else "the ids of its export"
    verb = "have" if len(files) > 1 else "has"
    because = (
        f"{file_names} holds the tables of its export"
        if path.suffix.lower() == ".zip"
        else f"{file_names} {verb} {what}"
    )
    return Evidence(SIGNATURE, because, files)


def _read(path: Path, track: Track, bonus: bool = False) -> Study:
    version_and_files = _version(path)
    if version_and_files is None:
        raise LogError(f"holds no export of Empirica: {', '.join(_SECOND)} of version 2", file=path)
    folder = path if path.is_dir() or path.suffix.lower() == ".zip" else path.parent
    intake = Intake(folder)
    export = read_export(folder, track(first_files(folder, ".csv")), version_and_files[0], intake)
    _leave_out_damaged(export)
    try:
        return _study(export, intake, path, bonus)
    except LogError as fault:
        raise _add_game(fault, export) from None


def _leave_out_damaged(export: Export) -> None:
    """Take out the rows of games that are damaged, in each table, and rows that are of no one game."""
    units_out = units_left_out()
    for name, rows in export.tables.items():
        column = "id" if name == "games" else "gameID"
        export.tables[name] = [
            row for row in rows
            if _place(row) not in units_out and (name == "players" or (row.text(column) or "") not in units_out)
        ]  # fmt: skip


def _place(row: Row) -> str:
    return f"{row.file.name}, row {row.row}"


def _add_game(fault: LogError, export: Export) -> LogError:
    """Return the fault of a row with the game that it is in, which could be left out; else the fault itself."""
    for name, rows in export.tables.items():
        for row in rows:
            if (row.file, row.row) == (fault.file, fault.row):
                seats = [one for one in export["playerGames"] if one.text("playerID") == row.text("id")]
                of = [row, *seats] if name == "players" else [row]
                ids = [one.text("id" if name == "games" else "gameID") for one in of]
                return DamagedGameError(fault, next((game for game in ids if game), _place(row)))
    return fault


def _study(export: Export, intake: Intake, path: Path, bonus: bool) -> Study:
    games = _games(export, intake)
    if not any(game.seats for game in games):
        why = ", ".join(f"{reason} ({count} rows)" for reason, count in intake.reasons().items())
        raise LogError(f"no game with players is left{': ' if why else ''}{why}", file=path)
    _fill_offers(games, export, intake.notes)
    rows = Gathered()
    for game in games:
        _add_game_rows(game, rows, intake)
    for answer in _answers(games, export, bonus, intake):
        rows.add("answers", **answer)
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **rows.tables())


@dataclass(slots=True)
class _Seat:
    """A player in a game: the person's row, and one row a round."""

    name: str
    person: str
    player: Row
    role: str | None = None
    batna: float | None = None
    points: float | None = None
    bonus: str | None = None
    rounds: dict[int, Row] = field(default_factory=dict)


@dataclass(slots=True)
class _Game:
    """One game, its seats by the player's id, its rounds by their ids."""

    row: Row
    name: str
    status: str
    treatment: Mapping[str, Any]
    began: datetime | None
    rounds: dict[str, int]
    round_rows: list[Row] = field(default_factory=list)
    seats: dict[str, _Seat] = field(default_factory=dict)
    ended: str = "unknown"
    offers: list[dict[str, Any]] = field(default_factory=list)

    def at(self, time: datetime | None) -> float | None:
        """Return seconds since the game began."""
        return None if time is None or self.began is None else (time - self.began).total_seconds()


def _games(export: Export, intake: Intake) -> list[_Game]:
    players = export.by_id("players")
    treatments = _treatments(export)
    of_game: dict[str, list[Row]] = defaultdict(list)
    for row in export["rounds"]:
        of_game[row.text("gameID") or ""].append(row)
    games: dict[str, _Game] = {}
    for name, row in export.by_id("games").items():
        status = (row.text("status") or "").strip().lower()
        if status in _WAITING:
            intake.leave_out(row.file, row.row, "a game that never began")
            continue
        rounds: dict[str, int] = {}
        first: Row | None = row if export.version == 1 else None
        for place, one in enumerate(of_game.get(name, ())):
            index = one.whole("index")
            rounds[one.text("id") or ""] = place if index is None else index
            first = one if index == 0 and export.version == 2 else first
        games[name] = _Game(row, name, status, _treatment(row, treatments), _first_change(first), rounds)
        in_order = sorted(of_game.get(name, ()), key=lambda one: rounds[one.text("id") or ""])
        games[name].round_rows = in_order if export.version == 1 else []
    _add_seats(games, players, export, intake)
    _put_rounds(games, export, intake)
    for game in games.values():
        roles = Counter(seat.role for seat in game.seats.values())
        for seat in game.seats.values():
            seat.name = seat.role if seat.role and roles[seat.role] == 1 else seat.name
    return list(games.values())


def _add_seats(games: dict[str, _Game], players: dict[str, Row], export: Export, intake: Intake) -> None:
    """Add each player to the game that they are in; those of no game, who waited or came too late, are counted."""
    has_table = "playerGames" in export.tables  # version 1 has none; one without rows says that nobody played
    for row in export["playerGames"] if has_table else _members(players, export, intake):
        game = games.get(row.text("gameID") or "")
        key = row.text("playerID") or ""
        if key not in players:
            raise row.fault(f"{shown(key)} is not an id in players.csv", "playerID")
        if game is None:
            intake.leave_out(row.file, row.row, "a player of a game that is not there")
            continue
        if key in game.seats:
            raise row.fault(f"{shown(key)} is in game {shown(game.name)} already", "playerID")
        person = players[key].text("participantIdentifier") or key
        role = row.text("role") or (None if has_table else players[key].text("role"))
        game.seats[key] = _Seat(key, person, players[key], role, bonus=row.text("bonus"))


def _members(players: Mapping[str, Row], export: Export, intake: Intake) -> list[Row]:
    """Return a row for each player of a game in version 1: from the player's own row, or from those of the rounds."""
    games = {(row.text("playerID"), row.text("gameID")): None for row in export["playerRounds"]}
    by_player: dict[str, list[str]] = defaultdict(list)
    for player, game in games:
        if player is not None and game is not None:
            by_player[player].append(game)
    members = []
    for key, row in players.items():
        own = row.text("gameID")
        ids = [own] if own is not None else by_player[key]
        members += [Row(row.file, row.row, {**row.cells, "playerID": key, "gameID": game}) for game in ids]
        if not ids:
            intake.leave_out(row.file, row.row, "a player of no game")
    return members


def _put_rounds(games: Mapping[str, _Game], export: Export, intake: Intake) -> None:
    """Give each seat its rows of rounds, and what the last one says of role, batna and points."""
    for row in export["playerRounds"]:
        game = games.get(row.text("gameID") or "")
        seat = None if game is None else game.seats.get(row.text("playerID") or "")
        if game is None or seat is None:
            intake.leave_out(row.file, row.row, "a round of a player or game that is not there")
            continue
        key = row.text("roundID") or ""
        if key not in game.rounds:
            raise row.fault(f"{shown(key)} is not a round of game {shown(game.name)} in rounds.csv", "roundID")
        if seat.rounds.setdefault(game.rounds[key], row) is not row:
            raise row.fault(f"the player has row {seat.rounds[game.rounds[key]].row} in this round already", "roundID")
    changed = 0
    for game in games.values():
        for seat in game.seats.values():
            rows = [seat.rounds[index] for index in sorted(seat.rounds)]
            roles = [role for row in rows if (role := row.text("role")) is not None]
            batnas = [batna for row in rows if (batna := row.number("batna")) is not None]
            changed += len(set(roles)) > 1 or len(set(batnas)) > 1
            seat.role = roles[-1] if roles else seat.role
            seat.batna = batnas[-1] if batnas else None
            if rows and game.status not in _FAILED and max(game.rounds.values()) in seat.rounds:
                seat.points = rows[-1].number("points")
    if changed:
        intake.notes.append(f"role or batna of {changed} players change during a game; the last round's are kept")


def _treatments(export: Export) -> dict[str, dict[str, Any]]:
    """Return version 1's treatments by their ids: factors by the names of their types."""
    types = {row.text("id"): row.text("name") for row in export["factorTypes"]}
    factors = {
        row.text("id"): (types.get(row.text("factorTypeId")) or row.text("name") or "factor", _value(row))
        for row in export["factors"]
    }
    factors_by_treatment: dict[str, dict[str, Any]] = {}
    for row in export["treatments"]:
        factor_ids = row.text("factorIds") or ""
        keys = row.nested("factorIds") if factor_ids.startswith("[") else factor_ids.split(",")
        treatment_factors = [factors[key] for key in map(str, keys or ()) if key in factors]
        factors_by_treatment[row.text("id") or ""] = dict(treatment_factors) or {"treatment": row.text("name")}
    return factors_by_treatment


def _value(row: Row) -> str | float | None:
    try:
        return row.number("value")
    except LogError:
        return row.text("value")


def _treatment(row: Row, factors_by_treatment: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any]:
    if row.text("treatment") is None:
        return factors_by_treatment.get(row.text("treatmentId") or "", {})
    treatment = row.nested("treatment")
    if not isinstance(treatment, dict):
        raise row.fault(f"{shown(treatment)} is not a JSON object with the factors", "treatment")
    factors = treatment.get("factors", treatment)
    return factors if isinstance(factors, dict) else treatment


def _first_change(row: Row | None) -> datetime | None:
    if row is None:
        return None
    columns = [name for name in row.cells if name.endswith(CHANGED)] or ["createdAt"]
    return min((time for column in columns if (time := row.time(column)) is not None), default=None)


def _fill_offers(games: Sequence[_Game], export: Export, notes: list[str]) -> None:
    """Make the offers and ends of the games, and compare the points with the deals."""
    has_offers = "offer" in export.columns.get("playerRounds", ())
    strange = early_acceptances = 0
    for game in games:
        if has_offers and {seat.role for seat in game.seats.values()} >= _ROLES and len(game.seats) == 2:
            game.offers = _offers(game)
        elif has_offers:
            strange += any(row.text("offer") for seat in game.seats.values() for row in seat.rounds.values())
        last = max(game.rounds.values(), default=-1)
        accepted_offers = [offer for offer in game.offers if offer["response"] == "accepted"]
        early_acceptances += sum(offer["round"] <= last for offer in accepted_offers)
        game.ended = _find_end(game, last)
    if not has_offers or strange:
        where = "playerRounds.csv" if export.version == 2 else "player-rounds.csv"
        what = (
            f"{strange} games' offers are between others than a seller and a buyer" if has_offers else "has no 'offer'"
        )
        notes.append(f"{where}: {what}; offers need a mapping of this file")
    if early_acceptances:
        notes.append(f"{early_acceptances} offers were accepted in rounds before a game's last")
    _compare(games, notes)


def _offers(game: _Game) -> list[dict[str, Any]]:
    pie = game.treatment.get("pie")
    whole = float(pie) if is_number(pie) else None
    offers = []
    seats = list(game.seats.values())
    for index in sorted(set(game.rounds.values())):
        for seat, other in (seats, seats[::-1]):
            row = seat.rounds.get(index)
            price = None if row is None else row.number("offer")
            if row is None or price is None:
                continue
            answer = other.rounds[index].truth("accept") if index in other.rounds else None
            rest = None if whole is None else whole - price
            mine, theirs = (price, rest) if seat.role == "seller" else (rest, price)
            offers.append(
                {
                    "round": index + 1,
                    "time_s": game.at(row.time(f"offer{CHANGED}")),
                    "proposer": seat.name,
                    "responder": other.name,
                    "units_to_proposer": mine,
                    "units_to_responder": theirs,
                    "response": {None: "none", True: "accepted", False: "rejected"}[answer],
                }
            )
    return offers


def _find_end(game: _Game, last: int) -> str:
    answers = [row.truth("accept") for seat in game.seats.values() if (row := seat.rounds.get(last)) is not None]
    if True in answers and False not in answers and game.status not in _FAILED:
        return "agreement"
    end_reasons = {
        (seat.player.text("ended") or seat.player.text("exitStatus") or "").strip().lower()
        for seat in game.seats.values()
    }
    if game.status in _FAILED or end_reasons - _ENDED:
        return "disconnect"
    if game.status not in ("ended", "") or not game.offers:
        return "unknown"
    return "timeout" if game.offers[-1]["response"] == "none" else "disagreement"


def _compare(games: Sequence[_Game], notes: list[str]) -> None:
    """Compare the points with the deals; where all agree, units are points and offers have values."""
    n_compared, wrong = 0, []
    for game in games:
        deal = next((offer for offer in reversed(game.offers) if offer["response"] == "accepted"), None)
        if deal is None or game.ended != "agreement":
            continue
        due = {deal["proposer"]: deal["units_to_proposer"], deal["responder"]: deal["units_to_responder"]}
        both = [(due[seat.name], seat.points) for seat in game.seats.values()]
        point_pairs = [
            (follows, recorded_points)
            for follows, recorded_points in both
            if follows is not None and recorded_points is not None
        ]
        n_compared += bool(point_pairs)
        wrong += (
            [game.name]
            if any(abs(follows - recorded_points) > _TOLERANCE for follows, recorded_points in point_pairs)
            else []
        )
    if wrong:
        notes.append(
            f"points do not follow from the deal in {len(wrong)} of {n_compared} games ({', '.join(wrong[:3])}); kept"
        )
    elif n_compared:
        notes.append(f"the points of {n_compared} games follow from their deals")
        for offer in (offer for game in games for offer in game.offers):
            offer |= {f"value_{side}": offer[f"units_to_{side}"] for side in ("proposer", "responder")}


def _add_game_rows(game: _Game, rows: Gathered, intake: Intake) -> None:
    """Add the rows of a game, its seats, offers and messages."""
    factors = game_factors(game.treatment, "treatment")
    head = {"ended": game.ended, "rounds": len(game.rounds) or None, "started_at": game.began}
    rows.add("games", game_id=game.name, **head, **factors)
    for seat in game.seats.values():
        player = {"player": seat.name, "role": seat.role, "kind": "human", "participant_id": seat.person}
        rows.add("players", game_id=game.name, **player, points=seat.points, batna=seat.batna)
    for offer in game.offers:
        rows.add_next("offers", game.name, **offer)
    _add_chat(game, rows, intake)


def _add_chat(game: _Game, rows: Gathered, intake: Intake) -> None:
    """Add a game's messages; one of somebody else is left out."""
    messages: list[tuple[int, float, int, _Seat, str]] = []
    timed = True
    for stage, row in enumerate((game.row, *game.round_rows)):
        for place, entry in enumerate(_entries(row), 1):
            who = game.seats.get(_sender(entry))
            if who is None or not isinstance(entry.get("text"), str):
                intake.leave_out(row.file, row.row, "a chat message of nobody in the game, or without text")
                continue
            time = game.at(_stamp(row, entry, place, needed=row is game.row))
            timed = timed and time is not None
            messages.append((stage, time or 0.0, place, who, entry["text"]))
    for _, time, _, sender, text in sorted(messages, key=lambda message: message[:3]):
        rows.add_next("messages", game.name, time_s=time if timed else None, sender=sender.name, text=text)


def _entries(row: Row) -> list[Any]:
    """Return the entries of a chat: a JSON list or, as version 1 writes it, its elements with commas between them."""
    text = (row.text("chat") or "").strip()
    if text.startswith("{"):
        row = Row(row.file, row.row, {"chat": f"[{text}]"})
    entries = (row.nested("chat") if text else None) or []
    if not isinstance(entries, list):
        raise row.fault(f"{shown(text)} is not a list of messages", "chat")
    return entries


def _sender(entry: object) -> str:
    """Return the id of the player who speaks, wherever a version or a chat window writes it."""
    if not isinstance(entry, dict):
        return ""
    sender = next((entry[key] for key in ("sender", "playerId", "player") if key in entry), None)
    return str(sender.get("id", sender.get("_id")) if isinstance(sender, dict) else sender)


def _stamp(row: Row, entry: Mapping[str, Any], place: int, *, needed: bool) -> datetime | None:
    """Return when a message was sent; what version 1 keeps of a round need not say it."""
    text = entry.get("timestamp", entry.get("createdAt", entry.get("at")))
    if text is None and not needed:
        return None
    try:
        return read_moment(str(text))
    except ValueError:
        raise row.fault(f"message {place} has no time: {shown(text)}", "chat") from None


def _answers(games: Sequence[_Game], export: Export, bonus: bool, intake: Intake) -> list[dict[str, Any]]:
    answers_by_key: dict[tuple[str, str | None, str], dict[str, Any]] = {}
    for key, row in export.by_id("players").items():
        person = row.text("participantIdentifier") or key
        cell = (row.text("exitSurvey") or "").strip()
        if cell and not cell.startswith("{") and cell not in ("null", "[]"):
            intake.leave_out(row.file, row.row, "an exit survey that is not a JSON object: its answers are lost")
        survey = row.nested("exitSurvey") if cell.startswith("{") else None
        survey = {name: value for name, value in (survey or {}).items() if not personal(name)} or None
        if survey is not None and any(name[0] == person for name in answers_by_key):
            intake.leave_out(row.file, row.row, "a later answer of the same person")
            continue
        for question, value in (survey or {}).items():
            text = value if isinstance(value, str) else None if value is None else str(value)
            if text is not None and text.strip():
                answers_by_key[person, None, question] = _answer(person, None, question, text)
    if bonus:
        for game in games:
            for seat in game.seats.values():
                if seat.bonus is not None:
                    answers_by_key[seat.person, game.name, "bonus"] = _answer(
                        seat.person, game.name, "bonus", seat.bonus
                    )
    return list(answers_by_key.values())


def _answer(person: str, game: str | None, question: str, text: str) -> dict[str, Any]:
    return {"participant_id": person, "game_id": game, "question": question, "answer": text}


FORMAT = Format(
    "empirica",
    "Empirica's export: a folder (or its .zip) with games.csv, players.csv, rounds.csv, playerGames.csv, ...",
    _matches,
    _read,
    {"bonus": "True: the bonus (money) as an answer"},
    roles={"playerCount": "setting"},
)
