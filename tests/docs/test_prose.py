"""The citation names the version that is installed."""

from __future__ import annotations

import negstats
from tests.conftest import ROOT


def test_the_citation_names_this_version() -> None:
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert f"version: {negstats.__version__}" in lines
    entry = negstats.citation()
    assert f"version = {{{negstats.__version__}}}" in entry
    assert 'title: "negstats: the statistics of negotiation studies"' in lines
    assert "title = {negstats: the statistics of negotiation studies}" in entry
