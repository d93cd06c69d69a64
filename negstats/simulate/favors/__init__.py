"""The favor game of mell2015 played: agents, simulated people, and their studies and logs.

>>> from negstats.simulate.favors import as_study, favor_games_of
>>> study = as_study(favor_games_of("favor-seeking", sessions=2, seed=1))
>>> study.games["negotiation"].tolist()
[1, 2, 3, 4, 5, 1, 2, 3, 4, 5]
"""

from negstats.simulate.favors.agents import AGENTS, PRINTED, SIZES, Credit, FavorAgent, RandomReturn, agent_of
from negstats.simulate.favors.people import Expectations, Participant, expectations, participant
from negstats.simulate.favors.play import Session, as_study, favor_cells, favor_games_of, write_log

__all__ = [
    "AGENTS",
    "PRINTED",
    "SIZES",
    "Credit",
    "Expectations",
    "FavorAgent",
    "Participant",
    "RandomReturn",
    "Session",
    "agent_of",
    "as_study",
    "expectations",
    "favor_cells",
    "favor_games_of",
    "participant",
    "write_log",
]
