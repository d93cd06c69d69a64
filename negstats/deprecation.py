"""How a public name is retired: it works for at least one more minor version, and a warning names its successor."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import NamedTuple, ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Returned = TypeVar("Returned")


class Retirement(NamedTuple):
    """A retired name: what takes its place, the version that retired it, and the version that removes it."""

    name: str
    instead: str
    since: str
    until: str

    def __str__(self) -> str:
        return (
            f"{self.name} is deprecated since negstats {self.since} and will be removed in {self.until}: "
            f"use {self.instead}"
        )


RETIREMENTS: list[Retirement] = []  # in the order in which their modules are imported


def deprecated(
    instead: str, *, since: str, until: str
) -> Callable[[Callable[Arguments, Returned]], Callable[Arguments, Returned]]:
    """Return a decorator for a function that is retired; each call of it warns.

    Parameters
    ----------
    instead
        What to call instead, as one types it: "stats.t_test".
    since, until
        The version that retires the function, and the version that removes it: a later minor or major one.

    Examples
    --------
    >>> @deprecated("stats.t_test", since="1.1", until="1.3")
    ... def welch(a: float) -> float:
    ...     return a
    >>> with warnings.catch_warnings(record=True, action="always") as caught:
    ...     welch(1.0)
    1.0
    >>> str(caught[0].message).partition(" since")[0]
    'welch is deprecated'
    >>> _ = RETIREMENTS.pop()
    """

    def decorate(function: Callable[Arguments, Returned]) -> Callable[Arguments, Returned]:
        retirement = Retirement(getattr(function, "__qualname__", repr(function)), instead, since, until)
        RETIREMENTS.append(retirement)

        @wraps(function)
        def warned(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Returned:
            warnings.warn(str(retirement), FutureWarning, stacklevel=2)
            return function(*args, **kwargs)

        return warned

    return decorate
