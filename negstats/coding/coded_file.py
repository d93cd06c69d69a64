"""A coded file, exported from its page by a coder or the adjudicator: read, checked against a study, and written.

The file is JSON. It carries its codebook, so that agreement needs no other file, and for each message the hash of its
text, so that no code ever stands beside other words than those that were read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from negstats.coding.assignment import Talks
from negstats.coding.codebook import Codebook, codebook_of
from negstats.errors import LogError, UsageError, meant, shown
from negstats.files import written_whole
from negstats.sanitize import json_text

SCHEMA = 1
MOST_BYTES = 100_000_000
Kind = Literal["coding", "adjudication"]


@dataclass(frozen=True, slots=True)
class Span:
    """A part of a message's text that has a code: from `start` to before `end`, counted in characters from 0."""

    code: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CodedMessage:
    """What a coder decided on one message.

    Attributes
    ----------
    talk, message : int
        The neutral number of the talk, and the message's place in the game.
    text_sha256 : str
        The first 16 digits of the hash of its text.
    codes : tuple of str
        The codes, those of spans among them; empty where none applies.
    coded : bool
        False where there is a note but no decision yet.
    spans : tuple of Span
    note : str
    coded_at : datetime or None
    """

    talk: int
    message: int
    text_sha256: str
    codes: tuple[str, ...]
    coded: bool = True
    spans: tuple[Span, ...] = ()
    note: str = ""
    coded_at: datetime | None = None

    @property
    def key(self) -> tuple[int, int]:
        """The talk and the message."""
        return self.talk, self.message


@dataclass(frozen=True, slots=True)
class CodedFile:
    """One coder's codes.

    Attributes
    ----------
    kind : str
        "coding" or "adjudication".
    coder : str
    study_sha256 : str
        The hash of the study's messages.
    seed : int
        From which the numbers of talks follow.
    codebook : Codebook
    assigned : int
        How many messages the page asked about.
    messages : tuple of CodedMessage
        Those that have a decision or a note.
    started_at, exported_at : datetime or None
    path, sha256 : str
        The file that was read, and its hash.
    """

    kind: Kind
    coder: str
    study_sha256: str
    seed: int
    codebook: Codebook
    assigned: int
    messages: tuple[CodedMessage, ...]
    started_at: datetime | None = None
    exported_at: datetime | None = None
    path: str = ""
    sha256: str = ""

    @property
    def decisions(self) -> dict[tuple[int, int], CodedMessage]:
        """The messages that were coded, by talk and message."""
        return {message.key: message for message in self.messages if message.coded}

    def check(self, talks: Talks) -> None:
        """Check that the file fits the talks of a study and its own codebook.

        Parameters
        ----------
        talks
            The talks of the study, from the seed that the page was made with (`talks_of`).

        Raises
        ------
        LogError
            If it was made from other messages or with another seed, or a message, code, group or span does not fit.
        """
        if self.study_sha256 != talks.sha256:
            reason = "was coded from other messages than those of the study; give the study that its page was made from"
            raise LogError(reason, file=self.path)
        if self.seed != talks.seed:
            raise LogError(f"was coded with the seed {self.seed}, not {talks.seed}", file=self.path)
        before: set[tuple[int, int]] = set()
        for place, message in enumerate(self.messages, 1):
            fault = self._find_fault(message, talks) or ("it is in the file twice" if message.key in before else None)
            if fault is not None:
                reason = f"message {message.message} of talk {message.talk} (messages {place}): {fault}"
                raise LogError(reason, file=self.path)
            before.add(message.key)

    def _find_fault(self, coded_message: CodedMessage, talks: Talks) -> str | None:
        """Return what is wrong with a message, or None."""
        unit = talks.unit(coded_message.talk, coded_message.message)
        if unit is None or unit.text is None:
            return "the study has no such message to code"
        if unit.sha256 != coded_message.text_sha256:
            return "its text is another one in the study"
        names = self.codebook.names
        unknown = next((name for name in coded_message.codes if name not in names), None)
        if unknown is not None:
            return f"the codebook has no code {shown(unknown)}; {meant(unknown, names)}"
        if len(set(coded_message.codes)) < len(coded_message.codes):
            return f"codes has {', '.join(coded_message.codes)}, one of them twice"
        for group, members in self.codebook.groups.items():
            known = [name for name in coded_message.codes if name in members]
            if len(known) > 1:
                return f"{' and '.join(known)} exclude each other in the group {shown(group)}"
        for span in coded_message.spans:
            if span.code not in coded_message.codes or not 0 <= span.start < span.end <= len(unit.text):
                return f"the span {span.start} to {span.end} of {shown(span.code)} is not part of a text with that code"
        return None

    def to_json(self) -> str:
        """Return the file's text, as a page exports it.

        Returns
        -------
        str
            JSON that `read_coded` reads, with an end of line; ``path`` and ``sha256`` are not in it.
        """
        messages = [asdict(message) for message in self.messages]
        content = {"schema": SCHEMA, "kind": self.kind, "coder": self.coder, "study_sha256": self.study_sha256,
                   "seed": self.seed, "codebook_sha256": self.codebook.sha256, "codebook": self.codebook.to_dict(),
                   "assigned": self.assigned, "started_at": self.started_at, "exported_at": self.exported_at,
                   "messages": messages}  # fmt: skip
        return json_text(json.dumps(content, ensure_ascii=False, indent=1, default=datetime.isoformat)) + "\n"

    def write(self, path: str | Path) -> Path:
        """Write the file; it is there whole or not at all.

        Parameters
        ----------
        path
            The file; one that is there already is replaced.

        Returns
        -------
        Path
            The same path.

        Raises
        ------
        UsageError
            If the file cannot be written.
        """
        with written_whole(path) as new_file:
            new_file.write_bytes(self.to_json().encode("utf-8", "backslashreplace"))
        return Path(path)


@dataclass(frozen=True, slots=True)
class _Content:
    """The fields of a coded file as JSON has them."""

    schema: int
    kind: Kind
    coder: str
    study_sha256: str
    seed: int
    codebook_sha256: str
    codebook: dict[str, Any]
    assigned: int
    messages: tuple[CodedMessage, ...]
    started_at: datetime | None = None
    exported_at: datetime | None = None
    page: dict[str, Any] = field(default_factory=dict)


def read_coded(path: str | Path) -> CodedFile:
    """Read a file that a page exported.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    CodedFile
        Its codes, not yet checked against a study (`CodedFile.check`).

    Raises
    ------
    LogError
        If it is not a coded file; the message names the field.
    UsageError
        If the codebook in it is none.

    Examples
    --------
    >>> read_coded("datasets/casino/coded/anna.json").coder
    'Anna'
    """
    file = Path(path)
    try:
        with file.open("rb") as stream:
            data = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}", file=file) from None
    if len(data) > MOST_BYTES:
        raise LogError(f"is larger than {MOST_BYTES / 1e6:g} MB", file=file)
    try:
        content = msgspec.json.decode(data, type=_Content)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise LogError(f"is not a file that a coding page exported: {error}", file=file) from None
    if content.schema != SCHEMA:
        raise LogError(f"has the schema {content.schema}; this negstats reads {SCHEMA}", file=file)
    codebook = codebook_of(content.codebook, str(file))
    if codebook.sha256 != content.codebook_sha256:
        raise LogError("its codebook has changed since coding: the SHA-256 differs", file=file)
    return CodedFile(content.kind, content.coder, content.study_sha256, content.seed, codebook, content.assigned,
                     content.messages, content.started_at, content.exported_at, str(file),
                     hashlib.sha256(data).hexdigest())  # fmt: skip


def check_together(files: Sequence[CodedFile], talks: Talks, codebook: Codebook | None = None) -> None:
    """Check that coded files fit the study and each other.

    Parameters
    ----------
    files
        One file a coder.
    talks
        The talks of the study.
    codebook
        That which all must have been coded with; that of the first file if none is given.

    Raises
    ------
    LogError
        If a file does not fit the study.
    UsageError
        If there is no file, one is not a coder's, a coder has two, or the codebooks differ.
    """
    if not files:
        raise UsageError("no coded file was given; give one for each coder")
    book = files[0].codebook if codebook is None else codebook
    for place, file in enumerate(files):
        if file.kind != "coding":
            raise UsageError(
                f"{file.path}: is an adjudication; give it with --final, and the coders' files as they are"
            )
        if file.codebook.sha256 != book.sha256:
            raise UsageError(f"{file.path}: was coded with another codebook ({shown(file.codebook.title)})")
        if any(file.coder == other.coder for other in files[:place]):
            raise UsageError(f"{file.path}: is a second file of {shown(file.coder)}; give one file per coder")
        file.check(talks)
