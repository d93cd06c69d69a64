"""ConvoKit: corpora of conversations, each a folder of JSON (data card below).

Source
    J. P. Chang, C. Chiam, L. Fu, A. Wang, J. Zhang, C. Danescu-Niculescu-Mizil: ConvoKit: A Toolkit for the Analysis of
    Conversations, SIGDIAL 2020; convokit.cornell.edu (MIT). Each corpus has a licence of its own.
Known by
    ``utterances.jsonl`` in a folder with ``conversations.json`` and ``speakers.json`` (``users.json`` in old ones).
Game
    One conversation. It ends ``unknown``: the format has no word for how. What its ``meta`` says in text, numbers or
    yes and no becomes a factor; a name that is a column of the table of games gets ``meta_`` in front.
Player
    A speaker in a conversation: ``player`` and ``participant_id`` are the speaker's id, the same in all conversations.
Message
    One utterance, in the order of the file; an empty text stays one. ``time_s`` is the ``timestamp`` less the first one
    of the conversation.
Answer
    What a speaker's ``meta`` says, about the person.

A corpus that `negstats.Study.to_convokit` wrote (``corpus.json`` has the key ``negstats``) is read back as it was, with
all its tables.

Traps, and what is done about them
    Old corpora say ``user`` and ``root`` for ``speaker`` and ``conversation_id``. Lists and objects in ``meta``, the
    ``meta`` of utterances, ``vectors`` and binary files have no place in the tables: dropped, and noted. A conversation
    that ``conversations.json`` does not list is a game without factors; one without utterances is a game without
    messages. An utterance without speaker or conversation, and one with the id of another, are a LogError that names
    the line.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson
import pandas as pd

from negstats.errors import LogError, shown
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.objects import json_object
from negstats.loaders.files.row_tables import Gathered
from negstats.loaders.format import SIGNATURE, Evidence, Format, Track
from negstats.studies.study import Study
from negstats.tables import TABLES, conform

__all__ = ["FORMAT"]

VERSION = "1"
UTTERANCES = "utterances.jsonl"
CONVERSATIONS = "conversations.json"
SPEAKERS = ("speakers.json", "users.json")
CORPUS = "corpus.json"
INDEX = "index.json"
OWN = "negstats"  # the key under which an export keeps what the format has no place for
KINDS = {"bool", "boolean", "float64", "int64", "Int64", "str"}  # of factors that an export names
_SCALARS = (str, int, float, bool)


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent


def _matches(path: Path) -> Evidence | None:
    folder = _folder(path)
    if not path.is_dir() and path.name != UTTERANCES:
        return None
    others = [name for name in (CONVERSATIONS, *SPEAKERS) if (folder / name).is_file()]
    if len(others) < 2 or not (folder / UTTERANCES).is_file():
        return None
    files = (folder / UTTERANCES, *(folder / name for name in others))
    return Evidence(SIGNATURE, f"a folder with {UTTERANCES}, {' and '.join(others)}", files)


def _read(path: Path, track: Track) -> Study:
    folder, intake, rows = _folder(path), Intake(_folder(path)), Gathered()
    objects: dict[str, dict[str, Any]] = {}
    names = (CONVERSATIONS, next((name for name in SPEAKERS if (folder / name).is_file()), SPEAKERS[0]), CORPUS)
    files = [folder / name for name in names if name != CORPUS or (folder / name).is_file()]
    for file in track(files):
        data = intake.read(file)
        objects[file.name] = json_object(data, file)
        intake.add(file, data, len(objects[file.name]))
    utterances = _utterances(folder / UTTERANCES, intake)
    for file in sorted(folder.iterdir()):
        if file.is_file() and file.name not in (*objects, UTTERANCES, INDEX):
            intake.leave_out(file, 0, "no part of a corpus that the tables have a place for")
    conversations, speakers = (_entries(objects[name], folder / name) for name in names[:2])
    own = objects.get(CORPUS, {}).get(OWN)
    if isinstance(own, dict):
        _add_own(rows, own, conversations, utterances, folder)
        tables = rows.tables()
        tables["games"] = _with_factors(tables["games"], own.get("factors", {}), conversations, folder / CORPUS)
    else:
        _add_corpus(rows, conversations, speakers, utterances, intake)
        tables = rows.tables()
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **tables)


def _utterances(file: Path, intake: Intake) -> list[dict[str, Any]]:
    """Return the utterances with ``speaker``, ``conversation_id`` and ``row``, whatever the corpus calls them."""
    data = intake.read(file)
    utterances, seen = list[dict[str, Any]](), dict[str, int]()
    for row, line in intake.numbered(file, data):
        try:
            one = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            raise LogError(f"is no JSON: {error}", file=file, row=row) from None
        if not isinstance(one, dict):
            raise LogError(f"{shown(one)} is no JSON object", file=file, row=row)
        speaker = one.get("speaker", one.get("user"))
        for column, value in (("id", one.get("id")), ("speaker", speaker)):
            if not isinstance(value, str) or not value:
                raise LogError(f"{shown(value)} is no name", file=file, row=row, column=column)
        conversation = one.get("conversation_id", one.get("root"))
        if not isinstance(conversation, str) or not conversation:
            raise LogError(f"{shown(conversation)} is no name", file=file, row=row, column="conversation_id")
        if one["id"] in seen:
            first = seen[one["id"]]
            raise LogError(f"{shown(one['id'])} is the id of line {first} too", file=file, row=row, column="id")
        seen[one["id"]] = row
        if not isinstance(one.get("text"), str | None):
            raise LogError(f"{shown(one['text'])} is no text", file=file, row=row, column="text")
        time = one.get("timestamp")
        if isinstance(time, str):
            time = _number(time)
        if isinstance(time, bool) or not isinstance(time, int | float | None):
            raise LogError(f"{shown(one['timestamp'])} is no number", file=file, row=row, column="timestamp")
        meta = one.get("meta") or {}
        if not isinstance(meta, dict):
            raise LogError(f"{shown(meta)} is no JSON object", file=file, row=row, column="meta")
        utterances.append(
            {"row": row, "speaker": speaker, "game": conversation, "text": one.get("text"), "time": time, "meta": meta}
        )
    intake.add(file, data, len(utterances))
    return utterances


def _number(text: str) -> float | str:
    """Return the number that a text holds, or the text: some corpora write timestamps as text."""
    try:
        return float(text)
    except ValueError:
        return text


def _entries(content: Mapping[str, Any], file: Path) -> dict[str, dict[str, Any]]:
    """Return the ``meta`` of each conversation or speaker; old corpora have it without the word."""
    entries = {}
    for name, entry in content.items():
        meta = entry.get("meta", entry) if isinstance(entry, dict) else entry
        if not isinstance(meta, dict):
            raise LogError(f"{shown(entry)} is no JSON object", file=file, column=name)
        entries[name] = meta
    return entries


def _add_corpus(
    rows: Gathered,
    conversations: Mapping[str, Mapping[str, Any]],
    speakers: Mapping[str, Mapping[str, Any]],
    utterances: list[dict[str, Any]],
    intake: Intake,
) -> None:
    dropped = 0
    by_game: dict[str, list[dict[str, Any]]] = {game: [] for game in conversations}
    for one in utterances:
        by_game.setdefault(one["game"], []).append(one)
        dropped += bool(one["meta"])
    columns = TABLES["games"].names
    people: dict[str, None] = {}
    for game, own_utterances in by_game.items():
        meta = conversations.get(game, {})
        scalars = {name: value for name, value in meta.items() if isinstance(value, _SCALARS)}
        dropped += len(meta) > len(scalars)
        factors = {f"meta_{name}" if name in columns else name: value for name, value in scalars.items()}
        rows.add("games", game_id=game, ended="unknown", protocol="chat", **factors)
        for person in dict.fromkeys(one["speaker"] for one in own_utterances):
            rows.add("players", game_id=game, player=person, participant_id=person)
            people[person] = None
        times = [one["time"] for one in own_utterances if one["time"] is not None]
        for number, one in enumerate(own_utterances, 1):
            time_s = None if one["time"] is None else float(one["time"] - min(times))
            rows.add("messages", game_id=game, message=number, time_s=time_s, sender=one["speaker"], text=one["text"])
    for person in people:
        for question, answer in speakers.get(person, {}).items():
            if isinstance(answer, _SCALARS):
                rows.add("answers", participant_id=person, question=question, answer=str(answer))
    intake.count("{0} conversations and utterances have meta without a place in the tables", dropped)
    silent = sum(person not in people for person in speakers)
    intake.count("{0} speakers say nothing", silent)


def _add_own(
    rows: Gathered,
    own: Mapping[str, Any],
    conversations: Mapping[str, Mapping[str, Any]],
    utterances: list[dict[str, Any]],
    folder: Path,
) -> None:
    """Add the tables of a study that was exported."""
    for game, meta in conversations.items():
        tables = meta.get(OWN, {})
        rows.add("games", game_id=game, **{name: meta.get(name) for name in TABLES["games"].names if name != "game_id"})
        for table, table_rows in _tables(tables, folder / CONVERSATIONS).items():
            for row in table_rows:
                rows.add(table, game_id=game, **row)
    for one in utterances:
        meta = one["meta"]
        text = None if meta.get("no_text") else one["text"]
        cells = {name: meta.get(name) for name in ("message", "time_s", "sender", "act", "labels")}
        if not isinstance(cells["message"], int) or not isinstance(cells["sender"], str):
            file = folder / UTTERANCES
            raise LogError("an exported utterance needs message and sender", file=file, row=one["row"], column="meta")
        rows.add("messages", game_id=one["game"], text=text, **cells)
    for table, table_rows in _tables(own.get("tables", {}), folder / CORPUS).items():
        for row in table_rows:
            rows.add(table, **row)


def _tables(content: Any, file: Path) -> dict[str, list[dict[str, Any]]]:
    """Return rows by table, after a look whether they are what an export writes."""
    if not isinstance(content, dict):
        raise LogError(f"{shown(content)} is no JSON object of tables", file=file, column=OWN)
    for table, table_rows in content.items():
        is_known = table in TABLES and table not in ("games", "messages")
        if not is_known or not isinstance(table_rows, list) or not all(isinstance(row, dict) for row in table_rows):
            raise LogError(f"{shown(table)} is no table of an export", file=file, column=OWN)
    return content


def _with_factors(
    games: pd.DataFrame, kinds: Any, conversations: Mapping[str, Mapping[str, Any]], file: Path
) -> pd.DataFrame:
    """Return the games of an export with its factors, each of its kind; JSON alone knows fewer kinds."""
    if not isinstance(kinds, dict) or not set(map(str, kinds.values())) <= KINDS:
        raise LogError(f"{shown(kinds)} says no kinds of factors", file=file, column=OWN)
    columns = {name: games[name] for name in TABLES["games"].names}
    for name, kind in kinds.items():
        try:
            columns[name] = pd.Series([meta.get(name) for meta in conversations.values()], dtype=kind)
        except (TypeError, ValueError):
            raise LogError(f"factor {shown(name)} is not of the kind {kind}", file=file, column=OWN) from None
    return conform("games", columns)


FORMAT = Format(
    "convokit",
    "ConvoKit: a corpus folder with utterances.jsonl, conversations.json and speakers.json",
    _matches,
    _read,
)
