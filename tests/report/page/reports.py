"""Reports made by hand for the tests of pages: results as ``results.json`` has them, studies as large as wished."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

import negstats
from negstats import stats
from negstats.analysis.answers import Answer, Report
from negstats.analysis.plan.model import Factor, Plan, Question
from negstats.studies import Provenance, Study
from negstats.tables import conform

SENTENCES = ("we could give you all food if", "that is fair", "how about two waters", "no, I need more of it", "deal")


def synthetic(games: int, seed: int = 1, words: int = 11) -> Study:
    """A study of two seats with talk, offers, items and values; 16 scenarios of 64 outcomes."""
    rng = np.random.default_rng(seed)
    ids = [f"game {place:05d}" for place in range(1, games + 1)]
    game = np.repeat(ids, words)
    offered = np.repeat(ids, 5)
    ended = rng.choice(["agreement", "walkaway", "timeout"], size=games, p=[0.8, 0.15, 0.05])
    condition = rng.choice(["selfish", "envious", "fair"], size=games)
    weights = rng.permuted(np.tile([3, 4, 5], (games, 2, 1)), axis=2)
    taken = rng.integers(0, 4, size=(games, 5, 3))
    seat = np.tile(np.arange(5) % 2, games).reshape(games, 5)
    own = np.take_along_axis(weights, seat[:, :, None], axis=1)
    value = (own * taken).sum(axis=2)
    other = (np.take_along_axis(weights, 1 - seat[:, :, None], axis=1) * (3 - taken)).sum(axis=2)
    names = np.array(["A", "B"])
    response = np.full((games, 5), "rejected", dtype=object)
    response[ended == "agreement", -1] = "accepted"
    deal = np.stack(
        [
            np.where(seat[:, -1] == 0, value[:, -1], other[:, -1]),
            np.where(seat[:, -1] == 1, value[:, -1], other[:, -1]),
        ],
        1,
    )
    points = np.where((ended == "agreement")[:, None], deal, 5)
    texts = np.array(SENTENCES)[rng.integers(0, len(SENTENCES), size=games * words)]
    items = ["food", "water", "firewood"]
    return Study(
        games=conform("games", {"game_id": ids, "ended": ended, "condition": condition}),
        players=conform(
            "players",
            {
                "game_id": np.repeat(ids, 2),
                "player": np.tile(names, games),
                "points": points.ravel().astype(float),
                "kind": ["human"] * (2 * games),
                "participant_id": [f"p{place}" for place in range(2 * games)],
            },
        ),
        offers=conform(
            "offers",
            {
                "game_id": offered,
                "offer": np.tile(np.arange(1, 6), games),
                "proposer": names[seat.ravel()],
                "responder": names[1 - seat.ravel()],
                "value_proposer": value.ravel().astype(float),
                "value_responder": other.ravel().astype(float),
                "response": response.ravel(),
                "time_s": np.tile(np.arange(5) * 20.0 + 15, games),
            },
        ),
        items=conform(
            "items",
            {
                "game_id": np.repeat(offered, 6),
                "offer": np.repeat(np.tile(np.arange(1, 6), games), 6),
                "item": np.tile(items, games * 10),
                "receiver": names[np.stack([seat, 1 - seat], 2).ravel().repeat(3)],
                "quantity": np.stack([taken, 3 - taken], 2).ravel().astype(float),
            },
        ),
        values=conform(
            "values",
            {
                "game_id": np.repeat(ids, 6),
                "player": np.tile(np.repeat(names, 3), games),
                "item": np.tile(items, 2 * games),
                "available": [3.0] * (6 * games),
                "value": weights.ravel().astype(float),
            },
        ),
        messages=conform(
            "messages",
            {
                "game_id": game,
                "message": np.tile(np.arange(1, words + 1), games),
                "sender": names[np.tile(np.arange(words) % 2, games)],
                "text": texts,
                "time_s": np.tile(np.arange(words) * 10.0, games),
            },
        ),
        provenance=Provenance("made by hand", "1"),
    )


def two_groups(
    study: Study, *, by: str = "condition", levels: tuple[str, str] | None = None, asks: str = "Do they differ?"
) -> Report:
    """A report of one planned question (means of two groups) and one explored (shares)."""
    first = study.players.drop_duplicates("game_id")
    frame = first.merge(study.games[["game_id", by, "ended"]], on="game_id").dropna(subset=[by, "points"])
    chosen = levels or tuple(sorted(frame[by].unique())[:2])
    frame = frame[frame[by].isin(chosen)]
    values = pd.DataFrame({"unit": frame["game_id"], by: frame[by], "value": frame["points"]})
    agreed = values.assign(value=(frame["ended"] == "agreement").astype(float))
    plan = Plan(
        title="Who earns more",
        authors=("A. Author",),
        factors={by: Factor(f"games.{by}", levels=tuple(chosen))},
        questions={
            "H1": Question(asks, "points", by=(by,)),
            "E1": Question("Do they agree as often?", "agreed", by=(by,), explore=True),
        },
    )
    entries = [mean_entry("H1", asks, values, by, chosen), share_entry("E1", agreed, by, chosen)]
    return assembled(plan, study, entries, {"H1": ("points", values), "E1": ("bars", agreed)})


def assembled(
    plan: Plan, study: Study, entries: list[dict[str, Any]], shown: dict[str, tuple[Any, pd.DataFrame]]
) -> Report:
    results = {
        "schema": "negstats.results/1",
        "negstats": negstats.__version__,
        "plan": {"sha256": "0" * 64, "state": "not registered", "changes": []},
        "seed": 1,
        "study": {
            "loader": study.provenance.loader,
            "sources": [{"name": s.path, "sha256": s.sha256} for s in study.provenance.sources],
            "games": len(study.games),
            "people": int(study.players["participant_id"].nunique()),
            "units": len(study.games),
            "unit": "game",
        },
        "flow": [],
        "quality": [
            {"what": "points missing", "count": int(study.players["points"].isna().sum()), "of": len(study.players)}
        ],
        "questions": entries,
        "families": [{"id": "main", "correction": "holm", "members": ["H1"]}],
    }
    answers = {
        entry["id"]: Answer(
            entry["id"],
            plan.questions[entry["id"]],
            entry,
            *shown[entry["id"]],
            result=object(),
            plan=plan,
            results=results,
        )
        for entry in entries
    }
    return Report(plan, study, results, MappingProxyType(answers))


def bare(games: int) -> Report:
    """A report without figures, which is written fast."""
    made = two_groups(synthetic(games))
    return replace(made, answers={name: replace(answer, figure=None) for name, answer in made.answers.items()})


def entry_of(
    name: str, factors: list[Any], cells: list[Any], *, n_units: int, units: str = "game", **changes: Any
) -> dict[str, Any]:
    """Return what results hold of a question about points; `changes` say what is otherwise."""
    of_points = {"asks": "?", "explored": False, "measure": "points", "unit_of_measure": "points", "who": None}
    answer: dict[str, Any] = {"kind": "interval", "rule": None, "verdict": "supported", "tests": [], "notes": []}
    design = {"factors": factors, "units": units, "n_units": n_units}
    return {"id": name, **of_points, **answer, "design": design, "cells": cells, **changes}


def mean_entry(name: str, asks: str, values: pd.DataFrame, by: str, levels: tuple[str, ...]) -> dict[str, Any]:
    test = stats.t_test(values, "value", by=by, levels=(levels[0], levels[1]))
    interval, effect = test.confidence_interval(), test.effect_size()
    cells = []
    for level in levels:
        sample = values.loc[values[by] == level, "value"]
        ends = stats.one_sample_t({"x": sample}).confidence_interval() if sample.nunique() > 1 else None
        cells.append(
            {
                "levels": {by: str(level)},
                "n": len(sample),
                "mean": float(sample.mean()),
                "sd": float(sample.std()),
                "low": None if ends is None else float(ends.low),
                "high": None if ends is None else float(ends.high),
            }
        )
    answer = {
        "address": name,
        "role": "answer",
        "method": "welch",
        "kind": "t",
        "statistic": float(test.statistic),
        "df": [float(test.df)],
        "p": float(test.p),
        "alternative": "two-sided",
        "p_adjusted": float(test.p),
        "correction": "holm",
        "n": [len(values)],
        "estimate": {
            "name": "difference",
            "value": float(test.difference),
            "low": float(interval.low),
            "high": float(interval.high),
            "level": 0.95,
            "method": "t",
        },
        "effect": {"name": "g", "value": float(effect.value)},
        "apa": test.apa(),
    }
    return entry_of(
        name,
        [{"name": by, "lies": "between", "levels": list(map(str, levels))}],
        cells,
        n_units=len(values),
        asks=asks,
        rule={"row": 1, "sentence": "Two independent groups: means compared without taking variances as equal."},
        verdict="supported" if test.p < 0.05 else "not supported",
        tests=[answer],
        notes=["A note."],
        remarks=["A note."],
    )


def share_entry(name: str, values: pd.DataFrame, by: str, levels: tuple[str, ...]) -> dict[str, Any]:
    grouped = values.groupby(by)["value"]
    cells = []
    for level in levels:
        n, count = int(grouped.size()[level]), int(grouped.sum()[level])
        ends = stats.proportion(count, n).confidence_interval()
        cells.append(
            {
                "levels": {by: str(level)},
                "n": n,
                "count": count,
                "share": count / n,
                "low": float(ends.low),
                "high": float(ends.high),
            }
        )
    return entry_of(
        name,
        [{"name": by, "lies": "between", "levels": list(map(str, levels))}],
        cells,
        n_units=len(values),
        asks="Do they agree as often?",
        explored=True,
        measure="agreed",
        unit_of_measure="1 or 0",
        kind="yes/no",
        rule={"row": 27, "sentence": "Two shares."},
        verdict=None,
    )
