"""Made-up people: an aspiration that falls, the deal that grants the partner most, and now and then a walk-away."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from negstats.errors import NotEstimable, UsageError
from negstats.games.dealornodeal import ACCEPT, WALK, Dialogue, draw
from negstats.simulate.dealornodeal.play import play

Integers = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]

SLACK = 0.5  # points below the aspiration that will still do
PATIENCE = 6  # utterances before anybody walks
SETTLED = 9  # utterance from which aspirations stay


@dataclass(frozen=True, slots=True)
class People:
    """How made-up people divide items. They are nobody's data; see `calibrate` for what they were fitted to.

    A person aspires to A(t) points, falling straight from a first to a last aspiration by utterance 9, at least 1. An
    offer is accepted if it is worth A(t) - 0.5 give or take a little. Otherwise, from utterance 6, some walk away. Else
    of the divisions worth A(t) - 0.5 the one is proposed that grants most of what the partner asks and takes little.

    Parameters
    ----------
    start, end
        Means of the first and the last aspiration, in points.
    start_sd, end_sd
        Their standard deviations between people.
    walk
        Chance to walk away, an utterance.
    easy
        Chance, an utterance, that an offer is accepted whatever it is worth.
    grants, takes
        What weighs for a proposal: the share of the partner's latest proposal that it grants, and against it each own
        point.
    proposal_noise, acceptance_noise
        Scale of the Gumbel noise of that weight, and standard deviation of what is acceptable, in points.

    Raises
    ------
    UsageError
        If a chance is not from 0 to 1, or a spread is negative.
    """

    start: float = 8.6
    end: float = 5.2
    start_sd: float = 1.0
    end_sd: float = 1.5
    walk: float = 0.10
    easy: float = 0.0
    grants: float = 2.0
    takes: float = 0.15
    proposal_noise: float = 0.25
    acceptance_noise: float = 0.7

    def __post_init__(self) -> None:
        for name in ("walk", "easy"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"{name} is {getattr(self, name)}; a chance from 0 to 1 is needed")
        for name in ("start_sd", "end_sd", "proposal_noise", "acceptance_noise"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} is {getattr(self, name)}; at least 0 is needed")

    def with_(self, **changes: float) -> People:
        """Return people who differ in some parameters.

        Parameters
        ----------
        **changes
            New values by the names of the parameters.

        Returns
        -------
        People
            A copy; these people are not changed.
        """
        return replace(self, **changes)

    def acts(self, dialogue: Dialogue, seat: int, rng: np.random.Generator) -> Integers:
        """Return what each person says.

        Parameters
        ----------
        dialogue
            The dialogues that are played side by side.
        seat
            Whose turn it is, 0 or 1.
        rng
            Generator of the draws.

        Returns
        -------
        ndarray of int
            The number of one act a dialogue, shape (dialogues,).
        """
        n = len(dialogue)
        aspiration = self._aspiration(dialogue, seat, rng)
        has_offer, offer = dialogue.offered(seat)
        accepts = offer >= aspiration - SLACK + rng.normal(0, self.acceptance_noise, n)
        accepts |= rng.random(n) < self.easy
        walks = (rng.random(n) < self.walk) & (dialogue.t >= PATIENCE)
        proposals = self._proposals(dialogue, seat, aspiration, rng)
        return np.where(has_offer & accepts, ACCEPT, np.where(walks, WALK, proposals))

    def _aspiration(self, dialogue: Dialogue, seat: int, rng: np.random.Generator) -> Numbers:
        if seat not in dialogue.notes:
            first_aspiration = rng.normal(self.start, self.start_sd, len(dialogue))
            dialogue.notes[seat] = np.stack([first_aspiration, rng.normal(self.end, self.end_sd, len(dialogue))])
        first_aspiration, last_aspiration = dialogue.notes[seat]
        return np.asarray(
            np.maximum(1, first_aspiration + (last_aspiration - first_aspiration) * min(dialogue.t / SETTLED, 1))
        )

    def _proposals(self, dialogue: Dialogue, seat: int, aspiration: Numbers, rng: np.random.Generator) -> Integers:
        worth, granted = dialogue.worth[:, seat], dialogue.granted(seat)
        noise = rng.gumbel(0, self.proposal_noise, worth.shape) if self.proposal_noise else 0.0
        weight = self.grants * granted - self.takes * worth + noise
        is_proposal = np.arange(worth.shape[1]) < dialogue.size[:, np.newaxis]
        least_worth = np.minimum(aspiration - SLACK, worth.max(axis=1))  # nobody can have more than everything
        weight[~is_proposal | (worth < least_worth[:, np.newaxis])] = -np.inf
        return dialogue.numbers(weight.argmax(axis=1), np.arange(len(dialogue)))


@dataclass(frozen=True, slots=True)
class Targets:
    """How dialogues end: percentage agreed, utterances, points of a player (0 without agreement)."""

    agreed: float
    length: float
    points: float

    def distance(self, other: Targets) -> float:
        """Return the largest difference, in units of `tolerance`."""
        pairs = ((self.agreed, other.agreed, 2.0), (self.length, other.length, 0.3), (self.points, other.points, 0.2))
        return max(abs(own - others_value) / tolerance for own, others_value, tolerance in pairs)


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

    best_people = people = start or People()
    smallest_distance = np.inf
    weight = 1 / np.array([2.0, 0.3, 0.2])
    for _ in range(rounds):
        current = find_ends(people)
        distance = float(np.abs((current - goal) * weight).max())
        if distance < smallest_distance:
            best_people, smallest_distance = people, distance
        if smallest_distance < 0.1:
            break
        # Gauss–Newton on weighted outcomes: slopes by differences, with the same random numbers throughout.
        slopes = np.stack(
            [
                (find_ends(people.with_(**{name: getattr(people, name) + shift})) - current) / shift
                for name, shift in shifts.items()
            ],
            axis=1,
        )
        weighted_slopes = slopes * weight[:, np.newaxis]
        step = np.linalg.solve(
            weighted_slopes.T @ weighted_slopes + 0.1 * np.eye(3), weighted_slopes.T @ ((goal - current) * weight)
        )
        step = np.clip(step, [-0.5, -0.8, -0.04], [0.5, 0.8, 0.04])
        new_values = {name: getattr(people, name) + float(move) for name, move in zip(shifts, step, strict=True)}
        people = people.with_(**{**new_values, "walk": min(max(new_values["walk"], 0.005), 0.9)})
    if smallest_distance > 1:
        raise NotEstimable(f"no such people were found for {targets}; the nearest are {best_people}")
    return best_people
