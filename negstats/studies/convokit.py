"""A study as a corpus of ConvoKit: a folder that ConvoKit opens, and `negstats.load` reads back as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from negstats.errors import UsageError
from negstats.tables import TABLES

if TYPE_CHECKING:
    from negstats.studies.study import Study

OWN = "negstats"
VERSION = 1  # of what is kept under the key


def write_corpus(study: Study, path: str | Path) -> Path:
    """Write a study to a new or empty folder in ConvoKit's format; see `negstats.Study.to_convokit`."""
    folder = Path(path)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder}: exists and is not empty; name a new folder")
        folder.mkdir(parents=True, exist_ok=True)
        _write(study.tables, folder)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror or error}") from None
    return folder


def _write(tables: dict[str, pd.DataFrame], folder: Path) -> None:
    people = _people(tables["players"])
    games = {row["game_id"]: _without(row, "game_id") for row in _rows(tables["games"])}
    conversations = {game: {"meta": meta, "vectors": list[Any]()} for game, meta in games.items()}
    # Rows of a game go with its conversation, rows of no game with the whole corpus.
    rows_of_no_game: dict[str, list[dict[str, Any]]] = {}
    for name, table in tables.items():
        if name in ("games", "messages"):
            continue
        for row in _rows(table):
            game = row.get("game_id")
            if game is None:
                rows_of_no_game.setdefault(name, []).append(row)
            else:
                own_tables = games[game].setdefault(OWN, {})
                own_tables.setdefault(name, []).append(_without(row, "game_id"))
    speakers: dict[str, dict[str, Any]] = {name: {"meta": {}, "vectors": []} for name in people.values()}
    with (folder / "utterances.jsonl").open("w", encoding="utf-8") as file:
        for utterance in _utterances(tables["messages"], people):
            speakers.setdefault(utterance["speaker"], {"meta": {}, "vectors": []})
            file.write(json.dumps(utterance, ensure_ascii=False) + "\n")
    _dump(folder / "conversations.json", conversations)
    _dump(folder / "speakers.json", speakers)
    _dump(
        folder / "corpus.json",
        {OWN: {"version": VERSION, "factors": _factors(tables["games"]), "tables": rows_of_no_game}},
    )
    _dump(folder / "index.json", _index(tables["games"]))


def _people(players: pd.DataFrame) -> dict[tuple[str, str], str]:
    """Return the speaker of each seat: the person, or the seat of the game where nobody is named."""
    return {
        (row["game_id"], row["player"]): row.get("participant_id") or f"{row['game_id']}/{row['player']}"
        for row in _rows(players[["game_id", "player", "participant_id"]])
    }


def _utterances(messages: pd.DataFrame, people: dict[tuple[str, str], str]) -> Iterator[dict[str, Any]]:
    """Yield the messages as utterances; each replies to the one before it in its game."""
    latest: dict[str, str] = {}
    for row in _rows(messages):
        game, number = row["game_id"], row["message"]
        name = f"{game}/{number}"
        meta: dict[str, Any] = {key: row[key] for key in ("message", "time_s", "sender", "act", "labels") if key in row}
        if "text" not in row:
            meta["no_text"] = True
        yield {
            "id": name,
            "conversation_id": game,
            "text": row.get("text", ""),
            "speaker": people.get((game, row["sender"]), f"{game}/{row['sender']}"),
            "meta": meta,
            "reply-to": latest.get(game),
            "timestamp": row.get("time_s"),
            "vectors": [],
        }
        latest[game] = name


def _index(games: pd.DataFrame) -> dict[str, Any]:
    """Return what ConvoKit wants to know of the types of meta before it opens the rest."""
    types = {"message": int, "time_s": float, "sender": str, "act": str, "labels": str, "no_text": bool}
    conversation_types = {name: [_type(games[name])] for name in games.columns if name != "game_id"}
    return {
        "utterances-index": {name: [str(type_)] for name, type_ in types.items()},
        "speakers-index": {},
        "conversations-index": {**conversation_types, OWN: [str(dict)]},
        "overall-index": {OWN: [str(dict)]},
        "version": 1,
        "vectors": [],
    }


def _type(column: pd.Series[Any]) -> str:
    types = pd.api.types
    candidates = ((types.is_bool_dtype, bool), (types.is_integer_dtype, int), (types.is_float_dtype, float))
    return str(next((candidate for is_candidate, candidate in candidates if is_candidate(column)), str))


def _factors(games: pd.DataFrame) -> dict[str, str]:
    """Return the kind of each factor, as pandas names it."""
    factors = (name for name in games.columns if name not in TABLES["games"].names)
    return {name: str(games[name].dtype) for name in factors}


def _rows(table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Yield rows as JSON holds them, without what is missing."""
    columns = list(table.columns)
    for values in zip(*(table[name].astype(object) for name in columns), strict=True):
        yield {name: _plain(value) for name, value in zip(columns, values, strict=True) if not pd.isna(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, pd.Timestamp):
        return value.isoformat()
    return value.item() if hasattr(value, "item") else value


def _without(row: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != name}


def _dump(file: Path, content: dict[str, Any]) -> None:
    file.write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")
