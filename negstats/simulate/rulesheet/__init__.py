"""Rule sheets played: players by name, sessions from one seed, the tables and the event log.

>>> from negstats.games.rulesheet import sheet
>>> from negstats.simulate.rulesheet import Setup, as_study, sessions_of
>>> setup = Setup.of(sheet.alternating_offers(), "negotiator", name="alternating offers")
>>> study = as_study(setup, sessions_of(setup, games=1, seed=1))
>>> study.games[["ended"]].values.tolist()
[['agreement']]
"""

from negstats.simulate.rulesheet.play import Played, Setup, as_study, events, sessions_of, write_log
from negstats.simulate.rulesheet.seats import PLAYERS

__all__ = ["PLAYERS", "Played", "Setup", "as_study", "events", "sessions_of", "write_log"]
