"""The sentences of a report: ``words.toml`` has their words by method, facts fill their slots."""

from negstats.report.sentences.base_facts import listed, names_of, reference
from negstats.report.sentences.paragraphs import paragraph
from negstats.report.sentences.question import Question

__all__ = ["Question", "listed", "names_of", "paragraph", "reference"]
