"""``python -m negstats.cli`` is ``negstats``."""

from negstats.cli import main

main()
