"""From a study to tests: independent units, comparisons of conditions, descriptions.

A question is written in `plan`, drafted, checked and registered in `preregistration`, and its `power` is simulated.
`run` answers a plan, and `compare` one question: `questions` has its rows and their design, `rules` the test of each
design, `method` the record of each test, `methods` what computes it, `verdicts` what follows from it, `entries` what
``results.json`` holds, and `answers` what is given back. `describe` and `loading_checks` look at a study without a
question.

The names are imported on first use: a description of a study needs no test.

Glossary
--------
question : what a plan asks, answered by one test; *unit* : what is independent of the others; *row* : a game, seat,
deal or decision that has a value; *design* : where each factor lies (between units, within them or partly) and how many
units there are; *record* : the result of one test; *part* : a record that says more of an answer; *address* : where a
record stands in ``results.json``; *verdict* : what a test says of what was predicted; *entry* : a question as
``results.json`` holds it; *alternative* : the answer of other rows or another method.
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
