"""A wheel carries the site, or its pages as text where it was not built: `negstats docs` has them without the tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Bundle(BuildHookInterface[Any]):
    """Puts `site/` into the wheel as `negstats/_site`, or the Markdown of `docs/` as `negstats/_docs`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folder if it is there; an editable install finds it in the source tree."""
        if version == "editable":
            return
        site, pages = Path(self.root) / "site", Path(self.root) / "docs"
        if (site / "index.html").is_file():
            build_data["force_include"][str(site)] = "negstats/_site"
            return
        for page in sorted(pages.rglob("*.md")):
            build_data["force_include"][str(page)] = f"negstats/_docs/{page.relative_to(pages).as_posix()}"
