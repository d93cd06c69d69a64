"""A date and time as programs write them: the ISO order, whether or not each number has its leading zero."""

from __future__ import annotations

import re
from datetime import UTC, datetime

# The year first, so that day and month cannot be exchanged; minutes and seconds have two digits in every program.
_YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?P<sign>[-/])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})"
    r"(?:(?:[Tt]|\s+)(?P<hour>\d{1,2})(?P<rest>:\d\d(?::\d\d(?:[.,]\d+)?)?)\s*(?P<zone>Z|z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?)?"
)


def read_moment(text: str) -> datetime:
    """Return the moment that a text names, in UTC; a text without a zone is taken for UTC.

    Parameters
    ----------
    text
        A time in any of the forms of ISO 8601, or with the year first, the parts of the date divided by ``-`` or ``/``,
        a ``T`` or blanks before the hour, and one digit for a month, a day or an hour below ten.

    Raises
    ------
    ValueError
        If it is no such time, as where the day or the month may come first (7/8/2025).

    Examples
    --------
    >>> read_moment("2025-07-30 1:15:40").isoformat()
    '2025-07-30T01:15:40+00:00'
    >>> read_moment("2025/7/3 11:05:00.25 +02:00").isoformat()
    '2025-07-03T09:05:00.250000+00:00'
    """
    if parts := _YEAR_FIRST.fullmatch(text):
        text = f"{parts['year']}-{parts['month']:0>2}-{parts['day']:0>2}"
        if parts["hour"]:
            zone = parts["zone"] or ""
            is_offset = zone[:1] in ("+", "-")
            text += f"T{parts['hour']:0>2}{parts['rest']}{zone if is_offset or not zone else 'Z'}"
    time = datetime.fromisoformat(text)
    if time.tzinfo is None:
        return time.replace(tzinfo=UTC)
    try:
        return time.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text} is before the year 1 or after 9999 in UTC") from None
