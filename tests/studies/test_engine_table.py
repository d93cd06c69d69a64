"""Every measure and test in every engine: the table in the docs is what running them gives, and so are the numbers."""

from __future__ import annotations

import narwhals as nw
import pandas as pd
import pytest

from negstats.metrics import MEASURES
from negstats.studies.engines import Engine, Spill, engine_called
from tests.analysis.methods.designs import BY_ROW
from tests.metrics import sample
from tests.metrics.engines import as_pandas
from tests.studies import engine_table as table


@pytest.fixture(scope="module")
def spill() -> Spill:
    return Spill()


@pytest.fixture(scope="module", params=["duckdb", "polars"])
def engine(request: pytest.FixtureRequest, spill: Spill) -> Engine:
    return engine_called(request.param, spill.path, "1GB")


@pytest.fixture(scope="module")
def cells() -> dict[tuple[str, str], str]:
    """What the document says: by the name of a measure or test, and the engine."""
    rows = [
        line.strip("| ").split(" | ")
        for line in table.DOCUMENT.read_text("utf-8").splitlines()
        if line.startswith("| ")
    ]
    engines = rows[0][2:]
    return {
        (name.strip("`"), engine): item
        for name, _, *row in rows
        if name.startswith("`") and len(row) == len(engines)
        for engine, item in zip(engines, row, strict=True)
    }


def test_the_document_has_a_cell_for_everything(cells: dict[tuple[str, str], str]) -> None:
    assert set(cells) == {
        (name, engine) for name in [*MEASURES, *table.TESTS, *table.STUDIES] for engine in table.ENGINES
    }
    assert set(cells.values()) == {"lazy", "needs arrays", "summary", "rows"}


@pytest.mark.slow
def test_measures_are_computed_where_the_document_says(
    engine: Engine, spill: Spill, cells: dict[tuple[str, str], str]
) -> None:
    tables = sample.tables()
    lazy = {name: table.native(frame, engine, spill) for name, frame in tables.items()}
    for name, known in MEASURES.items():
        assert table.of_measure(name, lazy) == cells[name, engine.name]
        if not known.arrays:
            here = known.compute(tables)
            key = [column for column in here.columns if column != name]
            result = as_pandas(known.in_engine(lazy).to_native(), key)
            pd.testing.assert_frame_equal(result, as_pandas(here, key), check_dtype=False, rtol=1e-12)


@pytest.mark.slow
def test_tests_fetch_what_the_document_says_and_give_the_same(
    engine: Engine, spill: Spill, cells: dict[tuple[str, str], str]
) -> None:
    people = table.people()
    lazy = table.native(people, engine, spill)
    for name, (_, call) in table.TESTS.items():
        assert table.of_test(name, lazy) == cells[name, engine.name], name
        here, frame = call(people).to_frame(), call(lazy).to_frame()
        pd.testing.assert_frame_equal(frame, here, check_dtype=False, rtol=1e-9, atol=1e-12, obj=name)


@pytest.mark.slow
def test_studies_and_plans_stay_where_the_document_says(engine: Engine, cells: dict[tuple[str, str], str]) -> None:
    for name in table.STUDIES:
        assert table.of_study(name, engine.name) == cells[name, engine.name], name


@pytest.mark.slow
@pytest.mark.parametrize("row", [7, 16, 31, 33, 37, 42, 50])
def test_a_test_of_a_plan_takes_what_the_document_says(row: int) -> None:
    case = BY_ROW[row]
    lines = [line.strip("| ").split(" | ") for line in table.DOCUMENT.read_text("utf-8").splitlines()]
    values = [what for name, rows, what in (line for line in lines if len(line) == 3)
            if name == f"`{case.test}`" and str(row) in rows.split(", ")]  # fmt: skip
    assert values == [table.of_plan(case)]


def test_counting_sees_rows_that_come_home(engine: Engine, spill: Spill) -> None:
    """The witness itself: a test that fetched its rows in silence would be seen."""
    lazy = table.native(table.people(), engine, spill)
    with table.counting() as sizes:
        nw.from_native(lazy).collect("pyarrow")
    assert sizes == [4 * table.PEOPLE]
