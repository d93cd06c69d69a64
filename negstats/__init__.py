"""negstats: the statistics of negotiation studies, from session logs to tidy tables, measures, tests and figures.

>>> import negstats
>>> study = negstats.load("datasets/sample")
>>> len(study.games)
36

The names below are imported on first use, so that ``import negstats`` costs next to nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

__version__ = "0.1.0"

# The public names and the module that each comes from.
_PUBLIC = {
    "DesignError": "errors",
    "LogError": "errors",
    "NegstatsError": "errors",
    "NotEstimable": "errors",
    "SchemaError": "errors",
    "Study": "studies",
    "UsageError": "errors",
    "load": "loaders",
    "load_to": "loaders",
    "open_study": "studies",
}
_MODULES = (
    "analysis",
    "audit",
    "datasets",
    "errors",
    "estimate",
    "games",
    "studies",
    "loaders",
    "metrics",
    "papers",
    "plots",
    "report",
    "simulate",
    "stats",
    "studies",
    "tables",
)

__all__ = [
    "DesignError",
    "LogError",
    "NegstatsError",
    "NotEstimable",
    "SchemaError",
    "Study",
    "UsageError",
    "__version__",
    "citation",
    "load",
    "load_to",
    "open_study",
]

if TYPE_CHECKING:
    from negstats.errors import DesignError, LogError, NegstatsError, NotEstimable, SchemaError, UsageError
    from negstats.loaders import load, load_to
    from negstats.studies import open_study
    from negstats.studies.study import Study

# What `citation` prints; CITATION.cff says the same for machines.
_ENTRY = """@software{{negstats,
  author = {{{{The negstats developers}}}},
  title = {{negstats: the statistics of negotiation studies}},
  version = {{{version}}},
  year = {{2026}},
  license = {{BSD-3-Clause}},
}}"""


def citation() -> str:
    """Return the BibTeX entry of this version, for the bibliography of a paper.

    Returns
    -------
    str
        An entry of the type ``@software`` with author, title, version, year and licence.

    Examples
    --------
    >>> import negstats
    >>> print(negstats.citation().splitlines()[0])
    @software{negstats,
    """
    return _ENTRY.format(version=__version__)


def __getattr__(name: str) -> object:
    if name in _PUBLIC:
        value: object = getattr(importlib.import_module(f"negstats.{_PUBLIC[name]}"), name)
    elif name in _MODULES:
        value = importlib.import_module(f"negstats.{name}")
    else:
        raise AttributeError(f"module 'negstats' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
