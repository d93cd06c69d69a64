"""A wheel carries the site where it has been built: `negstats docs` then opens it without the source tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Bundle(BuildHookInterface[Any]):
    """Puts `site/` into the wheel as `negstats/_site`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the folder if it is there; an editable install finds it in the source tree."""
        site = Path(self.root) / "site"
        if version != "editable" and (site / "index.html").is_file():
            build_data["force_include"][str(site)] = "negstats/_site"
