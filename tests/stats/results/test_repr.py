"""What a result looks like where it is the last line of a cell: a sentence and a small table, never an array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from negstats import stats

SAMPLES = {"fair": [5, 7, 6, 9, 8], "selfish": [3, 5, 4, 4, 6], "envious": [4, 4, 5, 6, 3]}
TWO = {level: SAMPLES[level] for level in ("fair", "selfish")}
STACK = {"a": np.arange(600.0).reshape(60, 10) % 7, "b": np.arange(600.0).reshape(60, 10) % 5}
RESULTS: dict[str, Callable[[], Any]] = {
    "t": lambda: stats.t_test(TWO),
    "anova": lambda: stats.anova(SAMPLES),
    "contrasts": lambda: stats.pairwise(SAMPLES, specs="group"),
    "ranks": lambda: stats.mann_whitney(TWO),
    "friedman": lambda: stats.friedman(SAMPLES),
    "counts": lambda: stats.chi_squared([[5, 91], [19, 78]]),
    "models": lambda: stats.all_models([[[48, 28], [29, 20]], [[114, 10], [7, 14]]]),
    "permutation": lambda: stats.permutation_test(TWO, rng=np.random.default_rng(1)),
    "stack": lambda: stats.t_test(STACK),
}


@pytest.mark.slow(keep=5)
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself_in_a_few_lines(name: str) -> None:
    shown = repr(RESULTS[name]())
    assert "array(" not in shown
    assert len(shown.splitlines()) <= 12
    ending = "a stack of studies" if name == "stack" else RESULTS[name]().apa()
    assert ending in shown
