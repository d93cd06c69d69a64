"""JSON Lines of one form are read as columns: the table and the errors are those of reading object by object."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from negstats.errors import LogError
from negstats.loaders.files import objects
from negstats.loaders.files.tabular import Form, Table, as_text, joined
from negstats.loaders.files.uniform_lines import Kinds, read_uniform_lines

FILE = Path("log.jsonl")
VALUES = {
    "words": st.sampled_from(["A", "", " x", '":', 'a\\":', "null", "2024-01-01", "ü", "{", "}\n{"]),
    "whole": st.integers(-3, 3) | st.sampled_from([2**53 + 1, 2**63, -(2**70)]),
    "numbers": st.sampled_from([1, 2.5, -0.0, 1e15, 1e300, 2.0**53, 7]),
    "signs": st.booleans(),
    "nothing": st.none(),
}


def cells_of(table: Table) -> dict[str, list[str | None]]:
    return {name: as_text(joined([column])).to_pylist() for name, column in table.cells.items()}


def outcome(data: bytes) -> object:
    """What reading gives: the table's cells, rows and misspelt keys, or the error."""
    try:
        table = objects.read_json_lines(data, FILE, Form(), None)
    except LogError as error:
        return str(error)
    return table.names, cells_of(table), list(table.rows), sorted(table.misspelt)


def both(data: bytes) -> tuple[object, object]:
    """The outcome in pieces of a few lines, and that of a reader that sees each object."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(objects, "AT_ONCE", 1)
        in_columns = outcome(data)
        patch.setattr(objects, "read_uniform_lines", lambda data, kinds: None)  # noqa: ARG005
        return in_columns, outcome(data)


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    """Lines of one form, but for a few."""
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=3, unique=True))
    lines = []
    for _ in range(draw(st.integers(1, 8))):
        record = {kind: draw(VALUES[kind]) for kind in kinds}
        if draw(st.integers(0, 6)) == 0:
            record |= draw(st.dictionaries(st.sampled_from([*kinds, "other"]), st.one_of(*VALUES.values()), max_size=2))
        if draw(st.integers(0, 6)) == 0:
            record.pop(kinds[0])
        lines.append(json.dumps(record, ensure_ascii=draw(st.booleans())))
    return draw(st.sampled_from(["\n", "\r\n"])).join(lines).encode() + draw(st.sampled_from([b"", b"\n"]))


@given(logs())
def test_columns_are_those_of_objects(data: bytes) -> None:
    in_columns, by_objects = both(data)
    assert in_columns == by_objects


LINE = '{"who": "A", "offer": 3, "fair": true}'


@pytest.mark.parametrize(
    "line",
    [
        '{"who": "A", "who": "B", "offer": 3, "fair": true}',
        '{"who": "A", "offer": 3, "fair": true}{"who": "A", "offer": 3, "fair": true}',
        '{"who": "A", "offer": 3,\n"fair": true}',
        '{"who": "A", "offer": 3, "fair": true',
        '{"who": "A", "offer": NaN, "fair": true}',
        '{"who": "A", "offer": 1e999, "fair": true}',
        '{"who": "A", "offer": 3.5, "fair": null}',
        '{"who": "A", "offer": "3", "fair": 1}',
        '{"who": "\\ud800", "offer": 3, "fair": true}',
        '{"who": "A", "offer": {"mine": 3}, "fair": [true]}',
        '{"who": "A", "offers": 3, "fair": true}',
        '{"who" : "A", "offer": 3, "fair": true}',
        '{"who": "A\\":null", "offer": null}',
        "",
        "[1]",
        " " + LINE + " ",
    ],
)
@pytest.mark.parametrize("end", ["", LINE, f"{LINE}\n{LINE}\n"])
def test_one_line_of_another_form(line: str, end: str) -> None:
    in_columns, by_objects = both(f"{LINE}\n{LINE}\n{line}\n{end}".encode())
    assert in_columns == by_objects


def test_lines_of_one_form_are_read_as_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "AT_ONCE", 100)
    sizes: list[int] = []

    def count(data: bytes, kinds: Kinds) -> object:
        result = read_uniform_lines(data, kinds)
        sizes.append(0 if result is None else result[1])
        return result

    monkeypatch.setattr(objects, "read_uniform_lines", count)
    table = objects.read_json_lines(f"{LINE}\n".encode() * 100, FILE, Form(), None)
    assert sum(sizes) == 97  # the first lines show what the others are like
    assert cells_of(table) == {"who": ["A"] * 100, "offer": ["3"] * 100, "fair": ["True"] * 100}
    assert list(table.rows) == list(range(1, 101))
