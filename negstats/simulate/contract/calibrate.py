"""Find how often people have talked enough and get lost, so that simulated HvsH games end as the printed ones do.

Run it with ``python -m negstats.simulate.contract.calibrate``; it prints the lines for `parameters.toml`. The targets
are haim2017's: the share of human-only games in which the customer reached a goal (6.1), and their mean rounds (6.4).

More patience makes games longer and gives more chances to get lost, so each of the two numbers is corrected by what it
governs most, again and again: `enough` by the ratio of the rounds, `lost` by the ratio of the odds of failing. All
steps play with the same random numbers, so that what changes between them is the parameters'.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from negstats.games.contract import study_game
from negstats.simulate.contract.people import HumanCustomer, HumanProvider, People, Reach, countries, people_of
from negstats.simulate.contract.transcript import Transcript, play


class Target(NamedTuple):
    """What haim2017 prints of a country's human-only games."""

    reached: float
    rounds: float


TARGETS = {"China": Target(0.60, 5.33), "Israel": Target(0.83, 5.86), "USA": Target(0.93, 4.13)}


def human_games(people: People, games: int, seed: int) -> list[Transcript]:
    """Play games among people with these parameters."""
    game = study_game()
    reach = Reach(game)
    customer = HumanCustomer(reach, people)
    providers = [HumanProvider(reach, people, number) for number in game.providers]
    children = np.random.SeedSequence(seed).spawn(games)
    return [play(game, customer, providers, np.random.default_rng(child)) for child in children]


def compute_target(played: Sequence[Transcript]) -> Target:
    """Return the share of goals reached and the mean rounds."""
    return Target(
        float(np.mean([transcript.goal > 0 for transcript in played])),
        float(np.mean([transcript.rounds for transcript in played])),
    )


def calibrate(people: People, target: Target, *, games: int, steps: int, seed: int) -> People:
    """Return people whose `enough` and `lost` bring the games to the target."""
    for _ in range(steps):
        result = compute_target(human_games(people, games, seed))
        odds = ((1 - target.reached) / target.reached) / (max(1 - result.reached, 0.5 / games) / result.reached)
        people = people.with_(
            enough=min(people.enough * result.rounds / target.rounds, 1.0), lost=min(people.lost * odds, 1.0)
        )
    return people


def main(games: int = 8000, steps: int = 4) -> None:
    """Print each country's parameters, and what they give in games with other random numbers."""
    for country in countries():
        people = calibrate(people_of(country), TARGETS[country], games=games, steps=steps, seed=20260301)
        people = people.with_(enough=round(people.enough, 4), lost=round(people.lost, 4))
        check = compute_target(human_games(people, games, seed=20260302))
        print(f"[people.countries.{country}]  # goals {check.reached:.3f}, rounds {check.rounds:.2f} in {games} games")
        print(f"enough = {people.enough}\nlost = {people.lost}\n", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
