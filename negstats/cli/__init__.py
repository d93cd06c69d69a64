"""The command line: parse, call, print.

Exit code 2 and one clear line on bad input, 130 when it is interrupted, 1 and one line on an error that nobody foresaw.

Glossary
--------
option : what is given after two dashes; *hint* : the command or name that may be meant; *lines* : the output, broken
for a terminal alone.
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from negstats.cli import acceptance, audit, coding, compare, data, pages, papers, plan, power, simulate, studies
from negstats.cli import tournament as tournaments
from negstats.cli._running import DEBUG, run
from negstats.errors import UsageError

__all__ = ["app", "main"]

_WHAT = "Statistics of negotiation studies: from logs to tables, tests and figures."

# What people do, and the commands for it.
COMMANDS: dict[str, dict[str, Callable[..., None] | typer.Typer]] = {
    "Your data": {
        "load": studies.load,
        "map": studies.write_mapping,
        "describe": studies.describe,
        "compare": compare.compare,
        "threshold": acceptance.threshold,
        "tournament": tournaments.tournament,
        "code": coding.code,
        "deidentify": studies.deidentify,
    },
    "Your plan": {"plan": plan.plan, "power": power.power, "run": plan.run},
    "Papers": {"reproduce": papers.reproduce, "audit": audit.audit},
    "To start from": {"app": pages.app, "data": data.data, "simulate": simulate.simulate, "docs": pages.docs},
}

# Names that commands had, and what does the same now.
RENAMED = {
    "metrics": "negstats describe STUDY --by FACTOR --all",
    "codes": "negstats code STUDY FILES",
    "offer": "negstats threshold --pr PR --alpha ALPHA",
    "figures": "negstats reproduce --figures",
}

# How each help ends: a command that runs as it is printed in the source tree, after those above it.
EXAMPLES = {
    "load": "negstats load datasets/sample --out study",
    "map": "negstats map datasets/ultimatum/ultimatum.csv > mapping.toml",
    "describe": "negstats describe datasets/robot/study",
    "compare": "negstats compare datasets/robot/study points --by condition --who agent",
    "threshold": "negstats threshold datasets/contract_sim/study",
    "simulate": "negstats simulate dealornodeal --games 5 --out deals",
    "tournament": "negstats tournament deals",
    "code": "negstats code datasets/casino/study datasets/casino/coded/anna.json datasets/casino/coded/ben.json",
    "deidentify": "negstats deidentify datasets/robot/study --out safe",
    "plan": "negstats plan --check datasets/robot/plan.toml",
    "power": "negstats power datasets/robot/plan.toml",
    "run": "negstats run datasets/robot/plan.toml --out report",
    "reproduce": "negstats reproduce mell2015 --out findings",
    "audit": "negstats audit report/report.docx",
    "data list": "negstats data list",
    "data get": "negstats data get dealornodeal --to logs",
    "docs": "negstats docs mapping",
    "app": "negstats app --help",
}


class _Grouped(TyperGroup):
    """Lists the commands under what people do with them, and knows what those are called that had other names."""

    def get_command(self, ctx: Any, name: str) -> Any:
        """Return a command; of an old name say the new one."""
        if name in RENAMED:
            raise UsageError(f"{name} is now part of another command: {RENAMED[name]}")
        return super().get_command(ctx, name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002 - typer calls it
        """Write a section for each group of `COMMANDS`, and one for whatever stands in none."""
        rest = [name for name in self.commands if not any(name in group for group in COMMANDS.values())]
        for title, names in [*COMMANDS.items(), ("Others", rest)]:
            rows = [(name, self.commands[name].get_short_help_str(200)) for name in names if name in self.commands]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


# What the kinds of values are called in a help.
KINDS = {"str": "text", "int": "number", "float": "number", "path": "path", "Path": "path"}
DEFAULT = re.compile(r"\[default: \(?(.*?)\)?(?:; [^]]*)?\]")  # in parentheses where it is said, and with its range
KIND = re.compile(rf"<(?:list\[)?({'|'.join(KINDS)})\]?(?: range)?>")


class _Command(TyperCommand):
    """A command whose help has the options that few need under a heading of their own."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for the arguments, one for the options, and one for each further heading."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            usual = "Arguments" if param.param_type_name == "argument" else "Options"
            if record is not None:
                name = KIND.sub(lambda kind: f"<{KINDS[kind[1]]}>", record[0])
                text = (name, DEFAULT.sub(r"[default: \1]", record[1]))
                sections.setdefault(getattr(param, "rich_help_panel", None) or usual, []).append(text)
        for title, records in sections.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


_FORM: dict[str, Any] = {
    "name": "negstats",
    "cls": _Grouped,
    "help": _WHAT,
    "epilog": "\b\nExample:\n  negstats describe datasets/robot/study",
    "no_args_is_help": True,
    "pretty_exceptions_enable": False,
    "rich_markup_mode": None,
}
app = typer.Typer(**_FORM)

for group in COMMANDS.values():
    for name, what in group.items():
        if isinstance(what, typer.Typer):
            app.add_typer(what)
        else:
            app.command(name, cls=_Command)(what)


def _broken(example: str) -> str:
    """Return an example as a help prints it: what is longer than a line goes on in the next, as a shell reads it."""
    lines = textwrap.wrap(example, 72, initial_indent="  ", subsequent_indent="    ", break_long_words=False,
                          break_on_hyphens=False)  # fmt: skip
    return " \\\n".join(lines)


def _add_examples() -> None:
    """Let the help of each command end with its example, and that of each group with the first of its commands."""
    for prefix, group in (("", app), ("data ", data.data)):
        for command in group.registered_commands:
            command.epilog = f"\b\nExample:\n{_broken(EXAMPLES[f'{prefix}{command.name}'])}"
        if prefix:
            group.info.epilog = group.registered_commands[0].epilog


_add_examples()


def _version(is_wanted: bool) -> None:
    if is_wanted:
        from negstats import __version__

        typer.echo(f"negstats {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where in the code an error arose.")] = False,
) -> None:
    """Statistics of negotiation studies: from session logs to tidy tables, measures, tests and figures."""


def _select_command(words: Sequence[str]) -> typer.Typer:
    """Return the application with only the command that the first word names, or the whole one if it names none.

    typer reads the options of every command before it reads the first word, which takes longer than a short command.
    """
    name = next((word for word in words if word != DEBUG), "")
    commands = [registered_command for registered_command in app.registered_commands if registered_command.name == name]
    groups = [
        registered_group
        for registered_group in app.registered_groups
        if registered_group.typer_instance and registered_group.typer_instance.info.name == name
    ]
    if not commands and not groups:
        return app
    part = typer.Typer(**_FORM)
    part.registered_commands, part.registered_groups, part.registered_callback = (
        commands,
        groups,
        app.registered_callback,
    )
    return part


def main() -> None:
    """Run the command line; whatever goes wrong becomes one line on the error stream and an exit code."""
    words = [word for word in sys.argv[1:] if word != DEBUG]
    run(_select_command(words), sys.argv[1:])
