"""negstats: the statistics of negotiation studies, from session logs to tidy tables, measures, tests and figures.

>>> import negstats
>>> study = negstats.load("datasets/sample")
>>> len(study.games)
36

The names below are imported on first use, so that ``import negstats`` costs next to nothing.
"""

from __future__ import annotations

import lazy_loader

__version__ = "1.0.0"

__getattr__, _list_names, _ = lazy_loader.attach_stub(__name__, __file__)

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


def __dir__() -> list[str]:
    return sorted({*__all__, *_list_names()})
