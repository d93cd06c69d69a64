"""The contract game played: agents and people, a file each with its source, and a runner that writes a study's tables.

>>> from negstats.simulate.contract import as_study, games_of
>>> study = as_study(games_of("HvsSP-RAP", "Israel", games=2, seed=1))
>>> study.players["agent"].dropna().unique().tolist()
['SP-RAP']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from negstats._first_use import on_first_use

if TYPE_CHECKING:
    from negstats.simulate.contract.conditions import CONDITIONS
    from negstats.simulate.contract.log_writer import write_log
    from negstats.simulate.contract.parameters import People, countries, people_of
    from negstats.simulate.contract.play import as_study, games_of
    from negstats.simulate.contract.study_tables import Played

__all__ = ["CONDITIONS", "People", "Played", "as_study", "countries", "games_of", "people_of", "write_log"]

__getattr__, __dir__ = on_first_use(__name__, __file__)
