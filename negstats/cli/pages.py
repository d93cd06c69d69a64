"""The commands that open pages in a browser: app, from a file to a report by clicks, and docs, the documentation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from negstats.cli.shared import JsonOption, print_json, print_lines, print_text


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


BUILD = 'python -m pip install ".[docs]" && python -m sphinx -W -b html docs site'


def docs(
    page: Annotated[
        str | None, typer.Argument(help="A page such as start, mapping or which-test; or words to search for.")
    ] = None,
    address: Annotated[bool, typer.Option("--address", help="Print the address instead of opening it.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Open the documentation in a browser, without a network."""
    import webbrowser

    if (text_file := _text_file(page)) is not None:
        if as_json:
            print_json({"address": text_file.as_uri()})
        else:
            print_text(text_file.read_text(encoding="utf-8").removesuffix("\n"))
        return
    url = _address(page)
    if as_json:
        print_json({"address": url})
    elif address or not webbrowser.open(url):
        print_lines([url])


def _address(page: str | None) -> str:
    """Return the address of the site's first page, of the page that is called so, or of a search for the words."""
    from urllib.parse import quote

    from negstats.errors import UsageError

    site = _site()
    if site is None:
        raise UsageError(f"the documentation has not been built; in the source tree of negstats, build it by: {BUILD}")
    if page is None:
        return (site / "index.html").as_uri()
    for place in (site / f"{page}.html", site / page / "index.html", *sorted(site.glob("*/*.html"))):
        if place.is_file() and page in (place.stem, place.parent.name if place.stem == "index" else ""):
            return place.as_uri()
    return f"{(site / 'search.html').as_uri()}?q={quote(page)}"


def _text_file(page: str | None) -> Path | None:
    """Return the Markdown of a page where the site was not built: in the source tree, or inside the package."""
    package = Path(__file__).resolve().parents[1]
    folders = [package.parent / "docs", package / "_docs"] if page and _site() is None else []
    files = (file for folder in folders for file in sorted(folder.rglob("*.md")))
    return next((file for file in files if page == (file.parent.name if file.stem == "index" else file.stem)), None)


def _site() -> Path | None:
    """Return the folder of the built site: in the source tree (also where this is not it), or inside the package."""
    package = Path(__file__).resolve().parents[1]
    local = [Path("site").resolve()] if Path("docs", "conf.py").is_file() else []
    for place in (*local, package.parent / "site", package / "_site"):
        if (place / "index.html").is_file() and (place / "searchindex.js").is_file():
            return place
    return None
