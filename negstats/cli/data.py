"""The commands for public studies: data list, data get."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from negstats.cli.shared import JsonOption, print_json, print_lines, progress

data = typer.Typer(
    name="data", help="List and download public studies.", no_args_is_help=True,
    rich_markup_mode=None,
)  # fmt: skip


@data.command("list")
def listed(as_json: JsonOption = False) -> None:
    """List public studies, without a network."""
    from negstats.datasets import SHIPPED
    from negstats.datasets.remote import REMOTE, pins

    rows = [
        {
            "name": name,
            "where": f"negstats.datasets.{name}()",
            "files": None,
            "MB": None,
            "licence": licence,
            "what": what,
        }
        for name, (what, licence) in SHIPPED.items()
    ] + [
        {
            "name": name,
            "where": f"negstats data get {name}",
            "files": len(pins(name)),
            "MB": round(sum(pin.size for pin in pins(name)) / 1e6, 1),
            "licence": remote.licence,
            "what": f"{remote.what} (github.com/{remote.repository})",
        }
        for name, remote in REMOTE.items()
    ]
    if as_json:
        print_json(rows)
        return
    for row in rows:
        size = "" if row["files"] is None else f"; {row['files']} files, {row['MB']} MB"
        print_lines([f"{row['name']} ({row['licence']}{size}): {row['where']}", f"  {row['what']}"])


@data.command("get")
def fetched(
    name: Annotated[str, typer.Argument(help="A study that `negstats data list` shows.")],
    to: Annotated[
        Path,
        typer.Option(
            envvar="NEGSTATS_DATA", help="Folder in which the study's folder is created; later set NEGSTATS_DATA to it."
        ),
    ] = Path("data"),
    as_json: JsonOption = False,
) -> None:
    """Download a study; files are checked (SHA-256)."""
    from negstats.datasets.remote import REMOTE, get

    folder = get(name, to, track=progress)
    if as_json:
        print_json({"name": name, "folder": str(folder), "licence": REMOTE[name].licence})
        return
    print_lines([f"{folder}: there, each file as pinned; licence: {REMOTE[name].licence}"])
