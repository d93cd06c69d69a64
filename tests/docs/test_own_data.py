"""The table of the page "Your own data": commands and edited lines are those of its examples."""

from __future__ import annotations

import re

import pytest

from negstats.loaders.reading.questions import SUBJECTS
from tests.docs.own_data import HEAD, PAGE, TABLE, Example, count_edits, examples, folder


@pytest.mark.slow
def test_the_table_counts_the_commands_and_edits_of_the_examples() -> None:
    page = PAGE.read_text(encoding="utf-8")
    table = TABLE.search(page)
    assert table is not None
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table[0][len(HEAD) :].splitlines()]
    parts = list(examples(page))
    assert len(parts) == 8
    assert [row[:2] for row in rows] == [[example.title, str(example.commands)] for example in parts]
    assert [row[2] for row in rows] == [str(_edits(example)) for example in parts]
    assert all(float(row[3]) > 0 for row in rows)


def _edits(example: Example) -> int:
    if not any(block.kind == "python" for block in example.blocks):
        return 0  # the mapping is used as it was written
    with folder():
        return example.count_edited()


def test_edits_are_lines_that_differ() -> None:
    assert count_edits("a\nb\nc\n", "a\nB\nc\n") == 1
    assert count_edits("a\nb\n", "a\nb\n") == 0
    assert count_edits("a\n", "") == 1


def test_the_page_says_what_each_question_is_about() -> None:
    page = (PAGE.parent / "read-a-mapping.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == set(SUBJECTS)
