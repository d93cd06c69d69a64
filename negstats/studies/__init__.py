"""A study: tidy tables in memory or with an engine, the folder it is saved in, its checks, and copies without people.

`open_study(path)` opens one in memory; `open_study(path, engine=...)` leaves the tables as lazy frames of DuckDB,
polars or PySpark: measures, units, summaries and therefore tests run where the data are, and only what a test needs
comes home.

Glossary
--------
seat : a player in a game; *card* : the file ``study.json`` of a saved study; *engine* : what holds rows that stay on
disk; *provenance* : where a study came from; *record* : one fact about how a log was read; *pseudonym* : what stands
for an id in a copy; *salt* : the secret that pseudonyms are made with.
"""

from __future__ import annotations

from negstats.studies.opening import open_saved, open_study
from negstats.studies.provenance import LeftOut, Provenance, Source
from negstats.studies.study import Study

__all__ = ["LeftOut", "Provenance", "Source", "Study", "open_saved", "open_study"]
