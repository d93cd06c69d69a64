from .conditions import CONDITIONS
from .log_writer import write_log
from .parameters import People, countries, people_of
from .play import as_study, games_of
from .study_tables import Played

__all__ = ["CONDITIONS", "People", "Played", "as_study", "countries", "games_of", "people_of", "write_log"]
