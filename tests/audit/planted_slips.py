"""Slips planted in results that fit, one in each text: how often the audit names the edit among the first two.

`python -m tests.audit.planted_slips` prints the shares by kind of slip.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import stats

from negstats.audit import audit_text

SEED = 52
OF_EACH = 20
SHOWN = 2


@dataclass(frozen=True)
class Test:
    """A test as it is printed: its letter, df, statistic, p and partial η²."""

    letter: str
    df: tuple[str, ...]
    value: str
    p: str
    eta: str = ""

    def __str__(self) -> str:
        eta = f", ηp² = {self.eta}" if self.eta else ""
        p = self.p if self.p[0] in "<>" else f"= {self.p}"
        return f"{self.letter}({', '.join(self.df)}) = {self.value}, p {p}{eta}"


@dataclass(frozen=True)
class Planted:
    """A text with one slip: its kind, and any of what names the edit."""

    kind: str
    text: str
    meant: tuple[str, ...]


def p_text(p: float) -> str:
    return "< .001" if p < 0.0005 else f"{p:.3f}".removeprefix("0")


def drawn(rng: np.random.Generator, *, df2: int | None = None, letter: str = "") -> Test:
    """Return a test that fits, with a p between .001 and .6."""
    while True:
        chosen = letter or ("t" if rng.random() < 0.5 else "F")
        df = df2 or int(rng.integers(18, 180))
        t = float(rng.uniform(0.6, 3.2))
        levels = 1 if chosen == "t" or rng.random() < 0.6 else int(rng.integers(2, 4))
        value = f"{t if chosen == 't' else t * t:.2f}"
        p = float(2 * stats.t.sf(float(value), df) if chosen == "t" else stats.f.sf(float(value), levels, df))
        if 0.001 < p < 0.6:
            eta = levels * float(value) / (levels * float(value) + df)
            dfs = (str(df),) if chosen == "t" else (str(levels), str(df))
            return Test(chosen, dfs, value, p_text(p), "" if chosen == "t" else f"{eta:.2f}".removeprefix("0"))


def exchanged(text: str, rng: np.random.Generator) -> str:
    places = [at for at in range(len(text) - 1) if text[at : at + 2].isdigit() and text[at] != text[at + 1]]
    if not places:
        return text
    at = int(rng.choice(places))
    return text[:at] + text[at + 1] + text[at] + text[at + 2 :]


def replaced(text: str, rng: np.random.Generator) -> str:
    places = [at for at, sign in enumerate(text) if sign.isdigit()]
    at = int(rng.choice(places))
    return text[:at] + str((int(text[at]) + int(rng.integers(1, 10))) % 10) + text[at + 1 :]


def dropped(text: str, rng: np.random.Generator) -> str:
    places = [at for at, sign in enumerate(text) if sign.isdigit()]
    at = int(rng.choice(places))
    return text[:at] + text[at + 1 :]


def moved(text: str, rng: np.random.Generator) -> str:
    return f".0{text.removeprefix('.')}"[: len(text) + 1]


Edit = Callable[[str, np.random.Generator], str]


def of_number(part: str, edit: Edit, letter: str = "") -> Callable[[np.random.Generator], tuple[str, tuple[str, ...]]]:
    """Return what plants a slip of the digits in one number of a test among others of its df."""

    def plant(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
        test = drawn(rng, letter=letter)
        other = drawn(rng, df2=int(test.df[-1]), letter=test.letter)
        numbers = {"p": test.p, "value": test.value, "df": test.df[-1], "eta": test.eta}
        slip = edit(numbers[part], rng)
        fields = {"p": test.p, "value": test.value, "df": test.df, "eta": test.eta}
        fields[part] = (*test.df[:-1], slip) if part == "df" else slip
        wrong = Test(test.letter, fields["df"], fields["value"], fields["p"], fields["eta"])  # type: ignore[arg-type]
        return f"It mattered, {wrong}. So did others, {other}.", (numbers[part],)

    return plant


def of_all_df(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """Plant one wrong df in all tests of a text, whose p and η² are those of another."""
    df, step = int(rng.integers(14, 30)), int(rng.choice([-2, -1, 1, 2]))
    tests = [drawn(rng, df2=df, letter="F") for _ in range(4)]
    printed = [Test("F", (*one.df[:-1], str(df + step)), one.value, one.p, one.eta) for one in tests]
    return " ".join(f"It mattered, {one}." for one in printed), (f"df {df}",)


def of_correction(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """Plant the p of uncorrected df beside df that are corrected for sphericity."""
    levels, people, share = int(rng.integers(2, 8)), int(rng.integers(15, 50)), float(rng.uniform(0.3, 0.8))
    df1, df2 = levels, levels * (people - 1)
    value = f"{rng.uniform(1.2, 2.6):.2f}"
    p = p_text(float(stats.f.sf(float(value), df1, df2)))
    return f"It mattered, F({share * df1:.2f}, {share * df2:.2f}) = {value}, p = {p}.", (f"{df1} and {df2}",)


def of_letter(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """Plant F in place of t, or t in place of F."""
    test = drawn(rng, letter="t")
    if rng.random() < 0.5:
        return f"It mattered, {Test('F', ('1', *test.df), test.value, test.p)}.", (f"t({test.df[0]}) =",)
    square = f"{float(test.value) ** 2:.2f}"
    return f"It mattered, {Test('t', test.df, square, test.p)}.", (f"F(1, {test.df[0]}) =",)


def of_relation(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """Plant a turned sign behind p."""
    test = drawn(rng)
    level = ".05"
    sign, right = ("> ", "<") if float(test.p) < 0.05 else ("< ", ">")
    return f"It was so, {Test(test.letter, test.df, test.value, f'{sign}{level}')}.", (f"p {right} {level}",)


def of_neighbour(rng: np.random.Generator) -> tuple[str, tuple[str, ...]]:
    """Plant the p of the next test."""
    first, second = drawn(rng), drawn(rng)
    wrong = Test(first.letter, first.df, first.value, second.p, first.eta)
    return f"It mattered, {wrong}, and so did the rest, {second}.", ("it would be that of",)


KINDS: dict[str, Callable[[np.random.Generator], tuple[str, tuple[str, ...]]]] = {
    "digits of p exchanged": of_number("p", exchanged),
    "point of p moved": of_number("p", moved),
    "digit of p replaced": of_number("p", replaced),
    "digits of the statistic exchanged": of_number("value", exchanged),
    "digit of the statistic replaced": of_number("value", replaced),
    "digit of df left out": of_number("df", dropped),
    "df of all tests": of_all_df,
    "df before a correction": of_correction,
    "letter of the statistic": of_letter,
    "sign of p turned": of_relation,
    "p of the next test": of_neighbour,
    "digits of η² exchanged": of_number("eta", exchanged, "F"),
}


def planted(of_each: int = OF_EACH, most: int = 200) -> Iterator[Planted]:
    """Yield texts with one slip each that makes numbers disagree, the kinds in turn."""
    rng = np.random.default_rng(SEED)
    count = 0
    for _ in range(of_each):
        for kind, plant in KINDS.items():
            while count < most:
                text, meant = plant(rng)
                audit = audit_text(text)
                if audit.flagged or any(one.flagged for one in audit.further):
                    count += 1
                    yield Planted(kind, text, meant)
                    break


def named_in(text: str) -> list[str]:
    """Return the slips that the audit names first, of each flagged number of a text."""
    audit = audit_text(text)
    whys = [one.why for one in audit.flagged] + [one.why for one in audit.further if one.flagged]
    return ["; ".join(why.split("; ")[1 : 1 + SHOWN]) for why in whys]


def is_named(slip: Planted) -> bool:
    """Return whether the edit is among the first two that are named of some number of its text."""
    pattern = re.compile("|".join(rf"(?<![\d.])0?{re.escape(meant.removeprefix('0'))}(?!\d)" for meant in slip.meant))
    return any(pattern.search(f"{words} ") for words in named_in(slip.text))


def tally() -> tuple[Counter[str], Counter[str], list[Planted]]:
    """Return by kind how many slips were planted and how many are named, and those that are not."""
    all_slips, named, missed = Counter[str](), Counter[str](), []
    for slip in planted():
        all_slips[slip.kind] += 1
        if is_named(slip):
            named[slip.kind] += 1
        else:
            missed.append(slip)
    return all_slips, named, missed


if __name__ == "__main__":
    all_slips, named, missed = tally()
    for kind, count in all_slips.items():
        print(f"{kind}: {named[kind]} of {count}")
    for slip in missed:
        print(f"- {slip.kind}: {slip.text} ({slip.meant[0]}): {named_in(slip.text)}")
    print(f"all: {named.total()} of {all_slips.total()}")
