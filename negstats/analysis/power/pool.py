"""Cells that are played, not stated: a game simulated once a cell, from which the units of every study are drawn."""

from __future__ import annotations

import functools
import itertools
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from negstats.analysis.questions.frames import home
from negstats.analysis.questions.units import measure_of, measured
from negstats.errors import UsageError, meant, shown
from negstats.stats.results.numbers import FloatArray

if TYPE_CHECKING:
    from negstats.analysis.plan.model import Plan, Question
    from negstats.studies.study import Study

GAMES = 2000
FACTORS = ("condition", "country")  # of the contract game

Player = Callable[[str, str, int, int], "Study"]


@dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """Played values of each cell.

    Attributes
    ----------
    values : ndarray, shape (k,)
        The values that occur, ascending.
    shares : ndarray, shape (*levels, k)
        How often each occurs in each cell.
    games : int
        Played in each cell.
    """

    values: FloatArray
    shares: FloatArray
    games: int

    @property
    def mean(self) -> FloatArray:
        """The mean of each cell."""
        return np.asarray(self.shares @ self.values)

    @property
    def error(self) -> FloatArray:
        """The standard error of each cell's mean: what the pool itself leaves open."""
        spread = self.shares @ self.values**2 - self.mean**2
        return np.asarray(np.sqrt(np.maximum(spread, 0) / self.games))


@functools.lru_cache(maxsize=32)
def played(condition: str, country: str, games: int, seed: int) -> Study:
    """Return simulated games of the contract game between agents and made-up people; questions share them."""
    from negstats.simulate.contract import as_study, games_of

    return as_study(games_of(condition, country, games, seed))


def pooled(
    plan: Plan, question: Question, factors: Mapping[str, Sequence[str]], at: str, play: Player = played
) -> Pool:
    """Play each cell of a question once.

    Raises
    ------
    UsageError
        If the game is not known, a factor is none of it, or the measure needs a seat that is not named.
    """
    simulation = dict(plan.power.simulate or {})
    if simulation.get("game") != "contract":
        raise UsageError(
            f"power.simulate.game: is {shown(simulation.get('game'))}; {meant(simulation.get('game'), ['contract'])}"
        )
    games = int(simulation.get("games", GAMES))
    wrong = [name for name in factors if name not in FACTORS]
    if wrong:
        raise UsageError(f"{at}: {wrong[0]!r} is not a factor of the contract game; it has {' and '.join(FACTORS)}")
    if "condition" not in factors and "condition" not in simulation:
        raise UsageError(f'{at}: say which condition is played with power.simulate.condition = "HvsSP-A"')
    cells = [
        _cell(plan, question, dict(zip(factors, levels, strict=True)), simulation, games, play)
        for levels in itertools.product(*factors.values())
    ]
    values = np.unique(np.concatenate(cells))
    shares = np.array([np.bincount(np.searchsorted(values, cell), minlength=len(values)) / len(cell) for cell in cells])
    shape = tuple(len(levels) for levels in factors.values())
    return Pool(values.astype(np.float64), shares.reshape(*shape, len(values)), games)


def _cell(
    plan: Plan, question: Question, levels: Mapping[str, str], simulation: Mapping[str, Any], games: int, play: Player
) -> npt.NDArray[np.float64]:
    condition = str(levels.get("condition", simulation.get("condition")))
    country = str(levels.get("country", simulation.get("country", "USA")))
    # Each cell has games of its own, whatever else is asked.
    seed = int(np.random.SeedSequence((plan.seed, zlib.crc32(f"{condition} {country}".encode()))).generate_state(1)[0])
    study = play(condition, country, games, seed).with_frames()
    measure = plan.measure(question.measure)
    who = question.who or measure.who
    definition = measure_of(study, measure.measure)
    frame = home(measured(study, definition, who).sort("game_id"))
    if definition.per != "game" and frame["game_id"].duplicated().any():
        raise UsageError(f"{question.measure} is measured for each seat; name the seat with who")
    measured_values = frame["value"].dropna().to_numpy(dtype=np.float64)
    if not len(measured_values):
        raise UsageError(f"{question.measure} has no value in simulated games of {condition}")
    return np.asarray(measured_values)
