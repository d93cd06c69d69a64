"""What programs add to the logs of games that they play: costs, moments, settings, prompts, scores of judges, errors.

A log of `drawn_logs` or `retold_logs` is written, and then its files are dressed in one of several ways. What happened
stays the same, so that its truth stays the same but for what must be no condition.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from tests.loaders.reading.drawn_logs import DrawnLog
from tests.loaders.reading.judge_logs import LogTruth
from tests.loaders.reading.retold_logs import RetoldLog

Values: TypeAlias = dict[str, Any]
Draw: TypeAlias = Callable[[np.random.Generator], Values]
_COMMENTS = ("clear and polite", "pushes hard for more", "concedes too early", "asks before it offers", "stays firm")


def token_usage(rng: np.random.Generator) -> Values:
    """What an act cost."""
    prompt, answer = int(rng.integers(200, 2000)), int(rng.integers(5, 300))
    return {
        "usage": {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer},
        "cost_usd": round(prompt * 2e-6 + answer * 8e-6, 6),
        "latency_ms": int(rng.integers(300, 9000)),
        "finish_reason": "length" if rng.random() < 0.05 else "stop",
    }


def prompts_and_replies(rng: np.random.Generator) -> Values:
    """What a model was told before it acted, and all that it wrote."""
    number = int(rng.integers(10**6))
    return {
        "prompt": f"You take part in a negotiation about money. This is call {number}. What do you do next?",
        "raw_response": f"Thinking: the other side may want more than {number % 97}. I stay where I am. ANSWER: go",
    }


def scores_of_judges(rng: np.random.Generator) -> Values:
    """What others thought of an act."""
    return {
        "politeness": int(rng.integers(1, 6)),
        "judge_comment": f"{_COMMENTS[int(rng.integers(5))]} in its message number {int(rng.integers(10**4))}",
    }


def errors_and_nothing(rng: np.random.Generator) -> Values:
    """What went wrong before an act was understood, and what stands nearly nowhere."""
    has_failed = rng.random() < 0.1
    return {
        "error": "could not parse" if has_failed else None,
        "retries": int(has_failed),
        "note": None if rng.random() < 0.97 else "checked by hand",
    }


def settings_of_runs(rng: np.random.Generator) -> Values:
    """With what a game was run."""
    return {
        "run_id": str(uuid.UUID(int=int(rng.integers(2**62)), version=4)),
        "seed": int(rng.integers(10**6)),
        "git_commit": "9f1c2ab",
        "config": {"temperature": 0.7, "max_tokens": 512, "model_version": "2024-08-06"},
    }


def moments(rng: np.random.Generator) -> Values:
    """When a game began and ended."""
    start = 1_717_000_000 + int(rng.integers(10**6))
    length = int(rng.integers(30, 900))
    return {
        "started_at": pd.Timestamp(start, unit="s").strftime("%Y-%m-%dT%H:%M:%S.123456Z"),
        "ended_unix": start + length,
        "duration_s": round(length + rng.random(), 3),
    }


def lists_beside(rng: np.random.Generator) -> Values:
    """Lists of a game that are none of its acts: how the agents were set up, and what a judge thought of the whole."""
    criteria = ("fairness", "clarity", "civility")
    return {
        "setup": [
            {"slot": slot, "temperature": 0.7, "memory": int(rng.integers(3, 9))} for slot in ("first", "second")
        ],
        "evaluations": [{"criterion": each, "mark": int(rng.integers(1, 8))} for each in criteria],
    }


# Of each act, and of each game.
OF_ACTS: tuple[Draw, ...] = (token_usage, prompts_and_replies, scores_of_judges, errors_and_nothing)
OF_GAMES: tuple[Draw, ...] = (settings_of_runs, moments, lists_beside)
# Of the whole file.
OF_FILES = ("rounds", "summary", "settings_above", "keyed", "nested")
_AS_TEXT: dict[str, Any] = {"dtype": str, "keep_default_na": False}
WAYS = (*(draw.__name__ for draw in (*OF_ACTS, *OF_GAMES)), *OF_FILES, "crashed")


class DressedLog:
    """A log with what programs add, in one of the `WAYS`; `write` returns None where it cannot be added."""

    def __init__(self, log: DrawnLog | RetoldLog, way: str) -> None:
        """Take a log, of which the last game has crashed if that is the way."""
        self.log, self.way = log, way
        self.drawn = log.log if isinstance(log, RetoldLog) else log
        self.draw = next((draw for draw in (*OF_ACTS, *OF_GAMES) if draw.__name__ == way), None)
        self.rng = np.random.default_rng([48, self.drawn.seed])
        if way == "crashed":
            self._crash()

    @property
    def truth(self) -> LogTruth:
        """What somebody who knows the study would read."""
        truth = self.log.truth if isinstance(self.log, RetoldLog) else LogTruth(self.log)
        if self.draw is not None:
            added = self.draw(np.random.default_rng(0))
            truth.never |= {name.rpartition(".")[2] for name in _flat(added)}
        return truth

    def write(self, folder: Path) -> Path | None:
        """Write the files, and return the file or folder in which they are."""
        source = self.log.write(folder)
        if self.way == "crashed":
            return source
        files = sorted(file for file in source.rglob("*") if file.is_file()) if source.is_dir() else [source]
        kinds = {file.suffix for file in files}
        if self.way == "summary" and (kinds == {".jsonl"} or (kinds == {".json"} and len(files) > 1)):
            self._summarise(source)
            return source
        if self.way in OF_FILES and (len(files) > 1 or not self._may_be_wrapped(files[0])):
            return None
        if self.draw is lists_beside and not kinds <= {".json", ".jsonl"}:
            return None
        of_game: dict[str, Values] = {}
        for file in files:
            match file.suffix:
                case ".json" | ".jsonl":
                    self._dress_objects(file)
                case ".csv":
                    self._dressed_table(pd.read_csv(file, **_AS_TEXT), file.name, of_game).to_csv(file, index=False)
                case _:
                    sheets = pd.read_excel(file, None, engine="calamine", **_AS_TEXT)
                    tables = {name: self._dressed_table(table, name, of_game) for name, table in sheets.items()}
                    with pd.ExcelWriter(file) as book:
                        for name, table in tables.items():
                            table.to_excel(book, sheet_name=name, index=False)
        return source

    def _may_be_wrapped(self, file: Path) -> bool:
        """Whether a file holds objects that can stand inside another one; by names only a list can."""
        text = file.read_text() if file.suffix == ".json" else ""
        return text.startswith("[" if self.way == "keyed" else ("[", "{")) and (
            self.way != "rounds" or '"turns"' in text
        )

    def _summarise(self, source: Path) -> None:
        """Add means of all games: in a file of their own, or in a last line."""
        means = {"n_games": 40, "mean_turns": 4.25}
        if source.is_dir():
            (source / "summary.json").write_text(json.dumps(means))
        else:
            with source.open("a") as lines:
                lines.write("\n" + json.dumps({"summary": means}))

    def _crash(self) -> None:
        """Lose all of the last game but its first act."""
        log = self.drawn
        rows = [row for row in log.rows if row["of"] == max(row["of"] for row in log.rows)]
        first = next((row for row in rows if row["is_first"]), rows[0])
        known = {"is_deal": False} | {
            name: "" for name in ("agreement", "score_1", "score_2", "winner") if name in first
        }
        log.rows = [row for row in log.rows if row["of"] != first["of"]] + [first | known]

    def _dressed_table(self, frame: pd.DataFrame, table: str, of_game: dict[str, Values]) -> pd.DataFrame:
        """Return a table with more columns: of acts one value a row, of games one value for all rows of a game."""
        assert self.draw is not None
        names = [self.drawn.names[key] for key in ("session", "group", "period", "game") if key in self.drawn.keys]
        names = [name for name in names if name in frame]
        added = []
        for place in range(len(frame)):
            key = "/".join([table if self.drawn.naming == "file" else "", *frame.loc[place, names]])
            drawn = of_game.setdefault(key, self.draw(self.rng)) if self.draw in OF_GAMES else self.draw(self.rng)
            added.append(_flat(drawn))
        return frame.join(pd.DataFrame(added))

    def _dress_objects(self, file: Path) -> None:
        """Add what is of acts to the innermost objects in lists, what is of games to the outermost ones."""
        if file.suffix == ".jsonl":
            rows = [json.loads(line) for line in file.read_text().splitlines()]
            file.write_text("\n".join(json.dumps(self._dressed(row)) for row in rows))
            return
        content = json.loads(file.read_text())
        match self.way:
            case "summary":
                content = {"games": content, "summary": {"n_games": 40, "mean_turns": 4.25, "share": 0.7}}
            case "settings_above":
                content = {"model": "gpt-4o", **settings_of_runs(self.rng), "games": content}
            case "rounds":
                content = _in_rounds(content)
            case "keyed":
                content = {str(uuid.UUID(int=int(self.rng.integers(2**62)), version=4)): game for game in content}
            case "nested":
                content = {"data": {"results": content}}
            case _:
                content = self._dressed_content(content)
        file.write_text(json.dumps(content))

    def _dressed_content(self, content: Any) -> Any:
        if isinstance(content, list):
            return [self._dressed(game) for game in content]
        if any(not isinstance(value, (list, dict)) for value in content.values()):
            return self._dressed(content)
        return {name: self._dressed_content(value) for name, value in content.items()}

    def _dressed(self, game: Values) -> Values:
        """Return a game with what is added to it, or to each of its acts."""
        assert self.draw is not None
        if self.draw in OF_GAMES:
            return game | self.draw(self.rng)
        lists = [
            name for name, value in game.items() if isinstance(value, list) and value and isinstance(value[0], dict)
        ]
        if not lists:
            return game | self.draw(self.rng)
        return game | {name: [act | self.draw(self.rng) for act in game[name]] for name in lists}


def _in_rounds(content: Any) -> Any:
    """Return objects whose lists of acts are parted into rounds of two."""
    if isinstance(content, list):
        return [_in_rounds(each) for each in content]
    if not isinstance(content, dict):
        return content
    lists = {name: value for name, value in content.items() if isinstance(value, list) and isinstance(value[0], dict)}
    if len(lists) != 1 or len(lists) == len(content):
        return {name: _in_rounds(value) for name, value in content.items()}
    (name, acts), *_ = lists.items()
    rounds = [{"round": 1 + at // 2, name: acts[at : at + 2]} for at in range(0, len(acts), 2)]
    return {key: value for key, value in content.items() if key != name} | {"rounds": rounds}


def _flat(values: Mapping[str, Any], prefix: str = "") -> Values:
    flat: Values = {}
    for name, value in values.items():
        flat |= _flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return flat
