"""Every printed definition is held by one test, and the test quotes the words of the ledger."""

from __future__ import annotations

from negstats.papers.ledger import SOURCE_PAPERS, rows_of
from tests.papers.definitions import test_chawla2023, test_dejonge2016, test_dominance, test_haim2017, test_mell2015
from tests.papers.definitions.quotes import QUOTED

MODULES = (test_haim2017, test_mell2015, test_chawla2023, test_dejonge2016, test_dominance)


def test_each_definition_is_quoted_by_one_test() -> None:
    printed = {row.id: row.text for paper in SOURCE_PAPERS for row in rows_of("definition", paper)}
    assert {name: text for name, (text, _) in QUOTED.items()} == printed
    tests = [test for _, test in QUOTED.values()]
    assert len(set(tests)) == len(tests)
    assert all(any(hasattr(module, test) for module in MODULES) for test in tests)
