"""The contract game played: agents and people, a file each with its source, and a runner that writes a study's tables.

>>> from negstats.simulate.contract import as_study, games_of
>>> study = as_study(games_of("HvsSP-RAP", "Israel", games=2, seed=1))
>>> study.players["agent"].dropna().unique().tolist()
['SP-RAP']
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
