"""What the site shows of the package itself, one module for each page; `write_all` writes it where Sphinx reads."""

from __future__ import annotations

from pathlib import Path

__all__ = ["write", "write_all"]


def write_all(docs: Path) -> None:
    """Write every page that the build makes, where its text has changed."""
    from docs.pages import (
        changes,
        commands,
        glossary,
        house,
        landing,
        licences,
        reference,
        search,
        summaries,
        trust,
        tutorials,
        which_test,
    )

    made = {docs / "reference" / f"{name}.rst": text for name, text in reference.pages().items()}
    made[docs / "reference" / "taken.md"] = summaries.page()
    for path, text in made.items():
        write(path, text)
    for old in {*(docs / "reference").rglob("*.rst"), *(docs / "reference").rglob("*.md")} - set(made):
        old.unlink()  # of an earlier build
    for old in (docs / "gallery").glob("plot_*.rst"):
        old.unlink()  # of a build in which the figures had no groups
    tutorials.write_tutorials(docs)
    write(docs / "landing.html", landing.page())
    write(docs / "which-test" / "index.md", which_test.page())
    which_test.write_figures(docs / "which-test")
    write(docs / "trust" / "index.md", trust.page())
    write(docs / "developers" / "house.md", house.page())
    house.draw(docs / "developers" / "house.png")
    write(docs / "changes.md", changes.page())
    write(docs / "contributing.md", changes.page("CONTRIBUTING.md"))
    write(docs / "licences.md", licences.page())
    write(docs / "search_order.js", search.script())
    write(docs / "glossary.md", glossary.page())
    write(docs / "how-to" / "commands.md", commands.page())


def write(path: Path, text: str) -> None:
    """Write a file if its text differs, so that Sphinx reads again only what has changed."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
