"""The folder of a project, which is the state of the page and read by the command line; and those opened before."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import traceback
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from negstats import datasets
from negstats.errors import NegstatsError, UsageError
from negstats.files import write_whole

if TYPE_CHECKING:
    from negstats.loaders.mapping.mapping_text import Draft
    from negstats.studies.study import Study

STUDY, MAPPING, PLAN, LOCK, REPORT, SCRIPT = "study", "mapping.toml", "plan.toml", "plan.lock", "report", "repeat.sh"
OWN = (STUDY, MAPPING, PLAN, LOCK, REPORT, SCRIPT)  # what the page writes
EARLIER = "earlier"  # begins the name of a folder with what another study took the place of
LARGEST = 2 << 30  # bytes of an upload
SHOWN_SOURCES = 30


@dataclass(frozen=True, slots=True)
class Opened:
    """What came of opening a source: the mapping as a draft, where there is one, and what must be said."""

    draft: Draft | None = None
    messages: tuple[str, ...] = ()


class Project:
    """A folder with the logs of one study and what was made of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self._opened: tuple[int, Study | None] = (0, None)

    def path(self, name: str) -> Path:
        """Return where a file of the project stands."""
        return self.folder / name

    def shorten(self, text: str) -> str:
        """Return an error with the names that files have in the project, whose folder the person knows."""
        return text.replace(f"{self.folder}{os.sep}", "")

    def stamp(self, name: str) -> int:
        """Return a number that changes when a file, a study or a report is written anew; 0 where it is not there."""
        path = self.path({STUDY: f"{STUDY}/study.json", REPORT: f"{REPORT}/results.json"}.get(name, name))
        try:
            return path.stat().st_mtime_ns
        except OSError:
            return 0

    # What can be opened.

    def sources(self) -> list[str]:
        """Return the files and folders of the project that may hold logs."""
        entries = sorted(self.folder.iterdir(), key=lambda entry: entry.name.lower())
        names = [entry.name for entry in entries if entry.name not in OWN and not entry.name.startswith((".", EARLIER))]
        return names[:SHOWN_SOURCES]

    def fresh_name(self, name: str) -> str:
        """Return a name that nothing has yet and that none of our files takes: ``log.csv``, ``log 2.csv``, ..."""
        if name not in OWN and not self.path(name).exists():
            return name
        stem, suffix = Path(name).stem, Path(name).suffix
        return next(
            fresh for number in range(2, 10_000)
            if not self.path(fresh := f"{stem} {number}{suffix}").exists()
        )  # fmt: skip

    # The study.

    def study(self) -> Study | None:
        """Return the study of the folder, a large one with its rows left there; None if there is none."""
        from negstats.studies import open_saved

        stamp = self.stamp(STUDY)
        if self._opened[0] != stamp:  # it is opened once for all tabs
            # Its frames are made once: measures and exclusions that one question computes are there for the next.
            self._opened = (stamp, open_saved(self.path(STUDY)).with_frames() if stamp else None)
        return self._opened[1]

    def source(self) -> str | None:
        """Return which file or folder of the project the study was read from; None if it is not there."""
        study = self.study()
        paths = [] if study is None else [Path(source.path) for source in study.provenance.sources]
        for path in paths[:1]:
            for name in self.sources():
                if name == path.name or self.path(name).joinpath(path).is_file():
                    return name
        return None

    def open_shipped(self, name: str) -> Opened:
        """Bring a study that ships with the package into the folder."""
        target = self.path(STUDY)
        messages = self._set_aside(again=False)
        shutil.copytree(datasets.folder(name) / "study", target)
        self._begin_plan(name.capitalize())
        return Opened(messages=messages)

    def open_source(self, name: str, answers: Mapping[str, str] | None = None, *, again: bool = False) -> Opened:
        """Read a file or folder of the project into its study.

        Parameters
        ----------
        name
            Its name in the folder.
        answers
            What a person has answered, for the subject of each question of the reading.
        again
            Whether it is the source of the study that is there, so that the plan stays.

        Raises
        ------
        NegstatsError
            If it cannot be read; the study of the folder stays as it is.
        """
        from negstats.loaders import load_to, recognise
        from negstats.loaders.mapping import draft_of
        from negstats.loaders.mapping.forms import Asked
        from negstats.studies.folder import is_study

        path = self.path(Path(name).name)
        if not path.exists():
            raise UsageError(f"{name}: is not in the folder any more; put it back or choose another file")
        is_known = is_study(path) or recognise(path) is not None
        draft = None if is_known else draft_of(path, Asked(), answers or {})  # what a person would be asked of it
        with tempfile.TemporaryDirectory(prefix=".negstats-", dir=self.folder) as scratch:
            mapping = None
            if draft is not None:
                mapping = Path(scratch) / MAPPING
                mapping.write_text(draft.text, encoding="utf-8")
            try:
                fresh = load_to(path, Path(scratch) / STUDY, mapping=mapping)
            except NegstatsError as error:
                if draft is None:
                    raise
                reason = self.shorten(first_line(error))
                return Opened(draft, (f"With this mapping the file cannot be read yet: {reason}",))
            messages = self._set_aside(again=again)
            Path(fresh).rename(self.path(STUDY))
        if draft is not None:
            self._write(MAPPING, draft.text)
        self._begin_plan(Path(name).stem)
        return Opened(draft, messages)

    def reopen(self) -> Opened:
        """Return the mapping of the folder as a draft with its answers, so that a person can go on after a restart.

        Nothing is written. Where the log is not there any more, or the mapping was edited by hand, there is no draft.
        """
        from negstats.loaders.mapping import draft_of
        from negstats.loaders.mapping.forms import Asked

        source = self.source()
        if source is None or self._is_edited():
            return Opened()
        try:
            return Opened(draft_of(self.path(source), Asked(), self.answers()))
        except NegstatsError:
            return Opened()

    def _set_aside(self, *, again: bool) -> tuple[str, ...]:
        """Make place for a study: what an earlier one left goes to a folder of its own, and nothing is lost.

        Of the same source, read `again`, the study is replaced and its plan and report stay; a mapping that somebody
        edited by hand is moved.
        """
        moved = [MAPPING] if again and self._is_edited() else [] if again else [*OWN]
        if again and self.path(f"{STUDY}/study.json").is_file():
            shutil.rmtree(self.path(STUDY))
        present = [name for name in moved if self.path(name).exists()]
        if not present:
            return ()
        aside = next(path for number in range(1, 10_000) if not (path := self.path(f"{EARLIER} {number}")).exists())
        aside.mkdir()
        for name in present:
            self.path(name).rename(aside / name)
        what = (
            "The mapping that was edited by hand is"
            if again
            else "The study that was here, with its plan and report, is"
        )
        return (f"{what} now in the folder “{aside.name}”.",)

    def _is_edited(self) -> bool:
        """Whether the mapping was edited after the page wrote it, which it does as it saves the study."""
        mapping, study = self.path(MAPPING), self.path(f"{STUDY}/study.json")
        if not mapping.is_file() or not study.is_file():
            return False
        return mapping.stat().st_mtime > study.stat().st_mtime + EDITED

    def answers(self) -> dict[str, str]:
        """Return what the mapping of the folder says was answered, by the subjects of the questions."""
        from negstats.loaders.mapping import read_mapping

        if not self.path(MAPPING).is_file():
            return {}
        questions = read_mapping(self.path(MAPPING)).open
        return {
            question.subject: ",".join(map(str, question.likely)) or "none"
            for question in questions if question.is_answered
        }  # fmt: skip

    # The plan.

    def plan_text(self) -> str:
        """Return the text of the plan; empty where there is none."""
        return self.path(PLAN).read_text(encoding="utf-8") if self.path(PLAN).is_file() else ""

    def write_plan(self, text: str) -> None:
        """Write the text of the plan, whole or not at all."""
        self._write(PLAN, text)

    def _write(self, name: str, text: str) -> None:
        write_whole(self.path(name), text)

    def _begin_plan(self, title: str) -> None:
        from negstats.analysis.plan.editing import new_plan

        if not self.path(PLAN).exists():
            self.write_plan(new_plan(title, STUDY))

    # What repeats it.

    def commands(self) -> list[str]:
        """Return the three commands that repeat the study in this folder."""
        import shlex

        source = self.source()
        mapping = f" --map {MAPPING}" if self.path(MAPPING).is_file() else ""
        first = (
            "negstats plan --check plan.toml" if source is None
            else f"negstats load {shlex.quote(source)}{mapping} --out {STUDY}"
        )  # fmt: skip
        return [first, f"negstats plan --register {PLAN}", f"negstats run {PLAN} --out {REPORT}"]

    def write_script(self) -> None:
        """Write the commands that repeat the study as a script."""
        self._write(SCRIPT, "\n".join(["#!/bin/sh", "set -e", *self.commands(), ""]))

    def archive(self, target: Path, *, figures: bool = False) -> Path:
        """Write the project, or its figures alone, as one archive: no file that another study left."""
        root = self.path(REPORT) / "figures" if figures else self.folder
        entries = [root] if figures else [self.path(name) for name in (*OWN, *self.sources())]
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            for entry in entries:
                for path in [entry] if entry.is_file() else sorted(entry.rglob("*")):
                    if path.is_file() and not path.is_symlink():
                        archive.write(path, path.relative_to(root))
        return target


EDITED = 2.0  # seconds after the study, by which a mapping that the page wrote is never younger


def first_line(error: Exception) -> str:
    """Return the first line of an error."""
    return str(error).partition("\n")[0]


def words_of(error: Exception) -> str:
    """Return an error in words for the page; one that nobody foresaw is written to the terminal as well."""
    if isinstance(error, NegstatsError):
        return first_line(error)
    traceback.print_exception(error, file=sys.stderr)
    return (
        f"This error was not foreseen: {type(error).__name__}: {first_line(error)}. The terminal shows where it arose."
    )


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
            write_whole(file, json.dumps(list(map(str, folders[:KEPT]))))
        except (OSError, UsageError):
            return


def _list_file() -> Path:
    from platformdirs import user_state_path

    return user_state_path("negstats", appauthor=False) / "projects.json"
