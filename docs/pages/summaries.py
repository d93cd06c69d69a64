"""Write "Which function takes which summary", found by calling each function of `negstats.stats` with each summary.

A summary is made of the same rows that the function takes as a frame; a tick says that it was taken and said the same.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from negstats import stats
from negstats.errors import NegstatsError
from negstats.stats import Cells, ClusterMoments, Counts, Moments, Rows, ValueCounts, equivalence

KINDS = ("Cells", "Moments", "ClusterMoments", "Counts", "ValueCounts", "Rows")
RESAMPLES = 99

# Take models, results or numbers, or several columns that have no summary's shape.
NOT_OF_DATA = {"adjust", "bayes_factor", "independent_correlations", "johnson_neyman", "meta_analysis", "proportion",
               "proportion_difference", "round_robin"}  # fmt: skip

_MEANS = {"outcome": "y", "by": "kind"}
_CROSSED = {"outcome": "y", "by": ["group", "kind"]}
_PAIRED = {"outcome": "y", "within": "occasion", "subject": "person"}
_TABLE = {"by": ["group", "said"]}
_TIME = {"time": "x1", "ended": "said", "event": "yes", "censored": "no"}
_XY = {"x": "x1", "y": "x2"}
_ITEMS = ["x1", "x2", "x3"]

# The call with a frame, and which of its arguments a summary still needs.
CALLS: dict[str, tuple[Mapping[str, Any], tuple[str, ...]]] = {
    "t_test": ({"outcome": "y", "by": "group"}, ()),
    "equivalence.tost": ({"outcome": "y", "by": "group", "bounds": 2}, ("bounds",)),
    "one_sample_t": ({"outcome": "y", "null": 9}, ("null",)),
    "paired_t": ({**_PAIRED, "levels": ["one", "two"]}, ("levels",)),
    "one_way": (_MEANS, ()),
    "anova": (_CROSSED, ()),
    "robust_anova": (_CROSSED, ()),
    "repeated_anova": (_PAIRED, ()),
    "repeated_factors": ({**_PAIRED, "within": {"occasion": ["one", "two"], "part": ["p", "q"]}}, ("within",)),
    "robust_repeated": ({**_PAIRED, "between": "group"}, ()),
    "mixed_two_by_two": ({**_PAIRED, "between": "group"}, ()),
    "levene": (_MEANS, ()),
    "margins": ({**_CROSSED, "specs": "kind"}, ("specs",)),
    "contrast": ({**_MEANS, "specs": "kind", "weights": {"a": 1, "b": -1}}, ("specs", "weights")),
    "contrasts": ({**_MEANS, "specs": "kind", "weights": {"ab": {"a": 1, "b": -1}}}, ("specs", "weights")),
    "polynomial": ({**_MEANS, "specs": "kind", "scores": [1, 2, 3]}, ("specs", "scores")),
    "interaction": ({**_CROSSED, "specs": ["group", "kind"]}, ("specs",)),
    "simple_effects": ({**_CROSSED, "specs": "kind", "at": "group"}, ("specs", "at")),
    "pairwise": ({**_MEANS, "specs": "kind"}, ("specs",)),
    "dunnett": ({**_MEANS, "specs": "kind", "control": "a"}, ("specs", "control")),
    "games_howell": ({**_MEANS, "specs": "kind"}, ("specs",)),
    "correlation": (_XY, ("x", "y")),
    "semipartial": ({**_XY, "controlling": "x3"}, ("x", "y", "controlling")),
    "polychoric": ({"by": ["answer", "said"]}, ()),
    "correlations": ({"variables": _ITEMS}, ("variables",)),
    "clustered_correlation": ({**_XY, "cluster": "pair"}, ("x", "y")),
    "repeated_correlation": ({**_XY, "subject": "pair"}, ("x", "y")),
    "dependent_correlations": ({"first": ["x1", "x2"], "second": ["x1", "x3"]}, ("first", "second")),
    "regression": ({"outcome": "x1", "predictors": ["x2", "x3"]}, ("outcome", "predictors")),
    "linear_model": ({"formula": "x1 ~ x2"}, ("formula",)),
    "ancova": ({"outcome": "x1", "by": "kind", "covariates": ["x2"]}, ("outcome", "by", "covariates")),
    "mediation": ({"x": "x1", "m": "x2", "y": "x3", "n_resamples": RESAMPLES}, ("x", "m", "y", "n_resamples")),
    "cohens_kappa": ({"raters": ["said", "kept"]}, ()),
    "fleiss_kappa": ({"raters": ["said", "kept"]}, ()),
    "krippendorffs_alpha": ({"raters": ["said", "kept"]}, ()),
    "icc": ({"raters": _ITEMS}, ("raters",)),
    "reliability": ({"items": _ITEMS}, ("items",)),
    "omega": ({"items": _ITEMS}, ("items",)),
    "bland_altman": ({"first": "x1", "second": "x2"}, ("first", "second")),
    "mixed": ({"formula": "x1 ~ x2", "cluster": "pair"}, ()),
    "actor_partner": ({"outcome": "x1", "predictor": "x2", "pair": "pair", "role": "seat"}, ()),
    "dyad_correlation": ({"outcome": "x1", "pair": "pair"}, ()),
    "distinguishability": ({"variables": ["x1", "x2"], "pair": "pair", "role": "seat"}, ()),
    "logistic": ({"formula": "said ~ x1", "event": "yes"}, ("formula", "event")),
    "poisson": ({"formula": "count ~ x1"}, ("formula",)),
    "negative_binomial": ({"formula": "count ~ x1"}, ("formula",)),
    "quasi_poisson": ({"outcome": "count", "by": "kind"}, ()),
    "ordinal": ({"formula": "answer ~ x1"}, ("formula",)),
    "gee": ({"formula": "said ~ x1", "event": "yes", "cluster": "pair"}, ("formula", "event")),
    "kaplan_meier": (_TIME, ()),
    "log_rank": ({**_TIME, "by": "group"}, ()),
    "cumulative_incidence": (_TIME, ()),
    "gray": ({**_TIME, "by": "group"}, ()),
    "cox": ({**_TIME, "formula": "x2"}, ()),
    "chi_squared": (_TABLE, ()),
    "goodness_of_fit": ({"by": "kind"}, ()),
    "fisher": (_TABLE, ()),
    "compare_rows": (_TABLE, ()),
    "partition": (_TABLE, ()),
    "cochran_mantel_haenszel": ({"by": ["group", "said", "kind"]}, ()),
    "breslow_day": ({"by": ["group", "said", "kind"]}, ()),
    "mcnemar": ({"by": ["said", "kept"]}, ()),
    "paired_proportions": ({"by": ["said", "kept"]}, ()),
    "cochrans_q": ({"by": ["b1", "b2", "b3"]}, ()),
    "loglinear": ({"model": "[group said] [kind]", "by": ["group", "said", "kind"]}, ("model",)),
    "k_way": ({"by": ["group", "said", "kind"]}, ()),
    "partial_associations": ({"by": ["group", "said", "kind"]}, ()),
    "backward_elimination": ({"by": ["group", "said", "kind"]}, ()),
    "all_models": ({"by": ["group", "said", "kind"]}, ()),
    "transitions": ({"act": "answer", "sequence": "pair", "order": "place"}, ()),
    "compare_transitions": (
        {"by": "group", "act": "answer", "sequence": "pair", "order": "place", "n_resamples": RESAMPLES},
        ("n_resamples",),
    ),
    "mann_whitney": ({"outcome": "y", "by": "group"}, ()),
    "brunner_munzel": ({"outcome": "y", "by": "group"}, ()),
    "kruskal_wallis": (_MEANS, ()),
    "wilcoxon": ({**_PAIRED, "levels": ["one", "two"]}, ()),
    "sign_test": ({**_PAIRED, "levels": ["one", "two"]}, ()),
    "friedman": (_PAIRED, ()),
    "permutation_test": ({"outcome": "y", "by": "group", "n_resamples": RESAMPLES}, ("n_resamples",)),
    "bootstrap_interval": ({"outcome": "y", "by": "group", "n_resamples": RESAMPLES}, ("n_resamples",)),
}


def people() -> pd.DataFrame:
    """Return made-up rows: 60 people in pairs, each at two occasions, with few distinct values."""
    rng = np.random.default_rng(5)
    person = np.repeat(np.arange(60), 2)
    x1 = rng.integers(1, 12, 120).astype(float)
    x2 = np.round(0.5 * x1 + rng.normal(0, 2, 120))
    frame = pd.DataFrame(
        {
            "person": person,
            "occasion": np.tile(["one", "two"], 60),
            "pair": person // 2,
            "seat": np.where(person % 2, "2", "1"),
            "place": np.arange(120),
            "group": np.where(person // 2 % 2, "g", "h"),
            "kind": np.array(list("abc"))[person // 4 % 3],
            "y": np.round(10 + person % 2 + rng.normal(0, 2, 120)),
            "x1": x1,
            "x2": x2,
            "x3": np.round(x1 + x2 + rng.normal(0, 3, 120)),
            "count": rng.poisson(4, 120),
            "answer": rng.integers(1, 4, 120),
        }
    )
    for name in ("said", "kept"):
        frame[name] = np.where(rng.random(120) < 0.3 + 0.03 * x1, "yes", "no")
    for name in ("b1", "b2", "b3"):
        frame[name] = (rng.random(120) < 0.5).astype(int)
    return frame


def _rows(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """Return the rows for a function: of pairs one a seat, of two factors within people four a person."""
    if name == "repeated_factors":
        parts = [frame.assign(part="p"), frame.assign(part="q", y=frame["y"] + frame["x1"])]
        return pd.concat(parts, ignore_index=True)
    return frame[frame["occasion"] == "one"] if "pair" in CALLS[name][0] else frame


def _summary(kind: str, frame: pd.DataFrame, given: Mapping[str, Any]) -> Any:
    """Return the summary of a call's columns; KeyError where the call has no columns of its shape."""
    if kind == "Cells":
        return Cells.from_frame(frame, given["outcome"], given.get("by", ()))
    if kind == "ValueCounts" and "levels" in given:
        wide = frame.pivot_table(index=given["subject"], columns=given["within"], values=given["outcome"])
        return ValueCounts.from_frame(wide.assign(difference=wide["one"] - wide["two"]), "difference")
    if kind == "ValueCounts":
        return ValueCounts.from_frame(frame, given["outcome"], given.get("by", ()))
    if kind == "Counts":
        names = given.get("raters", given.get("by")) if "outcome" not in given else [given["by"], given["outcome"]]
        return Counts.from_frame(frame, names)
    if kind == "ClusterMoments":
        return ClusterMoments.from_frame(frame, given["formula"], given["cluster"])
    if kind == "Rows" and "subject" in given:
        return Rows.of(frame, given["outcome"], given["within"], cluster=given["subject"])
    if kind == "Rows":
        return Rows.of(frame, given["outcome"], given.get("by", ()))
    return _moments(frame, given)


def _moments(frame: pd.DataFrame, given: Mapping[str, Any]) -> Moments:
    if "subject" in given and "within" in given:
        within = given["within"]
        if not isinstance(within, str):
            frame, within = frame.assign(both=frame["occasion"] + frame["part"]), "both"
        return Moments.from_frame(frame, given["outcome"], within, given["subject"], given.get("between", ()))
    if "pair" in given:
        names = given.get("variables", [given[key] for key in ("predictor", "outcome") if key in given])
        wide = frame.pivot_table(index="pair", columns="seat", values=names)
        wide.columns = wide.columns.map(" ".join)
        return Moments.from_columns(wide, [f"{name} {seat}" for name in names for seat in ("1", "2")])
    lists = ("predictors", "covariates", "variables", "items", "raters", "first", "second")
    names = [given[key] for key in ("outcome", "x", "m", "y", "controlling") if isinstance(given.get(key), str)]
    names += [
        one for key in lists if key in given for one in ([given[key]] if isinstance(given[key], str) else given[key])
    ]
    by = given.get("by", ()) if "covariates" in given else ()
    return Moments.from_columns(frame, list(dict.fromkeys(names or given["by"])), by)


def _function(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = equivalence.tost if "." in name else getattr(stats, name)
    return function


def _said(name: str, data: Any, given: Mapping[str, Any]) -> str:
    function = _function(name)
    if inspect.signature(function).parameters.get("rng") is not None and "n_resamples" in given:
        given = {**given, "rng": np.random.default_rng(1)}
    if isinstance(data, pd.DataFrame) and isinstance(given.get("within"), Mapping):
        given = {**given, "within": list(given["within"])}
    found = function(data, **given)
    if "rng" in given:  # rows in another order are shuffled otherwise
        return str(
            next((getattr(found, one) for one in ("statistic", "estimate", "indirect") if hasattr(found, one)), found)
        )
    return " ".join(re.findall(r"\d[\d.]*", found.apa() if hasattr(found, "apa") else repr(found)))


def taken(name: str) -> dict[str, bool]:
    """Return for each summary whether a function takes it and says what it says of the frame."""
    given, kept = CALLS[name]
    frame = _rows(people(), name)
    said = _said(name, frame, given)
    found = {}
    for kind in KINDS:
        try:
            summary = _summary(kind, frame, given)
            found[kind] = _said(name, summary, {key: given[key] for key in kept}) == said
        except (NegstatsError, KeyError, TypeError, AttributeError, ValueError):
            found[kind] = False
    return found


def page() -> str:
    """Return the page in Markdown."""
    lines = [TEXT, "| function | " + " | ".join(f"`{kind}`" for kind in KINDS) + " |", "|---|" + ":-:|" * len(KINDS)]
    for name in CALLS:
        takes = taken(name)
        marks = ["✓" if takes[kind] else "–" for kind in KINDS]
        lines.append(f"| {{py:obj}}`{name} <negstats.stats.{name}>` | {' | '.join(marks)} |")
    return "\n".join(lines) + "\n"


TEXT = """# Which function takes which summary

Every function of `negstats.stats` that takes data takes the rows. What else it takes was determined by calling it: a
tick means that it accepted the summary of the same rows and gave the same result. A function with no tick needs the
rows themselves.
"""
