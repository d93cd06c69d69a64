"""``python -m negstats`` is ``negstats``."""

from negstats.cli import main

if __name__ == "__main__":
    main()
