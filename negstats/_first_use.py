"""Names that are imported when they are first used, so that a command pays for what it needs and no more.

A package lists its public names once, as imports below ``if TYPE_CHECKING:``, where editors and type checkers read
them; `on_first_use` reads the same lines.
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType


def on_first_use(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and ``__dir__`` of a package whose names come from below its ``if TYPE_CHECKING:``.

    A public function that is called like a folder beside it wins over the folder, also after that was imported.

    Parameters
    ----------
    package, file
        ``__name__`` and ``__file__`` of the package.

    Examples
    --------
    >>> from negstats import stats
    >>> "t_test" in dir(stats), "means" in dir(stats), callable(stats.contrasts)
    (True, False, True)
    """
    names = _find_targets(Path(file).read_text(encoding="utf-8"))
    module = sys.modules[package]

    def get(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        source, original = names[name]
        if source == package:
            value: object = importlib.import_module(f"{package}.{original}")
        else:
            value = getattr(importlib.import_module(source), original)
        setattr(module, name, value)
        return value

    class Package(ModuleType):
        def __setattr__(self, name: str, value: object) -> None:
            # Importing a folder binds its name here; the function of that name stays what is meant.
            if isinstance(value, ModuleType) and name in names and names[name][0] != package:
                return
            super().__setattr__(name, value)

    module.__class__ = Package
    return get, lambda: sorted(name for name in {*names, *vars(module).get("__all__", ())})


def _find_targets(source: str) -> dict[str, tuple[str, str]]:
    """Return the names that a source imports below ``if TYPE_CHECKING:``, with the module and name each has there."""
    targets: dict[str, tuple[str, str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            for line in node.body:
                if isinstance(line, ast.ImportFrom) and line.module:
                    targets |= {alias.asname or alias.name: (line.module, alias.name) for alias in line.names}
    return targets
