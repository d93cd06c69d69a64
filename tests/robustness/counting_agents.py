"""The oracle for logs of agents and language models: counts by other readers than the package's."""

from __future__ import annotations

import ast
import csv
import io
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from negstats.studies.study import Study
from tests.robustness.counting import Amiss, Unjudged
from tests.robustness.counting import _agree as agree
from tests.robustness.counting import _json as strict_json
from tests.robustness.counting import _sheet as sheet

MISSING = ("", "nan", "NaN", "None", "null", "NULL", "N/A")


def _files(root: Path, pattern: str) -> list[Path]:
    return [root] if root.is_file() else sorted(file for file in root.rglob(pattern) if file.is_file())


def _table(file: Path, delimiter: str = ",") -> list[dict[str, str]]:
    """Return the rows of a text file; a ragged one must not have been taken."""
    text = file.read_bytes().decode("utf-8-sig")
    records = [cells for cells in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if cells]
    names = [name.strip() for name in records[0]]
    try:
        return [dict(zip(names, cells, strict=True)) for cells in records[1:]]
    except ValueError:
        raise Amiss(f"took a table with rows of different lengths: {file.name}") from None


def _yaml(file: Path) -> Any:
    try:
        return yaml.load(file.read_bytes(), Loader=yaml.BaseLoader)  # noqa: S506 - it makes nothing but text
    except Exception as error:
        raise Unjudged(str(error)) from None


def _there(cell: str | None) -> bool:
    return cell is not None and cell.strip() not in MISSING


def _literal(cell: str) -> Any:
    try:
        return ast.literal_eval(cell.strip())
    except Exception:
        raise Unjudged(f"{cell!r} is not a literal to Python itself") from None


def _near(what: str, held: float, counted: float) -> None:
    if not math.isclose(held, counted, rel_tol=1e-9, abs_tol=1e-9):
        agree(what, held, counted)


def _scored(study: Study) -> list[float]:
    values: list[float] = study.players["points"].dropna().tolist()
    return values


def negmas(study: Study, root: Path) -> None:
    offers = items = sessions = 0
    worth, points = 0.0, []
    known = {"time", "relative_time", "step", "negotiator", "offer", "responses", "state", "text", "data"}
    for file in _files(root, "trace.csv"):
        sessions += 1
        rows = _table(file)
        values = [row for row in rows if _there(row.get("offer"))]
        columns = [name for name in (rows[0] if rows else {}) if name and name not in known]
        offers += len(values)
        items += sum(len(_literal(row["offer"])) for row in values)
        # An infinite utility is the platform's word for none.
        utilities_told = [float(row[name]) for row in values for name in columns if _there(row[name])]
        worth += math.fsum(utility for utility in utilities_told if math.isfinite(utility))
        outcome = _yaml(file.parent / "outcome_stats.yaml") or {}
        utilities = outcome.get("utilities") or []
        if outcome.get("agreement") not in (None, "null", "") and str(outcome.get("has_error")).lower() != "true":
            points += [float(value) for value in utilities if value not in MISSING]
    agree("games", len(study.games), sessions)
    agree("offers", len(study.offers), offers)
    agree("items", len(study.items), items)
    total = study.offers[["value_proposer", "value_responder"]].sum().sum()
    _near("utilities", float(total), worth)
    _near("points", math.fsum(_scored(study)), math.fsum(points))


def negolog(study: Study, root: Path) -> None:
    offers, worth = 0, 0.0
    for file in _files(root, "*_Domain*.xlsx"):
        rows = sheet(file)
        names = [str(cell).strip() for cell in rows[0]]
        results = [dict(zip(names, row, strict=False)) for row in rows[1:]]
        results = [row for row in results if str(row.get("Action")).strip() == "Offer"]
        offers += len(results)
        cells = [row.get(name) for row in results for name in ("AgentAUtility", "AgentBUtility")]
        worth += sum(float(cell) for cell in cells if cell is not None and _there(str(cell)))
    agree("offers", len(study.offers), offers)
    _near("utilities", float(study.offers[["value_proposer", "value_responder"]].sum().sum()), worth)
    if len(_scored(study)) > 2 * int((study.games["ended"] == "agreement").sum()):
        raise Amiss("more seats have points than agreed")


def negotiationarena(study: Study, root: Path) -> None:
    turns = trades = 0
    for file in _files(root, "game_state.json"):
        state = strict_json(file.read_bytes(), lenient=True)
        values = [each for each in state["game_state"] if str(each.get("current_iteration")) not in ("START", "END")]
        turns += len(values)
        public = [each.get("player_public_info_dict") or {} for each in values]
        answers = [str(each.get("player answer") or "NONE").strip().upper() for each in public]
        trades += sum(
            isinstance(each.get("newly proposed trade"), dict) and answer not in ("ACCEPT", "REJECT")
            for each, answer in zip(public, answers, strict=True)
        )
    agree("messages", len(study.messages), turns)
    agree("offers", len(study.offers), trades)


def llm_deliberation(study: Study, root: Path) -> None:
    left = {row.path for row in study.provenance.left_out}
    rounds = value = 0
    for file in _files(root, "history*.json"):
        if file.relative_to(root).as_posix() in left:
            continue
        spoken = strict_json(file.read_bytes(), lenient=True)["rounds"]
        rounds += len(spoken)
        answers = [each.get("public_answer") for each in spoken]
        texts = [answer.replace("\n", "") if isinstance(answer, str) else "" for answer in answers]
        letters = sorted(set(study.values["item"]))
        value += sum(bool(re.search(f"{letter}[1-9]", text)) for text in texts for letter in letters)
    agree("messages", len(study.messages), rounds)
    agree("items", len(study.items), value)


def lamen(study: Study, root: Path) -> None:
    rows = [row for file in _files(root, "negotiations.csv") for row in _table(file)]
    agree("messages", len(study.messages), len(rows))
    states = [_literal(row["issues_state"]) for row in rows if _there(row["issues_state"])]
    accepts = int((study.messages["act"] == "accept").sum())
    agree("offers", len(study.offers), sum(bool(state) for state in states) - accepts)
    agree("agreed", int((study.games["ended"] == "agreement").sum()), accepts)


def genius(study: Study, root: Path) -> None:
    left = sum(row.row > 0 for row in study.provenance.left_out)
    lines, scored = 0, 0
    for file in _files(root, "*.csv"):
        text = file.read_bytes().decode("utf-8-sig")
        match = re.match(r"sep=(.)\r?\n", text, re.IGNORECASE)
        text, delimiter = (text[match.end() :], match[1]) if match else (text, ";")
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
        records = [cells for cells in reader if any(map(str.strip, cells))]
        names = [name.strip() for name in records[0]] if records else []
        if "Exception" not in names:
            raise Unjudged("is not a tournament's table any more")
        lines += max(0, len(records) - 1)
        rows = [dict(zip(names, cells, strict=True)) for cells in records[1:] if len(cells) == len(names)]
        rows = [row for row in rows if not _there(row["Exception"])]
        scored += sum(_there(row.get(f"Utility {n}")) and _there(row.get(f"Agent {n}")) for row in rows for n in (1, 2))
    agree("games", len(study.games), lines - left)
    agree("points", len(_scored(study)), scored)


def geniusweb(study: Study, root: Path) -> None:
    offers = 0
    for file in _files(root, "*.json"):
        state = strict_json(file.read_bytes(), lenient=True)
        state = state.get("SAOPState", state)
        offers += sum(next(iter(action)).lower() == "offer" for action in state["actions"])
    agree("offers", len(study.offers), offers)
    agree("items", len(study.items) >= offers, True)


def job_interview(study: Study, root: Path) -> None:
    games = bids = value = 0
    for file in _files(root, "*.json"):
        content = strict_json(file.read_bytes(), lenient=True)
        games += len(content)
        bids += sum(len(game.get("solutions") or game.get("bids") or []) for game in content)
        value += sum(len(game.get("comments") or []) for game in content)
    agree("games", len(study.games), games)
    agree("offers", len(study.offers), bids)
    agree("messages", len(study.messages), value)


COUNTS: dict[str, Callable[[Study, Path], None]] = {
    "negmas": negmas,
    "negolog": negolog,
    "negotiationarena": negotiationarena,
    "llm_deliberation": llm_deliberation,
    "lamen": lamen,
    "genius": genius,
    "geniusweb": geniusweb,
    "job_interview": job_interview,
}
