"""The project that is served, and those that were open before: a file of this user lists their folders."""

from __future__ import annotations

import json
from pathlib import Path

from negstats.app.project import EARLIER, STUDY, Project
from negstats.errors import UsageError
from negstats.files import written_whole

LISTED = 8  # folders that are shown
KEPT = 40


class Projects:
    """The project of the page. A tab keeps the one that it was opened with, so that what runs there ends there."""

    def __init__(self, current: Project) -> None:
        self.current = current
        self._note()

    def earlier(self) -> list[Path]:
        """Return the folders of other projects that are still there: those set aside in this one, then the latest."""
        folder = self.current.folder
        own = sorted(path for path in folder.iterdir() if path.name.startswith(EARLIER))
        inside = [path for path in (*own, folder.parent) if path not in self._noted()]
        candidates = [path for path in (*inside, *self._noted()) if path != folder]
        return [path for path in candidates if (path / STUDY / "study.json").is_file()][:LISTED]

    def move_to(self, folder: str) -> None:
        """Serve another of the earlier projects; each tab loads it anew.

        Raises
        ------
        UsageError
            If it is none of them: the page opens no folder that a request names.
        """
        path = next((path for path in self.earlier() if str(path) == folder), None)
        if path is None:
            raise UsageError("this project is not where it was; start negstats app in its folder")
        self.current = Project(path)
        self._note()

    def _noted(self) -> list[Path]:
        """Return the folders of the list, the latest first; a list that somebody broke is empty."""
        try:
            folders = json.loads(_list_file().read_text(encoding="utf-8"))
            return [Path(folder) for folder in folders if isinstance(folder, str)]
        except (OSError, ValueError, TypeError):
            return []

    def _note(self) -> None:
        """Write the project to the top of the list; where that cannot be written there is no list."""
        folders = [self.current.folder, *(path for path in self._noted() if path != self.current.folder)]
        file = _list_file()
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(file) as fresh:
                fresh.write_text(json.dumps(list(map(str, folders[:KEPT]))), encoding="utf-8")
        except (OSError, UsageError):
            return


def _list_file() -> Path:
    from platformdirs import user_state_path

    return user_state_path("negstats", appauthor=False) / "projects.json"
