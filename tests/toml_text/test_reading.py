"""TOML that anybody may have written: plans and mappings share one bounded reader."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from negstats.analysis.plan.parse import parse as plan_parse
from negstats.analysis.plan.parse import read as plan_read
from negstats.coding.codebook import read_codebook
from negstats.errors import NegstatsError
from negstats.loaders.mapping import read_mapping
from negstats.loaders.mapping.parse import parse as mapping_parse
from negstats.toml_text import TomlError, read_text, read_toml
from tests.effort import Effort

DOTTED = "a." * 50_000 + "a"
HOSTILE = {
    "a key of 50,000 parts": f"{DOTTED} = 1",
    "a key of quoted parts": '"a".' * 50_000 + "a = 1",
    "a header of 50,000 parts": f"[{DOTTED}]",
    "a header of a list": f"[[{DOTTED}]]",
    "a key inside a table": f"row = {{ {DOTTED} = 1 }}",
    "lists in lists": f"row = {'[' * 50_000}",
    "tables in tables": "row = " + "{a=" * 5_000,
    "a long number": f"row = {'9' * 100_000}",
    "two megabytes": "#" * 2_000_000,
}
READERS: dict[str, Callable[[str], object]] = {
    "the reader": read_toml,
    "a mapping": lambda text: mapping_parse(text, Path("mapping.toml"), ""),
    "a plan": plan_parse,
}


@pytest.mark.slow(keep=1)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_refused_at_once(text: str, reader: str) -> None:
    with Effort() as effort, pytest.raises(NegstatsError):
        READERS[reader](text)
    assert effort.millions < 50  # a key of 50,000 parts took minutes and 6 GB
    tracemalloc.start()  # which slows down what is measured above
    try:
        with pytest.raises(NegstatsError):
            READERS[reader](text)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def test_the_line_is_told() -> None:
    with pytest.raises(TomlError, match="line 2: TOML cannot read this") as refused:
        read_toml("a = 1\nb\n")
    assert refused.value.line == 2


def test_what_is_no_key_may_have_points() -> None:
    assert read_toml('pattern = "' + ". " * 200 + '"') == {"pattern": ". " * 200}


FILES: dict[str, Callable[[Path], object]] = {
    "the reader": read_text,
    "a mapping": read_mapping,
    "a plan": plan_read,
    "a codebook": read_codebook,
}


@pytest.mark.parametrize("reader", FILES)
def test_bytes_that_are_no_text_are_refused_alike(reader: str, tmp_path: Path) -> None:
    file = tmp_path / "file.toml"
    file.write_bytes(b"a = 1\n# f\xfcr")
    with pytest.raises(NegstatsError, match=r"is not UTF-8 text \(byte 10\); save it as UTF-8"):
        FILES[reader](file)


@pytest.mark.parametrize("reader", ["the reader", "a plan", "a codebook"])  # a mapping says how one is written
def test_a_file_that_is_not_there_or_no_file(reader: str, tmp_path: Path) -> None:
    with pytest.raises(NegstatsError, match="is not there"):
        FILES[reader](tmp_path / "none.toml")
    with pytest.raises(NegstatsError, match="is a folder" if reader == "a plan" else "cannot be read: Is a directory"):
        FILES[reader](tmp_path)


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "file.toml").write_bytes(b"\xef\xbb\xbfa = 1")
    assert read_text(tmp_path / "file.toml") == "a = 1"
    with pytest.raises(TomlError, match="is larger than 5e-06 MB"):
        read_text(tmp_path / "file.toml", most_bytes=5)
