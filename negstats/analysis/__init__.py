"""From a study to tests: independent units, comparisons of conditions, descriptions.

The names are imported on first use: a description of a study needs no test.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
