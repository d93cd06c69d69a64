"""Fit made-up people to how dialogues of people ended: agreements, utterances, points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from negstats.errors import NotEstimable
from negstats.games.dealornodeal import draw
from negstats.simulate.dealornodeal.people import People
from negstats.simulate.dealornodeal.play import play


@dataclass(frozen=True, slots=True)
class Targets:
    """How dialogues end: percentage agreed, utterances, points of a player (0 without agreement)."""

    agreed: float
    length: float
    points: float

    def distance(self, other: Targets) -> float:
        """Return the largest difference, in units of `tolerance`."""
        pairs = ((self.agreed, other.agreed, 2.0), (self.length, other.length, 0.3), (self.points, other.points, 0.2))
        return max(abs(mine - its) / tolerance for mine, its, tolerance in pairs)


# Nearly 80 % agreed and 6.6 turns (chawla2023, of lewis2017's dialogues); 6.0 points (lewis2017).
TARGETS = Targets(80.0, 6.6, 6.0)


def ends_of(people: People, dialogues: int, rng: np.random.Generator) -> Targets:
    """Return how dialogues of such people end."""
    dialogues_played = play(people, people, draw(dialogues, rng=rng), rng=rng)
    return Targets(
        100 * float(dialogues_played.agreed.mean()),
        float(dialogues_played.length.mean()),
        float(dialogues_played.points.mean()),
    )


def calibrate(
    targets: Targets = TARGETS, *, start: People | None = None, seed: int = 1, dialogues: int = 4_000, rounds: int = 8
) -> People:
    """Return people whose dialogues end as desired, by adjusting their aspirations and their chance to walk away.

    Parameters
    ----------
    targets
        How dialogues should end.
    start
        Where to start.
    seed
        The dialogues of every trial use the same random numbers, so that trials differ by the people only.
    dialogues
        Of each trial.
    rounds
        Steps of Gauss and Newton's method, with slopes from differences.

    Returns
    -------
    People
        The people with their new parameters.

    Raises
    ------
    NotEstimable
        If no such people were found: the largest difference stays above 2 points of percentage, 0.3 utterances or 0.2
        points.

    Examples
    --------
    >>> result = calibrate(Targets(85.0, 6.5, 6.2), dialogues=1000)
    >>> ends_of(result, 4000, np.random.default_rng(2)).distance(Targets(85.0, 6.5, 6.2)) < 2
    True
    """
    shifts = {"start": 0.1, "end": 0.2, "walk": 0.02}
    goal = np.array([targets.agreed, targets.length, targets.points])

    def find_ends(people: People) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        outcome = ends_of(people, dialogues, np.random.default_rng(seed))
        return np.array([outcome.agreed, outcome.length, outcome.points])

    best = people = start or People()
    nearest = np.inf
    weight = 1 / np.array([2.0, 0.3, 0.2])
    for _ in range(rounds):
        current = find_ends(people)
        distance = float(np.abs((current - goal) * weight).max())
        if distance < nearest:
            best, nearest = people, distance
        if nearest < 0.1:
            break
        slopes = np.stack(
            [(find_ends(people.with_(**{n: getattr(people, n) + s})) - current) / s for n, s in shifts.items()], axis=1
        )
        weighted_slopes = slopes * weight[:, np.newaxis]
        step = np.linalg.solve(
            weighted_slopes.T @ weighted_slopes + 0.1 * np.eye(3), weighted_slopes.T @ ((goal - current) * weight)
        )
        step = np.clip(step, [-0.5, -0.8, -0.04], [0.5, 0.8, 0.04])
        new = {n: getattr(people, n) + float(x) for n, x in zip(shifts, step, strict=True)}
        people = people.with_(**{**new, "walk": min(max(new["walk"], 0.005), 0.9)})
    if nearest > 1:
        raise NotEstimable(f"no such people were found for {targets}; the nearest are {best}")
    return best
