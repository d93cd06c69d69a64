"""Guessing what offers are made of: a column of an issue's name in each row, or columns for each issue and each side.

Sides are told by words (``apple_me`` and ``apple_you``, ``self.apple`` and ``other.apple``) or by the seats' names
(``state.Ann.apple`` and ``state.Ben.apple``, as objects in objects give them).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

# The columns of a log with one row an issue, and the keys of its mapping.
ISSUE = [r"(.*_)?(issue|item|good|resource|commodity|colou?r|chip)(_?(name|id))?"]
PARTS = {
    "item.to_proposer": [r"(.*_)?(to_proposer|keep|kept|mine|me|self|own)", r"(.*_)?(quantity|amount|units?|number)"],
    "item.to_responder": [r"(.*_)?(to_responder|give|given|yours|you|other)"],
    "item.option": [r"(.*_)?(option|level|choice|value)"],
}
# Words for the one who offers and for the other side.
_SIDES = (
    ("me", "you"),
    ("mine", "yours"),
    ("my", "your"),
    ("self", "other"),
    ("own", "other"),
    ("keep", "give"),
    ("proposer", "responder"),
)
_WORTH = {"points", "point", "payoff", "payoffs", "score", "scores", "utility", "value", "batna", "earnings", "reward"}
_SAID = {"satisfaction", "trust", "fairness", "rating", "age", "gender", "id", "name", "text", "message"}
_NO_GOODS = _WORTH | _SAID | {"response", "accepted", "time", "round"}
_LEAST = 2  # issues; one alone may be anything


def side_words() -> set[str]:
    """Return the words that tell the sides of an offer apart."""
    return {word for pair in _SIDES for word in pair}


def paired(columns: dict[str, str], seats: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return for each issue the columns of its quantities, by side or by seat; nothing if none are told apart so.

    Parameters
    ----------
    columns
        The columns of numbers: for each its name in lower case with _ between words.
    seats
        The seats' names, spelled likewise.

    Examples
    --------
    >>> names = ["apple_me", "apple_you", "pear_me", "pear_you"]
    >>> paired({name: name for name in names}, [])["pear"]
    {'proposer': 'pear_me', 'responder': 'pear_you'}
    >>> states = ["bid_ann_apple", "bid_ann_pear", "bid_ben_apple", "bid_ben_pear"]
    >>> paired({name: name for name in states}, ["ann", "ben"])["apple"]
    {'ann': 'bid_ann_apple', 'ben': 'bid_ben_apple'}
    """
    for one, other in _SIDES:
        columns_by_issue = _select_by_words(columns, (one, other))
        if columns_by_issue:
            side_names = {one: "proposer", other: "responder"}
            return {
                issue: {side_names[word]: name for word, name in of.items()} for issue, of in columns_by_issue.items()
            }
    seat_words = list(seats)
    if all(word.isdigit() for word in seat_words):
        return {}  # a number at the end of a name counts many things
    return _select_by_words(columns, seat_words) if len(seat_words) > 1 else {}


def _select_by_words(columns: dict[str, str], words: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the columns that stand there once with each of the words, by what they have in common beside it."""
    stems: dict[tuple[str, ...], dict[str, str]] = defaultdict(dict)
    for name, plain in columns.items():
        parts = plain.split("_")
        for word in words:
            word_parts = word.split("_")
            at = next((at for at in range(len(parts)) if parts[at : at + len(word_parts)] == word_parts), None)
            if at is not None:
                stems[(*parts[:at], *parts[at + len(word_parts) :])][word] = name
    whole = {stem: of for stem, of in stems.items() if len(of) == len(words) and _NO_GOODS.isdisjoint(stem) and stem}
    start = _common(list(whole))
    issues = {"_".join(stem[start:]): of for stem, of in whole.items()}
    return issues if len(issues) >= _LEAST and len(issues) == len(whole) else {}


def _common(stems: list[tuple[str, ...]]) -> int:
    """Return how many words all stems begin with; each keeps one at the least."""
    if not stems:
        return 0
    most = min(map(len, stems)) - 1
    return next((at for at in range(most) if len({stem[at] for stem in stems}) > 1), max(0, most))
