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
    ``meta`` of utterances, ``vectors``, replies that are not to the utterance before, fields that the format does not
    have and binary files have no place in the tables: dropped, and noted. So is ``meta`` that was added to an export. A
    conversation that ``conversations.json`` does not list is a game without factors; one without utterances is a game
    without messages. An utterance without speaker or conversation, and one with the id of another, are a LogError that
    names the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd

from negstats.errors import LogError, shown
from negstats.loaders.files.damaged import units_left_out, within_game
from negstats.loaders.files.intake import Intake
from negstats.loaders.files.literals import is_number
from negstats.loaders.files.objects import json_object
from negstats.loaders.files.row_tables import Gathered, game_factors
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
# What the format has in an utterance and in an entry of conversations or speakers, by the names of all its versions.
_OF_UTTERANCE = frozenset(
    ("id", "conversation_id", "root", "text", "speaker", "user", "meta", "reply-to", "reply_to", "timestamp", "vectors")
)
_OF_ENTRY = frozenset(("meta", "vectors"))
_OF_EXPORT = frozenset(("message", "time_s", "sender", "act", "labels", "no_text"))
_CONVERSATION = re.compile(rb'"(?:conversation_id|root)"\s*:\s*"([^"\\]+)"')  # in a line that is not JSON


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
    utterances = _utterances(folder / UTTERANCES, objects[CONVERSATIONS], intake)
    for file in sorted(folder.iterdir()):
        if file.is_file() and file.name not in (*objects, UTTERANCES, INDEX):
            intake.leave_out(file, 0, "no part of a corpus that the tables have a place for")
    conversations = _entries(objects[CONVERSATIONS], folder / CONVERSATIONS, intake, units_left_out())
    speakers = _entries(objects[names[1]], folder / names[1], intake)
    if not conversations and not utterances:
        raise LogError("has no conversations", file=folder / CONVERSATIONS)
    own = objects.get(CORPUS, {}).get(OWN)
    if isinstance(own, dict):
        _add_own(rows, own, conversations, utterances, folder)
        tables = rows.tables()
        tables["games"] = _with_factors(tables["games"], own.get("factors", {}), conversations, folder / CORPUS)
        _count_added(own, conversations, speakers, utterances, intake)
    else:
        _add_corpus(rows, conversations, speakers, utterances, intake)
        tables = rows.tables()
    return Study(provenance=intake.provenance(FORMAT.name, VERSION), **tables)


def _utterances(file: Path, conversations: Mapping[str, Any], intake: Intake) -> list[dict[str, Any]]:
    """Return the utterances with ``speaker``, ``game`` and ``row``, whatever the corpus calls them."""
    data = intake.read(file)
    utterances, seen, units_out = list[dict[str, Any]](), dict[str, int](), units_left_out()
    for row, line in intake.numbered(file, data):
        try:
            one = json_object(line, file)
            unit = one.get("conversation_id", one.get("root"))
            fault = None
        except LogError as error:
            names = {name.decode("utf-8", "replace") for name in _CONVERSATION.findall(line)} & conversations.keys()
            unit = names.pop() if len(names) == 1 else None
            fault = LogError(error.reason, file=file, row=row, column=error.column)
        if isinstance(unit, str) and unit in units_out:
            continue
        with _within(unit):
            if fault is not None:
                raise fault
            utterance = _utterance(one, file, row)
            if utterance["id"] in seen:
                reason = f"{shown(utterance['id'])} is the id of line {seen[utterance['id']]} too"
                raise LogError(reason, file=file, row=row, column="id")
        seen[utterance["id"]] = row
        utterances.append(utterance)
    intake.add(file, data, len(utterances))
    _count_fields(utterances, intake)
    return utterances


@contextmanager
def _within(unit: object) -> Iterator[None]:
    """Say of a fault which conversation it is in, if that is known."""
    if isinstance(unit, str) and unit:
        with within_game(unit):
            yield
    else:
        yield


def _utterance(one: Mapping[str, Any], file: Path, row: int) -> dict[str, Any]:
    speaker = one.get("speaker", one.get("user"))
    for column, value in (("id", one.get("id")), ("speaker", speaker)):
        if not isinstance(value, str) or not value:
            raise LogError(f"{shown(value)} is not a name", file=file, row=row, column=column)
    conversation = one.get("conversation_id", one.get("root"))
    if not isinstance(conversation, str) or not conversation:
        raise LogError(f"{shown(conversation)} is not a name", file=file, row=row, column="conversation_id")
    if not isinstance(one.get("text"), str | None):
        raise LogError(f"{shown(one['text'])} is not text", file=file, row=row, column="text")
    time = one.get("timestamp")
    if isinstance(time, str):
        time = _number(time)
    if time is not None and not is_number(time):
        raise LogError(f"{shown(one['timestamp'])} is not a number", file=file, row=row, column="timestamp")
    meta = one.get("meta") or {}
    if not isinstance(meta, dict):
        raise LogError(f"{shown(meta)} is not a JSON object", file=file, row=row, column="meta")
    return {
        "row": row,
        "id": one["id"],
        "speaker": speaker,
        "game": conversation,
        "text": one.get("text"),
        "time": time,
        "meta": meta,
        "reply": one.get("reply-to", one.get("reply_to")),
        "fields": one.keys() - _OF_UTTERANCE,
        "vectors": one.get("vectors"),
    }


def _count_fields(utterances: list[dict[str, Any]], intake: Intake) -> None:
    """Count what the lines say that the tables have no place for, and what they do not say."""
    last: dict[str, str] = {}
    elsewhere = 0
    for utterance in utterances:
        elsewhere += utterance["reply"] is not None and utterance["reply"] != last.get(utterance["game"])
        last[utterance["game"]] = utterance["id"]
    intake.count("{0} utterances reply to another one than the one before; this is dropped", elsewhere)
    intake.count(
        "{0} utterances have vectors, which are dropped", sum(bool(utterance["vectors"]) for utterance in utterances)
    )
    unknown = sorted(set[str]().union(*(utterance["fields"] for utterance in utterances)))
    names = ", ".join(shown(name) for name in unknown[:5]).replace("{", "{{").replace("}", "}}")
    counted = sum(bool(utterance["fields"]) for utterance in utterances)
    intake.count(f"{{0}} utterances have fields that the format does not have, which are dropped: {names}", counted)
    intake.count("{0} utterances have no text", sum(utterance["text"] is None for utterance in utterances))


def _number(text: str) -> float | str:
    """Return the number that a text holds, or the text: some corpora write timestamps as text."""
    try:
        return float(text)
    except ValueError:
        return text


def _entries(
    content: Mapping[str, Any], file: Path, intake: Intake, units_out: frozenset[str] = frozenset()
) -> dict[str, dict[str, Any]]:
    """Return the ``meta`` of each conversation or speaker; old corpora have it without the word."""
    entries, n_partial = {}, 0
    for name, entry in content.items():
        if name in units_out:
            continue
        meta = entry.get("meta", entry) if isinstance(entry, dict) else entry
        if not isinstance(meta, dict):
            fault = LogError(f"{shown(entry)} is not a JSON object", file=file, column=name)
            with _within(name if file.name == CONVERSATIONS else None):
                raise fault
        if meta is entry:
            meta = {key: value for key, value in entry.items() if key != "vectors" or value}
        else:
            n_partial += bool(entry.keys() - _OF_ENTRY or entry.get("vectors"))
        entries[name] = meta
    intake.count(
        f"{{0}} entries of {file.name} have vectors or fields in addition to their meta, which are dropped",
        n_partial,
    )
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
    for utterance in utterances:
        by_game.setdefault(utterance["game"], []).append(utterance)
        dropped += bool(utterance["meta"])
    people: dict[str, None] = {}
    for game, own_utterances in by_game.items():
        meta = conversations.get(game, {})
        scalars = {name: value for name, value in meta.items() if isinstance(value, _SCALARS)}
        dropped += len(meta) > len(scalars)
        rows.add("games", game_id=game, ended="unknown", protocol="chat", **game_factors(scalars, "meta"))
        for person in dict.fromkeys(utterance["speaker"] for utterance in own_utterances):
            rows.add("players", game_id=game, player=person, participant_id=person)
            people[person] = None
        times = [utterance["time"] for utterance in own_utterances if utterance["time"] is not None]
        for utterance in own_utterances:
            time_s = None if utterance["time"] is None else float(utterance["time"] - min(times))
            rows.add_next("messages", game, time_s=time_s, sender=utterance["speaker"], text=utterance["text"])
    unplaced = 0
    for person in people:
        answers = speakers.get(person, {})
        scalars = {question: answer for question, answer in answers.items() if isinstance(answer, _SCALARS)}
        unplaced += len(answers) > len(scalars)
        for question, answer in scalars.items():
            rows.add("answers", participant_id=person, question=question, answer=str(answer))
    intake.count("{0} speakers have meta without a place in the tables", unplaced)
    intake.count("{0} conversations and utterances have meta without a place in the tables", dropped)
    empty = sum(not own_utterances for own_utterances in by_game.values())
    intake.count("{0} of {1} conversations have no utterance", empty, len(by_game))
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
    for utterance in utterances:
        meta = utterance["meta"]
        text = None if meta.get("no_text") else utterance["text"]
        cells = {name: meta.get(name) for name in ("message", "time_s", "sender", "act", "labels")}
        if not isinstance(cells["message"], int) or not isinstance(cells["sender"], str):
            file = folder / UTTERANCES
            raise LogError(
                "an exported utterance needs message and sender", file=file, row=utterance["row"], column="meta"
            )
        rows.add("messages", game_id=utterance["game"], text=text, **cells)
    for table, table_rows in _tables(own.get("tables", {}), folder / CORPUS).items():
        for row in table_rows:
            rows.add(table, **row)


def _count_added(
    own: Mapping[str, Any],
    conversations: Mapping[str, Mapping[str, Any]],
    speakers: Mapping[str, Mapping[str, Any]],
    utterances: list[dict[str, Any]],
    intake: Intake,
) -> None:
    """Count the meta that an export does not write: another program added it, and it has no place in the tables."""
    known = {OWN, *TABLES["games"].names, *own.get("factors", {})}
    added = sum(bool(meta.keys() - known) for meta in conversations.values())
    added += sum(bool(utterance["meta"].keys() - _OF_EXPORT) for utterance in utterances)
    intake.count("{0} conversations and utterances have meta without a place in the tables", added)
    intake.count("{0} speakers have meta without a place in the tables", sum(map(bool, speakers.values())))


def _tables(content: Any, file: Path) -> dict[str, list[dict[str, Any]]]:
    """Return rows by table, after a look whether they are what an export writes."""
    if not isinstance(content, dict):
        raise LogError(f"{shown(content)} is not a JSON object of tables", file=file, column=OWN)
    for table, table_rows in content.items():
        is_known = table in TABLES and table not in ("games", "messages")
        if not is_known or not isinstance(table_rows, list) or not all(isinstance(row, dict) for row in table_rows):
            raise LogError(f"{shown(table)} is not a table of an export", file=file, column=OWN)
    return content


def _with_factors(
    games: pd.DataFrame, kinds: Any, conversations: Mapping[str, Mapping[str, Any]], file: Path
) -> pd.DataFrame:
    """Return the games of an export with its factors, each of its kind; JSON alone knows fewer kinds."""
    if not isinstance(kinds, dict) or not set(map(str, kinds.values())) <= KINDS:
        raise LogError(f"{shown(kinds)} says no kinds of factors", file=file, column=OWN)
    columns = {name: games[name] for name in TABLES["games"].names}
    for name, kind in kinds.items():
        values = [meta.get(name) for meta in conversations.values()]
        try:
            if kind == "bool" and not all(isinstance(value, bool) for value in values):
                raise TypeError  # of pandas, a value that is not there would be False
            columns[name] = pd.Series(values, dtype=kind)
        except (TypeError, ValueError):
            raise LogError(f"factor {shown(name)} is not of the kind {kind}", file=file, column=OWN) from None
    return conform("games", columns)


FORMAT = Format(
    "convokit",
    "ConvoKit: a corpus folder with utterances.jsonl, conversations.json and speakers.json",
    _matches,
    _read,
)
