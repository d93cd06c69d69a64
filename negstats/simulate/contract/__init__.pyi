from .conditions import CONDITIONS
from .people import People, countries, people_of
from .play import Played, as_study, games_of, write_log

__all__ = ["CONDITIONS", "People", "Played", "as_study", "countries", "games_of", "people_of", "write_log"]
