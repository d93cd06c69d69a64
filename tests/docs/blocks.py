"""The code blocks of a page, and how each kind runs: a page is one session, in a folder that holds the data sets."""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import re
import shlex
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from negstats.cli import app

FENCE = re.compile(r"^(?P<fence>`{3,}) ?(?P<kind>[^\n`]*)\n(?P<text>.*?)^(?P=fence)\s*?$", re.MULTILINE | re.DOTALL)
FILE = re.compile(r":caption: (?P<name>\S+)\n\n")
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True, slots=True)
class Block:
    """A block: its language, its text, and the line that it begins in."""

    kind: str
    text: str
    line: int


def blocks(page: str) -> list[Block]:
    """Return the fenced blocks of a page: directives are left out but for a file, a block with a caption."""
    results = [Block(m["kind"].strip(), m["text"], page.count("\n", 0, m.start()) + 1) for m in FENCE.finditer(page)]
    return [block for block in results if not block.kind.startswith("{") or FILE.match(block.text)]


@dataclass(slots=True)
class Session:
    """What the blocks of a page share: names in Python, and what the last block printed (None: it ran nothing)."""

    names: dict[str, Any] = field(default_factory=lambda: {"__name__": "__main__"})
    printed: str | None = None

    def run(self, block: Block) -> None:
        """Run a block, or compare a block of text with what the one before printed."""
        printed, self.printed = self.printed, None
        if block.kind == "python":
            self.printed = self._python(block.text)
        elif block.kind == "sh":
            self.printed = "".join(map(self._command, block.text.splitlines()))
        elif block.kind == "toml":
            self._toml(block.text)
        elif match := FILE.match(block.text):
            Path(match["name"]).parent.mkdir(parents=True, exist_ok=True)
            Path(match["name"]).write_text(block.text[match.end() :], encoding="utf-8")
        elif block.kind == "text" and printed is not None:
            assert doctest.OutputChecker().check_output(block.text, printed, LOOSE), f"it printed\n{printed}"

    def _python(self, text: str) -> str:
        tree, out = ast.parse(text), io.StringIO()
        last = tree.body[-1] if isinstance(tree.body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(out):
            tree.body = tree.body if last is None else tree.body[:-1]
            exec(compile(tree, "page", "exec", dont_inherit=True), self.names)  # noqa: S102 - our own text
            if last is not None:
                value = eval(compile(ast.Expression(last.value), "page", "eval", dont_inherit=True), self.names)  # noqa: S307
                out.write("" if value is None else f"{value!r}\n")
        return out.getvalue()

    @staticmethod
    def _command(line: str) -> str:
        words = shlex.split(line, comments=True)
        if not words:
            return ""
        target = Path(words[words.index(">") + 1]) if ">" in words else None
        words = words[: words.index(">")] if ">" in words else words
        assert words[0] == "negstats", f"{line}: not a command of negstats"
        result = CliRunner().invoke(app, words[1:], catch_exceptions=False)
        assert result.exit_code == 0, f"{line}: {result.output}"
        if target is not None:
            target.write_text(result.stdout, encoding="utf-8")
            return ""
        return result.stdout

    @staticmethod
    def _toml(text: str) -> None:
        tomllib.loads(text)
        name = re.match(r"# (\S+\.toml)\n", text)
        if name:
            Path(name[1]).write_text(text, encoding="utf-8")
