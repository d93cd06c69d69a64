"""Every public function and method of the reference documents its parameters, in their order, and what it returns."""

from __future__ import annotations

import importlib
import inspect
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from numpydoc.validate import validate

from docs.pages import reference

CODES = {"PR01", "PR02", "PR03", "RT01", "RT03", "YD01"}  # types stand in the annotations
YEAR = r"(?:1[89]|20)\d\d\b"
# "Welch (1951)", "Welch, 1951", "Welch, B. L. (1951)", "Welch's (1951)", "Chawla et al. (2023)", keys such as haim2017.
NAMED_SOURCE = re.compile(rf"[A-Z]\w*[a-z.](?:['’]s)?(?: et al\.)?,?\s\(?{YEAR}|\b[a-z]{{3,}}{YEAR}")


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


def find(module: str, name: str) -> Any:
    """Return the function or method of a module by its qualified name."""
    function = importlib.import_module(module)
    for part in name.split("."):
        function = getattr(function, part)
    return function


def lacks_references(docstring: str) -> bool:
    """Whether a docstring names an author with a year, or one of our papers, and has no References section."""
    text = inspect.cleandoc(docstring).split("\nExamples\n---")[0]
    return NAMED_SOURCE.search(text) is not None and "\nReferences\n---" not in text


def faults(module: str, name: str) -> list[str]:
    """Return the faults of a docstring by their codes; a function annotated with None has nothing to return."""
    function = find(module, name)
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


@pytest.mark.parametrize(
    ("docstring", "rule_is_kept"),
    [
        ("Compare means (Welch, 1951).", False),
        ("Compare means, as Welch (1951) does.", False),
        ("Compare means by Welch's (1951) test.", False),
        ("Compare means.\n\nWelch, B. L. (1951). Biometrika, 38.", False),
        ("Compare means (Kenward and\nRoger, 1997).\n\nReferences\n----------\nKenward, M. G. (1997).", True),
        ("Measure as haim2017 does.", False),
        ("Read the data of 2021; `n` is 1000.\n\nExamples\n--------\n>>> table  # Chawla (2023)", True),
    ],
)
def test_a_source_is_known_by_author_and_year(docstring: str, rule_is_kept: bool) -> None:
    assert lacks_references(docstring) is not rule_is_kept


def test_a_function_that_names_its_source_has_references() -> None:
    names = [(module, name) for module in FUNCTIONS for name in FUNCTIONS[module]]
    assert [f"{module}.{name}" for module, name in names if lacks_references(find(module, name).__doc__ or "")] == []
