"""solvercl2025: the README of Solver-CL-Agent, from its public subject and round tables.

66 people negotiated with a robot in two conditions, CL and FC, so tests are paired by the person. The README's SDs
have the divisor n and its d are the mean difference over that SD; where only that convention gives the printed
number, the finding says so.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.papers.ledger import Row
from negstats.papers.recipes import build_finding, p_check, p_text
from negstats.papers.sources import with_data
from negstats.papers.verdict import Check, Finding
from negstats.printed_numbers import Printed
from negstats.stats.means.t_tests import TTest, paired_t, t_test

FloatArray = npt.NDArray[np.float64]

PAPER = "solvercl2025"
CONDITIONS = ("CL", "FC")
FILES = ("experiment_subject_data.csv", "experiment_round_data.csv")
SHIPPED = ("subjects.parquet", "rounds.parquet")
NASH = "Nash distance"
PRODUCT = "product of utilities over the largest"
NASH_IS = "the distance is to the best offer ever made, as preferences are not in the tables"

# What the README calls a measure, and its column of the subject table.
COLUMNS = {
    "agent_utility": "Agent_Utility",
    "human_utility": "Human_Utility",
    "nash_distance": NASH,
    "rounds": "Agreement_Rounds",
    "concession": "Concession_Rate",
    "nice": "Nice_Rate",
    "fortunate": "Fortunate_Rate",
    "unfortunate": "Unfortunate_Rate",
    "selfish": "Selfish_Rate",
    "arousal_subject": "Norm_Arousal",
    "valence_subject": "Norm_Valence",
}
MEASURES = {
    "agent utility": "agent_utility",
    "human utility": "human_utility",
    "nash distance": "nash_distance",
    "agreement rounds": "rounds",
    "concession rate": "concession",
    "nice rate": "nice",
    "fortunate rate": "fortunate",
    "unfortunate rate": "unfortunate",
    "selfish rate": "selfish",
    "arousal, subject level": "arousal_subject",
    "valence, subject level": "valence_subject",
}
ROUND_LEVEL = {"arousal, round level": "Norm_Arousal", "valence, round level": "Norm_Valence"}


def findings(root: Path | None = None) -> list[Finding]:
    """Return the finding of every printed number; raw data are looked for in the folder ``solver_cl`` of `root`.

    Without a root, they are the tables that ship with negstats.
    """
    return with_data(PAPER, root, _recompute)


@dataclass(frozen=True, slots=True)
class _Tables:
    """One row a person, the measures by condition, with the distance to the Nash point; and one row a round."""

    people: pd.DataFrame
    rounds: pd.DataFrame

    def pair(self, column: str) -> dict[str, FloatArray]:
        """Return a measure by condition, people in one order."""
        values = np.stack([self.people[column, name].to_numpy(dtype=np.float64) for name in CONDITIONS])
        return dict(zip(CONDITIONS, values[:, ~np.isnan(values).any(axis=0)], strict=True))

    def by_round(self, column: str) -> dict[str, FloatArray]:
        """Return a measure of rounds by condition."""
        rows = self.rounds.dropna(subset=[column])
        return {name: rows.loc[rows["Condition"] == name, column].to_numpy(dtype=np.float64) for name in CONDITIONS}


def _recompute(folder: Path, rows: Iterable[Row]) -> list[Finding]:
    shipped = [folder / name for name in SHIPPED]
    if all(file.is_file() for file in shipped):
        subjects, rounds = map(pd.read_parquet, shipped)
    else:
        subjects, rounds = (pd.read_csv(folder / "final_dataset" / name) for name in FILES)
    utilities = ["Agent_Utility", "Human_Utility"]
    # The offer with the largest product of utilities that was ever made stands for the Nash point.
    nash = rounds[utilities].to_numpy(dtype=np.float64)[rounds[utilities].prod(axis=1, skipna=False).argmax()]
    gaps = subjects[utilities].to_numpy(dtype=np.float64) - nash
    product = subjects[utilities].prod(axis=1) / rounds[utilities].prod(axis=1, skipna=False).max()
    subjects = subjects.assign(**{NASH: np.hypot(gaps[:, 0], gaps[:, 1]), PRODUCT: product})
    people = subjects.pivot_table(index="Subject_ID", columns="Condition", values=[*COLUMNS.values(), PRODUCT])
    tables = _Tables(people, rounds)
    return [_claim(tables, row) if row.kind == "result" else _summary(tables, row) for row in rows]


def _claim(tables: _Tables, claim: Row) -> Finding:
    name = claim.id.removeprefix(f"{PAPER}.")
    if name == "arousal_round":
        return _rounds_as_people(tables, claim)
    pair = tables.pair(COLUMNS[name])
    test = paired_t(pair)
    checks = []
    if claim.value is not None:
        checks = [Check.exact("t", claim.value, float(test.statistic)), p_check(claim)]
    if claim.p is not None:
        checks.append(Check.exact("p from the data", claim.p, float(test.p)))
    d, note = _effect(claim, test)
    checks += d
    why = f"paired by the person, the data give {test.apa()}{note}"
    if claim.value is not None and not claim.value.agrees(float(test.statistic)):
        why += _other_tests(claim.value, pair, test)
    if name == "nash_distance":
        why += f"; {_nash_note(tables)}"
    return build_finding(claim, checks, why)


def _effect(claim: Row, test: TTest) -> tuple[list[Check], str]:
    """Check d as d_z, and if that differs with the SD of divisor n."""
    if claim.effect_value is None:
        return [], ""
    n = int(np.asarray(test.n[0]))
    value, name, note = float(test.effect_size("d_z").value), "d", ""
    other = value * np.sqrt(n / (n - 1))
    if not claim.effect_value.agrees(value) and claim.effect_value.agrees(other):
        value, name = other, "d with the SD of divisor n"
        note = f" (d = {value:.3f} with the SD of divisor n)"
    return [Check.exact(name, claim.effect_value, value)], note


def _other_tests(number: Printed, pair: dict[str, FloatArray], test: TTest) -> str:
    """Say which neighbouring test has the printed t: unpaired, or of the other sign."""
    others = {
        "an unpaired t-test": float(t_test(pair, method="student").statistic),
        "the other sign": -float(test.statistic),
        "the other sign, unpaired": -float(t_test(pair, method="student").statistic),
    }
    fits = [f"{name} gives it ({value:.2f})" for name, value in others.items() if number.agrees(value)]
    values = ", ".join(f"{name} {value:.2f}" for name, value in others.items())
    return f"; {' and '.join(fits)}" if fits else f"; not {number}, and no neighbour gives it ({values})"


def _nash_note(tables: _Tables) -> str:
    """Describe the product of utilities over its largest, which the README may mean."""
    pair = tables.pair(PRODUCT)
    means = ", ".join(f"{name} {pair[name].mean():.3f} ± {pair[name].std():.3f}" for name in CONDITIONS)
    return (
        f"{NASH_IS}; the product of utilities over the largest comes nearer "
        f"({means}, t = {float(paired_t(pair).statistic):.2f})"
    )


def _rounds_as_people(tables: _Tables, claim: Row) -> Finding:
    """Recompute the test that takes each round for a person, and beside it the tests by person."""
    rounds = t_test(tables.by_round("Norm_Arousal"), method="student")
    people = tables.pair("Norm_Arousal")
    unpaired_test, paired_test = t_test(people, method="student"), paired_t(people)
    checks = [Check.exact("p from the data", claim.p, float(rounds.p))] if claim.p else []
    if claim.effect_value is not None:
        checks.insert(0, Check.exact("d", claim.effect_value, float(rounds.effect_size("d").value)))
    n_rounds = sum(len(values) for values in tables.by_round("Norm_Arousal").values())
    why = (
        f"t({float(rounds.df):.0f}) = {float(rounds.statistic):.1f} takes {n_rounds:,} rounds of "
        f"{len(people['CL'])} people for independent, which they are not; by person it is "
        f"t({float(unpaired_test.df):.0f}) = {float(unpaired_test.statistic):.1f}, and "
        f"paired t({float(paired_test.df):.0f}) = {float(paired_test.statistic):.1f}, {p_text(float(paired_test.p))}"
    )
    return build_finding(claim, checks, why)


def _summary(tables: _Tables, row: Row) -> Finding:
    if row.of == "round-level predictions":
        return _predictions(tables, row)
    if row.of in ROUND_LEVEL:
        values = tables.by_round(ROUND_LEVEL[row.of])[row.condition]
        unit = f"{len(values)} rounds"
    else:
        column = COLUMNS[MEASURES[row.of]]
        values = tables.pair(column)[row.condition]
        unit = f"{len(values)} people"
    people = int(tables.people["Agent_Utility", row.condition].notna().sum())
    checks, note = _moments(row, values)
    if row.n is not None:
        checks.append(Check.exact("n", row.n, float(people)))
    why = f"{unit}: M = {values.mean():.4f}, SD = {values.std(ddof=1):.4f}{note}"
    wrong = "; ".join(f"{check.name} is not {check.printed}" for check in checks if not check.holds)
    sentences = [why, wrong, NASH_IS if row.of == "nash distance" else ""]
    return build_finding(row, checks, "; ".join(filter(None, sentences)))


def _moments(row: Row, values: FloatArray) -> tuple[list[Check], str]:
    """Check mean and SD; if the SD differs, with the divisor n."""
    checks = [Check.exact("M", row.mean, float(values.mean()))] if row.mean else []
    if row.sd is None:
        return checks, ""
    sd, whole = float(values.std(ddof=1)), float(values.std(ddof=0))
    if not row.sd.agrees(sd) and row.sd.agrees(whole):
        return [*checks, Check.exact("SD with the divisor n", row.sd, whole)], f" ({whole:.4f} with the divisor n)"
    return [*checks, Check.exact("SD", row.sd, sd)], ""


def _predictions(tables: _Tables, row: Row) -> Finding:
    rounds = len(tables.rounds)
    number = row.numbers["n"]
    check = Check.exact("n", number, float(rounds))
    times = number.value / rounds
    why = f"the round table has {rounds:,} rows"
    return build_finding(row, [check], why if check.holds else f"{why}; {number.value:,.0f} is {times:g} times as many")
