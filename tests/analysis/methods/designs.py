"""For each row of the table a study whose design forces it, its outcome drawn where nothing is different."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.analysis import Report, run
from negstats.analysis.plan.model import Plan
from negstats.analysis.plan.parse import parse
from negstats.studies import Provenance, Study
from negstats.tables import conform

Draw = Callable[[np.random.Generator, npt.NDArray[np.intp]], npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Sheet:
    """Who sits where: a row a seat, with its game's and person's columns."""

    game: list[str] = field(default_factory=list)
    seat: list[str] = field(default_factory=list)
    person: list[str] = field(default_factory=list)
    unit: list[int] = field(default_factory=list)
    games: dict[str, dict[str, str]] = field(default_factory=dict)
    answers: dict[str, dict[str, str]] = field(default_factory=dict)

    def play(self, unit: int, people: Sequence[str], **factors: str) -> None:
        """Let people play a game."""
        game = f"g{len(self.games)}"
        self.games[game] = factors
        for place, person in enumerate(people):
            self.game.append(game)
            self.seat.append("AB"[place] if len(people) < 3 else f"S{place}")
            self.person.append(person)
            self.unit.append(unit)


@dataclass(frozen=True)
class Case:
    """A design that forces a row: who plays what, the question, and how its outcome is drawn under the null."""

    row: int
    test: str
    sheet: Callable[[int], Sheet]
    question: str
    kind: str = "interval"
    n: int = 24
    more: str = ""
    related: float = 1.0  # SD of what a unit's rows share; negative: the two of a pair are opposed

    def plan(self, seed: int = 1) -> Plan:
        head = f"seed = {seed}\nresamples = 200\n{self.more}\n"
        kind = "interval" if self.kind in ("time", "censored") else self.kind
        measures = f'[measures]\ny = {{ measure = "points", kind = "{kind}" }}\n'
        measures += 'mood = { answer = "mood", kind = "nominal" }\n'
        measures += 'age = { answer = "age" }\nlength = { answer = "length" }\n'
        factors = '[factors]\nsvo = { column = "answers.svo" }\nrole = { column = "players.role" }\n'
        asked = '[questions.Q]\nasks = "Is there a difference?"\n'
        measure = "" if "measure" in self.question else 'measure = "y"\n'
        return parse(head + measures + factors + asked + measure + self.question + "\n")

    def study(self, rng: np.random.Generator) -> Study:
        return written(self.sheet(self.n), self.kind, self.related, rng)


def study_of(case: Case) -> Study:
    """Return the one study of a case that several tests look at."""
    return case.study(np.random.default_rng(case.row))


@cache
def report_of(case: Case) -> Report:
    """Return what the plan of a case gives of its study in memory, computed once a process: no test changes it."""
    return run(case.plan(), study_of(case))


def values(kind: str, unit: npt.NDArray[np.intp], related: float, rng: np.random.Generator) -> npt.NDArray[np.float64]:
    """Draw an outcome of a kind that differs between units and rows but by nothing else."""
    shared = rng.normal(size=unit.max() + 1)[unit] * abs(related)
    if related < 0:  # every second row of a unit has the opposite of what the first has
        shared = shared * np.where(_place(unit) % 2 == 0, 1.0, -1.0)
    latent = shared + rng.normal(size=len(unit))
    if kind == "yes/no":
        return np.asarray(latent > 0, dtype=np.float64)
    if kind == "count":
        return np.asarray(
            rng.poisson(np.exp(1.2 + 0.3 * shared) * rng.gamma(4, 0.25, size=len(unit))), dtype=np.float64
        )
    if kind in ("ordered", "nominal"):
        return np.asarray(1.0 + np.searchsorted([-1.2, -0.2, 0.6, 1.5], latent))
    return np.asarray(latent)


def _place(unit: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    place = np.zeros(len(unit), dtype=np.intp)
    seen: dict[int, int] = {}
    for at, one in enumerate(unit):
        place[at] = seen.get(int(one), 0)
        seen[int(one)] = int(place[at]) + 1
    return place


def written(sheet: Sheet, kind: str, related: float, rng: np.random.Generator) -> Study:
    """Return the study of a sheet, its points drawn."""
    unit = np.array(sheet.unit)
    points = values(kind, unit, related, rng)
    ids = list(sheet.games)
    names = sorted({name for factors in sheet.games.values() for name in factors})
    ended = rng.choice(["agreement", "walkaway", "timeout"], p=[0.6, 0.3, 0.1], size=len(ids))
    if kind == "censored":
        ended = np.where(ended == "walkaway", "timeout", ended)
    games = {"game_id": ids, "ended": list(ended) if kind in ("time", "censored") else ["agreement"] * len(ids)}
    games |= {name: [sheet.games[game].get(name) for game in ids] for name in names}
    players = {
        "game_id": sheet.game,
        "player": sheet.seat,
        "kind": ["human"] * len(sheet.game),
        "participant_id": sheet.person,
        "role": [{"A": "buyer", "B": "seller"}.get(seat) for seat in sheet.seat],
        "points": list(points),
    }
    people = list(dict.fromkeys(sheet.person))
    answers: dict[str, list[str]] = {"participant_id": [], "question": [], "answer": []}
    age = rng.normal(40, 9, size=len(people)).round(1)
    length = rng.normal(0, 1, size=len(people)).round(2)
    mood = values("ordered", np.arange(len(people)), 0.5, rng).astype(int)
    given: dict[str, Sequence[object]] = {"age": list(age), "length": list(length), "mood": [f"m{one}" for one in mood]}
    for place, person in enumerate(people):
        told = {name: str(column[place]) for name, column in given.items()} | sheet.answers.get(person, {})
        for question, answer in told.items():
            answers["participant_id"].append(person)
            answers["question"].append(question)
            answers["answer"].append(answer)
    first = dict(zip(sheet.game, sheet.unit, strict=True))
    pace = rng.exponential(size=unit.max() + 1)
    messages = {
        "game_id": ids,
        "message": [1] * len(ids),
        "sender": [sheet.seat[sheet.game.index(game)] for game in ids],
        "time_s": list(20 + 60 * (rng.exponential(size=len(ids)) + pace[[first[game] for game in ids]])),
    }
    tables: dict[str, Any] = {"players": players, "answers": answers, "messages": messages}
    return Study(
        games=conform("games", games),
        provenance=Provenance("drawn", "1"),
        **{name: conform(name, columns) for name, columns in tables.items()},
    )


def alone(levels: Mapping[str, Sequence[str]], times: int = 1) -> Callable[[int], Sheet]:
    """Return sheets of people who play alone, at one combination of levels each, `times` games."""

    def sheet(n: int) -> Sheet:
        made = Sheet()
        for place in range(n):
            at, factors = place, {}
            for name, choice in levels.items():
                factors[name] = choice[at % len(choice)]
                at //= len(choice)
            for _ in range(times):
                made.play(place, [f"p{place}"], **factors)
        return made

    return sheet


def within(
    inner: Mapping[str, Sequence[str]],
    outer: Mapping[str, Sequence[str]] | None = None,
    lacking: int = 0,
    times: int = 1,
) -> Callable[[int], Sheet]:
    """Return sheets of people who play at every combination of inner levels; some lack one of them each."""

    def sheet(n: int) -> Sheet:
        made = Sheet()
        cells: list[dict[str, str]] = [{}]
        for name, choice in inner.items():
            cells = [cell | {name: level} for cell in cells for level in choice]
        for place in range(n):
            factors = {name: choice[place % len(choice)] for name, choice in (outer or {}).items()}
            for at, cell in enumerate(cells):
                if place < lacking and place % len(cells) == at:
                    continue
                for _ in range(times):
                    made.play(place, [f"p{place}"], **factors, **cell)
        return made

    return sheet


def together(
    size: int, levels: Mapping[str, Sequence[str]] | None = None, svo: str = "", times: int = 1
) -> Callable[[int], Sheet]:
    """Return sheets of units of several people who play with each other; `svo` deals out their answers in turn."""

    def sheet(n: int) -> Sheet:
        made = Sheet()
        for place in range(n):
            people = [f"p{place}{'abc'[seat]}" for seat in range(size)]
            factors = {name: choice[place % len(choice)] for name, choice in (levels or {}).items()}
            for _ in range(times):
                made.play(place, people, **factors)
            for seat, person in enumerate(people):
                if svo == "mixed":
                    made.answers[person] = {"svo": ["self", "social"][(place // (seat + 1) + seat) % 2]}
        return made

    return sheet


def chain(n: int) -> Sheet:
    """Return a sheet in which everybody is linked to everybody."""
    made = Sheet()
    for place in range(n):
        made.play(0, [f"p{place}", f"p{(place + 1) % n}"], condition="ab"[place % 2])
    return made


TWO = {"condition": ["a", "b"]}
THREE = {"condition": ["a", "b", "c"]}
CROSSED = {"condition": ["a", "b"], "country": ["x", "y"]}
BY, BOTH = 'by = "condition"', 'by = ["condition", "country"]'
SCENARIOS = {"scenario": ["s0", "s1", "s2", "s3"]}
INNER = {"condition": ["a", "b"]}
INNER3 = {"condition": ["a", "b", "c"]}
DURATION = 'measure = "duration_s"\n'

CASES = (
    Case(1, "welch", alone(TWO), BY),
    Case(2, "paired", within(INNER), BY),
    Case(3, "one_sample", alone({}), "against = 0"),
    Case(4, "welch_anova", alone(THREE), BY, n=36),
    Case(5, "contrast", alone(THREE), BY + '\ncontrasts = [{ name = "a to b", weights = { a = 1, b = -1 } }]', n=36),
    Case(6, "anova", alone(CROSSED), BOTH + '\neffect = "condition"', n=40),
    Case(7, "repeated", within(INNER3), BY),
    Case(8, "repeated", within(CROSSED), BOTH + '\neffect = "condition"'),
    Case(9, "mixed_anova", within(INNER, {"country": ["x", "y"]}), BOTH + '\neffect = "condition:country"'),
    Case(10, "mixed_anova", within(INNER3, {"country": ["x", "y"]}), BOTH + '\neffect = "condition"'),
    Case(11, "ancova", alone(TWO), BY + '\ncovariates = "age"', n=40),
    Case(12, "ancova", within(INNER), BY + '\ncovariates = "age"', n=30),
    Case(13, "pearson", alone({}), 'with = "age"'),
    Case(14, "regression", alone({}), 'with = ["age", "length"]', n=40),
    Case(15, "regression", alone(TWO), BY + '\nwith = "age"', n=60),
    Case(16, "mixed", within(INNER3, lacking=9), BY),
    Case(17, "welch", together(2, TWO), BY),
    Case(18, "paired", together(2), 'by = "role"', related=-1.0),
    Case(19, "dyad", together(2, svo="mixed"), 'by = "svo"', n=40, related=-1.0),
    Case(20, "mixed", together(3, svo="mixed"), 'by = "svo"', n=30),
    Case(21, "pearson", together(2), 'with = "age"', n=40),
    Case(22, "welch", alone(TWO, times=2), BY),
    Case(23, "", chain, BY),
    Case(24, "welch", alone(TWO), BY, n=8),
    Case(25, "equivalence", alone(TWO), BY + "\nequivalent = 1", n=40),
    Case(26, "binomial", alone({}), "against = 0.5", kind="yes/no", n=40),
    Case(27, "chi_squared", alone(TWO), BY, kind="yes/no", n=60),
    Case(28, "fisher", alone(TWO), BY, kind="yes/no", n=8),
    Case(29, "chi_squared", alone(THREE), BY, kind="yes/no", n=90),
    Case(30, "loglinear", alone(CROSSED), BOTH + '\neffect = "condition"', kind="yes/no", n=120),
    Case(31, "mcnemar", within(INNER), BY, kind="yes/no", n=40),
    Case(32, "cochran", within(INNER3), BY, kind="yes/no", n=40),
    Case(33, "logistic", alone({}), 'with = "age"', kind="yes/no", n=60),
    Case(34, "welch", together(2, TWO), BY, kind="yes/no", n=40),
    Case(35, "gee", together(2, svo="mixed"), 'by = "svo"', kind="yes/no", n=60),
    Case(36, "equivalence", alone(TWO), BY + "\nequivalent = 0.4", kind="yes/no", n=60),
    Case(37, "quasi_poisson", alone(TWO), BY, kind="count", n=48),
    Case(38, "quasi_poisson", alone(CROSSED), BOTH + '\neffect = "condition"', kind="count", n=80),
    Case(39, "paired", within(INNER), BY, kind="count"),
    Case(40, "gee", together(2, svo="mixed"), 'by = "svo"', kind="count", n=60),
    Case(41, "brunner_munzel", alone(TWO), BY, kind="ordered", n=40),
    Case(42, "kruskal_wallis", alone(THREE), BY, kind="ordered", n=45),
    Case(43, "wilcoxon", within(INNER), BY, kind="ordered", n=40),
    Case(44, "friedman", within(INNER3), BY, kind="ordered", n=30),
    Case(45, "ordinal", alone(CROSSED), BOTH + '\neffect = "condition"', kind="ordered", n=80),
    Case(46, "spearman", alone({}), 'with = "age"', kind="ordered", n=40),
    Case(47, "chi_squared", alone(TWO), 'measure = "mood"\n' + BY, n=80),
    Case(48, "", within(INNER), 'measure = "mood"\n' + BY),
    Case(49, "gray", alone(TWO), DURATION + BY, kind="time", n=80),
    Case(50, "cox", alone({}), DURATION + 'with = "age"', kind="time", n=80),
    Case(51, "logrank", alone(TWO), DURATION + BY, kind="censored", n=80),
    Case(
        53,
        "mixed",
        within({"scenario": ["s0", "s1", "s2", "s3"]}, TWO),
        BY + '\nitems = "scenario"',
        kind="yes/no",
        n=40,
    ),
    Case(52, "gray", alone(TWO, times=2), DURATION + BY, kind="time", n=60),
)
BY_ROW = {case.row: case for case in CASES}
