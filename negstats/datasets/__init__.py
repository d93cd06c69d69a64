"""Real studies: two that ship with the package, and the public ones that can be downloaded (`remote`).

>>> from negstats import datasets
>>> len(datasets.robot().games), len(datasets.casino().games)
(198, 1030)

The folders stand in ``datasets/`` of the source tree, each with a card, the data's own licence and the script that made
it; a wheel carries them inside the package, as ``negstats/_datasets``.
"""

from __future__ import annotations

from pathlib import Path

from negstats.errors import UsageError, meant, shown
from negstats.studies import open_study
from negstats.studies.study import Study

__all__ = ["SHIPPED", "casino", "folder", "robot"]

# name: what it is, and its licence
SHIPPED = {
    "robot": ("66 people negotiate with a robot in two conditions (Solver-CL)", "MIT"),
    "casino": ("1,030 dialogues of pairs who divide food, water and firewood (CaSiNo)", "CC BY 4.0"),
}


def robot() -> Study:
    """Return the Solver-CL study: 66 people who negotiate with a robot, once to learn and once in each condition.

    Data card
        198 games: a demo, then the conditions CL and FC in either order. Source: the repository
        monurkeskin/Solver-CL-Agent at commit 3aa513a, MIT licence, Copyright (c) 2025 Authors. Read by
        `negstats.loaders.solver_cl` and de-identified by `Study.deidentify`; nothing else was changed.

    Returns
    -------
    Study
        The study with its tables.

    Raises
    ------
    LogError
        If the files are damaged.

    Examples
    --------
    >>> from negstats.analysis import compare
    >>> compare(robot(), "points", by="condition", who="agent").result.apa()
    't(65) = 2.46, p = .017, d_z = 0.30, 95% CI [0.05, 0.55]'
    """
    return open_study(folder("robot") / "study")


def casino() -> Study:
    """Return CaSiNo: pairs who plan a camping trip in a chat and divide food, water and firewood.

    Data card
        1,030 dialogues with offers, messages, annotated strategies and answers to a survey. Source: K. Chawla,
        J. Ramirez, R. Clever, G. Lucas, J. May, J. Gratch: CaSiNo: A Corpus of Campsite Negotiation Dialogues for
        Automatic Negotiation Systems, NAACL 2021; github.com/kushalchawla/CaSiNo at commit 2f6ed4a, licence
        CC BY 4.0. Changed: read by `negstats.loaders.casino` into tables, de-identified by `Study.deidentify`
        (pseudonyms; ethnicity and the written reasons for priorities dropped).

    Returns
    -------
    Study
        The study with its tables.

    Raises
    ------
    LogError
        If the files are damaged.

    Examples
    --------
    >>> round(float(casino().players["points"].mean()), 2)
    18.64
    """
    return open_study(folder("casino") / "study")


def folder(name: str) -> Path:
    """Return the folder of a study that ships with the package.

    Parameters
    ----------
    name
        Name of the study.

    Returns
    -------
    Path
        The path of an existing folder.

    Raises
    ------
    UsageError
        If none is called so, or it is neither in the installed package nor in the source tree.
    """
    if name not in SHIPPED:
        raise UsageError(f"no study that ships with negstats is called {shown(name)}; {meant(name, SHIPPED)}")
    package = Path(__file__).resolve().parents[1]
    for place in (package / "_datasets" / name, package.parent / "datasets" / name):
        if place.is_dir():
            return place
    raise UsageError(f"{place}: the study is not there; install negstats from its wheel or source")
