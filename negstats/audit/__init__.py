"""Checks of printed statistics: whether the numbers of a paper agree with each other."""

from __future__ import annotations

import lazy_loader

from negstats.printed_numbers import Printed, printed

__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["Printed", "printed"]  # of other rooms
__dir__ = __all__.copy
