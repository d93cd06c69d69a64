"""Where the raw data of the public studies are: folders of a data root, and the repository to get each from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from negstats import datasets
from negstats.papers.ledger import Row, printed_cells, results
from negstats.papers.recipes import build_finding
from negstats.papers.verdict import Finding


@dataclass(frozen=True, slots=True)
class Source:
    """A public study's data: its folder in the data root, the files that must be there, where it comes from.

    `shipped` is the name in `negstats.datasets` of the study that stands in for the raw data; empty if none may.
    """

    folder: str
    needs: tuple[str, ...]
    repository: str
    commit: str
    shipped: str = ""

    def find(self, root: Path | None) -> Path | None:
        """Return the folder, or None if the root or a needed file is not there: part of the data says nothing.

        Without a root it is the study that ships with negstats, if it does.
        """
        if root is None:
            return datasets.folder(self.shipped) if self.shipped else None
        if not all((root / self.folder / name).exists() for name in self.needs):
            return None
        return root / self.folder

    @property
    def hint(self) -> str:
        """How to get the data, in half a sentence."""
        return (
            f"needs the raw data of https://github.com/{self.repository} (commit {self.commit}) "
            f"as the folder {self.folder!r} of NEGSTATS_DATA; `negstats data get {self.folder}` downloads them"
        )


SOURCES = {
    "solvercl2025": Source(
        "solver_cl",
        ("final_dataset/experiment_subject_data.csv", "final_dataset/experiment_round_data.csv"),
        "monurkeskin/Solver-CL-Agent",
        "3aa513a",
        shipped="robot",
    ),
    "lewis2017": Source("dealornodeal", ("data.txt",), "facebookresearch/end-to-end-negotiator", "bbb93bb"),
    "casino2021": Source(
        "casino",
        ("casino_train.json", "casino_valid.json", "casino_test.json"),
        "kushalchawla/CaSiNo",
        "2f6ed4a",
        shipped="casino",
    ),
}


def with_data(
    paper: str, root: Path | None, recompute: Callable[[Path, Iterable[Row]], list[Finding]]
) -> list[Finding]:
    """Return a study's findings; without its data, every row is not checkable and says how to get them."""
    rows = [*results(paper), *printed_cells(paper)]
    folder = SOURCES[paper].find(root)
    if folder is None:
        return [build_finding(row, [], SOURCES[paper].hint) for row in rows]
    return recompute(folder, rows)
