"""The power of a plan's questions by sample size, and the size that each needs; every size uses the same seed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from negstats.analysis.methods.inputs import random
from negstats.analysis.power.cases import PowerTask, power_tasks
from negstats.analysis.power.clustered import describe_rows
from negstats.analysis.power.expected import OF_ROWS, Expected, expected
from negstats.errors import DesignError, NotEstimable, UsageError
from negstats.stats.counts.proportions import proportion
from negstats.stats.power.simulate import simulated_p, simulated_sample_size
from negstats.stats.results import apa

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan, Question
    from negstats.analysis.preregistration.check import Check
    from negstats.analysis.preregistration.study_checks import Attendance

SIZES = (10, 20, 40, 80, 160)  # where the plan names none
LEAST_REFITS, MOST_REFITS = 5, 2_000  # where each study is fitted
MOST = 20_000  # units in the smallest cell up to which a needed n is looked for

COLUMNS = ["question", "term", "test", "n", "total", "power", "low", "high", "alpha_family", "power_family"]
COLUMNS += ["low_family", "high_family", "closed"]
NEEDED = ["question", "term", "wished", "n", "n_low", "n_high", "total", "why"]

Track = Callable[[Iterable[str], int], Iterable[str]]


def untracked(questions: Iterable[str], count: int) -> Iterable[str]:  # noqa: ARG001
    """Yield the questions and show nothing."""
    return questions


@dataclass(frozen=True, slots=True, eq=False)
class PlannedPower:
    """The power of a plan.

    Attributes
    ----------
    curve : pandas.DataFrame
        One row a question, term and size: ``question``, ``term``, ``test``, ``n`` (units in the smallest cell),
        ``total``, ``power`` with its Monte Carlo interval ``low`` and ``high``; ``alpha_family``, the least level that
        a correction of the question's family can give, with ``power_family``, ``low_family``, ``high_family``; and
        ``closed``, the power by formula where there is one.
    needed : pandas.DataFrame
        One row a question and term: the smallest ``n`` that reaches the ``wished`` power without correction, its
        interval ``n_low`` to ``n_high``, the ``total``, or ``why`` there is none.
    refused : Mapping of str to str
        Questions whose power is not computed, and why.
    sentences : Mapping of str to str
        Why each question gets its test.
    n_simulations : int
        Simulated at each size.
    alpha : float
        The level.
    """

    curve: pd.DataFrame
    needed: pd.DataFrame
    refused: Mapping[str, str]
    sentences: Mapping[str, str] = field(default_factory=dict)
    n_simulations: int = 1000
    alpha: float = 0.05

    def lines(self) -> list[str]:
        """Return one line a question, term and size, and what is not computed."""
        rows = self.curve.to_dict("records")
        power_texts = [
            f"{row['question']} {row['term']}".strip() + f", n = {row['n']}: {_share(row, '')}" for row in rows
        ]
        return [*power_texts, *(f"{name}: not computed: {why}" for name, why in self.refused.items())]

    def text(self) -> str:
        """Return for each question its power by n, the n that is needed, and what is not computed."""
        blocks = []
        for (question, term), rows in self.curve.groupby(["question", "term"], sort=False):
            name = f"{question} {term}".strip()
            blocks.append(f"{name} ({rows['test'].iloc[0]}): {self.sentences.get(str(question), '')}")
            family = rows["alpha_family"].iloc[0] < self.alpha
            for row in rows.to_dict("records"):
                line = f"  n = {row['n']:>5} in the smallest cell, {row['total']:>6} in all: power {_share(row, '')}"
                if family:
                    line += f"; at {row['alpha_family']:.3g}: {_share(row, '_family')}"
                blocks.append(
                    line + (f"; by formula {apa.bounded(row['closed'], 3)}" if pd.notna(row["closed"]) else "")
                )
            needs = self.needed[(self.needed["question"] == question) & (self.needed["term"] == term)]
            blocks += [f"  {_needs(row)}" for row in needs.to_dict("records")]
        blocks += [f"{name}: not computed: {why}" for name, why in self.refused.items()]
        return "\n".join(blocks)


def _share(row: Mapping[Any, Any], suffix: str) -> str:
    power, low, high = (apa.bounded(row[f"{name}{suffix}"], 3) for name in ("power", "low", "high"))
    return f"{power} [{low}, {high}]"


def _needs(row: Mapping[Any, Any]) -> str:
    if row["why"]:
        return str(row["why"])
    return f"n = {row['n']} [{row['n_low']}, {row['n_high']}] for {row['wished']:g} ({row['total']} in all)"


def _expectation_of(plan: Plan, observed_levels: Mapping[str, Sequence[str]]) -> str:
    """Return what may be added to a question of a plan, with the levels of its factors where they are known."""
    name, factors = next(
        ((name, question.by) for name, question in plan.questions.items() if question.by), ("NAME", ("condition",))
    )
    levels = [plan.factor(factor).levels or observed_levels.get(factor) or ("A", "B") for factor in factors]
    named_levels = (
        [f"{factor} = {json.dumps(level, ensure_ascii=False)}" for level in of_factor]
        for factor, of_factor in zip(factors, levels, strict=True)
    )
    cells = map(", ".join, product(*named_levels))
    means = ", ".join(f"{{ {cell}, mean = {10 + 2 * place} }}" for place, cell in enumerate(cells))
    return (
        f"add such as expect = {{ cells = [{means}], sd = 4 }} to [questions.{name}] (p instead of mean of yes or no: "
        "see negstats docs plan)"
    )


def planned_power(
    plan: Plan,
    *,
    observed_levels: Mapping[str, Sequence[str]] | None = None,
    sizes: Mapping[str, Sequence[int]] | None = None,
    track: Track = untracked,
) -> PlannedPower:
    """Return the power of every question of a plan that says what it expects.

    Parameters
    ----------
    plan
        With ``expect`` in at least one question. Sizes, studies, the wished power and the seed are the plan's.
    observed_levels
        Levels of factors that the plan does not name, from a study at hand.
    sizes
        Units in the smallest cell by question, in place of the plan's; what each question needs is then not looked for.
    track
        Called with the questions and their number; yields them on (a progress bar).

    Raises
    ------
    UsageError
        If no question says what it expects, or an expectation is none; the message names the field.

    Notes
    -----
    The random numbers of a question are a child of the seed by its id, the same for all sizes, so that neither the
    order of questions nor what else is asked changes anything.

    Examples
    --------
    >>> from negstats.analysis.plan.parse import parse
    >>> plan = parse('''
    ... power = { n = [20, 64], studies = 2000 }
    ... [questions.H1]
    ... asks = "Do people earn more against the fair agent?"
    ... measure = "points"
    ... who = "human"
    ... by = "condition"
    ... expect = { cells = [{ condition = "fair", mean = 10.5 }, { condition = "selfish", mean = 10 }], sd = 1 }
    ... ''')
    >>> found = planned_power(plan)
    >>> found.curve[["n", "total", "closed"]].round(3).to_dict("list")
    {'n': [20, 64], 'total': [40, 128], 'closed': [0.338, 0.801]}
    >>> bool(found.needed["n_low"][0] <= 64 <= found.needed["n_high"][0])
    True
    """
    question_names = [name for name, question in plan.questions.items() if question.expect or plan.power.simulate]
    if not question_names:
        raise UsageError(
            f"{plan.file}: no question says what it expects; {_expectation_of(plan, observed_levels or {})}"
        )
    # What each question expects and the tests that it needs, or why it cannot be simulated.
    planned_questions: dict[str, tuple[Expected, list[PowerTask]]] = {}
    reasons = {name: "the plan does not say what it expects" for name in plan.questions if name not in question_names}
    for name in track(question_names, len(question_names)):
        try:
            planned = expected(plan, name, observed_levels)
            planned_questions[name] = planned, power_tasks(planned)
        except DesignError as error:
            reasons[name] = error.statement
    # The power at each size, at the plan's level and at the least of the family's correction; then the size needed.
    levels = _levels(plan, {name: len(parts) for name, (_, parts) in planned_questions.items()})
    curve, sample_sizes = [], []
    for name, (planned, parts) in planned_questions.items():
        for part in parts:
            asked_sizes = (sizes or {}).get(name) or plan.power.n or SIZES
            curve += _curve(plan, planned, part, levels[name], asked_sizes)
            sample_sizes += [] if sizes else [_find_sample_size(plan, planned, part)]
    return PlannedPower(
        curve=pd.DataFrame(curve, columns=COLUMNS),
        needed=pd.DataFrame(sample_sizes, columns=NEEDED).astype(
            dict.fromkeys(("n", "n_low", "n_high", "total"), "Int64")
        ),
        refused=reasons,
        sentences={
            name: f"{planned.choice.sentence}{_note_pool(planned)}{_note(planned)}"
            for name, (planned, _) in planned_questions.items()
        },
        n_simulations=plan.power.studies,
        alpha=plan.alpha,
    )


def size_there(question: Question, came: Attendance) -> int:
    """Return units in the smallest cell of a study at hand; of rows dealt to cells, its rows over those of a unit."""
    if not len(came.cells):
        return 0
    return came.dealt if question.test in OF_ROWS and came.design.features.inside else int(came.cells["n"].min())


def power_at_hand(check: Check) -> PlannedPower | None:
    """Return the power of the questions that say what they expect, at the sizes that a checked study has.

    Parameters
    ----------
    check
        A plan against a study, as `negstats.analysis.preregistration.check.check` gives it.

    Returns
    -------
    PlannedPower or None
        None where no question expects anything, or too few units are there.
    """
    sizes = {
        question.id: (size,)
        for question in check.questions
        if question.question.expect and (size := size_there(question.question, question.came)) >= 2
    }
    observed_levels = {
        name: levels for question in check.questions for name, levels in question.came.design.levels.items()
    }
    return planned_power(check.plan, observed_levels=observed_levels, sizes=sizes) if sizes else None


def _note_pool(planned: Expected) -> str:
    if planned.pool is None:
        return ""
    error = float(planned.pool.error.max())
    games = f"{planned.pool.games:,} played games"
    return f" Units are drawn from {games} a cell, whose means have standard errors of up to {error:.2g}."


def _note(planned: Expected) -> str:
    if not planned.refitted:
        return describe_rows(planned)
    from negstats.analysis.power.refitted import describe_refits

    return describe_refits(planned)


def _levels(plan: Plan, parts: Mapping[str, int]) -> dict[str, float]:
    """Return for each question the least level that its family's correction can give: alpha over its members."""
    alpha_levels = {}
    for name in parts:
        family = plan.families.get(plan.family(name) or "")
        is_corrected = family is not None and family.correction != "none"
        members = (
            sum(parts.get(question, 1) for question in family.questions) if family is not None and is_corrected else 1
        )
        alpha_levels[name] = plan.alpha / members
    return alpha_levels


def _curve(
    plan: Plan, planned: Expected, part: PowerTask, least: float, sizes: Sequence[int]
) -> list[tuple[object, ...]]:
    rows: list[tuple[object, ...]] = []
    studies = plan.power.studies
    for n in sizes:
        design = part.design.resized(n)
        p = simulated_p(design, part.test, studies, random(plan.seed, planned.id))
        ends = []
        for alpha in (plan.alpha, least):
            count = int((p <= alpha).sum())
            interval = proportion(count, studies).confidence_interval()
            ends.append((count / studies, float(interval.low), float(interval.high)))
        closed_form = float("nan") if part.closed is None else part.closed(n, plan.alpha)
        total = int(design.n.sum())
        rows.append((planned.id, part.term, planned.choice.rule.test, n, total, *ends[0], least, *ends[1], closed_form))
    return rows


def _find_sample_size(plan: Plan, planned: Expected, part: PowerTask) -> tuple[object, ...]:
    """Return the size that reaches the wished power with the ends of its interval, or why none does."""
    find = _search_refits if planned.refitted else _search_sizes
    try:
        sizes: tuple[object, ...] = (*find(plan, planned, part), "")
    except (NotEstimable, DesignError) as error:
        sizes = (pd.NA, pd.NA, pd.NA, pd.NA, error.statement)
    return planned.id, part.term, plan.power.wished, *sizes


def _search_sizes(plan: Plan, planned: Expected, part: PowerTask) -> tuple[int, int, int, int]:
    """Return the units in the smallest cell, the ends of their interval, and the units in all."""
    sample_size = simulated_sample_size(
        part.design.resized(max(plan.power.n or SIZES)),
        part.test,
        rng=random(plan.seed, planned.id),
        power=plan.power.wished,
        n_simulations=plan.power.studies,
        alpha=plan.alpha,
        least=3,
        most=MOST,
    )
    low, high = round(float(sample_size.n_interval.low)), round(float(sample_size.n_interval.high))
    least = replace(part.design, n=np.array(sample_size.n, dtype=np.float64)).smallest
    return least, low, high, sample_size.total


def _search_refits(plan: Plan, planned: Expected, part: PowerTask) -> tuple[int, int, int, int]:
    """Return the same where each study is fitted."""
    from negstats.analysis.power.refitted import needed_by_curve

    n, low, high = needed_by_curve(
        part.design,
        part.test,
        random(plan.seed, f"{planned.id} needs"),
        power=plan.power.wished,
        n_simulations=plan.power.studies,
        alpha=plan.alpha,
        least=LEAST_REFITS,
        most=MOST_REFITS,
    )
    return n, low, high, int(part.design.resized(n).n.sum())
