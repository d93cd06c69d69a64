"""Numbers that are codes: for a missing value, or for acceptance and rejection, with the evidence for either."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from negstats.loaders.files.tabular import Table
from negstats.loaders.mapping.guess_result import Guess
from negstats.loaders.mapping.keys import text

CODES = (-1, -9, -99, 99, 999, 9999)  # numbers that often mean missing
CODE_QUESTION = ": a code for missing?"


def ask_codes(table: Table, guess: Guess) -> str | None:
    """Return a line that asks about numbers which may be codes for missing; it is not active."""
    codes, questions = [], []
    for name in _numeric(table, guess):
        values = numbers_of(table, guess, name)
        for code in CODES:
            others = values[values != code].dropna()
            count = int((values == code).sum())
            if count and len(others) and not others.min() <= code <= others.max():
                codes += [code] if code not in codes else []
                low, high = f"{others.min():g}", f"{others.max():g}"
                questions.append(
                    f"{count} of {len(table.rows)} values of {text(name)} are {code}, the others {low} to {high}"
                )
    if not codes:
        return None
    return f"# missing = {codes}  # {'; '.join(questions)}{CODE_QUESTION}"


def _numeric(table: Table, guess: Guess) -> Iterator[str]:
    """Yield the columns of numbers that the mapping uses."""
    columns_of_keys = [
        name for value in guess.keys.values() for name in (value if isinstance(value, list) else [value])
    ]
    for name in table.names:
        if name in columns_of_keys and numbers_of(table, guess, name).notna().any():
            yield name


def numbers_of(table: Table, guess: Guess, name: str) -> pd.Series:
    """Return a column as numbers, without the words in it that mean missing; none if it holds other words."""
    cells = table.column(name)
    cells = cells.mask(cells.isin(guess.words.get(name, ())))
    values = pd.to_numeric(cells, errors="coerce")
    return values if values.notna().sum() == cells.notna().sum() else values * float("nan")


_BENEFITS = ("units_to_responder", "value_responder", "units_to_proposer", "value_proposer")


def _means(column: str, guess: Guess, table: Table) -> tuple[str, str, dict[str, float]]:
    """Return what each offer gives, by the name of its key and column, and its mean for each code of a column."""
    key = next((what for what in _BENEFITS if f"offers.{what}" in guess.keys), "")
    benefit_column = guess.keys.get(f"offers.{key}")
    if not isinstance(benefit_column, str) or benefit_column not in table.names:
        return key, "", {}
    means = numbers_of(table, guess, benefit_column).groupby(table.column(column)).mean().dropna()
    return key, benefit_column, {str(code): float(mean) for code, mean in means.items()} if len(means) > 1 else {}


def describe_codes(column: str, guess: Guess, table: Table) -> str:
    """Return what each code of a column goes with: the mean of what offers give; empty if nothing is known."""
    _, benefit_column, means = _means(column, guess, table)
    mean_texts = ", ".join(f"{mean:.3g} where it is {code}" for code, mean in means.items())
    return f" Mean of {text(benefit_column)}: {mean_texts}." if means else ""


def find_likely(column: str, guess: Guess, table: Table) -> dict[str, str]:
    """Return which of two codes is acceptance if more for the responder is accepted more often; {} if none is."""
    key, _, means = _means(column, guess, table)
    if len(means) != 2 or table.column(column).nunique() != 2:
        return {}
    low, high = sorted(means, key=lambda code: means[code])
    if means[low] == means[high]:
        return {}
    accepted_code, rejected_code = (high, low) if key.endswith("responder") else (low, high)
    return {"accepted": accepted_code, "rejected": rejected_code}
