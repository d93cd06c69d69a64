"""A product written in the formula, of numbers far from zero: what does not depend on the origin does not change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from negstats import stats

N = 120
FORMULAS = {"y ~ x*z": ["x:z"], "y ~ x*z*w": ["x:z:w"], "y ~ g*x": ["g[b]:x"], "y ~ g*x*z": ["g[b]:x:z"]}
SHIFTS = [1e6, 1e9, -(2.0**31)]


def drawn() -> pd.DataFrame:
    """Return numbers of few binary digits, so that shifting them by 1e9 loses none."""
    rng = np.random.default_rng(12)
    frame = pd.DataFrame({name: np.round(rng.normal(size=N) * 64) / 64 for name in "xzw"})
    frame["g"], frame["c"] = rng.choice(["a", "b"], N), np.arange(N) // 6
    frame["y"] = frame["x"] * frame["z"] + 0.5 * frame["x"] + rng.normal(size=N) + (frame["g"] == "b")
    return frame


def invariant(frame: pd.DataFrame, formula: str, terms: list[str], errors: Any) -> list[float]:
    """Return what measuring x, z and w from elsewhere cannot change."""
    model = stats.regression(frame, formula, errors=errors, cluster="c" if errors == "CR2" else None)
    [place] = [model.names.index(name) for name in terms]
    test = model.test(terms)
    values: list[Any] = [model.r_squared, model.rss, model.estimate[place], model.se[place], model.p[place]]
    values += [test.statistic, test.df2, test.p]
    if errors == "ordinary":
        whole = model.test()
        values += [whole.statistic, whole.p]
    return [float(np.asarray(one)) for one in values]


@pytest.mark.slow(keep=12)
@pytest.mark.parametrize("errors", ["ordinary", "HC3", "CR2"])
@pytest.mark.parametrize("shift", SHIFTS)
@pytest.mark.parametrize(("formula", "terms"), FORMULAS.items(), ids=FORMULAS)
def test_the_origin_changes_no_test_of_a_product(formula: str, terms: list[str], shift: float, errors: str) -> None:
    frame = drawn()
    moved = frame.assign(x=frame["x"] + shift, z=frame["z"] - shift / 2, w=frame["w"] + shift)
    assert invariant(moved, formula, terms, errors) == pytest.approx(invariant(frame, formula, terms, errors), rel=1e-8)


@pytest.mark.parametrize("formula", [*FORMULAS, "y ~ x*z + np.log(w + 9)", "y ~ x + x:z + z"])
def test_coefficients_are_those_of_the_numbers_as_given(formula: str) -> None:
    """Near zero plain least squares on formulaic's own columns is exact enough to be the witness."""
    from formulaic import Formula

    frame = drawn()
    model = stats.regression(frame, formula)
    _, x = Formula(formula).get_model_matrix(frame)
    assert list(model.names) == [name.replace("[T.", "[") for name in x.columns]
    columns = x.to_numpy(dtype=float)
    b, _, _, _ = np.linalg.lstsq(columns, frame["y"].to_numpy(), rcond=None)
    rest = frame["y"].to_numpy() - columns @ b
    v = np.linalg.inv(columns.T @ columns) * (rest @ rest) / (N - columns.shape[1])
    sd = columns[:, 1:].std(axis=0, ddof=1)
    np.testing.assert_allclose(model.estimate, b, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(model.covariance, v, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.beta[1:], b[1:] * sd / frame["y"].std(), rtol=1e-9, atol=1e-11)
    r = np.corrcoef(columns[:, 1:], rowvar=False).reshape(len(b) - 1, -1)
    np.testing.assert_allclose(model.vif[1:], np.diag(np.linalg.inv(r)), rtol=1e-9)


def test_the_same_model_with_measured_numbers() -> None:
    """What is at the mean of x and z is the coefficient where both are measured from there, wherever they lie."""
    frame = drawn()
    far = frame.assign(x=frame["x"] + 1e6, z=frame["z"] + 1e6)
    near = frame.assign(x=frame["x"] - frame["x"].mean(), z=frame["z"] - frame["z"].mean())
    expected = stats.regression(near, "y ~ x*z")
    weights = {"x": 1.0, "x:z": float(far["z"].mean())}
    one = stats.regression(far, "y ~ x*z").contrast(weights)
    place = expected.names.index("x")
    assert float(np.asarray(one.estimate)) == pytest.approx(expected.estimate[place], abs=1e-6)
    assert float(np.asarray(one.se)) == pytest.approx(expected.se[place], rel=1e-4)
