"""What a report consists of: headings, paragraphs, commands, figures and tables, and the whole of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from negstats.report.apa_table import Table
from negstats.report.prose import Prose, with_symbols

if TYPE_CHECKING:
    from negstats.report.figures import Shown


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; of level 2 a section of the page's list of contents, of level 3 a question."""

    text: Prose
    level: int
    anchor: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; of style "note" a remark, of style "reference" a work; that of a question has an anchor."""

    text: Prose
    style: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Code:
    """A command that is typed."""

    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure that was drawn, by its key."""

    key: str
    shown: Shown

    @property
    def note(self) -> Prose:
        """Its note, with the symbols of statistics in italics."""
        return with_symbols(self.shown.note)


Block: TypeAlias = "Heading | Paragraph | Code | Figure | Table"
Figures: TypeAlias = "Mapping[str, tuple[Sequence[Shown], Sequence[str]]]"


@dataclass(frozen=True, slots=True)
class Summary:
    """A hypothesis, and its verdict in a word."""

    id: str
    asks: str
    verdict: str
    supported: bool


@dataclass(frozen=True, slots=True)
class Words:
    """A whole report.

    Attributes
    ----------
    title, subtitle, authors, state, size, source : str
        What stands on top.
    summary : tuple of Summary
        The hypotheses with their verdicts.
    main, supplement : tuple of Block
        The manuscript and its supplement, their references resolved.
    numbers : Mapping of str to str
        The number of each table and figure, by its key; in the supplement S1 and so on.
    works : tuple of str
        Keys of the works that it cites.
    """

    title: str
    subtitle: str
    authors: str
    state: str
    size: str
    source: str
    summary: tuple[Summary, ...]
    main: tuple[Block, ...]
    supplement: tuple[Block, ...]
    numbers: Mapping[str, str]
    works: tuple[str, ...]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The manuscript and its supplement."""
        return (*self.main, *self.supplement)

    @property
    def sections(self) -> list[Heading]:
        """The headings of the sections."""
        return [block for block in self.blocks if isinstance(block, Heading) and block.level == 2]

    @property
    def text(self) -> str:
        """All sentences, without tables and figures."""
        return "\n".join(str(block.text) for block in self.blocks if isinstance(block, Paragraph))
