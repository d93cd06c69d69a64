"""Finished results as people read them: tables (Markdown, HTML, LaTeX, Word, CSV) and the whole report of a plan.

`write` makes a folder of what `negstats.analysis.run` returns. `words` says it once, for the page, Word and LaTeX.

Glossary
--------
block : a heading, paragraph, command, figure or table; *words* : a report as blocks, the same for each form of it;
*prose* : a text in runs, with the numbers' places in ``results.json``; *slot* : where a value stands in a sentence;
*noun* : what a measure or a row is called; *head* : the name of a table's column; *supplement* : the file beside the
report with what a journal prints elsewhere.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
