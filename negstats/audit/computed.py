"""The tests of a ``results.json``, what a manuscript is held against, and the forms in which they print.

Only what the matching needs is taken; unknown keys are ignored, and a file of another version is refused. A test may be
printed as it is, or converted without loss (F(1, d) for t(d)).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from negstats.audit.find_results import Reported
from negstats.errors import LogError, one_line, shown
from negstats.printed_numbers import Printed

SCHEMA = "negstats.results/1"
LARGEST = 1 << 28  # bytes
ORDER = ("answer", "part", "follow-up", "beside")


@dataclass(frozen=True, slots=True)
class Computed:
    """A computed test.

    Attributes
    ----------
    address : str
        ``question[/term][#role]``.
    question : str
        The id of its question.
    role : str
        "answer", "part", "follow-up" or "beside".
    kind : str or None
        The audit's letter for the statistic, or None without one.
    statistic : float or None
        Its value, signed.
    df : tuple of float
        Degrees of freedom.
    p, p_adjusted : float or None
        Raw and corrected.
    two_sided : bool
        Whether `p` has two tails.
    n : tuple of int
        Observations.
    numbers : tuple of mapping
        The estimate and the effect: ``name``, ``value``, ``low``, ``high``.
    method, apa : str
        The test's name; the line that the report prints.
    """

    address: str
    question: str
    role: str
    kind: str | None
    statistic: float | None
    df: tuple[float, ...]
    p: float | None
    p_adjusted: float | None
    two_sided: bool
    n: tuple[int, ...]
    numbers: tuple[Mapping[str, Any], ...]
    method: str
    apa: str

    @property
    def rank(self) -> int:
        """How far it is from being the answer: answers before follow-ups before what stands beside."""
        return ORDER.index(self.role) if self.role in ORDER else len(ORDER)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question and its tests.

    Attributes
    ----------
    id, asks : str
        As in the plan.
    explored : bool
        Whether it was not planned.
    measure, who : str
        The outcome, and whose; empty if it is nobody's.
    levels : tuple of str
        The levels of its factors.
    factors : tuple of str
        Their names.
    cells : tuple of mapping
        The cells as they stand in the file.
    tests : tuple of Computed
        In the order of the file.
    """

    id: str
    asks: str
    explored: bool
    measure: str
    who: str
    levels: tuple[str, ...]
    factors: tuple[str, ...]
    cells: tuple[Mapping[str, Any], ...]
    tests: tuple[Computed, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """The questions of a ``results.json``."""

    source: str
    questions: tuple[Asked, ...] = field(default=())

    @property
    def tests(self) -> tuple[Computed, ...]:
        """All tests, in order."""
        return tuple(test for question in self.questions for test in question.tests)

    def question_of(self, test: Computed) -> Asked:
        """Return the question of a test."""
        return next(question for question in self.questions if question.id == test.question)


def read_results(path: str | Path) -> Results:
    """Read a ``results.json`` as a report of a plan wrote it.

    Raises
    ------
    LogError
        If it is not there, no JSON, no results of a plan, or of another version.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "results.json"
    ...     _ = file.write_text('{"schema": "negstats.results/2"}')
    ...     read_results(file)
    Traceback (most recent call last):
    negstats.errors.LogError: ...results.json: schema is negstats.results/2; this negstats reads negstats.results/1
    """
    file = Path(path)
    if not file.is_file():
        raise LogError("is not a file; name the results.json of a report", file=file)
    if file.stat().st_size > LARGEST:
        raise LogError(f"has {file.stat().st_size:,} bytes; the limit is {LARGEST:,}", file=file)
    try:
        contents = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        raise LogError(f"is not JSON: {one_line(error)}; name the results.json of a report", file=file) from None
    schema = contents.get("schema") if isinstance(contents, dict) else None
    if schema is None:
        raise LogError("has no schema; name the results.json of a report", file=file)
    if schema != SCHEMA:
        schema_text = schema if isinstance(schema, str) and schema.isprintable() and len(schema) < 60 else shown(schema)
        raise LogError(f"schema is {schema_text}; this negstats reads {SCHEMA}", file=file)
    try:
        return Results(str(file), tuple(_build_question(question) for question in contents["questions"]))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise LogError(f"is not what a report writes: {one_line(error)}; run the plan again", file=file) from None


def _build_question(question: Mapping[str, Any]) -> Asked:
    factors = question["design"]["factors"]
    return Asked(
        id=str(question["id"]),
        asks=str(question["asks"]),
        explored=bool(question["explored"]),
        measure=str(question["measure"]),
        who=str(question.get("who") or ""),
        levels=tuple(str(level) for factor in factors for level in factor["levels"]),
        factors=tuple(str(factor["name"]) for factor in factors),
        cells=tuple(question.get("cells") or ()),
        tests=tuple(
            _build_test(str(question["id"]), test)
            for test in (*(question.get("tests") or ()), *(question.get("alternatives") or ()), *_size_tests(question))
        ),
    )


def _size_tests(question: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the tests of effects as large as the smallest that would matter, which stand with the verdicts."""
    for verdict in question.get("verdicts") or ():
        size = verdict.get("size") or {}
        if size.get("statistic") is not None:
            df = [] if size.get("df") is None else [size["df"]]
            yield {
                "address": f"{verdict['address']}#smallest", "role": "beside", "kind": "t", "df": df, "n": [],
                "statistic": size["statistic"], "p": size["p"], "alternative": "less", "method": "equivalence",
                "estimate": {"name": "difference", "value": None, "low": size["low"], "high": size["high"]},
            }  # fmt: skip


def _build_test(question: str, test: Mapping[str, Any]) -> Computed:
    return Computed(
        address=str(test["address"]),
        question=question,
        role=str(test["role"]),
        kind=test["kind"],
        statistic=_number(test["statistic"]),
        df=tuple(float(value) for value in test.get("df") or ()),
        p=_number(test["p"]),
        p_adjusted=_number(test.get("p_adjusted")),
        two_sided=test.get("alternative") in (None, "two-sided"),
        n=tuple(int(value) for value in test.get("n") or ()),
        numbers=tuple(number for number in (test.get("estimate"), test.get("effect")) if number),
        method=str(test["method"]),
        apa=str(test.get("apa") or ""),
    )


def _number(value: object) -> float | None:
    return None if value is None else float(value)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class Form:
    """A computed test in one of the forms that it may be printed in: F(1, 65) = 6.05 for t(65) = 2.46."""

    test: Computed
    kind: str
    value: float
    df: tuple[float, ...]
    converted: bool = False

    def df_fit(self, result: Reported) -> bool:
        """Whether the printed df and n can be these; those that are not printed can."""
        if result.df and self.df and (len(result.df) != len(self.df)):
            return False
        sizes = {*self.test.n, sum(self.test.n)}
        n_fits = result.n is None or not self.test.n or result.n in sizes
        return all(map(Printed.agrees, result.df, self.df)) and n_fits

    def fits(self, result: Reported) -> bool:
        """Whether the printed value can be this one, with its sign, without it or turned."""
        return result.statistic.agrees(self.value) or result.statistic.agrees(-self.value)

    def turned(self, result: Reported) -> bool:
        """Whether the printed sign is the other one; a sign left out is none."""
        return float(result.statistic) < 0 < self.value


ALIKE = {"h": "chi2", "q": "chi2", "g2": "chi2", "rho": "r"}  # symbols that people write for one another


def forms(test: Computed) -> Iterator[Form]:
    """Yield a computed test as it is and in the forms that convert into it without loss.

    Examples
    --------
    >>> test = Computed("H1", "H1", "answer", "t", 2.5, (65.0,), 0.015, None, True, (66,), (), "paired", "")
    >>> [(form.kind, round(form.value, 2), form.df) for form in forms(test)]
    [('t', 2.5, (65.0,)), ('f', 6.25, (1.0, 65.0)), ('r', 0.3, (65.0,))]
    """
    kind, x, df = test.kind, test.statistic, test.df
    if kind is None or x is None:
        return
    yield Form(test, kind, x, df)
    if kind in ("t", "r", "rho") and len(df) == 1 and (kind == "t" or abs(x) < 1):
        t = x if kind == "t" else x * math.sqrt(df[0] / (1 - x * x))
        yield Form(test, "f", t * t, (1.0, df[0]), converted=True)
        other_kind = "r" if kind == "t" else "t"
        yield Form(test, other_kind, t / math.sqrt(t * t + df[0]) if other_kind == "r" else t, df, converted=True)
    elif kind == "f" and len(df) == 2 and df[0] == 1:
        yield Form(test, "t", math.sqrt(x), df[1:], converted=True)
    elif kind == "z":
        yield Form(test, "chi2", x * x, (1.0,), converted=True)
    elif kind in ("chi2", "g2", "q", "h") and df == (1.0,):
        yield Form(test, "z", math.sqrt(x), (), converted=True)


def same_kind(result: Reported, form: Form) -> bool:
    """Return whether a result is printed with the symbol of a form, or one that people write for it."""
    return result.kind == form.kind or ALIKE.get(result.kind, result.kind) == ALIKE.get(form.kind, form.kind)
