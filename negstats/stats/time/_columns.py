"""The columns of a Cox model: predictors from a formula, times, events, strata and clusters of the complete rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
import pandas as pd

from negstats.errors import DesignError, NotEstimable, one_line, shown
from negstats.stats.relations._data import as_frame
from negstats.stats.results.apa import readable_step
from negstats.stats.results.numbers import ROUNDING, FloatArray, settled
from negstats.stats.summaries.codes import IntArray, recoded
from negstats.stats.summaries.formulas import FUNCTION_VALUES, needed_columns, parse_formula
from negstats.stats.summaries.frames import level_codes, numbers
from negstats.stats.summaries.scaling import Units
from negstats.stats.time.ends import Names, kinds_of, listed

INTERCEPT = "Intercept"
# A column of which less than this share of its length is left, given those before it, follows from them: what is fitted
# to the rest has no more than half of the digits.
DEPENDENT = float(np.sqrt(np.finfo(np.float64).eps))


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What a Cox model is fitted to.

    Attributes
    ----------
    x : ndarray, shape (n, p)
        Of numbers that the formula names as they are, measured from their means in a unit near their spread.
    out, back : ndarray, shape (p, p)
        The matrices with X = x @ out for columns X of the numbers as given (but for constants, which the model has
        none of), and back the inverse.
    names : tuple of str
    terms : dict
        The places of each term's columns.
    time, event : ndarray, shape (n,)
    stratum : ndarray of int, shape (n,)
    cluster : ndarray of int, shape (n,), or None
    name : str
        What the event is called.
    competing, missing : int
    """

    x: FloatArray
    out: FloatArray
    back: FloatArray
    names: tuple[str, ...]
    terms: dict[str, tuple[int, ...]]
    time: FloatArray
    event: FloatArray
    stratum: IntArray
    cluster: IntArray | None
    name: str
    competing: int
    missing: int

    def step(self, place: int) -> float:
        """Return the step of a column that its ratio is printed for: of a product the product of its numbers' steps."""
        given = self.x @ self.out
        numbers = [part for part in self.names[place].split(":") if "[T." not in part and "[S." not in part]
        return prod(readable_step(given[:, self.names.index(part)]) for part in numbers if part in self.names)

    @property
    def averaged(self) -> FloatArray:
        """For each column the weights of its effect at the mean of numbers, averaged over levels of other factors."""
        weights = _levels(self.names)
        parts = [frozenset(name.split(":")) for name in self.names]
        rows = np.eye(len(parts))
        for place, own in enumerate(parts):
            for other, more in enumerate(parts):
                if own < more:
                    rows[place, other] = prod(weights.get(part, 0.0) for part in more - own)
        return rows

    @classmethod
    def of(
        cls,
        data: Any,
        formula: str,
        time: str,
        ended: str,
        event: Names | None,
        censored: Names,
        strata: str | None,
        cluster: str | None,
    ) -> Columns:
        """Read the complete rows; DesignError if a column, the formula or an end is wrong."""
        predictors, variables = _parse(formula)
        extra = [name for name in dict.fromkeys([time, ended, strata, cluster]) if name is not None]
        frame = as_frame(data, [*extra, *(name for name in variables if name not in extra)], "formula, time, ended")
        times = numbers(frame[time], time)
        whole = frame.notna().all(axis=1).to_numpy() & ~np.isnan(times)
        if not whole.any():
            raise NotEstimable(f"no row has a value in every column of {', '.join(frame.columns)}")
        complete_rows, times = frame[whole].reset_index(drop=True), times[whole]
        if (times < 0).any():
            raise DesignError(f"{time!r} is {times.min():g} in a row; times are counted from 0")
        kind, kinds = kinds_of(complete_rows[ended], ended, listed(event), listed(censored))
        try:
            model, out, back = _measured(predictors, complete_rows)
        except Exception as error:  # formulaic passes on what the columns raise
            raise DesignError(f"the formula {shown(formula)} does not fit the data: {one_line(error)}") from None
        names, terms = _name_columns(model)
        x = model.drop(columns=INTERCEPT, errors="ignore").to_numpy(dtype=np.float64)
        happened = (kind == 1).astype(np.float64)
        _check(x, names, happened, kinds[1], formula)
        return cls(
            x=x,
            out=out,
            back=back,
            names=names,
            terms=terms,
            time=_merge_times(times),
            event=happened,
            stratum=_codes(complete_rows, strata),
            cluster=None if cluster is None else _codes(complete_rows, cluster),
            name=kinds[1],
            competing=int((kind > 1).sum()),
            missing=int((~whole).sum()),
        )


def _levels(names: Iterable[str]) -> dict[str, float]:
    """Return the weight of each level in the mean over its factor's levels: 0 where the coding sums to zero."""
    parts = dict.fromkeys(part for name in names for part in name.split(":") if "[" in part)
    n_columns = Counter(part.partition("[")[0] for part in parts)
    weights = {}
    for part in parts:
        factor, _, level = part.partition("[")
        first = level.startswith("T.")  # the level that others are compared with has no column
        weights[part] = 0.0 if level.startswith("S.") else 1 / (n_columns[factor] + first)
    return weights


def _measured(predictors: Any, frame: pd.DataFrame) -> tuple[Any, FloatArray, FloatArray]:
    """Return the columns of measured numbers, and the matrices to those of the numbers as given, and back.

    A number that the formula transforms is taken as given, and so is one that an interaction has without what remains
    of it when the number is left out: then another origin is another model.
    """
    every = {factor.expr for term in predictors for factor in term.factors}
    plain = [
        name
        for name in frame.columns.intersection(sorted(every))
        if pd.api.types.is_numeric_dtype(frame[name]) and not pd.api.types.is_bool_dtype(frame[name])
        if not any(re.search(rf"\b{re.escape(name)}\b", other) for other in every - {name})
    ]
    units = Units.of({name: frame[name] for name in plain}, plain)
    for origin_units in (units, Units(dict.fromkeys(plain, 0.0), units.unit)):
        measured_frame = frame.assign(**origin_units.measured({name: frame[name] for name in plain}))
        model = predictors.get_model_matrix(measured_frame, context=FUNCTION_VALUES, na_action="raise")
        names = [str(name) for name in model.columns if name != INTERCEPT]
        try:
            return model, *_turns(names, origin_units)
        except KeyError:
            continue
    raise AssertionError("numbers measured from 0 need no other columns")


def _turns(names: list[str], units: Units) -> tuple[FloatArray, FloatArray]:
    """Return the matrices of ``Columns``; KeyError where a product lacks a column that another origin needs."""
    places = {frozenset(name.split(":")): place for place, name in enumerate(names)}
    out, back = np.zeros((2, len(names), len(names)))
    for place, name in enumerate(names):
        parts = name.split(":")
        mine = [part for part in parts if part in units.origin]
        for size in range(len(mine) + 1):
            for constants in combinations(mine, size):
                rest = frozenset(parts) - frozenset(constants)
                origin = prod(units.origin[part] for part in constants)
                if not rest or not origin:
                    continue
                at = places[rest]
                out[at, place] += origin * prod(units.unit[part] for part in mine if part not in constants)
                back[at, place] += (-1) ** size * origin / prod(units.unit[part] for part in mine)
    return out, back


def _parse(formula: str) -> tuple[Any, list[str]]:
    """Return the predictors that a formula names, and the columns that they need."""
    if not isinstance(formula, str) or "~" in formula.lstrip(" ~"):
        raise DesignError(f"formula is {shown(formula)}; name predictors, such as 'agent + ask', and the time apart")
    predictors = parse_formula(formula.lstrip(" ~"))
    return predictors, sorted(needed_columns(predictors, formula))


def _merge_times(times: FloatArray) -> FloatArray:
    """Return times in which those that differ by rounding alone are one."""
    distinct, at = np.unique(times, return_inverse=True)
    codes = settled(distinct)
    return distinct[np.flatnonzero(np.diff(codes, prepend=-1))][codes][at]


def _name_columns(model: Any) -> tuple[tuple[str, ...], dict[str, tuple[int, ...]]]:
    """Return the columns of a model matrix but its constant, and which of them belong to each term."""
    places = {str(name): place for place, name in enumerate(model.columns)}
    names = tuple(name for name in places if name != INTERCEPT)
    new_places = {places[name]: place for place, name in enumerate(names)}
    terms = {
        str(term): tuple(new_places[place] for place in at)
        for term, at in model.model_spec.term_indices.items()
        if all(place in new_places for place in at)
    }
    return names, terms


def _codes(frame: Any, name: str | None) -> IntArray:
    if name is None:
        return np.zeros(len(frame), dtype=np.intp)
    codes, _, _ = level_codes(frame[name])
    return recoded(np.asarray(codes, dtype=np.intp))[1]


def _check(x: FloatArray, names: tuple[str, ...], event: FloatArray, name: str, formula: str) -> None:
    if not names:
        raise DesignError(f"the formula {shown(formula)} names no predictor")
    if not np.isfinite(x).all():
        raise DesignError(f"the formula {shown(formula)} gives values that are not finite; transform or leave out rows")
    if not event.any():
        raise NotEstimable(f"no unit ended with {name!r}; there is no rate to model")
    deviations = x - x.mean(axis=0)
    size, rounding = np.linalg.norm(deviations, axis=0), ROUNDING * np.linalg.norm(x, axis=0)
    residual_size = np.abs(np.diag(np.linalg.qr(deviations / np.where(size > rounding, size, 1.0), mode="r")))
    for place, column in enumerate(names):
        if size[place] <= rounding[place] or residual_size[place] <= DEPENDENT:
            raise DesignError(f"the column {column!r} is constant or follows from those before it; leave it out")
