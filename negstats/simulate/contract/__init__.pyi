from .conditions import CONDITIONS
from .log_writer import Played, as_study, write_log
from .people import People, countries, people_of
from .play import games_of

__all__ = ["CONDITIONS", "People", "Played", "as_study", "countries", "games_of", "people_of", "write_log"]
