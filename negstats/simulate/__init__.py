"""Simulated studies: agents, one file each with its source, and a runner that writes the tables of a study.

>>> from negstats.simulate import as_study, games_of
>>> study = as_study(games_of("HvsSP-RAP", "Israel", games=2, seed=1))
>>> study.players["agent"].dropna().unique().tolist()
['SP-RAP']
"""

from negstats.simulate._conditions import CONDITIONS
from negstats.simulate._log import write_log
from negstats.simulate._parameters import People, countries, people_of
from negstats.simulate._tables import Played
from negstats.simulate.contract import as_study, games_of

__all__ = ["CONDITIONS", "People", "Played", "as_study", "countries", "games_of", "people_of", "write_log"]
