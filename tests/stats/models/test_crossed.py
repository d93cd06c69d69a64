"""Yes or no with crossed and nested random effects against lme4, on data of the shapes of VerbAgg and InstEval.

tests/reference/crossed.R wrote the numbers, each level of a factor against the first; the data are drawn again by
tests/reference/crossed_data.py.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.stats import MixedResponses, mixed
from tests.conftest import ROOT
from tests.reference import crossed_data

LME4 = json.loads((ROOT / "tests" / "reference" / "crossed.json").read_text(encoding="utf-8"))
DATA = {
    "verbal": crossed_data.verbal,
    "verbal_nagq": crossed_data.verbal,
    "lectures": crossed_data.lectures,
    "timing_crossed": crossed_data.timing,
    "timing_nested": crossed_data.timing,
}


def fit(name: str) -> tuple[MixedResponses, dict[str, Any]]:
    frame, theirs = DATA[name](), LME4[name]
    assert len(frame) == theirs["rows"], "the data are those that lme4 was given"
    nagq = 9 if name.endswith("nagq") else None
    return mixed(frame, str(theirs["formula"]), family="binomial", nagq=nagq), theirs


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_coefficients_errors_spreads_and_likelihood_are_those_of_lme4(name: str) -> None:
    ours, theirs = fit(name)
    beta, se = np.array(theirs["beta"]), np.array(theirs["se"])
    assert len(ours.names) == len(beta)
    # Where they differ by a few hundredths of a standard error our likelihood is the higher one.
    assert (np.abs(ours.estimate - beta) / se).max() <= 0.04
    assert ours.se == pytest.approx(se, rel=0.02)  # lme4's are by differences
    if name != "verbal_nagq":
        assert -1e-3 <= ours.log_likelihood - theirs["loglik"] <= 0.05  # lme4 stops a little below the maximum
    else:
        assert ours.log_likelihood == pytest.approx(theirs["loglik"], abs=1e-4)
    for cluster, sd in theirs["sd"].items():
        assert ours.sds[":".join(reversed(cluster.split(":")))] == pytest.approx(sd, abs=3e-3)


def test_the_data_have_the_shapes_of_lme4s() -> None:
    verbal, lectures = crossed_data.verbal(), crossed_data.lectures()
    assert isinstance(verbal, pd.DataFrame)
    assert (len(verbal), verbal["person"].nunique(), verbal["item"].nunique()) == (7584, 316, 24)
    assert lectures["student"].nunique() == 300
    assert 700 <= lectures["lecturer"].nunique() <= 800
