"""Words of logs: names of columns as plain English words."""

from __future__ import annotations

import re

from negstats.english import english_name, plain_name
from negstats.loaders.reading.words import LINE, ROUND, WHOLE

MARK = ROUND  # in the names of columns that stand there once for each round
ROW, FILE = LINE, WHOLE  # stand among the columns for { row = true } and { file = true }
SIGNS = (MARK, ROW, FILE)


def plain(name: str) -> str:
    """Return a column's name in lower case with _ between its words.

    Examples
    --------
    >>> plain("AgentAUtility"), plain("Réponse (1)")
    ('agent_a_utility', 'reponse_1')
    """
    return plain_name(name if name in SIGNS else name.replace(MARK, "_"))


def english(name: str) -> str:
    """Return a plain name with its words in English; see `negstats.english.english_name`."""
    return english_name(name)


def short(name: str) -> str:
    """Return what a column is called: without the objects that it lies in, ``player.age``; points in words are none.

    Examples
    --------
    >>> short("group.1.player.age"), short("Dist. to Nash"), short("min.util."), short("#agreeing")
    ('age', 'Dist. to Nash', 'min.util', 'agreeing')
    """
    last = name.rpartition(".")[2]
    parts = name.split(".")
    is_path = len(parts) > 1 and all(re.fullmatch(r"[\w{}-]+", part) for part in parts)
    return last if is_path else re.sub(r"^[\W_]+|[^\w)\]]+$", "", name) or name
