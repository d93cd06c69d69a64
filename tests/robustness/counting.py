"""The oracle: what a raw log holds, counted without any of the package's readers, against what the study holds.

Each function returns what is amiss in one line, or None. Reading here is strict: JSON by Python's parser, a key twice
or a field that the format does not have is amiss if the loader took it, for something was lost without a word.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow.parquet import read_table as read_parquet

from negstats.studies.study import Study


class Amiss(Exception):  # noqa: N818 - it is not an error of the package
    """A loader took what it should have refused, or holds something else than the log."""


def amiss(study: Study, root: Path, before: Study | None = None) -> str | None:
    """Return how a study differs from the log at `root`; `before` is a saved study as it was written."""
    try:
        if before is not None:
            _same(study, before)
        else:
            from tests.robustness.counting_agents import COUNTS as AGENTS  # it uses what stands here

            (COUNTS | AGENTS)[study.provenance.loader](study, root)
    except Amiss as found:
        return str(found)
    return None


def _agree(what: str, held: object, counted: object) -> None:
    if held != counted:
        raise Amiss(f"{what}: the study holds {held!r}, the log {counted!r}"[:400])


# ---- JSON


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise Amiss(f"took an object with a key twice: {[key for key, _ in pairs]}")
    return values


def _json(data: bytes, *, lenient: bool = False) -> Any:
    def constant(name: str) -> str | None:
        if not lenient:
            raise ValueError(f"{name} is not JSON")
        return None if name == "NaN" else name

    try:
        return json.loads(
            data.decode("utf-8-sig" if lenient else "utf-8"), object_pairs_hook=_unique, parse_constant=constant
        )
    except ValueError as error:
        raise Amiss(f"took what is not JSON: {error}") from None


def _events(root: Path, known: dict[str, str]) -> Iterator[dict[str, Any]]:
    for file in [root] if root.is_file() else sorted(root.glob("*.jsonl")):
        data = file.read_bytes()
        # A lone CR is white space inside an object, and the end of a line where there is no LF.
        for line in data.split(b"\n") if b"\n" in data else data.split(b"\r"):
            if line.strip():
                event = _json(line)
                strange = event.keys() - {"event", *known[event["event"]].split()}
                if strange:
                    raise Amiss(f"took the field {strange.pop()!r} of {event['event']!r} and lost it")
                yield event


def _told(value: Any) -> float | None:
    return None if value is None else float(value)


def _points(study: Study) -> dict[tuple[str, str], float | None]:
    rows = study.players[["game_id", "player", "points"]].itertuples(index=False)
    return {(game, seat): None if math.isnan(points) else points for game, seat, points in rows}


def _lengths(study: Study, **counts: int) -> None:
    for table, count in counts.items():
        _agree(table, len(study.tables[table]), count)


def contract(study: Study, root: Path) -> None:
    known = {
        "game": "game players study scenario protocol started_at factors chip_points",
        "offer": "game from to asks gives response round time_s commitment",
        "move": "game player square paid round",
        "message": "game player text time_s",
        "end": "game ended rounds points reached_goal",
    }
    events = list(_events(root, known))
    count = Counter(event["event"] for event in events)
    seats = {(e["game"], seat["player"]): None for e in events if e["event"] == "game" for seat in e["players"]}
    scored: dict[tuple[str, str], float | None] = dict(seats)
    for event in events:
        if event["event"] == "end":
            pairs = (event.get("points") or {}).items()
            scored |= {(event["game"], seat): _told(points) for seat, points in pairs}
        for seat in event.get("players") or () if event["event"] == "game" else ():
            if seat.keys() - {"player", "role", "agent", "participant", "batna"}:
                raise Amiss(f"took a field of a player and lost it: {list(seat)}")
    _lengths(study, games=count["game"], offers=count["offer"], moves=count["move"], messages=count["message"])
    _agree("points", _points(study), scored)
    units = sum(sum(event[way].values()) for event in events if event["event"] == "offer" for way in ("asks", "gives"))
    _agree("units", float(study.items["quantity"].sum()), float(units))


def favors(study: Study, root: Path) -> None:
    known = {
        "session": "session condition language returns participant agent study scenario started_at",
        "negotiation": "session negotiation proposer batna outcomes",
        "message": "session from text act",
        "offer": "session from player agent framing",
        "answer": "session accepted",
        "end": "session points",
    }
    last = ""
    scored: dict[tuple[str, str], float | None] = {}
    current: dict[str, str] = {}
    count: Counter[str] = Counter()
    worth = 0.0
    for event in _events(root, known):
        kind = event["event"]
        count[kind] += 1
        if kind == "session":
            last = event["session"]
            continue
        session = event.get("session") or last
        if kind == "negotiation":
            current[session] = f"{session} n{event['negotiation']}"
            scored |= {(current[session], seat): None for seat in ("player", "agent")}
        elif kind == "offer":
            worth += event["player"] + event["agent"]
        elif kind == "end":
            pairs = (event.get("points") or {}).items()
            scored |= {(current[session], seat): _told(points) for seat, points in pairs}
    _lengths(study, games=count["negotiation"], offers=count["offer"], messages=count["message"])
    held = _points(study)
    derived = [seat for seat, points in scored.items() if points is None and held[seat] is not None]
    if derived:  # points of an accepted offer are told in a note, and are not the log's
        _agree(
            "derived",
            any(f"{len(derived)} of {len(held)} points are derived" in n for n in study.provenance.notes),
            True,
        )
    _agree("points", held, scored | {seat: held[seat] for seat in derived})
    _agree("values", float(study.offers[["value_proposer", "value_responder"]].sum().sum()), float(worth))


def dominance(study: Study, root: Path) -> None:
    known = {
        "talk": "talk domain relations participants orders scores study scenario protocol started_at",
        "utterance": "talk from type criterion less more value option text time_s",
        "end": "talk ended option",
    }
    events = list(_events(root, known))
    count = Counter(event["event"] for event in events)
    ends = {event["talk"]: "unknown" for event in events}
    ends |= {event["talk"]: event["ended"] for event in events if event["event"] == "end"}
    for event in events:
        for part, names in (("relations", "AB"), ("participants", "AB"), ("orders", "AB"), ("scores", "AB")):
            if (event.get(part) or {}).keys() - set(names):
                raise Amiss(f"took a seat of {part} and lost it: {list(event[part])}")
    _lengths(study, games=count["talk"], messages=count["utterance"])
    _agree("offers", len(study.offers), sum(event.get("type") == "propose" for event in events))
    _agree("ends", dict(study.games[["game_id", "ended"]].itertuples(index=False)), ends)


def dealornodeal_acts(study: Study, root: Path) -> None:
    known = {
        "game": "game counts players first study scenario protocol seed factors",
        "act": "game number player act units",
        "end": "game ended points",
    }
    events = list(_events(root, known))
    count = Counter(event["event"] for event in events)
    games = [event for event in events if event["event"] == "game"]
    scored: dict[tuple[str, str], float | None] = {(e["game"], s["player"]): None for e in games for s in e["players"]}
    for event in events:
        if event["event"] == "end":
            scored |= {(event["game"], seat): float(points) for seat, points in event["points"].items()}
    for seat in (seat for event in games for seat in event["players"]):
        if seat.keys() - {"player", "values", "agent", "participant", "batna"}:
            raise Amiss(f"took a field of a player and lost it: {list(seat)}")
    _lengths(study, games=count["game"], messages=count["act"])
    _agree("offers", len(study.offers), sum(event.get("act") == "propose" for event in events))
    _agree("points", _points(study), scored)


def rulesheet(study: Study, root: Path) -> None:
    known = {
        "sheet": "sheet sha256 roles text parameters batna values",
        "game": "game sheet players study scenario factors started_at",
        "step": "game round moves chosen_by offers",
        "end": "game ended payoffs",
    }
    events = list(_events(root, known))
    games = {event["game"]: event for event in events if event["event"] == "game"}
    scored: dict[tuple[str, str], float | None] = {
        (name, role): None for name in games for role in games[name]["players"]
    }
    proposals = 0
    for event in events:
        if event["event"] == "end":
            pairs = (event.get("payoffs") or {}).items()
            scored |= {(event["game"], role): _told(points) for role, points in pairs}
        if event["event"] == "step":
            proposals += sum(str(move).strip("() ").split()[0] == "propose" for move in event["moves"].values())
            for part in ("offers", "chosen_by"):
                if (event.get(part) or {}).keys() - event["moves"].keys():
                    raise Amiss(f"took a role of {part} and lost it: {list(event[part])}")
    _agree("games", list(study.games["game_id"]), list(games))
    _agree("offers", len(study.offers), proposals)
    _agree("points", _points(study), scored)


def casino(study: Study, root: Path) -> None:
    values, scores = set(study.games["game_id"]), _points(study)
    numbers = study.messages.groupby("game_id").size().to_dict()
    left = {(row.path, row.row) for row in study.provenance.left_out}
    n_messages = 0
    for file in [root] if root.is_file() else sorted(root.glob("*.json")):
        if (file.name, 0) in left:
            continue
        for row, dialogue in enumerate(_json(file.read_bytes()), 1):
            if (file.name, row) in left:
                continue
            n_messages += 1
            name = f"casino-{dialogue['dialogue_id']}"
            _agree("a dialogue", name in values, True)
            _agree("messages", numbers.get(name, 0), len(dialogue["chat_logs"]))
            for seat, person in dialogue["participant_info"].items():
                _agree("points", scores[name, seat], float(person["outcomes"]["points_scored"]))
    _agree("games", len(values), n_messages)


# ---- lines of text


REWARD = re.compile(r" reward=(\d+) agree ")


def dealornodeal(study: Study, root: Path) -> None:
    left = {(row.path, row.row) for row in study.provenance.left_out}
    mirrored = dict(zip(study.games["game_id"], study.games["mirrored"], strict=True))
    lone = {game for game, both in mirrored.items() if not both}
    n_games, scored = 0, 0
    for file in [root] if root.is_file() else sorted(root.glob("*.txt")):
        if (file.name, 0) in left:
            continue
        for row, line in enumerate(file.read_bytes().decode().removesuffix("\n").split("\n"), 1):
            if (file.name, row) in left:
                continue
            n_games += 1
            reward = REWARD.search(line)
            if reward and f"{file.stem}-{row}" not in lone and not line.startswith("<input>"):
                scored += int(reward[1])
    _agree("lines", sum(1 if game in lone else 2 for game in mirrored), n_games)
    both = study.players[~study.players["game_id"].isin(lone)]
    _agree("points", float(both["points"].sum()), float(scored))


# ---- tables


MOST_CELLS = 1_000_000
_MIXED = re.compile(rb'<c [^>]*t="(?!inlineStr")[^>]*><is>')


def _sheet(file: Path, name: str | None = None) -> list[list[Any]]:
    """Return a workbook's rows as openpyxl reads them; a part whose checksum is wrong must not have been taken."""
    import warnings

    from openpyxl import load_workbook

    data = file.read_bytes()
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for part in archive.namelist():
                if re.search(r"worksheets/|sharedStrings", part) and _MIXED.search(archive.read(part)):
                    raise ValueError("the two readers differ in a text that says it is none")
    except zipfile.BadZipFile as error:
        if "CRC" in str(error):
            raise Amiss(f"took a workbook whose part {part} is damaged") from None
        raise Unjudged(str(error)) from None
    except Exception as error:
        raise Unjudged(str(error)) from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            book = load_workbook(io.BytesIO(data), data_only=True)
        page = book.worksheets[0] if name is None else book[name]
        if page.max_row * page.max_column > MOST_CELLS:
            raise ValueError("the second reader would make room for all cells")
        return [list(row) for row in page.iter_rows(values_only=True)]
    except Exception as error:  # what a stricter reader does not take it cannot count
        raise Unjudged(str(error)) from None


class Unjudged(Exception):  # noqa: N818
    """The second reader cannot read what the first one could."""


def solver_cl(study: Study, root: Path) -> None:
    offers, total, left = 0, 0.0, 0
    files = (
        [root] if root.is_file() else sorted(path for path in root.rglob("negotiation_logs_*_*.xlsx") if path.is_file())
    )
    for file in files:
        rows = _sheet(file)
        header = [str(cell).strip() for cell in rows[0]]
        bidder, human = header.index("Bidder"), header.index("Human Utility")
        values = [row for row in rows[1:] if row[bidder] in ("Human", "Agent")]
        offers += len(values)
        left += len(rows) - 1 - len(values)
        total += sum(float(row[human]) for row in values)
    by_agent = study.offers["proposer"] == "Agent"
    utility_sum = study.offers["value_responder"].where(by_agent, study.offers["value_proposer"]).sum()
    _agree("offers", len(study.offers), offers)
    _agree("utilities", round(float(utility_sum), 6), round(total, 6))
    counted = sum(row.row > 0 for row in study.provenance.left_out)
    if counted < left:  # openpyxl drops empty rows at the end
        raise Amiss(f"{left} rows are not offers, {counted} are counted as left out")


def _rows(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a table with their numbers, as the mapping of the seeds names the columns."""
    data = file.read_bytes()
    match file.suffix:
        case ".csv" | ".tsv":
            text = data.decode("utf-8-sig")
            match = re.match(r"sep=(.)\r?\n", text, re.IGNORECASE)
            text = text[match.end() :] if match else text
            delimiter = match[1] if match else {".csv": ",", ".tsv": "\t"}[file.suffix]
            records = enumerate(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), 1)
            tuples = [(row, cells) for row, cells in records if cells]
            names = [name.strip() for name in tuples[0][1]]
            names = [f"{name}_2" if name in names[:place] else name for place, name in enumerate(names)]  # none is lost
            yield from ((row, dict(zip(names, cells, strict=True))) for row, cells in tuples[1:])
        case ".json":
            content = _json(data, lenient=True)
            if isinstance(content, dict):
                [content] = [v for v in content.values() if isinstance(v, list) and v and isinstance(v[0], dict)]
            yield from enumerate(content, 1)
        case ".jsonl":
            lines = enumerate(data.split(b"\n"), 1)
            yield from ((row, _json(line, lenient=True)) for row, line in lines if line.strip())
        case ".parquet":
            # What pandas noted about the columns for itself, and may be damaged alone, is none of the data.
            frame = read_parquet(io.BytesIO(data)).replace_schema_metadata(None).to_pandas().astype(object)
            frame = frame.where(frame.notna(), None)
            yield from enumerate(frame.to_dict("records"), 1)
        case _:
            rows = _sheet(file)
            names = [str(name).strip() for name in rows[0]]
            yield from ((place, dict(zip(names, row, strict=False))) for place, row in enumerate(rows[1:], 2))


def mapping(study: Study, root: Path) -> None:
    left = {row.row for row in study.provenance.left_out}
    rows = list(_rows(root))
    values = [cells for row, cells in rows if row not in left]
    values = [cells for cells in values if any(_cell(cell) != "" for cell in cells.values())]
    offered = [any(_cell(cells.get(column)) != "" for column in ("mine", "yours")) for cells in values]
    _agree("rows", len(study.offers), sum(offered))
    for cells, offer in zip(values, offered, strict=True):
        if not offer and _cell(cells.get("said")) == "":
            raise Amiss(f"a row is neither offer nor message, and is not left out: {cells}")
    for column, name in (("mine", "units_to_proposer"), ("yours", "units_to_responder")):
        results = [float(value) for cells in values if (value := _cell(cells.get(column))) != ""]
        stated_values = study.offers[name].dropna()
        _agree(f"numbers in {column}", len(stated_values), len(results))
        _agree(f"sum of {column}", float(stated_values.sum()), float(sum(results)))
    utterances = [text for cells in values if (text := _cell(cells.get("said"))) != ""]
    _agree("texts", len(study.messages), len(utterances))
    if all(isinstance(cells.get("said"), (str, type(None))) for cells in values):
        _agree("words", sorted(text.strip() for text in study.messages["text"]), sorted(utterances))
    if all(isinstance(cells.get("game"), (str, type(None))) for _, cells in rows):
        games, needed = set(study.games["game_id"]), {_name(cells.get("game")) for cells in values} - {""}
        outcomes = {_name(cells.get("game")) for _, cells in rows}
        if not needed <= games <= outcomes:  # a row that is left out may be all that is told of a game
            raise Amiss(f"games: the study holds {sorted(games)}, the log {sorted(needed)}")


def _name(value: object) -> str:
    """Return a name as a mapping reads it: 3.0 is 3."""
    return re.sub(r"^([+-]?\d+)\.0+$", r"\1", str(_cell(value)))


def _cell(value: object) -> Any:
    return "" if value is None else value.strip() if isinstance(value, str) else value


# ---- platforms' exports


def _told_cells(row: dict[str, Any]) -> dict[str, str]:
    return {name: cell for name, cell in row.items() if str(cell).strip()}


def _numbers_in(texts: list[str]) -> list[float]:
    return [value for text in texts if not math.isnan(value := float(text))]


def otree(study: Study, root: Path) -> None:
    left = {row.row for row in study.provenance.left_out if "the same row as" in row.reason}
    strangers = study.provenance.reasons().get("an offer of a player who has no row", 0)
    results = [_told_cells(cells) for row, cells in _rows(root) if row not in left]
    seated: list[tuple[dict[str, str], str]] = []
    for cells in results:
        blocks = (name.removesuffix("player.id_in_group") for name in cells if name.endswith("player.id_in_group"))
        seated += [(cells, block) for block in blocks]
    _agree("seats", len(study.players), len(seated))
    paid = _numbers_in([cells.get(f"{block}player.payoff", "nan") for cells, block in seated])
    _agree("points", round(float(study.players["points"].sum()), 6), round(sum(paid), 6))
    groups: dict[tuple[str, str, float], dict[str, str]] = {}
    for cells, block in seated:
        name = (cells["session.code"], block, float(cells[f"{block}group.id_in_subsession"]))
        groups.setdefault(name, {}).update({key: cells[key] for key in cells if key.startswith(f"{block}group.")})
    _agree("games", len(study.games), len(groups))
    offered = _numbers_in([group.get(f"{block}group.offer", "nan") for (_, block, _), group in groups.items()])
    _agree("offers", len(study.offers) + strangers, len(offered))
    if not strangers:
        _agree("units", float(study.offers["units_to_responder"].sum()), float(sum(offered)))
    moods = [
        text
        for cells, block in seated
        for name, text in cells.items()
        if name.startswith(f"{block}player.") and name.endswith("mood")
    ]
    mood_answers = study.answers.loc[study.answers["question"].str.endswith("mood"), "answer"]
    _agree("moods", sorted(mood_answers), sorted(moods))


def empirica(study: Study, root: Path) -> None:
    def rows(name: str) -> list[dict[str, str]]:
        left = {row.row for row in study.provenance.left_out if row.path == f"{name}.csv"}
        if name == "games":  # a message of nobody is left out under its game's row
            left = {row.row for row in study.provenance.left_out if row.reason == "a game that never began"}
        file = root / f"{name}.csv"
        return [_told_cells(cells) for row, cells in _rows(file) if row not in left] if file.is_file() else []

    games, rounds = rows("games"), rows("playerRounds")
    _agree("games", len(study.games), len(games))
    _agree("seats", len(study.players), len(rows("playerGames")))
    chats = [
        game.get("chat", "") for game in games
    ]  # version 1 writes entries with commas between them, and no brackets
    values = [_json((f"[{chat}]" if chat.startswith("{") else chat or "[]").encode()) or [] for chat in chats]
    strangers = sum("a chat message" in row.reason for row in study.provenance.left_out)
    _agree("messages", len(study.messages) + strangers, sum(map(len, values)))
    asked = [row for row in study.provenance.notes if "offers need a mapping" in row]
    offered = _numbers_in([cells.get("offer", "nan") for cells in rounds])
    if not asked:
        _agree("offers", len(study.offers), len(offered))
    results = [
        _json(cells["exitSurvey"].encode()) for cells in rows("players") if cells.get("exitSurvey", "")[:1] == "{"
    ]
    _agree("answers", len(study.answers), sum(bool(str(text or "").strip()) for of in results for text in of.values()))


def jspsych(study: Study, root: Path) -> None:
    left = {(row.path, row.row) for row in study.provenance.left_out}
    offers: list[float] = []
    questions = 0
    for file in sorted(file for file in root.iterdir() if file.is_file()):
        if (file.name, 0) in left:
            continue
        for row, cells in _rows(file):
            trial = {name: value for name, value in cells.items() if value is not None and str(value).strip()}
            if (file.name, row) in left:
                continue
            if "offer" in trial and ("accepted" in trial or trial["trial_type"].endswith("-button-response")):
                offers.append(float(trial["offer"]))
            elif "self" in trial:
                questions += 2
            else:
                response = (
                    trial["response"] if isinstance(trial["response"], dict) else _json(trial["response"].encode())
                )
                questions += sum(value is not None and bool(str(value).strip()) for value in response.values())
    _agree("games", len(study.games), len(offers))
    _agree("offers", float(study.offers["units_to_responder"].sum()), float(sum(offers)))
    _agree("answers", len(study.answers), questions)


def qualtrics(study: Study, root: Path) -> None:
    left = {row.row for row in study.provenance.left_out}
    data = root.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Unjudged("UTF-16, which the second reader does not take")
    names = [name.strip() for name in next(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))]
    again = any("saved again" in note for note in study.provenance.notes)
    (_, ids), *rows = list(_rows(root))[1:]
    results = [_told_cells(cells) for row, cells in rows if row not in left]
    if again or "ResponseId" not in names:
        raise Unjudged("a header that is damaged is read by its names")
    if {"dyad", "role"} <= set(names):
        seated = [row for row in results if "dyad" in row and "role" in row]
        _agree("seats", len(study.players), len(seated))
        paid = _numbers_in([row.get("points", "nan") for row in seated]) if "points" in names else []
        _agree("points", float(study.players["points"].sum()), float(sum(paid)))
    if {"Q1", "Q2"} <= set(
        names
    ):  # a column of either name is a question by its id alone, also where two have the name
        asked = [name for name in ids if name.removesuffix("_2") in ("Q1", "Q2") and '"QID' in ids[name]]
        questions = study.answers["question"].isin(asked)
        _agree("answers", int(questions.sum()), sum(name in row for row in results for name in asked))


def lioness(study: Study, root: Path) -> None:
    header, *rows = _sheet(root, "decisions")
    names = [str(name).strip() for name in header]
    results = [dict(zip(names, row, strict=False)) for row in rows]
    results = [row for row in results if any(_cell(cell) != "" for cell in row.values())]
    alone = [row for row in study.provenance.left_out if row.reason == "a player without a group"]
    _agree("rows", len(study.players) + len(alone), len(results))
    if "payoff" in names and "points" not in names and not alone[1:]:
        paid = _numbers_in([str(row["payoff"]) for row in results if _cell(row["payoff"]) != ""])
        _agree("points", round(float(study.players["points"].sum()), 6), round(sum(paid), 6))
    if "price" in names:
        prices = study.answers["question"].str.startswith("price")
        _agree("prices", int(prices.sum()), sum(_cell(row["price"]) != "" for row in results))


def convokit(study: Study, root: Path) -> None:
    """Count a corpus of others; what has no place in the tables must be in the notes."""
    folder = root if root.is_dir() else root.parent
    lines = (folder / "utterances.jsonl").read_bytes().splitlines()
    utterances = [_json(line, lenient=True) for line in lines if line.strip()]
    conversations = _json((folder / "conversations.json").read_bytes(), lenient=True)
    people = folder / "speakers.json"
    speakers = _json((people if people.is_file() else folder / "users.json").read_bytes(), lenient=True)
    notes = " ".join(study.provenance.notes)
    games = dict.fromkeys([*conversations, *(_either(one, "conversation_id", "root") for one in utterances)])
    seats = {(_either(one, "conversation_id", "root"), _either(one, "speaker", "user")) for one in utterances}
    _agree("games", list(study.games["game_id"]), list(games))
    _agree("seats", set(study.players[["game_id", "player"]].itertuples(index=False, name=None)), seats)
    ordered = sorted(utterances, key=lambda one: list(games).index(_either(one, "conversation_id", "root")))
    messages = study.messages.astype(object).where(study.messages.notna(), None)
    _agree("texts", messages["text"].tolist(), [one.get("text") for one in ordered])
    _agree("senders", messages["sender"].tolist(), [_either(one, "speaker", "user") for one in ordered])
    starts: dict[str, float] = {}
    for one in ordered:
        if one.get("timestamp") is not None:
            game = _either(one, "conversation_id", "root")
            starts[game] = min(starts.get(game, math.inf), float(one["timestamp"]))
    times = [
        None
        if one.get("timestamp") is None
        else float(one["timestamp"]) - starts[_either(one, "conversation_id", "root")]
        for one in ordered
    ]
    _agree("times", messages["time_s"].tolist(), times)
    known = {"id", "conversation_id", "root", "text", "speaker", "user", "meta", "reply-to", "timestamp", "vectors"}
    for words, lost in (
        ("fields that the format does not have", any(one.keys() - known for one in utterances)),
        ("utterances have vectors", any(one.get("vectors") for one in utterances)),
        ("have no text", any(one.get("text") is None for one in utterances)),
        ("conversations and utterances have meta", any(one.get("meta") for one in utterances)),
        ("entries of conversations.json", any(map(_beside, conversations.values()))),
        (f"entries of {people.name if people.is_file() else 'users.json'}", any(map(_beside, speakers.values()))),
    ):
        _agree(f"a note that {words}", words in notes, lost or (words.endswith("have meta") and words in notes))
    plain = (str, int, float, bool)
    answers = 0
    for person in {seat for _, seat in seats} & speakers.keys():
        meta = speakers[person].get("meta", speakers[person])
        answers += sum(isinstance(value, plain) for value in meta.values())
        if any(not isinstance(value, plain) and (value or key != "vectors") for key, value in meta.items()):
            _agree("a note of meta", "speakers have meta" in notes, True)
    _agree("answers", len(study.answers), answers)
    for game, entry in conversations.items():
        meta = entry.get("meta", entry)
        held = study.games[study.games["game_id"] == game].iloc[0]
        for name, value in meta.items():
            if isinstance(value, plain):
                column = next((one for one in (f"meta_{name}", name) if one in study.games.columns), None)
                if column is None:  # an export that another program added to
                    _agree("a note of meta", "conversations and utterances have meta" in notes, True)
                else:
                    is_same = pd.isna(held[column]) if value == "" else str(held[column]) in _spell(value)
                    _agree(f"factor {name}", bool(is_same), True)
            elif value or name != "vectors":
                _agree("a note of meta", "conversations and utterances have meta" in notes, True)


def _either(one: dict[str, Any], new: str, old: str) -> Any:
    return one[new] if new in one else one[old]


def _beside(entry: dict[str, Any]) -> bool:
    """Whether an entry has something beside its meta."""
    return "meta" in entry and bool(entry.keys() - {"meta", "vectors"} or entry.get("vectors"))


def _spell(value: Any) -> tuple[str, ...]:
    """Return a value of a factor as text, and a number as a column of numbers shows it."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return (str(value), str(float(value))) if is_number and abs(value) < 1e300 else (str(value),)


# ---- saved studies


def _same(study: Study, before: Study) -> None:
    for name, frame in before.tables.items():
        if not study.tables[name].equals(frame):
            raise Amiss(f"took a table {name} that is not what was written")
    _agree("provenance", study.provenance, before.provenance)


COUNTS: dict[str, Callable[[Study, Path], None]] = {
    "contract": contract,
    "favors": favors,
    "dominance": dominance,
    "dealornodeal_acts": dealornodeal_acts,
    "rulesheet": rulesheet,
    "casino": casino,
    "dealornodeal": dealornodeal,
    "solver_cl": solver_cl,
    "otree": otree,
    "empirica": empirica,
    "jspsych": jspsych,
    "qualtrics": qualtrics,
    "lioness": lioness,
    "convokit": convokit,
    "mapping": mapping,
}
