"""Where the games of a JSON file stand, be it inside other objects, and what the file tells once of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MOST_MEMBERS = 8  # objects under names that may be those of who played one game


def is_list_of_objects(value: object) -> bool:
    """Whether a value of JSON is a list of objects, and not empty."""
    return isinstance(value, list) and len(value) > 0 and all(isinstance(element, dict) for element in value)


def games_inside(content: dict[str, Any]) -> dict[str, Any]:
    """Return the object in which the games of a file stand, be it inside others or beside what is told of all games.

    Nothing but lists and objects stands in it, and what is told around it is told of each. Objects under names are
    games where they hold lists of objects, or are more than play one game; one object is the game that the file tells
    of.

    Examples
    --------
    >>> games_inside({"model": "m", "data": {"hot": [{"offer": 3}], "cold": [{"offer": 5}]}})
    {'hot': [{'model': 'm', 'offer': 3}], 'cold': [{'model': 'm', 'offer': 5}]}
    >>> list(games_inside({"means": {"turns": 2.5}, "games": {"a": {"turns": [{}]}, "b": {"turns": [{}]}}}))
    ['a', 'b']
    >>> list(games_inside({"arm": "hot", "got": {"Ann": {"points": 3}, "Bob": {"points": 5}}}))
    ['arm', 'got']
    """
    settings: dict[str, Any] = {}
    while not any(map(is_list_of_objects, content.values())):
        inside = [value for value in content.values() if isinstance(value, dict) and _holds_games(value)]
        if len(inside) != 1:
            break
        settings |= told_once(content)
        content = inside[0]
    if not settings:
        return content
    if any(isinstance(value, list) for value in content.values()):
        return {key: with_told(rows, settings) for key, rows in content.items()}
    return dict(zip(content, with_told([*content.values()], settings), strict=True))


def _holds_games(content: dict[str, Any]) -> bool:
    """Whether an object holds lists of rows, or objects of games by their names, and nothing beside these."""
    values = list(content.values())
    objects = [value for value in values if isinstance(value, dict)]
    if values and all(map(is_list_of_objects, values)):
        return True
    if not objects or len(objects) < len(values):
        return False
    if len(objects) == 1:
        return _holds_games(objects[0])
    has_lists = all(any(map(is_list_of_objects, value.values())) for value in objects)
    are_alike = bool(set.intersection(*map(set, objects)))
    return are_alike and (has_lists or len(objects) > _MOST_MEMBERS)


def told_once(content: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an object tells beside its rows: words, numbers, and objects of these, such as settings of a run."""
    return {key: value for key, value in content.items() if not isinstance(value, list) and _is_plain(value)}


def _is_plain(value: object) -> bool:
    return not isinstance(value, dict) or not any(isinstance(inner, list | dict) for inner in value.values())


def with_told(rows: list[dict[str, Any]], settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return rows, each with what is told of all of them; of a key that is theirs it is called as of the file.

    Examples
    --------
    >>> with_told([{"offer": 3, "id": 1}], {"id": "r7", "model": "m"})
    [{'file.id': 'r7', 'model': 'm', 'offer': 3, 'id': 1}]
    """
    own = {key for row in rows for key in row}
    of_file = {f"file.{key}" if key in own else key: value for key, value in settings.items()}
    return [of_file | row for row in rows] if of_file else rows
