"""Finished results as people read them: tables (Markdown, HTML, LaTeX, Word, CSV) and the whole report of a plan.

`write` makes a folder of what `negstats.analysis.run` returns. `words` says it once, for the page, Word and LaTeX.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
