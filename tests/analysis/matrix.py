"""Every rule × 2, 3, 4 levels × what a design can lack: each cell is answered, or refused by what the design lacks.

``python -m tests.analysis.matrix [duckdb]`` runs the whole product and prints its counts; with an engine it also holds
the answers of the engine against those in memory. ``test_matrix.py`` runs some cells with each push: each design, and
each number of levels with each defect, comes there.
"""

from __future__ import annotations

import math
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd

import negstats
from negstats.analysis import run
from negstats.studies import Study
from tests.analysis.methods.designs import BY, BY_ROW, SCENARIOS, Case, alone, together, within

LEVELS = {2: ["a", "b"], 3: ["a", "b", "c"], 4: ["a", "b", "c", "d"]}
COUNTRIES = {"country": ["x", "y"]}
Defect = Literal["clean", "empty cell", "constant group", "pure level", "one unit in a cell"]
DEFECTS: tuple[Defect, ...] = ("clean", "empty cell", "constant group", "pure level", "one unit in a cell")
Build = Callable[[Sequence[str]], Case]


def _alone(row: int, *, times: int = 1, crossed: bool = False, more: str = "", n: int = 60) -> Build:
    """Return a case of a row whose condition has other levels: different people, each at one combination."""

    def build(levels: Sequence[str]) -> Case:
        sheet = alone({"condition": levels, **(COUNTRIES if crossed else {})}, times)
        return replace(BY_ROW[row], sheet=sheet, n=n, question=BY_ROW[row].question + more)

    return build


def _within(row: int, *, crossed: bool = False, outer: bool = False, lacking: int = 0) -> Build:
    """Return a case of a row whose condition has other levels: the same people at each."""

    def build(levels: Sequence[str]) -> Case:
        inner = {"condition": levels, **(COUNTRIES if crossed else {})}
        return replace(BY_ROW[row], sheet=within(inner, COUNTRIES if outer else None, lacking), n=30)

    return build


def _together(row: int) -> Build:
    return lambda levels: replace(BY_ROW[row], sheet=together(2, {"condition": levels}), n=40)


def _fixed(row: int) -> Build:
    """Return the case of a row whose factor has two levels by nature, or which has no factor."""
    return lambda _levels: BY_ROW[row]


def _named(build: Build, test: str) -> Build:
    """Return a case whose plan names the test."""
    return lambda levels: replace(case := build(levels), question=f'{case.question}\ntest = "{test}"')


# Of each row of the table a design that leads to it, or that leads to its neighbour at another number of levels.
DESIGNS: dict[str, Build] = {
    "1, 4 means": _alone(1),
    "5 contrasts": _alone(5),
    "6 crossed means": _alone(6, crossed=True),
    "2, 7 repeated means": _within(7),
    "8 two within": _within(8, crossed=True),
    "9, 10 mixed means": _within(10, outer=True),
    "11 covariate": _alone(11),
    "11 covariate, crossed": _alone(6, crossed=True, more='\ncovariates = "age"'),
    "12 covariate of pairs": _fixed(12),
    "13 number": _fixed(13),
    "14 numbers": _fixed(14),
    "15 number and factor": _alone(15),
    "16 incomplete": _within(16, lacking=12),
    "17 linked": _together(17),
    "18 seats": _fixed(18),
    "19 pairs": _fixed(19),
    "20 groups": _fixed(20),
    "21 seats, number": _fixed(21),
    "22 averaged": _alone(22, times=2),
    "24 few": lambda levels: replace(BY_ROW[24], sheet=alone({"condition": levels}), n=4 * len(levels)),
    "25 equivalence": _fixed(25),
    "26 share": _fixed(26),
    "27, 29 shares": _alone(27),
    "28 few shares": lambda levels: replace(BY_ROW[28], sheet=alone({"condition": levels}), n=5 * len(levels)),
    "30 crossed shares": _alone(30, crossed=True, n=120),
    "31, 32 repeated shares": _within(32),
    "33 logistic": _alone(33, more="\n" + BY),
    "33 logistic, named": _named(_alone(27), "logistic"),
    "34 linked shares": _together(34),
    "35 decisions": _fixed(35),
    "35 gee, named": _named(_alone(27, times=2), "gee"),
    "36 equivalent shares": _fixed(36),
    "37 counts": _alone(37, n=100),
    "38 crossed counts": _alone(38, crossed=True, n=100),
    "39 repeated counts": _within(39),
    "40 linked counts": _fixed(40),
    "41, 42 ranks": _alone(41),
    "43, 44 repeated ranks": _within(44),
    "45 crossed ranks": _alone(45, crossed=True, n=80),
    "46 monotone": _fixed(46),
    "47 kinds": _alone(47, n=80),
    "49 competing times": _alone(49, n=80),
    "50 rates": _alone(49, n=80, more='\ncovariates = "age"'),
    "51 censored times": _alone(51, n=80),
    "52 linked times": _alone(52, times=2, n=60),
    "53 items": lambda levels: replace(BY_ROW[53], sheet=within(SCENARIOS, {"condition": levels}), n=40),
}
FIXED = {name for name, build in DESIGNS.items() if build(LEVELS[2]) is build(LEVELS[3])}


@dataclass(frozen=True)
class Cell:
    """One cell of the matrix."""

    design: str
    levels: int
    defect: Defect

    @property
    def case(self) -> Case:
        return DESIGNS[self.design](LEVELS[self.levels])

    @property
    def study(self) -> Study:
        case = self.case
        return spoil(case, case.study(np.random.default_rng(case.row)), self.defect)


def cells() -> Iterator[Cell]:
    """Yield the product; a factor that has two levels by nature stands once."""
    for design in DESIGNS:
        for levels in (2,) if design in FIXED else LEVELS:
            for defect in DEFECTS:
                yield Cell(design, levels, defect)


def in_turn(design: str, defect: Defect) -> Cell:
    """Return a design with a defect; the number of levels comes in turn."""
    place = list(DESIGNS).index(design) + DEFECTS.index(defect)
    return Cell(design, 2 if design in FIXED else tuple(LEVELS)[place % len(LEVELS)], defect)


def _groups(case: Case, study: Study) -> tuple[pd.Series, pd.Series]:
    """Return of each seat its first level, and its combination of levels."""
    players = study.players
    if "svo" in case.question:
        answers = study.answers[study.answers["question"] == "svo"].set_index("participant_id")["answer"]
        first = players["participant_id"].map(answers)
        return first, first
    if "role" in case.question:
        return players["role"], players["role"]
    games = study.games.set_index("game_id")
    if "condition" not in games.columns:
        whole = pd.Series("all", index=players.index)
        return whole, whole
    first = players["game_id"].map(games["condition"])
    both = first + (players["game_id"].map(games["country"]) if '"country"' in case.question else "")
    return first, both


def spoil(case: Case, study: Study, defect: Defect) -> Study:
    """Return the study with the defect in the first level, or in the first combination of levels."""
    first, both = _groups(case, study)
    is_first = (first == first.dropna().iloc[0]).to_numpy()
    in_cell = (both == both[first.notna()].iloc[0]).to_numpy()
    players = study.players
    points = players["points"].astype(float)
    if defect == "constant group":
        points = points.where(~is_first, float(points.min()))
    elif defect == "pure level":
        points = pd.Series(np.where(is_first, points.max(), points.min()), index=points.index)
    elif defect in ("empty cell", "one unit in a cell"):
        people = players.loc[in_cell, "participant_id"]
        kept = people.iloc[0] if defect == "one unit in a cell" else None
        gone = in_cell & (players["participant_id"] != kept).to_numpy()
        points = points.mask(gone)
        lost = set(players.loc[gone, "game_id"]) - set(players.loc[~gone, "game_id"])
        messages = study.messages[~study.messages["game_id"].isin(lost)].reset_index(drop=True)
        answers = study.answers
        if "mood" in case.question:
            of_gone = answers["participant_id"].isin(players.loc[gone, "participant_id"])
            answers = answers[~(of_gone & (answers["question"] == "mood"))].reset_index(drop=True)
        return replace(study, players=players.assign(points=points), messages=messages, answers=answers)
    if case.kind in ("time", "censored") and defect != "clean":
        of_games = dict(zip(players["game_id"], is_first, strict=True))
        is_first_game = study.games["game_id"].map(of_games).to_numpy(dtype=bool)
        other = "timeout" if defect == "pure level" else study.games["ended"].to_numpy()
        ended = np.where(is_first_game, "agreement", other)
        return replace(study, games=study.games.assign(ended=ended), players=players.assign(points=points))
    if "mood" in case.question and defect != "clean":
        told = study.answers["participant_id"].map(dict(zip(players["participant_id"], is_first, strict=True)))
        is_mood = study.answers["question"] == "mood"
        mood = study.answers["answer"].mask(is_mood & told.astype(bool), "m1")
        mood = mood.mask(is_mood & ~told.astype(bool), "m2") if defect == "pure level" else mood
        return replace(study, answers=study.answers.assign(answer=mood))
    return replace(study, players=players.assign(points=points))


# What a refusal can name of a design: factors and levels, units, values.
# What a refusal may not be: a general suspicion, the words of a library, or a name that only the code knows.
NAMES = ("condition", "country", "svo", "role", "scenario", "'a'", "'x'", "value", "game", "person", "people", "unit",
         "group", "pair", "age", "answers", "mood", "points", "'y'", "complete rows")  # fmt: skip
UNSAID = re.compile(
    r"cannot be computed: predictors|no finite p|[Ss]ingular matrix|\bnan\b|NaN|\b[fx]\d\b|\bl\d\b|Traceback|"
    r"float|ndarray|convert|index \d|error is '|"
    r"\b[a-z_]+=['A-Z\d]|\b[a-z_]+\(\)|\b[a-z]{2,}_[a-z]{2,}\b"  # arguments and functions of Python
)


def refusal(entry: dict[str, Any]) -> str:
    """Return why a question was not tested; empty where it was."""
    verdict = str(entry["verdict"] or "")
    return verdict.removeprefix("not tested: ") if verdict.startswith("not tested: ") else ""


def faults(cell: Cell, entry: dict[str, Any]) -> list[str]:
    """Return what is wrong with a cell's entry in results.json."""
    reason = refusal(entry)
    if reason:
        wrong = [f"refused by {reason!r}"] if UNSAID.search(reason) or cell.defect == "clean" else []
        if not any(word in reason for word in NAMES):
            wrong.append(f"names nothing of the design: {reason!r}")
        return wrong
    answers = [test for test in entry["tests"] if test["role"] == "answer"]
    if not answers:
        return ["neither answered nor refused"]
    bare = [test["address"] for test in answers if test["p"] is None and test["statistic"] is None]
    wrong = [f"{address} has neither statistic nor p" for address in bare]
    sentences = [*entry["notes"], *(one["reason"] for one in entry["omitted"]), *(test["apa"] for test in answers)]
    return wrong + [f"says {sentence!r}" for sentence in sentences if UNSAID.search(sentence)]


def answer(cell: Cell, engine: str = "", folder: Path | None = None) -> dict[str, Any]:
    """Return the cell's entry in results.json: in memory, or with rows that stay with an engine."""
    study, plan = cell.study, cell.case.plan()
    if not engine or folder is None:
        return dict(run(plan, study).results["questions"][0])
    lazy = negstats.open_study(study.save(folder / "study"), engine=engine)
    entry = run(plan, lazy, max_rows=0).results["questions"][0]
    if "stay with" in refusal(entry):  # the answer is of the rows: they come home
        entry = run(plan, lazy).results["questions"][0]
    return dict(entry)


def differences(here: dict[str, Any], there: dict[str, Any]) -> list[str]:
    """Return in what the answers of an engine differ from those in memory."""
    if bool(refusal(here)) != bool(refusal(there)):
        return [f"in memory {here['verdict']!r}, with the engine {there['verdict']!r}"]
    sides = [{test["address"]: test for test in one["tests"] if test["role"] == "answer"} for one in (here, there)]
    if sides[0].keys() != sides[1].keys():
        return [f"answers are {sorted(sides[0])} and {sorted(sides[1])}"]
    wrong = []
    for address, one in sides[0].items():
        for name in ("statistic", "p"):
            two = sides[1][address][name]
            is_alike = one[name] == two or (
                one[name] is not None and two is not None and math.isclose(one[name], two, rel_tol=1e-6, abs_tol=1e-9)
            )
            wrong += [] if is_alike else [f"{address}: {name} is {one[name]} and {two}"]
    return wrong


def main(engine: str = "") -> int:
    """Print what became of each cell of the product, and what is wrong."""
    counts: dict[Defect, Counter[str]] = {defect: Counter() for defect in DEFECTS}
    reasons: Counter[str] = Counter()
    for cell in cells():
        entry = answer(cell)
        found = faults(cell, entry)
        if engine:
            with tempfile.TemporaryDirectory() as folder:
                found += differences(entry, answer(cell, engine, Path(folder)))
        counts[cell.defect]["refused" if refusal(entry) else "answered"] += 1
        counts[cell.defect]["with notes"] += bool(entry["omitted"])
        counts[cell.defect]["wrong"] += bool(found)
        for one in found:
            print(f"{cell.design}, {cell.levels} levels, {cell.defect}: {one}", flush=True)
        if refusal(entry):
            reasons[refusal(entry)] += 1
    print(f"{'':22}" + "".join(f"{name:>12}" for name in ("answered", "refused", "with notes", "wrong")))
    for defect, count in counts.items():
        print(f"{defect:22}" + "".join(f"{count[name]:12}" for name in ("answered", "refused", "with notes", "wrong")))
    print(f"{sum(sum(one[name] for name in ('answered', 'refused')) for one in counts.values())} cells")
    print("\nRefusals:", *(f"  {n:3} × {reason}" for reason, n in reasons.most_common()), sep="\n")
    return int(any(count["wrong"] for count in counts.values()))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
