"""Mixed models of lme4's own data sets against lme4: yes or no, counts and numbers, crossed, nested and with slopes.

The data are under the GPL, so that R exports them as the test runs; what lme4 1.1-31 found is in lme4_data.json. Where
R or lme4 is not there, these tests are skipped; drawn data of the same shapes are held in test_responses.py.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats.stats import mixed
from negstats.stats.models.estimators import RandomEffects
from tests.conftest import reference
from tests.stats.models.data import coded_to_sum

FITS = reference("lme4_data")["fits"]
SCRIPT = Path(__file__).parents[2] / "reference" / "lme4_data.R"
# Columns that are numbers; the others are factors and clusters.
NUMBERS = {"y", "anger", "good", "mark", "reaction", "days", "diameter", "TICKS", "cHEIGHT"}
# Log-likelihoods of the engine as it was chosen; the marks had their factor as 0 and 1, which moves REML's by ln 2.
PRINTED = {
    "verbal_crossed": -4075.699860, "verbal_slope": -4045.297894, "verbal_quadrature": -4180.429559,
    "cbpp_logit": -277.459031480, "cbpp_probit": -278.042954444, "cbpp_cloglog": -277.220857811,
    "lectures": -5424.617445, "ticks": -890.271330, "lectures_marks": -13457.438162 - np.log(2),
    "sleep": -871.814136, "penicillin": -165.430294,
}  # fmt: skip


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder with lme4's data as CSV files."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not there")
    folder = tmp_path_factory.mktemp("lme4")
    call = ["Rscript", str(SCRIPT), str(folder)]
    run = subprocess.run(call, capture_output=True, text=True, check=False)
    if run.returncode:
        pytest.skip("R has no lme4")
    return folder


def rows(folder: Path, name: str) -> pd.DataFrame:
    file = folder / f"{name}.csv"
    columns = pd.read_csv(file, nrows=0).columns
    return pd.read_csv(file, dtype={column: str for column in columns if column not in NUMBERS})


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, one in FITS.items() if one["family"] != "gaussian"])
def test_responses(name: str, exported: Path) -> None:
    expected: dict[str, Any] = FITS[name]
    model = mixed(
        rows(exported, expected["data"]), expected["formula"], family=expected["family"], link=expected["link"],
        nagq=expected["nagq"],
    )  # fmt: skip
    assert model.n == expected["rows"]
    # Both programs stop within a few thousandths of an SE of the maximum; ours may not be the lower one.
    np.testing.assert_array_less(np.abs(model.estimate - expected["beta"]) / expected["se"], 2e-3)
    np.testing.assert_allclose(model.se, expected["se"], rtol=4e-3)
    for term, sds in expected["sds"].items():
        # Slopes of a factor are of each level less the first in both, and the intercept's are of the first level.
        sizes = [sd for effect, sd in model.sds.items() if effect == term or effect.startswith(f"{term}: ")]
        np.testing.assert_allclose(sizes, np.atleast_1d(sds), rtol=4e-4)
    assert model.log_likelihood > expected["loglik"] - 1e-4
    assert model.log_likelihood == pytest.approx(PRINTED[name], abs=2e-6)


@pytest.mark.parametrize("name", ["sleep", "penicillin", pytest.param("lectures_marks", marks=pytest.mark.slow)])
def test_numbers(name: str, exported: Path) -> None:
    expected: dict[str, Any] = FITS[name]
    fixed, _, random = expected["formula"].partition(" + (")
    model = mixed(rows(exported, expected["data"]), fixed, random=f"({random}")
    np.testing.assert_allclose([float(one.estimate) for one in coded_to_sum(model)], expected["beta"], rtol=1e-4)
    assert -model.deviance / 2 == pytest.approx(expected["loglik"], abs=1e-6)
    assert -model.deviance / 2 == pytest.approx(PRINTED[name], abs=2e-6)
    found = model.variances().set_index(["cluster", "effect"])["sd"]
    assert isinstance(model.part, RandomEffects)
    sizes = np.concatenate([np.atleast_1d(expected["sds"][term.name]) for term in model.part.random])
    np.testing.assert_allclose(found.to_numpy()[:-1], sizes, rtol=1e-4)
    assert found.iloc[-1] == pytest.approx(expected["sigma"], rel=1e-4)
