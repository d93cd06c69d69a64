"""Put the notebooks where Sphinx reads them, run from a clean kernel: there is no second copy of what they say.

A notebook that has not changed since it was run, nor the package, is not run again. With
``NEGSTATS_DOCS_NOTEBOOKS=stored`` they are shown as they are stored, without outputs: the tests run them for
themselves. A tutorial that would choose other data where the real ones are missing stops the build.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
STORED = "NEGSTATS_DOCS_NOTEBOOKS"

# The order and the headings of the page of tutorials, with what each notebook shows.
ORDER: dict[str, dict[str, str]] = {
    "From logs to a paper": {
        "your_own_logs": "A CSV file that negstats has never seen becomes a study, and a sentence for the paper.",
        "robot_study": "People negotiate with a robot in two conditions: from their offers to the comparisons.",
        "decisions": "Which offers do people accept, how much do they differ, and what should an agent offer?",
        "plan_to_paper": "A plan is written, registered, given its power and run, and the manuscript is checked.",
        "dyads": "Two people who negotiate with each other are not independent. The same pairs, analysed in four ways.",
    },
    "Papers, checked by their printed numbers": {
        "haim2017": "Agents that play an equilibrium against people: which printed numbers agree with each other?",
        "mell2015": "Chi-squared tests without tables, and F tests with effect sizes: which tables are possible?",
        "chawla2023": "The analyses of variance again, from the printed means and standard errors.",
    },
    "Games and agents, simulated": {
        "contract_game": "Three players bargain over chips: the whole analysis of Haim et al. on simulated games.",
        "favor_game": "Favors in repeated negotiations: the whole analysis of Mell et al. on simulated people.",
        "dominance": "Dominant, peer and submissive agents choose a restaurant: which measures distinguish them?",
        "dealornodeal_agents": "Six agents are trained with two rewards and three partners, and compared.",
        "rule_sheets": "Games written as text: agents read protocol, game and payoffs from a rule sheet.",
    },
}


# What asks whether data are there, and the folder of synthetic logs that such a question would lead to.
CHOICES = {"exists", "is_file", "is_dir", "environ", "getenv"}
SYNTHETIC = "datasets/sample"


def find_fallback(code: str) -> str | None:
    """Return what would let a tutorial show other data than it says; None if there is nothing.

    Examples
    --------
    >>> find_fallback('study = load(logs if logs.exists() else "other")')
    'exists'
    >>> find_fallback("study = datasets.robot()")
    """
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Try):
            return "try"
        name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None
        if name in CHOICES:
            return name
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SYNTHETIC in node.value:
            return SYNTHETIC
    return None


def check_data(books: Sequence[Path], scripts: Sequence[Path]) -> None:
    """Raise ValueError if a notebook or a script of the gallery may show other data than it says."""
    codes = [(book.name, "".join(cell["source"])) for book in books for cell in _code_cells(book)]
    for name, code in [*codes, *((script.name, script.read_text(encoding="utf-8")) for script in scripts)]:
        fallback = find_fallback(code)
        if fallback is not None:
            raise ValueError(f"{name}: {fallback!r} lets it show other data than it says; use negstats.datasets")


def _code_cells(book: Path) -> list[dict[str, Any]]:
    cells = json.loads(book.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def write_tutorials(docs: Path) -> None:
    """Write the notebooks and the page that lists them."""
    books = [ROOT / "notebooks" / f"{name}.ipynb" for names in ORDER.values() for name in names]
    check_data(books, sorted((docs / "examples").rglob("plot_*.py")))
    stored = os.environ.get(STORED) == "stored"
    with ThreadPoolExecutor(1 if stored else os.cpu_count()) as workers:
        for done in [workers.submit(_write, book, docs / "tutorials", stored) for book in books]:
            done.result()
    text = "# Tutorials\n\nThe notebooks of the folder `notebooks/`, as they ran when this site was built.\n"
    for heading, topics in ORDER.items():
        text += f"\n## {heading}\n\n"
        text += "".join(f"{{doc}}`{name}`\n: {topic}\n\n" for name, topic in topics.items())
        text += f"```{{toctree}}\n:hidden:\n:caption: {heading}\n\n" + "".join(f"{name}\n" for name in topics) + "```\n"
    (docs / "tutorials" / "index.md").write_text(text, encoding="utf-8")


def _write(book: Path, folder: Path, stored: bool) -> None:
    folder.mkdir(exist_ok=True)
    target, source = folder / book.name, book.read_text(encoding="utf-8")
    mark = "stored " + _hash(source) if stored else "run " + _hash(source, *_package())
    if target.is_file() and json.loads(target.read_text(encoding="utf-8"))["metadata"].get("negstats") == mark:
        return
    found = json.loads(source) if stored else _run(book)
    found["metadata"]["negstats"] = mark
    target.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")


def _run(book: Path) -> dict[str, Any]:
    import nbformat
    from nbclient import NotebookClient

    read = nbformat.read(book, as_version=4)  # type: ignore[no-untyped-call]
    where, quiet = {"metadata": {"path": str(book.parent)}}, ["--log-level=40"]
    client = NotebookClient(read, timeout=600, kernel_name="python3", resources=where, extra_arguments=quiet)
    for cell in read.cells:
        if cell.cell_type == "code" and "heat_map(" in cell.source:  # whose colours must not be turned on a dark page
            cell.metadata["mystnb"] = {"image": {"classes": "as-drawn"}}
    client.execute(env={**os.environ, "PYTHONPATH": str(ROOT)})
    found: dict[str, Any] = json.loads(nbformat.writes(read))  # type: ignore[no-untyped-call]
    return found


def _package() -> list[str]:
    return [file.read_text(encoding="utf-8") for file in sorted((ROOT / "negstats").rglob("*.py"))]


def _hash(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
