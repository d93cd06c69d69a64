"""Public studies that are downloaded on demand: each file from a fixed commit, checked by its SHA-256.

``pins.txt`` lists the files: where each goes, its SHA-256, its bytes, and its path in the repository. Nothing here
touches a network until `get` is called.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

from negstats.datasets import SHIPPED
from negstats.errors import LogError, UsageError, meant, one_line, shown

__all__ = ["REMOTE", "Pin", "Remote", "get", "pins", "references_of"]


@dataclass(frozen=True, slots=True)
class Remote:
    """A public study: what it is, its licence, the repository, the address of its files, and its reference (APA)."""

    what: str
    licence: str
    repository: str
    url: str
    cite: str = ""


def _github(what: str, licence: str, repository: str, commit: str = "", *, cite: str) -> Remote:
    """Return a study in a repository at a commit; without one each pin's path begins with its own."""
    url = f"https://raw.githubusercontent.com/{repository}/{commit}".rstrip("/")
    return Remote(what, licence, repository, url, cite)


REMOTE = {
    "solver_cl": _github(
        "the raw logs of `robot`, 198 workbooks and two tables", "MIT",
        "monurkeskin/Solver-CL-Agent", "3aa513a342d429aa4ba8f0fd2bf0e2b530c3aaf7",
        cite="monurkeskin. (2025). *Solver-CL-Agent* (commit 3aa513a) [Data set]. GitHub. "
             "https://github.com/monurkeskin/Solver-CL-Agent",
    ),
    "casino": _github(
        "the raw dialogues of `casino`", "CC BY 4.0",
        "kushalchawla/CaSiNo", "2f6ed4a6a55110152a7699fbaa8150d6036314be",
        cite="Chawla, K., Ramirez, J., Clever, R., Lucas, G., May, J., & Gratch, J. (2021). CaSiNo: A corpus "
             "of campsite negotiation dialogues for automatic negotiation systems. In *Proceedings of the 2021 "
             "Conference of the North American Chapter of the Association for Computational Linguistics: Human "
             "Language Technologies* (pp. 3167–3185). https://doi.org/10.18653/v1/2021.naacl-main.254",
    ),
    "dealornodeal": _github(
        "Deal or No Deal, 5,916 dialogues of two people", "CC BY-NC 4.0 (research only)",
        "facebookresearch/end-to-end-negotiator", "bbb93bbf00f69fced75d5c0d22e855bda07c9b78",
        cite="Lewis, M., Yarats, D., Dauphin, Y., Parikh, D., & Batra, D. (2017). Deal or no deal? End-to-end "
             "learning of negotiation dialogues. In *Proceedings of the 2017 Conference on Empirical Methods "
             "in Natural Language Processing* (pp. 2443–2453). https://doi.org/10.18653/v1/D17-1259",
    ),
    "lamen": _github(
        "LAMEN, ten negotiations of language models with their notes", "MIT",
        "epfl-dlab/LAMEN", "78ffd8b5aba3e3810a4210c6bdd87a1818e646fb",
        cite="Davidson, T. R., Veselovsky, V., Josifoski, M., Peyrard, M., Bosselut, A., Kosinski, M., & West, "
             "R. (2024). Evaluating language model agency through negotiations. In *The Twelfth International "
             "Conference on Learning Representations*. https://arxiv.org/abs/2401.04536",
    ),
    "llm_deliberation": _github(
        "LLM-Deliberation, ten games of six language models about five issues", "MIT",
        "S-Abdelnabi/LLM-Deliberation", "78e11e04ba89b9d888cb006f57bad696584a32f1",
        cite="Abdelnabi, S., Gomaa, A., Sivaprasad, S., Schönherr, L., & Fritz, M. (2024). Cooperation, "
             "competition, and maliciousness: LLM-stakeholders interactive negotiation. In *Advances in Neural "
             "Information Processing Systems 37*. https://arxiv.org/abs/2309.17234",
    ),
    "negotiationarena": _github(
        "NegotiationArena, 52 games of two language models", "MIT by the readme's badge, without a licence file",
        "vinid/NegotiationArena",
        cite="Bianchi, F., Chia, P. J., Yuksekgonul, M., Tagliabue, J., Jurafsky, D., & Zou, J. (2024). How "
             "well can LLMs negotiate? NegotiationArena platform and analysis. In *Proceedings of the 41st "
             "International Conference on Machine Learning*. https://arxiv.org/abs/2402.05863",
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pin:
    """One file: its path below the study's folder, its SHA-256, its bytes, and its path in the repository."""

    path: str
    sha256: str
    size: int
    source: str


@cache
def pins(name: str) -> tuple[Pin, ...]:
    """Return the files of a public study.

    Examples
    --------
    >>> [pin.path for pin in pins("casino")]
    ['LICENSE', 'casino_test.json', 'casino_train.json', 'casino_valid.json']
    """
    lines = (Path(__file__).parent / "pins.txt").read_text(encoding="utf-8").splitlines()
    fields = [line.split(" ") for line in lines if line.startswith(f"{name}/")]
    return tuple(Pin(path.split("/", 1)[1], sha, int(size), source) for path, sha, size, source in fields)


def references_of(hashes: Collection[str]) -> tuple[str, ...]:
    """Return the reference of the public study whose pinned files have these SHA-256; none where a file is no such.

    Examples
    --------
    >>> references_of([pin.sha256 for pin in pins("casino")])[0].partition(" (")[0]
    'Chawla, K., Ramirez, J., Clever, R., Lucas, G., May, J., & Gratch, J.'
    >>> references_of([])
    ()
    """
    names = [name for name in REMOTE if hashes and set(hashes) <= {pin.sha256 for pin in pins(name)}]
    return tuple(REMOTE[name].cite for name in names if REMOTE[name].cite)


def _untracked(files: Sequence[Path]) -> Iterable[Path]:
    return files


def get(name: str, to: str | Path, *, track: Callable[[Sequence[Path]], Iterable[Path]] = _untracked) -> Path:
    """Download the files of a public study into the folder `name` below `to`; what is there already stays.

    Parameters
    ----------
    name
        A name in `REMOTE`.
    to
        A folder, such as the one that ``NEGSTATS_DATA`` names.
    track
        Called with the list of files; yields them one by one (a progress bar).

    Returns
    -------
    pathlib.Path
        The study's folder.

    Raises
    ------
    UsageError
        If there is no such study, another file stands where one would go, or a file cannot be fetched or written.
    LogError
        If a file that was fetched is not the one that was pinned; it is thrown away.
    """
    if name in SHIPPED and name not in REMOTE:
        raise UsageError(f"{name} ships with negstats, nothing is downloaded: negstats.datasets.{name}()")
    if name not in REMOTE:
        raise UsageError(f"no public study is called {shown(name)}; {meant(name, REMOTE)}")
    folder = Path(to) / name
    pin_of_file = {folder / pin.path: pin for pin in pins(name)}
    for file, pin in pin_of_file.items():
        if file.exists() and not _is(file, pin):
            raise UsageError(f"{file}: exists and is a different file; move it away, or choose another folder")
    for file in track(list(pin_of_file)):
        if not file.exists():
            _fetched(f"{REMOTE[name].url}/{pin_of_file[file].source}", file, pin_of_file[file])
    return folder


def _is(file: Path, pin: Pin) -> bool:
    if not file.is_file() or file.stat().st_size != pin.size:
        return False
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest() == pin.sha256


_SLACK = 1 << 20  # bytes


class _Bound:
    """What pooch takes for a progress bar: it stops a download that is longer than the pinned file."""

    def __init__(self, url: str, size: int) -> None:
        self.url, self.size, self.total, self.done = url, size, 0, 0

    def update(self, count: int) -> None:
        """Count bytes, and stop where they are too many."""
        self.done += count
        # pooch counts whole chunks, and a server may send a short file in many small ones.
        if self.done > 2 * self.size + _SLACK:
            raise UsageError(f"{self.url}: gives more than the {self.size:,} bytes of the pinned file")

    def reset(self) -> None:
        """Do nothing: pooch goes back to 0 and then reports all bytes at once."""
        self.done = 0

    def close(self) -> None:
        """Do nothing: there is nothing on the screen."""


def _fetched(url: str, file: Path, pin: Pin) -> None:
    import pooch

    pooch.get_logger().setLevel("ERROR")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fetch = pooch.HTTPDownloader(progressbar=_Bound(url, pin.size), timeout=60)
        pooch.retrieve(url, f"sha256:{pin.sha256}", fname=file.name, path=file.parent, downloader=fetch)
    except ValueError as error:  # pooch says so of a hash; requests' own errors are OSErrors
        if "hash" not in str(error):
            raise UsageError(f"{url}: cannot be fetched: {one_line(error)}") from None
        raise LogError("is not the expected file: its SHA-256 differs", file=url) from None
    except OSError as error:
        if error.filename:
            raise UsageError(f"{file}: cannot be written: {one_line(error)}") from None
        is_unreached = hasattr(error, "request") and getattr(error, "response", None) is None
        why = f"{urlsplit(url).hostname} cannot be reached" if is_unreached else one_line(error)
        raise UsageError(f"{url}: cannot be fetched: {why}") from None
