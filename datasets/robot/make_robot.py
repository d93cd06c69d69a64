"""Make the study of `negstats.datasets.robot` from the public logs of Solver-CL.

Run from the project's root, with the folder that holds the repository's ``raw_logs`` and ``final_dataset``:
``python datasets/robot/make_robot.py SOLVER_CL``. The same files give the same study.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

from negstats.loaders import load
from negstats.studies.study import Study

HERE = Path(__file__).resolve().parent
# The pseudonyms hide nobody's number, for the source is public: they keep it out of sight, and the same in all tables.
SALT = "negstats robot 2026"

SUBJECTS = [
    "Subject_ID", "Session_ID", "Condition", "Agent_Utility", "Human_Utility", "Agreement_Rounds", "Norm_Arousal",
    "Norm_Valence", "Concession_Rate", "Nice_Rate", "Fortunate_Rate", "Unfortunate_Rate", "Selfish_Rate",
]  # fmt: skip
ROUNDS = [
    "Subject_ID", "Session_ID", "Round_ID", "Condition", "Agent_Utility", "Human_Utility", "Norm_Arousal",
    "Norm_Valence",
]  # fmt: skip


def main(source: Path, target: Path = HERE) -> None:
    """Write the study, and the two tables of measures that its README's numbers come from, below `target`."""
    raw = load(source)
    study = raw.deidentify(SALT, shuffle=True)
    study.save(target / "study")
    called = _pseudonyms(raw)
    for name, columns in (("subject", SUBJECTS), ("round", ROUNDS)):
        table = pd.read_csv(source / "final_dataset" / f"experiment_{name}_data.csv", usecols=columns)[columns]
        table["Subject_ID"] = table["Subject_ID"].map(lambda number: called[f"S{number:03d}"])
        order = [column for column in columns if column.endswith("_ID")]
        table.sort_values(order, ignore_index=True).to_parquet(target / f"{name}s.parquet", index=False)


def _pseudonyms(raw: Study) -> dict[str, str]:
    """Return what each person is called after de-identification (unshuffled, so that rows stay in their places)."""
    safe = raw.deidentify(SALT)
    people = raw.players["participant_id"]
    return dict(zip(people.dropna(), safe.players.loc[people.notna(), "participant_id"], strict=True))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(Path, sys.argv[2:3]))
