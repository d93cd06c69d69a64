"""NIST's Statistical Reference Datasets for one-way analysis of variance: all eleven, at the ceiling of doubles.

https://www.itl.nist.gov/div898/strd/anova/anova.html (public domain). The files are those that scipy installs with its
own tests. Each certified value has 15 digits. The higher sets have up to 13 constant leading digits; they are stored as
doubles, which loses what a double cannot hold, so that even exact arithmetic on the doubles agrees with the
certified F to the digits of `CEILING` only.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats

FOLDER = Path(scipy.stats.__file__).parent / "tests" / "data" / "nist_anova"

# Digits of F (log relative error) that must be right.
DIGITS = {
    "SiRstv": 12.0,
    "AtmWtAg": 8.0,
    "SmLs01": 14.0,
    "SmLs02": 13.0,
    "SmLs03": 12.0,
    "SmLs04": 10.0,
    "SmLs05": 9.0,
    "SmLs06": 9.0,
    "SmLs07": 4.3,
    "SmLs08": 4.0,
    "SmLs09": 4.1,
}

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"this scipy was installed without its tests: {FOLDER}")


def read(name: str) -> tuple[pd.DataFrame, dict[str, float]]:
    lines = (FOLDER / f"{name}.dat").read_text().splitlines()
    between = next(line.split() for line in lines if line.startswith("Between"))
    within = next(line.split() for line in lines if line.startswith("Within"))
    first = max(i for i, line in enumerate(lines) if line.startswith("Data:"))
    pairs = [line.split() for line in lines[first + 1 :] if re.fullmatch(r"\s*\d+\s+\S+\s*", line)]
    certified = {"df": between[2], "ss": between[3], "f": between[5], "df_error": within[2], "ss_error": within[3]}
    frame = pd.DataFrame({"group": [int(g) for g, _ in pairs], "y": [float(y) for _, y in pairs]})
    return frame, {key: float(value) for key, value in certified.items()}


def digits(value: float, certified: float) -> float:
    return 15.0 if value == certified else -np.log10(abs(value - certified) / abs(certified))
