"""Write the page of the commands: what each does and takes, from its own help."""

from __future__ import annotations

import re
from typing import Any

import typer

from negstats.cli import COMMANDS, app

HEAD = """# All commands

What each command does and takes, as `negstats COMMAND --help` prints it. Where a command takes `STUDY`, a folder
of raw logs will do as well. Wrong input gives one line and exit code 2.
"""


def page() -> str:
    """Return the page in Markdown."""
    commands: dict[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    text = HEAD
    for title, names in COMMANDS.items():
        text += f"\n## {title}\n" + "".join(_describe_command(f"negstats {name}", commands[name]) for name in names)
    return text


def _describe_command(name: str, command: Any) -> str:
    """Return the part of a command, or of each command below it."""
    if getattr(command, "commands", None):
        return "".join(_describe_command(f"{name} {part}", below) for part, below in command.commands.items())
    paragraphs = re.split(r"\n\s*\n", (command.help or "").strip())
    text = f"\n### `{name}`\n\n" + "\n\n".join(map(_one_line, paragraphs)) + "\n\n| takes | meaning |\n|---|---|\n"
    return text + "".join(_option_row(part) for part in command.params if not getattr(part, "hidden", False))


def _option_row(part: Any) -> str:
    is_option = part.param_type_name == "option"
    name = " ".join([*part.opts, *part.secondary_opts]) if is_option else str(part.metavar or part.name).upper()
    return f"| `{name}` | {_one_line(part.help or '')} |\n"


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")
