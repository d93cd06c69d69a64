"""`negstats app`: a page on this machine that leads from a file to a report by clicks.

The page computes nothing of its own. Every result comes from the functions that the command line calls, and every click
leaves the files that the command line would leave (``study/``, ``mapping.toml``, ``plan.toml``, ``plan.lock``,
``report/``) in the folder of the project, which is all the state that there is.

Modules: `project` (the folder), `projects` (the one that is served, and the earlier ones), `serve` (start and safety),
`state` (what the pages share), `parts` (pieces of a page), and one file for each page: `open_page`, `look_page`,
`ask_page`, `plan_page`, `report_page`.

Glossary
--------
state : one browser tab, what its pages share; *project* : a folder with all that was made in it; *action* : what a
button of the page asks for by its name; *card* : a part of a page with its heading; *draft* : a file's first reading,
before its questions are answered.
"""

from __future__ import annotations

__all__: list[str] = []
