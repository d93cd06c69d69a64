"""A table of printed means and SDs through GRIM and GRIMMER, a row each."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from negstats.audit.grim import grade_mean
from negstats.errors import DesignError, LogError, one_line

BINARY = "0/1"  # in the column items: answers of 0 and 1
NEEDED, OPTIONAL = ("mean", "n"), ("sd", "items", "name")


def check_means(path: str | Path) -> pd.DataFrame:
    r"""Say of each printed mean (and SD) of whole numbers whether n people can have it.

    Parameters
    ----------
    path
        A CSV file with the columns ``mean`` and ``n``, and if there are any ``sd``, ``items`` (averaged for each
        person; ``0/1`` of answers of 0 and 1) and ``name``. Numbers are read as they are
        printed: 3.80 has two decimals.

    Returns
    -------
    DataFrame
        The columns that were given, then ``possible`` (yes, no, or why it is not known) and ``nearest``, the nearest
        means that are possible.

    Raises
    ------
    LogError
        If the file is no such table; the message names the row and the value.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder) / "table.csv"
    ...     _ = table.write_text("mean,sd,n\n3.45,,10\n3.44,2.47,18\n3.44,2.48,18\n")
    ...     check_means(table)["possible"].tolist()
    ['no: the mean', 'no: the SD', 'yes']
    """
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, skipinitialspace=True)
    except (OSError, ValueError) as error:
        raise LogError(f"cannot be read as a CSV table: {one_line(error)}", file=path) from None
    missing = [name for name in NEEDED if name not in frame]
    if missing:
        has = ", ".join(map(str, frame.columns))
        raise LogError(f"has no column {' and '.join(missing)}; its columns are {has}", file=path)
    frame = frame[[name for name in ("name", "mean", "sd", "n", "items") if name in frame]]
    judged = [
        _judged({str(name): str(value) for name, value in row.items()}, place, path)
        for place, row in enumerate(frame.to_dict("records"), start=2)
    ]
    judged_means = frame.assign(
        possible=[one for one, _ in judged], nearest=[nearest_means for _, nearest_means in judged]
    )
    judged_means.attrs["schema"] = "Means/1"
    return judged_means


def _judged(row: dict[str, str], place: int, path: str | Path) -> tuple[str, str]:
    sizes = {}
    binary = row.get("items", "").strip() == BINARY
    row = {**row, "items": ""} if binary else row
    for name in ("n", "items"):
        size_text = row.get(name, "").strip() or ("1" if name == "items" else "")
        if not (size_text.isascii() and size_text.isdecimal() and len(size_text) < 10 and int(size_text)):
            raise LogError(f"row {place}, column {name}: {size_text!r} is not a whole number from 1 on", file=path)
        sizes[name] = int(size_text)
    mean, sd = row["mean"].strip(), row.get("sd", "").strip()
    try:
        possible = grade_mean(mean, sd or None, sizes["n"], sizes["items"], binary=binary)
    except DesignError as error:
        raise LogError(f"row {place}: {one_line(error)}", file=path) from None
    decimals = len(mean.partition(".")[2]) + 2
    nearest = " or ".join(dict.fromkeys(f"{value:.{decimals}f}" for value in possible.nearest))
    if not possible.known:
        return "not known: the search stopped at its limit", nearest
    return (f"no: the {possible.fault}" if possible.fault else "yes"), nearest
