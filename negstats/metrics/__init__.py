"""Metrics: what offers, deals, steps and dialogues are like. One topic a file.

Every function takes any frame that narwhals knows (pandas, polars, pyarrow, DuckDB, PySpark) and returns the kind that
it was given, lazy if it was lazy. `MEASURES` has those with one value for each game, seat or offer by name, computed
from the tables of a study. Tables come in one order in every signature: messages, values, offers, items, answers,
players, games, so that what is measured stands before what it is listed by; tables that only add to games are named.
The names are imported on first use: a study is opened and described without a measure.

>>> import pandas as pd
>>> from negstats.metrics import joint_value, measure
>>> players = pd.DataFrame({"game_id": ["g", "g"], "player": ["A", "B"], "points": [6, 4]})
>>> joint_value(players)["joint_value"].tolist()
[10.0]
>>> measure("joint_value").compute({"games": pd.DataFrame({"game_id": ["g"]}), "players": players})
  game_id  joint_value
0       g         10.0

Glossary
--------
measure : a number of each game, seat or offer; *seat* : a player in a game; *space* : the outcomes of a game with their
worth to each seat; *deal* : the outcome that was agreed on; *step* : the change from one offer of a player to its next;
*concession* : by how much less for itself a player asks than before; *opening* : the first offer of a seat; *need* : a
table and column that a measure is computed from.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
