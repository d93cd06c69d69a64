"""NIST's Statistical Reference Datasets for one-way analysis of variance: all eleven, at the ceiling of doubles.

https://www.itl.nist.gov/div898/strd/anova/anova.html (public domain). The files are those that scipy installs with its
own tests; certified values have 15 digits. The higher sets have up to 13 constant leading digits, and a double cannot
hold the rest exactly: then exact arithmetic on the doubles themselves agrees with the certified F in a few digits only.
That is the ceiling, and it is computed here.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.stats

from negstats.stats import Cells, ValueCounts, anova, one_way

FOLDER = Path(scipy.stats.__file__).parent / "tests" / "data" / "nist_anova"

# Digits of F (log relative error) that must be right.
DIGITS = {
    "SiRstv": 13.0,
    "AtmWtAg": 10.0,
    "SmLs01": 14.0,
    "SmLs02": 14.0,
    "SmLs03": 14.0,
    "SmLs04": 10.0,
    "SmLs05": 10.0,
    "SmLs06": 10.0,
    "SmLs07": 4.3,
    "SmLs08": 4.1,
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


def digits(value: float, expected: float) -> float:
    return 16.0 if value == expected else float(-np.log10(abs(value - expected) / abs(expected)))


def exact_f(frame: pd.DataFrame) -> float:
    """F of the doubles as they are, in rational arithmetic."""
    groups = [[Fraction(y) for y in group] for _, group in frame.groupby("group")["y"]]
    total = sum(map(len, groups))
    grand = sum(map(sum, groups), Fraction(0)) / total
    means = [sum(group, Fraction(0)) / len(group) for group in groups]
    between = sum((len(g) * (m - grand) ** 2 for g, m in zip(groups, means, strict=True)), Fraction(0))
    within = sum(((y - m) ** 2 for g, m in zip(groups, means, strict=True) for y in g), Fraction(0))
    return float(between / (len(groups) - 1) / (within / (total - len(groups))))


@pytest.mark.parametrize("name", DIGITS)
def test_certified_values(name: str) -> None:
    frame, certified = read(name)
    assert len(frame) == certified["df"] + certified["df_error"] + 1
    samples = {str(level): group.to_numpy() for level, group in frame.groupby("group")["y"]}
    for cells in (Cells.from_frame(frame, "y", "group"), Cells.from_samples(samples)):
        result = anova(cells)
        assert digits(float(result.statistic[0]), certified["f"]) >= DIGITS[name]
        assert (result.df1[0], result.df2) == (certified["df"], certified["df_error"])
    for data in (frame, ValueCounts.from_frame(frame, "y", "group")):
        assert digits(float(one_way(data, "y", "group").statistic), certified["f"]) >= DIGITS[name]


@pytest.mark.slow(keep=4)
@pytest.mark.parametrize("name", ["SiRstv", "AtmWtAg", "SmLs01", "SmLs02", "SmLs04", "SmLs05", "SmLs07", "SmLs08"])
def test_the_rest_is_lost_in_the_file_not_in_the_arithmetic(name: str) -> None:
    frame, _ = read(name)
    samples = {str(level): group.to_numpy() for level, group in frame.groupby("group")["y"]}
    for cells in (Cells.from_frame(frame, "y", "group"), Cells.from_samples(samples)):
        assert digits(float(anova(cells).statistic[0]), exact_f(frame)) >= 14
