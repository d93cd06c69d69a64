"""The sentences of a report: ``words.toml`` has their words by method, facts fill their slots.

Glossary
--------
fact : what can be said of a test, a slot or a condition of ``words.toml``; *wording* : one way to say a sentence, with
its condition; *question* : an entry of ``results.json`` with its words and levels; *place* (of a level) : the phrase
that says where values are, "in CL"; *at* : the path of a test or cell in ``results.json``, from which its numbers are
rounded.
"""

from negstats.report.sentences.base_facts import names_of, reference, references_to
from negstats.report.sentences.paragraphs import paragraph
from negstats.report.sentences.question import Question

__all__ = ["Question", "names_of", "paragraph", "reference", "references_to"]
