"""casino2021: Chawla et al., CaSiNo (NAACL 2021): the counts of its repository, from the dialogues themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pandas as pd

from negstats.loaders import load
from negstats.papers.ledger import Row
from negstats.papers.recipes import build_finding
from negstats.papers.sources import with_data
from negstats.papers.verdict import Check, Finding
from negstats.studies.folder import is_study
from negstats.studies.study import Study

PAPER = "casino2021"


def findings(root: Path | None = None) -> list[Finding]:
    """Return the finding of every printed number; raw data are looked for in the folder ``casino`` of `root`.

    Without a root, it is the study that ships with negstats.
    """
    return with_data(PAPER, root, _recompute)


def _talk(study: Study) -> pd.DataFrame:
    """Return the utterances: deal actions are none."""
    return study.messages[study.messages["act"].isna()]


def _annotated(study: Study) -> pd.DataFrame:
    return study.messages[study.messages["labels"].notna()]


MEASURES: dict[str, tuple[str, Callable[[Study], float], str]] = {
    "dialogues": ("n", lambda study: len(study.games), "dialogues in the three files"),
    "utterances per dialogue": (
        "mean",
        lambda study: len(_talk(study)) / len(study.games),
        "messages without deal actions, over all dialogues",
    ),
    "annotated dialogues": ("n", lambda study: _annotated(study)["game_id"].nunique(), "dialogues with a label"),
    "annotated utterances": ("n", lambda study: len(_annotated(study)), "utterances with a label"),
}


def _recompute(folder: Path, rows: Iterable[Row]) -> list[Finding]:
    study_folder = folder / "study"  # the one that ships with negstats
    study = load(study_folder if is_study(study_folder) else folder)
    return [_recompute_row(study, row) for row in rows]


def _recompute_row(study: Study, row: Row) -> Finding:
    column, count, what = MEASURES[row.of]
    value = float(count(study))
    check = Check.exact(column if column == "n" else "M", row.numbers[column], value)
    return build_finding(row, [check], f"{value:.{0 if column == 'n' else 3}f} {what}")
