"""Every kind of figure, drawn of groups of numbers: small and large, equal and zero, many, with long names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from negstats import plots
from negstats.plots.acceptance import HasThresholds
from negstats.plots.groups import mean_interval
from negstats.stats import actor_partner, bland_altman, chi_squared, cumulative_incidence, meta_analysis, transitions

LONG = ("some 4 year college, bachelor's degree", "vocational or technical school, no diploma yet")
Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
DATA: Mapping[str, Mapping[str, Numbers]] = {
    "one value": {"CL": np.array([3.0]), "FC": np.array([5.0])},
    "two values": {"CL": np.array([3.0, 4.0]), "FC": np.array([5.0, 4.0])},
    "three values": {"CL": np.array([3.0, 4.0, 4.5]), "FC": np.array([5.0, 4.0, 7.0])},
    "equal values": {"CL": np.full(30, 4.0), "FC": np.full(30, 4.0)},
    "a group of zeros": {"CL": np.zeros(30), "FC": np.arange(30.0)},
    "large": {name: np.random.default_rng(seed).normal(10, 2, 5000) for seed, name in enumerate(("CL", "FC"))},
    "whole numbers": {
        name: np.random.default_rng(seed).integers(1, 6, 200).astype(float) for seed, name in enumerate("ab")
    },
    "long names": {name: np.random.default_rng(len(name)).normal(10, 2, 40) for name in LONG},
    "many levels": {f"level {place}": np.random.default_rng(place).normal(10, 2, 25) for place in range(9)},
    "tiny numbers": {"CL": np.array([1e-5, 2e-5, 4e-5]), "FC": np.array([3e-5, 2e-5, 6e-5])},
    "huge numbers": {"CL": np.array([1e6, 2e6, 4e6]), "FC": np.array([3e6, 2.5e6, 6e6])},
}
Kind = Callable[[Mapping[str, Numbers]], Axes]


def _groups(data: Mapping[str, Numbers]) -> Axes:
    long = pd.concat([pd.DataFrame({"level": name, "value": values}) for name, values in data.items()])
    rows = {name: mean_interval(values) for name, values in data.items()}
    summary = pd.DataFrame(rows, index=["mean", "low", "high"]).T
    return plots.group_comparison(long, summary, label="points of the human (points)", unit="game")


def _pairs(data: Mapping[str, Numbers]) -> Axes:
    n = min(map(len, data.values()))
    table = pd.DataFrame({name: values[:n] for name, values in data.items()})
    return plots.paired_comparison(table, label="points of the human (points)", unit="person")


def _cells(data: Mapping[str, Numbers]) -> Axes:
    rows = [
        {"condition": name, "order": order, "n": len(values), "mean": float(values.mean()) + place,
         "sd": float(values.std(ddof=1)) if len(values) > 1 else np.nan}
        for name, values in data.items()
        for place, order in enumerate(("first", "second"))
    ]  # fmt: skip
    return plots.cell_means(pd.DataFrame(rows), "condition", "order", label="points (points)", bars="sd")


def _shares(data: Mapping[str, Numbers]) -> Axes:
    yes = [int((values > 4).sum()) for values in data.values()]
    table = pd.DataFrame({"yes": yes, "n": [len(values) for values in data.values()]}, index=list(data))
    return plots.shares(table, label="games that ended in agreement", unit="games")


def _answers(data: Mapping[str, Numbers]) -> Axes:
    spread = np.linspace(0, 1, 6)[1:-1]
    cuts = np.quantile(np.concatenate(list(data.values())), spread)
    counts = {name: np.bincount(np.searchsorted(cuts, values), minlength=5) for name, values in data.items()}
    words = [
        "extremely dissatisfied",
        "slightly dissatisfied",
        "undecided",
        "slightly satisfied",
        "extremely satisfied",
    ]
    return plots.ordered_answers(pd.DataFrame(counts, index=words).T, label="satisfied?", unit="people")


def _stacked(data: Mapping[str, Numbers]) -> Axes:
    yes = [int((values > 4).sum()) for values in data.values()]
    no = [len(values) - one for values, one in zip(data.values(), yes, strict=True)]
    return plots.stacked_proportions(
        pd.DataFrame({"agreement": yes, "walked away": no}, index=list(data)), label="games"
    )


def _relation(data: Mapping[str, Numbers]) -> Axes:
    table = pd.concat([pd.DataFrame({"x": np.arange(len(v)) * 1.0, "y": v, "g": name}) for name, v in data.items()])
    return plots.relation(table, x="x", y="y", by="g", labels=("rounds", "points of the human (points)"))


def _logistic(data: Mapping[str, Numbers]) -> Axes:
    x = np.concatenate(list(data.values()))
    yes = (np.random.default_rng(2).random(len(x)) < 0.6).astype(float)
    return plots.logistic_curve(
        pd.DataFrame({"x": x, "y": yes}), x="x", y="y", labels=("points", "agreed"), unit="games"
    )


def _curves(data: Mapping[str, Numbers]) -> Axes:
    rows = [
        pd.DataFrame({"x": np.arange(3.0), "y": values.mean() + np.arange(3), "g": n}) for n, values in data.items()
    ]
    return plots.curves(pd.concat(rows), x="x", y="y", by="g", labels=("round", "points (points)"), caption="Means")


def _forest(data: Mapping[str, Numbers]) -> Axes:
    sizes = [float(values.mean()) for values in data.values()]
    result = meta_analysis(sizes, [0.04 * (1 + place) for place in range(len(data))], studies=list(data), test="z")
    return plots.forest(result.to_frame(), label="mean (points)", caption="Means")


def _survival(data: Mapping[str, Numbers]) -> Axes:
    agreed = {name: np.arange(len(values)) % 3 != 2 for name, values in data.items()}
    games = [pd.DataFrame({"rounds": np.abs(v) + 1, "agreed": agreed[name], "g": name}) for name, v in data.items()]
    return plots.survival_to_agreement(pd.concat(games), by="g", label="rounds")


def _residuals(data: Mapping[str, Numbers]) -> Axes:
    return plots.residual_quantiles(np.concatenate([v - v.mean() for v in data.values()]), label="residual (points)")


def _heat_map(data: Mapping[str, Numbers]) -> Axes:
    means = np.array([values.mean() for values in data.values()])
    table = pd.DataFrame(means[:, None] + means[None, :], index=list(data), columns=list(data))
    return plots.agent_heat_map(table, label="points of the row agent (points)")


def _offers(data: Mapping[str, Numbers]) -> pd.DataFrame:
    """Return an offer a value: forty games at most, each a line of a negotiator."""
    rows = [
        pd.DataFrame({"proposer": name, "value": values, "round": np.arange(len(values)) % 10,
                      "game_id": np.arange(len(values)) // 10}).head(400)
        for name, values in data.items()
    ]  # fmt: skip
    return pd.concat(rows, ignore_index=True)


def _accepted(data: Mapping[str, Numbers]) -> Axes:
    offers = pd.concat([pd.DataFrame({"benefit": v, "accepted": np.arange(len(v)) % 2 == 1}) for v in data.values()])
    at = np.linspace(offers["benefit"].min(), offers["benefit"].max(), 20)
    fits = [
        pd.DataFrame({"method": name, "benefit": at, "probability": place / len(data), "low": 0.0, "high": 1.0})
        for place, name in enumerate(data)
    ]  # fmt: skip
    low, middle, high = np.quantile(offers["benefit"], [0.25, 0.5, 0.75])
    return plots.acceptance_curve(
        offers, pd.concat(fits), label="benefit to the one who is asked (points)", threshold=float(middle),
        threshold_interval=(float(low), float(high)), caption="Offers of the robot",
    )  # fmt: skip


def _partners(data: Mapping[str, Numbers]) -> Axes:
    roles = list(data)[:2]
    n = max(8, min(map(len, data.values())))
    own = np.concatenate(
        [np.resize(data[role], n) + np.random.default_rng(4 + place).normal(size=n) for place, role in enumerate(roles)]
    )
    rows = {
        "pair": [*range(n)] * 2,
        "role": np.repeat(roles, n),
        "x": own,
        "y": own + np.random.default_rng(6).normal(size=2 * n) * own.std(),
    }
    result = actor_partner(pd.DataFrame(rows), "y", "x", pair="pair", role="role")
    return plots.actor_partner_paths(
        result, predictor="points of the human's first offer", outcome="points of the human (points)"
    )


def _responses(data: Mapping[str, Numbers]) -> Axes:
    names = list(data)
    rows = [
        {"start": name, "end": names[(place + step) % len(names)], "share": share, "best": step > 0}
        for place, name in enumerate(names)
        for step, share in ((0, 0.001), (1, 1.0))
    ]
    return plots.best_response_graph(pd.DataFrame(rows), caption="Points of the row agent")


def _concessions(data: Mapping[str, Numbers]) -> Axes:
    offers = _offers(data)
    return plots.concession_curves(offers, y="value", labels=("round", "own value (points)"), caption="Offers")


def _mean_concessions(data: Mapping[str, Numbers]) -> Axes:
    offers = _offers(data)
    return plots.concession_curves(offers, _means_by(offers), y="value", labels=("round", "own value (points)"))


def _means_by(offers: pd.DataFrame, *more: str) -> pd.DataFrame:
    means = offers.groupby([*more, "proposer", "round"], sort=False)["value"].agg(n="size", mean="mean").reset_index()
    return means.assign(low=means["mean"] - 1, high=means["mean"] + 1)


def _concession_panels(data: Mapping[str, Numbers]) -> Axes:
    offers = _offers(dict(list(data.items())[:4])).rename(columns={"proposer": "condition"})
    offers = offers.assign(proposer=np.where(offers["game_id"] % 2, "seller", "buyer"))
    axes = plots.concession_panels(
        offers, _means_by(offers, "condition"), panels="condition", y="value", labels=("round", "own value (points)")
    )
    return axes[0]


def _graph(data: Mapping[str, Numbers]) -> Axes:
    names = list(data)
    states = pd.DataFrame({"step": range(len(names)), "kind": names, "text": names})
    edges = pd.DataFrame({"start": range(len(names) - 1), "end": range(1, len(names)), "played": True})
    return plots.game_graph(states, edges, caption="The path of two egoists")


def _ledger(data: Mapping[str, Numbers]) -> Axes:
    rows = [
        pd.DataFrame({"session": [f"{name} {one}" for one in range(len(values))], "negotiation": negotiation,
                      "ledger": values + negotiation, "condition": name})
        for name, values in data.items() for negotiation in (1, 2, 3, 4)
    ]  # fmt: skip
    return plots.ledger_over_time(pd.concat(rows), "condition")


def _joint_value(data: Mapping[str, Numbers]) -> Axes:
    rows = [
        pd.DataFrame({"language": language, "returns": name, "joint_value": values})
        for name, values in data.items() for language in ("favor", "generic")
    ]  # fmt: skip
    printed = float(next(iter(data.values())).mean())
    return plots.joint_value_by_condition(pd.concat(rows), printed={"favor": printed, "generic": printed})


def _states(data: Mapping[str, Numbers]) -> Axes:
    states = ("favor returned", "betrayal", "no favor")
    rows = [
        {"state": state, "condition": name, "n": len(values), "rate": 0.5, "low": 0.2, "high": 0.8, "level": 0.95}
        for name, values in data.items() for state in states
    ]  # fmt: skip
    return plots.state_acceptance(pd.DataFrame(rows), "condition")


def _limits(data: Mapping[str, Numbers]) -> Axes:
    first, second = list(data)[:2]
    n = max(3, min(map(len, data.values())))
    two = {name: np.resize(data[name], n) for name in (first, second)}
    return plots.limits_of_agreement(bland_altman(two, first, second), unit="points", caption="Two ways to count")


def _mosaic(data: Mapping[str, Numbers]) -> Axes:
    yes = [1 + int((values > 4).sum()) for values in data.values()]
    no = [2 + len(values) - one for values, one in zip(data.values(), yes, strict=True)]
    table = pd.DataFrame({"agreement": yes, "walked away": no}, index=pd.Index(list(data), name="condition"))
    return plots.mosaic(chi_squared(table), caption="How games ended")


def _paths(data: Mapping[str, Numbers]) -> Axes:
    first, second, *_ = data
    seats = (first, second)
    n = min(20, *map(len, data.values()))
    offers = pd.DataFrame({"offer": range(1, n + 1), "proposer": [seats[place % 2] for place in range(n)],
                           "value_proposer": data[seats[0]][:n], "value_responder": data[seats[1]][:n],
                           "response": ["superseded"] * (n - 1) + ["accepted"]})  # fmt: skip
    return plots.offer_paths(offers, seats, labels=(f"{seats[0]} (points)", f"{seats[1]} (points)"))


def _space(data: Mapping[str, Numbers]) -> Axes:
    first, second = list(data.values())[:2]
    n = min(len(first), len(second))
    outcomes = pd.DataFrame({"you": first[:n], "they": second[:n], "optimal": True})
    points = {name: (float(values.mean()), float(values.mean())) for name, values in data.items()}
    return plots.outcome_space(
        outcomes, outcomes, x="you", y="they", labels=("you (points)", "they (points)"), points=points,
        caption="All deals",
    )  # fmt: skip


def _payoffs(data: Mapping[str, Numbers]) -> Axes:
    rows = [
        {"strategy": name, "opponent": other, "n": len(values),
         **dict(zip(("mean", "low", "high"), mean_interval(values), strict=True))}
        for name, values in data.items() for other in data
    ]  # fmt: skip
    return plots.payoff_heat_map(pd.DataFrame(rows), label="points of the row agent (points)", caption="Tournament")


def _estimate(data: Mapping[str, Numbers]) -> HasThresholds:
    people, population, shares, curve = [], [], [], []
    at = np.linspace(0, 10, 30)
    for name, values in data.items():
        sd = float(values.std(ddof=1)) if len(values) > 1 else np.nan
        people.append(pd.DataFrame({"person": range(len(values)), "group": name, "threshold": values, "sd": sd, "n": 8,
                                    "accepted": np.arange(len(values)) % 9}))  # fmt: skip
        mean, low, high = mean_interval(values)
        population.append({"group": name, "mean": mean, "low": low, "high": high, "sd": sd})
        shares += [
            {"of": "decisions", "group": name, "share": share, "benefit": 10 * share} for share in (0.5, 0.8, 0.9)
        ]
        curve.append(pd.DataFrame({"group": name, "benefit": at, "probability": at / 10, "low": at / 11,
                                   "high": at / 10, "typical": at / 10}))  # fmt: skip
    return cast("HasThresholds", SimpleNamespace(
        people=pd.concat(people), population=pd.DataFrame(population), shares=pd.DataFrame(shares),
        curve=pd.concat(curve), slope=1.0, unit="points", persons=sum(map(len, people)), confidence_level=0.95,
        caption="Decisions of people on offers of the robot", most=None, beyond=lambda _: "",
    ))  # fmt: skip


def _person_curves(data: Mapping[str, Numbers]) -> Axes:
    return plots.person_curves(_estimate(data))


def _thresholds(data: Mapping[str, Numbers]) -> Axes:
    return plots.thresholds(_estimate(data))


def _priors(data: Mapping[str, Numbers]) -> Axes:
    widths = np.geomspace(0.1, 2, 20)
    rows = [
        pd.DataFrame({"scale": widths, "model": name, "bf10": widths ** (place - 1)}) for place, name in enumerate(data)
    ]
    return plots.prior_robustness(pd.concat(rows), scale=0.5, caption="Default priors")


def _calibration(data: Mapping[str, Numbers]) -> Axes:
    middle = np.linspace(0.1, 0.9, 5)
    rows = [
        pd.DataFrame({"probability": middle, "share": middle**2, "low": middle**2 * 0.8, "high": np.sqrt(middle),
                      "games": len(values), "turn": name})
        for name, values in data.items()
    ]  # fmt: skip
    return plots.calibration(pd.concat(rows), caption="Forecasts of an agreement")


def _satisfaction(data: Mapping[str, Numbers]) -> Axes:
    pairs = pd.DataFrame({"pair": list(data), "a": np.linspace(0.5, 1, len(data)), "b": np.linspace(1, 0.5, len(data)),
                          "agreements": [len(values) for values in data.values()], "talks": 5000})  # fmt: skip
    return plots.satisfaction_plane(
        pairs, [[0.5, 1.0], [1.0, 0.5]], x="a", y="b",
        labels=("satisfaction of A (0 to 1)", "satisfaction of B (0 to 1)"),
    )  # fmt: skip


def _simplex(data: Mapping[str, Numbers]) -> Axes:
    names = [*data, "a third"][:3]
    shares = np.linspace([0.8, 0.1, 0.1], [0.1, 0.2, 0.7], 30)
    path = pd.DataFrame(shares, columns=names)
    return plots.strategy_simplex([path, path[::-1]], path.iloc[[-1]], caption="Replicator dynamics")


def _talk(data: Mapping[str, Numbers]) -> Axes:
    names = list(data)
    n = min(30, *map(len, data.values())) + 1
    messages = pd.DataFrame({"message": range(n), "sender": [names[place % 2] for place in range(n)],
                             "act": [names[place % len(names)] for place in range(n)],
                             "labels": [f"says {names[place % len(names)]}" for place in range(n)]})  # fmt: skip
    return plots.talk_timeline(messages, caption="One talk")


def _ends(data: Mapping[str, Numbers]) -> Axes:
    ends = ("agreement", "walk-away", "timeout")
    games = [pd.DataFrame({"time": np.abs(v) + 1, "ended": [ends[at % 3] for at in range(len(v))], "condition": name})
             for name, v in data.items()]  # fmt: skip
    result = cumulative_incidence(pd.concat(games), "time", "ended", "agreement", "timeout", by="condition")
    return plots.time_curves(result, label="rounds")


def _followed(data: Mapping[str, Numbers], show: Any = "probability") -> Axes:
    names = list(data)
    n = max(4, len(names) * min(30, *map(len, data.values())))
    talk = {
        "game_id": np.arange(n) // 10,
        "message": np.arange(n),
        "act": [names[(k * k) % len(names)] for k in range(n)],
    }
    return plots.transition_heat_map(transitions(talk, n_resamples=0), show=show, caption="What follows what")


KINDS: Mapping[str, Kind] = {
    "groups": _groups, "pairs": _pairs, "cells": _cells, "shares": _shares, "answers": _answers, "stacked": _stacked,
    "relation": _relation, "logistic": _logistic, "curves": _curves, "forest": _forest, "survival": _survival,
    "residuals": _residuals, "heat map": _heat_map, "acceptance": _accepted, "partners": _partners,
    "responses": _responses, "concessions": _concessions, "mean concessions": _mean_concessions,
    "concession panels": _concession_panels, "game graph": _graph, "ledger": _ledger, "joint value": _joint_value,
    "states": _states, "limits": _limits, "mosaic": _mosaic, "offer paths": _paths, "outcome space": _space,
    "payoffs": _payoffs, "person curves": _person_curves, "thresholds": _thresholds, "priors": _priors,
    "calibration": _calibration,
    "satisfaction": _satisfaction, "simplex": _simplex, "talk": _talk, "ends": _ends, "transitions": _followed,
}  # fmt: skip
