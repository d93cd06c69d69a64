"""Which test holds which printed definition."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., None])

# The definitions that are quoted, by the id of the ledger's row: the words, and the test.
QUOTED: dict[str, tuple[str, str]] = {}


def quotes(name: str, text: str) -> Callable[[Test], Test]:
    """Mark a test as the one that holds a definition, in the ledger's words."""

    def mark(test: Test) -> Test:
        QUOTED[name] = (text, test.__name__)
        return test

    return mark
