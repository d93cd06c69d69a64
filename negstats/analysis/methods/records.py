"""A test as ``results.json`` holds it: statistic, p, estimate and effect with their intervals, and the sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from negstats import stats
from negstats.analysis.effect_sizes import RATIOS, Quantity, quantity
from negstats.analysis.methods.inputs import TestInput
from negstats.stats.results import apa
from negstats.stats.results.numbers import number
from negstats.stats.results.options import Alternative

Role: TypeAlias = Literal["answer", "part", "follow-up", "beside"]

# How a statistic is printed, by its kind: a letter of the audit.
LETTERS = {"t": "t", "f": "F", "chi2": "χ²", "g2": "G²", "q": "Q", "h": "H", "r": "r", "rho": "ρ", "z": "z", "u": "U"}
BOUNDED = {"r", "rho"}
OMEGA: Literal["omega_squared"] = "omega_squared"
ETA: Literal["eta_squared"] = "eta_squared"
NOT_ASKED = "not asked for an additional check"


@dataclass(frozen=True, slots=True)
class TestRecord:
    """One test.

    Attributes
    ----------
    result : Result
        What `negstats.stats` gave.
    method, kind : str
        The test's name, and the letter of its statistic.
    statistic, p : float
    df, n : tuple of float
    term, tag : str
        What of the question it tests, and which test beside the answer it is: the parts of its address.
    role : str
        "answer", "part" of the same model, "follow-up" or "beside".
    alternative : str
        "two-sided", "greater" or "less" (of first minus second).
    estimate, effect : Quantity or None
        In the unit of the measure, and standardized.
    p_adjusted, correction : float, str or None
        Of follow-ups, which are a family of their own; of answers the report fills them in.
    text : str
        The sentence, where it is not made of the fields.
    why : Mapping of str to str
        Why a field has no value.
    says : str
        Which way the difference lies, in words.
    details : Mapping of str to float
        Further numbers that a sentence about the test prints.
    fit : Result or None
        The model that it is a term of, where follow-ups take the model.
    direction : float
        Which way the effect lies, first minus second, where neither the statistic nor a size says it; 0 where none.
    is_exact : bool
        Whether p is exact though the name of the test does not say so.
    """

    __test__: ClassVar[bool] = False  # no test of pytest's

    result: Any
    method: str
    kind: str
    statistic: float
    p: float
    df: tuple[float, ...] = ()
    n: tuple[float, ...] = ()
    term: str = ""
    tag: str = ""
    role: Role = "answer"
    alternative: Alternative = "two-sided"
    estimate: Quantity | None = None
    effect: Quantity | None = None
    p_adjusted: float | None = None
    correction: str | None = None
    text: str = ""
    why: Mapping[str, str] = field(default_factory=dict)
    says: str = ""
    details: Mapping[str, float] = field(default_factory=dict)
    fit: Any = None
    direction: float = 0.0
    is_exact: bool = False

    @classmethod
    def of(cls, test: Any, method: str, kind: str = "", **fields: Any) -> TestRecord:
        """Return the record of a test of `negstats.stats`, its statistic by its kind, degrees of freedom and p.

        A test with two degrees of freedom is F (chi-squared where the second is infinite), one with an estimate t (z
        where df are infinite); of any other `kind` says it. Fields that are given take the place of the test's.
        """
        statistic = float(np.asarray(test.statistic))
        dfs = tuple(float(np.asarray(getattr(test, name))) for name in ("df", "df1", "df2") if hasattr(test, name))
        if hasattr(test, "df1") and math.isinf(dfs[1]):
            kind, statistic, dfs = "chi2", dfs[0] * statistic, dfs[:1]
        elif not kind:
            kind = "f" if len(dfs) == 2 else "t"
        if kind == "t" and math.isinf(dfs[0]):
            kind = "z"
        known = {"result": test, "statistic": statistic, "p": float(np.asarray(test.p))}
        known["df"] = () if kind == "z" else dfs
        return cls(method=method, kind=kind, **(known | fields))

    @classmethod
    def exact(cls, test: Any, method: str, n: float, text: str, kind: str = "z", **fields: Any) -> TestRecord:
        """Return the record of a test whose p comes without a statistic: each arrangement of the data is counted."""
        why = {"statistic": "the test is exact", **fields.pop("why", {})}
        fields = {"p": float(np.asarray(test.p)), "statistic": math.nan} | fields
        return cls(test, method, kind, n=(float(n),), text=text, why=why, **fields)

    @property
    def part(self) -> str:
        """The address behind the question's id."""
        return f"{'/' + self.term if self.term else ''}{'#' + self.tag if self.tag else ''}"

    @property
    def sound(self) -> bool:
        """Whether its numbers are there, or it is said why not."""
        numbers = {"statistic": self.statistic, "p": self.p}
        has_numbers = all(name in self.why or not math.isnan(value) for name, value in numbers.items())
        return has_numbers and not any(math.isnan(df) for df in self.df)

    def beside(self, tag: str) -> TestRecord:
        """Return the test as an additional check: which way it lies and a standardized effect are not asked for.

        A ratio stays: it is what a model of odds, rates or counts estimates.
        """
        if self.effect is not None and self.effect.name in RATIOS:
            return replace(self, tag=tag, role="beside", says="")
        return replace(self, tag=tag, role="beside", effect=None, says="", why={**self.why, "effect": NOT_ASKED})

    def apa(self) -> str:
        """Return the sentence for the paper."""
        if self.text:
            return self.text
        is_bounded = self.kind in BOUNDED
        value = apa.bounded(self.statistic) if is_bounded else apa.number(self.statistic)
        dfs = [apa.df(df) for df in self.df]
        if self.kind in ("chi2", "g2", "q", "h") and self.n:
            dfs.append(f"N = {sum(self.n):.0f}")
        letter, df_text = LETTERS.get(self.kind, self.kind), f"({', '.join(dfs)})" if dfs else ""
        statistic_text = "" if math.isnan(self.statistic) else f"{letter}{df_text} = {value}"
        sided = " (one-sided)" if self.alternative != "two-sided" else ""
        test = "" if math.isnan(self.p) else f"{apa.p_value(self.p)}{sided}"
        size = self.effect or self.estimate
        return ", ".join(part for part in (statistic_text, test, size.apa() if size else "") if part)

    def entry(self, question: str) -> dict[str, Any]:
        """Return the test as results.json holds it."""
        record: dict[str, Any] = {
            "address": question + self.part,
            "role": self.role,
            "method": self.method,
            "kind": self.kind,
            "statistic": number(self.statistic),
            "df": [number(df) for df in self.df],
            "n": [int(n) if float(n).is_integer() else float(n) for n in self.n],
            "p": number(self.p),
            "alternative": self.alternative,
            "p_adjusted": None if self.p_adjusted is None else number(self.p_adjusted),
            "correction": self.correction,
            "estimate": None if self.estimate is None else self.estimate.entry(),
            "effect": None if self.effect is None else self.effect.entry(),
        }
        if any(math.isinf(df) for df in self.df):
            record["open"] = True
        if self.is_exact:
            record["exact"] = True
        if self.why:
            record["why"] = dict(self.why)
        record["apa"] = self.apa()
        if self.says:
            record["says"] = self.says
        if self.details:
            record["details"] = {name: number(value) for name, value in self.details.items()}
        return record


def t_test_of(
    case: TestInput,
    test: stats.TTest,
    two_sided: stats.TTest,
    method: str,
    *,
    effect: str,
    estimate: str = "difference",
) -> TestRecord:
    """Return a t-test: p by its alternative, intervals two-sided at the level of the case from the test `two`."""
    value = two_sided.means[0] if method == "one_sample" else two_sided.difference
    return TestRecord.of(
        test,
        method,
        n=tuple(float(n) for n in test.n),
        alternative=test.alternative,
        estimate=quantity(estimate, value, two_sided.confidence_interval(case.level)),
        effect=case.effect(lambda: two_sided.effect_size(effect), effect),
    )


def term_records(case: TestInput, test: Any, method: str, *correction: str) -> list[TestRecord]:
    """Return the F of each term of an analysis, those that are not asked for as parts."""
    answer_terms, n = case.asked_terms(test.terms), float(np.asarray(test.n))
    records = [f_test(case, test.effect(term, *correction), method, term=term, n=n) for term in test.terms]
    return [record if record.term in answer_terms else replace(record, role="part") for record in records]


def classical_records(case: TestInput, test: Any, method: str, *correction: str) -> list[TestRecord]:
    """Return the F of the terms that are asked for, by an analysis that supposes more than the one that answers."""
    return [
        f_test(case, test.effect(term, *correction), method, term=term).beside("classical")
        for term in case.asked_terms(test.terms)
    ]


def f_test(
    case: TestInput,
    test: stats.FTest | stats.OneWay,
    method: str,
    *,
    term: str = "",
    n: float | None = None,
    partial: bool = True,
) -> TestRecord:
    """Return an F test with (partial) omega squared from F and its degrees of freedom."""
    from negstats.stats.effects.means import variance_explained

    def explain(kind: Literal["omega_squared", "eta_squared"]) -> stats.Effect:
        if isinstance(test, stats.OneWay):  # which sets Welch's F against all its observations
            return test.effect_size(kind)
        within = test.df_within if isinstance(test, stats.FTest) else None
        return variance_explained(kind, test.statistic, test.df1, test.df2, rest=within)

    # The interval is that of the noncentral F itself, whose share of variance omega squared estimates: one made from a
    # smaller F leaves out its own estimate where F is near 1.
    place = f"/{term}" if term else ""
    whole = case.effect(lambda: explain(ETA), "ω²", place)
    size = None
    if whole is not None:
        name = "partial_omega_squared" if partial else "omega_squared"
        size = replace(whole, name=name, value=float(explain(OMEGA).value))
    return TestRecord.of(test, method, n=() if n is None else (float(n),), term=term, effect=size)
