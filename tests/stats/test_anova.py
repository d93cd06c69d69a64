"""Factorial analysis of variance against R, print and its own algebra."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from negstats.stats.anova import anova

REFERENCE = json.loads((Path(__file__).parent.parent / "reference" / "anova.json").read_text())
DESIGNS = {design["name"]: design for design in REFERENCE["designs"]}

EXACT = 1e-8


def factors_of(design: dict[str, Any]) -> list[str]:
    return [design["factors"]] if isinstance(design["factors"], str) else design["factors"]


@pytest.mark.parametrize("kind", [1, 2, 3])
@pytest.mark.parametrize("name", DESIGNS)
def test_agrees_with_car(name: str, kind: int) -> None:
    design = DESIGNS[name]
    expected = design["types"][kind - 1]
    frame = pd.DataFrame(design["rows"])
    result = anova(frame, "y", factors_of(design), type=kind)
    assert list(result.terms) == list(np.atleast_1d(expected["terms"]))
    for field in ("ss", "df", "f", "p", "ss_error", "df_error"):
        assert_allclose(getattr(result, field), expected[field], rtol=EXACT, err_msg=field)
    for field in ("partial_eta_squared", "eta_squared", "omega_squared", "partial_omega_squared"):
        if field in expected:
            assert_allclose(result.to_frame()[field][:-1], expected[field], rtol=EXACT, err_msg=field)
    for level in (90, 95):
        ends = [result.partial_eta_squared(term, level / 100) for term in result.terms]
        assert_allclose([end.low for end in ends], expected[f"low_{level}"], rtol=1e-7, atol=1e-9)
        assert_allclose([end.high for end in ends], expected[f"high_{level}"], rtol=1e-7, atol=1e-9)
