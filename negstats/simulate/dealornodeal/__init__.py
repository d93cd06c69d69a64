"""Deal or No Deal played: the agents of chawla2023's 2 × 3 study at the level of acts, made-up people, and a study.

Simulated acts, not the paper's bots: the design, the logs, the measures and the analysis are the paper's, the numbers
are not.

>>> import numpy as np
>>> from negstats.simulate.dealornodeal import agents_with_people, as_study, design
>>> agents = design(rng=np.random.default_rng(1), corpus=200, games=512)
>>> study = as_study(agents_with_people(agents, seed=1, games=5))
>>> len(study.games)
30
"""

from negstats.simulate.dealornodeal.design import AGENTS, OVER_AGREEABLE, design, load_design, save_design
from negstats.simulate.dealornodeal.learning import LogLinear, Trained, fit, train
from negstats.simulate.dealornodeal.patterns import PATTERNS, appear, patterns
from negstats.simulate.dealornodeal.people import People, calibrate
from negstats.simulate.dealornodeal.play import Played, Policy, acts_of, play
from negstats.simulate.dealornodeal.study import (
    Meeting,
    agents_with_agents,
    agents_with_people,
    as_study,
    meet,
    outcomes_of,
    write_log,
)

__all__ = [
    "AGENTS",
    "OVER_AGREEABLE",
    "PATTERNS",
    "LogLinear",
    "Meeting",
    "People",
    "Played",
    "Policy",
    "Trained",
    "acts_of",
    "agents_with_agents",
    "agents_with_people",
    "appear",
    "as_study",
    "calibrate",
    "design",
    "fit",
    "load_design",
    "meet",
    "outcomes_of",
    "patterns",
    "play",
    "save_design",
    "train",
    "write_log",
]
