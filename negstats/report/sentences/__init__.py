"""The sentences of a report: ``words.toml`` has their words by method, facts fill their slots."""

from negstats.report.sentences.base_facts import names_of, reference, references_to
from negstats.report.sentences.paragraphs import paragraph
from negstats.report.sentences.question import Question

__all__ = ["Question", "names_of", "paragraph", "reference", "references_to"]
