"""Make the synthetic studies of the contract game: haim2017's sizes, and one large enough for its providers.

Run from the project's root: ``python datasets/contract_sim/make_contract_sim.py``. The seed is fixed, so the games are
always the same. Nobody took part: agents and made-up people play, and the numbers say nothing about people.
"""

from __future__ import annotations

import sys
from pathlib import Path

from negstats.simulate.contract import Played, as_study, games_of

SEED = 20260301
HERE = Path(__file__).resolve().parent

# haim2017 prints participants by country (208, 149, 143), the sizes of HvsH and HvsCS-A together (51, 30, 32, from the
# degrees of freedom), 16 games of HvsSP-RAPD in Israel, and human-only goal rates that 20 of 24, 14 of 15 and 9 of 15
# give. The other games are as many as the remaining people make, two in each, shared evenly.
GAMES = {
    "Israel": {"HvsH": 24, "HvsCS-A": 27, "HvsSP-A": 13, "HvsSP-RAP": 12, "HvsSP-RAPD": 16},
    "USA": {"HvsH": 15, "HvsCS-A": 15, "HvsSP-A": 19, "HvsSP-RAP": 18},
    "China": {"HvsH": 15, "HvsCS-A": 17, "HvsSP-A": 16, "HvsSP-RAP": 16},
}

# Providers' scores fall into two heaps, so the printed sizes show no order of the provider agents; these do.
LARGE = {"Israel": {"HvsH": 300, "HvsSP-A": 300, "HvsSP-RAP": 300, "HvsSP-RAPD": 300}}


def games(design: dict[str, dict[str, int]] = GAMES) -> list[Played]:
    """Play all games of a design, each condition and country with a seed of its own."""
    played = []
    cells = [(country, condition, count) for country, sizes in design.items() for condition, count in sizes.items()]
    for place, (country, condition, count) in enumerate(cells):
        played += games_of(condition, country, count, seed=(SEED, place))
    return played


def main(target: Path = HERE) -> None:
    """Write the studies below `target`."""
    as_study(games(), notes=[f"all conditions and countries, seed {SEED}"]).save(target / "study")
    large = "300 games a condition of providers in Israel"
    as_study(games(LARGE), notes=[f"{large}, seed {SEED}"]).save(target / "large")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
