"""The answers to a plan: one `Answer` a question, and the `Report` that holds them with everything that is printed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pandas as pd

from negstats.analysis.rules import Figure
from negstats.errors import NegstatsError
from negstats.studies.study import Study

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from negstats.analysis.plan.model import Plan, Question

__all__ = ["Answer", "Figure", "Report"]


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """One question of a plan, answered or refused.

    Attributes
    ----------
    id : str
        The question's id, such as "H1".
    question : Question
        The question as the plan asks it.
    entry : dict
        Its object in ``results.json``: design, rule, verdict, cells, tests, notes.
    figure : str or None
        How it is drawn: "points" (every unit, mean and interval), "lines" (one line a unit), "cells" (means and
        intervals), "bars" (shares), "scatter", "curves" (time to an end) or "answers" (ordered or nominal answers by
        level). None where nothing could be estimated.
    values : pandas.DataFrame
        What was tested, tidy: ``unit``, one column a factor, ``value``. For "scatter" also a column a predictor, under
        its measure's name; for "curves" ``time`` and ``ended`` take the place of ``value``. Empty where the values stay
        with an engine: then the cells alone are drawn.
    result : Result or None
        The answering test as `negstats.stats` gave it; the first, where several terms or contrasts answer.
    beside : Mapping of str to Result
        The other tests by the part of their address behind the id: ``"#ranks"``, ``"/condition:country"``.
    plan : Plan
        The plan that asks it.
    results : dict
        ``results.json``, of which `entry` is a part; that of `compare` describes no study beside its answer.
    refusal : NegstatsError or None
        Why nothing could be tested.
    """

    id: str
    question: Question
    entry: dict[str, Any]
    figure: Figure | None
    values: pd.DataFrame
    result: Any = None
    beside: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    plan: Plan = field(kw_only=True, repr=False)
    results: dict[str, Any] = field(kw_only=True, repr=False)
    refusal: NegstatsError | None = field(default=None, kw_only=True)

    def lines(self) -> list[str]:
        """Return what is printed of it: the sentence with its verdict, then each answering test.

        Returns
        -------
        list[str]
            One line an entry.
        """
        verdict = self.entry["verdict"] or ("explored" if self.question.explore else "described")
        answers = [test for test in self.entry["tests"] if test["role"] == "answer"]
        has_several = len(answers) > 1
        tests = [
            f"{test['address'].partition('/')[2]}: {test['apa']}" if has_several else test["apa"] for test in answers
        ]
        return [f"{self.id}  {self.question.asks}", f"    {verdict}", *(f"    {test}" for test in tests)]

    @property
    def estimated(self) -> bool:
        """Whether there is a test; otherwise the verdict says why not."""
        return self.result is not None

    @property
    def unit(self) -> str:
        """What the independent units are: participants, games, or groups of people who are linked through games."""
        return str(self.entry["design"]["units"])

    @property
    def levels(self) -> dict[str, tuple[str, ...]]:
        """The levels of each factor that are compared, in order: differences are first minus second."""
        return {factor["name"]: tuple(factor["levels"]) for factor in self.entry["design"]["factors"]}

    @property
    def notes(self) -> tuple[str, ...]:
        """What was averaged or excluded."""
        return tuple(self.entry["notes"])

    def table(self) -> pd.DataFrame:
        """Return one row a cell: its levels, then n with mean and SD, or how many said yes and their share.

        Returns
        -------
        DataFrame
            ``low`` and ``high`` are the ends of the interval of the mean or share. Numbers are not rounded.
        """
        own = [{**cell["levels"], **{name: cell[name] for name in cell if name not in ("levels", "why")}}
               for cell in self.entry["cells"]]  # fmt: skip
        answers = [cell.pop("answers", {}) for cell in own]
        table = pd.DataFrame([{**cell, **counts} for cell, counts in zip(own, answers, strict=True)])
        return table.set_index(list(self.levels)) if self.levels else table

    def apa(self) -> str:
        """Return the sentences of the report on this question.

        Returns
        -------
        str
            Means or shares, the test, the effect size with its interval, the verdict, and what its checks say.
        """
        from negstats.report.one_answer import sentences

        return sentences(self)

    def _repr_html_(self) -> str:
        """Return the question, the sentences of the report and the table of its cells, for a notebook."""
        from negstats.report.one_answer import to_html

        return to_html(self)

    def plot(self) -> Axes:
        """Draw the figure of the report on this question.

        Returns
        -------
        Axes
            The axes with the drawing, in units of the measure.

        Raises
        ------
        DesignError
            If there is nothing to draw: no test, or values that stay with an engine.
        """
        from negstats.report.one_answer import draw

        return draw(self)


def alarm_lines(results: Mapping[str, Any]) -> list[str]:
    """Return what is doubtful about a study or was not read, as ``results.json`` has it, and what answers it."""
    unread = (results["study"].get("loaded") or {}).get("unread") or ()
    alarms = [f"! {alarm['about']}: {alarm['says']}" for alarm in results.get("alarms") or ()]
    hint = ["  the plan or the mapping answers these: see negstats plan --check"] if alarms else []
    return [*alarms, *hint, *(f"note: {note}" for note in unread)]


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """A plan, the study that it was run on and the answers.

    Attributes
    ----------
    plan : Plan
        The plan.
    study : Study
        The study without the rows that the plan leaves out.
    results : dict
        ``results.json`` as it is written: plain values, numbers never rounded.
    answers : Mapping of str to Answer
        By the question's id, in the plan's order.
    """

    plan: Plan
    study: Study
    results: dict[str, Any]
    answers: Mapping[str, Answer]

    def lines(self) -> list[str]:
        """Return what is printed of all answers, the planned before those that are explored.

        Returns
        -------
        list[str]
            One line an entry.
        """
        answers = sorted(self.answers.values(), key=lambda answer: answer.question.explore)
        return [*alarm_lines(self.results), *(line for answer in answers for line in ("", *answer.lines()))]

    def _repr_html_(self) -> str:
        """Return all answers as a notebook shows them."""
        return "".join(answer._repr_html_() for answer in self.answers.values())

    @property
    def questions(self) -> Mapping[str, Answer]:
        """The answers by the question's id: ``report.questions["H1"].result`` is a result of `negstats.stats`."""
        return self.answers
