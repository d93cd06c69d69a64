"""The sentences of a report, by family of test."""

from negstats.report.numerals import DIGITS
from negstats.report.sentences.paragraphs import paragraph
from negstats.report.sentences.pieces import listed, reference
from negstats.report.sentences.question import Question

__all__ = ["DIGITS", "Question", "listed", "paragraph", "reference"]
