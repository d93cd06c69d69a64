"""Write the licences of what negstats depends on, as the installed packages declare them."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 60  # signs; a longer entry is the licence itself, not its name

HEAD = """# Licences of dependencies

What negstats declares as dependencies (with its extras), and what each package says of its licence in its own
metadata (the versions are those with which this site was built). negstats itself is BSD-3-Clause. The README says
which conditions hold for a bundle that contains pingouin.

negstats uses glmm (LGPL-3.0-or-later) when it is installed, as a separate library that it imports unchanged. Whoever
passes on a frozen bundle with glmm in it adds both of its licence texts (LGPL and GPL) and leaves it replaceable.

| package | for | version | licence |
|---|---|---|---|
"""


def licence(name: str) -> str:
    """Return the name of a package's licence: the expression, else the classifier, else the field if it is a name.

    Examples
    --------
    >>> licence("pandas").startswith("BSD")
    True
    """
    told = metadata.metadata(name).json
    if told.get("license_expression"):
        return str(told["license_expression"])
    classes = [one.split(" :: ")[-1] for one in told.get("classifier", []) if one.startswith("License ::")]
    if classes:
        return ", ".join(classes)
    field = " ".join(str(told.get("license", "")).split())
    return field if 0 < len(field) <= LONGEST else "see the package"


def page() -> str:
    """Return the page in Markdown."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {"negstats": project["dependencies"], **project["optional-dependencies"]}
    uses: dict[str, list[str]] = {}
    for extra, names in wanted.items():
        for name in names:
            uses.setdefault(re.split(r"[\[>=<;, ]", name)[0], []).append(extra)
    uses.pop("negstats", None)
    rows = []
    for name in sorted(uses, key=str.lower):
        try:
            told = f"{metadata.version(name)} | {licence(name)}"
        except metadata.PackageNotFoundError:
            told = "not installed here | –"
        rows.append(f"| {name} | {', '.join(uses[name])} | {told} |\n")
    return HEAD + "".join(rows)
