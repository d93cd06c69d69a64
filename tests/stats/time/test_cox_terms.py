"""A term that others contain is tested at the mean of numbers and over all levels, whichever level comes first."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from negstats.stats.time.cox import cox

N = 300
FORMULAS = {"g * h": ["g", "h", "g:h"], "g * x": ["g", "x", "g:x"], "g * h * x": ["g", "h", "x", "g:h", "g:x", "h:x"]}


def drawn() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"g": rng.choice(list("abc"), N), "h": rng.choice(list("uv"), N), "x": rng.normal(5, 1, N)})
    rate = np.exp(0.4 * (frame["g"] == "b") + 0.5 * ((frame["g"] == "c") & (frame["h"] == "v")) + 0.2 * frame["x"])
    frame["time"] = rng.exponential(1 / rate)
    frame["ended"] = np.where(rng.random(N) < 0.8, "deal", "cut")
    frame["who"] = np.arange(N) // 4
    return frame


@pytest.mark.slow(keep=3)
@pytest.mark.parametrize("cluster", [None, "who"])
@pytest.mark.parametrize(("formula", "terms"), FORMULAS.items(), ids=FORMULAS)
def test_the_first_level_does_not_matter(formula: str, terms: list[str], cluster: str | None) -> None:
    frame = drawn()
    other = frame.assign(g=frame["g"].map({"a": "z", "b": "b", "c": "a"}), h=frame["h"].map({"u": "v", "v": "u"}))
    one, two = (cox(data, formula, "time", "ended", "deal", "cut", cluster=cluster) for data in (frame, other))
    for term in terms:
        assert two.test(term).statistic == pytest.approx(one.test(term).statistic, rel=1e-6)


def test_effects_over_levels_by_hand() -> None:
    """With columns that sum to zero, written by hand, the coefficients of g are its effects over both levels of h."""
    frame = drawn()
    for level in "bc":
        frame[f"g{level}"] = (frame["g"] == level).astype(float) - (frame["g"] == "a")
    frame["hv"] = np.where(frame["h"] == "v", 1.0, -1.0)
    for level in "bc":
        frame[f"g{level}h"] = frame[f"g{level}"] * frame["hv"]
    coded = cox(frame, "gb + gc + hv + gbh + gch", "time", "ended", "deal", "cut")
    model = cox(frame, "g * h", "time", "ended", "deal", "cut")
    for term, columns in {"g": ["gb", "gc"], "h": ["hv"], "g:h": ["gbh", "gch"]}.items():
        assert model.test(term).statistic == pytest.approx(coded.test(columns).statistic, rel=1e-6)


def test_named_coefficients_are_those_that_are_printed() -> None:
    model = cox(drawn(), "g * h", "time", "ended", "deal", "cut")
    place = list(model.names).index("h[v]")
    z = model.estimate[place] / model.se[place]
    assert model.test(["h[v]"]).statistic == pytest.approx(z**2, rel=1e-9)
    assert model.test("h").statistic != pytest.approx(z**2, rel=1e-3)
