"""What people call the measures: other names that mean the same, and words for which a measure is only proposed.

One table for every place that reads the name of a measure: the command line, plans and Python.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

from negstats.errors import meant, nearest_names, shown

# Other names of the same number. Case, blanks, hyphens and underscores do not count.
ALIASES = {
    "units_to_responder": (
        "offer, amount offered, offered amount, offer amount, offer size, size of offer, size of the offer, "
        "amount of the offer, amount to responder"
    ),
    "units_to_proposer": "demand, amount demanded, demanded amount, demand size, amount kept, amount to proposer",
    "share_to_responder": ("share offered, offered share, share of offer, proportion offered, offered proportion"),
    "first_offer": "opening offer",
    "first_amount": "first offer amount, first offer units, first offer size, amount of first offer",
    "least_acceptable": (
        "MAO, least acceptable offer, least acceptable amount, minimum acceptable offer, minimal acceptable offer, "
        "min acceptable offer, minimum acceptable amount, smallest acceptable offer, lowest acceptable offer, "
        "acceptance threshold"
    ),
    "agreed": "agreement, agreement rate, deal, deal rate",
    "joint_value": (
        "joint points, joint gain, joint gains, joint utility, joint score, joint payoff, joint payoffs, "
        "joint outcome, joint profit"
    ),
    "points": "payoff, payoffs, score, scores, earnings, individual points, individual payoff, individual outcome",
    "duration_s": "duration, duration in seconds",
    "rounds": "number of rounds",
    "offers": "number of offers, offer count",
    "walked_away": "walk away, walk away rate",
    "price": "agreed price, final price, deal price, settlement price",
    "first_price": "price of first offer, first offer price, opening price",
}
# Words that may mean something else too: what they may mean is proposed and never taken.
PROPOSED = {
    "units_to_responder": "amount, offer value, proposal, amount sent",
    "units_to_proposer": "request, claim, ask, keep, kept",
    "share_to_responder": "percent offered, share of pie",
    "first_offer": "opening, first bid, anchor",
    "agreed": "acceptance, acceptance rate, accepted, impasse",
    "joint_value": "welfare, social welfare, surplus",
    "points": "utility, profit",
    "duration_s": "time, seconds, time to agreement, length",
    "rounds": "turns",
}


def plain_letters(text: str) -> str:
    """Return a name as names are compared: letters and digits, in lower case.

    Examples
    --------
    >>> plain_letters("Units to-Responder")
    'unitstoresponder'
    """
    return re.sub(r"[\W_]+", "", text.lower())


def _read_phrases(phrases: dict[str, str]) -> dict[str, str]:
    return {phrase: name for name, listed in phrases.items() for phrase in listed.split(", ")}


_ALIAS_PHRASES = _read_phrases(ALIASES)
_PHRASES = _ALIAS_PHRASES | _read_phrases(PROPOSED)
_NAME_BY_ALIAS = {plain_letters(phrase): name for phrase, name in _ALIAS_PHRASES.items()}
_NAME_BY_LETTERS = {plain_letters(phrase): name for phrase, name in _PHRASES.items()}


def name_of(typed: str, names: Iterable[str]) -> str:
    """Return the name that is meant by what was typed, where it is one of `names` or an alias; else what was typed.

    Examples
    --------
    >>> name_of("MAO", ["points"]), name_of("Joint Value", ["joint_value"]), name_of("size", ["points"])
    ('least_acceptable', 'joint_value', 'size')
    """
    names = list(names)
    if typed in names or "." in typed:
        return typed
    letters = plain_letters(typed)
    by_letters = {plain_letters(name): name for name in names}
    return by_letters.get(letters) or _NAME_BY_ALIAS.get(letters, typed)


def letters_of(name: str) -> list[str]:
    """Return the letters of a measure's name, and of its other names.

    Examples
    --------
    >>> letters_of("units_to_proposer")[:2]
    ['unitstoproposer', 'demand']
    """
    return [plain_letters(name), *(letters for letters, measure_name in _NAME_BY_ALIAS.items() if measure_name == name)]


def suggestion(typed: str, names: Iterable[str], able: Container[str] | None = None) -> str:
    """Return what may be meant by a name that is none of `names`: by what people say, else by its letters.

    Parameters
    ----------
    typed
        What was typed.
    names
        The names that there are.
    able
        Those that can be computed, of which alone there is talk where one is near; None if that is not known.

    Examples
    --------
    >>> suggestion("accept", ["agreed"], able=["agreed"])
    "did you mean 'agreed'?"
    >>> suggestion("anchor", ["points"]), suggestion("smallest acceptable", ["points"])
    ("did you mean 'first_offer'?", "did you mean 'least_acceptable'?")
    >>> suggestion("xyzzy", ["points"]).partition("; ")[2]
    "a number of the logs is called by table and column, as 'games.xyzzy'"
    """
    names = list(names)
    name = _NAME_BY_LETTERS.get(plain_letters(typed))
    # An alias is typed with blanks or without: it is as near as the nearer of both spellings.
    spellings = {name.lower(): name for name in names} | {
        spelled: name
        for phrase, name in _PHRASES.items()
        for spelled in (phrase.lower(), phrase.lower().replace(" ", "_"))
    }
    close = [spellings[spelling] for spelling in nearest_names(typed, spellings)] if name is None else [name]
    if able is not None:
        close = [name for name in close if name in able] or close
    if close:
        return f"did you mean {' or '.join(map(shown, dict.fromkeys(close)))}?"
    return f"{meant(typed, names)}; a number of the logs is called by table and column, as {shown('games.' + typed)}"
