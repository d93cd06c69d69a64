"""Every public function and method of the reference documents its parameters, in their order, and what it returns."""

from __future__ import annotations

import importlib
import inspect
from collections import defaultdict
from collections.abc import Iterator

import pytest
from numpydoc.validate import validate

from docs.pages import reference

CODES = {"PR01", "PR02", "PR03", "RT01", "RT03", "YD01"}  # types stand in the annotations


def functions_of(thing: object) -> Iterator[object]:
    """Yield a function itself, or the public methods that a class and its bases in this package define."""
    if inspect.isfunction(thing):
        yield thing
    elif inspect.isclass(thing):
        for base in thing.__mro__:
            for name, attribute in vars(base).items():
                method = attribute.__func__ if isinstance(attribute, classmethod | staticmethod) else attribute
                if inspect.isfunction(method) and not name.startswith("_"):
                    yield method


def functions_by_module() -> dict[str, list[str]]:
    """Return the public functions and methods of the reference by the module that defines them."""
    modules: defaultdict[str, set[str]] = defaultdict(set)
    for part in reference.parts():
        for module, name in part.names:
            for function in functions_of(getattr(importlib.import_module(module), name)):
                if function.__module__.startswith("negstats"):
                    modules[function.__module__].add(function.__qualname__)  # type: ignore[attr-defined]
    return {module: sorted(names) for module, names in sorted(modules.items())}


FUNCTIONS = functions_by_module()


def faults(module: str, name: str) -> list[str]:
    """Return the faults of a docstring by their codes; a function annotated with None has nothing to return."""
    function = importlib.import_module(module)
    for part in name.split("."):
        function = getattr(function, part)
    returned = function.__annotations__.get("return")
    codes = CODES - {"RT01"} if returned in {None, "None"} else CODES
    found = validate(f"{module}.{name}")["errors"]
    return [f"{module}.{name}: {code} {message}" for code, message in found if code in codes]


@pytest.mark.slow
def test_parameters_and_returns_are_documented() -> None:
    names = [(module, name) for module in FUNCTIONS for name in FUNCTIONS[module]]
    assert [fault for module, name in names for fault in faults(module, name)] == []


def test_methods_are_among_them() -> None:
    assert "TTest.confidence_interval" in FUNCTIONS["negstats.stats.means.t_tests"]
    assert "Result.to_frame" in FUNCTIONS["negstats.stats.results.result"]
    assert sum("." in name for names in FUNCTIONS.values() for name in names) > 500
