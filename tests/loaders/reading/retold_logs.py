"""Drawn logs in the shapes of programs that play games: folders of games, lists, transcripts, names as keys.

What happened is drawn by `drawn_logs`; here only the files differ, so that the truth is the same but for where the
condition stands.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.loaders.reading.drawn_logs import DrawnLog, Row
from tests.loaders.reading.judge_logs import LogTruth, condition_of

_OF_GAME = (
    "session",
    "group",
    "period",
    "game",
    "date",
    "version",
    "total",
    "agreement",
    "score_1",
    "score_2",
    "winner",
)
SHAPES = ("folders", "lists", "sections", "keyed", "transcript", "agents")
# Shapes that came later are told from seeds of their own, so that those before them tell what they told.
LATER_SHAPES = ("rounds_by_name", "run_of_rounds")
FIRST_OF_LATER = 10_000


class RetoldLog:
    """A drawn log in one of several shapes.

    Attributes
    ----------
    log : DrawnLog
        What happened.
    shape : str
        How the files tell it.
    """

    def __init__(self, seed: int) -> None:
        """Draw a log until there is one that has several acts in each game, and a shape in which it can be told."""
        rng = np.random.default_rng([48, seed])
        of_level = ("game", "session")
        while True:
            self.log = DrawnLog(int(rng.integers(10_000, 10**6)))
            named = self.log.naming in ("whole", "hash", "session") and self.log.kind in ("offer", "event", "message")
            named = named and self.log.level in of_level and self.log.actor not in ("absent", "both")
            later = LATER_SHAPES[seed % len(LATER_SHAPES)] if seed >= FIRST_OF_LATER else None
            if named and (later is None or self._may_be(later)):
                break
        able = [shape for shape in SHAPES if self._may_be(shape)]
        self.shape = later or able[int(rng.integers(len(able)))]

    def _may_be(self, shape: str) -> bool:
        log = self.log
        match shape:
            case "transcript":
                return log.kind == "message" and log.turn == "absent" and log.actor != "seat"
            case "agents" | "rounds_by_name":
                return (
                    log.kind == "offer"
                    and log.actor in ("role", "P", "models")
                    and log.turn in ("absent", "zero", "one")
                )
            case "lists":
                return log.kind != "event"
            case "sections" | "run_of_rounds":
                return not {"0", "1"}.issuperset(log.arms)  # numbers are no names of tables
        return True

    @property
    def truth(self) -> LogTruth:
        """What somebody who knows the study would read."""
        truth = LogTruth(self.log)
        if self.shape in ("folders", "sections", "run_of_rounds"):
            truth.condition = "source" if self.shape == "sections" else "folder"
        if self.shape == "lists":
            own = {self.log.names[key] for key in self._own}
            truth.outcomes = {f"{name}s" if name in own else name for name in truth.outcomes}
            truth.never = {f"{name}s" if name in own else name for name in truth.never}
        return truth

    @property
    def _own(self) -> list[str]:
        """What is told of each act."""
        return [key for key in self.log.keys if key not in (*_OF_GAME, condition_of(self.log))]

    def write(self, folder: Path) -> Path:
        """Write the files, and return the file or folder in which they are."""
        log = self.log
        games: dict[int, list[Row]] = {}
        for row in log.rows:
            games.setdefault(row["of"], []).append(row)
        told = [self._game(rows) for rows in games.values()]
        arms = [str(rows[0][condition_of(log)]) for rows in games.values()]
        match self.shape:
            case "folders" | "run_of_rounds":
                for place, (game, arm) in enumerate(zip(told, arms, strict=True)):
                    (folder / "logs" / arm).mkdir(parents=True, exist_ok=True)
                    (folder / "logs" / arm / f"run_{place:03}.json").write_text(json.dumps(game))
                return folder / "logs"
            case "lists":
                (file := folder / "log.jsonl").write_text("\n".join(map(json.dumps, told)))
                return file
            case "sections":
                of_arms: dict[str, list[Any]] = {arm: [] for arm in sorted({*arms})}
                for game, arm in zip(told, arms, strict=True):
                    of_arms[arm].append(game)
                content: object = of_arms
            case "keyed":
                content = {f"game_{place + 1}": game for place, game in enumerate(told)}
            case "transcript":
                pd.DataFrame(told).to_csv(file := folder / "log.csv", index=False)
                return file
            case _:
                content = told
        (file := folder / "log.json").write_text(json.dumps(content))
        return file

    def _game(self, rows: list[Row]) -> dict[str, Any]:
        """Return one game: what is one thing of it, and its turns."""
        log, names = self.log, self.log.names
        is_beside = self.shape in ("folders", "sections", "run_of_rounds")
        once = [*_OF_GAME, *([] if is_beside else [condition_of(log)])]
        game = {names[key]: rows[0][key] for key in log.keys if key in once}
        own = self._own
        turns = [{names[key]: row[key] for key in own if row.get(key, "") != ""} for row in rows]
        match self.shape:
            case "lists":
                return game | {f"{names[key]}s": [row.get(key) for row in rows] for key in own}
            case "transcript":
                return game | {names["text"]: "\n".join(f"{row['actor']}: {row['text']}" for row in rows)}
            case "agents":
                return game | {"rounds": self._rounds(rows, own)}
            case "rounds_by_name":
                return game | {"rounds": {f"round_{each.pop('round')}": each for each in self._rounds(rows, own)}}
            case "run_of_rounds":
                return {f"turn_{place}": game | turn for place, turn in enumerate(turns)}
        return game | {"turns": turns}

    def _rounds(self, rows: list[Row], own: list[str]) -> list[dict[str, Any]]:
        """Return rounds in each of which stands under their names what those who act did."""
        names = self.log.names
        rounds: list[dict[str, Any]] = []
        for row in rows:
            told = {names[key]: row[key] for key in own if key not in ("actor", "turn") and row.get(key, "") != ""}
            if not rounds or str(row["actor"]) in rounds[-1]:
                rounds.append({"round": len(rounds) + 1})
            rounds[-1][str(row["actor"])] = told
        return rounds
