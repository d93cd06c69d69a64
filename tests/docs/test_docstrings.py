"""Every public function of the reference documents its parameters, in their order, and what it returns."""

from __future__ import annotations

import importlib
import inspect
from collections import defaultdict

import pytest
from numpydoc.validate import validate

from docs.pages import reference

CODES = {"PR01", "PR02", "PR03", "RT01", "RT03", "YD01"}  # types stand in the annotations


def functions_by_module() -> dict[str, list[str]]:
    """Return the public functions of the reference by the module that defines them."""
    modules: defaultdict[str, set[str]] = defaultdict(set)
    for part in reference.parts():
        for module, name in part.names:
            function = getattr(importlib.import_module(module), name)
            if inspect.isfunction(function) and function.__module__.startswith("negstats"):
                modules[function.__module__].add(function.__qualname__)
    return {module: sorted(names) for module, names in sorted(modules.items())}


FUNCTIONS = functions_by_module()


def faults(path: str) -> list[str]:
    """Return the faults of a docstring by their codes; a function annotated with None has nothing to return."""
    module, name = path.rsplit(".", 1)
    returned = getattr(importlib.import_module(module), name).__annotations__.get("return")
    codes = CODES - {"RT01"} if returned in {None, "None"} else CODES
    return [f"{path}: {code} {message}" for code, message in validate(path)["errors"] if code in codes]


@pytest.mark.parametrize("module", FUNCTIONS)
def test_parameters_and_returns_are_documented(module: str) -> None:
    assert [fault for name in FUNCTIONS[module] for fault in faults(f"{module}.{name}")] == []
