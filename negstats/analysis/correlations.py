"""How the measures of a plan are related to each other: correlations of the means of units, for the descriptives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from negstats.analysis.questions.question_data import QuestionData
from negstats.stats.results.numbers import number

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Question

MOST = 8  # measures in the table
FEWEST = 3  # units of a correlation
KINDS = ("interval", "count", "yes/no")


def correlations_of(questions: Sequence[tuple[Question, QuestionData]]) -> list[dict[str, Any]] | None:
    """Return a row a measure: its name, whose it is, and its r and n with each measure before it.

    Parameters
    ----------
    questions
        Each question with its rows. A measure is taken as the first question that has it looks at it; a unit's values
        are averaged. None where the rows stay with an engine.
    """
    means: dict[tuple[str, str | None], pd.Series] = {}
    for question, data in questions:
        frame = data.rows()
        if frame is None:
            return None
        columns = {(question.measure, data.asked.who): "value"} if data.asked.kind in KINDS else {}
        for key, column in (columns | {(name, None): name for name in (*question.with_, *question.covariates)}).items():
            if key not in means and frame[column].dtype.kind in "iuf":
                means[key] = frame.groupby("unit", sort=False)[column].mean().dropna()
    mean_columns = list(means.items())[:MOST]
    if len(mean_columns) < 2:
        return []
    table = pd.DataFrame({place: values for place, (_, values) in enumerate(mean_columns)})
    rows = []
    for place, ((name, who), _) in enumerate(mean_columns):
        pairs = [table[[place, other]].dropna().to_numpy(float) for other in range(place)]
        rows.append(
            {"measure": name, "who": who, "r": [_r(pair) for pair in pairs], "n": [len(pair) for pair in pairs]}
        )
    return rows


def _r(pair: Any) -> float | None:
    if len(pair) < FEWEST or (pair.min(axis=0) == pair.max(axis=0)).any():
        return None
    with np.errstate(all="ignore"):
        return number(np.corrcoef(pair, rowvar=False)[0, 1])
