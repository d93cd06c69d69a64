"""Write the pages of the reference: every public name in one part of one page, as `groups.toml` groups them."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from pprint import pformat
from types import GenericAlias, ModuleType
from typing import Any

GROUPS = Path(__file__).with_name("groups.toml")

LONG = 400  # signs of a constant that is shown whole
MOST = 12  # lines of it
KEPT = r"(``.+?``|\*\*.+?\*\*|(?<![\w*])\*[^*\s](?:[^*]*[^*\s])?\*(?![\w*]))"  # literals, bold and emphasis

# The packages whose public names the reference holds; a package with a folder a game lists them all.
PACKAGES = (
    *("negstats", "negstats.stats", "negstats.stats.effects", "negstats.stats.equivalence", "negstats.stats.power"),
    *("negstats.metrics", "negstats.metrics.favors", "negstats.analysis", "negstats.analysis.plan"),
    *("negstats.loaders", "negstats.loaders.mapping", "negstats.datasets", "negstats.audit", "negstats.papers"),
    "negstats.coding",
    *("negstats.plots", "negstats.report", "negstats.estimate", "negstats.games", "negstats.simulate"),
    *(f"negstats.games.{game}" for game in ("contract", "favors", "dominance", "dealornodeal", "rulesheet")),
    "negstats.games.normal_form",
    *(f"negstats.simulate.{game}" for game in ("contract", "favors", "dominance", "dealornodeal", "rulesheet")),
)


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a page: its title and the names in it, each with the module that it is asked from."""

    page: str
    title: str
    names: tuple[tuple[str, str], ...]
    modules: tuple[str, ...] = ()


def public(module: str) -> dict[str, object]:
    """Return the public names of a module and what they are, packages among them left out."""
    found = importlib.import_module(module)
    named = {name: getattr(found, name) for name in getattr(found, "__all__", ())}
    return {name: what for name, what in named.items() if not isinstance(what, ModuleType)}


def described(module: str, name: str) -> object:
    """Return what tells one public thing from another: the object, or for a constant its place."""
    what = getattr(importlib.import_module(module), name)
    is_thing = isinstance(what, type) and not isinstance(what, GenericAlias)
    return what if is_thing or inspect.isfunction(what) else (module, name)


def parts() -> Iterator[Part]:
    """Return the parts in their order; a name that an earlier part has is not taken again with a whole module."""
    seen: set[int] = set()
    for page in _groups():
        for part in page["part"]:
            names = [(module, name) for line in part.get("names", []) for module, name in _listed(line)]
            seen |= _identities(names)
            if "module" in part:
                whole = [(part["module"], name) for name in public(part["module"])]
                new = [one for one in whole if not _identities([one]) & seen]
                new.sort(key=lambda one: isinstance(described(*one), type))  # functions before what they return
                seen |= _identities(new)
                names = [*new, *names]
            yield Part(page["name"], part["title"], tuple(names), tuple(part.get("modules", ())))


def _identities(names: Iterable[tuple[str, str]]) -> set[int]:
    """Return what classes and functions are known by; a constant of another module is always another one."""
    return {id(what) for what in (described(*one) for one in names) if not isinstance(what, tuple)}


@cache
def _places() -> dict[int, str]:
    things = [(described(*name), ".".join(name)) for part in parts() for name in part.names]
    return {id(what): place for what, place in things if not isinstance(what, tuple)}


def where(name: str) -> str | None:
    """Return where the reference has what is called so in another module: ``negstats.studies.opening.open_study``."""
    module, _, last = name.rpartition(".")
    if not module.startswith("negstats"):
        return None
    try:
        return _places().get(id(getattr(importlib.import_module(module), last)))
    except (ImportError, AttributeError):
        return None


def there(name: str) -> bool:
    """Whether the package has a module of that name, or a name in a module, that the reference does not hold."""
    module, _, last = name.rpartition(".")
    if not name.startswith("negstats."):
        return False
    try:
        return importlib.util.find_spec(name) is not None or hasattr(importlib.import_module(module), last)
    except ModuleNotFoundError:
        return hasattr(importlib.import_module(module), last) if importlib.util.find_spec(module) else False


def _groups() -> list[dict[str, Any]]:
    pages: list[dict[str, Any]] = tomllib.loads(GROUPS.read_text(encoding="utf-8"))["page"]
    return pages


def _listed(line: str) -> Iterator[tuple[str, str]]:
    module, _, names = line.partition(": ")
    yield from ((module, name) for name in names.split())


def pages() -> dict[str, str]:
    """Return the pages by name, in reStructuredText; ``index`` lists them."""
    by_page: dict[str, list[Part]] = {}
    for part in parts():
        by_page.setdefault(part.page, []).append(part)
    texts = {"index": _index()}
    for page in _groups():
        texts[page["name"]] = _page(page, by_page[page["name"]])
        for part in by_page[page["name"]]:
            texts[f"{page['name']}/{_slug(part.title)}"] = _part(part)
    return texts


def _slug(title: str) -> str:
    return "-".join("".join(sign if sign.isalnum() else " " for sign in title.lower()).split())


def _heading(title: str, line: str = "=") -> str:
    return f"{title}\n{line * max(len(title), 3)}\n\n"


def _index() -> str:
    lines = [*(f"   {page['name']}" for page in _groups()), "   taken"]
    text = (
        _heading("Reference") + "Every public name, with what it takes, gives and raises, and an example that runs. "
        ":doc:`Which of this is stable </stability>`.\n\n"
    )
    text += "".join(f":doc:`{page['title']} <{page['name']}>`\n   {page['says']}\n\n" for page in _groups())
    return text + ".. toctree::\n   :hidden:\n\n" + "\n".join(lines) + "\n"


def _page(page: dict[str, Any], held: list[Part]) -> str:
    text = _heading(page["title"]) + f"{page['says']}\n\n"
    text += (
        ".. toctree::\n   :hidden:\n\n" + "".join(f"   {page['name']}/{_slug(part.title)}\n" for part in held) + "\n"
    )
    for part in held:
        text += _heading(part.title, "-") + _table(part)
    return text


def _table(part: Part) -> str:
    rows = ".. list-table::\n   :widths: 30 70\n\n"
    for module, name in part.names:
        rows += f"   * - :py:obj:`{name} <{module}.{name}>`\n     - {_first_line(module, name)}\n"
    for module in part.modules:
        said = (importlib.import_module(module).__doc__ or "").strip().split("\n\n")[0].replace("\n", " ")
        rows += f"   * - :py:mod:`{module.removeprefix('negstats.')} <{module}>`\n     - {escaped(said)}\n"
    return rows + "\n"


def escaped(text: str) -> str:
    """Return a line of a docstring with its lone stars and bars kept as they are: ``(*stack, cells)``, ``|t|``.

    They are read as they stand in a terminal; in reStructuredText they would begin emphasis and substitutions.
    """
    parts = re.split(KEPT, text, flags=re.DOTALL)
    parts[::2] = [
        re.sub(r"(?<![\\\w*])(\*|\|)(?=\S)|(?<=\S)(\|)", lambda sign: "\\" + sign[0], one) for one in parts[::2]
    ]
    return "".join(parts)


def escaped_lines(lines: Sequence[str]) -> list[str]:
    r"""Return a docstring's lines `escaped` a paragraph at a time, but for examples and blocks of code.

    Examples
    --------
    >>> escaped_lines(["of (*stack,", "cells)", "", ">>> f(*a)", "|x|"])
    ['of (\\*stack,', 'cells)', '', '>>> f(*a)', '|x|']
    """
    done: list[str] = []
    code = False
    for blank, group in groupby(lines, key=lambda line: not line.strip()):
        part = list(group)
        kept = blank or part[0].lstrip().startswith(">>>") or (code and part[0].startswith(" "))
        done += part if kept else escaped("\n".join(part)).split("\n")
        code = code if blank else part[-1].endswith("::") or (code and kept)
    return done


def _first_line(module: str, name: str) -> str:
    what = described(module, name)
    if isinstance(what, tuple):
        return "A constant."
    return escaped((inspect.getdoc(what) or "").split("\n\n")[0].replace("\n", " "))


def _part(part: Part) -> str:
    text = _heading(part.title)
    for module, name in part.names:
        what = described(module, name)
        if isinstance(what, tuple):
            text += f".. py:data:: {module}.{name}\n\n{_value(module, name)}\n"
        else:
            text += f".. autoclass:: {module}.{name}\n   :members:\n\n" if inspect.isclass(what) else ""
            text += f".. autofunction:: {module}.{name}\n\n" if inspect.isfunction(what) else ""
    for module in part.modules:
        text += _heading(module.removeprefix("negstats."), "-") + f".. automodule:: {module}\n   :no-members:\n\n"
    return text


def _value(module: str, name: str) -> str:
    """Return a constant's value as a block of code, or its first lines where it is long."""
    value = getattr(importlib.import_module(module), name)
    if isinstance(value, dict) and len(repr(value)) > LONG:
        value = list(value)
    lines = pformat(value, width=100, compact=True).splitlines()
    shown = [*lines[:MOST], "..."] if len(lines) > MOST else lines
    return "   .. code-block:: text\n\n" + "".join(f"      {line}\n" for line in shown)
