"""The command app: a page on this machine, from a file to a report by clicks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from negstats.cli.shared import print_lines


def app(
    folder: Annotated[Path, typer.Argument(help="Folder of the project, where all files are kept.")] = Path(),
    port: Annotated[int, typer.Option(help="Port of this computer; 0 chooses a free port.", min=0, max=65535)] = 0,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address without opening a browser.")
    ] = False,
) -> None:
    """Open a page in the browser that leads from a file to a report."""
    from negstats.app.serve import serve

    serve(folder, port=port, opens_browser=not no_browser, tell=lambda text: print_lines(text.splitlines()))
