"""Checks of printed statistics: whether the numbers of a paper agree with each other.

Glossary
--------
result : a statistic with its p as a text prints it; *recomputed* : what its numbers give, over the rounding of each;
*reading* : one way in which a printed p may come of its statistic; *verdict* : what is said of it; *statement* : a
sentence that says what was done to p, and how far that reaches; *grid* : a table as its cells; *glyph* : a sign as a
file has it; *repair* : the sign that a lost one is read as; *split* : sizes of the groups that a sample may have.
"""

from __future__ import annotations

import lazy_loader

from negstats.printed_numbers import Printed, printed

__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["Printed", "printed"]  # of other rooms
__dir__ = __all__.copy
