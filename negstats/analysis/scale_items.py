"""Scales of several items: which answers of a study are the mean of others, and how consistent these are."""

from __future__ import annotations

from collections.abc import Sequence

import narwhals as nw
import pandas as pd

from negstats.analysis.questions.frames import home
from negstats.errors import NegstatsError
from negstats.stats.agreement.reliability import Reliability, reliability
from negstats.studies.study import Study


def scales_of(study: Study) -> dict[str, tuple[str, ...]]:
    """Return the answers that are the mean of items, each with what its items are called."""
    scales = [record for record in study.provenance.records if record.kind == "scale_mean"]
    return {record.place: tuple(map(str, record.values)) for record in scales}


def reliability_of(study: Study, items: Sequence[str]) -> Reliability | None:
    """Return Cronbach's alpha of items, over people (and games) who answered all; None where it cannot be estimated."""
    keys = ["participant_id", "game_id"]
    rows = home(study.with_frames().frame("answers").filter(nw.col("question").is_in(list(items))))
    numbers = rows[keys].fillna("").assign(question=rows["question"], value=pd.to_numeric(rows["answer"], "coerce"))
    table = numbers.pivot_table(index=keys, columns="question", values="value")
    if not set(items) <= set(table.columns):
        return None
    try:
        return reliability(table, items)
    except NegstatsError:  # an item that nobody varied on, or fewer than three people
        return None
