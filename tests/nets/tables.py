"""The tables that each loader makes of each sample: rows, columns and a digest of what they hold."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pandas as pd

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


def digest(table: pd.DataFrame) -> str:
    """Return rows, columns and a hash of the values, floats to the last digit."""
    text = table.to_csv(index=False, na_rep="\x00", lineterminator="\n")
    return f"{len(table)} x {len(table.columns)} {hashlib.sha256(text.encode()).hexdigest()[:16]}"


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


def table_digests(name: str) -> str:
    """Return one line a table of the study that is loaded from that sample."""
    study = SAMPLES[name]()
    lines = [f"{table}: {digest(frame)} {' '.join(map(str, frame.columns))}" for table, frame in study.tables.items()]
    left_out = [f"left out: {count} {reason}" for reason, count in sorted(study.provenance.reasons().items())]
    return "\n".join([*lines, *left_out]) + "\n"
