"""A retired name works and warns, and no name stays longer than was promised."""

from __future__ import annotations

import pytest

import negstats
from negstats import deprecation


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")[:2]))


def test_a_retired_function_works_and_says_what_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deprecation, "RETIREMENTS", [])

    @deprecation.deprecated("stats.paired_t", since="1.1", until="1.3")
    def paired(a: int, *, b: int) -> int:
        """Return a sum."""
        return a + b

    words = r"paired is deprecated since negstats 1\.1 .* 1\.3: use stats\.paired_t"
    with pytest.warns(FutureWarning, match=words) as seen:
        assert paired(1, b=2) == 3
    assert seen[0].filename == __file__
    assert paired.__doc__ == "Return a sum."
    assert [retirement.until for retirement in deprecation.RETIREMENTS] == ["1.3"]


def test_no_name_stays_longer_than_promised() -> None:
    overdue = [one.name for one in deprecation.RETIREMENTS if version(one.until) <= version(negstats.__version__)]
    assert overdue == []
    assert all(version(one.since) < version(one.until) for one in deprecation.RETIREMENTS)
