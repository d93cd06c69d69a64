"""The eight examples of the page "Your own data": commands, lines that a person edits, and seconds of one processor.

``python -m tests.docs.own_data`` runs them and writes the table of ``docs/how-to/your-own-data.md``.
"""

from __future__ import annotations

import contextlib
import difflib
import re
import resource
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.conftest import ROOT
from tests.docs.blocks import Block, Session, blocks

PAGE = ROOT / "docs" / "how-to" / "your-own-data.md"
HEAD = "| shape | commands | lines to edit | seconds |\n|---|---|---|---|\n"
TABLE = re.compile(re.escape(HEAD) + r"(?:\|.*\|\n)+")


@dataclass(frozen=True, slots=True)
class Example:
    """A section of the page with its blocks."""

    title: str
    blocks: list[Block]

    @property
    def commands(self) -> int:
        """How many commands a person types."""
        lines = [line for block in self.blocks if block.kind == "sh" for line in block.text.splitlines()]
        return sum(line.startswith("negstats ") for line in lines) - sum(map(self._is_shown, self.blocks))

    @staticmethod
    def _is_shown(block: Block) -> bool:
        """Whether a block prints a mapping only to show it: the next one writes it."""
        return block.kind == "sh" and block.text.startswith("negstats map ") and ">" not in block.text

    def count_edited(self) -> int:
        """Write the mapping as the page does, in the working folder, and return how many of its lines are edited."""
        session, edited = Session(), 0
        for block in self.blocks:
            if block.kind == "sh" and block.text.startswith("negstats map ") and ">" in block.text:
                session.run(block)
            elif block.kind == "python":
                drafts = {file: file.read_text(encoding="utf-8") for file in Path().glob("*.toml")}
                session.run(block)
                edited += sum(count_edits(text, file.read_text(encoding="utf-8")) for file, text in drafts.items())
        return edited

    def measure_seconds(self) -> float:
        """Run the commands as a person does, each on its own, and return the seconds of one processor."""
        session, before = Session(), resource.getrusage(resource.RUSAGE_CHILDREN)
        for block in self.blocks:
            if block.kind == "sh" and not self._is_shown(block):
                for line in block.text.splitlines():
                    _run_command(line)
            elif block.kind == "python":
                session.run(block)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _run_command(line: str) -> None:
    words = shlex.split(line)
    target = Path(words[words.index(">") + 1]) if ">" in words else None
    words = words[1 : words.index(">")] if ">" in words else words[1:]
    result = subprocess.run([sys.executable, "-m", "negstats", *words], check=True, capture_output=True)
    if target is not None:
        target.write_bytes(result.stdout)


def count_edits(draft: str, text: str) -> int:
    """Return how many lines of a draft were changed, added or taken out.

    Examples
    --------
    >>> count_edits("a = 1\\n# b = 2\\n", "a = 1\\nb = 2\\nc = 3\\n")
    2
    """
    matcher = difflib.SequenceMatcher(None, draft.splitlines(), text.splitlines(), autojunk=False)
    changes = (code for code in matcher.get_opcodes() if code[0] != "equal")
    return sum(max(to - start, new_to - new) for _, start, to, new, new_to in changes)


def examples(page: str) -> Iterator[Example]:
    """Yield the examples of a page."""
    for section in page.split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        yield Example(title, blocks(text))


@contextlib.contextmanager
def folder() -> Iterator[Path]:
    """Work in a folder that holds the data sets."""
    with tempfile.TemporaryDirectory() as name, contextlib.chdir(name):
        Path("datasets").symlink_to(ROOT / "datasets")
        yield Path(name)


def main() -> None:
    """Run the examples, print the table and write it to the page."""
    page, rows = PAGE.read_text(encoding="utf-8"), []
    for example in examples(page):
        with folder():
            edited = example.count_edited()
        with folder():
            seconds = example.measure_seconds()
        rows.append(f"| {example.title} | {example.commands} | {edited} | {seconds:.0f} |\n")
    print("".join([HEAD, *rows]), end="")
    PAGE.write_text(TABLE.sub(lambda _: "".join([HEAD, *rows]), page), encoding="utf-8")


if __name__ == "__main__":
    main()
