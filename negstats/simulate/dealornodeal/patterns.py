"""The patterns that chawla2023 reports of its agents, measured on any design."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from negstats.games.dealornodeal import draw
from negstats.simulate.dealornodeal.design import SUPERVISED
from negstats.simulate.dealornodeal.learning import LogLinear
from negstats.simulate.dealornodeal.people import People
from negstats.simulate.dealornodeal.play import Policy
from negstats.simulate.dealornodeal.study import PEOPLE, Meeting, meet, outcomes_of

PATTERNS = {
    "A": "r=selfish,p=S exploits S",
    "B": "two copies of r=selfish,p=S rarely agree",
    "C": "among selfish agents, people agree least often with p=S and most often with p=selfish",
    "D": "among selfish agents, people and both together earn most with p=selfish",
    "E": "among selfish agents, own points of agreed deals fall in the order p = S, fair, selfish",
}
_SELFISH = {partner: f"r=selfish,p={partner}" for partner in ("S", "fair", "selfish")}

Integers = npt.NDArray[np.int64]


def patterns(
    agents: Mapping[str, Any], *, rng: np.random.Generator, people: People | None = None, dialogues: int = 2_000
) -> pd.DataFrame:
    """Measure the patterns of a design.

    Parameters
    ----------
    agents
        What `design` returns, or `load_design`: something with `theta` by name.
    rng
        Source of randomness.
    people
        Whom the agents meet; those that are calibrated if not given.
    dialogues
        How many of each pair.

    Returns
    -------
    pandas.DataFrame
        One row a number: `pattern`, `quantity`, `partner` (the selfish agent's training partner), `n`, `value`, `se`.

    Examples
    --------
    >>> alike = {name: LogLinear(np.zeros(18)) for name in ("S", *_SELFISH.values())}
    >>> patterns(alike, rng=np.random.default_rng(1), dialogues=10)["pattern"].tolist()
    ['A', 'A', 'B', 'C', 'C', 'C', 'D', 'D', 'D', 'D', 'D', 'D', 'E', 'E', 'E']
    """
    policies: dict[str, Policy] = {name: LogLinear(np.asarray(agent.theta)) for name, agent in agents.items()}
    insisting = _SELFISH["S"]
    scenarios = draw(dialogues, rng=rng)

    def meet_once(agent: str, opponent: str, policy: Policy) -> pd.DataFrame:
        [stream] = rng.spawn(1)
        meeting: Meeting = meet((agent, policies[agent]), (opponent, policy), scenarios, rng=stream, seed=0)
        return outcomes_of([meeting])

    exploits = meet_once(insisting, SUPERVISED, policies[SUPERVISED])
    alike = meet_once(insisting, insisting, policies[insisting])
    human = {partner: meet_once(name, PEOPLE, people or People()) for partner, name in _SELFISH.items()}
    rows = [
        _row("A", "own points from S", "S", exploits["own"]),
        _row("A", "points of S", "S", exploits["other"]),
        _row("B", "agreement with itself", "S", alike["agreed"]),
        *(_row("C", "no agreement with people", partner, ~outcomes["agreed"]) for partner, outcomes in human.items()),
        *(_row("D", "people's points", partner, outcomes["other"]) for partner, outcomes in human.items()),
        *(_row("D", "joint points", partner, outcomes["joint"]) for partner, outcomes in human.items()),
        *(
            _row("E", "own points of agreed deals", partner, outcomes[outcomes["agreed"]]["own"])
            for partner, outcomes in human.items()
        ),
    ]
    return pd.DataFrame(rows)


def appear(patterns: pd.DataFrame, *, margin: float = 0.0) -> dict[str, bool]:
    """Return for each pattern whether it appears in what `patterns` has found.

    Parameters
    ----------
    patterns
        The numbers of one design.
    margin
        By how many standard errors of the difference an order must be clear. The thresholds of A (8 points for the
        agent, 4 for S) and B (a fifth) are far from either end.

    Returns
    -------
    dict[str, bool]
        True or False by the name of the pattern.

    Examples
    --------
    >>> alike = {name: LogLinear(np.zeros(18)) for name in ("S", *_SELFISH.values())}
    >>> appear(patterns(alike, rng=np.random.default_rng(1), dialogues=50))["A"]
    False
    """
    keys = zip(patterns["quantity"], patterns["partner"], strict=True)
    table = dict(zip(keys, patterns[["value", "se"]].to_numpy(dtype=float), strict=True))

    def find_value(quantity: str) -> float:
        return float(table[quantity, "S"][0])

    def is_above(quantity: str, higher: str, lower: str) -> bool:
        (higher_value, higher_se), (lower_value, lower_se) = table[quantity, higher], table[quantity, lower]
        return bool(higher_value - lower_value > margin * np.hypot(higher_se, lower_se))

    silent, people, joint, own = (
        "no agreement with people",
        "people's points",
        "joint points",
        "own points of agreed deals",
    )
    return {
        "A": find_value("own points from S") >= 8 and find_value("points of S") <= 4,
        "B": find_value("agreement with itself") <= 0.2,
        "C": all(is_above(silent, *pair) for pair in (("S", "fair"), ("S", "selfish"), ("fair", "selfish"))),
        "D": all(is_above(name, "selfish", partner) for name in (people, joint) for partner in ("S", "fair")),
        "E": is_above(own, "S", "fair") and is_above(own, "fair", "selfish"),
    }


def _row(pattern: str, quantity: str, partner: str, values: pd.Series) -> dict[str, Any]:
    numbers = values.to_numpy(dtype=float)
    standard_error = float(numbers.std(ddof=1) / np.sqrt(len(numbers))) if len(numbers) > 1 else float("nan")
    mean = float(numbers.mean()) if len(numbers) else float("nan")
    return {
        "pattern": pattern,
        "quantity": quantity,
        "partner": partner,
        "n": len(numbers),
        "value": mean,
        "se": standard_error,
    }
