"""Studies larger than memory: the tables of a study as lazy frames of DuckDB, polars or PySpark.

`open_study(path, engine=...)` gives one; measures, units, summaries and therefore tests run where the data are, and
only what a test needs comes home. Without an engine it opens a study in memory.
"""

from __future__ import annotations

from negstats.lazy.opening import open_study
from negstats.lazy.study import LazyStudy

__all__ = ["LazyStudy", "open_study"]
