"""The tables that each loader makes of each sample, so that a difference says what changed.

Small samples of ours are written out. Of a real log each column is described: how many values, of which kind, their
levels or range and sum, and a digest of all in their order; no text that a person wrote stands in the repository.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd
from pandas.api.types import is_bool_dtype, is_numeric_dtype

import negstats
from negstats.loaders.mapping import read, read_mapping
from negstats.studies import open_study
from negstats.studies.study import Study
from tests.conftest import DATA, ROOT, DataFolder
from tests.robustness.seeds import SEEDS

# folders and files of NEGSTATS_DATA
REAL = (
    "casino", "dealornodeal", "empirica_v2", "jspsych", "lamen", "llm_deliberation", "negmas/cartesian",
    "negmas/session_csv", "negmas/session_save", "negolog", "negotiationarena/buysell", "negotiationarena/buysell_v2",
    "negotiationarena/ultimatum", "otree/all_apps_wide.csv", "otree/bargaining.csv", "otree/ultimatum.csv",
    "otree_dyads", "qualtrics/qualtrics_sample.csv", "qualtrics/svi_dyads_synthetic.csv", "solver_cl",
)  # fmt: skip
SHIPPED = ("casino/study", "contract_sim/study", "robot/study", "sample")


MOST_ROWS = 12  # of a small sample's table that is written out
MOST_LEVELS = 8  # of a column of texts that are named
OF_PEOPLE = ("participant_id", "text", "answer")  # whose levels are not


def describe_column(column: pd.Series) -> str:
    """Return how many values a column has, their levels or their range and sum, and a digest of them in their order."""
    values = column.dropna()
    if not len(values):
        return f"{column.dtype}, all {len(column)} missing"
    text = values.to_csv(header=False, lineterminator="\n")
    digest = hashlib.sha256(text.encode()).hexdigest()[:8]
    counts = values.astype(str).value_counts()
    head = f"{column.dtype}, {len(values)} of {len(column)}, {len(counts)} different"
    if is_numeric_dtype(column) and not is_bool_dtype(column):
        numbers = values.astype(float)
        what = f"{numbers.min():.10g} to {numbers.max():.10g}, sum {numbers.sum():.10g}"
    elif column.name not in OF_PEOPLE and len(counts) <= MOST_LEVELS and counts.min() > 1:
        what = ", ".join(f"{level!r} {count}" for level, count in sorted(counts.items()))
    else:
        what = f"{values.astype(str).str.len().sum()} letters"
    return f"{head}: {what} [{digest}]"


def describe_table(name: str, table: pd.DataFrame, *, whole: bool) -> list[str]:
    """Return the lines of a table: written out if it is short and `whole`, else one for each column."""
    if not len(table):
        return [f"{name} (rows: 0): {' '.join(map(str, table.columns))}"]
    if whole and len(table) <= MOST_ROWS:
        return [f"{name} (rows: {len(table)}):", *table.to_csv(index=False, lineterminator="\n").splitlines()]
    columns = [f"  {column}: {describe_column(table[column])}" for column in table.columns]
    return [f"{name} (rows: {len(table)}):", *columns]


def _shipped(place: str) -> Study:
    return negstats.load(ROOT / "datasets" / place)


def _real(place: str) -> Study:
    folder, _, rest = place.partition("/")
    return negstats.load(DataFolder(DATA)(folder) / rest)


def _small(name: str) -> Study:
    log = SEEDS[name]()
    with tempfile.TemporaryDirectory() as folder:
        for place, content in log.files.items():
            file = Path(folder) / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        path = Path(folder) / log.root
        if log.mapping:
            (Path(folder) / "mapping.toml").write_text(log.mapping, encoding="utf-8")
            return read(path, read_mapping(Path(folder) / "mapping.toml"))
        return open_study(path) if log.loader == "study" else negstats.load(path, format=log.loader)


def _samples() -> dict[str, Callable[[], Study]]:
    values_by_name: dict[str, Callable[[], Study]] = {}
    values_by_name |= {f"shipped {place.replace('/', ' ')}": partial(_shipped, place) for place in SHIPPED}
    values_by_name |= {f"real {place.replace('/', ' ')}": partial(_real, place) for place in REAL}
    values_by_name |= {f"small {name}": partial(_small, name) for name in SEEDS if not name.endswith(", real")}
    return values_by_name


SAMPLES: Mapping[str, Callable[[], Study]] = _samples()


def table_texts(name: str) -> str:
    """Return the tables of the study that is loaded from that sample, what was left out, and the notes."""
    study = SAMPLES[name]()
    whole = name.startswith("small ")
    lines = [line for table, frame in study.tables.items() for line in describe_table(table, frame, whole=whole)]
    left_out = [f"left out: {count} {reason}" for reason, count in sorted(study.provenance.reasons().items())]
    notes = [f"note: {note}" for note in study.provenance.notes if not note.startswith("codebook: ")]
    return "\n".join([*lines, f"rows read: {study.provenance.rows_read}", *left_out, *notes]) + "\n"
