"""Drawn logs of groups whose members each do something in every round, which nobody answers.

They contribute, harvest or bid, and may talk. What they do is a measure, and never an offer. How the log tells it is
drawn: rows of acts, objects with agents as keys, lists with a place for each member, rounds or agents as keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from negstats.errors import NegstatsError
from negstats.loaders.mapping import draft_of, read_as
from negstats.loaders.mapping.forms import Asked
from negstats.loaders.mapping.mapping_text import Draft
from tests.loaders.reading.judge import Verdict

Row: TypeAlias = dict[str, Any]
SHAPES = ("events", "objects", "lists", "agents", "rows")
_ACTS = ("contribution", "harvest", "effort", "x")
_PEOPLE = ("Alice", "Bob", "Carol", "Dave", "Eve", "Frank", "Grace", "Heidi")
_NUMBERS = {"contribution": 20, "harvest": 50, "effort": 9, "x": 100}
_SAID = ("I will put in {} if all of us do", "why should it be me who gives {} again?", "{} is fair, I think, for all")


class GroupLog:
    """A log of groups, drawn from a seed: `write` writes its files."""

    def __init__(self, seed: int) -> None:
        """Draw what the study is, and how it is told."""
        rng = np.random.default_rng([53, seed])
        self.rng, self.seed = rng, seed
        self.shape = SHAPES[seed % len(SHAPES)]
        self.act = str(rng.choice(_ACTS))
        self.size = int(rng.integers(3, 6))
        self.arms = [("chat", "silent"), ("low", "mid", "high")][int(rng.integers(2))]
        self.has_talk = self.shape == "events" or bool(rng.random() < 0.4)
        # The same agents in each group, or others.
        self.names = list(_PEOPLE[: self.size]) if rng.random() < 0.5 else None
        self.groups = [self._group(place) for place in range(len(self.arms) * int(rng.integers(5, 9)))]

    def _group(self, place: int) -> Row:
        rng = self.rng
        names = self.names or [str(name) for name in rng.permutation(_PEOPLE)[: self.size]]
        most, arm = _NUMBERS[self.act], place % len(self.arms)
        rounds = []
        for number in range(1, int(rng.integers(3, 8)) + 1):
            done = [int(min(most, max(0, rng.normal(most * (0.4 + 0.2 * arm), most / 5)))) for _ in names]
            pot = sum(done)
            said = [str(rng.choice(_SAID)).format(int(rng.integers(99))) for _ in names] if self.has_talk else []
            rounds.append({"round": number, "done": done, "got": [most - own + pot / 2 for own in done], "said": said})
        return {"group": place + 1, "arm": self.arms[arm], "names": names, "rounds": rounds}

    def write(self, folder: Path) -> Path:
        """Write the files, and return the file or folder in which they are."""
        match self.shape:
            case "events":
                for group in self.groups:
                    (of := folder / "runs" / group["arm"]).mkdir(parents=True, exist_ok=True)
                    (of / f"run_{group['group']:03}.json").write_text(json.dumps(list(self._events(group))))
                return folder / "runs"
            case "rows":
                rows = [row for group in self.groups for row in self._rows(group)]
                pd.DataFrame(rows).to_csv(file := folder / "log.csv", index=False)
                return file
        (file := folder / "log.json").write_text(json.dumps([self._game(group) for group in self.groups]))
        return file

    def _events(self, group: Row) -> Iterator[Row]:
        for told in group["rounds"]:
            for name, own, got in zip(group["names"], told["done"], told["got"], strict=True):
                yield {"round": told["round"], "agent": name, "action": self.act, "amount": own, "earned": got}
            for name, text in zip(group["names"], told["said"], strict=False):
                yield {"round": told["round"], "agent": name, "action": "utterance", "text": text}

    def _rows(self, group: Row) -> Iterator[Row]:
        for told in group["rounds"]:
            for place, (name, own, got) in enumerate(zip(group["names"], told["done"], told["got"], strict=True)):
                said = {"message": told["said"][place]} if told["said"] else {}
                of = {"group": group["group"], "round": told["round"], "agent": name, "treatment": group["arm"]}
                yield of | {self.act: own, "payoff": got} | said

    def _game(self, group: Row) -> Row:
        names = group["names"]
        rounds = []
        for told in group["rounds"]:
            own = {"round": told["round"]}
            columns = {self.act: told["done"], "payoff": told["got"]} | (
                {"message": told["said"]} if self.has_talk else {}
            )
            if self.shape == "agents":
                each = [dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True)]
                own |= dict(zip(names, each, strict=True))
            else:
                as_told = (
                    [*columns.values()]
                    if self.shape == "lists"
                    else [dict(zip(names, of, strict=True)) for of in columns.values()]
                )
                own |= {f"{name}s": of for name, of in zip(columns, as_told, strict=True)}
            rounds.append(own)
        told = {"group": group["group"], "treatment": group["arm"]}
        return told | ({"agents": names} if self.shape == "lists" else {}) | {"rounds": rounds}


def judge_group(source: Path, log: GroupLog) -> Verdict:
    """Judge the reading of the log at `source`: by its likely answers, else by those of a person who knows it."""
    draft = _draft(source, {})
    faults = tuple(_faults(draft, source, log))
    subjects = tuple(question.subject for question in draft.questions)
    stops = any(question.is_stop for question in draft.questions)
    if not faults:
        return Verdict("asked" if subjects else "right", (), subjects, stops)
    for answers in _answers(draft):
        try:
            after = _draft(source, answers)
            for more in [answers, *({**answers, **each} for each in _answers(after))]:
                if not any(_faults(_draft(source, more), source, log)):
                    return Verdict("asked", faults, subjects, stops, more)
        except NegstatsError:
            continue
    return Verdict("wrong", faults, subjects, stops)


def _draft(source: Path, answers: dict[str, str]) -> Draft:
    return draft_of(source, Asked(None, None, None), answers)


def _answers(draft: Draft) -> Iterator[dict[str, str]]:
    for question in draft.questions:
        if question.subject == "condition":
            wanted = [
                each.words for each in question.options if each.words.rpartition(".")[2] in ("treatment", "folder")
            ]
            yield {"condition": ",".join(wanted) or "none"}
        else:
            yield from ({question.subject: str(place)} for place in range(1, len(question.options) + 1))


def _faults(draft: Draft, source: Path, log: GroupLog) -> Iterator[str]:
    """Yield what is wrong in a study as it is loaded."""
    try:
        study = read_as(source, draft.text)
    except NegstatsError as error:
        yield f"not loaded: {str(error)[:80]}"
        return
    rounds = sum(len(group["rounds"]) for group in log.groups)
    if len(study.games) not in (len(log.groups), rounds, rounds * log.size):
        yield f"{len(study.games)} games, not {len(log.groups)} or {rounds}"
        return
    if len(study.offers):
        yield f"{len(study.offers)} offers"
    own = [name for name in study.games.columns if set(study.games[name].dropna().astype(str)) == {*log.arms}]
    if not own:
        yield "condition unread"
    acts = [value for group in log.groups for told in group["rounds"] for value in told["done"]]
    numbers = [study.games[name] for name in study.games.select_dtypes("number").columns]
    answers = study.answers
    numbers += [pd.to_numeric(of["answer"], errors="coerce") for _, of in answers.groupby("question", observed=True)]
    numbers.append(study.players["points"])
    means = {len(acts): acts}
    means[rounds] = [np.mean(told["done"]) for group in log.groups for told in group["rounds"]]
    means[len(log.groups)] = [np.mean([x for told in group["rounds"] for x in told["done"]]) for group in log.groups]
    held = [sorted(each.dropna().tolist()) for each in numbers]
    if not any(len(each) in means and np.allclose(each, sorted(means[len(each)])) for each in held):
        yield f"unread {log.act}"
    if log.has_talk and log.shape == "events" and len(study.messages) != len(acts):
        yield f"{len(study.messages)} messages"
